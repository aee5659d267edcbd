"""A snake robot braces itself between two walls: which torques allow no other motion than standing?

With dry friction several motions may be possible under the same torques. The set of torques that allow only the wanted
motion is computed exactly. Then the snake climbs, with the torques of every step in such a set.

Run it: python examples/11_snake_between_walls.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from holdfast import planar, plotting
from holdfast.planar import plots as planar_plots

LENGTH, MASS = 0.127, 0.0849  # of a link [m, kg]
LEFT, RIGHT = (1, 0), (-1, 0)  # normals out of the left and the right wall


def brace(mu: float) -> planar.TorqueSets:
    """Two links across the channel, at friction mu: torques of the joint between them."""
    posture = np.concatenate([[0, 0], np.deg2rad([135, -90])])  # x, y of node 0, angle of link 0, of link 1 to it
    touching = [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)]
    return planar.torque_sets(planar.Chain([LENGTH] * 2, MASS).system(posture, None, touching), "FFF")


def main(folder: Path) -> None:
    smooth, rough = brace(0.3), brace(1.2)
    print(f"friction 0.3: {smooth.status}, torque up to {smooth.feasible.generators.vertices[0, 0]:.4f} N m")
    print(f"friction 1.2: {rough.status}; -0.05 N m is {rough.classify(-0.05)}: other possible modes are", end=" ")
    print(", ".join(motion.mode for motion in rough.explain(-0.05)))
    channel = planar.Channel.straight(width=0.09, height=1.2)
    climb = planar.climb(planar.Chain([LENGTH] * 6, MASS), channel, goal=0.05, mu=0.3, margin=0.1)
    print(f"climbing 50 mm: {climb.status} in {len(climb.steps)} steps, margin {climb.margin:.3f} N m")

    figure = planar_plots.climb_stills(climb, title="Six links climb by bracing")
    plotting.save(figure, folder / "11_snake_between_walls.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
