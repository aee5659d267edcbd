"""Shapes of objects: box, cylinder or curved plate, sphere, mesh.

Pictures show them with the contacts; moments of inertia are those of the filled shape. `interfaces` finds contacts
where shapes of several bodies touch; otherwise shapes have no effect on contact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError
from ..geometry.frames import Pose, frame_from_normal
from ..public_names import with_advice

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Box:
    """A box centred on `pose`, its sides along the axes of `pose`.

    Attributes:
        size: (3,) full lengths of its sides [m].
        pose: of the box in the world.
    """

    size: Array
    pose: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        sides = checks.array("size", self.size, (3,))
        for axis in range(3):
            checks.positive(f"size[{axis}]", sides[axis], unit="m")
        object.__setattr__(self, "size", sides)
        checks.instance("pose", self.pose, Pose, fix="give a Pose")


@with_advice()
@dataclass(frozen=True, eq=False)
class Cylinder:
    """A full cylinder, or a curved plate: the part of its surface within `half_angle` of `middle`.

    Attributes:
        center: (3,) a point of the axis, halfway along [m].
        axis: (3,) unit direction of the axis.
        radius: [m].
        length: along the axis [m].
        half_angle: angle about the axis from `middle` to either side [rad]; pi for a full cylinder.
        middle: (3,) direction from the axis to the middle of the plate; by default as close to +z as possible.
    """

    center: Array
    axis: Array
    radius: float
    length: float
    half_angle: float = np.pi
    middle: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", checks.vector("center", self.center, 3))
        object.__setattr__(self, "axis", checks.direction("axis", self.axis, 3))
        checks.positive("radius", self.radius, unit="m")
        checks.positive("length", self.length, unit="m")
        checks.number("half_angle", self.half_angle, low=0.0, high=np.pi, ends="open low", unit="rad")

    @property
    def pose(self) -> Pose:
        """At the centre, with z along the axis and x towards the middle of the plate."""
        upright = abs(float(self.axis @ UP)) > 1.0 - tolerances.SOLVER_ROUNDING
        towards = self.middle if self.middle is not None else None if upright else UP
        return Pose(frame_from_normal(self.axis, towards), self.center)


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
        file: the file it was read from, or None.
        scale: metres per unit of the file.
        pose: of the file's frame in the world.
    """

    vertices: Array
    faces: Any
    file: Path | None = None
    scale: float = 1.0
    pose: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        points = checks.array("vertices", self.vertices, ("n", 3))
        corners = np.asarray(self.faces)
        fits = corners.ndim == 2 and corners.shape[1] == 3 and np.issubdtype(corners.dtype, np.integer)
        if not fits or not len(corners) or corners.min() < 0 or corners.max() >= len(points):
            fix = f"give whole numbers (f, 3) from 0 to {len(points) - 1}"
            raise GeometryError("do not name three vertices each", where="faces", fix=fix)
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "faces", corners.astype(np.intp))

    @property
    def triangles(self) -> Array:
        """(f, 3, 3) corners of the faces [m]."""
        return self.vertices[self.faces]


Shape = Box | Cylinder | Sphere | Mesh


def as_shape(thing: Any) -> Shape:
    """A shape as it is; what has vertices and faces, such as a mesh of trimesh, as a Mesh."""
    if isinstance(thing, Shape):
        return thing
    if hasattr(thing, "vertices") and hasattr(thing, "faces"):
        return Mesh(np.array(thing.vertices), np.array(thing.faces))
    fix = "give a Box, Cylinder, Sphere or Mesh of holdfast.assembly.shapes, or a mesh of trimesh"
    raise InputError(f"is a {type(thing).__name__}", where="shape", fix=fix)


def convex_mesh(points: ArrayLike) -> Mesh:
    """The convex hull of points (n, 3) [m] as a closed mesh, its triangles counter-clockwise seen from outside."""
    from scipy.spatial import ConvexHull, QhullError

    given = checks.array("points", points, ("n", 3))
    try:
        hull = ConvexHull(given)
    except (QhullError, ValueError):
        fix = "give at least four points that do not lie in one plane"
        raise GeometryError("do not span a solid", where="points", fix=fix) from None
    corners = given[hull.simplices]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum("ti,ti->t", cross, hull.equations[:, :3]) < 0.0
    faces = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, numbers = np.unique(faces, return_inverse=True)
    return Mesh(given[used], numbers.reshape(-1, 3))


#: A mesh whose signed volume is below this share of its box's does not enclose a volume.
SMALLEST_FILLING = 1e-6


def filled(shape: Shape) -> tuple[float, Array]:
    """(volume [m^3], centroid (3,) [m]) of the solid of a shape: a box, a full cylinder, a ball or a closed mesh."""
    if isinstance(shape, Box):
        return float(np.prod(shape.size)), shape.pose.translation
    if isinstance(shape, Sphere):
        return 4.0 / 3.0 * np.pi * shape.radius**3, shape.center
    if isinstance(shape, Cylinder):
        if shape.half_angle < np.pi:
            fix = "give a full cylinder, or the mass and the centre of mass"
            raise GeometryError("is a thin curved plate, which encloses no volume", where="shape", fix=fix)
        return np.pi * shape.radius**2 * shape.length, shape.center
    corners = shape.triangles
    anchor = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = (corners[:, k] - anchor for k in range(3))
    volumes = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    whole = float(volumes.sum())
    box = float(np.prod(np.maximum(np.ptp(corners.reshape(-1, 3), axis=0), tolerances.SMALLEST_LENGTH)))
    if abs(whole) <= SMALLEST_FILLING * box:
        fix = "give a closed mesh, or the mass and the centre of mass"
        raise GeometryError("encloses no volume", where="shape", fix=fix)
    return abs(whole), anchor + volumes @ (a + b + c) / (4.0 * whole)
