"""The outline of a flat part: one outer ring and its holes, in mm, with moments of area, smoothing and curvature.

A contour comes from points (`Contour.from_points`), from a file (`contour_files.read_contour`) or from a picture
(`pictures.trace`). The outer ring runs counter-clockwise and holes clockwise, so that the part lies on the left of
every edge and sums over all rings subtract the holes. Distances, crossings and containment are shapely's; second
moments of area are computed here because shapely has none.

For its curvature a ring is resampled at equal arc lengths and its coordinates are smoothed by a Gaussian along the arc,
in the frequency domain, where derivatives are exact. A circle of radius R stays one, of radius
R exp(-sigma^2 / (2 R^2)). Curvature takes two derivatives, which amplify noise. Where the ring bends gently for some
distance, it is taken from a wider smoothing that does not change cubic curves; near corners and sharp bends from the
points themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from ..checks import Array, array, instance, number, positive
from ..errors import GeometryError, InputError
from ..public_names import with_advice

#: A ring encloses nothing when its area is below this fraction of its perimeter squared.
NO_AREA = 1e-9

#: Possible scales of a camera or a scanner [mm/px]; other values are mistakes in the unit.
SMALLEST_SCALE = 1e-3
LARGEST_SCALE = 50.0

#: Largest width of a part [mm]; larger values are mistakes in the unit.
LARGEST_PART = 5000.0

#: Farthest point from the origin [mm]; most points of all rings together, and most rings.
FARTHEST = 1e9
MOST_DRAWN = 200_000
MOST_RINGS = 5000

#: Most crossings of edges for repairing or uniting rings; and number of edges below which crossings are not counted.
MOST_CROSSINGS = 100_000
FEW_EDGES = 400

#: Pairs of edges that are compared at a time.
PAIRS = 2_000_000


@with_advice()
@dataclass(frozen=True, eq=False)
class Contour:
    """The outline of a part in its plane [mm, y up].

    Attributes:
        outer: (n, 2) points of the outer ring, counter-clockwise, the last not repeating the first.
        holes: rings (m, 2) of the holes, clockwise.
    """

    outer: Array
    holes: tuple[Array, ...] = ()

    @classmethod
    def from_points(cls, outer: ArrayLike, holes: Iterable[ArrayLike] = ()) -> Contour:
        """A contour from rings in either direction, closed or not; an error if they do not bound one part."""
        border = _oriented(_ring("outer", outer), 1.0)
        inner = tuple(_oriented(_ring(f"holes[{i}]", hole), -1.0) for i, hole in enumerate(holes))
        extent = float(np.ptp(border, axis=0).max())
        if extent > LARGEST_PART:
            raise GeometryError(
                f"the part is {extent:g} mm wide",
                where="outer",
                fix=f"contours are in mm, and parts of up to {LARGEST_PART:g} mm are accepted",
            )
        _check_simple((border, *inner))
        for i, hole in enumerate(inner):
            if not contains(border, hole[:1])[0]:
                raise GeometryError("the hole lies outside the outer ring", where=f"holes[{i}]", fix="move it inside")
            others = (other for j, other in enumerate(inner) if j != i)
            if any(contains(other, hole[:1])[0] for other in others):
                raise GeometryError("the hole lies in another hole", where=f"holes[{i}]", fix="give each hole once")
        return cls(border, inner)

    @cached_property
    def rings(self) -> tuple[Array, ...]:
        """The outer ring and then the holes."""
        return (self.outer, *self.holes)

    @cached_property
    def _moments(self) -> tuple[float, Array, Array]:
        """Area [mm^2], centroid [mm] and covariance (2, 2) [mm^2] of the area without the holes."""
        origin = self.outer.mean(axis=0)
        area, first, second = 0.0, np.zeros(2), np.zeros((2, 2))
        for ring in self.rings:
            p = ring - origin
            q = np.roll(p, -1, axis=0)
            cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
            area += cross.sum() / 2.0
            first += (cross[:, None] * (p + q)).sum(axis=0) / 6.0
            # the integral of x x^T over the triangle (origin, p, q)
            mixed = np.einsum("k,ki,kj->ij", cross, p, q)
            second += np.einsum("k,ki,kj->ij", cross, p, p) + np.einsum("k,ki,kj->ij", cross, q, q)
            second += (mixed + mixed.T) / 2.0
        mean = first / area
        return float(area), origin + mean, second / (12.0 * area) - np.outer(mean, mean)

    @property
    def area(self) -> float:
        """Area of the part [mm^2] without the holes."""
        return self._moments[0]

    @property
    def centroid(self) -> Array:
        """Centroid (2,) of the area [mm] without the holes."""
        return self._moments[1]

    @cached_property
    def _axes(self) -> tuple[float, float]:
        spread = np.linalg.eigvalsh(self._moments[2])
        minor, major = 4.0 * np.sqrt(np.maximum(spread, 0.0))
        return float(major), float(minor)

    @property
    def major_axis(self) -> float:
        """Full major axis [mm] of the ellipse with the same second moments of area."""
        return self._axes[0]

    @property
    def minor_axis(self) -> float:
        """Full minor axis [mm] of the ellipse with the same second moments of area."""
        return self._axes[1]

    @cached_property
    def perimeter(self) -> float:
        """Length of the outer ring [mm]."""
        return float(np.linalg.norm(np.roll(self.outer, -1, axis=0) - self.outer, axis=1).sum())


def checked_scale(mm_per_px: float) -> float:
    """`mm_per_px`, checked to be a possible scale of a camera."""
    return number("mm_per_px", mm_per_px, low=SMALLEST_SCALE, high=LARGEST_SCALE, unit="mm/px")


def distance_to_outline(points: ArrayLike, outline: Array) -> Array:
    """Distance (...,) of `points` (..., 2) from the closed polygon `outline` (n, 2), for points inside and outside."""
    border = shapely.linestrings(np.vstack([outline, outline[:1]]))
    return np.asarray(shapely.distance(shapely.points(np.asarray(points, dtype=np.float64)), border))


def signed_area(ring: Array) -> float:
    """Area [mm^2] of a ring (n, 2), positive when it runs counter-clockwise."""
    p = ring - ring[0]
    q = np.roll(p, -1, axis=0)
    return float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum() / 2.0)


def contains(ring: Array, points: Array) -> Array:
    """Which of `points` (k, 2) lie inside `ring` (n, 2)."""
    return shapely.contains_xy(shapely.polygons(ring), points)


def first_crossing(rings: tuple[Array, ...]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two edges, each as (ring, index of its first point), that meet without being neighbours; None if none do.

    Neighbouring edges that fold back on each other count too. Rings are (n, 2), without a repeated first point.
    """
    if shapely.is_simple(shapely.multilinestrings([shapely.LinearRing(ring) for ring in rings])):
        return None  # two orders of magnitude faster than the search for the edges
    edges = np.concatenate([np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings])
    first = np.cumsum([0, *(len(ring) for ring in rings)])
    after = np.arange(1, len(edges) + 1)
    after[first[1:] - 1] = first[:-1]
    lines = np.asarray(shapely.linestrings(edges), dtype=np.object_)
    i, j = shapely.STRtree(lines).query(lines, predicate="intersects")
    along = edges[:, 1] - edges[:, 0]
    came, goes = along, along[after]
    folded = (came[:, 0] * goes[:, 1] == came[:, 1] * goes[:, 0]) & ((came * goes).sum(axis=1) < 0.0)
    bad = (i < j) & ((after[i] != j) | folded[i]) & ((after[j] != i) | folded[j])
    if not bad.any():
        return None
    pair = min(zip(i[bad].tolist(), j[bad].tolist(), strict=True))
    at, home = np.array(pair), np.searchsorted(first, pair, side="right") - 1
    at = at - first[home]
    return (int(home[0]), int(at[0])), (int(home[1]), int(at[1]))


def check_extent(rings: Sequence[Array], where: str = "outer") -> None:
    """Refuse rings (n, 2) [mm] that are too far away, too many, have too many points, or cross too often."""
    points = sum(len(ring) for ring in rings)
    if points > MOST_DRAWN or len(rings) > MOST_RINGS:
        what = f"has {len(rings):,} rings of {points:,} points"
        fix = f"give at most {MOST_RINGS:,} rings of {MOST_DRAWN:,} points in all: simplify the outlines"
        raise GeometryError(what, where=where, fix=fix)
    for ring in rings:
        far = ~(np.abs(ring) <= FARTHEST)
        if far.any():
            x, y = ring[int(far.any(axis=1).argmax())]
            fix = f"give finite coordinates, of at most {FARTHEST:g} mm"
            raise GeometryError(f"has a point at ({x:g}, {y:g}) mm", where=where, fix=fix)
    if points > FEW_EDGES and _crosses_often(rings):
        what = f"its edges cross each other more than {MOST_CROSSINGS:,} times"
        raise GeometryError(what, where=where, fix="draw the part's border as one closed outline")


def _crosses_often(rings: Sequence[Array]) -> bool:
    """Whether the edges of rings meet more than `MOST_CROSSINGS` times; neighbours do not count."""
    edges = np.concatenate([np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings])
    lines = np.asarray(shapely.linestrings(edges), dtype=np.object_)
    tree, at_once = shapely.STRtree(lines), max(PAIRS // len(lines), 1)
    met = -3 * len(lines)  # each meets itself and two neighbours
    for start in range(0, len(lines), at_once):
        met += tree.query(lines[start : start + at_once], predicate="intersects").shape[1]
        if met > 2 * MOST_CROSSINGS:
            return True
    return False


def _ring(name: str, points: ArrayLike) -> Array:
    """Points (n, 2) without repetitions, at least three, that enclose an area."""
    ring = array(name, points, ("n", 2))
    check_extent((ring,), name)
    if len(ring):
        ring = ring[np.any(ring != np.roll(ring, 1, axis=0), axis=1)]
    if len(ring) < 3:
        raise GeometryError(f"has {len(ring)} distinct points", where=name, fix="a ring needs at least three")
    perimeter = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1).sum()
    if abs(signed_area(ring)) <= NO_AREA * perimeter**2:
        if not _collinear(ring):
            _check_simple((ring,), name)
        raise GeometryError("has no area", where=name, fix="give the points in order along the border")
    return ring


def _collinear(ring: Array) -> bool:
    """Whether all points lie on one line."""
    extents = np.linalg.svd(ring - ring.mean(axis=0), compute_uv=False)
    return bool(extents[1] <= NO_AREA * extents[0])


def _oriented(ring: Array, sign: float) -> Array:
    """The ring, read-only, running so that its area has `sign`."""
    turned = np.ascontiguousarray(ring if signed_area(ring) * sign > 0.0 else ring[::-1])
    turned.setflags(write=False)
    return turned


def _check_simple(rings: tuple[Array, ...], name: str = "") -> None:
    """Raise where two edges of the rings cross or touch, or where a ring runs back along itself."""
    found = first_crossing(rings)
    if found is None:
        return
    (ring, i), (other, j) = found
    names = [name or "outer", *(f"holes[{k}]" for k in range(len(rings) - 1))]
    for k, one in enumerate(rings):
        spike = _spike(one)
        if spike is not None:
            raise GeometryError(
                f"the contour intersects itself: it runs back along itself at point {spike}, "
                f"({one[spike, 0]:g}, {one[spike, 1]:g}) mm, a spike without area",
                where=names[k],
                fix="remove the spike",
            )
    x, y = _meeting(_edge(rings[ring], i), _edge(rings[other], j))
    where = names[ring] if ring == other else f"{names[ring]} and {names[other]}"
    raise GeometryError(
        f"the contour intersects itself: edge {i} meets edge {j} at ({x:g}, {y:g}) mm",
        where=where,
        fix="give the points in order along the border, each ring once, without contact to others",
    )


def _edge(ring: Array, i: int) -> Array:
    """The two ends (2, 2) of edge i of a ring."""
    return ring[[i, (i + 1) % len(ring)]]


def _meeting(one: Array, other: Array) -> tuple[float, float]:
    """The point where two straight edges (2, 2) meet; for overlapping edges the middle of the overlap."""
    u, v, gap = one[1] - one[0], other[1] - other[0], other[0] - one[0]
    cross = float(u[0] * v[1] - u[1] * v[0])
    if abs(cross) > NO_AREA * float(np.linalg.norm(u) * np.linalg.norm(v)):
        at = float(gap[0] * v[1] - gap[1] * v[0]) / cross
    else:
        ends = np.clip((other - one[0]) @ u / float(u @ u), 0.0, 1.0)
        at = float(ends.mean())
    x, y = one[0] + np.clip(at, 0.0, 1.0) * u
    return float(x) + 0.0, float(y) + 0.0


def _spike(ring: Array) -> int | None:
    """The first point at which a ring turns around and runs back along the same edge."""
    came, goes = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    straight = came[:, 0] * goes[:, 1] == came[:, 1] * goes[:, 0]
    back = np.flatnonzero(straight & ((came * goes).sum(axis=1) < 0.0))
    return int(back[0]) if len(back) else None


#: Most points of a smoothed ring; a finer step gives no more information.
MOST_POINTS = 200_000

#: Fewest points a smoothed ring may have.
FEWEST_POINTS = 16

#: Rings smoothed to less than this fraction of their length have shrunk to a point, without normal and curvature.
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
            f"{step:g} mm needs {count:,} points",
            where="step",
            fix=f"give a step of at least {perimeter / MOST_POINTS:.3g} mm",
        )
    at = np.arange(count) * (perimeter / count)
    return np.column_stack([np.interp(at, arc, closed[:, k]) for k in (0, 1)]), perimeter


@with_advice()
def smoothed(contour: Contour, step: float = 0.5, sigma: float = 1.0) -> SmoothContour:
    """The outer ring of a contour, resampled at about `step` [mm] and smoothed by a Gaussian of `sigma` [mm].

    Fingers come from outside, so holes have no regions; `smoothed_ring` smooths any ring.
    """
    instance("contour", contour, Contour, fix="make one with Contour.from_points, read_contour or trace")
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
        # 2 G - G * G of the wide bell, without the smoothing that the spectrum already has
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
    speed = np.maximum(np.abs(first), SHRUNK)  # 1, reduced by smoothing
    return -(np.conj(first) * second).imag / speed**3


def _gentle(bend: Array, reach: int) -> Array:
    """(n,) from 1 where a ring's curvature times sigma stays below `GENTLE` for `reach` points around, to 0."""
    most, width = np.abs(bend), 1
    while 2 * width <= 2 * reach + 1:  # the largest of twice as many points from each on
        most, width = np.maximum(most, np.roll(most, -width)), 2 * width
    most = np.maximum(np.roll(most, reach), np.roll(most, width - reach - 1))
    return np.clip((SHARP - most) / (SHARP - GENTLE), 0.0, 1.0)
