"""`holdfast compile`: compile all kernels now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from ..console.options import JsonOption
from ..console.output import number, progress
from ..console.sheets import Block, Line, TableBlock, present


def compile(
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Number of parallel processes. Default: the number of cores.", min=1),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compile all numerical kernels now, once per machine, so that later commands start without this delay."""
    from . import families

    with progress("compiling kernels") as report:
        found = families.compile(jobs=jobs, progress=report)

    def sheet() -> Iterator[Block]:
        rows = [(family.name, number(family.seconds, 3), number(family.cpu_seconds, 3)) for family in found]
        yield TableBlock(("kernels for", "time [s]", "CPU [s]"), rows)
        yield Line("All kernels are compiled and stored.")

    present("compile", {"families": [family.to_dict() for family in found]}, sheet=sheet(), json=json)
