"""Whether an assembly holds a load, and the largest multiple of it: (3) and (6) with the joint rows (5).

Forces and wrenches are in the world; torques about the world origin; contact forces act on the object. Several bodies
have one external wrench each.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly, Load, SceneLike, asked_about
from ..checks import Array, BoolArray
from ..errors import InputError
from ..linear_programs import EvenShares, even_shares
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import Certificate, ContactProblem, Layout, Solution, SolverStats, Status
from ..solvers.certificates import least_factor
from ..solvers.relaxation import closes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .diagnosis import ContactForce

LOG = logging.getLogger(__name__)

#: Most contacts for which a `repr` shows how much of their strength is used.
FEW_CONTACTS = 200

#: Note on the most even forces where forces are not unique.
OTHER_FORCES = "the contact forces are not unique; the most even ones are shown (least squares, relative to the limits)"


class Method(Protocol):
    """The interface of a solving method, such as `Exact`."""

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds."""
        ...

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d."""
        ...


@dataclass(frozen=True, eq=False)
class _Answer(Result):
    """Common part of both results: the question, and the solver's raw answer."""

    assembly: Assembly
    solution: Solution

    @cached_property
    @abstractmethod
    def problem(self) -> ContactProblem:
        """The question in the form that every method solves."""

    @property
    def status(self) -> Status:
        """The verdict; its value is a message."""
        return self.solution.status

    @cached_property
    def forces(self) -> Array | None:
        """(k, 3) contact forces [N] on the object, in the world, or None when none were found."""
        if self.local_forces is None:
            return None
        return np.einsum("kij,kj->ki", self.assembly.rotations, self.local_forces)

    @property
    def local_forces(self) -> Array | None:
        """(k, 3) the same forces in the contact frames."""
        return None if self.solution.forces is None else self.solution.forces[: len(self.assembly)]

    @property
    def pieces(self) -> Array | None:
        """(k,) the piece of its volume that each force lies in."""
        return None if self.solution.pieces is None else self.solution.pieces[: len(self.assembly)]

    @property
    def certificate(self) -> Certificate | None:
        """Proof that something is impossible, or None when there is none."""
        return self.solution.certificate

    @property
    def effort(self) -> SolverStats:
        """Effort of the answer."""
        return self.solution.effort

    @cached_property
    def separating_wrenches(self) -> Array:
        """(leaves, 6 n) multipliers over (force, torque about the world origin) of each body, one row per leaf.

        The leaves are those of the certificate. A row y proves its leaf by y . w + sum of supports < 0. Its negative
        is a motion (velocity [m/s], angular velocity [rad/s]) of every body in which, for that leaf's pieces, the load
        does more work than all contacts and joints can absorb.
        """
        leaves, rows = () if self.certificate is None else self.certificate.leaves, self.problem.layout.balance
        scale = self.problem.row_scale[:rows]
        scaled = np.array([leaf.multipliers[:rows] * scale for leaf in leaves]).reshape(len(leaves), rows)
        return self.assembly.motions_at_origin(scaled)

    @cached_property
    def joint_multipliers(self) -> Array:
        """(leaves, joint rows) multipliers over the joint rows, for the same leaves as `separating_wrenches`."""
        leaves, first = () if self.certificate is None else self.certificate.leaves, self.problem.layout.balance
        rows = [leaf.multipliers[first:] * self.problem.row_scale[first:] for leaf in leaves]
        return np.array(rows).reshape(len(leaves), self.problem.rows - first)

    @cached_property
    def contact_forces(self) -> list[ContactForce]:
        """The force of each contact with its piece, the share of its limit in use and its margin; [] without forces."""
        from .diagnosis import contact_forces

        return contact_forces(self)

    @cached_property
    def interface_wrenches(self) -> dict[str, Array]:
        """The wrench (6,) on the first body of each interface, about the world origin; {} for one object or no forces.

        Forces are those of this answer; where they are not unique, interfaces may share the load differently.
        """
        if self.forces is None:
            return {}
        own = np.concatenate([self.forces, np.cross(self.assembly.positions, self.forces)], axis=1)
        return {side.name: own[list(side.contacts)].sum(axis=0) for side in self.assembly.interfaces}

    def _contacts_and_joints(self) -> dict[str, Any]:
        """Contacts with their forces, use and margin; joint rows with their values and bounds."""
        from .diagnosis import joint_values

        contacts: list[dict[str, Any]] = [
            {"name": contact.name or str(index), "position": contact.position}
            | ({} if contact.body is None else {"body": contact.body, "against": contact.against})
            for index, contact in enumerate(self.assembly.contacts)
        ]
        if self.forces is None:
            return {"contacts": contacts, "joints": [], "interfaces": []}
        for row, force, found in zip(contacts, self.forces, self.contact_forces, strict=True):
            row |= {
                "force": force,
                "local_force": found.local,
                "piece": found.piece,
                "use_percent": 100.0 * found.use,
                "margin_newtons": found.margin,
            }
        return {
            "contacts": contacts,
            "joints": [asdict(row) for row in joint_values(self.assembly, self.forces)],
            "interfaces": [
                {
                    "name": side.name,
                    "body": side.body,
                    "against": side.against,
                    "wrench": self.interface_wrenches[side.name],
                }
                for side in self.assembly.interfaces
            ],
        }

    def _relative_residual(self, wrench: Array, factor: float) -> float:
        """Largest violation of a row, relative to the load and the forces on its body; nan without forces."""
        if self.forces is None or self.solution.forces is None:
            return float("nan")
        missing = row_residuals(self.assembly, self.forces[None], wrench[None])[0]
        return float((missing / self.problem.row_sizes(self.solution.forces, factor)[: len(missing)]).max())

    def _forces_are_right(self, wrench: Array, factor: float = 1.0) -> bool:
        """Balance, joint rows and membership of the forces, from the assembly alone."""
        if self.forces is None or self.solution.forces is None or self.local_forces is None or self.pieces is None:
            return False
        if not len(self.solution.forces) == len(np.asarray(self.solution.pieces)) == self.problem.contacts:
            return False
        balanced = self._relative_residual(wrench, factor) <= 10 * tolerances.FEASIBILITY
        inside = memberships(self.assembly, self.local_forces, self.pieces) <= 10 * tolerances.MEMBERSHIP
        return bool(balanced and inside.all())


@dataclass(frozen=True, eq=False)
class Equilibrium(_Answer):
    """Answer to "does it hold?", with forces or a certificate.

    Attributes:
        wrench: (6 n,) the external load of the question: one wrench per body, about the world origin.
        method: the method used, for further questions about this answer; None for the default.
        forces_unique: whether no other forces in the same pieces balance the wrench; None if unknown: `even` finds
            out.
    """

    TABLE: ClassVar[str] = "contacts"

    wrench: Array
    method: Method | None = None
    forces_unique: bool | None = None

    @cached_property
    def problem(self) -> ContactProblem:
        """The question in the form that every method solves."""
        return self.assembly.problem(self.wrench)

    def __repr__(self) -> str:
        contacts = f"{len(self.assembly)} contacts"
        if self.holds and self.largest_use is not None:
            used = f"at most {100.0 * self.largest_use:.3g} % of a contact's strength used"
            return f"Equilibrium(holds, {contacts}, {used})"
        proof = "" if self.certificate is None else f", leaves of the proof: {len(self.certificate.leaves)}"
        return f"Equilibrium({self.status.value}, {contacts}{proof})"

    @cached_property
    def largest_use(self) -> float | None:
        """The largest share of its strength that any contact uses, with the most even forces; None without forces.

        Also None for more than `FEW_CONTACTS` contacts, where the most even forces take long.
        """
        if self.forces is None or len(self.assembly) > FEW_CONTACTS:
            return None
        even = self if self.forces_unique is not None else self.even()
        return max(contact.use for contact in even.contact_forces)

    @property
    def holds(self) -> bool:
        """Whether forces were found that balance the wrench. "Undecided" does not count as holding."""
        return self.status is Status.HOLDS

    @cached_property
    def residual(self) -> float:
        """Largest violation of a balance or joint row by the forces, relative to the load; nan without forces.

        Of several bodies each is relative to the load and the forces on its own body.
        """
        return self._relative_residual(self.wrench, 1.0)

    def even(self) -> Equilibrium:
        """The same answer with the most even of all forces that balance the wrench, each in its piece of this answer.

        A solver stops at the first forces that balance the wrench, and these may be unsymmetric where everything is
        symmetric. The most even ones minimise sum_i |f_i|^2 / s_i^2 with s_i the largest force of the volume of contact
        i; for a volume without limit, the largest of all s and of the load. They are unique, hence as symmetric as
        assembly, wrench and pieces. An answer without forces, or one for which none were found, comes back as it is.
        """
        if self.pieces is None or self.local_forces is None or self.solution.forces is None:
            return self
        a = self.assembly
        if self._is_sparse:
            from ..solvers.interior_point import even_forces

            even = even_forces(self.problem, self._sizes)
            return self if even is None else self._with_forces(even)
        found = self._even_shares()
        if found is None:
            return self
        made = self._with_forces(np.concatenate([found.points, self.solution.forces[len(a) :]]))
        return self if made is self else replace(made, forces_unique=found.unique)

    def _with_forces(self, forces: Array) -> Equilibrium:
        """The answer with other forces, if they are right; otherwise this one."""
        made = replace(self, solution=replace(self.solution, forces=forces), forces_unique=None)
        return made if made.verify() else self

    @property
    def _is_sparse(self) -> bool:
        """Whether the assembly is one for the sparse method, which does not tell whether forces are unique."""
        layout = self.assembly.layout
        return layout.is_sparse or (bool(self.assembly.bodies) and layout.combinations == 1)

    @property
    def _sizes(self) -> Array:
        """(k,) what the force of each contact is divided by in the most even forces."""
        volumes = [contact.volume for contact in self.assembly.contacts]
        bounded = [max(np.abs(p).max() for p in v.pieces) if v.is_bounded else 0.0 for v in volumes]
        largest = max(*bounded, float(np.abs(self.problem.load).max())) or 1.0
        return np.array([size or largest for size in bounded])

    def _even_shares(self) -> EvenShares | None:
        """The most even forces in the pieces of this answer, and whether they are the only ones."""
        a = self.assembly
        assert self.pieces is not None and self.local_forces is not None
        pieces = [contact.volume.polytopes[piece] for contact, piece in zip(a.contacts, self.pieces, strict=True)]
        layout, load = a.layout, self.problem.load
        return even_shares(
            [piece.vertices for piece in pieces],
            [piece.rays for piece in pieces],
            layout.maps,
            layout.lower - load,
            layout.upper - load,
            np.repeat(self._sizes[:, None], 3, axis=1),
            self.local_forces,
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdict, its proof, contacts and joint rows as plain data; what `holdfast check --json` prints."""
        return {
            "status": self.status.value,
            "holds": self.holds,
            "proof_verified": self.verify(),
            "residual": self.residual,
            "forces_unique": self.forces_unique,
            **self._contacts_and_joints(),
            "separating_motions": self.separating_wrenches,
            "effort": stats_data(self.effort),
        }

    @proof
    def verify(self) -> bool:
        """Check the verdict without the solver: the forces when it holds, the closed tree when it does not."""
        found = (self.solution.factor, self.solution.bound)
        if self.forces_unique is not None and self.status is not Status.HOLDS:
            return False
        if self.status is Status.HOLDS and found == (1.0, np.inf):
            return self.certificate is None and self._forces_are_right(self.wrench) and self._is_unique_as_said()
        if self.status is Status.DOES_NOT_HOLD and found == (-np.inf, -np.inf) and self.forces is None:
            certificate = self.certificate
            return certificate is not None and certificate.claim is None and certificate.verify(self.problem)
        return False

    def _is_unique_as_said(self) -> bool:
        """Whether `forces_unique`, where it is known, is what a search for other forces finds."""
        if self.forces_unique is None:
            return True
        found = None if self._is_sparse else self._even_shares()
        return found is not None and found.unique is self.forces_unique

    def proves(self, status: Status, assembly: Assembly, wrench: Load) -> bool:
        """Whether this is a proven verdict about a wrench on an assembly, which may be another equal one."""
        mine = self.status is status and same(self.wrench, assembly.stacked(wrench))
        return mine and replace(self, assembly=assembly).verify()


@dataclass(frozen=True, eq=False)
class LargestFactor(_Answer):
    """Common part of answers to "how much?": the largest factor found, and a bound on it."""

    def to_dict(self) -> dict[str, Any]:
        """The limit, its bound and its proof as plain data; what `holdfast limit --json` prints."""
        return {
            "status": self.status.value,
            "value": self.value,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "proof_verified": self.verify(),
            "effort": stats_data(self.effort),
        }

    @property
    def description(self) -> str:
        """The value and its bound in words."""
        if self.value == np.inf:
            return "holds any multiple of the load"
        if self.value == -np.inf:
            known = f"none above {self.upper_bound:.6g}" if np.isfinite(self.upper_bound) else "none found"
            return "holds no multiple of the load" if self.upper_bound == -np.inf else f"multiples of the load: {known}"
        return f"holds {self.value:.6g} times the load, bound {self.upper_bound:.6g}"

    @property
    def value(self) -> float:
        """The largest factor that was found to hold; inf if unbounded, -inf if none holds."""
        return np.inf if self.status is Status.UNBOUNDED else self.solution.factor

    @property
    def upper_bound(self) -> float:
        """No factor above this holds; equal to `value` within the method's gap unless undecided."""
        return self.solution.bound

    @property
    def gap(self) -> float:
        """(upper_bound - value) relative to value; 0 when unbounded, inf when nothing was found."""
        if self.status is Status.UNBOUNDED or self.upper_bound == self.value:
            return 0.0
        if self.value == -np.inf:
            return np.inf
        return (self.upper_bound - self.value) / abs(self.value) if self.value else np.inf

    @abstractmethod
    def verify(self) -> bool:
        """Check value and bound without the solver."""

    def _is_limit(self, load: Array, method: Method | None) -> bool:
        """Whether the status is a limit, or that none holds, `load` is carried, and the bound is proven and close."""
        certificate, value, bound = self.certificate, self.value, self.upper_bound
        if certificate is None or certificate.claim is None or not certificate.claim <= bound:
            return False
        if not certificate.verify(self.problem) or self.solution.growth is not None:
            return False
        if self.status is Status.DOES_NOT_HOLD:
            return value == bound == -np.inf and self.forces is None
        gap, floor = (getattr(method, name, usual) for name, usual in (("gap", tolerances.GAP), ("floor", 0.0)))
        gap *= 1.0 + tolerances.SOLVER_ROUNDING
        # the paper's method stops at epsilon (1 + |g|), g in newtons along the load (III.G)
        epsilon = getattr(method, "epsilon", 0.0)
        short = epsilon * (1.0 / float(np.linalg.norm(self.problem.load)) + abs(value)) if epsilon else 0.0
        close = value <= bound and closes(value, bound, gap=gap, floor=floor, tiny=least_factor(self.problem) + short)
        return self.status is Status.OPTIMAL and close and self._forces_are_right(load, value)


@dataclass(frozen=True, eq=False)
class LoadLimit(LargestFactor):
    """Answer to "how much of this load does it hold?": `value` is the largest d with W f + d w = 0.

    Attributes:
        direction: (6 n,) the load w of (6), one wrench per body; `value` counts multiples of it.
        method: the method used, for further questions about this answer; None for the default.
    """

    direction: Array
    method: Method | None = None

    @cached_property
    def problem(self) -> ContactProblem:
        """The question in the form that every method solves."""
        return self.assembly.problem(self.direction)

    def __repr__(self) -> str:
        return f"LoadLimit({self.status.value}, {self.description})"

    @cached_property
    def opposite(self) -> LoadLimit:
        """The limit of the reversed load, computed by the same method on first access."""
        return load_limit(self.assembly, -self.direction, method=self.method)

    @cached_property
    def scale_interval(self) -> tuple[float, float]:
        """(s_min, s_max): the smallest and the largest real s for which s w was found to hold.

        s_max is `value`, s_min comes from the `opposite` load. Where joint gravity or preload demand forces, or pieces
        exclude zero, 0 need not lie between them: a gripper may need some load to be in balance. An end is
        infinite where the load has no limit; (nan, nan) when no multiple was found to hold. For contacts whose
        volumes are convex every scale between the ends holds. For unions of pieces the ends are still
        correct, but there may be gaps between them: test a multiple between them with `equilibrium`.
        """
        if self.solution.forces is None:
            return np.nan, np.nan
        return min(self.solution.factor, -self.opposite.value), self.value

    @cached_property
    def curved(self) -> tuple[float, float] | None:
        """Bracket (low, high) of the limit with curved limits (round friction cones) instead of their polygons.

        For convex volumes, by polygons inside and around the curves of at least `strength.CURVED_FACETS` facets; None
        without curved limits. `value` is that of the polygons as given, which lie inside the curves by default.
        Computed on first access: two more load limits.
        """
        from .strength import curved_limit

        return curved_limit(self)

    @cached_property
    def growth(self) -> Array | None:
        """(k, 3) world forces that carry one more multiple of the load, when there is no limit; else None."""
        if self.solution.growth is None:
            return None
        return np.einsum("kij,kj->ki", self.assembly.rotations, self.solution.growth)

    @proof
    def verify(self) -> bool:
        """Check value and bound without the solver; False when undecided."""
        if self.status is Status.UNBOUNDED:
            endless = self.upper_bound == np.inf and self.certificate is None and self._grows()
            return endless and self._forces_are_right(self.solution.factor * self.direction)
        return self._is_limit(self.value * self.direction, self.method)

    def _grows(self) -> bool:
        """Whether `growth` balances any multiple of the load: rays of the pieces, within one-sided joint rows.

        As in a balance, what rounding leaves is judged by the load and the forces on the bodies it acts on.
        """
        growth, pieces, problem = self.solution.growth, self.pieces, self.problem
        if growth is None or pieces is None or not np.isfinite(growth).all():
            return False
        sizes, (contacts, bodies, _) = problem.row_sizes(growth, 1.0), problem.layout.body_reach
        tiny, rows = 10 * tolerances.FEASIBILITY * sizes, problem.row_values(growth, 1.0)
        kept = (np.isinf(problem.lower) | (rows >= -tiny)) & (np.isinf(problem.upper) | (rows <= tiny))
        judged = np.full(len(growth), np.inf)
        np.minimum.at(judged, contacts, sizes[6 * bodies])
        for force, piece, contact, size in zip(growth, pieces, self.assembly.contacts, judged, strict=True):
            normals, _ = contact.volume.polytopes[piece].halfspaces  # a direction that climbs no face stays inside
            if (normals @ force > 10 * tolerances.MEMBERSHIP * size).any():
                return False
        return bool(kept.all()) and bool(shares_piece(problem.layout, pieces).all())


@with_advice(load="give wrench", mass="give wrench=holdfast.loads.gravity_wrench(mass, gravity, com)")
def equilibrium(
    assembly: Assembly | SceneLike, wrench: Load | None = None, *, method: Method | None = None
) -> Equilibrium:
    """Whether admissible contact forces balance an external wrench (3), within the joint rows (5).

    Args:
        assembly: contacts and joint rows, or a scene.
        wrench: (6,) external force [N] and torque [N m] about the world origin, acting on the object; for several
            bodies one per body, as `Assembly.stacked` takes them: {"lower": (6,), "upper": (6,)}. Of a scene its
            weight by default.
        method: how to solve; `Exact()` by default.
    """
    assembly, wrench = asked_about(assembly, wrench, "wrench")
    load = assembly.stacked(wrench, name="wrench")
    method = method or default_method()
    answer = Equilibrium(assembly, method.test(assembly.problem(load)), load, method)
    _log("equilibrium", answer, method)
    return answer


@with_advice(load="give direction", wrench="give direction")
def load_limit(
    assembly: Assembly | SceneLike, direction: Load | None = None, *, method: Method | None = None
) -> LoadLimit:
    """The largest multiple d of an external wrench that admissible contact forces balance (6), (5).

    Args:
        assembly: contacts and joint rows, or a scene.
        direction: (6,) external wrench w; need not have length 1, the value counts multiples of it as given. For
            several bodies one per body, as `Assembly.stacked` takes them. For loads that grow while others stay,
            use `load_ramp`. Of a scene its weight by default.
        method: how to solve; `Exact()` by default.
    """
    assembly, direction = asked_about(assembly, direction, "direction")
    load = assembly.stacked(direction, name="direction")
    if not load.any():
        raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
    method = method or default_method()
    answer = LoadLimit(assembly, method.maximise(assembly.problem(load)), load, method)
    _log("load limit", answer, method)
    return answer


def _log(question: str, answer: _Answer, method: Method) -> None:
    if LOG.isEnabledFor(logging.DEBUG):
        effort, k = answer.effort, len(answer.assembly)
        LOG.debug(
            "%s of %d contacts by %r: %s, %d nodes, %d programs, %.3g s",
            *(question, k, method, answer.status.value, effort.nodes, effort.programs, effort.seconds),
        )


@cache
def default_method() -> Method:
    """The exact method; only this method needs the compiler, which is loaded here."""
    from ..solvers import Exact

    return Exact()


def stats_data(effort: SolverStats, *, times: bool = True) -> dict[str, Any]:
    """The effort of an answer as data; without `times`, only numbers that are the same in every run."""
    counts = {name: getattr(effort, name) for name in ("nodes", "programs", "pivots")}
    seconds = {"seconds": effort.seconds, "stages": dict(effort.stages)} if times else {}
    return counts | seconds | {"referee": effort.referee}


def balance_residual(assembly: Assembly, forces: Array, wrench: Array) -> float:
    """Largest violation [N] of force balance, torque balance and joint rows by world forces (k, 3)."""
    return float(balance_residuals(assembly, np.asarray(forces, dtype=np.float64)[None], np.asarray(wrench)[None])[0])


def balance_residuals(assembly: Assembly, forces: Array, wrenches: Array) -> Array:
    """(n,) largest violation [N] of force balance, torque balance and joint rows by world forces (n, k, 3).

    Torques, also those of the joint rows, are divided by the assembly's characteristic length.
    """
    return row_residuals(assembly, forces, wrenches).max(axis=1)


def row_residuals(assembly: Assembly, forces: Array, wrenches: Array) -> Array:
    """(n, m) violations [N] of the rows of balance and of the joints by world forces (n, k, 3), scaled alike."""
    stacked = forces.reshape(len(forces), -1)
    if assembly.bodies:
        missing = assembly.centred(wrenches) + assembly.borne(forces)
    else:
        missing = assembly.centred(stacked @ assembly.wrench_matrix.T + wrenches)
    sizes = np.tile(np.repeat([1.0, assembly.length], 3), assembly.body_count)
    if assembly.joints is None:
        return np.abs(missing / sizes)
    torques = stacked @ assembly.joints.jacobian.T
    over = np.maximum(np.maximum(assembly.joints.lower - torques, torques - assembly.joints.upper), 0.0)
    return np.concatenate([np.abs(missing / sizes), over / assembly.length], axis=1)


def memberships(assembly: Assembly, local_forces: Array, pieces: Sequence[int] | Array) -> Array:
    """(k,) distance of each local force to its piece, relative to the piece's size or the force.

    It is inf where the piece is not that of its unit's first contact.
    """
    alike: dict[tuple[int, int], list[int]] = {}
    for index, (contact, piece) in enumerate(zip(assembly.contacts, pieces, strict=True)):
        alike.setdefault((id(contact.volume), int(piece)), []).append(index)
    distances = np.zeros(len(assembly))
    for (_, piece), contacts in alike.items():
        polytope, own = assembly.contacts[contacts[0]].volume.polytopes[piece], local_forces[contacts]
        sizes = np.maximum(np.abs(polytope.vertices).max(), np.abs(own).max(axis=1))
        distances[contacts] = np.maximum(0.0, polytope.distances(own)) / np.where(sizes > 0.0, sizes, 1.0)
    return np.where(shares_piece(assembly.layout, np.asarray(pieces)), distances, np.inf)


def shares_piece(layout: Layout, pieces: Array) -> BoolArray:
    """(..., k) whether each of the pieces (..., k) is that of its unit's first contact."""
    return pieces == pieces[..., layout.unit_starts[layout.unit_of]]
