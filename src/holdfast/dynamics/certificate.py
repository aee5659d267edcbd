"""Proofs that no admissible forces accelerate the object less, checkable by support functions alone.

For any x in R^6, any weights p >= 0 of the normals and any weights m of the joint rows, with y = x - normals^T p, every
admissible z of a box of pieces obeys

    |z|^2  >=  -|x|^2 + 2 b,
    b = y . start - sum_i h_i(joint_i^T m - maps_i^T y) + min over s in [lower, upper] of m . s,

h_i being the support function of contact i's allowed pieces: the Lagrangian of (7) at its least. Scaled at best, this
is |z| >= b / |x| for b > 0; and x = 0 with b > 0 says that the box has no admissible z at all. A leaf carries
(x, p, m) for one box of piece choices; the boxes are disjoint and cover all choices, so the least of their bounds
holds for all. This module knows nothing of how the leaves were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, BoolArray
from ..errors import InputError
from ..solvers.certificates import tiles
from .problem import SeparationProblem


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Weights of the rows of (7), in the numbers of `SeparationProblem`.

    Attributes:
        motion: (6,) x; at the optimum of a box it is its z. Zero in a proof that a box has no admissible z.
        normals: (k,) p >= 0, weights of the non-penetration rows.
        joints: (r,) m, weights of the joint rows: positive leans on the lower limit, negative on the upper.
    """

    motion: Array
    normals: Array
    joints: Array


@dataclass(frozen=True, eq=False)
class SeparationLeaf:
    """One box of piece choices and the multipliers that bound it.

    Attributes:
        masks: a bit mask a contact; bit j set means that piece j is allowed in this box.
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

    def verify(self, problem: SeparationProblem) -> bool:
        """Whether the claim follows from the leaves, by support functions and counting alone."""
        if not self.covers(problem):
            return False
        known: dict[int, PieceSupports] = {}  # leaves that were struck off together share their multipliers
        for leaf in self.leaves:
            if id(leaf.multipliers) not in known:
                known[id(leaf.multipliers)] = piece_supports(problem, leaf.multipliers)
            if _bound(problem, leaf.masks, leaf.multipliers, known[id(leaf.multipliers)]) < self.claim:
                return False
        return True


class PieceSupports(NamedTuple):
    """What multipliers meet at every piece of every contact; k contacts, at most c pieces."""

    values: Array  # (k, c) support h of the piece; inf along a ray, -inf where there is no such piece
    sizes: Array  # (k, c) size of the terms of which it is the sum


def lower_bound(problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers) -> float:
    """The least |z|^2 that the multipliers leave possible for the allowed pieces; inf when they leave none.

    Less the rounding of its terms. 0 when the multipliers prove nothing.
    """
    return _bound(problem, masks, multipliers, piece_supports(problem, multipliers))


def piece_bounds(problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers) -> Array:
    """(k, c) what `lower_bound` would be if one contact were left one of its pieces alone.

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
    """h(joint_i^T m - maps_i^T y) of every piece of every contact i.

    As in the proofs of holding, a slope along a ray counts as none within `tolerances.RAY_SLOPE` of its terms.
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
    return PieceSupports(values, sizes)


def _allowed(masks: Sequence[int], supports: PieceSupports) -> BoolArray:
    """(k, c) the pieces that a box allows."""
    allowed = np.array(masks)[:, None] >> np.arange(supports.values.shape[1]) & 1 == 1
    if not allowed.any(axis=1).all():
        at = int(np.argmin(allowed.any(axis=1)))
        raise InputError("allows no piece", where=f"masks[{at}]", fix="every contact needs one piece or more")
    return allowed


def _excess(
    problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers, supports: PieceSupports
) -> float:
    """b of the bound, less its rounding; -inf where the multipliers prove nothing."""
    x, p, m = multipliers.motion, multipliers.normals, multipliers.joints
    allowed = _allowed(masks, supports)
    total = float(np.where(allowed, supports.values, -np.inf).max(axis=1).sum())
    size = float(np.where(allowed, supports.sizes, 0.0).max(axis=1).sum())
    with np.errstate(invalid="ignore"):
        ends = np.where(m > 0.0, m * problem.lower, np.where(m < 0.0, m * problem.upper, 0.0))
    if not ((p >= 0.0).all() and np.isfinite(total) and np.isfinite(ends).all()):
        return -np.inf
    own = float((np.abs(x) + p @ np.abs(problem.normals)) @ np.abs(problem.start))
    rounding = 8 * np.finfo(float).eps * (problem.contacts + len(m) + 6)
    b = float((x - p @ problem.normals) @ problem.start) - total + float(ends.sum())
    return b - rounding * max(own, size, float(np.abs(ends).sum()))


def _bound(
    problem: SeparationProblem, masks: Sequence[int], multipliers: Multipliers, supports: PieceSupports
) -> float:
    """The bound on |z|^2 that b leaves."""
    excess = _excess(problem, masks, multipliers, supports)
    if excess <= 0.0:
        return 0.0
    length = float(multipliers.motion @ multipliers.motion)
    return excess**2 / length if length > 0.0 else np.inf
