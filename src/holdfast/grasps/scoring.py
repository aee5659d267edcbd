"""Scored grasps: candidates, the hand's pose at each and all ten criteria, as arrays over the grasps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..checks import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from .candidates import Candidates
    from .contours import Contour
    from .hand_pose import HandPoses
    from .hands import Hand

#: Beyond this a coefficient of friction has been mistaken for an angle or a percentage.
LARGEST_FRICTION = 10.0


@dataclass(frozen=True)
class GraspParams:
    """The parameters of the criteria (section 4.2).

    Attributes:
        mu: least coefficient of friction between finger and object.
        lambda_mm: positioning error threshold [mm] of S3.
        W: object weight index: 0.5 light, 1 medium, 2 heavy.
        eta_mm: largest extension [mm] of C2 and C3, and limit of the fingertip grip in C6.
    """

    mu: float = 0.4
    lambda_mm: float = 2.0
    W: float = 1.0
    eta_mm: float = 110.0

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "mu", checks.positive("mu", self.mu, high=LARGEST_FRICTION))
        set_field(self, "lambda_mm", checks.number("lambda_mm", self.lambda_mm, low=0.0, unit="mm"))
        set_field(self, "W", checks.positive("W", self.W))
        set_field(self, "eta_mm", checks.positive("eta_mm", self.eta_mm, unit="mm"))

    def to_dict(self) -> dict[str, float]:
        """The exchange form."""
        return {"mu": self.mu, "lambda_mm": self.lambda_mm, "W": self.W, "eta_mm": self.eta_mm}


@dataclass(frozen=True, eq=False)
class ObjectShape:
    """What the criteria need to know of the object.

    Attributes:
        area_mm2: area without the holes [mm^2].
        centroid_mm: (2,) centroid of that area [mm].
        major_axis_mm, minor_axis_mm: full axes [mm] of the ellipse with equal moments.
    """

    area_mm2: float
    centroid_mm: Array
    major_axis_mm: float
    minor_axis_mm: float

    @classmethod
    def of(cls, contour: Contour) -> ObjectShape:
        """The shape of a contour."""
        centroid = np.array(contour.centroid, dtype=np.float64)
        centroid.setflags(write=False)
        return cls(float(contour.area), centroid, float(contour.major_axis), float(contour.minor_axis))

    def to_dict(self) -> dict[str, Any]:
        """The exchange form."""
        return {
            "area_mm2": self.area_mm2,
            "centroid_mm": [float(value) for value in self.centroid_mm],
            "major_axis_mm": self.major_axis_mm,
            "minor_axis_mm": self.minor_axis_mm,
        }


@dataclass(frozen=True, eq=False)
class ScoredGrasps:
    """All candidates of an object with the hand's pose and the criteria of each; g grasps, in the candidates' order.

    Attributes:
        candidates: contacts, normals, regions and focus points.
        poses: spread, palm, force directions and extensions.
        hand: the hand that grasps.
        shape: the object.
        params: the parameters of the criteria.
        criteria: name -> (g,) value, lower is better; inf where the hand takes no pose.
        quality: (g,) Q, the plain sum of the ten.
        valid: (g,) whether the hand takes the pose and all criteria are finite.
    """

    candidates: Candidates
    poses: HandPoses
    hand: Hand
    shape: ObjectShape
    params: GraspParams
    criteria: dict[str, Array]
    quality: Array
    valid: BoolArray

    def __len__(self) -> int:
        return len(self.quality)

    def __repr__(self) -> str:
        return f"ScoredGrasps({len(self)} grasps, {int(self.valid.sum())} valid, hand {self.hand.name!r})"

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why each grasp is not valid; "" for those that are."""
        return tuple(self._reason(row) for row in range(len(self)))

    def _reason(self, row: int) -> str:
        if self.valid[row]:
            return ""
        if not self.poses.reachable[row]:
            return self.poses.reason[row] or "the hand takes no pose at these contacts"
        bad = [name for name, column in self.criteria.items() if not np.isfinite(column[row])]
        return f"{' and '.join(bad)} {'is' if len(bad) == 1 else 'are'} infinite"

    def rescored(self, **changes: float) -> ScoredGrasps:
        """The same contacts and poses under other parameters: only mu, lambda_mm, W or eta_mm change."""
        params = replace(self.params, **changes)
        return score(self.candidates, self.poses, self.hand, self.shape, params)


def score(
    candidates: Candidates, poses: HandPoses, hand: Hand, shape: ObjectShape, params: GraspParams
) -> ScoredGrasps:
    """All ten criteria and Q of every candidate the hand reaches; the others are kept, as not valid."""
    from .criteria import CRITERIA, evaluate

    reached = np.asarray(poses.reachable, dtype=bool)
    count = len(reached)
    criteria = {name: np.full(count, np.inf) for name in CRITERIA}
    quality, valid = np.full(count, np.inf), np.zeros(count, dtype=bool)
    if reached.any():
        rows = slice(None) if reached.all() else reached
        values = evaluate(
            contacts_mm=candidates.contacts[rows],
            inward_normals=candidates.normals[rows],
            regions_mm=candidates.segments[rows],
            region_curvature=candidates.curvature[rows],
            force_directions=poses.forces[rows],
            grasp_focus_mm=candidates.focus[rows],
            real_focus_mm=poses.real_focus[rows],
            extensions_mm=poses.extensions[rows],
            spread_rad=poses.spread[rows],
            virtual_two_finger=candidates.virtual[rows],
            **_shape_and_params(shape, params),
        )
        for name, column in criteria.items():
            column[rows] = values[name]
        quality[rows], valid[rows] = values["Q"], values["valid"]
    for column in (*criteria.values(), quality, valid):
        column.setflags(write=False)
    return ScoredGrasps(candidates, poses, hand, shape, params, criteria, quality, valid)


def gathered(parts: list[ScoredGrasps], rows: IntArray, candidates: Candidates) -> ScoredGrasps:
    """Some grasps of several lists of one object and hand, without scoring them again.

    Args:
        parts: the lists.
        rows: (g,) which grasps, counted through all lists one after the other.
        candidates: these grasps' candidates, in the order of `rows`.
    """
    poses = [part.poses for part in parts]
    names = [name for name, value in vars(poses[0]).items() if isinstance(value, np.ndarray)]
    columns = {name: np.concatenate([getattr(pose, name) for pose in poses])[rows] for name in names}
    criteria = {name: np.concatenate([part.criteria[name] for part in parts])[rows] for name in parts[0].criteria}
    quality = np.concatenate([part.quality for part in parts])[rows]
    valid = np.concatenate([part.valid for part in parts])[rows]
    for column in (*columns.values(), *criteria.values(), quality, valid):
        column.setflags(write=False)
    first = parts[0]
    taken = replace(first.poses, **columns)
    return ScoredGrasps(candidates, taken, first.hand, first.shape, first.params, criteria, quality, valid)


def _shape_and_params(shape: ObjectShape, params: GraspParams) -> dict[str, Any]:
    """Object and parameters as named arguments of `criteria.evaluate`."""
    return {
        "area_mm2": shape.area_mm2,
        "centroid_mm": shape.centroid_mm,
        "major_axis_mm": shape.major_axis_mm,
        "minor_axis_mm": shape.minor_axis_mm,
        **params.to_dict(),
    }
