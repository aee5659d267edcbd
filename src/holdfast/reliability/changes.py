"""`least_change`: the cheapest growth of contact strengths and joint bounds that makes a load hold.

Contact i may grow by a factor 1 + s_i about zero, joint row r's bounds may move out by a_r (lower) and b_r (upper):

    minimise  sum_g c_g s_g + sum_r (p_r a_r + q_r b_r)
    with      W f + w = 0,  f_i in (1 + s_i) F_i,  lower - a <= J f <= upper + b,  s, a, b >= 0,

where the contacts of a group g grow by the same factor, by default those of a unit. With pieces replaced by hulls this
is a linear program: the forces of a unit are weights lambda >= 0 of the vertices of its allowed pieces (one vertex per
contact), with sum lambda = 1 + s of its group; vertices enter when the multipliers price them. For any multipliers y
over the rows, scaled so that y_r <= p_r, -y_r <= q_r and sum over u in g of h_u(y) <= c_g, every change that holds
costs at least

    min over s in [lower, upper] of y . s  -  y . w  -  sum_u h_u(y),

where h_u are the support functions of the allowed pieces: max over pieces j of the sum over the unit's contacts i of
h_ij(M_i^T y). Where the contacts of a unit are in several groups, they are treated separately here, which is a weaker
relaxation. Over unions the search branches on the pieces of units whose forces lie in none. Its leaves carry
multipliers that prove, by support functions only, that no cheaper change makes the load hold.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, IntArray
from ..errors import InputError, SolverError
from ..linear_programs import TIGHT
from ..public_names import with_advice
from ..results import Result, proof
from ..solvers import ContactProblem, Leaf
from ..solvers.certificates import least_row_sum, ray_slack, tiles
from ..solvers.highs import LinearProgram, Outcome
from ..statics.holding import equilibrium
from ..statics.solver import weakened
from .scatter import units_of

# The cheapest growth for one box of piece choices.

#: Largest number of pricing rounds of a program.
MOST_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class GrowthPrices:
    """Costs of growth in the units of a problem's scaled rows; infinite for what may not grow.

    Attributes:
        groups: contacts that grow by the same factor.
        strength: (g,) cost per growth of a group by 1 (100 %).
        lower, upper: (m,) cost per unit by which a scaled row's bound moves outwards.
    """

    groups: tuple[tuple[int, ...], ...]
    strength: Array
    lower: Array
    upper: Array

    @cached_property
    def group_of(self) -> IntArray:
        """(k,) the group of each contact."""
        found = np.zeros(sum(map(len, self.groups)), dtype=np.int64)
        for number, members in enumerate(self.groups):
            found[list(members)] = number
        return found

    def items(self, problem: ContactProblem) -> tuple[range, ...]:
        """Contacts that choose their pieces together: units, or single contacts of a unit that several groups share."""
        found: list[range] = []
        for contacts in problem.units:
            together = len(set(self.group_of[contacts].tolist())) == 1
            found += [contacts] if together else [range(i, i + 1) for i in contacts]
        return tuple(found)


@dataclass(frozen=True, eq=False)
class _Column:
    """A vertex or a ray of an item (see `GrowthPrices.items`): one local force [N], or part of a direction, each."""

    item: int
    points: Array
    is_ray: bool

    @property
    def key(self) -> tuple[int, bytes, bool]:
        return self.item, self.points.tobytes(), self.is_ray


@dataclass(frozen=True, eq=False)
class StrengthGrowth:
    """The cheapest growth for one box of piece choices, with pieces replaced by their hulls.

    Attributes:
        bound: lower bound of the cost of every choice in the box; inf when none holds.
        multipliers: (m,) y that prove it.
        cost: what the growth below costs; inf when there is none.
        groups: (g,) growth s of each group.
        lower, upper: (m,) how far the scaled bounds move outwards.
        forces: (k, 3) local forces [N].
    """

    bound: float
    multipliers: Array
    cost: float
    groups: Array
    lower: Array
    upper: Array
    forces: Array


def growth_bound(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array, prices: GrowthPrices) -> float:
    """The smallest cost that y allows for the allowed pieces; inf when y shows that no growth helps."""
    items = prices.items(problem)
    supports, sizes = _supports(problem, items, masks, multipliers)
    group_of = prices.group_of[[item.start for item in items]]
    least = least_row_sum(problem, multipliers)
    if not (np.isfinite(supports).all() and np.isfinite(least)):
        return 0.0
    y = multipliers
    size = float(sizes.sum()) + float(np.abs(y * problem.load).sum())
    gain = least - float(y @ problem.load) - float(supports.sum()) - tolerances.UNIT_ROUNDING * size
    if gain <= 0.0:
        return 0.0
    dearest = 0.0
    for number, price in enumerate(prices.strength):
        worth, size = float(supports[group_of == number].sum()), float(sizes[group_of == number].sum())
        if np.isfinite(price) and worth > tolerances.SEPARATION * size:
            dearest = max(dearest, worth / price)
    tiny = tolerances.SEPARATION * float(np.abs(y).max())
    for price, worth in ((prices.lower, y), (prices.upper, -y)):
        paid = np.isfinite(price) & (worth > tiny)
        dearest = max(dearest, float((worth[paid] / price[paid]).max(initial=0.0)))
    return gain / dearest if dearest > 0.0 else np.inf


def cheapest_growth(problem: ContactProblem, masks: tuple[int, ...], prices: GrowthPrices) -> StrengthGrowth:
    """The cheapest growth over the hulls of the allowed pieces."""
    first = _Program(problem, masks, prices, columns=None)
    multipliers, missing = first.solve()
    if missing > tolerances.FEASIBILITY:
        bound = growth_bound(problem, masks, multipliers, prices)
        k, m, g = problem.contacts, problem.rows, len(prices.groups)
        return StrengthGrowth(bound, multipliers, np.inf, np.zeros(g), np.zeros(m), np.zeros(m), np.zeros((k, 3)))
    second = _Program(problem, masks, prices, columns=first.columns)
    multipliers, _ = second.solve()
    return second.answer(multipliers)


class _Program:
    """One phase: without `columns` the error of the balance is minimised, with them the cost."""

    def __init__(
        self,
        problem: ContactProblem,
        masks: tuple[int, ...],
        prices: GrowthPrices,
        columns: list[_Column] | None,
    ) -> None:
        self._problem, self._masks, self._prices = problem, masks, prices
        self._unit = max(float(np.abs(problem.load).max()), max(p.size for s in problem.shapes for p in s))
        self._costs = columns is not None
        self._items = prices.items(problem)
        self._item_masks = [masks[problem.unit_of[item.start]] for item in self._items]
        ones = np.ones(len(self._items))
        lower, upper = ((bound - problem.load) / self._unit for bound in (problem.lower, problem.upper))
        self._program = LinearProgram(np.concatenate([lower, ones]), np.concatenate([upper, ones]))
        known = np.concatenate([prices.strength, prices.lower * self._unit, prices.upper * self._unit])
        self._price_unit = float(known[np.isfinite(known)].min(initial=np.inf))  # scales the numbers near one
        self._price_unit = self._price_unit if np.isfinite(self._price_unit) else 1.0
        self._growing = self._add_growth()
        self._artificial = 0
        if not self._costs:
            self._artificial = 2 * problem.rows
            whole = np.vstack([np.eye(problem.rows), np.zeros((len(ones), problem.rows))])
            self._program.add_columns(np.concatenate([whole, -whole], axis=1), gain=-1.0)
        self._known: set[tuple[int, bytes, bool]] = set()
        self.columns: list[_Column] = []
        self._add(columns if columns is not None else self._start())

    def solve(self) -> tuple[Array, float]:
        """(multipliers (m,), remaining error of the balance)."""
        for _ in range(MOST_ROUNDS):
            if self._program.solve() is not Outcome.OPTIMAL:
                break
            duals = self._program.row_duals
            if not self._add(self._priced(duals)):
                first = len(self._growing)
                missing = float(self._program.values[first : first + self._artificial].sum())
                scale = self._price_unit if self._costs else 1.0
                return duals[: self._problem.rows] / self._unit * scale, missing
        raise SolverError("the cheapest growth was not found", fix="check the scale of forces and prices")

    def answer(self, multipliers: Array) -> StrengthGrowth:
        """The growth that the program found, and the bound that it proves."""
        problem, prices = self._problem, self._prices
        values = np.maximum(self._program.values, 0.0)
        groups, lower, upper = np.zeros(len(prices.groups)), np.zeros(problem.rows), np.zeros(problem.rows)
        for (kind, index), value in zip(self._growing, values, strict=False):
            if kind == "group":
                groups[index] = value
            else:
                (lower if kind == "lower" else upper)[index] = value * self._unit
        forces = np.zeros((problem.contacts, 3))
        for column, weight in zip(self.columns, values[len(self._growing) :], strict=True):
            forces[self._items[column.item]] += weight * column.points
        paid = ((prices.strength, groups), (prices.lower, lower), (prices.upper, upper))
        cost = sum(float(price[grown > 0.0] @ grown[grown > 0.0]) for price, grown in paid)
        bound = growth_bound(problem, self._masks, multipliers, prices)
        return StrengthGrowth(min(bound, cost), multipliers, cost, groups, lower, upper, forces)

    def _add_growth(self) -> list[tuple[str, int]]:
        """Columns of growth: the meaning of each, in order."""
        problem, prices, found = self._problem, self._prices, []
        group_of = prices.group_of[[item.start for item in self._items]]
        for g, price in enumerate(prices.strength):
            if np.isfinite(price):
                self._add_priced(np.concatenate([np.zeros(problem.rows), -1.0 * (group_of == g)]), price)
                found.append(("group", g))
        for kind, price, sign in (("lower", prices.lower, 1.0), ("upper", prices.upper, -1.0)):
            for row in np.nonzero(np.isfinite(price))[0]:
                column = np.zeros(problem.rows + len(self._items))
                column[row] = sign
                self._add_priced(column, float(price[row]) * self._unit)
                found.append((kind, int(row)))
        return found

    def _add_priced(self, column: Array, price: float) -> None:
        self._program.add_columns(column[:, None], gain=-price / self._price_unit if self._costs else 0.0)

    def _start(self) -> list[_Column]:
        """One vertex per item."""
        found = []
        for number, (item, mask) in enumerate(zip(self._items, self._item_masks, strict=True)):
            piece = (mask & -mask).bit_length() - 1
            found.append(_Column(number, np.array([self._problem.pieces(i)[piece].extreme[0] for i in item]), False))
        return found

    def _priced(self, duals: Array) -> list[_Column]:
        """The best vertex of each item and allowed piece, and rays, that could lower the objective."""
        problem, found = self._problem, []
        y = duals[: problem.rows] / self._unit
        slack = ray_slack(problem.layout, y)
        directions = problem.layout.directions(y)
        for number, (item, mask) in enumerate(zip(self._items, self._item_masks, strict=True)):
            for j in (j for j in range(mask.bit_length()) if mask >> j & 1):
                pieces = [(i, problem.pieces(i)[j]) for i in item]
                best = np.array([piece.extreme[int(np.argmax(piece.extreme @ directions[i]))] for i, piece in pieces])
                if float((best * directions[item]).sum()) + duals[problem.rows + number] > TIGHT:
                    found.append(_Column(number, best, False))
                for i, piece in pieces:
                    for ray in piece.rays:
                        if ray @ directions[i] > 0.5 * slack[i] * np.linalg.norm(ray):
                            points = np.zeros((len(item), 3))
                            points[i - item.start] = ray / np.linalg.norm(ray) * self._unit
                            found.append(_Column(number, points, True))
        return found

    def _add(self, wanted: list[_Column]) -> bool:
        """Add columns that are not present yet; returns whether any is new."""
        problem = self._problem
        keyed = {column.key: column for column in wanted}
        fresh = [column for key, column in keyed.items() if key not in self._known]
        self._known.update(keyed)
        if fresh:
            matrix = np.zeros((problem.rows + len(self._items), len(fresh)))
            for n, column in enumerate(fresh):
                maps = problem.maps[self._items[column.item]]
                matrix[: problem.rows, n] = np.einsum("kmi,ki->m", maps, column.points) / self._unit
                matrix[problem.rows + column.item, n] = 0.0 if column.is_ray else 1.0
            self._program.add_columns(matrix)
            self.columns += fresh
        return bool(fresh)


def _supports(
    problem: ContactProblem, items: tuple[range, ...], masks: tuple[int, ...], multipliers: Array
) -> tuple[Array, Array]:
    """(items,) supports over the allowed pieces (inf along a ray), and the size of the terms in their sums."""
    directions = problem.layout.directions(multipliers)
    terms = np.linalg.norm(problem.layout.term_sizes(multipliers), axis=1)
    slack = ray_slack(problem.layout, multipliers)
    supports, sizes = np.zeros(len(items)), np.zeros(len(items))
    for number, item in enumerate(items):
        mask = masks[problem.unit_of[item.start]]
        allowed = [j for j in range(mask.bit_length()) if mask >> j & 1]
        own = np.zeros(len(allowed))
        for i in item:
            pieces = [problem.pieces(i)[j] for j in allowed]
            climbed = [piece.rays @ directions[i] > slack[i] * np.linalg.norm(piece.rays, axis=1) for piece in pieces]
            own += [float((piece.vertices @ directions[i]).max()) for piece in pieces]
            own[[bool(c.any()) for c in climbed]] = np.inf
            sizes[number] += terms[i] * max(float(np.abs(piece.vertices).max()) for piece in pieces)
        supports[number] = own.max()
    return supports, sizes


# The search over piece choices.

#: The change is made larger than needed by this fraction, so that the changed assembly holds in spite of rounding.
ROOM = 1e-8

#: A force belongs to a grown piece within this fraction of the piece's size.
INSIDE = 1e-8


class ChangeStatus(StrEnum):
    """Outcome; the value is the message."""

    FOUND = "least change found"
    HOLDS = "holds without a change"
    IMPOSSIBLE = "no growth makes it hold"
    UNDECIDED = "undecided"


@with_advice()
@dataclass(frozen=True, kw_only=True)
class Costs:
    """Costs of growth; infinite for what may not grow.

    Attributes:
        strength: cost per growth of a group's strength by 1 (100 %): a number for all, or one per group.
        lower, upper: cost per N m (N for a slide) by which a joint row's bound moves outwards: a number for all, one
            per row, or None: moving a bound by its own size (by the row's reach where it is zero) costs 1.
        groups: contacts that grow by the same factor, one tuple of numbers per group; by default those of each unit,
            and each contact without one on its own.
    """

    strength: ArrayLike = 1.0
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    groups: Sequence[Sequence[int]] | None = None


@dataclass(frozen=True, eq=False)
class LeastChange(Result):
    """The cheapest growth that makes a load hold, and the proof that nothing cheaper does.

    Attributes:
        status: the outcome.
        cost: total cost of the change; 0 when none is needed, inf when none was found.
        lower_bound: no change that costs less makes it hold; inf when none does.
        strengths: (k,) factor by which each contact grows, 1 for none.
        lower, upper: (r,) how far joint bounds move outwards [N m, N].
        wrench: (6,) the load.
        original, assembly: before and after the change.
        leaves: boxes of piece choices with multipliers that prove `lower_bound`.
        prices: the costs, in the units of the proof.
        wanted: the requested relative gap.
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
    prices: GrowthPrices
    wanted: float

    @cached_property
    def problem(self) -> ContactProblem:
        """The problem of the proof."""
        return self.original.problem(self.wrench)

    def __repr__(self) -> str:
        return f"LeastChange({self.status.value}, cost {self.cost:.6g}, bound {self.lower_bound:.6g})"

    @property
    def gap(self) -> float:
        """(cost - lower_bound) relative to the cost; 0 where nothing has to change or nothing helps."""
        if self.cost in (0.0, self.lower_bound):
            return 0.0
        return (self.cost - self.lower_bound) / self.cost if np.isfinite(self.cost) else np.inf

    def partly(self, share: float) -> Assembly:
        """The assembly with a fraction of the change: 0 is the original, 1 the whole change."""
        share = checks.number("share", share, low=0.0)
        return grown(self.original, 1.0 + share * (self.strengths - 1.0), share * self.lower, share * self.upper)

    @proof
    def verify(self) -> bool:
        """Check without the search: the changed assembly holds, and the leaves prove the lower bound."""
        changes = (self.strengths - 1.0, self.lower, self.upper)
        if not (np.isfinite(self.wrench).all() and self.wanted > 0.0):
            return False
        if self.status is ChangeStatus.FOUND:
            if not (self._cost_is_right() and self.cost - self.lower_bound <= self.wanted * self.cost):
                return False
            again = _with_room(self.original, self.strengths, self.lower, self.upper)
            if again.fingerprint != self.assembly.fingerprint:
                return False
        else:
            known = {ChangeStatus.HOLDS: (0.0, 0.0), ChangeStatus.IMPOSSIBLE: (np.inf, np.inf)}
            if any(change.any() for change in changes) or self.assembly is not self.original:
                return False
            if (self.cost, self.lower_bound) != known.get(self.status):
                return False
        if self.status is not ChangeStatus.IMPOSSIBLE:
            answer = equilibrium(self.assembly, self.wrench)
            if not (answer.holds and answer.verify()):
                return False
        return self.leaves == () if self.status is ChangeStatus.HOLDS else self._bound_is_proven()

    def _cost_is_right(self) -> bool:
        """Whether the cost is that of the growth of each group and of the moved bounds."""
        prices, scale = self.prices, self.problem.row_scale[6:]
        groups = np.array([self.strengths[members[0]] - 1.0 for members in map(list, prices.groups)])
        if (groups[prices.group_of] != self.strengths - 1.0).any():
            return False
        parts = (
            (prices.strength, groups),
            (prices.lower[6:], self.lower * scale),
            (prices.upper[6:], self.upper * scale),
        )
        if any((grown < 0.0).any() for _, grown in parts):
            return False
        cost = sum(float(price[grown > 0.0] @ grown[grown > 0.0]) for price, grown in parts)
        return abs(cost - self.cost) <= tolerances.SOLVER_ROUNDING * cost

    def _bound_is_proven(self) -> bool:
        if not tiles([leaf.masks for leaf in self.leaves], self.problem.all_pieces):
            return False
        bounds = [growth_bound(self.problem, leaf.masks, leaf.multipliers, self.prices) for leaf in self.leaves]
        return self.cost >= self.lower_bound and min(bounds) >= self.lower_bound * (1.0 - tolerances.SEPARATION)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "status": self.status.value,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            **{name: getattr(self, name).tolist() for name in ("strengths", "lower", "upper", "wrench")},
        }


@with_advice()
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
        costs: costs of growth; by default every contact's strength and every joint bound costs 1 for 100 % of it.
        gap: relative gap at which the search stops.
        node_limit: most boxes of piece choices; beyond, the result is "undecided".
    """
    load = checks.vector("wrench", wrench, 6)
    checks.positive("gap", gap, high=0.1)
    if costs is not None:
        checks.instance("costs", costs, Costs, fix="give holdfast.reliability.Costs(...), such as Costs(strength=2.0)")
    problem = checked_assembly(assembly).problem(load)
    prices = _prices(assembly, problem, costs or Costs())
    rows = problem.rows - 6
    if equilibrium(assembly, load).holds:
        nothing = np.ones(len(assembly)), np.zeros(rows), np.zeros(rows)
        return LeastChange(ChangeStatus.HOLDS, 0.0, 0.0, *nothing, load, assembly, assembly, (), prices, gap)
    best, bound, leaves = _GrowthSearch(
        problem, prices, gap, checks.count("node_limit", node_limit, high=checks.LARGEST_LIMIT)
    ).run()
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
    return LeastChange(status, cost, bound, strengths, lower, upper, load, assembly, changed, leaves, prices, gap)


def grown(assembly: Assembly, strengths: Array, lower: Array, upper: Array) -> Assembly:
    """The assembly with contacts scaled by `strengths` (k,) and joint bounds moved out by `lower`, `upper` (r,)."""
    joints = assembly.joints
    if joints is not None:
        joints = replace(joints, lower=joints.lower - lower, upper=joints.upper + upper)
    scaled = weakened(assembly, np.repeat(strengths[:, None], 3, axis=1))
    return Assembly(scaled.contacts, joints, assembly.name)


def _with_room(assembly: Assembly, strengths: Array, lower: Array, upper: Array) -> Assembly:
    """The changed assembly, with slightly larger changes than needed."""
    more = np.where(strengths > 1.0, strengths * (1.0 + ROOM), 1.0)
    if assembly.joints is None:
        return grown(assembly, more, lower, upper)
    bounds = [np.where(np.isfinite(b), np.abs(b), 0.0) for b in (assembly.joints.lower, assembly.joints.upper)]
    out = [np.where(t > 0.0, t + ROOM * (t + b), 0.0) for t, b in zip((lower, upper), bounds, strict=True)]
    return grown(assembly, more, out[0], out[1])


def _prices(assembly: Assembly, problem: ContactProblem, costs: Costs) -> GrowthPrices:
    """The costs as checked arrays, in scaled rows."""
    k, rows = len(assembly), problem.rows - 6
    if costs.groups is None:
        names = units_of(assembly)
        given = [[i for i in range(k) if names[i] == name] for name in dict.fromkeys(names)]
    else:
        given = costs.groups
    groups = tuple(tuple(g) for g in given)
    if sorted(i for group in groups for i in group) != list(range(k)):
        fix = f"divide the contacts 0 to {k - 1} among the groups"
        raise InputError("do not contain every contact once", where="groups", fix=fix)
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
            side[problem.rows - joints.even :] = np.inf
    return GrowthPrices(groups, strength, sides[0], sides[1])


def _positive(name: str, value: ArrayLike, count: int) -> Array:
    prices = checks.filled(name, value, (count,), infinite=True)
    if (prices <= 0.0).any():
        raise InputError(f"is {prices.min():g}", where=name, fix="give prices above zero, inf for what may not grow")
    return prices


class _GrowthSearch:
    """Best-first branching on the pieces of units whose forces lie in none of them."""

    def __init__(self, problem: ContactProblem, prices: GrowthPrices, gap: float, node_limit: int) -> None:
        self._problem, self._prices, self._gap, self._limit = problem, prices, gap, node_limit
        self._best: StrengthGrowth | None = None

    def run(self) -> tuple[StrengthGrowth | None, float, tuple[Leaf, ...]]:
        """(the cheapest growth, lower bound of its cost, the proof)."""
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
            for j in range(masks[worst].bit_length()):
                if masks[worst] >> j & 1:
                    part = (*masks[:worst], 1 << j, *masks[worst + 1 :])
                    child = cheapest_growth(self._problem, part, self._prices)
                    seen += 1
                    heapq.heappush(heap, (child.bound, next(number), part, child))
        return self._best, least if self._best is None else min(least, self._best.cost), tuple(leaves)

    @property
    def _cutoff(self) -> float:
        return np.inf if self._best is None else self._best.cost * (1.0 - 0.5 * self._gap)

    def _offer(self, growth: StrengthGrowth) -> None:
        if np.isfinite(growth.cost) and (self._best is None or growth.cost < self._best.cost):
            self._best = growth

    def _round(self, masks: tuple[int, ...], growth: StrengthGrowth) -> None:
        """Try the choice of the pieces nearest to the forces."""
        choice = tuple(1 << int(np.argmin(self._distances(u, mask, growth))) for u, mask in enumerate(masks))
        self._offer(cheapest_growth(self._problem, choice, self._prices))

    def _worst(self, masks: tuple[int, ...], growth: StrengthGrowth) -> int | None:
        """The unit whose forces are farthest from all its allowed pieces; None when those of every unit lie in one."""
        distances = np.array([self._distances(u, mask, growth).min() for u, mask in enumerate(masks)])
        worst = int(np.argmax(distances))
        return worst if distances[worst] > INSIDE else None

    def _distances(self, unit: int, mask: int, growth: StrengthGrowth) -> Array:
        """(pieces,) largest relative distance of a unit's forces, divided by their growth, from each allowed piece."""
        distances = np.full(self._problem.piece_counts[unit], -np.inf)
        for i in self._problem.units[unit]:
            force = growth.forces[i] / (1.0 + growth.groups[self._prices.group_of[i]])
            pieces = self._problem.pieces(i)
            size = max(p.size for p in pieces)
            distances = np.maximum(distances, [float(p.signed_distance(force)) / size for p in pieces])
        return np.where([mask >> j & 1 for j in range(len(distances))], distances, np.inf)
