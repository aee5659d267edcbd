"""Draws: the same for the same seed, shared by designs that share units, and of the correlation asked for."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.reliability.scatter import (
    BLOCK,
    Distribution,
    Draws,
    Plan,
    Scatter,
    moved_maps,
    sample_wrenches,
    units_of,
)

UNITS = ("left", "left", "right", "right", "right")
ALL = Scatter(strength=0.3, friction=0.2, correlation=0.5, position=0.01, position_correlation=0.25, mass=0.1, com=0.02)


def test_a_sample_does_not_depend_on_how_many_are_drawn():
    plan = Plan(ALL, UNITS)
    many = plan.scores(7, 0, 3 * BLOCK)
    np.testing.assert_array_equal(plan.scores(7, BLOCK - 3, BLOCK + 5), many[BLOCK - 3 : BLOCK + 5])
    np.testing.assert_array_equal(plan.scores(7, 1000, 1001), many[1000:1001])
    assert not np.array_equal(plan.scores(8, 0, 10), many[:10])
    assert plan.scores(7, 0, 0).shape == (0, plan.size)


def test_designs_that_share_a_unit_draw_the_same_for_it():
    """Whatever other units there are, and in whatever order."""
    one = Plan(Scatter(strength=0.3), ("left", "right"))
    other = Plan(Scatter(strength=0.3), ("middle", "right", "right", "left"))
    first, second = (plan.draws(plan.scores(3, 0, 50)).scales for plan in (one, other))
    assert first is not None and second is not None
    np.testing.assert_array_equal(first[:, [1, 0]], second[:, [1, 3]])
    assert not np.array_equal(second[:, 0], second[:, 1])


def test_scores_are_independent_and_standard_normal():
    plan = Plan(ALL, UNITS)
    scores = plan.scores(0, 0, 20_000)
    assert np.abs(scores.mean(axis=0)).max() < 0.035
    np.testing.assert_allclose(np.cov(scores.T), np.eye(plan.size), atol=0.05)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 1.0])
def test_contacts_of_a_unit_are_correlated_as_asked_and_units_are_not(correlation):
    scatter = Scatter(strength=Distribution("lognormal", 1.0, 0.3), correlation=correlation)
    plan = Plan(scatter, UNITS)
    scales = plan.draws(plan.scores(1, 0, 20_000)).scales
    assert scales is not None
    found = np.corrcoef(np.log(scales[:, :, 2]).T)
    same = np.array(UNITS)[:, None] == np.array(UNITS)
    wanted = np.where(np.eye(len(UNITS), dtype=bool), 1.0, np.where(same, correlation, 0.0))
    np.testing.assert_allclose(found, wanted, atol=0.03)


def test_each_quantity_has_the_spread_asked_for():
    plan = Plan(ALL, UNITS)
    draws = plan.draws(plan.scores(2, 0, 20_000))
    assert draws.scales is not None and draws.offsets is not None and draws.mass is not None and draws.com is not None
    np.testing.assert_allclose(draws.scales[:, :, 2].std(axis=0), 0.3, rtol=0.03)
    friction = draws.scales[:, :, 0] / draws.scales[:, :, 2]
    np.testing.assert_array_equal(draws.scales[:, :, 0], draws.scales[:, :, 1])
    np.testing.assert_allclose(friction.std(axis=0), 0.2, rtol=0.03)
    np.testing.assert_allclose(draws.offsets.std(axis=0), 0.01, rtol=0.03)
    assert np.corrcoef(draws.offsets[:, 0, 1], draws.offsets[:, 1, 1])[0, 1] == pytest.approx(0.25, abs=0.03)
    assert draws.mass.std() == pytest.approx(0.1, rel=0.03)
    np.testing.assert_allclose(draws.com.std(axis=0), 0.02, rtol=0.03)


def test_a_unit_may_have_a_strength_of_its_own():
    plan = Plan(Scatter(strength=0.3, units={"right": 0.0, "left": Distribution("uniform", 2.0, 0.1)}), UNITS)
    scales = plan.draws(plan.scores(0, 0, 100)).scales
    assert scales is not None
    assert (scales[:, 2:] == 1.0).all() and (scales[:, 0] == scales[:, 1]).all() and scales[:, 0].min() > 1.6


def test_nothing_varies_in_an_empty_scatter():
    plan = Plan(Scatter(), UNITS)
    assert plan.size == 0 and plan.draws(plan.scores(0, 0, 4)) == Draws(None, None, None, None, None)


def test_maps_are_those_of_contacts_that_stand_elsewhere_and_carry_more():
    """Against the layout that the changed assembly builds for itself, torques about the same point."""
    assembly = hf.devices.two_finger_gripper("D", "D").assembly()
    plan = Plan(ALL, units_of(assembly))
    draws = plan.draws(plan.scores(5, 0, 2))
    maps = moved_maps(assembly.layout.maps, draws, assembly.rotations, assembly.layout.row_scale, 2)
    assert draws.scales is not None and draws.offsets is not None
    rng = np.random.default_rng(0)
    for q in range(2):
        forces = rng.normal(size=(len(assembly), 3))
        world = np.einsum("kij,kj->ki", assembly.rotations, forces * draws.scales[q])
        centre = assembly.positions.mean(axis=0)
        torque = np.cross(assembly.positions + draws.offsets[q] - centre, world).sum(axis=0) / assembly.length
        found = np.einsum("kmi,ki->m", maps[q], forces)
        np.testing.assert_allclose(found[:6], [*world.sum(axis=0), *torque], atol=1e-12)


def test_mass_and_centre_of_mass_change_the_weight_alone():
    weight = gravity_wrench(2.0, com=(0.1, 0.0, 0.0))
    extra = np.array([1.0, 0.0, 0.0, 0.0, 0.5, 0.0])
    draws = Draws(None, None, None, np.array([1.1]), np.array([[0.01, 0.02, 0.0]]))
    found = sample_wrenches(weight + extra, weight, draws, 1)[0]
    np.testing.assert_allclose(found, extra + gravity_wrench(2.2, com=(0.11, 0.02, 0.0)), rtol=1e-12)
