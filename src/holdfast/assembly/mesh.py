"""Patches from a region of a triangle mesh: equal shares of its surface, frames from its normals."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FileError, GeometryError, InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose
from .contact import ShearField, contacts_from_arrays, shear_directions
from .patch import Patch

if TYPE_CHECKING:
    from trimesh import Trimesh

#: A share is cut along a world axis unless its principal axis is longer by this fraction: squares stay squares.
LONGER_AXIS = 0.01

#: The mean of the unit normals in a point's share must be at least this long, or it says nothing.
SHORTEST_MEAN_NORMAL = 0.5

#: Face numbers, a mask over all faces, or a function of centres (t, 3) and outward normals (t, 3) to a mask.
FaceSelection = ArrayLike | Callable[[Array, Array], ArrayLike]


def patch_from_mesh(
    mesh: Trimesh | str | PathLike[str],
    volume: ForceVolume,
    *,
    points: int,
    shear: ShearField,
    faces: FaceSelection | None = None,
    body: Literal["object", "gripper"] = "object",
    pose: Pose | None = None,
    scale: float = 1.0,
    name: str = "",
) -> Patch:
    """A unit that touches along a region of a mesh, as `points` contacts with equal shares of its area.

    The region is halved again and again across its longest direction, in proportion to the points that
    either half is to get; so every share is exactly 1/points, and all contacts share one ForceVolume.
    Each contact stands on the surface, next to the middle of its share, with the mean normal there.

    Args:
        mesh: a trimesh mesh, or a file that trimesh reads (STL, OBJ, PLY, ...).
        volume: admissible forces of the whole unit.
        points: number of contacts.
        shear: best direction of the force on the object, in the world: constant (3,), one a face of the whole
            mesh (f, 3), or a function from positions (n, 3) to (n, 3).
        faces: numbers of the faces that touch, a mask (f,) over all faces, or a function from the faces'
            centres and outward normals (f, 3), (f, 3) in the world to a mask; all faces by default.
        body: whose surface it is. The mesh's normals point out of its body: out of the object, so that the
            contact normals are flipped to point into it, or out of the gripper, into the object as they are.
        pose: where the mesh stands in the world, after scaling; as it is by default.
        scale: length of one unit of the mesh [m]: 0.001 for a mesh in millimetres.
        name: how reports call it.
    """
    count = checks.count("points", points)
    if body not in ("object", "gripper"):
        raise InputError(f"is {body!r}", where="body", fix='give "object" or "gripper": whose surface it is')
    corners = world_triangles(mesh, scale, Pose.identity() if pose is None else pose)
    normals, areas = _normals_and_areas(corners)
    chosen = _selected(faces, corners.mean(axis=1), normals)
    chosen = chosen[areas[chosen] > tolerances.MERGE * areas[chosen].sum(initial=0.0)]
    if not len(chosen):
        raise GeometryError("no face with an area is selected", where="faces", fix="select at least one face")
    shares = _equal_shares(corners[chosen], chosen, count)
    sign = -1.0 if body == "object" else 1.0
    mean_normals = sign * np.array([_mean(part, normals[parent]) for part, parent in shares])
    _check_turn(mean_normals)
    positions = np.array([_on_surface(part) for part, _ in shares])
    if not callable(shear) and np.ndim(shear) == 2:
        field = checks.array("shear", shear, (len(corners), 3))
        directions = np.array([_mean(part, field[parent]) for part, parent in shares])
    else:
        directions = shear_directions(shear, positions)
    fractions = np.full(count, 1.0 / count)
    contacts = contacts_from_arrays(positions, mean_normals, directions, volume, fractions=fractions, name=name)
    return Patch(contacts, fractions, tuple(corners[chosen]), name)


def world_triangles(mesh: Any, scale: float, pose: Pose) -> Array:
    """(f, 3, 3) corners of all faces in the world [m]."""
    scale = checks.positive("scale", scale)
    where = "mesh"
    if isinstance(mesh, (str, PathLike)):
        where = str(mesh)
        mesh = _read(Path(mesh))
    if not hasattr(mesh, "vertices") or not hasattr(mesh, "faces"):
        raise InputError(f"is a {type(mesh).__name__}", where=where, fix="give a trimesh.Trimesh or a file")
    if not len(mesh.faces):
        raise GeometryError("has no faces", where=where, fix="give a surface of triangles, not points or lines")
    vertices = scale * checks.array("mesh.vertices", mesh.vertices, ("n", 3))
    used = vertices[np.asarray(mesh.faces)]
    checks.length("extent of the mesh", float(np.ptp(used.reshape(-1, 3), axis=0).max()))
    return pose.apply(used)


def _read(path: Path) -> Any:
    """The mesh in a file."""
    import trimesh

    if not path.is_file():
        raise FileError("there is no such file", path=path, fix="check the path and the folder it is relative to")
    try:
        return trimesh.load_mesh(path, process=False)
    except Exception as error:  # noqa: BLE001 - every reader of trimesh has exceptions of its own
        formats = ", ".join(sorted(trimesh.available_formats()))
        raise FileError(f"cannot be read as a mesh: {error}", path=path, fix=f"formats: {formats}") from None


def _normals_and_areas(corners: Array) -> tuple[Array, Array]:
    """Unit outward normals (f, 3), zero where degenerate, and areas (f,) [m^2] of triangles (f, 3, 3)."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=1)
    return cross / np.where(length > 0.0, length, 1.0)[:, None], 0.5 * length


def _selected(faces: FaceSelection | None, centres: Array, normals: Array) -> Any:
    """Numbers of the chosen faces, ascending."""
    total = len(centres)
    if faces is None:
        return np.arange(total)
    value = np.asarray(faces(centres, normals) if callable(faces) else faces)
    if value.dtype == bool:
        if value.shape != (total,):
            raise InputError(
                f"is a mask of shape {value.shape}", where="faces", fix=f"give one entry a face: ({total},)"
            )
        return np.nonzero(value)[0]
    if value.ndim != 1 or (value.size and not np.issubdtype(value.dtype, np.integer)):
        raise InputError("is neither face numbers nor a mask", where="faces", fix="give whole numbers or booleans")
    if value.size and (value.min() < 0 or value.max() >= total):
        raise InputError(
            f"has numbers from {value.min()} to {value.max()}",
            where="faces",
            fix=f"faces are numbered 0 to {total - 1}",
        )
    return np.unique(value).astype(int)


def _equal_shares(corners: Array, parent: Any, count: int) -> list[tuple[Array, Any]]:
    """`count` parts of equal area of triangles (t, 3, 3): (triangles (s, 3, 3), parents (s,)) of each."""
    result: list[tuple[Array, Any]] = []
    waiting = [(corners, parent, count, np.zeros(3))]
    while waiting:
        triangles, owner, points, last = waiting.pop()
        if points == 1:
            result.append((triangles, owner))
            continue
        axis = _long_axis(triangles, last)
        heights = triangles @ axis  # (t, 3)
        lower = points // 2
        heights = heights - _level(heights, _normals_and_areas(triangles)[1], lower / points)
        below, below_owner = _cut(triangles, owner, heights)
        above, above_owner = _cut(triangles, owner, -heights)
        waiting += [(above, above_owner, points - lower, axis), (below, below_owner, lower, axis)]
    return result


def _mean(triangles: Array, values: Array) -> Array:
    """Mean of `values` (t, 3), weighted by the areas of triangles (t, 3, 3)."""
    areas = _normals_and_areas(triangles)[1]
    return areas @ values / areas.sum()


def _long_axis(triangles: Array, last: Array) -> Array:
    """(3,) unit direction in which the surface is longest; among equals the one most across `last`."""
    centres, areas = triangles.mean(axis=1), _normals_and_areas(triangles)[1]
    offsets = triangles - areas @ centres / areas.sum()
    sums = offsets.sum(axis=1)
    # Second moment of a triangle: A / 12 (sum over the corners of x x^T, + s s^T), s the sum of the corners.
    moment = np.einsum("t,tci,tcj->ij", areas, offsets, offsets) + np.einsum("t,ti,tj->ij", areas, sums, sums)
    spread, axes = np.linalg.eigh(moment)
    long_enough = np.diag(moment) * (1.0 + LONGER_AXIS) ** 2 >= spread[-1]
    if long_enough.any():
        return np.eye(3)[np.argmin(np.where(long_enough, np.abs(last), np.inf))]
    axis = axes[:, -1]
    return axis * (1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0)  # the same on every machine


def _level(heights: Array, areas: Array, share: float) -> float:
    """The height below which `share` of the area of triangles with corner heights (t, 3) lies."""
    h0, h1, h2 = np.sort(heights, axis=1).T
    low, high = float(h0.min()), float(h2.max())
    tiny = np.finfo(float).tiny
    while low < (middle := 0.5 * (low + high)) < high:
        rising = (middle - h0) ** 2 / np.maximum((h1 - h0) * (h2 - h0), tiny)
        falling = 1.0 - (h2 - middle) ** 2 / np.maximum((h2 - h0) * (h2 - h1), tiny)
        part = np.where(middle <= h0, 0.0, np.where(middle >= h2, 1.0, np.where(middle < h1, rising, falling)))
        if areas @ part < share * areas.sum():
            low = middle
        else:
            high = middle
    return high


def _cut(triangles: Array, owner: Any, heights: Array) -> tuple[Array, Any]:
    """The parts of triangles (t, 3, 3) with heights (t, 3) <= 0 as triangles, and whose parts they are."""
    parts: list[Array] = []
    owners: list[int] = []
    for corners, level, own in zip(triangles, heights, owner, strict=True):
        if (level >= 0.0).all():
            continue
        border: list[Array] = []
        for i in range(3):
            j = (i + 1) % 3
            if level[i] <= 0.0:
                border.append(corners[i])
            if (level[i] < 0.0 < level[j]) or (level[j] < 0.0 < level[i]):
                border.append(corners[i] + level[i] / (level[i] - level[j]) * (corners[j] - corners[i]))
        parts += [np.stack([border[0], border[i], border[i + 1]]) for i in range(1, len(border) - 1)]
        owners += [int(own)] * (len(border) - 2)
    return np.array(parts), np.array(owners)


def _check_turn(mean_normals: Array) -> None:
    lengths = np.linalg.norm(mean_normals, axis=1)
    if lengths.min() < SHORTEST_MEAN_NORMAL:
        raise GeometryError(
            f"the surface turns too far within the share of point {int(np.argmin(lengths))}",
            where="faces",
            fix="select a flatter region, or ask for more points",
        )


def _on_surface(triangles: Array) -> Array:
    """The point of the surface nearest to its centroid (3,)."""
    mean = _mean(triangles, triangles.mean(axis=1))
    starts = triangles.reshape(-1, 3)
    sides = (np.roll(triangles, -1, axis=1) - triangles).reshape(-1, 3)
    lengths = np.maximum(np.einsum("si,si->s", sides, sides), np.finfo(float).tiny)
    along = np.clip(np.einsum("si,si->s", mean - starts, sides) / lengths, 0.0, 1.0)
    candidates = starts + along[:, None] * sides  # nearest on every side
    normals, _ = _normals_and_areas(triangles)
    heights = np.einsum("ti,ti->t", mean - triangles[:, 0], normals)
    feet = mean - heights[:, None] * normals  # nearest on every plane; it counts where it lies inside
    turns = np.cross(np.roll(triangles, -1, axis=1) - triangles, feet[:, None, :] - triangles)
    inside = (np.einsum("tci,ti->tc", turns, normals) >= 0.0).all(axis=1)
    candidates = np.concatenate([feet[inside], candidates])
    return candidates[np.argmin(np.linalg.norm(candidates - mean, axis=1))]
