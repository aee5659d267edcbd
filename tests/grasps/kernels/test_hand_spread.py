"""The best spread over its whole range: closed forms by the points and lines, minima and limits by dense search."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.hands import _grid
from holdfast.grasps.kernels import contacts as hand_poses
from holdfast.grasps.kernels import contacts as hand_spread
from tests.grasps.hand_family import family, left_first, random_grasps

LOW, HIGH = np.radians(2.0), np.radians(88.0)


def local(contacts: np.ndarray, normals: np.ndarray):
    return hand_poses.local_shape(contacts, normals, *left_first(contacts))[0]


def best(shape, offset: float, longest: float) -> tuple[float, bool]:
    table = _grid(LOW, HIGH)
    return hand_spread.best_spread(table, np.empty((6, table.shape[0])), shape, offset, longest)


def test_deviations_and_extensions_are_those_of_the_points_and_lines():
    contacts, normals = random_grasps(np.random.default_rng(31), 40)
    spreads = np.radians([2.0, 11.0, 45.0, 60.0, 88.0])
    for points, inward in zip(contacts, normals, strict=True):
        shape, (left, right) = local(points, inward), left_first(points)
        total, reach = family(points, inward, spreads, 25.0)
        for row, theta in enumerate(spreads):
            assert hand_spread.squares(theta, shape) == pytest.approx(total[row], abs=1e-6)
            have = hand_spread.extensions(theta, shape, 25.0)
            assert have == pytest.approx(reach[row, [0, left, right]], rel=1e-9, abs=1e-8)


def test_angles_are_wrapped_to_half_a_turn():
    for angle in np.linspace(-20.0, 20.0, 101):
        assert hand_spread.wrapped(angle) == pytest.approx(np.arctan2(np.sin(angle), np.cos(angle)), abs=1e-13)


def test_the_lowest_of_several_valleys_is_found_where_deviations_wrap():
    rng = np.random.default_rng(32)
    spreads = np.linspace(LOW, HIGH, 5001)
    valleys = 0
    for _ in range(300):
        length, sideways, away = rng.uniform(1.0, 100.0), rng.normal() * 60.0, 10.0 ** rng.uniform(-3.0, 2.3)
        shape = (length, sideways, away, *rng.uniform(-9.0, 9.0, 3))
        phi = np.arctan2(sideways * np.cos(spreads), away * np.cos(spreads) + 0.5 * length * np.sin(spreads))
        raw = np.stack([shape[3] - phi, shape[4] - phi + spreads, shape[5] - phi - spreads])
        total = (np.arctan2(np.sin(raw), np.cos(raw)) ** 2).sum(axis=0)
        theta, reached = best(shape, 0.0, 1e9)
        found = hand_spread.squares(theta, shape)
        inner = (total[1:-1] < total[:-2]) & (total[1:-1] < total[2:])
        valleys += int(inner.sum() + (total[0] < total[1]) + (total[-1] < total[-2])) > 1
        if reached:
            thumb = np.array([hand_spread.extensions(t, shape, 0.0) for t in spreads[::250]]).min(axis=1) >= 0.0
            assert not thumb.any() or found <= total[::250][thumb].min() + 1e-9
        else:
            assert found <= total.min() + 1e-9
    assert valleys > 50


def test_short_stretches_within_reach_are_not_overlooked():
    rng = np.random.default_rng(33)
    contacts, normals = random_grasps(rng, 400)
    spreads = np.linspace(LOW, HIGH, 8001)
    seen = 0
    for points, inward in zip(contacts, normals, strict=True):
        shape = local(points, inward)
        _, reach = family(points, inward, spreads, 10.0)
        peak = np.where(reach.min(axis=1) >= 0.0, reach.max(axis=1), np.inf)
        if not np.isfinite(peak.min()):
            continue
        # The longest extension is chosen so that only a sliver around its smallest need stays within reach.
        longest = float(peak.min()) * (1.0 + 1e-7)
        theta, reached = best(shape, 10.0, longest)
        assert reached and abs(theta - spreads[peak.argmin()]) < np.radians(1.0)
        have = np.array(hand_spread.extensions(theta, shape, 10.0))
        assert have.min() >= -1e-9 * longest and have.max() <= longest * (1.0 + 1e-9)
        seen += 1
    assert seen > 80


def test_a_spread_at_an_end_of_its_range_is_exact():
    # Forces of the fingers straight down, the thumb straight up: the smaller the spread, the better.
    normals = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])
    shape = local(np.array([[0.0, -40.0], [-1.0, 40.0], [1.0, 40.0]]), normals)
    assert best(shape, 0.0, 1e4) == (LOW, True)
    shape = local(np.array([[0.0, -1.0], [-50.0, 1.0], [50.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]))
    assert best(shape, 0.0, 1e4) == (HIGH, True)
