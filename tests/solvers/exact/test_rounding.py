"""From relaxations to admissible forces: what is read off a basis, where it is placed, what polishing makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.exact.search import BEST, INSIDE, PROGRAMS, place, polish, read_forces
from holdfast.solvers.exact.simplex import FIRST, MASK, OPTIMAL, X
from tests.solvers import twins
from tests.solvers.kernel_cases import PLENTY, SOLVABLE, Node, begun, setting, setting_of

#: Settings whose relaxation mixes pieces.
MIXED = ["contacts alone", "few contacts", "a row without a limit", "rays", "two contacts", "eight pieces"]


def solved(name: str, masks: np.ndarray | None = None) -> Node:
    """The optimal basis of all pieces."""
    node = begun(setting(name), masks=masks)
    assert node.run()[0] == OPTIMAL
    return node


def read(node: Node) -> bool:
    """Forces, common pieces and places in `state`; whether a force is at the cut of a ray."""
    at_cut = read_forces(node.tables, node.program, node.frames, node.workspace.state, FIRST)
    place(node.tables, node.program, node.frames, node.workspace.state, FIRST)
    return at_cut


@pytest.mark.parametrize("name", SOLVABLE)
def test_forces_are_the_mixtures_of_the_basis(name):
    node = solved(name)
    assert not read(node)
    state, k = node.workspace.state, node.setting.model.contacts
    expected = twins.forces(node.tables, node.slot, node.slot.vectors[X])[:k]
    size = 1e-9 * (node.setting.model.scales.unit[0] + np.abs(expected).max())
    np.testing.assert_allclose(state.trial, expected, atol=size)
    for i, mixture in enumerate(twins.mixtures(node.slot, node.slot.vectors[X])[:k]):
        common = node.slot.items[MASK, i]
        for vertex, weight in mixture.items():
            if weight > node.program.slack[i]:
                common &= node.tables.bits[vertex]
        assert state.common[0, i] & ~common == 0  # lighter vertices than these may have counted, too
        for j, piece in enumerate(node.setting.problem.pieces(i)):
            if state.common[0, i] >> j & 1:
                assert piece.contains(state.trial[i])


@pytest.mark.parametrize("name", SOLVABLE)
def test_each_force_is_placed_in_the_piece_that_holds_most_of_it(name):
    """The shares are those of the polytopes' radial extents; forces inside a piece keep all of themselves."""
    node = solved(name)
    read(node)
    state, problem = node.workspace.state, node.setting.problem
    for i, force in enumerate(state.trial):
        allowed = [j for j in range(len(problem.pieces(i))) if node.slot.items[MASK, i] >> j & 1]
        piece, share = int(state.common[1, i]), state.factors[i]
        shares = {j: twins.share_inside(problem.pieces(i)[j], force) for j in allowed}
        assert piece in allowed
        assert share == pytest.approx(max(shares.values()), rel=1e-7, abs=1e-7)
        assert problem.pieces(i)[piece].contains(share * force)
    count, least = place(node.tables, node.program, node.frames, state, FIRST)
    assert count == (state.factors < 1.0 - INSIDE).sum()
    assert least == min(1.0, state.factors.min())
    assert count > 0 or name not in MIXED


@pytest.mark.parametrize("name", MIXED)
def test_shrunk_together_the_forces_are_admissible_and_balance_less_load(name):
    node = solved(name)
    read(node)
    state, case = node.workspace.state, node.setting
    least = state.factors.min()
    for i, piece in enumerate(state.common[1]):
        assert case.problem.pieces(i)[piece].contains(least * state.trial[i])
    if case.problem.layout.bounds_hold_zero:
        factor = least * node.slot.vectors[X, 0] * case.scale
        size = case.problem.force_scale(state.trial, factor)
        assert case.problem.residual(least * state.trial, factor) <= 1e-8 * size


def polished(node: Node, best: float) -> float:
    """The best factor after polishing."""
    state = node.workspace.state
    read(node)
    state.best[BEST] = best
    polish(node.tables, node.program, node.frames, node.workspace.work, state, FIRST, np.inf, 1e-6, 0.0, PLENTY)
    return float(state.best[BEST])


@pytest.mark.parametrize("name", MIXED)
def test_polished_forces_are_admissible_and_carry_what_they_claim(name):
    node = solved(name)
    case, bound = node.setting, node.slot.vectors[X, 0]
    kept = [array.copy() for array in node.slot]
    factor = polished(node, -np.inf)
    assert 0.0 < factor <= bound * (1.0 + 1e-9)
    assert node.workspace.state.counts[PROGRAMS] > 0
    forces = node.workspace.state.forces
    for i, piece in enumerate(node.workspace.state.pieces):
        assert case.problem.pieces(i)[piece].contains(forces[i])
    size = case.problem.force_scale(forces, factor * case.scale)
    assert case.problem.residual(forces, factor * case.scale) <= 1e-8 * size
    for array, before in zip(node.slot, kept, strict=True):  # it works on a copy
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("name", MIXED)
def test_polishing_never_makes_the_best_worse(name):
    node = solved(name)
    attained = polished(node, -np.inf)
    node.workspace.state.forces[:] = 7.0
    assert polished(node, attained * 1.5) == attained * 1.5
    assert (node.workspace.state.forces == 7.0).all()
    assert polished(node, attained * 0.5) == pytest.approx(attained, rel=1e-9)


def test_a_force_at_the_cut_of_a_ray_is_noticed():
    """One cone pulled along one of its edges: the relaxation is limited by nothing but the cut."""
    edges = [[0.3, 0, 1], [-0.3, 0, 1], [0, 0.3, 1], [0, -0.3, 1.0]]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([[[0, 0, 0]]], [edges]))])
    node = begun(setting_of(assembly, np.array([0.3, 0, -1.0, 0, 0, 0])))
    assert node.run()[0] == OPTIMAL
    assert node.slot.vectors[X, 0] > 1e3
    assert read(node)
