"""What each contact does, against mechanics by hand."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import mass_matrix, separation
from holdfast.dynamics.separations import acceleration_scale, states_of
from tests.dynamics.closed_forms import GRAVITY, block, box_mass, floor_contact, tilted


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
