"""Differences of convex sets: every point in exactly one piece or in a removed set; balls against their distances."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar.polyhedra import Polyhedron
from holdfast.planar.torques import deepest_ball, difference


def box(low, high, strict=False) -> Polyhedron:
    eye = np.eye(len(low))
    rows, offsets = np.vstack([eye, -eye]), np.concatenate([low, np.negative(high)])
    return Polyhedron(rows, offsets, strict=np.full(len(offsets), strict))


@pytest.mark.parametrize("seed", range(15))
def test_every_point_is_in_one_piece_or_in_a_removed_set(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))
    whole = box(-np.ones(size), np.ones(size))
    removed = []
    for _ in range(int(rng.integers(1, 4))):
        low, high = np.sort(rng.integers(-2, 3, (2, size)) / 2.0, axis=0)
        removed.append(box(low, high, strict=bool(rng.random() < 0.5)))
    removed = [other for other in removed if not other.is_empty]
    pieces = difference(whole, removed)
    points = np.vstack([rng.uniform(-1.2, 1.2, (60, size)), rng.integers(-2, 3, (60, size)) / 2.0])
    taken = np.any([other.contains(points) for other in removed], axis=0) if removed else np.zeros(120, dtype=bool)
    count = np.sum([piece.contains(points) for piece in pieces], axis=0)
    assert (count == (whole.contains(points) & ~taken)).all()


def test_a_point_taken_from_a_segment_leaves_two_open_halves():
    pieces = difference(box([0.0], [1.0]), [Polyhedron(C=[[1.0]], d=[0.25])])
    assert len(pieces) == 2 and sum(bool(piece.contains([0.25])) for piece in pieces) == 0


def test_the_deepest_ball_sits_in_the_widest_gap():
    centre, radius = deepest_ball(box([0.0, 0.0], [10.0, 2.0]), [box([1.5, -1.0], [3.0, 3.0]), box([9.5, -1], [11, 3])])
    assert np.isclose(radius, 1.0) and 3.999 <= centre[0] <= 8.501 and np.isclose(centre[1], 1.0)


def test_a_ball_between_two_half_lines_is_bounded_by_both():
    centre, radius = deepest_ball(Polyhedron(dimension=1), [Polyhedron([[1.0]], [1.0]), Polyhedron([[-1.0]], [1.0])])
    assert np.allclose(centre, 0.0) and np.isclose(radius, 1.0)


def test_what_is_left_in_a_line_of_a_plane_has_no_ball_of_the_plane():
    halves = [Polyhedron([[0.0, sign]], [0.0], strict=[True]) for sign in (1.0, -1.0)]
    centre, radius = deepest_ball(Polyhedron(dimension=2), halves)
    assert radius == 0.0 and centre[1] == 0.0
    assert [piece.dimension for piece in difference(Polyhedron(dimension=2), halves)] == [1]


def test_nothing_left_has_no_ball():
    centre, radius = deepest_ball(box([0.0], [1.0]), [box([-1.0], [2.0])])
    assert radius == -np.inf and np.isnan(centre).all() and difference(box([0.0], [1.0]), [box([-1.0], [2.0])]) == []
