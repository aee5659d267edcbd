"""Which parts of a surface can share a convex piece: conflicts between pairs, and few groups without conflicts.

Two forces conflict when the straight line between them leaves the surface by more than is allowed. A
set of triangles without conflicts is a candidate for one convex piece, so few pieces are a colouring
of the conflicts with few colours. Lines are sampled here: the groups only guide the construction of
the pieces, whose errors are then bounded exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import Indices
from .surface import LimitSurface

#: Points checked on the line between two forces.
LINE_POINTS = 7

#: A line leaves the surface only if its gauge exceeds one by this much: lines along facets stay inside.
ON_SURFACE = 1e-6

#: Share of the largest shear limit added to a direction's own limit before its error is taken as a share of it.
FORCE_SHARE = 0.1

#: Errors are not relative to an adhesion weaker than this share of the largest shear limit.
LEAST_ADHESION = 0.01

#: Triangles over which the stakes change by more than the first number are split in four, up to about the second
#: number of corners, and up to this factor more than before.
STEEP = 0.15
MOST_CORNERS = 450
MORE_CORNERS = 1.6

#: Steps of the search for the smallest error that a number of pieces can reach.
SEARCH_STEPS = 7

#: A pull that is a smaller share of its force counts as part of its shear.
SHALLOW = 0.1

#: Times that every node may move to another group.
SWEEPS = 30

#: Errors beyond this mean that few groups cannot cover the surface within a fair error.
HOPELESS = 0.5

#: Errors tried for forces that do not pull steeply, as shares of the error of those that do.
PRESSING_SHARES = (0.1, 0.2, 0.35, 0.5, 0.7)

#: Errors below this share of the stakes are not distinguished.
LEAST_ERROR = 1e-3


@dataclass(frozen=True)
class Stakes:
    """The cost of an error at a force: its pull as a share of the peak pull, or its size as a share of its own limit.

    A force that pulls steeply counts by its pull alone, one that presses or shears by its size alone.

    Attributes:
        adhesion: largest pull of the surface [N] (at least `LEAST_ADHESION` of `shear`).
        shear: largest limit in directions that do not press [N], or of all if there is none.
    """

    adhesion: float
    shear: float

    @staticmethod
    def of(surface: LimitSurface) -> Stakes:
        """The stakes of a bounded surface."""
        flat = surface.radii[surface.directions[:, 2] <= ON_SURFACE]
        shear = float(flat.max(initial=0.0)) or surface.size
        pull = float(-surface.vertices[:, 2].min(initial=0.0))
        return Stakes(max(pull, LEAST_ADHESION * shear), shear)

    def __call__(self, forces: Array) -> Array:
        """(n,) cost of losing (or adding) each of the forces (n, 3) completely; at most about 1."""
        length = np.linalg.norm(forces, axis=1)
        pull = np.maximum(-forces[:, 2], 0.0)
        level = 1.0 - np.minimum(1.0, pull / (SHALLOW * np.maximum(length, np.finfo(float).tiny)))
        return np.maximum(pull / self.adhesion, level * length / (length + FORCE_SHARE * self.shear))


class Clock:
    """Time limit [s] and progress of one decomposition; `stopped` says whether the limit ended anything.

    `progress` is called with (done, 100): percent of the work.
    """

    def __init__(self, limit: float | None = None, progress: Callable[[int, int], None] | None = None) -> None:
        self._end = math.inf if limit is None else perf_counter() + limit
        self._progress = progress
        self._done = -1
        self.stopped = False

    def late(self) -> bool:
        """Whether the time is over."""
        self.stopped = self.stopped or perf_counter() > self._end
        return self.stopped

    def done(self, percent: float) -> None:
        """Report this share of the work as done; the reported share never decreases."""
        if self._progress is not None and int(percent) > self._done:
            self._done = int(percent)
            self._progress(self._done, 100)


@dataclass(frozen=True)
class LeavingLines:
    """Lines between two forces x_i, x_j that leave the surface, each by its worst point that was checked.

    Attributes:
        first, second: (m,) i and j.
        shares: (m, 2) the shares of x_i and x_j whose sum is the surface's force along the ray of that point.
    """

    first: Indices
    second: Indices
    shares: Array


@dataclass(frozen=True)
class Patchwork:
    """The part of a surface with a volume below it, as triangles that are grouped into pieces.

    Attributes:
        corners: (s, 3) limit forces [N].
        triangles: (t, 3) indices of corners.
        stakes: (s,) what each corner is worth.
        excess: (t, t) cost of the worst force that the lines between two triangles' corners add.
        lines: the lines between corners that leave the surface into directions with a limit above zero.
    """

    corners: Array
    triangles: Indices
    stakes: Array
    excess: Array
    lines: LeavingLines

    @property
    def worth(self) -> Array:
        """(t,) what each triangle is worth: the mean of its corners."""
        return self.stakes[self.triangles].mean(axis=1)

    @property
    def steep(self) -> Array:
        """(s,) whether a corner pulls steeply: next to the dent, where the limit falls to zero."""
        return -self.corners[:, 2] > SHALLOW * np.linalg.norm(self.corners, axis=1)

    def limits(self, pulling: float, pressing: float) -> Array:
        """(t,) the error that each triangle may have: `pulling` if any of its corners pulls steeply."""
        return np.where(self.steep[self.triangles].any(axis=1), pulling, pressing)

    @property
    def angles(self) -> Array:
        """(t,) solid angle that each triangle spans, seen from the zero force [sr]."""
        a, b, c = (self.corners[self.triangles[:, k]] for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        triple = np.abs(np.einsum("ij,ij->i", a, np.cross(b, c)))
        dots = [np.einsum("ij,ij->i", v, w) for v, w in ((a, b), (b, c), (c, a))]
        return 2.0 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)

    def conflicts(self, limits: Array) -> Array:
        """(t, t) which triangles cannot share a piece, given the error (t,) each may have."""
        return self.excess > np.maximum(limits[:, None], limits[None, :])


def patchwork(surface: LimitSurface, stakes: Stakes, clock: Clock) -> Patchwork:
    """The triangles of a bounded surface without a zero corner, split while they are few, and their conflicts."""
    alive = surface.triangles[np.isfinite(surface.gauges[surface.triangles]).all(axis=1)]
    if not len(alive):
        raise GeometryError(
            "no three neighbouring directions have a limit above zero: there is no volume below the surface",
            where="surface",
            fix="measure more directions, or fill gaps with the least neighbour",
        )
    used, flat = np.unique(alive, return_inverse=True)
    corners, triangles = surface.vertices[used], flat.reshape(-1, 3)
    corners, triangles = _refined(corners, triangles, stakes)
    between, lines = _line_excess(surface, corners, stakes, clock)
    excess = np.zeros((len(triangles), len(triangles)))
    for a in range(3):
        for b in range(3):
            np.maximum(excess, between[np.ix_(triangles[:, a], triangles[:, b])], out=excess)
    return Patchwork(corners, triangles, stakes(corners), excess, lines)


def _refined(corners: Array, triangles: Indices, stakes: Stakes) -> tuple[Array, Indices]:
    """Triangles over which the stakes change much, split while that leaves few corners.

    A split triangle's neighbours stay whole: triangles are grouped one by one, so their edges need not match.
    """
    most = min(MOST_CORNERS, int(MORE_CORNERS * len(corners)))
    while True:
        spread = np.ptp(stakes(corners)[triangles], axis=1)
        steep = np.flatnonzero(spread > STEEP)
        # Splitting a patch adds two corners per triangle, or slightly more.
        steep = steep[np.argsort(-spread[steep], kind="stable")][: max(0, (most - len(corners)) // 2)]
        if not len(steep):
            return corners, triangles
        rest = np.setdiff1d(np.arange(len(triangles)), steep)
        whole = triangles[rest]
        corners, quarters = split(corners, triangles[steep])
        triangles = np.concatenate([whole, quarters])


def split(corners: Array, triangles: Indices) -> tuple[Array, Indices]:
    """Every triangle in four, by the middles of its edges."""
    edges, which = np.unique(
        np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0, return_inverse=True
    )
    middle = len(corners) + which.reshape(-1, 3)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    quarters = np.stack([np.stack(p, axis=1) for p in parts], axis=1).reshape(-1, 3)
    return np.concatenate([corners, corners[edges].mean(axis=1)]), quarters


def _line_excess(surface: LimitSurface, forces: Array, stakes: Stakes, clock: Clock) -> tuple[Array, LeavingLines]:
    """((s, s) cost of the worst force added on the line between each two of `forces` (s, 3), the lines)."""
    s = len(forces)
    i, j = np.triu_indices(s, 1)
    worst, furthest, where = np.zeros(len(i)), np.full(len(i), 1.0 + ON_SURFACE), np.zeros(len(i))
    shares = np.arange(1, LINE_POINTS + 1) / (LINE_POINTS + 1)
    for share in sorted(shares, key=lambda share: abs(share - 0.5)):  # the middle is the most informative
        between = (1.0 - share) * forces[i] + share * forces[j]
        use = surface.gauge(between)
        out = np.flatnonzero(use > 1.0 + ON_SURFACE)
        worst[out] = np.maximum(worst[out], (1.0 - 1.0 / use[out]) * stakes(between[out]))
        further = np.isfinite(use) & (use > furthest)
        furthest[further], where[further] = use[further], share
        if clock.late():
            break
    matrix = np.zeros((s, s))
    matrix[i, j] = worst
    some = where > 0.0
    weights = np.column_stack([1.0 - where, where])[some] / furthest[some, None]
    return matrix + matrix.T, LeavingLines(i[some], j[some], weights)


def least_colours(conflict: Array) -> int:
    """A lower bound of the groups needed: a set of nodes that all conflict with each other, found greedily."""
    count = 0
    while len(conflict):
        rivals = conflict[conflict.sum(axis=1).argmax()]
        conflict = conflict[np.ix_(rivals, rivals)]
        count += 1
    return max(count, 1)


def colour(conflict: Array, allowed: Array, seed: int, *, leave: bool = False) -> Indices | None:
    """(n,) a group for each node such that no two of a group conflict; None when no such groups were found.

    `allowed` (n, k) says which groups a node may join. The node with fewest groups left goes first
    (Brelaz), ties by degree and, beyond the first seed, at random; it joins the group that blocks least.
    With `leave`, a node without a group stays out (-1) and the others continue.
    """
    rng = np.random.default_rng(seed)
    degree = conflict.sum(axis=1).astype(float)
    degree += rng.random(len(degree)) * (0.9 if seed == 0 else 1.0 + 0.2 * degree.max(initial=0.0))
    scale = 2.0 * (1.0 + degree.max(initial=0.0))
    left = allowed.copy()
    count = left.sum(axis=1).astype(float)
    open_nodes = np.ones(len(conflict), dtype=bool)
    group = np.full(len(conflict), -1, dtype=np.intp)
    for _ in range(len(conflict)):
        node = int(np.where(open_nodes, degree - scale * count, -np.inf).argmax())
        open_nodes[node] = False
        free = np.flatnonzero(left[node])
        if not len(free):
            if leave:
                continue
            return None
        rivals = conflict[node] & open_nodes
        best = int(free[left[rivals][:, free].sum(axis=0).argmin()])
        group[node] = best
        blocked = rivals & left[:, best]
        left[blocked, best] = False
        count[blocked] -= 1.0
    return group


def least_conflict(excess: Array, count: int) -> Indices:
    """(n,) one of `count` groups for each node, with little total excess between members of a group.

    For surfaces that few groups cannot cover without large errors: nodes move, one after the other, to the
    group with the least excess, until no move improves.
    """
    rng = np.random.default_rng(0)
    # Groups begin as the nodes around `count` nodes with much excess between them.
    heads = [int(excess.sum(axis=1).argmax())]
    while len(heads) < count:
        heads.append(int(excess[heads].min(axis=0).argmax()))
    group = excess[heads].argmin(axis=0)
    member = np.zeros((len(excess), count))
    member[np.arange(len(excess)), group] = 1.0
    disturbed = excess @ member
    for _ in range(SWEEPS):
        moved = False
        for node in rng.permutation(len(excess)):
            best = int(disturbed[node].argmin())
            if disturbed[node, best] < disturbed[node, group[node]] * (1.0 - tolerances.SOLVER_ROUNDING):
                disturbed[:, group[node]] -= excess[:, node]
                disturbed[:, best] += excess[:, node]
                group[node] = best
                moved = True
        if not moved:
            break
    return group


def smallest_errors(grouped: Callable[[float, float], bool], goal: float) -> tuple[float, float]:
    """(error of steeply pulling forces, error of all others), both the goal if `grouped(goal, goal)` succeeds.

    Otherwise the smallest error found, by bisection of its logarithm, for which the groups suffice, and
    then a smaller one for forces that do not pull steeply, if they still do, so that the dent does not
    enlarge the other errors.
    `grouped(1.0, 1.0)` must succeed.
    """
    low = max(goal, LEAST_ERROR)
    if grouped(low, low):
        return low, low
    high, trial = 1.0, 0.3
    for _ in range(SEARCH_STEPS):
        if grouped(trial, trial):
            high = trial
        else:
            low = trial
        trial = float(np.sqrt(low * high))
    for share in PRESSING_SHARES:
        if grouped(high, max(share * high, goal)):
            return high, max(share * high, goal)
    grouped(high, high)
    return high, high
