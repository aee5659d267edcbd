"""Quantile volumes, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import quantile_volume
from holdfast.reliability.scatter import Distribution, Scatter
from tests.reliability.closed_forms import UP, parallel, single

RAYS = np.concatenate([np.eye(6)[:3], -np.eye(6)[:3]])


def test_what_holds_with_95_per_cent_is_the_lower_quantile_along_every_ray():
    spread = Distribution.weibull(1.0, 5.0)
    found = quantile_volume(single(), RAYS, Scatter(strength=spread), n=1000)
    true = float(stats.weibull_min.ppf(0.05, 5.0))
    assert (found.lower <= true).all() and (true <= found.upper).all()
    assert np.ptp(found.values) < 1e-5  # the same samples for every ray of a cube
    np.testing.assert_allclose(found.planned, 1.0, rtol=1e-6)
    assert (found.lower <= found.values).all() and (found.values <= found.upper).all()


def test_it_is_nested_surer_is_smaller():
    values = [quantile_volume(parallel(), RAYS, Scatter(strength=0.3), n=300, holding=h).values for h in (0.5, 0.9)]
    assert (values[1] < values[0]).all()


def test_without_scatter_it_is_the_plan():
    found = quantile_volume(parallel(), RAYS[:2], Scatter(), n=100)
    np.testing.assert_allclose(found.values, found.planned, rtol=1e-6)
    np.testing.assert_allclose(found.lower, found.planned, rtol=1e-6)


def test_errors_of_the_mass_do_not_touch_rays():
    found = quantile_volume(single(), [UP], Scatter(mass=0.5, com=0.5), n=100)
    np.testing.assert_allclose(found.values, 1.0, rtol=1e-6)


def test_bad_rays_are_told():
    with pytest.raises(InputError, match="directions"):
        quantile_volume(single(), np.zeros((1, 6)), Scatter(strength=0.1))
    with pytest.raises(InputError, match="holding"):
        quantile_volume(single(), RAYS, Scatter(strength=0.1), holding=1.0)


def test_where_a_smaller_load_need_not_hold_there_is_no_quantile_volume() -> None:
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    volume = hf.ForceVolume([cube, cube * [1, 1, 0.5] + [0, 0, 5.5]])
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)])
    with pytest.raises(InputError, match="need not hold"):
        quantile_volume(assembly, [[0, 0, -1.0, 0, 0, 0]], Scatter(strength=0.2), n=50)


def test_the_tenth_of_a_hundred_is_the_same_by_both_ways_to_it() -> None:
    cube = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    assembly, load = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cube)]), [0, 0, -1.0, 0, 0, 0]
    one = hf.load_limit_samples(assembly, load, Scatter(strength=0.2), n=100).quantile(0.1)
    assert quantile_volume(assembly, [load], Scatter(strength=0.2), n=100, holding=0.9).values[0] == one.value
    with pytest.raises(InputError, match="confidence"):
        hf.load_limit_samples(assembly, load, Scatter(strength=0.2), n=100).quantile(0.1, confidence=95)
