"""The one problem behind every question of holding, and what an answer to it looks like.

Find a force f_i in the union of shape i's pieces for each of k contacts, and a load factor d, with

    lower <= sum_i maps_i f_i + d load <= upper        (m rows).

The first rows, six per body, balance force and torque (3), so there lower = upper = 0; the others are joint rows
(5). Equilibrium asks for d = 1, the load limit (6) for the largest d. Rows are scaled: torques and
joint torques are divided by a characteristic length, so that all rows are newtons.

Contacts belong to units. The contacts of a unit share one choice: all their forces lie in the piece of the same number.
So the pieces of a unit are products, and a set of choices ("box") has one bit mask per unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..geometry.polytopes import Polytope
from .certificates import Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .exact.model import Model

#: Where load and forces vanish, a residual is judged against this share of the smallest piece.
ROUNDING_SHARE = 1e-6

#: Loads smaller than this share of the volumes are not used as the unit of force.
SMALLEST_LOAD_SHARE = 1e-6

#: Share of the largest volume below which two forces are the same even where both are near zero.
ABSOLUTE_GAP = 1e-12

#: Share of the largest force of all bodies down to which the balance of each body is judged by its own forces.
SMALLEST_BODY_SHARE = 1e-6

#: Volumes of more pieces than this are left to the reference method: a set of pieces is one number of 64 bits.
MOST_PIECES = 60

#: Convex problems with more rows of balance go to the sparse interior-point method. On the structures of the benchmark
#: `several_bodies` the dense kernels take 0.6 of its time for 4 bodies, 0.9 for 5, 1.3 for 6 and 8 for 10. Their
#: slowest answers take 15, 59, 103 ms and 1.4 s, those of the sparse method 15 to 26 ms.
DENSE_ROWS = 30

#: Loads that differ by fewer decades share the scale on which cones are cut off.
LOAD_DECADES = 2


class Status(StrEnum):
    """The verdict of a method; the value is the message."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    UNDECIDED = "undecided"
    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, eq=False)
class Layout:
    """All of the problem but its load: what one assembly's queries share, and what solvers derive from it once.

    Attributes:
        shapes: the distinct force volumes, each a tuple of convex pieces in its contact frame [N].
        shape_of: (k,) index of each contact's shape.
        blocks: (k, t, 3) local force of each contact to those scaled rows that it may have numbers in.
        lower, upper: (m,) bounds of the scaled rows; infinite where a joint has no limit.
        row_scale: (m,) what each physical row was multiplied by (1, or 1/length [1/m]).
        unit_of: (k,) the unit of each contact, counted from 0 in the order of the contacts; every contact is a unit of
            its own by default. The contacts of a unit follow each other and have as many pieces.
        balance: number of the rows that balance forces and torques: six per body.
        touched: (k, t) the numbers of these rows; None for all m rows in their order. A row that is listed more than
            once has the sum. With many bodies t is much smaller than m: a contact acts on two of them at most.
    """

    shapes: tuple[tuple[Polytope, ...], ...]
    shape_of: Array
    blocks: Array
    lower: Array
    upper: Array
    row_scale: Array
    unit_of: IntArray = field(default=None)  # pyright: ignore[reportAssignmentType]
    balance: int = 6
    touched: IntArray | None = None

    def __post_init__(self) -> None:
        if self.unit_of is None:
            object.__setattr__(self, "unit_of", np.arange(len(self.shape_of)))

    @cached_property
    def unit_starts(self) -> IntArray:
        """(u + 1,) the first contact of each unit, and k."""
        return np.searchsorted(self.unit_of, np.arange(self.unit_of[-1] + 2))

    @cached_property
    def units(self) -> tuple[range, ...]:
        """The contacts of each unit."""
        starts = self.unit_starts.tolist()
        return tuple(map(range, starts[:-1], starts[1:]))

    @cached_property
    def maps(self) -> Array:
        """(k, m, 3) local force of each contact to all scaled rows."""
        if self.touched is None:
            return self.blocks
        maps = np.zeros((len(self.blocks), len(self.lower), 3))
        np.add.at(maps, (np.arange(len(maps))[:, None], self.touched), self.blocks)
        return maps

    @cached_property
    def block_sizes(self) -> Array:
        """(k, t, 3) the absolute values of `blocks`."""
        return np.abs(self.blocks)

    def directions(self, multipliers: Array) -> Array:
        """(k, 3) maps_i^T y for multipliers y (m,)."""
        return _applied(self.blocks, multipliers, self.touched)

    def term_sizes(self, multipliers: Array) -> Array:
        """(k, 3) sums of the absolute values of the terms in `directions`."""
        return _applied(self.block_sizes, np.abs(multipliers), self.touched)

    def row_sums(self, forces: Array) -> Array:
        """(m,) sum_i maps_i f_i for local forces (k, 3)."""
        if self.touched is None:
            return np.einsum("kmi,ki->m", self.blocks, forces)
        own = np.einsum("kti,ki->kt", self.blocks, forces)
        return np.bincount(self.touched.reshape(-1), own.reshape(-1), len(self.lower))

    @cached_property
    def most_terms(self) -> int:
        """The most rows that a contact has numbers in: at most 12, of two bodies, and the joint rows."""
        return int((self.blocks != 0.0).any(axis=2).sum(axis=1).max())

    @cached_property
    def body_reach(self) -> tuple[IntArray, IntArray, Array]:
        """(contacts, bodies, largest numbers) of the blocks of `maps` that are not zero."""
        sizes, bodies = self.block_sizes.max(axis=2), self.balance // 6
        rows = np.broadcast_to(np.arange(sizes.shape[1]), sizes.shape) if self.touched is None else self.touched
        contacts, at = np.nonzero((sizes > 0.0) & (rows < self.balance))
        pairs, which = np.unique(contacts * bodies + rows[contacts, at] // 6, return_inverse=True)
        largest = np.zeros(len(pairs))
        np.maximum.at(largest, which, sizes[contacts, at])
        return pairs // bodies, pairs % bodies, largest

    def numbers_of(self, contact: int) -> tuple[IntArray, Array]:
        """(rows (t,), numbers (t, 3)) of one contact, without rows of zeros."""
        own = self.blocks[contact]
        used = own.any(axis=1)
        return (np.arange(len(own)) if self.touched is None else self.touched[contact])[used], own[used]

    @cached_property
    def piece_counts(self) -> tuple[int, ...]:
        """Number of pieces of each unit."""
        return tuple(len(self.shapes[self.shape_of[first]]) for first in self.unit_starts[:-1])

    @cached_property
    def all_pieces(self) -> tuple[int, ...]:
        """The masks that allow every unit every piece."""
        return tuple((1 << count) - 1 for count in self.piece_counts)

    @cached_property
    def combinations(self) -> int:
        """Number of ways to choose one piece per unit (an exact integer of any size)."""
        return math.prod(self.piece_counts)

    @cached_property
    def contains_zero(self) -> bool:
        """Whether every piece of every contact contains the zero force."""
        return all(bool(piece.contains(np.zeros(3))) for shape in self.shapes for piece in shape)

    @cached_property
    def nearest_to_zero(self) -> Array:
        """(m,) the row values nearest to zero that the bounds allow."""
        return np.clip(0.0, self.lower, self.upper)

    @cached_property
    def bounds_hold_zero(self) -> bool:
        """Whether zero forces fit the joint bounds."""
        return not self.nearest_to_zero.any()

    def model(self, load: Array, *, test: bool) -> Model:
        """What the compiled kernels need of this layout for a test or a maximum, kept for the next query.

        Tests count joint slacks from the row values nearest to zero. Cones have no size of their own: a test with a
        load far larger than the volumes gets a model of its own scale.
        """
        kept, unit = self._models
        from_zero, decade = test and not self.bounds_hold_zero, 0
        if test and self.has_rays and load.any():
            decade = max(0, math.ceil(math.log10(float(np.abs(load).max()) / unit) / LOAD_DECADES))
        model = kept.get((from_zero, decade))
        if model is None:
            from .exact.model import build_model

            model = build_model(self, from_zero=from_zero, unit=unit * 10.0 ** (LOAD_DECADES * decade))
            kept[from_zero, decade] = model
        return model

    @cached_property
    def without_joint_limits(self) -> Layout | None:
        """The same without limits of joints; None where there are none, or where forces without end or 0 need them."""
        limits = np.concatenate([self.lower[self.balance :], self.upper[self.balance :]])
        if not np.isfinite(limits).any() or self.balance > 6 or self.has_rays or not self.bounds_hold_zero:
            return None
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.balance :], upper[self.balance :] = -np.inf, np.inf
        return replace(self, lower=lower, upper=upper)

    def within_joint_limits(self, forces: Array) -> Array:
        """(q,) whether local forces (q, k, 3) are within the limits of all joints, without a tolerance."""
        maps = self.maps[:, self.balance :].transpose(0, 2, 1).reshape(-1, len(self.lower) - self.balance)
        sums = forces.reshape(len(forces), -1) @ maps
        outside = (sums < self.lower[self.balance :]) | (sums > self.upper[self.balance :])
        return ~np.asarray(outside.any(axis=1))

    def kept(self, name: str, make: Callable[[Layout], Any]) -> Any:
        """What a method derives from this layout, made once and kept under a name."""
        if name not in self._kept:
            self._kept[name] = make(self)
        return self._kept[name]

    @cached_property
    def _kept(self) -> dict[str, Any]:
        return {}

    def under(self, load: Array) -> ContactProblem:
        """The query about a load (m,) in the scaled rows."""
        return ContactProblem(self, load)

    @cached_property
    def _models(self) -> tuple[dict[tuple[bool, int], Model], float]:
        from .exact.model import force_unit

        return {}, force_unit(self)

    @cached_property
    def fits_kernels(self) -> bool:
        """Whether the exact method's kernels can treat this layout: zero in every piece, not too many pieces."""
        return self.contains_zero and max(len(shape) for shape in self.shapes) <= MOST_PIECES

    @cached_property
    def is_sparse(self) -> bool:
        """Whether it is convex and has so many bodies that the sparse method is faster than the kernels."""
        return self.balance > DENSE_ROWS and self.combinations == 1

    @cached_property
    def has_rays(self) -> bool:
        """Whether any piece is unbounded."""
        return any(len(piece.rays) for shape in self.shapes for piece in shape)

    @cached_property
    def recession(self) -> Layout | None:
        """The same with each piece's rays only and one-sided limits at zero: what can be added without end.

        A load that it carries has no limit, since zero forces are admissible. None where they are not, or without rays.
        """
        if not (self.has_rays and self.contains_zero and self.bounds_hold_zero):
            return None
        cones = tuple(tuple(Polytope(np.zeros((1, 3)), piece.rays) for piece in shape) for shape in self.shapes)
        lower, upper = (np.where(np.isfinite(side), 0.0, side) for side in (self.lower, self.upper))
        return replace(self, shapes=cones, lower=lower, upper=upper)

    @cached_property
    def rounding_force(self) -> float:
        """Forces [N] that differ by less are the same, even near zero: what rounding leaves of the volumes."""
        return max(ABSOLUTE_GAP * self.largest_size, tolerances.FEASIBILITY * self.smallest_size)

    @cached_property
    def largest_size(self) -> float:
        """Size of the largest piece [N]."""
        return max(piece.size for shape in self.shapes for piece in shape)

    @cached_property
    def smallest_size(self) -> float:
        """Size of the smallest piece [N]."""
        return min(piece.size for shape in self.shapes for piece in shape)


def _applied(blocks: Array, multipliers: Array, touched: IntArray | None) -> Array:
    if touched is None:
        return np.einsum("kmi,m->ki", blocks, multipliers)
    return np.einsum("kti,kt->ki", blocks, multipliers[touched])


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """One query: the layout of an assembly and a load.

    Attributes:
        layout: contacts, rows and bounds.
        load: (m,) the external load in the scaled rows, zero in joint rows.
    """

    layout: Layout
    load: Array

    @property
    def shapes(self) -> tuple[tuple[Polytope, ...], ...]:
        """The distinct force volumes, each a tuple of convex pieces."""
        return self.layout.shapes

    @property
    def shape_of(self) -> Array:
        """(k,) index of each contact's shape."""
        return self.layout.shape_of

    @property
    def maps(self) -> Array:
        """(k, m, 3) local force of each contact to the scaled rows."""
        return self.layout.maps

    @property
    def lower(self) -> Array:
        """(m,) lower bounds of the scaled rows."""
        return self.layout.lower

    @property
    def upper(self) -> Array:
        """(m,) upper bounds of the scaled rows."""
        return self.layout.upper

    @property
    def row_scale(self) -> Array:
        """(m,) what each physical row was multiplied by."""
        return self.layout.row_scale

    @property
    def contacts(self) -> int:
        """Number of contacts k."""
        return len(self.layout.shape_of)

    @property
    def rows(self) -> int:
        """Number of rows m."""
        return len(self.load)

    def pieces(self, contact: int) -> tuple[Polytope, ...]:
        """The convex pieces of one contact's volume."""
        return self.layout.shapes[self.layout.shape_of[contact]]

    @property
    def unit_of(self) -> IntArray:
        """(k,) the unit of each contact."""
        return self.layout.unit_of

    @property
    def units(self) -> tuple[range, ...]:
        """The contacts of each unit."""
        return self.layout.units

    @property
    def piece_counts(self) -> tuple[int, ...]:
        """Number of pieces of each unit."""
        return self.layout.piece_counts

    @property
    def all_pieces(self) -> tuple[int, ...]:
        """The masks that allow every unit every piece."""
        return self.layout.all_pieces

    @property
    def combinations(self) -> int:
        """Number of ways to choose one piece per unit."""
        return self.layout.combinations

    def by_contact(self, masks: Sequence[int]) -> tuple[int, ...]:
        """The masks of units (u,) as masks of their contacts (k,)."""
        return tuple(masks[unit] for unit in self.unit_of)

    def with_pieces(self, pieces: Array) -> ContactProblem:
        """The convex problem in which each contact has one piece (k,) of its volume alone."""
        layout, numbers = self.layout, {}
        shape_of = [
            numbers.setdefault(key, len(numbers)) for key in zip(layout.shape_of.tolist(), pieces.tolist(), strict=True)
        ]
        shapes = tuple((layout.shapes[shape][piece],) for shape, piece in numbers)
        own = replace(layout, shapes=shapes, shape_of=np.array(shape_of), unit_of=np.arange(self.contacts))
        return ContactProblem(own, self.load)

    @property
    def is_star_shaped(self) -> bool:
        """Whether zero forces are admissible and within the joint bounds, so that d = 0 always holds."""
        return self.layout.contains_zero and self.layout.bounds_hold_zero

    def scales(self, *, maximise: bool) -> tuple[float, float]:
        """Unit of force [N] and unit of the load factor of the programs.

        The unit of a test is the load (unless it is far smaller than the volumes). A maximum does not depend on the
        size of the load: its unit is that of the volumes, with a load as large as they are.
        """
        largest, strength = self.layout.largest_size, float(np.abs(self.load).max())
        if maximise:
            return largest, largest / strength if strength else 1.0
        return max(strength, SMALLEST_LOAD_SHARE * largest) if strength else largest, 1.0

    def row_values(self, forces: Array, factor: float) -> Array:
        """(m,) sum_i maps_i f_i + d load for local forces (k, 3)."""
        return self.layout.row_sums(forces) + factor * self.load

    def residual(self, forces: Array, factor: float) -> float:
        """Largest violation of a row [N, scaled rows] by local forces (k, 3) at load factor `factor`."""
        return float(self._violations(forces, factor).max())

    def relative_residual(self, forces: Array, factor: float) -> float:
        """Largest violation of a row by local forces (k, 3), each relative to its entry of `row_sizes`."""
        return float((self._violations(forces, factor) / self.row_sizes(forces, factor)).max())

    def _violations(self, forces: Array, factor: float) -> Array:
        values = self.row_values(forces, factor)
        return np.maximum(np.maximum(self.lower - values, values - self.upper), 0.0)

    def row_sizes(self, forces: Array, factor: float) -> Array:
        """(m,) size [N] against which the residual of each row is judged.

        Of one body it is `force_scale`. Of several it is the load on the row's body and the forces on it: a light body
        must be in balance by its own measure, however large forces are elsewhere. It is at least
        `SMALLEST_BODY_SHARE` of `force_scale`.
        """
        overall, balance = self.force_scale(forces, factor), self.layout.balance
        sizes = np.full(self.rows, overall)
        if balance == 6:
            return sizes
        own = np.abs(factor) * np.abs(self.load[:balance]).reshape(-1, 6).max(axis=1)
        contacts, bodies, reach = self.layout.body_reach
        np.maximum.at(own, bodies, reach * np.abs(forces).max(axis=1)[contacts])
        sizes[:balance] = np.repeat(np.maximum(own, SMALLEST_BODY_SHARE * overall), 6)
        return sizes

    def force_scale(self, forces: Array, factor: float) -> float:
        """Size [N] against which a residual is judged: the load and the forces (rounding, where both vanish).

        Rounding of the volumes must not hide a load that is smaller still.
        """
        largest, strength = float(np.abs(forces).max(initial=0.0)), float(np.abs(self.load).max())
        rounding = ROUNDING_SHARE * self.layout.smallest_size
        return max(abs(factor) * strength, largest, min(rounding, strength) if strength else rounding)


class SolverMethod:
    """What all methods share: the checks of the limits that a method has."""

    def __post_init__(self) -> None:
        """Check `gap` (at most 0.1), `node_limit` and `time_limit` [s] where the method has them."""
        limits = vars(self)
        if "gap" in limits:
            checks.positive("gap", limits["gap"], high=0.1)
        if "node_limit" in limits:
            checks.count("node_limit", limits["node_limit"], high=checks.LARGEST_LIMIT)
        if "time_limit" in limits:
            checks.positive("time_limit", limits["time_limit"], unit="s")


@dataclass(frozen=True)
class SolverStats:
    """What it cost to compute an answer.

    Attributes:
        programs: linear programs solved.
        nodes: piece choices (or sets of them) examined.
        seconds: wall-clock time.
        pivots: exchanges of the simplex method, where the method counts them.
        referee: whether the exact method fell back on the reference method.
        stages: seconds of each stage, where the method measures them separately.
    """

    programs: int = 0
    nodes: int = 0
    seconds: float = 0.0
    pivots: int = 0
    referee: bool = False
    stages: Mapping[str, float] = field(default_factory=dict)

    def after(self, before: SolverStats) -> SolverStats:
        """The same with what was counted before; the times already include it."""
        counts = {name: getattr(self, name) + getattr(before, name) for name in ("programs", "nodes", "pivots")}
        return replace(self, **counts)


@dataclass(frozen=True, eq=False)
class Solution:
    """A solver's answer.

    Attributes:
        status: what came out.
        factor: largest load factor attained by `forces` (d), -inf when no forces were found.
        bound: no load factor above this is possible (certified by `certificate` when that is there).
        forces: (k, 3) admissible local forces, or None.
        pieces: (k,) the piece each force lies in, the same for all contacts of a unit; or None.
        growth: (k, 3) local forces that carry one more unit of load, when there is no limit; else None.
        certificate: proof of what is impossible, or None.
        effort: what it cost.
    """

    status: Status
    factor: float
    bound: float
    forces: Array | None = None
    pieces: Array | None = None
    growth: Array | None = None
    certificate: Certificate | None = None
    effort: SolverStats = field(default_factory=SolverStats)
