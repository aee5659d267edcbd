"""Rest and motion: cases by hand, all contact modes enumerated, Lagrange's answers, certificates and forged ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import mass_matrix
from tests.dynamics.closed_forms import GRAVITY, block, box_mass, floor_contact, ladder, rod_mass, tilted
from tests.dynamics.coulomb_cases import HAND_CHECKED, random_case, random_joint_case, sliding_block, sliding_rod
from tests.dynamics.coulomb_certificates import proven_to
from tests.dynamics.coulomb_referee import enumerated, faults
from tests.dynamics.rivals import exhaustive_value, separation_case
from tests.nightly import nightly_after

# -- Coulomb's law -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HAND_CHECKED)
def test_cases_checked_by_hand(name):
    known = HAND_CHECKED[name]()
    stability, found = hf.strong_stability(*known.case.question), hf.motion(*known.case.question)
    assert stability.status == known.verdict and stability.verify() and found.verify()
    status = {"stays": "rests", "may stay": "rests", "moves": "moves", "inconsistent": "inconsistent"}[known.verdict]
    assert found.status == status
    if status == "moves" and known.acceleration is not None:
        size = np.abs(known.acceleration).max()
        np.testing.assert_allclose(found.acceleration, known.acceleration, rtol=1e-9, atol=1e-9 * size)
    if stability.certificate is not None:
        assert proven_to(known.case, stability) >= 1e3


@pytest.mark.parametrize("make", [random_case, random_joint_case], ids=["contacts", "joints"])
@pytest.mark.parametrize("seed", nightly_after(14, range(120)))
def test_random_verdicts_are_those_of_all_modes_and_every_motion_obeys_the_law(make, seed):
    case = make(seed)
    wanted = enumerated(case).verdict
    stability, found = hf.strong_stability(*case.question), hf.motion(*case.question)
    if wanted is not None and stability.status != "undecided":
        assert stability.status == wanted and stability.verify()
    if found.status in ("rests", "moves"):
        assert found.verify() and max(faults(case, found).values()) <= 1e-7
        assert wanted is None or (found.status == "rests") == (wanted in ("stays", "may stay"))
    if stability.certificate is not None:
        assert proven_to(case, stability) >= 1e3


@pytest.mark.parametrize("seed", nightly_after(8, range(60)))
def test_all_motions_include_the_one_that_is_found(seed):
    case = random_case(seed)
    one, every = hf.motion(*case.question), hf.motions(*case.question)
    if one.status in ("moves", "rests") and every.status != "undecided":
        assert every.verify() and every.status != "inconsistent"
        if every.status == "unique" and one.status == "moves":
            assert hf.strong_stability(*case.question).status == "moves"


@pytest.mark.parametrize("azimuth", [0.0, 22.5, 73.1])
@pytest.mark.parametrize("facets", [4, 16])
def test_a_block_slides_down_the_slope_in_any_direction_whatever_the_polygon(azimuth, facets):
    known = sliding_block(35.0, 0.5, azimuth)
    volume = hf.models.coulomb(0.5, facets=facets)
    contacts = [dataclasses.replace(c, volume=volume) for c in known.case.assembly.contacts]
    found = hf.motion(hf.Assembly(contacts), known.case.load, known.case.mass)
    np.testing.assert_allclose(found.acceleration, known.acceleration, atol=1e-9 * GRAVITY)
    assert [s.mode for s in found.states] == ["slips"] * 4


@pytest.mark.parametrize(("mu", "status"), [(0.5, "moves"), (1.2, "moves"), (1.37, "inconsistent")])
def test_a_sliding_rod_has_a_motion_below_painleves_threshold_and_none_above(mu, status):
    case = sliding_rod(mu)
    found = hf.motion(*case.question, velocity=case.velocity)
    assert found.status == status
    if status == "moves":
        assert max(faults(case, found).values()) <= 1e-7


def test_a_body_that_leaves_its_contact_flies_freely_about_its_centre_of_mass():
    """A ball whose centre is 0.3 m off the origin, turning at 2 rad/s: the origin feels 1.2 m/s^2 outwards."""
    com, spin = (0.3, 0.0, 0.0), 2.0
    body = hf.Assembly([floor_contact([0.0, 0.0, 0.0], hf.models.coulomb(0.5))])
    mass, weight = mass_matrix(2.0, 0.01 * np.eye(3), com), hf.loads.gravity_wrench(2.0, (0, 0, -GRAVITY), com)
    found = hf.motion(body, weight, mass, velocity=[0, 0, 1.0, 0, 0, spin])
    assert found.verify() and not found.forces.any()
    np.testing.assert_allclose(found.acceleration, [spin**2 * 0.3, 0, -GRAVITY, 0, 0, 0], atol=1e-9 * GRAVITY)


def test_forged_motions_do_not_verify():
    known = sliding_block(35.0, 0.5, 20.0).case
    found = hf.motion(*known.question)
    assert found.verify()
    assert not dataclasses.replace(found, acceleration=1.001 * found.acceleration).verify()
    assert not dataclasses.replace(found, forces=1.001 * found.forces).verify()
    stays = hf.strong_stability(*HAND_CHECKED["ball in upright groove"]().case.question)
    assert stays.verify()
    other = HAND_CHECKED["block on a steep slope"]().case
    assert not dataclasses.replace(stays, assembly=other.assembly, wrench=other.load, mass_matrix=other.mass).verify()


# -- least acceleration (7) ----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [27.0, 60.0])
def test_a_block_that_presses_with_its_weight_alone_slides_by_g_sin_minus_mu_cos(angle):
    mass, mu, theta = 2.0, 0.5, np.deg2rad(angle)
    total = mass * GRAVITY * np.cos(theta)
    assembly = hf.Assembly([floor_contact([0.0, 0.0, 0.0], hf.models.coulomb(mu, cap=total))])
    answer = hf.separation(assembly, tilted(mass, theta), box_mass(mass, (0.3, 0.1, 0.1)))
    expected = GRAVITY * (np.sin(theta) - mu * np.cos(theta))
    np.testing.assert_allclose(answer.acceleration, [expected, 0, 0, 0, 0, 0], atol=1e-6 * expected)
    np.testing.assert_allclose(answer.forces, [[-mu * total, 0.0, total]], rtol=1e-6, atol=1e-6 * total)


def test_with_unlimited_cones_the_slide_is_at_right_angles_to_the_cone_and_below_the_angle_it_stays():
    mass, mu, theta = 2.0, 0.5, np.deg2rad(35.0)
    body, matter = block(0.3, 0.05, hf.models.coulomb(mu)), box_mass(mass, (0.3, 0.1, 0.05))
    answer = hf.separation(body, tilted(mass, theta), matter)
    along = GRAVITY * (np.sin(theta) - mu * np.cos(theta)) / (1.0 + mu**2)
    np.testing.assert_allclose(answer.acceleration, [along, 0, mu * along, 0, 0, 0], atol=1e-6 * along)
    assert answer.value == pytest.approx(mass * (GRAVITY * np.sin(theta - np.arctan(mu))) ** 2, rel=1e-6)
    stays = hf.separation(body, tilted(mass, np.deg2rad(26.0)), matter)
    assert stays.status == "holds" and not stays.acceleration.any() and stays.value == 0.0 and stays.verify()


def test_a_tall_block_tips_about_its_lower_edge():
    mass, a, h, theta = 3.0, 0.1, 0.5, np.deg2rad(20.0)
    answer = hf.separation(block(a, h, hf.models.coulomb(0.8)), tilted(mass, theta), box_mass(mass, (a, 0.1, h)))
    about_edge = mass / 3.0 * (a**2 + h**2) + mass * (a**2 + h**2)
    spin = mass * GRAVITY * (h * np.sin(theta) - a * np.cos(theta)) / about_edge
    assert answer.acceleration[4] == pytest.approx(spin, rel=1e-6)
    np.testing.assert_allclose(answer.normal_accelerations[:2], 2.0 * a * spin, rtol=1e-5)


def test_a_ladder_without_friction_slides_as_lagrange_says():
    mass, length, angle = 10.0, 3.0, np.deg2rad(60.0)
    smooth = hf.models.coulomb(0.0)
    weight = hf.loads.gravity_wrench(mass, (0.0, 0.0, -GRAVITY))
    answer = hf.separation(ladder(length, angle, smooth, smooth), weight, rod_mass(mass, length, angle))
    assert abs(answer.acceleration[4]) == pytest.approx(1.5 * GRAVITY / length * np.cos(angle), rel=1e-6)


@pytest.mark.parametrize("units", [False, True], ids=["contacts", "units"])
@pytest.mark.parametrize("seed", nightly_after(8, range(40)))
def test_the_least_acceleration_is_that_of_an_exhaustive_search_with_clarabel(seed, units):
    case = separation_case(seed, most_choices=12, units=units)
    answer = hf.separation(case.assembly, case.wrench, case.mass)
    assert answer.verify() and answer.holds == hf.equilibrium(case.assembly, case.wrench).holds
    if answer.holds:
        return
    expected = exhaustive_value(case)
    assert answer.status == ("separates" if expected < np.inf else "penetrates")
    if expected < np.inf:
        assert answer.value == pytest.approx(expected, rel=1e-6, abs=1e-8 * answer.problem.scale**2)
        assert answer.lower_bound <= answer.value * (1.0 + 1e-9)
        forged = dataclasses.replace(answer, acceleration=1.01 * answer.acceleration)
        assert not forged.verify() or answer.value < 1e-6


def test_contacts_that_cannot_press_enough_let_the_object_in():
    weak = hf.ForceVolume([np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)])])
    assembly = hf.Assembly([floor_contact([x, y, -0.1], weak) for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    answer = hf.separation(assembly, hf.loads.gravity_wrench(1.0), mass_matrix(1.0, 0.01 * np.eye(3)))
    assert answer.status == "penetrates" and answer.verify()


def test_mass_matrices_about_the_origin_have_the_energy_of_the_moving_body():
    rng = np.random.default_rng(0)
    inertia, com, twist = np.diag([0.1, 0.2, 0.15]), np.array([0.1, -0.3, 0.2]), rng.normal(size=6)
    speed = twist[:3] + np.cross(twist[3:], com)
    energy = 2.0 * speed @ speed + twist[3:] @ inertia @ twist[3:]
    assert twist @ mass_matrix(2.0, inertia, com) @ twist == pytest.approx(energy)
    box = hf.dynamics.box_inertia(3.0, (0.2, 0.4, 0.6))
    np.testing.assert_allclose(np.diag(box), 0.25 * np.array([0.52, 0.4, 0.2]), atol=1e-12)
