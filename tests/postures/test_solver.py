"""The warm solver answers as single questions do, wherever it was before."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FrameError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip
from holdfast.postures import Certainty, LazyGrip, PostureSolver, posture_equilibrium, posture_many, posture_margin
from holdfast.solvers import Status
from tests.postures.full import BOX, random_bounds, random_pose, still
from tests.referee import random_rotation


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


@pytest.mark.parametrize("copied", [lambda solver: pickle.loads(pickle.dumps(solver)), copy.deepcopy])
@pytest.mark.parametrize("kind", ["inner", "outer", "bounds"])
def test_a_copy_stands_where_its_original_stood(kind: str, copied: Callable[[PostureSolver], PostureSolver]) -> None:
    rng = np.random.default_rng(8)
    both = random_bounds(rng)
    grip = {"inner": both.inner, "outer": both.outer, "bounds": both}[kind]
    solver = PostureSolver(grip, [random_pose(rng) for _ in range(3)], gravity=[0, 0, -9.81])
    moved = [random_pose(rng) for _ in range(3)]
    for there in (moved, matrices(moved)):
        solver.move(there)
        again = copied(solver)
        assert again.hands.length == solver.hands.length  # of the first posture, not of the last
        solver.move([random_pose(rng) for _ in range(3)])
        for load in rng.normal(size=(4, 6)) * 25.0:
            cold, found = posture_equilibrium(grip, moved, load), again.equilibrium(load)
            assert found.status is cold.status
            assert found.verify() is cold.verify()
            assert again.scale_interval(load) == pytest.approx(cold.scale_interval, rel=1e-9)


def test_a_lazy_hand_is_asked_in_full_also_by_a_copy() -> None:
    contact = hf.Contact((0, 0, 0), np.eye(3), hf.models.suction(50.0, 0.5, cap=100.0))
    original = PostureSolver(LazyGrip(hf.Assembly([contact])), still([0, 0, 0]))
    for solver in (original, pickle.loads(pickle.dumps(original))):
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


# Batches of postures answer as single questions do, and prove it.


@pytest.mark.parametrize("kind", ["inner", "bounds"])
def test_many_postures_are_answered_as_each_alone(kind: str) -> None:
    rng = np.random.default_rng(1)
    both = random_bounds(rng)
    grip = both.inner if kind == "inner" else both
    poses = [[random_pose(rng) for _ in range(2)] for _ in range(20)]
    loads = rng.normal(size=(20, 6)) * 20.0
    answers = posture_many(grip, poses, loads)
    alone = [posture_equilibrium(grip, row, load) for row, load in zip(poses, loads, strict=True)]
    assert answers.status.tolist() == [answer.status for answer in alone]
    assert answers.certainty.tolist() == [answer.certainty for answer in alone]
    assert 0 < answers.holds.sum() < 20
    assert answers.verify() is (Certainty.UNCERTAIN not in answers.certainty)
    for index in (0, 7):
        assert answers[index].status is answers.status[index]
        assert answers[index].scale_interval == pytest.approx(alone[index].scale_interval, rel=1e-9)


@pytest.mark.parametrize("hands", [1, 2, 3])
def test_point_feet_hold_what_their_own_forces_add_up_to(hands: int) -> None:
    """No torque about the line through two feet is held, none at all by one: what a load has of it is rounding."""
    for seed in range(hands - 1, 200, 3):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(3, 91))
        rays = np.column_stack([rng.normal(size=(count, 2)), np.full(count, 2.0), np.zeros((count, 3))])
        poses, loads = np.tile(np.eye(4), (20, hands, 1, 1)), np.zeros((20, 6))
        for load, standing in zip(loads, poses, strict=True):
            for pose in standing:
                pose[:3, :3] = rotation_about([0, 0, 1], rng.uniform(0.0, 6.3)) if seed % 2 else random_rotation(rng)
                pose[:3, 3] = rng.normal(size=3)
                force = pose[:3, :3] @ (rays[:, :3].T @ rng.random(count))
                load -= np.concatenate([force, np.cross(pose[:3, 3], force)])
        answers = posture_many(Grip(np.zeros((1, 6)), rays), poses, loads)
        assert set(answers.status.tolist()) == {Status.HOLDS}, seed


def test_proofs_of_a_batch_cannot_be_tampered_with() -> None:
    poses = [still([0, 0, 0], [1, 0, 0]), still([0, 0, 0], [2, 0, 0])]
    answers = posture_many(Grip.box(*BOX), poses, [0, 0, -5.5, 0, 2.75, 0], threads=2)
    assert answers.status.tolist() == [Status.HOLDS, Status.DOES_NOT_HOLD]
    assert answers.verify()
    assert not replace(answers, wrenches=answers.wrenches * 1.001).verify()
    assert not replace(answers, multipliers=-answers.multipliers).verify()
    assert not replace(answers, status=answers.status[::-1]).verify()
    assert not replace(answers, loads=answers.loads * 1.3).verify()


def test_poses_come_as_lists_or_as_one_array() -> None:
    poses = np.tile(np.eye(4), (3, 2, 1, 1))
    poses[:, 1, 0, 3] = 1.0, 1.5, 2.0
    objects = [[Pose(m[:3, :3], m[:3, 3]) for m in row] for row in poses]
    loads = np.tile([0, 0, -4.0, 0, 2.0, 0], (3, 1))
    by_array, by_list = (posture_many(Grip.box(*BOX), given, loads) for given in (poses, objects))
    assert by_array.status.tolist() == by_list.status.tolist()


def test_bad_batches_are_refused_by_number() -> None:
    grip, poses = Grip.box(*BOX), np.tile(np.eye(4), (3, 2, 1, 1))
    poses[2, 1, 0, 0] = 2.0
    with pytest.raises(FrameError, match=r"poses\[2\] poses\[1\]"):
        posture_many(grip, poses, np.zeros(6))
    with pytest.raises(InputError, match="wrenches"):
        posture_many(grip, poses[:2], np.zeros((3, 6)))
    with pytest.raises(InputError, match="empty"):
        posture_many(grip, [], np.zeros(6))
    with pytest.raises(InputError, match=r"poses\[1\]"):
        posture_many(grip, [still([0, 0, 0], [1, 0, 0]), still([0, 0, 0])], np.zeros(6))


def test_a_slice_of_answers_is_a_batch_and_a_word_is_no_number() -> None:
    poses = [still([0, 0, 0], [x, 0, 0]) for x in (1.0, 2.0, 1.0)]
    answers = posture_many(Grip.box(*BOX), poses, [0, 0, -5.5, 0, 2.75, 0])
    part = answers[1:]
    assert part.status.tolist() == answers.status[1:].tolist() == [Status.DOES_NOT_HOLD, Status.HOLDS]
    assert len(part) == 2 and part.verify()
    assert part[1].status is answers[-1].status is Status.HOLDS
    with pytest.raises(InputError, match="index: is a str"):
        answers["first"]  # type: ignore[call-overload]
    with pytest.raises(IndexError):
        answers[3]


def test_loads_of_no_such_size_are_refused_by_number() -> None:
    poses = [still([0, 0, 0], [1, 0, 0])] * 2
    with pytest.raises(InputError, match=r"wrenches\[1\]: has a part of"):
        posture_many(Grip.box(*BOX), poses, [np.zeros(6), np.full(6, 1e13)])
    for loads in (["a"] * 6, [[1.0], [1.0, 2.0]]):
        with pytest.raises(InputError, match="wrenches: not an array of numbers"):
            posture_many(Grip.box(*BOX), poses, loads)  # type: ignore[arg-type]
