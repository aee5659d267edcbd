"""Dual prices of a load limit: what it would gain from more strength and from wider joint bounds.

With every contact kept in the piece of the answer, the limit is a linear program. Its multipliers y, scaled to
y . load = -1, give by strong duality

    limit = sum_i h_i(maps_i^T y) - sum over y_r > 0 of y_r lower_r - sum over y_r < 0 of y_r upper_r,

h_i being the support function of contact i's piece. Scaling contact i's piece about zero scales h_i, and the bounds
stand there as they are: each term is what its contact or bound adds to the limit, and its derivative is the price.
The limit is the least of this sum over all y, so it is concave in strengths and bounds: where more than one y is
optimal (a degenerate optimum), a price is an upper bound of what an increase brings, and a lower bound of what
a decrease costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ... import tolerances
from ...checks import Array
from ...errors import SolverError
from ...solvers import ContactProblem
from ...solvers.certificates import factor_bound, least_factor
from ...solvers.relaxation import HullRelaxation, RelaxationOutcome, RelaxedSolution
from .border import AT_LIMIT, active_facets

#: Multipliers and supports below this share of the largest are rounding, not prices.
ROUNDING = 1e-10

#: A contact is not moved by y when the terms of its motion cancel to less than this share of them.
UNMOVED = 1e-7

#: Singular values below this share of the largest leave a direction of y open.
OPEN_DIRECTION = 1e-8


@dataclass(frozen=True, eq=False)
class Prices:
    """What a load limit gains per unit of strength and of joint bounds.

    Attributes:
        factor: the limit with every contact kept in its piece.
        forces: (k, 3) local forces that attain it [N].
        multipliers: (m,) y over the scaled rows, y . load = -1.
        strength: (k,) gain per percent that a contact's volume grows about zero.
        lower: (r,) gain per N m (N for a slide) that a joint row's lower bound is lowered.
        upper: (r,) gain per N m (N for a slide) that a joint row's upper bound is raised.
        binding: (k,) bool, whether a contact is at its limit in every choice of forces that attains the factor: the
            motion of y moves it, and its force must resist as much as its piece allows.
    """

    factor: float
    forces: Array
    multipliers: Array
    strength: Array
    lower: Array
    upper: Array
    binding: Array


class FixedPieces:
    """A problem whose contacts are each confined to one piece: a linear program."""

    def __init__(self, problem: ContactProblem, pieces: Array) -> None:
        """Keep contact i of `problem` in its piece number pieces[i]."""
        numbers: dict[tuple[int, int], int] = {}
        keys = [(int(s), int(j)) for s, j in zip(problem.shape_of, pieces, strict=True)]
        shape_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        shapes = tuple((problem.shapes[s][j],) for s, j in numbers)
        self.problem = ContactProblem(replace(problem.layout, shapes=shapes, shape_of=shape_of), problem.load)
        self._masks = (1,) * problem.contacts

    def largest_factor(self) -> float:
        """The limit; inf when there is none, nan when the numbers do not allow to tell."""
        solution = self._maximised()
        return np.nan if solution is None else solution.factor

    def with_strength(self, contact: int, share: float) -> FixedPieces:
        """The same with one contact's piece scaled about zero by `share` > 0."""
        problem = self.problem
        shapes = (*problem.shapes, (problem.pieces(contact)[0].scaled(share),))
        shape_of = problem.shape_of.copy()
        shape_of[contact] = len(shapes) - 1
        return self._with(shapes=shapes, shape_of=shape_of)

    def with_bounds(self, row: int, *, lower: float = 0.0, upper: float = 0.0) -> FixedPieces:
        """The same with the bounds of joint row `row` moved outwards by `lower` and `upper` [N m, N]."""
        problem = self.problem
        low, high = problem.lower.copy(), problem.upper.copy()
        low[6 + row] -= lower * problem.row_scale[6 + row]
        high[6 + row] += upper * problem.row_scale[6 + row]
        return self._with(lower=low, upper=high)

    def prices(self) -> Prices | None:
        """The prices at the limit; None when there is no limit, nothing holds, or they cannot be confirmed."""
        problem, solution = self.problem, self._maximised()
        if solution is None or solution.multipliers is None or solution.forces is None:
            return None
        work = float(solution.multipliers @ problem.load)
        if not work < 0.0:
            return None
        y = solution.multipliers / -work
        unlimited = (y > 0.0) & np.isinf(problem.lower) | (y < 0.0) & np.isinf(problem.upper)
        y = np.where(unlimited | (np.abs(y) <= ROUNDING * np.abs(y).max()), 0.0, y)
        bound = factor_bound(problem, self._masks, y)  # by fresh supports, as a proof would be checked
        if abs(bound - solution.factor) > tolerances.GAP * abs(solution.factor) + 10 * least_factor(problem):
            return None
        directions = np.einsum("kmi,m->ki", problem.maps, y)
        terms = np.einsum("kmi,m->ki", np.abs(problem.maps), np.abs(y))
        supports = np.array([float((problem.pieces(i)[0].vertices @ d).max()) for i, d in enumerate(directions)])
        supports[np.abs(supports) <= ROUNDING * max(np.abs(supports).max(), abs(solution.factor))] = 0.0
        joint = y[6:] * problem.row_scale[6:]
        return Prices(
            factor=solution.factor,
            forces=solution.forces,
            multipliers=y,
            strength=0.01 * supports,
            lower=np.maximum(joint, 0.0),
            upper=np.maximum(-joint, 0.0),
            binding=np.linalg.norm(directions, axis=1) > UNMOVED * np.linalg.norm(terms, axis=1),
        )

    def pins_prices(self, forces: Array, slack_rows: Array) -> bool:
        """Whether these optimal local forces (k, 3) leave one choice of prices, good for increase and decrease.

        Every optimal y is at right angles to the smallest face of its piece that each force lies on, and zero in
        the joint rows at no bound, which `slack_rows` (r,) marks. What is left open of y must leave the prices alone:
        f_i . maps_i^T y, which is h_i there, and y in the joint rows.
        """
        problem = self.problem
        joints = np.eye(problem.rows)[:, 6:]
        pinned = span_of(self.pinning(forces, slack_rows))
        borne = np.einsum("kmi,ki->mk", problem.maps, forces)
        priced = np.concatenate([joints, borne / (np.abs(borne).max(initial=0.0) or 1.0)], axis=1)
        return bool(np.abs(priced - pinned @ (pinned.T @ priced)).max() <= AT_LIMIT)

    def pinning(self, forces: Array, slack_rows: Array) -> Array:
        """(m, n) columns whose product with every optimal y is known from optimal local forces (k, 3) alone.

        The load (-1), then what every optimal y is at right angles to: joint rows at no bound, which `slack_rows` (r,)
        marks, and the directions of the smallest face of its piece that each force lies on.
        """
        problem = self.problem
        columns = [problem.load[:, None], np.eye(problem.rows)[:, 6:][:, slack_rows]]
        for i, force in enumerate(forces):
            active = active_facets(problem.pieces(i)[0], force)
            _, sizes, axes = np.linalg.svd(np.vstack([active, np.zeros((3, 3))]), full_matrices=False)
            columns.append(problem.maps[i] @ axes[sizes <= AT_LIMIT].T)
        return np.concatenate(columns, axis=1)

    def _with(self, **changes: object) -> FixedPieces:
        changed = ContactProblem(replace(self.problem.layout, **changes), self.problem.load)  # pyright: ignore[reportArgumentType]
        return FixedPieces(changed, np.zeros(changed.contacts, dtype=np.int64))

    def _maximised(self) -> RelaxedSolution | None:
        try:
            solution = HullRelaxation(self.problem).maximise(self._masks)
        except SolverError:  # a failure to find is no error
            return None
        if solution.outcome is RelaxationOutcome.UNBOUNDED:
            return replace(solution, factor=np.inf, multipliers=None)
        return solution if solution.outcome is RelaxationOutcome.OPTIMAL else None


def span_of(matrix: Array) -> Array:
    """(m, rank) orthonormal basis of what the columns of `matrix` (m, n) span, whatever their lengths."""
    lengths = np.linalg.norm(matrix, axis=0)
    if not lengths.any():
        return matrix[:, :0]
    base, sizes, _ = np.linalg.svd(matrix[:, lengths > 0.0] / lengths[lengths > 0.0], full_matrices=False)
    return base[:, sizes > OPEN_DIRECTION * sizes[0]]
