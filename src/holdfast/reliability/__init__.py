"""How surely does it hold: probability under scatter, sensitivity of load limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader

if TYPE_CHECKING:
    from .bands import Band
    from .curves import ProbabilityCurve, probability_along, size_curve
    from .derivatives import Derivative, Sensitivity, sensitivity
    from .distributions import Distribution
    from .failing_units import FirstFailures, first_failures
    from .importance import FailureProbability, failure_probability
    from .intervals import Intervals
    from .least_changes import ChangeStatus, Costs, LeastChange, least_change
    from .limit_samples import LimitSamples, load_limit_samples
    from .probabilities import Probability, ProbabilityDifference, compare_probabilities, probability
    from .quantiles import QuantileVolume, quantile_volume
    from .robust import RobustLimit, robust_limit
    from .scatter import Scatter
    from .tornado_bars import Bar, Changes, Tornado, tornado

__all__ = [
    "Band",
    "Bar",
    "ChangeStatus",
    "Changes",
    "Costs",
    "Derivative",
    "Distribution",
    "FailureProbability",
    "FirstFailures",
    "Intervals",
    "LeastChange",
    "LimitSamples",
    "Probability",
    "ProbabilityCurve",
    "ProbabilityDifference",
    "QuantileVolume",
    "RobustLimit",
    "Scatter",
    "Sensitivity",
    "Tornado",
    "compare_probabilities",
    "failure_probability",
    "first_failures",
    "least_change",
    "load_limit_samples",
    "probability",
    "probability_along",
    "quantile_volume",
    "robust_limit",
    "sensitivity",
    "size_curve",
    "tornado",
]

_HOME = {
    "Band": "bands",
    "Bar": "tornado_bars",
    "Changes": "tornado_bars",
    "ChangeStatus": "least_changes",
    "Costs": "least_changes",
    "Derivative": "derivatives",
    "Distribution": "distributions",
    "FailureProbability": "importance",
    "FirstFailures": "failing_units",
    "Intervals": "intervals",
    "LeastChange": "least_changes",
    "LimitSamples": "limit_samples",
    "Probability": "probabilities",
    "ProbabilityCurve": "curves",
    "ProbabilityDifference": "probabilities",
    "QuantileVolume": "quantiles",
    "RobustLimit": "robust",
    "Scatter": "scatter",
    "Sensitivity": "derivatives",
    "Tornado": "tornado_bars",
    "compare_probabilities": "probabilities",
    "failure_probability": "importance",
    "first_failures": "failing_units",
    "least_change": "least_changes",
    "load_limit_samples": "limit_samples",
    "probability": "probabilities",
    "probability_along": "curves",
    "quantile_volume": "quantiles",
    "robust_limit": "robust",
    "sensitivity": "derivatives",
    "size_curve": "curves",
    "tornado": "tornado_bars",
}

__getattr__ = loader(__name__, _HOME)
