"""A robot on its contacts: contact sites on links, the whole body in one problem, hands as grips (III.A-C, V)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag

from .. import checks, tolerances
from ..assembly import Contact, JointRows, Patch, Suspension, joint_rows
from ..assembly.assembly import Assembly
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array, IntArray, Side
from ..errors import InputError, SolverError, UnknownNameError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, rotation, wrench_transport
from ..grips import Grip, GripBounds, OuterGrip, learn_grip
from ..linear_programs import FREE, NONNEGATIVE, TIGHT, Outcome, minimise
from ..postures import Certainty, LazyGrip
from ..postures.hands import checked_hands as posture_hands
from ..public_names import with_advice
from ..results import Result, proof
from ..solvers import Status
from ..statics.holding import Equilibrium, LoadLimit, Method, equilibrium, load_limit
from .robot import Robot

if TYPE_CHECKING:
    from ..assembly.contacts import Pad
    from .leaning import Leaning
    from .torques import HoldingTorques


@with_advice()
@dataclass(frozen=True, eq=False)
class ContactSite:
    """A contact unit on a link.

    Attributes:
        link: the link that carries it.
        unit: its admissible forces: a `ForceVolume` for a single point, a `Patch` made at the identity pose (its own
            contact frame), or a unit of several points (such as `hf.models.soft_finger`). Forces act on what is
            TOUCHED. A sole presses where it needs to: a patch of uniform pressure becomes one of free pressure.
        pose: the unit's contact frame in the link's frame, columns (u, v, n): n points OUT OF THE LINK into what is
            touched, u along the best shear force on it.
        name: its name in reports; the link's name by default.
        facing: (3, 3) the contact frame's axes (u, v, n) in the WORLD, for a ball or a wheel on terrain whose normal is
            known, n into the terrain; by default the frame rotates with the link.
        suspension: suspension of the whole unit, instead of that of `unit`; see `holdfast.assembly.Suspension`.
    """

    link: str
    unit: ForceVolume | Patch | Pad
    pose: Pose = field(default_factory=Pose.identity)
    name: str = ""
    facing: Array | None = None
    suspension: Suspension | None = None

    def __post_init__(self) -> None:
        checks.instance("link", self.link, str, fix="give the name of a link")
        if isinstance(self.unit, Patch):
            object.__setattr__(self, "unit", self.unit.freed())
        checks.instance("pose", self.pose, Pose, fix="give a holdfast.Pose: the contact frame on the link")
        object.__setattr__(self, "name", self.name or self.link)
        if self.facing is not None:
            object.__setattr__(self, "facing", rotation("facing", self.facing))
        if not isinstance(self.unit, ForceVolume | Patch) and not hasattr(self.unit, "points"):
            raise InputError(
                f"is a {type(self.unit).__name__}",
                where="unit",
                fix="give a ForceVolume, a Patch made at the identity pose, or a model of several points",
            )

    @cached_property
    def patch(self) -> Patch:
        """The unit's points in the link's frame."""
        return self.placed(Pose.identity())

    def frame(self, link: Pose) -> Pose:
        """The unit's contact frame in the world, with the link's frame at `link`."""
        pose = link @ self.pose
        return pose if self.facing is None else Pose(self.facing, pose.translation)

    def placed(self, link: Pose) -> Patch:
        """The unit's points in the world, with the link's frame at `link`."""
        pose = self.frame(link)
        if isinstance(self.unit, Patch):
            patch = self.unit.moved(pose, name=self.name)
        elif isinstance(self.unit, ForceVolume):
            contact = Contact(pose.translation, pose.rotation, self.unit, self.name)
            patch = Patch((contact,), np.ones(1), (), self.name)
        else:
            patch = Patch.of_pad(pose, self.unit, name=self.name)
        return patch.suspended(self.suspension)

    def __len__(self) -> int:
        return len(self.patch)


@dataclass(frozen=True, eq=False)
class RobotContacts:
    """The contacts of a robot in one posture.

    Attributes:
        robot: the robot.
        q: its posture.
        touches: the contact units.
        frames: contact frame of each unit in the world, columns (u, v, n), n out of the link.
        patches: each unit's points in the world; forces act on what is touched.
        jacobians: (k, 3, v) velocity of each contact point per velocity of the robot, world axes.
    """

    robot: Robot
    q: Array
    touches: tuple[ContactSite, ...]
    frames: tuple[Pose, ...]
    patches: tuple[Patch, ...]
    jacobians: Array

    def __len__(self) -> int:
        return len(self.jacobians)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """All points, unit by unit; their forces act on what is touched."""
        return tuple(contact for patch in self.patches for contact in patch.contacts)

    @cached_property
    def touch_of(self) -> IntArray:
        """(k,) number of the unit that each point belongs to."""
        return np.repeat(np.arange(len(self.patches)), [len(patch) for patch in self.patches])

    @cached_property
    def joint_jacobian(self) -> Array:
        """(n, 3k) blocks J_i^T of the joints, without the base [m, 1 for a slide]."""
        k, joints = len(self), len(self.robot.joints)
        return self.jacobians[:, :, self.robot.v_base :].transpose(2, 0, 1).reshape(joints, 3 * k)

    @cached_property
    def on_robot(self) -> tuple[Contact, ...]:
        """The same points with the forces that act on the ROBOT: normals into its links, u reversed.

        The force on the robot is minus the force on what is touched. In a frame rotated by half a turn about v, its
        shear and normal parts are the same numbers and its lateral part changes sign, so that volumes are mirrored left
        to right. Units that shared a volume share its mirror image.
        """
        turn = np.diag([-1.0, 1.0, -1.0])
        mirrored: dict[int, ForceVolume] = {}
        for contact in self.contacts:
            if id(contact.volume) not in mirrored:
                mirrored[id(contact.volume)] = mirrored_sideways(contact.volume)
        return tuple(
            replace(
                c,
                rotation=c.rotation @ turn,
                volume=mirrored[id(c.volume)],
                suspension=None if c.suspension is None else c.suspension.mirrored(),
            )
            for c in self.contacts
        )


def mirrored_sideways(volume: ForceVolume) -> ForceVolume:
    """The volume with left and right (y) exchanged; the volume itself if every piece is symmetric."""
    flip = np.array([1.0, -1.0, 1.0])
    if all(_is_even(piece.vertices, flip) and _is_even(piece.rays, flip) for piece in volume.polytopes):
        return volume
    pieces = [piece.vertices * flip for piece in volume.polytopes]
    return ForceVolume(pieces, [piece.rays * flip for piece in volume.polytopes], allow_flat=True).made_of(volume)


def _is_even(rows: Array, flip: Array) -> bool:
    """Whether rows (m, 3) are the same set after flipping."""
    here = {tuple(row) for row in (rows + 0.0).tolist()}
    return here == {tuple(row) for row in (rows * flip + 0.0).tolist()}


@with_advice()
def contacts(robot: Robot, q: ArrayLike, touches: Sequence[ContactSite]) -> RobotContacts:
    """The contacts of `touches` in the posture q, which must be within the joints' limits."""
    posture, given = robot.checked(q), checked_touches(robot, touches)
    links = [touch.link for touch in given]
    named = tuple(dict.fromkeys(links))
    placed = dict(zip(named, robot.placements(posture, named), strict=True))
    poses = [Pose(placed[link][:3, :3], placed[link][:3, 3]) for link in links]
    patches = tuple(touch.placed(pose) for touch, pose in zip(given, poses, strict=True))
    of_points = [link for link, patch in zip(links, patches, strict=True) for _ in range(len(patch))]
    points = np.concatenate([patch.positions for patch in patches])
    jacobians = robot.point_jacobians(posture, of_points, points)
    frames = tuple(touch.frame(pose) for touch, pose in zip(given, poses, strict=True))
    return RobotContacts(robot, posture, given, frames, patches, jacobians)


def checked_touches(robot: Robot, touches: Sequence[ContactSite]) -> tuple[ContactSite, ...]:
    """`touches` on existing links on which contact forces can act through joints or a floating base."""
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    given = (touches,) if isinstance(touches, ContactSite) else tuple(touches)
    if not given:
        raise InputError("is empty", where="touches", fix="give at least one holdfast.robots.ContactSite")
    for index, touch in enumerate(given):
        checks.instance(f"touches[{index}]", touch, ContactSite, fix="give holdfast.robots.ContactSite objects")
        robot.checked_link(touch.link)
        if robot.base == "fixed" and not robot.chain(touch.link):
            raise InputError(
                f"{touch.name!r} is on link {touch.link!r}, the fixed base: it loads no joint",
                where=f"touches[{index}]",
                fix="put the unit on a link that a joint moves, or load the robot with base='floating'",
            )
    return given


# The whole body in one exact problem: every contact unit, one row per joint (III.B, III.C).

#: What the contacts hold: the robot itself, or an object in its hand.
Held = Literal["robot", "object"]

DOWN = (0.0, 0.0, -STANDARD_GRAVITY)


@dataclass(frozen=True, eq=False)
class WholeBody:
    """A robot in one posture, with all its contacts and joints.

    Attributes:
        touching: robot, posture and contacts.
        gravity: (3,) [m/s^2] in the world.
        held: "robot" or "object".
        load: (6,) external wrench on what is held, about the world origin; it includes the robot's weight where the
            robot is held.
    """

    touching: RobotContacts
    gravity: Array
    held: Held
    load: Array

    def __repr__(self) -> str:
        k, n = len(self.touching), len(self.robot.joints)
        return f"WholeBody({self.robot.name!r}, {self.held} held, {k} contacts, {n} joint rows)"

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.touching.robot

    @property
    def q(self) -> Array:
        """Its posture."""
        return self.touching.q

    @property
    def sign(self) -> float:
        """Sign of J^T f in the joint torques: -1 if forces act on the robot, 1 if they act on an object."""
        return -1.0 if self.held == "robot" else 1.0

    @cached_property
    def gravity_torques(self) -> Array:
        """(n,) G(q) of the joints [N m, N]."""
        return self.robot.gravity_torques(self.q, self.gravity)

    @cached_property
    def com(self) -> Array:
        """(3,) centre of mass of the robot in the world [m]."""
        return self.robot.com(self.q)

    @cached_property
    def joint_rows(self) -> JointRows | None:
        """The rows (5) of all joints on the forces on what is held; None without joints."""
        robot = self.robot
        if not robot.joints:
            return None
        blocks = self.sign * self.touching.joint_jacobian
        return joint_rows(robot.joints, self.q[robot.q_base :], blocks, self.gravity_torques)

    @cached_property
    def assembly(self) -> Assembly:
        """All contacts and joint rows in one flat assembly."""
        points = self.touching.on_robot if self.held == "robot" else self.touching.contacts
        return Assembly(points, self.joint_rows, self.robot.name)

    # -- questions ------------------------------------------------------------------------------

    def equilibrium(self, *, method: Method | None = None) -> Equilibrium:
        """Whether contacts and joints hold the load, with the forces or the proof that they cannot."""
        return equilibrium(self.assembly, self.load, method=method)

    def load_limit(self, direction: ArrayLike | None = None, *, method: Method | None = None) -> LoadLimit:
        """The largest multiple of a wrench (6,), by default of the load, that is held by itself."""
        way = self.load if direction is None else checks.vector("direction", direction, 6)
        return load_limit(self.assembly, way, method=method)

    def joint_torques(self, forces: ArrayLike) -> Array:
        """(n,) torques of actuator and friction [N m, N] under forces (k, 3) on what is held, in the world.

        Torques of springs are subtracted: it is tau of (4) minus the springs.
        """
        f = checks.array("forces", forces, (len(self.touching), 3))
        pressed = self.sign * self.touching.joint_jacobian @ f.ravel()
        return self.gravity_torques + pressed - self.robot.spring_torques(self.q)

    def torques(self, aim: Literal["least norm", "most margin"] = "least norm") -> HoldingTorques:
        """Joint torques that hold the posture: of least norm, or with most margin to their limits."""
        from .torques import holding_torques

        return holding_torques(self, aim)

    def lean(self, direction: ArrayLike, *, method: Method | None = None) -> Leaning:
        """The largest shift of the centre of mass along `direction` (3,), and the joint or contact that fails first."""
        from .leaning import lean

        return lean(self, direction, method=method)

    # -- changes --------------------------------------------------------------------------------

    def with_load(self, load: ArrayLike) -> WholeBody:
        """The same posture under another total external wrench (6,); the robot's weight is not added."""
        return replace(self, load=checks.vector("load", load, 6))


@with_advice()
def whole_body(
    robot: Robot,
    q: ArrayLike,
    touches: Sequence[ContactSite],
    gravity: ArrayLike = DOWN,
    *,
    held: Held | None = None,
    load: ArrayLike | None = None,
) -> WholeBody:
    """A robot in a posture, with every unit and every joint in one exact problem.

    Args:
        robot: the robot.
        q: its posture, within the joints' limits.
        touches: the units that touch, on links that can move.
        gravity: (3,) [m/s^2] in the world; it acts on every link.
        held: "robot" (it stands or climbs; the base is floating) or "object" (it holds something; the base is fixed);
            by default according to the base.
        load: (6,) external wrench on what is held, about the world origin: on the robot's root link, in addition to its
            weight; or on the object, including its weight. None by default.
    """
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    suits: Held = "robot" if robot.base == "floating" else "object"
    held = suits if held is None else held
    if held not in ("robot", "object"):
        raise UnknownNameError("thing to hold", str(held), ("robot", "object"), where="held")
    if held != suits:
        what = "is for a floating base" if held == "robot" else "is for a fixed base: nothing would hold the robot"
        raise InputError(f"{held!r} {what}", where="held", fix=f"load the robot with the other base, or held={suits!r}")
    down = checks.vector("gravity", gravity, 3)
    extra = np.zeros(6) if load is None else checks.vector("load", load, 6)
    touching = contacts(robot, q, touches)
    weight = gravity_wrench(robot.mass, down, robot.com(touching.q)) if held == "robot" else np.zeros(6)
    return WholeBody(touching, down, held, weight + extra)


# Hands of a robot: the units beyond a palm as one grip, and the torques of the limb that carries the palm (V).

#: Types of a hand's grip.
HandGrip = Grip | OuterGrip | GripBounds | LazyGrip


@dataclass(frozen=True, eq=False)
class Hand:
    """A palm and the units beyond it.

    Attributes:
        palm: the link of the palm.
        touches: its units, on the palm's link or beyond it.
        grip: the wrenches that it can apply to the body, in the palm frame; None: not learned yet.
        frame: the palm frame in the palm link's frame.
        name: its name in reports; the palm's name by default.
        facing: (3, 3) the palm frame's axes in the WORLD, z into the robot, for point feet and wheels on known ground;
            by default the palm rotates with its link. Only for hands with a grip and without touches.
    """

    palm: str
    touches: tuple[ContactSite, ...]
    grip: HandGrip | None = None
    frame: Pose = field(default_factory=Pose.identity)
    name: str = ""
    facing: Array | None = None

    def __post_init__(self) -> None:
        checks.instance("palm", self.palm, str, fix="give the name of a link")
        given = (self.touches,) if isinstance(self.touches, ContactSite) else tuple(self.touches)
        for index, touch in enumerate(given):
            checks.instance(f"touches[{index}]", touch, ContactSite, fix="give holdfast.robots.ContactSite objects")
            if touch.facing is not None:
                raise InputError(
                    f"unit {touch.name!r} faces a direction of the world",
                    where=f"touches[{index}]",
                    fix="the units of a hand rotate with their links: leave out `facing`",
                )
        if self.grip is not None:
            checks.instance("grip", self.grip, HandGrip, fix="give a Grip, OuterGrip, GripBounds or LazyGrip")  # pyright: ignore[reportArgumentType]
        checks.instance("frame", self.frame, Pose, fix="give a holdfast.Pose: the palm frame on its link")
        if self.facing is not None:
            object.__setattr__(self, "facing", rotation("facing", self.facing))
            if given:
                fix = "units rotate with their links: give a grip without touches, or leave out `facing`"
                raise InputError("is given with touches", where="facing", fix=fix)
        object.__setattr__(self, "touches", given)
        object.__setattr__(self, "name", self.name or self.palm)

    @cached_property
    def frame_matrix(self) -> Array:
        """(4, 4) homogeneous matrix from the palm frame to the palm link's frame."""
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.frame.rotation, self.frame.translation
        return matrix

    def with_grip(self, grip: HandGrip) -> Hand:
        """The same hand with a grip."""
        return replace(self, grip=grip)

    def pose(self, robot: Robot, q: ArrayLike) -> Pose:
        """Pose of the palm frame in the world."""
        pose = robot.frame_pose(q, self.palm) @ self.frame
        return pose if self.facing is None else Pose(self.facing, pose.translation)


def checked_hands(robot: Robot, hands: Sequence[Hand]) -> tuple[Hand, ...]:
    """`hands` that fit the robot: units at or beyond their palms, no palm beyond another one."""
    given = (hands,) if isinstance(hands, Hand) else tuple(hands)
    if not given:
        raise InputError("is empty", where="hands", fix="give at least one holdfast.robots.Hand")
    for index, hand in enumerate(given):
        checks.instance(f"hands[{index}]", hand, Hand, fix="give holdfast.robots.Hand objects")
        limb = robot.chain(hand.palm)
        for touch in hand.touches:
            if robot.chain(touch.link)[: len(limb)] != limb:
                raise InputError(
                    f"unit {touch.name!r} on link {touch.link!r} is not beyond the palm {hand.palm!r}",
                    where=f"hands[{index}]",
                    fix="give each hand the units on its palm or its fingers",
                )
        for other in given[:index]:
            chains = limb, robot.chain(other.palm)
            longer = max(chains, key=len)
            fingers = set(own_joints(robot, hand) if longer is chains[1] else own_joints(robot, other))
            if fingers & set(longer):
                what = f"palms {other.palm!r} and {hand.palm!r} are on one chain"
                raise InputError(what, where=f"hands[{index}]", fix="one hand may not be a finger of another")
    for index in range(len(given)) if robot.mimics else ():
        _check_drivers(robot, given, index)
    return given


def _check_drivers(robot: Robot, hands: Sequence[Hand], index: int) -> None:
    """Check that no joint that drives a hand's own joints also drives a limb or another hand."""
    own = set(own_joints(robot, hands[index]))
    limbs = {robot.driver(name): "its limb" for name in robot.chain(hands[index].palm)}
    for number, other in enumerate(hands):
        if number != index:
            limbs |= {robot.driver(name): f"the limb of {other.name!r}" for name in robot.chain(other.palm)}
            limbs |= dict.fromkeys(own_joints(robot, other), f"the hand {other.name!r}")
    for name in sorted(own & limbs.keys()):
        raise InputError(
            f"joint {name!r} drives the fingers of {hands[index].name!r} and {limbs[name]}",
            where=f"hands[{index}]",
            fix="one grip cannot describe both: use whole_body",
        )


def own_joints(robot: Robot, hand: Hand) -> tuple[str, ...]:
    """Names of the joints that drive those between the palm and the hand's units, in the order of the posture."""
    limb = set(robot.chain(hand.palm))
    beyond = {name for touch in hand.touches for name in robot.chain(touch.link)} - limb
    driving = {robot.driver(name) for name in beyond}
    return tuple(name for name in robot.joint_names if name in driving)


@with_advice()
def hand_assembly(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Assembly:
    """The hand with its palm fixed: units and the rows of its own joints; forces act on the body ("direct").

    Args:
        robot: the robot.
        q: the posture; only the hand's own joints and the palm's pose matter.
        hand: the hand.
        gravity: (3,) [m/s^2] in the world that acts on its fingers; none by default.
    """
    touching = contacts(robot, q, hand.touches)
    own = [robot.joint_index(name) for name in own_joints(robot, hand)]
    rows = None
    if own:
        weight = robot.gravity_torques(touching.q, gravity)[own]
        coordinates = touching.q[robot.q_base :][own]
        rows = joint_rows([robot.joints[i] for i in own], coordinates, -touching.joint_jacobian[own], weight)
    return Assembly(touching.on_robot, rows, hand.name)


@with_advice()
def lazy_hand(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Hand:
    """The hand with a lazy grip, which is never learned: its units and joints are solved directly."""
    assembly = hand_assembly(robot, q, hand, gravity)
    palm = hand.pose(robot, q)
    return hand.with_grip(LazyGrip(assembly, palm, "direct", palm_gravity=_felt(robot, hand, palm, gravity)))


@with_advice()
def learned_hand(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0), **options: Any) -> Hand:
    """The hand with inner and outer bounds of its grip, learned at the fingers' angles in q.

    Args:
        robot: the robot.
        q: the posture.
        hand: the hand.
        gravity: (3,) [m/s^2] in the world that acts on its fingers; the grip is then valid for that orientation.
        options: as for `holdfast.learn_grip`: n, seed, certified, workers, ...
    """
    palm = hand.pose(robot, q)
    felt = _felt(robot, hand, palm, gravity)
    down = None if felt is None else checks.vector("gravity", gravity, 3)
    grip = learn_grip(hand_assembly(robot, q, hand, gravity), palm=palm, gravity=down, label=hand.name, **options)
    return hand.with_grip(grip)


def _felt(robot: Robot, hand: Hand, palm: Pose, gravity: ArrayLike) -> Array | None:
    """Gravity in the palm frame, if the hand's own joints carry links with weight; else None."""
    down = checks.vector("gravity", gravity, 3)
    own = set(own_joints(robot, hand))
    heavy = any(own & {robot.driver(name) for name in robot.chain(link)} for link in robot.description.masses)
    return palm.rotation.T @ down if heavy and np.any(down) else None


# The linear program over the wrenches of several hands, with rows that couple them.


class WrenchRows(NamedTuple):
    """WrenchRows lower <= sum_j maps_j w_j + constant <= upper on palm wrenches w_j, all in newtons.

    Attributes:
        maps: (m, 6) of each hand.
        lower, upper: (m,) bounds; equal for equations, infinite for none.
        size: divisor of the numbers [N].
    """

    maps: tuple[Array, ...]
    lower: Array
    upper: Array
    size: float


class HandProgram:
    """Wrenches of all hands as one linear program: combinations of vertices, or points within half-spaces."""

    def __init__(self, rows: WrenchRows, grips: Sequence[Grip | OuterGrip]) -> None:
        self.rows, self.grips = rows, grips
        self.parts = [
            np.concatenate([g.vertices, g.rays * rows.size]).T if isinstance(g, Grip) else np.diag(g.unit) * rows.size
            for g in self.grips
        ]
        self.sizes = [part.shape[1] for part in self.parts]
        self.width = sum(self.sizes)

    def wrenches(self, x: Array) -> Array:
        """(k, 6) palm wrenches of the first `width` unknowns."""
        pieces = np.split(x[: self.width], np.cumsum(self.sizes)[:-1])
        return np.array([part @ piece for part, piece in zip(self.parts, pieces, strict=True)])

    def solve(self, cost: Array, extra: Array, constant: Array, *, endless: bool = False) -> tuple[Array, Array] | None:
        """(unknowns, multipliers (m,)) of smallest cost with the rows met by the hands and `extra` (m, e) >= 0.

        None if they cannot be met; without unknowns if the cost is unbounded and `endless` allows it. With `endless`
        the last of the unknowns is free.
        """
        body = self.rows
        rows = np.concatenate([b @ p for b, p in zip(body.maps, self.parts, strict=True)], axis=1) / body.size
        rows = np.concatenate([rows, extra], axis=1)
        lower, upper = body.lower, body.upper
        fixed = lower == upper
        ends = (upper - constant) / body.size, (lower - constant) / body.size
        above, below = np.isfinite(upper) & ~fixed, np.isfinite(lower) & ~fixed
        mixing, planes, levels, bounds = self._sets(len(cost))
        if endless:
            bounds[-1] = FREE
        found = minimise(
            cost,
            np.concatenate([rows[above], -rows[below], planes]),
            np.concatenate([ends[0][above], -ends[1][below], levels]),
            np.concatenate([rows[fixed], mixing]),
            np.concatenate([ends[0][fixed], np.ones(len(mixing))]),
            bounds=bounds,
            tolerance=TIGHT,
        )
        if found.outcome is Outcome.INFEASIBLE:
            return None
        if found.outcome is Outcome.UNBOUNDED and endless:
            return np.zeros(0), np.zeros(0)
        if not found.optimal:
            raise SolverError(f"the hands could not be solved: {found.message}", where="hierarchical_body")
        y = np.zeros(len(constant))  # cost of moving each row: its multiplier, the right-hand side being -constant
        y[fixed] = -found.equality_marginals[: fixed.sum()]
        marginals, count = found.upper_marginals, above.sum()
        y[above] -= marginals[:count]
        y[below] += marginals[count : count + below.sum()]
        return found.x, y

    def _sets(self, count: int) -> tuple[Array, Array, Array, list[tuple[float | None, float | None]]]:
        """(mixing rows, planes, their levels, bounds of all unknowns) that keep each wrench in its grip."""
        mixing, planes, levels = [], [np.zeros((0, count))], [np.zeros(0)]
        bounds: list[tuple[float | None, float | None]] = [NONNEGATIVE] * count
        first = 0
        for grip, size in zip(self.grips, self.sizes, strict=True):
            if isinstance(grip, Grip):
                row = np.zeros(count)
                row[first : first + len(grip.vertices)] = 1.0
                mixing.append(row)
            else:
                normals, offsets = grip.unit_planes
                wide = np.zeros((len(normals), count))
                wide[:, first : first + size] = normals
                planes.append(wide)
                levels.append(offsets / self.rows.size)
                bounds[first : first + size] = [FREE] * size
            first += size
        return np.array(mixing).reshape(-1, count), np.concatenate(planes), np.concatenate(levels), bounds


# The body on its hands' grips, with the limbs' joints as rows on the hands' wrenches (15), and its verdict.

#: Smallest missing sum, as a fraction of the load's size, that counts as missing.
LACKING = 1e-7


@dataclass(frozen=True, eq=False)
class SideAnswer:
    """The result of one side.

    Attributes:
        body: the body.
        side: "inner" or "outer".
        status: whether the grips of this side hold the load.
        lacking: smallest sum of errors [N] of balance and limbs, torques divided by `body.length`.
        wrenches: (k, 6) wrenches of the hands on the body, palm frames.
        multipliers: (m,) over the rows, each in [-1, 1].
    """

    body: HierarchicalBody
    side: Side
    status: Status
    lacking: float
    wrenches: Array
    multipliers: Array

    def __repr__(self) -> str:
        return f"SideAnswer({self.side}, {self.status.value}, lacks {self.lacking:.3g} N)"

    @cached_property
    def limb_torques(self) -> dict[str, float]:
        """Torque of each joint that does not belong to a hand, under these wrenches [N m, N]."""
        return self.body.limb_torques(self.wrenches)

    def bound(self) -> float:
        """Lower bound of `lacking` for all wrenches of these grips [N]: by the multipliers and new supports."""
        body, y = self.body, self.multipliers
        lower, upper = body.bounds
        open_end = (y > 0.0) & np.isinf(upper) | (y < 0.0) & np.isinf(lower)
        y = np.where(open_end, 0.0, y)
        met = np.where(y > 0.0, upper, lower)
        value = float(y @ body.constant - np.where(y == 0.0, 0.0, y * np.where(y == 0.0, 0.0, met)).sum())
        for grip, block in zip(body.sided(self.side), body.maps, strict=True):
            value -= float(grip.support(-block.T @ y))
        return value

    @proof
    def verify(self) -> bool:
        """Check without the solver: a verdict "holds" by the wrenches, "does not hold" by the multipliers."""
        body, bound, missing = self.body, self.bound(), self.body.lacking_of(self.wrenches)
        near = LACKING * (body.size + missing)
        if not (np.abs(self.multipliers) <= 1.0).all() or not bound - near <= self.lacking <= missing + near:
            return False
        if self.status is Status.DOES_NOT_HOLD:
            return bound > 0.5 * LACKING * body.size
        if self.status is not Status.HOLDS:
            return False
        grips = body.sided(self.side)
        inside = all(g.contains(w).status is Status.HOLDS for g, w in zip(grips, self.wrenches, strict=True))
        return inside and body.lacking_of(self.wrenches) <= 2.0 * LACKING * body.size


@dataclass(frozen=True, eq=False)
class HierarchicalAnswer(Result):
    """Result of a posture with grips.

    Attributes:
        body: the body.
        certainty: certainly, certainly not, or uncertain: between the bounds.
        inner: the result of the inner grips: "holds" is guaranteed.
        outer: the result of the outer ones: "does not hold" is guaranteed; None where the inner ones hold.
            A hand with one grip instead of bounds has that grip on both sides.
    """

    body: HierarchicalBody
    certainty: Certainty
    inner: SideAnswer
    outer: SideAnswer | None

    def __repr__(self) -> str:
        return f"HierarchicalAnswer({self.certainty.value})"

    @property
    def status(self) -> Status:
        """Holds where it certainly does, does not hold where it certainly does not, else undecided."""
        known = {Certainty.CERTAINLY: Status.HOLDS, Certainty.CERTAINLY_NOT: Status.DOES_NOT_HOLD}
        return known.get(self.certainty, Status.UNDECIDED)

    @property
    def holds(self) -> bool:
        """Whether it certainly holds."""
        return self.certainty is Certainty.CERTAINLY

    @property
    def wrenches(self) -> Array | None:
        """(k, 6) wrenches of the hands on the body, palm frames; None if it does not certainly hold."""
        return self.inner.wrenches if self.holds else None

    @property
    def limb_torques(self) -> dict[str, float]:
        """Torque of each limb joint with these wrenches [N m, N]; empty where it does not certainly hold."""
        return self.inner.limb_torques if self.holds else {}

    def to_dict(self) -> dict[str, Any]:
        """Certainty, and the status of either side, as plain data."""
        return {
            "certainty": self.certainty.value,
            "inner": self.inner.status.value,
            "outer": None if self.outer is None else self.outer.status.value,
            "proof_verified": self.verify(),
        }

    @proof
    def verify(self) -> bool:
        """Check the decisive side without the solver; False when uncertain."""
        holds, inner, outer = self.certainty is Certainty.CERTAINLY, self.inner, self.outer
        bounds = any(isinstance(hand.grip, GripBounds) for hand in self.body.hands)
        if inner.body is not self.body or inner.side != "inner" or holds is not (inner.status is Status.HOLDS):
            return False
        if holds:
            return outer is None and inner.verify()
        if self.certainty is not Certainty.CERTAINLY_NOT or outer is None or outer.status is not Status.DOES_NOT_HOLD:
            return False
        return (outer.side == "outer" and outer.body is self.body if bounds else outer is inner) and outer.verify()


@dataclass(frozen=True, eq=False)
class HierarchicalBody:
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
        """Poses of the palm frames in the world."""
        return tuple(hand.pose(self.robot, self.q) for hand in self.hands)

    @cached_property
    def length(self) -> float:
        """Divisor of torques [m]: root mean square distance of the palms from their centre, 0.5 for one."""
        x = np.array([pose.translation for pose in self.poses])
        spread = float(np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=1).mean()))
        return spread if spread > tolerances.SMALLEST_LENGTH else 0.5

    @cached_property
    def limb_joints(self) -> tuple[int, ...]:
        """Numbers of the joints that are rows here: all but those of the hands, which are part of their grips."""
        fingers = {name for hand in self.hands for name in own_joints(self.robot, hand)}
        names = self.robot.joint_names
        return tuple(i for i, name in enumerate(names) if name not in fingers) if self.limb_limits else ()

    @cached_property
    def _limbs(self) -> tuple[Array, Array, Array]:
        """(lower, upper, resting torque) of the limb joints, including springs and friction [N m, N]."""
        robot, chosen = self.robot, list(self.limb_joints)
        lower, upper = robot.torque_bounds
        resting = robot.gravity_torques(self.q, self.gravity) - robot.spring_torques(self.q)
        return lower[chosen], upper[chosen], resting[chosen]

    @cached_property
    def scaling(self) -> Array:
        """(m,) factors that convert all rows to newtons: 1 for forces and slides, 1 / length for torques."""
        slides = ~self.robot.is_hinge()[list(self.limb_joints)]
        limbs = np.where(slides, 1.0, 1.0 / self.length)
        return np.concatenate([np.ones(3), np.full(3, 1.0 / self.length), limbs])

    @cached_property
    def _centre(self) -> Array:
        return np.array([pose.translation for pose in self.poses]).mean(axis=0)

    @cached_property
    def maps(self) -> tuple[Array, ...]:
        """(m, 6) of each hand: its palm wrench to the rows, torques about the palms' centre, scaled."""
        points = np.array([pose.translation for pose in self.poses])
        twists = self.robot.point_twists(self.q, [hand.palm for hand in self.hands], points)
        columns = self.robot.v_base + np.array(self.limb_joints, dtype=np.int64)
        blocks = []
        for pose, twist in zip(self.poses, twists, strict=True):
            turn = block_diag(pose.rotation, pose.rotation)
            balance = wrench_transport(pose.rotation, pose.translation - self._centre)
            blocks.append(np.concatenate([balance, -twist[:, columns].T @ turn]) * self.scaling[:, None])
        return tuple(blocks)

    @cached_property
    def constant(self) -> Array:
        """(m,) the rows without hands: load and limb weights, scaled."""
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
    def _rows(self) -> WrenchRows:
        return WrenchRows(self.maps, *self.bounds, self.size)

    def sided(self, side: Side) -> tuple[Grip | OuterGrip, ...]:
        """The grips of one side, one per hand."""
        grips: list[Any] = [hand.grip for hand in self.hands]
        return tuple(getattr(grip, side) if isinstance(grip, GripBounds) else grip for grip in grips)

    def limb_torques(self, wrenches: ArrayLike) -> dict[str, float]:
        """Torque of each limb joint for hand wrenches (k, 6) on the body, palm frames; springs subtracted [N m, N]."""
        values = (self._rows_of(checks.array("wrenches", wrenches, (len(self.hands), 6))) / self.scaling)[6:]
        return {self.robot.joint_names[i]: float(v) for i, v in zip(self.limb_joints, values, strict=True)}

    def lacking_of(self, wrenches: Array) -> float:
        """Sum [N] of the errors of hand wrenches (k, 6) in balance and limb limits."""
        rows, (lower, upper) = self._rows_of(wrenches), self.bounds
        return float(np.maximum(np.maximum(lower - rows, rows - upper), 0.0).sum())

    def _rows_of(self, wrenches: Array) -> Array:
        """(m,) the rows for hand wrenches (k, 6), scaled."""
        return sum(block @ w for block, w in zip(self.maps, wrenches, strict=True)) + self.constant

    # -- questions ------------------------------------------------------------------------------

    def equilibrium(self) -> HierarchicalAnswer:
        """Whether the hands hold the load: certainly, certainly not, or between the bounds of their grips."""
        inner = self.side_answer("inner")
        if inner.status is Status.HOLDS:
            return HierarchicalAnswer(self, Certainty.CERTAINLY, inner, None)
        has_bounds = any(isinstance(hand.grip, GripBounds) for hand in self.hands)
        outer = self.side_answer("outer") if has_bounds else inner
        if outer.status is Status.DOES_NOT_HOLD:
            return HierarchicalAnswer(self, Certainty.CERTAINLY_NOT, inner, outer)
        return HierarchicalAnswer(self, Certainty.UNCERTAIN, inner, outer)

    def side_answer(self, side: Side) -> SideAnswer:
        """The verdict of one side's grips, with wrenches or multipliers as its proof."""
        m = len(self.constant)
        program = HandProgram(self._rows, self.sided(side))
        lent = np.concatenate([np.eye(m), -np.eye(m)], axis=1)
        cost = np.concatenate([np.zeros(program.width), np.ones(2 * m)])
        found = program.solve(cost, lent, self.constant)
        if found is None:
            nothing = np.full((len(self.hands), 6), np.nan)
            return SideAnswer(self, side, Status.DOES_NOT_HOLD, np.inf, nothing, np.zeros(m))
        x, multipliers = found[0], np.clip(found[1], -1.0, 1.0)
        wrenches = program.wrenches(x)
        lacking = max(float(x[program.width :].sum()) * self.size, 0.0)
        level = SideAnswer(self, side, Status.UNDECIDED, lacking, wrenches, multipliers)
        if lacking <= LACKING * self.size:
            return replace(level, status=Status.HOLDS)
        return replace(level, status=Status.DOES_NOT_HOLD) if level.bound() > 0.5 * LACKING * self.size else level

    def largest_scale(self, side: Side) -> float:
        """The largest multiple of the load that the grips of one side hold, with constant limb weights.

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


@with_advice()
def hierarchical_body(
    robot: Robot,
    q: ArrayLike,
    hands: Sequence[Hand],
    gravity: ArrayLike = DOWN,
    *,
    load: ArrayLike | None = None,
    limb_limits: bool = True,
) -> HierarchicalBody:
    """A robot on a floating base that is held by the grips of its hands.

    Args:
        robot: the robot.
        q: its posture.
        hands: with grips: `Grip`, `OuterGrip` or `GripBounds` (see `learned_hand`).
        gravity: (3,) [m/s^2] in the world.
        load: (6,) external wrench on the root link in addition to the robot's weight; None by default.
        limb_limits: whether limbs' joints limit the hands' wrenches; False: (15) as in the paper.
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
    grips: list[Any] = [hand.grip for hand in given]
    posture_hands(grips, [hand.pose(robot, posture) for hand in given], gravity=down)
    return HierarchicalBody(robot, posture, given, down, weight + extra, limb_limits)


# Comparison of flat and hierarchical results: every unit in one exact problem, and grips of whole hands.


@dataclass(frozen=True, eq=False)
class HierarchicalComparison:
    """A posture solved by both methods.

    Attributes:
        whole: the flat problem.
        flat: its exact result.
        hierarchical: the hierarchical problem, with the limbs' limits.
        answer: its result.
        flat_scale: the largest multiple of the load that the flat problem holds.
        scales: (inner, outer) multiples that the grips hold; the same for grips without bounds.
        free_scales: the same without the limbs' torque limits.
    """

    whole: WholeBody
    flat: Equilibrium
    hierarchical: HierarchicalBody
    answer: HierarchicalAnswer
    flat_scale: float
    scales: tuple[float, float]
    free_scales: tuple[float, float]

    def __repr__(self) -> str:
        return f"HierarchicalComparison(flat {self.flat.status.value}, hands {self.answer.certainty.value})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def _verdicts(self) -> tuple[bool | None, bool | None]:
        """Verdicts of the flat and the hierarchical result: holds, does not hold, or undecided (None)."""
        flat = {Status.HOLDS: True, Status.DOES_NOT_HOLD: False}.get(self.flat.status)
        return flat, {Certainty.CERTAINLY: True, Certainty.CERTAINLY_NOT: False}.get(self.answer.certainty)

    @property
    def contradicts(self) -> bool:
        """Whether the flat result contradicts "certainly" or "certainly not"."""
        return None not in self._verdicts and self._verdicts[0] != self._verdicts[1]

    @property
    def agrees(self) -> bool:
        """Whether both are decided and equal."""
        return None not in self._verdicts and self._verdicts[0] == self._verdicts[1]

    @property
    def concavity(self) -> float:
        """Largest known relative difference between unions of pieces and the inner grips' hulls; nan if unknown."""
        grips = [hand.grip for hand in self.hierarchical.hands if isinstance(hand.grip, GripBounds)]
        known = [g.metadata.concavity for g in grips if g.metadata.concavity is not None]
        return max(known) if known and len(known) == len(self.hierarchical.hands) else np.nan

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The difference in sentences."""
        inner, outer = self.scales
        said = [
            f"All units at once: {self.flat.status.value}. Hand by hand: {self.answer.certainty.value}.",
            f"Multiples of the load held: {self.flat_scale:.4g} exactly, {inner:.4g} by the inner grips, "
            f"{outer:.4g} by the outer ones.",
        ]
        if self.contradicts:
            hulls = "the inner hulls contain forces that the unions of pieces do not"
            said.append(f"The two contradict each other: {hulls if self.concavity > 0.0 else 'numbers'}.")
        elif not self.agrees:
            said.append("The load is between the bounds; more vertices and half-spaces would decide it.")
        costs = [
            f"{a:.4g} instead of {b:.4g}" for a, b in zip(self.scales, self.free_scales, strict=True) if _less(a, b)
        ]
        if costs:
            said.append(f"The limbs' torque limits cost: {' and '.join(costs)}.")
        return tuple(said)


def _less(one: float, other: float) -> bool:
    """Whether a scale is below another by more than rounding."""
    return one < other and not np.isclose(one, other, rtol=tolerances.GAP, atol=0.0)


@with_advice()
def compare_hierarchical(
    robot: Robot,
    q: ArrayLike,
    hands: Sequence[Hand],
    gravity: ArrayLike = DOWN,
    *,
    load: ArrayLike | None = None,
    method: Method | None = None,
) -> HierarchicalComparison:
    """A posture solved flat (every unit, every joint, exact) and hierarchically (grips), and the difference.

    Inner grips of hands whose volumes are not convex are hulls and may be too large; grips learned with
    `certified=True` never do.

    Args:
        robot: on a floating base.
        q: its posture.
        hands: with grips (`learned_hand`); their units make the flat problem.
        gravity: (3,) [m/s^2] in the world.
        load: (6,) external wrench on the root link in addition to the weight.
        method: how to solve the flat problem; `Exact()` by default.
    """
    body = hierarchical_body(robot, q, hands, gravity, load=load)
    touches = [touch for hand in body.hands for touch in hand.touches]
    whole = whole_body(robot, q, touches, gravity, load=load)
    free = hierarchical_body(robot, q, hands, gravity, load=load, limb_limits=False)
    return HierarchicalComparison(
        whole,
        whole.equilibrium(method=method),
        body,
        body.equilibrium(),
        whole.load_limit(method=method).value,
        _scales(body),
        _scales(free),
    )


def _scales(body: HierarchicalBody) -> tuple[float, float]:
    """(inner, outer) multiples of the load."""
    return body.largest_scale("inner"), body.largest_scale("outer")
