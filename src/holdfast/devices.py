"""The devices of Hauser, Wang and Cutkosky 2018, IV: two opposed units (2OU), two-finger gripper (2FG), hand (4FH).

They hold round objects. World frame: x across the fingers, y along the axis of the object, z up, away from it; loads
act at the origin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import checks, tolerances
from .assembly import Contact, Joint, JointRows, Patch, PlanarFinger, joint_rows
from .assembly.assembly import Assembly
from .assembly.contacts import Corners
from .assembly.loads import gravity_wrench
from .assembly.shapes import Cylinder
from .checks import Array
from .errors import GeometryError, InputError, UnknownNameError
from .force_limits.volume import ForceVolume
from .geometry.frames import Pose
from .public_names import with_advice

__all__ = [
    "CONDITIONS",
    "DEVICES",
    "PHALANGES",
    "PULL",
    "PUSH",
    "Device",
    "DeviceKind",
    "Dimensions",
    "FourFingerDimensions",
    "HeldObject",
    "Link",
    "OpposedUnitsDimensions",
    "TwoFingerDimensions",
    "create",
    "default_unit",
    "dimension",
    "finger_places",
    "fingered_device",
    "four_finger_hand",
    "jointed_finger",
    "palm_link",
    "two_finger",
    "two_finger_gripper",
    "two_opposed_units",
]


def dimension(default: Any, unit: str, meaning: str) -> Any:
    """A dataclass field with its unit and meaning, for `Dimensions`."""
    return field(default=default, metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True)
class Dimensions:
    """Base of the devices' dimensions, with checks.

    Lengths and masses are positive and of plausible size; forces and torques are not negative. A depth may have either
    sign.
    """

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(
                self, entry.name, _checked(entry.name, getattr(self, entry.name), entry.metadata["unit"])
            )


def _checked(name: str, value: Any, unit: str) -> Any:
    if name.endswith("_size"):
        pair = checks.array(name, value, (2,))
        return tuple(_checked(f"{name}[{axis}]", float(pair[axis]), unit) for axis in (0, 1))
    limits = {
        "m": (tolerances.SMALLEST_LENGTH, tolerances.LARGEST_LENGTH),
        "kg": (tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS),
    }
    low, high = limits.get(unit, (0.0, tolerances.LARGEST_FORCE))
    if name.endswith("_depth"):
        low = -high
    return checks.number(name, value, low=low, high=high, unit=unit)


# The unit that every device uses unless another is given.


@with_advice()
def default_unit() -> ForceVolume:
    """Admissible forces of the default microspine unit, as an inner volume (IV.A)."""
    from .force_limits import models

    return models.microspine()


# Device: a gripper on an object: contacts, joints, object, and drawing.

PULL: tuple[float, ...] = (0.0, 0.0, -1.0, 0.0, 0.0, 0.0)
"""Wrench direction: unit force on the object, away from the gripper."""

PUSH: tuple[float, ...] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""Wrench direction: unit force on the object, into the gripper."""


@with_advice()
@dataclass(frozen=True, eq=False)
class HeldObject:
    """The object that the device holds.

    Attributes:
        mass: [kg].
        com: (3,) centre of mass in the world [m].
        shape: its outline, to draw it, or None.
    """

    mass: float
    com: Array = field(default_factory=lambda: np.zeros(3))
    shape: Cylinder | None = None

    def __post_init__(self) -> None:
        checks.number("mass", self.mass, low=tolerances.SMALLEST_MASS, high=tolerances.LARGEST_MASS, unit="kg")
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part of the gripper as a line of points, to draw it.

    Attributes:
        name: its name in reports.
        points: (m, 3) in the world [m].
    """

    name: str
    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checks.array("points", self.points, ("m", 3)))


@with_advice()
@dataclass(frozen=True, eq=False)
class Device:
    """A gripper on an object, at rest in one posture.

    Attributes:
        name: for example "2FG D-PMD".
        patches: the units that touch; their contacts in order are the assembly's.
        object: what is held.
        joints: the joints, in the order of the rows; () for none.
        coordinates: (r,) joint coordinates [rad, m].
        jacobian: (r, 3k) blocks J_i^T of (5) [m, 1].
        gravity_matrix: (r, 3) with G(q) = gravity_matrix @ gravity: the weight of the links on the joints.
        links: the parts of the gripper, to draw it.
    """

    name: str
    patches: tuple[Patch, ...]
    object: HeldObject
    joints: tuple[Joint, ...] = ()
    coordinates: Array = field(default_factory=lambda: np.zeros(0))
    jacobian: Array = field(default_factory=lambda: np.zeros((0, 0)))
    gravity_matrix: Array = field(default_factory=lambda: np.zeros((0, 3)))
    links: tuple[Link, ...] = ()

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """All point contacts, patch by patch."""
        return tuple(contact for patch in self.patches for contact in patch.contacts)

    def joint_rows(self, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> JointRows | None:
        """The rows (5) with the links' weight under `gravity` (3,) [m/s^2] in the world; None without joints."""
        if not self.joints:
            return None
        g = checks.vector("gravity", gravity, 3)
        return joint_rows(self.joints, self.coordinates, self.jacobian, self.gravity_matrix @ g)

    def assembly(self, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Assembly:
        """Contacts and joint rows, for the solvers.

        Args:
            gravity: acceleration (3,) [m/s^2] in the world that acts on the links. Zero by default: a wrench
                space is then that of only the contacts and joints. For a gripper in another orientation, give the
                gravity in its frame, and use the load `weight(gravity)`.
        """
        return Assembly(self.contacts, self.joint_rows(gravity), self.name)

    def weight(self, gravity: ArrayLike) -> Array:
        """(6,) wrench of the object's weight about the world origin, under `gravity` (3,) [m/s^2]."""
        return gravity_wrench(self.object.mass, gravity, self.object.com)


# Fingers around a round object: positions of their base joints, and joint angles.

#: Phalanges from the base to the tip.
PHALANGES = "PMD"


@dataclass(frozen=True)
class RoundObject:
    """A cylinder along y under the origin.

    Attributes:
        radius: [m].
        depth: depth of the world origin below the crest [m].
    """

    radius: float
    depth: float

    @property
    def center(self) -> Array:
        """(3,) point of the axis below the origin [m]."""
        return np.array([0.0, 0.0, self.depth - self.radius])

    def shape(self, length: float, half_angle: float) -> Cylinder:
        """The shape for drawing: `length` along y [m], `half_angle` [rad] to either side of the crest, at most pi."""
        return Cylinder(self.center, np.array([0.0, 1.0, 0.0]), self.radius, length, min(half_angle, np.pi))


def jointed_finger(
    size: TwoFingerDimensions | FourFingerDimensions, name: str, side: float, joint: Array, angles: ArrayLike
) -> PlanarFinger:
    """A finger of three equal phalanges, "name P", "name M" and "name D".

    Args:
        size: dimensions of the gripper.
        name: name of the finger.
        side: 1 for a finger towards +x, -1 towards -x.
        joint: (3,) position of its first joint [m].
        angles: (3,) angles of its joints [rad].
    """
    return PlanarFinger(
        base=Pose(np.diag([side, side, 1.0]), joint),  # x towards the tip, y the axis, z up
        lengths=np.full(3, size.phalanx),
        angles=np.asarray(angles, dtype=np.float64),
        masses=np.full(3, size.link_mass),
        names=tuple(f"{name} {letter}" for letter in PHALANGES),
    )


def wrapped_finger(
    around: RoundObject,
    size: TwoFingerDimensions | FourFingerDimensions,
    name: str,
    *,
    side: float,
    base_x: float,
    y: float = 0.0,
) -> PlanarFinger:
    """A finger of three equal phalanges around the object, each unit touching at its middle.

    The middle of every phalanx is at the distance `joint_to_surface` from the surface, perpendicular to the radius
    there. So all joints have the distance sqrt((radius + joint_to_surface)^2 + (phalanx/2)^2) from the cylinder's axis,
    and each phalanx is rotated by 2 atan(phalanx/2 / (radius + joint_to_surface)) against the previous one.

    Args:
        around: the object.
        size: of the gripper: its phalanges and how far their joints are from the surface.
        name: of the finger.
        side: 1 for a finger towards +x, -1 towards -x.
        base_x: distance of the first joint from the plane x = 0 [m].
        y: position of the finger's plane [m].
    """
    line = around.radius + size.joint_to_surface
    half = float(np.arctan2(size.phalanx / 2.0, line))
    reach = float(np.hypot(line, size.phalanx / 2.0))
    if base_x >= reach:
        raise GeometryError(
            f"the first joints, {base_x:g} m from the middle, are beyond the object's side",
            where="radius",
            fix=f"give a radius above {base_x - size.joint_to_surface:g} m",
        )
    first = float(np.arcsin(base_x / reach))  # angle of the first joint from the top, seen from the axis
    if first + 2.0 * half * len(PHALANGES) > np.pi:
        raise GeometryError(
            "the fingers would meet below the object", where="radius", fix="give a larger radius or shorter phalanges"
        )
    joint = around.center + np.array([side * reach * np.sin(first), y, reach * np.cos(first)])
    return jointed_finger(size, name, side, joint, [first + half, 2.0 * half, 2.0 * half])


def fingered_device(
    name: str,
    fingers: Sequence[PlanarFinger],
    touching: Sequence[str],
    size: TwoFingerDimensions | FourFingerDimensions,
    unit: ForceVolume | None,
    *,
    corners: Corners,
    joint: Joint,
    shape: Cylinder | None,
    base: Link,
) -> Device:
    """A device of several fingers on one base that is fixed in the world.

    Args:
        name: of the device.
        fingers: the fingers, in the order of the joint rows.
        touching: for each finger the phalanges that touch, for example "MD".
        size: of the gripper, its units and its object.
        unit: admissible forces of one unit; the default microspine unit when None.
        corners: "shared" for corners of a unit that share one piece, "independent" for the paper's.
        joint: limits of every joint; each has the name of its phalanx.
        shape: of the object, or None.
        base: the part that carries the fingers, to draw it.
    """
    pattern = _unit_patch(size.unit_size, unit, corners)
    patches: list[Patch] = []
    blocks: list[Array] = []
    for finger, letters in zip(fingers, touching, strict=True):
        indices = [PHALANGES.index(letter) for letter in letters]
        poses = {i: finger.contact_pose(i, offset=size.joint_to_surface) for i in indices}
        own = [pattern.moved(pose, name=finger.names[i]) for i, pose in poses.items()]
        points = np.concatenate([patch.positions for patch in own])
        blocks.append(finger.rows_jacobian(np.repeat(indices, len(pattern)).tolist(), points))
        patches += own
    bones = [Link(part, finger.joint_positions[i : i + 2]) for finger in fingers for i, part in enumerate(finger.names)]
    from scipy.linalg import block_diag

    return Device(
        name,
        tuple(patches),
        HeldObject(size.object_mass, shape=shape),
        tuple(replace(joint, name=part) for finger in fingers for part in finger.names),
        np.concatenate([finger.angles for finger in fingers]),
        np.asarray(block_diag(*blocks)),  # joints of one finger are not loaded by the contacts of another
        np.concatenate([finger.gravity_matrix for finger in fingers]),
        (base, *bones),
    )


def _unit_patch(size: tuple[float, float], unit: ForceVolume | None, corners: Corners) -> Patch:
    """One unit at the identity pose."""
    volume = default_unit() if unit is None else unit
    return Patch.rectangle(Pose.identity(), size, volume, points="corners", corners=corners)


# 2OU: two opposed units on a spring-loaded slide, on a curved object (IV.C.b, Fig. 7).

#: Height of the slide above the crest of the object, where it is drawn [m].
SLIDE_HEIGHT = 0.02

#: Angle of the drawn plate as a multiple of that of the middle of the units.
PLATE_SPAN = 3.0


@dataclass(frozen=True)
class OpposedUnitsDimensions(Dimensions):
    """Dimensions of the 2OU; all are this project's choice, the paper gives none."""

    radius: float = dimension(0.150, "m", "radius of the object's curved surface")
    half_distance: float = dimension(0.030, "m", "from the middle plane to the middle of each unit")
    unit_size: tuple[float, float] = dimension((0.028, 0.030), "m", "unit along its shear direction and across")
    com_depth: float = dimension(0.050, "m", "object's centre of mass below the crest")
    object_mass: float = dimension(0.30, "kg", "mass of the object")
    object_length: float = dimension(0.10, "m", "object along the y axis, to draw it")
    preload: float = dimension(30.0, "N", "force of the spring that draws the units together")
    spring_range: float = dimension(
        10.0, "N", "by how much that force may change, either way, while the units shift as far as their spines give"
    )


@with_advice()
def two_opposed_units(
    *,
    unit: ForceVolume | None = None,
    corners: Corners = "shared",
    dimensions: OpposedUnitsDimensions | None = None,
) -> Device:
    """Two opposed microspine units on a spring-loaded slide (2OU); eight contacts, one joint row.

    The row of the slide (5): -(preload + spring_range) <= (f_right,x - f_left,x)/2 <= -(preload - spring_range),
    with f_right and f_left the units' forces on the object. Without a load the units already pull against each
    other with the preload; the slide cannot push them apart.

    Args:
        unit: admissible forces of one unit; the default microspine unit when None.
        corners: "shared" for corners of a unit that share one piece, "independent" for the paper's.
        dimensions: sizes, masses and the spring.
    """
    size = OpposedUnitsDimensions() if dimensions is None else dimensions
    checks.instance("dimensions", size, OpposedUnitsDimensions, fix="give OpposedUnitsDimensions(...), or None")
    if size.half_distance >= size.radius:
        raise GeometryError(
            f"is {size.half_distance:g} m with a radius of {size.radius:g} m",
            where="half_distance",
            fix="the units must be on the upper half of the object",
        )
    if size.spring_range > size.preload:
        raise InputError(
            f"is {size.spring_range:g} N with a preload of {size.preload:g} N",
            where="spring_range",
            fix="give at most the preload: the spring pulls the units together and cannot push them apart",
        )
    around = RoundObject(size.radius, size.com_depth)
    tilt = float(np.arcsin(size.half_distance / size.radius))
    pattern = _unit_patch(size.unit_size, unit, corners)
    patches, blocks, links = [], [], []
    top = size.com_depth + SLIDE_HEIGHT
    for name, side in (("left", -1.0), ("right", 1.0)):
        normal = np.array([-side * np.sin(tilt), 0.0, -np.cos(tilt)])  # into the object
        shear = np.array([-side * np.cos(tilt), 0.0, np.sin(tilt)])  # inwards, up the surface
        pose = Pose(np.column_stack([shear, np.cross(normal, shear), normal]), around.center - size.radius * normal)
        patches.append(pattern.moved(pose, name=name))
        # J^T of the slide's coordinate: each unit moves half of it, outwards.
        blocks.append(np.tile([[side / 2.0, 0.0, 0.0]], (1, len(pattern))))
        x = float(pose.translation[0])
        links.append(Link(f"{name} leg", np.array([pose.translation, (x, 0.0, top)])))
    links.append(Link("slide", np.array([link.points[-1] for link in links])))
    slide = Joint("slide", -size.spring_range, size.spring_range, preload=-size.preload)
    return Device(
        "2OU",
        tuple(patches),
        HeldObject(size.object_mass, shape=around.shape(size.object_length, PLATE_SPAN * tilt)),
        (slide,),
        np.array([2.0 * size.half_distance]),
        np.concatenate(blocks, axis=1),
        np.zeros((1, 3)),  # equal units on both sides: their weights cancel along the slide
        tuple(links),
    )


# 2FG: the passive two-finger gripper, three phalanges per finger, in its contact conditions (IV.C.c, IV.D).

#: Sets of touching phalanges of one finger: the distal one always touches.
TOUCHING = ("D", "MD", "PD", "PMD")

#: The six conditions of the paper, (left, right).
CONDITIONS = (("D", "D"), ("D", "MD"), ("D", "PMD"), ("MD", "MD"), ("MD", "PMD"), ("PMD", "PMD"))

#: Angle by which the drawn plate extends beyond the last phalanx.
TWO_FINGER_PLATE_SPAN = 1.3


@dataclass(frozen=True)
class TwoFingerDimensions(Dimensions):
    """Dimensions of the 2FG; the joint friction is the paper's, all else is this project's choice."""

    base_half_width: float = dimension(0.040, "m", "from the middle plane to the first joint of either finger")
    phalanx: float = dimension(0.045, "m", "joint to joint, and last joint to tip")
    joint_to_surface: float = dimension(0.015, "m", "from the line of joints to the surface of contact")
    unit_size: tuple[float, float] = dimension((0.028, 0.030), "m", "unit along its shear direction and across")
    link_mass: float = dimension(0.040, "kg", "mass of each phalanx, centred halfway between its joints")
    joint_friction: float = dimension(0.01, "N m", "static friction of each pin joint")
    object_mass: float = dimension(0.30, "kg", "mass of the object")
    radius: float = dimension(0.150, "m", "radius of the object's curved surface")
    com_depth: float = dimension(0.045, "m", "object's centre of mass below the crest")
    object_length: float = dimension(0.10, "m", "object along the y axis, to draw it")


def two_finger(size: TwoFingerDimensions, name: Literal["left", "right"]) -> PlanarFinger:
    """One finger of the 2FG around its object."""
    side = -1.0 if name == "left" else 1.0
    return wrapped_finger(RoundObject(size.radius, size.com_depth), size, name, side=side, base_x=size.base_half_width)


@with_advice()
def two_finger_gripper(
    left: str = "D",
    right: str = "D",
    *,
    unit: ForceVolume | None = None,
    corners: Corners = "shared",
    dimensions: TwoFingerDimensions | None = None,
) -> Device:
    """The passive two-finger gripper on a curved object (2FG); four contacts per touching phalanx, six joint rows.

    The object is a curved plate. The middle of every phalanx is above the surface, perpendicular to it, whether it
    touches or not, so that the conditions differ only in their contacts.

    Args:
        left: phalanges of the left finger (at -x) that touch: "D", "MD", "PD" or "PMD".
        right: phalanges of the right finger (at +x) that touch.
        unit: admissible forces of one unit; the default microspine unit when None.
        corners: "shared" for corners of a unit that share one piece, "independent" for the paper's.
        dimensions: sizes, masses and joint friction.
    """
    for name, value in (("left", left), ("right", right)):
        checks.word("set of touching phalanges", value, TOUCHING, where=name)
    size = TwoFingerDimensions() if dimensions is None else dimensions
    checks.instance("dimensions", size, TwoFingerDimensions, fix="give TwoFingerDimensions(...), or None")
    fingers = [two_finger(size, "left"), two_finger(size, "right")]
    wrap = float(np.sum(fingers[0].angles))
    around = RoundObject(size.radius, size.com_depth)
    return fingered_device(
        f"2FG {left}-{right}",
        fingers,
        (left, right),
        size,
        unit,
        corners=corners,
        joint=Joint.passive(friction=size.joint_friction),
        shape=around.shape(size.object_length, TWO_FINGER_PLATE_SPAN * wrap),
        base=Link("base", np.array([finger.joint_positions[0] for finger in fingers])),
    )


# 4FH: the four-finger hand with driven joints, its outer fingers parallel or opposed (IV.C.d, Figs. 10, 11).

#: Arrangements of the outer fingers.
ARRANGEMENTS = ("parallel", "opposed")


@dataclass(frozen=True)
class FourFingerDimensions(Dimensions):
    """Dimensions of the 4FH.

    The joint torque is the paper's; phalanx, finger planes and palm are those published for such a
    hand; the object, the joint offset, the unit and the links' masses are this project's choice.
    """

    palm_size: tuple[float, float] = dimension(
        (0.128, 0.140), "m", "palm along x and y; the first joints are at its x edges"
    )
    phalanx: float = dimension(0.044, "m", "joint to joint, and last joint to tip")
    joint_to_surface: float = dimension(0.015, "m", "from the line of joints to the surface of contact")
    inner_y: float = dimension(0.0165, "m", "planes of the inner fingers, either side of the middle")
    outer_y_parallel: float = dimension(0.061, "m", "planes of the outer fingers when parallel")
    outer_y_opposed: float = dimension(0.068, "m", "planes of the outer fingers when opposed")
    unit_size: tuple[float, float] = dimension((0.028, 0.030), "m", "unit along its shear direction and across")
    joint_torque: float = dimension(10.0, "N m", "largest torque of every joint, either way")
    link_mass: float = dimension(
        0.10, "kg", "mass of each phalanx, centred halfway between its joints; the hand has 2.6 kg"
    )
    object_mass: float = dimension(10.0, "kg", "mass of the object")
    radius: float = dimension(0.220, "m", "radius of the object's curved surface")
    load_depth: float = dimension(0.005, "m", "the world origin, where loads act, below the crest")


def finger_places(size: FourFingerDimensions, fingers: str) -> list[tuple[str, float, float]]:
    """(name, side, y [m]) of the four fingers of the 4FH, in the order of the joint rows."""
    outer_side, outer_y = (1.0, size.outer_y_parallel) if fingers == "parallel" else (-1.0, size.outer_y_opposed)
    return [
        ("inner left", 1.0, size.inner_y),
        ("inner right", 1.0, -size.inner_y),
        ("outer left", outer_side, outer_y),
        ("outer right", outer_side, -outer_y),
    ]


def palm_link(size: FourFingerDimensions, height: float) -> Link:
    """The outline of the palm of the 4FH in the plane of the first joints [m], to draw it."""
    half_x, half_y = size.palm_size[0] / 2.0, size.palm_size[1] / 2.0
    signs = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
    return Link("palm", np.array([(x * half_x, y * half_y, height) for x, y in signs]))


@with_advice()
def four_finger_hand(
    fingers: str = "parallel",
    *,
    unit: ForceVolume | None = None,
    corners: Corners = "shared",
    dimensions: FourFingerDimensions | None = None,
) -> Device:
    """The four-finger hand on a rock (4FH); twelve units, 48 contacts, twelve joint rows.

    The rock is a cylinder along y. Loads act at the world origin, by default just under its crest below the palm,
    as when the hand hangs from the rock.

    Args:
        fingers: "parallel" or "opposed", the outer fingers against the inner ones.
        unit: admissible forces of one unit; the default microspine unit when None.
        corners: "shared" for corners of a unit that share one piece, "independent" for the paper's.
        dimensions: sizes, masses and joint torque.
    """
    checks.word("arrangement of fingers", fingers, ARRANGEMENTS, where="fingers")
    size = FourFingerDimensions() if dimensions is None else dimensions
    checks.instance("dimensions", size, FourFingerDimensions, fix="give FourFingerDimensions(...), or None")
    around = RoundObject(size.radius, size.load_depth)
    made = [
        wrapped_finger(around, size, name, side=side, base_x=size.palm_size[0] / 2.0, y=y)
        for name, side, y in finger_places(size, fingers)
    ]
    return fingered_device(
        f"4FH {fingers}",
        made,
        (PHALANGES,) * len(made),
        size,
        unit,
        corners=corners,
        joint=Joint.motor(torque=size.joint_torque),
        shape=around.shape(2.0 * size.palm_size[1], np.pi),
        base=palm_link(size, float(made[0].joint_positions[0, 2])),
    )


# The devices by name, for scene files.


@dataclass(frozen=True)
class DeviceKind:
    """A ready device.

    Attributes:
        summary: what it is, in one line.
        function: what makes it.
        dimensions: class of the parameters that are numbers.
        conditions: meaning and choices of the parameters that are words; the first choice is the default.
    """

    summary: str
    function: Callable[..., Device]
    dimensions: type[Dimensions]
    conditions: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)


#: Every ready device by its name.
DEVICES: Mapping[str, DeviceKind] = MappingProxyType(
    {
        "2OU": DeviceKind(
            "two opposed units on a spring-loaded slide, on a curved object", two_opposed_units, OpposedUnitsDimensions
        ),
        "2FG": DeviceKind(
            "passive two-finger gripper on a curved plate, three phalanges per finger",
            two_finger_gripper,
            TwoFingerDimensions,
            {side: (f"phalanges of the {side} finger that touch", TOUCHING) for side in ("left", "right")},
        ),
        "4FH": DeviceKind(
            "four-finger hand with driven joints on a round rock, twelve units",
            four_finger_hand,
            FourFingerDimensions,
            {"fingers": ("outer fingers against the inner ones", ARRANGEMENTS)},
        ),
    }
)


@with_advice()
def create(name: str, /, **parameters: Any) -> Device:
    """The device called `name` ("2OU", "2FG", "4FH") with these parameters.

    Conditions (`left`, `right`, `fingers`), dimensions, `unit`, `corners` and `suspension` (of one whole unit; that of
    the unit's model by default) are all keyword arguments, as in a scene file:
    create("2FG", left="D", right="PMD", radius=0.12).
    """
    if name not in DEVICES:
        raise UnknownNameError("device", str(name), DEVICES, where="device")
    kind = DEVICES[name]
    sizes = [entry.name for entry in fields(kind.dimensions)]
    others = [*kind.conditions, "unit", "corners", "suspension"]
    for given in parameters:
        if given not in (*others, *sizes):
            raise UnknownNameError(f"parameter of {name}", given, (*others, *sizes), where=name)
    dimensions = kind.dimensions(**{key: value for key, value in parameters.items() if key in sizes})
    chosen = {key: value for key, value in parameters.items() if key in others}
    suspension = chosen.pop("suspension", None)
    made = kind.function(**chosen, dimensions=dimensions)
    return replace(made, patches=tuple(patch.suspended(suspension) for patch in made.patches))
