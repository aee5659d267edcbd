"""Breakpoints of support functions along a line, against all vertices and all their crossings."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact.simplex import (
    KEY,
    MASK,
    MIXED,
    RIGHT,
    WHO,
    X,
    Y,
    leaving,
    line_search,
    move_key,
    next_vertex,
    swap_key,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, SMALL, Node, begun, compiled, on_the_way, setting


def first_overtaking(node: Node, i: int, pace: np.ndarray, cap: float) -> tuple[float, int, float]:
    """(t, vertex, radius) of the compiled kernel along `pace` (3 n,)."""
    slot, sizes = node.slot, (np.linalg.norm(node.slot.vectors[Y]), np.linalg.norm(pace))
    return compiled(
        next_vertex, node.tables, node.program, slot.items, slot.base, i, slot.along, pace, cap, *map(float, sizes)
    )


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("perturbation", [0.0, 1e-2])
def test_the_next_vertex_is_the_first_of_all_to_overtake_the_key(name, perturbation):
    node, rng = begun(setting(name), perturbation), np.random.default_rng(1)
    overtaken = 0
    for _ in range(40):
        pace = rng.normal(size=len(node.slot.along)) * np.abs(node.slot.along).max()
        for i, (g, q) in enumerate(zip(node.slot.along.reshape(-1, 3), pace.reshape(-1, 3), strict=True)):
            times = twins.overtakings(node.tables, node.program, node.slot, i, g, q)
            t, vertex, _ = first_overtaking(node, i, pace, np.inf)
            first = min(times.values(), default=np.inf)
            assert t == pytest.approx(first, rel=1e-9, abs=1e-12)
            assert (vertex < 0) == (not times)
            if times:
                assert times[vertex] == pytest.approx(first, rel=1e-9, abs=1e-12)
                overtaken += 1
    assert overtaken > 40


@pytest.mark.parametrize("name", ALL)
def test_before_the_cap_nothing_or_the_same_vertex_overtakes(name):
    """Where nothing does, the key leads at the cap, by the radius that comes with the answer."""
    node, rng = begun(setting(name)), np.random.default_rng(2)
    for _ in range(40):
        pace = rng.normal(size=len(node.slot.along)) * np.abs(node.slot.along).max()
        for i, (g, q) in enumerate(zip(node.slot.along.reshape(-1, 3), pace.reshape(-1, 3), strict=True)):
            first = min(twins.overtakings(node.tables, node.program, node.slot, i, g, q).values(), default=np.inf)
            if not 1e-4 < first < np.inf:  # sooner is rounding, next to rays that are cut off far away
                continue
            assert first_overtaking(node, i, pace, 1.001 * first)[0] == pytest.approx(first, rel=1e-9)
            cap = 0.9 * first
            t, vertex, radius = first_overtaking(node, i, pace, cap)
            assert (t, vertex) == (cap, -1)
            shape, mask, key = node.program.shape_of[i], node.slot.items[MASK, i], int(node.slot.items[KEY, i])
            safe = twins.safe_radius(node.tables, shape, mask, g + cap * q, node.program.perturbation, key)
            assert 0.0 <= radius <= safe * (1.0 + 1e-9)


def step(node: Node) -> tuple[int, float, np.ndarray, int] | None:
    """(column, violation, step of y, item that owns the column) as the simplex method takes it; None at its end."""
    slot, work, m = node.slot, node.workspace.work, len(node.slot.inverse)
    work.banned[:] = 0
    column, amount = compiled(leaving, node.program, slot.base, slot.inverse, slot.vectors, work.banned, work.rest)
    if column < 0:
        return None
    if column >= m:  # a key leaves: its heaviest vertex becomes the key, and the old key leaves as a column
        own = np.nonzero(slot.base[WHO] == column - m)[0]
        item, column = int(column - m), int(own[slot.vectors[X, own].argmax()])
        swap_key(slot.items, slot.base, slot.columns, slot.inverse, slot.vectors, item, column)
    delta = slot.inverse[column] * (1.0 if slot.vectors[X, column] > 0.0 else -1.0)
    node.workspace.work.delta[:] = delta
    node.workspace.work.pace[:] = twins.directions(node.program, delta).ravel()
    return column, amount, delta, int(slot.base[WHO, column])


def search(node: Node, amount: float, delta: np.ndarray, own: int) -> tuple[float, int, int, int]:
    """(t, item, vertex, flips) of the compiled kernel."""
    slot, sizes = node.slot, (float(np.linalg.norm(node.slot.vectors[Y])), float(np.linalg.norm(delta)))
    state = (slot.items, slot.base, slot.vectors, slot.radius, slot.along, np.int64(own), amount)
    return compiled(line_search, node.tables, node.program, node.workspace.work, *state, *sizes)


@pytest.mark.parametrize("name", SMALL)
def test_a_search_ends_at_the_lowest_point_or_at_the_first_item_that_mixes(name):
    """At every step of the simplex method: which keys flipped, what enters, and that U is nowhere lower."""
    searched = 0
    for node in on_the_way(begun(setting(name), 1e-6)):
        tables, program, slot = node.tables, node.program, node.slot
        taken = step(node)
        if taken is None:
            break
        _, amount, delta, own = taken
        y, masks = slot.vectors[Y].copy(), slot.items[MASK]
        mixed = [i for i, count in enumerate(slot.items[MIXED]) if count - (i == own) > 0]
        pace, along = twins.directions(program, delta), twins.directions(program, y)
        t, who, vertex, _ = search(node, amount, delta, own)
        searched += 1
        least = twins.lowest_on_line(tables, program, masks, y, delta)
        assert (who < 0) == (t == np.inf)
        if who < 0:
            assert least == -np.inf
            continue
        rounding = 1e-11 * program.size * tables.reach[program.shape_of]
        rounding *= np.linalg.norm(y) + t * np.linalg.norm(delta)
        for i, g in enumerate(
            along + t * pace
        ):  # keys are support vertices where it ends; what enters ties with its key
            vertices, values = twins.heights(tables, program.shape_of[i], masks[i], g, program.perturbation)
            for tied in (slot.items[KEY, i], vertex) if i == who else (slot.items[KEY, i],):
                assert values[vertices == tied][0] >= values.max() - rounding[i]
        slope = -twins.right_hand_side(tables, program, slot) @ delta
        after = slope + (tables.vertices[vertex] - tables.vertices[slot.items[KEY, who]]) @ pace[who]
        assert slope < 1e-9 * amount
        assert after > slope
        if who not in mixed:  # U fell to here and rises from here
            assert after >= -1e-9 * amount
            assert twins.upper_bound(tables, program, masks, y + t * delta) <= least + rounding.sum()
    assert searched > 3


@pytest.mark.parametrize("name", ["contacts alone", "gripper"])
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
            _, amount, delta, own = taken
            t, who, _, flips = search(node, amount, delta, own)
            y = node.slot.vectors[Y] + t * delta
            assert who >= 0
            assert twins.upper_bound(node.tables, node.program, node.slot.items[MASK], y) <= before * (1.0 + 1e-12)
            flipped += flips
    assert flipped > 3


def test_a_moved_key_takes_the_right_hand_side_along():
    node, rng = begun(setting("a row without a limit")), np.random.default_rng(4)
    for i in range(node.slot.items.shape[1]):
        vertex = rng.choice(twins.members(node.tables, node.program.shape_of[i], node.slot.items[MASK, i]))
        compiled(move_key, node.tables, node.program, node.slot.items, node.slot.vectors, i, vertex)
        assert node.slot.items[KEY, i] == vertex
        expected = twins.right_hand_side(node.tables, node.program, node.slot)
        np.testing.assert_allclose(node.slot.vectors[RIGHT], expected, atol=1e-9)
