"""Studies of a ranking: parameters varied (Table 1), grasps displaced (Table 2), criteria correlated (section 5).

Variation scores the same contacts and poses under another mu, lambda or W. In every trial of a stability study all
grasps are displaced, each by its own random amount: the focus C_G moves, the contacts follow by projection, the hand's
pose is solved again, and all grasps are scored and ranked together; change = Q0 - Q, so a negative change is a loss.
Correlation of the criteria with one another and with Q is computed on values and on ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..public_names import with_advice
from ..results import Result
from .candidates import LOST_INSET, Candidates
from .hands import solve_hand
from .ranking import finite, levels, ordered, score

if TYPE_CHECKING:
    from .ranking import GraspParams, Ranking, ScoredGrasps


@dataclass(frozen=True, eq=False)
class Variation(Result):
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
        """One row per grasp: original rank and Q, then rank and Q under each change; only the `best` first ones."""
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


@with_advice()
def parameter_variation(
    ranking: Ranking,
    *,
    mu: Sequence[float] = (0.3,),
    lambda_mm: Sequence[float] = (3.0,),
    W: Sequence[float] = (0.5, 2.0),
) -> Variation:
    """Score the ranked grasps again with one parameter changed at a time; contacts and hand poses do not change.

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


#: The paper's largest estimated positioning error [mm].
POSITIONING_ERROR_MM = 1.5

#: Largest rotation of the hand [rad]; larger ones are not positioning errors, and projections would diverge.
LARGEST_TURN = np.pi / 4.0


@dataclass(frozen=True, eq=False)
class Stability(Result):
    """Quality and rank of n grasps over t trials.

    Attributes:
        indices: (n,) rows of the candidates, in the order of the original Q.
        virtual: (n,) whether they are virtual two-finger grasps.
        quality: (n,) original Q.
        qualities: (t, n) Q in each trial; inf where the hand has no pose or a criterion is infinite.
        lost: (t, n) whether a projection left its region; its distance from the end then counts as 1 um in S3.
        translation_mm: radius of the disc in which foci were displaced.
        rotation_rad: largest turn, to either side.
        seed: random seed of the displacements.
    """

    indices: IntArray
    virtual: BoolArray
    quality: Array
    qualities: Array
    lost: BoolArray
    translation_mm: float
    rotation_rad: float
    seed: int

    @cached_property
    def trial_ranks(self) -> IntArray:
        """(t, n) rank in each trial, from 1; a grasp without a finite Q comes last, at rank n."""
        return np.array([_ranks(row, self.virtual, self.indices) for row in self.qualities]).reshape(
            self.qualities.shape
        )

    @cached_property
    def average_quality(self) -> Array:
        """(n,) mean Q over the trials; inf where one of them has no finite Q."""
        return self.qualities.mean(axis=0)

    @cached_property
    def average_rank(self) -> IntArray:
        """(n,) rank of the mean Q, from 1."""
        return _ranks(self.average_quality, self.virtual, self.indices)

    @cached_property
    def worst_change(self) -> Array:
        """(n,) the most negative Q0 - Q of all trials."""
        return self.quality - self.qualities.max(axis=0)

    @cached_property
    def worst_percent(self) -> Array:
        """(n,) `worst_change` in percent of Q0."""
        return _percent(self.worst_change, self.quality)

    @cached_property
    def worst_rank(self) -> IntArray:
        """(n,) the last rank of all trials."""
        return self.trial_ranks.max(axis=0)

    @cached_property
    def average_percent(self) -> Array:
        """(n,) mean of |Q0 - Q| over the trials, in percent of Q0."""
        return _percent(np.abs(self.quality - self.qualities).mean(axis=0), self.quality)

    def rows(self, best: int | None = None) -> list[dict[str, Any]]:
        """One row per grasp with the columns of the paper's table, and in how many trials it was lost or impossible."""
        count = len(self.indices) if best is None else checks.count("best", best, low=0)
        failed = ~np.isfinite(self.qualities)
        return [
            {
                "rank": n + 1,
                "Q": float(self.quality[n]),
                "average rank": int(self.average_rank[n]),
                "average Q": finite(self.average_quality[n]),
                "worst change": finite(self.worst_change[n]),
                "worst %": finite(self.worst_percent[n]),
                "worst rank": int(self.worst_rank[n]),
                "average %": finite(self.average_percent[n]),
                "lost": int(self.lost[:, n].sum()),
                "impossible": int(failed[:, n].sum()),
            }
            for n in range(min(count, len(self.indices)))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the table, and Q of every trial (null where a grasp was impossible)."""
        return {
            "trials": len(self.qualities),
            "translation_mm": self.translation_mm,
            "rotation_rad": self.rotation_rad,
            "seed": self.seed,
            "indices": [int(index) for index in self.indices],
            "rows": self.rows(),
            "Q": finite(self.qualities),
        }


@with_advice()
def stability_study(
    ranking: Ranking,
    *,
    trials: int = 20,
    translation_mm: float = POSITIONING_ERROR_MM,
    rotation_rad: float = 0.0,
    seed: int = 0,
) -> Stability:
    """Displace all ranked grasps at random, score and rank them again, `trials` times.

    Ranks are by Q, the plain sum, among the ranked grasps.

    Args:
        ranking: the grasps.
        trials: number of trials.
        translation_mm: foci move uniformly within a disc of this radius.
        rotation_rad: the directions from the focus to the contacts turn about it, uniformly up to this to either side.
        seed: random seed; the displacements do not depend on the ranking.
    """
    trials = checks.count("trials", trials)
    radius = checks.number("translation_mm", translation_mm, low=0.0, unit="mm")
    turn = checks.number("rotation_rad", rotation_rad, low=0.0, high=LARGEST_TURN, unit="rad")
    seed = checks.seed(seed)
    scored = ranking.scored
    virtual = np.asarray(scored.candidates.virtual, dtype=bool)
    base = np.full(len(scored), np.inf)
    base[ranking.order] = scored.quality[ranking.order]
    order = ordered(base, virtual)
    shifts, turns = displacements(len(scored), trials, radius, turn, seed)
    displaced, about, lost = displaced_grasps(
        scored.candidates,
        np.tile(order, trials),
        shifts[:, order].reshape(-1, 2),
        turns[:, order].reshape(-1),
    )
    qualities = _qualities(scored, displaced, about) if len(order) else np.zeros(0)
    shape = (trials, len(order))
    return Stability(
        order, virtual[order], scored.quality[order], qualities.reshape(shape), lost.reshape(shape), radius, turn, seed
    )


def displacements(count: int, trials: int, radius: float, turn: float, seed: int) -> tuple[Array, Array]:
    """(t, n, 2) shifts [mm], uniform in a disc, and (t, n) turns [rad], uniform within +-`turn`."""
    random = np.random.default_rng(seed)
    drawn = random.random((3, trials, count))
    length, angle = radius * np.sqrt(drawn[0]), 2.0 * np.pi * drawn[1]
    return np.stack([length * np.cos(angle), length * np.sin(angle)], axis=-1), turn * (2.0 * drawn[2] - 1.0)


def displaced_grasps(
    candidates: Candidates, rows: IntArray, shifts: Array, turns: Array
) -> tuple[Candidates, Array, BoolArray]:
    """Candidates of `rows` with displaced foci and the contacts where rays from these meet the lines of the regions.

    Three fingers: each ray leaves C_G along -R(turn) N_i, without a turn the perpendicular. Virtual two-finger grasps:
    the thumb axis passes through C_G along R(turn) h, and the fingers run parallel to it, `half_width` [mm] to its
    left and right. Where a contact leaves its region, or gets nearer than 1 um to its end, the region is extended so
    that 1 um is left: the distances d of S3 are floored.

    Returns:
        the candidates; (n, 3, 2) the normals for the hand's pose (turned for virtual two-finger grasps, whose
        thumb axis follows from them); (n,) whether a contact has left its region.
    """
    segments, normals = candidates.segments[rows], candidates.normals[rows]
    virtual = np.asarray(candidates.virtual, dtype=bool)[rows]
    focus = candidates.focus[rows] + shifts
    axis = normals[:, 0] - normals[:, 1]
    axis = axis / np.linalg.norm(axis, axis=1, keepdims=True).clip(np.finfo(np.float64).tiny)
    rays = _turned(np.where(virtual[:, None, None], axis[:, None], normals), turns)
    side = np.stack([rays[:, 0, 1], -rays[:, 0, 0]], axis=-1)  # s = h turned by -90 deg; finger 2 stands left of h
    offsets = np.where(virtual, candidates.half_width[rows], 0.0)[:, None] * np.array([0.0, -1.0, 1.0])
    gaps = focus[:, None] + offsets[:, :, None] * side[:, None] - segments[:, :, 0]
    along = segments[:, :, 1] - segments[:, :, 0]
    lengths = np.linalg.norm(along, axis=-1)
    along = along / lengths[..., None]
    at = _cross(gaps, rays) / _cross(along, rays)
    lost = ((at < 0.0) | (at > lengths)).any(axis=1)
    first, last = np.minimum(0.0, at - LOST_INSET), np.maximum(lengths, at + LOST_INSET)
    start = segments[:, :, 0]
    displaced = Candidates(
        contacts=start + at[..., None] * along,
        normals=normals,
        segments=np.stack([start + first[..., None] * along, start + last[..., None] * along], axis=2),
        region_index=candidates.region_index[rows],
        curvature=candidates.curvature[rows],
        focus=focus,
        virtual=virtual,
        triplet=candidates.triplet[rows],
        zones=(None,) * len(rows),
        pinch=candidates.pinch[rows],
        half_width=candidates.half_width[rows],
    )
    return displaced, np.where(virtual[:, None, None], _turned(normals, turns), normals), lost


def _qualities(scored: ScoredGrasps, displaced: Candidates, about: Array) -> Array:
    """(n,) Q of displaced candidates, the hand's pose being solved again; inf where there is none."""
    poses = solve_hand(
        hand=scored.hand,
        contacts=displaced.contacts,
        normals=about,
        virtual=displaced.virtual,
        pinch=displaced.pinch,
    )
    again = score(displaced, poses, scored.hand, scored.shape, scored.params)
    return np.where(again.valid, again.quality, np.inf)


def _cross(first: Array, second: Array) -> Array:
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]


def _turned(vectors: Array, turns: Array) -> Array:
    """Vectors (n, 3, 2) turned by (n,) angles [rad], counter-clockwise."""
    if not turns.any():
        return vectors
    cosine, sine = np.cos(turns)[:, None, None], np.sin(turns)[:, None, None]
    return cosine * vectors + sine * np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _ranks(quality: Array, virtual: BoolArray, indices: IntArray) -> IntArray:
    """(n,) ranks from 1; ties by kind, then by index; n where there is no finite quality."""
    ranks = np.full(len(quality), len(quality), dtype=np.int64)
    rows = np.flatnonzero(np.isfinite(quality))
    placed = rows[np.lexsort((indices[rows], virtual[rows], levels(quality[rows])))]
    ranks[placed] = np.arange(1, len(placed) + 1)
    return ranks


def _percent(change: Array, quality: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 100.0 * change / quality


#: The order of the paper's table.
TABLE_ORDER = ("C1", "C2", "C3", "C4", "C5", "C6", "S1", "S2", "S3", "S4", "Q")


@dataclass(frozen=True, eq=False)
class Correlation(Result):
    """Correlation of the criteria over the ranked grasps of one object.

    Attributes:
        names: (m,) criteria, Q last.
        values: (m, m) Pearson's coefficient of the values; NaN where a column is constant up to rounding.
        ranks: (m, m) the same for the ranks (Spearman's coefficient), equal values sharing their mean rank.
        grasps: how many grasps took part.
    """

    names: tuple[str, ...]
    values: Array
    ranks: Array
    grasps: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; null where a coefficient does not exist."""
        return {
            "names": list(self.names),
            "values": finite(self.values),
            "ranks": finite(self.ranks),
            "grasps": self.grasps,
        }


@with_advice()
def correlations(ranking: Ranking) -> Correlation:
    """Correlate the ten criteria and Q over the ranked grasps of an object."""
    scored = ranking.scored
    columns = {**scored.criteria, "Q": scored.quality}
    data = np.stack([columns[name][ranking.order] for name in TABLE_ORDER])
    places = np.stack([mean_ranks(row) for row in data])
    return Correlation(TABLE_ORDER, pearson(data), pearson(places), len(ranking))


def mean_ranks(values: Array) -> Array:
    """(n,) ranks from 1, lowest first; values that are equal up to rounding share the mean of their ranks."""
    if not len(values):
        return np.zeros(0)
    _, which, counts = np.unique(levels(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[which]


def pearson(data: Array) -> Array:
    """(m, m) Pearson's coefficients of (m, n) rows; NaN for rows that are constant up to rounding."""
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
