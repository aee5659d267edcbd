"""The turning objective: columns enter in the order of their angles, one look at all of them for each."""

from __future__ import annotations

import numpy as np

from holdfast.solvers.minkowski import SumSolver
from holdfast.solvers.minkowski.shadow import shadow_polygon
from holdfast.solvers.minkowski.turning import build_trace, size_of
from tests.solvers.minkowski.slice_cases import AXES, BASE, random_sum


def test_normals_turn_once_round_counter_clockwise_and_each_takes_one_look() -> None:
    shapes, maps = random_sum(3, 3, 250)
    solver = SumSolver(shapes, [0, 1, 2], length=0.5)
    solver.place(maps)
    found = shadow_polygon(solver, BASE, AXES, size=0.5)
    assert found is not None
    angles = np.arctan2(found.normals[:, 1], found.normals[:, 0])
    turns = np.mod(np.roll(angles, -1) - angles, 2.0 * np.pi)
    assert (turns > 0.0).all() and np.isclose(turns.sum(), 2.0 * np.pi)
    # at most one pass a corner, one a quarter turn, and a few for corners that are none
    assert found.solves <= len(found.vertices) + 8


def test_room_for_a_walk_has_a_row_a_corner() -> None:
    trace = build_trace(5, 2, 8, 30)
    assert trace.z.shape == (5, 2) and trace.wrenches.shape == (5, 2, 6) and trace.scores.shape == (3, 30)
    trace.turns[1, 4] = -7.0
    assert size_of.py_func(trace.turns) == 7.0
