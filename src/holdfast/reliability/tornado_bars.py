"""Tornado data: by how much the load limit changes when each parameter changes by a stated amount, largest first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..solvers import Status
from ..statics.equilibrium import Method
from .derivatives import Derivative, Sensitivity
from .parameters import Kind, changed_problem


@dataclass(frozen=True, kw_only=True)
class Changes:
    """By how much parameters are changed, up and down.

    Attributes:
        share: of strengths, friction, joint bounds and load components (of the load's force or torque); 0.05 is 5 %.
        shift: of positions and of the load's point of application [m].
        turn: of contact frames [rad].
    """

    share: float = 0.05
    shift: float = 1e-3
    turn: float = math.radians(1.0)

    def __post_init__(self) -> None:
        checks.number("share", self.share, low=0.0, high=1.0, ends="open")
        checks.number("shift", self.shift, low=0.0, ends="open", unit="m")
        checks.number("turn", self.turn, low=0.0, high=math.pi, ends="open", unit="rad")

    def amount(self, derivative: Derivative) -> float:
        """The change of one parameter, in its unit."""
        kind = derivative.parameter.kind
        if kind in (Kind.POSITION, Kind.POINT):
            return self.shift
        return self.turn if kind is Kind.ORIENTATION else self.share * derivative.parameter.size


@dataclass(frozen=True)
class Bar:
    """One parameter of a tornado.

    Attributes:
        derivative: the parameter and its slopes.
        amount: the change, in the parameter's unit.
        down, up: change of the load limit for a decrease and an increase by that amount, by the slopes.
        solved_down, solved_up: the same solved anew; nan where not asked for, not possible or not decided.
    """

    derivative: Derivative
    amount: float
    down: float
    up: float
    solved_down: float = np.nan
    solved_up: float = np.nan

    @property
    def label(self) -> str:
        """The parameter's name."""
        return self.derivative.parameter.label

    @property
    def size(self) -> float:
        """The larger of the two changes, solved anew where that is known."""
        down = self.down if np.isnan(self.solved_down) else self.solved_down
        up = self.up if np.isnan(self.solved_up) else self.solved_up
        return max(abs(down), abs(up))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **self.derivative.to_dict(),
            "amount": self.amount,
            "down": self.down,
            "up": self.up,
            "solved_down": self.solved_down,
            "solved_up": self.solved_up,
        }


@dataclass(frozen=True, eq=False)
class Tornado:
    """Changes of a load limit, largest first.

    Attributes:
        sensitivity: the derivatives behind them.
        changes: by how much parameters were changed.
        bars: one a parameter, sorted.
        solved: whether limits were solved anew.
    """

    sensitivity: Sensitivity
    changes: Changes
    bars: tuple[Bar, ...]
    solved: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the limit, the changes, the bars in order."""
        return {
            "limit": self.sensitivity.value,
            "smooth": self.sensitivity.smooth,
            "changes": {"share": self.changes.share, "shift_m": self.changes.shift, "turn_rad": self.changes.turn},
            "bars": [bar.to_dict() for bar in self.bars],
        }


def tornado(sensitivity: Sensitivity, changes: Changes | None = None, *, solve: int = 0) -> Tornado:
    """The change of the limit for a stated change of each parameter, by its slopes.

    Args:
        sensitivity: the derivatives.
        changes: by how much parameters change; 5 %, 1 mm and 1 degree by default.
        solve: this many of the largest bars are solved anew besides, each twice.
    """
    from ..solvers import Exact

    changes = changes or Changes()
    solve = checks.count("solve", solve, low=0)
    bars = []
    for derivative in sensitivity.derivatives:
        amount = changes.amount(derivative)
        bars.append(Bar(derivative, amount, derivative.change(-amount), derivative.change(amount)))
    bars.sort(key=lambda bar: -bar.size if not np.isnan(bar.size) else 0.0)
    method = Exact()
    again = [
        Bar(b.derivative, b.amount, b.down, b.up, *(_solved(sensitivity, b, sign, method) for sign in (-1.0, 1.0)))
        for b in bars[:solve]
    ]
    ordered = sorted([*again, *bars[solve:]], key=lambda bar: -bar.size if not np.isnan(bar.size) else 0.0)
    return Tornado(sensitivity, changes, tuple(ordered), solve > 0)


def _solved(sensitivity: Sensitivity, bar: Bar, sign: float, method: Method) -> float:
    """Change of the limit with the parameter changed by sign times the amount; nan when it cannot be said."""
    limit, parameter = sensitivity.limit, bar.derivative.parameter
    problem = changed_problem(limit.assembly, limit.problem, limit.direction, parameter, sign * bar.amount)
    if (problem.lower > problem.upper).any():
        return np.nan
    solution = method.maximise(problem)
    if solution.status is Status.UNBOUNDED:
        return np.inf
    if solution.status is Status.DOES_NOT_HOLD:
        return -np.inf
    return solution.factor - sensitivity.value if solution.status is Status.OPTIMAL else np.nan
