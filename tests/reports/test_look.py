from __future__ import annotations

import re

from holdfast.reports.look import STYLE


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
