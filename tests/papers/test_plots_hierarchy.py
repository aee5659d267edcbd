from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.papers.hierarchy import GripTestRow, GripTestTimes, regions
from holdfast.papers.plots import growth_times, region_growth
from tests.papers.studies.test_hierarchy import hand

ROWS = (
    GripTestRow("vertices", 25, 2e-4, 1e-4, 0.005, 1.0, 1.0),
    GripTestRow("vertices", 250, 3e-4, 1e-4, 0.05, 1.5, 1.5),
    GripTestRow("half-spaces", 12, 9e-3, 3e-4, 0.01, 3.0, 3.0),
)


def test_times_are_drawn_in_milliseconds_against_counts() -> None:
    ax = growth_times(GripTestTimes(ROWS, 5, 400, 0))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    curves = {line.get_label(): line for line in ax.lines}
    assert len(curves) == 6
    assert np.allclose(curves["vertices: HiGHS, all at once"].get_xydata(), [[25, 5.0], [250, 50.0]])


def test_regions_go_from_red_to_orange_and_from_green_to_cyan() -> None:
    found = regions(hand(), inner=(80,), outer=())
    ax = region_growth(found)
    names = ax.get_legend_handles_labels()[1]
    assert names[:4] == [
        "inner: all 150 vertices",
        "inner: 80 learned vertices",
        "outer: bounding box",
        "outer: all 40 half-spaces",
    ]
    assert len(ax.patches) == 4
    for patch, row in zip(ax.patches, (*found.inner[::-1], *found.outer), strict=True):
        assert np.allclose(patch.get_xy()[:-1], row.region.vertices)


def test_other_data_are_refused() -> None:
    with pytest.raises(InputError, match="growth: is a int"):
        growth_times(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="regions: is a int"):
        region_growth(3)  # pyright: ignore[reportArgumentType]
