"""Channels between two walls, and the postures in which a snake braces in them: zigzags joined by bent links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import GeometryError
from ..public_names import with_advice
from .bodies import segment_distances

Side = Literal["left", "right"]

#: A node counts as inside when it is beyond a wall by at most this share of the channel's width.
GRAZE = 1e-9


class Foothold(NamedTuple):
    """A point of a wall [m], the unit normal there into the channel, and the wall."""

    point: Array
    normal: Array
    side: Side


def other_side(side: Side) -> Side:
    """The opposite wall."""
    return "right" if side == "left" else "left"


@with_advice()
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
            raise GeometryError("touches the right wall, or has no height in common", where="left", fix="move it left")

    @classmethod
    def straight(cls, width: float, height: float) -> Channel:
        """Vertical walls at x = -width and x = 0."""
        return cls([[-width, 0.0], [-width, height]], [[0.0, 0.0], [0.0, height]])

    @property
    def bottom(self) -> float:
        """The height at which both walls begin [m]."""
        return float(max(self.left[0, 1], self.right[0, 1]))

    @property
    def top(self) -> float:
        """The height at which the first wall ends [m]."""
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
        """(T,) least distances of chains with nodes (T, n, 2) [m] from the walls [m]; their first node is left out.

        The least distance of a node, and the least horizontal distance of a link from a corner of a wall.
        """
        least = self.gaps(nodes[:, 1:]).min(axis=(1, 2))
        near = GRAZE * self.least_width
        for wall, sign in ((self.left, 1.0), (self.right, -1.0)):
            for corner in wall[1:-1]:
                least = np.minimum(least, _past_corner(nodes, corner, sign, near))
        return np.asarray(least)

    def holds(self, nodes: Array) -> BoolArray:
        """(T,) whether chains with nodes (T, n, 2) [m] lie between the walls with all links; touching is allowed.

        Beyond their ends the walls are continued vertically, without footholds.
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


#: Connecting links are stretched to at most this share of their length: straight ones could not extend further.
STRETCH = 0.98

#: Links climb at least at this slope, as a share of their length.
LEAST_RISE = 0.05


def zigzag(channel: Channel, side: Side, height: float, links: Array) -> list[Foothold] | None:
    """Footholds of nodes joined by `links` [m], the first on `side` at `height`, then up on alternate walls."""
    first = channel.foothold(side, height)
    if first is None:
        return None
    found = [first]
    for length in links:
        last = found[-1]
        higher = [
            hold
            for hold in channel.footholds_at(other_side(last.side), last.point, float(length))
            if hold.point[1] > last.point[1]
        ]
        if not higher:
            return None
        found.append(higher[0])
    return found


def bridge(start: Array, end: Array, links: Array, sign: float) -> Array | None:
    """Nodes (len(links) - 1, 2) that connect two points by links tilted alternately to both sides; None if too far.

    `sign` chooses the side to which the first link is tilted. One link connects only points exactly its length apart.
    """
    way = end - start
    distance = float(np.hypot(*way))
    total = float(links.sum())
    if len(links) == 1:
        return np.zeros((0, 2)) if abs(distance - total) <= GRAZE * total else None
    if distance > STRETCH * total:
        return None
    signs = sign * (-1.0) ** np.arange(len(links))

    def span(lean: float) -> Array:
        return np.array([(links * np.cos(lean)).sum(), (links * signs).sum() * np.sin(lean)])

    low, high = 0.0, 0.5 * np.pi
    if np.hypot(*span(high)) > distance:
        return None
    for _ in range(60):
        lean = 0.5 * (low + high)
        low, high = (lean, high) if np.hypot(*span(lean)) > distance else (low, lean)
    lean = 0.5 * (low + high)
    turn = np.arctan2(way[1], way[0]) - np.arctan2(*span(lean)[::-1])
    angles = turn + signs * lean
    steps = links[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return start + np.cumsum(steps, axis=0)[:-1]


def rises(nodes: Array) -> BoolArray:
    """(T,) whether every link of chains with nodes (T, n + 1, 2) goes up (or all down), so that none cross."""
    way = np.diff(nodes, axis=1)
    slope = way[..., 1] / np.hypot(way[..., 0], way[..., 1])
    return np.asarray((slope > LEAST_RISE).all(axis=1) | (slope < -LEAST_RISE).all(axis=1))


def posture_of(nodes: Array) -> Array:
    """q = (x, y, theta, theta_1, ...) of a chain with nodes (n + 1, 2); theta in (-pi, pi], joints in [-pi, pi)."""
    way = np.diff(nodes, axis=0)
    angles = np.arctan2(way[:, 1], way[:, 0])
    joints = np.mod(np.diff(angles) + np.pi, 2.0 * np.pi) - np.pi
    return np.concatenate([nodes[0], angles[:1], joints])


def nodes_of(q: Array, links: Array) -> Array:
    """(..., n + 1, 2) nodes of an unbranched chain in postures (..., n + 2)."""
    angles = np.cumsum(q[..., 2:], axis=-1)
    steps = links[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    start = q[..., None, :2]
    return np.concatenate([start, start + np.cumsum(steps, axis=-2)], axis=-2)


#: Number of heights tried for a new brace, from the highest within reach down to the current one.
HEIGHTS = 24

End = Literal["lower", "upper"]


@dataclass(frozen=True)
class BracedStance:
    """A posture in which one end of the snake braces.

    Attributes:
        nodes: (n + 1, 2) [m], from the lower end.
        end: which end braces.
        links: how many links brace; their nodes all touch.
        holds: their footholds, from the lower end.
    """

    nodes: Array
    end: End
    links: int
    holds: tuple[Foothold, ...]

    @property
    def brace_nodes(self) -> tuple[int, ...]:
        """The nodes that touch, from the lower end."""
        first = 0 if self.end == "lower" else len(self.nodes) - 1 - self.links
        return tuple(range(first, first + self.links + 1))


def next_stances(
    channel: Channel, links: Array, stance: BracedStance, counts: Sequence[int], gain: float
) -> Iterator[BracedStance]:
    """Stances on the other end, at least `gain` [m] higher than that end is now, the highest first.

    The current brace stays; the links between the braces bend to one side or the other.
    """
    n = len(links)
    reaching = stance.end == "lower"
    for count in counts:
        between = links[stance.links : n - count] if reaching else links[count : n - stance.links]
        if not len(between):
            continue
        moved = n - count if reaching else 0
        now = float(stance.nodes[moved, 1])
        fixed = stance.nodes[stance.links if reaching else n - stance.links]
        high = float(fixed[1]) + ((STRETCH if len(between) > 1 else 1.01) * float(between.sum()) if reaching else 0.0)
        if high < now + gain:
            continue
        heights = np.linspace(high, now + gain, HEIGHTS)
        sides: tuple[Side, Side] = ("right", "left")
        places: list[tuple[float, Side]] = [(float(height), side) for height in heights for side in sides]
        if len(between) == 1:
            own = links[n - count :] if reaching else links[:count]
            places = _exact_places(channel, own, heights, fixed, float(between[0]), reaching)
        for height, side in places:
            yield from _stances_at(channel, links, stance, count, side, height)


def _exact_places(
    channel: Channel, own: Array, heights: Array, fixed: Array, length: float, reaching: bool
) -> list[tuple[float, Side]]:
    """(height, side) of new braces whose near node is `length` from `fixed`: a single link cannot bend.

    In a reach the first node of the brace is connected, in a pull its last node.
    """
    found: list[tuple[float, Side]] = []
    for side in ("right", "left"):

        def excess(height: float, side: Side = side) -> float:
            holds = zigzag(channel, side, height, own)
            return (
                np.nan if holds is None else float(np.linalg.norm(holds[0 if reaching else -1].point - fixed)) - length
            )

        values = [excess(float(height)) for height in heights]
        for i in np.flatnonzero(np.diff(np.sign(values)) != 0.0):
            low, high = float(heights[i]), float(heights[i + 1])
            if np.isnan(values[i]) or np.isnan(values[i + 1]):
                continue
            for _ in range(60):
                height = 0.5 * (low + high)
                low, high = (height, high) if (excess(height) > 0.0) == (values[i] > 0.0) else (low, height)
            found.append((0.5 * (low + high), side))
    return sorted(found, reverse=True)


def _stances_at(
    channel: Channel, links: Array, stance: BracedStance, count: int, side: Side, height: float
) -> Iterator[BracedStance]:
    """Stances whose new brace begins on `side` at `height`, with connecting links bent to either side."""
    n, b = len(links), stance.links
    own = links[n - count :] if stance.end == "lower" else links[:count]
    holds = zigzag(channel, side, height, own)
    if holds is None:
        return
    placed = np.array([hold.point for hold in holds])
    between = n - count - b
    for sign in (1.0, -1.0) if between > 1 else (1.0,):
        if stance.end == "lower":
            middle = bridge(stance.nodes[b], placed[0], links[b : n - count], sign)
            parts = (stance.nodes[: b + 1], middle, placed)
        else:
            middle = bridge(placed[-1], stance.nodes[n - b], links[count : n - b], sign)
            parts = (placed, middle, stance.nodes[n - b :])
        if middle is None:
            continue
        nodes = np.vstack([part for part in parts if part is not None])
        if rises(nodes[None])[0] and channel.holds(nodes[None])[0]:
            yield BracedStance(nodes, "upper" if stance.end == "lower" else "lower", count, tuple(holds))


def first_stances(
    channel: Channel, links: Array, count: int, side: Side, height: float
) -> Iterator[tuple[BracedStance, BracedStance]]:
    """(stance on the lower end, the same posture as a stance on the upper end), the shortest posture first."""
    holds = zigzag(channel, side, height, links[:count])
    if holds is None:
        return
    foot = np.array([hold.point for hold in holds])
    n = len(links)
    if n < 2 * count + 1:
        return
    low = BracedStance(np.vstack([foot, np.repeat(foot[-1:], n - count, axis=0)]), "lower", count, tuple(holds))
    for upper in reversed(list(next_stances(channel, links, low, [count], 0.0))):
        yield BracedStance(upper.nodes, "lower", count, tuple(holds)), upper
