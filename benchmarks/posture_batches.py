"""Batches of postures on one core of the CPU: verdicts per second by the nearest point and by the simplex method.

The questions are those of `gpu`: loads at known shares of the largest multiple that is held, so that wrong verdicts can
be counted. CPU time of this process.
"""

from __future__ import annotations

import time

from benchmarks.gpu import CASES, Questions, batch, prepared
from benchmarks.measuring import Row, row
from holdfast.geometry.frames import transports
from holdfast.postures.generation import solver_of
from holdfast.postures.hands import checked_hands
from holdfast.solvers.minkowski import SumSolver, SumStatus

#: Distinct postures, questions of a batch and runs of it: in full, and in a quick run.
FULL, QUICK = (256, 4096, 5), (16, 256, 1)


def measured(name: str, questions: Questions, size: int, repeats: int) -> list[Row]:
    """Verdicts per CPU second of both methods."""
    which, loads, held = batch(questions, size)
    poses = questions.poses[which]
    solver = solver_of(checked_hands(questions.grip, list(poses[0])))
    assert isinstance(solver, SumSolver)
    maps, rows = transports(poses[..., :3, :3], poses[..., :3, 3]), []
    for method, nearest in (("nearest point", True), ("simplex method", False)):
        answers, rates = solver.many(maps, -loads, nearest=nearest), []
        for _ in range(repeats):
            began = time.process_time()
            answers = solver.many(maps, -loads, nearest=nearest)
            rates.append(size / (time.process_time() - began))
        yes, no = answers.are(SumStatus.OPTIMAL), answers.are(SumStatus.EMPTY)
        wrong, open_ = int((yes & ~held).sum() + (no & held).sum()), int((~yes & ~no).sum())
        rows.append(row(f"{name}: {method}", rates, "1/s", f"batch {size}, undecided {open_}, wrong {wrong}"))
    return rows


def run(quick: bool) -> list[Row]:
    """Rows of every kind of hand."""
    postures, size, repeats = QUICK if quick else FULL
    found = [measured(name, prepared(k, n, postures), size, repeats) for name, k, n in CASES]
    return [entry for rows in found for entry in rows]
