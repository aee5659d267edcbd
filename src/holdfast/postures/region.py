"""SupportRegion: centres of mass of a body for which its hands hold it (21), with proof.

The height of the centre of mass never matters, so regions are planar sets in the plane normal to gravity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, results, tolerances
from ..assembly.loads import checked_gravity
from ..checks import Array, IntArray
from ..errors import InputError, UnitError
from ..geometry.frames import transports
from ..grips import Grip, GripBounds
from ..results import Result
from ..solvers.minkowski import HandWeights
from ..solvers.minkowski.slices import CORNER, THIN, SliceKind, bounded_kind
from .hands import AnyGrip, Hands, LazyGrip, arrays_of, checked_wrench

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

#: World x gives the first axis unless gravity is closer to it than this (45 degrees); then world y gives the second.
ALIGNED = np.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class RegionFrame:
    """The plane normal to gravity: c = origin + x axes[0] + y axes[1] + any multiple of gravity.

    The axes and "up", against gravity, are right-handed. Under gravity along -z they are world x and y. Under a tilted
    gravity the first is close to world x; where gravity is within 45 degrees of world x, the second is
    close to world y.

    Attributes:
        origin: (3,) [m] origin of the coordinates in the world.
        axes: (2, 3) unit vectors in the world, orthogonal to each other and to gravity.
        up: (3,) unit vector against gravity.
    """

    origin: Array
    axes: Array
    up: Array

    @staticmethod
    def across(gravity: ArrayLike) -> RegionFrame:
        """The frame at the world's origin for a gravity (3,) [m/s^2]."""
        g = checked_gravity("gravity", gravity)
        if not np.any(g):
            raise InputError(
                "is zero: without weight, the centre of mass does not matter",
                where="gravity",
                fix="give the acceleration of gravity, such as (0, 0, -9.81)",
            )
        up = -checks.direction("gravity", g, 3) + 0.0
        if abs(up[0]) <= ALIGNED:
            first = _across(np.array([1.0, 0.0, 0.0]), up)
            second = np.cross(up, first)
        else:
            second = _across(np.array([0.0, 1.0, 0.0]), up)
            first = np.cross(second, up)
        axes = np.array([first, second]) + 0.0
        axes.setflags(write=False)
        return RegionFrame(checks.vector("origin", np.zeros(3), 3), axes, up)

    def coordinates(self, com: ArrayLike) -> Array:
        """(..., 2) coordinates [m] of points (..., 3) of the world; points (..., 2) are taken as coordinates."""
        try:
            given = np.asarray(com, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.zeros(())
        last = given.shape[-1:]
        if last == (2,):
            return checks.rows("com", given, 2)
        if last == (3,):
            return (checks.rows("com", given, 3) - self.origin) @ self.axes.T
        raise InputError(
            f"has shape {given.shape}",
            where="com",
            fix="give points (..., 3) of the world, or (..., 2) in coordinates of the region's frame",
        )

    def points(self, coordinates: ArrayLike, height: float = 0.0) -> Array:
        """(..., 3) world points [m] at coordinates (..., 2), `height` [m] above the origin against gravity."""
        return self.origin + checks.rows("coordinates", coordinates, 2) @ self.axes + height * self.up


def _across(wanted: Array, up: Array) -> Array:
    part = wanted - (wanted @ up) * up
    return part / np.linalg.norm(part)


@dataclass(frozen=True, eq=False)
class Weight:
    """A weight whose position normal to gravity is free: the hands must apply base + z @ axes (23).

    Attributes:
        mass: [kg].
        gravity: (3,) [m/s^2] in the world.
        frame: coordinates z of the centre of mass.
        load: (6,) load on the body in addition to its weight, for any position of the mass: force [N] and torque [N m]
            about the world origin.
    """

    mass: float
    gravity: Array
    frame: RegionFrame
    load: Array = field(default_factory=lambda: np.zeros(6))

    @staticmethod
    def of(mass: float, gravity: ArrayLike, load: ArrayLike | None = None) -> Weight:
        """The weight of `mass` [kg] under `gravity` (3,) [m/s^2], and a `load` (6,); all checked."""
        low, high = tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS
        kilograms = checks.number("mass", mass, low=low, high=high, unit="kg")
        beside = checked_wrench("wrench", np.zeros(6) if load is None else load)
        made = Weight(kilograms, checked_gravity("gravity", gravity), RegionFrame.across(gravity), beside)
        newtons, low, high = float(np.abs(made.force).max()), tolerances.SMALLEST_FORCE, tolerances.LARGEST_FORCE
        if not low <= newtons <= high:
            raise UnitError(
                f"weighs {newtons:.3g} N under this gravity", where="mass", fix=f"weights are {low:g} to {high:g} N"
            )
        return made

    @property
    def force(self) -> Array:
        """(3,) [N] on the body."""
        return self.mass * self.gravity

    def wanted(self, point: Array) -> tuple[Array, Array]:
        """(base (6,), axes (2, 6)): wrenches that the hands must apply, about `point` (3,) [m], with z relative to it.

        The affine form w00 + x (w10 - w00) + y (w01 - w00) of the gravity wrenches (22), negated. With coordinates and
        torques relative to the same point, the weight at z = 0 has no torque.
        """
        base = -self.load.copy()
        base[3:] += np.cross(point, self.load[:3])
        base[:3] -= self.force
        axes = np.zeros((2, 6))
        axes[:, 3:] = -np.cross(self.frame.axes, self.force)
        return base, axes

    def wrench(self, coordinates: Array) -> Array:
        """(..., 6) wrenches on the body about the world origin, its centre of mass at (..., 2): (22) and the load."""
        places = self.frame.points(coordinates)
        own = np.concatenate([np.broadcast_to(self.force, places.shape), np.cross(places, self.force)], axis=-1)
        return own + self.load


# Wrenches about a point between the hands: torques about a distant world origin would lose precision.


def support_along(grip: AnyGrip, direction: Array) -> float:
    """Support of a hand along `direction` (6,) of its palm frame: a bound for lazy hands, inf without a limit."""
    if isinstance(grip, GripBounds):
        return float(grip.outer.support(direction))
    if isinstance(grip, LazyGrip):
        return grip.support_bound(direction) if direction.any() else 0.0
    return float(grip.support(direction))


@dataclass(frozen=True, eq=False)
class Centring:
    """The hands relative to the mean of their palms' origins."""

    hands: Hands

    @cached_property
    def centre(self) -> Array:
        """(3,) [m] in the world."""
        return np.array([pose.translation for pose in self.hands.poses]).mean(axis=0)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 6) palm wrenches to wrenches about the centre (13)."""
        turns, shifts = arrays_of(self.hands.poses)
        return transports(turns, shifts - self.centre)

    def to_world(self, multipliers: Array) -> Array:
        """Multipliers (..., 6) against wrenches about the centre, as those against wrenches about the world origin."""
        moved = np.array(multipliers, dtype=np.float64)
        moved[..., :3] += np.cross(self.centre, moved[..., 3:])
        return moved

    def from_world(self, multipliers: Array) -> Array:
        """The inverse of `to_world`."""
        moved = np.array(multipliers, dtype=np.float64)
        moved[..., :3] -= np.cross(self.centre, moved[..., 3:])
        return moved


# Geometry of convex sets in the plane: border, distance, area.


def border_of(corners: Array) -> BaseGeometry:
    """The border of the hull of corners (m, 2); a thin hull is its own border."""
    import shapely

    hull = shapely.MultiPoint(corners).convex_hull
    return hull.exterior if isinstance(hull, shapely.Polygon) else hull


def area_of(kind: SliceKind, vertices: Array, rays: Array) -> float:
    """Area of a planar set: 0 for thin ones, inf for unbounded ones (0 for a half-line or a line)."""
    if kind is SliceKind.POLYGON:
        x, y = (vertices - vertices.mean(axis=0)).T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    if kind is SliceKind.PLANE:
        return np.inf
    if kind is SliceKind.UNBOUNDED:
        spans = np.concatenate([vertices[1:] - vertices[:1], rays[1:]])
        across = np.abs(spans @ np.array([-rays[0, 1], rays[0, 0]]))
        return np.inf if np.any(across > THIN * np.hypot(*spans.T)) else 0.0
    return 0.0


def clipped_square(normals: Array, offsets: Array, centre: Array, reach: float) -> Array:
    """(n, 2) corners, counter-clockwise, of the part of a square about `centre` within the half-planes; () if none."""
    corners = centre + reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, offset in zip(normals, offsets, strict=True):
        if not len(corners):
            break
        beyond = corners @ normal - offset
        inside = beyond <= 0.0
        if inside.all():
            continue
        kept: list[Array] = []
        for i, here in enumerate(corners):
            j = (i + 1) % len(corners)
            if inside[i]:
                kept.append(here)
            if inside[i] != inside[j]:
                share = beyond[i] / (beyond[i] - beyond[j])
                kept.append(here + share * (corners[j] - here))
        corners = np.array(kept).reshape(-1, 2)
    return corners


# SupportRegion: centres of mass of a body for which its hands hold it (V.C), with proof.

#: Relation of a region to the true one: equal, contained in it (inner), or containing it (outer).
RegionSide = Literal["exact", "inner", "outer"]


@dataclass(frozen=True, eq=False)
class RegionProof:
    """The proof of a region.

    Attributes:
        wrenches: (n, k, 6) per vertex, the wrench of every hand in its palm frame [N, N m] that holds the body there;
            NaN in a region that is only outer.
        weights: (n,) per vertex, per hand: the vertices and rays of its grip whose combination is its wrench, and the
            weights. Not meaningful for hands without vertices.
        multipliers: (e, 6) per edge, y against wrenches about the world's origin. All hands together apply at most
            h(y) along y, and y maps the weight to the edge: normal . z <= offset. NaN in a region that is
            only inner.
        separator: (6,) for an empty region: y along which the hands apply less than needed, for any centre of
            mass. None otherwise.
    """

    wrenches: Array
    weights: Sequence[Any]
    multipliers: Array
    separator: Array | None


@dataclass(frozen=True, eq=False, repr=False)
class SupportRegion(Result):
    """Centres of mass, in the plane normal to gravity, for which the hands hold the body (21).

    The region is conv(vertices) + cone(rays), and also {z : normals @ z <= offsets}. Under gravity along -z the
    coordinates are world x and y [m]; see `frame`. The height of the centre of mass never matters.

    Attributes:
        kind: "polygon", "segment", "point", "empty", "unbounded" or "plane".
        vertices: (n, 2) [m] corners, counter-clockwise. An unbounded region that contains a whole line has no corners;
            it has one point of each border line here. For "plane", one point that holds.
        rays: (m, 2) unit directions without limit. The border comes in along the first and leaves along the last of
            two. Opposite rays: a line (one vertex), a strip (two), or with a third ray a half-plane.
        normals: (e, 2) outward unit normals; edge i of a polygon leads from vertex i to the next, of an unbounded
            region to vertex i. Points and segments have four half-planes around them.
        offsets: (e,) [m] of the half-planes.
        side: "exact"; "inner" or "outer" from sampling, "outer" for lazy hands whose volumes are not convex.
        frame: the coordinates.
        weight: mass and gravity.
        hands: grips and poses.
        proof: wrenches per vertex, multipliers per edge.
        method: name of the method.
        solves: number of programs, or of passes over all vertices of the hands.
        size: [m] reference of the region's tolerances: its own size, or the hands' length if that is larger.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("vertices",)

    kind: SliceKind
    vertices: Array
    rays: Array
    normals: Array
    offsets: Array
    side: RegionSide
    weight: Weight
    hands: Hands
    proof: RegionProof
    method: str
    solves: int
    size: float

    def __repr__(self) -> str:
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        area = f", {self.area:.4g} m^2" if self.kind is SliceKind.POLYGON else ""
        return f"SupportRegion({self.kind}, {len(self.vertices)} vertices{rays}{area})"

    @property
    def frame(self) -> RegionFrame:
        """Coordinates of the region: its origin and its axes (2, 3) in the world."""
        return self.weight.frame

    @cached_property
    def centring(self) -> Centring:
        """The hands relative to the mean of their palms."""
        return Centring(self.hands)

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.weight.mass

    @property
    def gravity(self) -> Array:
        """(3,) [m/s^2] in the world."""
        return self.weight.gravity

    @property
    def is_empty(self) -> bool:
        """Whether no centre of mass holds."""
        return self.kind is SliceKind.EMPTY

    @property
    def is_bounded(self) -> bool:
        """Whether the region is bounded."""
        return not len(self.rays)

    @cached_property
    def area(self) -> float:
        """[m^2]; 0 for points, segments and lines, inf for other unbounded regions."""
        return area_of(self.kind, self.vertices, self.rays)

    @cached_property
    def _bounded_border(self) -> BaseGeometry | None:
        """The border of a bounded region, made once; None for an unbounded one."""
        return border_of(self.vertices) if self.is_bounded else None

    # -- questions about a centre of mass -------------------------------------------------------

    def signed_distance(self, com: ArrayLike) -> Array:
        """Distance [m] of centres of mass (..., 3) or (..., 2) from the border, normal to gravity; positive inside.

        Outside it is minus the distance from the region. Thin regions have no inside: 0 on them. -inf for an empty
        region, inf in the whole plane.
        """
        z = self.frame.coordinates(com)
        if self.is_empty or self.kind is SliceKind.PLANE:
            return np.full(z.shape[:-1], -np.inf if self.is_empty else np.inf)[()]
        flat = z.reshape(-1, 2)
        slack = (self.offsets - flat @ self.normals.T).min(axis=1)
        if self.kind in (SliceKind.POINT, SliceKind.SEGMENT):
            slack = np.minimum(slack, 0.0)
        outside = slack < 0.0
        if outside.any():
            import shapely

            border = self._bounded_border
            if border is None:  # a square of this size contains the nearest point of the region to each of the points
                apart = np.abs(flat[outside] - self.vertices[0]).max() + np.ptp(self.vertices, axis=0).max()
                border = border_of(self.outline(4.0 * apart, self.vertices[0]))
            slack[outside] = -np.asarray(shapely.distance(border, shapely.points(flat[outside])))
        return slack.reshape(z.shape[:-1])[()]

    @cached_property
    def extent(self) -> float:
        """[m] largest distance between the corners of a polygon; `size` for other regions, or if it is larger.

        Thin and unbounded regions are known relative to `size`, and corners to a small fraction of it: the extent is at
        least that.
        """
        if self.kind is not SliceKind.POLYGON:
            return self.size
        own = float(np.hypot(*np.ptp(self.vertices, axis=0)))
        return min(self.size, max(own, CORNER / tolerances.MEMBERSHIP * self.size))

    def contains(self, com: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether centres of mass (..., 3) or (..., 2) are in the region, within `tolerance` times its `extent`."""
        return self.signed_distance(com) >= -tolerance * self.extent

    def active(self, com: ArrayLike) -> ActiveConstraint | None:
        """The nearest or most violated edge of a centre of mass (3,) or (2,), with its proof and its hands.

        None in the whole plane, which has no edge.
        """
        return active_constraint(self, com)

    # -- shape ----------------------------------------------------------------------------------

    def outline(self, reach: float, centre: ArrayLike | None = None) -> Array:
        """(p, 2) corners, counter-clockwise, of the region, unbounded ones cut off `reach` [m] about `centre` (2,).

        The centre is the mean of the vertices by default. Bounded regions are given whole.
        """
        if self.is_bounded:
            return self.vertices
        reach = checks.positive("reach", reach, unit="m")
        middle = self.vertices.mean(axis=0) if centre is None else self.frame.coordinates(centre)
        if self.area == 0.0:  # a line or a half-line
            along = self.rays * reach
            return np.concatenate([self.vertices[:1] + along[1:], self.vertices, self.vertices[:1] + along[:1]])
        return clipped_square(self.normals, self.offsets, middle, reach)

    # -- proof ----------------------------------------------------------------------------------

    @cached_property
    def residuals(self) -> RegionResiduals:
        """Errors of the proof, by arithmetic independent of the solver."""
        return residuals_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Shape, method and proof as plain data; coordinates in `frame` [m]."""
        return {
            "kind": str(self.kind),
            "method": self.method,
            "area": self.area,
            "vertices": self.vertices.tolist(),
            "rays": self.rays.tolist(),
            "proof_verified": self.verify(),
            "solves": self.solves,
        }

    @results.proof
    def verify(self) -> bool:
        """Whether every vertex is held, every half-plane proven, and both describe the same set."""
        return is_shape(self) and self.residuals.passed


# What limits a centre of mass: the edge, the multiplier that proves it, the hands at their limit there.

#: A hand does not matter for an edge if its part of the multiplier is below this fraction of the largest.
LIMITING = 1e-9

#: Tolerance for vertices of a grip on the limiting face, as a fraction of the grip's spread.
FACE = 1e-7


@dataclass(frozen=True, eq=False)
class HandAtLimit:
    """One hand that is at its limit when the centre of mass is on the edge.

    Attributes:
        hand: number of the hand.
        normal: (6,) the multiplier in its palm frame: the hand is at its support along it.
        support: [m] contribution of the hand to the edge's offset.
        share: size of the multiplier for this hand; 1 for the largest of all hands.
        vertices: (v,) vertices of its grip whose combination is its wrench; empty for hands without vertices. A foot
            whose only vertex is zero, without rays, applies nothing.
        rays: (r,) rays of its grip that its wrench may contain as well.
    """

    hand: int
    normal: Array
    support: float
    share: float
    vertices: IntArray
    rays: IntArray


@dataclass(frozen=True, eq=False)
class ActiveConstraint:
    """The half-plane that limits a centre of mass.

    Attributes:
        edge: its row in the region's normals and offsets; -1 for an empty region.
        normal: (2,) outward, in the region's coordinates.
        direction: (3,) the same in the world.
        offset: [m].
        slack: [m] distance to the edge along the normal; negative beyond it.
        multiplier: (6,) y against wrenches about the world's origin, which proves the half-plane.
        hands: those at their limit on the edge, the most important one first.
    """

    edge: int
    normal: Array
    direction: Array
    offset: float
    slack: float
    multiplier: Array
    hands: tuple[HandAtLimit, ...]


def active_constraint(region: SupportRegion, com: ArrayLike) -> ActiveConstraint | None:
    """See `SupportRegion.active`."""
    z = region.frame.coordinates(com)
    if z.shape != (2,):
        raise InputError(f"are {z.size // 2} points", where="com", fix="give one centre of mass at a time")
    if region.kind is SliceKind.PLANE:
        return None
    if region.is_empty:
        y = np.zeros(6) if region.proof.separator is None else region.proof.separator
        return ActiveConstraint(-1, np.zeros(2), np.zeros(3), -np.inf, -np.inf, y, hands_at_limit(region, y))
    slack = region.offsets - region.normals @ z
    edge = int(slack.argmin())
    y = region.proof.multipliers[edge]
    normal = region.normals[edge]
    hands = hands_at_limit(region, y) if np.isfinite(y).all() else ()
    return ActiveConstraint(
        edge, normal, normal @ region.frame.axes, float(region.offsets[edge]), float(slack[edge]), y, hands
    )


def hands_at_limit(region: SupportRegion, multiplier: Array) -> tuple[HandAtLimit, ...]:
    """The hands that a multiplier (6,) brings to a border of their grips, the most important one first."""
    hands = region.hands
    normals = np.einsum("m,kmi->ki", region.centring.from_world(multiplier), region.centring.maps)  # (k, 6)
    sizes = np.linalg.norm(normals / hands.scaling, axis=1)
    largest = float(sizes.max())
    if largest == 0.0:
        return ()
    found = []
    for j in np.argsort(-sizes, kind="stable"):
        if sizes[j] <= LIMITING * largest:
            continue
        grip, normal = hands.grips[j], normals[j]
        vertices = rays = np.zeros(0, dtype=np.int64)
        if isinstance(grip, Grip):
            values = grip.vertices @ normal
            spread = float(np.ptp(values)) or float(np.abs(values).max()) or 1.0
            vertices = np.nonzero(values >= values.max() - FACE * spread)[0]
            slopes = np.abs(grip.rays @ normal)
            rays = np.nonzero(slopes <= FACE * np.linalg.norm(grip.rays, axis=1) * np.linalg.norm(normal))[0]
            support = float(values.max())
            if len(vertices) == len(grip.vertices) and len(rays) == len(grip.rays):
                continue  # all its wrenches have the same value here
        else:
            support = support_along(grip, normal)
        found.append(HandAtLimit(int(j), normal, support, float(sizes[j] / largest), vertices, rays))
    return tuple(found)


# Independent check of a region: balances, weights, support functions, and agreement of corners and edges.

#: Tolerance of a proof, relative to the load, a grip's size or the region's size.
PROVEN = 1e-8

#: Number of half-planes of a region that are checked before it is returned.
GLANCES = 8


@dataclass(frozen=True)
class RegionResiduals:
    """Errors of the proof of a region; all are relative, and at most PROVEN if it is proven.

    Attributes:
        balance: sum_j T_j w_j + w, worst vertex, as a share of the load.
        membership: how far the hands' wrenches are outside their grips, as a share of the grips' size.
        multipliers: how far axes @ y is from the edge's normal, worst edge.
        offsets: how much too small an offset is for the support function, as a share of the region's size.
        agreement: how far the vertices are from the edges that should meet there, as a share of the region's size.
        rays: how far a ray is from a direction in which the hands have no limit, as a share of its wrench.
        separation: for an empty region, 1 + PROVEN if y does not separate the needed from the possible wrenches; else
            0.
    """

    balance: float = 0.0
    membership: float = 0.0
    multipliers: float = 0.0
    offsets: float = 0.0
    agreement: float = 0.0
    rays: float = 0.0
    separation: float = 0.0

    @property
    def worst(self) -> float:
        """The largest of them."""
        return float(np.max(list(vars(self).values())))

    @property
    def passed(self) -> bool:
        """Whether all are within the tolerance."""
        return self.worst <= PROVEN


#: The size of a bounded and of an unbounded region is at most this many times that of the hands or of its corners.
LARGEST_SIZE, LARGEST_OPEN_SIZE = 10.0, 1e3


def is_shape(region: SupportRegion) -> bool:
    """Whether the kind is that of the corners, rays and half-planes, and `size` is that of the hands or the corners."""
    n, m, e = len(region.vertices), len(region.rays), len(region.normals)
    shapes = (region.vertices.shape, region.rays.shape, region.normals.shape, region.offsets.shape)
    parts, units = (region.vertices, region.offsets), np.concatenate([region.normals, region.rays])
    if shapes != ((n, 2), (m, 2), (e, 2), (e,)) or not all(np.isfinite(part).all() for part in parts):
        return False
    if not (np.abs(np.hypot(*units.T) - 1.0) <= PROVEN).all():
        return False
    apart = region.vertices - region.frame.coordinates(region.centring.centre)
    own = max(region.hands.length, float(np.abs(apart).max(initial=0.0)))
    most = (LARGEST_OPEN_SIZE if m else LARGEST_SIZE) * own
    if not (1.0 - PROVEN) * region.hands.length <= region.size <= most:
        return False
    if region.is_empty or region.proof.separator is not None:
        return region.is_empty and n == m == e == 0
    if region.kind is SliceKind.PLANE:
        angles = np.sort(np.arctan2(*region.rays.T))
        return e == 0 and bool((np.diff(angles, append=angles[0] + 2.0 * np.pi) < np.pi).all())
    if m:
        return region.kind is SliceKind.UNBOUNDED and e > 0
    counts = {SliceKind.POINT: n == 1, SliceKind.SEGMENT: n == 2, SliceKind.POLYGON: n == e > 2}
    return counts.get(region.kind, False) and bounded_kind(region.vertices, region.size)[0] is region.kind


def residuals_of(region: SupportRegion) -> RegionResiduals:
    """See `SupportRegion.residuals`; for a sampled region only what it claims is checked."""
    base, axes = region.weight.wanted(region.centring.centre)
    about = region.frame.coordinates(region.centring.centre)
    if region.is_empty:
        return RegionResiduals(separation=_separation(region, base, axes))
    found: dict[str, float] = {}
    if region.side != "outer":
        found["balance"] = _balance(region, region.vertices - about)
        found["membership"] = _membership(region)
        found["rays"] = max((_ray_residual(region, ray @ axes) for ray in region.rays), default=0.0)
    if region.side != "inner" and len(region.normals):
        y = region.centring.from_world(region.proof.multipliers)
        found["multipliers"] = float(np.abs(y @ axes.T - region.normals).max())
        offsets = _supports(region, y) - y @ base + region.normals @ about
        found["offsets"] = max(0.0, float((offsets - region.offsets).max())) / region.size
    found["agreement"] = _agreement(region)
    return RegionResiduals(**found)


def stands_a_glance(region: SupportRegion) -> bool:
    """Whether corners and half-planes agree, and some of the half-planes are correct; a fast check."""
    if not _agreement(region) <= PROVEN:
        return False
    some = np.unique(np.linspace(0, len(region.normals) - 1, GLANCES).astype(int)) if len(region.normals) else []
    base, _ = region.weight.wanted(region.centring.centre)
    y = region.centring.from_world(region.proof.multipliers[some])
    about = region.frame.coordinates(region.centring.centre)
    offsets = _supports(region, y) - y @ base + region.normals[some] @ about
    return bool(((offsets - region.offsets[some]) <= PROVEN * region.size).all())


def _balance(region: SupportRegion, z: Array) -> float:
    """Largest sum of the hands' wrenches and the weight, torques about the hands' centre, relative to the load."""
    hands, (base, axes) = region.hands, region.weight.wanted(region.centring.centre)
    given = np.einsum("kmi,nki->nm", region.centring.maps, region.proof.wrenches)
    wanted = base + z @ axes
    load = np.linalg.norm(wanted * hands.scaling, axis=1)
    return float((np.linalg.norm((given - wanted) * hands.scaling, axis=1) / load).max())


def _membership(region: SupportRegion) -> float:
    """Largest distance of a hand's wrench from its grip: by its weights, or by the hand itself without vertices."""
    known = all(isinstance(grip, Grip) for grip in region.hands.grips)
    worst = 0.0
    for wrenches, weights in zip(region.proof.wrenches, region.proof.weights, strict=True):
        for hand, grip in enumerate(region.hands.grips):
            if known and isinstance(grip, Grip):
                worst = max(worst, _outside(grip, wrenches[hand], weights[hand]))
            elif not _gives(grip, wrenches[hand]):
                return 1.0
    return worst


def _gives(grip: AnyGrip, wrench: Array) -> bool:
    """Whether a hand can apply a wrench (6,) of its palm frame; for lazy ones by their hulls."""
    if isinstance(grip, LazyGrip):
        return grip.gives(grip.confirm_hulls(wrench), wrench, hulls=True)
    return bool(grip.contains(wrench))


def _outside(grip: Grip, wrench: Array, weights: HandWeights) -> float:
    """Distance of a wrench (6,) from the combination of its weights."""
    given = weights.values @ grip.vertices[weights.indices] + weights.ray_values @ grip.rays[weights.ray_indices]
    size = max(grip.size, float(np.abs(wrench / grip.unit).max()))
    least = min(float(weights.values.min(initial=0.0)), float(weights.ray_values.min(initial=0.0)))
    return max(
        -least,
        abs(float(weights.values.sum()) - 1.0),
        float(np.abs((given - wrench) / grip.unit).max()) / size,
    )


def _supports(region: SupportRegion, y: Array) -> Array:
    """(e,) support function of the sum along multipliers (e, 6) about the hands' centre."""
    total = np.zeros(len(y))
    for grip, transport in zip(region.hands.grips, region.centring.maps, strict=True):
        local = y @ transport
        if not isinstance(grip, Grip):
            total += np.array([support_along(grip, row) for row in local])
            continue
        total += (local @ grip.vertices.T).max(axis=1)
        if len(grip.rays):
            # A ray normal to its multiplier has rounding errors of the terms that cancel.
            slopes = (local @ grip.rays.T) / np.linalg.norm(grip.rays / grip.unit, axis=1)
            size = np.linalg.norm(np.abs(y) @ np.abs(transport) * grip.unit, axis=1)
            total[(slopes > PROVEN * size[:, None]).any(axis=1)] = np.inf
    return total


def _agreement(region: SupportRegion) -> float:
    """Distance of corners beyond half-planes and, for an exact region, from the edges that end there."""
    if region.kind is SliceKind.PLANE or not len(region.normals):
        return 0.0
    gap = (region.vertices @ region.normals.T - region.offsets) / region.size  # (n, e)
    worst = max(0.0, float(gap.max()))
    n, e = gap.shape
    if region.kind is SliceKind.POLYGON:
        ends = np.concatenate([gap[np.arange(n), np.arange(e)], gap[(np.arange(e) + 1) % n, np.arange(e)]])
    elif region.kind is SliceKind.UNBOUNDED and e == n + 1:
        ends = np.concatenate([gap[np.arange(n), np.arange(n)], gap[np.arange(n), np.arange(n) + 1]])
    else:
        ends = gap.max(axis=0)  # every half-plane touches: thin regions, lines, strips, half-planes
    turning = (region.normals @ region.rays.T).max(initial=0.0) if len(region.rays) else 0.0
    return max(worst, float(np.abs(ends).max(initial=0.0)), float(turning))


def _ray_residual(region: SupportRegion, wrench: Array) -> float:
    """Distance of a direction (6,) of wrenches from the cone of unlimited directions of the hands."""
    from scipy.optimize import nnls

    hands = region.hands
    if not all(isinstance(grip, Grip) for grip in hands.grips):
        return 0.0  # hands without a list of rays prove it by their own programs
    rays = [g.rays @ m.T for g, m in zip(hands.grips, region.centring.maps, strict=True) if isinstance(g, Grip)]
    columns = (np.concatenate(rays) * hands.scaling).T
    lengths = np.linalg.norm(columns, axis=0)
    target = wrench * hands.scaling
    if not columns.size:
        return 1.0
    _, rest = nnls(columns / lengths, target / np.linalg.norm(target), maxiter=100 * columns.shape[1])
    return float(rest)


def _separation(region: SupportRegion, base: Array, axes: Array) -> float:
    """0 if the separator proves that nothing holds: y . w is independent of the position, and the hands apply less."""
    y = region.proof.separator
    if y is None:
        return 1.0 + PROVEN
    y = region.centring.from_world(y)
    support = float(_supports(region, y[None])[0])
    reach = np.abs(y / region.hands.scaling).sum() * np.linalg.norm(base)
    still = np.abs(axes @ y).max() * region.size <= PROVEN * reach
    return 0.0 if still and float(y @ base) - support > tolerances.SEPARATION * reach else 1.0 + PROVEN
