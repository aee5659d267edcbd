"""Ball margin: the largest ball of wrenches round the load that is held, between two bounds that are proven.

With torques divided by a length, the distance from the wanted wrench b to the border of the sum is the least of
h(y) - y . b over all y of length 1. Wrenches of the sum that are known span a polytope inside it: the distance to its
nearest facet is a lower bound, and that facet's normal y gives an upper one. Where the two differ, the sum reaches
further there, and has a new wrench to give.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..grips import Grip, OuterGrip
from ..solvers import Status
from ..solvers.minkowski import HandWeights, SumOptimum, SumStatus
from .generation import SliceSolver, plane_weights, solver_of
from .hands import Hands, checked_hands, checked_wrench
from .memberships import lie_in_grips
from .proofs import SumBound, total_support

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

#: Facets that are asked for new wrenches in one round, and directions of the first round.
FACETS, FIRST = 24, 96

#: How far out wrenches are taken where there is no limit, in multiples of the bound that is known.
FAR = 20.0

#: Seed of the first round's directions, and of small moves.
SEED = 6

#: Known wrenches are moved apart by this share of the largest before their hull is made; bounds allow for it.
JOGGLE = 1e-9


@dataclass(frozen=True, eq=False)
class BallMargin:
    """The largest r for which the load stays held whatever wrench with |(f, t / length)| <= r is added.

    Of lazy grips, the balls of their hulls. With grips that come as bounds, `value` is of the inner side and
    `upper_bound` of the outer.

    Attributes:
        status: optimal when the bounds lie within the gap that was wanted; undecided when a limit came first; does not
            hold when the load itself is not held.
        hands: grips and poses.
        wrench: (6,) the external wrench on the body in the middle of the ball.
        length: [m] how many newton metres count as one newton.
        value: [N] a ball of this radius is held (inner), as the hull of `wrenches` proves; -inf when the load is not,
            inf when the hands give every wrench there is.
        upper_bound: [N] no larger ball is (outer), as `certificate` proves; inf when no half-space was found.
        wrenches: (n, k, 6) what the hands give, palm frames, in n cases whose sums span the inner polytope.
        weights: how hands with vertices make these; None for other hands.
        certificate: the half-space nearest to the load that no sum leaves, or None when `upper_bound` is inf.
        rounds: rounds of facets.
        seconds: wall-clock time.
    """

    status: Status
    hands: Hands
    wrench: Array
    length: float
    value: float
    upper_bound: float
    wrenches: Array
    weights: tuple[tuple[HandWeights | None, ...], ...]
    certificate: SumBound | None
    rounds: int
    seconds: float

    def __repr__(self) -> str:
        return f"BallMargin({self.status.value}, {self.value:.6g} to {self.upper_bound:.6g} N, {self.length:g} m)"

    @property
    def gap(self) -> float:
        """(upper_bound - value) / upper_bound; 0 when the bounds meet."""
        if self.upper_bound == self.value:
            return 0.0
        known = self.value > -np.inf and self.upper_bound < np.inf
        return (self.upper_bound - self.value) / self.upper_bound if known else np.inf

    def verify(self) -> bool:
        """Check both bounds without the solver: every wrench by its hand, their hull afresh, and the half-space.

        A load that is not held is not confirmed: False. A ball without limit is confirmed by the hands' rays.
        """
        if self.status is Status.DOES_NOT_HOLD or not (self.upper_bound == np.inf or self._is_outer()):
            return False
        inner, unit = self.hands.sided("inner"), np.repeat([1.0, self.length], 3)
        if self.value == np.inf:
            return _gives_everything(inner, unit)
        if not all(lie_in_grips(inner, w, by, None) for w, by in zip(self.wrenches, self.weights, strict=True)):
            return False
        if self.value <= 0.0:
            return True
        sums = np.einsum("kij,nkj->ni", inner.maps, self.wrenches)
        points = (sums + self.wrench) / unit
        nearest = float((-_hull(_joggled(points, SEED + 1)).equations[:, -1]).min())
        return nearest >= self.value * (1.0 - 10 * tolerances.FEASIBILITY) - 2.0 * _joggle(points)

    def _is_outer(self) -> bool:
        """Whether the half-space is one of the sum, and no further from the load than `upper_bound`."""
        if self.certificate is None:
            return False
        y, unit = self.certificate.multipliers, np.repeat([1.0, self.length], 3)
        off = self.certificate.support + float(y @ self.wrench)
        distance = off / float(np.linalg.norm(y * unit))
        return self.certificate.verify() and distance <= self.upper_bound * (1.0 + 10 * tolerances.FEASIBILITY)


def ball_margin(
    grips: Any,
    poses: Any,
    wrench: ArrayLike,
    *,
    torque_length: float | None = None,
    gap: float = 1e-2,
    time_limit: float = 10.0,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> BallMargin:
    """The largest ball of wrenches round a load that is held, certified from both sides.

    Args:
        grips, poses, wrench, gravity, length: as of `posture_equilibrium`.
        torque_length: [m] how many newton metres count as one newton; by default the hands' characteristic length.
            Torques are about the world origin.
        gap: relative difference of the two bounds at which to stop; smaller ones take much longer.
        time_limit: [s] after which the bounds are returned as they are.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    load = checked_wrench("wrench", wrench)
    scale = hands.length if torque_length is None else checks.positive("torque_length", torque_length, unit="m")
    wanted = checks.positive("gap", gap, high=1.0)
    seconds = checks.positive("time_limit", time_limit, unit="s")
    began = time.perf_counter()
    inner = _Search(hands.sided("inner"), load, scale)
    inner.run(wanted, began + (0.5 if hands.has_bounds else 1.0) * seconds)
    outer = inner
    if hands.has_bounds:
        outer = _Search(hands.sided("outer"), load, scale)
        outer.run(wanted, began + seconds)
    status = Status.UNDECIDED
    if outer.held is False:
        status = Status.DOES_NOT_HOLD
    elif inner.held and (inner.lower == np.inf or outer.upper - inner.lower <= wanted * outer.upper < np.inf):
        status = Status.OPTIMAL
    return BallMargin(
        status,
        hands,
        load,
        scale,
        inner.lower if inner.held else -np.inf,
        outer.upper if outer.held is not False else -np.inf,
        np.array(inner.wrenches).reshape(-1, len(hands), 6),
        tuple(inner.weights),
        outer.certificate(),
        inner.rounds + (outer.rounds if outer is not inner else 0),
        time.perf_counter() - began,
    )


def _hull(points: Array, *, incremental: bool = False) -> ConvexHull:
    """The hull of points in R^6 that `_joggled` has moved apart."""
    from scipy.spatial import ConvexHull

    return ConvexHull(points, incremental=incremental)


def _joggled(points: Array, seed: int) -> Array:
    """The points, each moved by less than `_joggle`: sums of polytopes have many in one plane, which hulls dislike."""
    return points + _joggle(points) / np.sqrt(6.0) * np.random.default_rng(seed).uniform(-1.0, 1.0, size=points.shape)


def _joggle(points: Array) -> float:
    """How far points are moved [N]: a ball in the hull of what they became is, less this, in that of what they were."""
    return JOGGLE * float(np.abs(points).max())


def _gives_everything(hands: Hands, unit: Array) -> bool:
    """Whether directions without limit of the hands (one side each) add up to every axis of R^6, either way.

    Then they add up to every direction, and all wrenches are in the sum. One linear program an axis, over the rays of
    hands with vertices and the cones normals @ r <= 0 of hands with half-spaces; other hands are taken to have none.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array

    columns, limits, free = [], [], []
    for grip, transport in zip(hands.grips, hands.maps, strict=True):
        if isinstance(grip, Grip):
            rays = grip.rays / np.linalg.norm(grip.rays / grip.unit, axis=1, keepdims=True)
            columns.append(transport @ rays.T)
            limits.append(np.zeros((0, len(rays))))
            free.extend([False] * len(rays))
        elif isinstance(grip, OuterGrip):
            columns.append(transport * grip.unit)
            limits.append(grip.unit_planes[0])
            free.extend([True] * 6)
    if not free:
        return False
    balance = np.concatenate(columns, axis=1) / unit[:, None]
    rows = csr_array(block_diag(limits))
    ends = [(None if loose else 0.0, None) for loose in free]
    return all(
        linprog(np.zeros(len(free)), rows, np.zeros(sum(map(len, limits))), balance, way, ends, method="highs").status
        == 0
        for way in np.concatenate([np.eye(6), -np.eye(6)])
    )


class _Search:
    """Known wrenches of the sum, the facets of their hull, and the nearest half-space, for hands with one side."""

    def __init__(self, hands: Hands, wrench: Array, length: float) -> None:
        self.hands, self.wrench = hands, wrench
        self.unit = np.repeat([1.0, length], 3)
        self.solver: SliceSolver = solver_of(hands)
        self.bounded = all(isinstance(grip, Grip) and not len(grip.rays) for grip in hands.grips)
        at_load = self.solver.maximise(-wrench)
        self.held = {SumStatus.OPTIMAL: True, SumStatus.EMPTY: False}.get(at_load.status)
        self.lower, self.upper, self.rounds = 0.0, np.inf, 0
        self.normal: Array | None = None
        self.wrenches: list[Array] = []
        self.weights: list[tuple[HandWeights | None, ...]] = []
        self.points: list[Array] = []  # scaled, about the wanted wrench
        self.size = float(np.abs(wrench / self.unit).max())  # of the load and of wrenches at a limit [N]

    def run(self, gap: float, until: float) -> None:
        """Narrow the bounds until they are within `gap` or the time is over."""
        if not self.held:
            return
        axes = np.concatenate([np.eye(6), -np.eye(6)])
        some = np.random.default_rng(SEED).normal(size=(FIRST, 6))
        if self.ask(axes) == len(axes):  # without limit along every axis, so along all that these add up to
            self.lower = np.inf
            return
        self.ask(some / np.linalg.norm(some, axis=1, keepdims=True))
        if self.upper <= 0.0:
            return
        points = np.array(self.points)
        singular, turns = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[1:]
        if singular[-1] <= tolerances.FLAT * singular[0]:
            self.flat(turns[-1])
            return
        from scipy.spatial import QhullError

        try:
            self.refine(points, gap, until)
        except QhullError:  # too thin a hull for rounding: what is known stands
            return

    def refine(self, points: Array, gap: float, until: float) -> None:
        """Ask where the hull of the known points is nearest to the load, again and again."""
        slack = _joggle(points)
        hull = _hull(_joggled(points, SEED), incremental=True)
        while True:
            self.rounds += 1
            distances = -hull.equations[:, -1]
            self.lower = max(self.lower, float(distances.min()) - slack)
            if self.upper - self.lower <= gap * self.upper or time.perf_counter() > until:
                break
            near = np.argpartition(distances, min(4 * FACETS, len(distances) - 1))[: 4 * FACETS]
            near = near[np.argsort(distances[near], kind="stable")]
            normals = np.unique(hull.equations[near, :6].round(9), axis=0, return_index=True)[1]
            before = len(self.points)
            self.ask(hull.equations[near[np.sort(normals)[:FACETS]], :6])
            new = np.array(self.points[before:]).reshape(-1, 6)
            further = new[(new @ hull.equations[:, :6].T + hull.equations[:, -1] > 4.0 * slack).any(axis=1)]
            if not len(further):
                break
            slack = max(slack, _joggle(further))
            hull.add_points(_joggled(further, SEED + self.rounds))
        hull.close()

    def flat(self, normal: Array) -> None:
        """Bounds of a sum without extent along a normal: no ball at all."""
        self.lower = 0.0
        self.ask(np.array([normal, -normal]))

    def certificate(self) -> SumBound | None:
        """The nearest half-space that was found."""
        if self.normal is None:
            return None
        planes = plane_weights(self.hands, self.normal)
        return SumBound(self.hands, self.normal, total_support(self.hands, self.normal, planes), planes)

    def ask(self, ways: Array) -> int:
        """Wrenches of the sum far along each of the ways (n, 6), scaled and of length 1, and half-spaces there.

        Returns along how many there is no limit. These come last: how far out is far, the others tell.
        """
        if self.bounded:
            self._supports(ways / self.unit)
            return 0
        endless: list[tuple[float, Array]] = []
        for step in ways * self.unit:
            found = self.solver.maximise(-self.wrench, step[None], np.ones(1))
            if found.status is SumStatus.UNBOUNDED:
                endless.append((found.value, step))
                continue
            if found.status is SumStatus.OPTIMAL:
                y = found.multipliers
                self._consider(y, total_support(self.hands, y, plane_weights(self.hands, y)))
            if self._take(found):
                self.size = max(self.size, float(np.abs(self.points[-1]).max()))
        size = self.size or 1.0
        far = FAR * (self.upper if tolerances.FLAT * size < self.upper < np.inf else size)
        for begin, step in endless:  # a wrench so far out that it is in nobody's way
            self._take(self.solver.maximise(-self.wrench + max(far, begin) * step))
        return len(endless)

    def _take(self, found: SumOptimum) -> bool:
        """Keep the wrench that was found, if one was."""
        if found.found:
            pairs = zip(found.weights, self.hands.grips, strict=True)
            self._keep(found.wrenches, tuple(w if isinstance(g, Grip) else None for w, g in pairs))
        return found.found

    def _supports(self, normals: Array) -> None:
        """The sums of vertices furthest along world normals (n, 6)."""
        best: list[Array] = []
        for grip, transport in zip(self.hands.grips, self.hands.maps, strict=True):
            assert isinstance(grip, Grip)
            best.append((normals @ transport @ grip.vertices.T).argmax(axis=1))
        nothing, one = np.zeros(0, dtype=np.int64), np.ones(1)
        for row, y in enumerate(normals):
            chosen = [int(index[row]) for index in best]
            vertices = [g.vertices[i] for g, i in zip(self.hands.grips, chosen, strict=True) if isinstance(g, Grip)]
            self._keep(np.array(vertices), tuple(HandWeights(np.array([i]), one, nothing, np.zeros(0)) for i in chosen))
            self._consider(y, float(y @ (self.points[-1] * self.unit - self.wrench)))

    def _keep(self, wrenches: Array, weights: tuple[HandWeights | None, ...]) -> None:
        self.wrenches.append(wrenches)
        self.weights.append(weights)
        total = np.einsum("kij,kj->i", self.hands.maps, wrenches)
        self.points.append((total + self.wrench) / self.unit)

    def _consider(self, y: Array, support: float) -> None:
        """A half-space y . b <= support: how far it is from the wanted wrench."""
        size = float(np.linalg.norm(y * self.unit))
        distance = (support + float(y @ self.wrench)) / size if size > 0.0 else np.inf
        if distance < self.upper:
            self.upper, self.normal = max(distance, 0.0), y / size
