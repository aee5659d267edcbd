"""Directions nobody measured: empty caps filled conservatively, and compression capped or left unlimited.

All directions are unit vectors in the contact frame; +n = (0, 0, 1) is straight compression.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..checks import Array
from ..errors import GeometryError, InputError
from ..geometry.directions import Indices, caps, delaunay, settle_ties, unit

Fill = Literal["zero", "least"]
Compression = float | Literal["measured", "unlimited"]

#: A gap filled this many times over points at a sampling that no filling mends.
MOST_FILLED = 5000


def fill_gaps(
    directions: Array, limits: Array, *, max_gap: float, fill: Fill, below: bool = False
) -> tuple[Array, Array]:
    """`directions` and `limits` with a sample put into every empty cap wider than `max_gap` [rad].

    The sample goes to the centre of the widest cap, again and again, with limit zero ("zero") or the
    smallest limit at the cap's rim ("least"). With `below` only caps centred at f_z <= 0 are filled.
    """
    for _ in range(MOST_FILLED):
        triangles = delaunay(directions)
        centres, radii = caps(directions, triangles)
        if below:
            radii = np.where(centres[:, 2] > 0.0, 0.0, radii)
        widest = int(radii.argmax())
        if radii[widest] <= max_gap:
            return directions, limits
        value = 0.0 if fill == "zero" else float(limits[triangles[widest]].min())
        directions = np.vstack([directions, centres[widest]])
        limits = np.append(limits, value)
    raise GeometryError(
        f"more than {MOST_FILLED} directions are missing",
        where="max_gap",
        fix="allow a larger gap or measure more directions",
    )


def add_compression(
    directions: Array, limits: Array, *, compression: Compression, max_gap: float, fill: Fill
) -> tuple[Array, Array, Indices | None]:
    """(directions, limits, triangles or None) with the pressing directions nobody measured, and all gaps filled.

    The rim of the unmeasured region round +n are the Delaunay neighbours of +n. Their shear limits are
    continued upwards: "unlimited" puts an infinite limit at +n, so that the surface goes on as a prism
    over the rim; a cap [N] puts (f_x, f_y, cap) over each limit force of the rim and closes the prism at
    f_z = cap. The triangles are given where Delaunay ones would not be those of the prism.
    """
    if compression == "measured":
        return *fill_gaps(directions, limits, max_gap=max_gap, fill=fill), None
    nearest = int(directions[:, 2].argmax())
    if directions[nearest, 2] > np.cos(max_gap):
        away = np.degrees(np.arccos(min(1.0, directions[nearest, 2])))
        raise InputError(
            f"compression was measured {away:.3g} deg off the normal",
            where="compression",
            fix='leave compression="measured", or leave those measurements out',
        )
    cap = np.inf if compression == "unlimited" else float(compression)
    top = len(limits)
    directions, limits = fill_gaps(
        np.vstack([directions, [0.0, 0.0, 1.0]]), np.append(limits, cap), max_gap=max_gap, fill=fill, below=True
    )
    return (directions, limits, None) if np.isinf(cap) else _prism(directions, limits, top, cap)


def _prism(directions: Array, limits: Array, top: int, cap: float) -> tuple[Array, Array, Indices]:
    """The fan of triangles round +n (sample `top`) replaced by upright quads over its rim and a lid at f_z = cap."""
    with np.errstate(divide="ignore"):
        triangles = settle_ties(directions, 1.0 / limits, delaunay(directions))
    in_fan = (triangles == top).any(axis=1)
    fan = triangles[in_fan]
    # Each triangle of the fan as (top, a, b): a and b follow each other along the rim.
    shift = (fan == top).argmax(axis=1)
    a, b = (fan[np.arange(len(fan)), (shift + k) % 3] for k in (1, 2))
    forces = directions[a] * limits[a, None]
    if (forces[:, 2] >= cap).any():
        raise InputError(
            f"is {cap:g} N, below a measured compression of {forces[:, 2].max():.4g} N",
            where="compression",
            fix="give a cap above every measured compression",
        )
    lifted = limits[a] > 0.0
    above = np.full(len(limits), top)
    above[a[lifted]] = len(limits) + np.arange(lifted.sum())
    raised = forces[lifted] + [0.0, 0.0, 1.0] * (cap - forces[lifted, 2:])
    # The upright quad a, b, above b, above a is cut from a to above b; from b to above a where b holds nothing, so
    # that "above b" is the top itself and lies in one upright plane with a and above a.
    falls = lifted & (limits[b] == 0.0)
    made = np.concatenate(
        [
            triangles[~in_fan],
            np.column_stack([a, b, np.where(falls, above[a], above[b])]),
            np.column_stack([np.where(falls, b, a), above[b], above[a]]),
            np.column_stack([np.full(len(a), top), above[a], above[b]]),
        ]
    )
    proper = (made[:, 0] != made[:, 1]) & (made[:, 1] != made[:, 2]) & (made[:, 2] != made[:, 0])
    directions = np.vstack([directions, unit(raised)])
    return directions, np.append(limits, np.linalg.norm(raised, axis=1)), made[proper]
