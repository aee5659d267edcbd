"""Mathematics as MathML, written into the pages when they are built: no downloads and no scripts are needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
#: Environments inside mathematics, and the ones of the converter that are set alike.
ENVIRONMENTS = {"aligned": "align*", "split": "align*", "gathered": "gather*"}
#: Operators whose index stands below them in a formula on lines of its own.
LIMITS = re.compile(r"\\(min|max|inf|sup)_")
#: Signs that the converter takes for letters or for fences that grow, and what they are.
SIGNS = {
    "<mo>&#x0003D;</mo><mi>:</mi>": "<mo>=:</mo>",
    "<mi>:</mi><mo>&#x0003D;</mo>": "<mo>:=</mo>",
    "<mi>:</mi>": "<mo>:</mo>",
    "<mo>&#x0007C;</mo>": '<mo stretchy="false">&#x0007C;</mo>',
    "<mo>&#x02016;</mo>": '<mo stretchy="false">&#x02016;</mo>',
}
#: What the converter leaves of a command it does not know, and of an alignment it does not set.
LEFT_OVER = re.compile(r"<m[ion]>(\\[A-Za-z]+|&(?:amp;)?)</m[ion]>")


def mathml(latex: str, *, block: bool) -> str:
    """The MathML of one formula; ValueError says what could not be converted."""
    for name, same in ENVIRONMENTS.items():
        latex = latex.replace(f"{{{name}}}", f"{{{same}}}")
    if block:
        latex = LIMITS.sub(r"\\\1\\limits_", latex)
    try:
        text = convert(latex.strip(), display="block" if block else "inline")
    except Exception as error:  # the converter raises errors of many kinds, IndexError among them
        raise ValueError(f"{type(error).__name__} {error}".strip()) from error
    for sign, right in SIGNS.items():
        text = text.replace(sign, right)
    unknown = LEFT_OVER.search(text)
    if unknown:
        raise ValueError(f"{unknown[1]} is not known")
    return text


def write(translator: HTML5Translator, node: nodes.Element, *, block: bool) -> None:
    """Add one formula to the page, or its source and a warning."""
    latex = node.astext()
    try:
        translator.body.append(mathml(latex, block=block))
    except ValueError as reason:
        LOGGER.warning("formula not converted: %s: %s", reason, latex, location=node)
        translator.body.append(f"<code>{translator.encode(latex)}</code>")


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line."""
    write(translator, node, block=False)
    raise nodes.SkipNode


def display(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on lines of its own, with its number where it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula"))
    write(translator, node, block=True)
    if node["number"]:
        translator.body.append(f'<span class="number">({node["number"]})</span>')
        translator.add_permalink_ref(node, "Link to this equation")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer `html_math_renderer = "mathml"`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
