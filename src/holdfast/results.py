"""What results share: plain data by `to_dict()`, and a small table in notebooks."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from typing import Any

#: Digits of numbers in the table of a notebook.
DIGITS = 6


class Result:
    """Base of results: a subclass has a readable `repr` and `to_dict()`; notebooks show both.

    `to_dict()` returns plain numbers, strings, arrays, lists and dictionaries: what `--json` prints.
    """

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
