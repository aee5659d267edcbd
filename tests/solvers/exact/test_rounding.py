"""From relaxations to admissible forces: what is read off a basis, where it is placed, what polishing makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.exact.found import BEST, PROGRAMS
from holdfast.solvers.exact.program import FIRST, MASK, X
from holdfast.solvers.exact.rounding import INSIDE, place, polish, read_forces
from holdfast.solvers.exact.simplex import OPTIMAL
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
    """Forces, common pieces and places in `found`; whether a force is at the cut of a ray."""
    at_cut = read_forces(node.tables, node.program, node.frames, node.room.found, FIRST)
    place(node.tables, node.program, node.frames, node.room.found, FIRST)
    return at_cut


@pytest.mark.parametrize("name", SOLVABLE)
def test_forces_are_the_mixtures_of_the_basis(name):
    node = solved(name)
    assert not read(node)
    found, k = node.room.found, node.setting.model.contacts
    expected = twins.forces(node.tables, node.slot, node.slot.vectors[X])[:k]
    size = 1e-9 * (node.setting.model.scales.unit[0] + np.abs(expected).max())
    np.testing.assert_allclose(found.trial, expected, atol=size)
    for i, mixture in enumerate(twins.mixtures(node.slot, node.slot.vectors[X])[:k]):
        common = node.slot.items[MASK, i]
        for vertex, weight in mixture.items():
            if weight > node.program.slack[i]:
                common &= node.tables.bits[vertex]
        assert found.common[0, i] & ~common == 0  # lighter vertices than these may have counted, too
        for j, piece in enumerate(node.setting.problem.pieces(i)):
            if found.common[0, i] >> j & 1:
                assert piece.contains(found.trial[i])


@pytest.mark.parametrize("name", SOLVABLE)
def test_each_force_is_placed_in_the_piece_that_holds_most_of_it(name):
    """The shares are those of the polytopes' radial extents; forces inside a piece keep all of themselves."""
    node = solved(name)
    read(node)
    found, problem = node.room.found, node.setting.problem
    for i, force in enumerate(found.trial):
        allowed = [j for j in range(len(problem.pieces(i))) if node.slot.items[MASK, i] >> j & 1]
        piece, share = int(found.common[1, i]), found.factors[i]
        shares = {j: twins.share_inside(problem.pieces(i)[j], force) for j in allowed}
        assert piece in allowed
        assert share == pytest.approx(max(shares.values()), rel=1e-7, abs=1e-7)
        assert problem.pieces(i)[piece].contains(share * force)
    count, least = place(node.tables, node.program, node.frames, found, FIRST)
    assert count == (found.factors < 1.0 - INSIDE).sum()
    assert least == min(1.0, found.factors.min())
    assert count > 0 or name not in MIXED


@pytest.mark.parametrize("name", MIXED)
def test_shrunk_together_the_forces_are_admissible_and_balance_less_load(name):
    node = solved(name)
    read(node)
    found, case = node.room.found, node.setting
    least = found.factors.min()
    for i, piece in enumerate(found.common[1]):
        assert case.problem.pieces(i)[piece].contains(least * found.trial[i])
    if case.problem.layout.bounds_hold_zero:
        factor = least * node.slot.vectors[X, 0] * case.scale
        size = case.problem.force_scale(found.trial, factor)
        assert case.problem.residual(least * found.trial, factor) <= 1e-8 * size


def polished(node: Node, best: float) -> float:
    """The best factor after polishing."""
    found = node.room.found
    read(node)
    found.best[BEST] = best
    polish(node.tables, node.program, node.frames, node.room.work, found, FIRST, np.inf, 1e-6, 0.0, PLENTY)
    return float(found.best[BEST])


@pytest.mark.parametrize("name", MIXED)
def test_polished_forces_are_admissible_and_carry_what_they_claim(name):
    node = solved(name)
    case, bound = node.setting, node.slot.vectors[X, 0]
    kept = [array.copy() for array in node.slot]
    factor = polished(node, -np.inf)
    assert 0.0 < factor <= bound * (1.0 + 1e-9)
    assert node.room.found.counts[PROGRAMS] > 0
    forces = node.room.found.forces
    for i, piece in enumerate(node.room.found.pieces):
        assert case.problem.pieces(i)[piece].contains(forces[i])
    size = case.problem.force_scale(forces, factor * case.scale)
    assert case.problem.residual(forces, factor * case.scale) <= 1e-8 * size
    for array, before in zip(node.slot, kept, strict=True):  # it works on a copy
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("name", MIXED)
def test_polishing_never_makes_the_best_worse(name):
    node = solved(name)
    attained = polished(node, -np.inf)
    node.room.found.forces[:] = 7.0
    assert polished(node, attained * 1.5) == attained * 1.5
    assert (node.room.found.forces == 7.0).all()
    assert polished(node, attained * 0.5) == pytest.approx(attained, rel=1e-9)


def test_a_force_at_the_cut_of_a_ray_is_noticed():
    """One cone pulled along one of its edges: the relaxation is limited by nothing but the cut."""
    edges = [[0.3, 0, 1], [-0.3, 0, 1], [0, 0.3, 1], [0, -0.3, 1.0]]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([[[0, 0, 0]]], [edges]))])
    node = begun(setting_of(assembly, np.array([0.3, 0, -1.0, 0, 0, 0])))
    assert node.run()[0] == OPTIMAL
    assert node.slot.vectors[X, 0] > 1e3
    assert read(node)
