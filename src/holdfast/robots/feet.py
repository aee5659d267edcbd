"""Feet from the shapes of a robot: the lowest parts in a posture, flat soles, edges and round points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull, QhullError

from .. import checks
from ..assembly import Contact, Patch
from ..assembly.contacts import volume_shares
from ..checks import Array, check_size
from ..errors import FileError, InputError
from ..files.meshes import MOST_CORNERS, MeshData, read_meshes
from ..force_limits import models
from ..force_limits.volume import ForceVolume
from ..geometry.directions import sphere_directions
from ..geometry.frames import Pose, frame_from_normal
from ..geometry.polygons import convex_outline, signed_area
from ..public_names import with_advice
from .bodies import ContactSite, Hand, HandGrip
from .robot import Robot
from .urdf import LinkShape

#: A body is a foot if it is within this distance of the lowest of all [m].
WITHIN = 0.02

#: Shapes of a foot, and the ends of a cylinder, touch if they are within this distance of the lowest one [m].
FLAT = 1e-3

#: Corners of a box or mesh touch if they are within this distance of the lowest one [m].
SAME_HEIGHT = 1e-4

#: A face is a sole if its normal is within this angle of the direction `down` [rad].
TILTED = np.radians(10.0)

#: Facets that face down form a flat face if their depth is at most this fraction of its width: 0.04 for a ball.
SAG = 0.03

#: Smaller soles and shorter edges count as points [m].
SMALLEST = 5e-3

#: Largest number of corners of a sole; those that enclose least are left out.
MOST_SOLE_CORNERS = 8

#: Number of directions for drawing the hull of a mesh.
DRAWN_POINTS = 128

#: Points on the rim of a cylinder that stands on its end.
RIM = 8


@dataclass(frozen=True, eq=False)
class Foot:
    """A contact of a robot with flat ground.

    Attributes:
        link: the link that carries it.
        kind: "sole" (a flat face), "edge" (two points) or "point".
        frame: contact frame in the link's frame, in the middle of the corners: columns (u, v, n), n OUT OF THE LINK.
        corners: (m, 2) corners in this frame, along u and v [m]; only the origin for a point.
        facing: (3, 3) the frame's axes in the WORLD, n into the ground; None for a sole, which rotates with its link.
        friction: coefficient of the robot's file; None for none.
        adhesion: largest pull of the adhesive surface on it [N]; 0 for none.
    """

    link: str
    kind: Literal["sole", "edge", "point"]
    frame: Pose
    corners: Array
    facing: Array | None = None
    friction: float | None = None
    adhesion: float = 0.0

    def __repr__(self) -> str:
        size = f", {len(self.corners)} corners" if self.kind == "sole" else ""
        return f"Foot({self.link!r}, {self.kind}{size})"

    def volume(self) -> ForceVolume:
        """The forces that the robot's file allows: dry friction, with suction where the surface is adhesive."""
        if self.friction is None:
            fix = "give a volume, such as hf.models.coulomb(0.6): a URDF does not define friction"
            raise InputError("has no friction", where=f"foot {self.link!r}", fix=fix)
        if self.adhesion > 0.0:
            return models.suction(self.adhesion, self.friction)
        return models.coulomb(self.friction)

    def site(self, volume: ForceVolume | None = None, name: str = "") -> ContactSite:
        """The foot as a contact unit; `volume` is that of the whole foot, by default that of the file."""
        forces = self.volume() if volume is None else volume
        if self.kind == "point":
            return ContactSite(self.link, forces, self.frame, name, self.facing)
        if self.kind == "sole":
            patch = Patch.polygon(Pose.identity(), self.corners, forces, pressure="free", name=name)
        else:
            halves = volume_shares(forces, np.array([0.5, 0.5]))
            ends = [np.append(corner, 0.0) for corner in self.corners]
            points = [Contact(end, np.eye(3), half) for end, half in zip(ends, halves, strict=True)]
            patch = Patch(tuple(points), np.array([0.5, 0.5]), (), name)
        return ContactSite(self.link, patch, self.frame, name, self.facing)

    def hands(self, grip: HandGrip | None, name: str = "") -> tuple[Hand, ...]:
        """The foot as palms with a grip, one at each corner; z of a palm points INTO the robot, x as u of the foot."""
        flip = np.diag([1.0, -1.0, -1.0])
        facing = None if self.facing is None else self.facing @ flip
        base, hands = name or self.link, []
        for number, corner in enumerate(self.corners):
            frame = self.frame @ Pose(flip, np.append(corner, 0.0))
            title = base if len(self.corners) == 1 else f"{base}[{number}]"
            hands.append(Hand(self.link, (), grip, frame, title, facing))
        return tuple(hands)


@with_advice()
def find_feet(
    robot: Robot,
    q: ArrayLike,
    *,
    down: ArrayLike = (0.0, 0.0, -1.0),
    links: Sequence[str] | None = None,
    within: float = WITHIN,
) -> tuple[Foot, ...]:
    """The feet on which a robot stands in a posture, from its collision shapes (visual ones where it has none).

    Links connected by fixed joints count as one body. A body is a foot if its lowest point is near the lowest of all
    and no body connected to it by a joint is lower: an ankle is not a foot. Its flat face that faces down is its sole;
    without one, its lowest edge or point touches. Balls and cylinders are exact; for meshes the convex hull is used.
    Points and edges face the ground in the world, soles rotate with their links.

    Args:
        robot: the robot.
        q: the posture.
        down: (3,) direction into the ground, world; into a wall for a robot that climbs it.
        links: only the shapes of these links, at any height; of the whole body if a link has none. None
            for all.
        within: [m] largest height of a foot above the lowest point of all.
    """
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    posture, way = robot.checked(q, limits=False), checks.vector("down", down, 3)
    if not way.any():
        raise InputError("is zero", where="down", fix="give the direction into the ground: (0, 0, -1)")
    way = way / np.linalg.norm(way)
    height = checks.positive("within", within, unit="m")
    bodies = rigid_bodies(robot)
    shapes = _shapes(robot)
    if links is not None:
        named = {robot.checked_link(link) for link in links}
        bare = {bodies[link] for link in named if all(shape.link != link for shape in shapes)}
        shapes = [shape for shape in shapes if shape.link in named or bodies[shape.link] in bare]
    touching = _touching(robot, posture, way, shapes)
    if not touching:
        what = "no shape of its links can be a foot"
        fix = "give links with <collision> or <visual> shapes, or contact sites"
        raise InputError(what, where=robot.name, fix=fix)
    depths: dict[str, float] = {}
    for shape, depth, _ in touching:
        body = bodies[shape.link]
        depths[body] = max(depth, depths.get(body, -np.inf))
    if links is None:
        joined = [(bodies[joint.parent], bodies[joint.child]) for joint in robot.description.joints.values()]
        beside = dict.fromkeys(depths, -np.inf)  # depth of the neighbours: an ankle above its foot is not a foot
        for one, other in [*joined, *(pair[::-1] for pair in joined)]:
            if one != other and one in depths:
                beside[one] = max(beside[one], depths.get(other, -np.inf))
        least = max(depths.values()) - height
        depths = {body: d for body, d in depths.items() if d >= max(least, beside[body] - FLAT)}
    return tuple(
        _foot(robot, posture, way, [e for e in touching if bodies[e[0].link] == body and e[1] >= depths[body] - FLAT])
        for body in dict.fromkeys(bodies.values())
        if body in depths
    )


def rigid_bodies(robot: Robot) -> dict[str, str]:
    """For each link the first link of its rigid body, whose links are connected by fixed joints."""
    fixed = {joint.child: joint.parent for joint in robot.description.joints.values() if joint.kind == "fixed"}
    found = {}
    for link in robot.links:
        first = link
        while first in fixed:
            first = fixed[first]
        found[link] = first
    return found


def _shapes(robot: Robot) -> list[LinkShape]:
    """Collision shapes; visual ones if the robot has none."""
    return [s for s in robot.shapes if s.role == "collision"] or list(robot.shapes)


def _touching(robot: Robot, q: Array, way: Array, shapes: Sequence[LinkShape]) -> list[tuple[LinkShape, float, Array]]:
    """(shape, its depth along `way` [m], the points (n, 3) in the world that touch first)."""
    places = robot.placements(q, [shape.link for shape in shapes]) if shapes else []
    meshes = read_shapes(robot, shapes)
    found = []
    for shape, place in zip(shapes, places, strict=True):
        pose = Pose(place[:3, :3], place[:3, 3]) @ shape.pose
        if shape.kind == "sphere":
            points = pose.translation[None] + shape.size[0] * way
        elif shape.kind == "cylinder":
            points = _cylinder_points(pose, shape.size, way)
        else:
            corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T * shape.size
            local = corners if shape.kind == "box" else _vertices(robot, shape, meshes)
            points = _hull_points(pose.apply(local), way)
        found.append((shape, float((points @ way).max()), points))
    return found


def _cylinder_points(pose: Pose, size: Array, way: Array) -> Array:
    """Points of a cylinder along z that touch first: the rim of an end, a line, or a point."""
    radius, length = size[0], size[1]
    axis = pose.rotation[:, 2]
    across = way - (way @ axis) * axis
    slope = float(np.linalg.norm(across))
    ends = pose.translation + np.outer([0.5, -0.5], length * axis)
    if slope <= np.sin(TILTED):  # it stands on an end
        end = ends[int((ends @ way).argmax())]
        angles = 2.0 * np.pi * np.arange(RIM) / RIM
        return end + radius * (
            np.outer(np.cos(angles), pose.rotation[:, 0]) + np.outer(np.sin(angles), pose.rotation[:, 1])
        )
    rims = ends + radius * across / slope
    return rims[rims @ way >= (rims @ way).max() - FLAT]


def _hull_points(points: Array, way: Array) -> Array:
    """Points of a convex hull that touch first: the corners of its faces along `way`, or its furthest points."""
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # flat
        return _foremost(points, way)
    normals = hull.equations[:, :3]
    corners = points[hull.simplices]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    facing = normals @ way >= np.cos(TILTED)
    face, normal = points[np.unique(hull.simplices[facing])], areas[facing] @ normals[facing]
    if areas[facing].sum() < SMALLEST**2:
        return _foremost(points[hull.vertices], way)
    sag = np.ptp(face @ normal) / np.linalg.norm(normal)
    width = 2.0 * np.linalg.norm(face - face.mean(axis=0), axis=1).max()
    return face if sag <= SAG * width else _foremost(points[hull.vertices], way)


def _foremost(points: Array, way: Array) -> Array:
    """The points that are furthest along `way`."""
    depths = points @ way
    return points[depths >= depths.max() - SAME_HEIGHT]


def read_shapes(robot: Robot, shapes: Sequence[LinkShape]) -> dict[str, MeshData | FileError]:
    """The mesh in the file of each shape that has one, or the error that says why it cannot be read, by its name."""
    finder = robot.description.finder
    names = dict.fromkeys(shape.mesh for shape in shapes if shape.kind == "mesh" and shape.vertices is None)
    files = {name: file for name in names if (file := finder.find(name)) is not None}
    meshes = dict(zip(files, read_meshes(list(files.values())), strict=True))
    given = (shape.vertices if shape.vertices is not None else _corners(meshes.get(shape.mesh)) for shape in shapes)
    check_size("corners of meshes", sum(map(len, given)), MOST_CORNERS)
    return meshes


def _corners(mesh: MeshData | FileError | None) -> Array:
    """(n, 3) vertices of a mesh that was found and read."""
    return mesh.vertices if isinstance(mesh, MeshData) else np.zeros((0, 3))


def _vertices(robot: Robot, shape: LinkShape, meshes: Mapping[str, MeshData | FileError]) -> Array:
    """(n, 3) vertices of a mesh in the shape's frame [m]."""
    if shape.vertices is not None:
        return shape.vertices
    where, known = f"link {shape.link!r}", "give the links of the feet, whose shapes are known"
    mesh = meshes.get(shape.mesh)
    if mesh is None:
        searched = robot.description.finder.searched([shape.mesh])
        raise InputError(
            f"its mesh {shape.mesh!r} was not found{searched}", where=where, fix=f"give packages=, or {known}"
        )
    if isinstance(mesh, FileError):
        raise InputError(f"its mesh {shape.mesh!r} {mesh.what}", where=where, fix=f"{mesh.fix}; or {known}")
    return mesh.vertices * shape.size


def drawn_hull(robot: Robot, shape: LinkShape, meshes: Mapping[str, MeshData | FileError]) -> Array | None:
    """(n, 3) some vertices of a mesh on its convex hull, in the shape's frame [m]; None if not available."""
    try:
        vertices = _vertices(robot, shape, meshes)
    except InputError:
        return None
    ways = sphere_directions(DRAWN_POINTS)
    return vertices[np.unique((vertices @ ways.T).argmax(axis=0))]


def _foot(robot: Robot, q: Array, way: Array, own: Sequence[tuple[LinkShape, float, Array]]) -> Foot:
    """The foot of one body, from the shapes that touch first."""
    shape = max(own, key=lambda entry: entry[1])[0]
    points = np.concatenate([points for _, _, points in own])
    link, normal = robot.frame_pose(q, shape.link), _normal(points, way)
    u = link.rotation[:, 0]  # along the link's x where that lies in the sole
    u = link.rotation[:, 1] if abs(u @ normal) > np.cos(np.pi / 4.0) else u
    axes = frame_from_normal(normal, u)
    flat = (points - points.mean(axis=0)) @ axes[:, :2]
    corners, kind = _outline(flat)
    middle = corners.mean(axis=0)
    depth = float(((points - points.mean(axis=0)) @ normal).max())
    origin = points.mean(axis=0) + axes @ np.append(middle, depth)
    inverse = link.inverse()
    frame = inverse @ Pose(axes, origin)
    facing = None
    if kind != "sole":
        facing = frame_from_normal(way, axes[:, 0])
        frame = inverse @ Pose(facing, origin)
    frictions = [entry[0].friction for entry in own if entry[0].friction is not None]
    touching = {entry[0].link for entry in own}
    adhesion = sum(force for name, force in robot.description.adhesion.items() if name in touching)
    return Foot(shape.link, kind, frame, corners - middle, facing, min(frictions, default=None), adhesion)


def _normal(points: Array, way: Array) -> Array:
    """Normal of the plane through points that is nearest to `way`; `way` itself if they do not span a plane."""
    centred = points - points.mean(axis=0)
    if len(points) < 3:
        return way
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    if sizes[1] < SMALLEST or sizes[2] > 0.2 * sizes[1]:
        return way
    normal = axes[2] * np.sign(axes[2] @ way)
    return normal if normal @ way >= np.cos(TILTED) else way


def _outline(flat: Array) -> tuple[Array, Literal["sole", "edge", "point"]]:
    """(corners (m, 2), kind) of the touching points (n, 2): a polygon, two ends, or the middle."""
    first = flat[int(np.linalg.norm(flat - flat[0], axis=1).argmax())]
    last = flat[int(np.linalg.norm(flat - first, axis=1).argmax())]
    long = float(np.linalg.norm(last - first))
    if long < SMALLEST:
        return flat.mean(axis=0)[None], "point"
    along = (last - first) / long
    across = (flat - first) @ np.array([-along[1], along[0]])
    if float(np.ptp(across)) < SMALLEST:
        return np.array([first, last]), "edge"
    outline = convex_outline(flat)
    while len(outline) > MOST_SOLE_CORNERS:
        before, after = np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0)
        lost = [abs(signed_area(np.array(corner))) for corner in zip(before, outline, after, strict=True)]
        outline = np.delete(outline, int(np.argmin(lost)), axis=0)
    return outline, "sole"
