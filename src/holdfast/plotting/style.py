"""One style for all pictures: palette, line widths, font sizes, legends; and the axes to draw on.

Settings are given to each artist, never to matplotlib as a whole, so that a user's own figures stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from shapely import Polygon

Projection = Literal["plane", "space", "polar"]

#: Colours of pieces, devices and curves: Okabe and Ito's, which colour-blind readers can distinguish.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C6D46")

#: Colours of the axes of a contact frame: x shear red, y lateral green, z normal blue, as in the paper's Fig. 4.
FRAME = ("#C62828", "#2E7D32", "#1565C0")

#: Names of the axes of a contact frame.
AXIS_NAMES = ("shear $x$ [N]", "lateral $y$ [N]", "normal $z$ [N]")

#: Colours of the verdicts, which colour-blind readers can distinguish.
VERDICT = {"holds": "#009E73", "does not hold": "#D55E00", "undecided": "#9E9E9E"}

INK = "#222222"  # letters, outlines, forces
FAINT = "#B8B8B8"  # grid, axes, things in the background
ASSUMED = "#A6A6A6"  # what was not measured
FORCE = "#333333"  # contact forces
LIMIT = "#D55E00"  # contacts at their limit
LOAD = "#7B3294"  # the external wrench
MOTION = "#D55E00"  # the motion when it does not hold

THIN, MEDIUM, THICK = 0.5, 1.1, 1.8  # line widths [pt]
SMALL, NORMAL, LARGE = 7.5, 9.0, 10.5  # letters [pt]
SIZE = {"plane": (6.0, 4.4), "space": (5.6, 5.0), "polar": (5.4, 5.4)}  # [inch]

#: Drawing order in space, from back to front: arrows away from the viewer, bodies, marks on them, other arrows.
BEHIND, BODIES, MARKS, ARROWS = 4.0, 5.0, 6.0, 7.0

#: Length of the longest arrow of a force or motion, as a share of the size of what is drawn.
LONGEST = 0.33

#: Direction of the light that shades surfaces in space, and of a weaker light on the shaded side.
LIGHT = np.array([-0.35, -0.55, 0.76])
SECOND_LIGHT = np.array([0.6, -0.2, -0.77])


def colour(index: int) -> str:
    """The colour of the piece, curve or device number `index`; the palette repeats."""
    return PALETTE[index % len(PALETTE)]


def axes(ax: Any, kind: Projection) -> Any:
    """`ax` if it is of the wanted kind, or the Axes of a new figure when it is None.

    "plane" has two straight axes, "space" three, "polar" an angle and a radius.
    """
    if ax is None:
        from matplotlib.figure import Figure

        projection = {"plane": None, "space": "3d", "polar": "polar"}[kind]
        return Figure(figsize=SIZE[kind]).add_subplot(projection=projection)
    name = {"rectilinear": "plane", "3d": "space", "polar": "polar"}.get(getattr(ax, "name", ""))
    if name != kind:
        fix = {
            "plane": "give plain Axes",
            "space": 'make it by figure.add_subplot(projection="3d")',
            "polar": 'make it by figure.add_subplot(projection="polar")',
        }[kind]
        have = f"is an Axes for {name or 'another projection'}" if hasattr(ax, "name") else f"is a {type(ax).__name__}"
        raise InputError(have, where="ax", fix=fix)
    return ax


def dress_plane(ax: Axes, *, title: str = "") -> None:
    """Style of plane axes: faint axes and grid, small font."""
    for side, spine in ax.spines.items():
        spine.set_color(FAINT)
        spine.set_linewidth(THIN)
        spine.set_visible(side in ("left", "bottom"))
    ax.grid(True, color="#E6E6E6", linewidth=THIN)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SMALL, labelcolor=INK)
    ax.tick_params(which="both", color=FAINT, length=2.5, width=THIN)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_fontsize(NORMAL)
        axis.label.set_color(INK)
    name(ax, title)


def dress_space(ax: Any, low: Array, high: Array, *, view: Sequence[float], title: str = "") -> None:
    """Equal scales on the box from `low` to `high` (3,), plain walls, the camera at `view`.

    `view` is (elevation, azimuth) in degrees.
    """
    elevation, azimuth = checks.array("view", view, (2,))
    # matplotlib sorts collections and patches by depth separately; the orders above hold for both.
    ax.computed_zorder = False
    ax.patch.set_visible(False)  # neighbouring artists may overlap these axes
    span = np.maximum(high - low, 1e-3 * float((high - low).max()) or 1.0)
    middle = 0.5 * (low + high)
    span = np.maximum(span, 0.25 * span.max()) * 1.04  # a flat set still gets a box with room for its ticks
    for k, letter in enumerate("xyz"):
        getattr(ax, f"set_{letter}lim")(middle[k] - 0.5 * span[k], middle[k] + 0.5 * span[k])
        axis = getattr(ax, f"{letter}axis")
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set_color(FAINT)
        axis.line.set_linewidth(THIN)
        axis._axinfo["grid"].update(color="#E3E3E3", linewidth=THIN)
        axis.label.set_fontsize(NORMAL)
        axis.label.set_color(INK)
        axis.set_ticks(_ticks(middle[k], span[k], int(np.clip(round(6 * span[k] / span.max()), 2, 6))))
    ax.set_box_aspect(tuple(span), zoom=1.0)
    ax.tick_params(labelsize=SMALL, labelcolor=INK, color=FAINT, pad=1)
    ax.view_init(elev=elevation, azim=azimuth)
    ax.set_proj_type("persp", focal_length=2.0)
    if title:  # the height is set afterwards: 3D axes change the one that set_title is given
        ax.set_title(title, fontsize=LARGE, color=INK, y=1.0)
        above = 0.015 if elevation >= 0.0 else 0.11  # seen from below, the names of x and y are at the top
        ax.title.set_y(heights_on_paper(ax)[1] + above)


def heights_on_paper(ax: Any) -> tuple[float, float]:
    """Lowest and highest point of the box of axes in space, as shares of the axes' height."""
    ends = [getattr(ax, f"get_{letter}lim")() for letter in "xyz"]
    corners = np.array([[ends[k][bit] for k, bit in enumerate(bits)] for bits in np.ndindex(2, 2, 2)])
    projected = np.column_stack([corners, np.ones(8)]) @ ax.get_proj().T
    paper = ax.viewLim  # the part of the plane of projection that the axes show
    found = (projected[:, 1] / projected[:, 3] - paper.y0) / paper.height
    return float(found.min()), float(found.max())


#: Least distance between texts in 3D pictures [px, at the resolution of the figure].
BETWEEN_WORDS = 4.0

#: Step by which the name of a 3D axis is moved away from the numbers [pt], and the most steps for any text.
STEP_AWAY, MOST_STEPS = 2.0, 12


#: The `gid` of a word in a plane that `untangle` may move down where it meets another such word.
MOVABLE = "name"


def shifted(ax: Any, right: float, up: float) -> Any:
    """The transform of data coordinates and a shift of so many points to the right and up, for `Axes.text`."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transData + ScaledTranslation(right / 72.0, up / 72.0, ax.get_figure().dpi_scale_trans)


def untangle(figure: Any) -> None:
    """Remove overlaps of texts: in 3D pictures fewer numbers on axes and names farther out; in a plane, names.

    Positions of texts are only known when the figure has its final size and view, so `save` calls this.
    """
    spaces = [ax for ax in figure.axes if ax.name == "3d" and ax.get_visible()]
    for ax in figure.axes:
        movable = [text for text in ax.texts if text.get_gid() == MOVABLE] if ax.name == "rectilinear" else []
        if len(movable) > 1:
            figure.draw_without_rendering()
            _separate(movable)
    heavy = [artist for ax in spaces for artist in (*ax.collections, *ax.patches, *ax.lines) if artist.get_visible()]
    if not spaces:
        return
    for artist in heavy:  # not needed to place texts
        artist.set_visible(False)
    try:
        figure.draw_without_rendering()
        framed = [(ax.xaxis, ax.yaxis, ax.zaxis) for ax in spaces if ax._axis3don]
        for ax in spaces:
            _separate(ax.texts)
        for axes in framed:
            _thin_out(axes)
        for _ in range(MOST_STEPS):
            figure.draw_without_rendering()
            moved = [_step_away(axes) for axes in framed]
            if not any(moved):
                break
    finally:
        for artist in heavy:
            artist.set_visible(True)


def text_box(text: Any) -> Polygon:
    """The rotated box of a text on paper [px]; the figure must have been drawn."""
    from shapely import Polygon

    angle, place = text.get_rotation(), text.get_position()
    if hasattr(text, "get_position_3d"):  # such a text has its position on paper only while it is drawn
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        x, y, z = text.get_position_3d()
        text.set_position(proj_transform(x, y, z, text.axes.get_proj())[:2])
    around = text.get_window_extent()
    text.set_rotation(0.0)
    straight = text.get_window_extent()
    text.set_rotation(angle)
    text.set_position(place)
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    corners = 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (straight.width, straight.height)
    middle = [0.5 * (around.x0 + around.x1), 0.5 * (around.y0 + around.y1)]
    return Polygon(corners @ [[cos, sin], [-sin, cos]] + middle)


def _meet(one: Polygon, other: Polygon) -> bool:
    """Whether two boxes on paper are closer than the least distance between texts."""
    return one.distance(other) < BETWEEN_WORDS


def _separate(texts: Sequence[Any]) -> None:
    """Of two names that overlap, move the lower one down until they do not."""
    from matplotlib.transforms import ScaledTranslation

    for _ in range(MOST_STEPS):
        boxes = [text_box(text) for text in texts]
        pair = next(((i, j) for i, j in combinations(range(len(texts)), 2) if _meet(boxes[i], boxes[j])), None)
        if pair is None:
            return
        upper, lower = sorted(pair, key=lambda k: -boxes[k].centroid.y)
        figure = texts[lower].get_figure()
        down = boxes[lower].bounds[3] - boxes[upper].bounds[1] + BETWEEN_WORDS + 1.0
        moved = ScaledTranslation(0.0, -down / figure.dpi, figure.dpi_scale_trans)
        texts[lower].set_transform(texts[lower].get_transform() + moved)


def drawn_ticks(axis: Any) -> list[Any]:
    """The ticks of an axis that lie between its ends, with a number; the others are not drawn."""
    low, high = sorted(axis.get_view_interval())
    ticks = (tick for tick in axis.get_major_ticks() if tick.label1.get_visible() and tick.label1.get_text())
    return [tick for tick in ticks if low <= tick.get_loc() <= high]


def _labels(axis: Any) -> list[tuple[float, Any]]:
    """Place and box on paper of each number that is drawn on an axis."""
    return [(tick.get_loc(), text_box(tick.label1)) for tick in drawn_ticks(axis)]


def _thin_out(axes: Sequence[Any]) -> None:
    """Leave out numbers that overlap others, first on the axis with the most; those that stay are evenly spaced."""
    kept = [_labels(axis) for axis in axes]
    for index in sorted(range(len(axes)), key=lambda k: -len(kept[k])):
        own, count = kept[index], len(kept[index])
        others = [box for k, found in enumerate(kept) if k != index for _, box in found]
        blocked = [any(_meet(box, other) for other in others) for _, box in own]
        meeting = {(i, j) for i, j in combinations(range(count), 2) if _meet(own[i][1], own[j][1])}
        spans = [(first, last + 1) for first in range(count) for last in range(first, count)]
        rows = (range(*span, step) for step in range(1, count + 1) for span in spans)
        clear = [row for row in rows if not any(blocked[i] for i in row) and not meeting & {*combinations(row, 2)}]
        best = max(clear, key=lambda row: (len(row), row[-1] - row[0]), default=range(count))
        if len(best) < count:
            kept[index] = [own[i] for i in best]
            axes[index].set_ticks([place for place, _ in kept[index]])


def _step_away(axes: Sequence[Any]) -> bool:
    """Move names of axes that overlap numbers or earlier names a step outwards; whether there were any."""
    taken = [box for axis in axes for _, box in _labels(axis)]
    moved = False
    for axis in axes:
        if not axis.label.get_text():
            continue
        box = text_box(axis.label)
        if any(_meet(box, other) for other in taken):
            axis.labelpad += STEP_AWAY
            moved = True
        taken.append(box)
    return moved


def _ticks(middle: float, span: float, count: int) -> Array:
    """Round numbers on an axis, none so near its ends that it overlaps the numbers of the next axis."""
    from matplotlib.ticker import MaxNLocator

    low, high = middle - 0.5 * span, middle + 0.5 * span
    ticks = np.asarray(MaxNLocator(nbins=count, steps=[1, 2, 5, 10]).tick_values(low, high))
    ticks = ticks[(ticks >= low) & (ticks <= high)]
    inner = ticks[np.abs(ticks - middle) <= 0.42 * span]
    return inner if len(inner) >= 2 else ticks


def verbatim(words: str) -> str:
    """A name for a title, a label or a tick, with its dollar signs escaped: they do not begin mathematics.

    Names of scenes, contacts and designs come from files and may contain anything; titles given by a caller are left
    as they are, so that mathematics can be written in them. A text that is escaped already is not changed.
    """
    return re.sub(r"(?<!\\)\$", r"\\$", words)


def titles_verbatim(figure_or_ax: Any) -> None:
    """Apply `verbatim` to every title of a figure, or of the figure of an Axes: for titles made of names alone."""
    figure = figure_or_ax.get_figure() or figure_or_ax
    for words in (*figure.texts, *(ax.title for ax in figure.axes)):
        words.set_text(verbatim(words.get_text()))


def name(ax: Any, title: str) -> None:
    """The title of one picture, when there is one."""
    if title:
        ax.set_title(title, fontsize=LARGE, color=INK)


def legend(ax: Any, *, columns: int | None = None) -> None:
    """A legend below the drawing, so that it never covers data; none when nothing has a name."""
    handles, names = ax.get_legend_handles_labels()
    if not handles:
        return
    drop = heights_on_paper(ax)[0] - 0.16 if ax.name == "3d" else {"polar": -0.1}.get(ax.name, -0.15)
    ax.legend(
        handles,
        names,
        loc="upper center",
        bbox_to_anchor=(0.5, drop),
        ncols=min(len(handles), 4) if columns is None else columns,
        fontsize=SMALL,
        frameon=False,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=1.4,
        borderaxespad=0.0,
    )


def shaded(base: str, normals: Array, opacity: float) -> Array:
    """(n, 4) colours of faces with outward unit `normals` (n, 3): `base`, darker on the side away from the light."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(base))
    first, second = (0.5 + 0.5 * normals @ (light / np.linalg.norm(light)) for light in (LIGHT, SECOND_LIGHT))
    turn = np.clip(np.maximum(first, 0.65 * second), 0.0, 1.0)[:, None]
    # From half of the colour in the shade to 30 % of white mixed in where the light is perpendicular.
    mixed = rgb * (0.5 + 0.5 * turn) + (1.0 - rgb) * 0.3 * np.maximum(turn - 0.5, 0.0) * 2.0
    return np.column_stack([np.clip(mixed, 0.0, 1.0), np.full(len(normals), opacity)])


def rgba(base: str, opacity: float) -> tuple[float, float, float, float]:
    """A colour as numbers from 0 to 1."""
    from matplotlib.colors import to_rgb

    return (*to_rgb(base), opacity)


def darker(base: str, share: float) -> str:
    """`base` with `share` of its brightness."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = to_rgb(base)
    return to_hex((share * red, share * green, share * blue))


def plane_arrow(ax: Any, start: Array, end: Array, colour: str, gid: str, *, wide: bool = False) -> Any:
    """An arrow in the plane, in data coordinates; a wide one is drawn below the others."""
    from matplotlib.patches import FancyArrowPatch

    drawn = FancyArrowPatch(
        tuple(start),
        tuple(end),
        mutation_scale=1.0,
        shrinkA=0.0,
        shrinkB=0.0,
        color=colour,
        gid=gid,
        **_arrow_look(wide),
    )
    ax.add_patch(drawn)
    return drawn


def turn_arrow(ax: Any, centre: Array, radius: float, left: bool, colour: str, gid: str, *, wide: bool = False) -> Any:
    """An arc of three quarters of a turn round `centre`, counter-clockwise when `left`."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    sweep = np.linspace(-0.25 * np.pi, 1.15 * np.pi, 40)
    angles = sweep if left else np.pi - sweep
    path = Path(centre + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    drawn = FancyArrowPatch(path=path, mutation_scale=1.0, color=colour, gid=gid, fill=False, **_arrow_look(wide))
    ax.add_patch(drawn)
    return drawn


def _arrow_look(wide: bool) -> dict[str, Any]:
    """Line, head and order of an arrow."""
    head, line, order = (7.0, 2.8, 4.6) if wide else (5.0, THICK, 5.0)
    return {"arrowstyle": f"-|>,head_length={head},head_width={0.45 * head}", "linewidth": line, "zorder": order}
