"""Maximum dissipation (7), (8): the problem, its proofs, and the search for the smallest |z|^2 over unions of pieces.

With B = L L^T and z = L^-1 (W f + w_ext), the twist rate is q'' = L^-T z and q''^T B q'' = |z|^2. So (7) asks for the
shortest z = start + sum_i maps_i f_i with f_i in F_i, normals z >= 0 (no contact point accelerates into what it
touches) and lower <= sum_i joint_i f_i <= upper. All of it is without units: z counts multiples of `scale`, which is
|w_ext| in the norm of B^-1, and every row has length one.

Proofs that no admissible forces accelerate the object less are checked by support functions alone. For any x in R^6
(in R^6n for n bodies), any weights p >= 0 of the normals and any weights m of the joint rows, with y = x - normals^T p,
every admissible z of a box of pieces obeys

    |z|^2  >=  -|x|^2 + 2 b,
    b = y . start - sum_u h_u + min over s in [lower, upper] of m . s,
    h_u = max over allowed pieces j of sum over contacts i of unit u of h_ij(joint_i^T m - maps_i^T y),

h_ij being the support function of piece j of contact i: the Lagrangian of (7) at its least. Scaled at best, this
is |z| >= b / |x| for b > 0; and x = 0 with b > 0 shows that the box has no admissible z at all. A leaf carries
(x, p, m) for one box of piece choices; the boxes are disjoint and cover all choices, so the least of their bounds
holds for all.

The search branches on piece masks. A node is a box of piece choices, one bit mask per unit; its convex program over
the hulls of each contact's allowed pieces (the compiled kernel `solvers.min_norm`) bounds all choices in it from below.
It leaves out that the contacts of a unit share a piece; the bound that its multipliers prove (above) does not. Where
the forces of every unit lie in one piece, they are admissible; elsewhere the units whose forces mix pieces are
candidates for branching. Nodes are taken in the order of their bounds, so that the search ends with the best forces, a
closed tree of leaves, or the gap that is left.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray, IntArray
from ..compiling import clock
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..results import proof
from ..solvers import ContactProblem, SolverStats
from ..solvers.certificates import tiles
from ..solvers.exact.support_tables import FIRST_VERTEX, build_tables
from ..solvers.interior_point import SparseProgram, admissible, solve_sparse, sparse_limits, without_small
from ..solvers.min_norm import Hulls, MinNormProgram, MixtureWork, new_mixture_state, new_mixture_work, run, seed
from ..solvers.weak_cache import weakly_cached
from .mass import require_definite

# The problem.


@dataclass(frozen=True, eq=False)
class SeparationProblem:
    """One question of what happens; k contacts, r joint rows.

    Attributes:
        contact: the equilibrium problem that this one extends: shapes, rows and load.
        maps: (k, 6 n, 3) local force [N] of each contact to z, for n bodies.
        joint: (k, r, 3) local force [N] of each contact to the joint rows, each of length one per newton of `force`.
        lower, upper: (r,) limits of the joint rows; infinite where a joint has none.
        normals: (k, 6 n) unit rows: normals_i . z has the sign of the acceleration of contact i along its normal.
        start: (6 n,) z without any contact force.
        scale: unit of z [N / sqrt(kg)]: |w_ext| in the norm of B^-1.
        force: size [N] of the load that joint rows are divided by.
        to_acceleration: (6 n, 6 n) z to the twist rate q'' about the world origin [m/s^2, rad/s^2].
    """

    contact: ContactProblem
    maps: Array
    joint: Array
    lower: Array
    upper: Array
    normals: Array
    start: Array
    scale: float
    force: float
    to_acceleration: Array

    @property
    def contacts(self) -> int:
        """Number of contacts k."""
        return len(self.maps)

    @property
    def all_pieces(self) -> tuple[int, ...]:
        """The masks that allow every unit every piece."""
        return self.contact.all_pieces

    def pieces(self, contact: int) -> tuple[Polytope, ...]:
        """The convex pieces of one contact's volume, in its frame."""
        return self.contact.pieces(contact)

    def z_of(self, forces: Array) -> Array:
        """(6 n,) z of local forces (k, 3)."""
        return self.start + np.einsum("kmi,ki->m", self.maps, forces)

    def joint_values(self, forces: Array) -> Array:
        """(r,) joint rows of local forces (k, 3)."""
        return np.einsum("kmi,ki->m", self.joint, forces)

    def size_of(self, forces: Array) -> float:
        """Size of the terms whose sum is z: where they cancel, rounding errors are relative to this size."""
        terms = np.einsum("kmi,ki->km", self.maps, forces)
        return max(float(np.linalg.norm(self.start)), float(np.linalg.norm(terms, axis=1).max(initial=0.0)))


def build_problem(assembly: Assembly, wrench: Array, mass_matrix: Array) -> SeparationProblem:
    """The problem (7), (8) for a load (6 n,) and a mass matrix (6 n, 6 n), both about the world origin.

    Torques are taken about the centre of the contacts of each body and divided by the assembly's length, as in
    `Assembly.build`, so that the numbers do not depend on where the world's origin lies.
    """
    contact = assembly.problem(wrench)
    layout = contact.layout
    rows = layout.balance
    shift = assembly.centred(np.eye(rows)).T * layout.row_scale[:rows, None]  # world wrench to the layout's scaled rows
    mass = shift @ mass_matrix @ shift.T
    lengths = np.sqrt(np.diagonal(mass))
    require_definite("mass_matrix", mass / np.outer(lengths, lengths))
    factor = np.linalg.cholesky(0.5 * (mass + mass.T))
    inverse = np.linalg.inv(factor)
    maps = np.einsum("ab,kbi->kai", inverse, layout.maps[:, :rows])
    start = inverse @ contact.load[:rows]
    scale, force = float(np.linalg.norm(start)), float(np.abs(contact.load[:rows]).max())
    if scale == 0.0:  # without a load, the contacts set the scale
        reach = np.array([max(float(np.abs(p.vertices).max()) for p in shape) for shape in layout.shapes])
        force = float(reach.max()) or 1.0
        scale = float(np.linalg.norm(maps, axis=(1, 2)).max()) * force
    joint = layout.maps[:, rows:]
    sizes = np.sqrt((joint**2).sum(axis=(0, 2)))
    sizes = force * np.where(sizes > 0.0, sizes, 1.0)
    normals = maps[:, :, 2]
    return SeparationProblem(
        contact=contact,
        maps=np.ascontiguousarray(maps / scale),
        joint=np.ascontiguousarray(joint / sizes[None, :, None]),
        lower=layout.lower[rows:] / sizes,
        upper=layout.upper[rows:] / sizes,
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
        start=start / scale,
        scale=scale,
        force=force,
        to_acceleration=scale * shift.T @ inverse.T,
    )


# Proofs.


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Weights of the rows of (7), in the numbers of `SeparationProblem`.

    Attributes:
        motion: (6 n,) x; at the optimum of a box it is its z. Zero in a proof that a box has no admissible z.
        normals: (k,) p >= 0, weights of the non-penetration rows.
        joints: (r,) m, weights of the joint rows: positive for the lower limit, negative for the upper.
    """

    motion: Array
    normals: Array
    joints: Array


@dataclass(frozen=True, eq=False)
class SeparationLeaf:
    """One box of piece choices and the multipliers that bound it.

    Attributes:
        masks: one bit mask per unit; bit j set means that piece j is allowed in this box.
        multipliers: what bounds |z|^2 from below in this box.
    """

    masks: tuple[int, ...]
    multipliers: Multipliers


@dataclass(frozen=True, eq=False)
class SeparationCertificate:
    """A closed search tree: leaves that cover all choices of pieces, each with multipliers that bound it.

    Attributes:
        claim: no admissible forces give a |z|^2 below this (in the numbers of the problem); inf claims that no
            admissible forces keep the contacts from penetrating.
        leaves: disjoint boxes of piece choices with multipliers.
    """

    claim: float
    leaves: tuple[SeparationLeaf, ...]

    def covers(self, problem: SeparationProblem) -> bool:
        """Whether the leaves' boxes are disjoint and leave no choice of pieces out."""
        return tiles([leaf.masks for leaf in self.leaves], problem.all_pieces)

    @proof
    def verify(self, problem: SeparationProblem) -> bool:
        """Whether the claim follows from the leaves, by support functions and counting only."""
        if not self.covers(problem):
            return False
        known: dict[int, PieceSupports] = {}  # leaves that were pruned together share their multipliers
        for leaf in self.leaves:
            if id(leaf.multipliers) not in known:
                known[id(leaf.multipliers)] = piece_supports(problem, leaf.multipliers)
            if not _bound(problem, leaf.masks, leaf.multipliers, known[id(leaf.multipliers)]) >= self.claim:
                return False
        return True


class PieceSupports(NamedTuple):
    """Supports of the multipliers for every piece of every unit; at most c pieces per unit."""

    values: Array  # (units, c) support h of the piece; inf along a ray, -inf where there is no such piece
    sizes: Array  # (units, c) size of the terms of which it is the sum


def lower_bound(problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers) -> float:
    """The smallest |z|^2 that the multipliers allow for the allowed pieces; inf if they exclude all.

    Reduced by the rounding error of its terms. 0 if the multipliers prove nothing.
    """
    return _bound(problem, masks, multipliers, piece_supports(problem, multipliers))


def piece_bounds(problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers) -> Array:
    """(units, c) `lower_bound` for the case that one unit has only one of its pieces.

    0 where the multipliers prove nothing; -inf for pieces that are not allowed.
    """
    supports = piece_supports(problem, multipliers)
    allowed = _allowed(masks, supports)
    values = np.where(allowed, supports.values, -np.inf)
    excess = _excess(problem, masks, multipliers, supports)
    if not np.isfinite(excess):
        return np.where(allowed, 0.0, -np.inf)
    left = np.maximum(excess + values.max(axis=1, keepdims=True) - values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.where(left > 0.0, left**2 / float(multipliers.motion @ multipliers.motion), 0.0)
    return np.where(allowed, bounds, -np.inf)


def piece_supports(problem: SeparationProblem, multipliers: Multipliers) -> PieceSupports:
    """Sum over its contacts i of h_ij(joint_i^T m - maps_i^T y), for every piece j of every unit.

    As in the proofs of holding, a slope along a ray counts as zero within `tolerances.RAY_SLOPE` of its terms.
    """
    y, m = multipliers.motion - multipliers.normals @ problem.normals, multipliers.joints
    directions = np.einsum("kmi,m->ki", problem.joint, m) - np.einsum("kmi,m->ki", problem.maps, y)
    terms = np.einsum("kmi,m->ki", np.abs(problem.joint), np.abs(m))
    terms = np.linalg.norm(terms + np.einsum("kmi,m->ki", np.abs(problem.maps), np.abs(y)), axis=1)
    shapes = problem.contact.shapes
    values = np.full((problem.contacts, max(map(len, shapes))), -np.inf)
    sizes = np.zeros(values.shape)
    for shape, pieces in enumerate(shapes):
        members = np.nonzero(problem.contact.shape_of == shape)[0]
        for j, piece in enumerate(pieces):
            values[members, j] = (directions[members] @ piece.vertices.T).max(axis=1)
            sizes[members, j] = terms[members] * np.abs(piece.vertices).max()
            if len(piece.rays):
                slopes = directions[members] @ piece.rays.T
                limits = tolerances.RAY_SLOPE * terms[members, None] * np.linalg.norm(piece.rays, axis=1)
                values[members[(slopes > limits).any(axis=1)], j] = np.inf
    starts = problem.contact.layout.unit_starts[:-1]
    return PieceSupports(np.add.reduceat(values, starts), np.add.reduceat(sizes, starts))


def _allowed(masks: Sequence[int], supports: PieceSupports) -> BoolArray:
    """(units, c) the pieces that a box allows."""
    allowed = np.array(masks)[:, None] >> np.arange(supports.values.shape[1]) & 1 == 1
    if not allowed.any(axis=1).all():
        at = int(np.argmin(allowed.any(axis=1)))
        raise InputError("allows no piece", where=f"masks[{at}]", fix="every unit needs one piece or more")
    return allowed


def _excess(
    problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers, supports: PieceSupports
) -> float:
    """b of the bound, reduced by its rounding error; -inf if the multipliers prove nothing."""
    x, p, m = multipliers.motion, multipliers.normals, multipliers.joints
    allowed = _allowed(masks, supports)
    total = float(np.where(allowed, supports.values, -np.inf).max(axis=1).sum())
    size = float(np.where(allowed, supports.sizes, 0.0).max(axis=1).sum())
    with np.errstate(invalid="ignore"):
        ends = np.where(m > 0.0, m * problem.lower, np.where(m < 0.0, m * problem.upper, 0.0))
    if not ((p >= 0.0).all() and np.isfinite(total) and np.isfinite(ends).all()):
        return -np.inf
    own = float((np.abs(x) + p @ np.abs(problem.normals)) @ np.abs(problem.start))
    rounding = tolerances.SUM_ROUNDING * (problem.contacts + len(m) + len(x))
    b = float((x - p @ problem.normals) @ problem.start) - total + float(ends.sum())
    return b - rounding * max(own, size, float(np.abs(ends).sum()))


def _bound(
    problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers, supports: PieceSupports
) -> float:
    """The bound on |z|^2 that follows from b."""
    excess = _excess(problem, masks, multipliers, supports)
    if excess <= 0.0:
        return 0.0
    length = float(multipliers.motion @ multipliers.motion)
    return excess**2 / length if length > 0.0 else np.inf


# The convex program of a box.

#: Tolerance of rows (relative to the load), slightly different for each row, so that no two are met at the same point.
GIVE = 1e-11

#: The fraction of the gap for a single program; the rest is left to rounding.
OWN_GAP = 1e-3

#: Most steps of the active-set method for each contact and row.
STEPS = 60

#: Volumes of more pieces than this are refused: there is a table for every set of pieces.
MOST_PIECES = 20

#: Number of sets of shapes whose hulls are stored while their volumes exist.
KEPT_HULLS = 256

#: Irrational step between the rows' tolerances.
GOLDEN = 0.6180339887498949


class HullOutcome(Enum):
    """How a program ended; in the order of the kernel's outcomes."""

    OPTIMAL = "the least |z|^2 of the box, to its own gap"
    CUT = "no better than the cutoff"
    INFEASIBLE = "no forces of the box meet the rows"
    STALLED = "given up; its bound is still valid"


class HullBasis(NamedTuple):
    """Where a program stopped: a start for the next one."""

    keys: IntArray  # (k,) one vertex per contact
    columns: IntArray  # (2, c) contact and vertex (-1 - ray) of what is mixed with it
    weights: Array  # (c,)
    rows: IntArray  # (w,) working rows


@dataclass(frozen=True, eq=False)
class HullOptimum:
    """The result for one box.

    Attributes:
        outcome: how it ended.
        value: |z|^2 of `forces`; inf when they do not meet the rows.
        bound: lower bound of |z|^2 over the box, from `multipliers`, as the kernel computed it; inf when infeasible.
        forces: (k, 3) local forces in the hulls of the allowed pieces.
        multipliers: what proves the bound.
        basis: which vertices the forces mix.
        steps: exchanges made.
    """

    outcome: HullOutcome
    value: float
    bound: float
    forces: Array
    multipliers: Multipliers
    basis: HullBasis
    steps: int


class HullProgram:
    """The programs of one problem, one box after another."""

    def __init__(self, problem: SeparationProblem, gap: float, floor: float) -> None:
        k, r = problem.contacts, len(problem.lower)
        self.problem = problem
        self.gap, self.floor = OWN_GAP * gap, OWN_GAP * floor
        self.hulls: Hulls = build_hulls(problem.contact.shapes, False)
        give = GIVE * (1.0 + (np.arange(1, k + 2 * r + 1) * GOLDEN) % 1.0)
        limits = np.zeros(k + 2 * r)
        limits[k::2], limits[k + 1 :: 2] = problem.lower, -problem.upper
        self.program: MinNormProgram = MinNormProgram(
            shape_of=np.asarray(problem.contact.shape_of, dtype=np.int64),
            maps=problem.maps,
            joint=problem.joint,
            normals=np.ascontiguousarray(problem.normals),
            start=problem.start,
            limits=limits - give,
            lower=problem.lower,
            upper=problem.upper,
        )
        self._work: MixtureWork = new_mixture_work(k, r, len(problem.start))
        self.programs = self.steps = 0

    def solve(
        self,
        masks: tuple[int, ...],
        *,
        start: HullBasis | None = None,
        twist: Array | None = None,
        cutoff: float = np.inf,
    ) -> HullOptimum:
        """The least |z|^2 of a box.

        Args:
            masks: allowed pieces of each unit.
            start: basis of a similar box; pieces that are not allowed here are left out.
            twist: (6 n,) direction y in z; without `start`, every contact starts with its best vertex against it.
            cutoff: end as soon as it is proven that the box has no value below this.
        """
        k, r = self.problem.contacts, len(self.problem.lower)
        d = len(self.problem.start)
        state = new_mixture_state(k, r, np.array(self.problem.contact.by_contact(masks), dtype=np.int64), d)
        if start is not None:
            n, w = len(start.weights), len(start.rows)
            state.keys[:] = start.keys
            state.columns[:, :n], state.weights[:n], state.rows[:w] = start.columns, start.weights, start.rows
            state.counts[:2] = n, w
        work = self._work
        y = self.problem.start if twist is None else twist
        interpreted = run.is_interpreted
        hulls = self.hulls if interpreted else build_hulls(self.problem.contact.shapes, True)
        seed.form(interpreted)(hulls, self.program, state, y)
        limit = STEPS * (k + 2 * r + d)
        code, value, bound = run.form(interpreted)(
            hulls, self.program, state, work, self.gap, self.floor, cutoff, limit
        )
        self.programs += 1
        self.steps += int(state.counts[2])
        n, w = int(state.counts[0]), int(state.counts[1])
        outcome = list(HullOutcome)[code]
        motion = np.zeros(d) if outcome is HullOutcome.INFEASIBLE else work.z[:d].copy()
        multipliers = Multipliers(motion, work.normals.copy(), work.torques.copy())
        basis = HullBasis(state.keys, state.columns[:, :n], state.weights[:n], state.rows[:w])
        return HullOptimum(outcome, value, bound, work.forces.copy(), multipliers, basis, int(state.counts[2]))

    def common_pieces(self, basis: HullBasis, least: float) -> IntArray:
        """(k,) masks of the pieces that contain all vertices and rays with weight above `least` of each contact."""
        bits = np.full(self.problem.contacts, -1)
        rest = np.ones(self.problem.contacts)
        for (i, v), weight in zip(basis.columns.T.tolist(), basis.weights.tolist(), strict=True):
            if i >= 0 and weight > least:
                bits[i] &= self._bits(v)
                rest[i] -= weight if v >= 0 else 0.0
        keys = self.hulls.bits[basis.keys]
        return np.where(rest > least, bits & keys, bits)

    def mixture(self, basis: HullBasis, unit: int) -> list[tuple[int, int, float]]:
        """(contact, vertex, weight) of what a unit's forces combine, keys first; rays are -1 - ray, in newtons."""
        contacts = self.problem.contact.units[unit]
        mixed = [
            (i, v, weight)
            for (i, v), weight in zip(basis.columns.T.tolist(), basis.weights.tolist(), strict=True)
            if i in contacts
        ]
        taken = {i: sum(w for other, v, w in mixed if other == i and v >= 0) for i in contacts}
        return [*((i, int(basis.keys[i]), 1.0 - taken[i]) for i in contacts), *mixed]

    def piece_shares(self, basis: HullBasis, unit: int) -> Array:
        """(pieces,) the weight of the vertices of a unit's contacts in each piece; rays count fully."""
        shares = np.zeros(self.problem.contact.piece_counts[unit])
        for _, v, weight in self.mixture(basis, unit):
            bits = self._bits(v)
            shares += [(weight if v >= 0 else 1.0) * (bits >> j & 1) for j in range(len(shares))]
        return shares

    def split(self, relaxed: HullOptimum, unit: int, mask: int) -> list[int]:
        """Masks into which a unit's pieces are divided so that no part allows its forces.

        Of the vertices that the forces combine, the two heaviest that share no piece are separated with their pieces;
        pieces with neither go to the nearer part. Without such a pair every piece is a part.
        """
        mixed = [m for m in self.mixture(relaxed.basis, unit) if m[2] > 0.0 and self._bits(m[1]) & mask]
        pairs = [
            (min(a[2], 1.0) * min(b[2], 1.0), a[:2], b[:2])
            for a, b in itertools.combinations(mixed, 2)
            if not self._bits(a[1]) & self._bits(b[1]) & mask
        ]
        own = [j for j in range(self.problem.contact.piece_counts[unit]) if mask >> j & 1]
        if not pairs:
            return [1 << j for j in own]
        _, a, b = max(pairs)
        ends = [self._end(relaxed, unit, *vertex) for vertex in (a, b)]
        parts = [0, 0]
        for j in own:
            if self._bits(b[1]) >> j & 1:
                side = 1
            elif self._bits(a[1]) >> j & 1:
                side = 0
            else:
                pieces = [self.problem.pieces(i)[j] for i in self.problem.contact.units[unit]]
                centre = np.concatenate([piece.vertices.mean(axis=0) for piece in pieces])
                side = int((ends[1] - ends[0]) @ (centre - 0.5 * (ends[0] + ends[1])) > 0.0)
            parts[side] |= 1 << j
        return parts

    def _end(self, relaxed: HullOptimum, unit: int, contact: int, vertex: int) -> Array:
        """(3 n,) the forces of a unit's n contacts with one of them moved to a vertex, or along a ray (-1 - ray)."""
        contacts = self.problem.contact.units[unit]
        forces = relaxed.forces[contacts.start : contacts.stop].copy()
        size = self.problem.contact.layout.smallest_size
        far = self.hulls.tables.vertices[vertex] if vertex >= 0 else size * self.hulls.rays[-1 - vertex]
        forces[contact - contacts.start] = far
        return forces.reshape(-1)

    def _bits(self, vertex: int) -> int:
        """The pieces that a vertex, or a ray (-1 - ray), belongs to."""
        return int(self.hulls.bits[vertex] if vertex >= 0 else self.hulls.ray_bits[-1 - vertex])


@weakly_cached(KEPT_HULLS)
def build_hulls(shapes: tuple[tuple[Polytope, ...], ...], cells: bool) -> Hulls:
    """Vertices and rays of several shapes, one after another, with the pieces that each belongs to.

    Compiled kernels want `cells`: see `build_tables`.
    """
    most = max(map(len, shapes))
    if most > MOST_PIECES:
        raise InputError(f"a force volume has {most} pieces", where="assembly", fix=f"use at most {MOST_PIECES} pieces")
    bounded = tuple(
        pieces if all(piece.is_bounded for piece in pieces) else tuple(Polytope(piece.extreme) for piece in pieces)
        for pieces in shapes
    )
    tables = build_tables(bounded, np.zeros((0, 4)), 0.0, cells=cells)
    bits, rays, ray_bits = tables.bits.copy(), [], []
    for shape, pieces in enumerate(shapes):
        span = slice(*tables.shapes[shape : shape + 2, FIRST_VERTEX])
        corners = tables.vertices[span]
        for j, piece in enumerate(pieces):
            if len(piece.rays):  # with its rays, a piece has more of the vertices
                slack = 0.1 * tolerances.MEMBERSHIP * np.maximum(np.abs(corners).max(axis=1), piece.size)
                bits[span] |= (piece.signed_distance(corners) <= slack).astype(np.int64) << j
        units = [piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) for piece in pieces]
        rays.append(np.concatenate(units).reshape(-1, 3))
        ray_bits.append(np.repeat(1 << np.arange(len(pieces)), [len(u) for u in units]).astype(np.int64))
    return Hulls(tables, bits, np.concatenate(rays), np.concatenate(ray_bits), np.cumsum([0, *map(len, rays)]))


# The search.

#: Values of |z|^2 that differ by less than this share of |w|^2 in the norm of B^-1 are the same.
VALUE_FLOOR = 1e-14

#: Smaller weights do not count as a combination: they move a force by less than the tolerance of membership.
NO_WEIGHT = 0.05 * tolerances.MEMBERSHIP

#: Mixed units whose children are both solved before one of them is chosen to branch on.
CANDIDATES = 4

#: A candidate's score: the rise of its worse child's bound counts so many times as that of its better child's.
WORSE_COUNTS = 20.0

#: Replaces the bound of a joint row without one, in units of the load.
NO_BOUND = 1e8

#: Without known admissible forces, a bound stops at this many |w|^2: the box then counts as empty.
CEILING = 1e3

#: Share of the gap at which a box counts as closed; the rest is left to rounding.
CLOSED_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Separating:
    """Settings of the search for the least acceleration.

    Attributes:
        gap: relative gap of the value q''^T B q'' at which the search stops.
        node_limit: most boxes of piece choices; beyond, the result is "undecided".
        time_limit: most seconds; beyond, the result is "undecided".
    """

    gap: float = tolerances.GAP
    node_limit: int = 20_000
    time_limit: float = 60.0

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)
        checks.count("node_limit", self.node_limit, high=checks.LARGEST_LIMIT)
        checks.positive("time_limit", self.time_limit, unit="s")


def sparse_least(problem: SeparationProblem, method: Separating) -> SearchResult:
    """The smallest |z|^2 of convex volumes on many bodies, as one sparse quadratic program in forces and z.

    Its multipliers are those of the proofs above. Small multipliers of bodies that do not move are set to zero, until
    the bound meets the gap. If it does not, the result is open, with the forces and the bound found so far.
    """
    began, layout = clock(), problem.contact.layout
    k, d = problem.contacts, len(problem.start)
    answer = solve_sparse(_sparse_program(problem), method.time_limit)
    forces = None
    if answer is not None and np.isfinite(answer.x).all():
        raw = problem.force * answer.x[: 3 * k].reshape(k, 3)
        forces = admissible(layout, raw, problem.contact.force_scale(raw, 1.0))
    value = np.inf if forces is None else float(problem.z_of(forces) @ problem.z_of(forces))
    bound, multipliers = 0.0, None
    if answer is not None and np.isfinite(answer.less).all():
        r = len(problem.lower)
        normals, joints = answer.less[:k], answer.less[k : k + 2 * r].reshape(2, r)
        joints = np.where(np.isfinite(problem.lower), joints[1], 0.0) - np.where(
            np.isfinite(problem.upper), joints[0], 0.0
        )
        for motion in without_small(answer.x[3 * k : 3 * k + d], block=6):
            moving = (np.abs(problem.normals) @ np.abs(motion)) > 0.0  # contacts of bodies at rest separate nothing
            found = Multipliers(motion, np.where(moving, np.maximum(normals, 0.0), 0.0), joints)
            proven = lower_bound(problem, problem.all_pieces, found)
            if multipliers is None or proven > bound:
                bound, multipliers = proven, found
            if value - bound <= CLOSED_SHARE * (method.gap * value + VALUE_FLOOR):
                break
    closed = bool(value - bound <= method.gap * value + VALUE_FLOOR) and value < np.inf
    effort = SolverStats(programs=1, nodes=1, seconds=clock() - began)
    certificate = None
    if closed and multipliers is not None:
        certificate = SeparationCertificate(min(bound, value), (SeparationLeaf(problem.all_pieces, multipliers),))
    pieces = None if forces is None else np.zeros(k, dtype=np.int64)
    return SearchResult(value, min(bound, value), closed, forces, pieces, multipliers, certificate, effort)


def _sparse_program(problem: SeparationProblem) -> SparseProgram:
    """minimise |z|^2 / 2 with z - maps f = start, normals z >= 0, joint rows and volumes; f in units of the load."""
    from scipy.sparse import block_array, csr_array, eye_array, vstack

    layout, unit = problem.contact.layout, problem.force
    k, d, r = problem.contacts, len(problem.start), len(problem.lower)
    flat = csr_array(problem.maps.transpose(1, 0, 2).reshape(d, 3 * k) * -unit)
    joint = csr_array(problem.joint.transpose(1, 0, 2).reshape(r, 3 * k) * unit)
    limits = layout.kept("sparse limits", sparse_limits)
    empty = csr_array((len(limits.offsets) + 2 * r, d))
    moved = vstack([joint, -joint, limits.normals], format="csr") if r else limits.normals
    less = block_array([[csr_array((k, 3 * k)), csr_array(-problem.normals)], [moved, empty]], format="csr")
    far = [np.where(np.isfinite(b), b, NO_BOUND) for b in (problem.upper, -problem.lower)]
    most = np.concatenate([np.zeros(k), *far, limits.offsets / unit])
    squares = np.concatenate([np.zeros(3 * k), np.ones(d)])
    equal = block_array([[flat, eye_array(d)]], format="csr")
    return SparseProgram(np.zeros(3 * k + d), equal, problem.start, less, most, squares)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search, in the units of the problem.

    Attributes:
        value: |z|^2 of the best admissible forces; inf without any.
        bound: no admissible forces give less; inf when there are none.
        closed: whether the gap between the two meets the requested gap.
        forces: (k, 3) local forces, or None.
        pieces: (k,) the piece each lies in, or None.
        multipliers: those of the best forces' own box: with them they meet the conditions of optimality.
        certificate: the closed tree, or None where it did not close.
        effort: counts and time of the search.
    """

    value: float
    bound: float
    closed: bool
    forces: Array | None
    pieces: IntArray | None
    multipliers: Multipliers | None
    certificate: SeparationCertificate | None
    effort: SolverStats


@dataclass(frozen=True, eq=False)
class _Node:
    """A box, its solved program, and the piece that contains each unit's forces (-1: they mix pieces)."""

    masks: tuple[int, ...]
    relaxed: HullOptimum
    pieces: IntArray


class SeparationSearch:
    """One search; `run` does it."""

    def __init__(self, problem: SeparationProblem, method: Separating) -> None:
        self.problem = problem
        self.method = method
        self.program = HullProgram(problem, method.gap, VALUE_FLOOR)
        self.best: tuple[HullOptimum, IntArray] | None = None
        self.nodes = 0
        self._tried: set[tuple[int, ...]] = set()
        self._leaves: list[SeparationLeaf] = []
        self._proven = np.inf
        self._began = clock()

    @property
    def value(self) -> float:
        """|z|^2 of the best forces so far; inf without any."""
        return np.inf if self.best is None else self.best[0].value

    @property
    def cutoff(self) -> float:
        """A box without values below this is not searched further."""
        return self.value - CLOSED_SHARE * (self.method.gap * self.value + VALUE_FLOOR) if self.best else np.inf

    @property
    def exhausted(self) -> bool:
        """Whether a limit has been reached."""
        return self.nodes >= self.method.node_limit or clock() - self._began > self.method.time_limit

    def run(self) -> SearchResult:
        """The best admissible forces, and the proof that there are no better ones."""
        if self.problem.contact.layout.is_sparse:
            return sparse_least(self.problem, self.method)
        order = itertools.count()
        heap: list[tuple[float, int, _Node]] = []
        unsure: list[_Node] = []
        waiting = [self._node(self.problem.all_pieces, None)]
        while True:
            for node in waiting:
                if not self._closes(node):
                    heapq.heappush(heap, (node.relaxed.bound, next(order), node))
            if not heap or self.exhausted:
                break
            node = heapq.heappop(heap)[2]
            waiting = []
            if node.relaxed.bound >= self.cutoff:
                self._leaf(node)
            elif all(mask & (mask - 1) == 0 for mask in node.masks):
                unsure.append(node)  # a single choice of pieces does not close: precision is not sufficient
            else:
                self._round(node)
                waiting = self._branch(node) if node.relaxed.bound < self.cutoff else [node]
        return self._answer([node for *_, node in heap] + unsure)

    def _node(self, masks: tuple[int, ...], parent: _Node | None) -> _Node:
        """Solve a box, and store its forces if they are admissible and better than the best."""
        self.nodes += 1
        start = None if parent is None else parent.relaxed.basis
        twist = None if parent is None else parent.relaxed.multipliers.motion
        relaxed = self.program.solve(masks, start=start, twist=twist, cutoff=self.cutoff)
        if self.problem.contacts > len(masks):  # the program ignores that contacts of a unit share a piece
            shared = lower_bound(self.problem, masks, relaxed.multipliers)
            relaxed = replace(relaxed, bound=max(relaxed.bound, shared))
        closed = relaxed.outcome is HullOutcome.INFEASIBLE or relaxed.bound >= self.cutoff
        node = _Node(masks, relaxed, np.full(len(masks), -1) if closed else self._pieces(masks, relaxed))
        if relaxed.value < self.value and (node.pieces >= 0).all():
            self.best = relaxed, node.pieces
        return node

    def _closes(self, node: _Node) -> bool:
        if node.relaxed.bound >= self.cutoff or node.relaxed.outcome is HullOutcome.INFEASIBLE:
            self._leaf(node)
            return True
        return False

    def _leaf(self, node: _Node) -> None:
        self._leaves.append(SeparationLeaf(node.masks, node.relaxed.multipliers))
        self._proven = min(self._proven, lower_bound(self.problem, node.masks, node.relaxed.multipliers))

    def _pieces(self, masks: tuple[int, ...], relaxed: HullOptimum) -> IntArray:
        """(units,) a piece that contains the forces of each unit; -1 where they lie in none."""
        bits = self.program.common_pieces(relaxed.basis, NO_WEIGHT)
        common = np.bitwise_and.reduceat(bits, self.problem.contact.layout.unit_starts[:-1]) & np.array(masks)
        pieces = np.full(len(masks), -1)
        for u, (contacts, mask) in enumerate(zip(self.problem.contact.units, masks, strict=True)):
            if common[u]:
                pieces[u] = (int(common[u]) & -int(common[u])).bit_length() - 1
                continue
            for j in (j for j in range(mask.bit_length()) if mask >> j & 1):
                if all(bits[i] >> j & 1 or _inside(self.problem.pieces(i)[j], relaxed.forces[i]) for i in contacts):
                    pieces[u] = j
                    break
        return pieces

    def _round(self, node: _Node) -> None:
        """Fix every unit to the piece that contains most of its forces, and solve again."""
        fixed = list(node.masks)
        for u, piece in enumerate(node.pieces):
            if piece < 0:
                allowed = [j for j in range(node.masks[u].bit_length()) if node.masks[u] >> j & 1]
                shares = self.program.piece_shares(node.relaxed.basis, u)
                piece = max(allowed, key=lambda j, shares=shares: shares[j])
            fixed[u] = 1 << int(piece)
        masks = tuple(fixed)
        if masks not in self._tried:
            self._tried.add(masks)
            self._node(masks, node)

    def _pruned(self, node: _Node) -> tuple[int, ...]:
        """The box without pieces that cannot improve on the best forces; these pieces become leaves."""
        if self.best is None:
            return node.masks
        bounds = piece_bounds(self.problem, node.masks, node.relaxed.multipliers)
        masks = list(node.masks)
        for i in np.nonzero((bounds >= self.cutoff).any(axis=1))[0].tolist():
            pruned = sum(1 << int(j) for j in np.nonzero(bounds[i] >= self.cutoff)[0])
            if pruned != masks[i]:  # otherwise the node itself would be closed
                leaf = (*masks[:i], pruned, *masks[i + 1 :])
                self._leaves.append(SeparationLeaf(leaf, node.relaxed.multipliers))
                self._proven = min(self._proven, float(bounds[i][bounds[i] >= self.cutoff].min()))
                masks[i] &= ~pruned
        return tuple(masks)

    def _branch(self, node: _Node) -> list[_Node]:
        """The children of the unit whose division raises the bounds most."""
        masks = self._pruned(node)
        mixed = [i for i in np.nonzero(node.pieces < 0)[0].tolist() if masks[i] & (masks[i] - 1)]
        if not mixed and masks != node.masks:  # decided by pruning: solve the remaining box
            return [self._node(masks, node)]
        if not mixed:  # the forces give no choice: take any unit with several pieces
            mixed = [next(i for i, mask in enumerate(masks) if mask & (mask - 1))]
        mixed.sort(key=lambda i: self.program.piece_shares(node.relaxed.basis, i).max())
        chosen: list[_Node] = []
        highest = -np.inf
        ceiling = self.cutoff if self.best else CEILING
        for i in mixed[:CANDIDATES]:
            children = []
            for part in self.program.split(node.relaxed, i, masks[i]):
                children.append(self._node((*masks[:i], part, *masks[i + 1 :]), node))
            rises = [min(child.relaxed.bound, ceiling) - node.relaxed.bound for child in children]
            score = WORSE_COUNTS * min(rises) + max(rises)
            if score > highest:
                chosen, highest = children, score
            if all(child.relaxed.bound >= self.cutoff for child in children) or self.exhausted:
                break
        return chosen

    def _answer(self, still_open: list[_Node]) -> SearchResult:
        # Computed again from its multipliers, in another order of sums, a bound differs by rounding.
        proven = self._proven * (1.0 - tolerances.ROUNDING) if self._proven < np.inf else np.inf
        bound = min(proven, self.value, *(node.relaxed.bound for node in still_open), np.inf)
        met = self.value == bound == np.inf or self.value - bound <= self.method.gap * self.value + VALUE_FLOOR
        certificate = None if still_open else SeparationCertificate(proven, tuple(self._leaves))
        seconds = clock() - self._began
        effort = SolverStats(
            programs=self.program.programs, nodes=self.nodes, seconds=seconds, pivots=self.program.steps
        )
        relaxed, pieces = self.best or (None, None)
        forces, multipliers = (None, None) if relaxed is None else (relaxed.forces, relaxed.multipliers)
        pieces = None if pieces is None else pieces[self.problem.contact.unit_of]
        closed = not still_open and met
        return SearchResult(self.value, bound, closed, forces, pieces, multipliers, certificate, effort)


def _inside(piece: Polytope, force: Array) -> bool:
    """Whether a piece contains a force, by its half-spaces; stricter than membership is judged."""
    normals, offsets = piece.halfspaces
    slack = 0.1 * tolerances.MEMBERSHIP * max(piece.size, float(np.abs(force).max()))
    return bool((normals @ force - offsets <= slack).all())
