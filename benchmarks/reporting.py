"""What a benchmark with more to say than rows returns: tables for people, data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.measuring import Row
from holdfast.papers.tables import TextTable, duration, times

__all__ = ["Report", "TextTable", "duration", "mean_and_worst", "times"]


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
