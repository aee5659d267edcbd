"""Animation: frames shown one after another in a loop, on a thread of its own, until they are replaced."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

#: Time between frames, and how long the last one stands [s].
INTERVAL, PAUSE = 0.06, 0.9


class Animation(Generic[T]):
    """Shows a row of frames again and again.

    Args:
        show: shows one frame; runs on the animation's thread, and never after `play` with other frames or `close`
            has returned.
        failed: told of an exception in `show`; the frames are then dropped.
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
        """Show these frames from now on; none stop the animation."""
        with self._changed:
            self._frames = tuple(frames)
            self._changed.notify_all()
            if self._frames and self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="viewer animation", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop for good."""
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
                    except Exception as error:  # noqa: BLE001 -- whatever it is, it is reported
                        self._frames = ()
                        self._failed(error)
                        break
                    self._changed.wait(PAUSE if number == len(frames) - 1 else INTERVAL)
                else:
                    if not frames:
                        self._changed.wait()
