"""The body on its hands' grips, with the limbs' joints as rows on the hands' wrenches (15), and how it is decided.

One linear program a side: inner grips (vertices) say what certainly holds, outer grips (half-spaces) what certainly
does not. Rows that cannot be met are lent what they lack; the least sum lent [N], torques divided by a length, is zero
exactly where all can be met, and the program's multipliers prove any other value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.loads import gravity_wrench
from ..checks import Array
from ..errors import InputError
from ..grips import Grip, GripBounds, OuterGrip
from ..postures import Certainty
from ..postures.hands import checked_hands as posture_hands
from ..solvers import Status
from .flat_body import DOWN
from .hand import Hand, checked_hands, own_joints
from .hand_programs import HandProgram, Rows
from .robot import Robot

#: Least sum lent, as a share of the load's size, that counts as lacking something.
LACKING = 1e-7

Side = Literal["inner", "outer"]


@dataclass(frozen=True, eq=False)
class Level:
    """The answer of one side.

    Attributes:
        body: what was asked.
        side: "inner" or "outer".
        status: whether the grips of this side hold the load.
        lacking: least sum [N] by which balance and limbs miss, torques divided by `body.length`.
        wrenches: (k, 6) what the hands give to the body, palm frames.
        multipliers: (m,) over the rows, each in [-1, 1].
    """

    body: HandedBody
    side: Side
    status: Status
    lacking: float
    wrenches: Array
    multipliers: Array

    def __repr__(self) -> str:
        return f"Level({self.side}, {self.status.value}, lacks {self.lacking:.3g} N)"

    @cached_property
    def limb_torques(self) -> dict[str, float]:
        """Torque of each joint that is no hand's own, under these wrenches [N m, N]."""
        return self.body.limb_torques(self.wrenches)

    def bound(self) -> float:
        """No wrenches of these grips lack less than this [N]: by the multipliers and fresh support functions."""
        body, y = self.body, self.multipliers
        lower, upper = body.bounds
        open_end = (y > 0.0) & np.isinf(upper) | (y < 0.0) & np.isinf(lower)
        y = np.where(open_end, 0.0, y)
        met = np.where(y > 0.0, upper, lower)
        value = float(y @ body.constant - np.where(y == 0.0, 0.0, y * np.where(y == 0.0, 0.0, met)).sum())
        for grip, block in zip(body.sided(self.side), body.maps, strict=True):
            value -= float(grip.support(-block.T @ y))
        return value

    def verify(self) -> bool:
        """Check without the solver: a verdict "holds" by the wrenches, "does not hold" by the multipliers."""
        body = self.body
        if self.status is Status.DOES_NOT_HOLD:
            return self.bound() > 0.5 * LACKING * body.size
        if self.status is not Status.HOLDS:
            return False
        grips = body.sided(self.side)
        inside = all(g.contains(w).status is Status.HOLDS for g, w in zip(grips, self.wrenches, strict=True))
        return inside and body.lacking_of(self.wrenches) <= 2.0 * LACKING * body.size


@dataclass(frozen=True, eq=False)
class HandedAnswer:
    """What grips say of a posture.

    Attributes:
        body: what was asked.
        certainty: certainly, certainly not, or uncertain: between the bounds.
        inner: the answer of the inner grips: what they hold, certainly holds.
        outer: that of the outer ones: what they do not hold, certainly does not; None where the inner ones hold.
            A hand with one grip instead of bounds is taken at its word on both sides.
    """

    body: HandedBody
    certainty: Certainty
    inner: Level
    outer: Level | None

    def __repr__(self) -> str:
        return f"HandedAnswer({self.certainty.value})"

    def verify(self) -> bool:
        """Check without the solver the side that the verdict rests on; False when uncertain."""
        side = {Certainty.CERTAINLY: self.inner, Certainty.CERTAINLY_NOT: self.outer}.get(self.certainty)
        return side is not None and side.verify()


@dataclass(frozen=True, eq=False)
class HandedBody:
    """A robot on the grips of its hands, in one posture.

    Attributes:
        robot: the robot.
        q: its posture.
        hands: its hands, all with grips.
        gravity: (3,) [m/s^2] in the world.
        load: (6,) external wrench on the body, about the world origin, its weight included.
        limb_limits: whether the torque limits of the limbs' joints count.
    """

    robot: Robot
    q: Array
    hands: tuple[Hand, ...]
    gravity: Array
    load: Array
    limb_limits: bool = True

    @cached_property
    def poses(self) -> tuple[Any, ...]:
        """Where the palm frames stand in the world."""
        return tuple(hand.pose(self.robot, self.q) for hand in self.hands)

    @cached_property
    def length(self) -> float:
        """What torques are divided by [m]: root mean square distance of the palms from their centre, 0.5 for one."""
        x = np.array([pose.translation for pose in self.poses])
        spread = float(np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=1).mean()))
        return spread if spread > tolerances.SMALLEST_LENGTH else 0.5

    @cached_property
    def limb_joints(self) -> tuple[int, ...]:
        """Numbers of the joints that are rows here: all but the hands' own, which their grips know."""
        fingers = {name for hand in self.hands for name in own_joints(self.robot, hand)}
        names = self.robot.joint_names
        return tuple(i for i, name in enumerate(names) if name not in fingers) if self.limb_limits else ()

    @cached_property
    def _limbs(self) -> tuple[Array, Array, Array]:
        """(lower, upper, resting torque) of the limb joints, springs and friction counted [N m, N]."""
        robot, chosen = self.robot, list(self.limb_joints)
        joints, x = [robot.joints[i] for i in chosen], self.q[robot.q_base :][chosen]
        spring = np.array([joint.spring_torque(at) for joint, at in zip(joints, x, strict=True)])
        lower = np.array([j.torque_min - j.friction for j in joints])
        upper = np.array([j.torque_max + j.friction for j in joints])
        return lower, upper, robot.gravity_torques(self.q, self.gravity)[chosen] - spring

    @cached_property
    def scaling(self) -> Array:
        """(m,) what makes all rows newtons: 1 for forces and slides, 1 / length for torques."""
        slides = ~self.robot.is_hinge()[list(self.limb_joints)]
        limbs = np.where(slides, 1.0, 1.0 / self.length)
        return np.concatenate([np.ones(3), np.full(3, 1.0 / self.length), limbs])

    @cached_property
    def _centre(self) -> Array:
        return np.array([pose.translation for pose in self.poses]).mean(axis=0)

    @cached_property
    def maps(self) -> tuple[Array, ...]:
        """(m, 6) of each hand: its palm wrench to the rows, torques about the palms' centre, scaled."""
        palms = [hand.palm for hand in self.hands]
        jacobians, origins = self.robot.link_jacobians(self.q, palms)
        blocks = []
        for pose, jacobian, origin in zip(self.poses, jacobians, origins, strict=True):
            turn, arm = pose.rotation, pose.translation
            balance = np.zeros((6, 6))
            balance[:3, :3] = balance[3:, 3:] = turn
            balance[3:, :3] = np.cross(arm - self._centre, turn, axisb=0, axisc=0)
            about = jacobian[:3] + np.cross(jacobian[3:], (arm - origin)[:, None], axis=0)  # at the palm frame's origin
            columns = self.robot.v_base + np.array(self.limb_joints, dtype=np.int64)
            limbs = -np.concatenate([about[:, columns].T @ turn, jacobian[3:][:, columns].T @ turn], axis=1)
            blocks.append(np.concatenate([balance, limbs]) * self.scaling[:, None])
        return tuple(blocks)

    @cached_property
    def constant(self) -> Array:
        """(m,) what the rows are without hands: load and limb weights, scaled."""
        load = np.concatenate([self.load[:3], self.load[3:] - np.cross(self._centre, self.load[:3])])
        return np.concatenate([load, self._limbs[2]]) * self.scaling

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """(lower (m,), upper (m,)) of the rows, scaled; zero for the balance."""
        lower, upper, _ = self._limbs
        zero = np.zeros(6)
        return np.concatenate([zero, lower]) * self.scaling, np.concatenate([zero, upper]) * self.scaling

    @cached_property
    def size(self) -> float:
        """Size of load and limb weights [N]; that of the smallest grip where both vanish."""
        largest = float(np.abs(self.constant).max())
        sizes = [grip.size for grip in self.sided("inner") if isinstance(grip, Grip)]
        return largest or min(sizes, default=1.0)

    @property
    def _rows(self) -> Rows:
        return Rows(self.maps, *self.bounds, self.size)

    def sided(self, side: Side) -> tuple[Grip | OuterGrip, ...]:
        """The grips of one side, one a hand."""
        grips = []
        for hand in self.hands:
            grip = getattr(hand.grip, side) if isinstance(hand.grip, GripBounds) else hand.grip
            grips.append(grip)
        return tuple(grips)

    def limb_torques(self, wrenches: ArrayLike) -> dict[str, float]:
        """Torque of each limb joint for hand wrenches (k, 6) on the body, palm frames; springs taken off [N m, N]."""
        w = checks.array("wrenches", wrenches, (len(self.hands), 6))
        rows = sum(block @ x for block, x in zip(self.maps, w, strict=True)) + self.constant
        values = (rows / self.scaling)[6:]
        return {self.robot.joint_names[i]: float(v) for i, v in zip(self.limb_joints, values, strict=True)}

    def lacking_of(self, wrenches: Array) -> float:
        """Sum [N] by which hand wrenches (k, 6) miss balance and limb limits."""
        rows = sum(block @ w for block, w in zip(self.maps, wrenches, strict=True)) + self.constant
        lower, upper = self.bounds
        return float(np.maximum(np.maximum(lower - rows, rows - upper), 0.0).sum())

    # -- questions ------------------------------------------------------------------------------

    def equilibrium(self) -> HandedAnswer:
        """Whether the hands hold the load: certainly, certainly not, or between the bounds of their grips."""
        inner = self.level("inner")
        if inner.status is Status.HOLDS:
            return HandedAnswer(self, Certainty.CERTAINLY, inner, None)
        has_bounds = any(isinstance(hand.grip, GripBounds) for hand in self.hands)
        outer = self.level("outer") if has_bounds else inner
        if outer.status is Status.DOES_NOT_HOLD:
            return HandedAnswer(self, Certainty.CERTAINLY_NOT, inner, outer)
        return HandedAnswer(self, Certainty.UNCERTAIN, inner, outer)

    def level(self, side: Side) -> Level:
        """The verdict of one side's grips, with wrenches or multipliers as its proof."""
        m = len(self.constant)
        program = HandProgram(self._rows, self.sided(side))
        lent = np.concatenate([np.eye(m), -np.eye(m)], axis=1)
        cost = np.concatenate([np.zeros(program.width), np.ones(2 * m)])
        found = program.solve(cost, lent, self.constant)
        if found is None:
            nothing = np.full((len(self.hands), 6), np.nan)
            return Level(self, side, Status.DOES_NOT_HOLD, np.inf, nothing, np.zeros(m))
        x, multipliers = found
        wrenches = program.wrenches(x)
        lacking = max(float(x[program.width :].sum()) * self.size, 0.0)
        level = Level(self, side, Status.UNDECIDED, lacking, wrenches, multipliers)
        if lacking <= LACKING * self.size:
            status = Status.HOLDS
        else:
            status = Status.DOES_NOT_HOLD if level.bound() > 0.5 * LACKING * self.size else Status.UNDECIDED
        return Level(self, side, status, lacking, wrenches, multipliers)

    def largest_scale(self, side: Side) -> float:
        """The largest multiple of the load that the grips of one side hold, limb weights as they are.

        -inf where none is held, inf without a limit.
        """
        program = HandProgram(self._rows, self.sided(side))
        load = np.zeros(len(self.constant))
        load[:6] = self.constant[:6]
        cost = np.zeros(program.width + 1)
        cost[-1] = -1.0
        found = program.solve(cost, load[:, None] / self.size, self.constant - load, endless=True)
        if found is None:
            return -np.inf
        return float(found[0][-1]) if len(found[0]) else np.inf


def handed_body(
    robot: Robot,
    q: ArrayLike,
    hands: Sequence[Hand],
    gravity: ArrayLike = DOWN,
    *,
    load: ArrayLike | None = None,
    limb_limits: bool = True,
) -> HandedBody:
    """A robot on a floating base that stands on the grips of its hands.

    Args:
        robot: the robot.
        q: its posture.
        hands: with grips: `Grip`, `OuterGrip` or `GripBounds` (`learned_hand` makes them).
        gravity: (3,) [m/s^2] in the world.
        load: (6,) external wrench on the root link on top of the robot's weight; None by default.
        limb_limits: whether limbs' joints limit the hands' wrenches; False asks (15) as the paper has it.
    """
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    if robot.base != "floating":
        raise InputError("has a fixed base", where="robot", fix="hands hold a robot loaded with base='floating'")
    given = checked_hands(robot, hands)
    for index, hand in enumerate(given):
        if not isinstance(hand.grip, Grip | OuterGrip | GripBounds):
            kind = "no grip" if hand.grip is None else f"a {type(hand.grip).__name__}"
            raise InputError(f"has {kind}", where=f"hands[{index}]", fix="learn it first: learned_hand(robot, q, hand)")
    down, posture = checks.vector("gravity", gravity, 3), robot.checked(q)
    extra = np.zeros(6) if load is None else checks.vector("load", load, 6)
    weight = gravity_wrench(robot.mass, down, robot.com(posture))
    posture_hands([hand.grip for hand in given], [hand.pose(robot, posture) for hand in given], gravity=down)
    return HandedBody(robot, posture, given, down, weight + extra, limb_limits)
