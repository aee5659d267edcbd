"""Checks of model parameters: a force, a friction coefficient, an angle, a facet count, a side."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from ... import checks, tolerances
from ...errors import InputError, UnknownNameError

Side = Literal["inner", "outer"]

#: Friction coefficients above this are taken for a mistake (rubber stays below 5).
LARGEST_FRICTION = 100.0

#: Angles that enter through their tangent stay below this; steeper ones are taken for degrees or for a mistake [rad].
STEEPEST = math.radians(89.0)

#: A circle is never cut into more facets than this: 1 - cos(pi / 720) is one part in 10^5.
MOST_FACETS = 720


def force(name: str, value: Any) -> float:
    """`value` as a force above zero [N], within the magnitudes of `holdfast.tolerances`."""
    return checks.number(name, value, low=tolerances.SMALLEST_FORCE, high=tolerances.LARGEST_FORCE, unit="N")


def optional_force(name: str, value: Any) -> float | None:
    """`value` as a force above zero [N], or None for no limit."""
    return None if value is None else force(name, value)


def length(name: str, value: Any) -> float:
    """`value` as a length above zero [m], within the magnitudes of `holdfast.tolerances`."""
    return checks.number(name, value, low=tolerances.SMALLEST_LENGTH, high=tolerances.LARGEST_LENGTH, unit="m")


def friction(name: str, value: Any) -> float:
    """`value` as a friction coefficient; zero is allowed."""
    return checks.number(name, value, low=0.0, high=LARGEST_FRICTION)


def angle(name: str, value: Any, *, low: float = 0.0, high: float = STEEPEST) -> float:
    """`value` as an angle [rad] between `low` and `high`, both included."""
    return checks.number(name, value, low=low, high=high, unit="rad")


def facets(name: str, value: Any, *, low: int = 3) -> int:
    """`value` as a number of facets, sectors or points around the normal."""
    result = checks.count(name, value, low=low)
    if result > MOST_FACETS:
        raise InputError(f"is {result}", where=name, fix=f"give a whole number from {low} to {MOST_FACETS}")
    return result


def side(value: Any) -> Side:
    """`value` as "inner" (nothing invented) or "outer" (nothing lost)."""
    choices = get_args(Side)
    if value not in choices:
        raise UnknownNameError("side", str(value), choices, where="side")
    return value
