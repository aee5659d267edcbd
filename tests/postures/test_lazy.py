"""Lazy grips: supports and confirmations in the palm frame, and the body's margin against the flat problem."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FrameError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import cone_grip
from holdfast.papers.devices import four_finger_hand
from holdfast.postures import LazyGrip, flat_assembly, posture_equilibrium, posture_margin
from holdfast.solvers import Status
from tests.postures.full import random_pose, still

PALM = Pose(rotation_about([1, 2, 0.5], 0.8), np.array([0.05, 0.0, 0.1]))


def hook(cap: float = 30.0) -> hf.Assembly:
    """Three suction cups and a torque row over two of them."""
    volume = hf.models.suction(10.0, 0.6, cap=cap, facets=8)
    rng = np.random.default_rng(3)
    contacts = [hf.Contact(rng.normal(size=3) * 0.05, random_pose(rng).rotation, volume) for _ in range(3)]
    rows = hf.JointRows(np.r_[rng.normal(size=6) * 0.05, np.zeros(3)][None], np.array([-0.4]), np.array([0.7]))
    return hf.Assembly(contacts, rows)


@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_supports_are_those_of_the_wrench_space_seen_from_the_palm(acting: str) -> None:
    grip = LazyGrip(hook(), palm=PALM, acting=acting)  # type: ignore[arg-type]
    ways = np.random.default_rng(1).normal(size=(6, 6)) * np.repeat([1.0, 20.0], 3)
    found = grip.supports(ways)
    sign = -1.0 if acting == "direct" else 1.0  # of the external wrench that is held when the body gets w
    transport = PALM.wrench_transport()
    for way, value, point in zip(ways, found.values, found.points, strict=True):
        assert way @ point == pytest.approx(value, rel=1e-9)
        assert grip.confirm(point * (1 - 1e-9)).holds
        assert grip.support_bound(way) == pytest.approx(value, rel=1e-7)
        normal = sign * np.linalg.solve(transport.T, way)  # way . w = normal . (sign T w)
        assert hf.wrench_supports(hook(), normal[None]).values[0] == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_flat_and_lazy_agree_for_convex_volumes(acting: str) -> None:
    rng = np.random.default_rng(5)
    grips = [LazyGrip(hook(cap), palm=PALM, acting=acting) for cap in (20.0, 30.0)]  # type: ignore[arg-type]
    poses = [random_pose(rng) for _ in range(2)]
    flat = flat_assembly(grips, poses)
    for way in rng.normal(size=(3, 6)) * np.repeat([1.0, 0.3], 3):
        margin = posture_margin(grips, poses, np.zeros(6), way)
        limit = hf.load_limit(flat, way)
        assert margin.status is Status.OPTIMAL
        assert margin.value == pytest.approx(limit.value, rel=1e-9)
        assert margin.verify()
        near = posture_equilibrium(grips, poses, 0.999 * limit.value * way)
        assert near.holds
        assert near.verify()
        assert all(forces is not None and forces.shape == (3, 3) for forces in near.forces)
        beyond = posture_equilibrium(grips, poses, 1.001 * limit.value * way)
        assert beyond.status is Status.DOES_NOT_HOLD
        assert beyond.verify()


def test_cones_without_a_limit_answer_as_their_generators_do() -> None:
    contacts = [hf.Contact((x, 0, 0), np.eye(3), hf.models.coulomb(0.5, facets=8)) for x in (0.0, 0.3)]
    assembly = hf.Assembly(contacts)
    poses = still([0, 0, 0], [0, 1, 0])
    load = hf.loads.gravity_wrench(5.0, com=(0.1, 0.4, 1.0)) + np.r_[3.0, 0, 0, 0, 0, 0]
    lazy = posture_equilibrium(LazyGrip(assembly), poses, load)
    exact = posture_equilibrium(cone_grip(assembly), poses, load)
    assert lazy.status is exact.status is Status.HOLDS
    assert lazy.verify()
    sideways = posture_margin(LazyGrip(assembly), poses, load, [1, 0, 0, 0, 0, 0])
    assert sideways.value == pytest.approx(
        posture_margin(cone_grip(assembly), poses, load, [1, 0, 0, 0, 0, 0]).value, rel=1e-9
    )


def test_hands_of_unions_are_bracketed_by_their_hulls_and_what_is_confirmed() -> None:
    grip = LazyGrip(four_finger_hand().assembly(), acting="reaction")
    poses = [Pose(rotation_about([0, 0, 1], 1.5 * i), np.array([np.cos(i), np.sin(i), 0.1 * i])) for i in range(2)]
    load = hf.loads.gravity_wrench(30.0, com=(0.3, 0.2, 0.0))
    margin = posture_margin(grip, poses, np.zeros(6), load)
    flat = flat_assembly(grip, poses)
    hulls = hf.load_limit(flat.hulled(), load)
    assert margin.upper_bound == pytest.approx(hulls.value, rel=1e-9)
    assert 0.9 * margin.upper_bound <= margin.value <= margin.upper_bound
    assert margin.verify()
    assert hf.equilibrium(flat, margin.value * load).holds
    beyond = posture_equilibrium(grip, poses, 1.001 * margin.upper_bound * load)
    assert beyond.status is Status.DOES_NOT_HOLD
    held = posture_equilibrium(grip, poses, 0.5 * margin.value * load)
    assert held.verify()
    assert held.gap == pytest.approx(margin.gap, abs=1e-3)


def test_bad_lazy_grips_are_refused() -> None:
    with pytest.raises(InputError, match="assembly"):
        LazyGrip("4FH")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="acting"):
        LazyGrip(hook(), acting="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="palm"):
        LazyGrip(hook(), palm=np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(FrameError):
        LazyGrip(hook(), palm=Pose(2.0 * np.eye(3), np.zeros(3)))


SIZES = np.repeat([1.0, 0.1], 3)


def coned_hands(seed: int, *, joints: bool) -> tuple[list[LazyGrip], list[Pose], np.ndarray]:
    """Hands of cones without limits and of cups, some at tidy places, where cuts lie on the borders of the cones."""
    rng = np.random.default_rng(seed)
    volumes = [hf.models.coulomb(0.7, facets=8), hf.models.suction(10.0, 0.6, cap=30.0, facets=6)]
    tidy = seed % 2 == 0
    grips, poses = [], []
    for _ in range(int(rng.integers(1, 3))):
        n = int(rng.integers(1, 4))
        contacts = []
        for i in range(n):
            place, lean = rng.normal(size=3) * 0.1, 0.4 * rng.normal(size=3) + [0, 0, 1]
            turn = np.eye(3) if tidy else hf.frame_from_normal(lean)
            contacts.append(hf.Contact(place.round(1) if tidy else place, turn, volumes[0 if i == 0 else i % 2]))
        jacobian = rng.normal(size=(1, 3 * n)) * 0.05
        limits = np.array([-np.inf if seed % 3 == 0 else -rng.random()]), np.array([rng.random()])
        assembly = hf.Assembly(contacts, hf.JointRows(jacobian, *limits) if joints else None)
        acting = "direct" if tidy or seed % 3 else "reaction"
        grips.append(LazyGrip(assembly, palm=None if tidy else PALM, acting=acting))
        shift = rng.normal(size=3) * 0.5
        poses.append(Pose(np.eye(3), shift.round(1)) if tidy else random_pose(rng))
    middle = np.mean([pose.translation for pose in poses], axis=0)
    load = hf.loads.gravity_wrench(2.0, com=middle) if seed % 4 < 2 else rng.normal(size=6) * 10.0 * SIZES
    return grips, poses, load


@pytest.mark.parametrize("joints", [False, True])
def test_hands_of_cones_answer_as_the_flat_problem_does(joints: bool) -> None:
    seen = set()
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=joints)
        flat = flat_assembly(grips, poses)
        answer = posture_equilibrium(grips, poses, load)
        assert answer.status is hf.equilibrium(flat, load).status
        assert answer.verify()
        margin, limit = posture_margin(grips, poses, np.zeros(6), load), hf.load_limit(flat, load)
        assert margin.status is limit.status
        if limit.status is Status.OPTIMAL:
            assert margin.value == pytest.approx(limit.value, rel=1e-7, abs=1e-7)
            assert margin.verify()
        seen.add(answer.status)
    assert seen == {Status.HOLDS, Status.DOES_NOT_HOLD}


def test_hands_of_cones_without_joints_answer_as_their_exact_grips_do() -> None:
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=False)
        exact = [cone_grip(grip.assembly, acting=grip.acting, palm=grip.palm) for grip in grips]
        way = np.random.default_rng(seed).normal(size=6) * SIZES
        ours, theirs = (posture_margin(hands, poses, load, way) for hands in (grips, exact))
        assert ours.status is theirs.status
        assert ours.value == pytest.approx(theirs.value, rel=1e-7, abs=1e-7)
        ours, theirs = (posture_equilibrium(hands, poses, load) for hands in (grips, exact))
        assert ours.status is theirs.status
        assert ours.scale_interval == pytest.approx(theirs.scale_interval, rel=1e-7, abs=1e-7)


def test_a_cut_on_the_border_of_a_cone_is_not_taken_for_a_ray() -> None:
    foot = LazyGrip(hf.Assembly([hf.Contact((0.1, 0.1, 0.0), np.eye(3), hf.models.coulomb(0.7))]))
    poses = still([-0.3, 0, 0], [0.3, 0, 0])
    beside = posture_equilibrium(foot, poses, [0, 0, -10.0, 0, 0, 0])  # the feet stand on y = 0.1
    assert beside.status is Status.DOES_NOT_HOLD
    assert beside.verify()
    assert beside.scale_interval == (0.0, 0.0)
    between = posture_equilibrium(foot, poses, [0, 0, -10.0, -1.0, 0, 0])
    assert between.holds
    assert between.verify()
    assert posture_margin(foot, poses, np.zeros(6), [0, 0, -10.0, 0, 0, 0]).value == pytest.approx(0.0, abs=1e-12)


def test_scale_intervals_of_lazy_hands_are_never_turned_round() -> None:
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=False)
        low, high = posture_equilibrium(grips, poses, load).scale_interval
        assert low <= high or (low, high) == (np.inf, -np.inf)
