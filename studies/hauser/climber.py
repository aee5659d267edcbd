"""The climber: robots of boxes on hinges as URDF, the grips of its four-finger hands, its posture on a wall (V.E).

In the URDF files one box per link is its visual shape, its collision shape and the source of its inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal
from xml.sax.saxutils import quoteattr

import numpy as np

import holdfast as hf
from holdfast.assembly import Joint
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.devices import (
    PHALANGES,
    Device,
    Dimensions,
    FourFingerDimensions,
    TwoFingerDimensions,
    dimension,
    finger_places,
    fingered_device,
    four_finger_hand,
    jointed_finger,
    palm_link,
)
from holdfast.errors import GeometryError
from holdfast.postures import LazyGrip
from holdfast.robots import Hand, Robot, reach

#: How the corners of a unit choose the pieces of its volume; "independent" in the paper.
Corners = Literal["shared", "independent"]

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class BoxLink:
    """A rigid part: a solid box of uniform density.

    Attributes:
        name: name of the link.
        mass: [kg].
        size: full lengths of the box along the link's axes [m].
        center: its centre, which is the centre of mass, in the link's frame [m].
    """

    name: str
    mass: float
    size: Triple
    center: Triple = (0.0, 0.0, 0.0)

    @property
    def inertia(self) -> Triple:
        """Moments about the middle along the link's axes [kg m^2]; the products are zero."""
        x, y, z = (length**2 for length in self.size)
        return (self.mass * (y + z) / 12.0, self.mass * (x + z) / 12.0, self.mass * (x + y) / 12.0)


@dataclass(frozen=True)
class Hinge:
    """The joint between a link and its parent.

    Attributes:
        name: name of the joint.
        parent: parent link.
        child: child link; its frame is the joint's.
        origin: position of the joint in the parent's frame [m].
        turn: roll, pitch and yaw of the joint's frame in the parent's [rad], in URDF's order.
        axis: axis of the hinge in the joint's frame.
        lower: smallest angle [rad].
        upper: largest angle [rad].
        effort: largest torque in both directions [N m].
        friction: static friction [N m].
        velocity: largest speed [rad/s].
        kind: "revolute", or "fixed", which ignores the last six.
    """

    name: str
    parent: str
    child: str
    origin: Triple = (0.0, 0.0, 0.0)
    turn: Triple = (0.0, 0.0, 0.0)
    axis: Triple = (0.0, 1.0, 0.0)
    lower: float = 0.0
    upper: float = 0.0
    effort: float = 0.0
    friction: float = 0.0
    velocity: float = 1.0
    kind: Literal["revolute", "fixed"] = "revolute"


@dataclass(frozen=True)
class RobotModel:
    """A tree of links, the first of which is the base.

    Attributes:
        name: name of the robot.
        links: the base first.
        hinges: one for every other link.
        about: description and source of the numbers; a comment in the file.
    """

    name: str
    links: tuple[BoxLink, ...]
    hinges: tuple[Hinge, ...] = field(default=())
    about: str = ""

    @property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return sum(link.mass for link in self.links)

    def urdf(self) -> str:
        """The text of a URDF file, always the same for the same robot; numbers are exact when read again."""
        lines = ['<?xml version="1.0"?>']
        if self.about:
            lines.append(f"<!-- {self.about.replace('--', '-')} -->")
        lines.append(f"<robot name={quoteattr(self.name)}>")
        for link in self.links:
            lines += _link(link)
        for hinge in self.hinges:
            lines += _joint(hinge)
        return "\n".join([*lines, "</robot>", ""])


def _numbers(values: tuple[float, ...]) -> str:
    """Numbers that are exact when read again; whole ones without a point, no minus zero."""
    return " ".join(str(int(value)) if float(value).is_integer() else repr(float(value)) for value in values)


def _link(link: BoxLink) -> list[str]:
    """A link element."""
    place = f'<origin xyz="{_numbers(link.center)}"/>'
    box = f'<geometry><box size="{_numbers(link.size)}"/></geometry>'
    ixx, iyy, izz = link.inertia
    return [
        f"  <link name={quoteattr(link.name)}>",
        f'    <inertial>{place}<mass value="{_numbers((link.mass,))}"/>'
        f'<inertia ixx="{ixx:.9g}" iyy="{iyy:.9g}" izz="{izz:.9g}" ixy="0" ixz="0" iyz="0"/></inertial>',
        f"    <visual>{place}{box}</visual>",
        f"    <collision>{place}{box}</collision>",
        "  </link>",
    ]


def _joint(hinge: Hinge) -> list[str]:
    """A joint element."""
    lines = [
        f'  <joint name={quoteattr(hinge.name)} type="{hinge.kind}">',
        f"    <parent link={quoteattr(hinge.parent)}/><child link={quoteattr(hinge.child)}/>",
        f'    <origin xyz="{_numbers(hinge.origin)}" rpy="{_numbers(hinge.turn)}"/>',
    ]
    if hinge.kind == "revolute":
        lines.append(f'    <axis xyz="{_numbers(hinge.axis)}"/>')
        limits = {"lower": hinge.lower, "upper": hinge.upper, "effort": hinge.effort, "velocity": hinge.velocity}
        lines.append("    <limit " + " ".join(f'{k}="{_numbers((v,))}"' for k, v in limits.items()) + "/>")
        if hinge.friction:
            lines.append(f'    <dynamics damping="0" friction="{_numbers((hinge.friction,))}"/>')
    return [*lines, "  </joint>"]


# Our own robots as URDF: the two-finger gripper, the four-finger hand, the quadruped climber with four hands.

#: The hand's mass with its palm, motors and fingers [kg].
HAND_MASS = 2.6

#: Mass of the swivel part between the palm and an outer finger [kg].
SWIVEL_MASS = 0.05

#: A swivel is locked while the hand grips: torque of the lock [N m].
SWIVEL_LOCK = 1000.0

#: Range of the angle of a phalanx relative to the previous one [rad].
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

    Sizes and masses are those published for such a machine, simplified; `palm_offset`, `torque` and the boxes of the
    links are this project's choice.
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

    The base's frame is halfway between the first joints: x towards the right finger, z away from the object.
    """
    size = TwoFingerDimensions() if dimensions is None else dimensions
    links = [BoxLink("base", 0.2, (2.0 * size.base_half_width, 0.04, PALM_THICKNESS), (0.0, 0.0, 0.02))]
    hinges: list[Hinge] = []
    for name, x, turn in (("left", -size.base_half_width, HALF), ("right", size.base_half_width, 0.0)):
        parts, joints = _finger(name, "base", (x, 0.0, 0.0), size, turn, friction=size.joint_friction)
        links += parts
        hinges += joints
    about = "Passive two-finger gripper (2FG) of three phalanges per finger; written by studies.hauser.climber"
    return RobotModel("two_finger_gripper", tuple(links), tuple(hinges), about)


def four_finger_model(dimensions: FourFingerDimensions | None = None) -> RobotModel:
    """The four-finger hand: twelve driven joints, and two swivels that turn the outer fingers.

    The palm's frame is in the middle of the palm, in the plane of the first joints: x towards the inner fingers, z away
    from the gripped object. With both swivels at 0 the outer fingers are parallel to the inner ones, at a half turn
    opposed.
    """
    size = FourFingerDimensions() if dimensions is None else dimensions
    links, hinges = _hand("", size)
    about = "Four-finger hand (4FH) with swivelling outer fingers; written by studies.hauser.climber"
    return RobotModel("four_finger_hand", tuple(links), tuple(hinges), about)


def climber_model(
    dimensions: ClimberDimensions | None = None, hand: FourFingerDimensions | None = None, *, fingers: bool = True
) -> RobotModel:
    """The quadruped climber: a torso, four equal limbs of seven joints, a four-finger hand on each.

    The torso's frame: x to the front, y to the left, z up from its belly. A limb's frames have x along the limb; its
    joints turn about x and -y alternately. Left limbs point to +y at rest, right ones to -y. The palm of a limb
    faces along it: the palm frame's z points back to the limb.

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
    about = "Quadruped climber with four four-finger hands, simplified; written by studies.hauser.climber"
    name = "climber" if fingers else "climber_without_fingers"
    return RobotModel(name, tuple(links), tuple(hinges), about)


#: The robots by the names of their files.
MODELS: dict[str, Callable[[], RobotModel]] = {
    "two_finger_gripper": two_finger_model,
    "four_finger_hand": four_finger_model,
    "climber": climber_model,
    "climber_without_fingers": lambda: climber_model(fingers=False),
}


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
            low, high = (0.0, HALF) if side > 0.0 else (-HALF, 0.0)  # the finger swivels on its own side
            place = (0.0, side * middle, 0.0)
            turn = Hinge(swivel, parent, swivel, place, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), low, high, SWIVEL_LOCK)
            hinges.append(turn)
            links.append(BoxLink(swivel, SWIVEL_MASS, (reach, 0.02, PHALANX_THICKNESS), (reach / 2.0, 0.0, 0.0)))
            parent, base = swivel, (reach, side * (size.outer_y_parallel - middle), 0.0)
        parts, joints = _finger(f"{prefix}{name}", parent, base, size, effort=size.joint_torque)
        links += parts
        hinges += joints
    return links, hinges


def _finger(
    name: str,
    parent: str,
    origin: Triple,
    size: TwoFingerDimensions | FourFingerDimensions,
    turn: float = 0.0,
    *,
    effort: float = 0.0,
    friction: float = 0.0,
) -> tuple[list[BoxLink], list[Hinge]]:
    """Three phalanges; `turn` is the yaw of the finger's frame in the parent's [rad]. Angles above zero curl it."""
    phalanx, width = size.phalanx, size.unit_size[1]
    links, hinges = [], []
    low, high = FINGER_RANGE
    for index, letter in enumerate(PHALANGES):
        part = f"{name}_{letter}"
        links.append(BoxLink(part, size.link_mass, (phalanx, width, PHALANX_THICKNESS), (phalanx / 2.0, 0.0, 0.0)))
        place, yaw = (origin, turn) if index == 0 else ((phalanx, 0.0, 0.0), 0.0)
        turned: Triple = (0.0, 0.0, yaw)
        hinges.append(Hinge(part, parent, part, place, turned, (0.0, 1.0, 0.0), low, high, effort, friction, 5.0))
        parent = part
    return links, hinges


def _limb(name: str, size: ClimberDimensions, shoulder: Triple, yaw: float) -> tuple[list[BoxLink], list[Hinge]]:
    """Seven links and joints, roll about x and pitch about -y alternately; pitch joints are at the roll joints."""
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


# The four grips of the four-finger hand (Fig. 14): opposing, parallel, pinch, power; units and terrain.

GripName = Literal["opposing", "parallel", "pinch", "power"]

#: The grips, in the order of the paper's Figs. 14, 17 and 18.
GRIPS: tuple[GripName, ...] = ("opposing", "parallel", "pinch", "power")

#: Extent of the drawn terrain to either side of an edge [m].
TERRAIN_WIDTH = 0.2


@dataclass(frozen=True)
class TerrainDimensions(Dimensions):
    """Terrain of the grips; this project's choice, as the paper gives no sizes."""

    rock_radius: float = dimension(0.220, "m", "radius of the rock under the opposing and the parallel grip")
    pole_radius: float = dimension(0.065, "m", "radius of the pole in the power grip")
    edge_width: float = dimension(0.080, "m", "thickness of the protruding edge, between its two parallel faces")
    edge_clearance: float = dimension(0.010, "m", "from the plane of the first joints down to the top of the edge")
    edge_depth: float = dimension(0.070, "m", "from the top of the edge to where the fingertips touch its faces")


@dataclass(frozen=True, eq=False)
class HandGrip:
    """The hand in one grip on its terrain.

    Attributes:
        name: name of the grip.
        device: contacts and joints; its object is the terrain.
        palm: pose of the palm frame in the device's frame.
        profile: (m, 2) outline of the terrain across the fingers, x and z in the palm frame [m], to draw it.
    """

    name: GripName
    device: Device
    palm: hf.Pose
    profile: np.ndarray = field(repr=False)

    @property
    def touching(self) -> tuple[str, ...]:
        """Names of the phalanges whose units touch."""
        return tuple(patch.name for patch in self.device.patches)

    def assembly(self) -> hf.Assembly:
        """Contacts and joint rows in the device's frame; the object is the terrain, and the fingers have no weight.

        The weight of the fingers is part of the body's. On their own joints it is small: 0.1 kg per phalanx against 10
        N m.
        """
        return replace(self.device, name=f"4FH {self.name}").assembly()

    def lazy(self) -> LazyGrip:
        """The wrenches that the terrain applies to the body through this hand, exact, in the palm frame."""
        return LazyGrip(self.assembly(), palm=self.palm, acting="reaction", label=self.name)

    def angles(self, prefix: str = "") -> Mapping[str, float]:
        """Joint angles [rad] of the URDF hand in this grip, by joint name; `prefix` is for example "front_left_"."""
        swivel = 0.0 if self.name == "parallel" else np.pi
        found = {f"{prefix}outer_left_swivel": swivel, f"{prefix}outer_right_swivel": -swivel}
        for joint, angle in zip(self.device.joints, self.device.coordinates, strict=True):
            found[prefix + joint.name.replace(" ", "_")] = float(angle)
        return found


def hand_grip(
    name: GripName,
    *,
    unit: hf.ForceVolume | None = None,
    corners: Corners = "shared",
    hand: FourFingerDimensions | None = None,
    terrain: TerrainDimensions | None = None,
) -> HandGrip:
    """The four-finger hand in one of its four grips.

    Args:
        name: "opposing", "parallel", "pinch" or "power".
        unit: admissible forces of one unit; the default microspine unit when None.
        corners: "shared" for corners of a unit that share one piece, "independent" for the paper's.
        hand: sizes of the hand; the radius of its object is taken from `terrain`.
        terrain: sizes of the gripped terrain.
    """
    size = FourFingerDimensions() if hand is None else hand
    ground = TerrainDimensions() if terrain is None else terrain
    if name == "pinch":
        return _pinch(size, ground, unit, corners)
    radius = ground.pole_radius if name == "power" else ground.rock_radius
    fingers = "parallel" if name == "parallel" else "opposed"
    device = four_finger_hand(fingers, unit=unit, corners=corners, dimensions=replace(size, radius=radius))
    palm = hf.Pose(np.eye(3), np.array([0.0, 0.0, device.links[0].points[0, 2]]))
    shape = device.object.shape
    assert shape is not None
    turns = np.linspace(-np.pi, np.pi, 97) if name == "power" else np.linspace(-1.0, 1.0, 49)
    profile = shape.center[[0, 2]] + radius * np.column_stack([np.sin(turns), np.cos(turns)])
    return HandGrip(name, device, palm, profile - palm.translation[[0, 2]])


def _pinch(
    size: FourFingerDimensions, ground: TerrainDimensions, unit: hf.ForceVolume | None, corners: Corners
) -> HandGrip:
    """Fingertips on the two parallel faces of an edge along y; the device's origin lies in the middle of its top."""
    palm = hf.Pose(np.eye(3), np.array([0.0, 0.0, ground.edge_clearance]))
    angles = _reaching_angles(size, ground)
    made = []
    for name, side, y in finger_places(size, "opposed"):
        joint = palm.translation + np.array([side * size.palm_size[0] / 2.0, y, 0.0])
        made.append(jointed_finger(size, name, side, joint, angles))
    device = fingered_device(
        "4FH pinch",
        made,
        ("D",) * len(made),
        size,
        unit,
        corners=corners,
        joint=Joint.motor(torque=size.joint_torque),
        shape=None,
        base=palm_link(size, ground.edge_clearance),
    )
    half = ground.edge_width / 2.0
    foot = -ground.edge_clearance - ground.edge_depth - 0.75 * size.phalanx
    top = -ground.edge_clearance
    outline = [(-TERRAIN_WIDTH, foot), (-half, foot), (-half, top), (half, top), (half, foot), (TERRAIN_WIDTH, foot)]
    return HandGrip("pinch", device, palm, np.array(outline))


def _reaching_angles(size: FourFingerDimensions, ground: TerrainDimensions) -> np.ndarray:
    """(3,) joint angles [rad] for which the last phalanx is flat on a face of the edge, the others bent outwards."""
    reach = np.array([ground.edge_width / 2.0 + size.joint_to_surface, -(ground.edge_clearance + ground.edge_depth)])
    reach += [-size.palm_size[0] / 2.0, size.phalanx / 2.0]  # from the first joint to the last
    distance = float(np.hypot(*reach))
    if distance >= 2.0 * size.phalanx:
        fix = f"less than {2.0 * size.phalanx:g} m from the first joint to the last; it is {distance:.3g} m"
        raise GeometryError("the fingertips do not reach the edge's faces", where="edge_depth, edge_width", fix=fix)
    towards = float(np.arctan2(-reach[1], reach[0]))  # turned from x towards -z
    spread = float(np.arccos(distance / (2.0 * size.phalanx)))
    first = towards - spread
    return np.array([first, 2.0 * spread, np.pi / 2.0 - first - 2.0 * spread])


# The climber on a wall: positions of its palms, and the joint angles for them (V.E).

#: Holds on the wall by limb: distance up from the origin, and to the left [m].
HOLDS: Mapping[str, tuple[float, float]] = {
    "front_left": (0.62, 0.42),
    "front_right": (0.62, -0.42),
    "rear_left": (-0.62, 0.38),
    "rear_right": (-0.62, -0.38),
}

#: Distance of the middle of the torso from the wall [m].
TORSO_DISTANCE = 0.32

#: Initial angles [rad] of the limbs: elbows and knees outwards and away from the wall. A right limb is a left one
#: rotated by half a turn, so that its palm is rotated back by the seventh joint.
BENT: Mapping[str, tuple[float, ...]] = {
    "front_left": (-1.61, -0.44, 0.87, -1.56, 1.53, -0.74, -0.40),
    "front_right": (-1.44, 0.59, -1.00, 1.55, -1.43, 0.69, -2.69),
    "rear_left": (-1.44, 0.59, -1.00, 1.55, -1.43, 0.69, 0.45),
    "rear_right": (-1.61, -0.44, 0.87, -1.56, 1.53, -0.74, 2.74),
}


@dataclass(frozen=True)
class Wall:
    """A plane wall through the origin.

    Attributes:
        lean: [rad] from the vertical, away from the climber; below zero it overhangs.
    """

    lean: float

    @property
    def up(self) -> np.ndarray:
        """(3,) unit vector up along the wall."""
        return np.array([np.sin(self.lean), 0.0, np.cos(self.lean)])

    @property
    def off(self) -> np.ndarray:
        """(3,) unit normal, away from the wall."""
        return np.array([-np.cos(self.lean), 0.0, np.sin(self.lean)])

    def pose(self, rise: float, left: float, away: float = 0.0) -> hf.Pose:
        """A frame on the wall, x up along it, z off it: `rise` up the wall, `left` along it, `away` off it [m]."""
        place = rise * self.up + left * np.array([0.0, 1.0, 0.0]) + away * self.off
        return hf.Pose(hf.frame_from_normal(self.off, self.up), place)


@dataclass(frozen=True, eq=False)
class ClimbingPosture:
    """The climber with its palms on their holds.

    Attributes:
        robot: on a floating base.
        q: its posture.
        wall: the wall.
        palms: poses of the palm frames in the world, by limb.
        com: (3,) centre of mass of all links in the world [m].
    """

    robot: Robot
    q: np.ndarray
    wall: Wall
    palms: Mapping[str, hf.Pose]
    com: np.ndarray

    @property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return self.robot.mass

    @property
    def wrench(self) -> np.ndarray:
        """(6,) the weight [N, N m] about the world origin (16)."""
        return gravity_wrench(self.mass, (0.0, 0.0, -STANDARD_GRAVITY), self.com)


@lru_cache(maxsize=2)
def climber_robot(fingers: bool = True) -> Robot:
    """Our climber, on a floating base; needs Pinocchio (the extra `robots`).

    Args:
        fingers: False for hands in one piece.
    """
    return Robot.from_urdf("@climber" if fingers else "@climber_without_fingers")


def climbing_posture(
    wall: Wall, hands: GripName = "opposing", feet: GripName = "opposing", *, fingers: bool = True
) -> ClimbingPosture:
    """The climber on its holds, hands and feet in their grips.

    Args:
        wall: the wall.
        hands: grip of the front limbs.
        feet: grip of the rear limbs.
        fingers: False for hands in one piece, which have no grips to show.
    """
    robot = climber_robot(fingers)
    grips: dict[str, GripName] = {limb: hands if limb.startswith("front") else feet for limb in LIMBS}
    angles = {f"{limb}_{i + 1}": angle for limb, bent in BENT.items() for i, angle in enumerate(bent)}
    if fingers:
        for limb, grip in grips.items():
            angles |= hand_grip(grip).angles(f"{limb}_")
    torso = wall.pose(0.0, 0.0, TORSO_DISTANCE)
    q = robot.configuration(angles, base=torso)
    palms = {limb: wall.pose(*HOLDS[limb]) for limb in LIMBS}
    seen = [Hand("torso", (), name="torso"), *(Hand(f"{limb}_palm", (), name=limb) for limb in LIMBS)]
    found = reach(robot, q, seen, {"torso": torso, **palms})
    if not found.found:
        raise GeometryError(
            f"the palms are {found.error:.2g} m from their holds",
            where="HOLDS",
            fix="move them to the shoulders",
        )
    return ClimbingPosture(robot, found.q, wall, palms, robot.com(found.q))
