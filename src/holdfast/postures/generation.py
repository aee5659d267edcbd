"""Linear programs over the sum of hands of any kind, by column generation.

A hand gives vertices: all known, found by walking along half-spaces, or from the program of its contacts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from ..grips import Grip, OuterGrip
from ..public_names import with_advice
from ..solvers.minkowski import SumOptimum, SumStats, SumStatus
from .hands import AnyGrip, GripsLike, Hands, LazyGrip, PosesLike, Side, checked_hands
from .proofs import PlaneWeights, vertex_supports

if TYPE_CHECKING:
    from ..solvers.minkowski.halfspace_sets import HalfspaceHand


#: A vertex is new if the hand reaches further by more than this fraction of the sum's size.
NEW_VERTEX = 1e-11


class HandSource(ABC):
    """The known vertices and rays of one grip, and how to find more."""

    empty = False

    def __init__(self, grip: AnyGrip) -> None:
        self.unit = np.repeat([1.0, grip.length], 3)
        self._points = np.zeros((0, 6))
        self._rays = np.zeros((0, 6))

    @property
    def size(self) -> float:
        """Size of the known vertices [N]."""
        return float(np.abs(self._points / self.unit).max(initial=0.0)) or 1.0

    def known(self) -> Any:
        """Vertices and rays known so far, as a shape for `SumSolver`."""
        return self._points, self._rays

    @abstractmethod
    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """(support, whether something new was learned) along each of the directions (n, 6) of the palm frame."""

    def _begin(self) -> None:
        """Start with the furthest points in both directions of the axes."""
        ways = np.concatenate([np.eye(6), -np.eye(6)]) / self.unit
        self.reach(ways, learn=True)

    def _learn(self, value: float, direction: Array, point: Array, ray: Array | None) -> bool:
        """Store a point or a ray that is further along `direction` than the known ones; returns whether it is."""
        scaled = direction * self.unit
        size = float(np.abs(scaled).max())
        if ray is not None:
            new = ray / np.abs(ray / self.unit).max()
            if len(self._rays) and np.abs((self._rays - new) / self.unit).max(axis=1).min() <= tolerances.MERGE:
                return False
            self._rays = np.concatenate([self._rays, new[None]])
            if not len(self._points):
                self._points = point[None]
            return True
        if len(self._points) and value - (self._points @ direction).max() <= NEW_VERTEX * self.size * size:
            return False
        self._points = np.concatenate([self._points, point[None]])
        return True


class VertexSource(HandSource):
    """A grip whose vertices are all known."""

    def __init__(self, grip: Grip) -> None:
        super().__init__(grip)
        self._points, self._rays, self._grip = grip.vertices, grip.rays, grip

    def known(self) -> Any:
        """All vertices, with the grip's own tables."""
        return self._grip.prepared

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By its vertices; nothing is ever new."""
        del learn
        return [(value, False) for value in vertex_supports(self._grip, directions, np.abs(directions))[0].tolist()]


class HalfspaceSource(HandSource):
    """A grip of half-spaces, one walker for each hand that has it."""

    def __init__(self, grip: OuterGrip, hands: int) -> None:
        super().__init__(grip)
        walker = grip.prepared
        self.empty = walker.empty
        self._walkers = [walker.copy() for _ in range(hands)]
        self._rays = np.concatenate([walker.lines, -walker.lines])
        if not self.empty:
            ways = np.concatenate([np.eye(6), -np.eye(6)]) / self.unit
            for way, found in zip(ways, walker.axis_supports, strict=True):
                self._learn(found.value, off_lines(walker, way, self.unit), found.point, found.ray)

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By walking along edges from the end of the last call."""
        result = []
        for index, direction in enumerate(directions):
            walker = self._walkers[index % len(self._walkers)]
            if climbs_lines(walker, direction, self.unit):  # these are known from the start
                result.append((np.inf, False))
                continue
            found = walker.support(off_lines(walker, direction, self.unit))
            new = learn and self._learn(found.value, direction, found.point, found.ray)
            result.append((found.value, new))
        return result


def climbs_lines(walker: HalfspaceHand, direction: Array, unit: Array) -> bool:
    """Whether a direction increases along lines of the set by more than rounding, so that it has no limit."""
    scaled = direction * unit
    slopes = np.abs(walker.lines / unit @ scaled).max(initial=0.0)
    return bool(slopes > 10 * tolerances.RAY_SLOPE * np.linalg.norm(scaled))


def off_lines(walker: HalfspaceHand, direction: Array, unit: Array) -> Array:
    """The direction without its component along lines at rounding level, which a proof must not have."""
    if not len(walker.lines):
        return direction
    lines = walker.lines / unit
    scaled = direction * unit
    return (scaled - (scaled @ lines.T) @ lines) / unit


class LazySource(HandSource):
    """A hand whose own program gives the vertices."""

    def __init__(self, grip: LazyGrip) -> None:
        super().__init__(grip)
        self._grip = grip
        rays = grip.free_rays
        self._rays = rays / np.abs(rays / self.unit).max(axis=1, initial=0.0)[:, None]  # as those that are learned
        self._points = grip.supports(np.zeros((1, 6))).points
        self._begin()

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By the hand's program over its contacts."""
        found = self._grip.supports(directions)
        result = []
        for value, direction, point, ray in zip(found.values, directions, found.points, found.rays, strict=True):
            way = ray if ray.any() else None
            result.append((float(value), learn and self._learn(float(value), direction, point, way)))
        return result


def source_of(grip: AnyGrip, hands: int) -> HandSource:
    """The source of one grip that several hands share."""
    if isinstance(grip, Grip):
        return VertexSource(grip)
    if isinstance(grip, OuterGrip):
        return HalfspaceSource(grip, hands)
    if not isinstance(grip, LazyGrip):
        raise InputError("has two sides", where="grips", fix='choose one: side="inner" or side="outer"')
    return LazySource(grip)


# Sums of hands of any kind, by column generation: hands without known vertices compute them on request.
#
# The program over the sum is solved over the known vertices; its multipliers y give for each hand the support along
# T_j^T y. A hand that reaches further gives a new vertex (or ray), and the program is solved again. When none does, the
# solution over the known vertices is the solution over the whole sets, and y proves it.

#: Largest number of rounds of pricing.
MOST_ROUNDS = 2_000


class SliceSolver(Protocol):
    """Linear programs over slices of the sum of the hands' sets; `SumSolver` is one."""

    def place(self, maps: ArrayLike) -> None:
        """Move the hands: (k, 6, 6) maps (13)."""
        ...

    def maximise(
        self,
        base: ArrayLike,
        axes: ArrayLike | None = ...,
        objective: ArrayLike | None = ...,
        *,
        stop_above: float = ...,
        stop_below: float = ...,
    ) -> SumOptimum:
        """The largest objective . z with base + z @ axes in the sum; see `SumOptimum`."""
        ...

    def support(self, multipliers: ArrayLike) -> Array:
        """(n,) largest y . b over the sum for y (n, 6)."""
        ...


@with_advice()
def slice_solver(
    grips: GripsLike,
    poses: PosesLike,
    *,
    side: Side = "inner",
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> SliceSolver:
    """A solver of linear programs over sum_j T_j W_j for hands of any kind; for `GripBounds`, of one of the sides.

    Wrenches are those of the hands on the body, in the world and about the world origin: for an external wrench w use
    the base -w.
    """
    return solver_of(checked_hands(grips, poses, gravity=gravity, length=length).sided(side))


def solver_of(hands: Hands, maps: Array | None = None) -> SliceSolver:
    """`slice_solver` for hands that are checked, without `GripBounds`; `maps` (k, 6, 6) replace those of the hands."""
    from ..solvers.minkowski import SumSolver

    grips, shape_of = hands.distinct
    solver: SumSolver | GeneratedSum
    if all(isinstance(grip, Grip) for grip in grips):
        solver = SumSolver([g.prepared for g in grips if isinstance(g, Grip)], shape_of, length=hands.length)
    else:
        solver = GeneratedSum(hands)
    solver.place(hands.maps if maps is None else maps)
    return solver


class GeneratedSum:
    """Column generation over hands of any kind; known vertices are kept from one question and posture to the next.

    Not for several threads at once.
    """

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        grips, shape_of = hands.distinct
        self._shape_of = shape_of
        self._sources = [source_of(grip, int((shape_of == i).sum())) for i, grip in enumerate(grips)]
        self._size = max(source.size for source in self._sources)
        self._maps = hands.maps

    def place(self, maps: ArrayLike) -> None:
        """Move the hands; known vertices are kept."""
        self._maps = np.asarray(maps, dtype=np.float64).reshape(len(self._shape_of), 6, 6)

    def support(self, multipliers: ArrayLike) -> Array:
        """(n,) largest y . b over the sum for y (n, 6), by the hands' own programs; inf without a limit."""
        y = np.asarray(multipliers, dtype=np.float64).reshape(-1, 6)
        return self._reaches(y, learn=False)[0]

    def maximise(
        self,
        base: ArrayLike,
        axes: ArrayLike | None = None,
        objective: ArrayLike | None = None,
        *,
        stop_above: float = np.inf,
        stop_below: float = -np.inf,
    ) -> SumOptimum:
        """The largest objective . z with base + z @ axes in the sum; ignore the weights of hands without vertices."""
        wanted = np.asarray(base, dtype=np.float64)
        count = 0 if axes is None else len(np.reshape(axes, (-1, 6)))
        if any(source.empty for source in self._sources):
            return _nothing(SumStatus.EMPTY, count, len(self._hands))
        pivots = pricings = 0
        bound, best = np.inf, None  # the smallest bound, and its multipliers
        for _ in range(MOST_ROUNDS):
            answer = self._known().maximise(wanted, axes, objective, stop_above=stop_above)
            pivots, pricings = pivots + answer.effort.pivots, pricings + 1
            effort = SumStats(pivots, pricings)
            done = answer.status not in (SumStatus.OPTIMAL, SumStatus.EMPTY)
            if done or not answer.multipliers.any():
                return replace(answer, effort=effort)
            y = answer.multipliers
            ways = np.array([y] if best is None or answer.status is SumStatus.EMPTY else [y, 0.5 * (y + best)])
            supports, new = self._reaches(ways, learn=True)
            support, grew = float(supports[0]), bool(new[0])
            if answer.status is SumStatus.OPTIMAL:
                if not grew and support == np.inf:  # a slope of rounding along rays that are known
                    supports[0] = answer.upper_bound + y @ wanted
                owns = np.maximum(supports - ways @ wanted, answer.value)
                if owns.min() < bound:
                    bound, best = float(owns.min()), ways[int(owns.argmin())]
                if len(answer.z) == 0 or not grew:
                    return replace(answer, upper_bound=bound, effort=effort)
                if bound <= stop_below:
                    return replace(answer, status=SumStatus.STOPPED, upper_bound=bound, effort=effort)
            elif not grew or y @ wanted - support > NEW_VERTEX * self._y_size(y):
                return replace(answer, effort=effort)
        return _nothing(SumStatus.UNDECIDED, count, len(self._hands))

    def _known(self) -> SliceSolver:
        from ..solvers.minkowski import SumSolver

        shapes = [source.known() for source in self._sources]
        solver = SumSolver(shapes, self._shape_of, length=self._hands.length)
        solver.place(self._maps)
        return solver

    def _y_size(self, y: Array) -> float:
        """Size of y . b for wrenches as large as the hands' [N]."""
        return self._size * max(
            float(np.abs((m.T @ y) * s.unit).max()) for m, s in zip(self._maps, self._of_hands(), strict=True)
        )

    def _of_hands(self) -> list[HandSource]:
        return [self._sources[shape] for shape in self._shape_of]

    def _reaches(self, ways: Array, *, learn: bool) -> tuple[Array, Array]:
        """(n,) supports of the sum at multipliers (n, 6), and whether some hand had a new vertex or ray there."""
        supports, new = np.zeros(len(ways)), np.zeros(len(ways), dtype=np.bool_)
        for shape, source in enumerate(self._sources):
            maps = self._maps[self._shape_of == shape]
            directions = np.einsum("kij,ni->nkj", maps, ways).reshape(-1, 6)  # T_j^T y
            for index, (value, grew) in enumerate(source.reach(directions, learn=learn)):
                supports[index // len(maps)] += value
                new[index // len(maps)] |= grew
        return supports, new


def _nothing(status: SumStatus, p: int, k: int) -> SumOptimum:
    bound = -np.inf if status is SumStatus.EMPTY else np.inf
    none = np.full(p, np.nan)
    return SumOptimum(status, none, -np.inf, bound, (), np.full((k, 6), np.nan), np.zeros(6), np.zeros(p))


def plane_weights(hands: Hands, multipliers: Array) -> tuple[PlaneWeights | None, ...]:
    """New proofs of the supports at y of hands of half-spaces; None for the others.

    With y = 0, for a hand with an empty set: the weights of the contradicting half-spaces.
    """
    if not any(isinstance(grip, OuterGrip) for grip in hands.grips):
        return (None,) * len(hands)
    nothing = PlaneWeights(np.zeros(0, dtype=np.int64), np.zeros(0))
    result: list[PlaneWeights | None] = []
    for grip, transport in zip(hands.grips, hands.maps, strict=True):
        if not isinstance(grip, OuterGrip):
            result.append(None)
            continue
        walker = grip.prepared.copy()
        if not multipliers.any():
            result.append(PlaneWeights(*walker.contradiction()) if walker.empty else nothing)
        elif walker.empty:
            result.append(None)
        else:
            unit = np.repeat([1.0, grip.length], 3)
            found = walker.support(off_lines(walker, transport.T @ multipliers, unit))
            result.append(PlaneWeights(found.rows, found.multipliers) if found.ray is None else None)
    return tuple(result)
