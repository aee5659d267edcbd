from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from holdfast.web.latest import LatestOnly


@pytest.fixture
def errors() -> list[Exception]:
    return []


@pytest.fixture
def worker(errors: list[Exception]) -> Iterator[LatestOnly]:
    made = LatestOnly(errors.append, patience=60.0)
    yield made
    made.close()


def test_a_slow_answer_is_overtaken_by_the_newest_question_and_those_between_are_never_asked(
    worker: LatestOnly,
) -> None:
    started, go = threading.Event(), threading.Event()
    asked, shown = [], []

    def slow() -> int:
        started.set()
        assert go.wait(10.0)
        asked.append(1)
        return 1

    worker._shown_at = float("inf")  # as if something had just been shown: no answer is due for the hand's sake
    worker.ask(slow, lambda value, number: shown.append((value, number)))
    assert started.wait(10.0)
    for value in range(2, 101):
        worker.ask(lambda value=value: asked.append(value) or value, lambda v, n: shown.append((v, n)))
    assert worker.busy
    go.set()
    assert worker.wait(10.0)
    assert asked == [1, 100]
    assert shown == [(100, 100)]


def test_a_hand_that_never_rests_sees_answers_all_the_same(errors: list[Exception]) -> None:
    worker = LatestOnly(errors.append, patience=0.0)
    shown: list[int] = []

    def ask_again(value: int) -> int:
        if value < 50:  # a newer question arrives while each is being answered
            worker.ask(lambda: ask_again(value + 1), lambda v, _: shown.append(v))
        return value

    worker.ask(lambda: ask_again(1), lambda v, _: shown.append(v))
    assert worker.wait(10.0)
    worker.close()
    assert shown == list(range(1, 51))


def test_an_error_is_reported_and_the_next_question_is_answered(worker: LatestOnly, errors: list[Exception]) -> None:
    shown: list[str] = []

    def fail() -> str:
        raise ValueError("broken")

    def bad_show(_: str, __: int) -> None:
        raise KeyError("no such node")

    worker.ask(fail, lambda v, _: shown.append(v))
    assert worker.wait(10.0)
    worker.ask(lambda: "drawn badly", bad_show)
    assert worker.wait(10.0)
    worker.ask(lambda: "fine", lambda v, _: shown.append(v))
    assert worker.wait(10.0)
    assert [type(error) for error in errors] == [ValueError, KeyError]
    assert shown == ["fine"]


@pytest.mark.parametrize("leave", ["discard", "close"])
def test_nothing_is_shown_once_its_page_was_left(worker: LatestOnly, errors: list[Exception], leave: str) -> None:
    started, go = threading.Event(), threading.Event()
    shown: list[int] = []

    def slow() -> int:
        started.set()
        go.wait(10.0)
        raise RuntimeError("not told either")

    worker.ask(slow, lambda v, _: shown.append(v))
    assert started.wait(10.0)
    worker.ask(lambda: 2, lambda v, _: shown.append(v))
    if leave == "discard":
        worker.discard()
    else:
        assert not worker.close(timeout=0.01)  # it cannot be interrupted
        assert worker.ask(lambda: 3, lambda v, _: shown.append(v)) == 0
    go.set()
    assert worker.wait(10.0)
    assert shown == []
    assert errors == []
    if leave == "close":
        assert worker.close()
        assert not worker.alive
