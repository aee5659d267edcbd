"""Grown pieces as hulls of few points: a corner is added only where leaving it out would cost something."""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import Indices, unit
from .cover import Patchwork, Stakes, split
from .growth import Growth
from .refinement import ConvexPiece

#: Corners are left out of a piece when that costs less than this share.
THIN = 4e-3

#: Corners added before the hulls are looked at again, and the angle [rad] that those of one piece keep apart.
ADDED = 16
APART = 0.4


def thinned(growths: list[Growth], parts: Patchwork, stakes: Stakes, most: int) -> list[ConvexPiece]:
    """The pieces as hulls of at most about `most` points on their boundaries, and so inside them.

    They begin with few and get more where the union loses most against what the growths hold. A
    triangle counts as held by the piece that holds all its corners best.
    """
    corners, triangles = split(parts.corners, parts.triangles)
    rays, at_stake = unit(corners), stakes(corners)
    reach = np.array([growth.reach(corners) for growth in growths])  # (k, s)
    whole = cost(reach, at_stake, triangles)
    owner = whole.argmin(axis=0)
    chosen = [_extremes(corners * r[:, None]) for r in reach]
    pieces: list[ConvexPiece | None] = [None] * len(growths)
    have = np.zeros_like(reach)
    changed = set(range(len(growths)))
    while changed:
        for k in changed:
            index = sorted(chosen[k])
            pieces[k] = _hull(corners[index] * reach[k, index, None])
            have[k] = _share(pieces[k], corners)
        lost = cost(have, at_stake, triangles).min(axis=0) - whole.min(axis=0)
        full = np.array([piece is not None and len(piece.vertices) >= most for piece in pieces])
        lost[full[owner]] = 0.0
        changed = set()
        for _ in range(ADDED):
            t = int(lost.argmax())
            k = int(owner[t])
            corner = int(triangles[t, ((reach[k] - have[k]) * at_stake)[triangles[t]].argmax()])
            if lost[t] <= THIN or corner in chosen[k]:
                break
            chosen[k].add(corner)
            changed.add(k)
            lost[t] = 0.0
            lost[(owner == k) & (rays[triangles[:, 0]] @ rays[corner] > np.cos(APART))] = 0.0
    return [piece for piece in pieces if piece is not None]


def cost(share: Array, at_stake: Array, triangles: Indices) -> Array:
    """(k, t) what each piece loses of each triangle, given the shares (k, s) of the corners it holds."""
    return ((1.0 - share) * at_stake)[:, triangles].max(axis=2)


def _share(piece: ConvexPiece | None, forces: Array) -> Array:
    if piece is None:
        return np.zeros(len(forces))
    with np.errstate(divide="ignore"):
        return 1.0 / np.maximum(piece.gauge(forces), 1.0)


def _extremes(points: Array) -> set[int]:
    return {int(i) for i in (*points.argmax(axis=0), *points.argmin(axis=0))}


def _hull(points: Array) -> ConvexPiece | None:
    try:
        return ConvexPiece(points)
    except GeometryError:
        return None
