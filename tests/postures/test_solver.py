"""The warm solver answers as single questions do, wherever it was before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FrameError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip
from holdfast.postures import LazyGrip, PostureSolver, posture_equilibrium, posture_margin
from tests.postures.full import BOX, random_bounds, random_pose, still


def matrices(poses: list[Pose]) -> np.ndarray:
    """(k, 4, 4)."""
    result = np.tile(np.eye(4), (len(poses), 1, 1))
    for matrix, pose in zip(result, poses, strict=True):
        matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.translation
    return result


@pytest.mark.parametrize("kind", ["inner", "outer", "bounds"])
def test_warm_answers_are_the_cold_ones_on_a_walk_of_postures(kind: str) -> None:
    rng = np.random.default_rng(6)
    both = random_bounds(rng)
    grip = {"inner": both.inner, "outer": both.outer, "bounds": both}[kind]
    poses = [random_pose(rng) for _ in range(3)]
    solver = PostureSolver(grip, poses)
    for step in range(6):
        turn = Pose(rotation_about([0, 0, 1], 0.1 * step), np.array([0.02 * step, 0.0, 0.0]))
        poses = [turn @ pose for pose in poses]
        solver.move(matrices(poses) if step % 2 else poses)
        load = rng.normal(size=6) * 25.0
        cold = posture_equilibrium(grip, poses, load)
        warm = solver.equilibrium(load)
        assert warm.status is cold.status
        assert warm.verify() is cold.verify()
        assert solver.holds(load) is cold.holds
        assert solver.scale_interval(load) == pytest.approx(cold.scale_interval, rel=1e-9)
        margin = posture_margin(grip, poses, np.zeros(6), load)
        assert solver.margin(load).value == pytest.approx(margin.value, rel=1e-9)
        assert solver.margin(load).upper_bound == pytest.approx(margin.upper_bound, rel=1e-9)


def test_answers_keep_to_their_posture_when_the_solver_moves_on() -> None:
    solver = PostureSolver(Grip.box(*BOX), still([0, 0, 0], [1, 0, 0]))
    answer = solver.equilibrium([0, 0, -4, 0, 2, 0])
    solver.move(still([0, 0, 0], [9, 0, 0]))
    assert answer.scale_interval[1] == pytest.approx(1.5)
    assert answer.verify()
    assert solver.cross_polytope_margin(np.zeros(6), torque_length=1.0).value > 0.0


def test_threads_that_share_a_solver_get_right_answers() -> None:
    rng = np.random.default_rng(7)
    solver = PostureSolver(random_bounds(rng).inner, [random_pose(rng) for _ in range(2)])
    loads = rng.normal(size=(40, 6)) * 25.0
    expected = [solver.holds(load) for load in loads]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solver.holds, loads)) == expected


def test_a_lazy_hand_is_asked_in_full() -> None:
    contact = hf.Contact((0, 0, 0), np.eye(3), hf.models.suction(50.0, 0.5, cap=100.0))
    solver = PostureSolver(LazyGrip(hf.Assembly([contact])), still([0, 0, 0]))
    assert solver.holds([0, 0, -99, 0, 0, 0])
    assert not solver.holds([0, 0, -101, 0, 0, 0])


def test_bad_moves_and_loads_leave_the_posture_as_it_was() -> None:
    grip = Grip(Grip.box(*BOX).vertices, palm_gravity=[0, 0, -9.81])
    solver = PostureSolver(grip, still([0, 0, 0]), gravity=[0, 0, -9.81])
    with pytest.raises(FrameError, match=r"poses\[0\]"):
        solver.move(2.0 * np.eye(4)[None])
    with pytest.raises(InputError, match="gravity"):
        solver.move([(np.diag([1.0, -1.0, -1.0]), np.zeros(3))])
    with pytest.raises(InputError, match="wrench"):
        solver.holds([0, 0, np.nan, 0, 0, 0])
    with pytest.raises(InputError, match="side"):
        solver.slice_solver("middle")
    assert solver.holds([0, 0, -2.9, 0, 0, 0])
    assert solver.slice_solver("outer") is solver.slice_solver()
