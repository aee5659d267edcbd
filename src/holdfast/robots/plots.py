"""Robots in space: the boxes, cylinders and balls of their links, and their joints as sticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.plots import add_shape, add_sheet
from ..assembly.shapes import Box, Cylinder, Mesh, Sphere, convex_mesh
from ..checks import Array
from ..errors import GeometryError
from ..geometry.frames import Pose
from ..plotting import style
from ..plotting.solids import Solids
from .feet import drawn_hull
from .robot import Robot
from .urdf import LinkShape

#: Colours of the body, and of what grips.
BODY, GRIPPER = "#7A8797", "#E69F00"

#: How much of a body hides what lies behind it.
OPACITY = 0.92


def robot(
    robot: Robot,
    q: ArrayLike,
    ax: Any = None,
    *,
    grippers: Sequence[str] = (),
    sheets: Sequence[tuple[Array, str, float]] = (),
    around: ArrayLike = (),
    com: bool = True,
    plumb: ArrayLike | None = None,
    view: Sequence[float] = (14.0, 205.0),
    title: str = "",
    legend: bool = True,
) -> Any:
    """A robot in one posture: the shapes of its links, and its centre of mass; equal scales.

    Meshes are drawn as convex hulls. A robot without shapes is drawn as sticks between its links' origins.

    Args:
        robot: the robot.
        q: the posture.
        ax: axes in space (projection "3d"), or None for a new figure.
        grippers: parts of links' names that are drawn in the colour of what grips, "palm" and "inner", say.
        sheets: flat polygons (m, 3) in the world [m] with a colour and an opacity, drawn behind the robot: a wall.
        around: (n, 3) points in the world that must be in the picture, too [m].
        com: whether to mark the centre of mass.
        plumb: (3,) the point below the centre of mass on the ground, joined to it by a line [m]; None for none.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.
        legend: whether there is one.

    Returns:
        The Axes.
    """
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    posture = robot.checked(q, limits=False)
    ax = style.axes(ax, "space")
    solids, behind = Solids(), Solids()
    for polygon, colour, opacity in sheets:
        add_sheet(behind, np.asarray(polygon, dtype=float), colour, opacity)
    drawn = _add_links(solids, robot, posture, grippers)
    lines = sticks(robot, posture)
    if not drawn:
        solids.add_lines([(line[0], line[1]) for line in lines], BODY)
    more = np.asarray(around, dtype=float).reshape(-1, 3)
    points = np.concatenate([solids.corners, behind.corners, lines.reshape(-1, 3), more])
    behind.draw(ax, gid="sheets")
    solids.draw(ax, gid="robot")
    if com:
        look = {"s": 30, "color": style.LOAD, "depthshade": False, "zorder": style.ARROWS + 1}
        ax.scatter(*robot.com(posture), label="centre of mass", **look)
        if plumb is not None:
            ends = np.array([robot.com(posture), checks.vector("plumb", plumb, 3)])
            ax.plot(*ends.T, color=style.LOAD, linestyle=":", linewidth=1.2, zorder=style.ARROWS)
            ax.scatter(*ends[1], marker="x", label="its projection", **look)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title)
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    if legend:
        style.legend(ax, columns=3)
    return ax


def _add_links(solids: Solids, robot: Robot, q: Array, grippers: Sequence[str]) -> int:
    """The shapes of all links; how many there were."""
    drawn = link_solids(robot, q)
    for link, own in drawn:
        colour = GRIPPER if any(part in link for part in grippers) else BODY
        for face in own.faces:
            polygon = face.parts[0]
            normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
            solids.add_face(face.parts, normal / np.linalg.norm(normal), colour, OPACITY, face.lines)
    return len(drawn)


def link_solids(robot: Robot, q: Array) -> list[tuple[str, Solids]]:
    """(link, solid in the world [m]) of every shape of the links: the visual ones, or else those for collisions.

    Meshes are drawn as convex hulls; those that cannot be read are left out.
    """
    found = [(shape, drawn) for shape in robot.shapes if (drawn := _drawn(robot, shape)) is not None]
    seen = {shape.link for shape, _ in found if shape.role == "visual"}
    found = [(shape, drawn) for shape, drawn in found if shape.role == "visual" or shape.link not in seen]
    places = robot.placements(q, [shape.link for shape, _ in found]) if found else np.zeros((0, 4, 4))
    solids = []
    for (shape, drawn), place in zip(found, places, strict=True):
        world, size = Pose(place[:3, :3], place[:3, 3]) @ shape.pose, shape.size
        if shape.kind == "box":
            solid: Any = Box(size, world)
        elif shape.kind == "cylinder":
            solid = Cylinder(world.translation, world.rotation[:, 2], size[0], size[1])
        elif shape.kind == "sphere":
            solid = Sphere(float(size[0]), world.translation)
        else:
            solid = Mesh(world.apply(drawn.vertices), drawn.faces)
        own = Solids()
        add_shape(own, solid)
        solids.append((shape.link, own))
    return solids


def _drawn(robot: Robot, shape: LinkShape) -> Any:
    """The hull of a mesh in its own frame, the shape itself where it is simple; None where nothing can be drawn."""
    if shape.kind != "mesh":
        return shape
    points = drawn_hull(robot, shape)
    try:
        return None if points is None else convex_mesh(points)
    except GeometryError:  # flat
        return None


def sticks(robot: Robot, q: Array) -> Array:
    """(n, 2, 3) lines from each link's origin to that of the link which carries it [m]."""
    joints = robot.description.joints.values()
    places = robot.placements(q, [name for joint in joints for name in (joint.parent, joint.child)])
    return places[:, :3, 3].reshape(-1, 2, 3)
