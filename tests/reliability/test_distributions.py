"""Distributions of factors, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from holdfast.errors import InputError, UnknownNameError
from holdfast.reliability.scatter import LEAST_FACTOR, Distribution, distribution

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
def test_what_makes_no_sense_is_told(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_an_unknown_family_names_those_there_are():
    with pytest.raises(UnknownNameError, match="weibull"):
        Distribution("weibul", 1.0, 0.3)  # pyright: ignore[reportArgumentType]


def test_a_small_mean_stays_small() -> None:
    assert Distribution("normal", 1e-7, 0.1).values(np.zeros(2)) == pytest.approx([1e-7, 1e-7])
