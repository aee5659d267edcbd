"""Reading a URDF: its tree of links and joints, checked, with what Pinocchio does not keep (friction, shapes)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..assembly import Joint
from ..errors import FileError, InputError, UnknownNameError
from .numbers import numbers_of
from .shapes import RobotWarning, Shape, check_meshes, pose_of, shapes_of

#: Kinds of joints that have one coordinate, and the one that has none.
MOVING = ("revolute", "continuous", "prismatic")
KINDS = (*MOVING, "fixed")

#: Bounds written in place of none [rad]: a joint that turns for ever keeps one coordinate, its angle.
ENDLESS = 1e9


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
    """

    name: str
    kind: str
    parent: str
    child: str
    lower: float
    upper: float
    strength: Joint


@dataclass(frozen=True, eq=False)
class Description:
    """What a URDF says, checked to be one tree.

    Attributes:
        name: of the robot.
        text: XML without shapes, every endless joint bounded far away, for the kinematics.
        root: the link that hangs on no other.
        links: names of the links, in the order of the file.
        joints: by name.
        shapes: what the links look like.
        masses: mass of every link that has one [kg].
    """

    name: str
    text: str
    root: str
    links: tuple[str, ...]
    joints: dict[str, UrdfJoint]
    shapes: tuple[Shape, ...]
    masses: dict[str, float]


def read_urdf(source: str | PathLike[str], meshes: str = "optional") -> Description:
    """The description in a file, or in a text that begins with "<"."""
    if not isinstance(source, (str, PathLike)) or not str(source).strip():
        what = "is empty" if isinstance(source, str) else f"is a {type(source).__name__}"
        raise InputError(what, where="source", fix="give the path of a URDF, or its text")
    inline = isinstance(source, str) and source.lstrip().startswith("<")
    path = "URDF text" if inline else str(source)
    if inline:
        text, home = str(source), None
    else:
        file = Path(source)
        try:
            text, home = file.read_text(encoding="utf-8"), file.parent
        except (OSError, UnicodeDecodeError) as error:
            what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise FileError(f"cannot be read: {what}", path=path, fix="give the path or the text of a URDF") from None
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise FileError(f"is no XML: {error}", path=path, line=line, fix="mend the XML there") from None
    if root.tag != "robot":
        raise FileError(f"begins with <{root.tag}>", path=path, fix="a URDF begins with <robot name=...>")
    try:
        found = _description(root)
    except InputError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None
    check_meshes(found.shapes, meshes, home, path)
    _warn_of_massless(found, path)
    followers = [joint.get("name", "") for joint in root.findall("joint") if joint.find("mimic") is not None]
    if followers:
        message = f"{path}: joints that mimic another count as driven by themselves: {', '.join(followers)}"
        warnings.warn(RobotWarning(message, followers), stacklevel=3)
    return found


def _description(root: ElementTree.Element) -> Description:
    """The tree of links and joints of <robot>."""
    links: dict[str, ElementTree.Element] = {}
    for element in root.findall("link"):
        name = element.get("name", "")
        if not name or name in links:
            what = f"the name {name!r} is given twice" if name else "has no name"
            raise InputError(what, where="link", fix="give every link a name of its own")
        links[name] = element
    if not links:
        raise InputError("has no links", where="robot", fix="give at least one <link>")
    joints: dict[str, UrdfJoint] = {}
    for element in root.findall("joint"):
        joint = _joint(element, links)
        if joint.name in joints:
            what = f"the name {joint.name!r} is given twice"
            raise InputError(what, where="joint", fix="give every joint a name of its own")
        joints[joint.name] = joint
    base = _root_of(links, joints)
    masses = {name: mass for name, link in links.items() if (mass := _mass(link, name)) > 0.0}
    if not masses:
        fix = "give the links an <inertial> with <mass>: weight and centre of mass come from it"
        raise InputError("no link has a mass", where="inertial", fix=fix)
    shapes = tuple(shape for name, link in links.items() for shape in shapes_of(link, name))
    for link in links.values():
        for part in (*link.findall("visual"), *link.findall("collision")):
            link.remove(part)
    name = root.get("name", "") or "robot"
    root.set("name", name)
    return Description(name, ElementTree.tostring(root, encoding="unicode"), base, tuple(links), joints, shapes, masses)


def _joint(element: ElementTree.Element, links: dict[str, ElementTree.Element]) -> UrdfJoint:
    """A <joint>, checked; one without limits is given some far away, in place."""
    name, kind = element.get("name", ""), element.get("type", "")
    where = f"joint {name!r}"
    if not name:
        raise InputError("has no name", where="joint", fix="give every joint a name of its own")
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
    """(lower, upper, strength) of a joint; endless ones get bounds far away in the XML."""
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
    """The one link that no joint moves; each of the others hangs on it by exactly one chain of joints."""
    parents: dict[str, str] = {}
    for joint in joints.values():
        if joint.child in parents:
            what = f"link {joint.child!r} is the child of two joints"
            raise InputError(what, where=f"joint {joint.name!r}", fix="a URDF is a tree: each link has one parent")
        parents[joint.child] = joint.parent
    roots = [name for name in links if name not in parents]
    if len(roots) != 1:
        what = f"has {len(roots)} links without a parent" + (f": {', '.join(roots)}" if roots else "")
        raise InputError(what, where="robot", fix="join all links to one base")
    reached, frontier = {roots[0]}, [roots[0]]
    while frontier:
        here = frontier.pop()
        beyond = [child for child, parent in parents.items() if parent == here]
        reached.update(beyond)
        frontier += beyond
    lost = [name for name in links if name not in reached]
    if lost:
        raise InputError(f"links {', '.join(lost)} go round in a ring", where="robot", fix="a URDF is a tree")
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
    for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"):  # at rest only mass and centre of mass count
        inertia.set(entry, repr(numbers_of(inertia, entry, 1, where, default=(0.0,))[0]))
    return value


def _warn_of_massless(found: Description, path: str) -> None:
    """One warning of the links that have a shape and a joint of their own, but no mass."""
    shaped = {shape.link for shape in found.shapes}
    moved = {joint.child for joint in found.joints.values() if joint.kind in MOVING}
    bare = [name for name in found.links if name in shaped and name in moved and name not in found.masses]
    if bare:
        message = f"{path}: links without <inertial> weigh nothing: {', '.join(bare)}"
        warnings.warn(RobotWarning(message, bare), stacklevel=3)
