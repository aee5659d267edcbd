"""Hands and postures for programs over sums, and independent referees: plain supports, and rational arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from holdfast.checks import Array
from holdfast.solvers.minkowski import SumOptimum, SumSolver, SumStatus
from tests.referee import random_rotation

LENGTH = 0.1  # [m]

#: Corners of the cube [-1, 1]^6.
CUBE = np.array(list(product([-1.0, 1.0], repeat=6)))


class Sum(NamedTuple):
    """Hands at their places."""

    shapes: list[tuple[Array, Array | None]]
    shape_of: list[int]
    maps: Array

    def solver(self) -> SumSolver:
        """A fresh solver at this place."""
        solver = SumSolver(self.shapes, self.shape_of, length=LENGTH)
        solver.place(self.maps)
        return solver

    def hand(self, j: int) -> tuple[Array, Array]:
        """(vertices, rays) of a hand in the world."""
        vertices, rays = self.shapes[self.shape_of[j]]
        return vertices @ self.maps[j].T, (np.zeros((0, 6)) if rays is None else rays) @ self.maps[j].T

    def support(self, y: Array) -> tuple[float, float]:
        """(support of the vertices, steepest slope of the rays) by one plain product per hand."""
        hands = [self.hand(j) for j in range(len(self.shape_of))]
        steepest = max((float(np.max(rays @ y, initial=-np.inf)) for _, rays in hands), default=-np.inf)
        return sum(float(np.max(vertices @ y)) for vertices, _ in hands), steepest

    def inner_point(self, rng: np.random.Generator) -> Array:
        """A point of the sum with weights on everything."""
        total = np.zeros(6)
        for j in range(len(self.shape_of)):
            vertices, rays = self.hand(j)
            total += rng.dirichlet(np.ones(len(vertices))) @ vertices
            if len(rays):
                total += rng.exponential(size=len(rays)) @ rays
        return total

    @property
    def size(self) -> float:
        """Largest entry of all vertices and rays in the world."""
        return max(float(np.abs(np.vstack(self.hand(j))).max()) for j in range(len(self.shape_of))) or 1.0


def placed(rotation: Array, position: Array) -> Array:
    """(6, 6) map of (13)."""
    x, y, z = position
    found = np.zeros((6, 6))
    found[:3, :3] = found[3:, 3:] = rotation
    found[3:, :3] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ rotation
    return found


def random_maps(rng: np.random.Generator, k: int, *, far: float = 0.0, aligned: bool = False) -> Array:
    """(k, 6, 6) of hands about half a metre round a point `far` from the origin in each coordinate."""
    turns = [np.eye(3) if aligned else random_rotation(rng) for _ in range(k)]
    return np.array([placed(turn, far + 0.5 * rng.normal(size=3)) for turn in turns])


def cone(sides: int, mu: float = 0.6) -> Array:
    """(sides, 6) edges of a friction pyramid about z."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    return np.column_stack([mu * np.cos(angles), mu * np.sin(angles), np.ones(sides), np.zeros((sides, 3))])


def _torques(wrenches: Array) -> Array:
    return wrenches * np.repeat([1.0, LENGTH], 3)


#: Kinds of hands, each (vertices, rays) of forces about 1 N: full, box, repeated, forces alone, segment, point, cones.
SHAPES: dict[str, Callable[[np.random.Generator], tuple[Array, Array | None]]] = {
    "cloud": lambda rng: (_torques(rng.normal(size=(int(rng.integers(8, 200)), 6))), None),
    "box": lambda rng: (_torques(CUBE * rng.uniform(0.1, 2.0, size=6)), None),
    "repeated": lambda rng: (_torques(np.repeat(rng.normal(size=(5, 6)), 30, axis=0)), None),
    "grid": lambda rng: (_torques(rng.integers(-2, 3, size=(150, 6)).astype(float)), None),
    "forces": lambda rng: (np.column_stack([rng.normal(size=(40, 3)), np.zeros((40, 3))]), None),
    "segment": lambda rng: (_torques(rng.normal(size=(2, 6))), None),
    "point": lambda rng: (_torques(rng.normal(size=(1, 6))), None),
    "pyramid": lambda rng: (np.zeros((1, 6)), cone(int(rng.integers(3, 9)))),
    "many rays": lambda rng: (np.zeros((1, 6)), _torques(np.abs(rng.normal(size=(90, 6))))),
    "cloud and rays": lambda rng: (_torques(rng.normal(size=(20, 6))), _torques(rng.normal(size=(2, 6)))),
}


def random_sum(rng: np.random.Generator, k: int, kinds: Sequence[str], *, force: float = 1.0, far: float = 0.0) -> Sum:
    """`k` hands, each of one of these kinds, with forces about `force` [N]."""
    shapes = [SHAPES[kind](rng) for kind in kinds]
    scaled = [(force * vertices, rays) for vertices, rays in shapes]
    return Sum(
        scaled,
        [int(i) for i in rng.integers(0, len(shapes), size=k)],
        random_maps(rng, k, far=far, aligned=bool(rng.random() < 0.3)),
    )


def assert_proved(
    hands: Sum, base: Array, axes: Array, objective: Array, answer: SumOptimum, *, off: float = 1e-10
) -> None:
    """Check an answer's proof by plain products: weights, balance and bound, or separation."""
    scale = max(float(np.abs(base).max()), hands.size)
    if answer.found:
        total = np.zeros(6)
        for j, (indices, values, ray_indices, ray_values) in enumerate(answer.weights):
            vertices, rays = hands.shapes[hands.shape_of[j]]
            wrench = values @ vertices[indices]
            if rays is not None:
                wrench = wrench + ray_values @ rays[ray_indices]
            assert np.all(values >= 0.0) and np.all(ray_values >= 0.0)
            assert abs(values.sum() - 1.0) <= 1e-12
            assert np.allclose(wrench, answer.wrenches[j], rtol=1e-9, atol=1e-12 * scale)
            total += hands.maps[j] @ answer.wrenches[j]
        wanted = base + answer.z @ axes
        assert np.abs(total - wanted).max() <= off * max(
            scale, float(np.abs(wanted).max()), float(np.abs(answer.wrenches).max())
        )
        terms = objective * answer.z
        assert abs(answer.value - terms.sum()) <= 1e-14 * np.abs(terms).sum()
    y, size = answer.multipliers, float(np.abs(answer.multipliers).max())
    if answer.status is SumStatus.OPTIMAL and len(axes):
        support, slope = hands.support(y)
        assert slope <= 1e-9 * size * hands.size
        assert np.allclose(axes @ y, objective, atol=1e-9 * max(1.0, float(np.abs(axes).max()) * size))
        bound = support - float(y @ base)
        assert abs(bound - answer.upper_bound) <= 1e-9 * size * scale + 1e-12 * abs(answer.value)
        assert answer.value <= answer.upper_bound + 1e-9 * size * scale
    if answer.status is SumStatus.EMPTY:
        support, slope = hands.support(y)
        assert slope <= 1e-9 * size * hands.size
        assert float(y @ base) > support
        assert np.abs(axes @ y).max(initial=0.0) <= 1e-9 * float(np.abs(axes).max(initial=0.0)) * size
    if answer.status is SumStatus.UNBOUNDED:
        assert float(objective @ answer.ray) > 0.0


def rational(values: Array) -> list[list[Fraction]]:
    """The very numbers of a matrix as fractions."""
    return [[Fraction(float(v)) for v in row] for row in np.atleast_2d(values)]


def rational_columns(hands: Sum) -> tuple[list[list[Fraction]], int]:
    """Columns of program (20) as fractions, six balances and a convexity row per hand; and the number of rows."""
    k = len(hands.shape_of)
    columns = []
    for j in range(k):
        matrix = rational(hands.maps[j])
        vertices, rays = hands.shapes[hands.shape_of[j]]
        for set_, one in ((vertices, 1), (np.zeros((0, 6)) if rays is None else rays, 0)):
            for wrench in rational(set_) if len(set_) else []:
                world = [sum((a * b for a, b in zip(row, wrench, strict=True)), Fraction(0)) for row in matrix]
                columns.append(world + [Fraction(one if i == j else 0) for i in range(k)])
    return columns, 6 + k


def rational_maximum(hands: Sum, base: Array, axis: Array | None = None) -> Fraction | None:
    """Exact max of z with base + z axis in the sum (0 without axis); None when there is no such z.

    Simplex method with Bland's rule on fractions; the sum must be bounded along the axis.
    """
    columns, m = rational_columns(hands)
    right = rational(base)[0] + [Fraction(1)] * (m - 6)
    gains = [Fraction(0)] * len(columns)
    if axis is not None:
        up = [-v for v in rational(axis)[0]] + [Fraction(0)] * (m - 6)
        columns += [up, [-v for v in up]]
        gains += [Fraction(1), Fraction(-1)]
    n = len(columns)
    rows = [
        [columns[c][r] for c in range(n)] + [Fraction(int(r == i)) for i in range(m)] + [right[r]] for r in range(m)
    ]
    rows = [[-v for v in row] if row[-1] < 0 else row for row in rows]
    for r in range(m):  # artificial columns keep their sign
        for i in range(m):
            rows[r][n + i] = Fraction(int(r == i))
    basis = [n + r for r in range(m)]
    first = _bland(rows, basis, [Fraction(0)] * n + [Fraction(-1)] * m, n + m)
    if first < 0:
        return None
    for r in range(m):  # drive artificial columns out where the rows allow it
        if basis[r] >= n:
            for c in range(n):
                if rows[r][c] != 0:
                    _pivot(rows, basis, r, c)
                    break
    return _bland(rows, basis, gains + [Fraction(0)] * m, n)


def _pivot(rows: list[list[Fraction]], basis: list[int], r: int, c: int) -> None:
    scale = rows[r][c]
    rows[r] = [v / scale for v in rows[r]]
    for i, row in enumerate(rows):
        if i != r and row[c] != 0:
            factor = row[c]
            rows[i] = [a - factor * b for a, b in zip(row, rows[r], strict=True)]
    basis[r] = c


def _bland(rows: list[list[Fraction]], basis: list[int], gains: list[Fraction], allowed: int) -> Fraction:
    """Maximise over the tableau's first `allowed` columns; the value."""
    while True:
        for c in range(allowed):
            score = gains[c] - sum((gains[b] * row[c] for b, row in zip(basis, rows, strict=True)), Fraction(0))
            if c not in basis and score > 0:
                break
        else:
            return sum((gains[b] * row[-1] for b, row in zip(basis, rows, strict=True)), Fraction(0))
        ratios = [(row[-1] / row[c], basis[r], r) for r, row in enumerate(rows) if row[c] > 0]
        assert ratios, "unbounded"
        _pivot(rows, basis, min(ratios)[2], c)
