"""What a diagnosis says of each contact, as bars: how much of its strength it uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..errors import InputError
from ..plotting import style
from .diagnosis import ContactState, Diagnosis

#: Height of one contact's row [inch].
ROW = 0.2

#: The axis reaches this far beyond 100 %, for the words beside the bars.
REACH = 1.35

#: How far below the axis the legend stands [inch].
LEGEND = 0.5


def utilisation(diagnosis: Diagnosis, ax: Any = None, *, most: int = 60, title: str = "") -> Any:
    """How much of its strength each contact uses when the load limit is reached, and what more strength would bring.

    A bar is the force over the largest admissible one in its direction. Contacts at the limit of their volume stand
    out, and among them those that no other choice of forces could relieve; contacts at the border of their piece
    alone, where another piece goes on, are hatched. The numbers beside the bars say by how many percent of itself the
    load limit grows when that contact becomes 1 % stronger (by at most so much, where prices are not unique).

    Args:
        diagnosis: what `hf.diagnose` returned, with forces.
        ax: plain axes, or None for a new figure.
        most: of more contacts than these, only the most used are drawn.
        title: title; by default the name of the assembly and the first sentence of the diagnosis.

    Returns:
        The Axes.
    """
    if not isinstance(diagnosis, Diagnosis):
        raise InputError(f"is a {type(diagnosis).__name__}", where="diagnosis", fix="give what hf.diagnose returned")
    if not diagnosis.contacts:
        raise InputError("has no forces", where="diagnosis", fix="there is nothing to draw where no multiple holds")
    states = _shown(diagnosis, checks.count("most", most))
    given = ax is not None
    ax = style.axes(ax, "plane")
    if not given:
        ax.get_figure().set_size_inches(6.0, 1.1 + max(1.0, ROW * len(states)))
    named: set[str] = set()
    for place, state in enumerate(states):
        kind, look = _look(state)
        label = "_" if kind in named else kind
        named.add(kind)
        ax.barh(place, 100.0 * state.utilisation, height=0.75, label=label, gid=state.label, **look)
        text = _worth(diagnosis, state)
        ends = (100.0 * state.utilisation, place)
        ax.annotate(text, ends, (3, 0), textcoords="offset points", va="center", fontsize=style.SMALL, color=style.INK)
    ax.axvline(100.0, color=style.INK, linewidth=style.THIN, linestyle=(0, (4, 3)), gid="limit")
    _dress(ax, diagnosis, states, title)
    return ax


def _shown(diagnosis: Diagnosis, most: int) -> list[ContactState]:
    """The contacts in their order; of too many, those most used and dearest."""
    if len(diagnosis.contacts) <= most:
        return list(diagnosis.contacts)
    price = {c.index: c.price if np.isfinite(c.price) else 0.0 for c in diagnosis.contacts}
    ranked = sorted(diagnosis.contacts, key=lambda c: (-round(c.utilisation, 6), -price[c.index]))
    return sorted(ranked[:most], key=lambda c: c.index)


def _look(state: ContactState) -> tuple[str, dict[str, Any]]:
    """What kind of bar it is, and how it is drawn."""
    if state.at_limit and not state.idle:
        if state.binding:
            return "at its limit", {"facecolor": style.LIMIT, "edgecolor": "none"}
        return "at its limit, could be relieved", {"facecolor": style.colour(1), "edgecolor": "none"}
    if state.at_piece_limit and not state.idle:
        look = {"facecolor": "none", "edgecolor": style.colour(0), "linewidth": 0.8, "hatch": "////"}
        return "at the border of its piece", look
    return "within its volume", {"facecolor": style.colour(0), "edgecolor": "none"}


def _worth(diagnosis: Diagnosis, state: ContactState) -> str:
    """What the words beside a bar say: use, and the gain of 1 % more strength where there is one."""
    if state.idle:
        return "no force"
    text = f"{100.0 * state.utilisation:.0f} %"
    if not np.isfinite(state.price) or diagnosis.factor == 0.0:
        return text
    gain = 100.0 * state.price / abs(diagnosis.factor)
    sign = "" if diagnosis.prices_unique else "\N{LESS-THAN OR EQUAL TO} "
    return f"{text}   {sign}{gain:+.2g} %" if abs(gain) >= 5e-4 else text


def _dress(ax: Any, diagnosis: Diagnosis, states: list[ContactState], title: str) -> None:
    ax.set_yticks(range(len(states)), [style.verbatim(state.name) or str(state.index) for state in states])
    ax.set_ylim(len(states) - 0.4, -0.6)
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
