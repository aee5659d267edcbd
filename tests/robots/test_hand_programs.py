"""The program over hands: vertices and half-spaces of the same box give the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Grip, OuterGrip
from holdfast.robots.bodies import HandProgram, WrenchRows

LOWER, UPPER = -np.arange(1.0, 7.0), np.array([2.0, 1.0, 3.0, 1.0, 2.0, 0.5])
BOXES = Grip.box(LOWER, UPPER), OuterGrip.box(LOWER, UPPER)


@pytest.mark.parametrize("first", BOXES)
@pytest.mark.parametrize("second", BOXES)
def test_the_largest_load_of_two_boxes_is_found_for_either_form(first, second):
    maps = (np.eye(6), np.diag([1.0, 1.0, 1.0, -1.0, -1.0, -1.0]))
    zero = np.zeros(6)
    program = HandProgram(WrenchRows(maps, zero, zero, 5.0), (first, second))
    load = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    cost = np.append(np.zeros(program.width), -1.0)
    x, _ = program.solve(cost, load[:, None] / 5.0, zero, endless=True)
    assert_allclose(x[-1], 2.0, atol=1e-7)  # -x of both boxes: 1 + 1 newton, y has more
    wrenches = program.wrenches(x)
    assert (wrenches >= LOWER - 1e-7).all()
    assert (wrenches <= UPPER + 1e-7).all()
    assert_allclose(sum(m @ w for m, w in zip(maps, wrenches, strict=True)) + x[-1] * load, 0.0, atol=1e-7)


def test_rows_that_cannot_be_met_have_no_solution_and_rays_no_end():
    zero = np.zeros(6)
    program = HandProgram(WrenchRows((np.eye(6),), zero, zero, 1.0), (Grip.point(np.ones(6)),))
    assert program.solve(np.zeros(1), np.zeros((6, 0)), zero) is None
    cone = Grip(np.zeros((1, 6)), np.array([[-1.0, 0, 0, 0, 0, 0]]))
    endless = HandProgram(WrenchRows((np.eye(6),), zero, zero, 1.0), (cone,))
    x, _ = endless.solve(np.array([0.0, 0.0, -1.0]), np.eye(6)[:, :1], zero, endless=True)
    assert not len(x)
