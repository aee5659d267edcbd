"""HTML from plain values: all text that is not our own markup is escaped here, and nowhere else."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .. import tolerances
from ..errors import visible

# -- markup ----------------------------------------------------------------------------------------


#: Colour class of a verdict.
VERDICTS = {"holds": "holds", "does not hold": "fails", "undecided": "open"}


#: Longer captions [characters] are as wide as their table, on several lines.
LONG = 90


#: What a browser may do with the page: show pictures that are in it, and nothing else. A second line behind `escape`.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Markup:
    """A piece of HTML that is well formed and safe to put into a page."""

    text: str


Content = str | Markup


def escape(text: str) -> str:
    """A text as HTML, in an element or in an attribute."""
    return html.escape(visible(text))


def element(name: str, *content: Content, **attributes: str) -> Markup:
    """One element; strings are escaped. `class_` becomes class, and other underscores become dashes."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    opening = "".join(f' {key}="{escape(value)}"' for key, value in named.items())
    return Markup(f"<{name}{opening}>{together(*content).text}</{name}>")


def together(*content: Content) -> Markup:
    """Several pieces one after another."""
    return Markup("".join(part.text if isinstance(part, Markup) else escape(part) for part in content))


def picture(address: str, caption: Content, *, describes: str, class_: str = "") -> Markup:
    """A picture from a data address with its caption; `describes` is the text for readers who cannot see it."""
    image = Markup(f'<img src="{escape(address)}" alt="{escape(describes)}">')
    return element("figure", image, element("figcaption", caption), class_=class_ or "picture")


def table(columns: Sequence[str], rows: Iterable[Sequence[Content]], *, caption: str = "") -> Markup:
    """A table; numbers are aligned to the right."""
    listed = [tuple(row) for row in rows]
    numeric = [bool(listed) and all(_is_number(row[i]) for row in listed) for i in range(len(columns))]
    head = [element("th", c, class_="number" if n else "word") for c, n in zip(columns, numeric, strict=True)]
    body = [
        element("tr", *(element("td", c, class_="number" if n else "word") for c, n in zip(row, numeric, strict=True)))
        for row in listed
    ]
    parts = [element("caption", caption, class_="long" if len(caption) > LONG else "short")] if caption else []
    parts += [element("thead", element("tr", *head)), element("tbody", *body)]
    return element("div", element("table", *parts), class_="wide")


def verdict(status: str) -> Markup:
    """A verdict as a coloured word."""
    return element("span", status, class_=f"verdict {VERDICTS.get(status, 'open')}")


def bullets(sentences: Iterable[Content]) -> Markup:
    """A list of sentences."""
    return element("ul", *(element("li", sentence) for sentence in sentences))


def number(value: float | None, digits: int = 4) -> str:
    """A number as text with `digits` digits; "no limit" for infinity, a dash for None."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "no limit"
    text = f"{value:.{digits}g}"
    return "0" if float(text) == 0.0 else text


def numbers(values: Iterable[float], digits: int = 4) -> list[str]:
    """The entries of one vector; entries at the rounding level of the largest one become 0."""
    entries = [float(value) for value in values]
    smallest = tolerances.ROUNDING * max((abs(x) for x in entries if math.isfinite(x)), default=0.0)
    return [number(0.0 if abs(x) <= smallest else x, digits) for x in entries]


def triple(values: Iterable[float], digits: int = 4) -> str:
    """Numbers in brackets: "(0, 0, -9.81)"."""
    return "(" + ", ".join(numbers(values, digits)) + ")"


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


# -- look ------------------------------------------------------------------------------------------
# How a report looks: one style sheet inside the page, light and dark, and on paper.


STYLE = """
:root { color-scheme: light dark; --ink: #1d2329; --quiet: #5a6672; --paper: #ffffff; --card: #f5f7f9; --line: #d8dee4;
  --holds: #0b7a4b; --fails: #b3470b; --open: #6a5a00; --accent: #0b5c8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --quiet: #a3adb8; --paper: #15191d; --card: #1e242a;
  --line: #39424c; --holds: #4fcf97; --fails: #ff9d63; --open: #e6cf5c; --accent: #6cb8ea; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto,
  "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .8rem; padding-bottom: .25rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.8rem 0 .5rem; overflow-wrap: anywhere; }
p { margin: .5rem 0; max-width: 48rem; } ul { margin: .4rem 0; padding-left: 1.2rem; max-width: 48rem; }
.quiet, figcaption, caption { color: var(--quiet); font-size: .9rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 0 0 .3rem; } caption.short { white-space: nowrap; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
th { font-weight: 600; background: var(--card); } .number { text-align: right; white-space: nowrap; }
.verdict { font-weight: 700; white-space: nowrap; } .holds { color: var(--holds); } .fails { color: var(--fails); }
.open { color: var(--open); }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line);
  border-radius: 6px; } .pair { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
.pair figure { flex: 1 1 22rem; min-width: 0; margin: .5rem 0; }
.tall img { max-height: 32rem; width: auto; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
@media print { :root { color-scheme: light; --ink: #000000; --quiet: #444444; --paper: #ffffff; --card: #f3f3f3;
  --line: #bbbbbb; --holds: #0b7a4b; --fails: #b3470b; --open: #6a5a00; }
  @page { margin: 16mm; } body { font-size: 10pt; } main { max-width: none; padding: 0; } .wide { overflow: visible; }
  caption, th, td { white-space: normal; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
""".strip()
