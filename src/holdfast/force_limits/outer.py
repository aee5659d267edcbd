"""Convex pieces whose union contains a star-shaped surface: nothing lost, as little invented as few pieces allow."""

from __future__ import annotations

import numpy as np

from .cover import HOPELESS, Stakes, colour, least_conflict, patchwork, smallest_errors
from .refinement import ConvexPiece
from .surface import LimitSurface

#: Colourings tried for one error and one number of pieces, with ties broken another way each time.
ATTEMPTS = 8


def outer_pieces(surface: LimitSurface, stakes: Stakes, most: int, goal: float) -> list[ConvexPiece]:
    """At most `most` convex pieces around a bounded surface, with errors of about the share `goal` if they suffice.

    Every triangle has all its corners in one piece, which therefore holds all below it.
    """
    parts = patchwork(surface, stakes)

    group = np.zeros(len(parts.triangles), dtype=np.intp)

    def attempt(pulling: float, pressing: float) -> bool:
        nonlocal group
        if pulling >= 1.0:
            group = np.zeros(len(parts.triangles), dtype=np.intp)
            return True
        conflict = parts.conflicts(parts.limits(pulling, pressing))
        for count in range(1, most + 1):
            allowed = np.ones((len(conflict), count), dtype=bool)
            for seed in range(ATTEMPTS if count > 1 else 1):
                found = colour(conflict, allowed, seed)
                if found is not None:
                    group = found
                    return True
        return False

    pulling, _ = smallest_errors(attempt, goal)
    if pulling > HOPELESS:
        group = least_conflict(parts.excess, most)
    points = [parts.corners[np.unique(parts.triangles[group == k])] for k in np.unique(group)]
    for fin in _fins(surface):
        # A single direction or a flat fan of them has no volume; it joins the piece nearest to it.
        nearest = int(np.argmax([(p @ fin.sum(axis=0)).max() / np.linalg.norm(p, axis=1).max() for p in points]))
        points[nearest] = np.vstack([points[nearest], fin])
    return [ConvexPiece(p) for p in points]


def _fins(surface: LimitSurface) -> list[np.ndarray]:
    """Limit forces (m, 3) of edges and single directions that carry a force without a volume next to them."""
    positive = surface.radii > 0.0
    alive = surface.triangles[positive[surface.triangles].all(axis=1)]
    held = {tuple(e) for e in np.sort(alive[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)}
    edges = [e for e in surface.mesh.edges if positive[e].all() and tuple(e) not in held]
    lone = np.setdiff1d(np.flatnonzero(positive), np.concatenate([alive.ravel(), *edges]))
    return [surface.vertices[e] for e in edges] + [surface.vertices[[i]] for i in lone]
