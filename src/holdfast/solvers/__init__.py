"""The convex programs behind every question, and the methods that answer with them.

The exact method is compiled; it is loaded, with the compiler, when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .bracket import Bracket
from .certificate import Certificate, Leaf
from .hull import Hull
from .mixed_integer.big_m import BigM
from .mixed_integer.milp import HullMilp
from .paper.search import PaperBranchAndBound
from .problem import ContactProblem, Effort, Layout, Solution, Status
from .reference import Reference

if TYPE_CHECKING:
    from .exact.exact import Exact

__all__ = [
    "BigM",
    "Bracket",
    "Certificate",
    "ContactProblem",
    "Effort",
    "Exact",
    "Hull",
    "HullMilp",
    "Layout",
    "Leaf",
    "PaperBranchAndBound",
    "Reference",
    "Solution",
    "Status",
]


def __getattr__(name: str) -> Any:
    if name == "Exact":
        from .exact.exact import Exact

        return Exact
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
