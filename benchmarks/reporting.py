"""What a benchmark with more to say than rows returns: tables for people, data for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.measuring import Row
from studies.tables import TextTable, duration, times

__all__ = ["Report", "Target", "TextTable", "duration", "mean_and_worst", "targets_table", "times"]


@dataclass(frozen=True)
class Report:
    """All that a benchmark found.

    Attributes:
        rows: figures that two saved runs are compared by.
        tables: what people read; without any, the rows themselves are shown.
        data: all else worth keeping, as JSON values.
    """

    rows: Sequence[Row]
    tables: Sequence[TextTable] = ()
    data: dict[str, Any] = field(default_factory=dict)


def mean_and_worst(seconds: Sequence[float]) -> str:
    """'mean / worst' of some times, '-' without any."""
    return f"{duration(float(np.mean(seconds)))} / {duration(max(seconds))}" if len(seconds) else "-"


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


def targets_table(found: Sequence[Target]) -> TextTable:
    """Target, measured, met or not."""
    header = ("quantity", "target", "measured (worst row)", "", "stretch", "")
    note = "Judged on the worst row. Ratios to a rival that gave up on a query are lower bounds."
    return TextTable("Targets", header, [target.cells() for target in found], note)
