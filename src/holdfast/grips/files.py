"""Grips in files: one HDF5 file contains an inner grip, an outer one or both, with their metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..checks import Array
from ..errors import FileError, InputError
from ..public_names import with_advice
from ..storage import ArchiveKind, Contents, OpenArchive
from .grip import Grip, GripBounds, GripMetadata, OuterGrip, sides

Part = TypeVar("Part")

#: Version 2 has more metadata: requested samples, gaps, palm, changes. Files of version 1 can still be read.
KIND = ArchiveKind(noun="grip", version=2, maker="Grip.save", rewrite="learn and save the grip again")
FRAME = "wrench on the body: force [N], torque [N m] about the palm's origin, in the palm frame"

#: Arrays of each part; n vertices, m rays, h half-spaces.
INNER: dict[str, tuple[str | int, ...]] = {"inner/vertices": ("n", 6), "inner/rays": ("m", 6)}
OUTER: dict[str, tuple[str | int, ...]] = {"outer/normals": ("h", 6), "outer/offsets": ("h",)}


@with_advice()
def save_grip(grip: Grip | OuterGrip | GripBounds, path: str | PathLike[str]) -> None:
    """Write a grip to an HDF5 file; the same grip, with the same label and metadata, gives the same bytes.

    The file is first written under another name and then renamed, so that it is never incomplete.
    """
    inner, outer = sides(grip)
    facts: dict[str, Any] = {"frame": FRAME}
    if grip.palm_gravity is not None:
        facts["palm_gravity"] = np.ascontiguousarray(grip.palm_gravity, dtype="<f8")
    arrays: dict[str, Array] = {}
    groups: dict[str, dict[str, Any]] = {"facts": _stored_facts(grip.metadata)}
    notes: dict[str, dict[str, Any]] = {}
    if inner is not None:
        arrays |= {"inner/vertices": inner.vertices, "inner/rays": inner.rays}
    if outer is not None:
        arrays |= {"outer/normals": outer.normals, "outer/offsets": outer.offsets}
    for name, part in (("inner", inner), ("outer", outer)):
        if part is not None:
            groups[f"{name}/facts"] = _stored_facts(part.metadata)
            notes[name] = {"label": part.label, "length": float(part.length)}
    plain = {name: np.ascontiguousarray(values, dtype="<f8") for name, values in arrays.items()}
    KIND.write(path, Contents(facts, plain, groups, notes))


@with_advice()
def load_grip(path: str | PathLike[str]) -> Grip | OuterGrip | GripBounds:
    """Read a file of `save_grip`: a Grip, an OuterGrip, or GripBounds when the file contains both."""
    return KIND.read(path, _read)


def load_inner(path: str | PathLike[str]) -> Grip:
    """The inner grip of a file."""
    found = load_grip(path)
    if isinstance(found, OuterGrip):
        raise FileError("contains only an outer grip", path=Path(path), field="inner", fix="use OuterGrip.load")
    return found.inner if isinstance(found, GripBounds) else found


def load_outer(path: str | PathLike[str]) -> OuterGrip:
    """The outer grip of a file."""
    found = load_grip(path)
    if isinstance(found, Grip):
        raise FileError("contains only an inner grip", path=Path(path), field="outer", fix="use Grip.load")
    return found.outer if isinstance(found, GripBounds) else found


def load_bounds(path: str | PathLike[str]) -> GripBounds:
    """Inner and outer grip of a file that contains both."""
    found = load_grip(path)
    if isinstance(found, GripBounds):
        return found
    kind = "inner" if isinstance(found, Grip) else "outer"
    fix = f"use {type(found).__name__}.load"
    raise FileError(
        f"contains only an {kind} grip", path=Path(path), field="outer" if kind == "inner" else "inner", fix=fix
    )


def _stored_facts(facts: GripMetadata) -> dict[str, Any]:
    """The known metadata by name; the seed as text, since it may have any number of digits."""
    known = {entry.name: getattr(facts, entry.name) for entry in fields(facts)}
    known = {name: value for name, value in known.items() if value is not None}
    if "seed" in known:
        known["seed"] = str(known["seed"])
    if "palm" in known:
        known["palm"] = np.array(known["palm"], dtype="<f8")
    return known


def _read(archive: OpenArchive) -> Grip | OuterGrip | GripBounds:
    gravity = archive.fact("palm_gravity") if archive.has_fact("palm_gravity") else None
    inner = outer = None
    if "inner" in archive:
        vertices, rays = (archive.array(name, shape) for name, shape in INNER.items())
        inner = _checked(archive, "inner", lambda look: Grip(vertices, rays, palm_gravity=gravity, **look))
    if "outer" in archive:
        normals, offsets = (archive.array(name, shape) for name, shape in OUTER.items())
        outer = _checked(archive, "outer", lambda look: OuterGrip(normals, offsets, palm_gravity=gravity, **look))
    if inner is not None and outer is not None:
        return GripBounds(inner, outer, _facts(archive, "facts"))
    found = outer if inner is None else inner
    if found is None:
        raise archive.fault("is missing, and so is outer", "inner")
    return found


def _checked(archive: OpenArchive, part: str, make: Callable[[dict[str, Any]], Part]) -> Part:
    """One part with its label, length and metadata; errors name the part."""
    look = {"label": str(archive.fact("label", part)), "length": float(archive.fact("length", part))}
    try:
        return make(look | {"metadata": _facts(archive, f"{part}/facts")})
    except FileError:
        raise
    except InputError as error:
        raise archive.fault(error.what, f"{part}/{error.where}", error.fix or None) from None


def _facts(archive: OpenArchive, group: str) -> GripMetadata:
    stored = archive.facts(group)
    known = {entry.name for entry in fields(GripMetadata)}
    for name in stored:
        if name not in known:
            raise archive.fault("is unknown to this version", f"{group}/{name}")
    if "seed" in stored:
        digits = str(stored["seed"])
        if not digits.isdecimal():
            raise archive.fault(f"is {digits!r}", f"{group}/seed")
        stored["seed"] = int(digits)
    try:
        return GripMetadata(**stored)
    except InputError as error:
        raise archive.fault(error.what, f"{group}/{error.where}", error.fix or None) from None
