"""The four grips of the four-finger hand (Fig. 14): opposing, parallel, pinch, power; which units touch what terrain.

    opposing   outer fingers against the inner ones on a wide curved rock; all twelve units touch
    parallel   all fingers one way on the same rock; all twelve units touch
    pinch      outer fingers against the inner ones on the two sides of a protruding edge; the four fingertips touch
    power      fingers of both sides closed round a pole; all twelve units touch

Palm frame, as in the URDF of the hand: origin in the middle of the palm, in the plane of the first joints; x towards
the inner fingers, y along the joints' axes, z away from what is gripped, into the limb. The palm is arched, so that a
pole may stand a little behind the line of the first joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ... import checks
from ...assembly import Joint, Patch, PlanarFinger
from ...assembly.assembly import Assembly
from ...checks import Array
from ...errors import GeometryError, UnknownNameError
from ...force_limits.volume import ForceVolume
from ...geometry.frames import Pose
from .device import Cylinder, Device, HeldObject, Link
from .dimensions import Dimensions, dimension
from .four_finger import FourFingerDimensions, four_finger_hand
from .unit import default_unit
from .wrapping import PHALANGES, fingered_device

if TYPE_CHECKING:
    from ...postures import LazyGrip

GripName = Literal["opposing", "parallel", "pinch", "power"]

#: The grips, in the order of the paper's Figs. 14, 17 and 18.
GRIPS: tuple[GripName, ...] = ("opposing", "parallel", "pinch", "power")

#: Fingers in the order of the joint rows: name, side on which an opposed hand has them, side of the middle plane.
FINGERS = (
    ("inner left", 1.0, 1.0),
    ("inner right", 1.0, -1.0),
    ("outer left", -1.0, 1.0),
    ("outer right", -1.0, -1.0),
)

#: An edge is drawn on a terrain that goes this far to either side of it [m].
TERRAIN_WIDTH = 0.2


@dataclass(frozen=True)
class TerrainDimensions(Dimensions):
    """What the grips hold on to; this project's choice, as the paper gives no sizes."""

    rock_radius: float = dimension(0.220, "m", "radius of the rock under the opposing and the parallel grip")
    pole_radius: float = dimension(0.065, "m", "radius of the pole in the power grip")
    edge_width: float = dimension(0.080, "m", "thickness of the protruding edge, between its two parallel faces")
    edge_clearance: float = dimension(0.010, "m", "from the plane of the first joints down to the top of the edge")
    edge_depth: float = dimension(0.070, "m", "from the top of the edge to where the fingertips touch its faces")


@dataclass(frozen=True, eq=False)
class HandGrip:
    """The hand in one grip on its terrain.

    Attributes:
        name: of the grip.
        device: contacts and joints; its object is the terrain.
        palm: pose of the palm frame in the device's frame.
        profile: (m, 2) outline of the terrain across the fingers, x and z in the palm frame [m], to draw it.
    """

    name: GripName
    device: Device
    palm: Pose
    profile: Array = field(repr=False)

    @property
    def touching(self) -> tuple[str, ...]:
        """Names of the phalanges whose units touch."""
        return tuple(patch.name for patch in self.device.patches)

    def assembly(self) -> Assembly:
        """Contacts and joint rows, in the device's frame; the object is the terrain, and the fingers have no weight.

        The fingers' weight is that of the body's, and on their own joints it is small: 0.1 kg a phalanx against 10 N m.
        """
        return replace(self.device, name=f"4FH {self.name}").assembly()

    def lazy(self) -> LazyGrip:
        """The wrenches that the terrain gives to the body through this hand, exact, in the palm frame."""
        from ...postures import LazyGrip

        return LazyGrip(self.assembly(), palm=self.palm, acting="reaction", label=self.name)

    def angles(self, prefix: str = "") -> Mapping[str, float]:
        """Joint angles [rad] of the URDF hand in this grip, by joint name; `prefix` is "front_left_", say."""
        swivel = 0.0 if self.name == "parallel" else np.pi
        found = {f"{prefix}outer_left_swivel": swivel, f"{prefix}outer_right_swivel": -swivel}
        for joint, angle in zip(self.device.joints, self.device.coordinates, strict=True):
            found[prefix + joint.name.replace(" ", "_")] = float(angle)
        return found


def hand_grip(
    name: GripName,
    *,
    unit: ForceVolume | None = None,
    hand: FourFingerDimensions | None = None,
    terrain: TerrainDimensions | None = None,
) -> HandGrip:
    """The four-finger hand in one of its four grips.

    Args:
        name: "opposing", "parallel", "pinch" or "power".
        unit: admissible forces of one unit; the default microspine unit when None.
        hand: sizes of the hand; the radius of its object is taken from `terrain`.
        terrain: sizes of what is gripped.
    """
    if name not in GRIPS:
        raise UnknownNameError("grip", str(name), GRIPS, where="name")
    size = FourFingerDimensions() if hand is None else hand
    ground = TerrainDimensions() if terrain is None else terrain
    if name == "pinch":
        return _pinch(size, ground, unit)
    radius = ground.pole_radius if name == "power" else ground.rock_radius
    fingers = "parallel" if name == "parallel" else "opposed"
    device = four_finger_hand(fingers, unit=unit, dimensions=replace(size, radius=radius))
    palm = Pose(np.eye(3), np.array([0.0, 0.0, device.links[0].points[0, 2]]))
    shape = device.object.shape
    assert isinstance(shape, Cylinder)
    turns = np.linspace(-np.pi, np.pi, 97) if name == "power" else np.linspace(-1.0, 1.0, 49)
    profile = shape.center[[0, 2]] + radius * np.column_stack([np.sin(turns), np.cos(turns)])
    return HandGrip(name, device, palm, profile - palm.translation[[0, 2]])


def _pinch(size: FourFingerDimensions, ground: TerrainDimensions, unit: ForceVolume | None) -> HandGrip:
    """Fingertips on the two parallel faces of an edge along y; the device's origin lies in the middle of its top."""
    palm = Pose(np.eye(3), np.array([0.0, 0.0, ground.edge_clearance]))
    angles = _reaching_angles(size, ground)
    planes = {"inner": size.inner_y, "outer": size.outer_y_opposed}
    made = []
    for name, side, left in FINGERS:
        base = palm.translation + np.array([side * size.palm_size[0] / 2.0, left * planes[name.split()[0]], 0.0])
        made.append(
            PlanarFinger(
                base=Pose(np.diag([side, side, 1.0]), base),
                lengths=np.full(3, size.phalanx),
                angles=angles,
                masses=np.full(3, size.link_mass),
                names=tuple(f"{name} {letter}" for letter in PHALANGES),
            )
        )
    half_x, half_y, height = size.palm_size[0] / 2.0, size.palm_size[1] / 2.0, ground.edge_clearance
    corners = [(x, y, height) for x, y in ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))]
    device = fingered_device(
        "4FH pinch",
        made,
        ("D",) * len(made),
        unit=Patch.rectangle(Pose.identity(), size.unit_size, default_unit() if unit is None else unit),
        joint_to_surface=size.joint_to_surface,
        joint=Joint.motor(torque=size.joint_torque),
        held=HeldObject(size.object_mass),
        base=Link("palm", np.array([*corners, corners[0]])),
    )
    half = ground.edge_width / 2.0
    foot = -ground.edge_clearance - ground.edge_depth - 0.75 * size.phalanx
    top = -ground.edge_clearance
    outline = [(-TERRAIN_WIDTH, foot), (-half, foot), (-half, top), (half, top), (half, foot), (TERRAIN_WIDTH, foot)]
    return HandGrip("pinch", device, palm, np.array(outline))


def _reaching_angles(size: FourFingerDimensions, ground: TerrainDimensions) -> Array:
    """(3,) joint angles [rad] that lay the last phalanx flat along a face of the edge, the others bent outwards."""
    reach = np.array([ground.edge_width / 2.0 + size.joint_to_surface, -(ground.edge_clearance + ground.edge_depth)])
    reach += [-size.palm_size[0] / 2.0, size.phalanx / 2.0]  # from the first joint to the last
    distance = float(np.hypot(*reach))
    if distance >= 2.0 * size.phalanx:
        fix = f"less than {2.0 * size.phalanx:g} m from the first joint to the last; it is {distance:.3g} m"
        raise GeometryError("the fingertips do not reach the edge's faces", where="edge_depth, edge_width", fix=fix)
    towards = float(np.arctan2(-reach[1], reach[0]))  # turned from x towards -z
    spread = float(np.arccos(distance / (2.0 * size.phalanx)))
    first = towards - spread
    checks.number("angle of the first phalanx", first, low=-np.pi / 2.0, high=np.pi, unit="rad")
    return np.array([first, 2.0 * spread, np.pi / 2.0 - first - 2.0 * spread])
