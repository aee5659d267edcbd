"""What grips of vertices and grips of half-spaces have in common: names, gravity, frames, equality, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from ..jobs import fingerprint
from .facts import GripFacts
from .wrench_rows import checked_gravity, checked_length, checked_pose, mirror_map


class WrenchSet(ABC):
    """A set of wrenches on the body in the palm frame, told by two arrays; immutable.

    Two are equal when their arrays, their gravity and their length are.

    Attributes:
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; else gravity in the palm frame
            (3,) [m/s^2] that it is for.
        facts: how it came about.
        length: characteristic length [m] that scales torques into forces.
    """

    #: What it is called in fingerprints, and the names of its two arrays.
    KIND: ClassVar[str]
    ARRAYS: ClassVar[tuple[str, str]]

    label: str
    palm_gravity: Array | None
    facts: GripFacts
    length: float

    def _settle(
        self,
        arrays: tuple[Array, Array],
        label: str,
        palm_gravity: ArrayLike | None,
        facts: GripFacts | None,
        length: float,
    ) -> None:
        """Check what all sets have, and set it together with the checked `arrays`."""
        checks.instance("label", label, str, fix="give words")
        if facts is None:
            facts = GripFacts(method="given")
        checks.instance("facts", facts, GripFacts, fix="give holdfast.GripFacts or None")
        values = (*arrays, label, checked_gravity(palm_gravity), facts, checked_length(length))
        for name, value in zip(self._names(), values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return (*cls.ARRAYS, "label", "palm_gravity", "facts", "length")

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; what is derived is made anew there."""
        return {name: getattr(self, name) for name in self._names()}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the arrays, gravity and length, the same in every process; label and facts do not count."""
        arrays = [getattr(self, name) + 0.0 for name in self.ARRAYS]
        return fingerprint(self.KIND, *arrays, self.palm_gravity, self.length)

    @cached_property
    def unit(self) -> Array:
        """(6,) what divides wrenches to make their parts comparable: 1 for forces, `length` for torques."""
        return np.repeat([1.0, self.length], 3)

    def with_facts(self, facts: GripFacts) -> Self:
        """The same set with other facts."""
        return self._with(facts=facts)

    def with_label(self, label: str) -> Self:
        """The same set under another name."""
        return self._with(label=label)

    def with_length(self, length: float) -> Self:
        """The same set with another characteristic length [m]."""
        return self._with(length=length)

    def moved(self, pose: Pose) -> Self:
        """The set in a frame where the palm stands at `pose` (14); gravity turns with it."""
        transport, back = checked_pose(pose).wrench_transport(), pose.inverse().wrench_transport()
        return self._with(**self._mapped(transport, back), **self._turned(pose.rotation), facts=self.facts.moved(pose))

    def mirrored(self, normal: ArrayLike = (0.0, 1.0, 0.0), point: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """The other hand's: mirrored across the plane through `point` [m] with `normal`, in the palm frame."""
        mirror = mirror_map(normal, point)  # its own inverse
        facts = self.facts.changed("mirrored")
        return self._with(**self._mapped(mirror, mirror), **self._turned(mirror[:3, :3]), facts=facts)

    @abstractmethod
    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        """The arrays after wrenches w (6,) have become forward @ w, and back @ forward is the identity."""

    def _turned(self, turn: Array) -> dict[str, Array | None]:
        return {"palm_gravity": None if self.palm_gravity is None else turn @ self.palm_gravity}

    def _with(self, **changes: Any) -> Self:
        kept = self.__getstate__() | changes
        first, second = (kept.pop(name) for name in self.ARRAYS)
        return type(self)(first, second, **kept)  # pyright: ignore[reportCallIssue]

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file; the same grip gives the same bytes."""
        from .files import save_grip

        save_grip(self, path)  # pyright: ignore[reportArgumentType]


def check_ends(lower: Array, upper: Array) -> None:
    """The ends of a box (6,) must not be the wrong way round."""
    if (lower > upper).any():
        row = int(np.argmax(lower > upper))
        what = f"is {lower[row]:g}, above the upper end {upper[row]:g}"
        raise InputError(what, where=f"lower[{row}]", fix="give lower <= upper")
