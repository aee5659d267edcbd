"""What long runs share: where they save, what their journals are keyed by, and the bar that shows how far they are."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import holdfast as hf
from holdfast.jobs import fingerprint

RESULTS = Path(__file__).parents[1] / "results"


def code_fingerprint(*references: str) -> str:
    """Names the code that answers and checks: a journal of other code is not gone on with.

    `references` are files of the repository that the checks use beside those of this folder.
    """
    package, here = Path(hf.__file__).parent, Path(__file__).parent
    files = [
        *sorted(package.rglob("*.py")),
        *sorted(here.glob("*.py")),
        *(here.parents[1] / name for name in references),
    ]
    return fingerprint(*(path.read_text(encoding="utf-8") for path in files))


def progress_bar(console: Console) -> Progress:
    """A bar with counts and times, on the error stream."""
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    )  # fmt: skip
    return Progress(*columns, console=console)
