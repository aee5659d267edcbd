"""Strength and friction factors: how much weaker contacts may be, or stronger they must be, for a load to be held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...assembly.assembly import Assembly, checked_assembly
from ...checks import Array
from ...force_limits.volume import ForceVolume
from ...solvers import Status
from ..equilibrium import Equilibrium, Method
from .bracketing import Change, Sample, first_change
from .warm import Warm
from .weakening import chosen_contacts

#: Factors are looked for between these.
SMALLEST, LARGEST = 1e-6, 1e6

#: Ratio of neighbouring factors while a bracket is sought: coarse where more is always better, fine where it is not.
COARSE, FINE = 4.0, 1.1

#: How far a scan by the fine ratio goes, either way from 1.
FINE_REACH = 100.0

#: What rounding may add to a bracket; r in logarithms is 1 - exp(-r) < r in factors.
SLACK = 1e-6

Kind = Literal["strength", "friction"]


class FactorStatus(StrEnum):
    """What came out; the value is the message."""

    FOUND = "found"
    ANY = "holds with every factor tried"
    NONE = "holds with no factor tried"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Factor:
    """The smallest factor on the contacts' strength or friction with which a load is still held.

    Attributes:
        kind: "strength" (all components) or "friction" (shear components).
        status: found, holds with every factor tried, holds with none tried, or undecided.
        bracket: (largest factor known to fail, smallest known to hold) on either side of the change; 0 or inf where
            there is none.
        failed: the answer at the first, with its certificate, or None.
        held: the answer at the second, with forces, or None. Both are about the weakened assembly.
        is_monotone: whether every larger factor holds as well. Where that is not sure, factors were tried one after
            the other from 1 on, and the bracket is the change next to 1 that was seen.
        contacts: (k,) which contacts were weakened.
        tolerance: relative width wanted of the bracket.
        scan: factors that were tried first, with their answers.
        tests: equilibrium tests asked in all.
    """

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
        return f"Factor({self.kind}, {self.status.value}, {self.value:.6g})"

    @property
    def value(self) -> float:
        """The smallest factor known to hold next to the change: 0 if every one holds, inf if none, nan if undecided."""
        if self.status is FactorStatus.ANY:
            return 0.0
        return float("nan") if self.status is FactorStatus.UNDECIDED else self.bracket[1]

    @property
    def reserve(self) -> float:
        """1/value: above 1 there is strength to spare, below 1 it is missing."""
        with np.errstate(divide="ignore"):
            return float(np.divide(1.0, self.value))

    def verify(self) -> bool:
        """Check both ends of the bracket without the solver; where there is one end only, every factor tried."""
        if self.status is FactorStatus.UNDECIDED:
            return False
        if self.status is not FactorStatus.FOUND:
            wanted = Status.HOLDS if self.status is FactorStatus.ANY else Status.DOES_NOT_HOLD
            return all(sample.status is wanted and sample.answer.verify() for sample in self.scan)
        low, high = self.bracket
        narrow = 0.0 <= high - low <= (1.0 + SLACK) * self.tolerance * high
        ends = (self.failed, Status.DOES_NOT_HOLD), (self.held, Status.HOLDS)
        return narrow and all(answer is not None and answer.status is s and answer.verify() for answer, s in ends)


def strength_factor(
    assembly: Assembly,
    wrench: ArrayLike,
    *,
    contacts: Iterable[int | str] | None = None,
    tolerance: float = tolerances.GAP,
    method: Method | None = None,
) -> Factor:
    """The smallest common factor on the force volumes with which a wrench (6,) is still held.

    Where no joint rows limit the forces this is 1/load_limit; with joint rows, whose limits stay as they are, it is
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


def friction_factor(
    assembly: Assembly,
    wrench: ArrayLike,
    *,
    contacts: Iterable[int | str] | None = None,
    tolerance: float = tolerances.GAP,
    method: Method | None = None,
) -> Factor:
    """The smallest factor on the shear components of the force volumes with which a wrench (6,) is still held.

    For Coulomb contacts without a cap on shear this is the factor on mu. Adhesive volumes may need shear to carry
    any pull: less of it, or more, can be worse there, `is_monotone` is then False and the change next to 1 is sought by
    small steps. Arguments as for `strength_factor`.
    """
    return _factor("friction", assembly, wrench, contacts, tolerance, method)


def _factor(
    kind: Kind,
    assembly: Assembly,
    wrench: ArrayLike,
    contacts: Iterable[int | str] | None,
    tolerance: float,
    method: Method | None,
) -> Factor:
    checked_assembly(assembly)
    load = checks.vector("wrench", wrench, 6)
    relative = checks.number("tolerance", tolerance, low=tolerances.FEASIBILITY, high=0.5)
    chosen = chosen_contacts(assembly, contacts)
    volumes = {id(c.volume): c.volume for c, take in zip(assembly.contacts, chosen, strict=True) if take}
    grows = all(
        volume.is_star_shaped if kind == "strength" else bears_less_shear(volume) for volume in volumes.values()
    )
    axes = np.array([1.0, 1.0, 1.0 if kind == "strength" else 0.0])
    warm = Warm(method)

    def ask(logarithm: float) -> Equilibrium:
        factor = float(np.exp(logarithm))
        scales = np.where(chosen[:, None] & (axes > 0.0), factor, 1.0)
        return warm.equilibrium(assembly, load, scales)

    first = Sample(0.0, ask(0.0))
    ratio, reach = (COARSE, LARGEST) if grows else (FINE, FINE_REACH)
    steps = np.log(ratio) * np.arange(int(np.ceil(np.log(reach) / np.log(ratio) - 1e-9)) + 1)
    known = {0.0: first.answer}
    change = first_change(
        lambda p: known.pop(p) if p in known else ask(p),
        -steps if first.status is Status.HOLDS else steps,
        relative,
        leaving=Status.DOES_NOT_HOLD if first.status is Status.DOES_NOT_HOLD else Status.HOLDS,
    )
    return _result(kind, change, first, grows, chosen, relative)


def _result(kind: Kind, change: Change, first: Sample, grows: bool, chosen: Array, relative: float) -> Factor:
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
        kind,
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
    """Whether every admissible force stays so when its shear is made smaller, the normal component kept.

    Each piece is convex, so that it is enough to look at its vertices and rays with no shear at all. Stretching the
    shear of such a volume only adds forces.
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
