"""Screw motions: displacements of twists, and small motions in words."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.geometry.frames import skew
from holdfast.geometry.screws import direction_description, displacement, motion_description


def test_a_screw_is_the_exponential_of_its_twist():
    from scipy.linalg import expm

    rng = np.random.default_rng(2)
    for size in (1.0, 1e-3, 1e-8, 0.0):
        twist = rng.normal(size=6) * [1, 1, 1, size, size, size]
        matrix = np.zeros((4, 4))
        matrix[:3, :3], matrix[:3, 3] = skew(twist[3:]), twist[:3]
        expected = expm(matrix)
        found = displacement(twist)
        np.testing.assert_allclose(found.rotation, expected[:3, :3], atol=1e-12)
        np.testing.assert_allclose(found.translation, expected[:3, 3], atol=1e-12)


@pytest.mark.parametrize(
    ("vector", "words"), [((0, 0, -2), "-z"), ((0.5, 0, 0), "+x"), ((1, 1, 0), "(0.71, 0.71, 0.00)")]
)
def test_directions_near_an_axis_are_named_after_it(vector, words):
    assert direction_description(np.array(vector, dtype=float)) == words


@pytest.mark.parametrize(
    ("velocity", "angular", "words"),
    [
        ((0, 0, 0), (0, 0, 0), "does not move"),
        ((0, 0, -1), (0, 0, 0), "moves along -z"),
        ((0, 0, 0), (0, 1, 0), "turns about +y through (0, 0, 0) m"),
        ((0, 0, -1), (0, 10, 0), "turns about +y through (-0.1, 0, 0) m"),
        ((0, 0, 1), (0, 0, 2), "turns about +z through (0, 0, 0) m and moves along +z"),
        ((0, 0, -1), (0, 1e-3, 0), "moves along -z"),
    ],
)
def test_a_motion_is_a_translation_a_rotation_or_a_screw(velocity, angular, words):
    given = np.array(velocity, dtype=float), np.array(angular, dtype=float)
    assert motion_description(*given, np.zeros(3), 0.1) == words
