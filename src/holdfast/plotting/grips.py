"""Pictures of grips: sections of the inner set in green, of the outer one in red, in planes of force and of torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..errors import InputError
from ..grips import Grip, GripBounds, OuterGrip
from ..grips.sections import UNITS, Look, axis_numbers, outline
from . import style

#: The planes drawn: three of forces, three of torques.
PLANES = ("fx,fy", "fx,fz", "fy,fz", "tx,ty", "tx,tz", "ty,tz")

#: Colours of what surely holds, and of what nothing beyond holds.
INNER, OUTER = style.VERDICT["holds"], "#C62828"

#: Room around what is drawn, as a share of it.
ROOM = 1.12

#: The larger set is shown up to so many times the size of the smaller one.
MOST = 4.0

#: Corners so many times nearer than the furthest of a set without limit are true ones.
CUT = 5.0


def grip(
    grip: Grip | OuterGrip | GripBounds, *, planes: Sequence[str] = PLANES, look: Look = "section", title: str = ""
) -> Any:
    """Sections of a grip through zero wrench, or its shadows, one plane of two axes each; returns the Figure.

    Args:
        grip: what to draw: inner green and filled, outer red.
        planes: pairs of axes such as "fx,fz": force [N] and torque [N m] in the palm frame, on the body.
        look: "section" has the other four parts of the wrench at zero, "shadow" at anything that helps.
        title: above all.
    """
    from matplotlib.figure import Figure

    if not isinstance(grip, (Grip, OuterGrip, GripBounds)):
        fix = "give a holdfast.Grip, OuterGrip or GripBounds"
        raise InputError(f"is a {type(grip).__name__}", where="grip", fix=fix)
    if not planes:
        raise InputError("is empty", where="planes", fix='give pairs of axes such as "fx,fz"')
    columns = min(3, len(planes))
    rows = -(-len(planes) // columns)
    figure = Figure(figsize=(3.1 * columns, 3.0 * rows + 0.7), layout="constrained")
    for number, plane in enumerate(planes):
        section(grip, plane, figure.add_subplot(rows, columns, number + 1), look=look)
    handles, names = figure.axes[0].get_legend_handles_labels()
    if handles:
        figure.legend(
            handles,
            names,
            loc="outside lower center",
            ncols=2,
            fontsize=style.SMALL,
            frameon=False,
            labelcolor=style.INK,
        )
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


def section(grip: Grip | OuterGrip | GripBounds, plane: str, ax: Any = None, *, look: Look = "section") -> Any:
    """One section, or shadow, of a grip on `ax`; returns the Axes."""
    ax = style.axes(ax, "plane")
    inner = grip.inner if isinstance(grip, GripBounds) else grip if isinstance(grip, Grip) else None
    outer = grip.outer if isinstance(grip, GripBounds) else grip if isinstance(grip, OuterGrip) else None
    shapes = [None if part is None else outline(part, plane, look) for part in (inner, outer)]
    ends = [_extent(p, s) for p, s in zip((inner, outer), shapes, strict=True) if p is not None and s is not None]
    sizes = [end for end in ends if end > 0.0]
    reach = min(max(sizes), MOST * min(sizes)) if sizes else 1.0
    shown = np.concatenate([np.zeros((1, 2)), *(np.clip(s, -reach, reach) for s in shapes if s is not None)])
    for shape, colour, name, filled in zip(shapes, (INNER, OUTER), ("inner", "outer"), (True, False), strict=True):
        if shape is not None:
            _draw(ax, shape, colour, name, filled=filled)
    ax.plot([0.0], [0.0], marker="+", color=style.INK, markersize=6.0, markeredgewidth=style.MEDIUM, linestyle="none")
    middle = 0.5 * (shown.min(axis=0) + shown.max(axis=0))
    half = 0.5 * ROOM * float(np.ptp(shown, axis=0).max()) or reach
    ax.set_xlim(middle[0] - half, middle[0] + half)
    ax.set_ylim(middle[1] - half, middle[1] + half)
    ax.set_aspect("equal")
    x, y = axis_numbers(plane)
    ax.set_xlabel(_axis_name(x))
    ax.set_ylabel(_axis_name(y))
    style.dress_plane(ax)
    return ax


def _axis_name(number: int) -> str:
    letter = "f" if number < 3 else r"\tau"
    return f"${letter}_{'xyz'[number % 3]}$ [{UNITS[number]}]"


def _draw(ax: Any, corners: Array, colour: str, name: str, *, filled: bool) -> None:
    """A polygon, a segment or a point."""
    if not len(corners):
        return
    closed = np.concatenate([corners, corners[:1]])
    if filled and len(corners) > 2:
        ax.fill(*corners.T, facecolor=style.rgba(colour, 0.25), edgecolor="none")
    marker = "o" if len(corners) == 1 else None
    ax.plot(*closed.T, color=colour, linewidth=style.THICK, marker=marker, markersize=4.0, label=name)


def _extent(part: Grip | OuterGrip, corners: Array) -> float:
    """How far a shape reaches; of one without limit, somewhat beyond its last corner that was not cut off."""
    sizes = np.abs(corners).max(axis=1) if len(corners) else np.zeros(1)
    if part.is_bounded:
        return float(sizes.max())
    near = sizes[sizes < sizes.max() / CUT]
    return 3.0 * float(near.max()) if near.any() else float(sizes.max())
