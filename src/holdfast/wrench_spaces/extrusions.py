"""Wrench spaces in R^6 from slices: the intersection of their extrusions (III.D), and a true outer set beside it.

Extruding a SLICE keeps a wrench when its projection on each subspace lies within the limits found for loads of that
subspace alone. The result is neither inner nor outer: a load may be held only because its other components help, and
two loads that are held alone need not be held at once. Extruding a PROJECTION, whose border is given by supports over
the whole wrench space, keeps every wrench that is held: it is outer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, BoolArray
from ..errors import InputError
from ..geometry.directions import icosphere
from .slices import SliceSurface, slice_surface
from .space import WrenchSpace
from .subspace import Subspace

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly

#: Level of the sphere of normals in each subspace: 162 half-spaces.
NORMALS_LEVEL = 2


class Extrusions:
    """The intersection of extruded slices, as the paper approximates a wrench space: NEITHER inner NOR outer.

    A wrench belongs when its projection on each subspace lies within that slice's surface. See the module on why
    nothing can be concluded from it for sure; `compare` measures how far it is off, `outer_extrusions` is a true outer
    set.

    Attributes:
        spaces: wrench spaces over three-dimensional slices, of one assembly.
    """

    def __init__(self, spaces: Sequence[WrenchSpace]) -> None:
        checks.iterable("spaces", spaces, fix="give a list of wrench spaces over slices of one assembly")
        self.spaces = tuple(spaces)
        if not self.spaces:
            raise InputError("is empty", where="spaces", fix="give wrench spaces over slices of one assembly")
        for index, space in enumerate(self.spaces):
            checks.instance(f"spaces[{index}]", space, WrenchSpace, fix="give a holdfast.WrenchSpace")
            if (space.model_hash, space.volumes) != (self.spaces[0].model_hash, self.spaces[0].volumes):
                raise InputError(
                    "belongs to another assembly, or to hulls where the first is of unions",
                    where=f"spaces[{index}]",
                    fix="give slices of one wrench space",
                )
        self._surfaces: list[SliceSurface] = [slice_surface(space) for space in self.spaces]
        self._projections = [projection(surface.subspace, self.spaces[0].length) for surface in self._surfaces]

    def __repr__(self) -> str:
        return f"Extrusions({'; '.join(', '.join(surface.subspace.labels) for surface in self._surfaces)})"

    def contains(self, wrenches: ArrayLike) -> BoolArray:
        """(...) whether wrenches (..., 6) belong to the approximation; this proves nothing about what is held."""
        loads = checks.rows("wrenches", wrenches, 6)
        inside = [s.contains(loads @ p) for s, p in zip(self._surfaces, self._projections, strict=True)]
        return np.logical_and.reduce(inside)

    def radial(self, directions: ArrayLike) -> Array:
        """(...) the largest multiple of directions (..., 6) in the approximation; inf where no slice bounds it."""
        loads = _directions(directions)
        limits = []
        for surface, matrix in zip(self._surfaces, self._projections, strict=True):
            shadows = loads @ matrix
            # What a projection leaves of a direction across the subspace is rounding.
            size = np.linalg.norm(shadows / surface.subspace.scales, axis=-1)
            whole = np.linalg.norm(loads * _weights(self.spaces[0].length), axis=-1)
            shadows = np.where((size > tolerances.FLAT * whole)[..., None], shadows, 0.0)
            limits.append(surface.radial(shadows))
        return np.minimum.reduce(limits)

    def compare(self, space: WrenchSpace) -> Misfit:
        """This set against the exact limits of a wrench space, along its rays; limits below zero are left out.

        Rays of all of R^6 (`Rays.random`) are those on which extruded slices err.
        """
        return _misfit(self.radial, space)


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """An intersection of half-spaces normals . w <= offsets that holds the whole wrench space: OUTER.

    A wrench outside is not held, for sure; one inside may be held or not.

    Attributes:
        normals: (m, 6) over (force, torque about the world origin).
        offsets: (m,) supports, or bounds on them; inf where there is none.
        length: characteristic length [m] that makes torques comparable with forces.
    """

    normals: Array
    offsets: Array
    length: float

    def __repr__(self) -> str:
        return f"HalfSpaces({np.isfinite(self.offsets).sum()} in R^6, outer)"

    def contains(self, wrenches: ArrayLike) -> BoolArray:
        """(...) whether wrenches (..., 6) are within all half-spaces, up to rounding."""
        loads = checks.rows("wrenches", wrenches, 6)
        size = np.linalg.norm(self.normals / _weights(self.length), axis=1) * np.linalg.norm(
            loads * _weights(self.length), axis=-1, keepdims=True
        )
        return (loads @ self.normals.T <= self.offsets + tolerances.MEMBERSHIP * size).all(axis=-1)

    def radial(self, directions: ArrayLike) -> Array:
        """(...) the largest multiple of directions (..., 6) within; an upper bound on what is held; inf if endless."""
        slopes = _directions(directions) @ self.normals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(slopes > 0.0, self.offsets / slopes, np.inf)
        return ends.min(axis=-1, initial=np.inf)

    def compare(self, space: WrenchSpace) -> Misfit:
        """This set against the exact limits of a wrench space, along its rays; limits below zero are left out."""
        return _misfit(self.radial, space)


def outer_extrusions(
    assembly: Assembly,
    subspaces: Sequence[Subspace | str],
    *,
    level: int = NORMALS_LEVEL,
    **options: Any,
) -> HalfSpaces:
    """Half-spaces with normals in each subspace that touch the wrench space: an outer set, unlike extruded slices.

    Each is a support over ALL wrenches that are held, so that in every subspace the whole projection is within.

    Args:
        assembly: contacts and joint rows.
        subspaces: as `Subspace`, or by their names with torques scaled by the assembly's length.
        level: of the regular sphere of normals in each: 10 * 4^level + 2.
        options: further ones of `wrench_supports`.
    """
    from .supports import wrench_supports

    if not len(subspaces) or isinstance(subspaces, str):
        raise InputError("is no list of subspaces", where="subspaces", fix='give several, as ["fx,fy,fz", "tx,ty,tz"]')
    spaces = [s if isinstance(s, Subspace) else Subspace.named(s, length=assembly.length) for s in subspaces]
    points, _ = icosphere(level)
    parts = [(points / s.scales) @ projection(s, assembly.length).T for s in spaces]
    normals = _different(np.concatenate(parts), assembly.length)
    supports = wrench_supports(assembly, normals, **options)
    return HalfSpaces(normals, supports.upper_bounds, assembly.length)


def projection(subspace: Subspace, length: float) -> Array:
    """(6, p) from any wrench to the coordinates of its projection on a subspace, torques over `length` [m] like forces.

    For named axes it picks them out.
    """
    weights = _weights(length)
    return weights[:, None] * np.linalg.pinv(subspace.axes * weights)


@dataclass(frozen=True, eq=False)
class Misfit:
    """How far an approximation is from the exact limits of some rays.

    Attributes:
        directions: (n, 6) the rays.
        exact: (n,) the limits along them.
        approximate: (n,) those of the approximation.
    """

    directions: Array
    exact: Array
    approximate: Array

    @cached_property
    def ratios(self) -> Array:
        """(n,) approximate / exact: above 1 where it promises too much; 1 where both are zero or without limit."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.approximate == self.exact, 1.0, self.approximate / self.exact)

    @property
    def largest_overestimate(self) -> float:
        """By which share of the exact limit it promises too much, at most: 0.1 is 10 % too much; 0 if nowhere."""
        return max(0.0, float(self.ratios.max(initial=1.0)) - 1.0)

    @property
    def largest_underestimate(self) -> float:
        """By which share of the exact limit it promises too little, at most; 1 is everything; 0 if nowhere."""
        return max(0.0, 1.0 - float(self.ratios.min(initial=1.0)))

    @property
    def overestimated(self) -> Array:
        """(6,) the ray of the largest overestimate."""
        return self.directions[int(self.ratios.argmax())]

    @property
    def underestimated(self) -> Array:
        """(6,) the ray of the largest underestimate."""
        return self.directions[int(self.ratios.argmin())]


def _misfit(radial: Callable[[Array], Array], space: WrenchSpace) -> Misfit:
    kept = space.values >= 0.0
    directions = space.directions[kept]
    return Misfit(directions, space.values[kept], radial(directions))


def _weights(length: float) -> Array:
    """(6,) that make the parts of a wrench comparable: forces as they are, torques over `length` [m]."""
    return np.concatenate([np.ones(3), np.full(3, 1.0 / length)])


def _directions(value: ArrayLike) -> Array:
    directions = checks.rows("directions", value, 6)
    if not directions.any(axis=-1).all():
        raise InputError("has a zero wrench", where="directions", fix="give non-zero directions")
    return directions


def _different(normals: Array, length: float) -> Array:
    """The normals without those that two subspaces have in common."""
    scaled = normals / _weights(length) + 0.0  # no negative zeros
    _, first = np.unique(np.round(scaled / np.linalg.norm(scaled, axis=1, keepdims=True), 9), axis=0, return_index=True)
    return normals[np.sort(first)]
