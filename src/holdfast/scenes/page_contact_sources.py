"""What a contacts page is about: a scene that depends on a posture, from a ready device or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY

if TYPE_CHECKING:
    from ..force_limits import ForceVolume
    from ..papers.devices import Device
    from .scene import Scene

#: A posture: the value of each of a source's controls, by name.
Posture = Mapping[str, Any]


@dataclass(frozen=True)
class PostureControl:
    """A number or a word that the posture of a gripper depends on.

    Attributes:
        name: keyword of the device.
        label: as the page calls it.
        initial: where it starts, in the unit of the label.
        low, high, step: of a slider, in the unit of the label; a control with `choices` has none.
        scale: SI units in one unit of the label: 1e-3 for millimetres.
        choices: the words that may be chosen; () for a number.
    """

    name: str
    label: str
    initial: Any
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    scale: float = 1.0
    choices: tuple[str, ...] = ()

    def parameter(self, value: Any) -> Any:
        """The device's parameter in SI units for a value of the control."""
        return value if self.choices else float(value) * self.scale


class Source(Protocol):
    """Where the scene of a page comes from."""

    @property
    def controls(self) -> tuple[PostureControl, ...]:
        """What the posture depends on; () when it is fixed."""
        ...

    def scene(self, posture: Posture) -> Scene:
        """The scene in a posture."""
        ...


@dataclass(frozen=True)
class FileSource:
    """A scene file; its posture is fixed.

    Attributes:
        path: the file, or "@name" for a ready scene; read anew whenever it is asked for.
    """

    path: str | Path

    @property
    def controls(self) -> tuple[PostureControl, ...]:
        """None: contacts of a file stand where it puts them."""
        return ()

    def scene(self, posture: Posture) -> Scene:
        """The scene as the file describes it now; a broken file is a SceneError."""
        from .files import load_scene

        return load_scene(self.path)


@dataclass(frozen=True)
class DeviceSource:
    """A ready device in a posture of choice.

    Attributes:
        device: its name, "4FH", say.
        controls: what can be changed.
        fixed: parameters that stay.
        unit: force volume of one unit; the device's own when None.
    """

    device: str
    controls: tuple[PostureControl, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    unit: ForceVolume | None = None

    def scene(self, posture: Posture) -> Scene:
        """The device as a scene, gravity straight down; an impossible posture is a GeometryError."""
        from ..papers import devices

        chosen = {control.name: control.parameter(posture[control.name]) for control in self.controls}
        return scene_of(devices.create(self.device, **self.fixed, **chosen, unit=self.unit))


def scene_of(device: Device) -> Scene:
    """A device as a scene: its contacts and joints under standard gravity, its object, and what to draw."""
    from .scene import Scene, SceneDrawing

    gravity = np.array([0.0, 0.0, -STANDARD_GRAVITY])
    faces = tuple(np.asarray(face) for patch in device.patches for face in patch.faces)
    return Scene(
        assembly=device.assembly(gravity),
        name=device.name,
        mass=device.object.mass,
        com=device.object.com,
        gravity=gravity,
        link_gravity=device.gravity_matrix,
        # Pictures know the devices' own cylinders as well as those of scenes.
        drawing=SceneDrawing(device.object.shape, faces, tuple((link.name, link.points) for link in device.links)),  # pyright: ignore[reportArgumentType]
    )


def with_volumes_of(scene: Scene, known: Sequence[ForceVolume]) -> Scene:
    """The scene with volumes from `known` in the place of equal ones, so that lookup tables made for them stay good."""
    from ..assembly import Contact
    from ..assembly.assembly import Assembly

    by_print = {volume.fingerprint: volume for volume in known}
    own = {id(contact.volume): contact.volume for contact in scene.assembly.contacts}
    new = {key: by_print.get(volume.fingerprint, volume) for key, volume in own.items()}
    contacts = [Contact(c.position, c.rotation, new[id(c.volume)], c.name) for c in scene.assembly.contacts]
    return replace(scene, assembly=Assembly(contacts, scene.assembly.joints, scene.assembly.name))


def initial_posture(source: Source) -> dict[str, Any]:
    """The posture a page begins with."""
    return {control.name: control.initial for control in source.controls}


#: Radii of objects that the fingers of the devices wrap round [mm].
_ROCK = PostureControl("radius", "Object radius [mm]", 220.0, 120.0, 400.0, 5.0, 1e-3)
_PLATE = PostureControl("radius", "Object radius [mm]", 150.0, 90.0, 300.0, 5.0, 1e-3)

TWO_OPPOSED_UNITS = DeviceSource(
    "2OU", (PostureControl("half_distance", "Units from the middle [mm]", 30.0, 10.0, 80.0, 1.0, 1e-3),)
)
"""The two opposed units, whose distance can be changed."""

TWO_FINGERS = DeviceSource("2FG", (_PLATE,), {"left": "PMD", "right": "PMD"})
"""The two-finger gripper with all phalanges; which of them touch is up to the page."""


def four_fingers(arrangement: str) -> DeviceSource:
    """The four-finger hand, beginning with its outer fingers "opposed" or "parallel"."""
    fingers = PostureControl("fingers", "Outer fingers", arrangement, choices=("opposed", "parallel"))
    return DeviceSource("4FH", (fingers, _ROCK))
