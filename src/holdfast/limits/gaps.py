"""Directions nobody measured: empty caps filled conservatively, and compression capped or left unlimited.

All directions are unit vectors in the contact frame; +n = (0, 0, 1) is straight compression.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..checks import Array
from ..errors import GeometryError, InputError
from .sphere import caps, delaunay, unit

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
) -> tuple[Array, Array]:
    """`directions` and `limits` with the compressive directions that nobody measured, and all other gaps filled.

    The rim of the unmeasured region round +n are the Delaunay neighbours of +n. Their shear limits are
    continued upwards: "unlimited" puts an infinite limit at +n, so that the surface goes on as a prism
    over the rim; a cap [N] puts (f_x, f_y, cap) over each limit force of the rim and closes it at f_z = cap.
    """
    if compression == "measured":
        return fill_gaps(directions, limits, max_gap=max_gap, fill=fill)
    nearest = int(directions[:, 2].argmax())
    if directions[nearest, 2] > np.cos(max_gap):
        raise InputError(
            f"compression was measured {np.degrees(np.arccos(min(1.0, directions[nearest, 2]))):.3g} deg off the normal",
            where="compression",
            fix='leave compression="measured", or leave those measurements out',
        )
    cap = np.inf if compression == "unlimited" else float(compression)
    directions = np.vstack([directions, [0.0, 0.0, 1.0]])
    limits = np.append(limits, cap)
    top = len(limits) - 1
    directions, limits = fill_gaps(directions, limits, max_gap=max_gap, fill=fill, below=True)
    if not np.isfinite(cap):
        return directions, limits
    triangles = delaunay(directions)
    rim = np.setdiff1d(triangles[(triangles == top).any(axis=1)], [top])
    forces = directions[rim] * limits[rim, None]
    if (forces[:, 2] >= cap).any():
        raise InputError(
            f"is {cap:g} N, below a measured compression of {forces[:, 2].max():.4g} N",
            where="compression",
            fix="give a cap above every measured compression",
        )
    raised = forces[limits[rim] > 0.0].copy()
    raised[:, 2] = cap
    return np.vstack([directions, unit(raised)]), np.append(limits, np.linalg.norm(raised, axis=1))
