"""Planar grasps in the viewer: the same grasps as the library's, over the picture they were found in."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.grasps import example_part, plan
from holdfast.grasps.page import (
    MOST_PIXELS,
    PART_PIXEL,
    SCALE,
    GraspState,
    Rankings,
    Upload,
    grasp_answer,
    pixels,
    ranking_of,
)
from holdfast.web.marks import Dots, Lines, Picture

HEXAGON = GraspState("hexagon")


def png(grey: np.ndarray) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(np.round(255.0 * grey).astype(np.uint8)).save(data, "png")
    return data.getvalue()


def test_contacts_of_the_chosen_grasp_are_drawn_where_the_plan_has_them() -> None:
    direct = plan(example_part("hexagon").picture(PART_PIXEL), mm_per_px=PART_PIXEL)
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
    with pytest.raises(FileError, match="plain name"):
        ranking_of(replace(HEXAGON, upload=Upload("n" * 400 + ".png", b"")))


def test_nothing_to_grasp_is_a_verdict_with_its_reason() -> None:
    answer = grasp_answer(replace(HEXAGON, part="disc", hand="parallel_jaw", mu=0.05))
    if "grasp/contacts" not in answer.drawing.marks:
        assert answer.verdict.status == "no grasp" and answer.verdict.margin
    state = replace(HEXAGON, upload=Upload("tip.csv", b"0,0\n6,0\n3,5\n"))
    small = grasp_answer(state)
    assert small.verdict.status == "no grasp" and "region" in small.verdict.margin
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
