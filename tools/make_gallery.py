"""Run the examples, save their pictures in docs/pictures/gallery, and write docs/gallery.md.

The text of an example in the gallery is its docstring; its output is below its picture.

Run from the repository root: python tools/make_gallery.py [number ...]
Without numbers all examples are run. The same versions give identical files.
"""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures" / "gallery"

OPENING = """# Gallery

Short scripts; each answers one question. A script prints its results and writes one picture into the given folder, or
into the current one. The tests run all of them. `python tools/make_gallery.py` makes this page.
"""


def examples() -> list[Path]:
    """The examples, by their number."""
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))


def description(path: Path) -> tuple[str, str]:
    """The first line of an example's docstring, which is its question, and the text between that and how to run it."""
    question, _, rest = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")
    return " ".join(question.split()), " ".join(rest.partition("Run it:")[0].split())


def heading(path: Path) -> str:
    """The title of an example: "00 First verdict"."""
    number, _, words = path.stem.partition("_")
    name = words.replace("_", " ").capitalize()
    for own in ("URDF", "MuJoCo", "Drake"):
        name = name.replace(own.lower(), own)
    return f"{number} {name}"


def opening(path: Path) -> str:
    """The gallery's text about one example, up to what it printed."""
    question, text = description(path)
    paragraphs = [f"**{question}** {text}", f"![{question}](pictures/gallery/{path.stem}.png)"]
    source = f"[examples/{path.name}](../examples/{path.name})"
    return f"## {heading(path)}\n\n" + textwrap.fill(paragraphs[0], 118) + f"\n\n{paragraphs[1]}\n\n{source} prints:\n"


def run(path: Path) -> str:
    """Run one example in an empty folder, keep its picture, and return what it printed."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        runpy.run_path(str(path))["main"](Path(folder))
        shutil.copy(Path(folder) / f"{path.stem}.png", PICTURES / f"{path.stem}.png")
    return printed.getvalue().strip()


def wrapped(text: str) -> str:
    """What an example printed, with long lines broken for the page."""
    return "\n".join(textwrap.fill(line, 110, subsequent_indent="  ") for line in text.splitlines())


def printed_before(path: Path) -> str:
    """The output of an example on the present page; "" if it is new."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    section = page.partition(f"## {heading(path)}\n")[2].partition("\n## ")[0]
    return section.partition("```text\n")[2].partition("\n```")[0]


def main(wanted: list[str]) -> None:
    """Run the examples with the given numbers, and write the page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    parts = [OPENING]
    for path in examples():
        again = not wanted or path.stem[:2] in wanted
        shown = wrapped(run(path)) if again else printed_before(path)
        parts.append(f"{opening(path)}\n```text\n{shown}\n```\n")
        print(path.stem)
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
