from __future__ import annotations

import threading

import pytest

from holdfast.web import animation
from holdfast.web.animation import Animation


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "INTERVAL", 1e-3)
    monkeypatch.setattr(animation, "PAUSE", 1e-3)


def test_frames_are_shown_in_a_loop_until_others_replace_them() -> None:
    shown: list[str] = []
    twice = threading.Event()

    def show(frame: str) -> None:
        shown.append(frame)
        if shown.count("b") == 2:
            twice.set()

    playing: Animation[str] = Animation(show, lambda _: None)
    playing.play("abc")
    assert twice.wait(10.0)
    playing.play(())
    count = len(shown)
    assert "".join(shown).startswith("abcab")
    playing.play("x")
    playing.close()
    assert set(shown[count:]) <= {"x"}
    count = len(shown)
    playing.play("y")
    assert len(shown) == count


def test_a_frame_that_cannot_be_shown_is_reported_once() -> None:
    errors: list[Exception] = []
    told = threading.Event()

    def fail(_: str) -> None:
        raise ValueError("gone")

    def report(error: Exception) -> None:
        errors.append(error)
        told.set()

    playing: Animation[str] = Animation(fail, report)
    playing.play("ab")
    assert told.wait(10.0)
    playing.close()
    assert len(errors) == 1
    assert playing.frames == ()
