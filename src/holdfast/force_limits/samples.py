"""What a limit surface is made of: direction grids, and the checks at its door."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError, UnitError, UnknownNameError
from ..geometry.directions import Indices, is_closed, unit
from .gaps import Compression

#: Angle between neighbouring directions of a surface sampled from a function [rad].
RESOLUTION = math.radians(10.0)

#: A squared length this close to one is one, but for rounding.
UNIT_LENGTH = 1e-14

Scalar = TypeVar("Scalar", bound=np.generic)


def direction_grid(resolution: float = RESOLUTION) -> Array:
    """(n, 3) unit directions on rings round n, `resolution` [rad] apart, with both poles and the tangent plane."""
    step = checks.number("resolution", resolution, low=math.radians(0.5), high=math.radians(60.0), unit="rad")
    rings = 2 * max(1, round(0.5 * math.pi / step))
    rays = [np.array([[0.0, 0.0, -1.0]])]
    for k in range(1, rings):
        elevation = -0.5 * math.pi + math.pi * k / rings
        count = 4 * max(1, math.ceil(0.5 * math.pi * math.cos(elevation) / step - 1e-9))
        azimuth = 2.0 * math.pi * np.arange(count) / count
        height = 0.0 if 2 * k == rings else math.sin(elevation)
        ring = np.column_stack([np.cos(azimuth), np.sin(azimuth)]) * math.sqrt(1.0 - height**2)
        rays.append(np.column_stack([ring, np.full(count, height)]))
    rays.append(np.array([[0.0, 0.0, 1.0]]))
    return np.concatenate(rays)


def frozen(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """A read-only copy."""
    result = np.ascontiguousarray(values).copy()
    result.setflags(write=False)
    return result


def unit_rows(name: str, value: ArrayLike, *, at_least: int = 1, length: int | None = None) -> Array:
    """(n, 3) directions at length one, at least so many, none of them zero."""
    given = checks.array(name, value, ("n", 3))
    if len(given) < at_least:
        raise GeometryError(
            f"has {len(given)} rows", where=name, fix=f"give at least {at_least} directions, all around"
        )
    if length is not None and len(given) != length:
        raise InputError(f"has {len(given)} rows", where=name, fix=f"give {length} rows, one for each force")
    rays = unit(given)
    # Directions of length one stay as they are, to the last bit: surfaces are written and read back.
    whole = np.abs(np.einsum("ij,ij->i", given, given) - 1.0) < UNIT_LENGTH
    rays = np.where(whole[:, None], given, rays)
    if (zero := ~rays.any(axis=1)).any():
        raise InputError("is zero and has no direction", where=f"{name}[{int(zero.argmax())}]", fix="give a direction")
    return rays


def limit_values(name: str, value: ArrayLike, count: int) -> Array:
    """(count,) limit forces [N], zero or more, perhaps infinite, of a believable size."""
    radii = checks.array(name, value, ("n",), infinite=True)
    if len(radii) != count:
        raise InputError(f"has {len(radii)} entries", where=name, fix=f"give {count}, one for each direction")
    if (radii < 0.0).any():
        row = int(np.argmax(radii < 0.0))
        raise InputError(f"is {radii[row]:g} N", where=f"{name}[{row}]", fix="a limit force is zero or more")
    largest = float(radii[np.isfinite(radii)].max(initial=0.0))
    if largest > tolerances.LARGEST_FORCE or largest < tolerances.SMALLEST_FORCE:
        raise UnitError(
            f"has limits up to {largest:.3g} N",
            where=name,
            fix=f"limits are in newtons, between {tolerances.SMALLEST_FORCE:g} and {tolerances.LARGEST_FORCE:g}",
        )
    return radii


def closed_triangles(value: ArrayLike, count: int) -> Indices:
    """(t, 3) triangles that form one closed surface through `count` directions."""
    triangles = np.asarray(value)
    fits = triangles.ndim == 2 and triangles.shape[1] == 3 and np.issubdtype(triangles.dtype, np.integer)
    if not (
        fits and len(triangles) and triangles.min() >= 0 and triangles.max() < count and is_closed(triangles, count)
    ):
        raise GeometryError(
            "is not one closed surface through all directions",
            where="triangles",
            fix="leave them out: they are computed",
        )
    return triangles.astype(np.intp)


def check_options(
    compression: Compression, max_gap: float, fill: str, merge_angle: float, quantiles: tuple[float, float, float]
) -> None:
    """Raise what is wrong with the options of `LimitSurface.from_samples`."""
    if isinstance(compression, str):
        if compression not in ("measured", "unlimited"):
            raise UnknownNameError("compression", compression, ("measured", "unlimited"), where="compression")
    else:
        checks.positive("compression", compression, unit="N", high=tolerances.LARGEST_FORCE)
    if fill not in ("zero", "least"):
        raise UnknownNameError("fill", str(fill), ("zero", "least"), where="fill")
    checks.number("max_gap", max_gap, low=math.radians(1.0), high=math.radians(85.0), unit="rad")
    checks.number("merge_angle", merge_angle, low=0.0, high=math.radians(10.0), unit="rad")
    if len(quantiles) != 3 or not 0.0 <= quantiles[0] <= quantiles[1] <= quantiles[2] <= 1.0:
        raise InputError(f"is {quantiles}", where="quantiles", fix="give three rising shares between 0 and 1")
