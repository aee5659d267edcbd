"""Telling object from background by grey values: a blur as strong as the noise asks for, and Otsu's threshold."""

from __future__ import annotations

import numpy as np

from ..checks import Array, BoolArray, positive

#: Otsu's two classes are object and background when their means differ by this many standard deviations within them.
#: One Gaussian cut in two reaches 2.65, an even ramp 3.46.
LEAST_SEPARATION = 4.5

#: Pictures whose grey values span less than this share of the grey scale are faint: their own range counts.
FAINT = 0.25

#: Ranges below this share of the largest grey value are rounding: the picture is blank.
BLANK = 1e-12

#: Blurred pictures whose values span less than this have no classes; the range of one that is not blank is far above.
EVEN = 1e-4

#: Least and most standard deviation [px] of a blur that the noise decides.
LEAST_BLUR = 1.0
MOST_BLUR = 3.0

#: Noise of this share of the contrast asks for no more than the least blur.
CALM_NOISE = 0.15

#: Pixels looked at for the noise, and the upper quartile of a standard normal variable.
NOISE_PIXELS = 60_000
NORMAL_QUARTILE = 0.6745

#: Grey values that thresholds are chosen among.
BINS = 512

#: Pixels looked at for the median of a class.
MEDIAN_PIXELS = 40_000


def thresholded(grey: Array, blur: float | None) -> tuple[Array, float, float]:
    """The blurred picture, Otsu's threshold and the separation of its classes; noisy pictures are blurred more."""
    from .kernels.contour_blur import blurred

    field = blurred(grey, LEAST_BLUR if blur is None else positive("blur", blur, unit="px", high=50.0))
    level, separation = otsu(field)
    if blur is None and separation > 0.0:
        contrast = median_of(field, field > level) - median_of(field, field <= level)
        wanted = min(LEAST_BLUR * noise_of(grey) / (CALM_NOISE * contrast), MOST_BLUR)
        if wanted > LEAST_BLUR:
            field = blurred(grey, wanted)
            level, separation = otsu(field)
    return field, level, separation


def stretched(grey: Array) -> Array:
    """The picture, a faint one stretched to 0..1 by its own range; whether that shows more than noise comes later."""
    low, high = float(grey.min()), float(grey.max())
    if high - low >= FAINT or high - low <= BLANK * max(abs(low), abs(high)):
        return grey
    return (grey - low) / (high - low)


def noise_of(grey: Array) -> float:
    """Standard deviation of the noise on each pixel, from second differences along some rows: edges hardly count."""
    rows = grey[:: max(grey.size // NOISE_PIXELS, 1)]
    if rows.shape[1] < 3:
        return 0.0
    bends = np.abs(rows[:, :-2] - 2.0 * rows[:, 1:-1] + rows[:, 2:])
    return float(np.median(bends)) / (NORMAL_QUARTILE * np.sqrt(6.0))


def otsu(field: Array) -> tuple[float, float]:
    """Otsu's threshold, and how many standard deviations within the classes their means stand apart (0: blank)."""
    from .kernels.contour_blur import histogram

    low, high = float(field.min()), float(field.max())
    if high - low < EVEN:
        return (low + high) / 2.0, 0.0
    counts = histogram(field, low, high, BINS).astype(np.float64)
    width = (high - low) / BINS
    centres = low + width * (np.arange(BINS) + 0.5)
    below, above, apart, between = _classes(counts, centres)
    total = float(counts @ centres)
    # an empty valley is a plateau: its middle is the safest threshold
    top = np.flatnonzero(between >= between.max() * (1.0 - 1e-12))
    best = int(top[len(top) // 2])
    share = below[best] * above[best] / counts.sum() ** 2
    overall = float(counts @ (centres - total / counts.sum()) ** 2) / counts.sum()
    within = max(overall - share * apart[best] ** 2, width**2 / 12.0)
    return float(centres[best] + width / 2.0), float(apart[best] / np.sqrt(within))


def between_classes(values: Array) -> float:
    """Otsu's variance between the two classes that part some grey values best; 0 where all are equal."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return 0.0
    counts, edges = np.histogram(values, bins=BINS, range=(low, high))
    between = _classes(counts.astype(np.float64), (edges[:-1] + edges[1:]) / 2.0)[3]
    return float(between.max()) / len(values) ** 2


def _classes(counts: Array, centres: Array) -> tuple[Array, Array, Array, Array]:
    """For each cut between two bins: numbers below and above, distance of the means, n^2 times the variance between."""
    below = np.cumsum(counts)[:-1]
    above = counts.sum() - below
    moment = np.cumsum(counts * centres)[:-1]
    total = float(counts @ centres)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = (total - moment) / above - moment / below
        between = np.where((below > 0) & (above > 0), below * above * apart**2, -1.0)
    return below, above, apart, between


def median_of(field: Array, chosen: BoolArray) -> float:
    """Median grey value of a class, from a share of its pixels: ramps at borders do not move it."""
    stride = max(field.size // (4 * MEDIAN_PIXELS), 1)
    values = field.ravel()[::stride][chosen.ravel()[::stride]]
    if len(values) < MEDIAN_PIXELS // 16:
        values = field[chosen]
        values = values[:: max(len(values) // MEDIAN_PIXELS, 1)]
    return float(np.median(values))
