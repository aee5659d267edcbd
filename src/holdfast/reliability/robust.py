"""`robust_limit`: a load limit that holds for every error within intervals, and the most harmful error found.

Strengths and joint bounds are monotone: forces that are admissible with weaker contacts (volumes of pieces that contain
zero) and narrower bounds stay admissible with stronger contacts and wider bounds, so their weak ends are the worst
case. Friction, positions and the load's direction and point are not monotone. For these the certified limit is that of
the best `Rule`, the attained one is the least limit among the errors that were tried: the worst case lies between the
two.

A rule assigns forces to every error within the intervals; it is the proof of the certified limit.

Let M be the maps of the weakest assembly, d a load factor, and e the error that parameters p in their intervals add
to the rows: e(p, f, d), for forces f. A rule has orthonormal axes a_1 .. a_q that span all such errors (of rows that
must be met exactly), weights b_2 .. b_q > 0 and sizes beta_1, beta_2. They make up the set

    B = {r in the span: |a_1 . r| <= beta_1,  |a_2 . r| / b_2 + .. + |a_q . r| / b_q <= beta_2}

with corners c^j = +- beta_1 a_1 +- beta_2 b_a a_a. For each corner the rule has forces f^j in the contacts' pieces with

    M f^j + d load + c^j = 0          (they balance the load and this error),
    e(p, f^j, d) in B for every p     (by the worst error along each axis),

and joint rows kept with the worst error of each added. Then d holds for every p: pieces are convex, so that to each r
in B belong forces f(r) in the pieces, continuous in r, with M f(r) + d load + r = 0, namely those of the corners mixed
as r is mixed of them. The errors e(p, f(r), d) are linear in f(r), hence again in B, so that r -> e(p, f(r), d) is a
continuous map of B into itself and has a fixed point r = e (Brouwer): there M f + d load + e = 0, which is balance with
the true p. The best rule for given axes and weights is a linear program: the largest d over the forces of all corners.

With a_1 along the multipliers of the limit, the loss is to first order that of the worst error along them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import InputError
from ..linear_programs import TIGHT
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import ContactProblem, Status
from ..solvers.highs import LinearProgram, Outcome
from ..statics.diagnosis import FixedPieces
from ..statics.holding import LoadLimit, load_limit, shares_piece
from ..statics.solver import weakened
from .changes import grown
from .derivatives import Optimum
from .parameters import Kind, LimitParameter, rate_of

# Uncertain parameters and their intervals.


@with_advice()
@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Half widths of the errors of parameters, all independent; one number for all or one each.

    Attributes:
        strength: relative error of each contact's strength, (k,) or one for all.
        friction: relative error of each contact's shear components, (k,) or one for all.
        position: error of each contact along the world's axes [m]: one for all, (3,) or (k, 3).
        joint: relative error of each joint bound, (r,) or one for all; bounds of zero have none.
        angle: half angle of the cone of the possible directions of the load's force (of its torque without a force)
            [rad].
        point: error of the load's point of application along the world's axes [m]: one for all or (3,).
        at: (3,) point where the load's force acts and about which it turns [m]; the point of its line of action
            that is nearest to the world origin by default.
    """

    strength: ArrayLike = 0.0
    friction: ArrayLike = 0.0
    position: ArrayLike = 0.0
    joint: ArrayLike = 0.0
    angle: float = 0.0
    point: ArrayLike = 0.0
    at: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("strength", "friction", "joint"):
            _errors(name, getattr(self, name), None)
        for name in ("position", "point"):
            _widths(name, getattr(self, name), None)
        checks.number("angle", self.angle, low=0.0, high=math.pi / 2, unit="rad")
        if self.at is not None:
            checks.vector("at", self.at, 3)


@dataclass(frozen=True, eq=False)
class Spread:
    """Checked intervals of one assembly and load.

    Attributes:
        assembly: as it was given.
        direction: (6,) the load.
        strength, friction: (k,) relative errors.
        position: (k, 3) [m].
        joint: (r,) relative errors.
        angle: half angle of the cone of the load's force (or torque) [rad].
        point: (3,) [m].
        at: (3,) [m].
    """

    assembly: Assembly
    direction: Array
    strength: Array
    friction: Array
    position: Array
    joint: Array
    angle: float
    point: Array
    at: Array

    @staticmethod
    def of(assembly: Assembly, direction: Array, intervals: Intervals) -> Spread:
        """The intervals, checked against the assembly."""
        k = len(assembly)
        rows = 0 if assembly.mechanism is None else len(assembly.mechanism)
        even = 0 if assembly.joints is None else assembly.joints.even
        strength = _errors("strength", intervals.strength, (k,))
        for contact, share in zip(assembly.contacts, strength, strict=True):
            if share > 0.0 and not contact.volume.is_star_shaped:
                raise InputError(
                    "is given for a volume with a piece that excludes zero",
                    where="strength",
                    fix="then weaker is not the worst case: give 0 for it, or use pieces that contain zero",
                )
        angle = float(intervals.angle)
        force, torque = direction[:3], direction[3:]
        if intervals.at is not None:
            at = checks.vector("at", intervals.at, 3)
        else:
            at = np.cross(force, torque) / float(force @ force) if force.any() else np.zeros(3)
        return Spread(
            assembly,
            direction,
            strength,
            _errors("friction", intervals.friction, (k,)),
            _widths("position", intervals.position, (k, 3)),
            np.append(_errors("joint", intervals.joint, (rows,)), np.zeros(even)),
            angle,
            _widths("point", intervals.point, (3,)),
            at,
        )

    @cached_property
    def weakest(self) -> Assembly:
        """The assembly with strengths and joint bounds at their weak ends: the worst case of these."""
        weak = grown(self.assembly, 1.0 - self.strength, np.zeros(len(self.joint)), np.zeros(len(self.joint)))
        joints = self.assembly.joints
        if joints is None:
            return weak
        sizes = [np.where(np.isfinite(bound), np.abs(bound), 0.0) for bound in (joints.lower, joints.upper)]
        lower, upper = joints.lower + self.joint * sizes[0], joints.upper - self.joint * sizes[1]
        if (lower > upper).any():
            row = int(np.argmax(lower > upper))
            raise InputError("makes its bounds cross", where=f"joint[{row}]", fix="give a smaller share for this row")
        return Assembly(weak.contacts, replace(joints, lower=lower, upper=upper), weak.name)

    @property
    def only_weakens(self) -> bool:
        """Whether only strengths and joint bounds are uncertain: then the weak ends are the worst case."""
        return not (self.friction.any() or self.position.any() or self.angle or self.point.any())

    def changed(self, friction: Array, position: Array, wrench: Array) -> tuple[Assembly, Array]:
        """(the weakest assembly with shares `friction` (k,) more shear and shifted by `position` (k, 3), wrench)."""
        shear = 1.0 + friction
        contacts = weakened(self.weakest, np.column_stack([shear, shear, np.ones(len(shear))])).contacts
        moved = [replace(c, position=c.position + shift) for c, shift in zip(contacts, position, strict=True)]
        return Assembly(moved, self.weakest.joints, self.weakest.name), wrench

    @property
    def acts(self) -> Array:
        """(3,) the load's force; its torque where it has no force."""
        return self.direction[:3] if self.direction[:3].any() else self.direction[3:]

    def load_with(self, force: Array, point: Array) -> Array:
        """(6,) the load with its force (its torque, where it has no force) replaced, acting `point` (3,) [m] off."""
        if not self.direction[:3].any():
            return np.concatenate([np.zeros(3), force])
        along = self.direction[3:] - np.cross(self.at, self.direction[:3])
        return np.concatenate([force, along + np.cross(self.at + point, force)])

    def includes(self, friction: Array, position: Array, wrench: Array) -> bool:
        """Whether errors of shear (k,) and position (k, 3) [m], and a load (6,), are within the intervals."""
        near = 1.0 + tolerances.SOLVER_ROUNDING
        if (np.abs(friction) > near * self.friction).any() or (np.abs(position) > near * self.position).any():
            return False
        acts, force = self.acts, wrench[:3] if self.direction[:3].any() else wrench[3:]
        size = float(np.linalg.norm(acts))
        across, along = float(np.linalg.norm(np.cross(acts, force))), float(acts @ force)
        if abs(float(np.linalg.norm(force)) - size) > tolerances.SOLVER_ROUNDING * size:
            return False
        if math.atan2(across, along) > self.angle + math.sqrt(tolerances.EPSILON):
            return False
        left = wrench - self.load_with(force, np.zeros(3))  # what a shift p of the point of application adds: p x force
        if not self.direction[:3].any():
            return not left.any()
        way, shift = (
            force / size,
            np.cross(force, left[3:]) / size**2,
        )  # any multiple of `way` may be added to the shift
        slack = tolerances.SOLVER_ROUNDING * (float(np.linalg.norm(wrench[3:])) / size + float(np.linalg.norm(self.at)))
        if left[:3].any() or abs(float(left[3:] @ way)) > slack * size:
            return False
        low, high = -np.inf, np.inf
        for part, offset, width in zip(way.tolist(), shift.tolist(), (self.point + slack).tolist(), strict=True):
            if abs(part) > tolerances.ZERO_DIRECTION:
                ends = sorted(((-width - offset) / part, (width - offset) / part))
                low, high = max(low, ends[0]), min(high, ends[1])
            elif abs(offset) > width:
                return False
        return low <= high

    # Effect on the rows.

    def residuals(self, problem: ContactProblem, contact: int, forces: Array, axes: Array) -> Array:
        """(n, a) the largest contribution of errors at one contact to each axis . rows for local forces (n, 3).

        `axes` (a, m) are directions in the scaled rows of `problem`, that of the weakest assembly. Position errors act
        on forces with a shear error: a convex function of that error, largest at one of its ends.
        """
        maps, rotation = problem.maps[contact], self.assembly.rotations[contact]
        share = float(self.friction[contact])
        total = share * np.abs((forces * np.array([1.0, 1.0, 0.0])) @ maps.T @ axes.T)
        arms = axes[:, 3:6] * problem.row_scale[3:6]  # (a, 3): axis . torque
        for b, width in enumerate(self.position[contact]):
            if width == 0.0:
                continue
            ends = []
            for sign in (-1.0, 1.0):
                factors = np.array([1.0 + sign * share, 1.0 + sign * share, 1.0])
                world = (forces * factors) @ rotation.T
                ends.append(np.abs(np.cross(np.eye(3)[b], world) @ arms.T))
            total = total + width * np.maximum(ends[0], ends[1])
        return total

    def load_residuals(self, problem: ContactProblem, axes: Array) -> Array:
        """(a,) the largest contribution of an error of the load to each axis . rows, per multiple of the load."""
        force, torque = self.direction[:3], self.direction[3:]
        arms = axes[:, 3:6] * problem.row_scale[3:6]
        if not force.any():
            return self._turned(torque, arms)
        centre = self.weakest.positions.mean(axis=0)  # the problem's torques are about it
        total = self._turned(force, axes[:, :3] * problem.row_scale[:3] + np.cross(arms, self.at - centre))
        far = 2.0 * math.sin(0.5 * self.angle) * float(np.linalg.norm(force))  # largest change of the turned force
        for b, width in enumerate(self.point):
            total = total + width * (np.abs(arms @ np.cross(np.eye(3)[b], force)) + far * np.linalg.norm(arms, axis=1))
        return total

    def _turned(self, vector: Array, axes: Array) -> Array:
        """(a,) the largest change of the product of `vector` (3,), turned within its cone, with axes (a, 3)."""
        along = vector / float(np.linalg.norm(vector))
        part = axes @ along
        across = np.linalg.norm(axes - part[:, None] * along, axis=1)
        size = float(np.linalg.norm(vector))
        return size * (math.sin(self.angle) * across + (1.0 - math.cos(self.angle)) * np.abs(part))


def _errors(name: str, value: ArrayLike, shape: tuple[int, ...] | None) -> Array:
    """Relative errors in [0, 1) of this shape, or of any."""
    given = checks.array(name, value, None)
    if (given < 0.0).any() or (given >= 1.0).any():
        raise InputError(f"holds {given.min():g} to {given.max():g}", where=name, fix="give errors in [0, 1)")
    return given if shape is None else checks.filled(name, given, shape)


def _widths(name: str, value: ArrayLike, shape: tuple[int, ...] | None) -> Array:
    """Half widths of at least 0 of this shape, or of any."""
    widths = checks.array(name, value, None) if shape is None else checks.filled(name, value, shape)
    if (widths < 0.0).any():
        raise InputError(f"holds {widths.min():g}", where=name, fix="give half widths of at least 0 m")
    return widths


# A rule of forces for every error.

#: Largest number of pricing rounds.
MOST_ROUNDS = 200

#: How often the found forces are added to the program as points.
MIXTURES = 1

#: Penalty on the error of the conditions, in load factors as large as the limit.
PENALTY = 1e3

#: The factor is reduced by this fraction, for rounding.
ROOM = 1e-8


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule and the load factor it proves.

    Attributes:
        factor: load factor that holds for every error within the intervals.
        pieces: (k,) the piece of each contact's volume that all its forces lie in; one for all contacts of a unit.
        forces: (c, k, 3) local forces at the corners [N].
        axes: (q, m) over the scaled rows.
        weights: (q,) b; the first is 1.
        sizes: (2,) beta_1, beta_2.
    """

    factor: float
    pieces: Array
    forces: Array
    axes: Array
    weights: Array
    sizes: Array

    @property
    def corners(self) -> Array:
        """(c, m) the errors at the corners."""
        first, second = corners_of(self.axes, self.weights)
        return self.sizes[0] * first + self.sizes[1] * second

    @proof
    def verify(self, problem: ContactProblem, spread: Spread) -> bool:
        """Check the conditions by arithmetic only; `problem` is that of the weakest assembly."""
        parts = (self.factor, self.forces, self.axes, self.weights, self.sizes)
        if not all(np.isfinite(part).all() for part in parts) or not shares_piece(problem.layout, self.pieces).all():
            return False
        exact = problem.lower == problem.upper
        scale = problem.force_scale(self.forces, self.factor)
        tiny = 100 * tolerances.FEASIBILITY * scale
        load = spread.load_residuals(problem, self.axes)
        for forces, corner in zip(self.forces, self.corners, strict=True):
            values = problem.row_values(forces, self.factor)
            if np.abs((values + corner - problem.lower)[exact]).max() > tiny:
                return False
            worst = self.factor * load
            rows = np.zeros(problem.rows)
            for i, force in enumerate(forces):
                worst = worst + spread.residuals(problem, i, force[None], self.axes)[0]
                rows += spread.residuals(problem, i, force[None], np.eye(problem.rows))[0]
                piece = problem.pieces(i)[self.pieces[i]]
                if float(piece.signed_distance(force)) > 10 * tolerances.MEMBERSHIP * max(piece.size, scale):
                    return False
            reached = _gauges(worst[None], self.weights)[0]
            if (reached > self.sizes * (1.0 + ROOM) + tiny / float(self.weights.min())).any():
                return False
            over = np.maximum(values + rows - problem.upper, problem.lower - values + rows)[~exact]
            if over.max(initial=0.0) > tiny:
                return False
        return True


def corners_of(axes: Array, weights: Array) -> tuple[Array, Array]:
    """((c, m), (c, m)) factors of beta_1 and beta_2 at the corners of B."""
    first, others = axes[0], axes[1:] * weights[1:, None]
    across = np.concatenate([others, -others]) if len(others) else np.zeros((1, len(first)))
    along = np.repeat([first, -first], len(across), axis=0)
    return along, np.concatenate([across, across])


def _gauges(worst: Array, weights: Array) -> Array:
    """(n, 2) the sizes beta_1, beta_2 that B needs to contain errors of (n, q) along the axes."""
    return np.column_stack([worst[:, 0], (worst[:, 1:] / weights[1:]).sum(axis=1)])


class _RuleProgram:
    """The linear program of the rule with the largest factor for given pieces, axes (q, m) and weights (q,).

    `optimum` is that of the weakest assembly without errors, for the same pieces. Vertices enter as they are priced.

    Columns: d, beta_1, beta_2, error of the conditions, then weights of points. Rows, per corner: those to be met
    exactly, upper and lower ones of the others, the two conditions on B, one convexity row per contact.
    """

    def __init__(
        self, problem: ContactProblem, spread: Spread, pieces: Array, optimum: Optimum, axes: Array, weights: Array
    ) -> None:
        forces, factor = optimum.prices.forces, optimum.factor
        self._problem, self._pieces, self._axes, self._weights = problem, pieces, axes, weights
        self._spread = spread
        self._unit = max(float(np.abs(forces).max()), abs(factor) * float(np.abs(problem.load).max()))
        self._corners = corners_of(axes, weights)
        self._count = len(self._corners[0])
        self._gauge = np.array([1.0, float(weights[1:].max(initial=0.0)) or 1.0])  # rows of B are newtons, too
        exact = problem.lower == problem.upper
        upper, lower = ~exact & np.isfinite(problem.upper), ~exact & np.isfinite(problem.lower)
        self._select = np.concatenate([np.nonzero(exact)[0], np.nonzero(upper)[0], np.nonzero(lower)[0]])
        self._signs = np.repeat([0.0, 1.0, -1.0], [exact.sum(), upper.sum(), lower.sum()])
        self._points = [np.vstack([forces[i], problem.pieces(i)[j].extreme]) for i, j in enumerate(pieces)]
        self._rays = [problem.pieces(i)[j].rays for i, j in enumerate(pieces)]
        self._blocks = [self._block(spread, i, self._points[i]) for i in range(problem.contacts)]
        self._ray_blocks = [self._block(spread, i, rays) for i, rays in enumerate(self._rays)]
        self._rows = len(self._select) + 2
        gauges = _gauges(spread.load_residuals(problem, axes)[None], weights)[0] * self._gauge
        self._load = np.concatenate([problem.load[self._select], gauges])
        self._known: set[tuple[int, int, int, bool]] = set()
        self._order: list[tuple[int, int, int, bool]] = []
        self._program = self._built()

    def solve(self) -> Rule | None:
        """The rule, or None."""
        k = self._problem.contacts
        self._add([(j, i, 0, False) for j in range(self._count) for i in range(k)])
        for _ in range(MIXTURES):
            forces = self._climb()
            if forces is None:
                return None
            self._add(self._mixed(forces))
        forces = self._climb()
        values = self._program.values
        if forces is None or values[3] > tolerances.FEASIBILITY:
            return None
        d = float(values[0]) * self._unit / float(np.abs(self._problem.load).max())
        sizes = values[1:3] * self._unit / self._gauge
        return Rule(d - ROOM * abs(d), self._pieces, forces, self._axes, self._weights, sizes)

    def _climb(self) -> Array | None:
        """(c, k, 3) the best forces at the corners; vertices are added until none improves; None when it fails."""
        for _ in range(MOST_ROUNDS):
            if self._program.solve() is not Outcome.OPTIMAL:
                return None
            if not self._add(self._priced(self._program.row_duals)):
                break
        k = self._problem.contacts
        forces, totals = np.zeros((self._count, k, 3)), np.zeros((self._count, k))
        for (j, i, n, is_ray), weight in zip(self._order, np.maximum(self._program.values[4:], 0.0), strict=True):
            forces[j, i] += weight * (self._ray(i, n) if is_ray else self._points[i][n])
            totals[j, i] += 0.0 if is_ray else weight
        return forces / np.where(totals > 0.0, totals, 1.0)[:, :, None]

    def _mixed(self, forces: Array) -> list[tuple[int, int, int, bool]]:
        """The found forces as points of their own: errors of a mixture are at most the mixture of errors."""
        found = []
        for i in range(self._problem.contacts):
            first = len(self._points[i])
            self._points[i] = np.vstack([self._points[i], forces[:, i]])
            self._blocks[i] = np.hstack([self._blocks[i], self._block(self._spread, i, forces[:, i])])
            found += [(j, i, first + j, False) for j in range(self._count)]
        return found

    def _ray(self, i: int, n: int) -> Array:
        return self._rays[i][n] / np.linalg.norm(self._rays[i][n]) * self._unit

    def _block(self, spread: Spread, i: int, points: Array) -> Array:
        """(rows, n) contribution of the points (n, 3) to the rows of a corner, in newtons."""
        problem = self._problem
        values = problem.maps[i] @ points.T
        spare = spread.residuals(problem, i, points, np.eye(problem.rows)[self._select]).T
        gauges = _gauges(spread.residuals(problem, i, points, self._axes), self._weights) * self._gauge
        return np.vstack([values[self._select] + self._signs[:, None] * spare, gauges.T])

    def _built(self) -> LinearProgram:
        problem, k, count = self._problem, self._problem.contacts, self._count
        low = np.where(self._signs > 0.0, -np.inf, problem.lower[self._select]) / self._unit
        high = np.where(self._signs < 0.0, np.inf, problem.upper[self._select]) / self._unit
        lower = np.concatenate([low, [-np.inf, -np.inf], np.ones(k)])
        upper = np.concatenate([high, [0.0, 0.0], np.ones(k)])
        program = LinearProgram(np.tile(lower, count), np.tile(upper, count))
        strength, rest = float(np.abs(problem.load).max()), np.zeros(k)
        columns = [np.tile(np.concatenate([self._load / strength, rest]), count)]
        for number, (ends, gauge) in enumerate(zip(self._corners, self._gauge, strict=True)):
            own = -np.eye(2)[number]
            columns.append(np.concatenate([np.concatenate([c[self._select] / gauge, own, rest]) for c in ends]))
        columns.append(np.tile(np.concatenate([-self._signs, [-1.0, -1.0], rest]), count))
        for column, gain in zip(columns, (1.0, 0.0, 0.0, -PENALTY), strict=True):
            program.add_columns(column[:, None], gain=gain)
        return program

    def _priced(self, duals: Array) -> list[tuple[int, int, int, bool]]:
        """The best point of each contact at each corner, and rays, that could raise the factor."""
        k, wide, found = self._problem.contacts, self._rows + self._problem.contacts, []
        for j in range(self._count):
            own = duals[j * wide : (j + 1) * wide]
            for i in range(k):
                worth = own[: self._rows] @ self._blocks[i] / self._unit + own[self._rows + i]
                best = int(np.argmax(worth))
                if worth[best] > TIGHT:
                    found.append((j, i, best, False))
                if len(self._rays[i]):
                    sizes = np.linalg.norm(self._rays[i], axis=1)
                    climbs = own[: self._rows] @ self._ray_blocks[i] / sizes
                    found += [(j, i, int(n), True) for n in np.nonzero(climbs > TIGHT)[0]]
        return found

    def _add(self, wanted: list[tuple[int, int, int, bool]]) -> bool:
        new = [key for key in wanted if key not in self._known]
        if not new:
            return False
        wide = self._rows + self._problem.contacts
        matrix = np.zeros((self._count * wide, len(new)))
        for column, (j, i, n, is_ray) in zip(matrix.T, new, strict=True):
            start = j * wide
            if is_ray:
                column[start : start + self._rows] = self._ray_blocks[i][:, n] / np.linalg.norm(self._rays[i][n])
            else:
                column[start : start + self._rows] = self._blocks[i][:, n] / self._unit
                column[start + self._rows + i] = 1.0
        self._program.add_columns(matrix)
        self._known.update(new)
        self._order += new
        return True


# The limit.

#: Axes across the multipliers are weighted by the errors that forces can still balance along them when the load is
#: at this share of its limit; at least by a share of the largest.
LOADED = 0.9
LEAST_WEIGHT = 1e-4

#: Largest number of steps towards the worst error.
MOST_STEPS = 6

#: Number of corners of the intervals that are also tried, drawn with a fixed seed.
MOST_GUESSES = 6


@dataclass(frozen=True, eq=False)
class RobustLimit(Result):
    """A load limit under interval uncertainty.

    Attributes:
        certified: every multiple of the load up to this holds for all errors (only this multiple, where some
            piece or joint bound excludes zero); 0 or -inf when nothing could be certified.
        attained: the limit at `worst`: the worst case is at most this.
        nominal: the limit without errors.
        weakened: the limit with strengths and joint bounds at their weak ends and no other error.
        worst: (assembly, direction (6,)) the most harmful error found.
        friction: (k,) relative shear errors at `worst`; position: (k, 3) shifts there [m].
        spread: the intervals, checked.
        rule: the proof of `certified`; None where the weak ends or zero forces prove it, or nothing does.
        limits: the load limits of `nominal`, `weakened` and `attained`, each with its own proof.
    """

    certified: float
    attained: float
    nominal: float
    weakened: float
    worst: tuple[Assembly, Array]
    friction: Array
    position: Array
    spread: Spread
    rule: Rule | None
    limits: tuple[LoadLimit, LoadLimit, LoadLimit]

    def __repr__(self) -> str:
        return f"RobustLimit([{self.certified:.6g}, {self.attained:.6g}], nominal {self.nominal:.6g})"

    @property
    def bracket(self) -> tuple[float, float]:
        """(certified, attained): the worst case lies between them."""
        return self.certified, self.attained

    @proof
    def verify(self) -> bool:
        """Check both ends without the search: the rule by arithmetic, the worst error by the proof of its own limit."""
        spread, rule, (harmed, wrench) = self.spread, self.rule, self.worst
        asked = (spread.assembly, spread.direction), (spread.weakest, spread.direction), (harmed, wrench)
        for limit, (assembly, direction) in zip(self.limits, asked, strict=True):
            if limit.assembly is not assembly or not same(limit.direction, direction) or not limit.verify():
                return False
        if (self.nominal, self.weakened, self.attained) != tuple(limit.value for limit in self.limits):
            return False
        again, _ = spread.changed(self.friction, self.position, wrench)
        if not spread.includes(self.friction, self.position, wrench) or again.fingerprint != harmed.fingerprint:
            return False
        weak = self.limits[1].problem
        if rule is not None and not rule.verify(weak, spread):
            return False
        proven = rule.factor if rule is not None else 0.0 if weak.is_star_shaped else -np.inf
        return self.certified == (self.weakened if spread.only_weakens else min(proven, self.attained))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **{name: getattr(self, name) for name in ("certified", "attained", "nominal", "weakened")},
            "worst": {
                "friction_share": self.friction.tolist(),
                "position_shift_m": self.position.tolist(),
                "direction": self.worst[1].tolist(),
            },
        }


@with_advice()
def robust_limit(assembly: Assembly, direction: ArrayLike, intervals: Intervals) -> RobustLimit:
    """The load limit for every error within intervals: certified from below, attained from above.

    Args:
        assembly: contacts and joint rows.
        direction: (6,) external wrench on the object [N, N m about the world origin]; the limit is a multiple of it.
        intervals: uncertain parameters and their errors.

    Raises:
        InputError: there is no finite limit without errors, or intervals do not fit the assembly.
    """
    load = checks.vector("direction", direction, 6)
    checks.instance(
        "intervals",
        intervals,
        Intervals,
        fix="give holdfast.reliability.Intervals(...), such as Intervals(strength=0.1)",
    )
    spread = Spread.of(checked_assembly(assembly), load, intervals)
    nominal = load_limit(assembly, load)
    weak = load_limit(spread.weakest, load)
    for limit in (nominal, weak):
        if limit.status is not Status.OPTIMAL or limit.pieces is None:
            raise InputError(
                f"has no finite limit: {limit.status.value}", where="direction", fix="choose a load that has a limit"
            )
    if spread.only_weakens:
        none = np.zeros(len(assembly)), np.zeros((len(assembly), 3))
        limits, worst = (nominal, weak, weak), (spread.weakest, load)
        return RobustLimit(weak.value, weak.value, nominal.value, weak.value, worst, *none, spread, None, limits)
    harm, friction, position, at_worst = _most_harmful(spread, weak)
    rule = _certified(spread, weak, at_worst)
    nothing = 0.0 if weak.problem.is_star_shaped else -np.inf  # zero forces balance no load, for any errors
    if rule is not None and rule.factor <= nothing:
        rule = None
    certified = min(nothing if rule is None else rule.factor, at_worst.value)
    values, limits = (certified, at_worst.value, nominal.value, weak.value), (nominal, weak, at_worst)
    return RobustLimit(*values, harm, friction, position, spread, rule, limits)


def _most_harmful(spread: Spread, weak: LoadLimit) -> tuple[tuple[Assembly, Array], Array, Array, LoadLimit]:
    """The worst error found: corners in the direction of the slopes, one after the other, then a few at random."""
    k = len(spread.assembly)
    friction, position, wrench = np.zeros(k), np.zeros((k, 3)), spread.direction
    limit, seen = weak, set()
    best = (spread.weakest, wrench), friction, position, weak
    rng = np.random.default_rng(0)
    for number in range(MOST_STEPS + MOST_GUESSES):
        step = _corner(spread, limit) if number < MOST_STEPS else _guess(spread, rng)
        if step is None:
            limit = best[3]
            continue
        friction, position, wrench = step
        key = (friction.tobytes(), position.tobytes(), np.round(wrench, 9).tobytes())
        if key in seen:
            continue
        seen.add(key)
        assembly, wrench = spread.changed(friction, position, wrench)
        limit = load_limit(assembly, wrench)
        known = limit.status in (Status.OPTIMAL, Status.DOES_NOT_HOLD)
        if known and limit.value < best[3].value:
            best = (assembly, wrench), friction, position, limit
    return best


def _guess(spread: Spread, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """A random corner of the intervals, in the form of `_corner`."""

    def either(shape: tuple[int, ...]) -> Array:
        return rng.choice([-1.0, 1.0], size=shape)

    k = len(spread.assembly)
    acts = spread.acts
    across = np.cross(acts, rng.normal(size=3))
    across *= float(np.linalg.norm(acts)) / float(np.linalg.norm(across))
    turned = np.cos(spread.angle) * acts + np.sin(spread.angle) * across
    wrench = spread.load_with(turned, either((3,)) * spread.point)
    return either((k,)) * spread.friction, either((k, 3)) * spread.position, wrench


def _corner(spread: Spread, limit: LoadLimit) -> tuple[Array, Array, Array] | None:
    """(relative shear errors (k,), shifts (k, 3), wrench (6,)) where the limit decreases fastest, by its slopes."""
    if limit.pieces is None or limit.status is not Status.OPTIMAL:
        return None
    optimum = Optimum.of(FixedPieces(limit.problem, limit.pieces))
    if optimum is None:
        return None
    k = len(spread.assembly)
    friction, position = np.zeros(k), np.zeros((k, 3))

    def slope(parameter: LimitParameter) -> float:
        return optimum.envelope(rate_of(limit.assembly, limit.problem, limit.direction, parameter))

    for i in range(k):
        if spread.friction[i]:
            friction[i] = -np.sign(slope(LimitParameter(Kind.FRICTION, contacts=(i,)))) * spread.friction[i]
        for axis in np.nonzero(spread.position[i])[0]:
            by = slope(LimitParameter(Kind.POSITION, axis=int(axis), contacts=(i,)))
            position[i, axis] = -np.sign(by) * spread.position[i, axis]
    shift = np.zeros(3)
    for axis in np.nonzero(spread.point)[0]:
        shift[axis] = -np.sign(slope(LimitParameter(Kind.POINT, axis=int(axis)))) * spread.point[axis]
    by_load = np.array([slope(LimitParameter(Kind.LOAD, axis=axis)) for axis in range(6)])
    acts = spread.acts
    if not spread.angle:
        return friction, position, spread.load_with(acts, shift)
    pull = by_load[3:] if not spread.direction[:3].any() else by_load[:3] - np.cross(spread.at + shift, by_load[3:])
    along = acts / float(np.linalg.norm(acts))
    across = pull - (pull @ along) * along
    size = float(np.linalg.norm(across))
    if size > 0.0:
        turned = np.cos(spread.angle) * along - np.sin(spread.angle) * across / size
        acts = turned * float(np.linalg.norm(acts))
    return friction, position, spread.load_with(acts, shift)


def _certified(spread: Spread, weak: LoadLimit, at_worst: LoadLimit) -> Rule | None:
    """The best rule for the pieces of the weak ends and of the worst error."""
    problem = weak.problem
    choices = {tuple(limit.pieces.tolist()) for limit in (weak, at_worst) if limit.pieces is not None}
    rules = []
    for choice in sorted(choices):
        pieces = np.array(choice, dtype=np.int64)
        optimum = Optimum.of(FixedPieces(problem, pieces))
        if optimum is None or optimum.factor <= 0.0:
            continue
        axes = _axes(spread, weak, optimum, pieces)
        room = np.array([_room(weak.problem, pieces, optimum.factor, axis) for axis in axes])
        weights = np.maximum(room / (room.max() or 1.0), LEAST_WEIGHT)
        weights[0] = 1.0
        rule = _RuleProgram(problem, spread, pieces, optimum, axes, weights).solve()
        if rule is not None and rule.verify(problem, spread):
            rules.append(rule)
    return max(rules, key=lambda rule: rule.factor, default=None)


def _room(problem: ContactProblem, pieces: Array, factor: float, axis: Array) -> float:
    """The largest error along +- `axis` (m,) that can be balanced with most of the load [N]; 0 when none can."""
    carried = LOADED * factor * problem.load
    layout = replace(problem.layout, lower=problem.lower - carried, upper=problem.upper - carried)
    rooms = [FixedPieces(ContactProblem(layout, sign * axis), pieces).largest_factor() for sign in (-1.0, 1.0)]
    size = max(piece.size for shape in problem.shapes for piece in shape)
    return min([max(0.0, room) for room in rooms if not np.isnan(room)] + [size]) if rooms else 0.0


def _axes(spread: Spread, weak: LoadLimit, optimum: Optimum, pieces: Array) -> Array:
    """(q, m) orthonormal axes that span every error of the rows that must be met exactly, the first along y."""
    problem = weak.problem
    exact = problem.lower == problem.upper
    columns = []
    for i in range(problem.contacts):
        size = problem.pieces(i)[pieces[i]].size
        if spread.friction[i]:
            columns.append(spread.friction[i] * problem.maps[i][:, :2] * size)
        for axis in np.nonzero(spread.position[i])[0]:
            parameter = LimitParameter(Kind.POSITION, axis=int(axis), contacts=(i,))
            rate = rate_of(spread.weakest, problem, spread.direction, parameter)
            columns.append(spread.position[i, axis] * rate.maps[i] * size)
    arms = spread.load_residuals(problem, np.eye(problem.rows))
    columns.append(np.diag(optimum.factor * arms))
    matrix = np.concatenate(columns, axis=1)[exact]
    base, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    base = base[:, sizes > tolerances.SOLVER_ROUNDING * sizes[0]]
    y = base.T @ optimum.prices.multipliers[exact]
    whole = np.linalg.norm(optimum.prices.multipliers[exact])
    if np.linalg.norm(y) > tolerances.SOLVER_ROUNDING * whole:
        full = np.linalg.qr(np.column_stack([y, np.eye(len(y))]))[0]
        base = base @ full
    axes = np.zeros((base.shape[1], problem.rows))
    axes[:, exact] = base.T
    return axes
