"""Pads of uniform pressure: torsion, shear and both against integrals over the surface, and every kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import minimize

import holdfast as hf
from holdfast.errors import InputError

MU, FACETS = 0.6, 64
VOLUME = hf.models.coulomb(MU, facets=FACETS)
CONE = 1.0 - np.cos(np.pi / FACETS)  # relative error of the cones
CIRCLE = 0.03 * np.column_stack([np.cos(t := np.linspace(0, 2 * np.pi, 64, endpoint=False)), np.sin(t)])


def outline(lx: float, ly: float) -> np.ndarray:
    return np.array([(-lx, -ly), (lx, -ly), (lx, ly), (-lx, ly)]) / 2.0


SHAPES = {
    "square": outline(0.04, 0.04),
    "2 to 1": outline(0.04, 0.02),
    "3 to 1": outline(0.02, 0.06),
    "4 to 1": outline(0.04, 0.01),
    "strip": outline(0.08, 0.002),
    "circle": CIRCLE,
    "triangle": np.array([(0.0, 0.0), (0.04, 0.0), (0.01, 0.03)]),
}

#: Most by which the torsion and shear of the points may be below those of the surface, and above them.
BELOW = {"strip": 0.06, "triangle": 0.04}
ABOVE = {"triangle": 0.015}


def pad(corners: np.ndarray, **options) -> hf.Assembly:
    return hf.Assembly(hf.Patch.polygon(hf.Pose.identity(), corners, VOLUME, **options).contacts)


def surface(corners: np.ndarray, n: int = 400) -> np.ndarray:
    """Points of a fine grid on the surface, from its centroid."""
    from shapely import Polygon, contains_xy

    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = (low[i] + (np.arange(n) + 0.5) / n * (high[i] - low[i]) for i in (0, 1))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    points = points[contains_xy(Polygon(corners), points[:, 0], points[:, 1])]
    return points - points.mean(axis=0)


def most(assembly: hf.Assembly, push: float, load: Sequence[float], at: np.ndarray) -> float:
    """The largest multiple of a load on what is pressed on the pad with `push`, at the point `at`."""
    moved = np.array(load, float)
    moved[3:] += np.cross(at, moved[:3])
    weight = np.concatenate([[0, 0, -push], np.cross(at, [0, 0, -push])])
    ramp = hf.load_ramp(assembly, weight, moved)
    assert ramp.verify()
    return ramp.value


@pytest.mark.parametrize("name", SHAPES)
def test_a_pad_carries_the_shear_and_torsion_of_uniform_pressure(name: str) -> None:
    """Sliding about a centre of rotation c the pad resists with mu p (x - c) / |x - c|: its limit surface, by integrals."""
    corners, push = SHAPES[name], 12.0
    points, assembly = surface(corners), pad(corners)
    centre = np.append(assembly.positions[:, :2].T @ [c.share for c in assembly.contacts], 0.0)
    size = np.linalg.norm(points, axis=1).mean()
    median = minimize(lambda c: np.linalg.norm(points - c, axis=1).mean(), np.zeros(2)).fun  # turns without shear
    tolerance = CONE + (0.01 if name == "triangle" else 1e-3)
    assert most(assembly, push, (0, 0, 0, 0, 0, 1), centre) == pytest.approx(MU * push * median, rel=tolerance)
    for x, y in ((0.3, 0.1), (1.0, -0.2), (0.5, 1.2), (-0.1, 2.5), (3.0, 3.0)):
        arms = points - size * np.array([x, y])
        pull = MU * push * np.column_stack([arms[:, 1], -arms[:, 0]]) / np.linalg.norm(arms, axis=1)[:, None]
        force, torque = pull.mean(axis=0), (points[:, 0] * pull[:, 1] - points[:, 1] * pull[:, 0]).mean()
        share = most(assembly, push, (*force, 0, 0, 0, torque), centre)
        assert 1.0 - BELOW.get(name, 0.02) - CONE < share < 1.0 + ABOVE.get(name, 0.002)
    assert most(assembly, push, (1, 0, 0, 0, 0, 0), centre) == pytest.approx(MU * push, rel=CONE)
    assert most(assembly, push, (0, 0, 0, 1, 0, 0), centre) < 1e-9 * push  # no bending


@pytest.mark.parametrize(
    ("corners", "distance"),
    [(outline(1, 1), 0.382597858), (CIRCLE, 2 / 3 * 0.03), (outline(4, 1), 1.060816)],
)
def test_the_mean_distance_of_a_surface_is_that_of_its_closed_form(corners: np.ndarray, distance: float) -> None:
    from holdfast.geometry.polygons import mean_distance

    assert mean_distance(corners) == pytest.approx(distance, rel=1e-3)
    assert mean_distance(corners[::-1]) == pytest.approx(mean_distance(corners), rel=1e-12)
    far = surface(corners) + [5.0, -3.0]  # the origin outside
    assert mean_distance(corners + [5.0, -3.0]) == pytest.approx(np.linalg.norm(far, axis=1).mean(), rel=2e-3)


def jaws(pressure: Literal["free"] | None, size: float = 0.02, force: float = 40.0) -> hf.Assembly:
    """Two pads that press a plate from both sides with at most `force`."""
    contacts = []
    for side in (1.0, -1.0):
        pose = hf.Pose(hf.frame_from_normal((-side, 0, 0), (0, 0, 1)), (0.01 * side, 0, 0))
        patch = hf.Patch.rectangle(pose, (size, size), VOLUME, name=f"pad {side:+.0f}", pressure=pressure)
        contacts += patch.contacts
    jaw = np.zeros((len(contacts), 3))
    jaw[: len(contacts) // 2, 0] = -1.0
    return hf.Assembly(contacts, hf.JointRows(jaw.reshape(1, -1), [-np.inf], [force], ("jaw",)))


def test_two_pads_hold_a_weight_off_their_axis_as_pads_and_not_as_corners() -> None:
    """20 mm pads, 1 kg, mu 0.5, centre 10 mm off: the jaw force per pad is 17.07 N, with corners 9.81 N."""
    contacts = {}
    for pressure in (None, "free"):
        hand = jaws(pressure)
        hand = hand.with_volumes(lambda volume: hf.models.coulomb(0.5, facets=FACETS))
        limit = hf.load_limit(hand, (0, 0, -9.80665, 0, 0, 0))
        offset = hf.load_limit(hand, (0, 0, -9.80665, -9.80665 * 0.01, 0, 0))
        assert limit.verify() and offset.verify()
        assert 40.0 / limit.value == pytest.approx(9.80665, rel=2e-3)
        contacts[pressure] = 40.0 / offset.value
    assert contacts[None] == pytest.approx(17.07, rel=0.01)
    assert contacts["free"] == pytest.approx(9.81, rel=0.01)


def test_the_default_is_uniform_for_pads_and_free_for_other_units() -> None:
    pose = hf.Pose.identity()

    def pressure(volume: hf.ForceVolume, **options) -> tuple[str, int]:
        patch = hf.Patch.rectangle(pose, (0.02, 0.02), volume, **options)
        unit = patch.contacts[0].unit
        return ("none" if unit is None else unit.pressure), len(patch)

    assert pressure(VOLUME) == ("uniform", 16)
    assert pressure(hf.models.coulomb(0.5, cap=20.0), points=(3, 2)) == ("uniform", 6)
    assert pressure(VOLUME, points="corners") == ("free", 4)
    assert pressure(VOLUME, pressure="free") == ("free", 4)
    assert pressure(hf.models.microspine()) == ("free", 4)
    assert pressure(hf.models.suction(40.0, 0.5)) == ("free", 4)
    for options in ({"points": "corners"}, {"corners": "independent"}):
        with pytest.raises(InputError, match="uniform"):
            pressure(VOLUME, pressure="uniform", **options)
    with pytest.raises(InputError, match="even"):
        pressure(VOLUME, pressure="even")


def test_rows_of_pads_survive_every_way_to_make_an_assembly_again() -> None:
    hand, load = jaws(None), (0, 0, -1, 0.0, 0.002, 0.003)
    value = hf.load_limit(hand, load).value
    turn = hf.Pose(hf.geometry.rotation_about((1, 2, 3), 0.7), (0.1, -0.2, 0.3))
    moved = hand.moved(turn)
    wrench = turn.wrench_transport() @ load
    for again, asked in (
        (hf.Assembly(hand.contacts, hand.joints), load),
        (hf.Assembly(hand.contacts, hand.mechanism), load),
        (moved, wrench),
        (hand.under((0, 0, 0, 0, 0, 0)), load),
    ):
        assert again.joints is not None and again.joints.even == 30 and len(again.mechanism or ()) == 1
        limit = hf.load_limit(again, asked)
        assert limit.value == pytest.approx(value, rel=1e-6) and limit.verify()
    assert hf.load_limit(hand.with_free_pressure(), load).value > 1.05 * value


def test_every_kind_of_question_takes_pads() -> None:
    hand = jaws(None).with_volumes(lambda volume: hf.models.coulomb(MU, facets=8))
    load = np.array([0, 0, -10.0, 0.02, 0.01, 0.005])
    held = hf.equilibrium(hand, load)
    assert held.holds and held.verify() and held.even().verify()
    for unit in (range(16), range(16, 32)):
        pressed = held.even().local_forces[list(unit), 2]
        np.testing.assert_allclose(pressed, pressed.mean(), rtol=1e-6)
    limit = hf.load_limit(hand, load)
    assert "jaw" in str(hf.diagnose(limit))
    assert len(hf.diagnose(limit).joints) == 1
    sharing = hf.load_sharing(hand, load, (1e4, 1e4), rule="slip")
    assert sharing.verify() and sharing.limit.value >= limit.value * (1 - 1e-6)
    rates = hf.sensitivity(hand, load)
    for derivative in rates.derivatives:
        assert derivative.parameter.row in (None, 0)
    mass = np.diag([1, 1, 1, 0.01, 0.01, 0.01])
    assert hf.separation(hand, 0.9 * limit.value * load, mass).holds
    assert not hf.separation(hand, 1.1 * limit.value * load, mass).holds
    scatter = hf.reliability.Scatter(position=1e-4, friction=0.1)
    assert 0.9 <= hf.probability(hand, load, scatter, n=50, seed=1).value <= 1.0
    assert hf.wrench_space(hand, np.eye(6)[:3]).verify()
    assert hf.reliability.least_change(hand, 1.2 * limit.value * load).verify()
