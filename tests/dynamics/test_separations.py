"""Separations: closed forms, other solvers, contact states, verification and words."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import Separating, Separation, mass_matrix, separation
from holdfast.dynamics.contact_states import acceleration_scale, states_of
from holdfast.dynamics.release import simulate_release
from holdfast.dynamics.separations import sentences
from holdfast.errors import InputError
from tests.dynamics.closed_forms import GRAVITY, block, box_mass, floor_contact, ladder, rod_mass, tilted
from tests.dynamics.hooks import hooks
from tests.dynamics.rivals import exhaustive_value, normal_rows, scip_value, separation_case
from tests.nightly import nightly_after
from tests.referee import dented_unit, distance_to_piece, units_of, verdict


def assert_right(answer: Separation) -> None:
    """All of an answer, from the physical data alone: (8), (5), volumes, non-penetration, value, optimality."""
    assembly, forces, twist = answer.assembly, answer.forces, answer.acceleration
    assert forces is not None and twist is not None and answer.pieces is not None
    applied = answer.wrench.copy()
    for contact, force in zip(assembly.contacts, forces, strict=True):
        applied += np.concatenate([force, np.cross(contact.position, force)])
    size = max(float(np.abs(answer.wrench).max()), float(np.abs(forces).max()))
    np.testing.assert_allclose(answer.mass_matrix @ twist, applied, atol=1e-9 * size)
    free = np.abs(normal_rows(assembly) @ np.linalg.solve(answer.mass_matrix, answer.wrench)).max()
    push = max(float(np.abs(answer.problem.maps).max()) * float(np.abs(forces).max()), 1.0) if answer.problem else 1.0
    assert (normal_rows(assembly) @ twist >= -1e-9 * max(free, 1.0) * push).all()
    assert answer.value == pytest.approx(twist @ answer.mass_matrix @ twist, rel=1e-9, abs=1e-12)
    for contact, force, piece in zip(assembly.contacts, forces, answer.pieces, strict=True):
        vertices, rays = contact.volume.pieces[piece], contact.volume.rays[piece]
        assert distance_to_piece(contact.rotation.T @ force, vertices, rays) <= 2e-9 * max(
            size, float(np.abs(vertices).max())
        )
    if assembly.joints is not None:
        torques = assembly.joints.jacobian @ forces.ravel()
        slack = 2e-9 * size * np.abs(assembly.joints.jacobian).sum(axis=1)
        assert (torques >= assembly.joints.lower - slack).all() and (torques <= assembly.joints.upper + slack).all()
    assert answer.verify()


# -- closed forms -----------------------------------------------------------------------------------


def test_a_ladder_without_friction_slides_as_lagrange_says():
    mass, length, angle = 10.0, 3.0, np.deg2rad(60.0)
    smooth = hf.models.coulomb(0.0)
    answer = separation(
        ladder(length, angle, smooth, smooth),
        hf.loads.gravity_wrench(mass, (0.0, 0.0, -GRAVITY)),
        rod_mass(mass, length, angle),
    )
    spin = 1.5 * GRAVITY / length * np.cos(angle)
    # The foot goes towards +x while the head comes down: the rod turns by +y from z into x, so by -spin about y here.
    assert abs(answer.acceleration[4]) == pytest.approx(spin, rel=1e-6)
    np.testing.assert_allclose(answer.normal_accelerations, 0.0, atol=1e-6 * GRAVITY)
    head = answer.contact_accelerations[1]
    assert head[2] == pytest.approx(-spin * length * np.cos(angle), rel=1e-6)
    np.testing.assert_allclose(
        answer.forces[1], [0.5 * mass * length * spin * np.sin(angle), 0, 0], rtol=1e-6, atol=1e-6
    )
    assert_right(answer)


def test_a_ladder_on_a_rough_floor_stays():
    mass, length, angle = 10.0, 3.0, np.deg2rad(60.0)  # needs mu >= 1 / (2 tan 60) = 0.289
    weight, rod = hf.loads.gravity_wrench(mass, (0.0, 0.0, -GRAVITY)), rod_mass(mass, length, angle)
    stays, slides = (
        separation(ladder(length, angle, hf.models.coulomb(mu), hf.models.coulomb(0.0)), weight, rod)
        for mu in (0.29, 0.28)
    )
    assert (stays.status, slides.status) == ("holds", "separates")
    assert_right(slides)


@pytest.mark.parametrize("share", [1.001, 1.5, 4.0])
def test_a_sphere_leaves_an_adhesive_patch_with_what_the_pull_exceeds_its_limit_by(share):
    mass, radius, most = 1.5, 0.1, 12.0
    unit = hf.ForceVolume([np.array([[x, y, z] for x in (-5.0, 5.0) for y in (-5.0, 5.0) for z in (-most / 4, 20.0)])])
    patch = [floor_contact([x, y, -radius], unit) for x in (-0.02, 0.02) for y in (-0.02, 0.02)]
    ball = mass_matrix(mass, 0.4 * mass * radius**2 * np.eye(3))
    answer = separation(hf.Assembly(patch), [0.0, 0.0, share * most, 0.0, 0.0, 0.0], ball)
    np.testing.assert_allclose(
        answer.acceleration, [0, 0, (share - 1.0) * most / mass, 0, 0, 0], atol=1e-6 * most / mass
    )
    np.testing.assert_allclose(answer.forces[:, 2], -most / 4, atol=1e-5 * most)  # every unit at its limit
    assert_right(answer)


def test_a_sphere_on_a_microspine_patch_pulled_past_its_limit_goes_the_way_the_nearest_force_leaves():
    """One contact: the force is the point of the unit nearest to the pull, in the metric of the contact's mobility."""
    unit, mass, radius = hf.models.microspine(), 0.5, 0.05
    contact = floor_contact([0.0, 0.0, -radius], unit)
    ball = mass_matrix(mass, 0.4 * mass * radius**2 * np.eye(3))
    direction = np.array([-0.9, 0.1, 0.2])
    at_contact = np.concatenate([direction, np.cross(contact.position, direction)])
    assembly = hf.Assembly([contact])
    limit = hf.load_limit(assembly, at_contact)
    answer = separation(assembly, 1.7 * limit.value * at_contact, ball)
    rows = np.vstack([np.eye(3), [[0, radius, 0], [-radius, 0, 0], [0, 0, 0]]])  # force at the contact to wrench
    np.testing.assert_allclose(rows @ direction, at_contact, atol=1e-12)
    root = np.linalg.cholesky(rows.T @ np.linalg.inv(ball) @ rows).T
    pull = 1.7 * limit.value * direction
    nothing = np.zeros((0, 3))
    nearest = min(distance_to_piece(-root @ pull, piece @ root.T, nothing) for piece in unit.pieces)
    assert answer.value == pytest.approx(nearest**2, rel=1e-6)
    assert answer.acceleration[:3] @ direction > 0.0
    assert unit.signed_distance(answer.local_forces)[0] == pytest.approx(0.0, abs=1e-6 * unit.size)  # at its limit
    assert_right(answer)


# -- against other solvers --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(16, range(40)))
def test_with_units_the_value_is_that_of_an_exhaustive_search(seed):
    case = separation_case(seed, most_choices=16, units=True)
    answer = separation(case.assembly, case.wrench, case.mass)
    limit = verdict(case.assembly, case.wrench)
    if limit.largest < 1.0 - 1e-6:
        assert not answer.holds
    assert answer.verify()
    expected = exhaustive_value(case)
    if answer.holds:
        assert expected < 1e-6
        return
    assert answer.status == ("separates" if expected < np.inf else "penetrates")
    if expected < np.inf:
        assert answer.value == pytest.approx(expected, rel=1e-6, abs=1e-8 * answer.problem.scale**2)
        assert_right(answer)
        assert answer.residuals.optimality <= 1e-6 or answer.value < 1e-8 * answer.problem.scale**2
        unit = next((unit for unit in units_of(case.assembly) if len(unit) > 1), None)
        if unit is not None:
            pieces = answer.pieces.copy()
            pieces[unit[1]] = (pieces[unit[1]] + 1) % len(case.assembly.contacts[unit[1]].volume)
            assert dataclasses.replace(answer, pieces=pieces).residuals.membership == np.inf
            assert not dataclasses.replace(answer, pieces=pieces).verify()


@pytest.mark.parametrize("seed", [0, 3, 6, 10, 11])
def test_scip_finds_the_same_value_in_one_mixed_integer_program(seed):
    case = separation_case(seed, most_choices=16)
    answer = separation(case.assembly, case.wrench, case.mass)
    assert answer.value == pytest.approx(scip_value(case), rel=2e-6)


def test_acceleration_is_zero_exactly_when_it_holds():
    """And every answer that moves meets the conditions of optimality in its own pieces."""
    seen = set()
    for seed in range(100, 220):
        case = separation_case(seed)
        answer = separation(case.assembly, case.wrench, case.mass)
        seen.add(str(answer.status))
        assert answer.verify()
        assert answer.holds == hf.equilibrium(case.assembly, case.wrench).holds
        if answer.status == "separates":
            assert answer.lower_bound > 0.0 and np.abs(answer.acceleration).max() > 0.0
            assert answer.residuals.optimality <= 1e-6 or answer.value < 1e-8 * answer.problem.scale**2
            assert answer.residuals.feasible
        elif answer.holds:
            assert not answer.acceleration.any()
    assert seen == {"holds", "separates", "penetrates"}


def test_pieces_that_pull_only_with_shear_are_not_taken_for_their_hull():
    """Two opposed units: their hulls would pull without shear, the pieces cannot."""
    unit = dented_unit()
    assembly = hf.Assembly([floor_contact([0.0, 0.0, 0.0], unit)])
    mass = mass_matrix(1.0, np.eye(3))
    answer = separation(assembly, [0.0, 0.0, 3.0, 0.0, 0.0, 0.0], mass)
    hulled = separation(assembly.hulled(), [0.0, 0.0, 3.0, 0.0, 0.0, 0.0], mass)
    assert hulled.holds and answer.status == "separates"
    assert len(answer.certificate.leaves) >= 2
    assert_right(answer)


# -- invariances ------------------------------------------------------------------------------------


# -- what is asked wrongly, and what is not found ---------------------------------------------------


@pytest.mark.parametrize(
    "matrix, message",
    [
        (np.diag([1.0, 1, 1, 1, 1, 0]), "diagonal must be positive"),
        (np.diag([1.0, 1, 1, 1, 1, -1]), "diagonal must be positive"),
        (np.ones((6, 6)), "singular"),
        (np.eye(6) + 2.0 * (np.eye(6, k=1) + np.eye(6, k=-1)), "indefinite"),
        (np.eye(6) + 0.1 * np.eye(6, k=1), "not symmetric"),
        (np.eye(5), "shape"),
        (np.full((6, 6), np.nan), "nan"),
        ("heavy", "not an array"),
    ],
)
def test_a_matrix_that_is_no_mass_matrix_is_refused(matrix, message):
    case = separation_case(0)
    with pytest.raises(InputError, match=message):
        separation(case.assembly, case.wrench, matrix)


def test_wrong_arguments_are_refused():
    case = separation_case(0)
    with pytest.raises(InputError, match="assembly"):
        separation("assembly", case.wrench, case.mass)
    with pytest.raises(InputError, match="method"):
        separation(case.assembly, case.wrench, case.mass, method="fast")
    with pytest.raises(InputError, match="wrench"):
        separation(case.assembly, [0.0, 0.0, 1.0], case.mass)


def test_a_search_that_is_cut_short_says_what_it_knows():
    for seed in range(100):
        case = separation_case(seed)
        whole = separation(case.assembly, case.wrench, case.mass)
        if whole.status == "separates" and whole.effort.nodes > 10:
            break
    answer = separation(case.assembly, case.wrench, case.mass, method=Separating(node_limit=1))
    assert answer.status == "undecided" and not answer.holds
    assert answer.lower_bound <= whole.value * (1.0 + 1e-9) and answer.value >= whole.value * (1.0 - 1e-6)
    assert answer.gap > 1e-6 and answer.certificate is None
    assert not answer.verify()


def test_a_changed_answer_does_not_verify():
    case = separation_case(3)
    answer = separation(case.assembly, case.wrench, case.mass)
    assert answer.verify()
    assert not dataclasses.replace(answer, forces=answer.forces * 1.01).verify()
    assert not dataclasses.replace(answer, acceleration=answer.acceleration * 1.01).verify()
    assert not dataclasses.replace(answer, value=answer.value * 1.01).verify()
    assert not dataclasses.replace(answer, lower_bound=answer.lower_bound * 1.1, value=answer.value * 1.1).verify()
    assert not dataclasses.replace(answer, certificate=None).verify()


def test_no_load_at_all_holds_where_zero_forces_may():
    case = separation_case(4)
    assert separation(case.assembly, np.zeros(6), case.mass).holds


def test_rows_that_demand_forces_accelerate_an_object_without_a_load():
    """A preload of 5 N that nothing opposes; and one that the contacts cannot give."""
    cones = [hf.Contact((x, 0.0, 0.0), np.eye(3), hf.models.coulomb(0.5, cap=100.0)) for x in (-0.1, 0.1)]
    mass = mass_matrix(2.0, np.diag([0.02, 0.03, 0.04]))
    pushed = separation(hf.Assembly(cones, hf.JointRows([[0, 0, 1.0, 0, 0, 1.0]], [5.0], [6.0])), np.zeros(6), mass)
    np.testing.assert_allclose(pushed.acceleration, [0, 0, 2.5, 0, 0, 0], atol=1e-6)
    assert pushed.status == "separates" and pushed.verify()
    pulled = separation(hf.Assembly(cones, hf.JointRows([[0, 0, 1.0, 0, 0, 1.0]], [-6.0], [-5.0])), np.zeros(6), mass)
    assert pulled.status == "penetrates" and pulled.verify()


@pytest.mark.parametrize("side", [4, 10])
def test_many_contacts_in_one_plane_slide_as_one(side):
    """Normals of a whole floor: all but three rows depend on the others."""
    places = [(x, y, -0.05) for x in np.linspace(-0.3, 0.3, side) for y in np.linspace(-0.3, 0.3, side)]
    assembly = hf.Assembly([hf.Contact(p, np.eye(3), hf.models.coulomb(0.5)) for p in places])
    answer = separation(assembly, tilted(2.0, np.arcsin(0.6)), box_mass(2.0, (0.3, 0.3, 0.05)))
    assert answer.value == pytest.approx(2.0 * (GRAVITY * np.sin(np.arcsin(0.6) - np.arctan(0.5))) ** 2, rel=1e-6)
    assert_right(answer)


@pytest.mark.parametrize("beyond", [1e-3, 1e-6])
def test_just_beyond_the_limit_the_hand_moves_a_little(beyond):
    """The value grows with the square of what the load exceeds its limit by."""
    hand = hf.devices.four_finger_hand("opposed").assembly()
    pull = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    limit = hf.load_limit(hand, pull, method=hf.solvers.Exact(gap=1e-10)).value
    mass = mass_matrix(10.0, 0.1 * np.eye(3))
    answer = separation(hand, (1.0 + beyond) * limit * pull, mass)
    assert answer.status == "separates" and answer.verify()
    assert separation(hand, (1.0 - beyond) * limit * pull, mass).holds
    twice = separation(hand, (1.0 + 2.0 * beyond) * limit * pull, mass)
    assert twice.value == pytest.approx(4.0 * answer.value, rel=1e-2)


@pytest.mark.parametrize("angle", [28.0, 40.0, 70.0])
def test_every_foot_of_a_sliding_block_slips_by_g_sin_minus_mu_cos(angle):
    """Feet that can press as hard as they are pressed: the friction at the base loads those in front more."""
    mass, mu, a, h, theta = 2.0, 0.5, 0.3, 0.2, np.deg2rad(angle)
    share = mass * GRAVITY * np.cos(theta) / 4.0
    pressed = [share * (1.0 + np.sign(x) * mu * h / a) for x in (-a, -a, a, a)]
    feet = [
        floor_contact([x, y, -h], hf.models.coulomb(mu, cap=cap))
        for (x, y), cap in zip([(-a, -0.1), (-a, 0.1), (a, -0.1), (a, 0.1)], pressed, strict=True)
    ]
    answer = separation(hf.Assembly(feet), tilted(mass, theta), box_mass(mass, (a, 0.1, h)))
    expected = GRAVITY * (np.sin(theta) - mu * np.cos(theta))
    assert [state.mode for state in answer.states] == ["slips"] * 4
    for state, cap in zip(answer.states, pressed, strict=True):
        np.testing.assert_allclose(state.acceleration, [expected, 0.0, 0.0], atol=1e-6 * GRAVITY)
        assert state.slip == pytest.approx(expected, rel=1e-6) and abs(state.normal) < 1e-6 * GRAVITY
        np.testing.assert_allclose(state.force, [-mu * cap, 0.0, cap], atol=1e-6 * mass * GRAVITY)
        assert not (state.pulls_while_separating or state.presses_while_separating)


def test_a_tipping_block_separates_at_one_edge_and_sticks_at_the_other():
    mass, a, h, theta = 3.0, 0.1, 0.5, np.deg2rad(20.0)
    answer = separation(block(a, h, hf.models.coulomb(0.8)), tilted(mass, theta), box_mass(mass, (a, 0.1, h)))
    spin = mass * GRAVITY * (h * np.sin(theta) - a * np.cos(theta)) / (4.0 / 3.0 * mass * (a**2 + h**2))
    assert [state.mode for state in answer.states] == ["separates", "separates", "sticks", "sticks"]
    assert answer.states[0].normal == pytest.approx(2.0 * a * spin, rel=1e-5)
    assert not answer.states[0].presses_while_separating and not answer.states[0].pulls_while_separating


def test_a_block_tipped_on_ice_separates_at_one_edge_and_slips_at_the_other():
    """A push F at a height d above the middle: I alpha = F d - N a, N = m (g + a alpha), and m x'' = F."""
    mass, a, h, push, d = 2.0, 0.1, 0.3, 12.0, 0.25
    moments = mass / 3.0 * np.diag([0.01 + h**2, a**2 + h**2, 0.01 + a**2])
    wrench = hf.loads.gravity_wrench(mass, (0, 0, -GRAVITY)) + [push, 0, 0, 0, push * d, 0]
    answer = separation(block(a, h, hf.models.coulomb(0.0)), wrench, mass_matrix(mass, moments))
    spin = (push * d - mass * GRAVITY * a) / (moments[1, 1] + mass * a**2)
    assert [state.mode for state in answer.states] == ["separates", "separates", "slips", "slips"]
    back, front = answer.states[0], answer.states[2]
    np.testing.assert_allclose(back.acceleration, [push / mass - h * spin, 0.0, 2.0 * a * spin], atol=1e-6)
    np.testing.assert_allclose(front.acceleration, [push / mass - h * spin, 0.0, 0.0], atol=1e-6)
    assert front.force[2] == pytest.approx(0.5 * mass * (GRAVITY + a * spin), rel=1e-6)


def test_a_ball_rolls_with_five_sevenths_of_what_it_would_slide_by_and_its_contact_sticks():
    mass, radius, theta = 0.5, 0.04, np.deg2rad(30.0)
    ball = mass_matrix(mass, 0.4 * mass * radius**2 * np.eye(3))
    contact = floor_contact([0.0, 0.0, -radius], hf.models.coulomb(0.5))
    answer = separation(hf.Assembly([contact]), tilted(mass, theta), ball)
    expected = 5.0 / 7.0 * GRAVITY * np.sin(theta)
    np.testing.assert_allclose(
        answer.acceleration, [expected, 0, 0, 0, expected / radius, 0], atol=1e-6 * expected / radius
    )
    assert [state.mode for state in answer.states] == ["sticks"]


@pytest.mark.parametrize("share", [1.01, 3.0])
def test_a_ball_pulled_off_an_adhesive_pad_separates_while_it_still_pulls(share):
    mass, radius, most = 1.5, 0.1, 12.0
    pad = hf.ForceVolume([np.array([[x, y, z] for x in (-5.0, 5.0) for y in (-5.0, 5.0) for z in (-most, 20.0)])])
    ball = mass_matrix(mass, 0.4 * mass * radius**2 * np.eye(3))
    answer = separation(hf.Assembly([floor_contact([0, 0, -radius], pad)]), [0, 0, share * most, 0, 0, 0], ball)
    (state,) = answer.states
    assert state.mode == "separates" and state.pulls_while_separating and not state.presses_while_separating
    assert state.description == "separates, still pulls"
    assert state.force[2] == pytest.approx(-most, rel=1e-6)
    assert state.normal == pytest.approx((share - 1.0) * most / mass, rel=1e-5)


def test_an_unlimited_cone_presses_while_it_lifts_by_mu_for_every_metre_it_slides():
    mass, mu, theta = 2.0, 0.5, np.deg2rad(40.0)
    answer = separation(block(0.3, 0.05, hf.models.coulomb(mu)), tilted(mass, theta), box_mass(mass, (0.3, 0.1, 0.05)))
    loaded = [state for state in answer.states if state.presses]
    assert loaded and all(state.presses_while_separating for state in loaded)
    assert all(state.normal == pytest.approx(mu * state.slip, rel=1e-5) for state in answer.states)
    assert {state.description for state in loaded} == {"separates, still presses"}


def test_all_contacts_stick_where_it_holds_and_there_are_no_states_without_forces():
    held = separation(block(0.3, 0.1, hf.models.coulomb(0.5)), tilted(2.0, 0.2), box_mass(2.0, (0.3, 0.1, 0.1)))
    assert [state.mode for state in states_of(held)] == ["sticks"] * 4
    assert not any(state.acceleration.any() for state in held.states)
    weak = hf.ForceVolume([np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)])])
    broken = separation(block(0.1, 0.1, weak), tilted(1.0, 0.0), box_mass(1.0, (0.1, 0.1, 0.1)))
    assert broken.status == "penetrates" and states_of(broken) == ()


@pytest.mark.parametrize(("kilograms", "metres", "away"), [(1e-6, 1e-3, 0.0), (1e4, 50.0, 0.0), (1.0, 1.0, 500.0)])
def test_states_do_not_depend_on_units_or_on_where_the_origin_lies(kilograms, metres, away):
    mass, a, h, theta = 3.0 * kilograms, 0.1 * metres, 0.5 * metres, np.deg2rad(20.0)
    at = np.array([away, -away, 0.0])
    feet = [floor_contact(c.position + at, c.volume) for c in block(a, h, hf.models.coulomb(0.8)).contacts]
    gravity = (GRAVITY * np.sin(theta), 0.0, -GRAVITY * np.cos(theta))
    moments = box_mass(mass, (a, 0.1 * metres, h))[3:, 3:]
    answer = separation(hf.Assembly(feet), hf.loads.gravity_wrench(mass, gravity, at), mass_matrix(mass, moments, at))
    assert [state.mode for state in answer.states] == ["separates", "separates", "sticks", "sticks"]
    assert acceleration_scale(answer) == pytest.approx(GRAVITY, rel=0.5)


def test_names_are_kept():
    contact = hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.2), "heel")
    other = hf.Contact((0, 0.1, 0), np.eye(3), hf.models.coulomb(0.2))
    answer = separation(hf.Assembly([contact, other]), [0, 0, 1.0, 0, 0, 0], mass_matrix(1.0, np.eye(3)))
    assert [state.label for state in answer.states] == ['contact "heel"', "contact 1"]
    assert "separates" in repr(answer.states[0])


@pytest.fixture(scope="module")
def moving():
    case = separation_case(3, most_choices=16)
    answer = separation(case.assembly, case.wrench, case.mass)
    assert answer.status == "separates" and answer.assembly.joints is not None
    return answer


def test_an_answer_as_found_is_within_rounding(moving):
    r = moving.residuals
    assert r.feasible
    assert max(r.membership, r.joints, r.motion, r.penetration, r.value) <= 1e-9
    assert r.optimality <= 1e-6


def test_each_residual_sees_its_own_fault(moving):
    pushed = moving.forces + 0.1 * np.abs(moving.forces).max()
    assert dataclasses.replace(moving, forces=pushed).residuals.motion > 1e-3
    assert dataclasses.replace(moving, forces=100.0 * moving.forces).residuals.membership > 1e-3
    assert dataclasses.replace(moving, forces=100.0 * moving.forces).residuals.joints > 1e-3
    assert dataclasses.replace(moving, value=2.0 * moving.value).residuals.value == pytest.approx(0.5)
    free = np.linalg.solve(moving.mass_matrix, moving.wrench)
    idle = dataclasses.replace(moving, forces=np.zeros_like(moving.forces), acceleration=free)
    assert idle.residuals.motion <= 1e-12
    m = moving.multipliers
    assert dataclasses.replace(moving, multipliers=dataclasses.replace(m, motion=-m.motion)).residuals.optimality > 0.5


def test_a_status_that_the_proof_does_not_carry_is_refused(moving):
    assert not dataclasses.replace(moving, status="penetrates").verify()
    assert not dataclasses.replace(moving, status="holds").verify()
    assert not dataclasses.replace(moving, status="undecided").verify()


def test_an_answer_that_holds_is_judged_by_its_forces():
    for seed in range(50):
        case = separation_case(seed)
        answer = separation(case.assembly, case.wrench, case.mass)
        if answer.holds:
            break
    assert answer.verify() and answer.residuals.feasible and np.isnan(answer.residuals.optimality)
    assert not dataclasses.replace(answer, acceleration=np.ones(6)).verify()
    assert not dataclasses.replace(answer, value=1.0).verify()


def test_without_forces_there_are_no_residuals():
    for seed in range(50):
        case = separation_case(seed)
        answer = separation(case.assembly, case.wrench, case.mass)
        if answer.status == "penetrates":
            break
    assert answer.residuals is None and answer.verify()


UP = np.eye(3)


def pad(most: float) -> hf.ForceVolume:
    """An adhesive pad that pulls with up to `most` [N]."""
    return hf.ForceVolume([np.array([[x, y, z] for x in (-5.0, 5.0) for y in (-5.0, 5.0) for z in (-most, 20.0)])])


def test_a_tipping_block_is_reported_to_turn_about_its_edge():
    mass, a, h, theta = 3.0, 0.1, 0.5, np.deg2rad(20.0)
    answer = separation(block(a, h, hf.models.coulomb(0.8)), tilted(mass, theta), box_mass(mass, (a, 0.1, h)))
    spin = mass * GRAVITY * (h * np.sin(theta) - a * np.cos(theta)) / (4.0 / 3.0 * mass * (a**2 + h**2))
    goes, contacts, principle = sentences(answer)
    assert principle.startswith("This follows least acceleration over all admissible contact forces")
    assert principle.endswith("; hf.motion (holdfast motion) follows Coulomb's law.")
    assert goes.startswith("It does not hold: the object turns about +y through (0.1, 0, -0.5) m;")
    assert f"{spin:.3g} rad/s^2" in goes
    assert contacts == f"Contacts 0 and 1 separate (the first by {2 * a * spin:.3g} m/s^2); contacts 2 and 3 stick."


def test_dust_is_no_turn():
    mass = 2.0
    volume = hf.models.coulomb(0.2, cap=mass * GRAVITY / 4)
    feet = [hf.Contact((x, y, 0), UP, volume, f"foot {x:+g} {y:+g}") for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    wrench = hf.loads.gravity_wrench(mass, (0, 0, -GRAVITY)) + [0.7 * mass * GRAVITY, 0, 0, 0, 0, 0]
    answer = separation(hf.Assembly(feet), wrench, mass_matrix(mass, np.eye(3)))
    assert answer.motion == "moves along +x"
    goes, contacts, _ = sentences(answer)
    assert goes == "It does not hold: the object moves along +x; its centre of mass accelerates by 4.9 m/s^2."
    assert contacts.startswith('Contacts "foot') and contacts.endswith("and 1 more slip (4.9 m/s^2).")


def test_adhesion_that_still_pulls_is_reported():
    answer = separation(
        hf.Assembly([hf.Contact((0, 0, 0), UP, pad(10.0), "pad")]), [0, 0, 12.0, 0, 0, 0], mass_matrix(1.0, np.eye(3))
    )
    goes, first, wary, principle = sentences(answer)
    assert answer.principle == answer.to_dict()["principle"] == "least acceleration"
    assert principle.startswith("This follows least acceleration") and "hf.motion" not in principle  # it is no cone
    assert "moves along +z" in goes and "accelerates by 2 m/s^2" in goes
    assert first == 'Contact "pad" separates (2 m/s^2).'
    assert wary.startswith('Contact "pad" still pulls while it separates:')


def test_a_cone_that_still_presses_is_reported():
    answer = separation(block(0.3, 0.05, hf.models.coulomb(0.5)), tilted(2.0, 0.7), box_mass(2.0, (0.3, 0.1, 0.05)))
    assert any(
        "still press while they separate" in sentence and "slipping" in sentence for sentence in sentences(answer)
    )


def test_other_verdicts_are_reported():
    held = separation(block(0.3, 0.1, hf.models.coulomb(0.5)), tilted(2.0, 0.2), box_mass(2.0, (0.3, 0.1, 0.1)))
    assert sentences(held) == ("It holds: nothing accelerates.",)
    assert not held.acceleration_at(np.ones(3)).any()
    broken = separation(block(0.1, 0.1, pad(1.0).scaled(0.01)), tilted(2.0, 0.0), box_mass(2.0, (0.1, 0.1, 0.1)))
    assert broken.status == "penetrates" and "no solution" in sentences(broken)[0] and broken.motion is None
    assembly, wrench = hooks()
    short = separation(assembly, wrench, mass_matrix(0.3, 1e-3 * np.eye(3)), method=Separating(node_limit=1))
    assert sentences(short)[0].startswith("It is undecided what happens")


@pytest.mark.parametrize(
    ("most", "frames", "words"),
    [
        (20.0, 5, "It holds where it is."),
        (5.0, 5, "It falls free after 1 step of at most 10 mm: no contact is left."),
        (5.0, 1, "It still moves after 0 steps of at most 10 mm; 1 of 1 contacts touch."),
    ],
)
def test_a_motion_is_described_by_its_end(most, frames, words):
    hung = hf.Assembly([hf.Contact((0, 0, 0), hf.frame_from_normal((0, 0, -1)), pad(most))])
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), (0, 0, -0.1))
    motion = simulate_release(hung, weight, mass_matrix(1.0, np.eye(3), (0, 0, -0.1)), step=0.01, frames=frames)
    assert motion.description == words


@pytest.mark.parametrize("load", [(0, 0, -9.81, 0, 0, 1e30), (1e30, 0, -1e30, 0, 0, 0)])
def test_forces_beyond_the_largest_input_verify(load: tuple[float, ...]) -> None:
    """The contact forces are larger than the load, which is the largest that is accepted."""
    cone = hf.models.coulomb(0.6, facets=8)
    feet = [hf.Contact((x, y, 0.0), np.eye(3), cone) for x in (0.1, -0.1) for y in (0.1, -0.1)]
    answer = separation(hf.Assembly(feet), load, mass_matrix(1.0, 0.01 * np.eye(3), com=(0, 0, 0.05)))
    assert not answer.holds and answer.verify()
