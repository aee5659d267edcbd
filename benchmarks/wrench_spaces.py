"""Wrench spaces of the 48-contact hand, ray by ray: all cores, one core, the V-form program; and Table I as a whole."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, clocked, row
from benchmarks.reporting import Report, Target, TextTable, duration, targets_table, times
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space
from studies.hauser.table_one import (
    GAP,
    DeviceRow,
    Questions,
    Ratio,
    Rival,
    Series,
    ask,
    ask_slow,
    contradictions,
    device_row,
    ratio,
    shuffled,
)
from studies.hauser.table_one import measure as table_one

#: The two arrangements of the hand.
HANDS = ("4FH parallel", "4FH opposed")

#: The slices whose rays are asked: forces, of which the target speaks, and forces with a torque, which are harder.
FORCES, TORQUES = "fx,fy,fz", "fx,ty,fz"

#: Rays the target speaks of, its seconds on two cores, and those to stretch for; seconds for Table I by our method.
RAYS, WITHIN, STRETCH, TABLE_WITHIN = 10_000, 10.0, 3.0, 10.0

SEED = 2018


@dataclass(frozen=True)
class Size:
    """How much is asked.

    Attributes:
        rays: of each slice, by its name.
        limit: seconds of a ray before it is left undecided.
        rows, queries: of Table I; None for all.
        milp: rays put to the V-form program, with the seconds it has for one and for all of them.
    """

    rays: dict[str, int]
    limit: float
    rows: tuple[str, ...] | None
    queries: int | None
    milp: int
    cap: float
    budget: float


FULL = Size({FORCES: RAYS, TORQUES: 1_000}, 5.0, None, None, 12, 20.0, 60.0)
QUICK = Size({FORCES: 60, TORQUES: 8}, 0.5, ("2OU",), 2, 1, 0.5, 0.5)


@dataclass(frozen=True, eq=False)
class SliceFigures:
    """What the rays of one slice gave.

    Attributes:
        hand, name: arrangement and slice.
        space: the wrench space, asked on all cores.
        all_cores, one_core: wall seconds.
        cpu: CPU seconds of all threads, on all cores: what other programs on the machine lengthen little.
        same: whether one core gave the same values, to the last digit.
        rival: the V-form program on some of the rays.
        compared: its wall time over ours on the same rays, asked one by one; None where it was not asked.
        wrong: its answers that a proven limit refutes.
    """

    hand: str
    name: str
    space: WrenchSpace
    all_cores: float
    one_core: float
    cpu: float
    same: bool
    rival: Series
    compared: Ratio | None
    wrong: int

    @property
    def undecided(self) -> int:
        """Rays without a value."""
        return int((self.space.status == hf.Status.UNDECIDED).sum())

    def cells(self) -> list[str]:
        """As a line of the table."""
        n = len(self.space.values)
        each = self.all_cores / n
        milp = np.mean(self.rival.seconds) if self.rival.replies else nan
        return [
            self.hand,
            self.name,
            f"{n:,}",
            duration(self.all_cores),
            duration(self.cpu),
            f"{n / self.all_cores:,.0f}/s",
            duration(self.one_core),
            f"{self.one_core / self.all_cores:.2f}",
            str(self.undecided),
            "yes" if self.same else "NO",
            f"{self.rival.decided} / {len(self.rival.replies)}",
            duration(float(milp)),
            "-" if self.compared is None else times(self.compared.mean, at_least=self.compared.at_least),
            times(float(milp) / each, at_least=self.rival.gave_up),
            str(self.wrong),
        ]

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "hand": self.hand,
            "slice": self.name,
            "rays": len(self.space.values),
            "all_cores_s": self.all_cores,
            "one_core_s": self.one_core,
            "cpu_s": self.cpu,
            "undecided": self.undecided,
            "same": self.same,
            "rival_s": self.rival.seconds,
            "ratio": None if self.compared is None else vars(self.compared),
            "wrong": self.wrong,
        }


def run(quick: bool) -> Report:
    size = QUICK if quick else FULL
    slices = [measure(device_row(hand), name, size) for hand in HANDS for name in size.rays]
    table_one(["2OU"], queries=1)  # compiled and loaded before the clock runs
    table, wall = clocked(lambda: table_one(size.rows, queries=size.queries))
    asked = sum(len(series.replies) for line in table.rows for series in line.ours.values())
    slowest = max((s for s in slices if s.name == FORCES), key=lambda s: s.all_cores)
    spent, taken = (nan, nan) if quick else (wall, slowest.all_cores)
    undecided = float(sum(s.undecided for s in slices))
    where = f"{slowest.hand}, {FORCES}"
    found = [
        Target("all of Table I by our method", TABLE_WITHIN, nan, False, spent, f"{asked:,} queries", duration),
        Target(f"{RAYS:,} rays of the 48-contact hand", WITHIN, STRETCH, False, taken, where, duration),
        Target("undecided rays", 0.0, nan, False, undecided, "all slices", "{:.0f}".format),
    ]
    data = {
        "size": vars(size),
        "targets": [target.data() for target in found],
        "slices": [figures.data() for figures in slices],
        "table_one": {"wall_s": wall, "cpu_s": table.our_seconds, "queries": asked},
    }
    return Report(_rows(slices, wall, table.our_seconds, asked), [targets_table(found), _slices_table(slices)], data)


def measure(device: DeviceRow, name: str, size: Size) -> SliceFigures:
    """One slice of one hand: all rays on all cores and on one, some of them by the V-form program."""
    assembly = device.assembly
    count = size.rays[name]
    rays = Rays.spiral(Subspace.named(name, length=assembly.length), count)
    method = hf.solvers.Exact(gap=GAP, time_limit=size.limit)
    wrench_space(assembly, rays.directions[:4], method=method)  # tables, and the kernels where they are not there yet
    cpu = time.process_time()
    space, all_cores = clocked(lambda: wrench_space(assembly, rays, method=method))
    cpu = time.process_time() - cpu
    single, one_core = clocked(lambda: wrench_space(assembly, rays, method=method, workers=1))
    questions = Questions("limit", [assembly], rays.directions)
    chosen = shuffled(range(count), SEED)[: size.milp]
    rival = Rival("HullMilp, HiGHS", hf.solvers.HullMilp(solver="highs", gap=GAP, time_limit=size.cap))
    theirs = Series(rival.name, "limit", count, cap=size.cap)
    ask_slow(theirs, rival.method, questions, chosen, size.budget)
    ours = ask(Series("Exact", "limit", count), method, questions, theirs.indices, repeats=3)
    wrong = contradictions(rival, theirs, ours, questions)
    same = bool(np.array_equal(space.values, single.values))
    return SliceFigures(
        device.name, name, space, all_cores, one_core, cpu, same, theirs, ratio(theirs, ours), len(wrong)
    )


def _slices_table(slices: list[SliceFigures]) -> TextTable:
    header = (
        "hand", "slice", "rays", "all cores", "CPU", "pace", "one core", "gain", "undecided", "same", "V-form: decided",
        "mean", "over ours, one by one", "over ours, batch", "contradict",
    )  # fmt: skip
    note = (
        f"`wrench_space` to 1e-6, wall time, a ray left undecided after its time limit, on all {os.cpu_count()} cores "
        "and on one (`workers=1`); CPU: of all threads, on all cores; 'same': the same values to the last digit. "
        "V-form: `HullMilp` on HiGHS on a seeded part of the same rays; its mean over ours on those rays by single "
        "`load_limit` calls, and in the batch."
    )
    return TextTable("Wrench spaces of the 48-contact hand", header, [found.cells() for found in slices], note)


def _rows(slices: list[SliceFigures], wall: float, cpu: float, asked: int) -> list[Row]:
    """What two saved runs are compared by."""
    found = [
        row("Table I, all of ours, wall", [wall], note=f"{asked} queries"),
        row("Table I, all of ours, CPU", [cpu], note=f"{asked} queries"),
    ]
    for figures in slices:
        name, n = f"{figures.hand}, {figures.name}", len(figures.space.values)
        found.append(row(f"{name}: a ray, all cores", [1e6 * figures.all_cores / n], "us", f"{n} rays"))
        found.append(row(f"{name}: a ray, one core", [1e6 * figures.one_core / n], "us", f"{n} rays"))
        if figures.rival.replies:
            note = f"{figures.rival.decided} of {len(figures.rival.replies)} decided"
            found.append(row(f"{name}: a ray, V-form", [1e6 * s for s in figures.rival.seconds], "us", note))
    return found
