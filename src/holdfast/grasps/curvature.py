"""Smoothing a contour and its signed curvature.

The ring is resampled at equal arc lengths and its coordinates are smoothed by a Gaussian along the arc, in the
frequency domain, where derivatives are exact. A circle of radius R stays one, of radius R exp(-sigma^2 / (2 R^2)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array, instance, positive
from ..errors import InputError
from .contours import Contour

#: Most points a smoothed ring may have; a finer step says nothing more about a part.
MOST_POINTS = 200_000

#: Fewest points a smoothed ring may have.
FEWEST_POINTS = 16

#: Rings smoothed to less than this share of their length have shrunk to a point, which has neither normal nor bend.
SHRUNK = 1e-6


@dataclass(frozen=True, eq=False)
class SmoothContour:
    """One ring, smoothed, at equal arc lengths [mm, y up].

    Attributes:
        points: (n, 2) points, in the direction of the ring.
        normals: (n, 2) unit normals into the part.
        curvature: (n,) signed curvature [1/mm], negative where the part is convex.
        arc: (n,) arc length [mm] from the first point, measured before smoothing.
        perimeter: arc length [mm] of the whole ring.
        sigma: standard deviation [mm] of the smoothing.
    """

    points: Array
    normals: Array
    curvature: Array
    arc: Array
    perimeter: float
    sigma: float

    @property
    def step(self) -> float:
        """Arc length [mm] between neighbouring points."""
        return self.perimeter / len(self.points)


def resampled(ring: Array, step: float) -> tuple[Array, float]:
    """Points (n, 2) [mm] at equal arc lengths of about `step` along a closed ring, and the ring's length [mm]."""
    closed = np.vstack([ring, ring[:1]])
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    perimeter = float(arc[-1])
    count = max(round(perimeter / step), FEWEST_POINTS)
    if count > MOST_POINTS:
        raise InputError(
            f"{step:g} mm asks for {count:,} points",
            where="step",
            fix=f"give a step of at least {perimeter / MOST_POINTS:.3g} mm",
        )
    at = np.arange(count) * (perimeter / count)
    return np.column_stack([np.interp(at, arc, closed[:, k]) for k in (0, 1)]), perimeter


def smoothed(contour: Contour, step: float = 0.5, sigma: float = 1.0) -> SmoothContour:
    """The outer ring of a contour, resampled at about `step` [mm] and smoothed by a Gaussian of `sigma` [mm].

    Holes offer no regions, for fingers come from outside; `smoothed_ring` smooths any ring.
    """
    instance("contour", contour, Contour, fix="build one with Contour.from_points, read_contour or trace")
    return smoothed_ring(contour.outer, step, sigma)


def smoothed_ring(ring: Array, step: float = 0.5, sigma: float = 1.0) -> SmoothContour:
    """One ring (n, 2) [mm] with the part on its left, resampled and smoothed; see `smoothed`."""
    step = positive("step", step, unit="mm")
    sigma = positive("sigma", sigma, unit="mm")
    points, perimeter = resampled(ring, step)
    count = len(points)
    # complex coordinates: one transform for both
    spectrum = np.fft.fft(points[:, 0] + 1j * points[:, 1])
    wave = 2.0 * np.pi * np.fft.fftfreq(count, d=perimeter / count)
    spectrum *= np.exp(-0.5 * (sigma * wave) ** 2)
    place, first, second = np.fft.ifft(np.stack([spectrum, 1j * wave * spectrum, -(wave**2) * spectrum]), axis=1)
    speed = np.maximum(np.abs(first), SHRUNK)  # 1 but for what smoothing takes off
    inward = 1j * first / speed
    curvature = -(np.conj(first) * second).imag / speed**3
    return SmoothContour(
        points=np.column_stack([place.real, place.imag]),
        normals=np.column_stack([inward.real, inward.imag]),
        curvature=curvature,
        arc=np.arange(count) * (perimeter / count),
        perimeter=perimeter,
        sigma=sigma,
    )
