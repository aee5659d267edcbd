"""Marks, and views that show them."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.web import marks
from holdfast.web.marks import (
    ASPECT,
    FIELD,
    Arrows,
    Dots,
    Drawing,
    Lines,
    Surface,
    Word,
    colour,
    filled,
    quaternions,
    rotations,
    triangles,
    turn_lines,
    upright,
)

# -- marks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("towards", [(0.0, 1.0, 0.0), (-0.35, 1.0, -0.38), (0.8, 0.62, -0.35)])
@pytest.mark.parametrize("shape", [(3.0, 0.1, 0.2), (0.1, 0.1, 4.0), (1.0, 2.0, 1.0)])
def test_a_framed_view_shows_every_point(
    towards: tuple[float, float, float], shape: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (60, 3)) * shape + np.array([5.0, -2.0, 1.0])
    view = marks.framed(points, towards)
    place, target = np.array(view.position), np.array(view.look_at)
    forward = (target - place) / np.linalg.norm(target - place)
    assert np.allclose(forward, np.array(towards) / np.linalg.norm(towards))
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    depth = (points - place) @ forward
    assert (depth > 0.0).all()
    across = (points - place) @ right / (depth * np.tan(0.5 * FIELD) * ASPECT)  # -1 to 1 over the window
    height = (points - place) @ up / (depth * np.tan(0.5 * FIELD))
    assert across.min() >= -1.0 and across.max() <= 1.0
    assert np.abs(height).max() <= 1.0


def test_a_view_of_nothing_looks_at_the_origins_surroundings() -> None:
    view = marks.framed(np.zeros((0, 3)))
    assert np.isfinite([*view.position, *view.look_at]).all()


def test_a_plane_stands_upright_and_depth_comes_towards_the_reader() -> None:
    assert np.allclose(marks.upright(np.array([[2.0, 3.0]]), 0.5), [[2.0, -0.5, 3.0]])


def test_rings_close_and_joined_lines_do_not() -> None:
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]])
    assert marks.ring(square).shape == (4, 2, 3) and np.allclose(marks.ring(square)[-1, 1], square[0])
    assert marks.joined(square).shape == (3, 2, 3) and np.allclose(marks.joined(square)[-1, 1], square[-1])


def test_a_fan_covers_a_convex_polygon() -> None:
    turns = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    corners = np.column_stack([np.cos(turns), np.sin(turns)])
    faces = marks.fan(8)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    areas = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert np.isclose(areas.sum(), 8 * 0.5 * np.sin(np.pi / 4.0))
    assert marks.fan(2).shape == (0, 3)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.0312, "0.0312"), (1030.4, "1030"), (605000.0, "6.05e5"), (-2e-7, "-2.00e-7"), (99.96, "100")],
)
def test_numbers_are_written_short(value: float, text: str) -> None:
    assert marks.written(value) == text


def test_colours_are_those_of_the_hexadecimal_digits_and_mix() -> None:
    assert marks.colour("#0072B2") == (0, 114, 178)
    assert marks.mixed((0, 0, 0), (255, 255, 255), 0.2) == (51, 51, 51)


def test_the_corners_of_a_drawing_are_all_its_points_but_words() -> None:
    grey = (1, 2, 3)
    drawing = Drawing(
        {
            "a": Surface(np.zeros((3, 3)), np.array([[0, 1, 2]]), grey),
            "b": Lines(np.ones((2, 2, 3)), grey),
            "c": Arrows(2.0 * np.ones((1, 2, 3)), grey),
            "d": Dots(3.0 * np.ones((4, 3)), grey),
            "e": Word("far", (9.0, 9.0, 9.0)),
        }
    )
    assert drawing.corners.shape == (3 + 4 + 2 + 4, 3) and drawing.corners.max() == 3.0


# -- flat shapes -----------------------------------------------------------------------------------


def area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def star(seed: int, count: int) -> Array:
    rng = np.random.default_rng(seed)
    turns = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    return rng.uniform(0.2, 1.0, (count, 1)) * np.column_stack([np.cos(turns), np.sin(turns)])


L_SHAPE = np.array([[0.0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]])


@pytest.mark.parametrize("polygon", [L_SHAPE, L_SHAPE[::-1], *(star(seed, 24) for seed in range(8))])
def test_triangles_cover_a_polygon_once(polygon: Array) -> None:
    found = triangles(polygon)
    assert len(found) == len(polygon) - 2
    areas = np.array([area(polygon[corners]) for corners in found])
    assert (areas > -1e-12).all()  # all turn one way, so that areas that add up leave no room for overlaps
    assert np.isclose(areas.sum(), abs(area(polygon)))


def test_a_filled_polygon_keeps_its_corners_and_colour() -> None:
    corners = upright(L_SHAPE, 0.3)
    surface = filled(corners, (1, 2, 3), 0.4)
    assert surface.vertices is corners and surface.colour == (1, 2, 3) and surface.opacity == 0.4
    assert np.array_equal(surface.faces, triangles(L_SHAPE))
    assert filled(corners.copy(), (9, 9, 9)).faces is surface.faces  # the same shape is not cut up again


# -- meshes ----------------------------------------------------------------------------------------


def test_quaternions_and_rotations_are_inverse() -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    assert np.allclose(rotations(quaternions(turn[None])[0]), turn)


def test_a_turn_is_right_handed_about_its_axis() -> None:
    lines = turn_lines(np.ones(3), np.array([0.0, 0.0, 2.0]), 0.5)
    arms, steps = lines[:, 0] - 1.0, lines[:, 1] - lines[:, 0]
    assert np.allclose(np.linalg.norm(arms, axis=1), 0.5)
    assert (np.cross(arms, steps)[:, 2] > 0.0).all()
    assert colour("#0A10FF") == (10, 16, 255)
