from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import between_pieces, distance_to_outline

SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
DART = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 2.0], [3.0, 6.0]])


def sampled(a, b, count=4001):
    return a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)


def test_distances_from_a_square_are_those_of_its_closed_form():
    points = np.array([[2.0, 2.0], [2.0, -3.0], [7.0, 8.0], [4.0, 4.0], [0.5, 3.0]])
    assert distance_to_outline(points, SQUARE) == pytest.approx([2.0, 3.0, 5.0, 0.0, 0.5], abs=1e-12)
    assert distance_to_outline(points[0], SQUARE) == pytest.approx(2.0)
    assert distance_to_outline(points.reshape(1, 5, 2), SQUARE).shape == (1, 5)


def test_blocks_change_nothing(monkeypatch):
    points = np.random.default_rng(0).normal(size=(50, 2)) * 4.0
    whole = distance_to_outline(points, DART)
    monkeypatch.setattr("holdfast.grasps.polygons.BLOCK", 9)
    np.testing.assert_array_equal(distance_to_outline(points, DART), whole)


def test_the_distance_of_two_pieces_is_that_of_their_nearest_points():
    rng = np.random.default_rng(2)
    pieces = rng.normal(size=(30, 4, 2)) * 3.0
    found = between_pieces(*np.moveaxis(pieces, 1, 0))
    crossing = 0
    for (a, b, c, d), distance in zip(pieces, found, strict=True):
        nearest = distance_to_outline(sampled(a, b), np.array([c, d])).min()
        assert distance == pytest.approx(nearest, abs=3e-3)
        assert distance <= nearest + 1e-12
        crossing += distance == 0.0
    assert 3 <= crossing < 30


def test_a_piece_without_length_is_a_point():
    a = np.array([[3.0, 4.0]])
    zero = np.zeros((1, 2))
    assert between_pieces(a, a, zero, zero)[0] == pytest.approx(5.0)
