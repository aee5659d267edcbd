"""`holdfast paper figures`: the paper's Figs. 3, 4, 5 and 7 to 11, from this project's models and devices."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import Exit, JsonOption, folder, method
from ..console.output import emit, note, number, prepare, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from ..solvers import Exact
    from .studies.figures import FigureData

#: The spheres of rays may be subdivided this often: 40,962 rays a slice.
FINEST = 6

#: Dots an inch of a .png.
DOTS = 120

#: Seconds for each ray before it is undecided; what was found to hold is drawn.
PATIENCE = 5.0


def figures(
    only: Annotated[
        str | None, typer.Option("--only", metavar="N,N,...", help="Figures to make, as in 7,8; all when left out.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the pictures go.")] = Path(),
    level: Annotated[
        int, typer.Option("--level", metavar="N", help="Fineness of Figs. 7 to 11: 10 * 4^N + 2 rays a slice.")
    ] = 4,
    format_: Annotated[Literal["png", "svg", "pdf"], typer.Option("--format", help="Kind of picture.")] = "png",
    save_data: Annotated[
        bool,
        typer.Option(
            "--save-data", help="Keep the slices as .h5 files beside the pictures; those that fit are not redone."
        ),
    ] = False,
    gap: Annotated[
        float, typer.Option("--gap", metavar="SHARE", help="How closely the limit along each ray is found.")
    ] = 1e-2,
    json: JsonOption = False,
) -> None:
    """The figures of Hauser, Wang and Cutkosky (2018), drawn anew from the models and devices of Holdfast."""
    from ..console.output import progress
    from ..plotting.files import save
    from .plots_paper_figures import paper_figure
    from .studies.figures import figure_data

    numbers = _numbers(only)
    if not 0 <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST}")
    target = folder(out)
    solver: Exact = method(gap=gap, time_limit=PATIENCE)  # pyright: ignore[reportAssignmentType]
    if any(chosen >= 7 for chosen in numbers):
        prepare(solver)
    made: list[dict[str, Any]] = []
    for chosen in numbers:
        begun = time.perf_counter()
        kept = target if save_data else None
        with progress(f"Fig. {chosen}, rays") as report:
            data = figure_data(chosen, level=level, folder=kept, method=solver, progress=report)
        path = save(paper_figure(data), target / f"figure_{chosen:02d}.{format_}", dpi=DOTS)
        made.append(_facts(data) | {"picture": str(path), "seconds": time.perf_counter() - begun})
        note(f"Fig. {chosen}: {path}")
    if json:
        emit({"command": "paper figures", "level": level, "figures": made})
    else:
        _show(made)
    raise typer.Exit(Exit.HOLDS)


def _numbers(only: str | None) -> list[int]:
    """The figures asked for, in the paper's order, each once."""
    from .studies.figures import NUMBERS

    if only is None:
        return list(NUMBERS)
    words = only.replace(",", " ").split()
    known = ", ".join(map(str, NUMBERS))
    for word in words:
        if not word.isdigit() or int(word) not in NUMBERS:
            raise InputError(f"there is no figure {word!r} to make", where="--only", fix=f"choose from {known}")
    if not words:
        raise InputError("names no figure", where="--only", fix=f"choose from {known}")
    return [chosen for chosen in NUMBERS if str(chosen) in {str(int(word)) for word in words}]


def _facts(data: FigureData) -> dict[str, Any]:
    """What a figure shows, in numbers."""
    from ..solvers import Status
    from .studies.figures import SpaceFigure

    facts: dict[str, Any] = {"figure": data.number, "title": data.title, "rays": 0, "undecided": 0, "read": []}
    if isinstance(data, SpaceFigure):
        facts["rays"] = sum(len(space) for space in data.spaces.values())
        facts["undecided"] = sum(int((space.status == Status.UNDECIDED).sum()) for space in data.spaces.values())
        facts["read"] = list(data.read)
        facts["reach"] = {words: data.reach(words) for words in data.spaces}
    return facts


def _show(made: list[dict[str, Any]]) -> None:
    say("Figures of the paper, from our own models and devices", style="bold")
    rows = [
        (
            entry["figure"],
            entry["title"],
            entry["rays"] or "-",
            entry["undecided"] if entry["rays"] else "-",
            ", ".join(f"({words})" for words in entry["read"]) or "-",
            number(entry["seconds"], 2),
        )
        for entry in made
    ]
    table(["figure", "shows", "rays", "undecided", "read from files", "time [s]"], rows)
