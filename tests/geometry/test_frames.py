from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FrameError, HoldfastError, InputError
from holdfast.geometry.frames import (
    Pose,
    frame_from_normal,
    quaternion_of,
    rigid_poses,
    rotation,
    rotation_about,
    rotation_of,
    skew,
    wrench_matrix,
    wrench_transport,
)
from tests.referee import random_rotation

seeds = st.integers(0, 10_000)


def moment(point: np.ndarray, force: np.ndarray) -> np.ndarray:
    """x cross f, written out."""
    return np.array(
        [
            point[1] * force[2] - point[2] * force[1],
            point[2] * force[0] - point[0] * force[2],
            point[0] * force[1] - point[1] * force[0],
        ]
    )


@given(seeds)
def test_skew_is_the_cross_product_and_stacks(seed):
    rng = np.random.default_rng(seed)
    v, x = rng.normal(size=(4, 3)), rng.normal(size=3)
    for row, matrix in zip(v, skew(v), strict=True):
        np.testing.assert_allclose(matrix @ x, moment(row, x), atol=1e-14)
        np.testing.assert_array_equal(matrix, -matrix.T)


@given(seeds, st.integers(1, 8))
def test_wrench_matrix_sums_forces_and_their_moments(seed, k):  # (2)
    rng = np.random.default_rng(seed)
    positions, forces = rng.normal(size=(k, 3)), rng.normal(size=(k, 3))
    expected = np.concatenate([sum(forces), sum(moment(x, f) for x, f in zip(positions, forces, strict=True))])
    np.testing.assert_allclose(wrench_matrix(positions) @ forces.ravel(), expected, atol=1e-12)


@given(seeds)
def test_wrench_transport_keeps_what_forces_at_points_do(seed):  # (13)
    rng = np.random.default_rng(seed)
    turn, offset = random_rotation(rng), rng.normal(size=3)
    points, forces = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    local = np.concatenate([sum(forces), sum(moment(x, f) for x, f in zip(points, forces, strict=True))])
    world_points, world_forces = points @ turn.T + offset, forces @ turn.T
    world = np.concatenate(
        [sum(world_forces), sum(moment(x, f) for x, f in zip(world_points, world_forces, strict=True))]
    )
    np.testing.assert_allclose(wrench_transport(turn, offset) @ local, world, atol=1e-12)


def test_wrench_transport_has_the_block_t_r_at_the_lower_left():
    turn, offset = rotation_about([0, 0, 1], np.pi / 2), np.array([1.0, 2.0, 3.0])
    matrix = wrench_transport(turn, offset)
    np.testing.assert_allclose(matrix[:3, 3:], 0.0)
    np.testing.assert_allclose(matrix[3:, :3], skew(offset) @ turn)


@given(seeds)
def test_transport_of_a_product_is_the_product_of_transports(seed):
    rng = np.random.default_rng(seed)
    a, b = (Pose(random_rotation(rng), rng.normal(size=3)) for _ in range(2))
    np.testing.assert_allclose((a @ b).wrench_transport(), a.wrench_transport() @ b.wrench_transport(), atol=1e-12)
    np.testing.assert_allclose((a.inverse() @ a).wrench_transport(), np.eye(6), atol=1e-12)


def test_what_a_pose_keeps_cannot_be_changed_from_outside():
    pose = Pose(rotation_about([1, 2, 3], 0.4), [1.0, -7.0, 3.0])
    pose.wrench_transport()[:] = 0.0
    np.testing.assert_array_equal(pose.transport, wrench_transport(pose.rotation, pose.translation))
    assert not pose.transport.flags.writeable
    assert pose.reach == 7.0


@given(seeds)
def test_power_is_the_same_in_every_frame(seed):
    """Twists transform by the inverse transpose, so that wrench . twist does not change."""
    rng = np.random.default_rng(seed)
    transport = wrench_transport(random_rotation(rng), rng.normal(size=3))
    wrench, twist = rng.normal(size=6), rng.normal(size=6)
    assert (transport @ wrench) @ np.linalg.solve(transport.T, twist) == pytest.approx(wrench @ twist)


@given(seeds)
def test_poses_compose_apply_and_invert(seed):
    rng = np.random.default_rng(seed)
    a, b = (Pose(random_rotation(rng), rng.normal(size=3)) for _ in range(2))
    points = rng.normal(size=(2, 4, 3))
    np.testing.assert_allclose((a @ b).apply(points), a.apply(b.apply(points)), atol=1e-13)
    np.testing.assert_allclose(a.inverse().apply(a.apply(points)), points, atol=1e-13)
    np.testing.assert_allclose(Pose.identity().apply(points), points)


@given(seeds, st.floats(-10, 10))
def test_rotation_about_keeps_its_axis_and_turns_by_its_angle(seed, angle):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    turn = rotation("R", rotation_about(axis, angle))
    np.testing.assert_allclose(turn @ axis, axis, atol=1e-12)
    assert np.trace(turn) == pytest.approx(1.0 + 2.0 * np.cos(angle), abs=1e-12)
    np.testing.assert_allclose(rotation_about(axis, -angle), turn.T, atol=1e-12)


def test_rotation_about_z_turns_x_into_y():
    np.testing.assert_allclose(rotation_about([0, 0, 5], np.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-15)


@given(seeds)
def test_a_frame_from_a_normal_is_right_handed_with_its_shear_in_the_plane(seed):
    rng = np.random.default_rng(seed)
    normal, shear = rng.normal(size=(2, 3))
    frame = rotation("R", frame_from_normal(normal, shear))
    np.testing.assert_allclose(frame[:, 2], normal / np.linalg.norm(normal), atol=1e-12)
    assert frame[:, 0] @ shear > 0.0
    assert abs(frame[:, 1] @ shear) < 1e-10 * np.linalg.norm(shear)
    np.testing.assert_allclose(np.cross(frame[:, 0], frame[:, 1]), frame[:, 2], atol=1e-12)
    rotation("R", frame_from_normal(normal))


@pytest.mark.parametrize("normal", [[0, 0, 1], [1, 0, 0], [0, -1, 0], [1, 1, 1], [1e-200, 0, 0], [1e200, 1e200, 0]])
def test_a_frame_without_shear_exists_for_every_normal(normal):
    frame = rotation("R", frame_from_normal(normal))
    scaled = np.array(normal) / np.abs(normal).max()
    np.testing.assert_allclose(frame[:, 2], scaled / np.linalg.norm(scaled), atol=1e-12)


LEFT_HANDED = np.diag([1.0, -1.0, 1.0])
LONG = np.diag([1.0, 1.0, 2.0])
SHEARED = np.array([[1.0, 0.6, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    "matrix, says",
    [
        (LEFT_HANDED, "left-handed"),
        (LONG, "lengths"),
        (SHEARED, "not orthogonal"),
        (np.eye(3) * 1.00001, "lengths"),
        (np.zeros((3, 3)), "lengths"),
        (-np.eye(3), "left-handed"),
    ],
)
def test_a_matrix_that_is_no_rotation_says_why(matrix, says):
    with pytest.raises(FrameError, match=says) as caught:
        rotation("contacts[3].rotation", matrix)
    assert caught.value.where == "contacts[3].rotation"
    assert caught.value.fix
    with pytest.raises(FrameError):
        Pose(matrix, [0, 0, 0])


@pytest.mark.parametrize("matrix", [np.eye(4), np.eye(3)[:2], np.full((3, 3), np.nan), [[1, 0], [0, 1]], "frame"])
def test_a_matrix_of_another_kind_is_an_input_error(matrix):
    with pytest.raises(InputError):
        rotation("R", matrix)


def test_shear_along_the_normal_is_an_error():
    with pytest.raises(FrameError, match="parallel") as caught:
        frame_from_normal([0, 0, 1], [0, 0, -3])
    assert caught.value.where == "shear"


@pytest.mark.parametrize(
    "ask",
    [
        lambda: frame_from_normal([0, 0, 0]),
        lambda: frame_from_normal([0, 0, np.nan]),
        lambda: rotation_about([0, 0, 0], 1.0),
        lambda: rotation_about([0, 0, 1], np.nan),
        lambda: rotation_about([0, 0, 1], "half"),
        lambda: Pose(np.eye(3), [0, 0]),
        lambda: Pose(np.eye(3), [0, 0, np.inf]),
        lambda: Pose.identity().apply([1.0, 2.0]),
        lambda: wrench_matrix([1, 2, 3]),
        lambda: wrench_matrix([[1, 2, np.nan]]),
        lambda: wrench_transport(np.eye(2), [0, 0, 0]),
        lambda: wrench_transport(np.eye(3), [0, 0]),
        lambda: skew([1.0, 2.0]),
    ],
)
def test_bad_input_is_a_holdfast_error(ask):
    with pytest.raises(HoldfastError):
        ask()


def test_rotations_read_from_a_file_with_seven_digits_may_be_composed_many_times():
    """A long chain of poses must not fail on the digits its links were written with."""
    turn = np.round(rotation_about([1, 2, 3], 0.3), 7)
    pose = Pose(turn, [0.1, 0, 0])
    chain = Pose.identity()
    for _ in range(50):
        chain = chain @ pose
    np.testing.assert_allclose(chain.rotation, rotation_about([1, 2, 3], 15.0), atol=1e-4)


def test_poses_checked_all_at_once_are_those_checked_one_by_one():
    rng = np.random.default_rng(3)
    turns = np.array([rotation_about(rng.normal(size=3), a) for a in rng.uniform(-3, 3, 5)])
    shifts = rng.normal(size=(5, 3))
    for rounding in (0.0, 1e-9):
        made = rigid_poses(turns + rounding, shifts)
        assert made is not None
        for pose, turn, shift in zip(made, turns + rounding, shifts, strict=True):
            alone = Pose(turn, shift)
            np.testing.assert_allclose(pose.rotation, alone.rotation, atol=1e-15)
            np.testing.assert_array_equal(pose.translation, alone.translation)
            assert not pose.rotation.flags.writeable and not pose.translation.flags.writeable


@pytest.mark.parametrize("spoil", ["stretched", "left-handed", "nan", "far"])
def test_one_wrong_pose_spoils_the_lot(spoil):
    turns, shifts = np.stack([np.eye(3)] * 3), np.zeros((3, 3))
    turns[1] *= {"stretched": 1.1, "left-handed": -1.0, "nan": np.nan}.get(spoil, 1.0)
    shifts[2, 0] = np.inf if spoil == "far" else 0.0
    assert rigid_poses(turns, shifts) is None


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -2, 3)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, 3.0, np.pi, 4.0])
def test_quaternions_and_rotations_are_inverse_at_half_turns_too(axis, angle):
    turn = rotation_about(axis, angle)
    quaternion = quaternion_of(turn)
    np.testing.assert_allclose(rotation_of(quaternion), turn, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(quaternion), 1.0, atol=1e-15)
    assert quaternion[3] >= 0.0
    half = np.append(np.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis), np.cos(angle / 2))
    np.testing.assert_allclose(abs(half @ quaternion), 1.0, atol=1e-14)
