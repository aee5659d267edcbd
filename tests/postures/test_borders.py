"""Loads at the border: the ends of their own line decide, and agree with the verdict."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.geometry.frames import Pose, frame_from_normal
from holdfast.grips import Grip, coulomb_grip
from holdfast.postures import posture_equilibrium
from holdfast.postures.equilibrium import border_of, separating_wrench
from holdfast.postures.generation import solver_of
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import unit_multipliers
from holdfast.solvers import Status
from tests.postures.full import BOX, still

PARTS = np.array([1, 1, 1, 0.1, 0.1, 0.1])


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def test_the_ends_of_a_line_separate_what_lies_beyond_and_balance_what_lies_on_it() -> None:
    hands = checked_hands(Grip.box(*BOX), still([0, 0, 0]))
    down = np.array([0, 0, -3.0, 0, 0, 0])
    for load, beyond in ((down, False), (1.01 * down, True), (0.5 * down, False)):
        ends = border_of(hands, load, solver_of(hands))
        proofs = [separating_wrench(hands, load, unit_multipliers(hands, y)) for y in ends.multipliers]
        assert any(proof is not None and proof.verify() for proof in proofs) == beyond
    assert border_of(hands, down, solver_of(hands)).optimum is not None
    assert border_of(hands, 0.5 * down, solver_of(hands)).optimum is None
    assert border_of(hands, np.zeros(6), solver_of(hands)) == ((), None)


@pytest.mark.parametrize("distance", [1.0, 1000.0])
@pytest.mark.parametrize("seed", [59, 3, 4, 5])
def test_verdict_and_interval_agree_at_the_border(seed: int, distance: float) -> None:
    rng = np.random.default_rng(seed)
    grips = [Grip(rng.normal(size=(40, 6)) * PARTS) for _ in range(2)]
    poses = [Pose(turned(rng), rng.normal(size=3) * distance) for _ in range(2)]
    load = rng.normal(size=6) * PARTS
    end = posture_equilibrium(grips, poses, load).scale_interval[1]
    for share, holds in ((1e-6, False), (1e-8, False), (-1e-8, True), (-1e-6, True)):
        answer = posture_equilibrium(grips, poses, load * end * (1.0 + share))
        assert answer.status is (Status.HOLDS if holds else Status.DOES_NOT_HOLD)
        assert answer.verify()
        assert (answer.scale_interval[1] >= 1.0) == holds


@pytest.mark.parametrize("slope", 10.0 ** np.arange(-16.0, -5.0))
def test_nearly_parallel_feet_are_parallel_to_verdict_and_interval_alike(slope: float) -> None:
    poses = [
        Pose(frame_from_normal((slope, 0, 1)), (0, 0, 0)),
        Pose(frame_from_normal((-slope, 0, 1)), (1, 0, 0)),
    ]
    load = np.array([0, 0, -30.0, *np.cross([0.3, 0, 0], [0, 0, -30.0])])
    answer = posture_equilibrium(coulomb_grip(0), poses, load)
    assert answer.verify() and answer.scale.verify()
    assert answer.scale_interval == ((0.0, np.inf) if answer.holds else (0.0, 0.0))
    assert answer.holds or slope > 1e-15
    assert not answer.holds or slope < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_a_load_inside_a_cone_far_from_the_origin_grows_without_a_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = Pose(turned(rng), 100.0 * rng.normal(size=3))
    grip = coulomb_grip(0.5)
    force = pose.rotation @ (rng.exponential(size=len(grip.rays)) @ grip.rays[:, :3])
    load = -np.concatenate([force, np.cross(pose.translation, force)])
    answer = posture_equilibrium(grip, [pose], load)
    assert answer.holds and answer.verify()
    assert answer.scale_interval == (0.0, np.inf)
