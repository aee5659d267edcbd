from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from holdfast.web.worker import HEAPS, Animation, LatestOnly, give_back, share_heaps, ticking

# -- latest ----------------------------------------------------------------------------------------


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
        assert go.wait(60.0)
        asked.append(1)
        return 1

    worker._shown_at = float("inf")  # as if something had just been shown: no answer is due for the hand's sake
    worker.ask(slow, lambda value, number: shown.append((value, number)))
    assert started.wait(60.0)
    for value in range(2, 101):
        worker.ask(lambda value=value: asked.append(value) or value, lambda v, n: shown.append((v, n)))
    assert worker.busy
    go.set()
    assert worker.wait(60.0)
    assert asked == [1, 100]
    assert shown == [(100, 100)]


def test_answers_appear_while_a_control_is_dragged(errors: list[Exception]) -> None:
    worker = LatestOnly(errors.append, patience=0.0)
    shown: list[int] = []

    def ask_again(value: int) -> int:
        if value < 50:  # a newer question arrives while each is being answered
            worker.ask(lambda: ask_again(value + 1), lambda v, _: shown.append(v))
        return value

    worker.ask(lambda: ask_again(1), lambda v, _: shown.append(v))
    assert worker.wait(60.0)
    worker.close()
    assert shown == list(range(1, 51))


def test_an_error_is_reported_and_the_next_question_is_answered(worker: LatestOnly, errors: list[Exception]) -> None:
    shown: list[str] = []

    def fail() -> str:
        raise ValueError("broken")

    def bad_show(_: str, __: int) -> None:
        raise KeyError("no such node")

    worker.ask(fail, lambda v, _: shown.append(v))
    assert worker.wait(60.0)
    worker.ask(lambda: "drawn badly", bad_show)
    assert worker.wait(60.0)
    worker.ask(lambda: "fine", lambda v, _: shown.append(v))
    assert worker.wait(60.0)
    assert [type(error) for error in errors] == [ValueError, KeyError]
    assert shown == ["fine"]


@pytest.mark.parametrize("leave", ["discard", "close"])
def test_nothing_is_shown_once_its_page_was_left(worker: LatestOnly, errors: list[Exception], leave: str) -> None:
    started, go = threading.Event(), threading.Event()
    shown: list[int] = []

    def slow() -> int:
        started.set()
        go.wait(60.0)
        raise RuntimeError("not told either")

    worker.ask(slow, lambda v, _: shown.append(v))
    assert started.wait(60.0)
    worker.ask(lambda: 2, lambda v, _: shown.append(v))
    if leave == "discard":
        worker.discard()
    else:
        assert not worker.close(timeout=0.01)  # it cannot be interrupted
        assert worker.ask(lambda: 3, lambda v, _: shown.append(v)) == 0
    go.set()
    assert worker.wait(60.0)
    assert shown == []
    assert errors == []
    if leave == "close":
        assert worker.close(timeout=60.0)
        assert not worker.alive


# -- progress --------------------------------------------------------------------------------------


def test_a_long_computation_is_reported_until_it_ends_and_a_short_one_never() -> None:
    told: list[float] = []
    twice = threading.Event()

    def tell(seconds: float) -> None:
        told.append(seconds)
        if len(told) == 2:
            twice.set()

    with ticking(tell, every=0.01):
        assert twice.wait(60.0)
    assert told[-1] == 0.0 and 0.0 < told[0] < told[1]
    count = len(told)
    with ticking(tell, every=60.0):
        pass
    assert len(told) == count  # and nothing after the end of either


def test_a_worker_reports_how_long_it_computes_and_a_fault_of_the_report_does_not_matter(
    errors: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.web.worker.TICK", 0.01)
    ticked = threading.Event()

    def progress(seconds: float) -> None:
        ticked.set()
        raise OSError("the browser has gone")

    worker = LatestOnly(errors.append, progress=progress)
    shown: list[int] = []
    worker.ask(lambda: ticked.wait(60.0) and 7, lambda value, _: shown.append(value))
    assert worker.wait(60.0) and shown == [7] and errors == []
    worker.close()


# -- animation -------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.web.worker.INTERVAL", 1e-3)
    monkeypatch.setattr("holdfast.web.worker.PAUSE", 1e-3)


def test_frames_are_shown_in_a_loop_until_others_replace_them() -> None:
    shown: list[str] = []
    twice = threading.Event()

    def show(frame: str) -> None:
        shown.append(frame)
        if shown.count("b") == 2:
            twice.set()

    playing: Animation[str] = Animation(show, lambda _: None)
    playing.play("abc")
    assert twice.wait(60.0)
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
    assert told.wait(60.0)
    playing.close()
    assert len(errors) == 1
    assert playing.frames == ()


# -- spare memory ----------------------------------------------------------------------------------


#: Counts the heaps that eight threads at once take their memory from, as glibc lists them.
COUNTED = """
import ctypes, threading
from holdfast.web.worker import HEAPS, share_heaps
asked = share_heaps()
barrier = threading.Barrier(8)
def work():
    kept = [bytes(5000) for _ in range(200)]
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library = ctypes.CDLL(None)
if asked and hasattr(library, "malloc_info"):
    library.fdopen.restype = ctypes.c_void_p
    stream = ctypes.c_void_p(library.fdopen(1, b"w"))
    library.malloc_info(0, stream)
    library.fflush(stream)
else:
    print("<heap nr>" * HEAPS)
"""


def test_freed_memory_is_given_back_where_that_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert give_back() in (True, False)  # without glibc there is nothing to ask
    monkeypatch.setattr(sys, "platform", "win32")
    assert give_back() is False
    assert share_heaps() is False


def test_threads_share_few_heaps() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.count("<heap nr") == HEAPS
