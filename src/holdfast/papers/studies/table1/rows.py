"""The nine rows of Table I and what each is asked: 72 gravity directions, 135 forces.

The paper turns gravity through [0, 360) degrees in 72 steps, and sends 135 forces through the object's centre of
mass over a sphere (IV.E). Here gravity turns in the plane of the fingers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....assembly import loads
from ....assembly.assembly import Assembly
from ....checks import Array
from ....errors import InputError, UnknownNameError
from ... import devices

#: Questions of each row, as many as the paper asks.
TESTS, LIMITS = 72, 135

#: Names of the rows, in the order of the paper.
ROWS = (
    "2OU",
    *(f"2FG {left}-{right}" for left, right in devices.CONDITIONS),
    "4FH parallel",
    "4FH opposed",
)


@dataclass(frozen=True, eq=False)
class DeviceRow:
    """One row of Table I.

    Attributes:
        name: device and condition.
        device: the device.
    """

    name: str
    device: devices.Device

    @cached_property
    def assembly(self) -> Assembly:
        """Contacts and joint rows with weightless links: one assembly for every direction of gravity."""
        return self.device.assembly()

    @property
    def units(self) -> int:
        """Number of units that touch."""
        return len(self.device.patches)

    @property
    def contacts(self) -> int:
        """k."""
        return len(self.assembly)

    @property
    def constraint_rows(self) -> int:
        """m: six of balance, and the joint rows."""
        return 6 + (0 if self.assembly.joints is None else len(self.assembly.joints.lower))

    def weights(self, n: int = TESTS) -> Array:
        """(n, 6) the object's weight under gravity turned evenly through a full circle."""
        gravity = loads.STANDARD_GRAVITY * loads.circle_directions(n)
        return np.array([self.device.weight(g) for g in gravity])

    def weights_all_around(self, n: int) -> Array:
        """(n, 6) the object's weight under gravity spread over a sphere."""
        gravity = loads.STANDARD_GRAVITY * loads.sphere_directions(n)
        return np.array([self.device.weight(g) for g in gravity])

    def turned(self, n: int = TESTS) -> list[Assembly]:
        """The assemblies whose links weigh on their joints, G(q) in (5), for the gravity of `weights(n)`."""
        return [self.device.assembly(g) for g in loads.STANDARD_GRAVITY * loads.circle_directions(n)]

    def forces(self, n: int = LIMITS) -> Array:
        """(n, 6) unit forces through the object's centre of mass, spread over a sphere."""
        com = self.device.object.com
        return np.array([loads.gravity_wrench(1.0, f, com) for f in loads.sphere_directions(n)])

    def forces_round(self, n: int = TESTS) -> Array:
        """(n, 6) unit forces through the object's centre of mass, round a circle in the plane of the fingers."""
        com = self.device.object.com
        return np.array([loads.gravity_wrench(1.0, f, com) for f in loads.circle_directions(n)])


def device_row(name: str) -> DeviceRow:
    """The row of that name."""
    if name not in ROWS:
        raise UnknownNameError("row", name, ROWS, where="rows")
    device, _, condition = name.partition(" ")
    if device == "2OU":
        return DeviceRow(name, devices.two_opposed_units())
    if device == "2FG":
        return DeviceRow(name, devices.two_finger_gripper(*condition.split("-")))
    return DeviceRow(name, devices.four_finger_hand(condition))


def device_rows() -> Iterator[DeviceRow]:
    """All rows in the order of Table I."""
    return map(device_row, ROWS)


def chosen_rows(names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of rows, in the order of Table I; a device alone ("2FG") stands for all of its rows, None for all nine."""
    if names is None:
        return ROWS
    found: set[str] = set()
    for name in names:
        wanted = name.strip().lower()
        matching = [row for row in ROWS if wanted in (row.lower(), row.lower().split(" ")[0])]
        if not matching:
            raise UnknownNameError("row", name, ROWS, where="rows")
        found.update(matching)
    if not found:
        raise InputError("are none", where="rows", fix=f"name some of: {', '.join(ROWS)}")
    return tuple(row for row in ROWS if row in found)
