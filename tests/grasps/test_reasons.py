"""Reasons: the words say what the numbers say."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from holdfast.grasps.criteria import CRITERIA
from holdfast.grasps.ranking import _amount, compare, rank
from tests.grasps.made_grasps import many_angles, scored_disc, with_table


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
    assert str(ranking.why(1, 3)) == "grasp 1 and grasp 3 are as good as equal (Q 2.665 and 2.665)"
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
    assert str(near) == "grasp 1 and grasp 2 are as good as equal (Q 2.000 and 2.009)"
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
