"""Probability of holding of the two-finger gripper MD-MD: thousands of specimens, and each built from scratch."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked, row
from benchmarks.reporting import Report, TextTable, duration, times
from holdfast.reliability import (
    Probability,
    Scatter,
    failure_modes,
    failure_probability,
    load_limit_samples,
    probability,
)

#: Samples the target speaks of, and its seconds on two cores.
SAMPLES, WITHIN = 10_000, 10.0

GRAVITY = np.array([0.0, 0.0, -9.80665])

#: Loads as multiples of the object's weight: one that nearly always holds, one at which half of the specimens fail.
LOADS = (1.0, 3.5)

#: What varies: the units' strength alone, and all that can vary.
SCATTERS = {
    "strength 30 %": Scatter(strength=0.3),
    "all": Scatter(strength=0.3, friction=0.1, correlation=0.7, position=0.001, mass=0.02, com=0.002),
}


@dataclass(frozen=True)
class Size:
    """How much is asked: samples of each question, of load limits, those built from scratch, and repeats."""

    samples: int
    limits: int
    from_scratch: int
    repeats: int


FULL, QUICK = Size(SAMPLES, 2_000, 20, 3), Size(200, 50, 2, 1)


def run(quick: bool) -> Report:
    """Times of the questions, and how many times longer a specimen takes that is built from scratch."""
    size = QUICK if quick else FULL
    cores = os.cpu_count() or 1
    device = hf.devices.two_finger_gripper("MD", "MD")
    assembly, weight = device.assembly(GRAVITY), device.weight(GRAVITY)
    rows, cells, data = [], [], {}
    for name, scatter in SCATTERS.items():
        for load in LOADS:
            asked = (assembly, load * weight, scatter)
            probability(*asked, n=2)  # tables and kernels are made by the first question
            found, all_cores = clocked(partial(probability, *asked, n=size.samples), size.repeats)
            alone, one_core = clocked(partial(probability, *asked, n=size.samples, threads=1), size.repeats)
            each, wrong = from_scratch(found, size.from_scratch)
            same = np.array_equal(found.outcomes, alone.outcomes)
            ratio = each / (one_core / size.samples)
            words = f"{name}, {load:g} x weight"
            low, high = found.interval
            figures = (duration(all_cores), duration(one_core), duration(each), times(ratio), str(wrong))
            value = f"{found.value:.4f} ({low:.4f} to {high:.4f})"
            cells.append([words, value, str(found.undecided), *figures, "yes" if same else "NO"])
            rows.append(row(f"{words}, {size.samples} samples, {cores} cores", [all_cores]))
            rows.append(row(f"{words}, built from scratch over together, a sample", [ratio], unit="ratio"))
            seconds = {"all_cores_s": all_cores, "one_core_s": one_core, "from_scratch_s": each}
            data[words] = {"value": found.value, **seconds}
    header = ("scatter and load", "holds", "undecided", f"{cores} cores", "one core", "one from scratch", "ratio")
    title = f"{size.samples} specimens of 2FG MD-MD; the target is {WITHIN:g} s for {SAMPLES} on two cores"
    tables = [TextTable(title, (*header, "wrong", "same on one core"), cells), others(assembly, weight, size)]
    return Report(rows, tables, data)


def from_scratch(found: Probability, count: int) -> tuple[float, int]:
    """(seconds of one specimen built and tested by itself, verdicts that differ)."""
    seconds, wrong = [], 0
    for index in range(count):
        answer, took = clocked(lambda index=index: hf.equilibrium(*found.sample(index)))
        seconds.append(took)
        wrong += answer.holds != (found.outcomes[index] == 1)
    return float(np.mean(seconds)), wrong


def others(assembly: hf.Assembly, weight: np.ndarray, size: Size) -> TextTable:
    """Load limits, what gives way, and a rare failure."""
    scatter = SCATTERS["all"]
    limits, took = clocked(lambda: load_limit_samples(assembly, weight, scatter, n=size.limits))
    _, blamed = clocked(lambda: failure_modes(limits))
    rare, sought = clocked(lambda: failure_probability(assembly, weight, scatter, n=size.limits))
    low, high = rare.interval
    cells = [
        [f"load limits of {limits.n} specimens", duration(took), f"median {np.median(limits.values):.3f}"],
        ["what gives way in each of them", duration(blamed), ""],
        [
            f"failure under the weight, {rare.n} + {rare.pilot} samples",
            duration(sought),
            f"{rare.value:.2e} ({low:.1e} to {high:.1e}); as many as {rare.plain_samples:.3g} plain samples",
        ],
    ]
    return TextTable("All that can vary, all cores", ("question", "time", "answer"), cells)
