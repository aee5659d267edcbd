"""The contact problem as one mixed-integer program in V-form: weights of vertices, one indicator a piece.

For contact i and piece j a weight lambda_ijv >= 0 a vertex and an indicator z_ij in {0, 1} with
sum_v lambda_ijv = z_ij and sum_j z_ij = 1: the disjunctive form, whose relaxation is the hull relaxation.
Unlimited directions need a large number: their total weight is bounded while z_ij = 1, and 0 otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..highs import MixedSolution
from ..problem import ContactProblem
from .mixed import RAY_REACH, MixedMethod, Rest, Units, indicators_of, solve, units_of


@dataclass(frozen=True, kw_only=True)
class HullMilp(MixedMethod):
    """The disjunctive mixed-integer program: the strongest relaxation, one column a vertex."""

    def build(self, problem: ContactProblem, units: Units) -> Rest:
        """Weights of vertices and rays, and the rows that bind them to the indicators."""
        return build_weights(problem, units)


def solve_milp(
    problem: ContactProblem, *, maximise: bool, time_limit: float = 60.0, gap: float = 1e-7, solver: str = "highs"
) -> tuple[MixedSolution, tuple[int, ...] | None]:
    """Solve for d = 1 (`maximise` False) or the largest d; with the chosen piece of each contact, if any.

    No proof, and not confirmed: see `solve`. `HullMilp` is the method that confirms.
    """
    units = units_of(problem, maximise=maximise)
    rest = build_weights(problem, units)
    return solve(problem, units, rest, maximise=maximise, solver=solver, time_limit=time_limit, gap=gap)


def build_weights(problem: ContactProblem, units: Units) -> Rest:
    """Columns: for each indicator the weights of its vertices, then of its rays (RAY_REACH at most).

    Rows: sum of vertex weights - z = 0 for every indicator; sum of ray weights - RAY_REACH z <= 0 for those with rays.
    """
    from scipy import sparse

    pairs = indicators_of(problem)
    blocks, owner, is_ray = [], [], []
    for b, (i, j) in enumerate(pairs):
        piece = problem.pieces(i)[j]
        rays = piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) * (units.reach / RAY_REACH)
        points = np.concatenate([piece.extreme, rays])
        blocks.append(problem.maps[i] @ points.T / units.force)  # (m, points)
        owner.append(np.full(len(points), b))
        is_ray.append(np.arange(len(points)) >= len(piece.extreme))
    owners, rays = np.concatenate(owner), np.concatenate(is_ray)
    columns, n = len(owners), len(pairs)
    endless = np.unique(owners[rays])  # indicators with rays, each with one more row
    row = np.where(rays, n + np.searchsorted(endless, owners), owners)
    bound_rows = n + len(endless)
    binding = (
        np.concatenate([-np.ones(n), np.full(len(endless), -RAY_REACH)]),
        (np.arange(bound_rows), np.append(np.arange(n), endless)),
    )
    return Rest(
        balance=sparse.csc_array(np.concatenate(blocks, axis=1)),
        on_indicators=sparse.csc_array(binding, shape=(bound_rows, n)),
        on_columns=sparse.csc_array((np.ones(columns), (row, np.arange(columns))), shape=(bound_rows, columns)),
        row_lower=np.concatenate([np.zeros(n), np.full(len(endless), -np.inf)]),
        row_upper=np.zeros(bound_rows),
        lower=np.zeros(columns),
        upper=np.where(rays, RAY_REACH, 1.0),
    )
