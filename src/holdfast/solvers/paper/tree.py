"""The bounding hierarchy of one force volume with what the paper's search asks of its nodes (III.F.a-c).

A node stands for some pieces of the volume and bounds them by their hull. The programs need the hull's half-spaces,
the objective (10) the centroid of the pieces' union, branching the distances of a force to the volume and to the
hulls of a node's children. All forces are in the contact frame [N].
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ...checks import Array
from ...geometry.polytopes import Polytope
from ...geometry.unions import Node, UnionMeasure, build_hierarchy

#: A force of a program counts as inside a piece when it is outside by no more than this share of the piece's size
#: (or of the force, in a cone): programs stop at tolerances of their own. Answers are then put right to MEMBERSHIP.
INSIDE = 1e-6

#: Beyond this many pieces below a node their overlaps are too many to subtract, and count as often as they occur.
MOST_OVERLAPPING = 8

#: Volumes whose hierarchy is kept; what is kept depends on nothing but the pieces.
TREES_KEPT = 64


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """A convex set in H-form: normals f <= offsets and, for a flat one, axes f = levels.

    Attributes:
        normals: (h, 3) outward unit normals of the facets.
        offsets: (h,) [N].
        axes: (q, 3) unit normals of the planes that a flat set lies in; (0, 3) for a body.
        levels: (q,) [N].
    """

    normals: Array
    offsets: Array
    axes: Array
    levels: Array


class ShapeTree:
    """The hierarchy over the pieces of one volume.

    Attributes:
        pieces: the convex pieces, F_i,1 to F_i,c of the paper.
        root: the node that bounds them all.
    """

    def __init__(self, pieces: tuple[Polytope, ...]) -> None:
        self.pieces = pieces
        self.root = build_hierarchy(pieces)
        self._leaves = {node.pieces[0]: node for node in self.root.walk() if not node.children}
        self._measure = UnionMeasure(pieces)
        self._centroids: dict[tuple[int, ...], Array] = {}
        self._halfspaces: dict[tuple[int, ...], HalfSpaces] = {}

    def leaf(self, piece: int) -> Node:
        """The node of one piece alone."""
        return self._leaves[piece]

    def halfspaces(self, node: Node) -> HalfSpaces:
        """H-form of a node's hull."""
        if node.pieces not in self._halfspaces:
            normals, offsets = node.hull.halfspaces
            flat = node.hull.ambient_dimension - node.hull.dimension
            facets = len(normals) - 2 * flat  # a flat set's planes come last, each from both sides
            planes = slice(facets, facets + flat)
            self._halfspaces[node.pieces] = HalfSpaces(
                normals[:facets], offsets[:facets], normals[planes], offsets[planes]
            )
        return self._halfspaces[node.pieces]

    def centroid(self, node: Node) -> Array:
        """(3,) centroid of the union of the pieces below a node, c_i of (10)."""
        if node.pieces not in self._centroids:
            if len(node.pieces) <= MOST_OVERLAPPING:
                centre = self._measure.centroid(node.pieces)
            else:
                single = [self._measure.measure((j,)) for j in node.pieces]
                total = sum(volume for volume, _ in single)
                parts = [self._measure.centroid((j,)) for j in node.pieces]
                centre = sum((moment for _, moment in single), np.zeros(3)) / total if total else np.mean(parts, axis=0)
            self._centroids[node.pieces] = centre
        return self._centroids[node.pieces]

    def locate(self, forces: Array) -> Array:
        """(n,) the piece in which each of the forces (n, 3) lies deepest, or -1 where it lies in none."""
        depths = np.empty((len(self.pieces), len(forces)))
        for depth, piece in zip(depths, self.pieces, strict=True):
            normals, offsets = piece.halfspaces
            size = np.maximum(np.abs(piece.vertices).max(), np.abs(forces).max(axis=1))
            depth[:] = (forces @ normals.T - offsets).max(axis=1, initial=-np.inf) / np.where(size > 0.0, size, 1.0)
        best = depths.argmin(axis=0)
        return np.where(depths[best, np.arange(len(forces))] <= INSIDE, best, -1)

    def distance(self, force: Array) -> float:
        """dist(f, F) of a force (3,) to the union of the pieces [N]; 0 inside."""
        return max(0.0, min(float(piece.signed_distance(force)) for piece in self.pieces))


@functools.lru_cache(maxsize=TREES_KEPT)
def shape_tree(pieces: tuple[Polytope, ...]) -> ShapeTree:
    """The hierarchy over `pieces`, made once for as long as the same pieces keep being asked about."""
    return ShapeTree(pieces)


def mask_of(node: Node) -> int:
    """The pieces below a node as a bit mask."""
    return sum(1 << j for j in node.pieces)
