"""Assemblies: maps of contacts and joints, patches, springs and touching shapes, from positions and frames alone."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from tests.referee import block, random_case, random_rotation

BOX = hf.ForceVolume([block([-5] * 3, [5] * 3)])


@pytest.mark.parametrize("seed", range(6))
def test_the_grasp_matrix_sums_forces_and_their_moments(seed):  # (2)
    assembly = random_case(seed).assembly
    forces = np.random.default_rng(seed).normal(size=(len(assembly), 3))
    moments = np.cross([c.position for c in assembly.contacts], forces)
    expected = np.concatenate([forces.sum(axis=0), moments.sum(axis=0)])
    np.testing.assert_allclose(assembly.wrench_matrix @ forces.ravel(), expected, atol=1e-12)


def test_a_wrench_is_carried_by_a_rigid_motion_as_its_forces_are():  # (13)
    rng = np.random.default_rng(0)
    for _ in range(20):
        pose, force, point = hf.Pose(random_rotation(rng), rng.normal(size=3)), rng.normal(size=3), rng.normal(size=3)
        wrench = np.concatenate([force, np.cross(point, force)])
        turned = pose.rotation @ force
        expected = np.concatenate([turned, np.cross(pose.apply(point), turned)])
        np.testing.assert_allclose(pose.wrench_transport() @ wrench, expected, atol=1e-12)
        np.testing.assert_allclose(pose.inverse().apply(pose.apply(point)), point, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_frame_of_a_normal_is_right_handed_with_its_shear_in_the_plane(seed):
    rng = np.random.default_rng(seed)
    normal, shear = rng.normal(size=3), rng.normal(size=3)
    frame = hf.frame_from_normal(normal, shear)
    np.testing.assert_allclose(frame[:, 2], normal / np.linalg.norm(normal), atol=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert frame[:, 1] @ shear == pytest.approx(0.0, abs=1e-12) and frame[:, 0] @ shear > 0.0
    turn = hf.rotation_about(normal, 0.7)
    np.testing.assert_allclose(turn @ normal, normal, atol=1e-12)
    assert np.trace(turn) == pytest.approx(1.0 + 2.0 * np.cos(0.7))


def test_weights_act_at_the_centre_of_mass():
    com, gravity = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, -9.0])
    force = 2.0 * gravity
    expected = np.concatenate([force, np.cross(com, force)])
    np.testing.assert_allclose(hf.loads.gravity_wrench(2.0, gravity, com), expected, atol=1e-12)


def test_joint_rows_bound_the_torque_with_weight_friction_and_springs():  # (5)
    """A hinge that feels 0.5 m of f_x: 1 N m of gravity, 0.2 of friction, a spring of 2 N m/rad 0.3 rad from rest."""
    joint = hf.assembly.Joint("hinge", -1.0, 3.0, friction=0.2, stiffness=2.0, rest=0.1)
    rows = hf.assembly.joint_rows([joint], [0.4], [[0.5, 0.0, 0.0]], [1.0])
    finger = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), BOX.scaled(10.0))], rows)
    spring = -2.0 * (0.4 - 0.1)
    # the force on the robot is -f: tau = G - 0.5 f_x (or its sign in the rows) within limits, friction and spring
    low, high = -1.0 - 0.2 + spring, 3.0 + 0.2 + spring
    assert rows.upper[0] - rows.lower[0] == pytest.approx(high - low)
    assert [float(rows.lower[0]), float(rows.upper[0])] == pytest.approx([low - 1.0, high - 1.0])
    grown = [hf.load_limit(finger, [s, 0, 0, 0, 0, 0]).scale_interval[1] for s in (-1.0, 1.0)]
    assert grown == pytest.approx([rows.upper[0] / 0.5, -rows.lower[0] / 0.5], rel=1e-6)


def test_the_points_of_a_patch_carry_the_torsion_of_a_face():
    """Four corners of a 0.2 m square, mu = 0.5, pressed with 40 N: torsion 40 * 0.5 * 0.1 * sqrt(2)."""
    corners = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    face = hf.Assembly([hf.Contact(c, np.eye(3), hf.models.coulomb(0.5, facets=64)) for c in corners])
    found = hf.load_ramp(face, [0, 0, -40.0, 0, 0, 0], [0, 0, 0, 0, 0, 1.0]).value
    assert found == pytest.approx(40.0 * 0.5 * 0.1 * np.sqrt(2.0), rel=3e-3)


@pytest.mark.parametrize("over", [0.0, 0.2])
def test_boxes_that_touch_touch_at_the_corners_of_their_overlap(over):
    shapes = {
        "low": hf.assembly.shapes.Box((1.0, 0.6, 0.2), hf.Pose(np.eye(3), np.array([0, 0, 0.1]))),
        "high": hf.assembly.shapes.Box((1.0, 0.6, 0.2), hf.Pose(np.eye(3), np.array([over, 0, 0.3]))),
    }
    contacts = [c for c in hf.assembly.touching(shapes, hf.models.coulomb(0.5)) if {c.body, c.against} == set(shapes)]
    assert len(contacts) == 4
    places = np.array(sorted(c.position.tolist() for c in contacts))
    expected = sorted([x, y, 0.2] for x in (over - 0.5, 0.5) for y in (-0.3, 0.3))
    np.testing.assert_allclose(places, expected, atol=1e-9)
    for contact in contacts:  # n points into the body that the force acts on
        assert contact.rotation[2, 2] == pytest.approx(1.0 if contact.body == "high" else -1.0)


def test_a_rubber_pad_is_a_bar_in_tension_and_a_block_in_shear():
    """Bonded rubber: 3 G (1 + 2 S^2) A / t along it, G A / t across."""
    found = hf.assembly.rubber_pad_stiffness(1e-4, 0.01, shear_modulus=1e6, shape_factor=0.5)
    assert found == pytest.approx((3e6 * 1.5 * 1e-4 / 0.01, 1e6 * 1e-4 / 0.01))
