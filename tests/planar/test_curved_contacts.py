from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Contact, motions
from holdfast.planar.bodies import curved_contact


def circle_gap(move: np.ndarray, n: np.ndarray, r: np.ndarray, rb: float, ro: float) -> float:
    """Gap between arcs that touched at the origin, after the body has moved by (x, y, angle).

    The obstacle's centre is at -ro n; the body's was at rb n, its centre of mass at r. One within a hollow other has
    its centre on the other side: rb + ro is negative then.
    """
    arm, (c, s) = rb * n - r, (np.cos(move[2]), np.sin(move[2]))
    way = r + move[:2] + np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]) + ro * n
    total = rb + ro  # the gap is |way| - |total| or its opposite, here without cancelling
    return float(np.sign(total) * (way @ way - total * total) / (np.linalg.norm(way) + abs(total)))


@pytest.mark.parametrize(
    "radii", [(0.7, 1.3), (0.5, -2.0), (-2.0, 0.5), (0.5, 0.0), (0.0, 0.5), (0.4, 1e3), (1e3, 0.4)]
)
def test_the_second_variation_is_the_second_derivative_of_the_gap_between_circles(radii):
    rng = np.random.default_rng(5)
    for _ in range(5):
        angle = rng.uniform(0, 2 * np.pi)
        n, r = np.array([np.cos(angle), np.sin(angle)]), rng.normal(size=2)
        row = Contact(n, r, 0.3).normal_row
        velocity, acceleration = rng.normal(size=3), rng.normal(size=3)
        velocity -= row * (row @ velocity) / (row @ row)
        contact = curved_contact(n, r, 0.3, velocity, body_radius=radii[0], obstacle_radius=radii[1])
        step = 1e-3
        gaps = [circle_gap(velocity * t + 0.5 * acceleration * t * t, n, r, *radii) for t in (-step, 0.0, step)]
        second = (gaps[0] - 2.0 * gaps[1] + gaps[2]) / step**2
        assert second == pytest.approx(row @ acceleration + contact.normal_bias(velocity), abs=1e-3)


def test_corners_and_flat_faces_are_the_two_kinds_of_the_paper():
    rng = np.random.default_rng(1)
    for _ in range(10):
        n, r = rng.normal(size=2), rng.normal(size=2)
        base = Contact(n, r, 0.3)
        velocity = rng.normal(size=3)
        velocity -= base.normal_row * (base.normal_row @ velocity) / (base.normal_row @ base.normal_row)
        for kind, radii in (("vertex", (0.0, np.inf)), ("edge", (np.inf, 0.0))):
            curved = curved_contact(n, r, 0.3, velocity, body_radius=radii[0], obstacle_radius=radii[1])
            assert curved.kind == kind
            assert curved.normal_bias(velocity) == pytest.approx(Contact(n, r, 0.3, kind).normal_bias(velocity))


def test_a_disc_rolls_on_and_its_load_is_only_its_weight_while_it_turns():
    velocity = (-2.0, 0.0, 4.0)  # rolls left: no slip at the lowest point of a disc of radius 0.5
    contact = curved_contact((0, 1), (0, 0.5), 0.3, velocity, body_radius=0.5, obstacle_radius=np.inf)
    answer = motions(Body(1.0, 0.5 / np.sqrt(2.0)), [contact], (0.0, -9.81, 0.0), velocity)
    assert list(answer.modes) == ["F"]
    np.testing.assert_allclose(answer.acceleration, 0.0, atol=1e-12)


def test_a_point_leaves_a_round_top_when_it_is_faster_than_root_g_r():
    for speed, mode in ((0.99, "R"), (1.01, "S")):
        velocity = (speed * np.sqrt(9.81 * 2.0), 0.0, 0.0)
        contact = curved_contact((0, 1), (0, 0.0), 0.0, velocity, body_radius=0.0, obstacle_radius=2.0)
        assert list(motions(Body(1.0, 1.0), [contact], (0.0, -9.81, 0.0), velocity).modes) == [mode]


@pytest.mark.parametrize("radii", [(0.0, 0.0), (np.inf, np.inf), (-1.0, 1.0), (1.0, -0.5), (np.nan, 1.0), ("x", 1.0)])
def test_radii_that_do_not_touch_at_one_point_are_named(radii):
    with pytest.raises(InputError, match="radius"):
        curved_contact((0, 1), (0, 1), 0.3, (0, 0, 0), body_radius=radii[0], obstacle_radius=radii[1])
