"""Paths: a parameter to an assembly and the wrench on its object; gravity that turns, loads that grow, legs in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...assembly.assembly import Assembly
from ...assembly.loads import STANDARD_GRAVITY
from ...checks import Array
from ...errors import InputError
from ...geometry.frames import rotation_about

Path: TypeAlias = Callable[[float], tuple[Assembly, Array]]
"""A parameter to (assembly, external wrench (6,) about the world origin)."""


@runtime_checkable
class Weighed(Protocol):
    """Something whose parts have a weight, such as a `Device`."""

    def assembly(self, gravity: ArrayLike = ...) -> Assembly:
        """Contacts and joint rows under gravity (3,) [m/s^2]."""
        ...

    def weight(self, gravity: ArrayLike) -> Array:
        """(6,) weight of the object about the world origin."""
        ...


@runtime_checkable
class Weighable(Protocol):
    """Something that can be put under another gravity, such as a `Scene`."""

    @property
    def gravity(self) -> Array:
        """(3,) [m/s^2]."""
        ...

    @property
    def assembly(self) -> Assembly:
        """Contacts and joint rows under `gravity`."""
        ...

    def with_gravity(self, gravity: ArrayLike) -> Weighable:
        """The same under another gravity (3,) [m/s^2]."""
        ...

    def gravity_load(self) -> Array:
        """(6,) weight of the object about the world origin."""
        ...


Subject: TypeAlias = Weighed | Weighable
"""What gravity can be turned about: a `Device`, a `Scene`, or whatever offers the same methods."""


def under_gravity(subject: Subject, gravity: ArrayLike) -> tuple[Assembly, Array]:
    """(assembly, weight (6,)) of a device or scene under `gravity` (3,) [m/s^2]; the links weigh on the joints too."""
    if isinstance(subject, Weighable):
        placed = subject.with_gravity(gravity)
        return placed.assembly, placed.gravity_load()
    if isinstance(subject, Weighed):
        return subject.assembly(gravity), subject.weight(gravity)
    raise InputError(f"is a {type(subject).__name__}", where="subject", fix="give a Device or a Scene")


def gravity_size(subject: Subject) -> float:
    """The size of a scene's own gravity [m/s^2]; standard gravity for devices and where a scene has none."""
    own = float(np.linalg.norm(subject.gravity)) if isinstance(subject, Weighable) else 0.0
    return own or STANDARD_GRAVITY


def turning(
    subject: Subject,
    start: ArrayLike = (0.0, 0.0, -1.0),
    towards: ArrayLike = (1.0, 0.0, 0.0),
    *,
    load: ArrayLike | None = None,
) -> Path:
    """Gravity turned in a plane: at angle 0 [rad] along `start` (3,), a quarter turn on along `towards` (3,).

    As when everything is slowly turned about the other way. Contacts stay where they are; the object's weight and the
    weight of the links on the joints follow. `load` (6,) acts besides and is fixed to the object.
    """
    first, second = checks.direction("start", start, 3), checks.direction("towards", towards, 3)
    axis = np.cross(first, second)
    if np.linalg.norm(axis) < tolerances.ORTHONORMAL:
        raise InputError("is parallel to start", where="towards", fix="give a direction that spans a plane with start")
    return turning_about(subject, axis, first, load=load)


def turning_about(
    subject: Subject, axis: ArrayLike, start: ArrayLike = (0.0, 0.0, -1.0), *, load: ArrayLike | None = None
) -> Path:
    """Gravity turned about an axis (3,) by the right-hand rule, from `start` (3,); on a cone if that is not square."""
    around, first = checks.direction("axis", axis, 3), checks.direction("start", start, 3)
    extra = np.zeros(6) if load is None else checks.vector("load", load, 6)
    size = gravity_size(subject)

    def path(angle: float) -> tuple[Assembly, Array]:
        gravity = size * (rotation_about(around, checks.number("angle", angle)) @ first)
        assembly, weight = under_gravity(subject, gravity)
        return assembly, weight + extra

    return path


def ramp(assembly: Assembly, base: ArrayLike, increment: ArrayLike) -> Path:
    """A load that grows: the wrench `base` + s `increment` (6,) at parameter s."""
    constant, growing = checks.vector("base", base, 6), checks.vector("increment", increment, 6)
    if not growing.any():
        raise InputError("is the zero wrench", where="increment", fix="give a load that grows")
    return lambda s: (assembly, constant + checks.number("s", s) * growing)


def chained(legs: Sequence[tuple[Path, float, float]]) -> tuple[Path, float]:
    """Several paths one after the other: (path, its total length).

    Each leg is (path, start, stop); the parameter runs from 0 and counts what has been gone through, |stop - start| of
    every leg. Where two legs meet, the later one answers.
    """
    if not legs:
        raise InputError("is empty", where="legs", fix="give at least one (path, start, stop)")
    parts = [
        (path, checks.number(f"legs[{i}][1]", a), checks.number(f"legs[{i}][2]", b))
        for i, (path, a, b) in enumerate(legs)
    ]
    ends = np.cumsum([abs(stop - start) for _, start, stop in parts])

    def path(parameter: float) -> tuple[Assembly, Array]:
        at = checks.number("parameter", parameter, low=0.0, high=float(ends[-1]))
        index = min(int(np.searchsorted(ends, at, side="right")), len(parts) - 1)
        leg, start, stop = parts[index]
        gone = at - (float(ends[index - 1]) if index else 0.0)
        return leg(start + np.sign(stop - start) * gone)

    return path, float(ends[-1])
