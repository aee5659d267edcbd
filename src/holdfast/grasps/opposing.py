"""Two opposing contacts of finite width: the pads of a parallel jaw, and pinches with fingers 2 and 3 of a hand.

A pad is flat and touches a side of the part over a patch: as far as the contour stays within the tolerance of straight
regions, and no wider than the pad. The patch under the second pad gives two contacts at its ends, so that the ten
criteria apply; the first pad touches in the middle. Two searches find such grasps.

- Pairs of facing straight regions or windows, also shorter than the pad (`pad_pairs`). They find limbs and inner sides.
- A sweep (`swept_pads`): two pads close on the whole part along a direction, at every position across it. Each stops
where
  it first touches the part, so that tips, corners and wavy sides can carry it too. Its normal is that of the pad.

If a patch can move along its sides, the position nearer to the centroid is preferred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array, BoolArray, IntArray
from .candidates import CONTACT_INSET, Candidates, three_contacts
from .regions import LEFT_OUT_SIGMAS, MM_PER_CM

if TYPE_CHECKING:
    from .contours import SmoothContour
    from .hands import GraspHand
    from .ranking import GraspParams, ObjectShape
    from .regions import GraspRegions

#: Two facing sides carry pads when they overlap by at least this much [mm] across the closing direction.
LEAST_OVERLAP = 2.0

#: Smallest length of regions for pads [mm]; a fingertip of three needs longer ones.
SHORTEST_UNDER_PADS = 4.0

#: Fraction of its width over which a rounded fingertip touches; a pad of a jaw touches over its whole width.
TIP_SHARE = 0.5

#: Number of the most promising pairs of regions that are solved.
MOST_PAIRS = 256

#: Width [mm] of the strips in which the outermost points of the part are kept while pads are swept.
STRIP = 1.0

#: Number of directions in which pads are swept for any part, evenly spaced over half a turn.
EVEN_DIRECTIONS = 18

#: Directions that differ by less than this [rad] count as one.
SAME_DIRECTION = np.radians(0.7)

#: Points of the contour with at most this distance [mm] across the direction leave no gap between them.
CLOSE = 1.5

#: Most moves of pads over a hollow.
SETTLING = 4

#: Edges of the convex hull with at least this fraction of the longest extent give a direction.
HULL_EDGE = 0.05


def pad_halves(hand: GraspHand) -> tuple[float, float] | None:
    """Half the width of a pad and half that of its widest patch [mm]; None for a hand without opposing contacts."""
    if hand.fingers == 2:
        return hand.pivot_offset, hand.pivot_offset
    if hand.pinch:
        return 0.5 * hand.fingertip_width, 0.5 * TIP_SHARE * hand.fingertip_width
    return None


def pad_pairs(
    pool: GraspRegions, hand: GraspHand, shape: ObjectShape, params: GraspParams, chosen: IntArray | None = None
) -> Candidates:
    """Grasps of two facing regions by pads: pad 1 on region A, the patch of pad 2 on region B.

    Regions are antiparallel within arctan(mu) and overlap across h = normalised(N_A - N_B). The pads are as close to
    the centroid as their regions allow, with lambda to the ends if these are long enough.

    Args:
        pool: the regions.
        hand: width of its pads or fingertips.
        shape: centroid, area and axes of the part.
        params: friction mu, margin lambda [mm] and weight W.
        chosen: (p, 2) pairs A, B to try; all by default.
    """
    halves = pad_halves(hand)
    assert halves is not None
    _, widest = halves
    pairs = np.argwhere(~np.eye(len(pool), dtype=bool)) if chosen is None else np.asarray(chosen).reshape(-1, 2)
    normals, segments = pool.normals, pool.segments
    pairs = pairs[-(normals[pairs[:, 0]] * normals[pairs[:, 1]]).sum(axis=1) >= np.cos(np.arctan(params.mu))]
    axis = normals[pairs[:, 0]] - normals[pairs[:, 1]]
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    side = np.stack([axis[:, 1], -axis[:, 0]], axis=1)
    across = np.sort(np.einsum("pekc,pc->pek", segments[pairs], side), axis=2)  # (p, 2, 2): A and B, low and high
    low, high = across[..., 0].max(axis=1), across[..., 1].min(axis=1)
    apart = ((segments[pairs[:, 1]].mean(axis=1) - segments[pairs[:, 0]].mean(axis=1)) * axis).sum(axis=1)
    kept = (high - low >= LEAST_OVERLAP) & (apart > 0.0)
    pairs, axis, side, across, low, high = (part[kept] for part in (pairs, axis, side, across, low, high))
    room = (high - low) / 2.0
    inset = np.minimum(max(params.lambda_mm, CONTACT_INSET), room / 2.0)
    kept = np.minimum(room, widest + inset)  # from the ends of what both sides have in common
    at = np.clip(side @ shape.centroid_mm, low + kept, high - kept)
    half = np.minimum(widest, np.minimum(at - across[:, 1, 0], across[:, 1, 1] - at) - inset)
    index = pairs[:, [0, 1, 1]]
    wanted = at[:, None] + half[:, None] * np.array([0.0, -1.0, 1.0])
    start, along = segments[index][:, :, 0], segments[index][:, :, 1] - segments[index][:, :, 0]
    share = (wanted - (start * side[:, None]).sum(axis=2)) / (along * side[:, None]).sum(axis=2)
    contacts = start + share[..., None] * along
    promise = _promise(half, ((contacts[:, 1] - contacts[:, 0]) * axis).sum(axis=1), at, side, shape, params)
    rows = np.argsort(promise, kind="stable")[:MOST_PAIRS]
    index, contacts, half = index[rows], contacts[rows], half[rows]
    kept = three_contacts(contacts, normals[index], params.mu) & (half > 0.0)
    kept &= ((contacts[:, 1:].mean(axis=1) - contacts[:, 0]) * axis[rows]).sum(axis=1) > 0.0
    index = index[kept]
    return _pads(hand, contacts[kept], normals[index], segments[index], index, pool.curvature[index], half[kept])


def _promise(half: Array, gap: Array, at: Array, side: Array, shape: ObjectShape, params: GraspParams) -> Array:
    """Preference of pads before poses are solved: S2, and C5 by the distance of the axis from the centroid."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = params.W * shape.area_mm2 / (4.0 * half * gap)
    away = 4.0 * params.W * np.abs(at - side @ shape.centroid_mm) / (shape.major_axis_mm + shape.minor_axis_mm)
    return np.where((half > 0.0) & (gap > 0.0), size + away, np.inf)


def swept_pads(
    smooth: SmoothContour,
    regions: GraspRegions,
    hand: GraspHand,
    shape: ObjectShape,
    params: GraspParams,
    deviation: float = 0.5,
    cut: float = 0.2,
) -> Candidates:
    """Grasps of the whole part by pads that close on it from outside: the most promising place for each direction.

    Args:
        smooth: the smoothed outer ring.
        regions: its straight regions, whose normals are tried as directions.
        hand: width and reach of its pads or fingertips.
        shape: centroid, area and axes of the part.
        params: friction mu, margin lambda [mm] and weight W.
        deviation: a patch follows the contour within this distance [mm], as a region does.
        cut: largest curvature [1/mm] that counts; a corner has more.
    """
    halves = pad_halves(hand)
    assert halves is not None
    pad, widest = halves
    least, most = 2.0 * (np.array([hand.closest_extension, hand.longest_extension]))
    if hand.fingers == 3:
        least, most = least + 2.0 * hand.pivot_offset, most + 2.0 * hand.pivot_offset
    found = []
    for axis in _directions(smooth, regions):
        side = np.array([axis[1], -axis[0]])
        x, y = smooth.points @ side, smooth.points @ axis
        place = _best_place(x, y, side, (pad, widest, 2.0 * deviation), (least, most), shape, params)
        if place is None:
            continue
        found += [_placed(smooth, sign * axis, sign * place, halves, (deviation, cut), params) for sign in (1.0, -1.0)]
    kept = [grasp for grasp in found if grasp is not None]
    shapes = ((3, 2), (3, 2), (3, 2, 2), (3,), ())
    contacts, normals, segments, curvature, half = (
        np.array([grasp[k] for grasp in kept], dtype=np.float64).reshape(-1, *core) for k, core in enumerate(shapes)
    )
    closed = three_contacts(contacts, normals, params.mu) if len(kept) else np.zeros(0, dtype=bool)
    index = np.full((int(closed.sum()), 3), -1)
    return _pads(hand, contacts[closed], normals[closed], segments[closed], index, curvature[closed], half[closed])


def _directions(smooth: SmoothContour, regions: GraspRegions) -> Array:
    """(d, 2) closing directions: normals of regions and of long edges of the hull, and some evenly spaced ones."""
    from scipy.spatial import ConvexHull

    hull = smooth.points[ConvexHull(smooth.points).vertices]
    edges = np.roll(hull, -1, axis=0) - hull
    long = np.linalg.norm(edges, axis=1) >= HULL_EDGE * float(np.ptp(hull, axis=0).max())
    even = np.arange(EVEN_DIRECTIONS) * np.pi / EVEN_DIRECTIONS
    given = np.concatenate([np.stack([-edges[long, 1], edges[long, 0]], axis=1), regions.normals])
    angles = np.concatenate([np.arctan2(given[:, 1], given[:, 0]), even])
    chosen: list[float] = []
    for angle in np.mod(angles, np.pi):
        off = np.abs(np.array(chosen) - angle) if chosen else np.array([np.pi / 2.0])
        if np.minimum(off, np.pi - off).min() >= SAME_DIRECTION:
            chosen.append(float(angle))
    return np.stack([np.cos(chosen), np.sin(chosen)], axis=1)


def _best_place(
    x: Array,
    y: Array,
    side: Array,
    widths: tuple[float, float, float],
    gaps: tuple[float, float],
    shape: ObjectShape,
    params: GraspParams,
) -> float | None:
    """Position [mm] across the direction with the most promising pads; None where they cannot hold the part.

    `widths` are half the pad, half the widest patch and the depth of a patch; `gaps` the smallest and the largest
    opening.
    """
    pad, widest, depth = widths
    strips = np.floor((x - x.min()) / STRIP).astype(np.int64)
    count, reach = int(strips.max()) + 1, max(round(pad / STRIP), 1)
    top = np.full(count + 2 * reach, -np.inf)
    bottom = top.copy()
    np.maximum.at(top, strips + reach, y)
    np.maximum.at(bottom, strips + reach, -y)
    lows, highs, faces = [], [], []
    for outer in (top, bottom):
        seen = np.lib.stride_tricks.sliding_window_view(outer, 2 * reach + 1)
        face = seen.max(axis=1)
        touching = seen >= face[:, None] - depth
        lows.append(touching.argmax(axis=1) - reach - 0.5)
        highs.append(reach + 0.5 - touching[:, ::-1].argmax(axis=1))
        faces.append(face)
    low, high = np.maximum(*lows) * STRIP, np.minimum(*highs) * STRIP
    at = x.min() + (np.arange(count) + 0.5) * STRIP + (low + high) / 2.0
    gap = faces[0] + faces[1]
    half = np.minimum(widest, (high - low) / 2.0)
    promise = _promise(half, gap, at, side, shape, params)
    promise[(gap < gaps[0]) | (gap > gaps[1])] = np.inf
    best = int(promise.argmin())
    return float(at[best]) if np.isfinite(promise[best]) else None


def _placed(
    smooth: SmoothContour,
    axis: Array,
    place: float,
    halves: tuple[float, float],
    limits: tuple[float, float],
    params: GraspParams,
) -> tuple[Array, Array, Array, Array, float] | None:
    """Contacts, normals, regions, curvature and half width of one grasp, pad 1 from below; None without one.

    A patch may bridge a hollow: the contacts are its points nearest to the wanted places.
    """
    (pad, widest), (deviation, cut) = halves, limits
    side = np.array([axis[1], -axis[0]])
    x, y = smooth.points @ side, smooth.points @ axis
    for _ in range(SETTLING):
        under = np.abs(x - place) <= pad
        if not under.any():
            return None
        below, above = float(y[under].min()), float(y[under].max())
        first, second = under & (y <= below + 2.0 * deviation), under & (y >= above - 2.0 * deviation)
        at = _nearest(x[first], place)
        if at == place:
            break
        place = at  # pad 1 is over a hollow: both pads move to a tip beside it
    else:
        return None
    low, high = below + deviation, above - deviation
    (a0, a1), (b0, b1) = ((float(x[own].min()), float(x[own].max())) for own in (first, second))
    room = min(at - b0, b1 - at)
    half = min(widest, room - min(max(params.lambda_mm, CONTACT_INSET), room / 2.0))
    if not (a0 < at < a1 and half > 0.0 and high > low):
        return None
    left, right = (_nearest(x[second], at + sign * half) for sign in (-1.0, 1.0))
    if not left < at < right or right - left > 2.0 * widest:
        return None
    plane = np.stack([side, axis])  # rows: across, along
    lower, upper = np.array([[a0, low], [a1, low]]) @ plane, np.array([[b1, high], [b0, high]]) @ plane
    contacts = np.array([[at, low], [left, high], [right, high]]) @ plane
    bends = [_bend(smooth, x, own, cut) for own in (first, second, second)]
    normals, regions = np.array([axis, -axis, -axis]), np.array([lower, upper, upper])
    return contacts, normals, regions, np.array(bends), (right - left) / 2.0


def _bend(smooth: SmoothContour, x: Array, own: BoolArray, cut: float) -> float:
    """Mean curvature [1/cm] of a patch, without 2 sigma of the smoothing at both ends if it is wide enough.

    Beyond `cut` [1/mm] it is a corner, whose curvature is an effect of the smoothing: it counts as `cut`.
    """
    bends, trim = np.clip(smooth.curvature, -cut, cut), LEFT_OUT_SIGMAS * smooth.sigma
    inner = own & (x >= x[own].min() + trim) & (x <= x[own].max() - trim)
    return MM_PER_CM * float(bends[inner if inner.any() else own].mean())


def _nearest(places: Array, wanted: float) -> float:
    """The place nearest to the wanted one, or the wanted one if places are dense around it."""
    off = places - wanted
    before, after = off[off <= 0.0].max(initial=-np.inf), off[off >= 0.0].min(initial=np.inf)
    if after - before <= CLOSE:
        return wanted
    return wanted + float(before if -before < after else after)


def _pads(
    hand: GraspHand, contacts: Array, normals: Array, segments: Array, index: IntArray, curvature: Array, half: Array
) -> Candidates:
    count = len(contacts)
    return Candidates(
        contacts=contacts,
        normals=normals,
        segments=segments,
        region_index=index,
        curvature=curvature,
        focus=(contacts[:, 0] + contacts[:, 1:].mean(axis=1)) / 2.0,
        virtual=np.ones(count, dtype=bool),
        triplet=np.arange(count),
        zones=(None,) * count,
        pinch=np.full(count, hand.fingers == 3),
        half_width=half,
    )


#: A grasp whose contacts all lie within this distance [mm] of those of a better one is the same grasp.
SAME_GRASP = 4.0

#: Number of the best swept grasps that are kept.
MOST_SWEPT = 16


def distinct(contacts: Array, merit: Array, others: Array) -> IntArray:
    """Rows of (g, 3, 2) contacts, the best merit first, that differ from each other and from (o, 3, 2) `others`."""
    every = np.concatenate([others, contacts])
    off = np.sqrt(((contacts[:, None] - every) ** 2).sum(axis=3).max(axis=2))  # (g, o + g)
    taken = np.concatenate([np.ones(len(others), dtype=bool), np.zeros(len(contacts), dtype=bool)])
    chosen = []
    for row in np.argsort(merit, kind="stable"):
        if len(chosen) >= MOST_SWEPT or not np.isfinite(merit[row]):
            break
        if not (taken & (off[row] <= SAME_GRASP)).any():
            taken[len(others) + row] = True
            chosen.append(int(row))
    return np.array(chosen, dtype=np.int64)
