"""It does not hold: how does the object move, which contacts slip, and what happens next?

A block leans over the edge of a ledge. Coulomb's law determines which contacts stick, slip and separate. A step-by-step
simulation shows the fall and the contacts that are lost during it.

Run it: python examples/06_when_it_lets_go.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.dynamics import box_inertia, simulate_release
from holdfast.dynamics.plots import release_strip

SIZE = np.array([0.2, 0.1, 0.08])  # of the block [m]
COM = np.array([0.03, 0.0, 0.04])  # its middle: 30 mm beyond the edge at x = 0


def ledge(mu: float = 0.5) -> hf.Assembly:
    """The block's corners on the ledge, and the two points at the edge."""
    points = [(x, y, 0.0) for x in (-0.05, 0.0) for y in (-0.05, 0.05)]
    names = ["back right", "back left", "edge right", "edge left"]
    unit = hf.models.coulomb(mu)
    return hf.Assembly([hf.Contact(p, np.eye(3), unit, n) for p, n in zip(points, names, strict=True)], name="ledge")


def main(folder: Path) -> None:
    block, weight = ledge(), hf.loads.gravity_wrench(1.0, com=COM)
    inertia = hf.dynamics.mass_matrix(1.0, box_inertia(1.0, SIZE), COM)
    answer = hf.motion(block, weight, inertia)
    print(f"{answer.status}; proof verified: {answer.verify()}")
    for sentence in answer.sentences:
        print(sentence)
    motion = simulate_release(block, weight, inertia, step=0.01, frames=30, reach=0.07)
    print(f"{motion.end}; contacts lost (still, contact): {motion.lost}")

    figure = release_strip(
        block, motion, shape=hf.assembly.shapes.Box(SIZE, hf.Pose(np.eye(3), COM)), title="Over the edge"
    )
    plotting.save(figure, folder / "06_when_it_lets_go.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
