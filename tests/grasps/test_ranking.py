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
import re
import statistics
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
    MinMax,
    ObjectShape,
    RankAggregation,
    Sum,
    Weighted,
    _amount,
    compare,
    finite,
    grasp_schema,
    kind_of,
    levels,
    mean_ranks,
    merger,
    ordered,
    own_column,
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
    merged = Sum().merge(COLUMNS, VALID)
    assert merged.scores.tolist() == [18.0, 36.0, 27.0, np.inf, 32.0]
    assert merged.names == ("A", "B", "C")
    assert np.isinf(merged.terms[3]).all()


def test_weights_scale_terms_and_zero_leaves_a_criterion_out() -> None:
    merged = Weighted({"A": 2.0, "B": 0.0}).merge(COLUMNS, VALID)
    assert merged.names == ("A", "C")
    assert merged.scores.tolist() == [11.0, 7.0, 9.0, np.inf, 9.0]


def test_minmax_goes_from_zero_to_one_over_the_valid_rows_and_a_constant_criterion_says_nothing() -> None:
    merged = MinMax({"B": 2.0}).merge(COLUMNS, VALID)
    expected = [1.0 + 0.0, 0.0 + 2.0, 0.5 + 1.0, np.inf, 0.5 + 1.5]
    np.testing.assert_allclose(merged.scores, expected)
    assert not merged.terms[VALID, 2].any()


@pytest.mark.parametrize("rule", ["borda", "median"])
def test_rank_aggregation_is_the_middle_of_the_ranks(rule: str) -> None:
    merged = RankAggregation(rule).merge(COLUMNS, VALID)  # type: ignore[arg-type]
    ranks = {0: (4.0, 1.0, 2.5), 1: (1.0, 4.0, 2.5), 2: (2.5, 2.0, 2.5), 4: (2.5, 3.0, 2.5)}
    middle = statistics.fmean if rule == "borda" else statistics.median
    for row, of_row in ranks.items():
        assert merged.terms[row].tolist() == list(of_row)
        assert merged.scores[row] == pytest.approx(middle(of_row))


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    values = np.array([5.0, 1.0, 5.0, 2.0, 5.0])
    naive = [np.mean([place + 1 for place, other in enumerate(sorted(values)) if other == value]) for value in values]
    assert mean_ranks(values).tolist() == naive
    assert mean_ranks(np.zeros(0)).tolist() == []


def test_nothing_to_merge_gives_nothing() -> None:
    for way in (Sum(), MinMax(), RankAggregation()):
        assert len(way.merge({"A": np.zeros(0)}, np.zeros(0, dtype=bool)).scores) == 0


def test_wrong_ways_and_weights_are_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="minmax"):
        merger("min-max")
    with pytest.raises(UnknownNameError, match="criterion 'X'"):
        merger({"X": 1.0}).merge(COLUMNS, VALID)
    with pytest.raises(InputError, match="weights"):
        merger({"A": -1.0}).merge(COLUMNS, VALID)
    with pytest.raises(InputError, match="all 0"):
        merger(dict.fromkeys(COLUMNS, 0.0)).merge(COLUMNS, VALID)
    with pytest.raises(InputError, match="ranking"):
        merger(3)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="rule"):
        RankAggregation("mean")  # type: ignore[arg-type]


class _Row:
    index = 7


@pytest.mark.parametrize("answer", [float("nan"), -np.inf, "high", None])
def test_an_own_criterion_must_give_a_number(answer: object) -> None:
    with pytest.raises(InputError, match="grasp 7"):
        own_column("mine", lambda _: answer, [_Row()])  # type: ignore[arg-type,return-value]


def test_an_own_criterion_may_leave_a_grasp_out_by_infinity() -> None:
    assert own_column("mine", lambda _: np.inf, [_Row()]).tolist() == [np.inf]
    with pytest.raises(InputError, match="not a function"):
        own_column("mine", 3, [_Row()])  # type: ignore[arg-type]


def test_values_that_differ_by_rounding_share_their_rank() -> None:
    values = np.array([2.0, 2.0 * (1.0 + 1e-14), 1e-17, 0.0, 2.0 + 1e-6, -1e-23, np.inf])
    assert mean_ranks(values).tolist() == [4.5, 4.5, 2.0, 2.0, 6.0, 2.0, 7.0]
    assert levels(values).tolist() == [1, 1, 0, 0, 2, 0, 3]
    assert levels(np.array([1e6, 1e-3, 2e-3])).tolist() == [2, 0, 1]  # a huge value does not drown small ones


def test_rounding_is_not_stretched_by_min_max() -> None:
    columns = {"A": np.array([1e-16, 3e-16, 2e-16]), "B": np.array([1.0, 2.0, 3.0])}
    assert MinMax().merge(columns, np.ones(3, dtype=bool)).scores.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("rule", ["borda", "median"])
def test_the_six_like_grasps_of_a_hexagon_have_one_score(rule: str) -> None:
    from holdfast.grasps.parts import example_part
    from holdfast.grasps.planning import plan

    ranking = plan(example_part("hexagon"), rank=rule)
    like = sorted(ranking, key=lambda grasp: grasp.Q)[:6]
    assert like[5].Q - like[0].Q < 1e-9
    assert len({grasp.score for grasp in like}) == 1


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


def test_the_words_hold_the_physical_amounts() -> None:
    """A thumb moved along the disc by 0.3 rad: angles, triangle and force directions all get worse, by known amounts."""
    base = np.array([np.pi, np.pi / 3.0, -np.pi / 3.0])
    ranking = rank(scored_disc(np.array([base, base + [0.3, 0.0, 0.0]])))
    reasons = ranking.why(1, 2)
    better, worse = ranking[0], ranking[1]
    assert better.index == 0
    words = {reason.criterion: reason.words for reason in reasons.gains}
    # Inscribed angles: an arc of 0.3 rad moves two of the three angles by 0.15 rad; mean over three of the deviations.
    degrees = np.degrees(0.15) * 2.0 / 3.0
    assert words["S1"] == f"angles {degrees:.1f} deg closer to an equilateral triangle"
    areas = [3.0 * np.sqrt(3.0) / 4.0 * 1600.0, 0.5 * 1600.0 * sum(np.sin([2.0944 - 0.3, 2.0944 + 0.3, 2.0944]))]
    if "S2" in words:
        assert words["S2"] == f"larger triangle ({areas[0]:.0f} against {areas[1]:.0f} mm2)"
    deltas = [
        np.degrees(
            np.sqrt(np.mean(np.arccos(np.clip((g.force_directions * g.inward_normals).sum(axis=1), -1, 1)) ** 2))
        )
        for g in (better, worse)
    ]
    assert words["C1"] == f"forces {deltas[1] - deltas[0]:.1f} deg closer to the normals"
    assert str(reasons).count("grasp") == 2


def test_symmetric_grasps_are_called_equal_though_rounding_differs() -> None:
    base = np.array([np.pi, np.pi / 3.0, -np.pi / 3.0])
    ranking = rank(scored_disc(np.array([base + turn for turn in (0.0, 1.1, 2.3)])))
    assert str(ranking.why(1, 3)) == "grasp 1 and grasp 3 are practically equal (Q 2.665 and 2.665)"
    assert ranking.why(1, 2).difference == 0.0


def test_where_an_amount_contradicts_the_criterion_the_criterion_is_told() -> None:
    """Criteria made by hand over a geometry of no meaning: the words must not claim what the geometry denies."""
    table = np.ones((2, 10))
    table[1] += 0.5
    ranking = rank(with_table(table))
    for reason in ranking.why(1, 2).gains:
        assert reason.gain == pytest.approx(0.5)
    triangle = next(reason for reason in ranking.why(1, 2).gains if reason.criterion == "S2")
    assert "larger triangle" in triangle.words


def test_every_criterion_has_words_for_and_against() -> None:
    table = np.ones((3, 10))
    table[1, ::2] += 0.5
    table[2, 1::2] += 0.6
    ranking = rank(with_table(table))
    text = str(ranking.why(1, 2)) + str(ranking.why(1, 3)) + str(ranking.why(2, 3))
    assert "although" in text
    assert len({r.criterion for pair in ((1, 2), (1, 3)) for r in ranking.why(*pair).gains}) == 10


def test_own_criteria_are_told_by_name() -> None:
    ranking = rank(scored_disc(many_angles(3)), own={"cable": lambda grasp: 50.0 * grasp.index})
    assert "lower cable (0 against 50)" in str(ranking.why(1, 2))


def test_rank_aggregation_is_explained_in_ranks() -> None:
    ranking = rank(scored_disc(many_angles(5)), "borda")
    reasons = ranking.why(1, 5)
    assert "(borda)" in str(reasons)
    assert all(float(2.0 * reason.gain).is_integer() for reason in reasons.gains)


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


def test_no_two_figures_of_a_reason_read_the_same_and_none_is_a_long_number() -> None:
    ranking = rank(scored_disc(many_angles(14)))
    for i in range(1, len(ranking)):
        reasons = ranking.why(i, i + 1)
        for reason in reasons.gains + reasons.losses:
            pair = re.findall(r"(-?[0-9.]+) against (-?[0-9.]+)", reason.words)
            assert all(first != second for first, second in pair), reason.words
            assert " 0 " not in reason.words and " 0.0 deg" not in reason.words and " 0.0 mm " not in reason.words
            assert "e-" not in reason.words and "-0 " not in reason.words


def test_amounts_are_rounded_for_people() -> None:
    assert [_amount(value) for value in (8.2e-5, 63.7, 1436.2, -0.01, 4.04)] == ["0.0", "64", "1436", "0.0", "4.0"]
    assert _amount(-0.314, 2) == "-0.31"


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
    assert all(np.isfinite(value) for row in ranking.table() for value in row.values() if isinstance(value, float))


def test_weights_change_the_order() -> None:
    table = np.ones((2, 10))
    table[0, CRITERIA.index("S1")], table[1, CRITERIA.index("C1")] = 1.5, 1.4
    ranking = rank(with_table(table))
    assert [grasp.index for grasp in ranking] == [1, 0]
    heavier = ranking.ranked_by({"C1": 3.0})
    assert [grasp.index for grasp in heavier] == [0, 1]
    assert heavier[0].score == pytest.approx(10.5 + 2.0)
    assert pytest.approx(10.5) == heavier[0].Q


@pytest.mark.parametrize("way", ["minmax", "borda", "median"])
def test_other_ways_order_by_their_score(way: str) -> None:
    ranking = rank(with_table(_table(20)), way)
    scores = [grasp.score for grasp in ranking]
    assert scores == sorted(scores)
    assert len(ranking) == 20
    assert ranking.method.name == way


def test_an_own_criterion_is_merged_beside_the_ten() -> None:
    scored = scored_disc(many_angles(6))
    plain = rank(scored)
    with_own = rank(scored, own={"low": lambda grasp: 100.0 * grasp.index})
    assert [grasp.index for grasp in with_own] == list(range(6))
    assert dict(with_own[3].own_criteria) == {"low": 300.0}
    assert with_own[3].score == pytest.approx(with_own[3].Q + 300.0)
    assert sorted(g.Q for g in with_own) == pytest.approx(sorted(g.Q for g in plain))
    half = rank(scored, own={"some": lambda grasp: np.inf if grasp.index % 2 else 0.0})
    assert {grasp.index for grasp in half} == {0, 2, 4}
    assert {grasp.reason for grasp in half.excluded} == {"an own criterion is infinite"}


def test_a_function_alone_ranks_by_itself() -> None:
    scored = scored_disc(many_angles(6))

    def thumb_height(grasp) -> float:  # type: ignore[no-untyped-def]
        return grasp.contacts_mm[0, 1]

    ranking = rank(scored, thumb_height)
    heights = [grasp.contacts_mm[0, 1] for grasp in ranking]
    assert heights == sorted(heights)
    assert dict(ranking[0].own_criteria)["thumb_height"] == heights[0]
    assert ranking.method.name == "own"
    assert ranking.merged.names == ("thumb_height",)
    assert rank(scored, lambda grasp: grasp.Q).order.tolist() == rank(scored).order.tolist()


def test_an_own_criterion_must_not_take_the_name_of_another() -> None:
    with pytest.raises(InputError, match="S1"):
        rank(with_table(_table(3)), own={"S1": lambda _: 0.0})


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
    again = filtered.ranked_by("borda")
    assert best not in again.order.tolist()


def test_nothing_left_is_an_empty_ranking_with_the_reason() -> None:
    table = _table(3)
    table[:, 0] = np.inf
    ranking = rank(with_table(table))
    assert len(ranking) == 0
    assert ranking.best is None
    assert "3 candidates" in ranking.reason and "S1 is infinite" in ranking.reason
    assert "S1 is infinite" in repr(ranking)
    assert ranking.table() == []
    reach = SimpleNamespace(ok=np.zeros(4, bool), reason=("the palm hits the part",) * 4, tested=np.ones(4, bool))
    assert "the palm hits" in rank(with_table(_table(4)), reach=reach).reason
    assert "own criterion" in rank(with_table(_table(4)), own={"no": lambda _: np.inf}).reason


def test_the_table_has_a_row_a_grasp() -> None:
    ranking = rank(with_table(_table(5)), own={"mine": lambda grasp: float(grasp.index)})
    rows = ranking.table(2)
    assert len(rows) == 2
    assert list(rows[0]) == ["rank", "kind", "Q", "score", *CRITERIA, "mine"]
    assert rows[1]["rank"] == 2


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
    form = rank(scored_disc(many_angles(2)), {"S1": 2}, own={"mine": lambda _: 1.0}).to_dict()
    assert form["ranking"] == {"method": "weighted", "own_criteria": ["mine"], "weights": {"S1": 2.0}}
    assert form["grasps"][0]["own_criteria"] == {"mine": 1.0}


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
        (
            "bracket",
            {"hand": "generic", "rank": "borda", "own": {"far": lambda grasp: float(grasp.palm_mm[0] ** 2)}},
        ),
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
