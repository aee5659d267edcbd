"""The paper's simpler sets of a grip (V.D): few vertices inside, few planes or a box around it.

They are drawn at random with a seed, and stand here for comparison: sets learned with as many samples are nearer.
Torques are divided by the grip's length before directions are drawn or compared.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError
from .facts import GripFacts
from .grip import Grip
from .outer_grip import OuterGrip


def inner_subset(grip: Grip, n: int, seed: int = 0) -> Grip:
    """At most n + 1 vertices of a grip, an inner set: each of n vertices drawn at random is taken as a direction.

    The vertex that goes furthest along it is kept, then zero is added where the grip contains it. All rays are kept.

    Args:
        grip: the set to approximate.
        n: how many directions to draw, at most the number of vertices.
        seed: what the draw depends on.
    """
    _check_grip(grip)
    wanted = min(checks.count("n", n), len(grip.vertices))
    rng = np.random.default_rng(checks.count("seed", seed, low=0))
    corners = grip.vertices / grip.unit
    drawn = corners[rng.choice(len(corners), wanted, replace=False)]
    kept = np.unique((drawn @ corners.T).argmax(axis=1))
    vertices = grip.vertices[kept]
    if grip.contains(np.zeros(6)) and vertices.any(axis=1).all():
        vertices = np.concatenate([vertices, np.zeros((1, 6))])
    return Grip(
        vertices,
        grip.rays,
        label=grip.label,
        palm_gravity=grip.palm_gravity,
        length=grip.length,
        facts=_facts(grip, "random vertices", wanted, seed),
    )


def outer_subset(grip: Grip, n: int, seed: int = 0) -> OuterGrip:
    """At most n planes that touch a grip, an outer set: directions are drawn evenly from the sphere.

    Where the grip has rays, no plane stops it in most directions: each is turned to the nearest one along which no ray
    climbs, and left out when there is none.

    Args:
        grip: the set to approximate.
        n: how many directions to draw.
        seed: what the draw depends on.
    """
    _check_grip(grip)
    wanted = checks.count("n", n)
    rng = np.random.default_rng(checks.count("seed", seed, low=0))
    drawn = rng.standard_normal((wanted, 6))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    drawn = _against_rays(drawn, grip.rays / grip.unit)
    return _touching(grip, drawn / grip.unit, _facts(grip, "random planes", wanted, seed))


def bounding_box(grip: Grip) -> OuterGrip:
    """The box around a grip along the six axes of the palm frame, an outer set; sides without limit are left out."""
    _check_grip(grip)
    ways = np.concatenate([np.eye(6), -np.eye(6)])
    return _touching(grip, ways, replace(grip.facts, method="bounding box", n=12, seed=None, outer_error=None))


def _check_grip(grip: Grip) -> None:
    checks.instance("grip", grip, Grip, fix="give a holdfast.Grip; of bounds, their inner one")


def _facts(grip: Grip, method: str, n: int, seed: int) -> GripFacts:
    return replace(grip.facts, method=method, n=n, seed=seed, inner_error=None, outer_error=None)


def _touching(grip: Grip, normals: Array, facts: GripFacts) -> OuterGrip:
    """Planes with these normals (n, 6) at the grip's support; those that do not touch it are left out."""
    offsets = grip.support(normals)
    kept = np.isfinite(offsets)
    return OuterGrip(
        normals[kept],
        offsets[kept],
        label=grip.label,
        palm_gravity=grip.palm_gravity,
        length=grip.length,
        facts=facts,
    )


def _against_rays(drawn: Array, rays: Array) -> Array:
    """Each direction less its nearest point in the cone of the rays: no ray climbs along what is left."""
    if not len(rays):
        return drawn
    from scipy.optimize import nnls

    columns = (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
    turned = []
    for row in drawn:
        left = row - columns @ nnls(columns, row)[0]
        size = np.linalg.norm(left)
        if size > tolerances.FLAT and (left @ columns).max() <= tolerances.RAY_SLOPE * size:
            turned.append(left / size)
    if not turned:
        fix = "a grip whose rays give every wrench has no outer planes"
        raise GeometryError("no plane stops the rays", where="grip.rays", fix=fix)
    return np.array(turned)
