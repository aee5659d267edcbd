"""What one call costs beside the compiled search: repeated questions about the same contacts and the same hands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row
from benchmarks.reporting import Report, TextTable, duration
from holdfast.compiling import require_compiled
from holdfast.postures import load_posture
from holdfast.scenes import load_scene
from holdfast.solvers.exact import method
from holdfast.solvers.minkowski import solver

SEED = 18
SCENES = ("suction_cup", "two_opposed_units", "block_on_three_points")
POSTURES = ("quadruped_on_rock", "climber_on_overhang", "tripod_on_flat_ground")
#: Loads of a sample, and the spread of loads about the weight as a share of it: forces, and torques by a metre.
BATCH, FORCES, TORQUES = 100, 0.5, 0.05
TARGET = 60e-6  # [s]

#: The compiled searches.
KERNELS = (method.solve, solver.ask, solver.place_hands)

Loads = list[np.ndarray]


@contextmanager
def kernels_timed() -> Iterator[list[float]]:
    """CPU times [s] of the compiled searches that are called inside, from their arguments to their answers."""
    spent: list[float] = []

    def timed(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            start = time.process_time()
            answer = kernel(*arguments)
            spent.append(time.process_time() - start)
            return answer

        return call

    with ExitStack() as stack:
        for kernel in KERNELS:
            stack.enter_context(mock.patch.object(kernel, "_compiled", timed(kernel.form(False))))
        yield spent


def clock_cost() -> float:
    """What one reading of the clock adds to a measured time [s]."""
    start = time.process_time()
    for _ in range(1000):
        time.process_time()
    return (time.process_time() - start) / 1000


def loads_about(weight: np.ndarray, count: int) -> Loads:
    """`count` wrenches scattered about a weight (6,)."""
    rng = np.random.default_rng(SEED)
    size = float(np.linalg.norm(weight[:3]))
    return list(weight + rng.normal(size=(count, 6)) * size * np.repeat([FORCES, TORQUES], 3))


def costs(ask: Callable[[np.ndarray], Any], loads: Loads) -> tuple[list[float], list[float]]:
    """CPU times per call [s] of each batch of loads: of the kernels, and of the whole call.

    Loads that the reference method answers are left out: it is not compiled.
    """
    compiled = [load for load in loads if not getattr(ask(load).effort, "referee", False)]
    kernels, wholes, tick = [], [], clock_cost()
    for first in range(0, len(compiled), BATCH):
        batch = compiled[first : first + BATCH]
        start = time.process_time()
        for load in batch:
            ask(load)
        wholes.append((time.process_time() - start) / len(batch))
        with kernels_timed() as spent:
            for load in batch:
                ask(load)
        kernels.append((sum(spent) - tick * len(spent)) / len(batch))
    return kernels, wholes


def run(quick: bool) -> Report:
    require_compiled()
    count = 200 if quick else 2000
    questions: list[tuple[str, Callable[[np.ndarray], Any], np.ndarray]] = []
    for name in SCENES:
        scene = load_scene(f"@{name}")
        for question in (hf.equilibrium, hf.load_limit):
            ask = _about(question, scene.assembly)
            questions.append((f"{question.__name__}, {name}", ask, scene.gravity_load()))
    for name in POSTURES:
        posture = load_posture(f"@{name}")
        ask = _about(hf.posture_equilibrium, posture.grips, posture.poses)
        questions.append((f"posture_equilibrium, {name}", ask, posture.wrench))
    rows: list[Row] = []
    cells: list[list[str]] = []
    for name, ask, weight in questions:
        kernels, wholes = costs(ask, loads_about(weight, count))
        overheads = [whole - kernel for whole, kernel in zip(wholes, kernels, strict=True)]
        rows += [row(f"{name}, whole call", wholes), row(f"{name}, outside the kernel", overheads)]
        means = [duration(float(np.mean(times))) for times in (kernels, wholes, overheads)]
        cells.append([name, *means, duration(float(np.median(overheads)))])
    header = ("question", "kernel", "whole call", "outside the kernel", "median")
    title = f"CPU time per call, mean over {count} loads; target: {duration(TARGET)} outside the kernel"
    return Report(rows, [TextTable(title, header, cells)])


def _about(question: Callable[..., Any], *subject: Any) -> Callable[[np.ndarray], Any]:
    return lambda load: question(*subject, load)
