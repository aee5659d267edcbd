"""Small dense linear programs in few variables and many rows: the dual's tableau, compiled.

    maximise c.x  over  rows x <= limits,  x free

is solved through its dual, minimise limits.y over rows^T y = c, y >= 0, whose tableau has as many rows as x has
entries. The least-index rule takes over when progress stops, so that it always ends.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...errors import SolverError
from .compiling import kernel

OPTIMAL, UNBOUNDED, INFEASIBLE, STALLED = range(4)

#: A reduced cost below this is none; rows are of unit length.
PIVOT = 1e-11

#: No smaller entry is divided by: what it would carry into the tableau is rounding.
SMALLEST_PIVOT = 1e-9

#: Steps that differ by less than this share are tied.
TIE = 1e-13

#: What phase one may leave over of the right-hand side, as a share of its size.
LEFT_OVER = 1e-9


@kernel
def _pivot(tableau, basis, row, column):
    height, width = tableau.shape
    value = tableau[row, column]
    for j in range(width):
        tableau[row, j] /= value
    for i in range(height):
        if i == row:
            continue
        factor = tableau[i, column]
        if factor != 0.0:
            for j in range(width):
                tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = 0.0
    basis[row] = column


@kernel
def _minimise(tableau, basis, columns, tolerance):
    """Pivot until no reduced cost (last row) among the first `columns` is negative; a status."""
    size = tableau.shape[0] - 1
    last = tableau.shape[1] - 1
    stuck = 0
    for _ in range(200 * (size + columns) + 100):
        entering = -1
        best = -tolerance
        for j in range(columns):
            if tableau[size, j] < best:
                entering = j
                if stuck > 2 * size + 10:
                    break
                best = tableau[size, j]
        if entering < 0:
            return 0
        leaving = -1
        ratio = np.inf
        for i in range(size):
            value = tableau[i, entering]
            if value > SMALLEST_PIVOT:
                step = max(tableau[i, last], 0.0) / value
                slack = TIE * (1.0 + ratio if ratio < np.inf else 0.0)
                # Of tied rows the largest pivot, for accuracy; while nothing moves the lowest index, against cycling.
                if step < ratio - slack or (
                    leaving >= 0
                    and step <= ratio + slack
                    and (basis[i] < basis[leaving] if stuck > 2 * size + 10 else value > tableau[leaving, entering])
                ):
                    ratio = step
                    leaving = i
        if leaving < 0:
            return 1
        stuck = stuck + 1 if ratio <= tolerance else 0
        _pivot(tableau, basis, leaving, entering)
    return 3


@kernel
def solve(rows, limits, c, x, tableau, basis, tolerance, left_over):
    """Status of max c.x over rows x <= limits; x filled when it is OPTIMAL. tableau (n + 1, m + n + 1), basis (n,)."""
    count, size = rows.shape
    last = count + size
    scale = 1.0
    for i in range(size):
        scale = max(scale, abs(c[i]))
    for j in range(last + 1):
        tableau[size, j] = 0.0
    for i in range(size):
        sign = 1.0 if c[i] >= 0.0 else -1.0
        for j in range(count):
            tableau[i, j] = sign * rows[j, i]
            tableau[size, j] -= tableau[i, j]
        for j in range(size):
            tableau[i, count + j] = sign if i == j else 0.0
        tableau[i, last] = sign * c[i]
        tableau[size, last] -= tableau[i, last]
        basis[i] = count + i
    # Artificial columns carry the sign of their row; a scaled unit column is a unit basis all the same.
    status = _minimise(tableau, basis, count, tolerance)
    if status == 3:
        return 3
    if -tableau[size, last] > left_over * scale:
        return 1
    for i in range(size):
        if basis[i] >= count:
            entering = -1
            best = 1e-9
            for j in range(count):
                if abs(tableau[i, j]) > best:
                    best = abs(tableau[i, j])
                    entering = j
            if entering >= 0:
                _pivot(tableau, basis, i, entering)
    for j in range(last + 1):
        tableau[size, j] = limits[j] if j < count else 0.0
    for i in range(size):
        cost = limits[basis[i]] if basis[i] < count else 0.0
        if cost != 0.0:
            for j in range(last + 1):
                tableau[size, j] -= cost * tableau[i, j]
    status = _minimise(tableau, basis, count, tolerance)
    if status == 1:
        return 2
    if status == 3:
        return 3
    for i in range(size):
        # Reduced cost of the artificial column e_i is 0 - x_i.
        x[i] = -tableau[size, count + i]
    return 0


def maximise(c: Array, rows: Array, limits: Array) -> tuple[int, Array]:
    """(status, x) of max c.x over rows x <= limits; c (n,), rows (m, n) of about unit length, limits (m,)."""
    count, size = rows.shape
    x = np.zeros(size)
    tableau = np.empty((size + 1, count + size + 1))
    basis = np.empty(size, dtype=np.int64)
    arrays = [np.require(part, np.float64, ["C", "W"]) for part in (rows, limits, c)]  # one compiled variant for all
    status = int(solve(*arrays, x, tableau, basis, PIVOT, LEFT_OVER))
    if status == OPTIMAL and not _meets(arrays[0], arrays[1], x):
        status = STALLED
    # A point proves itself. That there is none, or no end, is said only if another method says so as well.
    return (status, x) if status == OPTIMAL else _asked_again(*arrays)


def _meets(rows: Array, limits: Array, x: Array) -> bool:
    """Whether rows x <= limits up to rounding."""
    size = max(1.0, float(np.abs(limits).max(initial=0.0)), float(np.abs(x).max(initial=0.0)))
    return bool((rows @ x - limits).max(initial=0.0) <= LEFT_OVER * size)


def _asked_again(rows: Array, limits: Array, c: Array) -> tuple[int, Array]:
    """(status, x) of the same program by HiGHS."""
    from scipy.optimize import linprog

    statuses = {0: OPTIMAL, 2: INFEASIBLE, 3: UNBOUNDED}
    found = linprog(-c, A_ub=rows, b_ub=limits, bounds=(None, None), method="highs")
    if found.status == 4:  # "unbounded or infeasible": any point at all tells which
        found = linprog(0.0 * c, A_ub=rows, b_ub=limits, bounds=(None, None), method="highs")
        statuses[0] = UNBOUNDED
    if found.status not in statuses:
        raise SolverError(f"a linear program with {len(rows)} rows in {len(c)} variables did not come to an end")
    return statuses[found.status], np.zeros(len(c)) if found.x is None else found.x


def deepest(rows: Array, limits: Array, weights: Array, cap: float = 1.0) -> tuple[float, Array]:
    """(t, x) of the largest t <= cap with rows x + weights t <= limits; t < 0 is how far the rows are from meeting.

    Rows of weight zero must be met as they stand; where they cannot be, t is -inf.
    """
    count, size = rows.shape
    extended = np.zeros((count + 1, size + 1))
    extended[:count, :size] = rows
    extended[:count, size] = weights
    extended[count, size] = 1.0
    bounds = np.append(limits, cap)
    goal = np.zeros(size + 1)
    goal[size] = 1.0
    status, x = maximise(goal, extended, bounds)
    if status != OPTIMAL:
        return -np.inf, x[:size]
    return float(x[size]), x[:size]
