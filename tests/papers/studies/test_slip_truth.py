from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.devices import TwoFingerDimensions
from holdfast.papers.slip import (
    Scatter,
    SlipEvent,
    caught_on_edge,
    draw_truth,
    nominal,
    true_onset,
    without,
)
from holdfast.statics.paths import rotating_gravity, slip_onset
from holdfast.statics.solver import weakened

EVENT = SlipEvent("MD", "MD", 0.150, 0.0)


def test_a_truth_is_drawn_within_its_scatter_and_again_by_its_seed() -> None:
    device, scatter = EVENT.device(), Scatter()
    truths = [draw_truth(device, scatter, np.random.default_rng([seed, 3])) for seed in range(300)]
    strengths = np.array([truth.strengths for truth in truths])
    masses = np.array([truth.device.object.mass for truth in truths]) - device.object.mass
    coms = np.array([truth.device.object.com for truth in truths]) - device.object.com
    assert 0.4 <= strengths.min() < 0.6
    assert strengths.max() <= 1.6
    assert strengths.std() == pytest.approx(0.3, abs=0.03)
    assert strengths.mean() == pytest.approx(1.0, abs=0.03)
    assert 0.0009 < np.abs(masses).max() <= 0.001 + 1e-15
    assert 0.0045 < np.abs(coms).max() <= 0.005 + 1e-15
    again = draw_truth(device, scatter, np.random.default_rng([7, 3]))
    assert np.array_equal(again.strengths, truths[7].strengths)
    assert np.array_equal(again.device.object.com, truths[7].device.object.com)


def test_sources_of_scatter_can_be_told_apart_with_the_same_draws() -> None:
    device = EVENT.device()
    full, strength, com = (
        draw_truth(device, scatter, np.random.default_rng(1))
        for scatter in (Scatter(), Scatter(mass=0.0, com=0.0), Scatter(strength=0.0, mass=0.0))
    )
    assert np.array_equal(strength.strengths, full.strengths)
    assert np.array_equal(strength.device.object.com, device.object.com)
    assert np.array_equal(com.device.object.com, full.device.object.com)
    assert np.array_equal(com.strengths, np.ones(4))
    assert com.device.object.mass == device.object.mass


def test_the_true_onset_is_that_of_really_weaker_units() -> None:
    truth = draw_truth(EVENT.device(), Scatter(), np.random.default_rng(2))
    found = true_onset(truth, EVENT.towards, step=0.05, tolerance=1e-4)
    assert found.verify()
    path, made = rotating_gravity(truth.device, towards=EVENT.towards), {}

    def weak(angle: float) -> tuple[hf.Assembly, np.ndarray]:
        assembly, wrench = path(angle)
        return weakened(assembly, truth.scales, made), wrench

    other = slip_onset(weak, 0.0, 0.5, step=0.05, tolerance=1e-4)
    assert found.value == pytest.approx(other.value, abs=2e-4)


def test_a_nominal_truth_is_the_model() -> None:
    found = true_onset(nominal(EVENT.device()), EVENT.towards, step=0.05, tolerance=1e-4)
    model = slip_onset(rotating_gravity(EVENT.device(), towards=EVENT.towards), 0.0, 0.5, step=0.05, tolerance=1e-4)
    assert found.value == pytest.approx(model.value, abs=2e-4)


def test_without_a_patch_the_device_is_that_of_the_smaller_condition() -> None:
    for full, name, rest in (("PMD", "left P", "MD"), ("MD", "left M", "D"), ("PMD", "left M", "PD")):
        lifted = without(hf.devices.two_finger_gripper(full, "MD"), name)
        wanted = hf.devices.two_finger_gripper(rest, "MD")
        assert [patch.name for patch in lifted.patches] == [patch.name for patch in wanted.patches]
        assert np.allclose(lifted.jacobian, wanted.jacobian)


def test_the_edge_pushes_the_object_up_along_its_surface() -> None:
    size = TwoFingerDimensions()
    device = caught_on_edge(hf.devices.two_finger_gripper("MD", "MD"), size)
    edge = device.contacts[-1]
    assert edge.name == "left edge[0]"
    assert device.jacobian.shape == (6, 3 * 17)
    unit = next(patch for patch in device.patches if patch.name == "left D").contacts[0]
    assert np.allclose(edge.rotation[:, 2], unit.rotation[:, 0])  # its normal is the unit's shear direction
    assert np.allclose(np.linalg.det(edge.rotation), 1.0)
    assert edge.rotation[2, 2] > 0  # up
    # Virtual work on the left fingers alone: torque about each joint is force times lever.
    rows = device.jacobian[:, -3:]
    assert np.allclose(rows[3:], 0.0)
    joints = np.array([link.points[0] for link in device.links if link.name.startswith("left")])
    levers = edge.position - joints
    for force in np.eye(3):
        moments = np.cross(levers, force)[:, 1]
        assert np.allclose(np.abs(rows[:3] @ force), np.abs(moments), atol=1e-12)
