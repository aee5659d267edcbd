"""The ready devices: their dimensions, fingers and joint rows; what the paper says of them is in tests/studies."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import holdfast as hf
from holdfast import devices
from holdfast.assembly import PlanarFinger
from holdfast.devices import (
    CONDITIONS,
    DEVICES,
    FourFingerDimensions,
    OpposedUnitsDimensions,
    RoundObject,
    TwoFingerDimensions,
    default_unit,
    four_finger_hand,
    two_finger_gripper,
    two_opposed_units,
    wrapped_finger,
)
from holdfast.errors import GeometryError, InputError, UnknownNameError

CLASSES = (OpposedUnitsDimensions, TwoFingerDimensions, FourFingerDimensions)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), 1e9, "wide"])
def test_lengths_must_be_lengths(kind: type, value: object) -> None:
    with pytest.raises(InputError, match=r"radius: is"):
        kind(radius=value)


@pytest.mark.parametrize("kind", CLASSES)
def test_masses_must_be_above_zero(kind: type) -> None:
    with pytest.raises(InputError, match=r"object_mass: is -1 kg"):
        kind(object_mass=-1.0)


def test_sizes_are_two_lengths() -> None:
    with pytest.raises(InputError, match=r"unit_size\[1\]: is 0 m"):
        TwoFingerDimensions(unit_size=(0.03, 0.0))
    with pytest.raises(InputError, match=r"palm_size: has shape \(3,\)"):
        FourFingerDimensions(palm_size=(1, 1, 1))  # type: ignore[arg-type]
    assert TwoFingerDimensions(unit_size=[0.03, 0.04]).unit_size == (0.03, 0.04)  # type: ignore[arg-type]


def test_friction_and_torque_may_be_zero_and_not_negative() -> None:
    assert TwoFingerDimensions(joint_friction=0).joint_friction == 0.0
    with pytest.raises(InputError, match="joint_torque: is -10 N m"):
        FourFingerDimensions(joint_torque=-10)


def test_the_reference_point_may_lie_above_or_below_the_crest() -> None:
    assert TwoFingerDimensions(com_depth=-0.02).com_depth == -0.02
    assert FourFingerDimensions(load_depth=0.0).load_depth == 0.0


# The default unit.


def test_the_default_unit_is_the_microspine_model() -> None:
    assert default_unit().fingerprint == hf.models.microspine().fingerprint


def test_devices_use_a_quarter_of_it_at_each_corner() -> None:
    contact = devices.two_finger_gripper().contacts[0]
    directions = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(4 * contact.volume.support(directions), default_unit().support(directions))


# What all devices have in common.

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


# Fingers around a round object.


def around(radius: float = 0.15, side: float = 1.0, base_x: float = 0.04, phalanx: float = 0.045) -> PlanarFinger:
    size = TwoFingerDimensions(phalanx=phalanx)
    return wrapped_finger(RoundObject(radius, 0.045), size, "f", side=side, base_x=base_x, y=0.02)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("radius", [0.1, 0.15, 1.0])
def test_every_unit_touches_at_its_middle_square_to_the_radius(side: float, radius: float) -> None:
    finger = around(radius, side)
    center = np.array([0, 0.02, 0.045 - radius])
    for index in range(3):
        pose = finger.contact_pose(index, offset=0.015)
        np.testing.assert_allclose(np.linalg.norm(pose.translation - center), radius, rtol=1e-12)
        np.testing.assert_allclose(pose.rotation[:, 2], (center - pose.translation) / radius, atol=1e-12)


def test_the_first_joint_stands_where_the_base_holds_it() -> None:
    joint = around(side=-1.0).joint_positions[0]
    assert joint[0] == pytest.approx(-0.04)
    assert joint[1] == pytest.approx(0.02)


def test_fingers_on_either_side_are_mirror_images() -> None:
    mirror = np.diag([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(around(side=1.0).joint_positions @ mirror, around(side=-1.0).joint_positions, atol=1e-15)
    np.testing.assert_allclose(
        around(side=1.0).gravity_torque((0, 0, -9.81)), around(side=-1.0).gravity_torque((0, 0, -9.81)), atol=1e-15
    )


def test_the_weight_of_the_links_closes_the_fingers() -> None:
    """The torques that hold the links up open the finger (negative): without contacts they would fall closed."""
    assert (around().gravity_torque((0, 0, -9.81)) < 0.0).all()


def test_an_object_too_small_for_the_base_is_refused() -> None:
    with pytest.raises(GeometryError, match="radius: the first joints, 0.04 m from the middle"):
        around(radius=0.01)


def test_fingers_longer_than_the_object_are_refused() -> None:
    with pytest.raises(GeometryError, match="would meet below the object"):
        around(radius=0.03, base_x=0.01, phalanx=0.06)


# The two opposed units.


def test_units_pull_inwards_and_the_slide_feels_their_mean_pull() -> None:
    device = two_opposed_units(unit=UNIT)
    rows = device.assembly().joints
    assert rows is not None
    inwards = [25.0, 0.0, 0.0]
    forces = np.array([inwards if contact.position[0] < 0 else [-25.0, 0, 0] for contact in device.contacts]) / 4
    np.testing.assert_allclose(rows.values(forces), [-25.0])
    np.testing.assert_allclose((rows.lower[0], rows.upper[0]), (-40.0, -20.0))


def test_the_slide_does_not_feel_a_load_that_both_units_share() -> None:
    rows = two_opposed_units(unit=UNIT).assembly().joints
    assert rows is not None
    np.testing.assert_allclose(rows.values(np.tile([3.0, 1.0, -2.0], (8, 1))), [0.0], atol=1e-15)


def test_the_slide_is_the_rate_of_the_distance_between_the_units() -> None:
    """Virtual work: opening the slide by ds moves each unit outwards by ds/2."""
    device = two_opposed_units(unit=UNIT)
    moves = device.jacobian.reshape(8, 3)
    outwards = np.array([np.sign(contact.position[0]) for contact in device.contacts])
    np.testing.assert_allclose(moves, np.column_stack([outwards / 2, np.zeros((8, 2))]))


def test_units_stand_where_the_dimensions_say() -> None:
    size = OpposedUnitsDimensions(radius=0.1, half_distance=0.05, com_depth=0.02)
    left, right = two_opposed_units(unit=UNIT, dimensions=size).patches
    np.testing.assert_allclose(right.center, (0.05, 0, 0.02 - 0.1 + np.sqrt(0.1**2 - 0.05**2)), atol=1e-15)
    np.testing.assert_allclose(left.center * (-1, 1, 1), right.center, atol=1e-15)


def test_a_weak_spring_lets_the_pull_fall() -> None:
    """On a near-flat object adhesion needs shear, and the spring alone gives it (Coulomb units: none at all)."""
    cone = [[0, 0, 0], [20, 0, -4], [20, 8, 0], [20, -8, 0], [0, 8, 20], [0, -8, 20]]  # adhesion only with shear
    unit = hf.ForceVolume([cone])
    pulls = [
        hf.load_limit(
            two_opposed_units(
                unit=unit, dimensions=OpposedUnitsDimensions(radius=10.0, preload=preload, spring_range=0.0)
            ).assembly(),
            devices.PULL,
        ).value
        for preload in (5.0, 10.0, 15.0)
    ]
    assert pulls[0] < pulls[1] < pulls[2]
    assert pulls[1] == pytest.approx(2 * pulls[0], rel=0.1)


@pytest.mark.parametrize(
    "size, error, match",
    [
        ({"half_distance": 0.2}, GeometryError, "half_distance: is 0.2 m with a radius of 0.15 m"),
        ({"spring_range": 31.0}, InputError, "spring_range: is 31 N with a preload of 30 N"),
    ],
)
def test_impossible_slides_are_refused(size: dict, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        two_opposed_units(unit=UNIT, dimensions=OpposedUnitsDimensions(**size))


# The passive two-finger gripper.


@pytest.mark.parametrize("left, right", CONDITIONS)
def test_the_condition_names_the_units_that_touch(left: str, right: str) -> None:
    device = two_finger_gripper(left, right, unit=UNIT)
    assert device.name == f"2FG {left}-{right}"
    assert [patch.name for patch in device.patches] == [*(f"left {c}" for c in left), *(f"right {c}" for c in right)]
    sides = [np.sign(patch.center[0]) for patch in device.patches]
    assert sides == [-1.0] * len(left) + [1.0] * len(right)


def test_joints_are_passive_pins_with_friction_alone() -> None:
    rows = two_finger_gripper("D", "MD", unit=UNIT).assembly().joints
    assert rows is not None
    np.testing.assert_allclose(rows.lower, -0.01)
    np.testing.assert_allclose(rows.upper, 0.01)
    assert rows.names == tuple(f"{side} {letter}" for side in ("left", "right") for letter in "PMD")


def test_a_joint_feels_only_what_hangs_beyond_it() -> None:
    device = two_finger_gripper("MD", "PMD", unit=UNIT)
    feels = (np.abs(device.jacobian.reshape(6, -1, 12)).max(axis=2) > 1e-9).astype(int)  # (joint, unit)
    expected = [
        [1, 1, 0, 0, 0],  # left P feels left M, D
        [1, 1, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 1, 1],  # right P feels right P, M, D
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1],
    ]
    np.testing.assert_array_equal(feels, expected)


def test_a_force_through_the_joint_axis_does_not_load_it() -> None:
    device = two_finger_gripper("D", "D", unit=UNIT)
    forces = np.tile([0.0, 7.0, 0.0], (8, 1))  # along the joint axes
    np.testing.assert_allclose(device.jacobian @ forces.ravel(), 0.0, atol=1e-12)


def test_torques_agree_with_lever_arms_in_the_plane() -> None:
    """A unit force on the object at a contact loads a joint by the planar cross product of arm and force."""
    device = two_finger_gripper("D", "D", unit=UNIT)
    joint = next(link for link in device.links if link.name == "right D").points[0]
    for index, contact in enumerate(device.contacts):
        if contact.position[0] < 0:
            continue
        arm = contact.position - joint
        for force in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)):
            about_y = arm[2] * force[0] - arm[0] * force[2]
            assert device.jacobian[5, 3 * index : 3 * index + 3] @ force == pytest.approx(about_y, abs=1e-15)


def test_phalanges_that_do_not_touch_still_weigh_on_the_joints() -> None:
    one = two_finger_gripper("D", "D", unit=UNIT).gravity_matrix
    other = two_finger_gripper("PMD", "MD", unit=UNIT).gravity_matrix
    np.testing.assert_array_equal(one, other)
    # The last joint holds half a phalanx of 40 g; seen from the side its arm is half the phalanx's x extent.
    link = next(link for link in two_finger_gripper(unit=UNIT).links if link.name == "right D").points
    arm = (link[1, 0] - link[0, 0]) / 2
    assert one[5] @ (0, 0, -9.81) == pytest.approx(-0.04 * 9.81 * arm)


def test_dimensions_change_the_gripper() -> None:
    size = TwoFingerDimensions(joint_friction=0.02, object_mass=0.5, radius=0.2)
    device = two_finger_gripper(unit=UNIT, dimensions=size)
    assert device.object.mass == 0.5
    assert device.object.shape is not None
    assert device.object.shape.radius == 0.2
    assert device.joints[0].friction == 0.02


@pytest.mark.parametrize("value", ["M", "DM", "", "pmd", 3])
def test_an_unknown_condition_lists_the_known(value: object) -> None:
    with pytest.raises(UnknownNameError, match=r"right: there is no set of touching phalanges .*known: D, MD, PD, PMD"):
        two_finger_gripper("D", value, unit=UNIT)  # type: ignore[arg-type]


# The four-finger hand.


@pytest.mark.parametrize("fingers, outer", [("parallel", 1.0), ("opposed", -1.0)])
def test_outer_fingers_stand_with_or_against_the_inner_ones(fingers: str, outer: float) -> None:
    device = four_finger_hand(fingers, unit=UNIT)
    assert len(device.patches) == 12
    assert len(device.contacts) == 48
    for patch in device.patches:
        assert np.sign(patch.center[0]) == (1.0 if patch.name.startswith("inner") else outer)


def test_finger_planes_are_where_the_dimensions_say() -> None:
    for fingers, outer in (("parallel", 0.061), ("opposed", 0.068)):
        planes = sorted({round(float(patch.center[1]), 6) for patch in four_finger_hand(fingers, unit=UNIT).patches})
        assert planes == [-outer, -0.0165, 0.0165, outer]


def test_units_do_not_overlap() -> None:
    for fingers in ("parallel", "opposed"):
        centres = np.array([patch.center for patch in four_finger_hand(fingers, unit=UNIT).patches])
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.eye(12)
        assert gaps.min() > 0.028


def test_every_joint_can_give_ten_newton_metres() -> None:
    rows = four_finger_hand(unit=UNIT).assembly().joints
    assert rows is not None
    assert len(rows) == 12
    np.testing.assert_array_equal(rows.lower, -10.0)
    np.testing.assert_array_equal(rows.upper, 10.0)


def test_a_finger_does_not_feel_the_others() -> None:
    blocks = np.abs(four_finger_hand(unit=UNIT).jacobian.reshape(4, 3, 4, 36)).max(axis=(1, 3))
    assert (blocks[~np.eye(4, dtype=bool)] == 0.0).all()
    assert (np.diag(blocks) > 0.0).all()


def test_an_unknown_arrangement_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'opposed'"):
        four_finger_hand("oposed", unit=UNIT)


# Devices by name.


@pytest.mark.parametrize("name", DEVICES)
def test_listed_conditions_are_those_of_the_function(name: str) -> None:
    conditions, signature = DEVICES[name].conditions, inspect.signature(DEVICES[name].function).parameters
    assert {word: choices[0] for word, (_, choices) in conditions.items()} == {
        word: entry.default for word, entry in signature.items() if word not in ("unit", "corners", "dimensions")
    }
    for word, (_, choices) in conditions.items():
        for choice in choices:
            assert devices.create(name, unit=UNIT, **{word: choice}).name.startswith(name)


def test_create_takes_conditions_and_dimensions_side_by_side() -> None:
    made = devices.create("2FG", left="D", right="PMD", radius=0.12, joint_friction=0.02, unit=UNIT)
    size = devices.TwoFingerDimensions(radius=0.12, joint_friction=0.02)
    direct = devices.two_finger_gripper("D", "PMD", unit=UNIT, dimensions=size)
    assert made.name == direct.name
    np.testing.assert_array_equal(made.assembly().positions, direct.assembly().positions)
    np.testing.assert_array_equal(made.jacobian, direct.jacobian)
    assert made.joints == direct.joints


def test_an_unknown_device_suggests_the_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"device: there is no device '2FH' .*did you mean .*known: 2OU, 2FG, 4FH"
    ):
        devices.create("2FH")


def test_an_unknown_parameter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"2FG: there is no parameter of 2FG 'raduis' \(did you mean 'radius'"):
        devices.create("2FG", raduis=0.1)


def test_a_bad_dimension_is_named() -> None:
    with pytest.raises(InputError, match="radius: is -1 m"):
        devices.create("4FH", radius=-1.0)
