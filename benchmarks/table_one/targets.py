"""What is to be reached, and whether it is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.reporting import TextTable, duration, times
from benchmarks.table_one.figures import RowFigures
from holdfast.papers.table_one import ratio

#: The paper's algorithm as its authors ran it, and the strongest mixed-integer formulation.
PAPER, MILP = "Paper, CVXOPT", "HullMilp, HiGHS"

#: Contacts of the rows that batches are judged on, and the number of queries their target speaks of.
BATCH_CONTACTS, BATCH = 48, 10_000

FIRST_USE = """
import time
import holdfast as hf
from holdfast import devices
device = devices.two_opposed_units()
assembly, wrench = device.assembly(), device.weight((0, 0, -9.81))
start = time.perf_counter()
hf.equilibrium(assembly, wrench)
hf.load_limit(assembly, wrench)
print(time.perf_counter() - start)
"""


@dataclass(frozen=True)
class Target:
    """One line of the targets.

    Attributes:
        what: the quantity.
        target, stretch: its limits; nan for none.
        at_least: whether it is to be at least, not at most, that much.
        measured: the worst over all rows, nan where nothing was measured.
        where: the row it was found on.
        shown: how a value is written.
    """

    what: str
    target: float
    stretch: float
    at_least: bool
    measured: float
    where: str
    shown: Callable[[float], str]

    def verdict(self, limit: float) -> str:
        """Whether `limit` is kept."""
        if np.isnan(limit):
            return "-"
        if np.isnan(self.measured):
            return "not measured"
        return "met" if (self.measured >= limit if self.at_least else self.measured <= limit) else "NOT MET"

    def cells(self) -> list[str]:
        """As a line of the table."""
        sign = ">= " if self.at_least else "<= "
        limits = [("-" if np.isnan(x) else sign + self.shown(x)) for x in (self.target, self.stretch)]
        measured = "-" if np.isnan(self.measured) else f"{self.shown(self.measured)} ({self.where})"
        return [self.what, limits[0], measured, self.verdict(self.target), limits[1], self.verdict(self.stretch)]

    def data(self) -> dict[str, Any]:
        """As JSON values; None where nothing was measured."""
        measured = None if np.isnan(self.measured) else self.measured
        met = self.verdict(self.target)
        return {"what": self.what, "target": self.target, "measured": measured, "where": self.where, "verdict": met}


def targets(rows: Sequence[RowFigures], growth: float, first_use: tuple[float, float]) -> list[Target]:
    """Every target, judged on the worst row."""
    nan = float("nan")

    def most(what: str, limit: float, of_row: Callable[[RowFigures], float], stretch: float = nan) -> Target:
        value, where = max(((v, f.row.name) for f in rows if not np.isnan(v := of_row(f))), default=(nan, ""))
        return Target(what, limit, stretch, False, value, where, duration)

    def least(what: str, limit: float, of_row: Callable[[RowFigures], float], stretch: float = nan) -> Target:
        value, where = min(((v, f.row.name) for f in rows if not np.isnan(v := of_row(f))), default=(nan, ""))
        return Target(what, limit, stretch, True, value, where, times)

    return [
        most("equilibrium test, cold, mean", 0.2e-3, lambda f: _mean(f.ours["test"].seconds)),
        most("equilibrium test, cold, worst", 2e-3, lambda f: _worst(f.ours["test"].seconds)),
        most("equilibrium test, cold, links weigh, worst", 2e-3, lambda f: _worst(f.ours["turned"].seconds)),
        most("equilibrium test at the border, worst", 10e-3, lambda f: _worst(f.ours["border"].seconds)),
        most("equilibrium test, warm, 0.5 deg apart, mean", 60e-6, _warm, 30e-6),
        most("load limit to 1e-6, mean", 3e-3, lambda f: _mean(f.ours["limit"].seconds)),
        most("load limit to 1e-6, worst", 30e-3, lambda f: _worst(f.ours["limit"].seconds)),
        least("tests against the paper's method, CVXOPT, mean", 200, lambda f: _ratio(f, PAPER, "test", "mean"), 1e4),
        least("tests against it, on its worst query", 1000, lambda f: _ratio(f, PAPER, "test", "worst"), 1e4),
        least("limits against it, mean", 200, lambda f: _ratio(f, PAPER, "limit", "mean"), 1e4),
        least("limits against it, on its worst query", 1000, lambda f: _ratio(f, PAPER, "limit", "worst"), 1e4),
        least("tests against the disjunctive MILP on HiGHS, mean", 500, lambda f: _ratio(f, MILP, "test", "mean"), 5e3),
        least("border tests against it, mean", 500, lambda f: _ratio(f, MILP, "border", "mean"), 5e3),
        least("limits against it, mean", 500, lambda f: _ratio(f, MILP, "limit", "mean"), 5e3),
        most("10,000 tests at once, 48 contacts", 1.0, lambda f: _batch(f, "test"), 0.2),
        most("10,000 load limits at once, 48 contacts", 10.0, lambda f: _batch(f, "limit"), 3.0),
        Target("first use, nothing compiled yet", 25.0, nan, False, first_use[0], "2OU", duration),
        Target("first use of a later process", 0.5, nan, False, first_use[1], "2OU", duration),
        Target("growth of cold tests with k: exponent", 1.0, nan, False, growth, "k = 8 .. 256", lambda x: f"{x:.2f}"),
    ]  # fmt: skip


def targets_table(found: Sequence[Target]) -> TextTable:
    """Target, measured, met or not."""
    header = ("quantity", "target", "measured (worst row)", "", "stretch", "")
    note = "Judged on the worst row. Ratios to a rival that gave up on a query are lower bounds."
    return TextTable("Targets", header, [target.cells() for target in found], note)


def first_use() -> tuple[float, float]:
    """Seconds of the first two answers of a process that finds nothing compiled, and of one that comes after it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-c", FIRST_USE]
        runs = [subprocess.run(command, check=True, capture_output=True, text=True, env=environment) for _ in range(2)]
    return float(runs[0].stdout), float(runs[1].stdout)


def _mean(seconds: Sequence[float]) -> float:
    return float(np.mean(seconds)) if len(seconds) else float("nan")


def _worst(seconds: Sequence[float]) -> float:
    return max(seconds, default=float("nan"))


def _warm(figures: RowFigures) -> float:
    return _mean(figures.warm["test, 0.5 deg"].seconds)


def _ratio(figures: RowFigures, name: str, kind: str, which: str) -> float:
    series = figures.rival(name, kind)
    found = None if series is None else ratio(series, figures.ours[kind])
    return float("nan") if found is None else float(getattr(found, which))


def _batch(figures: RowFigures, kind: str) -> float:
    """Seconds of BATCH queries, at the pace of those that were asked."""
    if figures.row.contacts != BATCH_CONTACTS:
        return float("nan")
    sequel = figures.batch[kind]
    return sequel.seconds[0] * BATCH / sequel.n
