"""Reaches: how far rays from the middle of a grip go inside the hull of held wrenches, and inside outer planes.

Where a ray leaves the hull of the points known so far, the hull's facet there has a normal y. Its support either shows
that the facet is one of the whole set, or gives a point beyond it. Asked again and again, this is column generation: it
ends with the exact reach of the set's hull along the ray, and with a plane that touches the set just where the ray
leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from .support_sweeps import Pool
from .whitening import Whitening

#: A ray's reach is known when inner and outer differ by no more than this share.
REACH_GAP = 1e-4

#: Rounds of supports that a ray is given at most to come that far.
MOST_ROUNDS = 8


class Exits(NamedTuple):
    """Where q rays from the centre leave the hull of points."""

    reaches: Array  # (q,) in whitened length
    normals: Array  # (q, p) y against whitened coordinates, with y . ray = 1; zeros where none was found
    indices: list[IntArray]  # the points that make up each exit
    weights: list[Array]  # their weights


def exits(points: Array, rays: Array) -> Exits:
    """Where rays (q, p) from 0 leave the hull of whitened points (n, p); 0 must lie in it."""
    from ..solvers.minkowski import SumSolver

    q, p = rays.shape
    solver = SumSolver([(_padded(points), np.zeros((0, 6)))], [0], length=1.0)
    solver.place(np.eye(6)[None])
    reaches, normals = np.zeros(q), np.zeros((q, p))
    indices: list[IntArray] = [np.zeros(0, dtype=np.int64)] * q
    weights: list[Array] = [np.zeros(0)] * q
    for i, ray in enumerate(_padded(rays)):
        found = solver.maximise(np.zeros(6), ray[None], np.ones(1))
        if found.found and np.isfinite(found.value):
            reaches[i] = max(found.value, 0.0)
            indices[i], weights[i] = found.weights[0].indices, found.weights[0].values
        onto = float(found.multipliers @ ray)
        if onto > 0.0:
            normals[i] = found.multipliers[:p] / onto
    return Exits(reaches, normals, indices, weights)


def outer_reaches(normals: Array, offsets: Array, rays: Array) -> Array:
    """(q,) how far rays (q, p) from 0 stay within the planes normals . x <= offsets, (m, p) and (m,), whitened."""
    slopes = rays @ normals.T
    steep = slopes > tolerances.RAY_SLOPE * np.linalg.norm(normals, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(steep, np.clip(offsets, 0.0, None) / slopes, np.inf).min(axis=1, initial=np.inf)


@dataclass(frozen=True, eq=False)
class KnownRays:
    """Rays whose reach has been found, with the best plane at each.

    Attributes:
        rays: (q, p) whitened unit vectors.
        inner, outer: (q,) proven bounds of their reaches in the hull of the set.
        planes: (q,) the pool's direction that bounds each ray best, by its index.
        pool: all that is known by now.
    """

    rays: Array
    inner: Array
    outer: Array
    planes: IntArray
    pool: Pool


def known_rays(
    pool: Pool, whitening: Whitening, rays: Array, ask: Callable[[Array], Pool], *, rounds: int = MOST_ROUNDS
) -> KnownRays:
    """The reaches of rays (q, p) in the hull of the set, by supports where they leave the points known so far."""
    q = len(rays)
    inner = np.zeros(q)
    outer, planes = _best_planes(pool, whitening, rays)
    left = np.arange(q)
    for number in range(rounds + 1):
        found = exits(whitening.coordinates(pool.points), rays[left])
        inner[left] = np.maximum(inner[left], found.reaches)
        still = (inner[left] < (1.0 - REACH_GAP) * outer[left]) & found.normals.any(axis=1)
        left, normals = left[still], found.normals[still]
        if number == rounds or not len(left):
            break
        new = ask(whitening.directions(normals))
        first, pool = len(pool), pool.with_more(new)
        reaches, best = _best_planes(new, whitening, rays)
        better = reaches < outer
        outer[better], planes[better] = reaches[better], first + best[better]
    return KnownRays(rays, np.minimum(inner, outer), outer, planes, pool)


def _best_planes(pool: Pool, whitening: Whitening, rays: Array) -> tuple[Array, IntArray]:
    """(reaches (q,), indices (q,)): the least reach that the pool's planes allow each ray, and which of them does."""
    normals = pool.directions @ whitening.axes
    offsets = np.clip(pool.bounds - pool.directions @ whitening.centre, 0.0, None)
    reaches, best = np.full(len(rays), np.inf), np.zeros(len(rays), dtype=np.int64)
    if not len(pool):
        return reaches, best
    slopes = rays @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        steep = slopes > tolerances.RAY_SLOPE * np.linalg.norm(normals, axis=1)
        allowed = np.where(steep, offsets / slopes, np.inf)
    best = allowed.argmin(axis=1)
    return allowed[np.arange(len(rays)), best], best


def _padded(rows: Array) -> Array:
    return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, 6 - rows.shape[1]))))
