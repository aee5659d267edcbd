"""Regions of the climber by rougher and finer grips (Fig. 16), and on feet that can only press."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import checks
from ...geometry.frames import Pose, frame_from_normal
from ...grips import GripBounds, coulomb_grip
from ...postures import support_region
from ...postures.region import SupportRegion
from ...postures.region_computation import Sampling
from ..devices.climber import ClimbingPosture, climbing_posture
from ..devices.hand_grips import GripName
from .climbing import DIRECTIONS, STANCES, WALLS, Climb, Stance
from .climbing_outlines import Outline
from .hierarchy import Kind
from .rough_grips import rough_inner, rough_outer

#: Vertices of inner and half-spaces of outer grips, the bounding box before them; the ends are those of the caption of
#: the paper's Fig. 16.
INNER_COUNTS = (25, 50, 100, 250, 1000)
OUTER_COUNTS = (0, 50, 100, 250, 1000)

#: Friction of feet that can only press, and how far the steps they stand on are turned up from the wall [rad].
FOOT_FRICTION, FOOT_STEP = 0.8, np.pi / 4.0


@dataclass(frozen=True, eq=False)
class FinenessRow:
    """A region from grips of one fineness.

    Attributes:
        kind: "vertices" (inner) or "half-spaces" (outer, the twelve of a box among them).
        count: of them a grip.
        region: where the centre of mass may be.
    """

    kind: Kind
    count: int
    region: SupportRegion


@dataclass(frozen=True, eq=False)
class Fineness:
    """Fig. 16: inner and outer regions as grips are known more finely.

    Attributes:
        rows: inner ones by few vertices to many, then outer ones by the box to many half-spaces.
        exact: the region between them.
        posture: the climber.
        grip: of all hands and feet.
    """

    rows: tuple[FinenessRow, ...]
    exact: Outline
    posture: ClimbingPosture
    grip: GripName


def fineness(
    found: Climb,
    grips: dict[GripName, GripBounds],
    *,
    grip: GripName = "opposing",
    inner: Sequence[int] = INNER_COUNTS,
    outer: Sequence[int] = OUTER_COUNTS,
    directions: int = DIRECTIONS,
) -> Fineness:
    """Regions on the near-vertical wall, two hands and two feet, by grips of few and many vertices or half-spaces.

    Args:
        found: the study, with this wall, stance and grip in it.
        grips: from `climbing_grips`.
        grip: "opposing" or "parallel", which hands and feet have alike.
        inner: numbers of vertices; those beyond what was learned are left out.
        outer: numbers of half-spaces beside the box; 0 for the box alone.
        directions: along which outer regions are asked for.
    """
    case = found.case("near-vertical", "two hands", grip)
    whole, poses = grips[grip], list(case.posture.palms.values())
    rows: list[FinenessRow] = []
    for count in inner:
        if count <= len(whole.inner.vertices):
            few = rough_inner(whole, count)
            rows.append(FinenessRow("vertices", len(few.vertices), support_region(few, poses, case.posture.mass)))
    for count in outer:
        if count <= len(whole.outer.offsets):
            planes = rough_outer(whole, count)
            region = support_region(planes, poses, case.posture.mass, method=Sampling(directions)).outer
            rows.append(FinenessRow("half-spaces", len(planes.offsets), region))
    return Fineness(tuple(rows), case.exact, case.posture, grip)


def pressing_feet_region(
    grip: GripBounds, name: GripName, stance: Stance = "two hands", *, step: float = FOOT_STEP
) -> SupportRegion:
    """The inner region on the overhang where hands grip but feet only press: Coulomb friction on steps in the wall.

    Args:
        grip: of the hands, learned.
        name: of it.
        stance: which limbs hold.
        step: how far the steps' faces are turned up from the wall's own normal [rad].
    """
    wall = WALLS["overhang"]
    posture = climbing_posture(wall, name)
    turn = checks.number("step", step, low=0.0, high=np.pi / 2.0, unit="rad")
    normal = np.cos(turn) * wall.off + np.sin(turn) * wall.up
    face = frame_from_normal(normal, np.cos(turn) * wall.up - np.sin(turn) * wall.off)
    foot = coulomb_grip(FOOT_FRICTION, sides=16)
    hands, poses = [], []
    for limb in STANCES[stance]:
        palm = posture.palms[limb]
        is_hand = limb.startswith("front")
        hands.append(grip.inner if is_hand else foot)
        poses.append(palm if is_hand else Pose(face, palm.translation))
    return support_region(hands, poses, posture.mass)
