"""Pictures of grips: sections of the inner set in green, of the outer one in red, in planes of force and of torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..errors import InputError
from ..plotting import style
from .grip import Grip, GripBounds, OuterGrip, sides
from .sections import UNITS, CutOutline, Look, axis_numbers, cut_outline, within_frame

#: The planes drawn: three of forces, three of torques.
PLANES = ("fx,fy", "fx,fz", "fy,fz", "tx,ty", "tx,tz", "ty,tz")

#: Colours of inner and outer sets.
INNER, OUTER = style.VERDICT["holds"], "#C62828"

#: Margin around the drawing, as a fraction of its size.
ROOM = 1.12

#: The larger set is shown up to this many times the size of the smaller one.
MOST = 4.0

#: Corners this many times nearer than the furthest of an unbounded set are real corners.
CUT = 5.0

#: A cone has no size: this fraction of the distance at which it was cut off is shown.
CONE_SHARE = 0.1

#: Parts beyond the frame are drawn up to this fraction of it, and end dashed.
FRAME_SHARE = 0.96

#: Corners within this fraction of the end of the drawn part are where it was cut off.
ON_FRAME = 1e-6

#: Dashed fraction of a segment that continues.
DASHED = 0.15


def grip(
    grip: Grip | OuterGrip | GripBounds, *, planes: Sequence[str] = PLANES, look: Look = "section", title: str = ""
) -> Any:
    """Sections of a grip through zero wrench, or its projections, one plane of two axes each; returns the Figure.

    Args:
        grip: the grip: inner green and filled, outer red; parts that continue beyond the frame end dashed.
        planes: pairs of axes such as "fx,fz": force [N] and torque [N m] in the palm frame, on the body.
        look: "section": the other four components of the wrench are zero; "projection": they have any value.
        title: title; the grip's label by default.
    """
    from matplotlib.figure import Figure

    sides(grip)
    if not planes:
        raise InputError("is empty", where="planes", fix='give pairs of axes such as "fx,fz"')
    columns = min(3, len(planes))
    rows = -(-len(planes) // columns)
    figure = Figure(figsize=(3.1 * columns, 3.0 * rows + 0.7), layout="constrained")
    for number, plane in enumerate(planes):
        section(grip, plane, figure.add_subplot(rows, columns, number + 1), look=look)
    known: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            known.setdefault(name, handle)
    if known:
        names = sorted(known)
        figure.legend(
            [known[name] for name in names],
            names,
            loc="outside lower center",
            ncols=len(names),
            fontsize=style.SMALL,
            frameon=False,
            labelcolor=style.INK,
        )
    named = title or style.verbatim(grip.label) or f"grip, {look}s"
    figure.suptitle(named, fontsize=style.LARGE, color=style.INK)
    return figure


def section(grip: Grip | OuterGrip | GripBounds, plane: str, ax: Any = None, *, look: Look = "section") -> Any:
    """One section, or projection, of a grip on `ax`; returns the Axes."""
    ax = style.axes(ax, "plane")
    inner, outer = sides(grip)
    found = [None if part is None else cut_outline(part, plane, look) for part in (inner, outer)]
    shapes = [None if one is None else one.corners for one in found]
    ends = [_extent(one) for one in found if one is not None]
    sizes = [end for end in ends if end > 0.0]
    reach = min(max(sizes), MOST * min(sizes)) if sizes else 1.0
    shown = np.concatenate([np.zeros((1, 2)), *(np.clip(s, -reach, reach) for s in shapes if s is not None)])
    middle = 0.5 * (shown.min(axis=0) + shown.max(axis=0))
    half = 0.5 * ROOM * float(np.ptp(shown, axis=0).max()) or reach
    frame = (middle - FRAME_SHARE * half, middle + FRAME_SHARE * half)
    looks = zip((inner, outer), shapes, (INNER, OUTER), ("inner", "outer"), (True, False), strict=True)
    missing = []
    for part, shape, colour, name, filled in looks:
        if shape is not None and len(shape):
            _draw(ax, within_frame(shape, *frame), frame, colour, name, filled=filled)
        elif part is not None:
            empty = isinstance(part, OuterGrip) and part.is_empty
            missing.append(f"the {name} set is empty" if empty else f"nothing of the {name} set here")
    if missing:
        words = {"ha": "center", "va": "top", "fontsize": style.SMALL, "color": style.INK}
        ax.text(0.5, 0.97, "\n".join(missing), transform=ax.transAxes, **words)
    ax.plot([0.0], [0.0], marker="+", color=style.INK, markersize=6.0, markeredgewidth=style.MEDIUM, linestyle="none")
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


def _draw(ax: Any, corners: Array, frame: tuple[Array, Array], colour: str, name: str, *, filled: bool) -> None:
    """A polygon, a segment or a point within a frame (low (2,), high (2,)); parts beyond the frame are dashed."""
    if not len(corners):
        return
    if filled and len(corners) > 2:
        ax.fill(*corners.T, facecolor=style.rgba(colour, 0.25), edgecolor="none")
    low, high = frame
    near = ON_FRAME * (high - low)
    sides = np.concatenate([np.abs(corners - low) <= near, np.abs(corners - high) <= near], axis=1)
    paths: dict[bool, list[Array]] = {False: [], True: []}  # solid, dashed
    if len(corners) == 2:
        a, b = (corner + DASHED * sides[i].any() * (corners[1 - i] - corner) for i, corner in enumerate(corners))
        paths[False].append(np.array([a, b]))
        paths[True].extend(np.array([corners[i], end]) for i, end in enumerate((a, b)) if sides[i].any())
    else:
        for corner, after, on, then in zip(
            corners, np.roll(corners, -1, axis=0), sides, np.roll(sides, -1, axis=0), strict=True
        ):
            paths[bool((on & then).any()) and len(corners) > 2].append(np.array([corner, after]))
    marker = "o" if len(corners) == 1 else None
    for dashed, pieces in paths.items():
        if pieces:
            look = {"linestyle": (0, (3, 2)), "linewidth": style.MEDIUM} if dashed else {"linewidth": style.THICK}
            label = f"{name}, continues" if dashed else name
            ax.plot(*_joined(pieces).T, color=colour, marker=marker, markersize=4.0, label=label, **look)


def _joined(pieces: list[Array]) -> Array:
    """Edges (2, 2) as one path (m, 2); nan separates edges that are not connected."""
    path = [pieces[0][0]]
    for piece, before in zip(pieces, [pieces[0][:1], *pieces[:-1]], strict=True):
        path += [piece[1]] if np.array_equal(before[-1], piece[0]) else [np.full(2, np.nan), piece[0], piece[1]]
    return np.array(path)


def _extent(shape: CutOutline) -> float:
    """The shown extent of a shape; of an unbounded one, slightly beyond its last real corner."""
    sizes = np.abs(shape.corners).max(axis=1) if len(shape.corners) else np.zeros(1)
    if not shape.is_cut:
        return float(sizes.max())
    near = sizes[sizes < sizes.max() / CUT]
    return 3.0 * float(near.max()) if near.any() else CONE_SHARE * float(sizes.max())
