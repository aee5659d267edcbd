"""Results of linear programs over a Minkowski sum: a point of the sum and its weights, a bound, and proofs of both.

Every hand j has a set W_j = hull(vertices) + cone(rays) of wrenches in its own frame, and a map T_j to the world (13).
The programs ask about wrenches b(z) = base + z @ axes that the hands have to give together, b(z) in sum_j T_j W_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, overload

import numpy as np

from ...checks import Array, BoolArray, IntArray


class SumStatus(StrEnum):
    """How a program over a sum ended."""

    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"
    EMPTY = "empty"
    UNDECIDED = "undecided"
    STOPPED = "stopped"


class HandWeights(NamedTuple):
    """The convex combination of one hand: vertices used and their weights (sum 1), rays used and their weights."""

    indices: IntArray  # (n,) rows of the shape's vertices
    values: Array  # (n,) weights, >= 0, sum 1
    ray_indices: IntArray  # (m,) rows of the shape's rays
    ray_values: Array  # (m,) weights, >= 0, of the rays as they were given


class Combination(Sequence[HandWeights]):
    """The weights of all hands in one set of arrays; each hand's own are selected on access.

    Attributes:
        hands: (n,) hand of each weight.
        indices: (n,) row of the hand's vertices or rays.
        rays: (n,) whether it is a ray.
        values: (n,) weights.
    """

    def __init__(self, count: int, hands: IntArray, indices: IntArray, rays: BoolArray, values: Array) -> None:
        self.hands, self.indices, self.rays, self.values = hands, indices, rays, values
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> HandWeights: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[HandWeights, ...]: ...
    def __getitem__(self, index: int | slice) -> HandWeights | tuple[HandWeights, ...]:
        if isinstance(index, slice):
            return tuple(self[j] for j in range(*index.indices(self._count)))
        hand = range(self._count)[index]
        own, pulls = (self.hands == hand) & ~self.rays, (self.hands == hand) & self.rays
        return HandWeights(self.indices[own], self.values[own], self.indices[pulls], self.values[pulls])


class SumStats(NamedTuple):
    """Work done: exchanges of columns, and passes over all vertices of all hands."""

    pivots: int
    pricings: int


@dataclass(frozen=True, eq=False)
class SumOptimum:
    """Answer to: maximise objective . z over all z with base + z @ axes in sum_j T_j W_j.

    Attributes:
        status: "optimal": `value` is the maximum within the gap to `upper_bound` (with no axes: the base is in the
            sum). "unbounded": `ray` leads from `z` to any value. "empty": no z at all, as `multipliers` prove.
            "stopped": `value` reached stop_above, or `upper_bound` fell to stop_below. "undecided": the limit of
            exchanges was reached; `value` and `upper_bound` are still valid.
        z: (p,) the best point found; NaN where none was found.
        value: objective . z; -inf where no point was found.
        upper_bound: proven bound on objective . z; inf where none is known, -inf when empty.
        weights: the convex combination of each hand; none where no point was found.
        wrenches: (k, 6) the hands' wrenches in their own frames [N, N m]; NaN where no point was found.
        multipliers: (6,) y in the world, torque part about the world origin. Optimal: axes @ y = objective and
            objective . z <= h(y) - y . base for all z in the sum, with h the support function of the sum. Empty:
            axes @ y = 0 and y . base > h(y). Zero where there is neither.
        ray: (p,) direction in z of an unbounded answer, else zero.
        effort: exchanges and pricings.
        clear: of a membership question, whether the verdict is clear of rounding. Where it is not, the base may lie
            on the other side of the border by more than `simplex.UNCLEAR` of itself.
    """

    status: SumStatus
    z: Array
    value: float
    upper_bound: float
    weights: Sequence[HandWeights]
    wrenches: Array
    multipliers: Array
    ray: Array
    effort: SumStats = field(default=SumStats(0, 0))
    clear: bool = True

    @property
    def found(self) -> bool:
        """Whether a point of the sum was found: weights and wrenches are there."""
        return len(self.weights) > 0

    @property
    def gap(self) -> float:
        """Proven distance between `upper_bound` and `value`."""
        return self.upper_bound - self.value if self.upper_bound > -np.inf else 0.0


#: In the order of the kernel's outcomes.
STATUSES = (SumStatus.OPTIMAL, SumStatus.UNBOUNDED, SumStatus.EMPTY, SumStatus.UNDECIDED, SumStatus.STOPPED)


@dataclass(frozen=True, eq=False)
class SumBatch:
    """Answers to n programs; each row has the fields of a `SumOptimum`.

    Attributes:
        codes: (n,) outcomes, as indices of `STATUSES`.
        z: (n, p) best points; NaN where none was found.
        value: (n,) objective . z; -inf where no point was found.
        upper_bound: (n,) proven bounds.
        wrenches: (n, k, 6) the hands' wrenches in their own frames; NaN where no point was found.
        multipliers: (n, 6) proofs, in the world.
        ray: (n, p) directions of unbounded answers.
        pivots: (n,) exchanges.
        pricings: (n,) passes over all vertices.
        clear: (n,) whether verdicts about membership are clear of rounding.
    """

    codes: IntArray
    z: Array
    value: Array
    upper_bound: Array
    wrenches: Array
    multipliers: Array
    ray: Array
    pivots: IntArray
    pricings: IntArray
    clear: BoolArray

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def statuses(self) -> list[SumStatus]:
        """The outcome of each program."""
        return [STATUSES[code] for code in self.codes]

    def are(self, status: SumStatus) -> Array:
        """(n,) which programs ended with this status."""
        return self.codes == STATUSES.index(status)
