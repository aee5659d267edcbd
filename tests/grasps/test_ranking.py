"""A grasp shows its row of the arrays.

Scored grasps: each row is what `evaluate` says of it alone.

Ways of merging criteria, against their definitions written out row by row.

Reasons: the words say what the numbers say.

Rankings: order, ties, what is left out and why.

The exchange form: complete, finite, stable, and enough to score every grasp again.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.contours import Contour
from holdfast.grasps.criteria import CRITERIA, evaluate
from holdfast.grasps.hands import solve_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import (
    Grasp,
    GraspParams,
    ObjectShape,
    _merged,
    compare,
    finite,
    grasp_schema,
    kind_of,
    ordered,
    rank,
    score,
)
from tests.grasps.made_grasps import many_angles, scored_disc, with_table


def test_a_grasp_shows_its_row() -> None:
    scored = scored_disc(many_angles(3))
    grasp = Grasp(scored, 2)
    np.testing.assert_array_equal(grasp.contacts_mm, scored.candidates.contacts[2])
    np.testing.assert_array_equal(grasp.inward_normals, scored.candidates.normals[2])
    np.testing.assert_array_equal(grasp.force_directions, scored.poses.forces[2])
    assert grasp.kind == "three_finger"
    assert kind_of(True, False) == "virtual_two_finger" and kind_of(True, True) == "pinch"
    assert np.isclose(sum(grasp.criteria.values()), grasp.Q)
    assert np.allclose([np.cos(grasp.yaw_rad), np.sin(grasp.yaw_rad)], grasp.thumb_axis)
    assert np.allclose(grasp.thumb_axis, grasp.force_directions[0])
    assert "not ranked" in repr(grasp)
    assert grasp.zone is None


def test_force_lines_that_meet_nowhere_have_no_real_focus() -> None:
    scored = scored_disc(many_angles(2))
    focus = scored.poses.real_focus.copy()
    focus[1] = np.nan
    object.__setattr__(scored.poses, "real_focus", focus)
    assert Grasp(scored, 0).real_focus_mm is not None
    assert Grasp(scored, 1).real_focus_mm is None


def test_each_row_is_what_evaluate_says_of_it_alone() -> None:
    scored = scored_disc(many_angles(5))
    for row in range(5):
        alone = evaluate(**Grasp(scored, row).inputs())
        for name in CRITERIA:
            assert scored.criteria[name][row] == pytest.approx(alone[name], rel=1e-12, abs=1e-12)
        assert scored.quality[row] == pytest.approx(alone["Q"], rel=1e-12)


def test_a_pose_out_of_reach_is_kept_as_not_valid_with_the_reason() -> None:
    scored = scored_disc(many_angles(4))
    contacts, segments = scored.candidates.contacts.copy(), scored.candidates.segments.copy()
    contacts[1] *= 10.0
    segments[1] *= 10.0
    candidates = replace(scored.candidates, contacts=contacts, segments=segments)
    again = score(candidates, solve_hand(candidates, scored.hand), scored.hand, scored.shape, scored.params)
    assert again.valid.tolist() == [True, False, True, True]
    assert "out of reach" in again.reasons[1]
    assert again.reasons[0] == ""
    assert np.isinf(again.quality[1])
    np.testing.assert_array_equal(again.quality[[0, 2, 3]], scored.quality[[0, 2, 3]])


def test_rescoring_changes_the_parameters_alone() -> None:
    scored = scored_disc(many_angles(4))
    heavy = scored.rescored(W=2.0)
    np.testing.assert_allclose(heavy.criteria["S2"], 2.0 * scored.criteria["S2"])
    np.testing.assert_array_equal(heavy.criteria["S1"], scored.criteria["S1"])
    assert heavy.params == GraspParams(W=2.0)
    assert heavy.candidates is scored.candidates


def test_the_shape_of_a_contour_has_closed_forms() -> None:
    """A rectangle a x b: the ellipse of equal moments has the full axes 4 sqrt(a^2/12) and 4 sqrt(b^2/12)."""
    shape = ObjectShape.of(Contour.from_points([[10, 10], [130, 10], [130, 50], [10, 50]]))
    assert shape.area_mm2 == pytest.approx(4800.0)
    assert shape.centroid_mm == pytest.approx([70.0, 30.0])
    assert shape.major_axis_mm == pytest.approx(4.0 * 120.0 / np.sqrt(12.0))
    assert shape.minor_axis_mm == pytest.approx(4.0 * 40.0 / np.sqrt(12.0))


@pytest.mark.parametrize("wrong", [{"mu": 0.0}, {"mu": 40.0}, {"lambda_mm": -1.0}, {"W": 0.0}, {"eta_mm": np.nan}])
def test_wrong_parameters_are_refused_by_name(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        GraspParams(**wrong)


def test_no_grasps_score_to_nothing() -> None:
    scored = scored_disc(np.zeros((0, 3)))
    assert len(scored) == 0
    assert scored.reasons == ()


COLUMNS = {
    "A": np.array([3.0, 1.0, 2.0, np.inf, 2.0]),
    "B": np.array([10.0, 30.0, 20.0, 1.0, 25.0]),
    "C": np.array([5.0, 5.0, 5.0, 5.0, 5.0]),
}
VALID = np.array([True, True, True, False, True])


def test_the_sum_adds_the_criteria_and_leaves_invalid_rows_out() -> None:
    merged = _merged(COLUMNS, VALID, {})
    assert merged.scores.tolist() == [18.0, 36.0, 27.0, np.inf, 32.0]
    assert merged.names == ("A", "B", "C")
    assert np.isinf(merged.terms[3]).all()


def test_weights_scale_terms_and_zero_leaves_a_criterion_out() -> None:
    merged = _merged(COLUMNS, VALID, {"A": 2.0, "B": 0.0})
    assert merged.names == ("A", "C")
    assert merged.scores.tolist() == [11.0, 7.0, 9.0, np.inf, 9.0]


def test_nothing_to_merge_gives_nothing() -> None:
    assert len(_merged({"A": np.zeros(0)}, np.zeros(0, dtype=bool), {}).scores) == 0


def test_wrong_weights_are_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="criterion 'X'"):
        _merged(COLUMNS, VALID, {"X": 1.0})
    with pytest.raises(InputError, match="weights"):
        _merged(COLUMNS, VALID, {"A": -1.0})
    with pytest.raises(InputError, match="all 0"):
        _merged(COLUMNS, VALID, dict.fromkeys(COLUMNS, 0.0))


def test_gains_and_losses_add_up_to_the_difference() -> None:
    ranking = rank(scored_disc(many_angles(10)))
    for other in range(2, len(ranking) + 1):
        reasons = ranking.why(1, other)
        first, second = ranking[0], ranking[other - 1]
        assert reasons.difference == pytest.approx(second.Q - first.Q)
        told = sum(reason.gain for reason in reasons.gains + reasons.losses)
        left = {n: second.criteria[n] - first.criteria[n] for n in CRITERIA}
        for reason in reasons.gains + reasons.losses:
            assert reason.gain == pytest.approx(left.pop(reason.criterion))
        assert abs(reasons.difference - told) <= 0.02 * 10 * sum(abs(v) for v in (told, *left.values())) + 1e-9
        assert [r.gain for r in reasons.gains] == sorted((r.gain for r in reasons.gains), reverse=True)


def test_symmetric_grasps_are_called_equal_though_rounding_differs() -> None:
    base = np.array([np.pi, np.pi / 3.0, -np.pi / 3.0])
    ranking = rank(scored_disc(np.array([base + turn for turn in (0.0, 1.1, 2.3)])))
    assert str(ranking.why(1, 3)) == "grasp 1 and grasp 3 are practically equal (Q 2.665 and 2.665)"
    assert ranking.why(1, 2).difference == 0.0


def test_the_words_hold_the_criteria_and_their_differences() -> None:
    table = np.ones((2, 10))
    table[1] += 0.5
    table[1, CRITERIA.index("C1")] -= 0.8
    reasons = rank(with_table(table)).why(1, 2)
    words = {reason.criterion: reason.words for reason in reasons.gains + reasons.losses}
    assert words["S2"] == "S2 (triangle size) is 0.5 lower"
    assert words["C1"] == "C1 (force line) is 0.3 higher"
    assert str(reasons).endswith("; although C1 (force line) is 0.3 higher")


def test_every_criterion_has_words_for_and_against() -> None:
    table = np.ones((3, 10))
    table[1, ::2] += 0.5
    table[2, 1::2] += 0.6
    ranking = rank(with_table(table))
    text = str(ranking.why(1, 2)) + str(ranking.why(1, 3)) + str(ranking.why(2, 3))
    assert "although" in text
    assert len({r.criterion for pair in ((1, 2), (1, 3)) for r in ranking.why(*pair).gains}) == 10


def test_grasps_of_different_objects_compare_by_q() -> None:
    small, large = (rank(scored_disc(many_angles(2), radius))[0] for radius in (35.0, 60.0))
    reasons = compare(small, large)
    assert reasons.difference == pytest.approx(abs(small.Q - large.Q))
    assert json.loads(json.dumps(reasons.to_dict()))["text"] == str(reasons)


def test_grasps_within_half_a_percent_are_as_good_as_equal_without_reasons() -> None:
    table = np.full((3, len(CRITERIA)), 0.2)
    table[1, 0], table[1, 1] = 0.3, 0.109  # Q 2.009 against 2.0
    table[2, 0] = 0.3
    ranking = rank(with_table(table))
    near, far = ranking.why(1, 2), ranking.why(1, 3)
    assert str(near) == "grasp 1 and grasp 2 are practically equal (Q 2.000 and 2.009)"
    assert near.gains == near.losses == () and near.difference == pytest.approx(0.009)
    assert str(far).startswith("grasp 1 beats grasp 3 by 0.1 (sum)")


RANDOM = np.random.default_rng(11)


def _table(count: int = 8) -> np.ndarray:
    return RANDOM.uniform(0.0, 2.0, (count, 10))


def test_ranks_go_by_the_plain_sum() -> None:
    table = _table()
    ranking = rank(with_table(table))
    assert [grasp.index for grasp in ranking] == sorted(range(8), key=lambda row: float(table[row].sum()))
    assert [grasp.rank for grasp in ranking] == list(range(1, 9))
    assert [grasp.score for grasp in ranking] == [grasp.Q for grasp in ranking]
    assert ranking.best is ranking[0]
    assert ranking.ranks[ranking[2].index] == 3


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, np.inf]), st.booleans()), max_size=12))
def test_ties_go_by_kind_then_by_index(rows: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in rows])
    virtual = np.array([kind for _, kind in rows], dtype=bool)
    expected = sorted(
        (row for row in range(len(rows)) if np.isfinite(scores[row])),
        key=lambda row: (scores[row], "virtual_two_finger" if virtual[row] else "three_finger", row),
    )
    assert ordered(scores, virtual).tolist() == expected
    rounding = 1.0 + 1e-14 * np.arange(len(rows))[::-1]
    assert ordered(scores * rounding, virtual).tolist() == expected  # scores that differ by rounding are ties


def test_an_infinite_criterion_takes_the_rank_and_is_reported() -> None:
    table = _table(5)
    table[2, CRITERIA.index("S2")] = np.inf
    table[4, [CRITERIA.index("S3"), CRITERIA.index("C4")]] = np.inf
    ranking = rank(with_table(table))
    assert len(ranking) == 3
    assert {grasp.index: grasp.reason for grasp in ranking.excluded} == {
        2: "S2 is infinite",
        4: "S3 and C4 are infinite",
    }
    assert all(grasp.rank is None and not grasp.valid for grasp in ranking.excluded)
    assert ranking.ranks.tolist()[2] == 0
    assert 2 not in ranking.order.tolist()
    assert all(np.isfinite(value) for row in ranking.rows() for value in row.values() if isinstance(value, float))


def test_weights_change_the_order() -> None:
    table = np.ones((2, 10))
    table[0, CRITERIA.index("S1")], table[1, CRITERIA.index("C1")] = 1.5, 1.4
    ranking = rank(with_table(table))
    assert [grasp.index for grasp in ranking] == [1, 0]
    heavier = ranking.ranked_by({"C1": 3.0})
    assert [grasp.index for grasp in heavier] == [0, 1]
    assert heavier[0].score == pytest.approx(10.5 + 2.0)
    assert pytest.approx(10.5) == heavier[0].Q


def test_a_clearance_check_takes_ranks_and_says_why() -> None:
    ranking = rank(with_table(_table(4)))
    best = ranking[0].index
    ok = np.arange(4) != best
    reach = SimpleNamespace(ok=ok, reason=tuple("" if fits else "in the way" for fits in ok), tested=np.ones(4, bool))
    filtered = ranking.filtered(reach)
    assert [grasp.index for grasp in filtered] == [grasp.index for grasp in ranking][1:]
    assert filtered.excluded[0].reason == "in the way"
    assert filtered.excluded[0].valid
    assert filtered[0].reachability == (True, "")
    assert ranking[0].reachability is None
    again = filtered.ranked_by({"S2": 2.0})
    assert best not in again.order.tolist()


def test_nothing_left_is_an_empty_ranking_with_the_reason() -> None:
    table = _table(3)
    table[:, 0] = np.inf
    ranking = rank(with_table(table))
    assert len(ranking) == 0
    assert ranking.best is None
    assert "3 candidates" in ranking.reason and "S1 is infinite" in ranking.reason
    assert "S1 is infinite" in repr(ranking)
    assert ranking.rows() == []
    reach = SimpleNamespace(ok=np.zeros(4, bool), reason=("the palm hits the part",) * 4, tested=np.ones(4, bool))
    assert "the palm hits" in rank(with_table(_table(4)), reach=reach).reason


def test_why_names_ranks_from_one_and_refuses_others() -> None:
    ranking = rank(with_table(_table(3)))
    assert str(ranking.why(1, 3)).startswith("grasp 1 beats grasp 3 by")
    assert str(ranking.why(3, 1)) == str(ranking.why(1, 3))
    with pytest.raises(InputError, match="ranks go from 1 to 3"):
        ranking.why(1, 4)
    with pytest.raises(InputError):
        ranking.why(0, 1)


def test_unknown_ways_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="way of ranking"):
        rank(with_table(_table(3)), "average")
    with pytest.raises(InputError, match="ranking"):
        rank(with_table(_table(3)), 3)  # type: ignore[arg-type]


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
    form = rank(scored_disc(many_angles(2)), {"S1": 2}).to_dict()
    assert form["ranking"] == {"method": "weighted", "own_criteria": [], "weights": {"S1": 2.0}}


def test_what_is_not_finite_becomes_null() -> None:
    assert finite(None) is None
    assert finite(np.inf) is None
    assert finite([[1.0, np.nan], [2.0, 3.0]]) == [[1.0, None], [2.0, 3.0]]
    assert finite(np.zeros((0, 2))) == []


def test_an_empty_ranking_has_a_form() -> None:
    form = hf.grasps.plan(hf.grasps.example_part("disc").scaled(0.1), rank="paper").to_dict()
    assert form["grasps"] == []
    assert "straight regions" in form["reason"]
    json.dumps(form, allow_nan=False)


def test_a_virtual_grasp_has_its_focus_at_infinity() -> None:
    best = hf.grasps.plan(hf.grasps.example_part("rectangle")).to_dict(best=1)
    grasp = best["grasps"][0]
    assert grasp["real_focus_mm"] is None
    assert grasp["virtual_two_finger"] is True
    assert evaluate(**grasp, **best["object"], **best["params"])["Q"] == pytest.approx(grasp["Q"])


VALIDATOR = jsonschema.Draft202012Validator(grasp_schema())


def faults(data):
    return [fault.json_path for fault in VALIDATOR.iter_errors(data)]


@pytest.fixture(scope="module")
def exchanged():
    return plan(example_part("rectangle"), reachability=True).to_dict(metrics=True)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(grasp_schema())


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("hexagon", {}),
        ("rectangle", {"hand": "parallel_jaw", "rank": {"S2": 2.0}}),
        ("bracket", {"hand": "generic", "rank": "paper"}),
        ("disc", {"hand": "parallel_jaw"}),
        ("disc", {"hand": "parallel_jaw", "rank": "paper"}),  # nothing to be had
    ],
)
def test_every_ranking_satisfies_it_also_an_empty_one(part, options):
    data = plan(example_part(part), **options).to_dict()
    assert faults(data) == []
    assert bool(data["grasps"]) != bool(data["reason"])


def test_metrics_and_reachability_satisfy_it(exchanged):
    assert exchanged["grasps"][0]["metrics"]["epsilon"] > 0.0
    assert faults(exchanged) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("units", "length"), "m"),
        (("grasps", 0, "contacts_mm"), [[0.0, 0.0], [1.0, 1.0]]),
        (("grasps", 0, "contacts_mm", 0, 0), None),
        (("grasps", 0, "rank"), None),
        (("grasps", 0, "Q"), None),
        (("grasps", 0, "kind"), "two_finger"),
        (("grasps", 0, "criteria", "S1"), "0.5"),
        (("grasps", 0, "palm", "yaw"), 0.1),
        (("params", "mu"), 0.0),
    ],
)
def test_it_refuses_what_a_reader_could_not_use(exchanged, path, value):
    changed = copy.deepcopy(exchanged)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert faults(changed)


def test_nothing_that_readers_need_may_be_missing(exchanged):
    for name in grasp_schema()["$defs"]["grasp"]["required"]:
        changed = copy.deepcopy(exchanged)
        del changed["grasps"][0][name]
        assert faults(changed), name


def test_every_field_says_what_it_is():
    def nameless(schema, path):
        for name, field in schema.get("properties", {}).items():
            if not {"description", "enum", "const", "$ref"} & set(field) and name not in ("ok", "reason", "name", "method",
                                                                                          "weights", "own_criteria"):  # fmt: skip
                yield f"{path}.{name}"
            yield from nameless(field, f"{path}.{name}")

    schema = grasp_schema()
    assert [*nameless(schema, "")] == []
    assert [*nameless(schema["$defs"]["grasp"], "grasp")] == []
