"""Proofs that something is impossible, checkable by support functions alone.

For any multipliers y over the rows and any set of allowed pieces, weak duality says that every
admissible choice of forces at load factor d obeys

    min over s in [lower, upper] of y . s  <=  sum_u h_u(y) + d (y . load),

the sum being over units and h_u being the support function of unit u's allowed pieces,

    h_u(y) = max over allowed pieces j of sum over contacts i of u of h_ij(maps_i^T y).

A leaf carries such a y for one box of piece choices (one bit mask per unit). The leaves' boxes are disjoint and
together cover all choices, so if every leaf's inequality fails, nothing holds. This module does not depend on how the
leaves were found.

In addition to pieces a search may branch on counts: how many units of a group use a piece of a certain set. Every
choice of pieces has one value of each count. With c_u = 1 where unit u uses such a piece, else 0, and s in the hull
[l, h] of the values that a leaf allows, sum_u c_u - s = 0 is one more row. Its multiplier z turns the inequality into

    h_u(y, z) = max over allowed pieces j of (sum over contacts i of u of h_ij(maps_i^T y) + z c_uj)

with -z s, at most max(-z l, -z h), on the same side as the supports. `counted` states this as a problem without counts.

The leaves of a search tree can be separated unit by unit: at some unit the masks fall into groups without a
common bit, each group tiles its part, and so on down to single boxes. Boxes that cannot be separated like this are
compared in pairs and counted.

For the hulls of all pieces the same inequality bounds every load w that is held by a half-space (`offsets_of`):

    -y . w  <=  sum_u h_u(y) - min over s in [lower, upper] of y . s.

With the multipliers of a search's root, the plane touches the set of loads that the hulls hold at the point where the
ray along the load of that search leaves the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, overload

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..results import proof

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
    """The unions of masks that are connected by common bits."""
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


@dataclass(frozen=True)
class Count:
    """How many units of a group use a piece of a certain set: a whole number for every choice of pieces.

    Attributes:
        masks: one bit mask per unit, of the pieces that count; 0 for a unit outside the group.
        ranges: all values as ranges (first, last) of whole numbers, each of which follows the one before it.
    """

    masks: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]

    def is_complete(self, problem: ContactProblem) -> bool:
        """Whether every choice of pieces has its count in one of the ranges."""
        firsts, lasts = zip(*self.ranges, strict=True)
        follow = all(first == last + 1 for first, last in zip(firsts[1:], lasts[:-1], strict=True))
        largest = sum(mask != 0 for mask in self.masks)
        ordered = all(first <= last for first, last in self.ranges)
        return len(self.masks) == len(problem.units) and follow and ordered and firsts[0] <= 0 and lasts[-1] >= largest


@dataclass(frozen=True, eq=False)
class Leaf:
    """One box of piece choices and the multipliers that close it.

    Attributes:
        masks: one bit mask per unit; bit j set means that piece j is allowed in this box.
        multipliers: (m,) y over the scaled rows: six of wrench, then the joints.
        count_masks: one bit mask per count of the certificate; bit j set means that range j is allowed.
        count_multipliers: (c,) multipliers of the counts.
    """

    masks: tuple[int, ...]
    multipliers: Array
    count_masks: tuple[int, ...] = ()
    count_multipliers: Array = field(default_factory=lambda: np.zeros(0))


class LeafArrays(Sequence[Leaf]):
    """Leaves kept as arrays; objects are made on access.

    Attributes:
        masks: (l, u) allowed pieces of each unit.
        multipliers: (l, m) over the scaled rows.
        bounds: (l,) load factors that the multipliers leave possible, as the solver computed them.
        count_masks: (l, c) allowed ranges of each count.
        count_multipliers: (l, c) of the counts.
    """

    def __init__(
        self,
        masks: Array,
        multipliers: Array,
        bounds: Array,
        count_masks: Array | None = None,
        count_multipliers: Array | None = None,
    ) -> None:
        self.masks = masks
        self.multipliers = multipliers
        self.bounds = bounds
        self.count_masks = np.zeros((len(masks), 0), dtype=np.int64) if count_masks is None else count_masks
        self.count_multipliers = np.zeros((len(masks), 0)) if count_multipliers is None else count_multipliers

    def __len__(self) -> int:
        return len(self.masks)

    @overload
    def __getitem__(self, index: int) -> Leaf: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Leaf]: ...

    def __getitem__(self, index: int | slice) -> Leaf | Sequence[Leaf]:
        arrays = (self.masks, self.multipliers, self.bounds, self.count_masks, self.count_multipliers)
        if isinstance(index, slice):
            return LeafArrays(*(array[index] for array in arrays))
        masks, counts = self.masks[index].tolist(), self.count_masks[index].tolist()
        return Leaf(tuple(masks), self.multipliers[index], tuple(counts), self.count_multipliers[index])


@dataclass(frozen=True, eq=False)
class Certificate:
    """A closed search tree: leaves that cover all choices of pieces, each with its separating multipliers.

    Attributes:
        claim: the load factor from which on nothing holds; None claims that exactly d = 1 does not hold.
        leaves: disjoint boxes of piece choices with multipliers.
        counts: what the search branched on in addition to pieces.
    """

    claim: float | None
    leaves: Sequence[Leaf]
    counts: tuple[Count, ...] = ()

    def covers(self, problem: ContactProblem) -> bool:
        """Whether the leaves' boxes are disjoint and leave no choice of pieces out."""
        if not all(count.is_complete(problem) for count in self.counts):
            return False
        whole = problem.all_pieces + tuple((1 << len(count.ranges)) - 1 for count in self.counts)
        if isinstance(self.leaves, LeafArrays):
            boxes = np.concatenate([self.leaves.masks, self.leaves.count_masks], axis=1).tolist()
        else:
            boxes = [leaf.masks + leaf.count_masks for leaf in self.leaves]
        return tiles(boxes, whole)

    @proof
    def verify(self, problem: ContactProblem) -> bool:
        """Whether the claim follows from the leaves, by support functions and counting alone."""
        if not self.covers(problem):
            return False
        lifted = counted(problem, self.counts) if self.counts else problem
        return all(self._closes(problem, lifted, leaf) for leaf in self.leaves)

    def _closes(self, problem: ContactProblem, lifted: ContactProblem, leaf: Leaf) -> bool:
        masks, multipliers = leaf.masks + leaf.count_masks, leaf.multipliers
        if self.counts:
            multipliers = np.concatenate([multipliers, leaf.count_multipliers])
        if self.claim is None:
            return separation_margin(lifted, masks, multipliers) > 0.0
        bound = factor_bound(lifted, masks, multipliers)
        if bound == -np.inf or self.claim == np.inf:
            return True
        return self.claim > -np.inf and bound <= self.claim + tolerances.SEPARATION * abs(self.claim) + least_factor(
            problem
        )


def counted(problem: ContactProblem, counts: Sequence[Count]) -> ContactProblem:
    """The same problem with one more row for each count, and one more unit whose pieces are its ranges.

    Every unit has one more contact for every three counts. Its force in piece j is fixed: the numbers c_uj of these
    counts. The new unit's force, along x, is the value of the count.
    """
    layout, own, rows = problem.layout, len(counts), problem.rows + len(counts)
    shapes, shape_of, blocks, unit_of = list(layout.shapes), [], [], []

    def add(shape: int, block: Array, unit: int) -> None:
        shape_of.append(shape)
        blocks.append(block)
        unit_of.append(unit)

    for unit, contacts in enumerate(problem.units):
        for contact in contacts:
            add(int(layout.shape_of[contact]), np.concatenate([layout.maps[contact], np.zeros((own, 3))]), unit)
        for first in range(0, own, 3):
            some, block = counts[first : first + 3], np.zeros((rows, 3))
            for axis in range(len(some)):
                block[problem.rows + first + axis, axis] = 1.0
            numbers = np.zeros((problem.piece_counts[unit], 3))
            numbers[:, : len(some)] = [[c.masks[unit] >> j & 1 for c in some] for j in range(len(numbers))]
            shapes.append(tuple(Polytope(number[None, :]) for number in numbers))
            add(len(shapes) - 1, block, unit)
    for at, count in enumerate(counts):
        block = np.zeros((rows, 3))
        block[problem.rows + at, 0] = -1.0
        shapes.append(tuple(Polytope([[float(end), 0.0, 0.0] for end in ends]) for ends in count.ranges))
        add(len(shapes) - 1, block, len(problem.units) + at)
    lower, upper, scale, load = (
        np.concatenate([row, np.full(own, value)])
        for row, value in ((layout.lower, 0.0), (layout.upper, 0.0), (layout.row_scale, 1.0), (problem.load, 0.0))
    )
    arrays = (np.array(shape_of), np.array(blocks), lower, upper, scale, np.array(unit_of))
    return type(problem)(type(layout)(tuple(shapes), *arrays, layout.balance), load)


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
    loaded, given = float(np.abs(multipliers * problem.load).sum()), _load_rounding(problem, multipliers)
    size = max(_term_size(problem, multipliers), loaded)
    own = np.finfo(float).eps * (problem.contacts + problem.rows) * loaded
    rounding = MARGIN_ROUNDING * (_rounding(problem, supports, multipliers) + own)
    margin = least - float(sum(supports)) - work
    if abs(margin) <= rounding and size > 0.0:
        exact = exact_excess(problem, masks, multipliers) + _exact_work(problem, multipliers) + Fraction(given)
        return float(-exact / Fraction(size)) - MAP_ROUNDING
    return (margin - rounding - given) / size if size > 0.0 else -np.inf


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
    own, given = float(np.abs(multipliers * problem.load).sum()), _load_rounding(problem, multipliers)
    if -work > max(given, tolerances.SEPARATION * own):  # the work is compared with the size of its terms
        excess, rounding = supports - least, _rounding(problem, parts, multipliers)
        if rounding > max(EXACT_SHARE * abs(excess), -work * least_factor(problem)):
            excess = exact_excess(problem, masks, multipliers) + Fraction(
                MAP_ROUNDING * _term_size(problem, multipliers)
            )
            work = _exact_work(problem, multipliers)
            return float(np.nextafter(float(excess / (-work + Fraction(given if excess < 0 else -given))), np.inf))
        excess += rounding
        return excess / (-work + (given if excess < 0.0 else -given))
    separates = least - supports > tolerances.SEPARATION * _term_size(problem, multipliers)
    return -np.inf if abs(work) <= given and separates else np.inf


def _load_rounding(problem: ContactProblem, multipliers: Array) -> float:
    """What the rounding of the load may have added to y . load.

    A body's torque is that about another point less a product of force and arm, so that every row of its load is known
    to a share of the largest one.
    """
    y, load = (np.abs(values[: problem.layout.balance]).reshape(-1, 6) for values in (multipliers, problem.load))
    return tolerances.SUM_ROUNDING * float((y.sum(axis=1) * load.max(axis=1)).sum())


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
