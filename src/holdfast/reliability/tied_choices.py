"""Slopes of a load limit over all choices of pieces that attain it.

The limit over unions is the largest of those of all choices of pieces. Its derivative to the right is the largest among
the choices that attain it, to the left the least. Choices are not listed: a box of choices (a leaf of the certificate)
is replaced by the hulls of its pieces. Where its limit is the same, its optimal forces include, and its optimal
multipliers are among, those of each tied choice in it, so that its slope to the right is at least, to the left at most,
that of any of them. Boxes below the limit do not count. Where box and choice agree the derivative is settled;
else the box is split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..checks import Array
from ..errors import InputError, SolverError
from ..geometry.polytopes import Polytope, hull_of
from ..solvers import ContactProblem
from ..solvers.certificates import factor_bound, least_factor
from ..solvers.relaxation import HullRelaxation, RelaxationOutcome
from ..statics.diagnosis.prices import FixedPieces
from ..statics.equilibrium import LoadLimit
from .optima import Optimum
from .parameters import Rate

#: Choices of pieces whose limits differ by no more than this share are tied.
TIED = 1e-7

#: Two slopes are the same within this share of the largest that the parameter could have.
SAME = 1e-6

#: Slopes of boxes of piece choices computed before derivatives are left unproven.
MOST_SLOPES = 500

#: Boxes of piece choices looked at.
MOST_BOXES = 100


class TiedChoices:
    """Slopes over all choices of pieces that attain a limit."""

    def __init__(self, limit: LoadLimit, rates: list[Rate]) -> None:
        self._problem = limit.problem
        self._rates = rates
        self._certificate = limit.certificate
        self._hulls: dict[tuple[int, int], Polytope] = {}
        self.boxes = 0
        self._spent = 0
        assert limit.pieces is not None
        self._own = tuple(1 << int(j) for j in limit.pieces)
        optimum = self._optimum(self._own)
        if optimum is None:
            raise InputError(
                "has no derivative that numbers can confirm", where="limit", fix="check the scale of forces and lengths"
            )
        self.optimum = optimum
        tied = TIED * abs(optimum.factor) + 10 * least_factor(self._problem)
        self._floor, self._ceiling = optimum.factor - tied, optimum.factor + tied
        self.sizes = np.array([_size(optimum, rate) for rate in rates])

    def slopes(self) -> tuple[Array, Array, Array]:
        """(n,) left, right, and whether they are proven for all tied choices."""
        left, right = self.optimum.slopes(self._rates)
        everything = np.arange(len(self._rates))
        open_boxes = [(box, everything) for box in self._leaves() if box != self._own]
        proven = np.ones(len(self._rates), dtype=bool)
        known = {self._own}
        while open_boxes:
            masks, asked = open_boxes.pop()
            if self.boxes >= MOST_BOXES or self._spent + len(asked) > MOST_SLOPES:
                proven[asked] = False  # what is left could be steeper
                continue
            self.boxes += 1
            steeper, optimum = self._compared(masks, asked, left, right, known)
            if optimum is None:
                proven[steeper] = False
            elif len(steeper):
                open_boxes += [(part, steeper) for part in self._split(masks, optimum)]
        return left, right, proven

    def _compared(
        self, masks: tuple[int, ...], asked: Array, left: Array, right: Array, known: set[tuple[int, ...]]
    ) -> tuple[Array, Optimum | None]:
        """Which of the parameters asked about the box could make steeper, and its optimum if it can be split.

        Slopes of single choices found on the way go into `left` and `right`.
        """
        none = asked[:0]
        if self._is_below(masks):
            return none, None
        optimum = self._optimum(masks)
        if optimum is None:
            return asked, None
        if optimum.factor < self._floor:
            return none, None
        single = all(mask & (mask - 1) == 0 for mask in masks)
        choice = masks if single else self._rounded(masks, optimum)
        if choice is not None and choice not in known:
            known.add(choice)
            attained = optimum if single else self._optimum(choice)
            if attained is not None and attained.factor >= self._floor:
                low, high = self._slopes_of(attained, asked)
                left[asked], right[asked] = np.fmin(left[asked], low), np.fmax(right[asked], high)
        if single:
            return none, None
        if optimum.factor > self._ceiling:  # a looser box says nothing of the choices in it
            return asked, optimum
        low, high = self._slopes_of(optimum, asked)
        slack = SAME * self.sizes[asked]
        with np.errstate(invalid="ignore"):
            steeper = ~((low >= left[asked] - slack) & (high <= right[asked] + slack))
        return asked[steeper], optimum

    def _slopes_of(self, optimum: Optimum, asked: Array) -> tuple[Array, Array]:
        """Slopes left and right by the parameters asked about; those that take programs are counted."""
        if not (optimum.one_y and optimum.one_f):
            self._spent += len(asked)
        return optimum.slopes([self._rates[index] for index in asked])

    def _is_below(self, masks: tuple[int, ...]) -> bool:
        """Whether nothing in the box comes near the limit."""
        try:
            relaxed = HullRelaxation(self._problem).maximise(masks)
        except SolverError:
            return False
        if relaxed.outcome is RelaxationOutcome.SEPARATED:
            return True
        return relaxed.outcome is RelaxationOutcome.OPTIMAL and relaxed.factor < self._floor

    def _leaves(self) -> Iterator[tuple[int, ...]]:
        """The boxes of the certificate that may hold tied choices."""
        if self._certificate is None:
            yield self._problem.all_pieces
            return
        for leaf in self._certificate.leaves:
            if factor_bound(self._problem, leaf.masks, leaf.multipliers) >= self._floor:
                yield leaf.masks

    def _split(self, masks: tuple[int, ...], optimum: Optimum) -> list[tuple[int, ...]]:
        """The box in parts, one a piece of the contact whose force is worst to place."""
        several = [i for i, mask in enumerate(masks) if mask & (mask - 1)]
        forces = optimum.prices.forces
        outside = [self._outside(i, masks[i], forces[i]) for i in several]
        chosen = several[int(np.argmax(outside))]
        parts = [1 << j for j in range(len(self._problem.pieces(chosen))) if masks[chosen] >> j & 1]
        return [(*masks[:chosen], part, *masks[chosen + 1 :]) for part in parts]

    def _outside(self, contact: int, mask: int, force: Array) -> float:
        pieces = [p for j, p in enumerate(self._problem.pieces(contact)) if mask >> j & 1]
        return min(float(p.signed_distance(force)) / p.size for p in pieces) + len(pieces) * TIED

    def _rounded(self, masks: tuple[int, ...], optimum: Optimum) -> tuple[int, ...] | None:
        """The choice of the pieces that the forces lie in; None where one lies in none."""
        choice = []
        for i, (mask, force) in enumerate(zip(masks, optimum.prices.forces, strict=True)):
            depths = {
                j: float(p.signed_distance(force)) / p.size
                for j, p in enumerate(self._problem.pieces(i))
                if mask >> j & 1
            }
            best = min(depths, key=lambda j: depths[j])
            if depths[best] > TIED:
                return None
            choice.append(1 << best)
        return tuple(choice)

    def _optimum(self, masks: tuple[int, ...]) -> Optimum | None:
        """The optimum over the hulls of the allowed pieces."""
        numbers: dict[tuple[int, int], int] = {}
        shape_of = [
            numbers.setdefault((int(s), m), len(numbers)) for s, m in zip(self._problem.shape_of, masks, strict=True)
        ]
        shapes = tuple((self._hull(shape, mask),) for shape, mask in numbers)
        layout = replace(self._problem.layout, shapes=shapes, shape_of=np.array(shape_of, dtype=np.int64))
        problem = ContactProblem(layout, self._problem.load)
        return Optimum.of(FixedPieces(problem, np.zeros(problem.contacts, dtype=np.int64)))

    def _hull(self, shape: int, mask: int) -> Polytope:
        key = (shape, mask)
        if key not in self._hulls:
            parts = [p for j, p in enumerate(self._problem.shapes[shape]) if mask >> j & 1]
            self._hulls[key] = parts[0] if len(parts) == 1 else hull_of(parts)
        return self._hulls[key]


def _size(optimum: Optimum, rate: Rate) -> float:
    """What slopes by a parameter are compared with: the terms they are the sum of, before they cancel."""
    y, forces = np.abs(optimum.prices.multipliers), np.abs(optimum.prices.forces)
    total = abs(optimum.factor) * float(y @ np.abs(rate.load)) + float(y @ (np.abs(rate.lower) + np.abs(rate.upper)))
    total += sum(float(y @ np.abs(own) @ forces[i]) for i, own in rate.maps.items())
    strongest = max(float(p.size) for shape in optimum.problem.shapes for p in shape)
    return total + 1e-3 * sum(float((y @ np.abs(own)).max()) * strongest for own in rate.maps.values())


def same_slope(low: float, high: float, size: float) -> bool:
    """Whether two slopes are one, to what they are compared with."""
    return bool(np.isfinite(low) and np.isfinite(high) and abs(high - low) <= SAME * max(size, abs(low), abs(high)))
