"""Which modes a set of torques admits: a tree over the contacts that leaves every prefix nothing can meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from .polyhedra import Polyhedron
from .system import System
from .torque_space import MET, UNSEEN, Rows, TorqueSpace


@dataclass(frozen=True)
class MeetingModes:
    """Modes that some torque of a set admits.

    Attributes:
        modes: strings, in the order of the tree.
        visited: nodes of the tree that were tested; naive enumeration would test 4^k.
    """

    modes: tuple[str, ...]
    visited: int


def meeting_modes(space: TorqueSpace, common: Rows) -> MeetingModes:
    """All strict modes with a motion (a, f) for some torque and disturbance that meet the `common` rows.

    Contacts get their letters one by one; those without one only keep what all their letters have in common, so that
    a prefix that is empty has no mode below it.
    """
    k = space.sizes[1]
    relaxed = [space.relaxed(i) for i in range(k)]
    open_rows = [np.vstack([*relaxed[i:], np.zeros((0, space.width))]) for i in range(k + 1)]
    # The last coordinate of x is 1: as a strict row of the cone it keeps points and drops directions.
    one = np.zeros((1, space.width))
    one[0, -1] = 1.0
    above, strict = np.vstack([one, common.above]), np.concatenate([[True], common.strict])
    found: list[str] = []
    visited = 0
    stack: list[tuple[str, Array, Array, BoolArray]] = [
        ("", null_space(common.equal, np.eye(space.width)), above, strict)
    ]
    while stack:
        prefix, basis, above, strict = stack.pop()
        i = len(prefix)
        visited += 1
        rest = open_rows[i]
        marks = np.concatenate([strict, np.zeros(len(rest), dtype=bool)])
        if not is_met(np.vstack([above, rest]) @ basis, marks):
            continue
        if i == k:
            found.append(prefix)
            continue
        for letter, law in reversed(space.laws[i].items()):
            stack.append(
                (
                    prefix + letter,
                    null_space(law.equal @ basis, basis),
                    np.vstack([above, law.above]),
                    np.concatenate([strict, law.strict]),
                )
            )
    return MeetingModes(tuple(found), visited)


def null_space(rows: Array, basis: Array) -> Array:
    """Columns that span what `rows` (over the columns of the orthonormal `basis`) leave free; orthonormal again."""
    if not len(rows) or not basis.shape[1]:
        return basis
    _, values, right = np.linalg.svd(rows)
    rank = int((values > UNSEEN).sum())
    return basis @ right[rank:].T


def is_met(rows: Array, strict: BoolArray) -> bool:
    """Whether the cone {rows z >= 0} has a point that meets the strict rows by more than `MET` in the unit box."""
    from .kernels.linear_programs import deepest

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    seen = lengths > UNSEEN
    if strict[~seen].any():
        return False
    size = rows.shape[1]
    units = rows[seen] / lengths[seen, None]
    marks = strict[seen]
    eye = np.eye(size)
    limits = np.zeros(len(units) + 2 * size)
    limits[len(units) :] = 1.0
    weights = np.zeros(len(limits))
    weights[: len(units)] = marks
    sides = np.vstack([-units, eye, -eye])
    depth, _ = deepest(sides, limits, weights)
    if depth == -np.inf:  # z = 0 meets every closed row, so that this can only be rounding
        depth = _depth_by_highs(sides, limits, weights)
    return depth > MET


def _depth_by_highs(rows: Array, limits: Array, weights: Array) -> float:
    """The largest t <= 1 with rows z + weights t <= limits, by another solver."""
    from scipy.optimize import linprog

    size = rows.shape[1]
    cost = np.append(np.zeros(size), -1.0)
    bounds = [(None, None)] * size + [(None, 1.0)]
    return -float(linprog(cost, A_ub=np.column_stack([rows, weights]), b_ub=limits, bounds=bounds).fun)


def admitted_modes(system: System, tau: ArrayLike) -> tuple[str, ...]:
    """All strict modes in which a system can move under the torques `tau` (t,) [N m]; none at an impact.

    A wanted motion is certain where its mode is the only one.
    """
    checks.instance("system", system, System, fix="give an hf.planar.System, or Chain(...).system(...)")
    if system.impacts:
        return ()
    space = TorqueSpace(system)
    fixed = Polyhedron(
        C=np.eye(system.torque_count),
        d=checks.vector("tau", tau, system.torque_count) / space.torque_unit,
        dimension=system.torque_count,
    )
    return meeting_modes(space, space.on_torques(fixed)).modes
