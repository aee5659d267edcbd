"""Shared primitives of pictures: facets, faces sorted by depth, arrows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.polytopes import Polytope
from holdfast.plotting import style
from holdfast.plotting.artists import Arrow, add_arrow
from holdfast.plotting.facets import cut_off, facets, growth_direction, neighbours, uncovered, uncovered_segments
from holdfast.plotting.solids import Solids

# -- facets ----------------------------------------------------------------------------------------

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


# -- solids ----------------------------------------------------------------------------------------

UP = np.array([0.0, 0.0, 1.0])
TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_a_face_keeps_its_parts_and_lines_together() -> None:
    solids = Solids()
    solids.add_face([TRIANGLE, TRIANGLE + 1.0], UP, "#0072B2", 0.5, [(TRIANGLE[0], TRIANGLE[1])])
    solids.add_lines([(UP, 2 * UP), (UP, 3 * UP)], "#000000", 0.7)
    assert [(len(f.parts), len(f.lines)) for f in solids.faces] == [(2, 1), (0, 1), (0, 1)]
    assert solids.faces[0].inside[3] == 0.5 and solids.faces[1].border == (0.0, 0.0, 0.0, 0.7)
    assert len(solids.polygons) == 2 and len(solids.lines) == 3
    np.testing.assert_array_equal(solids.faces[1].corners, [UP, 2 * UP])
    assert solids.corners.shape == (3 + 3 + 2 + 2, 3)


def test_everything_goes_on_the_axes_as_one_collection() -> None:
    ax = style.axes(None, "space")
    solids = Solids()
    solids.add_face([TRIANGLE], UP, "#0072B2", 0.5)
    solids.add_lines([(UP, 2 * UP)], "#000000")
    limits = ax.get_xlim()
    solids.draw(ax, gid="all")
    assert [c.get_gid() for c in ax.collections] == ["all"]
    assert ax.get_xlim() == limits


def test_nothing_is_drawn_of_nothing() -> None:
    ax = style.axes(None, "space")
    solids = Solids()
    solids.add_face([], UP, "#0072B2", 0.5)
    solids.draw(ax)
    assert not ax.collections and solids.corners.shape == (0, 3)


# -- depth -----------------------------------------------------------------------------------------

SQUARE = np.array([[0.0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]])
RED, BLUE = "#FF0000", "#0000FF"


def scene(azimuth: float) -> Any:
    """A red square at x = 1 and a blue one at x = -1, seen along x."""
    ax = style.axes(None, "space")
    solids = Solids()
    for x, colour in ((1.0, RED), (-1.0, BLUE)):
        solids.add_face([SQUARE + np.array([x, 0.0, 0.0])], np.array([1.0, 0, 0]), colour, 1.0)
    solids.draw(ax)
    style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, azimuth))
    ax.set_axis_off()
    return ax


@pytest.mark.parametrize(("azimuth", "channel"), [(0.0, 0), (180.0, 2)])
def test_the_nearer_face_hides_the_farther_from_either_side(
    azimuth: float, channel: int, pixels: Callable[[Any], np.ndarray]
) -> None:
    image = pixels(scene(azimuth))
    middle = image[image.shape[0] // 2, image.shape[1] // 2]
    assert middle.argmax() == channel and np.delete(middle, channel).max() < 0.6 * middle[channel]


def test_turning_the_view_puts_the_faces_in_a_new_order(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = scene(0.0)
    pixels(ax)
    ax.view_init(elev=0, azim=180)
    image = pixels(ax)
    assert image[image.shape[0] // 2, image.shape[1] // 2].argmax() == 2


def test_lines_are_drawn_on_their_face_and_hidden_with_it(pixels: Callable[[Any], np.ndarray]) -> None:
    def dark(x: float) -> float:
        """Darkest pixel of a picture with a white square at x = 0 and a smaller, lined one at x."""
        ax = style.axes(None, "space")
        solids = Solids()
        square = 0.5 * SQUARE + np.array([x, 0.0, 0.0])
        solids.add_face([square], np.array([1.0, 0, 0]), "#808080", 1.0, [(square[0], square[2])])
        solids.add_face([1.5 * SQUARE], style.LIGHT, "#FFFFFF", 1.0)
        solids.draw(ax)
        style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, 0))
        ax.set_axis_off()
        return float(pixels(ax).min())

    assert dark(1.0) < 130.0
    assert dark(-1.0) > 240.0


# -- arrows ----------------------------------------------------------------------------------------


def axes():
    ax = style.axes(None, "space")
    style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, 0))  # seen from +x: y to the right, z up
    return ax


def test_an_arrow_goes_where_it_was_sent_in_space_and_on_paper() -> None:
    ax = axes()
    arrow = add_arrow(ax, [0, 0, 0], [0, 0.5, 0.5], "black", width=1.0, head=6.0)
    ax.get_figure().draw_without_rendering()
    np.testing.assert_array_equal(arrow.start, [0, 0, 0])
    np.testing.assert_array_equal(arrow.end, [0, 0.5, 0.5])
    (x0, y0), (x1, y1) = arrow._posA_posB
    assert x1 > x0 and y1 > y0
    assert y1 - y0 == pytest.approx(x1 - x0)


def test_outward_arrows_are_over_bodies_when_they_come_near_and_under_them_when_they_leave() -> None:
    ax = axes()
    near = add_arrow(ax, [0, 0, 0], [1, 0, 0], "black", width=1.0, head=6.0, outward=True)
    away = add_arrow(ax, [0, 0, 0], [-1, 0, 0], "black", width=1.0, head=6.0, outward=True)
    plain = add_arrow(ax, [0, 0, 0], [1, 0, 0], "black", width=1.0, head=6.0)
    ax.get_figure().draw_without_rendering()
    assert near.get_zorder() > style.BODIES > away.get_zorder()
    assert plain.get_zorder() > style.BODIES
    ax.view_init(elev=0, azim=180)  # from the other side
    ax.get_figure().draw_without_rendering()
    assert away.get_zorder() > style.BODIES > near.get_zorder()


def test_a_bad_end_is_refused() -> None:
    with pytest.raises(InputError, match="end"):
        Arrow([0, 0, 0], [0, np.nan, 0])
