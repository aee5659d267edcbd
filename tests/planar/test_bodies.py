"""Contacts of a rigid body: Erdmann's printed vectors, and gaps differentiated twice along motions."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.planar import Body, Contact
from tests.planar.scenes import three_points

STEP = 1e-3


@pytest.mark.parametrize("rho", [1.0, 2.0])
def test_cone_edges_of_the_three_point_example_are_those_printed(rho):
    mu = 0.25
    printed = [
        ((mu, 1, (mu - 1) / rho), (-mu, 1, -(mu + 1) / rho)),
        ((mu, 1, (mu + 1) / rho), (-mu, 1, -(mu - 1) / rho)),
        ((mu, 1, mu / rho), (-mu, 1, -mu / rho)),
    ]
    scaled = np.array([1.0, 1.0, 1.0 / rho])
    for contact, edges in zip(three_points(mu), printed, strict=True):
        for sign, edge in zip((1.0, -1.0), edges, strict=True):
            assert np.allclose((contact.normal_row + sign * mu * contact.tangent_row) * scaled, edge)


def turned(vector: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


@pytest.mark.parametrize("kind", ["vertex", "edge"])
@pytest.mark.parametrize("seed", range(6))
def test_normal_acceleration_is_the_second_derivative_of_the_gap(kind, seed):
    """A body vertex moves towards a standing line; or a body edge turns and moves past a standing point."""
    rng = np.random.default_rng(seed)
    contact = Contact(rng.normal(size=2), rng.normal(size=2), 0.5, kind)
    v, a = rng.normal(size=3), rng.normal(size=3)

    def gap(t: float) -> float:
        centre, angle = v[:2] * t + 0.5 * a[:2] * t**2, v[2] * t + 0.5 * a[2] * t**2
        # At t = 0 the centre of mass is the origin and the contact stands at -r.
        if kind == "vertex":
            return float(contact.normal @ (centre + turned(-contact.r, angle) + contact.r))
        # The gap along the body's own normal, from the obstacle's point to the body's edge.
        normal = turned(contact.normal, angle)
        return float(normal @ (centre + turned(-contact.r, angle) + contact.r))

    second = (gap(STEP) - 2.0 * gap(0.0) + gap(-STEP)) / STEP**2
    assert contact.normal_row @ a + contact.normal_bias(v) == pytest.approx(second, rel=1e-4, abs=1e-4)
    assert contact.normal_row @ v == pytest.approx((gap(STEP) - gap(-STEP)) / (2.0 * STEP), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_tangential_acceleration_is_that_of_the_bodys_point(seed):
    rng = np.random.default_rng(seed)
    contact = Contact(rng.normal(size=2), rng.normal(size=2), 0.5)
    v, a = rng.normal(size=3), rng.normal(size=3)

    def place(t: float) -> float:
        centre, angle = v[:2] * t + 0.5 * a[:2] * t**2, v[2] * t + 0.5 * a[2] * t**2
        return float(contact.tangent @ (centre + turned(-contact.r, angle)))

    second = (place(STEP) - 2.0 * place(0.0) + place(-STEP)) / STEP**2
    assert contact.tangent_row @ a + contact.tangent_bias(v) == pytest.approx(second, rel=1e-4, abs=1e-4)


def test_a_given_second_variation_overrides_the_kind():
    contact = Contact((0, 1), (1, 2), 0.5, "edge", second_variation=0.7)
    assert contact.normal_bias((1.0, 2.0, 3.0)) == 0.7


def test_the_normal_is_scaled_to_unit_length_and_rows_are_torques_of_unit_forces():
    contact = Contact((0.0, 5.0), (0.3, 0.4), 0.5)
    assert np.allclose(contact.normal, (0.0, 1.0))
    # A unit force F at -r from the centre of mass has the torque -r x F.
    for row, force in ((contact.normal_row, contact.normal), (contact.tangent_row, contact.tangent)):
        assert row[2] == pytest.approx(-contact.r[0] * force[1] + contact.r[1] * force[0])


def test_the_systems_inertia_is_mass_and_mass_times_rho_squared():
    system = Body(2.0, 0.5).system([], (1.0, 2.0, 3.0))
    assert np.allclose(system.mass_matrix, np.diag([2.0, 2.0, 0.5]))
    assert np.allclose(system.bias, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "call, where",
    [
        (lambda: Contact((0, 0), (0, 1), 0.5), "normal"),
        (lambda: Contact((0, 1), (0, 1, 2), 0.5), "r"),
        (lambda: Contact((0, 1), (0, 1), -0.5), "mu"),
        (lambda: Contact((0, 1), (0, 1), 0.5, second_variation=np.inf), "second_variation"),
        (lambda: Body(0.0, 1.0), "mass"),
        (lambda: Body(1.0, -1.0), "radius_of_gyration"),
    ],
)
def test_bad_input_is_named(call, where):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.where == where


def test_an_unknown_kind_lists_those_that_exist():
    with pytest.raises(UnknownNameError) as error:
        Contact((0, 1), (0, 1), 0.5, "vertx")
    assert error.value.nearest == "vertex"
