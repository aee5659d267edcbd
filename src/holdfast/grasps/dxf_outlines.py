"""Closed outlines of a DXF drawing's model space, and closed chains of its open pieces.

Read are LWPOLYLINE and POLYLINE with bulges, CIRCLE, ELLIPSE, SPLINE, ARC and LINE. Notes, dimensions and hatches are
passed over, paper space as well. What may be an outline but cannot be followed is an error that names entity and
layer, and so is an outline that does not close: else a hole could be taken for the part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..checks import Array
from ..errors import FileError

#: Millimetres of a drawing's unit, by its header variable $INSUNITS; 0 (none) counts as mm.
UNITS = {0: 1.0, 1: 25.4, 2: 304.8, 4: 1.0, 5: 10.0, 6: 1000.0, 9: 0.0254, 13: 1e-3, 14: 100.0}

#: Arcs are replaced by chords of this angle [rad] or less, each knot span of a spline by this many chords.
CHORD = np.radians(2.0)
SPLINE_CHORDS = 48

#: Ends that coincide, as a share of the drawing's extent: they differ by rounding alone.
SAME = 1e-6

#: Ends of pieces are joined within this share of the drawing's extent: 0.05 mm on a drawing of 100 mm.
JOINED = 5e-4

#: An open line whose ends are nearer than this share of its length was meant to close.
NEARLY_CLOSED = 0.1

#: Entities that are no outline: notes, dimensions, fillings, construction lines.
PASSED_OVER = frozenset(
    ("ATTDEF", "ATTRIB", "DIMENSION", "ARC_DIMENSION", "HATCH", "IMAGE", "LEADER", "MLEADER", "MULTILEADER", "MTEXT",
     "OLE2FRAME", "POINT", "RAY", "SEQEND", "TEXT", "TOLERANCE", "VERTEX", "VIEWPORT", "WIPEOUT", "XLINE", "ACAD_TABLE")
)  # fmt: skip


@dataclass
class _Entity:
    """One entity: its kind, its pairs (group code, value), and the line of the file where it begins."""

    kind: str
    line: int
    pairs: list[tuple[int, str]] = field(default_factory=list)

    def number(self, path: Path, code: int, default: float | None = None) -> float:
        """The first value with a group code."""
        for own, value in self.pairs:
            if own == code:
                return _number(path, self.line, value)
        if default is None:
            raise FileError(f"{self.kind} has no group {code}", path=path, line=self.line, fix="save the drawing again")
        return default

    def numbers(self, path: Path, code: int) -> list[float]:
        """All values with a group code."""
        return [_number(path, self.line, value) for own, value in self.pairs if own == code]

    def flag(self, path: Path, bit: int) -> bool:
        """Whether a bit of group 70 is set."""
        return bool(int(self.number(path, 70, 0.0)) & bit)

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


def dxf_rings(path: Path, text: str) -> list[Array]:
    """Closed rings (n, 2) [mm, y up] of an ASCII DXF file's model space."""
    entities, unit = _entities(path, text)
    rings: list[Array] = []
    pieces: list[_Piece] = []
    vertices: list[_Entity] = []
    for entity in reversed(entities):  # vertices come before the POLYLINE that they belong to
        if entity.kind == "VERTEX":
            vertices.append(entity)
            continue
        own, vertices = vertices[::-1], []
        if entity.kind in PASSED_OVER or entity.number(path, 67, 0.0) == 1.0:
            continue
        points, closed = _points(path, entity, own)
        if entity.kind not in ("LINE", "ELLIPSE", "SPLINE") and entity.number(path, 230, 1.0) < 0.0:
            points = points * [-1.0, 1.0]  # drawn on the back of the plane
        if closed:
            rings.append(points)
        elif len(points) > 1:
            pieces.append(_Piece(points, entity))
    rings = rings[::-1]
    rings.extend(_chained(path, pieces[::-1], rings, unit))
    return [ring * unit for ring in rings if len(ring) > 2]


def _points(path: Path, entity: _Entity, vertices: list[_Entity]) -> tuple[Array, bool]:
    """The points of an entity in the drawing's unit, and whether they close to a ring."""
    if entity.kind == "LWPOLYLINE":
        found = _vertices(path, entity)
        if len(found) != int(entity.number(path, 90, float(len(found)))):
            raise _truncated(path, entity, f"says {entity.number(path, 90):g} vertices and has {len(found)}")
        return _bulged(found, entity.flag(path, 1)), entity.flag(path, 1)
    if entity.kind == "POLYLINE" and not entity.flag(path, 16 | 64):
        corners = [v for v in vertices if not v.flag(path, 16)]  # 16: a spline's control points
        found = [(v.number(path, 10), v.number(path, 20), v.number(path, 42, 0.0)) for v in corners]
        return _bulged(found, entity.flag(path, 1)), entity.flag(path, 1)
    if entity.kind == "CIRCLE":
        return _arc(path, entity, 0.0, 2.0 * np.pi)[:-1], True
    if entity.kind == "ARC":
        start, end = (np.radians(entity.number(path, code)) for code in (50, 51))
        return _arc(path, entity, start, start + (end - start) % (2.0 * np.pi)), False
    if entity.kind == "ELLIPSE":
        return _ellipse(path, entity)
    if entity.kind == "SPLINE":
        return _spline(path, entity), False
    if entity.kind == "LINE":
        return np.array([[entity.number(path, code) for code in codes] for codes in ((10, 20), (11, 21))]), False
    raise FileError(
        f"cannot follow {entity.name}",
        path=path,
        line=entity.line,
        fix="explode it to lines, arcs and polylines, or delete it; blocks (INSERT) explode as well",
    )


def _truncated(path: Path, entity: _Entity, why: str) -> FileError:
    """The error of a file that ends too early."""
    return FileError(f"is truncated: {entity.name} {why}", path=path, line=entity.line, fix="save the drawing again")


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
            if number not in UNITS:
                known = ", ".join(map(str, UNITS))
                raise FileError(f"$INSUNITS is {number}", path=path, line=at + 2, fix=f"known units: {known}")
            unit, variable = UNITS[number], ""
        elif section == "ENTITIES" and code == 0:
            entities.append(_Entity(value, at + 1))
        elif section == "ENTITIES" and entities:
            entities[-1].pairs.append((code, value))
    if not entities:
        raise FileError("has no entities", path=path, fix=fix)
    if not ended:
        raise _truncated(path, entities[-1], "is the last before the file breaks off, without ENDSEC or EOF")
    return entities, unit


def _number(path: Path, line: int, value: str) -> float:
    """A finite number."""
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise FileError(f"is not a number: {value[:40]!r}", path=path, line=line, fix="save the drawing again")
    return number


def _vertices(path: Path, entity: _Entity) -> list[tuple[float, float, float]]:
    """(x, y, bulge) of an LWPOLYLINE, whose values follow one another."""
    found: list[list[float]] = []
    for code, value in entity.pairs:
        if code == 10:
            found.append([_number(path, entity.line, value), 0.0, 0.0])
        elif code in (20, 42) and found:
            found[-1][1 if code == 20 else 2] = _number(path, entity.line, value)
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


def _arc(path: Path, entity: _Entity, start: float, end: float) -> Array:
    """Points of a circle's arc, both ends among them."""
    centre = np.array([entity.number(path, 10), entity.number(path, 20)])
    angles = np.linspace(start, end, max(int(np.ceil((end - start) / CHORD)), 1) + 1)
    return centre + entity.number(path, 40) * np.column_stack([np.cos(angles), np.sin(angles)])


def _ellipse(path: Path, entity: _Entity) -> tuple[Array, bool]:
    """Points of an ellipse or of an arc of one, and whether it is whole."""
    centre = np.array([entity.number(path, 10), entity.number(path, 20)])
    major = np.array([entity.number(path, 11), entity.number(path, 21)])
    turned = np.array([-major[1], major[0]]) * (-1.0 if entity.number(path, 230, 1.0) < 0.0 else 1.0)
    start, end = entity.number(path, 41, 0.0), entity.number(path, 42, 2.0 * np.pi)
    whole = abs(end - start) >= 2.0 * np.pi * (1.0 - SAME)
    sweep = 2.0 * np.pi if whole else (end - start) % (2.0 * np.pi)
    angles = start + np.linspace(0.0, sweep, max(int(np.ceil(sweep / CHORD)), 1) + 1)[: -1 if whole else None]
    minor = entity.number(path, 40) * turned
    return centre + np.cos(angles)[:, None] * major + np.sin(angles)[:, None] * minor, whole


def _spline(path: Path, entity: _Entity) -> Array:
    """Points of a B-spline, rational or not, over the range of its knots."""
    from scipy.interpolate import BSpline

    degree, knots = int(entity.number(path, 71)), np.array(entity.numbers(path, 40))
    control = np.array([entity.numbers(path, code) for code in (10, 20)])
    if not control.size:
        fix = "save the drawing again with control points, or as polylines"
        raise FileError(f"{entity.name} has no control points", path=path, line=entity.line, fix=fix)
    count = control.shape[1]
    if count != int(entity.number(path, 73, float(count))) or len(knots) != count + degree + 1:
        raise _truncated(path, entity, f"of degree {degree} has {count} control points and {len(knots)} knots")
    weights = np.array(entity.numbers(path, 41) or [1.0] * count)
    if degree < 1 or (np.diff(knots) < 0.0).any() or len(weights) != count or (weights <= 0.0).any():
        raise FileError(f"{entity.name} is no curve", path=path, line=entity.line, fix="save it as a polyline")
    curve = BSpline(knots, np.column_stack([(control * weights).T, weights]), degree)
    span = np.unique(knots[degree : count + 1])
    at = np.interp(np.arange((len(span) - 1) * SPLINE_CHORDS + 1) / SPLINE_CHORDS, np.arange(len(span)), span)
    points = curve(at)
    return points[:, :2] / points[:, 2:]


def _chained(path: Path, pieces: list[_Piece], closed: list[Array], unit: float) -> list[Array]:
    """Closed rings that open pieces form end to end; `closed` are those that need no chaining.

    The nearest end follows, within `JOINED`. What stays open is an error where it was meant to close: its ends are
    nearly together, or it bends and reaches around all rings. Other open lines, such as centre lines, do not count.
    """
    if not pieces:
        return []
    extent = float(np.ptp(np.concatenate([piece.points for piece in pieces] + closed), axis=0).max())
    ends = np.array([piece.points[[0, -1]] for piece in pieces])  # (n, 2, 2)
    free = np.ones(len(pieces), dtype=bool)
    rings: list[Array] = []
    strays: list[tuple[Array, _Entity]] = []
    for first in range(len(pieces)):
        if not free[first]:
            continue
        free[first] = False
        chain, turned = pieces[first].points, False
        while True:
            gap = float(np.linalg.norm(chain[0] - chain[-1])) if len(chain) > 2 else np.inf
            away = np.where(free[:, None], np.linalg.norm(ends - chain[-1], axis=2), np.inf)
            k, e = divmod(int(away.argmin()), 2)
            if gap > SAME * extent and away[k, e] <= min(JOINED * extent, gap):
                free[k] = False
                chain = np.concatenate([chain, (pieces[k].points if e == 0 else pieces[k].points[::-1])[1:]])
            elif gap <= JOINED * extent:
                rings.append(chain[:-1])
                break
            elif turned:
                strays.append((chain, pieces[first].entity))
                break
            else:
                chain, turned = chain[::-1], True
    _check_strays(path, strays, closed + rings, unit)
    return rings


def _check_strays(path: Path, strays: list[tuple[Array, _Entity]], rings: list[Array], unit: float) -> None:
    """Raise where an open line was meant to be an outline; see `_chained`."""
    low = np.min([ring.min(axis=0) for ring in rings], axis=0) if rings else np.full(2, np.inf)
    high = np.max([ring.max(axis=0) for ring in rings], axis=0) if rings else np.full(2, -np.inf)
    for chain, entity in strays:
        length = float(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())
        gap = float(np.linalg.norm(chain[0] - chain[-1]))
        around = (chain.min(axis=0) <= low).all() and (chain.max(axis=0) >= high).all()
        if gap <= NEARLY_CLOSED * length or (around and gap < (1.0 - NEARLY_CLOSED) * length):
            x, y = chain[-1] * unit
            raise FileError(
                f"an outline does not close: {entity.name} is part of a line whose ends are {gap * unit:.4g} mm apart, "
                f"one at ({x:g}, {y:g}) mm",
                path=path,
                line=entity.line,
                fix="close it in the drawing, or delete it where it is no outline",
            )
