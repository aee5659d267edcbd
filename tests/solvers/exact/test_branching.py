"""Pieces given up and contacts branched on, each step checked by scipy's linear programs over the hulls."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact.search import (
    INSIDE,
    LEAVES,
    branch,
    choose,
    new_search_state,
    place,
    prune,
    read_forces,
    split,
)
from holdfast.solvers.exact.simplex import FIRST, KEPT, MASK, OPTIMAL, WHO, X, Y, restrict
from holdfast.solvers.exact.support_tables import certified_bound
from tests.referee import distance_to_piece
from tests.solvers import twins
from tests.solvers.kernel_cases import Node, begun, setting

#: Settings whose relaxation mixes pieces, without rays that are cut off.
MIXED = [
    "contacts alone",
    "few contacts",
    "joint rows that exclude zero",
    "a row without a limit",
    "eight pieces",
    "gripper",
]


def solved(name: str) -> tuple[Node, float]:
    """The optimal basis of all pieces with its forces placed, and its bound."""
    node = begun(setting(name))
    assert node.run()[0] == OPTIMAL
    state, slot = node.workspace.state, node.slot
    read_forces(node.tables, node.program, node.frames, state, FIRST)
    count, _ = place(node.tables, node.program, node.frames, state, FIRST)
    assert count > 0
    return node, certified_bound(node.tables, node.program, slot.items[MASK], slot.vectors[Y], node.program.load)


def hull_limit(node: Node, contacts: np.ndarray) -> float:
    """The hulls' limit with these masks of the contacts."""
    return twins.hull_limit(
        node.tables, node.program, np.concatenate([contacts, node.slot.items[MASK, len(contacts) :]])
    )


# -- pieces given up --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_struck_pieces_cannot_beat_the_cutoff(name, share):
    node, bound = solved(name)
    state, slot, k = node.workspace.state, node.slot, node.setting.model.contacts
    cutoff, before, y = share * bound, slot.items[MASK].copy(), slot.vectors[Y].copy()
    struck = prune(node.tables, node.program, node.frames, state, FIRST, bound, cutoff)
    leaves = int(state.counts[LEAVES])
    assert struck == (leaves > 0)
    gone = before & ~slot.items[MASK]
    assert (slot.items[MASK] > 0).all()
    assert (gone > 0).sum() == leaves
    left = before[:k].copy()
    for masks, leaf_y, claimed in zip(state.leaf_masks, state.leaf_y, state.leaf_bound[:leaves], strict=False):
        (i,) = np.nonzero(masks != left)[0]
        assert masks[i] == gone[i]  # one contact after another: the box of what is struck, the rest as it then was
        assert claimed <= cutoff
        assert hull_limit(node, masks) <= claimed + twins.LP_ERROR * abs(claimed)
        np.testing.assert_array_equal(leaf_y, y)
        every = np.concatenate([masks, before[k:]])
        exact = twins.factor_bound(node.tables, node.program, every, leaf_y, node.program.load)
        assert exact <= claimed + 1e-10 * abs(claimed)
        left[i] &= ~gone[i]
    np.testing.assert_array_equal(left, slot.items[MASK, :k])
    twins.assert_basis(node.tables, node.program, slot)


def test_a_low_cutoff_strikes_nothing_and_a_high_one_something():
    node, bound = solved("contacts alone")
    state = node.workspace.state
    assert not prune(node.tables, node.program, node.frames, state, FIRST, bound, 0.0)
    assert prune(node.tables, node.program, node.frames, state, FIRST, bound, 0.99 * bound)


@pytest.mark.parametrize("name", MIXED)
def test_a_contact_never_loses_all_its_pieces(name):
    """Even with a cutoff that the bound itself does not reach."""
    node, bound = solved(name)
    prune(node.tables, node.program, node.frames, node.workspace.state, FIRST, bound, bound + abs(bound))
    assert (node.slot.items[MASK] > 0).all()


# -- contacts branched on ---------------------------------------------------------------------------


def mixed_contacts(node: Node) -> list[int]:
    """Contacts whose force lies in no piece."""
    return [int(i) for i in np.nonzero(node.workspace.state.factors < 1.0 - INSIDE)[0]]


@pytest.mark.parametrize("name", MIXED)
def test_parts_share_out_the_pieces_and_none_allows_the_force(name):
    node, _ = solved(name)
    for i in mixed_contacts(node):
        force, mask, shape = node.workspace.state.trial[i], int(node.slot.items[MASK, i]), node.program.shape_of[i]
        count = split(node.tables, node.program, node.frames, node.workspace.state, FIRST, i)
        parts = [int(part) for part in node.workspace.state.parts[0, :count]]
        assert count >= 2
        assert all(part > 0 for part in parts)
        assert sum(parts) == mask  # disjoint bits that add up
        assert np.bitwise_or.reduce(parts) == mask
        for part in parts:
            hull = node.tables.vertices[twins.members(node.tables, shape, part)]
            assert distance_to_piece(force, hull, np.zeros((0, 3))) > 1e-9 * node.tables.reach[shape]


def test_without_two_vertices_of_different_pieces_every_piece_is_a_part():
    """Three pieces that share their vertices pairwise, a force amid three of them: no pair is apart."""
    node, _ = solved("few contacts")
    i = mixed_contacts(node)[0]
    mask, shape = int(node.slot.items[MASK, i]), node.program.shape_of[i]
    own = np.nonzero(node.slot.base[WHO] == i)[0]
    everywhere = node.tables.bits.copy()
    everywhere[twins.members(node.tables, shape, mask)] |= mask
    count = split(node.tables._replace(bits=everywhere), node.program, node.frames, node.workspace.state, FIRST, i)
    assert len(own) > 0
    assert node.workspace.state.parts[0, :count].tolist() == [1 << j for j in range(mask.bit_length()) if mask >> j & 1]


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_the_chosen_contact_is_mixed_and_its_childrens_bounds_are_true(name, share):
    node, bound = solved(name)
    state, k, cutoff = node.workspace.state, node.setting.model.contacts, share * bound
    mixed, before = mixed_contacts(node), [array.copy() for array in node.slot]
    i, count = choose(node.tables, node.program, node.frames, node.workspace.work, state, FIRST, bound, cutoff)
    assert i in mixed
    parts, bounds = state.parts[1, :count], state.bound[1, :count]
    assert sum(parts.tolist()) == node.slot.items[MASK, i]
    assert np.bitwise_or.reduce(parts) == node.slot.items[MASK, i]
    for part, claimed, y in zip(parts, bounds, state.y[1], strict=False):
        masks = node.slot.items[MASK].copy()
        masks[i] = part
        limit = hull_limit(node, masks[:k])
        assert limit <= claimed + twins.LP_ERROR * abs(claimed)
        if claimed <= cutoff:  # closed: the multipliers prove it
            zero = np.zeros(len(y))
            load = zero if claimed == -np.inf else node.program.load
            assert twins.factor_bound(node.tables, node.program, masks, y, load) <= claimed + 1e-9 * abs(claimed)
    for array, kept in zip(node.slot, before, strict=True):  # trials happen elsewhere
        np.testing.assert_array_equal(array, kept)


def test_contacts_without_a_choice_are_not_branched_on():
    node, bound = solved("contacts alone")
    for i in mixed_contacts(node):
        node.slot.items[MASK, i] = 1
    i, _ = choose(node.tables, node.program, node.frames, node.workspace.work, node.workspace.state, FIRST, bound, 0.0)
    assert i == -1


@pytest.mark.parametrize("name", ["contacts alone", "few contacts", "gripper"])
def test_the_first_choice_is_the_one_whose_worst_child_falls_furthest(name):
    """The same trials one by one: restricted to a part, a few pivots, the bound that is left."""
    node, bound = solved(name)
    state, work, cutoff = node.workspace.state, node.workspace.work, 0.2 * bound
    factors, scores = state.factors.copy(), {}
    for i in mixed_contacts(node):
        state.factors[:] = 1.0
        state.factors[i] = factors[i]
        chosen, count = choose(node.tables, node.program, node.frames, work, state, FIRST, bound, cutoff)
        assert chosen == i
        drops = np.maximum(0.0, bound - np.maximum(state.bound[1, :count], cutoff))
        scores[i] = 20.0 * drops.min() + drops.max()
    state.factors[:] = factors
    chosen, _ = choose(node.tables, node.program, node.frames, work, state, FIRST, bound, cutoff)
    assert scores[chosen] == pytest.approx(max(scores.values()), rel=1e-12)


def test_children_are_listed_best_first_and_closed_ones_become_leaves():
    node = begun(setting("contacts alone"))
    n, m = node.slot.items.shape[1], len(node.program.load)
    state = new_search_state(n, m, 16, len(node.frames.radius), 6)
    state.parts[1, :5] = [1, 2, 4, 8, 16]
    state.bound[1, :5] = [0.7, 0.2, np.inf, 0.9, -np.inf]
    state.y[1, :5] = np.arange(5)[:, None]
    masks = node.slot.items[MASK].copy()
    branch(node.frames, state, FIRST, np.int64(1), np.int64(5), 0.3)
    assert state.child[FIRST, :6].tolist() == [1, 2, 4, 8, 1, 0]
    assert state.counts[LEAVES] == 2
    assert state.leaf_bound[:2].tolist() == [0.2, -np.inf]
    assert state.leaf_y[:2, 0].tolist() == [1.0, 4.0]
    for leaf, part in zip(state.leaf_masks, [2, 16], strict=False):
        masks[1] = part
        np.testing.assert_array_equal(leaf, masks)


def test_a_child_goes_on_from_its_parents_basis():
    """Restricted to a part, the parent's basis leads to the child's optimum in a few pivots."""
    node, bound = solved("few contacts")
    i, count = choose(
        node.tables, node.program, node.frames, node.workspace.work, node.workspace.state, FIRST, bound, 0.0
    )
    parts, kept = node.workspace.state.parts[1, :count].tolist(), [array.copy() for array in node.slot]
    for part in parts:
        for array, before in zip(node.slot, kept, strict=True):
            array[...] = before
        restrict(node.tables, node.program, node.frames, FIRST, i, part)
        outcome, limit, _ = node.run(0.0, fresh=KEPT)
        twins.assert_solved(node.tables, node.program, node.slot, outcome, limit, 0.0)
        assert node.slot.vectors[X, 0] < bound
