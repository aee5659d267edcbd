"""Pictures of planar contact: bodies and their motions, friction cones, region maps, chains, climbs, torque sets.

Torque sets of one joint are bars, of two polygons; of more joints one or two are shown, as a projection.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..plotting import style
from .chains import Chain, ContactLike, LinkContact, contact_of
from .channels import Channel
from .climbing import SnakeClimb
from .erdmann import FrictionCone
from .motion_sets import MotionSet, PlanarMotion, RegionMap
from .polyhedra import Polyhedron
from .problems import Problem
from .torques import TorqueSet

#: Colours and names of contact modes.
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

#: Free space around the drawing, as a share of the body's size.
ROOM = 0.08

#: Forces below this share of the largest, and turns of less than this share of the motion, have no arrow.
NEGLIGIBLE = 1e-3

#: Distance of a name from its contact, as a share of the body's size.
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
    motion: PlanarMotion | None = None,
    cones: bool = True,
    load: bool = True,
    title: str = "",
) -> Any:
    """A body in contact with its obstacles: contacts, friction cones, load, reactions and acceleration.

    Arrows of forces share one scale. With a `motion`, the dashed outline shows the motion of a body that starts from
    rest; a moving body only gets arrows of its velocity and acceleration.

    Args:
        problem: a `Problem`, such as `load_planar("@ladder")`.
        ax: plain Axes, or None for a new figure.
        mode: contacts take the colours of its letters.
        motion: an acceleration with reactions, such as `MotionPiece.sample()` returns.
        cones: whether to draw the friction cone of each contact.
        load: whether to draw the applied force and torque.
        title: title of the picture.

    Returns:
        The Axes.
    """
    from matplotlib.ticker import MaxNLocator

    checks.instance("problem", problem, Problem, fix="give a holdfast.planar.Problem")
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
        for contact, point in zip(problem.contacts, problem.points, strict=True):
            seen += [point[None], _cone(ax, point, contact.normal, contact.mu, CONE * size, edges=True)]
    seen.append(_forces(ax, problem, None if motion is None else motion.forces, load=load))
    if motion is not None:
        seen.append(_accelerations(ax, problem, motion.acceleration))
    seen.append(_contacts(ax, problem, mode))
    ax.plot(*problem.centre, marker="+", color=style.INK, markersize=7, markeredgewidth=style.MEDIUM, gid="centre")
    drawn = np.vstack(seen)  # obstacles may extend beyond the picture
    _dress(ax, drawn.min(axis=0) - ROOM * size, drawn.max(axis=0) + ROOM * size, title)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    _legend(ax, *_handles([ax]), 3, -0.13)
    return ax


def planar_motions(problem: Problem, answer: MotionSet | None = None, *, columns: int = 3, title: str = "") -> Any:
    """Every possible motion in a panel of its own, named by its mode.

    A mode with a continuum of motions shows several of them, one with its reactions.

    Args:
        problem: a `Problem`, such as `load_planar("@ladder")`.
        answer: what `problem.motions()` returned; computed if it is not given.
        columns: most panels side by side.
        title: title of the whole; by default the name and the status.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("problem", problem, Problem, fix="give a holdfast.planar.Problem")
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
    _legend(figure, *_handles(figure.axes), 3 if across == 1 else 4)
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
    """(n, 2) corners after a motion along `twist` (x, y, angle) that moves the farthest corner by `step` sizes.

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
    """Draw the outline a moment later; returns its points."""
    if not acceleration.any():
        return problem.outline.vertices
    corners = displaced(problem.outline.vertices, problem.centre, acceleration, problem.outline.size)
    ax.fill(
        *corners.T, facecolor="none", edgecolor=style.MOTION, linewidth=style.MEDIUM, linestyle=(0, (4, 2)),
        alpha=opacity, zorder=2.2, gid="ghost",
    )  # fmt: skip
    return corners


def _cone(ax: Any, point: Array, normal: Array, mu: float, length: float, *, edges: bool = False) -> Array:
    """A friction cone of the plane as a sector; its arc (25, 2)."""
    facing, angle = np.arctan2(normal[1], normal[0]), np.arctan(mu)
    fan = facing + np.linspace(-angle, angle, 25)
    arc = point + length * np.column_stack([np.cos(fan), np.sin(fan)])
    look: dict[str, Any] = {"alpha": 0.22, "zorder": 2.4} if edges else {"alpha": 0.3, "zorder": 2}
    ax.fill(*np.vstack([point, arc]).T, color=style.PALETTE[1], linewidth=0, gid="cone", **look)
    if edges:
        shade = style.darker(style.PALETTE[1], 0.85)
        sides = np.vstack([arc[0], point, arc[-1]])
        ax.plot(*sides.T, color=shade, linewidth=style.THIN, zorder=2.5, gid="cone edges")
    return arc


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
                style.plane_arrow(ax, point, point + scale * force, style.FORCE, "reaction")
                seen.append(point + scale * force)
        if np.linalg.norm(applied) > NEGLIGIBLE * largest:
            style.plane_arrow(ax, problem.centre, problem.centre + scale * applied, style.LOAD, "load")
            seen.append(problem.centre + scale * applied)
    torque = float(problem.force[2]) if load else 0.0
    if abs(torque) > NEGLIGIBLE * largest * size:
        style.turn_arrow(ax, problem.centre, ARC * size, torque > 0.0, style.LOAD, "torque")
        seen += [problem.centre - ARC * size, problem.centre + ARC * size]
    return np.array(seen)


def _accelerations(ax: Any, problem: Problem, acceleration: Array) -> Array:
    """Velocity and acceleration by direction; wide, so that a force along the same line is visible on top."""
    size, seen = problem.outline.size, [problem.centre]
    if problem.velocity.any():
        speed = np.linalg.norm(problem.velocity[:2])
        if speed > 0.0:
            way = problem.velocity[:2] * (0.5 * ARROW * size / speed)
            style.plane_arrow(ax, problem.centre, problem.centre + way, style.PALETTE[0], "velocity", wide=True)
            seen.append(problem.centre + way)
    straight = float(np.linalg.norm(acceleration[:2]))
    turning = abs(float(acceleration[2])) * problem.body.radius_of_gyration
    if straight > NEGLIGIBLE * turning:
        end = problem.centre + acceleration[:2] * (0.7 * ARROW * size / straight)
        style.plane_arrow(ax, problem.centre, end, style.MOTION, "acceleration", wide=True)
        seen.append(end)
    if turning > NEGLIGIBLE * straight:
        radius = 1.4 * ARC * size
        style.turn_arrow(ax, problem.centre, radius, acceleration[2] > 0.0, style.MOTION, "acceleration", wide=True)
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
        # The name is on the obstacle's side, away from arrows and cones.
        seen.append(point - NAME * size * contact.normal)
        ax.annotate(
            str(k + 1) if mode is None else f"{k + 1} {mode[k]}", seen[-1],
            ha="center", va="center", fontsize=style.SMALL, color=style.INK, zorder=7,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        )  # fmt: skip
    return np.array(seen).reshape(-1, 2)


#: Names of the gids of arrows in a legend, with their colours.
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
        handles["motion from rest"] = Line2D([], [], color=style.MOTION, linewidth=style.MEDIUM, linestyle=(0, (4, 2)))
    return list(handles.values()), list(handles)


def _legend(
    where: Any, handles: Any, names: Sequence[str], columns: int, drop: float | None = None, **look: Any
) -> None:
    """A legend below a figure, or at the height `drop` of Axes; none without handles."""
    place = {"loc": "outside lower center"} if drop is None else {"loc": "upper center", "bbox_to_anchor": (0.5, drop)}
    if handles:
        look = {"fontsize": style.SMALL, "frameon": False, "labelcolor": style.INK, **place, **look}
        where.legend(handles, names, ncols=min(len(names), columns), **look)


def _dress(ax: Any, low: Array, high: Array, title: str = "") -> None:
    """Equal scales from `low` to `high` [m], and names of the axes."""
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="$x$ [m]", ylabel="$y$ [m]")
    style.dress_plane(ax, title=title)
    ax.grid(False)


#: Axes of the picture: torque / rho to the right, Fx into the page, Fy up, as a right-handed frame.
ORDER = (2, 0, 1)

#: An edge whose height along the cone's axis is below this share of its length is drawn with length one.
LEVEL = 0.15


def friction_cone(
    cone: FrictionCone,
    ax: Any = None,
    *,
    names: Sequence[str] | None = None,
    view: Sequence[float] = (18.0, -35.0),
    title: str = "",
) -> Any:
    """The cones of single contacts, and the dashed outline of their sum; all are unbounded and drawn cut off.

    A cone that contains lines (contacts that can squeeze) has no outline: only the single cones are drawn.

    Args:
        cone: from `holdfast.planar.friction_cone`.
        ax: axes in space (projection "3d"), or None for a new figure.
        names: of the contacts, for the legend; their numbers by default.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    checks.instance("cone", cone, FrictionCone, fix="give what holdfast.planar.friction_cone returned")
    ax = style.axes(ax, "space")
    edges, level = _cut(cone)
    shown = edges[..., ORDER]
    words = [f"contact {k + 1}" for k in range(len(edges))] if names is None else list(names)
    for k, pair in enumerate(shown):
        sheet = Poly3DCollection(
            [np.vstack([np.zeros(3), pair])], facecolor=style.rgba(style.colour(k), 0.5), label=words[k],
            edgecolor=style.darker(style.colour(k), 0.8), linewidth=style.MEDIUM, zorder=style.BODIES, gid="sheet",
        )  # fmt: skip
        ax.add_collection3d(sheet)
    if cone.is_pointed and level and cone.dimension == 3:
        rim = _rim(cone, edges)[:, ORDER]
        sides = [np.vstack([np.zeros(3), a, b]) for a, b in zip(rim, np.roll(rim, -1, axis=0), strict=True)]
        hull = Poly3DCollection(
            sides, facecolor=style.rgba("#999999", 0.13), edgecolor="none", zorder=style.BEHIND, gid="side"
        )
        ax.add_collection3d(hull)
        lines = list(zip(rim, np.roll(rim, -1, axis=0), strict=True))
        outline = Line3DCollection(
            lines, colors=style.INK, linewidths=style.MEDIUM, linestyles="dashed", zorder=style.MARKS, gid="rim",
            label="composite cone",
        )  # fmt: skip
        ax.add_collection3d(outline)
    points = np.vstack([np.zeros((1, 3)), shown.reshape(-1, 3)])
    ax.set_xlabel(r"torque / $\rho$ [N]")
    ax.set_ylabel("$F_x$ [N]")
    ax.set_zlabel("$F_y$ [N]")
    note = "" if cone.is_pointed else "every force" if cone.is_whole_space else "contains lines"
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title or note)
    style.legend(ax)
    return ax


def _cut(cone: FrictionCone) -> tuple[Array, bool]:
    """(edges, whether they end on one plane): cut across the cone's axis, the edges for 1 N where that is possible."""
    edges = np.array(cone.edges)
    if not len(edges):
        return edges, False
    units = edges / np.linalg.norm(edges, axis=2, keepdims=True)
    axis = units.reshape(-1, 3).sum(axis=0)
    length = float(np.linalg.norm(axis))
    if length == 0.0 or float((units @ (axis / length)).min()) < LEVEL:
        return units, False
    # Edges that end on a plane for a normal force of 1 N each, as on a flat floor, are left as they are.
    plane = np.linalg.lstsq(edges.reshape(-1, 3), np.ones(2 * len(edges)), rcond=None)[0]
    if np.abs(edges @ plane - 1.0).max() < 1e-9:
        return edges, True
    return units / (units @ (axis / length))[..., None], True


def _rim(cone: FrictionCone, edges: Array) -> Array:
    """(m, 3) ends of the extreme edges, in order round the cone."""
    ends = edges.reshape(-1, 3)
    units = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    kept = [int(np.argmin(np.abs(units - ray).max(axis=1))) for ray in cone.rays]
    corners = ends[sorted(set(kept))]
    middle = corners.mean(axis=0)
    frame = np.linalg.svd(corners - middle)[2][:2]
    flat = (corners - middle) @ frame.T
    return corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]


#: The palette repeats for further labels, lighter by this share.
LIGHTER = 0.45


def region_map(
    regions: RegionMap, ax: Any = None, *, xlabel: str = "", ylabel: str = "", columns: int = 2, title: str = ""
) -> Any:
    """The grid of a region map in one colour for each set of modes, with a legend below.

    Args:
        regions: from `holdfast.planar.region_map`.
        ax: plain Axes, or None for a new figure.
        xlabel, ylabel: what the parameters are, with their units.
        columns: of the legend.
        title: title of the picture.

    Returns:
        The Axes.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    checks.instance("regions", regions, RegionMap, fix="give what holdfast.planar.region_map returned")
    ax = style.axes(ax, "plane")
    colours = [_colour(k) for k in range(len(regions.labels))]
    ax.pcolormesh(
        _borders(regions.xs), _borders(regions.ys), regions.regions, cmap=ListedColormap(colours),
        vmin=-0.5, vmax=len(colours) - 0.5, shading="flat", rasterized=True, gid="regions",
    )  # fmt: skip
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    style.dress_plane(ax, title=title)
    ax.grid(False)
    patches = [Patch(facecolor=c, edgecolor=style.FAINT, label=n) for c, n in zip(colours, regions.names, strict=True)]
    _legend(ax, patches, regions.names, columns, -0.15)
    return ax


def _colour(index: int) -> tuple[float, float, float]:
    """Colours of the palette, lighter for large areas, and lighter again when it repeats."""
    from matplotlib.colors import to_rgb

    share = min(0.2 + LIGHTER * (index // len(style.PALETTE)), 0.85)
    base = np.array(to_rgb(style.colour(index)))
    red, green, blue = (base + share * (1.0 - base)).tolist()
    return red, green, blue


def _borders(values: Array) -> Array:
    """(n + 1,) borders of the cells round sorted or unsorted grid values."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = 0.5 * (values[:-1] + values[1:])
    return np.concatenate([[2.0 * values[0] - middles[0]], middles, [2.0 * values[-1] - middles[-1]]])


#: Colours of links and nodes that brace, and of those that move.
BRACING, FREE = "#009E73", "#0072B2"

#: Length of a friction cone and free space around a posture, as shares of its size.
CHAIN_CONE, CHAIN_ROOM = 0.11, 0.12


def chain_posture(
    chain: Chain,
    q: ArrayLike,
    ax: Any = None,
    *,
    contacts: Sequence[ContactLike] = (),
    walls: Iterable[ArrayLike] = (),
    mode: str | None = None,
    bracing: int | None = None,
    title: str = "",
) -> Any:
    """A chain in posture `q` [m, rad] with its nodes, contacts, friction cones and walls.

    Args:
        chain: the links.
        q: (2 + n,) posture.
        ax: plain Axes, or None for a new figure.
        contacts: its contacts, as for `Chain.system`.
        walls: polylines (m, 2) [m].
        mode: contacts take the colours of its letters.
        bracing: number of links, from the first, drawn as bracing; all by default.
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("chain", chain, Chain, fix="give a holdfast.planar.Chain")
    touching = [contact_of(contact, len(chain.links)) for contact in contacts]
    if mode is not None and (len(mode) != len(touching) or set(mode) - set(MODE)):
        raise InputError(f"is {mode!r}", where="mode", fix=f"give {len(touching)} letters of S, F, R, L")
    ax = style.axes(ax, "plane")
    nodes, angles = chain.nodes(q), chain.angles(q)
    size = float(np.ptp(nodes, axis=0).max())
    for wall in walls:
        ax.plot(*checks.array("walls", wall, ("m", 2)).T, color=style.INK, linewidth=style.THICK, gid="wall")
    assert chain.parents is not None
    for i, start in enumerate(chain.parents):
        ends = nodes[[start, i + 1]]
        colour = BRACING if bracing is None or i < bracing else FREE
        ax.plot(*ends.T, color=colour, linewidth=3.2, solid_capstyle="round", zorder=3, gid="link")
    ax.plot(*nodes.T, "o", color="white", mec=style.INK, mew=0.8, ms=5.5, zorder=4, gid="nodes")
    for k, contact in enumerate(touching):
        if isinstance(contact, LinkContact):
            start = nodes[chain.parents[contact.link]]
            point = start + contact.along * (nodes[contact.link + 1] - start)
        else:
            point = nodes[contact.node]
        colour, word = (style.INK, None) if mode is None else MODE[mode[k]]
        normal = contact.normal_at(angles)
        _cone(ax, point, normal, contact.mu, CHAIN_CONE * size)
        ax.plot(*point, "o", color=colour, mec=style.INK, mew=0.6, ms=7, zorder=5, label=word, gid="contact")
        ax.annotate(
            str(k + 1), point - 0.05 * size * normal, ha="center", va="center", fontsize=style.SMALL, color=style.INK
        )
    low, high = nodes.min(axis=0) - CHAIN_ROOM * size, nodes.max(axis=0) + CHAIN_ROOM * size
    _dress_channel(ax, low, high, title)
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    _legend(ax, list(handles.values()), list(handles), 2, -0.11, handlelength=1.0)
    return ax


def _dress_channel(ax: Any, low: Array, high: Array, title: str = "") -> None:
    _dress(ax, low, high, title)
    shape = float((high - low)[0] / (high - low)[1])
    ax.locator_params(axis="x", nbins=int(np.clip(round(7 * shape), 2, 7)))


# -- climbs -----------------------------------------------------------------------------------------


def climb_stills(climb: SnakeClimb, *, most: int = 6, title: str = "") -> Any:
    """The snake in its channel at the start and after each step, side by side; only the channel where no brace held.

    The part that braced during the step is green, the part that moved blue; dots are contacts, and a faint line shows
    the snake before the step.

    Args:
        climb: what `hf.planar.climb` returned.
        most: most stills; the first and the last are included.
        title: title of the whole; by default how the climb ended.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("climb", climb, SnakeClimb, fix="give what hf.planar.climb returned")
    checks.count("most", most, low=2)
    ends = len(climb.steps)
    chosen = np.unique(np.round(np.linspace(0, ends, min(most, ends + 1))).astype(int))
    low, high = _bounds(climb)
    across = float((high - low)[0] / (high - low)[1])
    tall = 5.2
    wide = float(np.clip(tall * across, 1.25, 4.0))
    figure = Figure(figsize=(max(wide * len(chosen) + 0.7, 4.5), tall + 0.9), layout="constrained")
    first = None
    for k, number in enumerate(chosen):
        ax = figure.add_subplot(1, len(chosen), k + 1, sharey=first)
        first = first or ax
        _walls(ax, climb.channel, low, high)
        step = climb.steps[number - 1] if number else None
        if step is None:
            name = "start" if climb.start is not None else "no brace at the start"
            nodes = np.zeros((0, 2)) if climb.start is None else climb.chain.nodes(climb.start)
            holding = climb.steps[0].brace_nodes if climb.steps else ()
        else:
            nodes, holding = step.nodes[-1], step.brace_nodes
            ax.plot(*step.nodes[0].T, color=style.FAINT, linewidth=2.0, zorder=1.5, gid="before")
            name = f"{number}: {step.kind}"
        _snake(ax, nodes, holding)
        _dress_channel(ax, low, high, name)
        if k:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
    if climb.start is not None:
        _legend(figure, *_keys(), 2)
    heading = title or f"{climb.status}: {climb.reason.split(' because ')[0].removesuffix(', most often')}"
    figure.suptitle(heading, fontsize=style.LARGE, color=style.INK)
    return figure


def _keys() -> tuple[list[Any], list[str]]:
    """Legend handles and names of a snake's colours."""
    from matplotlib.lines import Line2D

    names = {BRACING: "links that brace, with their contacts", FREE: "links that move"}
    return [Line2D([], [], color=colour, linewidth=3.4) for colour in names], list(names.values())


def _snake(ax: Any, nodes: Array, bracing: Sequence[int]) -> None:
    """The links and nodes; those that brace in green, with dots where they touch."""
    holding = set(bracing)
    if not len(nodes):
        return
    for i in range(len(nodes) - 1):
        colour = BRACING if {i, i + 1} <= holding else FREE
        ax.plot(*nodes[i : i + 2].T, color=colour, linewidth=3.4, solid_capstyle="round", zorder=3, gid="link")
    ax.plot(*nodes.T, "o", color="white", mec=style.INK, mew=0.7, ms=4.5, zorder=4, gid="nodes")
    if holding:
        touching = nodes[sorted(holding)]
        ax.plot(*touching.T, "o", color=BRACING, mec=style.INK, mew=0.7, ms=6.5, zorder=5, gid="contacts")


def _bounds(climb: SnakeClimb) -> tuple[Array, Array]:
    """(low, high) of the whole climb [m], with the walls on both sides."""
    walls = np.vstack([climb.channel.left, climb.channel.right])
    first = walls if climb.start is None else climb.chain.nodes(climb.start)
    nodes = np.vstack([first, *(step.nodes.reshape(-1, 2) for step in climb.steps)])
    size = float(np.ptp(nodes, axis=0).max())
    low, high = nodes.min(axis=0) - 0.06 * size, nodes.max(axis=0) + 0.06 * size
    low[0] = min(low[0], float(walls[:, 0].min()) - 0.06 * size)
    high[0] = max(high[0], float(walls[:, 0].max()) + 0.06 * size)
    return low, high


def _walls(ax: Any, channel: Channel, low: Array, high: Array) -> None:
    """The two walls as solid ground."""
    for wall, edge in ((channel.left, low[0] - 1.0), (channel.right, high[0] + 1.0)):
        ring = np.vstack([wall, [edge, wall[-1, 1]], [edge, wall[0, 1]]])
        ax.fill(*ring.T, facecolor=GROUND, edgecolor="none", zorder=1, gid="wall")
        ax.plot(*wall.T, color=style.ASSUMED, linewidth=style.MEDIUM, zorder=1.2, gid="wall edge")


#: Torques that allow only the wanted motion, and those that allow another too.
UNIQUE = style.VERDICT["holds"]
AMBIGUOUS = ("#E69F00", "#CC79A7", "#56B4E9", "#D55E00", "#8C6D46", "#0072B2", "#F0E442")

#: Unbounded sets are drawn beyond the bounded ones by this share of their extent.
BEYOND = 0.6

#: Most ambiguous sets with a colour and name each; more are drawn as one. Most modes listed in one name.
MOST_SETS, MOST_MODES = 5, 4

#: Share of the colour in the filling of polygons.
FILLING = 0.4


#: From the axis of bars down to the legend [inch].
LEGEND = 0.5

#: Sets closer to each other than this share of their size are drawn as one.
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
    title: str = "",
) -> Any:
    """T* and the ambiguous rest of T_c, over one or two joint torques.

    Args:
        answer: what `hf.planar.torque_sets` returned.
        ax: plain Axes, or None for a new figure.
        axes: one or two motors to show, counted from 0; by default the first two, or the only one. Sets over more
            torques than shown are projected: projections may overlap where the sets do not.
        torques: (t,) or (m, t) to mark [N m]; coloured by what they allow.
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("answer", answer, TorqueSet, fix="give what hf.planar.torque_sets returned")
    shown = _axes(answer, axes)
    sets = drawn_sets(answer, shown)
    marks = np.zeros((0, answer.space.sizes[2])) if torques is None else np.atleast_2d(answer._torques(torques))
    low, high = window(sets, marks[:, shown])
    ax = style.axes(ax, "plane")
    names = [f"$\\tau_{{{i + 1}}}$ [N m]" for i in shown]
    if len(shown) == 1:
        _bars(ax, sets, low[0], high[0])
        ax.set_xlabel(names[0])
    else:
        _polygons(ax, sets, low, high)
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])
    _marks(ax, answer, marks, shown, len(sets))
    style.dress_plane(ax, title=title)
    if not sets:
        _say_empty(ax, answer)
    style.legend(ax, columns=2 if len(shown) > 1 else None)
    if len(shown) == 1 and ax.get_legend() is not None:
        # Pictures of bars are low: the distance of the legend below the axis is in inches.
        tall = ax.get_position().height * ax.get_figure().get_size_inches()[1]
        ax.get_legend().set_bbox_to_anchor((0.5, -LEGEND / tall), transform=ax.transAxes)
    return ax


def _axes(answer: TorqueSet, axes: Sequence[int] | None) -> list[int]:
    t = answer.space.sizes[2]
    if t == 0:
        raise InputError("has no motors", where="answer", fix="there is no torque to draw")
    given = list(range(min(t, 2))) if axes is None else [int(i) for i in axes]
    if not 1 <= len(given) <= 2 or len(set(given)) < len(given) or not set(given) <= set(range(t)):
        raise InputError(f"is {given}", where="axes", fix=f"give one or two different motors of 0 to {t - 1}")
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
    """A key that is equal for sets that look the same on paper."""
    vertices, rays, lines = polyhedron.generators
    scale = float(np.abs(vertices).max(initial=0.0)) or 1.0
    return tuple(tuple(sorted(map(tuple, np.round(part, 6) + 0.0))) for part in (vertices / scale, rays, np.abs(lines)))


def window(sets: Sequence[Drawn], marks: Array) -> tuple[Array, Array]:
    """(low, high) [N m] of the picture: all corners and marks, with free space where a set is unbounded."""
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


# -- one and two torques ------------------------------------------------------------------------------


def _bars(ax: Any, sets: Sequence[Drawn], low: float, high: float) -> None:
    """A row for each set; ends that belong to it are filled dots, others hollow, unbounded ones arrows."""
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
    ax.tick_params(axis="y", pad=9)  # unbounded bars extend over the axis
    ax.set_xlim(low, high)
    figure = ax.get_figure()
    if len(figure.axes) == 1:
        figure.set_size_inches(6.0, 1.3 + 0.45 * max(len(sets), 1))


def _name_ends(ax: Any, ends: Array, y: float) -> None:
    """The finite ends of a bar as numbers above it: the lower on the left, the upper on the right."""
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
    """The parts but for flat ones in the closure of a solid one: these are borders between pieces."""
    largest = max((part.dimension for part in parts), default=0)
    solid = [part for part in parts if part.dimension == largest]
    closed = [Polyhedron(part.A, part.b, part.C, part.d, dimension=part.ambient_dimension) for part in solid]
    flat = [part for part in parts if part.dimension < largest]
    return solid + [part for part in flat if not any(_within(part, whole) for whole in closed)]


def _within(part: Polyhedron, whole: Polyhedron) -> bool:
    """Whether the middle of a part is in another, up to what is visible."""
    return bool(whole.contains(part.generators.vertices.mean(axis=0), tolerance=SEEN))


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
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", fontsize=style.NORMAL, color=style.INK)
