"""What results share: plain data by `to_dict()`, a small table in notebooks, and what `bool(result)` means."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from inspect import isroutine
from typing import Any

from .errors import InputError

#: What an answer is asked by, most important first.
ANSWERS = ("holds", "certainty", "status", "is_empty", "value")

#: Digits of numbers in the table of a notebook.
DIGITS = 6


class Result:
    """Base of results: a subclass has a readable `repr` and `to_dict()`; notebooks show both.

    `to_dict()` returns plain numbers, strings, arrays, lists and dictionaries: what `--json` prints.

    A result with one verdict is true when it `holds`; as there, "undecided" does not count as holding. Other answers
    (a limit, a status, many verdicts) have no truth value: `bool(result)` is an InputError that names what to ask.
    """

    def __bool__(self) -> bool:
        known = [name for name in ANSWERS if self._has(name)]
        if not known:  # no answer, but a part or an input: true, unless it is empty
            return not hasattr(self, "__len__") or len(self) > 0  # pyright: ignore[reportArgumentType]
        verdict = self.holds if known[0] == "holds" else None  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(verdict, bool):
            return verdict
        many = ".holds.all() or .holds.any()" if known[0] == "holds" else f".{known[0]}"
        raise InputError("has no truth value", where=type(self).__name__, fix=f"ask {many}; or `is not None`")

    def _has(self, name: str) -> bool:
        """Whether a field or property is called so; it is not computed."""
        kind = type(self)
        return name in getattr(kind, "__dataclass_fields__", ()) or not isroutine(getattr(kind, name, isroutine))

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""

    def _repr_html_(self) -> str:
        """The `repr`, and below it the entries of `to_dict()` that are one number or word each."""
        rows = [
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th><td>{escape(_text(value))}</td></tr>"
            for name, value in self.to_dict().items()
            if value is None or isinstance(value, str | bool | int | float)
        ]
        return f"<div><code>{escape(repr(self))}</code><table>{''.join(rows)}</table></div>"


def _text(value: str | float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else "-" if value is None else str(value)
