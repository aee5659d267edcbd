"""Loads at the border: just within and just beyond the load limit, where everything gets hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import holdfast as hf

#: Loads beside the limit, as shares of it: just within and just beyond.
BORDERS = (1.0 - 3e-3, 1.0 + 3e-3, 1.0 - 1e-6, 1.0 + 1e-6)

#: How closely the limit is known that border loads are multiples of.
BORDER_GAP = 1e-9


@dataclass(frozen=True, eq=False)
class Borders:
    """Loads at BORDERS of the limit along some directions, and what the right verdicts are.

    Attributes:
        wrenches: (n, 6) loads.
        holds: (n,) the right verdict.
        shares: (n,) the entry of BORDERS.
    """

    wrenches: np.ndarray
    holds: np.ndarray
    shares: np.ndarray


def borders(assembly: hf.Assembly, directions: np.ndarray) -> Borders:
    """Border loads along each direction whose limit is found, positive and finite.

    A load within the limit is a share of the attained value, one beyond it a multiple of the proven bound. Where
    smaller loads hold whenever larger ones do, the verdicts are thereby known for certain; elsewhere (a spring that
    presses without a load) the reference method must prove that the load within holds.
    """
    wrenches, holds, shares = [], [], []
    for direction in directions:
        limit = hf.load_limit(assembly, direction, method=hf.solvers.Exact(gap=BORDER_GAP))
        if limit.status != "optimal" or not limit.value > 0.0 or not limit.verify():
            continue
        for share in BORDERS:
            within = share < 1.0
            wrench = share * (limit.value if within else limit.upper_bound) * direction
            if within and not limit.problem.is_star_shaped and not _held_by_reference(assembly, wrench):
                continue
            wrenches.append(wrench)
            holds.append(within)
            shares.append(share)
    return Borders(np.array(wrenches).reshape(-1, 6), np.array(holds, dtype=bool), np.array(shares))


def _held_by_reference(assembly: hf.Assembly, wrench: np.ndarray) -> bool:
    answer = hf.equilibrium(assembly, wrench, method=hf.solvers.Reference())
    return answer.holds and answer.verify()
