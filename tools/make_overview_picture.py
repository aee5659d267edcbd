"""Draw docs/pictures/overview.png, the first picture of the README: a gripper, its contact forces, and the verdict.

Everything in it is computed: the forces, the limit, and the contacts that limit it.

Run from the repository root: python tools/make_overview_picture.py
The same versions give identical files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

import holdfast as hf
from holdfast import plotting
from holdfast.plotting import style

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "overview.png"

#: Friction and largest pressing force [N] of a fingertip pad; half the width of the part and distance of pads [m].
MU, PRESS, HALF, UP = 0.6, 20.0, 0.035, 0.022

#: The load [N] hangs there [m].
LOAD, HOOK = 18.0, np.array([0.02, 0.0, -0.06])

#: Length of an arrow on paper [m] per newton.
SCALE = 0.0021

INK, GREY, PART = style.INK, "#7C8794", "#E9EDF1"


def gripper() -> hf.Assembly:
    """Two fingers with two pads each, which press a part between them."""
    pad = hf.models.coulomb(MU, cap=PRESS)
    places = {"upper left": (-1, 1), "lower left": (-1, -1), "upper right": (1, 1), "lower right": (1, -1)}
    return hf.Assembly(
        [
            hf.Contact((x * HALF, 0, z * UP), hf.frame_from_normal((-x, 0, 0), shear=(0, 0, 1)), pad, name)
            for name, (x, z) in places.items()
        ]
    )


def draw_gripper(ax: Any, assembly: hf.Assembly, forces: np.ndarray, limiting: set[str]) -> None:
    """The side view: fingers, part, friction cones, contact forces, load."""
    for side in (-1, 1):
        ax.add_patch(Rectangle((side * (HALF + 0.008) - 0.008, -0.032), 0.016, 0.085, color=GREY, linewidth=0))
    ax.add_patch(Rectangle((-HALF - 0.016, 0.053), 2 * HALF + 0.032, 0.014, color=GREY, linewidth=0))
    ax.add_patch(Rectangle((-0.012, 0.067), 0.024, 0.016, color=GREY, linewidth=0))
    ax.add_patch(FancyBboxPatch((-HALF, -0.04), 2 * HALF, 0.075, "round,pad=0,rounding_size=0.004", fc=PART, ec=GREY))
    ax.plot([0, 0, HOOK[0]], [-0.04, -0.047, HOOK[2]], color=GREY, linewidth=2)
    for contact, force in zip(assembly.contacts, forces, strict=True):
        place, inward = contact.position[[0, 2]], contact.rotation[:, 2][[0, 2]]
        colour = style.LIMIT if contact.name in limiting else style.FORCE
        reach = 0.024 * np.array([inward + MU * np.array([0, 1]), inward - MU * np.array([0, 1])])
        ax.add_patch(Polygon([place, *(place + reach)], color=style.PALETTE[4], alpha=0.35, linewidth=0))
        style.plane_arrow(ax, place, place + SCALE * force[[0, 2]], colour, contact.name)
        ax.plot(*place, "o", ms=6, color=colour, zorder=6)
    hook = HOOK[[0, 2]]
    style.plane_arrow(ax, hook, hook - [0, SCALE * LOAD], style.LOAD, "load", wide=True)
    ax.text(
        hook[0] + 0.006, hook[1] - 0.5 * SCALE * LOAD, f"load {LOAD:g} N", color=style.LOAD, va="center", fontsize=11
    )
    ax.text(
        0.0, 0.0, "friction cones", ha="center", va="center", fontsize=8.5, color=style.darker(style.PALETTE[4], 0.7)
    )
    ax.text(-HALF - 0.022, UP, "contact\nforce", ha="right", va="center", fontsize=9.5, color=INK)
    ax.text(-HALF - 0.022, -UP, "decides\nthe limit", ha="right", va="center", fontsize=9.5, color=style.LIMIT)
    ax.set(xlim=(-0.085, 0.075), ylim=(-0.106, 0.086), aspect="equal")
    ax.set_axis_off()


def draw_verdict(ax: Any, limit: hf.statics.LoadLimit, limiting: set[str]) -> None:
    """The verdict in words, and a bar from no load to the limit."""
    value, green, red = limit.value, style.VERDICT["holds"], style.VERDICT["does not hold"]
    ax.text(0, 0.95, "Will it hold?", fontsize=12, color=GREY, va="center")
    ax.text(0, 0.76, f"holds {LOAD:g} N, limit {value:.0f} N", fontsize=19, weight="bold", color=green, va="center")
    full = 1.3 * value
    ax.add_patch(Rectangle((0, 0.5), value / full, 0.1, color=green, alpha=0.35, linewidth=0))
    ax.add_patch(Rectangle((value / full, 0.5), 1 - value / full, 0.1, color=red, alpha=0.35, linewidth=0))
    ax.add_patch(Rectangle((0, 0.5), LOAD / full, 0.1, color=green, linewidth=0))
    for place, words, colour in (
        (0, "0", INK),
        (LOAD, f"load {LOAD:g} N", style.LOAD),
        (value, f"limit {value:.0f} N", INK),
    ):
        ax.plot([place / full] * 2, [0.47, 0.63], color=colour, linewidth=2)
        ax.text(place / full, 0.42, words, ha="center", va="top", color=colour, fontsize=10)
    ax.text(0.5 * (1 + value / full), 0.55, "slips", ha="center", va="center", color=red, fontsize=10)
    proof = "verified without the solver" if limit.verify() else "fails"
    lines = (
        f"limited by the pads {' and '.join(sorted(limiting))}",
        f"more than {limit.upper_bound:.4g} N cannot be held",
    )
    for row, words in enumerate((*lines, f"proof: {proof}")):
        ax.text(0, 0.24 - 0.11 * row, words, fontsize=10.5, color=style.LIMIT if row == 0 else INK, va="center")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.05, 1.02))
    ax.set_axis_off()


def overview() -> Figure:
    """Gripper and verdict side by side."""
    assembly, down = gripper(), np.array([0.0, 0.0, -1.0])
    wrench = np.concatenate([down, np.cross(HOOK, down)])
    held, limit = hf.equilibrium(assembly, LOAD * wrench), hf.load_limit(assembly, wrench)
    assert held.holds and held.verify()
    limiting = {gain.state.name for gain in hf.diagnose(limit).gains}  # more strength there raises the limit
    figure = Figure(figsize=(9.0, 3.7))
    draw_gripper(figure.add_axes((0.0, 0.0, 0.42, 1.0)), assembly, held.forces, limiting)
    draw_verdict(figure.add_axes((0.46, 0.06, 0.52, 0.88)), limit, limiting)
    return figure


if __name__ == "__main__":
    plotting.save(overview(), TARGET, dpi=110)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")
