"""The whole chain: what comes out of known shapes, whichever way they come in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.errors import HoldfastError, InputError, UnknownNameError
from holdfast.grasps.hands import load_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import Grasp
from holdfast.tolerances import SOLVER_ROUNDING


def _force_closed(grasp: Grasp, mu: float = 0.4) -> bool:
    """Whether the edges of the friction cones balance one another with all weights positive, and span all wrenches."""
    normals = grasp.inward_normals
    tangents = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    forces = np.concatenate([normals + mu * tangents, normals - mu * tangents])
    arms = np.tile(grasp.contacts_mm - grasp.contacts_mm.mean(axis=0), (2, 1)) / 50.0
    wrenches = np.column_stack([forces, arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]]).T
    # The largest t such that all weights are at least t, their sum being 1.
    answer = linprog(
        [*np.zeros(6), -1.0],
        A_ub=np.column_stack([-np.eye(6), np.ones(6)]),
        b_ub=np.zeros(6),
        A_eq=np.vstack([np.column_stack([wrenches, np.zeros(3)]), [*np.ones(6), 0.0]]),
        b_eq=[0.0, 0.0, 0.0, 1.0],
    )
    return answer.status == 0 and -answer.fun >= -1e-9 and np.linalg.matrix_rank(wrenches) == 3


def test_a_disc_gives_a_near_equilateral_centred_grasp() -> None:
    part = example_part("disc")
    best = plan(part).best
    assert best is not None and best.kind == "three_finger"
    angles = np.sort(np.arctan2(*(best.contacts_mm - part.contour().centroid).T[::-1]))
    gaps = np.diff([*angles, angles[0] + 2.0 * np.pi])
    assert np.abs(gaps - 2.0 * np.pi / 3.0).max() < np.radians(5.0)
    assert np.linalg.norm(best.grasp_focus_mm - part.contour().centroid) < 1.0
    assert 2.0 < best.Q < 3.1


def test_a_rectangle_gives_a_virtual_two_finger_grasp() -> None:
    best = plan(example_part("rectangle")).best
    assert best is not None and best.kind == "virtual_two_finger"
    assert best.criteria["C4"] == 0.0
    assert best.real_focus_mm is None
    np.testing.assert_allclose(np.linalg.norm(best.contacts_mm[1] - best.contacts_mm[2]), 50.0)
    assert 2.0 < best.Q < 3.1


def _trefoil(size: float) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    radius = size * (1.0 + 0.15 * np.cos(3.0 * turn))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


@pytest.mark.parametrize("shape", ["hexagon", "casting", "trefoil"])
def test_common_shapes_have_grasps_of_common_quality(shape: str) -> None:
    best = plan(_trefoil(45.0) if shape == "trefoil" else example_part(shape)).best
    assert best is not None
    assert 1.9 < best.Q < 3.2


@pytest.mark.parametrize("shape", ["rectangle", "bracket", "hexagon"])
def test_every_grasp_is_force_closed_by_a_linear_program(shape: str) -> None:
    ranking = plan(example_part(shape))
    assert len(ranking)
    assert all(_force_closed(grasp) for grasp in ranking)
    assert np.isfinite([grasp.Q for grasp in ranking]).all()
    outside = [not grasp.in_cones for grasp in ranking]
    assert outside == sorted(outside)
    for slips in (False, True):
        scores = np.array([grasp.score for grasp in ranking if grasp.in_cones != slips])
        assert (np.diff(scores) >= -SOLVER_ROUNDING * scores[:-1]).all()  # ties go by kind and row


def test_the_object_is_the_same_whichever_way_it_comes(tmp_path: Path) -> None:
    part = example_part("hexagon")
    file = tmp_path / "hexagon.csv"
    np.savetxt(file, part.outer, delimiter=",", fmt="%.17g")
    form = plan(part).to_dict()
    for same in (part.contour(), part.outer, part.outer.tolist(), str(file), file):
        assert plan(same).to_dict() == form
    for picture, scale in ((part.picture(0.25), 0.25), (part.picture(0.5, inverted=True), 0.5)):
        seen = plan(picture, mm_per_px=scale)
        assert seen.best is not None
        assert pytest.approx(form["grasps"][0]["Q"], rel=0.05) == seen.best.Q
        assert seen.picture is not None and seen.mm_per_px == scale


def test_the_clearance_check_is_a_filter_that_is_reported() -> None:
    part = example_part("bracket")
    free, filtered = plan(part), plan(part, reachability=True)
    assert len(filtered) <= len(free)
    assert all(grasp.reachability == (True, "") for grasp in filtered)
    for grasp in filtered.excluded:
        assert grasp.reason


@pytest.mark.parametrize("hand", ["barrett", "generic", "parallel_jaw"])
def test_hands_stand_behind_one_interface(hand: str) -> None:
    ranking = plan(example_part("rectangle"), hand)
    assert len(ranking)
    assert ranking.hand.name == load_hand(hand).name
    if ranking.hand.fingers == 2:
        assert {grasp.kind for grasp in ranking} == {"virtual_two_finger"}
    assert plan(example_part("rectangle"), load_hand(hand)).to_dict() == ranking.to_dict()
    assert ranking.scored.params.eta_mm == ranking.hand.eta


@pytest.mark.parametrize(
    ("scale", "hand", "ranking", "said"),
    [
        (0.1, "barrett", "paper", "0 straight regions"),
        (0.3, "barrett", "paper", "out of reach"),
        (6.0, "barrett", "paper", "farther apart than the hand can span"),
        (6.0, "barrett", "sum", "out of reach"),
        (1.0, "parallel_jaw", "paper", "no two facing ones"),
        (1.1, "parallel_jaw", "sum", "44 mm of 42.5 mm"),
    ],
)
def test_no_grasp_is_an_empty_ranking_with_the_reason(scale: float, hand: str, ranking: str, said: str) -> None:
    found = plan(example_part("disc").scaled(scale), hand, rank=ranking)
    assert len(found) == 0
    assert found.best is None
    assert said in found.reason
    assert said in found.ranked_by({"S2": 2.0}).reason


def test_regions_that_no_hand_spans_are_counted_in_the_reason() -> None:
    from holdfast.grasps.candidates import hand_span

    ranking = plan(example_part("disc").scaled(8.0))
    span = hand_span(ranking.hand)
    assert span == 350.0
    ends = ranking.regions.segments
    count = len(ends)
    far = sum(
        np.linalg.norm(ends[i].mean(axis=0) - ends[j].mean(axis=0))
        > span + (ranking.regions.lengths[i] + ranking.regions.lengths[j]) / 2.0
        for i in range(count)
        for j in range(i)
    )
    assert (
        f"; {far} of the {count * (count - 1) // 2} pairs of regions are farther apart than the hand can span"
        in ranking.reason
    )


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"mu": 0.0}, InputError),
        ({"W": -1.0}, InputError),
        ({"lambda_mm": np.nan}, InputError),
        ({"eta_mm": 0.0}, InputError),
        ({"hand": "claw"}, UnknownNameError),
        ({"rank": "best"}, UnknownNameError),
        ({"step": 0.0}, InputError),
        ({"shortest": -1.0}, InputError),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, object], kind: type[HoldfastError]) -> None:
    with pytest.raises(kind):
        plan(example_part("disc"), **wrong)  # type: ignore[arg-type]


def test_the_room_is_reached_from_the_top() -> None:
    ranking = hf.grasps.plan(example_part("hexagon"))
    form = ranking.to_dict(best=1)
    again = hf.grasps.criteria.evaluate(**form["grasps"][0], **form["object"], **form["params"])
    assert again["Q"] == pytest.approx(ranking[0].Q)
    assert {"plan", "criteria", "stability_study"} <= set(dir(hf.grasps))
