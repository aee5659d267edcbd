"""Draw the pictures of docs/torque-sets.md into docs/pictures.

Run from the repository root: python tools/make_torque_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from holdfast import plotting
from holdfast.planar import Chain, torque_sets_over_postures
from holdfast.planar import plots as planar_plots
from holdfast.planar.climbing import SnakeClimb
from holdfast.planar.files import PlanarChainScene, PlanarClimbScene, load_planar

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0)


def chain(name: str) -> PlanarChainScene:
    """A ready chain."""
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarChainScene)
    return scene


@cache
def climbed() -> SnakeClimb:
    """The climb in the straight channel."""
    scene = load_planar("@climb_straight")
    assert isinstance(scene, PlanarClimbScene)
    return scene.climb()


def torque_postures() -> Any:
    """The chains of the paper between their walls."""
    figure = Figure(figsize=(9.6, 4.4), layout="constrained")
    titles = {"two_link_snake": "two links, mu = 0.3", "two_link_snake_ambiguous": "two links, mu = 1.2"}
    titles |= {"six_link_snake": "six links, mu = 0.3", "five_link_brace_moving": "a brace and its free part"}
    for k, (name, title) in enumerate(titles.items()):
        scene = chain(name)
        ax = figure.add_subplot(1, 4, k + 1)
        shown = {"contacts": scene.contacts, "walls": scene.walls, "bracing": scene.brace_links}
        planar_plots.chain_posture(scene.chain, scene.q, ax, mode=scene.mode, title=title, **shown)
        if k:
            ax.set_ylabel("")
        if (legend := ax.get_legend()) is not None:
            legend.remove()
    return figure


def torque_ambiguous() -> Any:
    """Two links between rough walls: which torques allow which modes."""
    scene = chain("two_link_snake_ambiguous")
    return planar_plots.torque_set(scene.torque_sets(), torques=[-0.3, -0.05], title="Two links, mu = 1.2")


def torque_plane() -> Any:
    """Three links between rough walls: two torques."""
    return planar_plots.torque_set(
        chain("three_link_snake").torque_sets(), title="Three links, mu = 1.2, motors of 2 N m"
    )


def torque_box() -> Any:
    """The limit of T* over a box of postures, with the cells of the proof and the postures tried."""
    links, q = Chain([0.127] * 2, 0.0849), np.concatenate([[0.0, 0.0], np.deg2rad([135.0, -90.0])])
    contacts = [(0, RIGHT, 1.0), (1, LEFT, 1.0), (2, RIGHT, 1.0)]
    found = torque_sets_over_postures(links, q, np.deg2rad([0.0, 0.0, 8.0, 8.0]), contacts, "FFF")
    steps = np.linspace(-8.0, 8.0, 41)
    limits = [
        [-found.box.at(q + np.deg2rad([0.0, 0.0, x, y])).unique[0].generators.vertices[0, 0] for x in steps]
        for y in steps
    ]
    figure = Figure(figsize=(6.0, 4.6), layout="constrained")
    ax = figure.add_subplot()
    image = ax.pcolormesh(steps, steps, limits, cmap="viridis", shading="nearest")
    figure.colorbar(image, label="least unique torque, -tau [N m]")
    for middle, half in np.rad2deg(found.cells[:, :, 2:]):
        corner = middle - np.rad2deg(q[2:]) - half
        ax.add_patch(Rectangle(tuple(corner), *(2.0 * half), fill=False, edgecolor="white", linewidth=0.8))
    ax.plot(
        *np.rad2deg(found.postures - q)[:, 2:].T, "o", color="white", markeredgecolor="black", label="postures tried"
    )
    ax.set(xlabel="error of the first link [deg]", ylabel="error of the joint [deg]")
    proven = -found.inner.unique[0].generators.vertices[0, 0]
    ax.set_title(f"Unique in the whole box: from {proven:.4f} N m (proven)")
    ax.legend(loc="upper left")
    return figure


def climb_stills() -> Any:
    """The climb in stills."""
    return planar_plots.climb_stills(climbed())


PICTURES = (
    torque_postures,
    torque_ambiguous,
    torque_plane,
    torque_box,
    climb_stills,
)


def main(wanted: list[str]) -> None:
    """Draw the pictures named, or all of them."""
    for draw in PICTURES:
        if not wanted or draw.__name__ in wanted:
            print(plotting.save(draw(), TARGET / f"{draw.__name__}.png", dpi=110))


if __name__ == "__main__":
    main(sys.argv[1:])
