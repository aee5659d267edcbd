"""Slices of small sums by another way: all sums of vertices, their hull in R^6, and its half-spaces cut by the plane."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from holdfast.checks import Array
from holdfast.geometry.frames import rotation_about, wrench_transport

BASE = np.array([0.0, 0.0, 90.0, 0.0, 0.0, 0.0])
AXES = np.array([[0.0, 0.0, 0.0, 0.0, -90.0, 0.0], [0.0, 0.0, 0.0, 90.0, 0.0, 0.0]])


def random_sum(seed: int, hands: int, n: int) -> tuple[list[tuple[Array, None]], Array]:
    """(shapes, maps) of hands with `n` random vertices each, around a push upwards."""
    rng = np.random.default_rng(seed)
    shapes = [(rng.normal(size=(n, 6)) * [60, 60, 60, 4, 4, 4] + [0, 0, 45.0, 0, 0, 0], None) for _ in range(hands)]
    turns = [rotation_about(rng.normal(size=3), 0.5 * rng.normal()) for _ in range(hands)]
    maps = np.array([wrench_transport(turn, rng.normal(size=3)) for turn in turns])
    return shapes, maps


def cone_sum(seed: int, feet: int, sides: int = 6) -> tuple[list[tuple[Array, Array]], Array]:
    """(shapes, maps) of point feet with friction on uneven ground."""
    rng = np.random.default_rng(seed)
    angles = 2.0 * np.pi * np.arange(sides) / sides
    rays = np.column_stack([0.5 * np.cos(angles), 0.5 * np.sin(angles), np.ones(sides), np.zeros((sides, 3))])
    turns = [rotation_about([*rng.normal(size=2), 0.0], 0.3 * rng.normal()) for _ in range(feet)]
    maps = np.array([wrench_transport(turn, rng.normal(size=3)) for turn in turns])
    return [(np.zeros((1, 6)), rays)], maps


def projected(shapes: list[tuple[Array, None]], maps: Array) -> Array:
    """(n, 2) corners of the slice of the sum of all hands, in no order."""
    moved = [vertices @ transport.T for (vertices, _), transport in zip(shapes, maps, strict=True)]
    sums = np.array([np.sum(parts, axis=0) for parts in product(*moved)])
    hull = ConvexHull(sums)
    normals, offsets = hull.equations[:, :6], -hull.equations[:, 6]
    planes, levels = normals @ AXES.T, offsets - normals @ BASE
    lengths = np.linalg.norm(planes, axis=1)
    planes, levels = planes / lengths[:, None], levels / lengths
    ball = linprog([0, 0, -1], np.column_stack([planes, np.ones(len(planes))]), levels, bounds=[(None, None)] * 3)
    assert ball.status == 0 and ball.x[2] > 1e-3
    corners = HalfspaceIntersection(np.column_stack([planes, -levels]), ball.x[:2]).intersections
    return corners[ConvexHull(corners).vertices]
