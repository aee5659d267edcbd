"""An answer checked without the solver: from the assembly, the wrench, the mass matrix and the proof alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import tolerances
from ..solvers import Status
from .certificate import lower_bound
from .search import VALUE_FLOOR

if TYPE_CHECKING:
    from .separation import Separation

#: Forces, rows and accelerations may be off by this many times their tolerance.
SLACK = 10.0


@dataclass(frozen=True)
class Residuals:
    """How far an answer is from meeting (7), (8) and (5) exactly, and from the conditions of optimality.

    All are shares: of the load and the forces, of the acceleration that the load alone would cause, of the value.

    Attributes:
        membership: the furthest that a force lies outside its piece.
        joints: the largest violation of a joint row, a share of what forces of this size can do to it.
        motion: what is missing in B q'' = W f + w_ext (8).
        penetration: the largest acceleration of a contact point into what it touches.
        value: what the value differs from q''^T B q'' by.
        optimality: gap between the value and the bound that its multipliers prove for its own pieces (stationarity
            and complementarity of all rows in one number); nan where there are no multipliers.
    """

    membership: float
    joints: float
    motion: float
    penetration: float
    value: float
    optimality: float

    @property
    def feasible(self) -> bool:
        """Whether forces and acceleration meet (8), (5), their volumes and non-penetration within tolerance."""
        worst = max(self.membership, self.joints, self.motion, self.penetration, self.value)
        return worst <= SLACK * max(tolerances.FEASIBILITY, tolerances.MEMBERSHIP)


def residuals_of(answer: Separation) -> Residuals | None:
    """The residuals of an answer with forces; None without any."""
    forces, local, twist = answer.forces, answer.local_forces, answer.acceleration
    pieces, normal = answer.pieces, answer.normal_accelerations
    if forces is None or local is None or twist is None or pieces is None or normal is None:
        return None
    assembly, mass = answer.assembly, answer.mass_matrix
    polytopes = [c.volume.polytopes[p] for c, p in zip(assembly.contacts, pieces, strict=True)]
    outside = [
        max(0.0, float(p.signed_distance(f))) / (max(float(np.abs(p.vertices).max()), float(np.abs(f).max())) or 1.0)
        for f, p in zip(local, polytopes, strict=True)
    ]
    # (8) is compared as B q'' = W f + w, about the centre of the contacts, torques divided by the length.
    wrench = assembly.wrench_matrix @ forces.reshape(-1) + answer.wrench
    missing = mass @ twist - wrench
    missing[3:] -= np.cross(assembly.positions.mean(axis=0), missing[:3])
    load = assembly.problem(answer.wrench)
    size = load.force_scale(local, 1.0)
    motion = float(np.abs(missing * load.row_scale[:6]).max()) / size
    joints = 0.0
    if assembly.joints is not None:
        torques = assembly.joints.jacobian @ forces.reshape(-1)
        over = np.maximum(assembly.joints.lower - torques, torques - assembly.joints.upper)
        terms = np.linalg.norm(assembly.joints.jacobian, axis=1) * max(size, float(np.linalg.norm(forces)))
        joints = float((np.maximum(over, 0.0) / np.where(terms > 0.0, terms, 1.0)).max(initial=0.0))
    if answer.problem is None:  # it holds: nothing moves
        return Residuals(max(outside), joints, motion, 0.0, abs(answer.value), float("nan"))
    problem = answer.problem
    z_size = problem.size_of(local)
    into = float(np.maximum(-problem.normals @ problem.z_of(local), 0.0).max()) / z_size
    energy = float(twist @ mass @ twist)
    off = abs(energy - answer.value) / max(answer.value, VALUE_FLOOR * problem.scale**2 * z_size**2)
    optimality = float("nan")
    if answer.multipliers is not None:
        own = lower_bound(problem, [1 << int(p) for p in pieces], answer.multipliers) * problem.scale**2
        optimality = abs(answer.value - own) / max(answer.value, VALUE_FLOOR * problem.scale**2)
    return Residuals(max(outside), joints, motion, into, off, optimality)


def is_proven(answer: Separation) -> bool:
    """Whether an answer stands: its forces, its acceleration, its bound and its status; False when undecided."""
    residuals, certificate, problem = answer.residuals, answer.certificate, answer.problem
    if answer.status == "holds":
        still = answer.acceleration is not None and not answer.acceleration.any()
        return still and answer.value == 0.0 and answer.equilibrium.holds and answer.equilibrium.verify()
    if answer.status == "undecided" or certificate is None or problem is None or not certificate.verify(problem):
        return False
    if answer.status == "penetrates":
        return certificate.claim == np.inf and answer.forces is None
    bound = certificate.claim * problem.scale**2
    floor = VALUE_FLOOR * problem.scale**2
    close = answer.value - answer.lower_bound <= answer.method.gap * answer.value + floor
    proven = answer.lower_bound <= bound and close
    moves = answer.lower_bound > 0.0 or answer.equilibrium.status is Status.DOES_NOT_HOLD
    return bool(proven and moves and residuals is not None and residuals.feasible)
