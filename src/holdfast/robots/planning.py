"""PosturePlanner: callbacks for motion planners: does a posture hold, by what margin, and how does it change?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.loads import gravity_wrench
from ..checks import Array, BoolArray, Side
from ..errors import InputError, UnknownNameError
from ..geometry.frames import transports
from ..grips import Grip
from ..postures import PostureEquilibrium, posture_equilibrium, support_region
from ..postures.generation import solver_of
from ..postures.hands import checked_hands as posture_hands
from ..solvers import Status
from ..solvers.minkowski import HandWeights, SumOptimum, SumStatus
from .bodies import DOWN, Hand, checked_hands, hierarchical_body
from .robot import Robot

if TYPE_CHECKING:
    from ..postures.region import SupportRegion
    from ..postures.region_computation import SupportRegionBounds
    from ..solvers.minkowski import FullProgram


@dataclass(frozen=True)
class LoadGrowth:
    """The share of the weight that may be added or taken away before the hands let go; 0.3: from 70 to 130 %.

    It is min(s_max - 1, 1 - s_min) of the scales s of the weight that are held, so at least 0 exactly where the
    posture holds; -inf where no scale is held. Two programs.
    """


@dataclass(frozen=True, eq=False)
class Pushes:
    """The largest r for which the weight stays held with any of several wrenches added, r times either way.

    One row: how far a push along it may go. All six axes (the default): any wrench of sum |f_i| + sum |t_i| / length
    <= r may be added [N]. Two programs per row; -inf where the weight itself is not held.

    Attributes:
        directions: (n, 6) wrenches on the body, world axes, about the centre of mass; None for the six axes.
        length: [m] how many newton metres count as one newton for the six axes.
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
    """How far the centre of mass is from the border of its support region [m], across gravity; negative outside.

    The exact region is made at every posture: milliseconds rather than a tenth of one.
    """


#: What `PosturePlanner(margin=...)` takes.
MarginKind = LoadGrowth | Pushes | Lean


# How the margin of a posture changes with the posture: the slope by q, from the dual of the margin's program.

#: A vertex counts as used, or as reached by the prices, within this share of the hand's size.
ACTIVE = 1e-9

#: The hands of an optimum in general position mix this many vertices and rays more than there are hands.
GENERAL = 5


@dataclass(frozen=True, eq=False)
class MarginSlope:
    """A margin and its slope by q.

    Attributes:
        value: the margin.
        gradient: (v_size,) by the robot's velocity coordinates (see `Robot`): joints per rad or m, a floating base per
            metre and radian in world axes. `robot.moved(q, h * gradient)` goes uphill. NaN where there is none.
        smooth: whether the slope is the same from all sides. False at a kink: two limits bind at once, or the optimum
            is not unique; then `PosturePlanner.differences` gives the slopes of both sides. None for hands without
            vertices, where it is not known.
        binding: what decides the margin, in words.
    """

    value: float
    gradient: Array
    smooth: bool | None
    binding: str

    def __repr__(self) -> str:
        kind = {True: "smooth", False: "at a kink", None: "smooth or not"}[self.smooth]
        return f"MarginSlope({self.value:.6g} by {self.binding}, {kind})"


@dataclass(frozen=True, eq=False)
class Stand:
    """Where the palms are in one posture.

    Attributes:
        q: the posture.
        com: (3,) centre of mass in the world [m].
        rotations: (k, 3, 3) palm frames in the world.
        arms: (k, 3) palm origins from the centre of mass [m], world axes.
        maps: (k, 6, 6) palm wrenches to wrenches about the centre of mass, world axes.
    """

    q: Array
    com: Array
    rotations: Array
    arms: Array
    maps: Array

    @property
    def matrices(self) -> Array:
        """(k, 4, 4) palm frames to the world."""
        result = np.zeros((len(self.arms), 4, 4))
        result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = self.rotations, self.arms + self.com, 1.0
        return result


def work(stand: Stand, wrenches: Array, multipliers: Array) -> tuple[Array, Array]:
    """What palm motions do to y . sum_j T_j w_j with the wrenches w_j (k, 6) held still in their palm frames.

    Args:
        stand: where the palms are.
        wrenches: (k, 6) palm frames.
        multipliers: (6,) y, against wrenches about the centre of mass.

    Returns:
        (per shift (k, 3) of each palm against the centre of mass, per turn (k, 3) of each palm), world axes.
    """
    force = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, :3])
    torque = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, 3:])
    y_force, y_torque = multipliers[:3], multipliers[3:]
    per_shift = np.cross(force, y_torque)
    per_turn = np.cross(force, y_force) + np.cross(torque, y_torque) + np.cross(force, np.cross(y_torque, stand.arms))
    return per_shift, per_turn


def about(multipliers: Array, point: Array) -> Array:
    """y (6,) against wrenches about the world origin as y against wrenches about a point (3,)."""
    return np.concatenate([multipliers[:3] + np.cross(multipliers[3:], point), multipliers[3:]])


def unique_optimum(
    grips: Sequence[Any], maps: Array, weights: Sequence[HandWeights], multipliers: Array
) -> bool | None:
    """Whether optimum and prices are unique: just the vertices and rays that y reaches are used, 5 + k in k hands.

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
    """How many vertices and rays of all hands lie furthest along y (6,); None for hands without vertices."""
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

#: Two limits bind at once when their margins differ by no more than this share of the larger.
TIED = 1e-9

#: Step of finite differences [m, rad].
STEP = 1e-6


class PosturePlanner:
    """Answers for one robot on given hands, warm from posture to posture.

    A planner keeps a solver and may not be used by several threads at once: give each one its `copy()`.

    Args:
        robot: the robot, on a floating base.
        hands: the hands and feet that hold it, with grips; what touches beyond the palms is not looked at.
        gravity: (3,) [m/s^2] in the world.
        margin: what `margin` means: `LoadGrowth()`, `Pushes(...)` or `Lean()`.
        side: of grips with bounds, "inner" ("holds" is guaranteed) or "outer".
        joint_limits: whether postures beyond the joints' limits count as not feasible.
        limb_limits: whether the torque limits of the limbs count for `feasible`: the first wrenches found are tried;
            where they ask too much of a joint, a program over all wrenches and torques decides, in milliseconds.
            Margins do not count them.
        length: [m] that scales torques; from the palms in the neutral posture by default.
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
        limb_limits: bool = False,
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
        self._joint_limits, self._limb_limits, self._length = joint_limits, limb_limits, length
        self._links = [hand.palm for hand in self.hands]
        self._on_links = np.array([hand.frame_matrix for hand in self.hands])
        self._facing = [(i, hand.facing) for i, hand in enumerate(self.hands) if hand.facing is not None]
        self._weight = np.concatenate([robot.mass * self.gravity, np.zeros(3)])  # about the centre of mass
        self._lower, self._upper = robot.slack_limits
        stand = self.stand(robot.neutral())
        given = posture_hands(self._grips, list(stand.matrices), length=length)
        self._held = given.sided(side)
        self._solver = solver_of(self._held)
        self._maps = stand.maps
        self._turns = any(grip.palm_gravity is not None for grip in self._held.grips)

    def __repr__(self) -> str:
        return f"PosturePlanner({self.robot.name!r}, {len(self.hands)} hands, {type(self.kind).__name__})"

    # -- callbacks ------------------------------------------------------------------------------

    def feasible(self, q: ArrayLike) -> bool:
        """Whether the hands hold the robot in posture q, within its joints' limits; the bare verdict, quickest.

        "Undecided" counts as no; `equilibrium` distinguishes the two and has the proof.
        """
        values = np.asarray(q, dtype=np.float64)
        if values.shape != (self.robot.q_size,):
            self.robot.checked(values)  # says what is wrong with it
        if self._joint_limits and not self.within_limits(values):
            return False
        self._place(stand := self.stand(values))
        found = self._asked(-self._weight)
        held = found.status is SumStatus.OPTIMAL
        return self._limbs_bear(stand, found.wrenches) if held and self._limb_limits else held

    def margin(self, q: ArrayLike) -> float:
        """By how much the posture holds, as `margin=` of the planner means it; at least 0 where it does.

        Joint limits do not enter; inf without a limit.
        """
        if isinstance(self.kind, Lean):
            return self._lean(self.stand(q)).value
        self._place(self.stand(q))
        return min(found.value for found in self._ends())

    def gradient(self, q: ArrayLike) -> MarginSlope:
        """The margin and its slope by q, from the prices of the program; see `MarginSlope` for kinks."""
        stand = self.stand(q)
        if isinstance(self.kind, Lean):
            found = self._lean(stand, slope=True)
            if found.smooth is not False or not np.isfinite(found.value):
                return found
            # The wrenches at a corner of the region are not unique there, so that its prices give no slope at all.
            forward, backward = self.differences(q)
            return replace(found, gradient=0.5 * (forward + backward))
        self._place(stand)
        ends = sorted(self._ends(), key=lambda found: found.value)
        first = ends[0]
        if not np.isfinite(first.value):
            return MarginSlope(first.value, np.full(self.robot.v_size, np.nan), False, first.words)
        tied = len(ends) > 1 and ends[1].value - first.value <= TIED * max(1.0, abs(first.value))
        weights, y = first.optimum.weights, first.optimum.multipliers
        unique = unique_optimum(self._held.grips, stand.maps, weights, y)
        gradient = self.slope(stand, first.optimum.wrenches, y)
        return MarginSlope(first.value, gradient, False if tied else unique, first.words)

    def differences(self, q: ArrayLike, step: float = STEP) -> tuple[Array, Array]:
        """(forward (v,), backward (v,)) finite differences of the margin; they differ at a kink."""
        size = checks.positive("step", step)
        here, robot = self.margin(q), self.robot
        moves = size * np.eye(robot.v_size)
        forward = np.array([self.margin(robot.moved(q, move)) - here for move in moves])
        backward = np.array([here - self.margin(robot.moved(q, -move)) for move in moves])
        return forward / size, backward / size

    def feasible_many(self, postures: ArrayLike) -> BoolArray:
        """(n,) `feasible` for (n, q_size) postures."""
        rows = checks.array("postures", postures, ("n", self.robot.q_size))
        return np.array([self.feasible(q) for q in rows], dtype=bool)

    # -- answers with proof ---------------------------------------------------------------------

    def equilibrium(self, q: ArrayLike) -> PostureEquilibrium:
        """The verdict with wrenches of every hand or the proof that there are none; by the grips' both sides."""
        stand = self.stand(q)
        load = gravity_wrench(self.robot.mass, self.gravity, stand.com)
        return posture_equilibrium(self._grips, list(stand.matrices), load, gravity=self.gravity, length=self._length)

    def region(self, q: ArrayLike) -> SupportRegion | SupportRegionBounds:
        """Where the centre of mass may be with the palms as in q; two regions for grips with bounds."""
        stand = self.stand(q)
        return support_region(self._grips, list(stand.matrices), self.robot.mass, self.gravity, length=self._length)

    @cached_property
    def _grips(self) -> list[Any]:
        return [hand.grip for hand in self.hands]

    # -- others like it -------------------------------------------------------------------------

    def copy(self) -> PosturePlanner:
        """The same planner with a solver of its own, for another thread."""
        return self._like(self.hands, self.kind)

    def with_hands(self, hands: Sequence[Hand]) -> PosturePlanner:
        """The same robot on other hands."""
        return self._like(hands, self.kind)

    def with_margin(self, margin: MarginKind) -> PosturePlanner:
        """The same with another meaning of the margin."""
        return self._like(self.hands, margin)

    def _like(self, hands: Sequence[Hand], margin: MarginKind) -> PosturePlanner:
        return PosturePlanner(
            self.robot,
            hands,
            gravity=self.gravity,
            margin=margin,
            side=self.side,
            joint_limits=self._joint_limits,
            limb_limits=self._limb_limits,
            length=self._length,
        )

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
        """Where palms and centre of mass are."""
        matrices = self.robot.placements(q, self._links) @ self._on_links
        com = self.robot.com(q)
        rotations, arms = matrices[:, :3, :3], matrices[:, :3, 3] - com
        for number, facing in self._facing:
            rotations[number] = facing
        return Stand(np.asarray(q, dtype=np.float64), com, rotations, arms, transports(rotations, arms))

    def jacobians(self, stand: Stand) -> tuple[Array, Array]:
        """((k, 3, v) of the palms' origins, (k, 3, v) of their turning), world axes."""
        jacobians, origins = self.robot.link_jacobians(stand.q, self._links)
        out = (stand.arms + stand.com - origins)[:, :, None]
        return jacobians[:, :3] + np.cross(jacobians[:, 3:], out, axis=1), jacobians[:, 3:]

    def slope(self, stand: Stand, wrenches: Array, multipliers: Array) -> Array:
        """(v,) how y . sum_j T_j w_j changes with q: wrenches (k, 6) in the palms, y (6,) about the centre of mass."""
        per_shift, per_turn = work(stand, wrenches, multipliers)
        for number, _ in self._facing:  # such a palm does not turn with its link
            per_turn[number] = 0.0
        shifts, turns = self.jacobians(stand)
        gradient = np.einsum("kiv,ki->v", shifts, per_shift) + np.einsum("kiv,ki->v", turns, per_turn)
        # generalised_gravity(q, x) is -mass J_com^T x: the centre of mass moves against the palms.
        return gradient + self.robot.generalised_gravity(stand.q, per_shift.sum(axis=0)) / self.robot.mass

    # -- inside ---------------------------------------------------------------------------------

    def _place(self, stand: Stand) -> None:
        if self._turns:
            self._held.moved(list(stand.matrices), gravity=self.gravity)
        self._maps = stand.maps
        self._solver.place(stand.maps)

    def _asked(self, base: Array, axes: Array | None = None, objective: Array | None = None) -> SumOptimum:
        """The program at the place that was set; what the warm solver leaves undecided, the full program decides.

        It does so at times where facets of several hands are parallel but for rounding: boxes in palms that a search
        has brought to one orientation.
        """
        found = self._solver.maximise(base, axes, objective)
        if found.status is not SumStatus.UNDECIDED or self._referee is None:
            return found
        self._referee.place(self._maps)
        return self._referee.maximise(base, () if axes is None else axes, () if objective is None else objective)

    @cached_property
    def _referee(self) -> FullProgram | None:
        """All vertices at once, in milliseconds; None for hands without vertices."""
        from ..solvers.minkowski import FullProgram

        grips, shape_of = self._held.distinct
        if not all(isinstance(grip, Grip) for grip in grips):
            return None
        shapes = [(grip.vertices, grip.rays) for grip in grips if isinstance(grip, Grip)]
        return FullProgram(shapes, shape_of.tolist(), length=self._held.length)

    def _limbs_bear(self, stand: Stand, wrenches: Array) -> bool:
        """Whether limb joints bear these wrenches (k, 6), palm frames, or else some others that hold the robot."""
        robot = self.robot
        forces = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, :3])
        torques = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, 3:])
        shifts, turns = self.jacobians(stand)
        felt = np.einsum("kiv,ki->v", shifts, forces) + np.einsum("kiv,ki->v", turns, torques)
        asked = robot.gravity_torques(stand.q, self.gravity) - felt[robot.v_base :]
        torques, (lower, upper) = asked - robot.spring_torques(stand.q), robot.torque_bounds
        if ((torques >= lower) & (torques <= upper)).all():
            return True
        body = hierarchical_body(robot, stand.q, self.hands, self.gravity)
        return body.side_answer(self.side).status is Status.HOLDS

    def _ends(self) -> list[_End]:
        """How far the load may go along each direction of the margin, both ways; the solver is placed already."""
        if isinstance(self.kind, LoadGrowth):
            return [self._end(np.zeros(6), sign * self._weight, sign, 1.0) for sign in (1.0, -1.0)]
        assert isinstance(self.kind, Pushes)
        rows = self.kind.rows()
        return [self._end(-self._weight, sign * row, sign, 0.0) for row in rows for sign in (1.0, -1.0)]

    def _end(self, base: Array, direction: Array, sign: float, at: float) -> _End:
        """The largest s with base - s direction given by the hands, as a distance from where the load is: sign * at."""
        optimum = self._asked(base, -direction[None], np.ones(1))
        if optimum.status is SumStatus.UNBOUNDED:
            value = np.inf
        elif optimum.status is SumStatus.OPTIMAL:
            value = optimum.value - sign * at
        else:
            value = -np.inf
        return _End(value, optimum, _words(direction, self.kind))

    def _lean(self, stand: Stand, *, slope: bool = False) -> MarginSlope:
        from .leaning import lean_margin

        return lean_margin(self._held, stand, self.robot.mass, self.gravity, self.slope if slope else None)


@dataclass(frozen=True, eq=False)
class _End:
    """How far the load may go one way."""

    value: float
    optimum: SumOptimum
    words: str


def _words(direction: Array, kind: MarginKind) -> str:
    """What binds, in words."""
    if isinstance(kind, LoadGrowth):
        return "weight"
    return f"a push along ({', '.join(f'{x + 0.0:.3g}' for x in direction)})"


def _held_robot(robot: Robot) -> Robot:
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    if robot.base != "floating":
        fix = 'load it with base="floating": a robot on a fixed base is held by the base'
        raise InputError("stands on a fixed base", where="robot", fix=fix)
    return robot


def _checked_hands(robot: Robot, hands: Sequence[Hand]) -> tuple[Hand, ...]:
    """Hands of the robot, each with a grip and a name of its own."""
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
