"""Forces in their cones, reachability from the best rank down, and the paper's ranking as it always was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import UnknownNameError
from holdfast.grasps.criteria import deviations
from holdfast.grasps.parts import example_part, part_names
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import Ranking
from holdfast.grasps.reachability import check
from tests.nightly import nightly_after

#: Order, Q and contacts of the paper's ranking of every example part with every hand, before anything else counted.
FROZEN = json.loads((Path(__file__).parent / "paper_rankings.json").read_text(encoding="utf-8"))

#: Rounding of sums on another machine.
ROUNDING = 1e-9


@pytest.mark.parametrize("case", nightly_after(12, sorted(FROZEN)))
def test_the_papers_ranking_stays_as_it_is(case: str) -> None:
    part, hand = case.split()
    wanted, found = FROZEN[case], plan(example_part(part), hand, rank="paper")
    assert (len(found), len(found.excluded)) == (wanted["ranked"], wanted["left_out"])
    assert found.order[:12].tolist() == wanted["order"]
    np.testing.assert_allclose([grasp.Q for grasp in found.grasps[:12]], wanted["Q"], rtol=ROUNDING)
    assert sum(grasp.Q for grasp in found) == pytest.approx(wanted["sum_of_Q"], rel=ROUNDING)
    if found.best is not None:
        np.testing.assert_allclose(found.best.contacts_mm, wanted["contacts_mm"], atol=1e-9)
        assert [grasp.score for grasp in found] == [grasp.Q for grasp in found]
        assert found.reach is None and found.own == {}


def angles_of(ranking: Ranking) -> np.ndarray:
    """(k, 3) angles between force and normal of the ranked grasps, by the cosine."""
    forces = np.array([grasp.force_directions for grasp in ranking])
    normals = np.array([grasp.inward_normals for grasp in ranking])
    return np.arccos(np.clip((forces * normals).sum(axis=2), -1.0, 1.0))


@pytest.mark.parametrize("hand", ["barrett", "generic", "parallel_jaw"])
@pytest.mark.parametrize("name", nightly_after(3, ["rectangle", "spanner", "gear", *part_names()]))
def test_no_force_points_out_of_the_part_and_slipping_grasps_come_last_with_a_note(name: str, hand: str) -> None:
    found = plan(example_part(name), hand)
    angles = angles_of(found).max(axis=1)
    assert angles.max() < np.pi / 2.0
    slips = angles > np.arctan(0.4) + 1e-9
    assert (np.diff(slips.astype(int)) >= 0).all()  # none inside after one outside
    assert [bool(grasp.note) for grasp in found] == slips.tolist()
    assert [grasp.in_cones for grasp in found] == (~slips).tolist()
    for grasp in found.excluded:
        assert grasp.reason
    outward = [grasp for grasp in found.excluded if grasp.valid and grasp.force_angles_rad.max() >= np.pi / 2.0]
    assert all("pushes out of the part" in grasp.reason for grasp in outward)


def test_the_paper_ranks_by_q_whatever_the_forces() -> None:
    paper = plan(example_part("rectangle"), "generic", rank="paper")
    assert paper.best is not None and not paper.best.in_cones  # 33 deg off
    assert "33 deg off its normal" in paper.best.note and "22 deg" in paper.best.note
    ours = plan(example_part("rectangle"), "generic")
    assert ours.best is not None and ours.best.in_cones and ours.best.kind == "pinch"
    assert (paper.method, ours.method) == ("paper", "sum")


def test_reasons_name_the_cone_where_it_decides() -> None:
    found = plan(example_part("rectangle"), "generic")
    last = next(grasp.rank for grasp in found if not grasp.in_cones)
    text = str(found.why(1, last))
    assert f"grasp 1 is ranked above grasp {last}: all its forces lie in their friction cones" in text
    assert "deg off its normal" in text
    assert found.why(last, 1).to_dict()["text"] == text


def test_the_best_are_reachable_and_the_check_stops_when_enough_are() -> None:
    part = example_part("spanner")
    quick, whole = plan(part), plan(part, reachability="all")
    assert quick.reach is not None and whole.reach is not None
    tested = quick.reach.tested
    assert 20 <= tested.sum() < len(tested) and whole.reach.tested.all()
    every = check(part.contour(), quick.scored.candidates, quick.scored.poses, quick.hand)
    np.testing.assert_array_equal(quick.reach.ok[tested], every.ok[tested])
    first = [grasp.index for grasp in quick.grasps[:20]]
    assert first == [grasp.index for grasp in whole.grasps[:20]]
    assert all(grasp.reachability == (True, "") for grasp in quick.grasps[:20])
    assert quick.grasps[-1].reachability is None
    # another order: its own best are checked, and what is known is kept
    other = quick.ranked_by({"S2": 3.0})
    assert other.reach is not None and (other.reach.tested >= tested).all()
    assert all(grasp.reachability == (True, "") for grasp in other.grasps[:20])
    few = plan(part, clearance={"wanted": 1})
    assert few.reach is not None and few.reach.tested.sum() <= 32


def test_reachability_is_asked_by_name() -> None:
    part = example_part("hexagon")
    assert plan(part, reachability="none").reach is None
    assert plan(part, reachability=False).reach is None
    assert plan(part, rank="paper", reachability="all").reach is not None
    with pytest.raises(UnknownNameError, match="reachability"):
        plan(part, reachability="some")  # type: ignore[arg-type]


def test_the_exchange_form_tells_angles_cones_limbs_and_notes() -> None:
    found = plan(example_part("bracket"))
    data = found.to_dict()
    for grasp, form in zip(found, data["grasps"], strict=True):
        np.testing.assert_allclose(
            form["force_angles_rad"], deviations(grasp.force_directions, grasp.inward_normals), atol=1e-12
        )
        assert form["in_cones"] == (not form["note"])
        assert form["score"] == pytest.approx(form["Q"] + form["own_criteria"]["limb"] + form["own_criteria"]["short"])
        assert len(form["limbs_mm"]) == 3
    assert data["ranking"] == {"method": "sum", "own_criteria": ["limb", "short"]}


def test_without_a_grasp_the_answer_counts_the_steps() -> None:
    disc = example_part("disc").scaled(6.0)
    found = plan(disc)
    assert "none of the" in found.reason and "0 the hand takes" not in found.reason.split(";")[0].split("(")[0]
    assert "out of reach" in found.reason


def test_regions_a_little_too_short_cost_more_the_shorter_they_are() -> None:
    """Hexagons whose sides, less their rounded corners, are up to a fifth shorter than the limit."""
    angle = np.arange(6) * np.pi / 3.0
    scores, costs = [], []
    for side in (6.9, 7.7, 9.6):
        border = 2.2 * side * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        found = plan(border, "generic", shortest=2.0 * side, reachability=False)
        three = [grasp for grasp in found if grasp.kind == "three_finger" and grasp.in_cones]
        assert three
        lengths = np.linalg.norm(three[0].regions_mm[:, 1] - three[0].regions_mm[:, 0], axis=1)
        wanted = 6.0 * np.maximum(2.0 * side / lengths - 1.0, 0.0).sum()
        assert dict(three[0].own_criteria)["short"] == pytest.approx(wanted)
        scores.append(three[0].score)
        costs.append(wanted)
    assert costs == sorted(costs, reverse=True) and np.isfinite(scores).all()
    assert "short" not in plan(border, "generic", rank="paper").own
