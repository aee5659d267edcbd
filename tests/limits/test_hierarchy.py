from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

import holdfast as hf
from tests.referee import block, dented_unit, random_volume

CUBE = block([-1, -1, -1], [1, 1, 1])
few = settings(max_examples=30)


def excess(a: np.ndarray, b: np.ndarray) -> float:
    """mu(hull(A u B)) - mu(A) - mu(B), by Qhull."""
    return ConvexHull(np.concatenate([a, b])).volume - ConvexHull(a).volume - ConvexHull(b).volume


def merged_in_rounds(pieces: list[np.ndarray]) -> list[tuple[int, ...]]:
    """The groups that III.F.a makes, in order, in the plainest words."""
    level = [((i,), p) for i, p in enumerate(pieces)]
    made = []
    while len(level) > 1:
        waiting, done = list(level), []
        while len(waiting) > 1:
            a, b = min(itertools.combinations(waiting, 2), key=lambda pair: excess(pair[0][1], pair[1][1]))
            waiting = [item for item in waiting if item is not a and item is not b]
            done.append((tuple(sorted(a[0] + b[0])), np.concatenate([a[1], b[1]])))
            made.append(done[-1][0])
        level = done + waiting
    return made


@few
@given(st.integers(0, 100_000), st.integers(1, 7))
def test_pieces_are_merged_by_least_excess_round_by_round(seed, n):
    rng = np.random.default_rng(seed)
    pieces = [rng.normal(size=(8, 3)) + 4 * rng.normal(size=3) for _ in range(n)]
    root = hf.ForceVolume(pieces).hierarchy()
    groups = [node.pieces for node in root.walk() if node.children]
    assert sorted(groups) == sorted(merged_in_rounds(pieces))


@few
@given(st.integers(0, 100_000), st.booleans())
def test_every_node_is_the_hull_of_its_pieces_and_children_part_them(seed, rays):
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, int(rng.integers(1, 6)), rays=rays, offset=True)
    root = volume.hierarchy()
    assert root.pieces == tuple(range(len(volume)))
    directions = rng.normal(size=(20, 3))
    for node in root.walk():
        np.testing.assert_allclose(node.hull.support(directions), volume.support(directions, node.pieces))
        if node.children:
            assert len(node.children) == 2
            assert tuple(sorted(p for child in node.children for p in child.pieces)) == node.pieces
            for child in node.children:
                assert (child.hull.support(directions) <= node.hull.support(directions) + 1e-9).all()
        else:
            assert len(node.pieces) == 1
            assert node.hull is volume.polytopes[node.pieces[0]]
    leaves = [node for node in root.walk() if not node.children]
    assert sorted(leaf.pieces[0] for leaf in leaves) == list(range(len(volume)))


def test_near_neighbours_merge_before_far_ones():
    row = [CUBE, CUBE + np.array([30, 0, 0]), CUBE + np.array([2, 0, 0]), CUBE + np.array([32, 0, 0])]
    root = hf.ForceVolume(row).hierarchy()
    assert {child.pieces for child in root.children} == {(0, 2), (1, 3)}
    assert root.depth == 2


def test_rounds_keep_the_tree_balanced():
    for n in (2, 3, 5, 8, 9):
        root = hf.ForceVolume([CUBE + np.array([3.0 * i, 0, 0]) for i in range(n)]).hierarchy()
        assert root.depth == int(np.ceil(np.log2(n)))
        assert sum(1 for _ in root.walk()) == 2 * n - 1


def test_a_single_piece_is_a_tree_of_one_leaf():
    root = hf.ForceVolume([CUBE]).hierarchy()
    assert root.depth == 0
    assert list(root.walk()) == [root]


def test_parents_come_first_in_a_walk():
    seen: set[tuple[int, ...]] = set()
    root = hf.ForceVolume([CUBE + np.array([3.0 * i, 0, 0]) for i in range(6)]).hierarchy()
    for node in root.walk():
        if node is not root:
            assert any(set(node.pieces) < set(parent) for parent in seen)
        seen.add(node.pieces)


def test_the_root_of_a_dented_unit_fills_the_dent():
    unit = dented_unit()
    root = unit.hierarchy()
    assert root.hull.contains([0, 0, -2])
    assert not any(child.hull.contains([0, 0, -2]) for child in root.children)


def test_unbounded_and_flat_pieces_have_a_hierarchy_too():
    cone = np.array([[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]])
    volume = hf.ForceVolume([[[0, 0, 0]], CUBE, [[0, 0, 0], [0, 0, -3]]], [cone, None, None], allow_flat=True)
    root = volume.hierarchy()
    assert root.pieces == (0, 1, 2)
    assert not root.hull.is_bounded
    assert root.hull.contains([[0, 0, 1e5], [0, 0, -3], [1, 1, -1]]).all()


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_the_unit_of_force_does_not_change_the_tree(factor):
    rng = np.random.default_rng(3)
    volume = random_volume(rng, 5, rays=False, offset=True)
    small, large = volume.hierarchy(), volume.scaled(factor).hierarchy()
    assert [n.pieces for n in small.walk()] == [n.pieces for n in large.walk()]
