"""Tables of the studies as text, Markdown and CSV, their files; the machine and the versions of measured times."""

from __future__ import annotations

import argparse
import csv
import datetime
import importlib.metadata
import io
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import holdfast
from holdfast.plotting import save

#: Packages whose versions affect the measurements, and other methods that may be absent.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "cvxopt", "pyscipopt")

NOT_INSTALLED = "not installed"


def hardware() -> dict[str, Any]:
    """The machine of the measurements, as far as the system reports it."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"system": platform.system(), "machine": platform.machine(), "processor": model, "cores": os.cpu_count()}


def version(package: str) -> str:
    """The installed version of a distribution, or NOT_INSTALLED; Holdfast itself may run from its sources."""
    if package == "holdfast":
        return holdfast.__version__
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return NOT_INSTALLED


def metadata(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Date, versions and hardware, as JSON values."""
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    versions = {"python": platform.python_version(), **{package: version(package) for package in packages}}
    return {"date": date, "versions": versions, "hardware": hardware()}


def described(found: dict[str, Any]) -> str:
    """`metadata` as two lines of text: versions, hardware."""
    lines = ["  ".join(f"{key} {value}" for key, value in found[part].items()) for part in ("versions", "hardware")]
    return "\n".join(lines)


# Tables of text, and how times and ratios are written in them.


@dataclass(frozen=True)
class TextTable:
    """A printed table: every cell is a text.

    Attributes:
        title: what it shows.
        header: names of the columns.
        rows: cells, line by line.
        note: how to read it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    @classmethod
    def of(
        cls, title: str, columns: Mapping[str, Callable[[Any], Any]], items: Iterable[Any], note: str = ""
    ) -> TextTable:
        """A table with one row per item; `columns` gives the header and the cell of each column."""
        return cls(title, tuple(columns), [tuple(str(cell(item)) for cell in columns.values()) for item in items], note)

    def markdown(self, level: int = 3) -> str:
        """The table in Markdown under a heading, with padded columns, so that the text is readable."""
        lines = [list(self.header), *map(list, self.rows)]
        lines = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        texts = [
            "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
        ]
        texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        parts = [f"{'#' * level} {self.title}", "\n".join(texts)]
        return "\n\n".join([*parts, self.note] if self.note else parts)

    def csv(self) -> str:
        """Header and rows as comma-separated values; title and note are left out."""
        text = io.StringIO()
        lines = [self.header, *self.rows]
        csv.writer(text, lineterminator="\n").writerows(lines)
        return text.getvalue()


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, in our words, and our result.

    Attributes:
        text: the claim.
        holds: whether it is confirmed.
        ours: our numbers.
    """

    text: str
    holds: bool
    ours: str


def claim_table(title: str, judged: Sequence[Claim]) -> TextTable:
    """The claims as a table."""
    columns: dict[str, Callable[[Claim], str]] = {
        "the paper": lambda claim: claim.text,
        "confirmed": lambda claim: "yes" if claim.holds else "no",
        "here": lambda claim: claim.ours,
    }
    return TextTable.of(title, columns, judged)


def duration(seconds: float) -> str:
    """A time with three digits in a suitable unit; "-" for none."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} us"


def times(ratio: float, *, at_least: bool = False) -> str:
    """A ratio as '1,230x'; with a sign where it is only a lower bound."""
    if not math.isfinite(ratio):
        return "-"
    sign = ">= " if at_least else ""
    return f"{sign}{ratio:,.0f}x" if ratio >= 10 else f"{sign}{ratio:.2g}x"


# What a study saves: its tables as CSV, which the documentation shows, and its pictures.

#: Where the documentation has its pictures.
PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "papers"


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options of every study: --out FOLDER, --quick."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--out", type=Path, help="folder for tables and pictures; those of the repository by default")
    found.add_argument("--quick", action="store_true", help="a small part in seconds; needs --out")
    return found


def parsed(options: argparse.ArgumentParser, words: Sequence[str] | None) -> argparse.Namespace:
    """The options as given; a quick run must not replace saved results."""
    chosen = options.parse_args(words)
    if chosen.quick and chosen.out is None:
        options.error("--quick needs --out FOLDER: its results do not belong into the repository")
    return chosen


def keep(
    study: Path, out: Path | None, tables: Mapping[str, TextTable], pictures: Mapping[str, Callable[[], Any]]
) -> None:
    """Print the tables; write them as CSV and the pictures as PNG: into `out`, or beside `study` and into the docs."""
    for name, table in tables.items():
        print(table.markdown(), end="\n\n")
        target = (study.parent / "saved" if out is None else out) / f"{name}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(table.csv(), encoding="utf-8")
    for name, draw in pictures.items():
        folder = PICTURES if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        save(draw(), folder / f"{name}.png")
