"""What all devices have in common."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.papers import devices

UNIT = hf.ForceVolume([[[0, 0, 0], [8, 8, 9], [-8, 8, 9], [-8, -8, 9], [8, -8, 9]]])
ALL = [
    devices.two_opposed_units(unit=UNIT),
    *(devices.two_finger_gripper(left, right, unit=UNIT) for left, right in devices.CONDITIONS),
    devices.four_finger_hand("parallel", unit=UNIT),
    devices.four_finger_hand("opposed", unit=UNIT),
]
every_device = pytest.mark.parametrize("device", ALL, ids=lambda device: device.name)


@every_device
def test_contacts_and_rows_fit_together(device: devices.Device) -> None:
    assembly = device.assembly()
    assert assembly.name == device.name
    assert len(assembly.contacts) == 4 * len(device.patches)
    assert assembly.joints is not None
    assert len(assembly.joints) == len(device.joints)
    assert assembly.joints.names == tuple(joint.name for joint in device.joints)


@every_device
def test_all_contacts_share_one_shape_of_a_quarter_unit(device: devices.Device) -> None:
    assert len({id(contact.volume) for contact in device.contacts}) == 1
    np.testing.assert_allclose(device.contacts[0].volume.pieces[0], UNIT.pieces[0] / 4)


@every_device
def test_contacts_touch_the_object_from_outside(device: devices.Device) -> None:
    shape = device.object.shape
    assert shape is not None
    for patch in device.patches:
        radius = patch.center - shape.center
        radius = radius - (radius @ shape.axis) * shape.axis
        assert np.linalg.norm(radius) == pytest.approx(shape.radius, rel=1e-12)
        outward = radius / shape.radius
        np.testing.assert_allclose(patch.contacts[0].rotation[:, 2], -outward, atol=1e-12)


@every_device
def test_spines_pull_the_object_up_towards_the_gripper(device: devices.Device) -> None:
    for contact in device.contacts:
        u, v, _ = contact.rotation.T
        assert u[2] > 0.0
        assert abs(v[1]) == pytest.approx(1.0)
        assert u[0] * contact.position[0] < 0.0


@every_device
def test_the_object_hangs_at_the_origin(device: devices.Device) -> None:
    gravity = np.array([1.0, 2.0, -9.0])
    np.testing.assert_allclose(device.weight(gravity), [*(device.object.mass * gravity), 0, 0, 0])


@every_device
def test_gravity_shifts_the_rows_and_nothing_else(device: devices.Device) -> None:
    free, heavy = device.assembly().joints, device.assembly(gravity=(0, 0, -9.81)).joints
    assert free is not None
    assert heavy is not None
    np.testing.assert_array_equal(free.jacobian, heavy.jacobian)
    torque = device.gravity_matrix @ (0, 0, -9.81)
    np.testing.assert_allclose(heavy.lower, free.lower - torque)
    np.testing.assert_allclose(heavy.upper, free.upper - torque)


@every_device
def test_links_are_finite_lines(device: devices.Device) -> None:
    assert device.links
    assert all(len(link.points) >= 2 and np.isfinite(link.points).all() for link in device.links)


def test_pull_and_push_are_opposite_forces() -> None:
    np.testing.assert_array_equal(devices.PULL, -np.array(devices.PUSH))
    assert devices.PULL[2] == -1.0


def test_a_device_without_joints_has_no_rows() -> None:
    patches = ALL[0].patches
    device = devices.Device("fixed", patches, ALL[0].object)
    assert device.joint_rows() is None
    assert device.assembly((0, 0, -9.81)).joints is None


def test_gravity_must_be_a_finite_vector() -> None:
    with pytest.raises(InputError, match=r"gravity\[2\]: is nan"):
        ALL[1].assembly(gravity=(0, 0, np.nan))


@pytest.mark.parametrize("mass", [0.0, -1.0, np.inf, 1e12])
def test_an_object_has_a_mass(mass: float) -> None:
    with pytest.raises(InputError, match="mass: is"):
        devices.HeldObject(mass)


def test_a_cylinder_has_a_size() -> None:
    with pytest.raises(InputError, match="radius"):
        devices.Cylinder(np.zeros(3), np.array([0, 1.0, 0]), 0.0, 1.0)
