"""Grasps for MoveIt: messages by the definitions, which bring the fingertips back to the contacts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.hands import fingertip
from holdfast.grasps.moveit import joints_of

#: The definitions of the messages, as `ros2 interface show` prints them; fields of ROS 1 in the second table.
MESSAGES = {
    "Grasp": """
        string id
        JointTrajectory pre_grasp_posture
        JointTrajectory grasp_posture
        PoseStamped grasp_pose
        float64 grasp_quality
        GripperTranslation pre_grasp_approach
        GripperTranslation post_grasp_retreat
        GripperTranslation post_place_retreat
        float32 max_contact_force
        string[] allowed_touch_objects""",
    "JointTrajectory": "Header header\nstring[] joint_names\nJointTrajectoryPoint[] points",
    "JointTrajectoryPoint": """
        float64[] positions
        float64[] velocities
        float64[] accelerations
        float64[] effort
        Duration time_from_start""",
    "PoseStamped": "Header header\nPose pose",
    "Pose": "Point position\nQuaternion orientation",
    "Point": "float64 x\nfloat64 y\nfloat64 z",
    "Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w",
    "GripperTranslation": "Vector3Stamped direction\nfloat32 desired_distance\nfloat32 min_distance",
    "Vector3Stamped": "Header header\nVector3 vector",
    "Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "Header": "Time stamp\nstring frame_id",
    "Time": "int32 sec\nuint32 nanosec",
    "Duration": "int32 sec\nuint32 nanosec",
}
ROS_1 = MESSAGES | {
    "Header": "uint32 seq\nTime stamp\nstring frame_id",
    "Time": "uint32 secs\nuint32 nsecs",
    "Duration": "int32 secs\nint32 nsecs",
}


def faults(value: Any, kind: str, definitions: dict[str, str], place: str = "grasp") -> list[str]:
    """Where `value` is not a message of that kind: other fields, another order, other types."""
    if kind.endswith("[]"):
        if type(value) is not list:
            return [f"{place} is no list"]
        return [x for i, v in enumerate(value) for x in faults(v, kind[:-2], definitions, f"{place}[{i}]")]
    if kind in definitions:
        fields = dict(reversed(line.split()) for line in definitions[kind].split("\n") if line.strip())
        if type(value) is not dict or list(value) != list(fields):
            return [f"{place} has {list(value)}, not {list(fields)}"]
        return [x for name, of in fields.items() for x in faults(value[name], of, definitions, f"{place}.{name}")]
    if kind == "string":
        return [] if type(value) is str else [f"{place} is {value!r}"]
    if kind.startswith("float"):
        return [] if type(value) is float and math.isfinite(value) else [f"{place} is {value!r}"]
    good = type(value) is int and (value >= 0 or kind.startswith("int"))
    return [] if good else [f"{place} is {value!r}"]


@pytest.fixture(scope="module", params=["barrett", "generic", "parallel_jaw"])
def ranking(request: pytest.FixtureRequest) -> hf.grasps.Ranking:
    part = hf.grasps.example_part("bracket")
    found = hf.grasps.plan(part.picture(mm_per_px=0.5), hand=request.param, mm_per_px=0.5)
    assert len(found)
    return found


def test_messages_have_the_fields_and_types_of_the_definitions(ranking: hf.grasps.Ranking) -> None:
    for ros, definitions in ((2, MESSAGES), (1, ROS_1)):
        found = ranking.to_moveit(ros=ros, allowed_touch_objects=["table"], max_contact_force=15)
        assert len(found) == len(ranking)
        assert faults(found, "Grasp[]", definitions) == []


def test_the_check_of_messages_finds_what_is_wrong(ranking: hf.grasps.Ranking) -> None:
    (good,) = ranking.to_moveit(best=1)
    assert faults(good, "Grasp", ROS_1)
    for change in ({"grasp_quality": 1}, {"id": None}, {"max_contact_force": math.inf}, {"allowed_touch_objects": ()}):
        assert len(faults(good | change, "Grasp", MESSAGES)) == 1
    assert faults({name: good[name] for name in reversed(good)}, "Grasp", MESSAGES)


def tips(message: dict[str, Any], posture: str, grasp: hf.grasps.Grasp) -> dict[str, np.ndarray]:
    """Fingertips [m] in the frame of the message, by forward kinematics from its pose and joints alone."""
    hand, pose = grasp.scored.hand, message["grasp_pose"]["pose"]
    turn = Rotation.from_quat(list(pose["orientation"].values())).as_matrix()
    base = np.array(list(pose["position"].values()))
    joints = dict(zip(message[posture]["joint_names"], message[posture]["points"][0]["positions"], strict=True))
    spread, found = joints.get("spread", 0.0), {}
    # in the hand's frame: x along the thumb axis, z towards the part, so y to the right of the thumb axis
    ways = {"thumb": (-1.0, 0.0), "finger_2": (math.cos(spread), -math.sin(spread))}
    ways["finger_3"] = (math.cos(spread), math.sin(spread))
    pivots = {"thumb": 0.0, "finger_2": -hand.pivot_offset, "finger_3": hand.pivot_offset}
    if hand.fingers == 2:
        ways, pivots = {"jaw_1": ways["thumb"], "jaw_2": (1.0, 0.0)}, {"jaw_1": 0.0, "jaw_2": 0.0}
    for name, way in ways.items():
        if name in joints:
            out, height = 1e3 * joints[name], hand.kinematics.height
        else:
            out, height = fingertip(joints[f"{name}_proximal"], hand.kinematics)
            coupled = hand.kinematics.coupling * joints[f"{name}_proximal"]
            assert joints[f"{name}_distal"] == pytest.approx(coupled)
        local = np.array([out * way[0], pivots[name] + out * way[1], height]) / 1e3
        found[name] = base + turn @ local
    return found


def test_the_hand_of_a_message_touches_the_contacts(ranking: hf.grasps.Ranking) -> None:
    kinds = set()
    for grasp, message in zip(ranking, ranking.to_moveit(tip_height_mm=4.0), strict=True):
        found = tips(message, "grasp_posture", grasp)
        if grasp.kind == "pinch":  # the second finger stands in the middle of its patch
            wanted = {"finger_2": grasp.contacts_mm[0], "finger_3": grasp.contacts_mm[1:].mean(axis=0)}
        elif "jaw_1" in found:
            wanted = {"jaw_1": grasp.contacts_mm[0], "jaw_2": grasp.contacts_mm[1:].mean(axis=0)}
        else:
            wanted = dict(zip(("thumb", "finger_2", "finger_3"), grasp.contacts_mm, strict=True))
        for name, place in wanted.items():
            loose = 0.1 if grasp.kind == "pinch" or "jaw_1" in found else 1e-6  # mm; patches are nearly square
            assert 1e3 * found[name][:2] == pytest.approx(place, abs=loose)
        assert min(found[name][2] for name in wanted) == pytest.approx(0.004)
        kinds.add(grasp.kind)
    assert kinds == ({"virtual_two_finger"} if ranking.hand.fingers == 2 else {g.kind for g in ranking})


def test_fingers_are_open_before_and_the_hand_comes_from_above(ranking: hf.grasps.Ranking) -> None:
    grasp = ranking[0]
    for opening in (None, 5.0):
        (message,) = ranking.to_moveit(best=1, opening_mm=opening)
        ends, starts = (tips(message, name, grasp) for name in ("grasp_posture", "pre_grasp_posture"))
        for name in ends:
            moved = 1e3 * np.linalg.norm((starts[name] - ends[name])[:2])
            assert moved == pytest.approx(opening, abs=0.1) if opening else moved > 5.0
    assert message["pre_grasp_approach"]["direction"]["vector"] == {"x": 0.0, "y": 0.0, "z": -1.0}
    for name in ("post_grasp_retreat", "post_place_retreat"):
        assert message[name]["direction"]["vector"] == {"x": 0.0, "y": 0.0, "z": 1.0}
        assert message[name]["desired_distance"] == pytest.approx(0.1)


def test_quality_falls_with_the_rank(ranking: hf.grasps.Ranking) -> None:
    found = [message["grasp_quality"] for message in ranking.to_moveit()]
    assert found[0] == 1.0 and found[-1] > 0.0 and (np.diff(found) < 0.0).all()
    assert len({message["id"] for message in ranking.to_moveit()}) == len(ranking)


def test_another_frame_and_wrist_move_the_hand_rigidly(ranking: hf.grasps.Ranking) -> None:
    rng = np.random.default_rng(3)
    part, wrist = (hf.Pose(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)) for _ in range(2))
    plain, moved = ranking.to_moveit(best=1)[0], ranking.to_moveit(best=1, frame="map", part=part, wrist=wrist)[0]

    def pose(message: dict[str, Any]) -> hf.Pose:
        place = message["grasp_pose"]["pose"]
        turn = Rotation.from_quat(list(place["orientation"].values())).as_matrix()
        return hf.Pose(turn, list(place["position"].values()))

    wanted = part @ pose(plain) @ wrist
    assert pose(moved).rotation == pytest.approx(wanted.rotation)
    assert pose(moved).translation == pytest.approx(wanted.translation)
    down = list(moved["pre_grasp_approach"]["direction"]["vector"].values())
    assert down == pytest.approx(-part.rotation[:, 2])
    assert moved["grasp_pose"]["header"]["frame_id"] == "map"


def test_joints_take_the_names_of_the_robot(ranking: hf.grasps.Ranking) -> None:
    own = joints_of(ranking.hand)
    (message,) = ranking.to_moveit(best=1, joint_names={own[0]: "arm/j0", own[1]: None})
    assert message["grasp_posture"]["joint_names"] == ["arm/j0", *own[2:]]
    assert len(message["pre_grasp_posture"]["points"][0]["positions"]) == len(own) - 1
    with pytest.raises(UnknownNameError, match="joint_names"):
        ranking.to_moveit(joint_names={"thumbs": "j"})
    with pytest.raises(InputError, match="has 'j' twice"):
        ranking.to_moveit(joint_names=dict.fromkeys(own[:2], "j"))
    with pytest.raises(InputError, match="ros: is 3"):
        ranking.to_moveit(ros=3)


def test_files_are_read_back_as_the_same_messages(ranking, run, tmp_path) -> None:
    for name, read in (("grasps.yaml", yaml.safe_load), ("grasps.json", json.loads)):
        path = tmp_path / name
        given = ("--part", "bracket", "--hand", ranking.hand.name, "--frame", "tray", "--moveit", str(path))
        assert run("grasps", *given).exit_code == 0
        found = read(path.read_text(encoding="utf-8"))
        assert found == ranking.to_moveit(frame="tray")
    assert run("grasps", "--part", "bracket", "--moveit", str(tmp_path / "grasps.txt")).exit_code == 2
