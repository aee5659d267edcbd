"""The exchange form: complete, finite, stable, and enough to score every grasp again."""

from __future__ import annotations

import json

import numpy as np
import pytest

import holdfast as hf
from holdfast.grasps.criteria import CRITERIA, evaluate
from holdfast.grasps.ranking import finite, rank
from tests.grasps.made_grasps import many_angles, scored_disc, with_table

#: What the exchange form of grasps promises.
PROMISED = {
    "rank", "kind", "virtual_two_finger", "contacts_mm", "inward_normals", "regions_mm", "region_curvature",
    "force_directions", "grasp_focus_mm", "real_focus_mm", "extensions_mm", "spread_rad", "criteria", "Q",
}  # fmt: skip


def test_every_grasp_scores_again_from_its_exchange_form() -> None:
    form = json.loads(json.dumps(rank(scored_disc(many_angles(5))).to_dict(), allow_nan=False))
    assert [grasp["rank"] for grasp in form["grasps"]] == [1, 2, 3, 4, 5]
    for grasp in form["grasps"]:
        again = evaluate(**grasp, **form["object"], **form["params"])
        assert again["Q"] == pytest.approx(grasp["Q"], rel=1e-12)
        for name in CRITERIA:
            assert again[name] == pytest.approx(grasp["criteria"][name], rel=1e-12, abs=1e-12)


def test_the_form_has_all_it_promises() -> None:
    form = rank(scored_disc(many_angles(2))).to_dict()
    assert {"object", "params", "hand", "grasps", "version", "units", "frame", "reason"} <= set(form)
    assert set(form["object"]) == {"area_mm2", "centroid_mm", "major_axis_mm", "minor_axis_mm"}
    assert set(form["params"]) == {"mu", "lambda_mm", "W", "eta_mm"}
    assert set(form["hand"]) == {"name", "pivot_offset_mm"}
    assert form["version"] == 1
    assert form["units"]["length"] == "mm"
    grasp = form["grasps"][0]
    assert set(grasp) >= PROMISED
    assert set(grasp["criteria"]) == set(CRITERIA)
    assert set(grasp["palm"]) == {"x_mm", "y_mm", "yaw_rad"}
    assert len(grasp["joint_angles_rad"]["proximal"]) == 3
    assert np.shape(grasp["regions_mm"]) == (3, 2, 2)
    assert grasp["metrics"] is None
    assert grasp["reachability"] is None


def test_excluded_grasps_have_no_rank_and_null_for_infinity() -> None:
    table = np.ones((3, 10))
    table[1, 0] = np.inf
    form = rank(with_table(table)).to_dict()
    assert len(form["grasps"]) == 2
    (left_out,) = form["excluded"]
    assert left_out["rank"] is None
    assert left_out["valid"] is False
    assert left_out["Q"] is None
    assert left_out["criteria"]["S1"] is None
    assert left_out["reason"] == "S1 is infinite"
    json.dumps(form, allow_nan=False)


def test_metrics_come_when_asked_for() -> None:
    form = rank(scored_disc(many_angles(2))).to_dict(metrics=True, best=1)
    assert len(form["grasps"]) == 1
    metrics = form["grasps"][0]["metrics"]
    assert metrics["epsilon"] > 0.0
    assert metrics["torque_length_mm"] == pytest.approx(40.0)
    assert metrics["largest_load"] > 0.0
    json.dumps(form, allow_nan=False)


def test_the_method_is_told() -> None:
    form = rank(scored_disc(many_angles(2)), {"S1": 2}, own={"mine": lambda _: 1.0}).to_dict()
    assert form["ranking"] == {"method": "weighted", "own_criteria": ["mine"], "weights": {"S1": 2.0}}
    assert form["grasps"][0]["own_criteria"] == {"mine": 1.0}


def test_what_is_not_finite_becomes_null() -> None:
    assert finite(None) is None
    assert finite(np.inf) is None
    assert finite([[1.0, np.nan], [2.0, 3.0]]) == [[1.0, None], [2.0, 3.0]]
    assert finite(np.zeros((0, 2))) == []


def test_an_empty_ranking_has_a_form() -> None:
    form = hf.grasps.plan(hf.grasps.example_part("disc").scaled(0.1)).to_dict()
    assert form["grasps"] == []
    assert "straight regions" in form["reason"]
    json.dumps(form, allow_nan=False)


def test_a_virtual_grasp_has_its_focus_at_infinity() -> None:
    best = hf.grasps.plan(hf.grasps.example_part("rectangle")).to_dict(best=1)
    grasp = best["grasps"][0]
    assert grasp["real_focus_mm"] is None
    assert grasp["virtual_two_finger"] is True
    assert evaluate(**grasp, **best["object"], **best["params"])["Q"] == pytest.approx(grasp["Q"])
