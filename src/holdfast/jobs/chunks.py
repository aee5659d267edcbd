"""Chunks: runs of consecutive queries that are computed, saved and resumed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import checks
from ..errors import InputError

Result = Any  # with a journal: JSON values, arrays and numpy's numbers
Task = Callable[[Any], Result]


@dataclass(frozen=True)
class Chunk:
    """The queries `start` to `stop - 1`."""

    start: int
    stop: int

    @property
    def indices(self) -> range:
        """The indices of its queries."""
        return range(self.start, self.stop)

    def __str__(self) -> str:
        one = self.stop - self.start == 1
        return f"queries[{self.start}]" if one else f"queries[{self.start}:{self.stop}]"


def batch_of(task: Task) -> int:
    """How many consecutive queries the task takes at once: its `batch` when it offers `many`, else 1."""
    if getattr(task, "many", None) is None:
        if not callable(task):
            raise InputError(f"is a {type(task).__name__}", where="task", fix="give a function of one query")
        return 1
    return checks.count("task.batch", getattr(task, "batch", 1))


def by_threads(task: Task) -> bool:
    """Whether the task asks for threads where others get processes."""
    prefer = getattr(task, "prefer", "processes")
    if prefer not in ("threads", "processes"):
        raise InputError(f"is {prefer!r}", where="task.prefer", fix='give "threads" or "processes"')
    return prefer == "threads"


def cut(total: int, batch: int) -> list[Chunk]:
    """All queries in chunks of `batch`; the last may be shorter. Only indices count, so that every run cuts alike."""
    return [Chunk(start, min(start + batch, total)) for start in range(0, total, batch)]


def answered(task: Task, queries: Sequence[Any], chunk: Chunk) -> list[Result]:
    """The results of the chunk, whose `queries` are given: one each."""
    many: Any = getattr(task, "many", None)
    results = [task(query) for query in queries] if many is None else list(many(list(queries)))
    if len(results) != len(queries):
        what = f"{len(results)} results came back for {len(queries)} queries"
        raise InputError(what, where=f"task.many, {chunk}", fix="return one result a query, in their order")
    return results


def name_queries(error: Exception, chunk: Chunk) -> None:
    """Add a note to the error of a task that names the queries it arose at."""
    error.add_note(f"raised for {chunk}")
