"""The directive `room`: every public name of a room of Holdfast, in a table with one sentence each, then in full.

A name is documented in full in the room where it is defined; elsewhere its row links there.
"""

from __future__ import annotations

import enum
import importlib
import inspect
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from docstrings import escaped, restructured
from docutils import nodes
from docutils.statemachine import StringList
from names import PACKAGE, annotation, full_name, lives_in, public_names, reference_name
from sphinx import addnodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def first_sentence(thing: Any, room: str) -> str:
    """The first paragraph of a docstring, in one line."""
    own = inspect.isclass(thing) or inspect.isroutine(thing)
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()) if own else ""
    return escaped(paragraph, room)


def name_answers(thing: type) -> None:
    """Name the types of a class's properties in full, in this process alone, so that they become links."""
    for member in vars(thing).values():
        getter = member.fget if isinstance(member, property) else getattr(member, "func", None)
        if isinstance(member, property | cached_property) and getter is not None:
            answer = getter.__annotations__.get("return")
            if isinstance(answer, str):
                getter.__annotations__["return"] = annotation(getter.__module__, answer)


def directive_of(thing: Any, name: str) -> list[str]:
    """The lines that document one object in full."""
    if inspect.isclass(thing):
        name_answers(thing)
        options = ["   :members:"]
        if issubclass(thing, enum.Enum):
            options.append("   :undoc-members:")
        if issubclass(thing, BaseException):
            options.append("   :show-inheritance:")
        return [f".. autoclass:: {name}", *options, ""]
    kind = "autofunction" if inspect.isroutine(thing) else "autodata"
    return [f".. {kind}:: {name}", *(["   :no-value:"] if kind == "autodata" else []), ""]


def room_lines(room: str) -> list[str]:
    """The text of a room: what it is for, its table, its names in full."""
    module = importlib.import_module(room)
    names = public_names(room)
    lines = [*restructured((inspect.getdoc(module) or "").splitlines(), room), ""]
    lines += [".. list-table::", "   :class: names", "   :widths: 34 66", ""]
    for name in names:
        full = reference_name(room, name)
        lines.append(f"   * - :py:obj:`{full.replace(PACKAGE, 'hf', 1)} <{full}>`")
        lines.append(f"     - {first_sentence(getattr(module, name), room)}")
    lines += ["", ".. rubric:: In full", ""]
    for name in names:
        if lives_in(room, name):
            lines += directive_of(getattr(module, name), full_name(room, name))
    return lines


class Room(SphinxDirective):
    """`.. room:: holdfast.planar`."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """Parse the text of the room in place of the directive."""
        holder = nodes.container()
        holder.document = self.state.document
        room = self.arguments[0]
        self.state.nested_parse(StringList(room_lines(room), source=room), self.content_offset, holder)
        return holder.children


def leave_plain(app: Sphinx, tree: nodes.document) -> None:
    """Leave types that the reference does not document without a link; they would be searched for among all names."""
    for node in list(tree.findall(pending_xref)):
        if node.get("refdomain") == "py" and node.hasattr("refspecific") and not node["reftarget"].startswith(PACKAGE):
            text = node["reftarget"].rpartition(".")[2]
            node.replace_self(addnodes.desc_sig_name("", text) if text.isidentifier() else nodes.Text(text))


def shorten_contents(app: Sphinx, tree: nodes.document) -> None:
    """Leave the members of classes out of the table of contents of a page."""
    for node in tree.findall(addnodes.desc_signature):
        if node.get("class"):
            node["_toc_name"] = ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_directive("room", Room)
    app.connect("doctree-read", leave_plain)
    app.connect("doctree-read", shorten_contents, priority=100)  # before contents are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
