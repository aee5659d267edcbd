"""The session of one browser: the menu of pages, the verdict, and the open page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import HoldfastError, UnknownNameError
from ..web.page import Page, PageContext, PageEntry, Prose, Verdict, VerdictPanel
from ..web.worker import FAREWELL, LatestOnly, ticking

if TYPE_CHECKING:
    import viser

_LOG = logging.getLogger(__name__)

#: Text of the panel while a page is being opened; this takes seconds where a file has to be read.
READING = "reading ..."


class Session:
    """One browser and its page; nothing is shared with another browser.

    Args:
        server: the server, passed on to the pages.
        client: the browser.
        entries: the menu.
        first: key of the page that is opened first.
    """

    def __init__(
        self, server: viser.ViserServer, client: viser.ClientHandle, entries: Sequence[PageEntry], first: str
    ) -> None:
        self._client = client
        self._entries = {label(entry): entry for entry in entries}
        self._first = label(entry_called(first, entries))
        self._lock = threading.RLock()
        self._closed = False
        self._page: Page | None = None
        self._current = ""
        self._menu = client.gui.add_dropdown("Page", tuple(self._entries), initial_value=self._first)
        from .uploads import Uploads  # the gallery uses `label`

        hint = (
            "your own scene, planar, posture or robot file (YAML), URDF, measured limit forces (CSV), picture or "
            "contour; upload the files that it names first"
        )
        self._upload = client.gui.add_upload_button("Open a file", hint=hint)
        self._uploads = Uploads()
        self._summary = Prose(client)
        self.verdict = VerdictPanel(client)
        self.worker = LatestOnly(
            self.report, name=f"viewer client {client.client_id}", progress=partial(self._tell, "computing")
        )
        self._context = PageContext(client, server, self.verdict, self.worker, self.report)
        self._menu.on_update(lambda _: self._follow_menu())
        self._upload.on_upload(lambda _: self._take_upload())

    @property
    def page(self) -> Page | None:
        """The page that is open, or None when opening it failed."""
        return self._page

    @property
    def key(self) -> str:
        """Key of the current page, "" before the first."""
        return self._entries[self._current].key if self._current else ""

    def control(self, identifier: str) -> Any:
        """The control with this identifier; None for one of another browser, or one that was removed."""
        return self._client.gui._gui_input_handle_from_uuid.get(identifier)

    @property
    def busy(self) -> bool:
        """Whether a page is being read or answers a question, also after `close`."""
        if free := self._lock.acquire(blocking=False):
            self._lock.release()
        return self.worker.busy or not free

    def start(self) -> None:
        """Open the first page."""
        self._follow_menu()

    def switch(self, key: str) -> None:
        """Open another page, as if its line had been chosen in the menu."""
        self._menu.value = label(entry_called(key, tuple(self._entries.values())))

    def report(self, error: Exception) -> None:
        """Show an error in the page; errors that are not Holdfast's own are also logged with their traceback."""
        if self._closed:
            return
        if isinstance(error, HoldfastError):
            message = str(error)
        else:
            _LOG.error("in page %r", self.key, exc_info=error)
            message = f"internal error: {type(error).__name__}: {error}"
        self.verdict.show_error(message)

    def close(self, timeout: float = FAREWELL) -> None:
        """The browser has disconnected: drop its requests, end its thread, and let its page stop what is running.

        A page that is still being read after `timeout` seconds is left when it has been read.
        """
        self._closed = True
        self._uploads.close()
        self.worker.close(timeout)
        if self._lock.acquire(timeout=timeout):
            try:
                self._leave()
            finally:
                self._lock.release()

    def _tell(self, doing: str, seconds: float) -> None:
        """Show how long something has been running [s]; 0: it is finished."""
        if not self._closed:
            self.verdict.show_note(f"{doing}, {seconds:.0f} s ..." if seconds else "")

    def _take_upload(self) -> None:
        """Open the pages of an uploaded file; if it cannot be read, the error is shown and the page stays open."""
        file = self._upload.value
        with self._lock:
            if self._closed:
                return
            try:
                with ticking(partial(self._tell, f"reading {file.name}")):
                    pages = self._uploads.open(file.name, bytes(file.content))
            except Exception as error:  # noqa: BLE001 -- the error is shown, the session goes on
                self.report(error)
                return
            if not pages:
                self.verdict.show_note(f"{file.name} is stored; now upload the file that refers to it")
                return
            own = [replace(page, key=f"upload-{page.key}", title=f"{page.title} (uploaded)") for page in pages]
            labels = {label(page): page for page in own}
            self._entries = {**labels, **{name: page for name, page in self._entries.items() if name not in labels}}
            if self._current in labels:  # the same file again
                self._leave()
                self._current = ""
            self._menu.options = tuple(self._entries)
            self._menu.value = label(own[0])
            self._follow_menu()

    def _follow_menu(self) -> None:
        """Open the page that is chosen in the menu; if the menu changes meanwhile, the last choice counts."""
        with self._lock:
            wanted = self._menu.value
            if self._closed or wanted == self._current:
                return
            self._leave()
            self._current = wanted
            entry = self._entries[wanted]
            self._summary.content = entry.summary
            self.verdict.show(Verdict(READING, lines=(entry.title,)))
            try:
                with ticking(partial(self._tell, "reading")):
                    self._page = entry.make(self._context)
                    self._page.open()
            except Exception as error:  # noqa: BLE001 -- the error is shown, the session goes on
                self.report(error)
            if self._closed:  # meanwhile
                self._leave()

    def _leave(self) -> None:
        """Close the open page, and remove what it left in the scene."""
        self.worker.discard()
        page, self._page = self._page, None
        if page is None:
            return
        try:
            page.close()
        except Exception as error:  # noqa: BLE001 -- the error is shown, the session goes on
            self.report(error)
        if not self._closed:
            self._client.scene.reset()


def label(entry: PageEntry) -> str:
    """A page as the menu shows it: "Contacts: 2OU"."""
    return f"{entry.group}: {entry.title}"


def entry_called(key: str, entries: Sequence[PageEntry]) -> PageEntry:
    """The entry with this key; the first one for ""; an unknown key is an UnknownNameError."""
    for entry in entries:
        if not key or entry.key == key:
            return entry
    raise UnknownNameError("page", key, [entry.key for entry in entries])
