from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.reports.markup import STYLE, Markup, bullets, element, number, picture, table, together, triple, verdict

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
    assert bullets(["a < b"]).text == "<ul><li>a &lt; b</li></ul>"
    assert 'alt="&quot;"' in picture("data:,", "words", describes='"').text
    assert verdict("holds").text == '<span class="verdict holds">holds</span>'


def test_numbers_stand_on_the_right_and_words_on_the_left() -> None:
    made = table(["name", "x", "use"], [("a", "1.5", "3 %"), ("b", "–", "no limit")]).text
    assert made.count('<td class="number">') == 4
    assert made.count('<td class="word">') == 2


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.23456, "1.235"), (float("inf"), "no limit"), (float("nan"), "–"), (None, "–"), (-0.0, "0"), (1e-9, "1e-09")],
)
def test_numbers_for_people(value: float | None, words: str) -> None:
    assert number(value) == words


def test_a_triple() -> None:
    assert triple([0.0, 1.0, -9.80665]) == "(0, 1, -9.807)"


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
