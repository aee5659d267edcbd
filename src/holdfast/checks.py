"""Checks of arguments: arrays and numbers are converted to one form, or rejected.

Each check returns the value in its canonical form (float64, read-only, the wanted shape) and raises
`InputError` that names the argument, what is wrong with it and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable
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


#: Largest finite number that is accepted anywhere: products of ten such numbers do not overflow.
LARGEST_NUMBER = 1e30

#: Largest count that is accepted where nothing else is said: samples, directions, points, facets.
LARGEST_COUNT = 10_000_000

#: Largest limit of a search, and largest seed of random numbers: they take no time and no memory.
LARGEST_LIMIT, LARGEST_SEED = 2**62, 2**128 - 1


def _shape_text(shape: tuple[int | str, ...]) -> str:
    inside = ", ".join(str(s) for s in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"


def array(name: str, value: ArrayLike, shape: tuple[int | str, ...] | None, *, infinite: bool = False) -> Array:
    """`value` as a read-only float array of `shape`; a letter in `shape` stands for any length, None for any shape.

    The same letter means the same length. NaN and finite numbers beyond `LARGEST_NUMBER` are never accepted; infinity
    only with `infinite`.
    """
    result = _floats(name, value, "(...)" if shape is None else _shape_text(shape)).copy()
    shape = result.shape if shape is None else shape
    sizes: dict[str, int] = {}
    fits = result.ndim == len(shape)
    if fits and result.shape != shape:
        for want, have in zip(shape, result.shape, strict=True):
            fits = fits and (sizes.setdefault(want, have) if isinstance(want, str) else want) == have
    if not fits:
        raise InputError(
            f"has shape {_shape_text(result.shape)}", where=name, fix=f"the shape must be {_shape_text(shape)}"
        )
    _require_usual(name, result, infinite=infinite)
    result.setflags(write=False)
    return result


def filled(name: str, value: ArrayLike, shape: tuple[int, ...], *, infinite: bool = False) -> Array:
    """`value` as a read-only float array of `shape`; one number, or one row, stands for all."""
    given = array(name, value, None, infinite=infinite)
    fits = given.shape == shape[len(shape) - given.ndim :]
    return np.broadcast_to(given, shape) if fits else array(name, given, shape, infinite=infinite)


def rows(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a finite float array (..., size): one vector or any stack of them; not copied if it is one already."""
    result = _floats(name, value, f"(..., {size})")
    if result.ndim == 0 or result.shape[-1] != size:
        raise InputError(
            f"has shape {_shape_text(result.shape)}", where=name, fix=f"the last axis must have length {size}"
        )
    _require_usual(name, result)
    return result


def _floats(name: str, value: ArrayLike, shape: str) -> Array:
    """`value` as an array of float64 of any shape; `shape` is the wanted one, for the error."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        fix = f"give numbers of shape {shape}"
        raise InputError(f"not an array of numbers: {error}", where=name, fix=fix) from None


def _require_usual(name: str, numbers: Array, *, infinite: bool = False) -> None:
    """Raise, with the place, unless all numbers are finite (or infinite where that is allowed) and not beyond use."""
    sizes = np.abs(numbers)
    good = sizes <= LARGEST_NUMBER
    if infinite:
        good |= sizes == np.inf
    if not good.all():
        index = tuple(int(i) for i in np.argwhere(~good)[0])
        place = f"{name}[{', '.join(map(str, index))}]" if index else name
        raise InputError(f"is {numbers[index]:g}", where=place, fix=_USUAL)


_USUAL = f"give finite numbers, up to {LARGEST_NUMBER:g}"


def vector(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a read-only finite vector of length `size`."""
    return array(name, value, (size,))


def direction(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a unit vector of length `size`, whatever its length is; a zero vector is an error."""
    result = _floats(name, value, f"({size},)")
    largest = float(np.abs(result).max(initial=0.0))
    if not np.isfinite(largest) or result.shape != (size,):
        return vector(name, value, size)  # raises the error
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
    infinite: bool = False,
) -> float:
    """`value` as a finite float between `low` and `high`; `ends` says whether the ends belong.

    Finite numbers beyond `LARGEST_NUMBER` are never accepted; inf only with `infinite`.
    """
    try:
        if isinstance(value, (str, bytes)) or np.ndim(value):
            raise TypeError("text")  # float() would accept "1" and [1]
        result = float(value)
    except OverflowError:
        raise InputError("is too large", where=name, fix=_USUAL) from None
    except (TypeError, ValueError):
        raise InputError(f"is not a number: {shown(value)}", where=name, fix="give one number") from None
    if infinite and result == np.inf:
        return result
    above = result > low if ends in ("open", "open low") else result >= low
    below = result < high if ends == "open" else result <= high
    if not (np.isfinite(result) and above and below):
        left = "(" if ends in ("open", "open low") or low == -np.inf else "["
        right = ")" if ends == "open" or high == np.inf else "]"
        suffix = f" {unit}" if unit else ""
        raise InputError(
            f"is {result:g}{suffix}", where=name, fix=f"give a number in {left}{low:g}, {high:g}{right}{suffix}"
        )
    if abs(result) > LARGEST_NUMBER:
        raise InputError(f"is {result:g}", where=name, fix=_USUAL)
    return result


def shown(value: Any) -> str:
    """A wrong value as text for an error, its type where it has none: a number of thousands of digits."""
    try:
        return repr(value)
    except ValueError:
        return f"a {type(value).__name__}"


def positive(name: str, value: Any, *, unit: str = "", high: float = np.inf, infinite: bool = False) -> float:
    """`value` as a finite float above zero; inf only with `infinite`."""
    return number(name, value, low=0.0, high=high, ends="open low", unit=unit, infinite=infinite)


def instance(name: str, value: Any, kind: Any, *, fix: str) -> None:
    """`value` must be a `kind`; `fix` says how to get one."""
    if not isinstance(value, kind):
        raise InputError(f"is a {type(value).__name__}", where=name, fix=fix)


def text(name: str, value: Any) -> str:
    """`value` as a text."""
    instance(name, value, str, fix="give a text")
    return value


def texts(name: str, value: Any) -> tuple[str, ...]:
    """`value` as a tuple of texts."""
    iterable(name, value, fix="give a list of texts")
    return tuple(text(f"{name}[{index}]", entry) for index, entry in enumerate(value))


def word(kind: str, value: Any, choices: Iterable[str], *, where: str) -> str:
    """`value` as one of the `choices`; otherwise an error that names the nearest `kind`."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise UnknownNameError(kind, value if isinstance(value, str) else shown(value), known, where=where)
    return value


def shape(name: str, value: Any) -> tuple[int, ...]:
    """The shape of `value` as an array."""
    try:
        return np.shape(value)
    except ValueError as error:
        raise InputError(f"not an array of numbers: {error}", where=name, fix="give rows of equal length") from None


def iterable(name: str, value: Any, *, fix: str) -> None:
    """`value` must be iterable; no element is taken from it."""
    try:
        iter(value)
    except TypeError:
        raise InputError(f"is a {type(value).__name__}", where=name, fix=fix) from None


def count(name: str, value: Any, *, low: int = 1, high: int = LARGEST_COUNT) -> int:
    """`value` as a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InputError(f"is {shown(value)}", where=name, fix=f"give a whole number of at least {low}")
    if value > high:
        raise InputError(f"is {shown(value)}", where=name, fix=f"give a whole number from {low} to {high:,}")
    return int(value)


def check_size(what: str, count: int, most: int) -> None:
    """An InputError where a whole file has more than `most` of something; asked before it is built."""
    if count > most:
        raise InputError(f"has {count:,} {what} in all", fix=f"give at most {most:,}")


def seed(value: Any) -> int:
    """`value` as the seed of random numbers: any whole number of at least 0."""
    return count("seed", value, low=0, high=LARGEST_SEED)


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
    return word("side", value, get_args(Side), where="side")  # pyright: ignore[reportReturnType]
