"""Probabilities, intervals, limits, curves, quantiles and failure modes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import (
    Probability,
    compare_probabilities,
    confidence_per_look,
    difference_interval,
    failure_modes,
    load_limit_samples,
    looks,
    probability,
    probability_along,
    quantile_ranks,
    quantile_volume,
    share_interval,
    size_curve,
)
from holdfast.reliability.scatter import Band, Distribution, Scatter
from holdfast.statics.paths import rotating_gravity
from tests.reliability.closed_forms import UP, below, parallel, series, single


@pytest.mark.parametrize(("count", "n"), [(0, 10), (3, 10), (10, 10), (997, 1000)])
def test_the_interval_of_a_share_is_clopper_and_pearsons(count, n):
    exact = stats.binomtest(count, n).proportion_ci(0.95, method="exact")
    assert share_interval(count, n, 0.95) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_all_that_hold_leave_a_little_room_below_one():
    low, high = share_interval(1000, 1000, 0.95)
    assert high == 1.0 and 0.996 < low < 1.0
    assert share_interval(0, 0, 0.95) == (0.0, 1.0)


def test_undecided_draws_count_both_ways():
    low, high = share_interval(80, 100, 0.95, undecided=5)
    assert low == share_interval(80, 100, 0.95)[0] and high == share_interval(85, 100, 0.95)[1]
    assert share_interval(95, 100, 0.95, undecided=5)[1] == 1.0


@pytest.mark.parametrize("p", [0.001, 0.05, 0.3, 0.5, 0.77, 0.999])
def test_shares_are_covered_with_the_stated_confidence_for_any_probability(p):
    n = 60
    covers = [low <= p <= high for low, high in (share_interval(c, n, 0.9) for c in range(n + 1))]
    assert stats.binom.pmf(np.arange(n + 1), n, p) @ covers >= 0.9


@pytest.mark.parametrize("pair", [(0.1, 0.05), (0.3, 0.3), (0.0, 0.02)])
def test_differences_of_pairs_are_covered(pair):
    """Over every outcome of 30 pairs."""
    n, more, less = 30, *pair
    covered = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            low, high = difference_interval(a, b, n, 0.9)
            chance = stats.multinomial.pmf([a, b, n - a - b], n, [more, less, 1.0 - more - less])
            covered += chance * (low <= more - less <= high)
    assert covered >= 0.9


@pytest.mark.parametrize("n", [20, 59, 400])
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_order_statistics_cover_quantiles_of_any_distribution(n, share):
    """Ranks of uniform draws: the draw of rank r lies below the quantile when r draws or more do."""
    low, high = quantile_ranks(n, share, 0.9)
    below = stats.binom(n, share)
    too_high = below.cdf(low - 1)  # fewer than `low` draws lie below the quantile
    too_low = 1.0 - below.cdf(high - 1)
    assert too_high <= 0.05 and too_low <= 0.05
    assert below.cdf(low) > 0.05  # the next rank would be too bold
    assert 0 <= low < high <= n + 1


def test_few_draws_say_nothing_about_the_far_end():
    assert quantile_ranks(10, 0.05, 0.95)[0] == 0
    assert quantile_ranks(10, 0.95, 0.95)[1] == 11


def test_looks_double_and_share_the_risk():
    assert looks(10_000, None) == (10_000,) and looks(300, 0.1) == (300,)
    assert looks(5_000, 0.1) == (512, 1024, 2048, 4096, 5000)
    assert confidence_per_look(0.95, 5) == pytest.approx(0.99)


#: With 100 seeds and 95 %, fewer covering intervals than this would come once in 10,000 times.
LEAST_COVERING = int(stats.binom.ppf(1e-4, 100, 0.95))

CASES = {
    "one Gaussian": (single(), 0.8 * UP, Distribution("normal", 1.0, 0.3)),
    "one Weibull": (single(), 0.8 * UP, Distribution.weibull(1.1, 4.0)),
    "two in series": (series()[0], 0.8 * series()[1], Distribution("lognormal", 1.0, 0.3)),
    "two in parallel": (parallel(), 1.7 * UP, Distribution("normal", 1.0, 0.15)),
}


def chance(name: str) -> float:
    """Probability of holding, reckoned with scipy alone."""
    spread = CASES[name][2]
    if name == "one Gaussian":
        return 1.0 - below(spread, 0.8)
    if name == "one Weibull":
        return float(stats.weibull_min.sf(0.8, 4.0, scale=1.1))
    if name == "two in series":
        return (1.0 - below(spread, 0.8)) ** 2
    return float(stats.norm.sf(1.7, 2.0, 0.15 * np.sqrt(2.0)))  # the cut at zero is 6.7 deviations away


@pytest.mark.parametrize("name", CASES)
def test_the_interval_covers_the_closed_form_over_a_hundred_seeds(name):
    assembly, wrench, spread = CASES[name]
    true, covering, values = chance(name), 0, []
    for seed in range(100):
        found = probability(assembly, wrench, Scatter(strength=spread), n=200, seed=seed, threads=1)
        covering += found.interval[0] <= true <= found.interval[1]
        values.append(found.value)
        assert found.n == 200 and found.holding + found.failures == 200
    assert covering >= LEAST_COVERING
    error = np.sqrt(true * (1.0 - true) / 200 / 100)
    assert abs(np.mean(values) - true) < 4.5 * error


def test_an_early_stop_keeps_the_stated_confidence_over_a_hundred_seeds():
    """Looks at growing data make intervals too narrow unless their risk is shared: here it is."""
    true, covering, stopped = chance("one Gaussian"), 0, set()
    for seed in range(100):
        spread = Scatter(strength=Distribution("normal", 1.0, 0.3))
        found = probability(single(), 0.8 * UP, spread, n=1500, seed=seed, width=0.099, threads=1)
        covering += found.interval[0] <= true <= found.interval[1]
        stopped.add(found.n)
        assert found.n in looks(1500, 0.099)
    assert covering >= LEAST_COVERING
    assert len(stopped) > 1  # the wanted width is reached now sooner, now later


def test_a_width_stops_as_soon_as_it_is_reached_and_n_is_the_end():
    spread = Scatter(strength=0.3)
    wide = probability(single(), 0.8 * UP, spread, n=4000, width=0.5)
    assert wide.n == 512 and wide.interval[1] - wide.interval[0] <= 0.5
    narrow = probability(single(), 0.8 * UP, spread, n=1200, width=1e-6)
    assert narrow.n == 1200 and narrow.schedule == (512, 1024, 1200)
    single_look = probability(single(), 0.8 * UP, spread, n=1200)
    assert single_look.outcomes.tolist() == narrow.outcomes.tolist()
    assert narrow.interval[0] < single_look.interval[0] and single_look.interval[1] < narrow.interval[1]


def test_what_always_holds_has_probability_one_with_an_honest_interval():
    found = probability(single(), 1e-9 * UP, Scatter(strength=Distribution("uniform", 1.0, 0.3)), n=500)
    assert found.value == 1.0 and found.failures == 0
    assert found.interval == (pytest.approx(0.025 ** (1 / 500)), 1.0)


def test_what_never_holds_has_probability_zero():
    found = probability(single(), 10.0 * UP, Scatter(strength=0.1), n=50)
    assert found.value == 0.0 and found.interval[0] == 0.0 and 0.0 < found.interval[1] < 0.1


def test_without_scatter_all_samples_are_the_plan():
    for load, value in ((0.99, 1.0), (1.01, 0.0)):
        assert probability(single(), load * UP, Scatter(), n=20).value == value


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads():
    spread = Scatter(strength=0.3, correlation=0.3)
    first, second = (probability(parallel(), 1.8 * UP, spread, n=1300, seed=4, threads=t) for t in (1, 3))
    assert first.outcomes.tobytes() == second.outcomes.tobytes()
    assert probability(parallel(), 1.8 * UP, spread, n=1300, seed=5).outcomes.tobytes() != first.outcomes.tobytes()


def test_samples_can_be_had_in_full_and_prove_their_verdict():
    found = probability(parallel(), 1.9 * UP, Scatter(strength=0.3, mass=0.1), n=200)
    for index in (*found.failing[:3].tolist(), *np.nonzero(found.outcomes == 1)[0][:3].tolist()):
        answer = hf.equilibrium(*found.sample(index))
        assert answer.verify() and answer.holds == bool(found.outcomes[index])


def test_undecided_samples_are_counted_apart_and_widen_the_interval_both_ways():
    plain = probability(single(), 0.8 * UP, Scatter(strength=0.3), n=100)
    outcomes = plain.outcomes.copy()
    outcomes[:10] = -1
    found = Probability(plain.sampler, 0, outcomes, 0.95, (100,))
    assert found.undecided == 10 and found.holding + found.failures == 90
    assert found.interval[0] == share_interval(found.holding, 100, 0.95)[0]
    assert found.interval[1] == share_interval(found.holding + 10, 100, 0.95)[1]
    assert found.value == found.holding / 90


def test_groups_make_contacts_one_unit():
    """Two contacts in parallel: as one unit their sum has twice the deviation of one."""
    spread = Scatter(strength=Distribution("normal", 1.0, 0.2))
    apart = probability(parallel(), 1.6 * UP, spread, n=4000)
    together = probability(parallel(), 1.6 * UP, spread, n=4000, groups=["one", "one"])
    assert apart.interval[0] < stats.norm.sf(1.6, 2.0, 0.2 * np.sqrt(2.0)) < apart.interval[1]
    assert together.interval[0] < stats.norm.sf(0.8, 1.0, 0.2) < together.interval[1]


def test_only_the_weight_has_errors_of_mass_and_centre_of_mass():
    load = 0.5 * UP
    still = probability(single(), load, Scatter(mass=0.5), n=200, weight=np.zeros(6))
    shaken = probability(single(), 1.8 * load, Scatter(mass=Distribution("uniform", 1.0, 0.3)), n=2000)
    assert still.value == 1.0
    low, high = shaken.interval
    assert low < below(Distribution("uniform", 1.0, 0.3), 1.0 / 0.9) < high


def test_pairs_of_designs_are_distinguished_where_separate_intervals_overlap():
    """A contact two per cent stronger: a difference far below the error of either probability."""
    spread = Scatter(strength=0.3)
    weak = probability(single(), 0.8 * UP, spread, n=2000)
    strong = probability(single(), 0.8 / 1.02 * UP, spread, n=2000)
    found = compare_probabilities(strong, weak)
    true = below(Distribution("normal", 1.0, 0.3), 0.8) - below(Distribution("normal", 1.0, 0.3), 0.8 / 1.02)
    assert found.interval[0] <= true <= found.interval[1] and found.interval[0] > 0.0
    assert weak.interval[1] > strong.interval[0]
    assert found.only_second == 0 and found.value == pytest.approx(strong.value - weak.value)


def test_differences_are_covered_over_a_hundred_seeds():
    spread, true = Distribution("normal", 1.0, 0.3), None
    true = (1.0 - below(spread, 0.7)) - (1.0 - below(spread, 0.8)) ** 2
    covering = 0
    for seed in range(100):
        one = probability(single(), 0.7 * UP, Scatter(strength=spread), n=150, seed=seed, threads=1)
        two = probability(series()[0], 0.8 * series()[1], Scatter(strength=spread), n=150, seed=seed, threads=1)
        low, high = compare_probabilities(one, two).interval
        covering += low <= true <= high
    assert covering >= LEAST_COVERING


def test_undecided_pairs_widen_a_difference():
    one = probability(single(), 0.8 * UP, Scatter(strength=0.3), n=100)
    outcomes = one.outcomes.copy()
    outcomes[:10] = -1
    other = Probability(one.sampler, 0, outcomes, 0.95, (100,))
    found = compare_probabilities(one, other)
    assert found.undecided == 10 and found.interval[0] < 0.0 < found.interval[1]


def test_pairs_need_the_same_seed():
    one, two = (probability(single(), UP, Scatter(strength=0.3), n=10, seed=seed) for seed in (0, 1))
    with pytest.raises(InputError, match="seed"):
        compare_probabilities(one, two)


@pytest.mark.parametrize(
    ("change", "where"),
    [({"n": 0}, "n"), ({"seed": -1}, "seed"), ({"confidence": 1.0}, "confidence"), ({"width": 0.0}, "width")],
)
def test_bad_questions_are_reported(change, where):
    with pytest.raises(InputError, match=where):
        probability(single(), UP, Scatter(strength=0.3), **change)


def test_only_results_are_compared():
    with pytest.raises(InputError, match=r"first: is a float.*holdfast\.probability"):
        compare_probabilities(0.3, 0.2)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="second: is a float"):
        compare_probabilities(probability(single(), UP, Scatter(strength=0.3), n=10), 0.2)  # pyright: ignore[reportArgumentType]


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
    path = rotating_gravity(device, towards=(0.0, 1.0, 0.0))
    curve = probability_along(path, angles, Scatter(strength=0.3), n=60)
    assert curve.values[0] > 0.95 and curve.values[2] == 0.0
    at = probability(*path(float(angles[1])), Scatter(strength=0.3), n=60)
    assert at.holding == curve.holding[1]


def test_negative_sizes_are_reported():
    limits = load_limit_samples(single(), UP, Scatter(strength=SPREAD), n=10)
    with pytest.raises(InputError, match="sizes"):
        size_curve(limits, [-1.0])


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


def test_bad_rays_are_reported():
    with pytest.raises(InputError, match="directions"):
        quantile_volume(single(), np.zeros((1, 6)), Scatter(strength=0.1))
    with pytest.raises(InputError, match="holding"):
        quantile_volume(single(), RAYS, Scatter(strength=0.1), holding=1.0)


def test_where_a_smaller_load_need_not_hold_there_is_no_quantile_volume() -> None:
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    volume = hf.ForceVolume([cube, cube * [1, 1, 0.5] + [0, 0, 5.5]])
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)])
    with pytest.raises(InputError, match="may not hold"):
        quantile_volume(assembly, [[0, 0, -1.0, 0, 0, 0]], Scatter(strength=0.2), n=50)


def test_the_tenth_of_a_hundred_is_the_same_by_both_ways_to_it() -> None:
    cube = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    assembly, load = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cube)]), [0, 0, -1.0, 0, 0, 0]
    one = hf.reliability.load_limit_samples(assembly, load, Scatter(strength=0.2), n=100).quantile(0.1)
    assert quantile_volume(assembly, [load], Scatter(strength=0.2), n=100, holding=0.9).values[0] == one.value
    with pytest.raises(InputError, match="confidence"):
        hf.reliability.load_limit_samples(assembly, load, Scatter(strength=0.2), n=100).quantile(0.1, confidence=95)


def strengths(limits) -> np.ndarray:
    draws = limits.sampler.plan.draws(limits.sampler.plan.scores(limits.seed, 0, limits.n))
    assert draws.scales is not None
    return draws.scales[:, :, 2]


def test_of_two_in_series_the_weaker_one_gives_way_alone():
    assembly, wrench = series()
    limits = load_limit_samples(assembly, wrench, Scatter(strength=0.3), n=300)
    failures = failure_modes(limits)
    weaker = strengths(limits).argmin(axis=1)
    assert failures.names == ("a", "b", "joints")
    np.testing.assert_array_equal(failures.shares[:, :2].argmax(axis=1), weaker)
    np.testing.assert_allclose(failures.shares[:, :2].max(axis=1), 1.0, atol=1e-6)
    below = strengths(limits).min(axis=1) < 1.0  # where it is weaker than planned it is to blame
    np.testing.assert_array_equal(failures.blamed[below], weaker[below])
    np.testing.assert_array_equal(failures.fails, strengths(limits).min(axis=1) < 1.0)


def test_of_two_in_parallel_both_give_way_and_the_weaker_one_is_to_blame():
    limits = load_limit_samples(parallel(), 2.0 * UP, Scatter(strength=0.3), n=300)
    failures, strength = failure_modes(limits), strengths(limits)
    np.testing.assert_allclose(failures.shares[:, :2], strength / strength.sum(axis=1, keepdims=True), atol=1e-5)
    some = strength.min(axis=1) < 1.0
    np.testing.assert_array_equal(failures.blamed[some], strength.argmin(axis=1)[some])
    assert failures.involved()["a"] == failures.involved()["b"] == 1.0
    assert sum(failures.frequencies().values()) == pytest.approx(1.0)
    assert sum(failures.frequencies(failing=True).values()) == pytest.approx(1.0)
    assert sum(failures.mean_shares.values()) == pytest.approx(1.0)


def test_without_scatter_the_largest_share_counts():
    two = hf.Assembly(
        [
            hf.Contact(np.zeros(3), np.eye(3), single().contacts[0].volume.scaled(s), name)
            for s, name in ((1, "a"), (3, "b"))
        ]
    )
    failures = failure_modes(load_limit_samples(two, UP, Scatter(), n=3))
    assert failures.frequencies() == {"a": 0.0, "b": 1.0, "joints": 0.0}


def test_a_joint_that_gives_way_has_its_share():
    """The row bears 0.5 N of the pull: the contact never comes to its limit."""
    joints = hf.JointRows(np.array([[0.0, 0.0, 1.0]]), [-0.5], [0.5])
    assembly = hf.Assembly(single().contacts, joints)
    failures = failure_modes(load_limit_samples(assembly, UP, Scatter(strength=0.1), n=20))
    assert failures.mean_shares["joints"] == pytest.approx(1.0)
    assert failures.involved() == {"a": 0.0, "joints": 1.0}


def test_with_bands_the_weak_level_is_to_blame():
    volume = single().contacts[0].volume
    band = Band(volume, [volume.scaled(0.5), volume])
    limits = load_limit_samples(parallel(), UP, Scatter(bands=[band]), n=100)
    failures = failure_modes(limits)
    uneven = np.isclose(limits.values, 1.5, rtol=1e-5)
    assert uneven.any()
    np.testing.assert_allclose(failures.shares[uneven][:, :2].max(axis=1), 2.0 / 3.0, rtol=1e-4)
    np.testing.assert_array_equal(failures.blamed[uneven], failures.shares[uneven][:, :2].argmin(axis=1))


def test_where_there_is_no_limit_nothing_is_known():
    cone = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    failures = failure_modes(load_limit_samples(cone, -UP, Scatter(friction=0.2), n=5))
    assert (failures.blamed == -1).all() and not failures.fails.any()
    assert failures.frequencies() == {"contact 0": 0.0, "joints": 0.0}


def test_a_probability_has_no_limits_to_look_at():
    found = hf.probability(single(), UP, Scatter(strength=0.3), n=10)
    with pytest.raises(InputError, match="limits: is a Probability.*load_limit_samples"):
        failure_modes(found)  # pyright: ignore[reportArgumentType]
