"""The largest convex piece inside a star-shaped surface, by one linear program.

A convex piece P that holds the zero force lies inside the surface exactly when every triangle of the
surface can be cut off by a plane: for a triangle with limit forces v_1, v_2, v_3 a plane a . x = 1 with
a . v_i >= 1, and for a cone without any force a plane b . x = 0 with b . d_i >= 0. P is what all planes
leave. Its gauge at a point is the largest a . x, which is convex in the planes: the planes that
minimise a weighted sum of gauges at the surface's samples come from a linear program. Whatever the
program returns, the piece is inside; the weights only say where it should be large.
"""

from __future__ import annotations

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import SolverError
from .sphere import Indices
from .surface import LimitSurface

#: Share by which a plane may cut into a force the program believes kept, before the program is asked again.
CUT = 2e-3

#: Rounds of adding the planes that cut most, and how many a force are added in one round.
ROUNDS = 6
ADDED = 4

#: Forces next to each triangle that the first round looks at.
NEARBY = 10

#: A force this angle [rad] beyond a plane through the zero force counts as half lost.
HALF_LOST = 0.02

#: A gauge larger than this is a lost force.
LOST = 1e3

#: Directions this close to a plane through the zero force are meant to lie on it [rad].
ON_PLANE = 1e-6


class PieceProgram:
    """The linear program of one surface; `solve` it for any weights.

    Attributes:
        samples: (s,) indices of the surface's directions that carry a force and bound a volume.
        points: (s, 3) their limit forces [N].
    """

    def __init__(self, surface: LimitSurface) -> None:
        triangles = surface.triangles
        dead = np.isinf(surface.gauges[triangles]).any(axis=1)
        alive = triangles[~dead]
        self.samples: Indices = np.unique(alive)
        touching = np.isin(triangles, self.samples).any(axis=1)
        rim = triangles[dead & touching]
        self.size = surface.size
        self.points = surface.vertices[self.samples]
        self._local = self.points / self.size
        self._rays = surface.directions[self.samples]
        self._limits = surface.vertices[alive] / self.size  # (t, 3, 3)
        self._cones = surface.directions[rim]  # (z, 3, 3)
        centres = np.concatenate([surface.directions[alive].sum(axis=1), self._cones.sum(axis=1)])
        closeness = centres @ self._rays.T
        near = np.argsort(-closeness, axis=1)[:, :NEARBY]
        self.start: set[tuple[int, int]] = {(int(x), t) for t, row in enumerate(near) for x in row}
        self._fixed = self._corner_rows()

    @property
    def is_empty(self) -> bool:
        """Whether no triangle of the surface has a volume below it."""
        return not len(self._limits)

    def _corner_rows(self):
        """Rows that keep every plane on the near side of its triangle or cone: -plane . corner <= -1 or 0."""
        from scipy.sparse import coo_matrix

        t, z = len(self._limits), len(self._cones)
        planes = np.arange(t + z)
        corners = np.concatenate([self._limits, self._cones])
        rows = np.repeat(np.arange(3 * (t + z)), 3)
        columns = (3 * np.repeat(planes, 3)[:, None] + np.arange(3)).ravel()
        # A plane through zero needs a length: the sum over its three corners is at least one.
        sums = self._cones.sum(axis=1)
        rows = np.concatenate([rows, 3 * (t + z) + np.repeat(np.arange(z), 3)])
        columns = np.concatenate([columns, (3 * planes[t:, None] + np.arange(3)).ravel()])
        values = -np.concatenate([corners.ravel(), sums.ravel()])
        bound = -np.concatenate([np.ones(3 * t), np.zeros(3 * z), np.ones(z)])
        return coo_matrix((values, (rows, columns)), shape=(len(bound), 3 * (t + z) + len(self.samples))), bound

    def solve(self, weights: Array, pairs: set[tuple[int, int]]) -> tuple[Array, Array]:
        """Planes (outer rows a (f, 3) [1/N], rows b (z, 3) through zero) of the best piece for `weights` (s,).

        `pairs` of (force, plane) are those the program looks at; the set grows, and a later call for
        similar weights starts from it.
        """
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix, vstack

        t, z, s = len(self._limits), len(self._cones), len(self.samples)
        matrix, bound = self._fixed
        cost = np.concatenate([np.zeros(3 * (t + z)), weights / weights.max()])
        limits = [(None, None)] * (3 * (t + z)) + [(1.0, LOST)] * s
        planes = np.zeros((t + z, 3))
        for _ in range(ROUNDS):
            chosen = np.array(sorted(pairs), dtype=np.intp)
            force, plane = chosen.T
            through = plane >= t
            at = np.where(through[:, None], self._rays[force], self._local[force])
            slope = np.where(through, HALF_LOST, 1.0)
            row = np.arange(len(chosen))
            more = coo_matrix(
                (
                    np.concatenate([at.ravel(), -slope]),
                    (
                        np.concatenate([np.repeat(row, 3), row]),
                        np.concatenate([(3 * plane[:, None] + np.arange(3)).ravel(), 3 * (t + z) + force]),
                    ),
                ),
                shape=(len(chosen), matrix.shape[1]),
            )
            right = np.concatenate([bound, np.where(through, -HALF_LOST, 0.0)])
            result = linprog(cost, A_ub=vstack([matrix, more]).tocsr(), b_ub=right, bounds=limits, method="highs")
            if result.x is None:
                raise SolverError(f"the program of a convex piece failed: {result.message}")
            planes = result.x[: 3 * (t + z)].reshape(-1, 3)
            if not self._add_cuts(pairs, planes, result.x[3 * (t + z) :]):
                break
        return self._outer(planes[:t]), self._through(planes[t:])

    def _add_cuts(self, pairs: set[tuple[int, int]], planes: Array, gauges: Array) -> bool:
        """Add the planes that cut forces more than the program knows; False when none does."""
        t = len(self._limits)
        use = np.concatenate([self._local @ planes[:t].T, 1.0 + self._rays @ planes[t:].T / HALF_LOST], axis=1)
        excess = use - gauges[:, None] * (1.0 + CUT)
        worst = np.argsort(-excess, axis=1)[:, :ADDED]
        force, rank = np.nonzero(np.take_along_axis(excess, worst, axis=1) > 0.0)
        found = {(int(x), int(worst[x, k])) for x, k in zip(force, rank, strict=True)} - pairs
        pairs |= found
        return bool(found)

    def _outer(self, planes: Array) -> Array:
        """Rows a with a . v >= 1 at all corners of their triangles, whatever the program's own tolerance."""
        least = np.einsum("tj,tkj->tk", planes, self._limits).min(axis=1)
        facets = np.linalg.solve(self._limits, np.ones((len(planes), 3, 1)))[..., 0]
        sound = least > 0.5  # else the program gave up on this triangle: its own plane is always right
        planes = np.where(sound[:, None], planes / np.where(sound, np.minimum(least, 1.0), 1.0)[:, None], facets)
        return np.unique(planes, axis=0) / self.size

    def _through(self, planes: Array) -> Array:
        """Unit rows b with b . d >= 0 at all corners of their cones, exactly through the directions they lean on."""
        rows: list[Array] = []
        for plane, cone in zip(planes, self._cones, strict=True):
            b = plane / np.linalg.norm(plane)
            rows.append(_leaned(b, np.concatenate([cone, self._rays]), cone))
        return np.array(rows).reshape(-1, 3)


def _leaned(b: Array, rays: Array, cone: Array) -> Array:
    """`b` turned to pass exactly through two of the directions it leans on, and never into its cone."""
    near = rays[np.abs(rays @ b) < ON_PLANE]
    if len(near) >= 2:
        spread = np.linalg.norm(np.cross(near[:1], near), axis=1)
        other = near[int(spread.argmax())]
        turned = np.cross(near[0], other)
        if np.linalg.norm(turned) > ON_PLANE:
            turned /= np.linalg.norm(turned)
            turned *= np.sign(turned @ b)
            if (cone @ turned >= -tolerances.MEMBERSHIP * 1e-3).all():
                return turned
    low = float((cone @ b).min())
    if low < 0.0:  # turn towards the inside of the cone until every corner is on the near side
        centre = cone.sum(axis=0)
        b = b - low * centre / float((cone @ centre).min())
        b = b / np.linalg.norm(b)
    return b


def corners_of(outer: Array, through: Array, inside: Array) -> Array:
    """Corners (m, 3) [N] of {outer x <= 1, through x <= 0}, given a point `inside` all of them."""
    from scipy.spatial import HalfspaceIntersection

    planes = np.concatenate([np.column_stack([outer, -np.ones(len(outer))]), np.column_stack([through, np.zeros(len(through))])])
    planes /= np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
    points = HalfspaceIntersection(planes, inside).intersections
    points = points[np.isfinite(points).all(axis=1)]
    return points
