"""Make the pictures of docs/viewer.md: the pages of the viewer in a real Chromium, with controls moved as a user does.

Run from the repository root: python -m tools.make_viewer_pictures [name ...]
Without names all pictures are made. Solve times in them differ from run to run.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.viewer.browser import Tab, launched
from benchmarks.viewer.serving import serving

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "viewer"

#: Width and height [px], and the colours a picture is kept with.
SIZE, COLOURS = (1200, 720), 200

#: How long pictures are given to settle: the last answer, the camera, the animation [ms].
SETTLE = 3000


def _letting_go(tab: Tab) -> None:
    tab.says("Illustrative")  # the last line of the panel: what is below it stays in its place from here on
    tab.drag("Gravity tilt [deg]", 0.95)


def _two_surfaces(tab: Tab) -> None:
    before = tab.shown().request
    tab.choose("Configuration", "four-finger hand (4FH opposed)")
    before = tab.answered(before).request
    tab.choose("Beside it", "four-finger hand (4FH parallel)")
    tab.answered(before)


def _half_the_cups(tab: Tab) -> None:
    before = tab.shown().request
    tab.drag("Load factor", 0.58)
    tab.answered(before)


def _load_on_the_haunch(tab: Tab) -> None:
    before = tab.shown().request
    tab.choose("Load of the scene", "haunch")
    before = tab.answered(before).request
    tab.choose("What grows", "load of the scene")
    tab.answered(before)
    tab.page.mouse.move(1000, 500)
    tab.page.mouse.wheel(0, -10_000)  # back to the verdict


def _box_on_its_back(tab: Tab) -> None:
    before = tab.shown().request
    tab.choose("Load", "box on its back")
    before = tab.answered(before).request
    tab.drag("COM x [m]", 0.6)
    tab.answered(before)


def _person_on_the_ladder(tab: Tab) -> None:
    before = tab.shown().request
    tab.drag("Load y [N]", 0.15)
    before = tab.answered(before).request
    tab.drag("Load at x [m]", 0.62)
    before = tab.answered(before).request
    tab.drag("Load at y [m]", 0.66)
    tab.answered(before)


def _nothing(tab: Tab) -> None:
    """The page as it opens."""


#: Name of each picture, the line of the menu, and what is done there.
PICTURES: dict[str, tuple[str, Callable[[Tab], None]]] = {
    "contacts": ("Contacts: Four-finger hand, opposed (4FH)", _nothing),
    "letting_go": ("Contacts: Four-finger hand, parallel (4FH)", _letting_go),
    "several_bodies": ("Several bodies: Arch of nine stones", _load_on_the_haunch),
    "wrench_space": ("Wrench spaces: Slices and level lines", _two_surfaces),
    "load_sharing": ("Load sharing: Plate under twelve suction cups", _half_the_cups),
    "stability": ("Stability: Peg jammed between two walls", _nothing),
    "robot": ("Climber: Quadruped on its feet", _box_on_its_back),
    "snake": ("Planar: Snake of three links", _nothing),
    "planar_body": ("Planar: Body on three points", _nothing),
    "planar_load": ("Planar: Ladder at a wall", _person_on_the_ladder),
    "grasps": ("Grasps: Ranked grasps of a part", _nothing),
}


def save(tab: Tab, path: Path) -> None:
    """The window as a PNG with few colours."""
    from PIL import Image

    shot = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    shot.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main(names: list[str]) -> None:
    """Make the pictures."""
    with serving() as viewer, launched() as browser:
        for name in names or PICTURES:
            page, act = PICTURES[name]
            tab = Tab(browser, viewer.url, SIZE)
            tab.answered()
            tab.dismiss_notices()
            if page != next(iter(PICTURES.values()))[0]:
                tab.go(page)
            act(tab)
            tab.page.mouse.move(10, 10)
            tab.page.wait_for_timeout(SETTLE)
            tab.says("request")
            save(tab, FOLDER / f"{name}.png")
            tab.close()


if __name__ == "__main__":
    main(sys.argv[1:])
