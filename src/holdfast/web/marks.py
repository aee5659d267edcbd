"""What a page draws, as plain frozen data: surfaces, lines, arrows, dots and labels in the scene, each under a name.

Pure functions of a page's controls return marks; `canvas.Canvas` puts them into a browser's scene. This module
does not depend on the browser, so that tests examine marks alone. It also makes triangles and lines of shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from ..checks import Array, IntArray
from ..geometry.frames import frame_from_normal

# -- marks -----------------------------------------------------------------------------------------


#: Red, green, blue from 0 to 255.
Colour = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in one colour.

    Attributes:
        vertices: (v, 3) in the scene.
        faces: (f, 3) corners by their index.
        colour: of all faces.
        opacity: from 0 to 1.
    """

    vertices: Array
    faces: IntArray
    colour: Colour
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class ShadedSurface:
    """Triangles with a colour at every vertex.

    Attributes:
        vertices: (v, 3) in the scene.
        faces: (f, 3) corners by their index.
        colours: (v, 3) red, green, blue from 0 to 1.
    """

    vertices: Array
    faces: IntArray
    colours: Array


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines.

    Attributes:
        points: (n, 2, 3) their ends in the scene.
        colour: of all lines.
        width: on the screen [px].
    """

    points: Array
    colour: Colour
    width: float = 2.0


@dataclass(frozen=True, eq=False)
class Arrows:
    """Arrows.

    Attributes:
        points: (n, 2, 3) start and tip in the scene.
        colour: of all arrows.
        radius: of the shafts, in the scene.
    """

    points: Array
    colour: Colour
    radius: float = 0.01


@dataclass(frozen=True, eq=False)
class Dots:
    """Round dots.

    Attributes:
        points: (n, 3) in the scene.
        colour: of all dots.
        size: their diameter, in the scene.
    """

    points: Array
    colour: Colour
    size: float = 0.02


@dataclass(frozen=True, eq=False)
class Picture:
    """A raster image on a rectangle in the scene's x-z plane, its first row on top.

    Attributes:
        pixels: (h, w, 3) uint8.
        centre: (3,) of the rectangle.
        width, height: of the rectangle.
    """

    pixels: IntArray
    centre: tuple[float, float, float]
    width: float
    height: float


@dataclass(frozen=True)
class Word:
    """A label at a place, always facing the viewer.

    Attributes:
        text: what is written.
        place: (x, y, z) in the scene.
        anchor: which point of the label is at the place.
    """

    text: str
    place: tuple[float, float, float]
    anchor: str = "center-center"


Mark = Surface | ShadedSurface | Lines | Arrows | Dots | Picture | Word
Marks = Mapping[str, Mark]


@dataclass(frozen=True, eq=False)
class View:
    """A position of the camera.

    Attributes:
        position: (x, y, z) of the camera in the scene.
        look_at: (x, y, z) in the middle of the picture.
    """

    position: tuple[float, float, float]
    look_at: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Drawing:
    """All marks of one answer, and the view that shows them.

    Attributes:
        marks: by name; names with a slash make groups.
        view: for a new subject; a page keeps the view chosen by the user while the subject is the same.
    """

    marks: Marks = field(default_factory=dict)
    view: View | None = None

    @cached_property
    def corners(self) -> Array:
        """(n, 3) every point drawn, without labels."""
        found = [np.zeros((0, 3))]
        for mark in self.marks.values():
            if isinstance(mark, Surface | ShadedSurface):
                found.append(mark.vertices)
            elif isinstance(mark, Lines | Arrows | Dots):
                found.append(np.asarray(mark.points, dtype=float).reshape(-1, 3))
        return np.concatenate(found)


def colour(hexadecimal: str) -> Colour:
    """A colour of `plotting.style`, "#0072B2", as three numbers."""
    digits = hexadecimal.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """`first` with `share` of `second` in it."""
    red, green, blue = (round((1.0 - share) * a + share * b) for a, b in zip(first, second, strict=True))
    return red, green, blue


def upright(points: Array, depth: float = 0.0) -> Array:
    """Points (..., 2) of a plane as points (..., 3) of the scene: x to the right, y up, `depth` towards the viewer."""
    flat = np.asarray(points, dtype=float)
    return np.stack([flat[..., 0], np.full(flat.shape[:-1], -depth), flat[..., 1]], axis=-1)


def ring(corners: Array) -> Array:
    """(n, 2, 3) the sides of a closed polygon (n, 3)."""
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def joined(path: Array) -> Array:
    """(n - 1, 2, 3) the pieces of an open polyline (n, 3)."""
    return np.stack([path[:-1], path[1:]], axis=1)


def fan(count: int) -> IntArray:
    """(count - 2, 3) triangles of a convex polygon with `count` corners in order."""
    last = np.arange(1, max(count - 1, 1))
    return np.column_stack([np.zeros_like(last), last, last + 1]).astype(np.int64)


#: The camera's angle of view from top to bottom, as browsers have it by default [rad]; width by height of the picture
#: in a small window, beside the controls.
FIELD, ASPECT = 1.309, 1.1

#: Shares of the picture's height and width that a drawing fills; labels need the rest.
TALL, WIDE = 0.85, 0.85

#: The camera moves back by this share until everything is visible.
STEP_BACK = 0.03


def framed(corners: Array, towards: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> View:
    """A view that shows points (n, 3), in the middle of the picture.

    Args:
        corners: points that must be visible.
        towards: (x, y, z) the viewing direction, not vertical.
    """
    forward = np.asarray(towards, dtype=float) / np.linalg.norm(towards)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(right, forward), forward])
    inside = np.asarray(corners, dtype=float).reshape(-1, 3) @ axes.T
    if not len(inside):
        inside = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    low, high = inside.min(axis=0), inside.max(axis=0)
    half = np.maximum(0.5 * (high - low), 1e-6)
    slope = float(np.tan(0.5 * FIELD))
    centre = 0.5 * (low + high)
    away = max(float(half[1]) / (TALL * slope), float(half[0]) / (WIDE * ASPECT * slope))
    depths = inside[:, 2] - centre[2]
    offsets = np.abs(inside[:, :2] - centre[:2]) / np.array([WIDE * ASPECT * slope, TALL * slope])
    # Perspective moves near points outwards: the camera moves back until all of them are visible.
    while (offsets.max(axis=1) > away + depths).any():
        away *= 1.0 + STEP_BACK
    target, place = centre @ axes, (centre - np.array([0.0, 0.0, away])) @ axes
    return View(_triple(place), _triple(target))


def _triple(point: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return x, y, z


def written(value: float, digits: int = 3) -> str:
    """A number for a label: "0.0312", "1030", "6.05e5"."""
    if abs(value) >= 1e5 or 0.0 < abs(value) < 1e-3:
        return f"{value:.{digits - 1}e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return f"{value:.0f}" if abs(value) >= 10.0 ** (digits - 1) else f"{value:.{digits}g}"


# -- flat shapes -----------------------------------------------------------------------------------


def filled(corners: Array, tint: Colour, opacity: float = 1.0) -> Surface:
    """A polygon (n, 3) in a plane across the scene's y axis, filled."""
    flat = np.round(np.asarray(corners, dtype=float)[:, [0, 2]], 12)
    return Surface(corners, _triangles(flat.tobytes(), len(flat)), tint, opacity)


@lru_cache(maxsize=256)
def _triangles(data: bytes, count: int) -> IntArray:
    """`triangles`, cached by polygon."""
    return triangles(np.frombuffer(data).reshape(count, 2))


def triangles(polygon: Array) -> IntArray:
    """(n - 2, 3) triangles of a simple polygon (n, 2), counter-clockwise, by constrained Delaunay triangulation."""
    import shapely

    numbers = {tuple(point): index for index, point in enumerate(np.asarray(polygon, dtype=float).tolist())}
    found = shapely.orient_polygons(shapely.constrained_delaunay_triangles(shapely.Polygon(polygon)))
    rings = shapely.get_coordinates(shapely.get_parts(found)).reshape(-1, 4, 2)  # each closed by its first corner
    corners = [numbers[tuple(point)] for point in rings[:, :3].reshape(-1, 2).tolist()]
    return np.array(corners, dtype=np.int64).reshape(-1, 3)


# -- meshes ----------------------------------------------------------------------------------------


#: A triangle mesh: vertices (v, 3) and faces (f, 3).
Mesh = tuple[Array, IntArray]


def polygons_mesh(polygons: Sequence[Array]) -> Mesh:
    """Convex polygons (m, 3) as triangles that fan out from their first corners; they share no vertices."""
    vertices: list[Array] = []
    faces: list[IntArray] = []
    count = 0
    for polygon in polygons:
        rim = np.arange(1, len(polygon) - 1)
        faces.append(count + np.column_stack([np.zeros_like(rim), rim, rim + 1]))
        vertices.append(np.asarray(polygon))
        count += len(polygon)
    if not vertices:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    return np.concatenate(vertices), np.concatenate(faces)


def mesh_reach(pieces: Sequence[Mesh]) -> float:
    """Largest distance of a vertex of some meshes from their origin; 1 when there is none."""
    return max((float(np.linalg.norm(vertices, axis=1).max(initial=0.0)) for vertices, _ in pieces), default=0.0) or 1.0


def turn_lines(center: Array, axis: Array, radius: float, strips: int = 30) -> Array:
    """(n, 2, 3) three quarters of a circle about `axis`, right-handed."""
    frame = frame_from_normal(axis)
    angles = np.linspace(0.0, 1.5 * np.pi, strips + 1)[:, None]
    points = center + radius * (np.cos(angles) * frame[:, 0] + np.sin(angles) * frame[:, 1])
    return np.stack([points[:-1], points[1:]], axis=1)


def quaternions(rotations: Array) -> Array:
    """(n, 4) unit quaternions (w, x, y, z) of rotations (n, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(rotations).as_quat(), 1, axis=-1)


def rotations(wxyz: Array) -> Array:
    """(3, 3) rotation of a quaternion (w, x, y, z)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(np.asarray(wxyz, dtype=float), -1)).as_matrix()
