"""Possible motions of a chain of links: a panel for each contact mode, with the accelerations of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..plotting import style
from .chain_contacts import ContactLike
from .chains import Chain
from .motion_sets import MotionSet
from .plots_climbs import chain_posture

#: Length of the longest arrow of all panels, as a share of the chain's size.
ARROW = 0.35

#: Accelerations below this share of the largest, or of the gravity where that is larger, have no arrow.
NEGLIGIBLE = 1e-6

#: Motions that are drawn at most, and the size of a panel [inch].
MOST, PANEL = 9, (3.3, 3.6)


def chain_motions(
    chain: Chain,
    q: ArrayLike,
    answer: MotionSet,
    *,
    qd: ArrayLike | None = None,
    contacts: Sequence[ContactLike] = (),
    walls: Iterable[ArrayLike] = (),
    columns: int = 3,
    title: str = "",
) -> Any:
    """Every possible motion of a chain in a panel of its own, named by its mode: nodes with their accelerations.

    Arrows of all panels share one scale. A mode with a continuum of motions shows one of them.

    Args:
        chain: the links.
        q: (2 + n,) posture [m, rad].
        answer: what `hf.planar.system_motions` said of the chain in this posture.
        qd: (2 + n,) velocity [m/s, rad/s]; rest by default.
        contacts: where it touches, as for `Chain.system`.
        walls: polylines (m, 2) [m].
        columns: how many panels stand side by side at most.
        title: title of the whole; by default the status.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("chain", chain, Chain, fix="give a holdfast.planar.Chain")
    checks.instance("answer", answer, MotionSet, fix="give what hf.planar.system_motions returned")
    checks.count("columns", columns)
    given = [np.asarray(wall, dtype=float) for wall in walls]
    shown = list(answer.modes)[:MOST]
    moving = [node_accelerations(chain, q, qd, answer.modes[mode].sample().acceleration) for mode in shown]
    largest = max((float(np.linalg.norm(a, axis=1).max()) for a in moving), default=0.0)
    floor = NEGLIGIBLE * max(largest, float(np.linalg.norm(np.asarray(chain.gravity))))
    size = float(np.ptp(chain.nodes(q), axis=0).max())
    across = max(min(columns, len(shown)), 1)
    down = max(-(-len(shown) // across), 1)
    figure = Figure(figsize=(PANEL[0] * across + 0.4, PANEL[1] * down + 0.6), layout="constrained")
    for k, mode in enumerate(shown or [None]):
        ax = figure.add_subplot(down, across, k + 1)
        name = "no motion" if mode is None else mode + ("" if answer.modes[mode].is_point else ", one of many")
        chain_posture(chain, q, ax, contacts=contacts, walls=given, mode=mode, title=name or "no contact")
        if mode is not None and largest > floor:
            _arrows(ax, chain.nodes(q), moving[k], ARROW * size / largest, floor)
    more = f", {len(shown)} of {len(answer.modes)} modes" if len(answer.modes) > len(shown) else ""
    scale = f"; longest arrow {largest:.3g} m/s$^2$" if largest > floor else "; nothing accelerates" if shown else ""
    figure.suptitle(f"{title or answer.status.value}{more}{scale}", fontsize=style.LARGE, color=style.INK)
    return figure


def node_accelerations(chain: Chain, q: ArrayLike, qd: ArrayLike | None, acceleration: ArrayLike) -> Array:
    """(n + 1, 2) accelerations of the nodes [m/s^2] for those of the chain's free coordinates."""
    whole = np.zeros(chain.coordinate_count)
    whole[list(chain.free)] = np.asarray(acceleration, dtype=float)
    speed = np.zeros_like(whole) if qd is None else qd
    jacobians, terms = chain.point_kinematics(q, speed, chain.node_paths)
    return jacobians @ whole + terms


def _arrows(ax: Any, nodes: Array, accelerations: Array, scale: float, floor: float) -> None:
    """An arrow for each node that accelerates, and room for all of them."""
    seen = np.linalg.norm(accelerations, axis=1) > floor
    if not seen.any():
        return
    ax.quiver(
        *nodes[seen].T, *(scale * accelerations[seen]).T, angles="xy", scale_units="xy", scale=1.0, width=0.014,
        color=style.MOTION, zorder=6, gid="acceleration", label="acceleration of a node",
    )  # fmt: skip
    tips = nodes[seen] + scale * accelerations[seen]
    for read, write, values in ((ax.get_xlim, ax.set_xlim, tips[:, 0]), (ax.get_ylim, ax.set_ylim, tips[:, 1])):
        low, high = read()
        room = 0.04 * (high - low)
        write(min(low, float(values.min()) - room), max(high, float(values.max()) + room))
