"""Several bodies: walls, pallets, towers, arches, piles and snap bricks of 4 to 200 bodies, near their limits too.

All times are CPU times of whole public calls. Peers are the same rows as one sparse linear program in scipy, by HiGHS.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from unittest import mock

import numpy as np

import holdfast as hf
from benchmarks.measuring import exponent, row
from benchmarks.reporting import Report, TextTable, duration, times
from benchmarks.several_bodies.peers import Form, Peer
from benchmarks.several_bodies.scenes import CAP, KINDS, Structure, adhesive, wall
from holdfast.solvers import InteriorPoint, Status, problem
from holdfast.statics.paths import rotating_gravity

T = TypeVar("T")

SIZES = (4, 8, 20, 60, 200)
#: Bodies of the comparison of the dense kernels with the sparse method, and of unions of pieces.
FEW, UNIONS = (2, 3, 4, 5, 6, 8, 10), (2, 4, 8)
#: Loads near the limit, as multiples of it: of what is proven to hold, and of what is proven not to.
NEAR = (1.0 - 1e-3, 1.0 + 1e-3, 1.0 - 1e-6, 1.0 + 1e-6)
#: Seconds that 20 and 200 bodies may take.
TARGETS = {20: 50e-3, 200: 5.0}
#: What peers are asked where there are many bodies: the structures, and the questions.
LARGE, FOR_PEERS, ASKED = 200, ("wall", "arch"), ("load ramp", "test, 1e-3 from the limit, above")
#: Structures whose tilt is followed and whose limits are explained, up to so many bodies.
EXPLAINED, MOST_EXPLAINED = ("wall", "arch", "snap bricks"), 20
#: Peers know limits to this share; of closer loads they may say either.
PEER_ACCURACY = 1e-5
#: Seconds before a search over unions is stopped.
UNION_LIMIT = 10.0
PEERS: tuple[tuple[Form, str], ...] = (
    ("rays", "simplex"),
    ("rays", "ipm"),
    ("facets", "simplex"),
    ("facets", "ipm"),
)


@dataclass
class Figures:
    """CPU times [s] of one number of bodies, by question; peers' times with ours on the same questions."""

    bodies: int
    contacts: list[int] = field(default_factory=list)
    ours: dict[str, list[float]] = field(default_factory=dict)
    peers: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    unproven: list[str] = field(default_factory=list)
    contradict: list[str] = field(default_factory=list)
    open: dict[str, int] = field(default_factory=dict)

    def ask(self, question: str, call: Callable[[], T], repeats: int, what: str) -> tuple[T, float]:
        """The answer and its median time; noted, and checked by its own proof."""
        answer, seconds = timed(call, repeats)
        self.ours.setdefault(question, []).append(seconds)
        verify: Any = getattr(answer, "verify", None)
        if verify is not None and not verify() and getattr(answer, "value", 0.0) != np.inf:
            self.unproven.append(f"{what}: {question}")
        return answer, seconds


def timed(call: Callable[[], T], repeats: int = 1) -> tuple[T, float]:
    """What `call` returns, and its median CPU time [s]."""
    seconds = []
    while True:
        start = time.process_time()
        answer = call()
        seconds.append(time.process_time() - start)
        if len(seconds) >= repeats:
            return answer, float(np.median(seconds))


def measured(n: int, repeats: int) -> Figures:
    """Every structure with n bodies, and the same questions to the peers."""
    found = Figures(n)
    for kind, make in KINDS.items():
        for cap in (None, CAP):
            s = make(n, cap=cap)
            found.contacts.append(len(s.assembly))
            if cap is None:
                found.ask(
                    "first test, with its matrices", lambda s=s: hf.equilibrium(s.assembly, s.weights), 1, s.label
                )
            asked = _questions(found, s, repeats)
            if cap is None and (n < LARGE or kind in FOR_PEERS):
                _compared(found, s, asked)
    return found


def _questions(found: Figures, s: Structure, repeats: int) -> dict[str, tuple[float, float, np.ndarray]]:
    """(value, seconds, load) of each question that peers are asked as well: 1 or -inf of tests."""
    a, what = s.assembly, s.label
    test, seconds = found.ask("test", lambda: hf.equilibrium(a, s.weights), repeats, what)
    asked = {"test": (_value(test.status), seconds, s.weights)}
    found.ask("load limit", lambda: hf.load_limit(a, s.weights), repeats, what)
    ramp, seconds = found.ask("load ramp", lambda: hf.load_ramp(a, s.weights, s.push), repeats, what)
    asked["load ramp"] = ramp.largest.value, seconds, s.push
    if test.status is Status.HOLDS and 0.0 < ramp.value < np.inf:
        for share in NEAR:
            load = s.weights + share * (ramp.value if share < 1.0 else ramp.upper_bound) * s.push
            name = "test, 1e-3 from the limit" if abs(share - 1.0) > 1e-4 else "test, 1e-6 from the limit"
            near, seconds = found.ask(name, lambda load=load: hf.equilibrium(a, load), repeats, what)
            asked[f"{name}, {'below' if share < 1.0 else 'above'}"] = _value(near.status), seconds, load
            if near.holds != (share < 1.0):
                found.contradict.append(f"{what}: {share} of the limit is {near.status}")
        if a.body_count <= MOST_EXPLAINED and s.name in EXPLAINED:
            failed = hf.equilibrium(a, s.weights + NEAR[1] * ramp.value * s.push)
            found.ask("diagnose", lambda: str(hf.diagnose(failed)), 1, what)
            tilted = rotating_gravity(s.scene)
            found.ask("slip onset by tilt", lambda: hf.slip_onset(tilted, 0.0, 1.5, step=0.05, tolerance=1e-4), 1, what)
    if test.holds:
        found.ask("even forces", test.even, 1, what)
    return asked


def _value(status: Status) -> float:
    return 1.0 if status is Status.HOLDS else -np.inf


def _compared(found: Figures, s: Structure, asked: dict[str, tuple[float, float, np.ndarray]]) -> None:
    """Ask the peers, and compare what they say."""
    for form, solver in PEERS:
        peer = Peer(s.assembly, form, solver)
        for question, (value, seconds, load) in asked.items():
            if s.assembly.body_count >= LARGE and question not in ASKED:
                continue
            if question == "load ramp":
                answer, other = timed(lambda peer=peer, load=load: peer.largest(s.weights, load))
            else:
                answer, other = timed(lambda peer=peer, load=load: peer.test(load))
            found.peers.setdefault(peer.name, []).append((other, seconds))
            if np.isnan(answer):
                found.open[peer.name] = found.open.get(peer.name, 0) + 1
            elif "1e-6" not in question and not np.isclose(answer, value, rtol=PEER_ACCURACY, atol=PEER_ACCURACY):
                found.contradict.append(f"{s.label}: {question}: {value}, {peer.name}: {answer}")


def run(quick: bool) -> Report:
    hf.Solver(wall(2).assembly)  # compiles
    sizes, repeats = ((4,), 1) if quick else (SIZES, 3)
    found = [measured(n, repeats) for n in sizes]
    few, unions = dense_or_sparse(FEW[::3] if quick else FEW, repeats), over_unions(UNIONS[:1] if quick else UNIONS)
    rows = [
        row(f"{f.bodies} bodies: {question}", [1e3 * t for t in samples], "ms")
        for f in found
        for question, samples in f.ours.items()
    ]
    data = {"unproven": {f.bodies: f.unproven for f in found}, "contradict": {f.bodies: f.contradict for f in found}}
    return Report(rows, [_own(found), _ratios(found), few, unions], data)


def _own(found: Sequence[Figures]) -> TextTable:
    questions = list(dict.fromkeys(question for f in found for question in f.ours))
    cells = []
    for question in questions:
        own = [(f.bodies, f.ours[question]) for f in found if question in f.ours]
        spread = {n: " / ".join(duration(float(t)) for t in (*np.percentile(x, [50.0, 95.0]), max(x))) for n, x in own}
        power = f"{exponent([n for n, _ in own], [float(np.mean(x)) for _, x in own]):.2f}" if len(own) > 2 else "-"
        cells.append([question, *(spread.get(f.bodies, "-") for f in found), power])
    most = ["contacts", *(f"{min(f.contacts)} to {max(f.contacts)}" for f in found), ""]
    checks = ["not proven / contradict", *(f"{len(f.unproven)} / {len(f.contradict)}" for f in found), ""]
    goals = [
        "target, all but the last three",
        *(duration(TARGETS[f.bodies]) if f.bodies in TARGETS else "" for f in found),
        "",
    ]
    header = ("question", *(f"{f.bodies} bodies" for f in found), "n^p, p =")
    note = (
        "CPU time, p50 / p95 / max over walls, pallets, towers, arches, piles and snap bricks, with and without caps."
    )
    return TextTable("Several bodies", header, [most, *cells, goals, checks], note)


def _ratios(found: Sequence[Figures]) -> TextTable:
    names = list(dict.fromkeys(name for f in found for name in f.peers))
    cells = []
    for name in names:
        line = [name]
        for f in found:
            pairs = np.array(f.peers.get(name, np.zeros((0, 2))))
            if not len(pairs):
                line.append("-")
                continue
            ratio, stopped = pairs[:, 0] / pairs[:, 1], f.open.get(name, 0)
            more = f", {stopped} of {len(pairs)} open" if stopped else ""
            line.append(f"{times(float(np.median(ratio)))} / {times(float(ratio.max()))}{more}")
        cells.append(line)
    note = "The peer's CPU time divided by ours on the same questions, median / largest; its matrices are not counted."
    return TextTable("Peers, as ratios", ("linear program", *(f"{f.bodies} bodies" for f in found)), cells, note)


def dense_or_sparse(sizes: Sequence[int], repeats: int) -> TextTable:
    """The dense kernels and the sparse method on the same questions: where the second begins to be faster."""
    cells = []
    for n in sizes:
        spent: dict[str, list[float]] = {"dense": [], "sparse": []}
        for make in KINDS.values():
            for cap in (None, CAP):
                values = []
                for name, method, limit in (("dense", hf.solvers.Exact(), 10**9), ("sparse", InteriorPoint(), 0)):
                    with mock.patch.object(problem, "DENSE_ROWS", limit):
                        s = make(n, cap=cap)
                        hf.equilibrium(s.assembly, s.weights, method=method)
                        ramp, seconds = timed(
                            lambda s=s, m=method: hf.load_ramp(s.assembly, s.weights, s.push, method=m), repeats
                        )
                        values.append(ramp.largest.value)
                        spent[name].append(seconds)
                        for share in NEAR[:2]:
                            load = s.weights + share * max(ramp.value, 0.0) * s.push
                            spent[name].append(
                                timed(lambda s=s, w=load, m=method: hf.equilibrium(s.assembly, w, method=m), repeats)[1]
                            )
                assert np.isclose(*values, rtol=1e-5, atol=1e-9), (n, make, values)
        own = [f"{duration(float(np.median(x)))} / {duration(max(x))}" for x in spent.values()]
        ratio = float(np.sum(spent["dense"]) / np.sum(spent["sparse"]))
        cells.append([str(n), *own, f"{ratio:.2f}"])
    note = (
        "CPU time, median / largest, of load ramps and of tests at 1e-3 from the limit. "
        f"Chosen: dense up to {problem.DENSE_ROWS} rows of balance."
    )
    return TextTable(
        "Dense kernels or the sparse method", ("bodies", "dense", "sparse", "sum, dense / sparse"), cells, note
    )


def over_unions(sizes: Sequence[int]) -> TextTable:
    """Stacks held by contacts whose volumes are unions of pieces: only the exact search answers."""
    cells = []
    for n in sizes:
        for name in ("gecko", "microspine"):
            s = adhesive(n, name)
            method = hf.solvers.Exact(time_limit=UNION_LIMIT)
            test, seconds = timed(lambda s=s, m=method: hf.equilibrium(s.assembly, s.weights, method=m))
            limit, more = timed(lambda s=s, m=method: hf.load_limit(s.assembly, s.weights, method=m))
            choices = f"{test.problem.combinations:.1e}"
            shown = f"{limit.status}, {limit.value:.3f} to {limit.upper_bound:.3f}"
            cells.append([s.label, choices, f"{test.status}, {duration(seconds)}", f"{shown}, {duration(more)}"])
    header = ("structure", "choices of pieces", "test of the weights", "load limit")
    return TextTable("Unions of pieces", header, cells, f"CPU time; searches stop after {UNION_LIMIT:g} s.")
