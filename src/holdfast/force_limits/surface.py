"""LimitSurface: the largest force a contact carries in every direction (III.A), as a star-shaped polyhedron.

Forces are in the contact frame (u, v, n) and act on the object: f_z > 0 presses, f_z < 0 pulls.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FileError, GeometryError, HoldfastError, InputError
from ..geometry.directions import Indices, SphereMesh, delaunay, settle_ties, unit
from ..inputs import parsed_json, write_whole
from ..public_names import with_advice
from .samples import (
    MAX_GAP,
    NO_PRESSING,
    QUANTILES,
    RESOLUTION,
    SAME_DIRECTION,
    Compression,
    Fill,
    Outlier,
    Quantiles,
    SamplingOptions,
    Smooth,
    Smoothing,
    add_compression,
    check_options,
    choose_smoothing,
    closed_triangles,
    direction_grid,
    frozen,
    limit_values,
    merge_trials,
    missing_directions,
    neighbour_outliers,
    refuse_rows,
    smoothed,
    trial_outliers,
    unit_rows,
)

#: Name, version, units and frame of the files that `LimitSurface.save` writes.
SURFACE_FORMAT = "holdfast limit surface"
SURFACE_VERSION = 1
UNITS = {"limits": "N", "directions": "1"}
FRAME = "contact frame (u, v, n): x best shear direction, y lateral, z into the object; forces act on the object"

#: The data of a surface; limits may be infinite.
LIMITS = ("radii", "lower", "upper")
ARRAYS = ("directions", *LIMITS, "measured", "trials", "triangles")
FIELDS = (*ARRAYS, "outliers", "source")

#: Fields that files of earlier releases do not have.
LATER_FIELDS = ("smoothing", "missing")


@with_advice(forces="use holdfast.LimitSurface.from_samples(forces)")
class LimitSurface:
    """f_max(d) for every direction d, exact at its samples and flat between them; immutable.

    Sample directions are triangulated on the sphere, and inside the cone of a triangle 1 / f_max is
    linear: the surface is the flat triangle through the three limit forces. The set below it is the
    admissible force volume {f : |f| <= f_max(f / |f|)}, star-shaped about the zero force and in general
    not convex. A sample with limit zero makes f_max zero inside its triangles; a sample with an
    infinite limit makes them unbounded prisms or cones.

    Attributes:
        directions: (n, 3) unit sample directions.
        radii: (n,) nominal limit forces [N]; may be inf.
        triangles: (t, 3) corners of the triangulation, counter-clockwise from outside.
        measured: (n,) False where the limit was assumed, not measured.
        lower, upper: (n,) band of the limits from repeated trials [N]; equal to `radii` without repeats.
        trials: (n,) measurements merged into each sample (0 where assumed).
        outliers: samples that do not fit, reported and kept.
        source: where the surface comes from, in words.
        smoothing: how the measured limits were smoothed, and how that was chosen; None if they were not.
        missing: directions without any measurement, one sentence each; what to do about it is in `notes`.
    """

    def __init__(
        self,
        directions: ArrayLike,
        radii: ArrayLike,
        *,
        triangles: ArrayLike | None = None,
        measured: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        trials: ArrayLike | None = None,
        outliers: Sequence[Outlier] = (),
        source: str = "",
        smoothing: Smoothing | None = None,
        missing: Sequence[str] = (),
    ) -> None:
        given = unit_rows("directions", directions, at_least=4)
        count = len(given)
        self.directions = frozen(given)
        nominal = limit_values("radii", radii, count)
        rounding = tolerances.ROUNDING * float(nominal[np.isfinite(nominal)].max())

        def without_rounding(values: Array) -> Array:
            return frozen(np.where(values <= rounding, 0.0, values))

        self.radii = without_rounding(nominal)
        self.lower = self.radii if lower is None else without_rounding(limit_values("lower", lower, count))
        self.upper = self.radii if upper is None else without_rounding(limit_values("upper", upper, count))
        self.measured = frozen(np.ones(count, bool) if measured is None else np.asarray(measured, dtype=bool))
        self.trials = frozen(self.measured.astype(np.intp) if trials is None else np.asarray(trials, dtype=np.intp))
        if self.measured.shape != (count,) or self.trials.shape != (count,):
            raise InputError(
                "has another length than directions", where="measured, trials", fix=f"give {count} entries"
            )
        outside = (self.lower > self.radii) | (self.radii > self.upper)
        refuse_rows("radii", outside, "the nominal limit is outside its band", "give lower <= radii <= upper")
        self.outliers = tuple(outliers)
        self.source = source
        self.smoothing = smoothing
        self.missing = tuple(missing)
        self.triangles = frozen(self._triangulated() if triangles is None else closed_triangles(triangles, count))

    def __repr__(self) -> str:
        assumed = int((~self.measured).sum())
        extra = f", {assumed} assumed" if assumed else ""
        missing = "".join(f"; {sentence}" for sentence in self.missing)
        return f"LimitSurface({len(self.radii)} directions{extra}, up to {self.size:.4g} N{missing})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for users of the surface: directions without data and the limits assumed there, and smoothing."""
        sideways = {"+x": (1.0, 0.0, 0.0), "-x": (-1.0, 0.0, 0.0), "+y": (0.0, 1.0, 0.0), "-y": (0.0, -1.0, 0.0)}
        found: list[str] = []
        for sentence in self.missing:
            if sentence == NO_PRESSING:
                none = [name for name, d in sideways.items() if self.radial(d) == 0.0]
                shear = f", and so does pure shear along {', '.join(none)}" if none else ""
                held = "0 N" if self.radial((0.0, 0.0, 1.0)) == 0.0 else "the limits of its neighbours"
                found.append(
                    f"{sentence}: pressing counts as {held}{shear}, in outer volumes too; "
                    'compression="unlimited" (--compression unlimited) continues the shear limits upwards'
                )
            else:
                found.append(
                    f"{sentence}: such forces count as not held, in outer volumes too; "
                    'measure there, or fill="least" (--fill least) takes the smallest limit around'
                )
        return (*found, *([] if self.smoothing is None else [str(self.smoothing)]))

    def _triangulated(self) -> Indices:
        return settle_ties(self.directions, self.gauges, delaunay(self.directions))

    # -- making one -----------------------------------------------------------------------------

    @classmethod
    def from_samples(
        cls,
        forces: ArrayLike,
        *,
        directions: ArrayLike | None = None,
        source: str = "",
        **options: Unpack[SamplingOptions],
    ) -> LimitSurface:
        """The surface through measured limit forces (n, 3) [N] in the contact frame.

        Args:
            forces: (n, 3) the force at which the contact failed, one row per measurement.
            directions: (n, 3) the direction of each measurement, needed where a limit is zero.
            source: where the measurements come from, in words.
            compression: limits of pressing directions that were not measured: "measured" treats them like any other
                gap; "unlimited" and a cap [N] continue the shear limits upwards (see `samples.add_compression`).
            max_gap: a cap of the sphere without samples wider than this angular radius [rad] is a gap.
            fill: limit in a gap: "zero", or "least" for the smallest limit at its rim.
            merge_angle: measurements whose directions agree within this angle [rad] are repeated trials.
            quantiles: of repeated trials, for the lower band, the nominal limit and the upper band.
            smoothing: relative standard deviation of one trial, which the nominal limits are smoothed for; "auto"
                takes it from repeated trials where there are enough of them, None or 0 switches it off. A limit stays
                within the range of its trials; `smoothing` of the surface states what was done, and why.
        """
        f = checks.array("forces", forces, ("n", 3))
        magnitudes = np.linalg.norm(f, axis=1)
        if directions is None:
            fix = "pass directions= for limits of zero"
            refuse_rows("forces", magnitudes == 0.0, "is zero and has no direction", fix)
            rays = unit(f)
        else:
            rays = unit_rows("directions", directions, length=len(f))
            along = np.einsum("ij,ij->i", f, rays)
            aside = np.linalg.norm(f - along[:, None] * rays, axis=1)
            off = (along < 0.0) | (aside > math.sin(options.get("merge_angle", SAME_DIRECTION)) * magnitudes)
            refuse_rows("forces", off, "does not point along its direction", "give the direction it was pulled in")
        return cls.from_limits(rays, magnitudes, source=source, **options)

    @classmethod
    def from_limits(
        cls,
        directions: ArrayLike,
        limits: ArrayLike,
        *,
        compression: Compression = "measured",
        max_gap: float = MAX_GAP,
        fill: Fill = "zero",
        merge_angle: float = SAME_DIRECTION,
        quantiles: Quantiles = QUANTILES,
        smoothing: Smooth = "auto",
        source: str = "",
    ) -> LimitSurface:
        """The surface through limits (n,) [N] measured along directions (n, 3); arguments as in `from_samples`."""
        rays = unit_rows("directions", directions, at_least=4)
        values = limit_values("limits", limits, len(rays))
        check_options(compression, max_gap, fill, merge_angle, quantiles, smoothing)
        raw = merge_trials(rays, values, merge_angle=merge_angle, quantiles=quantiles)
        count = len(raw.nominal)
        if count < 4:
            raise GeometryError(
                f"there are only {count} different directions",
                where="directions",
                fix="measure at least four, all around",
            )
        outliers = trial_outliers(raw, rays, values)
        bands, done = smoothed(raw, choose_smoothing(raw, smoothing), max_gap)
        all_directions, nominal, triangles = add_compression(
            bands.directions, bands.nominal, compression=compression, max_gap=max_gap, fill=fill
        )
        extra = len(nominal) - count
        surface = cls(
            all_directions,
            nominal,
            triangles=triangles,
            measured=np.append(np.ones(count, bool), np.zeros(extra, bool)),
            lower=np.append(bands.lower, nominal[count:]),
            upper=np.append(bands.upper, nominal[count:]),
            trials=np.append(bands.trials, np.zeros(extra, np.intp)),
            source=source,
            smoothing=done,
            missing=missing_directions(all_directions[count:], bands.directions, compression),
        )
        found = np.append(raw.nominal, nominal[count:])
        outliers += neighbour_outliers(surface.directions, found, surface.mesh.edges, surface.measured, raw.scatter)
        return surface._with(outliers=outliers)

    @classmethod
    def from_function(
        cls,
        function: Callable[[Array], ArrayLike],
        *,
        resolution: float = RESOLUTION,
        directions: ArrayLike | None = None,
        source: str = "",
    ) -> LimitSurface:
        """The surface of a model: `function` maps unit directions (n, 3) to limit force magnitudes (n,) [N].

        It is sampled on rings `resolution` [rad] apart, which include the poles and the whole tangent plane
        (d_z = 0), or on the `directions` (n, 3) given. The result is exact there and flat between.
        """
        rays = direction_grid(resolution) if directions is None else unit_rows("directions", directions, at_least=4)
        return cls(rays, function(rays.copy()), measured=np.zeros(len(rays), bool), source=source)

    def _with(self, **changes) -> LimitSurface:
        return LimitSurface(**({name: getattr(self, name) for name in (*FIELDS, *LATER_FIELDS)} | changes))

    # -- geometry -------------------------------------------------------------------------------

    @cached_property
    def gauges(self) -> Array:
        """(n,) 1 / radii [1/N]: inf where the limit is zero, 0 where there is none."""
        with np.errstate(divide="ignore"):
            return frozen(1.0 / self.radii)

    @cached_property
    def mesh(self) -> SphereMesh:
        """The triangulated sphere of sample directions."""
        return SphereMesh(self.directions, self.triangles)

    @cached_property
    def size(self) -> float:
        """Largest finite limit force [N]; what tolerances are relative to."""
        return float(self.radii[np.isfinite(self.radii)].max(initial=0.0))

    @property
    def is_bounded(self) -> bool:
        """Whether every direction has a limit."""
        return bool(np.isfinite(self.radii).all())

    @property
    def unlimited_compression(self) -> bool:
        """Whether pressing straight (+n) has no limit; the pieces of a decomposition then carry the ray (0, 0, 1)."""
        return bool(np.isinf(self.radial(np.array([0.0, 0.0, 1.0]))))

    @cached_property
    def vertices(self) -> Array:
        """(n, 3) limit forces [N]; rows of an infinite limit are infinite along their direction."""
        with np.errstate(invalid="ignore"):
            return frozen(np.where(self.directions == 0.0, 0.0, self.directions * self.radii[:, None]))

    def gauge(self, forces: ArrayLike) -> Array:
        """Share of the limit that forces (..., 3) [N] use: <= 1 inside, inf where the limit is zero; homogeneous."""
        f = np.asarray(forces, dtype=np.float64)
        if f.ndim == 0 or f.shape[-1] != 3 or not np.isfinite(f).all():
            raise InputError("is not an array of finite 3-vectors", where="forces", fix="the last axis has length 3")
        flat = f.reshape(-1, 3)
        result = np.zeros(len(flat))
        some = np.abs(flat).max(axis=1, initial=0.0) > 0.0
        found, weights = self.mesh.locate(flat[some])
        corners = self.gauges[self.triangles[found]]
        with np.errstate(invalid="ignore"):
            result[some] = np.where(weights > 0.0, weights * corners, 0.0).sum(axis=1)
        return result.reshape(f.shape[:-1])

    def radial(self, directions: ArrayLike) -> Array:
        """Largest t >= 0 with t d admissible, for directions (..., 3): the limit force [N] for unit d."""
        d = np.asarray(directions, dtype=np.float64)
        if d.ndim and d.shape[-1] == 3 and (np.abs(d).max(axis=-1) == 0.0).any():
            raise InputError("a zero vector has no direction", where="directions", fix="give non-zero directions")
        with np.errstate(divide="ignore"):
            return 1.0 / self.gauge(d)

    def contains(self, forces: ArrayLike, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether forces (..., 3) are admissible: outside by no more than `tolerance` times the surface's size."""
        f = np.asarray(forces, dtype=np.float64)
        use = self.gauge(f)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = np.where(np.isinf(use), 1.0, 1.0 - 1.0 / use) * np.linalg.norm(f, axis=-1)
        return (use <= 1.0) | (beyond <= tolerance * self.size)

    def scaled(self, factor: float) -> LimitSurface:
        """Every limit multiplied by `factor` > 0: a stronger unit, or its share of a patch."""
        s = checks.positive("factor", factor)
        outliers = [replace(o, limit=o.limit * s, expected=o.expected * s) for o in self.outliers]
        return self._with(radii=self.radii * s, lower=self.lower * s, upper=self.upper * s, outliers=outliers)

    @cached_property
    def inner(self) -> LimitSurface:
        """The surface through the lower band: what every trial (or the chosen quantile) carried."""
        return self._with(radii=self.lower, upper=self.lower)

    @cached_property
    def outer(self) -> LimitSurface:
        """The surface through the upper band: what some trial (or the chosen quantile) carried."""
        return self._with(radii=self.upper, lower=self.upper)

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the surface to a JSON file with format version, units and source; an infinite limit is null."""
        data: dict[str, Any] = {"format": SURFACE_FORMAT, "version": SURFACE_VERSION, "units": UNITS, "frame": FRAME}
        data |= {"source": self.source, "outliers": [asdict(outlier) for outlier in self.outliers]}
        data |= {"missing": self.missing, "smoothing": None if self.smoothing is None else asdict(self.smoothing)}
        data |= {name: getattr(self, name).tolist() for name in ARRAYS}
        data |= {name: [v if math.isfinite(v) else None for v in data[name]] for name in LIMITS}
        write_whole(path, (json.dumps(data, allow_nan=False) + "\n").encode())

    @staticmethod
    def load(path: str | Path) -> LimitSurface:
        """Read a surface that `save` wrote; any other or damaged file raises FileError."""
        data = read_json(path, SURFACE_FORMAT, SURFACE_VERSION, fix="give a file that LimitSurface.save wrote")
        if data.get("units") != UNITS:
            raise FileError(f"has units {data.get('units')!r}", path=path, field="units", fix=f"units must be {UNITS}")
        again = "write the file again with LimitSurface.save"
        missing = [name for name in FIELDS if name not in data]
        if missing:
            raise FileError("is missing", path=path, field=missing[0], fix=again)
        try:
            given: dict[str, Any] = {name: data[name] for name in FIELDS}
            given |= {name: [math.inf if v is None else float(v) for v in data[name]] for name in LIMITS}
            given["triangles"] = np.asarray(data["triangles"], dtype=np.intp)
            given["outliers"] = [Outlier(**(o | {"direction": tuple(o["direction"])})) for o in data["outliers"]]
            given["source"] = str(data["source"])
            given["missing"] = [str(sentence) for sentence in data.get("missing", ())]
            done = data.get("smoothing")
            if done is not None:
                share, change = float(done["share"]), float(done["largest_change"])
                given["smoothing"] = Smoothing(share, str(done["source"]), change)
            return LimitSurface(**given)
        except HoldfastError as error:
            raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise FileError(f"is damaged: {error}", path=path, fix=again) from None


def read_json(path: str | Path, kind: str, version: int, *, fix: str) -> dict[str, Any]:
    """The object in a JSON file of this format and version; any other or damaged file raises FileError."""
    data = parsed_json(path, fix=fix)
    if not isinstance(data, dict) or data.get("format") != kind:
        raise FileError(f"is not a {kind.removeprefix('holdfast ')}", path=path, fix=fix)
    if data.get("version") != version:
        what = f"has version {data.get('version')!r}"
        raise FileError(what, path=path, field="version", fix=f"this release reads version {version}")
    return data
