"""Run benchmarks, print a table, save the figures, compare two saved runs."""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import pkgutil
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.measuring import Row

FORMAT = 1
PACKAGES = ("holdfast", "numpy", "scipy", "highspy", "pydantic", "typer", "matplotlib", "trimesh")
NOT_BENCHMARKS = {"__main__", "measuring"}


def names() -> list[str]:
    """Every benchmark module, by name."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - NOT_BENCHMARKS)


def hardware() -> dict[str, Any]:
    """The machine the figures hold for, as far as it tells."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"system": platform.system(), "machine": platform.machine(), "processor": model, "cores": os.cpu_count()}


def versions() -> dict[str, str]:
    """The versions the figures hold for."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def measure(chosen: list[str], *, quick: bool, console: Console) -> dict[str, Any]:
    """Run the `chosen` benchmarks, print each table, return what is saved."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in chosen:
        result: list[Row] = importlib.import_module(f"benchmarks.{name}").run(quick)
        rows[name] = [asdict(entry) for entry in result]
        table = Table("what", "unit", "p50", "p95", "max", "n", "note", title=name, title_justify="left")
        for entry in result:
            figures = (f"{value:.4g}" for value in (entry.p50, entry.p95, entry.max))
            table.add_row(entry.name, entry.unit, *figures, str(entry.n), entry.note)
        console.print(table)
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    facts = {"format": FORMAT, "date": date, "quick": quick, "versions": versions(), "hardware": hardware()}
    console.print(
        "  ".join(f"{key} {value}" for key, value in facts["versions"].items()),
        "  ".join(f"{key} {value}" for key, value in facts["hardware"].items()),
        sep="\n",
    )
    return {**facts, "rows": rows}


def read(path: Path) -> dict[str, Any]:
    """A saved run; a `ValueError` when it is none."""
    saved = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError(f"{path} is not a saved benchmark run of format {FORMAT}")
    return saved


def compare(first: Path, second: Path, console: Console) -> None:
    """Print the medians of two saved runs and their ratio; below 1 the second is faster."""
    runs = [read(first), read(second)]
    sides = [{(name, row["name"]): row for name, rows in run["rows"].items() for row in rows} for run in runs]
    for key in ("versions", "hardware"):
        for what in sorted({*runs[0][key], *runs[1][key]}):
            values = [run[key].get(what, "-") for run in runs]
            if values[0] != values[1]:
                console.print(f"{what}: {values[0]} -> {values[1]}")
    table = Table("benchmark", "what", "unit", f"p50 {first.name}", f"p50 {second.name}", "ratio")
    for name, what in sorted({*sides[0], *sides[1]}):
        before, after = (side.get((name, what)) for side in sides)
        medians = [f"{entry['p50']:.4g}" if entry else "-" for entry in (before, after)]
        unit = " / ".join(sorted({entry["unit"] for entry in (before, after) if entry}))
        ratio = "-"
        if before and after and before["unit"] == after["unit"] and before["p50"] > 0.0:
            ratio = f"{after['p50'] / before['p50']:.3f}"
        table.add_row(name, what, unit, *medians, ratio)
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones (all): {', '.join(names())}")
    parser.add_argument("--quick", action="store_true", help="few samples: shows that it runs")
    parser.add_argument("--json", type=Path, metavar="OUT", help="save the figures with versions and hardware")
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
    result = measure(options.names or names(), quick=options.quick, console=console)
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
