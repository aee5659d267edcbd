"""The first change of verdict along a parameter: a scan, then bisection, with undecided answers kept in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from ...checks import Array
from ...errors import InputError
from ...solvers import Status
from ..equilibrium import Equilibrium

#: The longest scan that is begun.
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
class Change:
    """What a search for the first change of verdict found.

    Attributes:
        scan: the samples of the scan, in order.
        before: the last sample with the verdict that is left, or None.
        after: the first sample with the other verdict, or None.
        passed: undecided samples that stand before `before`, of the scan and of the bisection.
        band: the undecided samples next to `before` and to `after` that bisection could not pass, or None.
        tests: questions asked, bisection included.
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
    count = int(np.ceil(abs(stop - start) / step * (1.0 - 1e-12)))
    if count > MOST_STEPS:
        raise InputError(
            f"is {step:g} for a range of {abs(stop - start):g}", where="step", fix=f"at most {MOST_STEPS} steps"
        )
    return np.linspace(start, stop, max(count, 1) + 1)


def first_change(
    ask: Ask, parameters: Iterable[float], tolerance: float, *, leaving: Status = Status.HOLDS, whole: bool = False
) -> Change:
    """Scan `parameters` for the first step from `leaving` to the opposite verdict, then bisect it to `tolerance`.

    Undecided samples are passed over in the scan: the change is then bracketed by the decided ones around them.

    Args:
        ask: the question at one parameter.
        parameters: where to look, in order.
        tolerance: width of the bracket at which bisection ends.
        leaving: the verdict to be left, `HOLDS` or `DOES_NOT_HOLD`.
        whole: go on to the end of the parameters, for the picture; the change is the first one all the same.
    """
    change = Change()

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


def _bisect(change: Change, test: Callable[[float], Sample], tolerance: float, leaving: Status) -> None:
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
            break  # both sides stand next to the undecided band
        middle = 0.5 * (left.parameter + right.parameter)
        if middle in (left.parameter, right.parameter):
            break  # the tolerance is finer than the numbers
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
