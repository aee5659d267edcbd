"""Loads at the border of what hands hold, where a test within its tolerance leaves the verdict open.

The largest and the least scale of the load, each with its own proof, decide then: the proof of an end that excludes the
load, or the wrenches of an end that is the load up to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array
from ..solvers import Status
from ..solvers.minkowski import SumOptimum
from .generation import SliceSolver
from .hands import Hands
from .intervals import ray_end
from .memberships import balance


class Border(NamedTuple):
    """What the ends of the load's own line say about it.

    Attributes:
        multipliers: y (6,) of the ends; one of them separates the load if it lies beyond.
        optimum: the end that is the load to `tolerances.FEASIBILITY` of the wrenches in its balance, or None.
    """

    multipliers: tuple[Array, ...]
    optimum: SumOptimum | None


def border_of(hands: Hands, wrench: Array, solver: SliceSolver) -> Border:
    """Both ends of the line s w against the load w (6,); `solver` is one of these hands at their places."""
    if not wrench.any():
        return Border((), None)
    proofs: list[Array] = []
    best, least = None, tolerances.FEASIBILITY
    for sign in (1.0, -1.0):
        end = ray_end(hands, np.zeros(6), sign * wrench, solver)
        if end.status in (Status.OPTIMAL, Status.DOES_NOT_HOLD) and end.optimum.multipliers.any():
            proofs.append(end.optimum.multipliers)
        if end.status is Status.OPTIMAL and end.wrenches is not None:
            off = balance(hands, end.wrenches, wrench)
            if off <= least:
                best, least = end.optimum, off
    return Border(tuple(proofs), best)
