"""Warm: one solver carried from question to question, each answered from where the last one ended.

Turning gravity changes the load and, by the weight of the links, the bounds of the joint rows; the contacts stay.
Bounds that move without changing their width are the same bounds under another load, so that nothing the compiled
kernels have prepared is lost: see `Anchor`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...assembly.assembly import Assembly, checked_assembly
from ...checks import Array
from ...errors import InputError
from ...solvers import ContactProblem, Layout
from ..equilibrium import Equilibrium, LoadLimit, Method, load_limit
from .weakening import Made, weakened

if TYPE_CHECKING:
    from ...solvers import Exact
    from ...solvers.exact.method import WarmStart
    from ..solver import Solver


#: Stretched volumes that are kept for a way back, beyond those of the last question.
KEPT_VOLUMES = 2

#: Bounds whose width differs by this share of them have moved without changing it.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Anchor:
    """The problem that a row of alike questions is put to.

    lower <= J f <= upper is lower - c <= J f - c <= upper - c: what moves the bounds of the joint rows becomes a
    load on them. With c the row values nearest to zero, the bounds that stay contain zero.

    Attributes:
        assembly: whose contacts and jacobian these are.
        scales: (k, 3) factors on the contacts' forces, or None.
        layout: contacts, rows and the bounds that stay.
    """

    assembly: Assembly
    scales: Array | None
    layout: Layout

    @staticmethod
    def of(assembly: Assembly, scales: Array | None) -> Anchor:
        """The anchor of one assembly, with the forces of its contacts multiplied by scales (k, 3)."""
        own = assembly.layout
        maps = own.maps if scales is None else np.ascontiguousarray(own.maps * scales[:, None, :])
        nearest = own.nearest_to_zero
        layout = replace(own, maps=maps, lower=own.lower - nearest, upper=own.upper - nearest)
        return Anchor(assembly, scales, layout)

    def problem(self, assembly: Assembly, wrench: Array, scales: Array | None) -> ContactProblem | None:
        """The question whether another assembly holds a wrench (6,), put to this anchor; None where it does not fit.

        For the load as given (d = 1) the two questions have the same answers and the same proofs.
        """
        if scales is not self.scales and not (
            scales is not None and self.scales is not None and np.array_equal(scales, self.scales)
        ):
            return None
        mine, other = self.assembly.contacts, assembly.contacts
        if len(mine) != len(other) or any(a is not b for a, b in zip(mine, other, strict=True)):
            return None
        load = self.assembly.problem(wrench).load
        rows, given = self.assembly.joints, assembly.joints
        if (rows is None) != (given is None):
            return None
        if rows is not None and given is not None:
            if rows.jacobian.shape != given.jacobian.shape or not np.array_equal(rows.jacobian, given.jacobian):
                return None
            shift = self._shift(given.lower, given.upper)
            if shift is None:
                return None
            load[6:] = shift
        return ContactProblem(self.layout, load)

    def _shift(self, lower: Array, upper: Array) -> Array | None:
        """(r,) load on the scaled joint rows that stands for bounds (r,); None where their width is another."""
        scale = self.layout.row_scale[6:]
        low, high = self.layout.lower[6:], self.layout.upper[6:]
        if not (np.isfinite(low) == np.isfinite(lower)).all() or not (np.isfinite(high) == np.isfinite(upper)).all():
            return None
        with np.errstate(invalid="ignore"):
            by_low = np.where(np.isfinite(low), low - lower * scale, 0.0)
            by_high = np.where(np.isfinite(high), high - upper * scale, by_low)
            shift = np.where(np.isfinite(low), by_low, by_high)
            size = np.maximum(np.abs(by_low), np.abs(np.where(np.isfinite(high - low), high - low, 0.0)))
        return shift if (np.abs(shift - by_high) <= ROUNDING * size).all() else None


def default_method() -> Method:
    """The exact method, with the compiler that only this one needs."""
    from ...solvers import Exact

    return Exact()


def _is_exact(method: Method) -> TypeGuard[Exact]:
    """Whether it is the exact method; asking does not load the compiler."""
    module = sys.modules.get("holdfast.solvers.exact.method")
    return module is not None and isinstance(method, module.Exact)


def _new_memory() -> WarmStart:
    from ...solvers.exact.method import WarmStart

    return WarmStart()


class Warm:
    """Puts questions about assemblies that differ little.

    The exact method starts each search from the last multipliers; other methods have nothing to keep. Verdicts and
    limits are those of `hf.equilibrium` and `hf.load_limit`; forces may be other admissible ones.

    What is kept does not grow with the number of questions: the last anchor, the last searches, and of the volumes
    that were stretched for scales those of the last question and `KEPT_VOLUMES` before them.
    """

    def __init__(self, method: Method | None = None) -> None:
        self.method: Method = default_method() if method is None else method
        self._exact: Exact | None = self.method if _is_exact(self.method) else None
        self._memory: WarmStart | None = None if self._exact is None else _new_memory()
        self._anchor: Anchor | None = None
        self._solver: Solver | None = None
        self._made: Made = {}
        self._limits: WarmStart | None = None if self._exact is None else _new_memory()
        self._weakened: tuple[Assembly, Array, Assembly] | None = None

    def equilibrium(self, assembly: Assembly, wrench: ArrayLike, scales: Array | None = None) -> Equilibrium:
        """Whether the external wrench (6,) is held.

        With scales (k, 3) the forces of contact i are multiplied by scales[i] along (u, v, n) of its frame; the answer
        is then about `weakened(assembly, scales)`.
        """
        checked_assembly(assembly)
        load = checks.vector("wrench", wrench, 6)
        if self._exact is None:
            changed = assembly if scales is None else self._weaker(assembly, scales)
            problem = changed.problem(load)
            return Equilibrium(changed, problem, self.method.test(problem), load, self.method)
        asked = None if self._anchor is None else self._anchor.problem(assembly, load, scales)
        if asked is None:
            self._anchor = Anchor.of(assembly, scales)
            asked = self._anchor.problem(assembly, load, scales)
            assert asked is not None
        solution = self._exact.test(asked, self._memory)
        if scales is not None:
            assembly = self._weaker(assembly, scales)
            if solution.forces is not None:
                solution = replace(solution, forces=solution.forces * scales)
        return Equilibrium(assembly, assembly.problem(load), solution, load, self.method)

    def load_limit(self, assembly: Assembly, direction: ArrayLike, scales: Array | None = None) -> LoadLimit:
        """The largest multiple of the external wrench (6,) that is held; scales (k, 3) as for `equilibrium`."""
        if self._exact is None:
            changed = assembly if scales is None else self._weaker(assembly, scales)
            return load_limit(changed, direction, method=self.method)
        if scales is not None:
            return self._scaled_limit(self._exact, assembly, direction, scales)
        from ..solver import Solver

        if self._solver is None:
            self._solver = Solver(assembly, self._exact)
        elif self._solver.assembly is not assembly:
            self._solver.move_to(assembly)
        return self._solver.load_limit(direction)

    def _scaled_limit(self, exact: Exact, assembly: Assembly, direction: ArrayLike, scales: Array) -> LoadLimit:
        """The load limit of scaled contacts, asked of the volumes as they are, whose lookup tables stay good."""
        load = checks.vector("direction", direction, 6)
        if not load.any():
            raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
        own = checked_assembly(assembly).layout
        layout = replace(own, maps=np.ascontiguousarray(own.maps * scales[:, None, :]))
        solution = exact.maximise(ContactProblem(layout, assembly.problem(load).load), self._limits)
        found = {"forces": solution.forces, "growth": solution.growth}
        scaled = {name: value * scales for name, value in found.items() if value is not None}
        asked = self._weaker(assembly, scales)
        return LoadLimit(asked, asked.problem(load), replace(solution, **scaled), load, self.method)

    def _weaker(self, assembly: Assembly, scales: Array) -> Assembly:
        """The assembly with scaled contacts; the last one is kept, for the next question about it."""
        known = self._weakened
        if known is None or known[0] is not assembly or not np.array_equal(known[1], scales):
            self._weakened = known = (assembly, scales.copy(), weakened(assembly, scales, self._made))
            used = {contact.volume for contact in known[2].contacts}
            for key in list(self._made)[: -(len(used) + KEPT_VOLUMES)]:
                del self._made[key]
        return known[2]
