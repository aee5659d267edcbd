"""Robot files, field by field: a URDF, a posture, and contacts: units on links or grips of hands.

All units are SI. Vectors are in the world, or in the frame of a link where stated.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, ValidationError, model_validator

from .. import checks
from ..assembly import Patch
from ..assembly.files import MOST_CONTACTS, Suspensions, cells
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array, check_size
from ..errors import FileError, InputError, UnknownNameError
from ..files.reader import FileFormat, check_kind, json_schema
from ..files.schema import (
    File,
    Framed,
    Length,
    LoadPart,
    Name,
    Number,
    Part,
    Placed,
    Points,
    Positive,
    Vector,
    build_load,
    build_pose,
    by_type,
    complaint,
    faults,
)
from ..files.yaml_source import Site, YamlSource, is_uploaded
from ..force_limits.files import Suspended, VolumeChoice, Volumes
from ..geometry.frames import Pose, frame_from_normal, rotation
from ..postures.files import MOST_HANDS, GripChoice, GripShelf, check_samples
from ..postures.hands import PostureScene
from ..public_names import with_advice
from ..tolerances import LARGEST_MASS, SMALLEST_MASS
from .bodies import ContactSite, Hand, WholeBody, checked_touches, whole_body
from .feature import DESCRIPTION
from .feet import WITHIN, find_feet, rigid_bodies
from .kinematics import reach
from .planning import PosturePlanner
from .robot import Robot
from .srdf import state_parts
from .urdf import named_robot

#: Version of the robot format that this Holdfast reads.
ROBOT_VERSION = 1

#: Palms within this angle of the vertical count as level; beyond the second angle as on a wall [rad].
LEAST_TILT, LARGEST_TILT = np.radians(1.0), np.radians(80.0)


#: Folders of packages.
Packaged = by_type(
    (list, list[File]), (dict, dict[Name, File]), fix="give a list of folders, or name: folder of each package"
)


class RobotPart(Part):
    """The robot and how it stands."""

    urdf: File | None = Field(
        None,
        description="URDF or xacro, relative to this file; or @name of one of ours (@climber, @four_finger_hand) "
        "or of the package example-robot-data (@go2)",
    )
    mjcf: File | None = Field(None, description="MJCF, the format of MuJoCo, in place of a URDF")
    base: Literal["floating", "fixed"] | None = Field(
        None,
        description="floating: the robot is held by what it touches; fixed: it holds an object. "
        "By default floating, or as an MJCF has it",
    )
    at: Placed | None = Field(None, description="where the root link of a fixed robot stands; the origin by default")
    meshes: Literal["optional", "required", "ignored"] | None = Field(
        None,
        description="whether files of meshes must exist; they matter only for pictures and feet. "
        "By default ignored, and optional for an MJCF",
    )
    srdf: File | None = Field(None, description="SRDF with named states; auto looks for it beside the URDF")
    packages: Packaged = Field([], description="folders of package:// names: {name: folder}, or folders they lie in")
    xacro: dict[Name, str | float | bool] = Field({}, description="arguments of a xacro file, by name")
    mimic: Literal["coupled", "independent"] = Field(
        "coupled", description="joints with <mimic> follow their driving joint, or have their own motors"
    )
    limits: dict[Name, Annotated[list[Number], Field(min_length=2, max_length=2)]] = Field(
        {}, description="position limits [lower, upper] by joint in place of the URDF's [rad, m]"
    )
    body: Name | None = Field(None, description="root body of the robot, where an MJCF has several")

    @model_validator(mode="after")
    def _one_description(self) -> RobotPart:
        if (self.urdf is None) == (self.mjcf is None):
            what = "has no description" if self.urdf is None else "has a urdf and an mjcf"
            raise complaint(what, "give urdf: or mjcf:, with a file")
        if self.mjcf is not None:
            for name in ("srdf", "packages", "xacro"):
                if getattr(self, name):
                    raise complaint("is for a URDF", "leave it out; key frames of an MJCF are its states", name)
        elif self.body is not None:
            raise complaint("is for an MJCF", "leave it out", "body")
        return self


class PosturePart(Part):
    """Where the joints are."""

    state: Name | None = Field(None, description="named state of the SRDF, or key frame of an MJCF, to start from")
    base: Placed | None = Field(None, description="where the root link of a floating robot stands")
    joints: dict[Name, Number] = Field(
        {}, description="coordinate of each joint by name [rad, m]; others as in the state, or neutral"
    )


class RobotObjectPart(Part):
    """What a fixed robot holds."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] = Field(description="[kg]")
    com: Vector = Field([0.0, 0.0, 0.0], description="centre of mass in the world [m]")


class FacingPart(Framed):
    """A contact frame whose axes are fixed in the world."""


#: Axes in the world: a normal, or a frame.
Facing = by_type(
    (list, Vector),
    (dict, FacingPart),
    fix="give a normal in the world: [0, 0, -1], or normal with shear, or rotation",
)


class TouchPart(Framed, Suspended):
    """A contact unit on a link: a point, or a rectangle with points at its corners or in its cells."""

    name: str = Field("", max_length=100, description="how reports call it; the link by default")
    link: Name = Field(description="the link that carries it")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    position: Vector = Field([0.0, 0.0, 0.0], description="in the link's frame [m]; normals point OUT of the link")
    facing: Facing | None = Field(
        None, description="axes in the WORLD in place of a frame on the link, for round feet: normal out of the link"
    )
    scale: Positive = Field(1.0, description="strength, as a multiple of the volume")
    size: Annotated[list[Length], Field(min_length=2, max_length=2)] | None = Field(
        None, description="of a rectangle, along the shear and across [m]; a point without it"
    )
    points: Points = Field("corners", description="of a rectangle: corners, or numbers of cells: [2, 3]")
    corners: Literal["shared", "independent"] = Field(
        "shared", description="whether its points share one piece of the volume, or choose independently"
    )

    @model_validator(mode="after")
    def _one_frame(self) -> TouchPart:
        given = [name for name in ("normal", "rotation", "facing") if getattr(self, name) is not None]
        if len(given) != 1:
            what = f"has {len(given)} frames: {', '.join(given)}" if given else "has no frame"
            raise complaint(what, "give normal with shear, or rotation, on the link; or facing, in the world")
        if self.shear is not None and self.normal is None:
            raise complaint("has a shear without a normal", "leave shear out, or give normal", "shear")
        return self


class RobotPlacePart(Framed):
    """Where a palm is to be, in the world."""

    position: Vector = Field(description="origin of the palm [m]")


class RobotHandPart(Part):
    """A hand or foot as a grip at a palm."""

    name: str = Field("", max_length=100, description="how reports call it; the palm's link by default")
    palm: Name = Field(description="the link that carries it")
    grip: Name = Field(description="one of grips: wrenches on the robot, in the palm frame")
    frame: Placed | None = Field(None, description="palm frame in the link's frame; the same by default")
    at: RobotPlacePart | None = Field(
        None, description="where the palm is to be: the posture is changed until it is there; normals into the robot"
    )
    facing: Facing | None = Field(
        None, description="axes of the palm in the WORLD, for round feet: normal into the robot; by default its link's"
    )


class FeetPart(Part):
    """Feet that are found from the shapes of the robot's links."""

    volume: Name | None = Field(
        None, description="one of volumes, for each foot; by default the only one, or the friction in an MJCF"
    )
    grip: Name | None = Field(None, description="one of grips, at every corner of each foot, in place of a volume")
    links: list[Name] | None = Field(None, min_length=1, description="links of the feet; by default the lowest ones")
    down: Vector = Field([0.0, 0.0, -1.0], description="direction into the ground, or into a wall")
    within: Length = Field(WITHIN, description="how far above the lowest point a foot may be [m]")

    @model_validator(mode="after")
    def _one_kind(self) -> FeetPart:
        if self.volume is not None and self.grip is not None:
            raise complaint("have a volume and a grip", "give one of the two")
        return self


#: Feet to be found.
Feet = by_type((str, Literal["auto"]), (dict, FeetPart), fix="give auto, or fields: volume, links, down, within")


class RobotDocument(Part):
    """A robot in a posture, what touches, and what pulls at it. Units are SI."""

    holdfast: Literal[1] = Field(description="version of the robot format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    robot: RobotPart = Field(description="the URDF or MJCF")
    posture: PosturePart = Field(PosturePart(state=None, base=None, joints={}), description="joints and base")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    object: RobotObjectPart | None = Field(None, description="what a robot on a fixed base holds")
    loads: dict[Name, LoadPart] = Field(
        {}, description="named external wrenches on what is held, in addition to its weight"
    )
    volumes: dict[Name, VolumeChoice] = Field({}, description="named sets of admissible forces, for touches")
    touches: list[TouchPart] = Field([], description="contact units on links; all of them and all joints are included")
    grips: dict[Name, GripChoice] = Field({}, description="named sets of wrenches, for hands")
    hands: list[RobotHandPart] = Field([], max_length=MOST_HANDS, description="hands and feet as grips at their palms")
    feet: Feet | None = Field(None, description="auto: feet are found from the shapes; alone, or with touches of hands")

    @model_validator(mode="after")
    def _something_touches(self) -> RobotDocument:
        check_samples(self.grips)
        given = [name for name in ("touches", "hands", "feet") if getattr(self, name)]
        if len(given) != 1 and given != ["touches", "feet"]:
            what = f"has {' and '.join(given)}" if given else "nothing touches"
            raise complaint(what, "give touches (units on links), hands (grips at palms), or feet: auto")
        if self.touches and isinstance(self.feet, FeetPart) and self.feet.grip is not None:
            raise complaint("have a grip beside touches", "give them a volume", "feet")
        base = self.robot.base or ("floating" if self.robot.urdf is not None else None)
        if base is not None and (fault := self.base_fault(base)):
            raise complaint(*fault)
        return self

    def base_fault(self, base: str) -> tuple[str, str, str] | None:
        """(what, fix, field) of the first thing that does not go with a base of this kind."""
        if base == "fixed":
            if self.hands or self.feet:
                field = "hands" if self.hands else "feet"
                return f"a robot on a fixed base stands on no {field}", "give touches, or base: floating", field
            if self.posture.base is not None:
                return "is for a floating base", "give at beside the urdf instead", "posture"
        elif self.object is not None:
            return "is for a fixed base", "a floating robot is held itself: leave object out", "object"
        elif self.robot.at is not None:
            return "its at is for a fixed base", "give base in posture instead", "robot"
        return None


def robot_schema() -> dict[str, Any]:
    """The JSON Schema of robot files, for editors and other programs."""
    return json_schema(RobotDocument, "Holdfast robot")


# RobotScene: a robot in a posture, with its contacts and loads.


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotScene:
    """A robot, its posture, and either units that touch or hands with grips; immutable.

    Attributes:
        robot: the robot.
        q: its posture.
        gravity: (3,) [m/s^2] in the world.
        touches: units on links; () where hands are given.
        hands: palms with grips; () where touches are given.
        grip_names: name of each hand's grip in the file.
        object_weight: (6,) weight of the object that a fixed robot holds, about the world origin; zeros for none.
        object_com: (3,) its centre of mass, or None.
        loads: named wrenches (6,) on what is held, about the world origin.
        name: its name in reports.
        description: description.
        path: the file it was read from, or None.
    """

    robot: Robot
    q: Array
    gravity: Array
    touches: tuple[ContactSite, ...] = ()
    hands: tuple[Hand, ...] = ()
    grip_names: tuple[str, ...] = ()
    object_weight: Array = field(default_factory=lambda: np.zeros(6))
    object_com: Array | None = None
    loads: Mapping[str, Array] = field(default_factory=dict)
    name: str = ""
    description: str = ""
    path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "loads", MappingProxyType(dict(self.loads)))

    def __repr__(self) -> str:
        what = f"{len(self.hands)} hands" if self.hands else f"{len(self.touches)} touches"
        return f"RobotScene({self.name!r}, {self.robot.name!r}, {what})"

    def load(self, name: str) -> Array:
        """(6,) the load called `name`."""
        if name not in self.loads:
            raise UnknownNameError("load", name, self.loads, where=str(self.path or self.name))
        return self.loads[name]

    def extra(self, names: Iterable[str] = ()) -> Array:
        """(6,) the loads called `names` and the weight of an object, together, without the robot's own weight."""
        return np.sum([self.object_weight, *(self.load(name) for name in names)], axis=0)

    def whole_body(self, loads: Iterable[str] = ()) -> WholeBody:
        """The posture with every unit and every joint (`hf.robots.whole_body`); for a file with touches."""
        if not self.touches:
            raise InputError("has no touches", where=self.name, fix="its hands are grips: use planner() or posture()")
        return whole_body(self.robot, self.q, self.touches, self.gravity, load=self.extra(loads))

    def planner(self) -> PosturePlanner:
        """The callbacks of a planner on these hands; for a file with hands."""
        self._check_hands()
        return PosturePlanner(self.robot, self.hands, gravity=self.gravity)

    def posture(self) -> PostureScene:
        """The robot as one body on its hands, as for `holdfast posture` and `holdfast support`."""
        self._check_hands()
        return PostureScene(
            grips=tuple(hand.grip for hand in self.hands),
            poses=tuple(hand.pose(self.robot, self.q) for hand in self.hands),
            hands=tuple(hand.name for hand in self.hands),
            grip_names=self.grip_names,
            mass=self.robot.mass,
            com=self.robot.com(self.q),
            gravity=self.gravity,
            loads=self.loads,
            name=self.name,
            description=self.description,
            path=self.path,
        )

    def tilted(self) -> dict[str, float]:
        """{hand or unit: angle [rad]} between the normal and the vertical, for those that rotate with their link.

        Angles within `LEAST_TILT` and beyond `LARGEST_TILT` (a wall) are left out, as are units with a surface.
        """
        if not self.gravity.any() or self.robot.base == "fixed":
            return {}
        up = -self.gravity / np.linalg.norm(self.gravity)
        normals = {
            hand.name: hand.pose(self.robot, self.q).rotation[:, 2] for hand in self.hands if hand.facing is None
        }
        for touch in self.touches:
            if touch.facing is None and len(touch) == 1:
                normals[touch.name] = -touch.frame(self.robot.frame_pose(self.q, touch.link)).rotation[:, 2]
        angles = {name: float(np.arccos(np.clip(normal @ up, -1.0, 1.0))) for name, normal in normals.items()}
        return {name: angle for name, angle in angles.items() if LEAST_TILT < angle < LARGEST_TILT}

    def faced(self) -> RobotScene:
        """The same scene with the `tilted` ones facing against gravity in the world, like round feet."""
        tilted, up = self.tilted(), -self.gravity
        hands = [replace(hand, facing=frame_from_normal(up)) if hand.name in tilted else hand for hand in self.hands]
        touches = [
            replace(touch, facing=frame_from_normal(-up)) if touch.name in tilted else touch for touch in self.touches
        ]
        return replace(self, hands=tuple(hands), touches=tuple(touches))

    def _check_hands(self) -> None:
        if not self.hands:
            raise InputError("has no hands", where=self.name, fix="it has touches: use whole_body()")


# From a robot file to a RobotScene: URDF, posture, units or hands, loads.


def build_robot(
    document: RobotDocument,
    site: Site,
    *,
    gravity: ArrayLike | None = None,
    state: str | None = None,
    trust: bool = False,
) -> RobotScene:
    """The robot that `document` describes; every fault is a SceneError with the file of `site`.

    Args:
        document: contents of the file.
        site: place in the file.
        gravity: (3,) [m/s^2] instead of the file's.
        state: named state in place of the file's posture.
        trust: whether a xacro file that it names may run.
    """
    down = checks.vector("gravity", document.gravity if gravity is None else gravity, 3)
    with (site / "robot").watch():
        robot = _robot(document.robot, site / "robot", trust)
    if fault := document.base_fault(robot.base):
        what, fix, field = fault
        raise (site / field).fault(what, fix=fix)
    posture = document.posture if state is None else PosturePart(state=state, base=None, joints={})
    with (site / "posture").watch():
        q = _posture(robot, posture)
    touches = _touches(document, robot, site)
    q, hands = _hands(document, robot, q, down, site)
    grip_names = tuple(part.grip for part in document.hands)
    if document.feet is not None:
        with (site / "feet").watch():
            units, hands = _feet(document, robot, q, down, site)
            bodies = rigid_bodies(robot)
            taken = {bodies[touch.link] for touch in touches}  # bodies with a unit need no foot
            for unit in (found := [unit for unit in units if bodies[unit.link] not in taken]):
                _check_name("unit", unit.name, [touch.name for touch in touches], site / "touches")
            touches += tuple(found)
        grip_names = tuple("feet" for _ in hands)
    thing = document.object
    return RobotScene(
        robot=robot,
        q=q,
        gravity=down,
        touches=touches,
        hands=hands,
        grip_names=grip_names,
        object_weight=np.zeros(6) if thing is None else gravity_wrench(thing.mass, down, thing.com),
        object_com=None if thing is None else np.array(thing.com),
        loads={name: build_load(part) for name, part in document.loads.items()},
        name=document.name or site.source.path.stem,
        description=document.description,
        path=site.source.path,
    )


def _robot(part: RobotPart, site: Site, trust: bool) -> Robot:
    """The robot of the URDF or MJCF."""
    at = None if part.at is None else build_pose(part.at)
    limits = {name: (ends[0], ends[1]) for name, ends in part.limits.items()}
    if part.mjcf is not None:
        if is_uploaded(site.source.path.parent):  # it may include any file
            raise (site / "mjcf").fault("cannot be uploaded", fix="give a URDF, or open it by holdfast view FILE")
        meshes = part.meshes or "optional"
        robot = Robot.from_mjcf(site.file(part.mjcf), base=part.base, at=at, body=part.body, meshes=meshes)
        return robot.with_limits(limits)
    assert part.urdf is not None  # the schema wants one of the two
    packages: Any = (
        {name: site.file(folder) for name, folder in part.packages.items()}
        if isinstance(part.packages, dict)
        else [site.file(folder) for folder in part.packages]
    )
    robot = Robot.from_urdf(
        _urdf(part.urdf, site / "urdf"),
        base=part.base or "floating",
        at=at,
        meshes=part.meshes or "ignored",
        srdf=part.srdf if part.srdf in (None, "auto") else site.file(part.srdf),
        packages=packages or None,
        xacro=part.xacro,
        trust=trust,
        mimic=part.mimic,
    )
    return robot.with_limits(limits)


def _posture(robot: Robot, part: PosturePart) -> Array:
    """The posture: a state, changed by the joints and the base of the file."""
    joints, base = {}, None
    if part.state is not None:
        robot.states[part.state]  # an unknown name is an error
        joints, base = state_parts(robot, part.state)
    if part.base is not None:
        base = build_pose(part.base)
    return robot.configuration(joints | part.joints, base=base if robot.q_base else None)


def _feet(
    document: RobotDocument, robot: Robot, q: Array, gravity: Array, site: Site
) -> tuple[tuple[ContactSite, ...], tuple[Hand, ...]]:
    """(units, hands) at the feet found from the robot's shapes."""
    here = site / "feet"
    part = FeetPart.model_validate({}) if isinstance(document.feet, str) else document.feet
    assert part is not None
    feet = find_feet(robot, q, down=part.down, links=part.links, within=part.within)
    if part.grip is not None:
        shelf = GripShelf(document, site / "grips", gravity, learn=True)  # pyright: ignore[reportArgumentType]
        palms = [hand for foot in feet for hand in foot.hands(None)]
        grips = [shelf.grip(part.grip, hand.pose(robot, q), here / "grip") for hand in palms]
        return (), tuple(hand.with_grip(grip) for hand, grip in zip(palms, grips, strict=True))
    name = part.volume
    if name is None and len(document.volumes) == 1:
        name = next(iter(document.volumes))
    if name is None and (document.volumes or any(foot.friction is None for foot in feet)):
        names = ", ".join(document.volumes) or "none"
        raise here.fault(f"do not define which volume ({names})", fix="give volumes: and feet: {volume: NAME}")
    volumes = Volumes(document.volumes, site / "volumes")
    return tuple(
        foot.site(None if name is None else volumes.force_volume(name, here / "volume", 1.0)) for foot in feet
    ), ()


def _urdf(reference: str, site: Site) -> Path:
    """The file of a reference; "@name" is a ready robot or a well-known one."""
    if not reference.startswith("@"):
        return site.file(reference)
    with site.watch():
        return named_robot(reference)


def _facing(part: Any) -> Array | None:
    """(3, 3) axes in the world, or None."""
    if part is None:
        return None
    return frame_from_normal(part) if isinstance(part, list) else _frame(part)


def _frame(part: Framed) -> Array:
    """(3, 3) frame, columns (u, v, n)."""
    if part.rotation is not None:
        return rotation("rotation", part.rotation)
    assert part.normal is not None  # the schema wants one of the two
    return frame_from_normal(part.normal, part.shear)


def _check_link(name: str, robot: Robot, site: Site) -> None:
    """A link that the robot does not have is a fault of the file."""
    if name not in robot.links:
        unknown = UnknownNameError("link", name, robot.links)
        raise site.fault(unknown.what, fix=unknown.fix)


def _check_name(kind: str, name: str, others: list[str], site: Site) -> None:
    """A name that was given before is a fault of the file."""
    if name in others:
        raise site.fault(f"there are two {kind}s {name!r}", fix=f"give each {kind} a different name")


def _touches(document: RobotDocument, robot: Robot, site: Site) -> tuple[ContactSite, ...]:
    """The units on links."""
    volumes = Volumes(document.volumes, site / "volumes")
    suspensions = Suspensions(document.volumes, site / "volumes")
    made: list[ContactSite] = []
    with site.watch():
        count = sum(1 if part.size is None else cells(part.points) for part in document.touches)
        check_size("contacts", count, MOST_CONTACTS)
    for number, part in enumerate(document.touches):
        with (here := site / "touches" / number).watch():
            suspension = suspensions.of_unit(part, part.volume, here, part.scale)
            touch = replace(_touch(part, volumes, here), suspension=suspension)
            _check_link(part.link, robot, here / "link")
            _check_name("unit", touch.name, [other.name for other in made], here / "name")
            checked_touches(robot, [touch])
            made.append(touch)
    return tuple(made)


def _touch(part: TouchPart, volumes: Volumes, site: Site) -> ContactSite:
    facing = _facing(part.facing)
    pose = Pose(_frame(part) if facing is None else np.eye(3), np.array(part.position))
    volume = volumes.force_volume(part.volume, site / "volume", part.scale)
    if part.size is None:
        return ContactSite(part.link, volume, pose, part.name, facing)
    points = "corners" if isinstance(part.points, str) else (part.points[0], part.points[1])
    patch = Patch.rectangle(Pose.identity(), part.size, volume, points=points, pressure="free", corners=part.corners)
    return ContactSite(part.link, patch, pose, part.name, facing)


def _hands(
    document: RobotDocument, robot: Robot, q: Array, gravity: Array, site: Site
) -> tuple[Array, tuple[Hand, ...]]:
    """(the posture with all palms at their places, the hands with their grips)."""
    bare: list[Hand] = []
    places: dict[str, Pose] = {}
    for number, part in enumerate(document.hands):
        with (here := site / "hands" / number).watch():
            _check_link(part.palm, robot, here / "palm")
            frame = Pose.identity() if part.frame is None else build_pose(part.frame)
            hand = Hand(part.palm, (), None, frame, part.name, _facing(part.facing))
            _check_name("hand", hand.name, [other.name for other in bare], here / "name")
            bare.append(hand)
            if part.at is not None:
                places[hand.name] = Pose(_frame(part.at), np.array(part.at.position))
    if places:
        found = reach(robot, q, bare, places)
        if not found.found:
            what = f"no posture with the palms at their places was found: the error is {found.error:.3g} m"
            raise (site / "posture").fault(what, fix="start with joints closer to it, or move the places closer")
        q = found.q
    shelf = GripShelf(document, site / "grips", gravity, learn=True)  # pyright: ignore[reportArgumentType]
    hands = [
        hand.with_grip(shelf.grip(part.grip, hand.pose(robot, q), site / "hands" / number / "grip"))
        for number, (hand, part) in enumerate(zip(bare, document.hands, strict=True))
    ]
    return q, tuple(hands)


# Robot files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix.


@with_advice()
def load_robot(
    path: str | Path, *, gravity: ArrayLike | None = None, state: str | None = None, trust: bool = False
) -> RobotScene:
    """The robot in a file; an invalid file raises a SceneError. Needs Pinocchio (the extra `robots`).

    Paths in the file, such as that of the URDF, are relative to its folder. Grips for which it requests learning are
    learned here, and the posture is changed so that palms with places in the world are there.

    Args:
        path: the file.
        gravity: (3,) [m/s^2] instead of the file's.
        state: named state of the SRDF or MJCF, in place of the file's posture.
        trust: whether a xacro file that it names, which is a program, may run; by default it is refused.
    """
    return ROBOTS.load(path, gravity=gravity, state=state, trust=trust)


def load_standing(
    path: str | Path,
    *,
    state: str | None = None,
    mu: float | None = None,
    srdf: str | None = None,
    gravity: ArrayLike | None = None,
    trust: bool = False,
) -> RobotScene:
    """A robot on its feet, from only a URDF, xacro or MJCF: the feet are found from its shapes.

    Args:
        path: the URDF (.urdf, .xacro) or MJCF (.xml), or "@name" of a robot.
        state: named state of its SRDF, or key frame; the neutral posture by default.
        mu: coefficient of friction of the feet; that of an MJCF by default.
        srdf: its SRDF; searched beside the URDF by default, if a state is given.
        gravity: (3,) [m/s^2]; downwards by default.
        trust: whether a xacro file, which is a program, may run; by default it is refused.
    """
    check_kind(path, DESCRIPTION.name)
    file = named_robot(str(path)) if str(path).startswith("@") else Path(path)
    if not file.is_file():
        raise FileError("there is no such file", path=str(path), fix="check the path")
    robot: dict[str, Any] = {"mjcf" if file.suffix == ".xml" else "urdf": file.name}
    if "urdf" in robot and (state is not None or srdf is not None):
        robot["srdf"] = "auto" if srdf is None else str(Path(srdf).absolute())
    data: dict[str, Any] = {"holdfast": ROBOT_VERSION, "robot": robot, "posture": {"state": state}, "feet": "auto"}
    if mu is not None:
        data["volumes"] = {"feet": {"model": "coulomb", "mu": mu}}
    elif "urdf" in robot:
        raise FileError("does not define friction", path=str(path), fix="give it: --mu 0.6")
    source = YamlSource(file, data)
    try:
        document = RobotDocument.model_validate(data)
    except ValidationError as error:
        raise faults(error, source, RobotDocument)[0] from None
    return build_robot(document, Site(source), gravity=gravity, trust=trust)


#: How robot files are read.
ROBOTS = FileFormat("robot", RobotDocument, build_robot, version=ROBOT_VERSION)
