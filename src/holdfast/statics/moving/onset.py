"""Slip onset: where along a path of loads and postures it first lets go, with a proof on either side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ... import checks
from ...checks import Array
from ...errors import InputError
from ...solvers import Status
from ..equilibrium import Equilibrium, Method
from .bracketing import Change, Sample, first_change, grid
from .paths import Path
from .warm import Warm

#: Share of the tolerance that rounding may add to a bracket.
ROUNDING = 1e-9


class OnsetStatus(StrEnum):
    """What came out; the value is the message."""

    SLIPS = "slips"
    HOLDS_THROUGHOUT = "holds throughout"
    FAILS_AT_START = "does not hold at the start"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Onset:
    """Where a path first leaves what is held.

    The parameters at which a path holds need not be an interval. Between two neighbours of the scan that both hold
    nothing was asked: a loss and a recovery within one step are missed. A smaller step sees more.

    Attributes:
        status: slips, holds throughout (at every sample), does not hold at the start, or undecided.
        bracket: (last parameter that holds, first that does not) around the first change found; nan where unknown.
        held: the answer at the first end, with forces, or None.
        failed: the answer at the second end, with its certificate, or None.
        scan: the samples of the scan in order, bisection not included.
        step: largest distance of two samples.
        tolerance: width wanted of the bracket.
        tests: equilibrium tests asked in all.
        open: parameters before the bracket that stayed undecided: it may have let go there already.
        band: parameters of the undecided answers inside the bracket that kept it from being narrowed, or None.
    """

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

    def __repr__(self) -> str:
        low, high = self.bracket
        where = f", [{low:.6g}, {high:.6g}]" if self.status is OnsetStatus.SLIPS else ""
        return f"Onset({self.status.value}{where}, {self.tests} tests)"

    @property
    def value(self) -> float:
        """The middle of the bracket when it slips, within half the tolerance of the change; nan otherwise."""
        return 0.5 * (self.bracket[0] + self.bracket[1]) if self.status is OnsetStatus.SLIPS else float("nan")

    @property
    def parameters(self) -> Array:
        """(n,) parameters of the scan."""
        return checks.array("scan", [sample.parameter for sample in self.scan], ("n",))

    @property
    def statuses(self) -> tuple[Status, ...]:
        """(n,) verdicts of the scan."""
        return tuple(sample.status for sample in self.scan)

    def verify(self) -> bool:
        """Check without the solver what the status says.

        Slips: forces at one end, a closed tree at the other, no further apart than the tolerance. Holds throughout:
        forces at every sample. Does not hold at the start: the closed tree there. Undecided: nothing is proven.
        """
        if self.status is OnsetStatus.HOLDS_THROUGHOUT:
            return all(sample.status is Status.HOLDS and sample.answer.verify() for sample in self.scan)
        failed = self.failed is not None and self.failed.status is Status.DOES_NOT_HOLD and self.failed.verify()
        if self.status is OnsetStatus.FAILS_AT_START:
            return failed
        if self.status is OnsetStatus.UNDECIDED or self.held is None:
            return False
        narrow = abs(self.bracket[1] - self.bracket[0]) <= (1.0 + ROUNDING) * self.tolerance
        return narrow and failed and self.held.holds and self.held.verify()


def slip_onset(
    path: Path,
    start: float,
    stop: float,
    *,
    step: float,
    tolerance: float,
    whole: bool = False,
    method: Method | None = None,
) -> Onset:
    """The first parameter at which a path is no longer held: scanned by steps, bisected to a tolerance.

    Args:
        path: parameter (an angle [rad], a factor, a time) to (assembly, external wrench (6,)); see `turning`, `ramp`
            and `chained`.
        start: parameter to begin at.
        stop: parameter to end at; may be below `start`.
        step: largest distance of two samples of the scan; what happens between two that hold is not seen.
        tolerance: largest width of the bracket around the change.
        whole: scan to the end even after the first loss, to see where it holds again.
        method: how to solve; `Exact()` by default, which stays warm from one sample to the next.
    """
    if not callable(path):
        raise InputError(
            f"is a {type(path).__name__}", where="path", fix="give a function: parameter to (assembly, wrench)"
        )
    first, last = checks.number("start", start), checks.number("stop", stop)
    width = checks.positive("step", step)
    narrow = checks.positive("tolerance", tolerance)
    warm = Warm(method)

    def ask(parameter: float) -> Equilibrium:
        given: Any = path(parameter)
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            what = f"returns a {type(given).__name__} at {parameter:g}"
            raise InputError(what, where="path", fix="let a path return (assembly, wrench)")
        return warm.equilibrium(*given)

    return onset_of(first_change(ask, grid(first, last, width), narrow, whole=whole), width, narrow)


def onset_of(change: Change, step: float, tolerance: float) -> Onset:
    """What the first change from holding to not holding says about slip."""
    before, after, nan = change.before, change.after, float("nan")
    undecided = any(sample.status is Status.UNDECIDED for sample in change.scan)
    band = None if change.band is None else (change.band[0].parameter, change.band[1].parameter)
    if after is None:
        status = OnsetStatus.UNDECIDED if undecided else OnsetStatus.HOLDS_THROUGHOUT
    elif before is None:
        status = OnsetStatus.FAILS_AT_START if change.scan[0] is after else OnsetStatus.UNDECIDED
    else:
        narrow = abs(after.parameter - before.parameter) <= (1.0 + ROUNDING) * tolerance
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
    )
