"""Convex pieces inside a star-shaped surface: linear programs for their corners, and few of these.

A piece is the hull of the zero force and of points x_i / g_i below forces x_i of the surface, g_i >= 1 their gauges.
It lies inside the surface exactly when no corner of the common refinement of the two is beyond the surface. These
corners are of three kinds: the points x_i / g_i; corners v of the surface below a facet, v = sum_i s_i x_i over its
three forces; and points of edges of the surface below an edge, s_i x_i + s_j x_j. The last two ask for
sum_i s_i g_i >= 1, which is linear: gauges with a small weighted sum come from a linear program, whose rows are found
one hull after the other. Remaining violations are removed by enlarging gauges; weights and members only state where the
piece should be large.

A cone without any force is excluded by planes b . x = 0 with b . d >= 0 in the cone, which come first. The choice of
the plane determines what the piece can reach next to the cone, so several sets of planes are made, each for another
stretch of the cone's rim. At the end a piece becomes the hull of few points: a corner is added only where leaving it
out would cost something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import Indices, unit
from ..linear_programs import Outcome, minimise
from .accuracy import ConvexPiece, products
from .grouping import Clock, LeavingLines, Patchwork, Stakes, split
from .surface import LimitSurface

# -- planes that separate a piece from the cones without a force ----------------------------------------

#: Directions this close to a plane count as lying on it [rad].
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
    """(z, 3 corners, 3) unit corners of the cones without a force next to cones with one.

    A connected piece cannot reach any other cone without a force except across one of these.
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
        if plane is None:  # a single cone always has a plane; only rounding can prevent it
            plane = _into(left[first].sum(axis=0), left[first])
        rows.append(plane)
        weight[rays @ plane > BEYOND] = 0.0
        left = left[~(left @ plane >= -tolerances.ROUNDING).all(axis=1)]
    if alone is not None and weights[rays @ alone <= BEYOND].sum() >= weight.sum():
        return alone[None, :]
    return np.array(rows)


def separating_plane(cone: Array, rays: Array, weights: Array) -> Array | None:
    """Unit b with b . d >= 0 for all rows d of `cone`, and the least weight of `rays` beyond it; None if none."""
    from scipy.sparse import coo_array, hstack

    cone = np.unique(cone, axis=0)
    some = np.flatnonzero(weights > 0.0)
    first = np.vstack([-cone, -cone.mean(axis=0), rays[some]])  # the plane needs a length: b . middle >= 1
    beyond = np.arange(len(some))
    last = coo_array((-np.ones(len(some)), (len(cone) + 1 + beyond, beyond)), shape=(len(first), len(some)))
    matrix = hstack([coo_array(first), last], format="csr")
    right = np.zeros(len(first))
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
    """`b` turned to pass exactly through two of the directions on it, and never into its cone.

    Otherwise the tolerance of the program could leave a ray slightly beyond the plane, which would then be lost.
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

#: Share by which a row may be violated before it enters the program, and that is left to the last scaling of a piece.
CUT = 5e-3
LEFT = 5e-4

#: Rounds of shrinking where rows are still violated, and the power of the violation by which corners shrink.
SHRINKINGS = 60
SHRINK = 1.6

#: A force with a larger gauge counts as lost.
LOST = 1e3

#: Weight of forces that are not members: the piece includes them where that costs the members little.
PASSENGER = 0.03

#: Least weight of a force, as a share of the largest.
LEAST_WEIGHT = 1e-6


@dataclass(frozen=True)
class _Rows:
    """Rows sum_j share_j g_(force_j) >= 1 that a solution g violates, and their values."""

    forces: Indices  # (m, 3) positions among the forces of the program
    shares: Array  # (m, 3)
    values: Array  # (m,)

    def __len__(self) -> int:
        return len(self.values)

    def worst_of(self, owner: Indices) -> _Rows:
        """The row with the least value of each owner (m,)."""
        order = np.argsort(self.values, kind="stable")
        chosen = order[np.unique(owner[order], return_index=True)[1]]
        return _Rows(self.forces[chosen], self.shares[chosen], self.values[chosen])

    def __add__(self, other: _Rows) -> _Rows:
        return _Rows(
            np.concatenate([self.forces, other.forces]),
            np.concatenate([self.shares, other.shares]),
            np.concatenate([self.values, other.values]),
        )


def _rows_of_pairs(pairs: Indices, shares: Array, values: Array) -> _Rows:
    """Rows of two forces each."""
    return _Rows(pairs[:, [0, 1, 1]], np.column_stack([shares, np.zeros(len(shares))]), values)


class PieceProgram:
    """The linear programs of one bounded surface: pieces with corners along forces on the surface.

    Attributes:
        forces: (s, 3) points of the surface [N].
        rays: (s, 3) their directions.
    """

    def __init__(self, surface: LimitSurface, forces: Array, lines: LeavingLines) -> None:
        alive = surface.triangles[np.isfinite(surface.gauges[surface.triangles]).all(axis=1)]
        edges = np.unique(np.sort(alive[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
        self.forces, self.lines = forces, lines
        self.rays = forces / np.linalg.norm(forces, axis=1, keepdims=True)
        self.local = forces / surface.size
        self.limits = surface.vertices[np.unique(alive)] / surface.size
        self.edges = surface.vertices[edges] / surface.size  # (e, 2, 3)
        self.edge_rays = surface.directions[edges]
        self.walls = np.cross(self.edge_rays[:, 0], self.edge_rays[:, 1])
        # Crossings of lines between two forces with edges of the surface, found when first asked for.
        self._lines: Indices = np.zeros(0, dtype=np.intp)
        self._start: Indices = np.zeros(0, dtype=np.intp)
        self._count: Indices = np.zeros(0, dtype=np.intp)
        self._shares = np.zeros((0, 2))

    def solve(self, through: Array, members: Array, caps: Array, stakes: Array, rounds: int) -> ConvexPiece | None:
        """The piece on the near side of the planes `through` (p, 3) zero, large where it should be; None if flat.

        Members (s,) are held up to gauge `caps` (s,) where that is possible; other forces are included
        as far as possible. `stakes` (s,) weigh the forces against each other. `rounds` is the most
        rounds of the program.
        """
        near = np.flatnonzero((self.rays @ through.T).max(axis=1, initial=-np.inf) <= BEYOND)
        if not len(near):
            return None
        weights = (np.where(members, 1.0, PASSENGER) * stakes)[near]
        weights = np.maximum(weights / weights.max(), LEAST_WEIGHT)
        task = _GrowthProgram(self, near)
        try:
            gauges = task.solve(weights, (members & (caps < LOST))[near], np.maximum(caps, 1.0)[near], rounds)
        except _Flat:
            return None
        return hull_or_none(self.forces[near] / gauges[:, None])

    def crossings(self, first: Indices, second: Indices) -> tuple[Indices, Array]:
        """(which, shares): where the line between two forces meets an edge of the surface below the two.

        `which` (m,) is the place of the pair among first, second (n,), and shares (m, 2) are those of the two forces
        in the point of the edge. Points that no piece can reach beyond are left out: their shares sum to 1 or more.
        """
        low, high = np.minimum(first, second), np.maximum(first, second)
        codes = low * len(self.forces) + high
        at = np.searchsorted(self._lines, codes)
        known = np.append(self._lines, -1)[at] == codes
        if not known.all():
            self._learn(np.unique(codes[~known]))
        at = np.searchsorted(self._lines, codes)
        count = self._count[at]
        rows = np.repeat(self._start[at] - np.cumsum(count) + count, count) + np.arange(count.sum())
        which = np.repeat(np.arange(len(codes)), count)
        swapped = first[which] > second[which]
        return which, np.where(swapped[:, None], self._shares[rows, ::-1], self._shares[rows])

    def _learn(self, codes: Indices) -> None:
        one, two = np.divmod(codes, len(self.forces))
        a, b = self.rays[one], self.rays[two]
        normals = np.cross(a, b)
        heights = [products(normals, self.edge_rays[:, k]) for k in range(2)]  # (n, e)
        sides = [products(rays, self.walls) for rays in (a, b)]
        apart = [pair[0] * pair[1] < -tolerances.ROUNDING for pair in (heights, sides)]
        line, edge = np.nonzero(apart[0] & apart[1])
        a, b, normals, ends = self.local[one[line]], self.local[two[line]], normals[line], self.edges[edge]
        low, high = (np.einsum("ij,ij->i", normals, ends[:, k])[:, None] for k in range(2))
        met = (high * ends[:, 0] - low * ends[:, 1]) / (high - low)
        across = np.cross(a, b)
        shares = np.einsum("kij,ij->ik", [np.cross(met, b), np.cross(a, met)], across)
        shares /= np.einsum("ij,ij->i", across, across)[:, None]
        useful = (shares > 0.0).all(axis=1) & (shares.sum(axis=1) < 1.0 - tolerances.MEMBERSHIP)
        count = np.bincount(line[useful], minlength=len(codes))
        order = np.argsort(np.concatenate([self._lines, codes]), kind="stable")
        start = len(self._shares) + np.cumsum(count) - count
        self._lines = np.concatenate([self._lines, codes])[order]
        self._start = np.concatenate([self._start, start])[order]
        self._count = np.concatenate([self._count, count])[order]
        self._shares = np.concatenate([self._shares, shares[useful]])


class _Flat(Exception):
    """The forces that are left span no volume."""


class _GrowthProgram:
    """One program: the gauges g of the forces `near` (k,), by which the corners of the piece are x / g."""

    def __init__(self, program: PieceProgram, near: Indices) -> None:
        self.program, self.near = program, near
        self.local = program.local[near]
        place = np.full(len(program.forces), -1, dtype=np.intp)
        place[near] = np.arange(len(near))
        lines = program.lines
        first, second = place[lines.first], place[lines.second]
        both = (first >= 0) & (second >= 0)
        self.pairs = np.asfortranarray(np.column_stack([first, second])[both])
        self.pair_shares = np.asfortranarray(lines.shares[both])

    def solve(self, weights: Array, held: Array, caps: Array, rounds: int) -> Array:
        """(k,) gauges of at least 1, small where the weight is large; up to `caps` where forces are held."""
        feasible = not len(self._violated(np.where(held, caps, LOST), CUT))
        if feasible:
            gauges = self._program(weights, np.ones(len(caps)), np.where(held, caps * (1.0 + CUT), np.inf), rounds)
            if gauges is not None:
                return self._shrunk(gauges)
        # Members without conflicts in pairs may conflict all together: drop as few as possible.
        low = np.where(held, caps, 1.0)
        gauges = self._program(weights, low, np.full(len(caps), np.inf), rounds)
        return self._shrunk(low if gauges is None else gauges)

    def _program(self, weights: Array, low: Array, high: Array, rounds: int) -> Array | None:
        """Gauges between `low` and `high` with a small weighted sum, violating few rows; None if there are none.

        It is solved by its dual, maximise sum y with sum_r y_r A_r <= weights, which grows by a column for each row
        of A and starts from its last basis. Each round adds the rows that the last solution violates. Rows are
        scaled such that they ask for a rise of 1 above `low`.
        """
        from ..solvers.highs import LinearProgram

        dual = LinearProgram(np.full(len(weights), -np.inf), weights)
        bounded = np.flatnonzero(np.isfinite(high))
        if len(bounded):
            columns = np.zeros((len(weights), len(bounded)))
            columns[bounded, np.arange(len(bounded))] = -1.0 / (high - low)[bounded]
            dual.add_columns(columns, gain=-1.0)
        gauges = low
        for _ in range(rounds):
            rows = self._violated_lines(gauges) or self._violated(gauges, CUT)
            if not len(rows):
                break
            asked = 1.0 - (rows.shares * low[rows.forces]).sum(axis=1)
            columns = np.zeros((len(weights), len(rows)))
            np.add.at(columns, (rows.forces, np.arange(len(rows))[:, None]), rows.shares / asked[:, None])
            dual.add_columns(columns, gain=1.0)
            if dual.solve() is not Outcome.OPTIMAL:
                return None
            gauges = low + np.maximum(-dual.row_duals, 0.0)
        return gauges

    def _shrunk(self, gauges: Array) -> Array:
        """`gauges` enlarged until no row is violated by more than `LEFT`.

        A piece with larger gauges lies inside the one before, so that rows that are met stay so.
        """
        for _ in range(SHRINKINGS):
            rows = self._violated(gauges, LEFT)
            if not len(rows):
                break
            factor = np.ones(len(gauges))
            moved = rows.shares > 0.0
            np.maximum.at(
                factor, rows.forces[moved], np.broadcast_to(rows.values[:, None], moved.shape)[moved] ** -SHRINK
            )
            gauges = np.minimum(gauges * factor, LOST)
        return gauges

    def _violated_lines(self, gauges: Array) -> _Rows | None:
        """The worst of the sampled lines at each force, if any point of them is beyond the surface."""
        i, j = self.pairs.T
        values = self.pair_shares[:, 0] * gauges[i] + self.pair_shares[:, 1] * gauges[j]
        bad = np.flatnonzero(values < 1.0 - CUT)
        if not len(bad):
            return None
        rows = _rows_of_pairs(self.pairs[bad], self.pair_shares[bad], values[bad])
        return rows.worst_of(rows.forces[:, 0]) + rows.worst_of(rows.forces[:, 1])

    def _violated(self, gauges: Array, beyond: float) -> _Rows:
        """Where the piece with these gauges reaches beyond the surface: the worst point of each facet and edge."""
        from scipy.spatial import ConvexHull, QhullError

        try:
            hull = ConvexHull(np.vstack([np.zeros(3), self.local / gauges[:, None]]))
        except QhullError:
            raise _Flat from None
        offsets = -hull.equations[:, 3]
        at_zero = offsets <= tolerances.MEMBERSHIP
        outer = hull.equations[~at_zero, :3] / offsets[~at_zero, None]
        facets = hull.simplices[~at_zero].astype(np.intp) - 1  # no outer facet has the zero force as a corner
        return self._violated_at_corners(gauges, facets, outer, hull.equations[at_zero, :3], beyond) + (
            self._violated_at_edges(gauges, facets, beyond)
        )

    def _violated_at_corners(
        self, gauges: Array, facets: Indices, outer: Array, through: Array, beyond: float
    ) -> _Rows:
        """Corners of the surface below a facet: v = sum of shares of the facet's three forces."""
        limits = self.program.limits
        use = products(outer, limits)  # (f, n)
        facet, value = use.argmax(axis=0), use.max(axis=0)
        inside = value < 1.0 - beyond
        inside &= products(limits, through).max(axis=1, initial=-np.inf) <= tolerances.MEMBERSHIP
        below = np.flatnonzero(inside)
        corners = self.local[facets[facet[below]]]  # (m, 3 corners, 3)
        across = np.stack([np.cross(corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]) for k in range(3)], axis=1)
        volume = np.einsum("mj,mj->m", across[:, 0], corners[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.einsum("mkj,mj->mk", across, limits[below]) / volume[:, None]
        sound = np.isfinite(shares).all(axis=1) & (shares > -tolerances.MEMBERSHIP).all(axis=1)
        rows = _Rows(facets[facet[below]][sound], np.maximum(shares[sound], 0.0), value[below][sound])
        return rows.worst_of(facet[below][sound])

    def _violated_at_edges(self, gauges: Array, facets: Indices, beyond: float) -> _Rows:
        """Points of edges of the surface below an edge of the piece."""
        edges = np.unique(np.sort(facets[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
        which, shares = self.program.crossings(self.near[edges[:, 0]], self.near[edges[:, 1]])
        values = (shares * gauges[edges[which]]).sum(axis=1)
        bad = values < 1.0 - beyond
        return _rows_of_pairs(edges[which[bad]], shares[bad], values[bad]).worst_of(which[bad])


# -- pieces as hulls of few points ----------------------------------------------------------------------

#: Corners are dropped from a piece when that costs less than this share.
THIN = 4e-3

#: Corners added before the hulls are recomputed, and the least angle [rad] between those of one piece.
THINNING_ADDED = 16
APART = 0.4


def thinned(growths: list[ConvexPiece], parts: Patchwork, stakes: Stakes, most: int, clock: Clock) -> list[ConvexPiece]:
    """The pieces as hulls of at most about `most` points on their boundaries, and so inside them.

    They begin with few and get more where the union loses most against what the growths hold. A
    triangle counts as held by the piece that holds all its corners best. After the time limit, pieces with few
    enough corners are left as they are.
    """
    if clock.late() and max(len(growth.vertices) for growth in growths) <= most:
        return growths
    corners, triangles = split(parts.corners, parts.triangles)
    rays, at_stake = unit(corners), stakes(corners)
    reach = np.array([held_share(growth, corners) for growth in growths])  # (k, s)
    whole = cost(reach, at_stake, triangles)
    owner = whole.argmin(axis=0)
    chosen = [_extremes(corners * r[:, None]) for r in reach]
    pieces: list[ConvexPiece | None] = [None] * len(growths)
    have = np.zeros_like(reach)
    changed = set(range(len(growths)))
    while changed:
        for k in changed:
            index = sorted(chosen[k])
            pieces[k] = hull_or_none(corners[index] * reach[k, index, None])
            have[k] = held_share(pieces[k], corners)
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


def held_share(piece: ConvexPiece | None, forces: Array) -> Array:
    """(n,) the largest share, at most 1, of each force (n, 3) of the surface that the piece holds."""
    if piece is None:
        return np.zeros(len(forces))
    with np.errstate(divide="ignore"):
        return 1.0 / np.maximum(piece.gauge(forces), 1.0)


def _extremes(points: Array) -> set[int]:
    return {int(i) for i in (*points.argmax(axis=0), *points.argmin(axis=0))}


def hull_or_none(points: Array) -> ConvexPiece | None:
    """The hull of points (m, 3) and the zero force; None when it is flat."""
    try:
        return ConvexPiece(points)
    except GeometryError:
        return None
