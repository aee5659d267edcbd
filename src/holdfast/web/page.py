"""What a page of the viewer is: something that adds controls and a picture to one browser, and takes them away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import viser

    from .latest import LatestOnly
    from .verdict import VerdictPanel

#: The parts of the menu, in order.
GROUPS = ("Contacts", "Wrench spaces", "Climber", "Planar", "Grasps")

Group = Literal["Contacts", "Wrench spaces", "Climber", "Planar", "Grasps"]


class Page(Protocol):
    """One visit of one browser to one page."""

    title: str

    def open(self) -> None:
        """Add controls and scene nodes to the client, and ask the first question."""
        ...

    def close(self) -> None:
        """Remove everything that was added; no answer is shown any more when this is called."""
        ...


@dataclass(frozen=True)
class PageContext:
    """What a page has to work with.

    Attributes:
        client: the browser; everything a page adds goes to `client.gui` and `client.scene`, which are its own.
        server: the server; for what all browsers share, which pages leave alone.
        verdict: where the page says what came out.
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
        key: short and unique, "4fh-opposed", say.
        title: as the menu shows it.
        group: the part of the menu.
        summary: one sentence, shown under the menu.
        make: the page for one browser.
    """

    key: str
    title: str
    group: Group
    summary: str
    make: Callable[[PageContext], Page]
