"""Channels: the room between a left and a right wall, each a polyline that rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array, BoolArray
from ...errors import GeometryError
from ..outlines import segment_distances

Side = Literal["left", "right"]

#: A node counts as inside when it stands out of a wall by no more than this share of the channel's width.
GRAZE = 1e-9


class Foothold(NamedTuple):
    """A point of a wall [m], the unit normal there into the channel, and the wall."""

    point: Array
    normal: Array
    side: Side


def other_side(side: Side) -> Side:
    """The opposite wall."""
    return "right" if side == "left" else "left"


@dataclass(frozen=True)
class Channel:
    """Two walls as polylines (m, 2) [m], from bottom to top; the left one everywhere to the left."""

    left: Array
    right: Array

    def __init__(self, left: ArrayLike, right: ArrayLike) -> None:
        for name, value in (("left", left), ("right", right)):
            wall = checks.array(name, value, ("m", 2))
            if len(wall) < 2 or (np.diff(wall[:, 1]) <= 0.0).any():
                raise GeometryError(
                    "does not rise", where=name, fix="give at least two points, each above the one before"
                )
            object.__setattr__(self, name, wall)
        heights = np.union1d(self.left[:, 1], self.right[:, 1])
        inside = heights[(heights >= self.bottom) & (heights <= self.top)]
        if not len(inside) or self.bottom >= self.top or (self.widths(inside) <= 0.0).any():
            raise GeometryError("the walls meet or miss each other", where="left", fix="keep it left of the right wall")

    @classmethod
    def straight(cls, width: float, height: float) -> Channel:
        """Vertical walls at x = -width and x = 0."""
        return cls([[-width, 0.0], [-width, height]], [[0.0, 0.0], [0.0, height]])

    @property
    def bottom(self) -> float:
        """The height from which both walls stand [m]."""
        return float(max(self.left[0, 1], self.right[0, 1]))

    @property
    def top(self) -> float:
        """The height to which both walls stand [m]."""
        return float(min(self.left[-1, 1], self.right[-1, 1]))

    def wall(self, side: Side) -> Array:
        """The polyline of a wall."""
        return self.left if side == "left" else self.right

    def widths(self, heights: ArrayLike) -> Array:
        """Horizontal widths [m] at heights [m]."""
        y = np.asarray(heights, dtype=float)
        return np.interp(y, self.right[:, 1], self.right[:, 0]) - np.interp(y, self.left[:, 1], self.left[:, 0])

    @property
    def least_width(self) -> float:
        """The least horizontal width [m]."""
        heights = np.union1d(self.left[:, 1], self.right[:, 1])
        return float(self.widths(heights[(heights >= self.bottom) & (heights <= self.top)]).min())

    def middle(self, height: float) -> float:
        """x halfway between the walls [m]."""
        left, right = (float(np.interp(height, wall[:, 1], wall[:, 0])) for wall in (self.left, self.right))
        return 0.5 * (left + right)

    def foothold(self, side: Side, height: float) -> Foothold | None:
        """The point of a wall at a height; None above or below it. At a kink the normal is that of the part above."""
        wall = self.wall(side)
        if not wall[0, 1] <= height <= wall[-1, 1]:
            return None
        i = min(int(np.searchsorted(wall[:, 1], height, side="right")) - 1, len(wall) - 2)
        x = float(np.interp(height, wall[:, 1], wall[:, 0]))
        return Foothold(np.array([x, height]), self._normals(side)[i], side)

    def _normals(self, side: Side) -> Array:
        along = np.diff(self.wall(side), axis=0)
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        right = np.column_stack([along[:, 1], -along[:, 0]])
        return right if side == "left" else -right

    def footholds_at(self, side: Side, centre: Array, reach: float) -> list[Foothold]:
        """The points of a wall at distance `reach` from `centre`, highest first."""
        wall, normals = self.wall(side), self._normals(side)
        found: list[Foothold] = []
        for start, end, normal in zip(wall[:-1], wall[1:], normals, strict=True):
            way, off = end - start, start - centre
            a, b, c = float(way @ way), float(way @ off), float(off @ off) - reach**2
            if b * b < a * c:
                continue
            root = np.sqrt(b * b - a * c)
            for s in ((-b + root) / a, (-b - root) / a):
                if 0.0 <= s <= 1.0:
                    found.append(Foothold(start + s * way, normal, side))
        return sorted(found, key=lambda foothold: -foothold.point[1])

    def gaps(self, points: Array) -> Array:
        """(..., 2): signed distance [m] of points (..., 2) to the left and the right wall, negative beyond it."""
        return np.stack([_distance(points, self.left, 1.0), _distance(points, self.right, -1.0)], axis=-1)

    def clearances(self, nodes: Array) -> Array:
        """(T,) how far chains with nodes (T, n, 2) [m] keep off the walls [m]; their first node is left out.

        The least distance of a node, and the least horizontal distance of a link from a corner of a wall.
        """
        least = self.gaps(nodes[:, 1:]).min(axis=(1, 2))
        near = GRAZE * self.least_width
        for wall, sign in ((self.left, 1.0), (self.right, -1.0)):
            for corner in wall[1:-1]:
                least = np.minimum(least, _past_corner(nodes, corner, sign, near))
        return np.asarray(least)

    def holds(self, nodes: Array) -> BoolArray:
        """(T,) whether chains with nodes (T, n, 2) [m] lie between the walls, links and all; touching is allowed.

        Above and below their ends the walls are thought to go on vertically; there are no footholds there.
        """
        near = GRAZE * float(self.widths([self.bottom]).max())
        inside = (self.gaps(nodes) >= -near).all(axis=(1, 2))
        for wall, sign in ((self.left, 1.0), (self.right, -1.0)):
            for corner in wall[1:-1]:
                inside &= _past_corner(nodes, corner, sign, near) >= -near
        return np.asarray(inside)


def _distance(points: Array, wall: Array, sign: float) -> Array:
    """Distance of points to a polyline, negative where x is on its far side (`sign` +1: the inside is to the right)."""
    distance = segment_distances(points, wall[:-1], wall[1:]).min(axis=-1)
    level = np.interp(points[..., 1], wall[:, 1], wall[:, 0])
    return np.where(sign * (points[..., 0] - level) >= 0.0, distance, -distance)


def _past_corner(nodes: Array, corner: Array, sign: float, near: float) -> Array:
    """(T,) least horizontal distance of links from a wall's corner at its height, negative beyond it; inf elsewhere."""
    start, end = nodes[:, :-1], nodes[:, 1:]
    low, high = np.minimum(start[..., 1], end[..., 1]), np.maximum(start[..., 1], end[..., 1])
    rise = end[..., 1] - start[..., 1]
    crossing = (low <= corner[1]) & (corner[1] <= high) & (np.abs(rise) > near)
    share = (corner[1] - start[..., 1]) / np.where(crossing, rise, 1.0)
    x = start[..., 0] + share * (end[..., 0] - start[..., 0])
    return np.where(crossing, sign * (x - corner[0]), np.inf).min(axis=1)
