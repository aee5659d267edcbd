"""Mixtures of shifted normal scores: where samples of rare failures are drawn, and how they are weighted back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array, IntArray

#: Parts of a mixture besides the plain one.
MOST_MODES = 16

#: Failures nearer to one another than this, in standard deviations, are one mode.
SAME_MODE = 0.75


@dataclass(frozen=True, eq=False)
class Mixture:
    """Parts of unit variance, each shifted; part 0 is the plain one.

    Attributes:
        shifts: (c, size) mean scores of the parts.
        shares: (c,) how many of the samples each part gets; they sum to one.
    """

    shifts: Array
    shares: Array

    def strata(self, n: int) -> IntArray:
        """(n,) the part of each sample, evenly spread; every part gets its share to one sample."""
        ends = np.cumsum(self.shares)
        counts = np.diff(np.floor(np.append(0.0, ends) * n + 0.5).astype(np.int64))
        order = np.concatenate([(np.arange(c) + 0.5) / max(c, 1) for c in counts])
        parts = np.repeat(np.arange(len(counts)), counts)
        return parts[np.argsort(order, kind="stable")]

    def weights(self, scores: Array) -> Array:
        """(n,) density of the plain scores over that of the mixture (n as many as `strata` was asked for).

        Shares are those that n samples were really given, which makes weighted means free of bias.
        """
        given = np.bincount(self.strata(len(scores)), minlength=len(self.shares)) / len(scores)
        tilts = scores @ self.shifts.T - 0.5 * (self.shifts**2).sum(axis=1)
        top = tilts.max(axis=1, keepdims=True)
        return np.exp(-top[:, 0]) / (np.exp(tilts - top) @ given)


def mixture_at(points: Array, size: int, plain_share: float) -> Mixture:
    """Parts at the failures nearest to the middle (p, size), and a plain part of `plain_share`.

    Points close together count once. A part at distance b gets a share in proportion to Phi(-b), the probability beyond
    a plane at that distance.
    """
    from scipy.special import log_ndtr

    kept: list[Array] = []
    for point in points[np.argsort(np.linalg.norm(points, axis=1), kind="stable")]:
        if len(kept) < MOST_MODES and all(np.linalg.norm(point - other) > SAME_MODE for other in kept):
            kept.append(point)
    if not kept:
        return Mixture(np.zeros((1, size)), np.ones(1))
    shifts = np.array(kept)
    beyond = log_ndtr(-np.linalg.norm(shifts, axis=1))
    shares = np.exp(beyond - beyond.max())
    shares *= (1.0 - plain_share) / shares.sum()
    return Mixture(np.concatenate([np.zeros((1, size)), shifts]), np.append(plain_share, shares))
