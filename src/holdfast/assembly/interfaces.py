"""Contacts between shapes that touch: faces, edges and corners of boxes and meshes, spheres, cylinders.

Two flat faces touch where they are opposite, parallel to `ANGLE` and closer than the gap. Their common polygon is an
interface. Forces of one convex cone K may act anywhere on it, and contacts at the corners x_i of its convex hull bear
exactly the same wrenches: a force f in K at an inner point x = sum_i l_i x_i, l_i >= 0, sum_i l_i = 1, has the wrench

    (f, x x f) = sum_i (l_i f, x_i x l_i f),    l_i f in K.

This holds only for cones. A volume with a limit is the strength of a region or of an area, and is divided among the
points.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

import numpy as np
import shapely
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import FrameError, GeometryError, InputError, UnknownNameError, missing_extra
from ..force_limits.volume import ForceVolume
from ..geometry.frames import frame_from_normal
from ..geometry.polygons import corner_shares
from ..public_names import with_advice
from .assembly import WORLD
from .contacts import Contact, Unit, volume_shares
from .shapes import Box, Cylinder, Mesh, Shape, Sphere, as_shape

#: Surfaces that are closer than this share of the size of the smaller shape touch.
GAP = 1e-3

#: Most pairs of faces and corners of shapes that are near each other; memory and time grow with them.
MOST_COMPARED = 50_000_000

#: Faces, edges and axes are parallel when the angle between them is below this [rad].
ANGLE = 1e-3

#: Triangles of a mesh are one face when none of their corners leaves their mean plane by this share of the mesh.
FLAT_FACE = 1e-5

#: Corners on the circle of a cylinder's end: an inner polygon whose radius is at least cos(pi / CIRCLE) = 0.991 of it.
CIRCLE = 24

#: Most pairs of edge directions for which the depth of penetration is found by trying them all; beyond, by Coal.
MOST_AXES = 20_000

#: What a volume is the strength of: each point, a region (face, line or point), or a square metre.
Share = Literal["point", "region", "area"]


@dataclass(frozen=True, eq=False)
class ContactRegion:
    """Where two shapes touch: a flat face, a line or a point.

    Attributes:
        body: name of the body that the normal points into.
        against: name of the body on the other side, or None for the world.
        normal: (3,) unit normal into `body`.
        pieces: convex polygons (m, 3), a segment (2, 3) or a point (1, 3) that make it up [m].
    """

    body: str
    against: str | None
    normal: Array
    pieces: tuple[Array, ...]

    @property
    def name(self) -> str:
        """Such as "upper on lower"."""
        return f"{self.body} on {self.against or WORLD}"

    @cached_property
    def area(self) -> float:
        """[m^2]; 0 for a line or a point."""
        return float(sum(_area(piece) for piece in self.pieces))

    @cached_property
    def corners(self) -> Array:
        """(p, 3) corners of the convex hull, in order around it [m]."""
        return self.pieces[0] if len(self.pieces) == 1 else _hull_corners(np.concatenate(self.pieces), self.normal)

    def shared_points(self) -> tuple[Array, Array]:
        """(points (p, 3) [m], shares (p,)): the corners of all pieces, with the share of the area of each.

        The shares sum to 1 and their mean position is the centroid. A line is shared by its ends, half each.
        """
        total = self.area
        made: list[tuple[Array, float]] = []
        for piece in self.pieces:
            weight = _area(piece) / total if total > 0.0 else 1.0 / len(self.pieces)
            flat = piece @ frame_from_normal(self.normal)[:, :2]
            shares = corner_shares(flat) if len(piece) > 2 else np.full(len(piece), 1.0 / len(piece))
            made += zip(piece, weight * shares, strict=True)
        points = np.array([point for point, _ in made])
        kept, owner = _merged(points)
        return points[kept], np.bincount(owner, [share for _, share in made])


@with_advice()
def contact_regions(
    shapes: Mapping[str, Any],
    *,
    world: Any = (),
    gap: float | None = None,
    pairs: Iterable[tuple[str, str | None]] | None = None,
    skip: Iterable[tuple[str, str | None]] = (),
) -> tuple[ContactRegion, ...]:
    """Where shapes touch each other and the world.

    The following contacts are found: face on face, edge on face, corner on face, crossing edges, spheres and full
    cylinders on all of these and on each other. Cylinders that touch with the rim of an end, other than on a face, are
    found by the package Coal. Not found, since the normal is not unique: two corners, a corner on an edge, two parallel
    edges. A mesh is the surface of a solid with triangles that wind counter-clockwise seen from outside, or an open
    sheet that is touched on its outer side. It need not be convex; but Coal accepts only convex meshes, and a body
    completely inside a non-convex body is not detected.

    Args:
        shapes: a shape, or a list of shapes, for each body.
        world: a shape, or a list of shapes, that does not move: floor, walls.
        gap: surfaces closer than this touch, and may penetrate by as much [m]; by default `GAP` times the size
            (largest side of the bounding box) of the smaller shape of each pair.
        pairs: (body, against) that are checked, with None or "world" for the world; all by default. By default `body`
            is the later one of two bodies, as in a list from the ground up.
        skip: pairs that are left out, in either order.

    Raises:
        GeometryError: two shapes penetrate each other by more than the gap, or one is a curved plate.
        InputError: the meshes have too many triangles to be compared.
    """
    solids = {name: [_solid(shape, name) for shape in _listed(given)] for name, given in shapes.items()}
    if WORLD in solids:
        raise InputError("is the name of a body", where=f"shapes[{WORLD!r}]", fix="give the body another name")
    fixed = [_solid(shape, WORLD) for shape in _listed(world)]
    reach = None if gap is None else checks.positive("gap", gap, unit="m")
    found: list[ContactRegion] = []
    compared = 0
    skipped = {frozenset(_checked_pair("skip", number, pair, solids)) for number, pair in enumerate(skip)}
    for body, against in _near_pairs(solids, fixed, reach, pairs):
        if frozenset((body, against)) in skipped:
            continue
        for first, second in itertools.product(solids[body], fixed if against is None else solids[against]):
            size = min(first.size, second.size)
            limit = GAP * size if reach is None else reach
            if _boxes_apart(first, second, limit):
                continue
            compared += (len(first.normals) + len(first.corners)) * (len(second.normals) + len(second.corners))
            if compared > MOST_COMPARED:
                what = f"have {compared:,} pairs of faces and corners to compare, up to {body} and {against or WORLD}"
                raise InputError(what, where="shapes", fix=f"at most {MOST_COMPARED:,}: give meshes fewer triangles")
            touching = _touch(first, second, limit, f"{body} and {against or WORLD}")
            found += [ContactRegion(body, against, normal, pieces) for normal, pieces in touching]
    return tuple(found)


@with_advice()
def touching(
    shapes: Mapping[str, Any],
    volume: ForceVolume,
    *,
    world: Any = (),
    gap: float | None = None,
    pairs: Iterable[tuple[str, str | None]] | None = None,
    share: Share | None = None,
    shear: ArrayLike | None = None,
) -> tuple[Contact, ...]:
    """Contacts where shapes touch each other and the world; see `contact_regions` for what is found.

    Contacts of one interface have one frame, with the normal into their `body`, and are called "upper on lower[0]",
    "upper on lower[1]", ... With share="point" regions in one plane are joined: the corners of their common convex
    hull bear the same wrenches.

    Args:
        shapes: a shape, or a list of shapes, for each body.
        volume: admissible forces in the contact frame.
        world: a shape, or a list of shapes, that does not move.
        gap: surfaces closer than this touch [m]; see `contact_regions`.
        pairs: (body, against) that are checked; all by default.
        share: what `volume` is the strength of. "point": each contact has all of it, which is exact for a convex cone.
            "region": one face, line or point; it is divided among the corners in proportion to the area of each.
            "area": 1 m^2. By default "point"; for volumes other than one convex cone another one must be chosen.
        shear: direction in the world whose component along the surface is the shear axis u; where it is parallel to
            the normal, and by default, the world axis least aligned with the normal.
    """
    return region_contacts(contact_regions(shapes, world=world, gap=gap, pairs=pairs), volume, share=share, shear=shear)


@with_advice()
def region_contacts(
    regions: Sequence[ContactRegion],
    volume: ForceVolume,
    *,
    share: Share | None = None,
    shear: ArrayLike | None = None,
) -> tuple[Contact, ...]:
    """Contacts of `touching` for regions that are known already."""
    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume or a model: hf.models.coulomb(0.5)")
    share = _checked_share(share, volume)
    if share == "point":
        regions = _joined(regions)
    numbers: dict[str, int] = {}
    made: list[Contact] = []
    for region in regions:
        points, volumes, unit = region.corners, None, None
        if share != "point":
            points, fractions = region.shared_points()
            if share == "area":
                if region.area == 0.0:
                    fix = 'use share="region" for these pairs'
                    raise GeometryError("touch in a line or a point, which has no area", where=region.name, fix=fix)
                fractions = fractions * region.area
            volumes = volume_shares(volume, fractions)
            unit = Unit(region.name) if len(volume) > 1 else None
        frame = _frame(region.normal, shear)
        for index, point in enumerate(points):
            number = numbers[region.name] = numbers.get(region.name, -1) + 1
            own = volume if volumes is None else volumes[index]
            name = f"{region.name}[{number}]"
            made.append(Contact(point, frame, own, name, unit, body=region.body, against=region.against))
    return tuple(made)


def _checked_share(share: Share | None, volume: ForceVolume) -> Share:
    cone = len(volume) == 1 and not volume.pieces[0].any()
    if share is None:
        if not cone:
            fix = 'give share="region" for the strength of a face, "area" for that of 1 m^2, or "point"'
            raise InputError("is not a convex cone, so its strength must be divided", where="volume", fix=fix)
        return "point"
    if share not in ("point", "region", "area"):
        raise InputError(f"is {share!r}", where="share", fix='give "point", "region" or "area"')
    return share


def _frame(normal: Array, shear: ArrayLike | None) -> Array:
    try:
        return frame_from_normal(normal, shear)
    except FrameError:
        return frame_from_normal(normal)


def _joined(regions: Sequence[ContactRegion]) -> tuple[ContactRegion, ...]:
    """Flat regions of one interface in one plane as one region."""
    kept: dict[str, list[ContactRegion]] = {}
    for region in regions:
        others = kept.setdefault(region.name, [])
        for place, other in enumerate(others):
            both = np.concatenate([*other.pieces, *region.pieces])
            size = float(np.ptp(both, axis=0).max())
            if region.normal @ other.normal > 1.0 - ANGLE**2 and np.ptp(both @ other.normal) <= GAP * size:
                others[place] = replace(other, pieces=other.pieces + region.pieces)
                break
        else:
            others.append(region)
    return tuple(itertools.chain.from_iterable(kept.values()))


# -- shapes as faces, edges and corners ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Face:
    """A flat face: outward normal, plane normal . x = offset, outline in the plane of `frame` through 0."""

    normal: Array
    offset: float
    frame: Array
    outline: Any

    def in_frame(self, frame: Array) -> Any:
        """The outline seen along the third column of another frame (3, 3)."""
        lift, back = self.frame[:, :2], self.offset * self.normal
        return shapely.transform(self.outline, lambda flat: (flat @ lift.T + back) @ frame[:, :2])

    def covers(self, points: Array) -> Any:
        """(n,) whether the feet of points (n, 3) lie on the face, its border included."""
        flat = points @ self.frame[:, :2]
        slack = tolerances.MERGE * float(np.abs(flat).max(initial=1.0))
        return shapely.dwithin(self.outline, shapely.points(flat), slack)


@dataclass(frozen=True, eq=False)
class _Solid:
    """A shape, its bounding box, its flat faces, its edges with two faces, and its corners.

    Attributes:
        normals: (f, 3) outward normals of the faces, with planes normals . x = offsets.
        low: (3,) corner of the bounding box; `high` the other.
        edges: (e, 2, 3) ends of the convex edges.
        sides: (e, 2, 3) unit directions from an edge into its two faces, at right angles to it.
        corners: (c, 3), and `spokes`: directions of the edges from each.
        convex: whether the solid is.
    """

    shape: Shape
    low: Array
    high: Array
    normals: Array
    offsets: Array
    outlines: Any
    edges: Array
    sides: Array
    corners: Array
    spokes: tuple[Array, ...]
    convex: bool

    @cached_property
    def size(self) -> float:
        return float((self.high - self.low).max())

    def face(self, number: int) -> _Face:
        frame, outline = self.outlines(number)
        return _Face(self.normals[number], float(self.offsets[number]), frame, outline)

    @cached_property
    def directions(self) -> Array:
        """(d, 3) distinct directions of the edges."""
        along = self.edges[:, 1] - self.edges[:, 0]
        along = along / np.linalg.norm(along, axis=1)[:, None]
        first = np.take_along_axis(along, np.abs(along).argmax(axis=1)[:, None], axis=1)
        return np.unique(np.round(along * np.sign(first), 6), axis=0)

    def support(self, directions: Array) -> Array:
        """(d,) largest height along directions (d, 3); shapes without corners by their closed form."""
        shape = self.shape
        if isinstance(shape, Sphere):
            return directions @ shape.center + shape.radius * np.linalg.norm(directions, axis=1)
        if isinstance(shape, Cylinder):
            along = directions @ shape.axis
            across = np.linalg.norm(directions - along[:, None] * shape.axis, axis=1)
            return directions @ shape.center + 0.5 * shape.length * np.abs(along) + shape.radius * across
        return (directions @ self.corners.T).max(axis=1)


def _listed(given: Any) -> Sequence[Any]:
    return given if isinstance(given, Sequence) else [given]


def _solid(given: Any, name: str) -> _Solid:
    try:
        shape = as_shape(given)
    except InputError as error:
        raise InputError(error.what, where=name, fix=error.fix) from None
    if isinstance(shape, Box):
        return _box(shape)
    if isinstance(shape, Mesh):
        return _mesh(shape)
    nothing, flat = np.zeros((0, 3)), np.zeros((0, 2, 3))
    if isinstance(shape, Sphere):
        low, high = shape.center - shape.radius, shape.center + shape.radius
        return _Solid(shape, low, high, nothing, np.zeros(0), None, flat, flat, nothing, (), True)
    if shape.half_angle < np.pi:
        fix = "give a full cylinder, or the contacts themselves"
        raise GeometryError("is a curved plate, not a solid", where=name, fix=fix)
    reach = 0.5 * shape.length * np.abs(shape.axis) + shape.radius * np.sqrt(np.maximum(1.0 - shape.axis**2, 0.0))
    normals = np.array([shape.axis, -shape.axis])
    offsets = normals @ shape.center + 0.5 * shape.length
    turn = 2.0 * np.pi * np.arange(CIRCLE) / CIRCLE

    def outlines(number: int) -> tuple[Array, Any]:
        frame = shape.pose.rotation
        ring = shape.center + shape.radius * np.column_stack([np.cos(turn), np.sin(turn)]) @ frame[:, :2].T
        return frame, shapely.polygons(ring @ frame[:, :2])

    low, high = shape.center - reach, shape.center + reach
    return _Solid(shape, low, high, normals, offsets, outlines, flat, flat, nothing, (), True)


_SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))  # corners of a box
_AXIS_FACES = [(axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]


def _box(shape: Box) -> _Solid:
    turn, centre, half = shape.pose.rotation, shape.pose.translation, 0.5 * shape.size
    corners = _SIGNS * half @ turn.T + centre
    normals = np.array([sign * turn[:, axis] for axis, sign in _AXIS_FACES])
    offsets = normals @ centre + np.repeat(half, 2)
    edges, sides = [], []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        for sb, sc in itertools.product((-1.0, 1.0), repeat=2):
            middle = centre + sb * half[b] * turn[:, b] + sc * half[c] * turn[:, c]
            edges.append((middle - half[axis] * turn[:, axis], middle + half[axis] * turn[:, axis]))
            sides.append((-sb * turn[:, b], -sc * turn[:, c]))
    spokes = tuple(-signs[:, None] * turn.T for signs in _SIGNS)

    def outlines(number: int) -> tuple[Array, Any]:
        axis = _AXIS_FACES[number][0]
        b, c = (axis + 1) % 3, (axis + 2) % 3
        frame = turn[:, [b, c, axis]]
        x, y = centre @ frame[:, :2]
        return frame, shapely.box(x - half[b], y - half[c], x + half[b], y + half[c])

    low, high = corners.min(axis=0), corners.max(axis=0)
    return _Solid(shape, low, high, normals, offsets, outlines, np.array(edges), np.array(sides), corners, spokes, True)


def _mesh(shape: Mesh) -> _Solid:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    low, high = shape.vertices[shape.faces].reshape(-1, 3).min(0), shape.vertices[shape.faces].reshape(-1, 3).max(0)
    kept, owner = _merged(shape.vertices)
    points, faces = shape.vertices[kept], owner[shape.faces]
    cross = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    doubled = np.linalg.norm(cross, axis=1)
    real = doubled > tolerances.MERGE * float((high - low).max()) ** 2
    if not real.any():
        raise GeometryError("has no face with an area", where="shape", fix="give a surface of triangles")
    faces, normals, areas = faces[real], (cross / np.where(doubled > 0.0, doubled, 1.0)[:, None])[real], doubled[real]
    # Half-edges of both triangles at each inner edge.
    halves = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    owners = np.repeat(np.arange(len(faces)), 3)
    ends, edge_of, counts = np.unique(np.sort(halves, axis=1), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge_of.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])[counts == 2]
    one, two = order[starts], order[starts + 1]
    closed = bool((counts == 2).all())
    if closed and float((areas * np.einsum("fi,fi->f", normals, points[faces[:, 0]] - low)).sum()) < 0.0:
        normals, halves = -normals, halves[:, ::-1]  # all triangles face inwards
    along = points[halves[:, 1]] - points[halves[:, 0]]
    inward = np.cross(normals[owners], along)
    inward /= np.linalg.norm(inward, axis=1)[:, None]
    bend = np.einsum("ei,ei->e", inward[two], normals[owners[one]])  # below 0 for a convex edge
    flat = (np.abs(bend) < ANGLE) & (np.einsum("ei,ei->e", normals[owners[one]], normals[owners[two]]) > 0.0)
    links = coo_array((np.ones(flat.sum()), (owners[one[flat]], owners[two[flat]])), shape=(len(faces), len(faces)))
    facet_of = np.asarray(connected_components(links, directed=False)[1])
    facet_of = _flat_facets(points, faces, normals, areas, facet_of, FLAT_FACE * float((high - low).max()))
    inner = facet_of[owners[one]] != facet_of[owners[two]]
    whole = connected_components(coo_array((np.ones(len(one)), (owners[one], owners[two])), (len(faces),) * 2))[0]
    convex = closed and whole == 1 and bool((bend < ANGLE).all())
    sharp = inner & (bend < -0.0)
    one, two = one[sharp], two[sharp]
    members = np.split(np.argsort(facet_of, kind="stable"), np.cumsum(np.bincount(facet_of))[:-1])
    means = np.array([areas[part] @ normals[part] for part in members])
    means /= np.linalg.norm(means, axis=1)[:, None]
    offsets = np.array([m @ points[faces[part]].reshape(-1, 3).mean(0) for m, part in zip(means, members, strict=True)])
    made: dict[int, tuple[Array, Any]] = {}

    def outlines(number: int) -> tuple[Array, Any]:
        if number not in made:
            frame = frame_from_normal(means[number])
            parts: Any = shapely.polygons(points[faces[members[number]]] @ frame[:, :2])
            made[number] = frame, shapely.coverage_union_all(parts) if len(parts) > 1 else parts[0]
        return made[number]

    border = np.unique(ends[np.isin(np.arange(len(ends)), edge_of.ravel()[one])])
    spokes = _spokes(points, ends, border)
    edges, sides = points[halves[one]], np.stack([inward[one], inward[two]], axis=1)
    corners = points[border]
    return _Solid(shape, low, high, means, offsets, outlines, edges, sides, corners, spokes, convex)


def _flat_facets(
    points: Array, faces: IntArray, normals: Array, areas: Array, facet_of: IntArray, slack: float
) -> IntArray:
    """Numbers of the facets (f,), with every facet that leaves its mean plane by more than `slack` [m] cut up."""
    count = int(facet_of.max()) + 1
    means = np.zeros((count, 3))
    np.add.at(means, facet_of, areas[:, None] * normals)
    means /= np.maximum(np.linalg.norm(means, axis=1), np.finfo(float).tiny)[:, None]
    heights = np.einsum("fci,fi->fc", points[faces], means[facet_of])
    top, bottom = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(top, facet_of, heights.max(axis=1))
    np.minimum.at(bottom, facet_of, heights.min(axis=1))
    bent = (top - bottom > slack)[facet_of]
    split = np.where(bent, count + np.arange(len(faces)), facet_of)
    return np.unique(split, return_inverse=True)[1].ravel()


def _spokes(points: Array, ends: IntArray, border: IntArray) -> tuple[Array, ...]:
    """Unit directions (s, 3) of the edges `ends` (e, 2) from each point of `border`."""
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], border)
    last = np.searchsorted(both[:, 0], border, side="right")
    along = points[both[:, 1]] - points[both[:, 0]]
    along /= np.linalg.norm(along, axis=1)[:, None]
    return tuple(along[a:b] for a, b in zip(first, last, strict=True))


# -- which pairs are near ------------------------------------------------------------------------------


def _near_pairs(
    solids: Mapping[str, Sequence[_Solid]],
    world: Sequence[_Solid],
    gap: float | None,
    pairs: Iterable[tuple[str, str | None]] | None,
) -> list[tuple[str, str | None]]:
    """Pairs (body, against) that are asked for, or all whose bounding boxes are closer than the gap."""
    if pairs is not None:
        return [_checked_pair("pairs", number, pair, solids) for number, pair in enumerate(pairs)]
    names = list(solids)
    low = np.array([np.min([solid.low for solid in parts], axis=0) for parts in solids.values()]).reshape(-1, 3)
    high = np.array([np.max([solid.high for solid in parts], axis=0) for parts in solids.values()]).reshape(-1, 3)
    slack = GAP * float((high - low).max(initial=0.0)) if gap is None else gap
    below = np.all(low[:, None] <= high[None] + slack, axis=2)
    near: Any = below & below.T
    found: list[tuple[str, str | None]] = []
    for place, name in enumerate(names):  # every body with the world and with those before it
        found += [(name, None)] if world else []
        found += [(name, names[other]) for other in np.nonzero(near[place, :place])[0].tolist()]
    return found


def _checked_pair(name: str, number: int, pair: Any, solids: Mapping[str, Any]) -> tuple[str, str | None]:
    where = f"{name}[{number}]"
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InputError(f"is {pair!r}", where=where, fix="give two names: (body, against)")
    body, against = pair[0], None if pair[1] == WORLD else pair[1]
    for given in (body, against):
        if given is not None and given not in solids:
            raise UnknownNameError("body", str(given), solids, where=where)
    if body == against:
        raise InputError(f"is {body!r} twice", where=where, fix="a body does not touch itself: give another one")
    return body, against


def _boxes_apart(a: _Solid, b: _Solid, gap: float) -> bool:
    return bool((a.low > b.high + gap).any() or (b.low > a.high + gap).any())


# -- two solids ----------------------------------------------------------------------------------------

#: What touches: the normal into the first solid (3,), and convex pieces (m, 3).
_Touching = tuple[Array, tuple[Array, ...]]


def _touch(a: _Solid, b: _Solid, gap: float, names: str) -> list[_Touching]:
    """Where two solids touch; an error where they penetrate by more than the gap."""
    if _roundness(b) > _roundness(a):
        return [(-normal, pieces) for normal, pieces in _touch(b, a, gap, names)]
    if isinstance(a.shape, Sphere):
        return _sphere(a.shape, b, gap, names)
    both_convex = a.convex and b.convex
    if both_convex:
        normals = np.concatenate([-a.normals, b.normals])
        apart = float((-a.support(-normals) - b.support(normals)).max())
        if apart > gap:
            return []
        if apart < -gap:
            _check_depth(a, b, gap, names)
    elif a.edges.size and b.edges.size:
        _check_crossing(a, b, gap, names)
    found = _face_on_face(a, b, gap)
    if found and both_convex:
        return found  # the common part of two convex solids that touch is flat: this face is all of it
    flat = np.array([normal for normal, _ in found]).reshape(-1, 3)
    for first, second, sign in ((a, b, 1.0), (b, a, -1.0)):
        made = _edge_on_face(first, second, gap) + _corner_on_face(first, second, gap)
        found += [(sign * normal, pieces) for normal, pieces in made]
    found += _crossing_edges(a, b, gap)
    if isinstance(a.shape, Cylinder):
        found += _mantle(a.shape, b, gap)
        if isinstance(b.shape, Cylinder):
            found += _two_mantles(a.shape, b.shape, gap)
        if not found and both_convex:
            found = _nearest(a, b, gap)
    return _distinct(found, len(flat), gap)


def _roundness(solid: _Solid) -> int:
    return 2 if isinstance(solid.shape, Sphere) else int(isinstance(solid.shape, Cylinder))


def _distinct(found: list[_Touching], faces: int, gap: float) -> list[_Touching]:
    """`found` without points and lines that are on a face or repeat an earlier one."""
    kept = found[:faces]
    for normal, pieces in found[faces:]:
        points = np.concatenate(pieces)
        repeated = False
        for other, theirs in kept:
            if normal @ other > 1.0 - ANGLE:
                repeated = repeated or all(_within(point, other, theirs, gap) for point in points)
        if not repeated:
            kept.append((normal, pieces))
    return kept


def _within(point: Array, normal: Array, pieces: tuple[Array, ...], gap: float) -> bool:
    frame = frame_from_normal(normal)
    flat = shapely.Point(point @ frame[:, :2])
    return any(_flat_geometry(piece @ frame[:, :2]).distance(flat) <= gap for piece in pieces)


def _flat_geometry(part: Array) -> Any:
    if len(part) > 2:
        return shapely.Polygon(part)
    return shapely.LineString(part) if len(part) == 2 else shapely.Point(part[0])


def _check_depth(a: _Solid, b: _Solid, gap: float, names: str) -> None:
    """An error unless two convex solids penetrate by at most the gap, over directions from pairs of edges too."""
    if a.edges.size and b.edges.size and len(a.directions) * len(b.directions) <= MOST_AXES:
        axes = np.cross(a.directions[:, None], b.directions[None]).reshape(-1, 3)
        lengths = np.linalg.norm(axes, axis=1)
        axes = axes[lengths > ANGLE] / lengths[lengths > ANGLE][:, None]
        axes = np.concatenate([axes, -axes, -a.normals, b.normals])
        depth = -float((-a.support(-axes) - b.support(axes)).max())
    else:
        depth = -_distance(a, b)[0]
    if depth > gap:
        raise _too_deep(names, depth, gap)


def _too_deep(names: str, depth: float, gap: float) -> GeometryError:
    fix = f"move them apart, or give gap={1.01 * depth:.2g} to accept it"
    return GeometryError(f"penetrate each other by {depth:.3g} m, more than the gap {gap:.3g} m", where=names, fix=fix)


def _check_crossing(a: _Solid, b: _Solid, gap: float, names: str) -> None:
    """An error where an edge of one passes through a face of the other, with both ends beyond the gap."""
    for first, second in ((a, b), (b, a)):
        edges = first.edges[_near_edges(first, second, gap)]
        faces = _near_faces(second, first, gap)
        if not len(edges) or not len(faces):
            continue
        heights = np.einsum("eci,fi->efc", edges, second.normals[faces]) - second.offsets[faces][None, :, None]
        low, high = heights.min(axis=2), heights.max(axis=2)
        deepest = 0.0
        for edge, face in np.argwhere((low < -gap) & (high > gap)):
            h0, h1 = heights[edge, face]
            point = edges[edge, 0] + h0 / (h0 - h1) * (edges[edge, 1] - edges[edge, 0])
            plane = second.face(int(faces[face]))
            flat = shapely.Point(point @ plane.frame[:, :2])
            if plane.outline.contains(flat) and plane.outline.boundary.distance(flat) > gap:
                deepest = max(deepest, min(-low[edge, face], high[edge, face]))
        if deepest > gap:
            raise _too_deep(names, float(deepest), gap)


# -- polyhedra -----------------------------------------------------------------------------------------


def _near_faces(a: _Solid, b: _Solid, gap: float) -> IntArray:
    """Numbers of the faces of `a` whose plane comes closer to the bounding box of `b` than the gap."""
    centre, half = 0.5 * (b.low + b.high), 0.5 * (b.high - b.low)
    heights = a.normals @ centre - a.offsets
    return np.nonzero(np.abs(heights) <= np.abs(a.normals) @ half + gap)[0]


def _near_edges(a: _Solid, b: _Solid, gap: float) -> IntArray:
    low, high = a.edges.min(axis=1), a.edges.max(axis=1)
    return np.nonzero(((low <= b.high + gap) & (high >= b.low - gap)).all(axis=1))[0]


def _face_on_face(a: _Solid, b: _Solid, gap: float) -> list[_Touching]:
    """Common polygons of opposite faces closer than the gap, in the middle between them."""
    mine, theirs = _near_faces(a, b, gap), _near_faces(b, a, gap)
    opposite = a.normals[mine] @ b.normals[theirs].T <= -np.cos(ANGLE)
    reach = a.size + b.size
    apart = np.abs(a.offsets[mine][:, None] + b.offsets[theirs][None])  # of parallel planes
    farther = gap + ANGLE * (reach + np.abs(a.low).max() + np.abs(b.low).max())
    found = []
    for i, j in np.argwhere(opposite & (apart <= farther)):
        one, two = a.face(int(mine[i])), b.face(int(theirs[j]))
        frame = frame_from_normal(two.normal - one.normal)
        common = shapely.intersection(one.in_frame(frame), two.in_frame(frame))
        if common.is_empty or common.area == 0.0:
            continue
        planes = tuple(np.append(face.normal @ frame, face.offset) for face in (one, two))
        common = _closer_than(common, planes, gap)
        polygons = [part for part in shapely.get_parts(common) if _is_wide(part, gap)]
        if polygons:
            pieces = [piece for part in polygons for piece in _convex_pieces(part)]
            found.append((frame[:, 2], tuple(_between(piece, planes) @ frame.T for piece in pieces)))
    return found


def _heights(flat: Array, plane: Array) -> Array:
    """(m,) height of a plane (normal (3,), offset) over points (m, 2) of a frame."""
    return (plane[3] - flat @ plane[:2]) / plane[2]


def _between(flat: Array, planes: Sequence[Array]) -> Array:
    return np.column_stack([flat, 0.5 * (_heights(flat, planes[0]) + _heights(flat, planes[1]))])


def _closer_than(common: Any, planes: Sequence[Array], gap: float) -> Any:
    """The part of a polygon in which two planes are closer than the gap."""
    one, two = planes
    flat = shapely.get_coordinates(common)
    apart = np.abs(_heights(flat, one) - _heights(flat, two))
    if apart.max() <= gap:
        return common
    if apart.min() > gap and np.ptp(apart) == 0.0:
        return shapely.Polygon()
    slope = one[:2] / one[2] - two[:2] / two[2]  # the distance is level - slope . x
    level, steep = one[3] / one[2] - two[3] / two[2], float(np.linalg.norm(slope))
    if steep == 0.0:
        return shapely.Polygon()
    along = slope / steep
    across = np.array([-along[1], along[0]])
    wide = np.abs(flat).max() * 4.0 + 1.0
    bounds = [(level - limit) / steep for limit in (gap, -gap)]
    strip = [bounds[0] * along - wide * across, bounds[0] * along + wide * across]
    strip += [bounds[1] * along + wide * across, bounds[1] * along - wide * across]
    return shapely.intersection(common, shapely.Polygon(strip))


def _is_wide(part: Any, gap: float) -> bool:
    """Whether a polygon is wider than the gap; narrower ones are edges that meet."""
    if shapely.get_type_id(part) != shapely.GeometryType.POLYGON:
        return False
    return float(shapely.area(part)) > 0.5 * gap * float(shapely.length(part))


def _convex_pieces(polygon: Any) -> list[Array]:
    """Corners (m, 2) of the polygon itself where it is convex, else of triangles that make it up."""
    polygon = shapely.simplify(
        polygon, tolerances.MERGE * float(np.ptp(shapely.get_coordinates(polygon), axis=0).max())
    )
    hull = shapely.convex_hull(polygon)
    if shapely.area(hull) - shapely.area(polygon) <= tolerances.MERGE * shapely.area(hull):
        return [shapely.get_coordinates(hull)[:-1]]
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
    return [shapely.get_coordinates(triangle)[:-1] for triangle in triangles]


def _edge_on_face(a: _Solid, b: _Solid, gap: float) -> list[_Touching]:
    """Edges of `a` that lie on a face of `b` with both their faces rising from it; the normal points into `a`."""
    mine, theirs = _near_edges(a, b, gap), _near_faces(b, a, gap)
    if not len(mine) or not len(theirs):
        return []
    edges, normals = a.edges[mine], b.normals[theirs]
    heights = np.einsum("eci,fi->efc", edges, normals) - b.offsets[theirs][None, :, None]
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    level = np.abs(heights[..., 1] - heights[..., 0]) <= ANGLE * lengths[:, None]
    rise = np.einsum("esi,fi->efs", a.sides[mine], normals).min(axis=2) > ANGLE
    found = []
    near = (heights.min(axis=2) <= gap) & (heights.max(axis=2) >= -gap)
    for edge, number in np.argwhere(level & rise & near):
        face = b.face(int(theirs[number]))
        points = _on_face(edges[edge], heights[edge, number], face, gap)
        if points is not None:
            found.append((face.normal, (points,)))
    return found


def _on_face(ends: Array, heights: Array, face: _Face, gap: float, offset: float = 0.0) -> Array | None:
    """The part (2, 3) of a segment (2, 3) on a face, where its height (2,) is within the gap of `offset` [m].

    Halfway between the segment, lowered by `offset`, and the face.
    """
    line = shapely.LineString(ends @ face.frame[:, :2])
    slack = tolerances.MERGE * max(1.0, float(np.abs(ends).max()))
    common = shapely.intersection(line, shapely.buffer(face.outline, slack, quad_segs=2))
    flat = shapely.get_coordinates(common)
    if len(flat) < 2:
        return None
    along = (ends[1] - ends[0]) @ face.frame[:, :2]
    share = np.clip((flat - ends[0] @ face.frame[:, :2]) @ along / (along @ along), 0.0, 1.0)
    low, high = float(share.min()), float(share.max())
    rise = heights[1] - heights[0]
    if rise != 0.0:
        limits = sorted((offset + sign * gap - heights[0]) / rise for sign in (-1.0, 1.0))
        low, high = max(low, limits[0]), min(high, limits[1])
    elif abs(heights[0] - offset) > gap:
        return None
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if (high - low) * length <= gap:
        return None
    shares = np.array([low, high])
    lowered = 0.5 * (heights[0] + shares * rise + offset)
    return ends[0] + shares[:, None] * (ends[1] - ends[0]) - lowered[:, None] * face.normal


def _corner_on_face(a: _Solid, b: _Solid, gap: float) -> list[_Touching]:
    """Corners of `a` on a face of `b` with all their edges rising from it; the normal points into `a`."""
    theirs = _near_faces(b, a, gap)
    mine = np.nonzero(((a.corners >= b.low - gap) & (a.corners <= b.high + gap)).all(axis=1))[0]
    heights = a.corners[mine] @ b.normals[theirs].T - b.offsets[theirs]
    found = []
    for corner, number in np.argwhere(np.abs(heights) <= gap):
        face, point = b.face(int(theirs[number])), a.corners[mine[corner]]
        rises = a.spokes[mine[corner]] @ face.normal
        if rises.min() > ANGLE and face.covers(point[None])[0]:
            found.append((face.normal, (point[None] - 0.5 * heights[corner, number] * face.normal,)))
    return found


def _crossing_edges(a: _Solid, b: _Solid, gap: float) -> list[_Touching]:
    """Points where an edge of `a` crosses one of `b`, the faces of each on its own side; the normal into `a`."""
    mine, theirs = _near_edges(a, b, gap), _near_edges(b, a, gap)
    if not len(mine) or not len(theirs):
        return []
    p, q = a.edges[mine][:, None], b.edges[theirs][None]  # (e, 1, 2, 3), (1, g, 2, 3)
    u, v = p[..., 1, :] - p[..., 0, :], q[..., 1, :] - q[..., 0, :]
    normal = np.cross(u, v)
    length = np.linalg.norm(normal, axis=-1)
    product = np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1)
    crossing = length > ANGLE * product
    normal = normal / np.where(crossing, length, 1.0)[..., None]
    up = np.einsum("esi,egi->egs", a.sides[mine], normal)
    down = np.einsum("gsi,egi->egs", b.sides[theirs], normal)
    sign = np.where(up[..., 0] > 0.0, 1.0, -1.0)
    own_sides = ((sign[..., None] * up).min(axis=2) > ANGLE) & ((sign[..., None] * down).max(axis=2) < -ANGLE)
    between = q[..., 0, :] - p[..., 0, :]
    scale = np.where(crossing, length, 1.0)
    s = np.einsum("egi,egi->eg", np.cross(between, np.broadcast_to(v, between.shape)), normal) / scale
    t = np.einsum("egi,egi->eg", np.cross(between, np.broadcast_to(u, between.shape)), normal) / scale
    apart = np.abs(np.einsum("egi,egi->eg", between, normal))
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    found = []
    for i, j in np.argwhere(crossing & own_sides & inside & (apart <= gap)):
        one = p[i, 0, 0] + s[i, j] * u[i, 0]
        two = q[0, j, 0] + t[i, j] * v[0, j]
        found.append((sign[i, j] * normal[i, j], (0.5 * (one + two)[None],)))
    return found


# -- spheres and cylinders -----------------------------------------------------------------------------


def _sphere(ball: Sphere, b: _Solid, gap: float, names: str) -> list[_Touching]:
    """Where a ball touches another solid; normals into the ball."""
    feet = np.array([foot for foot, _ in _feet(ball.center, b)]).reshape(-1, 3)
    normals = np.array([normal for _, normal in _feet(ball.center, b)]).reshape(-1, 3)
    apart = np.einsum("ni,ni->n", ball.center - feet, normals) - ball.radius
    if b.convex and len(apart):
        apart, feet, normals = apart[[apart.argmin()]], feet[[apart.argmin()]], normals[[apart.argmin()]]
    if len(apart) and apart.min() < -gap:
        raise _too_deep(names, -float(apart.min()), gap)
    touches = np.nonzero(apart <= gap)[0]
    return [(normals[k], ((feet[k] + 0.5 * apart[k] * normals[k])[None],)) for k in touches]


def _feet(point: Array, b: _Solid) -> list[tuple[Array, Array]]:
    """Points of the surface of `b` that are nearest among their neighbours to a point (3,), with outward normals.

    A point inside a convex solid has the foot on the nearest face, whose normal points away from it.
    """
    if isinstance(b.shape, Sphere):
        normal = checks.direction("distance of the centres", point - b.shape.center, 3)
        return [(b.shape.center + b.shape.radius * normal, normal)]
    if isinstance(b.shape, Cylinder):
        return [_foot_on_cylinder(point, b.shape)]
    heights = b.normals @ point - b.offsets
    if b.convex and (heights <= 0.0).all():
        nearest = int(heights.argmax())
        return [(point - heights[nearest] * b.normals[nearest], b.normals[nearest])]
    found = []
    for number in np.nonzero(heights > 0.0)[0]:
        face = b.face(int(number))
        if face.covers(point[None])[0]:
            found.append((point - heights[number] * face.normal, face.normal))
    start, along = b.edges[:, 0], b.edges[:, 1] - b.edges[:, 0]
    share = np.einsum("ei,ei->e", point - start, along) / np.einsum("ei,ei->e", along, along)
    feet = start + share[:, None] * along
    away = point - feet
    beyond = (np.einsum("esi,ei->es", b.sides, away) < 0.0).all(axis=1) & (share > 0.0) & (share < 1.0)
    found += [(feet[k], away[k] / np.linalg.norm(away[k])) for k in np.nonzero(beyond)[0]]
    for corner, spokes in zip(b.corners, b.spokes, strict=True):
        if (spokes @ (point - corner)).max() < 0.0:
            found.append((corner, (point - corner) / np.linalg.norm(point - corner)))
    return found


def _foot_on_cylinder(point: Array, cylinder: Cylinder) -> tuple[Array, Array]:
    """The nearest point of a full cylinder's surface, and the outward normal there."""
    along = float((point - cylinder.center) @ cylinder.axis)
    outward = point - cylinder.center - along * cylinder.axis
    radius, half = float(np.linalg.norm(outward)), 0.5 * cylinder.length
    side = outward / radius if radius > 0.0 else cylinder.pose.rotation[:, 0]
    end = (1.0 if along >= 0.0 else -1.0) * cylinder.axis
    if abs(along) > half or (radius < cylinder.radius and half - abs(along) < cylinder.radius - radius):
        foot = cylinder.center + half * end + min(radius, cylinder.radius) * side
        if radius <= cylinder.radius:
            return foot, end
        return foot, (point - foot) / np.linalg.norm(point - foot)
    return cylinder.center + along * cylinder.axis + cylinder.radius * side, side


def _mantle(round_one: Cylinder, b: _Solid, gap: float) -> list[_Touching]:
    """Where the round surface or the rims of a cylinder touch faces, edges and corners; normals into the cylinder."""
    axis, radius, half = round_one.axis, round_one.radius, 0.5 * round_one.length
    ends = round_one.center + np.array([-half, half])[:, None] * axis
    found: list[_Touching] = []
    if isinstance(b.shape, Cylinder):
        numbers = range(len(b.normals))
    else:
        numbers = [int(k) for k in np.nonzero((b.normals @ ends.T - b.offsets[:, None]).min(axis=1) <= radius + gap)[0]]
    for number in numbers:
        face = b.face(number)
        heights, lean = ends @ face.normal - face.offset, float(face.normal @ axis)
        if abs(lean) <= ANGLE:
            points = _on_face(ends, heights, face, gap, radius)
            if points is not None:
                found.append((face.normal, (points,)))
        elif abs(lean) < np.cos(ANGLE):
            down = -(face.normal - lean * axis) / np.sqrt(1.0 - lean**2)
            rim = ends + radius * down
            level = rim @ face.normal - face.offset
            lowest = int(np.argmin(level))
            if abs(level[lowest]) <= gap and face.covers(rim[[lowest]])[0]:
                found.append((face.normal, (rim[[lowest]] - 0.5 * level[lowest] * face.normal,)))
    for edge, sides in zip(b.edges, b.sides, strict=True):
        found += _mantle_on_line(ends, edge, radius, gap, sides)
    for corner, spokes in zip(b.corners, b.spokes, strict=True):
        along = float((corner - ends[0]) @ axis)
        away = ends[0] + along * axis - corner
        distance = float(np.linalg.norm(away))
        if 0.0 < along < 2.0 * half and abs(distance - radius) <= gap and (spokes @ away).max() < -ANGLE * distance:
            found.append((away / distance, (corner[None],)))
    return found


def _mantle_on_line(
    ends: Array, edge: Array, radius: float, gap: float, sides: Array | None = None, thick: float = 0.0
) -> list[_Touching]:
    """A cylinder about the axis `ends` (2, 3) on an edge (2, 3), or on a cylinder of radius `thick` about it.

    Parallel ones touch along a line, others in a point. The normal points into the first cylinder.
    """
    u, v = ends[1] - ends[0], edge[1] - edge[0]
    lu, lv = float(np.linalg.norm(u)), float(np.linalg.norm(v))
    u, v = u / lu, v / lv
    normal = np.cross(u, v)
    sine = float(np.linalg.norm(normal))
    between = edge[0] - ends[0]
    if sine > ANGLE:
        s, t = float(np.cross(between, v) @ normal) / sine**2, float(np.cross(between, u) @ normal) / sine**2
        if not (0.0 <= s <= lu and 0.0 <= t <= lv):
            return []
        at = np.array([s])
    else:
        first, last = sorted([float(between @ u), float((edge[1] - ends[0]) @ u)])
        at = np.array([max(0.0, first), min(lu, last)])
        if at[1] - at[0] <= gap:
            return []
    on_axis = ends[0] + at[:, None] * u
    feet = edge[0] + np.outer((on_axis - edge[0]) @ v, v)
    away = on_axis - feet
    distances = np.linalg.norm(away, axis=1)
    if (distances <= 0.0).any() or np.abs(distances - radius - thick).max() > gap:
        return []
    mean = away.mean(axis=0) / np.linalg.norm(away.mean(axis=0))
    if sides is not None and (sides @ mean).max() > -ANGLE:
        return []
    excess = 0.5 * (distances - radius - thick)
    return [(mean, (feet + (thick + excess)[:, None] * mean,))]


def _two_mantles(a: Cylinder, b: Cylinder, gap: float) -> list[_Touching]:
    ends = [c.center + 0.5 * c.length * np.array([[-1.0], [1.0]]) * c.axis for c in (a, b)]
    return _mantle_on_line(ends[0], ends[1], a.radius, gap, thick=b.radius)


# -- Coal: distance of convex solids -------------------------------------------------------------------


def _distance(a: _Solid, b: _Solid) -> tuple[float, Array, Array]:
    """(signed distance [m], normal (3,) into `a`, point (3,) halfway) of convex solids; negative in penetration."""
    try:
        coal: Any = import_module("coal")
    except ImportError:
        raise missing_extra("coal", "robots", purpose="the distance of these shapes") from None
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    value = coal.distance(*_coal_solid(coal, a), *_coal_solid(coal, b), request, result)
    middle = 0.5 * (np.array(result.getNearestPoint1()) + np.array(result.getNearestPoint2()))
    return float(value), -np.array(result.normal), middle


def _coal_solid(coal: Any, solid: _Solid) -> tuple[Any, Any]:
    shape = solid.shape
    if isinstance(shape, Mesh):
        points = coal.StdVec_Vec3s()
        points.extend(list(solid.corners))
        return coal.Convex.convexHull(points, False, ""), coal.Transform3s()
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius), coal.Transform3s(np.eye(3), shape.center)
    made = coal.Box(*shape.size) if isinstance(shape, Box) else coal.Cylinder(shape.radius, shape.length)
    return made, coal.Transform3s(shape.pose.rotation, shape.pose.translation)


def _nearest(a: _Solid, b: _Solid, gap: float) -> list[_Touching]:
    """The nearest points of two convex solids, as one contact, where they are closer than the gap."""
    distance, normal, middle = _distance(a, b)
    return [(normal, (middle[None],))] if abs(distance) <= gap else []


# -- small geometry ------------------------------------------------------------------------------------


def _merged(points: Array) -> tuple[IntArray, IntArray]:
    """(numbers of distinct points, for each point (n, 3) which of these it is)."""
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    grid = np.round((points - points.min(axis=0)) / (tolerances.SMALLEST_LENGTH * size)).astype(np.int64)
    _, first, owner = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[owner.ravel()]


def _area(piece: Array) -> float:
    """Area [m^2] of a flat convex polygon (m, 3)."""
    if len(piece) < 3:
        return 0.0
    fans = np.cross(piece[1:-1] - piece[0], piece[2:] - piece[0])
    return 0.5 * float(np.linalg.norm(fans.sum(axis=0)))


def _hull_corners(points: Array, normal: Array) -> Array:
    """The corners (p, 3) of the convex hull of points (n, 3) in a plane, in order around it."""
    if len(points) < 3:
        return points
    frame = frame_from_normal(normal)
    size = float(np.ptp(points, axis=0).max())
    if size == 0.0:
        return points[:1]
    local = points @ frame
    hull = shapely.convex_hull(shapely.multipoints(local[:, :2]))
    hull = shapely.simplify(hull, tolerances.SOLVER_ROUNDING * size)
    flat = shapely.get_coordinates(hull)
    flat = flat[:-1] if len(flat) > 2 else flat
    at = np.linalg.norm(local[None, :, :2] - flat[:, None], axis=2).argmin(axis=1)
    return points[at]
