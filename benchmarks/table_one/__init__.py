"""Table I: every method on the paper's nine devices, and what of the targets is met."""

from __future__ import annotations

from math import nan

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import growth
from benchmarks.reporting import Report
from benchmarks.table_one.figures import FULL, QUICK, measure_row
from benchmarks.table_one.tables import KINDS, comparable_rows, our_limits, our_tests, rival_table
from benchmarks.table_one.targets import first_use, targets, targets_table
from holdfast.papers.table_one import device_rows


def run(quick: bool) -> Report:
    size = QUICK if quick else FULL
    devices = list(device_rows())
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(devices))
        for device in devices:
            said = lambda what, name=device.name: progress.update(task, description=f"{name}: {what}")  # noqa: E731
            rows.append(measure_row(device, size, said))
            progress.advance(task)
        progress.update(task, description="growth, first use")
        found = targets(rows, growth.exponent_of_tests(quick), (nan, nan) if quick else first_use())
    tables = [
        targets_table(found),
        our_tests(rows),
        our_limits(rows),
        *(rival_table(kind, rows) for kind in KINDS),
    ]
    data = {
        "size": vars(size),
        "targets": [target.data() for target in found],
        "devices": {figures.row.name: figures.data() for figures in rows},
    }
    return Report(comparable_rows(rows), tables, data)
