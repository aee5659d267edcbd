"""VerdictPanel: what came out, as text in the page, with the number of the request it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import viser

#: What a verdict can be: holds, does not hold, open, or neither (a picture without a question).
Tone = Literal["good", "bad", "open", "plain"]

#: (text, ground) colours of each tone; the words always say the same.
COLOURS: dict[Tone, tuple[str, str]] = {
    "good": ("#0B5D3B", "#D8F3E5"),
    "bad": ("#8C1C13", "#FBE3E0"),
    "open": ("#6B4E00", "#FFF3CD"),
    "plain": ("#25313D", "#E9EEF3"),
}

#: Look of the whole panel.
_BOX = "border-radius:6px;padding:8px 10px;margin:4px 12px 14px;font-size:13px;line-height:1.45;font-family:inherit"


@dataclass(frozen=True)
class Verdict:
    """What a page says about its question.

    Attributes:
        status: the verdict in words: "holds", "does not hold", ...
        tone: how it is coloured.
        margin: how far from the border, in words with unit; "" when there is none.
        seconds: what the computation took [s], or None when nothing was computed.
        lines: further sentences.
    """

    status: str
    tone: Tone = "plain"
    margin: str = ""
    seconds: float | None = None
    lines: Sequence[str] = field(default=())


#: What the panel says until a page's first answer is there.
COMPUTING = Verdict("computing ...", lines=("the first time on this machine kernels compile, which takes longer",))


class VerdictPanel:
    """The verdict of one browser's page, at the top of its controls.

    The panel is one element of the page, `#holdfast-verdict`. Its attributes `data-request`, `data-status` and
    `data-tone` tell scripts what is shown: an answer with the request number that the page's change was given.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._request = 0
        self._error = ""
        self._shown = Verdict("starting")
        self._handle = client.gui.add_html(html(self._shown, 0, ""))

    @property
    def shown(self) -> Verdict:
        """What the page says now."""
        return self._shown

    @property
    def request(self) -> int:
        """Number of the request that is answered by what is shown."""
        return self._request

    @property
    def error(self) -> str:
        """The error that is shown, "" when there is none."""
        return self._error

    def show(self, verdict: Verdict, request: int = 0) -> None:
        """Say what came out of `request` (0: of no request); an error shown before is taken away."""
        self._shown, self._request, self._error = verdict, request, ""
        self._send()

    def show_error(self, message: str) -> None:
        """Show an error under the last verdict, which is marked as no longer right."""
        self._error = message
        self._send()

    def _send(self) -> None:
        self._handle.content = html(self._shown, self._request, self._error)
        self._client.flush()


def html(verdict: Verdict, request: int, error: str) -> str:
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
