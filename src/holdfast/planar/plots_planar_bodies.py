"""Planar bodies in contact: outlines, friction cones, loads, reactions, and each motion that is possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from .motion_sets import Motion, MotionSet
from .problems import Problem

#: Colours and words of contact modes, those of separating contacts in space.
MODE = {
    "F": ("#009E73", "fixed (F)"),
    "R": ("#E69F00", "slides right (R)"),
    "L": ("#56B4E9", "slides left (L)"),
    "S": ("#CC79A7", "separates (S)"),
}

BODY, GROUND = "#DCE8F2", "#E4E0D8"

#: A displaced outline is drawn where the farthest corner has moved by this share of the body's size.
STEP = 0.16

#: Length of the longest arrow, of a friction cone and radius of a torque's arc, as shares of the body's size.
ARROW, CONE, ARC = 0.45, 0.3, 0.17

#: Room round what is drawn, as a share of the body's size.
ROOM = 0.08

#: Forces below this share of the largest, and turns of less than this share of the motion, have no arrow.
NEGLIGIBLE = 1e-3

#: How far from its contact a name stands, as a share of the body's size.
NAME = 0.09

#: Width of a panel of `planar_motions` [inch].
PANEL = 3.4

#: How many motions of a continuum are drawn.
GHOSTS = 3


def planar_body(
    problem: Problem,
    ax: Any = None,
    *,
    mode: str | None = None,
    motion: Motion | None = None,
    cones: bool = True,
    load: bool = True,
    title: str = "",
) -> Any:
    """A body in contact with its obstacles: contacts, friction cones, load, reactions and acceleration.

    Arrows of forces share one scale. With a `motion`, the dashed outline shows where a body that starts from rest goes;
    one that moves already gets the arrows of its velocity and acceleration alone.

    Args:
        problem: from `holdfast.planar.problems`.
        ax: plain Axes, or None for a new figure.
        mode: contacts take the colours of its letters.
        motion: an acceleration with reactions, such as `MotionPiece.sample()` returns.
        cones: whether to draw the friction cone of each contact.
        load: whether to draw the applied force and torque.
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("problem", problem, Problem, fix="give a Problem of holdfast.planar.problems")
    if mode is not None and (len(mode) != len(problem.contacts) or set(mode) - set(MODE)):
        fix = f"give {len(problem.contacts)} letters of S, F, R, L"
        raise InputError(f"is {mode!r}", where="mode", fix=fix)
    ax = style.axes(ax, "plane")
    size = problem.outline.size
    for obstacle in problem.obstacles:
        ax.fill(*obstacle.vertices.T, facecolor=GROUND, edgecolor=style.ASSUMED, linewidth=style.THIN, gid="obstacle")
    ax.fill(*problem.outline.vertices.T, facecolor=BODY, edgecolor=style.INK, linewidth=style.MEDIUM, gid="body")
    seen = [problem.outline.vertices]
    if motion is not None and not problem.velocity.any():
        seen.append(_ghost(ax, problem, motion.acceleration, 1.0))
    if cones:
        seen.append(_cones(ax, problem, CONE * size))
    seen.append(_forces(ax, problem, None if motion is None else motion.forces, load=load))
    if motion is not None:
        seen.append(_accelerations(ax, problem, motion.acceleration))
    seen.append(_contacts(ax, problem, mode))
    ax.plot(*problem.centre, marker="+", color=style.INK, markersize=7, markeredgewidth=style.MEDIUM, gid="centre")
    _dress(ax, np.vstack(seen), ROOM * size, title)
    return ax


def planar_motions(problem: Problem, answer: MotionSet | None = None, *, columns: int = 3, title: str = "") -> Any:
    """Every possible motion in a panel of its own, named by its mode.

    A mode with a continuum of motions shows several of them, one with its reactions.

    Args:
        problem: from `holdfast.planar.problems`.
        answer: what `problem.motions()` returned; asked when it is not given.
        columns: how many panels stand side by side at most.
        title: title of the whole; by default the name and the status.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("problem", problem, Problem, fix="give a Problem of holdfast.planar.problems")
    found = problem.motions() if answer is None else answer
    panels = list(found.modes.items())
    across = min(checks.count("columns", columns), max(len(panels), 1))
    down = -(-max(len(panels), 1) // across)
    figure = Figure(layout="constrained")
    if not panels:
        ax = figure.add_subplot()
        planar_body(problem, ax)
    for k, (mode, piece) in enumerate(panels):
        ax = figure.add_subplot(down, across, k + 1)
        if not piece.is_point and not problem.velocity.any():
            for other in piece.samples(GHOSTS - 1):
                _ghost(ax, problem, other.acceleration, 0.45)
        planar_body(problem, ax, mode=mode, motion=piece.sample(), title=mode if len(panels) > 1 else "")
    for ax in figure.axes:
        if (single := ax.get_legend()) is not None:
            single.remove()
    limits = np.array([(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes])  # (panels, 2, 2)
    low, high = limits[..., 0].min(axis=0), limits[..., 1].max(axis=0)
    for ax in figure.axes:
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    tallest = float((high - low)[1] / (high - low)[0])
    inner = PANEL * min(1.0, 1.3 / tallest)
    figure.set_size_inches((max(inner + 0.7, 1.9) * across + 0.3, (inner * tallest + 0.75) * down + 0.9))
    _figure_legend(figure, 3 if across == 1 else 4)
    figure.suptitle(title or f"{style.verbatim(problem.name)}: {_status(found)}", fontsize=style.LARGE, color=style.INK)
    return figure


def _status(found: MotionSet) -> str:
    """How many motions there are, in words."""
    only = f", {next(iter(found.modes))}" if len(found.modes) == 1 else ""
    words = {
        "unique": f"one motion{only}",
        "finite": f"{len(found.modes)} motions",
        "continuum": f"a continuum of motions{only}",
        "inconsistent": "no motion",
    }
    return words.get(found.status.value, found.status.value)


def displaced(outline: Array, centre: Array, twist: Array, size: float, step: float = STEP) -> Array:
    """(n, 2) corners after the body has started along `twist` (x, y, angle), its farthest corner by `step` sizes.

    It turns about the centre of the twist, so that a pivot stays where it is.
    """
    offsets = outline - centre
    speeds = twist[:2] + twist[2] * np.column_stack([-offsets[:, 1], offsets[:, 0]])
    fastest = float(np.linalg.norm(speeds, axis=1).max())
    if fastest == 0.0:
        return outline
    dx, dy, turn = twist * (step * size / fastest)
    if abs(turn) * size <= NEGLIGIBLE * step * size:
        return outline + np.array([dx, dy])
    pole = centre + np.array([-dy, dx]) / turn
    c, s = np.cos(turn), np.sin(turn)
    return (outline - pole) @ np.array([[c, s], [-s, c]]) + pole


def _ghost(ax: Any, problem: Problem, acceleration: Array, opacity: float) -> Array:
    """The outline a moment later; where it was drawn."""
    if not acceleration.any():
        return problem.outline.vertices
    corners = displaced(problem.outline.vertices, problem.centre, acceleration, problem.outline.size)
    ax.fill(
        *corners.T, facecolor="none", edgecolor=style.MOTION, linewidth=style.MEDIUM, linestyle=(0, (4, 2)),
        alpha=opacity, zorder=2.2, gid="ghost",
    )  # fmt: skip
    return corners


def _cones(ax: Any, problem: Problem, length: float) -> Array:
    seen = [problem.points]
    for contact, point in zip(problem.contacts, problem.points, strict=True):
        angle = np.arctan(contact.mu)
        facing = np.arctan2(contact.normal[1], contact.normal[0])
        fan = facing + np.linspace(-angle, angle, 25)
        arc = point + length * np.column_stack([np.cos(fan), np.sin(fan)])
        seen.append(arc)
        ax.fill(*np.vstack([point, arc]).T, color=style.PALETTE[1], alpha=0.22, linewidth=0, zorder=2.4, gid="cone")
        ax.plot(
            *np.vstack([arc[0], point, arc[-1]]).T, color=style.darker(style.PALETTE[1], 0.85),
            linewidth=style.THIN, zorder=2.5, gid="cone edges",
        )  # fmt: skip
    return np.vstack(seen)


def _forces(ax: Any, problem: Problem, forces: Array | None, *, load: bool) -> Array:
    """Load at the centre of mass, reactions at their contacts, one scale for both; a torque as an arc."""
    size, seen = problem.outline.size, [problem.centre]
    applied = problem.force[:2] if load else np.zeros(2)
    at_contacts = np.zeros((0, 2))
    if forces is not None:
        frames = [np.array([c.tangent, c.normal]) for c in problem.contacts]
        at_contacts = np.array([f @ frame for f, frame in zip(forces, frames, strict=True)]).reshape(-1, 2)
    largest = float(np.linalg.norm(np.vstack([applied, at_contacts]), axis=1).max())
    if largest > 0.0:
        scale = ARROW * size / largest
        for force, point in zip(at_contacts, problem.points, strict=False):
            if np.linalg.norm(force) > NEGLIGIBLE * largest:
                arrow(ax, point, point + scale * force, style.FORCE, "reaction")
                seen.append(point + scale * force)
        if np.linalg.norm(applied) > NEGLIGIBLE * largest:
            arrow(ax, problem.centre, problem.centre + scale * applied, style.LOAD, "load")
            seen.append(problem.centre + scale * applied)
    torque = float(problem.force[2]) if load else 0.0
    if abs(torque) > NEGLIGIBLE * largest * size:
        turn_arrow(ax, problem.centre, ARC * size, torque > 0.0, style.LOAD, "torque")
        seen += [problem.centre - ARC * size, problem.centre + ARC * size]
    return np.array(seen)


def _accelerations(ax: Any, problem: Problem, acceleration: Array) -> Array:
    """Velocity and acceleration by direction; wide, so that a force along the same line is seen on top."""
    size, seen = problem.outline.size, [problem.centre]
    if problem.velocity.any():
        speed = np.linalg.norm(problem.velocity[:2])
        if speed > 0.0:
            way = problem.velocity[:2] * (0.5 * ARROW * size / speed)
            arrow(ax, problem.centre, problem.centre + way, style.PALETTE[0], "velocity", wide=True)
            seen.append(problem.centre + way)
    straight = float(np.linalg.norm(acceleration[:2]))
    turning = abs(float(acceleration[2])) * problem.body.radius_of_gyration
    if straight > NEGLIGIBLE * turning:
        end = problem.centre + acceleration[:2] * (0.7 * ARROW * size / straight)
        arrow(ax, problem.centre, end, style.MOTION, "acceleration", wide=True)
        seen.append(end)
    if turning > NEGLIGIBLE * straight:
        radius = 1.4 * ARC * size
        turn_arrow(ax, problem.centre, radius, acceleration[2] > 0.0, style.MOTION, "acceleration", wide=True)
        seen += [problem.centre - radius, problem.centre + radius]
    return np.array(seen)


def _contacts(ax: Any, problem: Problem, mode: str | None) -> Array:
    size, seen = problem.outline.size, []
    for k, (contact, point) in enumerate(zip(problem.contacts, problem.points, strict=True)):
        colour = style.INK if mode is None else MODE[mode[k]][0]
        ax.plot(
            *point, marker="o", markersize=6.5, markerfacecolor=colour, markeredgecolor=style.INK,
            markeredgewidth=style.THIN, linestyle="none", zorder=6, gid="contact",
            label=None if mode is None else MODE[mode[k]][1],
        )  # fmt: skip
        # The name stands on the obstacle's side, clear of arrows and cones.
        seen.append(point - NAME * size * contact.normal)
        ax.annotate(
            str(k + 1) if mode is None else f"{k + 1} {mode[k]}", seen[-1],
            ha="center", va="center", fontsize=style.SMALL, color=style.INK, zorder=7,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        )  # fmt: skip
    return np.array(seen).reshape(-1, 2)


#: What the gids of arrows are called in a legend, with their colours.
ARROWS = {
    "load": ("applied force", style.LOAD),
    "torque": ("applied torque", style.LOAD),
    "reaction": ("reaction", style.FORCE),
    "velocity": ("velocity", style.PALETTE[0]),
    "acceleration": ("acceleration", style.MOTION),
}


def _handles(axes: list[Any]) -> tuple[list[Any], list[str]]:
    """One entry for each kind of contact, arrow and outline that was drawn."""
    from matplotlib.lines import Line2D

    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    drawn = {artist.get_gid() for ax in axes for artist in ax.get_children()}
    for gid, (name, colour) in ARROWS.items():
        if gid in drawn:
            handles[name] = Line2D([], [], color=colour, linewidth=style.THICK)
    if "ghost" in drawn:
        handles["where it goes"] = Line2D([], [], color=style.MOTION, linewidth=style.MEDIUM, linestyle=(0, (4, 2)))
    return list(handles.values()), list(handles)


def _figure_legend(figure: Any, columns: int) -> None:
    handles, names = _handles(figure.axes)
    if handles:
        figure.legend(
            handles, names, loc="outside lower center", ncols=min(len(names), columns), fontsize=style.SMALL,
            frameon=False, labelcolor=style.INK,
        )  # fmt: skip


def _dress(ax: Any, seen: Array, room: float, title: str) -> None:
    """Equal scales round what was drawn; obstacles may reach out of the picture."""
    from matplotlib.ticker import MaxNLocator

    low, high = seen.min(axis=0) - room, seen.max(axis=0) + room
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.set_aspect("equal")
    ax.set_xlabel("$x$ [m]")
    ax.set_ylabel("$y$ [m]")
    style.dress_plane(ax, title=title)
    ax.grid(False)
    handles, names = _handles([ax])
    if handles:
        ax.legend(
            handles, names, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=min(len(names), 3),
            fontsize=style.SMALL, frameon=False, labelcolor=style.INK,
        )  # fmt: skip


def arrow(ax: Any, start: Array, end: Array, colour: str, gid: str, *, wide: bool = False) -> Any:
    """An arrow in the plane, in data coordinates; a wide one is drawn below the others."""
    from matplotlib.patches import FancyArrowPatch

    drawn = FancyArrowPatch(
        tuple(start), tuple(end), mutation_scale=1.0, shrinkA=0.0, shrinkB=0.0, color=colour, gid=gid, **_look(wide)
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
    drawn = FancyArrowPatch(path=path, mutation_scale=1.0, color=colour, gid=gid, fill=False, **_look(wide))
    ax.add_patch(drawn)
    return drawn


def _look(wide: bool) -> dict[str, Any]:
    """Line, head and order of an arrow."""
    head, line, order = (7.0, 2.8, 4.6) if wide else (5.0, style.THICK, 5.0)
    return {"arrowstyle": f"-|>,head_length={head},head_width={0.45 * head}", "linewidth": line, "zorder": order}
