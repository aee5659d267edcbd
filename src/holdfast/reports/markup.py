"""HTML out of plain values: everything that is not markup of ours is escaped here, and nowhere else."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Colour class of a verdict.
VERDICTS = {"holds": "holds", "does not hold": "fails", "undecided": "open"}


@dataclass(frozen=True)
class Markup:
    """A piece of HTML that is well formed and safe to put into a page."""

    text: str


Content = str | Markup


def element(name: str, *content: Content, **attributes: str) -> Markup:
    """One element; strings are escaped. `class_` becomes class, and other underscores become dashes."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    opening = "".join(f' {key}="{html.escape(value, quote=True)}"' for key, value in named.items())
    return Markup(f"<{name}{opening}>{together(*content).text}</{name}>")


def together(*content: Content) -> Markup:
    """Several pieces after each other."""
    return Markup("".join(part.text if isinstance(part, Markup) else html.escape(part) for part in content))


def picture(address: str, caption: Content, *, describes: str, class_: str = "") -> Markup:
    """A picture from a data address with its caption; `describes` is for those who cannot see it."""
    image = Markup(f'<img src="{html.escape(address, quote=True)}" alt="{html.escape(describes, quote=True)}">')
    return element("figure", image, element("figcaption", caption), class_=class_ or "picture")


def table(columns: Sequence[str], rows: Iterable[Sequence[Content]], *, caption: str = "") -> Markup:
    """A table; what reads as a number stands on the right."""
    listed = [tuple(row) for row in rows]
    numeric = [bool(listed) and all(_is_number(row[i]) for row in listed) for i in range(len(columns))]
    head = [element("th", c, class_="number" if n else "word") for c, n in zip(columns, numeric, strict=True)]
    body = [
        element("tr", *(element("td", c, class_="number" if n else "word") for c, n in zip(row, numeric, strict=True)))
        for row in listed
    ]
    parts = [element("caption", caption)] if caption else []
    parts += [element("thead", element("tr", *head)), element("tbody", *body)]
    return element("div", element("table", *parts), class_="wide")


def verdict(status: str) -> Markup:
    """A verdict as a coloured word."""
    return element("span", status, class_=f"verdict {VERDICTS.get(status, 'open')}")


def bullets(sentences: Iterable[Content]) -> Markup:
    """A list of sentences."""
    return element("ul", *(element("li", sentence) for sentence in sentences))


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: so many digits, "no limit" for infinity, a dash where there is none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "no limit"
    text = f"{value:.{digits}g}"
    return "0" if float(text) == 0.0 else text


def triple(values: Iterable[float], digits: int = 4) -> str:
    """Numbers in brackets: "(0, 0, -9.81)"."""
    return "(" + ", ".join(number(float(value), digits) for value in values) + ")"


def _is_number(cell: Content) -> bool:
    """Whether a cell reads as a number, a dash or the absence of a limit."""
    if isinstance(cell, Markup):
        return False
    if cell in ("–", "no limit"):
        return True
    try:
        float(cell.removesuffix(" %"))
    except ValueError:
        return False
    return True
