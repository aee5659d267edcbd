"""Shared by all cases: values compared with those of others within a stated bound, and the result of a case."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from studies.tables import TextTable

#: The data of the cases, with their sources and licences.
DATA = Path(__file__).resolve().parent / "data"

#: How a value is compared: the relative or absolute difference is at most the bound; the words are the same; the value
#: is at least or at most the bound.
Kind = Literal["relative", "absolute", "same", "at least", "at most"]


@dataclass(frozen=True, eq=False)
class ComparedValue:
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
    theirs: float | np.ndarray | str | None
    ours: float | np.ndarray | str
    bound: float = 0.0
    kind: Kind = "relative"
    unit: str = ""

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

    def bound_text(self) -> str:
        """The bound for a table."""
        if self.kind == "same":
            return "the same"
        return f"{self.kind} {self.bound:g}" if self.kind in ("at least", "at most") else f"{self.bound:g} {self.kind}"


@dataclass(frozen=True, eq=False)
class Validation:
    """One case: a table of compared values, with the answers behind it.

    Attributes:
        name: name of the case.
        title: what was checked.
        source: where the other values are from.
        comparisons: the compared values.
        reading: explanation of the differences.
        answers: the results behind ours, each with `verify()`.
    """

    name: str
    title: str
    source: str
    comparisons: tuple[ComparedValue, ...]
    reading: str
    answers: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def agrees(self) -> bool:
        """Whether every comparison is within its bound."""
        return all(value.agrees for value in self.comparisons)

    def verify(self) -> bool:
        """Check the proof of every answer without the solver."""
        return len(self.comparisons) > 0 and all(answer.verify() for answer in self.answers)

    def table(self) -> TextTable:
        """Theirs, ours, the bound, and whether they agree."""
        header = ("quantity", "theirs", "ours", "bound", "agrees")
        rows = [
            (one.quantity, one.text("theirs"), one.text("ours"), one.bound_text(), "yes" if one.agrees else "NO")
            for one in self.comparisons
        ]
        return TextTable(self.title, header, rows, self.reading)
