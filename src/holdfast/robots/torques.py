"""Joint torques that hold a posture: of least norm, or with most margin to their limits.

The contact forces are chosen too: internal forces load the joints as much as the weight does. Where volumes are unions
of pieces, the forces stay in the pieces of the exact equilibrium (what is returned holds), and a bound over the hulls
of the pieces says how much a better choice could bring at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..solvers import Status
from ..statics.equilibrium import balance_residual
from .torque_programs import TorqueProgram

if TYPE_CHECKING:
    from .flat_body import WholeBody

#: What torques can be chosen for.
AIMS = ("least norm", "most margin")


@dataclass(frozen=True, eq=False)
class HoldingTorques:
    """Torques that hold a posture, with the contact forces that go with them.

    Attributes:
        body: the posture.
        aim: "least norm" or "most margin".
        status: holds, does not hold, or undecided.
        torques: (n,) of actuator and friction, springs taken off [N m, N], or None.
        forces: (k, 3) contact forces on what is held, in the world [N], or None.
        pieces: (k,) the piece of its volume that each force lies in, or None.
        value: norm [N m] (a slide's force times the assembly's length), or least margin as a share: 1 when every
            joint is midway between its limits, 0 when one is at a limit; inf when no joint has two limits; nan
            without torques.
        bound: no choice of forces has a norm below, or a margin above this.
    """

    body: WholeBody
    aim: Literal["least norm", "most margin"]
    status: Status
    torques: Array | None
    forces: Array | None
    pieces: Array | None
    value: float
    bound: float

    def __repr__(self) -> str:
        return f"HoldingTorques({self.aim}, {self.status.value}, {self.value:.6g})"

    @cached_property
    def by_joint(self) -> dict[str, float]:
        """Torque of each joint by name [N m, N]; empty without any."""
        values = [] if self.torques is None else self.torques.tolist()
        return dict(zip(self.body.robot.joint_names, values, strict=False))

    @cached_property
    def shares(self) -> Array:
        """(n,) how much of its range from midway to the limit each joint uses, friction counted; nan without limits."""
        if self.torques is None:
            return np.full(len(self.body.robot.joints), np.nan)
        low, high = _limits(self.body)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.abs(self.torques - 0.5 * (low + high)) / (0.5 * (high - low))

    def verify(self) -> bool:
        """Check without a solver that forces are in their volumes, balance the load and give these torques."""
        if self.torques is None or self.forces is None or self.pieces is None:
            return False
        body, assembly = self.body, self.body.assembly
        local = np.einsum("kji,kj->ki", assembly.rotations, self.forces)
        scale = max(float(np.abs(self.forces).max()), float(np.abs(body.load[:3]).max()), assembly.layout.smallest_size)
        inside = all(
            float(c.volume.polytopes[p].signed_distance(f)) <= 100 * tolerances.MEMBERSHIP * scale
            for c, f, p in zip(assembly.contacts, local, self.pieces, strict=True)
        )
        slack = 100 * tolerances.FEASIBILITY * scale
        balanced = balance_residual(assembly, self.forces, body.load) <= slack
        low, high = _limits(body)
        arm = assembly.length + float(np.abs(body.touching.joint_jacobian).max(initial=0.0))
        fits = (self.torques >= low - slack * arm).all() and (self.torques <= high + slack * arm).all()
        same = np.abs(self.torques - body.joint_torques(self.forces)).max(initial=0.0) <= slack * arm
        return bool(inside and balanced and fits and same)


def holding_torques(body: WholeBody, aim: Literal["least norm", "most margin"] = "least norm") -> HoldingTorques:
    """Joint torques, and contact forces, that hold the load of a posture.

    "least norm": the least sum of squares of actuator and friction torques. "most margin": the least distance of any
    joint to its limits is largest, as a share of half its range; joints without two limits do not count.
    """
    if aim not in AIMS:
        raise UnknownNameError("aim", str(aim), AIMS, where="aim")
    if not body.robot.joints:
        raise InputError("has no joints", where="robot", fix="torques are those of joints")
    answer = body.equilibrium()
    held = answer.local_forces
    if answer.status is not Status.HOLDS or answer.pieces is None or held is None:
        return HoldingTorques(body, aim, answer.status, None, None, None, np.nan, np.nan)
    chosen = [c.volume.polytopes[p] for c, p in zip(body.assembly.contacts, answer.pieces, strict=True)]
    inner = TorqueProgram(body, chosen, held)
    found = inner.least_norm() if aim == "least norm" else inner.most_margin()
    if found is None:
        return HoldingTorques(body, aim, Status.UNDECIDED, None, None, None, np.nan, np.nan)
    weights, value, bound = found
    if any(len(contact.volume) > 1 for contact in body.assembly.contacts):
        outer = TorqueProgram(body, [c.volume.hull() for c in body.assembly.contacts], held)
        wider = outer.least_norm() if aim == "least norm" else outer.most_margin()
        bound = np.nan if wider is None else wider[2]
    local = inner.forces(weights)
    forces = np.einsum("kij,kj->ki", body.assembly.rotations, local)
    torques = body.joint_torques(forces)
    return HoldingTorques(body, aim, Status.HOLDS, torques, forces, np.array(answer.pieces), value, bound)


def _limits(body: WholeBody) -> tuple[Array, Array]:
    """(least (n,), largest (n,)) torques of actuator and friction together [N m, N]."""
    low, high = body.robot.torque_limits
    return low - body.robot.friction, high + body.robot.friction
