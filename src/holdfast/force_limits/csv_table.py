"""A CSV file as named columns with units; every fault says line, column and remedy."""

from __future__ import annotations

import csv
import difflib
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..checks import Array
from ..errors import MeasurementError, UnknownNameError
from . import units

#: Largest file read [bytes]; a larger one is no table of limit forces.
LARGEST_FILE = 64 * 1024 * 1024

#: Column names that are understood as another one.
ALIASES = {
    "f_x": "fx",
    "f_y": "fy",
    "f_z": "fz",
    "az": "azimuth",
    "theta": "azimuth",
    "el": "elevation",
    "magnitude": "force",
    "limit": "force",
    "f": "force",
    "repeat": "trial",
    "unit_name": "unit",
}

_LINE_END = re.compile("\r\n|\r|\n")
_HEADER = re.compile(r"^\s*([^\[\](]*?)\s*(?:[\[(]\s*([^\])]*?)\s*[\])])?\s*$")


@dataclass(frozen=True)
class Table:
    """Rows of a CSV file by column.

    Attributes:
        path: the file.
        layout: the set of required columns that the file has.
        fields: column -> texts, one a row.
        unit_of: column -> unit written in the header, or "".
        lines: one-based line number of each row.
        comments: comment lines, without the mark.
    """

    path: Path
    layout: tuple[str, ...]
    fields: dict[str, list[str]]
    unit_of: dict[str, str]
    lines: list[int]
    comments: tuple[str, ...]

    def fault(self, row: int, column: str, what: str, fix: str) -> MeasurementError:
        """The error for one entry."""
        return MeasurementError(what, path=self.path, line=self.lines[row], field=column, fix=fix)

    def column(self, name: str, kind: str) -> Array:
        """A column of finite numbers in N ("force") or rad ("angle")."""
        unit = self.unit_of[name] or {"force": "N", "angle": "deg"}[kind]
        return np.array([self._number(row, name) for row in range(len(self.lines))]) * units.factor(kind, unit)

    def _number(self, row: int, name: str) -> float:
        text = self.fields[name][row]
        if not text:
            raise self.fault(row, name, "is empty", "give a number, or take the line out")
        try:
            value = float(text)
        except ValueError:
            fix = "write a decimal point, not a comma" if re.fullmatch(r"[-+]?\d+,\d+", text) else "give a number"
            raise self.fault(row, name, f"is {text[:40]!r}, not a number", fix) from None
        if not math.isfinite(value):
            raise self.fault(row, name, f"is {text}", "give a finite number, or take the line out")
        return value

    def whole_numbers(self, name: str, default: int) -> np.ndarray:
        """A column of whole numbers; `default` everywhere when the file has no such column."""
        if name not in self.fields:
            return np.full(len(self.lines), default, dtype=np.intp)
        result = np.empty(len(self.lines), dtype=np.intp)
        for row in range(len(self.lines)):
            value = self._number(row, name)
            if value != int(value) or abs(value) > 2**31:
                raise self.fault(row, name, f"is {self.fields[name][row]}", "give a whole number")
            result[row] = int(value)
        return result

    def words(self, name: str) -> tuple[str, ...] | None:
        """A column of texts, or None when the file has no such column."""
        return tuple(self.fields[name]) if name in self.fields else None


def read_table(path: str | Path, layouts: tuple[tuple[str, ...], ...], extra: tuple[str, ...]) -> Table:
    """Read a CSV file that has all columns of one of `layouts`, and perhaps some of `extra`."""
    place = Path(path)
    text = _text(place)
    numbered = list(enumerate(_LINE_END.split(text), start=1))
    comments = tuple(line.lstrip()[1:].strip() for _, line in numbered if line.lstrip().startswith("#"))
    numbered = [(n, line) for n, line in numbered if line.strip() and not line.lstrip().startswith("#")]
    if not numbered:
        raise MeasurementError(
            "has no header and no rows", path=place, fix=f"begin with a header: {', '.join(layouts[0])}"
        )
    header_line, header = numbered[0]
    delimiter = _delimiter(header)
    entries = _fields(place, header_line, header, delimiter)
    names, unit_of = _header(place, header_line, entries, layouts, extra)
    unknown = [entry.strip() for entry, name in zip(entries, names, strict=True) if not name]
    layout = _layout(place, header_line, names, unknown, layouts)
    if len(numbered) == 1:
        raise MeasurementError("has a header but no rows", path=place, line=header_line, fix="add measurements")
    fields: dict[str, list[str]] = {name: [] for name in names if name}
    lines: list[int] = []
    for position, (line, row) in enumerate(numbered[1:], start=2):
        entries = _fields(place, line, row, delimiter)
        if len(entries) != len(names):
            last = position == len(numbered) and len(entries) < len(names)
            raise MeasurementError(
                f"has {len(entries)} fields where the header has {len(names)}",
                path=place,
                line=line,
                field=names[len(entries)] if len(entries) < len(names) else "",
                fix="the file may be cut short: complete or remove the last line"
                if last
                else "give one entry a column",
            )
        for name, entry in zip(names, entries, strict=True):
            if name:
                fields[name].append(entry.strip())
        lines.append(line)
    return Table(place, layout, fields, unit_of, lines, comments)


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise MeasurementError("is a folder", path=path, fix="name the CSV file in it")
        if path.stat().st_size > LARGEST_FILE:
            raise MeasurementError("is larger than 64 MiB", path=path, fix="split the file")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise MeasurementError("does not exist", path=path, fix=_nearest_file(path)) from None
    except (OSError, ValueError) as error:
        raise MeasurementError(f"cannot be read: {error}", path=path, fix="check the file") from None
    if b"\0" in raw:
        raise MeasurementError("is not a text file", path=path, fix="save the table as CSV, UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise MeasurementError(
            "is not a UTF-8 text file", path=path, line=line, fix="save the table as CSV, UTF-8"
        ) from None


def _nearest_file(path: Path) -> str:
    try:
        alike = difflib.get_close_matches(path.name, [p.name for p in path.parent.iterdir()], n=1)
    except OSError:
        return "check folder and name"
    return f"did you mean {alike[0]!r}?" if alike else "check folder and name"


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _fields(path: Path, line: int, text: str, delimiter: str) -> list[str]:
    try:
        rows = list(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise MeasurementError(
            f"cannot be split into fields: {error}", path=path, line=line, fix="check the quotes"
        ) from None
    return rows[0] if rows else []


def _header(
    path: Path, line: int, entries: list[str], layouts: tuple[tuple[str, ...], ...], extra: tuple[str, ...]
) -> tuple[list[str], dict[str, str]]:
    """(column names, "" for those not understood; units): `fx [N]`, `fx (N)` and `fx_N` all mean fx in N."""
    known = [*dict.fromkeys(name for layout in layouts for name in layout), *extra]
    names: list[str] = []
    unit_of: dict[str, str] = {}
    for entry in entries:
        match = _HEADER.match(entry)
        name, unit = (match.group(1), match.group(2) or "") if match else (entry.strip(), "")
        name, unit = _understood(name, unit, known)
        if name not in known:
            names.append("")
            continue
        if name in unit_of:
            raise MeasurementError("the column appears twice", path=path, line=line, field=name, fix="keep one of them")
        names.append(name)
        unit_of[name] = unit
        kind = "angle" if name in ("azimuth", "elevation") else "force"
        if unit and name not in extra:
            try:
                units.factor(kind, unit)
            except UnknownNameError as error:
                raise MeasurementError(error.what, path=path, line=line, field=name, fix=error.fix) from None
    return names, unit_of


def _understood(name: str, unit: str, known: list[str]) -> tuple[str, str]:
    plain = name.strip().lower()
    plain = ALIASES.get(plain, plain)
    if plain in known or unit:
        return plain, unit
    stem, _, tail = name.strip().rpartition("_")
    stem = ALIASES.get(stem.lower(), stem.lower())
    return (stem, tail) if stem in known and tail else (plain, unit)


def _layout(
    path: Path, line: int, names: list[str], unknown: list[str], layouts: tuple[tuple[str, ...], ...]
) -> tuple[str, ...]:
    """The layout whose columns are all there, or the error that names the missing one and what may have been meant."""
    complete = [layout for layout in layouts if all(name in names for name in layout)]
    if len(complete) > 1:
        both = " and ".join("/".join(layout) for layout in complete)
        raise MeasurementError(
            f"gives the forces twice, as {both}", path=path, line=line, fix="keep one set of columns"
        )
    if complete:
        return complete[0]
    nearest = max(layouts, key=lambda layout: sum(name in names for name in layout))
    missing = next(name for name in nearest if name not in names)
    alike = difflib.get_close_matches(missing, [u.lower() for u in unknown], n=1, cutoff=0.4)
    meant = f"is {alike[0]!r} meant? " if alike else ""
    choices = " or ".join(", ".join(layout) for layout in layouts)
    raise MeasurementError(
        f"the column {missing!r} is missing",
        path=path,
        line=line,
        field=missing,
        fix=f"{meant}the header needs {choices}",
    )
