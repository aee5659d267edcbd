"""Sweeps of gravity round a circle as polar pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..plotting import style

#: Inner and outer radius of the ring of verdicts; the load factors are drawn inside it.
RING = (2.06, 2.30)

#: Inner radius of the ring when there are no load factors.
PLAIN_RING = 1.2

#: Factors with a circle and a number of their own, as far as the picture reaches.
CIRCLES = (0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1000.0)

#: A direction fills the picture halfway to its neighbours, but no further than this many typical steps.
WIDEST = 1.0


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
        farthest: the largest factor that is told apart.
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
            if values is not None:  # a tint under the curve, so that a gap in the ring is not missed
                ax.bar(start[chosen], inner, alpha=0.10, gid="tint", **{**bars, "linewidth": 0.0})
    if values is not None:
        _factors(ax, around, values, far)
    _dress(ax, far if values is not None else None, title)
    return ax


def factor_radius(factors: ArrayLike, farthest: float) -> Array:
    """Radius of load factors on paper: 0 at 1/farthest and below, 1 at factor 1, 2 at farthest and above."""
    values = np.asarray(factors, dtype=np.float64)
    clipped = np.clip(values, 1.0 / farthest, farthest)
    return 1.0 + np.log(clipped) / np.log(farthest)


def _verdicts(statuses: Sequence[str], count: int) -> list[str]:
    if isinstance(statuses, str) or not hasattr(statuses, "__len__") or len(statuses) != count:
        raise InputError("has another length than angles", where="statuses", fix=f"give {count} statuses, one an angle")
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
    """The curve of load factors, closed when it goes all round; open dots where it is clipped."""
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


def _dress(ax: Any, far: float | None, title: str) -> None:
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
