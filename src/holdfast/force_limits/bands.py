"""Repeated trials: one nominal limit a direction, a band around it, and the samples that do not fit.

Trials along the same direction are merged into quantiles of their limits. Samples far off their
repeats or far off their neighbours are reported as outliers; none is ever dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..checks import Array
from ..geometry.directions import Indices, unit

Kind = Literal["trial", "neighbours"]

#: A sample is an outlier when it is off by more than this many robust standard deviations.
OUTLIER_DEVIATIONS = 5.0

#: Scatter below this share of a limit is never called an outlier: no force is measured better.
LEAST_SCATTER = 0.02

#: Standard deviation of a normal distribution whose median absolute value is one.
NORMAL_CONSISTENT = 1.4826


@dataclass(frozen=True)
class Outlier:
    """A measured limit that does not fit its repeats or its neighbours; it is kept all the same.

    Attributes:
        kind: "trial" (far off the median of its repeats) or "neighbours" (far outside the range of those around it).
        sample: index of the direction on the surface.
        row: row of the measurement (zero-based), or -1 for a merged sample.
        direction: unit direction in the contact frame.
        limit: the limit force found [N].
        expected: the median of the repeats or of the neighbours [N].
        deviations: how far off it is, in robust standard deviations of the scatter.
    """

    kind: Kind
    sample: int
    row: int
    direction: tuple[float, float, float]
    limit: float
    expected: float
    deviations: float


@dataclass(frozen=True)
class Bands:
    """Measured limits with one entry a direction.

    Attributes:
        directions: (n, 3) unit directions.
        lower, nominal, upper: (n,) limits [N].
        trials: (n,) how many measurements were merged.
        group: (m,) the direction each measurement went to.
        scatter: robust relative standard deviation of repeated trials; nan without repeats.
    """

    directions: Array
    lower: Array
    nominal: Array
    upper: Array
    trials: Indices
    group: Indices
    scatter: float


def merge_trials(
    directions: Array, limits: Array, *, merge_angle: float, quantiles: tuple[float, float, float] = (0.0, 0.5, 1.0)
) -> Bands:
    """Measurements (m,) along unit `directions` (m, 3), merged where directions agree within `merge_angle` [rad].

    `quantiles` are those of the lower limit, the nominal one and the upper one: least, median and
    greatest by default. A merged direction is the mean of its members.
    """
    group = _groups(directions, merge_angle)
    count = int(group.max()) + 1
    trials = np.bincount(group, minlength=count)
    sums = np.zeros((count, 3))
    np.add.at(sums, group, directions)
    first = np.unique(group, return_index=True)[1]
    merged = np.where(trials[:, None] > 1, unit(sums), directions[first])
    order = np.argsort(group, kind="stable")
    parts = np.split(limits[order], np.cumsum(trials)[:-1])
    lower, nominal, upper = np.array([np.quantile(part, quantiles) for part in parts]).T
    return Bands(merged, lower, nominal, upper, trials, group, _scatter(parts))


def _groups(directions: Array, merge_angle: float) -> Indices:
    """(m,) group of each direction; the first of a group decides, in the order given."""
    from scipy.spatial import KDTree

    reach = 2.0 * np.sin(0.5 * merge_angle)
    near = KDTree(directions).query_ball_point(directions, reach)
    group = np.full(len(directions), -1, dtype=np.intp)
    leaders: list[int] = []
    for row, found in enumerate(near):
        owners = [j for j in found if j < row and group[j] >= 0 and leaders[group[j]] == j]
        if owners:
            best = min(owners, key=lambda j: (float(np.sum((directions[j] - directions[row]) ** 2)), j))
            group[row] = group[best]
        else:
            group[row] = len(leaders)
            leaders.append(row)
    return group


def _scatter(parts: list[Array]) -> float:
    """Robust relative standard deviation of one trial, from differences within the groups; nan without repeats."""
    differences: list[Array] = []
    for part in parts:
        middle = float(np.median(part))
        if len(part) > 1 and middle > 0.0:
            i, j = np.triu_indices(len(part), 1)
            differences.append(np.abs(part[i] - part[j]) / middle)
    if not differences:
        return float("nan")
    return float(NORMAL_CONSISTENT * np.median(np.concatenate(differences)) / np.sqrt(2.0))


def trial_outliers(bands: Bands, directions: Array, limits: Array) -> tuple[Outlier, ...]:
    """Measurements far off the median of their repeats (three or more trials of one direction)."""
    middle = np.array([np.median(limits[bands.group == k]) for k in range(len(bands.nominal))])
    expected = middle[bands.group]
    scatter = max(bands.scatter, LEAST_SCATTER) if np.isfinite(bands.scatter) else LEAST_SCATTER
    typical = float(np.median(middle[middle > 0])) if (middle > 0).any() else 1.0
    # Where the median is zero any force is a surprise: it is measured against the typical limit.
    scale = scatter * np.where(expected > 0, expected, typical)
    deviations = np.abs(limits - expected) / scale
    rows = np.flatnonzero((deviations > OUTLIER_DEVIATIONS) & (bands.trials[bands.group] >= 3))
    return tuple(
        _outlier("trial", int(bands.group[r]), int(r), directions[r], limits[r], expected[r], deviations[r])
        for r in rows
    )


def neighbour_outliers(
    directions: Array, nominal: Array, edges: Indices, measured: Array, scatter: float
) -> tuple[Outlier, ...]:
    """Measured samples that stick out of the range of the limits around them far more than the scatter explains."""
    out = np.zeros(len(nominal))
    expected = np.zeros(len(nominal))
    around: list[list[int]] = [[] for _ in nominal]
    for i, j in edges:
        if measured[i] and measured[j]:
            around[i].append(int(j))
            around[j].append(int(i))
    for i, near in enumerate(around):
        if measured[i] and len(near) >= 3:
            values = nominal[near]
            expected[i] = np.median(values)
            beyond = max(nominal[i] - values.max(), values.min() - nominal[i], 0.0)
            base = max(expected[i], nominal[i])
            out[i] = beyond / base if base > 0 else 0.0
    if not np.isfinite(scatter):
        scatter = NORMAL_CONSISTENT * float(np.median(out[out > 0])) if (out > 0).any() else 0.0
    deviations = out / max(scatter, LEAST_SCATTER)
    found = np.flatnonzero(deviations > OUTLIER_DEVIATIONS)
    return tuple(
        _outlier("neighbours", int(i), -1, directions[i], nominal[i], expected[i], deviations[i]) for i in found
    )


def _outlier(kind: Kind, sample: int, row: int, direction: Array, limit: float, expected: float, far: float) -> Outlier:
    x, y, z = (float(c) for c in direction)
    return Outlier(kind, sample, row, (x, y, z), float(limit), float(expected), float(far))
