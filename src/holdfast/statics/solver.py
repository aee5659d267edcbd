"""Solver: many questions about one assembly, each search started from the last one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, SceneLike, assembly_of, checked_assembly
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..public_names import with_advice
from ..results import Result
from ..solvers import ContactProblem, Exact, Layout, Solution, Status
from ..solvers.certificates import offsets_of
from ..solvers.exact.method import Batch, WarmStart, compile_kernels
from ..solvers.exact.search import FINISHED, HELD
from .holding import Equilibrium, LoadLimit, Method, default_method, equilibrium, load_limit

Question = Literal["test", "maximise"]

#: Each thread gets so many shares of a batch, one after another: hard loads are often neighbours. A share has at least
#: so many loads.
SHARES, SMALLEST_SHARE = 8, 64


@dataclass(frozen=True, eq=False)
class Answers(Result):
    """Answers to many wrenches of one assembly.

    Each verdict has been proven by the compiled search, but has no certificate: `answers[i]` solves that question again
    and returns the full answer, with forces or certificate, for `verify()`.

    Attributes:
        assembly: the assembly.
        method: the method used.
        question: "test" or "maximise".
        wrenches: (n, 6) external wrenches of the questions.
        status: (n,) the verdict of each, as `Status`.
        values: (n,) load factors attained: for limits the limit (inf if unbounded); for tests 1 where it holds, else
            nan.
        upper_bounds: (n,) no larger factor is possible; nan for tests.
        forces: (n, k, 3) world forces on the object [N], nan where there are none.
        pieces: (n, k) pieces the forces lie in, -1 where there are none.
        multipliers: (n, m) over the scaled rows of the layout, from which `normals` and `offsets` come; zeros: none.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("wrenches", "status", "values", "upper_bounds")

    assembly: Assembly
    method: Exact
    question: Question
    wrenches: Array
    status: Array
    values: Array
    upper_bounds: Array
    forces: Array
    pieces: Array
    multipliers: Array

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"Answers({counts or 'none'})"

    def __len__(self) -> int:
        return len(self.wrenches)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without forces."""
        return {
            "question": self.question,
            "wrenches": self.wrenches.tolist(),
            "status": [str(status) for status in self.status],
            "values": self.values.tolist(),
            "upper_bounds": self.upper_bounds.tolist(),
        }

    @property
    def holds(self) -> BoolArray:
        """(n,) whether forces were found that balance the wrench as given (of tests)."""
        return self.status == Status.HOLDS

    @property
    def normals(self) -> Array:
        """(n, 6) outward normals of outer half-spaces: see `offsets`; nan where none is known."""
        return self._planes[0]

    @property
    def offsets(self) -> Array:
        """(n,) with normals[i] . w <= offsets[i] for EVERY external wrench w that the assembly holds.

        Wrenches have their torque about the world origin. The force part of a normal is dimensionless, its torque part
        in [1/m]; taken about the contacts' centre, with torques divided by the assembly's length, it has length 1. The
        planes are those of the units' convex hulls, valid for the unions too: plane i cuts ray i at the limit of the
        hulls, at `upper_bounds[i]` or above. They are computed from support functions, not by the search.
        """
        return self._planes[1]

    @cached_property
    def _planes(self) -> tuple[Array, Array]:
        return self.assembly.outer_planes(self.multipliers)

    def __getitem__(self, index: int) -> Equilibrium | LoadLimit:
        """One full answer with its certificate; it is solved again."""
        ask = equilibrium if self.question == "test" else load_limit
        return ask(self.assembly, self.wrenches[index], method=self.method)


@with_advice()
class Solver:
    """Answers `equilibrium` and `load_limit` for one assembly, starting from the last basis; always compiled.

    Verdicts and limits are those of `hf.equilibrium` and `hf.load_limit` with the same method; forces may be other
    admissible ones. One solver may be used from several threads: single questions wait for each other, batches do not.
    It can be pickled and copied: the copy is made from assembly and method, and starts from scratch.
    """

    def __init__(self, assembly: Assembly | SceneLike, method: Exact | None = None) -> None:
        if method is not None and not isinstance(method, Exact):
            raise InputError(
                f"is a {type(method).__name__}",
                where="method",
                fix="give a holdfast.solvers.Exact; for other methods use holdfast.equilibrium",
            )
        self._assembly = assembly_of(assembly)
        self._method = method or Exact()
        self._memories: dict[Question, WarmStart] = {"test": WarmStart(), "maximise": WarmStart()}
        self._lock = threading.Lock()
        compile_kernels()

    def __repr__(self) -> str:
        return f"Solver({len(self._assembly)} contacts, {self._method!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments from which another process makes the same solver."""
        with self._lock:
            return type(self), (self._assembly, self._method)

    @property
    def assembly(self) -> Assembly:
        """The assembly."""
        return self._assembly

    @property
    def method(self) -> Exact:
        """The method."""
        return self._method

    @with_advice()
    def move_to(self, assembly: Assembly) -> None:
        """Use another posture from now on.

        Lookup tables are shared with every assembly that uses the same volumes, and the last multipliers are the start
        of the next search; after a small change of posture they are nearly optimal.
        """
        with self._lock:
            self._assembly = checked_assembly(assembly, several=True)

    @with_advice()
    def equilibrium(self, wrench: Load) -> Equilibrium:
        """As `hf.equilibrium`, started from the last answer."""
        with self._lock:
            assembly = self._assembly
            load = assembly.stacked(wrench, name="wrench")
            problem = assembly.problem(load)
            solution = self._method.test(problem, self._memories["test"])
        return Equilibrium(assembly, solution, load, self._method)

    @with_advice()
    def load_limit(self, direction: Load) -> LoadLimit:
        """As `hf.load_limit`, started from the last answer."""
        with self._lock:
            assembly = self._assembly
            load = assembly.stacked(direction, name="direction")
            if not load.any():
                raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
            problem = assembly.problem(load)
            solution = self._method.maximise(problem, self._memories["maximise"])
        return LoadLimit(assembly, solution, load, self._method)

    @with_advice()
    def equilibrium_many(self, wrenches: ArrayLike, *, threads: int | None = None) -> Answers:
        """Whether each of the wrenches (n, 6) is held, on several threads (as many as there are cores by default).

        For b bodies the shape is (n, 6 b).
        """
        rows = self._assembly.layout.balance
        return self._many("test", checks.array("wrenches", wrenches, ("n", rows)), threads)

    @with_advice()
    def load_limit_many(self, directions: ArrayLike, *, threads: int | None = None) -> Answers:
        """The load limit along each of the directions (n, 6), on several threads (as many as cores by default).

        For b bodies the shape is (n, 6 b).
        """
        loads = checks.array("directions", directions, ("n", self._assembly.layout.balance))
        idle = ~loads.any(axis=1)
        if idle.any():
            where = f"directions[{int(idle.argmax())}]"
            raise InputError("is the zero wrench", where=where, fix="give a load to multiply")
        return self._many("maximise", loads, threads)

    def _many(self, question: Question, wrenches: Array, threads: int | None) -> Answers:
        assembly = self._assembly
        workers = thread_count(threads)
        loads = assembly.loads(wrenches)
        shares = min(SHARES * workers, max(workers, len(loads) // SMALLEST_SHARE))
        parts = [part for part in np.array_split(neighbouring(loads), shares) if len(part)]
        with ThreadPoolExecutor(workers) as pool:
            batches = list(pool.map(lambda part: self._method.many(assembly.layout, loads[part], question), parts))
        if not batches:
            batches = [self._method.many(assembly.layout, loads, question)]
        batch = Batch(*(np.concatenate(arrays) for arrays in zip(*batches, strict=True)))
        if parts:
            back = np.argsort(np.concatenate(parts))
            batch = Batch(*(array[back] for array in batch))
        return self._assembled(assembly, question, wrenches, batch, workers)

    def _assembled(
        self, assembly: Assembly, question: Question, wrenches: Array, batch: Batch, workers: int
    ) -> Answers:
        """Statuses and forces of a batch; questions that the kernels left undecided are solved again one by one."""
        status = np.full(len(wrenches), Status.UNDECIDED, dtype=object)
        values, bounds = batch.factors.copy(), batch.bounds.copy()
        local, pieces, multipliers = batch.forces_of(question), batch.pieces, batch.multipliers
        sound = batch.residuals <= tolerances.FEASIBILITY
        if question == "test":
            held, failed = (batch.outcomes == HELD) & sound, batch.outcomes == FINISHED
            status[held], status[failed] = Status.HOLDS, Status.DOES_NOT_HOLD
            values[held], values[failed], bounds[:] = 1.0, np.nan, np.nan
            local[failed], pieces[failed] = np.nan, -1
            settled = held | failed
        else:
            floor = assembly.layout.rounding_force / np.abs(assembly.loads(wrenches)).max(axis=1, initial=0.0)
            with np.errstate(invalid="ignore"):  # inf - inf where nothing holds
                closed = batch.bounds - values <= self._method.gap * np.abs(values) + floor
            settled = (batch.outcomes == FINISHED) & sound & np.isfinite(values) & closed
            status[settled], bounds[settled] = Status.OPTIMAL, np.maximum(bounds, values)[settled]
            endless = (batch.outcomes == FINISHED) & (values == np.inf)
            status[endless], settled = Status.UNBOUNDED, settled | endless
        left = np.nonzero(~settled)[0]
        problems = [assembly.problem(wrenches[index]) for index in left]
        ask = self._method.test if question == "test" else self._method.maximise
        with ThreadPoolExecutor(workers) as pool:
            solutions = list(pool.map(lambda problem: ask(problem, WarmStart(len(wrenches))), problems))
        for index, problem, solution in zip(left, problems, solutions, strict=True):
            status[index] = solution.status
            values[index] = _value(question, solution)
            bounds[index] = np.nan if question == "test" else solution.bound
            if not multipliers[index].any():
                multipliers[index] = _widest_multipliers(solution, problem)
            local[index] = np.nan if solution.forces is None else solution.forces
            pieces[index] = -1 if solution.pieces is None else solution.pieces
        forces = np.einsum("kij,nkj->nki", assembly.rotations, local)
        multipliers[values == np.inf] = 0.0
        return Answers(assembly, self._method, question, wrenches, status, values, bounds, forces, pieces, multipliers)


def thread_count(threads: int | None) -> int:
    """`threads`, or as many as there are cores."""
    return checks.count("threads", (os.cpu_count() or 1) if threads is None else threads)


def neighbouring(loads: Array) -> IntArray:
    """(n,) an order of the loads (n, m) in which each is near the last.

    Loads are ordered in strips along their widest spread, in alternating direction. Only directions count. A
    search that starts from the basis of a neighbour takes few steps.
    """
    n = len(loads)
    lengths = np.linalg.norm(loads, axis=1, keepdims=True)
    directions = loads / np.where(lengths > 0.0, lengths, 1.0)
    spread = directions - directions.mean(axis=0) if n else directions
    _, axes = np.linalg.eigh(spread.T @ spread)
    along, across = spread @ axes[:, -1], spread @ axes[:, -2]
    strips = max(1, round(np.sqrt(n)))
    strip = np.argsort(np.argsort(across, kind="stable")) * strips // max(1, n)
    return np.lexsort([np.where(strip % 2, -along, along), strip])


def _value(question: Question, solution: Solution) -> float:
    if question == "maximise":
        return np.inf if solution.status is Status.UNBOUNDED else solution.factor
    return 1.0 if solution.status is Status.HOLDS else np.nan


def _widest_multipliers(solution: Solution, problem: ContactProblem) -> Array:
    """(m,) the multipliers among a certificate's leaves that bound the load best for all pieces; zeros without any."""
    if solution.certificate is None or not len(solution.certificate.leaves):
        return np.zeros(problem.rows)
    multipliers = np.array([leaf.multipliers for leaf in solution.certificate.leaves])
    against = -multipliers @ problem.load
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.where(against > 0.0, offsets_of(problem.layout, multipliers) / against, np.inf)
    return multipliers[int(np.argmin(bounds))]


# Contacts made weaker or stronger: the same volumes with their forces multiplied, axis by axis.

#: Stretched volumes by (volume, shear, normal), so that contacts share them and they are made once.
Made: TypeAlias = dict[tuple[ForceVolume, float, float], ForceVolume]


def weakened(assembly: Assembly, scales: Array, made: Made | None = None) -> Assembly:
    """The assembly whose contact i can carry the forces scales[i] * f for f in its volume, in its contact frame.

    Args:
        assembly: contacts and joint rows.
        scales: (k, 3) factors above zero along (u, v, n): equal ones for strength, the first two for friction.
        made: volumes made before, to which new ones are added; those in use are last.
    """
    made = {} if made is None else made
    contacts = []
    for contact, (shear, lateral, normal) in zip(assembly.contacts, np.asarray(scales).tolist(), strict=True):
        if shear != lateral:
            raise InputError("differ along u and v", where="scales", fix="give equal factors for both shear components")
        volume = contact.volume
        if (shear, normal) != (1.0, 1.0):
            key = (volume, shear, normal)
            known = made.pop(key, None)
            volume = made[key] = volume.stretched(shear, normal) if known is None else known
        contacts.append(replace(contact, volume=volume))
    return Assembly(contacts, assembly.joints, assembly.name)


def chosen_contacts(assembly: Assembly, contacts: Iterable[int | str] | None) -> Array:
    """(k,) the chosen contacts: by number, by name, or by the name of their patch ("left D" for "left D[0]")."""
    chosen = np.zeros(len(assembly), dtype=bool)
    if contacts is None:
        chosen[:] = True
        return chosen
    names = [contact.name for contact in assembly.contacts]
    wanted = [contacts] if isinstance(contacts, int | str) else list(contacts)
    for entry in wanted:
        if isinstance(entry, str):
            found = np.array([name == entry or name.rpartition("[")[0] == entry for name in names])
        else:
            found = np.arange(len(assembly)) == entry
        if not found.any():
            known = ", ".join(dict.fromkeys(name.rpartition("[")[0] or name for name in names if name)) or "none named"
            raise InputError(
                f"there is no contact {entry!r}", where="contacts", fix=f"0 to {len(assembly) - 1}, or a name: {known}"
            )
        chosen |= found
    if not chosen.any():
        raise InputError("is empty", where="contacts", fix="name at least one contact, or leave it out for all")
    return chosen


# Questions about assemblies that change: each search starts from the multipliers of the last one.

#: Stretched volumes that are kept in addition to those of the last question.
KEPT_VOLUMES = 2


@dataclass(frozen=True, eq=False)
class Anchor:
    """The common problem of a series of similar questions.

    lower <= J f <= upper is lower - c <= J f - c <= upper - c: what moves the bounds of the joint rows becomes a
    load on them. With c the row values nearest to zero, the bounds that stay contain zero.

    Attributes:
        assembly: the assembly of these contacts and jacobian.
        scales: (k, 3) factors on the contacts' forces, or None.
        layout: contacts, rows and the constant bounds.
    """

    assembly: Assembly
    scales: Array | None
    layout: Layout

    @staticmethod
    def of(assembly: Assembly, scales: Array | None) -> Anchor:
        """The anchor of one assembly, with the forces of its contacts multiplied by scales (k, 3)."""
        own = assembly.layout
        nearest = own.nearest_to_zero
        if scales is None and own.bounds_hold_zero:
            return Anchor(assembly, scales, own)
        blocks = own.blocks if scales is None else np.ascontiguousarray(own.blocks * scales[:, None, :])
        layout = replace(own, blocks=blocks, lower=own.lower - nearest, upper=own.upper - nearest)
        return Anchor(assembly, scales, layout)

    def problem(self, assembly: Assembly, wrench: Array, scales: Array | None) -> ContactProblem | None:
        """The question whether another assembly holds a wrench (6,), as a load of this anchor; None if it does not fit.

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
            load[self.layout.balance :] = shift
        return ContactProblem(self.layout, load)

    def _shift(self, lower: Array, upper: Array) -> Array | None:
        """(r,) load on the scaled joint rows that is equivalent to bounds (r,); None where their width differs."""
        first = self.layout.balance
        scale, low, high = self.layout.row_scale[first:], self.layout.lower[first:], self.layout.upper[first:]
        if not (np.isfinite(low) == np.isfinite(lower)).all() or not (np.isfinite(high) == np.isfinite(upper)).all():
            return None
        with np.errstate(invalid="ignore"):
            by_low = np.where(np.isfinite(low), low - lower * scale, 0.0)
            by_high = np.where(np.isfinite(high), high - upper * scale, by_low)
            shift = np.where(np.isfinite(low), by_low, by_high)
            size = np.maximum(np.abs(by_low), np.abs(np.where(np.isfinite(high - low), high - low, 0.0)))
        return shift if (np.abs(shift - by_high) <= tolerances.ROUNDING * size).all() else None


class WarmSolver:
    """Answers questions about assemblies that differ little.

    The exact method starts each search from the last multipliers; other methods start from scratch. Verdicts and
    limits are those of `hf.equilibrium` and `hf.load_limit`; forces may be other admissible ones.

    Memory does not grow with the number of questions: the last anchor, the last searches, the stretched volumes of the
    last question, and `KEPT_VOLUMES` before them are kept.
    """

    def __init__(self, method: Method | None = None) -> None:
        self.method: Method = default_method() if method is None else method
        self._exact = self.method if isinstance(self.method, Exact) else None
        self._tests, self._limits = WarmStart(), WarmStart()
        self._anchor: Anchor | None = None
        self._made: Made = {}
        self._weakened: tuple[Assembly, Array, Assembly] | None = None

    def equilibrium(self, assembly: Assembly, wrench: Load, scales: Array | None = None) -> Equilibrium:
        """Whether the external wrench (6,) is held.

        With scales (k, 3) the forces of contact i are multiplied by scales[i] along (u, v, n) of its frame; the answer
        is then about `weakened(assembly, scales)`.
        """
        load = checked_assembly(assembly, several=True).stacked(wrench, name="wrench")
        if self._exact is None:
            changed = assembly if scales is None else self._weaker(assembly, scales)
            problem = changed.problem(load)
            return Equilibrium(changed, self.method.test(problem), load, self.method)
        asked = None if self._anchor is None else self._anchor.problem(assembly, load, scales)
        if asked is None:
            self._anchor = Anchor.of(assembly, scales)
            asked = self._anchor.problem(assembly, load, scales)
            assert asked is not None
        solution = self._exact.test(asked, self._tests)
        if scales is not None:
            assembly = self._weaker(assembly, scales)
            if solution.forces is not None:
                solution = replace(solution, forces=solution.forces * scales)
        return Equilibrium(assembly, solution, load, self.method)

    def load_limit(self, assembly: Assembly, direction: Load, scales: Array | None = None) -> LoadLimit:
        """The largest multiple of the external wrench (6,) that is held; scales (k, 3) as for `equilibrium`."""
        if self._exact is None:
            changed = assembly if scales is None else self._weaker(assembly, scales)
            return load_limit(changed, direction, method=self.method)
        load = checked_assembly(assembly, several=True).stacked(direction, name="direction")
        if not load.any():
            raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
        problem = assembly.problem(load)
        if scales is None:
            solution = self._exact.maximise(problem, self._limits)
            return LoadLimit(assembly, solution, load, self.method)
        # With the unscaled volumes, whose lookup tables can be used again.
        layout = replace(assembly.layout, blocks=np.ascontiguousarray(assembly.layout.blocks * scales[:, None, :]))
        solution = self._exact.maximise(ContactProblem(layout, problem.load), self._limits)
        found = {"forces": solution.forces, "growth": solution.growth}
        scaled = {name: value * scales for name, value in found.items() if value is not None}
        asked = self._weaker(assembly, scales)
        return LoadLimit(asked, replace(solution, **scaled), load, self.method)

    def _weaker(self, assembly: Assembly, scales: Array) -> Assembly:
        """The assembly with scaled contacts; the last one is kept, for the next question about it."""
        known = self._weakened
        if known is None or known[0] is not assembly or not np.array_equal(known[1], scales):
            self._weakened = known = (assembly, scales.copy(), weakened(assembly, scales, self._made))
            used = {contact.volume for contact in known[2].contacts}
            for key in list(self._made)[: -(len(used) + KEPT_VOLUMES)]:
                del self._made[key]
        return known[2]
