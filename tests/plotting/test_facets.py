from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.polytopes import Polytope
from holdfast.plotting.facets import cut_off, facets, growth_direction, neighbours, uncovered, uncovered_segments

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
Area = Callable[[np.ndarray], float]


def edges(faces: list) -> set:
    """Edges by their corners, as unordered pairs."""
    pairs = (zip(f.corners, np.roll(f.corners, -1, axis=0), strict=True) for f in faces)
    return {frozenset((tuple(a), tuple(b))) for face in pairs for a, b in face}


def test_a_cube_has_six_squares_and_twelve_edges_although_its_hull_has_twelve_triangles(area: Area) -> None:
    found = facets(Polytope(CUBE))
    assert [len(f.corners) for f in found] == [4] * 6
    assert [area(f.corners) for f in found] == pytest.approx([4.0] * 6)
    assert len(edges(found)) == 12


@pytest.mark.parametrize("seed", range(4))
def test_facets_close_the_body_outward_and_have_its_area(seed: int, area: Area) -> None:
    points = np.random.default_rng(seed).normal(size=(40, 3)) * [1.0, 10.0, 0.1]
    body = Polytope(points)
    found = facets(body)
    hull = ConvexHull(points)
    assert sum(area(f.corners) for f in found) == pytest.approx(hull.area, rel=1e-9)
    assert len(hull.vertices) - len(edges(found)) + len(found) == 2  # Euler
    for face in found:
        around = np.cross(face.corners[1] - face.corners[0], face.corners[2] - face.corners[1])
        assert around @ face.normal > 0.0
        assert face.normal @ (face.corners.mean(axis=0) - body.centroid) > 0.0


def test_a_flat_set_is_one_polygon_and_a_segment_none(area: Area) -> None:
    square = Polytope([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]])
    assert [area(f.corners) for f in facets(square)] == pytest.approx([1.0])
    assert facets(Polytope([[0, 0, 0], [1, 0, 0]])) == []


def test_a_cone_is_cut_square_to_its_rays_and_left_open(cone: hf.ForceVolume) -> None:
    part, cuts = cut_off(cone.polytopes[0], 3.0)
    np.testing.assert_allclose(growth_direction(cone.polytopes[0]), [0, 0, 1], atol=1e-12)
    assert part.extreme[:, 2].max() == pytest.approx(3.0)
    found = facets(part, cuts)
    assert sum(f.is_cut for f in found) == 1 and len(found) == 5


def test_rays_that_point_all_ways_are_cut_by_a_box() -> None:
    slab = Polytope([[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    part, cuts = cut_off(slab, 2.0)
    assert growth_direction(slab) is None
    np.testing.assert_allclose(part.extreme.min(axis=0), [-2, -2, 0])
    np.testing.assert_allclose(part.extreme.max(axis=0), [2, 2, 1])
    found = facets(part, cuts)
    assert sum(f.is_cut for f in found) == 4 and len(found) == 6  # the slab's own top and bottom are true facets


def test_a_bounded_set_is_cut_only_on_demand_and_only_above() -> None:
    cube = Polytope(CUBE)
    assert cut_off(cube, 0.5)[0] is cube
    part, cuts = cut_off(cube, 0.5, always=True)
    assert part.extreme[:, 2].max() == pytest.approx(0.5) and len(cuts) == 1
    assert cut_off(cube, 5.0, always=True) == (cube, [])
    with pytest.raises(InputError, match="leaves nothing"):
        cut_off(cube, -2.0, always=True)
    with pytest.raises(InputError, match="leaves nothing"):
        cut_off(Polytope([[0, 0, 5.0]], [[0, 0, 1.0]]), 2.0)


def union_area(pieces: list[Polytope], area: Area) -> float:
    return sum(
        area(part)
        for index, piece in enumerate(pieces)
        for face in facets(piece)
        for part in uncovered(face, neighbours(pieces, index))
    )


def test_what_is_drawn_of_a_union_is_its_border_once(area: Area) -> None:
    beside = [Polytope(CUBE), Polytope(CUBE + np.array([1.0, 0.0, 0.0]))]  # common planes: a box 3 x 2 x 2
    assert union_area(beside, area) == pytest.approx(2 * (6 + 6 + 4))
    corner = [Polytope(CUBE), Polytope(CUBE + 1.0)]  # each hides three unit squares of the other
    assert union_area(corner, area) == pytest.approx(48 - 6)
    touching = [
        Polytope(CUBE),
        Polytope(CUBE + np.array([2.0, 0.0, 0.0])),
    ]  # the face between them is inside: 4 x 2 x 2
    assert union_area(touching, area) == pytest.approx(2 * (8 + 8 + 4))
    apart = [Polytope(CUBE), Polytope(CUBE + np.array([5.0, 0.0, 0.0]))]
    assert union_area(apart, area) == pytest.approx(48)
    inside = [Polytope(CUBE), Polytope(0.5 * CUBE)]
    assert union_area(inside, area) == pytest.approx(24)
    same = [Polytope(CUBE), Polytope(CUBE)]
    assert union_area(same, area) == pytest.approx(24)


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_that_stay_lie_on_the_border_of_random_unions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces = [Polytope(rng.normal(size=(14, 3)) + rng.normal(size=3) * 0.7) for _ in range(3)]
    volume = hf.ForceVolume.from_polytopes(pieces)
    seen = 0
    for index, piece in enumerate(pieces):
        for face in facets(piece):
            for part in uncovered(face, neighbours(pieces, index)):
                middle = part.mean(axis=0)
                assert bool(volume.contains(middle, tolerance=1e-6))
                assert not bool(volume.contains(middle + 1e-5 * face.normal, tolerance=0.0))
                seen += 1
    assert seen > 20


def test_edges_of_a_union_stop_where_another_piece_covers_them() -> None:
    pieces = [Polytope(CUBE), Polytope(CUBE + 1.0)]
    lines = uncovered_segments(np.array([-1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0]), neighbours(pieces, 0))
    assert len(lines) == 1
    np.testing.assert_allclose(lines[0], [[-1, 1, 1], [0, 1, 1]], atol=1e-12)


def test_where_pieces_are_cut_off_edges_inside_the_others_are_not_drawn() -> None:
    top = np.array([0.0, 0.0, 1.0])
    pieces = [Polytope(CUBE), Polytope(CUBE + np.array([1.0, 0.5, 0.0]))]  # both cut at z = 1
    edge = (np.array([1.0, -1.0, 1.0]), np.array([1.0, 1.0, 1.0]))  # of the first, partly within the second
    (line,) = uncovered_segments(*edge, neighbours(pieces, 0, [[top], [top]]))
    np.testing.assert_allclose(line, [[1, -1, 1], [1, -0.5, 1]], atol=1e-12)


def test_common_edges_are_drawn_once() -> None:
    pieces = [Polytope(CUBE), Polytope(CUBE + np.array([1.0, 0.0, 0.0]))]
    starts = (np.array([-1.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    ends = (np.array([1.0, 1.0, 1.0]), np.array([2.0, 1.0, 1.0]))
    found = [line for k in range(2) for line in uncovered_segments(starts[k], ends[k], neighbours(pieces, k))]
    assert sum(np.linalg.norm(b - a) for a, b in found) == pytest.approx(3.0)
