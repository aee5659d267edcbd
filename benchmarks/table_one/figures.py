"""All that is measured of one row of Table I."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked
from benchmarks.table_one.borders import Borders, borders
from holdfast.papers.table_one import (
    GAP,
    LIMITS,
    TESTS,
    DeviceRow,
    Questions,
    Rival,
    Series,
    ask,
    ask_slow,
    contradictions,
    rivals,
    sample,
    wrong_tests,
)

#: Degrees between neighbouring queries of a warm sequence.
STEPS = (5.0, 0.5)

#: Queries of a batch that are asked singly as well.
COMPARED = 200

#: Border loads this far from the limit are put to rivals; nearer ones are within their tolerances.
RIVAL_BORDER = 1e-4

SEED = 2018


@dataclass(frozen=True)
class Size:
    """How much is asked.

    Attributes:
        repeats: times each of our queries is timed; their median counts.
        tests, limits: queries of each kind put to ours, of TESTS and LIMITS.
        borders: directions whose border loads are asked about.
        batch: queries of a batch.
        rival_rows: rows on which slow rivals are asked; None for all.
        rival_tests, rival_limits, rival_borders: queries of each kind put to a slow rival.
        time_limit: seconds a slow rival has for one query.
        budget: seconds a slow rival has for all queries of one kind on one row.
    """

    repeats: int
    tests: int
    limits: int
    borders: int
    batch: int
    rival_rows: tuple[str, ...] | None
    rival_tests: int
    rival_limits: int
    rival_borders: int
    time_limit: float
    budget: float


FULL = Size(5, TESTS, LIMITS, 24, 10_000, None, 12, 6, 6, 20.0, 30.0)
QUICK = Size(1, 12, 9, 2, 500, ("2OU", "4FH opposed"), 1, 1, 1, 1.0, 1.0)


@dataclass(frozen=True)
class Sequel:
    """Neighbouring queries put to one Solver, or many at once.

    Attributes:
        n: number of queries.
        seconds: of each query but the first, which is cold; or of the whole batch.
        differ: how many answers are not those of single, cold queries.
    """

    n: int
    seconds: list[float]
    differ: int


@dataclass
class RowFigures:
    """What one row gave.

    Attributes:
        row: the device.
        ours: our cold series: "test", "turned" (the links weigh, too), "border", "limit".
        warm: sequences by name.
        batch: "test" and "limit".
        rivals: their series.
        wrong: (method, kind) to the queries on which it contradicts what is proven.
    """

    row: DeviceRow
    ours: dict[str, Series] = field(default_factory=dict)
    warm: dict[str, Sequel] = field(default_factory=dict)
    batch: dict[str, Sequel] = field(default_factory=dict)
    rivals: list[Series] = field(default_factory=list)
    wrong: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def rival(self, name: str, kind: str) -> Series | None:
        """A rival's series, if it was asked."""
        return next((s for s in self.rivals if (s.method, s.kind) == (name, kind)), None)

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        wrong = [
            {"method": m, "kind": kind, "queries": queries} for (m, kind), queries in self.wrong.items() if queries
        ]
        return {
            "contacts": self.row.contacts,
            "rows": self.row.constraint_rows,
            "ours": {name: series.to_dict() for name, series in self.ours.items()},
            "warm": {name: vars(sequel) for name, sequel in self.warm.items()},
            "batch": {name: vars(sequel) for name, sequel in self.batch.items()},
            "rivals": [series.to_dict() for series in self.rivals],
            "wrong": wrong,
        }


def measure_row(row: DeviceRow, size: Size, said: Callable[[str], None]) -> RowFigures:
    """Our method on all queries, rivals on those that their time allows; `said` is called with each step."""
    figures = RowFigures(row)
    said("Exact")
    tests = Questions("test", [row.assembly], row.weights())
    limits = Questions("limit", [row.assembly], row.forces())
    near = borders(row.assembly, limits.wrenches[sample(range(LIMITS), size.borders, SEED)])
    asked = {
        "test": sample(range(TESTS), size.tests, SEED),
        "border": list(range(len(near.wrenches))),
        "limit": sample(range(LIMITS), size.limits, SEED),
    }
    questions = {"test": tests, "border": Questions("border", [row.assembly], near.wrenches), "limit": limits}
    ours = hf.solvers.Exact(gap=GAP)
    for kind, of_kind in questions.items():
        series = Series("Exact", kind, len(of_kind))
        proofs = kind != "border"  # whose verdicts are known beforehand
        figures.ours[kind] = ask(series, ours, of_kind, asked[kind], repeats=size.repeats, verify=proofs)
    turned = Questions("test", row.turned(), row.weights())
    series = Series("Exact", "test", TESTS)
    figures.ours["turned"] = ask(series, ours, turned, asked["test"], repeats=size.repeats, verify=True)
    said("Solver")
    figures.warm = _warm(row, size)
    said("batches")
    figures.batch = {
        "test": _batch(tests.kind, row.assembly, row.weights(size.batch, sphere=True)),
        "limit": _batch(limits.kind, row.assembly, row.forces(size.batch)),
    }
    _judge_ours(figures, near)
    coarse = [i for i in asked["border"] if abs(near.shares[i] - 1.0) > RIVAL_BORDER]
    methods = {rival.name: rival for rival in rivals(size.time_limit)}
    for rival in methods.values():
        if rival.quick or size.rival_rows is None or row.name in size.rival_rows:
            said(rival.name)
            chosen = {"test": asked["test"], "border": coarse, "limit": asked["limit"]}
            _ask_rival(figures, rival, questions, chosen, size)
    for series in figures.rivals:
        if series.kind == "border":
            wrong = wrong_tests(series, dict(enumerate(near.holds.tolist())))
        else:
            ours_said = figures.ours[series.kind]
            wrong = contradictions(methods[series.method], series, ours_said, questions[series.kind])
        figures.wrong[series.method, series.kind] = wrong
    return figures


def _ask_rival(
    figures: RowFigures, rival: Rival, questions: dict[str, Questions], chosen: dict[str, list[int]], size: Size
) -> None:
    """Everything to a quick one, a seeded part to a slow one."""
    parts = {"test": size.rival_tests, "border": size.rival_borders, "limit": size.rival_limits}
    for kind, of_kind in questions.items():
        possible = len(chosen[kind]) if kind == "border" else len(of_kind)
        cap = inf if rival.quick else size.time_limit
        series = Series(rival.name, kind, possible, searches=not rival.quick, cap=cap)
        if rival.quick:
            ask(series, rival.method, of_kind, chosen[kind])
        else:
            some = sample(chosen[kind], parts[kind], SEED + 1)
            ask_slow(series, rival.method, of_kind, some, size.budget)
        figures.rivals.append(series)


def _judge_ours(figures: RowFigures, near: Borders) -> None:
    """Our answers that are wrong at the border, or that do not prove themselves; undecided is wrong here, too."""
    border = figures.ours["border"]
    verdicts = ["holds" if holds else "does not hold" for holds in near.holds]
    figures.wrong["Exact", "border"] = [r.index for r in border.replies if r.status != verdicts[r.index]]
    for name in ("test", "turned", "limit"):
        figures.wrong["Exact", name] = [r.index for r in figures.ours[name].replies if not r.proved]


def _warm(row: DeviceRow, size: Size) -> dict[str, Sequel]:
    """Tests STEPS apart, and limits of forces 5 degrees apart, each sequence with a Solver of its own."""
    found = {}
    for step in STEPS:
        weights = row.weights(round(360.0 / step))
        found[f"test, {step:g} deg"] = _sequence("test", row.assembly, weights, size.repeats)
    found["limit, 5 deg"] = _sequence("limit", row.assembly, row.forces(TESTS, sphere=False), size.repeats)
    return found


def _sequence(kind: str, assembly: hf.Assembly, wrenches: np.ndarray, repeats: int) -> Sequel:
    """One pass through the queries, a few times; the median of each query counts."""
    seconds, answers = [], []
    for _ in range(repeats):
        solver = hf.Solver(assembly, hf.solvers.Exact(gap=GAP))
        question = solver.load_limit if kind == "limit" else solver.equilibrium
        passed = [clocked(lambda w=w, ask=question: ask(w)) for w in wrenches]
        seconds.append([s for _, s in passed])
        answers = [answer for answer, _ in passed]
    cold = Questions(kind, [assembly], wrenches)
    compared = sample(range(len(wrenches)), COMPARED, SEED)
    single = [cold.put(i, hf.solvers.Exact(gap=GAP)) for i in compared]
    differ = sum(not _same(a, answers[i]) for i, a in zip(compared, single, strict=True))
    return Sequel(len(wrenches), np.median(seconds, axis=0)[1:].tolist(), differ)


def _batch(kind: str, assembly: hf.Assembly, wrenches: np.ndarray) -> Sequel:
    """All at once on every core."""
    solver = hf.Solver(assembly, hf.solvers.Exact(gap=GAP))
    many = solver.load_limit_many if kind == "limit" else solver.equilibrium_many
    many(wrenches[:4])
    answers, seconds = clocked(lambda: many(wrenches))
    cold = Questions(kind, [assembly], wrenches)
    differ = 0
    for index in sample(range(len(wrenches)), COMPARED, SEED):
        single = cold.put(index, hf.solvers.Exact(gap=GAP))
        same = single.status == answers.status[index]
        if isinstance(single, hf.statics.LoadLimit):
            same = same and bool(np.isclose(single.value, answers.values[index], rtol=2.0 * GAP, atol=0.0))
        differ += not same
    return Sequel(len(wrenches), [seconds], differ)


def _same(first: object, second: object) -> bool:
    if isinstance(first, hf.statics.LoadLimit) and isinstance(second, hf.statics.LoadLimit):
        close = bool(np.isclose(first.value, second.value, rtol=2.0 * GAP, atol=0.0))
        return first.status == second.status and close
    return (
        isinstance(first, hf.statics.Equilibrium)
        and isinstance(second, hf.statics.Equilibrium)
        and first.status == second.status
    )
