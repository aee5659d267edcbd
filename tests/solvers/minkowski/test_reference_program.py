"""The reference program: closed forms, proofs of every kind of answer, and its scaling."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski import FullProgram, SumStatus
from holdfast.solvers.minkowski.reference_program import Scaling, palm_positions
from tests.solvers.minkowski.sum_cases import CUBE, LENGTH, Sum, assert_proved, cone, placed, random_maps

HERE = np.eye(6)[None]


def referee(hands: Sum) -> FullProgram:
    program = FullProgram(hands.shapes, hands.shape_of, length=LENGTH)
    program.place(hands.maps)
    return program


def test_a_cube_is_left_at_its_face():
    hands = Sum([(CUBE, None)], [0, 0], np.tile(HERE, (2, 1, 1)))
    direction = np.array([[0.5, 0.1, -0.2, 0.0, 0.3, 0.1]])
    answer = referee(hands).maximise(np.zeros(6), direction, [1.0])
    assert answer.value == pytest.approx(4.0, rel=1e-9)
    assert_proved(hands, np.zeros(6), direction, np.ones(1), answer, off=1e-8)


def test_outside_is_empty_with_a_separating_wrench():
    hands = Sum([(CUBE, None)], [0], random_maps(np.random.default_rng(0), 1))
    wrench = hands.maps[0] @ np.full(6, 1.01)
    answer = referee(hands).maximise(wrench)
    assert answer.status is SumStatus.EMPTY
    assert_proved(hands, wrench, np.zeros((0, 6)), np.zeros(0), answer)


def test_a_cone_is_unbounded_along_its_axis_and_supports_nothing_across():
    hands = Sum([(np.zeros((1, 6)), cone(4))], [0], HERE)
    program = referee(hands)
    answer = program.maximise(np.zeros(6), np.eye(6)[2:3], [1.0])
    assert answer.status is SumStatus.UNBOUNDED and answer.ray[0] > 0.0
    assert program.support(np.array([[0.0, 0.0, -1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])).tolist() == [
        0.0,
        np.inf,
    ]


def test_multipliers_give_the_same_product_in_both_forms():
    rng = np.random.default_rng(0)
    scaling = Scaling(rng.normal(size=3) * 100.0, 0.2, 35.0)
    y, wrench = rng.normal(size=6), rng.normal(size=6)
    assert np.isclose(scaling.multipliers(y) @ wrench, y @ (scaling.to_scaled @ wrench))


def test_a_force_at_the_centre_has_no_torque():
    centre, force = np.array([100.0, -50.0, 3.0]), np.array([1.0, 2.0, 3.0])
    scaled = Scaling(centre, 0.1, 1.0).to_scaled @ np.concatenate([force, np.cross(centre, force)])
    assert np.allclose(scaled[:3], force) and np.abs(scaled[3:]).max() <= 1e-11


def test_palms_are_found_in_their_maps():
    rng = np.random.default_rng(1)
    turns = random_maps(rng, 4)[:, :3, :3]
    positions = rng.normal(size=(4, 3))
    maps = np.array([placed(turn, position) for turn, position in zip(turns, positions, strict=True)])
    assert np.allclose(palm_positions(maps), positions)
