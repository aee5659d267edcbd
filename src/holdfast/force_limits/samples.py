"""The data of a limit surface: directions, repeated trials, and directions that were not measured.

All directions are unit vectors in the contact frame; +n = (0, 0, 1) is straight compression. Trials along the same
direction are merged into quantiles of their limits. Samples far from their repeats or their neighbours are reported as
outliers; none is dropped. Empty caps of the sphere are filled conservatively, and compression is capped or left
unlimited.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError, UnitError, UnknownNameError
from ..geometry.directions import Indices, caps, delaunay, is_closed, settle_ties, unit

# -- direction grids, and checks of the data of a surface ------------------------------------------------

#: Angle between neighbouring directions of a surface sampled from a function [rad].
RESOLUTION = math.radians(10.0)

#: Measured directions this close are repeated trials of one direction [rad].
SAME_DIRECTION = math.radians(0.5)

#: An empty spherical cap of a larger angular radius counts as never measured [rad]. The six axes, or the eight corners
#: of a cube, leave caps of 54.7 degrees and still count as measured all around; a hemisphere alone does not.
MAX_GAP = math.radians(60.0)

#: Least, median and greatest of repeated trials: the lower band, the nominal limit, the upper band.
QUANTILES = (0.0, 0.5, 1.0)

#: Fewest repeats (trials beyond the first of their direction) that the scatter of a trial is estimated from.
LEAST_REPEATS = 20

Fill = Literal["zero", "least"]
Smooth = float | Literal["auto"] | None
Compression = float | Literal["measured", "unlimited"]
Quantiles = tuple[float, float, float]

Scalar = TypeVar("Scalar", bound=np.generic)


def direction_grid(resolution: float = RESOLUTION) -> Array:
    """(n, 3) unit directions on rings round n, `resolution` [rad] apart, with both poles and the tangent plane."""
    step = checks.number("resolution", resolution, low=math.radians(0.5), high=math.radians(60.0), unit="rad")
    rings = 2 * max(1, round(0.5 * math.pi / step))
    rays = [np.array([[0.0, 0.0, -1.0]])]
    for k in range(1, rings):
        elevation = -0.5 * math.pi + math.pi * k / rings
        count = 4 * max(1, math.ceil(0.5 * math.pi * math.cos(elevation) / step - tolerances.SOLVER_ROUNDING))
        azimuth = 2.0 * math.pi * np.arange(count) / count
        height = 0.0 if 2 * k == rings else math.sin(elevation)
        ring = np.column_stack([np.cos(azimuth), np.sin(azimuth)]) * math.sqrt(1.0 - height**2)
        rays.append(np.column_stack([ring, np.full(count, height)]))
    rays.append(np.array([[0.0, 0.0, 1.0]]))
    return np.concatenate(rays)


def refuse_rows(name: str, bad: Array, what: str | Callable[[int], str], fix: str) -> None:
    """Raise InputError for the first of the rows that are `bad` (n,); `what` may depend on its number."""
    if bad.any():
        row = int(bad.argmax())
        raise InputError(what if isinstance(what, str) else what(row), where=f"{name}[{row}]", fix=fix)


def frozen(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """A read-only copy."""
    result = np.ascontiguousarray(values).copy()
    result.setflags(write=False)
    return result


def unit_rows(name: str, value: ArrayLike, *, at_least: int = 1, length: int | None = None) -> Array:
    """(n, 3) directions at length one, at least so many, none of them zero."""
    given = checks.array(name, value, ("n", 3))
    if len(given) < at_least:
        raise GeometryError(
            f"has {len(given)} rows", where=name, fix=f"give at least {at_least} directions, all around"
        )
    if length is not None and len(given) != length:
        raise InputError(f"has {len(given)} rows", where=name, fix=f"give {length} rows, one for each force")
    rays = unit(given)
    # Directions of length one stay exactly as they are: surfaces are written and read back.
    whole = np.abs(np.einsum("ij,ij->i", given, given) - 1.0) < tolerances.UNIT_ROUNDING
    rays = np.where(whole[:, None], given, rays)
    refuse_rows(name, ~np.any(rays, axis=1), "is zero and has no direction", "give a direction")
    return rays


def limit_values(name: str, value: ArrayLike, count: int) -> Array:
    """(count,) limit forces [N], zero or more, possibly infinite, of a plausible size."""
    radii = checks.array(name, value, ("n",), infinite=True)
    if len(radii) != count:
        raise InputError(f"has {len(radii)} entries", where=name, fix=f"give {count}, one for each direction")
    refuse_rows(name, radii < 0.0, lambda row: f"is {radii[row]:g} N", "a limit force is zero or more")
    largest = float(radii[np.isfinite(radii)].max(initial=0.0))
    if largest > tolerances.LARGEST_FORCE or largest < tolerances.SMALLEST_FORCE:
        raise UnitError(
            f"has limits up to {largest:.3g} N",
            where=name,
            fix=f"limits are in newtons, between {tolerances.SMALLEST_FORCE:g} and {tolerances.LARGEST_FORCE:g}",
        )
    return radii


def closed_triangles(value: ArrayLike, count: int) -> Indices:
    """(t, 3) triangles that form one closed surface through `count` directions."""
    triangles = np.asarray(value)
    fits = triangles.ndim == 2 and triangles.shape[1] == 3 and np.issubdtype(triangles.dtype, np.integer)
    if not (
        fits and len(triangles) and triangles.min() >= 0 and triangles.max() < count and is_closed(triangles, count)
    ):
        raise GeometryError(
            "is not one closed surface through all directions",
            where="triangles",
            fix="leave them out: they are computed",
        )
    return triangles.astype(np.intp)


class SamplingOptions(TypedDict, total=False):
    """How measurements become a surface; the meaning of each is in `LimitSurface.from_samples`."""

    compression: Compression
    max_gap: float
    fill: Fill
    merge_angle: float
    quantiles: Quantiles
    smoothing: Smooth


def check_compression(compression: Compression) -> None:
    """Raise an error if the option `compression` is wrong."""
    if isinstance(compression, str):
        if compression not in ("measured", "unlimited"):
            raise UnknownNameError("compression", compression, ("measured", "unlimited"), where="compression")
    else:
        checks.positive("compression", compression, unit="N", high=tolerances.LARGEST_FORCE)


def check_options(
    compression: Compression, max_gap: float, fill: str, merge_angle: float, quantiles: Quantiles, smoothing: Smooth
) -> None:
    """Raise an error if an option of `LimitSurface.from_samples` is wrong."""
    check_compression(compression)
    if fill not in ("zero", "least"):
        raise UnknownNameError("fill", str(fill), ("zero", "least"), where="fill")
    checks.number("max_gap", max_gap, low=math.radians(1.0), high=math.radians(85.0), unit="rad")
    checks.number("merge_angle", merge_angle, low=0.0, high=math.radians(10.0), unit="rad")
    if len(quantiles) != 3 or not 0.0 <= quantiles[0] <= quantiles[1] <= quantiles[2] <= 1.0:
        raise InputError(f"is {quantiles}", where="quantiles", fix="give three rising shares between 0 and 1")
    if isinstance(smoothing, str):
        if smoothing != "auto":
            raise UnknownNameError("smoothing", smoothing, ("auto",), where="smoothing")
    elif smoothing is not None:
        checks.number("smoothing", smoothing, low=0.0, high=MOST_SMOOTHING)


# -- repeated trials ------------------------------------------------------------------------------------

Kind = Literal["trial", "neighbours"]

#: A sample is an outlier when it differs by more than this many robust standard deviations.
OUTLIER_DEVIATIONS = 5.0

#: Differences below this share of a limit are never outliers: forces are not measured more precisely.
LEAST_SCATTER = 0.02

#: Standard deviation of a normal distribution whose median absolute value is one.
NORMAL_CONSISTENT = 1.4826


@dataclass(frozen=True)
class Outlier:
    """A measured limit that does not fit its repeats or its neighbours; it is still used.

    Attributes:
        kind: "trial" (far off the median of its repeats) or "neighbours" (far outside the range of those around it).
        sample: index of the direction on the surface.
        row: row of the measurement (zero-based), or -1 for a merged sample.
        direction: unit direction in the contact frame.
        limit: the limit force found [N].
        expected: the median of the repeats or of the neighbours [N].
        deviations: its difference from `expected`, in robust standard deviations of the scatter.
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
    """Measured limits with one entry per direction.

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


def merge_trials(directions: Array, limits: Array, *, merge_angle: float, quantiles: Quantiles = QUANTILES) -> Bands:
    """Measurements (m,) along unit `directions` (m, 3), merged where directions agree within `merge_angle` [rad].

    `quantiles` are those of the lower limit, the nominal one and the upper one: least, median and
    greatest by default. A merged direction is the mean of its members.
    """
    group = direction_groups(directions, merge_angle)
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


def direction_groups(directions: Array, merge_angle: float) -> Indices:
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
    # Where the median is zero any force is unexpected: it is compared with the typical limit.
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
    """Measured samples outside the range of the limits around them by far more than the scatter explains."""
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


# -- smoothing by the scatter of repeated trials --------------------------------------------------------

#: Largest relative scatter of a trial that is smoothed for.
MOST_SMOOTHING = 0.5

#: A limit that was measured once changes by at most this many standard deviations.
MOST_DEVIATIONS = 2.0

#: A limit is compared with those around it only if none of them dominates the fit.
MOST_LEVERAGE = 3.0

#: Weights of roughness that are tried, and random vectors by which the trace of the smoother is estimated.
ROUGHNESS = np.geomspace(1e-3, 1e3, 25)
PROBES = 16

#: Variance of the median of three or more trials, over that of their mean.
MEDIAN_VARIANCE = 1.35


@dataclass(frozen=True)
class Smoothing:
    """How measured limits were smoothed.

    Attributes:
        share: relative standard deviation of one trial that was smoothed for; 0: nothing was smoothed.
        source: where that comes from, in words.
        largest_change: largest relative change of a limit.
    """

    share: float
    source: str
    largest_change: float = 0.0

    def __str__(self) -> str:
        if self.share == 0.0:
            return f"not smoothed: {self.source}"
        moved = f"limits moved by at most {100 * self.largest_change:.2g} %"
        return f"smoothed for a scatter of {100 * self.share:.2g} % ({self.source}); {moved}"


def choose_smoothing(bands: Bands, smoothing: Smooth) -> Smoothing:
    """The scatter to smooth for: as given, or with "auto" that of repeated trials if there are enough of them."""
    if smoothing is None or smoothing == 0.0:
        return Smoothing(0.0, "switched off")
    if smoothing != "auto":
        return Smoothing(float(smoothing), "as given")
    repeated = bands.trials[bands.trials > 1]
    if (repeated - 1).sum() < LEAST_REPEATS or not np.isfinite(bands.scatter):
        return Smoothing(
            0.0, "too few tests were repeated to know their scatter; smoothing=0.05 (--smoothing 0.05) sets it"
        )
    where = f"{len(repeated)} direction{'s' if len(repeated) > 1 else ''}"
    if bands.scatter == 0.0:
        return Smoothing(0.0, f"repeated trials of {where} agree")
    return Smoothing(min(bands.scatter, MOST_SMOOTHING), f"{repeated.sum()} repeated trials of {where}")


def smoothed(bands: Bands, smoothing: Smoothing, max_gap: float) -> tuple[Bands, Smoothing]:
    """Nominal limits moved towards those around them, as far as the scatter of a trial explains.

    With y = log(limit), the new values z minimise sum_i n_i (z_i - y_i)^2 + w sum_i r_i^2: n_i is the number of trials,
    r_i the height of z at direction i over the plane through its neighbours (in the tangent plane of the
    sphere). Of several weights w, and none, that with the least expected square error is taken: Stein's estimate
    sum_i n_i (z_i - y_i)^2 + 2 s^2 trace(dz/dy), s the scatter. So rims and kinks of the true surface, which are
    rougher than the scatter, keep most of their shape. A limit stays between the least and the greatest of its
    trials; one of a single trial within `MOST_DEVIATIONS`, and its band is widened to it. Limits of zero stay.
    """
    if smoothing.share == 0.0:
        return bands, smoothing
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    alive = bands.nominal > 0.0
    values = np.log(np.where(alive, bands.nominal, 1.0))
    trials = bands.trials.astype(float)
    rows = _roughness(bands, alive, max_gap)
    square = rows.T @ rows
    noise = smoothing.share**2 * np.where(bands.trials > 2, MEDIAN_VARIANCE, 1.0).mean()
    probes = np.random.default_rng(0).choice([-1.0, 1.0], size=(PROBES, len(values)))
    best, found = 2.0 * noise * len(values), values
    for weight in ROUGHNESS:
        solve = splu((diags_array(trials) + weight * square).tocsc(), permc_spec="MMD_AT_PLUS_A").solve
        trial = solve(trials * values)
        trace = sum(probe @ solve(trials * probe) for probe in probes) / PROBES
        error = (trials * (trial - values) ** 2).sum() + 2.0 * noise * trace
        if error < best:
            best, found = error, trial
    once = bands.trials == 1
    far = MOST_DEVIATIONS * smoothing.share
    least = np.where(once, bands.nominal * max(0.0, 1.0 - far), bands.lower)
    most = np.where(once, bands.nominal * (1.0 + far), bands.upper)
    nominal = np.clip(bands.nominal * np.exp(found - values), least, most)
    moved = float(np.abs(nominal[alive] / bands.nominal[alive] - 1.0).max(initial=0.0))
    lower, upper = np.minimum(bands.lower, nominal), np.maximum(bands.upper, nominal)
    return replace(bands, nominal=nominal, lower=lower, upper=upper), replace(smoothing, largest_change=moved)


def _roughness(bands: Bands, alive: Array, max_gap: float) -> Any:
    """Sparse (n, n) rows: the value at a direction minus that of the plane which fits its neighbours best.

    Neighbours have a limit above zero and are at most `max_gap` [rad] away. Rows are empty where there are too few.
    """
    from scipy.sparse import coo_array

    triangles = delaunay(bands.directions)
    pairs = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    near = np.einsum("ij,ij->i", bands.directions[pairs[:, 0]], bands.directions[pairs[:, 1]]) > np.cos(max_gap)
    around: list[list[int]] = [[] for _ in alive]
    for i, j in pairs[near & alive[pairs].all(axis=1)]:
        around[i].append(int(j))
        around[j].append(int(i))
    entries: list[tuple[float, int, int]] = []
    for i, others in enumerate(around):
        if len(others) >= 3:
            centre = bands.directions[i]
            aside = bands.directions[others] - np.outer(bands.directions[others] @ centre, centre)
            axes = np.linalg.svd(aside, full_matrices=False)[2][:2]
            weights = np.linalg.pinv(np.column_stack([np.ones(len(others)), aside @ axes.T]))[0]
            if np.abs(weights).sum() <= MOST_LEVERAGE:
                entries += [(1.0, i, i), *((-float(w), i, j) for w, j in zip(weights, others, strict=True))]
    values, i, j = (np.array(column) for column in zip(*entries, strict=True)) if entries else (np.zeros(0),) * 3
    return coo_array((values, (i.astype(np.intp), j.astype(np.intp))), shape=(len(alive),) * 2).tocsr()


# -- directions that were not measured ------------------------------------------------------------------

#: Most samples added to fill gaps; more mean that the sampling is insufficient.
MOST_FILLED = 5000

#: A test presses when its force rises above the surface by more than this angle [rad].
PRESSED = math.radians(2.0)
NO_PRESSING = "no test presses the contact"


def missing_directions(gaps: Array, measured: Array, compression: Compression) -> tuple[str, ...]:
    """What no test did, in plain words: one sentence for each of the `gaps` (n, 3) between directions measured.

    Where pressing has a cap or no limit the gaps above the surface are intended, and left out.
    """
    found: dict[str, None] = {}
    only_pulled = measured[:, 2].max() <= np.sin(PRESSED)
    if compression != "measured" or only_pulled:
        gaps = gaps[gaps[:, 2] <= np.sin(PRESSED)]
    if compression == "measured" and only_pulled:
        found[NO_PRESSING] = None
    for gap in gaps:
        found[f"no test {_motion(gap)}"] = None
    return tuple(found)


def _motion(direction: Array) -> str:
    """What a test along a unit direction does to the contact."""
    elevation = math.degrees(math.asin(max(-1.0, min(1.0, float(direction[2])))))
    if elevation > 60.0:
        return "presses straight onto the contact"
    if elevation < -60.0:
        return "pulls straight off"
    azimuth = math.degrees(math.atan2(direction[1], direction[0]))
    axis = ("+x", "+y", "-x", "-y")[round(azimuth / 90.0) % 4]
    if abs(azimuth / 90.0 - round(azimuth / 90.0)) > 0.25:
        axis = f"azimuth {azimuth:.0f} deg"
    if elevation > 30.0:
        return f"presses at an angle along {axis}"
    return f"pulls sideways along {axis}" if elevation > -30.0 else f"pulls off at an angle along {axis}"


def fill_gaps(
    directions: Array, limits: Array, *, max_gap: float, fill: Fill, below: bool = False
) -> tuple[Array, Array]:
    """`directions` and `limits` with a sample added to every empty cap wider than `max_gap` [rad].

    Samples are added at the centre of the widest cap, one after another, with limit zero ("zero") or the
    smallest limit at the cap's rim ("least"). With `below` only caps centred at f_z <= 0 are filled.
    """
    for _ in range(MOST_FILLED):
        triangles = delaunay(directions)
        centres, radii = caps(directions, triangles)
        if below:
            radii = np.where(centres[:, 2] > 0.0, 0.0, radii)
        widest = int(radii.argmax())
        if radii[widest] <= max_gap:
            return directions, limits
        value = 0.0 if fill == "zero" else float(limits[triangles[widest]].min())
        directions = np.vstack([directions, centres[widest]])
        limits = np.append(limits, value)
    raise GeometryError(
        f"more than {MOST_FILLED} directions are missing",
        where="max_gap",
        fix="allow a larger gap or measure more directions",
    )


def add_compression(
    directions: Array, limits: Array, *, compression: Compression, max_gap: float, fill: Fill
) -> tuple[Array, Array, Indices | None]:
    """(directions, limits, triangles or None) with the pressing directions that were not measured, and all gaps filled.

    The rim of the unmeasured region round +n are the Delaunay neighbours of +n. Their shear limits are
    continued upwards: "unlimited" puts an infinite limit at +n, so that the surface continues as a prism
    over the rim; a cap [N] puts (f_x, f_y, cap) over each limit force of the rim and closes the prism at
    f_z = cap. The triangles are given where Delaunay ones would not be those of the prism.
    """
    if compression == "measured":
        return *fill_gaps(directions, limits, max_gap=max_gap, fill=fill), None
    nearest = int(directions[:, 2].argmax())
    if directions[nearest, 2] > np.cos(max_gap):
        away = np.degrees(np.arccos(min(1.0, directions[nearest, 2])))
        raise InputError(
            f"compression was measured {away:.3g} deg from the normal",
            where="compression",
            fix='leave compression="measured", or leave those measurements out',
        )
    cap = np.inf if compression == "unlimited" else float(compression)
    top = len(limits)
    directions, limits = fill_gaps(
        np.vstack([directions, [0.0, 0.0, 1.0]]), np.append(limits, cap), max_gap=max_gap, fill=fill, below=True
    )
    return (directions, limits, None) if np.isinf(cap) else _prism(directions, limits, top, cap)


def _prism(directions: Array, limits: Array, top: int, cap: float) -> tuple[Array, Array, Indices]:
    """The fan of triangles round +n (sample `top`) replaced by upright quads over its rim and a lid at f_z = cap."""
    with np.errstate(divide="ignore"):
        triangles = settle_ties(directions, 1.0 / limits, delaunay(directions))
    in_fan = (triangles == top).any(axis=1)
    fan = triangles[in_fan]
    # Each triangle of the fan as (top, a, b): a and b follow each other along the rim.
    shift = (fan == top).argmax(axis=1)
    a, b = (fan[np.arange(len(fan)), (shift + k) % 3] for k in (1, 2))
    forces = directions[a] * limits[a, None]
    if (forces[:, 2] >= cap).any():
        raise InputError(
            f"is {cap:g} N, below a measured compression of {forces[:, 2].max():.4g} N",
            where="compression",
            fix="give a cap above every measured compression",
        )
    lifted = limits[a] > 0.0
    above = np.full(len(limits), top)
    above[a[lifted]] = len(limits) + np.arange(lifted.sum())
    raised = forces[lifted] + [0.0, 0.0, 1.0] * (cap - forces[lifted, 2:])
    # The upright quad a, b, above b, above a is cut from a to above b; from b to above a where b holds nothing, so
    # that "above b" is the top itself and lies in one upright plane with a and above a.
    falls = lifted & (limits[b] == 0.0)
    made = np.concatenate(
        [
            triangles[~in_fan],
            np.column_stack([a, b, np.where(falls, above[a], above[b])]),
            np.column_stack([np.where(falls, b, a), above[b], above[a]]),
            np.column_stack([np.full(len(a), top), above[a], above[b]]),
        ]
    )
    proper = (made[:, 0] != made[:, 1]) & (made[:, 1] != made[:, 2]) & (made[:, 2] != made[:, 0])
    directions = np.vstack([directions, unit(raised)])
    return directions, np.append(limits, np.linalg.norm(raised, axis=1)), made[proper]
