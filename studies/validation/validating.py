"""All cases by name, and the report on the chosen ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from holdfast.errors import UnknownNameError
from holdfast.results import Result
from .blocks import textbook_blocks
from .comparisons import Agreement, Progress, Validation
from .lego import lego_bridges, lego_structures
from .pushes import measured_pushes
from .stances import compared_stances

#: Name of each case: the function that computes it, and what it compares.
CASES: MappingProxyType[str, tuple[Callable[[Progress | None], Validation], str]] = MappingProxyType(
    {
        "pushes": (measured_pushes, "measured pushes of a part on three feet"),
        "lego-bridges": (lego_bridges, "bridges of LEGO structures that stood or fell"),
        "lego-structures": (lego_structures, "whole LEGO structures, every brick a body"),
        "blocks": (textbook_blocks, "textbook blocks: sliding, tipping, stacking, a ladder, a wedge"),
        "stances": (compared_stances, "stances and tests of hpp-centroidal-dynamics and Klampt"),
    }
)


@dataclass(frozen=True, eq=False)
class ValidationReport(Result):
    """Some or all cases.

    Attributes:
        results: one per case, in the order of `CASES`.
    """

    results: tuple[Validation, ...]

    def __repr__(self) -> str:
        within = sum(result.agrees for result in self.results)
        return f"ValidationReport({self.status.value}, {within} of {len(self.results)} cases in bounds)"

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Validation]:
        return iter(self.results)

    def __getitem__(self, name: str) -> Validation:
        """The case of that name."""
        known = {result.name: result for result in self.results}
        if name not in known:
            raise UnknownNameError("case", name, known)
        return known[name]

    @property
    def agrees(self) -> bool:
        """Whether every comparison of every case is within its bound."""
        return all(result.agrees for result in self.results)

    @property
    def status(self) -> Agreement:
        """Whether every comparison of every case is within its bound, as a word."""
        return Agreement.AGREES if self.agrees else Agreement.DIFFERS

    @property
    def value(self) -> float:
        """The fraction of all comparisons that are within their bounds."""
        values = [value for result in self.results for value in result.comparisons]
        return sum(value.agrees for value in values) / len(values)

    def verify(self) -> bool:
        """Check the proof of every answer of every case without the solver."""
        return all(result.verify() for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what `holdfast validate --json` prints."""
        return {
            "status": self.status.value,
            "value": self.value,
            "cases": [result.to_dict() for result in self.results],
        }


def chosen_cases(names: Sequence[str] | None) -> list[str]:
    """The names in the order of `CASES`; all for None."""
    for name in names or ():
        if name not in CASES:
            raise UnknownNameError("case", name, CASES)
    return [name for name in CASES if names is None or name in names]


def validate(names: Sequence[str] | None = None, *, progress: Progress | None = None) -> ValidationReport:
    """Compute the cases of these names; all by default.

    Args:
        names: names of cases, see `CASES`; the report is in the order of `CASES`.
        progress: called with (done, total) within each case.
    """
    return ValidationReport(tuple(CASES[name][0](progress) for name in chosen_cases(names)))
