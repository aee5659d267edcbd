"""Rows of a polyhedron from its generators, and its point nearest to the origin."""

from __future__ import annotations

import numpy as np

from ..checks import Array

#: Equalities whose singular values fall below this share of the largest say nothing new.
RANK = 1e-10

#: Closed rows and equalities are met within this share of the set's scale.
CLOSED = 1e-9

#: A strict row is met when its slack exceeds this share of the set's scale.
STRICT = 1e-8

#: Offsets below this share of the generators' size are rounding.
ROUNDING = 1e-14

#: Every facet touches a vertex, so its distance is that of a vertex at most; a farther one is the facet at infinity.
AT_INFINITY = 1e-4


def facets(V: Array, R: Array, L: Array, scale: float = 0.0) -> tuple[Array, Array, Array, Array]:
    """(A, b, C, d) of conv(V) + cone(R) + span(L), irredundant: the generators of the dual cone.

    Vertices closer than rounding of their own size, or of `scale`, are one.
    """
    from .kernels.generators import cone_generators

    size = V.shape[1]
    centre = V.mean(axis=0)
    spread = float(np.abs(V - centre).max())
    known = max(scale, float(np.abs(V).max()))
    if spread <= CLOSED * known:
        V, spread = centre[None], known or 1.0
    # Lines and equalities are found by rank first; double description then works in the span of what is left.
    straight = _row_space(L / np.maximum(np.linalg.norm(L, axis=1, keepdims=True), 1e-300), RANK)
    across = (V - centre) / spread
    units = R / np.maximum(np.linalg.norm(R, axis=1, keepdims=True), 1e-300) if len(R) else R
    span = np.vstack([across, units])
    span = span - (span @ straight.T) @ straight
    frame = _row_space(span, STRICT)
    whole = np.vstack([straight, frame])
    C = np.linalg.svd(whole)[2][len(whole) :] if len(whole) else np.eye(size)
    d = C @ centre
    if not len(frame):
        return np.zeros((0, size)), np.zeros(0), C, d
    points, directions = across @ frame.T, units @ frame.T
    long = np.linalg.norm(directions, axis=1) > RANK if len(directions) else np.zeros(0, dtype=bool)
    rows = np.vstack(
        [
            np.column_stack([points, np.ones(len(points))]),
            np.column_stack([directions[long], np.zeros(int(long.sum()))]),
        ]
    )
    found, free = cone_generators(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert not len(free), "the frame holds nothing that the generators do not span"
    lengths = np.linalg.norm(found[:, :-1], axis=1)
    true = lengths > AT_INFINITY
    found, lengths = found[true], lengths[true]
    A = (found[:, :-1] / lengths[:, None]) @ frame
    b = A @ centre - spread * found[:, -1] / lengths
    size_of_all = spread + float(np.abs(centre).max())
    return A, np.where(np.abs(b) <= ROUNDING * size_of_all, 0.0, b), C, d


def _row_space(rows: Array, tolerance: float) -> Array:
    """Orthonormal rows that span `rows`; directions seen less than `tolerance` of the largest are left out."""
    if not len(rows):
        return rows
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    return right[values > tolerance * max(float(values[0]), 1.0)]


def nearest(G: Array, h: Array) -> Array | None:
    """The least y with G y >= h, by Lawson and Hanson's reduction to a nonnegative least squares; None if inexact."""
    from scipy.optimize import nnls

    stacked = np.vstack([G.T, h])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    try:
        weights, _ = nnls(stacked, target)
    except RuntimeError:  # it did not come to an end
        return None
    residual = stacked @ weights - target
    if not residual[-1] < 0.0:
        return None
    y = -residual[:-1] / residual[-1]
    # y = G^T w / |residual| with w >= 0 on rows that are met: that is the proof that no other point is nearer.
    multipliers = weights / -residual[-1]
    met = (G @ y - h).min() >= -CLOSED * max(1.0, float(np.abs(y).max()))
    tight = abs(float(multipliers @ (G @ y - h))) <= STRICT * max(1.0, float(y @ y))
    return y if met and tight else None
