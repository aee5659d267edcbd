"""The reaction of one contact by two projections in configuration space (Erdmann 1993, Section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from .bodies import Body, Contact
from .configuration_space import contact_vectors, generalised_force

#: Forces and accelerations below this share of the applied force are none.
NONE = 1e-12


@dataclass(frozen=True, eq=False)
class SingleContactProjection:
    """What one contact does to a body at rest.

    Attributes:
        applies: whether the friction cone lies above the tangent plane; only then do the projections hold, and the
            rest is None where it does not (`motions` answers there too).
        reaction: (3,) F_R = -(F_A . n) n - h t_r_perp, as (Fx, Fy, torque / rho) [N].
        forces: (2,) tangential and normal reaction (ft, fn) [N].
        h: the component along t_r_perp that the reaction takes away [N].
        acceleration: (3,) (ax, ay, alpha) [m/s^2, rad/s^2].
        mode: "S", "F", "R" or "L".
    """

    applies: bool
    reaction: Array | None = None
    forces: Array | None = None
    h: float | None = None
    acceleration: Array | None = None
    mode: str | None = None


def single_contact_projection(body: Body, contact: Contact, force: ArrayLike) -> SingleContactProjection:
    """Reaction and motion of a body at rest on one contact under (Fx, Fy, torque about the centre of mass) [N, N m].

    The applied force is freed of its part along t_r (rotation about the contact), which no reaction opposes; what is
    left is cancelled when it points into the cone, else its normal part is cancelled by a force on the cone's edge.
    """
    vectors = contact_vectors(body, contact)
    applied = generalised_force(body, force)
    # In the plane of the cone a vector is (along n, along t_r_perp); the edge Delta n +- mu v_f is
    # (delta +- mu v_f . n, +- mu v_f . t_r_perp), and v_f . t_r_perp > 0.
    rise, run = float(vectors.v_f @ vectors.n), float(vectors.v_f @ vectors.t_r_perp)
    heights = vectors.delta + contact.mu * rise, vectors.delta - contact.mu * rise
    if min(heights) <= NONE * vectors.delta:
        return SingleContactProjection(False)
    press, across = -float(applied @ vectors.n), -float(applied @ vectors.t_r_perp)
    least = NONE * float(np.linalg.norm(applied))
    if press <= least:
        press, mode, kept = 0.0, "S", 0.0
        if float(applied @ vectors.n) <= least:
            slip = float(applied @ vectors.v_f)
            mode = "F" if abs(slip) <= least * float(np.linalg.norm(vectors.v_f)) else ("R" if slip > 0.0 else "L")
    else:
        high, low = press * contact.mu * run / heights[0], -press * contact.mu * run / heights[1]
        kept = min(max(across, low), high)
        near = NONE * (press + abs(across))
        mode = "F" if low - near <= across <= high + near else ("R" if across < low else "L")
    reaction = press * vectors.n + kept * vectors.t_r_perp
    # reaction = fn Delta n + ft v_f, both in the plane of n and t_r_perp.
    tangential = kept / run
    normal = (press - tangential * rise) / vectors.delta
    acceleration = (applied + reaction) / body.mass / np.array([1.0, 1.0, body.radius_of_gyration])
    return SingleContactProjection(True, reaction, np.array([tangential, normal]), -kept, acceleration, mode)
