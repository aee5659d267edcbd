"""Diagnosis: which contacts and joints limit a load, how much strength is used, and how the object would move.

First: whether a force lies on the border of the volume of its contact, and the share of its strength that it uses.
A volume is a union of convex pieces, so that the border of a piece need not be one of the volume: another piece may
continue beyond it. A force f is inside the union exactly when the pieces that hold it cover every direction
around it. A direction u leaves a piece when it climbs one of the facets active at f (n . u > 0), so f is on the border
when one active facet can be chosen for each of these pieces such that some u climbs them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Interface
from ..checks import Array
from ..errors import InputError, SolverError
from ..force_limits import ForceVolume
from ..geometry.polytopes import Polytope
from ..geometry.screws import motion_description
from ..linear_programs import minimise
from ..public_names import with_advice
from ..results import Result
from ..solvers import ContactProblem, Status
from ..solvers.certificates import factor_bound, least_factor, separation_margin
from .holding import FEW_CONTACTS, Equilibrium, LoadLimit, equilibrium, load_limit

if TYPE_CHECKING:
    from ..solvers.relaxation import RelaxedSolution
    from .strength import Factor

#: A force is on a border, or a joint torque at its bound, within this share of its size.
AT_LIMIT = 1e-6

#: A gap between pieces narrower than this angle [rad] is ignored.
NARROWEST_GAP = 1e-6

#: Choices of facets tried before a force counts as on the border (only where many pieces meet in one corner).
MOST_CHOICES = 5_000


def force_size(piece: Polytope, force: Array) -> float:
    """Size [N] to which distances from the piece's border are relative: its largest vertex, or the force if larger."""
    return max(float(np.abs(piece.vertices).max()), float(np.abs(force).max())) or piece.size


def is_idle(volume: ForceVolume, force: Array) -> bool:
    """Whether a force (3,) [N] is negligible compared with the volume."""
    largest = max(float(np.abs(vertices).max()) for vertices in volume.pieces)
    return bool(np.abs(force).max() <= AT_LIMIT * largest) if largest > 0.0 else not force.any()


def active_facets(piece: Polytope, force: Array) -> Array:
    """(a, 3) unit normals of the piece's facets (planes of a flat piece included) on which the force (3,) lies."""
    normals, offsets = piece.halfspaces
    return normals[offsets - normals @ force <= AT_LIMIT * force_size(piece, force)]


def on_border(pieces: tuple[Polytope, ...], force: Array) -> bool:
    """Whether the force (3,) [N] is on the border of the union of the pieces; where those are flat, on their rim."""
    holding = [p for p in pieces if _holds(p, force)]
    if not holding:
        return True
    dimension = max(p.dimension for p in holding)
    facets = [active_facets(p, force) for p in holding if p.dimension == dimension]
    if dimension == 3:
        return _leaves_all(facets)
    if dimension == 0:
        return True  # a single force: any change leaves it
    across = _opposed(facets[0])  # flat pieces: only directions within the plane of the first count
    within = np.eye(3) - across.T @ np.linalg.pinv(across.T)
    turned = [normals @ within for normals in facets]
    return _leaves_all([rows[np.linalg.norm(rows, axis=1) > NARROWEST_GAP] for rows in turned])


def open_volumes(assembly: Assembly, forces: Array) -> list[ForceVolume]:
    """The volume of each contact while the others of its unit bear their local forces (k, 3) [N].

    It consists of the pieces that contain the forces of those others; for a contact without a unit, of all pieces.
    """
    volumes = [contact.volume for contact in assembly.contacts]
    made: dict[tuple[ForceVolume, tuple[int, ...]], ForceVolume] = {}
    for contacts in assembly.layout.units:
        if len(contacts) == 1:
            continue
        holds = np.array([[_holds(p, forces[i]) for p in volumes[i].polytopes] for i in contacts])
        for at, i in enumerate(contacts):
            volume = volumes[i]
            kept = tuple(np.nonzero(np.delete(holds, at, axis=0).all(axis=0))[0].tolist())
            if 0 < len(kept) < len(volume):
                if (volume, kept) not in made:
                    parts = [volume.pieces[j] for j in kept], [volume.rays[j] for j in kept]
                    made[volume, kept] = ForceVolume(*parts, allow_flat=True)
                volumes[i] = made[volume, kept]
    return volumes


def _holds(piece: Polytope, force: Array) -> bool:
    """Whether a piece contains the force (3,) [N], up to a tolerance."""
    return float(piece.signed_distance(force)) <= AT_LIMIT * force_size(piece, force)


def utilisation(volume: ForceVolume, force: Array, *, at_limit: bool) -> float:
    """Share of its strength that a contact uses under `force` (3,) [N], from 0 for no force to 1 on the border.

    It is the force over the largest admissible one along it. Where that is not meaningful, because the volume is
    unbounded or has zero on its border (a friction cone, capped or not), it is at least the shear force over the
    largest one along it at the same normal force: |f_t| / (mu f_n) in a cone of Coulomb friction. Where smaller forces
    are always admissible, neither share falls as the force grows.

    Args:
        volume: what the contact can bear.
        force: in the contact frame, admissible [N].
        at_limit: whether `force` is on the border, see `on_border`.
    """
    if is_idle(volume, force):
        return 0.0
    if at_limit:
        return 1.0
    reach = float(volume.radial(force))
    along = 1.0 / reach if reach > 0.0 else 1.0
    if volume.is_bounded and not on_border(volume.polytopes, np.zeros(3)):
        return min(along, 1.0)
    return min(max(along, _share_across(volume.polytopes, force)), 1.0)


def _share_across(pieces: tuple[Polytope, ...], force: Array) -> float:
    """The shear part of `force` (3,) over where the union ends along it, at the same normal force; 0 without shear."""
    shear = np.array([force[0], force[1], 0.0])
    if np.linalg.norm(shear) <= AT_LIMIT * np.linalg.norm(force):
        return 0.0
    spans = [_span(piece, force - shear, shear, AT_LIMIT * force_size(piece, force)) for piece in pieces]
    end = 1.0
    for low, high in sorted(spans):  # from the force outwards, while one piece continues where another ends
        if low <= end * (1.0 + AT_LIMIT):
            end = max(end, high)
    return 1.0 / end


def _span(piece: Polytope, start: Array, step: Array, slack: float) -> tuple[float, float]:
    """(first, last) t for which start + t step (3,) is in the piece; (inf, -inf) when it never is.

    Facets that the line runs along are moved outwards by `slack` [N].
    """
    normals, offsets = piece.halfspaces
    room, speed = offsets - normals @ start, normals @ step
    along = np.abs(speed) <= AT_LIMIT * np.linalg.norm(step)
    if (room[along] < -slack).any():
        return np.inf, -np.inf
    times = room[~along] / speed[~along]
    low = float(times[speed[~along] < 0.0].max(initial=-np.inf))
    high = float(times[speed[~along] > 0.0].min(initial=np.inf))
    return (low, high) if low <= high else (np.inf, -np.inf)


def _opposed(normals: Array) -> Array:
    """The normals whose negative is also present: those across a flat piece."""
    if not len(normals):
        return normals
    sums = np.linalg.norm(normals[:, None, :] + normals[None, :, :], axis=2)
    return normals[(sums <= NARROWEST_GAP).any(axis=1)]


def _leaves_all(facets: list[Array]) -> bool:
    """Whether some direction climbs one facet in each of the lists; False when one of them has none."""
    if any(not len(normals) for normals in facets):
        return False
    ordered = sorted(facets, key=len)
    tried = 0
    stack = [(0, np.zeros((0, 3)))]
    while stack:
        depth, chosen = stack.pop()
        if depth == len(ordered):
            return True
        for normal in ordered[depth]:
            tried += 1
            if tried > MOST_CHOICES:
                return True
            together = np.vstack([chosen, normal])
            if _climbs(together):
                stack.append((depth + 1, together))
    return False


def _climbs(normals: Array) -> bool:
    """Whether some u has n . u > 0 for all of the unit normals (n, 3): none has when their hull contains zero (Gordan).

    The weights of the hull's shortest vector come from non-negative least squares; its residual is such a u.
    """
    from scipy.optimize import nnls

    columns = np.vstack([normals.T, np.ones(len(normals))])
    _, distance = nnls(columns, np.array([0.0, 0.0, 0.0, 1.0]))
    return bool(distance > NARROWEST_GAP)


# Whether more friction would hold what more strength cannot: a friction cone does not change when it is scaled.

#: Relative width of the bracket of the needed friction: a sentence needs few digits.
NARROW = 1e-3


def needed_friction(result: Equilibrium | LoadLimit) -> Factor | None:
    """The smallest factor on all shear components that holds the load of an answer, by the method of the answer.

    None where no contact has shear, where more shear is not guaranteed to be better, and for unions of several pieces,
    where the search would take long.
    """
    from .strength import bears_less_shear, friction_factor

    volumes = {id(contact.volume): contact.volume for contact in result.assembly.contacts}.values()
    if not any(map(_has_shear, volumes)) or any(len(v) > 1 or not bears_less_shear(v) for v in volumes):
        return None
    load = result.wrench if isinstance(result, Equilibrium) else result.direction
    return friction_factor(result.assembly, load, tolerance=NARROW, method=result.method)


def _has_shear(volume: ForceVolume) -> bool:
    """Whether some admissible force has a shear component."""
    given = np.concatenate([*volume.pieces, *(rays for rays in volume.rays if len(rays))])
    return bool(np.abs(given[:, :2]).max() > tolerances.ZERO_DIRECTION * np.abs(given).max())


# How an object fails: the motion that belongs to the multipliers of a proof.


#: A body is at rest, or moves with another, when their velocities differ by no more than this share of the largest.
AT_REST = 1e-6


@dataclass(frozen=True, eq=False)
class Motion:
    """Velocities of the bodies in which a load does work against contacts and joints; their size is arbitrary.

    Attributes:
        twists: (n, 6) velocity [m/s] of each body's point at the world origin and angular velocity [rad/s].
        assembly: the assembly of the bodies; one object is the only body.
    """

    twists: Array
    assembly: Assembly

    @staticmethod
    def from_multipliers(assembly: Assembly, problem: ContactProblem, multipliers: Array) -> Motion:
        """The motion -y of multipliers y (m,) over the scaled rows, in which the load does positive work."""
        rows = problem.layout.balance
        y = assembly.motions_at_origin(-multipliers[:rows] * problem.row_scale[:rows])
        return Motion(y.reshape(-1, 6), assembly)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; several bodies one by one."""
        if not self.assembly.bodies:
            return {"description": self.description, "velocity": self.velocity, "angular_velocity": self.angular}
        bodies = [
            {"name": name, "velocity": twist[:3], "angular_velocity": twist[3:]}
            for name, twist in zip(self.assembly.bodies, self.twists, strict=True)
        ]
        return {"description": self.description, "bodies": bodies}

    @property
    def velocity(self) -> Array:
        """(3,) of one object's point at the world origin [m/s]; of several bodies the first one's."""
        return self.twists[0, :3]

    @property
    def angular(self) -> Array:
        """(3,) angular velocity of one object [rad/s]; of several bodies the first one's."""
        return self.twists[0, 3:]

    def work(self, wrench: Array) -> float:
        """Power [W] of an external load (6 n,), torques about the world origin, in this motion."""
        return float(self.twists.reshape(-1) @ wrench)

    @property
    def description(self) -> str:
        """The motion of one object in words, to follow "the object": "moves along -z", "turns about +y through ...".

        The point is the point of the axis nearest to the centre of the contacts [m]. For several bodies it is `clause`.
        """
        return self.clause if self.assembly.bodies else self._way(self.twists[0], self.assembly.centres[0])

    @cached_property
    def clause(self) -> str:
        """What moves and how; bodies that move as one are named together, at most `MOST_NAMES` groups of them."""
        names = self.assembly.bodies
        if not names:
            return f"the object {self.description}"
        groups: list[list[int]] = []
        for body in np.nonzero(self._speeds(self.twists) > AT_REST)[0]:
            alike = (g for g in groups if self._speeds(self.twists[body] - self.twists[g[0]])[0] <= AT_REST)
            found = next(alike, None)
            if found is None:
                groups.append([int(body)])
            else:
                found.append(int(body))
        if not groups:
            return "nothing moves"
        texts = []
        for group in sorted(groups, key=lambda g: -self._speeds(self.twists[g[0]])[0])[:MOST_NAMES]:
            way = self._way(self.twists[group[0]], self.assembly.centres[group].mean(axis=0))
            others = f" together with {_listed(tuple(names[i] for i in group[1:]))}" if len(group) > 1 else ""
            texts.append(f'"{names[group[0]]}"{others} {way}')
        rest = len(groups) - MOST_NAMES
        return "; ".join(texts) + (f"; {rest} more move" if rest > 0 else "")

    def across(self, interface: Interface) -> Array:
        """(6,) the twist of an interface's body relative to the other side, about the world origin."""
        body, against = self.assembly.sides[interface.contacts[0]]
        return self.twists[body] - (self.twists[against] if against >= 0 else 0.0)

    def moves_across(self, interface: Interface) -> bool:
        """Whether the two sides of an interface move relative to each other."""
        return bool(self._speeds(self.across(interface))[0] > AT_REST)

    def across_description(self, interface: Interface) -> str:
        """How the body of an interface moves relative to the other side."""
        centre = self.assembly.positions[list(interface.contacts)].mean(axis=0)
        return self._way(self.across(interface), centre)

    def _speeds(self, twists: Array) -> Array:
        """(n,) sizes of twists (n, 6), relative to the fastest body."""
        parts = np.atleast_2d(twists)
        scaled = parts * np.repeat([1.0, self.assembly.length], 3)
        largest = float(np.abs(self.twists * np.repeat([1.0, self.assembly.length], 3)).max())
        return np.abs(scaled).max(axis=1) / (largest or 1.0)

    def _way(self, twist: Array, centre: Array) -> str:
        return motion_description(twist[:3], twist[3:], centre, self.assembly.length)


# Dual prices of a load limit: its gain from more strength and from wider joint bounds.

#: A contact is not moved by y when the terms of its motion cancel to less than this share of them.
UNMOVED = 1e-7

#: Singular values below this share of the largest count as zero: y is not determined there.
OPEN_DIRECTION = 1e-8


@dataclass(frozen=True, eq=False)
class Prices:
    """The gain of a load limit per unit of strength and of joint bounds.

    Attributes:
        factor: the limit with every contact kept in its piece.
        forces: (k, 3) local forces that attain it [N].
        multipliers: (m,) y over the scaled rows, y . load = -1.
        strength: (k,) gain per percent that a contact's volume grows about zero.
        lower: (r,) gain per N m (N for a slide) that a joint row's lower bound is lowered.
        upper: (r,) gain per N m (N for a slide) that a joint row's upper bound is raised.
        binding: (k,) bool, whether a contact is at its limit in every choice of forces that attains the factor: the
            motion of y moves it, and its force must resist as much as its piece allows.
    """

    factor: float
    forces: Array
    multipliers: Array
    strength: Array
    lower: Array
    upper: Array
    binding: Array


class FixedPieces:
    """A problem whose contacts are each confined to one piece (those of a unit to the same): a linear program."""

    def __init__(self, problem: ContactProblem, pieces: Array) -> None:
        """Keep contact i of `problem` in its piece number pieces[i]."""
        numbers: dict[tuple[int, int], int] = {}
        keys = [(int(s), int(j)) for s, j in zip(problem.shape_of, pieces, strict=True)]
        shape_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        shapes = tuple((problem.shapes[s][j],) for s, j in numbers)
        alone = np.arange(problem.contacts)  # with one piece each, units have no common choice
        layout = replace(problem.layout, shapes=shapes, shape_of=shape_of, unit_of=alone)
        self.problem = ContactProblem(layout, problem.load)
        self._masks = (1,) * problem.contacts

    def largest_factor(self) -> float:
        """The limit; inf when there is none, nan when rounding prevents a decision."""
        solution = self._maximised()
        return np.nan if solution is None else solution.factor

    def with_strength(self, contact: int, share: float) -> FixedPieces:
        """The same with one contact's piece scaled about zero by `share` > 0."""
        problem = self.problem
        shapes = (*problem.shapes, (problem.pieces(contact)[0].scaled(share),))
        shape_of = problem.shape_of.copy()
        shape_of[contact] = len(shapes) - 1
        return self._with(shapes=shapes, shape_of=shape_of)

    def with_bounds(self, row: int, *, lower: float = 0.0, upper: float = 0.0) -> FixedPieces:
        """The same with the bounds of joint row `row` moved outwards by `lower` and `upper` [N m, N]."""
        problem = self.problem
        low, high = problem.lower.copy(), problem.upper.copy()
        at = problem.layout.balance + row
        low[at] -= lower * problem.row_scale[at]
        high[at] += upper * problem.row_scale[at]
        return self._with(lower=low, upper=high)

    def prices(self) -> Prices | None:
        """The prices at the limit; None when there is no limit, nothing holds, or they cannot be confirmed."""
        problem, solution = self.problem, self._maximised()
        if solution is None or solution.multipliers is None or solution.forces is None:
            return None
        work = float(solution.multipliers @ problem.load)
        if not work < 0.0:
            return None
        y = solution.multipliers / -work
        unlimited = (y > 0.0) & np.isinf(problem.lower) | (y < 0.0) & np.isinf(problem.upper)
        y = np.where(unlimited | (np.abs(y) <= tolerances.SOLVER_ROUNDING * np.abs(y).max()), 0.0, y)
        bound = factor_bound(problem, self._masks, y)  # recomputed from supports, as in the check of a proof
        if abs(bound - solution.factor) > tolerances.GAP * abs(solution.factor) + 10 * least_factor(problem):
            return None
        directions, terms = problem.layout.directions(y), problem.layout.term_sizes(y)
        supports = np.array([float((problem.pieces(i)[0].vertices @ d).max()) for i, d in enumerate(directions)])
        largest = max(np.abs(supports).max(), abs(solution.factor))
        supports[np.abs(supports) <= tolerances.SOLVER_ROUNDING * largest] = 0.0
        first = problem.layout.balance
        joint = y[first:] * problem.row_scale[first:]
        return Prices(
            factor=solution.factor,
            forces=solution.forces,
            multipliers=y,
            strength=0.01 * supports,
            lower=np.maximum(joint, 0.0),
            upper=np.maximum(-joint, 0.0),
            binding=np.linalg.norm(directions, axis=1) > UNMOVED * np.linalg.norm(terms, axis=1),
        )

    def pins_prices(self, forces: Array, slack_rows: Array) -> bool:
        """Whether these optimal local forces (k, 3) determine the prices, for increase and decrease.

        Every optimal y is at right angles to the smallest face of its piece that each force lies on, and zero in
        the joint rows at no bound, which `slack_rows` (r,) marks. The undetermined part of y must not change the
        prices: f_i . maps_i^T y, which is h_i there, and y in the joint rows.
        """
        problem = self.problem
        joints = np.eye(problem.rows)[:, problem.layout.balance :]
        pinned = span_of(self.pinning(forces, slack_rows))
        borne = np.einsum("kmi,ki->mk", problem.maps, forces)
        priced = np.concatenate([joints, borne / (np.abs(borne).max(initial=0.0) or 1.0)], axis=1)
        return bool(np.abs(priced - pinned @ (pinned.T @ priced)).max() <= AT_LIMIT)

    def pinning(self, forces: Array, slack_rows: Array) -> Array:
        """(m, n) columns whose product with every optimal y is known from optimal local forces (k, 3) alone.

        The load (-1), then what every optimal y is at right angles to: joint rows at no bound, which `slack_rows` (r,)
        marks, and the directions of the smallest face of its piece that each force lies on.
        """
        problem = self.problem
        columns = [problem.load[:, None], np.eye(problem.rows)[:, problem.layout.balance + np.flatnonzero(slack_rows)]]
        for i, force in enumerate(forces):
            active = active_facets(problem.pieces(i)[0], force)
            _, sizes, axes = np.linalg.svd(np.vstack([active, np.zeros((3, 3))]), full_matrices=False)
            columns.append(problem.maps[i] @ axes[sizes <= AT_LIMIT].T)
        return np.concatenate(columns, axis=1)

    def _with(self, **changes: object) -> FixedPieces:
        changed = ContactProblem(replace(self.problem.layout, **changes), self.problem.load)  # pyright: ignore[reportArgumentType]
        return FixedPieces(changed, np.zeros(changed.contacts, dtype=np.int64))

    def _maximised(self) -> RelaxedSolution | None:
        from ..solvers.relaxation import HullRelaxation, RelaxationOutcome

        try:
            solution = HullRelaxation(self.problem).maximise(self._masks)
        except SolverError:  # no result is not an error
            return None
        if solution.outcome is RelaxationOutcome.UNBOUNDED:
            return replace(solution, factor=np.inf, multipliers=None)
        return solution if solution.outcome is RelaxationOutcome.OPTIMAL else None


def span_of(matrix: Array) -> Array:
    """(m, rank) orthonormal basis of what the columns of `matrix` (m, n) span, independent of their lengths."""
    lengths = np.linalg.norm(matrix, axis=0)
    if not lengths.any():
        return matrix[:, :0]
    base, sizes, _ = np.linalg.svd(matrix[:, lengths > 0.0] / lengths[lengths > 0.0], full_matrices=False)
    return base[:, sizes > OPEN_DIRECTION * sizes[0]]


# States of contacts and joint rows at a limit: what each bears, whether it can bear more, and the gain of more.


@dataclass(frozen=True, eq=False)
class ContactState:
    """One contact at the limit.

    Attributes:
        index: its number in the assembly.
        name: its name, or "".
        force: (3,) force on the object in the contact frame [N]; z < 0 pulls.
        piece: the piece of its volume that the force lies in.
        utilisation: share of its strength that is used: 0 for no force, 1 on the border (see `utilisation`).
        at_limit: whether the force is on the border of the volume.
        binding: whether it is at its limit in every choice of forces that attains the load limit; else other contacts
            could relieve it.
        at_piece_limit: whether it is on the border of its piece only, and another piece continues beyond.
        idle: whether the contact bears no force.
        price: gain of the load limit per percent that the volume grows about zero; nan when unknown.
    """

    index: int
    name: str
    force: Array
    piece: int
    utilisation: float
    at_limit: bool
    binding: bool
    at_piece_limit: bool
    idle: bool
    price: float

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f'contact "{self.name}"' if self.name else f"contact {self.index}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data |= {"name": self.name or str(self.index), "local_force": data.pop("force")}
        data["price_per_percent"] = data.pop("price")
        del data["index"]
        return data


@dataclass(frozen=True, eq=False)
class JointState:
    """One joint row at the limit.

    Attributes:
        index: its number in the joint rows.
        name: its name, or "".
        value: the load of the contact forces on it [unit].
        lower, upper: its bounds [unit].
        unit: "N m", or "N" for a slide.
        at_lower, at_upper: whether the value is at that bound.
        price_lower: gain of the load limit per unit that the lower bound is lowered; nan when unknown.
        price_upper: gain of the load limit per unit that the upper bound is raised; nan when unknown.
        reach: sum of |jacobian| |force| [unit]: the size of the terms of the value; that of the strongest forces
            where no force acts.
    """

    index: int
    name: str
    value: float
    lower: float
    upper: float
    unit: str
    at_lower: bool
    at_upper: bool
    price_lower: float
    price_upper: float
    reach: float

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f'joint "{self.name}"' if self.name else f"joint row {self.index}"

    @property
    def at_limit(self) -> bool:
        """Whether the value is at either bound."""
        return self.at_lower or self.at_upper

    @property
    def part(self) -> float:
        """Contribution of the row to the load limit: its bounds times their prices."""
        lower = self.lower * self.price_lower if np.isfinite(self.lower) else 0.0
        upper = self.upper * self.price_upper if np.isfinite(self.upper) else 0.0
        return upper - lower

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        data = {field.name: getattr(self, field.name) for field in fields(self)} | {
            "name": self.name or str(self.index)
        }
        del data["index"]
        return data


def contact_states(assembly: Assembly, forces: Array, pieces: Array, prices: Prices | None) -> tuple[ContactState, ...]:
    """The contacts under local forces (k, 3) [N] in their pieces (k,); the others of a unit are fixed."""
    states = []
    volumes = open_volumes(assembly, forces)
    for index, (contact, volume, force, piece) in enumerate(
        zip(assembly.contacts, volumes, forces, pieces, strict=True)
    ):
        own = on_border((contact.volume.polytopes[piece],), force)
        whole = own and on_border(volume.polytopes, force)
        states.append(
            ContactState(
                index=index,
                name=contact.name,
                force=force,
                piece=int(piece),
                utilisation=utilisation(volume, force, at_limit=whole),
                at_limit=whole,
                binding=prices is not None and bool(prices.binding[index]),
                at_piece_limit=own and not whole,
                idle=is_idle(contact.volume, force),
                price=np.nan if prices is None else float(prices.strength[index]),
            )
        )
    return tuple(states)


def joint_states(assembly: Assembly, forces: Array, prices: Prices | None) -> tuple[JointState, ...]:
    """The joint rows under local forces (k, 3) [N]."""
    joints = assembly.mechanism
    if joints is None:
        return ()
    world = np.einsum("kij,kj->ki", assembly.rotations, forces)
    values, reach = joints.values(world), np.abs(joints.jacobian) @ np.abs(world.ravel())
    strengths = np.repeat([contact.volume.size for contact in assembly.contacts], 3)
    possible = np.abs(joints.jacobian) @ strengths
    largest = float(np.abs(world).max())
    states = []
    for row, value in enumerate(values):
        rounding = 10 * tolerances.FEASIBILITY * largest * float(np.abs(joints.jacobian[row]).sum())
        lower, upper = float(joints.lower[row]), float(joints.upper[row])
        states.append(
            JointState(
                index=row,
                name=joints.names[row] if joints.names else "",
                value=float(value),
                lower=lower,
                upper=upper,
                unit=row_unit(joints.jacobian[row], assembly.positions),
                at_lower=bool(np.isfinite(lower) and value - lower <= AT_LIMIT * abs(lower) + rounding),
                at_upper=bool(np.isfinite(upper) and upper - value <= AT_LIMIT * abs(upper) + rounding),
                price_lower=np.nan if prices is None else float(prices.lower[row]),
                price_upper=np.nan if prices is None else float(prices.upper[row]),
                reach=float(reach[row]) or float(possible[row]),
            )
        )
    return tuple(states)


def row_unit(row: Array, positions: Array) -> str:
    """Unit of a joint row (3k,) on contacts at `positions` (k, 3): "N" for a slide, "N m" for a hinge.

    Contacts that are not on one line but have the same blocks cannot belong to a hinge, whose levers would differ. With
    too few contacts, a block of length one is taken for the axis of a slide, not for a lever of one metre.
    """
    blocks = row.reshape(-1, 3)
    lengths = np.linalg.norm(blocks, axis=1)
    loaded = lengths > tolerances.ZERO_DIRECTION * lengths.max(initial=0.0)
    if not loaded.any():
        return "N m"
    first = blocks[loaded][0]
    alike = loaded & (np.abs(blocks - first).max(axis=1) <= tolerances.ORTHONORMAL * lengths[loaded][0])
    spread = positions[alike] - positions[alike].mean(axis=0)
    widths = np.linalg.svd(spread, compute_uv=False)
    if len(widths) > 1 and widths[1] > tolerances.ORTHONORMAL * np.abs(positions).max():
        return "N"
    return "N" if abs(np.linalg.norm(first) - 1.0) <= tolerances.ORTHONORMAL else "N m"


@dataclass(frozen=True, eq=False)
class InterfaceState:
    """All contacts between two bodies, or between a body and the world, at the limit.

    Attributes:
        interface: which contacts.
        wrench: (6,) on its body, about the world origin; nan without forces.
        utilisation: the largest of its contacts; nan without forces.
        gives_way: whether its sides move relative to each other beyond the limit, or in the proof that no multiple
            holds. Strengthening an interface that does not give way has no effect on the limit.
        relative_motion: how its body then moves relative to the other side, in words; "" where it does not.
        price: gain of the load limit per percent that all its contacts are stronger; nan when unknown.
    """

    interface: Interface
    wrench: Array
    utilisation: float
    gives_way: bool
    relative_motion: str
    price: float

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.interface.name

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "body": self.interface.body,
            "against": self.interface.against,
            "wrench": self.wrench,
            "utilisation": self.utilisation,
            "gives_way": self.gives_way,
            "relative_motion": self.relative_motion,
            "price_per_percent": self.price,
        }


def interface_states(
    assembly: Assembly, contacts: Sequence[ContactState], motion: Motion | None
) -> tuple[InterfaceState, ...]:
    """The interfaces with the states of their contacts, and how they move in `motion`."""
    states = []
    for interface in assembly.interfaces:
        own = [contacts[i] for i in interface.contacts] if contacts else []
        wrench = np.full(6, np.nan)
        if own:
            forces = np.array([assembly.rotations[c.index] @ c.force for c in own])
            torques = np.cross(assembly.positions[list(interface.contacts)], forces)
            wrench = np.concatenate([forces.sum(axis=0), torques.sum(axis=0)])
        gives_way = motion is not None and motion.moves_across(interface)
        states.append(
            InterfaceState(
                interface=interface,
                wrench=wrench,
                utilisation=max((c.utilisation for c in own), default=np.nan),
                gives_way=gives_way,
                relative_motion=motion.across_description(interface) if motion is not None and gives_way else "",
                price=float(sum(c.price for c in own)) if own else np.nan,
            )
        )
    return tuple(states)


# Forces of contacts and values of joint rows in an answer, one entry each, with their use and margin.


@dataclass(frozen=True, eq=False)
class ContactForce:
    """The force of one contact on the object.

    Attributes:
        name: of the contact, or its number.
        local: (3,) [N] in the contact frame; z < 0 pulls. Forces at rounding level of the largest are zero.
        piece: the convex piece it lies in.
        use: share of the contact's strength, see `utilisation`; 1 on the border, 0 for no force.
        margin: the smallest change of the force that takes it out of the deepest piece it lies in [N]; 0 on the border.
    """

    name: str
    local: Array
    piece: int
    use: float
    margin: float


@dataclass(frozen=True)
class JointValue:
    """The load of the contact forces on one joint row [N m, or N for a slide]; None without forces."""

    name: str
    lower: float
    value: float | None
    upper: float


class _Answer(Protocol):
    """The attributes of an answer that `contact_forces` uses."""

    @property
    def assembly(self) -> Assembly: ...

    @property
    def local_forces(self) -> Array | None: ...

    @property
    def pieces(self) -> Array | None: ...


def contact_forces(answer: _Answer) -> list[ContactForce]:
    """The forces of an answer; [] when it has none."""
    if answer.local_forces is None or answer.pieces is None:
        return []
    dust = tolerances.FEASIBILITY * float(abs(answer.local_forces).max(initial=0.0))
    found = []
    locals_ = np.where(abs(answer.local_forces) <= dust, 0.0, answer.local_forces)
    volumes = open_volumes(answer.assembly, locals_)
    for index, (contact, volume, local) in enumerate(zip(answer.assembly.contacts, volumes, locals_, strict=True)):
        at_limit = on_border(volume.polytopes, local)
        depth = 0.0 if at_limit else -float(volume.signed_distance(local))
        margin = depth if depth > tolerances.MEMBERSHIP * volume.size else 0.0
        use = utilisation(volume, local, at_limit=at_limit)
        found.append(ContactForce(contact.name or str(index), local, int(answer.pieces[index]), use, margin))
    return found


def joint_values(assembly: Assembly, forces: Array | None) -> list[JointValue]:
    """The joint rows of an assembly, in their order, under world forces (k, 3) on the object."""
    joints = assembly.mechanism
    if joints is None:
        return []
    values = [None] * len(joints) if forces is None else joints.values(forces).tolist()
    names = joints.names or tuple(str(row) for row in range(len(joints)))
    rows = zip(names, joints.lower.tolist(), values, joints.upper.tolist(), strict=True)
    return [JointValue(*row) for row in rows]


#: Forces that change by less than this, in a box of changes of size 1, count as the same.
SAME_FORCES = 1e-6


def no_other_forces(
    problem: ContactProblem, contacts: Sequence[ContactState], joints: Sequence[JointState]
) -> bool | None:
    """Whether the forces of the contacts, each in its piece, are the only ones for this load; None if not decided.

    They are not when some change of them keeps every balance, the joint rows at a bound within it, and each force in
    its piece. Such changes are a cone; the largest one along a random direction and the largest against it are found.
    """
    from scipy.sparse import block_diag, csr_array, vstack

    from ..solvers.interior_point import sparse_rows

    rows, balance = sparse_rows(problem.layout), problem.layout.balance
    even = rows[balance + len(joints) :]  # of units of uniform pressure
    facets = [active_facets(problem.pieces(c.index)[c.piece], c.force) for c in contacts]
    less = [block_diag([csr_array(normals) if len(normals) else csr_array((0, 3)) for normals in facets])]
    less += [rows[[balance + j.index]] for j in joints if j.at_upper]
    less += [-rows[[balance + j.index]] for j in joints if j.at_lower]
    less += [even, -even]
    inside: Any = vstack(less, format="csr")
    way = np.random.default_rng(0).normal(size=rows.shape[1])
    for cost in (way / np.abs(way).sum(), -way / np.abs(way).sum()):
        found = minimise(cost, inside, np.zeros(inside.shape[0]), rows[:balance], np.zeros(balance), bounds=(-1.0, 1.0))
        if not found.optimal:
            return None
        if found.value < -SAME_FORCES:
            return False
    return True


# Exact gains of single changes: the limit is solved again with a stronger contact or a wider joint bound.

#: Contacts grow by this share, 1 %.
STRONGER = 0.01

#: Joint bounds grow by the largest power of ten within this share of them.
WIDER = 0.1

#: Prices and gains below this share of the sum are rounding.
NOISE = 1e-8

#: Number of gains that are computed, and most programs solved for them.
MOST_GAINS = 3
MOST_PROGRAMS = 12


@dataclass(frozen=True, eq=False)
class Gain:
    """The gain of one change.

    Attributes:
        state: the contact or joint row that is changed.
        side: what is changed: "strength", or the "lower" or "upper" bound.
        step: size of the change: percent of strength, or N m (N for a slide) of a bound.
        gain: growth of the load limit in multiples of the load; inf where the change removes the limit.
    """

    state: ContactState | JointState
    side: str
    step: float
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        unit = getattr(self.state, "unit", "%")
        return {"of": self.state.label, "side": self.side, "step": self.step, "unit": unit, "gain": self.gain}


@dataclass(frozen=True)
class _Candidate:
    """A change that has a price: its worth compares contacts and joints, 1 % of each."""

    worth: float
    state: ContactState | JointState
    side: str
    step: float
    changed: Callable[[FixedPieces], FixedPieces]


def largest_gains(
    fixed: FixedPieces, factor: float, contacts: Sequence[ContactState], joints: Sequence[JointState]
) -> tuple[Gain, ...]:
    """The few changes with the largest gains, computed in the order of their prices, largest gain first."""
    tiny = least_factor(fixed.problem)
    candidates = sorted(_candidates(contacts, joints, tiny), key=lambda c: -c.worth)
    found: list[tuple[float, Gain]] = []
    for candidate in candidates[:MOST_PROGRAMS]:
        gain = candidate.changed(fixed).largest_factor() - factor
        if gain > NOISE * candidate.worth / STRONGER + STRONGER * tiny:
            one_percent = gain * min(1.0, candidate.worth / _gain_by_price(candidate))
            found.append((one_percent, Gain(candidate.state, candidate.side, candidate.step, gain)))
        if len(found) == MOST_GAINS:
            break
    found.sort(key=lambda pair: -pair[0])
    return tuple(gain for _, gain in found)


def joint_step(bound: float, reach: float) -> float:
    """A round change of a joint bound [N m, N]: a power of ten, about a tenth of it (of its reach where it is zero)."""
    size = abs(bound) or reach
    return 10.0 ** math.floor(math.log10(WIDER * size) + NOISE) if size > 0.0 else 1.0


def _candidates(contacts: Sequence[ContactState], joints: Sequence[JointState], tiny: float) -> Iterator[_Candidate]:
    """Changes with a price above rounding, which is NOISE of the whole limit, or `tiny` loads."""
    total = sum(abs(100.0 * c.price) for c in contacts)
    total += sum(abs(b) * p for j in joints for b, p in _bounds(j).values() if p > 0.0)
    least = STRONGER * max(NOISE * total, tiny)
    for contact in contacts:
        if contact.price > least:
            index = contact.index
            yield _Candidate(
                contact.price, contact, "strength", 1.0, lambda f, i=index: f.with_strength(i, 1.0 + STRONGER)
            )
    for joint in joints:
        for side, (bound, price) in _bounds(joint).items():
            worth = STRONGER * price * (abs(bound) or joint.reach) if np.isfinite(bound) else 0.0
            if worth > least:
                step, row = joint_step(bound, joint.reach), joint.index
                yield _Candidate(
                    worth, joint, side, step, lambda f, r=row, s=step, side=side: f.with_bounds(r, **{side: s})
                )


def _bounds(joint: JointState) -> dict[str, tuple[float, float]]:
    """(bound, price) of each side of a row."""
    return {"lower": (joint.lower, joint.price_lower), "upper": (joint.upper, joint.price_upper)}


def _gain_by_price(candidate: _Candidate) -> float:
    """The gain of the whole step according to its price."""
    state = candidate.state
    if isinstance(state, ContactState):
        return state.price
    return candidate.step * (state.price_lower if candidate.side == "lower" else state.price_upper)


# The sentences of a diagnosis: the verdict, then what limits it, the most important first.

#: A component of a force below this share of it is not mentioned.
SMALL_PART = 0.02

#: Most names that are listed before the rest is counted.
MOST_NAMES = 2


def sentences(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What limits the load, in words."""
    return (
        verdict(diagnosis),
        *_separated(diagnosis),
        *_free(diagnosis),
        *_interfaces(diagnosis),
        *_counted(diagnosis),
        *_bottlenecks(diagnosis),
        *_gives_way(diagnosis),
        *_choices(diagnosis),
    )


def amount(value: float, digits: int = 3) -> str:
    """A number with a few significant digits, without an exponent where that is short enough."""
    if not np.isfinite(value) or value == 0.0 or not 1e-4 <= abs(value) < 1e7:
        return f"{value + 0.0:.{digits}g}"
    return np.format_float_positional(value, precision=digits, unique=False, fractional=False, trim="-")


def multiple(value: float, result: Equilibrium | LoadLimit) -> str:
    """A multiple of the load with four digits; with more where a load that is not held would read 1."""
    text = amount(value, 4)
    failed = isinstance(result, Equilibrium) and result.status is Status.DOES_NOT_HOLD
    if not failed or not value <= 1.0 + tolerances.GAP or float(text) < 1.0:
        return text
    digits = 5  # rounded down, so that the stated multiple holds
    return amount(math.floor(value * 10.0**digits) / 10.0**digits, digits) if value < 1.0 - 1e-7 else "just less than 1"


def verdict(diagnosis: Diagnosis) -> str:
    """Whether it holds, and how many times the load."""
    result, limit = diagnosis.result, diagnosis.limit
    if isinstance(result, Equilibrium) and not result.wrench.any():
        return {
            Status.HOLDS: "It holds; there is no load.",
            Status.DOES_NOT_HOLD: "It does not hold, even without a load.",
        }.get(result.status, "It is undecided whether it holds without a load.")
    opening = ""
    if isinstance(result, Equilibrium) and not result.holds:
        opening = "It does not hold" if result.status is Status.DOES_NOT_HOLD else "It is undecided whether it holds"
    if limit is None:
        return (
            f"{opening}, but smaller and larger multiples of this load do: no combination of pieces fits between them."
        )
    if diagnosis.is_least:
        reach = "" if limit.scale_interval[0] == -np.inf else f" to {amount(-limit.scale_interval[0], 4)}"
        return f"{opening}: this load is too small; from {amount(diagnosis.factor, 4)}{reach} times this load it holds."
    if limit.status is Status.DOES_NOT_HOLD:
        return f"{opening}, and no multiple of this load does." if opening else "It holds no multiple of this load."
    held = _held(diagnosis, limit)
    return f"{opening}: it can hold {held}." if opening else f"It holds {held}."


def _held(diagnosis: Diagnosis, limit: LoadLimit) -> str:
    """The multiples of the load that hold, after "it holds"."""
    if np.isnan(diagnosis.factor):
        bound = "an unknown part of" if limit.upper_bound == np.inf else f"at most {amount(limit.upper_bound, 4)} times"
        return f"{bound} this load; no multiple was found that holds"
    least = -np.inf if limit.problem.is_star_shaped else limit.scale_interval[0]
    if limit.status is Status.UNBOUNDED:
        return (
            f"any multiple of this load from {amount(least, 4)} times on"
            if least > 0.0
            else "any multiple of this load"
        )
    factor = diagnosis.factor
    largest = multiple(factor, diagnosis.result)
    if limit.upper_bound - factor > tolerances.GAP * max(1.0, abs(factor)):
        unknown = limit.upper_bound == np.inf
        largest = f"at least {largest}" if unknown else f"at least {largest} and at most {amount(limit.upper_bound, 4)}"
    elif abs(factor) <= tolerances.GAP and least <= 0.0:
        return "no part of this load"
    if least > 0.0 or (factor < 0.0 and np.isfinite(least)):
        return f"from {amount(least, 4)} to {largest} times this load"
    return f"{largest} times this load and less" if factor < 0.0 else f"{largest} times this load"


def _separated(diagnosis: Diagnosis) -> list[str]:
    """The statement of the certificate."""
    certificate = diagnosis.result.certificate
    if diagnosis.separation is None or certificate is None:
        return []
    parts = len(certificate.leaves)
    cases = "" if parts == 1 else f" (the nearest of {parts} cases of pieces)"
    way, result = diagnosis.separation.clause, diagnosis.result
    if isinstance(result, LoadLimit):
        text = f"No multiple of the load balances contacts and joints: {way}"
    elif not result.wrench.any():
        text = f"Contacts and joints are not balanced even without load: {way}"
    elif diagnosis.separation.work(result.wrench) > 0.0:
        text = f"When {way}, the load does more work than contacts and joints can absorb"
    else:
        text = f"When {way}, contacts and joints do more work than this load can absorb"
    if diagnosis.separation_joints:
        text += f"; this depends on the bounds of {_listed(diagnosis.separation_joints)}"
    return [f"{text}{cases}."]


def _free(diagnosis: Diagnosis) -> list[str]:
    """Which joints that the proof needs are free, and what they would have to carry."""
    free = diagnosis.free_joints
    if not free:
        return []
    known = all(np.isfinite(torque) for torque, _ in free.values())
    if len(free) == 1:
        (name, (torque, unit)), asked = next(iter(free.items())), ""
        if known:
            asked = f" and would have to carry {amount(torque)} {unit} to hold this load"
        return [f'Joint "{name}" is free (its bounds coincide){asked}.']
    names = [f'"{name}"' + (f" ({amount(torque)} {unit})" if known else "") for name, (torque, unit) in free.items()]
    rest = len(names) - MOST_NAMES
    listed = " and ".join(names) if rest <= 0 else f"{', '.join(names[:MOST_NAMES])} and {rest} more"
    asked = " and would have to carry these torques to hold this load" if known else ""
    return [f"Joints {listed} are free (their bounds coincide){asked}."]


def _counted(diagnosis: Diagnosis) -> list[str]:
    """How many contacts and joint rows are at their limit, and their contributions to the limit."""
    # Prices that are not unique may have left some of the binding contacts unmarked.
    sure = diagnosis.prices_unique or len(diagnosis.limiting) == len(diagnosis.at_limit)
    loaded = len(diagnosis.limiting) or (0 if sure else len(diagnosis.at_limit))
    least = "" if sure or not diagnosis.limiting else "at least "
    stuck = len(diagnosis.joints_at_limit)
    if not diagnosis.has_prices or loaded + stuck == 0:
        return []
    whose = "its" if loaded <= 1 else "their"
    text = f"{least}{_share_words(loaded, len(diagnosis.contacts), 'contact')} at {whose} limit"
    if diagnosis.joints:
        text += f", and {_share_words(stuck, len(diagnosis.joints), 'joint row')}"
    strength, torque = diagnosis.from_contacts, diagnosis.from_joints
    whole = strength + torque
    if diagnosis.joints and diagnosis.prices_unique and min(strength, torque) >= 0.0 and whole > 0.0:
        share = 100.0 * strength / whole
        text += f"; contact strength contributes {share:.0f} % of the load limit, joint bounds {100.0 - share:.0f} %"
    return [f"{capitalised(text)}."]


def _share_words(count: int, total: int, noun: str) -> str:
    """How many of some things are: "all 8 contacts are", "2 of 6 joint rows are", "no contact is"."""
    if count == total:
        return f"the only {noun} is" if total == 1 else f"{'both' if total == 2 else f'all {total}'} {noun}s are"
    return f"{count} of {total} {noun}s {'is' if count == 1 else 'are'}" if count else f"no {noun} is"


def _bottlenecks(diagnosis: Diagnosis) -> list[str]:
    """The contacts and joints with the largest influence, and the gain of more strength."""
    if not diagnosis.has_prices or diagnosis.limit is None:
        return []
    found = [f"{capitalised(_stands(g.state, g.side))}; {_gain_sentence(diagnosis, g)}." for g in diagnosis.gains]
    if found:
        return found
    if diagnosis.strength_is_useless:
        return [f"More strength would not help: {_scaled(diagnosis)}.", *_friction(diagnosis)]
    worth = [side for side in diagnosis.interfaces if side.price > tolerances.GAP * abs(diagnosis.factor) / 100.0]
    if worth and diagnosis.factor and not diagnosis.is_least:
        side = max(worth, key=lambda side: side.price)
        most = "" if diagnosis.prices_unique else "at most "
        gain = amount(100.0 * side.price / abs(diagnosis.factor), 2)
        return [f'1 % more strength of all contacts of "{side.name}" adds {most}{gain} %.']
    return ["No single contact or joint limits it alone: several would have to be stronger together."]


def _scaled(diagnosis: Diagnosis) -> str:
    """The effect of force limits that are larger by any factor."""
    pieces = "" if all(len(c.volume) == 1 for c in diagnosis.assembly.contacts) else " with each contact in its piece"
    return f"with force limits scaled up, these contacts and joints still hold no part of this load{pieces}"


def _friction(diagnosis: Diagnosis) -> list[str]:
    """The friction that would be needed; nothing where that is not proven."""
    from .strength import FactorStatus

    factor = diagnosis.friction
    if factor is None or not factor.is_monotone or not factor.verify():
        return []
    if factor.status is FactorStatus.NONE:
        return (
            ["More friction would not help either, even a million times as much."] if factor.bracket[0] >= 1e6 else []
        )
    if factor.status is not FactorStatus.FOUND or factor.value <= 1.0:
        return []
    return [f"Friction {amount(_rounded_up(factor.value))} times as high would hold this load."]


def _rounded_up(value: float, digits: int = 3) -> float:
    """The value rounded up to `digits` significant digits, so that the stated friction suffices."""
    step = 10.0 ** (np.floor(np.log10(value)) - digits + 1)
    return float(np.ceil(value / step) * step)


def _stands(state: ContactState | JointState, side: str = "") -> str:
    """What a contact or joint bears at the limit."""
    if isinstance(state, JointState):
        bound = state.lower if side == "lower" else state.upper
        if state.lower == state.upper:
            return f"{state.label} is free: contacts must load it with exactly {amount(bound)} {state.unit}"
        return f"{state.label} is at its {side} bound of {amount(bound)} {state.unit}"
    where = "its limit" if state.at_limit or not state.at_piece_limit else "the border of its piece"
    return f"{state.label} is at {where} ({100.0 * state.utilisation:.0f} %), {action(state)}"


def action(state: ContactState) -> str:
    """What the contact does to the object: pulls, presses, shears, with how many newtons."""
    shear, normal = float(np.hypot(*state.force[:2])), float(state.force[2])
    strength = float(np.linalg.norm(state.force))
    if strength == 0.0 or state.idle:
        return "without force"
    words = []
    if abs(normal) > SMALL_PART * strength:
        words.append(f"{'pressing' if normal > 0.0 else 'pulling'} {amount(abs(normal))} N")
    if shear > SMALL_PART * strength:
        words.append(f"shearing {amount(shear)} N")
    return " and ".join(words)


def _gain_sentence(diagnosis: Diagnosis, gain: Gain) -> str:
    """The gain of one change in words."""
    if isinstance(gain.state, JointState):
        less = "lower" if gain.side == "lower" else "more"
        change = f"{amount(gain.step)} {gain.state.unit} {less} there"
    else:
        change = f"{amount(gain.step)} % more strength there"
    if gain.gain == np.inf:
        return f"{change} removes the limit"
    if diagnosis.is_least:
        return f"{change} lets it hold from {amount(diagnosis.factor - gain.gain, 4)} times on"
    if diagnosis.factor > tolerances.GAP:
        return f"{change} adds {amount(100.0 * gain.gain / diagnosis.factor, 2)} %"
    return f"{change} adds {amount(gain.gain, 2)} of the load"


def gain_text(diagnosis: Diagnosis, state: ContactState | JointState, side: str = "strength") -> str:
    """The gain of the limit by a change, for tables: 1 % of strength, or a round step of a joint bound.

    The exact gain if it was computed; else by its price, an upper bound unless prices are unique.
    """
    known = next((gain for gain in diagnosis.gains if gain.state is state and gain.side == side), None)
    if isinstance(state, JointState):
        bound, price = _bounds(state)[side]
        step = joint_step(bound, state.reach) if np.isfinite(bound) else 0.0
        value, change = step * price, f" for {amount(step)} {state.unit}"
    else:
        value, change = state.price, ""
    if known is not None:
        value = known.gain
    if value == 0.0 or not np.isfinite(value):
        return "-" if np.isnan(value) else "0" if value == 0.0 else f"no limit{change}"
    most = "" if known is not None or diagnosis.prices_unique else "at most "
    share = abs(diagnosis.factor) > tolerances.GAP
    text = f"{amount(100.0 * value / abs(diagnosis.factor), 2)} %" if share else f"{amount(value, 2)} loads"
    return f"{most}{text}{change}"


def _gives_way(diagnosis: Diagnosis) -> list[str]:
    """How the object begins to move past the limit."""
    if diagnosis.motion is None or diagnosis.separation is not None:
        return []
    return [f"Possible motion beyond the limit: {diagnosis.motion.clause}."]


def _choices(diagnosis: Diagnosis) -> list[str]:
    """That other forces attain the limit too, where that is so or is not known."""
    if not diagnosis.has_prices or all(c.idle for c in diagnosis.contacts) or diagnosis.forces_unique:
        return []
    which = "are" if diagnosis.forces_unique is False else "may be"
    below = " and below it" if diagnosis.limit is not None and diagnosis.limit.problem.is_star_shaped else ""
    return [f"The contact forces at the limit{below} {which} one choice among many that balance the load."]


def _interfaces(diagnosis: Diagnosis) -> list[str]:
    """Which interfaces give way, of several bodies."""
    moving = [state for state in diagnosis.interfaces if state.gives_way]
    if not moving:
        return []
    shown = [f'"{state.name}" ({state.relative_motion})' for state in moving[:MOST_NAMES]]
    rest = len(moving) - MOST_NAMES
    text = " and ".join(shown) if rest <= 0 else f"{', '.join(shown)} and {rest} more"
    which = "The interface that gives way is" if len(moving) == 1 else "The interfaces that give way are"
    return [f"{which} {text}."]


def _listed(names: tuple[str, ...]) -> str:
    """The first names in quotes, the others counted."""
    shown, rest = [f'"{name}"' for name in names[:MOST_NAMES]], len(names) - MOST_NAMES
    return " and ".join(shown) if rest <= 0 else f"{', '.join(shown)} and {rest} more"


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


# `diagnose`: what limits an answer of any method.


@dataclass(frozen=True, eq=False)
class Diagnosis(Result):
    """What limits an answer: in words, and in tables.

    Tables are about the load limit: the states of contacts and joints when it is reached. Where there is no limit,
    or no load, they are about the forces of the answer itself; they are empty when no forces were found.

    Prices are derivatives of the limit with every contact kept in its piece. At a nondegenerate optimum
    (`prices_unique`) they are valid for increase and decrease. At a degenerate one, where prices are not unique, they
    are one-sided bounds, since the limit is concave in strengths and bounds: an increase gains at most its price, a
    decrease costs at least its price. They add up: limit = `from_contacts` + `from_joints`.

    Attributes:
        result: the answer that was explained.
        limit: the load limit behind the tables; for an Equilibrium the one along its wrench. None without a load, or
            where the wrench lies in a hole between scales that hold.
        is_least: whether `limit` is about the reversed load, because the wrench is too small, not too large.
        factor: the multiple of the load at which the tables are taken (nan without forces); at least `limit.value`.
        contacts: the contacts, in the order of the assembly.
        joints: the joint rows, in their order.
        prices_unique: whether the prices are valid for increase and decrease.
        gains: exact gains of single changes, solved again with the change, largest first.
        motion: how the object begins to move when the limit is passed, for these pieces; None without a limit.
        separation: for what does not hold: the motion in which, for the pieces of the proof's part that
            comes nearest to holding, the load does more work than contacts and joints can absorb.
        separation_joints: names of the joint rows whose bounds that proof needs, the most important first.
        interfaces: of several bodies, the pairs that touch: their forces, and which of them give way.
    """

    TABLE: ClassVar[str] = "contacts"

    result: Equilibrium | LoadLimit
    limit: LoadLimit | None
    is_least: bool
    factor: float
    contacts: tuple[ContactState, ...]
    joints: tuple[JointState, ...]
    prices_unique: bool
    gains: tuple[Gain, ...]
    motion: Motion | None
    separation: Motion | None
    separation_joints: tuple[str, ...]
    interfaces: tuple[InterfaceState, ...] = ()

    def __repr__(self) -> str:
        return f"Diagnosis({' '.join(self.sentences)!r})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Sentences, contacts, joints, prices, gains and motions as plain data; what `--explain --json` prints."""
        interval = None if self.limit is None or self.limit.problem.is_star_shaped else self.limit.scale_interval
        if interval is not None and self.is_least:
            interval = (-interval[1], -interval[0])
        return {
            "sentences": self.sentences,
            "factor": self.factor,
            "is_least": self.is_least,
            "scale_interval": interval,
            "prices_unique": self.prices_unique,
            "forces_unique": self.forces_unique,
            "from_contacts": self.from_contacts,
            "from_joints": self.from_joints,
            "contacts": [state.to_dict() for state in self.contacts],
            "joints": [state.to_dict() for state in self.joints],
            "interfaces": [state.to_dict() for state in self.interfaces],
            "gains": [gain.to_dict() for gain in self.gains],
            "motion": None if self.motion is None else self.motion.to_dict(),
            "separating_motion": None if self.separation is None else self.separation.to_dict(),
            "free_joints": {name: torque for name, (torque, _) in self.free_joints.items()},
        }

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What limits the load, in words: the verdict first, then a few sentences by importance."""
        return sentences(self)

    @cached_property
    def forces_unique(self) -> bool | None:
        """Whether no other forces in the same pieces attain the limit; None where that is not known.

        Asked when first wanted, and for at most `FEW_CONTACTS` contacts with prices. See `no_other_forces`.
        """
        if self.limit is None or not self.has_prices or len(self.contacts) > FEW_CONTACTS:
            return None
        return no_other_forces(self.limit.problem, self.contacts, self.joints)

    @cached_property
    def free_joints(self) -> dict[str, tuple[float, str]]:
        """The joints among `separation_joints` whose bounds coincide, with the torque that each would have to give.

        A passive joint without friction is free. The torque ([N m], or [N] for a slide, with its unit) is what the
        joint would carry beyond springs and gravity if these joints were locked, with the most even forces that then
        hold the load; nan where none do, or for a load limit. Computed on first access.
        """
        return _free_torques(self.result, self.separation_joints)

    @cached_property
    def friction(self) -> Factor | None:
        """How much more friction would hold the load, where no part of it is held and more strength does not help.

        Computed on first access. None in other cases, and where `needed_friction` does not search.
        """
        return needed_friction(self.result) if self.strength_is_useless else None

    @property
    def strength_is_useless(self) -> bool:
        """Whether no part of the load is held, even with force limits scaled up, each contact in its piece."""
        if not self.has_prices or self.limit is None or self.gains:
            return False
        tiny = tolerances.GAP * abs(self.factor) + 10 * least_factor(self.limit.problem)
        priced = any(max(j.price_lower, j.price_upper) > 0.0 for j in self.joints)
        return max(abs(self.from_contacts), abs(self.from_joints)) <= tiny and not priced

    @property
    def assembly(self) -> Assembly:
        """The contacts and joints of the answer."""
        return self.result.assembly

    @property
    def has_prices(self) -> bool:
        """Whether prices are known: there is a finite limit."""
        return bool(self.contacts) and bool(np.isfinite([c.price for c in self.contacts]).all())

    @property
    def at_limit(self) -> tuple[ContactState, ...]:
        """The contacts at the border of their volume that bear a force, by descending price."""
        found = [c for c in self.contacts if c.at_limit and not c.idle]
        return tuple(sorted(found, key=lambda c: -c.price if np.isfinite(c.price) else 0.0))

    @property
    def limiting(self) -> tuple[ContactState, ...]:
        """Those of them that limit the load: no other choice of forces could relieve them."""
        return tuple(c for c in self.at_limit if c.binding)

    @property
    def joints_at_limit(self) -> tuple[JointState, ...]:
        """The joint rows at a bound, in their order."""
        return tuple(j for j in self.joints if j.at_limit)

    @property
    def from_contacts(self) -> float:
        """Contribution of contact strength to the limit: 100 times the sum of their prices; nan without prices."""
        return float(sum(100.0 * c.price for c in self.contacts)) if self.has_prices else np.nan

    @property
    def from_joints(self) -> float:
        """Contribution of the joint bounds to the limit: the sum of their parts; nan without prices."""
        return float(sum(j.part for j in self.joints)) if self.has_prices else np.nan


@with_advice()
def diagnose(result: Equilibrium | LoadLimit, *, limit: LoadLimit | None = None) -> Diagnosis:
    """What limits an answer of any method: contacts and joints at their limit, prices, and sentences.

    Args:
        result: what `equilibrium` or `load_limit` returned.
        limit: the load limit along the wrench of an Equilibrium, if it is known already; else it is computed
            by the method of the result.
    """
    asked = _limit_of(result, limit)
    explained, is_least = _explained(result, asked)
    separation, names = _separation(result)
    forces, pieces, factor = _forces_of(result, explained)
    fixed, prices = None, None
    if explained is not None and pieces is not None and explained.status is not Status.UNBOUNDED:
        fixed = FixedPieces(explained.problem, pieces)
        prices = fixed.prices()
        if prices is not None and prices.factor > factor + tolerances.GAP * abs(factor) + least_factor(fixed.problem):
            forces, factor = prices.forces, prices.factor  # the method stopped within its gap of the limit
    if forces is not None and pieces is not None and result.assembly.body_count > 1:
        forces = _even_forces(result if explained is None else explained, forces, pieces, factor)
    contacts, joints = (), ()
    if forces is not None and pieces is not None:
        contacts = contact_states(result.assembly, forces, pieces, prices)
        joints = joint_states(result.assembly, forces, prices)
    unique, gains, motion = False, (), None
    if fixed is not None and prices is not None and forces is not None:
        unique = fixed.pins_prices(forces, np.array([not j.at_limit for j in joints], dtype=bool))
        gains = largest_gains(fixed, prices.factor, contacts, joints)
        motion = Motion.from_multipliers(result.assembly, fixed.problem, prices.multipliers)
    return Diagnosis(
        result=result,
        limit=explained,
        is_least=is_least,
        factor=-factor if is_least else factor,
        contacts=contacts,
        joints=joints,
        prices_unique=unique,
        gains=gains,
        motion=motion,
        separation=separation,
        separation_joints=names,
        interfaces=interface_states(result.assembly, contacts, separation or motion),
    )


def _limit_of(result: Equilibrium | LoadLimit, limit: LoadLimit | None) -> LoadLimit | None:
    """The load limit that belongs to the result; None without a load."""
    if isinstance(result, LoadLimit):
        return result
    checks.instance("result", result, Equilibrium, fix="give what hf.equilibrium or hf.load_limit returned")
    if limit is None:
        return load_limit(result.assembly, result.wrench, method=result.method) if result.wrench.any() else None
    if limit.assembly is not result.assembly or not np.array_equal(limit.direction, result.wrench):
        raise InputError("is about another load", where="limit", fix="give the load limit along the result's wrench")
    return limit


def _explained(result: Equilibrium | LoadLimit, limit: LoadLimit | None) -> tuple[LoadLimit | None, bool]:
    """The limit of the multiples that hold which applies to the question, and whether it is the lower one."""
    if limit is None or isinstance(result, LoadLimit) or result.status is not Status.DOES_NOT_HOLD:
        return limit, False
    if limit.value <= 1.0 + tolerances.GAP:
        return limit, False
    if limit.scale_interval[0] > 1.0 + tolerances.GAP:
        return limit.opposite, True
    return None, False  # between two scales that hold


def _forces_of(
    result: Equilibrium | LoadLimit, explained: LoadLimit | None
) -> tuple[Array | None, Array | None, float]:
    """Local forces (k, 3), pieces (k,) and load factor that the tables are about."""
    if isinstance(result, Equilibrium) and result.holds:
        own = explained is None or explained.status is Status.UNBOUNDED
        if own or (explained is not None and explained.solution.factor < 1.0):  # a weak method may find less
            return result.local_forces, result.pieces, 1.0
    if explained is None or explained.local_forces is None:
        return None, None, np.nan
    return explained.local_forces, explained.pieces, explained.solution.factor


def _even_forces(answer: Equilibrium | LoadLimit, forces: Array, pieces: Array, factor: float) -> Array:
    """The most even local forces (k, 3) at a load factor, so that only interfaces that must be are at a limit.

    The given forces where no more even ones are found.
    """
    load = factor * (answer.wrench if isinstance(answer, Equilibrium) else answer.direction)
    solution = replace(answer.solution, status=Status.HOLDS, factor=1.0, forces=forces, pieces=pieces)
    even = Equilibrium(answer.assembly, solution, load).even().local_forces
    return forces if even is None else even


def _separation(result: Equilibrium | LoadLimit) -> tuple[Motion | None, tuple[str, ...]]:
    """The motion of the certificate's part with the smallest margin, and the joint rows it needs."""
    certificate = result.certificate
    if result.status is not Status.DOES_NOT_HOLD or certificate is None or not certificate.leaves:
        return None, ()
    problem = result.problem
    nearest = min(certificate.leaves, key=lambda leaf: separation_margin(problem, leaf.masks, leaf.multipliers))
    y = nearest.multipliers
    weights = np.abs(y[problem.layout.balance :][: len(result.assembly.mechanism or ())])
    needed = [int(r) for r in np.argsort(-weights) if weights[r] > tolerances.GAP * np.abs(y).max()]
    names = _row_names(result.assembly)
    return Motion.from_multipliers(result.assembly, problem, y), tuple(names[r] for r in needed)


def _row_names(assembly: Assembly) -> tuple[str, ...]:
    """Names of the joint rows in sentences."""
    joints = assembly.mechanism
    return () if joints is None else joints.names or tuple(f"row {row}" for row in range(len(joints)))


def _free_torques(result: Equilibrium | LoadLimit, needed: Sequence[str]) -> dict[str, tuple[float, str]]:
    """(torque, unit) that each of the `needed` joint rows with equal bounds would have to give, were they locked."""
    assembly, joints, names = result.assembly, result.assembly.joints, _row_names(result.assembly)
    if joints is None:
        return {}
    free = [row for name in needed if joints.lower[row := names.index(name)] == joints.upper[row]]
    torques = np.full(len(joints), np.nan)
    if free and isinstance(result, Equilibrium):
        lower, upper = joints.lower.copy(), joints.upper.copy()
        lower[free], upper[free] = -np.inf, np.inf
        locked = replace(assembly, joints=replace(joints, lower=lower, upper=upper))
        held = equilibrium(locked, result.wrench).even()
        if held.holds and held.forces is not None:
            torques = joints.values(held.forces) - joints.lower
    return {names[row]: (float(torques[row]), row_unit(joints.jacobian[row], assembly.positions)) for row in free}
