"""Margins of a posture: the load that may be added along a ray, along any axis, and in any direction."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..grips import Grip, OuterGrip
from ..linear_programs import minimise
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import Status
from ..solvers.minkowski import HandWeights, SumOptimum, SumStatus
from .equilibrium import RayEnd, decide, ray_end, separating
from .generation import SliceSolver, plane_weights, solver_of
from .hands import GripsLike, Hands, PosesLike, checked_hands, checked_wrench
from .proofs import (
    ROUNDING_SHARE,
    Confirmation,
    SeparatingWrench,
    SumBound,
    balance,
    confirmed_share,
    lie_in_grips,
    needs_confirming,
    total_support,
)

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull


#: The directions of a cross-polytope, in order.
DIRECTIONS = ("fx", "fy", "fz", "tx", "ty", "tz", "-fx", "-fy", "-fz", "-tx", "-ty", "-tz")


@dataclass(frozen=True, eq=False)
class PostureMargin(Result):
    """The largest s for which w + s d is held, with the hands' wrenches there and the proof that no more is held.

    Attributes:
        hands: grips and poses.
        wrench, direction: (6,) w and d, external wrenches on the body.
        inner: the end of the ray by the inner side of the grips; the only side for exact grips.
        outer: the end by the outer side; the same as `inner` for exact grips.
    """

    hands: Hands
    wrench: Array
    direction: Array
    inner: RayEnd
    outer: RayEnd

    def __repr__(self) -> str:
        return f"PostureMargin({self.status.value}, {self.value:.6g})"

    @cached_property
    def confirmation(self) -> Confirmation | None:
        """How far the pieces of lazy hands were shown to apply what their hulls do; None if this is not needed.

        Computed by the exact solver, hand by hand, when first used.
        """
        sided, far = self.hands.sided("inner"), self.inner.wrenches
        if not needs_confirming(sided) or self.inner.status is not Status.OPTIMAL or far is None:
            return None
        near = np.zeros_like(far) if not self.wrench.any() else decide(sided, self.wrench).wrenches
        return Confirmation(-np.inf, far, ()) if near is None else confirmed_share(sided, near, far)

    @property
    def status(self) -> Status:
        """Optimal, unbounded, does not hold (no s is held), or undecided: `value` and `upper_bound` differ."""
        if self.outer.status is Status.DOES_NOT_HOLD:
            return Status.DOES_NOT_HOLD
        if self.inner.status is Status.UNBOUNDED and not needs_confirming(self.hands.sided("inner")):
            return Status.UNBOUNDED
        closed = self.inner.status is self.outer.status is Status.OPTIMAL and self.gap <= tolerances.GAP
        return Status.OPTIMAL if closed else Status.UNDECIDED

    @property
    def value(self) -> float:
        """The largest s shown to be held (inner); inf without a limit, -inf if none was."""
        if self.confirmation is not None:
            return self.confirmation.share * self.inner.value if self.confirmation.answers else -np.inf
        if needs_confirming(self.hands.sided("inner")):
            return -np.inf
        return self.inner.value

    @property
    def upper_bound(self) -> float:
        """No larger s is held (outer); the same as `value`, up to rounding, for exact grips."""
        return self.outer.upper_bound

    @property
    def gap(self) -> float:
        """(upper_bound - value) relative to the larger of the two; 0 if they are equal, inf if one is infinite."""
        if self.value == self.upper_bound:
            return 0.0
        size = max(abs(self.value), abs(self.upper_bound))
        if not np.isfinite(size):
            return np.inf
        tiny = ROUNDING_SHARE * self.hands.size
        least = max(self.hands.wrench_size(self.wrench), tiny) / self.hands.wrench_size(self.direction)
        return (self.upper_bound - self.value) / max(size, least)

    def to_dict(self) -> dict[str, Any]:
        """Status, value, bound and proof as plain data."""
        return {
            "status": self.status.value,
            "value": self.value,
            "upper_bound": self.upper_bound,
            "wrenches": None if self.wrenches is None else self.wrenches.tolist(),
            "proof_verified": self.verify(),
        }

    @property
    def wrenches(self) -> Array | None:
        """(k, 6) wrench of each hand at `value`, palm frames; None if nothing is held."""
        if self.confirmation is not None:
            return self.confirmation.wrenches if self.confirmation.answers else None
        return None if needs_confirming(self.hands.sided("inner")) else self.inner.wrenches

    @property
    def certificate(self) -> SumBound | None:
        """The half-space that limits the ray: y with y . d = -1; None without a limit."""
        return self.outer.bound

    @proof
    def verify(self) -> bool:
        """Check value and bound without the solver; False if undecided without a result."""
        for end, side in ((self.inner, self.hands.sided("inner")), (self.outer, self.hands.sided("outer"))):
            if not end.is_about(side, self.wrench, self.direction):
                return False
        if self.status is Status.DOES_NOT_HOLD or not needs_confirming(self.hands.sided("inner")):
            return self.inner.verify() and (self.outer is self.inner or self.outer.verify())
        wrenches, confirmation = self.wrenches, self.confirmation
        if wrenches is None or confirmation is None or not np.isfinite(self.value):
            return False
        load = self.wrench + self.value * self.direction
        sided = self.hands.sided("inner")
        held = balance(sided, wrenches, load, self.wrench) <= 10 * tolerances.FEASIBILITY
        return held and lie_in_grips(sided, wrenches, (), confirmation.answers) and self.outer.verify()


@with_advice()
def posture_margin(
    grips: GripsLike,
    poses: PosesLike,
    wrench: ArrayLike,
    direction: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> PostureMargin:
    """The largest s for which the hands hold the external wrench w + s d; exact.

    Args:
        grips, poses, gravity, length: as in `posture_equilibrium`.
        wrench: (6,) w, the present load; zero for the limit of d alone.
        direction: (6,) d, the added load; the value is a multiple of it.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    load, way = checked_wrench("wrench", wrench), checked_direction(direction)
    return margin_of(hands, load, way)


def checked_direction(direction: ArrayLike) -> Array:
    """A direction (6,), which must not be zero."""
    way = checked_wrench("direction", direction)
    if not way.any():
        raise InputError("is the zero wrench", where="direction", fix="give a wrench to add multiples of")
    return way


def margin_of(
    hands: Hands,
    wrench: Array,
    direction: Array,
    inner_solver: SliceSolver | None = None,
    outer_solver: SliceSolver | None = None,
) -> PostureMargin:
    """`posture_margin` of checked hands, with solvers that are already at their poses."""
    sided = hands.sided("inner") if hands.has_bounds else hands
    inner = ray_end(sided, wrench, direction, inner_solver)
    outer = ray_end(hands.sided("outer"), wrench, direction, outer_solver) if hands.has_bounds else inner
    return PostureMargin(hands, wrench, direction, inner, outer)


@dataclass(frozen=True, eq=False)
class CrossPolytopeMargin(Result):
    """The largest r for which the load stays held when any wrench of sum |f_i| + sum |t_i| / length <= r is added.

    Held sets are convex, so that the twelve corners decide: r is the smallest of twelve margins. Exact.

    Attributes:
        margins: along +fx, ..., +tz, -fx, ..., -tz; a torque direction has the length of `length` N m for each N.
        length: [m] by which torques are divided.
    """

    margins: tuple[PostureMargin, ...]
    length: float

    def __repr__(self) -> str:
        return f"CrossPolytopeMargin({self.value:.6g} N, weakest {self.weakest}, {self.length:g} m)"

    @cached_property
    def value(self) -> float:
        """r [N] that is guaranteed to be held (inner); -inf when the load itself is not."""
        return min(-np.inf if margin.value < 0.0 else margin.value for margin in self.margins)

    @cached_property
    def upper_bound(self) -> float:
        """No larger r is held (outer)."""
        return min(margin.upper_bound for margin in self.margins)

    def to_dict(self) -> dict[str, Any]:
        """Radius, bound, length and weakest direction as plain data."""
        return {
            "newtons": self.value,
            "upper_bound": self.upper_bound,
            "torque_length": self.length,
            "weakest": self.weakest,
        }

    @property
    def weakest(self) -> str:
        """The weakest direction: "fx", "-tz", ..."""
        return DIRECTIONS[int(np.argmin([margin.value for margin in self.margins]))]

    @proof
    def verify(self) -> bool:
        """Check all twelve margins, and that their directions are those of this length."""
        first, corners = self.margins[0], _corners(self.length)
        for margin, corner in zip(self.margins, corners, strict=True):
            if not (margin.hands.is_same(first.hands) and same(margin.wrench, first.wrench)):
                return False
            if not (same(margin.direction, corner) and margin.verify()):
                return False
        return self.length > 0.0


@with_advice()
def cross_polytope_margin(
    grips: GripsLike,
    poses: PosesLike,
    wrench: ArrayLike,
    *,
    torque_length: float | None = None,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> CrossPolytopeMargin:
    """The largest additional load in all directions: twelve exact margins.

    Args:
        grips, poses, wrench, gravity, length: as in `posture_equilibrium`.
        torque_length: [m] by which torques are divided; by default the characteristic length of the
            hands (the palms' root mean square distance from their centre). Torques are about the world origin.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    scale = hands.length if torque_length is None else checks.length("torque_length", torque_length)
    return cross_polytope_of(hands, checked_wrench("wrench", wrench), scale)


def cross_polytope_of(
    hands: Hands,
    wrench: Array,
    torque_length: float,
    inner_solver: SliceSolver | None = None,
    outer_solver: SliceSolver | None = None,
) -> CrossPolytopeMargin:
    """`cross_polytope_margin` of checked hands."""
    inner = inner_solver or solver_of(hands.sided("inner"))
    outer = outer_solver or (solver_of(hands.sided("outer")) if hands.has_bounds else None)
    margins = tuple(margin_of(hands, wrench, corner, inner, outer) for corner in _corners(torque_length))
    return CrossPolytopeMargin(margins, torque_length)


def _corners(torque_length: float) -> Array:
    """(12, 6) the corners of a cross-polytope with torques of `torque_length` N m for each newton."""
    return np.concatenate([np.eye(6), -np.eye(6)]) * np.repeat([1.0, torque_length], 3)


# Ball margin: the largest ball of held wrenches around the load, between two proven bounds.
#
# With torques divided by a length, the distance from the wanted wrench b to the border of the sum is the minimum of
# h(y) - y . b over all y of length 1. Known wrenches of the sum span a polytope inside it: the distance to its nearest
# facet is a lower bound, and that facet's normal y gives an upper one. Where the two differ, the sum reaches further
# there and gives a new wrench.

#: Number of facets that are searched for new wrenches in one round, and of directions of the first round.
FACETS, FIRST = 24, 96

#: Distance of wrenches in unbounded directions, in multiples of the known bound.
FAR = 20.0

#: Seed of the first round's directions, and of small perturbations.
SEED = 6

#: Known wrenches are perturbed by this fraction of the largest before their hull is computed; bounds include it.
JOGGLE = 1e-9


@dataclass(frozen=True, eq=False)
class BallMargin(Result):
    """The largest r for which the load is held with any additional wrench |(f, t / length)| <= r.

    For lazy grips, the balls of their hulls. For grips with bounds, `value` is that of the inner side and `upper_bound`
    that of the outer.

    Attributes:
        status: optimal when the bounds are within the requested gap; undecided when a limit was reached; does not
            hold when the load itself is not held.
        hands: grips and poses.
        wrench: (6,) the external wrench on the body in the middle of the ball.
        length: [m] by which torques are divided.
        value: [N] a ball of this radius is held (inner), as the hull of `wrenches` proves; -inf when the load is not,
            inf when the hands can apply every wrench.
        upper_bound: [N] no larger ball is (outer), as `certificate` proves; inf when no half-space was found.
        wrenches: (n, k, 6) wrenches of the hands, palm frames, in n cases whose sums span the inner polytope.
        weights: their combinations of vertices; None for other hands.
        certificate: the half-space nearest to the load that contains all sums, or None when `upper_bound` is inf; the
            separating wrench when the load is not held.
        rounds: rounds of facets.
        seconds: wall-clock time.
        wanted: the requested gap.
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
    wanted: float

    def __repr__(self) -> str:
        return f"BallMargin({self.status.value}, {self.value:.6g} to {self.upper_bound:.6g} N, {self.length:g} m)"

    def to_dict(self) -> dict[str, Any]:
        """Status, radius, bound and length as plain data."""
        data = {"newtons": self.value, "upper_bound": self.upper_bound, "torque_length": self.length}
        return {"status": self.status.value} | data

    @property
    def gap(self) -> float:
        """(upper_bound - value) / upper_bound; 0 when the bounds meet."""
        if self.upper_bound == self.value:
            return 0.0
        known = self.value > -np.inf and self.upper_bound < np.inf
        return (self.upper_bound - self.value) / self.upper_bound if known else np.inf

    @proof
    def verify(self) -> bool:
        """Check both bounds without the solver: every wrench by its hand, their hull again, and the half-space.

        A load that is not held is proven by its separating wrench, an unbounded ball by the hands' rays.
        """
        if not (0.0 < self.length < np.inf and self.wanted > 0.0):
            return False
        if self.status is Status.DOES_NOT_HOLD:
            return self.value == self.upper_bound == -np.inf and self._is_separated()
        known = self.value == np.inf or self.upper_bound - self.value <= self.wanted * self.upper_bound < np.inf
        if self.status is not (Status.OPTIMAL if known else Status.UNDECIDED) or not self._is_outer():
            return False
        inner, unit = self.hands.sided("inner"), np.repeat([1.0, self.length], 3)
        if self.value == np.inf:
            return _gives_everything(inner, unit)
        if not all(lie_in_grips(inner, w, by, None) for w, by in zip(self.wrenches, self.weights, strict=True)):
            return False
        if self.value <= 0.0:
            return self.value == 0.0 and len(self.wrenches) > 0
        sums = np.einsum("kij,nkj->ni", inner.maps, self.wrenches)
        points = (sums + self.wrench) / unit
        nearest = float((-_hull(_joggled(points, SEED + 1)).equations[:, -1]).min())
        return abs(nearest - self.value) <= 10 * tolerances.FEASIBILITY * self.value + 4.0 * _joggle(points)

    def _is_separated(self) -> bool:
        """Whether the certificate is a separating wrench of this load, without any wrenches that hold it."""
        proven = self.certificate
        if not isinstance(proven, SeparatingWrench) or len(self.wrenches) or self.weights:
            return False
        about = proven.hands.is_same(self.hands.sided("outer")) and same(proven.wrench, self.wrench)
        return about and proven.verify()

    def _is_outer(self) -> bool:
        """Whether the half-space contains the sum, and is as far from the load as `upper_bound`."""
        if self.certificate is None:
            return self.upper_bound == np.inf
        if not self.certificate.hands.is_same(self.hands.sided("outer")):
            return False
        y, unit = self.certificate.multipliers, np.repeat([1.0, self.length], 3)
        off = self.certificate.support + float(y @ self.wrench)
        distance = off / float(np.linalg.norm(y * unit))
        terms = abs(self.certificate.support) + float(np.abs(y) @ np.abs(self.wrench))
        near = 10 * tolerances.FEASIBILITY * max(self.upper_bound, terms / float(np.linalg.norm(y * unit)))
        return self.certificate.verify() and abs(max(distance, 0.0) - self.upper_bound) <= near


@with_advice()
def ball_margin(
    grips: GripsLike,
    poses: PosesLike,
    wrench: ArrayLike,
    *,
    torque_length: float | None = None,
    gap: float = 1e-2,
    time_limit: float = 10.0,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> BallMargin:
    """The largest ball of held wrenches around a load, with certified lower and upper bounds.

    Args:
        grips, poses, wrench, gravity, length: as in `posture_equilibrium`.
        torque_length: [m] by which torques are divided; by default the hands' characteristic length.
            Torques are about the world origin.
        gap: relative difference of the two bounds at which the search stops; smaller values take much longer.
        time_limit: [s] after which the present bounds are returned.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    load = checked_wrench("wrench", wrench)
    scale = hands.length if torque_length is None else checks.length("torque_length", torque_length)
    wanted = checks.positive("gap", gap, high=1.0)
    seconds = checks.positive("time_limit", time_limit, unit="s")
    began = time.perf_counter()
    inner = _BallSearch(hands.sided("inner"), load, scale)
    inner.run(wanted, began + (0.5 if hands.has_bounds else 1.0) * seconds)
    outer = inner
    if hands.has_bounds:
        outer = _BallSearch(hands.sided("outer"), load, scale)
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
        np.array(inner.wrenches if outer.held is not False else []).reshape(-1, len(hands), 6),
        tuple(inner.weights) if outer.held is not False else (),
        outer.certificate(),
        inner.rounds + (outer.rounds if outer is not inner else 0),
        time.perf_counter() - began,
        wanted,
    )


def _hull(points: Array, *, incremental: bool = False) -> ConvexHull:
    """The hull of points in R^6 that `_joggled` has perturbed."""
    from scipy.spatial import ConvexHull

    return ConvexHull(points, incremental=incremental)


def _joggled(points: Array, seed: int) -> Array:
    """The points, each perturbed by less than `_joggle`: many are coplanar, a problem for hulls."""
    return points + _joggle(points) / np.sqrt(6.0) * np.random.default_rng(seed).uniform(-1.0, 1.0, size=points.shape)


def _joggle(points: Array) -> float:
    """Largest perturbation of points [N]: a ball in the perturbed hull, reduced by this, is in the original one."""
    return JOGGLE * float(np.abs(points).max())


def _gives_everything(hands: Hands, unit: Array) -> bool:
    """Whether unlimited directions of the hands (one side each) add up to both directions of every axis of R^6.

    Then they add up to every direction, and all wrenches are in the sum. One linear program per axis, over the rays of
    hands with vertices and the cones normals @ r <= 0 of hands with half-spaces; other hands count as without unlimited
    directions.
    """
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
    limit = np.zeros(sum(map(len, limits)))
    ways = np.concatenate([np.eye(6), -np.eye(6)])
    return all(minimise(np.zeros(len(free)), rows, limit, balance, way, bounds=ends).optimal for way in ways)


class _BallSearch:
    """Known wrenches of the sum, the facets of their hull, and the nearest half-space, for hands with one side."""

    def __init__(self, hands: Hands, wrench: Array, length: float) -> None:
        self.hands, self.wrench = hands, wrench
        self.unit = np.repeat([1.0, length], 3)
        self.solver: SliceSolver = solver_of(hands)
        self.bounded = all(isinstance(grip, Grip) and not len(grip.rays) for grip in hands.grips)
        self.at_load = self.solver.maximise(-wrench)
        self.held = {SumStatus.OPTIMAL: True, SumStatus.EMPTY: False}.get(self.at_load.status)
        self.lower, self.upper, self.rounds = 0.0, np.inf, 0
        self.normal: Array | None = None
        self.wrenches: list[Array] = []
        self.weights: list[tuple[HandWeights | None, ...]] = []
        self.points: list[Array] = []  # scaled, about the wanted wrench
        self.size = float(np.abs(wrench / self.unit).max())  # of the load and of wrenches at a limit [N]

    def run(self, gap: float, until: float) -> None:
        """Narrow the bounds until they are within `gap` or the time limit is reached."""
        if not self.held:
            return
        axes = np.concatenate([np.eye(6), -np.eye(6)])
        some = np.random.default_rng(SEED).normal(size=(FIRST, 6))
        if self.ask(axes) == len(axes):  # unbounded along every axis, so in all directions
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
        except QhullError:  # the hull is too thin: the present bounds remain
            return

    def refine(self, points: Array, gap: float, until: float) -> None:
        """Search repeatedly where the hull of the known points is nearest to the load."""
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
        """Bounds of a sum without extent along a normal: no ball."""
        self.lower = 0.0
        self.ask(np.array([normal, -normal]))

    def certificate(self) -> SumBound | None:
        """The nearest half-space that was found; a separating wrench if the load is not held."""
        if self.held is False:
            return separating(self.hands, self.wrench, self.at_load)
        if self.normal is None:
            return None
        planes = plane_weights(self.hands, self.normal)
        return SumBound(self.hands, self.normal, total_support(self.hands, self.normal, planes), planes)

    def ask(self, ways: Array) -> int:
        """Wrenches of the sum far along each of the scaled unit directions `ways` (n, 6), and half-spaces there.

        Returns the number of unbounded directions. These come last: the others determine their distance.
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
        for begin, step in endless:  # a wrench so far away that it does not matter
            self._take(self.solver.maximise(-self.wrench + max(far, begin) * step))
        return len(endless)

    def _take(self, found: SumOptimum) -> bool:
        """Store the found wrench, if any."""
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
        """A half-space y . b <= support: its distance from the wanted wrench."""
        size = float(np.linalg.norm(y * self.unit))
        distance = (support + float(y @ self.wrench)) / size if size > 0.0 else np.inf
        if distance < self.upper:
            self.upper, self.normal = max(distance, 0.0), y / size
