"""Documents outside docs/ as pages of the site, and links to other files of the repository as copies of them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygments.lexers.special import TextLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
#: Documents outside docs/, and the pages that show them.
SHOWN = {
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changes",
    "benchmarks/README.md": "measuring",
    "studies/README.md": "studies",
}
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)")


def link_from(page: str, target: str) -> str:
    """The link on `page` (a path below docs/ without ending) that leads to `target`, a path from the root."""
    if target in SHOWN:
        target = f"docs/{SHOWN[target]}.md"
    return posixpath.relpath(target, posixpath.join("docs", posixpath.dirname(page)))


def on_read(app: Sphinx, page: str, content: list[str]) -> None:
    """Replace stubs by the documents that they show, and change links to these documents to their pages."""
    if Path(app.env.doc2path(page)).suffix != ".md":
        return
    folder = posixpath.join("docs", posixpath.dirname(page))
    source = next((path for path, shown in SHOWN.items() if shown == page), None)
    if source:
        app.env.note_dependency(str(ROOT / source))
        content[0] = (ROOT / source).read_text(encoding="utf-8")
        folder = posixpath.dirname(source)

    def follow(found: re.Match[str]) -> str:
        return f"]({link_from(page, posixpath.normpath(posixpath.join(folder, found['path'])))}"

    content[0] = LINK.sub(follow, content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the conversion of links; tables of numbers are shown unchanged."""
    app.connect("source-read", on_read)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
