"""The linear program behind `least_change`: what growth of contacts and joint bounds balances a load most cheaply.

Contact i's forces are weights lambda >= 0 of the vertices of its allowed pieces, with sum lambda = 1 + s of its group;
vertices enter when the multipliers price them. For any multipliers y over the rows, scaled so that y_r <= p_r,
-y_r <= q_r and sum over i in g of h_i(M_i^T y) <= c_g, every change that holds costs at least

    min over s in [lower, upper] of y . s  -  y . w  -  sum_i h_i(M_i^T y),

c_g, p_r, q_r being the prices of growth, h_i the support functions of the allowed pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import SolverError
from ..solvers import ContactProblem
from ..solvers.certificates import least_row_sum, ray_slack
from ..solvers.highs import LinearProgram, Outcome

#: Vertices are priced until none is worth more than this, in units of the program.
PRICED = 1e-10

#: What is left of the balance [units of the program] when it counts as met.
BALANCED = 1e-9

#: Rounds of pricing before a program is given up.
MOST_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class GrowthPrices:
    """What growth costs, in the units of a problem's scaled rows; infinite for what may not grow.

    Attributes:
        groups: contacts that grow alike.
        strength: (g,) per 1 (100 %) that a group grows.
        lower, upper: (m,) per unit that a scaled row's bound moves outwards.
    """

    groups: tuple[tuple[int, ...], ...]
    strength: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Growth:
    """The cheapest growth for one box of piece choices, their hulls taken.

    Attributes:
        bound: no choice in the box costs less, by fresh support functions; inf when none holds at all.
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
    """The least cost that y leaves possible for the allowed pieces; inf when y shows that no growth helps."""
    supports, sizes = _supports(problem, masks, multipliers)
    least = least_row_sum(problem, multipliers)
    if not (np.isfinite(supports).all() and np.isfinite(least)):
        return 0.0
    y = multipliers
    size = float(sizes.sum()) + float(np.abs(y * problem.load).sum())
    gain = least - float(y @ problem.load) - float(supports.sum()) - np.finfo(float).eps * 64 * size
    if gain <= 0.0:
        return 0.0
    dearest = 0.0
    for members, price in zip(prices.groups, prices.strength, strict=True):
        worth = float(supports[list(members)].sum())
        if np.isfinite(price) and worth > tolerances.SEPARATION * float(sizes[list(members)].sum()):
            dearest = max(dearest, worth / price)
    tiny = tolerances.SEPARATION * float(np.abs(y).max())
    for price, worth in ((prices.lower, y), (prices.upper, -y)):
        paid = np.isfinite(price) & (worth > tiny)
        dearest = max(dearest, float((worth[paid] / price[paid]).max(initial=0.0)))
    return gain / dearest if dearest > 0.0 else np.inf


def cheapest_growth(problem: ContactProblem, masks: tuple[int, ...], prices: GrowthPrices) -> Growth:
    """The cheapest growth over the hulls of the allowed pieces."""
    first = _Program(problem, masks, prices, columns=None)
    multipliers, missing = first.solve()
    if missing > BALANCED:
        bound = growth_bound(problem, masks, multipliers, prices)
        k, m, g = problem.contacts, problem.rows, len(prices.groups)
        return Growth(bound, multipliers, np.inf, np.zeros(g), np.zeros(m), np.zeros(m), np.zeros((k, 3)))
    second = _Program(problem, masks, prices, columns=first.columns)
    multipliers, _ = second.solve()
    return second.answer(multipliers)


class _Program:
    """One phase: without `columns` what is missing of the balance is made least, with them the cost."""

    def __init__(
        self,
        problem: ContactProblem,
        masks: tuple[int, ...],
        prices: GrowthPrices,
        columns: list[tuple[int, Array, bool]] | None,
    ) -> None:
        self._problem, self._masks, self._prices = problem, masks, prices
        self._unit = max(float(np.abs(problem.load).max()), max(p.size for s in problem.shapes for p in s))
        self._costs = columns is not None
        k, ones = problem.contacts, np.ones(problem.contacts)
        lower, upper = ((bound - problem.load) / self._unit for bound in (problem.lower, problem.upper))
        self._program = LinearProgram(np.concatenate([lower, ones]), np.concatenate([upper, ones]))
        self._price_unit = self._cheapest()
        self._growing = self._add_growth()
        self._artificial = 0
        if not self._costs:
            self._artificial = 2 * problem.rows
            whole = np.vstack([np.eye(problem.rows), np.zeros((k, problem.rows))])
            self._program.add_columns(np.concatenate([whole, -whole], axis=1), gain=-1.0)
        self._known: set[tuple[int, bytes, bool]] = set()
        self.columns: list[tuple[int, Array, bool]] = []
        self._add(columns if columns is not None else self._start())

    def solve(self) -> tuple[Array, float]:
        """(multipliers (m,), what is missing of the balance)."""
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

    def answer(self, multipliers: Array) -> Growth:
        """The growth that the program found, and what it proves."""
        problem, prices = self._problem, self._prices
        values = np.maximum(self._program.values, 0.0)
        groups, lower, upper = np.zeros(len(prices.groups)), np.zeros(problem.rows), np.zeros(problem.rows)
        for (kind, index), value in zip(self._growing, values, strict=False):
            if kind == "group":
                groups[index] = value
            else:
                (lower if kind == "lower" else upper)[index] = value * self._unit
        forces = np.zeros((problem.contacts, 3))
        for (contact, point, _), weight in zip(self.columns, values[len(self._growing) :], strict=True):
            forces[contact] += weight * point
        paid = ((prices.strength, groups), (prices.lower, lower), (prices.upper, upper))
        cost = sum(float(price[grown > 0.0] @ grown[grown > 0.0]) for price, grown in paid)
        bound = growth_bound(problem, self._masks, multipliers, prices)
        return Growth(min(bound, cost), multipliers, cost, groups, lower, upper, forces)

    def _cheapest(self) -> float:
        """Prices are counted in this, so that the program's numbers are near one."""
        rows = np.concatenate([self._prices.lower, self._prices.upper]) * self._unit
        known = np.concatenate([self._prices.strength, rows])
        known = known[np.isfinite(known)]
        return float(known.min()) if len(known) else 1.0

    def _add_growth(self) -> list[tuple[str, int]]:
        """Columns of growth: what each stands for, in their order."""
        problem, prices, found = self._problem, self._prices, []
        for g, (members, price) in enumerate(zip(prices.groups, prices.strength, strict=True)):
            if np.isfinite(price):
                column = np.zeros(problem.rows + problem.contacts)
                column[problem.rows + np.array(members)] = -1.0
                self._add_priced(column, price)
                found.append(("group", g))
        for kind, price, sign in (("lower", prices.lower, 1.0), ("upper", prices.upper, -1.0)):
            for row in np.nonzero(np.isfinite(price))[0]:
                column = np.zeros(problem.rows + problem.contacts)
                column[row] = sign
                self._add_priced(column, float(price[row]) * self._unit)
                found.append((kind, int(row)))
        return found

    def _add_priced(self, column: Array, price: float) -> None:
        self._program.add_columns(column[:, None], gain=-price / self._price_unit if self._costs else 0.0)

    def _start(self) -> list[tuple[int, Array, bool]]:
        """One vertex a contact."""
        found = []
        for i, mask in enumerate(self._masks):
            piece = next(p for j, p in enumerate(self._problem.pieces(i)) if mask >> j & 1)
            found.append((i, piece.extreme[0], False))
        return found

    def _priced(self, duals: Array) -> list[tuple[int, Array, bool]]:
        """The best vertex of each contact and allowed piece, and rays, that could lower the objective."""
        problem, found = self._problem, []
        y = duals[: problem.rows] / self._unit
        slack = ray_slack(problem.maps, y)
        for i, mask in enumerate(self._masks):
            direction = problem.maps[i].T @ y
            for j, piece in enumerate(problem.pieces(i)):
                if not mask >> j & 1:
                    continue
                worth = piece.extreme @ direction + duals[problem.rows + i]
                best = int(np.argmax(worth))
                if worth[best] > PRICED:
                    found.append((i, piece.extreme[best], False))
                for ray in piece.rays:
                    if ray @ direction > 0.5 * slack[i] * np.linalg.norm(ray):
                        found.append((i, ray / np.linalg.norm(ray) * self._unit, True))
        return found

    def _add(self, wanted: list[tuple[int, Array, bool]]) -> bool:
        """Add columns that are not there yet; whether any is new."""
        problem, fresh = self._problem, []
        for contact, point, is_ray in wanted:
            key = (contact, point.tobytes(), is_ray)
            if key not in self._known:
                self._known.add(key)
                fresh.append((contact, point, is_ray))
        if fresh:
            matrix = np.zeros((problem.rows + problem.contacts, len(fresh)))
            for n, (contact, point, is_ray) in enumerate(fresh):
                matrix[: problem.rows, n] = problem.maps[contact] @ point / self._unit
                matrix[problem.rows + contact, n] = 0.0 if is_ray else 1.0
            self._program.add_columns(matrix)
            self.columns += fresh
        return bool(fresh)


def _supports(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> tuple[Array, Array]:
    """(k,) h_i(M_i^T y) over the allowed pieces (inf where a ray is climbed), and the size of the terms they sum."""
    directions = np.einsum("kmi,m->ki", problem.maps, multipliers)
    terms = np.linalg.norm(np.einsum("kmi,m->ki", np.abs(problem.maps), np.abs(multipliers)), axis=1)
    slack = ray_slack(problem.maps, multipliers)
    supports, sizes = np.zeros(problem.contacts), np.zeros(problem.contacts)
    for i, mask in enumerate(masks):
        allowed = [piece for j, piece in enumerate(problem.pieces(i)) if mask >> j & 1]
        climbed = [piece.rays @ directions[i] > slack[i] * np.linalg.norm(piece.rays, axis=1) for piece in allowed]
        supports[i] = max(float((piece.vertices @ directions[i]).max()) for piece in allowed)
        if any(c.any() for c in climbed):
            supports[i] = np.inf
        sizes[i] = terms[i] * max(float(np.abs(piece.vertices).max()) for piece in allowed)
    return supports, sizes
