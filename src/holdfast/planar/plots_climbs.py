"""Chains between walls and their climbs: postures, stills, torque margins over time, and moving pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import FileError, InputError
from ..plotting import style
from .chain_contacts import ContactLike, LinkContact, contact_of
from .chains import Chain
from .climbing.channels import Channel
from .climbing.results import Climb, Frames
from .disturbances import MotionDisturbance
from .plots_planar_bodies import GROUND, MODE

#: Links and nodes that brace, those that move, and the next footholds.
BRACING, FREE, NEXT = "#009E73", "#0072B2", "#CC79A7"

#: How moving pictures may be written.
MOVING = (".gif", ".html")

#: What stands on the buttons of a page, in place of symbols that would be loaded from the web.
BUTTONS = {
    "fa-minus": "&minus;",
    "fa-fast-backward": "|&laquo;",
    "fa-step-backward": "&lsaquo;",
    "fa-play fa-flip-horizontal": "&#9664;&#xFE0E;",
    "fa-pause": "||",
    "fa-play": "&#9654;&#xFE0E;",
    "fa-step-forward": "&rsaquo;",
    "fa-fast-forward": "&raquo;|",
    "fa-plus": "+",
}

#: Length of a friction cone and room round a posture, as shares of its size.
CONE, ROOM = 0.11, 0.12


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
        contacts: where it touches, as for `Chain.system`.
        walls: polylines (m, 2) [m].
        mode: contacts take the colours of its letters.
        bracing: the first so many links brace and stand out; all by default.
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
        _cone(ax, point, normal, contact.mu, CONE * size)
        ax.plot(*point, "o", color=colour, mec=style.INK, mew=0.6, ms=7, zorder=5, label=word, gid="contact")
        ax.annotate(
            str(k + 1), point - 0.05 * size * normal, ha="center", va="center", fontsize=style.SMALL, color=style.INK
        )
    low, high = nodes.min(axis=0) - ROOM * size, nodes.max(axis=0) + ROOM * size
    _dress(ax, low, high, title)
    _short_legend(ax)
    return ax


def _cone(ax: Any, point: Array, normal: Array, mu: float, length: float) -> None:
    facing, angle = np.arctan2(normal[1], normal[0]), np.arctan(mu)
    fan = facing + np.linspace(-angle, angle, 25)
    arc = point + length * np.column_stack([np.cos(fan), np.sin(fan)])
    ax.fill(*np.vstack([point, arc]).T, color=style.PALETTE[1], alpha=0.3, linewidth=0, zorder=2, gid="cone")


def _short_legend(ax: Any) -> None:
    """One entry for each name, below the picture."""
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if handles:
        ax.legend(
            handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=2,
            fontsize=style.SMALL, frameon=False, labelcolor=style.INK, handlelength=1.0,
        )  # fmt: skip


def _dress(ax: Any, low: Array, high: Array, title: str = "") -> None:
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal")
    shape = float((high - low)[0] / (high - low)[1])
    ax.locator_params(axis="x", nbins=int(np.clip(round(7 * shape), 2, 7)))
    ax.set_xlabel("$x$ [m]")
    ax.set_ylabel("$y$ [m]")
    style.dress_plane(ax, title=title)
    ax.grid(False)


# -- climbs -----------------------------------------------------------------------------------------


def climb_stills(climb: Climb, *, most: int = 6, title: str = "") -> Any:
    """The snake in its channel at the start and after each step, side by side; the channel alone where none stood.

    The part that has held during the step is green, the part that has moved blue; dots are contacts, and a faint line
    shows where the snake was before.

    Args:
        climb: what `hf.planar.climb` returned.
        most: stills at most; the first and the last are among them.
        title: title of the whole; by default how the climb ended.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("climb", climb, Climb, fix="give what hf.planar.climb returned")
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
        _dress(ax, low, high, name)
        if k:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
    if climb.start is not None:
        figure.legend(
            handles=_keys(), loc="outside lower center", ncols=2, fontsize=style.SMALL, frameon=False,
            labelcolor=style.INK,
        )  # fmt: skip
    heading = title or f"{climb.status}: {climb.reason.split(' because ')[0].removesuffix(', most often')}"
    figure.suptitle(heading, fontsize=style.LARGE, color=style.INK)
    return figure


def climb_margins(climb: Climb, ax: Any = None, *, rate: float = 50.0, title: str = "") -> Any:
    """How far the bracing torque is from any other behaviour, over the time of the climb.

    The line is the margin under the disturbance of that instant; bars are each brace's robust margin, for every
    disturbance of its step. Shaded spans are steps in which the upper end braces.

    Args:
        climb: what `hf.planar.climb` returned.
        ax: plain Axes, or None for a new figure.
        rate: instants drawn a second [1/s].
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("climb", climb, Climb, fix="give what hf.planar.climb returned")
    ax = style.axes(ax, "plane")
    frames = climb.frames(rate)
    begin = 0.0
    for index, step in enumerate(climb.steps):
        end = begin + float(step.times[-1])
        here = frames.steps == index
        pulled = step.kind == "pull"
        if pulled:
            ax.axvspan(begin, end, color="#F3F3F3", linewidth=0, zorder=0)
        ax.plot(
            frames.times[here], frames.margins[here], color=FREE, linewidth=style.THICK,
            label="margin at that instant" if index == 0 else None, gid="margin",
        )  # fmt: skip
        ax.plot(
            [begin, end], [step.brace.margin] * 2, color=BRACING, linewidth=style.THICK, linestyle=(0, (4, 2)),
            label="robust margin of the brace" if index == 0 else None, gid="robust",
        )  # fmt: skip
        ax.annotate(
            f"{index + 1}: {step.kind}", (0.5 * (begin + end), 1.0), xycoords=("data", "axes fraction"),
            xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=style.SMALL, color=style.INK,
        )  # fmt: skip
        begin = end
    ax.set_xlabel("time [s]")
    ax.set_ylabel("torque margin [N m]")
    style.dress_plane(ax)
    if title:
        ax.set_title(title, fontsize=style.LARGE, color=style.INK, pad=18)
    if not climb.steps:
        words = "no step was found"
        ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", fontsize=style.NORMAL, color=style.INK)
    else:
        ax.set_ylim(0.0, None)
        ax.set_xlim(0.0, begin)
    style.legend(ax)
    return ax


def brace_disturbance(found: MotionDisturbance, *, title: str = "") -> Any:
    """What a moving free part does to its brace, over time: a panel for each coordinate of the brace.

    Args:
        found: what `hf.planar.free_part_disturbance` returned.
        title: title of the whole.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("found", found, MotionDisturbance, fix="give what hf.planar.free_part_disturbance returned")
    count = found.forces.shape[1]
    reach = np.abs(found.set.basis).sum(axis=1)
    across = 2
    figure = Figure(figsize=(6.6, 1.9 * -(-count // across) + 0.7), layout="constrained")
    for i in range(count):
        ax = figure.add_subplot(-(-count // across), across, i + 1)
        low, high = found.set.centre[i] - reach[i], found.set.centre[i] + reach[i]
        ax.axhspan(low, high, color="#DDEEE8", linewidth=0, label="certified box", gid="box")
        ax.plot(found.times, found.forces[:, i], color=FREE, linewidth=style.THICK, label="disturbance", gid="force")
        name = ("x", "y")[i] if i < 2 else ("\\theta" if i == 2 else f"\\theta_{i - 2}")
        ax.set_ylabel(f"on ${name}$ [{'N' if i < 2 else 'N m'}]")
        if i + across >= count:
            ax.set_xlabel("time [s]")
        style.dress_plane(ax)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=2, fontsize=style.SMALL, frameon=False, labelcolor=style.INK
    )
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


def animate_climb(
    climb: Climb,
    path: str | PathLike[str],
    *,
    rate: float = 10.0,
    most: int = 300,
    dpi: float = 80.0,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the climb as a moving picture: the snake in its channel beside the torque margin over time.

    Args:
        climb: what `hf.planar.climb` returned.
        path: ends in .gif, or .html for a page with controls; its folder must be there.
        rate: pictures a second of the climb's own time [1/s]; the moving picture runs as fast.
        most: pictures at most; a long climb is drawn at a lower rate and played at the same speed.
        dpi: dots an inch.
        progress: called with (done, total).

    Returns:
        The path written.
    """
    from matplotlib.animation import HTMLWriter, PillowWriter

    checks.instance("climb", climb, Climb, fix="give what hf.planar.climb returned")
    target = Path(path)
    if target.suffix.lower() not in MOVING:
        raise FileError("is no name of a moving picture", path=target, fix=f"let it end in {' or '.join(MOVING)}")
    if not target.parent.is_dir():
        raise FileError("its folder does not exist", path=target, fix="make the folder first, or name another")
    checks.positive("rate", rate, unit="1/s")
    span = sum(float(step.times[-1]) for step in climb.steps)
    limit = max(checks.count("most", most), len(climb.steps) + 1)
    slowed = min(rate, max((limit - len(climb.steps)) / span, 1e-3)) if span else rate
    frames = climb.frames(slowed)
    figure, draw = _stage(climb, frames)
    kind = PillowWriter if target.suffix.lower() == ".gif" else HTMLWriter
    options = {} if kind is PillowWriter else {"embed_frames": True, "default_mode": "loop"}
    writer = kind(fps=max(1, round(slowed)), **options)
    try:
        with writer.saving(figure, str(target), checks.number("dpi", dpi, low=10.0, high=600.0)):
            total = max(len(frames.times), 1)
            for number in range(total):
                draw(number)
                writer.grab_frame()
                if progress is not None:
                    progress(number + 1, total)
        if kind is HTMLWriter:
            _stand_alone(target)
    except OSError as error:
        what = error.strerror or str(error)
        raise FileError(f"cannot be written: {what}", path=target, fix="name a place where you may write") from None
    return target


def _stand_alone(page: Path) -> None:
    """Take from a page what it would load from the web: a style sheet for the symbols on its buttons."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r'<link rel="stylesheet"\s+href="https?://[^"]*">', "", text)
    for symbol, words in BUTTONS.items():
        text = text.replace(f'<i class="fa {symbol}"></i>', words)
    page.write_text(text, encoding="utf-8")


def _stage(climb: Climb, frames: Frames) -> tuple[Any, Callable[[int], None]]:
    """A figure with channel and margins, and what draws one frame on it."""
    from matplotlib.figure import Figure

    low, high = _bounds(climb)
    across = float(np.clip((high - low)[0] / (high - low)[1], 0.3, 1.2))
    figure = Figure(figsize=(5.4 * across + 4.6, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[across, 4.0 / 5.4])
    _walls(left, climb.channel, low, high)
    _dress(left, low, high, " ")
    if climb.start is not None:
        left.legend(
            handles=_keys(), loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=style.SMALL, frameon=False,
            labelcolor=style.INK, handlelength=1.4,
        )  # fmt: skip
    climb_margins(climb, right)
    if right.get_legend() is not None:
        right.get_legend().set_bbox_to_anchor((0.5, -0.12))
    now = right.axvline(0.0, color=style.MOTION, linewidth=style.MEDIUM)
    drawn: list[Any] = []

    def draw(number: int) -> None:
        while drawn:
            drawn.pop().remove()
        if number >= len(frames.times):
            left.set_title("no brace at the start", fontsize=style.NORMAL, color=style.INK)
            return
        drawn.extend(_snake(left, frames.nodes[number], frames.bracing[number]))
        now.set_xdata([frames.times[number]] * 2)
        step = climb.steps[int(frames.steps[number])] if climb.steps else None
        words = "no step was found" if step is None else f"step {int(frames.steps[number]) + 1}: {step.kind}"
        left.set_title(f"{words}, {frames.times[number]:.1f} s", fontsize=style.NORMAL, color=style.INK)

    draw(0)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # found once; every picture has the same places
    return figure, draw


def _keys() -> list[Any]:
    """What the colours of a snake mean."""
    from matplotlib.lines import Line2D

    names = ((BRACING, "links that brace, with their contacts"), (FREE, "links that move"))
    return [Line2D([], [], color=colour, linewidth=3.4, label=name) for colour, name in names]


def _snake(ax: Any, nodes: Array, bracing: Sequence[int]) -> list[Any]:
    """The links and nodes; those that brace in green, with dots where they touch."""
    holding = set(bracing)
    artists: list[Any] = []
    if not len(nodes):
        return artists
    for i in range(len(nodes) - 1):
        colour = BRACING if {i, i + 1} <= holding else FREE
        artists += ax.plot(
            *nodes[i : i + 2].T, color=colour, linewidth=3.4, solid_capstyle="round", zorder=3, gid="link"
        )
    artists += ax.plot(*nodes.T, "o", color="white", mec=style.INK, mew=0.7, ms=4.5, zorder=4, gid="nodes")
    if holding:
        touching = nodes[sorted(holding)]
        artists += ax.plot(*touching.T, "o", color=BRACING, mec=style.INK, mew=0.7, ms=6.5, zorder=5, gid="contacts")
    return artists


def _bounds(climb: Climb) -> tuple[Array, Array]:
    """(low, high) of all that happens [m], with the walls on both sides."""
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
