"""The direction in which a design is weakest, or strongest: rays all round, then a search from the best of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...checks import Array, IntArray
from ...statics.equilibrium import LoadLimit

if TYPE_CHECKING:
    from ...statics.solver import Answers

#: Searches that start from different rays.
STARTS = 6

#: Two starts are at least this far apart [rad], so that they look in different places.
APART = 0.35

#: A search ends when its step is below this [rad]: the value is then stationary to about its square.
LEAST_STEP = 1e-3

#: A step that finds nothing better is shortened to this share.
SHORTER = 0.5

#: A point counts as better when it is so by this share of its value.
BETTER = 1e-7

#: A limit below this share of the largest is none.
NOTHING = 1e-9

#: Rounds after which a search ends in any case.
MOST_ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Extreme:
    """An extreme direction and the limit along it.

    The limit along this very direction is proven from both sides. That no other direction is weaker (or stronger)
    is the outcome of a search and not proven: a weakest value is an upper bound of the true one, a strongest value a
    lower bound.

    Attributes:
        direction: (6,) external wrench about the design's point, of length 1 when torques are divided by the length.
        limit: the load limit along it, with its proof; `limit.value` is in [N].
        rays: how many directions were looked at to find it.
    """

    direction: Array
    limit: LoadLimit
    rays: int

    @property
    def value(self) -> float:
        """The limit [N]; inf where there is none."""
        return self.limit.value


#: Answers to unit directions (n, p) in the coordinates of a search.
Ask = Callable[[Array], "Answers"]


def search(ask: Ask, basis: Array, directions: Array, values: Array, *, largest: bool) -> tuple[Array, int]:
    """The unit direction (p,) with the smallest or largest value that was found, and how many rays were asked.

    From the best and well separated of the known rays, a pattern search on the sphere: steps along a basis of the
    tangent plane, shortened when none is better. For the smallest value the outer plane of each ray adds a step of its
    own: its foot point is nearer than the ray's end, so that the ray along the plane's normal is no longer for a
    convex space.

    Args:
        ask: load limits along unit directions (n, p).
        basis: (p, 6) wrench of each unit coordinate.
        directions: (n, p) unit directions already asked.
        values: (n,) their limits.
        largest: whether the largest value is looked for.
    """
    cost = -values if largest else values
    if np.isneginf(cost).any() or not np.isfinite(cost).any():
        return directions[int(np.argmin(cost))], 0  # no direction is more extreme, or all are alike
    if not largest and cost.min() <= NOTHING * np.abs(cost[np.isfinite(cost)]).max():
        return directions[int(np.argmin(cost))], 0  # nothing is held there at all
    chosen = _separated(directions, cost)
    points, costs = directions[chosen].copy(), cost[chosen].copy()
    steps = np.full(len(points), _spacing(len(directions), directions.shape[1]))
    extra: list[Array | None] = [None] * len(points)
    rng = np.random.default_rng(0)  # turns the pattern from round to round
    asked = 0
    for _ in range(MOST_ROUNDS):
        live = np.nonzero(steps > LEAST_STEP)[0]
        if not len(live):
            break
        tries = [_pattern(points[k], steps[k], rng, extra[k], turns=2 if largest else 1) for k in live]
        answers = ask(np.concatenate(tries))
        found = -answers.values if largest else answers.values
        asked += len(found)
        first = 0
        for k, own in zip(live, tries, strict=True):
            part = slice(first, first + len(own))
            best = first + int(np.argmin(found[part]))
            first += len(own)
            if found[best] < costs[k] - BETTER * abs(costs[k]):
                points[k], costs[k] = own[best - part.start], found[best]
                extra[k] = None if largest else _foot(basis, answers.normals[best])
            else:
                steps[k] *= SHORTER
                extra[k] = None
    return points[int(np.argmin(costs))], asked


def _separated(directions: Array, cost: Array) -> IntArray:
    """The rays of least cost, each at least `APART` from those before it."""
    order = np.argsort(cost, kind="stable")
    order = order[np.isfinite(cost[order])]
    chosen: list[int] = []
    for index in order.tolist():
        if all(directions[index] @ directions[other] < np.cos(APART) for other in chosen):
            chosen.append(index)
        if len(chosen) == STARTS:
            break
    return np.array(chosen, dtype=np.int64)


def _spacing(count: int, dimension: int) -> float:
    """About the angle [rad] between neighbours among `count` directions all round the sphere of R^p."""
    return float(np.clip(2.0 * count ** (-1.0 / (dimension - 1)), 0.02, 0.5))


def _pattern(point: Array, step: float, rng: np.random.Generator, extra: Array | None, *, turns: int) -> Array:
    """Unit directions (m, p) at the angle `step` [rad] round `point`, and the extra one.

    They are both ways along `turns` bases of the tangent plane, turned at random: along the sharp ridges that lead to a
    corner one basis often shows no way up.
    """
    p = len(point)
    bases = [np.linalg.qr(np.column_stack([point, rng.normal(size=(p, p - 1))]))[0][:, 1:].T for _ in range(turns)]
    tangents = np.concatenate(bases)  # (turns (p - 1), p)
    around = np.cos(step) * point + np.sin(step) * np.concatenate([tangents, -tangents])
    return around if extra is None else np.concatenate([around, extra[None]])


def _foot(basis: Array, normal: Array) -> Array | None:
    """The unit direction (p,) of the foot point of an outer plane with `normal` (6,); None where none is known."""
    inside = basis @ normal
    length = float(np.linalg.norm(inside))
    return inside / length if np.isfinite(length) and length > 0.0 else None
