"""4FH: the four-finger hand with driven joints, its outer fingers parallel or opposed (IV.C.d, Figs. 10, 11).

The two inner fingers point towards +x. The two outer ones point the same way ("parallel") or towards -x
("opposed"). All twelve units touch. The spines point towards the palm: a finger towards +x pulls the object towards
-x, and so holds against a load along +x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...assembly import Joint, Patch
from ...errors import UnknownNameError
from ...force_limits.volume import ForceVolume
from ...geometry.frames import Pose
from .device import Device, HeldObject, Link
from .dimensions import Dimensions, dimension
from .unit import default_unit
from .wrapping import PHALANGES, RoundObject, fingered_device, wrapped_finger

#: How the outer fingers stand.
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


def four_finger_hand(
    fingers: str = "parallel",
    *,
    unit: ForceVolume | None = None,
    dimensions: FourFingerDimensions | None = None,
) -> Device:
    """The four-finger hand on a rock (4FH); twelve units, 48 contacts, twelve joint rows.

    The rock is a cylinder along y. Loads act at the world origin, by default just under its crest below the palm,
    as when the hand hangs from the rock.

    Args:
        fingers: "parallel" or "opposed", the outer fingers against the inner ones.
        unit: admissible forces of one unit; the default microspine unit when None.
        dimensions: sizes, masses and joint torque.
    """
    if fingers not in ARRANGEMENTS:
        raise UnknownNameError("arrangement of fingers", str(fingers), ARRANGEMENTS, where="fingers")
    size = FourFingerDimensions() if dimensions is None else dimensions
    around = RoundObject(size.radius, size.load_depth)
    outer_side, outer_y = (1.0, size.outer_y_parallel) if fingers == "parallel" else (-1.0, size.outer_y_opposed)
    planes = (
        ("inner left", 1.0, size.inner_y),
        ("inner right", 1.0, -size.inner_y),
        ("outer left", outer_side, outer_y),
        ("outer right", outer_side, -outer_y),
    )
    made = [
        wrapped_finger(
            around,
            side=side,
            base_x=size.palm_size[0] / 2.0,
            y=y,
            phalanx=size.phalanx,
            joint_to_surface=size.joint_to_surface,
            link_mass=size.link_mass,
            name=name,
        )
        for name, side, y in planes
    ]
    half_x, half_y = size.palm_size[0] / 2.0, size.palm_size[1] / 2.0
    height = float(made[0].joint_positions[0, 2])
    palm = [(x, y, height) for x, y in ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))]
    return fingered_device(
        f"4FH {fingers}",
        made,
        (PHALANGES,) * len(made),
        unit=Patch.rectangle(Pose.identity(), size.unit_size, default_unit() if unit is None else unit),
        joint_to_surface=size.joint_to_surface,
        joint=Joint.motor(torque=size.joint_torque),
        held=HeldObject(size.object_mass, shape=around.shape(2.0 * size.palm_size[1], np.pi)),
        base=Link("palm", np.array([*palm, palm[0]])),
    )
