"""Quantities of contact models: what a parameter is, its unit, and the check of a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ... import checks, tolerances
from ...errors import InputError

#: Friction coefficients above this are considered a mistake (rubber stays below 5).
LARGEST_FRICTION = 100.0

#: Angles that enter through their tangent stay below this; larger ones are considered degrees or a mistake [rad].
STEEPEST = math.radians(89.0)

#: A circle is never cut into more facets than this: 1 - cos(pi / 720) is one part in 10^5.
MOST_FACETS = 720

#: Relative errors of polygons that can be given; four facets reach the first one.
LOOSEST_ACCURACY, LEAST_ACCURACY = 0.4, 1e-6


def force(name: str, value: Any) -> float:
    """`value` as a force above zero [N], within the magnitudes of `holdfast.tolerances`."""
    return checks.number(name, value, low=tolerances.SMALLEST_FORCE, high=tolerances.LARGEST_FORCE, unit="N")


def friction(name: str, value: Any) -> float:
    """`value` as a friction coefficient; zero is allowed."""
    return checks.number(name, value, low=0.0, high=LARGEST_FRICTION)


def angle(name: str, value: Any, *, low: float = 0.0, high: float = STEEPEST) -> float:
    """`value` as an angle [rad] between `low` and `high`, both included."""
    return checks.number(name, value, low=low, high=high, unit="rad")


def facets(name: str, value: Any, *, low: int = 3, even: str = "") -> int:
    """`value` as a number of facets, sectors or points around the normal; `even` says why it must be even."""
    result = checks.count(name, value, low=low, high=MOST_FACETS)
    if even and result % 2:
        raise InputError(f"is {result}", where=name, fix=f"give an even number: {even}")
    return result


@dataclass(frozen=True)
class Quantity:
    """What a parameter of a model is.

    Attributes:
        unit: SI unit, "1" for a pure number, "" for a choice of words.
        check: (name, value) -> the value in its canonical form, or an InputError.
        meaning: what it is.
        optional: whether None is allowed too ("no limit", or "same as another parameter").
    """

    unit: str
    check: Callable[[str, Any], Any]
    meaning: str = ""
    optional: bool = False

    def __call__(self, meaning: str, *, optional: bool = False) -> Quantity:
        """The same quantity with another meaning."""
        return replace(self, meaning=meaning, optional=optional)

    def checked(self, name: str, value: Any) -> Any:
        """`value` in its canonical form, or an InputError that names the parameter."""
        return None if self.optional and value is None else self.check(name, value)


def polygon_share(parameters: Mapping[str, Any]) -> float:
    """cos(pi/facets): radius of the circle inside a regular polygon, over that of the circle around it."""
    return math.cos(math.pi / parameters["facets"])


def polygon_error(share: float, side: str) -> float:
    """Relative error of polygons whose inner and outer radius have this ratio: of inner ones too small, else too large.

    1 - share, or 1/share - 1.
    """
    return 1.0 - share if side == "inner" else 1.0 / share - 1.0


@dataclass(frozen=True)
class Accuracy(Quantity):
    """The allowed relative error of a curved limit, from which the number of facets follows.

    Attributes:
        share: parameters -> inner over outer radius of the polygons that approximate the curves.
        halves: parameters that become half the facets unless they are given: points of a ring.
    """

    share: Callable[[Mapping[str, Any]], float] = polygon_share
    halves: tuple[str, ...] = ()

    def counts(self, wanted: float, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, int]:
        """The fewest facets, a multiple of four, with at most the `wanted` error, and what follows from them."""
        if "facets" in given:
            fix = "give accuracy, from which the facets follow, or facets"
            raise InputError("is given with facets", where="accuracy", fix=fix)
        follow = [name for name in self.halves if name not in given]
        reached = math.inf
        for facets in range(4, MOST_FACETS + 1, 4):
            counts = {"facets": facets} | dict.fromkeys(follow, max(4, facets // 2))
            parameters = {**defaults, **given, **counts}
            reached = polygon_error(self.share(parameters), parameters["side"])
            if reached <= wanted:
                return counts
        enough = f"give at least {1.05 * reached:.2g}"  # rounded to two digits, it can still be reached
        few = [f"more {name} than {given[name]}" for name in self.halves if name in given]
        raise InputError(
            f"is {wanted:g}, where {MOST_FACETS} facets reach {reached:.2g}",
            where="accuracy",
            fix=" or ".join([enough, *few]),
        )


FORCE = Quantity("N", force)
LENGTH = Quantity("m", checks.length)
FRICTION = Quantity("1", friction)
ANGLE = Quantity("rad", angle)
COUNT = Quantity("1", facets)
MOMENT = Quantity("N m", lambda name, value: checks.positive(name, value, unit="N m"))
FACETS = COUNT(
    "facets of the polygon that approximates the circle or ellipse around the normal; 16 are up to 1.9 % too narrow"
)
ACCURACY = Accuracy(
    "1",
    lambda name, value: checks.number(name, value, low=LEAST_ACCURACY, high=LOOSEST_ACCURACY),
    "largest relative error of that polygon, instead of facets: 0.002 chooses 52",
    optional=True,
)
CAP = FORCE("largest pressing force f_z; None for no limit", optional=True)
SIDE = Quantity("", lambda name, value: checks.side(value), "inner: inside the true limits; outer: around them")

#: Parameters of every model whose curved limit becomes a polygon.
POLYGON = {"facets": FACETS, "accuracy": ACCURACY, "side": SIDE}
