"""Tables of studies: shown, and written as CSV and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.output import note, say, table
from ..errors import FileError

if TYPE_CHECKING:
    from .studies.text_tables import Table

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="Write tables (CSV, Markdown) and pictures there.")
]


def show_tables(tables: Iterable[Table]) -> None:
    """Print tables with what has to be said about them."""
    for shown in tables:
        table(shown.header, shown.rows, title=shown.title)
        say(shown.note)
        say()


def write_tables(target: Path, tables: Mapping[str, Table]) -> None:
    """Each table into the folder `target`, by its name, as CSV and as Markdown."""
    for name, shown in tables.items():
        write_text(target / f"{name}.csv", shown.csv())
        write_text(target / f"{name}.md", shown.markdown(2) + "\n")


def write_text(path: Path, text: str) -> None:
    """A file, and a note that it is there."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=path, fix=fix) from None
    note(f"written: {path}")
