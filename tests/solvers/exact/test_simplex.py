"""The dual simplex method, its parts against dense algebra and the whole against scipy's linear programs.

Breakpoints of the line search against all vertices; bases dual feasible at every stage, and right at the end of the run.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact import simplex
from holdfast.solvers.exact.simplex import (
    ARTIFICIAL,
    FACTOR,
    FAILED,
    FLIPS_PER_ITEM,
    GAIN,
    INFEASIBLE,
    KEPT,
    KEY,
    MASK,
    MIXED,
    NODE,
    NOWHERE,
    OPTIMAL,
    PIVOT_TOLERANCE,
    POINT,
    PRIMAL_TOLERANCE,
    RIGHT,
    ROOT,
    ROUGH,
    SCRATCH,
    STOPPED,
    WHO,
    WHOLE,
    WHOLES,
    X,
    Y,
    copy_slot,
    leaving,
    line_search,
    new_basis_frames,
    new_simplex_work,
    next_vertex,
    renew_values,
    restrict,
    run,
    set_key,
    start,
    swap_key,
    turn,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import (
    ALL,
    PLAIN,
    PLENTY,
    SMALL,
    SOLVABLE,
    UNITS,
    Node,
    begun,
    compiled,
    copied,
    on_the_way,
    setting,
    slot_of,
)

N, M, SLOTS, POINTS = 7, 9, 5, 4


def test_a_copied_basis_is_equal_and_independent():
    node = begun(setting("a row without a limit"))
    node.run()
    others = [slot_of(node.frames, s) for s in (ROOT, NODE)]
    before = [[array.copy() for array in slot] for slot in others]
    compiled(copy_slot, node.frames, NODE, SCRATCH)
    for copy, original in zip(slot_of(node.frames, SCRATCH), node.slot, strict=True):
        np.testing.assert_array_equal(copy, original)
        copy[...] = 7
    for slot, kept in zip(others, before, strict=True):
        for array, expected in zip(slot, kept, strict=True):
            np.testing.assert_array_equal(array, expected)


def test_every_slot_has_room_for_a_whole_basis():
    frames = new_basis_frames(SLOTS, N, M, POINTS)
    shapes = [(4, N), (2 + POINTS, M), (M, M), (M, M), (4, M), (3 * N,)]
    assert [array.shape for array in frames] == [(SLOTS, *shape) for shape in shapes]
    assert [array.dtype.kind for array in frames] == list("iiffff")


@pytest.mark.parametrize("name, shape", [("pace", (3 * N,)), ("matrix", (M, M)), ("banned", (M + N,)), ("at", (N,))])
def test_work_has_room_for_every_item_and_row(name, shape):
    assert getattr(new_simplex_work(N, M), name).shape == shape


def test_a_line_search_may_flip_every_item_many_times():
    assert new_simplex_work(N, M).flipped.shape == (2, FLIPS_PER_ITEM * (N + M))


def first_overtaking(node: Node, i: int, pace: np.ndarray, cap: float) -> tuple[float, dict[int, int]]:
    """(t, vertices that win at their points) of the compiled kernel along `pace` (3 n,)."""
    slot, work = node.slot, node.workspace.work
    sizes = (float(np.linalg.norm(slot.vectors[Y])), float(np.linalg.norm(pace)))
    work.pace[:] = pace
    state = (slot.items, slot.base, np.int64(i), slot.along, cap)
    t, where = compiled(next_vertex, node.tables, node.program, work, *state, *sizes)
    points = twins.points_of(node.program, i) if where == WHOLE else [int(where)]
    vertices = {} if where == NOWHERE else dict(zip(points, work.found[0].tolist(), strict=False))
    return t, vertices


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("perturbation", [0.0, 1e-2])
def test_the_next_vertex_is_the_first_of_all_to_overtake_the_key(name, perturbation):
    node, rng = begun(setting(name), perturbation), np.random.default_rng(1)
    overtaken = 0
    for _ in range(40):
        pace = rng.normal(size=len(node.slot.along)) * np.abs(node.slot.along).max()
        for i, (g, q) in enumerate(zip(node.slot.along.reshape(-1, 3), pace.reshape(-1, 3), strict=True)):
            times = twins.overtakings(node.tables, node.program, node.slot, i, g, q)
            t, vertices = first_overtaking(node, i, pace, np.inf)
            first = min(times.values(), default=np.inf)
            assert t == pytest.approx(first, rel=1e-9, abs=1e-12)
            assert (not vertices) == (not times)
            if times:
                assert times[vertices[i]] == pytest.approx(first, rel=1e-9, abs=1e-12)
                overtaken += 1
    assert overtaken > 40


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("perturbation", [0.0, 1e-2])
def test_the_next_vertices_of_a_unit_are_the_first_of_any_allowed_piece(name, perturbation):
    """At one point within the pieces of the key, or at all points of another piece; before, the key is unbeaten."""
    node, rng = begun(setting(name), perturbation), np.random.default_rng(1)
    tables, program, slot, where = node.tables, node.program, node.slot, []
    for _ in range(2 if name.startswith("gripper") else 12):
        slot.items[MASK] = node.setting.random_masks(rng)
        compiled(start, tables, program, node.frames, node.workspace.work, NODE, node.setting.random_multipliers(rng))
        pace = rng.normal(size=len(slot.along)) * np.abs(slot.along).max()
        along, paces = slot.along.reshape(-1, 3), pace.reshape(-1, 3)
        for i in twins.items_of(program):
            first = twins.first_overtaking(tables, program, slot, i, along, paces)
            t, vertices = first_overtaking(node, i, pace, np.inf)
            assert t == pytest.approx(first, rel=1e-7, abs=1e-9)
            assert (not vertices) == (t == np.inf)
            if program.points[i] == 1 or not 1e-4 < t < np.inf:  # sooner is rounding, next to rays that are cut off
                continue
            key = {p: int(slot.items[KEY, p]) for p in twins.points_of(program, i)}
            for share in (0.5, 1.0):  # the key wins until then; then the found vertices are as good
                g = along + share * t * paces
                best = twins.item_support(tables, program, i, slot.items[MASK, i], g, perturbation)
                noise = 1e-9 * program.size[i] * program.reach[i] * np.abs(g).max()
                assert twins.value_of(tables, program, key, g) == pytest.approx(best, abs=noise)
            assert twins.value_of(tables, program, key | vertices, g) == pytest.approx(best, abs=noise)
            assert twins.shared_pieces(tables, (key | vertices).values()) & slot.items[MASK, i]
            where.append(len(vertices))
            cap = 0.9 * t
            assert first_overtaking(node, i, pace, cap) == (cap, {})
    assert set(where) == {1, 4} or name == "gripper of units"


@pytest.mark.parametrize("name", PLAIN)
def test_before_the_cap_nothing_or_the_same_vertex_overtakes(name):
    node, rng = begun(setting(name)), np.random.default_rng(2)
    for _ in range(40):
        pace = rng.normal(size=len(node.slot.along)) * np.abs(node.slot.along).max()
        for i, (g, q) in enumerate(zip(node.slot.along.reshape(-1, 3), pace.reshape(-1, 3), strict=True)):
            first = min(twins.overtakings(node.tables, node.program, node.slot, i, g, q).values(), default=np.inf)
            if not 1e-4 < first < np.inf:  # sooner is rounding, next to rays that are cut off far away
                continue
            assert first_overtaking(node, i, pace, 1.001 * first)[0] == pytest.approx(first, rel=1e-9)
            cap = 0.9 * first
            assert first_overtaking(node, i, pace, cap) == (cap, {})


def step(node: Node) -> tuple[int, float, np.ndarray] | None:
    """(column, violation, step of y) as the simplex method takes it; None at its end."""
    slot, work, m = node.slot, node.workspace.work, len(node.slot.inverse)
    work.banned[:] = 0
    column, amount = leave(node)
    if column < 0:
        return None
    if column >= m:  # a key leaves: its heaviest vertex becomes the key, and the old key leaves as a column
        p = int(column - m)
        own = np.nonzero((slot.base[WHO] >= 0) & (slot.base[POINT] == p))[0]
        if not len(own):  # nothing but whole vertices
            own = np.nonzero((slot.base[WHO] == p) & (slot.base[POINT] == WHOLE))[0]
        column = int(own[slot.vectors[X, own].argmax()])
        swap_key(node.program, slot.items, slot.base, slot.columns, slot.inverse, slot.vectors, column)
    delta = slot.inverse[column] * (1.0 if slot.vectors[X, column] > 0.0 else -1.0)
    node.workspace.work.delta[:] = delta
    node.workspace.work.pace[:] = twins.directions(node.program, delta).ravel()
    return column, amount, delta


def search(node: Node, column: int, amount: float, delta: np.ndarray) -> tuple[float, int, dict[int, int], int]:
    """(t, item, its new vertices at their points, flips) of the compiled kernel."""
    slot, sizes = node.slot, (float(np.linalg.norm(node.slot.vectors[Y])), float(np.linalg.norm(delta)))
    own = (slot.base[WHO, column], slot.base[POINT, column])
    state = (slot.items, slot.base, slot.vectors, slot.along, *own, amount)
    t, who, point, flips = compiled(line_search, node.tables, node.program, node.workspace.work, *state, *sizes)
    points = twins.points_of(node.program, who) if point == WHOLE else [int(point)]
    vertices = {} if who < 0 else dict(zip(points, node.workspace.work.found[1].tolist(), strict=False))
    return t, who, vertices, flips


@pytest.mark.parametrize("name", SMALL)
def test_a_search_ends_at_the_lowest_point_or_at_the_first_item_that_mixes(name):
    """At every step of the simplex method: which keys flipped, what enters, and that U is nowhere lower."""
    searched = 0
    for node in on_the_way(begun(setting(name), 1e-6)):
        tables, program, slot = node.tables, node.program, node.slot
        taken = step(node)
        if taken is None:
            break
        column, amount, delta = taken
        own, own_point = slot.base[[WHO, POINT], column]
        y, masks = slot.vectors[Y].copy(), slot.items[MASK]
        mixed, wholes = slot.items[MIXED].copy(), slot.items[WHOLES].copy()
        if own >= 0 and own_point == WHOLE:
            wholes[own] -= 1
        elif own >= 0:
            mixed[own_point] -= 1
        pace, along = twins.directions(program, delta), twins.directions(program, y)
        t, who, vertices, _ = search(node, column, amount, delta)
        searched += 1
        least = twins.lowest_on_line(tables, program, masks, y, delta)
        assert (who < 0) == (t == np.inf)
        if who < 0:
            assert least == -np.inf
            continue
        rounding = 1e-11 * program.size * program.reach
        rounding *= np.linalg.norm(y) + t * np.linalg.norm(delta)
        at_end = along + t * pace
        for i in twins.items_of(program):  # keys are support vertices where it ends; what enters ties with its key
            key = {p: int(slot.items[KEY, p]) for p in twins.points_of(program, i)}
            best = twins.item_support(tables, program, i, masks[i], at_end, program.perturbation)
            for tied in (key, key | vertices) if i == who else (key,):
                assert twins.value_of(tables, program, tied, at_end) >= best - rounding[i]
        slope = -twins.right_hand_side(tables, program, slot) @ delta
        after = slope + sum(
            (tables.vertices[v] - tables.vertices[slot.items[KEY, p]]) @ pace[p] for p, v in vertices.items()
        )
        assert slope < 1e-9 * amount
        assert after > slope
        if not wholes[who] and not mixed[list(vertices)].any():  # it could have flipped: U fell to here and rises now
            assert after >= -1e-9 * amount
            assert twins.upper_bound(tables, program, masks, y + t * delta) <= least + rounding.sum()
    assert searched > 3


@pytest.mark.parametrize("name", ["contacts alone", "gripper", "units"])
def test_single_vertices_flip_on_the_way(name):
    """From a poor start the search passes several breakpoints in one step, and U falls over each."""
    flipped, rng = 0, np.random.default_rng(3)
    for _ in range(5):
        case = setting(name)
        node = begun(case, y=case.random_multipliers(rng))
        for _ in on_the_way(node):
            before = twins.upper_bound(node.tables, node.program, node.slot.items[MASK], node.slot.vectors[Y])
            taken = step(node)
            if taken is None:
                break
            column, amount, delta = taken
            t, who, _, flips = search(node, column, amount, delta)
            y = node.slot.vectors[Y] + t * delta
            assert who >= 0
            assert twins.upper_bound(node.tables, node.program, node.slot.items[MASK], y) <= before * (1.0 + 1e-12)
            flipped += flips
    assert flipped > 3


def test_a_moved_key_takes_the_right_hand_side_along():
    node, rng = begun(setting("units with joints")), np.random.default_rng(4)
    for i in range(node.slot.items.shape[1]):
        vertex = rng.choice(twins.members(node.tables, node.program.shape_of[i], node.slot.items[MASK, i]))
        compiled(set_key, node.tables, node.program, node.slot.items, node.slot.vectors, i, vertex)
        assert node.slot.items[KEY, i] == vertex
        expected = twins.right_hand_side(node.tables, node.program, node.slot)
        np.testing.assert_allclose(node.slot.vectors[RIGHT], expected, atol=1e-9)


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
    state = (slot.items, slot.base, slot.inverse, slot.vectors)
    return compiled(leaving, node.program, *state, work.banned, work.rest)


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
    assert keys > 0 or not name.startswith("gripper")
    assert ends > 3


@pytest.mark.parametrize("name", ALL)
def test_a_swap_of_keys_changes_the_basis_but_not_the_forces(name):
    swapped = 0
    for node in on_the_way(begun(setting(name))):
        tables, program, slot = node.tables, node.program, node.slot
        for column in np.nonzero(slot.base[WHO] >= 0)[0]:
            before, i = copied(slot), int(slot.base[WHO, column])
            points = twins.points_of(program, i)
            if slot.base[POINT, column] == WHOLE and slot.items[MIXED, points].any():
                continue  # vertices at points go with the key that they share a piece with
            forces = twins.forces(tables, program, slot, slot.vectors[X])
            simplex.swap_key(program, slot.items, slot.base, slot.columns, slot.inverse, slot.vectors, column)
            old, new = (twins.vertices_of(program, b, column) for b in (before, slot))
            for p, v in old.items():
                assert slot.items[KEY, p] == v
                assert new[p] == before.items[KEY, p]
            twins.assert_basis(tables, program, slot)
            size = tables.reach[program.shape_of][:, None] * (1.0 + np.abs(slot.vectors[X]).max())
            assert (np.abs(twins.forces(tables, program, slot, slot.vectors[X]) - forces) <= 1e-12 * size).all()
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
        who = int(rng.choice(twins.items_of(program)))
        points = twins.points_of(program, who)
        if len(points) > 1 and rng.random() < 0.5:  # all points in one piece, or one point alone
            piece = rng.choice(twins.pieces_in(tables, program, who, slot.items[MASK, who]))
            point, moving, mask = WHOLE, list(points), 1 << int(piece)
        else:
            point = int(rng.choice(points))
            moving, mask = [point], slot.items[MASK, who]
        work.found[1, : len(moving)] = [rng.choice(twins.members(tables, program.shape_of[p], mask)) for p in moving]
        column, entering = (
            int(rng.integers(1, len(slot.inverse))),
            dict(zip(moving, work.found[1].tolist(), strict=False)),
        )
        edges = {p: tables.vertices[v] - tables.vertices[slot.items[KEY, p]] for p, v in entering.items()}
        solved = slot.inverse @ sum(twins.maps(program)[p] @ edge for p, edge in edges.items())
        before = copied(slot)
        state = (slot.items, slot.base, slot.columns, slot.inverse, slot.vectors)
        ok = compiled(simplex.exchange, tables, program, work, *state, column, np.int64(who), np.int64(point))
        outcomes.add(bool(ok))
        assert ok == (abs(solved[column]) > PIVOT_TOLERANCE * np.abs(solved).max())
        if not ok:
            for array, old in zip(slot, before, strict=True):
                np.testing.assert_array_equal(array, old)
            continue
        assert slot.base[[WHO, POINT], column].tolist() == [who, point]
        assert twins.vertices_of(program, slot, column) == entering
        counts = before.items[[MIXED, WHOLES]].copy()
        for basis, change in ((before, -1), (slot, 1)):
            owner, at = basis.base[[WHO, POINT], column]
            if owner >= 0:
                counts[(1, owner) if at == WHOLE else (0, at)] += change
        np.testing.assert_array_equal(slot.items[[MIXED, WHOLES]], counts)
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


@pytest.mark.parametrize(
    "name", ["contacts alone", "gripper", "rays and rows without a limit", "gripper of units", "units with joints"]
)
def test_steps_without_fresh_inverses_in_between_stay_dual_feasible_too(name):
    """The numbers that a step carries on (multipliers, directions) are those of the basis it arrives at."""
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
        slot = slot_of(workspace.frames, NODE)
        slot.items[MASK] = masks = case.random_masks(rng)
        start(case.tables, program, workspace.frames, workspace.work, NODE, y)
        np.testing.assert_array_equal(slot.vectors[Y], y)
        np.testing.assert_array_equal(slot.items[MASK], masks)
        assert slot.base[WHO].tolist() == [FACTOR] + [ARTIFICIAL] * (len(y) - 1)
        assert not slot.items[[MIXED, WHOLES]].any()
        twins.assert_basis(case.tables, program, slot)


@pytest.mark.parametrize("name", ["contacts alone", "a row without a limit"])
def test_the_first_step_needs_no_fresh_inverse(name):
    """A run that trusts the numbers of the start ends where one that renews them does."""
    case = setting(name)
    ends = []
    for fresh in (KEPT, None):
        node = begun(case)
        start(case.tables, node.program, node.frames, node.workspace.work, NODE, case.guess)
        ends.append(node.run(fresh=KEPT) if fresh == KEPT else node.run())
    assert ends[0][0] == ends[1][0] == OPTIMAL
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-9)


@pytest.mark.parametrize("name", SOLVABLE)
@pytest.mark.parametrize("near", [0.01, 0.3])
def test_a_basis_turned_to_another_load_stays_dual_feasible(name, near):
    node, rng, turned = solved(name, 0.0), np.random.default_rng(2), 0
    case, slot = node.setting, slot_of(node.frames, SCRATCH)
    for _ in range(8):
        compiled(copy_slot, node.frames, NODE, SCRATCH)
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
        compiled(copy_slot, node.frames, NODE, SCRATCH)
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
    assert turn(opposite, node.frames, NODE, COSINE) == -np.inf


def basic_vertices(node: Node, i: int) -> list[dict[int, int]]:
    """Item i's key and what each of its basic columns makes of it: one vertex for each of its points."""
    key = {p: int(node.slot.items[KEY, p]) for p in twins.points_of(node.program, i)}
    own = np.nonzero(node.slot.base[WHO] == i)[0].tolist()
    return [key, *(key | twins.vertices_of(node.program, node.slot, j) for j in own)]


def descend(node: Node, rng: np.random.Generator) -> int:
    """One unit after another loses pieces, as on the way down a search tree; returns how many vertices were lost."""
    tables, program, slot, lost = node.tables, node.program, node.slot, 0
    units = [i for i in twins.items_of(program) if i < node.setting.model.contacts]
    for i in rng.permutation(units):
        mask, points = int(rng.integers(1, node.setting.masks[i] + 1)), twins.points_of(program, i)
        y, before = slot.vectors[Y].copy(), slot.items.copy()
        mixed = basic_vertices(node, i)
        restrict(tables, program, node.frames, node.workspace.work, NODE, int(i), mask)
        lost += sum(not twins.shared_pieces(tables, vertices.values()) & mask for vertices in mixed)
        assert slot.items[MASK, i] == mask
        np.testing.assert_array_equal(slot.vectors[Y], y)
        np.testing.assert_array_equal(np.delete(slot.items, points, axis=1), np.delete(before, points, axis=1))
        for vertices in basic_vertices(node, i):
            assert twins.shared_pieces(tables, vertices.values()) & mask
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
    rng, walks = np.random.default_rng(4), 1 if name.startswith("gripper") else 4
    assert sum(descend(solved(name, perturbation), rng) for _ in range(walks)) > 0


def test_all_pieces_allowed_changes_nothing():
    node = solved("contacts alone", 1e-9)
    kept = [array.copy() for array in node.slot]
    for i, mask in enumerate(node.setting.masks[: node.setting.model.contacts]):
        if node.program.points[i]:
            restrict(node.tables, node.program, node.frames, node.workspace.work, NODE, i, mask)
    node.slot.vectors[X, 0] = kept[4][X, 0]
    for array, before in zip(node.slot, kept, strict=True):
        np.testing.assert_array_equal(array, before)
