"""Grasping regions: straight stretches of a contour that can carry a fingertip.

The smoothed contour is cut where it bends sharply. Between two cuts the contour is approximated by the fewest straight
pieces within a tolerance, and sufficiently long pieces are regions. A smooth closed curve has no cut to
start from: every end of a piece near its sharpest bend is tried as the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..checks import Array, IntArray, instance, positive
from ..public_names import with_advice
from .contours import SmoothContour

#: Millimetres in a centimetre: curvature of regions is given in 1/cm.
MM_PER_CM = 10.0

#: Standard deviations of the smoothing left out at both ends of a region when its curvature is averaged.
LEFT_OUT_SIGMAS = 2.0


@dataclass(frozen=True, eq=False)
class GraspRegions:
    """r regions of a contour, in the order along it [mm, y up].

    Attributes:
        segments: (r, 2, 2) ends of the straight segments, counter-clockwise along the contour.
        normals: (r, 2) inward unit normals.
        curvature: (r,) mean signed curvature [1/cm], negative convex.
        arc: (r, 2) arc lengths [mm] along the contour at which each begins and ends; the end exceeds the perimeter
            where the region runs across the contour's first point.
        deviation: (r,) largest distance [mm] of the smoothed contour from its segment.
    """

    segments: Array
    normals: Array
    curvature: Array
    arc: Array
    deviation: Array

    def __len__(self) -> int:
        """Number of regions."""
        return len(self.segments)

    @classmethod
    def stacked(cls, found: list[tuple[Array, float, tuple[float, float], float]]) -> GraspRegions:
        """Regions one after the other, each as `region_of` gives it."""
        segments = np.array([ends for ends, _, _, _ in found]).reshape(-1, 2, 2)
        return cls(
            segments,
            left_normals(segments),
            np.array([curvature for _, curvature, _, _ in found], dtype=np.float64),
            np.array([span for _, _, span, _ in found], dtype=np.float64).reshape(-1, 2),
            np.array([off for _, _, _, off in found], dtype=np.float64),
        )

    def select(self, chosen: IntArray) -> GraspRegions:
        """The regions of an index array, in its order."""
        return GraspRegions(**{name: column[chosen] for name, column in vars(self).items()})

    def joined(self, others: GraspRegions) -> GraspRegions:
        """These regions and, after them, `others`."""
        return GraspRegions(**{name: np.concatenate([own, vars(others)[name]]) for name, own in vars(self).items()})

    @property
    def lengths(self) -> Array:
        """(r,) lengths [mm] of the segments."""
        return np.linalg.norm(self.segments[:, 1] - self.segments[:, 0], axis=1)


def left_normals(segments: Array) -> Array:
    """Inward unit normals (..., 2) of segments (..., 2, 2) that run counter-clockwise along the contour."""
    along = segments[..., 1, :] - segments[..., 0, :]
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    unit = along / np.where(length > 0.0, length, 1.0)
    return np.stack([-unit[..., 1], unit[..., 0]], axis=-1)


@with_advice()
def find_regions(
    smooth: SmoothContour, cut: float = 0.2, deviation: float = 0.5, shortest: float = 8.0
) -> GraspRegions:
    """Straight regions of a smoothed contour.

    Args:
        smooth: the smoothed outer ring.
        cut: the contour is cut where its curvature exceeds this [1/mm] either way.
        deviation: a region follows the contour within this distance [mm].
        shortest: smallest length [mm] of a region, about the width of a fingertip.
    """
    instance("smooth", smooth, SmoothContour, fix="smooth a contour with holdfast.grasps.smoothed")
    cut = positive("cut", cut, unit="1/mm")
    deviation = positive("deviation", deviation, unit="mm")
    shortest = positive("shortest", shortest, unit="mm")
    runs = smooth_runs(np.abs(smooth.curvature) <= cut)
    pieces = _closed_pieces(smooth, deviation) if runs is None else _open_pieces(smooth, runs, deviation)
    fitted = [region_of(smooth, piece) for piece in pieces]
    return GraspRegions.stacked([found for found in fitted if np.linalg.norm(found[0][1] - found[0][0]) >= shortest])


def region_of(smooth: SmoothContour, piece: IntArray) -> tuple[Array, float, tuple[float, float], float]:
    """The straight segment of a run of points: its ends [mm], curvature [1/cm], arc span [mm] and deviation [mm].

    Args:
        smooth: the smoothed ring.
        piece: indices of its points, increasing; they may exceed the ring's length.
    """
    from .straight_pieces import piece_line

    ends, off = piece_line(smooth.points[piece % len(smooth.points)])
    trim = min(round(LEFT_OUT_SIGMAS * smooth.sigma / smooth.step), (len(piece) - 1) // 2)
    inner = piece[trim : len(piece) - trim] % len(smooth.points)
    span = (float(piece[0] * smooth.step), float(piece[-1] * smooth.step))
    return ends, float(MM_PER_CM * smooth.curvature[inner].mean()), span, off


def smooth_runs(kept: Array) -> list[IntArray] | None:
    """Index runs of the True entries of a cyclic mask, in order; None when all are True.

    A run across the end of the mask has indices beyond its length.
    """
    count = len(kept)
    if kept.all():
        return None
    first = int(np.argmin(kept))  # a cut: no run crosses it
    cyclic = np.roll(kept, -first).astype(np.int8)
    change = np.diff(cyclic, append=0)
    starts, stops = np.flatnonzero(change == 1) + 1, np.flatnonzero(change == -1)
    runs = [np.arange(a, b + 1) + first for a, b in zip(starts, stops, strict=True)]
    runs = [run - count if run[0] >= count else run for run in runs]
    return sorted(runs, key=lambda run: int(run[0]))


def _open_pieces(smooth: SmoothContour, runs: list[IntArray], deviation: float) -> list[IntArray]:
    """Index runs of the straight pieces between cuts."""
    from .straight_pieces import fewest_pieces

    pieces = []
    for run in runs:
        if len(run) < 2:
            continue
        ends = fewest_pieces(smooth.points[run % len(smooth.points)], deviation)
        pieces.extend(run[a : b + 1] for a, b in pairwise(ends))
    return pieces


def _closed_pieces(smooth: SmoothContour, deviation: float) -> list[IntArray]:
    """Index runs of the straight pieces of a curve without cuts: the best of all starts."""
    from .straight_pieces import fewest_pieces_around

    count = len(smooth.points)
    ends = fewest_pieces_around(smooth.points, deviation)
    found = [np.arange(a, b + 1) for a, b in pairwise(ends)]
    found = [piece - count if piece[0] >= count else piece for piece in found]
    return sorted(found, key=lambda piece: int(piece[0]))
