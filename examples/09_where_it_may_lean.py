"""A body stands on uneven ground: does it hold, and where may its centre of mass be?

Four feet stand on rock. The support region is an exact polygon with a proof. The edge nearest to the centre of mass
names the feet that are at their limit there.

Run it: python examples/09_where_it_may_lean.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import holdfast as hf
from holdfast import plotting

GRAVITY = (0.0, 0.0, -9.81)
GROUND = [  # where the feet stand [m], and the ground's normal there
    ((0.0, 0.0, 0.0), (0.1, 0.0, 1.0)),
    ((0.8, 0.1, 0.1), (-0.5, 0.1, 1.0)),
    ((0.7, 0.9, 0.0), (0.0, -0.2, 1.0)),
    ((-0.1, 0.8, 0.3), (0.5, -0.3, 1.0)),
]


def main(folder: Path) -> None:
    foot = hf.coulomb_grip(0.6, sides=16)
    poses = [hf.Pose(hf.frame_from_normal(normal), place) for place, normal in GROUND]
    com = (0.5, 0.3, 0.9)
    answer = hf.posture_equilibrium(foot, poses, hf.loads.gravity_wrench(25.0, GRAVITY, com))
    print(f"{answer.status}; proof verified: {answer.verify()}")
    region = hf.support_region(foot, poses, mass=25.0, gravity=GRAVITY)
    nearest = region.active(com)
    print(f"{region.kind} of {region.area:.3f} m^2, {region.signed_distance(com):.3f} m to its border")
    print("feet at their limit there:", ", ".join(str(hand.hand) for hand in nearest.hands))

    slippery = hf.support_region(hf.coulomb_grip(0.35, sides=16), poses, mass=25.0, gravity=GRAVITY)
    print(f"with friction 0.35 instead of 0.6: {slippery.area:.3f} m^2")
    labels = ["friction 0.35", "friction 0.6"]
    feet = [place for place, _ in GROUND]
    names = [f"foot {index}" for index in range(len(poses))]
    title = "Where the centre of mass may be"
    ax = hf.postures.plots.support_region(
        [slippery, region], labels=labels, com=com, hands=feet, names=names, title=title
    )
    plotting.save(ax, folder / "09_where_it_may_lean.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
