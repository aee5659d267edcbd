"""Equilibrium of a body on its hands (15): verdict, held load scales, and the proof of each.

One wrench per hand proves that a load is held; a separating wrench proves that it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import skew
from ..grips import Grip, OuterGrip
from ..linear_programs import EvenShares, even_shares
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import Status
from ..solvers.minkowski import HandWeights, SumOptimum, SumStats, SumStatus
from ..statics.holding import Equilibrium
from .generation import SliceSolver, plane_weights, solver_of
from .hands import AnyGrip, GripsLike, Hands, LazyGrip, PosesLike, PostureScene, checked_hands, checked_wrench, size_of
from .proofs import (
    SeparatingWrench,
    SumBound,
    balance,
    balance_size,
    confirmations,
    confirmed_share,
    lie_in_grips,
    needs_confirming,
    total_support,
    unit_multipliers,
)

_STATUS = {
    SumStatus.OPTIMAL: Status.OPTIMAL,
    SumStatus.UNBOUNDED: Status.UNBOUNDED,
    SumStatus.EMPTY: Status.DOES_NOT_HOLD,
}


@dataclass(frozen=True, eq=False)
class RayEnd:
    """The largest s for which the wrench w + s d is held by grips with one side; for lazy hands, by their hulls.

    Attributes:
        hands: grips and poses.
        wrench, direction: (6,) w and d, external wrenches on the body.
        optimum: solution of the program; its z is s.
    """

    hands: Hands
    wrench: Array
    direction: Array
    optimum: SumOptimum

    @property
    def status(self) -> Status:
        """Optimal, unbounded, does not hold (no s at all), or undecided."""
        return _STATUS.get(self.optimum.status, Status.UNDECIDED)

    @property
    def value(self) -> float:
        """s; inf without a limit, -inf if no s is held or known."""
        return np.inf if self.status is Status.UNBOUNDED else self.optimum.value

    @property
    def wrenches(self) -> Array | None:
        """(k, 6) wrenches of the hands at s, palm frames; None if no s is held; for some s without a limit."""
        return self.optimum.wrenches if np.isfinite(self.optimum.wrenches).all() else None

    @property
    def weights(self) -> tuple[HandWeights | None, ...]:
        """The combination of vertices of each hand that has vertices; None for other hands."""
        pairs = zip(self.optimum.weights, self.hands.grips, strict=True)
        return tuple(w if isinstance(grip, Grip) else None for w, grip in pairs) if self.optimum.weights else ()

    @cached_property
    def bound(self) -> SumBound | None:
        """Proof that s is not larger: y with y . d = -1 and s <= support + y . w; None without a limit or a proof."""
        y = self.optimum.multipliers
        if self.status not in (Status.OPTIMAL, Status.DOES_NOT_HOLD):
            return None
        planes = plane_weights(self.hands, y)
        return SumBound(self.hands, y, total_support(self.hands, y, planes), planes)

    @cached_property
    def growth(self) -> RayEnd | None:
        """For a ray without limit: how the unlimited directions of the hands hold d; None for lazy hands."""
        if self.status is not Status.UNBOUNDED:
            return None
        grips: list[AnyGrip] = []
        for grip in self.hands.grips:
            if isinstance(grip, Grip):
                grips.append(Grip(np.zeros((1, 6)), grip.rays, length=grip.length))
            elif isinstance(grip, OuterGrip):
                grips.append(OuterGrip(grip.normals, np.zeros(len(grip.offsets)), length=grip.length))
            else:
                return None
        still = np.zeros(6)
        return RayEnd(
            (hands := self.hands.with_grips(grips)), self.direction, still, solver_of(hands).maximise(-self.direction)
        )

    @property
    def upper_bound(self) -> float:
        """No s above this is held, as `bound` proves; -inf if no s is held, inf without a proof."""
        if self.bound is None:
            return np.inf
        if self.status is Status.DOES_NOT_HOLD:
            return -np.inf if self.bound.support + self.bound.multipliers @ self.wrench < 0.0 else np.inf
        return max(self.value, self.bound.support + float(self.bound.multipliers @ self.wrench))

    def is_about(self, hands: Hands, wrench: Array, direction: Array) -> bool:
        """Whether it is the end for these hands along this ray."""
        return self.hands.is_same(hands) and same((self.wrench, self.direction), (wrench, direction))

    @proof
    def verify(self) -> bool:
        """Check s without the solver: wrenches in the grips balance w + s d, and y proves that no more is held.

        For lazy hands, the hulls are checked. Without a limit, `growth` is checked instead of y.
        """
        if self.status is Status.DOES_NOT_HOLD:
            return self._nothing_is_held()
        if self.status is Status.UNDECIDED or self.wrenches is None:
            return False
        load = self.wrench + (self.optimum.value * self.direction if self.direction.any() else 0.0)
        held = balance(self.hands, self.wrenches, load, self.wrench) <= 10 * tolerances.FEASIBILITY and lie_in_grips(
            self.hands, self.wrenches, self.weights, None
        )
        if held and self.status is Status.UNBOUNDED:
            return self.growth is not None and self.growth.status is Status.OPTIMAL and self.growth.verify()
        if not held or not self.direction.any():
            return held
        if self.bound is None:
            return False
        size = balance_size(self.hands, self.wrenches, load, self.wrench)
        excess = (self.upper_bound - self.value) * self.hands.wrench_size(self.direction)
        meant = abs(self.bound.multipliers @ self.direction + 1.0) <= tolerances.GAP
        return bool(meant and excess <= 1e3 * tolerances.FEASIBILITY * size and self.bound.verify())

    def _nothing_is_held(self) -> bool:
        """Whether y proves that no point of the line is in the sum."""
        if self.bound is None or self.optimum.value != -np.inf or self.wrenches is not None:
            return False
        along = abs(float(self.bound.multipliers @ self.direction))
        terms = float(np.abs(self.bound.multipliers) @ np.abs(self.direction))
        return self.upper_bound == -np.inf and along <= tolerances.SEPARATION * terms and self.bound.verify()


def ray_end(hands: Hands, wrench: Array, direction: Array, solver: SliceSolver | None = None) -> RayEnd:
    """The largest s for which w + s d is held; `solver` must be one of these hands at their poses."""
    solver = solver or solver_of(hands)
    optimum = solver.maximise(-wrench, -direction[None], np.ones(1))
    return RayEnd(hands, wrench, direction, optimum)


@dataclass(frozen=True, eq=False)
class ScaleInterval:
    """All load scales s for which s w is held.

    Attributes:
        hands: grips and poses, with one side.
        wrench: (6,) w.
        highest: the ray end along w; for w = 0 the point itself.
        lowest: the ray end along -w, whose value is -s_min.
    """

    hands: Hands
    wrench: Array
    highest: RayEnd
    lowest: RayEnd

    @property
    def ends(self) -> tuple[float, float]:
        """(s_min, s_max); (inf, -inf) if no scale is held, (nan, nan) if undecided."""
        if not self.wrench.any():
            held = self.highest.status is Status.OPTIMAL
            return (-np.inf, np.inf) if held else (np.inf, -np.inf)
        if Status.DOES_NOT_HOLD in (self.highest.status, self.lowest.status):
            return np.inf, -np.inf
        if Status.UNDECIDED in (self.highest.status, self.lowest.status):
            return np.nan, np.nan
        low, high = -self.lowest.value + 0.0, self.highest.value  # no -0.0
        if low > high:  # only one scale is held, and the two programs miss it by rounding
            low = high = 0.5 * (low + high)
        return low, high

    @cached_property
    def confirmed_end(self) -> float:
        """The largest scale that the pieces of lazy hands, not only their hulls, were shown to hold; else -inf."""
        if not needs_confirming(self.hands):
            return self.ends[1]
        far = self.highest.wrenches
        if far is None or not self.wrench.any() or self.highest.status is not Status.OPTIMAL:
            return -np.inf
        return confirmed_share(self.hands, np.zeros_like(far), far).share * self.highest.value

    @proof
    def verify(self) -> bool:
        """Check both ends."""
        still = np.zeros(6)
        for end, way in ((self.highest, self.wrench), (self.lowest, -self.wrench)):
            if not end.is_about(self.hands, still, way if self.wrench.any() else still) or not end.verify():
                return False
        return True


def scale_interval(hands: Hands, wrench: Array, solver: SliceSolver | None = None) -> ScaleInterval:
    """The interval of load scales along w (6,), by two programs (one for w = 0)."""
    solver = solver or solver_of(hands)
    if not wrench.any():
        at_rest = RayEnd(hands, wrench, wrench, solver.maximise(np.zeros(6)))
        return ScaleInterval(hands, wrench, at_rest, at_rest)
    zero = np.zeros(6)
    return ScaleInterval(hands, wrench, ray_end(hands, zero, wrench, solver), ray_end(hands, zero, -wrench, solver))


# Loads at the border of the held set, where a test within its tolerance leaves the verdict open.
#
# Then the largest and the smallest scale of the load decide, each with its own proof: the proof of an end that excludes
# the load, or the wrenches of an end that is the load up to rounding. Single questions and batches have the same rule:
# a verdict of the solver counts if it is beyond rounding (`SumOptimum.clear`), otherwise the ends are computed. Proofs
# are compared in fractions where rounding might matter, so that for hands with only vertices no load is called "holds"
# that lies beyond the proof of an end by more than `tolerances.UNIT_ROUNDING` of its own size.


class LoadLineEnds(NamedTuple):
    """The ends of the line through the load.

    Attributes:
        multipliers: y (6,) of the ends; one of them separates the load if it lies beyond.
        optimum: the end that is the load to `tolerances.FEASIBILITY` of the wrenches in its balance, or None.
    """

    multipliers: tuple[Array, ...]
    optimum: SumOptimum | None


def border_of(hands: Hands, wrench: Array, solver: SliceSolver) -> LoadLineEnds:
    """Both ends of the line s w for the load w (6,); `solver` is one of these hands at their poses."""
    if not wrench.any():
        return LoadLineEnds((), None)
    proofs: list[Array] = []
    best, least = None, tolerances.FEASIBILITY
    for sign in (1.0, -1.0):
        end = ray_end(hands, np.zeros(6), sign * wrench, solver)
        if end.status in (Status.OPTIMAL, Status.DOES_NOT_HOLD) and end.optimum.multipliers.any():
            proofs.append(end.optimum.multipliers)
        if end.status is Status.OPTIMAL and end.wrenches is not None:
            off = balance(hands, end.wrenches, wrench)
            if off <= least:
                best, least = end.optimum, off
    return LoadLineEnds(tuple(proofs), best)


# Equilibrium of a body on its hands (15), with one wrench per hand, or with a separating wrench.


class Certainty(StrEnum):
    """Verdict of inner and outer bounds of grips together (V.D)."""

    CERTAINLY = "certainly"
    CERTAINLY_NOT = "certainly not"
    UNCERTAIN = "uncertain"


def certainty_of(status: Status) -> Certainty:
    """The meaning of a verdict of inner and outer bounds together."""
    known = {Status.HOLDS: Certainty.CERTAINLY, Status.DOES_NOT_HOLD: Certainty.CERTAINLY_NOT}
    return known.get(status, Certainty.UNCERTAIN)


#: Weight of the squared contact forces of lazy hands beside the squared wrenches, in the most even wrenches.
FORCE_SHARE = 1e-9


class _EvenProgram:
    """Points of least squares: wrenches of the hands, then contact forces (3,) of lazy hands, padded to (6,)."""

    def __init__(self, maps: Array, lower: Array, upper: Array, sizes: Array, wrenches: Array) -> None:
        self._maps, self._lower, self._upper = list(maps), list(lower), list(upper)
        self._sizes, self._known = list(sizes), list(wrenches)
        self._vertices: list[Array] = []
        self._rays: list[Array] = []
        self._forces: list[tuple[Array, Array]] = []

    def add_hand(self, hand: int, grip: Grip | LazyGrip, answer: Equilibrium | None) -> None:
        """One hand; hands come in their order, lazy ones with their equilibrium."""
        if isinstance(grip, Grip) or answer is None or answer.local_forces is None or answer.pieces is None:
            assert isinstance(grip, Grip)
            self._vertices.append(grip.vertices)
            self._rays.append(grip.rays)
            return
        self._vertices.append(np.zeros((1, 6)))  # any wrench that its contacts give, by more rows
        self._rays.append(np.concatenate([np.eye(6), -np.eye(6)]))
        layout, first = grip.assembly.layout, len(self._lower)
        rows = len(layout.lower)
        own = np.zeros((len(self._maps), rows, 6))
        own[hand] = grip.assembly.loads(np.eye(6)).T @ grip.to_external
        self._maps = [np.concatenate([above, new]) for above, new in zip(self._maps, own, strict=True)]
        self._lower += list(layout.lower)
        self._upper += list(layout.upper)
        strength = float(np.max(self._sizes[hand])) / np.sqrt(FORCE_SHARE)
        for index, contact in enumerate(grip.assembly.contacts):
            piece = contact.volume.polytopes[answer.pieces[index]]
            blocks = np.zeros((first + rows, 6))
            blocks[first:, :3] = layout.maps[index]
            self._maps.append(blocks)
            self._forces.append((np.pad(piece.vertices, ((0, 0), (0, 3))), np.pad(piece.rays, ((0, 0), (0, 3)))))
            self._sizes.append(np.full(6, strength))
            self._known.append(np.pad(answer.local_forces[index], (0, 3)))

    def solve(self) -> EvenShares | None:
        """The most even points, None where rounding prevents a decision."""
        rows = len(self._lower)
        maps = np.array([np.pad(m, ((0, rows - len(m)), (0, 0))) for m in self._maps])
        vertices = [*self._vertices, *(vertices for vertices, _ in self._forces)]
        rays = [*self._rays, *(rays for _, rays in self._forces)]
        bounds = np.array(self._lower), np.array(self._upper)
        return even_shares(vertices, rays, maps, *bounds, np.array(self._sizes), np.array(self._known))


@dataclass(frozen=True, eq=False)
class PostureEquilibrium(Result):
    """Result of `posture_equilibrium`, with one wrench per hand or a separating wrench.

    Attributes:
        hands: grips and poses.
        wrench: (6,) external wrench on the body, in the world, torque about the world origin.
        status: holds, does not hold, or undecided: between inner and outer bounds, or where hulls hold the load and the
            unions of pieces of a lazy grip were not found to hold it.
        wrenches: (k, 6) wrench of each hand on the body, in its palm frame, or None.
        weights: the convex combination of each hand that has vertices, None for the others; () without wrenches.
        confirmed: for each lazy hand the equilibrium with its contact forces, None for the others; () without.
        certificate: the separating wrench when it does not hold, else None.
        effort: exchanges and pricings.
        inner, outer: for grips with bounds, the results of the two sides; `outer` is None if the inner side
            has decided it.
        solver: the solver, for later questions.
        wrenches_unique: whether no other wrenches of the hands balance the load; None if it was not tested: `even`
            tests it.
    """

    TABLE: ClassVar[str] = "hands"

    hands: Hands
    wrench: Array
    status: Status
    wrenches: Array | None
    weights: Sequence[HandWeights | None]
    confirmed: tuple[Equilibrium | None, ...]
    certificate: SeparatingWrench | None
    effort: SumStats
    inner: PostureEquilibrium | None = None
    outer: PostureEquilibrium | None = None
    solver: SliceSolver | None = None
    wrenches_unique: bool | None = None

    def __repr__(self) -> str:
        low, high = self.scale_interval
        held = f"holds {low:.4g} to {high:.4g} times the load" if low <= high else "holds no multiple of the load"
        return f"PostureEquilibrium({self.status.value}, {len(self.hands)} hands, {held})"

    @property
    def holds(self) -> bool:
        """Whether wrenches of the hands were found that balance the load. "Undecided" does not count as holding."""
        return self.status is Status.HOLDS

    @property
    def certainty(self) -> Certainty:
        """The verdict in one word (V.D): "certainly" it holds, "certainly not", or "uncertain"."""
        return certainty_of(self.status)

    @property
    def forces(self) -> tuple[Array | None, ...]:
        """For each lazy hand its contact forces (n, 3) on the assembly's object, in the assembly's world; else None."""
        return tuple(None if answer is None else answer.forces for answer in self.confirmed)

    @property
    def world_wrenches(self) -> Array | None:
        """(k, 6) wrench of each hand on the body, in the world and about the world origin, or None."""
        return None if self.wrenches is None else np.einsum("kij,kj->ki", self.hands.maps, self.wrenches)

    @cached_property
    def scale(self) -> ScaleInterval:
        """The load scales s for which s w is held, with wrenches and proofs of both ends; computed when first used.

        For lazy grips, those of the hulls (outer); for grips with bounds, of the inner side. `outer_scale` has the
        other side.
        """
        hands = self.hands.sided("inner")
        return scale_interval(hands, self.wrench, self.inner.solver if self.inner is not None else self.solver)

    @cached_property
    def outer_scale(self) -> ScaleInterval:
        """As `scale`, for the outer side of grips with bounds; the same as `scale` without bounds."""
        if not self.hands.has_bounds:
            return self.scale
        solver = None if self.outer is None else self.outer.solver
        return scale_interval(self.hands.sided("outer"), self.wrench, solver)

    @property
    def scale_interval(self) -> tuple[float, float]:
        """(s_min, s_max): all s for which s w is held, infinite where there is no limit; (inf, -inf) if none is held.

        For w = 0: (-inf, inf) or (inf, -inf).
        """
        return self.scale.ends

    @cached_property
    def gap(self) -> float:
        """Relative difference between the largest scale shown to be held and the largest that is not excluded.

        0 for exact grips; inf where only one is known.
        """
        if not self.hands.has_bounds and not needs_confirming(self.hands):
            return 0.0
        upper = self.outer_scale.ends[1]
        lower = self.scale.ends[1]
        if needs_confirming(self.hands.sided("inner")):
            lower = self.scale.confirmed_end
        if lower == upper:
            return 0.0
        return (upper - lower) / abs(upper) if np.isfinite(upper) and np.isfinite(lower) and upper else np.inf

    def even(self) -> PostureEquilibrium:
        """The same result with the most even of all wrenches of the hands that balance the load.

        They minimise sum_j |w_j|^2 / s_j^2, torques divided by the length of the hands, with s_j the size of grip j;
        for a grip without limit, the largest of all s and of the load. They are unique, and therefore as symmetric as
        hands and load. Forces of a lazy hand stay in the pieces of this result; their squares count `FORCE_SHARE` as
        much. A result without wrenches, or with a hand known by half-spaces alone, is returned unchanged.
        """
        if self.inner is not None and self.holds:
            made = self.inner.even()
            return replace(made, hands=self.hands, certificate=None, inner=made)
        hands, found = self.hands, self._even_shares()
        if found is None:
            return self
        weights = tuple(
            HandWeights(np.arange(len(of)), of / of.sum(), np.arange(len(along)), along)
            if isinstance(grip, Grip)
            else None
            for grip, of, along in zip(hands.grips, found.vertex_weights, found.ray_weights, strict=False)
        )
        wrenches = found.points[: len(hands)]
        confirmed = confirmations(hands, wrenches) if self.confirmed else ()
        if confirmed is None:
            return self
        confirmed = tuple(answer and answer.even() for answer in confirmed)
        made = replace(self, wrenches=wrenches, weights=weights, confirmed=confirmed, wrenches_unique=None)
        return replace(made, wrenches_unique=bool(found.unique)) if made.verify() else self

    def _even_shares(self) -> EvenShares | None:
        """The most even wrenches, and whether they are the only ones; None where they are not known."""
        hands, grips = self.hands, [grip for grip in self.hands.grips if isinstance(grip, (Grip, LazyGrip))]
        if self.wrenches is None or len(grips) < len(hands):
            return None
        shift = np.eye(6)  # torques about the centre of the palms, divided by the length
        shift[3:, :3] = -skew(np.array(hands.centre))
        maps, load = hands.scaling[:, None] * (shift @ hands.maps), hands.scaling * (shift @ self.wrench)
        bounded = [0.0 if (len(g.rays) if isinstance(g, Grip) else g.has_rays) else size_of(g) for g in grips]
        largest = max(*bounded, float(np.abs(load).max())) or 1.0
        sizes = np.array([size or largest for size in bounded])[:, None] / hands.scaling
        program = _EvenProgram(maps, -load, -load, sizes, self.wrenches)
        for hand, (grip, answer) in enumerate(zip(grips, self.confirmed or [None] * len(grips), strict=True)):
            program.add_hand(hand, grip, answer)
        return program.solve()

    @property
    def residual(self) -> float:
        """Largest error of the balance, relative to the wrenches; nan without wrenches."""
        return float("nan") if self.wrenches is None else balance(self.hands, self.wrenches, self.wrench)

    def hand_dicts(self) -> list[dict[str, Any]]:
        """Position of each palm and, if known, the wrench of its hand in the palm frame and in the world."""
        rows: list[dict[str, Any]] = [{"position": p.translation.tolist(), "wrench": None} for p in self.hands.poses]
        if self.wrenches is not None and self.world_wrenches is not None:
            for row, wrench, world in zip(rows, self.wrenches.tolist(), self.world_wrenches.tolist(), strict=True):
                row |= {"wrench": wrench, "world_wrench": world}
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Verdict, load scales, wrenches of the hands, separating wrench and effort as plain data."""
        proof = self.certificate
        data: dict[str, Any] = {
            "wrench": self.wrench.tolist(),
            "status": self.status.value,
            "holds": self.holds,
            "certainty": str(self.certainty.value) if self.hands.has_bounds else None,
            "proof_verified": self.verify(),
            "residual": self.residual,
            "wrenches_unique": self.wrenches_unique,
            "scale_min": self.scale_interval[0],
            "scale_max": self.scale_interval[1],
            "hands": self.hand_dicts(),
            "separating": None,
            "effort": self.effort._asdict(),
        }
        if proof is not None and proof.multipliers.any():  # zero where a hand can apply no wrench
            data["separating"] = {"wrench": proof.multipliers.tolist(), "margin_newtons": proof.margin}
        if self.hands.has_bounds:
            data["outer_scale_min"], data["outer_scale_max"] = self.outer_scale.ends
        return data

    @proof
    def verify(self) -> bool:
        """Check the verdict without the solver: the wrenches hand by hand, or the separating wrench; else False."""
        if self.hands.has_bounds:
            side, name = (self.inner, "inner") if self.holds else (self.outer, "outer")
            if side is None or not (same(side.wrench, self.wrench) and side.status is self.status):
                return False
            mine = (self.wrenches, tuple(self.weights), self.confirmed, self.wrenches_unique)
            theirs = (side.wrenches, tuple(side.weights), side.confirmed, side.wrenches_unique)
            if not (side.hands.is_same(self.hands.sided(name)) and same(mine, theirs)):
                return False
            return self.certificate is side.certificate and side.verify() and self._inner_is_mine()
        if self.inner is not None or self.outer is not None:
            return False
        if self.status is Status.HOLDS:
            if self.wrenches is None or self.certificate is not None:
                return False
            balanced = self.residual <= 10 * tolerances.FEASIBILITY and self._is_unique_as_said()
            return balanced and lie_in_grips(self.hands, self.wrenches, self.weights, self.confirmed)
        unknown = self.wrenches_unique is None
        if self.status is Status.DOES_NOT_HOLD and self.certificate is not None and self.wrenches is None and unknown:
            about = self.certificate.hands is self.hands and same(self.certificate.wrench, self.wrench)
            return about and self.certificate.verify()
        return False

    def _is_unique_as_said(self) -> bool:
        """Whether `wrenches_unique`, where it is known, is what a search for other wrenches finds."""
        if self.wrenches_unique is None:
            return True
        found = self._even_shares()
        return found is not None and bool(found.unique) is self.wrenches_unique

    def _inner_is_mine(self) -> bool:
        """Whether the result of the inner side is about this load, and proven as far as it is decided."""
        inner = self.inner
        if inner is None or not (inner.hands.is_same(self.hands.sided("inner")) and same(inner.wrench, self.wrench)):
            return False
        return inner.holds is self.holds and (inner.status is Status.UNDECIDED or inner.verify())


@with_advice(load="give wrench")
def posture_equilibrium(
    grips: GripsLike | PostureScene,
    poses: PosesLike | None = None,
    wrench: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> PostureEquilibrium:
    """Whether the hands' grips balance an external wrench on the body (15): sum_j T_j w_j + w = 0.

    Args:
        grips: one grip for all hands or one per hand: `Grip` (17), `OuterGrip` (18), `GripBounds` for a three-valued
            result (V.D), or `LazyGrip` for the hand's own program. Or a `PostureScene`, which has grips, poses and
            gravity, and its weight as the default wrench.
        poses: pose of each palm in the world: `Pose`, (R, t) or a (4, 4) matrix.
        wrench: (6,) external force [N] and torque [N m] about the world origin, acting on the body; `gravity_wrench`
            gives that of a weight.
        gravity: (3,) [m/s^2] in the world, to check against grips that were learned under gravity.
        length: [m] by which torques are divided to compare them with forces; by default from the palms' distances.
    """
    if isinstance(grips, PostureScene):
        wrench, gravity = grips.wrench if wrench is None else wrench, grips.gravity if gravity is None else gravity
        grips, poses = grips.grips, grips.poses if poses is None else poses
    if poses is None or wrench is None:
        missing = "poses" if poses is None else "wrench"
        raise InputError(
            "is missing", where=missing, fix="give grips, poses and wrench, or a posture: holdfast.load(path)"
        )
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    return decide(hands, checked_wrench("wrench", wrench))


def decide(
    hands: Hands, wrench: Array, inner_solver: SliceSolver | None = None, outer_solver: SliceSolver | None = None
) -> PostureEquilibrium:
    """`posture_equilibrium` of checked hands, with solvers that are already at their poses."""
    if not hands.has_bounds:
        return _decide(hands, wrench, inner_solver or solver_of(hands))
    sided = hands.sided("inner")
    inner = _decide(sided, wrench, inner_solver or solver_of(sided))
    if inner.holds:
        return replace(inner, hands=hands, certificate=None, inner=inner)
    sided = hands.sided("outer")
    outer = _decide(sided, wrench, outer_solver or solver_of(sided))
    status = Status.DOES_NOT_HOLD if outer.status is Status.DOES_NOT_HOLD else Status.UNDECIDED
    effort = SumStats(*(a + b for a, b in zip(inner.effort, outer.effort, strict=True)))
    return PostureEquilibrium(
        hands, wrench, status, None, (), (), outer.certificate, effort, inner, outer, inner.solver
    )


def _decide(hands: Hands, wrench: Array, solver: SliceSolver) -> PostureEquilibrium:
    """The result for grips with one side."""
    found = solver.maximise(-wrench)
    if found.status is not SumStatus.OPTIMAL or not found.clear:
        empty = found.status is SumStatus.EMPTY
        certificate = separating(hands, wrench, found) if empty else None
        if certificate is None:
            ends = border_of(hands, wrench, solver)
            tried = (separating_wrench(hands, wrench, unit_multipliers(hands, y)) for y in ends.multipliers)
            least = tolerances.UNIT_ROUNDING * hands.wrench_size(wrench) if found.status is SumStatus.OPTIMAL else 0.0
            certificate = next((proof for proof in tried if proof is not None and proof.wins_by(least)), None)
            if found.status is not SumStatus.OPTIMAL and ends.optimum is not None:
                found = replace(ends.optimum, effort=found.effort)
        if certificate is not None or found.status is not SumStatus.OPTIMAL:
            status = Status.UNDECIDED if certificate is None else Status.DOES_NOT_HOLD
            return PostureEquilibrium(hands, wrench, status, None, (), (), certificate, found.effort, solver=solver)
    wrenches = found.wrenches
    known = [isinstance(grip, Grip) for grip in hands.grips]
    # Weights are computed when they are first used, if every hand has some.
    weights = found.weights
    if not all(known):
        weights = tuple(w if has else None for w, has in zip(found.weights, known, strict=True))
    if not any(isinstance(grip, LazyGrip) for grip in hands.grips):
        return PostureEquilibrium(hands, wrench, Status.HOLDS, wrenches, weights, (), None, found.effort, solver=solver)
    confirmed = confirmations(hands, wrenches)
    if confirmed is None:
        deeper = _deeper(hands, wrench, solver)
        confirmed = None if deeper is None else confirmations(hands, deeper)
        wrenches = wrenches if deeper is None else deeper
    status = Status.UNDECIDED if confirmed is None else Status.HOLDS
    return PostureEquilibrium(
        hands,
        wrench,
        status,
        None if confirmed is None else wrenches,
        weights if confirmed is not None else (),
        confirmed or (),
        None,
        found.effort,
        solver=solver,
    )


def _deeper(hands: Hands, wrench: Array, solver: SliceSolver) -> Array | None:
    """(k, 6) wrenches that balance the load from deeper inside the hands' sets.

    They are those of the largest load scale, scaled back. They are in the sets if these contain zero; the caller has to
    confirm them.
    """
    if any(isinstance(grip, (Grip, OuterGrip)) for grip in hands.grips):
        return None
    found = solver.maximise(np.zeros(6), -wrench[None], np.ones(1))
    if found.status is not SumStatus.OPTIMAL or found.value < 1.0:
        return None
    return found.wrenches / found.value


def separating(hands: Hands, wrench: Array, found: SumOptimum) -> SeparatingWrench | None:
    """The separating wrench of an empty program, with new supports; None if its margin is at rounding level."""
    y = unit_multipliers(hands, found.multipliers)
    return separating_wrench(hands, wrench, y)


def separating_wrench(hands: Hands, wrench: Array, y: Array) -> SeparatingWrench | None:
    """The certificate of y (6,) against a load, when it proves anything."""
    planes = plane_weights(hands, y)
    support = total_support(hands, y, planes)
    certificate = SeparatingWrench(hands, y, support, planes, wrench)
    return certificate if certificate.wins else None
