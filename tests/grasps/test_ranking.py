"""Rankings: order, ties, what is left out and why."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.criteria import CRITERIA
from holdfast.grasps.ranking import ordered, rank
from tests.grasps.made_grasps import many_angles, scored_disc, with_table

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
    reach = SimpleNamespace(ok=np.arange(4) != best, reason=tuple("in the way" if i == best else "" for i in range(4)))
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
    reach = SimpleNamespace(ok=np.zeros(4, dtype=bool), reason=("the palm hits the part",) * 4)
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
