"""The devices by name, for scene files and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from ...errors import UnknownNameError
from .device import Device
from .dimensions import Dimensions
from .four_finger import ARRANGEMENTS, FourFingerDimensions, four_finger_hand
from .opposed_units import OpposedUnitsDimensions, two_opposed_units
from .two_finger import TOUCHING, TwoFingerDimensions, two_finger_gripper


@dataclass(frozen=True)
class DeviceParameter:
    """One parameter of a device.

    Attributes:
        name: keyword for `create`.
        default: value when none is given.
        unit: SI unit, "" for a choice of words.
        meaning: what it is.
        choices: the words that may be given; () for a number.
    """

    name: str
    default: Any
    unit: str
    meaning: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeviceInfo:
    """A ready device.

    Attributes:
        name: the name for `create` and for scene files.
        summary: what it is, in one line.
        conditions: parameters that are words.
        dimensions: class of the parameters that are numbers.
        source: where the device comes from.
        function: what makes it.
    """

    name: str
    summary: str
    conditions: tuple[DeviceParameter, ...]
    dimensions: type[Dimensions]
    source: str
    function: Callable[..., Device]

    @property
    def parameters(self) -> tuple[DeviceParameter, ...]:
        """What `create` takes: conditions, the unit, dimensions."""
        sizes = (
            DeviceParameter(entry.name, entry.default, entry.metadata["unit"], entry.metadata["meaning"])
            for entry in fields(self.dimensions)
        )
        return (*self.conditions, UNIT, *sizes)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(parameter.name for parameter in self.parameters)


#: The one parameter that all devices share and that is neither a word nor a number.
UNIT = DeviceParameter("unit", None, "", "ForceVolume of one unit; the default microspine unit when None")

#: Every ready device, in the order in which they are listed.
DEVICES: tuple[DeviceInfo, ...] = (
    DeviceInfo(
        "2OU",
        "two opposed units on a spring-loaded slide, on a curved object",
        (),
        OpposedUnitsDimensions,
        "Hauser, Wang and Cutkosky 2018, IV.C.b, Fig. 7; dimensions ours",
        two_opposed_units,
    ),
    DeviceInfo(
        "2FG",
        "passive two-finger gripper on a curved plate, three phalanges a finger",
        (
            DeviceParameter("left", "D", "", "phalanges of the left finger that touch", TOUCHING),
            DeviceParameter("right", "D", "", "phalanges of the right finger that touch", TOUCHING),
        ),
        TwoFingerDimensions,
        "Hauser, Wang and Cutkosky 2018, IV.C.c and IV.D, Figs. 6, 8, 9; dimensions ours, joint friction theirs",
        two_finger_gripper,
    ),
    DeviceInfo(
        "4FH",
        "four-finger hand with driven joints on a round rock, twelve units",
        (DeviceParameter("fingers", "parallel", "", "outer fingers against the inner ones", ARRANGEMENTS),),
        FourFingerDimensions,
        "Hauser, Wang and Cutkosky 2018, IV.C.d, Figs. 10, 11; joint torque theirs, hand as published, object ours",
        four_finger_hand,
    ),
)


def list_devices() -> tuple[DeviceInfo, ...]:
    """Every ready device with its parameters and units."""
    return DEVICES


def get(name: str) -> DeviceInfo:
    """The device called `name`; an unknown one is an UnknownNameError that suggests the nearest."""
    for info in DEVICES:
        if info.name == name:
            return info
    raise UnknownNameError("device", str(name), [info.name for info in DEVICES], where="device")


def create(name: str, /, **parameters: Any) -> Device:
    """The device called `name` ("2OU", "2FG", "4FH") with these parameters, each by its own name.

    Conditions (`left`, `right`, `fingers`), dimensions and `unit` stand side by side, as in a scene file:
    create("2FG", left="D", right="PMD", radius=0.12).
    """
    info = get(name)
    for given in parameters:
        if given not in info.parameter_names:
            raise UnknownNameError(f"parameter of {name}", given, info.parameter_names, where=name)
    sizes = {entry.name for entry in fields(info.dimensions)}
    dimensions = info.dimensions(**{key: value for key, value in parameters.items() if key in sizes})
    others = {key: value for key, value in parameters.items() if key not in sizes}
    return info.function(**others, dimensions=dimensions)
