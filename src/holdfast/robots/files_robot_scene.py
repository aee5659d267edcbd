"""RobotScene: a robot in a posture, with what touches and what pulls at it, ready to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..postures.files import PostureScene

if TYPE_CHECKING:
    from .flat_body import WholeBody
    from .hand import Hand
    from .planning import PosturePlanner
    from .robot import Robot
    from .touching import Touch


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotScene:
    """A robot, its posture, and either units that touch or hands with grips; immutable.

    Attributes:
        robot: the robot.
        q: its posture.
        gravity: (3,) [m/s^2] in the world.
        touches: units on links; () where hands are given.
        hands: palms with grips; () where touches are given.
        grip_names: how the file calls the grip of each hand.
        object_weight: (6,) weight of what a fixed robot holds, about the world origin; zeros for none.
        object_com: (3,) its centre of mass, or None.
        loads: named wrenches (6,) on what is held, about the world origin.
        name: how reports call it.
        description: what it is, in words.
        path: the file it was read from, or None.
    """

    robot: Robot
    q: Array
    gravity: Array
    touches: tuple[Touch, ...] = ()
    hands: tuple[Hand, ...] = ()
    grip_names: tuple[str, ...] = ()
    object_weight: Array = field(default_factory=lambda: np.zeros(6))
    object_com: Array | None = None
    loads: Mapping[str, Array] = field(default_factory=dict)
    name: str = ""
    description: str = ""
    path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "loads", MappingProxyType(dict(self.loads)))

    def __repr__(self) -> str:
        what = f"{len(self.hands)} hands" if self.hands else f"{len(self.touches)} touches"
        return f"RobotScene({self.name!r}, {self.robot.name!r}, {what})"

    def load(self, name: str) -> Array:
        """(6,) the load called `name`."""
        if name not in self.loads:
            raise UnknownNameError("load", name, self.loads, where=str(self.path or self.name))
        return self.loads[name]

    def extra(self, names: Iterable[str] = ()) -> Array:
        """(6,) the loads called `names` and the weight of an object, together; the robot's own weight is not in it."""
        return np.sum([self.object_weight, *(self.load(name) for name in names)], axis=0)

    def whole_body(self, loads: Iterable[str] = ()) -> WholeBody:
        """The posture with every unit and every joint (`hf.whole_body`); of a file with touches."""
        from .flat_body import whole_body

        if not self.touches:
            raise InputError("has no touches", where=self.name, fix="its hands are grips: ask planner() or posture()")
        return whole_body(self.robot, self.q, self.touches, self.gravity, load=self.extra(loads))

    def planner(self) -> PosturePlanner:
        """The callbacks of a planner on these hands; of a file with hands."""
        from .planning import PosturePlanner

        self._check_hands()
        return PosturePlanner(self.robot, self.hands, gravity=self.gravity)

    def posture(self) -> PostureScene:
        """The robot as one body on its hands: what `holdfast posture` and `holdfast support` ask about."""
        self._check_hands()
        return PostureScene(
            grips=tuple(hand.grip for hand in self.hands),
            poses=tuple(hand.pose(self.robot, self.q) for hand in self.hands),
            hands=tuple(hand.name for hand in self.hands),
            grip_names=self.grip_names,
            mass=self.robot.mass,
            com=self.robot.com(self.q),
            gravity=self.gravity,
            loads=self.loads,
            name=self.name,
            description=self.description,
            path=self.path,
        )

    def _check_hands(self) -> None:
        if not self.hands:
            raise InputError("has no hands", where=self.name, fix="it has touches: ask whole_body()")
