"""Robust limits: closed forms, and that no error within the intervals falls below what is certified."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.robust import Intervals, RobustLimit, Rule, Spread, corners_of, robust_limit
from holdfast.scenes import load_scene
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
    "wrong",
    [
        {"strength": -0.1},
        {"friction": 1.0},
        {"position": -1e-3},
        {"angle": 2.0},
        {"angle": -1},
        {"point": np.nan},
        {"at": (0, np.nan, 0)},
    ],
)
def test_bad_intervals_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(hf.errors.InputError, match=next(iter(wrong))):
        Intervals(**wrong)


def test_strengths_of_volumes_without_zero_are_refused() -> None:
    offset = hf.ForceVolume([np.array([[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=float)])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), offset)])
    with pytest.raises(hf.errors.InputError, match="excludes zero"):
        Spread.of(assembly, np.array([-1.0, 0, 0, 0, 0, 0]), Intervals(strength=0.1))


def answer(rule: Rule, error: np.ndarray) -> np.ndarray:
    """(k, 3) the rule's forces for an error (m,) in its set B: the corners' forces mixed as the docstring says."""
    q, along = len(rule.axes), rule.axes @ error
    half = len(rule.forces) // 2
    ahead = 0.5 * (1.0 + along[0] / rule.sizes[0])
    shares = np.abs(along[1:]) / (rule.weights[1:] * rule.sizes[1])
    across = np.full(half, (1.0 - shares.sum()) / half)
    for a, share in enumerate(shares):
        across[a if along[1 + a] >= 0 else q - 1 + a] += share
    weights = np.concatenate([ahead * across, (1.0 - ahead) * across])
    return np.einsum("c,cki->ki", weights, rule.forces)


def test_corners_are_those_of_a_segment_times_a_cross_polytope() -> None:
    first, second = corners_of(np.eye(3), np.array([1.0, 2.0, 3.0]))
    assert len(first) == len(second) == 8
    assert {tuple(row) for row in first} == {(1, 0, 0), (-1, 0, 0)}
    assert {tuple(row) for row in second} == {(0, 2, 0), (0, -2, 0), (0, 0, 3), (0, 0, -3)}
    alone, nothing = corners_of(np.eye(1), np.ones(1))
    assert alone.ravel().tolist() == [1.0, -1.0]
    assert not nothing.any()


@pytest.mark.parametrize("seed", [0, 4, 12])
def test_the_fixed_point_of_a_rule_balances_the_load_with_the_errors_made(seed: int) -> None:
    case = referee.random_case(seed)
    found = robust_limit(case.assembly, case.direction, Intervals(position=1e-3))
    rule, rng = found.rule, np.random.default_rng(seed)
    assert rule is not None
    problem = found.spread.weakest.problem(found.spread.direction)
    rotations = case.assembly.rotations
    for _ in range(5):
        shifts = rng.choice([-1.0, 1.0], size=found.spread.position.shape) * found.spread.position
        error = np.zeros(problem.rows)
        for _ in range(60):  # the map is a contraction for small errors
            forces = answer(rule, error)
            world = np.einsum("kij,kj->ki", rotations, forces)
            error = np.zeros(problem.rows)
            error[3:6] = np.cross(shifts, world).sum(axis=0) * problem.row_scale[3:6]
        moved, load = found.spread.changed(np.zeros(len(shifts)), shifts, found.spread.direction)
        residual = moved.wrench_matrix @ world.ravel() + rule.factor * load
        assert np.abs(residual).max() <= 1e-6 * np.abs(world).max()
        for contact, piece, force in zip(moved.contacts, rule.pieces, forces, strict=True):
            polytope = contact.volume.polytopes[piece]
            assert polytope.signed_distance(force) <= 1e-9 * polytope.size


def test_a_rule_holds_as_equilibria_do() -> None:
    case = referee.random_case(4)
    found = robust_limit(case.assembly, case.direction, Intervals(position=1e-3))
    assert hf.equilibrium(found.worst[0], found.certified * found.worst[1]).holds


BOX = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])


def sampled(found: RobustLimit, rng: np.random.Generator) -> float:
    """The limit at some error within the intervals; half of them at corners."""
    spread, corner = found.spread, rng.random() < 0.5

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        return rng.choice([-1.0, 1.0], size=shape) if corner else rng.uniform(-1.0, 1.0, size=shape)

    k = len(spread.assembly)
    acts = spread.direction[:3] if spread.direction[:3].any() else spread.direction[3:]
    across = np.cross(acts, rng.normal(size=3))
    across *= np.linalg.norm(acts) / np.linalg.norm(across)
    angle = spread.angle * (1.0 if corner else rng.random())
    wrench = spread.load_with(np.cos(angle) * acts + np.sin(angle) * across, draw((3,)) * spread.point)
    assembly, wrench = spread.changed(draw((k,)) * spread.friction, draw((k, 3)) * spread.position, wrench)
    return hf.load_limit(assembly, wrench).value


def test_strengths_and_joints_alone_are_exact() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [-0.2], [0.3])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)], rows)
    found = robust_limit(finger, [-1, 0, 0, 0, 0, 0], Intervals(strength=0.1, joint=0.2))
    assert found.bracket == pytest.approx((0.48, 0.48), rel=1e-6)  # the joint still limits
    assert found.nominal == pytest.approx(0.6)
    strong = robust_limit(finger, [-1, 0, 0, 0, 0, 0], Intervals(strength=0.7))
    assert strong.bracket == pytest.approx((0.3, 0.3), rel=1e-6)
    assert found.verify()


CASES = [
    (0, Intervals(position=2e-3)),
    (4, Intervals(friction=0.05)),
    (9, Intervals(angle=0.03)),
    (12, Intervals(strength=0.05, friction=0.02, position=5e-4, angle=0.01, point=5e-4)),
    (19, Intervals(friction=0.02, position=5e-4, angle=0.01, joint=0.05)),
    pytest.param(3, Intervals(position=1e-3, point=1e-3), marks=pytest.mark.nightly),
    pytest.param(10, Intervals(position=1e-3), marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("seed", "intervals"), CASES)
def test_nothing_within_the_intervals_is_below_what_is_certified(seed: int, intervals: Intervals) -> None:
    case = referee.random_case(seed)
    found = robust_limit(case.assembly, case.direction, intervals)
    assert 0.8 * found.nominal <= found.certified <= found.attained <= found.nominal * (1 + 1e-6)
    assert found.verify()
    assert hf.load_limit(*found.worst).value == pytest.approx(found.attained, rel=1e-6)
    rng = np.random.default_rng(seed)
    for _ in range(25):
        assert sampled(found, rng) >= found.certified * (1 - 1e-9)


def test_a_device_with_errors_of_a_millimetre() -> None:
    assembly = load_scene("@two_opposed_units").with_gravity((0, 0, 0)).assembly
    found = robust_limit(assembly, [0.3, -0.5, 0.8, 0, 0, 0], Intervals(strength=0.1, position=1e-3))
    assert 0.0 < found.certified <= found.attained < found.weakened < found.nominal
    assert found.verify()
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert sampled(found, rng) >= found.certified * (1 - 1e-9)


def test_a_tampered_rule_is_found_out() -> None:
    case = referee.random_case(4)
    found = robust_limit(case.assembly, case.direction, Intervals(position=2e-3))
    assert found.rule is not None
    better = replace(found.rule, factor=1.001 * found.rule.factor)
    assert not replace(found, rule=better, certified=better.factor).verify()
    smaller = replace(found.rule, sizes=0.9 * found.rule.sizes)
    assert not replace(found, rule=smaller).verify()
    wider = replace(found.spread, position=1.1 * found.spread.position)
    assert not replace(found, spread=wider).verify()


@pytest.mark.parametrize("seed", [0, 4, 5, 8, 9, 12])
def test_with_units_nothing_within_the_intervals_is_below_what_is_certified(seed: int) -> None:
    case = referee.random_unit_case(seed)
    found = robust_limit(case.assembly, case.direction, Intervals(friction=0.02, position=0.0005, angle=0.01))
    assert found.verify()
    assert found.certified <= found.attained <= found.weakened
    spread, rng = found.spread, np.random.default_rng(seed)
    for _ in range(6):
        friction = spread.friction * rng.uniform(-1, 1, len(case.assembly))
        position = spread.position * rng.uniform(-1, 1, (len(case.assembly), 3))
        assembly, wrench = spread.changed(friction, position, case.direction)
        assert [c.unit for c in assembly.contacts] == [c.unit for c in case.assembly.contacts]
        assert referee.verdict(assembly, wrench).largest >= found.certified * (1 - 1e-7)
    unit = next(unit for unit in referee.units_of(case.assembly) if len(unit) > 1)
    if found.rule is not None:
        pieces = found.rule.pieces.copy()
        pieces[unit[1]] = (pieces[unit[1]] + 1) % len(case.assembly.contacts[unit[1]].volume)
        weak = spread.weakest.problem(spread.direction)
        assert not replace(found.rule, pieces=pieces).verify(weak, spread)


def test_errors_too_large_for_any_proof_leave_zero() -> None:
    case = referee.random_case(4)
    found = robust_limit(case.assembly, case.direction, Intervals(position=0.5))
    assert found.certified == 0.0
    assert found.attained >= 0.0
    assert found.verify()


def test_data_is_plain_and_loads_without_a_limit_are_refused() -> None:
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)])
    data = robust_limit(finger, [-1, 0, 0, 0, 0, 0], Intervals(strength=0.1)).to_dict()
    assert data["certified"] == pytest.approx(0.9)
    cone = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5))])
    with pytest.raises(hf.errors.InputError, match="no finite limit"):
        robust_limit(cone, [0, 0, -1, 0, 0, 0], Intervals(friction=0.1))
    with pytest.raises(hf.errors.InputError, match="intervals: is a float.*Intervals"):
        robust_limit(finger, [-1, 0, 0, 0, 0, 0], 0.1)  # pyright: ignore[reportArgumentType]
