"""Strength: what one design can bear, measured on the scale that all designs of a comparison share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...checks import Array
from ...solvers import Exact, Status
from ...statics.equilibrium import LoadLimit
from ...statics.solver import Answers, Solver
from ..space import WrenchSpace
from ..subspace import Subspace
from ..volumes import VolumeBounds, volume_bounds
from .design import Design
from .extremes import NOTHING, Extreme, search
from .fitting import Fitted, fitted_space
from .measures import HALF_AXES, MEASURES, SLICES

#: Random directions of R^6, besides the rays of both slices, from which the weakest wrench is looked for.
SIX_DIMENSIONAL = 400

#: What a stage reports: how many rays it has asked.
Report = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Strength:
    """What one design can bear.

    Attributes:
        name: of the design.
        design: what was measured.
        length: characteristic length [m] that scales torques, the same for all designs of a comparison.
        limits: the load limits along the twelve half-axes, each with its proof. They are of `design.centred`, so that
            wrenches are about the design's point.
        spaces: the slices of `design.centred` along rays that fit them, by the key of their volume.
        extremes: the weakest and strongest directions, by key.
    """

    name: str
    design: Design
    length: float
    limits: Mapping[str, LoadLimit]
    spaces: Mapping[str, WrenchSpace]
    extremes: Mapping[str, Extreme]

    def __repr__(self) -> str:
        return f"Strength({self.name!r}, weakest force {self.value('weakest force'):.4g} N)"

    def value(self, key: str) -> float:
        """The measure called `key` in its unit: inf where there is no limit, -inf where nothing holds."""
        if key in self.limits:
            return self.limits[key].value
        if key in self.extremes:
            return self.extremes[key].value
        return self.volumes[key]

    def upper_bound(self, key: str) -> float:
        """What is proven not to be surpassed: along the half-axis or extreme direction, or by the slice's volume.

        A volume is bounded by the outer planes of all rays.
        """
        if key in self.proofs:
            return self.proofs[key].upper_bound
        return self._volume_bounds[key].outer

    @cached_property
    def volumes(self) -> dict[str, float]:
        """Volume of each slice [N^3], [N^2 N m]; inf where it is not bounded."""
        return {key: bounds.surface for key, bounds in self._volume_bounds.items()}

    @cached_property
    def _volume_bounds(self) -> dict[str, VolumeBounds]:
        return {key: volume_bounds(space) for key, space in self.spaces.items()}

    @property
    def undecided(self) -> int:
        """How many rays of the slices, half-axes and extreme directions ended without a verdict."""
        rays = sum(int((space.status == Status.UNDECIDED).sum()) for space in self.spaces.values())
        return rays + sum(limit.status is Status.UNDECIDED for limit in self.proofs.values())

    @property
    def proofs(self) -> dict[str, LoadLimit]:
        """The load limits that carry a proof, by key: half-axes and extreme directions."""
        return {**self.limits, **{key: extreme.limit for key, extreme in self.extremes.items()}}

    @cached_property
    def proven(self) -> int:
        """How many of `proofs` stand when they are checked without the solver."""
        return sum(limit.verify() for limit in self.proofs.values())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; numbers may be infinite."""
        return {
            "name": self.name,
            "contacts": len(self.design.assembly),
            "joints": self.design.joints,
            "point": self.design.point.tolist(),
            "measures": {
                measure.key: {"value": self.value(measure.key), "upper_bound": self.upper_bound(measure.key)}
                for measure in MEASURES
            },
            "directions": {key: extreme.direction.tolist() for key, extreme in self.extremes.items()},
            "undecided": self.undecided,
            "proofs": len(self.proofs),
            "proofs_verified": self.proven,
        }


def measure_strength(
    name: str,
    design: Design,
    *,
    length: float,
    level: int,
    seed: int,
    method: Exact,
    sampling: Exact,
    workers: int | None,
    report: Report,
) -> Strength:
    """The strength of one design: half-axes, two slices along rays that fit them, and the extreme directions."""
    solver = Solver(design.centred, method)
    limits = {key: solver.load_limit(direction) for key, direction in HALF_AXES.items()}
    report(len(limits))
    slices: dict[str, Fitted] = {}
    for key, words in SLICES.items():
        subspace = Subspace.named(words, length=length)
        slices[key] = fitted_space(design.centred, subspace, level, method=sampling, workers=workers)
        report(len(slices[key].space) + sum(map(len, slices[key].pilots)))
    rough = Solver(design.centred, sampling)
    extremes = _extremes(solver, rough, limits, slices, length=length, seed=seed, workers=workers, report=report)
    spaces = {key: fitted.space for key, fitted in slices.items()}
    return Strength(name, design, length, limits, spaces, extremes)


def _extremes(
    solver: Solver,
    rough: Solver,
    limits: Mapping[str, LoadLimit],
    slices: Mapping[str, Fitted],
    *,
    length: float,
    seed: int,
    workers: int | None,
    report: Report,
) -> dict[str, Extreme]:
    """Weakest and strongest force, weakest wrench; each search starts from rays that were asked before.

    The searches ask `rough`; the limit along the direction that they end in is `solver`'s.
    """
    scales = np.array([1.0, 1.0, 1.0, length, length, length])
    basis = np.diag(scales)  # (6, 6): the wrench of each unit coordinate

    def asker(rows: Array) -> Callable[[Array], Answers]:
        return lambda units: rough.load_limit_many(units @ rows, threads=workers)

    axes, along = _axes(limits, scales)

    def ended(unit: Array, asked: int, *, largest: bool = False) -> Extreme:
        """The limit along `unit`, or along an axis of the same space where that is more extreme."""
        full = np.concatenate([unit, np.zeros(6 - len(unit))])
        best, sign = solver.load_limit(full @ basis), -1.0 if largest else 1.0
        cost = np.where(axes[:, len(unit) :].any(axis=1), np.inf, sign * along)
        nearest = int(np.argmin(cost))
        if cost[nearest] < sign * best.value:
            full, best = axes[nearest], solver.load_limit(axes[nearest] @ basis)
        report(asked)
        return Extreme(full * scales, best, asked)

    units, values = _known(slices["force volume"], scales)
    found: dict[str, Extreme] = {}
    for key, largest in (("weakest force", False), ("strongest force", True)):
        unit, asked = search(asker(basis[:3]), basis[:3], units[:, :3], values, largest=largest)
        found[key] = ended(unit, asked + len(units), largest=largest)
    parts = [*(_known(fitted, scales) for fitted in slices.values()), (axes, along)]
    weakest = found["weakest force"]  # no wrench space is stronger than its slice of forces
    parts.append(((weakest.direction / scales)[None], np.array([weakest.value])))
    known, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if values.min() > NOTHING * values[np.isfinite(values)].max(initial=0.0):
        drawn = np.random.default_rng(seed).normal(size=(SIX_DIMENSIONAL, 6))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        known, values = np.concatenate([known, drawn]), np.concatenate([values, asker(basis)(drawn).values])
    unit, asked = search(asker(basis), basis, known, values, largest=False)
    found["weakest wrench"] = ended(unit, asked + len(known))
    return found


def _axes(limits: Mapping[str, LoadLimit], scales: Array) -> tuple[Array, Array]:
    """Unit coordinates (12, 6) of both ways along each axis, and the limits (12,) along them [N]."""
    axes = np.array(list(HALF_AXES.values()))
    return axes, np.array([limit.value for limit in limits.values()]) / np.abs(axes @ scales)


def _known(fitted: Fitted, scales: Array) -> tuple[Array, Array]:
    """Unit coordinates (n, 6) of all rays of a slice, and the limits (n,) along them [N]."""
    spaces = (*fitted.pilots, fitted.space)
    rows = np.concatenate([space.directions for space in spaces]) / scales
    lengths = np.linalg.norm(rows, axis=1)
    return rows / lengths[:, None], np.concatenate([space.values for space in spaces]) * lengths
