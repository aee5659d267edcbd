"""The last digits of a solution put right: convex programs stop within tolerances wider than those of an answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import tolerances
from ...checks import Array
from ..problem import ContactProblem

#: Rounds of correction; each meets what was violated so far, and may find what it has come to violate.
ROUNDS = 8

#: Violations below this share of the tolerances of an answer are left alone.
LEFT_ALONE = 0.01


def corrected(
    problem: ContactProblem, pieces: Array, forces: Array, factor: float, *, keep_factor: bool
) -> tuple[Array, float]:
    """Local forces (k, 3) and load factor after the least change that balances and keeps each force in its piece (k,).

    Rows and facets that are violated are solved for as equalities, those not violated are left out until they come
    to be. What comes back is as good as could be made, and is still to be checked.
    """
    unit = problem.force_scale(forces, factor)
    strength = float(np.abs(problem.load).max()) or 1.0
    point = np.append(forces.reshape(-1), factor * strength) / unit
    met: dict[tuple[int, int], tuple[Array, float]] = {}
    for _ in range(ROUNDS):
        found = {key: (row, end) for key, row, end in _violated(problem, pieces, point, unit, strength)}
        if not found:
            break
        met |= found
        rows = np.array([row for row, _ in met.values()])
        ends = np.array([end for _, end in met.values()])
        free = slice(0, -1 if keep_factor else None)
        point[free] += np.linalg.lstsq(rows[:, free], ends - rows @ point, rcond=None)[0]
    return point[:-1].reshape(-1, 3) * unit, factor if keep_factor else float(point[-1]) * unit / strength


def _violated(
    problem: ContactProblem, pieces: Array, point: Array, unit: float, strength: float
) -> Iterator[tuple[tuple[int, int], Array, float]]:
    """Each violated constraint as (key, row (3k + 1,), the end to meet), over forces / unit and d strength / unit."""
    k = problem.contacts
    rows = np.empty((problem.rows, 3 * k + 1))
    rows[:, :-1] = problem.maps.transpose(1, 0, 2).reshape(problem.rows, 3 * k)
    rows[:, -1] = problem.load / strength
    values = rows @ point
    ends = np.clip(values, problem.lower / unit, problem.upper / unit)
    for r in np.nonzero(np.abs(ends - values) > LEFT_ALONE * tolerances.FEASIBILITY)[0]:
        yield (-1, int(r)), rows[r], float(ends[r])
    for i, piece in enumerate(pieces):
        polytope = problem.pieces(i)[piece]
        normals, offsets = polytope.halfspaces
        force = point[3 * i : 3 * i + 3]
        size = max(float(np.abs(polytope.vertices).max()) / unit, float(np.abs(force).max()))
        excess = normals @ force - offsets / unit
        for facet in np.nonzero(excess > LEFT_ALONE * tolerances.MEMBERSHIP * size)[0]:
            row = np.zeros(3 * k + 1)
            row[3 * i : 3 * i + 3] = normals[facet]
            yield (i, int(facet)), row, float(offsets[facet]) / unit
