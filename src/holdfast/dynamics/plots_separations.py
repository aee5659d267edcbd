"""If it does not hold: contacts coloured by what they do, and the acceleration of the object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..assembly.plots_actions import draw_motion, draw_wrench
from ..assembly.plots_assemblies import LINK, UNIT
from ..assembly.plots_shapes import add_shape, add_sheet, near
from ..assembly.plots_subjects import Subject, subject_of
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from ..plotting.artists import add_arrow
from ..plotting.solids import Solids
from .separation import Separation
from .states import ContactMode

#: Colours of what contacts do, told apart by colour-blind readers too.
STATE = {"sticks": "#009E73", "slips": "#E69F00", "separates": "#CC79A7", "open": "#FFFFFF"}

#: Arrows of forces below this share of the largest are left out.
NEGLIGIBLE = 1e-3


def separation(
    subject: Any,
    answer: Separation,
    *,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """The object, its contact forces by what each contact does, the load, and the acceleration of the object.

    The thick arrow is the acceleration of the centre of mass, the arc the turn that goes with it; both by direction,
    the numbers stand in the legend. A ring round a contact says that it still pulls or presses while it separates.

    Args:
        subject: the Assembly that was asked about, or a Device or Scene, which know their units, links and object.
        answer: what `hf.separation` returned.
        shape: the object's outline, as for `assembly`.
        patches: surfaces of the units, as for `assembly`.
        ax: axes in space (projection "3d"), or None for a new figure.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name and what came out.

    Returns:
        The Axes.
    """
    if not isinstance(answer, Separation):
        raise InputError(f"is a {type(answer).__name__}", where="answer", fix="give what hf.separation returned")
    thing = subject_of(subject, patches, shape)
    if len(thing.assembly) != len(answer.assembly):
        what = f"is about {len(answer.assembly)} contacts, not {len(thing.assembly)}"
        raise InputError(what, where="answer", fix="give the answer about this assembly")
    ax = style.axes(ax, "space")
    fixed = _draw_bodies(ax, thing)
    size = float(np.linalg.norm(np.ptp(fixed, axis=0))) or 0.1
    seen = [fixed]
    strengths = np.zeros(1) if answer.forces is None else np.linalg.norm(answer.forces, axis=1)
    longest = float(strengths.max()) or float(np.linalg.norm(answer.wrench[:3]))
    scale = style.LONGEST * size / longest if longest > 0.0 else 1.0
    seen.append(_draw_contacts(ax, answer, scale))
    seen.append(draw_wrench(ax, answer.wrench, thing.center, scale, size))
    if answer.acceleration is not None and not answer.holds:
        name = _acceleration_name(answer.acceleration, thing.center, thing.assembly.length)
        seen.append(draw_motion(ax, answer.acceleration, thing.center, size, name))
    if longest > 0.0:
        shown = _round(style.LONGEST * size / scale)
        ax.plot([], [], [], " ", label=f"scale: {shown:g} N = {1e3 * scale * shown:.3g} mm")
    points = np.concatenate(seen)
    name = style.verbatim(thing.assembly.name)
    words = answer.status.value if answer.holds or answer.status == "undecided" else "does not hold"
    style.dress_space(
        ax, points.min(axis=0), points.max(axis=0), view=view, title=title or (f"{name}: {words}" if name else words)
    )
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    style.legend(ax, columns=2)
    return ax


def _draw_bodies(ax: Any, thing: Subject) -> Array:
    """Object, units and links; the corners that must be seen."""
    solids = Solids()
    held = np.concatenate([thing.assembly.positions, *thing.faces, *thing.links])
    if thing.shape is not None:
        add_shape(solids, thing.shape)
        solids = near(solids, held)
    for face in thing.faces:
        add_sheet(solids, face, UNIT, 0.35)
    look = {"color": LINK, "linewidth": 2.2, "alpha": 0.6, "solid_capstyle": "round", "marker": "o", "ms": 3.0}
    for line in thing.links:
        ax.plot(*line.T, **look, gid="link", zorder=style.MARKS)
    solids.draw(ax, gid="bodies")
    return np.concatenate([held, solids.corners])


def _draw_contacts(ax: Any, answer: Separation, scale: float) -> Array:
    """Forces and points of the contacts, coloured by what they do; the points of the arrows."""
    positions = answer.assembly.positions
    if answer.forces is None:
        ax.scatter(*positions.T, s=13, color=style.FORCE, depthshade=False, zorder=style.MARKS, label="contact")
        return positions
    strengths = np.linalg.norm(answer.forces, axis=1)
    ends = positions + scale * answer.forces
    for state, start, end, strength in zip(answer.states, positions, ends, strengths, strict=True):
        if strength > NEGLIGIBLE * strengths.max():
            colour = style.darker(STATE[state.mode.value], 0.85)
            add_arrow(ax, start, end, colour, width=style.MEDIUM, head=7.0, gid="force")
    for mode in ContactMode:
        chosen = np.array([s.mode is mode for s in answer.states])
        if chosen.any():
            look = {"facecolors": STATE[mode.value], "edgecolors": style.INK, "linewidths": 0.5, "s": 20}
            name = f"contact {mode.value} ({int(chosen.sum())})"
            ax.scatter(*positions[chosen].T, label=name, depthshade=False, zorder=style.ARROWS, gid=mode.value, **look)
    rings = np.array([s.pulls_while_separating or s.presses_while_separating for s in answer.states])
    if rings.any():
        look = {"facecolors": "none", "edgecolors": STATE["separates"], "linewidths": 0.9, "s": 62}
        name = f"still pulls or presses ({int(rings.sum())})"
        ax.scatter(*positions[rings].T, label=name, depthshade=False, zorder=style.ARROWS, gid="rings", **look)
    return np.concatenate([positions, ends])


def _acceleration_name(twist: Array, center: Array, length: float) -> str:
    """The numbers of an acceleration; a part too small to be drawn is left out."""
    linear, angular = float(np.linalg.norm(twist[:3] + np.cross(twist[3:], center))), float(np.linalg.norm(twist[3:]))
    parts = [f"{linear:.3g} m/s$^2$"] if linear > NEGLIGIBLE * angular * length else []
    parts += [f"{angular:.3g} rad/s$^2$"] if angular * length > NEGLIGIBLE * linear else []
    return f"acceleration {', '.join(parts)}"


def _round(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * (1.0 + 1e-9)))
