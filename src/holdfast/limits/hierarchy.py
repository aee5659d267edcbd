"""The bounding hierarchy over the pieces of a volume (III.F.a)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..polytopes import Polytope, hull_of


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
    """Merge in rounds: in each, the pair of least excess volume first, every item at most once a round.

    Excess is mu(hull(A u B)) - mu(A) - mu(B). Unbounded pieces are measured cut off a few sizes out.
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
