"""Probability of holding, against closed forms over a hundred seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import Probability, compare_probabilities, looks, probability, share_interval
from holdfast.reliability.scatter import Distribution, Scatter
from tests.reliability.closed_forms import UP, below, parallel, series, single

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


def test_the_same_seed_gives_the_same_bytes_whatever_the_threads():
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


def test_pairs_of_designs_are_told_apart_where_separate_intervals_overlap():
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
def test_bad_questions_are_told(change, where):
    with pytest.raises(InputError, match=where):
        probability(single(), UP, Scatter(strength=0.3), **change)


def test_only_results_are_compared():
    with pytest.raises(InputError, match=r"first: is a float.*holdfast\.probability"):
        compare_probabilities(0.3, 0.2)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="second: is a float"):
        compare_probabilities(probability(single(), UP, Scatter(strength=0.3), n=10), 0.2)  # pyright: ignore[reportArgumentType]
