"""Contours and workpieces from files: tables of points (CSV), SVG and DXF drawings, pictures, arrays.

A contour file has closed rings in mm. Nested rings are outlines, holes and islands in turn. Of several parts the
largest is taken, or the chosen one. Small faults are repaired with a note; see `outlines`.

CSV: a line "x, y" for each point, a header is allowed; a blank line, or a third column that changes, begins another
ring.

SVG: paths, polygons, polylines, rectangles, circles and ellipses, followed by svgelements. SVG's y points down; here it
points up, so drawings come out as they look. A user unit is a millimetre unless the drawing states its width in a
physical unit together with a viewBox; a width alone does not make it a pixel of 25.4 / 96 mm, as in browsers.
Definitions and hidden elements are ignored, and so is the page's background: a white rectangle without a stroke that
covers the whole page (viewBox, or width and height), where there are other shapes. Filled shapes are areas, closed
whether they say so or not, and united where they overlap. Shapes without fill are lines: where nothing is filled, the
closed ones are the outlines of parts, as in technical drawings, and open ones are left out. svgelements silently
ignores faulty path data, points and lengths, so these are checked here (`test_what_cannot_be_followed_is_refused`).

DXF: closed outlines of the model space and closed chains of its open pieces: LWPOLYLINE and POLYLINE with bulges,
CIRCLE, ELLIPSE, SPLINE, ARC and LINE. Notes, dimensions, hatches and paper space are skipped. What may be an outline
but cannot be followed is an error that names entity and layer, and so is an outline that does not close: otherwise a
hole could be taken for the part. The tags are read here and not by ezdxf: also its tolerant reader, ezdxf.recover,
refuses an LWPOLYLINE without subclass markers, as simple programs write it (`test_polylines_old_and_new_are_read`), and
drops a polyline that was cut off without an error (`test_a_file_cut_anywhere_is_refused`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, number, positive
from ..errors import FileError, GeometryError, HoldfastError, InputError, missing_extra
from ..inputs import checked_path, csv_cells, file_text, parsed_xml
from ..public_names import with_advice
from .contours import FARTHEST, LARGEST_PART, MOST_DRAWN, Contour, checked_scale, signed_area
from .outlines import REPAIRED, chosen_outline, outlines_of

if TYPE_CHECKING:
    from .segmentation import Segmentation

_CLOSED = "draw the part's border as one closed outline"


@with_advice()
def read_contour(
    path: str | Path,
    *,
    pick: ArrayLike | None = None,
    index: int = 0,
    mm_per_px: float = 1.0,
    width_mm: float | None = None,
    notes: list[str] | None = None,
) -> Contour:
    """The contour [mm, y up] of a CSV, SVG or DXF file; see the module for what is read.

    Args:
        path: path of the file; its suffix gives the format.
        pick: (x, y) [mm] of a point on the wanted part, where there are several.
        index: number of the part, from the largest, where there are several and none is picked.
        mm_per_px: millimetres in a user unit of an SVG drawing that does not state its size; others are in mm.
        width_mm: width of the part [mm]; the drawing is scaled to it, after the choice of the part.
        notes: what was repaired, chosen or left out is added to it.
    """
    file = checked_path(path)
    said: list[str] = [] if notes is None else notes
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        what = f"is not a contour file: its suffix is {file.suffix!r}"
        raise FileError(what, path=file, fix=f"known: {', '.join(READERS)}")
    scale = checked_scale(mm_per_px)
    text = file_text(file)
    rings, filled = reader(file, text, said, scale)
    if not rings:
        raise FileError("contains no closed outline", path=file, fix=_no_outline(said))
    try:
        found = part_of_rings(rings, said, pick=pick, index=index, united=filled)
        return found if width_mm is None else scaled_to_width(found, width_mm)
    except GeometryError as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        raise FileError(what, path=file, fix=error.fix) from None


def _no_outline(notes: list[str]) -> str:
    return "; ".join([_CLOSED, *notes])


def part_of_rings(
    rings: list[Array],
    notes: list[str] | None = None,
    *,
    pick: ArrayLike | None = None,
    index: int = 0,
    united: bool = False,
) -> Contour:
    """One contour from closed rings (n, 2) [mm] in any order and direction; see `outlines`."""
    said: list[str] = [] if notes is None else notes
    return chosen_outline(outlines_of(rings, said, united=united), said, pick, index)


def scaled_to_width(contour: Contour, width_mm: float) -> Contour:
    """The contour scaled about the origin, so that it is `width_mm` wide along x."""
    wanted = number("width_mm", width_mm, low=0.0, high=LARGEST_PART, unit="mm")
    factor = positive("width_mm", wanted, unit="mm") / float(np.ptp(contour.outer[:, 0]))
    return Contour.from_points(contour.outer * factor, [hole * factor for hole in contour.holes])


def _csv_rings(path: Path, text: str) -> list[Array]:
    """Rings of a table of points, which are in mm."""
    rings: list[list[tuple[float, float]]] = [[]]
    named: str | None = None
    # comments are ignored, for the delimiter and as blank lines
    lines = ["#" if line.lstrip().startswith("#") else line for line in text.splitlines()]
    delimiter = next((sign for sign in ";," if any(sign in line for line in lines)), None)
    started, firsts, thirds = False, [], []
    for i, line in enumerate(lines, start=1):
        cells = csv_cells(line, delimiter, path, i) if delimiter else line.split()
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
            fix = "each line has x and y in mm, separated by a comma"
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
    # x of a ring decreases again; a line number increases by one, and then the third column is y
    if len(set(thirds)) > 1 and all(map(_is_number, thirds)) and (np.diff(firsts) == 1.0).all():
        raise FileError(
            "seems to have line numbers: the first column increases by one, the third column has numbers",
            path=path,
            fix="remove the first column: give x, y and, if there are holes, the name of a ring",
        )
    return [np.array(ring) for ring in rings if ring]


def _is_number(text: str) -> bool:
    """Whether a cell is a number, with a point or a comma."""
    try:
        return bool(np.isfinite(float(text.replace(",", "."))))
    except ValueError:
        return False


# -- SVG -----------------------------------------------------------------------------------------------------------

#: Millimetres in SVG's physical units.
SVG_UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72.0, "pc": 25.4 / 6.0}

#: Each curve of a path, and each quarter of an ellipse, is replaced by this many chords.
CHORDS = 96

#: Elements whose shapes are not drawn at their place.
NOT_DRAWN = ("defs", "clipPath", "mask", "symbol", "pattern", "marker")

#: A background is white or nearly white: every channel at least this fraction. It covers at least this part of the
#: page.
PALE, COVERS = 0.9, 1e-3


def _grammar() -> re.Pattern[str]:
    """The grammar of path data: commands with the numbers they take, repeated; flags of arcs are single digits."""
    # possessive: a number is read to its end and never divided again
    number, gap = r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+", r"[\s,]*+"
    arc = gap.join([number] * 3 + ["[01]"] * 2 + [number] * 2)
    takes = {"Ll": 2, "Mm": 2, "Tt": 2, "Hh": 1, "Vv": 1, "Cc": 6, "SsQq": 4}
    commands = {name: gap.join([number] * count) for name, count in takes.items()} | {"Aa": arc}
    each = "|".join(f"[{name}](?:{gap}{numbers})+{gap}" for name, numbers in commands.items())
    return re.compile(f"{gap}(?:(?=[Mm])(?:(?:{each}|[Zz]){gap})*)?")


_PATH_DATA = _grammar()
_DIGITS = re.compile(r"\d++")
_TRANSFORMS = re.compile(r"(?:[\s,]*(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([-+\d.eE\s,]*\))*\s*")


@dataclass(frozen=True)
class _Paint:
    """What a shape inherits: its fill and stroke, and whether it can be seen."""

    fill: str = "black"
    stroke: str = "none"
    visibility: str = "visible"

    def of(self, element: ElementTree.Element) -> _Paint:
        """The paint of a child that has attributes or a style of its own."""
        own = {key: _property(element, key) for key in ("fill", "stroke", "visibility")}
        return replace(self, **{key: value for key, value in own.items() if value})

    @property
    def blank(self) -> bool:
        """Whether it looks like white paper."""
        if self.stroke != "none" or self.fill == "none":
            return self.stroke == "none"
        colour = _svgelements().Color(self.fill)
        return colour.value is not None and min(colour.red, colour.green, colour.blue) >= PALE * 255.0


def _svgelements() -> Any:
    try:
        import svgelements
    except ImportError:
        raise missing_extra("svgelements", "grasps", purpose="a contour from an SVG drawing") from None
    return svgelements


def svg_rings(path: Path, text: str, notes: list[str], scale: float) -> tuple[list[Array], bool]:
    """Closed rings (n, 2) [mm, y up] of a drawing, and whether they are filled.

    Args:
        path: of the file, for messages.
        text: its content.
        notes: what was left out is added to it.
        scale: millimetres in a user unit, where the drawing does not state its size.
    """
    if sum(1 for _ in _DIGITS.finditer(text)) > 2 * MOST_DRAWN:
        raise FileError(f"has more than {2 * MOST_DRAWN:,} numbers", path=path, fix="simplify the outlines")
    root = parsed_xml(text, path, what="is not an SVG drawing", fix=_CLOSED)
    page, stated = _page(path, root)
    if stated is not None and scale != 1.0:
        raise FileError(
            f"states its size: a user unit is {stated:g} mm",
            path=path,
            field="width",
            fix="leave mm_per_px out, or give the width of the part (width_mm)",
        )
    unit = scale if stated is None else stated
    areas: list[Array] = []
    lines: list[Array] = []
    backgrounds: list[Array] = []
    open_lines = drawn = 0
    for element, matrix, paint in _elements(path, root, _svgelements().Matrix(), _Paint()):
        with _followed(path, _tag(element)):
            rings = list(_subpaths(abs(_shape(path, element, page) * matrix), MOST_DRAWN - drawn))
        drawn += sum(len(ring) for ring, _ in rings)
        for ring, closed in rings:
            placed = ring * [unit, -unit]
            if paint.blank and _covers(ring, page):
                backgrounds.append(placed)
            elif paint.fill != "none":
                areas.append(placed)
            elif paint.stroke != "none" and closed:
                lines.append(placed)
            else:
                open_lines += paint.stroke != "none"
    lost = open_lines + (len(lines) if areas else 0)
    if lost:
        kind = "lines without fill are" if lost > 1 else "line without fill is"
        notes.append(f"{lost} {kind} not an area and left out")
    return areas or lines or backgrounds, bool(areas or not lines)


def _page(path: Path, root: ElementTree.Element) -> tuple[Array | None, float | None]:
    """x, y, width and height of the page in user units, and millimetres in one; None where they are not stated."""
    box = _numbers(path, root.get("viewBox", ""), "viewBox")
    found = [re.fullmatch(r"\s*([\d.eE+-]+)\s*([a-z]*)\s*", root.get(key, "")) for key in ("width", "height")]
    if len(box) != 4:
        sizes = [_numbers(path, size[1], "width")[0] for size in found if size is not None and size[2] in ("", "px")]
        return np.array([0.0, 0.0, *sizes]) if len(sizes) == 2 else None, None
    if found[0] is None or found[0][2] not in SVG_UNITS:
        return np.array(box), None
    scale = _numbers(path, found[0][1], "width")[0] * SVG_UNITS[found[0][2]] / box[2] if box[2] else np.nan
    if not (np.isfinite(scale) and scale > 0.0):
        raise FileError("width and viewBox give no scale", path=path, field="viewBox", fix="give both as numbers")
    return np.array(box), scale


def _covers(ring: Array, page: Array | None) -> bool:
    """Whether a ring is an axis-parallel rectangle that covers the page."""
    if page is None:
        return False
    low, high, slack = ring.min(axis=0), ring.max(axis=0), COVERS * page[2:]
    upright = ((np.abs(ring - low) <= slack) | (np.abs(ring - high) <= slack)).all()
    return bool(upright and (low <= page[:2] + slack).all() and (high >= page[:2] + page[2:] - slack).all())


def _property(element: ElementTree.Element, name: str) -> str:
    """A property in lower case, from the style or else the attribute; "" where neither has it."""
    found = re.search(rf"(?:^|;)\s*{name}\s*:\s*([^;]+)", element.get("style", ""))
    value = (found.group(1) if found else element.get(name, "")).replace("!important", "").strip().lower()
    return "" if value == "inherit" else value


def _elements(
    path: Path, element: ElementTree.Element, matrix: Any, paint: _Paint
) -> Iterator[tuple[Any, Any, _Paint]]:
    """Drawn elements with the matrix that places them and their paint."""
    name = _tag(element)
    if name in NOT_DRAWN or _property(element, "display") == "none":
        return
    own, transform = paint.of(element), element.get("transform", "")
    if not _TRANSFORMS.fullmatch(transform):
        raise FileError(f"cannot follow {transform}", path=path, field="transform", fix="flatten transforms")
    with _followed(path, "transform"):
        placed = _svgelements().Matrix(transform) * matrix
    if name == "use" and own.visibility == "visible":
        target = next((value for key, value in element.attrib.items() if key.rsplit("}", 1)[-1] == "href"), "")
        fix = "unlink clones and symbols, so that the drawing contains the shape itself"
        raise FileError(f"cannot follow <use> of {target!r}", path=path, field="use", fix=fix)
    if own.visibility == "visible":
        yield element, placed, own
    for child in element:
        yield from _elements(path, child, placed, own)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


@contextmanager
def _followed(path: Path, name: str) -> Iterator[None]:
    """Turn errors of svgelements about numbers into an error that names the element or attribute."""
    try:
        with np.errstate(all="ignore"):
            yield
    except FileError:
        raise
    except HoldfastError as error:
        raise FileError(error.what, path=path, field=name, fix=error.fix) from None
    except (ArithmeticError, ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
        what = f"cannot be read: {error}"
        raise FileError(what, path=path, field=name, fix="give plain numbers of ordinary size") from None


def _numbers(path: Path, text: str, name: str) -> list[float]:
    """Numbers separated by commas or blanks."""
    try:
        found = [float(value) for value in text.replace(",", " ").split()]
    except ValueError:
        found = [np.nan]
    if not np.isfinite(found).all():
        raise FileError(f"is not a list of numbers: {text[:40]!r}", path=path, field=name, fix=_CLOSED) from None
    return found


def _shape(path: Path, element: ElementTree.Element, page: Array | None) -> Any:
    """The svgelements path of one element, empty where it is not a shape; lengths may be shares of the page."""
    svg, name = _svgelements(), _tag(element)

    def value(key: str) -> float:
        text = re.sub(r"(mm|px|auto)$", "", element.get(key, "0").strip())
        whole = None
        if page is not None and text.endswith("%"):
            text, whole = text[:-1], float(page[2 if key in ("x", "width", "cx", "rx") else 3])
        number = (_numbers(path, text, key) or [0.0])[0]
        if number < 0.0 and key not in ("x", "y", "cx", "cy"):
            raise FileError(f"is {number:g}", path=path, field=key, fix="give a number of at least 0")
        return number if whole is None else number * whole / 100.0

    if name == "path":
        return _path(path, element.get("d", ""))
    if name in ("polygon", "polyline"):
        flat = _numbers(path, element.get("points", ""), "points")
        if len(flat) % 2:
            raise FileError("has an odd number of values", path=path, field="points", fix="give x and y of each point")
        return svg.Path(svg.Polygon(*flat)) if flat else svg.Path()
    if name == "rect":
        corners = {key: value(key) for key in ("x", "y", "width", "height")}
        return svg.Path(svg.Rect(**corners, **{key: value(key) for key in ("rx", "ry") if element.get(key)}))
    if name in ("circle", "ellipse"):
        across, down = (value("r"), value("r")) if name == "circle" else (value("rx"), value("ry"))
        return svg.Path(svg.Ellipse(cx=value("cx"), cy=value("cy"), rx=across, ry=down))
    return svg.Path()


def _path(path: Path, data: str) -> Any:
    """The svgelements path of an attribute `d`, which must follow the grammar of path data to its end."""
    found = _PATH_DATA.match(data)
    understood = found.end() if found else 0
    if understood < len(data):
        fix = "begin with M x y, and give each command all its numbers"
        raise FileError(f"has invalid path data {data[understood : understood + 12]!r}", path=path, field="d", fix=fix)
    with _followed(path, "d"):
        return _svgelements().Path(data)


def path_outlines(path: Path, data: str) -> Iterator[Array]:
    """Subpaths of a path's `d` as points (n, 2), each taken as closed."""
    return (points for points, _ in _subpaths(_path(path, data)))


def _subpaths(outline: Any, most: int = MOST_DRAWN) -> Iterator[tuple[Array, bool]]:
    """Subpaths of at least three points (n, 2) of a svgelements path, curves replaced by chords; which ones close.

    More than `most` points are an error.
    """
    svg, points, drawn = _svgelements(), [], 0
    for segment in (*outline, None):
        drawn += CHORDS if isinstance(segment, svg.Curve | svg.Arc) else 1
        if drawn > most:
            raise GeometryError(f"has more than {most:,} points", where="path", fix="simplify the outlines")
        if segment is None or isinstance(segment, svg.Move | svg.Close):
            if len(points) > 2:
                found = np.array(points)
                gap = float(np.abs(found[0] - found[-1]).max())
                closed = isinstance(segment, svg.Close) or gap <= JOINED * float(np.ptp(found, axis=0).max())
                yield found, closed
            points = [] if segment is None else [tuple(segment.end)]
        elif isinstance(segment, svg.Line):
            points.append(tuple(segment.end))
        else:
            points.extend(segment.npoint(np.arange(1, CHORDS + 1) / CHORDS).tolist())


# -- DXF -----------------------------------------------------------------------------------------------------------

#: Millimetres of a drawing's unit, by its header variable $INSUNITS; 0 (none) counts as mm.
DXF_UNITS = {0: 1.0, 1: 25.4, 2: 304.8, 4: 1.0, 5: 10.0, 6: 1000.0, 9: 0.0254, 13: 1e-3, 14: 100.0}

#: Arcs are replaced by chords of this angle [rad] or less, each knot span of a spline by this many chords.
CHORD = np.radians(2.0)
SPLINE_CHORDS = 48

#: Ends coincide within this fraction of the drawing's extent: they differ only by rounding.
SAME = 1e-6

#: Ends of pieces are joined within this fraction of the drawing's extent: 0.05 mm on a drawing of 100 mm.
JOINED = 5e-4

#: Ends are joined within this fraction, with a note, if an outline would stay open otherwise.
WIDE = 0.02

#: An open line whose ends are closer than this fraction of its length was meant to be closed.
NEARLY_CLOSED = 0.1

#: Entities that are not outlines: notes, dimensions, fillings, construction lines.
PASSED_OVER = frozenset(
    ("ATTDEF", "ATTRIB", "DIMENSION", "ARC_DIMENSION", "HATCH", "IMAGE", "LEADER", "MLEADER", "MULTILEADER", "MTEXT",
     "OLE2FRAME", "POINT", "RAY", "SEQEND", "TEXT", "TOLERANCE", "VERTEX", "VIEWPORT", "WIPEOUT", "XLINE", "ACAD_TABLE")
)  # fmt: skip


@dataclass
class _Entity:
    """One entity: its kind, its pairs (group code, value), and the line of the file where it begins."""

    path: Path
    kind: str
    line: int
    pairs: list[tuple[int, str]] = field(default_factory=list)

    def number(self, code: int, default: float | None = None) -> float:
        """The first value with a group code."""
        found = self.numbers(code) or ([] if default is None else [default])
        if not found:
            raise self.fault(f"{self.kind} has no group {code}")
        return found[0]

    def numbers(self, code: int) -> list[float]:
        """All values with a group code."""
        return [_number(self.path, self.line, value) for own, value in self.pairs if own == code]

    def flag(self, bit: int) -> bool:
        """Whether a bit of group 70 is set."""
        return bool(int(self.number(70, 0.0)) & bit)

    def fault(self, what: str, fix: str = "save the drawing again") -> FileError:
        """An error at the line where the entity begins."""
        return FileError(what, path=self.path, line=self.line, fix=fix)

    @property
    def name(self) -> str:
        """Kind and layer, for messages."""
        layer = next((value for code, value in self.pairs if code == 8), "0")
        return f"{self.kind} on layer {layer!r}"


@dataclass(frozen=True, eq=False)
class _Piece:
    """An open line (n, 2) and the entity that it comes from."""

    points: Array
    entity: _Entity


def dxf_rings(path: Path, text: str, notes: list[str]) -> list[Array]:
    """Closed rings (n, 2) [mm, y up] of an ASCII DXF file's model space; gaps that were closed are added to `notes`."""
    entities, unit = _entities(path, text)
    rings: list[Array] = []
    pieces: list[_Piece] = []
    vertices: list[_Entity] = []
    for entity in reversed(entities):  # vertices come before the POLYLINE that they belong to
        if entity.kind == "VERTEX":
            vertices.append(entity)
            continue
        own, vertices = vertices[::-1], []
        if entity.kind in PASSED_OVER or entity.number(67, 0.0) == 1.0:
            continue
        points, closed = _entity_points(entity, own)
        if entity.kind not in ("LINE", "ELLIPSE", "SPLINE") and entity.number(230, 1.0) < 0.0:
            points = points * [-1.0, 1.0]  # drawn on the back of the plane
        if closed:
            rings.append(points)
        elif len(points) > 1:
            pieces.append(_Piece(points, entity))
    rings = rings[::-1]
    rings.extend(_chained(pieces[::-1], rings, unit, notes))
    return [ring * unit for ring in rings if len(ring) > 2]


def _entity_points(entity: _Entity, vertices: list[_Entity]) -> tuple[Array, bool]:
    """The points of an entity in the drawing's unit, and whether they close to a ring."""
    if entity.kind == "LWPOLYLINE":
        found = _vertices(entity)
        if len(found) != int(entity.number(90, float(len(found)))):
            raise entity.fault(f"is truncated: {entity.name} says {entity.number(90):g} vertices and has {len(found)}")
        return _bulged(found, entity.flag(1)), entity.flag(1)
    if entity.kind == "POLYLINE" and not entity.flag(16 | 64):
        corners = [v for v in vertices if not v.flag(16)]  # 16: a spline's control points
        found = [(v.number(10), v.number(20), v.number(42, 0.0)) for v in corners]
        return _bulged(found, entity.flag(1)), entity.flag(1)
    if entity.kind == "CIRCLE":
        return _arc(entity, 0.0, 2.0 * np.pi)[:-1], True
    if entity.kind == "ARC":
        start, end = (np.radians(entity.number(code)) for code in (50, 51))
        return _arc(entity, start, start + (end - start) % (2.0 * np.pi)), False
    if entity.kind == "ELLIPSE":
        return _ellipse(entity)
    if entity.kind == "SPLINE":
        return _spline(entity), False
    if entity.kind == "LINE":
        return np.array([[entity.number(code) for code in codes] for codes in ((10, 20), (11, 21))]), False
    fix = "explode it to lines, arcs and polylines, or delete it; blocks (INSERT) explode as well"
    raise entity.fault(f"cannot follow {entity.name}", fix)


def _entities(path: Path, text: str) -> tuple[list[_Entity], float]:
    """The entities of the drawing, and millimetres in its unit."""
    lines = text.splitlines()
    fix = "save the drawing as ASCII DXF"
    section, unit, variable = "", 1.0, ""
    entities: list[_Entity] = []
    ended = False
    for at in range(0, len(lines) - 1, 2):
        try:
            code = int(lines[at].strip())
        except ValueError:
            raise FileError(
                f"is not a group code: {lines[at].strip()[:40]!r}", path=path, line=at + 1, fix=fix
            ) from None
        value = lines[at + 1].strip()
        if code == 0 and value in ("SECTION", "ENDSEC", "EOF"):
            ended |= section == "ENTITIES"
            section = ""
        elif code == 2 and section == "":
            section = value
        elif code == 9:
            variable = value
        elif variable == "$INSUNITS" and code == 70:
            number = int(_number(path, at + 2, value))
            if number not in DXF_UNITS:
                known = ", ".join(map(str, DXF_UNITS))
                raise FileError(f"$INSUNITS is {number}", path=path, line=at + 2, fix=f"known units: {known}")
            unit, variable = DXF_UNITS[number], ""
        elif section == "ENTITIES" and code == 0:
            entities.append(_Entity(path, value, at + 1))
        elif section == "ENTITIES" and entities:
            entities[-1].pairs.append((code, value))
    if not entities:
        raise FileError("has no entities", path=path, fix=fix)
    if not ended:
        raise entities[-1].fault(
            f"is truncated: {entities[-1].name} is the last before the file breaks off, without ENDSEC or EOF"
        )
    return entities, unit


def _number(path: Path, line: int, value: str) -> float:
    """A number of ordinary size."""
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not abs(number) <= FARTHEST:
        raise FileError(f"is not a number: {value[:40]!r}", path=path, line=line, fix="save the drawing again")
    return number


def _vertices(entity: _Entity) -> list[tuple[float, float, float]]:
    """(x, y, bulge) of an LWPOLYLINE, whose values follow one another."""
    found: list[list[float]] = []
    for code, value in entity.pairs:
        if code == 10:
            found.append([_number(entity.path, entity.line, value), 0.0, 0.0])
        elif code in (20, 42) and found:
            found[-1][1 if code == 20 else 2] = _number(entity.path, entity.line, value)
    return [(x, y, bulge) for x, y, bulge in found]


def _bulged(vertices: list[tuple[float, float, float]], closed: bool) -> Array:
    """Points of a polyline whose bulges, tan(angle / 4), are replaced by chords."""
    points: list[Array] = []
    last = len(vertices) if closed else len(vertices) - 1
    for i, (x, y, bulge) in enumerate(vertices):
        start = np.array([x, y])
        points.append(start)
        if i >= last or bulge == 0.0:
            continue
        end = np.array(vertices[(i + 1) % len(vertices)][:2])
        sweep = 4.0 * np.arctan(bulge)
        chord = end - start
        left = np.array([-chord[1], chord[0]])
        centre = (start + end) / 2.0 + left * (1.0 - bulge**2) / (4.0 * bulge)
        arm = start - centre
        for share in np.arange(1, (count := int(np.ceil(abs(sweep) / CHORD)))) / count:
            c, s = np.cos(sweep * share), np.sin(sweep * share)
            points.append(centre + np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]))
    return np.array(points).reshape(-1, 2)


def _arc(entity: _Entity, start: float, end: float) -> Array:
    """Points of a circle's arc, both ends among them."""
    centre = np.array([entity.number(10), entity.number(20)])
    angles = np.linspace(start, end, max(int(np.ceil((end - start) / CHORD)), 1) + 1)
    return centre + entity.number(40) * np.column_stack([np.cos(angles), np.sin(angles)])


def _ellipse(entity: _Entity) -> tuple[Array, bool]:
    """Points of an ellipse or of an arc of one, and whether it is whole."""
    centre = np.array([entity.number(10), entity.number(20)])
    major = np.array([entity.number(11), entity.number(21)])
    turned = np.array([-major[1], major[0]]) * (-1.0 if entity.number(230, 1.0) < 0.0 else 1.0)
    start, end = entity.number(41, 0.0), entity.number(42, 2.0 * np.pi)
    whole = abs(end - start) >= 2.0 * np.pi * (1.0 - SAME)
    sweep = 2.0 * np.pi if whole else (end - start) % (2.0 * np.pi)
    angles = start + np.linspace(0.0, sweep, max(int(np.ceil(sweep / CHORD)), 1) + 1)[: -1 if whole else None]
    minor = entity.number(40) * turned
    return centre + np.cos(angles)[:, None] * major + np.sin(angles)[:, None] * minor, whole


def _spline(entity: _Entity) -> Array:
    """Points of a B-spline, rational or not, over the range of its knots."""
    from scipy.interpolate import BSpline

    degree, knots = int(entity.number(71)), np.array(entity.numbers(40))
    across, up = (entity.numbers(code) for code in (10, 20))
    if not across or len(across) != len(up):
        fix = "save the drawing again with control points, or as polylines"
        raise entity.fault(f"{entity.name} has no control points, or a coordinate is missing", fix)
    control = np.array([across, up])
    count = control.shape[1]
    if count != int(entity.number(73, float(count))) or len(knots) != count + degree + 1:
        raise entity.fault(
            f"is truncated: {entity.name} of degree {degree} has {count} control points and {len(knots)} knots"
        )
    weights = np.array(entity.numbers(41) or [1.0] * count)
    if degree < 1 or (np.diff(knots) < 0.0).any() or len(weights) != count or (weights <= 0.0).any():
        raise entity.fault(f"{entity.name} is not a curve", "save it as a polyline")
    try:
        curve = BSpline(knots, np.column_stack([(control * weights).T, weights]), degree)
    except ValueError as error:
        raise entity.fault(f"{entity.name} is not a curve: {error}", "save it as a polyline") from None
    span = np.unique(knots[degree : count + 1])
    at = np.interp(np.arange((len(span) - 1) * SPLINE_CHORDS + 1) / SPLINE_CHORDS, np.arange(len(span)), span)
    points = curve(at)
    return points[:, :2] / points[:, 2:]


def _chained(pieces: list[_Piece], closed: list[Array], unit: float, notes: list[str]) -> list[Array]:
    """Closed rings that open pieces form end to end; `closed` are those that need no joining.

    The nearest end follows, within `JOINED`. Where lines stay open that were meant to close, ends within `WIDE` are
    joined too, with a note, if the gaps are small compared with the area (`REPAIRED`); otherwise they are an error.
    Lines were meant to close if their ends are close together, or if they bend and reach around all rings. Other open
    lines, such as centre lines, are ignored.
    """
    if not pieces:
        return []
    extent = float(np.ptp(np.concatenate([piece.points for piece in pieces] + closed), axis=0).max())
    rings, strays, _ = _chains(pieces, JOINED * extent, extent)
    error = _stray_error(strays, closed + rings, unit)
    if error is None:
        return rings
    rings, strays, gaps = _chains(pieces, WIDE * extent, extent)
    large = [gap for gap, ring in zip(gaps, rings, strict=True) if gap**2 > REPAIRED * abs(signed_area(ring))]
    if large or _stray_error(strays, closed + rings, unit) is not None:
        raise error
    worst = max(gaps) * unit
    notes.append(f"repaired: gaps of up to {worst:.2g} mm between the ends of lines were closed")
    return rings


def _chains(
    pieces: list[_Piece], reach: float, extent: float
) -> tuple[list[Array], list[tuple[Array, _Entity]], list[float]]:
    """Rings of pieces whose ends are within `reach`; lines that stay open; the widest gap of each ring."""
    ends = np.array([piece.points[[0, -1]] for piece in pieces])  # (n, 2, 2)
    free = np.ones(len(pieces), dtype=bool)
    rings: list[Array] = []
    gaps: list[float] = []
    strays: list[tuple[Array, _Entity]] = []
    for first in range(len(pieces)):
        if not free[first]:
            continue
        free[first] = False
        chain, turned, widest = pieces[first].points, False, 0.0
        while True:
            gap = float(np.linalg.norm(chain[0] - chain[-1])) if len(chain) > 2 else np.inf
            away = np.where(free[:, None], np.linalg.norm(ends - chain[-1], axis=2), np.inf)
            k, e = divmod(int(away.argmin()), 2)
            if gap > SAME * extent and away[k, e] <= min(reach, gap):
                free[k] = False
                widest = max(widest, float(away[k, e]))
                # ends that are the same point are one; a gap keeps both
                piece = pieces[k].points if e == 0 else pieces[k].points[::-1]
                chain = np.concatenate([chain, piece[1:] if away[k, e] <= JOINED * extent else piece])
            elif gap <= reach:
                rings.append(chain[:-1] if gap <= JOINED * extent else chain)
                gaps.append(max(widest, gap))
                break
            elif turned:
                strays.append((chain, pieces[first].entity))
                break
            else:
                chain, turned = chain[::-1], True
    return rings, strays, gaps


def _stray_error(strays: list[tuple[Array, _Entity]], rings: list[Array], unit: float) -> FileError | None:
    """The error of an open line that was meant to be an outline; see `_chained`."""
    low = np.min([ring.min(axis=0) for ring in rings], axis=0) if rings else np.full(2, np.inf)
    high = np.max([ring.max(axis=0) for ring in rings], axis=0) if rings else np.full(2, -np.inf)
    for chain, entity in strays:
        length = float(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())
        gap = float(np.linalg.norm(chain[0] - chain[-1]))
        around = (chain.min(axis=0) <= low).all() and (chain.max(axis=0) >= high).all()
        if gap <= NEARLY_CLOSED * length or (around and gap < (1.0 - NEARLY_CLOSED) * length):
            x, y = chain[-1] * unit
            return entity.fault(
                f"an outline does not close: {entity.name} is part of a line whose ends are {gap * unit:.4g} mm apart, "
                f"one at ({x:g}, {y:g}) mm",
                "close it in the drawing, or delete it if it is not an outline",
            )
    return None


#: Readers of contour files by suffix: from the path, the text, a list for notes and the millimetres per unit, to closed
#: rings and whether they are filled.
READERS: dict[str, Callable[[Path, str, list[str], float], tuple[list[Array], bool]]] = {
    ".csv": lambda path, text, notes, scale: (_csv_rings(path, text), False),
    ".txt": lambda path, text, notes, scale: (_csv_rings(path, text), False),
    ".svg": svg_rings,
    ".dxf": lambda path, text, notes, scale: (dxf_rings(path, text, notes), False),
}


# -- workpieces ----------------------------------------------------------------------------------------------------

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
        name: name of its file, "" without a file.
        segmentation: how it was found in the picture, None when there was none.
        notes: what was repaired, chosen or left out, in sentences.
    """

    contour: Contour
    picture: Array | None = None
    mm_per_px: float | None = None
    name: str = ""
    segmentation: Segmentation | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The part as data for JSON: notes, outline [mm], and how it was found in the picture."""
        found: dict[str, Any] = {
            "notes": list(self.notes),
            "outline_mm": self.contour.outer.round(OUTLINE_DIGITS).tolist(),
            "holes_mm": [hole.round(OUTLINE_DIGITS).tolist() for hole in self.contour.holes],
            "segmentation": None,
        }
        seen = self.segmentation
        if seen is not None:
            rows, columns = seen.mask.shape
            found["segmentation"] = {
                "method": seen.method,
                "confidence": seen.confidence,
                "doubt": seen.doubt,
                "polarity": seen.polarity,
                "shadow": seen.shadow,
                "mm_per_px": self.mm_per_px,
                "picture_px": list(seen.shape),
                "box_px": [seen.corner[0], seen.corner[1], seen.corner[0] + rows, seen.corner[1] + columns],
                "chosen": seen.chosen,
                "objects": [
                    {"area_mm2": one.area, "centre_mm": list(one.centre), "touches_border": one.touches_border}
                    for one in seen.components
                ],
            }
        return found

    def summary(self) -> str:
        """How the part was found in its picture, in one line; "" where there was none."""
        seen = self.segmentation
        if seen is None:
            return ""
        by = {"brightness": "one brightness threshold", "background": "distance from the background"}
        how = by.get(seen.method, "colour distance from the background")
        why = f" ({seen.doubt})" if seen.confidence < UNDOUBTED and not seen.shadow else ""
        several = f", object {seen.chosen} of {len(seen.components)}" if len(seen.components) > 1 else ""
        return f"found by {how}, confidence {seen.confidence:.2f} of 1{why}{several}"


#: Decimals of outlines in JSON [mm].
OUTLINE_DIGITS = 4

#: A lower confidence is reported with its reason.
UNDOUBTED = 0.95

#: Objects with at least this fraction of the size of the chosen one are mentioned in a note.
AS_LARGE = 0.5


@with_advice()
def read_workpiece(
    image_or_contour: WorkpieceLike,
    *,
    mm_per_px: float = 1.0,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
    roi: ArrayLike | None = None,
    width_mm: float | None = None,
    least_confidence: float | None = None,
) -> Workpiece:
    """The object in a picture, a contour file or an array.

    Args:
        image_or_contour: path of a picture or of a contour file (CSV, SVG, DXF; in mm), an array of pixels (h, w) or
            (h, w, 3 or 4), an array of points (n, 2), or (n, 1, 2) as OpenCV gives them, in mm, a `Contour`, or an
            example part.
        mm_per_px: scale of a picture, or of an SVG drawing that does not state its size; other contours and points are
            in mm already.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture or a drawing shows several.
        index: number of the object, from the largest, where there are several and none is picked.
        roi: (x1, y1, x2, y2) [mm], two opposite corners of the region of a picture that is searched.
        width_mm: width of the object [mm]; a picture or a drawing is scaled to it.
        least_confidence: an object of a picture with a lower confidence is refused; 0.8 by default, 0 takes any.
    """
    given = image_or_contour
    if isinstance(given, Workpiece):
        return given
    asked = {"object": object, "pick": pick, "index": index, "roi": roi}
    if least_confidence is not None:
        asked["least_confidence"] = least_confidence
    if isinstance(given, str | os.PathLike):
        path = checked_path(given)
        if path.suffix.lower() in READERS:
            _check_no_region(roi)
            notes: list[str] = []
            options: dict[str, Any] = {"pick": pick, "index": index, "width_mm": width_mm, "notes": notes}
            contour = read_contour(path, mm_per_px=mm_per_px, **options)
            return Workpiece(contour, name=path.name, notes=tuple(notes))
        return _seen(path, mm_per_px, width_mm, asked, path.name)
    if isinstance(given, Contour):
        return _drawn(given, width_mm, roi)
    if callable(getattr(given, "contour", None)):  # an example part
        return _drawn(given.contour(), width_mm, roi, str(getattr(given, "name", "")))
    points = _points(given)
    if points is not None:
        return _drawn(Contour.from_points(points), width_mm, roi)
    return _seen(given, mm_per_px, width_mm, asked, "")


def _drawn(contour: Contour, width_mm: float | None, roi: ArrayLike | None, name: str = "") -> Workpiece:
    """A contour as it is, or scaled."""
    _check_no_region(roi)
    return Workpiece(contour if width_mm is None else scaled_to_width(contour, width_mm), name=name)


def _check_no_region(roi: ArrayLike | None) -> None:
    if roi is not None:
        raise InputError("is for pictures", where="roi", fix="choose a part of a drawing by pick or index")


def _points(given: Any) -> Array | None:
    """An array-like of points as (n, 2), None for a picture; other shapes are refused.

    Two columns are points, since no picture is two pixels wide; arrays of bool are not points.
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


def _seen(source: Any, mm_per_px: float, width_mm: float | None, asked: dict[str, Any], name: str) -> Workpiece:
    """The object in a picture."""
    from .pictures import read_photograph
    from .segmentation import segment, trace

    scale = checked_scale(mm_per_px)
    grey, colours = read_photograph(source)
    found = segment(grey, colours=colours, mm_per_px=scale, **asked)
    contour = trace(found, scale)
    if width_mm is not None:
        wide = scaled_to_width(contour, width_mm)
        scale = checked_scale(scale * float(np.ptp(wide.outer[:, 0]) / np.ptp(contour.outer[:, 0])))
        contour, found = wide, found.scaled(scale / checked_scale(mm_per_px))
    notes = []
    own = found.components[found.chosen].area
    others = sum(1 for k, one in enumerate(found.components) if k != found.chosen and one.area >= AS_LARGE * own)
    if others and asked["pick"] is None and not asked["index"]:
        more = f"{others} others are almost as large" if others > 1 else "another one is almost as large"
        notes.append(f"the largest of {len(found.components)} objects is used, but {more}: choose by index or pick")
    if found.shadow:
        notes.append(f"what looks like a shadow, {100.0 * found.shadow:.0f} % of the area, was removed")
    return Workpiece(contour, grey, scale, name, found, tuple(notes))
