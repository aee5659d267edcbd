"""The assemblies of Hauser, Wang and Cutkosky 2018, IV, as ready devices: 2OU, 2FG and 4FH.

Besides, the hand in its four grips and the climber that carries four of it (V.E).
`device.py` states the world frame and the signs of loads that all of them share.
"""

from __future__ import annotations

from .climber import ClimbingPosture, Wall, climber_robot, climbing_posture
from .device import PULL, PUSH, Cylinder, Device, HeldObject, Link
from .four_finger import FourFingerDimensions, four_finger_hand
from .hand_grips import GRIPS, HandGrip, TerrainDimensions, hand_grip
from .opposed_units import OpposedUnitsDimensions, two_opposed_units
from .own_robots import robot_file
from .registry import DeviceInfo, DeviceParameter, create, get
from .registry import list_devices as list
from .two_finger import CONDITIONS, TwoFingerDimensions, two_finger_gripper

__all__ = [
    "CONDITIONS",
    "GRIPS",
    "PULL",
    "PUSH",
    "ClimbingPosture",
    "Cylinder",
    "Device",
    "DeviceInfo",
    "DeviceParameter",
    "FourFingerDimensions",
    "HandGrip",
    "HeldObject",
    "Link",
    "OpposedUnitsDimensions",
    "TerrainDimensions",
    "TwoFingerDimensions",
    "Wall",
    "climber_robot",
    "climbing_posture",
    "create",
    "four_finger_hand",
    "get",
    "hand_grip",
    "list",
    "robot_file",
    "two_finger_gripper",
    "two_opposed_units",
]
