"""The page of grasps."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest

from holdfast.grasps import example_part, plan
from holdfast.grasps import page as page_module
from holdfast.grasps.page import ENTRIES, OWN, GraspsPage
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


def uploaded(visit: Visit, name: str, content: bytes) -> None:
    visit.browser.gui.controls["Upload a picture"].drag(value=SimpleNamespace(name=name, content=content))
    visit.settle()


def png(grey: np.ndarray) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(np.round(255.0 * grey).astype(np.uint8)).save(data, "png")
    return data.getvalue()


def test_parts_ranks_and_uploads_are_shown_as_planned() -> None:
    with Visit(GraspsPage) as visit:
        visit.drag("Part", "hexagon")
        count = len(plan(example_part("hexagon").picture(0.5), mm_per_px=0.5))
        assert visit.verdict.shown.status == f"grasp 1 of {count}"
        visit.drag("Rank", 4)
        assert visit.verdict.shown.status == f"grasp 4 of {count}"
        assert not visit.browser.gui.controls["mm per pixel"].visible
        grey = example_part("rectangle").picture(0.5)
        uploaded(visit, "photo.png", png(grey))
        direct = plan(np.round(255.0 * grey).astype(np.uint8), mm_per_px=0.5)
        assert visit.verdict.shown.status == f"grasp 1 of {len(direct)}" and "part/picture" in visit.names
        assert visit.browser.gui.controls["Part"].value == OWN
        assert visit.browser.gui.controls["mm per pixel"].visible
        assert not visit.errors
        visit.drag("Part", "hexagon")  # the upload stays in the menu
        assert visit.verdict.shown.status == f"grasp 1 of {count}"
        assert_leaves_nothing_behind(visit)


def test_a_bad_upload_is_told_and_the_page_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with Visit(GraspsPage) as visit:
        uploaded(visit, "broken.png", b"\x89PNG")
        (error,) = visit.errors
        assert str(error).startswith("broken.png")
        menu = visit.browser.gui.controls["Part"]
        assert menu.value == "trefoil" and OWN not in menu.options  # as is still drawn
        assert visit.verdict.shown.status.startswith("grasp 1 of")
        visit.drag("Friction", 0.5)
        assert len(visit.errors) == 1
        uploaded(visit, "photo.png", png(example_part("rectangle").picture(0.5)))
        uploaded(visit, "broken.png", b"\x89PNG")
        assert menu.value == OWN and len(visit.errors) == 2
        visit.drag("Friction", 0.4)  # of the picture that is still drawn
        assert len(visit.errors) == 2 and visit.verdict.shown.status.startswith("grasp 1 of")
        visit.errors.clear()
        visit.errors.append(error)
        monkeypatch.setattr(page_module, "MOST_BYTES", 10)
        uploaded(visit, "huge.png", bytes(11))
        assert len(visit.errors) == 2 and "MB" in str(visit.errors[1])
        visit.drag("Part", "hexagon")
        assert visit.verdict.shown.status.startswith("grasp 1 of")


def test_a_picture_without_a_part_is_told_in_the_place_of_another_parts_grasps() -> None:
    with Visit(GraspsPage) as visit:
        uploaded(visit, "blank.png", png(np.full((60, 80), 0.5)))
        assert not visit.errors and visit.verdict.shown.status == "no part found"
        assert "shows no object" in visit.verdict.shown.margin and not visit.names
        assert visit.browser.gui.controls["Part is"].visible  # where it can be mended


def test_the_entry_is_in_its_part_of_the_menu() -> None:
    assert [(entry.key, entry.group) for entry in ENTRIES] == [("grasps", "Grasps")]
