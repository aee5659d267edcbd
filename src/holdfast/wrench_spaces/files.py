"""Wrench spaces in HDF5 files: what was asked, what came out, and what it belongs to."""

from __future__ import annotations

import io
import sys
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import FileError, HoldfastError
from ..solvers import Status
from .meshes import write_whole
from .rays import Rays
from .space import WrenchSpace
from .subspace import Subspace

if TYPE_CHECKING:
    from ..solvers import Exact

FORMAT = "holdfast wrench space"
VERSION = 1
FRAME = "external wrench on the object: force [N], torque [N m] about the world origin; forces act on the object"

#: Every HDF5 file begins with this.
SIGNATURE = b"\x89HDF\r\n\x1a\n"

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

REWRITE = "compute and save the space again"


def save_space(space: WrenchSpace, path: str | PathLike[str]) -> None:
    """Write a wrench space to an HDF5 file; the same space gives the same bytes.

    The file is written beside and renamed, so that none is left half done. The assembly itself is not in it, only its
    hash: give it again to `load_space`.
    """
    import h5py

    sets = _data_sets(space)
    memory = io.BytesIO()
    # From version 1.10 of the library on every part of a file carries a checksum.
    with h5py.File(memory, "w", libver=("v110", "v110")) as file:
        facts: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "holdfast": _release(),
            "frame": FRAME,
            "model_hash": space.model_hash,
            "volumes": space.volumes,
            "length": float(space.length),
            "star_shaped": bool(space.star_shaped),
            "convex": bool(space.convex),
        }
        if space.rays.seed is not None:
            facts["seed"] = np.int64(space.rays.seed)
        for name, value in facts.items():
            file.attrs[name] = _stored(value)
        if space.method is not None:
            group = file.create_group("method")
            for name, value in {"name": type(space.method).__name__, **asdict(space.method)}.items():
                group.attrs[name] = _stored(value)
        for name, values in sets.items():
            look = {"chunks": _chunks(values), "compression": "gzip", "shuffle": True, "fletcher32": True}
            file.create_dataset(name, data=values, track_times=False, **(look if values.size else {}))
        file["status"].attrs["names"] = _stored([status.value for status in STATUSES])
        if space.subspace is not None:
            file["subspace"].attrs["labels"] = _stored(space.subspace.labels)
            file["subspace"].attrs["units"] = _stored(space.subspace.units)
    write_whole(Path(path), memory.getvalue())


def load_space(path: str | PathLike[str], assembly: Assembly | None = None) -> WrenchSpace:
    """Read a wrench space that `save_space` wrote.

    Args:
        path: the file.
        assembly: what it was computed for, to verify it and ask it further; its hash must be the one in the file.
            Without it the space still does all geometry.
    """
    source = Path(path)
    if assembly is not None:
        checked_assembly(assembly)
    try:
        space = _read(source, assembly)
    except HoldfastError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(error.what, path=source, field=error.where, fix=error.fix or REWRITE) from None
    except (OSError, KeyError, RuntimeError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise FileError(f"is damaged: {error}", path=source, fix=REWRITE) from None
    if assembly is not None and assembly.fingerprint != space.model_hash:
        raise FileError(
            f"belongs to another assembly: its model hash is {space.model_hash}, this one's {assembly.fingerprint}",
            path=source,
            field="model_hash",
            fix="give the assembly it was computed for, or none",
        )
    return space


def _stored(value: Any) -> Any:
    """Words as text of a fixed length, which stands where checksums guard it; numbers as they are.

    Text of any length would go to a heap that has no checksum, and a damaged one can keep the library busy for ever.
    """
    import h5py

    if not isinstance(value, (str, list, tuple)):
        return value
    words = [value.encode()] if isinstance(value, str) else [word.encode() for word in value]
    kind = h5py.string_dtype("utf-8", max(1, *(len(word) for word in words)))
    return np.array(words[0] if isinstance(value, str) else words, dtype=kind)


def _words(value: Any) -> Any:
    """What `_stored` made of words and numbers, as Python's own."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list):
        return [_words(entry) for entry in plain]
    return plain.decode() if isinstance(plain, bytes) else plain


def _release() -> str:
    """The version of Holdfast; its package is loaded whenever a room of it is, and no room imports from it."""
    return str(getattr(sys.modules[__name__.partition(".")[0]], "__version__", "unknown"))


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


def _chunks(values: Array) -> tuple[int, ...]:
    """Chunks of about a megabyte along the rays."""
    row = max(1, values[:1].nbytes)
    return (max(1, min(len(values), 2**20 // row)), *values.shape[1:])


def _read(path: Path, assembly: Assembly | None) -> WrenchSpace:
    import h5py

    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileError("does not exist", path=path, fix="check the name") from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path=path, fix="check the file") from None
    if not data.startswith(SIGNATURE):
        what = "is no HDF5 file" if data else "is empty"
        raise FileError(what, path=path, fix="give a file that WrenchSpace.save wrote")
    try:
        file = h5py.File(io.BytesIO(data), "r")
    except (OSError, RuntimeError, ValueError) as error:
        what = "is cut short" if "truncated" in str(error) else f"is damaged: {error}"
        raise FileError(what, path=path, fix=REWRITE) from None
    with file:
        _check_format(file, path)
        sizes: dict[str, int] = {}
        sets = {name: _data_set(file, name, shape, path, sizes) for name, shape in SHAPES.items()}
        sets |= {name: _data_set(file, name, shape, path, sizes) for name, shape in OPTIONAL.items() if name in file}
        if sets["status"].max(initial=0) >= len(STATUSES):
            row = int(sets["status"].argmax())
            what = f"has the unknown status {sets['status'][row]} at ray {row}"
            raise FileError(what, path=path, field="status", fix=REWRITE)
        facts = {name: _fact(file, name, path) for name in ("model_hash", "volumes", "length", "star_shaped", "convex")}
        if facts["volumes"] not in ("union", "hull"):
            raise FileError(f"is {facts['volumes']!r}", path=path, field="volumes", fix='"union" or "hull" is expected')
        seed = int(_fact(file, "seed", path)) if "seed" in file.attrs else None
        rays = Rays(sets["rays/directions"], _subspace(file, sets, path), sets.get("rays/triangles"), seed)
        _check_numbers(sets, path)
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
            volumes=facts["volumes"],
            model_hash=str(facts["model_hash"]),
            length=float(facts["length"]),
            star_shaped=bool(facts["star_shaped"]),
            convex=bool(facts["convex"]),
            assembly=assembly,
            method=_method(file, path),
        )


def _check_format(file: Any, path: Path) -> None:
    if _words(file.attrs.get("format")) != FORMAT:
        fix = "give a file that WrenchSpace.save wrote"
        raise FileError("is no wrench space, or is damaged", path=path, field="format", fix=fix)
    version = _words(file.attrs.get("version"))
    if not isinstance(version, int) or version < 1:
        raise FileError(f"is {version!r}", path=path, field="version", fix=REWRITE)
    if version > VERSION:
        writer = _words(file.attrs.get("holdfast", "a later release"))
        raise FileError(
            f"is {version}, written by Holdfast {writer}",
            path=path,
            field="version",
            fix=f"this release reads up to {VERSION}: update Holdfast",
        )


def _fact(group: Any, name: str, path: Path, *, place: str = "") -> Any:
    if name not in group.attrs:
        raise FileError("is missing", path=path, field=place + name, fix=REWRITE)
    return _words(group.attrs[name])


def _data_set(file: Any, name: str, shape: tuple[str | int, ...], path: Path, sizes: dict[str, int]) -> Array:
    """A data set of that shape; a letter means the same length wherever it stands."""
    if name not in file:
        raise FileError("is missing", path=path, field=name, fix=REWRITE)
    stored = file[name]
    found = tuple(getattr(stored, "shape", None) or ())  # a group where a data set should be has none
    fits = len(found) == len(shape)
    if fits:
        for want, have in zip(shape, found, strict=True):
            fits = fits and (sizes.setdefault(want, have) if isinstance(want, str) else want) == have
    if not fits:
        wanted = ", ".join(str(sizes.get(str(want), want)) for want in shape)
        raise FileError(f"has shape {found}", path=path, field=name, fix=f"the shape must be ({wanted})")
    whole = name in WHOLE
    if stored.dtype.kind not in ("iu" if whole else "f"):
        kind = "whole numbers" if whole else "numbers"
        raise FileError(f"has type {stored.dtype}", path=path, field=name, fix=f"{kind} are expected")
    try:
        values = np.asarray(stored[()], dtype=np.int64 if whole else np.float64)
    except (OSError, RuntimeError, ValueError) as error:
        raise FileError(f"cannot be read, its data are damaged: {error}", path=path, field=name, fix=REWRITE) from None
    values.setflags(write=False)
    return values


def _check_numbers(sets: dict[str, Array], path: Path) -> None:
    """Limits are numbers, perhaps infinite; planes and forces may be unknown, which is nan."""
    for name in ("values", "upper_bounds"):
        wrong = np.isnan(sets[name])
        if wrong.any():
            raise FileError("is nan", path=path, field=f"{name}[{int(wrong.argmax())}]", fix=REWRITE)


def _subspace(file: Any, sets: dict[str, Array], path: Path) -> Subspace | None:
    if "subspace" not in file:
        return None
    for name in ("subspace/axes", "subspace/scales"):
        if name not in sets:
            raise FileError("is missing", path=path, field=name, fix=REWRITE)
    words = {name: _fact(file["subspace"], name, path, place="subspace/") for name in ("labels", "units")}
    return Subspace(sets["subspace/axes"], words["labels"], words["units"], sets["subspace/scales"])


def _method(file: Any, path: Path) -> Exact | None:
    if "method" not in file:
        return None
    from ..solvers import Exact

    facts = {name: _words(value) for name, value in file["method"].attrs.items()}
    name = facts.pop("name", "nothing")
    if name != "Exact":
        raise FileError(f"is {name!r}", path=path, field="method", fix="this release knows Exact")
    try:
        return Exact(**facts)
    except TypeError as error:
        raise FileError(str(error), path=path, field="method", fix=REWRITE) from None
