"""Hands given by half-spaces: the largest g . w over {w : A w <= b} in R^6, by walking along edges.

At a vertex six half-spaces touch; with E the inverse of their normals, edge i leaves half-space i alone. A direction g
splits into g = sum_i lambda_i a_i, lambda = E^T g: while some lambda_i is negative, the edge that leaves half-space i
climbs, up to the first half-space that stops it. When none is negative, the lambda_i prove the maximum by
g . w <= sum_i lambda_i b_i. The next direction starts where the last one ended, a few edges away. Vertices are never
listed; one step costs six multiplications per half-space.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...compiling import inlined, released_kernel
from ...errors import SolverError
from ...linear_programs import FREE, NONNEGATIVE, Outcome, minimise
from ...tolerances import FLAT
from ..exact.simplex import invert

#: Multipliers above minus this share of |g| count as not negative.
NOT_NEGATIVE = 1e-12

#: An edge does not run towards a half-space when it approaches by less than this, both having length 1.
APPROACH = 1e-10

#: Half-spaces may be left by this share of the set's size while ties between them are settled.
LEEWAY = 1e-12

#: Steps of length zero in a row after which the lowest index decides (Bland's rule), which cannot cycle.
STALLED = 30

#: Steps between fresh inverses, and before a walk is given up.
RENEW_EVERY, MOST_STEPS = 25, 5_000

FOUND, UNBOUNDED, LOST = 0, 1, 2

#: Half-spaces this near to a vertex, as a share of the set's size, go through it.
SAME_PLANE = 1e-7

CHECK_SCALE = "check the scale of its half-spaces"


class HalfspaceSupport(NamedTuple):
    """The largest g . w of one direction g, with its proof.

    Attributes:
        value: the largest g . w; inf when there is none.
        point: (6,) a wrench that attains it (any wrench of the set, when there is no limit).
        ray: (6,) a direction along which g . w is unbounded within the set, or None.
        rows: (r,) half-spaces that touch at `point`.
        multipliers: (r,) lambda >= 0 with lambda @ A[rows] = g and lambda . b[rows] = value; zeros without a limit.
    """

    value: float
    point: Array
    ray: Array | None
    rows: IntArray
    multipliers: Array


@inlined
def _renew(normals, offsets, active, inverse, columns, work, point, slack):
    """Recompute inverse, vertex and slacks from the active half-spaces; False if these do not meet in one point."""
    for i in range(6):
        for c in range(6):
            columns[i, c] = normals[c, active[i]]
    sound = invert(columns, inverse, work)
    for c in range(6):
        point[c] = 0.0
        for i in range(6):
            point[c] += inverse[i, c] * offsets[active[i]]
    a, b, c, d, e, f = point[0], point[1], point[2], point[3], point[4], point[5]
    n0, n1, n2, n3, n4, n5 = normals[0], normals[1], normals[2], normals[3], normals[4], normals[5]
    for r in range(len(slack)):
        slack[r] = offsets[r] - (a * n0[r] + b * n1[r] + c * n2[r] + d * n3[r] + e * n4[r] + f * n5[r])
    return sound


@inlined
def _leaving(g, size, active, inverse, weights, stalled):
    """The half-space whose edge climbs steepest (the lowest one, when nothing moves); -1 at the top."""
    leaving, best = -1, 0.0
    for i in range(6):
        weight = length = 0.0
        for c in range(6):
            weight += inverse[i, c] * g[c]
            length += inverse[i, c] * inverse[i, c]
        weights[i] = weight
        if weight < -NOT_NEGATIVE * size:
            if stalled > STALLED:
                if leaving < 0 or active[i] < active[leaving]:
                    leaving = i
            elif weight * weight > best * length:
                leaving, best = i, weight * weight / length
    return leaving


@inlined
def _entering(normals, taken, edge, slack, ascent, stalled):
    """The half-space that stops the way along `edge`, among near ties the one met most squarely; -1 when none does."""
    a, b, c, d, e, f = edge[0], edge[1], edge[2], edge[3], edge[4], edge[5]
    n0, n1, n2, n3, n4, n5 = normals[0], normals[1], normals[2], normals[3], normals[4], normals[5]
    for r in range(len(slack)):
        ascent[r] = a * n0[r] + b * n1[r] + c * n2[r] + d * n3[r] + e * n4[r] + f * n5[r]
    furthest = np.inf
    for r in range(len(slack)):
        if ascent[r] > APPROACH and max(slack[r], 0.0) + LEEWAY < furthest * ascent[r] and not taken[r]:
            furthest = (max(slack[r], 0.0) + LEEWAY) / ascent[r]
    entering, steepest = -1, 0.0
    for r in range(len(slack)):
        if ascent[r] > max(APPROACH, steepest) and max(slack[r], 0.0) <= furthest * ascent[r] and not taken[r]:
            entering, steepest = r, ascent[r]
            if stalled > STALLED:
                break
    return entering


@released_kernel
def _walk(normals, offsets, g, active, taken, inverse, columns, work, point, slack, ascent, weights):
    """From the vertex of `active`, climb along g; all arrays but the first three are updated in place.

    `normals` is (6, m): one row per coordinate. Returns (outcome, steps); the edge of an unbounded walk is left in
    `weights`.
    """
    size = 0.0
    for c in range(6):
        size = max(size, abs(g[c]))
    stalled = age = 0
    edge = work[0]
    if not _renew(normals, offsets, active, inverse, columns, work, point, slack):
        return LOST, 0
    for step in range(MOST_STEPS):
        leaving = _leaving(g, size, active, inverse, weights, stalled)
        if (leaving < 0 and age) or age == RENEW_EVERY:  # against rounding: before the end, and periodically
            if not _renew(normals, offsets, active, inverse, columns, work, point, slack):
                return LOST, step
            age = 0
            continue
        if leaving < 0:
            return FOUND, step
        length = 0.0
        for c in range(6):
            length += inverse[leaving, c] * inverse[leaving, c]
        length = np.sqrt(length)
        for c in range(6):
            edge[c] = -inverse[leaving, c] / length
        entering = _entering(normals, taken, edge, slack, ascent, stalled)
        if entering < 0:
            for c in range(6):
                weights[c] = edge[c]
            return UNBOUNDED, step
        t = max(slack[entering], 0.0) / ascent[entering]
        stalled = stalled + 1 if t <= LEEWAY else 0
        age += 1
        for c in range(6):
            point[c] += t * edge[c]
        for r in range(len(slack)):
            slack[r] -= t * ascent[r]
        taken[active[leaving]], taken[entering] = False, True
        active[leaving] = entering
        # Half-space `entering` in the place of `leaving`: its edge is 1 there, the others lose their share of it.
        pivot = -ascent[entering] * length
        for c in range(6):
            inverse[leaving, c] /= pivot
        for i in range(6):
            if i != leaving:
                share = 0.0
                for c in range(6):
                    share += inverse[i, c] * normals[c, entering]
                for c in range(6):
                    inverse[i, c] -= share * inverse[leaving, c]
    return LOST, MOST_STEPS


class HalfspaceHand:
    """{w : normals @ w <= offsets} as an oracle of supports, with the vertex where the last query ended.

    Not for several threads at once; `copy` is cheap and shares all that does not change.

    Attributes:
        normals, offsets: (m, 6), (m,) as given.
        lines: (l, 6) directions along which the set is unlimited both ways.
        empty: whether there is no wrench in it at all.
    """

    def __init__(self, normals: Array, offsets: Array, *, length: float) -> None:
        self.normals, self.offsets = normals, offsets
        self._scale = np.repeat([1.0, length], 3)  # w = scale * x, all parts of x in newtons
        rows = normals * self._scale
        sizes = np.linalg.norm(rows, axis=1)
        rows, levels = rows / sizes[:, None], offsets / sizes
        self._unit = float(np.abs(levels).max(initial=0.0)) or 1.0
        _, singular, axes = np.linalg.svd(rows.T @ rows)
        rank = int((singular > FLAT**2 * singular[0]).sum()) if len(rows) else 0
        self.lines = axes[rank:] * self._scale
        # Walls through the origin make a set with lines a pointed one; along them its rays are `lines`, both ways.
        walls = np.concatenate([axes[rank:], -axes[rank:]])
        self._sizes = sizes
        self._rows = np.ascontiguousarray(np.concatenate([rows, walls]).T)  # (6, m)
        self._levels = np.concatenate([levels / self._unit, np.zeros(len(walls))])
        start = _first_vertex(self._rows.T, self._levels)
        self.empty = start is None
        self._active = np.zeros(6, dtype=np.int64) if start is None else start
        self._make_room()

    def _make_room(self) -> None:
        m = self._rows.shape[1]
        self._taken = np.zeros(m, dtype=np.bool_)
        self._taken[self._active] = True
        self._inverse, self._columns, self._work = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))
        self._point, self._weights = np.zeros(6), np.zeros(6)
        self._slack, self._ascent = np.zeros(m), np.zeros(m)

    def copy(self) -> HalfspaceHand:
        """Another oracle on the same half-spaces, with a vertex of its own."""
        twin = object.__new__(HalfspaceHand)
        twin.__dict__.update(self.__dict__)
        twin._active = self._active.copy()
        twin._make_room()
        return twin

    @cached_property
    def axis_supports(self) -> tuple[HalfspaceSupport, ...]:
        """The supports along all axes, both ways: six, then their negatives; a start where vertices are needed.

        Directions are taken at right angles to `lines`. Copies share the supports.
        """
        lines = self.lines / self._scale
        ways = np.concatenate([np.eye(6), -np.eye(6)])
        ways = ways - (ways @ lines.T) @ lines
        walker = self.copy()
        return tuple(walker.support(way / self._scale) for way in ways)

    def contradiction(self) -> tuple[IntArray, Array]:
        """(rows, weights >= 0) of an empty hand with weights @ A[rows] = 0 and weights . b[rows] = -1 (Farkas)."""
        rows, levels = self._rows.T[: len(self._sizes)], self._levels[: len(self._sizes)]
        matrix = np.vstack([rows.T, levels])
        right = [0, 0, 0, 0, 0, 0, -1]
        found = minimise(np.ones(len(levels)), A_eq=matrix, b_eq=right, bounds=NONNEGATIVE, method="highs-ds")
        if not found.optimal:
            raise SolverError(f"no contradiction of the half-spaces was found: {found.message}", fix=CHECK_SCALE)
        used = np.nonzero(found.x > 0.0)[0]
        return used, found.x[used] / self._sizes[used] / self._unit

    def support(self, g: Array) -> HalfspaceSupport:
        """The largest g . w for g (6,) against wrenches as given; g must not climb `lines`."""
        direction = g * self._scale
        size = float(np.abs(direction).max())
        if size == 0.0:
            size = 1.0
        outcome, _ = _walk(
            self._rows, self._levels, direction / size, self._active, self._taken, self._inverse, self._columns,
            self._work, self._point, self._slack, self._ascent, self._weights,
        )  # fmt: skip
        if outcome == LOST:
            raise SolverError("the walk along the edges of a hand's half-spaces did not end", fix=CHECK_SCALE)
        point = self._point * self._unit * self._scale
        # Walls are no part of a proof; their multipliers are zero when g does not climb the lines.
        real = self._active < len(self._sizes)
        rows = self._active[real]
        if outcome == UNBOUNDED:
            return HalfspaceSupport(np.inf, point, self._weights * self._scale, rows, np.zeros(len(rows)))
        multipliers = np.maximum(self._weights[real], 0.0) * size / self._sizes[rows]
        return HalfspaceSupport(float(multipliers @ self.offsets[rows]), point, None, rows, multipliers)


def _first_vertex(rows: Array, levels: Array) -> IntArray | None:
    """(6,) half-spaces with independent normals that meet in a vertex of the set; None when the set is empty."""
    from scipy.linalg import qr

    # Farthest along the sum of all normals: a direction that the half-spaces always bound.
    found = minimise(-rows.sum(axis=0), rows, levels, bounds=FREE, method="highs-ds")
    if found.outcome is Outcome.INFEASIBLE:
        return None
    if not found.optimal:
        raise SolverError(f"no vertex of a hand's half-spaces was found: {found.message}", fix=CHECK_SCALE)
    slack = levels - rows @ found.x
    near = np.nonzero(slack <= np.sort(slack)[5] + SAME_PLANE)[0]
    factors: Any = qr(rows[near].T, mode="economic", pivoting=True)
    _, triangle, order = factors
    if abs(triangle[5, 5]) <= FLAT * abs(triangle[0, 0]):
        raise SolverError("no vertex of a hand's half-spaces was found", fix=CHECK_SCALE)
    return near[order[:6]].astype(np.int64)
