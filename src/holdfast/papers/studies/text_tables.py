"""Tables of text: for people as Markdown, for programs as CSV; and how times and ratios are written in them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass


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

    def markdown(self, level: int = 3) -> str:
        """The table in Markdown under a heading, its columns padded so that the text can be read as it stands."""
        lines = [list(self.header), *map(list, self.rows)]
        lines = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        texts = [
            "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
        ]
        texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        parts = [f"{'#' * level} {self.title}", "\n".join(texts)]
        return "\n\n".join([*parts, self.note] if self.note else parts)

    def csv(self) -> str:
        """Header and rows as comma-separated values; title and note are left out."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.header, *self.rows])
        return text.getvalue()


def duration(seconds: float) -> str:
    """A time to three digits in the unit that suits it; "-" for none."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} us"


def times(ratio: float, *, at_least: bool = False) -> str:
    """A ratio as '1,230x'; with a sign where it is only a lower bound."""
    if not math.isfinite(ratio):
        return "-"
    sign = ">= " if at_least else ""
    return f"{sign}{ratio:,.0f}x" if ratio >= 10 else f"{sign}{ratio:.2g}x"
