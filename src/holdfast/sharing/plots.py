"""Pictures of load sharing: forces against the load factor, the order of failure, sampled peaks, slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import checks
from ..assembly.plots import draw_bodies, draw_wrench, subject_of
from ..checks import Array, IntArray
from ..errors import InputError
from ..plotting import style
from ..reliability.plots import load_bins
from ..reliability.scatter import units_of
from . import kernels
from .description import SAME, STAGE_NAMES, joined, names_of, when
from .sequences import LoadSharing

if TYPE_CHECKING:
    from .design import StiffnessSensitivity
    from .scatter import SharingProbability

# -- forces against the load factor -----------------------------------------------------------------

#: Drawn component of a force: its size, or its part along the normal (pressing) or along the surface.
Component = Literal["size", "normal", "tangential"]

_COMPONENTS = {"size": "force", "normal": "normal force", "tangential": "tangential force"}

#: With more contacts than this there is one line per unit, if there are fewer units.
MOST_LINES = 16

#: Lines that a legend names, at most.
MOST_NAMED = 8

#: Points of a curve between two events: the size of a force is not linear.
STEPS = 16

#: A load limit larger than this many peaks is named at the border of the picture.
FAR = 2.5

#: Height of a row of names above the axes [pt].
ROW = 11.0

#: Marker and filling of each kind of event.
MARKS = {
    "fails": ("X", True),
    "slips": ("D", True),
    "yields": ("P", True),
    "opens": ("v", False),
    "disengages": ("<", False),
    "closes": ("^", False),
    "sticks": ("o", False),
    "joint slips": ("s", True),
    "joint holds": ("s", False),
}

#: Colours by order of failure: the colour map, and the range of it from the first to the last failure.
ORDER_MAP, FIRST, LAST = "plasma", 0.0, 0.86


def order_colours(order: IntArray) -> list[Any]:
    """A colour for each place in the order of failure: the first dark, the last light, 0 (does not fail) grey."""
    import matplotlib

    last = max(int(order.max(initial=0)), 1)
    shares = FIRST + (LAST - FIRST) * (np.asarray(order) - 1.0) / max(last - 1, 1)
    colours = matplotlib.colormaps[ORDER_MAP](np.clip(shares, 0.0, 1.0))
    return [tuple(colour) if place else style.ASSUMED for place, colour in zip(order, colours, strict=True)]


def forces_against_factor(
    result: LoadSharing,
    ax: Any = None,
    *,
    component: Component = "size",
    by: Literal["contact", "unit"] | None = None,
    limit: bool = True,
    named: int = MOST_NAMED,
    title: str = "",
) -> Any:
    """The force of every contact while the load grows, with every event marked on its line.

    Colours are by order of failure: the first to fail dark, the last light, those that do not fail grey. Vertical lines
    stand at the first failure, the peak and the load limit, and at the load itself (factor 1). A path that ends before
    the load is drawn against the share of the base load or of the preload.

    Args:
        result: result of `hf.load_sharing`.
        ax: plain axes, or None for a new figure.
        component: "size" of the forces, their "normal" part (pressing is positive) or the size of the "tangential" one.
        by: one line per "contact", or one per "unit" for the sum of its points; by default units only where there
            are more than 16 contacts.
        limit: whether the load limit is drawn; it is computed for that.
        named: largest number of lines in the legend, in order of failure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    if component not in _COMPONENTS:
        raise InputError(f"is {component!r}", where="component", fix=f"give one of {', '.join(_COMPONENTS)}")
    ax = style.axes(ax, "plane")
    names, members, places = _lines(result, by)
    stage, x, forces = _curves(result)
    colours = order_colours(places)
    heights = np.array([_part(result, forces, group, component) for group in members])
    width = style.THICK if len(names) <= MOST_LINES else style.MEDIUM
    for line in np.argsort(np.where(places == 0, 0, -places), kind="stable"):  # the first to fail on top
        ax.plot(x, heights[line], color=colours[line], linewidth=width, label="_", gid=f"force {line}")
    kinds = _mark_events(ax, result, stage, members, heights, x, colours)
    end, rows = _mark_factors(ax, result, stage, limit=limit)
    low, high = 1.08 * min(float(heights.min()), 0.0), 1.08 * max(float(heights.max()), 0.0)
    if high <= low:
        low, high = 0.0, 1.0
        ax.text(0.5, 0.5, "no forces: it fails at once", transform=ax.transAxes, ha="center", color=style.INK)
    ax.set_ylim(low, high)
    ax.set_xlim(0.0, end)
    ax.set_xlabel("load factor" if stage == "load" else f"share of the {STAGE_NAMES[stage]}")
    whose = "of each unit" if len(names) < len(result.assembly) else "of each contact"
    ax.set_ylabel(f"{_COMPONENTS[component]} {whose} [N]")
    style.dress_plane(ax)
    _force_legend(ax, result, names, places, colours, kinds, named)
    if title:
        ax.set_title(title, fontsize=style.LARGE, color=style.INK, pad=6.0 + ROW * rows)
    return ax


def _lines(result: LoadSharing, by: str | None) -> tuple[list[str], list[IntArray], IntArray]:
    """Names, contacts and places in the order of failure of what is drawn as one line each."""
    assembly, order = result.assembly, result.order
    if by not in (None, "contact", "unit"):
        raise InputError(f"is {by!r}", where="by", fix='give "contact" or "unit"')
    units = units_of(assembly)
    if by == "contact" or (by is None and (len(assembly) <= MOST_LINES or len(set(units)) == 1)):
        names = [contact.name or str(index) for index, contact in enumerate(assembly.contacts)]
        return names, [np.array([index]) for index in range(len(assembly))], order
    names = list(dict.fromkeys(units))
    members = [np.array([i for i, unit in enumerate(units) if unit == name]) for name in names]
    places = [min((int(p) for p in order[group] if p), default=0) for group in members]
    return names, members, np.array(places, dtype=np.int64)


def _curves(result: LoadSharing) -> tuple[str, Array, Array]:
    """The last stage of the path, its abscissae (n,), and forces (n, k, 3) in the world.

    The final collapse is left out: its forces balance no load that is held.
    """
    path = result.path
    number = int(path.stage[-1])
    rows = np.nonzero(path.stage == number)[0]
    x, local = path.share[rows], path.force[rows]
    if result.mechanism is not None:
        kept = int(np.searchsorted(x, x[-1])) + 1
        x, local = x[:kept], local[:kept]
    if number == kernels.LOAD and np.isinf(result.peak):
        end = max(1.3 * float(x[-2] if len(x) > 1 else 0.0), 2.0)
        x = np.append(x[:-1] if len(x) > 1 else x, end)
        local = np.concatenate([local[: len(x) - 1], result.forces(end, frame="contact")[None]])
    if len(x) > 1:
        parts = np.linspace(0.0, 1.0, STEPS, endpoint=False)
        x = np.append((x[:-1, None] + parts * np.diff(x)[:, None]).ravel(), x[-1])
        between = local[:-1, None] + parts[:, None, None] * np.diff(local, axis=0)[:, None]
        local = np.concatenate([between.reshape(-1, *local.shape[1:]), local[-1:]])
    return result.stage_name(number), x, np.einsum("kij,nkj->nki", result.assembly.rotations, local)


def _part(result: LoadSharing, forces: Array, group: IntArray, component: Component) -> Array:
    """(n,) the drawn component of the summed force of a group, in the frame of its first contact."""
    total = forces[:, group].sum(axis=1)
    if component == "size":
        return np.linalg.norm(total, axis=1)
    normal = result.assembly.rotations[group[0]][:, 2]
    pressing = total @ normal
    return pressing if component == "normal" else np.linalg.norm(total - pressing[:, None] * normal, axis=1)


def _mark_events(
    ax: Any, result: LoadSharing, stage: str, members: list[IntArray], heights: Array, x: Array, colours: list[Any]
) -> list[str]:
    """A mark for each event on the line of its contact, at the value before the event; returns the marked kinds."""
    line_of = {int(i): line for line, group in enumerate(members) for i in group}
    marked: dict[tuple[Any, str, float], tuple[float, float, Any]] = {}
    for event in result.events:
        if event.stage == "load" != stage:
            continue
        at = event.share if event.stage == stage else 0.0
        if event.contact is None:
            marked.setdefault((f"joint {event.joint}", event.kind, at), (at, 0.0, style.INK))
            continue
        line = line_of[event.contact]
        place = int(np.searchsorted(x, at * (1.0 - 1e-12)))
        height = float(heights[line][min(place, len(x) - 1)])
        marked.setdefault((line, event.kind, at), (at, height, colours[line]))
    size = 5.5 if len(members) <= MOST_LINES else 4.0
    for kind, (marker, filled) in MARKS.items():
        found = [mark for (_, event, _), mark in marked.items() if event == kind]
        for at, height, colour in found:
            look = {"markerfacecolor": colour if filled else "white", "markeredgecolor": colour if not filled else "w"}
            edge = 0.5 if filled else 1.0
            ax.plot(
                [at], [height], marker, ms=size, markeredgewidth=edge, clip_on=False, zorder=4, gid=f"event {kind}",
                label="_", **look,
            )  # fmt: skip
    return [kind for kind in MARKS if any(event == kind for _, event, _ in marked)]


def _mark_factors(ax: Any, result: LoadSharing, stage: str, *, limit: bool) -> tuple[float, int]:
    """Named vertical lines at the important factors; returns the end of the axis and the number of rows of names."""
    if stage != "load":
        ends = float(result.path.share[-1])
        lost = (ends, "fails here", style.VERDICT["does not hold"], "-")
        return 1.0, _name_lines(ax, [lost], 1.0)
    found: list[tuple[float, str, Any, Any]] = []
    first, peak = result.first_failure, result.peak
    most = float(result.limit.value) if limit else np.nan
    end_of_path = peak if np.isfinite(peak) else max(1.3 * max((e.factor for e in result.events), default=0.0), 2.0)
    together = np.isclose(first, peak, rtol=SAME)
    if np.isfinite(first):
        words = f"first failure {first:.4g}" if not together else f"first failure and peak {peak:.4g}"
        found.append((first, words, style.LIMIT, (0, (4, 2))))
    if np.isfinite(peak) and not together:
        words = "peak" if result.status.value != "holds as far as was asked" else "requested end"
        found.append((peak, f"{words} {peak:.4g}", style.INK, "-"))
    end = 1.06 * max(end_of_path, 1e-9)
    if np.isfinite(most):
        if most <= FAR * end_of_path:
            end = max(end, 1.06 * most)
            found.append((most, f"load limit {most:.4g}", style.VERDICT["holds"], (0, (1, 1.5))))
        else:
            end = 1.2 * end_of_path if end_of_path > 0.0 else 1.06 * most
            found.append((np.inf, f"load limit {most:.4g} →", style.VERDICT["holds"], ""))
    if 0.02 * end < 1.0 < end and not any(abs(at - 1.0) < 1e-6 for at, *_ in found):
        found.append((1.0, "the load", style.LOAD, (0, (5, 3))))
    return end, _name_lines(ax, found, end)


def _name_lines(ax: Any, lines: Sequence[tuple[float, str, Any, Any]], end: float) -> int:
    """Vertical lines with their names above the axes, in as many rows as keep them apart; the number of rows."""
    inches = float(ax.get_figure().get_size_inches()[0]) * ax.get_position().width
    letter = 0.0083 * style.SMALL / inches  # share of the axes' width
    taken: list[float] = []
    for at, words, colour, dashes in sorted(lines, key=lambda line: line[0]):
        share = min(at / end, 1.0)
        if np.isfinite(at):
            ax.axvline(at, color=colour, linewidth=style.MEDIUM, linestyle=dashes, zorder=1.5, gid=f"line {words}")
        wide = letter * len(words)
        left = np.clip(share - 0.5 * wide, 0.0, max(1.0 - wide, 0.0))
        row = next((k for k, right in enumerate(taken) if right <= left), len(taken))
        taken[row : row + 1] = [left + wide + letter]
        look = {"fontsize": style.SMALL, "color": colour, "ha": "left", "va": "bottom"}
        place = {"xycoords": "axes fraction", "xytext": (0.0, 2.0 + ROW * row), "textcoords": "offset points"}
        ax.annotate(words, (left, 1.0), gid="factor", **place, **look)
    return len(taken)


def _force_legend(
    ax: Any,
    result: LoadSharing,
    names: list[str],
    places: IntArray,
    colours: list[Any],
    kinds: list[str],
    named: int,
) -> None:
    """The first lines to fail by name, the rest in one entry, and the marks of the events."""
    from matplotlib.lines import Line2D

    order = sorted(range(len(names)), key=lambda line: (places[line] == 0, places[line], line))
    shown = order if len(order) <= named else order[: max(named - 1, 0)]
    handles = [
        Line2D([], [], color=colours[line], linewidth=style.THICK, label=style.verbatim(_short(names[line])))
        for line in shown
    ]
    if len(order) > len(shown):
        words = f"and {len(order) - len(shown)} more; dark: fails early, grey: does not fail"
        handles.append(Line2D([], [], linestyle="none", label=words))
    for kind in kinds:
        marker, filled = MARKS[kind]
        look: dict[str, Any] = {"markerfacecolor": style.INK if filled else "white", "markeredgecolor": style.INK}
        handles.append(Line2D([], [], linestyle="none", marker=marker, ms=5.0, label=kind, **look))
    inches = float(ax.get_figure().get_size_inches()[1]) * ax.get_position().height
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.48 / inches), ncols=4, fontsize=style.SMALL,
        frameon=False, labelcolor=style.INK, handlelength=1.6, columnspacing=1.4, borderaxespad=0.0,
    )  # fmt: skip


def _short(name: str, longest: int = 24) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


# -- the order of failure ---------------------------------------------------------------------------

#: Colour of the units' surfaces behind the numbers.
SHEET = "#D9D9D9"


def failure_order(
    result: LoadSharing,
    scene: Any = None,
    ax: Any = None,
    *,
    named: int = MOST_NAMED,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """The gripper in the world, its contacts numbered and coloured by the order in which they fail.

    Contacts that fail at the same time share a number; so do the points of a unit. White discs do not fail; they may
    open. The arrow is the load.

    Args:
        result: result of `hf.load_sharing`.
        scene: the Scene, Device or Assembly it is about, whose units, links and object are drawn; by default the
            result's assembly.
        ax: axes in space (projection "3d"), or None for a new figure.
        named: largest number of entries in the legend.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name, first failure and peak.

    Returns:
        The Axes.
    """
    subject = subject_of(result.assembly if scene is None else scene)
    count, order = len(result.assembly), result.order
    if len(subject.assembly) != count:
        what = f"has {len(subject.assembly)} contacts, the result {count}"
        raise InputError(what, where="scene", fix="give the scene of this result")
    ax = style.axes(ax, "space")
    fixed = draw_bodies(ax, subject, sheet=SHEET)
    size = float(np.linalg.norm(np.ptp(fixed, axis=0))) or 0.1
    strength = float(np.linalg.norm(result.load[:3]))
    seen = [fixed, draw_wrench(ax, result.load, subject.center, style.LONGEST * size / (strength or 1.0), size)]
    colours = order_colours(order)
    for positions, place, index in _discs(result, subject.assembly.positions):
        look = {"color": colours[index], "edgecolors": style.INK, "linewidths": 0.6, "depthshade": False}
        look |= {"zorder": style.ARROWS, "gid": f"place {place}"}
        ax.scatter(*positions.T, s=26 if len(positions) > 1 else 95, **(look if place else look | {"color": "white"}))
        if place:
            middle = positions.mean(axis=0)
            if len(positions) > 1:
                ax.scatter(*middle, s=95, **look)
            light = float(np.dot(colours[index][:3], (0.3, 0.59, 0.11))) > 0.55
            ink = style.INK if light else "white"
            ax.text(
                *middle, str(place), ha="center", va="center", fontsize=style.SMALL, color=ink, fontweight="bold",
                zorder=style.ARROWS + 1.0, gid="place",
            )  # fmt: skip
    points = np.concatenate(seen)
    words = title or _order_title(result)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=words)
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    _order_legend(ax, result, colours, named)
    return ax


def _discs(result: LoadSharing, positions: Array) -> list[tuple[Array, int, int]]:
    """(positions (m, 3), place, first contact) of each numbered item: units that fail at once, else contacts."""
    units, order = units_of(result.assembly), result.order
    found = []
    for name in dict.fromkeys(units):
        group = [i for i, unit in enumerate(units) if unit == name]
        parts = [group] if len({int(order[i]) for i in group}) == 1 else [[i] for i in group]
        found += [(positions[part], int(order[part[0]]), part[0]) for part in parts]
    return found


def _order_title(result: LoadSharing) -> str:
    name = style.verbatim(result.assembly.name)
    if not np.isfinite(result.peak):
        found = result.status.value
    elif np.isclose(result.first_failure, result.peak, rtol=SAME):
        found = f"first failure and peak {result.peak:.4g}"
    else:
        found = f"first failure {result.first_failure:.4g}, peak {result.peak:.4g}"
    return f"{name}: {found}" if name else found


def _order_legend(ax: Any, result: LoadSharing, colours: list[Any], named: int) -> None:
    """One entry per place: its number, the factor, and the contacts that fail."""
    from matplotlib.lines import Line2D

    order = result.order
    handles, _ = ax.get_legend_handles_labels()
    look: dict[str, Any] = {
        "linestyle": "none",
        "marker": "o",
        "ms": 6.0,
        "markeredgecolor": style.INK,
        "markeredgewidth": 0.5,
    }
    last = int(order.max(initial=0))
    for place in range(1, min(last, named) + 1):
        members = np.nonzero(order == place)[0]
        event = next(e for e in result.failures if e.contact == members[0])
        names = joined(names_of(result.assembly, members), 40)
        text = style.verbatim(
            f"{place}  {when(result, event)}{', at once after that' if event.cascade else ''}: {names}"
        )
        handles.append(Line2D([], [], markerfacecolor=colours[members[0]], label=text, **look))
    if last > named:
        handles.append(Line2D([], [], linestyle="none", label=f"and {last - named} more"))
    if (order == 0).any():
        handles.append(Line2D([], [], markerfacecolor="white", label="does not fail", **look))
    wide = max(len(handle.get_label()) for handle in handles) > 40
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, style.heights_on_paper(ax)[0] - 0.16),
        ncols=1 if wide or len(handles) <= 4 else 2, fontsize=style.SMALL, frameon=False, labelcolor=style.INK,
        handlelength=1.2, columnspacing=1.4, borderaxespad=0.0,
    )  # fmt: skip


# -- samples and slopes -----------------------------------------------------------------------------


def peak_samples(probability: SharingProbability, ax: Any = None, *, title: str = "") -> Any:
    """Peaks of samples as a histogram, those below the load in another colour, with the first failures as an outline.

    Args:
        probability: result of `hf.sharing.sharing_probability`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    peaks, firsts, n = probability.peaks, probability.first_failures, probability.n
    finite, early = peaks[np.isfinite(peaks)], firsts[np.isfinite(firsts)]
    if not len(finite):
        raise InputError("no sample has a finite peak", where="probability", fix="choose a load that has a limit")
    ax = style.axes(ax, "plane")
    edges = load_bins(np.concatenate([finite, early]), n)
    middles, width = 0.5 * (edges[1:] + edges[:-1]), edges[1] - edges[0]
    fails = np.histogram(finite[finite < 1.0], bins=edges)[0]
    holds = np.histogram(finite[finite >= 1.0], bins=edges)[0]
    bars = {"width": 0.94 * width, "linewidth": 0.0}
    if (peaks >= 1.0).any():
        words = f"peak above the load ({int((peaks >= 1.0).sum())} of {n})"
        ax.bar(middles, holds, color=style.VERDICT["holds"], label=words, gid="peaks that hold", **bars)
    if (peaks < 1.0).any():
        words = f"peak below it ({int((peaks < 1.0).sum())} of {n})"
        ax.bar(middles, fails, color=style.VERDICT["does not hold"], label=words, gid="peaks that fail", **bars)
    if len(early):
        counts = np.histogram(early, bins=edges)[0]
        ax.stairs(counts, edges, color=style.INK, linewidth=style.MEDIUM, label="first failure", gid="first failures")
    ax.axvline(1.0, color=style.LOAD, linewidth=style.THICK, label="the load", gid="load")
    left_out = [f"{count} {word}" for count, word in _without_bar(peaks) if count]
    ax.set_xlabel("load factor" + (f" (not shown: {', '.join(left_out)})" if left_out else ""))
    ax.set_ylabel("samples")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=2)
    return ax


def _without_bar(peaks: Array) -> list[tuple[int, str]]:
    return [
        (int(np.isposinf(peaks).sum()), "without a limit"),
        (int(np.isneginf(peaks).sum()), "that fail before the load"),
        (int(np.isnan(peaks).sum()), "undecided"),
    ]


#: Largest number of contacts with bars.
MOST_ROWS = 15

#: Relative increase of a stiffness whose effect the bars show.
STIFFER = 0.1

#: The axes of a contact frame.
AXES = ("along shear x", "lateral y", "normal z")


def stiffness_bars(sensitivity: StiffnessSensitivity, ax: Any = None, *, most: int = MOST_ROWS, title: str = "") -> Any:
    """Change of the first failure when one contact is 10 % stiffer along one axis of its frame (linear estimate).

    Args:
        sensitivity: result of `hf.sharing.stiffness_sensitivity`.
        ax: plain axes, or None for a new figure.
        most: largest number of contacts, those with the longest bars.
        title: title of the picture.

    Returns:
        The Axes.
    """
    slopes = STIFFER * np.asarray(sensitivity.derivative)
    contacts = sensitivity.result.assembly.contacts
    strongest = np.argsort(-np.abs(slopes).max(axis=1), kind="stable")[: checks.count("most", most)]
    given = ax is not None
    ax = style.axes(ax, "plane")
    if not given:
        ax.get_figure().set_size_inches(6.4, 1.4 + 0.34 * len(strongest))
    for axis, (name, colour) in enumerate(zip(AXES, style.FRAME, strict=True)):
        places = np.arange(len(strongest)) + 0.27 * (axis - 1)
        ax.barh(places, slopes[strongest, axis], height=0.25, color=colour, label=name, gid=name)
    ax.axvline(0.0, color=style.INK, linewidth=style.THIN)
    names = [style.verbatim(_short(contacts[i].name or str(i))) for i in strongest]
    ax.set_yticks(range(len(strongest)), names)
    ax.set_ylim(len(strongest) - 0.4, -0.6)
    reach = 1.12 * float(np.abs(slopes).max()) or 1.0
    ax.set_xlim(-reach, reach)
    first = sensitivity.result.first_failure
    ax.set_xlabel(f"change of the first failure, {first:.4g}, by {100 * STIFFER:g} % more stiffness")
    style.dress_plane(ax, title=title)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)
    style.legend(ax)
    height = ax.get_position().height * ax.get_figure().get_size_inches()[1]
    ax.get_legend().set_bbox_to_anchor((0.5, -0.5 / height), ax.transAxes)
    return ax
