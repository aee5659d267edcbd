"""If it does not hold: the forces and the acceleration of least q''^T B q'' (7), (8), within the joint rows (5).

Forces, wrenches and accelerations are in the world, torques and twist rates about the world origin. The object is at
rest when the forces set in.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError
from ..solvers import SolverStats, Status
from ..statics.equilibrium import Equilibrium, equilibrium
from .certificate import Multipliers, SeparationCertificate
from .mass import positive_definite
from .problem import SeparationProblem, build_problem
from .program import compile_kernels
from .search import Search, Separating

if TYPE_CHECKING:
    from .states import ContactState
    from .verification import Residuals


class SeparationStatus(StrEnum):
    """What came out; the value is the message."""

    HOLDS = "holds"
    SEPARATES = "separates"
    UNDECIDED = "undecided"
    PENETRATES = "penetrates"


@dataclass(frozen=True, eq=False)
class Separation:
    """Answer to "what happens?": forces and acceleration of least q''^T B q'', with the proof that none are better.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench w_ext on the object, torque about the world origin.
        mass_matrix: (6, 6) B about the world origin.
        status: "holds": in balance, nothing accelerates. "separates": `acceleration` is the least there is.
            "penetrates": no admissible forces keep all contact points from accelerating into what they touch, so that
            (7) has no solution. "undecided": a limit was reached; `value` and `lower_bound` say how far it got.
        acceleration: (6,) q'': acceleration [m/s^2] of the object's point at the world origin, angular acceleration
            [rad/s^2]; None without forces.
        forces: (k, 3) contact forces [N] on the object, in the world; None when none were found.
        pieces: (k,) the piece of its volume that each force lies in, or None.
        value: q''^T B q'' [N^2/kg]; inf when no forces were found.
        lower_bound: no admissible forces give a smaller value; inf when it penetrates.
        equilibrium: the answer to "does it hold?" that came first.
        problem: the matrices, or None when it holds.
        multipliers: with them the forces meet the conditions of optimality in their pieces; None without forces.
        certificate: the closed tree that proves the bound; None when it holds (then see `equilibrium`) or is undecided.
        effort: what the answer cost.
        method: what it was asked of.
    """

    assembly: Assembly
    wrench: Array
    mass_matrix: Array
    status: SeparationStatus
    acceleration: Array | None
    forces: Array | None
    pieces: IntArray | None
    value: float
    lower_bound: float
    equilibrium: Equilibrium
    problem: SeparationProblem | None
    multipliers: Multipliers | None
    certificate: SeparationCertificate | None
    effort: SolverStats
    method: Separating

    def __repr__(self) -> str:
        return f"Separation({self.status.value}, q''Bq'' = {self.value:.6g}, {len(self.assembly)} contacts)"

    @property
    def holds(self) -> bool:
        """Whether the object stays in balance. "Undecided" does not count as holding."""
        return self.status is SeparationStatus.HOLDS

    @property
    def gap(self) -> float:
        """(value - lower_bound) relative to value: 0 when it holds or penetrates, inf when nothing was found."""
        if self.value == self.lower_bound:
            return 0.0
        return (self.value - self.lower_bound) / self.value if np.isfinite(self.value) else np.inf

    @cached_property
    def local_forces(self) -> Array | None:
        """(k, 3) the forces in the contact frames."""
        return None if self.forces is None else np.einsum("kji,kj->ki", self.assembly.rotations, self.forces)

    @cached_property
    def contact_accelerations(self) -> Array | None:
        """(k, 3) acceleration [m/s^2] of the object at each contact point, a + alpha x x_i, in the world."""
        if self.acceleration is None:
            return None
        return self.acceleration[:3] + np.cross(self.acceleration[3:], self.assembly.positions)

    @cached_property
    def normal_accelerations(self) -> Array | None:
        """(k,) N W^T q'' of (7) [m/s^2]: how fast each contact opens; never negative beyond rounding."""
        if self.contact_accelerations is None:
            return None
        return np.einsum("ki,ki->k", self.assembly.rotations[:, :, 2], self.contact_accelerations)

    @cached_property
    def states(self) -> tuple[ContactState, ...]:
        """What each contact does: it sticks, slips or separates."""
        from .states import states_of

        return states_of(self)

    @cached_property
    def residuals(self) -> Residuals | None:
        """How well the answer meets (7), (8), (5) and the conditions of optimality; None without forces."""
        from .verification import residuals_of

        return residuals_of(self)

    def verify(self) -> bool:
        """Check the answer without the solver: forces, rows and acceleration, and the proof of the bound.

        False when undecided.
        """
        from .verification import is_proven

        return is_proven(self)


def separation(
    assembly: Assembly, wrench: ArrayLike, mass_matrix: ArrayLike, *, method: Separating | None = None
) -> Separation:
    """What an object does under an external wrench: the admissible forces that minimise q''^T B q'' (7), (8).

    Equilibrium comes first: it holds exactly when `equilibrium` finds forces. Otherwise the least acceleration is
    searched over all pieces of all contacts, to the method's gap.

    Args:
        assembly: contacts and joint rows.
        wrench: (6,) external force [N] and torque [N m] about the world origin, acting on the object.
        mass_matrix: (6, 6) B about the world origin, symmetric and positive definite; `mass_matrix` makes one.
        method: gap and limits of the search.
    """
    began = time.perf_counter()
    if not isinstance(assembly, Assembly):
        raise InputError(f"is a {type(assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
    if method is not None and not isinstance(method, Separating):
        raise InputError(f"is a {type(method).__name__}", where="method", fix="give a Separating or None")
    method = method or Separating()
    load = checks.vector("wrench", wrench, 6)
    mass = positive_definite("mass_matrix", mass_matrix, 6)
    problem = build_problem(assembly, load, mass)
    held = equilibrium(assembly, load)
    if held.status is not Status.HOLDS:
        compile_kernels()
    common = {"assembly": assembly, "wrench": load, "mass_matrix": mass, "equilibrium": held, "method": method}
    tested = time.perf_counter() - began
    if held.status is Status.HOLDS:
        return Separation(
            **common,
            status=SeparationStatus.HOLDS,
            acceleration=np.zeros(6),
            forces=held.forces,
            pieces=held.pieces,
            value=0.0,
            lower_bound=0.0,
            problem=None,
            multipliers=None,
            certificate=None,
            effort=replace(held.effort, seconds=tested, stages={"equilibrium": tested}),
        )
    found = Search(problem, method).run()
    forces = None if found.forces is None else np.einsum("kij,kj->ki", assembly.rotations, found.forces)
    bound = max(0.0, found.bound) * problem.scale**2
    return Separation(
        **common,
        status=_status(held, found.value, found.bound, found.closed),
        acceleration=None if found.forces is None else problem.to_acceleration @ problem.z_of(found.forces),
        forces=forces,
        pieces=found.pieces,
        value=found.value * problem.scale**2,
        lower_bound=bound,
        problem=problem,
        multipliers=found.multipliers,
        certificate=found.certificate,
        effort=replace(
            found.effort,
            seconds=time.perf_counter() - began,
            stages={"equilibrium": tested, "search": found.effort.seconds},
        ),
    )


def _status(held: Equilibrium, value: float, bound: float, closed: bool) -> SeparationStatus:
    """What a search says: "separates" only when it is known not to hold."""
    if not closed:
        return SeparationStatus.UNDECIDED
    if value == np.inf:
        return SeparationStatus.PENETRATES
    known = held.status is Status.DOES_NOT_HOLD or bound > 0.0
    return SeparationStatus.SEPARATES if known else SeparationStatus.UNDECIDED
