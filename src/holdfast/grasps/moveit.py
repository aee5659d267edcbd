"""Grasps as MoveIt messages: `moveit_msgs/Grasp` as plain data for YAML or JSON. ROS is not needed.

Lengths are in metres. The frame of the part is that of the contour, x to the right and y up in the picture, with z
towards the viewer; the part lies in z = 0. The frame of the hand has its origin in the hand's base over the palm
centre, x along the thumb axis h and z towards the part. Among the fingertips that touch, the one that is farthest
down is `tip_height_mm` above z = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose, quaternion_of
from ..public_names import with_advice
from .hands import GraspHand, Linkage, finger_joints

if TYPE_CHECKING:
    from .ranking import Grasp, Ranking

METRES_PER_MM = 1e-3

#: Time after which the point of a posture is reached [s].
POSTURE_TIME = 1

#: Smallest part of an approach or retreat that must be possible, as a fraction of the wanted distance.
LEAST_SHARE = 0.5

#: Names of the two parts of a time in the versions of ROS.
TIME_FIELDS = {1: ("secs", "nsecs"), 2: ("sec", "nanosec")}

_FINGERS = ("thumb", "finger_2", "finger_3")


@with_advice()
def moveit_grasps(
    ranking: Ranking,
    *,
    frame: str = "part",
    part: Pose | None = None,
    wrist: Pose | None = None,
    tip_height_mm: float = 0.0,
    opening_mm: float | None = None,
    approach_mm: float = 100.0,
    joint_names: Mapping[str, str | None] | None = None,
    max_contact_force: float = 0.0,
    allowed_touch_objects: Sequence[str] = (),
    best: int | None = None,
    ros: Literal[1, 2] = 2,
) -> list[dict[str, Any]]:
    """The ranked grasps, best first, with the fields of `moveit_msgs/Grasp` [m, rad, N].

    `grasp_quality` decreases from 1 with the rank, since MoveIt tries grasps of higher quality first.

    Args:
        ranking: the grasps.
        frame: name of the frame in which poses and directions are given (`header.frame_id`).
        part: pose of the part's frame in `frame`; the same by default.
        wrist: pose of the link that carries the hand, in the hand's frame; the same by default. MoveIt uses this
            link for `grasp_pose`.
        tip_height_mm: height of the lowest fingertip above the plane the part lies on [mm].
        opening_mm: how far fingers are open beyond their contacts before they close [mm]; None opens them fully.
        approach_mm: length of the approach from above and of both retreats [mm].
        joint_names: names of the hand's joints (`joint_values`) in your robot, by their names here; None leaves a
            joint out. Joints that are not listed keep their names.
        max_contact_force: largest force of the fingers [N]; 0 for no limit.
        allowed_touch_objects: names of objects that the hand may touch.
        best: number of grasps; all by default.
        ros: 2, or 1 for the time and header fields of ROS 1.
    """
    if ros not in TIME_FIELDS:
        raise InputError(f"is {ros!r}", where="ros", fix="give 1 or 2")
    _check_names(ranking.hand, joint_names or {})
    count = len(ranking) if best is None else min(checks.count("best", best, low=0), len(ranking))
    height = checks.number("tip_height_mm", tip_height_mm, unit="mm")
    distance = METRES_PER_MM * checks.positive("approach_mm", approach_mm, unit="mm")
    for name, given in (("part", part), ("wrist", wrist)):
        if given is not None:
            checks.instance(name, given, Pose, fix="give a Pose")
    place, mounted = part or Pose.identity(), wrist or Pose.identity()
    force = checks.number("max_contact_force", max_contact_force, unit="N")
    up = place.rotation[:, 2]

    def header() -> dict[str, Any]:
        time = dict.fromkeys(TIME_FIELDS[ros], 0)
        return ({"seq": 0} if ros == 1 else {}) | {"stamp": time, "frame_id": frame}

    def posture(grasp: Grasp, extensions: Array) -> dict[str, Any]:
        values = joint_values(grasp, extensions)
        named = {(joint_names or {}).get(name, name): value for name, value in values.items()}
        kept = {name: value for name, value in named.items() if name is not None}
        seconds, rest = TIME_FIELDS[ros]
        point = {"positions": list(kept.values()), "velocities": [], "accelerations": [], "effort": []}
        point["time_from_start"] = {seconds: POSTURE_TIME, rest: 0}
        return {"header": header(), "joint_names": list(kept), "points": [point]}

    def translation(direction: Array) -> dict[str, Any]:
        vector = {"header": header(), "vector": _named("xyz", direction)}
        return {"direction": vector, "desired_distance": distance, "min_distance": LEAST_SHARE * distance}

    def message(grasp: Grasp) -> dict[str, Any]:
        pose = place @ hand_pose(grasp, height) @ mounted
        return {
            "id": f"{grasp.rank}_{grasp.kind}",
            "pre_grasp_posture": posture(grasp, opened(grasp, opening_mm)),
            "grasp_posture": posture(grasp, grasp.extensions_mm),
            "grasp_pose": {
                "header": header(),
                "pose": {
                    "position": _named("xyz", pose.translation),
                    "orientation": _named("xyzw", quaternion_of(pose.rotation)),
                },
            },
            "grasp_quality": 1.0 - ((grasp.rank or 1) - 1) / len(ranking),
            "pre_grasp_approach": translation(-up),
            "post_grasp_retreat": translation(up),
            "post_place_retreat": translation(up),
            "max_contact_force": force,
            "allowed_touch_objects": list(allowed_touch_objects),
        }

    return [message(grasp) for grasp in ranking.grasps[:count]]


def _named(letters: str, values: Array) -> dict[str, float]:
    return dict(zip(letters, (float(value) + 0.0 for value in values), strict=True))  # no -0.0


def hand_pose(grasp: Grasp, tip_height_mm: float = 0.0) -> Pose:
    """Pose of the hand's frame in the part's frame [m]: z down, x along the thumb axis, origin at the base."""
    x, y = grasp.thumb_axis
    heights = finger_joints(grasp.extensions_mm, grasp.scored.hand).height
    base = np.array([*grasp.palm_mm, tip_height_mm + float(heights.max())])
    return Pose(np.array([[x, y, 0.0], [y, -x, 0.0], [0.0, 0.0, -1.0]]), METRES_PER_MM * base)


def opened(grasp: Grasp, opening_mm: float | None = None) -> Array:
    """(3,) extensions [mm] with the fingers open by `opening_mm`, at most to their reach; fully for None."""
    longest = grasp.scored.hand.longest_extension
    if opening_mm is None:
        return np.full(3, longest)
    return np.minimum(grasp.extensions_mm + checks.number("opening_mm", opening_mm, low=0.0, unit="mm"), longest)


def joint_values(grasp: Grasp, extensions: Array) -> dict[str, float]:
    """Joints of the hand at extensions (3,) [mm] of the contacts: angles [rad], or how far a fingertip slides out [m].

    The thumb of a pinch is open. Both ends of the flat pad of a jaw belong to one joint, which stops at the end that
    touches first.
    """
    hand = grasp.scored.hand
    if hand.fingers == 2:
        slides = (extensions[0], extensions[1:].max())
        return {name: METRES_PER_MM * float(value) for name, value in zip(joints_of(hand), slides, strict=True)}
    of_fingers = (hand.longest_extension, *extensions[:2]) if grasp.pinch else extensions
    if isinstance(hand.kinematics, Linkage):
        found = finger_joints(of_fingers, hand)
        values = np.column_stack([found.proximal, found.distal]).ravel()
    else:
        values = METRES_PER_MM * np.asarray(of_fingers)
    return dict(zip(joints_of(hand), (float(grasp.spread_rad), *map(float, values)), strict=True))


@with_advice()
def joints_of(hand: GraspHand) -> tuple[str, ...]:
    """Names of the joints in the postures of a hand."""
    if hand.fingers == 2:
        return ("jaw_1", "jaw_2")
    if not isinstance(hand.kinematics, Linkage):
        return ("spread", *_FINGERS)
    return ("spread", *(f"{finger}_{link}" for finger in _FINGERS for link in ("proximal", "distal")))


def _check_names(hand: GraspHand, names: Mapping[str, str | None]) -> None:
    for name in names:
        if name not in joints_of(hand):
            raise UnknownNameError("joint", name, joints_of(hand), where="joint_names")
    kept = [name for name in (names.get(own, own) for own in joints_of(hand)) if name is not None]
    for name in kept:
        if kept.count(name) > 1:
            raise InputError(f"has {name!r} twice", where="joint_names", fix="give each joint its own name")
