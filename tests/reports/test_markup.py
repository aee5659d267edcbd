from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from holdfast.console.sheets import TableBlock, heading, warning_lines
from holdfast.reports.markup import STYLE, Markup, element, picture, sheet_markup, together

# -- markup ----------------------------------------------------------------------------------------


@given(st.text(), st.text())
def test_no_text_becomes_markup(words: str, value: str) -> None:
    made = element("p", words, class_=value).text
    inner = made[made.index(">") + 1 : -len("</p>")]
    assert "<" not in inner
    assert made.count("<") == 2
    assert made[: made.index(">")].count('"') == 2


def test_markup_is_kept_and_text_is_escaped() -> None:
    assert together(Markup("<b>"), "<b>").text == "<b>&lt;b&gt;"
    assert 'alt="&quot;"' in picture("data:,", '"').text


def test_lines_become_paragraphs_lists_and_headings_and_keep_their_status() -> None:
    sheet = ["a < b", heading("Why"), "- one", "- two", "", heading("verdict: holds", "holds"), *warning_lines(["w"])]
    assert sheet_markup(sheet).text == (
        "<p>a &lt; b</p><h3>Why</h3><ul><li>one</li><li>two</li></ul>"
        '<p class="verdict holds">verdict: holds</p><p class="verdict open">warning: w</p>'
    )


def test_numbers_stand_on_the_right_words_on_the_left_and_statuses_are_coloured() -> None:
    rows = [("<a>", "1.5", "3 %", "holds"), ("b", "-", "no limit", "undecided")]
    made = sheet_markup([TableBlock(["name", "x", "use", "verdict"], rows, "A & B")]).text
    assert made.count('<td class="number">') == 4
    assert made.count('<td class="word">') == 4
    assert "&lt;a&gt;" in made and "<caption>A &amp; B</caption>" in made
    assert '<span class="verdict holds">holds</span>' in made and '<span class="verdict open">' in made


# -- look ------------------------------------------------------------------------------------------


def test_the_style_fetches_nothing_and_knows_dark_and_paper() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "prefers-color-scheme: dark" in STYLE
    assert "@media print" in STYLE
    assert STYLE.count("{") == STYLE.count("}")
    assert "<" not in STYLE


def test_every_colour_that_is_used_is_given_in_the_light_and_in_the_dark() -> None:
    light, dark = (
        set(re.findall(r"(--\w+):", part)) for part in STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    )
    used = set(re.findall(r"var\((--\w+)\)", STYLE))
    assert used <= light
    assert used <= dark
