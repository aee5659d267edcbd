"""Lazy grips: supports and confirmations in the palm frame, and the body's margin against the flat problem."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.devices import four_finger_hand
from holdfast.errors import FrameError, InputError
from holdfast.frames import Pose, rotation_about
from holdfast.grips import cone_grip
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
