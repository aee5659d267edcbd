"""What a robot looks like in the viewer: the shapes of its links as triangles, or sticks where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..web.marks import Lines, Mark, Mesh, Surface, colour, polygons_mesh
from .plots import BODY, GRIPPER, link_solids, sticks

if TYPE_CHECKING:
    from .robot import Robot


def link_meshes(robot: Robot, q: Array) -> dict[str, Mesh]:
    """Triangles of each link's shapes in the world [m]; meshes are convex hulls."""
    polygons: dict[str, list[Array]] = {}
    for link, solid in link_solids(robot, q):
        polygons.setdefault(link, []).extend(solid.polygons)
    return {link: polygons_mesh(own) for link, own in polygons.items()}


def joined_mesh(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    counts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    faces = [corners + first for (_, corners), first in zip(meshes, counts, strict=False)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


def robot_marks(robot: Robot, q: Array, palms: Sequence[str] = (), opacity: float = 0.5) -> dict[str, Mark]:
    """The robot in a posture: links called `palms` in the colour of what grips, its root so that one sees through it.

    A robot without shapes is drawn as sticks between its links' origins.
    """
    meshes = link_meshes(robot, q)
    if not meshes:
        return {"robot/sticks": Lines(sticks(robot, q), colour(BODY), 4.0)}
    marks: dict[str, Mark] = {}
    root = robot.description.root
    parts = {link: "palms" if link in palms else "root" if link == root else "limbs" for link in meshes}
    for part, tint, share in (("root", BODY, opacity), ("limbs", BODY, 1.0), ("palms", GRIPPER, 1.0)):
        own = [mesh for link, mesh in meshes.items() if parts[link] == part]
        if own:
            marks[f"robot/{part}"] = Surface(*joined_mesh(own), colour(tint), share)
    return marks
