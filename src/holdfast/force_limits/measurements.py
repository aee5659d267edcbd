"""Measured limit forces in CSV files: named columns with units, repeated trials, preloads, comments.

A file has either the columns fx, fy, fz (the limit force itself) or azimuth, elevation, force (its
direction and its size, which also works for a limit of zero), and optionally trial, unit, label, group and preload.
A file of tests along one axis has one column of forces, under one of the usual names (`force`, `pull-off force`,
`normal force`, fn, fz, ...). Units are in the header: `fx [N]`, `fx (N)` or `fx_N`; without one, N and deg are
assumed. Lines that begin with # and blank lines are skipped; the delimiter is a comma, a semicolon or a tab. Every
error names line, column and remedy.

Contact frame: x is the best shear direction, z points into the object. The azimuth is measured from x
towards y, the elevation from the surface towards z: negative elevations pull.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FileError, InputError, MeasurementError, UnknownNameError
from ..inputs import checked_path, csv_cells, file_bytes, file_text, quoted_formula, unquoted_formula, write_whole
from ..public_names import with_advice
from .models.registry import create
from .samples import (
    QUANTILES,
    SAME_DIRECTION,
    Compression,
    SamplingOptions,
    check_compression,
    direction_groups,
    refuse_rows,
)
from .surface import LimitSurface
from .volume import ForceVolume

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
    # mN and MN differ by nine orders of magnitude: only unambiguous spellings are accepted.
    alike = [known for known in table if known.lower() == name.lower()]
    if len(alike) == 1 and name.lower() not in ("mn",):
        return table[alike[0]]
    raise UnknownNameError(f"unit of {kind}", name, table, where=where)


# -- CSV files with named columns and units -------------------------------------------------------------

#: Alternative names of columns.
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
    "preload force": "preload",
    "normal preload": "preload",
    "preload_force": "preload",
    "normal_preload": "preload",
}

#: Further names of the single column of forces of tests along one axis, without punctuation.
ONE_AXIS_NAMES = {
    *(
        "fn",
        "normal force",
        "force normal",
        "adhesion",
        "adhesion force",
        "adhesive force",
        "strength",
        "load",
        "f max",
    ),
    *("pull off", "pulloff", "pull off force", "pulloff force", "pull force", "pull", "detachment force"),
    *("separation force", "peak force", "max force", "maximum force", "breaking force", "failure force"),
    *("peak load", "max load", "maximum load", "breaking load", "failure load", "ultimate load", "pull off load"),
}

#: Words in another column's name that suggest a direction of the force: then the tests are not along one axis.
FORCE_WORDS = ("force", "shear", "tangent", "lateral", "angle", "azim", "elev", "direction", "fx", "fy")

#: Words of columns that increase from row to row in the record of a single test, and the least rows of a record.
RECORD_WORDS = {"time", "displacement", "extension", "elongation", "stroke", "travel"}
RECORD_ROWS = 10

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
            raise self.fault(row, name, "is empty", "give a number, or remove the line")
        try:
            value = float(text)
        except ValueError:
            fix = "write a decimal point, not a comma" if re.fullmatch(r"[-+]?\d+,\d+", text) else "give a number"
            raise self.fault(row, name, f"is {text[:40]!r}, not a number", fix) from None
        if not math.isfinite(value):
            raise self.fault(row, name, f"is {text}", "give a finite number, or remove the line")
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
        return tuple(map(unquoted_formula, self.fields[name])) if name in self.fields else None


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
        unknown = [e.strip().lower() for e, name in zip(entries, names, strict=True) if not name]
        layout = self._one_axis(entries, names, unit_of) or self._layout(names, unknown)
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
        text = file_text(self.path, error=MeasurementError)
        if "\0" in text:
            raise self.error("is not a text file", "save the table as CSV, UTF-8")
        return text

    def _split(self, text: str, delimiter: str) -> list[str]:
        return csv_cells(text, delimiter, self.path, self.line, error=MeasurementError)

    def _header(self, entries: list[str]) -> tuple[list[str], dict[str, str]]:
        """(column names, "" for unknown ones; units): `fx [N]`, `fx (N)` and `fx_N` all mean fx in N."""
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
            if unit and (name == "preload" or name not in self.extra):
                self._check_unit(name, unit)
        return names, unit_of

    def _one_axis(self, entries: list[str], names: list[str], unit_of: dict[str, str]) -> tuple[str, ...]:
        """The layout of a file with one column of forces and no directions, which is renamed; () otherwise."""
        found = {name for layout in self.layouts for name in layout} & {*names}
        if len(found) > 1 or found - {"force", "fz"}:
            return ()
        forces = {i: unit_of[name] for i, name in enumerate(names) if name in ("force", "fz")}
        others = [i for i, name in enumerate(names) if not name]
        forces |= {i: unit for i in others if (unit := _force_unit(entries[i])) is not None}
        if len(forces) > 1:
            both = " and ".join(repr(entries[i].strip()) for i in sorted(forces))
            fix = "keep one of them for tests along one axis, or give fx, fy, fz"
            raise self.error(f"has several columns of forces without a direction, {both}", fix)
        for i in others if forces else []:
            words = _plain_words(entries[i])
            if difflib.get_close_matches(words, ("azimuth", "elevation"), n=1):
                return ()  # the missing column is reported, with this spelling
            if i not in forces and any(word in words for word in FORCE_WORDS):
                fix = "name the columns fx, fy, fz or azimuth, elevation, force; tests along one axis have one force"
                raise self.error(f"has one column of forces, and {entries[i].strip()!r} may belong to it", fix)
        for i, unit in forces.items():
            if not names[i]:
                names[i], unit_of["force"] = "force", unit
                self._check_unit("force", unit)
            for record in [k for k in others if RECORD_WORDS & {*_plain_words(entries[k]).split()}][:1]:
                names[record] = "record"
            return (names[i],)
        return ()

    def _check_unit(self, name: str, unit: str) -> None:
        try:
            unit_factor("angle" if name in ("azimuth", "elevation") else "force", unit or "N")
        except UnknownNameError as error:
            raise self.error(error.what, error.fix, name) from None

    def _layout(self, names: list[str], unknown: list[str]) -> tuple[str, ...]:
        """The layout whose columns are all present, or the error that names the missing one and the likely spelling."""
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
        fix = f"{meant}the header needs {choices}, or one column of forces for tests along one axis"
        raise self.error(f"the column {missing!r} is missing", fix, missing)


def _plain_words(text: str) -> str:
    """The words of a column's name in lower case, one space between them: "Pull-off_force" is "pull off force"."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _force_unit(entry: str) -> str | None:
    """The unit in the name of a column that `ONE_AXIS_NAMES` has, "" without one; None for any other column."""
    match = _HEADER.match(entry)
    name, unit = (match.group(1), match.group(2) or "") if match else (entry, "")
    if _plain_words(name) in ONE_AXIS_NAMES:
        return unit
    stem, _, tail = name.strip().rpartition("_")
    return tail if _plain_words(stem) in ONE_AXIS_NAMES and tail in FORCE_UNITS and not unit else None


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
EXTRA = ("trial", "unit", "label", "group", "preload")

#: The direction of a pull-off test: straight away from the surface.
PULL_OFF: tuple[float, float, float] = (0.0, 0.0, -1.0)

#: Preloads that differ by less than this share of the largest one are the same [1].
SAME_PRELOAD = 0.01

#: Ready models for pull-off tests: the parameter that the tests measure, and one that must be assumed.
PULL_MODELS = {"magnet": ("attraction", "mu"), "suction": ("vacuum", "mu"), "dry_adhesive": ("adhesion", "shear")}

Level = Literal["inner", "nominal", "outer"]
Beyond = Literal["error", "largest"]


@with_advice()
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
        preloads: (n,) pressing force on the contact before the test [N]; None if it was not recorded.
    """

    directions: Array
    limits: Array
    trials: np.ndarray
    labels: tuple[str, ...]
    source: str = ""
    comments: tuple[str, ...] = ()
    preloads: Array | None = None

    def __post_init__(self) -> None:
        rays = checks.array("directions", self.directions, ("n", 3))
        lengths = np.linalg.norm(rays, axis=1)
        off = np.abs(lengths - 1.0) > tolerances.ORTHONORMAL
        refuse_rows("directions", off, lambda row: f"has length {lengths[row]:.6g}", "give unit directions")
        limits = checks.array("limits", self.limits, ("n",))
        refuse_rows("limits", limits < 0.0, lambda row: f"is {limits[row]:g} N", "a limit force is zero or more")
        trials = np.array(self.trials, dtype=np.intp)
        trials.setflags(write=False)
        checked = {"directions": rays, "limits": limits, "trials": trials, "labels": tuple(self.labels)}
        if self.preloads is not None:
            preloads = checks.array("preloads", self.preloads, ("n",))
            refuse_rows("preloads", preloads < 0.0, lambda row: f"is {preloads[row]:g} N", "a preload is zero or more")
            checked["preloads"] = preloads
        for name, value in checked.items():
            if len(value) != len(rays):
                raise InputError(f"has {len(value)} entries", where=name, fix=f"give {len(rays)}, one per direction")
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
        refuse_rows("forces", limits == 0.0, "is zero and has no direction", "give direction and limit separately")
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
        return self._rows(keep)

    def _rows(self, keep: Array) -> Measurements:
        """The measurements marked by `keep` (n,)."""
        labels = tuple(label for label, kept in zip(self.labels, keep, strict=True) if kept)
        names = ("directions", "limits", "trials", *(() if self.preloads is None else ("preloads",)))
        return replace(self, labels=labels, **{name: getattr(self, name)[keep] for name in names})

    @property
    def has_surface(self) -> bool:
        """Whether the tests have one limit surface: they are not along one axis, and at one preload."""
        return self.axis is None and (self.preloads is None or len(self.preload_levels) == 1)

    def surface(self, **options: Unpack[SamplingOptions]) -> LimitSurface:
        """The limit surface through these measurements; arguments as in `LimitSurface.from_samples`.

        Tests along one axis have none: see `assuming`. Tests at several preloads have one for each: see `at_preload`.
        """
        self._one_preload()
        if self.axis is not None:
            raise InputError(
                f"all {len(self)} tests are along one axis: they give a strength, not a volume",
                where=self.source or "measurements",
                fix='state what is assumed for the other directions: measured.assuming("magnet", mu=0.3) or '
                'assuming("segment"); --assume magnet,mu=0.3; assume: {model: magnet, mu: 0.3}',
            )
        return LimitSurface.from_limits(self.directions, self.limits, source=self.source, **options)

    # -- tests along one axis -------------------------------------------------------------------

    @property
    def axis(self) -> Array | None:
        """(3,) the direction of the first test if all are along it or opposite to it (pull-off tests); else None."""
        if not len(self):
            return None
        along = np.abs(self.directions @ self.directions[0])
        return self.directions[0] if along.min() > math.cos(SAME_DIRECTION) else None

    def strength(self, direction: ArrayLike = PULL_OFF, level: Level = "nominal") -> float:
        """The limit force [N] along a direction that was tested: the least, median or greatest of its trials."""
        ray = checks.direction("direction", direction, 3)
        same = self.directions @ ray > math.cos(SAME_DIRECTION)
        if not same.any():
            fix = "give the direction of a test; pull-off tests are along (0, 0, -1)"
            raise InputError("was not tested", where="direction", fix=fix)
        return float(np.quantile(self.limits[same], QUANTILES[checked_level(level)]))

    def assuming(
        self, shape: str, *, level: Level = "nominal", compression: Compression = "measured", **parameters: Any
    ) -> ForceVolume:
        """A force volume from tests along one axis, and from an assumption about all other directions.

        Tests along one axis measure a strength F. Only the limits in the tested directions are measured; those in
        any other direction are assumed.

        Args:
            shape: "segment": no other force is held, also no shear: inner for any contact that can carry zero
                force; or a ready model whose pull-off force is F: "magnet" or "suction" (friction under the sum of load
                and F: give `mu`), "dry_adhesive" (half an ellipsoid: give `shear`).
            level: which of repeated trials is F: the least ("inner"), the median or the greatest.
            compression: of a segment along the normal, pressing that was not tested: "measured" (none), "unlimited", or
                a cap [N]. Models take `cap`, by default the strength in compression if that was tested.
            parameters: the other parameters of the model.
        """
        self._one_preload()
        where, axis = self.source or "measurements", self.axis
        if axis is None:
            fix = "use measured.surface(), which needs no assumption"
            raise InputError("the tests are along several axes", where=where, fix=fix)
        pressed = self.directions[:, 2] > math.cos(SAME_DIRECTION)
        pulled = self.directions[:, 2] < -math.cos(SAME_DIRECTION)
        cap = self.strength((0.0, 0.0, 1.0), level) if pressed.any() else None
        if shape == "segment":
            if parameters:
                raise InputError("a segment has no parameters", where=next(iter(parameters)), fix="leave it out")
            return self._segment(axis, level, compression, bool((pressed | pulled).all()))
        if shape not in PULL_MODELS:
            raise UnknownNameError("assumption", shape, ("segment", *PULL_MODELS), where="assume")
        measured, needed = PULL_MODELS[shape]
        if not pulled.any():
            fix = "assume: segment, or test pulling straight off"
            raise InputError(f"no test pulls straight off, which {shape} needs", where=where, fix=fix)
        if measured in parameters:
            raise InputError("is measured", where=measured, fix="leave it out")
        if parameters.get(needed) is None:
            fix = f"give {needed}: pull-off tests do not measure it"
            raise InputError(f"is missing for {shape}", where=needed, fix=fix)
        if compression != "measured":
            raise InputError(f"does not apply to {shape}", where="compression", fix="give the cap of the model: cap")
        given = ({} if cap is None else {"cap": cap}) | parameters
        made = create(shape, **{measured: self.strength(PULL_OFF, level)}, **given)
        assert isinstance(made, ForceVolume)
        return made

    def _segment(self, axis: Array, level: Level, compression: Compression, normal: bool) -> ForceVolume:
        """From zero to the strength along the axis, and along its opposite if that was tested."""
        check_compression(compression)
        if compression != "measured" and not normal:
            fix = 'leave compression="measured": the tests are not along the normal'
            raise InputError("needs tests along the normal", where="compression", fix=fix)
        ends = [ray for ray in (axis, -axis) if (self.directions @ ray > 0.0).any()]
        corners = [np.zeros(3), *(self.strength(ray, level) * ray for ray in ends)]
        if isinstance(compression, (int, float)):
            corners.append(np.array([0.0, 0.0, float(compression)]))
        points = np.unique(np.array(corners) + 0.0, axis=0)
        if len(points) == 1 and compression != "unlimited":
            fix = "check the measurements: such a contact carries nothing"
            raise InputError("the strength is zero", where=self.source or "measurements", fix=fix)
        return ForceVolume([points], [[[0.0, 0.0, 1.0]] if compression == "unlimited" else None], allow_flat=True)

    # -- tests at several preloads --------------------------------------------------------------

    @property
    def preload_levels(self) -> Array:
        """(m,) preloads that were tested, ascending [N]; nearly equal ones (`SAME_PRELOAD`) are one, their mean."""
        levels, group = self._preload_groups()
        return np.array([self._preloads()[group == number].mean() for number in range(levels)])

    def _preloads(self) -> Array:
        if self.preloads is None:
            fix = "add a column preload [N] to the file, or leave the preload out"
            raise InputError("no preload was recorded", where=self.source or "measurements", fix=fix)
        return self.preloads

    def _preload_groups(self) -> tuple[int, Array]:
        """(how many preloads were tested, (n,) number of each row's preload)."""
        preloads = self._preloads()
        order = np.argsort(preloads, kind="stable")
        group, reach, level, first = (
            np.zeros(len(preloads), np.intp),
            SAME_PRELOAD * preloads.max(initial=0.0),
            -1,
            -np.inf,
        )
        for row in order:
            if preloads[row] > first + reach or level < 0:
                level, first = level + 1, preloads[row]
            group[row] = level
        return level + 1, group

    def _one_preload(self) -> None:
        """An error where the tests were made at several preloads."""
        if self.preloads is not None and len(levels := self.preload_levels) > 1:
            raise InputError(
                f"the tests were made at {len(levels)} preloads, {levels[0]:.4g} to {levels[-1]:.4g} N",
                where=self.source or "measurements",
                fix="choose one: measured.at_preload(5.0), hf.models.preloaded(measured, 5.0), --preload 5, or "
                "preloaded: FILE with preload: 5",
            )

    def at_preload(self, preload: float, *, beyond: Beyond = "error") -> Measurements:
        """The measurements that tests at `preload` [N] would give, by interpolation along each direction of each unit.

        At a preload that was tested they are those tests. Between two of them, p_0 < p < p_1, the limit along
        each direction d is (1 - t) r_0(d) + t r_1(d) with t = (p - p_0)/(p_1 - p_0); repeated trials are interpolated
        quantile by quantile, so that the least, the median and the greatest are interpolated too. No limit
        exceeds the larger one of the two preloads, and it is zero where both are zero; a Minkowski combination of
        the volumes would fill such gaps. It is exact where limits grow linearly with the preload, and
        INNER where they saturate (concave).

        Args:
            preload: pressing force on the contact before it is loaded [N].
            beyond: above the largest preload tested: "error", or "largest" for the limits at that preload. Below the
                smallest nothing is known: always an error.
        """
        if beyond not in get_args(Beyond):
            raise UnknownNameError("choice", str(beyond), get_args(Beyond), where="beyond")
        wanted = checks.number("preload", preload, low=0.0, unit="N")
        levels, (_, group) = self.preload_levels, self._preload_groups()
        slack = tolerances.SOLVER_ROUNDING * levels[-1]
        if beyond == "largest":
            wanted = min(wanted, float(levels[-1]))
        if not levels[0] - slack <= wanted <= levels[-1] + slack:
            above = wanted > levels[-1]
            raise InputError(
                f"is {wanted:g} N, where {levels[0]:.6g} to {levels[-1]:.6g} N were tested",
                where="preload",
                fix='test a larger one, or take the largest that was tested: beyond="largest" (--beyond largest)'
                if above
                else "test a smaller one: nothing is known below the smallest",
            )
        exact = np.flatnonzero(np.abs(levels - wanted) <= slack)
        if len(exact):
            return self._rows(group == exact[0])
        upper = int(np.searchsorted(levels, wanted))
        share = float((wanted - levels[upper - 1]) / (levels[upper] - levels[upper - 1]))
        return self._between(group == upper - 1, group == upper, share, wanted)

    def _between(self, low: Array, high: Array, share: float, preload: float) -> Measurements:
        """The measurements at `share` of the way between the rows of two preloads."""
        rays = direction_groups(self.directions, SAME_DIRECTION)
        keys = list(zip(self.labels, rays.tolist(), strict=True))
        directions, limits, trials, labels = [], [], [], []
        for key in dict.fromkeys(key for key, a, b in zip(keys, low, high, strict=True) if a or b):
            same = np.array([other == key for other in keys], dtype=bool)
            ends = [np.sort(self.limits[same & level]) for level in (low, high)]
            if not all(map(len, ends)):
                assert self.preloads is not None
                x, y, z = self.directions[same][0]
                azimuth, elevation = math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))
                one, none = (low, high) if len(ends[0]) else (high, low)
                unit = f" of {key[0]!r}" if key[0] else ""
                raise InputError(
                    f"azimuth {azimuth:.3g}, elevation {elevation:.3g} deg{unit} was tested at "
                    f"{self.preloads[one].mean():.4g} N of preload and not at {self.preloads[none].mean():.4g} N",
                    where=self.source or "measurements",
                    fix="test the same directions at both preloads",
                )
            count = max(map(len, ends))
            ranks = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])
            least, most = (np.quantile(end, ranks) for end in ends)
            limits.append((1.0 - share) * least + share * most)
            directions.append(np.tile(self.directions[same][0], (count, 1)))
            trials.append(np.arange(1, count + 1))
            labels += [key[0]] * count
        made = np.concatenate(limits)
        return replace(
            self,
            directions=np.concatenate(directions),
            limits=made,
            trials=np.concatenate(trials),
            labels=tuple(labels),
            source=f"{self.source}, interpolated at a preload of {preload:g} N",
            preloads=np.full(len(made), preload),
        )


def has_forces(path: str | Path) -> bool:
    """Whether a CSV file has measured limit forces, by the names in its header; others are contours."""
    try:
        lines = file_bytes(path).decode("utf-8-sig", errors="replace").splitlines()
    except FileError:
        return False
    header = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    words = [word.strip().strip('"').partition("[")[0].strip().lower() for word in re.split("[,;\t]", header)]
    return not {*VECTOR, *POLAR}.isdisjoint(words)


@with_advice()
def read_measurements(path: str | Path, *, along: ArrayLike | None = None) -> Measurements:
    """Read a CSV file of limit forces; every fault raises a MeasurementError with line, column and remedy.

    Args:
        path: the file.
        along: direction (3,) of tests along one axis, in the contact frame, for a file with one column of forces. By
            default they pull straight off, (0, 0, -1); a column fz follows its sign (negative pulls), and one without
            a negative force needs `along`. Forces of such a file must all have the same sign.
    """
    table = _CsvReader(checked_path(path), (VECTOR, POLAR), EXTRA).read()
    column = table.layout[-1]
    if along is not None and len(table.layout) > 1:
        raise InputError("the file contains directions", where="along", fix="leave it out")
    if len(table.layout) == 1:
        directions, limits = _along_axis(table, along)
    elif table.layout == VECTOR:
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
            fix = "a limit force is zero or more; reverse the direction"
            raise table.fault(row, "force", f"is {limits[row]:g} N", fix)
    tiny = (limits > 0.0) & (limits < tolerances.SMALLEST_FORCE)
    if (odd := tiny | (limits > tolerances.LARGEST_FORCE)).any():
        row = int(odd.argmax())
        raise table.fault(row, column, f"is {limits[row]:.3g} N", "check the unit in the header")
    labels = table.words("unit") or table.words("label") or table.words("group") or ("",) * len(limits)
    trials = table.whole_numbers("trial", 1)
    return Measurements(directions, limits, trials, labels, str(path), table.comments, _preloads(table))


def _along_axis(table: CsvTable, along: ArrayLike | None) -> tuple[Array, Array]:
    """(directions (n, 3), limits (n,) [N]) of tests along one axis."""
    (name,) = table.layout
    forces = table.column(name, "force")
    if _rises(table.words("record") or ()):
        fix = "give the largest force of each test, one row per test"
        raise table.fault(0, name, "the rows look like the record of one test, over time or displacement", fix)
    if name == "fz" and along is None:
        if (forces < 0.0).any():
            return np.where(forces > 0.0, 1.0, -1.0)[:, None] * (0.0, 0.0, 1.0), np.abs(forces)
        fix = "give along: (0, 0, -1) if the tests pull, (0, 0, 1) if they press (--along 0,0,-1; along: [0, 0, -1])"
        raise table.fault(0, name, "is never negative, and fz > 0 presses in the contact frame", fix)
    mixed = forces * np.sign(forces[np.abs(forces).argmax()]) < 0.0
    if mixed.any():
        row = int(mixed.argmax())
        fix = "give all tests along one axis the same sign, or use fz: negative pulls, positive presses"
        raise table.fault(row, name, f"is {forces[row]:g} N, of another sign than the largest", fix)
    ray = checks.direction("along", PULL_OFF if along is None else along, 3)
    return np.tile(ray, (len(forces), 1)), np.abs(forces)


def _rises(texts: Sequence[str]) -> bool:
    """Whether these are many numbers that increase from row to row."""
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return False
    return len(values) >= RECORD_ROWS and all(a < b for a, b in itertools.pairwise(values))


def _preloads(table: CsvTable) -> Array | None:
    if "preload" not in table.fields:
        return None
    preloads = table.column("preload", "force")
    if (preloads < 0.0).any():
        row = int(np.argmax(preloads < 0.0))
        raise table.fault(row, "preload", f"is {preloads[row]:g} N", "a preload presses: it is zero or more")
    return preloads


def checked_level(name: str) -> int:
    """Number of a level in `QUANTILES`."""
    levels = get_args(Level)
    if name not in levels:
        raise UnknownNameError("level", str(name), levels, where="level")
    return levels.index(name)


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


@with_advice()
def write_measurements(measurements: Measurements, path: str | Path) -> None:
    """Write measurements as CSV with azimuth, elevation, force, trial and unit; `read_measurements` reads it back.

    Names of units that a spreadsheet would take for formulas begin with an apostrophe, which the reader removes.
    """
    x, y, z = measurements.directions.T
    azimuth = np.degrees(np.arctan2(y, x))
    elevation = np.degrees(np.arctan2(z, np.hypot(x, y)))
    lines = [f"# {line}" for line in measurements.comments]
    preloads = measurements.preloads
    lines.append(f"azimuth [deg],elevation [deg],force [N],trial,unit{'' if preloads is None else ',preload [N]'}")
    rows = zip(azimuth, elevation, measurements.limits, measurements.trials, measurements.labels, strict=True)
    ends = [""] * len(measurements) if preloads is None else [f",{float(preload)!r}" for preload in preloads]
    lines += [
        f"{float(a)!r},{float(e)!r},{float(f)!r},{int(t)},{_quoted(quoted_formula(u))}{end}"
        for (a, e, f, t, u), end in zip(rows, ends, strict=True)
    ]
    write_whole(path, ("\n".join(lines) + "\n").encode())


def _quoted(text: str) -> str:
    plain = not any(c in text for c in ',;\t"\n\r') and text == text.strip() and not text.startswith("#")
    return text if plain else '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
