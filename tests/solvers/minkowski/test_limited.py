"""Programs over hands within rows against all columns at once by HiGHS; proofs against support functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.geometry.frames import transports
from holdfast.solvers.minkowski import SumStatus, prepare
from holdfast.solvers.minkowski.limited import LimitedSum
from tests.nightly import nightly_after

LENGTH, FORCE = 0.5, 100.0
UP = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def shape(kind: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, rays): a cloud of wrenches, a friction cone, or the same with a largest force."""
    if kind == 0:
        cloud = rng.normal(size=(int(rng.integers(8, 150)), 6)) * [100, 100, 100, 10, 10, 10]
        return cloud + rng.normal(size=6) * [50, 50, 50, 0, 0, 0], np.zeros((0, 6))
    turns = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    cone = np.column_stack([0.6 * np.cos(turns), 0.6 * np.sin(turns), np.ones(8), np.zeros((8, 3))])
    if kind == 1:
        return np.zeros((1, 6)), cone
    return np.vstack([np.zeros(6), 200.0 * cone]), np.zeros((0, 6))


class Case:
    """One random program, and the same for HiGHS."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.k, self.n = int(rng.integers(1, 6)), int(rng.integers(1, 13))
        kind = seed % 3
        self.shapes = [shape(kind, rng) for _ in range(2)]
        self.shape_of = rng.integers(0, 2, size=self.k)
        turns = [hf.rotation_about(rng.normal(size=3), 2.0 if kind == 0 else 0.4) for _ in range(self.k)]
        self.maps = transports(np.array(turns), rng.normal(size=(self.k, 3)) * [0.5, 0.5, 0.2])
        near = rng.random((self.k, self.n, 1)) < 0.5
        self.rows = rng.normal(size=(self.k, self.n, 6)) * [0.3, 0.3, 0.3, 1.0, 1.0, 1.0] * near
        self.constant = rng.normal(size=self.n) * 3.0
        self.upper = rng.uniform(2.0, 100.0, size=self.n)
        self.lower = np.where(rng.random(self.n) < 0.2, -np.inf, -self.upper)
        self.base = UP * FORCE if seed % 2 else np.zeros(6)
        self.axis = UP if seed % 4 < 3 else rng.normal(size=6)

    def placed(self, solver: LimitedSum) -> LimitedSum:
        solver.place(self.maps, self.rows)
        solver.limit(self.constant, self.lower, self.upper)
        return solver

    def solver(self) -> LimitedSum:
        prepared = [prepare(*own) for own in self.shapes]
        lengths = np.full(self.n, LENGTH)
        return self.placed(LimitedSum(prepared, self.shape_of, length=LENGTH, row_lengths=lengths, force=FORCE))

    def highs(self) -> tuple[SumStatus, float]:
        columns, mixing = [], []
        for j, s in enumerate(self.shape_of):
            vertices, rays = self.shapes[s]
            own = np.vstack([vertices, rays]).T
            columns.append(np.vstack([self.maps[j], self.rows[j]]) @ own)
            mixing.append(np.outer(np.arange(self.k) == j, np.arange(own.shape[1]) < len(vertices)))
        a = np.hstack(columns)
        width, above, below = a.shape[1], np.isfinite(self.upper), np.isfinite(self.lower)
        found = linprog(
            np.append(np.zeros(width), -1.0),
            np.hstack([np.vstack([a[6:][above], -a[6:][below]]), np.zeros((above.sum() + below.sum(), 1))]),
            np.concatenate([(self.upper - self.constant)[above], (self.constant - self.lower)[below]]),
            np.vstack([np.hstack([a[:6], -self.axis[:, None]]), np.hstack([*mixing, np.zeros((self.k, 1))])]),
            np.concatenate([self.base, np.ones(self.k)]),
            bounds=[(0.0, None)] * width + [(None, None)],
        )
        status = {0: SumStatus.OPTIMAL, 2: SumStatus.EMPTY, 3: SumStatus.UNBOUNDED}[found.status]
        return status, -found.fun if found.status == 0 else np.nan


@pytest.mark.parametrize("seed", nightly_after(60, range(400)))
def test_values_are_those_of_the_program_with_all_columns(seed):
    case = Case(seed)
    found = case.solver().maximise(case.base, case.axis[None], np.ones(1))
    status, value = case.highs()
    assert found.status is status
    if status is SumStatus.OPTIMAL:
        assert found.value == pytest.approx(value, abs=1e-6 * FORCE)
        given = np.einsum("krc,kc->r", case.maps, found.wrenches)
        assert given == pytest.approx(case.base + found.z @ case.axis[None], abs=1e-8 * FORCE)
        torques = np.einsum("krc,kc->r", case.rows, found.wrenches) + case.constant
        assert found.rows == pytest.approx(torques, abs=1e-9 * FORCE)
        assert (torques >= case.lower - 1e-8 * FORCE).all()
        assert (torques <= case.upper + 1e-8 * FORCE).all()
    if status is SumStatus.EMPTY:
        assert separation(case, found.multipliers, found.row_multipliers) < 0.0


def separation(case: Case, y: np.ndarray, r: np.ndarray) -> float:
    """The largest y . (sum T w - base) + r . (sum R w + constant - s) of all wrenches and torques allowed."""
    total = float(r @ case.constant - y @ case.base)
    for j, s in enumerate(case.shape_of):
        vertices, rays = case.shapes[s]
        way = case.maps[j].T @ y + case.rows[j].T @ r
        total += float((vertices @ way).max())
        assert (rays @ way <= 1e-9 * np.abs(way).max()).all()
    total -= sum(
        price * (low if price > 0 else high)
        for price, low, high in zip(r, case.lower, case.upper, strict=True)
        if price
    )
    return total


def test_answers_do_not_depend_on_what_was_asked_before():
    first, places = Case(6), [Case(seed) for seed in range(6, 400, 3) if seed % 2 == 0]
    warm = first.solver()
    for asked, case in enumerate(places[:25]):
        if (case.k, case.n) != (first.k, first.n):
            case.k, case.n, case.shapes, case.shape_of = first.k, first.n, first.shapes, first.shape_of
            rng = np.random.default_rng(asked)
            case.maps = first.maps + 0.02 * rng.normal(size=first.maps.shape)
            case.rows, case.constant = first.rows * rng.uniform(0.5, 1.5), first.constant
            case.lower, case.upper = first.lower * rng.uniform(0.2, 2.0), first.upper
        case.placed(warm)
        key = asked % 3
        again = warm.maximise(case.base, UP[None], np.ones(1), key=key)
        fresh = case.solver().maximise(case.base, UP[None], np.ones(1))
        assert again.status is fresh.status
        if fresh.status is SumStatus.OPTIMAL:
            assert again.value == pytest.approx(fresh.value, abs=1e-8 * FORCE)
        held = warm.holds(case.base)
        assert (held is SumStatus.OPTIMAL) is (case.solver().maximise(case.base).status is SumStatus.OPTIMAL)
    warm.forget()
    assert case.placed(warm).holds(case.base) is held


def test_a_row_without_hands_decides_by_itself():
    grip = hf.Grip.box(-np.full(6, 200.0), np.full(6, 200.0))
    solver = LimitedSum([grip.prepared], [0], length=LENGTH, row_lengths=[LENGTH], force=FORCE)
    solver.place(np.eye(6)[None], np.zeros((1, 1, 6)))
    for constant, holds in ((4.999999, True), (5.000001, False)):
        solver.limit([constant], [-5.0], [5.0])
        assert (solver.holds(UP) is SumStatus.OPTIMAL) is holds
    found = solver.maximise(UP)
    assert found.status is SumStatus.EMPTY
    assert found.multipliers == pytest.approx(np.zeros(6))


def test_an_optimum_at_one_vertex_and_row_is_unique_and_a_flat_one_is_not():
    rng = np.random.default_rng(3)
    cloud = prepare(200.0 * rng.normal(size=(60, 6)))
    box = hf.Grip.box(-np.full(6, 200.0), np.full(6, 200.0)).prepared
    for shape_of_one, unique in ((cloud, True), (box, False)):
        solver = LimitedSum([shape_of_one], [0, 0], length=1.0, row_lengths=[1.0], force=FORCE)
        turned = transports(np.array([np.eye(3), np.eye(3)]), np.zeros((2, 3)))
        if unique:
            turned = transports(np.array([np.eye(3), hf.rotation_about((1, 2, 3), 0.8)]), rng.normal(size=(2, 3)))
        solver.place(turned, rng.normal(size=(2, 1, 6)))
        solver.limit([0.0], [-20.0], [20.0])
        found = solver.maximise(np.zeros(6), UP[None], np.ones(1), judge=True)
        assert found.status is SumStatus.OPTIMAL
        assert found.unique is unique
        assert abs(found.rows[0]) <= 20.0 + 1e-7
