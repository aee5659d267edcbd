"""Proofs that something is impossible, checkable by support functions alone.

For any multipliers y over the rows and any set of allowed pieces, weak duality says that every
admissible choice of forces at load factor d obeys

    min over s in [lower, upper] of y . s  <=  sum_u h_u(y) + d (y . load),

the sum being over units and h_u being the support function of unit u's allowed pieces,

    h_u(y) = max over allowed pieces j of sum over contacts i of u of h_ij(maps_i^T y).

A leaf carries such a y for one box of piece choices (one bit mask per unit). The leaves' boxes are disjoint and
together cover all choices, so if every leaf's inequality fails, nothing holds. This module does not depend on how the
leaves were found.

The leaves of a search tree can be separated unit by unit: at some unit the masks fall into groups without a
common bit, each group tiles its part, and so on down to single boxes. Boxes that cannot be separated like this are
compared in pairs and counted.

For the hulls of all pieces the same inequality bounds every load w that is held by a half-space (`offsets_of`):

    -y . w  <=  sum_u h_u(y) - min over s in [lower, upper] of y . s.

The multipliers of a search's root make this plane touch the space of held loads of the hulls just where that search's
load leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, overload

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..errors import InputError

if TYPE_CHECKING:
    from .problem import ContactProblem, Layout


#: Operations on a direction in addition to its sum over rows: the product with a vertex.
EXTRA_TERMS = 4

#: What the rows were rounded by when they were made from positions and frames, as a share of their terms.
MAP_ROUNDING = 4.0 * tolerances.EPSILON

#: Bounds are computed in rational numbers where rounding would add more than this share to them.
EXACT_SHARE = 1e-7

#: A separating margin must be this many times as large as the rounding of its terms.
MARGIN_ROUNDING = 16.0


def tiles(boxes: Sequence[Sequence[int]], whole: Sequence[int]) -> bool:
    """Whether the boxes (one mask per unit) are disjoint and together make up the whole box."""
    if not len(boxes) or any(len(box) != len(whole) for box in boxes):
        return False
    kind = object if max(max(map(max, boxes)), max(whole)) >> 62 else np.int64
    masks, domain = np.array(boxes, dtype=kind), np.array(whole, dtype=kind)
    if ((masks & ~domain) != 0).any() or (masks == 0).any():
        return False
    waiting = [(np.arange(len(masks)), domain)]
    while waiting:
        rows, part = waiting.pop()
        own = masks[rows]
        undecided = np.nonzero((own != part).any(axis=0))[0]
        if len(rows) == 1:
            if len(undecided):
                return False
            continue
        for contact in undecided:
            groups = _groups(own[:, contact])
            if sum(groups) != part[contact]:  # groups share no bit: their sum is their union
                return False
            if len(groups) > 1:
                for group in groups:
                    smaller = part.copy()
                    smaller[contact] = group
                    waiting.append((rows[(own[:, contact] & group) != 0], smaller))
                break
        else:
            if not _tile_in_pairs(own, part):
                return False
    return True


def _groups(masks: Array) -> list[int]:
    """The unions of masks that hang together by common bits."""
    groups: list[int] = []
    for mask in np.unique(masks).tolist():
        joined = mask
        for group in [g for g in groups if g & mask]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return groups


def _tile_in_pairs(masks: IntArray | Array, whole: Array) -> bool:
    """The same by comparing every two boxes and counting the choices in all of them."""
    sizes = [math.prod(int(mask).bit_count() for mask in box) for box in masks]
    if sum(sizes) != math.prod(int(mask).bit_count() for mask in whole):
        return False
    return not any(((masks[:row] & masks[row]) != 0).all(axis=1).any() for row in range(1, len(masks)))


@dataclass(frozen=True, eq=False)
class Leaf:
    """One box of piece choices and the multipliers that close it.

    Attributes:
        masks: one bit mask per unit; bit j set means that piece j is allowed in this box.
        multipliers: (m,) y over the scaled rows: six of wrench, then the joints.
    """

    masks: tuple[int, ...]
    multipliers: Array


class LeafArrays(Sequence[Leaf]):
    """Leaves kept as arrays and made into objects when looked at.

    Attributes:
        masks: (l, u) allowed pieces of each unit.
        multipliers: (l, m) over the scaled rows.
        bounds: (l,) load factors that the multipliers leave possible, as the solver computed them.
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


def ray_slack(layout: Layout, multipliers: Array) -> Array:
    """(k,) slope along a unit ray below which maps_i^T y counts as not climbing it.

    It is relative to the size of the terms that were summed, not to what is left of them: where they cancel,
    the direction itself is noise.
    """
    terms = layout.term_sizes(multipliers)
    return tolerances.RAY_SLOPE * np.linalg.norm(terms, axis=1)


def support_sum(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> float:
    """sum_u h_u(y) over the allowed pieces; inf where an unlimited direction is climbed."""
    return float(sum(unit_supports(problem, masks, multipliers)))


def unit_supports(
    problem: ContactProblem, masks: tuple[int, ...], multipliers: Array, *, slope: float = tolerances.RAY_SLOPE
) -> list[float]:
    """h_u(y) of each unit over the allowed pieces; [inf] where an unlimited direction is climbed by more than `slope`.

    The slope is relative to the size of the terms that were summed, see `ray_slack`.
    """
    directions = problem.layout.directions(multipliers)
    slack = ray_slack(problem.layout, multipliers) * (slope / tolerances.RAY_SLOPE)
    if problem.combinations == 1:
        return _convex_supports(problem.layout, directions, slack)
    found = []
    for unit, (contacts, mask) in enumerate(zip(problem.units, masks, strict=True)):
        allowed = [j for j in range(problem.piece_counts[unit]) if mask >> j & 1]
        if not allowed:
            raise InputError("allows no piece", where=f"masks[{unit}]", fix="every unit needs one piece or more")
        supports = np.zeros(len(allowed))
        for contact in contacts:
            for at, j in enumerate(allowed):
                piece = problem.pieces(contact)[j]
                slopes = piece.rays @ directions[contact]
                if (slopes > slack[contact] * np.linalg.norm(piece.rays, axis=1)).any():
                    return [np.inf]
                supports[at] += float((piece.vertices @ directions[contact]).max())
        found.append(float(supports.max()))
    return found


def _convex_supports(layout: Layout, directions: Array, slack: Array) -> list[float]:
    """h_i of each contact's only piece along its direction (k, 3); [inf] where a ray is climbed beyond `slack` (k,)."""
    found = np.zeros(len(directions))
    for shape, (piece,) in enumerate(layout.shapes):
        own = layout.shape_of == shape
        slopes = directions[own] @ piece.rays.T
        if (slopes > slack[own, None] * np.linalg.norm(piece.rays, axis=1)).any():
            return [np.inf]
        found[own] = (directions[own] @ piece.vertices.T).max(axis=1)
    return found.tolist()


def _rounding(problem: ContactProblem, supports: Sequence[float], multipliers: Array) -> float:
    """What rounding may have added to the duality inequality, in the unit of its terms.

    A support is the product of a vertex and a direction, and that is the sum of a few terms: those rows that the
    contact has numbers in. The supports and the bounds' terms are then summed.
    """
    few = problem.layout.most_terms + EXTRA_TERMS
    with np.errstate(invalid="ignore"):
        ends = _least_terms(problem.layout, multipliers)
    summed = float(np.abs(supports).sum()) + float(np.abs(ends[np.isfinite(ends)]).sum())
    own = few * _term_size(problem, multipliers) + (problem.contacts + problem.rows) * summed
    return np.finfo(float).eps * own


def least_row_sum(problem: ContactProblem, multipliers: Array) -> float:
    """min over s in [lower, upper] of y . s; -inf where a joint without a limit has a multiplier."""
    return float(_least_terms(problem.layout, multipliers).sum())


def _least_terms(layout: Layout, y: Array) -> Array:
    """The terms of min over s in [lower, upper] of y . s, for multipliers (..., m)."""
    with np.errstate(invalid="ignore"):
        return np.where(y > 0.0, y * layout.lower, np.where(y < 0.0, y * layout.upper, 0.0))


def separation_margin(
    problem: ContactProblem, masks: tuple[int, ...], multipliers: Array, *, slope: float = tolerances.RAY_SLOPE
) -> float:
    """By how much y separates d = 1 from what the allowed pieces can do; positive proves that it does not hold.

    The margin is relative to the size of the terms it is the difference of, less the rounding of their sum; where
    rounding decides, the sum is taken in rational numbers. Rays that are climbed by no more than `slope` count as not
    climbed.
    """
    supports = unit_supports(problem, masks, multipliers, slope=slope)
    work = float(multipliers @ problem.load)
    least = least_row_sum(problem, multipliers)
    if not (np.isfinite(supports).all() and np.isfinite(least)):
        return -np.inf
    size = max(_term_size(problem, multipliers), float(np.abs(multipliers * problem.load).sum()))
    own = np.finfo(float).eps * (problem.contacts + problem.rows) * float(np.abs(multipliers * problem.load).sum())
    rounding = MARGIN_ROUNDING * (_rounding(problem, supports, multipliers) + own)
    margin = least - float(sum(supports)) - work
    if abs(margin) <= rounding and size > 0.0:
        exact = exact_excess(problem, masks, multipliers) + _exact_work(problem, multipliers)
        return float(-exact / Fraction(size)) - MAP_ROUNDING
    return (margin - rounding) / size if size > 0.0 else -np.inf


def exact_excess(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> Fraction:
    """sum_u h_u(y) - min over s of y . s in rational numbers; rays count as not climbed, and bounds must be finite."""
    y = {row: Fraction(value) for row, value in enumerate(multipliers.tolist()) if value}
    ends = _least_terms(problem.layout, multipliers) != 0.0
    total = Fraction(0)
    for row in np.nonzero(ends)[0].tolist():
        total -= y[row] * Fraction(float(problem.lower[row] if multipliers[row] > 0.0 else problem.upper[row]))
    for unit, (contacts, mask) in enumerate(zip(problem.units, masks, strict=True)):
        allowed = [j for j in range(problem.piece_counts[unit]) if mask >> j & 1]
        supports = [Fraction(0)] * len(allowed)
        for contact in contacts:
            if not any(problem.pieces(contact)[j].vertices.any() for j in allowed):
                continue  # cones from the origin
            rows, numbers = problem.layout.numbers_of(contact)
            terms = [(y[row], own) for row, own in zip(rows.tolist(), numbers.tolist(), strict=True) if row in y]
            along = [sum(factor * Fraction(own[a]) for factor, own in terms) for a in range(3)]
            for at, j in enumerate(allowed):
                corners = problem.pieces(contact)[j].vertices.tolist()
                supports[at] += max(sum(Fraction(c) * t for c, t in zip(v, along, strict=True)) for v in corners)
        total += max(supports)
    return total


def _exact_work(problem: ContactProblem, multipliers: Array) -> Fraction:
    """y . load in rational numbers."""
    terms = zip(multipliers.tolist(), problem.load.tolist(), strict=True)
    return sum((Fraction(y) * Fraction(w) for y, w in terms if y and w), Fraction(0))


def factor_bound(problem: ContactProblem, masks: tuple[int, ...], multipliers: Array) -> float:
    """The largest load factor that y leaves possible for the allowed pieces; inf when y bounds nothing.

    Multipliers with y . load = 0 that separate every load factor alike give -inf: nothing holds at all.
    """
    parts = unit_supports(problem, masks, multipliers)
    supports, least = float(sum(parts)), least_row_sum(problem, multipliers)
    work = float(multipliers @ problem.load)
    if not (np.isfinite(supports) and np.isfinite(least)):
        return np.inf
    own = float(np.abs(multipliers * problem.load).sum())  # work is judged against what it is the sum of
    if -work > tolerances.SEPARATION * own:
        rounding = _rounding(problem, parts, multipliers)
        if rounding > max(EXACT_SHARE * abs(supports - least), -work * least_factor(problem)):
            given = Fraction(MAP_ROUNDING * _term_size(problem, multipliers))
            bound = (exact_excess(problem, masks, multipliers) + given) / -_exact_work(problem, multipliers)
            return float(np.nextafter(float(bound), np.inf))
        return (supports - least + rounding) / -work
    separates = least - supports > tolerances.SEPARATION * _term_size(problem, multipliers)
    return -np.inf if abs(work) <= np.finfo(float).eps * 16 * own and separates else np.inf


def least_factor(problem: ContactProblem) -> float:
    """Load factors that differ by less are the same, even near zero: what rounding leaves of the volumes."""
    strength = float(np.abs(problem.load).max())
    return problem.layout.rounding_force / strength if strength else 0.0


def rounded_factor(problem: ContactProblem, multipliers: Array) -> float:
    """The least bound that multipliers could prove: their own rounding acts on all volumes, also on the strongest."""
    work = -float(multipliers @ problem.load)
    return tolerances.UNIT_ROUNDING * _term_size(problem, multipliers) / work if work > 0.0 else 0.0


def _term_size(problem: ContactProblem, multipliers: Array) -> float:
    """Size of what contacts and joint rows add to the duality inequality, before it cancels."""
    y = np.abs(multipliers)
    terms = problem.layout.term_sizes(y)
    # The vertices themselves, not `size`: a cone at the origin adds nothing that could be rounded.
    shapes = np.array([max(float(np.abs(piece.vertices).max()) for piece in shape) for shape in problem.shapes])
    reach = float((np.linalg.norm(terms, axis=1) * shapes[problem.shape_of]).sum())
    ends = np.where(multipliers > 0.0, problem.lower, problem.upper)
    leant = float((y * np.where(np.isfinite(ends), np.abs(ends), 0.0)).sum())
    return max(reach, leant)


#: Numbers of one block of supports; keeps the memory small.
BLOCK = 4_000_000


def offsets_of(layout: Layout, multipliers: Array) -> Array:
    """(n,) the right-hand side above for multipliers (n, m); inf where they bound nothing.

    What summing may have rounded off is added, so that the half-space is never too small.
    """
    y = np.asarray(multipliers, dtype=np.float64)
    total, size = np.zeros(len(y)), np.zeros(len(y))
    for contacts, count in zip(layout.units, layout.piece_counts, strict=True):
        supports = np.zeros((count, len(y)))
        for contact in contacts:
            pieces, maps = layout.shapes[layout.shape_of[contact]], layout.maps[contact]  # maps (m, 3)
            directions = y @ maps
            for j, piece in enumerate(pieces):
                step = max(1, BLOCK // len(piece.extreme))
                for first in range(0, len(y), step):
                    some = slice(first, first + step)
                    supports[j, some] += (directions[some] @ piece.extreme.T).max(axis=1)
            terms = np.linalg.norm(np.abs(y) @ np.abs(maps), axis=1)
            size += max(float(np.linalg.norm(piece.extreme, axis=1).max()) for piece in pieces) * terms
            rays = np.concatenate([piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) for piece in pieces])
            if len(rays):
                total[(directions @ rays.T > tolerances.RAY_SLOPE * terms[:, None]).any(axis=1)] = np.inf
        total += supports.max(axis=0)
    ends = _least_terms(layout, y)
    total -= ends.sum(axis=1)
    size += np.abs(np.where(np.isfinite(ends), ends, 0.0)).sum(axis=1)
    total += np.finfo(float).eps * (len(layout.shape_of) + y.shape[1]) * size
    return total
