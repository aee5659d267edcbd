"""Closed outlines of a DXF drawing: LWPOLYLINE and POLYLINE with bulges, CIRCLE; and closed chains of LINE and ARC."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..checks import Array
from ..errors import FileError

#: Millimetres of a drawing's unit, by its header variable $INSUNITS; 0 (none) counts as mm.
UNITS = {0: 1.0, 1: 25.4, 2: 304.8, 4: 1.0, 5: 10.0, 6: 1000.0}

#: Arcs are replaced by chords of this angle [rad] or less.
CHORD = np.radians(2.0)

#: Ends of lines and arcs meet within this share of the drawing's extent.
JOINED = 1e-6


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


def dxf_rings(path: Path, text: str) -> list[Array]:
    """Closed rings (n, 2) [mm, y up] of an ASCII DXF file's model space."""
    entities, unit = _entities(path, text)
    rings, open_pieces = [], []
    i = 0
    while i < len(entities):
        entity = entities[i]
        i += 1
        if entity.kind == "LWPOLYLINE":
            vertices = _vertices(path, entity)
            piece = _bulged(vertices, bool(int(entity.number(path, 70, 0.0)) & 1))
            (rings if _is_closed(piece, entity, path) else open_pieces).append(piece)
        elif entity.kind == "POLYLINE":
            vertices = []
            while i < len(entities) and entities[i].kind == "VERTEX":
                v = entities[i]
                vertices.append((v.number(path, 10), v.number(path, 20), v.number(path, 42, 0.0)))
                i += 1
            piece = _bulged(vertices, bool(int(entity.number(path, 70, 0.0)) & 1))
            (rings if _is_closed(piece, entity, path) else open_pieces).append(piece)
        elif entity.kind == "CIRCLE":
            rings.append(_arc(path, entity, 0.0, 2.0 * np.pi)[:-1])
        elif entity.kind == "ARC":
            start, end = (np.radians(entity.number(path, code)) for code in (50, 51))
            open_pieces.append(_arc(path, entity, start, start + (end - start) % (2.0 * np.pi)))
        elif entity.kind == "LINE":
            ends = [[entity.number(path, code) for code in codes] for codes in ((10, 20), (11, 21))]
            open_pieces.append(np.array(ends))
    rings.extend(_chained(open_pieces))
    return [ring * unit for ring in rings if len(ring) > 2]


def _entities(path: Path, text: str) -> tuple[list[_Entity], float]:
    """The entities of the drawing, and millimetres in its unit."""
    lines = text.splitlines()
    fix = "save the drawing as ASCII DXF"
    section, unit, variable = "", 1.0, ""
    entities: list[_Entity] = []
    for at in range(0, len(lines) - 1, 2):
        try:
            code = int(lines[at].strip())
        except ValueError:
            raise FileError(
                f"is not a group code: {lines[at].strip()[:40]!r}", path=path, line=at + 1, fix=fix
            ) from None
        value = lines[at + 1].strip()
        if code == 0 and value in ("SECTION", "ENDSEC", "EOF"):
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


def _is_closed(piece: Array, entity: _Entity, path: Path) -> bool:
    """Whether a polyline closes, by its flag or because it ends where it begins."""
    if int(entity.number(path, 70, 0.0)) & 1:
        return True
    return len(piece) > 2 and bool(np.abs(piece[0] - piece[-1]).max() <= JOINED * max(float(np.ptp(piece)), 1e-300))


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


def _chained(pieces: list[Array]) -> list[Array]:
    """Closed rings that open pieces form end to end; pieces that close with no others are left out."""
    pieces = [piece for piece in pieces if len(piece) > 1]
    if not pieces:
        return []
    near = JOINED * float(np.ptp(np.concatenate(pieces), axis=0).max())
    rings = []
    while pieces:
        chain = pieces.pop()
        while np.abs(chain[0] - chain[-1]).max() > near:
            following = next(
                (k for k, p in enumerate(pieces) if min(np.abs(p[e] - chain[-1]).max() for e in (0, -1)) <= near), None
            )
            if following is None:
                break
            piece = pieces.pop(following)
            forward = np.abs(piece[0] - chain[-1]).max() <= near
            chain = np.concatenate([chain, (piece if forward else piece[::-1])[1:]])
        else:
            rings.append(chain[:-1])
    return rings
