from __future__ import annotations

import io

import pytest

from holdfast.console import progress as module


def test_no_terminal_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with module.progress("sweep") as report:
        assert report is None
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_how_many_are_done_how_fast_and_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    now = [100.0]
    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO(), get_time=lambda: now[0])
    monkeypatch.setattr(module, "messages", lambda: console)
    with module.progress("sweep") as report:
        assert report is not None
        for done in (40, 42, 44):  # 40 were found done; then 4 in 2 s, and 24 s for the other 48
            report(done, 92)
            now[0] += 1.0
    text = console.export_text()
    assert "44/92" in text
    assert "2.0/s" in text
    assert "0:00:24" in text


@pytest.mark.parametrize(
    ("speed", "text"),
    [(None, ""), (0.0, ""), (0.0512, "0.051/s"), (2.0, "2.0/s"), (45.67, "45.7/s"), (12345.6, "12,346/s")],
)
def test_rates_are_short(speed: float | None, text: str) -> None:
    assert module.rate(speed) == text
