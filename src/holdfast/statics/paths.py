"""Paths: functions of a parameter to an assembly and a wrench; turning gravity, growing loads, and chained paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load
from ..assembly.contacts import Contact
from ..assembly.loads import STANDARD_GRAVITY, circle_directions
from ..checks import Array, BoolArray, Side
from ..errors import InputError, SolverError
from ..force_limits import ForceVolume
from ..force_limits.models.parameters import MOST_FACETS
from ..force_limits.models.registry import with_polygons
from ..geometry.frames import rotation_about
from ..jobs import fingerprint, sweep
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import Status
from .holding import Equilibrium, LoadLimit, Method, stats_data
from .solver import WarmSolver

Path: TypeAlias = Callable[[float], tuple[Assembly, Array]]
"""A parameter to (assembly, external wrench (6,) about the world origin)."""


@runtime_checkable
class Weighed(Protocol):
    """Something whose parts have a weight, such as a `Device`."""

    def assembly(self, gravity: ArrayLike = ...) -> Assembly:
        """Contacts and joint rows under gravity (3,) [m/s^2]."""
        ...

    def weight(self, gravity: ArrayLike) -> Array:
        """(6,) weight of the object about the world origin."""
        ...


@runtime_checkable
class Weighable(Protocol):
    """Something that can be put under another gravity, such as a `Scene`."""

    @property
    def gravity(self) -> Array:
        """(3,) [m/s^2]."""
        ...

    @property
    def assembly(self) -> Assembly:
        """Contacts and joint rows under `gravity`."""
        ...

    def with_gravity(self, gravity: ArrayLike) -> Weighable:
        """The same under another gravity (3,) [m/s^2]."""
        ...

    def gravity_load(self) -> Array:
        """(6,) weight of the object about the world origin."""
        ...


Subject: TypeAlias = Weighed | Weighable
"""What gravity can be turned for: a `Device`, a `Scene`, or anything with the same methods."""


@with_advice()
def under_gravity(subject: Subject, gravity: ArrayLike) -> tuple[Assembly, Array]:
    """(assembly, weight (6,)) of a device or scene under `gravity` (3,) [m/s^2]; joint rows include link weights."""
    if isinstance(subject, Weighable):
        placed = subject.with_gravity(gravity)
        return placed.assembly, placed.gravity_load()
    if isinstance(subject, Weighed):
        return subject.assembly(gravity), subject.weight(gravity)
    raise InputError(f"is a {type(subject).__name__}", where="subject", fix="give a Device or a Scene")


def gravity_size(subject: Subject) -> float:
    """The size of a scene's own gravity [m/s^2]; standard gravity for devices and where a scene has none."""
    own = float(np.linalg.norm(subject.gravity)) if isinstance(subject, Weighable) else 0.0
    return own or STANDARD_GRAVITY


@with_advice()
def rotating_gravity(
    subject: Subject,
    start: ArrayLike = (0.0, 0.0, -1.0),
    towards: ArrayLike = (1.0, 0.0, 0.0),
    *,
    load: Load | None = None,
) -> Path:
    """Gravity turned in a plane: at angle 0 [rad] along `start` (3,), after a quarter turn along `towards` (3,).

    This is equivalent to turning everything slowly in the opposite sense. Contacts do not move; the object's weight and
    the weight of the links on the joints turn. `load` (6,), for several bodies as `Assembly.stacked` takes it, also
    acts and is fixed to the object.
    """
    first, second = checks.direction("start", start, 3), checks.direction("towards", towards, 3)
    axis = np.cross(first, second)
    if np.linalg.norm(axis) < tolerances.ORTHONORMAL:
        raise InputError("is parallel to start", where="towards", fix="give a direction that spans a plane with start")
    return rotating_gravity_about(subject, axis, first, load=load)


@with_advice()
def rotating_gravity_about(
    subject: Subject, axis: ArrayLike, start: ArrayLike = (0.0, 0.0, -1.0), *, load: Load | None = None
) -> Path:
    """Gravity turned about an axis (3,) by the right-hand rule, from `start` (3,), which may be on a cone."""
    around, first = checks.direction("axis", axis, 3), checks.direction("start", start, 3)
    size = gravity_size(subject)

    def path(angle: float) -> tuple[Assembly, Array]:
        gravity = size * (rotation_about(around, checks.number("angle", angle)) @ first)
        assembly, weight = under_gravity(subject, gravity)
        return assembly, weight if load is None else weight + assembly.stacked(load)

    return path


@with_advice()
def ramp(assembly: Assembly, base: Load, increment: Load) -> Path:
    """A growing load: the wrench `base` + s `increment` (6,) at parameter s; several bodies have one each."""
    constant, growing = assembly.stacked(base, name="base"), assembly.stacked(increment, name="increment")
    if not growing.any():
        raise InputError("is the zero wrench", where="increment", fix="give a load that grows")
    return lambda s: (assembly, constant + checks.number("s", s) * growing)


@with_advice()
def chained(legs: Sequence[tuple[Path, float, float]]) -> tuple[Path, float]:
    """Several paths one after the other: (path, its total length).

    Each leg is (path, start, stop); the parameter runs from 0 and is the sum of |stop - start| of the legs so far.
    Where two legs meet, the later one is used.
    """
    if not legs:
        raise InputError("is empty", where="legs", fix="give at least one (path, start, stop)")
    parts = [
        (path, checks.number(f"legs[{i}][1]", a), checks.number(f"legs[{i}][2]", b))
        for i, (path, a, b) in enumerate(legs)
    ]
    ends = np.cumsum([abs(stop - start) for _, start, stop in parts])

    def path(parameter: float) -> tuple[Assembly, Array]:
        at = checks.number("parameter", parameter, low=0.0, high=float(ends[-1]))
        index = min(int(np.searchsorted(ends, at, side="right")), len(parts) - 1)
        leg, start, stop = parts[index]
        gone = at - (float(ends[index - 1]) if index else 0.0)
        return leg(start + np.sign(stop - start) * gone)

    return path, float(ends[-1])


# The first change of verdict along a parameter: a scan, then bisection, with undecided answers reported.

#: Most steps of a scan.
MOST_STEPS = 100_000

Ask = Callable[[float], Equilibrium]


@dataclass(frozen=True, eq=False)
class Sample:
    """The answer at one value of the parameter."""

    parameter: float
    answer: Equilibrium

    @property
    def status(self) -> Status:
        """Holds, does not hold, or undecided."""
        return self.answer.status


@dataclass(eq=False)
class VerdictChange:
    """The result of a search for the first change of verdict.

    Attributes:
        scan: the samples of the scan, in order.
        before: the last sample with the first verdict, or None.
        after: the first sample with the other verdict, or None.
        passed: undecided samples before `before`, of the scan and of the bisection.
        band: the undecided samples next to `before` and to `after` that ended the bisection, or None.
        tests: number of tests, bisection included.
    """

    scan: list[Sample] = field(default_factory=list)
    before: Sample | None = None
    after: Sample | None = None
    passed: list[Sample] = field(default_factory=list)
    band: tuple[Sample, Sample] | None = None
    tests: int = 0


def grid(start: float, stop: float, step: float) -> Array:
    """(n,) parameters from `start` to `stop`, both included, at most `step` apart; downwards if stop < start."""
    if stop == start:
        raise InputError(f"is {stop:g}, the same as start", where="stop", fix="give two different parameters")
    count = int(np.ceil(abs(stop - start) / step * (1.0 - tolerances.ROUNDING)))
    if count > MOST_STEPS:
        raise InputError(
            f"is {step:g} for a range of {abs(stop - start):g}", where="step", fix=f"at most {MOST_STEPS} steps"
        )
    return np.linspace(start, stop, max(count, 1) + 1)


def first_change(
    ask: Ask, parameters: Iterable[float], tolerance: float, *, leaving: Status = Status.HOLDS, whole: bool = False
) -> VerdictChange:
    """Scan `parameters` for the first step from `leaving` to the opposite verdict, then bisect it to `tolerance`.

    Undecided samples are skipped in the scan: the change is then bracketed by the decided ones around them.

    Args:
        ask: the question at one parameter.
        parameters: where to look, in order.
        tolerance: width of the bracket at which bisection ends.
        leaving: the verdict before the change, `HOLDS` or `DOES_NOT_HOLD`.
        whole: continue to the end of the parameters, for pictures; the change is still the first one.
    """
    change = VerdictChange()

    def test(parameter: float) -> Sample:
        change.tests += 1
        return Sample(float(parameter), ask(float(parameter)))

    waiting: list[Sample] = []  # undecided, and nothing decided after them yet
    for parameter in parameters:
        sample = test(parameter)
        change.scan.append(sample)
        if change.after is not None:
            continue
        if sample.status is leaving:
            change.before, change.passed = sample, waiting.copy()
        elif sample.status is not Status.UNDECIDED:
            change.after = sample
            if not whole:
                break
        else:
            waiting.append(sample)
    if change.before is not None and change.after is not None:
        _bisect(change, test, tolerance, leaving)
    return change


def _bisect(change: VerdictChange, test: Callable[[float], Sample], tolerance: float, leaving: Status) -> None:
    """Narrow `before` and `after`; where undecided answers lie between, narrow both towards them."""
    low, high = change.before, change.after
    assert low is not None
    assert high is not None
    open_low: Sample | None = None
    open_high: Sample | None = None
    while abs(high.parameter - low.parameter) > tolerance:
        if open_low is None or open_high is None:
            left, right = low, high
        elif abs(open_low.parameter - low.parameter) >= abs(high.parameter - open_high.parameter):
            left, right = low, open_low
        else:
            left, right = open_high, high
        if abs(right.parameter - left.parameter) <= tolerance:
            break  # both sides are next to the undecided band
        middle = 0.5 * (left.parameter + right.parameter)
        if middle in (left.parameter, right.parameter):
            break  # the tolerance is below rounding
        sample = test(middle)
        if sample.status is Status.UNDECIDED:
            if open_low is None or open_high is None:
                open_low = open_high = sample
            elif left is low:
                open_low = sample
            else:
                open_high = sample
        elif sample.status is leaving:
            if left is not low:
                change.passed += [s for s in (open_low, open_high) if s is not None]
                open_low = open_high = None
            low = sample
        else:
            if right is not high:
                open_low = open_high = None
            high = sample
    change.before, change.after = low, high
    change.band = None if open_low is None or open_high is None else (open_low, open_high)


def later_changes(ask: Ask, change: VerdictChange, tolerance: float) -> tuple[LaterChange, ...]:
    """The changes of verdict in a whole scan after the first one sought, each bisected to `tolerance`.

    Undecided samples are passed over. The tests asked are added to those of `change`.
    """
    decided = [sample for sample in change.scan if sample.status is not Status.UNDECIDED]
    pairs = [(one, other) for one, other in pairwise(decided) if one.status is not other.status]
    known = change.before is not None and change.after is not None
    found: list[LaterChange] = []

    def test(parameter: float) -> Sample:
        change.tests += 1
        return Sample(float(parameter), ask(float(parameter)))

    for before, after in pairs[1:] if known else pairs:
        narrowed = VerdictChange(before=before, after=after)
        _bisect(narrowed, test, tolerance, before.status)
        assert narrowed.before is not None
        assert narrowed.after is not None
        found.append(LaterChange(narrowed.before, narrowed.after))
    return tuple(found)


# Slip onset: where along a path of loads and postures it first fails to hold, with a proof on either side.


class OnsetStatus(StrEnum):
    """The outcome; the value is the message."""

    SLIPS = "slips"
    HOLDS_THROUGHOUT = "holds throughout"
    FAILS_AT_START = "does not hold at the start"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class CurvedOnset(Result):
    """Where a path slips with curved force limits (round friction cones) instead of their polygons.

    Polygons inside the curves hold at most as much as these, polygons around them at least as much. So the curved
    limits first fail after the last parameter at which the inner polygons hold, and no later than where the outer ones
    fail.

    Attributes:
        bracket: (a parameter up to which the inner polygons hold, one at which the outer ones do not); the second is
            inf (-inf downwards) where they hold to the end of the path.
        given: the same with as many facets as the path has.
        facets: most facets of the polygons of `bracket`; more than the path has, so that the bracket is narrow.
        given_facets: most facets of the polygons of the path.
        held, failed: the answers at both ends of `bracket`; None where there is none.
        tests: number of equilibrium tests in addition to those of the path itself.
        refinements: how many times as many facets as the path the polygons of `held` and of `failed` have.
        path: the question; None after unpickling, where nothing can be verified.
    """

    bracket: tuple[float, float]
    given: tuple[float, float]
    facets: int
    given_facets: int
    held: Equilibrium
    failed: Equilibrium | None
    tests: int
    refinements: tuple[int, int]
    path: Path | None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"path": None}

    def __repr__(self) -> str:
        return f"CurvedOnset([{self.bracket[0]:.6g}, {self.bracket[1]:.6g}], {self.facets} facets)"

    def to_dict(self) -> dict[str, Any]:
        """As plain data; parameters in the unit of the path."""
        names = ("bracket", "given", "facets", "given_facets", "tests")
        return {name: getattr(self, name) for name in names} | {"proof_verified": self.verify()}

    @proof
    def verify(self) -> bool:
        """Check without the solver that the inner polygons hold at one end and the outer ones fail at the other."""
        if self.path is None:
            return False
        (low, high), times = self.bracket, self.refinements
        inner = PolygonPath(self.path, "inner", times[0], None)
        if not self.held.proves(Status.HOLDS, *inner.question(low)):
            return False
        facets = polygon_facets(self.path(low)[0])
        if (facets, min(max(times) * facets, MOST_FACETS)) != (self.given_facets, self.facets):
            return False
        way = np.sign(high - low)
        if not way * self.given[0] <= way * low <= way * high <= way * self.given[1]:
            return False
        if self.failed is None:
            return math.isinf(high)
        outer = PolygonPath(self.path, "outer", times[1], None)
        return self.failed.proves(Status.DOES_NOT_HOLD, *outer.question(high))


@dataclass(frozen=True, eq=False)
class LaterChange:
    """A change of verdict after the first loss: a recovery, or a further loss.

    Attributes:
        before, after: the samples on either side; they have opposite verdicts.
    """

    before: Sample
    after: Sample

    @property
    def bracket(self) -> tuple[float, float]:
        """(last parameter with the verdict that is left, first with the new one)."""
        return self.before.parameter, self.after.parameter

    @property
    def value(self) -> float:
        """The middle of the bracket."""
        return 0.5 * (self.before.parameter + self.after.parameter)

    @property
    def holds(self) -> bool:
        """Whether it holds after the change."""
        return self.after.status is Status.HOLDS

    def to_dict(self) -> dict[str, Any]:
        """As plain data; parameters in the unit of the path."""
        return {"bracket": self.bracket, "holds": self.holds}


@dataclass(frozen=True, eq=False)
class Onset(Result):
    """Where a path first fails to hold.

    The parameters at which a path holds need not be an interval. Nothing was tested between two neighbours of the scan:
    a loss and a recovery within one step are missed. Use a smaller step to find shorter losses.
    Parameters beyond the first loss are tested with `whole=True` only.

    Attributes:
        status: slips, holds throughout (at every sample), does not hold at the start, or undecided.
        bracket: (last parameter that holds, first that does not) around the first change found; nan where unknown.
        held: the answer at the first end, with forces, or None.
        failed: the answer at the second end, with its certificate, or None.
        scan: the samples of the scan in order, bisection not included.
        step: largest distance of two samples.
        tolerance: largest width of the bracket.
        tests: total number of equilibrium tests.
        open: parameters before the bracket that stayed undecided: it may already fail there.
        band: parameters of the undecided answers inside the bracket that ended the bisection, or None.
        curved: the same with curved limits, if contacts have polygons instead of curved limits and it slips; else
            None. `bracket` is exact for the polygons; the error of the polygons may be far larger than its width.
        later: the changes of verdict after the first loss that a whole scan saw, in order, each bisected: a recovery, a
            further loss, and so on. Where it does not hold at the start, the first one is a recovery too.
        is_whole: whether the scan went on to the end after the first loss.
        path: the question; None after unpickling, where nothing can be verified.
    """

    TABLE: ClassVar[str] = "scan"

    status: OnsetStatus
    bracket: tuple[float, float]
    held: Equilibrium | None
    failed: Equilibrium | None
    scan: tuple[Sample, ...]
    step: float
    tolerance: float
    tests: int
    open: tuple[float, ...] = ()
    band: tuple[float, float] | None = None
    curved: CurvedOnset | None = None
    later: tuple[LaterChange, ...] = ()
    is_whole: bool = False
    path: Path | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"path": None}

    def __repr__(self) -> str:
        low, high = self.bracket
        where = f", [{low:.6g}, {high:.6g}]" if self.status is OnsetStatus.SLIPS else ""
        again = f", holds again from {self.recovery:.6g}" if self.later else ""
        return f"Onset({self.status.value}{where}{again}, {self.tests} tests)"

    @property
    def value(self) -> float:
        """The middle of the bracket when it slips, within half the tolerance of the change; nan otherwise."""
        return 0.5 * (self.bracket[0] + self.bracket[1]) if self.status is OnsetStatus.SLIPS else float("nan")

    @property
    def recovery(self) -> float:
        """Where it first holds again after it did not, within half the tolerance; nan where that was not seen."""
        return self.later[0].value if self.later else float("nan")

    def in_words(self, unit: str = "", scale: float = 1.0) -> str:
        """Where it slips and where it holds again, as a phrase: "slips from 32.1 to 50.4 and holds again beyond, ...".

        Args:
            unit: of the numbers printed: "degrees".
            scale: what parameters are multiplied by for that unit: 180/pi for degrees.
        """

        def at(parameter: float) -> str:
            return f"{scale * parameter:.4g}"

        slips = self.status is OnsetStatus.SLIPS
        if not slips and self.status is not OnsetStatus.FAILS_AT_START:
            return self.status.value
        unit = f" {unit}" if unit else ""
        begin = f"slips at {at(self.value)}{unit}" if slips else self.status.value
        if not self.is_whole:
            return begin
        unsure = sum(sample.status is Status.UNDECIDED for sample in self.scan)
        end = f"beyond, as far as {at(self.scan[-1].parameter)}{unit}"
        end += f"; {unsure} of {len(self.scan)} tests are undecided" if unsure else ""
        if not self.later:
            return f"{begin} and holds at no test {end}"
        places = [at(change.value) + unit for change in self.later]
        again = "holds again" if slips else "holds"
        first = f"slips from {at(self.value)}" if slips else f"{begin}, from {at(self.scan[0].parameter)}"
        parts = [f"{first} to {places[0]}"]
        parts += [f"{'slips' if number % 2 else again} to {place}" for number, place in enumerate(places[1:])]
        return f"{', '.join(parts)} and {again if self.later[-1].holds else 'slips'} {end}"

    @property
    def parameters(self) -> Array:
        """(n,) parameters of the scan."""
        return checks.array("scan", [sample.parameter for sample in self.scan], ("n",))

    @property
    def statuses(self) -> tuple[Status, ...]:
        """(n,) verdicts of the scan."""
        return tuple(sample.status for sample in self.scan)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; parameters in the unit of the path."""
        return {
            "status": self.status.value,
            "onset": self.value,
            "bracket": self.bracket,
            "held": verdict_data(self.held),
            "failed": verdict_data(self.failed),
            "proof_verified": self.verify(),
            "step": self.step,
            "tolerance": self.tolerance,
            "tests": self.tests,
            "undecided_before": self.open,
            "undecided_band": self.band,
            "curved": None if self.curved is None else self.curved.to_dict(),
            "recovery": self.recovery,
            "later_changes": [change.to_dict() for change in self.later],
            "is_whole": self.is_whole,
            "scan": [{"parameter": sample.parameter, "status": sample.status.value} for sample in self.scan],
        }

    @proof
    def verify(self) -> bool:
        """Check every verdict without the solver, from the path, and what follows from their order.

        Slips: forces at one end, a closed tree at the other, no further apart than the tolerance, between the first two
        samples of the scan with opposite verdicts. Holds throughout: forces at every sample. Does not hold at the
        start: the closed tree there. Undecided: nothing is proven. Later changes lie between their samples as well.
        """
        (low, high), scan, path = self.bracket, self.scan, self.path
        decided = [sample for sample in scan if sample.status is not Status.UNDECIDED]
        ends = [Sample(at, answer) for at, answer in ((low, self.held), (high, self.failed)) if answer is not None]
        changes = [(change.before, change.after) for change in self.later]
        samples = [*decided, *ends, *(sample for change in changes for sample in change)]
        if path is None or not all(one.answer.proves(one.status, *path(one.parameter)) for one in samples):
            return False
        steps = np.diff(self.parameters)
        way = float(np.sign(steps.sum()))
        even = self.step > 0.0 and self.tolerance > 0.0 and (way * steps > 0.0).all()
        even = even and (way * steps <= (1.0 + tolerances.SOLVER_ROUNDING) * self.step).all()
        if self.status is OnsetStatus.SLIPS:
            changes = [(ends[0], ends[1]), *changes]
            ended = ends[0].status is Status.HOLDS
        elif self.status is OnsetStatus.FAILS_AT_START:
            ended = self.held is None and math.isnan(low) and scan[0].status is ends[0].status is Status.DOES_NOT_HOLD
            ended = ended and high == scan[0].parameter
        else:
            ended = self.failed is None and math.isnan(high) and low == scan[-1].parameter
            ended = ended and self.status is OnsetStatus.HOLDS_THROUGHOUT and len(decided) == len(scan)
            ended = ended and scan[0].status is ends[0].status is Status.HOLDS
        widest = (1.0 + tolerances.SOLVER_ROUNDING) * self.tolerance
        narrow = all(abs(after.parameter - before.parameter) <= widest for before, after in changes)
        curved = self.curved is None or self._is_mine(self.curved, way)
        return bool(even and ended and narrow and curved) and are_changes_of(decided, changes, way)

    def _is_mine(self, curved: CurvedOnset, way: float) -> bool:
        """Whether where the curved limits slip is proven for this path, which leads `way`."""
        ahead = self.status is OnsetStatus.SLIPS and way * (curved.bracket[1] - curved.bracket[0]) >= 0.0
        return ahead and replace(curved, path=self.path).verify()


def are_changes_of(decided: Sequence[Sample], changes: Sequence[tuple[Sample, Sample]], way: float) -> bool:
    """Whether changes of verdict are those of decided samples: each within two neighbours, with their verdicts.

    Parameters grow if `way` is 1, and fall if it is -1.
    """
    pairs = [pair for pair in pairwise(decided) if pair[0].status is not pair[1].status]
    if len(pairs) != len(changes):
        return False
    for pair, change in zip(pairs, changes, strict=True):
        places = [way * sample.parameter for sample in (pair[0], *change, pair[1])]
        if places != sorted(places) or any(a.status is not b.status for a, b in zip(pair, change, strict=True)):
            return False
    return True


def verdict_data(answer: Equilibrium | None) -> dict[str, Any] | None:
    """Status of an answer and whether its proof was verified, as plain data."""
    return None if answer is None else {"status": answer.status.value, "proof_verified": answer.verify()}


@with_advice()
def slip_onset(
    path: Path | Weighable,
    start: float,
    stop: float,
    *,
    step: float,
    tolerance: float,
    whole: bool = False,
    curved: bool = True,
    method: Method | None = None,
) -> Onset:
    """The first parameter at which a path is no longer held: scanned by steps, bisected to a tolerance.

    Friction cones and other curved limits of ready models are polygons, and the onset is that of the polygons. The
    onset of the curved limits is found as well, by polygons inside and around them with as many facets as the tolerance
    needs.

    Args:
        path: parameter (an angle [rad], a factor, a time) to (assembly, external wrench (6,)); see `rotating_gravity`,
            `ramp` and `chained`. A scene means `rotating_gravity(scene)`.
        start: parameter to begin at.
        stop: parameter to end at; may be below `start`.
        step: largest distance of two samples of the scan; a loss between two samples that hold is not detected.
        tolerance: largest width of the bracket around the change.
        whole: scan to the end even after the first loss, and find where it holds again: see `Onset.later`.
        curved: whether to find where the curved limits slip: see `Onset.curved`; the search takes a few times as long.
        method: how to solve; `Exact()` by default, which starts each sample from the last one.
    """
    path = rotating_gravity(path) if isinstance(path, Weighable) else path
    if not callable(path):
        raise InputError(
            f"is a {type(path).__name__}", where="path", fix="give a function: parameter to (assembly, wrench)"
        )
    first, last = checks.number("start", start), checks.number("stop", stop)
    width = checks.positive("step", step)
    narrow = checks.positive("tolerance", tolerance)
    warm = WarmSolver(method)

    def ask(parameter: float) -> Equilibrium:
        given: Any = path(parameter)
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            what = f"returns a {type(given).__name__} at {parameter:g}"
            raise InputError(what, where="path", fix="a path must return (assembly, wrench)")
        return warm.equilibrium(*given)

    change = first_change(ask, grid(first, last, width), narrow, whole=whole)
    found = onset_of(path, change, width, narrow)
    if whole:
        later = later_changes(ask, change, narrow)
        found = replace(found, later=later, is_whole=True, tests=change.tests)
    if not curved or found.status is not OnsetStatus.SLIPS:
        return found
    return replace(found, curved=_curved_onset(path, found, first, last, method))


def polygon_facets(assembly: Assembly) -> int:
    """The most facets of polygons that replace curved limits; 0 where no contact has any."""
    recipes = [contact.volume.recipe for contact in assembly.contacts]
    return max((recipe.facets for recipe in recipes if recipe is not None), default=0)


#: Errors of polygons below this are not mentioned.
FINE_POLYGON = 0.002


@dataclass(frozen=True)
class PolygonError:
    """By how much the coarsest polygons differ from the round limits (friction cones) that they replace.

    Attributes:
        facets: of the coarsest polygon.
        side: "inner": too narrow by up to `error`, answers are on the safe side; "outer": too wide.
        error: 1 - cos(pi / facets), the largest relative error of a force.
    """

    facets: int
    side: str
    error: float

    def __str__(self) -> str:
        how = "narrow" if self.side == "inner" else "wide"
        fix = f"if this decides the result, set the model's accuracy: {FINE_POLYGON:g}"
        return f"round limits are polygons of {self.facets} facets, up to {100.0 * self.error:.2g} % too {how}; {fix}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"facets": self.facets, "side": self.side, "error": self.error}


def polygon_error(assembly: Assembly) -> PolygonError | None:
    """The error of the coarsest polygons of the contacts; None without any, or where all are fine (0.2 %)."""
    recipes = [contact.volume.recipe for contact in assembly.contacts]
    sides = [(r.facets, str(r.parameters.get("side", "inner"))) for r in recipes if r is not None and r.facets]
    if not sides:
        return None
    facets, side = min(sides)
    error = 1.0 - math.cos(math.pi / facets)
    return PolygonError(facets, side, error) if error > FINE_POLYGON else None


#: The bracket of curved limits consists of the error of polygons and of two bisections, each to this share of it.
BISECTED = 0.25


class PolygonPath:
    """A path whose contacts have polygons of one side, with more facets than given; unchanged contacts are kept."""

    def __init__(self, path: Path, side: Side, times: int, method: Method | None) -> None:
        self._path, self._times, self._warm = path, times, WarmSolver(method)
        self._side: Side = side
        self._contacts: dict[int, tuple[Contact, Contact]] = {}
        self._volumes: dict[int, tuple[ForceVolume, ForceVolume]] = {}

    def __call__(self, parameter: float) -> Equilibrium:
        """Whether it holds at a parameter."""
        return self._warm.equilibrium(*self.question(parameter))

    def question(self, parameter: float) -> tuple[Assembly, Array]:
        """(assembly with these polygons, external wrench) at a parameter."""
        assembly, wrench = self._path(parameter)
        return self.assembly(assembly), wrench

    def assembly(self, given: Assembly) -> Assembly:
        """The assembly with these polygons."""
        contacts = [self._contact(contact) for contact in given.contacts]
        if len(self._contacts) > 2 * len(contacts):  # a path that makes new contacts
            self._contacts.clear()
        return replace(given, contacts=contacts)

    def _contact(self, contact: Contact) -> Contact:
        if id(contact) not in self._contacts:
            volume = contact.volume
            if id(volume) not in self._volumes:
                self._volumes[id(volume)] = volume, with_polygons(volume, self._side, self._times)
            self._contacts[id(contact)] = contact, replace(contact, volume=self._volumes[id(volume)][1])
        return self._contacts[id(contact)][1]


def _curved_onset(path: Path, found: Onset, start: float, stop: float, method: Method | None) -> CurvedOnset | None:
    """Where the curved limits of a path slip; None where no contact has any."""
    assert found.held is not None
    recipes = [contact.volume.recipe for contact in found.held.assembly.contacts]
    given = polygon_facets(found.held.assembly)
    if not given:
        return None
    narrow, asked = BISECTED * found.tolerance, 0

    def change(side: Side, times: int, first: float, last: float) -> VerdictChange:
        nonlocal asked
        parameters = [first] if first == last else grid(first, last, found.step)
        made = first_change(PolygonPath(path, side, times, method), parameters, narrow)
        asked += made.tests
        return made

    before, refinements = Sample(found.bracket[0], found.held), [1, 1]
    if any(recipe is not None and recipe.facets and recipe.parameters["side"] == "outer" for recipe in recipes):
        inner = change("inner", 1, start, stop)
        if inner.before is None:
            return None
        before = inner.before
    after = change("outer", 1, before.parameter, stop).after
    end = np.copysign(np.inf, stop - start)

    def bracket() -> tuple[float, float]:
        return before.parameter, float(end) if after is None else after.parameter

    first, times = bracket(), 1
    while abs((stop if after is None else after.parameter) - before.parameter) > found.tolerance:
        width = abs((stop if after is None else after.parameter) - before.parameter)
        more = max(2, int(np.ceil(np.sqrt(width / ((1.0 - 2.0 * BISECTED) * found.tolerance)))))  # errors go as 1/n^2
        if times * given >= MOST_FACETS:
            break
        times = min(times * more, -(-MOST_FACETS // given))
        last = stop if after is None else after.parameter
        if (closer := change("inner", times, before.parameter, last).before) is not None:
            before, refinements[0] = closer, times
        if (closer := change("outer", times, before.parameter, last).after) is not None:
            after, refinements[1] = closer, times
    failed, facets = None if after is None else after.answer, min(max(refinements) * given, MOST_FACETS)
    return CurvedOnset(
        bracket(), first, facets, given, before.answer, failed, asked, (refinements[0], refinements[1]), path
    )


def onset_of(path: Path, change: VerdictChange, step: float, tolerance: float) -> Onset:
    """What the first change from holding to not holding along a path says about slip."""
    before, after, nan = change.before, change.after, float("nan")
    undecided = any(sample.status is Status.UNDECIDED for sample in change.scan)
    band = None if change.band is None else (change.band[0].parameter, change.band[1].parameter)
    if after is None:
        status = OnsetStatus.UNDECIDED if undecided else OnsetStatus.HOLDS_THROUGHOUT
    elif before is None:
        status = OnsetStatus.FAILS_AT_START if change.scan[0] is after else OnsetStatus.UNDECIDED
    else:
        narrow = abs(after.parameter - before.parameter) <= (1.0 + tolerances.SOLVER_ROUNDING) * tolerance
        status = OnsetStatus.SLIPS if narrow else OnsetStatus.UNDECIDED
    return Onset(
        status=status,
        bracket=(nan if before is None else before.parameter, nan if after is None else after.parameter),
        held=None if before is None else before.answer,
        failed=None if after is None else after.answer,
        scan=tuple(change.scan),
        step=step,
        tolerance=tolerance,
        tests=change.tests,
        open=tuple(sample.parameter for sample in change.passed),
        band=band,
        path=path,
    )


# Sequences of postures: verdict and margin of each, started from the previous one.


@dataclass(frozen=True, eq=False)
class PathEvaluation(Result):
    """The answers along a sequence of postures.

    Attributes:
        answers: one Equilibrium per posture, with its proof.
        limits: one LoadLimit per posture along its own wrench, or () when they were not computed.
    """

    answers: tuple[Equilibrium, ...]
    limits: tuple[LoadLimit, ...] = ()

    def __repr__(self) -> str:
        return f"PathEvaluation({int(self.holds.sum())} of {len(self)} hold)"

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The verdict of each posture."""
        return tuple(answer.status for answer in self.answers)

    @property
    def holds(self) -> BoolArray:
        """(n,) whether forces were found; undecided does not count as holding."""
        return np.array([answer.holds for answer in self.answers], dtype=bool)

    @property
    def margins(self) -> Array:
        """(n,) load limits as multiples of each posture's wrench; inf without a limit, nan when not computed.

        A posture with the weight of links on the joints may hold its wrench and not a smaller share of it.
        """
        if not self.limits:
            return np.full(len(self), np.nan)
        return np.array([limit.value for limit in self.limits])

    @property
    def first_loss(self) -> int | None:
        """Number of the first posture that is proven not to hold, or None."""
        return next((i for i, status in enumerate(self.statuses) if status is Status.DOES_NOT_HOLD), None)

    def to_dict(self) -> dict[str, Any]:
        """As plain data: verdict and margin of each posture."""
        return {
            "statuses": [status.value for status in self.statuses],
            "margins": self.margins.tolist(),
            "first_loss": self.first_loss,
            "proof_verified": self.verify(),
        }

    @proof
    def verify(self) -> bool:
        """Check every verdict and margin without the solver; False if any is undecided."""
        for answer, limit in zip(self.answers, self.limits, strict=bool(self.limits)):
            if limit.assembly is not answer.assembly or not same(limit.direction, answer.wrench):
                return False
        return all(answer.verify() for answer in (*self.answers, *self.limits))


@with_advice()
def evaluate_path(
    postures: Iterable[tuple[Assembly, Array]], *, margins: bool = False, method: Method | None = None
) -> PathEvaluation:
    """Whether each of a sequence of postures holds, each search started from the last one.

    Args:
        postures: (assembly, external wrench (6,)) in order; similar neighbours are fastest.
        margins: whether to find the load limit of each along its wrench as well.
        method: how to solve; `Exact()` by default.
    """
    warm = WarmSolver(method)
    answers: list[Equilibrium] = []
    limits: list[LoadLimit] = []
    checks.iterable("postures", postures, fix="give a list of (assembly, wrench)")
    for index, posture in enumerate(postures):
        if not isinstance(posture, tuple) or len(posture) != 2 or not isinstance(posture[0], Assembly):
            raise InputError("is not a posture", where=f"postures[{index}]", fix="give (assembly, wrench)")
        assembly = posture[0]
        wrench = assembly.stacked(posture[1], name=f"postures[{index}][1]")
        if margins and not wrench.any():
            fix = "give a load to multiply, or leave margins out"
            raise InputError("is zero and has no margin", where=f"postures[{index}][1]", fix=fix)
        answers.append(warm.equilibrium(assembly, wrench))
        if margins:
            limits.append(warm.load_limit(assembly, wrench))
    if not answers:
        raise InputError("is empty", where="postures", fix="give at least one (assembly, wrench)")
    return PathEvaluation(tuple(answers), tuple(limits))


# Gravity sweeps: verdict and load factor of a device or scene with gravity from many directions, saved while running.

#: Directions of one chunk, which is computed, saved and distributed as a unit.
CHUNK = 6


@dataclass(frozen=True, eq=False)
class GravitySweep(Result):
    """The verdicts of a gravity sweep.

    Attributes:
        results: one dictionary per direction, as returned by `GravityTask`: plain JSON values without times, so that a
            journal has the same bytes in every run.
    """

    TABLE: ClassVar[str] = "results"

    results: tuple[dict[str, Any], ...]

    def __repr__(self) -> str:
        return f"GravitySweep(holds in {int(self.holds.sum())} of {len(self)} directions)"

    def __len__(self) -> int:
        return len(self.results)

    @property
    def gravities(self) -> Array:
        """(n, 3) gravity in the frame of the contacts [m/s^2]."""
        return np.array([result["gravity"] for result in self.results])

    @property
    def status(self) -> Array:
        """(n,) as `Status`."""
        return np.array([Status(result["status"]) for result in self.results], dtype=object)

    @property
    def verified(self) -> BoolArray:
        """(n,) whether the proof of each verdict was checked and is correct."""
        return np.array([result["proof_verified"] for result in self.results], dtype=bool)

    @property
    def factors(self) -> Array:
        """(n,) largest multiples of the object's weight that are held, the links' weight kept; nan: not computed."""
        return self._numbers("load_factor")

    @property
    def upper_bounds(self) -> Array:
        """(n,) no factor above this holds."""
        return self._numbers("load_factor_upper_bound")

    def _numbers(self, name: str) -> Array:
        return np.array([np.nan if result[name] is None else float(result[name]) for result in self.results])

    @property
    def holds(self) -> BoolArray:
        """(n,) whether it was found to hold; undecided does not count."""
        return np.array([result["status"] == Status.HOLDS.value for result in self.results], dtype=bool)

    @property
    def least_factor(self) -> float:
        """The smallest load factor of all directions; nan when none was computed."""
        return float(np.min(self.factors))

    def to_dict(self) -> dict[str, Any]:
        """The results, how many directions ended how, and the least load factor."""
        statuses = [result["status"] for result in self.results]
        known = self.factors[np.isfinite(self.factors) | np.isinf(self.factors)]
        return {
            "results": list(self.results),
            "holding": statuses.count("holds"),
            "failing": statuses.count("does not hold"),
            "undecided": statuses.count("undecided"),
            "least_load_factor": float(known.min()) if len(known) else None,
        }


class GravityTask:
    """The task of a sweep for each direction; it can be sent to other processes, and has the same results there.

    The exact method starts each direction from the last one, and each chunk from scratch: results do not depend on
    which process computed the chunk before.
    """

    batch = CHUNK

    def __init__(
        self, subject: Subject, method: Method | None = None, *, factors: bool = True, load: Array | None = None
    ) -> None:
        self.subject, self.method, self.factors, self.load = subject, method, factors, load

    def __call__(self, query: Any) -> dict[str, Any]:
        """The answer for one gravity (3,) [m/s^2], from scratch."""
        return self.many([query])[0]

    def many(self, queries: Sequence[Any]) -> list[dict[str, Any]]:
        """The answers for several gravities, each search started from the last one."""
        warm = WarmSolver(self.method)
        return [self._answer(warm, query) for query in queries]

    def _answer(self, warm: WarmSolver, query: Any) -> dict[str, Any]:
        gravity = np.asarray(query, dtype=np.float64)
        assembly, weight = under_gravity(self.subject, gravity)
        weight = weight if self.load is None else weight + self.load
        result: dict[str, Any] = {
            "gravity": gravity.tolist(),
            "status": Status.UNDECIDED.value,
            "proof_verified": False,
            "load_factor": None,
            "load_factor_upper_bound": None,
            "effort": None,
            "load_factor_effort": None,
        }
        with suppress(SolverError):  # if a backend fails, one direction is undecided and the sweep continues
            held = warm.equilibrium(assembly, weight)
            result |= {"status": held.status.value, "proof_verified": held.verify()}
            result["effort"] = stats_data(held.effort, times=False)
            if self.factors:
                most = warm.load_limit(assembly, weight)
                result["load_factor"] = json_number(most.value)
                result["load_factor_upper_bound"] = json_number(most.upper_bound)
                result["load_factor_effort"] = stats_data(most.effort, times=False)
        return result


def json_number(value: float) -> float | str:
    """A number for JSON: infinities as "inf" and "-inf"."""
    return float(value) if np.isfinite(value) else str(float(value))


@with_advice()
def gravity_sweep(
    subject: Subject,
    directions: ArrayLike | int = 72,
    *,
    factors: bool = True,
    load: Load | None = None,
    method: Method | None = None,
    journal: str | FilePath | None = None,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GravitySweep:
    """Whether a device or scene holds with gravity along each of many directions, and how many times its weight.

    Args:
        subject: a `Device` or a `Scene`, held by its base.
        directions: (n, 3) directions of gravity in the frame of the contacts; a whole number n means a circle in the
            x-z plane that begins straight down (IV.E: 72).
        factors: whether to find load factors too; verdicts alone are about twice as fast.
        load: (6,) further external wrench that does not turn, as `Assembly.stacked` takes it; load factors are then
            multiples of it and the weight together.
        method: how to solve; `Exact()` by default.
        journal: file to save to and to resume from; only missing results are computed.
        workers: number of processes.
        cluster: address of a Dask scheduler whose workers are used instead.
        progress: called with (done, total).
    """
    if isinstance(directions, int | np.integer):
        units = circle_directions(int(directions))
    else:
        given = checks.array("directions", directions, ("n", 3))
        if not len(given):
            raise InputError("is empty", where="directions", fix="give at least one direction of gravity")
        units = np.array([checks.direction(f"directions[{i}]", row, 3) for i, row in enumerate(given)])
    assembly, _ = under_gravity(subject, units[0])  # an unsuitable subject is reported before the sweep begins
    constant = None if load is None else assembly.stacked(load)
    queries = (gravity_size(subject) * units).tolist()
    return GravitySweep(
        tuple(
            sweep(
                GravityTask(subject, method, factors=factors, load=constant),
                queries,
                workers=workers,
                cluster=cluster,
                journal=journal,
                key=_key(subject, method, factors, constant),
                progress=progress,
            )
        )
    )


def _key(subject: Subject, method: Method | None, factors: bool, load: Array | None) -> str:
    """What the results depend on in addition to the direction: contacts, joints, weights at three gravities, method."""
    parts: list[Any] = ["gravity sweep", repr(method), factors, *([] if load is None else [load.tolist()])]
    for axis in np.eye(3):  # weights are linear in gravity: three directions determine them
        assembly, weight = under_gravity(subject, axis)
        parts.append([assembly.fingerprint, weight])
    return fingerprint(*parts)
