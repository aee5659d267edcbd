"""The joint torques for which contact with friction allows only the wanted motion (Greenfield et al. 2005, section II).

T_c: torques for which the wanted mode and the tasks are possible. Ambiguous torques: those of T_c that also allow
another strict mode, or the same mode against a task. T* is the rest of T_c: disjoint convex pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Array, BoolArray
from ..errors import InputError
from ..public_names import with_advice
from ..results import Result
from ..tolerances import MEMBERSHIP
from .polyhedra import OFFSET_ROUNDING, STRICT, Polyhedron, irredundant, projection
from .system import System, each
from .torque_space import (
    DisturbanceSet,
    LawRows,
    Task,
    TorqueSpace,
    disturbance_of,
    is_met,
    meeting_modes,
    null_space,
    stacked,
    unit_length,
)


def sides(removed: Polyhedron) -> Iterator[tuple[Array, float, bool]]:
    """The rows (row, offset, strict) of a set, an equality as two rows, each as row x >= offset."""
    for row, offset in zip(removed.C, removed.d, strict=True):
        yield row, float(offset), False
        yield -row, -float(offset), False
    for row, offset, strict in zip(removed.A, removed.b, removed.strict, strict=True):
        yield row, float(offset), bool(strict)


def without(whole: Polyhedron, removed: Polyhedron) -> list[Polyhedron]:
    """whole minus removed as disjoint convex pieces, open where the removed set is closed and vice versa.

    Piece i violates the i-th row of the removed set and meets those before it.
    """
    if whole.intersect(removed).is_empty:
        return [whole]
    pieces: list[Polyhedron] = []
    rest = whole
    for row, offset, strict in sides(removed):
        outside = rest.cut(-row, -offset, strict=not strict)
        if not outside.is_empty:
            pieces.append(irredundant(outside))
            rest = rest.cut(row, offset, strict=strict)
    return pieces


def difference(whole: Polyhedron, removed: Sequence[Polyhedron]) -> list[Polyhedron]:
    """whole minus the union of `removed`, as disjoint convex pieces in irredundant rows; large sets are taken first.

    Slivers between touching sets that are due to tolerances are dropped: the middle of every piece is a point of
    `whole` outside every removed set and every other piece.
    """
    if whole.is_empty:
        return []
    pieces = [whole]
    for other in sorted(removed, key=_smallness):
        pieces = [part for piece in pieces for part in without(piece, other)]
        if not pieces:
            break
    if len(pieces) == 1 and pieces[0] is whole:
        return pieces
    kept: list[Polyhedron] = []
    for piece in sorted(pieces, key=lambda part: len(part.C)):  # the thickest first
        middle, radius = piece.chebyshev()
        if radius < 0.0 or not is_left(whole, removed, middle):
            continue  # empty but for rounding, or removed but for rounding
        if not any(bool(other.contains(middle)) for other in kept):
            kept.append(piece)
    return kept


def is_left(whole: Polyhedron, removed: Sequence[Polyhedron], point: Array) -> bool:
    """Whether a point of the whole is in no removed set."""
    return bool(whole.contains(point)) and not any(bool(other.contains(point)) for other in removed)


def _smallness(polyhedron: Polyhedron) -> tuple[int, int, int]:
    return -polyhedron.dimension, -len(polyhedron.generators.all_rays), len(polyhedron.A)


#: A torque counts as on the affine hull of T_c, for its margin, within this share of the set's scale.
NEAR = 1e-6


@dataclass(frozen=True)
class Ambiguity:
    """Torques of T_c that allow another motion.

    Attributes:
        mode: the other mode; the wanted one where a task is violated.
        task: index of the violated task, or None.
        torques: T_c intersected with the torques that allow it, in units of the space; strict sides do not belong.
        breach: the row that violates the task, over the space.
        space: the laws it was found in, where they are not those of the `TorqueSet`.
    """

    mode: str
    task: int | None
    torques: Polyhedron
    breach: LawRows | None = None
    space: TorqueSpace | None = None


@dataclass(frozen=True)
class OtherMotion(Result):
    """One motion that a torque allows in addition to the wanted one.

    Attributes:
        mode: its contact mode.
        task: index of the task it violates, or None.
        a: (n,) its accelerations.
        f: (2k,) its contact forces (ft1, fn1, ...) [N].
        disturbance: (n,) the generalised disturbing forces under which it happens; zeros without a disturbance set.
    """

    mode: str
    task: int | None
    a: Array
    f: Array
    disturbance: Array

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        names = {"accelerations": self.a, "forces": self.f, "disturbance": self.disturbance}
        return {"mode": self.mode, "task": self.task, **{name: part.tolist() for name, part in names.items()}}


@dataclass(frozen=True)
class TorqueSet(Result):
    """The result of `torque_sets`.

    Attributes:
        space: the laws of the system as rows, with the disturbance set.
        mode: the wanted contact mode.
        tasks: the wanted tasks.
        scaled: T_c in units of the space, which all computations use.
        ambiguities: every set of torques of T_c that allows another strict mode or violates a task.
        visited: nodes of the mode tree that were tested.
        impact: whether a contact's velocity points into its obstacle; the contact laws do not cover impacts.
    """

    space: TorqueSpace
    mode: str
    tasks: tuple[Task, ...]
    scaled: Polyhedron
    ambiguities: tuple[Ambiguity, ...]
    visited: int
    impact: bool = False

    @cached_property
    def feasible(self) -> Polyhedron:
        """T_c [N m]: `A` tau >= `b` (> where `strict`), `equalities` (C, d); vertices and rays by `generators`."""
        return self.scaled.times(self.space.torque_unit)

    @property
    def overlaps(self) -> list[str]:
        """The other strict modes that some torque of T_c allows too."""
        return [found.mode for found in self.ambiguities if found.task is None]

    @property
    def within(self) -> list[int]:
        """The tasks that some torque of T_c allows to be violated within the wanted mode."""
        return sorted({found.task for found in self.ambiguities if found.task is not None})

    @cached_property
    def unique(self) -> list[Polyhedron]:
        """T*: the torques that allow only the wanted motion, as disjoint convex pieces [N m]."""
        return [piece.times(self.space.torque_unit) for piece in self.pieces]

    @cached_property
    def pieces(self) -> list[Polyhedron]:
        """T* in units of the space: disjoint convex pieces."""
        return difference(self.scaled, self._kinds)

    def ambiguous_torques(self, index: int) -> Polyhedron:
        """The torques [N m] of T_c that allow the motion of `ambiguities[index]`."""
        return self.ambiguities[index].torques.times(self.space.torque_unit)

    @property
    def is_empty(self) -> bool:
        """Whether no torque allows the wanted motion alone."""
        return not self.unique

    @property
    def status(self) -> Literal["unambiguous", "partly ambiguous", "ambiguous", "infeasible", "impact"]:
        """T* compared with T_c: all of it, a part of it, empty, T_c itself empty; or an impact, without an answer."""
        if self.impact:
            return "impact"
        if self.scaled.is_empty:
            return "infeasible"
        if not self.ambiguities:
            return "unambiguous"
        return "ambiguous" if self.is_empty else "partly ambiguous"

    # -- single torques ---------------------------------------------------------------------------

    def _torques(self, tau: ArrayLike) -> Array:
        t = self.space.sizes[2]
        try:
            if np.iscomplexobj(tau):
                raise TypeError("complex numbers")
            given = np.asarray(tau, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"not an array of numbers: {error}", where="tau", fix=f"give numbers of shape (..., {t})"
            ) from None
        if t == 1 and (given.ndim == 0 or (given.ndim == 1 and len(given) != 1)):
            given = given[..., None]
        return checks.rows("tau", given, t)

    def classify(self, tau: ArrayLike, *, tolerance: float = MEMBERSHIP) -> str | NDArray[np.str_]:
        """Say "unique", "ambiguous" or "infeasible" for each torque (..., t) [N m]: one string, or an array of them.

        A torque belongs to a lower-dimensional set within `tolerance` of the set's scale.
        """
        checks.number("tolerance", tolerance, low=0.0)
        given = self._torques(tau)
        flat = given.reshape(int(np.prod(given.shape[:-1])), given.shape[-1]) / self.space.torque_unit
        inside = self.scaled.contains(flat, tolerance=tolerance) & (not self.impact)
        answer = np.where(inside, "unique", "infeasible").astype("<U10")
        answer[np.flatnonzero(inside)[self._is_ambiguous(flat[inside], tolerance)]] = "ambiguous"
        return str(answer[0]) if given.ndim == 1 else answer.reshape(given.shape[:-1])

    def _is_ambiguous(self, flat: Array, tolerance: float) -> BoolArray:
        result = np.zeros(len(flat), dtype=bool)
        for other in self._kinds:
            open_ = np.flatnonzero(~result)
            if not len(open_):
                break
            result[open_] = other.contains(flat[open_], tolerance=tolerance)
        return result

    @cached_property
    def _kinds(self) -> list[Polyhedron]:
        """The ambiguous sets without repetitions: many modes often share one set."""
        kinds: dict[tuple[Any, ...], Polyhedron] = {}
        scale = max((found.torques.scale for found in self.ambiguities), default=1.0)
        for found in self.ambiguities:
            torques = found.torques
            rows = np.column_stack([torques.A, torques.b / scale, torques.strict])
            same = np.column_stack([torques.C, torques.d / scale])
            key = tuple(sorted(map(tuple, np.round(rows, 7) + 0.0))), tuple(map(tuple, np.round(same, 7) + 0.0))
            kinds.setdefault(key, torques)
        return list(kinds.values())

    def explain(self, tau: ArrayLike) -> list[OtherMotion]:
        """Every other motion that the torque (t,) [N m] allows: mode, violated task, and an example of a and f."""
        given = self._torques(tau)
        if given.ndim != 1:
            raise InputError(f"has shape {given.shape}", where="tau", fix="give one torque vector")
        motions: list[OtherMotion] = []
        for found in self.ambiguities:
            space = found.space or self.space
            rows = space.mode(found.mode)
            if rows is None or not bool(found.torques.contains(given / self.space.torque_unit)):
                continue
            fixed = Polyhedron(C=np.eye(len(given)), d=given / space.torque_unit, dimension=len(given))
            parts = [space.on_torques(fixed), rows, space.disturbed()]
            parts += [found.breach] if found.breach is not None else []
            example = space.polyhedron(stacked(parts, space.width))
            if not example.is_empty:
                motions.append(_motion(space, found, example.depth[1]))
        return motions

    def margin(self, tau: ArrayLike) -> Array:
        """Largest error of each torque (..., t) [N m] that stays in T*; at most 0 for torques outside.

        Measured to the planes of T_c and, for each ambiguous set, to its plane farthest from the torque: a lower bound
        near corners. Directions that leave the affine hull of T_c do not count.
        """
        given = self._torques(tau) / self.space.torque_unit
        slack = (given @ self.scaled.A.T - self.scaled.b).min(axis=-1, initial=np.inf)
        for other in self._kinds:
            away = [offset - given @ row for row, offset, _ in sides(other)]
            slack = np.minimum(slack, np.max(away, axis=0) if away else -np.inf)
        off = np.abs(given @ self.scaled.C.T - self.scaled.d).max(axis=-1, initial=0.0)
        near = NEAR * np.maximum(self.scaled.scale, np.abs(given).max(axis=-1, initial=0.0))
        return np.where(off <= near, slack, -off) * self.space.torque_unit

    def inner_margin(self, tau: Array) -> float:
        """The margin [N m] of a torque of the closure of T*, at least 0; -inf for nan, where there is no torque."""
        return -np.inf if np.isnan(tau).any() else max(float(self.margin(tau)), 0.0)

    # -- good torques -----------------------------------------------------------------------------

    def chebyshev(self) -> tuple[Array, float]:
        """(tau, radius) [N m]: a deep torque of T*; those within the radius, in T_c's affine hull, are in T* too.

        The radius is a lower bound: the largest ball of the convex parts of T* around the middles of its pieces. The
        torque is itself of T*. The radius is 0 where T* is flatter than T_c, infinite where T* holds balls of every
        size (the torque is then one of many), -inf with nan torques where T* is empty.
        """
        best = -1, -np.inf, np.full(self.space.sizes[2], np.nan)
        for piece in self.pieces:
            centre, radius = piece.chebyshev()
            if piece.dimension == self.scaled.dimension:
                centre, radius = self._around(centre).chebyshev()
            best = max(best, (piece.dimension, radius, centre), key=lambda ball: ball[:2])
        dimension, radius, centre = best
        flat = 0 <= dimension < self.scaled.dimension
        return centre * self.space.torque_unit, 0.0 if flat else radius * self.space.torque_unit

    def _around(self, point: Array) -> Polyhedron:
        """T_c beyond that plane of each ambiguous set from which `point` is farthest: a convex part of T*."""
        part = self.scaled
        for other in self._kinds:
            row, offset, strict = max(sides(other), key=lambda side: side[1] - float(side[0] @ point))
            part = part.cut(-row, -offset, strict=not strict)
        return part

    def least_norm(self, margin: float = 0.0) -> Array:
        """The torque of least norm [N m] in the closure of T*, or at least `margin` [N m] inside its pieces.

        nan where there is none. Without a margin the torque may lie on an open side: a limit of unique torques.
        """
        checks.number("margin", margin, low=0.0, unit="N m")
        best = np.full(self.space.sizes[2], np.nan)
        for piece in self.unique:
            found = piece.changed(b=piece.b + margin, strict=piece.strict & (margin == 0.0)).least_norm()
            if not np.isnan(found).any() and not np.linalg.norm(found) >= np.linalg.norm(best):
                best = found
        return best

    def to_dict(self, margin: float = 0.0) -> dict[str, Any]:
        """Plain numbers and strings; the torque of least norm is at least `margin` [N m] inside the pieces of T*."""
        deepest, radius = self.chebyshev()
        return {
            "mode": self.mode,
            "status": self.status,
            "feasible": self.feasible.to_dict(),
            "unique": [piece.to_dict() for piece in self.unique],
            "overlaps": self.overlaps,
            "within": self.within,
            "ambiguities": [
                {"mode": one.mode, "task": one.task, "torques": self.ambiguous_torques(i).to_dict()}
                for i, one in enumerate(self.ambiguities)
            ],
            "deepest": {"torque": deepest.tolist(), "radius": float(radius), "margin": self.inner_margin(deepest)},
            "least_norm": {"torque": self.least_norm(margin).tolist(), "margin": margin},
        }


def _motion(space: TorqueSpace, found: Ambiguity, x: Array) -> OtherMotion:
    a, f, _ = space.physical(x)
    acting = np.zeros(len(a))
    if space.disturbance is not None:
        acting = space.disturbance.centre + space.disturbance.basis @ x[space.disturbances]
    return OtherMotion(found.mode, found.task, a, f, acting)


#: A unit row over torques and disturbances whose torque coefficients are below this does not constrain torques.
UNFELT = 1e-10


@with_advice()
def torque_sets(
    system: System,
    mode: str,
    tasks: Task | Sequence[Task] = (),
    disturbance: Any = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
) -> TorqueSet:
    """Torques of `system` that allow contact mode `mode` with all `tasks`, and those that allow nothing else.

    Args:
        system: the equations of motion and the contacts.
        mode: one letter of S, F, R, L per contact, in their order.
        tasks: conditions on accelerations, forces and torques in addition to the mode; one `Task` or several.
        disturbance: generalised forces that may act too: (lower, upper), vertices (p, n) or a `DisturbanceSet`. The
            motion is then feasible for all of them, ambiguous if any admits another.
        limits: (lower, upper) torques [N m], each one number or one per motor; infinite where there is none.
        friction: (lower, upper) coefficients, each one number or one per contact, instead of the system's: feasible
            for all of them, ambiguous if any admits another motion. Exact, with independent coefficients per contact: a
            fixed contact uses its cone at the lower bound, and what some coefficient allows is a cone again. Sliding
            contacts of `mode` itself must have one coefficient, since their condition is not convex in it.
    """
    checks.instance("system", system, System, fix="give an hf.planar.System, or Chain(...).system(...)")
    wanted = system.check_mode(mode)
    given = given_tasks(tasks)
    interval = _friction(friction, system, wanted)
    acting = disturbance_of(disturbance, len(system.bias))
    space = TorqueSpace(system, acting, interval)
    if system.impacts:
        nothing = Polyhedron.empty(space.sizes[2])
        return TorqueSet(space, wanted, given, nothing, (), 0, impact=True)
    own = space.mode(wanted)
    bounds = _limits(limits, space.sizes[2]).times(1.0 / space.torque_unit)
    surest = space if interval is None else TorqueSpace(system, acting, (interval[0], interval[0]))
    feasible = irredundant(_feasible(surest, surest.mode(wanted), given).intersect(bounds))
    if feasible.is_empty or own is None:
        return TorqueSet(space, wanted, given, Polyhedron.empty(space.sizes[2]), (), 0)
    common = stacked([space.on_torques(feasible), space.disturbed()], space.width)
    met = meeting_modes(space, common)
    found: list[Ambiguity] = []
    for other in met.modes:
        rows = space.mode(other)
        if other != wanted and rows is not None:
            found += _ambiguity(space, other, None, [common, rows])
    for i, task in enumerate(given):
        for negated in negations(space, task, i):
            if _possible([common, own, negated], space.width):
                found += _ambiguity(space, wanted, i, [common, own, negated])
    return TorqueSet(space, wanted, given, feasible, tuple(found), met.visited)


def given_tasks(tasks: Task | Sequence[Task]) -> tuple[Task, ...]:
    """One task or several, checked."""
    if isinstance(tasks, Task):
        return (tasks,)
    checks.iterable("tasks", tasks, fix="give hf.planar.Task objects, or () for none")
    given = tuple(tasks)
    for i, task in enumerate(given):
        checks.instance(f"tasks[{i}]", task, Task, fix="give hf.planar.Task objects")
    return given


def bounds(name: str, value: tuple[ArrayLike, ArrayLike], size: int, *, infinite: bool = False) -> tuple[Array, Array]:
    """(lower, upper), each one number or one for each of `size` parts, as two vectors."""
    checks.iterable(name, value, fix="give (lower, upper)")
    parts = tuple(value)
    if len(parts) != 2:
        raise InputError(f"has {len(parts)} parts", where=name, fix="give (lower, upper)")
    low, high = parts
    return each(f"{name}.lower", low, size, infinite=infinite), each(f"{name}.upper", high, size, infinite=infinite)


def _friction(friction: tuple[ArrayLike, ArrayLike] | None, system: System, mode: str) -> tuple[Array, Array] | None:
    if friction is None:
        return None
    low, high = bounds("friction", friction, system.contact_count)
    for i, letter in enumerate(mode):
        if not 0.0 <= low[i] <= high[i]:
            raise InputError(f"is {low[i]:g} to {high[i]:g}", where=f"friction[{i}]", fix="give 0 <= lower <= upper")
        if letter in "RL" and low[i] < high[i]:
            raise InputError(
                f"contact {i} slides in the wanted mode", where=f"friction[{i}]", fix="give it one coefficient"
            )
    return low, high


def _feasible(space: TorqueSpace, own: LawRows | None, tasks: Sequence[Task]) -> Polyhedron:
    """T_c, or with disturbances T'_c (III.C): torques for which mode and tasks are possible under all of them."""
    t = space.sizes[2]
    if own is None:
        return Polyhedron.empty(t)
    parts = [own]
    for i, task in enumerate(tasks):
        rows, lengths = space.task(task, f"tasks[{i}]")
        none, rows = np.zeros((0, space.width)), _cleaned(rows, lengths)
        if task.kind == "=":
            parts.append(LawRows(rows, none, np.zeros(0, dtype=bool)))
        else:
            parts.append(LawRows(none, rows, np.zeros(len(rows), dtype=bool)))
    rows = stacked(parts, space.width)
    if not _possible([rows], space.width):
        return Polyhedron.empty(t)
    if space.disturbance is None or not space.sizes[3]:
        return space.torque_projection(rows)
    return _for_all(space, projection(space.polyhedron(rows), slice(space.torques.start, space.disturbances.stop)))


def _for_all(space: TorqueSpace, joint: Polyhedron) -> Polyhedron:
    """Torques, in units of the space, in `joint` (tau, u) for every u of the disturbance set.

    Each row is taken at its worst corner. An equality that depends on the disturbance cannot hold for all of it.
    """
    t = space.sizes[2]
    disturbance: DisturbanceSet | None = space.disturbance
    assert disturbance is not None
    if (np.abs(joint.C[:, t:]) > MEMBERSHIP).any():
        return Polyhedron.empty(t)
    offsets = joint.b - disturbance.lowest(joint.A[:, t:])
    # A row whose torque coefficients are rounding is about the disturbance alone: it is met or not. Scaled to unit
    # length it would be a false plane of torques.
    felt = np.linalg.norm(joint.A[:, :t], axis=1) > UNFELT
    if (offsets[~felt] > np.where(joint.strict[~felt], -STRICT, MEMBERSHIP) * joint.scale).any():
        return Polyhedron.empty(t)
    return Polyhedron(joint.A[felt, :t], offsets[felt], joint.C[:, :t], joint.d, strict=joint.strict[felt], dimension=t)


def _cleaned(rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Unit rows; those negligible compared with the task's own coefficients are zero."""
    result = unit_length(rows)
    result[np.linalg.norm(rows, axis=1) <= OFFSET_ROUNDING * lengths] = 0.0
    return result


def negations(space: TorqueSpace, task: Task, index: int) -> list[LawRows]:
    """The ways of violating a task: one strict row each."""
    rows = _cleaned(*space.task(task, f"tasks[{index}]"))
    signs = (1.0, -1.0) if task.kind == "=" else (-1.0,)
    none = np.zeros((0, space.width))
    return [LawRows(none, sign * row[None, :], np.array([True])) for row in rows for sign in signs]


def _possible(parts: list[LawRows], width: int) -> bool:
    rows = stacked(parts, width)
    one = np.zeros((1, width))
    one[0, -1] = 1.0
    basis = null_space(rows.equal, np.eye(width))
    return is_met(np.vstack([one, rows.above]) @ basis, np.concatenate([[True], rows.strict]))


def _ambiguity(space: TorqueSpace, mode: str, task: int | None, parts: list[LawRows]) -> list[Ambiguity]:
    """The torques that meet all `parts`, as a list of one ambiguity or of none."""
    torques = space.torque_projection(stacked(parts, space.width))
    return [] if torques.is_empty else [Ambiguity(mode, task, torques, parts[-1] if task is not None else None)]


def torque_bounds(limits: tuple[ArrayLike, ArrayLike] | None, t: int) -> tuple[Array, Array]:
    """(lower, upper) torques (t,) [N m] of `limits`, each one number or one per motor; infinite without any."""
    low, high = bounds("limits", (-np.inf, np.inf) if limits is None else limits, t, infinite=True)
    for name, side, wrong in (("lower", low, np.inf), ("upper", high, -np.inf)):
        if (side == wrong).any():
            place = f"limits.{name}[{int(np.argmax(side == wrong))}]"
            raise InputError(f"is {wrong:g}: no torque is allowed", where=place, fix=f"give {-wrong:g} for no limit")
    if (low > high).any():
        i = int(np.argmax(low > high))
        raise InputError(f"lower {low[i]:g} above upper {high[i]:g}", where=f"limits[{i}]", fix="swap the limits")
    return low, high


def _limits(limits: tuple[ArrayLike, ArrayLike] | None, t: int) -> Polyhedron:
    low, high = torque_bounds(limits, t)
    eye = np.eye(t)
    rows, offsets = np.vstack([eye, -eye]), np.concatenate([low, -high])
    real = np.isfinite(offsets)
    return Polyhedron(rows[real], offsets[real], dimension=t)
