"""How a command presents its result: as JSON, or as lines and tables declared as data; then a picture and an exit code.

A command parses its options, computes, and calls `present` once:

    present("limit", answer, sheet=_sheet(answer), json=json, plot=plot, picture=lambda: plots.limits(answer))

`_sheet` is a generator of blocks (lines and tables); under --json it is never run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import typer

from .. import tolerances
from ..results import flat_rows
from .options import STDOUT, Exit
from .output import colour, emit, note, number, say, table, write_csv
from .pictures import save


@dataclass(frozen=True)
class Line:
    """A line of text.

    Attributes:
        text: the text; it is not broken.
        style: colour and weight on a terminal: "bold", "bold red", ...
        is_note: whether it goes to standard error.
    """

    text: str = ""
    style: str = ""
    is_note: bool = False


@dataclass(frozen=True)
class TableBlock:
    """A table.

    Attributes:
        columns: headers, with units in brackets.
        rows: cells; columns of numbers are aligned right, statuses ("holds", "does not hold", ...) are coloured.
        title: bold line above, or "".
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""


#: What a sheet consists of; a plain string is a line.
Block = str | Line | TableBlock


def heading(text: str, status: str = "") -> Line:
    """A bold line, in the colour of `status` if one is given."""
    return Line(text, f"bold {colour(status)}" if status else "bold")


def numbers(values: Iterable[float], digits: int = 4) -> list[str]:
    """The entries of one vector as text; entries at rounding level of the largest are shown as 0."""
    entries = [float(value) for value in values]
    smallest = tolerances.ROUNDING * max((abs(x) for x in entries if math.isfinite(x)), default=0.0)
    return [number(0.0 if abs(x) <= smallest else x, digits) for x in entries]


def triple(values: Iterable[float], digits: int = 4) -> str:
    """Numbers separated by commas: "0, 0, -9.807"."""
    return ", ".join(numbers(values, digits))


def yes_no(value: bool) -> str:
    """The words "yes" or "no"."""
    return "yes" if value else "no"


def warning_lines(warnings: Iterable[object]) -> list[Line]:
    """One yellow line per warning."""
    return [Line(f"warning: {warning}", "yellow") for warning in warnings]


def show(sheet: Iterable[Block]) -> None:
    """Print the blocks in order."""
    for block in sheet:
        if isinstance(block, TableBlock):
            table(block.columns, block.rows, title=block.title, statuses=True)
        elif isinstance(block, Line) and block.is_note:
            note(block.text)
        elif isinstance(block, Line):
            say(block.text, style=block.style or None)
        else:
            say(block)


def as_data(result: Any) -> dict[str, Any]:
    """A result as a dictionary: its `to_dict()`, or itself if it is a mapping; {} for None."""
    if result is None:
        return {}
    return dict(result) if isinstance(result, Mapping) else result.to_dict()


def _rows(result: Any) -> Sequence[Mapping[str, Any]]:
    """The table of a result: its own `rows()`, or its numbers and words in one row."""
    return result.rows() if hasattr(result, "rows") else flat_rows(as_data(result))


def present(
    command: str | None,
    result: Any = None,
    *,
    sheet: Iterable[Block] = (),
    json: bool = False,
    metadata: Mapping[str, Any] | None = None,
    plot: Path | None = None,
    picture: Callable[[], Any] | None = None,
    csv: Path | None = None,
    rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
    code: int = Exit.HOLDS,
) -> NoReturn:
    """Print a result, write its picture and end the command.

    Args:
        command: name of the command, the JSON's first key; None leaves it out, as in formats of other programs.
        result: what --json prints: an object with `to_dict()`, or a dictionary.
        sheet: lines and tables that are printed without --json; a generator is not run under --json.
        json: whether --json was given.
        metadata: further keys of the JSON, between the command's name and those of the result.
        plot: file for the picture, or None.
        picture: draws it with matplotlib and returns the axes or figure; called only if `plot` is given.
        csv: file for the main table, or None; "-" is standard output, where the sheet is then left out.
        rows: returns that table, one flat dictionary per row; by default the rows of `result`.
        code: exit code.
    """
    if csv is not None:  # first: a file that cannot be written is reported at once
        write_csv(csv, _rows(result) if rows is None else rows())
    if json:
        emit({**({"command": command} if command else {}), **(metadata or {}), **as_data(result)})
    elif csv != STDOUT:
        show(sheet)
    if plot is not None and picture is not None:
        save(picture(), plot)
    raise typer.Exit(code)
