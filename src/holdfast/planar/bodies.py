"""Rigid bodies in the plane: mass, contacts with fixed obstacles (Erdmann 1993), outlines, contacts of outlines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import GeometryError, InputError, UnknownNameError
from ..public_names import with_advice
from ..tolerances import MERGE
from .system import AT_REST, System

if TYPE_CHECKING:
    import shapely

#: Kinds of contact: a vertex of the body on an edge of the obstacle (type B), or an edge on a vertex (type A).
KINDS = ("vertex", "edge")


def cross(first: Array, second: Array) -> Any:
    """The planar cross products x1 y2 - y1 x2 of vectors (..., 2)."""
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]


@with_advice()
@dataclass(frozen=True, eq=False)
class Contact:
    """A point at which a body touches an obstacle.

    Attributes:
        normal: (2,) out of the obstacle, towards the body; scaled to unit length.
        r: (2,) from the contact to the body's centre of mass [m].
        mu: friction coefficient, >= 0.
        kind: "vertex" (body vertex on a flat obstacle, type B) or "edge" (body edge on an obstacle vertex, type A).
        second_variation: overrides Delta h [m/s^2] of n . a + nq alpha >= -Delta h, for curved surfaces.
    """

    normal: Array
    r: Array
    mu: float
    kind: str = "vertex"
    second_variation: float | None = None

    def __init__(
        self,
        normal: ArrayLike,
        r: ArrayLike,
        mu: float,
        kind: str = "vertex",
        second_variation: float | None = None,
    ) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of contact", str(kind), KINDS, where="kind")
        given = second_variation
        values = {
            "normal": checks.direction("normal", normal, 2),
            "r": checks.vector("r", r, 2),
            "mu": checks.number("mu", mu, low=0.0),
            "kind": kind,
            "second_variation": None if given is None else checks.number("second_variation", given, unit="m/s^2"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def tangent(self) -> Array:
        """t = (ny, -nx): R slides along it, L against it."""
        return np.array([self.normal[1], -self.normal[0]])

    @cached_property
    def normal_row(self) -> Array:
        """(nx, ny, nq) with nq = n x r (2): torque of a unit normal force, normal speed of a unit rotation."""
        return np.array([*self.normal, cross(self.normal, self.r)])

    @cached_property
    def tangent_row(self) -> Array:
        """(tx, ty, vq) with vq = t x r (2): torque of a unit tangential force, slip of a unit rotation."""
        return np.array([*self.tangent, cross(self.tangent, self.r)])

    def normal_bias(self, velocity: ArrayLike) -> float:
        """Delta h [m/s^2] at velocity (vx, vy, omega): an = n . a + nq alpha + Delta h (5).

        Type B: omega^2 n . r. Type A: 2 omega (z x n) . v - omega^2 n . r.
        """
        if self.second_variation is not None:
            return self.second_variation
        vx, vy, spin = np.asarray(velocity, dtype=float)
        if spin == 0.0:
            return 0.0
        lever = float(self.normal @ self.r)
        if self.kind == "vertex":
            return float(spin**2 * lever)
        nx, ny = self.normal
        return float(2.0 * spin * (-ny * vx + nx * vy) - spin**2 * lever)

    def tangent_bias(self, velocity: ArrayLike) -> float:
        """omega^2 t . r [m/s^2]: at = t . a + vq alpha + omega^2 t . r (8)."""
        spin = float(np.asarray(velocity, dtype=float)[2])
        return float(spin**2 * (self.tangent @ self.r))


@with_advice()
@dataclass(frozen=True)
class Body:
    """A rigid body in the plane.

    Attributes:
        mass: [kg].
        radius_of_gyration: rho [m]; the moment of inertia about the centre of mass is mass rho^2.
    """

    mass: float
    radius_of_gyration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checks.positive("mass", self.mass, unit="kg"))
        rho = checks.positive("radius_of_gyration", self.radius_of_gyration, unit="m")
        object.__setattr__(self, "radius_of_gyration", rho)

    def system(self, contacts: Iterable[Contact], force: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> System:
        """The body as a `System` in (ax, ay, alpha), without torques tau; force and velocity as in `motions`."""
        checks.iterable("contacts", contacts, fix="give a list of Contact")
        touching = tuple(contacts)
        for i, contact in enumerate(touching):
            checks.instance(f"contacts[{i}]", contact, Contact, fix="give holdfast.planar.Contact(normal, r, mu)")
        load = checks.vector("force", force, 3)
        speed = checks.vector("velocity", velocity, 3)
        inertia = self.mass * self.radius_of_gyration**2
        if not np.isfinite(inertia) or inertia <= 0.0:
            raise InputError("has no finite inertia", where="radius_of_gyration", fix="give mass and rho in kg and m")
        normals = np.array([c.normal_row for c in touching]).reshape(-1, 3)
        tangents = np.array([c.tangent_row for c in touching]).reshape(-1, 3)
        if speed.any():
            # Speeds below the rounding of their terms are zero.
            least = AT_REST * (np.abs(normals) + np.abs(tangents)) @ np.abs(speed)
            vn, vt = (np.where(np.abs(rows @ speed) <= least, 0.0, rows @ speed) for rows in (normals, tangents))
        else:
            vn = vt = 0.0
        return System(
            np.diag([self.mass, self.mass, inertia]),
            load,
            None,
            normals,
            tangents,
            np.array([c.mu for c in touching]),
            np.array([c.normal_bias(speed) for c in touching]),
            np.array([c.tangent_bias(speed) for c in touching]) if speed[2] else 0.0,
            vn,
            vt,
        )


@with_advice()
class PlanarOutline:
    """A simple polygon, convex or not, its corners counter-clockwise; immutable.

    Attributes:
        vertices: (n, 2) corners [m]; a clockwise order is reversed.
        area: [m^2].
    """

    def __init__(self, vertices: ArrayLike) -> None:
        given = checks.array("vertices", vertices, ("n", 2))
        if len(given) > 1 and (given[0] == given[-1]).all():
            given = given[:-1]
        if len(given) < 3:
            raise GeometryError(f"has {len(given)} corners", where="vertices", fix="give at least three")
        size = float(np.ptp(given, axis=0).max())
        if np.linalg.norm(np.roll(given, -1, axis=0) - given, axis=1).min() <= MERGE * size:
            raise GeometryError("has two equal corners in sequence", where="vertices", fix="leave one out")
        base = given - given[0]
        turned = float(cross(base, np.roll(base, -1, axis=0)).sum())
        if abs(turned) <= MERGE * size**2:
            raise GeometryError("encloses no area", where="vertices", fix="give the corners of a polygon in order")
        self.vertices: Array = np.ascontiguousarray(given if turned > 0.0 else given[::-1])
        self.vertices.setflags(write=False)
        self.area = 0.5 * abs(turned)
        _check_simple(self, MERGE * size)

    def __len__(self) -> int:
        return len(self.vertices)

    def __repr__(self) -> str:
        return f"PlanarOutline({len(self)} corners, {self.area:.4g} m^2)"

    @classmethod
    def rectangle(
        cls, width: float, height: float, centre: ArrayLike = (0.0, 0.0), angle: float = 0.0
    ) -> PlanarOutline:
        """A rectangle [m] about `centre`, turned by `angle` [rad]."""
        w, h = 0.5 * checks.positive("width", width, unit="m"), 0.5 * checks.positive("height", height, unit="m")
        return cls([(-w, -h), (w, -h), (w, h), (-w, h)]).moved(centre, angle)

    @classmethod
    def ground(cls, point: ArrayLike, normal: ArrayLike, extent: float, depth: float | None = None) -> PlanarOutline:
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
        return cross(np.roll(self.normals, 1, axis=0), self.normals) > 0.0

    # -- mass -----------------------------------------------------------------------------------

    @cached_property
    def polygon(self) -> shapely.Polygon:
        """The same as a prepared `shapely.Polygon`."""
        import shapely

        polygon = shapely.Polygon(self.vertices)
        shapely.prepare(polygon)
        return polygon

    @cached_property
    def centroid(self) -> Array:
        """(2,) centre of mass of a uniform plate [m]."""
        return np.array(self.polygon.centroid.coords[0])

    @cached_property
    def radius_of_gyration(self) -> float:
        """rho of a uniform plate about its centroid [m]."""
        a, b = self.vertices - self.centroid, self.ends - self.centroid
        moment = float((cross(a, b) * (a * a + a * b + b * b).sum(axis=1)).sum()) / 12.0
        return float(np.sqrt(moment / self.area))

    def body(self, *, mass: float | None = None, density: float | None = None) -> Body:
        """A uniform plate of this outline, of `mass` [kg] or of `density` [kg/m^2]."""
        if (mass is None) == (density is None):
            raise InputError("needs either a mass or a density", where="mass", fix="give mass=... or density=...")
        if mass is None:
            mass = checks.positive("density", density, unit="kg/m^2") * self.area
        return Body(mass, self.radius_of_gyration)

    # -- placement ------------------------------------------------------------------------------

    def moved(
        self, offset: ArrayLike = (0.0, 0.0), angle: float = 0.0, *, about: ArrayLike = (0.0, 0.0)
    ) -> PlanarOutline:
        """The outline turned by `angle` [rad] about the point `about`, then shifted by `offset` [m]."""
        by, centre = checks.vector("offset", offset, 2), checks.vector("about", about, 2)
        c, s = np.cos(checks.number("angle", angle, unit="rad")), np.sin(angle)
        return PlanarOutline((self.vertices - centre) @ np.array([[c, s], [-s, c]]) + centre + by)

    def contains(self, points: ArrayLike) -> BoolArray:
        """Whether each point (m, 2) is inside; on the border the answer may be either."""
        import shapely

        return shapely.contains_xy(self.polygon, *checks.array("points", points, ("m", 2)).T)

    def distances(self, points: ArrayLike) -> Array:
        """(m,) distances of points (m, 2) from the border [m], inside and outside."""
        import shapely

        given = shapely.points(checks.array("points", points, ("m", 2)))
        return np.asarray(shapely.distance(self.polygon.exterior, given))


def edge_distances(points: Array, outline: PlanarOutline) -> Array:
    """(m, n) distance of each point (m, 2) from each edge of an outline."""
    return segment_distances(points, outline.vertices, outline.ends)


def segment_distances(points: Array, starts: Array, ends: Array) -> Array:
    """(..., n) distance of points (..., 2) from each of the straight lines between starts and ends (n, 2)."""
    along = ends - starts
    offset = points[..., None, :] - starts
    share = np.clip((offset * along).sum(axis=-1) / (along**2).sum(axis=-1), 0.0, 1.0)
    return np.linalg.norm(offset - share[..., None] * along, axis=-1)


def _check_simple(outline: PlanarOutline, near: float) -> None:
    """No two edges may meet or come within `near`, except neighbours at their common corner."""
    import shapely

    fix = "give a polygon that does not touch itself"
    if not outline.polygon.is_valid:
        reason = shapely.is_valid_reason(outline.polygon)
        raise GeometryError(f"the border meets itself: {reason}", where="vertices", fix=fix)
    touch = edge_distances(outline.vertices, outline) <= near
    for shift in (0, -1):  # a corner ends the edge before it and starts its own
        touch &= ~np.roll(np.eye(len(outline), dtype=bool), shift, axis=1)
    if touch.any():
        i, j = (int(k) for k in np.argwhere(touch)[0])
        raise GeometryError(f"corner {i} touches edge {j}", where="vertices", fix=fix)


#: A corner touches an edge when their distance is below this share of the body's size.
TOUCHING = 1e-6

#: Normals are parallel when their cross product is below this.
PARALLEL = 1e-6


@dataclass(frozen=True, eq=False)
class TouchingContacts:
    """The contacts of a body's outline with its obstacles.

    Attributes:
        contacts: one for each touching point; an edge that lies on an edge gives two, at the ends of what they share.
        points: (k, 2) where they are [m].
        obstacles: (k,) the obstacle of each contact.
        centre: (2,) the centre of mass to which the contacts' r point [m].
    """

    contacts: tuple[Contact, ...]
    points: Array
    obstacles: IntArray
    centre: Array

    def __len__(self) -> int:
        return len(self.contacts)


@with_advice()
def touching_contacts(
    outline: PlanarOutline,
    obstacles: Sequence[PlanarOutline],
    mu: float | Sequence[float],
    *,
    centre: ArrayLike | None = None,
    tolerance: float = TOUCHING,
    must_touch: bool = True,
) -> TouchingContacts:
    """Find where a body touches obstacles, with normals out of the obstacles and the kind of each contact.

    A corner of the body on an edge of an obstacle is of kind "vertex" (type B), a corner of an obstacle on an edge of
    the body of kind "edge" (type A). A corner in a notch touches both edges of it. Edges are straight, so that the kind
    gives the second variation. Contacts are ordered by obstacle, then by the body's corners, then the obstacle's.

    Args:
        outline: of the body, at its position.
        obstacles: outlines of fixed obstacles.
        mu: friction coefficient, one for all or one for each obstacle.
        centre: (2,) centre of mass; by default that of a uniform plate [m].
        tolerance: largest gap or overlap that counts as touching, as a share of the body's size.
        must_touch: whether a body that touches nothing is an error; if False, it has no contacts.

    Raises:
        GeometryError: the body overlaps an obstacle; it touches nothing; a corner touches a corner, where the normal
            is not defined.
    """
    checks.instance("outline", outline, PlanarOutline, fix="give holdfast.planar.PlanarOutline(vertices)")
    checks.iterable("obstacles", obstacles, fix="give a list of PlanarOutline")
    obstacles = tuple(obstacles)
    for j, obstacle in enumerate(obstacles):
        checks.instance(f"obstacles[{j}]", obstacle, PlanarOutline, fix="give holdfast.planar.PlanarOutline(vertices)")
    friction = _frictions(mu, len(obstacles))
    near = checks.number("tolerance", tolerance, low=0.0, high=0.1) * outline.size
    com = outline.centroid if centre is None else checks.vector("centre", centre, 2)
    contacts: list[Contact] = []
    points: list[Array] = []
    owners: list[int] = []
    for j, obstacle in enumerate(obstacles):
        _check_apart(outline, obstacle, near, f"obstacles[{j}]")
        for point, normal, kind in _with_one(outline, obstacle, near, f"obstacles[{j}]"):
            contacts.append(Contact(normal, com - point, float(friction[j]), kind))
            points.append(point)
            owners.append(j)
    if must_touch and not contacts:
        gap = gap_to(outline, obstacles)
        what = f"touches nothing; the nearest obstacle is {gap:.3g} m away" if obstacles else "has no obstacles"
        fix = f"move it, or give a tolerance above {gap / outline.size:.2g}" if obstacles else "give some"
        raise GeometryError(what, where="outline", fix=f"{fix}; must_touch=False allows a body without contacts")
    return TouchingContacts(tuple(contacts), np.array(points).reshape(-1, 2), np.array(owners, dtype=np.int64), com)


def _frictions(mu: float | Sequence[float], count: int) -> list[float]:
    """One coefficient for each of `count` obstacles."""
    if isinstance(mu, str) or not np.iterable(mu):
        return [checks.number("mu", mu, low=0.0)] * count
    given = list(mu)  # pyright: ignore[reportArgumentType]
    if len(given) != count:
        what = f"has {len(given)} numbers"
        raise InputError(what, where="mu", fix=f"give one number, or one for each of {count} obstacles")
    return [checks.number(f"mu[{j}]", one, low=0.0) for j, one in enumerate(given)]


def gap_to(outline: PlanarOutline, obstacles: Sequence[PlanarOutline]) -> float:
    """The least distance of a body from obstacles that it does not overlap [m]; infinite without any."""
    return min((outline.polygon.distance(obstacle.polygon) for obstacle in obstacles), default=np.inf)


def _with_one(
    outline: PlanarOutline, obstacle: PlanarOutline, near: float, where: str
) -> list[tuple[Array, Array, str]]:
    """(point, normal, kind) of all contacts with one obstacle."""
    ours = edge_distances(outline.vertices, obstacle) <= near  # corner i of the body on edge j of the obstacle
    theirs = edge_distances(obstacle.vertices, outline) <= near
    found: list[tuple[Array, Array, str]] = []
    met: set[int] = set()  # corners of the obstacle that touch a corner of the body
    for i, corner in enumerate(outline.vertices):
        if not ours[i].any():
            continue
        twins = np.flatnonzero(np.linalg.norm(obstacle.vertices - corner, axis=1) <= near)
        if len(twins):
            twin = int(twins[0])
            met.add(twin)
            found += [(corner, *rest) for rest in _at_corner(outline, i, obstacle, twin, where)]
        else:
            found += [(corner, obstacle.normals[j], "vertex") for j in np.flatnonzero(ours[i])]
    for i, corner in enumerate(obstacle.vertices):
        if i not in met:
            found += [(corner, -outline.normals[j], "edge") for j in np.flatnonzero(theirs[i])]
    return found


def _at_corner(outline: PlanarOutline, i: int, obstacle: PlanarOutline, j: int, where: str) -> list[tuple[Array, str]]:
    """(normal out of the obstacle, kind) of the contacts where corner i of the body meets its corner j.

    A corner in a notch touches both of the notch's edges. An edge of the body along an edge of the obstacle has that
    edge's normal. Two corners that only meet have none.
    """
    mine, its = outline.normals[[i - 1, i]], obstacle.normals[[j - 1, j]]
    if _same_way(*its):  # a corner of 180 degrees, on a straight side
        return [(its[0], "vertex")]
    if _same_way(*mine):
        return [(-mine[0], "edge")]
    if not obstacle.is_convex_corner[j]:
        return [(normal, "vertex") for normal in its]
    if not outline.is_convex_corner[i]:
        return [(-normal, "edge") for normal in mine]
    for own in _ways(outline, i):
        for other, normal in zip(_ways(obstacle, j), its, strict=True):
            if _same_way(own, other):
                return [(normal, "vertex")]
    place = ", ".join(f"{x:.4g}" for x in outline.vertices[i])
    what = f"corner {j} meets corner {i} of the body at ({place}), where the normal is not defined"
    raise GeometryError(what, where=where, fix="move the body slightly, or give the contacts explicitly")


def _same_way(first: Array, second: Array) -> bool:
    return bool(first @ second > 0.0 and abs(cross(first, second)) <= PARALLEL)


def _ways(outline: PlanarOutline, corner: int) -> Array:
    """(2, 2) unit directions of the edge before a corner and the edge after it, both away from the corner."""
    before, after = outline.normals[corner - 1], outline.normals[corner]
    return np.array([(before[1], -before[0]), (-after[1], after[0])])


def _check_apart(outline: PlanarOutline, obstacle: PlanarOutline, near: float, where: str) -> None:
    """No part of either border may lie deeper than `near` in the other, nor may a point of both be as deep in both."""
    import shapely

    shared = shapely.intersection(outline.polygon, obstacle.polygon)
    if shared.area == 0.0:
        return
    corners = shapely.get_coordinates(shared)
    inside = shapely.get_coordinates(shapely.point_on_surface(shapely.get_parts(shared)))
    depths = np.maximum(outline.distances(corners), obstacle.distances(corners))
    depth = max(float(depths.max()), float(np.minimum(outline.distances(inside), obstacle.distances(inside)).max()))
    if depth > near:
        what = f"overlaps the body, by {depth:.3g} m or more"
        raise GeometryError(what, where=where, fix="move the body out of it, or give a larger tolerance")
