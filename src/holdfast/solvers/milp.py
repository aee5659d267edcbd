"""The contact problem as one mixed-integer program in V-form: weights of vertices, one indicator a piece.

For contact i and piece j a weight lambda_ijv >= 0 a vertex and an indicator z_ij in {0, 1} with
sum_v lambda_ijv = z_ij and sum_j z_ij = 1: the disjunctive form, whose relaxation is the hull relaxation.
Unlimited directions need a large number: their total weight is at most `RAY_REACH` while z_ij = 1.
"""

from __future__ import annotations

import numpy as np

from .highs import MixedSolution, solve_mixed
from .problem import ContactProblem

#: Largest total weight of a piece's rays, in multiples of the largest load or force of the problem.
RAY_REACH = 1e4


def solve_milp(
    problem: ContactProblem, *, maximise: bool, time_limit: float = 60.0, gap: float = 1e-7
) -> tuple[MixedSolution, tuple[int, ...] | None]:
    """Solve for d = 1 (`maximise` False) or the largest d; with the chosen piece of each contact, if any.

    A result without pieces and without a limit reached says that HiGHS found the problem impossible, to its own
    tolerance; it is no proof. Use `Certificate` for that.
    """
    from scipy import sparse

    largest = max(piece.size for shape in problem.shapes for piece in shape)
    unit = max(float(np.abs(problem.load).max()), 1e-6 * largest)
    blocks: list[tuple[int, int, np.ndarray, np.ndarray]] = [
        (i, j, piece.extreme, piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) * unit)
        for i in range(problem.contacts)
        for j, piece in enumerate(problem.pieces(i))
    ]
    m, k, n = problem.rows, problem.contacts, len(blocks)
    entries, upper, at = [], [], 1 + n  # column 0 is d, then one z a block
    for b, (i, _, vertices, rays) in enumerate(blocks):
        points = np.concatenate([vertices, rays])
        columns = at + np.arange(len(points))
        values = problem.maps[i] @ points.T / unit  # (m, points)
        entries += [(r, c, values[r, p]) for p, c in enumerate(columns) for r in range(m)]
        entries += [(m + k + b, c, 1.0) for c in columns[: len(vertices)]]  # sum of weights - z = 0
        entries += [(m + k + n + b, c, 1.0) for c in columns[len(vertices) :]]  # sum of rays - reach z <= 0
        entries += [(m + k + b, 1 + b, -1.0), (m + k + n + b, 1 + b, -RAY_REACH), (m + i, 1 + b, 1.0)]
        upper += [1.0] * len(vertices) + [np.inf] * len(rays)
        at += len(points)
    entries += [(r, 0, problem.load[r] / unit) for r in range(m)]
    rows, columns, values = map(np.array, zip(*entries, strict=True))
    matrix = sparse.csc_matrix((values, (rows.astype(int), columns.astype(int))), shape=(m + k + 2 * n, at))
    ones, zeros = np.ones(k), np.zeros(n)
    gains = np.zeros(at)
    gains[0] = 1.0 if maximise else 0.0
    factor_low, factor_high = (-np.inf, np.inf) if maximise else (1.0, 1.0)
    solution = solve_mixed(
        matrix,
        np.concatenate([problem.lower / unit, ones, zeros, np.full(n, -np.inf)]),
        np.concatenate([problem.upper / unit, ones, zeros, zeros]),
        gains,
        np.concatenate([[factor_low], np.zeros(at - 1)]),
        np.concatenate([[factor_high], np.ones(n), upper]),
        np.concatenate([[False], np.ones(n, dtype=bool), np.zeros(at - 1 - n, dtype=bool)]),
        time_limit=time_limit,
        gap=gap,
    )
    if solution.values is None:
        return solution, None
    chosen = [0] * k
    for b, (i, j, _, _) in enumerate(blocks):
        if solution.values[1 + b] > 0.5:
            chosen[i] = j
    return solution, tuple(chosen)
