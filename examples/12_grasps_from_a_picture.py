"""A camera looks at a part: where should a three-finger hand grasp it?

From the grey picture to the contour, its grasp regions and all force-closure grasps that the hand can reach, ranked by
the criteria of Chinellato and others. The best grasps are drawn over the picture.

Run it: python examples/12_grasps_from_a_picture.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from holdfast import grasps, plotting
from holdfast.grasps import plots as grasps_plots


def main(folder: Path) -> None:
    part = grasps.example_part("bracket")
    picture = part.picture(mm_per_px=0.5, noise=0.02, seed=1)  # as a camera would see it: grey values, noise
    ranking = grasps.plan(picture, hand="barrett", mm_per_px=0.5, mu=0.4)
    best = ranking.best
    assert best is not None, ranking.reason
    print(f"{len(ranking)} grasps; the best: {best.kind.replace('_', ' ')}, Q = {best.Q:.2f} (smaller is better)")
    print(f"its contacts lie within {part.distance(best.contacts_mm).max():.2f} mm of the true contour")
    print(f"why it is better than the second: {ranking.why(1, 2)}")
    metrics = grasps.measure(best)
    print(f"epsilon of Ferrari and Canny: {metrics.epsilon:.3f}")

    figure = grasps_plots.grasp_sheet(
        ranking,
        picture=picture,
        mm_per_px=0.5,
        best=4,
        columns=2,
        title="A bracket and a three-finger hand: the best four grasps",
    )
    plotting.save(figure, folder / "12_grasps_from_a_picture.png", dpi=85)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
