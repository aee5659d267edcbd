"""A real Chromium before the viewer: finds it, starts it, and moves what a hand would move.

The tests, the benchmarks and the pictures of the documentation all drive the page through `Tab`.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from holdfast.checks import Array

#: Names under which systems know it, in the order in which they are looked for.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: Drawing by the processor, so that a machine without a graphics card shows the same as any other.
FLAGS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader")

#: Why there is no browser, for tests that are skipped then.
NO_CHROMIUM = "no Chromium: install Debian's `chromium`, or name one by HOLDFAST_CHROMIUM (see README.md)"

#: Element with the verdict, and how long one is waited for [ms]: the first one may have to compile.
PANEL, PATIENCE = "#holdfast-verdict", 180_000

#: How often a slider is taken, and how near the wanted share of its track it must come.
TRIES, NEAR = 5, 0.1

#: Width and height of a window [px].
SIZE = (1000, 640)

#: Where a request may go.
HERE = ("localhost", "127.0.0.1", "::1")


def chromium() -> str | None:
    """Path of the browser: what HOLDFAST_CHROMIUM names, else the first of `NAMES` there is; None without any."""
    named = os.environ.get("HOLDFAST_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path is not None), None)


@contextmanager
def launched(*flags: str) -> Iterator[Any]:
    """A running Chromium without a window, with further flags, closed in the end; a RuntimeError when there is none."""
    path = chromium()
    if path is None:
        raise RuntimeError(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Shown:
    """What the verdict panel of a page says.

    Attributes:
        request: number of the request it answers; 0 for none.
        status, tone, error: of the panel; "" without an error.
        text: all its words.
        margin: the line of the margin, "" without one.
    """

    request: int
    status: str
    tone: str
    error: str
    text: str
    margin: str


class Tab:
    """One browser window, with its own connection to the server.

    Args:
        browser: a running Chromium.
        url: of the viewer.
        size: width and height [px].
        scale: pixels of a picture for one of the page.
    """

    def __init__(self, browser: Any, url: str, size: tuple[int, int] = SIZE, scale: float = 1.0) -> None:
        self._context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale, reduced_motion="reduce"
        )
        self.page: Any = self._context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)
        self.page.wait_for_selector(PANEL, timeout=PATIENCE)

    @property
    def strangers(self) -> list[str]:
        """Addresses off this machine that the page asked for; none is right."""
        return [
            url
            for url in self.requests
            if not url.startswith(("data:", "blob:")) and urlsplit(url).hostname not in HERE
        ]

    def close(self) -> None:
        """Close the window, as a user does: without a word to the page."""
        self._context.close()

    # -- reading --------------------------------------------------------------------------------------

    def shown(self) -> Shown:
        """The verdict panel as it is now."""
        read = self.page.evaluate(
            f"""() => {{ const e = document.querySelector('{PANEL}');
                return {{...e.dataset, text: e.innerText,
                         margin: e.querySelector('.holdfast-margin')?.innerText ?? ''}} }}"""
        )
        return Shown(int(read["request"]), read["status"], read["tone"], read["error"], read["text"], read["margin"])

    def answered(self, after: int = 0) -> Shown:
        """The panel once it answers a request with a number above `after`."""
        claim = f"Number(document.querySelector('{PANEL}')?.dataset.request) > {after}"
        self.page.wait_for_function(claim, timeout=PATIENCE, polling=20)
        return self.shown()

    def says(self, words: str) -> Shown:
        """The panel once it contains some words."""
        claim = f"document.querySelector('{PANEL}')?.textContent.includes({words!r})"
        self.page.wait_for_function(claim, timeout=PATIENCE, polling=20)
        return self.shown()

    def values(self) -> dict[str, float]:
        """Where each slider stands, by its label."""
        return self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('[role=slider]')].map(thumb => {
                const root = thumb.closest('.mantine-Slider-root');
                return [document.querySelector(`label[for="${root.id}"]`).innerText,
                        Number(thumb.getAttribute('aria-valuenow'))] }))"""
        )

    def picture(self) -> Array:
        """(h, w, 3) what the scene looks like, without the controls, 0 to 255."""
        from PIL import Image

        canvas = self.page.locator("canvas").first.bounding_box()
        right = self.page.locator(PANEL).bounding_box()["x"] - 16
        clip = {**canvas, "width": min(canvas["width"], right - canvas["x"])}
        shot = io.BytesIO(self.page.screenshot(clip=clip, animations="disabled"))
        return np.asarray(Image.open(shot).convert("RGB")).astype(float)

    # -- moving ---------------------------------------------------------------------------------------

    def slider(self, label: str) -> Any:
        """The thumb of the slider with this label."""
        return self.page.locator(f'[id="{self._named(label)}"] [role=slider]')

    def press(self, label: str, *keys: str) -> None:
        """Move a slider by keys: "ArrowRight", "End", ..."""
        self.slider(label).focus()
        for key in keys:
            self.page.keyboard.press(key)

    def rest(self) -> None:
        """Wait until the page has sent the last movement: it sends one every 50 ms, the newest of all its controls.

        A hand needs longer from one slider to the next; a program that does not would lose a movement.
        """
        self.page.evaluate("() => new Promise(done => setTimeout(done, 60))")

    def drag(self, label: str, share: float, moves: int = 12) -> None:
        """Take a slider by its thumb and draw it to a share of its track, in so many moves of the hand.

        An answer that arrives meanwhile may lengthen the panel and push the slider from under the hand, which then
        takes it again, as a user does.
        """
        for _ in range(TRIES):
            thumb = self.slider(label).bounding_box()
            track = self.page.locator(f'[id="{self._named(label)}"]').bounding_box()
            hand = self.page.mouse
            y = thumb["y"] + 0.5 * thumb["height"]
            hand.move(thumb["x"] + 0.5 * thumb["width"], y)
            hand.down()
            hand.move(track["x"] + share * track["width"], y, steps=moves)
            hand.up()
            self.rest()
            reached = self.slider(label).evaluate(
                "e => (e.ariaValueNow - e.ariaValueMin) / (e.ariaValueMax - e.ariaValueMin)"
            )
            if abs(reached - share) < NEAR:
                return
        raise RuntimeError(f"slider {label!r} stays at {reached:.2f} of its track, {share:.2f} was wanted")

    def choose(self, label: str, option: str) -> None:
        """Choose a line of a menu."""
        self.page.locator(f'[id="{self._named(label)}"]').click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def go(self, page: str) -> Shown:
        """Choose a page of the gallery by its line; the panel once its first question is answered."""
        if self.page.locator(f'[id="{self._named("Page")}"]').input_value() == page:
            return self.answered()
        before = self.shown().request
        self.choose("Page", page)
        return self.answered(before)

    def options(self, label: str) -> list[str]:
        """The lines of a menu."""
        menu = self.page.locator(f'[id="{self._named(label)}"]')
        menu.click()
        lines = self.page.get_by_role("option").all_inner_texts()
        self.page.keyboard.press("Escape")
        return lines

    def dismiss_notices(self) -> None:
        """Close what lies over the picture: that drawing goes without a graphics card."""
        for button in self.page.locator(".mantine-Notification-closeButton").all():
            button.click()

    def upload(self, button: str, name: str, content: bytes) -> None:
        """Give a file to an upload button."""
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name=button).click()
        chooser.value.set_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})

    def _named(self, label: str) -> str:
        """Identifier of the control with this label."""
        found = self.page.locator("label", has_text=label).first
        return found.get_attribute("for")


def colours(picture: Array) -> int:
    """How many different colours a picture has; a blank one has a single one."""
    return len(np.unique(picture.reshape(-1, 3), axis=0))


def changed(before: Array, after: Array) -> float:
    """Share of the pixels that differ visibly between two pictures of the same size."""
    return float(np.mean(np.abs(before - after).max(axis=2) > 8.0))
