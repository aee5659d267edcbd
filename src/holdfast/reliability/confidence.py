"""Intervals that hold what they promise: for shares, differences and quantiles, and for data looked at as they grow."""

from __future__ import annotations

import numpy as np

from .. import checks

#: Rounding of a share, relative to 1.
ROUNDING = 1e-12

#: Samples before the first look, when a wanted width may end the drawing early; each further look has twice as many.
FIRST_LOOK = 512


def share_interval(count: int, n: int, confidence: float, undecided: int = 0) -> tuple[float, float]:
    """Interval for the probability behind `count` of `n` draws, by Clopper and Pearson: never too narrow.

    It covers with at least `confidence`, whatever the probability is. `undecided` further draws may count or not: the
    lower end counts none of them, the upper end all.
    """
    from scipy.special import betaincinv

    tail = 0.5 * (1.0 - checks.number("confidence", confidence, low=0.0, high=1.0, ends="open"))
    if n == 0:
        return 0.0, 1.0
    most = count + undecided
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if most == n else float(betaincinv(most + 1, n - most, 1.0 - tail))
    return low, high


def difference_interval(more: int, less: int, n: int, confidence: float) -> tuple[float, float]:
    """Interval for P(more) - P(less) from n pairs, `more` of which differ one way and `less` the other.

    Both shares get an exact interval with half of the risk each; their difference covers with at least `confidence`.
    """
    each = 1.0 - 0.5 * (1.0 - confidence)
    low_more, high_more = share_interval(more, n, each)
    low_less, high_less = share_interval(less, n, each)
    return low_more - high_less, high_more - low_less


def quantile_index(n: int, share: float) -> int:
    """Index of the largest of n ordered draws that no more than `share` of them are below.

    A share such as 1 - 0.9 is a little off 0.1: what rounding took from share * n does not count.
    """
    return min(n - 1, int(np.floor(share * n + ROUNDING * n)))


def quantile_ranks(n: int, share: float, confidence: float) -> tuple[int, int]:
    """(low, high) ranks from 1 to n of the ordered draws between which the quantile at `share` lies.

    Rank 0 stands for minus infinity and n + 1 for plus infinity, where there are too few draws to say. Right for every
    distribution: the number of draws below the quantile is binomial.
    """
    from scipy.special import bdtr

    tail = 0.5 * (1.0 - confidence)
    below = bdtr(np.arange(n + 1), n, share)  # P(at most j draws lie below the quantile)
    # The quantile is at or above the draw of rank r unless fewer than r draws lie below it.
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left")) + 1
    return min(low, n), min(high, n + 1)


def looks(n: int, width: float | None) -> tuple[int, ...]:
    """Numbers of samples after which the interval is looked at: n alone, or doublings up to n when `width` may stop it.

    With L looks each interval is made with 1/L of the risk (Bonferroni), so that whichever is the last one covers with
    the stated confidence.
    """
    if width is None or n <= FIRST_LOOK:
        return (n,)
    schedule = [FIRST_LOOK]
    while 2 * schedule[-1] < n:
        schedule.append(2 * schedule[-1])
    return (*schedule, n)


def confidence_a_look(confidence: float, count: int) -> float:
    """The confidence of each of `count` intervals that together cover with `confidence`."""
    return 1.0 - (1.0 - confidence) / count
