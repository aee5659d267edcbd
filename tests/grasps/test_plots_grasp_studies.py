from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.plots import correlation_map, stability_chart, variation_chart
from holdfast.grasps.studies import Correlation, correlations, parameter_variation, stability_study


@pytest.fixture(scope="module")
def casting():
    return plan(example_part("casting"))


def drawn(ax, gid):
    lines = [line for line in ax.get_lines() if line.get_gid() == gid]
    return np.concatenate([line.get_ydata() for line in lines]) if lines else np.zeros(0)


def test_bars_are_the_original_qualities_and_marks_those_under_each_change(casting):
    study = parameter_variation(casting)
    ax = variation_chart(study, best=6)
    bars = [patch.get_height() for patch in ax.patches]
    np.testing.assert_allclose(bars, study.quality[:6])
    marks = drawn(ax, "mark")
    assert len(marks) + len(drawn(ax, "above")) == 6 * len(study.changes)
    assert set(marks) <= set(study.qualities[:, :6].ravel())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "$\\mu$ = 0.3" in labels
    assert "$\\lambda$ = 3 mm" in labels


def test_every_trial_is_a_dot_and_the_worst_rank_stands_above(casting):
    study = stability_study(casting, trials=7)
    ax = stability_chart(study, best=5, title="casting")
    assert len(drawn(ax, "mark")) + len(drawn(ax, "above")) == 35
    np.testing.assert_allclose(drawn(ax, "mean"), study.average_quality[:5])
    words = [text.get_text() for text in ax.texts if text.get_gid() == "worst rank"]
    assert words == [str(rank) for rank in study.worst_rank[:5]]


def test_coefficients_stand_in_their_cells_and_constant_criteria_have_none(casting):
    study = correlations(casting)
    figure = correlation_map(study)
    maps = figure.axes[:2]
    for ax, matrix in zip(maps, (study.values, study.ranks), strict=True):
        cells = {text.get_position(): text.get_text() for text in ax.texts}
        for (j, i), text in cells.items():
            if np.isnan(matrix[i, j]):
                assert text == "–"
            else:
                assert float(text) == pytest.approx(matrix[i, j], abs=0.0051)
    assert np.isnan(study.values).any()


def test_there_is_nothing_to_draw_without_grasps():
    empty = plan(example_part("disc"), "parallel_jaw")
    with pytest.raises(InputError, match="no grasp"):
        variation_chart(parameter_variation(empty))
    with pytest.raises(InputError, match="no grasp"):
        stability_chart(stability_study(empty, trials=2))
    nothing = Correlation(("S1", "Q"), np.full((2, 2), np.nan), np.full((2, 2), np.nan), 0)
    assert correlation_map(nothing).axes
