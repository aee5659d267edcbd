"""What is possible over two parameters: a grid of answers, coloured by the set of modes of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, IntArray
from ..errors import InputError
from ..jobs import sweep
from .motion_sets import MotionSet

#: How many queries one process is handed at a time.
BATCH = 256


@dataclass(frozen=True, eq=False)
class RegionMap:
    """Answers over a grid of two parameters.

    Attributes:
        xs, ys: (n,), (m,) values of the parameters.
        labels: the different answers, the most frequent first; each a tuple of the modes that are possible, sorted,
            or a word such as "inconsistent" or "impact".
        regions: (m, n) index into `labels`; row i belongs to ys[i], column j to xs[j].
    """

    xs: Array
    ys: Array
    labels: tuple[tuple[str, ...] | str, ...]
    regions: IntArray

    def label(self, i: int, j: int) -> tuple[str, ...] | str:
        """The answer at ys[i], xs[j]."""
        return self.labels[int(self.regions[i, j])]

    @property
    def shares(self) -> Array:
        """(len(labels),) share of the grid that has each label."""
        return np.bincount(self.regions.ravel(), minlength=len(self.labels)) / self.regions.size

    @property
    def names(self) -> tuple[str, ...]:
        """The labels in words, for a legend."""
        return tuple(label if isinstance(label, str) else " or ".join(label) for label in self.labels)


class _Task:
    """One grid point, or a batch of them; plain labels come back, which travel cheaply between processes."""

    batch = BATCH

    def __init__(self, function: Callable[[float, float], Any]) -> None:
        self.function = function

    def __call__(self, query: tuple[float, float]) -> tuple[str, ...] | str:
        return _label(self.function(*query))

    def many(self, queries: Iterable[tuple[float, float]]) -> list[tuple[str, ...] | str]:
        """The labels of several queries."""
        return [self(query) for query in queries]


def region_map(
    function: Callable[[float, float], MotionSet | Iterable[str] | str],
    xs: ArrayLike,
    ys: ArrayLike,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RegionMap:
    """Ask `function(x, y)` at every point of a grid and sort the answers into regions.

    Args:
        function: two numbers to a `MotionSet` (its modes make the label; without any, its status), to mode strings,
            or to a word. For more than one worker it must be a function that can be sent to another process.
        xs, ys: values of the parameters.
        workers: how many processes compute; worth it from some tens of thousands of points.
        progress: called with (done, total).
    """
    across, up = checks.array("xs", xs, ("n",)), checks.array("ys", ys, ("n",))
    for name, values in (("xs", across), ("ys", up)):
        if not len(values):
            raise InputError("is empty", where=name, fix="give at least one value")
    if not callable(function):
        raise InputError(f"is a {type(function).__name__}", where="function", fix="give a function of two numbers")
    queries = [(x, y) for y in up.tolist() for x in across.tolist()]
    answers = sweep(_Task(function), queries, workers=workers, progress=progress)
    counts: dict[tuple[str, ...] | str, int] = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    labels = tuple(sorted(counts, key=lambda label: (-counts[label], isinstance(label, str), label)))
    number = {label: k for k, label in enumerate(labels)}
    regions = np.array([number[answer] for answer in answers], dtype=np.int64).reshape(len(up), len(across))
    return RegionMap(across, up, labels, regions)


def _label(answer: Any) -> tuple[str, ...] | str:
    if isinstance(answer, MotionSet):
        return tuple(sorted(answer.modes)) or str(answer.status)
    if isinstance(answer, str):
        return str(answer)
    checks.iterable("function", answer, fix="let it return a MotionSet, mode strings or a word")
    found = tuple(sorted(str(mode) for mode in answer))
    return found or "none"
