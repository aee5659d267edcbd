"""Where the snake could brace next: whole postures between the walls, the most ambitious first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...checks import Array
from .channels import Channel, Foothold, Side
from .postures import STRETCH, bridge, rises, zigzag

#: Heights that are tried for a new brace, from the highest within reach down to the present one.
HEIGHTS = 24

End = Literal["lower", "upper"]


@dataclass(frozen=True)
class Stance:
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
    channel: Channel, links: Array, stance: Stance, counts: Sequence[int], gain: float
) -> Iterator[Stance]:
    """Stances on the other end, at least `gain` [m] higher than that end is now, the highest first.

    The present brace stays where it is; the links between the braces bend to one side or the other.
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
    """(height, side) of new braces whose near node is `length` from `fixed`: one link cannot bend to bridge less.

    The end that reaches joins with its first node, the end that is pulled with its last.
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
    channel: Channel, links: Array, stance: Stance, count: int, side: Side, height: float
) -> Iterator[Stance]:
    """Stances whose new brace begins on `side` at `height`, joined to the present brace either way."""
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
            yield Stance(nodes, "upper" if stance.end == "lower" else "lower", count, tuple(holds))


def first_stances(
    channel: Channel, links: Array, count: int, side: Side, height: float
) -> Iterator[tuple[Stance, Stance]]:
    """(stance on the lower end, the same posture as a stance on the upper end), the most drawn-in posture first."""
    holds = zigzag(channel, side, height, links[:count])
    if holds is None:
        return
    foot = np.array([hold.point for hold in holds])
    n = len(links)
    if n < 2 * count + 1:
        return
    low = Stance(np.vstack([foot, np.repeat(foot[-1:], n - count, axis=0)]), "lower", count, tuple(holds))
    for upper in reversed(list(next_stances(channel, links, low, [count], 0.0))):
        yield Stance(upper.nodes, "lower", count, tuple(holds)), upper
