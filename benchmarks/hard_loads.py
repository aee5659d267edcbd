"""Load limits of the 48-contact hand in 10,000 force directions, with shared and with independent corners."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row
from benchmarks.reporting import Report, TextTable, duration
from holdfast.compiling import require_compiled
from holdfast.wrench_spaces import Rays, Subspace

HANDS, CORNERS = ("parallel", "opposed"), ("shared", "independent")

#: Force directions, and the targets: mean and worst CPU time of one limit, wall time of all on two cores [s].
RAYS, MEAN, WORST, BATCH = 10_000, 3e-3, 30e-3, 10.0


@dataclass(frozen=True, eq=False)
class Tail:
    """What the directions of one hand cost.

    Attributes:
        name: fingers and corners.
        seconds, nodes: (n,) CPU time and nodes of each limit, asked one by one by a warm solver.
        undecided: limits without a value, one by one and in the batch; also those whose proof with counts leaves out
            choices.
        batch_wall, batch_cpu: of all limits in one batch on all cores [s].
    """

    name: str
    seconds: np.ndarray
    nodes: np.ndarray
    undecided: int
    batch_wall: float
    batch_cpu: float

    def cells(self) -> list[str]:
        """As a line of the table."""
        percentiles = np.percentile(self.seconds, [50.0, 99.0])
        return [
            self.name,
            *(duration(float(s)) for s in (self.seconds.mean(), *percentiles, self.seconds.max())),
            f"{self.nodes.mean():.1f}",
            f"{self.nodes.max():,}",
            f"{(self.seconds > WORST).sum():,}",
            str(self.undecided),
            duration(self.batch_wall),
            duration(self.batch_cpu),
        ]

    def rows(self) -> list[Row]:
        """What two saved runs are compared by."""
        return [
            row(f"{self.name}: one limit, CPU", (1e3 * self.seconds).tolist(), "ms", f"{self.undecided} undecided"),
            row(f"{self.name}: batch, CPU", [self.batch_cpu], note=f"{len(self.seconds)} limits"),
            row(f"{self.name}: batch, wall", [self.batch_wall], note=f"{len(self.seconds)} limits"),
        ]


def measure(fingers: str, corners: Any, count: int) -> Tail:
    """The limits of one hand in `count` force directions."""
    assembly = hf.devices.four_finger_hand(fingers, corners=corners).assembly()
    directions = Rays.spiral(Subspace.named("fx,fy,fz", length=assembly.length), count).directions
    solver = hf.Solver(assembly)
    solver.load_limit(directions[0])  # tables, and the kernels where they are not there yet
    order = np.random.default_rng(26).permutation(count)  # no direction is near the one before it
    seconds, nodes, undecided = np.zeros(count), np.zeros(count, dtype=np.int64), 0
    for index in order.tolist():
        start = time.process_time()
        answer = solver.load_limit(directions[index])
        seconds[index], nodes[index] = time.process_time() - start, answer.effort.nodes
        proof = answer.certificate
        undecided += proof is None or (len(proof.counts) > 0 and not proof.covers(answer.problem))
    cpu, wall = time.process_time(), time.perf_counter()
    answers = solver.load_limit_many(directions)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    undecided += int((answers.status != hf.Status.OPTIMAL).sum())
    return Tail(f"4FH {fingers}, {corners} corners", seconds, nodes, undecided, wall, cpu)


def run(quick: bool) -> Report:
    require_compiled()
    count = 100 if quick else RAYS
    tails = [measure(fingers, corners, count) for fingers in HANDS for corners in CORNERS]
    header = (
        "hand", "mean", "median", "p99", "worst", "nodes, mean", "most", f"over {duration(WORST)}", "undecided",
        "batch, wall", "batch, CPU",
    )  # fmt: skip
    title = (
        f"Load limits to 1e-6 in {count:,} force directions, CPU time; targets: mean {duration(MEAN)}, worst "
        f"{duration(WORST)}, none undecided, {RAYS:,} in a batch {duration(BATCH)} on two cores"
    )
    data = {tail.name: {"seconds": tail.seconds.tolist(), "nodes": tail.nodes.tolist()} for tail in tails}
    return Report(
        [entry for tail in tails for entry in tail.rows()], [TextTable(title, header, [t.cells() for t in tails])], data
    )
