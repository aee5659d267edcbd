"""The one problem behind every question of holding, and what an answer to it looks like.

Find a force f_i in the union of shape i's pieces for each of k contacts, and a load factor d, with

    lower <= sum_i maps_i f_i + d load <= upper        (m rows).

The first six rows balance force and torque (3), so there lower = upper = 0; the others are joint rows
(5). Equilibrium asks for d = 1, the load limit (6) for the largest d. Rows are scaled: torques and
joint torques are divided by a characteristic length, so that all rows are newtons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np

from ..checks import Array
from ..polytopes import Polytope
from .certificate import Certificate


class Status(StrEnum):
    """What came out; the value is the message."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    UNDECIDED = "undecided"
    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """The arrays of the problem above.

    Attributes:
        shapes: the distinct force volumes, each a tuple of convex pieces in its contact frame [N].
        shape_of: (k,) index of each contact's shape.
        maps: (k, m, 3) local force of each contact to the scaled rows.
        load: (m,) the external load in the scaled rows, zero in joint rows.
        lower, upper: (m,) bounds of the scaled rows; infinite where a joint has no limit.
        row_scale: (m,) what each physical row was multiplied by (1, or 1/length [1/m]).
    """

    shapes: tuple[tuple[Polytope, ...], ...]
    shape_of: Array
    maps: Array
    load: Array
    lower: Array
    upper: Array
    row_scale: Array

    @property
    def contacts(self) -> int:
        """Number of contacts k."""
        return len(self.shape_of)

    @property
    def rows(self) -> int:
        """Number of rows m."""
        return len(self.load)

    def pieces(self, contact: int) -> tuple[Polytope, ...]:
        """The convex pieces of one contact's volume."""
        return self.shapes[self.shape_of[contact]]

    @cached_property
    def all_pieces(self) -> tuple[int, ...]:
        """The mask that allows every contact every piece."""
        return tuple((1 << len(self.pieces(i))) - 1 for i in range(self.contacts))

    @cached_property
    def combinations(self) -> int:
        """Number of ways to choose one piece a contact (an exact integer, however large)."""
        total = 1
        for i in range(self.contacts):
            total *= len(self.pieces(i))
        return total

    @cached_property
    def is_star_shaped(self) -> bool:
        """Whether zero forces are admissible and within the joint bounds, so that d = 0 always holds."""
        origin = np.zeros(3)
        inside = all(bool(piece.contains(origin)) for shape in self.shapes for piece in shape)
        return inside and bool((self.lower <= 0.0).all() and (self.upper >= 0.0).all())

    def row_values(self, forces: Array, factor: float) -> Array:
        """(m,) sum_i maps_i f_i + d load for local forces (k, 3)."""
        return np.einsum("kmi,ki->m", self.maps, forces) + factor * self.load

    def residual(self, forces: Array, factor: float) -> float:
        """Largest violation of a row [N, scaled rows] by local forces (k, 3) at load factor `factor`."""
        values = self.row_values(forces, factor)
        return float(np.maximum(np.maximum(self.lower - values, values - self.upper), 0.0).max())

    def force_scale(self, forces: Array, factor: float) -> float:
        """Size [N] against which a residual is judged: the largest of load, forces and smallest shape."""
        smallest = min(piece.size for shape in self.shapes for piece in shape)
        return max(float(np.abs(factor * self.load).max()), float(np.abs(forces).max(initial=0.0)), smallest)


@dataclass(frozen=True)
class Effort:
    """What an answer cost.

    Attributes:
        programs: linear programs solved.
        nodes: piece choices (or sets of them) examined.
        seconds: wall-clock time.
    """

    programs: int = 0
    nodes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Solution:
    """A solver's answer.

    Attributes:
        status: what came out.
        factor: largest load factor attained by `forces` (d), -inf when no forces were found.
        bound: no load factor above this is possible (certified by `certificate` when that is there).
        forces: (k, 3) admissible local forces, or None.
        pieces: (k,) the piece each force lies in, or None.
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
    effort: Effort = field(default_factory=Effort)
