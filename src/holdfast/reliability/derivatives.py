"""`sensitivity`: the derivative of a load limit by every parameter, to the left and to the right, from the dual.

For the pieces of the answer the slopes are those of a linear program (`optima`); over unions of pieces, those of all
choices that attain the limit count (`tied_choices`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..solvers import Status
from ..statics.equilibrium import LoadLimit, load_limit
from .parameters import Kind, Parameter, parameters_of, rate_of
from .tied_choices import TiedChoices, same_slope

#: The relative gap to which limits are solved before they are differentiated.
TIGHT_GAP = 1e-9

#: Seconds for the tight limit; after that one to the usual gap is differentiated.
TIGHT_SECONDS = 5.0


@dataclass(frozen=True)
class Derivative:
    """How fast the load limit changes with one parameter.

    Attributes:
        parameter: which.
        left: derivative for a decrease of the parameter [multiples of the load per unit]; infinite at a jump.
        right: derivative for an increase.
        smooth: whether both are one: no kink.
        proven: whether no other choice of pieces that attains the limit changes faster. Where not, the true `right`
            is no smaller, the true `left` no larger.
    """

    parameter: Parameter
    left: float
    right: float
    smooth: bool
    proven: bool

    @property
    def value(self) -> float:
        """The derivative where there is one; nan at a kink."""
        return self.right if self.smooth else np.nan

    def change(self, amount: float) -> float:
        """First-order change of the limit for a change of the parameter by `amount` [its unit]."""
        return 0.0 if amount == 0.0 else (self.right if amount > 0.0 else self.left) * amount

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        p = self.parameter
        return {
            "parameter": p.label,
            "kind": str(p.kind),
            "of": p.of,
            "axis": p.axis,
            "unit": p.unit,
            "left": self.left,
            "right": self.right,
            "smooth": self.smooth,
            "proven": self.proven,
        }


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives of a load limit by everything it depends on.

    Attributes:
        limit: the load limit, solved to `TIGHT_GAP`.
        derivatives: one a parameter: units, contacts, joint bounds, load.
        multipliers: (m,) y over the scaled rows of the answer's pieces, y . load = -1.
        forces: (k, 3) local forces that attain the limit [N].
        choices: boxes of tied piece choices that were compared.
    """

    limit: LoadLimit
    derivatives: tuple[Derivative, ...]
    multipliers: Array
    forces: Array
    choices: int

    def __repr__(self) -> str:
        kinks = len(self.kinks)
        return f"Sensitivity(limit {self.value:.6g}, {len(self.derivatives)} parameters, {kinks} at a kink)"

    @property
    def assembly(self) -> Assembly:
        """What was asked about."""
        return self.limit.assembly

    @property
    def value(self) -> float:
        """The load limit, in multiples of the load."""
        return self.limit.value

    @property
    def kinks(self) -> tuple[Derivative, ...]:
        """The derivatives that differ to the left and to the right."""
        return tuple(d for d in self.derivatives if not d.smooth)

    @property
    def smooth(self) -> bool:
        """Whether the limit has a derivative by every parameter."""
        return not self.kinks

    def of(self, kind: Kind) -> tuple[Derivative, ...]:
        """The derivatives by one kind of parameter, in the order of the assembly; units of points first."""
        return tuple(d for d in self.derivatives if d.parameter.kind is kind)

    @cached_property
    def strength(self) -> Array:
        """(k,) derivative by each contact's strength, per 1 (100 %); nan at a kink."""
        return self._by_contact(Kind.STRENGTH)[:, 0]

    @cached_property
    def friction(self) -> Array:
        """(k,) derivative by each contact's shear stretch, per 1 (100 %); nan at a kink."""
        return self._by_contact(Kind.FRICTION)[:, 0]

    @cached_property
    def position(self) -> Array:
        """(k, 3) derivative by each contact's position in the world [1/m]; nan at a kink."""
        return self._by_contact(Kind.POSITION)

    @cached_property
    def orientation(self) -> Array:
        """(k, 3) derivative by a small turn of each contact frame about the world's axes [1/rad]; nan at a kink."""
        return self._by_contact(Kind.ORIENTATION)

    @cached_property
    def joint_lower(self) -> Array:
        """(r,) derivative by each joint row's lower bound (as it rises) [1/(N m), 1/N]; 0 where it has none."""
        return self._by_row(Kind.JOINT_LOWER)

    @cached_property
    def joint_upper(self) -> Array:
        """(r,) derivative by each joint row's upper bound [1/(N m), 1/N]; 0 where it has none."""
        return self._by_row(Kind.JOINT_UPPER)

    @cached_property
    def load(self) -> Array:
        """(6,) derivative by the components of the load [1/N, 1/(N m)]; nan at a kink."""
        return np.array([d.value for d in self.of(Kind.LOAD)])

    @cached_property
    def point(self) -> Array:
        """(3,) derivative by a shift of the load's point of application, as of a centre of mass [1/m]."""
        found = self.of(Kind.POINT)
        return np.array([d.value for d in found]) if found else np.zeros(3)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the limit and every derivative."""
        return {
            "limit": self.value,
            "upper_bound": self.limit.upper_bound,
            "smooth": self.smooth,
            "derivatives": [d.to_dict() for d in self.derivatives],
        }

    def _by_contact(self, kind: Kind) -> Array:
        own = [d for d in self.of(kind) if len(d.parameter.contacts) == 1]
        return np.array([d.value for d in own]).reshape(len(self.assembly), -1)

    def _by_row(self, kind: Kind) -> Array:
        joints = self.assembly.joints
        result = np.zeros(0 if joints is None else len(joints))
        for derivative in self.of(kind):
            assert derivative.parameter.row is not None
            result[derivative.parameter.row] = derivative.value
        return result


def sensitivity(subject: LoadLimit | Assembly, direction: ArrayLike | None = None) -> Sensitivity:
    """The derivative of the load limit by every parameter, one-sided where it has a kink.

    Args:
        subject: a load limit, or an assembly.
        direction: (6,) the load, with an assembly.

    Raises:
        InputError: there is no finite limit to differentiate.
    """
    from ..solvers import Exact

    if isinstance(subject, LoadLimit):
        assembly, wrench = subject.assembly, subject.direction
    elif isinstance(subject, Assembly) and direction is not None:
        assembly, wrench = subject, direction
    else:
        raise InputError("names no load", where="subject", fix="give a LoadLimit, or an Assembly and a direction (6,)")
    limit = load_limit(assembly, wrench, method=Exact(gap=TIGHT_GAP, time_limit=TIGHT_SECONDS))
    if limit.status is Status.UNDECIDED:
        limit = load_limit(assembly, wrench)
    if limit.status is not Status.OPTIMAL or limit.pieces is None:
        raise InputError(
            f"has no finite limit: {limit.status.value}", where="direction", fix="ask about a load that has a limit"
        )
    parameters = parameters_of(assembly, limit.direction)
    rates = [rate_of(assembly, limit.problem, limit.direction, p) for p in parameters]
    search = TiedChoices(limit, rates)
    left, right, proven = search.slopes()
    derivatives = []
    for index, parameter in enumerate(parameters):
        low, high = float(left[index]), float(right[index])
        smooth = bool(proven[index]) and same_slope(low, high, search.sizes[index])
        if smooth:
            low = high = 0.5 * (low + high)
        derivatives.append(Derivative(parameter, low, high, smooth, bool(proven[index])))
    return Sensitivity(
        limit, tuple(derivatives), search.optimum.prices.multipliers, search.optimum.prices.forces, search.boxes
    )
