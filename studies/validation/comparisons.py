"""Shared by all cases: values compared with those of others within a stated bound, and the result of a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from holdfast.checks import Array
from holdfast.results import Result

#: The data of the cases, with their sources and licences.
DATA = Path(__file__).resolve().parent.parent / "data" / "validation"

#: Called with (done, total).
Progress = Callable[[int, int], None]

#: How a value is compared: the relative or absolute difference is at most the bound; the words are the same; the value
#: is at least or at most the bound.
Kind = Literal["relative", "absolute", "same", "at least", "at most"]


class Agreement(StrEnum):
    """Outcome of a comparison; the value is the message."""

    AGREES = "agrees"
    DIFFERS = "differs"


@dataclass(frozen=True, eq=False)
class ComparedValue(Result):
    """A value from another source, our value, and the bound within which they agree.

    Attributes:
        quantity: what is compared.
        theirs: number, numbers (n,), or word; None where `bound` itself is what was stated ("at least", "at most").
        ours: the value of this library.
        bound: the largest allowed difference, or the smallest or largest allowed value; not used for "same".
        kind: how they are compared.
        unit: of both values.
    """

    quantity: str
    theirs: float | Array | str | None
    ours: float | Array | str
    bound: float = 0.0
    kind: Kind = "relative"
    unit: str = ""

    def __repr__(self) -> str:
        return f"ComparedValue({self.quantity}: theirs {self.text('theirs')}, ours {self.text('ours')}, {self.status})"

    @property
    def deviation(self) -> float:
        """The largest difference, relative or absolute; 0 or inf for "same"; else how far ours is beyond the bound."""
        if self.kind == "same":
            return 0.0 if self.theirs == self.ours else math.inf
        ours = np.asarray(self.ours, dtype=float)
        if self.kind in ("at least", "at most"):
            beyond = self.bound - ours if self.kind == "at least" else ours - self.bound
            return max(float(beyond.max()), 0.0)
        theirs = np.asarray(self.theirs, dtype=float)
        difference = np.abs(ours - theirs)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(difference == 0.0, 0.0, difference / np.abs(theirs))
        return float(np.max(shares if self.kind == "relative" else difference))

    @property
    def agrees(self) -> bool:
        """Whether ours is within the bound."""
        return self.deviation <= (self.bound if self.kind in ("relative", "absolute") else 0.0)

    @property
    def status(self) -> Agreement:
        """Whether ours is within the bound, as a word."""
        return Agreement.AGREES if self.agrees else Agreement.DIFFERS

    @property
    def value(self) -> float | Array | str:
        """Ours."""
        return self.ours

    def verify(self) -> bool:
        """Whether the comparison holds, computed again from both values."""
        return self.agrees

    def text(self, side: Literal["theirs", "ours"]) -> str:
        """One of the two values for a table: a range for several numbers, "-" for nothing."""
        value = getattr(self, side)
        if value is None or isinstance(value, str):
            return value or "-"
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
        unit = f" {self.unit}" if self.unit else ""
        if len(numbers) == 1:
            return f"{numbers[0]:.6g}{unit}"
        return f"{len(numbers)}: {numbers.min():.4g} to {numbers.max():.4g}{unit}"

    def difference(self) -> str:
        """The deviation for a table."""
        if self.kind == "same":
            return "none" if self.agrees else "another"
        return f"{self.deviation:.2g}" if self.kind in ("relative", "absolute") else "-"

    def bound_text(self) -> str:
        """The bound for a table."""
        if self.kind == "same":
            return "the same"
        return f"{self.kind} {self.bound:g}" if self.kind in ("at least", "at most") else f"{self.bound:g} {self.kind}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "quantity": self.quantity,
            "theirs": self.theirs,
            "ours": self.ours,
            "unit": self.unit,
            "kind": self.kind,
            "bound": self.bound,
            "deviation": self.deviation,
            "status": self.status.value,
        }


@dataclass(frozen=True, eq=False)
class Validation(Result):
    """One case: a table of compared values, with the answers behind it.

    Attributes:
        name: name of the case, as in `validate`.
        title: what was checked.
        source: where the other values are from.
        comparisons: the compared values.
        reading: explanation of the differences.
        answers: the results behind ours, each with `verify()`.
    """

    TABLE: ClassVar[str] = "comparisons"

    name: str
    title: str
    source: str
    comparisons: tuple[ComparedValue, ...]
    reading: str
    answers: tuple[Any, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        within = sum(value.agrees for value in self.comparisons)
        return f"{type(self).__name__}({self.name}: {self.status.value}, {within} of {len(self.comparisons)} in bounds)"

    @property
    def agrees(self) -> bool:
        """Whether every comparison is within its bound."""
        return all(value.agrees for value in self.comparisons)

    @property
    def status(self) -> Agreement:
        """Whether every comparison is within its bound, as a word."""
        return Agreement.AGREES if self.agrees else Agreement.DIFFERS

    @property
    def value(self) -> float:
        """The share of comparisons that are within their bounds."""
        return sum(value.agrees for value in self.comparisons) / len(self.comparisons)

    def verify(self) -> bool:
        """Check the proof of every answer without the solver."""
        return all(answer.verify() for answer in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what `holdfast validate --json` prints for each case."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "status": self.status.value,
            "value": self.value,
            "comparisons": [value.to_dict() for value in self.comparisons],
            "reading": self.reading,
            "answers": len(self.answers),
            "proof_verified": self.verify(),
        }


def tracked(items: Iterable[Any], progress: Progress | None, done: int = 0, total: int | None = None) -> Iterable[Any]:
    """`items`, reporting how many are done after each."""
    known = list(items)
    for number, item in enumerate(known, start=done + 1):
        yield item
        if progress is not None:
            progress(number, len(known) if total is None else total)
