"""Intervals: what errors do to the rows is never more than stated, and reached; bad ones are named."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.robust import Intervals, Spread
from tests import referee


def spread_of(seed: int, intervals: Intervals) -> Spread:
    case = referee.random_case(seed)
    return Spread.of(case.assembly, case.direction, intervals)


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_residuals_bound_every_error_of_a_contact_and_are_reached(seed: int) -> None:
    spread = spread_of(seed, Intervals(friction=0.1, position=[0.002, 0.001, 0.003]))
    problem = spread.weakest.problem(spread.direction)
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(4, problem.rows))
    force = rng.normal(size=3)
    stated = spread.residuals(problem, 0, force[None], axes)[0]
    scale, rotation = problem.row_scale, spread.assembly.rotations[0]
    largest = np.zeros(4)
    for share in (-0.1, -0.05, 0.0, 0.1):
        for signs in np.array(np.meshgrid(*[[-1, 0.3, 1]] * 3)).reshape(3, -1).T:
            off = force * [1 + share, 1 + share, 1]
            error = problem.maps[0] @ off - problem.maps[0] @ force
            error[3:6] += scale[3:6] * np.cross(signs * spread.position[0], rotation @ off)
            largest = np.maximum(largest, np.abs(axes @ error))
    assert (largest <= stated * (1 + 1e-12)).all()
    assert (largest >= 0.5 * stated).all()


def test_residuals_bound_every_error_of_the_load() -> None:
    spread = spread_of(0, Intervals(angle=0.1, point=0.01))
    problem = spread.weakest.problem(spread.direction)
    rng = np.random.default_rng(1)
    axes = rng.normal(size=(5, problem.rows))
    stated = spread.load_residuals(problem, axes)
    force, largest = spread.direction[:3], np.zeros(5)
    for _ in range(400):
        across = np.cross(force, rng.normal(size=3))
        across *= np.linalg.norm(force) / np.linalg.norm(across)
        angle = 0.1 * rng.choice([1.0, rng.random()])
        wrench = spread.load_with(np.cos(angle) * force + np.sin(angle) * across, rng.choice([-1, 1], 3) * 0.01)
        error = spread.weakest.problem(wrench).load - problem.load
        largest = np.maximum(largest, np.abs(axes @ error))
    assert (largest <= stated * (1 + 1e-12)).all()
    assert (largest >= 0.5 * stated).all()


def test_the_load_without_errors_is_the_load() -> None:
    spread = spread_of(0, Intervals(angle=0.1))
    assert spread.load_with(spread.direction[:3], np.zeros(3)) == pytest.approx(spread.direction)


def test_the_weakest_assembly_has_weak_contacts_and_narrow_bounds() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [-0.2], [np.inf])
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), box)], rows)
    spread = Spread.of(finger, np.array([1.0, 0, 0, 0, 0, 0]), Intervals(strength=0.1, joint=0.5))
    assert spread.weakest.contacts[0].volume.size == pytest.approx(0.9)
    assert spread.weakest.joints is not None
    assert spread.weakest.joints.lower == pytest.approx([-0.1])
    assert spread.weakest.joints.upper == pytest.approx([np.inf])
    assert spread.only_weakens


@pytest.mark.parametrize(
    "intervals",
    [
        Intervals(strength=-0.1),
        Intervals(friction=1.0),
        Intervals(position=-1e-3),
        Intervals(angle=2.0),
        Intervals(angle=-1),
    ],
)
def test_bad_intervals_are_named(intervals: Intervals) -> None:
    with pytest.raises(hf.errors.InputError):
        spread_of(0, intervals)


def test_strengths_of_volumes_without_zero_are_refused() -> None:
    offset = hf.ForceVolume([np.array([[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=float)])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), offset)])
    with pytest.raises(hf.errors.InputError, match="excludes zero"):
        Spread.of(assembly, np.array([-1.0, 0, 0, 0, 0, 0]), Intervals(strength=0.1))
