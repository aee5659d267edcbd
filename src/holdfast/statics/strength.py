"""Strength and friction factors: how much weaker contacts may be, or stronger they must be, for a load to be held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, SceneLike, asked_about, checked_assembly
from ..checks import Array
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..geometry.polytopes import Polytope
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import ContactProblem, Status
from .holding import Equilibrium, LargestFactor, LoadLimit, Method, default_method, load_limit
from .paths import (
    Onset,
    OnsetStatus,
    PolygonPath,
    Sample,
    VerdictChange,
    are_changes_of,
    first_change,
    polygon_facets,
    ramp,
    slip_onset,
    verdict_data,
)
from .solver import WarmSolver, chosen_contacts, weakened

#: Range of factors that is searched.
SMALLEST, LARGEST = 1e-6, 1e6

#: Ratio of neighbouring factors of the first scan: coarse where more is always better, fine where it is not.
COARSE, FINE = 4.0, 1.1

#: Range of a scan by the fine ratio, in both directions from 1.
FINE_REACH = 100.0

#: What rounding may add to a bracket; r in logarithms is 1 - exp(-r) < r in factors.
SLACK = 1e-6

Kind = Literal["strength", "friction"]


class FactorStatus(StrEnum):
    """The outcome; the value is the message."""

    FOUND = "found"
    ANY = "holds with every factor tried"
    NONE = "holds with no factor tried"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Factor(Result):
    """The smallest factor on the contacts' strength or friction with which a load is still held.

    Attributes:
        assembly, wrench: the contacts with their own strength, and the external wrench (6 n,).
        kind: "strength" (all components) or "friction" (shear components).
        status: found, holds with every factor tried, holds with none tried, or undecided.
        bracket: (largest factor known to fail, smallest known to hold) on either side of the change; 0 or inf where
            there is none.
        failed: the answer at the first, with its certificate, or None.
        held: the answer at the second, with forces, or None. Both are about the weakened assembly.
        is_monotone: whether every larger factor holds as well. Where that is not guaranteed, factors were tried one
            after the other from 1 on, and the bracket is the change found next to 1.
        contacts: (k,) which contacts were weakened.
        tolerance: largest relative width of the bracket.
        scan: factors that were tried first, with their answers.
        tests: total number of equilibrium tests.
    """

    assembly: Assembly
    wrench: Array
    kind: Kind
    status: FactorStatus
    bracket: tuple[float, float]
    failed: Equilibrium | None
    held: Equilibrium | None
    is_monotone: bool
    contacts: Array
    tolerance: float
    scan: tuple[Sample, ...]
    tests: int

    def __repr__(self) -> str:
        return f"Factor({self.kind}, {self.status.value}, {self.value:.6g}, fails at {self.bracket[0]:.6g})"

    @property
    def value(self) -> float:
        """The smallest factor known to hold next to the change: 0 if every one holds, inf if none, nan if undecided."""
        if self.status is FactorStatus.ANY:
            return 0.0
        return float("nan") if self.status is FactorStatus.UNDECIDED else self.bracket[1]

    @property
    def reserve(self) -> float:
        """1/value: a safety factor; above 1 there is a reserve of strength, below 1 strength is missing."""
        with np.errstate(divide="ignore"):
            return float(np.divide(1.0, self.value))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "status": self.status.value,
            "value": self.value,
            "bracket": list(self.bracket),
            "is_monotone": self.is_monotone,
            "contacts": self.contacts.tolist(),
            "tests": self.tests,
            "proof_verified": self.verify(),
        }

    @proof
    def verify(self) -> bool:
        """Check every factor tried and both ends of the bracket without the solver, from the assembly."""
        (low, high), scan, kind = self.bracket, self.scan, self.kind
        decided = [sample for sample in scan if sample.status is not Status.UNDECIDED]
        if not self.tolerance > 0.0:
            return False
        ends = [Sample(at, a) for at, a in zip(self.bracket, (self.failed, self.held), strict=True) if a is not None]
        for sample in (*decided, *ends):
            changed = weakened(self.assembly, _scales(kind, self.contacts, sample.parameter))
            if not sample.answer.proves(sample.status, changed, self.wrench):
                return False
        grows, up = more_is_better(kind, self.assembly, self.contacts), scan[0].status is not Status.HOLDS
        factors = np.exp(_logarithms(grows, up=up)).tolist()
        if (
            not self.tolerance > 0.0
            or self.is_monotone is not grows
            or [s.parameter for s in scan] != factors[: len(scan)]
        ):
            return False
        if self.status is FactorStatus.FOUND:
            narrow = 0.0 <= high - low <= (1.0 + SLACK) * self.tolerance * high
            change, way = ((ends[0], ends[1]), 1.0) if up else ((ends[1], ends[0]), -1.0)
            return narrow and ends[0].status is Status.DOES_NOT_HOLD and are_changes_of(decided, [change], way)
        last, (end,) = scan[-1].parameter, ends  # one end only: all answers are the same
        known = {FactorStatus.ANY: (0.0, last), FactorStatus.NONE: (last, np.inf)}.get(self.status)
        alike = {sample.status for sample in (*scan, *ends)} == {Status.DOES_NOT_HOLD if up else Status.HOLDS}
        mine = end.answer is (self.failed if up else self.held) and up is (self.status is FactorStatus.NONE)
        return alike and mine and known == self.bracket and len(scan) == len(factors)


def _scales(kind: Kind, contacts: Array, factor: float) -> Array:
    """(k, 3) factors on the forces of each contact in its frame, where some contacts (k,) have a factor."""
    axes = np.array([True, True, kind == "strength"])
    return np.where(contacts[:, None] & axes, factor, 1.0)


def _logarithms(grows: bool, *, up: bool) -> Array:
    """(n,) logarithms of the factors that are tried first, from 1 upwards or downwards."""
    ratio, reach = (COARSE, LARGEST) if grows else (FINE, FINE_REACH)
    steps = np.log(ratio) * np.arange(int(np.ceil(np.log(reach) / np.log(ratio) - 1e-9)) + 1)
    return steps if up else -steps


def more_is_better(kind: Kind, assembly: Assembly, contacts: Array) -> bool:
    """Whether a larger factor on some of the contacts (k,) only adds forces."""
    volumes = {id(c.volume): c.volume for c, take in zip(assembly.contacts, contacts, strict=True) if take}
    return all(v.is_star_shaped if kind == "strength" else bears_less_shear(v) for v in volumes.values())


@with_advice()
def strength_factor(
    assembly: Assembly,
    wrench: Load,
    *,
    contacts: Iterable[int | str] | None = None,
    tolerance: float = tolerances.GAP,
    method: Method | None = None,
) -> Factor:
    """The smallest common factor on the force volumes with which a wrench (6,) is still held.

    Where no joint rows limit the forces this is 1/load_limit; with joint rows, whose limits do not change, it is
    not. More strength is always better when every volume contains the zero force with all smaller forces.

    Args:
        assembly: contacts and joint rows.
        wrench: (6,) external wrench on the object, torque about the world origin.
        contacts: only these change (numbers, names, or names of patches); the others keep their strength. All by
            default.
        tolerance: relative width of the bracket.
        method: how to solve; `Exact()` by default.
    """
    return _factor("strength", assembly, wrench, contacts, tolerance, method)


@with_advice()
def friction_factor(
    assembly: Assembly,
    wrench: Load,
    *,
    contacts: Iterable[int | str] | None = None,
    tolerance: float = tolerances.GAP,
    method: Method | None = None,
) -> Factor:
    """The smallest factor on the shear components of the force volumes with which a wrench (6,) is still held.

    For Coulomb contacts without a cap on shear this is the factor on mu. Adhesive volumes may need shear to carry
    any pull: both less and more shear can be worse. Then `is_monotone` is False and the change next to 1 is found by
    small steps. Arguments as for `strength_factor`.
    """
    return _factor("friction", assembly, wrench, contacts, tolerance, method)


def _factor(
    kind: Kind,
    assembly: Assembly,
    wrench: Load,
    contacts: Iterable[int | str] | None,
    tolerance: float,
    method: Method | None,
) -> Factor:
    checked_assembly(assembly, several=True)
    load = assembly.stacked(wrench, name="wrench")
    relative = checks.number("tolerance", tolerance, low=tolerances.FEASIBILITY, high=0.5)
    chosen = chosen_contacts(assembly, contacts)
    grows = more_is_better(kind, assembly, chosen)
    warm = WarmSolver(method)

    def ask(logarithm: float) -> Equilibrium:
        return warm.equilibrium(assembly, load, _scales(kind, chosen, float(np.exp(logarithm))))

    first = Sample(0.0, ask(0.0))
    known = {0.0: first.answer}
    change = first_change(
        lambda p: known.pop(p) if p in known else ask(p),
        _logarithms(grows, up=first.status is not Status.HOLDS),
        relative,
        leaving=Status.DOES_NOT_HOLD if first.status is Status.DOES_NOT_HOLD else Status.HOLDS,
    )
    return _result((assembly, load, kind), change, first, grows, chosen, relative)


def _result(
    question: tuple[Assembly, Array, Kind],
    change: VerdictChange,
    first: Sample,
    grows: bool,
    chosen: Array,
    relative: float,
) -> Factor:
    """The factor that a search over its logarithm found."""
    held, failed = change.before, change.after
    if first.status is Status.DOES_NOT_HOLD:
        held, failed = failed, held
    low = 0.0 if failed is None else float(np.exp(failed.parameter))
    high = np.inf if held is None else float(np.exp(held.parameter))
    if held is not None and failed is not None:
        narrow = 0.0 <= high - low <= (1.0 + SLACK) * relative * high
        status = FactorStatus.FOUND if narrow else FactorStatus.UNDECIDED
    elif any(sample.status is Status.UNDECIDED for sample in change.scan):
        status = FactorStatus.UNDECIDED
    else:
        status = FactorStatus.ANY if failed is None else FactorStatus.NONE
    return Factor(
        *question,
        status,
        (low, high),
        None if failed is None else failed.answer,
        None if held is None else held.answer,
        grows,
        chosen,
        relative,
        tuple(Sample(float(np.exp(sample.parameter)), sample.answer) for sample in change.scan),
        change.tests,
    )


def bears_less_shear(volume: ForceVolume) -> bool:
    """Whether every admissible force stays admissible when its shear is reduced at constant normal component.

    Each piece is convex, so that it suffices to test its vertices and rays without shear. Stretching the shear of such
    a volume only adds forces.
    """
    for piece in volume.polytopes:
        points = piece.vertices * np.array([0.0, 0.0, 1.0])
        if not np.all(piece.contains(points)):
            return False
        rays = piece.rays * np.array([0.0, 0.0, 1.0])
        normals, _ = piece.halfspaces
        sizes = np.linalg.norm(piece.rays, axis=1)
        if len(rays) and (normals @ rays.T > tolerances.RAY_SLOPE * sizes).any():
            return False
    return True


# Load ramps: one load is constant, another grows in addition to it.

#: Steps of the scan where the volumes are not convex and none is given.
STEPS = 64

#: Facets of polygons inside and around curved limits, for a relative accuracy of 1e-4.
CURVED_FACETS = 256


class RampStatus(StrEnum):
    """The outcome; the value is the message."""

    FOUND = "found"
    UNBOUNDED = "no limit"
    HOLDS_THROUGHOUT = "holds as far as was asked"
    FAILS_AT_BASE = "does not hold the base load"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class RampLimit(LargestFactor):
    """The largest s at which base + s increment is held; smaller s need not hold.

    Attributes:
        base, increment: (6,) external wrenches.
        method: the method used; None for the default.
    """

    base: Array
    increment: Array
    method: Method | None = None

    @cached_property
    def problem(self) -> ContactProblem:
        """The question in the form that every method solves."""
        return build_ramp(self.assembly, self.base, self.increment)

    def __repr__(self) -> str:
        return f"RampLimit({self.status.value}, {self.value:.6g}, bound {self.upper_bound:.6g})"

    @proof
    def verify(self) -> bool:
        """Check value and bound without the solver: forces from the assembly alone, the bound by the certificate.

        False when undecided or without a limit (`load_ramp` then proves only the forces it returns).
        """
        return self._is_limit(self.base + self.value * self.increment, self.method)


@dataclass(frozen=True, eq=False)
class LoadRamp(Result):
    """How far a load may grow in addition to another.

    Attributes:
        status: found, no limit, holds as far as was asked (`stop`), does not hold the base load, or undecided.
        value: the s up to which base + s increment is held within the range; for convex volumes exact to the gap.
        upper_bound: an s at or above which it is proven not to hold (just above `value`).
        at_base: the answer at s = 0, with its proof.
        largest: the largest s that holds at all.
        onset: scan and bisection to the first loss, where volumes are not convex; None where they are.
        is_convex: whether every volume is one convex piece. The s that hold are then an interval, and `largest` is the
            first loss. For unions of pieces there may be gaps below `largest`; the scan finds those wider than a step.
        method: the method used; None for the default.
        stop: s at which the search stopped, as it was asked; None for none.
        endless: proof that the increment alone has no limit, where this was computed. Its growth may be added to the
            forces at s = 0 any number of times, since volumes are convex: the ramp has no limit either.
    """

    status: RampStatus
    value: float
    upper_bound: float
    at_base: Equilibrium
    largest: RampLimit
    onset: Onset | None
    is_convex: bool
    method: Method | None = None
    stop: float | None = None
    endless: LoadLimit | None = None

    @cached_property
    def curved(self) -> tuple[float, float] | None:
        """Bracket (low, high) of the first loss with curved limits (round friction cones) instead of polygons, or None.

        For convex volumes where the first loss was found: by polygons inside and around the curves, of at least
        `CURVED_FACETS` facets. Computed on first access.
        """
        if not self.is_convex or self.status is not RampStatus.FOUND:
            return None
        return _curved_ramp(self.largest.assembly, self.largest.base, self.largest.increment, self.method)

    @property
    def holds_again(self) -> bool:
        """Whether a larger load holds beyond the first loss, or although the base load does not: see `largest`."""
        lost = self.status in (RampStatus.FOUND, RampStatus.FAILS_AT_BASE) and self.largest.value > 0.0
        return lost and (self.status is RampStatus.FAILS_AT_BASE or self.largest.value > self.upper_bound)

    def __repr__(self) -> str:
        return f"LoadRamp({self.status.value}, holds up to {self.value:.6g}, bound {self.upper_bound:.6g})"

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what `holdfast onset --load --json` prints."""
        return {
            "status": self.status.value,
            "value": self.value,
            "upper_bound": self.upper_bound,
            "is_convex": self.is_convex,
            "curved": self.curved,
            "largest": self.largest.value,
            "largest_upper_bound": self.largest.upper_bound,
            "holds_again": self.holds_again,
            "base": verdict_data(self.at_base),
            "proof_verified": self.verify(),
        }

    @proof
    def verify(self) -> bool:
        """Check without the solver that it holds up to `value` and no longer at or beyond `upper_bound`."""
        largest, onset, held = self.largest, self.onset, self.status is not RampStatus.FAILS_AT_BASE
        assembly, base, growing = largest.assembly, largest.base, largest.increment
        if self.is_convex is not all(len(contact.volume) == 1 for contact in assembly.contacts):
            return False
        if not self.at_base.proves(Status.HOLDS if held else Status.DOES_NOT_HOLD, assembly, base):
            return False
        if (self.value, self.upper_bound) != self._ends() or (onset is not None and (self.is_convex or not held)):
            return False
        if self.endless is not None:
            mine = self.endless.assembly is assembly and same(self.endless.direction, growing)
            mine = mine and self.is_convex and self.status in (RampStatus.UNBOUNDED, RampStatus.HOLDS_THROUGHOUT)
            mine = mine and largest.status in (Status.UNBOUNDED, Status.UNDECIDED)
            return mine and self.endless.status is Status.UNBOUNDED and self.endless.verify()
        open_end = largest.status in (Status.UNBOUNDED, Status.UNDECIDED)
        open_end = open_end and (largest.status is Status.UNDECIDED or largest.upper_bound == np.inf)
        if not (largest.verify() or (open_end and self.upper_bound == (np.inf if onset is None else onset.bracket[1]))):
            return False
        if onset is not None:
            return onset.scan[0].parameter == 0.0 and replace(onset, path=ramp(assembly, base, growing)).verify()
        if not held:
            return True
        far = self.status is RampStatus.HOLDS_THROUGHOUT
        first = self.is_convex or largest.value <= 0.0
        return not open_end and first and far is (self.stop is not None and largest.value >= self.stop)

    def _ends(self) -> tuple[float, float] | None:
        """(value, upper bound) that follow from the status and the parts; None where it is undecided."""
        largest, onset = self.largest, self.onset
        if self.status is RampStatus.FAILS_AT_BASE:
            return -np.inf, largest.upper_bound
        if self.status is RampStatus.UNBOUNDED and self.endless is not None:
            return np.inf, np.inf
        if self.status is RampStatus.HOLDS_THROUGHOUT and self.stop is not None:
            whole = onset is None or (onset.status, onset.bracket[0]) == (OnsetStatus.HOLDS_THROUGHOUT, self.stop)
            return (self.stop, np.inf if self.endless is not None else largest.upper_bound) if whole else None
        if self.status is RampStatus.FOUND and onset is not None:
            return onset.bracket if onset.status is OnsetStatus.SLIPS else None
        return (max(largest.value, 0.0), largest.upper_bound) if self.status is RampStatus.FOUND else None


def build_ramp(assembly: Assembly, base: Load, increment: Load) -> ContactProblem:
    """The problem "largest s with base + s increment held" in the form that every method solves.

    The base load becomes one more contact and one more row: the contact's force c in [0, c0] carries the wrench
    c/c0 base, and the row asks for c = c0. Of several bodies, each that bears a base load has its own contact and row.
    Joint preload is treated in the same way. The increment is the load.
    """
    constant, growing = assembly.stacked(base, name="base"), assembly.stacked(increment, name="increment")
    if not growing.any():
        raise InputError("is the zero wrench", where="increment", fix="give a load that grows")
    layout, load = assembly.layout, assembly.problem(growing).load
    steady = assembly.problem(constant).load
    size = float(np.abs(steady).max())
    if size == 0.0:
        return ContactProblem(layout, load)
    (k, t, _), m, touched = layout.blocks.shape, len(load), layout.touched
    parts = (steady[: layout.balance] / size).reshape(-1, 6)
    loaded = np.nonzero(parts.any(axis=1))[0]
    new, more = len(loaded), np.arange(len(loaded))
    if touched is None:  # one body: every contact acts on every row
        blocks = np.zeros((k + 1, m + 1, 3))
        blocks[:k, :m], blocks[k, :6, 2], blocks[k, m, 2] = layout.blocks, parts[0], 1.0
    else:
        blocks = np.zeros((k + new, t, 3))  # t is 12 at least
        blocks[:k], blocks[k:, :6, 2], blocks[k:, 6, 2] = layout.blocks, parts[loaded], 1.0
        rows = np.repeat((m + more)[:, None], t, axis=1)
        rows[:, :6] = 6 * loaded[:, None] + np.arange(6)
        touched = np.concatenate([touched, rows])
    push = Polytope(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, size]]))
    widened = replace(
        layout,
        shapes=(*layout.shapes, (push,)),
        shape_of=np.append(layout.shape_of, np.full(new, len(layout.shapes))),
        blocks=blocks,
        lower=np.append(layout.lower, np.full(new, size)),
        upper=np.append(layout.upper, np.full(new, size)),
        row_scale=np.append(layout.row_scale, np.ones(new)),
        unit_of=np.append(layout.unit_of, layout.unit_of[-1] + 1 + more),
        touched=touched,
    )
    return ContactProblem(widened, np.append(load, np.zeros(new)))


@with_advice()
def largest_on_ramp(assembly: Assembly, base: Load, increment: Load, *, method: Method | None = None) -> RampLimit:
    """The largest s at which base + s increment (6,) is held, with a bound from above; exact for unions of pieces too.

    Smaller s need not hold: with joint rows or a base load the s that hold need not begin at 0, nor be one interval
    unless every volume is convex.
    """
    solution = (default_method() if method is None else method).maximise(build_ramp(assembly, base, increment))
    constant, growing = assembly.stacked(base, name="base"), assembly.stacked(increment, name="increment")
    return RampLimit(assembly, solution, constant, growing, method)


def refined(assembly: Assembly) -> tuple[Assembly, Assembly] | None:
    """(inner, outer): polygons inside and around the curved limits, of at least `CURVED_FACETS` facets.

    None where no limit is a polygon for a curve (a round friction cone).
    """
    given = polygon_facets(assembly)
    if not given:
        return None
    times = -(-CURVED_FACETS // given)
    path = ramp(assembly, np.zeros(6 * assembly.body_count), np.ones(6 * assembly.body_count))
    inner, outer = (PolygonPath(path, side, times, None).assembly(assembly) for side in ("inner", "outer"))
    return inner, outer


def curved_limit(limit: LoadLimit) -> tuple[float, float] | None:
    """Bracket of the load limit with curved limits; None without any, or for unions of pieces."""
    sides = refined(limit.assembly) if limit.problem.combinations == 1 else None
    if sides is None or limit.status is not Status.OPTIMAL:
        return None
    low, high = (load_limit(side, limit.direction, method=limit.method) for side in sides)
    return low.value, max(low.value, high.upper_bound)


def _curved_ramp(assembly: Assembly, base: Load, increment: Load, method: Method | None) -> tuple[float, float] | None:
    """Bracket of the ramp by inner and outer polygons with many facets; None without curved limits."""
    sides = refined(assembly)
    if sides is None:
        return None
    inner, outer = (largest_on_ramp(side, base, increment, method=method) for side in sides)
    low = max(inner.value, 0.0)
    return low, max(low, outer.upper_bound)


@with_advice()
def load_ramp(
    assembly: Assembly | SceneLike,
    base: Load | None = None,
    increment: Load | None = None,
    *,
    step: float | None = None,
    stop: float | None = None,
    tolerance: float = 1e-6,
    method: Method | None = None,
) -> LoadRamp:
    """How far `increment` may grow in addition to `base` before the load is first not held.

    Convex volumes: one exact program gives the first loss, since the s that hold are an interval. Unions of pieces: the
    exact largest s is found too, but below it there may be gaps; the ramp is scanned by steps from 0 and the
    first loss is bisected. A gap narrower than a step is not detected.

    Args:
        assembly: contacts and joint rows, or a scene.
        base: (6,) external wrench that stays; for several bodies as `Assembly.stacked` takes it. Of a scene its weight
            by default.
        increment: (6,) external wrench that is multiplied by s >= 0, in the same form: any set of loads and weights.
        step: largest distance of two samples of the scan; a 64th of the range by default. Convex volumes need no scan.
        stop: s at which the search stops; the largest s that holds by default. Needed by unions without a limit.
        tolerance: width of the bracket around the first loss, as a share of the range that is scanned.
        method: how to solve; `Exact()` by default.
    """
    assembly, base = asked_about(assembly, base, "base")
    if increment is None:
        raise InputError("is missing", where="increment", fix="give the load that grows: increment=scene.load(name)")
    relative = checks.positive("tolerance", tolerance, high=0.1)
    stop = None if stop is None else checks.positive("stop", stop)
    step = None if step is None else checks.positive("step", step)
    warm = WarmSolver(method)
    at_base = warm.equilibrium(assembly, assembly.stacked(base, name="base"))
    largest = largest_on_ramp(assembly, base, increment, method=method)
    convex = all(len(contact.volume) == 1 for contact in assembly.contacts)

    def result(
        status: RampStatus, value: float, bound: float, onset: Onset | None = None, endless: LoadLimit | None = None
    ) -> LoadRamp:
        return LoadRamp(status, value, bound, at_base, largest, onset, convex, method, stop, endless)

    if at_base.status is not Status.HOLDS:
        failed = at_base.status is Status.DOES_NOT_HOLD
        return result(RampStatus.FAILS_AT_BASE if failed else RampStatus.UNDECIDED, -np.inf, largest.upper_bound)
    if convex and largest.status in (Status.UNBOUNDED, Status.UNDECIDED):
        alone = load_limit(assembly, increment, method=method)
        if alone.status is Status.UNBOUNDED:
            if stop is not None:
                return result(RampStatus.HOLDS_THROUGHOUT, stop, np.inf, endless=alone)
            return result(RampStatus.UNBOUNDED, np.inf, np.inf, endless=alone)
    if convex or (largest.value <= 0.0 and largest.status is Status.OPTIMAL):
        if stop is not None and largest.value >= stop:
            return result(RampStatus.HOLDS_THROUGHOUT, stop, largest.upper_bound)
        if largest.status is Status.UNBOUNDED:
            return result(RampStatus.UNBOUNDED, np.inf, np.inf)
        known = largest.status is Status.OPTIMAL
        return result(RampStatus.FOUND if known else RampStatus.UNDECIDED, max(largest.value, 0.0), largest.upper_bound)
    end = largest.upper_bound * (1.0 + relative) if stop is None else stop
    if not np.isfinite(end):
        raise InputError(
            "no limit of the load is known", where="stop", fix="give the end of the search, such as stop=10"
        )
    width = end / STEPS if step is None else step
    path = ramp(assembly, base, increment)
    onset = slip_onset(path, 0.0, end, step=width, tolerance=relative * end, curved=False, method=method)
    if onset.status is OnsetStatus.SLIPS:
        return result(RampStatus.FOUND, onset.bracket[0], onset.bracket[1], onset)
    if onset.status is OnsetStatus.HOLDS_THROUGHOUT:
        return result(RampStatus.HOLDS_THROUGHOUT, end, largest.upper_bound, onset)
    reached = 0.0 if onset.held is None else onset.bracket[0]
    return result(RampStatus.UNDECIDED, reached, largest.upper_bound, onset)
