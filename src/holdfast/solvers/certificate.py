"""Proofs that something is impossible, checkable by support functions alone.

For any multipliers y over the rows and any set of allowed pieces, weak duality says that every
admissible choice of forces at load factor d obeys

    min over s in [lower, upper] of y . s  <=  sum_i h_i(maps_i^T y) + d (y . load),

h_i being the support function of contact i's allowed pieces. A leaf carries such a y for one box of piece
choices (a mask a contact). The leaves' boxes are disjoint and together cover all choices, so if every
leaf's inequality fails, nothing holds. This module knows nothing of how the leaves were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from .tiling import tiles

if TYPE_CHECKING:
    from .problem import ContactProblem


@dataclass(frozen=True, eq=False)
class Leaf:
    """One box of piece choices and the multipliers that close it.

    Attributes:
        masks: a bit mask a contact; bit j set means that piece j is allowed in this box.
        multipliers: (m,) y over the scaled rows: six of wrench, then the joints.
    """

    masks: tuple[int, ...]
    multipliers: Array


class LeafArrays(Sequence[Leaf]):
    """Leaves kept as arrays and made into objects when looked at.

    Attributes:
        masks: (l, k) allowed pieces.
        multipliers: (l, m) over the scaled rows.
        bounds: (l,) load factors that the multipliers leave possible, as the solver reckoned.
    """

    def __init__(self, masks: Array, multipliers: Array, bounds: Array) -> None:
        self.masks = masks
        self.multipliers = multipliers
        self.bounds = bounds

    def __len__(self) -> int:
        return len(self.masks)

    @overload
    def __getitem__(self, index: int) -> Leaf: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Leaf]: ...

    def __getitem__(self, index: int | slice) -> Leaf | Sequence[Leaf]:
        if isinstance(index, slice):
            return LeafArrays(self.masks[index], self.multipliers[index], self.bounds[index])
        return Leaf(tuple(int(mask) for mask in self.masks[index]), self.multipliers[index])


@dataclass(frozen=True, eq=False)
class Certificate:
    """A closed search tree: leaves that cover all choices of pieces, each with its separating multipliers.

    Attributes:
        claim: the load factor from which on nothing holds; None claims that exactly d = 1 does not hold.
        leaves: disjoint boxes of piece choices with multipliers.
    """

    claim: float | None
    leaves: Sequence[Leaf]

    def covers(self, problem: ContactProblem) -> bool:
        """Whether the leaves' boxes are disjoint and leave no choice of pieces out."""
        boxes = self.leaves.masks.tolist() if isinstance(self.leaves, LeafArrays) else [b.masks for b in self.leaves]
        return tiles(boxes, problem.all_pieces)

    def verify(self, problem: ContactProblem) -> bool:
        """Whether the claim follows from the leaves, by support functions and counting alone."""
        return self.covers(problem) and all(self._closes(problem, leaf) for leaf in self.leaves)

    def _closes(self, problem: ContactProblem, leaf: Leaf) -> bool:
        if self.claim is None:
            return separation_margin(problem, leaf.masks, leaf.multipliers) > 0.0
        bound = factor_bound(problem, leaf.masks, leaf.multipliers)
        if bound == -np.inf or self.claim == np.inf:
            return True
        return self.claim > -np.inf and bound <= self.claim + tolerances.SEPARATION * abs(self.claim) + least_factor(
            problem
        )


def ray_slack(maps: Array, multipliers: Array) -> Array:
    """(k,) slope along a unit ray below which maps_i^T y counts as not climbing it.

    It is relative to the size of the terms that were summed, not to what is left of them: where they cancel,
    the direction itself is noise.
    """
    terms = np.einsum("kmi,m->ki", np.abs(maps), np.abs(multipliers))
    return tolerances.RAY_SLOPE * np.linalg.norm(terms, axis=1)


def support_sum(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> float:
    """sum_i h_i(maps_i^T y) over the allowed pieces; inf where an unlimited direction is climbed."""
    directions = np.einsum("kmi,m->ki", problem.maps, multipliers)
    slack = ray_slack(problem.maps, multipliers)
    total = 0.0
    for contact, mask in enumerate(masks):
        allowed = [piece for j, piece in enumerate(problem.pieces(contact)) if mask >> j & 1]
        if not allowed:
            raise InputError("allows no piece", where=f"masks[{contact}]", fix="every contact needs one piece or more")
        for piece in allowed:
            slopes = piece.rays @ directions[contact]
            if (slopes > slack[contact] * np.linalg.norm(piece.rays, axis=1)).any():
                return np.inf
        total += max(float((piece.vertices @ directions[contact]).max()) for piece in allowed)
    return total


def least_row_sum(problem: ContactProblem, multipliers: Array) -> float:
    """min over s in [lower, upper] of y . s; -inf where a joint without a limit has a multiplier."""
    y = multipliers
    with np.errstate(invalid="ignore"):
        terms = np.where(y > 0.0, y * problem.lower, np.where(y < 0.0, y * problem.upper, 0.0))
    return float(terms.sum())


def separation_margin(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> float:
    """By how much y separates d = 1 from what the allowed pieces can do; positive proves that it does not hold.

    The margin is relative to the size of the terms it is the difference of, less the rounding of their sum.
    """
    supports = support_sum(problem, masks, multipliers)
    work = float(multipliers @ problem.load)
    least = least_row_sum(problem, multipliers)
    if not (np.isfinite(supports) and np.isfinite(least)):
        return -np.inf
    size = max(_term_size(problem, multipliers), float(np.abs(multipliers * problem.load).sum()))
    rounding = 16 * np.finfo(float).eps * (problem.contacts + problem.rows)
    return (least - supports - work) / size - rounding if size > 0.0 else -np.inf


def factor_bound(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> float:
    """The largest load factor that y leaves possible for the allowed pieces; inf when y bounds nothing.

    Multipliers with y . load = 0 that separate every load factor alike give -inf: nothing holds at all.
    """
    supports = support_sum(problem, masks, multipliers)
    least = least_row_sum(problem, multipliers)
    work = float(multipliers @ problem.load)
    size = _term_size(problem, multipliers)
    if not (np.isfinite(supports) and np.isfinite(least)):
        return np.inf
    own = float(np.abs(multipliers * problem.load).sum())  # work is judged against what it is the sum of
    if -work > tolerances.SEPARATION * own:
        rounding = np.finfo(float).eps * (problem.contacts + problem.rows)
        return (supports - least + rounding * size) / -work
    separates = least - supports > tolerances.SEPARATION * size
    return -np.inf if abs(work) <= np.finfo(float).eps * 16 * own and separates else np.inf


def least_factor(problem: ContactProblem) -> float:
    """Load factors that differ by less are the same, even near zero: what rounding leaves of the volumes."""
    strength = float(np.abs(problem.load).max())
    return problem.layout.rounding_force / strength if strength else 0.0


def _term_size(problem: ContactProblem, multipliers: Array) -> float:
    """Size of what contacts and joint rows add to the duality inequality, before it cancels."""
    y = np.abs(multipliers)
    terms = np.einsum("kmi,m->ki", np.abs(problem.maps), y)
    # The vertices themselves, not `size`: a cone at the origin adds nothing that could be rounded.
    shapes = np.array([max(float(np.abs(piece.vertices).max()) for piece in shape) for shape in problem.shapes])
    reach = float((np.linalg.norm(terms, axis=1) * shapes[problem.shape_of]).sum())
    ends = np.where(multipliers > 0.0, problem.lower, problem.upper)
    leant = float((y * np.where(np.isfinite(ends), np.abs(ends), 0.0)).sum())
    return max(reach, leant)
