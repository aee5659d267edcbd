"""PosturePlanner: callbacks for motion planners: whether a posture holds, its margin, and the margin's gradient."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.loads import gravity_wrench
from ..checks import Array, BoolArray, IntArray, Side
from ..errors import InputError, UnknownNameError
from ..geometry.frames import skew_matrices, transports
from ..grips import Grip, GripBounds, OuterGrip
from ..jobs import sweep
from ..postures import PostureEquilibrium, posture_equilibrium, support_region
from ..postures.generation import solver_of
from ..postures.hands import checked_hands as posture_hands
from ..public_names import with_advice
from ..results import Result
from ..solvers.minkowski import HandWeights, SumOptimum, SumStatus
from ..solvers.minkowski.limited import LimitedOptimum, LimitedSum
from .bodies import (
    DOWN,
    Hand,
    HandProgram,
    HierarchicalAnswer,
    HierarchicalBody,
    WrenchRows,
    checked_hands,
    own_joints,
)
from .robot import Robot

if TYPE_CHECKING:
    from ..postures.region import SupportRegion
    from ..postures.region_computation import SupportRegionBounds
    from ..solvers.minkowski import FullProgram
    from .device import DevicePlanner


@dataclass(frozen=True)
class LoadGrowth:
    """The fraction of the weight that may be added or removed while the hands hold; 0.3: from 70 to 130 %.

    It is min(s_max - 1, 1 - s_min) of the scales s of the weight that are held, so at least 0 exactly where the posture
    holds; -inf where no scale is held. The change acts on the root link, at the centre of mass; the weight of limbs is
    constant. Two programs.
    """


@with_advice()
@dataclass(frozen=True, eq=False)
class Pushes:
    """The largest r for which the weight is held with any of several wrenches added, r times in both directions.

    One row: the limit of a push along it. All six axes (the default): any wrench of sum |f_i| + sum |t_i| / length
    <= r may be added [N]. Two programs per row; -inf where the weight itself is not held.

    Attributes:
        directions: (n, 6) wrenches on the body, world axes, about the centre of mass; None for the six axes.
        length: [m] by which torques are divided for the six axes.
    """

    directions: ArrayLike | None = None
    length: float = 0.5

    def rows(self) -> Array:
        """(n, 6)."""
        if self.directions is None:
            return np.diag(np.repeat([1.0, checks.positive("length", self.length, unit="m")], 3))
        rows = checks.array("directions", self.directions, ("n", 6))
        if not len(rows) or not rows.any(axis=1).all():
            raise InputError("has an empty row", where="directions", fix="give wrenches (n, 6) other than zero")
        return rows


@dataclass(frozen=True)
class Lean:
    """Distance of the centre of mass from the border of its support region [m], normal to gravity; negative outside.

    The centre of mass shifts with the root link's load; the limbs' weights do not move. The exact region is computed at
    every posture: milliseconds instead of 0.1 ms.
    """


#: Types of `PosturePlanner(margin=...)`.
MarginKind = LoadGrowth | Pushes | Lean


# Derivative of the margin by the posture q, from the dual solution of the margin's program.

#: A vertex is used, or reached by the multipliers, within this fraction of the hand's size.
ACTIVE = 1e-9

#: The hands of a generic optimum combine this many vertices and rays more than there are hands.
GENERAL = 5


@dataclass(frozen=True, eq=False)
class MarginSlope(Result):
    """A margin and its slope by q.

    Attributes:
        value: the margin.
        gradient: (v_size,) by the robot's velocity coordinates (see `Robot`): joints per rad or m, a floating base per
            metre and radian in world axes. `robot.moved(q, h * gradient)` increases the margin. NaN where there is
            none.
        smooth: whether the slope is the same from all sides. False at a kink: two limits are active, or the optimum
            is not unique; then `PosturePlanner.differences` gives the slopes of both sides. None for hands without
            vertices, where it is unknown.
        binding: what limits the margin, as text.
    """

    value: float
    gradient: Array
    smooth: bool | None
    binding: str

    def __repr__(self) -> str:
        kind = {True: "smooth", False: "at a kink", None: "smooth or not"}[self.smooth]
        return f"MarginSlope({self.value:.6g} by {self.binding}, {kind})"

    def to_dict(self) -> dict[str, Any]:
        """The margin and its slope as plain data."""
        return {
            "value": self.value,
            "binding": self.binding,
            "smooth": self.smooth,
            "gradient": self.gradient.tolist(),
        }


@dataclass(frozen=True, eq=False)
class Stand:
    """Palms and centre of mass in one posture.

    Attributes:
        q: the posture.
        com: (3,) centre of mass in the world [m].
        rotations: (k, 3, 3) palm frames in the world.
        arms: (k, 3) palm origins from the centre of mass [m], world axes.
        maps: (k, 6, 6) palm wrenches to wrenches about the centre of mass, world axes.
        rows: (k, n, 6) palm wrenches to torques of the n limb joints with limits, -J_palm^T [N m, N].
        resting: (n,) torques of these joints without hands: weight of the links minus springs [N m, N].
        twists: (k, 6, v) velocity of the palms' origins, then angular velocity, world axes; empty without such joints.
    """

    q: Array
    com: Array
    rotations: Array
    arms: Array
    maps: Array
    rows: Array = field(default_factory=lambda: np.zeros((0, 0, 6)))
    resting: Array = field(default_factory=lambda: np.zeros(0))
    twists: Array = field(default_factory=lambda: np.zeros((0, 6, 0)))

    @property
    def matrices(self) -> Array:
        """(k, 4, 4) palm frames to the world."""
        result = np.zeros((len(self.arms), 4, 4))
        result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = self.rotations, self.arms + self.com, 1.0
        return result


def work(stand: Stand, wrenches: Array, multipliers: Array) -> tuple[Array, Array]:
    """Derivative of y . sum_j T_j w_j by palm motions, with constant wrenches w_j (k, 6) in their palm frames.

    Args:
        stand: poses of the palms.
        wrenches: (k, 6) palm frames.
        multipliers: (6,) y, against wrenches about the centre of mass.

    Returns:
        (per shift (k, 3) of each palm against the centre of mass, per turn (k, 3) of each palm), world axes.
    """
    force, torque = in_world(stand.rotations, wrenches)
    y_force, y_torque = skew_matrices(multipliers.reshape(2, 3))  # [y] x = y cross x
    per_shift = -force @ y_torque.T
    per_turn = -force @ y_force.T - torque @ y_torque.T + cross(force, stand.arms @ y_torque.T)
    return per_shift, per_turn


def in_world(rotations: Array, wrenches: Array) -> tuple[Array, Array]:
    """(forces (k, 3), torques (k, 3)) of palm wrenches (k, 6), world axes, each about its palm."""
    parts = rotations[:, None] @ wrenches.reshape(-1, 2, 3, 1)
    return parts[:, 0, :, 0], parts[:, 1, :, 0]


def cross(first: Array, second: Array) -> Array:
    """(k, 3) cross products of rows, faster than `np.cross` for a few."""
    return (skew_matrices(first) @ second[:, :, None])[:, :, 0]


def about(multipliers: Array, point: Array) -> Array:
    """y (6,) against wrenches about the world origin as y against wrenches about a point (3,)."""
    return np.concatenate([multipliers[:3] + np.cross(multipliers[3:], point), multipliers[3:]])


def unique_optimum(
    grips: Sequence[Any], maps: Array, weights: Sequence[HandWeights], multipliers: Array
) -> bool | None:
    """Whether optimum and multipliers are unique: only the vertices and rays that y reaches are used, 5 + k in k hands.

    None for hands without vertices.
    """
    reached = points_reached(grips, maps, multipliers)
    if reached is None or not len(weights):
        return None
    used = 0
    for grip, own in zip(grips, weights, strict=True):
        used += int((own.values > ACTIVE).sum())
        if len(own.ray_indices):
            lengths = np.linalg.norm(grip.rays[own.ray_indices] / np.repeat([1.0, grip.length], 3), axis=1)
            used += int((own.ray_values * lengths > ACTIVE * grip.size).sum())
    return used == reached == GENERAL + len(grips)


def points_reached(grips: Sequence[Any], maps: Array, multipliers: Array) -> int | None:
    """Number of vertices and rays of all hands that are furthest along y (6,); None for hands without vertices."""
    if not all(isinstance(grip, Grip) for grip in grips):
        return None
    count = 0
    for grip, transport in zip(grips, maps, strict=True):
        direction = transport.T @ multipliers
        unit = np.repeat([1.0, grip.length], 3)
        slope = float(np.linalg.norm(direction * unit)) or 1.0
        scores = grip.vertices @ direction
        count += int((scores >= scores.max() - ACTIVE * grip.size * slope).sum())
        if len(grip.rays):
            lengths = np.linalg.norm(grip.rays / unit, axis=1)
            count += int((grip.rays @ direction >= -ACTIVE * slope * lengths).sum())
    return count


# The planner.

#: Two limits are active if their margins have at most this relative difference.
TIED = 1e-9

#: Step of finite differences [m, rad].
STEP = 1e-6

#: Step along one direction for second derivatives of the kinematics [rad, m].
BEND_STEP = 1e-5

#: Number of postures from which on a batch uses several processes, and the number per call.
MANY_POSTURES, POSTURES_AT_A_TIME = 2000, 250


class PosturePlanner:
    """Solves postures of one robot on given hands, with warm starts from posture to posture.

    A planner has a solver and must not be used by several threads at once: use one `copy()` per thread.

    Args:
        robot: the robot, on a floating base.
        hands: the hands and feet that hold it, with grips; contacts beyond the palms are ignored.
        gravity: (3,) [m/s^2] in the world.
        margin: definition of the margin: `LoadGrowth()`, `Pushes(...)` or `Lean()`.
        side: of grips with bounds, "inner" ("holds" is guaranteed) or "outer".
        joint_limits: whether postures beyond the joints' limits count as not feasible.
        limb_limits: whether the torque limits of joints outside the hands are included, with the weight of the
            links, friction and springs; False: (15) as in the paper.
        length: [m] by which torques are divided; from the palms in the neutral posture by default.
    """

    def __init__(
        self,
        robot: Robot,
        hands: Sequence[Hand],
        *,
        gravity: ArrayLike = DOWN,
        margin: MarginKind | None = None,
        side: Side = "inner",
        joint_limits: bool = True,
        limb_limits: bool = True,
        length: float | None = None,
    ) -> None:
        self.robot = _held_robot(robot)
        self.hands = _checked_hands(robot, hands)
        self.gravity = checks.vector("gravity", gravity, 3)
        self.kind: MarginKind = LoadGrowth() if margin is None else margin
        if not isinstance(self.kind, LoadGrowth | Pushes | Lean):
            raise InputError(
                f"is a {type(margin).__name__}", where="margin", fix="give LoadGrowth(), Pushes() or Lean()"
            )
        if side not in ("inner", "outer"):
            raise UnknownNameError("side", str(side), ("inner", "outer"), where="side")
        self.side: Side = side
        #: Whether torque limits of the limbs are included.
        self.limb_limits = limb_limits
        self._joint_limits, self._length = joint_limits, length
        self._links = [hand.palm for hand in self.hands]
        self._on_links = np.array([hand.frame_matrix for hand in self.hands])
        self._facing = [(i, hand.facing) for i, hand in enumerate(self.hands) if hand.facing is not None]
        self._weight = np.concatenate([robot.mass * self.gravity, np.zeros(3)])  # about the centre of mass
        self._lower, self._upper = robot.slack_limits
        self._limbs = _limb_joints(robot, self.hands) if limb_limits else np.zeros(0, dtype=np.int64)
        self._least, self._most = (bounds[self._limbs] for bounds in robot.torque_bounds)
        self._springs = any(joint.stiffness or joint.preload for joint in robot.joints)
        stand = self.stand(robot.neutral())
        given = posture_hands(self._grips, list(stand.matrices), length=length)
        self._held = given.sided(side)
        self._solver = solver_of(self._held)
        self._limited = self._limited_sum()
        self._placed = stand
        self._turns = any(grip.palm_gravity is not None for grip in self._held.grips)

    def __repr__(self) -> str:
        return f"PosturePlanner({self.robot.name!r}, {len(self.hands)} hands, {type(self.kind).__name__})"

    # -- callbacks ------------------------------------------------------------------------------

    def feasible(self, q: ArrayLike) -> bool:
        """Whether the hands hold the robot in posture q, within its joints' limits; only the verdict, fastest.

        "Undecided" counts as no; `equilibrium` distinguishes the two and has the proof.
        """
        values = np.asarray(q, dtype=np.float64)
        if values.shape != (self.robot.q_size,):
            self.robot.checked(values)  # raises an error with the reason
        if self._joint_limits and not self.within_limits(values):
            return False
        self._place(self.stand(values))
        if self._limited is not None:
            status = self._limited.holds(-self._weight)
            if status is not SumStatus.UNDECIDED:
                return status is SumStatus.OPTIMAL
        return self._asked(-self._weight).status is SumStatus.OPTIMAL

    def margin(self, q: ArrayLike) -> float:
        """The margin of the posture, as defined by `margin=` of the planner; at least 0 if it holds.

        Joint limits are not included; inf without a limit.
        """
        self._place(stand := self.stand(q))
        if isinstance(self.kind, Lean):
            return self._lean(stand).value
        return min(found.value for found in self._ends())

    def gradient(self, q: ArrayLike) -> MarginSlope:
        """The margin and its gradient by q, from the multipliers of the program; see `MarginSlope` for kinks."""
        self._place(stand := self.stand(q))
        if isinstance(self.kind, Lean):
            found = self._lean(stand, slope=True)
            if found.smooth is not False or not np.isfinite(found.value):
                return found
            # The wrenches at a corner of the region are not unique, so that its multipliers give no slope.
            forward, backward = self.differences(q)
            return replace(found, gradient=0.5 * (forward + backward))
        ends = sorted(self._ends(), key=lambda found: found.value)
        first = ends[0]
        if self._limited is not None:
            first = self._end(*first.asked, judge=True)
        if not np.isfinite(first.value):
            return MarginSlope(first.value, np.full(self.robot.v_size, np.nan), False, first.words)
        tied = len(ends) > 1 and ends[1].value - first.value <= TIED * max(1.0, abs(first.value))
        unique, gradient = self._slope_of(stand, first.optimum)
        return MarginSlope(first.value, gradient, False if tied else unique, first.words)

    def differences(self, q: ArrayLike, step: float = STEP) -> tuple[Array, Array]:
        """(forward (v,), backward (v,)) finite differences of the margin; they differ at a kink."""
        size = checks.positive("step", step)
        here, robot = self.margin(q), self.robot
        moves = size * np.eye(robot.v_size)
        forward = np.array([self.margin(robot.moved(q, move)) - here for move in moves])
        backward = np.array([here - self.margin(robot.moved(q, -move)) for move in moves])
        return forward / size, backward / size

    def feasible_many(self, postures: ArrayLike, *, workers: int | None = None) -> BoolArray:
        """(n,) `feasible` for (n, q_size) postures; see `margin_many` for `workers`."""
        return np.array(self._many("feasible", postures, workers), dtype=bool)

    def margin_many(self, postures: ArrayLike, *, workers: int | None = None) -> Array:
        """(n,) `margin` for (n, q_size) postures.

        Args:
            postures: the postures.
            workers: number of processes; None: all cores for thousands of postures, otherwise only this process.
                Processes take about a second to start and are kept for the next batch.
        """
        return np.array(self._many("margin", postures, workers), dtype=np.float64)

    def _many(self, question: Literal["feasible", "margin"], postures: ArrayLike, workers: int | None) -> list[Any]:
        rows = checks.array("postures", postures, ("n", self.robot.q_size))
        if workers is None:
            workers = _cores() if len(rows) >= MANY_POSTURES else 1
        return sweep(_PostureTask(self.copy(), question), list(rows), workers=workers)

    # -- answers with proof ---------------------------------------------------------------------

    def to(self, device: str) -> DevicePlanner:
        """The same robot and hands on a device, for batches of postures.

        Needs `limb_limits=False`, and the extra `gpu`.
        """
        from .device import DevicePlanner

        return DevicePlanner(self, device)

    def equilibrium(self, q: ArrayLike) -> PostureEquilibrium | HierarchicalAnswer:
        """The verdict with wrenches of every hand or the proof that there are none; with both sides of the grips.

        With torque limits of limbs, a `HierarchicalAnswer`: it has the torques of their joints, and the proof are
        multipliers of balance and torques.
        """
        stand = self.stand(q)
        load = gravity_wrench(self.robot.mass, self.gravity, stand.com)
        if len(self._limbs):
            posture = self.robot.checked(stand.q, limits=False)
            return HierarchicalBody(self.robot, posture, self.hands, self.gravity, load).equilibrium()
        return posture_equilibrium(self._grips, list(stand.matrices), load, gravity=self.gravity, length=self._length)

    def region(self, q: ArrayLike) -> SupportRegion | SupportRegionBounds:
        """The support region with the palms as in q; two regions for grips with bounds.

        Only by the grips: torque limits of limbs are not included.
        """
        stand = self.stand(q)
        return support_region(self._grips, list(stand.matrices), self.robot.mass, self.gravity, length=self._length)

    @cached_property
    def _grips(self) -> list[Any]:
        return [hand.grip for hand in self.hands]

    # -- others like it -------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        return _made, (self.robot, self.hands, self._options(self.kind))

    def copy(self) -> PosturePlanner:
        """The same planner with its own solver, for another thread."""
        return self._like(self.hands, self.kind)

    def with_hands(self, hands: Sequence[Hand]) -> PosturePlanner:
        """The same robot on other hands."""
        return self._like(hands, self.kind)

    def with_margin(self, margin: MarginKind) -> PosturePlanner:
        """The same with another definition of the margin."""
        return self._like(self.hands, margin)

    def _like(self, hands: Sequence[Hand], margin: MarginKind) -> PosturePlanner:
        return PosturePlanner(self.robot, hands, **self._options(margin))

    def _options(self, margin: MarginKind) -> dict[str, Any]:
        return {
            "gravity": self.gravity,
            "margin": margin,
            "side": self.side,
            "joint_limits": self._joint_limits,
            "limb_limits": self.limb_limits,
            "length": self._length,
        }

    def lifted(self, names: str | Iterable[str]) -> PosturePlanner:
        """The same robot with these hands off the terrain."""
        off = [names] if isinstance(names, str) else list(names)
        for name in off:
            self.hand(name)
        return self.with_hands([hand for hand in self.hands if hand.name not in off])

    def with_grips(self, grips: dict[str, Any]) -> PosturePlanner:
        """The same hands with other grips, by the hands' names."""
        for name in grips:
            self.hand(name)
        return self.with_hands([replace(hand, grip=grips.get(hand.name, hand.grip)) for hand in self.hands])

    def hand(self, name: str) -> Hand:
        """The hand called `name`."""
        for hand in self.hands:
            if hand.name == name:
                return hand
        raise UnknownNameError("hand", name, [hand.name for hand in self.hands])

    # -- kinematics -----------------------------------------------------------------------------

    def within_limits(self, q: Array) -> bool:
        """Whether the joints of q are within their limits."""
        angles = q[self.robot.q_base :]
        return bool((angles >= self._lower).all() and (angles <= self._upper).all())

    def stand(self, q: ArrayLike) -> Stand:
        """Palms and centre of mass, and the load of the limbs' joints."""
        values = np.asarray(q, dtype=np.float64)
        matrices = self.robot.placements(values, self._links) @ self._on_links
        com = self.robot.com(values)
        rotations, arms = matrices[:, :3, :3], matrices[:, :3, 3] - com
        for number, facing in self._facing:
            rotations[number] = facing
        maps = transports(rotations, arms)
        if not len(self._limbs):
            return Stand(values, com, rotations, arms, maps)
        twists = self._twists(values, matrices[:, :3, 3])
        own = twists[:, :, self.robot.v_base + self._limbs].transpose(0, 2, 1)
        rows = np.concatenate([own[:, :, :3] @ rotations, own[:, :, 3:] @ rotations], axis=2)
        resting = self.robot.gravity_torques(values, self.gravity)
        if self._springs:
            resting = resting - self.robot.spring_torques(values)
        return Stand(values, com, rotations, arms, maps, -rows, resting[self._limbs], twists)

    def _twists(self, q: Array, origins: Array) -> Array:
        """(k, 6, v) velocity of the palms' origins (k, 3) [m], then angular velocity, world axes."""
        jacobians, at = self.robot.link_jacobians(q, self._links)
        jacobians[:, :3] -= skew_matrices(origins - at) @ jacobians[:, 3:]  # v + w x r
        return jacobians

    def jacobians(self, stand: Stand) -> tuple[Array, Array]:
        """((k, 3, v) of the palms' origins, (k, 3, v) of their rotation), world axes."""
        twists = self._twists(stand.q, stand.arms + stand.com)
        return twists[:, :3], twists[:, 3:]

    def slope(self, stand: Stand, wrenches: Array, multipliers: Array) -> Array:
        """(v,) derivative of y . sum_j T_j w_j by q: wrenches (k, 6) in the palms, y (6,) about the centre of mass."""
        per_shift, per_turn = work(stand, wrenches, multipliers)
        for number, _ in self._facing:  # such a palm does not rotate with its link
            per_turn[number] = 0.0
        gradient = np.concatenate([per_shift, per_turn], axis=1).ravel() @ self._flat_twists(stand)
        # generalised_gravity(q, x) is -mass J_com^T x: the centre of mass moves against the palms.
        return gradient + self.robot.generalised_gravity(stand.q, per_shift.sum(axis=0)) / self.robot.mass

    def torque_slope(self, stand: Stand, wrenches: Array, multipliers: Array) -> Array:
        """(v,) derivative of r . torques of the limb joints by q, for r (n,) and constant wrenches (k, 6) in the palms.

        With the twist x_l of a palm along coordinate l and m the motion r of the limb joints, the derivative of
        x(m) . w along l, in the palm frame, is that of x_l . w along m plus [x(m), x_l] . w: the one derivative along m
        gives all of them. That of the weight's torques is symmetric. The wrench of a palm that faces the world keeps
        its world axes: then only turns do not commute, with the opposite sign.
        """
        robot = self.robot
        size = float(np.abs(multipliers).max(initial=0.0))
        if size == 0.0:
            return np.zeros(robot.v_size)
        motion = np.zeros(robot.v_size)
        motion[robot.v_base + self._limbs] = multipliers / size
        bend = np.concatenate([np.zeros(robot.q_base), BEND_STEP * motion[robot.v_base :]])
        ends = [self._felt(stand.q + sign * bend, wrenches) for sign in (1.0, -1.0)]
        result = (ends[0] - ends[1]) / (2.0 * BEND_STEP)
        twists = self._flat_twists(stand)
        force, torque = in_world(stand.rotations, wrenches)
        shift, turn = (twists @ motion).reshape(-1, 2, 3).transpose(1, 0, 2)
        # [a, b] . w = f . (a_w x b_v - b_w x a_v) + t . (a_w x b_w), a = x(m), b = x_l: linear in b
        by_twist = np.concatenate([cross(force, turn), cross(torque, turn) + cross(force, shift)], axis=1)
        for number, _ in self._facing:
            by_twist[number] = np.concatenate([np.zeros(3), np.cross(turn[number], torque[number])])
        return size * (result - by_twist.ravel() @ twists)

    def _flat_twists(self, stand: Stand) -> Array:
        """(6 k, v) the palms' twists."""
        twists = stand.twists if len(stand.twists) else self._twists(stand.q, stand.arms + stand.com)
        return twists.reshape(-1, self.robot.v_size)

    def _felt(self, q: Array, wrenches: Array) -> Array:
        """(v,) weight minus springs and minus the effect of the palm wrenches (k, 6)."""
        robot = self.robot
        matrices = robot.placements(q, self._links) @ self._on_links
        for number, facing in self._facing:
            matrices[number, :3, :3] = facing
        given = np.concatenate(in_world(matrices[:, :3, :3], wrenches), axis=1).ravel()
        felt = given @ self._twists(q, matrices[:, :3, 3]).reshape(-1, robot.v_size)
        result = robot.generalised_gravity(q, self.gravity) - felt
        if self._springs:
            result[robot.v_base :] -= robot.spring_torques(q)
        return result

    # -- inside ---------------------------------------------------------------------------------

    def _limited_sum(self) -> LimitedSum | None:
        """The compiled program over hands and limb torques; None without such limits, or without vertices."""
        if not len(self._limbs):
            return None
        grips, shape_of = self._held.distinct
        given = [grip for grip in grips if isinstance(grip, Grip)]
        if len(given) < len(grips):
            return None
        lengths = np.where(self.robot.is_hinge()[self._limbs], self._held.length, 1.0)
        force = float(np.abs(self._weight).max())
        shapes = [grip.prepared for grip in given]
        return LimitedSum(shapes, shape_of, length=self._held.length, row_lengths=lengths, force=force)

    def _place(self, stand: Stand) -> None:
        if self._turns:
            self._held.moved(list(stand.matrices), gravity=self.gravity)
        self._placed = stand
        if self._limited is not None:
            self._limited.place(stand.maps, stand.rows)
            self._limited.limit(stand.resting, self._least, self._most)
        elif not len(self._limbs):
            self._solver.place(stand.maps)

    def _asked(
        self,
        base: Array,
        axes: Array | None = None,
        objective: Array | None = None,
        key: int = 0,
        *,
        judge: bool = False,
    ) -> SumOptimum | LimitedOptimum:
        """Solve the program at the present posture; if the warm solver is undecided, the full program is solved.

        This happens where facets of several hands are parallel up to rounding, such as boxes in palms with the same
        orientation.
        """
        if len(self._limbs):
            if self._limited is not None:
                limited = self._limited.maximise(base, axes, objective, key=key, judge=judge)
                if limited.status is not SumStatus.UNDECIDED:
                    return limited
            return self._in_full(base, axes, objective)
        found = self._solver.maximise(base, axes, objective)
        if found.status is not SumStatus.UNDECIDED or self._referee is None:
            return found
        self._referee.place(self._placed.maps)
        return self._referee.maximise(base, () if axes is None else axes, () if objective is None else objective)

    def _in_full(self, base: Array, axes: Array | None, objective: Array | None) -> LimitedOptimum:
        """The program over hands and limb torques with all vertices or half-spaces at once, in milliseconds."""
        stand, k, n = self._placed, len(self.hands), len(self._limbs)
        ways = np.zeros((0, 6)) if axes is None else axes
        gains = np.zeros(0) if objective is None else objective
        p, length = len(ways), self._held.length
        rows = np.where(self.robot.is_hinge()[self._limbs], length, 1.0)
        scale = 1.0 / np.concatenate([np.repeat([1.0, length], 3), rows])
        constant = np.concatenate([-base, stand.resting]) * scale
        size = max(float(np.abs(constant).max()), float(np.abs(self._weight).max())) or 1.0
        maps = tuple(np.concatenate([t, r]) * scale[:, None] for t, r in zip(stand.maps, stand.rows, strict=True))
        zero = np.zeros(6)
        lower, upper = np.concatenate([zero, self._least]) * scale, np.concatenate([zero, self._most]) * scale
        grips: list[Any] = list(self._held.grips)
        program = HandProgram(WrenchRows(maps, lower, upper, size), grips)
        extra = np.zeros((6 + n, 2 * p))
        extra[:6, :p] = -ways.T * scale[:6, None] / size
        extra[:, p:] = -extra[:, :p]
        cost = np.concatenate([np.zeros(program.width), -gains, gains])
        nothing = np.full((k, 6), np.nan), np.full(n, np.nan), np.zeros(6), np.zeros(n), None, 0
        found = program.solve(cost, extra, constant, endless=p > 0)
        if found is None:
            return LimitedOptimum(SumStatus.EMPTY, np.full(p, np.nan), -np.inf, *nothing)
        x, y = found
        if not len(x):
            return LimitedOptimum(SumStatus.UNBOUNDED, np.full(p, np.nan), np.inf, *nothing)
        wrenches, z = program.wrenches(x), x[program.width :][:p] - x[program.width :][p:]
        torques = np.einsum("krc,kc->r", stand.rows, wrenches) + stand.resting
        y = -y * scale / size
        return LimitedOptimum(SumStatus.OPTIMAL, z, float(gains @ z), wrenches, torques, y[:6], y[6:], None, 0)

    def _slope_of(self, stand: Stand, optimum: SumOptimum | LimitedOptimum) -> tuple[bool | None, Array]:
        """(whether optimum and multipliers are unique, slope (v,) of the optimum's value)."""
        y = optimum.multipliers
        gradient = self.slope(stand, optimum.wrenches, y)
        if isinstance(optimum, LimitedOptimum):
            return optimum.unique, gradient + self.torque_slope(stand, optimum.wrenches, optimum.row_multipliers)
        return unique_optimum(self._held.grips, stand.maps, optimum.weights, y), gradient

    @cached_property
    def _referee(self) -> FullProgram | None:
        """All vertices at once, in milliseconds; None for hands without vertices."""
        from ..solvers.minkowski import FullProgram

        grips, shape_of = self._held.distinct
        if not all(isinstance(grip, Grip) for grip in grips):
            return None
        shapes = [(grip.vertices, grip.rays) for grip in grips if isinstance(grip, Grip)]
        return FullProgram(shapes, shape_of.tolist(), length=self._held.length)

    def _ends(self) -> list[_End]:
        """The limit of the load along each direction of the margin, in both senses; the solver is already placed."""
        if isinstance(self.kind, LoadGrowth):
            ways = [(np.zeros(6), sign * self._weight, sign) for sign in (1.0, -1.0)]
        else:
            assert isinstance(self.kind, Pushes)
            ways = [(-self._weight, sign * row, 0.0) for row in self.kind.rows() for sign in (1.0, -1.0)]
        return [self._end(*way, key) for key, way in enumerate(ways)]

    def _end(self, base: Array, direction: Array, at: float, key: int, *, judge: bool = False) -> _End:
        """The largest s with base - s direction applied by the hands, as a distance from the load, at s = at."""
        optimum = self._asked(base, -direction[None], np.ones(1), key, judge=judge)
        if optimum.status is SumStatus.UNBOUNDED:
            value = np.inf
        elif optimum.status is SumStatus.OPTIMAL:
            value = optimum.value - at
        else:
            value = -np.inf
        return _End(value, optimum, _words(direction, self.kind), (base, direction, at, key))

    def _lean(self, stand: Stand, *, slope: bool = False) -> MarginSlope:
        from .leaning import lean_margin, limited_lean

        if len(self._limbs):
            return limited_lean(self._asked, stand, self.robot.mass, self.gravity, self._slope_of if slope else None)
        return lean_margin(self._held, stand, self.robot.mass, self.gravity, self.slope if slope else None)


@dataclass(frozen=True, eq=False)
class _End:
    """The limit of the load in one sense."""

    value: float
    optimum: SumOptimum | LimitedOptimum
    words: str
    asked: tuple[Array, Array, float, int]


@dataclass(frozen=True, eq=False)
class _PostureTask:
    """One question about many postures, for `jobs.sweep`."""

    planner: PosturePlanner
    question: Literal["feasible", "margin"]
    batch: int = POSTURES_AT_A_TIME

    def __call__(self, q: Array) -> Any:
        return getattr(self.planner, self.question)(q)

    def many(self, postures: Sequence[Array]) -> list[Any]:
        """The results of several postures, one after another."""
        return [self(q) for q in postures]


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _limb_joints(robot: Robot, hands: Sequence[Hand]) -> IntArray:
    """Numbers of the joints with torque limits that do not belong to a hand."""
    fingers = {name for hand in hands for name in own_joints(robot, hand)}
    lower, upper = robot.torque_bounds
    limited = np.isfinite(lower) | np.isfinite(upper)
    chosen = [i for i, name in enumerate(robot.joint_names) if name not in fingers and limited[i]]
    if chosen:
        for index, hand in enumerate(hands):
            if not isinstance(hand.grip, Grip | OuterGrip | GripBounds):
                fix = "learn it first: learned_hand(robot, q, hand); or leave torque limits out: limb_limits=False"
                raise InputError(f"has a {type(hand.grip).__name__}", where=f"hands[{index}]", fix=fix)
    return np.array(chosen, dtype=np.int64)


def _words(direction: Array, kind: MarginKind) -> str:
    """The active limit as text."""
    if isinstance(kind, LoadGrowth):
        return "weight"
    return f"a push along ({', '.join(f'{x + 0.0:.3g}' for x in direction)})"


def _made(robot: Robot, hands: Sequence[Hand], options: dict[str, Any]) -> PosturePlanner:
    """A planner from another process."""
    return PosturePlanner(robot, hands, **options)


def _held_robot(robot: Robot) -> Robot:
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    if robot.base != "floating":
        fix = 'load it with base="floating": a robot on a fixed base is held by the base'
        raise InputError("stands on a fixed base", where="robot", fix=fix)
    return robot


def _checked_hands(robot: Robot, hands: Sequence[Hand]) -> tuple[Hand, ...]:
    """Hands of the robot, each with a grip and a different name."""
    given = checked_hands(robot, hands)
    names: list[str] = []
    for index, hand in enumerate(given):
        if hand.grip is None:
            fix = "give Hand(palm, touches, grip), or learn one: learned_hand(robot, q, hand)"
            raise InputError("has no grip", where=f"hands[{index}]", fix=fix)
        if hand.name in names:
            raise InputError(f"there are two hands {hand.name!r}", where="hands", fix="give each hand its own name")
        names.append(hand.name)
    return given
