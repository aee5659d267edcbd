"""Scored grasps: each row is what `evaluate` says of it alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.contours import Contour
from holdfast.grasps.criteria import CRITERIA, evaluate
from holdfast.grasps.hands import solve_hand
from holdfast.grasps.ranking import Grasp, GraspParams, ObjectShape, score
from tests.grasps.made_grasps import many_angles, scored_disc


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
