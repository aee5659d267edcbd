"""Distributions of factors: a unit is 0.8 times, another 1.3 times as strong as planned.

Each family has two parameters, a mean and a coefficient of variation (standard deviation over mean). A value is made
from a standard normal score z as the quantile at Phi(z), so that values of all families are correlated, shifted and
drawn in one and the same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError

Kind = Literal["normal", "lognormal", "weibull", "uniform"]

#: No factor is a smaller share of its mean: a contact of no strength at all has no volume any more.
LEAST_FACTOR = 1e-6

#: Coefficients of variation beyond this are a mistake (per cent given as numbers, say).
LARGEST_VARIATION = 3.0

#: The same of the logarithm of a lognormal factor.
LARGEST_SIGMA = math.sqrt(math.log1p(LARGEST_VARIATION**2))

#: Weibull shapes between which a coefficient of variation is looked for.
WEIBULL_SHAPES = (0.2, 1e7)


@dataclass(frozen=True)
class Distribution:
    """Of a factor above zero.

    Attributes:
        kind: "normal" (cut off at zero), "lognormal", "weibull" or "uniform".
        mean: of the factor; of a normal one before it is cut off at zero, which below a variation of 0.3 changes the
            mean by less than 0.05 %.
        variation: coefficient of variation: standard deviation over mean. Zero: the factor is `mean`, always.
    """

    kind: Kind = "normal"
    mean: float = 1.0
    variation: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownNameError("distribution", str(self.kind), get_args(Kind), where="kind")
        object.__setattr__(self, "mean", checks.positive("mean", self.mean))
        high = 1.0 / math.sqrt(3.0) if self.kind == "uniform" else LARGEST_VARIATION
        object.__setattr__(self, "variation", checks.number("variation", self.variation, low=0.0, high=high))

    @staticmethod
    def normal(mean: float, deviation: float) -> Distribution:
        """A normal factor of that mean and standard deviation, cut off at zero."""
        deviation = checks.number("deviation", deviation, low=0.0)
        return Distribution("normal", mean, deviation / checks.positive("mean", mean))

    @staticmethod
    def lognormal(median: float, sigma: float) -> Distribution:
        """A factor whose logarithm is normal about log(median) with standard deviation `sigma`."""
        s = checks.number("sigma", sigma, low=0.0, high=LARGEST_SIGMA)
        return Distribution("lognormal", checks.positive("median", median) * math.exp(0.5 * s * s), _of_sigma(s))

    @staticmethod
    def weibull(scale: float, shape: float) -> Distribution:
        """A factor that exceeds x with probability exp(-(x / scale) ** shape)."""
        k = checks.number("shape", shape, low=WEIBULL_SHAPES[0], high=WEIBULL_SHAPES[1])
        return Distribution("weibull", checks.positive("scale", scale) * math.gamma(1.0 + 1.0 / k), _of_shape(k))

    @staticmethod
    def uniform(low: float, high: float) -> Distribution:
        """A factor anywhere from `low` >= 0 to `high`, equally likely."""
        low = checks.number("low", low, low=0.0)
        high = checks.number("high", high, low=low)
        middle = checks.positive("high", 0.5 * (low + high))
        return Distribution("uniform", middle, (high - low) / (2.0 * math.sqrt(3.0)) / middle)

    def values(self, scores: Array) -> Array:
        """The factors of standard normal scores: quantiles at Phi(scores), never below LEAST_FACTOR of the mean."""
        from scipy.special import log_ndtr, ndtr, ndtri

        z = np.asarray(scores, dtype=np.float64)
        if self.variation == 0.0:
            return np.full(z.shape, self.mean)
        if self.kind == "normal":
            cut = ndtr(-1.0 / self.variation)  # what lies below zero and is left out
            # Far up in the tail Phi(z) rounds to one; nothing is left out there that could be seen.
            inside = np.where(z < 0.0, ndtri(cut + ndtr(z) * (1.0 - cut)), -ndtri(ndtr(-z) * (1.0 - cut)))
            factors = 1.0 + self.variation * inside
        elif self.kind == "lognormal":
            sigma = math.sqrt(math.log1p(self.variation**2))
            factors = np.exp(sigma * z - 0.5 * sigma * sigma)
        elif self.kind == "weibull":
            shape = self._shape
            factors = (-log_ndtr(-z)) ** (1.0 / shape) / math.gamma(1.0 + 1.0 / shape)
        else:
            factors = 1.0 + math.sqrt(3.0) * self.variation * (2.0 * ndtr(z) - 1.0)
        return self.mean * np.maximum(factors, LEAST_FACTOR)

    @cached_property
    def _shape(self) -> float:
        """The Weibull shape of this coefficient of variation."""
        from scipy.optimize import brentq

        low, high = (math.log(end) for end in WEIBULL_SHAPES)
        if _of_shape(math.exp(high)) >= self.variation:
            return math.exp(high)
        return math.exp(brentq(lambda k: _of_shape(math.exp(k)) - self.variation, low, high, xtol=1e-14))  # pyright: ignore[reportArgumentType]

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `from_dict` reads it back."""
        return {"kind": self.kind, "mean": self.mean, "variation": self.variation}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Distribution:
        """From what `to_dict` gave."""
        known = ("kind", "mean", "variation")
        if not isinstance(data, Mapping) or set(data) != set(known):
            raise InputError(f"is {data!r}", where="distribution", fix=f"give {', '.join(known)}")
        return Distribution(data["kind"], data["mean"], data["variation"])


def distribution(name: str, value: Distribution | float | None) -> Distribution | None:
    """`value` as a distribution; a number is the coefficient of variation of a normal factor of mean 1.

    None when nothing varies. A negative number is an error that says so of `name`.
    """
    if value is None:
        return None
    if isinstance(value, Distribution):
        return value if value.variation > 0.0 or value.mean != 1.0 else None
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, np.floating, np.integer)):
        fix = "give a coefficient of variation such as 0.3, or a holdfast.Distribution"
        raise InputError(f"is {value!r}", where=name, fix=fix)
    variation = checks.number(name, value, low=0.0, high=LARGEST_VARIATION)
    return Distribution("normal", 1.0, variation) if variation > 0.0 else None


def _of_sigma(sigma: float) -> float:
    """Coefficient of variation of a lognormal factor."""
    return math.sqrt(math.expm1(sigma * sigma))


def _of_shape(shape: float) -> float:
    """Coefficient of variation of a Weibull factor."""
    from scipy.special import gammaln

    ratio = float(gammaln(1.0 + 2.0 / shape) - 2.0 * gammaln(1.0 + 1.0 / shape))
    return math.sqrt(max(0.0, math.expm1(ratio)))
