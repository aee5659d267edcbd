"""Merging of criteria into the one number a ranking goes by (section 4.5 of Chinellato et al.); lower is better.

The plain sum is the paper's. Every other way keeps the shape of its answer: one term a grasp and criterion, of which
the score is the sum, the mean or the median, so that a comparison can say which criterion decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError, UnknownNameError

#: Values of a criterion that differ by less than this share of their size, or by less than the floor, differ by
#: rounding alone: symmetric grasps are equal. Criteria are pure numbers of the order of 1 (C6 is in mm).
ROUNDING, ROUNDING_FLOOR = 1e-9, 1e-12


@dataclass(frozen=True, eq=False)
class Merged:
    """What a way of merging made of the criteria.

    Attributes:
        names: (m,) criteria that took part.
        terms: (g, m) share of each criterion, lower is better; inf in rows that are not to be ranked.
        scores: (g,) what grasps are ranked by, lower is better; inf in rows that are not to be ranked.
    """

    names: tuple[str, ...]
    terms: Array
    scores: Array


class Merger(Protocol):
    """A way of merging: columns (g,) of criteria in, terms and scores out; rows outside `valid` are left out."""

    @property
    def name(self) -> str:
        """How files and tables call it."""
        ...

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """Terms and scores of the valid rows; inf elsewhere."""
        ...


@dataclass(frozen=True)
class Sum:
    """The paper's Q: the plain sum of all criteria."""

    name: str = field(default="sum", init=False)

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """Terms are the criteria themselves."""
        return _summed(columns, valid, dict.fromkeys(columns, 1.0))


@dataclass(frozen=True)
class Weighted:
    """The sum with a weight on each criterion; 1 for those that are not named, 0 leaves one out.

    Attributes:
        weights: criterion -> factor, at least 0.
    """

    weights: Mapping[str, float]
    name: str = field(default="weighted", init=False)

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """Terms are the criteria times their weights."""
        return _summed(columns, valid, _all_weights(self.weights, columns))


@dataclass(frozen=True)
class MinMax:
    """Each criterion stretched to 0 (best) to 1 (worst) over the grasps at hand, then summed with weights.

    It depends on the other grasps: one very bad grasp squeezes all others together. A criterion that is the same for
    all, but for rounding, gives 0.

    Attributes:
        weights: criterion -> factor, at least 0; 1 for those that are not named.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    name: str = field(default="minmax", init=False)

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """Terms are the stretched criteria times their weights."""
        weights = _all_weights(self.weights, columns)
        stretched = {name: _stretched(np.asarray(column), valid) for name, column in columns.items()}
        return _summed(stretched, valid, weights)


@dataclass(frozen=True)
class RankAggregation:
    """Each criterion ranks the grasps, and the ranks are merged; the paper tried this and preferred the sum.

    Attributes:
        rule: "borda" for the mean of the ranks, "median" for their median.
    """

    rule: Literal["borda", "median"] = "borda"

    def __post_init__(self) -> None:
        if self.rule not in ("borda", "median"):
            raise UnknownNameError("rule of rank aggregation", str(self.rule), ("borda", "median"), where="rule")

    @property
    def name(self) -> str:
        """How files and tables call it."""
        return self.rule

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """Terms are ranks from 1; values equal but for rounding share the mean of their ranks."""
        terms = np.full((len(valid), len(columns)), np.inf)
        for j, column in enumerate(columns.values()):
            terms[valid, j] = mean_ranks(np.asarray(column)[valid])
        scores = np.full(len(valid), np.inf)
        if valid.any() and columns:
            middle = np.mean if self.rule == "borda" else np.median
            scores[valid] = middle(terms[valid], axis=1)
        return Merged(tuple(columns), terms, scores)


@dataclass(frozen=True)
class Alone:
    """One criterion of the user's alone, beside which the ten do not count.

    Attributes:
        criterion: its name.
    """

    criterion: str = "own"
    name: str = field(default="own", init=False)

    def merge(self, columns: Mapping[str, Array], valid: BoolArray) -> Merged:
        """The one term is the criterion's value."""
        return Sum().merge({self.criterion: columns[self.criterion]}, valid)


NAMED: Mapping[str, Merger] = {
    "sum": Sum(),
    "minmax": MinMax(),
    "borda": RankAggregation("borda"),
    "median": RankAggregation("median"),
}


def merger(ranking: str | Mapping[str, float] | Merger) -> Merger:
    """The way of merging that `ranking` names: "sum", "minmax", "borda", "median", weights, or a merger itself."""
    if isinstance(ranking, str):
        if ranking not in NAMED:
            raise UnknownNameError("way of ranking", ranking, NAMED, where="ranking")
        return NAMED[ranking]
    if isinstance(ranking, Mapping):
        return Weighted(dict(ranking))
    if not callable(getattr(ranking, "merge", None)):
        raise InputError(
            f"is a {type(ranking).__name__}",
            where="ranking",
            fix=f"give one of {', '.join(NAMED)}, weights like {{'S2': 2.0}}, a function of one grasp or a merger",
        )
    return ranking


def own_column(name: str, function: Callable[[Any], float], grasps: list[Any]) -> Array:
    """(g,) values of a user's own criterion, a function of one grasp; lower is better, inf leaves a grasp out."""
    if not callable(function):
        raise InputError(
            "is no function", where=f"own[{name!r}]", fix="give a function of one grasp that gives a number"
        )
    values = np.empty(len(grasps))
    for row, grasp in enumerate(grasps):
        value = function(grasp)
        try:
            values[row] = float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"gave {value!r} for grasp {grasp.index}", where=f"own[{name!r}]", fix="give one number a grasp"
            ) from None
        if np.isnan(values[row]) or values[row] == -np.inf:
            raise InputError(
                f"gave {values[row]} for grasp {grasp.index}",
                where=f"own[{name!r}]",
                fix="give a finite number, or inf for a grasp that is to be left out",
            )
    return values


def mean_ranks(values: Array) -> Array:
    """(n,) ranks from 1, lowest first; values equal but for rounding share the mean of the ranks they cover."""
    if not len(values):
        return np.zeros(0)
    _, which, counts = np.unique(levels(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[which]


def levels(values: Array) -> IntArray:
    """(n,) which of the distinct values each is, from 0 for the lowest; those that differ by rounding are one."""
    order = np.argsort(values, kind="stable")
    rising = np.asarray(values, dtype=np.float64)[order]
    size = np.minimum(np.abs(rising[1:]), np.abs(rising[:-1]))
    steps = rising[1:] > rising[:-1] + np.maximum(ROUNDING * size, ROUNDING_FLOOR)
    found = np.zeros(len(rising), dtype=np.int64)
    found[order[1:]] = np.cumsum(steps)
    return found


def _summed(columns: Mapping[str, Array], valid: BoolArray, weights: Mapping[str, float]) -> Merged:
    """Weighted columns as terms, and their sum; a weight of 0 leaves a criterion out altogether."""
    kept = [name for name in columns if weights[name] != 0.0]
    terms = np.full((len(valid), len(kept)), np.inf)
    for j, name in enumerate(kept):
        terms[valid, j] = weights[name] * np.asarray(columns[name])[valid]
    scores = np.full(len(valid), np.inf)
    scores[valid] = terms[valid].sum(axis=1)
    return Merged(tuple(kept), terms, scores)


def _stretched(column: Array, valid: BoolArray) -> Array:
    """`column` from 0 at its lowest to 1 at its highest value over the valid rows; 0 where all are as good as equal."""
    stretched = np.full(len(column), np.inf)
    chosen = column[valid]
    if len(chosen):
        span = chosen.max() - chosen.min()
        stretched[valid] = (chosen - chosen.min()) / span if levels(chosen).any() else 0.0
    return stretched


def _all_weights(weights: Mapping[str, float], columns: Mapping[str, Array]) -> dict[str, float]:
    """A weight for every column; unknown names and negative weights are errors."""
    full = dict.fromkeys(columns, 1.0)
    for name, weight in weights.items():
        if name not in full:
            raise UnknownNameError("criterion", str(name), full, where="weights")
        full[name] = checks.number(f"weights[{name!r}]", weight, low=0.0)
    if full and not any(full.values()):
        raise InputError("are all 0", where="weights", fix="leave at least one criterion in")
    return full
