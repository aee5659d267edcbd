"""Measured limit forces in CSV files: named columns with units, repeated trials, comments.

A file has either the columns fx, fy, fz (the limit force itself) or azimuth, elevation, force (its
direction and its size, which also works for a limit of zero), and optionally trial, unit and label.
Units stand in the header: `fx [N]`, `fx (N)` or `fx_N`; without one, N and deg are assumed. Lines that begin
with # and blank lines are skipped; the delimiter is a comma, a semicolon or a tab. Every error names line, column and
remedy.

Contact frame: x is the best shear direction, z points into the object. The azimuth is measured from x
towards y, the elevation from the surface towards z: negative elevations pull.
"""

from __future__ import annotations

import csv
import difflib
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, MeasurementError, UnknownNameError
from .samples import SamplingOptions, refuse_rows
from .surface import LimitSurface, write_file

# -- units ----------------------------------------------------------------------------------------------

#: Newtons in one unit of force.
FORCE_UNITS = {
    "N": 1.0,
    "mN": 1e-3,
    "kN": 1e3,
    "lbf": 4.4482216152605,
    "gf": 9.80665e-3,
    "kgf": 9.80665,
}

#: Radians in one unit of angle.
ANGLE_UNITS = {"deg": math.pi / 180.0, "rad": 1.0}


def unit_factor(kind: str, name: str, *, where: str = "") -> float:
    """How many N ("force") or rad ("angle") one unit `name` is; UnknownNameError lists the known ones."""
    table = FORCE_UNITS if kind == "force" else ANGLE_UNITS
    if name in table:
        return table[name]
    # mN and MN differ by nine orders of magnitude: only spellings that leave no doubt are forgiven.
    alike = [known for known in table if known.lower() == name.lower()]
    if len(alike) == 1 and name.lower() not in ("mn",):
        return table[alike[0]]
    raise UnknownNameError(f"unit of {kind}", name, table, where=where)


# -- CSV files with named columns and units -------------------------------------------------------------

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
class CsvTable:
    """Rows of a CSV file by column.

    Attributes:
        path: the file.
        layout: the set of required columns that the file has.
        fields: column -> texts, one per row.
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
        return np.array([self._number(row, name) for row in range(len(self.lines))]) * unit_factor(kind, unit)

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
        values = [self._number(row, name) for row in range(len(self.lines))]
        for row, value in enumerate(values):
            if value != int(value) or abs(value) > 2**31:
                raise self.fault(row, name, f"is {self.fields[name][row]}", "give a whole number")
        return np.array(values, dtype=np.intp)

    def words(self, name: str) -> tuple[str, ...] | None:
        """A column of texts, or None when the file has no such column."""
        return tuple(self.fields[name]) if name in self.fields else None


@dataclass
class _CsvReader:
    """Reads a file that has all columns of one of `layouts`, and perhaps some of `extra`; `line` is the current one."""

    path: Path
    layouts: tuple[tuple[str, ...], ...]
    extra: tuple[str, ...]
    line: int | None = None

    def error(self, what: str, fix: str, column: str = "") -> MeasurementError:
        """The error at the current line."""
        return MeasurementError(what, path=self.path, line=self.line, field=column, fix=fix)

    def read(self) -> CsvTable:
        """The table of the file."""
        numbered = list(enumerate(_LINE_END.split(self._text()), start=1))
        comments = tuple(line.lstrip()[1:].strip() for _, line in numbered if line.lstrip().startswith("#"))
        numbered = [(n, line) for n, line in numbered if line.strip() and not line.lstrip().startswith("#")]
        if not numbered:
            raise self.error("has no header and no rows", f"begin with a header: {', '.join(self.layouts[0])}")
        self.line, header = numbered[0]
        delimiter = max(",;\t", key=header.count)
        entries = self._split(header, delimiter)
        names, unit_of = self._header(entries)
        layout = self._layout(names, [e.strip().lower() for e, name in zip(entries, names, strict=True) if not name])
        if len(numbered) == 1:
            raise self.error("has a header but no rows", "add measurements")
        fields: dict[str, list[str]] = {name: [] for name in names if name}
        for self.line, row in numbered[1:]:
            entries = self._split(row, delimiter)
            if len(entries) != len(names):
                short = len(entries) < len(names)
                cut = short and self.line == numbered[-1][0]
                fix = (
                    "the file may be cut short: complete or remove the last line"
                    if cut
                    else "give one entry per column"
                )
                what = f"has {len(entries)} fields where the header has {len(names)}"
                raise self.error(what, fix, names[len(entries)] if short else "")
            for name, entry in zip(names, entries, strict=True):
                if name:
                    fields[name].append(entry.strip())
        return CsvTable(self.path, layout, fields, unit_of, [n for n, _ in numbered[1:]], comments)

    def _text(self) -> str:
        try:
            if self.path.is_dir():
                raise self.error("is a folder", "name the CSV file in it")
            if self.path.stat().st_size > LARGEST_FILE:
                raise self.error("is larger than 64 MiB", "split the file")
            raw = self.path.read_bytes()
        except FileNotFoundError:
            raise self.error("does not exist", _nearest_file(self.path)) from None
        except (OSError, ValueError) as error:
            raise self.error(f"cannot be read: {error}", "check the file") from None
        if b"\0" in raw:
            raise self.error("is not a text file", "save the table as CSV, UTF-8")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.line = raw[: error.start].count(b"\n") + 1
            raise self.error("is not a UTF-8 text file", "save the table as CSV, UTF-8") from None

    def _split(self, text: str, delimiter: str) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=delimiter, strict=True), [])
        except csv.Error as error:
            raise self.error(f"cannot be split into fields: {error}", "check the quotes") from None

    def _header(self, entries: list[str]) -> tuple[list[str], dict[str, str]]:
        """(column names, "" for those not understood; units): `fx [N]`, `fx (N)` and `fx_N` all mean fx in N."""
        known = [*dict.fromkeys(name for layout in self.layouts for name in layout), *self.extra]
        names: list[str] = []
        unit_of: dict[str, str] = {}
        for entry in entries:
            match = _HEADER.match(entry)
            name, unit = (match.group(1), match.group(2) or "") if match else (entry.strip(), "")
            name, unit = _understood(name, unit, known)
            names.append(name if name in known else "")
            if name not in known:
                continue
            if name in unit_of:
                raise self.error("the column appears twice", "keep one of them", name)
            unit_of[name] = unit
            if unit and name not in self.extra:
                try:
                    unit_factor("angle" if name in ("azimuth", "elevation") else "force", unit)
                except UnknownNameError as error:
                    raise self.error(error.what, error.fix, name) from None
        return names, unit_of

    def _layout(self, names: list[str], unknown: list[str]) -> tuple[str, ...]:
        """The layout whose columns are all there, or the error that names the missing one and the likely spelling."""
        complete = [layout for layout in self.layouts if all(name in names for name in layout)]
        if len(complete) > 1:
            both = " and ".join("/".join(layout) for layout in complete)
            raise self.error(f"gives the forces twice, as {both}", "keep one set of columns")
        if complete:
            return complete[0]
        nearest = max(self.layouts, key=lambda layout: sum(name in names for name in layout))
        missing = next(name for name in nearest if name not in names)
        alike = difflib.get_close_matches(missing, unknown, n=1, cutoff=0.4)
        meant = f"is {alike[0]!r} meant? " if alike else ""
        choices = " or ".join(", ".join(layout) for layout in self.layouts)
        raise self.error(f"the column {missing!r} is missing", f"{meant}the header needs {choices}", missing)


def _nearest_file(path: Path) -> str:
    try:
        alike = difflib.get_close_matches(path.name, [p.name for p in path.parent.iterdir()], n=1)
    except OSError:
        return "check folder and name"
    return f"did you mean {alike[0]!r}?" if alike else "check folder and name"


def _understood(name: str, unit: str, known: list[str]) -> tuple[str, str]:
    plain = name.strip().lower()
    plain = ALIASES.get(plain, plain)
    if plain in known or unit:
        return plain, unit
    stem, _, tail = name.strip().rpartition("_")
    stem = ALIASES.get(stem.lower(), stem.lower())
    return (stem, tail) if stem in known and tail else (plain, unit)


# -- measured limit forces ------------------------------------------------------------------------------

VECTOR = ("fx", "fy", "fz")
POLAR = ("azimuth", "elevation", "force")
EXTRA = ("trial", "unit", "label")


@dataclass(frozen=True, eq=False, repr=False)
class Measurements:
    """Limit forces along directions in the contact frame, one row per measurement.

    Attributes:
        directions: (n, 3) unit directions.
        limits: (n,) limit forces [N].
        trials: (n,) trial numbers; 1 where none was given.
        labels: (n,) name of the unit each was measured on; "" where none was given.
        source: the file, or other words.
        comments: comment lines of the file, without the mark.
    """

    directions: Array
    limits: Array
    trials: np.ndarray
    labels: tuple[str, ...]
    source: str = ""
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rays = checks.array("directions", self.directions, ("n", 3))
        lengths = np.linalg.norm(rays, axis=1)
        off = np.abs(lengths - 1.0) > tolerances.ORTHONORMAL
        refuse_rows("directions", off, lambda row: f"has length {lengths[row]:.6g}", "give unit directions")
        limits = checks.array("limits", self.limits, ("n",))
        refuse_rows("limits", limits < 0.0, lambda row: f"is {limits[row]:g} N", "a limit force is zero or more")
        trials = np.array(self.trials, dtype=np.intp)
        trials.setflags(write=False)
        for name, entries in (("limits", limits), ("trials", trials), ("labels", self.labels)):
            if len(entries) != len(rays):
                raise InputError(f"has {len(entries)} entries", where=name, fix=f"give {len(rays)}, one per direction")
        checked = {"directions": rays, "limits": limits, "trials": trials, "labels": tuple(self.labels)}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Measurements({len(self)} rows{f' from {self.source}' if self.source else ''})"

    def __len__(self) -> int:
        return len(self.limits)

    @staticmethod
    def from_forces(forces: ArrayLike, *, source: str = "") -> Measurements:
        """Measurements of limit forces (n, 3) [N], none of them zero."""
        f = checks.array("forces", forces, ("n", 3))
        limits = np.linalg.norm(f, axis=1)
        refuse_rows("forces", limits == 0.0, "is zero and has no direction", "give direction and limit apart")
        return Measurements(f / limits[:, None], limits, np.ones(len(f), np.intp), ("",) * len(f), source)

    @property
    def forces(self) -> Array:
        """(n, 3) limit forces [N]; zero rows where the limit is zero."""
        return self.directions * self.limits[:, None]

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the units measured, in order of appearance."""
        return tuple(dict.fromkeys(self.labels))

    def of_unit(self, name: str) -> Measurements:
        """The measurements of one unit."""
        keep = np.array([label == name for label in self.labels], dtype=bool)
        if not keep.any():
            known = ", ".join(repr(u) for u in self.units)
            raise InputError(f"there is no unit {name!r}", where=self.source or "measurements", fix=f"known: {known}")
        labels = (name,) * int(keep.sum())
        return replace(
            self, directions=self.directions[keep], limits=self.limits[keep], trials=self.trials[keep], labels=labels
        )

    def surface(self, **options: Unpack[SamplingOptions]) -> LimitSurface:
        """The limit surface through these measurements; arguments as in `LimitSurface.from_samples`."""
        return LimitSurface.from_limits(self.directions, self.limits, source=self.source, **options)


def read_measurements(path: str | Path) -> Measurements:
    """Read a CSV file of limit forces; every fault is a MeasurementError with line, column and remedy."""
    table = _CsvReader(Path(path), (VECTOR, POLAR), EXTRA).read()
    if table.layout == VECTOR:
        forces = np.column_stack([table.column(name, "force") for name in VECTOR])
        limits = _lengths(forces)
        if (zero := limits == 0.0).any():
            what = "the limit force is zero and has no direction"
            raise table.fault(int(zero.argmax()), "fx", what, "use azimuth, elevation, force")
        directions = forces / limits[:, None]
    else:
        directions = _directions(table)
        limits = table.column("force", "force")
        if (limits < 0.0).any():
            row = int(np.argmax(limits < 0.0))
            fix = "a limit force is zero or more; turn the direction"
            raise table.fault(row, "force", f"is {limits[row]:g} N", fix)
    tiny = (limits > 0.0) & (limits < tolerances.SMALLEST_FORCE)
    if (odd := tiny | (limits > tolerances.LARGEST_FORCE)).any():
        row = int(odd.argmax())
        raise table.fault(row, table.layout[-1], f"is {limits[row]:.3g} N", "check the unit in the header")
    labels = table.words("unit") or table.words("label") or ("",) * len(limits)
    return Measurements(directions, limits, table.whole_numbers("trial", 1), labels, str(path), table.comments)


def _lengths(forces: Array) -> Array:
    """Lengths that neither overflow nor underflow."""
    largest = np.abs(forces).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    with np.errstate(over="ignore"):
        return np.linalg.norm(forces / scale[:, None], axis=1) * largest


def _directions(table: CsvTable) -> Array:
    azimuth = table.column("azimuth", "angle")
    elevation = table.column("elevation", "angle")
    beyond = np.abs(elevation) > 0.5 * np.pi + tolerances.SOLVER_ROUNDING
    if beyond.any():
        row = int(beyond.argmax())
        what = f"is {np.degrees(elevation[row]):g} deg"
        raise table.fault(row, "elevation", what, "the elevation is between -90 and 90 deg")
    flat = np.cos(elevation)
    return np.column_stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def write_measurements(measurements: Measurements, path: str | Path) -> None:
    """Write measurements as CSV with azimuth, elevation, force, trial and unit; `read_measurements` reads it back."""
    x, y, z = measurements.directions.T
    azimuth = np.degrees(np.arctan2(y, x))
    elevation = np.degrees(np.arctan2(z, np.hypot(x, y)))
    lines = [f"# {line}" for line in measurements.comments]
    lines.append("azimuth [deg],elevation [deg],force [N],trial,unit")
    rows = zip(azimuth, elevation, measurements.limits, measurements.trials, measurements.labels, strict=True)
    lines += [f"{float(a)!r},{float(e)!r},{float(f)!r},{int(t)},{_quoted(u)}" for a, e, f, t, u in rows]
    write_file(path, "\n".join(lines) + "\n")


def _quoted(text: str) -> str:
    plain = not any(c in text for c in ',;\t"\n\r') and text == text.strip() and not text.startswith("#")
    return text if plain else '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
