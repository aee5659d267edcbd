"""Pictures of assemblies: contacts, units, links, the object's outline, forces, loads and motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..devices import Device
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, frame_from_normal
from ..geometry.polygons import clip_convex
from ..plotting import style
from ..plotting.artists import add_arrow
from ..plotting.solids import Segment, Solids
from ..solvers import Status
from ..statics.holding import Equilibrium, LoadLimit
from .assembly import Assembly
from .contacts import Contact, Patch
from .loads import sphere_directions
from .shapes import Box, Cylinder, Sphere, as_shape

#: Number of straight strips of a full turn of a round shape.
STRIPS = 48

#: Opacity of shapes.
OPACITY = 0.28

#: A shape that extends beyond its contacts by more than the first number is cut off at the second; as multiples of the
#: extent of the contacts.
FAR, ROOM = 0.6, 0.25

#: Meshes with more triangles are drawn without their edges.
MOST_OUTLINED = 400

#: Triangles of a mesh are one face, without a line between them, when the cosine of their angle is above this.
ONE_FACE = 1.0 - 1e-6

BODY = "#9A9A9A"


@dataclass(frozen=True)
class _Brush:
    """The collection that faces are added to, and their colour."""

    solids: Solids
    base: str
    opacity: float


def add_shape(solids: Solids, shape: Any, base: str = BODY, opacity: float = OPACITY) -> None:
    """The faces and the main edges of a shape, or of a mesh of trimesh, in the colour `base`."""
    drawn, brush = as_shape(shape), _Brush(solids, base, opacity)
    if isinstance(drawn, Box):
        _add_box(brush, drawn)
    elif isinstance(drawn, Cylinder):
        _add_cylinder(brush, drawn.pose, drawn.radius, drawn.length, drawn.half_angle)
    elif isinstance(drawn, Sphere):
        _add_sphere(brush, drawn)
    else:
        _add_triangles(brush, drawn.triangles)


def _add(brush: _Brush, polygon: Array, lines: list[Segment]) -> None:
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        brush.solids.add_face([polygon], normal / length, brush.base, brush.opacity, lines)


def _ring(points: Array) -> list[Segment]:
    return list(zip(points, np.roll(points, -1, axis=0), strict=True))


def _add_box(brush: _Brush, box: Box) -> None:
    for axis in range(3):
        others = [(axis + 1) % 3, (axis + 2) % 3]
        for sign in (1.0, -1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            turns = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            corners[:, others] = turns if sign > 0.0 else turns[::-1]
            polygon = box.pose.apply(corners * box.size / 2.0)
            _add(brush, polygon, _ring(polygon))


def _add_cylinder(brush: _Brush, pose: Pose, radius: float, length: float, half_angle: float) -> None:
    """A full cylinder along z of `pose` with its ends, or the curved plate within `half_angle` of x."""
    full = half_angle >= np.pi
    strips = max(3, round(STRIPS * half_angle / np.pi))
    angles = np.linspace(-half_angle, half_angle, strips + 1)
    ring = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(strips + 1, -0.5 * length)])
    ends = [pose.apply(ring), pose.apply(ring * [1.0, 1.0, -1.0])]
    for k in range(strips):
        polygon = np.array([ends[0][k], ends[0][k + 1], ends[1][k + 1], ends[1][k]])
        lines = [(end[k], end[k + 1]) for end in ends]
        lines += [(ends[0][j], ends[1][j]) for j in (k, k + 1) if not full and j in (0, strips)]
        _add(brush, polygon, lines)
    if full:
        _add(brush, ends[0][-2::-1], _ring(ends[0][-2::-1]))
        _add(brush, ends[1][:-1], _ring(ends[1][:-1]))


def _add_sphere(brush: _Brush, sphere: Sphere) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, STRIPS // 2 + 1)
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, STRIPS // 4 + 1)
    a, b = np.meshgrid(turn, rise)
    unit = np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=-1)
    points = sphere.center + sphere.radius * unit
    middle = len(rise) // 2
    for i in range(len(rise) - 1):
        for j in range(len(turn) - 1):
            corners = np.array([points[i, j], points[i, j + 1], points[i + 1, j + 1], points[i + 1, j]])
            _add(brush, corners[1:] if i == 0 else corners, [(corners[0], corners[1])] if i == middle else [])


def _add_triangles(brush: _Brush, triangles: Array) -> None:
    few = len(triangles) <= MOST_OUTLINED
    inner = _inner_edges(triangles) if few else np.zeros((len(triangles), 3), dtype=bool)
    for triangle, hidden in zip(triangles, inner, strict=True):
        lines = [line for line, inside in zip(_ring(triangle), hidden, strict=True) if not inside]
        _add(brush, triangle, lines if few else [])


def _inner_edges(triangles: Array) -> Array:
    """(t, 3) whether the edge of a triangle that begins at each corner lies between two triangles of one flat face."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max()) or 1.0
    corners = np.unique(np.round(triangles.reshape(-1, 3) / (FLAT_PATCH * size)), axis=0, return_inverse=True)[1]
    corners = corners.reshape(-1, 3)
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals = cross / np.maximum(np.linalg.norm(cross, axis=1), np.finfo(float).tiny)[:, None]
    halves = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    _, edge, count = np.unique(halves, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)[:-1]])[count == 2]
    one, two = order[starts], order[starts + 1]
    flat = np.einsum("ei,ei->e", normals[one // 3], normals[two // 3]) > ONE_FACE
    inner = np.zeros(len(halves), dtype=bool)
    inner[one[flat]] = inner[two[flat]] = True
    return inner.reshape(-1, 3)


def add_sheet(solids: Solids, polygon: Array, base: str, opacity: float) -> None:
    """A flat polygon with its border, seen from either side: the surface of a unit."""
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        up = normal / length * (1.0 if normal @ style.LIGHT >= 0.0 else -1.0)
        solids.add_face([polygon], up, base, opacity, _ring(polygon))


def near(solids: Solids, points: Array, *, far: float = FAR) -> Solids:
    """The part of a large shape around points (n, 3); a shape of about their size stays whole.

    A shape that extends further than `far` times their extent is cut by their box, enlarged by `ROOM` times the extent.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    extent = float((high - low).max())
    whole = solids.corners
    beyond = max(float((low - whole.min(axis=0)).max()), float((whole.max(axis=0) - high).max()))
    if extent == 0.0 or beyond <= far * extent:
        return solids
    low, high = low - ROOM * extent, high + ROOM * extent
    kept = Solids()
    for face in solids.faces:
        parts = [part for polygon in face.parts if len(part := _in_box(polygon, low, high)) >= 3]
        ends = [_in_box(np.array(line), low, high) for line in face.lines]
        # A line is clipped as a polygon with two corners: its far end is the other end.
        lines = [(e[0], e[np.argmax(np.linalg.norm(e - e[0], axis=1))]) for e in ends if len(e) >= 2]
        if parts or lines:
            kept.faces.append(replace(face, parts=tuple(parts), lines=tuple(lines)))
    return kept


def _in_box(polygon: Array, low: Array, high: Array) -> Array:
    """The part of a convex polygon or a line (m, 3) inside a box."""
    for axis in range(3):
        polygon = clip_convex(polygon, polygon[:, axis] - low[axis])
        polygon = clip_convex(polygon, high[axis] - polygon[:, axis])
    return polygon


# The parts of a picture of an assembly: contacts, surfaces of units, links of the gripper, the object.

#: Contacts count as lying in one plane within this share of their spread.
FLAT_PATCH = 1e-6


@dataclass(frozen=True, eq=False)
class BodyOutline:
    """One of several bodies in a picture: its name, its shape or None, and where its load and motion are drawn [m]."""

    name: str
    shape: Any
    center: Array


@dataclass(frozen=True, eq=False)
class Subject:
    """What to draw.

    Attributes:
        assembly: contacts with their frames.
        faces: polygons (m, 3) [m], the surfaces of the units.
        frames: (position (3,), rotation (3, 3)) of each frame: one per unit, and one for every contact in none.
        links: lines (m, 3) [m], the parts of the gripper.
        shape: outline of the object, or None.
        center: (3,) where the load and the motion are drawn [m]: the centre of mass when it is known.
        bodies: where there are several, in the order of the assembly's.
        world: shapes that do not move.
    """

    assembly: Assembly
    faces: tuple[Array, ...]
    frames: tuple[tuple[Array, Array], ...]
    links: tuple[Array, ...]
    shape: Any
    center: Array
    bodies: tuple[BodyOutline, ...] = ()
    world: tuple[Any, ...] = ()

    @property
    def centers(self) -> Array:
        """(n, 3) where the loads and motions of the bodies are drawn [m]; of one object its own."""
        return np.array([body.center for body in self.bodies] or [self.center])


def subject_of(thing: Any, patches: Sequence[Any] = (), shape: Any = None) -> Subject:
    """What to draw of an Assembly, a Device or a Scene; `patches` and `shape` replace its own."""
    given, world = tuple(patches), ()
    if isinstance(thing, Device):
        assembly, center = thing.assembly(), thing.object.com
        own_shape, own_patches = thing.object.shape, thing.patches
        links = tuple(link.points for link in thing.links)
    elif isinstance(thing, Assembly):
        assembly, own_shape, own_patches, links = thing, None, (), ()
        center = assembly.positions.mean(axis=0)
    elif hasattr(thing, "drawing") and isinstance(getattr(thing, "assembly", None), Assembly):  # a scene
        assembly, center = thing.assembly, thing.com
        own_shape, own_patches = thing.drawing.shape, thing.drawing.faces
        links, world = tuple(points for _, points in thing.drawing.links), getattr(thing.drawing, "world", ())
    else:
        raise InputError(f"is a {type(thing).__name__}", where="assembly", fix="give an Assembly, a Device or a Scene")
    units = given or own_patches
    faces = tuple(polygon for index, unit in enumerate(units) for polygon in _polygons(index, unit))
    groups = _groups(assembly.contacts)
    faces = faces or tuple(polygon for group in groups if (polygon := _hull(group)) is not None)
    frames = tuple((np.mean([c.position for c in group], axis=0), group[0].rotation) for group in groups)
    known = {body.name: (body.shape, body.com) for body in getattr(thing, "bodies", ()) if hasattr(body, "com")}
    middles = {name: (None, middle) for name, middle in zip(assembly.bodies, assembly.centres, strict=False)}
    bodies = tuple(BodyOutline(name, *(middles | known)[name]) for name in assembly.bodies)
    return Subject(assembly, faces, frames, links, own_shape if shape is None else shape, center, bodies, world)


def _polygons(index: int, unit: Any) -> tuple[Array, ...]:
    """The polygons of a Patch, or one polygon given as corners."""
    if isinstance(unit, Patch):
        return tuple(np.asarray(face) for face in unit.faces)
    corners = checks.array(f"patches[{index}]", unit, ("m", 3))
    if len(corners) < 3:
        raise InputError(
            f"has {len(corners)} corners", where=f"patches[{index}]", fix="give a Patch or at least three corners"
        )
    return (corners,)


def _groups(contacts: Sequence[Contact]) -> list[list[Contact]]:
    """Contacts of one unit together: those called name[0], name[1], ... with one frame; all others alone."""
    groups: dict[Any, list[Contact]] = {}
    for index, contact in enumerate(contacts):
        stem, bracket, _ = contact.name.rpartition("[")
        key = (stem, contact.rotation.round(9).tobytes()) if bracket and contact.name.endswith("]") else index
        groups.setdefault(key, []).append(contact)
    return list(groups.values())


def _hull(group: Sequence[Contact]) -> Array | None:
    """The convex polygon round three or more contacts in the tangent plane of their common frame, or None."""
    if len(group) < 3:
        return None
    from scipy.spatial import ConvexHull

    points = np.array([contact.position for contact in group])
    middle = points.mean(axis=0)
    local = (points - middle) @ group[0].rotation
    spread = np.linalg.svd(local[:, :2] - local[:, :2].mean(axis=0), compute_uv=False)
    if np.abs(local[:, 2]).max() > FLAT_PATCH * max(spread[0], 1e-300) or spread[1] <= tolerances.FLAT * spread[0]:
        return None
    return points[ConvexHull(local[:, :2]).vertices]


def contact_polygons(contacts: Sequence[Contact]) -> tuple[tuple[Array, tuple[int, ...]], ...]:
    """Where contacts touch, and which of them by number: polygons (m, 3) around those of one unit that lie in a plane.

    Others are lines (2, 3) and points (1, 3).
    """
    number = {id(contact): index for index, contact in enumerate(contacts)}
    found: list[tuple[Array, tuple[int, ...]]] = []
    for group in _groups(contacts):
        polygon, own = _hull(group), tuple(number[id(contact)] for contact in group)
        points = np.array([contact.position for contact in group])
        if polygon is not None or len(points) == 2:
            found.append((points if polygon is None else polygon, own))
        else:
            found += [(point[None], (index,)) for point, index in zip(points, own, strict=True)]
    return tuple(found)


# Forces, loads and motions as arrows in the world.

#: A force this close to the border of its volume is at its limit, as a share of the volume's size.
AT_LIMIT = 1e-6

#: Directions in which a force is changed slightly to test whether it is at its limit.
NUDGES = 200

#: A force below this share of the largest is not drawn; nor is such a torque or turn.
NEGLIGIBLE = 1e-3

#: Colour of the forces across interfaces.
INTERFACE = "#1B6FA8"


def at_limit(assembly: Assembly, forces: Array) -> Array:
    """(k,) whether each world force (k, 3) is loaded and on the border of its volume: some small change leaves it."""
    local = np.einsum("kji,kj->ki", assembly.rotations, forces)
    result = np.zeros(len(assembly), dtype=bool)
    directions = sphere_directions(NUDGES)
    for index, contact in enumerate(assembly.contacts):
        size = contact.volume.size
        if np.linalg.norm(local[index]) > AT_LIMIT * size:
            around = local[index] + AT_LIMIT * size * directions
            result[index] = not _inside(contact.volume, around, 0.01 * AT_LIMIT * size).all()
    return result


def _inside(volume: ForceVolume, forces: Array, slack: float) -> Array:
    """(n,) whether forces (n, 3) are in some piece, to `slack` [N] beyond each of its planes; no distances needed."""
    excess = [
        (forces @ normals.T - offsets).max(axis=1) for normals, offsets in (p.halfspaces for p in volume.polytopes)
    ]
    return np.min(excess, axis=0) <= slack


def draw_forces(ax: Any, assembly: Assembly, forces: Array, scale: float) -> Array:
    """Contact forces (k, 3) [N] on the object, from their points, `scale` [m/N] long; returns the points of the arrows.

    Contacts at their limit are marked by colour; those without a force by an open dot.
    """
    sizes = np.linalg.norm(forces, axis=1)
    loaded = sizes > NEGLIGIBLE * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    limited = at_limit(assembly, forces) & loaded
    ends = assembly.positions + scale * forces
    for start, end, hot, seen in zip(assembly.positions, ends, limited, loaded, strict=True):
        if seen:
            colour = style.LIMIT if hot else style.FORCE
            add_arrow(ax, start, end, colour, width=style.MEDIUM, head=7.0, gid="force")
    kinds = (
        (loaded & ~limited, style.FORCE, style.FORCE, "contact force"),
        (limited, style.LIMIT, style.LIMIT, "contact force at its limit"),
        (~loaded, "white", style.FORCE, "contact without force"),
    )
    for chosen, face, edge, name in kinds:
        if chosen.any():
            look = {"facecolors": face, "edgecolors": edge, "linewidths": 0.7, "s": 13}
            ax.scatter(*assembly.positions[chosen].T, label=name, depthshade=False, zorder=style.MARKS, **look)
    return ends[loaded]


def central_axis(wrench: Array, near: Array) -> tuple[Array, Array]:
    """Point (3,) of a wrench's central axis nearest to `near` [m], and the torque (3,) [N m] that is left about it.

    With no force the point is `near` and the whole torque is left.
    """
    force, torque = wrench[:3], wrench[3:] - np.cross(near, wrench[:3])  # about `near`
    square = float(force @ force)
    if square == 0.0:
        return near, torque
    return near + np.cross(force, torque) / square, (force @ torque) / square * force


def draw_wrench(
    ax: Any,
    wrench: Array,
    center: Array,
    scale: float,
    size: float,
    names: tuple[str, str] | None = None,
    head: float = 10.0,
) -> Array:
    """The external load on the object: its force on its line of action, and the remaining torque.

    The arrow is `scale` [m/N] long, but no longer than the longest arrow of a picture of `size` [m]. `names` are those
    of force and torque in the legend, with their sizes by default; `head` is the size of the arrow's head [pt]. Returns
    points that must be visible.
    """
    point, torque = central_axis(wrench, center)
    strength, twist = float(np.linalg.norm(wrench[:3])), float(np.linalg.norm(torque))
    seen = [center]
    if float(np.linalg.norm(point - center)) > 2.0 * size:  # nearly a pure torque: its line of action is far away
        point, torque = center, wrench[3:] - np.cross(center, wrench[:3])
        twist = float(np.linalg.norm(torque))
    if strength > 0.0:
        length = min(scale * strength, style.LONGEST * size)
        short = ", shortened" if scale * strength > (1.0 + NEGLIGIBLE) * length else ""
        end = point + length * wrench[:3] / strength
        add_arrow(ax, point, end, style.LOAD, width=style.THICK, head=head, gid="load")
        ax.scatter(*point, s=0.15 * head**2, color=style.LOAD, depthshade=False, zorder=style.ARROWS)
        label = f"load {strength:.3g} N{short}" if names is None else names[0]
        ax.plot([], [], [], color=style.LOAD, linewidth=style.THICK, label=label)
        seen += [point, end]
    if twist > NEGLIGIBLE * max(strength * size, tolerances.ZERO_DIRECTION):
        label = f"torque {twist:.3g} N m" if names is None else names[1]
        seen.append(_turn(ax, point, torque, 0.16 * size, style.LOAD, label))
    return np.array(seen)


def draw_wrenches(ax: Any, wrenches: Array, centers: Array, scale: float, size: float) -> Array:
    """The loads (n, 6) on one object or several bodies; returns points that must be visible."""
    if len(wrenches) == 1:
        return draw_wrench(ax, wrenches[0], centers[0], scale, size)
    largest = float(np.linalg.norm(wrenches[:, :3], axis=1).max())
    names, seen = (f"load on a body, largest {largest:.3g} N", "torque on a body"), [centers]
    for wrench, center in zip(wrenches, centers, strict=True):
        if wrench.any():
            head = 10.0 if len(wrenches) <= MOST_BOLD else 6.0
            seen.append(draw_wrench(ax, wrench, center, scale, size, names, head))
            names = ("_", "_" if np.any(wrench[3:] - np.cross(center, wrench[:3])) else names[1])
    return np.concatenate(seen)


def interface_forces(assembly: Assembly, forces: Array) -> tuple[Array, Array]:
    """(points (i, 3) [m], forces (i, 3) [N] on the first body) of the interfaces under contact forces (k, 3)."""
    return summed_forces(assembly, forces, [side.contacts for side in assembly.interfaces])


def summed_forces(assembly: Assembly, forces: Array, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """(points (g, 3) [m], sums (g, 3) [N]) of contact forces (k, 3) over groups of contacts by number.

    The points are the means of the contacts, weighted by their forces: within the interface, and the centre of
    pressure where all forces have one direction.
    """
    points, sums = [], []
    for group in groups:
        own, at = forces[list(group)], assembly.positions[list(group)]
        weights = np.linalg.norm(own, axis=1)
        sums.append(own.sum(axis=0))
        points.append(weights @ at / weights.sum() if weights.sum() > 0.0 else at.mean(axis=0))
    return np.array(points).reshape(-1, 3), np.array(sums).reshape(-1, 3)


def draw_interfaces(ax: Any, assembly: Assembly, forces: Array, scale: float) -> Array:
    """One arrow per interface of several contacts: the sum of forces on its first body; returns visible points."""
    points, sums = interface_forces(assembly, forces)
    ends = points + scale * sums
    sizes = np.linalg.norm(sums, axis=1)
    many = np.array([len(side.contacts) > 1 for side in assembly.interfaces], dtype=bool)
    shown = np.nonzero((sizes > NEGLIGIBLE * sizes.max(initial=0.0)) & many)[0]
    bold = len(points) <= MOST_BOLD
    for number in shown:
        look = {"width": style.THICK + 0.6 * bold, "head": 10.0 if bold else 6.0, "alpha": 0.85, "gid": "interface"}
        add_arrow(ax, points[number], ends[number], INTERFACE, **look)
    if len(shown):
        ax.plot([], [], [], color=INTERFACE, linewidth=style.THICK + 0.6, label="force across an interface")
    return np.concatenate([points, ends[shown]])


def draw_motions(ax: Any, motions: Array, centers: Array, size: float, name: str) -> Array:
    """The motions (n, 6) of one object or several bodies, relative to the fastest; returns points to be visible."""
    velocities = motions[:, :3] + np.cross(motions[:, 3:], centers)
    speeds = np.maximum(np.linalg.norm(velocities, axis=1), size * np.linalg.norm(motions[:, 3:], axis=1))
    strongest, seen = float(speeds.max()), [centers]
    for number in np.nonzero(speeds > SLOWEST * strongest)[0]:
        several = {"strongest": strongest, "radius": SMALL_TURN if len(motions) <= MOST_TURNS else 0.0}
        drawn = {} if len(motions) == 1 else several
        seen.append(draw_motion(ax, motions[number], centers[number], size, name, **drawn))
        name = name if len(seen[-1]) == 1 else "_"  # the first arrow names all of them
    return np.concatenate(seen)


def draw_motion(
    ax: Any,
    motion: Array,
    center: Array,
    size: float,
    name: str,
    *,
    strongest: float | None = None,
    radius: float = 0.16,
) -> Array:
    """The direction of a motion (velocity, angular velocity about the world origin); returns points to be visible.

    The longest arrow is for a speed of `strongest`, that of the motion itself by default; `radius` of the turn as a
    share of `size`, 0 to leave it out.
    """
    velocity = motion[:3] + np.cross(motion[3:], center)  # of the point `center`
    turn = motion[3:] * size
    own = max(float(np.linalg.norm(velocity)), float(np.linalg.norm(turn)))
    strongest = own if strongest is None else strongest
    seen = [center]
    if np.linalg.norm(velocity) > 0.1 * own:
        end = center + style.LONGEST * size * velocity / strongest
        add_arrow(ax, center, end, style.MOTION, width=style.THICK + 1.0, head=12.0, alpha=0.85, gid="motion")
        ax.plot([], [], [], color=style.MOTION, linewidth=style.THICK + 1.0, label=name)
        seen.append(end)
        name = "_"
    if radius > 0.0 and np.linalg.norm(turn) > 0.1 * own:
        seen.append(_turn(ax, center, turn, radius * size, style.MOTION, name))
    return np.array(seen)


def _turn(ax: Any, center: Array, axis: Array, radius: float, colour: str, name: str) -> Array:
    """Three quarters of a circle about `axis`, right-handed, with an arrow; a point of it."""
    frame = frame_from_normal(axis)
    angles = np.linspace(0.0, 1.5 * np.pi, 40)
    points = center + radius * (np.cos(angles)[:, None] * frame[:, 0] + np.sin(angles)[:, None] * frame[:, 1])
    ax.plot(*points[:-1].T, color=colour, linewidth=style.THICK, label=name, gid="turn", zorder=style.ARROWS)
    add_arrow(ax, points[-3], points[-1], colour, width=style.THICK, head=10.0, gid="turn")
    return points[0]


# Assemblies in space: units, frames, forces, the load, and the motion in which the object fails.

#: Length of the contact frames' arrows, as a share of the size of what is drawn.
FRAME_LENGTH = 0.06

UNIT = "#E69F00"
LINK = "#5F6B7A"

#: Colours of what does not move, of several bodies, and of the surfaces between them.
WORLD_COLOUR, WORLD_OPACITY, BODY_OPACITY, INTERFACE_OPACITY = "#B0B0B0", 0.18, 0.22, 0.3

#: Most frames and contacts of several bodies that are drawn; beyond, only the forces across interfaces.
MOST_FRAMES, MOST_CONTACTS = 24, 80

#: Most interfaces and bodies for which arrows have large heads and surfaces between bodies are opaque.
MOST_BOLD = 20

#: Longest force across an interface, and radius of the turn of one of several bodies, as a share of the picture's size.
LONGEST_INTERFACE, SMALL_TURN = 0.2, 0.08

#: Most bodies whose names are written, and most whose turns are drawn in addition to arrows.
MOST_NAMED, MOST_TURNS = 16, 4

#: Bodies slower than this share of the fastest one have no arrow of motion.
SLOWEST = 0.02


def assembly(
    assembly: Any,
    *,
    forces: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    result: Equilibrium | LoadLimit | None = None,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    frames: bool = True,
    force_scale: float | None = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """An assembly in the world: contacts, units, frames (x red, y green, z blue), forces and load, equal scales.

    Contact forces act on the object and start at their points; those on the border of their volume are
    marked. Several bodies have one tint each, and one thick arrow per interface: the sum of its contact forces on its
    first body. When a result does not hold, the arrow and the turn show the motion of the certificate: for that
    choice of pieces, the load does more work in it than all contacts and joints can absorb.

    Args:
        assembly: an Assembly, or a Device or Scene, which also have units, links and an object.
        forces: (k, 3) contact forces on the object in the world [N]; those of `result` by default.
        wrench: (6,) external force [N] and torque [N m] about the world origin, of several bodies as
            `Assembly.stacked` takes it; that of `result` by default.
        result: an Equilibrium or LoadLimit of this assembly.
        shape: the object's outline: Box, Cylinder, Sphere or Mesh of this package, or a trimesh mesh.
        patches: surfaces of the units: Patch objects, or polygons (m, 3) [m]; else taken from contacts named "unit[0]",
            "unit[1]", ...
        ax: axes in space (projection "3d"), or None for a new figure.
        frames: whether to draw the contact frames: one per unit; of several bodies no more than `MOST_FRAMES`.
        force_scale: length of an arrow for one newton [m/N]; by default the longest arrow is a third of the size of
            the drawing.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name and the result.

    Returns:
        The Axes.
    """
    subject = subject_of(assembly, patches, shape)
    acting, load = _actions(subject, forces, wrench, result)
    ax = style.axes(ax, "space")
    fixed = draw_bodies(ax, subject)
    size = float(np.linalg.norm(np.ptp(fixed, axis=0))) or 0.1
    seen = [fixed]
    if frames and (not subject.bodies or len(subject.frames) <= MOST_FRAMES):
        _draw_frames(ax, subject, FRAME_LENGTH * size)
    points, scale = _draw_actions(ax, subject, acting, load, force_scale, size)
    seen += points
    if isinstance(result, Equilibrium) and not result.holds and len(result.separating_wrenches):
        cases = len(result.separating_wrenches)
        name = "motion when it fails" if cases == 1 else f"motion when it fails (1 of {cases} cases)"
        motion = result.separating_wrenches[0]
        # Multipliers and their negatives describe the same plane; the object moves so that the load does positive work.
        motion = motion if motion @ result.wrench > 0.0 else -motion
        seen.append(draw_motions(ax, motion.reshape(-1, 6), subject.centers, size, name))
    if scale is not None:
        shown = round_down(style.LONGEST * size / scale)
        ax.plot([], [], [], " ", label=f"scale: {shown:g} N = {1e3 * scale * shown:.3g} mm")
    points = np.concatenate(seen)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title or _title(subject, result))
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    style.legend(ax)
    return ax


def draw_bodies(ax: Any, subject: Subject, *, sheet: str = UNIT) -> Array:
    """The object or bodies, the world, surfaces of units in the colour `sheet`, links; (n, 3) points to be visible."""
    solids = Solids()
    held = np.concatenate([subject.assembly.positions, *subject.faces, *subject.links])
    if subject.shape is not None:
        add_shape(solids, subject.shape)
        solids = near(solids, held)
    for number, body in enumerate(subject.bodies):
        if body.shape is not None:
            add_shape(solids, body.shape, style.colour(number), BODY_OPACITY)
    held = np.concatenate([held, solids.corners])
    for shape in subject.world:
        fixed = Solids()
        add_shape(fixed, shape, WORLD_COLOUR, WORLD_OPACITY)
        solids.faces += near(fixed, held, far=ROOM).faces
    opacity = INTERFACE_OPACITY * (1.0 if len(subject.faces) <= MOST_BOLD else 0.4) if subject.bodies else 0.55
    for face in subject.faces:
        add_sheet(solids, face, sheet, opacity)
    _draw_links(ax, subject)
    solids.draw(ax, gid="bodies")
    if len(subject.bodies) <= MOST_NAMED:
        for number, body in enumerate(subject.bodies):
            _write_name(ax, body, style.darker(style.colour(number), 0.55))
    return np.concatenate([held, solids.corners])


def _write_name(ax: Any, body: BodyOutline, colour: str) -> None:
    """The name of a body to the left of its middle, with a white outline that keeps it readable over arrows."""
    from matplotlib.patheffects import withStroke

    look = {"fontsize": style.SMALL, "color": colour, "ha": "right", "va": "center", "zorder": style.ARROWS + 1.0}
    rim = [withStroke(linewidth=2.0, foreground="white")]
    ax.text(*body.center, f"{style.verbatim(body.name)}  ", gid="body name", path_effects=rim, **look)


def _draw_links(ax: Any, subject: Subject) -> None:
    """The parts of the gripper as lines with dots at their joints."""
    look = {"color": LINK, "linewidth": 2.6, "alpha": 0.75, "solid_capstyle": "round", "marker": "o", "ms": 3.5}
    for line in subject.links:
        ax.plot(*line.T, **look, gid="link", zorder=style.MARKS)


def _actions(
    subject: Subject, forces: ArrayLike | None, wrench: ArrayLike | None, result: Any
) -> tuple[Array | None, Array | None]:
    """Contact forces (k, 3) and load (6 n,), given or from the result."""
    count = len(subject.assembly)
    if result is not None:
        if not isinstance(result, (Equilibrium, LoadLimit)):
            fix = "give what hf.equilibrium or hf.load_limit returned"
            raise InputError(f"is a {type(result).__name__}", where="result", fix=fix)
        if len(result.assembly) != count:
            what = f"is about {len(result.assembly)} contacts, not {count}"
            raise InputError(what, where="result", fix="give the result of this assembly")
        forces = result.forces if forces is None else forces
        wrench = _load(result) if wrench is None else wrench
    acting = None if forces is None else checks.array("forces", forces, (count, 3))
    return acting, None if wrench is None else subject.assembly.stacked(wrench, name="wrench")


def _load(result: Equilibrium | LoadLimit) -> Array:
    """The wrench of a result; the direction itself where a limit is not a number."""
    if isinstance(result, Equilibrium):
        return result.wrench
    return result.direction * (result.value if np.isfinite(result.value) else 1.0)


def _draw_frames(ax: Any, subject: Subject, length: float) -> None:
    from ..plotting.artists import add_arrow

    for position, rotation in subject.frames:
        for k in range(3):
            end = position + length * rotation[:, k]
            add_arrow(ax, position, end, style.FRAME[k], width=1.0, head=4.0, gid="frame")


def _draw_actions(
    ax: Any, subject: Subject, acting: Array | None, load: Array | None, force_scale: float | None, size: float
) -> tuple[list[Array], float | None]:
    """Forces and load in one scale; returns points that must be visible, and the scale [m/N] when there are forces.

    A load much larger than each single force is shortened, which the legend states.
    """
    longest = 0.0 if acting is None else float(np.linalg.norm(acting, axis=1).max())
    if acting is not None and subject.bodies:
        longest = float(np.linalg.norm(interface_forces(subject.assembly, acting)[1], axis=1).max(initial=longest))
    if longest == 0.0 and load is not None:
        longest = float(np.linalg.norm(load.reshape(-1, 6)[:, :3], axis=1).max())
    if force_scale is not None:
        scale = checks.positive("force_scale", force_scale, unit="m/N")
    else:
        share = LONGEST_INTERFACE if subject.bodies else style.LONGEST
        scale = share * size / longest if longest > 0.0 else 1.0
    seen: list[Array] = []
    if acting is None:
        positions = subject.assembly.positions
        ax.scatter(
            *positions.T, s=11, color=style.FORCE, linewidths=0, depthshade=False, zorder=style.MARKS, label="contact"
        )
    else:
        if not subject.bodies or len(acting) <= MOST_CONTACTS:
            seen.append(draw_forces(ax, subject.assembly, acting, scale))
        if subject.bodies:
            seen.append(draw_interfaces(ax, subject.assembly, acting, scale))
    if load is not None:
        seen.append(draw_wrenches(ax, load.reshape(-1, 6), subject.centers, scale, size))
    return seen, scale if longest > 0.0 else None


def round_down(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * (1.0 + 1e-9)))


def _title(subject: Subject, result: Any) -> str:
    name = style.verbatim(subject.assembly.name)
    if isinstance(result, Equilibrium):
        verdict = result.status.value
    elif isinstance(result, LoadLimit):
        word = {Status.OPTIMAL: "holds up to", Status.UNDECIDED: "undecided, holds at least"}.get(result.status)
        verdict = f"{word} {result.value:.4g} times the load" if word else result.status.value
    else:
        return name
    return f"{name}: {verdict}" if name else verdict
