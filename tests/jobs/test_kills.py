"""Sweeps in child processes that meet what ends sweeps: SIGKILL, Ctrl-C, full disks, places that cannot be written."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from holdfast.jobs import sweep

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX systems")

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
KILLS = 20
TOTAL = 300
#: Task and queries that every child sweeps. Its arguments: the journal, seconds that each query takes, workers.
COMMON = """
import sys, time
from holdfast.jobs import sweep

def task(x, seconds=float(sys.argv[2])):
    time.sleep(seconds)
    return {"value": x * x, "text": "x" * (x % 50), "third": x / 3}

queries = list(range(300))
"""
CHILD = (
    COMMON
    + """
told = []

def progress(done, total):
    if not told:
        told.append(print(done, flush=True))  # how many results the journal held

sweep(task, queries, journal=sys.argv[1], workers=int(sys.argv[3]), key="killed", progress=progress)
"""
)
FULL = (
    COMMON
    + """
import holdfast.errors
try:
    sweep(task, queries, journal=sys.argv[1], key="killed")
except holdfast.errors.FileError as error:
    print(error)
    sys.exit(9)
"""
)


def quick(x: int) -> dict[str, object]:
    return {"value": x * x, "text": "x" * (x % 50), "third": x / 3}


@pytest.fixture
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("undisturbed") / "j"
    sweep(quick, list(range(TOTAL)), journal=path, key="killed")
    return path.read_bytes()


def whole_lines(path: Path) -> int:
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


def until(claim: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until a claim is true; a failed assertion when that takes too long."""
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, "took too long"
        time.sleep(0.01)


# -- SIGKILL ----------------------------------------------------------------------------------------


def test_a_sweep_killed_at_twenty_random_moments_ends_with_the_bytes_of_an_undisturbed_one(
    tmp_path, child, undisturbed
):
    rng = np.random.default_rng(4)
    path, kept = tmp_path / "journal.jsonl", 0
    for _ in range(KILLS):
        process = child(CHILD, path, 0.03, 1)
        if rng.random() < 0.8:  # else: while it starts, reads and mends
            assert int(process.stdout.readline()) >= kept, "a finished result was lost"
            time.sleep(float(rng.uniform(0.0, 0.1)))
        else:
            time.sleep(float(rng.uniform(0.05, 0.25)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL
        assert whole_lines(path) >= kept
        kept = whole_lines(path)
    assert 0 < kept < TOTAL
    process = child(CHILD, path, 0.0, 1)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")  # not even a warning: nothing was damaged
    assert path.read_bytes() == undisturbed
    assert list(tmp_path.iterdir()) == [path]


def test_a_sweep_killed_while_it_puts_its_journal_in_order_has_the_old_or_the_new_one(tmp_path, child, undisturbed):
    path = tmp_path / "j"
    linger = "import os\nfrom pathlib import Path\n"
    linger += "os.fsync = lambda handle: any(Path(sys.argv[1]).parent.glob('.j.*.part')) and time.sleep(600)\n"
    process = child(CHILD.replace("told = []", linger + "told = []"), path, 0.0, 1)
    until(lambda: any(whole_lines(part) >= TOTAL for part in tmp_path.glob(".j.*.part")))
    assert whole_lines(path) == TOTAL
    process.send_signal(signal.SIGKILL)
    process.wait()
    asked: list[int] = []
    results = sweep(lambda x: asked.append(x) or quick(x), list(range(TOTAL)), journal=path, key="killed")
    assert (asked, len(results)) == ([], TOTAL)
    assert path.read_bytes() == undisturbed


def alive(session: int) -> list[str]:
    """Processes of a session that still run."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = file.read_text(encoding="utf-8", errors="replace").rpartition(")")
            state, _, _, of_session = rest.split()[:4]
            found += [name] if int(of_session) == session and state != "Z" else []
    return found


@needs_proc
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_worker_processes_do_not_outlive_a_sweep_that_is_killed(tmp_path, child, undisturbed, ending):
    path = tmp_path / "j"
    process = child(CHILD, path, 0.1, 2)
    until(lambda: whole_lines(path) >= 10)
    assert len(alive(process.pid)) >= 3
    process.send_signal(ending)
    assert process.wait() == -ending
    until(lambda: not alive(process.pid))
    assert 10 <= whole_lines(path) < TOTAL
    sweep(quick, list(range(TOTAL)), journal=path, key="killed")
    assert path.read_bytes() == undisturbed


# -- Ctrl-C -----------------------------------------------------------------------------------------

INTERRUPTED = (
    COMMON
    + """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # who started the tests may have it ignored
from pathlib import Path
try:
    sweep(task, queries, journal=sys.argv[1], workers=int(sys.argv[3]), key="killed")
except KeyboardInterrupt:
    sys.exit(130)
"""
)


@needs_proc
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_all_processes_at_once_without_a_word(tmp_path, child, undisturbed, workers):
    """A terminal sends the interrupt to every process of the group."""
    path = tmp_path / "j"
    process = child(INTERRUPTED, path, 0.1, workers)
    until(lambda: whole_lines(path) >= 10)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, output, errors) == (130, "", "")
    assert not alive(process.pid)
    assert list(tmp_path.iterdir()) == [path]
    asked: list[int] = []
    kept = whole_lines(path)
    sweep(lambda x: asked.append(x) or quick(x), list(range(TOTAL)), journal=path, key="killed")
    assert len(asked) == TOTAL - kept
    assert path.read_bytes() == undisturbed


LONG = """
import signal, subprocess, sys
from pathlib import Path
from holdfast.jobs import sweep
signal.signal(signal.SIGINT, signal.default_int_handler)

def task(x, folder=sys.argv[1]):
    with subprocess.Popen(["sleep", "600"]):
        Path(folder, str(x)).touch()

try:
    sweep(task, [1, 2], workers=2)
except KeyboardInterrupt:
    sys.exit(130)
"""


@needs_proc
@pytest.mark.parametrize(("ending", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_long_tasks_and_the_processes_that_they_started_end_at_once(tmp_path, child, ending, code):
    process = child(LONG, tmp_path)
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    assert len(alive(process.pid)) == 5
    process.send_signal(ending)
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, output, errors) == (code, "", "")
    until(lambda: not alive(process.pid))


# -- full disks and places that cannot be written -----------------------------------------------------


@pytest.mark.parametrize("limit", [50, 1000, 3333, 9000])
def test_a_file_that_may_not_grow_is_told_and_gone_on_from(tmp_path, run_child, undisturbed, limit):
    assert limit < len(undisturbed)
    path = tmp_path / "j"
    code = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n" + FULL
    for _ in range(2):  # the second meets the limit at once
        status, output, errors = run_child(code, path, 0.0)
        assert (status, errors) == (9, "")
        assert "could not be saved: File too large" in output
        assert str(path) in output
    assert path.read_bytes().endswith(b"\n") or limit == 50
    kept, asked = whole_lines(path), []
    sweep(lambda x: asked.append(x) or quick(x), list(range(TOTAL)), journal=path, key="killed")
    assert len(asked) == TOTAL - kept
    assert path.read_bytes() == undisturbed


def in_namespace(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a shell script as root of a mount namespace of its own."""
    command = ["unshare", "-rm", "sh", "-c", script, "sh", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def may_mount(folder: Path) -> bool:
    try:
        return in_namespace('mount -t tmpfs -o size=16k none "$1"', folder).returncode == 0
    except OSError:
        return False


@pytest.fixture
def mountable(tmp_path: Path) -> Path:
    folder = tmp_path / "mount"
    folder.mkdir()
    if not may_mount(folder):
        pytest.skip("no mount namespaces here")
    return folder


def test_a_full_disk_is_told_and_gone_on_from_when_there_is_room(mountable, undisturbed, tmp_path):
    """A disk of three pages: first full of others' data, then nearly, then free."""
    code = tmp_path / "code.py"
    code.write_text(FULL)
    script = """
    mount -t tmpfs -o size=12k none "$1" || exit 77
    head -c 8192 /dev/zero > "$1/others"
    "$2" -W error "$3" "$1/j" 0; echo "first $?"
    wc -l < "$1/j"
    mount -o remount,size=1m "$1"
    "$2" -W error "$3" "$1/j" 0; echo "second $?"
    cp "$1/j" "$4"
    ls "$1"
    """
    done = in_namespace(script, mountable, sys.executable, code, tmp_path / "copy")
    told, first, lines, second, *files = done.stdout.splitlines()
    assert "could not be saved: No space left on device" in told
    assert (first, second, files, done.stderr) == ("first 9", "second 0", ["j", "others"], "")
    assert 1 < int(lines) <= TOTAL
    assert (tmp_path / "copy").read_bytes() == undisturbed


def test_a_read_only_disk_is_told_at_once_unless_the_sweep_is_finished(mountable, tmp_path, undisturbed):
    """Read-only for root too, whom permissions do not stop."""
    code = tmp_path / "code.py"
    code.write_text(FULL)
    script = """
    mount -t tmpfs none "$1" || exit 77
    head -c 1000 "$4" > "$1/begun"
    cp "$4" "$1/whole"
    mount -o remount,ro "$1"
    for name in new begun whole; do "$2" -W error "$3" "$1/$name" 0; echo "$?"; done
    ls "$1"
    """
    (tmp_path / "j").write_bytes(undisturbed)
    done = in_namespace(script, mountable, sys.executable, code, tmp_path / "j")
    new, code_new, begun, code_begun, code_whole, *files = done.stdout.splitlines()
    assert "cannot be written: Read-only file system" in new
    assert "cannot be written: Read-only file system" in begun
    assert (code_new, code_begun, code_whole, files, done.stderr) == ("9", "9", "0", ["begun", "whole"], "")
