"""What a benchmark returns, and how a callable is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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


#: Growth of memory that a long run may show after its warm-up.
MOST_GROWTH = 0.10


@dataclass
class Memory:
    """Resident memory of a process in the course of a long run.

    Attributes:
        warm_up: how long [s] kernels are loaded and what is kept for speed fills up.
        samples: (time [s] since the start, memory [bytes]).
    """

    warm_up: float
    samples: list[tuple[float, int]] = field(default_factory=list)

    @property
    def warm(self) -> int:
        """[bytes] after the warm-up: the largest of its last third; 0 without any sample there."""
        return max((size for when, size in self.samples if 0.67 <= when / self.warm_up < 1.0), default=0)

    @property
    def most(self) -> int:
        """The largest [bytes]."""
        return max((size for _, size in self.samples), default=0)

    @property
    def growth(self) -> float:
        """From the warm-up to the median of the last tenth of the time, as a share; 0 where nothing is known."""
        end = self.samples[-1][0] if self.samples else 0.0
        last = sorted(size for when, size in self.samples if when >= max(0.9 * end, self.warm_up))
        return last[len(last) // 2] / self.warm - 1.0 if last and self.warm else 0.0

    @property
    def trouble(self) -> str:
        """That it grew too much; "" when it did not."""
        return f"memory grew by {self.growth:.1%}" if self.growth > MOST_GROWTH else ""

    def __str__(self) -> str:
        kept = [self.samples[int(k * (len(self.samples) - 1) / 10)] for k in range(11)] if self.samples else []
        return (
            f"memory: {self.warm / 2**20:.0f} MiB after the warm-up, at most {self.most / 2**20:.0f} MiB, growth "
            f"{self.growth:+.1%} (at most {MOST_GROWTH:.0%})\nin MiB at s: "
            + ", ".join(f"{size / 2**20:.0f} at {when:.0f}" for when, size in kept)
        )
