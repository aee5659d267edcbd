from __future__ import annotations

from holdfast.reports.contents import ReportContents
from holdfast.reports.limit_chapters import axes_chapter, certainty_chapter, sensitivity_chapter, slice_chapter
from holdfast.reports.markup import number


def test_limits_along_the_axes_are_those_found(contents: ReportContents) -> None:
    text = axes_chapter(contents).text
    for low, high in contents.axes:
        assert f'<td class="number">{number(-low.value, 6)}</td><td class="number">{number(high.value, 6)}</td>' in text


def test_a_slice_tells_the_same_limit_straight_off(contents: ReportContents) -> None:
    text = slice_chapter(contents.slices[0]).text
    assert f'<td class="number">{number(contents.axes[2][1].value, 6)}</td>' in text
    assert "42 rays: 42 exact" in text


def test_certainty_tells_the_interval_seed_and_scatter(contents: ReportContents) -> None:
    text = certainty_chapter(contents).text
    assert "64 specimens drawn with seed 3" in text
    assert "strength normal" in text
    chance = contents.loads[0].probability
    assert chance is not None
    assert f"between {number(chance.interval[0])} and {number(chance.interval[1])}" in text


def test_the_most_important_parameter_stands_first(contents: ReportContents) -> None:
    assert contents.tornado is not None
    text = sensitivity_chapter(contents).text
    first, second = (bar.label for bar in contents.tornado.bars[:2])
    assert 0 < text.index(f">{first}<") < text.index(f">{second}<")
