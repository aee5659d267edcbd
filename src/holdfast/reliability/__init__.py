"""Reliability: probability of holding under scatter, sensitivity of load limits, limits under interval errors.

`Scatter` states what varies from one specimen to the next; `scatter_from_trials` fits it to repeated trials.
`probability` draws specimens and counts those that hold; `failure_probability` estimates rare failures by importance
sampling. `sensitivity` differentiates a load limit by every parameter, `least_change` finds the cheapest growth that
makes a load hold, `robust_limit` certifies a limit for every error within intervals.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
