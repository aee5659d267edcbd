"""The parts of the dual simplex method against dense algebra, and the whole against scipy's linear programs."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact import simplex
from holdfast.solvers.exact.simplex import (
    FACTOR,
    FAILED,
    INFEASIBLE,
    KEY,
    MASK,
    MIXED,
    OPTIMAL,
    PIVOT_TOLERANCE,
    PRIMAL_TOLERANCE,
    RIGHT,
    ROUGH,
    STOPPED,
    VERTEX,
    WHO,
    X,
    Y,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, SOLVABLE, Node, begun, compiled, copied, on_the_way, setting


def halfway(name: str, pivots: int = 4, perturbation: float = 1e-6) -> Node:
    """A basis with keys, mixed items and perhaps artificial columns."""
    node = begun(setting(name), perturbation)
    node.run(limit=pivots)
    return node


# -- numbers from the basis -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_directions_are_the_maps_transposed_times_the_multipliers(name):
    case = setting(name)
    y, out = np.random.default_rng(1).normal(size=len(case.load)), np.ones(case.model.program.rows.shape[1])
    y[2] = 0.0
    compiled(simplex.directions, case.model.program.rows, y, out)
    np.testing.assert_allclose(out.reshape(-1, 3), twins.directions(case.program(), y), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("size", [6, 9, 18])
def test_the_inverse_is_the_inverse(size):
    rng = np.random.default_rng(size)
    for spread in (1.0, 1e3, 1e6):
        columns = rng.normal(size=(size, size)) * spread ** rng.uniform(-1, 1, size=(size, 1))
        columns[rng.random((size, size)) < 0.3] = 0.0
        columns += np.diag(np.abs(columns).max(axis=1))
        inverse, work = np.ones((2, size, size))
        assert compiled(simplex.invert, columns, inverse, work)
        expected = np.linalg.inv(columns.T)
        np.testing.assert_allclose(inverse, expected, atol=1e-12 * np.linalg.cond(columns) * np.abs(expected).max())


def test_a_zero_pivot_is_passed_over_by_another_row():
    columns, inverse, work = np.array([[0.0, 2.0], [3.0, 1.0]]), *np.ones((2, 2, 2))
    assert compiled(simplex.invert, columns, inverse, work)
    np.testing.assert_allclose(inverse @ columns.T, np.eye(2), atol=1e-15)


@pytest.mark.parametrize("columns", [np.ones((3, 3)), np.zeros((3, 3)), np.diag([1.0, 0.0, 1.0])])
def test_a_singular_basis_is_noticed(columns):
    assert not compiled(simplex.invert, columns, *np.ones((2, 3, 3)))


@pytest.mark.parametrize("name", ALL)
def test_right_hand_side_values_and_multipliers_follow_from_the_basis(name):
    node = halfway(name)
    tables, program, slot = node.tables, node.program, node.slot
    right, values, y = (twin(tables, program, slot) for twin in TWINS_OF_VECTORS)
    for row in (RIGHT, X, Y):
        slot.vectors[row] = 7.0
    compiled(simplex.renew_right, tables, program, slot.items, slot.vectors)
    np.testing.assert_allclose(slot.vectors[RIGHT], right, rtol=1e-12, atol=1e-12 * np.abs(right).max())
    compiled(simplex.renew_values, slot.inverse, slot.vectors)
    np.testing.assert_allclose(slot.vectors[X], values, rtol=1e-7, atol=1e-9 * np.abs(values).max())
    compiled(simplex.renew_multipliers, tables, program, slot.items, slot.base, slot.inverse, slot.vectors)
    np.testing.assert_allclose(slot.vectors[Y], y, rtol=1e-7, atol=1e-9 * np.abs(y).max())


TWINS_OF_VECTORS = (twins.right_hand_side, twins.basic_values, twins.multipliers)


# -- one step ---------------------------------------------------------------------------------------


def leave(node: Node) -> tuple[int, float]:
    """(column, violation) of the compiled kernel."""
    slot, work = node.slot, node.workspace.work
    return compiled(simplex.leaving, node.program, slot.base, slot.inverse, slot.vectors, work.banned, work.rest)


@pytest.mark.parametrize("name", ALL)
def test_what_leaves_is_furthest_outside_in_the_metric_of_steepest_edge(name):
    keys = ends = 0
    for node in on_the_way(begun(setting(name))):
        node.workspace.work.banned[:] = 0
        found = twins.violations(node.program, node.slot, node.slot.vectors[X], PRIMAL_TOLERANCE)
        while True:  # one after another is banned, until none is left
            column, amount = leave(node)
            if not found:
                assert column == -1
                ends += 1
                break
            worst = max(metric for _, metric in found.values())
            assert amount == pytest.approx(found[column][0], rel=1e-9)
            assert found[column][1] >= worst * (1.0 - 1e-6)
            keys += column >= len(node.slot.inverse)
            node.workspace.work.banned[column] = 1
            del found[column]
    assert keys > 0 or name != "gripper"
    assert ends > 3


@pytest.mark.parametrize("name", ALL)
def test_a_swap_of_keys_changes_the_basis_but_not_the_forces(name):
    swapped = 0
    for node in on_the_way(begun(setting(name))):
        tables, program, slot = node.tables, node.program, node.slot
        for column in np.nonzero(slot.base[WHO] >= 0)[0]:
            before, i = copied(slot), int(slot.base[WHO, column])
            forces = twins.forces(tables, slot, slot.vectors[X])
            simplex.swap_key(slot.items, slot.base, slot.columns, slot.inverse, slot.vectors, i, column)
            assert slot.items[KEY, i] == before.base[VERTEX, column]
            assert slot.base[VERTEX, column] == before.items[KEY, i]
            twins.assert_basis(tables, program, slot)
            size = tables.reach[program.shape_of][:, None] * (1.0 + np.abs(slot.vectors[X]).max())
            assert (np.abs(twins.forces(tables, slot, slot.vectors[X]) - forces) <= 1e-12 * size).all()
            np.testing.assert_array_equal(slot.vectors[Y], before.vectors[Y])
            swapped += 1
            if swapped > 40:
                return
    assert swapped > 5


@pytest.mark.parametrize("name", ALL)
def test_an_exchanged_column_leaves_the_inverse_of_the_new_basis(name):
    """Any vertex of any item may enter: the inverse is updated as if it were fresh, or the pivot is refused."""
    node, rng, outcomes = halfway(name), np.random.default_rng(2), set()
    tables, program, work = node.tables, node.program, node.workspace.work
    for _ in range(60):
        slot = copied(node.slot)
        who = int(rng.integers(slot.items.shape[1]))
        vertex = int(rng.choice(twins.members(tables, program.shape_of[who], slot.items[MASK, who])))
        column = int(rng.integers(1, len(slot.inverse)))
        edge = tables.vertices[vertex] - tables.vertices[slot.items[KEY, who]]
        solved = slot.inverse @ twins.maps(program)[who] @ edge
        before, left = copied(slot), slot.base[WHO, column]
        state = (slot.items, slot.base, slot.columns, slot.inverse, slot.vectors)
        ok = compiled(simplex.exchange, tables, program, work, *state, column, np.int64(who), np.int64(vertex))
        outcomes.add(bool(ok))
        assert ok == (abs(solved[column]) > PIVOT_TOLERANCE * np.abs(solved).max())
        if not ok:
            for array, old in zip(slot, before, strict=True):
                np.testing.assert_array_equal(array, old)
            continue
        assert slot.base[:, column].tolist() == [who, vertex]
        counts = before.items[MIXED].copy()
        counts[who] += 1
        if left >= 0:
            counts[left] -= 1
        np.testing.assert_array_equal(slot.items[MIXED], counts)
        matrix = twins.basis_matrix(tables, program, slot)
        np.testing.assert_allclose(slot.columns.T, matrix, atol=1e-12 * np.abs(matrix).max())
        error = np.abs(slot.inverse @ matrix - np.eye(len(matrix)))
        assert error.max() <= 1e-12 * np.linalg.cond(matrix) * np.abs(solved).max() / abs(solved[column])
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", ALL)
def test_every_step_leaves_a_dual_feasible_basis_and_a_lower_bound(name):
    last = np.inf
    for node in on_the_way(begun(setting(name))):
        twins.assert_basis(node.tables, node.program, node.slot)
        assert node.slot.base[WHO, 0] == FACTOR
        assert node.slot.vectors[Y] @ node.program.load == pytest.approx(-1.0, rel=1e-9)
        bound = twins.upper_bound(node.tables, node.program, node.slot.items[MASK], node.slot.vectors[Y])
        assert bound <= last + 1e-7 * abs(last)
        last = bound


@pytest.mark.parametrize("name", ["contacts alone", "gripper", "rays and rows without a limit"])
def test_steps_without_fresh_inverses_in_between_stay_dual_feasible_too(name):
    """The numbers that a step carries on (multipliers, directions, radii) are those of the basis it arrives at."""
    for limit in range(1, 12):
        node = begun(setting(name))
        outcome, _, pivots = node.run(limit=limit)
        twins.assert_basis(node.tables, node.program, node.slot)
        if outcome != STOPPED:
            break
        assert pivots == limit


# -- the whole --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_a_run_ends_at_the_optimum_of_the_hulls(name):
    node = begun(setting(name))
    outcome, bound, _ = node.run()
    assert outcome == (INFEASIBLE if name == "nothing holds" else OPTIMAL)
    twins.assert_solved(node.tables, node.program, node.slot, outcome, bound)


@pytest.mark.parametrize("name", ALL)
def test_a_run_is_right_from_any_start_with_any_pieces(name):
    """Limits of nothing are no optimum to wait for: they are below a small cutoff."""
    case, rng, outcomes = setting(name), np.random.default_rng(3), []
    for _ in range(10):
        node = begun(case, y=case.random_multipliers(rng), masks=case.random_masks(rng))
        outcome, bound, _ = node.run(cutoff=1e-6)
        outcomes.append(outcome)
        if outcome != FAILED:  # rounding: the search begins such a node afresh
            twins.assert_solved(node.tables, node.program, node.slot, outcome, bound, 1e-6)
    assert outcomes.count(FAILED) <= 1


@pytest.mark.parametrize("name", SOLVABLE)
@pytest.mark.parametrize("share", [0.2, 0.01, -0.01])
def test_a_run_is_cut_short_only_where_its_bound_is_below_the_cutoff(name, share):
    case = setting(name)
    best = twins.hull_limit(case.tables, case.program(), case.masks)
    cutoff = best + share * abs(best)
    node = begun(case)
    outcome, bound, pivots = node.run(cutoff)
    assert outcome == OPTIMAL or share > 0.0
    twins.assert_solved(node.tables, node.program, node.slot, outcome, bound, cutoff)
    assert pivots <= begun(case).run()[2]


@pytest.mark.parametrize("name", SOLVABLE)
def test_a_trial_stops_after_its_pivots_or_at_its_end(name):
    node = begun(setting(name))
    outcome, factor, pivots = node.run(limit=3)
    assert (outcome, pivots) == (STOPPED, 3)
    outcome, factor, _ = node.run(fresh=ROUGH)
    assert outcome == STOPPED
    best = twins.hull_limit(node.tables, node.program, node.slot.items[MASK])
    assert factor == pytest.approx(best, rel=twins.LP_ERROR, abs=1e-7)
