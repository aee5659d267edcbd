"""Load limits of specimens and their quantiles, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import load_limit_samples, probability
from holdfast.reliability.scatter import Distribution, Scatter
from tests.reliability.closed_forms import UP, parallel, single

SPREAD = Distribution("lognormal", 1.0, 0.3)


def test_limits_are_the_strengths_of_a_single_contact():
    limits = load_limit_samples(single(), 0.5 * UP, Scatter(strength=SPREAD), n=100)
    plan = limits.sampler.plan
    np.testing.assert_allclose(limits.values, SPREAD.values(plan.scores(0, 0, 100)[:, 0]) / 0.5, rtol=1e-6)
    assert limits.every_smaller_load_holds and limits.n == 100


def test_a_limit_above_one_is_a_sample_that_holds():
    asked = parallel(), 1.9 * UP, Scatter(strength=0.3, mass=0.1)
    limits, verdicts = load_limit_samples(*asked, n=300, seed=3), probability(*asked, n=300, seed=3)
    np.testing.assert_array_equal(limits.values >= 1.0, verdicts.outcomes == 1)


def test_quantiles_are_covered_over_a_hundred_seeds():
    sigma = np.sqrt(np.log1p(0.09))
    true = float(stats.lognorm.ppf(0.05, sigma, scale=np.exp(-0.5 * sigma**2)))
    covering = 0
    for seed in range(100):
        limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=150, seed=seed, threads=1)
        found = limits.quantile(0.05)
        covering += found.interval[0] <= true <= found.interval[1]
        assert (limits.values < found.value).mean() <= 0.05
    assert covering >= int(stats.binom.ppf(1e-4, 100, 0.95))


def test_too_few_samples_leave_the_far_end_open():
    limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=10)
    assert limits.quantile(0.05).interval[0] == -np.inf and limits.quantile(0.95).interval[1] == np.inf


def test_joint_preload_needs_a_load_and_limits_do_not_tell_that():
    device = hf.devices.two_opposed_units()
    limits = load_limit_samples(device.assembly(), hf.devices.PULL, Scatter(strength=0.2), n=5)
    assert not limits.every_smaller_load_holds


def test_the_zero_wrench_has_no_limit():
    with pytest.raises(InputError, match="zero wrench"):
        load_limit_samples(single(), 0.0 * UP, Scatter(strength=0.1))
