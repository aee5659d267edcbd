"""Support regions of random scenes with two facing feet and box hands: each proven, some compared with HiGHS.

    python -m benchmarks.nightly regions                    100,000 scenes
    python -m benchmarks.nightly regions --scenes 2000 --seed 7

It saves as it goes and resumes. The exit code is 1 when an exception occurs, a region is not proven, or HiGHS finds
another one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import holdfast as hf
from benchmarks import machine
from benchmarks.nightly.running import RESULTS, code_fingerprint, progress_bar
from benchmarks.reporting import TextTable
from holdfast.jobs import fingerprint
from tests.postures.facing_feet import disagreement, facing_feet, region_of

SCENES = 100_000
SEED = 1
CHUNK = 100  # scenes saved at a time

#: One scene in so many is compared with HiGHS, along so many random directions.
COMPARED, DIRECTIONS = 10, 4


def main(words: Sequence[str] | None = None) -> int:
    options = _options(words)
    journal: Path = options.journal or RESULTS / f"regions-{options.seed}-{options.scenes}.jsonl"
    journal.parent.mkdir(parents=True, exist_ok=True)
    key = fingerprint("regions", options.seed, CHUNK, code_fingerprint("tests/postures/facing_feet.py"))
    with progress_bar(Console(stderr=True)) as progress:
        shown = progress.add_task("scenes", total=options.scenes)

        def task(start: int) -> dict[str, Any]:
            return examined(range(start, min(start + CHUNK, options.scenes)), options.seed)

        def done(finished: int, total: int) -> None:
            progress.update(shown, completed=min(finished * CHUNK, options.scenes))

        starts = list(range(0, options.scenes, CHUNK))
        chunks = hf.jobs.sweep(task, starts, journal=journal, key=key, progress=done)
    counts: Counter[str] = sum((Counter(chunk["counts"]) for chunk in chunks), Counter())
    compared, bad = sum(chunk["compared"] for chunk in chunks), [entry for chunk in chunks for entry in chunk["bad"]]
    summary = {"scenes": options.scenes, "seed": options.seed, "counts": counts, "compared": compared, "bad": bad}
    journal.with_suffix(".json").write_text(json.dumps({**machine.facts(), **summary}, indent=1) + "\n", "utf-8")
    note = (
        f"Every region was checked by its own proof; {compared:,} of them by HiGHS along {DIRECTIONS} directions, too."
    )
    rows = [[name, f"{count:,}"] for name, count in sorted(counts.items())]
    print(TextTable(f"Support regions, seed {options.seed}", ("outcome", "scenes"), rows, note).markdown())
    for number, detail in bad:
        print(f"WRONG: scene {number}: {detail}")
    return int(bool(bad))


def examined(numbers: range, seed: int) -> dict[str, Any]:
    """Counts of one chunk, and every scene that went wrong."""
    counts: Counter[str] = Counter()
    bad, compared = [], 0
    for number in numbers:
        poses = facing_feet(number, seed)
        try:
            region = region_of(poses)
            trouble = "" if region.verify() else f"not proven: {region.residuals}"
        except Exception as error:  # noqa: BLE001  (the very thing that is looked for)
            bad.append((number, f"{type(error).__name__}: {error}"))
            counts["EXCEPTION"] += 1
            continue
        if number % COMPARED == 0:
            angles = np.random.default_rng([seed, number]).uniform(0.0, 2.0 * np.pi, DIRECTIONS)
            trouble = trouble or disagreement(region, poses, np.column_stack([np.cos(angles), np.sin(angles)]))
            compared += 1
        if trouble:
            bad.append((number, trouble))
        counts["WRONG" if trouble else f"{region.kind}, {region.method}"] += 1
    return {"counts": dict(counts), "compared": compared, "bad": bad}


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nightly regions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenes", type=int, default=SCENES, metavar="N", help=f"how many ({SCENES:,})")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S", help=f"of all scenes ({SEED})")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="where it saves and resumes (benchmarks/results)")
    return parser.parse_args(words)
