"""Sections 5.4 and 5.5, step by step, against the enumeration of all strict modes; Table 1 and (10) by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Contact, motions
from holdfast.planar.erdmann import generalised_velocity, validity_intervals
from tests.planar.erdmann_procedure import Procedure
from tests.planar.scenes import random_query, three_points

UNIT = Body(1.0, 1.0)


def check_agreement(body: Body, contacts, force, velocity, rng: np.random.Generator) -> int:
    """Every motion of either way is one of the other's; how many samples were compared."""
    answer = motions(body, contacts, force, velocity)
    literal = Procedure(body, contacts, np.asarray(force, dtype=float), np.asarray(velocity, dtype=float))
    families = literal.families()
    assert (answer.status == "impact") == literal.impact
    back = np.array([1.0, 1.0, body.radius_of_gyration])
    compared = 0
    for family in families:
        for a in family.samples(rng):
            assert any(piece.contains(a / back) for piece in answer.modes.values()), a
            compared += 1
    for mode, piece in answer.modes.items():
        for motion in piece.samples(2, seed=1):
            a = generalised_velocity(body, motion.acceleration)
            scale = literal.scale + np.abs(a).max()
            assert any(family.contains(a, scale) for family in families), (mode, a)
            compared += 1
    return compared


@pytest.mark.parametrize(("count", "cases"), [(1, 80), (2, 160), (3, 80), (4, 25), (5, 4)])
def test_the_literal_procedure_finds_the_same_motions_as_the_tree_over_modes(count, cases):
    rng = np.random.default_rng(100 + count)
    compared = sum(check_agreement(*random_query(rng, count), rng) for _ in range(cases))
    assert compared > cases


def test_parallel_normals_which_the_paper_leaves_out_agree_too():
    """Contacts on one line along their normal, of the same or the opposite side, with and without further ones."""
    rng = np.random.default_rng(7)
    for case in range(30):
        n = np.array([np.cos(case), np.sin(case)])
        r = rng.normal(size=2)
        contacts = [
            Contact(n * rng.choice([-1.0, 1.0]), r + s * n, float(rng.choice([0.0, 0.5, 1.5])), str(kind))
            for s, kind in zip(rng.normal(size=2 + case % 2), ("vertex", "edge", "vertex"), strict=False)
        ]
        velocity = np.zeros(3)
        if case % 3:  # a motion that keeps them
            v = contacts[0].normal_row
            velocity = rng.normal(size=3)
            velocity -= v * (v @ velocity) / (v @ v)
        check_agreement(Body(1.3, 0.8), contacts, rng.normal(size=3), velocity, rng)


def test_at_rest_the_three_point_body_changes_its_slip_at_zero_and_slides_when_pushed():
    mu = 0.25
    found = validity_intervals(UNIT, three_points(mu), (1.0, -1.0, 0.0))
    assert found is not None
    np.testing.assert_allclose(found.t_c, [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.c, 0.0)
    # t_c . v_f > 0 at every contact: Table 1, third row.
    np.testing.assert_array_equal(found.plus, [[-np.inf, 0.0]] * 3)
    np.testing.assert_array_equal(found.minus, [[0.0, np.inf]] * 3)
    (span,) = found.spans
    assert span.low == pytest.approx(1.0 - mu) and span.high == pytest.approx(1.0 - mu)
    assert span.edges == ((0, -1), (1, -1), (2, -1))
    np.testing.assert_allclose(found.acceleration(span.low), [1.0 - mu, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.reaction(span.low), [-mu, 1.0, 0.0], atol=1e-12)


def test_a_slip_velocity_leaves_each_contact_one_edge_and_the_body_brakes_by_mu_g():
    mu, g = 0.25, 9.81
    found = validity_intervals(UNIT, three_points(mu), (0.0, -g, 0.0), (-3.0, 0.0, 0.0))
    assert found is not None
    assert np.isnan(found.c).all()
    np.testing.assert_array_equal(found.plus, [[-np.inf, np.inf]] * 3)
    np.testing.assert_array_equal(found.minus, [[np.inf, -np.inf]] * 3)
    (span,) = found.spans
    np.testing.assert_allclose(found.acceleration(span.low), [mu * g, 0.0, 0.0], atol=1e-9)


def test_a_number_c_is_where_its_contact_has_no_slip_acceleration():
    """(10) by finite differences of the motion: a ladder's ends that turn about the meeting point of their normals."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        body = Body(rng.uniform(0.5, 2.0), rng.uniform(0.3, 2.0))
        contacts = [Contact((0, 1), rng.normal(size=2), 0.4), Contact((1, 0), rng.normal(size=2), 0.6)]
        (_, _, first), (_, _, second) = (c.normal_row for c in contacts)
        spin = rng.normal()
        velocity = (-second * spin, -first * spin, spin)
        found = validity_intervals(body, contacts, rng.normal(size=3), velocity)
        assert found is not None
        assert np.isnan(found.c).all()  # both slip already
        for c in (-1.0, 0.0, 2.0):
            a = found.acceleration(c)
            for contact in contacts:
                assert contact.normal_row @ a + contact.normal_bias(velocity) == pytest.approx(0.0, abs=1e-9)
        curved = [Contact(c.normal, c.r, c.mu, second_variation=rng.normal()) for c in contacts]
        found = validity_intervals(body, curved, rng.normal(size=3))
        assert found is not None
        for c, contact in zip(found.c, curved, strict=True):
            assert contact.tangent_row @ found.acceleration(c) == pytest.approx(0.0, abs=1e-9)


def test_curved_contacts_that_no_acceleration_keeps_have_no_intervals():
    contacts = [Contact((0, 1), (x, 1), 0.5, second_variation=h) for x, h in ((1, 0.0), (-1, 0.0), (0, 1.0))]
    assert validity_intervals(UNIT, contacts, (0, -1, 0)) is None


@pytest.mark.parametrize(
    ("contacts", "velocity", "where"),
    [
        ([], (0, 0, 0), "contacts"),
        ([Contact((0, 1), (0, 1), 0.5)], (0, 0, 0), "contacts"),
        ([Contact((0, 1), (0, 1), 0.5), Contact((0, 1), (0, 2), 0.5)], (0, 0, 0), "contacts"),
        (
            [Contact((0, 1), (0, 1), 0.5), Contact((0, 1), (1, 1), 0.5), Contact((1, 0), (1, 1), 0.5)],
            (0, 0, 0),
            "contacts",
        ),
        ([Contact((0, 1), (0, 1), 0.5), Contact((0, 1), (1, 1), 0.5)], (0, 1, 0), "velocity"),
    ],
)
def test_contacts_whose_normals_span_no_plane_and_velocities_that_leave_are_named(contacts, velocity, where):
    with pytest.raises(InputError) as error:
        validity_intervals(UNIT, contacts, (0, -1, 0), velocity)
    assert error.value.where == where
