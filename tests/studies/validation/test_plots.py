"""Pictures of the validation: what is drawn is what was computed."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.validation import CASES, ComparedValue, Validation, ValidationReport, plots


def test_predicted_forces_stand_over_measured_ones(report: ValidationReport) -> None:
    result = report["pushes"]
    axes = plots.pushes(result)
    points = [np.asarray(drawn.get_offsets()) for drawn in axes.collections if len(drawn.get_offsets()) == 50]
    assert len(points) == 4
    for one, drawn in zip(result.sets, points, strict=True):
        assert drawn[:, 0] == pytest.approx(one.sizes)
        assert drawn[:, 1] == pytest.approx(one.sizes * result.scales[one.name])
    assert "alu_63, friction 4.65 N" in [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("name", ["lego-bridges", "lego-structures"])
def test_every_interface_has_a_bar(name: str, report: ValidationReport) -> None:
    result = report[name]
    axes = plots.lego(result)
    heights = sorted(bar.get_height() for bar in axes.patches)
    wanted = sorted(pull for pulls in result.pulls.values() for pull in pulls.values())
    assert heights == pytest.approx(wanted)
    assert axes.lines[0].get_ydata()[0] == 0.98


def test_differences_are_drawn_as_shares_of_their_bounds(report: ValidationReport) -> None:
    axes = plots.differences(report["blocks"])
    drawn = np.asarray(axes.collections[-1].get_offsets())[:, 0]
    numbers = [value for value in report["blocks"].comparisons if value.kind in ("relative", "absolute")]
    assert drawn == pytest.approx([max(value.deviation / value.bound, 1e-16) for value in numbers])
    assert [text.get_text() for text in axes.get_yticklabels()] == [value.quantity for value in numbers]
    verdicts = Validation("x", "x", "x", (ComparedValue("x", "a", "a", kind="same"),), "x")
    with pytest.raises(InputError, match="only verdicts"):
        plots.differences(verdicts)


def test_there_is_a_panel_per_case(report: ValidationReport) -> None:
    assert len(plots.validation(report).axes) == len(CASES)
