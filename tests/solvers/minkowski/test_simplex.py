"""The simplex method over sums: inverse, rounding, ratio test, pricing, and the method as a whole."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from holdfast.compiling import inlined
from holdfast.solvers.exact.simplex import invert
from holdfast.solvers.minkowski import SumSolver, SumStatus
from holdfast.solvers.minkowski.simplex import (
    PIVOT,
    PIVOT_HOME,
    add_candidates,
    allow_rounding,
    apply_inverse,
    assess,
    best_of_block,
    block_support,
    drop_noise,
    exchange,
    first_above,
    imbalance,
    leaving,
    multipliers,
    objective_value,
    perturb,
    pool_scores,
    price_all,
    ray_slope,
    refine,
    renew,
    restore_rows,
    stretch_rows,
    to_hand,
    value_at,
    within,
)
from holdfast.solvers.minkowski.workspace import BLOCK, COLUMN, FIXED, FREE
from tests.nightly import nightly_after
from tests.solvers.kernel_cases import compiled
from tests.solvers.minkowski.sum_cases import (
    CUBE,
    Sum,
    assert_proved,
    placed,
    random_maps,
    random_rotation,
    random_sum,
)


def test_the_last_basis_solves_its_equations():
    rng = np.random.default_rng(0)
    solver = random_sum(rng, 3, ["cloud", "box"]).solver()
    solver.maximise(np.zeros(6), rng.normal(size=(2, 6)), [1.0, 2.0])
    tables, pool, basis, _, _, _ = solver.parts
    basis.right[6:] = 1.0
    assert renew(tables, pool, basis)
    m = len(basis.kinds)
    assert np.allclose(basis.inverse @ basis.columns.T, np.eye(m), atol=1e-9)
    assert np.allclose(basis.x @ basis.columns, basis.right, atol=1e-9)
    for kind, index, column in zip(basis.kinds, basis.index, basis.columns, strict=True):
        if kind == COLUMN:
            assert pool.basic[index] == 1
            assert np.array_equal(column[:6], pool.world[:, index])
            assert column[6:].sum() == 1.0 and column[tables.row_of[pool.rows[index]]] == 1.0
        elif kind == FREE:
            assert np.array_equal(column[:6], -basis.axes[index])


def test_distances_and_costs_follow_the_bounds_of_each_kind():
    kinds, index = np.array([COLUMN, COLUMN, FIXED, FIXED, FREE]), np.array([0, 1, 2, 3, 1])
    gains, costs = np.array([5.0, 7.0]), np.zeros(5)
    x = np.array([0.5, -0.25, 2.0, -3.0, -100.0])
    assert assess.interpreted(kinds, index, gains, x, np.full(5, 1e-12), costs) == pytest.approx(5.25)
    assert costs.tolist() == [0.0, 1.0, -1.0, 1.0, 0.0]
    x[1:4] = [0.0, 1e-13, -1e-13]
    assert assess.interpreted(kinds, index, gains, x, np.full(5, 1e-12), costs) == 0.0
    assert costs.tolist() == [0.0, 0.0, 0.0, 0.0, 7.0]
    assert objective_value.interpreted(kinds, index, gains, x) == -700.0


def test_the_balance_is_checked_without_negative_weights_and_artificial_columns():
    kinds, columns = np.array([COLUMN, COLUMN, FIXED]), np.eye(3)
    assert imbalance.interpreted(kinds, columns, np.array([1.0, 2.0, 0.0]), np.array([1.0, 2.0, 0.0])) == 0.0
    assert imbalance.interpreted(kinds, columns, np.array([1.0, -0.5, 0.0]), np.array([1.0, -0.5, 0.0])) == 0.5
    assert imbalance.interpreted(kinds, columns, np.array([1.0, 2.0, 0.25]), np.array([1.0, 2.0, 0.25])) == 0.25


def test_a_perturbation_moves_weights_at_zero_alone():
    kinds, x = np.array([COLUMN, COLUMN, FREE, FIXED]), np.array([0.0, 0.5, 0.0, 0.0])
    perturb.interpreted(kinds, x, 3)
    assert 0.0 < x[0] < 1e-8 and x[1:].tolist() == [0.5, 0.0, 0.0]


@pytest.mark.parametrize("k", [1, 4, 12])
def test_very_degenerate_sums_come_to_an_end(k):
    # equal cubes with their corners repeated, in one place and aligned: almost every step is of length zero
    corners = np.repeat(CUBE, 3, axis=0)
    hands = Sum([(corners, None)], [0] * k, np.tile(np.eye(6), (k, 1, 1)))
    solver = hands.solver()
    for direction in (np.eye(6)[0], np.ones(6), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])):
        answer = solver.maximise(np.zeros(6), direction[None], [1.0])
        assert answer.status is SumStatus.OPTIMAL and answer.value == pytest.approx(k, rel=1e-12)
        assert_proved(hands, np.zeros(6), direction[None], np.ones(1), answer)
        for share, status in ((1.0, SumStatus.OPTIMAL), (1.0 + 1e-8, SumStatus.EMPTY)):
            assert solver.maximise(share * k * direction).status is status


def test_many_hands_with_hundreds_of_vertices_are_solved():
    rng = np.random.default_rng(1)
    hands = Sum([(rng.normal(size=(400, 6)), None)], [0] * 30, random_maps(rng, 30))
    direction = rng.normal(size=(1, 6))
    answer = hands.solver().maximise(np.zeros(6), direction, [1.0])
    assert answer.status is SumStatus.OPTIMAL and answer.gap <= 1e-9 * answer.value
    assert_proved(hands, np.zeros(6), direction, np.ones(1), answer)


@pytest.mark.parametrize("seed", range(5))
def test_an_exchange_keeps_the_inverse(seed):
    rng = np.random.default_rng(seed)
    m, row = 9, int(rng.integers(0, 9))
    columns, entering = rng.normal(size=(m, m)), rng.normal(size=m)
    inverse, alpha = np.linalg.inv(columns.T), np.zeros(m)
    apply_inverse.interpreted(inverse, entering, alpha)
    assert np.allclose(columns.T @ alpha, entering)
    exchange.interpreted(inverse, alpha, row)
    columns[row] = entering
    assert np.allclose(inverse @ columns.T, np.eye(m), atol=1e-9)


def test_values_and_multipliers_solve_their_equations():
    rng = np.random.default_rng(7)
    m = 8
    columns, right, costs = rng.normal(size=(m, m)), rng.normal(size=m), rng.normal(size=m)
    inverse, work, x, y = np.zeros((m, m)), np.zeros((m, m)), np.zeros(m), np.zeros(m)
    assert invert.interpreted(columns, inverse, work)
    apply_inverse.interpreted(inverse, right, x)
    multipliers.interpreted(inverse, costs, y)
    assert np.allclose(x @ columns, right)
    assert np.allclose(costs + columns @ y, 0.0)  # basic columns neither gain nor lose


def test_a_singular_basis_is_noticed():
    columns = np.random.default_rng(8).normal(size=(7, 7))
    columns[3] = columns[1] + columns[2]
    assert not invert.interpreted(columns, np.zeros((7, 7)), np.zeros((7, 7)))


def missing(columns, x, right):
    """Largest |sum_i x_i columns_i - right|, in fractions."""
    return max(
        abs(float(sum(Fraction(c) * Fraction(v) for c, v in zip(row, x, strict=True)) - Fraction(b)))
        for row, b in zip(columns.T.tolist(), right.tolist(), strict=True)
    )


def test_a_step_of_refinement_takes_away_what_a_poor_inverse_left():
    rng = np.random.default_rng(0)
    columns, right = rng.normal(size=(8, 8)), rng.normal(size=8)
    columns[1] = columns[0] + 1e-6 * columns[1]
    inverse = np.linalg.inv(columns.T) * (1.0 + 1e-10 * rng.normal(size=(8, 8)))
    x = inverse @ right
    before = missing(columns, x.tolist(), right)
    refine.interpreted(columns, inverse, right, x, np.zeros(8))
    refine.interpreted(columns, inverse, right, x, np.zeros(8))
    assert missing(columns, x.tolist(), right) < 1e-4 * before


def test_stretched_rows_come_back_to_the_last_digit_with_the_right_inverse():
    rng = np.random.default_rng(1)
    columns, scales = rng.normal(size=(6, 6)) * np.array([1.0, 1e-9, 1.0, 1e5, 1e-4, 1e-15]), np.zeros(6)
    given = columns.copy()
    stretch_rows.interpreted(columns, scales)
    sizes = np.abs(columns).max(axis=0)
    assert ((sizes[:5] >= 0.125) & (sizes[:5] <= 8.0)).all()
    assert scales[5] == 1.0  # rounding is not made large
    inverse = np.linalg.inv(columns.T)
    restore_rows.interpreted(columns, inverse, scales)
    assert np.array_equal(columns, given)
    assert np.allclose(inverse @ given.T, np.eye(6), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_margins_are_what_columns_rounded_otherwise_do_to_the_values(seed):
    rng = np.random.default_rng(seed)
    columns, right = rng.normal(size=(7, 7)), rng.normal(size=7)
    columns[:, 3] *= 1e-5
    inverse = np.linalg.inv(columns.T)
    x, margins = inverse @ right, np.zeros(7)
    allow_rounding.interpreted(columns, inverse, right, x, 0.0, np.inf, margins)
    for _ in range(20):
        noise = 1e-16 * rng.choice([-1.0, 1.0], size=(7, 7)) * np.abs(columns).max(axis=1, keepdims=True)
        change = inverse @ (noise.T @ x)
        assert (np.abs(change) <= margins).all()
    allow_rounding.interpreted(columns, inverse, right, x, 0.0, 1e-15, margins)
    assert margins.max() == 1e-15


def test_bounds_count_by_the_margin_of_each_value():
    kinds, margins = np.array([COLUMN, FREE, FIXED]), np.array([1e-12, 0.0, 1e-14])
    assert within.interpreted(kinds, np.array([-1e-13, -5.0, 1e-15]), margins)
    assert not within.interpreted(kinds, np.array([-1e-11, -5.0, 0.0]), margins)
    assert not within.interpreted(kinds, np.array([0.0, 0.0, 1e-13]), margins)
    assert not within.interpreted(kinds, np.array([0.0, 0.0, -1e-13]), margins)


def test_entries_of_rounding_are_dropped_and_small_true_ones_stay():
    inverse, alpha = np.eye(3), np.array([1.0, 1e-16, 1e-12])
    drop_noise.interpreted(inverse, np.array([1.0, 1e-16, 1e-12]), alpha, 0.0)
    assert alpha.tolist() == [1.0, 0.0, 1e-12]
    drop_noise.interpreted(inverse, np.array([1.0, 1e-16, 1e-12]), alpha, 1e-12)
    assert alpha.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(8))
def test_loads_just_beyond_the_end_of_a_line_are_distinguished_where_arms_are_long(seed):
    rng = np.random.default_rng(seed)
    shapes = [(rng.normal(size=(40, 6)) * [1, 1, 1, 0.1, 0.1, 0.1], None) for _ in range(2)]
    maps = [placed(random_rotation(rng), 1000.0 * rng.normal(size=3)) for _ in range(2)]
    solver = SumSolver(shapes, [0, 1], length=1000.0)
    solver.place(maps)
    load = rng.normal(size=6)
    far = solver.maximise(np.zeros(6), load[None], [1.0])
    assert far.status is SumStatus.OPTIMAL
    beyond = solver.maximise(load * far.value * (1.0 + 1e-8))
    assert beyond.status is SumStatus.EMPTY
    assert beyond.multipliers @ load * far.value * (1.0 + 1e-8) > solver.support(beyond.multipliers)[0]
    before = solver.maximise(load * far.value * (1.0 - 1e-8))
    assert before.status is SumStatus.OPTIMAL


TOLERANCE = 1e-12


def stops(kinds, x, alpha, sign, slope, least=PIVOT, home=PIVOT_HOME):
    """`leaving` with the same margin for all."""
    m = len(x)
    return leaving.interpreted(kinds, x, alpha, sign, slope, np.full(m, TOLERANCE), np.zeros(m), least, home)


def outside(kinds, x):
    """Sum of distances from the bounds."""
    return sum(
        max(0.0, -value) if kind == COLUMN else abs(value) if kind == FIXED else 0.0
        for kind, value in zip(kinds, x, strict=True)
    )


def test_weights_stop_a_step_at_zero_and_free_coordinates_do_not():
    kinds = np.array([COLUMN, FREE, COLUMN, COLUMN])
    x, alpha = np.array([4.0, 1.0, 1.0, 2.0]), np.array([1.0, 5.0, 0.5, -3.0])
    assert stops(kinds, x, alpha, 1.0, 1.0) == (2, 2.0)
    assert stops(kinds, x, alpha, -1.0, 1.0) == (3, pytest.approx(2.0 / 3.0))


def test_nothing_stops_a_ray():
    kinds = np.array([COLUMN, FREE])
    row, step = stops(kinds, np.ones(2), np.array([-1.0, 1.0]), 1.0, 1.0)
    assert row == -1 and step == np.inf


def test_an_artificial_column_at_zero_leaves_at_once():
    kinds = np.array([COLUMN, FIXED])
    for slope in (0.5, -0.5):
        found = stops(kinds, np.array([1.0, 0.0]), np.array([0.1, slope]), 1.0, 1.0)
        assert found == (1, 0.0)


def test_an_entry_of_rounding_is_no_pivot():
    kinds = np.array([COLUMN, COLUMN])
    found = stops(kinds, np.array([0.0, 1.0]), np.array([1e-13, 1.0]), 1.0, 1.0)
    assert found == (1, 1.0)


def test_a_small_pivot_counts_where_a_variable_outside_reaches_its_bound_by_it():
    kinds, x, alpha = np.array([COLUMN, FIXED]), np.array([30.0, -3e-9]), np.array([1.0, -2e-10])
    assert stops(kinds, x, alpha, 1.0, 2e-10) == (1, pytest.approx(15.0))
    assert stops(kinds, x, alpha, 1.0, 2e-10, home=PIVOT) == (0, 30.0)


def test_clean_columns_are_stopped_by_small_pivots_too():
    kinds, x, alpha = np.array([COLUMN, FREE]), np.array([3.0, 1.0]), np.array([1e-11, 1.0])
    assert stops(kinds, x, alpha, 1.0, 1.0)[0] == -1
    assert stops(kinds, x, alpha, 1.0, 1.0, least=0.0) == (0, pytest.approx(3e11))


@pytest.mark.parametrize("seed", nightly_after(12, range(40)))
def test_a_step_of_phase_one_ends_where_the_distance_is_least(seed):
    rng = np.random.default_rng(seed)
    m = 7
    kinds = rng.choice([COLUMN, FIXED, FREE], size=m)
    x, alpha = rng.normal(size=m), rng.normal(size=m)
    x[kinds == FIXED] = np.where(np.abs(x[kinds == FIXED]) < 0.05, 0.05, x[kinds == FIXED])
    slope = outside(kinds, x) - outside(kinds, x - 1e-9 * alpha)
    if slope <= 0.0:
        alpha, slope = -alpha, -slope
    slope /= 1e-9
    if slope < 1e-3:
        return
    row, step = stops(kinds, x, alpha, 1.0, slope)
    if row < 0:
        return
    inside = (kinds == COLUMN) & (x >= 0.0)
    assert np.all((x - step * alpha)[inside] >= -1e-9)  # those inside stay inside
    assert abs((x - step * alpha)[row]) <= 1e-9
    trials = np.linspace(0.0, step, 400)
    reached = [outside(kinds, x - t * alpha) for t in trials]
    assert min(reached) >= outside(kinds, x - step * alpha) - 1e-9


@inlined
def scored(world, offsets, rows, y, scores):
    return pool_scores(world, offsets, rows, y, len(scores), scores)


@inlined
def supported(table, start, stop, g):
    return block_support(table, start, stop, g)


def test_scores_of_the_pool_are_products_and_offsets():
    rng = np.random.default_rng(0)
    world, offsets, rows = rng.normal(size=(6, 133)), rng.normal(size=5), rng.integers(0, 5, size=133)
    offsets[4] = -np.inf
    y, scores = rng.normal(size=6), np.zeros(133)
    best = compiled(scored, world, offsets, rows, y, scores)
    expected = y @ world + offsets[rows]
    used = np.isfinite(expected)
    assert np.allclose(scores[used], expected[used], rtol=1e-13, atol=1e-13)
    assert np.all(scores[~used] == -np.inf)
    assert best == scores.max()
    assert first_above.interpreted(scores, 133, best) == int(np.argmax(scores))


def test_the_support_of_a_block_is_that_of_its_vertices():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(6, 300))
    for start, stop in ((0, 64), (64, 128), (256, 300), (7, 8)):
        g = rng.normal(size=6)
        values = g @ table[:, start:stop]
        assert abs(compiled(supported, table, start, stop, g) - values.max()) <= 1e-13 * np.abs(values).max()
        item, top = best_of_block.interpreted(table, start, stop, g)
        assert item == start + int(np.argmax(values)) and abs(top - values.max()) <= 1e-13 * np.abs(values).max()
        assert value_at.interpreted(table, start, g) == np.float64(top) or start != item


def test_a_direction_is_carried_into_the_hand():
    rng = np.random.default_rng(2)
    maps, y, g = rng.normal(size=(3, 6, 6)), rng.normal(size=6), np.zeros(6)
    to_hand.interpreted(maps, 1, y, g)
    assert np.allclose(g, maps[1].T @ y)


@inlined
def surveyed(tables, pool, basis, y):
    """(steepest ray, new columns) of a survey at y, compiled on its own."""
    price_all(tables, pool.maps, basis.local, basis.offsets, basis.tops, basis.blocks, y)
    return ray_slope(tables, basis.local), add_candidates(tables, pool, basis, 1e-12)


def test_best_blocks_and_new_columns_are_the_highest():
    rng = np.random.default_rng(0)
    hands = Sum(
        [(rng.normal(size=(700, 6)), None), (rng.normal(size=(300, 6)), rng.normal(size=(80, 6)))],
        [0, 1, 0],
        random_maps(rng, 3),
    )
    tables, pool, basis, _, _, _ = hands.solver().parts
    y = rng.normal(size=6)
    supports = [
        pool.maps[j].T @ y @ tables.vertices[:, tables.first[s] : tables.first[s + 1]] for j, s in enumerate([0, 1, 0])
    ]
    basis.offsets[:3] = [np.inf, -0.5 * supports[1].max(), -2.0 * supports[2].max()]
    slope, new = compiled(surveyed, tables, pool, basis, y)
    assert np.isclose(basis.tops[0, 0], supports[0].max(), rtol=1e-12)
    assert np.isclose(basis.tops[1, 0], supports[1].max(), rtol=1e-12)
    assert basis.tops[2, 0] == -np.inf  # nothing above the level of the basis
    per_block = np.sort([supports[0][i : i + BLOCK].max() for i in range(0, 700, BLOCK)])[::-1]
    assert np.allclose(basis.tops[0], per_block[: basis.tops.shape[1]], rtol=1e-12)
    slopes = [pool.maps[1].T @ y @ tables.rays]
    assert np.isclose(slope, np.max(slopes), rtol=1e-12)
    assert new > 0
    for j, s in ((0, 0), (1, 1)):
        own = pool.items[tables.slots[j, 0] : tables.slots[j, 2]]
        assert tables.first[s] + int(np.argmax(supports[j])) in own
    assert tables.ray_first[1] + int(np.argmax(slopes[0])) in pool.items[tables.slots[1, 2] : tables.ends[1]]
