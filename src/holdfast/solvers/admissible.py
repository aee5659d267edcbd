"""From proposed forces to an answer: every force in one allowed piece, every row balanced, by fresh numbers.

Relaxations and mixed-integer programs propose; what they propose counts only after these checks. Pieces are
allowed by masks as in `Leaf`: one bit mask a contact.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import tolerances
from ..checks import Array
from .problem import ContactProblem, Solution, Status
from .relaxation import Relaxed, RelaxedSolution


def pieces_of(problem: ContactProblem, masks: tuple[int, ...], forces: Array) -> Array | None:
    """(k,) the allowed piece that each local force (k, 3) lies in, or None when some force lies in none."""
    found = np.zeros(problem.contacts, dtype=np.int64)
    for i, mask in enumerate(masks):
        strength = float(np.abs(forces[i]).max())  # what a cone, which has no size of its own, is judged by
        distances = {
            j: float(piece.signed_distance(forces[i])) / (max(float(np.abs(piece.vertices).max()), strength) or 1.0)
            for j, piece in enumerate(problem.pieces(i))
            if mask >> j & 1
        }
        best = min(distances, key=distances.__getitem__)
        if distances[best] > tolerances.MEMBERSHIP:
            return None
        found[i] = best
    return found


def balances(problem: ContactProblem, forces: Array, factor: float) -> bool:
    """Whether local forces (k, 3) hold `factor` times the load to FEASIBILITY."""
    return problem.residual(forces, factor) <= tolerances.FEASIBILITY * problem.force_scale(forces, factor)


def singles(pieces: Iterable[int]) -> tuple[int, ...]:
    """The masks that allow each contact one piece, given by its number."""
    return tuple(1 << int(j) for j in pieces)


def is_single(masks: tuple[int, ...]) -> bool:
    """Whether every contact is left one piece."""
    return all(mask.bit_count() == 1 for mask in masks)


def heaviest(masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[int, ...]:
    """Each contact fixed to the allowed piece that carries most weight in a relaxed solution."""
    assert relaxed.shares is not None
    carried = np.full_like(relaxed.shares, -np.inf)
    for i, mask in enumerate(masks):
        allowed = [j for j in range(mask.bit_length()) if mask >> j & 1]
        carried[i, allowed] = relaxed.shares[i, allowed]
    return singles(carried.argmax(axis=1))


def held(problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
    """A relaxed test over `masks` as the answer "holds", if its forces are admissible; else None."""
    if relaxed.outcome is not Relaxed.REACHED or relaxed.forces is None:
        return None
    return _accepted(problem, masks, relaxed, Status.HOLDS, 1.0)


def attained(problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
    """A relaxed maximum over `masks` as an answer, if its forces are admissible; else None.

    The answer is "optimal" with its factor, its bound left open (inf); or "unbounded" with its growth, if each
    contact's growth comes from the rays of one piece, in which its force lies.
    """
    if relaxed.forces is None:
        return None
    if relaxed.outcome is Relaxed.OPTIMAL:
        return _accepted(problem, masks, relaxed, Status.OPTIMAL, relaxed.factor)
    if relaxed.growth is None:
        return None
    assert relaxed.shares is not None
    growing = []
    for mask, shares in zip(masks, relaxed.shares, strict=True):
        used = np.nonzero(shares > 0.0)[0]
        if len(used) > 1:
            return None
        growing.append(1 << int(used[0]) if len(used) else mask)
    return _accepted(problem, tuple(growing), relaxed, Status.UNBOUNDED, relaxed.factor)


def _accepted(
    problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution, status: Status, factor: float
) -> Solution | None:
    forces = relaxed.forces
    assert forces is not None
    pieces = pieces_of(problem, masks, forces)
    if pieces is None or not balances(problem, forces, factor):
        return None
    return Solution(status, factor, np.inf, forces, pieces, growth=relaxed.growth)


def closes(factor: float, bound: float, *, gap: float, floor: float = 0.0, tiny: float = 0.0) -> bool:
    """Whether nothing better than what was attained, beyond the relative gap, is left below the bound.

    Factors smaller than `floor` are judged as if they were that large; differences up to `tiny` never count.
    """
    if bound == -np.inf:
        return True
    return bound <= factor + gap * max(abs(factor), floor) + tiny
