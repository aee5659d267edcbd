"""Postures of a snake in a channel: zigzags that press on both walls, and the bent links that join two of them."""

from __future__ import annotations

import numpy as np

from ...checks import Array, BoolArray
from .channels import Channel, Foothold, Side, other_side

#: The joining links are never stretched beyond this share of their length: straight ones cannot move apart.
STRETCH = 0.98

#: Links climb at least at this slope, as a share of their length.
LEAST_RISE = 0.05


def zigzag(channel: Channel, side: Side, height: float, links: Array) -> list[Foothold] | None:
    """Footholds of nodes joined by `links` [m], the first on `side` at `height`, each next one higher up, opposite."""
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
    """Nodes (len(links) - 1, 2) that join two points by links that lean to both sides in turn; None if out of reach.

    `sign` chooses the side the first link leans to. One link joins only points exactly its length apart.
    """
    way = end - start
    distance = float(np.hypot(*way))
    total = float(links.sum())
    if len(links) == 1:
        return np.zeros((0, 2)) if abs(distance - total) <= 1e-9 * total else None
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
    """(T,) whether every link of chains with nodes (T, n + 1, 2) climbs the same way, so that none meets another."""
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
