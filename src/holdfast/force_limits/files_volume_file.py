"""Force volumes in files: what `holdfast decompose -o` writes and `volumes: {name: {file: ...}}` reads.

A JSON object with the format's name and version, the unit, the pieces with their rays, and how the volume was
made. Numbers are written so that reading gives back the same bits.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from ..errors import FileError
from ..files.schema import Bound, Part, Vector, faults
from ..files.yaml_source import LARGEST_FILE, YamlSource
from .report import DecompositionReport
from .volume import ForceVolume

FORMAT = "holdfast force volume"
VERSION = 1


class ReportPart(Part):
    """How the volume stands to the surface it was made from; see DecompositionReport."""

    side: Literal["inner", "outer"]
    pieces: int
    overreach_percent: Bound
    overreach_newtons: Bound
    false_adhesion_newtons: Bound
    loss_percent: Bound
    loss_newtons: Bound
    lost_adhesion_newtons: Bound
    goal_reached: bool = True


class VolumeDocument(Part):
    """The file."""

    format: Literal["holdfast force volume"]
    version: Literal[1]
    unit: Literal["N"]
    source: str = ""
    pieces: list[Annotated[list[Vector], Field(min_length=1)]] = Field(min_length=1)
    rays: list[list[Vector]] | None = None
    report: ReportPart | None = None


def save_volume(volume: ForceVolume, path: str | Path, *, source: str = "") -> None:
    """Write `volume` to a JSON file; `source` says in words where it comes from."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "unit": "N",
        "source": source,
        "report": None if volume.report is None else asdict(volume.report),
        "pieces": [piece.tolist() for piece in volume.pieces],
        "rays": None if volume.is_bounded else [rays.tolist() for rays in volume.rays],
    }
    target = Path(path)
    try:
        target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=target, fix=fix) from None


def load_volume(path: str | Path) -> ForceVolume:
    """The volume that `save_volume` wrote; a foreign or damaged file is a FileError."""
    file = Path(path)
    fix = "give a file that `holdfast decompose -o` wrote"
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise FileError("is too large", path=file, fix=fix)
        data = json.loads(file.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise FileError(f"cannot be read: {reason}", path=file, fix=fix) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError("is not a force volume", path=file, fix=fix)
    if data.get("version") != VERSION:
        raise FileError(f"has version {data.get('version')!r}", path=file, fix=f"this Holdfast reads version {VERSION}")
    try:
        document = VolumeDocument.model_validate(data)
    except ValidationError as error:
        first = faults(error, YamlSource(file, data), VolumeDocument)[0]
        raise FileError(first.what, path=file, field=first.field, fix=first.fix) from None
    report = None if document.report is None else DecompositionReport(**document.report.model_dump())
    return ForceVolume(document.pieces, document.rays, allow_flat=True, report=report)
