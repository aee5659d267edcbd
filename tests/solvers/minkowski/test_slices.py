"""Slices: borders keep their edges, and refinement gives the polygon of all sums of vertices, with proofs."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.errors import SolverError
from holdfast.geometry.frames import frame_from_normal, wrench_transport
from holdfast.solvers.minkowski import FullProgram, SumOptimum, SumStatus
from holdfast.solvers.minkowski.slices import (
    SliceBorder,
    SliceKind,
    SumPolygon,
    bounded_kind,
    empty_slice,
    ray_slope,
    refined,
    tidied,
)
from tests.postures.known_regions import same_polygon
from tests.solvers.minkowski.slice_cases import AXES, BASE, cone_sum, projected, random_sum

SQUARE = np.array([[0, 0], [0.5, 0], [1, 0], [1, 0], [1, 1], [0.5, 1], [0.25, 1], [0, 1], [0, 0.5]], float)


def closed_border(corners: Array) -> SliceBorder:
    steps = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*steps.T)
    normals = np.column_stack([steps[:, 1], -steps[:, 0]]) / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    normals[lengths == 0.0] = [0.6, 0.8]  # an edge without length may have any normal
    offsets = np.einsum("ij,ij->i", normals, corners)
    return SliceBorder(corners, normals, offsets, np.zeros((len(corners), 6)), list(range(len(corners))))


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
    border = tidied(
        SliceBorder(corners, normals, offsets, np.zeros((8, 6)), list(range(7)), np.array([first, last])), 1.0
    )
    assert border.corners.tolist() == [[0.0, 0.0], [1.0, 0.5]]
    assert np.allclose(border.normals, [-np.array([1.0, 1.0]) / np.sqrt(2.0), [1 / 5**0.5, -2 / 5**0.5], [1.0, 0.0]])
    assert np.allclose(border.offsets, [0.0, 0.0, 1.0])


def test_kinds_of_bounded_slices_follow_from_their_extents() -> None:
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


def referee(shapes: list, maps: Array) -> FullProgram:
    shape_of = [0] * len(maps) if len(shapes) == 1 else list(range(len(shapes)))
    program = FullProgram(shapes, shape_of, length=0.5)
    program.place(maps)
    return program


def feet(points: list[list[float]], normals: list[list[float]], mu: float = 0.5) -> SumPolygon:
    shapes, _ = cone_sum(0, 1, sides=8)
    shapes = [(shapes[0][0], shapes[0][1] * np.array([mu / 0.5, mu / 0.5, 1, 1, 1, 1]))]
    maps = np.array([wrench_transport(frame_from_normal(n), p) for n, p in zip(normals, points, strict=True)])
    return refined(referee(shapes, maps), BASE, AXES, size=0.5)


@pytest.mark.parametrize("seed", range(4))
def test_polygons_are_those_of_the_hull_of_all_sums(seed: int) -> None:
    shapes, maps = random_sum(seed, 2, 9)
    found = refined(referee(shapes, maps), BASE, AXES, size=0.5)
    assert found.kind == "polygon"
    assert same_polygon(found.vertices, projected(shapes, maps), found.size)


def test_half_planes_are_proven_by_the_support_function_alone() -> None:
    shapes, maps = random_sum(7, 3, 12)
    found = refined(referee(shapes, maps), BASE, AXES, size=0.5)
    local = np.einsum("em,kmi->eki", found.multipliers, maps)
    support = sum((local[:, j] @ shapes[j][0].T).max(axis=1) for j in range(3))
    assert np.allclose(found.multipliers @ AXES.T, found.normals, atol=1e-9)
    assert np.allclose(support - found.multipliers @ BASE, found.offsets, atol=1e-9)
    given = np.einsum("kmi,nki->nm", maps, found.wrenches)
    assert np.allclose(given, BASE + found.vertices @ AXES, atol=1e-6)


def test_opposite_walls_leave_a_line_and_four_of_them_everything() -> None:
    walls = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    line = feet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], walls)
    assert line.kind == "unbounded" and len(line.vertices) == 1
    assert np.allclose(np.abs(line.rays), [[1.0, 0.0], [1.0, 0.0]]) and np.allclose(line.rays.sum(axis=0), 0.0)
    whole = feet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], walls * 2)
    assert whole.kind == "plane" and not len(whole.normals)
    # non-negative weights of the rays reach every direction
    for angle in np.linspace(0.0, 6.0, 7):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert (whole.rays @ way).max() > 0.1


def test_a_smooth_ceiling_holds_nothing_and_a_multiplier_says_so() -> None:
    found = feet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, -1.0]] * 2)
    assert found.kind == "empty" and found.separator is not None
    assert np.allclose(AXES @ found.separator, 0.0, atol=1e-9 * np.abs(found.separator).max())
    assert found.separator @ BASE > 0.0


class Planar:
    """A planar set conv(points) + cone(rays) given directly: what the refinement must give back."""

    def __init__(self, points: list[list[float]], rays: list[list[float]]) -> None:
        self.points, self.rays = np.array(points, float), np.array(rays, float).reshape(-1, 2)

    def maximise(self, base: Array, axes: Array, objective: Array) -> SumOptimum:
        del base, axes
        best = self.points[int((self.points @ objective).argmax())]
        value, none = float(best @ objective), np.zeros((0, 6))
        slopes = self.rays @ objective
        if len(slopes) and slopes.max() > 1e-12:
            ray = self.rays[int(slopes.argmax())]
            return SumOptimum(SumStatus.UNBOUNDED, best, value, np.inf, (), none, np.zeros(6), ray)
        return SumOptimum(SumStatus.OPTIMAL, best, value, value, (), none, np.zeros(6), np.zeros(2))


@pytest.mark.parametrize(
    ("points", "rays", "corners", "kept"),
    [
        ([[0, 0], [1, 0], [0, 1], [0.2, 0.2]], [], 3, 0),
        ([[0, 0], [2, 1], [1, 0.5]], [], 2, 0),
        ([[0.3, -2.0]], [], 1, 0),
        ([[0, 0]], [[1, 0]], 1, 1),  # a half-line
        ([[0, 0], [0, 1]], [[1, 0]], 2, 1),  # half a strip
        ([[0, 0], [-1, 0.5]], [[1, 0], [1, 1]], 2, 2),  # a wedge
        ([[0, 0], [0.5, 0.1]], [[1, 0], [1, 1], [0.9, 0.2]], 1, 2),
        ([[0, 0], [0.3, 1]], [[1, 0], [-1, 0]], 2, 2),  # a strip
        ([[0, 0], [0.3, 0]], [[1, 0], [-1, 0]], 1, 2),  # a line
        ([[0, 0], [0.3, 1]], [[1, 0], [-1, 0], [0.3, 1]], 1, 3),  # a half-plane
        ([[0, 0]], [[1, 0], [-1, 1], [-1, -1]], 1, 3),  # the plane
    ],
)
def test_every_kind_of_planar_set_comes_back(
    points: list[list[float]], rays: list[list[float]], corners: int, kept: int
) -> None:
    given = Planar(points, rays)
    found = refined(given, np.zeros(6), np.zeros((2, 6)), size=1.0)
    assert (len(found.vertices), len(found.rays)) == (corners, kept)
    for angle in np.linspace(0.0, 2.0 * np.pi, 73) + 0.01:
        way = np.array([np.cos(angle), np.sin(angle)])
        unbounded = any(way @ r > 1e-9 for r in given.rays)
        assert unbounded == any(way @ r > 1e-9 for r in found.rays)
        if not unbounded:
            assert (found.vertices @ way).max() == pytest.approx((given.points @ way).max(), abs=1e-12)
    assert (found.normals @ given.points.T <= found.offsets[:, None] + 1e-12).all()
    assert (found.normals @ given.rays.T <= 1e-9).all()


def test_a_program_that_is_not_decided_is_an_error() -> None:
    class Undecided(Planar):
        def maximise(self, base: Array, axes: Array, objective: Array) -> SumOptimum:
            found = super().maximise(base, axes, objective)
            return SumOptimum(SumStatus.UNDECIDED, found.z, 0.0, 1.0, (), found.wrenches, found.multipliers, found.ray)

    with pytest.raises(SolverError, match="undecided"):
        refined(Undecided([[0.0, 0.0]], []), np.zeros(6), np.zeros((2, 6)), size=1.0)
