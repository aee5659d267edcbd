"""Hands of a robot: the units beyond a palm as one grip, and what the limb that carries the palm can bear (V).

Below the palm the hand's own joints limit its units' forces: that is the grip, in the palm's frame. Above it, the
limb's joints see the hand only through the wrench w it gives to the palm,

    tau = G(q) - J_palm(q)^T w,

since moving a limb joint moves the whole hand as one rigid body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import joint_rows
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from ..grips import Grip, GripBounds, OuterGrip, learn_grip
from ..postures import LazyGrip
from .robot import Robot
from .touching import Touch, contacts

#: What a hand's grip may be.
HandGrip = Grip | OuterGrip | GripBounds | LazyGrip


@dataclass(frozen=True, eq=False)
class Hand:
    """A palm and the units beyond it.

    Attributes:
        palm: the link that stands for the hand.
        touches: its units, on the palm's link or beyond it.
        grip: the wrenches it can give to the body, in the palm frame; None: not learned yet.
        frame: the palm frame in the palm link's frame.
        name: how reports call it; the palm's name by default.
    """

    palm: str
    touches: tuple[Touch, ...]
    grip: HandGrip | None = None
    frame: Pose = field(default_factory=Pose.identity)
    name: str = ""

    def __post_init__(self) -> None:
        checks.instance("palm", self.palm, str, fix="give the name of a link")
        given = (self.touches,) if isinstance(self.touches, Touch) else tuple(self.touches)
        for index, touch in enumerate(given):
            checks.instance(f"touches[{index}]", touch, Touch, fix="give holdfast.Touch objects")
            if touch.facing is not None:
                raise InputError(
                    f"unit {touch.name!r} faces a direction of the world",
                    where=f"touches[{index}]",
                    fix="the units of a hand turn with their links: leave out `facing`",
                )
        if self.grip is not None:
            checks.instance("grip", self.grip, HandGrip, fix="give a Grip, OuterGrip, GripBounds or LazyGrip")  # pyright: ignore[reportArgumentType]
        checks.instance("frame", self.frame, Pose, fix="give a holdfast.Pose: the palm frame on its link")
        object.__setattr__(self, "touches", given)
        object.__setattr__(self, "name", self.name or self.palm)

    def with_grip(self, grip: HandGrip) -> Hand:
        """The same hand with a grip."""
        return replace(self, grip=grip)

    def pose(self, robot: Robot, q: ArrayLike) -> Pose:
        """Where the palm frame stands in the world."""
        return robot.frame_pose(q, self.palm) @ self.frame


def checked_hands(robot: Robot, hands: Sequence[Hand]) -> tuple[Hand, ...]:
    """`hands` that fit the robot: units at or beyond their palms, no palm beyond another's."""
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
    return given


def own_joints(robot: Robot, hand: Hand) -> tuple[str, ...]:
    """Names of the joints between the palm and the hand's units, in the order of the posture."""
    limb = set(robot.chain(hand.palm))
    found = {name for touch in hand.touches for name in robot.chain(touch.link)} - limb
    return tuple(name for name in robot.joint_names if name in found)


def hand_assembly(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Assembly:
    """The hand alone, its palm held: units and the rows of its own joints; forces act on the body ("direct").

    Args:
        robot: the robot.
        q: the posture; of it only the hand's own joints and where the palm stands matter.
        hand: the hand.
        gravity: (3,) [m/s^2] in the world that weighs on its fingers; none by default.
    """
    touching = contacts(robot, q, hand.touches)
    own = [robot.joint_index(name) for name in own_joints(robot, hand)]
    rows = None
    if own:
        weight = robot.gravity_torques(touching.q, gravity)[own]
        coordinates = touching.q[robot.q_base :][own]
        rows = joint_rows([robot.joints[i] for i in own], coordinates, -touching.joint_jacobian[own], weight)
    return Assembly(touching.on_robot, rows, hand.name)


def lazy_hand(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Hand:
    """The hand with a grip that is never learned: its units and joints answer themselves."""
    assembly = hand_assembly(robot, q, hand, gravity)
    palm = hand.pose(robot, q)
    return hand.with_grip(LazyGrip(assembly, palm, "direct", palm_gravity=_felt(robot, hand, palm, gravity)))


def learned_hand(robot: Robot, q: ArrayLike, hand: Hand, gravity: ArrayLike = (0.0, 0.0, 0.0), **options: Any) -> Hand:
    """The hand with inner and outer bounds of its grip, learned at the fingers' angles in q.

    Args:
        robot: the robot.
        q: the posture.
        hand: the hand.
        gravity: (3,) [m/s^2] in the world that weighs on its fingers; the grip is then one of that orientation.
        options: as for `holdfast.learn_grip`: n, seed, certified, workers, ...
    """
    palm = hand.pose(robot, q)
    felt = _felt(robot, hand, palm, gravity)
    down = None if felt is None else checks.vector("gravity", gravity, 3)
    grip = learn_grip(hand_assembly(robot, q, hand, gravity), palm=palm, gravity=down, label=hand.name, **options)
    return hand.with_grip(grip)


def _felt(robot: Robot, hand: Hand, palm: Pose, gravity: ArrayLike) -> Array | None:
    """Gravity in the palm frame, where the hand's own joints carry links that weigh something; else None."""
    down = checks.vector("gravity", gravity, 3)
    own = set(own_joints(robot, hand))
    heavy = any(own & set(robot.chain(link)) for link in robot.description.masses)
    return palm.rotation.T @ down if heavy and np.any(down) else None
