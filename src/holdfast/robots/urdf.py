"""Numbers in the attributes of a URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, distribution
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

import numpy as np

from .. import checks
from ..assembly import Joint
from ..checks import Array, check_size
from ..errors import FileError, InputError, UnknownNameError, warn_caller
from ..files.meshes import MESH_ENDINGS
from ..geometry.frames import Pose, rotation_about
from ..inputs import checked_path, file_text, parsed_xml
from ..public_names import with_advice
from .expansion import expand_xacro, is_xacro
from .packages import FileFinder, Packages

if TYPE_CHECKING:
    from .srdf import Semantics


def numbers_of(
    element: ElementTree.Element, name: str, count: int, where: str, *, default: Sequence[float] | None = None
) -> list[float]:
    """The `count` finite numbers of an attribute; `default` where there is none, an InputError without a default."""
    text = element.get(name)
    if text is None and default is not None:
        return [float(x) for x in default]
    try:
        values = [float(part) for part in (text or "").split()]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        wanted = "one number" if count == 1 else f"{count} numbers"
        raise InputError(f"<{element.tag} {name}> is {text!r}", where=where, fix=f"give {wanted}")
    return values


# Shapes of a robot: boxes, cylinders, spheres and meshes on its links, for drawing; forces do not need them.

#: Folder of the URDF files that come with Holdfast.
READY_ROBOTS = Path(__file__).parents[1] / "data" / "robots"

#: Package with the URDF files of well-known robots, and their folder in it.
KNOWN_PACKAGE, KNOWN_FOLDER = "example-robot-data", "cmeel.prefix/share/example-robot-data"

#: Treatment of meshes: one warning for missing ones, an error, or no search.
Meshes = Literal["optional", "required", "ignored"]


class RobotWarning(UserWarning):
    """Something in a robot file is ignored.

    Attributes:
        items: the ignored items.
    """

    def __init__(self, message: str, items: Sequence[str] = ()) -> None:
        self.items = tuple(items)
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class LinkShape:
    """A simple body fixed to a link, for drawing.

    Attributes:
        link: name of the link.
        kind: "box", "cylinder" (along z), "sphere" or "mesh".
        size: (3,) lengths of a box, (radius, length, 0) of a cylinder, (radius, 0, 0) of a sphere [m]; scale of a mesh.
        pose: in the link's frame.
        role: "visual" or "collision".
        mesh: file name as the URDF has it; "" for the others.
        vertices: (n, 3) of a mesh that came with its model, in the shape's own frame [m]; None: they are in the file.
        friction: coefficient of sliding friction that the file gives it; None for none, as in a URDF.
    """

    link: str
    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: Array
    pose: Pose
    role: Literal["visual", "collision"] = "visual"
    mesh: str = ""
    vertices: Array | None = None
    friction: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.vector("size", self.size, 3))


def pose_of(element: ElementTree.Element | None, where: str) -> Pose:
    """The pose of an <origin xyz="x y z" rpy="roll pitch yaw"> [m, rad]; the identity without one."""
    if element is None:
        return Pose.identity()
    roll, pitch, yaw = numbers_of(element, "rpy", 3, where, default=(0.0, 0.0, 0.0))
    turn = rotation_about((0, 0, 1), yaw) @ rotation_about((0, 1, 0), pitch) @ rotation_about((1, 0, 0), roll)
    return Pose(turn, np.array(numbers_of(element, "xyz", 3, where, default=(0.0, 0.0, 0.0))))


def shapes_of(link: ElementTree.Element, name: str) -> tuple[list[LinkShape], list[InputError]]:
    """(the visual and collision shapes of a <link>, errors of those that cannot be read)."""
    found, faults = [], []
    for role in ("visual", "collision"):
        for part in link.findall(role):
            try:
                found += _shapes_of_part(part, name, role)
            except InputError as error:
                faults.append(error)
    return found, faults


def _shapes_of_part(part: ElementTree.Element, name: str, role: Literal["visual", "collision"]) -> list[LinkShape]:
    """The shapes of one <visual> or <collision>."""
    found, where = [], f"link {name!r}, {role}"
    pose, geometry = pose_of(part.find("origin"), where), part.find("geometry")
    for shape in [] if geometry is None else list(geometry):
        size, mesh = np.zeros(3), ""
        if shape.tag == "box":
            size = numbers_of(shape, "size", 3, where)
        elif shape.tag == "cylinder":
            size = [*numbers_of(shape, "radius", 1, where), *numbers_of(shape, "length", 1, where), 0.0]
        elif shape.tag == "sphere":
            size = [*numbers_of(shape, "radius", 1, where), 0.0, 0.0]
        elif shape.tag == "mesh":
            size = numbers_of(shape, "scale", 3, where, default=(1.0, 1.0, 1.0))
            mesh = shape.get("filename", "")
        else:
            continue
        found.append(LinkShape(name, shape.tag, np.array(size), pose, role, mesh))
    return found


def check_shapes(faults: Sequence[InputError], meshes: str, path: str) -> None:
    """Warn once of the shapes that cannot be read; an error if meshes are required, nothing if ignored."""
    if not faults or meshes == "ignored":
        return
    if meshes == "required":
        first = faults[0]
        raise FileError(first.what, path=path, field=first.where, fix=first.fix)
    said = [str(fault) for fault in faults]
    message = f"{path}: shapes that cannot be read are left out of pictures ({len(faults)}): {_first(said, '; ')}"
    warn_caller(RobotWarning(message, said))


def _first(items: Sequence[str], joint: str = ", ", most: int = 3) -> str:
    """The first items, and "..." for more."""
    return joint.join([*items[:most], *(["..."] if len(items) > most else [])])


def check_meshes(shapes: Sequence[LinkShape], meshes: str, finder: FileFinder, path: str) -> None:
    """Warn once of all meshes that are missing or of an unknown format; an error if they are required.

    Args:
        shapes: shapes of the robot.
        meshes: treatment of missing meshes.
        finder: searches the files.
        path: name of the robot's file in errors.
    """
    if meshes not in ("optional", "required", "ignored"):
        raise UnknownNameError("treatment of meshes", str(meshes), ("optional", "required", "ignored"), where="meshes")
    names = dict.fromkeys(shape.mesh for shape in shapes if shape.kind == "mesh" and shape.vertices is None)
    if meshes == "ignored" or not names:
        return
    faults = [fault for name in names if (fault := _fault(name, finder))]
    if not faults:
        return
    searched = finder.searched([name for name in names if finder.find(name) is None])
    if meshes == "required":
        raise FileError(
            f"{len(faults)} of {len(names)} meshes are not available: {faults[0]}{searched}",
            path=path,
            field="mesh",
            fix='put the file there, give packages=, or give meshes="optional": forces do not need it',
        )
    listed = _first(faults, "; ")
    message = f"{path}: {len(faults)} of {len(names)} meshes are left out of pictures: {listed}{searched}"
    warn_caller(RobotWarning(message, faults))


def _fault(name: str, finder: FileFinder) -> str:
    """The error of a mesh file as text; "" for none."""
    ending = Path(name).suffix.lower()
    if ending not in MESH_ENDINGS:
        return f"{name!r} has an unknown format (known: {', '.join(MESH_ENDINGS)})"
    return "" if finder.find(name) is not None else f"{name!r} was not found"


# Robots by name: those that come with Holdfast, and the well-known ones of an optional package.


def robot_files() -> dict[str, Path]:
    """URDF files by name: those of Holdfast, then those of `example-robot-data` where it is installed.

    The name is that of the file, without suffix; if several files have the same name, that of their folder, without
    "_description": "anymal_c_simple".
    """
    found = sorted(READY_ROBOTS.glob("*.urdf"))
    folder = _known_folder()
    known = [] if folder is None else sorted((folder / "robots").glob("*/*/*.urdf"))
    stems = [path.stem for path in found + known]
    names = [path.stem if stems.count(path.stem) == 1 else path.parents[1].name for path in known]
    return {path.stem: path for path in found} | {
        name.removesuffix("_description"): path for name, path in zip(names, known, strict=True)
    }


def _known_folder() -> Path | None:
    """Folder of the package `example-robot-data`: as pip installs it, or as ROS finds it; None where there is none."""
    try:
        folder = Path(str(distribution(KNOWN_PACKAGE).locate_file(KNOWN_FOLDER)))
    except PackageNotFoundError:
        return FileFinder().package(KNOWN_PACKAGE)
    return folder if folder.is_dir() else None


def named_robot(reference: str) -> Path:
    """The URDF file of "@name"."""
    files = robot_files()
    name = reference.removeprefix("@")
    if name not in files:
        unknown = UnknownNameError("robot", reference, [f"@{known}" for known in files])
        if _known_folder() is None:
            more = f'{KNOWN_PACKAGE} has well-known robots: pip install "holdfast[known-robots]"'
            raise InputError(unknown.what, fix=f"{unknown.fix}; {more}")
        raise unknown
    return files[name]


# Reading a URDF: its tree of links and joints, checked, with data that Pinocchio does not keep (friction, shapes).

#: Kinds of joints that have one coordinate, and the one that has none.
MOVING = ("revolute", "continuous", "prismatic")
KINDS = (*MOVING, "fixed")

#: Bounds instead of none [rad]: a continuous joint keeps one coordinate, its angle.
ENDLESS = 1e9


#: Most of each in a robot. Pinocchio's memory grows with the cube of the joints, to 1 GB for 256, and it calls itself
#: along a chain, until it has no stack and ends the process.
MOST = {"links": 2000, "joints that move": 256, "links in one chain": 500, "shapes": 10_000, "key frames": 10_000}


def check_counts(counts: Mapping[str, int]) -> None:
    """An InputError where a robot has more of something than can be computed, by the names in `MOST`."""
    for what, count in counts.items():
        check_size(what, count, MOST[what])


#: Treatment of <mimic>: couple the joint to the one that it follows, or give it its own motor.
MimicJoints = Literal["coupled", "independent"]


@with_advice()
@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: coordinate = multiplier * coordinate of the driving joint + offset.

    Attributes:
        joint: the driving joint; it follows no other.
        multiplier: never 0 [1, m/rad, rad/m].
        offset: [rad, m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        checks.text("joint", self.joint)
        checks.number("offset", self.offset)
        if checks.number("multiplier", self.multiplier) == 0.0:
            raise InputError("is 0", where="multiplier", fix="give any other number, or make the joint fixed")


@dataclass(frozen=True)
class UrdfJoint:
    """A joint of the file.

    Attributes:
        name: its name.
        kind: "revolute", "continuous", "prismatic" or "fixed".
        parent: the link that carries it.
        child: the link that it moves.
        lower: least coordinate [rad, m]; -inf for none.
        upper: largest coordinate; inf for none.
        strength: actuator limits and friction; no <limit effort> means no limit.
        mimic: the joint that it follows, through all joints between; None for a joint of the posture.
    """

    name: str
    kind: str
    parent: str
    child: str
    lower: float
    upper: float
    strength: Joint
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """Contents of a URDF, checked to be one tree.

    Attributes:
        name: name of the robot.
        text: XML without shapes, with distant bounds for continuous joints, for the kinematics.
        root: the link without a parent.
        links: names of the links, in the order of the file.
        joints: joints by name.
        shapes: shapes of the links.
        masses: mass of every link that has one [kg].
        finder: searches the meshes' files.
        semantics: named postures, groups and end effectors, of an SRDF or of a model's key frames; None for none.
        adhesion: largest pull of each link whose surface is adhesive [N].
    """

    name: str
    text: str
    root: str
    links: tuple[str, ...]
    joints: dict[str, UrdfJoint]
    shapes: tuple[LinkShape, ...]
    masses: dict[str, float]
    finder: FileFinder = field(default_factory=FileFinder)
    semantics: Semantics | None = None
    adhesion: Mapping[str, float] = field(default_factory=dict)


def read_urdf(
    source: str | PathLike[str],
    meshes: str = "optional",
    mimic: str = "coupled",
    *,
    packages: Packages | None = None,
    xacro: Mapping[str, Any] | None = None,
    trust: bool = False,
) -> Description:
    """The description in a file, or in a text that begins with "<"; a xacro is expanded if `trust` says so."""
    if mimic not in ("coupled", "independent"):
        raise UnknownNameError("treatment of <mimic>", str(mimic), ("coupled", "independent"), where="mimic")
    if not isinstance(source, (str, PathLike)) or not str(source).strip():
        what = "is empty" if isinstance(source, str) else f"is a {type(source).__name__}"
        raise InputError(what, where="source", fix="give the path of a URDF, or its text")
    inline = isinstance(source, str) and source.lstrip().startswith("<")
    path = "URDF text" if inline else str(source)
    if inline:
        text, home = str(source), None
    else:
        text, home = file_text(source), checked_path(source).parent
    finder = FileFinder.of(home, packages)
    root = parsed_xml(text, path)
    if is_xacro(root):
        root = parsed_xml(expand_xacro(text, path, finder, xacro, trust=trust), path)
    if root.tag != "robot":
        fix = "a URDF begins with <robot name=...>"
        if root.tag == "mujoco":
            fix = "it is MJCF: use Robot.from_mjcf, or as mjcf: in a robot file"
        raise FileError(f"begins with <{root.tag}>", path=path, fix=fix)
    followers = [joint for joint in root.findall("joint") if joint.find("mimic") is not None]
    try:
        found, faults = _description(root, coupled=mimic == "coupled")
        found = replace(found, finder=finder)
    except InputError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None
    check_meshes(found.shapes, meshes, finder, path)
    check_shapes(faults, meshes, path)
    _warn_of_massless(found, path)
    if mimic == "independent":
        alone = [joint.get("name", "") for joint in followers if joint.get("type") != "fixed"]
        _warn("joints that mimic another count as independently driven", alone, path)
    _warn_of_unlimited(found, path)
    return found


def _description(root: ElementTree.Element, *, coupled: bool) -> tuple[Description, list[InputError]]:
    """The tree of links and joints of <robot>, and the errors of its shapes."""
    _without_floating(root)
    links: dict[str, ElementTree.Element] = {}
    for element in root.findall("link"):
        name = element.get("name", "")
        if not name or name in links:
            what = f"the name {name!r} is given twice" if name else "has no name"
            raise InputError(what, where="link", fix="give every link a different name")
        links[name] = element
    if not links:
        raise InputError("has no links", where="robot", fix="give at least one <link>")
    moving = sum(joint.get("type") in MOVING for joint in root.findall("joint"))
    shapes = sum(len(link.findall("visual")) + len(link.findall("collision")) for link in links.values())
    check_counts({"links": len(links), "joints that move": moving, "shapes": shapes})
    joints: dict[str, UrdfJoint] = {}
    for element in root.findall("joint"):
        joint = _joint(element, links)
        if joint.name in joints:
            what = f"the name {joint.name!r} is given twice"
            raise InputError(what, where="joint", fix="give every joint a different name")
        joints[joint.name] = joint
    joints = _coupled(root, joints, coupled=coupled)
    base = _root_of(links, joints)
    masses = {name: mass for name, link in links.items() if (mass := _mass(link, name)) > 0.0}
    if not masses:
        fix = "give the links an <inertial> with <mass>: weight and centre of mass come from it"
        raise InputError("no link has a mass", where="inertial", fix=fix)
    read = [shapes_of(link, name) for name, link in links.items()]
    shapes = tuple(shape for found, _ in read for shape in found)
    for link in links.values():
        for part in (*link.findall("visual"), *link.findall("collision")):
            link.remove(part)
    name = root.get("name", "") or "robot"
    root.set("name", name)
    text = ElementTree.tostring(root, encoding="unicode")
    found = Description(name, text, base, tuple(links), joints, shapes, masses)
    return found, [fault for _, faults in read for fault in faults]


def _without_floating(root: ElementTree.Element) -> None:
    """Remove a floating joint at the root from <robot>, in place: the link before it is the world.

    The base pose of the robot replaces the joint, so that its <origin> is ignored.
    """
    floating = [joint for joint in root.findall("joint") if joint.get("type") == "floating"]
    if not floating:
        return
    joint, where = floating[0], f"joint {floating[0].get('name', '')!r}"
    ends = {tag: "" if (end := joint.find(tag)) is None else end.get("link", "") for tag in ("parent", "child")}
    links = {link.get("name", ""): link for link in root.findall("link")}
    for tag, end in ends.items():
        if end not in links:
            raise UnknownNameError("link", end, links, where=f"{where}, {tag}")
    name = ends["parent"]
    carried = [
        other.get("name", "")
        for other in root.findall("joint")
        if other is not joint
        and any(end.get("link") == name for end in (*other.findall("parent"), *other.findall("child")))
    ]
    if carried or len(floating) > 1 or _mass(links[name], name) > 0.0:
        more = [str(other.get("name")) for other in floating[1:]]
        why = f"joint {carried[0]!r} is on it" if carried else f"{more[0]!r} floats too" if more else "it has a mass"
        raise InputError(
            f"floats, and the link {name!r} before it is not only the world: {why}",
            where=where,
            fix="only the whole robot may float: one floating joint, from a root link without mass and other joints",
        )
    root.remove(joint)
    root.remove(links[name])


def _coupled(root: ElementTree.Element, joints: dict[str, UrdfJoint], *, coupled: bool) -> dict[str, UrdfJoint]:
    """The joints with those that they follow; <mimic> is removed from the XML, in place.

    A fixed joint has no coordinate and follows nothing.
    """
    said: dict[str, Mimic] = {}
    for element in root.findall("joint"):
        name, mimic = element.get("name", ""), element.find("mimic")
        if mimic is None:
            continue
        element.remove(mimic)
        if joints[name].kind in MOVING and coupled:
            said[name] = _mimic(mimic, name, joints)
    return {name: replace(joint, mimic=_driven(name, said)) for name, joint in joints.items()}


def _mimic(element: ElementTree.Element, name: str, joints: dict[str, UrdfJoint]) -> Mimic:
    """A <mimic>, checked: the joint that `name` follows directly."""
    where, driver = f"joint {name!r}, mimic", element.get("joint", "")
    otherwise = 'or read the file with mimic="independent": each joint then has its own motor'
    if driver not in joints:
        unknown = UnknownNameError("joint", driver, joints)
        raise InputError(unknown.what, where=where, fix=f"{unknown.fix}; {otherwise}")
    if driver == name:
        raise InputError("follows itself", where=where, fix=f"give another joint, {otherwise}")
    if joints[driver].kind not in MOVING:
        fix = f"give a joint that moves, or make {name!r} fixed too"
        raise InputError(f"follows {driver!r}, which is fixed", where=where, fix=fix)
    multiplier = numbers_of(element, "multiplier", 1, where, default=(1.0,))[0]
    if multiplier == 0.0:
        fix = f"give any other number, or make {name!r} fixed: a multiplier of 0 never moves it"
        raise InputError("<mimic multiplier> is 0", where=where, fix=fix)
    return Mimic(driver, multiplier, numbers_of(element, "offset", 1, where, default=(0.0,))[0])


def _driven(name: str, said: dict[str, Mimic]) -> Mimic | None:
    """The driving joint in the end, where each joint follows `said`; None for one that follows no other."""
    if name not in said:
        return None
    passed, here = [name], said[name]
    while here.joint in said:
        if here.joint in passed:
            ring = " -> ".join([*passed[passed.index(here.joint) :], here.joint])
            raise InputError(f"joints follow each other in a cycle: {ring}", where="mimic", fix="let one of them drive")
        passed.append(here.joint)
        further = said[here.joint]  # m (m' u + o') + o
        here = Mimic(
            further.joint, here.multiplier * further.multiplier, here.multiplier * further.offset + here.offset
        )
    return here


def _joint(element: ElementTree.Element, links: dict[str, ElementTree.Element]) -> UrdfJoint:
    """A <joint>, checked; one without limits gets distant ones, in place."""
    name, kind = element.get("name", ""), element.get("type", "")
    where = f"joint {name!r}"
    if not name:
        raise InputError("has no name", where="joint", fix="give every joint a name")
    if kind not in KINDS:
        raise UnknownNameError("type of joint", kind, KINDS, where=where)
    ends = []
    for tag in ("parent", "child"):
        end = element.find(tag)
        link = "" if end is None else end.get("link", "")
        if link not in links:
            raise UnknownNameError("link", link, links, where=f"{where}, {tag}")
        ends.append(link)
    pose_of(element.find("origin"), where)
    axis = element.find("axis")
    if axis is not None and kind != "fixed" and not np.any(numbers_of(axis, "xyz", 3, where, default=(1, 0, 0))):
        raise InputError("its axis is the zero vector", where=where, fix="give any other direction")
    lower, upper, strength = _limits(element, name, kind)
    return UrdfJoint(name, kind, ends[0], ends[1], lower, upper, strength)


def _limits(element: ElementTree.Element, name: str, kind: str) -> tuple[float, float, Joint]:
    """(lower, upper, strength) of a joint; unlimited ones get distant bounds in the XML."""
    where, limit, dynamics = f"joint {name!r}", element.find("limit"), element.find("dynamics")
    friction = 0.0 if dynamics is None else numbers_of(dynamics, "friction", 1, where, default=(0.0,))[0]
    if friction < 0.0:
        raise InputError(f"friction is {friction:g}", where=where, fix="give a number of at least 0")
    if kind == "fixed":
        return 0.0, 0.0, Joint(name)
    if limit is None:
        limit = ElementTree.SubElement(element, "limit")
    effort = np.inf if limit.get("effort") is None else numbers_of(limit, "effort", 1, where)[0]
    if effort < 0.0:
        raise InputError(f"effort is {effort:g}", where=where, fix="give the largest torque, at least 0")
    bounded = kind != "continuous" and (limit.get("lower") is not None or limit.get("upper") is not None)
    lower = numbers_of(limit, "lower", 1, where, default=(0.0,))[0] if bounded else -np.inf
    upper = numbers_of(limit, "upper", 1, where, default=(0.0,))[0] if bounded else np.inf
    if lower > upper:
        raise InputError(f"lower {lower:g} is above upper {upper:g}", where=where, fix="exchange the two limits")
    if kind == "continuous":
        element.set("type", "revolute")
    if not bounded:
        limit.set("lower", str(-ENDLESS))
        limit.set("upper", str(ENDLESS))
    limit.set("effort", limit.get("effort", "0"))
    limit.set("velocity", limit.get("velocity", "0"))
    return lower, upper, Joint(name, -effort, effort, friction=friction)


def _root_of(links: dict[str, ElementTree.Element], joints: dict[str, UrdfJoint]) -> str:
    """The one link that no joint moves; all others are connected to it by exactly one chain of joints."""
    parents: dict[str, str] = {}
    for joint in joints.values():
        if joint.child in parents:
            what = f"link {joint.child!r} is the child of two joints"
            raise InputError(what, where=f"joint {joint.name!r}", fix="a URDF is a tree: each link has one parent")
        parents[joint.child] = joint.parent
    roots = [name for name in links if name not in parents]
    if len(roots) != 1:
        what = f"has {len(roots)} links without a parent" + (f": {', '.join(roots)}" if roots else "")
        raise InputError(what, where="robot", fix="connect all links to one base")
    reached, frontier = {roots[0]: 1}, [roots[0]]  # links, and how many there are up to each
    while frontier:
        here = frontier.pop()
        beyond = [child for child, parent in parents.items() if parent == here]
        reached |= dict.fromkeys(beyond, reached[here] + 1)
        frontier += beyond
    check_counts({"links in one chain": max(reached.values())})
    lost = [name for name in links if name not in reached]
    if lost:
        raise InputError(f"links {', '.join(lost)} form a cycle", where="robot", fix="a URDF is a tree")
    return roots[0]


def _mass(link: ElementTree.Element, name: str) -> float:
    """Mass of a <link> [kg]; 0 without <inertial>."""
    inertial, where = link.find("inertial"), f"link {name!r}, inertial"
    if inertial is None:
        return 0.0
    pose_of(inertial.find("origin"), where)
    mass = inertial.find("mass")
    if mass is None:
        raise InputError("has no <mass>", where=where, fix='give <mass value="..."/> [kg]')
    value = numbers_of(mass, "value", 1, where)[0]
    if value < 0.0:
        raise InputError(f"mass is {value:g} kg", where=where, fix="give a mass of at least 0")
    inertia = inertial.find("inertia")
    if inertia is None:
        inertia = ElementTree.SubElement(inertial, "inertia")
    for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"):  # at rest only mass and centre of mass matter
        inertia.set(entry, repr(numbers_of(inertia, entry, 1, where, default=(0.0,))[0]))
    return value


def _warn_of_massless(found: Description, path: str) -> None:
    """One warning for the links that have a shape and a joint, but no mass."""
    shaped = {shape.link for shape in found.shapes}
    moved = {joint.child for joint in found.joints.values() if joint.kind in MOVING}
    bare = [name for name in found.links if name in shaped and name in moved and name not in found.masses]
    _warn("links without <inertial> have no weight", bare, path)


def _warn_of_unlimited(found: Description, path: str) -> None:
    """One warning for the joints with their own motor without <limit effort>."""
    driving = [joint for joint in found.joints.values() if joint.kind in MOVING and joint.mimic is None]
    strong = [joint.name for joint in driving if np.isinf(joint.strength.torque_max)]
    _warn("joints without <limit effort> count as infinitely strong", strong, path)


def _warn(what: str, items: Sequence[str], path: str) -> None:
    """One RobotWarning for all items, if there are any, at the line that reads the robot."""
    if items:
        warn_caller(RobotWarning(f"{path}: {what}: {', '.join(items)}", items))
