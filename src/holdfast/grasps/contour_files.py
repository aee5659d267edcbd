"""Contours from files: CSV tables of points, SVG drawings, DXF polylines.

A file gives closed rings. The one with the largest area is the part's outer ring, and rings inside it are holes; rings
beside it are an error, for a file describes one part.

Workpieces: what is to be grasped, from a picture, a contour file, points or a contour; the same object each way.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..errors import FileError, GeometryError, InputError
from .contours import Contour, contains, signed_area

#: Endings of contour files.
ENDINGS = (".csv", ".txt", ".svg", ".dxf")


def read_contour(path: str | Path) -> Contour:
    """The contour [mm, y up] of a CSV, SVG or DXF file.

    CSV: a line "x, y" [mm] for each point, a header allowed; a blank line, or a third column that changes, begins
    another ring. SVG: paths and simple shapes, see `svg_outlines`. DXF: closed polylines and circles, see
    `dxf_outlines`.
    """
    file = Path(path)
    readers: dict[str, Callable[[Path, str], list[Array]]] = {
        ".csv": _csv_rings,
        ".txt": _csv_rings,
        ".svg": _svg_rings,
        ".dxf": _dxf_rings,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise FileError(
            f"is no contour file: its name ends in {file.suffix!r}", path=file, fix=f"known: {', '.join(ENDINGS)}"
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError("there is no such file", path=file, fix="check the path of the contour") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", path=file, fix="give a text file") from None
    rings = reader(file, text)
    if not rings:
        raise FileError("holds no closed outline", path=file, fix="draw the part's border as one closed outline")
    try:
        return part_of_rings(rings)
    except GeometryError as error:
        raise FileError(
            f"{error.where}: {error.what}" if error.where else error.what, path=file, fix=error.fix
        ) from None


def part_of_rings(rings: list[Array]) -> Contour:
    """One contour of closed rings (n, 2) [mm] in any order and direction: the largest is the outer one."""
    sizes = [abs(signed_area(np.asarray(ring, dtype=np.float64))) if len(ring) > 2 else 0.0 for ring in rings]
    largest = int(np.argmax(sizes))
    outer = np.asarray(rings[largest], dtype=np.float64)
    holes = [np.asarray(ring, dtype=np.float64) for i, ring in enumerate(rings) if i != largest]
    for i, hole in enumerate(holes):
        if len(hole) and not contains(outer, hole[:1])[0]:
            x, y = hole[0]
            raise GeometryError(
                f"there are several outlines: ring {i + 1} at ({x:g}, {y:g}) mm lies beside the largest one",
                fix="keep one part, its outer border and its holes, in a file",
            )
    return Contour.from_points(outer, holes)


def _csv_rings(path: Path, text: str) -> list[Array]:
    """Rings of a table of points."""
    rings: list[list[tuple[float, float]]] = [[]]
    named: str | None = None
    # comments count neither for the delimiter nor as blank lines
    lines = ["#" if line.lstrip().startswith("#") else line for line in text.splitlines()]
    delimiter = next((sign for sign in ";," if any(sign in line for line in lines)), None)
    table = csv.reader(lines, delimiter=delimiter) if delimiter else (line.split() for line in lines)
    started, firsts, thirds = False, [], []
    for i, cells in enumerate(table, start=1):
        values = [cell.strip() for cell in cells]
        if not any(values):
            rings.append([])
            continue
        if values[0].startswith("#"):
            continue
        try:
            x, y = (float(value.replace(",", ".") if delimiter == ";" else value) for value in values[:2])
        except ValueError:
            if not started and not any(rings):
                started = True  # a header
                continue
            fix = "each line holds x and y in mm, separated by a comma"
            raise FileError(f"is not a point: {','.join(cells)!r}", path=path, line=i, fix=fix) from None
        started = True
        if not (np.isfinite(x) and np.isfinite(y)):
            raise FileError(f"is not a point: ({x}, {y})", path=path, line=i, fix="give finite numbers")
        firsts.append(x)
        thirds.append(values[2] if len(values) > 2 else "")
        if len(values) > 2 and named is not None and values[2] != named:
            rings.append([])
        named = values[2] if len(values) > 2 else named
        rings[-1].append((x, y))
    # the x of a ring go back; a line's number rises by one, and the third column is then y
    if len(set(thirds)) > 1 and all(map(_is_number, thirds)) and (np.diff(firsts) == 1.0).all():
        raise FileError(
            "seems to begin each line with the line's number: the first column rises by one, the third holds numbers",
            path=path,
            fix="leave the first column out: x, y and, where there are holes, a ring's name",
        )
    return [np.array(ring) for ring in rings if ring]


def _is_number(text: str) -> bool:
    """Whether a cell is a number, with a point or a comma."""
    try:
        return bool(np.isfinite(float(text.replace(",", "."))))
    except ValueError:
        return False


def _svg_rings(path: Path, text: str) -> list[Array]:
    from .svg_outlines import svg_rings

    return svg_rings(path, text)


def _dxf_rings(path: Path, text: str) -> list[Array]:
    from .dxf_outlines import dxf_rings

    return dxf_rings(path, text)


#: What a workpiece can be made from.
WorkpieceLike = Any

KINDS = (
    "give a picture (a file, or pixels (h, w), (h, w, 3) or (h, w, 4)) "
    "or a contour (a file, points (n, 2) in mm, a Contour or an example part)"
)


@dataclass(frozen=True, eq=False)
class Workpiece:
    """An object to grasp.

    Attributes:
        contour: its outline and holes [mm], y up.
        picture: (h, w) grey values 0 to 1 of the picture it was seen in, None when there was none.
        mm_per_px: scale of that picture, None when there was none.
        name: of the file it came from, "" when it came from none.
    """

    contour: Contour
    picture: Array | None = None
    mm_per_px: float | None = None
    name: str = ""


def read_workpiece(
    image_or_contour: WorkpieceLike,
    *,
    mm_per_px: float = 1.0,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
) -> Workpiece:
    """The object in a picture, a contour file or an array.

    Args:
        image_or_contour: path of a picture or of a contour file (CSV, SVG, DXF; in mm), an array of pixels (h, w) or
            (h, w, 3 or 4), an array of points (n, 2), or (n, 1, 2) as OpenCV gives them, in mm, a `Contour`, or an
            example part.
        mm_per_px: scale of a picture; contours and points are in mm already.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture shows several.
        index: which object counts, from the largest, where a picture shows several and none is picked.
    """
    from .contours import Contour

    given = image_or_contour
    if isinstance(given, Workpiece):
        return given
    if isinstance(given, Contour):
        return Workpiece(given)
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if path.suffix.lower() in ENDINGS:
            return Workpiece(read_contour(path), name=path.name)
        return _seen(path, mm_per_px, object, pick, index, path.name)
    if callable(getattr(given, "contour", None)):  # an example part
        return Workpiece(given.contour(), name=str(getattr(given, "name", "")))
    points = _points(given)
    if points is not None:
        return Workpiece(Contour.from_points(points))
    return _seen(given, mm_per_px, object, pick, index, "")


def _points(given: Any) -> Array | None:
    """An array-like of points as (n, 2), None for a picture; what is neither is refused.

    Two columns are points, for no picture is two pixels wide; flags are none.
    """
    try:
        values = np.asarray(given)
    except ValueError:  # rows of different lengths
        raise InputError("has rows of different lengths", where="image_or_contour", fix=KINDS) from None
    if values.ndim == 3 and values.shape[1:] == (1, 2):
        values = values[:, 0]
    columns = values.ndim == 2 and values.shape[1] == 2
    if values.size == 0 or values.ndim not in (2, 3) or (columns and values.dtype == np.bool_):
        if given is None or values.dtype == np.object_:
            told = "is None" if given is None else f"is a {type(given).__name__}"
        else:
            told = "is empty" if values.size == 0 else f"is of shape {values.shape} and type {values.dtype.name}"
        raise InputError(told, where="image_or_contour", fix=KINDS)
    return values if columns else None


def _seen(source: Any, mm_per_px: float, object: str, pick: ArrayLike | None, index: int, name: str) -> Workpiece:
    """The object in a picture."""
    from .contours import checked_scale
    from .pictures import read_image, segment, trace

    scale = checked_scale(mm_per_px)
    grey = read_image(source)
    segmentation = segment(grey, object=object, pick=pick, index=index, mm_per_px=scale)
    return Workpiece(trace(segmentation, scale), grey, scale, name)
