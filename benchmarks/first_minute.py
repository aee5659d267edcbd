"""The first minute of a new user: CPU and wall seconds of the first and the second call of every command.

Each command runs in a process of its own with an empty store of compiled kernels, twice. "compiled" is what it would
cost if every command compiled its kernels at once (HOLDFAST_KERNELS=compiled); the ratio is that of the first calls.
"""

from __future__ import annotations

import compileall
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import holdfast
from benchmarks.measuring import Row, row
from benchmarks.reporting import Report, TextTable

#: CPU seconds of a first and of a later call that the commands marked here must keep.
FIRST_TARGET, LATER_TARGET = 3.0, 0.7
TARGETED = ("check", "limit", "posture", "support", "motions", "grasps")

#: One call of each command that answers a question, on ready inputs.
CALLS = (
    "--help",
    "check @suction_cup",
    "check @four_finger_hand_opposed",
    "limit @suction_cup --direction 0,0,-1",
    "limit @four_finger_hand_parallel --direction 0,0,-1",
    "posture @climber_on_overhang",
    "posture @quadruped_on_rock",
    "support @quadruped_on_rock",
    "support @braced_in_a_chimney",
    "motions @peg_in_hole",
    "motions @six_link_snake",
    "grasps --part bracket",
    "grasps --part trefoil --hand generic",
    "separate @microspine_pull",
    "torques @two_link_snake",
    "onset @suction_cup",
    "sensitivity @suction_cup",
    "sweep @two_opposed_units",
    "models",
    "scene list",
)
QUICK_CALLS = ("--help", "check @suction_cup", "motions @peg_in_hole")


def run(quick: bool) -> Report:
    compileall.compile_dir(Path(holdfast.__file__).parent, quiet=1)  # as pip does when it installs
    calls = QUICK_CALLS if quick else CALLS
    rows: list[Row] = []
    cells = []
    for call in calls:
        with tempfile.TemporaryDirectory() as store:
            (first, first_wall), (later, later_wall) = (spent(call, store, "auto") for _ in range(2))
        with tempfile.TemporaryDirectory() as store:
            (compiled, _), (loaded, _) = (
                ((0.0, 0.0),) * 2 if quick else (spent(call, store, "compiled") for _ in range(2))
            )
        rows += [row(f"{call}: first", [first], note="CPU"), row(f"{call}: later", [later], note="CPU")]
        kept = call.split()[0] not in TARGETED or (first <= FIRST_TARGET and later <= LATER_TARGET)
        times = (first, later, first_wall, later_wall, compiled, loaded)
        cells.append([f"`{call}`", *(f"{seconds:.2f}" for seconds in times), "" if kept else "target missed"])
    header = ("command", "first CPU [s]", "later CPU [s]", "first wall [s]", "later wall [s]")
    header += ("compiled at once, first CPU [s]", "compiled at once, later CPU [s]", "")
    return Report(rows, [TextTable("first_minute", header, cells)])


def spent(call: str, store: str, kernels: str) -> tuple[float, float]:
    """(CPU, wall) seconds of one call with this store of compiled kernels."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": store, "HOLDFAST_KERNELS": kernels}
    command = [sys.executable, "-m", "holdfast", *call.split()]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, cwd=Path.cwd(), check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"holdfast {call} ended with code {done.returncode}: {done.stderr.decode()[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
