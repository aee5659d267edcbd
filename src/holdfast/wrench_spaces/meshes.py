"""Surfaces of wrench spaces as meshes for CAD: PLY and OBJ."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..errors import FileError, GeometryError
from ..storage import write_whole
from .slices import SliceSurface, slice_surface

if TYPE_CHECKING:
    from .space import WrenchSpace

SUFFIXES = (".ply", ".obj")


def export_mesh(
    space: WrenchSpace,
    path: str | PathLike[str],
    *,
    cap: float | None = None,
    newtons: bool = False,
    text: bool = False,
) -> Path:
    """Write the surface of a 3-D slice as a closed mesh of triangles, outward; the suffix decides: .ply or .obj.

    Args:
        space: a wrench space sampled over a three-dimensional subspace.
        path: the file; its folder must be there. It is written beside and renamed, so that none is left half done.
        cap: where rays are cut off [N], torques at `cap` times the subspace's scale. Needed where a ray has no limit.
        newtons: divide the coordinates by the subspace's scales, so that torques count in newtons like forces and the
            solid is no thin sheet; by default every axis keeps its own unit.
        text: PLY as text instead of binary numbers; OBJ always is.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(
            f"meshes cannot be written as {target.suffix!r}" if target.suffix else "has no suffix",
            path=target,
            fix=f"let the name end in one of {', '.join(SUFFIXES)}",
        )
    surface = slice_surface(space).bounded(cap, purpose="a mesh")
    vertices, faces = closed_mesh(surface)
    units = list(surface.subspace.units)
    if newtons:
        scales = surface.subspace.scales
        vertices = vertices / scales
        units = ["N" if scale == 1.0 else f"N, over {scale:.17g} m" for scale in scales.tolist()]
    notes = _notes(space, surface, units, cap)
    if target.suffix.lower() == ".obj":
        data = _obj(vertices, faces, notes)
    else:
        data = _ply_text(vertices, faces, notes) if text else _ply_binary(vertices, faces, notes)
    write_whole(target, data)
    return target


def closed_mesh(surface: SliceSurface) -> tuple[Array, IntArray]:
    """(vertices (m, 3), outward faces (f, 3)) of a bounded surface.

    All rays without any strength meet in the one vertex at zero, and triangles that this leaves without area are
    gone: what remains is closed.
    """
    nothing = surface.radii <= tolerances.MERGE * surface.size
    if surface.size == 0.0:
        raise GeometryError("every limit is zero: there is no solid", where="space", fix="sample another slice")
    number = np.cumsum(~nothing) - 1
    number[nothing] = int((~nothing).sum())
    faces = number[surface.triangles]
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[proper]
    points = surface.points[~nothing]
    if nothing.any():
        points = np.concatenate([points, np.zeros((1, 3))])
    used = np.unique(faces)  # a single strong ray among weak ones has no faces left
    if not len(used):
        raise GeometryError("the surface encloses nothing", where="space", fix="sample another slice")
    return points[used], np.searchsorted(used, faces)


def _notes(space: WrenchSpace, surface: SliceSurface, units: list[str], cap: float | None) -> list[str]:
    axes = zip("xyz", surface.subspace.labels, units, strict=True)
    notes = [
        f"wrench space, {'convex hulls' if space.volumes == 'hull' else 'unions'} of the contacts' force volumes",
        *(f"axis {letter}: {label} [{unit}]" for letter, label, unit in axes),
        "external wrench on the object, torques about the world origin",
        f"model {space.model_hash}",
    ]
    return notes if cap is None else [*notes, f"cut off at {cap:.17g} N"]


def _ply_header(vertices: Array, faces: IntArray, notes: list[str], form: str) -> str:
    lines = [
        "ply",
        f"format {form} 1.0",
        *(f"comment {note}" for note in notes),
        f"element vertex {len(vertices)}",
        *(f"property double {letter}" for letter in "xyz"),
        f"element face {len(faces)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    return "\n".join(lines) + "\n"


def _ply_text(vertices: Array, faces: IntArray, notes: list[str]) -> bytes:
    rows = [" ".join(repr(x) for x in row) for row in vertices.tolist()]
    rows += [f"3 {a} {b} {c}" for a, b, c in faces.tolist()]
    return (_ply_header(vertices, faces, notes, "ascii") + "\n".join(rows) + "\n").encode("ascii", "replace")


def _ply_binary(vertices: Array, faces: IntArray, notes: list[str]) -> bytes:
    rows = np.empty(len(faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, faces
    header = _ply_header(vertices, faces, notes, "binary_little_endian").encode("ascii", "replace")
    return header + vertices.astype("<f8").tobytes() + rows.tobytes()


def _obj(vertices: Array, faces: IntArray, notes: list[str]) -> bytes:
    rows = [f"# {note}" for note in notes]
    rows += ["v " + " ".join(repr(x) for x in row) for row in vertices.tolist()]
    rows += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(rows) + "\n").encode("ascii", "replace")
