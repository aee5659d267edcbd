"""How well convex pieces stand for a surface: the largest errors over all directions, exact or certified.

Pieces and surface come bounded: a surface without a limit in pressing directions has been bent by the
projective map x -> x / (1 + tilt . x), which keeps directions and convexity (see `decompose`). Shares
are those of the true surface all the same. Errors in newtons then count pulling directions (f_z <= 0)
only, since the others have no largest error.
"""

from __future__ import annotations

import numpy as np

from .. import tolerances
from ..checks import Array
from ..geometry.directions import Indices
from .refinement import CERTIFIED_FLOOR, ConvexPiece, certified_maximum, clip, fan, gradients, refine
from .surface import LimitSurface

#: Rows of the two errors in newtons.
FORCE, ADHESION = 0, 1


def overreach(pieces: list[ConvexPiece], surface: LimitSurface, tilt: Array) -> tuple[float, float, float]:
    """(share, force [N], adhesion [N]) by which the union of `pieces` exceeds the surface along a ray at most.

    The share is exact, and infinite where a piece enters directions without force. The newtons are exact
    there, and certified elsewhere. Excess within the membership tolerance counts as none.
    """
    share, force, pull = 0.0, 0.0, 0.0
    slopes = gradients(surface) - tilt
    for piece in pieces:
        cells = refine(piece, surface)
        over = (cells.use > 1.0 + tolerances.MEMBERSHIP).any(axis=1)
        if not over.any():
            continue
        corners, cone, use = cells.corners[over], cells.cone[over], cells.use[over]
        lean = corners @ tilt
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.where(use > 1.0 + tolerances.MEMBERSHIP, (use - 1.0) / (1.0 - lean), 0.0)
        share = max(share, float(excess.max()))
        if tilt.any():
            corners, left = _pulling(corners, tilt)
            cone = cone[left]
        dead = np.isinf(slopes[cone, 0])
        force = max(force, float(np.linalg.norm(corners[dead], axis=2).max(initial=0.0)))
        pull = max(pull, float((-corners[dead][..., 2]).max(initial=0.0)))
        triangles, owner = fan(corners[~dead])
        owner = cone[~dead][owner]
        force = max(force, _certified_excess(triangles, owner, slopes, FORCE, surface.size))
        pull = max(pull, _certified_excess(triangles, owner, slopes, ADHESION, surface.size))
    return share, force, pull


def _pulling(polygons: Array, tilt: Array) -> tuple[Array, Indices]:
    """The parts with f_z <= 0 of bent polygons (c, k, 3), bent back, and the polygon of each."""
    count, corners = polygons.shape[:2]
    down = np.tile([0.0, 0.0, -1.0], (count, 1))
    parts, _, left = clip(polygons, np.full(count, corners), down, np.zeros(count))
    return parts / (1.0 - parts @ tilt)[..., None], left


def _certified_excess(triangles: Array, owner: Indices, slopes: Array, kind: int, size: float) -> float:
    """Largest |x| (1 - 1/g) or -x_z (1 - 1/g) over triangles on pieces, g the surface's linear gauge there."""

    def bounds(parts: Array, cone: Indices) -> tuple[Array, Array]:
        use = np.maximum(np.einsum("mj,mkj->mk", slopes[cone], parts), np.finfo(float).tiny)
        if kind == ADHESION:
            amount = along = np.maximum(-parts[..., 2], 0.0)
        else:
            middle = parts.mean(axis=1)
            middle /= np.linalg.norm(middle, axis=1, keepdims=True)
            amount = np.linalg.norm(parts, axis=2)
            along = np.einsum("mj,mkj->mk", middle, parts)  # never longer than the force itself
        values = amount * np.maximum(1.0 - 1.0 / use, 0.0)
        # amount is convex and along / use linear-fractional: both have their extremes at corners.
        one = amount.max(axis=1) * np.maximum(1.0 - 1.0 / use.max(axis=1), 0.0)
        two = amount.max(axis=1) - (along / use).min(axis=1)
        return values, np.minimum(one, two)

    return certified_maximum(triangles, owner, bounds, CERTIFIED_FLOOR * size)


def loss(pieces: list[ConvexPiece], surface: LimitSurface, tilt: Array) -> tuple[float, float, float]:
    """(share, force [N], adhesion [N]) that the union of `pieces` lacks along a ray of the surface at most; certified.

    On a triangle of the surface the gauge of a piece is convex, so its value at the worst corner bounds
    it, and the best piece counts. Directions without a volume below the surface do not count.
    """
    alive = np.isfinite(surface.gauges[surface.triangles]).all(axis=1)
    triangles = surface.vertices[surface.triangles[alive]]
    owner = np.zeros(len(triangles), dtype=np.intp)

    def share_bounds(parts: Array, owner: Indices) -> tuple[Array, Array]:
        use = _uses(pieces, parts, np.zeros(3))  # (k, m, 3)
        lean = parts @ tilt
        at_corners = _lacking(use, lean[None]).min(axis=0)
        return at_corners, _lacking(use.max(axis=2), lean.max(axis=1)[None]).min(axis=0)

    share = certified_maximum(triangles, owner, share_bounds, CERTIFIED_FLOOR)
    if tilt.any():
        triangles, owner = fan(_pulling(triangles, tilt)[0])

    def newtons(kind: int) -> float:
        def bounds(parts: Array, owner: Indices) -> tuple[Array, Array]:
            amount = np.linalg.norm(parts, axis=2) if kind == FORCE else np.maximum(-parts[..., 2], 0.0)
            use = _uses(pieces, parts, tilt)
            values = amount * (1.0 - 1.0 / use).min(axis=0)
            upper = amount.max(axis=1) * (1.0 - 1.0 / use.max(axis=2)).min(axis=0)
            return values, upper

        return certified_maximum(triangles, owner, bounds, CERTIFIED_FLOOR * surface.size)

    return share, newtons(FORCE), newtons(ADHESION)


def _uses(pieces: list[ConvexPiece], parts: Array, tilt: Array) -> Array:
    """(k, m, 3) gauge of each piece, bent back by `tilt`, at the corners of parts (m, 3, 3); at least 1."""
    points = parts.reshape(-1, 3)
    lean = points @ tilt
    result = []
    for piece in pieces:
        use = piece.gauge(points) - lean
        # What is outside by less than the membership tolerance is held.
        result.append(np.where(use <= 1.0 + tolerances.MEMBERSHIP, 1.0, use).reshape(-1, 3))
    return np.array(result)


def _lacking(use: Array, lean: Array) -> Array:
    """1 - radius of the piece / radius of the surface, where the bent gauges are `use` and 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (use - 1.0) / (use - lean)
    return np.where(use <= 1.0, 0.0, np.where(np.isinf(use), 1.0, share))
