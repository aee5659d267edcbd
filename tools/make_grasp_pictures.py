"""Draw the pictures of docs/planar-grasps.md, docs/grasp-hands.md and docs/grasp-studies.md into docs/pictures.

Run from the repository root: python tools/make_grasp_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from holdfast import plotting
from holdfast.grasps import (
    correlations,
    example_part,
    hand_names,
    parameter_variation,
    part_names,
    plan,
    stability_study,
)
from holdfast.grasps import plots as grasp_distributions
from holdfast.grasps import plots as grasp_overlays
from holdfast.grasps import plots as grasp_steps
from holdfast.grasps import plots as grasp_studies
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
    return grasp_overlays.grasp_overlay(best, contour, title=f"bracket: Q = {best.Q:.2f}", **under(found))


def grasp_regions() -> Any:
    """Curvature and regions of the casting."""
    return grasp_steps.grasp_regions(ranked("casting"), title="casting: curvature and grasping regions")


def grasp_sheet() -> Any:
    """The six best grasps of the casting (Fig. 5)."""
    found = ranked("casting")
    return grasp_overlays.grasp_sheet(found, **under(found))


def grasp_gallery() -> Any:
    """The best grasp of every example part (Fig. 6)."""
    rankings = {name: ranked(name) for name in part_names()}
    pictures = {name: found.picture for name, found in rankings.items() if found.picture is not None}
    return grasp_overlays.grasp_gallery(rankings, pictures=pictures, mm_per_px=SCALE)


def grasp_hands() -> Any:
    """The bracket in three hands."""
    return grasp_overlays.grasp_gallery({hand: ranked("bracket", hand) for hand in hand_names()})


def grasp_pads() -> Any:
    """Small parts between two pads, two fingers and three close fingers."""
    square = np.array([[-20.0, -20.0], [20.0, -20.0], [20.0, 20.0], [-20.0, 20.0]])
    return grasp_overlays.grasp_gallery(
        {
            "disc of 40 mm, parallel jaw:": plan(example_part("disc").scaled(0.5), "parallel_jaw"),
            "square of 40 mm, Barrett hand:": plan(square),
            "disc of 24 mm, Barrett hand:": plan(example_part("disc").scaled(0.3)),
        }
    )


def grasp_clearance() -> Any:
    """A grasp of the casting that the fingers can reach, and one that they cannot reach."""
    from matplotlib.figure import Figure

    found = plan(example_part("casting").picture(SCALE), mm_per_px=SCALE, reachability=True)
    blocked = [g for g in found.excluded if g.valid and "runs into" in g.reason and "does not fit" not in g.reason]
    figure = Figure(figsize=(9.0, 4.4), layout="constrained")
    contour = found.contour
    assert contour is not None
    for k, grasp in enumerate((found.grasps[0], min(blocked, key=lambda g: g.Q))):
        grasp_steps.grasp_clearance(grasp, contour, figure.add_subplot(1, 2, k + 1))
    return figure


def grasp_criteria() -> Any:
    """How the criteria of the casting's grasps are distributed."""
    found = ranked("casting", rank="paper")
    return grasp_distributions.criterion_distributions(found, title=f"casting: {len(found)} grasps")


def grasp_variation() -> Any:
    """Parameters varied."""
    return grasp_studies.variation_chart(
        parameter_variation(ranked("casting", rank="paper")), title="casting: parameters varied"
    )


def grasp_stability() -> Any:
    """Grasps displaced."""
    study = stability_study(ranked("casting", rank="paper"))
    return grasp_studies.stability_chart(study, title="casting: 20 displacements of up to 1.5 mm")


def grasp_correlation() -> Any:
    """Criteria correlated."""
    found = ranked("casting", rank="paper")
    return grasp_studies.correlation_map(correlations(found), title=f"casting: correlation over {len(found)} grasps")


PICTURES = {
    picture.__name__: picture
    for picture in (
        grasp_bracket,
        grasp_regions,
        grasp_sheet,
        grasp_gallery,
        grasp_hands,
        grasp_pads,
        grasp_clearance,
        grasp_criteria,
        grasp_variation,
        grasp_stability,
        grasp_correlation,
    )
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    for name in names or PICTURES:
        print(plotting.save(PICTURES[name](), TARGET / f"{name}.png", dpi=110).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
