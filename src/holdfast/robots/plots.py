"""Robots in space: the boxes, cylinders and balls of their links, links without shape as sticks, and gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ..plotting.artists import add_arrow
from ..plotting.solids import Solids
from .feet import drawn_hull, read_shapes
from .robot import Robot
from .urdf import LinkShape

#: Colours of the body, and of what grips.
BODY, GRIPPER = "#7A8797", "#E69F00"

#: How much of a body hides what lies behind it.
OPACITY = 0.92

#: Width of a link without shape, and size of the dots at its ends [pt].
STICK, JOINT = 3.0, 4.5

#: The arrow of gravity has this share of the robot's size as length, and stands this share of it beside the robot.
GRAVITY_LENGTH, GRAVITY_ASIDE = 0.3, 0.12


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
    gravity: ArrayLike | None = None,
    view: Sequence[float] = (14.0, 205.0),
    title: str = "",
    legend: bool = True,
) -> Any:
    """A robot in one posture: the shapes of its links, its centre of mass and the direction of gravity; equal scales.

    Meshes are drawn as convex hulls. Links without a shape, or with a mesh that cannot be read, are drawn as lines from
    their origin to the origins of the links that they carry, so that a robot without shapes can be seen too.

    Args:
        robot: the robot.
        q: the posture.
        ax: axes in space (projection "3d"), or None for a new figure.
        grippers: parts of links' names that are drawn in the colour of what grips, "palm" and "inner", say.
        sheets: flat polygons (m, 3) in the world [m] with a colour and an opacity, drawn behind the robot: a wall.
        around: (n, 3) points in the world that must be in the picture, too [m].
        com: whether to mark the centre of mass.
        plumb: (3,) the point below the centre of mass on the ground, joined to it by a line [m]; None for none.
        gravity: (3,) gravity in the world [m/s^2]: its direction is drawn as an arrow beside the robot; None, or zero,
            for no arrow.
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
    shaped = _add_links(solids, robot, posture, grippers)
    lines = sticks(robot, posture)
    more = np.asarray(around, dtype=float).reshape(-1, 3)
    points = np.concatenate([solids.corners, behind.corners, lines.reshape(-1, 3), more])
    behind.draw(ax, gid="sheets")
    solids.draw(ax, gid="robot")
    _draw_sticks(ax, robot, lines, shaped, grippers)
    if gravity is not None:
        points = np.concatenate([points, _draw_gravity(ax, checks.vector("gravity", gravity, 3), points, view)])
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


def _draw_sticks(ax: Any, robot: Robot, lines: Array, shaped: set[str], grippers: Sequence[str]) -> None:
    """Lines in place of the links that have no shape, with dots where joints are."""
    dark = style.darker(BODY, 0.7)
    for joint, line in zip(robot.description.joints.values(), lines, strict=True):
        if joint.parent in shaped or not np.ptp(line, axis=0).any():
            continue
        held, tip = (any(part in link for part in grippers) for link in (joint.parent, joint.child))
        look = {"linewidth": STICK, "solid_capstyle": "round", "gid": "link", "zorder": style.BODIES}
        ax.plot(*line.T, color=GRIPPER if held else BODY, **look)
        dots = {"linestyle": "none", "marker": "o", "markersize": JOINT, "markeredgecolor": "none", "gid": "joint"}
        ax.plot(*line[1:].T, color=GRIPPER if tip else dark, zorder=style.BODIES + 0.1, **dots)


def _draw_gravity(ax: Any, gravity: Array, points: Array, view: Sequence[float]) -> Array:
    """An arrow along gravity with its name, beside points (n, 3), to the reader's left; its ends (0 or 2, 3) [m]."""
    size, length = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0, float(np.linalg.norm(gravity))
    if length == 0.0:
        return np.zeros((0, 3))
    azimuth = np.radians(float(view[1]))
    left = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
    step, middle = GRAVITY_LENGTH * size * gravity / length, points.mean(axis=0)
    aside = float((points @ left).max() - middle @ left) + GRAVITY_ASIDE * size + max(0.0, -float(step @ left))
    start = middle + aside * left
    start[2] = float(points[:, 2].max()) - max(0.0, float(step[2]))
    add_arrow(ax, start, start + step, style.LOAD, width=style.THICK, head=9.0, gid="gravity")
    look = {"fontsize": style.SMALL, "color": style.LOAD, "ha": "center", "gid": "gravity name"}
    look |= {"va": "top" if step[2] > 0.0 else "center", "zorder": style.ARROWS + 2}
    ax.text(*start, "gravity" if step[2] > 0.0 else "gravity\n", **look)
    return np.array([start, start + step])


def _add_links(solids: Solids, robot: Robot, q: Array, grippers: Sequence[str]) -> set[str]:
    """The shapes of all links; the names of the links that have any."""
    drawn = link_solids(robot, q)
    for link, own in drawn:
        colour = GRIPPER if any(part in link for part in grippers) else BODY
        for face in own.faces:
            polygon = face.parts[0]
            normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
            solids.add_face(face.parts, normal / np.linalg.norm(normal), colour, OPACITY, face.lines)
    return {link for link, _ in drawn}


def link_solids(robot: Robot, q: Array) -> list[tuple[str, Solids]]:
    """(link, solid in the world [m]) of every shape of the links: the visual ones, or else those for collisions.

    Meshes are drawn as convex hulls; those that cannot be read are left out.
    """
    meshes = read_shapes(robot, robot.shapes)
    found = [(shape, drawn) for shape in robot.shapes if (drawn := _drawn(robot, shape, meshes)) is not None]
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


def _drawn(robot: Robot, shape: LinkShape, meshes: Mapping[str, Any]) -> Any:
    """The hull of a mesh in its own frame, the shape itself where it is simple; None where nothing can be drawn."""
    if shape.kind != "mesh":
        return shape
    points = drawn_hull(robot, shape, meshes)
    try:
        return None if points is None else convex_mesh(points)
    except GeometryError:  # flat
        return None


def sticks(robot: Robot, q: Array) -> Array:
    """(n, 2, 3) lines from each link's origin to that of the link which carries it [m]."""
    joints = robot.description.joints.values()
    places = robot.placements(q, [name for joint in joints for name in (joint.parent, joint.child)])
    return places[:, :3, 3].reshape(-1, 2, 3)
