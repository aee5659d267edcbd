"""Boundaries of two-level pictures: the staircase of a mask's pixels is replaced by a smooth line.

A picture of two levels only shows on which side of a border each pixel centre lies. Its level lines follow the
stairs: up to half a pixel off, over as many pixels as a stair is long, which no blur of a few pixels removes. The
border is searched between the pixel centres instead: points on the straight lines from centre to centre are moved
by smoothing along the border, but never past a centre. Corners divide the border, so that none is rounded: places
where two straight lines fit the stairs better than a parabola does.

skimage.measure.find_contours returns the stairs themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..checks import Array, BoolArray, IntArray

#: Points of a border as row + i column [px].
Points = NDArray[np.complex128]

#: A border is that of a two-level picture if this fraction of its pixel pairs, inside and outside, differ by at least
#: this fraction of the contrast. Smooth edges have pixels in between on most of the border.
SHARP_SHARE = 0.8
SHARP_STEP = 0.75

#: Standard deviation [points, about 1 px apart] of the smoothing along the border, and how often it is done: chosen
#: by the distance and the curvature error of traced discs, trefoils and rectangles of 12 to 160 px.
SMOOTHING = 3.0
ROUNDS = 10

#: Points keep this distance [px] from the pixel centres, so that no two of them coincide.
CENTRE_GAP = 0.02

#: A corner turns by more than this [rad] within this many points to either side. Discs with a radius below 9 px are
#: corners all around and are not changed.
CORNER_TURN = 0.7
CORNER_POINTS = 6

#: Borders of which more than this fraction turns so much cannot be distinguished from pixel steps.
MOST_BENT = 0.5

#: Number of points to either side for the direction of a border, and for its smoothing before the search for corners.
ALONG, EVENED = 3, 2

#: Number of points to either side of a corner that are not moved, and the smallest number of points that are smoothed.
BESIDE_CORNER = 3
FEWEST_POINTS = 8

#: Two lines are fitted over this many points to either side. A corner is a change of direction larger than this [rad]
#: with a residual [px, rms] of at most this which is smaller than that of a parabola by at least this, in px and as a
#: ratio. Discs, ellipses and trefoils stay beyond 0.06 px and 0.72; polygons of up to 16 sides do not.
ARM = 16
LEAST_TURN = 0.28
MOST_RESIDUAL = 0.35
LEAST_GAIN = 0.09
MOST_SHARE = 0.68

#: Largest displacement [px] of points onto the lines that meet in a corner, and of the point where they meet; larger
#: ones would contradict the pixels.
MOST_MOVED = 0.9
MOST_CUT_OFF = 1.5


def two_level(grey: Array, mask: BoolArray, contrast: float) -> bool:
    """Whether the grey values (h, w) jump between two levels, `contrast` apart, all along the border of the mask."""
    steps = []
    for axis in (0, 1):
        first = (slice(None, -1), slice(None)) if axis == 0 else (slice(None), slice(None, -1))
        second = (slice(1, None), slice(None)) if axis == 0 else (slice(None), slice(1, None))
        row, column = np.nonzero(mask[first] != mask[second])
        after = (row + 1, column) if axis == 0 else (row, column + 1)
        steps.append(np.abs(grey[row, column] - grey[after]))
    return bool((np.concatenate(steps) >= SHARP_STEP * contrast).mean() >= SHARP_SHARE)


def settled(ring: Array) -> Array:
    """A ring (n, 2) of rows and columns [px] traced in a two-level picture, smoothed between the pixel centres.

    Every point of the ring lies on a line between two neighbouring pixel centres. The lines that cross the border at
    the steepest angle are kept. The enclosed area does not change; a ring that would cross itself is not changed.
    """
    from .contours import first_crossing

    kept, upright = _across(ring)
    if len(kept) < 4 * CORNER_POINTS:
        return ring
    corners, bent = _corners(kept)
    if bent > MOST_BENT:
        return ring
    kept, corners = _straightened(kept, corners)
    if len(corners) == 0:
        moved = _smoothed(kept, upright, closed=True)
    else:
        moved = np.roll(kept, -int(corners[0]))
        upright = np.roll(upright, -int(corners[0]))
        ends = np.append(corners - corners[0], len(kept))
        for start, end in zip(ends[:-1] + BESIDE_CORNER, ends[1:] - BESIDE_CORNER + 1, strict=True):
            if end - start >= FEWEST_POINTS:
                moved[start:end] = _smoothed(moved[start:end], upright[start:end], closed=False)
    tangent = np.roll(moved, -2) - np.roll(moved, 2)
    outward = -1j * tangent / np.maximum(np.abs(tangent), np.finfo(np.float64).tiny)
    lost = _area(ring[:, 0] + 1j * ring[:, 1]) - _area(moved)
    moved = moved + outward * (lost / np.abs(np.roll(moved, -1) - moved).sum())
    result = np.column_stack([moved.real, moved.imag])
    return ring if first_crossing((result,)) is not None else result


def _area(points: Points) -> float:
    """Signed area of a ring of complex points."""
    return float((np.conj(points) * np.roll(points, -1)).imag.sum()) / 2.0


def _across(ring: Array) -> tuple[Points, BoolArray]:
    """The points, complex, on the lines that cross the border most steeply, and which of these lines are vertical."""
    upright = np.argmax(np.abs(ring - np.round(ring)), axis=1) == 0
    along = np.abs(np.roll(ring, -ALONG, axis=0) - np.roll(ring, ALONG, axis=0))
    chosen = np.where(upright, along[:, 1] >= along[:, 0], along[:, 0] >= along[:, 1])
    return ring[chosen, 0] + 1j * ring[chosen, 1], upright[chosen]


def _corners(points: Points) -> tuple[IntArray, float]:
    """Corners of the ring of complex points, and the fraction of points that bend as sharply."""
    span = 2 * EVENED + 1
    even = np.convolve(np.pad(points, EVENED, mode="wrap"), np.full(span, 1.0 / span), "valid")
    ahead, behind = np.roll(even, -CORNER_POINTS) - even, even - np.roll(even, CORNER_POINTS)
    turn = np.abs(np.angle(ahead * np.conj(behind)))
    peak = turn > CORNER_TURN
    share = float(peak.mean())
    for k in range(1, CORNER_POINTS + 1):
        # the first of equal neighbours is the peak
        peak &= (turn > np.roll(turn, k)) & (turn >= np.roll(turn, -k))
    return np.flatnonzero(peak), share


def _straightened(points: Points, corners: IntArray) -> tuple[Points, IntArray]:
    """The points with sharp corners where two lines meet, and all corners, these and those known before.

    The point nearest to where the lines meet is moved there, its neighbours up to `BESIDE_CORNER` onto the lines.
    """
    count, result = len(points), points.copy()
    sharp = []
    for at in _hinges(points):
        before, after = (_line(points[(at + side * np.arange(BESIDE_CORNER, ARM + 1)) % count]) for side in (-1, 1))
        (p, u), (q, v) = before, after
        tip = p + u * (((q - p) * np.conj(v)).imag / (u * np.conj(v)).imag)
        near = (at + np.arange(-BESIDE_CORNER, BESIDE_CORNER + 1)) % count
        middle = int(near[np.argmin(np.abs(points[near] - tip))])
        beside = [(middle + side * np.arange(1, BESIDE_CORNER + 1)) % count for side in (-1, 1)]
        placed = [_onto(points[some], line) for some, line in zip(beside, (before, after), strict=True)]
        moved = np.abs(np.concatenate(placed) - points[np.concatenate(beside)]).max()
        if moved <= MOST_MOVED and abs(tip - points[middle]) <= MOST_CUT_OFF:
            sharp.append(middle)
            result[middle] = tip
            result[np.concatenate(beside)] = np.concatenate(placed)
    gap = np.abs(corners[:, None] - np.array(sharp, dtype=np.int64))
    blunt = corners[(np.minimum(gap, count - gap) > ARM // 2).all(axis=1)]
    return result, np.unique(np.concatenate([blunt, np.array(sharp, dtype=np.int64)]))


def _hinges(points: Points) -> IntArray:
    """Where the ring of complex points follows two lines rather than a parabola over `ARM` points to either side."""
    count = len(points)
    if count < 2 * ARM + 1:
        return np.empty(0, dtype=np.int64)
    place = np.arange(-ARM, ARM + 1) / ARM
    stretches = np.lib.stride_tricks.sliding_window_view(np.pad(points, ARM, mode="wrap"), 2 * ARM + 1)
    chord = stretches[:, -1] - stretches[:, 0]
    chord = chord / np.maximum(np.abs(chord), np.finfo(np.float64).tiny)
    residuals, turn = [], np.zeros(count)
    for bend in (place**2, np.abs(place)):
        model = np.column_stack([np.ones_like(place), place, bend])
        fitted = stretches @ np.linalg.pinv(model).T
        off = ((stretches - fitted @ model.T) * np.conj(chord)[:, None]).imag
        residuals.append(np.sqrt((off**2).mean(axis=1)))
        turn = np.abs(np.angle((fitted[:, 1] + fitted[:, 2]) * np.conj(fitted[:, 1] - fitted[:, 2])))
    curved, hinged = residuals
    gain = curved - hinged
    found = (turn > LEAST_TURN) & (hinged <= MOST_RESIDUAL) & (gain > LEAST_GAIN) & (hinged < MOST_SHARE * curved)
    gain = np.where(found, gain, 0.0)
    for k in range(1, ARM // 2 + 1):
        found &= (gain > np.roll(gain, k)) & (gain >= np.roll(gain, -k))
    return np.flatnonzero(found)


def _line(points: Points) -> tuple[complex, complex]:
    """Mean and direction, along the points, of the line nearest to them."""
    middle = points.mean()
    away = points - middle
    along = np.exp(0.5j * np.angle((away**2).sum()))
    return complex(middle), complex(along)


def _onto(points: Points, line: tuple[complex, complex]) -> Points:
    """The projections of the points onto a line."""
    origin, along = line
    return origin + along * ((points - origin) * np.conj(along)).real


def _weights() -> Array:
    """2 G - G * G, a smoothing that does not move parabolas, and so gentle bends."""
    reach = int(np.ceil(4.0 * SMOOTHING))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / SMOOTHING) ** 2)
    bell /= bell.sum()
    twice = -np.convolve(bell, bell)
    twice[reach : 3 * reach + 1] += 2.0 * bell
    return twice


def _smoothed(points: Points, upright: BoolArray, *, closed: bool) -> Points:
    """Complex points smoothed along their line, each between its two pixel centres; ends of open lines are fixed."""
    weights = _weights()
    reach = len(weights) // 2
    low = np.floor(np.where(upright, points.real, points.imag))
    for _ in range(ROUNDS):
        if closed:
            wide = np.pad(points, reach, mode="wrap")
        else:
            wide = np.pad(points, reach, mode="reflect", reflect_type="odd")
        smooth = np.convolve(wide, weights, "valid")
        at = np.clip(np.where(upright, smooth.real, smooth.imag), low + CENTRE_GAP, low + 1.0 - CENTRE_GAP)
        points = np.where(upright, at + 1j * points.imag, points.real + 1j * at)
    return points
