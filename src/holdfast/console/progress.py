"""A progress bar for work of known length, with its rate and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .output import messages


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, moved by calls with (done, total); None when that is no terminal.

    It shows how many are done, how many a second [1/s] and the time left; what was done before the first call, in an
    earlier run, does not count towards the rate.
    """
    console = messages()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units of work a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(rate(speed), style="progress.data.speed")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeLeft())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def rate(speed: float | None) -> str:
    """A rate for people: "12.3/s", "0.05/s"; nothing while it is not known."""
    if not speed:
        return ""
    digits = 0 if speed >= 100.0 else 1 if speed >= 1.0 else 3
    return f"{speed:,.{digits}f}/s"
