"""Limit surfaces in JSON files: format name and version, units, frame, source, samples."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, HoldfastError
from .bands import Outlier
from .surface import LimitSurface

FORMAT = "holdfast limit surface"
VERSION = 1
UNITS = {"limits": "N", "directions": "1"}
FRAME = "contact frame (u, v, n): x best shear direction, y lateral, z into the object; forces act on the object"


def save_surface(surface: LimitSurface, path: str | Path) -> None:
    """Write `surface` to `path`; an infinite limit is null."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "units": UNITS,
        "frame": FRAME,
        "source": surface.source,
        "directions": surface.directions.tolist(),
        "radii": _numbers(surface.radii),
        "lower": _numbers(surface.lower),
        "upper": _numbers(surface.upper),
        "measured": surface.measured.tolist(),
        "trials": surface.trials.tolist(),
        "triangles": surface.triangles.tolist(),
        "outliers": [asdict(outlier) for outlier in surface.outliers],
    }
    try:
        Path(path).write_text(json.dumps(data, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"cannot be written: {error.strerror or error}", path=path, fix="check folder and rights"
        ) from None


def load_surface(path: str | Path) -> LimitSurface:
    """Read a surface that `save_surface` wrote."""
    data = _read(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError("is not a limit surface", path=path, fix="give a file that LimitSurface.save wrote")
    if data.get("version") != VERSION:
        raise FileError(
            f"has format version {data.get('version')!r}",
            path=path,
            field="version",
            fix=f"this release reads version {VERSION}",
        )
    if data.get("units") != UNITS:
        raise FileError(f"has units {data.get('units')!r}", path=path, field="units", fix=f"units must be {UNITS}")
    fields = ("directions", "radii", "lower", "upper", "measured", "trials", "triangles", "outliers", "source")
    missing = [name for name in fields if name not in data]
    if missing:
        raise FileError("is missing", path=path, field=missing[0], fix="write the file again with LimitSurface.save")
    try:
        return LimitSurface(
            data["directions"],
            _limits(data["radii"]),
            triangles=np.asarray(data["triangles"], dtype=np.intp),
            measured=data["measured"],
            lower=_limits(data["lower"]),
            upper=_limits(data["upper"]),
            trials=data["trials"],
            outliers=[Outlier(**(o | {"direction": tuple(o["direction"])})) for o in data["outliers"]],
            source=str(data["source"]),
        )
    except HoldfastError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise FileError(f"is damaged: {error}", path=path, fix="write the file again with LimitSurface.save") from None


def _read(path: str | Path) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError("does not exist", path=path, fix="check the name") from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path=path, fix="check the file") from None
    except (UnicodeDecodeError, ValueError):
        raise FileError("is not a text file", path=path, fix="give a file that LimitSurface.save wrote") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"is not JSON, or is cut short: {error.msg}", path=path, line=error.lineno, fix="write the file again"
        ) from None
    except RecursionError:
        raise FileError("is nested too deeply", path=path, fix="give a file that LimitSurface.save wrote") from None


def _numbers(values: np.ndarray) -> list[float | None]:
    return [float(v) if math.isfinite(v) else None for v in values]


def _limits(values: Any) -> list[float]:
    return [math.inf if v is None else float(v) for v in values]
