"""Smoothing a contour and its signed curvature.

The ring is resampled at equal arc lengths and its coordinates are smoothed by a Gaussian along the arc, in the
frequency domain, where derivatives are exact. A circle of radius R stays one, of radius R exp(-sigma^2 / (2 R^2)).

Curvature takes two derivatives, and noise with them. Where the ring bends gently for some way around, it is taken from
a wider smoothing that leaves cubic curves as they are; near corners and sharp bends from the points themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..checks import Array, instance, positive
from ..errors import InputError
from .contours import Contour

#: Most points a smoothed ring may have; a finer step says nothing more about a part.
MOST_POINTS = 200_000

#: Fewest points a smoothed ring may have.
FEWEST_POINTS = 16

#: Rings smoothed to less than this share of their length have shrunk to a point, which has neither normal nor bend.
SHRUNK = 1e-6

#: Width of the calm smoothing, in sigma, and the reach either way within which the ring must be gently bent for it.
#: Traced trefoils of 80 mm at 0.5 mm/px with noise of 6 %: the mean curvature over a region scatters 2.2 times less.
CALM = 2.5
CALM_REACH = 12.0

#: Bends, as curvature times sigma, below which the calm smoothing counts, and above which it does not; between them
#: it counts in part. A corner of a regular twelve-gon has 0.21.
GENTLE, SHARP = 0.09, 0.13


@dataclass(frozen=True, eq=False)
class SmoothContour:
    """One ring, smoothed, at equal arc lengths [mm, y up].

    Attributes:
        points: (n, 2) points, in the direction of the ring.
        normals: (n, 2) unit normals into the part.
        curvature: (n,) signed curvature [1/mm], negative where the part is convex; see the module for its smoothing.
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
    place, first = np.fft.ifft(np.stack([spectrum, 1j * wave * spectrum]), axis=1)
    inward = 1j * first / np.maximum(np.abs(first), SHRUNK)
    curvature = _bend(spectrum, wave)
    gentle = _gentle(curvature * sigma, max(round(CALM_REACH * sigma * count / perimeter), 1))
    if gentle.any():
        # 2 G - G * G of the wide bell, less what the spectrum has been smoothed already
        wide, done = 0.5 * (CALM * sigma * wave) ** 2, 0.5 * (sigma * wave) ** 2
        calm = spectrum * (2.0 * np.exp(done - wide) - np.exp(done - 2.0 * wide))
        curvature = curvature + gentle * (_bend(calm, wave) - curvature)
    return SmoothContour(
        points=np.column_stack([place.real, place.imag]),
        normals=np.column_stack([inward.real, inward.imag]),
        curvature=curvature,
        arc=np.arange(count) * (perimeter / count),
        perimeter=perimeter,
        sigma=sigma,
    )


def _bend(spectrum: NDArray[np.complex128], wave: Array) -> Array:
    """(n,) signed curvature [1/mm], negative convex, of the ring with the spectrum of its complex points."""
    first, second = np.fft.ifft(np.stack([1j * wave * spectrum, -(wave**2) * spectrum]), axis=1)
    speed = np.maximum(np.abs(first), SHRUNK)  # 1 but for what smoothing takes off
    return -(np.conj(first) * second).imag / speed**3


def _gentle(bend: Array, reach: int) -> Array:
    """(n,) from 1 where a ring's curvature times sigma stays below `GENTLE` for `reach` points around, to 0."""
    from scipy.ndimage import maximum_filter1d

    most = maximum_filter1d(np.abs(bend), 2 * reach + 1, mode="wrap")
    return np.clip((SHARP - most) / (SHARP - GENTLE), 0.0, 1.0)
