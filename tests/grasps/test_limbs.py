"""Thickness under the fingers against shapely, limbs that are pressed from both sides, and the criterion."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import Contour
from holdfast.grasps.limbs import run_lengths
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import limb_criterion


def test_run_lengths_are_those_of_shapely_also_across_holes() -> None:
    from shapely.geometry import LineString, Polygon

    angle = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    contour = Contour.from_points(40.0 * ring, holes=[25.0 * ring[::-1] + [3.0, 0.0]])
    part = Polygon(contour.outer, contour.holes)
    random = np.random.default_rng(4)
    turn = random.uniform(0.0, 2.0 * np.pi, 60)
    places = 40.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    inwards = turn + np.pi + random.uniform(-0.6, 0.6, 60)
    ways = np.stack([np.cos(inwards), np.sin(inwards)], axis=1)
    found = run_lengths(contour, places, ways)
    for place, way, length in zip(places, ways, found, strict=True):
        inside = part.intersection(LineString([place + 0.5 * way, place + 200.0 * way]))
        first = min(getattr(inside, "geoms", [inside]), key=lambda piece: piece.distance(LineString([place, place])))
        assert length == pytest.approx(first.length + 0.5, abs=0.4)


def test_a_limb_between_two_fingers_does_not_count_and_one_under_a_single_finger_does() -> None:
    comb = np.array([[-40, 0], [40, 0], [40, 40], [35, 40], [35, 15], [-35, 15], [-35, 40], [-40, 40]], dtype=float)
    found = plan(comb, "parallel_jaw", reachability=False)
    thin = [grasp for grasp in found if grasp.limbs_mm is not None and np.isfinite(grasp.limbs_mm).any()]
    across = [grasp for grasp in found if np.abs(grasp.contacts_mm[:, 0]).min() > 34.0 and grasp not in thin]
    assert across  # a tine, pressed from both sides
    for grasp in thin:
        assert np.abs(grasp.limbs_mm[np.isfinite(grasp.limbs_mm)]).min() == pytest.approx(5.0, abs=0.3)
        assert dict(grasp.own_criteria)["limb"] > 0.5
        assert grasp.score == pytest.approx(grasp.Q + sum(dict(grasp.own_criteria).values()))
    assert all(dict(grasp.own_criteria)["limb"] == 0.0 for grasp in across)


def test_the_criterion_grows_as_a_limb_gets_thinner_and_is_finite() -> None:
    assert limb_criterion([8.0, 20.0, np.inf]) == 0.0
    assert limb_criterion([4.0, np.inf, 2.0]) == pytest.approx(1.0 + 3.0)
    assert limb_criterion([0.0, np.inf, np.inf]) == pytest.approx(15.0)


def test_the_papers_ranking_does_not_know_limbs_and_weights_may_leave_them_out() -> None:
    part = example_part("bracket")
    assert plan(part, rank="paper").own == {}
    found = plan(part)
    assert list(found.own) == ["limb", "short"]
    without = found.ranked_by({"limb": 0.0, "short": 0.0})
    assert without.best is not None and without.best.score == pytest.approx(without.best.Q)
