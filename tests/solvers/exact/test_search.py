"""Branch and bound as the kernels do it, step by step and as a whole.

What a search keeps; forces read off a basis, placed and polished; pieces pruned and contacts branched on, checked by
scipy's linear programs over the hulls; leaves, limits and answers, checked by exhaustive means.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import tiles
from holdfast.solvers.exact.method import Batch, Question, SearchSettings, _ask
from holdfast.solvers.exact.model import FIRST_LEAVES, Workspace
from holdfast.solvers.exact.search import (
    BEST,
    BROKEN,
    CAPPED,
    FILLED,
    FINISHED,
    FULL,
    GAP_SHARE,
    HELD,
    HINTS,
    INSIDE,
    LAST_SHARE,
    LEAVES,
    MOST_KEPT,
    MOST_OPEN,
    NODES,
    OPEN,
    PAUSED,
    PIVOTS,
    PROGRAM,
    PROGRAMS,
    SearchState,
    above_with,
    add_leaf,
    bound_all,
    branch,
    choose,
    cutoff_of,
    keep_best,
    least_above,
    new_search_state,
    open_node,
    place,
    polish,
    prepare,
    prune,
    read_forces,
    remember,
    residual_of,
    split,
    take_node,
)
from holdfast.solvers.exact.simplex import (
    CHOSEN,
    FIRST_OPEN,
    KEPT,
    KEY,
    MASK,
    NODE,
    OPTIMAL,
    ROOT,
    WHO,
    X,
    Y,
    copy_slot,
    restrict,
)
from holdfast.solvers.exact.support_tables import certified_bound
from tests.solvers import twins
from tests.solvers.kernel_cases import (
    ALL,
    PLENTY,
    SMALL,
    SOLVABLE,
    Node,
    Setting,
    begun,
    compiled,
    setting,
    setting_of,
    slot_of,
)

K, M, DEPTH, PIECES = 3, 7, 5, 4


@pytest.fixture
def state() -> SearchState:
    state = new_search_state(K, M, 10, DEPTH, PIECES)
    state.trial[:] = np.arange(9.0).reshape(3, 3)
    state.common[1] = [2, 0, 1]
    return state


def test_better_forces_are_kept_with_their_pieces(state):
    state.best[BEST] = 1.0
    compiled(keep_best, state, 1.5, 0.5)
    assert state.best[BEST] == 1.5
    np.testing.assert_array_equal(state.forces, 0.5 * state.trial)
    assert state.pieces.tolist() == [2, 0, 1]


@pytest.mark.parametrize("factor", [1.0, 0.5, -np.inf])
def test_forces_that_are_no_better_are_not(state, factor):
    state.best[BEST] = 1.0
    compiled(keep_best, state, factor, 1.0)
    assert state.best[BEST] == 1.0
    assert not state.forces.any()


@pytest.mark.parametrize(
    "best, target, expected",
    [
        (-np.inf, np.inf, -np.inf),  # nothing found yet: every bound matters
        (2.0, np.inf, 2.0 + GAP_SHARE * 2e-3 + 1e-6),
        (-2.0, np.inf, -2.0 + GAP_SHARE * 2e-3 + 1e-6),
        (5e-3, np.inf, 5e-3 + LAST_SHARE * 5e-6),  # perturbations may take most of the gap, but not more
        (5e-4, np.inf, 5e-4 + 1e-6),
        (0.0, np.inf, 1e-6),
        (0.3, 1.0, 1.0),  # a test asks for its target, whatever was found below
        (-np.inf, 1.0, 1.0),
    ],
)
def test_bounds_matter_above_the_target_or_the_gap_over_the_best(state, best, target, expected):
    state.best[BEST] = best
    assert compiled(cutoff_of, state, target, 1e-3, 1e-6) == pytest.approx(expected, rel=1e-15)


def test_leaves_are_the_masks_at_hand_with_one_contact_replaced(state):
    items = np.zeros((4, K + 2), dtype=np.int64)
    items[MASK] = [7, 3, 1, 1, 1]
    y = np.linspace(-1.0, 1.0, M)
    compiled(add_leaf, state, items, y, 0.7, np.int64(-1), np.int64(-1))
    compiled(add_leaf, state, items, 2.0 * y, 0.6, np.int64(0), np.int64(5))
    items[MASK], y[:] = 0, 0.0  # leaves are copies
    assert state.counts[LEAVES] == 2
    assert state.counts[NODES] == 0
    assert state.leaf_masks[:2].tolist() == [[7, 3, 1], [5, 3, 1]]
    assert state.leaf_bound[:2].tolist() == [0.7, 0.6]
    np.testing.assert_allclose(state.leaf_y[1], 2.0 * state.leaf_y[0])
    assert state.leaf_y[0, 0] == -1.0


def test_there_is_room_for_every_child_and_every_open_node(state):
    assert state.slots.tolist() == list(range(FIRST_OPEN, FIRST_OPEN + DEPTH + MOST_OPEN))
    assert state.bounds.shape == state.keys.shape == (FIRST_OPEN + DEPTH + MOST_OPEN,)
    assert state.parts.shape == state.bound.shape == (2, PIECES)
    assert state.y.shape == (2, PIECES, M)
    assert new_search_state(1, 6, 1, 1, 1).parts.shape == (2, 2)


#: Settings whose relaxation mixes pieces.
MIXED = [
    "contacts alone",
    "few contacts",
    "a row without a limit",
    "rays",
    "two contacts",
    "eight pieces",
    "units of four pieces",
    "units with joints",
    "units of unequal shares",
    "units and contacts",
]


def solved(name: str, masks: np.ndarray | None = None) -> Node:
    """The optimal basis of all pieces."""
    node = begun(setting(name), masks=masks)
    assert node.run()[0] == OPTIMAL
    return node


def read(node: Node) -> bool:
    """Forces, common pieces and places in `state`; whether a force is at the cut of a ray."""
    at_cut = read_forces(node.tables, node.program, node.frames, node.workspace.state, NODE)
    place(node.tables, node.program, node.frames, node.workspace.state, NODE)
    return at_cut


@pytest.mark.parametrize("name", SOLVABLE)
def test_forces_are_the_mixtures_of_the_basis(name):
    node = solved(name)
    assert not read(node)
    state, k = node.workspace.state, node.setting.model.contacts
    expected = twins.forces(node.tables, node.program, node.slot, node.slot.vectors[X])[:k]
    size = 1e-9 * (node.setting.model.scales.unit[0] + np.abs(expected).max())
    np.testing.assert_allclose(state.trial, expected, atol=size)
    mixtures = twins.mixtures(node.program, node.slot, node.slot.vectors[X])
    for unit in node.setting.problem.units:
        common = node.slot.items[MASK, unit[0]]
        for p in unit:
            for vertex, weight in mixtures[p].items():
                if weight > node.program.slack[unit[0]]:
                    common &= node.tables.bits[vertex]
        found = state.common[0, unit[0]]
        assert found & ~common == 0  # lighter vertices than these may have counted, too
        for p in unit:
            for j, piece in enumerate(node.setting.problem.pieces(p)):
                if found >> j & 1:
                    assert piece.contains(state.trial[p])


@pytest.mark.parametrize("name", SOLVABLE)
def test_each_force_is_placed_in_the_piece_that_holds_most_of_it(name):
    """The shares are those of the polytopes' radial extents; forces inside a piece keep all of themselves."""
    node = solved(name)
    read(node)
    state, problem = node.workspace.state, node.setting.problem
    for unit in problem.units:
        i = unit[0]
        allowed = [j for j in range(len(problem.pieces(i))) if node.slot.items[MASK, i] >> j & 1]
        piece, share = int(state.common[1, i]), state.factors[i]
        shares = {j: min(twins.share_inside(problem.pieces(p)[j], state.trial[p]) for p in unit) for j in allowed}
        assert piece in allowed
        assert share == pytest.approx(max(shares.values()), rel=1e-7, abs=1e-7)
        for p in unit:
            assert state.common[1, p] == piece
            assert problem.pieces(p)[piece].contains(share * state.trial[p])
    count, least = place(node.tables, node.program, node.frames, state, NODE)
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
    polish(node.tables, node.program, node.frames, node.workspace.work, state, NODE, np.inf, 1e-6, 0.0, PLENTY)
    return float(state.best[BEST])


@pytest.mark.parametrize("name", MIXED)
def test_polished_forces_are_admissible_and_carry_what_they_claim(name):
    node = solved(name)
    case, bound = node.setting, node.slot.vectors[X, 0]
    kept = [array.copy() for array in node.slot]
    factor = polished(node, -np.inf)
    assert -1e-12 * bound <= factor <= bound * (1.0 + 1e-9)  # with joints the best common pieces carry nothing
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


#: Settings whose relaxation mixes pieces, without rays that are cut off.
MIXED_BRANCHING = [
    "contacts alone",
    "few contacts",
    "joint rows that exclude zero",
    "a row without a limit",
    "eight pieces",
    "gripper",
    "gripper of units",
    "units of four pieces",
    "units with joints",
    "units of unequal shares",
    "units and contacts",
]


def solved_branching(name: str) -> tuple[Node, float]:
    """The optimal basis of all pieces with its forces placed, and its bound."""
    node = begun(setting(name))
    assert node.run()[0] == OPTIMAL
    state, slot = node.workspace.state, node.slot
    read_forces(node.tables, node.program, node.frames, state, NODE)
    count, _ = place(node.tables, node.program, node.frames, state, NODE)
    assert count > 0
    work, items, y = node.workspace.work, slot.items, slot.vectors[Y]
    return node, certified_bound(node.tables, node.program, items[MASK], items[KEY], y, node.program.load, work)


def hull_limit(node: Node, contacts: np.ndarray) -> float:
    """The hulls' limit with these masks of the contacts."""
    return twins.hull_limit(
        node.tables, node.program, np.concatenate([contacts, node.slot.items[MASK, len(contacts) :]])
    )


# -- pieces given up --------------------------------------------------------------------------------


def remembering(name: str, count: int = 1) -> tuple[Node, float]:
    """`solved_branching` that keeps its own multipliers and those of relaxations with other pieces, `count` in all."""
    node, bound = solved_branching(name)
    copy_slot(node.frames, NODE, ROOT)
    kept, rng = node.workspace.state.kept, np.random.default_rng(5)
    remember(node.tables, node.program, node.frames, node.workspace.work, kept, node.slot.vectors[Y])
    while kept.counts[FILLED] < count:
        other = begun(node.setting, masks=node.setting.random_masks(rng))
        if other.run()[0] == OPTIMAL:
            remember(node.tables, node.program, node.frames, node.workspace.work, kept, other.slot.vectors[Y])
    return node, bound


def pruned_by(node: Node, cutoff: float) -> tuple[bool, bool]:
    """`prune` of the node in slot NODE."""
    state = node.workspace.state
    return prune(node.tables, node.program, node.frames, node.workspace.work, state, NODE, cutoff)


@pytest.mark.parametrize("name", SOLVABLE)
def test_kept_bounds_are_those_of_all_vertices(name):
    """Of any set of pieces, interpreted and compiled, from sums of kept supports alone."""
    case, rng = setting(name), np.random.default_rng(8)
    node, expected = begun(case), []
    kept, program = node.workspace.state.kept, case.program()
    assert node.run()[0] == OPTIMAL
    copy_slot(node.frames, NODE, ROOT)
    for y in [node.slot.vectors[Y].copy()] + [case.random_multipliers(rng) for _ in range(40)]:
        before = int(kept.counts[FILLED])
        compiled(remember, node.tables, program, node.frames, node.workspace.work, kept, y)
        whole = twins.factor_bound(node.tables, program, case.masks, y, case.load)
        if kept.counts[FILLED] > before:
            expected.append(y.copy())
            remember(node.tables, program, node.frames, node.workspace.work, kept, y)  # the same, interpreted
            for array in (kept.y, kept.rest, kept.supports[:, : case.masks.max().item().bit_length()].T):
                np.testing.assert_allclose(array[before + 1], array[before], rtol=1e-12, atol=1e-12)
            kept.counts[:] = before + 1
        else:
            assert whole == np.inf or -y @ case.load <= 0.0  # rays or rows without a limit leave everything possible
    assert len(expected) == kept.counts[FILLED] > 0
    for _ in range(10):
        masks = case.random_masks(rng)
        for kernel in (bound_all, lambda *args: compiled(bound_all, *args)):
            kept.above[:] = kept.highest[:] = np.nan
            kernel(node.tables, program, masks, kept, 0.25)
            for y, above in zip(expected, kept.above, strict=False):
                exact = twins.factor_bound(node.tables, program, masks, y, case.load)
                assert exact <= above + 0.25 <= exact + 1e-9 * max(1.0, abs(exact))


def test_the_oldest_multipliers_are_replaced():
    node, _ = remembering("contacts alone", MOST_KEPT)
    kept = node.workspace.state.kept
    first, y = kept.y[:2].copy(), 2.0 * kept.y[7]
    remember(node.tables, node.program, node.frames, node.workspace.work, kept, y)
    assert kept.counts.tolist() == [MOST_KEPT, 1]
    np.testing.assert_array_equal(kept.y[0], y)
    np.testing.assert_array_equal(kept.y[1], first[1])
    np.testing.assert_allclose(kept.supports[:, :, 0], kept.supports[:, :, 7], rtol=1e-12)  # whatever their size


@pytest.mark.parametrize("form", ["interpreted", "compiled"])
def test_what_a_piece_leaves_possible_is_the_lowest_of_the_kept_bounds(form):
    node, _ = remembering("contacts alone", 9)
    kept = node.workspace.state.kept
    bound_all(node.tables, node.program, node.slot.items[MASK], kept, 0.25)
    for count in range(1, 10):
        arguments = (kept.highest[1], kept.supports[1, 0], kept.above, count)
        found = least_above(*arguments) if form == "interpreted" else compiled(least_above, *arguments)
        assert found == pytest.approx(min(above_with(kept, 1, 0, q) for q in range(count)), rel=1e-14)
    masks = node.slot.items[MASK].copy()
    masks[1] = 1
    bound_all(node.tables, node.program, masks, kept, 0.25)
    assert found == pytest.approx(kept.above[:9].min(), rel=1e-12)


@pytest.mark.parametrize("name", MIXED_BRANCHING)
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("count", [1, 6])
def test_pruned_pieces_cannot_beat_the_cutoff(name, share, count):
    node, bound = remembering(name, count)
    state, slot, k = node.workspace.state, node.slot, node.setting.model.contacts
    cutoff, before = share * bound, slot.items[MASK].copy()
    closed, fewer = pruned_by(node, cutoff)
    leaves = int(state.counts[LEAVES])
    assert (closed or fewer) == (leaves > 0)
    assert fewer == (slot.items[MASK] != before).any()
    for masks, leaf_y, claimed in zip(state.leaf_masks, state.leaf_y, state.leaf_bound[:leaves], strict=False):
        assert claimed <= cutoff
        assert hull_limit(node, masks) <= claimed + twins.LP_ERROR * abs(claimed)
        assert (leaf_y == state.kept.y).all(axis=1).any()
        every = np.concatenate([masks, before[k:]])
        exact = twins.factor_bound(node.tables, node.program, every, leaf_y, node.program.load)
        assert exact <= claimed + 1e-10 * abs(claimed)
    units = np.nonzero(node.program.points[:k])[0]
    boxes = state.leaf_masks[:leaves, units].tolist() + ([] if closed else [slot.items[MASK, units].tolist()])
    assert tiles(boxes, before[units].tolist())  # no choice of pieces is lost or counted twice
    if not closed:
        twins.assert_basis(node.tables, node.program, slot)
        assert pruned_by(node, cutoff) == (False, False)  # nothing is left to prune


def test_more_multipliers_prune_more():
    left = np.zeros((2, len(MIXED_BRANCHING)), dtype=np.int64)
    for i, name in enumerate(MIXED_BRANCHING):
        for row, count in zip(left, (1, 6), strict=True):
            node, bound = remembering(name, count)
            closed, _ = pruned_by(node, 0.95 * bound)
            row[i] = 0 if closed else sum(mask.bit_count() for mask in node.slot.items[MASK].tolist())
    assert (left[1] <= left[0]).all()
    assert left[1].sum() < left[0].sum()


def test_a_low_cutoff_prunes_nothing_and_a_high_one_something():
    node, bound = remembering("contacts alone")
    assert pruned_by(node, 0.0) == (False, False)
    assert pruned_by(node, -np.inf) == (False, False)
    assert pruned_by(node, 0.99 * bound) == (False, True)


@pytest.mark.parametrize("name", MIXED_BRANCHING)
def test_a_node_whose_bound_is_below_the_cutoff_is_closed(name):
    node, bound = remembering(name)
    before = node.slot.items[MASK].copy()
    assert pruned_by(node, bound + 1e-6 * abs(bound)) == (True, False)
    assert node.workspace.state.counts[LEAVES] == 1
    np.testing.assert_array_equal(node.workspace.state.leaf_masks[0], before[: node.setting.model.contacts])


# -- contacts branched on ---------------------------------------------------------------------------


def mixed_contacts(node: Node) -> list[int]:
    """Contacts whose force lies in no piece."""
    return [int(i) for i in np.nonzero(node.workspace.state.factors < 1.0 - INSIDE)[0]]


@pytest.mark.parametrize("name", MIXED_BRANCHING)
def test_parts_share_out_the_pieces_and_none_allows_the_force(name):
    node, _ = solved_branching(name)
    for i in mixed_contacts(node):
        points, mask = twins.points_of(node.program, i), int(node.slot.items[MASK, i])
        forces = node.workspace.state.trial[points]
        count = split(node.tables, node.program, node.frames, node.workspace.state, NODE, i)
        parts = [int(part) for part in node.workspace.state.parts[0, :count]]
        assert count >= 2
        assert all(part > 0 for part in parts)
        assert sum(parts) == mask  # disjoint bits that add up
        assert np.bitwise_or.reduce(parts) == mask
        for part in parts:
            assert twins.distance_to_hull(node.tables, node.program, i, part, forces) > 1e-9 * node.program.reach[i]


def test_without_two_vertices_of_different_pieces_every_piece_is_a_part():
    """Three pieces that share their vertices pairwise, a force amid three of them: no pair is apart."""
    node, _ = solved_branching("few contacts")
    i = mixed_contacts(node)[0]
    mask, shape = int(node.slot.items[MASK, i]), node.program.shape_of[i]
    own = np.nonzero(node.slot.base[WHO] == i)[0]
    everywhere = node.tables.bits.copy()
    everywhere[twins.members(node.tables, shape, mask)] |= mask
    count = split(node.tables._replace(bits=everywhere), node.program, node.frames, node.workspace.state, NODE, i)
    assert len(own) > 0
    assert node.workspace.state.parts[0, :count].tolist() == [1 << j for j in range(mask.bit_length()) if mask >> j & 1]


@pytest.mark.parametrize("name", MIXED_BRANCHING)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_the_chosen_contact_is_mixed_and_its_childrens_bounds_are_true(name, share):
    node, bound = solved_branching(name)
    state, k, cutoff = node.workspace.state, node.setting.model.contacts, share * bound
    mixed, before = mixed_contacts(node), [array.copy() for array in node.slot]
    i, count, begun = choose(node.tables, node.program, node.frames, node.workspace.work, state, NODE, bound, cutoff)
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
    child = slot_of(node.frames, CHOSEN)  # the trial of the child that comes first, to be gone on with
    assert begun == parts[bounds.argmax()] == child.items[MASK, i]
    twins.assert_dual_feasible(node.tables, node.program, child)


def test_contacts_without_a_choice_are_not_branched_on():
    node, bound = solved_branching("contacts alone")
    for i in mixed_contacts(node):
        node.slot.items[MASK, i] = 1
    i, *_ = choose(node.tables, node.program, node.frames, node.workspace.work, node.workspace.state, NODE, bound, 0.0)
    assert i == -1


@pytest.mark.parametrize("name", ["contacts alone", "few contacts", "gripper", "units of four pieces"])
def test_the_first_choice_is_the_one_whose_worst_child_falls_furthest(name):
    """The same trials one by one: restricted to a part, a few pivots, the bound that is left."""
    node, bound = solved_branching(name)
    state, work, cutoff = node.workspace.state, node.workspace.work, 0.2 * bound
    factors, scores = state.factors.copy(), {}
    for i in mixed_contacts(node):
        state.factors[:] = 1.0
        state.factors[i] = factors[i]
        chosen, count, _ = choose(node.tables, node.program, node.frames, work, state, NODE, bound, cutoff)
        assert chosen == i
        drops = np.maximum(0.0, bound - np.maximum(state.bound[1, :count], cutoff))
        scores[i] = 20.0 * drops.min() + drops.max()
    state.factors[:], state.hints[:] = factors, 0
    chosen, *_ = choose(node.tables, node.program, node.frames, work, state, NODE, bound, cutoff)
    assert scores[chosen] == pytest.approx(max(scores.values()), rel=1e-12)


def test_what_was_branched_on_before_at_the_end_of_a_path_is_tried_first():
    """Alone, unless it does nothing; on another path, for another program or without a choice, it is forgotten."""
    node, bound = solved_branching("contacts alone")
    state, work, factors = node.workspace.state, node.workspace.work, node.workspace.state.factors.copy()
    mixed = mixed_contacts(node)

    def chosen_on(path: int) -> int:
        state.factors[:], state.keys[NODE] = factors, path
        return choose(node.tables, node.program, node.frames, work, state, NODE, bound, 0.2 * bound)[0]

    usual = chosen_on(1)
    other = next(i for i in mixed if i != usual)
    state.hints[:, 7] = 7, other, state.pool[PROGRAM] + 1
    assert chosen_on(7) == usual
    state.hints[:, 7] = 7, other, state.pool[PROGRAM]
    assert chosen_on(7) == other
    assert chosen_on(7 + HINTS) == usual
    assert state.hints[:, 7].tolist() == [7 + HINTS, usual, state.pool[PROGRAM]]
    state.hints[:, 7] = 7, other, state.pool[PROGRAM]
    node.slot.items[MASK, other] = 1
    assert chosen_on(7) == usual


def test_children_are_opened_best_last_and_closed_ones_become_leaves():
    node = begun(setting("eight pieces"))
    state = node.workspace.state
    masks, keys = node.slot.items[MASK].copy(), {}
    state.parts[1, :5] = [1, 2, 4, 8, 16]
    state.bound[1, :5] = [0.7, 0.2, np.inf, 0.9, -np.inf]
    state.y[1, :5] = np.arange(5)[:, None]
    state.keys[NODE] = 5
    copy_slot(node.frames, NODE, CHOSEN)
    restrict(node.tables, node.program, node.frames, node.workspace.work, CHOSEN, 1, 4)
    node.frames.along[CHOSEN] += 1.0  # what tells it from a copy of the node
    branch(
        node.tables, node.program, node.frames, node.workspace.work, state, np.int64(1), np.int64(5), np.int64(4), 0.3
    )
    assert state.counts[OPEN] == 3
    opened = state.slots[:3].tolist()
    assert state.bounds[opened].tolist() == [0.7, 0.9, np.inf]
    for s, part in zip(opened, [1, 8, 4], strict=True):
        masks[1] = part
        np.testing.assert_array_equal(node.frames.items[s, MASK], masks)
        keys[int(state.keys[s])] = part
    assert len(keys) == 3
    np.testing.assert_array_equal(node.frames.along[opened[2]], node.frames.along[CHOSEN])
    assert state.counts[LEAVES] == 2
    assert state.leaf_bound[:2].tolist() == [0.2, -np.inf]
    assert state.leaf_y[:2, 0].tolist() == [1.0, 4.0]
    for leaf, part in zip(state.leaf_masks, [2, 16], strict=False):
        masks[1] = part
        np.testing.assert_array_equal(leaf, masks[: state.leaf_masks.shape[1]])


@pytest.mark.parametrize(
    "last_one, bounds, order",
    [
        (True, [0.9, 0.5, 0.7], [2, 1, 0]),
        (False, [0.9, 0.5, 0.7], [0, 2, 1]),
        (False, [0.5, 0.7, 0.7], [2, 1, 0]),  # of equal ones, the one opened last
    ],
)
def test_open_nodes_are_taken_by_their_bounds_unless_the_last_one_is_asked_for(last_one, bounds, order):
    node = begun(setting("contacts alone"))
    state = node.workspace.state
    for i, bound in enumerate(bounds):
        node.slot.along[0] = i
        assert open_node(node.frames, state, NODE, bound, 10 + i) == FIRST_OPEN + i
    for left, i in zip([2, 1, 0], order, strict=True):
        take_node(node.frames, state, last_one)
        assert (node.slot.along[0], state.keys[NODE], state.counts[OPEN]) == (i, 10 + i, left)
    assert sorted(state.slots.tolist()) == list(range(FIRST_OPEN, FIRST_OPEN + len(state.slots)))  # none is lost


def test_of_very_many_open_nodes_the_last_one_is_taken():
    """Otherwise their number would have no bound."""
    node = begun(setting("contacts alone"))
    state = node.workspace.state
    for i in range(MOST_OPEN + 1):
        open_node(node.frames, state, NODE, 1.0 / (1.0 + i), i)
    for expected in (MOST_OPEN, 0, 1):
        take_node(node.frames, state, False)
        assert state.keys[NODE] == expected


def test_a_child_goes_on_from_its_parents_basis():
    """Restricted to a part, the parent's basis leads to the child's optimum in a few pivots."""
    node, bound = solved_branching("few contacts")
    i, count, _ = choose(
        node.tables, node.program, node.frames, node.workspace.work, node.workspace.state, NODE, bound, 0.0
    )
    parts, kept = node.workspace.state.parts[1, :count].tolist(), [array.copy() for array in node.slot]
    for part in parts:
        for array, before in zip(node.slot, kept, strict=True):
            array[...] = before
        restrict(node.tables, node.program, node.frames, node.workspace.work, NODE, i, part)
        outcome, limit, _ = node.run(0.0, fresh=KEPT)
        twins.assert_solved(node.tables, node.program, node.slot, outcome, limit, 0.0)
        assert node.slot.vectors[X, 0] < bound


GAP = 1e-6

#: Settings with few enough choices to try them all.
COUNTABLE = [name for name in SMALL if name != "the same, counted from the nearest"]

#: Settings whose search goes beyond its first node.
BRANCHING = [
    "contacts alone",
    "few contacts",
    "a row without a limit",
    "eight pieces",
    "units of four pieces",
    "units and contacts",
]


def ask(
    case: Setting,
    loads: np.ndarray | None = None,
    *,
    question: Question = "maximise",
    workspace: Workspace | None = None,
    nodes: int = 2048,
    open_nodes: int = 2048,
    warm: bool = False,
) -> tuple[Batch, Workspace]:
    """The kernels' answers to loads of the layout, and the workspace they were found in."""
    workspace = case.model.new_workspace(FIRST_LEAVES) if workspace is None else workspace
    loads = case.problem.load[None] if loads is None else loads
    rounding = question == "test" or case.problem.layout.bounds_hold_zero
    settings = SearchSettings(question == "test", GAP, rounding, nodes, open_nodes)
    batch, _ = _ask(case.model, workspace, np.ascontiguousarray(loads), settings, warm)
    return batch, workspace


def choices(case: Setting) -> list[np.ndarray]:
    """Masks (n,) of every way to choose one piece a unit; those of its other points count for nothing."""
    count = case.model.program.points
    singles = [
        [1 << j for j in range(int(mask).bit_length())] if points else [0]
        for mask, points in zip(case.masks, count, strict=True)
    ]
    return [np.array(choice) for choice in itertools.product(*singles)]


def best_of_all(case: Setting) -> float:
    """The largest load factor that any choice of pieces holds, as multiples of the problem's load."""
    return case.scale * max(twins.hull_limit(case.tables, case.program(), masks) for masks in choices(case))


@pytest.mark.parametrize("name", COUNTABLE)
def test_the_largest_factor_is_that_of_the_best_choice(name):
    case = setting(name)
    batch, _ = ask(case)
    expected = best_of_all(case)
    assert batch.outcomes[0] == FINISHED
    if expected == -np.inf:
        assert batch.factors[0] == -np.inf
    else:
        assert batch.factors[0] == pytest.approx(expected, rel=2e-6, abs=1e-9)
        assert batch.factors[0] * (1.0 - 1e-9) <= batch.bounds[0] <= batch.factors[0] * (1.0 + 2e-6) + 1e-7


@pytest.mark.parametrize("name", COUNTABLE)
@pytest.mark.parametrize("question", ["maximise", "test"])
def test_the_leaves_of_a_finished_search_cover_every_choice_once_and_bound_it_truly(name, question):
    """For a test, the load is a little more than can be held."""
    case = setting(name)
    scale = 1.0
    if question == "test":
        scale = 1.001 * best_of_all(case)
        if not 1e-3 < scale < np.inf or not case.problem.layout.bounds_hold_zero:
            return
    batch, workspace = ask(case, scale * case.problem.load[None], question=question)
    assert batch.outcomes[0] == FINISHED
    k, leaves = case.model.contacts, int(workspace.state.counts[LEAVES])
    boxes, units = workspace.state.leaf_masks[:leaves], np.nonzero(case.model.program.points[:k])[0]
    for choice in choices(case):
        assert ((boxes & choice[:k] > 0)[:, units].all(axis=1)).sum() == 1
    for box, y, bound in zip(boxes, workspace.state.leaf_y, workspace.state.leaf_bound, strict=False):
        masks = np.concatenate([box, case.masks[k:]])
        limit = twins.hull_limit(case.tables, case.program(), masks) * case.scale / scale
        load = np.zeros(len(y)) if bound == -np.inf else case.load
        exact = twins.factor_bound(case.tables, case.program(), masks, y, load) * case.scale / scale
        assert limit <= bound or limit <= bound + 1e-6 * abs(bound) + 1e-9
        assert exact <= bound or exact <= bound + 1e-9 * abs(bound) + 1e-12
        if question == "test":
            assert bound < 1.0


@pytest.mark.parametrize("name", [name for name in ALL if name != "nothing holds"])
def test_forces_lie_in_their_pieces_and_the_residual_is_theirs(name):
    case = setting(name)
    batch, workspace = ask(case)
    factor, forces = batch.factors[0], batch.forces[0]
    for i, piece in enumerate(batch.pieces[0]):
        assert case.problem.pieces(i)[piece].contains(forces[i])
    for unit in case.problem.units:
        assert len(set(batch.pieces[0, unit])) == 1
    program, state = case.program(), workspace.state
    values = (
        np.einsum("nmi,ni->m", twins.maps(program)[: case.model.contacts], forces) + factor / case.scale * case.load
    )
    slacks = np.clip(values[6:], *_ends(case).T)
    largest = max(np.abs(forces).max(), np.abs(factor / case.scale * case.load).max())
    expected = max(np.abs(values[:6]).max(), np.abs(values[6:] - slacks).max(initial=0.0)) / largest
    assert batch.residuals[0] == pytest.approx(expected, rel=1e-3, abs=1e-15)
    assert expected <= 1e-9
    state.forces[0, 0] += 1e-3 * largest  # and a force that does not balance is noticed
    assert residual_of(case.tables, program, state) > 1e-6


def _ends(case: Setting) -> np.ndarray:
    """(r, 2) ends of the joint rows' slacks."""
    shapes = case.model.program.shape_of[case.model.contacts :]
    vertices = [case.tables.vertices[twins.members(case.tables, shape, 1), 0] for shape in shapes]
    return np.array([[v.min(), v.max()] for v in vertices]).reshape(-1, 2)


@pytest.mark.parametrize(
    "name",
    [
        "contacts alone",
        "few contacts",
        "rays",
        "a row without a limit",
        "gripper",
        "units with joints",
        "units with rays",
    ],
)
def test_tests_are_held_below_the_limit_and_refuted_above_it(name):
    case = setting(name)
    limit = ask(case)[0].factors[0]
    factors = limit * np.array([0.5, 0.999, 0.999999, 1.00001, 1.001, 2.0])
    batch, _ = ask(case, factors[:, None] * case.problem.load, question="test")
    assert batch.outcomes.tolist() == [HELD] * 3 + [FINISHED] * 3
    for factor, held, forces in zip(factors[:3], batch.factors, batch.forces, strict=False):
        assert held >= 1.0 - 1e-9
        size = case.problem.force_scale(forces, factor * held)
        assert case.problem.residual(forces, factor * held) <= 1e-9 * size


@pytest.mark.parametrize(
    "name", ["contacts alone", "a row without a limit", "rays", "eight pieces", "gripper", "gripper of units", "units"]
)
def test_answers_are_the_same_cold_warm_and_in_any_order(name):
    case, rng = setting(name), np.random.default_rng(1)
    steps = case.problem.load[:6] + 0.2 * np.abs(case.problem.load).max() * rng.normal(size=(6, 6)).cumsum(axis=0)
    loads = np.column_stack([steps, np.zeros((6, case.problem.rows - 6))])
    cold = np.concatenate([ask(case, load[None])[0].factors for load in loads])
    batch, workspace = ask(case, loads)
    assert (batch.outcomes == FINISHED).all()
    np.testing.assert_allclose(batch.factors, cold, rtol=3e-6, atol=1e-9)
    again, _ = ask(case, loads[::-1], workspace=workspace, warm=True)
    np.testing.assert_allclose(again.factors[::-1], cold, rtol=3e-6, atol=1e-9)


def test_a_search_pauses_at_its_limit_of_open_nodes():
    case = setting("eight pieces")
    whole, _ = ask(case)
    batch, workspace = ask(case, open_nodes=0)
    assert batch.outcomes[0] == PAUSED
    assert workspace.state.counts[OPEN] > 0
    assert batch.bounds[0] >= whole.factors[0] * (1.0 - 1e-9)


@pytest.mark.parametrize("name", BRANCHING)
def test_a_search_pauses_at_its_limit_of_nodes_with_forces_and_a_bound(name):
    case = setting(name)
    whole, workspace = ask(case)
    assert workspace.state.counts[NODES] > 1
    batch, workspace = ask(case, nodes=1)
    assert batch.outcomes[0] == PAUSED
    assert workspace.state.counts[NODES] == 1
    assert 0.0 <= batch.factors[0] <= whole.factors[0] * (1.0 + 1e-6)
    assert batch.bounds[0] >= whole.factors[0] * (1.0 - 1e-9)
    hulls = twins.hull_limit(case.tables, case.program(), case.masks) * case.scale
    assert batch.bounds[0] == pytest.approx(hulls, rel=1e-6)


def test_a_search_says_when_its_leaves_do_not_fit():
    case = setting("eight pieces")
    assert ask(case)[1].state.counts[LEAVES] > 1
    batch, workspace = ask(case, workspace=case.model.new_workspace(case.model.contacts + 9))
    assert batch.outcomes[0] == FULL
    assert workspace.state.counts[LEAVES] <= case.model.contacts + 9


@pytest.mark.parametrize("lean", [0.0, 0.1, 0.3])
def test_a_limit_that_only_the_cut_of_a_ray_makes_is_not_believed(lean):
    """A cone pulled straight: no limit is claimed, and every load is held."""
    edges = [[0.3, 0, 1], [-0.3, 0, 1], [0, 0.3, 1], [0, -0.3, 1.0]]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([[[0, 0, 0]]], [edges]))])
    case = setting_of(assembly, np.array([lean, 0, -1.0, 0, 0, 0]))
    assert ask(case)[0].outcomes[0] in (CAPPED, BROKEN)
    assert ask(case, question="test")[0].outcomes[0] == HELD


def test_no_load_is_held_by_no_force():
    case = setting("contacts alone")
    batch, _ = ask(case, np.array([case.problem.load, 0.0 * case.problem.load, case.problem.load]), question="test")
    assert batch.outcomes[1] == HELD
    assert batch.factors[1] == 1.0
    assert not batch.forces[1].any()
    assert batch.outcomes[0] == batch.outcomes[2]


def test_what_a_search_cost_is_counted():
    case = setting("few contacts")
    _, workspace = ask(case)
    counts = workspace.state.counts
    assert counts[LEAVES] >= 1
    assert counts[PROGRAMS] >= counts[NODES] >= 2
    assert counts[PIVOTS] >= counts[NODES]
    ask(case, question="test", loads=1e-3 * case.problem.load[None], workspace=workspace)
    assert workspace.state.counts[NODES] <= counts[NODES]  # of the last load alone
    assert workspace.state.best[BEST] > 0.0


# -- loads made ready -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_loads_are_scaled_to_the_unit_and_multipliers_lean_against_them(name):
    case, rng, scales = setting(name), np.random.default_rng(2), setting(name).model.scales
    way, y = np.zeros((2, len(case.load)))
    for size in (1e-6, 1.0, 1e6):
        load = np.concatenate([size * rng.normal(size=6), np.zeros(case.problem.rows - 6)])
        scale = prepare(scales, case.model.program, load, way, y)
        np.testing.assert_allclose(way, scale * (load[scales.kept] - scales.zero), rtol=1e-13)
        assert np.abs(way).max() == pytest.approx(scales.unit[0])
        assert y @ way == pytest.approx(-1.0)
        assert not ((case.unlimited & 1 > 0) & (y > 0.0)).any()
        assert not ((case.unlimited & 2 > 0) & (y < 0.0)).any()
        if not case.unlimited.any():  # where the load leaves the ellipsoid: the least spread of all y with y . b = -1
            best = -scales.guess @ way / (way @ scales.guess @ way)
            np.testing.assert_allclose(y, best, rtol=1e-9, atol=1e-12 * np.abs(best).max())


def test_a_load_of_nothing_has_no_scale():
    case = setting("contacts alone")
    way, y = np.zeros((2, len(case.load)))
    with np.errstate(invalid="ignore"):
        assert prepare(case.model.scales, case.model.program, np.zeros(6), way, y) == np.inf
    assert not way.any()
