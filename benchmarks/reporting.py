"""What a benchmark with more to say than rows returns: tables for people, data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.measuring import Row


@dataclass(frozen=True)
class Table:
    """A table as it is printed: every cell a text.

    Attributes:
        title: what it shows.
        header: names of the columns.
        rows: cells, line by line.
        note: how to read it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown, its columns padded so that the text can be read as it stands."""
        lines = [list(self.header), *map(list, self.rows)]
        lines = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        texts = [
            "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
        ]
        texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        parts = [f"### {self.title}", "\n".join(texts)]
        return "\n\n".join([*parts, self.note] if self.note else parts)


@dataclass(frozen=True)
class Report:
    """All that a benchmark found.

    Attributes:
        rows: figures that two saved runs are compared by.
        tables: what people read; without any, the rows themselves are shown.
        data: all else worth keeping, as JSON values.
    """

    rows: Sequence[Row]
    tables: Sequence[Table] = ()
    data: dict[str, Any] = field(default_factory=dict)


def duration(seconds: float) -> str:
    """A time to three digits in the unit that suits it."""
    if not np.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} us"


def mean_and_worst(seconds: Sequence[float]) -> str:
    """'mean / worst' of some times, '-' without any."""
    return f"{duration(float(np.mean(seconds)))} / {duration(max(seconds))}" if len(seconds) else "-"


def times(ratio: float, *, at_least: bool = False) -> str:
    """A ratio as '1,230x'; with a sign where it is only a lower bound."""
    if not np.isfinite(ratio):
        return "-"
    sign = ">= " if at_least else ""
    return f"{sign}{ratio:,.0f}x" if ratio >= 10 else f"{sign}{ratio:.2g}x"
