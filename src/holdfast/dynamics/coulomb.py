"""Motion of an object that does not hold, by Coulomb's law: one motion on rigid contacts with friction.

`motion` finds an acceleration and contact forces that obey the equation of motion and Coulomb's law at every contact
(see `cones`): friction opposes the slip, and a contact that separates does not press. Rest comes first: where it is
possible, the result is rest. Rigid contacts may also allow other motions: `strong_stability` searches for them.

`separation` is for measured volumes, whose flow law is unknown: it takes the admissible forces of least acceleration
(equation (7)), which lift sliding contacts off their surface.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly, SceneLike, checked_assembly
from ..checks import Array, Side
from ..compiling import clock
from ..force_limits.models.registry import with_polygons
from ..force_limits.volume import ForceVolume
from ..public_names import with_advice
from ..results import proof, same
from ..solvers import SolverStats, Status
from ..statics.diagnosis import amount
from ..statics.holding import Equilibrium, equilibrium
from .certificates import NoMotion
from .cones import (
    STRICT,
    CoulombProblem,
    build_problem,
    contact_velocities,
    convective_acceleration,
    friction_cones,
    least_speed,
)
from .contact_states import (
    AcceleratedObject,
    ContactMode,
    ContactMotion,
    acceleration_scale,
    gives_way,
    listed_names,
    states_of,
    turns,
)
from .kernels import EXHAUSTED, FOUND
from .mass import RigidBody, centre_of_mass, dynamic_question, positive_definite
from .search import MotionSearch, SearchRun


class CoulombStatus(StrEnum):
    """Outcome; the value is the message."""

    RESTS = "rests"
    MOVES = "moves"
    INCONSISTENT = "inconsistent"
    IMPACT = "impact"
    UNDECIDED = "undecided"


#: How many times the number of facets of friction cones is doubled where rest is not decided.
MOST_DOUBLINGS = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class CoulombMotion(AcceleratedObject):
    """One motion of an object that obeys Coulomb's law at every contact.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench on the object, torque about the world origin.
        mass_matrix: (6, 6) about the world origin.
        velocity: (6,) velocity [m/s] of the object's point at the world origin, angular velocity [rad/s].
        status: "rests": in balance, nothing accelerates. "moves": `acceleration` and `forces` obey the law.
            "inconsistent": no motion obeys it; this needs a sliding velocity or a capped contact. "impact": a contact's
            velocity points into its surface; contact forces cannot stop it. "undecided": a limit was reached.
        acceleration: (6,) acceleration [m/s^2] of the object's point at the world origin, angular acceleration
            [rad/s^2]; None where there is none.
        forces: (k, 3) contact forces [N] on the object, in the world; None where there are none.
        joint_accelerations: (r,) of the joint rows [rad/s^2, m/s^2]; None where there are none.
        rest: the equilibrium test, which comes first; None with a velocity.
        impacts: contacts whose velocity points into the surface.
        effort: counts and time of the computation.
        certificate: for "inconsistent", the proof that there is no motion; otherwise None.
    """

    TABLE: ClassVar[str] = "contacts"

    velocity: Array
    status: CoulombStatus
    joint_accelerations: Array | None
    rest: Equilibrium | None
    impacts: tuple[int, ...]
    effort: SolverStats
    certificate: NoMotion | None = None

    def __repr__(self) -> str:
        return f"CoulombMotion({self.status.value}, {len(self.assembly)} contacts)"

    @property
    def holds(self) -> bool:
        """Whether the object rests. "Undecided" does not count as holding."""
        return self.status is CoulombStatus.RESTS

    @cached_property
    def problem(self) -> CoulombProblem | None:
        """The law of every contact, whitened; None with an impact."""
        if self.status is CoulombStatus.IMPACT:
            return None
        return build_problem(self.assembly, self.wrench, self.mass_matrix, self.velocity)

    @cached_property
    def contact_accelerations(self) -> Array | None:
        """(k, 3) acceleration [m/s^2] of the object's point at each contact, in the world."""
        if self.acceleration is None:
            return None
        turned = convective_acceleration(self.assembly, self.velocity)
        return self.acceleration_at(self.assembly.positions) + np.einsum("kij,kj->ki", self.assembly.rotations, turned)

    @cached_property
    def relative_accelerations(self) -> Array | None:
        """(k, 3) acceleration [m/s^2] of the object relative to the surface at each contact, in the contact frames."""
        if self.contact_accelerations is None:
            return None
        surface = np.zeros_like(self.contact_accelerations)
        joints = self.assembly.joints
        if joints is not None and self.joint_accelerations is not None:
            surface = (joints.jacobian.T @ self.joint_accelerations).reshape(-1, 3)
        return np.einsum("kji,kj->ki", self.assembly.rotations, self.contact_accelerations - surface)

    @cached_property
    def states(self) -> tuple[ContactMotion, ...]:
        """The state of each contact (sticks, slips or separates), by its velocity first, then by its acceleration."""
        states, least = states_of(self), least_speed(self.assembly, self.velocity)
        if not states or not self.velocity.any():
            return states
        speeds = contact_velocities(self.assembly, self.velocity)
        leaves, slides = speeds[:, 2] > least, np.hypot(speeds[:, 0], speeds[:, 1]) > least
        modes = np.where(leaves, ContactMode.SEPARATES, np.where(slides, ContactMode.SLIPS, ContactMode.STICKS))
        return tuple(
            state if mode == ContactMode.STICKS or state.separates else replace(state, mode=ContactMode(mode))
            for state, mode in zip(states, modes, strict=True)
        )

    @cached_property
    def residuals(self) -> MotionResiduals | None:
        """Errors of the result in the equation of motion and Coulomb's law; None without forces."""
        return residuals_of(self, self.problem)

    @proof
    def verify(self) -> bool:
        """Check the answer by substitution into the question, without the solver; False where it is undecided."""
        question = checked_question(self.assembly, self.wrench, self.mass_matrix, np.asarray(self.velocity), None)
        return is_proven(self, question)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in sentences: how the object moves, and the states of its contacts."""
        return sentences(self)

    @property
    def description(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the status, the acceleration, and every contact."""
        forces, moves = self.forces, self.contact_accelerations
        return {
            "status": self.status.value,
            "holds": self.holds,
            "wrench": self.wrench.tolist(),
            "velocity": self.velocity.tolist(),
            "motion": self.motion,
            "acceleration": None if self.acceleration is None else self.acceleration.tolist(),
            "joint_accelerations": None if self.joint_accelerations is None else self.joint_accelerations.tolist(),
            "contacts": [
                state.to_dict()
                | {
                    "position": self.assembly.positions[i].tolist(),
                    "force": np.asarray(forces)[i].tolist(),
                    "acceleration": np.asarray(moves)[i].tolist(),
                }
                for i, state in enumerate(self.states)
            ],
            "impacts": list(self.impacts),
            "residuals": None if self.residuals is None else asdict(self.residuals),
            "sentences": list(self.sentences),
            "effort": {"programs": self.effort.programs, "nodes": self.effort.nodes, "seconds": self.effort.seconds},
        }


@with_advice()
def motion(
    assembly: Assembly | SceneLike,
    load: ArrayLike | None = None,
    mass_matrix: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    *,
    method: MotionSearch | None = None,
) -> CoulombMotion:
    """One motion of an object under an external wrench that obeys Coulomb's law at every contact.

    For an object at rest, rest comes first: it is the result wherever admissible forces balance the load. With a
    velocity, friction opposes the slip of contacts that slide, and contacts that separate carry only the pull of their
    adhesion. Each contact is a point of the object on a flat surface; joints are at rest.

    Args:
        assembly: contacts that are cones about their normals, and joint rows; or a scene, whose weight and mass matrix
            are the defaults. A joint does not move while its torque is within its bounds; it moves up only at its
            lower, down only at its upper bound.
        load: (6,) external force [N] and torque [N m] about the world origin, weight included.
        mass_matrix: (6, 6) about the world origin, symmetric and positive definite; see `mass_matrix`.
        velocity: (6,) velocity [m/s] of the object's point at the world origin, angular velocity [rad/s]; rest when
            None.
        method: limits of the search.
    """
    began = clock()
    question = checked_question(*dynamic_question(assembly, load, mass_matrix), velocity, method)
    method = question.method
    if question.impacts:
        return question.answer(CoulombStatus.IMPACT, effort=SolverStats(seconds=clock() - began))
    rest = None
    if question.at_rest:
        rest = rest_of(question.assembly, question.load)
        if rest.status is Status.HOLDS:
            return question.resting(rest, clock() - began)
    problem = question.problem
    run = SearchRun(problem)
    outcome = run.go(method, began)
    effort = run.effort(clock() - began)
    if outcome == FOUND:
        return question.moving(run.found(), rest, effort)
    closed = outcome == EXHAUSTED and not run.open_cells
    closed = closed and (rest is None or rest.status is Status.DOES_NOT_HOLD)
    status = CoulombStatus.INCONSISTENT if closed else CoulombStatus.UNDECIDED
    certificate = NoMotion.from_run(run) if closed else None
    return question.answer(status, rest=rest, effort=effort, certificate=certificate)


# The input and its parts.


@dataclass(frozen=True, eq=False)
class Question:
    """Checked inputs of `motion`, `strong_stability` and `motions`."""

    assembly: Assembly
    load: Array
    mass_matrix: Array
    velocity: Array
    impacts: tuple[int, ...]
    method: MotionSearch

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves."""
        return not self.velocity.any()

    @cached_property
    def problem(self) -> CoulombProblem:
        """The law of every contact, whitened and scaled."""
        return build_problem(self.assembly, self.load, self.mass_matrix, self.velocity)

    def answer(self, status: CoulombStatus, **fields: Any) -> CoulombMotion:
        """A motion with these inputs."""
        given: dict[str, Any] = {"acceleration": None, "forces": None, "joint_accelerations": None, "rest": None}
        made = CoulombMotion(
            assembly=self.assembly, wrench=self.load, mass_matrix=self.mass_matrix, velocity=self.velocity,
            impacts=self.impacts, status=status, **given | fields,
        )  # fmt: skip
        if not self.impacts:
            vars(made)["problem"] = self.problem
        return made

    def resting(self, rest: Equilibrium, seconds: float) -> CoulombMotion:
        """The result "rests" with its forces."""
        rows = self.assembly.joints
        return self.answer(
            CoulombStatus.RESTS,
            acceleration=np.zeros(6),
            forces=rest.forces,
            joint_accelerations=np.zeros(0 if rows is None else len(rows)),
            rest=rest,
            effort=replace(rest.effort, seconds=seconds),
        )

    def moving(self, found: tuple[Array, Array, Array], rest: Equilibrium | None, effort: SolverStats) -> CoulombMotion:
        """The result "moves" with scaled x, theta and forces above the apexes."""
        x, theta, f = found
        problem = self.problem
        return self.answer(
            CoulombStatus.MOVES,
            acceleration=problem.acceleration(x),
            forces=np.einsum("kij,kj->ki", self.assembly.rotations, problem.local_forces(f)),
            joint_accelerations=problem.joint_accelerations(theta),
            rest=rest,
            effort=effort,
        )


def checked_question(
    assembly: Assembly,
    load: ArrayLike,
    mass_matrix: ArrayLike,
    velocity: ArrayLike | None,
    method: MotionSearch | None,
) -> Question:
    """The inputs, checked; the contacts must be cones."""
    assembly = checked_assembly(assembly).with_free_pressure()
    if method is not None:
        checks.instance("method", method, MotionSearch, fix="give a MotionSearch or None")
    wrench = checks.vector("load", load, 6)
    mass = positive_definite("mass_matrix", mass_matrix, 6)
    speed = np.zeros(6) if velocity is None else checks.vector("velocity", velocity, 6)
    if speed[3:].any():
        RigidBody.from_matrix(mass)  # raises an error for other matrices: the velocity terms need a rigid body
    into = contact_velocities(assembly, speed)[:, 2] < -least_speed(assembly, speed)
    impacts = tuple(int(i) for i in np.nonzero(into)[0])
    question = Question(assembly, wrench, mass, speed, impacts, method or MotionSearch())
    friction_cones(assembly)  # raises an error for contacts that are not cones
    return question


def rest_of(assembly: Assembly, load: Array) -> Equilibrium:
    """Whether it can rest on the curved cones: with finer polygons inside and around them until that is decided.

    "Holds" is decided with polygons inside the cones, "does not hold" with polygons around them.
    """
    held = equilibrium(assembly, load)
    sides = _sides(assembly)
    if not sides or (held.status in _SIDE_OF and sides == {_SIDE_OF[held.status]}):
        return held
    outer = held
    for doubling in range(MOST_DOUBLINGS + 1):
        outer = equilibrium(_polygons(assembly, "outer", 2**doubling), load)
        if outer.status is not Status.HOLDS:
            return outer
        inner = equilibrium(_polygons(assembly, "inner", 2**doubling), load)
        if inner.status is Status.HOLDS:
            return inner
    return replace(outer, status=Status.UNDECIDED)


#: The side of polygons on which a verdict about them is one about the curved cones.
_SIDE_OF: dict[Status, Side] = {Status.HOLDS: "inner", Status.DOES_NOT_HOLD: "outer"}


def _sides(assembly: Assembly) -> set[Side]:
    """The sides on which polygons approximate the curved cones of an assembly; none where nothing is curved."""
    recipes = [contact.volume.recipe for contact in assembly.contacts]
    return {recipe.parameters["side"] for recipe in recipes if recipe is not None and recipe.facets}


def is_rest(rest: Equilibrium | None, question: Question) -> bool:
    """Whether it is the answer of `rest_of` to a question, and proven as far as it is decided."""
    if rest is None or not same(rest.wrench, question.load):
        return False
    if rest.status not in _SIDE_OF:
        return rest.status is Status.UNDECIDED  # it claims nothing
    side, assembly = _SIDE_OF[rest.status], question.assembly
    known = rest.assembly is assembly and _sides(assembly) <= {side}
    finer = (_polygons(assembly, side, 2**doubling) for doubling in range(MOST_DOUBLINGS + 1))
    return (known or any(rest.assembly.fingerprint == one.fingerprint for one in finer)) and rest.verify()


#: Volumes and assemblies with other polygons, stored while the originals exist. No value may refer to its own key.
_FINER: WeakKeyDictionary[ForceVolume | Assembly, dict[tuple[Side, int], Any]] = WeakKeyDictionary()


def _polygons(assembly: Assembly, side: Side, times: int) -> Assembly:
    """The assembly with polygons inside or around the curved cones, of `times` as many facets."""

    def finer(volume: ForceVolume) -> ForceVolume:
        made = _FINER.setdefault(volume, {})
        if (side, times) in made:
            return made[side, times]
        new = with_polygons(volume, side, times)
        if new is not volume:
            made[side, times] = new
        return new

    known = _FINER.setdefault(assembly, {})
    if (side, times) not in known:
        known[side, times] = assembly.with_volumes(finer)
    return known[side, times]


# Verification.

#: Largest residual of a motion, and its growth per displacement of contacts onto common planes.
LAWFUL, MOVED = 1e-9, 10.0

#: Contacts that move by less than this fraction of the acceleration scale have no direction of slip.
NO_SLIP = 1e-7

#: Motions beside rest are at least this fast, in units of the problem: a tenth of the slowest that are searched.
LEAST_MOTION = 0.1 * STRICT


def is_proven(answer: CoulombMotion, question: Question) -> bool:
    """Whether every claim of an answer follows from the question."""
    given = (answer.acceleration, answer.forces, answer.joint_accelerations)
    found, rest, certificate = [part for part in given if part is not None], answer.rest, answer.certificate
    if tuple(answer.impacts) != question.impacts:
        return False
    if answer.status == CoulombStatus.IMPACT:
        return bool(question.impacts) and not found and rest is None and certificate is None
    if question.impacts or (rest is not None) is not question.at_rest:
        return False
    if rest is not None and not is_rest(rest, question):
        return False
    if answer.status == CoulombStatus.INCONSISTENT:
        if found or certificate is None or not certificate.verify(question.problem):
            return False
        # A tree of moving cells says nothing about rest, and nothing with a velocity.
        return not certificate.tree.moving if rest is None else rest.status is Status.DOES_NOT_HOLD
    if answer.status not in (CoulombStatus.RESTS, CoulombStatus.MOVES) or certificate is not None:
        return False
    rows = answer.assembly.joints
    shapes = [(6,), (len(answer.assembly), 3), (0 if rows is None else len(rows),)]
    if [part.shape for part in found] != shapes or not all(np.isfinite(part).all() for part in found):
        return False
    if answer.status == CoulombStatus.RESTS:
        still = not found[0].any() and not found[2].any()
        return still and rest is not None and rest.status is Status.HOLDS and same(answer.forces, rest.forces)
    return is_lawful(answer, question.problem)


def is_about(answer: CoulombMotion, question: Question) -> bool:
    """Whether an answer is one to the same question."""
    one = (answer.wrench, answer.mass_matrix, answer.velocity)
    return answer.assembly is question.assembly and same(one, (question.load, question.mass_matrix, question.velocity))


def is_lawful(answer: CoulombMotion, problem: CoulombProblem) -> bool:
    """Whether an answer with forces obeys the equation of motion and Coulomb's law, and is not rest."""
    residuals = residuals_of(answer, problem)
    if residuals is None or not residuals.worst <= LAWFUL + MOVED * problem.moved:
        return False
    if answer.rest is None or answer.rest.status is Status.DOES_NOT_HOLD:
        return True
    x = np.linalg.solve(problem.to_acceleration, np.asarray(answer.acceleration)) / problem.scale
    theta = np.asarray(answer.joint_accelerations) / (problem.scale * problem.lever)
    return max(float(np.linalg.norm(x)), float(np.abs(theta).max(initial=0.0))) >= LEAST_MOTION


@dataclass(frozen=True)
class MotionResiduals:
    """Errors of a motion in the equation of motion and in Coulomb's law.

    All are relative: to the load and the forces, and to the acceleration scale.

    Attributes:
        motion: residual of M a = load - convective + W f.
        cone: largest distance of a force outside its friction cone.
        penetration: the largest acceleration of a contact into its surface.
        opening: the largest force above the apex times opening acceleration.
        friction: the largest distance of a sliding contact's friction from that of most dissipation.
        joints: the largest violation of a joint's bound, or distance of a moving joint's torque from its bound.
    """

    motion: float
    cone: float
    penetration: float
    opening: float
    friction: float
    joints: float

    @property
    def worst(self) -> float:
        """The largest of them; nan if one is."""
        return float(np.max([self.motion, self.cone, self.penetration, self.opening, self.friction, self.joints]))


def residuals_of(answer: CoulombMotion, problem: CoulombProblem | None) -> MotionResiduals | None:
    """The residuals of an answer with forces; None without any."""
    forces, local = answer.forces, answer.local_forces
    relative, twist = answer.relative_accelerations, answer.acceleration
    if problem is None or forces is None or local is None or relative is None or twist is None:
        return None
    assembly = answer.assembly
    scale = max(acceleration_scale(answer), np.finfo(float).tiny)
    size = max(float(np.linalg.norm(forces, axis=1).max()), float(np.linalg.norm(answer.wrench[:3])))
    size = max(size, float(np.linalg.norm(answer.wrench[3:])) / assembly.length, np.finfo(float).tiny)
    missing = answer.mass_matrix @ twist + problem.convective - answer.wrench
    missing -= assembly.wrench_matrix @ forces.reshape(-1)
    missing[3:] -= np.cross(assembly.positions.mean(axis=0), missing[:3])
    missing[3:] /= assembly.length
    speeds = contact_velocities(assembly, answer.velocity)
    leaves = np.ones(len(assembly), dtype=bool)
    leaves[problem.touching] = False
    cone = penetration = opening = friction = 0.0
    for i, law in enumerate(problem.cones):
        height = local[i, 2] + law.pull
        if leaves[i]:
            cone = max(cone, float(np.linalg.norm(local[i] - problem.apexes[i])) / size)
            continue
        a = relative[i] / scale
        cone = max(cone, law.excess(local[i]) / size)
        penetration = max(penetration, -a[2])
        opening = max(opening, abs(height / size * a[2]))
        slip = speeds[i, :2] if problem.slips[i] else a[:2]
        length = float(np.linalg.norm(slip))
        if problem.slips[i] or length > NO_SLIP:
            slip = slip / length
            if problem.slips[i]:
                most = height * law.friction(-slip[None])[0]
                friction = max(friction, float(np.linalg.norm(local[i, :2] - most)) / size)
            else:
                most = float(-slip @ law.friction(-slip[None])[0]) * height
                friction = max(friction, abs(float(slip @ local[i, :2]) + abs(most)) / size * length)
    return MotionResiduals(
        float(np.abs(missing).max()) / size, max(cone, 0.0), max(penetration, 0.0), opening, friction,
        _joint_residual(answer, size, scale),
    )  # fmt: skip


def _joint_residual(answer: CoulombMotion, size: float, scale: float) -> float:
    """The largest violation of a joint's bounds, or distance of a moving joint's torque from the bound it moves at."""
    rows, rates = answer.assembly.joints, answer.joint_accelerations
    if rows is None or rates is None or answer.forces is None:
        return 0.0
    torques = rows.jacobian @ answer.forces.reshape(-1)
    units = np.maximum(np.linalg.norm(rows.jacobian, axis=1) * size, np.finfo(float).tiny)
    worst = float((np.maximum(rows.lower - torques, torques - rows.upper) / units).max(initial=0.0))
    for torque, low, high, unit, rate in zip(torques, rows.lower, rows.upper, units, rates, strict=True):
        pace = abs(rate) * answer.assembly.length / scale
        if pace > NO_SLIP and low < high:
            worst = max(worst, abs(torque - (low if rate > 0.0 else high)) / unit * min(pace, 1.0))
    return worst


# Descriptions as text.


def sentences(answer: CoulombMotion) -> tuple[str, ...]:
    """The result in sentences."""
    if answer.status == CoulombStatus.RESTS:
        return ("It can rest: nothing accelerates.",)
    if answer.status == CoulombStatus.IMPACT:
        contacts = answer.assembly.contacts
        names = listed_names([f'"{contacts[i].name}"' if contacts[i].name else str(i) for i in answer.impacts])
        return (f"Its velocity points into the surface at {names}: this is an impact, which is not modelled.",)
    if answer.status == CoulombStatus.INCONSISTENT:
        return (
            "No motion obeys Coulomb's law here: the rigid contact model has no solution.",
            "A contact cannot press as hard as it would have to (a cap), or a sliding contact jams.",
        )
    if answer.acceleration is None:
        return ("It is undecided what happens: no motion was found within the limits of the search.",)
    centre = centre_of_mass(answer.mass_matrix)
    numbers = f"its centre of mass accelerates by {amount(float(np.linalg.norm(answer.acceleration_at(centre))))} m/s^2"
    if turns(answer):
        numbers += f" and it turns with {amount(float(np.linalg.norm(answer.acceleration[3:])))} rad/s^2"
    return (f"By Coulomb's law the object {answer.motion}; {numbers}.", *gives_way(answer.states))
