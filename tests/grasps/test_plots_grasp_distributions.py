from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.plots import MEANING, criterion_distributions


@pytest.fixture(scope="module")
def casting():
    return plan(example_part("casting"))


def test_every_grasp_stands_in_one_bar_of_every_histogram(casting):
    figure = criterion_distributions(casting, title="casting")
    assert [ax.get_title().split(":")[0] for ax in figure.axes] == list(MEANING)
    for ax in figure.axes:
        assert sum(patch.get_height() for patch in ax.patches) == len(casting)


def test_the_best_grasp_and_the_median_are_marked(casting):
    figure = criterion_distributions(casting)
    quality = next(ax for ax in figure.axes if ax.get_title().startswith("Q"))
    marks = {line.get_label(): line.get_xdata()[0] for line in quality.get_lines()}
    assert marks["best grasp"] == pytest.approx(casting.best.Q)
    assert marks["median"] == pytest.approx(np.median([grasp.Q for grasp in casting.grasps]))
    assert len(figure.legends[0].get_texts()) == 3


def test_there_is_nothing_to_draw_without_grasps():
    with pytest.raises(InputError, match="no grasp"):
        criterion_distributions(plan(example_part("disc"), "parallel_jaw"))


def test_no_two_labels_of_an_axis_touch():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = criterion_distributions(plan(example_part("hexagon").picture(0.5), mm_per_px=0.5, reachability=True))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for ax in figure.axes:
        low, high = sorted(ax.get_xlim())
        ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        boxes = sorted(
            (label.get_window_extent(canvas.get_renderer()) for at, label in ticks if low <= at <= high),
            key=lambda box: box.x0,
        )
        assert all(second.x0 - first.x1 > 5.0 for first, second in pairwise(boxes)), ax.get_title()
