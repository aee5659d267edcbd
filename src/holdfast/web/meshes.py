"""Triangles and lines of what pictures show: objects, units, pieces of force volumes, arrows that turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import Array, IntArray
from ..force_limits.volume import ForceVolume
from ..geometry.frames import frame_from_normal

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


def shape_mesh(shape: Any, points: Array) -> tuple[Mesh, Array]:
    """Triangles of an object's outline and its main edges (n, 2, 3); of a large one the part near points (m, 3)."""
    from ..assembly.plots import add_shape, near
    from ..plotting.solids import Solids

    solids = Solids()
    add_shape(solids, shape)
    solids = near(solids, points)
    lines = np.array([np.array(line) for line in solids.lines]).reshape(-1, 2, 3)
    return polygons_mesh(solids.polygons), lines


def piece_meshes(volume: ForceVolume) -> list[Mesh]:
    """Triangles of each piece in the contact frame [N]; pieces without limit are cut off and left open there."""
    from ..force_limits.plots import drawing_reach
    from ..plotting.facets import cut_off, facets

    reach = drawing_reach(volume.polytopes, None)
    meshes = []
    for polytope in volume.polytopes:
        part, cuts = cut_off(polytope, reach)
        meshes.append(polygons_mesh([facet.corners for facet in facets(part, cuts) if not facet.is_cut]))
    return meshes


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


def rgb(colour: str) -> tuple[int, int, int]:
    """A colour "#rrggbb" as numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
