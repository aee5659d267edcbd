from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY
from holdfast.errors import InputError
from holdfast.statics.paths import chained, ramp, turning, turning_about, under_gravity
from tests.statics.moving.scenes import block


def test_a_device_turned_is_the_device_under_gravity_from_the_circle() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    path = turning(device, towards=(0, 1, 0))
    for i, direction in enumerate(hf.loads.circle_directions(8, towards=(0, 1, 0))):
        gravity = STANDARD_GRAVITY * direction
        assembly, wrench = path(2.0 * np.pi * i / 8)
        assert np.allclose(wrench, device.weight(gravity), atol=1e-12)
        rows, wanted = assembly.joints, device.joint_rows(gravity)
        assert rows
        assert wanted
        assert np.allclose(rows.lower, wanted.lower, atol=1e-12)
        assert np.allclose(rows.upper, wanted.upper, atol=1e-12)


def test_a_scene_keeps_the_size_of_its_gravity_and_its_links_weigh() -> None:
    scene = hf.load_scene("@two_finger_gripper_md_pmd").with_gravity((0, 0, -1.62))
    device = hf.devices.two_finger_gripper("MD", "PMD")
    assembly, wrench = turning(scene)(0.5)
    gravity = 1.62 * np.array([np.sin(0.5), 0, -np.cos(0.5)])
    assert np.allclose(wrench, device.weight(gravity), atol=1e-12)
    rows, wanted = assembly.joints, device.joint_rows(gravity)
    assert rows
    assert wanted
    assert np.allclose(rows.upper, wanted.upper, atol=1e-9)


def test_turning_about_an_axis_goes_round_a_cone() -> None:
    device = hf.devices.two_opposed_units()
    path = turning_about(device, (0, 0, 1), (1, 0, -1))
    forces = np.array([path(angle)[1][:3] for angle in np.linspace(0, 6, 7)])
    assert np.allclose(forces[:, 2], forces[0, 2])
    assert np.allclose(np.linalg.norm(forces, axis=1), device.object.mass * STANDARD_GRAVITY)
    assert forces[1, 1] > 0  # right-hand rule


def test_a_load_besides_stays_with_the_object() -> None:
    device = hf.devices.two_opposed_units()
    extra = (1, 2, 3, 4, 5, 6)
    for angle in (0.0, 1.0):
        assert np.allclose(turning(device, load=extra)(angle)[1] - turning(device)(angle)[1], extra)


def test_a_ramp_is_base_and_multiples() -> None:
    assembly = block()
    path = ramp(assembly, (0, 0, -1, 0, 0, 0), (2, 0, 0, 0, 0, 1))
    same, wrench = path(0.5)
    assert same is assembly
    assert wrench.tolist() == [1, 0, -1, 0, 0, 0.5]


def test_chained_legs_are_gone_through_in_turn() -> None:
    assembly = block()
    along = ramp(assembly, np.zeros(6), (1, 0, 0, 0, 0, 0))
    across = ramp(assembly, (1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0))
    path, length = chained([(along, 0.0, 1.0), (across, 2.0, 0.0)])
    assert length == 3.0
    assert path(0.25)[1][:2].tolist() == [0.25, 0]
    assert path(1.0)[1][:2].tolist() == [1, 2]  # the later leg answers where two meet
    assert path(2.5)[1][:2].tolist() == [1, 0.5]
    assert path(3.0)[1][:2].tolist() == [1, 0]
    with pytest.raises(InputError):
        path(3.1)


def test_bad_paths_are_refused() -> None:
    device = hf.devices.two_opposed_units()
    with pytest.raises(InputError, match="parallel"):
        turning(device, (0, 0, -1), (0, 0, 2))
    with pytest.raises(InputError, match="zero wrench"):
        ramp(block(), np.ones(6), np.zeros(6))
    with pytest.raises(InputError, match="is empty"):
        chained([])
    with pytest.raises(InputError, match="Device or a Scene"):
        under_gravity(block(), (0, 0, -1))  # pyright: ignore[reportArgumentType]
