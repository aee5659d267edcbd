"""Devices by name."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.papers import devices

UNIT = hf.ForceVolume([[[0, 0, 0], [8, 8, 9], [-8, 8, 9], [-8, -8, 9], [8, -8, 9]]])


def test_the_list_names_the_devices_of_the_paper() -> None:
    assert [info.name for info in devices.list()] == ["2OU", "2FG", "4FH"]
    assert all(info.summary and info.source for info in devices.list())


@pytest.mark.parametrize("info", devices.list(), ids=lambda info: info.name)
def test_listed_conditions_are_those_of_the_function(info: devices.DeviceInfo) -> None:
    signature = inspect.signature(info.function).parameters
    assert {parameter.name: parameter.default for parameter in info.conditions} == {
        name: entry.default for name, entry in signature.items() if name not in ("unit", "dimensions")
    }
    assert len(set(info.parameter_names)) == len(info.parameter_names)
    for parameter in info.conditions:
        for choice in parameter.choices:
            assert devices.create(info.name, unit=UNIT, **{parameter.name: choice}).name.startswith(info.name)


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
    with pytest.raises(UnknownNameError):
        devices.get("hand")


def test_an_unknown_parameter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"2FG: there is no parameter of 2FG 'raduis' \(did you mean 'radius'"):
        devices.create("2FG", raduis=0.1)


def test_a_bad_dimension_is_named() -> None:
    with pytest.raises(InputError, match="radius: is -1 m"):
        devices.create("4FH", radius=-1.0)
