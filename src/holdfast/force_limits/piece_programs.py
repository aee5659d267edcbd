"""Convex pieces inside a star-shaped surface: linear programs for the planes that bound them, and few corners.

A convex piece P that holds the zero force lies inside the surface exactly when every triangle of the
surface can be cut off by a plane: for a triangle with limit forces v_1, v_2, v_3 a plane a . x = 1 with
a . v_i >= 1, and for a cone without any force a plane b . x = 0 with b . d_i >= 0. P is what all planes
leave. Its gauge at a force x is the largest a . x, which is convex in the planes: the planes that
minimise a weighted sum of gauges come from a linear program. Whatever the program returns, the piece
is inside; weights and members only say where it should be large.

The planes through zero come first. Which plane passes a cone without force decides what the piece can reach next to
the cone, so several sets of planes are made, each good for another stretch of the cone's rim. At the end a piece
becomes the hull of few points: a corner is added only where leaving it out would cost something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import ON_EDGE, Indices, unit
from ..linear_programs import minimise
from .accuracy import ConvexPiece
from .grouping import Patchwork, Stakes, split
from .surface import LimitSurface

# -- planes that keep a piece out of the cones without a force ------------------------------------------

#: Directions this close to a plane are meant to lie on it [rad].
ON_PLANE = 1e-6

#: A ray is lost when it is beyond a plane by more than this angle [rad].
BEYOND = 1e-9

#: Most sets of planes, and the width [rad] of the stretch of rim each is made for.
MOST_SETS = 24
STRETCH = 0.35

#: Weight of what lies outside the stretch.
ELSEWHERE = 1e-4

#: One plane past all cones is taken when it loses at most this share of the weight.
LITTLE_LOST = 0.05

#: A plane is turned into its cone by at most one over this.
LEAST_TURN = 1e-6


def rim_cones(surface: LimitSurface) -> Array:
    """(z, 3 corners, 3) unit corners of the dead cones next to living ones.

    A connected piece cannot reach any other dead cone except across one of these.
    """
    triangles = surface.triangles
    dead = np.isinf(surface.gauges[triangles]).any(axis=1)
    return surface.directions[triangles[dead & np.isin(triangles, triangles[~dead]).any(axis=1)]]


def plane_sets(cones: Array, rays: Array, stakes: Array) -> list[Array]:
    """Sets of unit rows b (p, 3), each past all `cones`, for stretches all along their rim; one empty set if none.

    `rays` (s, 3) are the directions worth keeping, `stakes` (s,) what they are worth.
    """
    if not len(cones):
        return [np.zeros((0, 3))]
    sets: list[Array] = []
    for centre in _spread(cones.sum(axis=1), MOST_SETS):
        angle = np.arccos(np.clip(rays @ centre, -1.0, 1.0))
        sets.append(past_cones(cones, rays, stakes * (np.exp(-((angle / STRETCH) ** 2)) + ELSEWHERE)))
    return sets


def _spread(vectors: Array, count: int) -> Array:
    """Up to `count` unit directions of `vectors`, each far from those before it."""
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), tolerances.ZERO_DIRECTION)
    picked = [0]
    nearest = units @ units[0]
    while len(picked) < min(count, len(units)) and nearest.min() < 1.0 - tolerances.ORTHONORMAL:
        picked.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, units @ units[picked[-1]])
    return units[picked]


def past_cones(cones: Array, rays: Array, weights: Array) -> Array:
    """Unit rows b (p, 3): every cone has b . d >= 0 for one of them, and little weight of `rays` has.

    One plane past all cones, if there is one, competes with planes past one cone after the other,
    nearest to the weight first.
    """
    alone = separating_plane(cones.reshape(-1, 3), rays, weights)
    if alone is not None:
        kept = rays @ alone <= BEYOND
        if weights[~kept].sum() <= LITTLE_LOST * weights.sum():
            return alone[None, :]
    rows: list[Array] = []
    left, weight = cones, weights.copy()
    while len(left) and weight.any():
        centre = (weight[:, None] * rays).sum(axis=0)
        first = int((left.sum(axis=1) @ centre).argmax())
        plane = separating_plane(left[first], rays, weight)
        if plane is None:  # a single cone always has a plane; only rounding brings us here
            plane = _into(left[first].sum(axis=0), left[first])
        rows.append(plane)
        weight[rays @ plane > BEYOND] = 0.0
        left = left[~(left @ plane >= -tolerances.ROUNDING).all(axis=1)]
    if alone is not None and weights[rays @ alone <= BEYOND].sum() >= weight.sum():
        return alone[None, :]
    return np.array(rows)


def separating_plane(cone: Array, rays: Array, weights: Array) -> Array | None:
    """Unit b with b . d >= 0 for all rows d of `cone`, and the least weight of `rays` beyond it; None if none."""
    cone = np.unique(cone, axis=0)
    some = np.flatnonzero(weights > 0.0)
    matrix = np.zeros((len(cone) + 1 + len(some), 3 + len(some)))
    matrix[: len(cone), :3] = -cone
    matrix[len(cone), :3] = -cone.mean(axis=0)  # the plane needs a length: b . middle >= 1
    matrix[len(cone) + 1 :, :3] = rays[some]
    matrix[len(cone) + 1 + np.arange(len(some)), 3 + np.arange(len(some))] = -1.0
    right = np.zeros(len(matrix))
    right[len(cone)] = -1.0
    bounds = np.full((3 + len(some), 2), [-np.inf, np.inf])
    bounds[3:, 0] = 0.0
    cost = np.concatenate([np.zeros(3), weights[some] / weights.max()])
    result = minimise(cost, matrix, right, bounds=bounds)
    if not result.optimal:
        return None
    b = result.x[:3] / np.linalg.norm(result.x[:3])
    return _leaned(b, np.concatenate([cone, rays[some]]), cone)


def _leaned(b: Array, rays: Array, cone: Array) -> Array:
    """`b` turned to pass exactly through two of the directions it leans on, and never into its cone.

    The program's own tolerance would leave a ray on the plane a hair beyond it, and so lost.
    """
    near = rays[np.abs(rays @ b) < ON_PLANE]
    if len(near) >= 2:
        spread = np.linalg.norm(np.cross(near[:1], near), axis=1)
        turned = np.cross(near[0], near[int(spread.argmax())])
        if np.linalg.norm(turned) > ON_PLANE:
            turned = turned / np.linalg.norm(turned)
            turned = turned * np.sign(turned @ b)
            if (cone @ turned >= -tolerances.UNIT_ROUNDING).all():
                return turned
    return _into(b, cone)


def _into(b: Array, cone: Array) -> Array:
    """`b` turned towards the cone's middle until every corner is on its far side."""
    low = float((cone @ b).min())
    if low < 0.0:
        middle = cone.sum(axis=0)
        b = b - low * middle / max(float((cone @ middle).min()), LEAST_TURN)
    return b / np.linalg.norm(b)


# -- the largest convex piece ---------------------------------------------------------------------------

#: Share by which a plane may cut into a force the program believes kept, before the program is asked again.
CUT = 5e-3

#: Rounds of adding the planes that cut most, and how many for each force are added in one round.
ROUNDS = 25
ADDED = 20

#: Forces next to each triangle that the first round looks at.
NEARBY = 6

#: A force with a larger gauge is as good as lost.
LOST = 1e3

#: Weight of forces that are no members: the piece takes them along where it costs the members nothing much.
PASSENGER = 0.03

#: A triangle's own plane is taken when it cuts no force by more than this share.
FINE = 1e-9


@dataclass(frozen=True)
class GrownPiece:
    """A convex piece as planes: outer x <= 1 and through x <= 0.

    Attributes:
        outer: (f, 3) rows [1/N].
        through: (z, 3) unit rows of planes through the zero force.
    """

    outer: Array
    through: Array

    def reach(self, forces: Array) -> Array:
        """(n,) the largest share, at most 1, of each force (n, 3) of the surface that the piece holds."""
        share = 1.0 / np.maximum((forces @ self.outer.T).max(axis=1), 1.0)
        beyond = (forces @ self.through.T).max(axis=1, initial=-np.inf)
        return np.where(beyond <= BEYOND * np.linalg.norm(forces, axis=1), share, 0.0)


class PieceProgram:
    """The linear programs of one bounded surface, over forces on it that a piece should reach.

    Attributes:
        forces: (s, 3) points of the surface [N].
        rays: (s, 3) their directions.
    """

    def __init__(self, surface: LimitSurface, forces: Array) -> None:
        alive = surface.triangles[np.isfinite(surface.gauges[surface.triangles]).all(axis=1)]
        self.forces = forces
        self.rays = forces / np.linalg.norm(forces, axis=1, keepdims=True)
        self.size = surface.size
        self.local = forces / surface.size
        self.limits = surface.vertices[alive] / surface.size  # (t, 3, 3)
        near = np.argsort(-(surface.directions[alive].sum(axis=1) @ self.rays.T), axis=1)[:, :NEARBY]
        self.near = [(int(x), t) for t, row in enumerate(near) for x in row]

    def solve(self, through: Array, members: Array, passengers: Array, caps: Array, stakes: Array) -> GrownPiece:
        """The piece on the near side of the planes `through` (p, 3) zero, large where it should be.

        Members (s,) are held up to gauge `caps` (s,) where that is possible; passengers (s,) are taken
        along as well as can be. `stakes` (s,) weigh the forces against each other.
        """
        kept = (self.rays @ through.T).max(axis=1, initial=-np.inf) <= BEYOND
        kept &= members | passengers
        weights = np.where(members, 1.0, PASSENGER) * stakes
        if not kept.any():
            return GrownPiece(np.eye(3) / self.size, through)
        task = _GrowthProgram(self, weights, kept, through)
        held = members & (caps < LOST)
        outer = task.solve(np.ones(len(kept)), np.where(held, caps, np.inf))
        if outer is None:  # members that agree in pairs need not agree all together: let as few as possible go
            outer = task.solve(np.where(held, caps, 1.0), np.full(len(kept), np.inf))
        return GrownPiece(task.facets if outer is None else outer, through)


class _GrowthProgram:
    """One program: columns are three numbers per triangle (its plane) and one gauge per force that is kept.

    Triangles whose own plane cuts no force that is kept use it, and need no columns.
    """

    def __init__(self, program: PieceProgram, weights: Array, kept: Array, through: Array) -> None:
        limits = program.limits
        near = np.ones(len(limits), dtype=bool)
        for b in through:
            near &= (limits @ b).min(axis=1) < -ON_EDGE
        own = np.linalg.solve(limits, np.ones((len(limits), 3, 1)))[..., 0]
        self.kept: Indices = np.flatnonzero(kept)
        self.local = program.local[self.kept]
        fine = (self.local @ own.T).max(axis=0) <= 1.0 + FINE
        self.size = program.size
        self.facets = own[near] / self.size  # sound for every triangle, if rarely the best
        self.settled = own[near & fine] / self.size
        self.planes: Indices = np.flatnonzero(near & ~fine)
        self.corners = limits[self.planes]
        self.own = own[self.planes]
        self.weights = weights[self.kept] / weights[self.kept].max()
        plane_of = np.full(len(limits), -1)
        plane_of[self.planes] = np.arange(len(self.planes))
        force_of = np.full(len(kept), -1)
        force_of[self.kept] = np.arange(len(self.kept))
        self.pairs = {(int(force_of[x]), int(plane_of[t])) for x, t in program.near if kept[x] and plane_of[t] >= 0}

    def solve(self, floors: Array, caps: Array) -> Array | None:
        """Rows a (f, 3) [1/N] with gauges between `floors` and `caps` (of all forces); None when there are none.

        Pairs (force, plane) enter as they are needed: those where a plane cuts into a force unseen.
        """
        count = 3 * len(self.planes)
        if not count:
            return self.settled
        cost = np.concatenate([np.zeros(count), self.weights])
        bounds = np.full((count + len(self.kept), 2), [-np.inf, np.inf])
        bounds[count:] = np.column_stack([floors[self.kept], np.maximum(caps, floors)[self.kept]])
        rows = np.zeros((len(self.planes), 3))
        for _ in range(ROUNDS):
            matrix, right = self._rows()
            # Without presolve: the program is solved again and again with a few rows more.
            result = minimise(cost, matrix, right, bounds=bounds, presolve=False)
            if not result.optimal:
                return None
            rows = result.x[:count].reshape(-1, 3)
            if not self._add_cuts(rows, result.x[count:]):
                break
        return np.concatenate([self.settled, self._sound(rows)])

    def _rows(self):
        """Every plane before the corners of its triangle, every gauge above the planes of its pairs."""
        from scipy.sparse import coo_matrix

        chosen = np.array(sorted(self.pairs), dtype=np.intp).reshape(-1, 2)
        count = 3 * len(self.planes)
        triple = np.arange(3)
        at = count + np.arange(len(chosen))
        values = [-self.corners.ravel(), self.local[chosen[:, 0]].ravel(), -np.ones(len(chosen))]
        rows = [np.repeat(np.arange(count), 3), np.repeat(at, 3), at]
        columns = [
            (3 * np.repeat(np.arange(len(self.planes)), 3)[:, None] + triple).ravel(),
            (3 * chosen[:, 1:] + triple).ravel(),
            count + chosen[:, 0],
        ]
        matrix = coo_matrix(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(count + len(chosen), count + len(self.kept)),
        )
        return matrix.tocsr(), np.concatenate([-np.ones(count), np.zeros(len(chosen))])

    def _add_cuts(self, planes: Array, gauges: Array) -> bool:
        """Add the pairs where a plane cuts most; False when none cuts more than `CUT`."""
        excess = self.local @ planes.T - gauges[:, None] * (1.0 + CUT)
        worst = np.argsort(-excess, axis=1)[:, :ADDED]
        force, rank = np.nonzero(np.take_along_axis(excess, worst, axis=1) > 0.0)
        found = {(int(x), int(worst[x, k])) for x, k in zip(force, rank, strict=True)} - self.pairs
        self.pairs |= found
        return bool(found)

    def _sound(self, rows: Array) -> Array:
        """Rows a [1/N] with a . v >= 1 at all corners of their triangles, whatever the program's own tolerance."""
        least = np.einsum("tj,tkj->tk", rows, self.corners).min(axis=1)
        good = least > 0.5  # else the program gave up on the triangle, and its own plane is always right
        exact = np.where(good[:, None], rows / np.where(good, np.minimum(least, 1.0), 1.0)[:, None], self.own)
        return np.unique(exact, axis=0) / self.size


# -- pieces as hulls of few points ----------------------------------------------------------------------

#: Corners are left out of a piece when that costs less than this share.
THIN = 4e-3

#: Corners added before the hulls are looked at again, and the angle [rad] that those of one piece keep apart.
THINNING_ADDED = 16
APART = 0.4


def thinned(growths: list[GrownPiece], parts: Patchwork, stakes: Stakes, most: int) -> list[ConvexPiece]:
    """The pieces as hulls of at most about `most` points on their boundaries, and so inside them.

    They begin with few and get more where the union loses most against what the growths hold. A
    triangle counts as held by the piece that holds all its corners best.
    """
    corners, triangles = split(parts.corners, parts.triangles)
    rays, at_stake = unit(corners), stakes(corners)
    reach = np.array([growth.reach(corners) for growth in growths])  # (k, s)
    whole = cost(reach, at_stake, triangles)
    owner = whole.argmin(axis=0)
    chosen = [_extremes(corners * r[:, None]) for r in reach]
    pieces: list[ConvexPiece | None] = [None] * len(growths)
    have = np.zeros_like(reach)
    changed = set(range(len(growths)))
    while changed:
        for k in changed:
            index = sorted(chosen[k])
            pieces[k] = _hull(corners[index] * reach[k, index, None])
            have[k] = _share(pieces[k], corners)
        lost = cost(have, at_stake, triangles).min(axis=0) - whole.min(axis=0)
        full = np.array([piece is not None and len(piece.vertices) >= most for piece in pieces])
        lost[full[owner]] = 0.0
        changed = set()
        for _ in range(THINNING_ADDED):
            t = int(lost.argmax())
            k = int(owner[t])
            corner = int(triangles[t, ((reach[k] - have[k]) * at_stake)[triangles[t]].argmax()])
            if lost[t] <= THIN or corner in chosen[k]:
                break
            chosen[k].add(corner)
            changed.add(k)
            lost[t] = 0.0
            lost[(owner == k) & (rays[triangles[:, 0]] @ rays[corner] > np.cos(APART))] = 0.0
    return [piece for piece in pieces if piece is not None]


def cost(share: Array, at_stake: Array, triangles: Indices) -> Array:
    """(k, t) what each piece loses of each triangle, given the shares (k, s) of the corners it holds."""
    return ((1.0 - share) * at_stake)[:, triangles].max(axis=2)


def _share(piece: ConvexPiece | None, forces: Array) -> Array:
    if piece is None:
        return np.zeros(len(forces))
    with np.errstate(divide="ignore"):
        return 1.0 / np.maximum(piece.gauge(forces), 1.0)


def _extremes(points: Array) -> set[int]:
    return {int(i) for i in (*points.argmax(axis=0), *points.argmin(axis=0))}


def _hull(points: Array) -> ConvexPiece | None:
    try:
        return ConvexPiece(points)
    except GeometryError:
        return None
