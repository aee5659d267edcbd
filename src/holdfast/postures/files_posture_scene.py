"""PostureScene: a body on its hands, and what pulls at it, ready to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.loads import STANDARD_GRAVITY, checked_gravity, gravity_wrench
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose


@dataclass(frozen=True, eq=False, kw_only=True)
class PostureScene:
    """A rigid body, the grips and poses of its hands, and its loads; immutable.

    `hf.posture_equilibrium(p.grips, p.poses, p.wrench)` asks whether it holds, `hf.support_region(p.grips, p.poses,
    p.mass, p.gravity)` where its centre of mass may be.

    Attributes:
        grips: one a hand (Grip, OuterGrip, GripBounds or LazyGrip): wrenches on the body, in the palm frame; hands
            that have the same grip in the file share one object.
        poses: one a hand: from the palm frame into the world.
        hands: how reports call the hands.
        grip_names: how the file calls the grip of each hand.
        mass: of the body [kg].
        com: (3,) centre of mass in the world [m].
        gravity: (3,) acceleration in the world [m/s^2].
        loads: named external wrenches (6,) on the body, torque about the world origin, beside the weight.
        hands_weigh: whether links of a hand have a weight, so that its grip holds for this gravity alone.
        name: how reports call it.
        description: what it is, in words.
        path: the file it was read from, or None.
    """

    grips: tuple[Any, ...]
    poses: tuple[Pose, ...]
    mass: float
    hands: tuple[str, ...] = ()
    grip_names: tuple[str, ...] = ()
    com: Array = field(default_factory=lambda: np.zeros(3))
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -STANDARD_GRAVITY]))
    loads: Mapping[str, Array] = field(default_factory=dict)
    hands_weigh: bool = False
    name: str = ""
    description: str = ""
    path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grips", tuple(self.grips))
        object.__setattr__(self, "poses", tuple(self.poses))
        count = len(self.poses)
        if count == 0:
            raise InputError("is empty", where="poses", fix="give one pose a hand")
        for index, pose in enumerate(self.poses):
            checks.instance(f"poses[{index}]", pose, Pose, fix="give a holdfast.Pose")
        numbered = tuple(f"hand {index + 1}" for index in range(count))
        object.__setattr__(self, "hands", tuple(self.hands) or numbered)
        object.__setattr__(self, "grip_names", tuple(self.grip_names) or ("",) * count)
        for what in ("grips", "hands", "grip_names"):
            if len(getattr(self, what)) != count:
                raise InputError(f"has {len(getattr(self, what))} entries", where=what, fix=f"give {count}, one a hand")
        low, high = tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS
        object.__setattr__(self, "mass", checks.number("mass", self.mass, low=low, high=high, unit="kg"))
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))
        object.__setattr__(self, "gravity", checked_gravity("gravity", self.gravity))
        loads = {str(name): checks.vector(f"loads[{name!r}]", wrench, 6) for name, wrench in self.loads.items()}
        object.__setattr__(self, "loads", MappingProxyType(loads))

    def __len__(self) -> int:
        """Number of hands."""
        return len(self.poses)

    def __repr__(self) -> str:
        return f"PostureScene({self.name!r}, {len(self)} hands)"

    @property
    def wrench(self) -> Array:
        """(6,) the body's weight about the world origin (16); named loads are not in it."""
        return gravity_wrench(self.mass, self.gravity, self.com)

    def load(self, name: str) -> Array:
        """(6,) the load called `name`."""
        if name not in self.loads:
            raise UnknownNameError("load", name, self.loads, where=str(self.path or self.name))
        return self.loads[name]

    def with_loads(self, names: Iterable[str]) -> Array:
        """(6,) the body's weight and the loads called `names`, together."""
        return np.sum([self.wrench, *(self.load(name) for name in names)], axis=0)

    def with_gravity(self, gravity: ArrayLike) -> PostureScene:
        """The posture under another gravity (3,) [m/s^2]."""
        if self.hands_weigh:
            fix = "load the file again: load_posture(path, gravity=...)"
            raise InputError("links of a hand have a weight, and its grip was made for one", where="gravity", fix=fix)
        return replace(self, gravity=checked_gravity("gravity", gravity))
