"""Borders of slices: what is no corner goes, and edges stay with their corners."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.solvers.minkowski.polygon import Border, SliceKind, bounded_kind, empty_slice, ray_slope, tidied

SQUARE = np.array([[0, 0], [0.5, 0], [1, 0], [1, 0], [1, 1], [0.5, 1], [0.25, 1], [0, 1], [0, 0.5]], float)


def closed_border(corners: Array) -> Border:
    steps = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*steps.T)
    normals = np.column_stack([steps[:, 1], -steps[:, 0]]) / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    normals[lengths == 0.0] = [0.6, 0.8]  # an edge without length may have any normal
    offsets = np.einsum("ij,ij->i", normals, corners)
    return Border(corners, normals, offsets, np.zeros((len(corners), 6)), list(range(len(corners))))


@pytest.mark.parametrize("shift", range(len(SQUARE)))
def test_repeated_and_straight_corners_go_wherever_the_list_starts(shift: int) -> None:
    border = tidied(closed_border(np.roll(SQUARE, shift, axis=0)), 1.0)
    assert {tuple(c) for c in border.corners.tolist()} == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}
    ends = np.roll(border.corners, -1, axis=0)
    assert np.allclose(np.einsum("ij,ij->i", border.normals, border.corners), border.offsets)
    assert np.allclose(np.einsum("ij,ij->i", border.normals, ends), border.offsets)
    assert np.allclose(np.roll(SQUARE, shift, axis=0)[border.proofs], border.corners)


def test_corners_on_unbounded_edges_go_too() -> None:
    corners = np.array([[-2.0, 2.0], [-1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.5, 0.25], [1.0, 0.5], [1.0, 3.0]])
    first, last = np.array([-1.0, 1.0]) / np.sqrt(2.0), np.array([0.0, 1.0])
    steps = np.diff(corners, axis=0)
    lengths = np.hypot(*steps.T)
    inner = np.column_stack([steps[:, 1], -steps[:, 0]]) / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    inner[lengths == 0.0] = [0.0, -1.0]
    normals = np.concatenate([[[-first[1], first[0]]], inner, [[last[1], -last[0]]]])
    touched = np.concatenate([corners[:1], corners])
    offsets = np.einsum("ij,ij->i", normals, touched)
    border = tidied(Border(corners, normals, offsets, np.zeros((8, 6)), list(range(7)), np.array([first, last])), 1.0)
    assert border.corners.tolist() == [[0.0, 0.0], [1.0, 0.5]]
    assert np.allclose(border.normals, [-np.array([1.0, 1.0]) / np.sqrt(2.0), [1 / 5**0.5, -2 / 5**0.5], [1.0, 0.0]])
    assert np.allclose(border.offsets, [0.0, 0.0, 1.0])


def test_kinds_of_bounded_slices_are_told_by_their_extents() -> None:
    assert bounded_kind(np.array([[0.3, 0.2], [0.3, 0.2 + 1e-10]]), 1.0)[0] is SliceKind.POINT
    kind, way = bounded_kind(np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5 + 1e-10]]), 1.0)
    assert kind is SliceKind.SEGMENT and np.allclose(np.abs(way), np.sqrt(0.5))
    assert bounded_kind(np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5 + 1e-8]]), 1.0)[0] is SliceKind.POLYGON


def test_a_ray_that_is_level_but_for_rounding_does_not_climb() -> None:
    assert not ray_slope(np.array([0.0, 1.0]), np.array([5.0, 1e-12]))
    assert ray_slope(np.array([0.0, 1.0]), np.array([5.0, 1e-6]))


def test_an_empty_slice_has_its_separator_and_nothing_else() -> None:
    nothing = empty_slice(np.ones(6), 3, 1.0)
    assert nothing.kind == "empty" and not len(nothing.vertices) and not len(nothing.normals)
    assert nothing.separator is not None and nothing.solves == 3
