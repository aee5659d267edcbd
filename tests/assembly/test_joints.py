"""Joint rows: validation, combination, and the bounds of (5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.assembly import JointRows
from holdfast.assembly.joints import Joint, PlanarFinger, joint_rows, side_by_side, stacked
from holdfast.errors import InputError, UnitError
from holdfast.geometry.frames import Pose, rotation_about


def rows(count: int, contacts: int, seed: int = 0, names: tuple[str, ...] = ()) -> JointRows:
    rng = np.random.default_rng(seed)
    return JointRows(rng.normal(size=(count, 3 * contacts)), -np.ones(count), np.ones(count), names)


def test_values_are_the_jacobian_times_the_stacked_forces() -> None:
    made = rows(2, 3)
    forces = np.arange(9.0).reshape(3, 3)
    expected = [sum(made.jacobian[r, 3 * i + a] * forces[i, a] for i in range(3) for a in range(3)) for r in range(2)]
    np.testing.assert_allclose(made.values(forces), expected)


def test_infinite_bounds_mean_no_limit() -> None:
    made = JointRows(np.zeros((2, 3)), [-np.inf, 0.0], [0.0, np.inf])
    assert made.lower[0] == -np.inf
    assert len(made) == 2
    assert made.contacts == 1


@pytest.mark.parametrize(
    "jacobian, lower, upper, names, match",
    [
        (np.zeros((2, 4)), [0, 0], [0, 0], (), "jacobian: has 4 columns"),
        (np.zeros(3), [0], [0], (), r"jacobian: has shape \(3,\)"),
        (np.zeros((2, 3)), [0], [0, 0], (), r"lower: has shape \(1,\)"),
        (np.zeros((2, 3)), [0, 0], [0, 0, 0], (), r"upper: has shape \(3,\)"),
        (np.zeros((2, 3)), [0, 2], [0, 1], (), "row 1: lower 2 is above upper 1"),
        (np.zeros((2, 3)), [0, 2], [0, 1], ("knee", "hip"), r"row 1 \(hip\): lower 2 is above upper 1"),
        (np.zeros((1, 3)), [np.nan], [1], (), r"lower\[0\]: is nan"),
        (np.zeros((1, 3)), [np.inf], [np.inf], (), "row 0: .*no finite value"),
        (np.zeros((1, 3)), [-np.inf], [-np.inf], (), "row 0: .*no finite value"),
        (np.full((1, 3), np.inf), [0], [0], (), r"jacobian\[0, 0\]: is inf"),
        (np.zeros((1, 3)), [0], [0], ("a", "b"), "names: has 2 entries for 1 rows"),
    ],
)
def test_bad_rows_are_refused(jacobian: object, lower: object, upper: object, names: tuple, match: str) -> None:
    with pytest.raises(InputError, match=match):
        JointRows(jacobian, lower, upper, names)  # type: ignore[arg-type]


def test_padded_rows_do_not_feel_the_new_contacts() -> None:
    made = rows(2, 2)
    wide = made.padded(before=1, after=2)
    forces = np.random.default_rng(3).normal(size=(5, 3))
    np.testing.assert_allclose(wide.values(forces), made.values(forces[1:3]))
    with pytest.raises(InputError, match="before: is -1"):
        made.padded(before=-1)


def test_stacked_rows_keep_their_order_and_names() -> None:
    first, second = rows(1, 2, 1, ("a",)), rows(2, 2, 2)
    both = stacked([first, second])
    assert both.names == ("a", "row 1", "row 2")
    np.testing.assert_array_equal(both.jacobian, np.concatenate([first.jacobian, second.jacobian]))
    assert stacked([second]).names == ()


def test_fingers_side_by_side_feel_only_their_own_contacts() -> None:
    fingers = [rows(2, 1, 1), rows(3, 2, 2), rows(1, 1, 3)]
    both = side_by_side(fingers)
    forces = np.random.default_rng(4).normal(size=(4, 3))
    expected = [fingers[0].values(forces[:1]), fingers[1].values(forces[1:3]), fingers[2].values(forces[3:])]
    np.testing.assert_allclose(both.values(forces), np.concatenate(expected))


def test_rows_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(InputError, match=r"rows: are for 1, 2 contacts.*padded"):
        stacked([rows(1, 1), rows(1, 2)])
    with pytest.raises(InputError, match="rows: is not a list of JointRows"):
        side_by_side([])


@given(
    st.floats(-5, 5),
    st.floats(0, 5),
    st.floats(0, 2),
    st.floats(0, 10),
    st.floats(-2, 2),
    st.floats(-3, 3),
    st.floats(-1, 1),
    st.floats(-4, 4),
    st.floats(-9, 9),
)
def test_a_row_holds_exactly_when_actuator_and_friction_can_close_the_balance(
    low: float,
    width: float,
    friction: float,
    stiffness: float,
    rest: float,
    preload: float,
    q: float,
    g: float,
    f: float,
) -> None:
    """(4) with tau = actuator + spring + friction: what actuator and friction must give lies in their range."""
    joint = Joint("j", low, low + width, friction, stiffness, rest, preload)
    made = joint_rows([joint], [q], [[0.5, 0.0, 0.0]], [g])
    tau = g + 0.5 * f  # (4)
    wanted = tau - (preload - stiffness * (q - rest))
    margin = min(wanted - (low - friction), (low + width + friction) - wanted)
    value = float(made.values([[f, 0, 0]])[0])
    assert min(value - made.lower[0], made.upper[0] - value) == pytest.approx(margin, abs=1e-9)


def test_a_passive_joint_is_held_by_friction_about_its_gravity_torque() -> None:
    made = joint_rows([Joint.passive("pin", friction=0.01)], [0.3], np.zeros((1, 3)), [0.004])
    np.testing.assert_allclose((made.lower[0], made.upper[0]), (-0.014, 0.006))
    assert made.names == ("pin",)


def test_a_motor_without_limits_gives_no_bounds() -> None:
    made = joint_rows([Joint("m", -np.inf, np.inf, preload=2.0)], [0.0], np.zeros((1, 3)))
    assert (made.lower[0], made.upper[0]) == (-np.inf, np.inf)


def test_a_motor_gives_its_torque_either_way() -> None:
    made = joint_rows([Joint.motor(torque=10.0, friction=0.5)], [1.0], np.zeros((1, 3)))
    assert (made.lower[0], made.upper[0]) == (-10.5, 10.5)
    assert made.names == ()


@pytest.mark.parametrize(
    "arguments, match",
    [
        ({"torque_min": 1.0}, "elbow.torque_min: is 1 with torque_max 0"),
        ({"torque_max": np.nan}, "torque_max.*is nan"),
        ({"friction": -0.1}, "elbow.friction: is -0.1"),
        ({"stiffness": -1.0}, "elbow.stiffness: is -1"),
        ({"preload": np.inf}, "elbow.preload: is inf"),
        ({"rest": "far"}, "elbow.rest: is not a number"),
    ],
)
def test_impossible_joints_are_refused(arguments: dict, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Joint("elbow", **arguments)


def test_a_builder_with_mismatched_arrays_says_which() -> None:
    joint = Joint.passive()
    with pytest.raises(InputError, match="joints: is not a list"):
        joint_rows([], [], np.zeros((0, 3)))
    with pytest.raises(InputError, match="coordinates: has shape"):
        joint_rows([joint], [0, 0], np.zeros((1, 3)))
    with pytest.raises(InputError, match="jacobian: has shape"):
        joint_rows([joint], [0], np.zeros((2, 3)))
    with pytest.raises(InputError, match="gravity_torque: has shape"):
        joint_rows([joint], [0], np.zeros((1, 3)), [0, 0])


# Planar fingers against hand formulas and finite differences.

STEP = 1e-6
angles = st.lists(st.floats(-2, 2), min_size=3, max_size=3)


def finger(q: list[float]) -> PlanarFinger:
    base = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))
    return PlanarFinger(
        base,
        lengths=[0.05, 0.04, 0.03],
        angles=q,
        masses=[0.1, 0.07, 0.02],
        coms=[[0.02, 0.004], [0.03, -0.001], [0.01, 0.0]],
    )


def two_links(q1: float, q2: float) -> PlanarFinger:
    return PlanarFinger(Pose.identity(), lengths=[0.3, 0.2], angles=[q1, q2], masses=[2.0, 1.0])


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_a_two_link_finger_follows_the_textbook(q1: float, q2: float) -> None:
    made = two_links(q1, q2)
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    tip = (0.3 * c1 + 0.2 * c12, 0.0, -0.3 * s1 - 0.2 * s12)  # positive angles turn x towards -z
    np.testing.assert_allclose(made.joint_positions[2], tip, atol=1e-12)
    jacobian = [[-0.3 * s1 - 0.2 * s12, -0.2 * s12], [0, 0], [-0.3 * c1 - 0.2 * c12, -0.2 * c12]]
    np.testing.assert_allclose(made.point_jacobian(1, tip), jacobian, atol=1e-12)
    g = 9.81
    holding = [-g * (2 * 0.15 * c1 + 0.3 * c1 + 0.1 * c12), -g * 0.1 * c12]  # the torques that keep it up turn it up
    np.testing.assert_allclose(made.gravity_torque((0, 0, -g)), holding, atol=1e-12)


@given(angles, st.integers(0, 2), st.floats(-0.02, 0.06), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))
def test_point_jacobians_agree_with_finite_differences(
    q: list[float], phalanx: int, along: float, across: float, off: float
) -> None:
    local = (along, across, off)
    point = finger(q).phalanx_poses[phalanx].apply(local)
    jacobian = finger(q).point_jacobian(phalanx, point)
    for j in range(3):
        ahead, behind = (
            finger([*q[:j], q[j] + step, *q[j + 1 :]]).phalanx_poses[phalanx].apply(local) for step in (STEP, -STEP)
        )
        np.testing.assert_allclose(jacobian[:, j], (ahead - behind) / (2 * STEP), atol=1e-9)


@given(angles, st.tuples(*[st.floats(-10, 10)] * 3))
def test_gravity_torques_are_the_gradient_of_the_potential_energy(q: list[float], gravity: tuple) -> None:
    def energy(angles: list[float]) -> float:
        made = finger(angles)
        return -float(np.sum(made.masses[:, None] * made.com_positions * gravity))

    for j, torque in enumerate(finger(q).gravity_torque(gravity)):
        ahead, behind = (energy([*q[:j], q[j] + step, *q[j + 1 :]]) for step in (STEP, -STEP))
        assert torque == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-8)


@given(angles, st.tuples(*[st.floats(-5, 5)] * 3))
def test_joint_torques_balance_a_force_by_virtual_work(q: list[float], force: tuple) -> None:
    """J^T f (5) is the torque that presses the object with f: its power equals that of f moving with the finger."""
    made = finger(q)
    point = made.contact_pose(2, offset=0.01).translation
    rows = made.rows_jacobian([2], [point])
    rates = np.array([0.3, -0.5, 0.2])
    velocity = made.point_jacobian(2, point) @ rates
    assert rates @ (rows @ np.array(force)) == pytest.approx(velocity @ np.array(force), abs=1e-12)


def test_a_contact_does_not_load_the_joints_beyond_its_phalanx() -> None:
    made = finger([0.1, 0.2, 0.3])
    assert (made.point_jacobian(0, (0, 0, 0))[:, 1:] == 0).all()
    rows = made.rows_jacobian([0, 2], [[0.1, 0, 0], [0, 0.2, 0]])
    assert rows.shape == (3, 6)
    assert (rows[1:, :3] == 0).all()
    assert made.rows_jacobian([], np.zeros((0, 3))).shape == (3, 0)


def test_the_contact_frame_pulls_to_the_base_and_presses_into_the_object() -> None:
    made = finger([0.4, 0.3, 0.2])
    for index, phalanx in enumerate(made.phalanx_poses):
        pose = made.contact_pose(index, offset=0.015)
        u, v, n = pose.rotation.T
        along, axis, back = phalanx.rotation.T
        np.testing.assert_allclose(u, -along, atol=1e-12)
        np.testing.assert_allclose(v, axis, atol=1e-12)
        np.testing.assert_allclose(n, -back, atol=1e-12)
        middle = (made.joint_positions[index] + made.joint_positions[index + 1]) / 2
        np.testing.assert_allclose(pose.translation, middle + 0.015 * n, atol=1e-12)
    shifted = made.contact_pose(1, offset=0.015, along=0.0)
    np.testing.assert_allclose(
        shifted.translation, made.joint_positions[1] + 0.015 * shifted.rotation[:, 2], atol=1e-12
    )


def test_phalanges_keep_their_lengths_and_stay_in_the_plane() -> None:
    made = finger([0.4, -0.3, 1.2])
    steps = np.diff(made.joint_positions, axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), made.lengths)
    np.testing.assert_allclose(steps @ made.axis, 0.0, atol=1e-15)


def test_other_angles_give_the_finger_made_with_them() -> None:
    turned = finger([0, 0, 0]).with_angles([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(turned.joint_positions, finger([0.1, 0.2, 0.3]).joint_positions)
    np.testing.assert_array_equal(turned.gravity_matrix, finger([0.1, 0.2, 0.3]).gravity_matrix)


def test_masses_are_none_and_their_centres_halfway_by_default() -> None:
    made = PlanarFinger(Pose.identity(), lengths=[0.1], angles=[0.0])
    np.testing.assert_array_equal(made.coms, [[0.05, 0.0]])
    np.testing.assert_array_equal(made.gravity_torque((0, 0, -9.81)), [0.0])
    assert made.names == ("phalanx 0",)


@pytest.mark.parametrize(
    "change, error, match",
    [
        ({"lengths": []}, InputError, "lengths: is empty"),
        ({"lengths": [0.1, 0.0]}, UnitError, r"lengths\[1\]: is 0 m"),
        ({"lengths": [45.0e3, 45.0e3]}, UnitError, r"lengths\[0\]"),
        ({"angles": [0.1]}, InputError, r"angles: has shape \(1,\)"),
        ({"angles": [0.1, np.nan]}, InputError, r"angles\[1\]: is nan"),
        ({"masses": [0.1, -0.1]}, InputError, r"masses\[1\]: is -0.1 kg"),
        ({"coms": [[0, 0]]}, InputError, "coms: has shape"),
        ({"names": ("a",)}, InputError, "names: has 1 entries for 2"),
        ({"base": np.eye(3)}, InputError, "base: is a ndarray"),
    ],
)
def test_impossible_fingers_are_refused(change: dict, error: type, match: str) -> None:
    good = {"base": Pose.identity(), "lengths": [0.1, 0.1], "angles": [0.0, 0.0]}
    with pytest.raises(error, match=match):
        PlanarFinger(**{**good, **change})


@pytest.mark.parametrize("phalanx", [-1, 2, 1.5, True])
def test_a_phalanx_that_is_not_there_is_refused(phalanx: object) -> None:
    with pytest.raises(InputError, match="phalanx: is"):
        two_links(0, 0).point_jacobian(phalanx, (0, 0, 0))  # type: ignore[arg-type]


# -- springs and servos, which load sharing asks for ---------------------------------------------------


def test_rows_are_rigid_and_without_springs_by_default() -> None:
    made = rows(2, 1)
    assert made.stiffness.tolist() == [0.0, 0.0]
    assert made.servo.tolist() == [np.inf, np.inf]
    assert JointRows(np.zeros((1, 3)), [0], [0], (), None, None).servo.tolist() == [np.inf]  # type: ignore[arg-type]


def test_joints_hand_their_springs_and_servos_to_their_rows() -> None:
    joints = [Joint("a", stiffness=2.0, rest=1.0), Joint("b", -1, 1, servo=30.0)]
    made = joint_rows(joints, [0.5, 0.0], np.zeros((2, 6)))
    assert made.stiffness.tolist() == [2.0, 0.0]
    assert made.servo.tolist() == [np.inf, 30.0]
    wide = made.padded(before=1, after=2)
    assert wide.stiffness.tolist() == [2.0, 0.0]
    assert stacked([made, made]).servo.tolist() == [np.inf, 30.0] * 2
    assert side_by_side([made, rows(1, 1)]).stiffness.tolist() == [2.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "springs, where",
    [
        ({"stiffness": [0.0, -1.0]}, r"stiffness[1] (b)"),
        ({"stiffness": [np.inf, 0.0]}, r"stiffness[0] (a)"),
        ({"servo": [0.0, 1.0]}, r"servo[0] (a)"),
        ({"servo": [np.inf, -np.inf]}, r"servo[1] (b)"),
        ({"servo": [1.0]}, "servo"),
        ({"stiffness": [np.nan, 0.0]}, "stiffness[0]"),
    ],
)
def test_bad_springs_and_servos_of_rows_are_refused(springs: dict[str, list[float]], where: str) -> None:
    with pytest.raises(InputError) as caught:
        JointRows(np.zeros((2, 3)), [0, 0], [0, 0], ("a", "b"), **springs)  # type: ignore[arg-type]
    assert caught.value.where == where


@pytest.mark.parametrize("servo", [0.0, -1.0, np.nan, -np.inf])
def test_a_servo_without_stiffness_is_refused(servo: float) -> None:
    with pytest.raises(InputError, match="servo"):
        Joint("a", servo=servo)
