"""How bases begin and pass on: dual feasible at every stage, and still right at the end of the run that follows."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact.simplex import (
    ARTIFICIAL,
    FACTOR,
    FAILED,
    FIRST,
    GAIN,
    KEPT,
    KEY,
    MASK,
    MIXED,
    OPTIMAL,
    SCRATCH,
    VERTEX,
    WHO,
    X,
    Y,
    copy_slot,
    renew_values,
    restrict,
    run,
    start,
    turn,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, PLENTY, SOLVABLE, Node, begun, compiled, setting, slot_of

#: Leans against the load by less than this, and a basis is no start for it.
COSINE = 1e-3


def solved(name: str, perturbation: float) -> Node:
    """The optimal basis of all pieces."""
    node = begun(setting(name), perturbation)
    assert node.run()[0] == OPTIMAL
    return node


@pytest.mark.parametrize("name", ALL)
def test_any_multipliers_start_a_dual_feasible_basis(name):
    case, rng = setting(name), np.random.default_rng(1)
    for perturbation in (0.0, 1e-2):
        program, workspace, y = case.program(perturbation), case.model.new_workspace(64), case.random_multipliers(rng)
        slot = slot_of(workspace.frames, FIRST)
        slot.items[MASK] = masks = case.random_masks(rng)
        start(case.tables, program, workspace.frames, FIRST, y)
        np.testing.assert_array_equal(slot.vectors[Y], y)
        np.testing.assert_array_equal(slot.items[MASK], masks)
        assert slot.base[WHO].tolist() == [FACTOR] + [ARTIFICIAL] * (len(y) - 1)
        assert not slot.items[MIXED].any()
        twins.assert_basis(case.tables, program, slot)


@pytest.mark.parametrize("name", ["contacts alone", "a row without a limit"])
def test_the_first_step_needs_no_fresh_inverse(name):
    """A run that trusts the numbers of the start ends where one that renews them does."""
    case = setting(name)
    ends = []
    for fresh in (KEPT, None):
        node = begun(case)
        start(case.tables, node.program, node.frames, FIRST, case.guess)
        ends.append(node.run(fresh=KEPT) if fresh == KEPT else node.run())
    assert ends[0][0] == ends[1][0] == OPTIMAL
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-9)


@pytest.mark.parametrize("name", SOLVABLE)
@pytest.mark.parametrize("near", [0.01, 0.3])
def test_a_basis_turned_to_another_load_stays_dual_feasible(name, near):
    node, rng, turned = solved(name, 0.0), np.random.default_rng(2), 0
    case, slot = node.setting, slot_of(node.frames, SCRATCH)
    for _ in range(8):
        compiled(copy_slot, node.frames, FIRST, SCRATCH)
        other = case.program(0.0, case.random_load(rng, near))
        y = slot.vectors[Y].copy()
        leans = -float(y @ other.load)
        factor = turn(other, node.frames, SCRATCH, COSINE)
        cosine = leans / np.linalg.norm(y) / np.linalg.norm(other.load)
        if cosine <= COSINE:
            assert factor == -np.inf
            continue
        turned += 1
        np.testing.assert_allclose(slot.vectors[Y], y / leans, rtol=1e-12)
        twins.assert_basis(case.tables, other, slot)
        compiled(renew_values, slot.inverse, slot.vectors)
        assert np.isfinite(factor)
        values = twins.basic_values(case.tables, other, slot)
        np.testing.assert_allclose(slot.vectors[X], values, rtol=1e-6, atol=1e-6 * np.abs(values).max())
        artificial = slot.base[WHO] == ARTIFICIAL
        bound = values[0] + values[artificial] @ slot.vectors[GAIN, artificial]  # by duality, what all columns earn
        upper = twins.upper_bound(case.tables, other, slot.items[MASK], slot.vectors[Y])
        assert bound == pytest.approx(upper, rel=1e-6, abs=1e-6)
    assert turned > 1


@pytest.mark.parametrize("name", SOLVABLE)
def test_a_run_after_a_turn_ends_at_the_optimum_of_the_new_load(name):
    node, rng, seen = solved(name, 1e-9), np.random.default_rng(3), 0
    case = node.setting
    for near in (0.01, 0.1, 0.3, np.inf):
        compiled(copy_slot, node.frames, FIRST, SCRATCH)
        other = case.program(1e-9, case.random_load(rng, near))
        if turn(other, node.frames, SCRATCH, COSINE) == -np.inf:
            continue
        outcome, bound, _ = run(case.tables, other, node.frames, node.workspace.work, SCRATCH, 1e-6, PLENTY, KEPT)
        if outcome != FAILED:
            twins.assert_solved(case.tables, other, slot_of(node.frames, SCRATCH), outcome, bound, 1e-6)
            seen += 1
    assert seen > 1


def test_multipliers_that_look_away_are_no_start():
    node = solved("contacts alone", 0.0)
    opposite = node.program._replace(load=-node.program.load)
    assert turn(opposite, node.frames, FIRST, COSINE) == -np.inf


def descend(node: Node, rng: np.random.Generator) -> int:
    """One contact after another loses pieces, as on the way down a search tree; returns how many vertices were lost."""
    tables, program, slot, lost = node.tables, node.program, node.slot, 0
    for i in rng.permutation(node.setting.model.contacts):
        mask = int(rng.integers(1, node.setting.masks[i] + 1))
        allowed = set(twins.members(tables, program.shape_of[i], mask))
        y, before = slot.vectors[Y].copy(), slot.items.copy()
        mixed = {before[KEY, i], *slot.base[VERTEX, slot.base[WHO] == i]}
        restrict(tables, program, node.frames, FIRST, int(i), mask)
        lost += len(mixed - allowed)
        assert slot.items[MASK, i] == mask
        np.testing.assert_array_equal(slot.vectors[Y], y)
        np.testing.assert_array_equal(np.delete(slot.items, i, axis=1), np.delete(before, i, axis=1))
        assert set(slot.base[VERTEX, slot.base[WHO] == i]) <= allowed
        twins.assert_basis(tables, program, slot)
        assert slot.vectors[X, 0] == np.inf  # nothing is known of the solution yet
        outcome, bound, _ = node.run(1e-6, fresh=KEPT)
        if outcome == FAILED:
            break
        twins.assert_solved(tables, program, slot, outcome, bound, 1e-6)
        if outcome != OPTIMAL:
            break
    return lost


@pytest.mark.parametrize("name", SOLVABLE)
@pytest.mark.parametrize("perturbation", [0.0, 1e-9])
def test_fewer_pieces_leave_the_basis_dual_feasible_and_the_optimum_in_reach(name, perturbation):
    rng, walks = np.random.default_rng(4), 1 if name == "gripper" else 4
    assert sum(descend(solved(name, perturbation), rng) for _ in range(walks)) > 0


def test_all_pieces_allowed_changes_nothing():
    node = solved("contacts alone", 1e-9)
    kept = [array.copy() for array in node.slot]
    for i, mask in enumerate(node.setting.masks[: node.setting.model.contacts]):
        restrict(node.tables, node.program, node.frames, FIRST, i, mask)
    node.slot.vectors[X, 0] = kept[4][X, 0]
    for array, before in zip(node.slot, kept, strict=True):
        np.testing.assert_array_equal(array, before)
