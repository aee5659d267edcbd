"""Pictures of statics: load limits and utilisation as bars, gravity sweeps as polar pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..plotting import style
from .diagnosis import ContactState, Diagnosis

if TYPE_CHECKING:
    from .paths import GravitySweep


#: Share of the height per direction that its bars fill.
FILLED = 0.8

#: An unlimited bar is drawn this much longer than the longest limited one.
ENDLESS = 1.15


def load_limits(
    limits: Mapping[str, Mapping[str, float]], ax: Any = None, *, unit: str = "N", log: bool = False, title: str = ""
) -> Any:
    """Load limits in named directions, one bar for each device, to compare devices or states of one.

    Args:
        limits: {device: {direction: limit}}; a limit may be inf (no limit: a hatched bar) or -inf or nan (does
            not hold: text instead of a bar). A direction may be missing for a device.
        ax: plain axes, or None for a new figure.
        unit: unit of the limits, for the axis: "N", "N m", "times the weight".
        log: logarithmic scale, for devices of very different strength.
        title: title of the picture.

    Returns:
        The Axes.
    """
    table = _table(limits)
    devices = list(table)
    directions = list(dict.fromkeys(name for row in table.values() for name in row))
    finite = [value for row in table.values() for value in row.values() if np.isfinite(value) and value > 0.0]
    longest = max(finite, default=1.0)
    least = min(finite, default=1.0)
    base = 10.0 ** np.floor(np.log10(least) - 0.3) if log else 0.0
    given = ax is not None
    ax = style.axes(ax, "plane")
    thick = FILLED / len(devices)
    if not given:
        ax.get_figure().set_size_inches(6.0, 1.0 + max(1.6, (0.24 * len(devices) + 0.12) * len(directions)))
    if log:
        ax.set_xscale("log")
    for k, device in enumerate(devices):
        row, shift = table[device], (k - 0.5 * (len(devices) - 1)) * thick
        bars = [(place + shift, row[name]) for place, name in enumerate(directions) if name in row]
        _bars(ax, bars, thick, style.colour(k), device, base, longest)
    _dress_limits(ax, directions, base, longest, unit, log, title, several=len(devices) > 1)
    return ax


def _table(limits: Any) -> dict[str, dict[str, float]]:
    """The numbers, checked; nan stays."""
    fix = "give {device: {direction: limit}}"
    if not isinstance(limits, Mapping) or not limits:
        raise InputError("is empty or not a mapping", where="limits", fix=fix)
    table: dict[str, dict[str, float]] = {}
    for device, row in limits.items():
        if not isinstance(row, Mapping) or not row:
            raise InputError("is empty or not a mapping", where=f"limits[{device!r}]", fix=fix)
        table[str(device)] = {str(name): _limit(f"limits[{device!r}][{name!r}]", value) for name, value in row.items()}
    return table


def _limit(where: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"is not a number: {value!r}", where=where, fix="give one limit") from None
    return number if not np.isfinite(number) else checks.number(where, number, low=0.0)


def _bars(
    ax: Any, bars: list[tuple[float, float]], thick: float, colour: str, name: str, base: float, longest: float
) -> None:
    """The bars of one device, with their numbers."""
    end = longest * (ENDLESS if base == 0.0 else 2.0)
    label = style.verbatim(name)
    for place, value in bars:
        if np.isposinf(value):
            text, length = "no limit", end
            look = {"facecolor": "none", "edgecolor": colour, "linewidth": 0.8, "hatch": "////"}
        elif np.isfinite(value):
            text, length = f"{value:.4g}", max(value, base)
            look = {"facecolor": colour, "edgecolor": "none"}
        else:
            text, length = "does not hold", base
            look = {"facecolor": colour, "edgecolor": "none"}
        ax.barh(place, length - base, left=base, height=0.9 * thick, label=label, gid=name, **look)
        look = {"va": "center", "fontsize": style.SMALL, "color": style.INK}
        ax.annotate(text, (length, place), xytext=(3, 0), textcoords="offset points", **look)
        label = "_"


def _dress_limits(
    ax: Any, directions: list[str], base: float, longest: float, unit: str, log: bool, title: str, *, several: bool
) -> None:
    ax.set_yticks(range(len(directions)), [style.verbatim(name) for name in directions])
    ax.set_ylim(len(directions) - 0.45, -0.55)
    ax.set_xlim(base, longest * (5.0 if log else 1.3))
    ax.set_xlabel(f"load limit [{unit}]")
    style.dress_plane(ax, title=title)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=style.NORMAL)
    if several:
        style.legend(ax)


# The utilisation of each contact in a diagnosis, as bars.

#: Height of one contact's row [inch].
ROW = 0.2

#: The axis extends beyond 100 % by this factor, for the text next to the bars.
REACH = 1.35

#: Distance of the legend below the axis [inch].
LEGEND = 0.5


def utilisation(diagnosis: Diagnosis, ax: Any = None, *, most: int = 60, title: str = "") -> Any:
    """How much of its strength each contact uses at the load limit, and the gain of more strength.

    A bar is the force over the largest admissible one in its direction. Contacts at the limit of their volume have
    other colours, in particular those that no other choice of forces could relieve; contacts at the border of their
    piece only, where another piece continues, are hatched. The numbers next to the bars are the growth of the load
    limit in percent when that contact becomes 1 % stronger (an upper bound where prices are not unique).

    Args:
        diagnosis: what `hf.diagnose` returned, with forces.
        ax: plain axes, or None for a new figure.
        most: most contacts that are drawn; of more, the most used.
        title: title; by default the name of the assembly and the first sentence of the diagnosis.

    Returns:
        The Axes.
    """
    checks.instance("diagnosis", diagnosis, Diagnosis, fix="give what hf.diagnose returned")
    if not diagnosis.contacts:
        raise InputError("has no forces", where="diagnosis", fix="there is nothing to draw where no multiple holds")
    states = _shown(diagnosis, checks.count("most", most))
    ax, named = _rows_of_bars(ax, len(states)), set[str]()
    for place, state in enumerate(states):
        kind, look = _look(state)
        label = "_" if kind in named else kind
        named.add(kind)
        ax.barh(place, 100.0 * state.utilisation, height=0.75, label=label, gid=state.label, **look)
        text = _worth(diagnosis, state)
        ends = (100.0 * state.utilisation, place)
        ax.annotate(text, ends, (3, 0), textcoords="offset points", va="center", fontsize=style.SMALL, color=style.INK)
    _dress_utilisation(ax, diagnosis, [style.verbatim(state.name) or str(state.index) for state in states], title)
    return ax


def interface_utilisation(diagnosis: Diagnosis, ax: Any = None, *, most: int = 60, title: str = "") -> Any:
    """How much of its strength each interface of several bodies uses at the load limit, and which of them give way.

    A bar is the largest use among the contacts of the interface. Interfaces whose sides move relative to each other
    beyond the limit have another colour. The numbers next to the bars are the use, the force across the interface, and
    the growth of the load limit in percent when all its contacts become 1 % stronger. Where no multiple of the
    load is held there are no bars, and the interfaces that give way are named.

    Args:
        diagnosis: what `hf.diagnose` returned for several bodies, with forces.
        ax: plain axes, or None for a new figure.
        most: most interfaces that are drawn; of more, the most used.
        title: title; by default the name of the assembly and the first sentence of the diagnosis.

    Returns:
        The Axes.
    """
    checks.instance("diagnosis", diagnosis, Diagnosis, fix="give what hf.diagnose returned")
    if not diagnosis.interfaces or not diagnosis.contacts:
        fix = "give a diagnosis of several bodies with forces; utilisation() is for one object"
        raise InputError("has no interfaces with forces", where="diagnosis", fix=fix)
    ranked = sorted(diagnosis.interfaces, key=lambda side: (-side.gives_way, -round(side.utilisation, 6)))
    chosen = {id(side) for side in ranked[: checks.count("most", most)]}
    states = [side for side in diagnosis.interfaces if id(side) in chosen]
    ax, named = _rows_of_bars(ax, len(states)), set[str]()
    for place, side in enumerate(states):
        kind = "gives way" if side.gives_way else "stays"
        colour = style.LIMIT if side.gives_way else style.colour(0)
        use = 100.0 * side.utilisation
        ax.barh(place, use, height=0.75, label="_" if kind in named else kind, gid=side.name, facecolor=colour)
        named.add(kind)
        text = f"{use:.0f} %   {float(np.linalg.norm(side.wrench[:3])):.3g} N"
        if diagnosis.factor == 0.0:  # no multiple of the load is held: forces have no meaning
            text = kind if side.gives_way else ""
        if np.isfinite(side.price) and diagnosis.factor not in (0.0, np.inf):
            gain = 100.0 * side.price / abs(diagnosis.factor)
            text += f"   {gain:+.2g} %" if abs(gain) >= 5e-4 else ""
        look = {"textcoords": "offset points", "va": "center", "fontsize": style.SMALL, "color": style.INK}
        look["bbox"] = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}  # over the line
        ax.annotate(text, (use, place), (3, 0), **look)
    _dress_utilisation(ax, diagnosis, [style.verbatim(side.name) for side in states], title)
    ax.set_xlabel("largest use of a contact's strength [%]", x=0.5 / REACH)
    for label, side in zip(ax.get_yticklabels(), states, strict=True):
        label.set_color(style.LIMIT if side.gives_way else style.INK)
    return ax


def _shown(diagnosis: Diagnosis, most: int) -> list[ContactState]:
    """The contacts in their order; of too many, those with the largest use and price."""
    if len(diagnosis.contacts) <= most:
        return list(diagnosis.contacts)
    price = {c.index: c.price if np.isfinite(c.price) else 0.0 for c in diagnosis.contacts}
    ranked = sorted(diagnosis.contacts, key=lambda c: (-round(c.utilisation, 6), -price[c.index]))
    return sorted(ranked[:most], key=lambda c: c.index)


def _look(state: ContactState) -> tuple[str, dict[str, Any]]:
    """The kind of a bar, and its style."""
    if state.at_limit and not state.idle:
        if state.binding:
            return "at its limit", {"facecolor": style.LIMIT, "edgecolor": "none"}
        return "at its limit, could be relieved", {"facecolor": style.colour(1), "edgecolor": "none"}
    if state.at_piece_limit and not state.idle:
        look = {"facecolor": "none", "edgecolor": style.colour(0), "linewidth": 0.8, "hatch": "////"}
        return "at the border of its piece", look
    return "within its volume", {"facecolor": style.colour(0), "edgecolor": "none"}


def _worth(diagnosis: Diagnosis, state: ContactState) -> str:
    """The text next to a bar: use, and the gain of 1 % more strength where there is one."""
    if state.idle:
        return "no force"
    text = f"{100.0 * state.utilisation:.0f} %"
    if not np.isfinite(state.price) or diagnosis.factor == 0.0:
        return text
    gain = 100.0 * state.price / abs(diagnosis.factor)
    sign = "" if diagnosis.prices_unique else "\N{LESS-THAN OR EQUAL TO} "
    return f"{text}   {sign}{gain:+.2g} %" if abs(gain) >= 5e-4 else text


def _rows_of_bars(ax: Any, rows: int) -> Any:
    """`ax`, or the Axes of a new figure with the height of so many bars."""
    if ax is not None:
        return style.axes(ax, "plane")
    ax = style.axes(None, "plane")
    ax.get_figure().set_size_inches(6.0, 1.1 + max(1.0, ROW * rows))
    return ax


def _dress_utilisation(ax: Any, diagnosis: Diagnosis, names: list[str], title: str) -> None:
    """The line at 100 %, the names of the bars, the title and the legend."""
    ax.axvline(100.0, color=style.INK, linewidth=style.THIN, linestyle=(0, (4, 3)), gid="limit")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(0.0, 100.0 * REACH)
    ax.set_xticks([0, 20, 40, 60, 80, 100])
    ax.set_xlabel("use of the contact's strength [%]", x=0.5 / REACH)
    name, verdict = style.verbatim(diagnosis.assembly.name), diagnosis.sentences[0].rstrip(".")
    style.dress_plane(ax, title=title or (f"{name}: {verdict[:1].lower()}{verdict[1:]}" if name else verdict))
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL)
    if any("+" in text.get_text() for text in ax.texts):
        words = {"va": "top", "ha": "right", "fontsize": style.SMALL, "color": style.INK}
        ax.annotate("gain of the limit\nfor 1 % more", (1.0, 0.0), (0, -4), "axes fraction", "offset points", **words)
    handles, _ = ax.get_legend_handles_labels()
    if len(handles) > 1:
        style.legend(ax)
        height = ax.get_position().height * ax.get_figure().get_size_inches()[1]
        ax.get_legend().set_bbox_to_anchor((0.5, -LEGEND / height), ax.transAxes)


# Gravity sweeps around a circle as polar pictures.

#: Inner and outer radius of the ring of verdicts; the load factors are drawn inside it.
RING = (2.06, 2.30)

#: Inner radius of the ring when there are no load factors.
PLAIN_RING = 1.2

#: Factors with a circle and a number, within the range of the picture.
CIRCLES = (0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1000.0)

#: The sector of a direction ends halfway to its neighbours, at most this many typical steps away.
WIDEST = 1.0


def sweep_polar(sweep: GravitySweep, ax: Any = None, *, title: str = "") -> Any:
    """`gravity_polar` of a sweep whose directions are a full circle, from straight down."""
    angles = 2.0 * np.pi * np.arange(len(sweep)) / len(sweep)
    known = None if np.isnan(sweep.factors).any() else sweep.factors
    return gravity_polar(angles, [result["status"] for result in sweep.results], known, ax, title=title)


def gravity_polar(
    angles: ArrayLike,
    statuses: Sequence[str],
    factors: ArrayLike | None = None,
    ax: Any = None,
    *,
    farthest: float = 10.0,
    title: str = "",
) -> Any:
    """The verdicts of a gravity sweep: sectors by status, and how many times the load could be carried.

    Angle zero is gravity straight down; angles grow counter-clockwise, so that with `loads.circle_directions`
    the right-hand side is gravity along `towards` (+x by default). The load factor is drawn on a logarithmic
    radius from 1/farthest (the centre) to farthest (the rim), clipped there; the dark circle is factor 1, the
    border between holding and not.

    Args:
        angles: (n,) direction of gravity from straight down [rad].
        statuses: (n,) "holds", "does not hold" or "undecided" (a `Status` is one).
        factors: (n,) load limits as multiples of the weight; inf where there is none, -inf where nothing holds.
        ax: polar axes, or None for a new figure.
        farthest: the largest factor of the scale; larger ones are drawn there.
        title: title of the picture.

    Returns:
        The Axes.
    """
    around = checks.array("angles", angles, ("n",))
    if not len(around):
        raise InputError("is empty", where="angles", fix="give at least one direction")
    verdicts = _verdicts(statuses, len(around))
    far = checks.number("farthest", farthest, low=1.5, high=1e6)
    values = None if factors is None else checks.array("factors", factors, (len(around),), infinite=True)
    ax = style.axes(ax, "polar")
    ax.set_theta_zero_location("S")
    ax.set_theta_direction(1)
    start, width = _sectors(around)
    inner, outer = (RING[0] if values is not None else PLAIN_RING), RING[1]
    for verdict, colour in style.VERDICT.items():
        chosen = np.array([v == verdict for v in verdicts])
        if chosen.any():
            name = f"{verdict} ({int(chosen.sum())} of {len(chosen)})"
            bars = {"width": width[chosen], "align": "edge", "color": colour, "linewidth": 0.4, "edgecolor": "white"}
            ax.bar(start[chosen], outer - inner, bottom=inner, label=name, gid=verdict, **bars)
            if values is not None:  # a tint under the curve, so that a gap in the ring is visible
                ax.bar(start[chosen], inner, alpha=0.10, gid="tint", **{**bars, "linewidth": 0.0})
    if values is not None:
        _factors(ax, around, values, far)
    _dress_polar(ax, far if values is not None else None, title)
    return ax


def factor_radius(factors: ArrayLike, farthest: float) -> Array:
    """Radius of load factors on paper: 0 at 1/farthest and below, 1 at factor 1, 2 at farthest and above."""
    values = np.asarray(factors, dtype=np.float64)
    clipped = np.clip(values, 1.0 / farthest, farthest)
    return 1.0 + np.log(clipped) / np.log(farthest)


def _verdicts(statuses: Sequence[str], count: int) -> list[str]:
    if isinstance(statuses, str) or not hasattr(statuses, "__len__") or len(statuses) != count:
        raise InputError("has another length than angles", where="statuses", fix=f"give one per angle: {count}")
    verdicts = [str(getattr(status, "value", status)) for status in statuses]
    for index, verdict in enumerate(verdicts):
        if verdict not in style.VERDICT:
            raise UnknownNameError("status", verdict, style.VERDICT, where=f"statuses[{index}]")
    return verdicts


def _sectors(angles: Array) -> tuple[Array, Array]:
    """Start and width (n,) of the sector of each direction [rad]: halfway to its neighbours."""
    turn = 2.0 * np.pi
    if len(angles) == 1:
        return angles - np.radians(2.5), np.full(1, np.radians(5.0))
    order = np.argsort(angles % turn, kind="stable")
    gaps = np.diff(np.append((angles % turn)[order], (angles % turn)[order[0]] + turn))  # to the next one
    widest = WIDEST * float(np.median(gaps[gaps > 0.0], axis=0)) if (gaps > 0.0).any() else turn
    after = np.minimum(gaps, widest) / 2.0
    before = np.roll(after, 1)
    start, width = np.empty(len(angles)), np.empty(len(angles))
    start[order] = angles[order] - before
    width[order] = before + after
    return start, width


def _factors(ax: Any, angles: Array, values: Array, far: float) -> None:
    """The curve of load factors, closed for a full circle; open dots where it is clipped."""
    order = np.argsort(angles % (2.0 * np.pi), kind="stable")
    a, r = angles[order], factor_radius(values[order], far)
    gaps = np.diff(np.append(a % (2.0 * np.pi), a[0] % (2.0 * np.pi) + 2.0 * np.pi))
    whole = len(a) > 2 and float(gaps.max()) <= 2.5 * float(np.median(gaps))
    line_a, line_r = (np.append(a, a[0] + 2.0 * np.pi), np.append(r, r[0])) if whole else (a, r)
    ax.plot(line_a, line_r, color=style.INK, linewidth=style.MEDIUM, label="load factor", gid="factors")
    ax.plot(a, r, "o", ms=2.2, color=style.INK)
    over = values[order] > far
    if over.any():
        look = {"ms": 4.0, "mfc": "white", "mec": style.INK, "mew": 0.8}
        ax.plot(a[over], r[over], "o", label=f"above {far:g}", **look)
    circle = np.linspace(0.0, 2.0 * np.pi, 181)
    look = {"color": style.INK, "linewidth": style.THIN, "linestyle": (0, (6, 3))}
    ax.plot(circle, np.ones(181), label="factor 1", gid="one", **look)


def _dress_polar(ax: Any, far: float | None, title: str) -> None:
    ax.set_ylim(0.0, RING[1])
    ax.set_thetagrids(range(0, 360, 45), ["0°\ngravity down", "45°", "90°", "135°", "180°\nup", "225°", "270°", "315°"])
    ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK, pad=5)
    ax.grid(True, color="#DDDDDD", linewidth=style.THIN)
    ax.spines["polar"].set_visible(False)
    ax.set_axisbelow(True)
    if far is None:
        ax.set_yticks([])
    else:
        ticks = [c for c in CIRCLES if 1.0 / far < c < far]
        ax.set_yticks([float(factor_radius(c, far)) for c in ticks], [f"{c:g}" for c in ticks], fontsize=style.SMALL)
        ax.set_rlabel_position(22.5)
    if title:
        ax.set_title(title, fontsize=style.LARGE, color=style.INK, pad=14)
    style.legend(ax, columns=3)
