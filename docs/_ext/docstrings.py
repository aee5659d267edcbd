"""Docstrings, plain sentences with code in backticks, converted to reStructuredText."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from names import PACKAGE, annotation, meaning
from sphinx.util.inspect import stringify_signature

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAME = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)*(\(\))?")
#: Code in backticks, which may continue on the next line of its paragraph.
CODE = re.compile(r"(``[^`]+``|`(?:[^`\n]|\n(?!\s*\n))+`)")
#: Characters that begin mark-up; in a formula they have no special meaning.
SIGNS = re.compile(r"(\*+|\||(?<=\w)_(?!\w)|\\)")
#: A colon while sections are read: what precedes one in an attribute's first line would be taken for its type.
COLON = "\ue000"
SECTIONS = {f"{name}:" for name in ("Args", "Attributes", "Example", "Examples", "Note", "Raises", "Returns", "Yields")}


def marked(code: str, module: str) -> str:
    """Code unchanged; a link if it is a name that the reference documents."""
    if NAME.fullmatch(code):
        known = code.removesuffix("()")
        full = f"{PACKAGE}.{known[3:]}" if known.startswith("hf.") else meaning(module, known)
        if full:
            return f":py:obj:`{code} <{full}>`"
    return f"``{code}``"


def escaped(text: str, module: str) -> str:
    """A text with escaped mark-up characters, and with its code marked as code."""
    parts = CODE.split(text)
    out = ""
    for number, part in enumerate(parts):
        if number % 2 == 0:
            out += SIGNS.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), part)
            continue
        before, after = out[-1:], parts[number + 1][:1]
        # An escaped blank separates mark-up from what touches it, and is not seen.
        out += ("\\ " if before.strip() else "") + marked(part.strip("`"), module) + ("\\ " if after.strip() else "")
    return out


def restructured(lines: list[str], module: str) -> list[str]:
    """The docstring with its formulas, the indented blocks outside sections, as literal blocks."""
    out: list[str] = []
    prose: list[str] = []
    section, literal = False, False

    def flush() -> None:
        out.extend(escaped("\n".join(prose), module).split("\n") if prose else [])
        prose.clear()

    for number, line in enumerate(lines):
        if line.strip() and not line[0].isspace():
            section, literal = line.rstrip() in SECTIONS, False
        elif line.strip() and number and not lines[number - 1].strip() and not section and not literal:
            literal = True
            flush()
            out.extend(["::", ""])
        (out if literal else prose).append(line)
    flush()
    return out


def module_of(thing: Any) -> str:
    """The module in which an object is defined; empty if unknown."""
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, cached_property):
        thing = thing.func
    return thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", None) or ""


def named(signature: inspect.Signature, module: str) -> inspect.Signature:
    """A signature whose annotations have the full names of documented objects."""

    def full(text: Any) -> Any:
        return annotation(module, text) if isinstance(text, str) else text

    parameters = [entry.replace(annotation=full(entry.annotation)) for entry in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=full(signature.return_annotation))


def on_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite a docstring before its sections are read."""
    lines[:] = restructured(lines, module_of(obj))
    if what in ("attribute", "data", "property") and lines:
        lines[0] = lines[0].replace(":", COLON)


def on_sections_read(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Restore the colons in the first line of an attribute."""
    if lines:
        lines[:] = [line.replace(COLON, ":") for line in lines]


def on_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, arguments: str | None, answer: str | None
) -> tuple[str | None, str | None] | None:
    """The signature with annotations as they are written, not as they evaluate."""
    if what not in ("function", "method", "class") or arguments is None:
        return None
    try:
        signature = inspect.signature(obj)
    except (TypeError, ValueError):
        return None
    if what == "method":
        held = list(signature.parameters.values())
        if held and held[0].name in ("self", "cls"):
            signature = signature.replace(parameters=held[1:])
    if what == "class":
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    text = stringify_signature(named(signature, module_of(obj)))
    arguments, _, answer = text.partition(" -> ") if ") -> " in text else (text, "", "")
    return arguments, answer or None


def setup(app: Sphinx) -> dict[str, Any]:
    """Run before napoleon, which reads the sections."""
    app.connect("autodoc-process-docstring", on_docstring, priority=100)
    app.connect("autodoc-process-docstring", on_sections_read, priority=900)
    app.connect("autodoc-process-signature", on_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
