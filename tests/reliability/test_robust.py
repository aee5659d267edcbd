"""Robust limits: closed forms, no sample below what is certified, proofs checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.robust import Intervals, RobustLimit, robust_limit
from holdfast.scenes import load_scene
from tests import referee

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


def test_a_lever_with_shifted_props_is_the_closed_form() -> None:
    """A bar on props at x = -1, 1 that bear up to 1 N each, the weight over x = 0.2, every x off by up to 0.05.

    The prop at 1 bears (0.2 - x_a) / (x_b - x_a) of the weight, the most at x_a = -1.05, x_b = 0.95: the worst
    limit is 2 / 1.25. Boxes of forces at y = +-1 take up everything else.
    """
    prop = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (0, 0.5)], dtype=float)])
    contacts = [hf.Contact([x, y, 0], np.eye(3), prop) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    load = [0, 0, -1, 0, 0.2, 0]
    found = robust_limit(hf.Assembly(contacts), load, Intervals(position=[0.05, 0.0, 0.0]))
    worst = 2.0 / 1.25
    assert found.nominal == pytest.approx(2.0 / 1.2)
    assert found.attained == pytest.approx(worst, rel=1e-6)
    assert found.certified <= worst * (1 + 1e-9)
    assert found.certified == pytest.approx(worst, rel=5e-3)
    assert found.verify()


CASES = [
    (0, Intervals(position=2e-3)),
    (3, Intervals(position=1e-3, point=1e-3)),
    (4, Intervals(friction=0.05)),
    (9, Intervals(angle=0.03)),
    (10, Intervals(position=1e-3)),
    (12, Intervals(strength=0.05, friction=0.02, position=5e-4, angle=0.01, point=5e-4)),
    (19, Intervals(friction=0.02, position=5e-4, angle=0.01, joint=0.05)),
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
