"""Ways of merging criteria, against their definitions written out row by row."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.ranking import MinMax, RankAggregation, Sum, Weighted, levels, mean_ranks, merger, own_column

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
    with pytest.raises(InputError, match="no function"):
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

    ranking = plan(example_part("hexagon"), ranking=rule)
    like = sorted(ranking, key=lambda grasp: grasp.Q)[:6]
    assert like[5].Q - like[0].Q < 1e-9
    assert len({grasp.score for grasp in like}) == 1
