"""Moves of the free part between two postures in a channel: draw in, travel, spread out; each from rest to rest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ...checks import Array
from ..trajectories import RestToRest
from .channels import Channel
from .postures import nodes_of, rises

#: Instants at which a move is tested against the walls; the test does not prove the instants between them.
INSTANTS = 33

#: Free nodes, and free links beside a corner of a wall, keep this share of the channel's least width from the walls
#: while they travel. When a move leaves old footholds, or comes to new ones, the room grows, or shrinks, with the way.
CLEARANCE = 0.01

#: How far the free nodes draw in from where they are to the channel's middle, as shares of the way.
DRAWN = (0.3, 0.5, 0.15, 0.7)


def free_moves(
    channel: Channel, links: Array, start: Array, end: Array, fixed: int, upward: bool, duration: float
) -> list[RestToRest] | None:
    """Moves of all but the first `fixed` links from posture `start` to `end`, clear of the walls, or None.

    Directly where possible; else by way of drawn-in postures, at the start, at the end or at both. At every instant
    tested but the first and the last the free nodes are off the walls (see `CLEARANCE`).
    """
    for stations in _ways(channel, links, start, end, fixed, upward):
        legs = list(pairwise(stations))
        last = len(legs) - 1
        if all(_is_clear(channel, links, a, b, fixed, i == 0, i == last) for i, (a, b) in enumerate(legs)):
            return [RestToRest(a, b, duration) for a, b in legs]
    return None


def _ways(channel: Channel, links: Array, start: Array, end: Array, fixed: int, upward: bool) -> Iterator[list[Array]]:
    """Lists of postures to pass, the fewest first."""
    yield [start, end]
    drawn = [_drawn_in(channel, links, start, fixed, upward, d) for d in DRAWN]
    near = [_drawn_in(channel, links, end, fixed, upward, d) for d in DRAWN]
    for out, back in zip(drawn, near, strict=True):
        yield [start, out, back, end]
    for out, back in zip(drawn, near, strict=True):
        yield [start, out, end]
        yield [start, back, end]


def _drawn_in(channel: Channel, links: Array, q: Array, fixed: int, upward: bool, drawn: float) -> Array:
    """`q` with each free node moved sideways towards the channel's middle, the links staying as long as they are."""
    nodes = nodes_of(q, links)
    up = 1.0 if upward else -1.0
    placed = nodes[fixed]
    angles = np.cumsum(q[2:])
    for i in range(fixed, len(links)):
        aside = (1.0 - drawn) * (nodes[i + 1, 0] - channel.middle(float(nodes[i + 1, 1])))
        height = float(nodes[i + 1, 1])
        across = rise = 0.0
        for _ in range(4):  # the middle that counts is the one where the node comes to lie
            across = np.clip((channel.middle(height) + aside - placed[0]) / links[i], -0.99, 0.99)
            rise = up * np.sqrt(1.0 - across**2)
            height = float(placed[1] + links[i] * rise)
        turn = np.arctan2(rise, across) - angles[i]
        angles[i] += np.mod(turn + np.pi, 2.0 * np.pi) - np.pi
        placed = placed + links[i] * np.array([across, rise])
    result = np.concatenate([q[:3], np.diff(angles)])
    result[: fixed + 2] = q[: fixed + 2]  # the brace stands still to the last bit
    return result


def _is_clear(
    channel: Channel, links: Array, start: Array, end: Array, fixed: int, leaving: bool, coming: bool
) -> bool:
    """Whether a leg keeps between the walls and its free part off them, at the instants tested."""
    q, _, _ = RestToRest(start, end, 1.0).at(np.linspace(0.0, 1.0, INSTANTS))
    nodes = nodes_of(q, links)
    if not (rises(nodes).all() and channel.holds(nodes).all()):
        return False
    way = float(np.abs(end - start).max())
    share = np.linspace(0.0, 1.0, INSTANTS) if way == 0.0 else np.abs(q - start).max(axis=1) / way
    ramp = np.ones(INSTANTS)
    if leaving:
        ramp = np.minimum(ramp, 2.0 * share)
    if coming:
        ramp = np.minimum(ramp, 2.0 * (1.0 - share))
    wanted = CLEARANCE * channel.least_width * ramp
    inner = slice(1 if leaving else 0, -1 if coming else None)
    return bool((channel.clearances(nodes[:, fixed:]) >= wanted)[inner].all())
