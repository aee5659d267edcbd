"""The step to the least length over the free columns within the working rows, by orthogonal reduction, compiled.

With D the changes of z (a row a free column) and G the slopes of the working rows, the weights' change a solves

    minimise |z + D^T a|  with  G^T a = -slack.

Reflections bring G to a triangle: its part of a follows from the slacks, the rest is a least-squares problem in seven
coordinates, solved by reflections in turn. Nothing is squared, so that small differences between vertices survive.
Columns are scaled to length one.
"""

from __future__ import annotations

import numpy as np

from ..compiling import inlined, kernel
from .mixtures import COLUMNS, ITEM, ROWS, WIDE, slope

#: What comes out: a step; a working row that depends on the others; a change of weights that changes nothing else.
STEP, DEPENDENT_ROW, IDLE_DIRECTION = range(3)

#: A pivot below this share of its column is none: the column depends on those before it.
DEPENDENT = 1e-11

#: Columns shorter than this, of length one before the rows were taken out, are made up of those rows.
SHORT = 1e-3

#: Column of `Work.square` that holds the goal.
RIGHT = WIDE + 1


@kernel
def reduce_columns(program, state, work):
    """Find the step; returns (what came out, working row).

    STEP: `step` is the change of weights, `goal` the z it leads to, `prices` the working rows' multipliers, positive
    where the row hinders. IDLE_DIRECTION: `step` changes weights but neither z nor any working row.
    """
    _assemble(program, state, work)
    n, w = state.counts[COLUMNS], state.counts[ROWS]
    row = _reduce_rows(work, n, w)
    if row >= 0:
        return DEPENDENT_ROW, row
    idle = _least_squares(work, n, w)
    if idle < 0:
        _prices(work, w)
    for at in range(w - 1, -1, -1):  # back from the reflected weights
        _reflect_step(work, at, n)
    for j in range(n):
        work.step[j] *= work.sizes[j]
    return (STEP if idle < 0 else IDLE_DIRECTION), row


@inlined
def _assemble(program, state, work):
    """Slopes of the working rows and changes of z, column by column, each column of length one."""
    n, w = state.counts[COLUMNS], state.counts[ROWS]
    for j in range(n):
        lent = 1.0 if state.columns[ITEM, j] < 0 else 0.0
        reduced, size = work.reduced[j], 0.0
        for at in range(w):
            reduced[at] = slope(program, state.elastic, state.rows[at], work.change[j], work.joint_change[j], lent)
            size += reduced[at] * reduced[at]
        for q in range(WIDE):
            reduced[w + q] = work.change[j, q]
            size += reduced[w + q] * reduced[w + q]
        size = 1.0 / np.sqrt(size) if size > 0.0 else 1.0
        work.sizes[j] = size
        for q in range(w + WIDE):
            reduced[q] *= size


@inlined
def _reduce_rows(work, n, w):
    """Reflect the slopes into a triangle; the first w reflected weights. Returns a dependent row, or -1."""
    reduced = work.reduced
    for at in range(w):
        if at >= n:
            return at
        whole = norm = 0.0
        for j in range(n):
            whole += reduced[j, at] * reduced[j, at]
            if j >= at:
                norm += reduced[j, at] * reduced[j, at]
        if norm <= DEPENDENT * DEPENDENT * whole or norm == 0.0:
            return at
        norm = np.sqrt(norm)
        pivot = reduced[at, at]
        diagonal = -norm if pivot > 0.0 else norm
        reduced[at, at] = pivot - diagonal
        factor = 1.0 / (norm * (norm + abs(pivot)))
        for q in range(at + 1, w + WIDE):
            dot = 0.0
            for j in range(at, n):
                dot += reduced[j, at] * reduced[j, q]
            dot *= factor
            for j in range(at, n):
                reduced[j, q] -= dot * reduced[j, at]
        work.factors[at], work.diagonal[at] = factor, diagonal
    for at in range(w):
        total = -work.slack[at]
        for q in range(at):
            total -= reduced[q, at] * work.step[q]
        work.step[at] = total / work.diagonal[at]
    return -1


@kernel
def _least_squares(work, n, w):
    """The other reflected weights and the goal. Returns -1, or the weight that depends on those before it.

    In that case the weights are set to a direction that changes nothing.
    """
    reduced, square, step, rest = work.reduced, work.square, work.step, n - w
    shown = min(rest, RIGHT)
    for q in range(WIDE):
        total = work.z[q]
        for at in range(w):
            total += reduced[at, w + q] * step[at]
        square[q, RIGHT] = total
        work.goal[q] = total
        for j in range(shown):
            square[q, j] = reduced[w + j, w + q]
    idle = -1
    for j in range(rest):
        whole = norm = 0.0
        if j < WIDE:
            for q in range(WIDE):
                whole += square[q, j] * square[q, j]
                if q >= j:
                    norm += square[q, j] * square[q, j]
            norm = np.sqrt(norm)
        if norm <= DEPENDENT * max(np.sqrt(whole), SHORT):
            idle = j
            break
        pivot = square[j, j]
        diagonal = -norm if pivot > 0.0 else norm
        square[j, j] = pivot - diagonal
        factor = 1.0 / (norm * (norm + abs(pivot)))
        for c in range(j + 1, RIGHT + 1):
            if c < shown or c == RIGHT:
                dot = 0.0
                for q in range(j, WIDE):
                    dot += square[q, j] * square[q, c]
                dot *= factor
                for q in range(j, WIDE):
                    square[q, c] -= dot * square[q, j]
        work.diagonal[w + j] = diagonal
    _solve_triangle(work, n, w, idle)
    return idle


@inlined
def _solve_triangle(work, n, w, idle):
    """Reflected weights from the triangle of `square`: the least-squares step, or a direction that changes nothing."""
    square, step, rest = work.square, work.step, n - w
    known, right = (rest, RIGHT) if idle < 0 else (idle, idle)
    if idle >= 0:
        for j in range(n):
            step[j] = 0.0
        step[w + idle] = 1.0
    for j in range(known - 1, -1, -1):
        total = -square[j, right]
        for c in range(j + 1, known):
            total -= square[j, c] * step[w + c]
        step[w + j] = total / work.diagonal[w + j]
    if idle < 0:
        for q in range(WIDE):
            for j in range(rest):
                work.goal[q] += work.reduced[w + j, w + q] * step[w + j]


@inlined
def _prices(work, w):
    """Multipliers of the working rows: what of the goal their slopes do not let be smaller."""
    for at in range(w - 1, -1, -1):
        total = 0.0
        for q in range(WIDE):
            total += work.reduced[at, w + q] * work.goal[q]
        for q in range(at + 1, w):
            total -= work.reduced[at, q] * work.prices[q]
        work.prices[at] = total / work.diagonal[at]


@inlined
def _reflect_step(work, at, n):
    """One reflection of the rows' triangle applied to the weights' change."""
    dot = 0.0
    for j in range(at, n):
        dot += work.reduced[j, at] * work.step[j]
    dot *= work.factors[at]
    for j in range(at, n):
        work.step[j] -= dot * work.reduced[j, at]
