"""Erdmann's vectors of a contact in configuration space (x, y, q = rho theta), with forces (Fx, Fy, torque / rho).

In these coordinates the mass matrix of a rigid body is m times the identity, so that right angles mean something:
a force that keeps the contact is along its normal, whatever its torque is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from .bodies import Body, Contact

#: Components below this share of the vectors they are made of are rounding: signs are not read from them.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class ContactVectors:
    """The vector decomposition of one contact (1), (2), all in (x, y, q); lengths in m, directions without unit.

    The tangent is that of `Contact`, t = (ny, -nx): R slides along it. Erdmann turns t_s, v_f and t_r_perp about where
    t_r_perp . n0 would be negative: `paper_sign` is -1 there and 1 elsewhere.

    Attributes:
        r: (3,) from the contact to the centre of mass, (rx, ry, 0) [m].
        n0: (3,) normal out of the obstacle in real space, (nx, ny, 0).
        t_s: (3,) pure sliding, (ny, -nx, 0).
        n: (3,) unit normal of the contact's surface in configuration space.
        delta: Delta_n, so that delta n = (nx, ny, nq / rho) is the force of a unit normal reaction.
        v_f: (3,) (ny, -nx, vq / rho), the force of a unit tangential reaction.
        t_r: (3,) unit tangent: rotation about the contact point.
        t_r_perp: (3,) unit vector at right angles to n and t_r, with t_r_perp . t_s > 0.
        nq, vq: torques of unit normal and tangential reactions about the centre of mass [m].
        paper_sign: what t_s, v_f and t_r_perp are to be multiplied by to have Erdmann's directions.
    """

    r: Array
    n0: Array
    t_s: Array
    n: Array
    delta: float
    v_f: Array
    t_r: Array
    t_r_perp: Array
    nq: float
    vq: float
    paper_sign: int

    @property
    def normal(self) -> Array:
        """(3,) Delta n."""
        return self.delta * self.n

    def edges(self, mu: float) -> Array:
        """(2, 3) edges Delta n + mu v_f and Delta n - mu v_f of the contact's friction cone (Section 4.3)."""
        return np.array([self.normal + mu * self.v_f, self.normal - mu * self.v_f])


def contact_vectors(body: Body, contact: Contact) -> ContactVectors:
    """The configuration-space vectors of a contact, for a body's radius of gyration (1), (2)."""
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    checks.instance("contact", contact, Contact, fix="give holdfast.planar.Contact(normal, r, mu)")
    rho = body.radius_of_gyration
    nx, ny, nq = contact.normal_row.tolist()
    vq = float(contact.tangent_row[2])
    rx, ry = contact.r.tolist()
    raw = np.array([nx, ny, nq / rho])
    delta = float(np.linalg.norm(raw))
    across = np.array([rho**2 * ny - nq * rx, -(rho**2 * nx + nq * ry), rho * (ry * ny + rx * nx)])
    turn = np.array([-ry, rx, rho])
    # t_r_perp . n0 has the sign of -nq vq; what is rounding counts as zero.
    least = ROUNDING * (abs(nx * ry) + abs(ny * rx)) * (abs(nx * rx) + abs(ny * ry))
    return ContactVectors(
        r=np.array([rx, ry, 0.0]),
        n0=np.array([nx, ny, 0.0]),
        t_s=np.array([ny, -nx, 0.0]),
        n=raw / delta,
        delta=delta,
        v_f=np.array([ny, -nx, vq / rho]),
        t_r=turn / np.linalg.norm(turn),
        t_r_perp=across / np.linalg.norm(across),
        nq=nq,
        vq=vq,
        paper_sign=-1 if nq * vq > least else 1,
    )


def generalised_force(body: Body, force: ArrayLike) -> Array:
    """(..., 3) forces (Fx, Fy, torque / rho) [N] of (Fx, Fy, torque about the centre of mass) [N, N m]."""
    return checks.rows("force", force, 3) / np.array([1.0, 1.0, body.radius_of_gyration])


def generalised_velocity(body: Body, velocity: ArrayLike) -> Array:
    """(..., 3) velocities or accelerations (x, y, rho theta) of (x, y, theta): m/s or m/s^2 throughout."""
    return checks.rows("velocity", velocity, 3) * np.array([1.0, 1.0, body.radius_of_gyration])
