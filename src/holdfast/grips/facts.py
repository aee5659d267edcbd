"""Facts of a grip: how its set of wrenches came about, and how near the truth it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import checks
from ..errors import InputError
from ..geometry.frames import Pose, rotation

#: Whose wrench the contact forces f of an assembly give: the body's itself, W f, or of what is gripped, so -W f.
Acting = Literal["direct", "reaction"]


@dataclass(frozen=True, kw_only=True)
class GripFacts:
    """What is known of a grip beside its wrenches; every entry may be unknown.

    Attributes:
        method: how the set came about: "given", "cones", the name of a way of learning, "" when not known.
        n: how many samples (programs solved) it took.
        asked: how many vertices, and half-spaces, were asked for at first.
        seed: the seed of what was random.
        model_hash: fingerprint of the assembly it was learned from, "" when there is none.
        inner_error: largest known shortfall of the inner set, as a share of the set's size in that direction.
        outer_error: largest known excess of the outer set, alike.
        wanted_gap: the share that the outer set was to reach beyond the inner one at most; None when none was wanted.
        reached_gap: the largest share that it does, along the fresh rays of the learning; it may be above what was
            wanted.
        concavity: largest share by which the union of the contacts' pieces falls short of their hull along a tried
            ray; 0 for convex volumes.
        joint_limits: whether joints limited the wrenches.
        acting: how contact forces were read: "direct" (on the body) or "reaction" (on what is gripped).
        palm: (3, 4) rows [R | t] of the palm's pose in the assembly's frame; t in [m].
        version: the release of Holdfast that made it.
        derived: how the set was changed since, such as "scaled by 0.5"; "" when it was not. Hash, samples, errors and
            gaps are those before; the palm is that of the set as it is, or unknown.
    """

    method: str = ""
    n: int | None = None
    asked: int | None = None
    seed: int | None = None
    model_hash: str = ""
    inner_error: float | None = None
    outer_error: float | None = None
    wanted_gap: float | None = None
    reached_gap: float | None = None
    concavity: float | None = None
    joint_limits: bool | None = None
    acting: Acting | None = None
    palm: tuple[tuple[float, ...], ...] | None = None
    version: str = ""
    derived: str = ""

    def __post_init__(self) -> None:
        for name in ("method", "model_hash", "version", "derived"):
            checks.instance(name, getattr(self, name), str, fix="give words, or leave it out")
        for name in ("n", "asked", "seed"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checks.count(name, value, low=0))
        for name in ("inner_error", "outer_error", "wanted_gap", "reached_gap", "concavity"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _share(name, value))
        if self.joint_limits is not None:
            object.__setattr__(self, "joint_limits", bool(self.joint_limits))
        if self.acting not in (None, "direct", "reaction"):
            raise InputError(f"is {self.acting!r}", where="acting", fix='give "direct", "reaction" or None')
        if self.palm is not None:
            rows = checks.array("palm", self.palm, (3, 4))
            rotation("palm", rows[:, :3])
            object.__setattr__(self, "palm", tuple(map(tuple, rows.tolist())))

    @property
    def palm_pose(self) -> Pose | None:
        """The palm's pose in the assembly's frame, where it is known."""
        if self.palm is None:
            return None
        rows = np.array(self.palm)
        return Pose(rows[:, :3], rows[:, 3])

    @property
    def misses_its_gap(self) -> bool:
        """Whether a gap was wanted and a larger one reached."""
        return self.wanted_gap is not None and self.reached_gap is not None and self.reached_gap > self.wanted_gap

    def changed(self, words: str) -> GripFacts:
        """Those of the set after a change of its wrenches that `words` name: no palm has the new ones."""
        return replace(self, derived=f"{self.derived}, {words}" if self.derived else words, palm=None)

    def moved(self, pose: Pose) -> GripFacts:
        """Those of the set in a frame where the palm stands at `pose`: that frame is the palm from now on."""
        palm = self.palm_pose
        return replace(self.changed("moved"), palm=None if palm is None else pose_rows(palm @ pose.inverse()))


def pose_rows(pose: Pose) -> tuple[tuple[float, ...], ...]:
    """(3, 4) rows [R | t] of a pose, t in [m]."""
    return tuple(map(tuple, np.column_stack([pose.rotation, pose.translation]).tolist()))


def _share(name: str, value: Any) -> float:
    """An error of at least zero; inf says that there is no bound."""
    return math.inf if value == math.inf else checks.number(name, value, low=0.0)
