"""Borders, areas and clipping of planar sets."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.postures.region import area_of, clipped_square, pieces_of
from holdfast.solvers.minkowski.polygon import SliceKind

NONE = np.zeros((0, 2))
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def test_distances_to_the_border_of_a_square() -> None:
    pieces = pieces_of(SliceKind.POLYGON, SQUARE, NONE, NONE)
    assert np.allclose(pieces.distance(np.array([[0.5, 0.4], [2.0, 2.0], [-0.3, 0.5]])), [0.4, np.sqrt(2.0), 0.3])


def test_distances_to_thin_and_unbounded_borders() -> None:
    points = np.array([[0.0, 3.0], [5.0, -2.0]])
    segment = pieces_of(SliceKind.SEGMENT, SQUARE[:2], NONE, NONE)
    assert np.allclose(segment.distance(points), [3.0, np.hypot(4.0, 2.0)])
    assert np.allclose(pieces_of(SliceKind.POINT, SQUARE[:1], NONE, NONE).distance(points), np.hypot(*points.T))
    wedge = pieces_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[0.0, 1.0], [1.0, 0.0]]), NONE)
    assert np.allclose(wedge.distance(np.array([[-1.0, 7.0], [9.0, -2.0], [-3.0, -4.0]])), [1.0, 2.0, 5.0])
    line = pieces_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[1.0, 0.0], [-1.0, 0.0]]), NONE)
    assert np.allclose(line.distance(points), [3.0, 2.0])


def test_areas() -> None:
    assert area_of(SliceKind.POLYGON, SQUARE + 100.0, NONE) == pytest.approx(1.0)
    assert area_of(SliceKind.SEGMENT, SQUARE[:2], NONE) == 0.0
    assert area_of(SliceKind.PLANE, SQUARE[:1], NONE) == np.inf
    assert area_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[1.0, 0.0]])) == 0.0  # a half-line
    assert area_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[1.0, 0.0], [-1.0, 0.0]])) == 0.0  # a line
    assert area_of(SliceKind.UNBOUNDED, SQUARE[[0, 2]], np.array([[1.0, 0.0]])) == np.inf


def test_a_square_clipped_by_a_half_plane_keeps_the_other_half() -> None:
    corners = clipped_square(np.array([[1.0, 0.0]]), np.array([0.0]), np.zeros(2), 2.0)
    assert area_of(SliceKind.POLYGON, corners, NONE) == pytest.approx(8.0)
    assert corners[:, 0].max() == 0.0
    assert not len(clipped_square(np.array([[1.0, 0.0]]), np.array([-3.0]), np.zeros(2), 2.0))
