"""The point of least length in a convex set that is known by its furthest points alone (Wolfe's method)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..checks import Array

#: Wanted share of |x|^2 between the length found and the bound from below.
GAP = 1e-6

#: Points asked for at most.
MOST_POINTS = 500

#: A weight below this is none.
NO_WEIGHT = 1e-12

#: A length below this share of the first point's is zero.
ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class LeastPoint:
    """What was found.

    Attributes:
        point: (n,) the shortest point.
        weights: of the points that it is a mixture of, positive, sum 1.
        tags: what the set returned with each of those points.
        bound: no point of the set is shorter than this.
    """

    point: Array
    weights: Array
    tags: tuple[Array, ...]
    bound: float


def least_point(nearest: Callable[[Array], tuple[Array, Array] | None]) -> LeastPoint | None:
    """The shortest point of a convex set.

    The set is asked for its point p of least x . p: |x|^2 - x . p bounds how much longer than the shortest x is. Points
    are mixed so that x is the shortest point of the hull of those kept.

    Args:
        nearest: for x (n,) the pair (p (n,), tag) of least x . p, or None where the set is empty.
    """
    first = nearest(np.zeros(0))
    if first is None:
        return None
    points, tags, weights = [first[0]], [first[1]], np.ones(1)
    x, size, bound = first[0], float(np.linalg.norm(first[0])), 0.0
    for _ in range(MOST_POINTS):
        length = float(np.linalg.norm(x))
        if length <= ZERO * size:
            break
        found = nearest(x)
        if found is None:
            break
        p, tag = found
        bound = max(bound, float(x @ p) / length)
        known = any(np.abs(p - old).max() <= NO_WEIGHT * size for old in points)
        if length - bound <= GAP * length or known:
            break
        points.append(p)
        tags.append(tag)
        weights = np.append(weights, 0.0)
        weights, kept = _shortest_mixture(np.array(points), weights)
        points, tags = [points[i] for i in kept], [tags[i] for i in kept]
        x = weights @ np.array(points)
    return LeastPoint(x, weights, tuple(tags), min(bound, float(np.linalg.norm(x))))


def _shortest_mixture(points: Array, weights: Array) -> tuple[Array, list[int]]:
    """(weights, indices kept): the shortest point of the hull of `points` (m, n), from the mixture that is there."""
    kept = list(range(len(points)))
    while True:
        affine = _shortest_affine(points[kept])
        if (affine > NO_WEIGHT).all():
            return affine, kept
        falling = affine < weights - NO_WEIGHT
        steps = np.where(falling & (affine <= NO_WEIGHT), weights / np.where(falling, weights - affine, 1.0), np.inf)
        step = min(1.0, float(steps.min()))
        weights = (1.0 - step) * weights + step * affine
        stay = weights > NO_WEIGHT
        if stay.all():
            stay[int(steps.argmin())] = False
        weights = weights[stay] / weights[stay].sum()
        kept = [i for i, keep in zip(kept, stay, strict=True) if keep]
        if len(kept) == 1:
            return np.ones(1), kept


def _shortest_affine(points: Array) -> Array:
    """(m,) weights of sum 1, of either sign, of the shortest point of the plane through `points` (m, n)."""
    m = len(points)
    if m == 1:
        return np.ones(1)
    edges = (points[1:] - points[0]).T
    rest = np.linalg.lstsq(edges, -points[0], rcond=None)[0]
    return np.concatenate([[1.0 - rest.sum()], rest])
