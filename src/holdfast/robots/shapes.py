"""What a robot looks like: boxes, cylinders, spheres and meshes on its links, to draw it; forces do not need them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import FileError, UnknownNameError
from ..geometry.frames import Pose, rotation_about
from .numbers import numbers_of

#: Ends of the names of mesh files that drawing and collision programs read.
MESH_FORMATS = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off", ".msh", ".wrl")

#: What to do about meshes: warn once of those that cannot be had, demand them, or never look.
Meshes = Literal["optional", "required", "ignored"]


class RobotWarning(UserWarning):
    """A robot file says something that is passed over.

    Attributes:
        items: what is passed over, one entry each.
    """

    def __init__(self, message: str, items: Sequence[str] = ()) -> None:
        self.items = tuple(items)
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Shape:
    """A simple body fixed to a link, to draw it.

    Attributes:
        link: which link.
        kind: "box", "cylinder" (along z), "sphere" or "mesh".
        size: (3,) lengths of a box, (radius, length, 0) of a cylinder, (radius, 0, 0) of a sphere [m]; scale of a mesh.
        pose: in the link's frame.
        role: "visual" or "collision".
        mesh: file name as the URDF has it; "" for the others.
    """

    link: str
    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: Array
    pose: Pose
    role: Literal["visual", "collision"] = "visual"
    mesh: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.vector("size", self.size, 3))


def pose_of(element: ElementTree.Element | None, where: str) -> Pose:
    """The pose of an <origin xyz="x y z" rpy="roll pitch yaw"> [m, rad]; the identity without one."""
    if element is None:
        return Pose.identity()
    roll, pitch, yaw = numbers_of(element, "rpy", 3, where, default=(0.0, 0.0, 0.0))
    turn = rotation_about((0, 0, 1), yaw) @ rotation_about((0, 1, 0), pitch) @ rotation_about((1, 0, 0), roll)
    return Pose(turn, np.array(numbers_of(element, "xyz", 3, where, default=(0.0, 0.0, 0.0))))


def shapes_of(link: ElementTree.Element, name: str) -> list[Shape]:
    """The visual and collision shapes of a <link>."""
    found = []
    for role in ("visual", "collision"):
        for part in link.findall(role):
            where = f"link {name!r}, {role}"
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
                found.append(Shape(name, shape.tag, np.array(size), pose, role, mesh))
    return found


def check_meshes(shapes: Sequence[Shape], meshes: str, home: Path | None, path: str) -> None:
    """Warn once of all meshes that are missing or of a format nobody reads; an error where they are required.

    Args:
        shapes: the robot's.
        meshes: what to do about them.
        home: folder that relative names start from; None: nothing can be found.
        path: how the error calls the robot's file.
    """
    if meshes not in ("optional", "required", "ignored"):
        raise UnknownNameError("treatment of meshes", str(meshes), ("optional", "required", "ignored"), where="meshes")
    names = dict.fromkeys(shape.mesh for shape in shapes if shape.kind == "mesh")
    if meshes == "ignored" or not names:
        return
    faults = [fault for name in names if (fault := _fault(name, home))]
    if not faults:
        return
    if meshes == "required":
        raise FileError(
            f"{len(faults)} of {len(names)} meshes cannot be had: {faults[0]}",
            path=path,
            field="mesh",
            fix='put the file there, or give meshes="optional": forces do not need it',
        )
    listed = "; ".join(faults[:3]) + ("; ..." if len(faults) > 3 else "")
    message = f"{path}: {len(faults)} of {len(names)} meshes are left out of pictures: {listed}"
    warnings.warn(RobotWarning(message, faults), stacklevel=4)


def _fault(name: str, home: Path | None) -> str:
    """What is wrong with a mesh file, in words; "" for nothing."""
    ending = Path(name).suffix.lower()
    if ending not in MESH_FORMATS:
        return f"{name!r} has an unknown format (known: {', '.join(MESH_FORMATS)})"
    return "" if mesh_file(name, home) is not None else f"{name!r} was not found"


def mesh_file(name: str, home: Path | None) -> Path | None:
    """Where a mesh named in a URDF lies, or None: package:// names are looked for at and above the URDF's folder."""
    plain = name.removeprefix("file://")
    if not plain.startswith("package://"):
        place = Path(plain) if home is None else home / plain
        return place if (home is not None or place.is_absolute()) and place.is_file() else None
    inside = Path(plain.removeprefix("package://"))
    for folder in () if home is None else (home, *home.resolve().parents):
        for place in (folder / inside, folder.joinpath(*inside.parts[1:])):
            if place.is_file():
                return place
    return None
