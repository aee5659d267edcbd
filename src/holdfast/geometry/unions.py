"""Unions of convex sets: how large they are and where their centre lies, and the hierarchy of hulls that bounds them.

The sets may overlap, touch or lie apart. The hierarchy is that of section III.F.a of the paper; the sets may
have any meaning, not only forces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from .halfspaces import generators_about, largest_ball
from .polytopes import Polytope, hull_of, intersection

# -- the hierarchy ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the hierarchy: the convex hull of the pieces below it.

    Attributes:
        pieces: indices of the pieces below, ascending.
        hull: their convex hull, an outer approximation of their union.
        children: the two nodes it was merged from; none at a leaf.
    """

    pieces: tuple[int, ...]
    hull: Polytope
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def depth(self) -> int:
        """Number of merges on the longest way down."""
        return 1 + max(child.depth for child in self.children) if self.children else 0


def build_hierarchy(polytopes: Sequence[Polytope]) -> Node:
    """Merge in rounds: in each, the pair of least excess volume first, every item at most once per round.

    Excess is mu(hull(A u B)) - mu(A) - mu(B), with mu the volume. Unbounded pieces are truncated first.
    """
    level = [Node((index,), polytope) for index, polytope in enumerate(polytopes)]
    while len(level) > 1:
        pairs = sorted((_excess(level[i], level[j]), i, j) for i in range(len(level)) for j in range(i + 1, len(level)))
        merged: list[Node] = []
        waiting = set(range(len(level)))
        for _, i, j in pairs:
            if i in waiting and j in waiting:
                waiting -= {i, j}
                merged.append(_merge(level[i], level[j]))
        level = merged + [level[i] for i in sorted(waiting)]
    return level[0]


def _merge(a: Node, b: Node) -> Node:
    return Node(tuple(sorted((*a.pieces, *b.pieces))), hull_of([a.hull, b.hull]), (a, b))


def _excess(a: Node, b: Node) -> float:
    measures = [p.truncated().volume for p in (hull_of([a.hull, b.hull]), a.hull, b.hull)]
    return measures[0] - measures[1] - measures[2]


# -- the measure ------------------------------------------------------------------------------------


class UnionMeasure:
    """Volume and centroid of the union of any of several convex sets, by inclusion and exclusion of their overlaps.

    Overlaps are found when they are first asked for and kept, so that all nodes of a hierarchy share them. Their
    number can double with every piece. Unbounded sets are truncated first.
    """

    def __init__(self, polytopes: Sequence[Polytope]) -> None:
        self._polytopes = tuple(p.truncated() for p in polytopes)
        self._overlaps: dict[tuple[int, ...], Polytope | None] = {(i,): p for i, p in enumerate(self._polytopes)}

    def measure(self, pieces: Sequence[int]) -> tuple[float, Array]:
        """(volume, first moment (n,)) of the union of these pieces."""
        members = sorted(set(pieces))
        total, moment = 0.0, np.zeros(self._polytopes[0].ambient_dimension)
        level: list[tuple[int, ...]] = [(i,) for i in members]
        sign = 1.0
        while level:
            for key in level:
                part = self._overlaps[key]
                assert part is not None
                total += sign * part.volume
                moment += sign * part.volume * part.centroid
            larger = [(*key, extra) for key in level for extra in members if extra > key[-1]]
            level = [key for key in larger if self._overlap(key) is not None]
            sign = -sign
        return total, moment

    def centroid(self, pieces: Sequence[int]) -> Array:
        """(n,) centroid of the union of these pieces; the mean of their own centroids when all are flat."""
        volume, moment = self.measure(pieces)
        if volume > 0.0:
            return moment / volume
        return np.mean([self._polytopes[i].centroid for i in pieces], axis=0)

    def _overlap(self, key: tuple[int, ...]) -> Polytope | None:
        """The common body of the pieces in `key`; None where they share no volume."""
        if key not in self._overlaps:
            smaller = self._overlap(key[:-1])
            self._overlaps[key] = None if smaller is None else _common_body(smaller, self._polytopes[key[-1]])
        return self._overlaps[key]


def _common_body(a: Polytope, b: Polytope) -> Polytope | None:
    """The common part of two bounded sets, or None when it has no volume.

    The half-spaces of both are intersected around the centre of the largest ball that they all contain.
    """
    from scipy.spatial import QhullError

    size, dimension = max(a.size, b.size), a.ambient_dimension
    if min(a.dimension, b.dimension) < dimension:
        return None
    highest = np.minimum(a.vertices.max(axis=0), b.vertices.max(axis=0))
    if (highest <= np.maximum(a.vertices.min(axis=0), b.vertices.min(axis=0))).any():
        return None
    normals = np.concatenate([a.halfspaces[0], b.halfspaces[0]])
    offsets = np.concatenate([a.halfspaces[1], b.halfspaces[1]])
    centre, radius, _ = largest_ball(normals, offsets, size=size, least=0.0)
    if radius <= tolerances.MERGE * size:
        return None
    try:
        common = generators_about(centre, normals, offsets).polytope()
    except QhullError:  # too thin for that: cut one by the other, plane by plane
        common = intersection([a, b])
    return common if common is not None and common.dimension == dimension else None
