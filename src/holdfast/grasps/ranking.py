"""Ranking: grasps of one object from the best to the worst, with reasons, tables and the exchange form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from .grasp import Grasp
from .merging import Alone, Merged, Merger, Sum, merger, own_column

if TYPE_CHECKING:
    from .contours import Contour
    from .hands import Hand
    from .reasons import Reasons
    from .regions import Regions
    from .scoring import ScoredGrasps
    from .workpieces import Workpiece

#: How `rank` is told by what to rank: a name, weights, a function of one grasp, or a way of merging.
HowToRank = str | Mapping[str, float] | Callable[[Grasp], float] | Merger
OwnCriteria = Mapping[str, Callable[[Grasp], float]]


class Reach(Protocol):
    """What a clearance check says of each grasp."""

    @property
    def ok(self) -> BoolArray:
        """(g,) whether hand and fingers get there without touching anything else."""
        ...

    @property
    def reason(self) -> tuple[str, ...]:
        """(g,) what is in the way; "" where nothing is."""
        ...


@dataclass(frozen=True, eq=False)
class Ranking:
    """Grasps from the best to the worst; make one with `rank` or `plan`.

    Equal scores are ordered by kind (three fingers first), then by index. Grasps that are not valid, not reachable
    or without a finite score have no rank: they stand in `excluded` with the reason.

    Attributes:
        scored: all grasps as arrays, in the order of the candidates.
        method: how the criteria were merged.
        merged: terms and scores of every grasp.
        order: (k,) rows of `scored` from the best to the worst.
        own: name -> (g,) values of the user's own criteria.
        reach: the clearance check, None when it was not asked for.
        workpiece: what was grasped and the picture it was seen in, None when only arrays were given.
        regions: the straight regions of its contour, None when only arrays were given.
        reason: why there is no grasp, "" when there are some.
    """

    scored: ScoredGrasps
    method: Merger
    merged: Merged
    order: IntArray
    own: dict[str, Array] = field(default_factory=dict)
    reach: Reach | None = None
    workpiece: Workpiece | None = None
    regions: Regions | None = None
    reason: str = ""

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Grasp]:
        return iter(self.grasps)

    def __getitem__(self, place: int) -> Grasp:
        return self.grasps[place]

    def __repr__(self) -> str:
        if not len(self):
            return f"Ranking(no grasp: {self.reason})"
        best = self.grasps[0]
        return f"Ranking({len(self)} grasps by {self.method.name}, best Q = {best.Q:.4g}, {best.kind})"

    @cached_property
    def grasps(self) -> tuple[Grasp, ...]:
        """The ranked grasps, best first."""
        return tuple(self._view(int(row), rank) for rank, row in enumerate(self.order, start=1))

    @cached_property
    def excluded(self) -> tuple[Grasp, ...]:
        """The grasps without a rank, each with its reason, in the order of the candidates."""
        ranked = np.zeros(len(self.scored), dtype=bool)
        ranked[self.order] = True
        return tuple(self._view(int(row), None) for row in np.flatnonzero(~ranked))

    @cached_property
    def ranks(self) -> IntArray:
        """(g,) rank of every candidate from 1; 0 for those without."""
        ranks = np.zeros(len(self.scored), dtype=np.int64)
        ranks[self.order] = np.arange(1, len(self.order) + 1)
        return ranks

    @property
    def best(self) -> Grasp | None:
        """The grasp of rank 1; None in an empty ranking, whose `reason` says why."""
        return self.grasps[0] if len(self) else None

    @property
    def hand(self) -> Hand:
        """The hand that grasps."""
        return self.scored.hand

    @property
    def contour(self) -> Contour | None:
        """The object's contour [mm], None when only arrays were given."""
        return None if self.workpiece is None else self.workpiece.contour

    @property
    def picture(self) -> Array | None:
        """(h, w) grey values of the picture, None when there was none."""
        return None if self.workpiece is None else self.workpiece.picture

    @property
    def mm_per_px(self) -> float | None:
        """Scale of the picture, None when there was none."""
        return None if self.workpiece is None else self.workpiece.mm_per_px

    def table(self, best: int | None = None) -> list[dict[str, Any]]:
        """One row a ranked grasp: rank, kind, Q, score, the ten criteria and the user's own; the `best` first ones."""
        count = len(self) if best is None else checks.count("best", best, low=0)
        return [
            {
                "rank": grasp.rank,
                "kind": grasp.kind,
                "Q": grasp.Q,
                "score": grasp.score,
                **grasp.criteria,
                **dict(grasp.own_criteria),
            }
            for grasp in self.grasps[:count]
        ]

    def why(self, i: int = 1, j: int = 2) -> Reasons:
        """Why the grasp of rank `i` stands before (or behind) that of rank `j`, in words; ranks count from 1."""
        from .reasons import compare

        pair = [self._of_rank("i", i), self._of_rank("j", j)]
        terms = [dict(zip(self.merged.names, map(float, self.merged.terms[g.index]), strict=True)) for g in pair]
        return compare(*pair, terms=(terms[0], terms[1]), method=self.method.name)

    def ranked_by(self, ranking: HowToRank, own: OwnCriteria | None = None) -> Ranking:
        """The same grasps in another order."""
        again = rank(self.scored, ranking, own=own, reach=self.reach)
        return replace(
            again, workpiece=self.workpiece, regions=self.regions, reason=again.reason and (self.reason or again.reason)
        )

    def filtered(self, reach: Reach) -> Ranking:
        """Only the grasps that a clearance check lets through keep a rank."""
        again = _ranked(self.scored, self.method, self.own, self.merged, reach)
        reason = again.reason and (self.reason or again.reason)
        return replace(again, workpiece=self.workpiece, regions=self.regions, reason=reason)

    def to_dict(self, *, metrics: bool = False, best: int | None = None) -> dict[str, Any]:
        """The exchange form, ready for JSON: finite numbers only, null for infinity.

        Args:
            metrics: with the wrench-space metrics of each ranked grasp.
            best: how many of the ranked grasps; all by default.
        """
        from .exchange import exchange_form

        return exchange_form(self, metrics=metrics, best=best)

    def _of_rank(self, name: str, rank: int) -> Grasp:
        if checks.count(name, rank) > len(self):
            raise InputError(f"is {rank}", where=name, fix=f"ranks go from 1 to {len(self)}")
        return self.grasps[rank - 1]

    def _view(self, row: int, rank: int | None) -> Grasp:
        reach = None if self.reach is None else (bool(self.reach.ok[row]), self.reach.reason[row])
        return Grasp(
            self.scored,
            row,
            rank,
            float(self.merged.scores[row]),
            "" if rank else self._why_not(row),
            tuple((name, float(column[row])) for name, column in self.own.items()),
            reach,
        )

    def _why_not(self, row: int) -> str:
        if not self.scored.valid[row]:
            return self.scored.reasons[row]
        if self.reach is not None and not self.reach.ok[row]:
            return self.reach.reason[row]
        return "an own criterion is infinite"


def rank(
    scored: ScoredGrasps,
    ranking: HowToRank = "sum",
    *,
    own: OwnCriteria | None = None,
    reach: Reach | None = None,
) -> Ranking:
    """Rank scored grasps.

    Args:
        scored: the grasps.
        ranking: "sum" (the paper's Q), "minmax", "borda", "median", weights like {"S2": 2.0}, a way of merging, or a
            function of one `Grasp` to rank by it alone.
        own: the user's own criteria, name -> function of one `Grasp`, merged beside the ten; lower is better, and inf
            leaves a grasp out.
        reach: a clearance check; grasps it does not let through get no rank.
    """
    valid = scored.valid
    views = {int(row): Grasp(scored, int(row)) for row in np.flatnonzero(valid)} if own or callable(ranking) else {}
    columns = dict(scored.criteria)
    extra: dict[str, Array] = {}
    for name, function in (own or {}).items():
        if name in columns:
            raise InputError(
                "is the name of one of the ten criteria", where=f"own[{name!r}]", fix="choose another name"
            )
        extra[name] = _spread(own_column(name, function, list(views.values())), valid)
    if callable(ranking):
        named = getattr(ranking, "__name__", "")
        method: Merger = Alone(named if named.isidentifier() else "own")
        extra[method.criterion] = _spread(own_column(method.criterion, ranking, list(views.values())), valid)
    else:
        method = merger(ranking)
    columns |= extra
    usable = valid.copy()
    for column in extra.values():
        usable &= np.isfinite(column)
    merged = method.merge(columns, usable)
    if isinstance(method, Sum) and not extra:
        merged = Merged(merged.names, merged.terms, np.where(usable, scored.quality, np.inf))
    return _ranked(scored, method, extra, merged, reach)


def ordered(scores: Array, virtual: BoolArray) -> IntArray:
    """Rows with a finite score from the lowest to the highest; ties by kind (three fingers first), then by row."""
    rows = np.flatnonzero(np.isfinite(scores))
    return rows[np.lexsort((rows, virtual[rows], scores[rows]))]


def _ranked(
    scored: ScoredGrasps,
    method: Merger,
    own: dict[str, Array],
    merged: Merged,
    reach: Reach | None,
) -> Ranking:
    allowed = merged.scores if reach is None else np.where(reach.ok, merged.scores, np.inf)
    order = ordered(allowed, scored.candidates.virtual)
    reason = "" if len(order) else _none_left(scored, reach)
    return Ranking(scored, method, merged, order, own, reach, reason=reason)


def _none_left(scored: ScoredGrasps, reach: Reach | None) -> str:
    """Why no grasp has a rank: the most common reason, and how many were looked at."""
    if not len(scored):
        return "there is no candidate"
    clear = reach.reason if reach else ("",) * len(scored)
    said = [own or other for own, other in zip(scored.reasons, clear, strict=True)]
    kinds = Counter(text.split(":")[0] for text in said if text)
    if not kinds:
        return "an own criterion is infinite for every grasp"
    most, count = max(kinds.items(), key=lambda pair: (pair[1], pair[0]))
    example = next(text for text in said if text.split(":")[0] == most)
    return f"none of the {len(scored)} candidates is possible; {count} of them, for instance: {example}"


def _spread(values: Array, valid: BoolArray) -> Array:
    """Values of the valid rows as a column over all rows, inf elsewhere."""
    column = np.full(len(valid), np.inf)
    column[valid] = values
    return column
