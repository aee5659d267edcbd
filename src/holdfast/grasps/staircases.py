"""Borders of two-level pictures: the staircase of a mask's pixels, settled to the line that it was drawn from.

A picture of two levels tells of a border only which pixel centres lie on which side. Its level lines follow the
stairs: up to half a pixel off, over as many pixels as a stair is long, which no blur of a few pixels takes away. The
border is looked for between the pixel centres instead: points on the straight lines from centre to centre are moved
by smoothing along the border, but never past a centre. Corners part the border, so that none is rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..checks import Array, BoolArray, IntArray

#: Points of a border as row + i column [px].
Points = NDArray[np.complex128]

#: A border is that of a two-level picture when this share of its pixel pairs, inside and outside, differ by at least
#: this share of the contrast. Smooth edges have pixels in between on most of the border.
SHARP_SHARE = 0.8
SHARP_STEP = 0.75

#: Standard deviation [points, about 1 px apart] of the smoothing along the border, and how often it is done: chosen
#: by the distance and the curvature error of traced discs, trefoils and rectangles of 12 to 160 px.
SMOOTHING = 3.0
ROUNDS = 10

#: Points keep this distance [px] from the pixel centres, so that no two of them fall together.
CENTRE_GAP = 0.02

#: A corner turns by more than this [rad] within this many points to either side; discs below 9 px radius are corners
#: all around, and stay as they are.
CORNER_TURN = 0.7
CORNER_POINTS = 6

#: Points to either side of a corner that stay where they are, and the least number of points worth settling.
BESIDE_CORNER = 3
FEWEST_POINTS = 8


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
    """A ring (n, 2) of rows and columns [px] traced in a two-level picture, settled between the pixel centres.

    Every point of the ring lies on a line between two neighbouring pixel centres. Those that cross the border least
    aslant are kept. The area that the ring encloses stays what it was; a ring that would cross itself stays as it is.
    """
    from ..solvers.grasps.contour_crossings import first_crossing

    kept, upright = _across(ring)
    if len(kept) < 4 * CORNER_POINTS:
        return ring
    corners, bent = _corners(kept)
    if bent > 0.5:
        return ring
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
    """The points, complex, whose lines between pixel centres cross the border least aslant, and which run upright."""
    upright = np.argmax(np.abs(ring - np.round(ring)), axis=1) == 0
    along = np.abs(np.roll(ring, -3, axis=0) - np.roll(ring, 3, axis=0))
    chosen = np.where(upright, along[:, 1] >= along[:, 0], along[:, 0] >= along[:, 1])
    return ring[chosen, 0] + 1j * ring[chosen, 1], upright[chosen]


def _corners(points: Points) -> tuple[IntArray, float]:
    """Where the ring of complex points has corners, and the share of points that bend as sharply."""
    wide = np.concatenate([points[-2:], points, points[:2]])
    even = np.convolve(wide, np.full(5, 0.2), "valid")
    ahead, behind = np.roll(even, -CORNER_POINTS) - even, even - np.roll(even, CORNER_POINTS)
    turn = np.abs(np.angle(ahead * np.conj(behind)))
    peak = turn > CORNER_TURN
    share = float(peak.mean())
    for k in range(1, CORNER_POINTS + 1):
        # of equal neighbours the first one is the peak
        peak &= (turn > np.roll(turn, k)) & (turn >= np.roll(turn, -k))
    return np.flatnonzero(peak), share


def _weights() -> Array:
    """2 G - G * G, the smoothing that leaves parabolas, and so gentle bends, where they are."""
    reach = int(np.ceil(4.0 * SMOOTHING))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / SMOOTHING) ** 2)
    bell /= bell.sum()
    twice = -np.convolve(bell, bell)
    twice[reach : 3 * reach + 1] += 2.0 * bell
    return twice


def _smoothed(points: Points, upright: BoolArray, *, closed: bool) -> Points:
    """Complex points smoothed along their line, each kept between its two pixel centres; ends of open lines stay."""
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
