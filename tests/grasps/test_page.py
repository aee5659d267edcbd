"""Planar grasps in the viewer: the same grasps as the library's, over the picture they were found in.

The page of grasps.
"""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from holdfast.errors import FileError, InputError
from holdfast.grasps import example_part, plan
from holdfast.grasps import page as page_module
from holdfast.grasps.page import (
    ENTRIES,
    MOST_PIXELS,
    OWN,
    SCALE,
    GraspsPage,
    GraspState,
    Rankings,
    Upload,
    grasp_answer,
    pixels,
    ranking_of,
    words_answer,
)
from holdfast.grasps.parts import PICTURE_SCALE
from holdfast.web.marks import Dots, Lines, Picture
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

HEXAGON = GraspState("hexagon")


def png(grey: np.ndarray) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(np.round(255.0 * grey).astype(np.uint8)).save(data, "png")
    return data.getvalue()


def test_contacts_of_the_chosen_grasp_are_drawn_where_the_plan_has_them() -> None:
    direct = plan(example_part("hexagon").picture(PICTURE_SCALE), mm_per_px=PICTURE_SCALE)
    rankings = Rankings()
    for rank in (1, 3, len(direct)):
        answer = grasp_answer(replace(HEXAGON, rank=rank), rankings)
        dots, regions = answer.drawing.marks["grasp/contacts"], answer.drawing.marks["grasp/regions"]
        assert isinstance(dots, Dots) and isinstance(regions, Lines)
        grasp = direct.grasps[rank - 1]
        assert np.allclose(SCALE * dots.points[:, [0, 2]], grasp.contacts_mm)
        assert np.allclose(SCALE * regions.points[:, :, [0, 2]], grasp.regions_mm)
        assert (
            answer.verdict.status == f"grasp {rank} of {len(direct)}" and f"Q = {grasp.Q:.3g}" in answer.verdict.margin
        )
        assert f"**{rank}**" in answer.notes


def test_the_outline_lies_on_the_part_of_the_picture() -> None:
    marks = grasp_answer(HEXAGON).drawing.marks
    picture, outline = marks["part/picture"], marks["part/outline"]
    assert isinstance(picture, Picture) and isinstance(outline, Lines)
    dark = np.argwhere(picture.pixels[:, :, 0] < 200)  # rows from the top, columns
    height, width = picture.pixels.shape[:2]
    x = (dark[:, 1] - 0.5 * (width - 1)) / width * picture.width
    z = (0.5 * (height - 1) - dark[:, 0]) / height * picture.height
    ends = outline.points.reshape(-1, 3)
    pixel = picture.width / width
    assert np.allclose([x.min(), x.max(), z.min(), z.max()],
                       [ends[:, 0].min(), ends[:, 0].max(), ends[:, 2].min(), ends[:, 2].max()], atol=pixel)  # fmt: skip


def test_an_uploaded_picture_is_planned_like_the_array() -> None:
    grey = example_part("rectangle").picture(0.4)
    state = replace(HEXAGON, upload=Upload("photo.png", png(grey)), mm_per_px=0.4)
    found, direct = ranking_of(state), plan(np.round(255.0 * grey).astype(np.uint8), mm_per_px=0.4)
    assert len(found) == len(direct) > 0
    assert np.allclose(found.grasps[0].contacts_mm, direct.grasps[0].contacts_mm)


@pytest.mark.parametrize(
    "upload",
    [
        Upload("broken.png", b"\x89PNG\r\n\x1a\n nothing"),
        Upload("empty.jpg", b""),
        Upload("notes.txt", b"hello"),
        Upload("half.png", png(example_part("hexagon").picture(0.5))[:400]),
        Upload("points.csv", b"x,y\n1,2\nthree,4\n"),
    ],
)
def test_a_bad_upload_is_told_by_its_own_name(upload: Upload) -> None:
    with pytest.raises(FileError) as caught:
        ranking_of(replace(HEXAGON, upload=upload))
    assert upload.name in str(caught.value) and "holdfast-" not in str(caught.value)


def test_a_name_with_folders_is_not_followed() -> None:
    state = replace(HEXAGON, upload=Upload("../../etc/part.png", png(example_part("hexagon").picture(0.5))))
    assert len(ranking_of(state)) > 0
    with pytest.raises(FileError, match="plain file name"):
        ranking_of(replace(HEXAGON, upload=Upload("n" * 400 + ".png", b"")))


def test_nothing_to_grasp_is_a_verdict_with_its_reason() -> None:
    answer = grasp_answer(replace(HEXAGON, part="disc", hand="parallel_jaw", mu=0.05))
    if "grasp/contacts" not in answer.drawing.marks:
        assert answer.verdict.status == "no grasp" and answer.verdict.margin
    state = replace(HEXAGON, upload=Upload("tip.csv", b"0,0\n6,0\n3,5\n"))
    small = grasp_answer(state)
    assert small.verdict.status == "no grasp" and "does not fit" in small.verdict.margin
    assert "part/outline" in small.drawing.marks and "part/picture" not in small.drawing.marks


def test_only_a_new_question_is_planned_anew() -> None:
    rankings = Rankings()
    assert rankings.of(HEXAGON) is rankings.of(replace(HEXAGON, rank=2))
    assert rankings.of(HEXAGON) is not rankings.of(replace(HEXAGON, mu=0.6))
    first, second = (grasp_answer(replace(HEXAGON, rank=k), rankings).drawing.marks["part/picture"] for k in (1, 2))
    assert isinstance(first, Picture) and isinstance(second, Picture)
    assert first.pixels is second.pixels  # so that the canvas does not send it again


def test_large_pictures_are_sent_small_and_pale() -> None:
    shown = pixels(np.zeros((1500, 900)))
    assert max(shown.shape[:2]) <= MOST_PIXELS and shown.dtype == np.uint8
    assert 100 < shown.max() == shown.min() < 200


def uploaded(visit: Visit, name: str, content: bytes) -> None:
    visit.browser.gui.controls["Upload a picture"].drag(value=SimpleNamespace(name=name, content=content))
    visit.settle()


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


def test_a_doubtful_part_is_drawn_and_taken_when_asked_for() -> None:
    from tests.grasps.photo_scenes import scene

    data = io.BytesIO()
    from PIL import Image

    Image.fromarray(scene("striped part").picture).save(data, "png")
    state = GraspState(upload=Upload("striped.png", data.getvalue()), mm_per_px=0.5)
    with pytest.raises(InputError, match="confidence in the found object") as error:
        grasp_answer(state)
    answer = words_answer(state, error.value)
    assert {"part/picture", "part/outline"} <= set(answer.drawing.marks)
    assert "low confidence" in answer.notes
    taken = grasp_answer(replace(state, any_confidence=True))
    assert "confidence 0." in taken.notes


def test_a_drawing_is_scaled_and_its_part_picked() -> None:
    text = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="60" height="40"/><rect x="100" width="30" height="30"/></svg>'
    state = GraspState(upload=Upload("plates.svg", text.encode()), pick="110, -10", width=60.0)
    assert page_module.uploaded(state).contour.area == pytest.approx(3600.0)
    assert page_module.uploaded(replace(state, pick="", width=0.0)).contour.area == pytest.approx(2400.0)
    with pytest.raises(InputError, match="Point on the part"):
        page_module.uploaded(replace(state, pick="here"))
