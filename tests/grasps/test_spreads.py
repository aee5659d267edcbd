"""The best spread over its whole range: closed forms by the points and lines, minima and limits by dense search.

Poses over many grasps: the frame of the fingers' contacts, and what is told of contacts without a pose.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps import spreads as hand_spread
from tests.grasps.hand_family import family, left_first, random_grasps

LOW, HIGH = np.radians(2.0), np.radians(88.0)


def frame(contacts: np.ndarray, normals: np.ndarray, left: int, right: int):
    """`local_shapes` of one grasp."""
    shape, heading, outcome = hand_spread.local_shapes(
        contacts[None], normals[None], np.array([left]), np.array([right])
    )
    return shape[:, 0], heading[0], outcome[0]


def local(contacts: np.ndarray, normals: np.ndarray):
    return frame(contacts, normals, *left_first(contacts))[0]


def best(shape, offset: float, longest: float) -> tuple[float, bool]:
    theta, reached = hand_spread.best_spreads((LOW, HIGH), np.array(shape)[:, None], offset, longest)
    return float(theta[0]), bool(reached[0])


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


UP = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])


def test_the_frame_of_the_fingers_contacts_points_away_from_the_thumb():
    contacts = np.array([[1.0, -5.0], [-3.0, 2.0], [7.0, 2.0]])
    shape, heading, outcome = frame(contacts, UP, 1, 2)
    assert outcome == hand_spread.REACHED and heading == pytest.approx(np.pi / 2)
    assert shape == pytest.approx((10.0, 1.0, 7.0, 0.0, 2.0 * np.pi, 2.0 * np.pi))


@pytest.mark.parametrize(
    "contacts, outcome",
    [
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], hand_spread.IN_LINE),
        ([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]], hand_spread.IN_LINE),
        ([[0.0, 0.0], [1.0, 3.0], [1.0, 3.0]], hand_spread.COINCIDENT),
        ([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]], hand_spread.COINCIDENT),
    ],
)
def test_contacts_without_a_triangle_have_no_frame(contacts, outcome):
    assert frame(np.array(contacts), UP, 1, 2)[2] == outcome


def test_rows_without_a_pose_have_no_numbers():
    contacts = np.array([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], *[[[0.0, -10.0], [-25.0, 10.0], [25.0, 10.0]]] * 2])
    virtual, able = np.array([False, True, True]), np.array([True, True, False])
    poses = hand_spread.solve(contacts, np.stack([UP] * 3), virtual, 25.0, 150.0, (0.1, 0.3), able)
    assert poses.outcome.tolist() == [hand_spread.IN_LINE, hand_spread.REACHED, -1]
    for row in (0, 2):
        assert np.isnan([poses.spread[row], *poses.palm[row], *poses.axis[row], *poses.reach[row]]).all()
        assert np.isnan([*poses.forces[row].ravel(), *poses.focus[row]]).all()
    assert poses.reach[1] == pytest.approx([10.0] * 3) and poses.palm[1] == pytest.approx([0.0, 0.0])
    assert poses.forces[1] == pytest.approx(UP) and np.isnan(poses.focus[1]).all()


def test_many_grasps_are_solved_as_each_alone(monkeypatch):
    contacts, normals = random_grasps(np.random.default_rng(34), 60)
    rows, ends = np.arange(60), (LOW, HIGH)
    every = hand_spread.solve(contacts, normals, rows % 7 == 0, 10.0, 90.0, ends, np.ones(60, dtype=bool))
    monkeypatch.setattr(hand_spread, "AT_ONCE", 1)
    alone = hand_spread.solve(contacts, normals, rows % 7 == 0, 10.0, 90.0, ends, np.ones(60, dtype=bool))
    assert {hand_spread.REACHED, hand_spread.OUT_OF_REACH} <= set(every.outcome.tolist())
    for name, column in vars(every).items():
        np.testing.assert_allclose(column, vars(alone)[name], rtol=1e-9, atol=1e-9)
