"""Tables of the studies as text, Markdown and CSV; the machine and the versions of measured times."""

from __future__ import annotations

import csv
import datetime
import importlib.metadata
import io
import math
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..errors import HoldfastError
from ..inputs import quoted_formula

#: Packages whose versions affect the measurements, and other methods that may be absent.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "cvxopt", "pyscipopt")
T = TypeVar("T")

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
    if package == "holdfast":  # loaded as the parent of this module; an import would break the layer rules
        return sys.modules[__name__.partition(".")[0]].__version__
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


# Results in files, for runs that are resumed.


def kept(
    path: Path | None, read: Callable[[Path], T | None], make: Callable[[], T], write: Callable[[T, Path], Any]
) -> tuple[T, bool]:
    """(result, whether it was read): from the file `path` if `read` accepts it; otherwise it is made and written there.

    Args:
        path: the file; None stores nothing.
        read: reads the file; None, or an error, for a result of another question or a damaged file.
        make: computes the result.
        write: writes a result to the file.
    """
    if path is not None and path.is_file():
        try:
            known = read(path)
        except (HoldfastError, OSError, ValueError, KeyError, TypeError):
            known = None
        if known is not None:
            return known, True
    made = make()
    if path is not None:
        write(made, path)
    return made, False


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
        """Header and rows as comma-separated values, formulas quoted; title and note are left out."""
        text = io.StringIO()
        lines = [self.header, *self.rows]
        csv.writer(text, lineterminator="\n").writerows([map(quoted_formula, line) for line in lines])
        return text.getvalue()


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
