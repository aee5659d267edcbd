"""Motion of an object that does not hold: least q''^T B q'' (7), (8), within the joint rows (5).

Forces, wrenches and accelerations are in the world, torques and twist rates about the world origin. The object is at
rest when the forces begin to act. `Separation` is the result with its proof; `ContactMotion` is the state of one
contact: it sticks, slips or separates; `sentences` describes the result as text.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, SceneLike
from ..checks import Array, IntArray
from ..compiling import clock
from ..public_names import with_advice
from ..results import proof, same
from ..solvers import SolverStats, Status
from ..statics.diagnosis import amount, joint_values
from ..statics.holding import Equilibrium, equilibrium, memberships, stats_data
from .cones import obeys_coulomb
from .contact_states import AcceleratedObject, gives_way, listed, turns, with_capital
from .dissipation import (
    VALUE_FLOOR,
    Multipliers,
    Separating,
    SeparationCertificate,
    SeparationProblem,
    SeparationSearch,
    build_problem,
    lower_bound,
)
from .mass import centre_of_mass, dynamic_question, positive_definite


class Principle(StrEnum):
    """The law by which an object that does not hold moves; the value is its name.

    LEAST_ACCELERATION: the admissible contact forces with the least q''^T B q'' act, (7), (8). It needs only force
    volumes. A contact may open while it presses: dissipation is largest over the whole volume, its normal included.

    COULOMB: contacts that slide stay closed, and friction opposes the sliding. It needs friction cones.
    """

    LEAST_ACCELERATION = "least acceleration"
    COULOMB = "Coulomb's law"

    @property
    def description(self) -> str:
        """The law as text."""
        if self is Principle.COULOMB:
            return "Coulomb's law: contacts that slide stay closed, and friction opposes the sliding"
        return "least acceleration over all admissible contact forces; a contact may open while it presses"


class SeparationStatus(StrEnum):
    """Outcome; the value is the message."""

    HOLDS = "holds"
    SEPARATES = "separates"
    UNDECIDED = "undecided"
    PENETRATES = "penetrates"


@dataclass(frozen=True, eq=False, kw_only=True)
class Separation(AcceleratedObject):
    """Result of `separation`: forces and acceleration of least q''^T B q'', with the proof that none are better.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench w_ext on the object, torque about the world origin.
        mass_matrix: (6, 6) B about the world origin.
        status: "holds": in balance, nothing accelerates. "separates": `acceleration` is the smallest possible.
            "penetrates": no admissible forces keep all contact points from accelerating into what they touch, so that
            (7) has no solution. "undecided": a limit was reached; `value` and `lower_bound` say how far it got.
        acceleration: (6,) q'': acceleration [m/s^2] of the object's point at the world origin, angular acceleration
            [rad/s^2]; None without forces.
        forces: (k, 3) contact forces [N] on the object, in the world; None when none were found.
        pieces: (k,) the piece of its volume that each force lies in, or None.
        value: q''^T B q'' [N^2/kg]; inf when no forces were found.
        lower_bound: no admissible forces give a smaller value; inf when it penetrates.
        equilibrium: the equilibrium test, which comes first.
        effort: counts and time of the computation.
        method: gap and limits of the search.
        multipliers: with them the forces meet the conditions of optimality in their pieces; None without forces.
        certificate: the closed tree that proves the bound; None when it holds (then see `equilibrium`) or is undecided.
    """

    TABLE: ClassVar[str] = "contacts"

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
    effort: SolverStats
    method: Separating
    multipliers: Multipliers | None = None
    certificate: SeparationCertificate | None = None

    def __repr__(self) -> str:
        found = f"least value {self.value:.6g}, bound {self.lower_bound:.6g}"
        return f"Separation({self.status.value}, {len(self.assembly)} contacts, {found})"

    @property
    def holds(self) -> bool:
        """Whether the object stays in balance. "Undecided" does not count as holding."""
        return self.status is SeparationStatus.HOLDS

    @property
    def principle(self) -> Principle:
        """Least acceleration, (7) and (8)."""
        return Principle.LEAST_ACCELERATION

    @property
    def gap(self) -> float:
        """(value - lower_bound) relative to value: 0 when it holds or penetrates, inf when nothing was found."""
        if self.value == self.lower_bound:
            return 0.0
        return (self.value - self.lower_bound) / self.value if np.isfinite(self.value) else np.inf

    @cached_property
    def residuals(self) -> Residuals | None:
        """Errors of the result in (7), (8), (5) and in the conditions of optimality; None without forces."""
        return residuals_of(self)

    @cached_property
    def problem(self) -> SeparationProblem | None:
        """The matrices of (7), (8), whitened; None when it holds."""
        return None if self.holds else build_problem(self.assembly, self.wrench, self.mass_matrix)

    @proof
    def verify(self) -> bool:
        """Check the answer without the solver: forces, rows and acceleration, and the proof of the bound.

        False when undecided.
        """
        positive_definite("mass_matrix", self.mass_matrix, len(self.assembly.stacked(self.wrench)))
        held, certificate, problem = self.equilibrium, self.certificate, self.problem
        about = held.assembly is self.assembly and same(held.wrench, self.wrench)
        if not about or not (held.status is Status.UNDECIDED or held.verify()):
            return False
        if self.status == SeparationStatus.HOLDS:
            still = self.acceleration is not None and same(self.acceleration, np.zeros(len(self.wrench)))
            nothing = certificate is None and self.multipliers is None and self.value == self.lower_bound == 0.0
            return held.holds and still and nothing and same((self.forces, self.pieces), (held.forces, held.pieces))
        decided = self.status in (SeparationStatus.SEPARATES, SeparationStatus.PENETRATES)
        if not decided or held.holds or certificate is None or problem is None:
            return False
        if not certificate.verify(problem):
            return False
        if self.status == SeparationStatus.PENETRATES:
            found = (self.acceleration, self.forces, self.pieces, self.multipliers)
            return certificate.claim == self.value == self.lower_bound == np.inf and all(x is None for x in found)
        bound, floor = certificate.claim * problem.scale**2, VALUE_FLOOR * problem.scale**2
        close = self.value - self.lower_bound <= self.method.gap * self.value + floor
        moves = self.lower_bound > 0.0 or held.status is Status.DOES_NOT_HOLD
        residuals = self.residuals
        if residuals is None or not (residuals.feasible and self.lower_bound <= bound and close and moves):
            return False
        return residuals.optimality * max(self.value, floor) <= (self.method.gap + OPTIMAL) * self.value + floor

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the verdict, the acceleration with its bound, every contact and every joint row."""
        twist = self.acceleration
        joints = [] if self.forces is None else joint_values(self.assembly, self.forces)
        forces, pieces, moves = (np.asarray(x) for x in (self.forces, self.pieces, self.contact_accelerations))
        return {
            "status": self.status.value,
            "holds": self.holds,
            "principle": self.principle.value,
            "wrench": self.wrench.tolist(),
            "motion": self.motion,
            "acceleration": None if twist is None else twist.tolist(),
            "angular_acceleration": None if twist is None else self.body_accelerations[0, 3:].tolist(),
            "bodies": [
                {"name": name, "acceleration": own[:3].tolist(), "angular_acceleration": own[3:].tolist()}
                for name, own in zip(self.assembly.bodies, self.body_accelerations, strict=False)
            ],
            "value": self.value,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "contacts": [
                state.to_dict()
                | {
                    "position": self.assembly.positions[i].tolist(),
                    "force": forces[i].tolist(),
                    "piece": int(pieces[i]),
                    "acceleration": moves[i].tolist(),
                }
                for i, state in enumerate(self.states)
            ],
            "joints": [asdict(row) for row in joints],
            "effort": stats_data(self.effort),
        }


@with_advice()
def separation(
    assembly: Assembly | SceneLike,
    wrench: Load | None = None,
    mass_matrix: ArrayLike | None = None,
    *,
    method: Separating | None = None,
) -> Separation:
    """Motion of an object under an external wrench: the admissible forces that minimise q''^T B q'' (7), (8).

    Equilibrium comes first: it holds exactly when `equilibrium` finds forces. Otherwise the least acceleration is
    searched over all pieces of all contacts, to the method's gap.

    Args:
        assembly: contacts and joint rows; or a scene, whose weight and mass matrix are the defaults.
        wrench: (6,) external force [N] and torque [N m] about the world origin, acting on the object; for several
            bodies as in `Assembly.stacked`.
        mass_matrix: (6, 6) B about the world origin, symmetric and positive definite; see `mass_matrix`. Of n
            bodies (6 n, 6 n): `Scene.mass_matrix`.
        method: gap and limits of the search.
    """
    began = clock()
    assembly, asked, mass_matrix = dynamic_question(assembly, wrench, mass_matrix, name="wrench")
    if method is not None:
        checks.instance("method", method, Separating, fix="give a Separating or None")
    method = method or Separating()
    load = assembly.stacked(asked, name="wrench")
    mass = positive_definite("mass_matrix", mass_matrix, len(load))
    problem = build_problem(assembly, load, mass)
    held = equilibrium(assembly, load)
    common = {"assembly": assembly, "wrench": load, "mass_matrix": mass, "equilibrium": held, "method": method}
    tested = clock() - began
    if held.status is Status.HOLDS:
        return Separation(
            **common,
            status=SeparationStatus.HOLDS,
            acceleration=np.zeros(len(load)),
            forces=held.forces,
            pieces=held.pieces,
            value=0.0,
            lower_bound=0.0,
            effort=replace(held.effort, seconds=tested, stages={"equilibrium": tested}),
        )
    found = SeparationSearch(problem, method).run()
    local, stages = found.forces, {"equilibrium": tested, "search": found.effort.seconds}
    return Separation(
        **common,
        status=_status(held, found.value, found.bound, found.closed),
        acceleration=None if local is None else problem.to_acceleration @ problem.z_of(local),
        forces=None if local is None else np.einsum("kij,kj->ki", assembly.rotations, local),
        pieces=found.pieces,
        value=found.value * problem.scale**2,
        lower_bound=max(0.0, found.bound) * problem.scale**2,
        effort=replace(found.effort, seconds=clock() - began, stages=stages),
        multipliers=found.multipliers,
        certificate=found.certificate,
    )


def _status(held: Equilibrium, value: float, bound: float, closed: bool) -> SeparationStatus:
    """The status of a search: "separates" only if it is known not to hold."""
    if not closed:
        return SeparationStatus.UNDECIDED
    if value == np.inf:
        return SeparationStatus.PENETRATES
    known = held.status is Status.DOES_NOT_HOLD or bound > 0.0
    return SeparationStatus.SEPARATES if known else SeparationStatus.UNDECIDED


# Verification.

#: The multipliers of forces prove their value within this and the gap of the search.
OPTIMAL = 1e-6

#: Factor on the tolerances of forces, rows and accelerations.
SLACK = 10.0


@dataclass(frozen=True)
class Residuals:
    """Errors of a result in (7), (8) and (5), and in the conditions of optimality.

    All are relative: to the load and the forces, to the acceleration by the load alone, to the value.

    Attributes:
        membership: largest distance of a force outside its piece; inf where the pieces of a unit differ.
        joints: the largest violation of a joint row, relative to the effect of forces of this size.
        motion: residual of B q'' = W f + w_ext (8).
        penetration: the largest acceleration of a contact point into what it touches.
        value: difference of the value from q''^T B q''.
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
        worst = np.max([self.membership, self.joints, self.motion, self.penetration, self.value])
        return bool(worst <= SLACK * max(tolerances.FEASIBILITY, tolerances.MEMBERSHIP))


def residuals_of(answer: Separation) -> Residuals | None:
    """The residuals of a result with forces; None without any."""
    forces, local, twist = answer.forces, answer.local_forces, answer.acceleration
    pieces, normal = answer.pieces, answer.normal_accelerations
    if forces is None or local is None or twist is None or pieces is None or normal is None:
        return None
    assembly, mass = answer.assembly, answer.mass_matrix
    outside = float(memberships(assembly, local, pieces).max())
    # (8) is compared as B q'' = W f + w, about the centre of the contacts, torques divided by the length.
    wrench = assembly.wrench_matrix @ forces.reshape(-1) + answer.wrench
    missing = assembly.centred(mass @ twist - wrench)
    load = assembly.problem(answer.wrench)
    size = load.force_scale(local, 1.0)
    motion = float(np.abs(missing * load.row_scale[: len(missing)]).max()) / size
    joints = 0.0
    if assembly.joints is not None:
        torques = assembly.joints.jacobian @ forces.reshape(-1)
        over = np.maximum(assembly.joints.lower - torques, torques - assembly.joints.upper)
        terms = np.linalg.norm(assembly.joints.jacobian, axis=1) * max(size, float(np.linalg.norm(forces)))
        joints = float((np.maximum(over, 0.0) / np.where(terms > 0.0, terms, 1.0)).max(initial=0.0))
    if answer.problem is None:  # it holds: nothing moves
        return Residuals(outside, joints, motion, 0.0, abs(answer.value), float("nan"))
    problem = answer.problem
    z_size = problem.size_of(local)
    into = float(np.maximum(-problem.normals @ problem.z_of(local), 0.0).max()) / z_size
    energy = float(twist @ mass @ twist)
    off = abs(energy - answer.value) / max(answer.value, VALUE_FLOOR * problem.scale**2 * z_size**2)
    optimality = float("nan")
    if answer.multipliers is not None:
        chosen = [1 << int(p) for p in pieces[problem.contact.layout.unit_starts[:-1]]]
        own = lower_bound(problem, chosen, answer.multipliers) * problem.scale**2
        optimality = abs(answer.value - own) / max(answer.value, VALUE_FLOOR * problem.scale**2)
    return Residuals(outside, joints, motion, into, off, optimality)


# Descriptions as text.

#: Notes on contacts that separate: property of `ContactMotion`, verb for one and several, meaning.
_CAUTIONS = (
    (
        "pulls_while_separating",
        ("pulls", "pull"),
        "adhesion acts until the contact is gone; leave these contacts out to see what follows.",
    ),
    (
        "presses_while_separating",
        ("presses", "press"),
        "least acceleration lifts what slides; read this as slipping.",
    ),
)


def sentences(separation: Separation, com: Array | None = None) -> tuple[str, ...]:
    """The result in sentences: verdict, motion of the object, contacts that separate or slip, and notes.

    `com` (3,) [m] is the point whose acceleration is reported; the centre of mass of the mass matrix by default.
    """
    if separation.status is SeparationStatus.HOLDS:
        return ("It holds: nothing accelerates.",)
    if separation.status is SeparationStatus.PENETRATES:
        return (
            "It does not hold, and least acceleration has no solution: no admissible forces keep the contact points "
            "from moving into what they touch.",
            "Some contact cannot press hard enough: its force volume has too low a cap, or joints reach their limits.",
        )
    if separation.acceleration is None:
        return ("It is undecided what happens: no admissible forces were found within the limits of the search.",)
    undecided = separation.status is SeparationStatus.UNDECIDED
    opening = "It is undecided what happens; the best found" if undecided else "It does not hold"
    text = [f"{opening}: {_moving(separation, com)}.", *gives_way(separation.states)]
    for which, verbs, why in _CAUTIONS:
        chosen = [s for s in separation.states if getattr(s, which)]
        if chosen:
            still = f"{verbs[0]} while it separates" if len(chosen) == 1 else f"{verbs[1]} while they separate"
            text.append(f"{with_capital(listed(chosen))} still {still}: {why}")
    one_body = separation.assembly.body_count == 1
    instead = (
        "; hf.motion (holdfast motion) follows Coulomb's law" if one_body and obeys_coulomb(separation.assembly) else ""
    )
    text.append(f"This follows {separation.principle.description}{instead}.")
    return tuple(text)


def _moving(separation: Separation, com: Array | None) -> str:
    """Which bodies move and how fast."""
    if separation.assembly.bodies:
        return str(separation.motion)
    centre = centre_of_mass(separation.mass_matrix) if com is None else com
    linear = float(np.linalg.norm(separation.acceleration_at(centre)))
    numbers = f"its centre of mass accelerates by {amount(linear)} m/s^2"
    if turns(separation):
        turning = separation.body_accelerations[0, 3:]
        numbers += f" and it turns with {amount(float(np.linalg.norm(turning)))} rad/s^2"
    return f"the object {separation.motion}; {numbers}"


# -- compiling ------------------------------------------------------------------------------------


def use_kernels() -> None:
    """Call the kernels of equilibrium, load limits, and the motion of a body that does not hold."""
    from ..files.reader import load
    from ..statics import Solver, load_limit

    scene = load("@microspine_pull")
    assembly, weight = scene.assembly, scene.gravity_load()
    equilibrium(assembly, weight)
    load_limit(assembly, weight)
    Solver(assembly).load_limit_many(np.array([weight]))
    separation(assembly, weight, np.diag([1.0, 1.0, 1.0, 0.01, 0.01, 0.01]))
