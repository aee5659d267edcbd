"""Our own robots as URDF: the two-finger gripper, the four-finger hand, the quadruped climber with four hands.

Their geometry is simple, their figures are those of the devices and, for the climber, those published for such a
machine. The files in `holdfast/data/robots` are what the functions here write; `robot_file` finds them.

Links called "... P", "... M", "... D" of the devices are "..._P", "..._M", "..._D" here, and their frames are those of
`mechanism.PlanarFinger`: origin at the joint, x along the phalanx, y the joint's axis, z on the back of the finger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import UnknownNameError
from .dimensions import Dimensions, dimension
from .four_finger import FourFingerDimensions
from .two_finger import TwoFingerDimensions
from .urdf_model import BoxLink, Hinge, RobotModel, Triple
from .wrapping import PHALANGES

#: Where the files are.
FOLDER = Path(__file__).parents[2] / "data" / "robots"

#: The hand's mass with its palm, motors and fingers [kg].
HAND_MASS = 2.6

#: Mass of the part between the palm and an outer finger, which swivels [kg].
SWIVEL_MASS = 0.05

#: A swivel is locked while the hand grips: what would turn it against its lock [N m].
SWIVEL_LOCK = 1000.0

#: Angles that a phalanx can take against the one before [rad].
FINGER_RANGE = (-1.2, 2.4)

#: Thickness of phalanges and of the palm [m]; for pictures and inertia.
PHALANX_THICKNESS, PALM_THICKNESS = 0.02, 0.03

#: Half of a turn.
HALF = float(np.pi)

#: The climber's limbs, in order: front limbs are the hands of a climber, rear ones its feet.
LIMBS = ("front_left", "front_right", "rear_left", "rear_right")


@dataclass(frozen=True)
class ClimberDimensions(Dimensions):
    """Dimensions of the climber.

    Sizes and masses are those published for such a machine, simplified; `palm_offset` and `torque`, as the boxes that
    stand for the links, are this project's choice.
    """

    shoulder_x: float = dimension(0.293, "m", "shoulders before and behind the torso's middle")
    shoulder_y: float = dimension(0.209, "m", "shoulders to its left and right")
    shoulder_depth: float = dimension(-0.0365, "m", "height of the shoulders over the torso's middle")
    first: float = dimension(0.172, "m", "from the first joint to the second, along the limb")
    segment: float = dimension(0.2865, "m", "length of the second and of the fourth link")
    last_segment: float = dimension(0.1925, "m", "length of the sixth link")
    sideways: float = dimension(0.117, "m", "each of these three ends this far to the right of its own axis")
    palm_offset: float = dimension(0.080, "m", "from the seventh joint to the palm, along the limb")
    torso_mass: float = dimension(40.0, "kg", "torso with computers and batteries")
    short_mass: float = dimension(0.429, "kg", "first, third and fifth link: from a roll joint to the pitch joint")
    long_mass: float = dimension(3.975, "kg", "second, fourth and sixth link: from a pitch joint to the roll joint")
    ankle_mass: float = dimension(1.76, "kg", "seventh link")
    torque: float = dimension(300.0, "N m", "largest torque of every limb joint, either way")


def two_finger_model(dimensions: TwoFingerDimensions | None = None) -> RobotModel:
    """The passive two-finger gripper: six pin joints with friction and no motors.

    The base's frame lies halfway between the first joints: x towards the right finger, z away from the object.
    """
    size = TwoFingerDimensions() if dimensions is None else dimensions
    links = [BoxLink("base", 0.2, (2.0 * size.base_half_width, 0.04, PALM_THICKNESS), (0.0, 0.0, 0.02))]
    hinges: list[Hinge] = []
    for name, x, turn in (("left", -size.base_half_width, HALF), ("right", size.base_half_width, 0.0)):
        parts, joints = _finger(
            name,
            "base",
            (x, 0.0, 0.0),
            turn,
            phalanx=size.phalanx,
            width=size.unit_size[1],
            mass=size.link_mass,
            friction=size.joint_friction,
        )
        links += parts
        hinges += joints
    about = (
        "Passive two-finger gripper (2FG) of three phalanges a finger; written by holdfast.papers.devices.own_robots"
    )
    return RobotModel("two_finger_gripper", tuple(links), tuple(hinges), about)


def four_finger_model(dimensions: FourFingerDimensions | None = None) -> RobotModel:
    """The four-finger hand: twelve driven joints, and two swivels that turn the outer fingers.

    The palm's frame lies in the middle of the palm, in the plane of the first joints: x towards the inner fingers, z
    away from what is gripped. With both swivels at 0 the outer fingers stand parallel to the inner ones, at a half turn
    opposed.
    """
    size = FourFingerDimensions() if dimensions is None else dimensions
    links, hinges = _hand("", size)
    about = "Four-finger hand (4FH) with swivelling outer fingers; written by holdfast.papers.devices.own_robots"
    return RobotModel("four_finger_hand", tuple(links), tuple(hinges), about)


def climber_model(
    dimensions: ClimberDimensions | None = None, hand: FourFingerDimensions | None = None, *, fingers: bool = True
) -> RobotModel:
    """The quadruped climber: a torso, four equal limbs of seven joints, a four-finger hand on each.

    The torso's frame: x to the front, y to the left, z up from its belly. A limb's frames have x along the limb; its
    joints turn about x and -y in turn. Left limbs point to +y at rest, right ones to -y. The palm of a limb
    looks along it: the palm frame's z points back to the limb.

    Args:
        dimensions: of the body and limbs.
        hand: of the hands.
        fingers: False for hands in one piece, of the same mass: 28 joints instead of 84.
    """
    size = ClimberDimensions() if dimensions is None else dimensions
    palm = FourFingerDimensions() if hand is None else hand
    links = [BoxLink("torso", size.torso_mass, (2.0 * size.shoulder_x, 2.0 * size.shoulder_y, 0.2))]
    hinges: list[Hinge] = []
    for limb in LIMBS:
        x = size.shoulder_x if limb.startswith("front") else -size.shoulder_x
        side = 1.0 if limb.endswith("left") else -1.0
        parts, joints = _limb(limb, size, (x, side * size.shoulder_y, size.shoulder_depth), side * HALF / 2.0)
        hold = Hinge(
            f"{limb}_palm",
            f"{limb}_7",
            f"{limb}_palm",
            (size.palm_offset, 0.0, 0.0),
            (0.0, -HALF / 2.0, 0.0),
            kind="fixed",
        )
        own, bends = _hand(f"{limb}_", palm) if fingers else ([_palm(f"{limb}_palm", HAND_MASS, palm)], [])
        links += [*parts, *own]
        hinges += [*joints, hold, *bends]
    about = "Quadruped climber with four four-finger hands, simplified; written by holdfast.papers.devices.own_robots"
    name = "climber" if fingers else "climber_without_fingers"
    return RobotModel(name, tuple(links), tuple(hinges), about)


#: The robots by the names of their files.
MODELS: dict[str, Callable[[], RobotModel]] = {
    "two_finger_gripper": two_finger_model,
    "four_finger_hand": four_finger_model,
    "climber": climber_model,
    "climber_without_fingers": lambda: climber_model(fingers=False),
}


def robot_file(name: str) -> Path:
    """Where the URDF file of a robot of ours is.

    Args:
        name: "two_finger_gripper", "four_finger_hand", "climber" or "climber_without_fingers".
    """
    if name not in MODELS:
        raise UnknownNameError("robot", str(name), tuple(MODELS), where="name")
    return FOLDER / f"{name}.urdf"


def _palm(name: str, mass: float, size: FourFingerDimensions) -> BoxLink:
    """The palm as a plate over the plane of the first joints."""
    return BoxLink(name, mass, (*size.palm_size, PALM_THICKNESS), (0.0, 0.0, PALM_THICKNESS / 2.0))


def _hand(prefix: str, size: FourFingerDimensions) -> tuple[list[BoxLink], list[Hinge]]:
    """A palm with four fingers; the outer ones on swivels halfway between their parallel and opposed planes."""
    fingers_mass = 12 * size.link_mass + 2 * SWIVEL_MASS
    links, hinges = [_palm(f"{prefix}palm", HAND_MASS - fingers_mass, size)], []
    middle = 0.5 * (size.outer_y_parallel + size.outer_y_opposed)
    reach = size.palm_size[0] / 2.0
    for name, side in (("inner_left", 1.0), ("inner_right", -1.0), ("outer_left", 1.0), ("outer_right", -1.0)):
        parent, base = f"{prefix}palm", (reach, side * size.inner_y, 0.0)
        if name.startswith("outer"):
            swivel = f"{prefix}{name}_swivel"
            low, high = (0.0, HALF) if side > 0.0 else (-HALF, 0.0)  # the finger swings round on its own side
            place = (0.0, side * middle, 0.0)
            turn = Hinge(swivel, parent, swivel, place, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), low, high, SWIVEL_LOCK)
            hinges.append(turn)
            links.append(BoxLink(swivel, SWIVEL_MASS, (reach, 0.02, PHALANX_THICKNESS), (reach / 2.0, 0.0, 0.0)))
            parent, base = swivel, (reach, side * (size.outer_y_parallel - middle), 0.0)
        parts, joints = _finger(
            f"{prefix}{name}",
            parent,
            base,
            0.0,
            phalanx=size.phalanx,
            width=size.unit_size[1],
            mass=size.link_mass,
            effort=size.joint_torque,
        )
        links += parts
        hinges += joints
    return links, hinges


def _finger(
    name: str,
    parent: str,
    origin: Triple,
    turn: float,
    *,
    phalanx: float,
    width: float,
    mass: float,
    effort: float = 0.0,
    friction: float = 0.0,
) -> tuple[list[BoxLink], list[Hinge]]:
    """Three phalanges; `turn` is the yaw of the finger's frame in the parent's [rad]. Angles above zero curl it."""
    links, hinges = [], []
    low, high = FINGER_RANGE
    for index, letter in enumerate(PHALANGES):
        part = f"{name}_{letter}"
        links.append(BoxLink(part, mass, (phalanx, width, PHALANX_THICKNESS), (phalanx / 2.0, 0.0, 0.0)))
        place, yaw = (origin, turn) if index == 0 else ((phalanx, 0.0, 0.0), 0.0)
        turned: Triple = (0.0, 0.0, yaw)
        hinges.append(Hinge(part, parent, part, place, turned, (0.0, 1.0, 0.0), low, high, effort, friction, 5.0))
        parent = part
    return links, hinges


def _limb(name: str, size: ClimberDimensions, shoulder: Triple, yaw: float) -> tuple[list[BoxLink], list[Hinge]]:
    """Seven links and joints, roll about x and pitch about -y in turn; pitch joints stand where the roll joint is."""
    long, last, aside = size.segment, size.last_segment, -size.sideways
    places: list[Triple] = [shoulder, (size.first, 0.0, 0.0)]
    places += [(long, aside, 0.0), (0.0, 0.0, 0.0), (long, aside, 0.0), (0.0, 0.0, 0.0), (last, aside, 0.0)]
    ends: list[Triple] = [*places[1:], (size.palm_offset, 0.0, 0.0)]
    masses = [size.short_mass, size.long_mass] * 3 + [size.ankle_mass]
    links, hinges, parent = [], [], "torso"
    for index, (place, end, mass) in enumerate(zip(places, ends, masses, strict=True)):
        part = f"{name}_{index + 1}"
        box: Triple = (max(abs(end[0]), 0.08), max(abs(end[1]), 0.08), 0.08)
        links.append(BoxLink(part, mass, box, (end[0] / 2.0, end[1] / 2.0, 0.0)))
        axis: Triple = (1.0, 0.0, 0.0) if index % 2 == 0 else (0.0, -1.0, 0.0)
        turn = (0.0, 0.0, yaw if index == 0 else 0.0)
        hinges.append(Hinge(part, parent, part, place, turn, axis, -HALF, HALF, size.torque, velocity=2.0))
        parent = part
    return links, hinges
