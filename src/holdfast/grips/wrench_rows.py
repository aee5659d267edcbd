"""Rows of wrenches (force [N], torque [N m]) at the door of a grip, and maps of them from one frame to another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, UnitError
from ..geometry.frames import Pose, skew

#: Characteristic length of a hand [m], where its wrenches do not tell one.
HAND_LENGTH = 0.1

UNITS = "wrenches are (force [N], torque [N m]) in the palm frame"


def checked_vertices(value: ArrayLike) -> Array:
    """Vertices (n, 6), at least one, finite and of magnitudes that occur."""
    vertices = checks.array("vertices", value, ("n", 6))
    if not len(vertices):
        raise GeometryError("is empty", where="vertices", fix="give at least one wrench; a cone has the vertex 0")
    check_magnitudes("vertices", vertices)
    return vertices


def checked_rays(value: ArrayLike | None) -> Array:
    """Rays (m, 6), none of them zero; (0, 6) without any."""
    given = np.zeros((0, 6)) if value is None or np.size(value) == 0 else value
    rays = checks.array("rays", given, ("m", 6))
    sizes = np.abs(rays).max(axis=1, initial=0.0)
    if (sizes == 0.0).any():
        where = f"rays[{int(np.argmin(sizes))}]"
        raise GeometryError("is the zero vector", where=where, fix="give a direction or leave it out")
    for row in np.nonzero((sizes < tolerances.SMALLEST_FORCE) | (sizes > tolerances.LARGEST_FORCE))[0]:
        raise GeometryError(
            f"has a largest part of {sizes[row]:.3g}", where=f"rays[{row}]", fix="scale it: only its direction counts"
        )
    return rays


def checked_planes(normals: ArrayLike, offsets: ArrayLike) -> tuple[Array, Array]:
    """Half-spaces normals (m, 6) . w <= offsets (m,), none with a zero normal."""
    rows = checks.array("normals", normals, ("m", 6))
    sizes = np.abs(rows).max(axis=1, initial=0.0)
    if (sizes == 0.0).any():
        where = f"normals[{int(np.argmin(sizes))}]"
        raise GeometryError("is the zero vector", where=where, fix="give the outward normal of a half-space")
    levels = checks.array("offsets", offsets, (len(rows),))
    for row in np.nonzero(np.abs(levels) > tolerances.LARGEST_FORCE * sizes)[0]:
        raise UnitError(
            f"lies {abs(levels[row]) / sizes[row]:.3g} from the origin",
            where=f"offsets[{row}]",
            fix=f"{UNITS}, below {tolerances.LARGEST_FORCE:g}; leave out a plane that limits nothing",
        )
    return rows, levels


def check_magnitudes(name: str, wrenches: Array) -> None:
    """Wrenches of sizes that occur; beyond them a unit has been mistaken."""
    sizes = np.abs(wrenches).max(axis=1)
    row = int(sizes.argmax())
    if sizes[row] > tolerances.LARGEST_FORCE:
        fix = f"{UNITS}, below {tolerances.LARGEST_FORCE:g}; a set without limit has rays"
        raise UnitError(f"has a part of {sizes[row]:.3g}", where=f"{name}[{row}]", fix=fix)
    if 0.0 < sizes[row] < tolerances.SMALLEST_FORCE:
        fix = f"{UNITS}; the largest must exceed {tolerances.SMALLEST_FORCE:g}, or all be zero"
        raise UnitError(f"have no part above {sizes[row]:.3g}", where=name, fix=fix)


def checked_length(value: float) -> float:
    """A characteristic length [m] that scales torques into forces."""
    return checks.number(
        "length", value, low=tolerances.SMALLEST_LENGTH, high=tolerances.LARGEST_LENGTH, ends="closed", unit="m"
    )


def checked_gravity(value: ArrayLike | None) -> Array | None:
    """Gravity in the palm frame (3,) [m/s^2] that a set was learned for, or None where it does not matter."""
    return None if value is None else checks.vector("palm_gravity", value, 3)


def length_of(wrenches: Array) -> float:
    """Characteristic length [m]: how far torques spread for each newton that forces spread.

    0.1 m, that of a hand, where there is no spread of one or the other to tell it.
    """
    spread = wrenches - wrenches.mean(axis=0) if len(wrenches) else np.zeros((1, 6))
    size = float(np.abs(spread).max())
    if size == 0.0:
        return HAND_LENGTH
    force, torque = (float(np.linalg.norm(part / size)) for part in (spread[:, :3], spread[:, 3:]))
    if force <= tolerances.FLAT or not tolerances.SMALLEST_LENGTH <= torque / force <= tolerances.LARGEST_LENGTH:
        return HAND_LENGTH
    return torque / force


def mirror_map(normal: ArrayLike, point: ArrayLike) -> Array:
    """(6, 6) map of wrenches to those of their mirror image across the plane through `point` [m] with `normal`.

    Forces are mirrored as arrows. Torques about a point of the plane turn the other way round: -M t, with the
    reflection M of arrows. Torques stay about the origin.
    """
    axis = checks.direction("normal", normal, 3)
    lever = skew(checks.vector("point", point, 3))
    reflection = np.eye(3) - 2.0 * np.outer(axis, axis)
    result = np.zeros((6, 6))
    result[:3, :3], result[3:, 3:] = reflection, -reflection
    result[3:, :3] = lever @ reflection + reflection @ lever
    return result


def checked_pose(pose: Pose) -> Pose:
    """`pose` itself; anything else is an InputError."""
    checks.instance("pose", pose, Pose, fix="give a holdfast.Pose(rotation, translation)")
    return pose
