"""What the paper's search asks of a hierarchy, against distances and centroids found otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.paper.programs import MOST_OVERLAPPING, ShapeTree, mask_of, shape_tree
from tests.referee import block, dented_unit, distance_to_piece, random_volume

CUBE = block([-1, -1, -1], [1, 1, 1])


def test_masks_of_children_part_the_mask_of_their_parent():
    tree = ShapeTree(random_volume(np.random.default_rng(0), 5, rays=False, offset=True).polytopes)
    assert mask_of(tree.root) == 0b11111
    for node in tree.root.walk():
        if node.children:
            first, second = map(mask_of, node.children)
            assert first & second == 0
            assert first | second == mask_of(node)


@pytest.mark.parametrize("seed", range(6))
def test_forces_are_located_in_the_piece_that_holds_them_or_in_none(seed):
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, 4, rays=seed % 2 == 1, offset=True)
    tree = ShapeTree(volume.polytopes)
    forces = rng.normal(size=(60, 3)) * 5
    for force, piece in zip(forces, tree.locate(forces), strict=True):
        distances = [distance_to_piece(force, v, r) for v, r in zip(volume.pieces, volume.rays, strict=True)]
        assert tree.distance(force) == pytest.approx(min(distances), abs=1e-7)
        if piece >= 0:
            assert distances[piece] <= 1e-5
        else:
            assert min(distances) > 1e-7


def test_the_half_spaces_of_a_node_hold_its_pieces_and_no_more():
    unit = dented_unit()
    tree = ShapeTree(unit.polytopes)
    for node in tree.root.walk():
        h = tree.halfspaces(node)
        corners = np.concatenate([unit.pieces[j] for j in node.pieces])
        assert (corners @ h.normals.T <= h.offsets + 1e-9).all()
        np.testing.assert_allclose((corners @ h.normals.T).max(axis=0), h.offsets, atol=1e-9)
        assert h.axes.shape == (0, 3)


def test_a_flat_piece_has_planes_to_lie_in_instead_of_facets_on_both_sides():
    segment = hf.ForceVolume([[[0, 0, 0], [0, 0, 5.0]]], allow_flat=True)
    h = (tree := ShapeTree(segment.polytopes)).halfspaces(tree.root)
    assert h.axes.shape == (2, 3)
    np.testing.assert_allclose(h.axes[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(h.levels, 0.0, atol=1e-12)
    np.testing.assert_allclose(sorted(h.normals[:, 2] * h.offsets), [0.0, 5.0], atol=1e-12)


def test_the_centroid_of_a_node_is_that_of_the_union_of_its_pieces_not_of_its_hull():
    pieces = [CUBE, CUBE + np.array([1.0, 0, 0]), CUBE + np.array([20.0, 0, 0])]
    tree = ShapeTree(hf.ForceVolume(pieces).polytopes)
    near = next(node for node in tree.root.walk() if node.pieces == (0, 1))
    np.testing.assert_allclose(tree.centroid(near), [0.5, 0, 0], atol=1e-9)
    np.testing.assert_allclose(tree.centroid(tree.root), [(12 * 0.5 + 8 * 20) / 20, 0, 0], atol=1e-9)


def test_many_pieces_still_have_a_centroid():
    n = MOST_OVERLAPPING + 3
    tree = ShapeTree(hf.ForceVolume([CUBE + np.array([3.0 * i, 0, 0]) for i in range(n)]).polytopes)
    np.testing.assert_allclose(tree.centroid(tree.root), [1.5 * (n - 1), 0, 0], atol=1e-9)
    points = [np.array([[float(i), 0, 0]]) for i in range(n)]
    tree = ShapeTree(hf.ForceVolume(points, allow_flat=True).polytopes)
    np.testing.assert_allclose(tree.centroid(tree.root), [0.5 * (n - 1), 0, 0], atol=1e-9)


def test_leaves_are_found_by_their_piece():
    tree = ShapeTree(dented_unit().polytopes)
    for j, piece in enumerate(tree.pieces):
        assert tree.leaf(j).hull is piece
        assert tree.leaf(j).children == ()


def test_a_volume_met_again_has_the_hierarchy_it_had():
    unit = dented_unit()
    assert shape_tree(unit.polytopes) is shape_tree(unit.polytopes)
    assert shape_tree(dented_unit().polytopes) is not shape_tree(unit.polytopes)
