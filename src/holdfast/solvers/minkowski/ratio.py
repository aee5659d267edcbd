"""The ratio test: how far an entering column may go, and which basic variable leaves.

In phase 1 basic variables may be outside their bounds; each counts with its distance, and one that comes home on the
way need not stop the step: it goes on while the sum of distances still falls.
"""

from __future__ import annotations

import numpy as np

from .basis import COLUMN, FREE
from .compiling import inlined

#: A pivot below this share of its column's largest entry is numerical dust.
PIVOT = 1e-9

#: The same for a variable outside its bounds that comes home before any other stops the step: it would have to have
#: been as close to them, so that a small pivot there is one that matters.
PIVOT_HOME = 2e-14


@inlined
def leaving(kinds, x, alpha, sign, slope, margins, passed, dust, home_dust):
    """(row, step) for the entering direction sign * alpha; row -1: nothing stops it.

    Args:
        kinds: (m,) kinds of the basic variables.
        x: (m,) their values.
        alpha: (m,) B^-1 a.
        sign: +1.0, or -1.0 for a free column that falls.
        slope: how fast the objective grows, > 0.
        margins: (m,) by which values may be outside their bounds.
        passed: (m,) scratch.
        dust: pivots below this share of the largest are none; `PIVOT` unless alpha is known to be clean.
        home_dust: the same for variables outside their bounds, `PIVOT_HOME` or `PIVOT`.
    """
    m = len(x)
    size = 1.0
    for i in range(m):
        size = max(size, abs(alpha[i]))
    least = dust * size
    # those inside their bounds stop the step: the largest pivot among those that tie within the tolerance
    limit = np.inf
    for i in range(m):
        v = sign * alpha[i]
        passed[i] = 1.0
        if kinds[i] == FREE or abs(v) <= home_dust * size:
            continue
        if x[i] < -margins[i] or (kinds[i] != COLUMN and x[i] > margins[i]):
            if x[i] * v > 0.0:
                passed[i] = 0.0
        elif abs(v) > least:
            if kinds[i] != COLUMN:
                limit = 0.0
            elif v > 0.0:
                limit = min(limit, (max(x[i], 0.0) + margins[i]) / v)
    row, step, best = -1, np.inf, 0.0
    if limit < np.inf:
        for i in range(m):
            v = sign * alpha[i]
            if kinds[i] == FREE or abs(v) <= least or abs(v) <= best:
                continue
            if kinds[i] == COLUMN:
                if x[i] >= -margins[i] and v > 0.0 and max(x[i], 0.0) / v <= limit:
                    row, step, best = i, max(x[i], 0.0) / v, abs(v)
            elif abs(x[i]) <= margins[i]:
                row, step, best = i, 0.0, abs(v)
    # those outside come home on the way
    left = slope
    while True:
        home, at = -1, step
        for i in range(m):
            if passed[i] == 0.0 and x[i] / (sign * alpha[i]) < at:
                home, at = i, x[i] / (sign * alpha[i])
        if home < 0:
            break
        passed[home] = 1.0
        left -= abs(alpha[home]) if kinds[home] == COLUMN else 2.0 * abs(alpha[home])
        if left <= 1e-12 * slope:
            row, step = home, at
            break
    return row, step
