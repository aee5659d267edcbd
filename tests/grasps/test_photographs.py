"""Photographs: parts found under uneven light, in colour, among shadows and texture, or refused; known masks decide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from holdfast.errors import InputError
from holdfast.grasps.contour_files import read_workpiece
from holdfast.grasps.pictures import read_image, read_photograph
from holdfast.grasps.segmentation import LEAST_CONFIDENCE, Segmentation, segment, trace
from tests.grasps.drawn_shapes import disc
from tests.grasps.photo_scenes import SCALE, SIZE, overlap, pixels_of, scene


def found_in(picture: np.ndarray, **options: object) -> Segmentation:
    grey, colours = read_photograph(picture)
    return segment(grey, colours=colours, mm_per_px=SCALE, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "name",
    ["dark on pale", "vignette", "red on wood", "steel on wood", "equal brightness", "two colours", "two tones", "noise",
     "compressed", "soft shadow", "hard shadow"],
)  # fmt: skip
def test_parts_of_photographs_are_found_with_confidence(name):
    photo = scene(name)
    found = found_in(photo.picture)
    assert found.confidence >= LEAST_CONFIDENCE
    assert overlap(pixels_of(found), photo.mask) > 0.97
    contour = trace(found, SCALE)
    assert contour.area == pytest.approx(photo.mask.sum() * SCALE**2, rel=0.03)
    assert (found.shadow > 0.0) == ("shadow" in name)


def test_a_grey_part_darker_and_brighter_than_its_table_is_found_whole():
    photo = scene("two tones")
    grey = read_image(photo.picture)
    found = segment(grey, mm_per_px=SCALE)
    assert found.method == "background"
    assert overlap(pixels_of(found), photo.mask) > 0.97


@pytest.mark.parametrize("name", ["striped part", "hidden in gravel"])
def test_what_would_be_wrong_is_refused_and_named(name):
    with pytest.raises(InputError, match=r"confidence in the found object|no object") as error:
        found_in(scene(name).picture)
    assert error.value.fix


def test_a_doubtful_object_is_shown_when_it_is_asked_for():
    photo = scene("striped part")
    doubtful = found_in(photo.picture, least_confidence=0.0)
    assert doubtful.confidence < LEAST_CONFIDENCE
    assert "piece" in doubtful.doubt
    assert overlap(pixels_of(doubtful), photo.mask) < 0.5  # it would have been silently wrong


def test_random_textures_are_never_found_with_confidence():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        field = ndimage.gaussian_filter(rng.normal(size=(*SIZE, 3)), (1.5 + seed, 1.5 + seed, 0))
        picture = np.clip(128 + 50 * field / field.std(), 0, 255).astype(np.uint8)
        with pytest.raises(InputError):
            found_in(picture)


def test_one_see_through_pixel_does_not_hide_the_part(tmp_path):
    photo = scene("dark on pale")
    opaque = np.dstack([photo.picture, np.full(SIZE, 255, np.uint8)])
    opaque[0, 0, 3] = 0
    opaque[50, 60, 3] = 3
    assert overlap(pixels_of(found_in(opaque)), photo.mask) > 0.99
    cut_out = np.dstack([photo.picture, np.where(photo.mask, 255, 0).astype(np.uint8)])
    np.testing.assert_array_equal(read_image(cut_out) > 0.5, photo.mask)


def test_a_region_keeps_other_things_out_and_coordinates_stay():
    photo = scene("red on wood")
    picture = photo.picture.copy()
    picture[:, :14] = 255  # another, bright table
    picture[20:60, 275:310] = (40, 40, 200)
    box = (-55.0, -45.0, 55.0, 45.0)
    found = found_in(picture, roi=box)
    assert overlap(pixels_of(found), photo.mask) > 0.97
    assert len(found.components) == 1
    np.testing.assert_allclose(found.components[0].centre, (0.0, 0.0), atol=1.0)
    np.testing.assert_allclose(trace(found, SCALE).centroid, (0.0, 0.0), atol=0.5)
    turned = found_in(picture, roi=(box[2], box[1], box[0], box[3]))
    np.testing.assert_array_equal(turned.mask, found.mask)
    with pytest.raises(InputError, match="roi"):
        found_in(picture, roi=(500.0, 0.0, 600.0, 50.0))
    with pytest.raises(InputError, match="region"):
        found_in(picture, roi=box, pick=(75.0, 0.0))


def test_a_point_chooses_one_of_several_under_uneven_light():
    height, width = SIZE
    rows, columns = np.mgrid[:height, :width]
    light = 0.35 + 0.6 * columns / width
    discs = [(60, 60, 22), (70, 160, 30), (160, 110, 26), (150, 250, 34)]
    grey = light.copy()
    for row, column, radius in discs:
        grey[np.hypot(rows - row, columns - column) < radius] -= 0.25
    grey += np.random.default_rng(5).normal(0, 0.01, SIZE)
    grey = np.clip(grey, 0, 1)
    for row, column, radius in discs:
        pick = ((column - (width - 1) / 2) * SCALE, ((height - 1) / 2 - row) * SCALE)
        found = segment(grey, pick=pick, mm_per_px=SCALE)
        assert overlap(pixels_of(found), np.hypot(rows - row, columns - column) < radius) > 0.95
    largest = segment(grey, mm_per_px=SCALE)
    assert overlap(pixels_of(largest), np.hypot(rows - 150, columns - 250) < 34) > 0.95
    second = segment(grey, index=1, mm_per_px=SCALE)
    assert overlap(pixels_of(second), np.hypot(rows - 70, columns - 160) < 30) > 0.95


def test_a_wanted_width_sets_the_size_of_a_pixel():
    drawn = disc(20).drawn(scale=0.5)
    part = read_workpiece(drawn, mm_per_px=0.5, width_mm=80.0)
    assert part.mm_per_px == pytest.approx(1.0, rel=1e-3)
    assert np.ptp(part.contour.outer[:, 0]) == pytest.approx(80.0)
    assert part.contour.area == pytest.approx(np.pi * 1600, rel=2e-3)
    assert part.segmentation is not None
    assert part.segmentation.components[0].area == pytest.approx(np.pi * 1600, rel=0.01)


def test_several_objects_as_large_are_named_in_a_note():
    grey = np.full((200, 300), 0.9)
    rows, columns = np.mgrid[:200, :300]
    for column in (80, 220):
        grey[np.hypot(rows - 100, columns - column) < 40] = 0.2
    part = read_workpiece(grey)
    assert any("almost as large" in words for words in part.notes)
    assert not read_workpiece(grey, index=1).notes
    data = part.to_dict()["segmentation"]
    assert data["method"] == "brightness"
    assert len(data["objects"]) == 2
    assert "object 0 of 2" in part.summary()
