"""Sets of disturbing generalised forces: boxes and polytopes, in the form the torque sets work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope

#: Boxes with more uncertain coordinates than this have their corners not listed.
MOST_CORNERS_OF = 12


@dataclass(frozen=True)
class DisturbanceSet:
    """{centre + basis u : rows u >= offsets}: forces that may act on the coordinates beside torques and contacts.

    Attributes:
        centre: (n,) generalised forces [N or N m, as the coordinates have it].
        basis: (n, m): u, in units of the set's own extent, to generalised forces.
        rows, offsets: (r, m), (r,): the set in u, rows u >= offsets.
        points: (p, m): the corners in u, or None for a box whose corners are too many to list.
    """

    centre: Array
    basis: Array
    rows: Array
    offsets: Array
    points: Array | None

    @classmethod
    def box(cls, lower: ArrayLike, upper: ArrayLike) -> DisturbanceSet:
        """lower <= d <= upper per coordinate; nan on both sides, or equal bounds, where nothing is uncertain."""
        low, high = (_numbers(value) for value in (lower, upper))
        if low.ndim != 1 or low.shape != high.shape:
            raise InputError(
                f"bounds of shapes {low.shape} and {high.shape}",
                where="disturbance",
                fix="give lower and upper of the same length",
            )
        none = np.isnan(low) & np.isnan(high)
        low[none] = high[none] = 0.0
        low, high = checks.array("disturbance", low, ("n",)), checks.array("disturbance", high, ("n",))
        if (low > high).any():
            i = int(np.argmax(low > high))
            raise InputError(
                f"lower {low[i]:g} above upper {high[i]:g}", where=f"disturbance[{i}]", fix="swap the bounds"
            )
        wide = np.flatnonzero(high > low)
        m = len(wide)
        basis = np.zeros((len(low), m))
        basis[wide, np.arange(m)] = 0.5 * (high - low)[wide]
        signs = None
        if m <= MOST_CORNERS_OF:
            signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * m)).reshape(m, -1).T if m else np.zeros((1, 0))
        eye = np.eye(m)
        return cls(0.5 * (low + high), basis, np.vstack([eye, -eye]), -np.ones(2 * m), signs)

    @classmethod
    def polytope(cls, vertices: ArrayLike) -> DisturbanceSet:
        """The convex hull of `vertices` (p, n); of any dimension."""
        given = Polytope(vertices)
        centre = given.vertices.mean(axis=0)
        _, widths, axes = np.linalg.svd(given.vertices - centre, full_matrices=False)
        noise = 64.0 * np.finfo(float).eps * float(np.abs(given.vertices).max())
        keep = widths > noise * np.sqrt(len(given.vertices)) + 1e-10 * widths[0]
        basis = axes[keep].T * widths[keep]
        points = (given.vertices - centre) @ axes[keep].T / widths[keep]
        if not points.shape[1]:
            return cls(centre, basis, np.zeros((0, 0)), np.zeros(0), np.zeros((1, 0)))
        local = Polytope(points)
        normals, levels = local.halfspaces
        return cls(centre, basis, -normals, -levels, local.extreme)

    @property
    def vertices(self) -> Array | None:
        """(p, n) corners as generalised forces, or None where they are too many to list."""
        return None if self.points is None else self.centre + self.points @ self.basis.T

    def lowest(self, rows: Array) -> Array:
        """Least value over the set of each row (r, m) . u; exact: a linear function is least at a corner."""
        if self.points is None:
            return -np.abs(rows).sum(axis=1)
        return (rows @ self.points.T).min(axis=1) if len(rows) else np.zeros(0)


def _numbers(value: ArrayLike) -> Array:
    """A copy of `value` as floats of whatever shape; nan stays."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        return np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"not an array of numbers: {error}", where="disturbance", fix="give (lower, upper) or vertices (p, n)"
        ) from None


def disturbance_of(value: Any, size: int) -> DisturbanceSet | None:
    """`value` for a system with `size` coordinates: None, a `DisturbanceSet`, a (lower, upper) box or vertices (p, n).

    Two rows are always read as a box.
    """
    if value is None:
        return None
    if not isinstance(value, DisturbanceSet):
        given = _numbers(value)
        if given.ndim != 2:
            raise InputError(
                f"has shape {given.shape}", where="disturbance", fix="give (lower, upper), vertices or a DisturbanceSet"
            )
        value = DisturbanceSet.box(*given) if len(given) == 2 else DisturbanceSet.polytope(given)
    if len(value.centre) != size:
        raise InputError(
            f"acts on {len(value.centre)} coordinates", where="disturbance", fix=f"this system has {size} coordinates"
        )
    return value
