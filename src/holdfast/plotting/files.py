"""Saving pictures: PNG, SVG or PDF, by the suffix."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import FileError, InputError, visible
from ..inputs import write_whole
from . import style

#: Suffixes that can be written, and what keeps the file free of dates, so that equal pictures are equal bytes.
FORMATS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save(figure_or_ax: Any, path: str | PathLike[str], *, dpi: float = 150.0) -> Path:
    """Write a figure, or the figure of an Axes, to `path`; the suffix decides: .png, .svg or .pdf.

    Args:
        figure_or_ax: what a function of this package returned, or a matplotlib Figure.
        path: the file; its folder must exist.
        dpi: resolution of a PNG [dots per inch].

    Returns:
        The path written.
    """
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    figure = figure_or_ax.get_figure() if isinstance(figure_or_ax, Axes) else figure_or_ax
    if not isinstance(figure, Figure):
        raise InputError(f"is a {type(figure).__name__}", where="figure_or_ax", fix="give a matplotlib Figure or Axes")
    dots = checks.number("dpi", dpi, low=10.0, high=2400.0)
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        what = f"pictures cannot be written as {target.suffix!r}" if target.suffix else "has no suffix"
        raise FileError(what, path=target, fix=f"use a name that ends in one of {known}")
    if not target.parent.is_dir():
        raise FileError("its folder does not exist", path=target, fix="create the folder first, or name another")
    style.untangle(figure)
    for words in figure.findobj(Text):
        if words.get_text() != (shown := visible(words.get_text())):
            words.set_text(shown)
    drawing = io.BytesIO()
    # SVG names its parts by a hash; the salt makes it the same in every run.
    with matplotlib.rc_context({"svg.hashsalt": "holdfast"}):
        figure.savefig(
            drawing, format=suffix[1:], dpi=dots, bbox_inches="tight", pad_inches=0.12, metadata=FORMATS[suffix]
        )
    data = drawing.getvalue()
    return write_whole(target, visible(data.decode()).encode() if suffix == ".svg" else data)
