"""Intervals, against scipy's and by reckoning their coverage out in full."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from holdfast.reliability.probabilities import (
    confidence_a_look,
    difference_interval,
    looks,
    quantile_ranks,
    share_interval,
)


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
def test_shares_are_covered_with_the_stated_confidence_whatever_they_are(p):
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
    assert confidence_a_look(0.95, 5) == pytest.approx(0.99)
