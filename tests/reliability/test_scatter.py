"""Distributions, bands, scatter and draws: against closed forms, and that the same seed gives the same samples."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import HoldfastError, InputError, UnknownNameError
from holdfast.force_limits.samples import direction_grid
from holdfast.reliability.scatter import (
    BLOCK,
    LEAST_FACTOR,
    Band,
    Distribution,
    Draws,
    Plan,
    Scatter,
    checked_units,
    distribution,
    moved_maps,
    sample_wrenches,
    surface_at,
    units_of,
)
from tests.referee import block
from tests.reliability.closed_forms import parallel

SCORES = np.linspace(-4.0, 4.0, 17)


@pytest.mark.parametrize(
    ("made", "theirs"),
    [
        (Distribution.normal(1.2, 0.3), stats.truncnorm(-4.0, np.inf, loc=1.2, scale=0.3)),
        (Distribution.lognormal(0.9, 0.4), stats.lognorm(0.4, scale=0.9)),
        (Distribution.weibull(1.1, 3.5), stats.weibull_min(3.5, scale=1.1)),
        (Distribution.weibull(2.0, 0.8), stats.weibull_min(0.8, scale=2.0)),
        (Distribution.uniform(0.2, 1.4), stats.uniform(0.2, 1.2)),
    ],
)
def test_values_are_the_quantiles_at_the_scores(made, theirs):
    np.testing.assert_allclose(made.values(SCORES), theirs.isf(ndtr(-SCORES)), rtol=1e-8)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "weibull", "uniform"])
@pytest.mark.parametrize("variation", [0.01, 0.3, 0.5])
def test_mean_and_variation_are_those_asked_for(kind, variation):
    """By integration over the scores; the cut of a normal factor at zero lifts its mean, by a known amount."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    values = Distribution(kind, 2.0, variation).values(nodes)
    mean = weights @ values / weights.sum()
    deviation = np.sqrt(weights @ (values - mean) ** 2 / weights.sum())
    if kind == "normal":
        cut = stats.truncnorm(-1.0 / variation, np.inf, loc=2.0, scale=2.0 * variation)
        assert (mean, deviation) == pytest.approx((cut.mean(), cut.std()), rel=1e-3)
        assert variation > 0.3 or mean == pytest.approx(2.0, rel=5e-4)
    else:
        assert (mean, deviation) == pytest.approx((2.0, 2.0 * variation), rel=2e-3)


def test_no_variation_is_the_mean_and_no_factor_is_zero():
    assert (Distribution("weibull", 0.7, 0.0).values(SCORES) == 0.7).all()
    assert Distribution("weibull", 1.0, 3.0).values(np.array([-30.0]))[0] == LEAST_FACTOR


def test_plain_data_give_the_same_distribution_back():
    made = Distribution.weibull(1.1, 3.5)
    assert Distribution.from_dict(made.to_dict()) == made


def test_a_number_is_a_variation_and_nothing_is_nothing():
    assert distribution("strength", 0.3) == Distribution("normal", 1.0, 0.3)
    assert distribution("strength", 0) is None and distribution("strength", None) is None
    assert distribution("strength", Distribution("lognormal", 1.0, 0.0)) is None
    assert distribution("strength", Distribution("normal", 0.9, 0.0)) is not None  # weaker than planned, surely


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: distribution("strength", -0.1), "strength: is -0.1"),
        (lambda: distribution("strength", "much"), "strength"),
        (lambda: Distribution("normal", 1.0, -0.3), "variation"),
        (lambda: Distribution("normal", 0.0, 0.3), "mean"),
        (lambda: Distribution("normal", 1.0, float("nan")), "variation"),
        (lambda: Distribution("uniform", 1.0, 0.9), "variation"),  # it would reach below zero
        (lambda: Distribution.uniform(1.0, 0.5), "high"),
    ],
)
def test_what_makes_no_sense_is_reported(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_an_unknown_family_names_those_there_are():
    with pytest.raises(UnknownNameError, match="weibull"):
        Distribution("weibul", 1.0, 0.3)  # pyright: ignore[reportArgumentType]


def test_a_small_mean_stays_small() -> None:
    assert Distribution("normal", 1e-7, 0.1).values(np.zeros(2)) == pytest.approx([1e-7, 1e-7])


def measured() -> hf.LimitSurface:
    """A ball of 10 N whose trials scatter by half as much upwards as sideways."""
    rays = direction_grid(0.5)
    spread = 1.0 + np.abs(rays[:, 0]) - 0.5 * np.abs(rays[:, 2])
    return hf.LimitSurface(rays, np.full(len(rays), 10.0), lower=10.0 - spread, upper=10.0 + 2.0 * spread)


@pytest.mark.parametrize(("quantile", "share"), [(0.0, -1.0), (0.25, -0.5), (0.5, 0.0), (0.75, 1.0), (1.0, 2.0)])
def test_each_direction_climbs_from_its_least_limit_to_its_greatest(quantile, share):
    surface = measured()
    spread = surface.radii - surface.lower
    np.testing.assert_allclose(surface_at(surface, quantile).radii, 10.0 + share * spread)


def test_levels_are_nested_and_start_at_the_inner_surface():
    surface = measured()
    band = Band.of_surface(surface, levels=3, max_pieces=2)
    reach = [level.radial(surface.directions) for level in band.levels]
    assert (reach[0] <= surface.lower * (1 + 1e-9)).all()
    assert all((reach[i].mean() < reach[i + 1].mean()) for i in range(2))
    assert (reach[2] <= surface_at(surface, 2 / 3).radii * (1 + 1e-9)).all()


def test_shares_of_the_nominal_volume_are_recognised_and_others_are_not():
    volume = hf.models.microspine()
    band = Band(volume, [volume])
    assert band.share(volume.scaled(0.25)) == pytest.approx(0.25)
    assert band.share(volume.stretched(1.1)) is None
    assert band.share(hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])) is None
    cone = hf.models.coulomb(0.5)
    assert Band(cone, [cone]).share(hf.models.coulomb(0.6)) is None


def test_plain_data_give_the_same_band_back():
    cone = hf.models.coulomb(0.5)
    back = Band.from_dict(Band(cone, [hf.models.coulomb(0.4), cone]).to_dict())
    assert (
        back.levels[0].fingerprint == hf.models.coulomb(0.4).fingerprint
        and back.nominal.fingerprint == cone.fingerprint
    )


def test_bad_bands_are_reported():
    volume = hf.models.coulomb(0.5)
    with pytest.raises(InputError, match="levels"):
        Band(volume, [])
    with pytest.raises(InputError, match=r"levels\[1\]"):
        Band(volume, [volume, 0.5])  # pyright: ignore[reportArgumentType]


FULL = {
    "strength": Distribution("weibull", 1.0, 0.3),
    "friction": 0.1,
    "units": {"left": 0.2, "right": 0.0},
    "correlation": 0.4,
    "position": (0.001, 0.0, 0.002),
    "position_correlation": 0.0,
    "mass": 0.02,
    "com": 0.005,
}


def test_json_gives_the_same_scatter_back():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    scatter = Scatter(**FULL, bands=[Band(volume, [volume.scaled(0.8), volume])])
    back = Scatter.from_dict(json.loads(json.dumps(scatter.to_dict())))
    assert back.to_dict() == scatter.to_dict()
    assert pickle.loads(pickle.dumps(scatter)).to_dict() == scatter.to_dict()
    assert back.units["right"] is None and not back.is_zero


def test_zero_scatter_is_no_scatter():
    assert Scatter().is_zero and Scatter(strength=0.0, position=0.0, mass=0).is_zero
    assert Scatter(strength=0.0).to_dict() == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strength", -0.3),
        ("friction", -1e-9),
        ("mass", -0.1),
        ("position", -0.001),
        ("position", (0.001, -0.001, 0.0)),
        ("com", -1.0),
        ("correlation", 1.1),
        ("position_correlation", -0.1),
        ("units", {"a": -0.2}),
    ],
)
def test_negative_scatter_is_an_error_that_names_it(name, value):
    with pytest.raises(InputError, match=name):
        Scatter(**{name: value})


def test_millimetres_given_as_metres_are_noticed():
    with pytest.raises(InputError, match="position: is 2 m"):
        Scatter(position=2.0)


def test_units_are_the_patches_that_contacts_are_named_after():
    device = hf.devices.two_finger_gripper("D", "MD")
    assert list(dict.fromkeys(units_of(device.assembly()))) == ["left D", "right M", "right D"]
    contact = parallel().contacts[0]
    named = [hf.Contact(np.zeros(3), np.eye(3), contact.volume, name) for name in ("pad/0", "pad/1", "", "hook")]
    assert units_of(hf.Assembly(named)) == ("pad", "pad", "contact 2", "hook")
    assert units_of(parallel(), ["one", "one"]) == ("one", "one")
    with pytest.raises(InputError, match="groups"):
        units_of(parallel(), ["one"])


def test_units_are_those_of_the_contacts_whatever_their_names():
    volume = parallel().contacts[0].volume
    pose = hf.Pose(np.eye(3), np.zeros(3))
    patches = [hf.Patch.rectangle(pose, (0.1, 0.1), volume, name=name) for name in ("pad", "pad", "foot", "")]
    shifted = [patch.moved(hf.Pose(np.eye(3), [i, 0.0, 0.0])) for i, patch in enumerate(patches)]
    alone = hf.Contact(np.zeros(3), np.eye(3), volume, "pad[7]", unit=hf.assembly.Unit("hook"))
    contacts = [*(contact for patch in shifted for contact in patch.contacts), alone]
    names = units_of(hf.Assembly(contacts))
    assert names[::4] == ("pad (0)", "pad (4)", "foot", "contacts 12 to 15", "hook")
    assert all(names[i] == names[i - i % 4] for i in range(16))


def test_a_unit_that_is_not_there_is_reported():
    with pytest.raises(UnknownNameError, match="did you mean 'a'"):
        checked_units(Scatter(units={"aa": 0.1}), ["a", "b"])


def test_contacts_of_one_name_that_are_no_patch_are_units_of_their_own() -> None:
    volume = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    names = ("pad", "pad", "foot[0]", "foot[1]", "", "hook")
    assembly = hf.Assembly([hf.Contact((x, 0, 0), np.eye(3), volume, name) for x, name in enumerate(names)])
    assert units_of(assembly) == ("pad (0)", "pad (1)", "foot", "foot", "contact 4", "hook")


@pytest.mark.parametrize(
    "data", [{"bogus": 1}, {"strength": {"kind": "weibull"}}, [1], {"units": [1]}, {"bands": 5}, {"bands": [5]}]
)
def test_data_that_are_no_scatter_are_refused(data: Any) -> None:
    with pytest.raises(HoldfastError):
        Scatter.from_dict(data) if not isinstance(data, dict) or "bands" not in data else Scatter(**data)


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
    """For any other units, in any order."""
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
    maps = moved_maps(assembly, assembly.layout.maps, draws, 2)
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
