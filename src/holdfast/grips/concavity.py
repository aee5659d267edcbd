"""Concavity: whether wrenches between held wrenches are held too, where volumes are unions of pieces.

The wrenches a hand holds by the unions of its contacts' pieces need not be a convex set; with many contacts they nearly
are one. Points on the border of a hull are asked of the exact solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..solvers import Exact, Status
from ..statics.solver import Solver
from ..wrench_spaces.computation import LONGEST, MOST_NODES

#: Points of a border are moved this far inwards before they are asked: rounding is no concavity.
INWARDS = 1e-6

#: Halvings of the interval in which the border of what is held is looked for.
HALVINGS = 12


class Concavity(NamedTuple):
    """What was found at the border of a hull of held wrenches.

    `share` of the tried points that are held; `shortfall`: the largest share of a tried point's distance to the middle
    that had to be given up to be held, an upper bound where a search was left undecided; `tried`: number of points.
    """

    share: float
    shortfall: float
    tried: int


def measured_concavity(hand: Assembly, border: Array, centre: Array) -> Concavity:
    """How points (n, 6) on the border of a hull of held wrenches stand; all in the sense of the assembly's own.

    Towards 0 where no force at all is admissible, so that what is held is star-shaped around it; else towards `centre`.
    """
    if not len(border):
        return Concavity(1.0, 0.0, 0)
    layout = hand.layout
    solver = Solver(hand, Exact(node_limit=MOST_NODES, time_limit=LONGEST))
    middle = np.zeros(6) if layout.contains_zero and layout.bounds_hold_zero else centre
    inside = middle + (1.0 - INWARDS) * (border - middle)
    answers = solver.equilibrium_many(inside, threads=1)
    left = np.nonzero(answers.status != Status.HOLDS)[0]
    held = 1.0 - len(left) / len(border)
    if not len(left):
        return Concavity(held, 0.0, len(border))
    if not middle.any():
        limits = solver.load_limit_many(inside[left], threads=1).values
        return Concavity(held, float(np.clip(1.0 - limits, 0.0, 1.0).max()), len(border))
    low, high = np.zeros(len(left)), np.ones(len(left))
    for _ in range(HALVINGS):
        half = 0.5 * (low + high)
        tried = solver.equilibrium_many(middle + half[:, None] * (inside[left] - middle), threads=1)
        low, high = np.where(tried.holds, half, low), np.where(tried.holds, high, half)
    return Concavity(held, float((1.0 - low).max()), len(border))
