"""Parameter variation (Table 1): the same contacts and poses, scored under another mu, lambda or W."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..checks import Array, IntArray
from .exchange import finite
from .ranking import ordered

if TYPE_CHECKING:
    from .ranking import Ranking
    from .scoring import GraspParams


@dataclass(frozen=True, eq=False)
class Variation:
    """Q and rank of n grasps under changed parameters, one parameter at a time.

    Attributes:
        params: the original parameters.
        indices: (n,) rows of the candidates, in the order of the original Q.
        quality: (n,) original Q.
        changes: (c,) what was changed in each column: name and value.
        qualities: (c, n) Q under each change; inf where the grasp became invalid.
        ranks: (c, n) rank under each change, from 1; 0 where the grasp became invalid.
    """

    params: GraspParams
    indices: IntArray
    quality: Array
    changes: tuple[tuple[str, float], ...]
    qualities: Array
    ranks: IntArray

    def rows(self, best: int | None = None) -> list[dict[str, Any]]:
        """One row a grasp: original rank and Q, then rank and Q under each change; the `best` first ones."""
        count = len(self.indices) if best is None else checks.count("best", best, low=0)
        rows = []
        for place in range(min(count, len(self.indices))):
            row: dict[str, Any] = {"rank": place + 1, "Q": float(self.quality[place])}
            for (name, value), qualities, ranks in zip(self.changes, self.qualities, self.ranks, strict=True):
                row[f"rank ({name} = {value:g})"] = int(ranks[place]) or None
                row[f"Q ({name} = {value:g})"] = finite(qualities[place])
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; null for grasps that became invalid."""
        return {
            "params": self.params.to_dict(),
            "indices": [int(index) for index in self.indices],
            "Q": finite(self.quality),
            "changes": [
                {"parameter": name, "value": value, "Q": finite(quality), "rank": [int(rank) or None for rank in ranks]}
                for (name, value), quality, ranks in zip(self.changes, self.qualities, self.ranks, strict=True)
            ],
        }


def parameter_variation(
    ranking: Ranking,
    *,
    mu: Sequence[float] = (0.3,),
    lambda_mm: Sequence[float] = (3.0,),
    W: Sequence[float] = (0.5, 2.0),
) -> Variation:
    """Score the ranked grasps anew with one parameter changed at a time; contacts and hand poses stay.

    Ranks are by Q, the plain sum, among the ranked grasps.

    Args:
        ranking: the grasps.
        mu: coefficients of friction to try.
        lambda_mm: positioning error thresholds [mm] to try.
        W: object weight indices to try.
    """
    scored = ranking.scored
    virtual = np.asarray(scored.candidates.virtual, dtype=bool)
    base = np.full(len(scored), np.inf)
    base[ranking.order] = scored.quality[ranking.order]
    order = ordered(base, virtual)
    changes: list[tuple[str, float]] = []
    for name, tried in (("mu", mu), ("lambda_mm", lambda_mm), ("W", W)):
        checks.iterable(name, tried, fix="give a list of numbers")
        changes += [(name, checks.number(f"{name}[{place}]", value)) for place, value in enumerate(tried)]
    qualities = np.full((len(changes), len(order)), np.inf)
    ranks = np.zeros((len(changes), len(order)), dtype=np.int64)
    for column, (name, value) in enumerate(changes):
        changed = scored.rescored(**{name: value})
        kept = np.full(len(scored), np.inf)
        kept[order] = np.where(changed.valid, changed.quality, np.inf)[order]
        qualities[column] = kept[order]
        places = np.zeros(len(scored), dtype=np.int64)
        placed = ordered(kept, virtual)
        places[placed] = np.arange(1, len(placed) + 1)
        ranks[column] = places[order]
    return Variation(scored.params, order, scored.quality[order], tuple(changes), qualities, ranks)
