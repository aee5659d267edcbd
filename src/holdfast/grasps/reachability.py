"""Reachability: clearance of the fingers to concave parts and to each other, fingertip against region, palm height.

Seen from above, a fingertip is a disc as wide as the fingertip that touches the part at its contact. The hand comes
down with its fingers open and closes them along their rays, so that each disc sweeps a capsule from its open position
to its contact. The flat pad of a parallel jaw is a row of small discs. A grasp is reachable when

- no capsule cuts into the part by more than an allowance (a contact lies on a straight region, which deviates from the
  true outline by up to half a millimetre, and the pad of a fingertip is soft);
- no two capsules meet, so that the order in which the fingers close does not matter;
- optionally, every fingertip lies on its region with its whole width;
- with the part's height given, the palm stays above the part: the palm and the upper links pass over the part, so that
  in the plane they collide with nothing, and only the distance of the fingertips below the palm is checked.

Points are in mm, in the frame of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..public_names import with_advice
from .contours import between_pieces

if TYPE_CHECKING:
    from .candidates import Candidates
    from .contours import Contour
    from .hands import GraspHand, HandPoses
    from .ranking import ScoredGrasps

#: Number of pairs of a finger and a corner of the outline treated together; more are divided into blocks.
BLOCK = 2_000_000


def cuts(outlines: Sequence[Array], tip: Array, way: Array, length: Array, radius: float) -> tuple[Array, Array]:
    """Depth of the deepest cut of capsules into outlines, and its distance along the path: (k,) and (k,).

    The capsules start at `tip` (k, 2) and run `length` (k,) along the unit vectors `way` (k, 2). Sides of an outline
    that lie beside, behind or beyond a capsule are excluded by their corners in its frame; for the others the
    distance to the axis is exact. A capsule that starts inside the part cuts by its radius and its depth there.
    """
    points = np.concatenate(outlines)
    after = _after(outlines)
    cut, along = np.zeros(len(tip)), np.zeros(len(tip))
    step = max(1, BLOCK // len(points))
    for first in range(0, len(tip), step):
        part = slice(first, min(first + step, len(tip)))
        x, y = _in_frame(points, tip[part], way[part])
        inside = _starts_inside(x, y, after)
        row, side = np.nonzero(_near(x, y, after, length[part], radius))
        a, b = (np.column_stack([x[row, end], y[row, end]]) for end in (side, after[side]))
        near, place = _nearest(a, b, length[part][row])
        _deepest(cut[part], along[part], row, np.maximum(radius - near, 0.0), place)
        for k in np.flatnonzero(inside):
            # Inside the part, the distance to the wall behind the tip is its depth plus its radius.
            whole = np.column_stack([x[k], y[k]])
            zero = np.zeros_like(whole)
            cut[first + k] = radius + between_pieces(whole, whole[after], zero, zero).min()
            along[first + k] = 0.0
    return cut, along


def _after(outlines: Sequence[Array]) -> IntArray:
    """(n,) number of the corner that follows each corner, outline by outline."""
    sizes = np.array([len(outline) for outline in outlines])
    first = np.cumsum(sizes) - sizes
    return np.concatenate([start + (np.arange(size) + 1) % size for start, size in zip(first, sizes, strict=True)])


def _in_frame(points: Array, tip: Array, way: Array) -> tuple[Array, Array]:
    """(k, n) positions of `points` (n, 2) along each path and left of it, relative to its tip."""
    across = np.column_stack([-way[:, 1], way[:, 0]])
    along, left = (turned @ points.T - np.einsum("kc,kc->k", turned, tip)[:, None] for turned in (way, across))
    return along, left


def _near(x: Array, y: Array, after: IntArray, length: Array, radius: float) -> BoolArray:
    """(k, n) sides that may be within `radius` of the axis of their capsule: not all beside, behind or beyond it."""
    kept = np.ones(x.shape, dtype=bool)
    for out in (y > radius, y < -radius, x < -radius, x > length[:, None] + radius):
        kept &= ~(out & out[:, after])
    return kept


def _nearest(a: Array, b: Array, length: Array) -> tuple[Array, Array]:
    """(p,) distance of each side from the axis of its capsule, and how far along the axis it is nearest."""
    zero = np.zeros_like(a)
    tip_end = np.column_stack([length, np.zeros(len(length))])
    near = between_pieces(a, b, zero, tip_end)
    drop = b[:, 1] - a[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(a[:, 1] * b[:, 1] < 0.0, -a[:, 1] / drop, np.abs(a[:, 1]) > np.abs(b[:, 1]))
    place = a[:, 0] + np.clip(share, 0.0, 1.0) * (b[:, 0] - a[:, 0])
    return near, np.clip(place, 0.0, length)


def _deepest(cut: Array, along: Array, row: IntArray, depth: Array, place: Array) -> None:
    """Store, for each capsule, its deepest cut and its place; of equal ones the first along the path."""
    order = np.lexsort((-place, -depth, row))
    kept = order[np.append(True, np.diff(row[order]) > 0)] if len(order) else order
    cut[row[kept]], along[row[kept]] = depth[kept], np.where(depth[kept] > 0.0, place[kept], 0.0)


def _starts_inside(x: Array, y: Array, after: IntArray) -> BoolArray:
    """(k,) whether the tip lies inside the outlines: its ray leaves them an odd number of times."""
    above = y > 0.0
    row, side = np.nonzero(above != above[:, after])
    end = after[side]
    x0, y0, x1, y1 = x[row, side], y[row, side], x[row, end], y[row, end]
    crossing = x0 - y0 * (x1 - x0) / (y1 - y0) > 0.0
    return np.bincount(row[crossing], minlength=len(x)) % 2 == 1


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
        overhang_mm: (g, 3) how far each fingertip stands out over the nearer end of its region [mm].
        headroom_mm: (g,) room between the fingers' joints and the part [mm]; NaN without a height or without links.
        tested: (g,) whether the grasp was tested; all of them unless `check_in_order` stopped before.
    """

    ok: BoolArray
    reason: tuple[str, ...]
    cut_mm: Array
    before_mm: Array
    gap_mm: Array
    overhang_mm: Array
    headroom_mm: Array
    tested: BoolArray = None  # pyright: ignore[reportAssignmentType]

    def __post_init__(self) -> None:
        if self.tested is None:
            object.__setattr__(self, "tested", np.ones(len(self.ok), dtype=bool))


#: Outlines are simplified within this tolerance [mm], far below the allowed depth of a fingertip, before the check.
SIMPLIFIED_MM = 0.02


def simplified(contour: Contour, within: float) -> list[Array]:
    """The outline and the holes (n, 2) with fewer corners, each within this distance [mm] of the original."""
    from shapely.geometry import LinearRing

    rings = (np.asarray(ring, dtype=np.float64) for ring in (contour.outer, *contour.holes))
    return [np.array(LinearRing(ring).simplify(within).coords)[:-1] for ring in rings]


def check(
    contour: Contour,
    candidates: Candidates,
    poses: HandPoses,
    hand: GraspHand,
    *,
    opening_mm: float | None = None,
    allowance_mm: float = ALLOWANCE_MM,
    whole_tip: bool = False,
    height_mm: float | None = None,
) -> Reachability:
    """Which grasps the hand can reach.

    Args:
        contour: the part; its holes count as free space.
        candidates: contacts, normals and regions of the grasps.
        poses: force directions and extensions of the hand for each of them.
        hand: width of its fingertips and how far they open.
        opening_mm: how far a finger opens beyond its contact before the hand comes down [mm]; None opens it fully.
        allowance_mm: how far a fingertip may cut into the outline [mm].
        whole_tip: whether the whole width of each fingertip must lie on its region.
        height_mm: height of the part above what it lies on [mm]; None leaves the palm's clearance out.
    """
    taken = np.flatnonzero(poses.reachable)  # grasps without a pose are not tested and keep their reason
    extensions = np.asarray(poses.extensions, dtype=np.float64)[taken]
    travel = np.maximum(hand.longest_extension - extensions, 0.0)
    if opening_mm is not None:
        travel = np.minimum(travel, checks.number("opening_mm", opening_mm, low=0.0, unit="mm"))
    found = check_fingers(
        simplified(contour, SIMPLIFIED_MM),
        candidates.contacts[taken],
        candidates.normals[taken],
        poses.forces[taken],
        travel,
        fingertip_width=hand.fingertip_width,
        jaws=hand.fingers == 2,
        pinch=candidates.pinch[taken],
        segments=candidates.segments[taken],
        allowance_mm=allowance_mm,
        whole_tip=whole_tip,
        headroom_mm=None if height_mm is None else palm_headroom(extensions, hand, height_mm),
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
    fresh = {"cut_mm": nan, "before_mm": nan.copy(), "gap_mm": nan.copy(), "overhang_mm": nan.copy()}
    columns = {"ok": np.zeros(count, dtype=bool), **fresh, "headroom_mm": nan[:, 0].copy()}
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
    arrays = ("cut_mm", "before_mm", "gap_mm", "overhang_mm", "headroom_mm")
    return Reachability(ok, tuple(said), **{name: spread(getattr(found, name)) for name in arrays})


@with_advice()
def check_fingers(
    outlines: Sequence[Array],
    contacts: ArrayLike,
    normals: ArrayLike,
    forces: ArrayLike,
    travel: ArrayLike,
    *,
    fingertip_width: float,
    jaws: bool = False,
    pinch: ArrayLike | None = None,
    segments: ArrayLike | None = None,
    allowance_mm: float = ALLOWANCE_MM,
    whole_tip: bool = False,
    headroom_mm: ArrayLike | None = None,
) -> Reachability:
    """The same for plain arrays.

    Args:
        outlines: the outline and the holes of the part, closed polygons (n, 2) [mm].
        contacts: (g, 3, 2) [mm].
        normals: (g, 3, 2) unit normals into the part.
        forces: (g, 3, 2) unit directions in which the fingers push; they come from the opposite side.
        travel: (g, 3) how far each finger opens beyond its contact [mm].
        fingertip_width: diameter of the fingertips, or width of the pads of jaws [mm].
        jaws: whether contacts 2 and 3 are the ends of one flat pad that faces the thumb's.
        pinch: (g,) whether contacts 2 and 3 are the ends of the patch under one fingertip, the other one's being
            contact 1; none when not given.
        segments: (g, 3, 2, 2) ends of the regions [mm]; None leaves the overhang out.
        allowance_mm: how far a fingertip may cut into the outline [mm].
        whole_tip: whether the whole width of each fingertip must lie on its region.
        headroom_mm: (g,) room between palm and part [mm]; a grasp with a negative value is not reachable.
    """
    width = checks.positive("fingertip_width", fingertip_width, unit="mm")
    allowance = checks.number("allowance_mm", allowance_mm, low=0.0, unit="mm")
    points, inwards = np.asarray(contacts, dtype=np.float64), np.asarray(normals, dtype=np.float64)
    way, length = -np.asarray(forces, dtype=np.float64), np.asarray(travel, dtype=np.float64)
    count = len(points)
    if jaws:
        middle = 0.5 * (points[:, 1] + points[:, 2])
        points = np.stack([points[:, 0], middle, middle], axis=1)
        cut, before = _pad_cuts(outlines, points, way, length, width)
        gap = np.full((count, 3), np.inf)
        names = [JAWS] * count
    else:
        pinched = np.zeros(count, dtype=bool) if pinch is None else np.asarray(pinch, dtype=bool)
        middle = np.stack([points[:, 0], *2 * [0.5 * (points[:, 1] + points[:, 2])]], axis=1)
        points = np.where(pinched[:, None, None], middle, points)
        names = [PINCHING if flag else FINGERS for flag in pinched]
        tip = points - 0.5 * width * inwards  # the centre of the disc that touches at the contact
        cut, before = cuts(outlines, tip.reshape(-1, 2), way.reshape(-1, 2), length.ravel(), 0.5 * width)
        cut, before = cut.reshape(count, 3), before.reshape(count, 3)
        gap = _gaps(points, tip, tip + length[..., None] * way, width)
    overhang = np.zeros((count, 3)) if segments is None else _overhangs(points, np.asarray(segments), width)
    headroom = np.full(count, np.nan) if headroom_mm is None else np.asarray(headroom_mm, dtype=np.float64)
    over = overhang if whole_tip else np.zeros((count, 3))
    faults = _Faults(names, width, allowance, cut, before, gap, over, headroom)
    reasons = tuple(faults.words(row) for row in range(count))
    return Reachability(
        ok=np.array([not reason for reason in reasons], dtype=bool),
        reason=reasons,
        cut_mm=cut,
        before_mm=before,
        gap_mm=gap,
        overhang_mm=overhang,
        headroom_mm=headroom,
    )


@with_advice()
def palm_headroom(extensions: ArrayLike, hand: GraspHand, height_mm: float) -> Array:
    """(g,) room between the joints of the fingers and a part of that height on the table the fingertips touch [mm].

    The palm is as far above the table as the fingertip that reaches least far down. NaN, which excludes nothing, for a
    hand without data about its links.
    """
    from .hands import fingertip_drop

    height = checks.positive("height_mm", height_mm, unit="mm")
    return np.min(fingertip_drop(np.asarray(extensions, dtype=np.float64), hand), axis=-1) - height


def _pad_cuts(outlines: Sequence[Array], points: Array, way: Array, length: Array, width: float) -> tuple[Array, Array]:
    """(g, 3) deepest cut of flat pads, each a row of discs across its way, and how far before the contact it lies."""
    radius = width / (PAD_DISCS + 1)
    across = np.stack([-way[..., 1], way[..., 0]], axis=-1)[:, :, None]  # (g, 3, 1, 2)
    offset = np.linspace(radius - 0.5 * width, 0.5 * width - radius, PAD_DISCS)[:, None]
    tips = (points + radius * way)[:, :, None] + offset * across  # (g, 3, discs, 2)
    ways, lengths = np.broadcast_to(way[:, :, None], tips.shape), np.broadcast_to(length[..., None], tips.shape[:3])
    cut, before = cuts(outlines, tips.reshape(-1, 2), ways.reshape(-1, 2), lengths.ravel(), radius)
    cut, before = cut.reshape(tips.shape[:3]), before.reshape(tips.shape[:3])
    worst = cut.argmax(axis=2)[..., None]
    return np.take_along_axis(cut, worst, 2)[..., 0], np.take_along_axis(before, worst, 2)[..., 0]


def _gaps(points: Array, tip: Array, end: Array, width: float) -> Array:
    """(g, 3) gap between the paths of each pair of fingers; infinite for two that are the same finger."""
    found = np.empty((len(tip), 3))
    for column, (i, j) in enumerate(PAIRS):
        apart = between_pieces(tip[:, i], end[:, i], tip[:, j], end[:, j]) - width
        found[:, column] = np.where((points[:, i] == points[:, j]).all(axis=-1), np.inf, apart)
    return found


def _overhangs(points: Array, segments: Array, width: float) -> Array:
    """(g, 3) how far a tip stands out over the nearer end of its region."""
    along = segments[..., 1, :] - segments[..., 0, :]
    unit = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    ends = [np.abs(((points - segments[..., k, :]) * unit).sum(axis=-1)) for k in (0, 1)]
    return np.maximum(0.5 * width - np.minimum(*ends), 0.0)


@dataclass(frozen=True, eq=False)
class _Faults:
    """Obstacles, for messages."""

    names: Sequence[tuple[str, ...]]
    width: float
    allowance: float
    cut: Array
    before: Array
    gap: Array
    overhang: Array
    headroom: Array

    def words(self, row: int) -> str:
        """All obstacles of one grasp as text; "" without any."""
        found = []
        for finger, name in enumerate(self.names[row]):
            if not name:
                continue
            if self.cut[row, finger] > self.allowance:
                found.append(self._cut_words(row, finger, name))
            if self.overhang[row, finger] > 0.0:
                over = self.overhang[row, finger]
                found.append(f"{name}'s tip, {self.width:g} mm wide, extends {over:.1f} mm beyond its region")
        for column, (i, j) in enumerate(PAIRS):
            if self.gap[row, column] < 0.0:
                pair = f"{self.names[row][i]} and {self.names[row][j] or self.names[row][1]}"
                found.append(f"{pair} collide: {-self.gap[row, column]:.1f} mm too close")
        if self.headroom[row] < 0.0:
            found.append(f"the palm touches the part: {-self.headroom[row]:.1f} mm too low")
        return "; ".join(found)

    def _cut_words(self, row: int, finger: int, name: str) -> str:
        depth, before = self.cut[row, finger], self.before[row, finger]
        if before <= 0.5 * self.width:
            return f"{name}'s tip, {self.width:g} mm wide, does not fit: it cuts {depth:.1f} mm into the part"
        return f"{name} hits the part {before:.0f} mm before its contact while closing"
