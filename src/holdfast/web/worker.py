"""Threads of a page: the worker that answers the newest request only, animations, and memory shared by threads."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

#: While a control is dragged every request is outdated by the next; an answer is shown nevertheless if nothing was
#: shown for this long [s], so that the picture follows the control.
PATIENCE = 0.1

#: How long `close` waits for a computation that cannot be interrupted; its answer is dropped anyway [s].
FAREWELL = 5.0


#: How often progress is reported [s].
TICK = 1.0


@contextmanager
def ticking(report: Callable[[float], None], every: float | None = None) -> Iterator[None]:
    """Call `report` repeatedly with the time since the block began [s]; at the end, if it was called, with 0.

    `every` is the time between calls [s], `TICK` by default.
    """
    wait = TICK if every is None else every
    done, reporting, start = threading.Event(), threading.Lock(), time.monotonic()
    reported = False

    def work() -> None:
        nonlocal reported
        while not done.wait(wait):
            with reporting, suppress(Exception):  # the browser may have disconnected
                if not done.is_set():
                    reported = True
                    report(time.monotonic() - start)

    threading.Thread(target=work, name="viewer progress", daemon=True).start()
    try:
        yield
    finally:
        done.set()
        with reporting, suppress(Exception):
            if reported:
                report(0.0)


@dataclass(frozen=True)
class Request:
    """One question: how to compute its answer, and how to show it.

    Attributes:
        number: counts the requests of this worker, from 1.
        compute: takes nothing and returns the answer; runs on the worker's thread.
        show: takes the answer and the request's number; runs on the worker's thread, never after `discard` or `close`
            has returned.
    """

    number: int
    compute: Callable[[], Any]
    show: Callable[[Any, int], None]


class LatestOnly:
    """A thread with room for one waiting request: a newer request replaces an older one that is still waiting.

    Answers appear in the order of their requests. The answer to an outdated request is dropped, unless nothing has
    been shown for `patience` seconds. The newest request is always answered. An exception in `compute` or `show` goes
    to `failed`, and the worker continues.

    Args:
        failed: called with every exception, on the worker's thread.
        name: of the thread.
        patience: see `PATIENCE` [s].
        progress: called every second of a computation with the time that it has taken [s], and with 0 at its end.
    """

    def __init__(
        self,
        failed: Callable[[Exception], None],
        *,
        name: str = "viewer worker",
        patience: float = PATIENCE,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self._failed = failed
        self._progress = progress
        self._patience = patience
        self._changed = threading.Condition()
        self._showing = threading.RLock()
        self._waiting: Request | None = None
        self._running: Request | None = None
        self._number = 0
        self._forgotten = 0
        self._closed = False
        self._shown_at = 0.0
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def number(self) -> int:
        """Number of the newest request, 0 before the first."""
        return self._number

    @property
    def busy(self) -> bool:
        """Whether a request waits or is being answered."""
        with self._changed:
            return self._waiting is not None or self._running is not None

    @property
    def alive(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def ask(self, compute: Callable[[], T], show: Callable[[T, int], None]) -> int:
        """Submit a request, replacing the one that waits; returns its number, or 0 when closed.

        `compute` runs later, on the worker's thread: it should read the controls then, so that the newest values are
        used. `show` is given the answer and the number, to be shown with the verdict.
        """
        with self._changed:
            if self._closed:
                return 0
            self._number += 1
            self._waiting = Request(self._number, compute, show)
            self._changed.notify_all()
            return self._number

    def discard(self) -> None:
        """Forget all requests so far: once this returns, none of their answers will be shown."""
        with self._changed:
            self._waiting = None
            self._forgotten = self._number
        with self._showing:  # an answer that is just being shown is finished first
            pass

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until every request is answered or forgotten; False when the time ran out first."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting is None and self._running is None, timeout)

    def close(self, timeout: float = FAREWELL) -> bool:
        """Forget all requests and end the thread; False when a computation still runs after `timeout` seconds."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.discard()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting is not None)
                if self._closed:
                    return
                request, self._waiting = self._waiting, None
                self._running = request
            if request is not None:
                self._answer(request)
            with self._changed:
                self._running = None
                self._changed.notify_all()

    def _answer(self, request: Request) -> None:
        try:
            with nullcontext() if self._progress is None else ticking(self._progress):
                answer = request.compute()
            with self._showing:
                if self._wanted(request):
                    request.show(answer, request.number)
                    self._shown_at = time.monotonic()
        except Exception as error:  # noqa: BLE001 -- the worker continues after any error of a page
            if not self._closed and request.number > self._forgotten:
                self._failed(error)

    def _wanted(self, request: Request) -> bool:
        """Whether the answer to this request should be shown."""
        with self._changed:
            if self._closed or request.number <= self._forgotten:
                return False
            return request.number == self._number or time.monotonic() - self._shown_at >= self._patience


# -- animation -------------------------------------------------------------------------------------


#: Time between frames, and how long the last one is shown [s].
INTERVAL, PAUSE = 0.06, 0.9


class Animation(Generic[T]):
    """Shows a sequence of frames repeatedly.

    Args:
        show: shows one frame; runs on the animation's thread, and never after `play` with other frames or `close`
            has returned.
        failed: called with an exception in `show`; the frames are then dropped.
    """

    def __init__(self, show: Callable[[T], None], failed: Callable[[Exception], None]) -> None:
        self._show = show
        self._failed = failed
        self._changed = threading.Condition()
        self._frames: tuple[T, ...] = ()
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def frames(self) -> tuple[T, ...]:
        """What is being shown."""
        return self._frames

    def play(self, frames: Sequence[T]) -> None:
        """Show these frames from now on; an empty sequence stops the animation."""
        with self._changed:
            self._frames = tuple(frames)
            self._changed.notify_all()
            if self._frames and self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="viewer animation", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop the animation permanently."""
        with self._changed:
            self._closed, self._frames = True, ()
            self._changed.notify_all()
        if self._thread is not None and threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        with self._changed:
            while not self._closed:
                frames = self._frames
                for number, frame in enumerate(frames):
                    if self._frames is not frames:
                        break
                    try:
                        self._show(frame)  # under the lock: nothing is shown once the frames were replaced
                    except Exception as error:  # noqa: BLE001 -- every error is reported
                        self._frames = ()
                        self._failed(error)
                        break
                    self._changed.wait(PAUSE if number == len(frames) - 1 else INTERVAL)
                else:
                    if not frames:
                        self._changed.wait()


# -- spare memory ----------------------------------------------------------------------------------


#: Number of glibc's parameter (malloc.h) for how many heaps there may be.
M_ARENA_MAX = -8

#: Heaps that all threads share; without a limit there would be up to eight per core, each with unused memory.
HEAPS = 2


def share_heaps() -> bool:
    """Let all threads share few heaps where the C library allows it (glibc); whether it was done.

    Call it before threads are started. Memory freed by one thread can then be used by another.
    """
    set_option = _function("mallopt")
    return set_option is not None and bool(set_option(M_ARENA_MAX, HEAPS))


def give_back() -> bool:
    """Return freed memory to the system where the C library can be asked to (glibc); whether it was asked."""
    trim = _function("malloc_trim")
    if trim is None:
        return False
    trim(0)
    return True


def _function(name: str) -> Any:
    """A function of the C library; None where there is none."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
