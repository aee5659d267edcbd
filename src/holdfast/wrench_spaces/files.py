"""Wrench spaces in HDF5 files: arguments, results, and the hash of the assembly."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, IntArray
from ..errors import FileError, GeometryError
from ..inputs import write_whole
from ..solvers import Status
from ..storage import ArchiveKind, Contents, OpenArchive
from .space import SliceSurface, WrenchSpace, slice_surface
from .subspace import Rays, Subspace

if TYPE_CHECKING:
    from ..solvers import Exact
    from .space import WrenchSpace

KIND = ArchiveKind(noun="wrench space", version=2, maker="WrenchSpace.save", rewrite="compute and save the space again")
FORMAT = KIND.format
FRAME = "external wrench on the object: force [N], torque [N m] about the world origin; forces act on the object"

#: The statuses by their number in a file; new ones go to the end.
STATUSES = (Status.OPTIMAL, Status.UNBOUNDED, Status.DOES_NOT_HOLD, Status.UNDECIDED)

#: Shapes of the data sets: n rays, t triangles, p axes, k contacts, r joint rows. Those after the line may be absent.
SHAPES: dict[str, tuple[str | int, ...]] = {
    "rays/directions": ("n", 6),
    "values": ("n",),
    "upper_bounds": ("n",),
    "status": ("n",),
    "normals": ("n", 6),
    "offsets": ("n",),
}
OPTIONAL: dict[str, tuple[str | int, ...]] = {
    "rays/triangles": ("t", 3),
    "subspace/axes": ("p", 6),
    "subspace/scales": ("p",),
    "joint_multipliers": ("n", "r"),
    "forces": ("n", "k", 3),
    "pieces": ("n", "k"),
}
WHOLE = ("status", "rays/triangles", "pieces")  # data sets of whole numbers


def save_space(space: WrenchSpace, path: str | PathLike[str]) -> None:
    """Write a wrench space to an HDF5 file; the same space gives the same bytes.

    The file is first written under another name and then renamed, so that it is never incomplete. The assembly itself
    is not in it, only its hash: give it again to `load_space`.
    """
    facts: dict[str, Any] = {
        "frame": FRAME,
        "model_hash": space.model_hash,
        "side": space.side,
        "length": float(space.length),
        "star_shaped": bool(space.star_shaped),
        "convex": bool(space.convex),
    }
    if space.rays.seed is not None:
        facts["seed"] = np.int64(space.rays.seed)
    method = space.method
    groups = {} if method is None else {"method": {"name": type(method).__name__, **asdict(method)}}
    notes: dict[str, dict[str, Any]] = {"status": {"names": [status.value for status in STATUSES]}}
    if space.subspace is not None:
        notes["subspace"] = {"labels": space.subspace.labels, "units": space.subspace.units}
    KIND.write(path, Contents(facts, _data_sets(space), groups, notes))


def load_space(path: str | PathLike[str], assembly: Assembly | None = None) -> WrenchSpace:
    """Read a wrench space that `save_space` wrote.

    Args:
        path: the file.
        assembly: its assembly, to verify it and compute more; its hash must be that in the file.
            Without it all geometric methods still work.
    """
    if assembly is not None:
        checked_assembly(assembly)
    space = KIND.read(path, lambda archive: _read(archive, assembly))
    if assembly is not None and assembly.fingerprint != space.model_hash:
        raise FileError(
            f"belongs to another assembly: its model hash is {space.model_hash}, this one's {assembly.fingerprint}",
            path=Path(path),
            field="model_hash",
            fix="give the assembly of this space, or none",
        )
    return space


def _data_sets(space: WrenchSpace) -> dict[str, Array]:
    codes = {status: code for code, status in enumerate(STATUSES)}
    sets: dict[str, Any] = {
        "rays/directions": space.directions,
        "rays/triangles": space.triangles,
        "values": space.values,
        "upper_bounds": space.upper_bounds,
        "status": np.array([codes[status] for status in space.status], dtype="u1"),
        "normals": space.normals,
        "offsets": space.offsets,
        "joint_multipliers": space.joint_multipliers,
        "forces": space.forces,
        "pieces": space.pieces,
    }
    if space.subspace is not None:
        sets |= {"subspace/axes": space.subspace.axes, "subspace/scales": space.subspace.scales}
    kinds = {"status": "u1", "rays/triangles": "<i8", "pieces": "<i8"}
    return {
        name: np.ascontiguousarray(values, dtype=kinds.get(name, "<f8"))
        for name, values in sets.items()
        if values is not None
    }


def _read(archive: OpenArchive, assembly: Assembly | None) -> WrenchSpace:
    sets = {name: archive.array(name, shape, whole=name in WHOLE) for name, shape in SHAPES.items()}
    sets |= {
        name: archive.array(name, shape, whole=name in WHOLE) for name, shape in OPTIONAL.items() if name in archive
    }
    if sets["status"].max(initial=0) >= len(STATUSES):
        row = int(sets["status"].argmax())
        raise archive.fault(f"has the unknown status {sets['status'][row]} at ray {row}", "status")
    facts = {name: archive.fact(name) for name in ("model_hash", "side", "length", "star_shaped", "convex")}
    if facts["side"] not in ("inner", "outer"):
        raise archive.fault(f"is {facts['side']!r}", "side", '"inner" or "outer" is expected')
    seed = int(archive.fact("seed")) if archive.has_fact("seed") else None
    rays = Rays(sets["rays/directions"], _subspace(archive, sets), sets.get("rays/triangles"), seed)
    _check_numbers(sets, archive)
    return WrenchSpace(
        rays=rays,
        values=sets["values"],
        upper_bounds=sets["upper_bounds"],
        status=np.array(STATUSES, dtype=object)[sets["status"]],
        normals=sets["normals"],
        offsets=sets["offsets"],
        joint_multipliers=sets.get("joint_multipliers"),
        forces=sets.get("forces"),
        pieces=sets.get("pieces"),
        side=facts["side"],
        model_hash=str(facts["model_hash"]),
        length=float(facts["length"]),
        star_shaped=bool(facts["star_shaped"]),
        convex=bool(facts["convex"]),
        assembly=assembly,
        method=_method(archive),
    )


def _check_numbers(sets: dict[str, Array], archive: OpenArchive) -> None:
    """Limits are numbers or infinite; planes and forces may be unknown, which is nan."""
    for name in ("values", "upper_bounds"):
        wrong = np.isnan(sets[name])
        if wrong.any():
            raise archive.fault("is nan", f"{name}[{int(wrong.argmax())}]")


def _subspace(archive: OpenArchive, sets: dict[str, Array]) -> Subspace | None:
    if "subspace" not in archive:
        return None
    for name in ("subspace/axes", "subspace/scales"):
        if name not in sets:
            raise archive.fault("is missing", name)
    words = {name: archive.fact(name, "subspace") for name in ("labels", "units")}
    return Subspace(sets["subspace/axes"], words["labels"], words["units"], sets["subspace/scales"])


def _method(archive: OpenArchive) -> Exact | None:
    if "method" not in archive:
        return None
    from ..solvers import Exact

    facts = archive.facts("method")
    name = facts.pop("name", "nothing")
    if name != "Exact":
        raise archive.fault(f"is {name!r}", "method", "this version supports Exact")
    try:
        return Exact(**facts)
    except TypeError as error:
        raise archive.fault(str(error), "method") from None


# Surfaces of wrench spaces as meshes for CAD: PLY and OBJ.

SUFFIXES = (".ply", ".obj")


def export_mesh(
    space: WrenchSpace,
    path: str | PathLike[str],
    *,
    cap: float | None = None,
    newtons: bool = False,
    text: bool = False,
) -> Path:
    """Write the surface of a 3-D slice as a closed mesh of outward triangles; the suffix is .ply or .obj.

    Args:
        space: a wrench space sampled over a three-dimensional subspace.
        path: the file; its folder must exist. The file is never incomplete.
        cap: limit at which rays are cut off [N], torques at `cap` times the subspace's scale. Needed where a ray has no
            limit.
        newtons: divide the coordinates by the subspace's scales, so that torques are in newtons like forces and the
            solid is not a thin sheet; by default every axis has its own unit.
        text: PLY as text instead of binary numbers; OBJ always is.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(
            f"meshes cannot be written as {target.suffix!r}" if target.suffix else "has no suffix",
            path=target,
            fix=f"use one of the suffixes {', '.join(SUFFIXES)}",
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

    All rays without any strength share the vertex at zero, and triangles without area are removed: the rest is closed.
    """
    nothing = surface.radii <= tolerances.MERGE * surface.size
    if surface.size == 0.0:
        raise GeometryError("every limit is zero: the surface is a point", where="space", fix="sample another slice")
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
        f"wrench space, {'convex hulls' if space.side == 'outer' else 'unions'} of the contacts' force volumes",
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
