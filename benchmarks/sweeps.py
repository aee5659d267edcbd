"""Sweeps on one core, threads, processes and a Dask cluster, and the overhead per chunk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, clocked, row
from benchmarks.reporting import Report, TextTable, duration, times
from holdfast.assembly import loads

#: Directions in a chunk.
BATCH = 50


class Limits:
    """Load limits of the opposed four-finger hand (48 contacts) along forces at its object's centre, chunk by chunk."""

    def __init__(self, prefer: str, batch: int = BATCH) -> None:
        self.prefer = prefer
        self.batch = batch
        self.assembly = hf.devices.four_finger_hand("opposed").assembly()

    def many(self, forces: list[list[float]]) -> list[dict[str, Any]]:
        directions = np.hstack([forces, np.zeros((len(forces), 3))])
        answers = hf.Solver(self.assembly).load_limit_many(directions, threads=1)
        return [
            {"status": str(status), "value": value}
            for status, value in zip(answers.status, answers.values.tolist(), strict=True)
        ]


class Nothing:
    """A task of no work."""

    def __init__(self, prefer: str) -> None:
        self.prefer = prefer

    def __call__(self, query: int) -> dict[str, Any]:
        return {"value": query}


@contextmanager
def dask_cluster(workers: int) -> Iterator[str | None]:
    """The address of a scheduler with that many single-thread worker processes here; None without Dask."""
    try:
        from distributed import LocalCluster
    except ImportError:
        yield None
        return
    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def run(quick: bool) -> Report:
    workers = max(2, os.cpu_count() or 1)
    n, repeats = (4 * BATCH, 1) if quick else (60 * BATCH, 3)
    forces = loads.sphere_directions(n).tolist()
    with dask_cluster(workers) as address, TemporaryDirectory() as folder:
        ways: dict[str, tuple[str, dict[str, Any]]] = {
            "one core": ("processes", {}),
            f"{workers} threads": ("threads", {"workers": workers}),
            f"{workers} processes": ("processes", {"workers": workers}),
        }
        if address is not None:
            ways[f"Dask, {workers} processes"] = ("processes", {"cluster": address})
        seconds = {name: _work(*way, forces, repeats, Path(folder)) for name, way in ways.items()}
        chunks = {name: _overhead(*way, 50 if quick else 1000, repeats) for name, way in ways.items()}
        journal = _journal_cost(50 if quick else 1000, repeats, Path(folder))
    return Report(_rows(seconds, chunks, journal), [_table(seconds, chunks, n, journal)])


def _work(prefer: str, how: dict[str, Any], forces: list[Any], repeats: int, folder: Path) -> list[float]:
    """Wall times [s] of the hand's limits, saved to a journal; workers are started and have their kernels loaded."""
    task = Limits(prefer)
    hf.jobs.sweep(Limits(prefer, batch=1), forces[:64], **how)
    samples = []
    for number in range(repeats):
        path = folder / f"{len(list(folder.iterdir()))}-{number}.jsonl"
        samples.append(clocked(lambda path=path: hf.jobs.sweep(task, forces, journal=path, **how))[1])
    return samples


def _overhead(prefer: str, how: dict[str, Any], n: int, repeats: int) -> list[float]:
    """Seconds a chunk of no work; each way is already warm."""
    task: Callable[[Any], Any] = Nothing(prefer)
    return [clocked(lambda: hf.jobs.sweep(task, range(n), **how))[1] / n for _ in range(repeats)]


def _journal_cost(n: int, repeats: int, folder: Path) -> list[float]:
    """Seconds a chunk that saving adds on one core, to the end with the file in order."""
    task, samples = Nothing("processes"), []
    for number in range(repeats):
        saved = clocked(lambda number=number: hf.jobs.sweep(task, range(n), journal=folder / f"cost-{number}"))[1]
        samples.append((saved - clocked(lambda: hf.jobs.sweep(task, range(n)))[1]) / n)
    return samples


def _rows(seconds: dict[str, list[float]], chunks: dict[str, list[float]], journal: list[float]) -> list[Row]:
    rows = [row(f"limits of the hand: {name}", samples) for name, samples in seconds.items()]
    rows += [row(f"a chunk of no work: {name}", [1e6 * s for s in samples], "us") for name, samples in chunks.items()]
    return [*rows, row("a chunk saved", [1e6 * s for s in journal], "us")]


def _table(seconds: dict[str, list[float]], chunks: dict[str, list[float]], n: int, journal: list[float]) -> TextTable:
    medians = {name: float(np.median(samples)) for name, samples in seconds.items()}
    alone = medians["one core"]
    local = next(value for name, value in medians.items() if name.endswith("processes"))
    cells = [
        [
            name,
            duration(medians[name]),
            times(alone / medians[name]),
            times(local / medians[name]),
            duration(float(np.median(chunks[name]))),
        ]
        for name in seconds
    ]
    header = ("who", f"{n} limits", "against one core", "against processes", "a chunk of no work")
    saved = duration(max(0.0, float(np.median(journal))))
    note = (
        f"Load limits of the opposed four-finger hand (48 contacts), {BATCH} a chunk, saved to a journal. Workers are "
        f"warm: started, with the compiled kernels loaded. Saving adds {saved} a chunk."
    )
    return TextTable("Sweeps: one core, threads, processes, Dask", header, cells, note)
