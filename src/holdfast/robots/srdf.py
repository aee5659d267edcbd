"""SRDF: named postures, groups of joints and end effectors of a robot, in a file beside its URDF.

A state may define only some joints: the others are neutral. The base of a floating robot is the coordinate of a virtual
joint: (x y z, quaternion x y z w) of a floating one, (x, y, angle) of a planar one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from xml.etree import ElementTree

import numpy as np

from ..checks import Array
from ..errors import FileError, InputError, UnknownNameError, warn_caller
from ..geometry.frames import Pose, rotation_about, rotation_of
from ..inputs import checked_path, file_text, is_file, parsed_xml
from .urdf import RobotWarning

if TYPE_CHECKING:
    from .robot import Robot

#: Pinocchio's name of the joint of a floating base; states may use it without declaring it.
ROOT_JOINT = "root_joint"

#: Number of coordinates of each kind of virtual joint.
VIRTUAL = {"floating": 7, "planar": 3, "fixed": 0}

#: Tolerance of the length of a quaternion in a file, which has few digits.
ROUNDED_QUATERNION = 1e-3

#: Folders beside a URDF, or beside its folder, in which its SRDF may be.
SRDF_FOLDERS = (".", "srdf", "config", "../srdf", "../config")


@dataclass(frozen=True)
class JointGroup:
    """Joints of a robot that belong together.

    Attributes:
        name: of the group.
        joints: names of the joints that move, in the order of the posture.
        links: names of the links that they move, and of those that were named.
    """

    name: str
    joints: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True)
class EndEffector:
    """A hand or foot.

    Attributes:
        name: of the end effector.
        link: the link of the robot that carries it.
        group: name of the group of its own joints; "" for none.
    """

    name: str
    link: str
    group: str = ""


@dataclass(frozen=True)
class Semantics:
    """Contents of an SRDF; names are looked up in the robot when they are used.

    Attributes:
        path: the file, for messages.
        states: coordinates of joints by state: one number each, more for virtual joints.
        groups: for each group its parts: ("joint", name), ("link", name), ("group", name), ("chain", first, last).
        end_effectors: by name.
        virtual: kind of each virtual joint: "floating", "planar" or "fixed".
    """

    path: str
    states: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    groups: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    end_effectors: Mapping[str, EndEffector] = field(default_factory=dict)
    virtual: Mapping[str, str] = field(default_factory=dict)


# -- reading ----------------------------------------------------------------------------------------


def find_srdf(urdf: str | PathLike[str], name: str) -> Path:
    """The SRDF of a URDF: with the name of the file or the robot, in its folder or in srdf/ or config/ beside it.

    If no name fits, the only SRDF in these folders. A FileError lists the searched folders.
    """
    file = checked_path(urdf)
    folders = [file.parent / folder for folder in SRDF_FOLDERS]
    for folder in folders:
        for stem in (file.stem.split(".")[0], name):
            if is_file(place := folder / f"{stem}.srdf"):
                return Path(os.path.normpath(place))
    found = {place.resolve(): place for folder in folders for place in sorted(folder.glob("*.srdf"))}
    if len(found) == 1:
        return Path(os.path.normpath(next(iter(found.values()))))
    what = f"has several SRDFs: {', '.join(p.name for p in found)}" if found else f"has no SRDF in {_listed(folders)}"
    raise FileError(what, path=str(file), fix="give its path: srdf=...")


def _listed(folders: Sequence[Path]) -> str:
    return ", ".join(dict.fromkeys(str(folder.resolve()) for folder in folders))


def read_srdf(source: str | PathLike[str]) -> Semantics:
    """The semantics in a file, or in a text that begins with "<"."""
    inline = isinstance(source, str) and source.lstrip().startswith("<")
    path = "SRDF text" if inline else str(source)
    text = str(source) if inline else file_text(source)
    root = parsed_xml(text, path)
    if root.tag != "robot":
        raise FileError(f"begins with <{root.tag}>", path=path, fix="an SRDF begins with <robot name=...>")
    if root.find("link") is not None and root.find("group_state") is None:
        raise FileError("has links: it is a URDF", path=path, fix="give the SRDF, with its <group_state> elements")
    try:
        return _semantics(root, path)
    except InputError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None


def _semantics(root: ElementTree.Element, path: str) -> Semantics:
    virtual = {}
    for element in root.findall("virtual_joint"):
        name, kind = _attribute(element, "name"), _attribute(element, "type")
        if kind not in VIRTUAL:
            raise UnknownNameError("type of virtual joint", kind, VIRTUAL, where=f"virtual_joint {name!r}")
        virtual[name] = kind
    groups: dict[str, tuple[tuple[str, ...], ...]] = {}
    for element in root.findall("group"):
        parts = [(part.tag, _attribute(part, "name")) for part in element if part.tag in ("joint", "link", "group")]
        chains = [("chain", _attribute(p, "base_link"), _attribute(p, "tip_link")) for p in element.findall("chain")]
        groups[_attribute(element, "name")] = (*parts, *chains)
    effectors = {}
    for element in root.findall("end_effector"):
        name = _attribute(element, "name")
        effectors[name] = EndEffector(name, _attribute(element, "parent_link"), element.get("group", ""))
    return Semantics(path, _states(root), groups, effectors, virtual)


def _states(root: ElementTree.Element) -> dict[str, dict[str, tuple[float, ...]]]:
    """States by name. If groups share one, "group/name" is that of each, and "name" is all of them if they agree."""
    by_name: dict[str, dict[str, dict[str, tuple[float, ...]]]] = {}
    for element in root.findall("group_state"):
        name, group = _attribute(element, "name"), element.get("group", "")
        own = by_name.setdefault(name, {})
        if group in own:
            what = f"the state {name!r} is given twice" + (f" for group {group!r}" if group else "")
            raise InputError(what, where="group_state", fix="give every state of a group a different name")
        own[group] = {
            (joint := _attribute(part, "name")): _numbers(part, f"group_state {name!r}, joint {joint!r}")
            for part in element.findall("joint")
        }
    states: dict[str, dict[str, tuple[float, ...]]] = {}
    for name, groups in by_name.items():
        merged: dict[str, tuple[float, ...]] = {}
        agree = all(merged.setdefault(joint, x) == x for own in groups.values() for joint, x in own.items())
        if agree:
            states[name] = merged
        if len(groups) > 1:
            states.update({f"{group}/{name}": own for group, own in groups.items()})
    return states


def _attribute(element: ElementTree.Element, name: str) -> str:
    value = element.get(name, "").strip()
    if not value:
        raise InputError(f"has no {name}", where=element.tag, fix=f'give {name}="..."')
    return value


def _numbers(element: ElementTree.Element, where: str) -> tuple[float, ...]:
    text = _attribute(element, "value")
    try:
        values = tuple(float(part) for part in text.split())
    except ValueError:
        values = ()
    if not values or not np.isfinite(values).all():
        raise InputError(f"value is {text!r}", where=where, fix="give numbers [rad, m]")
    return values


# -- meaning for a robot ----------------------------------------------------------------------------


T = TypeVar("T")


class NamedParts(Mapping[str, T]):
    """Named parts of a robot, each made on first use; an error for an unknown name suggests the nearest.

    Args:
        kind: what they are, for messages: "state".
        where: the file that names them.
        names: all names.
        make: makes one of them.
        fix: advice if there are none.
    """

    def __init__(self, kind: str, where: str, names: Iterable[str], make: Callable[[str], T], fix: str = "") -> None:
        self._kind, self._where, self._names, self._make, self._fix = kind, where, tuple(names), make, fix

    def __getitem__(self, name: str) -> T:
        if not self._names:
            raise InputError(f"has no {self._kind}s, so none called {name!r}", where=self._where, fix=self._fix)
        if name not in self._names:
            raise UnknownNameError(self._kind, str(name), self._names, where=self._where)
        return self._make(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._kind}s of {self._where}: {', '.join(self._names) or 'none'}>"


def robot_states(robot: Robot) -> NamedParts[Array]:
    """Named postures q of a robot; joints that a state leaves out are neutral, and limits are not checked."""
    semantics = robot.description.semantics or Semantics(robot.name)

    def posture(name: str) -> Array:
        values, base = state_parts(robot, name)
        q = np.array(robot.neutral() if base is None or not robot.q_base else robot.configuration(base=base))
        for joint, value in values.items():
            q[robot.q_base + robot.joint_index(joint)] = value
        return q

    fix = "give srdf= with the URDF; srdf='auto' looks beside it"
    return NamedParts("state", semantics.path, semantics.states, posture, fix)


def state_parts(robot: Robot, name: str) -> tuple[dict[str, float], Pose | None]:
    """(coordinates by joint, pose of the base) of a state; None if it does not place the base.

    Joints that the robot does not have are left out with a warning; it is an error if it has none of them.
    """
    semantics = robot.description.semantics
    assert semantics is not None  # the name was found in it
    values: dict[str, float] = {}
    base, unknown, where = None, [], f"{semantics.path}: state {name!r}"
    for joint, numbers in semantics.states[name].items():
        if joint in robot.description.joints:
            if joint in robot.joint_names:  # a fixed joint, or one that follows another, is not set
                values[joint] = _coordinate(numbers, f"{where}, joint {joint!r}")
        elif joint in semantics.virtual or joint == ROOT_JOINT:
            kind = semantics.virtual.get(joint, "floating")
            base = _base_pose(numbers, kind, f"{where}, joint {joint!r}") or base
        else:
            unknown.append(joint)
    if unknown and not values:
        raise UnknownNameError("joint", unknown[0], (*robot.joint_names, *semantics.virtual), where=where)
    if unknown:  # one SRDF often serves several variants of a robot
        message = f"{where}: joints that {robot.name} does not have are left out: {', '.join(unknown)}"
        warn_caller(RobotWarning(message, unknown))
    return values, base


def _coordinate(numbers: tuple[float, ...], where: str) -> float:
    """One coordinate; Pinocchio writes a continuous joint as (cosine, sine)."""
    if len(numbers) == 2 and abs(np.hypot(*numbers) - 1.0) <= ROUNDED_QUATERNION:
        return float(np.arctan2(numbers[1], numbers[0]))
    if len(numbers) != 1:
        raise InputError(f"has {len(numbers)} numbers", where=where, fix="give one coordinate [rad, m]")
    return numbers[0]


def _base_pose(numbers: tuple[float, ...], kind: str, where: str) -> Pose | None:
    """The pose of a virtual joint."""
    if kind == "fixed":
        return None
    if len(numbers) != VIRTUAL[kind]:
        words = "x y z and a quaternion x y z w" if kind == "floating" else "x, y and an angle"
        raise InputError(f"has {len(numbers)} numbers", where=where, fix=f"a {kind} joint has {words}")
    if kind == "planar":
        return Pose(rotation_about((0, 0, 1), numbers[2]), np.array([numbers[0], numbers[1], 0.0]))
    quaternion = np.array(numbers[3:])
    size = float(np.linalg.norm(quaternion))
    if abs(size - 1.0) > ROUNDED_QUATERNION:
        raise InputError(f"the quaternion has length {size:g}", where=where, fix="give x y z w of length 1")
    return Pose(rotation_of(quaternion / size), np.array(numbers[:3]))


def robot_groups(robot: Robot) -> NamedParts[JointGroup]:
    """The groups of the robot's SRDF, by name; an error names the part that the robot does not have."""
    semantics = robot.description.semantics or Semantics(robot.name)
    make = partial(_group, robot, semantics)
    return NamedParts("group", semantics.path, semantics.groups, make, "give srdf= with the URDF")


def _group(robot: Robot, semantics: Semantics, name: str, within: tuple[str, ...] = ()) -> JointGroup:
    """A group with its subgroups. Subgroups that do not exist are left out: many files have them."""
    if name in within:
        what = f"group {name!r} contains itself"
        raise InputError(what, where=semantics.path, fix="remove it from its own subgroups")
    joints: set[str] = set()
    links: list[str] = []
    parents = {joint.child: joint for joint in robot.description.joints.values()}
    for kind, first, *rest in semantics.groups[name]:
        if kind == "group":
            if first in semantics.groups:
                part = _group(robot, semantics, first, (*within, name))
                joints.update(part.joints)
                links += part.links
        elif kind == "joint":
            if first in robot.description.joints:
                joints.add(first)
                links.append(robot.description.joints[first].child)
            elif first not in semantics.virtual and first != ROOT_JOINT:
                where = f"{semantics.path}: group {name!r}"
                raise UnknownNameError("joint", first, robot.description.joints, where=where)
        else:
            last = rest[0] if kind == "chain" else first
            for link in (first, last):
                if link not in robot.links:
                    raise UnknownNameError("link", link, robot.links, where=f"{semantics.path}: group {name!r}")
            while True:
                links.append(last)
                if last in parents and (kind == "link" or last != first):
                    joints.add(parents[last].name)
                if kind == "link" or last == first or last not in parents:
                    break
                last = parents[last].parent
    moving = tuple(joint for joint in robot.joint_names if joint in joints)
    return JointGroup(name, moving, tuple(link for link in robot.links if link in links))
