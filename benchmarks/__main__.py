"""Run benchmarks, print tables, save them as JSON and Markdown, compare two saved runs."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

import benchmarks
from benchmarks import machine
from benchmarks.measuring import Row
from benchmarks.reporting import Report, TextTable

FORMAT = 1
NOT_BENCHMARKS = {"__main__", "machine", "measuring", "nightly", "reporting"}
RESULTS = Path(__file__).parent / "results"


def names() -> list[str]:
    """Every benchmark module, by name."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - NOT_BENCHMARKS)


def measure(chosen: list[str], *, quick: bool, console: Console) -> dict[str, Any]:
    """Run the `chosen` benchmarks, print each table, return what is saved."""
    saved: dict[str, Any] = {"format": FORMAT, **machine.facts(), "quick": quick, "rows": {}, "data": {}, "tables": {}}
    for name in chosen:
        found = importlib.import_module(f"benchmarks.{name}").run(quick)
        report = found if isinstance(found, Report) else Report(found)
        tables = report.tables or [figures(name, report.rows)]
        for table in tables:
            console.print(table.markdown(), soft_wrap=True, markup=False, highlight=False, end="\n\n")
        saved["rows"][name] = [asdict(entry) for entry in report.rows]
        saved["tables"][name] = [table.markdown() for table in tables]
        saved["data"][name] = report.data
    console.print(machine.described(saved), soft_wrap=True, highlight=False)
    return saved


def figures(name: str, rows: Sequence[Row]) -> TextTable:
    """Rows as a table."""
    header = ("what", "unit", "p50", "p95", "max", "n", "note")
    cells = [[r.name, r.unit, *(f"{x:.4g}" for x in (r.p50, r.p95, r.max)), str(r.n), r.note] for r in rows]
    return TextTable(name, header, cells)


def save(path: Path, saved: dict[str, Any]) -> None:
    """Write the run as JSON to `path`, and its tables as Markdown beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: saved[key] for key in saved if key != "tables"}, indent=1) + "\n", "utf-8")
    kind = "A quick run: few samples, no figures to quote." if saved["quick"] else "A full run."
    parts = [f"# Benchmarks, {saved['date']}", kind]
    for name, tables in saved["tables"].items():
        parts += [f"## {name}", *tables]
    parts += ["## Versions and machine", machine.described(saved).replace("\n", "\n\n")]
    path.with_suffix(".md").write_text("\n\n".join(parts) + "\n", "utf-8")


def read(path: Path) -> dict[str, Any]:
    """A saved run; a `ValueError` when it is none."""
    saved = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError(f"{path} is not a saved benchmark run of format {FORMAT}")
    return saved


def compare(first: Path, second: Path, console: Console) -> None:
    """Print the medians and the largest of two saved runs and their ratios; below 1 the second is faster."""
    runs = [read(first), read(second)]
    sides = [{(name, row["name"]): row for name, rows in run["rows"].items() for row in rows} for run in runs]
    for key in ("versions", "hardware"):
        for what in sorted({*runs[0][key], *runs[1][key]}):
            values = [run[key].get(what, "-") for run in runs]
            if values[0] != values[1]:
                console.print(f"{what}: {values[0]} -> {values[1]}")
    table = Grid("benchmark", "what", "unit", f"p50 {first.name}", f"p50 {second.name}", "ratio", "ratio of max")
    for name, what in sorted({*sides[0], *sides[1]}):
        before, after = (side.get((name, what)) for side in sides)
        medians = [f"{entry['p50']:.4g}" if entry else "-" for entry in (before, after)]
        unit = " / ".join(sorted({entry["unit"] for entry in (before, after) if entry}))
        ratios = ["-", "-"]
        if before and after and before["unit"] == after["unit"]:
            ratios = [f"{after[k] / before[k]:.3f}" if before[k] > 0.0 else "-" for k in ("p50", "max")]
        table.add_row(name, what, unit, *medians, *ratios)
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones (all): {', '.join(names())}")
    parser.add_argument("--quick", action="store_true", help="few samples: shows that it runs")
    parser.add_argument(
        "--json", type=Path, metavar="OUT", help="where to save the figures (benchmarks/results/DATE.json); .md beside"
    )
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("A", "B"), help="compare two saved runs, run nothing")
    options = parser.parse_args()
    console = Console()
    if options.compare:
        try:
            compare(options.compare[0], options.compare[1], console)
        except (OSError, ValueError) as error:
            parser.error(str(error))
        return 0
    unknown = set(options.names) - set(names())
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(names())}")
    saved = measure(options.names or names(), quick=options.quick, console=console)
    stamp = saved["date"].replace(":", "").removesuffix("+0000")
    path = options.json or RESULTS / f"{stamp}.json"
    save(path, saved)
    console.print(f"saved {path} and {path.with_suffix('.md').name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
