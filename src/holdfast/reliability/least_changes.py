"""`least_change`: the cheapest growth of contact strengths and joint bounds that makes a load hold.

Contact i may grow by a factor 1 + s_i about zero, joint row r's bounds may move out by a_r (lower) and b_r (upper):

    minimise  sum_g c_g s_g + sum_r (p_r a_r + q_r b_r)
    with      W f + w = 0,  f_i in (1 + s_i) F_i,  lower - a <= J f <= upper + b,  s, a, b >= 0,

where the contacts of a group g grow alike. With pieces replaced by hulls this is a linear program (`growth`); over
unions it is solved by branching on the pieces of contacts whose force lies in none. The leaves of the search carry
multipliers that prove, by support functions alone, that nothing cheaper makes the load hold.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import JointRows
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import InputError
from ..force_limits import ForceVolume
from ..solvers import ContactProblem, Leaf
from ..solvers.certificates import tiles
from ..statics.equilibrium import equilibrium
from .growth import Growth, GrowthPrices, cheapest_growth, growth_bound

#: The change is made this share larger than needed, so that rounding leaves the changed assembly holding.
ROOM = 1e-8

#: A force belongs to a grown piece within this share of the piece's size.
INSIDE = 1e-8


class ChangeStatus(StrEnum):
    """What came out; the value is the message."""

    FOUND = "least change found"
    HOLDS = "holds without a change"
    IMPOSSIBLE = "no growth makes it hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What growth costs; infinite for what may not grow.

    Attributes:
        strength: per 1 (100 %) that a group's strength grows: a number for all, or one a group.
        lower, upper: per N m (N for a slide) that a joint row's bound moves outwards: a number for all, one
            a row, or None: moving a bound by its own size (by the row's reach where it is zero) costs 1.
        groups: contacts that grow alike, one tuple of numbers a group; by default each contact on its own.
    """

    strength: ArrayLike = 1.0
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    groups: Sequence[Sequence[int]] | None = None


@dataclass(frozen=True, eq=False)
class LeastChange:
    """The cheapest growth that makes a load hold, and the proof that nothing cheaper does.

    Attributes:
        status: what came out.
        cost: total cost of the change; 0 when none is needed, inf when none was found.
        lower_bound: no change that costs less makes it hold; inf when none does.
        strengths: (k,) factor by which each contact grows, 1 for none.
        lower, upper: (r,) how far joint bounds move outwards [N m, N].
        wrench: (6,) the load.
        original, assembly: before and after the change.
        leaves: boxes of piece choices with multipliers that prove `lower_bound`.
        problem, prices: what they are about.
    """

    status: ChangeStatus
    cost: float
    lower_bound: float
    strengths: Array
    lower: Array
    upper: Array
    wrench: Array
    original: Assembly
    assembly: Assembly
    leaves: tuple[Leaf, ...]
    problem: ContactProblem
    prices: GrowthPrices

    def __repr__(self) -> str:
        return f"LeastChange({self.status.value}, cost {self.cost:.6g})"

    @property
    def gap(self) -> float:
        """(cost - lower_bound) relative to the cost; 0 where nothing has to change or nothing helps."""
        if self.cost in (0.0, self.lower_bound):
            return 0.0
        return (self.cost - self.lower_bound) / self.cost if np.isfinite(self.cost) else np.inf

    def partly(self, share: float) -> Assembly:
        """The assembly with only a share of the change made: 0 is the original, 1 all of it."""
        share = checks.number("share", share, low=0.0)
        return grown(self.original, 1.0 + share * (self.strengths - 1.0), share * self.lower, share * self.upper)

    def verify(self) -> bool:
        """Check without the search: the changed assembly holds, and the leaves prove the lower bound."""
        if self.status is ChangeStatus.UNDECIDED:
            return False
        if self.status is not ChangeStatus.IMPOSSIBLE:
            answer = equilibrium(self.assembly, self.wrench)
            if not (answer.holds and answer.verify()):
                return False
        return self.status is ChangeStatus.HOLDS or self._bound_is_proven()

    def _bound_is_proven(self) -> bool:
        if not tiles([leaf.masks for leaf in self.leaves], self.problem.all_pieces):
            return False
        bounds = [growth_bound(self.problem, leaf.masks, leaf.multipliers, self.prices) for leaf in self.leaves]
        return min(bounds) >= self.lower_bound * (1.0 - tolerances.SEPARATION)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "status": self.status.value,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "strengths": self.strengths,
            "lower": self.lower,
            "upper": self.upper,
            "wrench": self.wrench,
        }


def least_change(
    assembly: Assembly,
    wrench: ArrayLike,
    costs: Costs | None = None,
    *,
    gap: float = tolerances.GAP,
    node_limit: int = 500,
) -> LeastChange:
    """The cheapest growth of contact strengths and joint bounds that makes an external wrench hold.

    Args:
        assembly: contacts and joint rows.
        wrench: (6,) external wrench on the object [N, N m about the world origin].
        costs: prices of growth; by default every contact's strength and every joint bound costs 1 for 100 % of it.
        gap: relative gap at which the change counts as least.
        node_limit: boxes of piece choices looked at before the answer is "undecided".
    """
    load = checks.vector("wrench", wrench, 6)
    checks.positive("gap", gap, high=0.1)
    if costs is not None:
        checks.instance("costs", costs, Costs, fix="give holdfast.Costs(...), such as Costs(strength=2.0)")
    problem = checked_assembly(assembly).problem(load)
    prices = _prices(assembly, problem, costs or Costs())
    rows = problem.rows - 6
    if equilibrium(assembly, load).holds:
        nothing = np.ones(len(assembly)), np.zeros(rows), np.zeros(rows)
        return LeastChange(ChangeStatus.HOLDS, 0.0, 0.0, *nothing, load, assembly, assembly, (), problem, prices)
    best, bound, leaves = _Search(problem, prices, gap, checks.count("node_limit", node_limit)).run()
    cost = np.inf if best is None else best.cost
    strengths, lower, upper = np.ones(len(assembly)), np.zeros(rows), np.zeros(rows)
    if best is not None:
        for members, growth in zip(prices.groups, best.groups, strict=True):
            strengths[list(members)] += growth
        lower, upper = best.lower[6:] / problem.row_scale[6:], best.upper[6:] / problem.row_scale[6:]
    if best is None:
        status = ChangeStatus.IMPOSSIBLE if bound == np.inf else ChangeStatus.UNDECIDED
    else:
        status = ChangeStatus.FOUND if cost - bound <= gap * cost else ChangeStatus.UNDECIDED
    changed = assembly if best is None else _with_room(assembly, strengths, lower, upper)
    return LeastChange(status, cost, bound, strengths, lower, upper, load, assembly, changed, leaves, problem, prices)


def grown(assembly: Assembly, strengths: Array, lower: Array, upper: Array) -> Assembly:
    """The assembly with contacts scaled by `strengths` (k,) and joint bounds moved out by `lower`, `upper` (r,)."""
    made: dict[tuple[int, float], ForceVolume] = {}
    contacts = []
    for contact, factor in zip(assembly.contacts, strengths, strict=True):
        key = (id(contact.volume), float(factor))
        if key not in made:
            made[key] = contact.volume if factor == 1.0 else contact.volume.scaled(float(factor))
        contacts.append(replace(contact, volume=made[key]))
    joints = assembly.joints
    if joints is not None:
        joints = JointRows(joints.jacobian, joints.lower - lower, joints.upper + upper, joints.names)
    return Assembly(contacts, joints, assembly.name)


def _with_room(assembly: Assembly, strengths: Array, lower: Array, upper: Array) -> Assembly:
    """The changed assembly, what changes a little more than needed."""
    more = np.where(strengths > 1.0, strengths * (1.0 + ROOM), 1.0)
    if assembly.joints is None:
        return grown(assembly, more, lower, upper)
    bounds = [np.where(np.isfinite(b), np.abs(b), 0.0) for b in (assembly.joints.lower, assembly.joints.upper)]
    out = [np.where(t > 0.0, t + ROOM * (t + b), 0.0) for t, b in zip((lower, upper), bounds, strict=True)]
    return grown(assembly, more, out[0], out[1])


def _prices(assembly: Assembly, problem: ContactProblem, costs: Costs) -> GrowthPrices:
    """The costs as checked arrays, in scaled rows."""
    k, rows = len(assembly), problem.rows - 6
    groups = tuple((i,) for i in range(k)) if costs.groups is None else tuple(tuple(g) for g in costs.groups)
    if sorted(i for group in groups for i in group) != list(range(k)):
        raise InputError("do not name every contact once", where="groups", fix=f"share out the contacts 0 to {k - 1}")
    strength = _positive("strength", costs.strength, len(groups))
    sides = [np.full(problem.rows, np.inf), np.full(problem.rows, np.inf)]
    joints = assembly.joints
    if joints is not None:
        reach = np.abs(joints.jacobian) @ np.repeat([c.volume.size for c in assembly.contacts], 3)
        named = (("lower", costs.lower, joints.lower), ("upper", costs.upper, joints.upper))
        for side, (name, given, bounds) in zip(sides, named, strict=True):
            size = np.where(np.abs(bounds) > 0.0, np.abs(bounds), np.where(reach > 0.0, reach, 1.0))
            own = 1.0 / size if given is None else _positive(name, given, rows)
            side[6:] = np.where(np.isfinite(bounds), own / problem.row_scale[6:], np.inf)
    return GrowthPrices(groups, strength, sides[0], sides[1])


def _positive(name: str, value: ArrayLike, count: int) -> Array:
    given = np.full(count, value) if np.ndim(value) == 0 else value
    prices = checks.array(name, given, (count,), infinite=True)
    if (prices <= 0.0).any():
        raise InputError(f"is {prices.min():g}", where=name, fix="give prices above zero, inf for what may not grow")
    return prices


class _Search:
    """Best-first branching on the pieces of contacts whose force lies in none of them."""

    def __init__(self, problem: ContactProblem, prices: GrowthPrices, gap: float, node_limit: int) -> None:
        self._problem, self._prices, self._gap, self._limit = problem, prices, gap, node_limit
        self._best: Growth | None = None

    def run(self) -> tuple[Growth | None, float, tuple[Leaf, ...]]:
        """(the cheapest growth, no growth is cheaper than this, the proof)."""
        number = itertools.count()
        root = cheapest_growth(self._problem, self._problem.all_pieces, self._prices)
        heap = [(root.bound, next(number), self._problem.all_pieces, root)]
        leaves: list[Leaf] = []
        least, seen = np.inf, 1
        while heap:
            bound, _, masks, growth = heapq.heappop(heap)
            worst = self._worst(masks, growth) if np.isfinite(growth.cost) else None
            if worst is None and np.isfinite(growth.cost):
                self._offer(growth)
            if worst is None or bound >= self._cutoff or seen >= self._limit:
                leaves.append(Leaf(masks, growth.multipliers))
                least = min(least, bound)
                continue
            self._round(masks, growth)
            for j in range(len(self._problem.pieces(worst))):
                if masks[worst] >> j & 1:
                    part = (*masks[:worst], 1 << j, *masks[worst + 1 :])
                    child = cheapest_growth(self._problem, part, self._prices)
                    seen += 1
                    heapq.heappush(heap, (child.bound, next(number), part, child))
        return self._best, least if self._best is None else min(least, self._best.cost), tuple(leaves)

    @property
    def _cutoff(self) -> float:
        return np.inf if self._best is None else self._best.cost * (1.0 - 0.5 * self._gap)

    def _offer(self, growth: Growth) -> None:
        if np.isfinite(growth.cost) and (self._best is None or growth.cost < self._best.cost):
            self._best = growth

    def _round(self, masks: tuple[int, ...], growth: Growth) -> None:
        """Try the choice of the pieces nearest to the forces."""
        choice = tuple(1 << int(np.argmin(self._distances(i, masks[i], growth))) for i in range(len(masks)))
        self._offer(cheapest_growth(self._problem, choice, self._prices))

    def _worst(self, masks: tuple[int, ...], growth: Growth) -> int | None:
        """The contact whose force is farthest from all its allowed pieces; None when each lies in one."""
        distances = np.array([self._distances(i, masks[i], growth).min() for i in range(len(masks))])
        worst = int(np.argmax(distances))
        return worst if distances[worst] > INSIDE else None

    def _distances(self, contact: int, mask: int, growth: Growth) -> Array:
        """(pieces,) distance of a contact's force, its growth taken back, to each allowed piece, as a share of it."""
        group = next(g for g, members in enumerate(self._prices.groups) if contact in members)
        force = growth.forces[contact] / (1.0 + growth.groups[group])
        pieces = self._problem.pieces(contact)
        size = max(p.size for p in pieces)
        return np.array(
            [float(p.signed_distance(force)) / size if mask >> j & 1 else np.inf for j, p in enumerate(pieces)]
        )
