"""`holdfast paper table1`: the paper's Table I measured on this machine, by our method and by rivals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..console.options import Exit, JsonOption
from ..console.output import emit, note, prepare, progress, say
from ..errors import FileError
from ..statics.command import notes_of_damage
from .command_tables import show_tables, write_text

#: What stands around the tables in a Markdown file; all else in it is left as it is.
BEGIN, END = "<!-- table1: begin -->", "<!-- table1: end -->"

RowsOption = Annotated[
    str | None,
    typer.Option("--rows", metavar="NAMES", help="Rows, with commas between: 2OU, '2FG D-MD', 4FH, ... (all nine)."),
]


def table1(
    rows: RowsOption = None,
    rivals: Annotated[
        Literal["none", "quick", "all"],
        typer.Option(
            "--rivals",
            help="none; quick: the paper's algorithm with CVXOPT, big-M on SCIP, the V-form on HiGHS; all: five.",
        ),
    ] = "quick",
    cap: Annotated[
        float, typer.Option("--cap", metavar="S", help="Seconds a rival has for one query before it is 'S+'.")
    ] = 2.0,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="S", help="Seconds a rival has for all queries of one kind on one row."),
    ] = 2.0,
    queries: Annotated[
        int | None,
        typer.Option("--queries", metavar="N", help="Most queries of a kind and row (the paper's 72 and 135)."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", help="Times each of our queries is put; the median counts.")
    ] = 1,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check each of our proofs, off the clock: some two minutes for all rows.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="JOURNAL", help="Save series as they come; a run that stopped goes on from it."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write all numbers, the printed ones among them.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", metavar="FILE", help="Write tables as Markdown; in a file that is there, between its markers."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Times of equilibrium tests and load limits on the nine devices of Table I, ours and rivals', in CPU time."""
    from ..solvers import Exact
    from .studies.table1 import FEW_RIVALS, RIVALS, report, table_one

    page = None if markdown is None else _page(markdown)
    if csv is not None:
        _folder(csv)
    prepare(Exact())
    try:
        with notes_of_damage(), progress("Table I, series") as told:
            found = table_one(
                None if rows is None else rows.split(","),
                {"none": (), "quick": FEW_RIVALS, "all": RIVALS}[rivals],
                cap=cap,
                budget=budget,
                queries=queries,
                repeats=repeats,
                verify=verify,
                journal=save,
                progress=told,
            )
    except KeyboardInterrupt:
        kept = "nothing was saved (give --save JOURNAL)" if save is None else f"run it again to go on from {save}"
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if json:
        emit({"command": "paper table1", **found.data()})
    else:
        show_tables(report.tables(found))
        say(report.conditions(found).replace("\n\n", "\n"))
    if csv is not None:
        write_text(csv, report.numbers_table(found).csv())
    if markdown is not None and page is not None:
        write_text(markdown, f"{page[0]}{BEGIN}\n\n{report.markdown(found)}\n{END}{page[1]}")


def _page(path: Path) -> tuple[str, str]:
    """What stands before and after the markers of a Markdown file; a new file has nothing around them."""
    _folder(path)
    if not path.exists():
        return "", "\n"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", path=path, fix="name another file") from None
    before, began, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (began and ended):
        fix = f"put {BEGIN} and {END} into it where the tables belong, or name a new file"
        raise FileError("is there and has no place for the tables", path=path, fix=fix)
    return before, after


def _folder(path: Path) -> None:
    """A fault before the long run rather than after it."""
    if not path.parent.is_dir() or path.is_dir():
        raise FileError("cannot be written", path=path, fix="name a file in a folder that is there")
