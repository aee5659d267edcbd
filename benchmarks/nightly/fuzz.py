"""Read hostile files of every kind; each must load or be refused by a HoldfastError within a time and a memory bound.

    python -m benchmarks.nightly fuzz --minutes 30     continue the run of this seed for half an hour
    python -m benchmarks.nightly fuzz --inputs 20000 --seed 7
    python -m benchmarks.nightly fuzz --only 4711 --seed 7    one file once more, with its traceback

It saves as it goes and resumes; Ctrl-C ends it with its report. What must not happen (another exception, a hang, a
crash, too much time or memory) is saved in tests/hostile_files, one file for each place in the code, and replayed by
tests/test_hostile_files.py. The exit code is 1 when there was any.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import holdfast as hf
from benchmarks import machine
from benchmarks.nightly.checking import Outcome
from benchmarks.nightly.hostile_files import KINDS, HostileKind, hostile_file, kind_of
from benchmarks.nightly.running import RESULTS
from benchmarks.nightly.worker import Worker
from benchmarks.reporting import TextTable, duration
from holdfast.inputs import write_whole

SEED = 1
CHUNK = 500  # files read before the worker reports
CORPUS = Path(__file__).parents[2] / "tests" / "hostile_files"

#: Longest time to read one file [s of CPU], and how much the peak of memory may grow by it [bytes].
LONGEST = 5.0
LARGEST_GROWTH = 500_000_000

#: Address space that the worker may take beyond what it has at its start [bytes]: what wants more gets a MemoryError.
ROOM = 4_000_000_000

#: Seconds without a report before a chunk, or one file of it, counts as hanging.
HANG = 300.0
HANG_OF_ONE = 60.0

#: Seconds between two savings of the run.
SAVE_EVERY = 10.0

#: Largest file that is kept [bytes].
LARGEST_KEPT = 100_000


@dataclass
class Tally:
    """What became of the files of one kind: how many, loaded, refused; seconds of CPU, the slowest and its number."""

    inputs: int = 0
    loaded: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_input: int = -1

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.inputs += other.inputs
        self.loaded += other.loaded
        self.refused += other.refused
        self.seconds += other.seconds
        if other.slowest > self.slowest:
            self.slowest, self.slowest_input = other.slowest, other.slowest_input


@dataclass
class Finding:
    """Something that must not happen: the file's number, its kind, what happened, and where in the code."""

    number: int
    kind: str
    outcome: str
    place: str
    detail: str

    @property
    def signature(self) -> str:
        """Findings with the same one are one fault."""
        return f"{self.kind}-{self.outcome}-{self.place}"


@dataclass
class Report:
    """What a chunk of files, or the whole run, came to."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Count another report in; of findings with one signature the first is kept."""
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, Tally()).add(tally)
        known = {finding.signature for finding in self.findings}
        for finding in other.findings:
            if finding.signature not in known:
                known.add(finding.signature)
                self.findings.append(finding)

    @property
    def inputs(self) -> int:
        """Files read."""
        return sum(tally.inputs for tally in self.tallies.values())


# -- one file -----------------------------------------------------------------------------------------


def read_one(kind: HostileKind, path: Path, number: int = -1) -> tuple[str, Finding | None]:
    """("loaded" or "refused", or the outcome of the finding; the finding if there is one)."""
    start, peak = time.process_time(), _peak()
    place, detail = "", ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kind.load(path)
            outcome = "loaded"
        except hf.HoldfastError as error:
            outcome = "refused"
            if not (error.what and error.fix):
                outcome, place, detail = "NO FIX", _place(error), str(error)
        except Exception as error:  # noqa: BLE001 - that is the question
            outcome, place, detail = type(error).__name__, _place(error), str(error)[:300]
    seconds, growth = time.process_time() - start, _peak() - peak
    if outcome in ("loaded", "refused"):
        if seconds > LONGEST:
            outcome, detail = "SLOW", f"{seconds:.1f} s of CPU"
        elif growth > LARGEST_GROWTH and peak:
            outcome, detail = "MEMORY", f"the peak rose by {growth / 1e6:.0f} MB"
        else:
            return outcome, None
    return outcome, Finding(number, kind.name, outcome, place, detail)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _place(error: BaseException) -> str:
    """The last line of Holdfast in a traceback: file.function."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{os.sep}holdfast{os.sep}" in frame.filename] or frames
    return f"{Path(own[-1].filename).stem}.{own[-1].name}"


# -- the worker ---------------------------------------------------------------------------------------


def serve_files(pipe: Connection, seed: int) -> None:
    """Answer (first, last) numbers with a report of the files between, until the other side closes."""
    logging.disable()
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as the process
    os.dup2(sys.stderr.fileno(), 2)  # C libraries write warnings there
    os.dup2(sys.stderr.fileno(), 1)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        _warm_up(Path(folder), seed)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, hard))
        while True:
            try:
                first, last = pipe.recv()
            except EOFError:
                return
            pipe.send(read_range(first, last, seed, Path(folder)))


def _warm_up(folder: Path, seed: int) -> None:
    """Read the sound files once, so that imports count for no file."""
    for number in range(2 * len(KINDS) + 200):
        kind, data = hostile_file(number, seed)
        path = folder / f"file{kind.ending}"
        path.write_bytes(data)
        read_one(kind, path)


def read_range(first: int, last: int, seed: int, folder: Path) -> Report:
    """The report of the files first, ..., last - 1."""
    report = Report()
    for number in range(first, last):
        kind, data = hostile_file(number, seed)
        path = folder / f"file{kind.ending}"
        path.write_bytes(data)
        start = time.process_time()
        outcome, finding = read_one(kind, path, number)
        seconds = time.process_time() - start
        tally = Tally(1, outcome == "loaded", outcome == "refused", seconds, seconds, number)
        report.add(Report({kind.name: tally}, [] if finding is None else [finding]))
    return report


# -- the run --------------------------------------------------------------------------------------------


def asked(worker: Worker, single: Worker, first: int, last: int) -> Report:
    """The report of a chunk; where the worker was lost, that of its files one by one."""
    found: Any = worker.examine((first, last))
    if isinstance(found, Report):
        return found
    report = Report()
    for number in range(first, last):
        one: Any = single.examine((number, number + 1))
        if isinstance(one, Outcome):
            kind = kind_of(number).name
            one = Report({kind: Tally(1)}, [Finding(number, kind, one.name, "", one.detail)])
        report.add(one)
    return report


def main(arguments: list[str]) -> int:
    """Run for a time or a number of files, save, and print the report."""
    options = _options(arguments)
    console = Console(stderr=True)
    if options.only is not None:
        return _only(options.only, options.seed, console)
    saved = RESULTS / f"fuzz-{options.seed}.json"
    saved.parent.mkdir(parents=True, exist_ok=True)
    total, number = (Report(), 0) if options.fresh or not saved.exists() else _restored(saved)
    end, stop = time.monotonic() + 60.0 * options.minutes, number + (options.inputs or sys.maxsize)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with (
        Worker(options.seed, HANG, serve_files) as worker,
        Worker(options.seed, HANG_OF_ONE, serve_files) as single,
        Progress(*columns, console=console) as progress,
    ):
        shown = progress.add_task("files", total=options.inputs or 60.0 * options.minutes)
        begun = kept = time.monotonic()
        first = number
        try:
            while number < stop and time.monotonic() < end:
                last = min(number + CHUNK, stop)
                report = asked(worker, single, number, last)
                _keep(report.findings, options.seed, options.corpus, {one.signature for one in total.findings})
                total.add(report)
                number = last
                if time.monotonic() - kept > SAVE_EVERY:
                    _save(saved, total, number, options.seed)
                    kept = time.monotonic()
                seconds = time.monotonic() - begun
                rate = (number - first) / seconds
                text = f"{number:,} files, {rate:.0f}/s, {len(total.findings)} findings"
                progress.update(
                    shown,
                    description=text,
                    completed=number - first if options.inputs else min(seconds, 60.0 * options.minutes),
                )
        except KeyboardInterrupt:
            console.print("stopped; the next run resumes here", style="yellow")
    _save(saved, total, number, options.seed)
    text = markdown(total, options.seed)
    saved.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    print(text)
    return int(bool(total.findings))


def _only(number: int, seed: int, console: Console) -> int:
    """Read one file here, and print what becomes of it."""
    kind, data = hostile_file(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{kind.ending}"
        path.write_bytes(data)
        console.print(f"{kind.name}, {len(data):,} bytes: {data[:2000]!r}", markup=False)
        try:
            console.print(kind.load(path), markup=False)
        except hf.HoldfastError as error:
            console.print(f"refused: {error}", markup=False)
        except Exception:  # noqa: BLE001 - that is what was asked for
            console.print_exception()
            return 1
    return 0


def _keep(findings: list[Finding], seed: int, folder: Path, known: set[str]) -> None:
    """Save the files of new findings."""
    for finding in findings:
        kind, data = hostile_file(finding.number, seed)
        if finding.signature in known or len(data) > LARGEST_KEPT:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(sign if sign.isalnum() else "_" for sign in f"{finding.outcome}_{finding.place}")
        write_whole(folder / f"{kind.name}-{name}{kind.ending}", data)


def _save(path: Path, total: Report, number: int, seed: int) -> None:
    data = {**machine.facts(), "seed": seed, "next": number, **asdict(total)}
    write_whole(path, (json.dumps(data, indent=1) + "\n").encode())


def _restored(path: Path) -> tuple[Report, int]:
    data = json.loads(path.read_text(encoding="utf-8"))
    tallies = {name: Tally(**tally) for name, tally in data["tallies"].items()}
    return Report(tallies, [Finding(**finding) for finding in data["findings"]]), data["next"]


def markdown(total: Report, seed: int) -> str:
    """The report as Markdown."""
    rows = [
        [
            name,
            f"{tally.inputs:,}",
            f"{tally.loaded:,}",
            f"{tally.refused:,}",
            f"{tally.inputs / max(tally.seconds, 1e-9):,.0f}",
            duration(tally.slowest),
        ]
        for name, tally in sorted(total.tallies.items())
    ]
    header = ("kind", "files", "loaded", "refused", "files/s of CPU", "slowest")
    note = f"{total.inputs:,} files in all; each loads or is refused within {LONGEST:g} s of CPU."
    parts = [TextTable(f"Hostile files, seed {seed}", header, rows, note).markdown()]
    if total.findings:
        shown = [[str(one.number), one.kind, one.outcome, one.place, one.detail] for one in total.findings]
        columns = ("file", "kind", "outcome", "place", "detail")
        parts.append(TextTable(f"Must not happen: {len(shown)}", columns, shown).markdown())
    return "\n\n".join(parts)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nightly fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N", help="how long (10)")
    parser.add_argument("--inputs", type=int, metavar="N", help="stop after so many files, if that comes first")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S", help=f"of all files ({SEED})")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="FOLDER", help="where findings are kept")
    parser.add_argument("--fresh", action="store_true", help="forget what was saved")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="read one file alone, save nothing")
    return parser.parse_args(arguments)
