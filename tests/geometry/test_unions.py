"""Measures of unions against closed forms and counted points; the hierarchy against plain words of III.F.a."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

import holdfast as hf
from holdfast.geometry.polytopes import Polytope
from holdfast.geometry.unions import UnionMeasure, build_hierarchy
from tests.referee import block, dented_unit, random_volume

CUBE = block([-1, -1, -1], [1, 1, 1])
few = settings(max_examples=30)


# -- the measure ------------------------------------------------------------------------------------


def boxes_union(boxes: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray]:
    """(volume, first moment) of a union of boxes, cell by cell of the grid that their faces span."""
    edges = [np.unique([end[axis] for box in boxes for end in box]) for axis in range(3)]
    volume, moment = 0.0, np.zeros(3)
    for cell in itertools.product(*(itertools.pairwise(e) for e in edges)):
        low, high = np.array(cell).T
        middle = (low + high) / 2
        if any((a <= middle).all() and (middle <= b).all() for a, b in boxes):
            size = float(np.prod(high - low))
            volume += size
            moment += size * middle
    return volume, moment


@few
@given(st.integers(0, 100_000), st.integers(1, 5))
def test_the_union_of_boxes_has_the_measure_of_its_cells(seed, n):
    rng = np.random.default_rng(seed)
    low = rng.uniform(-3, 1, size=(n, 3))
    boxes = list(zip(low, low + rng.uniform(0.5, 4, size=(n, 3)), strict=True))
    volume, moment = boxes_union(boxes)
    found, found_moment = UnionMeasure([Polytope(block(a, b)) for a, b in boxes]).measure(range(n))
    assert found == pytest.approx(volume, rel=1e-9)
    np.testing.assert_allclose(found_moment, moment, atol=1e-8 * max(1.0, np.abs(moment).max()))


def test_the_centroid_of_overlapping_bodies_is_that_of_random_points_in_them():
    rng = np.random.default_rng(4)
    bodies = [rng.normal(size=(12, 3)) + 0.7 * rng.normal(size=3) for _ in range(4)]
    hulls = [ConvexHull(body).equations for body in bodies]
    points = rng.uniform(-5, 5, size=(400_000, 3))
    inside = np.any([(points @ h[:, :3].T + h[:, 3] <= 0).all(axis=1) for h in hulls], axis=0)
    measure = UnionMeasure([Polytope(body) for body in bodies])
    assert measure.measure(range(4))[0] == pytest.approx(1000 * inside.mean(), rel=0.02)
    np.testing.assert_allclose(measure.centroid(range(4)), points[inside].mean(axis=0), atol=0.05)


def test_any_choice_of_pieces_in_any_order_can_be_measured():
    cube = block([0, 0, 0], [1, 1, 1])
    measure = UnionMeasure([Polytope(cube + np.array([x, 0, 0])) for x in (0.0, 0.5, 5.0, 0.0)])
    assert measure.measure([0])[0] == pytest.approx(1.0)
    assert measure.measure([1, 0])[0] == pytest.approx(1.5)
    assert measure.measure([2, 0])[0] == pytest.approx(2.0)
    assert measure.measure([0, 3, 0])[0] == pytest.approx(1.0)
    np.testing.assert_allclose(measure.centroid([0, 1, 3]), [0.75, 0.5, 0.5])


def test_flat_pieces_add_no_volume_and_alone_have_the_mean_of_their_centroids():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    measure = UnionMeasure([Polytope(square), Polytope([[4.0, 0, 0]]), Polytope(block([0, 0, 0], [2, 2, 2]))])
    assert measure.measure([0, 2])[0] == pytest.approx(8.0)
    np.testing.assert_allclose(measure.centroid([0, 2]), [1, 1, 1])
    assert measure.measure([0, 1])[0] == 0.0
    np.testing.assert_allclose(measure.centroid([0, 1]), [2.25, 0.25, 0])


def test_bodies_that_only_touch_share_nothing():
    cube = block([0, 0, 0], [1, 1, 1])
    measure = UnionMeasure([Polytope(cube), Polytope(cube + np.array([1.0, 0, 0]))])
    assert measure.measure([0, 1])[0] == pytest.approx(2.0)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_measures_follow_the_unit_of_length(unit):
    a, b = block([0, 0, 0], [2, 1, 1]), block([1, -1, 0], [3, 1, 1])
    measure = UnionMeasure([Polytope(a * unit), Polytope(b * unit)])
    assert measure.measure([0, 1])[0] == pytest.approx(5.0 * unit**3)
    np.testing.assert_allclose(measure.centroid([0, 1]), np.array([1.7, 0.1, 0.5]) * unit)


def test_very_thin_overlaps_are_measured_too():
    measure = UnionMeasure([Polytope(block([0, 0, 0], [1, 1, 1])), Polytope(block([1 - 1e-5, 0, 0], [2, 1, 1]))])
    assert measure.measure([0, 1])[0] == pytest.approx(2.0, rel=1e-9)


def test_unbounded_pieces_have_a_centre_on_the_side_they_open_to():
    cone = Polytope([[0.0, 0, 0]], [[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1.0]])
    assert UnionMeasure([cone, Polytope(block([-1, -1, -1], [1, 1, 1]))]).centroid([0, 1])[2] > 0.5


def test_the_hierarchy_of_polytopes_is_that_of_their_volume():
    cube = block([-1, -1, -1], [1, 1, 1])
    root = build_hierarchy([Polytope(cube + np.array([x, 0, 0])) for x in (0.0, 30.0, 2.0, 32.0)])
    assert [node.pieces for node in root.walk()] == [(0, 1, 2, 3), (0, 2), (0,), (2,), (1, 3), (1,), (3,)]


# -- the hierarchy ----------------------------------------------------------------------------------


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
