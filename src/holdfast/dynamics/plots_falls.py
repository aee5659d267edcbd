"""What an object does next, as stills side by side: the object, its contacts by what they do, its way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..assembly.plots import BODY, LINK, Subject, add_shape, subject_of
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from ..plotting import style
from ..plotting.solids import Solids
from .motion import Fall, Frame
from .plots_separations import NEGLIGIBLE, STATE
from .states import ContactState
from .touch import Touch

#: Length of the longest force arrow of a strip and of the acceleration, as shares of the size of what is drawn.
FORCE_LENGTH, MOTION_LENGTH = 0.30, 0.22

#: How far the lines of surfaces reach to either side of a contact, as a share of the size of what is drawn.
SURFACE = 0.25

#: Room round what a still shows, as a share of its size.
MARGIN = 0.05

#: Width of one still, its least and largest height, and the room above and below for words [inch].
STILL, HEIGHTS, ABOVE, BELOW = 2.2, (0.7, 3.4), 0.5, 0.8


def fall_strip(subject: Any, fall: Fall, *, shape: Any = None, most: int = 5, side: Any = None, title: str = "") -> Any:
    """Stills of an illustrative motion side by side, seen along one direction, gravity pointing down the page.

    Each still shows the object (outlined where it began), the contacts by what they do, their forces, and the
    direction of the acceleration of its centre of mass.

    Args:
        subject: the Assembly, Device or Scene; the last two know the object's outline.
        fall: what `hf.fall` returned.
        shape: the object's outline, as for `assembly`.
        most: stills to draw; the first and the last are always among them, and those in which contacts change first.
        side: (3,) direction to look along; by default the one about which the object turns, or in which it moves least.
        title: title; by default the name and how it ends.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    if not isinstance(fall, Fall):
        raise InputError(f"is a {type(fall).__name__}", where="fall", fix="give what hf.fall returned")
    thing = subject_of(subject, (), shape)
    if len(thing.assembly) != len(fall.assembly):
        what = f"is about {len(fall.assembly)} contacts, not {len(thing.assembly)}"
        raise InputError(what, where="fall", fix="give the motion of this assembly")
    chosen = chosen_frames(fall, checks.count("most", most, low=2))
    frames = [fall.frames[i] for i in chosen]
    page = _page(fall, side, getattr(subject, "gravity", None))
    polygons = _outline(thing, fall)
    bodies = np.concatenate([f.pose.apply(p) @ page.T for f in frames for p in polygons])
    size = float(np.ptp(bodies, axis=0).max())
    strongest = max(float(np.linalg.norm(f.forces, axis=1).max()) for f in frames)
    scale = FORCE_LENGTH * size / strongest if strongest > 0.0 else 0.0
    points = [x @ page.T for f in frames for x in (f.placement.positions, f.placement.positions + scale * f.forces)]
    extent = np.concatenate([bodies, *points])
    low, high = extent.min(axis=0) - MARGIN * size, extent.max(axis=0) + MARGIN * size
    tall = float(np.clip(STILL * (high[1] - low[1]) / (high[0] - low[0]), *HEIGHTS))
    figure = Figure(figsize=(STILL * len(chosen), tall + ABOVE + BELOW))
    for place, number in enumerate(chosen):
        ax = figure.add_subplot(1, len(chosen), place + 1)
        frame = fall.frames[number]
        _draw_ground(ax, fall, page, size)
        _draw_object(ax, polygons, frame.pose, page, number > 0)
        _draw_still(ax, frame, page, scale, size)
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(f"still {number}", fontsize=style.NORMAL, color=style.INK, pad=3)
        words = {"transform": ax.transAxes, "ha": "center", "va": "top", "fontsize": style.SMALL, "color": style.INK}
        ax.text(0.5, -0.02, _caption(fall, number, last=place == len(chosen) - 1), **words)
    name = style.verbatim(thing.assembly.name)
    words = f"{name}: {fall.end.value}" if name else f"it {fall.end.value}"
    whole = tall + ABOVE + BELOW
    figure.suptitle(title or words, fontsize=style.LARGE, color=style.INK, y=1.0 - 0.02 / whole, va="top")
    _strip_legend(figure, fall, chosen)
    figure.subplots_adjust(left=0.01, right=0.99, top=1.0 - ABOVE / whole, bottom=BELOW / whole, wspace=0.04)
    return figure


def chosen_frames(fall: Fall, most: int) -> list[int]:
    """Numbers of the frames to draw: first and last, then those in which contacts change, then evenly between."""
    last = len(fall) - 1
    chosen = {0, last}
    changes = [i for i, frame in enumerate(fall.frames) if frame.lost or frame.landed]
    evenly = [round(x) for x in np.linspace(0, last, most)]
    for number in [*changes, *evenly, *range(last)]:
        if len(chosen) < min(most, last + 1):
            chosen.add(int(number))
    return sorted(chosen)


def _page(fall: Fall, side: Any, gravity: Array | None) -> Array:
    """(2, 3) directions to the right and up the page: gravity, else the load, points down as far as can be."""
    frame, last = fall.frames[0], fall.frames[-1]
    load = frame.separation.wrench[:3] if frame.separation is not None else np.zeros(3)
    load = gravity if gravity is not None and gravity.any() else load
    up = -load / np.linalg.norm(load) if load.any() else np.array([0.0, 0.0, 1.0])
    if side is not None:
        along = checks.direction("side", side, 3)
    else:
        turn = last.pose.rotation - last.pose.rotation.T
        axis = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
        travel = last.com - frame.com
        across = np.cross(up, travel)
        points = fall.assembly.positions - fall.assembly.positions.mean(axis=0)
        along = axis if np.linalg.norm(axis) > 0.02 else across  # radians; a smaller turn is not seen
        if np.linalg.norm(along) <= NEGLIGIBLE * max(float(np.linalg.norm(travel)), np.finfo(float).tiny):
            along = np.cross(up, np.linalg.svd(points)[2][0])
        if np.linalg.norm(along) <= NEGLIGIBLE:
            along = np.array([0.0, 1.0, 0.0]) if abs(up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        along = along / np.linalg.norm(along)
        along = along * (1.0 if along[np.abs(along).argmax()] > 0.0 else -1.0)  # looking along +y shows +x to the right
    if abs(float(along @ up)) > 0.99:
        up = np.array([1.0, 0.0, 0.0]) if abs(along[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    up = up - (up @ along) * along
    up /= np.linalg.norm(up)
    return np.array([np.cross(along, up), up])


def _outline(thing: Subject, fall: Fall) -> list[Array]:
    """Polygons (m, 3) of the object in the first frame; without a shape, lines from its centre to its contacts."""
    if thing.shape is None:
        com = fall.frames[0].com
        return [np.array([com, point]) for point in fall.assembly.positions]
    solids = Solids()
    add_shape(solids, thing.shape)
    return [np.asarray(polygon) for polygon in solids.polygons]


def _draw_object(ax: Any, polygons: list[Array], pose: Pose, page: Array, moved: bool) -> None:
    """The object, and behind it where it began."""
    from matplotlib.collections import LineCollection, PolyCollection

    if len(polygons[0]) == 2:
        lines = [pose.apply(p) @ page.T for p in polygons]
        ax.add_collection(LineCollection(lines, colors=BODY, linewidths=1.4, zorder=2))
        return
    if moved:
        ghost = [p @ page.T for p in polygons]
        ax.add_collection(PolyCollection(ghost, facecolors="#F1F1F1", edgecolors="#F1F1F1", linewidths=1.4, zorder=0.5))
    flat = [pose.apply(p) @ page.T for p in polygons]
    ax.add_collection(PolyCollection(flat, facecolors="#CFCFCF", edgecolors="#CFCFCF", linewidths=1.4, zorder=1.5))


def _draw_ground(ax: Any, fall: Fall, page: Array, size: float) -> None:
    """What stays in the world: a line for each flat surface, a wedge for each point."""
    around = fall.surroundings
    starts = fall.frames[0].placement.positions
    for i, (contact, touch) in enumerate(zip(around.assembly.contacts, around.touches, strict=True)):
        normal = contact.rotation[:, 2]
        point, out = (contact.position - around.gaps[i] * normal) @ page.T, normal @ page.T
        if np.linalg.norm(out) < 0.2:  # its surface faces the reader
            continue
        out = out / np.linalg.norm(out)
        across = np.array([-out[1], out[0]])
        if touch is Touch.REST:
            back = point - 0.06 * size * out
            corners = np.array([point, back + 0.03 * size * across, back - 0.03 * size * across])
            ax.fill(*corners.T, facecolor=LINK, edgecolor="none", zorder=1.0, gid="ground")
        else:
            gone = max(float(np.linalg.norm(frame.placement.positions[i] - starts[i])) for frame in fall.frames)
            long = min(float(around.reach[i]), gone + SURFACE * size)
            line = np.array([point - long * across, point + long * across])
            ax.plot(*line.T, color=LINK, linewidth=1.3, solid_capstyle="butt", zorder=1.0, gid="ground")


def _draw_still(ax: Any, frame: Frame, page: Array, scale: float, size: float) -> None:
    """Contacts, forces and the acceleration of one frame."""
    arrows = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
    points = frame.placement.positions @ page.T
    states: tuple[ContactState | None, ...] = frame.states
    for point, force, state in zip(points, frame.forces @ page.T, states, strict=True):
        kind = "open" if state is None else state.mode.value
        if state is not None and np.linalg.norm(force) * scale > 0.02 * size:
            look = arrows | {"color": style.darker(STATE[kind], 0.85), "linewidth": 1.2}
            ax.annotate(
                "",
                xy=tuple(point + scale * force),
                xytext=tuple(point),
                arrowprops=look,
                zorder=4,
                annotation_clip=False,
            )
        still = state is not None and (state.pulls_while_separating or state.presses_while_separating)
        if still:
            ax.plot(*point, "o", ms=8.0, mfc="none", mec=STATE[kind], mew=0.9, zorder=5)
        ax.plot(*point, "o", ms=4.6, mfc=STATE[kind], mec=style.INK, mew=0.5, zorder=5, gid=kind)
    com = frame.com @ page.T
    ax.plot(*com, "o", ms=3.4, color=style.MOTION, zorder=6)
    if frame.acceleration is not None:
        way = (frame.acceleration[:3] + np.cross(frame.acceleration[3:], frame.com)) @ page.T
        length = float(np.linalg.norm(way))
        free = float(np.linalg.norm(frame.acceleration[:3] + np.cross(frame.acceleration[3:], frame.com)))
        if length > 0.05 * free and free > 0.0:
            look = arrows | {"color": style.MOTION, "linewidth": 2.0, "mutation_scale": 10}
            end = com + MOTION_LENGTH * size * way / length
            ax.annotate("", xy=tuple(end), xytext=tuple(com), arrowprops=look, zorder=6, annotation_clip=False)


def _caption(fall: Fall, number: int, *, last: bool) -> str:
    """What happened on the way to a still."""
    frame = fall.frames[number]
    lines = []
    for word, some in (("lost", frame.lost), ("closed", frame.landed)):
        names = [style.verbatim(fall.assembly.contacts[i].name) or str(i) for i in some]
        if names:
            lines.append(f"{word}: {names[0]}" if len(names) == 1 else f"{word}: {len(names)} contacts")
    count = len(frame.touching)
    touching = "1 contact touches" if count == 1 else f"{count} contacts touch"
    lines.append(touching if count else "nothing touches")
    if last:
        lines.append(fall.end.value)
    return "\n".join(lines)


def _strip_legend(figure: Any, fall: Fall, chosen: Sequence[int]) -> None:
    """What the colours mean, and the step, below the stills."""
    from matplotlib.lines import Line2D

    states = [state for i in chosen for state in fall.frames[i].states]
    kinds = {"open" if state is None else state.mode.value for state in states}
    look = {"linestyle": "", "marker": "o", "mec": style.INK, "mew": 0.5, "ms": 4.6}
    handles = [Line2D([], [], mfc=STATE[kind], label=kind, **look) for kind in STATE if kind in kinds]
    if any(state is not None and (state.pulls_while_separating or state.presses_while_separating) for state in states):
        ring = {"linestyle": "", "marker": "o", "mfc": "none", "mec": STATE["separates"], "ms": 8.0}
        handles.append(Line2D([], [], label="still pulls or presses", **ring))
    handles.append(Line2D([], [], color=style.MOTION, linewidth=2.0, label="way of the centre of mass"))
    handles.append(Line2D([], [], linestyle="", label=f"illustrative, steps of {1e3 * fall.step:.3g} mm"))
    figure.legend(
        handles=handles, loc="lower center", ncols=len(handles), fontsize=style.SMALL, frameon=False,
        labelcolor=style.INK, handlelength=1.4, columnspacing=1.3, bbox_to_anchor=(0.5, 0.0),
    )  # fmt: skip
