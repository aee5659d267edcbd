"""The joint torques for which contact with friction allows only the wanted motion (Greenfield et al. 2005, section II).

T_c: torques for which the wanted mode and the tasks are possible. Ambiguous torques: those of T_c that also allow
another strict mode, or the same mode against a task. T* is what is left of T_c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from .disturbance_sets import DisturbanceSet, disturbance_of
from .polyhedra import CLOSED, STRICT, Polyhedron
from .shadows import irredundant, shadow
from .system import System, each
from .tasks import Task
from .torque_answers import Ambiguity, TorqueSet
from .torque_modes import is_met, meeting_modes, null_space
from .torque_space import Rows, TorqueSpace, scaled_set, stacked, unit_length

#: A unit row over torques and disturbances with torque coefficients below this, all rounding, says nothing of torques.
UNFELT = 1e-10


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
        tasks: what accelerations, forces and torques shall do beyond the mode; one `Task` or several.
        disturbance: generalised forces that may act too: (lower, upper), vertices (p, n) or a `DisturbanceSet`. The
            motion is then feasible for all of them, ambiguous if any admits another.
        limits: (lower, upper) torques [N m], each one number or one per motor; infinite where there is none.
        friction: (lower, upper) coefficients, each one number or one per contact, instead of the system's: feasible
            for all of them, ambiguous if any admits another motion. Exact, each contact having its own: a fixed contact
            needs its cone at the lower bound, and what some coefficient allows is a cone again. Sliding contacts of
            `mode` itself must have one coefficient, for what they need is not convex in it.
    """
    checks.instance("system", system, System, fix="give an hf.planar.System, or Chain(...).system(...)")
    wanted = system.check_mode(mode)
    given = _tasks(tasks)
    interval = _friction(friction, system, wanted)
    acting = disturbance_of(disturbance, len(system.bias))
    space = TorqueSpace(system, acting, interval)
    if system.impacts:
        nothing = Polyhedron.empty(space.sizes[2])
        return TorqueSet(space, wanted, given, nothing, (), 0, impact=True)
    own = space.mode(wanted)
    bounds = scaled_set(_limits(limits, space.sizes[2]), 1.0 / space.torque_unit)
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
        for negated in _negations(space, task, i):
            if _possible([common, own, negated], space.width):
                found += _ambiguity(space, wanted, i, [common, own, negated])
    return TorqueSet(space, wanted, given, feasible, tuple(found), met.visited)


def _tasks(tasks: Task | Sequence[Task]) -> tuple[Task, ...]:
    if isinstance(tasks, Task):
        return (tasks,)
    checks.iterable("tasks", tasks, fix="give hf.planar.Task objects, or () for none")
    given = tuple(tasks)
    for i, task in enumerate(given):
        checks.instance(f"tasks[{i}]", task, Task, fix="give hf.planar.Task objects")
    return given


def _bounds(name: str, value: tuple[ArrayLike, ArrayLike], size: int, *, infinite: bool = False) -> tuple[Array, Array]:
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
    low, high = _bounds("friction", friction, system.contact_count)
    for i, letter in enumerate(mode):
        if not 0.0 <= low[i] <= high[i]:
            raise InputError(f"is {low[i]:g} to {high[i]:g}", where=f"friction[{i}]", fix="give 0 <= lower <= upper")
        if letter in "RL" and low[i] < high[i]:
            raise InputError(
                f"contact {i} slides in the wanted mode", where=f"friction[{i}]", fix="give it one coefficient"
            )
    return low, high


def _feasible(space: TorqueSpace, own: Rows | None, tasks: Sequence[Task]) -> Polyhedron:
    """T_c, or with disturbances T'_c (III.C): the torques for which mode and tasks are possible whatever acts."""
    t = space.sizes[2]
    if own is None:
        return Polyhedron.empty(t)
    parts = [own]
    for i, task in enumerate(tasks):
        rows, lengths = space.task(task, f"tasks[{i}]")
        none, rows = np.zeros((0, space.width)), _cleaned(rows, lengths)
        if task.kind == "=":
            parts.append(Rows(rows, none, np.zeros(0, dtype=bool)))
        else:
            parts.append(Rows(none, rows, np.zeros(len(rows), dtype=bool)))
    rows = stacked(parts, space.width)
    if not _possible([rows], space.width):
        return Polyhedron.empty(t)
    if space.disturbance is None or not space.sizes[3]:
        return space.torque_shadow(rows)
    return _for_all(space, shadow(space.polyhedron(rows), slice(space.torques.start, space.disturbances.stop)))


def _for_all(space: TorqueSpace, joint: Polyhedron) -> Polyhedron:
    """Torques, in units of the space, in `joint` (tau, u) for every u of the disturbance set.

    Each row stands at its worst corner. An equality that feels the disturbance cannot hold for all of it.
    """
    t = space.sizes[2]
    disturbance: DisturbanceSet | None = space.disturbance
    assert disturbance is not None
    if (np.abs(joint.C[:, t:]) > CLOSED).any():
        return Polyhedron.empty(t)
    offsets = joint.b - disturbance.lowest(joint.A[:, t:])
    # A row that only rounding joins to the torques is one about the disturbance: it is met or it is not. Scaled to unit
    # length it would be a plane of torques that nothing stands for.
    felt = np.linalg.norm(joint.A[:, :t], axis=1) > UNFELT
    if (offsets[~felt] > np.where(joint.strict[~felt], -STRICT, CLOSED) * joint.scale).any():
        return Polyhedron.empty(t)
    return Polyhedron(joint.A[felt, :t], offsets[felt], joint.C[:, :t], joint.d, strict=joint.strict[felt], dimension=t)


def _cleaned(rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Unit rows; those that vanish beside the task's own coefficients are zero."""
    result = unit_length(rows)
    result[np.linalg.norm(rows, axis=1) <= 1e-14 * lengths] = 0.0
    return result


def _negations(space: TorqueSpace, task: Task, index: int) -> list[Rows]:
    """The ways of breaking a task: one strict row each."""
    rows = _cleaned(*space.task(task, f"tasks[{index}]"))
    signs = (1.0, -1.0) if task.kind == "=" else (-1.0,)
    none = np.zeros((0, space.width))
    return [Rows(none, sign * row[None, :], np.array([True])) for row in rows for sign in signs]


def _possible(parts: list[Rows], width: int) -> bool:
    rows = stacked(parts, width)
    one = np.zeros((1, width))
    one[0, -1] = 1.0
    basis = null_space(rows.equal, np.eye(width))
    return is_met(np.vstack([one, rows.above]) @ basis, np.concatenate([[True], rows.strict]))


def _ambiguity(space: TorqueSpace, mode: str, task: int | None, parts: list[Rows]) -> list[Ambiguity]:
    """The torques that meet all `parts`, as a list of one ambiguity or of none."""
    torques = space.torque_shadow(stacked(parts, space.width))
    return [] if torques.is_empty else [Ambiguity(mode, task, torques, parts[-1] if task is not None else None)]


def _limits(limits: tuple[ArrayLike, ArrayLike] | None, t: int) -> Polyhedron:
    if limits is None:
        return Polyhedron(dimension=t)
    low, high = _bounds("limits", limits, t, infinite=True)
    for name, side, wrong in (("lower", low, np.inf), ("upper", high, -np.inf)):
        if (side == wrong).any():
            place = f"limits.{name}[{int(np.argmax(side == wrong))}]"
            raise InputError(f"is {wrong:g}: no torque is allowed", where=place, fix=f"give {-wrong:g} for no limit")
    if (low > high).any():
        i = int(np.argmax(low > high))
        raise InputError(f"lower {low[i]:g} above upper {high[i]:g}", where=f"limits[{i}]", fix="swap the limits")
    eye = np.eye(t)
    rows, offsets = np.vstack([eye, -eye]), np.concatenate([low, -high])
    real = np.isfinite(offsets)
    return Polyhedron(rows[real], offsets[real], dimension=t)
