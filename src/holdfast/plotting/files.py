"""Saving pictures: PNG, SVG or PDF, by the suffix."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import FileError, InputError
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
    try:
        # SVG names its parts by a hash; the salt makes it the same in every run.
        with matplotlib.rc_context({"svg.hashsalt": "holdfast"}):
            figure.savefig(target, dpi=dots, bbox_inches="tight", pad_inches=0.12, metadata=FORMATS[suffix])
    except OSError as error:
        what = error.strerror or str(error)
        raise FileError(f"cannot be written: {what}", path=target, fix="name a writable folder") from None
    return target
