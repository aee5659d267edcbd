"""The work of palm motions against wrenches transported anew, and when an optimum counts as unique."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.postures.hands import transports
from holdfast.robots.planning import MarginSlope, Stand, about, points_reached, unique_optimum, work
from holdfast.solvers.minkowski import SumSolver


def stand_of(rotations: np.ndarray, arms: np.ndarray) -> Stand:
    return Stand(np.zeros(0), np.zeros(3), rotations, arms, transports(rotations, arms))


def test_work_is_the_change_of_the_transported_wrenches():
    rng = np.random.default_rng(0)
    rotations = np.array([hf.rotation_about(rng.normal(size=3), 1.0) for _ in range(3)])
    arms, wrenches, y = rng.normal(size=(3, 3)), rng.normal(size=(3, 6)), rng.normal(size=6)
    per_shift, per_turn = work(stand_of(rotations, arms), wrenches, y)
    step = 1e-6
    for hand in range(3):
        for axis in np.eye(3):
            for slope, turn, shift in ((per_shift, 0.0, step), (per_turn, step, 0.0)):
                ends = []
                for sign in (1.0, -1.0):
                    turned, moved = rotations.copy(), arms.copy()
                    turned[hand] = hf.rotation_about(axis, sign * turn) @ turned[hand]
                    moved[hand] = moved[hand] + sign * shift * axis
                    maps = stand_of(turned, moved).maps
                    ends.append(sum(y @ m @ w for m, w in zip(maps, wrenches, strict=True)))
                assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope[hand] @ axis, abs=1e-7)


def test_multipliers_move_with_the_point_that_torques_are_about():
    rng = np.random.default_rng(1)
    y, wrench, point = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)
    there = np.concatenate([wrench[:3], wrench[3:] - np.cross(point, wrench[:3])])
    assert about(y, point) @ there == pytest.approx(y @ wrench)


def test_a_general_optimum_is_unique_and_one_on_a_flat_face_is_not():
    rng = np.random.default_rng(2)
    general = hf.Grip(rng.normal(size=(60, 6)))
    box = hf.Grip.box(-np.ones(6), np.ones(6))
    aligned = np.array([np.eye(6), np.eye(6)])
    turned = transports(np.array([np.eye(3), hf.rotation_about((1, 2, 3), 0.8)]), rng.normal(size=(2, 3)))
    for grip, maps, unique in ((general, turned, True), (general, aligned, False), (box, aligned, False)):
        solver = SumSolver([grip.prepared], [0, 0], length=1.0)
        solver.place(maps)
        way = np.array([1.0, 0.3, -0.2, 0.1, 0.4, 0.2])
        found = solver.maximise(np.zeros(6), way[None], np.ones(1))
        assert unique_optimum([grip, grip], maps, found.weights, found.multipliers) is unique


def test_hands_without_vertices_leave_it_open():
    box = hf.grips.OuterGrip.box(-np.ones(6), np.ones(6))
    assert points_reached([box], np.eye(6)[None], np.ones(6)) is None
    assert "smooth or not" in repr(MarginSlope(1.0, np.zeros(3), None, "weight"))
