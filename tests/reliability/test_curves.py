"""Probability against load size and along paths."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import load_limit_samples, probability, probability_along, size_curve
from holdfast.reliability.scatter import Distribution, Scatter
from holdfast.statics.moving.paths import turning
from tests.reliability.closed_forms import UP, below, single

SPREAD = Distribution("lognormal", 1.0, 0.3)


def test_the_curve_over_sizes_is_the_distribution_of_the_strength():
    sizes = np.linspace(0.0, 2.0, 9)
    limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=2000)
    curve = size_curve(limits, sizes, confidence=0.999)
    true = np.array([1.0 - below(SPREAD, size) for size in sizes])
    assert (curve.lower <= true).all() and (true <= curve.upper).all()
    assert (np.diff(curve.values) <= 0.0).all() and curve.values[0] == 1.0


def test_one_limit_a_sample_gives_what_tests_at_every_size_give():
    device = hf.devices.two_finger_gripper("D", "D")
    scatter = Scatter(strength=0.3)
    limits = load_limit_samples(device.assembly(), hf.devices.PULL, scatter, n=60)
    curve = size_curve(limits, [1.5, 2.5])
    for size, count in zip(curve.parameters, curve.holding, strict=True):
        tests = probability(device.assembly(), size * np.array(hf.devices.PULL), scatter, n=60)
        assert tests.holding == count and tests.undecided == 0


def test_where_a_preload_needs_a_load_sizes_are_asked_one_by_one():
    """The spring of the opposed units overpowers weak units even without a load: size 0 does not always hold."""
    device = hf.devices.two_opposed_units()
    limits = load_limit_samples(device.assembly(), hf.devices.PULL, Scatter(strength=0.5), n=80)
    curve = size_curve(limits, [0.0, 5.0])
    assert not limits.every_smaller_load_holds and 0 < curve.holding[0] < 80
    tests = probability(device.assembly(), 5.0 * np.array(hf.devices.PULL), Scatter(strength=0.5), n=80)
    assert tests.holding == curve.holding[1]


def test_open_limits_count_as_undecided():
    limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=50)
    loose = type(limits)(limits.sampler, 0, limits.values * 0.9, limits.values * 1.1, limits.multipliers, limits.forces)
    curve = size_curve(loose, [1.0])
    assert curve.undecided[0] == ((loose.values < 1.0) & (loose.upper_bounds >= 1.0)).sum() > 0
    assert curve.lower[0] < curve.values[0] < curve.upper[0]


def test_the_default_sizes_reach_from_nothing_to_beyond_the_limits():
    curve = size_curve(load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=100))
    assert curve.parameters[0] == 0.0 and curve.values[0] == 1.0 and curve.values[-1] < 0.05


def test_a_path_uses_the_same_samples_at_every_point():
    """A weight that turns from straight to aside; the contact carries as much either way at 0 and 90 degrees."""

    def path(angle: float) -> tuple[hf.Assembly, np.ndarray]:
        return single(), 0.8 * np.array([np.sin(angle), 0.0, np.cos(angle), 0.0, 0.0, 0.0])

    curve = probability_along(path, [0.0, np.pi / 4, np.pi / 2], Scatter(strength=0.3), n=500, name="angle [rad]")
    assert curve.holding[0] == curve.holding[2] < curve.holding[1] and curve.name == "angle [rad]"
    assert curve.to_dict()["n"] == 500


def test_gravity_that_turns_lets_go_ever_surer():
    device = hf.devices.two_finger_gripper("MD", "MD")
    angles = np.radians([0.0, 120.0, 150.0])
    path = turning(device, towards=(0.0, 1.0, 0.0))
    curve = probability_along(path, angles, Scatter(strength=0.3), n=60)
    assert curve.values[0] > 0.95 and curve.values[2] == 0.0
    at = probability(*path(float(angles[1])), Scatter(strength=0.3), n=60)
    assert at.holding == curve.holding[1]


def test_negative_sizes_are_told():
    limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=10)
    with pytest.raises(InputError, match="sizes"):
        size_curve(limits, [-1.0])
