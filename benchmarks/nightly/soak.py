"""A soak of everything in one process: errors, wrong answers and growing memory.

    python -m benchmarks.nightly soak --minutes 60

Rounds of mixed work: random questions, single and batched; support regions; a sweep that is killed and resumed, and
one that is interrupted; batches of postures by the kernels of the device "cpu". Meanwhile four browsers (websockets)
in the viewer of this process move controls, go through all pages, leave and come back.

Every round is saved. The exit code is 1 when an answer is wrong or unproven, an exception occurs, a page shows an
internal error, or memory grows by more than 10 % after the warm-up.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import logging
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console

import holdfast as hf
from benchmarks import machine
from benchmarks.measuring import Memory
from benchmarks.nightly import regions
from benchmarks.nightly.checking import examine
from benchmarks.nightly.running import RESULTS, progress_bar
from benchmarks.sweeps import Limits
from holdfast.assembly import loads
from holdfast.viewer import gallery
from holdfast.viewer.server import ViewerServer, serve
from holdfast.viewer.session import label
from holdfast.web.page import PageEntry
from tests.viewer.wire import WireBrowser, until

MINUTES, SEED = 60.0, 1

#: The first part of the time, and at most so many seconds of it, is warm-up: kernels are loaded, and what is kept for
#: speed comes to its bounds. It lasts until every page was visited so many times, however slow the machine is.
WARM_UP, MOST_WARM_UP, VISITS = 0.25, 900.0, 2

#: Work of one round.
QUERIES, DIRECTIONS, SCENES, POSTURES, MOVES = 12, 100, 20, 200, 6

#: One round in so many has a process killed: starting one takes seconds.
KILLS = 4

#: Browsers at a time.
BROWSERS = 4

#: Chunks and queries of a sweep; how long one that is to be killed has to save some [s].
CHUNK, SWEEP, PATIENCE = 5, 60, 300.0


class Trouble(Exception):
    """An answer that is wrong, or a page with an error that must not occur."""


# -- sweeps -----------------------------------------------------------------------------------------


class Interrupted(Exception):
    """Ends a sweep in the middle."""


def swept(journal: Path | None, progress: Callable[[int, int], None] | None = None) -> list[Any]:
    """Load limits of the four-finger hand along directions all around, saved as they come."""
    forces = loads.sphere_directions(SWEEP).tolist()
    task: Any = Limits("threads", CHUNK)  # offers `many` alone
    return hf.jobs.sweep(task, forces, journal=journal, key="soak", progress=progress)


def resumed(journal: Path, right: list[Any]) -> None:
    """Go on with a journal, which must have a part of the results, and compare them all."""
    seen: list[int] = []
    found = swept(journal, lambda done, _: seen.append(done))
    if not 0 < seen[0] < SWEEP:
        raise Trouble(f"{seen[0]} of {SWEEP} results of a sweep were in its journal")
    if found != right:
        raise Trouble("a sweep that was resumed has other results")


def interrupted_sweep(folder: Path, right: list[Any]) -> None:
    """A sweep that ends with an exception half-way, and is resumed."""
    journal = folder / "interrupted.jsonl"

    def stop(done: int, total: int) -> None:
        if done >= total // 2:
            raise Interrupted

    try:
        swept(journal, stop)
    except Interrupted:
        resumed(journal, right)
    journal.unlink()


def killed_sweep(folder: Path, right: list[Any]) -> None:
    """A sweep in a process that is killed once it has saved some results, resumed here."""
    journal = folder / "killed.jsonl"
    words = f"from pathlib import Path; from benchmarks.nightly.soak import half; half(Path({str(journal)!r}))"
    with subprocess.Popen([sys.executable, "-c", words], cwd=Path(__file__).parents[2]) as process:
        end = time.monotonic() + PATIENCE
        while not journal.exists() or journal.read_bytes().count(b"\n") <= CHUNK:
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                raise Trouble(f"a process that sweeps saved nothing (exit code {process.poll()})")
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    resumed(journal, right)
    journal.unlink()


def half(journal: Path) -> None:
    """The sweep up to its half, then nothing: for a process that is killed before or there."""
    swept(journal, lambda done, total: time.sleep(PATIENCE if done >= total // 2 else 0.05))


# -- questions --------------------------------------------------------------------------------------


def questions(number: int, seed: int) -> None:
    """Random questions, cold, warm and in batches, each answer checked; how long they take is no matter here."""
    for query in range(number * QUERIES, (number + 1) * QUERIES):
        outcome = examine(query, seed)
        if outcome.bad and outcome.name != "LATE":
            raise Trouble(f"query {query}: {outcome.name}: {outcome.detail}")


def batch(solver: hf.Solver, rng: np.random.Generator) -> None:
    """Many load limits at once; one of them is asked again and proven."""
    directions = rng.normal(size=(DIRECTIONS, 6)) * np.repeat([1.0, solver.assembly.length], 3)
    answers = solver.load_limit_many(directions)
    index = int(rng.integers(DIRECTIONS))
    alone = hf.load_limit(solver.assembly, directions[index])
    if not alone.verify():
        raise Trouble("a load limit is not proven")
    if not np.isclose(answers.values[index], alone.value, rtol=1e-5):
        raise Trouble(f"a batch says {answers.values[index]:.9g}, a single question {alone.value:.9g}")


def scenes(number: int, seed: int) -> None:
    """Support regions, proven, some of them compared with HiGHS."""
    found = regions.examined(range(number * SCENES, (number + 1) * SCENES), seed)
    if found["bad"]:
        raise Trouble(f"support region of scene {found['bad'][0][0]}: {found['bad'][0][1]}")


def device_batch(rng: np.random.Generator) -> None:
    """Verdicts about postures by the kernels of a device, on the CPU, against those of the simplex method."""
    grip = hf.Grip(rng.normal(size=(40, 6)) * [20.0, 20.0, 30.0, 1.0, 1.0, 1.0])
    turns, _ = np.linalg.qr(rng.normal(size=(POSTURES, 3, 3, 3)))
    poses = np.tile(np.eye(4), (POSTURES, 3, 1, 1))
    poses[..., :3, :3] = turns * np.linalg.det(turns)[..., None, None]
    poses[..., :3, 3] = 0.3 * rng.normal(size=(POSTURES, 3, 3))
    wrenches = rng.normal(size=(POSTURES, 6)) * np.repeat([25.0, 5.0], 3)
    found = hf.postures.posture_many(grip, poses, wrenches, device="cpu", undecided="leave")
    right = hf.postures.posture_many(grip, poses, wrenches)
    decided = found.statuses != hf.Status.UNDECIDED
    if not (found.statuses[decided] == right.status[decided]).all():
        raise Trouble("verdicts of a device and of the simplex method differ")


# -- browsers ---------------------------------------------------------------------------------------


class Errors(logging.Handler):
    """Keeps what anything in this process logs as an error, and exceptions that end a thread."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def __enter__(self) -> Errors:
        logging.getLogger().addHandler(self)
        self._before, threading.excepthook = threading.excepthook, self._ended
        return self

    def __exit__(self, *_: object) -> None:
        threading.excepthook = self._before
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        cause = record.exc_info[1] if record.exc_info else None
        self.found.append(f"logged: {record.getMessage()}" + ("" if cause is None else f": {cause!r}"))

    def _ended(self, what: threading.ExceptHookArgs) -> None:
        self.found.append(f"ended a thread: {what.exc_value!r}")

    def taken(self) -> list[str]:
        """What was found since the last call."""
        found, self.found = self.found, []
        return found


class Browsers:
    """Four browsers in one viewer, that visit the pages in turn and move controls at random."""

    def __init__(self, server: ViewerServer, pages: Sequence[PageEntry], seed: int) -> None:
        self._server, self._pages, self._rng = server, pages, random.Random(seed)
        self._open = [WireBrowser(server) for _ in range(BROWSERS)]
        self._wanted = [""] * BROWSERS
        self._next = 0
        self.moves = 0

    def go(self, number: int) -> None:
        """One browser leaves, whatever it waits for, and another comes; each goes to the next page."""
        leaving = number % BROWSERS
        self._open[leaving].close()
        self._open[leaving] = WireBrowser(self._server)
        for index, browser in enumerate(self._open):
            page = self._pages[self._next % len(self._pages)]
            browser.move(browser.session._menu, label(page))
            self._wanted[index] = page.key
            self._next += 1

    def move(self) -> None:
        """Some controls of every page get new values, without waiting for answers."""
        for browser, wanted in zip(self._open, self._wanted, strict=True):
            session = browser.session
            until(lambda session=session, wanted=wanted: session.key == wanted, PATIENCE)
            menus = session._client.gui._gui_input_handle_from_uuid
            controls = [(c, v) for c in tuple(menus.values()) if c is not session._menu and len(v := _values(c)) > 1]
            for control, values in self._rng.sample(controls, min(MOVES, len(controls))):
                browser.move(control, self._rng.choice(values))
                self.moves += 1

    def settle(self) -> None:
        """Wait until every question is answered. An internal error that is shown is a trouble, a refusal is none."""
        for browser in self._open:
            session = browser.session
            if not session.worker.wait(PATIENCE):
                raise Trouble(f"page {session.key!r} did not answer within {PATIENCE:.0f} s")
            if session.verdict.error.startswith("internal error"):
                raise Trouble(f"page {session.key!r}: {session.verdict.error}")

    def close(self) -> None:
        """All leave."""
        for browser in self._open:
            browser.close()


def _values(control: Any) -> Sequence[Any]:
    """Values that a hand can give a slider, a menu or a box."""
    import viser

    if isinstance(control, viser.GuiSliderHandle):
        return np.arange(control.min, control.max + 0.5 * control.step, control.step).tolist()
    if isinstance(control, viser.GuiDropdownHandle):
        return control.options
    return (False, True) if isinstance(control, viser.GuiCheckboxHandle) else ()


# -- the run ----------------------------------------------------------------------------------------


class Soak:
    """What all rounds share.

    Args:
        folder: where sweeps are saved.
        seed: of all random work.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._limits = swept(None)
        self._solver = hf.Solver(hf.devices.create("4FH", fingers="opposed").assembly())
        self.counts: Counter[str] = Counter()
        self.troubles: list[str] = []

    def round(self, number: int, browsers: Browsers) -> None:
        """One round of everything; a trouble in one part does not keep the others from their work."""
        rng = np.random.default_rng([self._seed, number])
        self._do("pages", BROWSERS, browsers.go, number)
        self._do("questions", QUERIES, questions, number, self._seed)
        self._do("support regions", SCENES, scenes, number, self._seed)
        before = browsers.moves
        self._do("moves", 0, browsers.move)
        self.counts["moves"] += browsers.moves - before
        self._do("load limits in batches", DIRECTIONS, batch, self._solver, rng)
        self._do("postures on the device cpu", POSTURES, device_batch, rng)
        self._do("sweeps interrupted", 1, interrupted_sweep, self._folder, self._limits)
        if number % KILLS == 0:
            self._do("sweeps killed", 1, killed_sweep, self._folder, self._limits)
        self._do("pages settled", BROWSERS, browsers.settle)

    def _do(self, name: str, count: int, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
            self.counts[name] += count
        except Exception as error:  # noqa: BLE001  (the very thing that is looked for)
            self.troubles.append(f"{name}: {type(error).__name__}: {error}")


def give_back() -> None:
    """Collect garbage and return free pages of the heap to the system, where that can be asked for.

    How many free pages the heap keeps varies by 15 % from round to round. What is in use, and what lies between, stays.
    """
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def soaked(seconds: float, seed: int, saved: Path, shown: Callable[[float, str], None]) -> tuple[Soak, Memory]:
    """Rounds for so long [s], at least one; each is appended to `saved`, and `shown` is called with time and words."""
    import psutil

    process, memory = psutil.Process(), Memory(min(WARM_UP * seconds, MOST_WARM_UP))
    pages = gallery.entries()
    with TemporaryDirectory() as folder, Errors() as errors:
        soak = Soak(Path(folder), seed)
        server = serve(pages, port=0)
        try:
            browsers, start, number = Browsers(server, pages, seed), time.monotonic(), 0
            while (now := time.monotonic() - start) < seconds or not number:
                soak.round(number, browsers)
                soak.troubles += errors.taken()
                number += 1
                now = time.monotonic() - start
                if number * BROWSERS <= VISITS * len(pages):
                    memory.warm_up = max(memory.warm_up, now + 1.0)
                resident = process.memory_info().rss
                give_back()
                memory.samples.append((now, process.memory_info().rss))
                facts = {"round": number, "seconds": round(now, 1)}
                facts |= {"resident_bytes": resident, "bytes": memory.samples[-1][1]}
                facts |= {"threads": process.num_threads(), "files": process.num_fds()}
                with saved.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({**facts, "counts": soak.counts, "troubles": soak.troubles}) + "\n")
                shown(now, f"round {number}, {facts['bytes'] / 2**20:.0f} MiB, {len(soak.troubles)} troubles")
            browsers.close()
        finally:
            server.stop()
        soak.troubles += errors.taken()
    soak.troubles += [memory.trouble] if memory.trouble else []
    return soak, memory


def main(words: Sequence[str] | None = None) -> int:
    """Read the options, soak, report; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nightly soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="N", help=f"how long ({MINUTES:g})")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S", help=f"of all random work ({SEED})")
    parser.add_argument("--save", type=Path, metavar="FILE", help="where rounds are saved (benchmarks/results)")
    options = parser.parse_args(words)
    saved: Path = options.save or RESULTS / f"soak-{options.seed}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"
    saved.parent.mkdir(parents=True, exist_ok=True)
    with progress_bar(Console(stderr=True)) as progress:
        task = progress.add_task("soak", total=round(60.0 * options.minutes))
        soak, memory = soaked(
            60.0 * options.minutes,
            options.seed,
            saved,
            lambda now, said: progress.update(task, completed=round(now), description=said),
        )
    print(", ".join(f"{count:,} {name}" for name, count in soak.counts.items()))
    print(memory)
    if memory.samples[-1][0] < memory.warm_up:
        print("too short to judge memory: the warm-up has not ended")
    for trouble, count in Counter(soak.troubles).items():
        print(f"WRONG ({count} times): {trouble}")
    print("nothing went wrong" if not soak.troubles else f"{len(soak.troubles)} troubles")
    outcome = {"counts": soak.counts, "troubles": soak.troubles, "warm": memory.warm, "growth": memory.growth}
    saved.with_suffix(".json").write_text(json.dumps({**machine.facts(), **outcome}, indent=1) + "\n", "utf-8")
    return int(bool(soak.troubles))
