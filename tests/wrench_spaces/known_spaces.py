"""Wrench spaces with known limits, made without a solver: whoever takes them apart has a closed form to meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast import Assembly, Contact, models
from holdfast.geometry.frames import frame_from_normal
from holdfast.solvers import Exact, Status
from holdfast.wrench_spaces.space import WrenchSpace
from holdfast.wrench_spaces.subspace import Rays

#: Half-widths of a box of wrenches: forces [N], torques [N m].
BOX = np.array([4.0, 3.0, 2.0, 0.5, 0.4, 0.3])


def box_limit(half: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Limits of the box |w| <= half (6,)."""
    return lambda directions: (1.0 / (np.abs(directions) / half)).min(axis=1)


def box_planes(half: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The face of the box that each ray leaves it through."""

    def planes(directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        face = (np.abs(directions) / half).argmax(axis=1)
        rows = np.arange(len(directions))
        normals = np.zeros_like(directions)
        normals[rows, face] = np.sign(directions[rows, face])
        return normals, half[face]

    return planes


def polytope_limit(normals: np.ndarray, offsets: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Limits of {w: normals . w <= offsets}, with zero inside."""

    def limits(directions: np.ndarray) -> np.ndarray:
        slopes = directions @ normals.T
        return np.where(slopes > 0.0, offsets / np.where(slopes > 0.0, slopes, 1.0), np.inf).min(axis=1)

    return limits


def space_of(
    rays: Rays,
    limit: Callable[[np.ndarray], np.ndarray],
    planes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None,
    **changes: Any,
) -> WrenchSpace:
    """The space whose rays have the limits given; 2 contacts with made-up forces."""
    with np.errstate(divide="ignore"):
        values = limit(rays.directions)
    n = len(rays)
    status = np.full(n, Status.OPTIMAL, dtype=object)
    status[np.isposinf(values)] = Status.UNBOUNDED
    status[np.isneginf(values)] = Status.DOES_NOT_HOLD
    unknown = (np.full((n, 6), np.nan), np.full(n, np.nan))
    normals, offsets = unknown if planes is None else planes(rays.directions)
    rng = np.random.default_rng(3)
    facts: dict[str, Any] = {
        "rays": rays,
        "values": values,
        "upper_bounds": values,
        "status": status,
        "normals": normals,
        "offsets": offsets,
        "joint_multipliers": None,
        "forces": rng.normal(size=(n, 2, 3)),
        "pieces": rng.integers(0, 3, size=(n, 2)),
        "volumes": "union",
        "model_hash": "0123456789abcdef",
        "length": 0.1,
        "star_shaped": True,
        "convex": True,
        "method": Exact(),
    }
    return WrenchSpace(**(facts | changes))


def hooks(*, cap: float | None = None) -> Assembly:
    """Four two-way hooks: each pulls to either side, and not both at once; pressing is limited by `cap` [N] alone."""
    hook = models.gecko_two_way(5.0, cap=cap)
    places = [(0.05, 0.01, 0.0), (-0.05, 0.02, 0.0), (0.01, 0.05, 0.0), (0.02, -0.05, 0.0)]
    normals = [(0.2, 0.0, -1.0), (-0.2, 0.1, -1.0), (0.0, 0.2, -1.0), (0.1, -0.2, -1.0)]
    shears = [(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    return Assembly(
        [Contact(p, frame_from_normal(n, s), hook) for p, n, s in zip(places, normals, shears, strict=True)]
    )
