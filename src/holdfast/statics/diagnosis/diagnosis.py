"""`diagnose`: what limits an answer, whatever method gave it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ... import tolerances
from ...assembly.assembly import Assembly
from ...checks import Array
from ...errors import InputError
from ...solvers import Status
from ...solvers.certificates import least_factor, separation_margin
from ..equilibrium import Equilibrium, LoadLimit, load_limit
from .gains import Gain, largest_gains
from .motion import Motion
from .prices import FixedPieces
from .states import ContactState, JointState, contact_states, joint_states

if TYPE_CHECKING:
    from ..moving.factors import Factor


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What limits an answer: in words, and in tables.

    Tables are about the load limit: the contacts and joints as they stand when it is reached. Where there is no limit,
    or no load, they are about the forces of the answer itself; they are empty when no forces were found.

    Prices are derivatives of the limit with every contact kept in its piece. At a nondegenerate optimum
    (`prices_unique`) they hold for increase and decrease alike. At a degenerate one, where several prices fit, they
    are one-sided bounds, the limit being concave in strengths and bounds: an increase brings no more than its price,
    a decrease costs no less. They add up: limit = `from_contacts` + `from_joints`.

    Attributes:
        result: the answer that was explained.
        limit: the load limit behind the tables; for an Equilibrium the one along its wrench. None without a load, or
            where the wrench lies in a hole between scales that hold.
        is_least: whether `limit` is about the reversed load, because the wrench is too small, not too large.
        factor: the multiple of the load at which the tables are taken (nan without forces); at least `limit.value`.
        contacts: the contacts, in the order of the assembly.
        joints: the joint rows, in their order.
        prices_unique: whether the prices hold for increase and decrease alike.
        gains: what single changes would bring, solved anew with the change made, largest first.
        motion: how the object begins to move when the limit is passed, for these pieces; None without a limit.
        separation: for what does not hold: the motion in which, for the pieces of the proof's part that
            comes nearest to holding, the load does more work than contacts and joints can take up.
        separation_joints: names of the joint rows whose bounds that proof needs, the most important first.
    """

    result: Equilibrium | LoadLimit
    limit: LoadLimit | None
    is_least: bool
    factor: float
    contacts: tuple[ContactState, ...]
    joints: tuple[JointState, ...]
    prices_unique: bool
    gains: tuple[Gain, ...]
    motion: Motion | None
    separation: Motion | None
    separation_joints: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Diagnosis({' '.join(self.sentences)!r})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What limits the load, in words: the verdict first, then by importance; a handful."""
        from .words import sentences

        return sentences(self)

    @cached_property
    def friction(self) -> Factor | None:
        """How much more friction would hold the load, where nothing of it is borne and strength brings nothing.

        Searched when first wanted. None in other cases, and where `needed_friction` does not search.
        """
        from .friction import needed_friction

        return needed_friction(self.result) if self.strength_is_useless else None

    @property
    def strength_is_useless(self) -> bool:
        """Whether nothing of the load is borne, nor would be with force limits scaled up, each contact in its piece."""
        if not self.has_prices or self.limit is None or self.gains:
            return False
        tiny = tolerances.GAP * abs(self.factor) + 10 * least_factor(self.limit.problem)
        priced = any(max(j.price_lower, j.price_upper) > 0.0 for j in self.joints)
        return max(abs(self.from_contacts), abs(self.from_joints)) <= tiny and not priced

    @property
    def assembly(self) -> Assembly:
        """The contacts and joints asked about."""
        return self.result.assembly

    @property
    def has_prices(self) -> bool:
        """Whether prices are known: there is a finite limit."""
        return bool(self.contacts) and bool(np.isfinite([c.price for c in self.contacts]).all())

    @property
    def at_limit(self) -> tuple[ContactState, ...]:
        """The contacts at the border of their volume that bear a force, dearest first."""
        found = [c for c in self.contacts if c.at_limit and not c.idle]
        return tuple(sorted(found, key=lambda c: -c.price if np.isfinite(c.price) else 0.0))

    @property
    def limiting(self) -> tuple[ContactState, ...]:
        """Those of them that limit the load: no other choice of forces could relieve them."""
        return tuple(c for c in self.at_limit if c.binding)

    @property
    def joints_at_limit(self) -> tuple[JointState, ...]:
        """The joint rows at a bound, in their order."""
        return tuple(j for j in self.joints if j.at_limit)

    @property
    def from_contacts(self) -> float:
        """What the contacts' strength adds to the limit: 100 times the sum of their prices; nan without prices."""
        return float(sum(100.0 * c.price for c in self.contacts)) if self.has_prices else np.nan

    @property
    def from_joints(self) -> float:
        """What the joint bounds add to the limit: the sum of their parts; nan without prices."""
        return float(sum(j.part for j in self.joints)) if self.has_prices else np.nan


def diagnose(result: Equilibrium | LoadLimit, *, limit: LoadLimit | None = None) -> Diagnosis:
    """What limits an answer, whatever method gave it: contacts and joints at their limit, prices, words.

    Args:
        result: what `equilibrium` or `load_limit` returned.
        limit: the load limit along the wrench of an Equilibrium, where it is known already; else it is asked
            of the method that gave the result.
    """
    asked = _limit_of(result, limit)
    explained, is_least = _explained(result, asked)
    separation, names = _separation(result)
    forces, pieces, factor = _forces_of(result, explained)
    fixed, prices = None, None
    if explained is not None and pieces is not None and explained.status is not Status.UNBOUNDED:
        fixed = FixedPieces(explained.problem, pieces)
        prices = fixed.prices()
        if prices is not None and prices.factor > factor + tolerances.GAP * abs(factor) + least_factor(fixed.problem):
            forces, factor = prices.forces, prices.factor  # the method had left some of the limit to its gap
    contacts, joints = (), ()
    if forces is not None and pieces is not None:
        contacts = contact_states(result.assembly, forces, pieces, prices)
        joints = joint_states(result.assembly, forces, prices)
    unique, gains, motion = False, (), None
    if fixed is not None and prices is not None and forces is not None:
        unique = fixed.pins_prices(forces, np.array([not j.at_limit for j in joints], dtype=bool))
        gains = largest_gains(fixed, prices.factor, contacts, joints)
        motion = Motion.from_multipliers(result.assembly, fixed.problem, prices.multipliers)
    return Diagnosis(
        result=result,
        limit=explained,
        is_least=is_least,
        factor=-factor if is_least else factor,
        contacts=contacts,
        joints=joints,
        prices_unique=unique,
        gains=gains,
        motion=motion,
        separation=separation,
        separation_joints=names,
    )


def _limit_of(result: Equilibrium | LoadLimit, limit: LoadLimit | None) -> LoadLimit | None:
    """The load limit that belongs to the result; None without a load."""
    if isinstance(result, LoadLimit):
        return result
    if not isinstance(result, Equilibrium):
        fix = "give what hf.equilibrium or hf.load_limit returned"
        raise InputError(f"is a {type(result).__name__}", where="result", fix=fix)
    if limit is None:
        return load_limit(result.assembly, result.wrench, method=result.method) if result.wrench.any() else None
    if limit.assembly is not result.assembly or not np.array_equal(limit.direction, result.wrench):
        raise InputError("is about another load", where="limit", fix="give the load limit along the result's wrench")
    return limit


def _explained(result: Equilibrium | LoadLimit, limit: LoadLimit | None) -> tuple[LoadLimit | None, bool]:
    """The end of the held scales that the question runs into, and whether it is the lower one."""
    if limit is None or isinstance(result, LoadLimit) or result.status is not Status.DOES_NOT_HOLD:
        return limit, False
    if limit.value <= 1.0 + tolerances.GAP:
        return limit, False
    if limit.scale_interval[0] > 1.0 + tolerances.GAP:
        return limit.opposite, True
    return None, False  # between two scales that hold


def _forces_of(
    result: Equilibrium | LoadLimit, explained: LoadLimit | None
) -> tuple[Array | None, Array | None, float]:
    """Local forces (k, 3), pieces (k,) and load factor that the tables are about."""
    if isinstance(result, Equilibrium) and result.holds:
        own = explained is None or explained.status is Status.UNBOUNDED
        if own or (explained is not None and explained.solution.factor < 1.0):  # a weak method may find less
            return result.local_forces, result.pieces, 1.0
    if explained is None or explained.local_forces is None:
        return None, None, np.nan
    return explained.local_forces, explained.pieces, explained.solution.factor


def _separation(result: Equilibrium | LoadLimit) -> tuple[Motion | None, tuple[str, ...]]:
    """The motion of the certificate's part with the smallest margin, and the joint rows it needs."""
    certificate = result.certificate
    if result.status is not Status.DOES_NOT_HOLD or certificate is None or not certificate.leaves:
        return None, ()
    problem = result.problem
    nearest = min(certificate.leaves, key=lambda leaf: separation_margin(problem, leaf.masks, leaf.multipliers))
    y = nearest.multipliers
    weights = np.abs(y[6:])
    needed = [int(r) for r in np.argsort(-weights) if weights[r] > tolerances.GAP * np.abs(y).max()]
    joints = result.assembly.joints
    names = () if joints is None else tuple(joints.names[r] if joints.names else f"row {r}" for r in needed)
    return Motion.from_multipliers(result.assembly, problem, y), names
