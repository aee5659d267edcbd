"""Ask random questions, check every answer, count what comes out; save as it goes and resume.

    python -m benchmarks.nightly                       100,000 queries
    python -m benchmarks.nightly --queries 2000 --seed 7
    python -m benchmarks.nightly --only 4711 --seed 7  one query once more, with its details
    python -m benchmarks.nightly fuzz --minutes 30     read hostile files; see benchmarks/nightly/fuzz.py
    python -m benchmarks.nightly regions --help        support regions of random scenes
    python -m benchmarks.nightly soak --help           mixed work for an hour: errors and memory

The exit code is 1 when anything happened that must not: an exception that is no HoldfastError, a hang, a crash, a
verdict without proof, a contradiction.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

import holdfast as hf
from benchmarks import machine
from benchmarks.nightly.cases import TWISTS
from benchmarks.nightly.checking import AGREEMENT, REFEREE_CHOICES, examine
from benchmarks.nightly.running import RESULTS, code_fingerprint, progress_bar
from benchmarks.nightly.worker import Worker
from benchmarks.reporting import TextTable, duration
from holdfast.jobs import fingerprint

QUERIES = 100_000
SEED = 1
CHUNK = 50  # queries saved at a time

#: Other long runs of this folder, by their first word.
RUNS = ("fuzz", "regions", "soak")


def main() -> int:
    if sys.argv[1:] and sys.argv[1] in RUNS:
        return importlib.import_module(f"benchmarks.nightly.{sys.argv[1]}").main(sys.argv[2:])
    options = _options()
    console = Console(stderr=True)
    if options.only is not None:
        outcome = examine(options.only, options.seed)
        console.print(vars(outcome))
        return int(outcome.bad)
    journal = options.journal or RESULTS / f"nightly-{options.seed}-{options.queries}.jsonl"
    journal.parent.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        journal.unlink(missing_ok=True)
    starts = list(range(0, options.queries, CHUNK))
    key = fingerprint("nightly", options.seed, CHUNK, sorted(TWISTS), code_fingerprint("tests/referee.py"))
    try:
        with Worker(options.seed) as worker, progress_bar(console) as progress:
            shown = progress.add_task("queries", total=options.queries)

            def task(start: int) -> dict[str, Any]:
                return examined(worker, range(start, min(start + CHUNK, options.queries)))

            def done(finished: int, total: int) -> None:
                progress.update(shown, completed=min(finished * CHUNK, options.queries))

            chunks = hf.jobs.sweep(task, starts, journal=journal, key=key, progress=done)
    except hf.HoldfastError as error:
        console.print(f"{error}; or run with --fresh", style="red", highlight=False)
        return 2
    summary = summarised(chunks, options.queries, options.seed)
    text = report(summary)
    journal.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    journal.with_suffix(".json").write_text(json.dumps({**machine.facts(), **summary}, indent=1) + "\n", "utf-8")
    print(text)
    return int(bool(summary["bad"]))


def examined(worker: Worker, numbers: range) -> dict[str, Any]:
    """Counts of one chunk, and every bad outcome in full."""
    counts: Counter[str] = Counter()
    bad, undecided = [], []
    refereed, seconds, slowest = 0, 0.0, (0.0, -1)
    for number in numbers:
        outcome = worker.examine(number)
        counts[outcome.name] += 1
        refereed += outcome.refereed
        seconds += outcome.seconds
        slowest = max(slowest, (outcome.seconds, number))
        if outcome.bad:
            bad.append({"query": number, "outcome": outcome.name, "detail": outcome.detail})
        elif outcome.name.endswith("undecided"):
            undecided.append({"query": number, "outcome": outcome.name, "detail": outcome.detail})
    return {
        "counts": dict(counts),
        "bad": bad,
        "undecided": undecided,
        "refereed": refereed,
        "seconds": seconds,
        "slowest": slowest,
    }


def summarised(chunks: list[dict[str, Any]], queries: int, seed: int) -> dict[str, Any]:
    """All chunks as one."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(chunk["counts"])
    slowest = max((tuple(chunk["slowest"]) for chunk in chunks), default=(0.0, -1))
    return {
        "queries": queries,
        "seed": seed,
        "counts": dict(sorted(counts.items())),
        "bad": [entry for chunk in chunks for entry in chunk["bad"]],
        "undecided": [entry for chunk in chunks for entry in chunk["undecided"]],
        "refereed": sum(chunk["refereed"] for chunk in chunks),
        "seconds": sum(chunk["seconds"] for chunk in chunks),
        "slowest": {"seconds": slowest[0], "query": slowest[1]},
    }


def report(summary: dict[str, Any]) -> str:
    """The summary as Markdown."""
    total = summary["queries"]
    rows = [[name, f"{count:,}", f"{100.0 * count / total:.3f} %"] for name, count in summary["counts"].items()]
    rows.append(["all", f"{total:,}", ""])
    note = (
        f"Every verdict was checked by its own proof; {summary['refereed']:,} were also compared with every choice of "
        f"pieces tried (up to {REFEREE_CHOICES} of them), to {AGREEMENT:g}. Outcomes in capitals must not happen. "
        f"Mean {duration(summary['seconds'] / total)} a query, slowest {duration(summary['slowest']['seconds'])} "
        f"(query {summary['slowest']['query']})."
    )
    parts = [
        TextTable(f"Random queries, seed {summary['seed']}", ("outcome", "queries", "share"), rows, note).markdown()
    ]
    for title, key in (("Must not happen", "bad"), ("Undecided", "undecided")):
        if summary[key]:
            shown = [[str(e["query"]), e["outcome"], e["detail"]] for e in summary[key][:50]]
            parts.append(TextTable(f"{title}: {len(summary[key])}", ("query", "outcome", "detail"), shown).markdown())
    return "\n\n".join(parts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nightly", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=QUERIES, metavar="N", help=f"how many ({QUERIES:,})")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S", help=f"of all queries ({SEED})")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="where it saves and resumes (benchmarks/results)")
    parser.add_argument("--fresh", action="store_true", help="forget what was saved")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="ask one query alone, save nothing")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
