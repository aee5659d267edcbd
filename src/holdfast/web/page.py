"""Pages of the viewer: the entry in the menu, the verdict panel, and the protocol of question and answer.

A page shows a pure function of the state of its controls: `AskingPage.answer(state)`. The rest is the same for all
pages.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from html import escape as escaped
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from ..errors import visible
from ..feature import FileKind
from .canvas import Canvas
from .marks import Drawing, Marks
from .worker import Animation, LatestOnly

if TYPE_CHECKING:
    import viser


# -- words ----------------------------------------------------------------------------------------

#: Style of the words of a page.
_PROSE = "padding:0 12px 10px;font-size:14px;line-height:1.5;font-family:inherit;overflow-wrap:anywhere"

#: The marks that words may have, after they were escaped, and the elements that they become.
_MARKS = ((re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"), (re.compile(r"`([^`]+)`"), r"<code>\1</code>"))


def escape(text: str) -> str:
    """Words for the markup of a page: names, files and errors may contain anything, and nothing of it is markup."""
    return escaped(visible(text))


def prose(text: str) -> str:
    """Markup of words: paragraphs between empty lines, **bold**, `code`, and tables, whose lines begin with "|".

    Everything is escaped first, so that the words of a file can bring no other element, no link and no picture.
    """
    text = escape(text)
    for mark, element in _MARKS:
        text = mark.sub(element, text)
    parts = [part.strip() for part in text.split("\n\n")]
    return f'<div style="{_PROSE}">{"".join(_paragraph(part) for part in parts if part)}</div>'


def _paragraph(text: str) -> str:
    """One paragraph, or a table with a line for its header and one below it."""
    if not text.startswith("|"):
        return f'<p style="margin:0 0 8px">{text}</p>'
    lines = [line.strip("| ").split("|") for line in text.splitlines()]
    rows = ("".join(f'<td style="padding:1px 8px 1px 0">{cell}</td>' for cell in row) for row in lines[:1] + lines[2:])
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


class Prose:
    """Words in the controls of one browser, see `prose`."""

    def __init__(self, client: viser.ClientHandle) -> None:
        self._content = ""
        self._handle = client.gui.add_html("")

    @property
    def content(self) -> str:
        """What it says, without markup."""
        return self._content

    @content.setter
    def content(self, words: str) -> None:
        if words != self._content:
            self._content = words
            self._handle.content = prose(words) if words else ""

    def remove(self) -> None:
        """Remove it from the browser."""
        self._handle.remove()


# -- verdict ---------------------------------------------------------------------------------------


#: Tones of a verdict: holds, does not hold, undecided, or neutral (a picture without a question).
Tone = Literal["good", "bad", "open", "plain"]

#: (text, background) colours of each tone; the text states the verdict too.
COLOURS: dict[Tone, tuple[str, str]] = {
    "good": ("#0B5D3B", "#D8F3E5"),
    "bad": ("#8C1C13", "#FBE3E0"),
    "open": ("#6B4E00", "#FFF3CD"),
    "plain": ("#25313D", "#E9EEF3"),
}

#: Style of the whole panel.
_BOX = "border-radius:6px;padding:8px 10px;margin:4px 12px 14px;font-size:13px;line-height:1.45;font-family:inherit"


@dataclass(frozen=True)
class Verdict:
    """The verdict of a page on its question.

    Attributes:
        status: the verdict in words: "holds", "does not hold", ...
        tone: how it is coloured.
        margin: how far from the border, in words with unit; "" when there is none.
        seconds: time of the computation [s], or None when nothing was computed.
        lines: further sentences.
    """

    status: str
    tone: Tone = "plain"
    margin: str = ""
    seconds: float | None = None
    lines: Sequence[str] = field(default=())


#: The panel before the first answer of a page.
COMPUTING = Verdict("computing ...", lines=("the first run on this machine compiles the solver and takes longer",))


class VerdictPanel:
    """The verdict of one browser's page, at the top of its controls.

    The panel is one element of the page, `#holdfast-verdict`. Its attributes `data-request`, `data-status` and
    `data-tone` state for scripts what is shown, and to which request of the page it belongs.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._request = 0
        self._error = ""
        self._note = ""
        self._shown = Verdict("starting")
        self._handle = client.gui.add_html(html(self._shown, 0, ""))

    @property
    def shown(self) -> Verdict:
        """The verdict shown now."""
        return self._shown

    @property
    def request(self) -> int:
        """Number of the request that is answered by what is shown."""
        return self._request

    @property
    def error(self) -> str:
        """The error that is shown, "" when there is none."""
        return self._error

    @property
    def note(self) -> str:
        """The note under the verdict on the current work, "" when there is none."""
        return self._note

    def show(self, verdict: Verdict, request: int = 0) -> None:
        """Show the answer to `request` (0: to no request); an error or a note shown before is removed."""
        self._shown, self._request, self._error, self._note = verdict, request, "", ""
        self._send()

    def show_error(self, message: str) -> None:
        """Show an error under the last verdict, which is marked as outdated."""
        self._error, self._note = message, ""
        self._send()

    def show_note(self, message: str) -> None:
        """Show a note on the current work under the verdict; "" removes it."""
        self._note = message
        self._send()

    def _send(self) -> None:
        self._handle.content = html(self._shown, self._request, self._error, self._note)
        self._client.flush()


def html(verdict: Verdict, request: int, error: str, note: str = "") -> str:
    """The panel's markup; every word of a file or an error is escaped."""
    text, ground = COLOURS[verdict.tone]
    rows = [f'<div style="font-weight:700;font-size:15px" class="holdfast-status">{escape(verdict.status)}</div>']
    if verdict.margin:
        rows.append(f'<div class="holdfast-margin">{escape(verdict.margin)}</div>')
    rows += [f"<div>{escape(line)}</div>" for line in verdict.lines]
    if verdict.seconds is not None:
        took = f"solved in {milliseconds(verdict.seconds)}, request {request}"
        rows.append(f'<div style="opacity:.75;font-size:12px" class="holdfast-time">{took}</div>')
    fade = ";opacity:.45" if error else ""
    body = f'<div style="{_BOX};color:{text};background:{ground}{fade}">{"".join(rows)}</div>'
    if note:
        text, ground = COLOURS["plain"]
        look = f"{_BOX};color:{text};background:{ground}"
        body += f'<div role="status" style="{look}" class="holdfast-note">{escape(note)}</div>'
    if error:
        text, ground = COLOURS["bad"]
        look = f"{_BOX};color:{text};background:{ground};border:1px solid {text}"
        body += f'<div role="alert" style="{look}" class="holdfast-error">{escape(error)}</div>'
    data = {"request": str(request), "status": verdict.status, "tone": verdict.tone, "error": error}
    attributes = " ".join(f'data-{name}="{escape(value)}"' for name, value in data.items())
    return f'<div id="holdfast-verdict" {attributes}>{body}</div>'


def milliseconds(seconds: float) -> str:
    """A time in words: "3.2 ms", "1.4 s"."""
    if seconds >= 1.0:
        return f"{seconds:.2g} s"
    return f"{1e3 * seconds:.0f} ms" if seconds >= 0.01 else f"{1e3 * seconds:.1f} ms"


# -- page ------------------------------------------------------------------------------------------


class Page(Protocol):
    """One visit of one browser to one page."""

    title: str

    def open(self) -> None:
        """Add controls and scene nodes to the client, and ask the first question."""
        ...

    def close(self) -> None:
        """Remove everything that was added; called when no more answers are shown."""
        ...


@dataclass(frozen=True)
class PageContext:
    """What a page has to work with.

    Attributes:
        client: the browser; everything a page adds goes to `client.gui` and `client.scene`, which are its own.
        server: the server; pages do not change what all browsers share.
        verdict: the panel for the page's verdict.
        worker: answers the page's questions, the newest only.
        report: shows an error in the page.
    """

    client: viser.ClientHandle
    server: viser.ViserServer
    verdict: VerdictPanel
    worker: LatestOnly
    report: Callable[[Exception], None]


@dataclass(frozen=True)
class PageEntry:
    """A line of the menu.

    Attributes:
        key: short and unique, such as "4fh-opposed".
        title: as the menu shows it.
        group: the part of the menu.
        summary: words under the menu, see `prose`.
        make: the page for one browser.
    """

    key: str
    title: str
    group: str
    summary: str
    make: Callable[[PageContext], Page]


@dataclass(frozen=True)
class ShownFile:
    """A file for which pages are made.

    Attributes:
        name: its path, or "@name" of a ready one.
        kind: its kind.
        trust: whether a xacro file, which is a program, may run.
    """

    name: str
    kind: FileKind
    trust: bool = False

    @cached_property
    def content(self) -> Any:
        """What the reader of its kind returns."""
        return self.kind.read(self.name)


# -- asking ----------------------------------------------------------------------------------------


State = TypeVar("State")

#: Times of an animation. The end comes first, so that it is visible while a control is dragged and answers change
#: quickly.
TIMES = (1.0, *(k / 24.0 for k in range(25)))


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything a page shows for one state of its controls.

    Attributes:
        verdict: for the panel.
        drawing: for the scene.
        subject: what is shown; the camera moves only when this changes.
        notes: words below the controls, see `prose`: what colours and lines mean.
        moving: marks at a time from 0 to 1 of a repeating animation, or None.
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
        self._notes: Prose | None = None
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
        self._notes = self.keep(Prose(self.context.client))
        self.ask()

    def close(self) -> None:
        """Remove everything; the answer to a pending question is dropped."""
        self._is_open = False
        self._animation.close()
        with self._lock:
            for handle in reversed(self._controls):
                with suppress(Exception):  # the browser may have disconnected
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
        """A control that asks again after every change; removed by `close`."""
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
        """Show a note on the current work while a long answer is computed."""
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
            if self._notes is not None:
                self._notes.content = answer.notes
            self.shown(answer)
            self.context.verdict.show(answer.verdict, number)
            moving = answer.moving
            if moving is not None:
                self._animation.play([(moving, moment) for moment in TIMES])
