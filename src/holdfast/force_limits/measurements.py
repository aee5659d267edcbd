"""Measured limit forces in CSV files: named columns with units, repeated trials, comments.

A file has either the columns fx, fy, fz (the limit force itself) or azimuth, elevation, force (its
direction and its size, which also works for a limit of zero), and optionally trial, unit and label.
Units stand in the header: `fx [N]`, `fx (N)` or `fx_N`; without one, N and deg are taken. Lines that begin
with # and blank lines are skipped; the delimiter is a comma, a semicolon or a tab.

Contact frame: x is the best shear direction, z points into the object. The azimuth is measured from x
towards y, the elevation from the surface towards z: negative elevations pull.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FileError, InputError
from .csv_table import Table, read_table
from .gaps import Compression, Fill
from .surface import MAX_GAP, SAME_DIRECTION, LimitSurface

VECTOR = ("fx", "fy", "fz")
POLAR = ("azimuth", "elevation", "force")
EXTRA = ("trial", "unit", "label")


@dataclass(frozen=True, eq=False, repr=False)
class Measurements:
    """Limit forces along directions in the contact frame, one row a measurement.

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
        if len(lengths) and np.abs(lengths - 1.0).max() > tolerances.ORTHONORMAL:
            row = int(np.abs(lengths - 1.0).argmax())
            raise InputError(f"has length {lengths[row]:.6g}", where=f"directions[{row}]", fix="give unit directions")
        limits = checks.array("limits", self.limits, ("n",))
        if (limits < 0.0).any():
            row = int(np.argmax(limits < 0.0))
            raise InputError(f"is {limits[row]:g} N", where=f"limits[{row}]", fix="a limit force is zero or more")
        trials = np.array(self.trials, dtype=np.intp)
        trials.setflags(write=False)
        for name, entries in (("limits", limits), ("trials", trials), ("labels", self.labels)):
            if len(entries) != len(rays):
                raise InputError(f"has {len(entries)} entries", where=name, fix=f"give {len(rays)}, one a direction")
        for name, value in (
            ("directions", rays),
            ("limits", limits),
            ("trials", trials),
            ("labels", tuple(self.labels)),
        ):
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
        if (limits == 0.0).any():
            row = int(np.argmin(limits))
            raise InputError(
                "is zero and has no direction", where=f"forces[{row}]", fix="give direction and limit apart"
            )
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
        labels = tuple(label for label in self.labels if label == name)
        return Measurements(
            self.directions[keep], self.limits[keep], self.trials[keep], labels, self.source, self.comments
        )

    def surface(
        self,
        *,
        compression: Compression = "measured",
        max_gap: float = MAX_GAP,
        fill: Fill = "zero",
        merge_angle: float = SAME_DIRECTION,
        quantiles: tuple[float, float, float] = (0.0, 0.5, 1.0),
    ) -> LimitSurface:
        """The limit surface through these measurements; arguments as in `LimitSurface.from_samples`."""
        return LimitSurface.from_limits(
            self.directions,
            self.limits,
            compression=compression,
            max_gap=max_gap,
            fill=fill,
            merge_angle=merge_angle,
            quantiles=quantiles,
            source=self.source,
        )


def read_measurements(path: str | Path) -> Measurements:
    """Read a CSV file of limit forces; every fault is a MeasurementError with line, column and remedy."""
    table = read_table(path, (VECTOR, POLAR), EXTRA)
    if table.layout == VECTOR:
        forces = np.column_stack([table.column(name, "force") for name in VECTOR])
        limits = _lengths(forces)
        if (zero := limits == 0.0).any():
            raise table.fault(
                int(zero.argmax()),
                "fx",
                "the limit force is zero and has no direction",
                "use azimuth, elevation, force",
            )
        directions = forces / limits[:, None]
    else:
        directions = _directions(table)
        limits = table.column("force", "force")
        if (limits < 0.0).any():
            row = int(np.argmax(limits < 0.0))
            raise table.fault(
                row, "force", f"is {limits[row]:g} N", "a limit force is zero or more; turn the direction"
            )
    if (large := limits > tolerances.LARGEST_FORCE).any():
        row = int(large.argmax())
        raise table.fault(row, table.layout[-1], f"is {limits[row]:.3g} N", "check the unit in the header")
    tiny = (limits > 0.0) & (limits < tolerances.SMALLEST_FORCE)
    if tiny.any():
        row = int(tiny.argmax())
        raise table.fault(row, table.layout[-1], f"is {limits[row]:.3g} N", "check the unit in the header")
    labels = table.words("unit") or table.words("label") or ("",) * len(limits)
    return Measurements(directions, limits, table.whole_numbers("trial", 1), labels, str(path), table.comments)


def _lengths(forces: Array) -> Array:
    """Lengths that neither overflow nor underflow."""
    largest = np.abs(forces).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    with np.errstate(over="ignore"):
        return np.linalg.norm(forces / scale[:, None], axis=1) * largest


def _directions(table: Table) -> Array:
    azimuth = table.column("azimuth", "angle")
    elevation = table.column("elevation", "angle")
    beyond = np.abs(elevation) > 0.5 * np.pi + 1e-9
    if beyond.any():
        row = int(beyond.argmax())
        raise table.fault(
            row, "elevation", f"is {np.degrees(elevation[row]):g} deg", "the elevation is between -90 and 90 deg"
        )
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
    try:
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"cannot be written: {error.strerror or error}", path=path, fix="check folder and rights"
        ) from None


def _quoted(text: str) -> str:
    plain = not any(c in text for c in ',;\t"\n\r') and text == text.strip() and not text.startswith("#")
    return text if plain else '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
