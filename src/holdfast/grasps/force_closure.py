"""Force closure in the plane: whether frictional contacts that only push can resist every force and torque.

A soft finger changes nothing in the plane: its extra torque acts about the contact normal, which lies in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, positive, rows
from ..errors import InputError

#: The line between two contacts counts as inside a friction cone when it clears the edge by this share.
INSIDE_CONE = 1e-9


def three_contacts(contacts: ArrayLike, normals: ArrayLike, mu: float) -> BoolArray:
    """Whether three contacts [mm] with inward unit normals resist every planar wrench at friction `mu`.

    (g, 3, 2) in gives (g,) out; one triplet (3, 2) gives a single bool. Exact: the six edge wrenches span the space
    of planar wrenches positively if and only if no plane through two of them has the rest on one side.
    """
    points, inward = _pairs(contacts, normals, 3)
    from .kernels.focus_zones import three_closed

    found = three_closed(points.reshape(-1, 3, 2), inward.reshape(-1, 3, 2), positive("mu", mu))
    return found.reshape(points.shape[:-2])[()]


def two_contacts(contacts: ArrayLike, normals: ArrayLike, mu: float) -> BoolArray:
    """Whether two contacts [mm] with inward unit normals resist every planar wrench at friction `mu`.

    They do exactly when the line between them runs inside both friction cones. (g, 2, 2) in gives (g,) out.
    """
    points, inward = _pairs(contacts, normals, 2)
    mu = positive("mu", mu)
    across = points[..., 1, :] - points[..., 0, :]
    towards = np.stack([across, -across], axis=-2)
    height = (towards * inward).sum(axis=-1)
    aside = np.abs(towards[..., 0] * inward[..., 1] - towards[..., 1] * inward[..., 0])
    return ((height > 0.0) & (aside < mu * height * (1.0 - INSIDE_CONE))).all(axis=-1)[()]


def _pairs(contacts: ArrayLike, normals: ArrayLike, count: int) -> tuple[Array, Array]:
    """Contacts and normals (..., count, 2) of the same shape."""
    points, inward = rows("contacts", contacts, 2), rows("normals", normals, 2)
    if points.shape != inward.shape or points.ndim < 2 or points.shape[-2] != count:
        raise InputError(
            f"have shapes {points.shape} and {inward.shape}",
            where="contacts and normals",
            fix=f"both must be (..., {count}, 2)",
        )
    return points, inward
