"""Fewest pieces against brute force over all choices of ends, and piece lines against singular values."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from holdfast.grasps.straight_pieces import (
    fewest_pieces,
    fewest_pieces_around,
    longest_stretches,
    piece_line,
    widest_windows,
    window_lines,
)


def fit(points):
    """(largest distance from the line midway along the least-squares direction, sum of squares)."""
    centred = points - points.mean(axis=0)
    _, _, right = np.linalg.svd(centred)
    off = centred @ right[1]
    return np.ptp(off) / 2, (off**2).sum()


def best_of_all(points, tolerance, closed=False):
    """Least (pieces, sum of squares) over all choices of ends."""
    n = len(points)
    best = (n + 1, np.inf)
    for first in range(n) if closed else [0]:
        run = np.arange(first, first + n + 1) % n if closed else np.arange(n)
        last = len(run) - 1
        for count in range(min(best[0], last)):
            for inner in combinations(range(1, last), count):
                ends = [0, *inner, last]
                fits = [(*fit(points[run[a : b + 1]]), b - a) for a, b in pairwise(ends)]
                if all(off <= tolerance or span == 1 for off, _, span in fits):
                    best = min(best, (count + 1, round(sum(cost for _, cost, _ in fits), 9)))
    return best


def achieved(points, ends):
    n = len(points)
    return len(ends) - 1, sum(fit(points[np.arange(a, b + 1) % n])[1] for a, b in pairwise(ends))


@pytest.mark.parametrize("seed", range(6))
def test_open_runs_take_the_fewest_pieces_of_all_choices(seed):
    rng = np.random.default_rng(seed)
    points = np.column_stack([np.arange(10.0), np.cumsum(rng.normal(0, 0.8, 10))])
    ends = fewest_pieces(points, 0.4)
    assert (ends[0], ends[-1]) == (0, 9)
    count, cost = achieved(points, ends)
    wanted = best_of_all(points, 0.4)
    assert count == wanted[0]
    assert cost == pytest.approx(wanted[1], abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_closed_curves_take_the_best_of_all_starts(seed):
    rng = np.random.default_rng(seed)
    turn = 2 * np.pi * np.arange(9) / 9
    points = (4 + rng.normal(0, 0.4, 9))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    ends = fewest_pieces_around(points, 0.5)
    assert ends[-1] - ends[0] == 9
    count, cost = achieved(points, ends)
    wanted = best_of_all(points, 0.5, closed=True)
    assert count == wanted[0]
    assert cost == pytest.approx(wanted[1], abs=1e-6)


def test_a_straight_run_is_one_piece_however_long():
    points = np.column_stack([np.linspace(0, 4000, 8000), np.full(8000, 3.0)])
    np.testing.assert_array_equal(fewest_pieces(points, 0.5), [0, 7999])


def test_a_mild_corner_of_a_long_run_is_found_near_its_place():
    x = np.linspace(0, 1000, 2001)
    points = np.column_stack([x, np.where(x > 600, 0.1 * (x - 600), 0.0)])
    ends = fewest_pieces(points, 0.5)
    assert len(ends) == 3
    assert x[ends[1]] == pytest.approx(600, abs=6)


def test_a_pieces_line_runs_midway_between_its_farthest_points():
    angle = np.linspace(-0.2, 0.2, 41)
    points = 50 * np.column_stack([np.sin(angle), np.cos(angle)])
    ends, off = piece_line(points)
    rise = 50 * (1 - np.cos(0.2))
    assert off == pytest.approx(rise / 2)
    np.testing.assert_allclose(ends[:, 1], 50 - rise / 2)
    np.testing.assert_allclose(ends[:, 0], points[[0, -1], 0])
    back, _ = piece_line(points[::-1])
    np.testing.assert_allclose(back, ends[::-1])


def wavy_ring(count=300):
    turn = 2.0 * np.pi * np.arange(count) / count
    reach = 30.0 + 5.0 * np.cos(3.0 * turn)
    return np.column_stack([reach * np.cos(turn) + 100.0, reach * np.sin(turn) - 40.0])


def test_the_lines_of_many_windows_are_those_of_each():
    ring = wavy_ring()
    firsts, lasts = np.array([-20, 0, 150, 290]), np.array([5, 12, 190, 330])
    ends, strayed = window_lines(ring, firsts, lasts)
    for k, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        wanted, off = piece_line(ring[np.arange(first, last + 1) % len(ring)])
        if (wanted[1] - wanted[0]) @ (ends[k, 1] - ends[k, 0]) > 0:
            np.testing.assert_allclose(ends[k], wanted, atol=1e-9)
        assert strayed[k] == pytest.approx(off, abs=1e-9)
    for k, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        chord = ring[last % len(ring)] - ring[first % len(ring)]
        assert (ends[k, 1] - ends[k, 0]) @ chord > 0.0


def test_windows_are_widened_until_they_stray_or_meet_a_limit():
    ring = wavy_ring()
    middles = np.array([0, 50, 100, 299])
    free = widest_windows(ring, middles, middles - 149, middles + 149, 0.4)
    for middle, half in zip(middles, free, strict=True):
        assert piece_line(ring[np.arange(middle - half, middle + half + 1) % 300])[1] <= 0.4
        assert piece_line(ring[np.arange(middle - half - 1, middle + half + 2) % 300])[1] > 0.4
    near = widest_windows(ring, middles, middles - 2, middles + 149, 0.4)
    np.testing.assert_array_equal(near, np.minimum(free, 2))


def test_the_longest_stretch_through_a_point_is_that_of_all_stretches():
    ring = wavy_ring()
    points = np.array([40, 61, 99, 120])
    found = longest_stretches(ring, points, 30, 130, 0.4)
    straight = {
        (first, last)
        for first in range(30, 131)
        for last in range(first + 1, min(first + 45, 131))
        if fit(ring[first : last + 1])[0] <= 0.4
    }
    for point, (first, last) in zip(points, found, strict=True):
        assert (first, last) in straight and first <= point <= last
        # stretches are widened point by point; one or two points more may fit again where one did not
        assert last - first >= max(b - a for a, b in straight if a <= point <= b) - 2
    around = longest_stretches(ring, np.array([0]), -300, 599, 0.4)[0]
    assert around[0] <= 0 <= around[1] and fit(ring[np.arange(around[0], around[1] + 1) % 300])[0] <= 0.4
