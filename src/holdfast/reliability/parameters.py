"""Parameters of a load limit: every number of an assembly and its load that a sensitivity refers to.

A parameter defines how fast the rows of the problem change with it (`RowRate`, for derivatives), and the problem after
a finite change (to solve it again). Changes of a contact's strength, friction, position and orientation change only
the map from its local force to the rows, so that no force volume has to be rebuilt.

Jacobians of joint rows are data of the assembly: they do not change when a contact is moved or turned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..geometry.frames import rotation_about, skew
from ..solvers import ContactProblem
from ..statics.diagnosis import row_unit
from .scatter import units_of as unit_names


class Kind(StrEnum):
    """What a parameter describes; the value is its name in tables."""

    STRENGTH = "strength"
    FRICTION = "friction"
    POSITION = "position"
    ORIENTATION = "orientation"
    JOINT_LOWER = "lower bound"
    JOINT_UPPER = "upper bound"
    LOAD = "load"
    POINT = "load point"


@dataclass(frozen=True)
class LimitParameter:
    """One number that a load limit depends on.

    Attributes:
        kind: what it is.
        of: what it belongs to: the name of a contact, a unit or a joint row, or "" for the load.
        axis: which component of a vector; None for plain numbers.
        unit: unit of its changes: "" for a relative change (0.01 is one percent), "m", "rad", "N", "N m".
        contacts: the contacts that change, all by the same amount; () for joints and loads.
        row: the joint row that changes, or None.
        size: reference of relative changes, in `unit`; 1 for relative changes, positions and angles.
    """

    kind: Kind
    of: str = ""
    axis: int | None = None
    unit: str = ""
    contacts: tuple[int, ...] = ()
    row: int | None = None
    size: float = 1.0

    @property
    def label(self) -> str:
        """Its name in tables and pictures: `tip: position x`."""
        name = str(self.kind)
        if self.axis is not None:
            before = {Kind.LOAD: " F" if self.axis < 3 else " T", Kind.ORIENTATION: " about "}.get(self.kind, " ")
            name += f"{before}{'xyz'[self.axis % 3]}"
        return f"{self.of}: {name}" if self.of else name

    @property
    def is_share(self) -> bool:
        """Whether its changes are relative to its value."""
        return self.kind in (Kind.STRENGTH, Kind.FRICTION)


@dataclass(frozen=True, eq=False)
class RowRate:
    """How fast the rows of a problem change with a parameter.

    Attributes:
        maps: {contact: (m, 3)} change of its map from local force to scaled rows.
        lower, upper: (m,) change of the scaled bounds.
        load: (m,) change of the scaled load.
    """

    maps: dict[int, Array]
    lower: Array
    upper: Array
    load: Array

    def negative(self) -> RowRate:
        """The rate for a decrease."""
        return RowRate({i: -m for i, m in self.maps.items()}, -self.lower, -self.upper, -self.load)


def units_of(assembly: Assembly) -> dict[str, tuple[int, ...]]:
    """{name: contacts} of the units of several points, with the names that a scatter uses."""
    found: dict[str, list[int]] = {}
    for index, name in enumerate(unit_names(assembly)):
        found.setdefault(name, []).append(index)
    return {name: tuple(members) for name, members in found.items() if len(members) > 1}


def parameters_of(assembly: Assembly, direction: Array) -> tuple[LimitParameter, ...]:
    """Every parameter: units and contacts, joint bounds that are finite, the load and its point of application."""
    found: list[LimitParameter] = []
    for name, members in units_of(assembly).items():
        found += [LimitParameter(kind, name, contacts=members) for kind in (Kind.STRENGTH, Kind.FRICTION)]
    for index, contact in enumerate(assembly.contacts):
        name = contact.name or f"contact {index}"
        found += [LimitParameter(kind, name, contacts=(index,)) for kind in (Kind.STRENGTH, Kind.FRICTION)]
        for kind, unit in ((Kind.POSITION, "m"), (Kind.ORIENTATION, "rad")):
            found += [LimitParameter(kind, name, axis, unit, (index,)) for axis in range(3)]
    found += _joint_parameters(assembly)
    force, torque = float(np.linalg.norm(direction[:3])), float(np.linalg.norm(direction[3:]))
    sizes = (force or torque / assembly.length, torque or force * assembly.length)
    for axis in range(6):
        found.append(LimitParameter(Kind.LOAD, axis=axis, unit="N" if axis < 3 else "N m", size=sizes[axis // 3]))
    if direction[:3].any():
        found += [LimitParameter(Kind.POINT, axis=axis, unit="m") for axis in range(3)]
    return tuple(found)


def _joint_parameters(assembly: Assembly) -> list[LimitParameter]:
    joints, found = assembly.joints, []
    if joints is None:
        return []
    strengths = np.repeat([contact.volume.size for contact in assembly.contacts], 3)
    for row in range(len(joints) - joints.even):
        name = joints.names[row] if joints.names else f"joint row {row}"
        unit = row_unit(joints.jacobian[row], assembly.positions)
        reach = float(np.abs(joints.jacobian[row]) @ strengths) or 1.0
        for kind, bound in ((Kind.JOINT_LOWER, joints.lower[row]), (Kind.JOINT_UPPER, joints.upper[row])):
            if np.isfinite(bound):
                found.append(LimitParameter(kind, name, unit=unit, row=row, size=abs(float(bound)) or reach))
    return found


def turning_rows(assembly: Assembly, problem: ContactProblem) -> int:
    """Number of rows of `problem` without the last ones, which keep pressures uniform along normals that turn too."""
    return problem.rows - (0 if assembly.joints is None else assembly.joints.even)


def rate_of(assembly: Assembly, problem: ContactProblem, direction: Array, parameter: LimitParameter) -> RowRate:
    """How fast the rows of `problem`, built from `assembly` for the wrench `direction` (6,), change."""
    lower, upper, load = np.zeros((3, problem.rows))
    maps: dict[int, Array] = {}
    axis = parameter.axis or 0
    for i in parameter.contacts:
        own = problem.maps[i]
        if parameter.kind is Kind.STRENGTH:
            maps[i] = own
        elif parameter.kind is Kind.FRICTION:
            maps[i] = own * np.array([1.0, 1.0, 0.0])
        elif parameter.kind is Kind.POSITION:
            maps[i] = np.zeros_like(own)
            maps[i][3:6] = skew(np.eye(3)[axis]) @ assembly.rotations[i] * problem.row_scale[3:6, None]
        else:
            maps[i] = own @ assembly.rotations[i].T @ skew(np.eye(3)[axis]) @ assembly.rotations[i]
            maps[i][turning_rows(assembly, problem) :] = 0.0
    if parameter.row is not None:
        bound = lower if parameter.kind is Kind.JOINT_LOWER else upper
        bound[6 + parameter.row] = problem.row_scale[6 + parameter.row]
    if parameter.kind is Kind.LOAD:
        load[:] = assembly.loads(np.eye(6)[[axis]])[0]
    elif parameter.kind is Kind.POINT:
        load[3:6] = skew(np.eye(3)[axis]) @ direction[:3] * problem.row_scale[3:6]
    return RowRate(maps, lower, upper, load)


def changed_problem(
    assembly: Assembly, problem: ContactProblem, direction: Array, parameter: LimitParameter, amount: float
) -> ContactProblem:
    """The problem after a change by `amount` [the parameter's unit]; orientations turn by a finite angle."""
    rate = rate_of(assembly, problem, direction, parameter)
    maps = problem.maps.copy()
    for i, own in rate.maps.items():
        if parameter.kind is Kind.ORIENTATION:
            turn = rotation_about(np.eye(3)[parameter.axis or 0], amount)
            kept = turning_rows(assembly, problem)
            maps[i][:kept] = (problem.maps[i] @ assembly.rotations[i].T @ turn @ assembly.rotations[i])[:kept]
        else:
            maps[i] += amount * own
    bounds = problem.lower + amount * rate.lower, problem.upper + amount * rate.upper
    layout = replace(problem.layout, blocks=maps, touched=None, lower=bounds[0], upper=bounds[1])
    return ContactProblem(layout, problem.load + amount * rate.load)
