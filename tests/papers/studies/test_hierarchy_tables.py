from __future__ import annotations

from holdfast.papers.hierarchy import GripTestRow, GripTestTimes, growth_table, region_table, regions
from tests.papers.studies.test_hierarchy import hand


def test_times_are_told_with_their_units_and_ratio() -> None:
    row = GripTestRow("vertices", 1000, 2e-4, 1e-4, 0.05, 1.5, 1.5)
    table = growth_table(GripTestTimes((row,), 5, 400, 0))
    assert list(table.rows[0]) == ["vertices", "1,000", "200 us", "100 us", "50 ms", "250x", "1.5", "1.5"]
    assert "Medians of 5 tests" in table.note


def test_every_region_has_a_line() -> None:
    table = region_table(regions(hand(), inner=(80,), outer=()))
    assert [line[:2] for line in table.rows] == [
        ("inner", "80 learned vertices"),
        ("inner", "all 150 vertices"),
        ("outer", "bounding box"),
        ("outer", "all 40 half-spaces"),
    ]
