"""The assemblies of Hauser, Wang and Cutkosky 2018, IV, as ready devices: 2OU, 2FG and 4FH.

Also the hand in its four grips and the climber that carries four of it (V.E).
`grippers.py` states the world frame and the signs of loads that all of them share.
"""

from __future__ import annotations

from .climber import (
    GRIPS,
    ClimbingPosture,
    HandGrip,
    TerrainDimensions,
    Wall,
    climber_robot,
    climbing_posture,
    hand_grip,
    robot_file,
)
from .grippers import (
    CONDITIONS,
    PULL,
    PUSH,
    Cylinder,
    Device,
    DeviceInfo,
    DeviceParameter,
    FourFingerDimensions,
    HeldObject,
    Link,
    OpposedUnitsDimensions,
    TwoFingerDimensions,
    create,
    four_finger_hand,
    get,
    two_finger_gripper,
    two_opposed_units,
)
from .grippers import list_devices as list

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
