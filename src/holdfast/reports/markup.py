"""HTML from the sheets of commands: all text that is not our own markup is escaped here, and nowhere else."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from ..console.output import colour, is_numeric
from ..console.sheets import Block, Line, TableBlock
from ..errors import visible

# -- markup ----------------------------------------------------------------------------------------


#: Class of each colour of the terminal.
COLOURS = {"green": "holds", "red": "fails", "yellow": "open"}

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


def picture(address: str, caption: str) -> Markup:
    """A picture from a data address with its caption, which is also the text for readers who cannot see it."""
    image = Markup(f'<img src="{escape(address)}" alt="{escape(caption)}">')
    return element("figure", image, element("figcaption", caption))


def sheet_markup(sheet: Iterable[Block]) -> Markup:
    """The lines and tables of a command: bold lines are headings, lines that begin with "- " are items of a list."""
    parts: list[Markup] = []
    for is_list, blocks in groupby(sheet, key=lambda block: isinstance(block, str) and block.startswith("- ")):
        if is_list:
            parts.append(element("ul", *(element("li", str(block)[2:]) for block in blocks)))
        else:
            parts += [_table(block) if isinstance(block, TableBlock) else _line(block) for block in blocks if block]
    return together(*parts)


def _line(block: str | Line) -> Markup:
    """A line; one in the colour of a status gets the class of it."""
    if isinstance(block, str):
        return element("p", block)
    shown = next((kind for name, kind in COLOURS.items() if name in block.style.split()), "")
    if shown:
        return element("p", block.text, class_=f"verdict {shown}")
    return element("h3" if "bold" in block.style else "p", block.text)


def _table(block: TableBlock) -> Markup:
    """A table; numbers are aligned to the right, statuses are coloured."""
    rows = [[str(cell) for cell in row] for row in block.rows]
    kinds = ["number" if is_numeric(row[i] for row in rows) else "word" for i in range(len(block.columns))]
    head = [element("th", name, class_=kind) for name, kind in zip(block.columns, kinds, strict=True)]
    body = [
        element("tr", *(element("td", _cell(cell), class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    parts = [element("caption", block.title)] if block.title else []
    parts += [element("thead", element("tr", *head)), element("tbody", *body)]
    return element("div", element("table", *parts), class_="wide")


def _cell(text: str) -> Content:
    """A cell; a status is a coloured word."""
    shown = COLOURS.get(colour(text))
    return element("span", text, class_=f"verdict {shown}") if shown else text


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
p { margin: .35rem 0; max-width: 48rem; white-space: pre-line; overflow-wrap: anywhere; }
ul { margin: .4rem 0; padding-left: 1.2rem; max-width: 48rem; }
.quiet, figcaption, caption { color: var(--quiet); font-size: .9rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 0 0 .3rem; white-space: nowrap; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
th { font-weight: 600; background: var(--card); } .number { text-align: right; white-space: nowrap; }
.verdict { font-weight: 700; } .holds { color: var(--holds); } .fails { color: var(--fails); }
.open { color: var(--open); }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line);
  border-radius: 6px; } .pair { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
.pair figure { flex: 1 1 22rem; min-width: 0; margin: .5rem 0; }
img { max-height: 36rem; }
h2 + h3 { margin: 0 0 .5rem; font-size: 1rem; font-weight: 400; color: var(--quiet); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
@media print { :root { color-scheme: light; --ink: #000000; --quiet: #444444; --paper: #ffffff; --card: #f3f3f3;
  --line: #bbbbbb; --holds: #0b7a4b; --fails: #b3470b; --open: #6a5a00; }
  @page { margin: 16mm; } body { font-size: 10pt; } main { max-width: none; padding: 0; } .wide { overflow: visible; }
  caption, th, td { white-space: normal; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
""".strip()
