"""What results share: plain data by `to_dict()`, a small table in notebooks, and what `bool(result)` means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from html import escape
from inspect import isroutine
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from .errors import InputError, MissingDependencyError

#: Attributes that may hold the answer of a result, most important first.
ANSWERS = ("holds", "certainty", "status", "is_empty", "value")

#: Digits of numbers in the table of a notebook.
DIGITS = 6


P = ParamSpec("P")
Proven = TypeVar("Proven")


def proof(check: Callable[Concatenate[Proven, P], object]) -> Callable[Concatenate[Proven, P], bool]:
    """Decorator of every `verify()` of a data class.

    It checks a copy, so that nothing is used that was computed before. A claim that cannot even be checked is not
    proven, whatever the check raises.
    """

    @wraps(check)
    def verify(self: Proven, *args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            with np.errstate(all="ignore"):
                return bool(check(replace(cast(Any, self)), *args, **kwargs))
        except Exception:  # noqa: BLE001 - numbers, shapes and types of a changed answer are arbitrary
            return False

    return verify


def same(one: Any, other: Any) -> bool:
    """Whether two parts of answers are the same in every number: arrays, sequences and data classes part by part."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            return False
        return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one) if f.compare)
    return bool(one == other or (one != one and other != other))


class Result:
    """Base of results: a subclass has a readable `repr` and `to_dict()`; notebooks show both.

    `to_dict()` returns plain numbers, strings, arrays, lists and dictionaries: what `--json` prints.

    A result with one verdict is true when it `holds`; "undecided" counts as not holding. Other answers (a limit, a
    status, many verdicts) have no truth value: `bool(result)` raises InputError, which names the attribute to use.
    """

    def __bool__(self) -> bool:
        known = [name for name in ANSWERS if self._has(name)]
        if not known:  # a part or an input, not an answer: true unless empty
            return not hasattr(self, "__len__") or len(self) > 0  # pyright: ignore[reportArgumentType]
        verdict = self.holds if known[0] == "holds" else None  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(verdict, bool):
            return verdict
        many = ".holds.all() or .holds.any()" if known[0] == "holds" else f".{known[0]}"
        raise InputError("has no truth value", where=type(self).__name__, fix=f"use {many}, or compare with None")

    def _has(self, name: str) -> bool:
        """Whether there is a field or property of this name; it is not evaluated."""
        kind = type(self)
        return name in getattr(kind, "__dataclass_fields__", ()) or not isroutine(getattr(kind, name, isroutine))

    #: The entry of `to_dict()` that is the main table, a list of dictionaries; "" where there is none.
    TABLE: ClassVar[str] = ""

    #: The entries of `to_dict()` that are the columns of the main table; () where there are none.
    COLUMNS: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""

    def rows(self) -> list[Any]:
        """The main table, one flat dictionary per row: what --csv writes. Without a table, one row of single values."""
        data = self.to_dict()
        if self.COLUMNS:
            columns = zip(*(data[name] for name in self.COLUMNS), strict=True)
            return [flat(dict(zip(self.COLUMNS, values, strict=True))) for values in columns]
        return [flat(entry) for entry in data[self.TABLE]] if self.TABLE else flat_rows(data)

    def to_frame(self) -> Any:
        """The main table, `rows()`, as a pandas DataFrame.

        Raises:
            MissingDependencyError: where pandas is not installed.
        """
        try:
            import pandas as pd  # pyright: ignore[reportMissingImports]
        except ImportError:
            purpose = f"{type(self).__name__}.to_frame()"
            raise MissingDependencyError("pandas", purpose=purpose, install="pip install pandas") from None
        return pd.DataFrame([entry._asdict() if hasattr(entry, "_asdict") else entry for entry in self.rows()])

    def _repr_html_(self) -> str:
        """The `repr`, and below it the entries of `to_dict()` that are one number or word each."""
        rows = [
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th><td>{escape(_text(value))}</td></tr>"
            for name, value in self.to_dict().items()
            if _is_single(value)
        ]
        return f"<div><code>{escape(repr(self))}</code><table>{''.join(rows)}</table></div>"


#: Names of the parts of vectors in a flat row, by their number.
PARTS = {2: ("x", "y"), 3: ("x", "y", "z"), 6: ("fx", "fy", "fz", "tx", "ty", "tz")}


def flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A dictionary as one row of a table: vectors and dictionaries in it become columns, longer lists are left out."""
    row: dict[str, Any] = {}
    for name, value in entry.items():
        if isinstance(value, Mapping):
            row |= {f"{name}_{key}": part for key, part in flat(value).items()}
        elif _is_single(value := value.tolist() if hasattr(value, "tolist") else value):
            row[name] = value
        elif isinstance(value, list | tuple) and len(value) in PARTS and all(map(_is_single, value)):
            row |= {f"{name}_{part}": number for part, number in zip(PARTS[len(value)], value, strict=True)}
    return row


def flat_rows(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The single numbers and words of `data` as a table with one row."""
    return [{name: value for name, value in data.items() if _is_single(value)}]


def _is_single(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def _text(value: str | float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else "-" if value is None else str(value)
