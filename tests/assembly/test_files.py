from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.joints import Joint, PlanarFinger, joint_rows
from holdfast.errors import SceneError
from holdfast.scenes import load_scene

Write = Callable[..., Path]

HEAD = """\
holdfast: 1
volumes: {v: {model: gecko}}
contacts:
  - {name: a, position: [0.1, 0, 0], normal: [0, 0, 1], volume: v}
  - {name: b, position: [0.2, 0.3, 0], normal: [0, 0, 1], volume: v}
patches:
  - {kind: rectangle, name: p, position: [0, 0, 0.5], normal: [0, 0, 1], size: [0.02, 0.02], volume: v}
"""
FINGER = """\
fingers:
  - name: thumb
    position: [0.0, 0.1, 0.2]
    along: [1, 0, 0]
    away: [0, 0, 1]
    lengths: [0.05, 0.04]
    angles: [0.3, 0.4]
    masses: [0.02, 0.03]
    joints: {friction: 0.01, torque: 0.5}
    units:
      - {phalanx: 1, size: [0.02, 0.03], offset: 0.015, volume: v}
      - {phalanx: 0, size: [0.02, 0.03], offset: 0.015, along: 0.01, volume: v, points: [1, 1]}
"""


def rows_of(write: Write, joints: str) -> hf.JointRows:
    rows = load_scene(write(HEAD + joints)).assembly.joints
    assert rows is not None
    return rows


def test_a_hinge_moves_its_contacts_about_its_axis(write: Write) -> None:
    text = "joints: [{kind: hinge, name: h, axis: [0, 2, 0], through: [0, 0, -0.1], contacts: [a, p], torque: 3}]\n"
    rows = rows_of(write, text)
    blocks = rows.jacobian.reshape(6, 3)
    assert np.allclose(blocks[0], np.cross([0, 1, 0], [0.1, 0, 0.1]))
    assert not blocks[1].any()
    assert np.allclose(blocks[2:, 0], 0.6)  # 0.6 m above the axis
    assert (rows.lower[0], rows.upper[0], rows.names) == (-3.0, 3.0, ("h",))


def test_a_slide_with_spring_and_friction(write: Write) -> None:
    text = (
        "joints: [{kind: slide, axis: [3, 0, 0], contacts: [b], torque_max: 2, friction: 0.5, stiffness: 10,"
        " rest: 0.1, coordinate: 0.3, preload: 4}]\n"
    )
    rows = rows_of(write, text)
    assert rows.jacobian.reshape(6, 3)[1].tolist() == [1, 0, 0]
    spring = 4 - 10 * 0.2
    assert np.allclose([rows.lower[0], rows.upper[0]], [spring - 0.5, spring + 2 + 0.5])


def test_a_row_by_its_numbers_with_the_weight_of_its_links(write: Write) -> None:
    jacobian = "[[1, 2, 3]" + ", [0, 0, 0]" * 5 + "]"
    text = f"gravity: [0, 0, -10]\njoints: [{{kind: row, jacobian: {jacobian}, lower: -.inf, upper: 5, gravity: [0, 0, 0.2]}}]\n"
    scene = load_scene(write(HEAD + text))
    rows = scene.assembly.joints
    assert rows is not None
    assert rows.jacobian[0, :3].tolist() == [1, 2, 3]
    assert (rows.lower[0], rows.upper[0]) == (-np.inf, 7.0)  # -2 N m of gravity moved to the other side
    still = scene.with_gravity((0, 0, 0)).assembly.joints
    assert still is not None
    assert still.upper[0] == 5.0


def test_a_finger_is_that_of_the_library(write: Write) -> None:
    scene = load_scene(write(HEAD + FINGER))
    finger = PlanarFinger(hf.Pose(np.eye(3), [0, 0.1, 0.2]), [0.05, 0.04], [0.3, 0.4], [0.02, 0.03])
    contacts = scene.assembly.contacts[6:]
    pose = finger.contact_pose(1, offset=0.015)
    assert np.allclose(np.mean([c.position for c in contacts[:4]], axis=0), pose.translation)
    assert np.allclose(contacts[0].rotation, pose.rotation)
    assert np.allclose(contacts[4].position, finger.contact_pose(0, offset=0.015, along=0.01).translation)
    jacobian = finger.rows_jacobian([1, 1, 1, 1, 0], [c.position for c in contacts])
    joints = [Joint.motor(torque=0.5, friction=0.01)] * 2
    expected = joint_rows(joints, [0.3, 0.4], jacobian, finger.gravity_torque(scene.gravity))
    found = scene.assembly.joints
    assert found is not None
    assert np.allclose(found.jacobian[:, 18:], expected.jacobian)
    assert not found.jacobian[:, :18].any()
    assert np.allclose(found.lower, expected.lower)
    assert np.allclose(found.upper, expected.upper)
    assert found.names == ("thumb 0", "thumb 1")
    assert [name for name, _ in scene.drawing.links] == ["thumb"]
    assert np.allclose(scene.drawing.links[0][1], finger.joint_positions)


def test_joints_of_a_finger_one_by_one(write: Write) -> None:
    rows = rows_of(
        write,
        FINGER.replace("{friction: 0.01, torque: 0.5}", "[{torque: 1}, {torque: 2}]").replace(
            "    masses: [0.02, 0.03]\n", ""
        ),
    )
    assert rows.upper.tolist() == [1.0, 2.0]


def test_joints_come_before_fingers_and_may_move_them(write: Write) -> None:
    rows = rows_of(write, FINGER + "joints: [{kind: slide, axis: [0, 0, 1], contacts: [thumb], torque: 9}]\n")
    assert rows.names == ("row 0", "thumb 0", "thumb 1")
    assert rows.jacobian[0, 18:].reshape(-1, 3)[:, 2].tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        (FINGER.replace("away: [0, 0, 1]", "away: [2, 0, 0]"), "fingers[0].away", "parallel to along"),
        (FINGER.replace("away: [0, 0, 1]", "away: [0, 0, 0]"), "fingers[0].away", "zero vector"),
        (FINGER.replace("angles: [0.3, 0.4]", "angles: [0.3]"), "fingers[0].angles", "shape"),
        (FINGER.replace("phalanx: 1", "phalanx: 2"), "fingers[0].units[0].phalanx", "0 to 1"),
        (FINGER.replace("{friction: 0.01, torque: 0.5}", "[{torque: 1}]"), "fingers[0].joints", "1 entries for 2"),
        (FINGER.replace("{friction: 0.01, torque: 0.5}", "3"), "fingers[0].joints", "wrong type"),
        (FINGER.replace("volume: v}", "volume: w}"), "fingers[0].units[0].volume", "no volume 'w'"),
        ("joints: [{kind: row, jacobian: [[1, 2, 3]], lower: 0, upper: 1}]\n", "joints[0].jacobian", r"\(6, 3\)"),
        (
            "joints: [{kind: row, jacobian: [" + ", ".join(["[1, 0, 0]"] * 6) + "], lower: 2, upper: 1}]\n",
            "joints[0]",
            "exchange the two limits",
        ),
        ("joints: [{kind: hinge, axis: [0, 1, 0], contacts: [a]}]\n", "joints[0].through", "is missing"),
    ],
)
def test_faults_of_joints_name_their_field(write: Write, text: str, field: str, words: str) -> None:
    with pytest.raises(SceneError, match=words) as caught:
        load_scene(write(HEAD + text))
    assert caught.value.field == field


def test_parts_may_share_a_name_and_are_then_meant_together(write: Write) -> None:
    text = HEAD.replace("name: b", "name: a") + "joints: [{kind: slide, axis: [0, 0, 1], contacts: [a], torque: 9}]\n"
    rows = load_scene(write(text)).assembly.joints
    assert rows is not None
    assert rows.jacobian.reshape(6, 3)[:, 2].tolist() == [1, 1, 0, 0, 0, 0]
