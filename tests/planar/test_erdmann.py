"""Sections 5.4 and 5.5, step by step, against the enumeration of all strict modes; Table 1 and (10) by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from holdfast.errors import InputError
from holdfast.planar import Body, Contact, motions
from holdfast.planar.erdmann import (
    contact_vectors,
    friction_cone,
    generalised_force,
    generalised_velocity,
    single_contact_projection,
    validity_intervals,
)
from tests.planar.erdmann_procedure import Procedure
from tests.planar.scenes import random_contacts, random_query, three_points


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


UNIT = Body(1.0, 1.0)


def test_edges_and_shape_of_the_three_point_cone_are_those_of_the_paper():
    mu, rho = 0.25, 0.8
    cone = friction_cone(Body(1.0, rho), three_points(mu))
    np.testing.assert_allclose(cone.edges[0], [[mu, 1, (mu - 1) / rho], [-mu, 1, -(mu + 1) / rho]])
    np.testing.assert_allclose(cone.edges[1], [[mu, 1, (mu + 1) / rho], [-mu, 1, -(mu - 1) / rho]])
    np.testing.assert_allclose(cone.edges[2], [[mu, 1, mu / rho], [-mu, 1, -mu / rho]])
    # The four outer edges bound it; those of the middle lie on its sides.
    outer = cone.edges[:2].reshape(-1, 3)
    outer = outer / np.linalg.norm(outer, axis=1, keepdims=True)
    assert cone.dimension == 3 and cone.is_pointed and not cone.is_whole_space
    assert len(cone.rays) == len(cone.facets) == 4
    for ray in outer:
        assert np.abs(cone.rays - ray).max(axis=1).min() < 1e-12
    assert sorted(len(rays) for rays in cone.facet_rays) == [2, 2, 3, 3]


def test_membership_is_that_of_nonnegative_least_squares():
    rng = np.random.default_rng(0)
    inside = 0
    for case in range(60):
        contacts = random_contacts(rng, 1 + case % 5, case % 4)
        cone = friction_cone(Body(1.0, rng.uniform(0.5, 2.0)), contacts)
        edges = cone.edges.reshape(-1, 3)
        forces = np.vstack([rng.normal(size=(10, 3)), rng.exponential(size=(5, len(edges))) @ edges])
        wanted = np.array([nnls(edges.T, f)[1] <= 1e-8 * np.linalg.norm(f) for f in forces])
        np.testing.assert_array_equal(cone.contains(forces), wanted)
        assert wanted[10:].all()
        inside += int(wanted[:10].sum())
    assert 50 < inside < 550


def test_a_body_at_rest_can_stay_exactly_under_the_loads_that_its_cone_cancels():
    rng = np.random.default_rng(1)
    body = Body(1.5, 0.6)
    for case in range(40):
        contacts = random_contacts(rng, 1 + case % 4, 0)
        cone = friction_cone(body, contacts)
        for force in rng.normal(size=(3, 3)):
            stays = any(bool(p.contains(np.zeros(3))) for p in motions(body, contacts, force).modes.values())
            assert stays == bool(cone.can_resist(force))


@pytest.mark.parametrize(
    ("contacts", "dimension", "lines"),
    [
        ([], 0, 0),
        ([Contact((0, 1), (1, 1), 0.0)], 1, 0),
        ([Contact((0, 1), (1, 1), 0.3)], 2, 0),
        ([Contact((0, 1), (1, 1), 0.3)] * 2, 2, 0),
        ([Contact((0, 1), (x, 1), 0.0) for x in (-1, 1)], 2, 0),
        ([Contact((0, 1), (0, 1), 0.0), Contact((0, -1), (0, -1), 0.0)], 1, 1),  # squeezed without friction
        ([Contact((0, 1), (0, 1), 0.3), Contact((0, -1), (0, -1), 0.3)], 3, 3),  # and with: force closure
        ([Contact((0, 1), (1, 1), 0.0), Contact((0, -1), (-1, -1), 0.0)], 2, 0),  # a couple
    ],
)
def test_flat_cones_and_cones_with_lines_keep_their_kind(contacts, dimension, lines):
    cone = friction_cone(UNIT, contacts)
    assert cone.dimension == dimension
    assert len(cone.lines) == lines
    assert cone.is_whole_space == (lines == 3)
    assert cone.contains(np.zeros(3))
    assert not cone.contains([1.0, -0.01, 0.2]) or cone.is_whole_space


def test_the_projection_is_the_one_motion_of_a_body_at_rest_wherever_it_applies():
    rng = np.random.default_rng(0)
    seen = {"S": 0, "F": 0, "R": 0, "L": 0}
    for case in range(200):
        angle = rng.uniform(0, 2 * np.pi) if case % 2 else rng.integers(4) * np.pi / 2
        r = rng.normal(size=2) if case % 2 else rng.integers(-2, 3, 2)
        body = Body(rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0))
        contact = Contact((np.cos(angle), np.sin(angle)), r, float(rng.choice([0.0, 0.3, 1.0, 2.0])))
        force = rng.normal(size=3) if case % 3 else rng.integers(-1, 2, 3)
        found = single_contact_projection(body, contact, force)
        if not found.applies:
            continue
        answer = motions(body, [contact], force)
        assert answer.status == "unique"
        assert list(answer.modes) == [found.mode]
        seen[found.mode] += 1
        np.testing.assert_allclose(answer.acceleration, found.acceleration, atol=1e-9 * (1 + np.abs(force).max()))
        ft, fn = found.forces
        assert fn >= -1e-12 and abs(ft) <= contact.mu * fn + 1e-9
        rows = contact.tangent_row * ft + contact.normal_row * fn
        np.testing.assert_allclose(generalised_force(body, rows), found.reaction, atol=1e-9)
    assert min(seen.values()) >= 5


def test_a_cone_below_its_tangent_plane_is_left_to_the_whole_analysis():
    """Painleve's rod at rest: at tan 2 the cone dips below the plane above mu = 4/3, and motions are no longer one."""
    r = np.array([1.0, 2.0]) / np.sqrt(5.0)
    body = Body(1.0, 1.0 / np.sqrt(3.0))
    for mu in (0.5, 1.3, 1.34, 2.0):
        assert single_contact_projection(body, Contact((0, 1), r, mu), (0, -9.81, 0)).applies == (mu < 4 / 3)


def test_a_force_along_the_surface_slides_without_reaction():
    found = single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (-2.0, 0.0, 0.0))
    assert found.mode == "L"
    np.testing.assert_allclose(found.acceleration, [-2.0, 0.0, 0.0])
    np.testing.assert_allclose(found.reaction, 0.0)
    assert single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (0, 0, 0)).mode == "F"


@pytest.mark.parametrize(("push", "mode"), [(0.4, "F"), (0.5, "F"), (0.6, "R"), (-0.6, "L")])
def test_within_the_friction_angle_it_sticks_and_beyond_it_keeps_to_the_edge(push, mode):
    found = single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (push, -1.0, 0.0))
    assert found.mode == mode
    assert found.h == pytest.approx(np.clip(push, -0.5, 0.5))
    np.testing.assert_allclose(found.forces, [-np.clip(push, -0.5, 0.5), 1.0])


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
