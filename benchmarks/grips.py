"""Learning grips of the 48-contact hand: supports, inner and outer sets, and the paper's sampling beside them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, TypeVar

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, clocked, row
from benchmarks.reporting import Report, Target, TextTable, duration, targets_table, times
from holdfast.grips import GripBounds
from holdfast.grips.accuracy import GripAccuracy, grip_accuracy
from holdfast.grips.learning import GreedySampling, PaperSampling, learn_grip
from holdfast.grips.supports import HandSupports
from holdfast.solvers import Exact
from holdfast.wrench_spaces.computation import wrench_supports

T = TypeVar("T")

#: The two arrangements of the hand.
HANDS = ("parallel", "opposed")

#: Supports that the target speaks of, and its seconds on one core; inner and outer samples, and theirs.
SUPPORTS, SUPPORTS_WITHIN = 10_000, 3.0
SAMPLES, SAMPLES_WITHIN = 1_000, 40.0

#: Supports of hulls agree with the whole hand's program to this share; those of unions to the gap of the search.
AGREEMENT = 1e-9

SEED = 2018


@dataclass(frozen=True)
class Size:
    """How much is asked: supports, of which so many are compared; samples of a grip; rays that measure it."""

    supports: int
    compared: int
    samples: int
    rays: int


FULL = Size(SUPPORTS, 100, SAMPLES, 400)
QUICK = Size(300, 4, 20, 20)


@dataclass(frozen=True, eq=False)
class SupportFigures:
    """Supports along random directions.

    Attributes:
        name: hand and volumes.
        count: number of directions.
        wall, cpu: seconds on one core.
        whole: seconds of one support by the program of the whole hand, the mean of those compared.
        disagreement: largest relative difference from it.
    """

    name: str
    count: int
    wall: float
    cpu: float
    whole: float
    disagreement: float

    def cells(self) -> list[str]:
        """As a line of the table."""
        each = self.cpu / self.count
        return [
            self.name,
            f"{self.count:,}",
            duration(self.wall),
            duration(self.cpu),
            duration(each),
            duration(self.whole) if np.isfinite(self.whole) else "-",
            times(self.whole / each) if np.isfinite(self.whole) else "-",
            f"{self.disagreement:.1e}" if np.isfinite(self.disagreement) else "-",
        ]


@dataclass(frozen=True, eq=False)
class GripFigures:
    """One grip learned one way, with wall and CPU seconds, and how near it came to the truth."""

    hand: str
    way: str
    bounds: GripBounds
    accuracy: GripAccuracy
    wall: float
    cpu: float

    def cells(self) -> list[str]:
        """As a line of the table."""
        found = self.accuracy
        return [
            self.hand,
            self.way,
            f"{len(self.bounds.inner.vertices):,} + {len(self.bounds.outer.normals):,}",
            duration(self.wall),
            duration(self.cpu),
            f"{found.inner_volume:.2f}",
            f"{found.outer_volume:.2f}",
            f"{found.inner.mean():.3f} / {found.inner.min():.3f}",
            f"{found.outer.mean():.3f} / {found.outer.max():.3f}",
            f"{found.concavity.share:.3f}",
            f"{found.concavity.shortfall:.1e}",
        ]

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        found = self.accuracy
        return {
            "hand": self.hand,
            "way": self.way,
            "vertices": len(self.bounds.inner.vertices),
            "planes": len(self.bounds.outer.normals),
            "programs": self.bounds.metadata.n,
            "wall_s": self.wall,
            "cpu_s": self.cpu,
            "inner_volume": found.inner_volume,
            "outer_volume": found.outer_volume,
            "inner": found.inner.tolist(),
            "outer": found.outer.tolist(),
            "held_share": found.concavity.share,
            "shortfall": found.concavity.shortfall,
        }


def run(quick: bool) -> Report:
    size = QUICK if quick else FULL
    supports, grips = [], []
    for name in HANDS:
        hand = hf.devices.four_finger_hand(name).assembly()
        unbound = hf.Assembly(hand.contacts)
        supports.append(measured_supports(f"{name}, torque limits, hulls", hand.hulled(), size))
        supports.append(measured_supports(f"{name}, torque limits, unions", hand, size))
        supports.append(measured_supports(f"{name}, no joints", unbound, size, compared=0))
        learn_grip(hand, 2)  # kernels and tables, before the clock runs
        ways = {"greedy": GreedySampling(), "the paper's rays": PaperSampling()}
        for way, method in ways.items():
            grips.append(measured_grip(name, way, hand, size, method=method))
        grips.append(measured_grip(name, "greedy, certified", hand, size, certified=True))
    limited = [s for s in supports if "torque" in s.name]
    slowest = max(limited, key=lambda s: s.cpu)
    longest = max((g for g in grips if g.way == "greedy"), key=lambda g: g.cpu)
    worst = max((s for s in limited if "hulls" in s.name), key=lambda s: s.disagreement)
    found = [
        _seconds(
            f"{SUPPORTS:,} torque-limited supports, CPU", SUPPORTS_WITHIN, nan if quick else slowest.cpu, slowest.name
        ),
        _seconds(
            f"{SAMPLES:,} + {SAMPLES:,} samples, CPU", SAMPLES_WITHIN, nan if quick else longest.cpu, longest.hand
        ),
        Target(
            "support of hulls against the whole hand",
            AGREEMENT,
            nan,
            False,
            worst.disagreement,
            worst.name,
            "{:.1e}".format,
        ),
    ]
    tables = [targets_table(found), _supports_table(supports), _grips_table(grips)]
    data = {
        "size": vars(size),
        "targets": [target.data() for target in found],
        "supports": [vars(figures) for figures in supports],
        "grips": [figures.data() for figures in grips],
    }
    return Report(_rows(supports, grips), tables, data)


def measured_supports(name: str, hand: hf.Assembly, size: Size, *, compared: int | None = None) -> SupportFigures:
    """Supports along random directions, some of them also by the program of the whole hand."""
    directions = np.random.default_rng(SEED).normal(size=(size.supports, 6))
    directions[:, 3:] /= hand.length
    solver = HandSupports.of(hand)
    solver.many(directions[:2])
    found, wall, cpu = _timed(lambda: solver.many(directions))
    some = directions[: size.compared if compared is None else compared]
    if not len(some):
        return SupportFigures(name, len(directions), wall, cpu, nan, nan)
    method = Exact(gap=solver.method.gap)
    wrench_supports(hand, some[:1], method=method)
    truth, seconds = clocked(lambda: wrench_supports(hand, some, method=method).values)
    off = float(np.abs(found.values[: len(some)] / truth - 1.0).max())
    return SupportFigures(name, len(directions), wall, cpu, seconds / len(some), off)


def measured_grip(name: str, way: str, hand: hf.Assembly, size: Size, **options: Any) -> GripFigures:
    """A grip learned, and measured against the hand along fresh rays."""
    bounds, wall, cpu = _timed(lambda: learn_grip(hand, size.samples, SEED, **options))
    return GripFigures(name, way, bounds, grip_accuracy(bounds, hand, rays=size.rays), wall, cpu)


def _timed(call: Callable[[], T]) -> tuple[T, float, float]:
    """(result, wall seconds, CPU seconds)."""
    cpu = time.process_time()
    result, wall = clocked(call)
    return result, wall, time.process_time() - cpu


def _seconds(what: str, target: float, measured: float, where: str) -> Target:
    return Target(what, target, nan, False, measured, where, duration)


def _supports_table(found: list[SupportFigures]) -> TextTable:
    header = ("hand", "supports", "wall", "CPU", "each", "whole hand, each", "over ours", "disagreement")
    note = (
        "`HandSupports` on one core: one small program a finger, exact over unions, with forces and pieces. "
        "Whole hand: `wrench_supports` with the same gap on some of the same directions."
    )
    return TextTable("Supports of the 48-contact hand", header, [figures.cells() for figures in found], note)


def _grips_table(found: list[GripFigures]) -> TextTable:
    header = (
        "hand", "way", "vertices + planes", "wall", "CPU", "inner volume", "outer volume", "inner reach: mean / least",
        "outer reach: mean / most", "border held", "shortfall",
    )  # fmt: skip
    note = (
        "`learn_grip` on one core; volumes in six dimensions and reaches as shares of the truth along fresh rays from "
        "the middle of the inner set (Monte-Carlo). Border held: share of the points where the rays leave the inner "
        "hull that the union holds; shortfall: the largest share of such a point that must be given up to be held. "
        "'certified': one piece per contact, so that all of the inner set is held."
    )
    return TextTable("Grips of the 48-contact hand", header, [figures.cells() for figures in found], note)


def _rows(supports: list[SupportFigures], grips: list[GripFigures]) -> list[Row]:
    """What two saved runs are compared by."""
    found = [row(f"{s.name}: a support", [1e6 * s.cpu / s.count], "us", f"{s.count} supports") for s in supports]
    for g in grips:
        name = f"{g.hand}, {g.way}, {len(g.bounds.inner.vertices)} vertices"
        found.append(row(f"{name}: CPU", [g.cpu]))
        found.append(row(f"{name}: inner volume", [g.accuracy.inner_volume], "1"))
        found.append(row(f"{name}: outer volume", [g.accuracy.outer_volume], "1"))
    return found
