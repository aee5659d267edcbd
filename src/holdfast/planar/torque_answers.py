"""`TorqueSet`: the torques that allow a wanted motion, those that allow others too, and those that allow only it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import InputError
from .polyhedra import CLOSED, Polyhedron
from .tasks import Task
from .torque_pieces import deepest_ball, difference, sides
from .torque_space import Rows, TorqueSpace, stacked

#: A torque counts as on the affine hull of T_c, for its margin, within this share of the set's scale.
NEAR = 1e-6


@dataclass(frozen=True)
class Ambiguity:
    """Torques of T_c that allow something else.

    Attributes:
        mode: the other mode; the wanted one where a task is broken.
        task: index of the broken task, or None.
        torques: T_c intersected with the torques that allow it, in units of the space; strict sides do not belong.
        breach: the row that breaks the task, over the space.
        space: the laws it was found in, where they are not those of the `TorqueSet`.
    """

    mode: str
    task: int | None
    torques: Polyhedron
    breach: Rows | None = None
    space: TorqueSpace | None = None


@dataclass(frozen=True)
class OtherMotion:
    """One motion that a torque allows beside the wanted one.

    Attributes:
        mode: its contact mode.
        task: index of the task it breaks, or None.
        a: (n,) its accelerations.
        f: (2k,) its contact forces (ft1, fn1, ...) [N].
        disturbance: (n,) the generalised disturbing forces under which it happens; zeros without a disturbance set.
    """

    mode: str
    task: int | None
    a: Array
    f: Array
    disturbance: Array


@dataclass(frozen=True)
class TorqueSet:
    """What `torque_sets` found.

    Attributes:
        space: the laws of the system as rows, with the disturbance set.
        mode: the wanted contact mode.
        tasks: the wanted tasks.
        scaled: T_c in units of the space, in which all work is done.
        ambiguities: every set of torques of T_c that allows another strict mode or breaks a task.
        visited: nodes of the mode tree that were tested.
        impact: whether a contact's velocity runs into its obstacle, where these laws have no answer.
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
        return self.space.in_newton_metres(self.scaled)

    @property
    def overlaps(self) -> list[str]:
        """The other strict modes that some torque of T_c allows too."""
        return [found.mode for found in self.ambiguities if found.task is None]

    @property
    def within(self) -> list[int]:
        """The tasks that some torque of T_c allows to be broken within the wanted mode."""
        return sorted({found.task for found in self.ambiguities if found.task is not None})

    @cached_property
    def unique(self) -> list[Polyhedron]:
        """T*: the torques that allow nothing but the wanted motion, as disjoint convex pieces [N m]."""
        return [self.space.in_newton_metres(piece) for piece in self._pieces]

    @cached_property
    def _pieces(self) -> list[Polyhedron]:
        """T* in units of the space."""
        return difference(self.scaled, self._kinds)

    def ambiguous_torques(self, index: int) -> Polyhedron:
        """The torques [N m] of T_c that allow the motion of `ambiguities[index]`."""
        return self.space.in_newton_metres(self.ambiguities[index].torques)

    @property
    def is_empty(self) -> bool:
        """Whether no torque allows the wanted motion alone."""
        return not self.unique

    @property
    def status(self) -> Literal["unambiguous", "partly ambiguous", "ambiguous", "infeasible", "impact"]:
        """How T* stands to T_c: all of it, a part of it, empty, T_c itself empty; or an impact, without an answer."""
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

    def classify(self, tau: ArrayLike, *, tolerance: float = CLOSED) -> Any:
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
        for found in self.ambiguities:
            torques = found.torques
            rows = np.column_stack([torques.A, torques.b / torques.scale, torques.strict])
            same = np.column_stack([torques.C, torques.d / torques.scale])
            key = tuple(sorted(map(tuple, np.round(rows, 7) + 0.0))), tuple(map(tuple, np.round(same, 7) + 0.0))
            kinds.setdefault(key, torques)
        return list(kinds.values())

    def explain(self, tau: ArrayLike) -> list[OtherMotion]:
        """Every other motion that the torque (t,) [N m] allows: mode, broken task, and an example of a and f."""
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
        """How far each torque (..., t) [N m] may wander before it can leave T*; at most 0 for torques outside.

        Measured to the planes of T_c and, for each ambiguous set, to the one of its planes that keeps the torque off it
        best: a lower bound past corners. Directions that leave the affine hull of T_c do not count.
        """
        given = self._torques(tau) / self.space.torque_unit
        slack = (given @ self.scaled.A.T - self.scaled.b).min(axis=-1, initial=np.inf)
        for other in self._kinds:
            away = [offset - given @ row for row, offset, _ in sides(other)]
            slack = np.minimum(slack, np.max(away, axis=0) if away else -np.inf)
        off = np.abs(given @ self.scaled.C.T - self.scaled.d).max(axis=-1, initial=0.0)
        near = NEAR * np.maximum(self.scaled.scale, np.abs(given).max(axis=-1, initial=0.0))
        return np.where(off <= near, slack, -off) * self.space.torque_unit

    # -- good torques -----------------------------------------------------------------------------

    def chebyshev(self) -> tuple[Array, float]:
        """(tau, radius) [N m]: the deepest torque of T*; those within the radius, in T_c's affine hull, are in T* too.

        The torque is itself of T*. The radius is 0 where T* is flatter than T_c, infinite where T* holds balls of every
        size (the torque is then one of many), -inf with nan torques where T* is empty.
        """
        centre, radius = deepest_ball(self.scaled, self._kinds, self._pieces)
        return centre * self.space.torque_unit, radius * self.space.torque_unit

    def least_norm(self, margin: float = 0.0) -> Array:
        """The torque of least norm [N m] in the closure of T*, or at least `margin` [N m] inside its pieces.

        nan where there is none. With no margin the torque may stand on an open side: the limit of unique torques.
        """
        checks.number("margin", margin, low=0.0, unit="N m")
        best = np.full(self.space.sizes[2], np.nan)
        for piece in self.unique:
            inner = Polyhedron(
                piece.A, piece.b + margin, piece.C, piece.d, strict=piece.strict & (margin == 0.0), dimension=len(best)
            )
            found = inner.least_norm()
            if not np.isnan(found).any() and not np.linalg.norm(found) >= np.linalg.norm(best):
                best = found
        return best


def _motion(space: TorqueSpace, found: Ambiguity, x: Array) -> OtherMotion:
    a, f, _ = space.physical(x)
    acting = np.zeros(len(a))
    if space.disturbance is not None:
        acting = space.disturbance.centre + space.disturbance.basis @ x[space.disturbances]
    return OtherMotion(found.mode, found.task, a, f, acting)
