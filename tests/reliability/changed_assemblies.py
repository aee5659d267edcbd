"""An assembly and its load after a finite change of one parameter: the reference for slopes and changed problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdfast.assembly import JointRows
from holdfast.assembly.assembly import Assembly
from holdfast.checks import Array
from holdfast.geometry.frames import rotation_about
from holdfast.reliability.parameters import Kind, LimitParameter


def changed(assembly: Assembly, direction: Array, parameter: LimitParameter, amount: float) -> tuple[Assembly, Array]:
    """(assembly, direction (6,)) after a change of one parameter by `amount` [its unit]."""
    contacts, joints, wrench = list(assembly.contacts), assembly.joints, np.array(direction)
    axis = parameter.axis or 0
    step = np.eye(3)[axis % 3] * amount
    for i in parameter.contacts:
        c = contacts[i]
        if parameter.kind is Kind.STRENGTH:
            contacts[i] = replace(c, volume=c.volume.scaled(1.0 + amount))
        elif parameter.kind is Kind.FRICTION:
            contacts[i] = replace(c, volume=c.volume.stretched(1.0 + amount))
        elif parameter.kind is Kind.POSITION:
            contacts[i] = replace(c, position=c.position + step)
        else:
            contacts[i] = replace(c, rotation=rotation_about(np.eye(3)[axis], amount) @ c.rotation)
    if joints is not None and parameter.row is not None:
        lower, upper = joints.lower.copy(), joints.upper.copy()
        (lower if parameter.kind is Kind.JOINT_LOWER else upper)[parameter.row] += amount
        joints = JointRows(joints.jacobian, lower, upper, joints.names)
    if parameter.kind is Kind.LOAD:
        wrench[axis] += amount
    elif parameter.kind is Kind.POINT:
        wrench[3:] += np.cross(step, wrench[:3])
    return Assembly(contacts, joints, assembly.name), wrench
