"""Reachability: clearance of the fingers to concave parts and to each other.

Seen from above, a fingertip is a disc as wide as the fingertip that touches the part at its contact. The hand comes
down with its fingers open and closes them along their rays, so that each disc sweeps a capsule from its open position
to its contact. The flat pad of a parallel jaw is a row of small discs. A grasp is reachable when

- no capsule cuts into the part by more than an allowance (a contact lies on a straight region, which deviates from the
  true outline by up to half a millimetre, and the pad of a fingertip is soft);
- no two capsules meet, so that the order in which the fingers close does not matter.

The palm and the upper links pass over the part. Points are in mm, in the frame of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..public_names import with_advice

if TYPE_CHECKING:
    from .candidates import Candidates
    from .contours import Contour
    from .hands import GraspHand, HandPoses
    from .ranking import ScoredGrasps


def cuts(part: shapely.Polygon, tip: Array, way: Array, length: Array, radius: float) -> tuple[Array, Array]:
    """Depth of the cut of capsules into a part, and its distance along the path: (k,) and (k,).

    The capsules start at `tip` (k, 2) and run `length` (k,) along the unit vectors `way` (k, 2). A capsule that starts
    inside the part cuts by its radius and its depth there.
    """
    border = part.boundary
    shapely.prepare(border)
    axes = shapely.linestrings(np.stack([tip, tip + length[:, None] * way], axis=1))
    near = shapely.get_coordinates(shapely.shortest_line(axes, border)).reshape(-1, 2, 2)
    apart = np.linalg.norm(near[:, 1] - near[:, 0], axis=1)
    along = np.clip(np.einsum("kc,kc->k", near[:, 0] - tip, way), 0.0, length)
    inside = shapely.contains_xy(part, tip)
    depth = np.where(inside, radius + shapely.distance(shapely.points(tip), border), np.maximum(radius - apart, 0.0))
    return depth, np.where(inside | (depth == 0.0), 0.0, along)


#: Largest depth of a fingertip in the outline [mm]: half a millimetre between region and outline, and its soft pad.
ALLOWANCE_MM = 1.0

#: Reason for a grasp without a pose of the hand and without another reason.
NO_POSE = "the hand takes no pose at these contacts"

#: Number of discs of a flat pad; neighbouring discs overlap by half.
PAD_DISCS = 7

#: The fingers by number, the jaws of a gripper of two (whose second pad has two contacts), and the pairs of fingers.
FINGERS = ("the thumb", "finger 2", "finger 3")
JAWS = ("the first jaw", "the second jaw", "")
PINCHING = ("finger 2", "finger 3", "")
PAIRS = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Reachability:
    """Which of g grasps a hand can reach, and the obstacles of the others.

    Attributes:
        ok: (g,) whether the grasp is reachable; never without a pose of the hand, where all lengths are NaN.
        reason: the obstacles as text; "" without any.
        cut_mm: (g, 3) how deep each fingertip would cut into the part on its way or at its contact [mm].
        before_mm: (g, 3) how far before its contact the deepest cut lies [mm]; 0 at the contact itself.
        gap_mm: (g, 3) least gap between the ways of thumb and 2, thumb and 3, 2 and 3 [mm]; negative when they meet.
        tested: (g,) whether the grasp was tested; all of them unless `check_in_order` stopped before.
    """

    ok: BoolArray
    reason: tuple[str, ...]
    cut_mm: Array
    before_mm: Array
    gap_mm: Array
    tested: BoolArray = None  # pyright: ignore[reportAssignmentType]

    def __post_init__(self) -> None:
        if self.tested is None:
            object.__setattr__(self, "tested", np.ones(len(self.ok), dtype=bool))


def check(
    contour: Contour,
    candidates: Candidates,
    poses: HandPoses,
    hand: GraspHand,
    *,
    opening_mm: float | None = None,
) -> Reachability:
    """Which grasps the hand can reach.

    Args:
        contour: the part; its holes count as free space.
        candidates: contacts, normals and regions of the grasps.
        poses: force directions and extensions of the hand for each of them.
        hand: width of its fingertips and how far they open.
        opening_mm: how far a finger opens beyond its contact before the hand comes down [mm]; None opens it fully.
    """
    taken = np.flatnonzero(poses.reachable)  # grasps without a pose are not tested and keep their reason
    extensions = np.asarray(poses.extensions, dtype=np.float64)[taken]
    travel = np.maximum(hand.longest_extension - extensions, 0.0)
    if opening_mm is not None:
        travel = np.minimum(travel, checks.number("opening_mm", opening_mm, low=0.0, unit="mm"))
    found = check_fingers(
        shapely.Polygon(contour.outer, contour.holes),
        candidates.contacts[taken],
        candidates.normals[taken],
        poses.forces[taken],
        travel,
        fingertip_width=hand.fingertip_width,
        jaws=hand.fingers == 2,
        pinch=candidates.pinch[taken],
    )
    return _among_all(found, taken, poses.reason)


#: Number of grasps tested together from the best rank down.
AT_ONCE = 16

#: Number of reachable grasps after which the search from the best rank down ends.
BEST_REACHABLE = 20


def check_in_order(
    contour: Contour,
    scored: ScoredGrasps,
    order: IntArray,
    *,
    known: Reachability | None = None,
    wanted: int = BEST_REACHABLE,
    **options: Any,
) -> Reachability:
    """Test grasps from the best rank down until `wanted` of them are reachable; the others are not tested.

    Args:
        contour: the part.
        scored: the grasps.
        order: (k,) their rows from the best to the worst.
        known: earlier results; their rows are not tested again.
        wanted: how many reachable grasps are enough.
        options: as those of `check`.
    """
    count = len(scored)
    nan = np.full((count, 3), np.nan)
    fresh = {"cut_mm": nan, "before_mm": nan.copy(), "gap_mm": nan.copy()}
    columns = {"ok": np.zeros(count, dtype=bool), **fresh}
    tested, reasons = np.zeros(count, dtype=bool), [""] * count
    if known is not None:
        columns = {name: getattr(known, name).copy() for name in columns}
        tested, reasons = known.tested.copy(), list(known.reason)
    found = 0
    for first in range(0, len(order), AT_ONCE):
        rows = order[first : first + AT_ONCE]
        left = rows[~tested[rows]]
        if len(left):
            some = check(contour, scored.candidates.select(left), scored.poses.select(left), scored.hand, **options)
            for name, column in columns.items():
                column[left] = getattr(some, name)
            for row, words in zip(left, some.reason, strict=True):
                reasons[row] = words
            tested[left] = True
        found += int(columns["ok"][rows].sum())
        if found >= wanted:
            break
    return Reachability(reason=tuple(reasons), tested=tested, **columns)


def _among_all(found: Reachability, taken: IntArray, reasons: Sequence[str]) -> Reachability:
    """The results of the rows `taken` among all rows; the others are not reachable, with their own reasons."""
    count = len(reasons)

    def spread(values: Array) -> Array:
        whole = np.full((count, *values.shape[1:]), np.nan)
        whole[taken] = values
        return whole

    said = [told or NO_POSE for told in reasons]
    ok = np.zeros(count, dtype=bool)
    ok[taken] = found.ok
    for row, words in zip(taken, found.reason, strict=True):
        said[row] = words
    arrays = ("cut_mm", "before_mm", "gap_mm")
    return Reachability(ok, tuple(said), **{name: spread(getattr(found, name)) for name in arrays})


@with_advice()
def check_fingers(
    part: shapely.Polygon,
    contacts: ArrayLike,
    normals: ArrayLike,
    forces: ArrayLike,
    travel: ArrayLike,
    *,
    fingertip_width: float,
    jaws: bool = False,
    pinch: ArrayLike | None = None,
) -> Reachability:
    """The same for plain arrays.

    Args:
        part: the outline of the part and its holes [mm].
        contacts: (g, 3, 2) [mm].
        normals: (g, 3, 2) unit normals into the part.
        forces: (g, 3, 2) unit directions in which the fingers push; they come from the opposite side.
        travel: (g, 3) how far each finger opens beyond its contact [mm].
        fingertip_width: diameter of the fingertips, or width of the pads of jaws [mm].
        jaws: whether contacts 2 and 3 are the ends of one flat pad that faces the thumb's.
        pinch: (g,) whether contacts 2 and 3 are the ends of the patch under one fingertip, the other one's being
            contact 1; none when not given.
    """
    width = checks.positive("fingertip_width", fingertip_width, unit="mm")
    points, inwards = np.asarray(contacts, dtype=np.float64), np.asarray(normals, dtype=np.float64)
    way, length = -np.asarray(forces, dtype=np.float64), np.asarray(travel, dtype=np.float64)
    count = len(points)
    if jaws:
        middle = 0.5 * (points[:, 1] + points[:, 2])
        points = np.stack([points[:, 0], middle, middle], axis=1)
        cut, before = _pad_cuts(part, points, way, length, width)
        gap = np.full((count, 3), np.inf)
        names = [JAWS] * count
    else:
        pinched = np.zeros(count, dtype=bool) if pinch is None else np.asarray(pinch, dtype=bool)
        middle = np.stack([points[:, 0], *2 * [0.5 * (points[:, 1] + points[:, 2])]], axis=1)
        points = np.where(pinched[:, None, None], middle, points)
        names = [PINCHING if flag else FINGERS for flag in pinched]
        tip = points - 0.5 * width * inwards  # the centre of the disc that touches at the contact
        cut, before = cuts(part, tip.reshape(-1, 2), way.reshape(-1, 2), length.ravel(), 0.5 * width)
        cut, before = cut.reshape(count, 3), before.reshape(count, 3)
        gap = _gaps(points, tip, tip + length[..., None] * way, width)
    faults = _Faults(names, width, cut, before, gap)
    reasons = tuple(faults.words(row) for row in range(count))
    return Reachability(np.array([not reason for reason in reasons], dtype=bool), reasons, cut, before, gap)


def _pad_cuts(part: shapely.Polygon, points: Array, way: Array, length: Array, width: float) -> tuple[Array, Array]:
    """(g, 3) deepest cut of flat pads, each a row of discs across its way, and how far before the contact it lies."""
    radius = width / (PAD_DISCS + 1)
    across = np.stack([-way[..., 1], way[..., 0]], axis=-1)[:, :, None]  # (g, 3, 1, 2)
    offset = np.linspace(radius - 0.5 * width, 0.5 * width - radius, PAD_DISCS)[:, None]
    tips = (points + radius * way)[:, :, None] + offset * across  # (g, 3, discs, 2)
    ways, lengths = np.broadcast_to(way[:, :, None], tips.shape), np.broadcast_to(length[..., None], tips.shape[:3])
    cut, before = cuts(part, tips.reshape(-1, 2), ways.reshape(-1, 2), lengths.ravel(), radius)
    cut, before = cut.reshape(tips.shape[:3]), before.reshape(tips.shape[:3])
    worst = cut.argmax(axis=2)[..., None]
    return np.take_along_axis(cut, worst, 2)[..., 0], np.take_along_axis(before, worst, 2)[..., 0]


def _gaps(points: Array, tip: Array, end: Array, width: float) -> Array:
    """(g, 3) gap between the paths of each pair of fingers; infinite for two that are the same finger."""
    found = np.empty((len(tip), 3))
    ways: Any = shapely.linestrings(np.stack([tip, end], axis=2))
    for column, (i, j) in enumerate(PAIRS):
        apart = shapely.distance(ways[:, i], ways[:, j]) - width
        found[:, column] = np.where((points[:, i] == points[:, j]).all(axis=-1), np.inf, apart)
    return found


@dataclass(frozen=True, eq=False)
class _Faults:
    """Obstacles, for messages."""

    names: Sequence[tuple[str, ...]]
    width: float
    cut: Array
    before: Array
    gap: Array

    def words(self, row: int) -> str:
        """All obstacles of one grasp as text; "" without any."""
        found = []
        for finger, name in enumerate(self.names[row]):
            if not name:
                continue
            if self.cut[row, finger] > ALLOWANCE_MM:
                found.append(self._cut_words(row, finger, name))
        for column, (i, j) in enumerate(PAIRS):
            if self.gap[row, column] < 0.0:
                pair = f"{self.names[row][i]} and {self.names[row][j] or self.names[row][1]}"
                found.append(f"{pair} collide: {-self.gap[row, column]:.1f} mm too close")
        return "; ".join(found)

    def _cut_words(self, row: int, finger: int, name: str) -> str:
        depth, before = self.cut[row, finger], self.before[row, finger]
        if before <= 0.5 * self.width:
            return f"{name}'s tip, {self.width:g} mm wide, does not fit: it cuts {depth:.1f} mm into the part"
        return f"{name} hits the part {before:.0f} mm before its contact while closing"
