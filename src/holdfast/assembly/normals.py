"""Normals that may be reversed: contact normals compared with the shape of the object, or with its centre of mass.

A reversed normal is not an invalid input: all numbers are valid. But the contact then presses where it should pull, and
a load that should slip or fall is held without limit. So each normal is compared with the known shape or centre of
mass, and normals out of the object are reported as warnings. A contact inside a hollow object, or a hook, is reported
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..public_names import with_advice
from .assembly import Assembly
from .shapes import Box, Cylinder, Mesh, Shape, Sphere

#: Shares of the object's size at which points before and behind a contact are compared with its shape, in turn.
DEPTHS = (0.01, 0.03, 0.1)

#: Points that lie outside a box by less than this share of its size are inside: contacts at its edges and corners.
ON_SURFACE = 1e-5

#: A normal points away from the centre of mass when the cosine of the angle between them is below this: 107 degrees.
AWAY = -0.3

#: Most contacts times triangles for which a mesh is used (about a second); beyond, the centre of mass is used.
MOST_ANGLES = 3_000_000

#: Winding numbers of a mesh above and below which a point is inside and outside; between them it is unknown.
INSIDE, OUTSIDE = 0.75, 0.25


@dataclass(frozen=True)
class NormalWarning:
    """Contacts whose normals probably point out of the object.

    Attributes:
        name: of the contact, or of the patch that all these contacts belong to.
        contacts: their numbers in the assembly.
        reason: what the normals were compared with and how they point, as words after the name.
    """

    name: str
    contacts: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        known = "normals point into the object; ignore this for hooks and inside hollow objects"
        return f'contact "{self.name}": {self.reason} ({known})'


@with_advice()
def normal_warnings(
    assembly: Assembly,
    *,
    com: ArrayLike | None = None,
    shape: Shape | None = None,
    contacts: Sequence[int] | None = None,
) -> tuple[NormalWarning, ...]:
    """The contacts whose normals point out of the object, by its shape where that decides, else by its centre of mass.

    A normal points out of the shape when a point before the contact (along the normal) is outside the shape and one
    behind it inside. Curved plates, which can be touched from both sides, do not decide.

    Args:
        assembly: contacts, normals into the object.
        com: (3,) centre of mass in the world [m], or None when it is not known.
        shape: of the object in the world, or None.
        contacts: only these are checked, such as those whose force acts on one of several bodies; all by default.
    """
    checks.instance("assembly", assembly, Assembly, fix="give a holdfast.Assembly")
    numbers = np.arange(len(assembly)) if contacts is None else _numbers(contacts, len(assembly))
    if shape is not None:
        checks.instance("shape", shape, Shape, fix="give a shape of holdfast.assembly.shapes, or None")
    positions, normals = assembly.positions[numbers], assembly.rotations[numbers, :, 2]
    verdicts = np.zeros(len(numbers))  # 1: into the object, -1: out of it, 0: not known
    if shape is not None:
        verdicts = _by_shape(positions, normals, shape)
    outward = np.nonzero(verdicts < 0.0)[0].tolist()
    reasons = dict.fromkeys(outward, "its normal points out of the shape of the object")
    plate = isinstance(shape, Cylinder) and shape.half_angle < np.pi
    if com is not None and not plate:
        towards = checks.vector("com", com, 3) - positions
        distances = np.linalg.norm(towards, axis=1)
        cosines = np.einsum("ki,ki->k", towards, normals) / np.where(distances > 0.0, distances, 1.0)
        away = np.nonzero((verdicts == 0.0) & (cosines < AWAY))[0].tolist()
        reasons |= dict.fromkeys(away, "its normal points away from the centre of mass")
    groups: dict[tuple[str, str], list[int]] = {}
    for at in sorted(reasons):
        i = int(numbers[at])
        name = assembly.contacts[i].name
        groups.setdefault((name.rpartition("[")[0] or name or str(i), reasons[at]), []).append(i)
    return tuple(NormalWarning(name, tuple(found), reason) for (name, reason), found in groups.items())


def _numbers(contacts: Sequence[int], count: int) -> IntArray:
    """Numbers of contacts, checked."""
    given = checks.array("contacts", contacts, ("n",))
    if (given != np.round(given)).any() or ((given < 0) | (given >= count)).any():
        fix = f"give whole numbers from 0 to {count - 1}"
        raise InputError("are not numbers of contacts", where="contacts", fix=fix)
    return given.astype(np.int64)


def _by_shape(positions: Array, normals: Array, shape: Shape) -> Array:
    """(k,) 1 where a normal points into the shape, -1 where out of it, 0 where the contact is not on its surface."""
    result = np.zeros(len(positions))
    if isinstance(shape, Mesh) and len(shape.faces) * len(positions) > MOST_ANGLES:
        return result
    for depth in DEPTHS:
        left = np.nonzero(result == 0.0)[0]
        step = depth * _size(shape) * normals[left]
        inside, outside = _sides(shape, np.concatenate([positions[left] + step, positions[left] - step]))
        (before, behind), (free, empty) = np.split(inside, 2), np.split(outside, 2)
        result[left] = (before & empty).astype(float) - (behind & free)
    return result


def _size(shape: Shape) -> float:
    """The smallest extent of a shape [m], so that points before and behind its surface stay near it."""
    if isinstance(shape, Sphere):
        return 2.0 * shape.radius
    if isinstance(shape, Box):
        return float(shape.size.min())
    if isinstance(shape, Cylinder):
        return min(2.0 * shape.radius, shape.length)
    return float(np.ptp(shape.vertices, axis=0).min()) or float(np.ptp(shape.vertices, axis=0).max())


def _sides(shape: Shape, points: Array) -> tuple[BoolArray, BoolArray]:
    """(inside (k,), outside (k,)) of points (k, 3); both False where that is not clear, as in curved plates."""
    if isinstance(shape, Mesh):
        winding = np.abs(_winding(shape.triangles, points))
        return np.asarray(winding > INSIDE), np.asarray(winding < OUTSIDE)
    if isinstance(shape, Sphere):
        inside = np.asarray(np.linalg.norm(points - shape.center, axis=1) < shape.radius)
        return inside, ~inside
    local = shape.pose.inverse().apply(points)
    if isinstance(shape, Box):
        inside = np.asarray((np.abs(local) - 0.5 * shape.size).max(axis=1) < ON_SURFACE * _size(shape))
        return inside, ~inside
    if shape.half_angle < np.pi:
        return np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    inside = (np.hypot(local[:, 0], local[:, 1]) < shape.radius) & (np.abs(local[:, 2]) < 0.5 * shape.length)
    return inside, ~inside


def _winding(triangles: Array, points: Array) -> Array:
    """(k,) winding number of a surface of triangles (t, 3, 3) about points (k, 3): +-1 inside a closed one, 0 outside.

    The solid angle of a triangle with corners a, b, c seen from the origin, by Van Oosterom and Strackee:
    tan(angle / 2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|).
    """
    result = np.zeros(len(points))
    for k, point in enumerate(points):
        a, b, c = np.moveaxis(triangles - point, 1, 0)
        la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
        top = np.einsum("ti,ti->t", a, np.cross(b, c))
        dots = [np.einsum("ti,ti->t", x, y) for x, y in ((a, b), (b, c), (c, a))]
        bottom = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
        result[k] = np.arctan2(top, bottom).sum() / (2.0 * np.pi)
    return result
