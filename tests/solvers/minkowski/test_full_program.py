"""The referee itself: closed forms, and proofs of every kind of answer."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski import FullProgram, SumStatus
from tests.solvers.minkowski.sum_cases import CUBE, LENGTH, Sum, assert_proved, cone, random_maps

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
