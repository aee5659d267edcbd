"""Rougher and rougher bounds of one learned grip: of fewer vertices, of fewer half-spaces (V.D)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ... import checks
from ...errors import UnknownNameError
from ...grips import Grip, GripBounds, OuterGrip, bounding_box, inner_subset, outer_subset

#: How few are chosen of many: the first that were learned, or at random as the paper does.
Draw = Literal["learned", "random"]
DRAWS: tuple[Draw, ...] = ("learned", "random")

#: Half-spaces of a box.
BOX = 12


def rough_inner(grip: GripBounds, count: int, draw: Draw = "learned", seed: int = 0) -> Grip:
    """An inner set of at most `count` vertices, zero among them where it is in the grip.

    Args:
        grip: what was learned.
        count: of vertices; all that were learned when it is no smaller.
        draw: "learned": the first vertices, so that sets of rising count contain each other; "random": the paper's
            subsets, of which some have fewer vertices than asked for, each by a draw of its own.
        seed: of the random ones.
    """
    whole, wanted = grip.inner, checks.count("count", count, low=2)
    if wanted >= len(whole.vertices):
        return whole
    if _checked(draw) == "random":
        return inner_subset(whole, wanted, seed)
    zero = np.zeros((1 if whole.contains(np.zeros(6)) else 0, 6))
    vertices = np.concatenate([zero, whole.vertices[: wanted - len(zero)]])
    return Grip(vertices, whole.rays, length=whole.length, palm_gravity=whole.palm_gravity)


def rough_outer(grip: GripBounds, count: int, draw: Draw = "learned", seed: int = 0) -> OuterGrip:
    """An outer set: a box and `count` half-spaces beside it.

    Args:
        grip: what was learned.
        count: of half-spaces beside the box; 0 for the box alone.
        draw: "learned": the first half-spaces, round the hand itself, so that sets of rising count contain each other;
            "random": as the paper draws them, round the inner set that was learned.
        seed: of the random ones.
    """
    wanted = checks.count("count", count, low=0)
    if _checked(draw) == "random":
        box = bounding_box(grip.inner)
        return box if wanted == 0 else _together(box, outer_subset(grip.inner, wanted, seed))
    ways = np.concatenate([np.eye(6), -np.eye(6)])
    offsets = grip.outer.support(ways)
    finite = np.isfinite(offsets)
    box = OuterGrip(ways[finite], offsets[finite], length=grip.length, palm_gravity=grip.palm_gravity)
    if wanted == 0:
        return box
    few = grip.outer.normals[:wanted], grip.outer.offsets[:wanted]
    return _together(box, OuterGrip(*few, length=grip.length, palm_gravity=grip.palm_gravity))


def _together(first: OuterGrip, second: OuterGrip) -> OuterGrip:
    """The half-spaces of both."""
    normals = np.concatenate([first.normals, second.normals])
    offsets = np.concatenate([first.offsets, second.offsets])
    return OuterGrip(normals, offsets, length=first.length, palm_gravity=first.palm_gravity)


def _checked(draw: Draw) -> Draw:
    if draw not in DRAWS:
        raise UnknownNameError("draw", str(draw), DRAWS, where="draw")
    return draw
