"""Simple polygons in the plane: orientation, area, mass properties, placement."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import GeometryError, InputError
from .bodies import Body

#: Corners closer than this share of the outline's size are one, and an area below this share of its square is none.
THIN = 1e-9


class Outline:
    """A simple polygon, convex or not, its corners counter-clockwise; immutable.

    Attributes:
        vertices: (n, 2) corners [m]; given clockwise, they are turned round.
    """

    def __init__(self, vertices: ArrayLike) -> None:
        given = checks.array("vertices", vertices, ("n", 2))
        if len(given) > 1 and (given[0] == given[-1]).all():
            given = given[:-1]
        if len(given) < 3:
            raise GeometryError(f"has {len(given)} corners", where="vertices", fix="give at least three")
        size = float(np.ptp(given, axis=0).max())
        if np.linalg.norm(np.roll(given, -1, axis=0) - given, axis=1).min() <= THIN * size:
            raise GeometryError("has a corner twice in a row", where="vertices", fix="leave one out")
        turned = _doubled_area(given)
        if abs(turned) <= THIN * size**2:
            raise GeometryError("encloses no area", where="vertices", fix="give the corners of a polygon in order")
        self.vertices: Array = np.ascontiguousarray(given if turned > 0.0 else given[::-1])
        self.vertices.setflags(write=False)
        _check_simple(self, THIN * size)

    def __len__(self) -> int:
        return len(self.vertices)

    def __repr__(self) -> str:
        return f"Outline({len(self)} corners, {self.area:.4g} m^2)"

    @classmethod
    def rectangle(cls, width: float, height: float, centre: ArrayLike = (0.0, 0.0), angle: float = 0.0) -> Outline:
        """A rectangle [m] about `centre`, turned by `angle` [rad]."""
        w, h = 0.5 * checks.positive("width", width, unit="m"), 0.5 * checks.positive("height", height, unit="m")
        return cls([(-w, -h), (w, -h), (w, h), (-w, h)]).moved(centre, angle)

    @classmethod
    def ground(cls, point: ArrayLike, normal: ArrayLike, extent: float, depth: float | None = None) -> Outline:
        """A straight obstacle: a rectangle whose face through `point` has the outward `normal`.

        It reaches `extent` [m] to either side of the point and `depth` [m] into the ground (by default `extent`).
        """
        p, n = checks.vector("point", point, 2), checks.direction("normal", normal, 2)
        half = checks.positive("extent", extent, unit="m")
        t = np.array([n[1], -n[0]]) * half
        down = n * (half if depth is None else checks.positive("depth", depth, unit="m"))
        return cls([p + t, p - t, p - t - down, p + t - down])

    @cached_property
    def ends(self) -> Array:
        """(n, 2) where each edge ends: the next corner."""
        return np.roll(self.vertices, -1, axis=0)

    @cached_property
    def normals(self) -> Array:
        """(n, 2) unit normals of the edges, out of the polygon."""
        along = self.ends - self.vertices
        return np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1, keepdims=True)

    @cached_property
    def size(self) -> float:
        """Diagonal of the box around it [m]; tolerances scale by it."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    @cached_property
    def is_convex_corner(self) -> BoolArray:
        """(n,) whether the polygon turns left at each corner."""
        before = np.roll(self.normals, 1, axis=0)
        return before[:, 0] * self.normals[:, 1] - before[:, 1] * self.normals[:, 0] > 0.0

    # -- mass -----------------------------------------------------------------------------------

    @cached_property
    def area(self) -> float:
        """[m^2]."""
        return 0.5 * _doubled_area(self.vertices)

    @cached_property
    def centroid(self) -> Array:
        """(2,) centre of mass of a uniform plate [m]."""
        base = self.vertices[0]
        a, b = self.vertices - base, self.ends - base
        weights = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        return base + ((a + b) * weights[:, None]).sum(axis=0) / (6.0 * self.area)

    @cached_property
    def radius_of_gyration(self) -> float:
        """rho of a uniform plate about its centroid [m]."""
        a, b = self.vertices - self.centroid, self.ends - self.centroid
        weights = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        moment = float((weights * ((a * a).sum(axis=1) + (a * b).sum(axis=1) + (b * b).sum(axis=1))).sum()) / 12.0
        return float(np.sqrt(moment / self.area))

    def body(self, *, mass: float | None = None, density: float | None = None) -> Body:
        """A uniform plate of this outline, of `mass` [kg] or of `density` [kg/m^2]."""
        if (mass is None) == (density is None):
            raise InputError("needs a mass or a density, one of them", where="mass", fix="give mass=... or density=...")
        if mass is None:
            mass = checks.positive("density", density, unit="kg/m^2") * self.area
        return Body(mass, self.radius_of_gyration)

    # -- placement ------------------------------------------------------------------------------

    def moved(self, offset: ArrayLike = (0.0, 0.0), angle: float = 0.0, *, about: ArrayLike = (0.0, 0.0)) -> Outline:
        """The outline turned by `angle` [rad] about the point `about`, then shifted by `offset` [m]."""
        by, centre = checks.vector("offset", offset, 2), checks.vector("about", about, 2)
        c, s = np.cos(checks.number("angle", angle, unit="rad")), np.sin(angle)
        return Outline((self.vertices - centre) @ np.array([[c, s], [-s, c]]) + centre + by)

    def contains(self, points: ArrayLike) -> BoolArray:
        """Whether each point (m, 2) is inside; on the border either answer may come."""
        p = checks.array("points", points, ("m", 2))
        a, b = self.vertices[None], self.ends[None]
        x, y = p[:, None, 0], p[:, None, 1]
        spans = (a[..., 1] > y) != (b[..., 1] > y)
        rise = np.where(spans, b[..., 1] - a[..., 1], 1.0)
        left = x < a[..., 0] + (y - a[..., 1]) * (b[..., 0] - a[..., 0]) / rise
        return (spans & left).sum(axis=1) % 2 == 1

    def distances(self, points: ArrayLike) -> Array:
        """(m,) distances of points (m, 2) from the border [m], inside as outside."""
        p = checks.array("points", points, ("m", 2))
        return edge_distances(p, self).min(axis=1, initial=np.inf)


def edge_distances(points: Array, outline: Outline) -> Array:
    """(m, n) distance of each point (m, 2) from each edge of an outline."""
    return segment_distances(points, outline.vertices, outline.ends)


def segment_distances(points: Array, starts: Array, ends: Array) -> Array:
    """(..., n) distance of points (..., 2) from each of the straight lines between starts and ends (n, 2)."""
    along = ends - starts
    offset = points[..., None, :] - starts
    share = np.clip((offset * along).sum(axis=-1) / (along**2).sum(axis=-1), 0.0, 1.0)
    return np.linalg.norm(offset - share[..., None] * along, axis=-1)


def crossings(first: Outline, second: Outline) -> tuple[Array, Array]:
    """(s, t), both (n, m): where edges cross, as shares of either's length; nan where they are parallel."""
    p, r = first.vertices[:, None], (first.ends - first.vertices)[:, None]
    q, w = second.vertices[None], (second.ends - second.vertices)[None]
    turn = r[..., 0] * w[..., 1] - r[..., 1] * w[..., 0]
    lengths = np.linalg.norm(r, axis=2) * np.linalg.norm(w, axis=2)
    safe = np.where(np.abs(turn) > THIN * lengths, turn, np.nan)
    gap = q - p
    return (gap[..., 0] * w[..., 1] - gap[..., 1] * w[..., 0]) / safe, (
        gap[..., 0] * r[..., 1] - gap[..., 1] * r[..., 0]
    ) / safe


def _doubled_area(vertices: Array) -> float:
    base = vertices - vertices[0]
    after = np.roll(base, -1, axis=0)
    return float((base[:, 0] * after[:, 1] - base[:, 1] * after[:, 0]).sum())


def _check_simple(outline: Outline, near: float) -> None:
    """No edge may meet another but its neighbours at their common corner."""
    count = len(outline)
    s, t = crossings(outline, outline)
    apart = np.ones((count, count), dtype=bool)
    for shift in (-1, 0, 1):
        apart &= ~np.roll(np.eye(count, dtype=bool), shift, axis=1)
    meet = apart & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    touch = edge_distances(outline.vertices, outline) <= near
    for shift in (0, -1):  # a corner ends the edge before it and starts its own
        touch &= ~np.roll(np.eye(count, dtype=bool), shift, axis=1)
    if meet.any():
        i, j = (int(k) for k in np.argwhere(meet)[0])
        raise GeometryError(f"edges {i} and {j} meet", where="vertices", fix="give a polygon that does not meet itself")
    if touch.any():
        i, j = (int(k) for k in np.argwhere(touch)[0])
        fix = "give a polygon that does not meet itself"
        raise GeometryError(f"corner {i} touches edge {j}", where="vertices", fix=fix)
