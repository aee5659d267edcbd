"""The nine rows of Table I and what each is asked: 72 gravity directions, 135 forces, loads at the border.

The paper turns gravity through [0, 360) degrees in 72 steps, and sends 135 forces through the object's centre of
mass over a sphere (IV.E). Here gravity turns in the plane of the fingers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import holdfast as hf
from holdfast import devices, loads

#: Questions of each row, as many as the paper asks.
TESTS, LIMITS = 72, 135

#: Loads beside the limit, as shares of it: just within and just beyond.
BORDERS = (1.0 - 3e-3, 1.0 + 3e-3, 1.0 - 1e-6, 1.0 + 1e-6)

#: How closely the limit is known that border loads are multiples of.
BORDER_GAP = 1e-9


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
    def assembly(self) -> hf.Assembly:
        """Contacts and joint rows with weightless links: one assembly for every direction of gravity."""
        return self.device.assembly()

    @property
    def contacts(self) -> int:
        """k."""
        return len(self.assembly)

    @property
    def constraint_rows(self) -> int:
        """m: six of balance, and the joint rows."""
        return 6 + (0 if self.assembly.joints is None else len(self.assembly.joints.lower))

    def weights(self, n: int = TESTS) -> np.ndarray:
        """(n, 6) the object's weight under gravity turned evenly through a full circle."""
        gravity = loads.STANDARD_GRAVITY * loads.circle_directions(n)
        return np.array([self.device.weight(g) for g in gravity])

    def weights_all_around(self, n: int) -> np.ndarray:
        """(n, 6) the object's weight under gravity spread over a sphere."""
        gravity = loads.STANDARD_GRAVITY * loads.sphere_directions(n)
        return np.array([self.device.weight(g) for g in gravity])

    def turned(self, n: int = TESTS) -> list[hf.Assembly]:
        """The assemblies whose links weigh on their joints, G(q) in (5), for the gravity of `weights(n)`."""
        return [self.device.assembly(g) for g in loads.STANDARD_GRAVITY * loads.circle_directions(n)]

    def forces(self, n: int = LIMITS) -> np.ndarray:
        """(n, 6) unit forces through the object's centre of mass, spread over a sphere."""
        com = self.device.object.com
        return np.array([loads.gravity_wrench(1.0, f, com) for f in loads.sphere_directions(n)])

    def forces_round(self, n: int = TESTS) -> np.ndarray:
        """(n, 6) unit forces through the object's centre of mass, round a circle in the plane of the fingers."""
        com = self.device.object.com
        return np.array([loads.gravity_wrench(1.0, f, com) for f in loads.circle_directions(n)])


def device_rows() -> Iterator[DeviceRow]:
    """The rows in the order of Table I."""
    yield DeviceRow("2OU", devices.two_opposed_units())
    for left, right in devices.CONDITIONS:
        yield DeviceRow(f"2FG {left}-{right}", devices.two_finger_gripper(left, right))
    for fingers in ("parallel", "opposed"):
        yield DeviceRow(f"4FH {fingers}", devices.four_finger_hand(fingers))


@dataclass(frozen=True, eq=False)
class Borders:
    """Loads at BORDERS of the limit along some directions, and what the right verdicts are.

    Attributes:
        wrenches: (n, 6) loads.
        holds: (n,) the right verdict.
        shares: (n,) the entry of BORDERS.
    """

    wrenches: np.ndarray
    holds: np.ndarray
    shares: np.ndarray


def borders(assembly: hf.Assembly, directions: np.ndarray) -> Borders:
    """Border loads along each direction whose limit is found, positive and finite.

    A load within the limit is a share of the attained value, one beyond it a multiple of the proven bound. Where
    smaller loads hold whenever larger ones do, the verdicts are thereby known for certain; elsewhere (a spring that
    presses without a load) the reference method must prove that the load within holds.
    """
    wrenches, holds, shares = [], [], []
    for direction in directions:
        limit = hf.load_limit(assembly, direction, method=hf.Exact(gap=BORDER_GAP))
        if limit.status != "optimal" or not limit.value > 0.0 or not limit.verify():
            continue
        for share in BORDERS:
            within = share < 1.0
            wrench = share * (limit.value if within else limit.upper_bound) * direction
            if within and not limit.problem.is_star_shaped and not _held_by_reference(assembly, wrench):
                continue
            wrenches.append(wrench)
            holds.append(within)
            shares.append(share)
    return Borders(np.array(wrenches).reshape(-1, 6), np.array(holds, dtype=bool), np.array(shares))


def _held_by_reference(assembly: hf.Assembly, wrench: np.ndarray) -> bool:
    answer = hf.equilibrium(assembly, wrench, method=hf.Reference())
    return answer.holds and answer.verify()
