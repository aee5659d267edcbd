"""Compare designs: the same measures, the same rays and one common length for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...assembly.assembly import Assembly
from ...errors import UnknownNameError
from ...papers.devices import Device
from ...solvers import Exact
from .design import Design, as_designs, common_length
from .measures import HALF_AXES, MEASURES, Measure
from .strength import SIX_DIMENSIONAL, Strength, measure_strength

#: Called as progress(done, total) with the number of rays that were asked.
Progress = Callable[[int, int], None]

#: Rays that fitting the slices and searching extreme directions take for one design, about; for the progress alone.
SEARCHED = 2500

#: How limits that carry proofs, and how rays of slices and searches are solved unless told otherwise.
PROVING, SAMPLING = Exact(time_limit=20.0), Exact(gap=5e-3, time_limit=2.0)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Designs side by side; more is better in every measure.

    Attributes:
        strengths: one for each design, in the order given.
        length: the common characteristic length [m].
        level: fineness of the slices: 10 * 4^level + 2 rays each.
        seed: of the random directions of R^6.
    """

    strengths: tuple[Strength, ...]
    length: float
    level: int
    seed: int

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.names)})"

    def __len__(self) -> int:
        return len(self.strengths)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the designs."""
        return tuple(strength.name for strength in self.strengths)

    def __getitem__(self, name: str) -> Strength:
        """The design called `name`."""
        for strength in self.strengths:
            if strength.name == name:
                return strength
        raise UnknownNameError("design", str(name), self.names, where="comparison")

    def values(self, key: str) -> dict[str, float]:
        """The measure called `key` of every design, in the measure's unit."""
        measure = self.measure(key)
        return {strength.name: strength.value(measure.key) for strength in self.strengths}

    def measure(self, key: str) -> Measure:
        """The measure called `key`."""
        for measure in MEASURES:
            if measure.key == key:
                return measure
        raise UnknownNameError("measure", str(key), [measure.key for measure in MEASURES], where="comparison")

    def ranking(self, key: str) -> tuple[tuple[str, ...], ...]:
        """Designs from the best to the worst by a measure; those that tie, within the solver's gap, stand together."""
        values = self.values(key)
        groups: list[list[str]] = []
        last = np.nan
        for name in sorted(values, key=lambda name: -values[name]):
            if groups and _tie(last, values[name]):
                groups[-1].append(name)
            else:
                groups.append([name])
                last = values[name]
        return tuple(tuple(group) for group in groups)

    def best(self, key: str) -> tuple[str, ...]:
        """The best designs by a measure; () where all are alike, so that nothing stands out."""
        groups = self.ranking(key)
        return groups[0] if len(groups) > 1 else ()

    def rows(self) -> list[dict[str, Any]]:
        """One row a measure: its name, unit, the value of every design, and the best ones."""
        return [
            {"measure": measure.key, "unit": measure.unit, **self.values(measure.key), "best": self.best(measure.key)}
            for measure in MEASURES
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; numbers may be infinite."""
        return {
            "length": self.length,
            "level": self.level,
            "seed": self.seed,
            "measures": [
                {"name": m.key, "unit": m.unit, "meaning": m.meaning, "ranking": [list(g) for g in self.ranking(m.key)]}
                for m in MEASURES
            ],
            "designs": [strength.to_dict() for strength in self.strengths],
        }


def compare(
    designs: Mapping[str, Assembly | Device | Design],
    *,
    point: ArrayLike | None = None,
    length: float | None = None,
    level: int = 3,
    seed: int = 0,
    method: Exact | None = None,
    sampling: Exact | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Designs side by side: extents along the axes, volumes of slices, weakest and strongest directions.

    Wrenches are external, on the object. Forces act through a point of each design and torques are about it: the
    object's centre of mass of a Device, the world origin of an Assembly, the point of a Design.

    Args:
        designs: what is compared, by name; one alone is measured all the same.
        point: (3,) [m] one point for all designs instead of their own.
        length: characteristic length [m] that scales torques into forces; the mean of the assemblies' own by default.
        level: fineness of the slices: 10 * 4^level + 2 rays each, spread evenly over an ellipsoid of its proportions.
        seed: of the random directions of R^6 from which the weakest wrench is looked for.
        method: for the limits that carry proofs: half-axes and extreme directions. By default exact to a millionth, and
            undecided after 20 s each.
        sampling: for the rays of slices and searches, of which some are far harder than others. By default to half a
            per cent, and undecided after 2 s each; the values that were found are held all the same.
        workers: threads; as many as there are cores by default.
        progress: called as progress(done, total) with the number of rays asked.
    """
    known = as_designs(designs, point)
    scale = common_length(known) if length is None else checks.positive("length", length, unit="m")
    depth = checks.count("level", level, low=0)
    draw = checks.count("seed", seed, low=0)
    proving, rough = method or PROVING, sampling or SAMPLING
    each = len(HALF_AXES) + 2 * (10 * 4**depth + 2) + SIX_DIMENSIONAL + SEARCHED
    strengths = []
    for index, (name, design) in enumerate(known.items()):
        report = _counter(index * each, (index + 1) * each, len(known) * each, progress)
        strengths.append(
            measure_strength(
                name,
                design,
                length=scale,
                level=depth,
                seed=draw,
                method=proving,
                sampling=rough,
                workers=workers,
                report=report,
            )
        )
        if progress is not None:
            progress((index + 1) * each, len(known) * each)
    return Comparison(tuple(strengths), scale, depth, draw)


def _counter(start: int, end: int, total: int, progress: Progress | None) -> Callable[[int], None]:
    """Adds up the rays of one design; never past its share of the whole."""
    done = start

    def report(rays: int) -> None:
        nonlocal done
        done = min(end, done + rays)
        if progress is not None:
            progress(done, total)

    return report


def _tie(larger: float, smaller: float) -> bool:
    """Whether two values are the same as far as the solver tells them apart."""
    if np.isinf(larger) or np.isinf(smaller):
        return larger == smaller
    return larger - smaller <= 10.0 * tolerances.GAP * max(abs(larger), abs(smaller))
