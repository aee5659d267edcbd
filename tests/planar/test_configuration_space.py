from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Contact
from holdfast.planar.erdmann import contact_vectors, generalised_force, generalised_velocity
from tests.planar.scenes import three_points


def random_contact(rng: np.random.Generator) -> tuple[Body, Contact]:
    angle = rng.uniform(0, 2 * np.pi)
    return Body(1.0, rng.uniform(0.2, 3.0)), Contact((np.cos(angle), np.sin(angle)), rng.normal(size=2), 0.5)


def test_vectors_of_the_three_point_example_are_those_printed():
    rho = 0.7
    left, right, middle = (contact_vectors(Body(1.0, rho), c) for c in three_points(0.25))
    np.testing.assert_allclose(left.normal, [0, 1, -1 / rho])
    np.testing.assert_allclose(right.normal, [0, 1, 1 / rho])
    np.testing.assert_allclose(middle.normal, [0, 1, 0])
    # In Erdmann's directions, which he turns about at the right contact.
    np.testing.assert_allclose(left.paper_sign * left.v_f, [1, 0, 1 / rho])
    np.testing.assert_allclose(right.paper_sign * right.v_f, [-1, 0, -1 / rho])
    np.testing.assert_allclose(middle.paper_sign * middle.v_f, [1, 0, 1 / rho])
    assert [left.paper_sign, right.paper_sign, middle.paper_sign] == [1, -1, 1]


def test_n_t_r_and_t_r_perp_are_an_orthonormal_frame_and_the_cone_lies_at_right_angles_to_t_r():
    rng = np.random.default_rng(0)
    for _ in range(50):
        body, contact = random_contact(rng)
        v = contact_vectors(body, contact)
        frame = np.array([v.n, v.t_r, v.t_r_perp])
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(v.edges(0.8) @ v.t_r, 0.0, atol=1e-12)
        assert v.t_r_perp @ v.t_s > 0.0
        assert v.v_f @ v.t_s > 0.0
        assert v.paper_sign * v.t_r_perp @ v.n0 >= -1e-12
        assert v.delta == pytest.approx(np.hypot(body.radius_of_gyration, v.nq) / body.radius_of_gyration)


def test_t_r_turns_the_body_about_the_contact_point_and_products_are_speeds_of_it():
    rng = np.random.default_rng(1)
    for _ in range(20):
        body, contact = random_contact(rng)
        v = contact_vectors(body, contact)
        back = np.array([1.0, 1.0, 1.0 / body.radius_of_gyration])
        vx, vy, spin = v.t_r * back
        np.testing.assert_allclose([vx, vy] + spin * np.array([contact.r[1], -contact.r[0]]), 0.0, atol=1e-12)
        speed = rng.normal(size=3)
        point = speed[:2] + speed[2] * np.array([contact.r[1], -contact.r[0]])  # v + omega z x (-r)
        moving = generalised_velocity(body, speed)
        assert v.normal @ moving == pytest.approx(contact.normal @ point)
        assert v.v_f @ moving == pytest.approx(contact.tangent @ point)


def test_power_is_the_same_in_either_coordinates():
    rng = np.random.default_rng(2)
    body, force, speed = Body(2.0, 0.3), rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    power = (generalised_force(body, force) * generalised_velocity(body, speed)).sum(axis=1)
    np.testing.assert_allclose(power, (force * speed).sum(axis=1))


def test_wrong_types_are_named():
    with pytest.raises(InputError, match="body"):
        contact_vectors(1.0, Contact((0, 1), (0, 1), 0.5))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="contact"):
        contact_vectors(Body(1, 1), (0, 1))  # type: ignore[arg-type]
