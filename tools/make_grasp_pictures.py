"""Draw the pictures of docs/planar-grasps.md and docs/grasp-studies.md into docs/pictures.

Run from the repository root: python tools/make_grasp_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from holdfast import plotting
from holdfast.grasps import example_part, parameter_variation, plan, plots, stability_study
from holdfast.grasps.ranking import Ranking

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
SCALE = 0.5


@cache
def ranked(name: str, hand: str = "barrett", noise: float = 0.0, rank: str = "sum") -> Ranking:
    """The grasps of an example part, found in its picture."""
    return plan(example_part(name).picture(SCALE, noise=noise, seed=1), hand, SCALE, rank=rank)


def under(ranking: Ranking) -> dict[str, Any]:
    """The picture below a drawing."""
    return {"picture": ranking.picture, "mm_per_px": SCALE}


def grasp_bracket() -> Any:
    """The best grasp of the bracket on its noisy picture."""
    found = ranked("bracket", noise=0.08)
    best, contour = found.best, found.contour
    assert best is not None
    assert contour is not None
    return plots.grasp_overlay(best, contour, title=f"bracket: Q = {best.Q:.2f}", **under(found))


def grasp_sheet() -> Any:
    """The six best grasps of the casting (Fig. 5)."""
    found = ranked("casting")
    return plots.grasp_sheet(found, **under(found))


def grasp_variation() -> Any:
    """Parameters varied."""
    return plots.variation_chart(
        parameter_variation(ranked("casting", rank="paper")), title="casting: parameters varied"
    )


def grasp_stability() -> Any:
    """Grasps displaced."""
    study = stability_study(ranked("casting", rank="paper"))
    return plots.stability_chart(study, title="casting: 20 displacements of up to 1.5 mm")


PICTURES = {
    picture.__name__: picture
    for picture in (
        grasp_bracket,
        grasp_sheet,
        grasp_variation,
        grasp_stability,
    )
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    for name in names or PICTURES:
        print(plotting.save(PICTURES[name](), TARGET / f"{name}.png", dpi=110).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
