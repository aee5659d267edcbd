"""What the command line prints: tables and JSON to standard output; messages and progress to standard error."""

from __future__ import annotations

import csv
import io
import json
import logging
import math
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import tolerances
from ..errors import visible
from ..inputs import quoted_formula, write_whole
from .options import STDOUT

if TYPE_CHECKING:
    from rich.console import Console

#: Width of tables that go to a file or another program.
FILE_WIDTH = 120

#: The notice on a terminal while kernels are compiled, and after how many seconds it is shown.
NOTICE, NOTICE_AFTER = "compiling the solver for this machine (only once, about 30 seconds)", 1.0

#: The logger of the whole library.
LOGGER = "holdfast"

_COLOURS = {"holds": "green", "optimal": "green", "unbounded": "green", "does not hold": "red", "undecided": "yellow"}


class _Visible:
    """A stream for text in which no character steers the terminal, see `errors.visible`.

    Attributes:
        rich_proxied_file: the stream behind it. Rich writes its colours there; words are made visible before it gets
            them.
    """

    def __init__(self, stream: Any) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Inside the block, names of files and scenes cannot steer the terminal, whoever prints them.

    This is for what other libraries print: warnings, log, tracebacks, wrong options; and for JSON and CSV.
    """
    before = sys.stdout, sys.stderr
    ours = sys.stdout, sys.stderr = _Visible(sys.stdout), _Visible(sys.stderr)
    try:
        yield
    finally:  # a stream that was replaced meanwhile, since its reader has gone, stays
        if sys.stdout is ours[0]:
            sys.stdout = before[0]
        if sys.stderr is ours[1]:
            sys.stderr = before[1]


def output() -> Console:
    """The console on standard output."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False, markup=False, emoji=False)


def messages() -> Console:
    """The console on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def complain(message: str, *, notes: Iterable[str] = (), traceback: bool = False) -> None:
    """Print "error: ..." in red on standard error; with `traceback` also the traceback."""
    console = messages()
    if traceback:
        import traceback as module

        console.print(visible(module.format_exc().rstrip()))
    console.print(visible(f"error: {message}"), style="bold red")
    for note in notes:
        console.print(visible(f"  {note}"), style="red")


def say(message: str = "", *, style: str | None = None) -> None:
    """Print a line on standard output; long ones are not broken."""
    output().print(visible(message), style=style, soft_wrap=True)


def note(message: str) -> None:
    """Print a line on standard error."""
    messages().print(visible(message), style="dim")


def colour(status: str) -> str:
    """The colour of a status."""
    return _COLOURS.get(status, "default")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "", statuses: bool = False) -> None:
    """Print a table; numbers are aligned right. With `statuses`, statuses are coloured."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    cells = [[visible(str(cell)) for cell in row] for row in rows]
    if title:
        say(title, style="bold")
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        numeric = is_numeric(row[number] for row in cells)
        shown.add_column(Text(visible(column)), justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        shown.add_row(*(Text(cell, style=colour(cell) if statuses else "") for cell in row))
    output().print(shown)


def is_numeric(cells: Iterable[str]) -> bool:
    """Whether the cells of a column are numbers, which are aligned right; False where there are none."""
    listed = list(cells)
    return bool(listed) and all(map(_is_number, listed))


def _is_number(cell: str) -> bool:
    text = cell.replace("%", "").strip()
    try:
        float(text or "0")
    except ValueError:
        return text in ("-", "no limit")
    return True


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table: a few digits, "no limit" for infinity, "-" for nothing."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "no limit" if value > 0.0 else "none"
    text = f"{value:.{digits}g}"
    return "0" if float(text) == 0.0 else text


def load_factor(value: float | None) -> str:
    """A load factor for a table; values at rounding level read 0."""
    return number(0.0 if value is not None and abs(value) < tolerances.FEASIBILITY else value)


def counted(count: int, word: str) -> str:
    """A number of things: "1 node", "2 nodes"."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def bound(value: float) -> str:
    """A limit for a table; "no limit" on either side."""
    return "no limit" if math.isinf(value) else number(value)


def plain(value: Any) -> Any:
    """`value` in types of JSON: infinities become "inf" and "-inf", NaN becomes null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return "inf" if value > 0.0 else "-inf"
        return value
    if value is None or isinstance(value, (bool, int)):
        return value
    return str(value)


def emit(data: dict[str, Any]) -> None:
    """Print `data` as JSON on standard output."""
    sys.stdout.write(_json(plain(data)) + "\n")


def _json(value: Any, indent: str = "") -> str:
    """JSON text with lists of numbers and strings on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        parts = [f"{json.dumps(key)}: {_json(entry, inner)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, (dict, list)) for entry in value):
        return "[\n" + ",\n".join(inner + _json(entry, inner) for entry in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV with a header: numbers in full, "inf" without limit, nothing for None and nan.

    A text that a spreadsheet would take for a formula begins with an apostrophe, see `inputs.quoted_formula`.
    """
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_cell, names))
    writer.writerows([_cell(row.get(name, "")) for name in names] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        value = "; ".join(str(entry) for entry in value)
    return visible(quoted_formula(value)) if isinstance(value, str) else value


def write_text(path: Path, text: str, what: str = "written") -> None:
    """Write text to a file, and print a note with its name; "-" is standard output."""
    if path == STDOUT:
        sys.stdout.write(text)
        return
    write_whole(path, text.encode())
    note(f"{what}: {path}")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV, and print a note with the file name; "-" is standard output."""
    write_text(path, csv_text(rows))


def log_to_stderr(verbosity: int) -> Callable[[], None]:
    """Write the log of the library, the logger "holdfast", to standard error; call the returned function to end this.

    Args:
        verbosity: 1 for information, 2 for all details.
    """
    log, handler = logging.getLogger(LOGGER), logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    before = log.level
    log.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    log.addHandler(handler)

    def end() -> None:
        log.removeHandler(handler)
        log.setLevel(before)

    return end


def write_data(path: Path, data: Any) -> None:
    """Write plain data as JSON or YAML, by the suffix, and print a note with the file name."""
    from ..files.yaml_source import yaml_text

    write_text(path, _json(data) + "\n" if path.suffix.lower() == ".json" else yaml_text(data))


# -- progress ---------------------------------------------------------------------------------------


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, updated by calls with (done, total); None when that is not a terminal.

    It shows how many are done, the rate [1/s] and the time left; what was done before the first call, in an earlier
    run, does not count towards the rate.
    """
    console = messages()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class WorkRate(ProgressColumn):
        """Units of work per second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(rate(speed), style="progress.data.speed")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), WorkRate(), TimeLeft())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(visible(title), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def rate(speed: float | None) -> str:
    """A rate as text: "12.3/s", "0.05/s"; "" while it is unknown."""
    if not speed:
        return ""
    digits = 0 if speed >= 100.0 else 1 if speed >= 1.0 else 3
    return f"{speed:,.{digits}f}/s"


# -- compilation of kernels ---------------------------------------------------------------------------


@contextmanager
def compiling_notice(family: str) -> Iterator[None]:
    """A notice on a terminal while kernels are compiled, shown when it takes longer than loading them."""
    console, ended = messages(), threading.Event()

    def show() -> None:
        if not ended.wait(NOTICE_AFTER):
            with console.status(NOTICE):
                ended.wait()

    watcher = threading.Thread(target=show, daemon=True)
    if console.is_terminal:
        watcher.start()
    try:
        yield
    finally:
        ended.set()
        if console.is_terminal:
            watcher.join()
