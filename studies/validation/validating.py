"""All cases by name, and the run that computes and saves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from studies.tables import keep, parsed, parser

from .blocks import textbook_blocks
from .comparisons import Validation
from .lego import lego_bridges, lego_structures
from .pushes import measured_pushes
from .stances import compared_stances

#: The cases by name.
CASES: MappingProxyType[str, Callable[[], Validation]] = MappingProxyType(
    {
        "pushes": measured_pushes,
        "lego-bridges": lego_bridges,
        "lego-structures": lego_structures,
        "blocks": textbook_blocks,
        "stances": compared_stances,
    }
)


def validate(names: Sequence[str] = tuple(CASES)) -> tuple[Validation, ...]:
    """Compute the cases of these names; all by default."""
    return tuple(CASES[name]() for name in names)


def main(words: Sequence[str] | None = None) -> int:
    """Compute all cases and save their tables and pictures; 1 if a comparison exceeds its bound or a proof fails."""
    from . import plots

    chosen = parsed(parser(__doc__), words)
    results = validate([name for name in CASES if name != "pushes"] if chosen.quick else tuple(CASES))
    drawn: dict[str, Callable[[], Any]] = {}
    for result in results:
        if result.name in ("pushes", "lego-structures"):
            draw = plots.pushes if result.name == "pushes" else plots.lego
            drawn[f"validation_{result.name}"] = partial(draw, result)
    keep(Path(__file__), chosen.out, {result.name: result.table() for result in results}, drawn)
    for result in results:
        within = sum(value.agrees for value in result.comparisons)
        proven = "verified" if result.verify() else "NOT VERIFIED"
        print(f"{result.name}: {within} of {len(result.comparisons)} in bounds, {len(result.answers)} proofs {proven}")
    return 0 if all(result.agrees and result.verify() for result in results) else 1
