"""Which stiffness to change: the derivative of the first failure, and the single change that raises the peak most.

Up to the first failure a path is a sequence of segments with known tangents. Each is differentiated: with the tangent
r_i = P_i (e_i + K_i v_i) of contact i, v_i = maps_i x, and P_i = I - K_i G (A K_i G)^-1 A for flow on facets A along G,

    H dx = -sum_i maps_i^T P_i dK_i (v_i - G lambda_i),       dr_i = P_i dK_i (v_i - G lambda_i) + P_i K_i maps_i dx.

The end of a segment moves with the event that ends it: a facet is reached, a gap closes, a joint reaches its limit.
A stiffness is changed along an axis of the contact frame in proportion: dK = (E K + K E) / 2 per unit of ln k, where E
is 1 for that axis and 0 otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array, IntArray
from ..errors import InputError
from ..public_names import with_advice
from ..reliability.scatter import units_of
from ..results import Result
from . import kernels
from .scatter import scaled_stiffness
from .sequences import Follower, LoadSharing

#: Names of the axes of a contact frame.
AXES = ("along x", "across y", "normal z")

#: Events closer than this fraction of a segment happen at the same time.
TIED = 1e-7

#: Peaks closer than this fraction are the same.
SAME_PEAK = 1e-12

#: Number of the most promising changes that are computed again.
TRIED = 8


@dataclass(frozen=True)
class BestChange(Result):
    """One change of stiffness, and its effect.

    Attributes:
        unit: name of the unit, or of the contact.
        direction: "normal" or "tangential".
        factor: what its stiffness is multiplied by.
        first_failure, peak: load factors with the change, computed again.
        gain: peak with the change minus the peak without it.
    """

    unit: str
    direction: str
    factor: float
    first_failure: float
    peak: float
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class StiffnessSensitivity(Result):
    """The derivatives of the first failure by stiffness.

    Attributes:
        result: the path that was differentiated.
        derivative: (k, 3) d first_failure / d ln k of each contact along x, y and z of its frame, exact. Where several
            contacts fail at the same factor, the value for stiffening: the smallest of their derivatives.
        softening: (k, 3) the same derivative for softening: the largest of their derivatives. Equal without ties.
        ties: contacts that fail first, at the same factor.
        changes: single changes of one unit, the best first; each computed again with the changed stiffness.
    """

    result: LoadSharing
    derivative: Array
    softening: Array
    ties: tuple[int, ...]
    changes: tuple[BestChange, ...]

    def __repr__(self) -> str:
        best = self.best
        if best is None:
            return "StiffnessSensitivity(no single change raises the peak)"
        change = f"{best.unit} {best.direction} x {best.factor:g}"
        return f"StiffnessSensitivity(best change: {change}, peak {self.result.peak:.6g} -> {best.peak:.6g})"

    @property
    def best(self) -> BestChange | None:
        """The change that raises the peak most among those tried, or None where none does."""
        return self.changes[0] if self.changes and self.changes[0].gain > 0.0 else None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "first_failure": self.result.first_failure,
            "peak": self.result.peak,
            "derivative": self.derivative,
            "softening": self.softening,
            "ties": list(self.ties),
            "changes": [change.to_dict() for change in self.changes],
        }


@with_advice()
def stiffness_sensitivity(result: LoadSharing, *, factor: float = 1.25, tried: int = TRIED) -> StiffnessSensitivity:
    """The derivative of the first failure by every stiffness, and the single change that raises the peak most.

    Changes of one unit's normal or tangential stiffness by `factor` or 1/`factor` are ranked by the derivative; those
    with the largest expected gain are computed again.

    Args:
        result: a result of `load_sharing` with a first failure under the load.
        factor: size of the changes.
        tried: how many changes are computed again.
    """
    checks.instance("result", result, LoadSharing, fix="give a result of holdfast.load_sharing")
    change = checks.number("factor", factor, low=1.0, high=1e3, ends="open low")
    count = checks.count("tried", tried)
    if not result.failures or result.failures[0].stage != "load":
        raise InputError(
            "has no first failure under the load", where="result", fix="choose a load that makes a contact fail"
        )
    slopes, ties = first_failure_slopes(result)
    if not ties:
        raise InputError(
            "fails first where no contact reaches its limit on the way: it is at its limit from the start of the load",
            where="result",
            fix="give a preload or a base load that the contacts carry before the load",
        )
    up, down = slopes.min(axis=0), slopes.max(axis=0)
    names = units_of(result.assembly)
    units = list(dict.fromkeys(names))
    numbers = np.array([units.index(name) for name in names])
    promises: list[tuple[float, int, int, float]] = []
    for unit in range(len(units)):
        of_unit = slopes[:, numbers == unit].sum(axis=1)  # (t, 3)
        for kind, along in enumerate((of_unit[:, 2], of_unit[:, :2].sum(axis=1))):
            promises.append((float(along.min()) * np.log(change), unit, kind, change))
            promises.append((-float(along.max()) * np.log(change), unit, kind, 1.0 / change))
    promises.sort(key=lambda promise: (-promise[0], promise[1:]))
    changes = [_computed(result, units[unit], kind, by, numbers == unit) for _, unit, kind, by in promises[:count]]
    changes.sort(key=lambda made: -made.gain)
    return StiffnessSensitivity(result, up, down, ties, tuple(changes))


def _computed(result: LoadSharing, unit: str, kind: int, by: float, members: Array) -> BestChange:
    """The change of one unit's stiffness, its path followed again."""
    factors = np.ones((len(result.assembly), 2))
    factors[members, kind] = by
    problem = result.problem._replace(stiffness=scaled_stiffness(result.problem.stiffness, factors))
    follower = Follower(problem)
    end = follower.run(problem, result.until)
    peak = np.inf if end == kernels.ENDLESS else float(follower.found[1])
    same = peak == result.peak or abs(peak - result.peak) <= SAME_PEAK * abs(result.peak)
    gain = 0.0 if same else peak - result.peak
    return BestChange(unit, ("normal", "tangential")[kind], by, float(follower.found[0]), peak, gain)


# -- the derivative ---------------------------------------------------------------------------------


class _Tangents:
    """Rates of a segment as functions of the displacements: r = P (e + K v)."""

    def __init__(self, result: LoadSharing, at: int) -> None:
        problem, path = result.problem, result.path
        k, _, n = problem.maps.shape
        r = len(problem.lower)
        self.stage, released = int(path.stage[at]), bool(path.released[at])
        self.mode = path.mode[at]
        held = self.mode == kernels.HELD
        self.project = np.where(held[:, None, None], np.eye(3), 0.0)
        self.flow = np.zeros((k, 3, 3))  # v minus the flow: v - flow (e + K v)
        for i in np.nonzero(held)[0]:
            facets = path.flow[at, i]
            if facets[0] == kernels.AT_CORNER:
                self.project[i] = 0.0
                continue
            facets = facets[facets >= 0]
            if len(facets):
                a = problem.normals[facets] * problem.shrink[i]
                slides = (problem.rule[i] == kernels.SLIP) & (np.abs(a[:, :2]).sum(axis=1) > kernels.UPRIGHT)
                g = np.where(slides[:, None], a * (1.0, 1.0, 0.0), a).T
                self.flow[i] = g @ np.linalg.solve(a @ problem.stiffness[i] @ g, a)
                self.project[i] -= problem.stiffness[i] @ self.flow[i]
        self.lost = self.mode == kernels.FAILED
        self.extra = problem.preload if self.stage == kernels.BASE and not released else np.zeros((k, 3))
        load = problem.base if self.stage == kernels.BASE else problem.load
        self.c = np.einsum("kin,ki->n", problem.maps[self.lost], path.force[at, self.lost]) if released else load.copy()
        joint = path.joint_mode[at]
        turns = np.where(joint == kernels.LOCKED, problem.spring + problem.servo, problem.spring)
        if self.stage == kernels.BASE and not released:
            driven = joint == kernels.DRIVEN
            self.c[n - r :] += np.where(driven, np.clip(0.0, problem.lower, problem.upper), 0.0)
        tangent = self.project @ problem.stiffness
        system = np.einsum("kin,kij,kjm->nm", problem.maps, tangent, problem.maps)
        rigid = np.isinf(turns)
        system[n - r :, n - r :] += np.diag(np.where(rigid, 0.0, turns))
        self.moves = np.concatenate([np.ones(n - r, dtype=bool), ~rigid])
        self.inverse = np.zeros((n, n))
        inner = np.ix_(self.moves, self.moves)
        self.inverse[inner] = np.linalg.pinv(system[inner], rcond=1e-12, hermitian=False)
        self.problem, self.tangent = problem, tangent
        pushed = np.einsum("kin,kij,kj->n", problem.maps, self.project, self.extra)
        self.x = self.inverse @ (self.c - pushed)
        self.v = problem.maps @ self.x
        trial = self.extra + np.einsum("kij,kj->ki", problem.stiffness, self.v)
        self.rate = np.einsum("kij,kj->ki", self.project, trial)
        self.rate[self.lost] = -path.force[at, self.lost] if released else 0.0
        self.strain = self.v - np.einsum("kij,kj->ki", self.flow, trial)
        # The preload moves the rest position of an open contact's spring: its gap closes by K^-1 e.
        self.softness = np.where((self.mode == kernels.OPEN)[:, None, None], np.linalg.pinv(problem.stiffness), 0.0)
        self.relaxed = np.einsum("kij,kj->ki", self.softness, self.extra)
        self.v = self.v + self.relaxed
        self.released = released
        self.held_rate = self._held(self.rate, self.x, joint)
        self.joint = joint

    def _held(self, rate: Array, x: Array, joint: IntArray) -> Array:
        """(r,) rate of the joints' torques without their springs."""
        problem, r = self.problem, len(self.problem.lower)
        n = problem.maps.shape[2]
        loads = np.einsum("kin,ki->n", problem.maps, rate)[n - r :]
        return np.where(joint == kernels.LOCKED, loads + problem.spring * x[n - r :], 0.0)

    def derivatives(self, change: Array, lost_change: Array) -> tuple[Array, Array, Array]:
        """Changes of the rates r (p, k, 3), of v (p, k, 3) and of the joints (p, r).

        For changes dK (p, k, 3, 3) of the stiffness, and changes (p, k, 3) of the lost forces.
        """
        problem = self.problem
        source = np.einsum("kij,pkjl,kl->pki", self.project, change, self.strain)
        dc = np.zeros((len(change), problem.maps.shape[2]))
        if self.released:
            dc = np.einsum("kin,pki->pn", problem.maps[self.lost], lost_change[:, self.lost])
        dx = (dc - np.einsum("kin,pki->pn", problem.maps, source)) @ self.inverse.T
        dv = np.einsum("kin,pn->pki", problem.maps, dx)
        dr = source + np.einsum("kij,pkj->pki", self.tangent, dv)
        dv = dv - np.einsum("kij,pkjl,kl->pki", self.softness, change, self.relaxed)
        if self.released:
            dr[:, self.lost] = -lost_change[:, self.lost]
        held = np.array([self._held(rate, x, self.joint) for rate, x in zip(dr, dx, strict=True)])
        return dr, dv, held.reshape(len(change), len(problem.lower))


def first_failure_slopes(result: LoadSharing) -> tuple[Array, tuple[int, ...]]:
    """(t, k, 3) derivatives of the load factors at which the t first contacts fail, and the numbers of these contacts.

    A contact that only fails together with its unit is not among them.
    """
    problem, path = result.problem, result.path
    k = len(problem.maps)
    first = result.failures[0]
    at_once = (event for event in result.failures if event.factor == first.factor and not event.cascade)
    failing = {event.contact for event in at_once if event.contact is not None}
    ties: tuple[int, ...] = ()
    change = np.zeros((3 * k, k, 3, 3))
    for i in range(k):
        for axis in range(3):
            chosen = np.diag(np.eye(3)[axis])
            change[3 * i + axis, i] = 0.5 * (chosen @ problem.stiffness[i] + problem.stiffness[i] @ chosen)
    force, gap = np.zeros((3 * k, k, 3)), np.zeros((3 * k, k))
    held, share = np.zeros((3 * k, len(problem.lower))), np.zeros(3 * k)
    last = next(
        at for at in range(len(path.stage)) if path.stage[at] == kernels.LOAD and path.share[at] >= first.factor
    )
    slopes: list[Array] = []
    for at in range(last):
        tangents = _Tangents(result, at)
        dr, dv, dheld = tangents.derivatives(change, force)
        ends = int(path.stage[at + 1]) != int(path.stage[at])
        step = (1.0 if ends else float(path.share[at + 1])) - float(path.share[at])

        def moved(facet: int, i: int, along: Array = path.force[at], by: Any = tangents) -> Array:
            """d step for the facet that a contact reaches."""
            a = problem.normals[facet] * problem.shrink[i]
            left = float(problem.offsets[facet] - a @ along[i])
            speed = float(a @ by.rate[i])
            return -((force[:, i] @ a) + left / speed * (dr[:, i] @ a)) / speed  # noqa: B023

        if at == last - 1:
            found = {i: exits[0] for i in sorted(failing) if (exits := _exits(result, at, i, tangents))}
            ties = tuple(i for i, (length, _) in found.items() if abs(length - step) <= TIED * step)
            slopes = [share + moved(found[i][1], i) for i in ties]
            break
        if ends:
            dstep = -share
            share = np.zeros(3 * k)
        else:
            dstep = _event_slope(result, at, tangents, step, moved, gap, dv, held, dheld)
            share = share + dstep
        force = force + dstep[:, None, None] * tangents.rate + step * dr
        gap = gap - dstep[:, None] * tangents.v[:, 2] - step * dv[:, :, 2]
        held = held + dstep[:, None] * tangents.held_rate + step * dheld
        after = path.mode[at + 1] != kernels.HELD
        force[:, after] = 0.0
        gap[:, path.mode[at + 1] == kernels.HELD] = 0.0
    return np.array(slopes).reshape(len(ties), k, 3), ties


def _exits(result: LoadSharing, at: int, i: int, tangents: _Tangents) -> list[tuple[float, int]]:
    """(step, facet) at which the force of a contact reaches each facet of its piece, nearest first."""
    problem, path = result.problem, result.path
    piece = int(path.piece[at, problem.unit[i]])
    facets = np.arange(problem.first[i, piece], problem.first[i, piece + 1])
    a = problem.normals[facets] * problem.shrink[i]
    speed = a @ tangents.rate[i]
    left = problem.offsets[facets] - a @ path.force[at, i]
    out = speed > kernels.STILL * np.abs(tangents.rate).max()
    return sorted(zip((left[out] / speed[out]).tolist(), facets[out].tolist(), strict=True))


def _event_slope(
    result: LoadSharing,
    at: int,
    tangents: _Tangents,
    step: float,
    moved: Any,
    gap: Array,
    dv: Array,
    held: Array,
    dheld: Array,
) -> Array:
    """d step of the event that ends a segment before its stage does."""
    problem, path = result.problem, result.path
    near = TIED * max(step, np.finfo(float).tiny)
    for i in np.nonzero(path.mode[at] == kernels.HELD)[0]:
        found = _exits(result, at, int(i), tangents)
        if found and abs(found[0][0] - step) <= near:
            return moved(found[0][1], int(i))
    for i in np.nonzero((path.mode[at] == kernels.OPEN) & (path.gap[at] > 0.0))[0]:
        speed = tangents.v[i, 2]
        if speed > 0.0 and abs(path.gap[at, i] / speed - step) <= near:
            return (gap[:, i] - step * dv[:, i, 2]) / speed
    for j in np.nonzero(path.joint_mode[at] == kernels.LOCKED)[0]:
        rate = tangents.held_rate[j]
        limit = problem.upper[j] if rate > 0.0 else problem.lower[j]
        if rate and abs((limit - path.held[at, j]) / rate - step) <= near:
            return -(held[:, j] + step * dheld[:, j]) / rate
    return np.zeros(len(gap))
