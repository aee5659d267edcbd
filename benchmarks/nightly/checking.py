"""One question asked and its answer checked: by its own proof, and by every choice of pieces where they are few."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.nightly.cases import Query, query
from holdfast.errors import HoldfastError
from tests.referee import Verdict, verdict

#: Up to this many choices of pieces the referee tries them all.
REFEREE_CHOICES = 16

#: Limits must agree with the referee to this share; loads this near to a limit are left to the proofs.
AGREEMENT = 1e-6

#: Seconds a query may take, and how many times longer before it counts as late.
TIME_LIMIT, LATE = 10.0, 2.0

#: Twists that the referee's own linear programs are not up to, so that only proofs count.
BEYOND_THE_REFEREE = frozenset({"thin"})

#: Loads smaller than this share of the strongest force are near the residual that balances may have: proofs count.
SMALL_LOAD = 1e-6


@dataclass(frozen=True)
class Outcome:
    """What became of one query.

    Attributes:
        name: what is counted.
        bad: whether it must not happen.
        refereed: whether the referee was asked, too.
        detail: what to look at.
        seconds: how long the slowest of its questions took: what the solver is warm from, the query, the batch.
    """

    name: str
    bad: bool = False
    refereed: bool = False
    detail: str = ""
    seconds: float = 0.0


def examine(number: int, seed: int) -> Outcome:
    """Ask the question of this number and judge the answer; every exception but a HoldfastError is bad."""
    try:
        asked = query(number, seed)
    except HoldfastError as error:
        return Outcome("assembly refused", detail=str(error))
    except Exception as error:  # noqa: BLE001
        return Outcome("EXCEPTION", bad=True, detail=f"making query {number}: {type(error).__name__}: {error}")
    try:
        answer, batch, seconds = _answer(asked)
    except HoldfastError as error:
        return Outcome(f"refused: {type(error).__name__}", detail=str(error))
    except Exception as error:  # noqa: BLE001  (the very thing that is looked for)
        return Outcome("EXCEPTION", bad=True, detail=f"{asked.twist}: {type(error).__name__}: {error}")
    found = _judged(asked, answer)
    if batch != answer.status:
        detail = f"{asked.twist}: a batch says {batch}, a single query {answer.status.value}"
        stopped = "undecided" in (batch, answer.status) and seconds > TIME_LIMIT  # the limit of time, in one of the two
        found = Outcome(f"{asked.kind}: undecided" if stopped else "BATCH DIFFERS", bad=not stopped, detail=detail)
    if seconds > LATE * TIME_LIMIT:
        found = Outcome("LATE", bad=True, detail=f"{asked.twist}: {seconds:.0f} s")
    return Outcome(found.name, found.bad, found.refereed, found.detail, seconds)


def _answer(asked: Query) -> tuple[hf.statics.Equilibrium | hf.statics.LoadLimit, str, float]:
    """The answer by the route that the query names, the status that a batch gives the same query, and `seconds`."""
    method, times = hf.solvers.Exact(time_limit=TIME_LIMIT), [time.perf_counter()]

    def timed(answer: Any) -> Any:
        times.append(time.perf_counter())
        return answer

    if asked.route == "cold":
        question = hf.equilibrium if asked.kind == "test" else hf.load_limit
        answer = timed(question(asked.assembly, asked.wrench, method=method))
        return answer, answer.status, times[1] - times[0]
    solver = hf.Solver(asked.assembly, method)
    question = solver.equilibrium if asked.kind == "test" else solver.load_limit
    timed(question(0.7 * asked.wrench + 0.1 * np.abs(asked.wrench).max()))  # what it is warm from
    answer = timed(question(asked.wrench))
    status = answer.status
    if asked.route == "batch":
        wrenches = np.array([asked.wrench, 1.3 * asked.wrench])
        many = solver.equilibrium_many(wrenches) if asked.kind == "test" else solver.load_limit_many(wrenches)
        status = timed(many).status[0]
    return answer, status, float(np.diff(times).max())


def _judged(asked: Query, answer: hf.statics.Equilibrium | hf.statics.LoadLimit) -> Outcome:
    name = f"{asked.kind}: {answer.status.value}"
    if answer.status == "undecided":
        return Outcome(name, detail=asked.twist)
    if not answer.verify():
        return Outcome("UNPROVED", bad=True, detail=f"{asked.twist}: {name}")
    if not _is_for_the_referee(asked):
        return Outcome(name)
    right = verdict(asked.assembly, asked.wrench)
    agrees = _limit_agrees(answer, right.largest) if asked.kind == "limit" else _test_agrees(answer, right)
    if agrees:
        return Outcome(name, refereed=True)
    detail = f"{asked.twist}: {name}, the referee found {right.least:.9g} .. {right.largest:.9g}"
    return Outcome("CONTRADICTS THE REFEREE", bad=True, refereed=True, detail=detail)


def _is_for_the_referee(asked: Query) -> bool:
    choices = math.prod(len(contact.volume.pieces) for contact in asked.assembly.contacts)
    few = choices <= REFEREE_CHOICES and asked.twist not in BEYOND_THE_REFEREE
    return few and float(np.abs(asked.wrench).max()) > SMALL_LOAD * _strongest(asked.assembly)


def _strongest(assembly: hf.Assembly) -> float:
    """Largest coordinate of a vertex [N]."""
    return max(float(np.abs(piece).max()) for c in assembly.contacts for piece in c.volume.pieces)


def _test_agrees(answer: hf.statics.Equilibrium | hf.statics.LoadLimit, right: Verdict) -> bool:
    """The best choice of pieces holds from `least` to `largest`; what lies below it, others may hold."""
    if right.largest < 1.0 - AGREEMENT:
        return answer.status == "does not hold"
    if right.least <= 1.0 - AGREEMENT and right.largest >= 1.0 + AGREEMENT:
        return answer.status == "holds"
    return True


def _limit_agrees(answer: hf.statics.Equilibrium | hf.statics.LoadLimit, largest: float) -> bool:
    assert isinstance(answer, hf.statics.LoadLimit)
    if not np.isfinite(largest):
        return answer.status == ("unbounded" if largest > 0.0 else "does not hold")
    size = max(abs(largest), 1e-3 * _strongest(answer.assembly) / float(np.abs(answer.direction).max()))
    return answer.status == "optimal" and abs(answer.value - largest) <= 2.0 * AGREEMENT * size
