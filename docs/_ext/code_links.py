"""Code such as `hf.equilibrium(assembly, wrench)` in the text of a page links to the reference of that name."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from docutils import nodes
from names import PACKAGE, told
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAME = re.compile(r"hf((?:\.[A-Za-z]\w*)+)")


@cache
def target_of(dotted: str) -> str | None:
    """The name in the reference of `.models.coulomb` or `.Grip.save`, read from the package; None where it has none."""
    holder, full = None, None
    thing: Any = importlib.import_module(PACKAGE)
    for word in dotted.removeprefix(".").split("."):
        holder, thing = thing, getattr(thing, word, None)
        if thing is None:
            return None
        full = told().get(id(thing)) or (f"{told()[id(holder)]}.{word}" if id(holder) in told() else None)
    return full


def link_code(app: Sphinx, tree: nodes.document) -> None:
    """Make links of the code that names something of the reference."""
    for node in list(tree.findall(nodes.literal)):
        found = NAME.match(node.astext())
        target = target_of(found[1]) if found else None
        inside = node.parent
        while inside is not None and not isinstance(inside, nodes.reference | addnodes.pending_xref | nodes.title):
            inside = inside.parent
        if target is None or inside is not None:
            continue
        link = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=target, refdoc=app.env.docname, refwarn=False, refexplicit=True
        )
        node.replace_self(link)
        link += node


def setup(app: Sphinx) -> dict[str, Any]:
    """Look through every page when it has been read."""
    app.connect("doctree-read", link_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
