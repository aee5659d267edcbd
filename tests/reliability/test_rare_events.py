"""Design points, mixtures and importance sampling against closed forms and plain sampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import probability
from holdfast.reliability.rare_events import MOST_MODES, Mixture, design_points, failure_probability, mixture_at
from holdfast.reliability.sampling import Sampler
from holdfast.reliability.scatter import Distribution, Scatter
from tests.reliability.closed_forms import UP, below, parallel, series, single


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
def test_a_single_contact_fails_where_its_strength_is_the_load(kind):
    spread = Distribution(kind, 1.0, 0.2)
    sampler = Sampler.of(single(), 0.4 * UP, Scatter(strength=spread))
    points, cost = design_points(sampler, 50, 0, 1)
    assert len(points) and cost >= 50
    np.testing.assert_allclose(points[:, 0], stats.norm.ppf(below(spread, 0.4)), rtol=1e-3)


def test_contacts_that_share_a_load_are_both_weak():
    """The nearest point of s_1 + s_2 = 1.4 to the middle is where both have strength 0.7."""
    sampler = Sampler.of(parallel(), 1.4 * UP, Scatter(strength=0.1))
    points, _ = design_points(sampler, 50, 0, 1)
    np.testing.assert_allclose(points, np.tile([-3.0, -3.0], (len(points), 1)), atol=1e-2)


def test_either_of_two_links_may_be_the_weak_one():
    assembly, wrench = series()
    points, _ = design_points(Sampler.of(assembly, 0.5 * wrench, Scatter(strength=0.1)), 50, 0, 1)
    found = {tuple(point) for point in np.round(points, 1).tolist()}
    assert {(-5.0, 0.0), (0.0, -5.0)} <= {tuple(abs(x) * np.sign(x) + 0.0 for x in point) for point in found}


def test_what_cannot_fail_has_no_points():
    sampler = Sampler.of(single(), 0.1 * UP, Scatter(strength=Distribution("uniform", 1.0, 0.1)))
    assert len(design_points(sampler, 50, 0, 1)[0]) == 0


def test_alike_units_are_found_to_fail_alike():
    """A gripper that is the same left and right: each way to fail has its mirror image."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = np.array([0.0, 0.0, -9.81])
    sampler = Sampler.of(device.assembly(gravity), device.weight(gravity), Scatter(strength=0.3))
    mixture = mixture_at(design_points(sampler, 50, 0, 1)[0], 4, 0.1)
    nearest = mixture.shifts[1:5].round(1)
    assert list(sampler.plan.columns) == [f"strength/{name}" for name in ("left M", "left D", "right M", "right D")]
    mirrored = nearest[:, [2, 3, 0, 1]]
    assert sorted((nearest + 0.0).tolist()) == sorted((mirrored + 0.0).tolist()) and len(nearest) == 4


def test_every_part_gets_its_share_of_the_samples_spread_evenly():
    mixture = Mixture(np.zeros((3, 2)), np.array([0.1, 0.6, 0.3]))
    strata = mixture.strata(100)
    assert np.bincount(strata).tolist() == [10, 60, 30]
    assert np.bincount(strata[:50], minlength=3).tolist() == pytest.approx([5, 30, 15], abs=1)
    assert len(mixture.strata(7)) == 7


def test_weights_are_the_ratio_of_the_densities():
    shifts = np.array([[0.0, 0.0], [-3.0, 1.0], [0.5, 0.5]])
    mixture = Mixture(shifts, np.array([0.2, 0.5, 0.3]))
    scores = np.random.default_rng(0).normal(size=(50, 2))
    mixed = sum(
        share * stats.multivariate_normal(shift).pdf(scores)
        for share, shift in zip([0.2, 0.5, 0.3], shifts, strict=True)
    )
    np.testing.assert_allclose(mixture.weights(scores), stats.multivariate_normal(np.zeros(2)).pdf(scores) / mixed)


def test_weighted_means_have_no_bias():
    """P(z < -3) by samples shifted there."""
    mixture = Mixture(np.array([[0.0], [-3.0]]), np.array([0.1, 0.9]))
    strata = mixture.strata(100_000)
    scores = np.random.default_rng(1).normal(size=(100_000, 1)) + mixture.shifts[strata]
    weights = mixture.weights(scores)
    assert weights.mean() == pytest.approx(1.0, rel=0.02)
    assert (weights * (scores[:, 0] < -3.0)).mean() == pytest.approx(stats.norm.cdf(-3.0), rel=0.02)


def test_near_points_are_one_mode_and_the_nearest_to_the_middle_counts_most():
    mixture = mixture_at(np.array([[3.0, 0.0], [3.1, 0.1], [0.0, -4.0]]), 2, 0.1)
    np.testing.assert_array_equal(mixture.shifts, [[0.0, 0.0], [3.0, 0.0], [0.0, -4.0]])
    ratio = stats.norm.cdf(-4.0) / stats.norm.cdf(-3.0)
    np.testing.assert_allclose(mixture.shares, [0.1, 0.9 / (1 + ratio), 0.9 * ratio / (1 + ratio)])


def test_without_points_nothing_is_shifted_and_there_are_never_too_many():
    assert mixture_at(np.zeros((0, 3)), 3, 0.1).shifts.tolist() == [[0.0, 0.0, 0.0]]
    many = mixture_at(5.0 * np.eye(20), 20, 0.1)
    assert len(many.shares) == 1 + MOST_MODES and many.shares.sum() == pytest.approx(1.0)


LEAST_COVERING = int(stats.binom.ppf(1e-4, 100, 0.95))


def level_at(spread: Distribution, share: float) -> float:
    """The level that the factor stays below with probability `share`."""
    return float(spread.values(stats.norm.ppf(np.array([share])))[0])


GAUSS, WEIBULL = Distribution("normal", 1.0, 0.2), Distribution("weibull", 1.0, 0.2)

#: (assembly, load, strength, probability of failure), each about 1e-4.
RARE = {
    "one Gaussian": (single(), level_at(GAUSS, 1e-4) * UP, GAUSS, 1e-4),
    "one Weibull": (single(), level_at(WEIBULL, 1e-4) * UP, WEIBULL, 1e-4),
    "two in series": (series()[0], level_at(GAUSS, 5e-5) * series()[1], GAUSS, 1.0 - (1.0 - 5e-5) ** 2),
    "two in parallel": (
        parallel(),
        stats.norm.ppf(1e-4, 2.0, 0.15 * np.sqrt(2.0)) * UP,
        Distribution("normal", 1.0, 0.15),
        1e-4,
    ),
}


@pytest.mark.parametrize("name", RARE)
def test_one_in_ten_thousand_is_found_with_few_samples_over_a_hundred_seeds(name):
    assembly, wrench, spread, true = RARE[name]
    covering, samples, plain = 0, [], []
    for seed in range(100):
        found = failure_probability(assembly, wrench, Scatter(strength=spread), n=300, pilot=50, seed=seed, threads=1)
        covering += found.interval[0] <= true <= found.interval[1]
        samples.append(found.value)
        plain.append(found.plain_samples / (found.n + found.pilot))
        assert found.weights.max() <= 10.0 + 1e-9
    assert covering >= LEAST_COVERING
    assert np.mean(samples) == pytest.approx(true, rel=0.05)
    assert np.median(plain) > 50.0  # plain drawing would need that many times more


def test_it_agrees_with_plain_sampling_where_that_can_say_something():
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = np.array([0.0, 0.0, -9.81])
    asked = device.assembly(gravity), 1.7 * device.weight(gravity), Scatter(strength=0.3, com=0.002)
    rare, plain = failure_probability(*asked, n=600, pilot=100), probability(*asked, n=4000)
    low, high = 1.0 - plain.interval[1], 1.0 - plain.interval[0]
    assert plain.failures > 10
    assert rare.interval[0] <= high and low <= rare.interval[1]
    assert rare.variance < plain.value * (1.0 - plain.value) / plain.n
    failing = int(np.nonzero(rare.outcomes == 0)[0][0])
    answer = hf.equilibrium(*rare.sample(failing))
    assert not answer.holds and answer.verify()


def test_two_ways_to_fail_get_a_shift_each():
    assembly, wrench, spread, _ = RARE["two in series"]
    found = failure_probability(assembly, wrench, Scatter(strength=spread), n=100, pilot=50)
    shifts = found.mixture.shifts[1:]
    wanted = stats.norm.ppf(5e-5)
    np.testing.assert_allclose(shifts[np.argsort(shifts[:, 0])], [[wanted, 0.0], [0.0, wanted]], atol=0.01)


def test_without_a_failure_in_sight_the_interval_does_not_claim_to_know():
    found = failure_probability(single(), 0.2 * UP, Scatter(strength=Distribution("uniform", 1.0, 0.1)), n=200)
    assert found.value == 0.0 and found.interval[0] == 0.0 and found.interval[1] > 0.003
    assert np.isnan(found.plain_samples) and found.effective_failures == 0.0


def test_undecided_samples_raise_the_upper_end_alone():
    assembly, wrench, spread, _ = RARE["one Gaussian"]
    found = failure_probability(assembly, wrench, Scatter(strength=spread), n=300, pilot=50)
    outcomes = found.outcomes.copy()
    outcomes[np.nonzero(outcomes == 1)[0][:20]] = -1
    changed = replace(found, outcomes=outcomes)
    assert changed.value == found.value and changed.interval[0] == pytest.approx(found.interval[0])
    assert changed.interval[1] > found.interval[1] and changed.undecided == 20


def test_the_same_seed_gives_the_same_numbers():
    assembly, wrench, spread, _ = RARE["two in parallel"]
    first, second = (failure_probability(assembly, wrench, Scatter(strength=spread), n=100, threads=t) for t in (1, 2))
    assert first.value == second.value and first.to_dict() == second.to_dict()


def test_what_cannot_be_asked_is_reported():
    with pytest.raises(InputError, match="nothing varies"):
        failure_probability(single(), UP, Scatter())
    with pytest.raises(InputError, match="zero wrench"):
        failure_probability(single(), 0.0 * UP, Scatter(strength=0.1))


def test_the_closed_forms_are_what_they_claim():
    assert below(GAUSS, level_at(GAUSS, 1e-4)) == pytest.approx(1e-4, rel=1e-6)


def test_failing_below_the_limit_is_within_the_interval() -> None:
    """A joint wants 8.7 to 11.3 N: specimens fail by too little load as well, which no limit tells."""
    from scipy.stats import norm

    cube = hf.ForceVolume([20.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])])
    rows = hf.JointRows(np.array([[0, 0, 1.0]]), np.array([8.7]), np.array([11.3]))
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cube)], rows)
    truth = 2.0 * norm.sf(3.25)
    for seed in range(4):
        low, high = failure_probability(assembly, [0, 0, -10, 0, 0, 0], Scatter(mass=0.04), n=400, seed=seed).interval
        assert low <= truth <= high


def test_a_failure_that_is_not_rare_is_no_surer_than_certain() -> None:
    cube = hf.ForceVolume([20.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])])
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cube)])
    found = failure_probability(assembly, [0, 0, -30, 0, 0, 0], Scatter(strength=0.2), n=100, seed=2)
    assert 0.99 < found.value <= 1.0 and not found.plain_samples < 0.0
