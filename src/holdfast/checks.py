"""Checks of arguments: arrays and numbers are converted to one form, or rejected.

Each check returns the value in its canonical form (float64, read-only, the wanted shape) and raises
`InputError` that names the argument, what is wrong with it and what would be right.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import tolerances
from .errors import InputError, UnitError, UnknownNameError

Array = NDArray[Any]  # of float64 unless the docstring says otherwise
IntArray = NDArray[np.int64]
SmallIntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

#: Which side of the true set an approximation is on: "inner" adds nothing to it, "outer" leaves nothing out.
Side = Literal["inner", "outer"]


def _shape_text(shape: tuple[int | str, ...]) -> str:
    inside = ", ".join(str(s) for s in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"


def array(name: str, value: ArrayLike, shape: tuple[int | str, ...], *, infinite: bool = False) -> Array:
    """`value` as a read-only float array of `shape`; a letter in `shape` stands for any length.

    The same letter means the same length. NaN is never accepted; infinity only with `infinite`.
    """
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"not an array of numbers: {error}", where=name, fix=f"give numbers of shape {_shape_text(shape)}"
        ) from None
    sizes: dict[str, int] = {}
    fits = result.ndim == len(shape)
    if fits and result.shape != shape:
        for want, have in zip(shape, result.shape, strict=True):
            fits = fits and (sizes.setdefault(want, have) if isinstance(want, str) else want) == have
    if not fits:
        raise InputError(
            f"has shape {_shape_text(result.shape)}", where=name, fix=f"the shape must be {_shape_text(shape)}"
        )
    if np.isnan(result).any() if infinite else not np.isfinite(result).all():
        bad = np.isnan(result) if infinite else ~np.isfinite(result)
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f"{name}[{', '.join(map(str, index))}]" if index else name
        raise InputError(f"is {result[index]}", where=place, fix="give finite numbers")
    result.setflags(write=False)
    return result


def rows(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a finite float array (..., size): one vector or any stack of them; not copied if it is one already."""
    try:
        result = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"not an array of numbers: {error}", where=name, fix=f"give numbers of shape (..., {size})"
        ) from None
    if result.ndim == 0 or result.shape[-1] != size:
        raise InputError(
            f"has shape {_shape_text(result.shape)}", where=name, fix=f"the last axis must have length {size}"
        )
    if not np.isfinite(result).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        place = f"{name}[{', '.join(map(str, index))}]"
        raise InputError(f"is {result[index]}", where=place, fix="give finite numbers")
    return result


def vector(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a read-only finite vector of length `size`."""
    return array(name, value, (size,))


def direction(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a unit vector of length `size`; a zero vector is an error."""
    result = vector(name, value, size)
    largest = np.abs(result).max()
    if largest == 0.0:
        raise InputError("is the zero vector and has no direction", where=name, fix="give any non-zero vector")
    scaled = result / largest
    unit = scaled / np.linalg.norm(scaled)
    unit.setflags(write=False)
    return unit


def number(
    name: str,
    value: Any,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    ends: Literal["closed", "open", "open low"] = "closed",
    unit: str = "",
) -> float:
    """`value` as a finite float between `low` and `high`; `ends` says whether the ends belong."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError("text")  # float() would accept "1"
        result = float(value)
    except (TypeError, ValueError):
        raise InputError(f"is not a number: {value!r}", where=name, fix="give one number") from None
    above = result > low if ends in ("open", "open low") else result >= low
    below = result < high if ends == "open" else result <= high
    if not (np.isfinite(result) and above and below):
        left = "(" if ends in ("open", "open low") or low == -np.inf else "["
        right = ")" if ends == "open" or high == np.inf else "]"
        suffix = f" {unit}" if unit else ""
        raise InputError(
            f"is {result:g}{suffix}", where=name, fix=f"give a number in {left}{low:g}, {high:g}{right}{suffix}"
        )
    return result


def positive(name: str, value: Any, *, unit: str = "", high: float = np.inf) -> float:
    """`value` as a finite float above zero."""
    return number(name, value, low=0.0, high=high, ends="open low", unit=unit)


def instance(name: str, value: Any, kind: type, *, fix: str) -> None:
    """`value` must be a `kind`; `fix` says how to get one."""
    if not isinstance(value, kind):
        raise InputError(f"is a {type(value).__name__}", where=name, fix=fix)


def iterable(name: str, value: Any, *, fix: str) -> None:
    """`value` must be iterable; no element is taken from it."""
    try:
        iter(value)
    except TypeError:
        raise InputError(f"is a {type(value).__name__}", where=name, fix=fix) from None


def count(name: str, value: Any, *, low: int = 1) -> int:
    """`value` as a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InputError(f"is {value!r}", where=name, fix=f"give a whole number of at least {low}")
    return int(value)


def length(name: str, value: Any) -> float:
    """`value` as a plausible length above zero [m]; otherwise a `UnitError` that states the accepted range."""
    result = positive(name, value, unit="m")
    if not tolerances.SMALLEST_LENGTH <= result <= tolerances.LARGEST_LENGTH:
        raise UnitError(
            f"is {result:.3g} m",
            where=name,
            fix=f"lengths are in metres, between {tolerances.SMALLEST_LENGTH:g} and {tolerances.LARGEST_LENGTH:g}",
        )
    return result


def side(value: Any) -> Side:
    """`value` as "inner" (inside the true set) or "outer" (around it)."""
    if value not in get_args(Side):
        raise UnknownNameError("side", str(value), get_args(Side), where="side")
    return value
