"""Draw the pictures of docs/planar-contact.md into docs/pictures.

Run from the repository root: python tools/make_planar_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from holdfast import plotting
from holdfast.planar import friction_cone, load_planar, plots, region_map
from holdfast.planar.files import PlanarBodyScene

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"


def body(name: str) -> PlanarBodyScene:
    """A ready body."""
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarBodyScene)
    return scene


def planar_three_points() -> Any:
    """Erdmann's body on three points, its friction cones and a load that tips it."""
    problem = body("three_points").under((1.0, -1.0, 0.0))
    motion = next(iter(problem.motions().modes.values())).sample()
    return plots.planar_body(problem, mode="RRR", motion=motion, title="Three points, mu = 0.25: it slides")


def planar_friction_cone() -> Any:
    """Erdmann's Fig. 6."""
    problem = body("three_points")
    cone = friction_cone(problem.body, problem.contacts)
    names = ("left contact", "right contact", "middle contact")
    return plots.friction_cone(cone, names=names, title="Composite friction cone, mu = 0.25, rho = 1")


def planar_rod_motions() -> Any:
    """Painleve's rod with two motions."""
    return plots.planar_motions(body("painleve_rod_turning"))


def planar_rod_map() -> Any:
    """Painleve's rod over friction and spin."""
    rod = body("painleve_rod")
    (x, y), slip = rod.centre, rod.velocity[0]  # the foot is at the origin
    spins = np.linspace(0.0, 6.0, 121).tolist()
    base = {spin: rod.changed(velocity=(slip - spin * y, spin * x, spin)) for spin in spins}
    found = region_map(lambda mu, spin: base[spin].with_friction(mu).motions(), np.linspace(0.0, 2.5, 151), list(base))
    ax = plots.region_map(
        found, xlabel="friction coefficient", ylabel="spin [rad/s]", columns=4, title="Painlevé's rod at tan 2"
    )
    ax.axvline(4.0 / 3.0, color="#222222", linewidth=0.8, linestyle="--")
    ax.axhline(np.sqrt(9.81 / y), color="#222222", linewidth=0.8, linestyle="--")
    return ax


def planar_ladder() -> Any:
    """A ladder that begins to slide."""
    return plots.planar_motions(body("ladder").with_friction(0.25))


def planar_peg() -> Any:
    """A peg on two points that turns and slides in the hole."""
    return plots.planar_motions(body("peg_in_hole"))


def planar_jamming() -> Any:
    """The jamming diagram of a peg with its closed form."""
    mu, base = 0.3, body("peg_jammed")
    left, right, top, _ = base.outline.vertices
    radius = 0.5 * float(np.linalg.norm(right - left))
    across, up = (right - left) / (2.0 * radius), (top - right) / np.linalg.norm(top - right)
    lever = 0.5 * (left + right) - base.centre

    def answer(x: float, y: float) -> Any:
        force = x * across - up
        return base.under((*force, y * radius + lever[0] * force[1] - lever[1] * force[0])).motions()

    found = region_map(answer, np.linspace(-5.0, 5.0, 161), np.linspace(-12.0, 4.0, 161))
    ax = plots.region_map(
        found, xlabel="side force / pressing force", ylabel="moment / (radius x pressing force)", columns=4,
        title="Peg on two points, depth = 1.5 diameters, mu = 0.3",
    )  # fmt: skip
    slender = float((base.points[1] - right) @ up) / (2.0 * radius) / mu
    x = np.array([-1.0, 1.0]) / mu
    ax.plot(x, -mu * (1.0 + slender) * x - slender, color="#222222", linewidth=1.5, label="closed form")
    return ax


def planar_grasp() -> Any:
    """Three fingers that may lose the triangle."""
    return plots.planar_motions(body("three_finger_grasp").with_friction(0.1).under((0.0, -1.96, 0.05)))


def planar_box_map() -> Any:
    """Motions of a pushed box over the height of the push and friction."""
    base = {at: body("box_pushed").loaded((60.0, 0.0, 0.0), (0.0, at)) for at in np.linspace(0.0, 1.0, 101).tolist()}
    found = region_map(lambda mu, at: base[at].with_friction(mu).motions(), np.linspace(0.02, 1.6, 121), list(base))
    return plots.region_map(
        found, xlabel="friction coefficient", ylabel="height of the push / height of the box", columns=4,
        title="Box of 98 N pushed to the right by 60 N",
    )  # fmt: skip


def planar_load_map() -> Any:
    """Motions of Erdmann's body under loads from straight down to upwards, including ambiguous ones."""
    base = body("three_points")

    def answer(degrees: float, mu: float) -> Any:
        angle = np.radians(degrees)
        return base.with_friction(mu).under((np.sin(angle), -np.cos(angle), 0.0)).motions()

    found = region_map(answer, np.linspace(0.5, 119.5, 120), np.linspace(0.0, 4.0, 101))
    ax = plots.region_map(
        found, xlabel="direction of the load, from straight down towards +x [deg]", ylabel="friction coefficient",
        columns=4, title="Body on three points: left, right, middle",
    )  # fmt: skip
    ax.axhline(2.0, color="#222222", linewidth=0.8, linestyle="--")
    return ax


PICTURES = {
    picture.__name__: picture
    for picture in (
        planar_three_points,
        planar_friction_cone,
        planar_load_map,
        planar_rod_motions,
        planar_rod_map,
        planar_ladder,
        planar_peg,
        planar_jamming,
        planar_grasp,
        planar_box_map,
    )
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    for name in names or PICTURES:
        print(plotting.save(PICTURES[name](), TARGET / f"{name}.png", dpi=130).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
