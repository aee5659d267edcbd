"""Torque sets: the torques that allow the wanted motion, those among them that allow another, and those that do not.

One joint gives bars, two polygons, three solids; of more joints any one to three are shown, as a projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..plotting import style
from ..plotting.facets import facets, neighbours, uncovered, uncovered_segments
from ..plotting.solids import Solids
from .polyhedra import Polyhedron
from .torque_answers import TorqueSet

#: Torques that allow only the wanted motion, those that allow another too, and the outline of all feasible ones.
UNIQUE, FEASIBLE = style.VERDICT["holds"], style.INK
AMBIGUOUS = ("#E69F00", "#CC79A7", "#56B4E9", "#D55E00", "#8C6D46", "#0072B2", "#F0E442")

#: Sets without end are drawn this share of the finite ones' extent beyond them.
BEYOND = 0.6

#: Ambiguous sets that get a colour and a name of their own; when there are more, all are one. Modes named in one name.
MOST_SETS, MOST_MODES = 5, 4

#: How much of a colour is left in the filling of polygons, and the opacity of solids: unique ones, ambiguous ones.
FILLING, SOLID, SHADE = 0.4, 0.75, 0.16


#: From the axis of bars down to the legend [inch].
LEGEND = 0.5

#: Sets nearer to each other than this share of their size are one on paper.
SEEN = 1e-6


class Drawn(NamedTuple):
    """A set to draw: its name, its colour and the convex sets, in the axes shown [N m], it consists of."""

    name: str
    colour: str
    parts: list[Polyhedron]


def torque_set(
    answer: TorqueSet,
    ax: Any = None,
    *,
    axes: Sequence[int] | None = None,
    torques: ArrayLike | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """T* and the ambiguous rest of T_c, over one, two or three joint torques.

    Args:
        answer: what `hf.planar.torque_sets` returned.
        ax: Axes for as many torques as are shown (three need axes in space), or None for a new figure.
        axes: up to three motors to show, counted from 0; all when there are at most three, else the first two. Sets
            over more torques than shown are projected: their shadows may overlap where the sets do not.
        torques: (t,) or (m, t) to mark [N m]; coloured by what they allow.
        view: (elevation, azimuth) of three torques [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("answer", answer, TorqueSet, fix="give what hf.planar.torque_sets returned")
    shown = _axes(answer, axes)
    sets = drawn_sets(answer, shown)
    marks = np.zeros((0, answer.space.sizes[2])) if torques is None else np.atleast_2d(answer._torques(torques))
    low, high = window(sets, marks[:, shown])
    ax = style.axes(ax, "space" if len(shown) == 3 else "plane")
    names = [f"$\\tau_{{{i + 1}}}$ [N m]" for i in shown]
    if len(shown) == 1:
        _bars(ax, sets, low[0], high[0])
        ax.set_xlabel(names[0])
    elif len(shown) == 2:
        _polygons(ax, sets, low, high)
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])
    else:
        _solids(ax, sets, low, high)
        for letter, name in zip("xyz", names, strict=True):
            getattr(ax, f"set_{letter}label")(name, labelpad=2)
    _marks(ax, answer, marks, shown, len(sets))
    if len(shown) == 3:
        style.dress_space(ax, low, high, view=view, title=title)
    else:
        style.dress_plane(ax, title=title)
    if not sets:
        _say_empty(ax, answer)
    style.legend(ax, columns=2 if len(shown) > 1 else None)
    if len(shown) == 1 and ax.get_legend() is not None:
        # Bars make a low picture: its legend keeps a distance in inches, below the axis's name.
        tall = ax.get_position().height * ax.get_figure().get_size_inches()[1]
        ax.get_legend().set_bbox_to_anchor((0.5, -LEGEND / tall), transform=ax.transAxes)
    return ax


def torque_projections(
    answer: TorqueSet,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    torques: ArrayLike | None = None,
    columns: int = 2,
    title: str = "",
) -> Any:
    """The shadows of T_c and T* on pairs of joint torques, side by side.

    Args:
        answer: what `hf.planar.torque_sets` returned, over at least two torques.
        pairs: of motors, counted from 0; neighbours by default.
        torques: (t,) or (m, t) to mark [N m].
        columns: panels side by side.
        title: title of the whole.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("answer", answer, TorqueSet, fix="give what hf.planar.torque_sets returned")
    t = answer.space.sizes[2]
    if t < 2:
        raise InputError(f"has {t} torques", where="answer", fix="draw it by torque_set")
    chosen = list(pairwise(range(t))) if pairs is None else list(pairs)
    across = min(checks.count("columns", columns), len(chosen))
    down = -(-len(chosen) // across)
    figure = Figure(figsize=(3.6 * across, 3.2 * down + 0.6), layout="constrained")
    for k, pair in enumerate(chosen):
        ax = torque_set(answer, figure.add_subplot(down, across, k + 1), axes=pair, torques=torques)
        handles, names = ax.get_legend_handles_labels()
        if ax.get_legend() is not None:
            ax.get_legend().remove()
        if k == 0 and handles:
            figure.legend(
                handles, names, loc="outside lower center", ncols=min(len(names), 3), fontsize=style.SMALL,
                frameon=False, labelcolor=style.INK,
            )  # fmt: skip
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


def _axes(answer: TorqueSet, axes: Sequence[int] | None) -> list[int]:
    t = answer.space.sizes[2]
    if t == 0:
        raise InputError("has no motors", where="answer", fix="there is no torque to draw")
    given = list(range(t if t <= 3 else 2)) if axes is None else [int(i) for i in axes]
    if not 1 <= len(given) <= 3 or len(set(given)) < len(given) or not set(given) <= set(range(t)):
        raise InputError(f"is {given}", where="axes", fix=f"give one to three different motors of 0 to {t - 1}")
    return given


# -- what is drawn ----------------------------------------------------------------------------------


def drawn_sets(answer: TorqueSet, shown: Sequence[int]) -> list[Drawn]:
    """T*, then each ambiguous set with all modes and tasks that share it, in the torques `shown`."""
    found: list[Drawn] = []
    if answer.impact or answer.feasible.is_empty:
        return found
    whole = list(shown) == list(range(answer.space.sizes[2]))

    def seen(polyhedron: Polyhedron) -> Polyhedron:
        return polyhedron if whole else polyhedron.project(list(shown))

    if answer.unique:
        found.append(Drawn(f"$T^*$: only {answer.mode}", UNIQUE, [seen(piece) for piece in answer.unique]))
    groups: dict[tuple[Any, ...], tuple[list[str], Polyhedron]] = {}
    for i, one in enumerate(answer.ambiguities):
        torques = answer.ambiguous_torques(i)
        word = one.mode if one.task is None else f"{one.mode} against task {one.task + 1}"
        names, _ = groups.setdefault(_key(torques), ([], torques))
        if word not in names:
            names.append(word)
    if len(groups) > MOST_SETS:
        modes = len({one.mode for one in answer.ambiguities})
        rest = [seen(torques) for _, torques in groups.values()]
        return [*found, Drawn(f"also one or more of {modes} other modes", AMBIGUOUS[0], rest)]
    for k, (names, torques) in enumerate(groups.values()):
        more = f" and {len(names) - MOST_MODES} more" if len(names) > MOST_MODES else ""
        name = f"also {', '.join(names[:MOST_MODES])}{more}"
        found.append(Drawn(name, AMBIGUOUS[k], [seen(torques)]))
    return found


def _key(polyhedron: Polyhedron) -> tuple[Any, ...]:
    """What is the same for sets that look the same on paper."""
    vertices, rays, lines = polyhedron.generators
    scale = float(np.abs(vertices).max(initial=0.0)) or 1.0
    return tuple(tuple(sorted(map(tuple, np.round(part, 6) + 0.0))) for part in (vertices / scale, rays, np.abs(lines)))


def window(sets: Sequence[Drawn], marks: Array) -> tuple[Array, Array]:
    """(low, high) [N m] of the picture: all corners and marks, with room where a set goes on without end."""
    generators = [part.generators for one in sets for part in one.parts]
    corners = np.vstack([marks, *(g.vertices for g in generators)])
    d = corners.shape[1]
    if not len(corners):
        return -np.ones(d), np.ones(d)
    low, high = corners.min(axis=0), corners.max(axis=0)
    span = np.maximum(high - low, 0.5 * float(np.ptp(corners, axis=0).max()))
    span = np.where(span > 0.0, span, max(float(np.abs(corners).max()), 1e-9))
    rays = np.vstack([np.zeros((1, d)), *(g.all_rays for g in generators)])
    low = low - np.where(rays.min(axis=0) < -1e-9, BEYOND, 0.12) * span
    high = high + np.where(rays.max(axis=0) > 1e-9, BEYOND, 0.12) * span
    return low, high


def _clipped(part: Polyhedron, low: Array, high: Array) -> Array:
    """(v, d) corners of the part of a set within the window."""
    eye = np.eye(len(low))
    box = Polyhedron(np.vstack([eye, -eye]), np.concatenate([low, -high]))
    return part.intersect(box).generators.vertices


# -- one, two and three torques ---------------------------------------------------------------------


def _bars(ax: Any, sets: Sequence[Drawn], low: float, high: float) -> None:
    """A row for each set; ends that belong to it are filled dots, others hollow, endless ones arrows."""
    for row, one in enumerate(sets):
        y = -float(row)
        for part in one.parts:
            ends = _clipped(part, np.array([low]), np.array([high]))[:, 0]
            if not len(ends):
                continue
            start, end = float(ends.min()), float(ends.max())
            ax.plot([start, end], [y, y], color=one.colour, linewidth=7.0, solid_capstyle="butt", gid="set")
            vertices, rays, lines = part.generators
            for sign, at in ((-1.0, start), (1.0, end)):
                if len(lines) or (rays[:, 0] * sign > 0.0).any():
                    head = "<" if sign < 0.0 else ">"
                    ax.plot([at], [y], marker=head, color=one.colour, markersize=11, clip_on=False, gid="endless")
                elif start < end:
                    open_ = bool((part.strict & (part.A[:, 0] * sign < 0.0)).any())
                    look = {"markerfacecolor": "white" if open_ else one.colour, "markeredgecolor": one.colour}
                    ax.plot([at], [y], marker="o", markersize=7.5, markeredgewidth=1.6, gid="end", **look)
            if start == end:
                ax.plot([start], [y], marker="o", color=one.colour, markersize=8, gid="end")
            if not len(lines):
                _name_ends(ax, np.unique(vertices[:, 0]), y)
    ax.set_yticks([-float(row) for row in range(len(sets))], [one.name for one in sets])
    ax.set_ylim(-len(sets) + 0.3, 1.1)
    ax.tick_params(axis="y", pad=9)  # endless bars reach a little over the axis
    ax.set_xlim(low, high)
    figure = ax.get_figure()
    if len(figure.axes) == 1:
        figure.set_size_inches(6.0, 1.3 + 0.45 * max(len(sets), 1))


def _name_ends(ax: Any, ends: Array, y: float) -> None:
    """The finite ends of a bar in numbers above it: the lower to the left of it, the upper to the right."""
    for value in ends:
        side = "center" if len(ends) == 1 else ("right" if value == ends[0] else "left")
        ax.annotate(
            f"{value:.4g}" if abs(value) > 1e-12 else "0", (value, y), xytext=(0, 8), textcoords="offset points",
            ha=side, fontsize=style.SMALL, color=style.INK,
        )  # fmt: skip


def _polygons(ax: Any, sets: Sequence[Drawn], low: Array, high: Array) -> None:
    """Fillings without edges, so that pieces of one set look like one; ambiguous ones below."""
    for depth, one in enumerate(sets):
        named = False
        light = _lightened(one.colour, FILLING if one.colour == UNIQUE else 0.7 * FILLING)
        for part in _seen_parts(one.parts):
            corners = _clipped(part, low, high)
            if not len(corners):
                continue
            label = None if named else one.name
            named = True
            flat = Polytope(corners)
            order = 2.0 - 0.1 * depth
            if flat.dimension == 2:
                around = flat.extreme - flat.extreme.mean(axis=0)
                ring = flat.extreme[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
                edge = light if len(one.parts) > 1 else style.darker(one.colour, 0.8)
                look = {"facecolor": light, "edgecolor": edge, "zorder": order}
                ax.fill(*ring.T, linewidth=style.MEDIUM, label=label, gid="set", **look)
            else:
                ends = flat.extreme[[0, -1]]
                look = {"color": one.colour, "linewidth": style.THICK, "marker": "o", "markersize": 3.0}
                ax.plot(*ends.T, label=label, zorder=order + 1.0, gid="set", **look)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])


def _lightened(colour: str, share: float) -> tuple[float, float, float]:
    """`colour` with white, `share` of it left."""
    red, green, blue, _ = style.rgba(colour, 1.0)
    return 1.0 - share * (1.0 - red), 1.0 - share * (1.0 - green), 1.0 - share * (1.0 - blue)


def _seen_parts(parts: Sequence[Polyhedron]) -> list[Polyhedron]:
    """The parts but for flat ones in the closure of a solid one: a border between pieces is none of the set."""
    largest = max((part.dimension for part in parts), default=0)
    solid = [part for part in parts if part.dimension == largest]
    closed = [Polyhedron(part.A, part.b, part.C, part.d, dimension=part.ambient_dimension) for part in solid]
    flat = [part for part in parts if part.dimension < largest]
    return solid + [part for part in flat if not any(_within(part, whole) for whole in closed)]


def _within(part: Polyhedron, whole: Polyhedron) -> bool:
    """Whether the middle of a part, as far as it can be seen, is in another."""
    return bool(whole.contains(part.generators.vertices.mean(axis=0), tolerance=SEEN))


def _solids(ax: Any, sets: Sequence[Drawn], low: Array, high: Array) -> None:
    """Faces of each set, as far as no other piece of the same set covers them."""
    solids = Solids()
    for one in sets:
        ax.scatter([], [], [], marker="s", color=one.colour, label=one.name)  # for the legend alone
        corners = [_clipped(part, low, high) for part in _seen_parts(one.parts)]
        bodies = [Polytope(each) for each in corners if len(each)]
        for index, body in enumerate(bodies):
            _add_body(solids, bodies, index, one.colour, SOLID if one.colour == UNIQUE else SHADE)
            if body.dimension == 0:
                ax.scatter(*body.extreme[0], color=one.colour, s=20)
    solids.draw(ax, gid="sets")


def _add_body(solids: Solids, bodies: list[Polytope], index: int, colour: str, opacity: float) -> None:
    others = neighbours(bodies, index)
    if bodies[index].dimension == 1:
        solids.add_lines([(bodies[index].extreme[0], bodies[index].extreme[-1])], colour)
    for face in facets(bodies[index]):
        ring = zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True)
        lines = [line for start, end in ring for line in uncovered_segments(start, end, others)]
        solids.add_face(uncovered(face, others), face.normal, colour, opacity, lines)


def _marks(ax: Any, answer: TorqueSet, marks: Array, shown: list[int], rows: int) -> None:
    """Given torques, coloured by what they allow."""
    colours = {"unique": UNIQUE, "ambiguous": AMBIGUOUS[0], "infeasible": style.VERDICT["does not hold"]}
    said: set[str] = set()
    for mark in marks:
        word = str(answer.classify(mark))
        look: dict[str, Any] = {"marker": "D", "markersize": 6.5, "linestyle": "none", "zorder": style.MARKS}
        look |= {"markerfacecolor": colours[word], "markeredgecolor": style.INK, "markeredgewidth": 0.8}
        place = list(mark[shown])
        if len(shown) == 1:
            ax.axvline(place[0], color=style.INK, linewidth=style.THIN, linestyle=(0, (3, 2)))
            place.append(0.85 if rows else 0.0)
        ax.plot(*([x] for x in place), label=None if word in said else f"given torque: {word}", gid="mark", **look)
        said.add(word)


def _say_empty(ax: Any, answer: TorqueSet) -> None:
    words = "impact: no answer" if answer.impact else f"no torque allows {answer.mode}"
    text = ax.text2D if hasattr(ax, "text2D") else ax.text
    text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", fontsize=style.NORMAL, color=style.INK)
