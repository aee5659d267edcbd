"""What a benchmark returns, and how a callable is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One measured quantity: median, 95th percentile and largest of `n` samples, in `unit`."""

    name: str
    unit: str
    p50: float
    p95: float
    max: float
    n: int
    note: str = ""


def row(name: str, samples: Sequence[float], unit: str = "s", note: str = "") -> Row:
    """The row of `samples`, given in `unit`."""
    p50, p95 = (float(value) for value in np.percentile(samples, [50.0, 95.0]))
    return Row(name, unit, p50, p95, float(max(samples)), len(samples), note)


def timed(name: str, call: Callable[[], object], *, repeats: int, warmup: int = 1, note: str = "") -> Row:
    """The row of wall times [s] of `call`, after `warmup` calls that do not count."""
    for _ in range(warmup):
        call()
    samples = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return row(name, samples, note=note)


def clocked(call: Callable[[], T], repeats: int = 1) -> tuple[T, float]:
    """What `call` returns, and the median wall time [s] of `repeats` calls."""
    seconds = []
    while True:
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
        if len(seconds) >= repeats:
            return result, float(np.median(seconds))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """p of the fit seconds ~ size^p: the slope of the least-squares line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
