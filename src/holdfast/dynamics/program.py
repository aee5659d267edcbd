"""The convex program of a box of pieces: every contact's force in the hull of its allowed pieces.

A face of the compiled kernel `solvers.min_norm`: it hands over the arrays, and reads back forces, multipliers and
which vertices each force mixes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..solvers.weak_cache import weakly_cached
from .certificate import Multipliers
from .problem import SeparationProblem

if TYPE_CHECKING:
    from ..solvers.min_norm import Hulls, MinNormProgram, MixtureWork

#: Rows give way by so much (of the load), each by a little more or less, so that no two are met at the same point.
GIVE = 1e-11

#: The share of the gap that a single program is solved to; the rest is left to rounding.
OWN_GAP = 1e-3

#: Steps of the active-set method before a program is given up, for each contact and row.
STEPS = 60

#: Volumes of more pieces than this are refused: there is a table for every set of pieces.
MOST_PIECES = 20

#: Sets of shapes whose hulls are kept for the next question, while their volumes exist.
KEPT_HULLS = 256

#: Irrational step between the rows' tolerances.
GOLDEN = 0.6180339887498949


class Outcome(Enum):
    """How a program ended; in the order of the kernel's outcomes."""

    OPTIMAL = "the least |z|^2 of the box, to its own gap"
    CUT = "no better than the cutoff"
    INFEASIBLE = "no forces of the box meet the rows"
    STALLED = "given up; its bound is right all the same"


class Basis(NamedTuple):
    """Where a program stopped: a start for the next one."""

    keys: IntArray  # (k,) a vertex a contact
    columns: IntArray  # (2, c) contact and vertex (-1 - ray) of what is mixed with it
    weights: Array  # (c,)
    rows: IntArray  # (w,) working rows


@dataclass(frozen=True, eq=False)
class Relaxed:
    """What came out for one box.

    Attributes:
        outcome: how it ended.
        value: |z|^2 of `forces`; inf when they do not meet the rows.
        bound: lower bound of |z|^2 over the box, from `multipliers`, as the kernel reckoned; inf when infeasible.
        forces: (k, 3) local forces in the hulls of the allowed pieces.
        multipliers: what proves the bound.
        basis: which vertices the forces mix.
        steps: exchanges made.
    """

    outcome: Outcome
    value: float
    bound: float
    forces: Array
    multipliers: Multipliers
    basis: Basis
    steps: int


class ConvexProgram:
    """The programs of one problem, one box after another."""

    def __init__(self, problem: SeparationProblem, gap: float, floor: float) -> None:
        from ..solvers.min_norm import MinNormProgram

        k, r = problem.contacts, len(problem.lower)
        self.problem = problem
        self.gap, self.floor = OWN_GAP * gap, OWN_GAP * floor
        self.hulls: Hulls = build_hulls(problem.contact.shapes)
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
        self.programs = self.steps = 0

    @cached_property
    def _work(self) -> MixtureWork:
        from ..solvers.min_norm import new_mixture_work

        return new_mixture_work(self.problem.contacts, len(self.problem.lower))

    def solve(
        self, masks: tuple[int, ...], *, start: Basis | None = None, twist: Array | None = None, cutoff: float = np.inf
    ) -> Relaxed:
        """The least |z|^2 of a box.

        Args:
            masks: allowed pieces of each contact.
            start: basis of a like box; what it uses of pieces that are not allowed here is left out.
            twist: (6,) direction y in z; without `start`, every contact starts with its best vertex against it.
            cutoff: end as soon as the box is proven to have nothing below this.
        """
        from ..solvers.min_norm import new_mixture_state, run, seed

        k, r = self.problem.contacts, len(self.problem.lower)
        state = new_mixture_state(k, r, np.array(masks, dtype=np.int64))
        if start is not None:
            n, w = len(start.weights), len(start.rows)
            state.keys[:] = start.keys
            state.columns[:, :n], state.weights[:n], state.rows[:w] = start.columns, start.weights, start.rows
            state.counts[:2] = n, w
        work = self._work
        y = self.problem.start if twist is None else twist
        seed(self.hulls, self.program, state, y)
        limit = STEPS * (k + 2 * r + 6)
        code, value, bound = run(self.hulls, self.program, state, work, self.gap, self.floor, cutoff, limit)
        self.programs += 1
        self.steps += int(state.counts[2])
        n, w = int(state.counts[0]), int(state.counts[1])
        outcome = list(Outcome)[code]
        motion = np.zeros(6) if outcome is Outcome.INFEASIBLE else work.z[:6].copy()
        multipliers = Multipliers(motion, work.normals.copy(), work.torques.copy())
        basis = Basis(state.keys, state.columns[:, :n], state.weights[:n], state.rows[:w])
        return Relaxed(outcome, value, bound, work.forces.copy(), multipliers, basis, int(state.counts[2]))

    # -- which pieces the forces of a basis come from -------------------------------------------

    def common_pieces(self, basis: Basis, least: float) -> IntArray:
        """(k,) masks of the pieces that have all vertices and rays of weight above `least` of each contact."""
        bits = np.full(self.problem.contacts, -1)
        rest = np.ones(self.problem.contacts)
        for (i, v), weight in zip(basis.columns.T.tolist(), basis.weights.tolist(), strict=True):
            if i >= 0 and weight > least:
                bits[i] &= self._bits(v)
                rest[i] -= weight if v >= 0 else 0.0
        keys = self.hulls.bits[basis.keys]
        return np.where(rest > least, bits & keys, bits)

    def mixture(self, basis: Basis, contact: int) -> list[tuple[int, float]]:
        """(vertex, weight) of what a contact's force mixes, the key first; rays count as -1 - ray, in newtons."""
        mixed = [
            (v, weight)
            for (i, v), weight in zip(basis.columns.T.tolist(), basis.weights.tolist(), strict=True)
            if i == contact
        ]
        return [(int(basis.keys[contact]), 1.0 - sum(w for v, w in mixed if v >= 0)), *mixed]

    def piece_shares(self, basis: Basis, contact: int) -> Array:
        """(pieces,) the weight of a contact's vertices that each piece has; rays count fully."""
        shares = np.zeros(len(self.problem.pieces(contact)))
        for v, weight in self.mixture(basis, contact):
            bits = self._bits(v)
            shares += [(weight if v >= 0 else 1.0) * (bits >> j & 1) for j in range(len(shares))]
        return shares

    def split(self, basis: Basis, contact: int, mask: int) -> list[int]:
        """Masks into which to cut a contact's pieces so that no part allows its force.

        Of the vertices that the force mixes, the two heaviest that share no piece go apart with their pieces; what
        has neither goes where its centre is nearer. Without such a pair every piece is a part.
        """
        mixed = self.mixture(basis, contact)
        pairs = [
            (min(wa, 1.0) * min(wb, 1.0), a, b)
            for (a, wa), (b, wb) in itertools.combinations(mixed, 2)
            if wa > 0.0 and wb > 0.0 and self._bits(a) & mask and self._bits(b) & mask
            if not self._bits(a) & self._bits(b) & mask
        ]
        own = [j for j in range(len(self.problem.pieces(contact))) if mask >> j & 1]
        if not pairs:
            return [1 << j for j in own]
        _, a, b = max(pairs)
        size = self.problem.contact.layout.smallest_size
        ends = [self.hulls.tables.vertices[v] if v >= 0 else size * self.hulls.rays[-1 - v] for v in (a, b)]
        parts = [0, 0]
        for j in own:
            if self._bits(b) >> j & 1:
                side = 1
            elif self._bits(a) >> j & 1:
                side = 0
            else:
                centre = self.problem.pieces(contact)[j].vertices.mean(axis=0)
                side = int((ends[1] - ends[0]) @ (centre - 0.5 * (ends[0] + ends[1])) > 0.0)
            parts[side] |= 1 << j
        return parts

    def _bits(self, vertex: int) -> int:
        """The pieces that a vertex, or a ray (-1 - ray), belongs to."""
        return int(self.hulls.bits[vertex] if vertex >= 0 else self.hulls.ray_bits[-1 - vertex])


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from where they are stored; done once, so that no time limit counts it."""
    from ..solvers.min_norm import MinNormProgram, new_mixture_state, new_mixture_work, run, seed

    hulls = build_hulls(((Polytope(np.eye(3)),),))
    maps, nothing = np.zeros((1, 6, 3)), np.zeros(0)
    normals = np.eye(1, 6)
    program = MinNormProgram(
        np.zeros(1, dtype=np.int64), maps, np.zeros((1, 0, 3)), normals, np.ones(6), np.zeros(1), nothing, nothing
    )
    state = new_mixture_state(1, 0, np.ones(1, dtype=np.int64))
    seed(hulls, program, state, program.start)
    run(hulls, program, state, new_mixture_work(1, 0), tolerances.GAP, 0.0, np.inf, 10)


@weakly_cached(KEPT_HULLS)
def build_hulls(shapes: tuple[tuple[Polytope, ...], ...]) -> Hulls:
    """Vertices and rays of several shapes, one after another, with the pieces that each belongs to."""
    from ..solvers.exact.support_tables import FIRST_VERTEX, build_tables
    from ..solvers.min_norm import Hulls

    most = max(map(len, shapes))
    if most > MOST_PIECES:
        raise InputError(f"a force volume has {most} pieces", where="assembly", fix=f"use at most {MOST_PIECES} pieces")
    bounded = tuple(
        pieces if all(piece.is_bounded for piece in pieces) else tuple(Polytope(piece.extreme) for piece in pieces)
        for pieces in shapes
    )
    tables = build_tables(bounded, np.zeros((0, 4)), 0.0)
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
