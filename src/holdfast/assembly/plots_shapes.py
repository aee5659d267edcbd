"""Outlines of objects to draw beside their contacts: box, cylinder, sphere, mesh. They play no part in the physics."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import GeometryError, InputError
from ..geometry.frames import Pose, frame_from_normal
from ..geometry.polygons import clip_convex
from ..papers.devices import Cylinder
from ..plotting import style
from ..plotting.solids import Segment, Solids

#: Straight strips that stand for a full turn of a round shape.
STRIPS = 48

#: How much of what lies behind a shape shines through, as an opacity.
OPACITY = 0.28

#: A shape that goes further than the first from what touches it is cut off at the second; shares of the extent of that.
FAR, ROOM = 0.6, 0.25

#: Meshes with more triangles are drawn without their edges.
MOST_OUTLINED = 400

BODY = "#9A9A9A"


@dataclass(frozen=True, eq=False)
class Box:
    """A box centred on `pose`, its sides along the axes of `pose`.

    Attributes:
        size: (3,) full lengths of its sides [m].
        pose: where it stands in the world.
    """

    size: Array
    pose: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        sides = checks.array("size", self.size, (3,))
        for axis in range(3):
            checks.positive(f"size[{axis}]", sides[axis], unit="m")
        object.__setattr__(self, "size", sides)


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball.

    Attributes:
        radius: [m].
        center: (3,) in the world [m].
    """

    radius: float
    center: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        checks.positive("radius", self.radius, unit="m")
        object.__setattr__(self, "center", checks.vector("center", self.center, 3))


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles in the world.

    Attributes:
        vertices: (n, 3) [m].
        faces: (f, 3) whole numbers into `vertices`.
    """

    vertices: Array
    faces: Any

    def __post_init__(self) -> None:
        points = checks.array("vertices", self.vertices, ("n", 3))
        corners = np.asarray(self.faces)
        fits = corners.ndim == 2 and corners.shape[1] == 3 and np.issubdtype(corners.dtype, np.integer)
        if not fits or not len(corners) or corners.min() < 0 or corners.max() >= len(points):
            fix = f"give whole numbers (f, 3) from 0 to {len(points) - 1}"
            raise GeometryError("do not name three vertices each", where="faces", fix=fix)
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "faces", corners.astype(np.intp))


Shape = Box | Cylinder | Sphere | Mesh


def add_shape(solids: Solids, shape: Any) -> None:
    """The faces and the main edges of a shape.

    Shapes are known by what they have, so that those of scenes and meshes of trimesh can be drawn too: size and
    pose (box); radius and length with axis and center, or with pose and arc (cylinder); radius and center
    (sphere); vertices and faces, or triangles (mesh).
    """

    def has(*names: str) -> bool:
        return all(hasattr(shape, name) for name in names)

    if has("size", "pose"):
        _add_box(solids, shape)
    elif has("radius", "length", "axis", "center"):
        pose = Pose(_towards_up(shape.axis), shape.center)
        _add_cylinder(solids, pose, shape.radius, shape.length, getattr(shape, "half_angle", np.pi))
    elif has("radius", "length", "pose"):
        _add_cylinder(solids, shape.pose, shape.radius, shape.length, getattr(shape, "arc", np.pi))
    elif has("radius", "center"):
        _add_sphere(solids, shape)
    elif has("triangles") and not has("vertices"):
        _add_triangles(solids, np.asarray(shape.triangles, dtype=np.float64))
    elif has("vertices", "faces"):
        mesh = shape if isinstance(shape, Mesh) else Mesh(np.array(shape.vertices), np.array(shape.faces))
        _add_triangles(solids, mesh.vertices[mesh.faces])
    else:
        fix = "give a Box, Cylinder, Sphere or Mesh of holdfast.plotting, or a trimesh mesh"
        raise InputError(f"is a {type(shape).__name__}", where="shape", fix=fix)


def _towards_up(axis: Array) -> Array:
    """Frame with z along `axis` and x as near to the world's +z as it can be."""
    up = np.array([0.0, 0.0, 1.0])
    return frame_from_normal(axis, None if abs(float(axis @ up)) > 1.0 - 1e-9 else up)


def _add(solids: Solids, polygon: Array, lines: list[Segment]) -> None:
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        solids.add_face([polygon], normal / length, BODY, OPACITY, lines)


def _ring(points: Array) -> list[Segment]:
    return list(zip(points, np.roll(points, -1, axis=0), strict=True))


def _add_box(solids: Solids, box: Box) -> None:
    for axis in range(3):
        others = [(axis + 1) % 3, (axis + 2) % 3]
        for sign in (1.0, -1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            turns = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            corners[:, others] = turns if sign > 0.0 else turns[::-1]
            polygon = box.pose.apply(corners * box.size / 2.0)
            _add(solids, polygon, _ring(polygon))


def _add_cylinder(solids: Solids, pose: Pose, radius: float, length: float, half_angle: float) -> None:
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
        _add(solids, polygon, lines)
    if full:
        _add(solids, ends[0][-2::-1], _ring(ends[0][-2::-1]))
        _add(solids, ends[1][:-1], _ring(ends[1][:-1]))


def _add_sphere(solids: Solids, sphere: Sphere) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, STRIPS // 2 + 1)
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, STRIPS // 4 + 1)
    a, b = np.meshgrid(turn, rise)
    unit = np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=-1)
    points = sphere.center + sphere.radius * unit
    middle = len(rise) // 2
    for i in range(len(rise) - 1):
        for j in range(len(turn) - 1):
            corners = np.array([points[i, j], points[i, j + 1], points[i + 1, j + 1], points[i + 1, j]])
            _add(solids, corners[1:] if i == 0 else corners, [(corners[0], corners[1])] if i == middle else [])


def _add_triangles(solids: Solids, triangles: Array) -> None:
    few = len(triangles) <= MOST_OUTLINED
    for triangle in triangles:
        _add(solids, triangle, _ring(triangle) if few else [])


def add_sheet(solids: Solids, polygon: Array, base: str, opacity: float) -> None:
    """A flat polygon with its border, seen from either side: the surface of a unit."""
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        up = normal / length * (1.0 if normal @ style.LIGHT >= 0.0 else -1.0)
        solids.add_face([polygon], up, base, opacity, _ring(polygon))


def near(solids: Solids, points: Array) -> Solids:
    """The part of a large shape round the points (n, 3) that matter; a shape of about their size stays whole.

    It is cut by the box of the points, made larger by `ROOM` times their extent on every side.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    extent = float((high - low).max())
    whole = solids.corners
    beyond = max(float((low - whole.min(axis=0)).max()), float((whole.max(axis=0) - high).max()))
    if extent == 0.0 or beyond <= FAR * extent:
        return solids
    low, high = low - ROOM * extent, high + ROOM * extent
    kept = Solids()
    for face in solids.faces:
        parts = [part for polygon in face.parts if len(part := _in_box(polygon, low, high)) >= 3]
        ends = [_in_box(np.array(line), low, high) for line in face.lines]
        # A line goes through the clipping as a polygon there and back: its far end is the other end.
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
