"""AskingPage: controls whose state is a question, a worker that answers it, a canvas and a verdict that show it.

What a page shows is a pure function of the state of its controls: `answer(state)`. The rest is the same for all.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .animation import Animation
from .canvas import Canvas
from .marks import Drawing, Marks
from .verdict import COMPUTING, Verdict

if TYPE_CHECKING:
    from .page import PageContext

State = TypeVar("State")

#: Times of an animation. The end comes first, so that it is seen while a hand drags and every answer starts anew.
TIMES = (1.0, *(k / 24.0 for k in range(25)))


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything a page shows for one state of its controls.

    Attributes:
        verdict: for the panel.
        drawing: for the scene.
        subject: what is looked at; the camera moves only when this changes.
        notes: Markdown beneath the controls: what colours and lines mean.
        moving: marks at a time from 0 to 1 of an animation that repeats itself, or None.
    """

    verdict: Verdict
    drawing: Drawing = field(default_factory=Drawing)
    subject: str = ""
    notes: str = ""
    moving: Callable[[float], Marks] | None = None


class AskingPage(ABC, Generic[State]):
    """A page of one browser. Subclasses add controls, read their state and answer it.

    Attributes:
        title: as the menu has it.
        context: the browser, its verdict and worker.
    """

    title: str = ""

    def __init__(self, context: PageContext) -> None:
        self.context = context
        self._canvas = Canvas(context.client, "/page")
        self._controls: list[Any] = []
        self._notes: Any = None
        self._subject: str | None = None
        self._lock = threading.RLock()
        self._animation: Animation[tuple[Callable[[float], Marks], float]] = Animation(
            lambda frame: self._canvas.change(frame[0](frame[1])), lambda error: None
        )
        self._is_open = False

    # -- what a page is ----------------------------------------------------------------------------

    @abstractmethod
    def add_controls(self) -> None:
        """Add controls through `keep`, with `asks` for those whose change is a new question."""

    @abstractmethod
    def state(self) -> State:
        """The state of the controls, frozen."""

    @abstractmethod
    def answer(self, state: State) -> Answer:
        """What to show for a state; runs on the worker's thread."""

    def shown(self, answer: Answer) -> None:
        """Called after an answer has been shown, on the worker's thread."""

    # -- the protocol of pages -----------------------------------------------------------------------

    def open(self) -> None:
        """Add everything, and ask the first question."""
        self._is_open = True
        self.context.verdict.show(COMPUTING)
        self.add_controls()
        self._notes = self.keep(self.context.client.gui.add_markdown(""))
        self.ask()

    def close(self) -> None:
        """Remove everything; the answer of a question still asked is dropped."""
        self._is_open = False
        self._animation.close()
        with self._lock:
            for handle in reversed(self._controls):
                with suppress(Exception):  # what a browser that has gone took with it
                    handle.remove()
            self._controls.clear()
            with suppress(Exception):
                self._canvas.clear()

    # -- for subclasses ------------------------------------------------------------------------------

    def keep(self, handle: Any) -> Any:
        """A control or scene node that `close` removes."""
        self._controls.append(handle)
        return handle

    def asks(self, handle: Any) -> Any:
        """A control whose every change asks anew; removed by `close`."""
        handle.on_update(lambda _: self.ask())
        return self.keep(handle)

    def ask(self) -> None:
        """Ask for an answer to the controls as they are now."""
        if not self._is_open:
            return
        with self._lock:
            state = self.state()
            self.context.worker.ask(lambda: self.answer(state), self._show)

    def say(self, text: str) -> None:
        """A word on what is being done, while a long answer is on its way."""
        if self._is_open:
            self.context.verdict.show(Verdict(text), 0)

    def _show(self, answer: Answer, number: int) -> None:
        with self._lock:
            if not self._is_open:
                return
            self._animation.play(())
            self._canvas.show(answer.drawing.marks)
            if answer.subject != self._subject and answer.drawing.view is not None:
                self._canvas.look(answer.drawing.view)
            self._subject = answer.subject
            if self._notes is not None and self._notes.content != answer.notes:
                self._notes.content = answer.notes
            self.shown(answer)
            self.context.verdict.show(answer.verdict, number)
            moving = answer.moving
            if moving is not None:
                self._animation.play([(moving, moment) for moment in TIMES])
