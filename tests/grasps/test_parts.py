from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.contours import contains
from holdfast.grasps.parts import BRIGHT, DARK, SAG_MM, arc, example_part, part_names, rounded


def area(points):
    x, y = points.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


@pytest.mark.parametrize("name", part_names())
def test_every_part_is_simple_counter_clockwise_and_has_its_holes_inside(name):
    part = example_part(name)
    assert part.name == name
    assert area(part.outer) > 0.0
    assert part.area == pytest.approx(sum(map(area, part.outlines)))
    for hole in part.holes:
        assert area(hole) < 0.0
        assert contains(part.outer, hole).all()
    # Simple: no two sides that are not neighbours meet; the turning number of a simple outline is one.
    sides = np.roll(part.outer, -1, axis=0) - part.outer
    after = np.roll(sides, -1, axis=0)
    turns = np.arctan2(sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0], (sides * after).sum(axis=1))
    assert turns.sum() == pytest.approx(2.0 * np.pi)
    np.testing.assert_allclose(part.distance(part.outer[::7]), 0.0, atol=1e-9)


def test_parts_have_the_sizes_they_state():
    assert example_part("disc").area == pytest.approx(np.pi * 1600.0, rel=1e-4)
    assert example_part("hexagon").area == pytest.approx(1.5 * np.sqrt(3.0) * 45.0**2)
    assert example_part("rectangle").area == pytest.approx(4800.0)
    # r = a (1 + b cos 3 phi) encloses pi a^2 (1 + b^2 / 2).
    assert example_part("trefoil").area == pytest.approx(np.pi * 42.0**2 * (1.0 + 0.5 * 0.22**2), rel=2e-5)
    assert np.ptp(example_part("spanner").outer[:, 0]) == pytest.approx(173.0, abs=2.0)
    assert len(example_part("casting").outer) == 12


def test_arcs_lie_on_their_circle_and_stray_by_less_than_the_sag():
    points = arc((1.0, 2.0), 7.0, 0.3, 2.9)
    middles = 0.5 * (points[1:] + points[:-1])
    np.testing.assert_allclose(np.linalg.norm(points - [1.0, 2.0], axis=1), 7.0)
    assert (7.0 - np.linalg.norm(middles - [1.0, 2.0], axis=1)).max() <= SAG_MM * (1.0 + 1e-6)
    np.testing.assert_allclose(points[[0, -1]] - [1.0, 2.0], 7.0 * np.array([np.cos([0.3, 2.9]), np.sin([0.3, 2.9])]).T)


def test_rounding_a_square_takes_four_corners_off_it():
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]])
    assert area(rounded(square, 2.0)) == pytest.approx(100.0 - (4.0 - np.pi) * 4.0, rel=1e-4)
    np.testing.assert_array_equal(rounded(square, 0.0), square)


def test_turning_mirroring_scaling_and_shifting_keep_the_part():
    part = example_part("bracket")
    turned = part.turned(0.5 * np.pi)
    np.testing.assert_allclose(turned.outer[0], [-part.outer[0, 1], part.outer[0, 0]], atol=1e-12)
    for changed, factor in (
        (turned, 1.0),
        (part.mirrored(), 1.0),
        (part.scaled(2.0), 4.0),
        (part.shifted((3, 4)), 1.0),
    ):
        assert changed.area == pytest.approx(factor * part.area)
    np.testing.assert_allclose(part.mirrored().distance(part.outer * [-1.0, 1.0]), 0.0, atol=1e-9)


def test_pictures_show_the_part_in_the_stated_frame():
    part = example_part("bracket")
    picture = part.picture(0.5, margin=9.0)
    height, width = picture.shape
    x = (np.arange(width) - 0.5 * (width - 1)) * 0.5
    y = (0.5 * (height - 1) - np.arange(height)) * 0.5
    covered = (BRIGHT - picture) / (BRIGHT - DARK)
    assert covered.sum() * 0.25 == pytest.approx(part.area, rel=1e-4)
    hole = part.holes[0].mean(axis=0)
    assert picture[np.abs(y - hole[1]).argmin(), np.abs(x - hole[0]).argmin()] == pytest.approx(BRIGHT)
    edges = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    np.testing.assert_allclose(edges, BRIGHT)
    assert part.outer[:, 0].max() + 9.0 <= x[-1] + 1e-9


def test_inverting_and_noise_do_what_they_say_and_repeat():
    part = example_part("hexagon")
    plain = part.picture(1.0)
    np.testing.assert_allclose(part.picture(1.0, inverted=True), 1.0 - plain)
    noisy = part.picture(1.0, noise=0.05, seed=3)
    np.testing.assert_array_equal(noisy, part.picture(1.0, noise=0.05, seed=3))
    assert (noisy != part.picture(1.0, noise=0.05, seed=4)).any()
    assert (noisy - plain).std() == pytest.approx(0.05, rel=0.1)
    assert noisy.min() >= 0.0
    assert noisy.max() <= 1.0


def test_bad_questions_are_answered_with_what_would_be_right():
    with pytest.raises(UnknownNameError, match="did you mean 'trefoil'"):
        example_part("trefoli")
    with pytest.raises(InputError, match="mm_per_px"):
        example_part("disc").picture(0.0)
