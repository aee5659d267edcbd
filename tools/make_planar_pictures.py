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
from holdfast.planar import friction_cone, plots, problems, region_map

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"


def planar_three_points() -> Any:
    """Erdmann's body on three points, its friction cones and a load that tips it."""
    problem = problems.three_points(0.25, (1.0, -1.0, 0.0))
    motion = next(iter(problem.motions().modes.values())).sample()
    return plots.planar_body(problem, mode="RRR", motion=motion, title="Three points, mu = 0.25: it slides")


def planar_friction_cone() -> Any:
    """Erdmann's Fig. 6."""
    problem = problems.three_points(0.25)
    cone = friction_cone(problem.body, problem.contacts)
    names = ("left contact", "right contact", "middle contact")
    return plots.friction_cone(cone, names=names, title="Composite friction cone, mu = 0.25, rho = 1")


def planar_rod_motions() -> Any:
    """Painleve's rod with two motions."""
    return plots.planar_motions(problems.painleve_rod(1.8, spin=4.0))


def planar_rod_map() -> Any:
    """Painleve's rod over friction and spin."""
    base = {spin: problems.painleve_rod(1.0, spin) for spin in np.linspace(0.0, 6.0, 121).tolist()}
    found = region_map(lambda mu, spin: base[spin].with_friction(mu).motions(), np.linspace(0.0, 2.5, 151), list(base))
    ax = plots.region_map(
        found, xlabel="friction coefficient", ylabel="spin [rad/s]", columns=4, title="Painlevé's rod at tan 2"
    )
    ax.axvline(4.0 / 3.0, color="#222222", linewidth=0.8, linestyle="--")
    ax.axhline(np.sqrt(9.81 / np.sin(np.arctan(2.0))), color="#222222", linewidth=0.8, linestyle="--")
    return ax


def planar_ladder() -> Any:
    """A ladder that begins to slide."""
    return plots.planar_motions(problems.ladder(0.7, 0.35, 0.3))


def planar_peg() -> Any:
    """A peg on two points that turns and slides in the hole."""
    return plots.planar_motions(problems.peg_in_hole(0.3, moment=-1.4, depth=1.2, clearance=0.08))


def planar_jamming() -> Any:
    """The jamming diagram of a peg with its closed form."""
    mu, depth = 0.3, 1.0
    base = problems.peg_in_hole(mu, depth=depth, clearance=1e-3)
    side, press, moment = (problems.peg_in_hole(mu, *e, depth=depth, clearance=1e-3).force for e in np.eye(3))
    found = region_map(
        lambda x, y: base.under(x * side + press + 0.5 * y * moment).motions(),
        np.linspace(-5.0, 5.0, 161), np.linspace(-10.0, 4.0, 141),
    )  # fmt: skip
    ax = plots.region_map(
        found, xlabel="side force / pressing force", ylabel="moment / (radius x pressing force)", columns=4,
        title="Peg on two points, depth = diameter, mu = 0.3",
    )  # fmt: skip
    slender = depth / mu
    x = np.array([-1.0, 1.0]) / mu
    ax.plot(x, -mu * (1.0 + slender) * x - slender, color="#222222", linewidth=1.5, label="closed form")
    return ax


def planar_grasp() -> Any:
    """Three fingers that lose the triangle."""
    return plots.planar_motions(problems.three_finger_grasp(0.2, (0.0, -9.81, 3.0), shift=0.12))


def planar_box_map() -> Any:
    """Motions of a pushed box over the height of the push and friction."""
    base = {at: problems.box_on_floor(1.0, 8.0, at) for at in np.linspace(0.0, 1.0, 101).tolist()}
    found = region_map(lambda mu, at: base[at].with_friction(mu).motions(), np.linspace(0.02, 1.6, 121), list(base))
    return plots.region_map(
        found, xlabel="friction coefficient", ylabel="height of the push / height of the box", columns=4,
        title="Box pushed to the right by 8 N",
    )  # fmt: skip


def planar_load_map() -> Any:
    """Motions of Erdmann's body under loads from straight down to upwards, including ambiguous ones."""
    base = problems.three_points(1.0)

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
