"""Forces, loads and motions as arrows in the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tolerances
from ..checks import Array
from ..force_limits.volume import ForceVolume
from ..geometry.frames import frame_from_normal
from ..plotting import style
from ..plotting.artists import add_arrow
from .assembly import Assembly
from .loads import sphere_directions

#: A force this close to the border of its volume is at its limit, as a share of the volume's size.
AT_LIMIT = 1e-6

#: Directions in which a force is nudged to see whether it is at its limit.
NUDGES = 200

#: A force below this share of the largest is drawn as none; a torque or a turn of a load alike.
NEGLIGIBLE = 1e-3


def at_limit(assembly: Assembly, forces: Array) -> Array:
    """(k,) whether each world force (k, 3) is loaded and on the border of its volume: some small change is too much."""
    local = np.einsum("kji,kj->ki", assembly.rotations, forces)
    result = np.zeros(len(assembly), dtype=bool)
    directions = sphere_directions(NUDGES)
    for index, contact in enumerate(assembly.contacts):
        size = contact.volume.size
        if np.linalg.norm(local[index]) > AT_LIMIT * size:
            around = local[index] + AT_LIMIT * size * directions
            result[index] = not _inside(contact.volume, around, 0.01 * AT_LIMIT * size).all()
    return result


def _inside(volume: ForceVolume, forces: Array, slack: float) -> Array:
    """(n,) whether forces (n, 3) are in some piece, to `slack` [N] beyond each of its planes; no distances needed."""
    excess = [
        (forces @ normals.T - offsets).max(axis=1) for normals, offsets in (p.halfspaces for p in volume.polytopes)
    ]
    return np.min(excess, axis=0) <= slack


def draw_forces(ax: Any, assembly: Assembly, forces: Array, scale: float) -> Array:
    """Contact forces (k, 3) [N] on the object, from their points, `scale` [m/N] long; the points of the arrows.

    Contacts at their limit are marked by colour; those without a force by an open dot.
    """
    sizes = np.linalg.norm(forces, axis=1)
    loaded = sizes > NEGLIGIBLE * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    limited = at_limit(assembly, forces) & loaded
    ends = assembly.positions + scale * forces
    for start, end, hot, seen in zip(assembly.positions, ends, limited, loaded, strict=True):
        if seen:
            colour = style.LIMIT if hot else style.FORCE
            add_arrow(ax, start, end, colour, width=style.MEDIUM, head=7.0, gid="force")
    kinds = (
        (loaded & ~limited, style.FORCE, style.FORCE, "contact force"),
        (limited, style.LIMIT, style.LIMIT, "contact force at its limit"),
        (~loaded, "white", style.FORCE, "contact without force"),
    )
    for chosen, face, edge, name in kinds:
        if chosen.any():
            look = {"facecolors": face, "edgecolors": edge, "linewidths": 0.7, "s": 13}
            ax.scatter(*assembly.positions[chosen].T, label=name, depthshade=False, zorder=style.MARKS, **look)
    return ends[loaded]


def central_axis(wrench: Array, near: Array) -> tuple[Array, Array]:
    """Point (3,) of a wrench's central axis nearest to `near` [m], and the torque (3,) [N m] that is left about it.

    With no force the point is `near` and the whole torque is left.
    """
    force, torque = wrench[:3], wrench[3:] - np.cross(near, wrench[:3])  # about `near`
    square = float(force @ force)
    if square == 0.0:
        return near, torque
    return near + np.cross(force, torque) / square, (force @ torque) / square * force


def draw_wrench(ax: Any, wrench: Array, center: Array, scale: float, size: float) -> Array:
    """The external load on the object: its force on its line of action, and the torque left; points to see.

    The arrow is `scale` [m/N] long, but no longer than the longest arrow of a picture of `size` [m].
    """
    point, torque = central_axis(wrench, center)
    strength, twist = float(np.linalg.norm(wrench[:3])), float(np.linalg.norm(torque))
    seen = [center]
    if float(np.linalg.norm(point - center)) > 2.0 * size:  # nearly a pure torque: its line of action is far away
        point, torque = center, wrench[3:] - np.cross(center, wrench[:3])
        twist = float(np.linalg.norm(torque))
    if strength > 0.0:
        length = min(scale * strength, style.LONGEST * size)
        short = ", shortened" if scale * strength > (1.0 + NEGLIGIBLE) * length else ""
        end = point + length * wrench[:3] / strength
        add_arrow(ax, point, end, style.LOAD, width=style.THICK, head=10.0, gid="load")
        ax.scatter(*point, s=15, color=style.LOAD, depthshade=False, zorder=style.ARROWS)
        ax.plot([], [], [], color=style.LOAD, linewidth=style.THICK, label=f"load {strength:.3g} N{short}")
        seen += [point, end]
    if twist > NEGLIGIBLE * max(strength * size, tolerances.ZERO_DIRECTION):
        seen.append(_turn(ax, point, torque, 0.16 * size, style.LOAD, f"torque {twist:.3g} N m"))
    return np.array(seen)


def draw_motion(ax: Any, motion: Array, center: Array, size: float, name: str) -> Array:
    """The direction of a motion (velocity, angular velocity about the world origin) of the object; points to see."""
    velocity = motion[:3] + np.cross(motion[3:], center)  # of the point `center`
    turn = motion[3:] * size
    strongest = max(float(np.linalg.norm(velocity)), float(np.linalg.norm(turn)))
    seen = [center]
    if np.linalg.norm(velocity) > 0.1 * strongest:
        end = center + style.LONGEST * size * velocity / strongest
        add_arrow(ax, center, end, style.MOTION, width=style.THICK + 1.0, head=12.0, alpha=0.85, gid="motion")
        ax.plot([], [], [], color=style.MOTION, linewidth=style.THICK + 1.0, label=name)
        seen.append(end)
        name = "_"
    if np.linalg.norm(turn) > 0.1 * strongest:
        seen.append(_turn(ax, center, turn, 0.16 * size, style.MOTION, name))
    return np.array(seen)


def _turn(ax: Any, center: Array, axis: Array, radius: float, colour: str, name: str) -> Array:
    """Three quarters of a circle about `axis`, right-handed, with an arrow; a point of it."""
    frame = frame_from_normal(axis)
    angles = np.linspace(0.0, 1.5 * np.pi, 40)
    points = center + radius * (np.cos(angles)[:, None] * frame[:, 0] + np.sin(angles)[:, None] * frame[:, 1])
    ax.plot(*points[:-1].T, color=colour, linewidth=style.THICK, label=name, gid="turn", zorder=style.ARROWS)
    add_arrow(ax, points[-3], points[-1], colour, width=style.THICK, head=10.0, gid="turn")
    return points[0]
