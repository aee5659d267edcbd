"""Crossings of rings against every pair of edges in exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from holdfast.grasps.contours import first_crossing


def meet_exactly(a, b, c, d):
    """Whether the closed segments ab and cd share a point, in rational numbers."""

    def turn(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    def on(p, q, r):
        return turn(p, q, r) == 0 and all(min(p[k], q[k]) <= r[k] <= max(p[k], q[k]) for k in (0, 1))

    a, b, c, d = ([Fraction(float(v)) for v in point] for point in (a, b, c, d))
    if turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0:
        return True
    return on(a, b, c) or on(a, b, d) or on(c, d, a) or on(c, d, b)


def crosses_exactly(ring):
    n = len(ring)
    for i, j in combinations(range(n), 2):
        a, b, c, d = ring[i], ring[(i + 1) % n], ring[j], ring[(j + 1) % n]
        if j - i in (1, n - 1):
            first, middle, last = (a, b, d) if j - i == 1 else (c, a, b)
            u, v = middle - first, last - middle
            if u[0] * v[1] == u[1] * v[0] and u @ v < 0:
                return True
        elif meet_exactly(a, b, c, d):
            return True
    return False


@pytest.mark.parametrize("seed", range(120))
def test_small_rings_cross_exactly_when_exact_arithmetic_says(seed):
    rng = np.random.default_rng(seed)
    ring = rng.integers(0, 7, (int(rng.integers(4, 8)), 2)).astype(float)
    ring = ring[np.any(ring != np.roll(ring, 1, axis=0), axis=1)]
    if len(ring) < 3:
        return
    assert (first_crossing((ring,)) is not None) == crosses_exactly(ring)


def test_a_found_pair_is_named_by_ring_and_edge():
    square = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])
    assert first_crossing((square, square + 5)) in (((0, 1), (1, 0)), ((0, 2), (1, 3)))
    assert first_crossing((square, square / 2 + 1)) is None
    bow = np.array([[0.0, 0], [10, 10], [10, 0], [0, 10]])
    assert first_crossing((square + 20, bow)) == ((1, 0), (1, 2))


def test_large_simple_rings_are_passed():
    turn = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
    ring = (40 + 3 * np.sin(40 * turn))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    assert first_crossing((ring,)) is None
    ring[[500, 12_000]] = ring[[12_000, 500]]
    assert first_crossing((ring,)) is not None
