"""Contacts of a Pinocchio collision query: where the geometries of a robot touch its surroundings, found by Coal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from .array_contacts import TouchingPoints, of_body, touching_points
from .robot import load_pinocchio


def collision_contacts(
    model: Any,
    geometry: Any,
    q: ArrayLike,
    *,
    body: Sequence[str] | None = None,
    gap: float = 0.0,
    friction: ArrayLike | None = None,
) -> TouchingPoints:
    """Where a robot touches what stands around it, at a posture, for the collision pairs of its geometry model.

    Faces that lie on each other touch along a patch: its corners are the points. Round shapes touch at one point. The
    patch of two shapes that overlap lies halfway between their surfaces.

    Args:
        model: pinocchio.Model.
        geometry: pinocchio.GeometryModel with collision pairs; what belongs to the surroundings hangs on the universe
            joint, 0.
        q: posture, as Pinocchio has it.
        body: names of the geometries that are the body. By default all that hang on a joint.
        gap: shapes this near [m] count as touching.
        friction: coefficient, as of `touching_points`; None leaves it open.
    """
    pin = load_pinocchio()
    for name, value, kind in (("model", model, pin.Model), ("geometry", geometry, pin.GeometryModel)):
        if not isinstance(value, kind):
            raise InputError(f"is a {type(value).__name__}", where=name, fix=f"give a pinocchio.{kind.__name__}")
    posture = checks.vector("q", q, model.nq)
    margin = checks.number("gap", gap, low=0.0, unit="m")
    if not len(geometry.collisionPairs):
        fix = "add what is to be looked at: geometry.addCollisionPair(pinocchio.CollisionPair(floor, foot))"
        raise InputError("has no collision pairs", where="geometry", fix=fix)
    names = [shape.name for shape in geometry.geometryObjects]
    for name in body or ():
        if name not in names:
            raise UnknownNameError("geometry", name, names, where="body")
    mine = {
        shape.name
        for shape in geometry.geometryObjects
        if (shape.parentJoint != 0 if body is None else shape.name in body)
    }
    found = _query(pin, model, geometry, np.array(posture), margin)
    first, second = [names[pair[0]] for pair, *_ in found], [names[pair[1]] for pair, *_ in found]
    rows, signs, links, terrains = of_body(first, second, lambda name: name in mine)
    return touching_points(
        np.array([found[row][1] for row in rows]).reshape(-1, 3),
        np.array([sign * found[row][2] for row, sign in zip(rows, signs, strict=True)]).reshape(-1, 3),
        links=links,
        terrains=terrains,
        friction=friction,
        gaps=[found[row][3] for row in rows],
    )


def _query(
    pin: Any, model: Any, geometry: Any, q: Array, margin: float
) -> list[tuple[tuple[int, int], Array, Array, float]]:
    """((first, second), point, normal from first to second, gap) of every point that touches.

    A round shape that stands on a flat one shows its whole patch in one order of the pair only, a single point in the
    other: both are asked, and the one that shows more counts.
    """
    turned = pin.GeometryModel(geometry)
    turned.removeAllCollisionPairs()
    for pair in geometry.collisionPairs:
        turned.addCollisionPair(pin.CollisionPair(pair.second, pair.first))
    straight, swapped = (_patches(pin, model, shapes, q, margin) for shapes in (geometry, turned))
    found = []
    for pair, points, others in zip(geometry.collisionPairs, straight, swapped, strict=True):
        more = len(others) > len(points)
        between = (int(pair.first), int(pair.second))
        found += [(between, x, -normal if more else normal, depth) for x, normal, depth in (others if more else points)]
    return found


def _patches(pin: Any, model: Any, geometry: Any, q: Array, margin: float) -> list[list[tuple[Array, Array, float]]]:
    """For each pair its points: (point, normal from its first to its second, gap); none where nothing touches."""
    data, shapes = model.createData(), geometry.createData()
    for request in shapes.collisionRequests:
        request.enable_contact = True
        request.security_margin = margin
    pin.computeCollisions(model, data, geometry, shapes, q, False)
    pin.computeContactPatches(geometry, shapes)
    pairs = []
    for result, patches in zip(shapes.collisionResults, shapes.contactPatchResults, strict=True):
        points: list[tuple[Array, Array, float]] = []
        for number in range(patches.numContactPatches() if result.isCollision() else 0):
            patch = patches.getContactPatch(number)
            normal, depth = np.array(patch.getNormal()), float(patch.penetration_depth)
            points += [(np.array(patch.getPoint(i)), normal, depth) for i in range(patch.size())]
        pairs.append(points)
    return pairs
