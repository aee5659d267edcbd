"""Bodies whose support regions are known in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdfast.checks import Array
from holdfast.geometry.frames import Pose, frame_from_normal
from holdfast.grips import Grip

GRAVITY = (0.0, 0.0, -9.81)
MASS = 20.0
UP = (0.0, 0.0, 1.0)


def foot(mu: float = 0.5, sides: int = 8) -> Grip:
    """A point foot that pushes along z of its palm, with a friction pyramid."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    rays = np.column_stack([mu * np.cos(angles), mu * np.sin(angles), np.ones(sides), np.zeros((sides, 3))])
    return Grip(np.zeros((1, 6)), rays)


def standing(points: Sequence[Sequence[float]] | Array, normals: Sequence[Sequence[float]] | None = None) -> list[Pose]:
    """Palms at `points` whose z axes are `normals`, upward by default."""
    ways = [UP] * len(points) if normals is None else normals
    return [Pose(frame_from_normal(n), np.array(p, float)) for n, p in zip(ways, points, strict=True)]


def strong_hands(n: int, seed: int, hands: int = 3) -> tuple[list[Grip], list[Pose]]:
    """Hands with `n` random vertices each, at random palms about a metre apart."""
    rng = np.random.default_rng(seed)
    palms = rng.normal(size=(hands, 3))
    ways = rng.normal(size=(hands, 3)) + [0.0, 0.0, 2.0]
    sphere = rng.normal(size=(hands, n, 6))
    sphere /= np.linalg.norm(sphere, axis=2, keepdims=True)
    sizes = [80.0, 80.0, 80.0, 5.0, 5.0, 5.0]
    return [Grip(points * sizes + [0, 0, 60.0, 0, 0, 0]) for points in sphere], standing(palms, ways.tolist())


def same_polygon(first: Array, second: Array, size: float) -> bool:
    """Whether two counter-clockwise corner lists are the same up to where they start, to 1e-9 of `size`."""
    if len(first) != len(second):
        return False
    start = int(np.hypot(*(second - first[0]).T).argmin())
    return bool(np.abs(np.roll(second, -start, axis=0) - first).max() <= 1e-9 * size)
