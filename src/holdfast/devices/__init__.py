"""The assemblies of Hauser, Wang and Cutkosky 2018, IV, as ready devices: 2OU, 2FG and 4FH.

`device.py` states the world frame and the signs of loads that all of them share.
"""

from __future__ import annotations

from .device import PULL, PUSH, Cylinder, Device, HeldObject, Link
from .four_finger import FourFingerDimensions, four_finger_hand
from .opposed_units import OpposedUnitsDimensions, two_opposed_units
from .registry import DeviceInfo, DeviceParameter, create, get
from .registry import list_devices as list  # shadows the builtin in this namespace alone, which uses it nowhere
from .two_finger import CONDITIONS, TwoFingerDimensions, two_finger_gripper

__all__ = [
    "CONDITIONS",
    "PULL",
    "PUSH",
    "Cylinder",
    "Device",
    "DeviceInfo",
    "DeviceParameter",
    "FourFingerDimensions",
    "HeldObject",
    "Link",
    "OpposedUnitsDimensions",
    "TwoFingerDimensions",
    "create",
    "four_finger_hand",
    "get",
    "list",
    "two_finger_gripper",
    "two_opposed_units",
]
