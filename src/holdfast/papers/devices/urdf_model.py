"""Robots of boxes on hinges, written as URDF: one box a link is its picture, its collision shape and its inertia."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import quoteattr

from ... import checks
from ...errors import InputError

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class BoxLink:
    """A rigid part: a solid box of even density.

    Attributes:
        name: of the link.
        mass: [kg].
        size: full lengths of the box along the link's axes [m].
        center: its middle, the centre of mass, in the link's frame [m].
    """

    name: str
    mass: float
    size: Triple
    center: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        checks.positive(f"mass of {self.name}", self.mass, unit="kg")
        for axis, length in enumerate(self.size):
            checks.positive(f"size[{axis}] of {self.name}", length, unit="m")

    @property
    def inertia(self) -> Triple:
        """Moments about the middle along the link's axes [kg m^2]; the products are zero."""
        x, y, z = (length**2 for length in self.size)
        return (self.mass * (y + z) / 12.0, self.mass * (x + z) / 12.0, self.mass * (x + y) / 12.0)


@dataclass(frozen=True)
class Hinge:
    """What joins a link to the one that carries it.

    Attributes:
        name: of the joint.
        parent: link that carries.
        child: link that is carried; its frame is the joint's.
        origin: where the joint stands in the parent's frame [m].
        turn: roll, pitch and yaw of the joint's frame in the parent's [rad], in URDF's order.
        axis: of the hinge in the joint's frame.
        lower: smallest angle [rad].
        upper: largest angle [rad].
        effort: largest torque either way [N m].
        friction: static friction [N m].
        velocity: largest speed [rad/s].
        kind: "revolute", or "fixed" for none of the last six.
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
        name: of the robot.
        links: the base first.
        hinges: one for every other link.
        about: what it is and where its numbers come from; a comment in the file.
    """

    name: str
    links: tuple[BoxLink, ...]
    hinges: tuple[Hinge, ...] = field(default=())
    about: str = ""

    def __post_init__(self) -> None:
        names = [link.name for link in self.links]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"has two links called {twice}", where="links", fix="give each a name of its own")
        carried = [hinge.child for hinge in self.hinges]
        if sorted(carried) != sorted(names[1:]):
            raise InputError("does not carry every link but the first once", where="hinges", fix="one hinge a link")
        known = {names[0]} if names else set()
        for hinge in self.hinges:
            if hinge.parent not in known:
                where = f"hinge {hinge.name}"
                raise InputError(f"hangs on {hinge.parent!r}, not carried before", where=where, fix="base first")
            known.add(hinge.child)

    @property
    def mass(self) -> float:
        """Of all links [kg]."""
        return sum(link.mass for link in self.links)

    def urdf(self) -> str:
        """The text of a URDF file, always the same for the same robot; numbers read back to the last digit."""
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
    """Numbers that read back to the last digit; whole ones without a point, no minus zero."""
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
