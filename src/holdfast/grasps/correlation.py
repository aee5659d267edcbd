"""Correlation of the criteria with one another and with Q (section 5), on values and on ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from .exchange import finite
from .merging import levels, mean_ranks

if TYPE_CHECKING:
    from .ranking import Ranking

#: The order of the paper's table.
TABLE_ORDER = ("C1", "C2", "C3", "C4", "C5", "C6", "S1", "S2", "S3", "S4", "Q")


@dataclass(frozen=True, eq=False)
class Correlation:
    """How criteria agree over the ranked grasps of one object.

    Attributes:
        names: (m,) criteria, Q last.
        values: (m, m) Pearson's coefficient of the values; NaN where a column is constant but for rounding.
        ranks: (m, m) the same of the ranks (Spearman's coefficient), equal values sharing their mean rank.
        grasps: how many grasps took part.
    """

    names: tuple[str, ...]
    values: Array
    ranks: Array
    grasps: int

    def rows(self, of: str = "values") -> list[dict[str, Any]]:
        """The lower triangle as in the paper, one row a criterion; None where a coefficient does not exist.

        Args:
            of: "values" or "ranks".
        """
        table = {"values": self.values, "ranks": self.ranks}[of]
        return [
            {
                "criterion": name,
                **{other: finite(table[i, j]) if j <= i else None for j, other in enumerate(self.names)},
            }
            for i, name in enumerate(self.names)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; null where a coefficient does not exist."""
        return {
            "names": list(self.names),
            "values": finite(self.values),
            "ranks": finite(self.ranks),
            "grasps": self.grasps,
        }


def correlations(ranking: Ranking) -> Correlation:
    """Correlate the ten criteria and Q over the ranked grasps of an object."""
    scored = ranking.scored
    columns = {**scored.criteria, "Q": scored.quality}
    data = np.stack([columns[name][ranking.order] for name in TABLE_ORDER])
    places = np.stack([mean_ranks(row) for row in data])
    return Correlation(TABLE_ORDER, pearson(data), pearson(places), len(ranking))


def pearson(data: Array) -> Array:
    """(m, m) Pearson's coefficients of (m, n) rows; NaN in the rows and columns of one that only rounding moves."""
    table = np.full((len(data), len(data)), np.nan)
    if data.shape[1] < 2:
        return table
    moving = np.array([levels(row).any() for row in data], dtype=bool)
    centred = data[moving] - data[moving].mean(axis=1, keepdims=True)
    centred /= np.abs(centred).max(axis=1, keepdims=True)  # very large values would overflow when squared
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    table[np.ix_(moving, moving)] = np.clip(unit @ unit.T, -1.0, 1.0)
    table[moving, moving] = 1.0
    return table
