"""`holdfast compare`: designs side by side in one table, with a radar or bars."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import (
    PICTURES,
    Exit,
    Gap,
    JsonOption,
    NodeLimit,
    PlotOption,
    TimeLimit,
    check_target,
    method,
    vector,
)
from ..console.output import emit, note, number, prepare, say, table
from ..errors import FileError, InputError

if TYPE_CHECKING:
    from ..solvers import Exact
    from .comparison import Comparison, Design

#: Designs beside each other in one table; more come in another one below.
ABREAST = 5

#: Seconds for each proven limit before it is undecided, unless told otherwise.
PATIENCE = 20.0

#: The sphere of rays may be subdivided this often: 40,962 rays a slice.
FINEST = 6


def compare(
    scenes: Annotated[list[str], typer.Argument(metavar="SCENE...", help="Scene files, or @names of ready scenes.")],
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="X,Y,Z",
            help="Point [m] that forces act through and torques are about; each scene's centre of mass by default.",
        ),
    ] = None,
    length: Annotated[
        float | None,
        typer.Option("--length", metavar="M", help="Length [m] that scales torques; the mean of the scenes' own."),
    ] = None,
    level: Annotated[
        int, typer.Option("--level", metavar="N", help="Fineness of the slices: 10 * 4^N + 2 rays each.")
    ] = 3,
    json: JsonOption = False,
    plot: PlotOption = None,
    radar: Annotated[bool, typer.Option("--radar", help="The picture is a radar (the default).")] = False,
    bars: Annotated[bool, typer.Option("--bars", help="The picture is bars, in units.")] = False,
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write the table as Markdown.")
    ] = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Designs side by side: extents along the axes, weakest and strongest directions, volumes of slices.

    Loads are external wrenches on the object. No weight acts.
    """
    from ..console.output import progress
    from .comparison import compare as compare_designs

    if radar and bars:
        raise InputError("is given with --radar", where="--bars", fix="give one of the two")
    if not 0 <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST}")
    check_target("--csv", csv_file)
    check_target("--markdown", markdown)
    check_target("--plot", plot, PICTURES)
    designs = _designs(scenes)
    if plot is not None:
        _check_picture(len(designs))
    limited = time_limit is not None or node_limit is not None
    solver: Exact = method(gap=gap, time_limit=time_limit if limited else PATIENCE, node_limit=node_limit)  # pyright: ignore[reportAssignmentType]
    prepare(solver)
    point = None if at is None else vector("--at", at, 3)
    with progress(f"{len(designs)} designs, rays") as report:
        made = compare_designs(designs, point=point, length=length, level=level, method=solver, progress=report)
    if json:
        emit({"command": "compare", **made.to_dict()})
    else:
        _show(made, "at the point given" if at else "at each scene's centre of mass")
    if csv_file is not None:
        _write(csv_file, lambda file: _csv(made, file))
    if markdown is not None:
        _write(markdown, lambda file: file.write(_markdown(made)))
    if plot is not None:
        _draw(made, plot, "bars" if bars else "radar")
    raise typer.Exit(Exit.UNDECIDED if any(strength.undecided for strength in made.strengths) else Exit.HOLDS)


def _designs(paths: Sequence[str]) -> dict[str, Design]:
    """The designs by the scenes' names; a name that comes again gets a number."""
    from ..scenes import load_scene
    from .comparison import Design

    found: dict[str, Design] = {}
    for path in paths:
        scene = load_scene(path).with_gravity((0.0, 0.0, 0.0))
        base = scene.name or Path(path).stem
        name, copy = base, 1
        while name in found:
            copy += 1
            name = f"{base} ({copy})"
        found[name] = Design(scene.assembly, scene.com)
    return found


def _check_picture(count: int) -> None:
    """A picture that could not be drawn is refused before the work and not after it."""
    from .plots_comparisons import MOST_DESIGNS

    if count > MOST_DESIGNS:
        raise InputError(f"cannot show {count} designs", where="--plot", fix=f"give at most {MOST_DESIGNS}")


def _cells(made: Comparison, *, best: tuple[str, str], digits: int = 4) -> list[list[str]]:
    """A row a measure: its name with the unit and the values, the best one between the marks `best`."""
    rows = []
    for row in made.rows():
        values = []
        for name in made.names:
            before, after = best if name in row["best"] else ("", " " * len(best[1]))
            values.append(f"{before}{number(row[name], digits)}{after}")
        rows.append([f"{row['measure']} [{row['unit']}]", *values])
    return rows


def _counts(made: Comparison) -> list[list[str]]:
    """Rows that rank nothing: how large each design is, and how sure its numbers are."""
    each = made.strengths
    return [
        ["contacts", *(str(len(s.design.assembly)) for s in each)],
        ["joint rows", *(str(s.design.joints) for s in each)],
        ["undecided rays", *(str(s.undecided) for s in each)],
        ["proofs verified", *(f"{s.proven} of {len(s.proofs)}" for s in each)],
    ]


def _show(made: Comparison, where: str) -> None:
    say(
        f"{len(made)} designs: largest external loads {where}, no weight" if len(made) > 1 else made.names[0],
        style="bold",
    )
    rows = _cells(made, best=("", " *"))
    rows += [[row[0], *(f"{cell}  " for cell in row[1:])] for row in _counts(made)]
    for first in range(0, len(made), ABREAST):
        part = range(first + 1, min(first + ABREAST, len(made)) + 1)
        widths = {k: max(len(row[k]) for row in rows) for k in part}
        shown = [[row[0], *(row[k].rjust(widths[k]) for k in part)] for row in rows]
        table(["measure", *(made.names[k - 1] for k in part)], shown)
    if len(made) > 1:
        say("* the best of each row")
    say(f"torques are scaled by {made.length:.4g} m; slices of {10 * 4**made.level + 2} rays")
    for strength in made.strengths:
        say(f"{strength.name}: {_weakness(strength)}")


def _weakness(strength: Any) -> str:
    """In words where a design is weakest."""
    force = strength.extremes["weakest force"].direction[:3]
    wrench = strength.extremes["weakest wrench"].direction
    words = ", ".join(f"{x:.2f}" for x in force.round(2) + 0.0)
    full = ", ".join(f"{x:.3g}" for x in wrench.round(4) + 0.0)
    return f"weakest against a force along ({words}) and a wrench along ({full})"


def _write(path: Path, write: Any) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            write(file)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise FileError(what, path=path, fix="name a place where you may write") from None
    note(f"table: {path}")


def _csv(made: Comparison, file: Any) -> None:
    """One row a measure, values in full; "inf" without limit."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["measure", "unit", *made.names, "best"])
    for row in made.rows():
        writer.writerow(
            [row["measure"], row["unit"], *(repr(float(row[name])) for name in made.names), "; ".join(row["best"])]
        )
    for row in _counts(made):
        writer.writerow([row[0], "", *row[1:], ""])


def _markdown(made: Comparison) -> str:
    """The table, with the best of each row in bold."""
    rows = [[cell.strip() for cell in row] for row in _cells(made, best=("**", "**"))] + _counts(made)
    lines = ["| " + " | ".join(["measure", *made.names]) + " |", "|---" + "|---:" * len(made) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _draw(made: Comparison, path: Path, kind: Literal["radar", "bars"]) -> None:
    from ..console.pictures import save
    from .plots_comparisons import comparison_bars, comparison_radar

    save(comparison_bars(made) if kind == "bars" else comparison_radar(made), path)
