"""Slip events of the 2FG and the hidden truth behind each: units, mass and centre of mass that nobody knows exactly.

The paper's slip data are unpublished, so the truth is synthetic: the nominal gripper with scattered parameters, or with
a contact that the model does not know of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import checks
from ...assembly import Contact, Patch
from ...checks import Array
from ...force_limits import models
from ...statics.equilibrium import Equilibrium
from ...statics.paths import Onset, Path, first_change, grid, onset_of, turning
from ...statics.solver import Warm
from ..devices import Device, HeldObject, TwoFingerDimensions, two_finger_gripper
from ..devices.wrapping import RoundObject, wrapped_finger

#: Gravity is turned up to here [rad]: upside down.
FARTHEST = np.pi

#: Scan of the angle, and width of the bracket around the onset [rad].
STEP, TOLERANCE = np.radians(2.0), np.radians(0.05)

#: Factors on the strength of a unit stay within so many standard deviations.
MOST_DEVIATIONS = 2.0

#: Friction of the bare phalanx on the object's edge: that of a unit's body on the same ground (`mu_substrate`).
EDGE_FRICTION = 0.5


@dataclass(frozen=True)
class Scatter:
    """How far the truth strays from the model.

    Attributes:
        strength: standard deviation of the factor on each unit's F0, drawn for every unit by itself (normal, cut off
            at two standard deviations).
        mass: the object's mass is off by up to this, either way, uniformly [kg].
        com: each coordinate of its centre of mass is off by up to this, either way, uniformly [m].
    """

    strength: float = 0.30
    mass: float = 0.001
    com: float = 0.005


@dataclass(frozen=True)
class SlipEvent:
    """One run: a contact condition on an object, turned one way until it falls.

    Attributes:
        left, right: phalanges that touch.
        radius: of the object [m].
        azimuth: gravity begins straight down (-z) and is turned towards (cos, sin, 0) of this angle [rad].
    """

    left: str
    right: str
    radius: float
    azimuth: float

    @property
    def name(self) -> str:
        """Condition, radius and azimuth: "MD-PMD, 150 mm, 30 deg"."""
        return f"{self.left}-{self.right}, {1e3 * self.radius:.0f} mm, {np.degrees(self.azimuth):.0f} deg"

    @property
    def towards(self) -> Array:
        """(3,) where gravity points after a quarter turn."""
        return np.array([np.cos(self.azimuth), np.sin(self.azimuth), 0.0])

    def device(self) -> Device:
        """The gripper as the model knows it."""
        dimensions = TwoFingerDimensions(radius=self.radius)
        return two_finger_gripper(self.left, self.right, dimensions=dimensions)


@dataclass(frozen=True, eq=False)
class Truth:
    """A gripper as it really is.

    Attributes:
        device: contacts, joints and object.
        strengths: one factor a patch of the device, on all its forces.
    """

    device: Device
    strengths: Array

    @property
    def scales(self) -> Array:
        """(k, 3) the factors, contact by contact."""
        counts = [len(patch) for patch in self.device.patches]
        return np.repeat(self.strengths, counts)[:, None] * np.ones(3)


def nominal(device: Device) -> Truth:
    """The device as the model has it: every factor is 1."""
    return Truth(device, np.ones(len(device.patches)))


def draw_truth(device: Device, scatter: Scatter, rng: np.random.Generator) -> Truth:
    """A truth around the nominal device. The numbers drawn do not depend on which scatters are zero."""
    deviations = np.clip(rng.standard_normal(len(device.patches)), -MOST_DEVIATIONS, MOST_DEVIATIONS)
    mass, com = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0, 3)
    held = device.object
    moved = HeldObject(held.mass + scatter.mass * mass, held.com + scatter.com * com, held.shape)
    return Truth(replace(device, object=moved), 1.0 + scatter.strength * deviations)


def true_onset(
    truth: Truth,
    towards: Sequence[float] | Array,
    *,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> Onset:
    """Where the truth lets go when gravity is turned from straight down towards a direction (3,), by angle [rad].

    As `slip_onset`, but units keep sharing their tables although each has a strength of its own.
    """
    path: Path = turning(truth.device, towards=towards)
    warm, scales = Warm(), truth.scales

    def ask(angle: float) -> Equilibrium:
        return warm.equilibrium(*path(angle), scales)

    width, narrow = checks.positive("step", step), checks.positive("tolerance", tolerance)
    return onset_of(first_change(ask, grid(0.0, FARTHEST, width), narrow), width, narrow)


def without(device: Device, name: str) -> Device:
    """The device with one patch lifted off: its contacts and their columns are left out."""
    patches, columns, at = [], [], 0
    for patch in device.patches:
        end = at + 3 * len(patch)
        if patch.name != name:
            patches.append(patch)
            columns.append(device.jacobian[:, at:end])
        at = end
    return replace(device, patches=tuple(patches), jacobian=np.concatenate(columns, axis=1))


def caught_on_edge(device: Device, dimensions: TwoFingerDimensions) -> Device:
    """The device whose left distal phalanx has caught the tip of the object besides.

    The object ends under the tip of that phalanx, which hooks over its end face: one Coulomb contact without
    spines that pushes the object along its surface, up towards the gripper.
    """
    around = RoundObject(dimensions.radius, dimensions.com_depth)
    finger = wrapped_finger(
        around,
        side=-1.0,
        base_x=dimensions.base_half_width,
        y=0.0,
        phalanx=dimensions.phalanx,
        joint_to_surface=dimensions.joint_to_surface,
        link_mass=dimensions.link_mass,
        name="left",
    )
    pose = finger.contact_pose(2, offset=dimensions.joint_to_surface)
    along, across, into = pose.rotation.T  # along: the unit's shear direction, from the tip to the base
    point = pose.translation - 0.5 * dimensions.phalanx * along
    edge = Contact(point, np.column_stack([into, -across, along]), models.coulomb(EDGE_FRICTION), "left edge[0]")
    own = np.zeros((len(device.joints), 3))
    own[:3] = finger.rows_jacobian([2], point[None, :])
    return replace(
        device,
        patches=(*device.patches, Patch((edge,), np.ones(1), (), "left edge")),
        jacobian=np.concatenate([device.jacobian, own], axis=1),
    )
