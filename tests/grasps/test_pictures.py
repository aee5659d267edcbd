"""Reading pictures: what a codec stores comes back as grey values, and what is no picture is refused in words."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from holdfast.errors import FileError, HoldfastError, InputError
from holdfast.grasps.pictures import LUMA, MOST_PIXELS, read_image

RAMP = np.arange(20 * 30, dtype=np.uint16).reshape(20, 30)


def test_eight_and_sixteen_bit_png_files_give_the_values_they_were_written_with(tmp_path):
    for values, full in ((RAMP.astype(np.uint8), 255), (RAMP * 100, 65535)):
        Image.fromarray(values).save(tmp_path / "p.png")
        np.testing.assert_allclose(read_image(tmp_path / "p.png"), values / full, atol=1e-12)
        np.testing.assert_allclose(read_image(str(tmp_path / "p.png")), read_image(values), atol=1e-12)


def test_colours_are_weighed_by_their_brightness(tmp_path):
    colours = np.random.default_rng(0).integers(0, 256, (12, 14, 3), dtype=np.uint8)
    Image.fromarray(colours).save(tmp_path / "p.png")
    np.testing.assert_allclose(read_image(tmp_path / "p.png"), colours / 255 @ LUMA, atol=1e-12)


def test_a_jpeg_file_is_near_what_was_written_and_turned_as_it_says(tmp_path):
    values = np.tile(np.linspace(40, 200, 32), (16, 1)).astype(np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees to be seen upright
    Image.fromarray(values).save(tmp_path / "p.jpg", quality=95, exif=exif)
    found = read_image(tmp_path / "p.jpg")
    assert found.shape == (32, 16)
    np.testing.assert_allclose(found, np.rot90(values, -1) / 255, atol=0.03)


def test_a_see_through_background_counts_by_its_opacity(tmp_path):
    values = np.full((16, 16, 4), 255, dtype=np.uint8)  # a white part on see-through white
    values[..., 3] = 0
    values[4:12, 4:12, 3] = 255
    Image.fromarray(values).save(tmp_path / "p.png")
    found = read_image(tmp_path / "p.png")
    assert found[8, 8] == 1.0
    assert found[0, 0] == 0.0
    opaque = np.concatenate([values[..., :3] // 2, np.full((16, 16, 1), 255, dtype=np.uint8)], axis=2)
    np.testing.assert_allclose(read_image(opaque), 127 / 255, atol=1e-12)


def test_palettes_grey_with_opacity_and_one_bit_files_are_read(tmp_path):
    grey = Image.fromarray((RAMP > 300).astype(np.uint8) * 255)
    for mode in ("P", "1", "LA", "CMYK"):
        file = tmp_path / f"{mode}.{'tif' if mode == 'CMYK' else 'png'}"
        grey.convert(mode).save(file)
        np.testing.assert_allclose(read_image(file), RAMP > 300, atol=0.01)


def test_numbers_beyond_the_grey_scale_are_scaled_by_their_own_range():
    np.testing.assert_allclose(read_image(RAMP.astype(float) - 50), RAMP / RAMP.max())
    assert np.all(read_image(np.full((9, 9), 7.0)) == 0.5)
    np.testing.assert_array_equal(read_image(RAMP > 300), RAMP > 300)
    within = np.linspace(0.2, 0.4, 100).reshape(10, 10)
    np.testing.assert_array_equal(read_image(within[:, :, None]), within)


@pytest.mark.parametrize(
    "bad, words",
    [
        (np.zeros((0, 5)), "empty"),
        (np.zeros(9), "shape"),
        (np.zeros((9, 9, 2)), "shape"),
        (np.zeros((3, 50)), "pixels"),
        (np.full((9, 9), "a"), "str"),
        (np.full((9, 9), 1j), "complex"),
        ([[1, 2], [3]], "not an array"),
        (np.where(np.eye(9) > 0, np.nan, 0.5), "nan"),
        (np.where(np.eye(9) > 0, np.inf, 0.5), "inf"),
    ],
)
def test_arrays_that_are_no_pictures_are_refused_in_words(bad, words):
    with pytest.raises(InputError, match=words) as error:
        read_image(bad)
    assert error.value.fix


def test_a_nan_is_found_where_it_stands():
    grey = np.full((9, 12), 0.5)
    grey[4, 7] = np.nan
    with pytest.raises(InputError) as error:
        read_image(grey)
    assert error.value.where == "image[4, 7]"


def test_every_truncation_of_a_file_is_a_clear_error(tmp_path):
    noisy = np.random.default_rng(1).integers(0, 256, (40, 40), dtype=np.uint8)
    for name in ("p.png", "p.jpg", "p.bmp"):
        Image.fromarray(noisy).save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for share in (0.0, 0.01, 0.1, 0.5, 0.9):
            (tmp_path / "cut").write_bytes(whole[: int(share * len(whole))])
            with pytest.raises(FileError) as error:
                read_image(tmp_path / "cut")
            assert error.value.path == tmp_path / "cut"
            assert error.value.fix


def test_files_that_are_missing_folders_or_text_are_clear_errors(tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    for path in (tmp_path / "none.png", tmp_path, tmp_path / "text.png"):
        with pytest.raises(FileError):
            read_image(path)


def test_a_huge_picture_is_refused_before_it_fills_the_memory(tmp_path):
    side = int(np.sqrt(MOST_PIXELS)) + 1
    Image.new("1", (side, side)).save(tmp_path / "p.png")
    with pytest.raises(HoldfastError, match="pixels"):
        read_image(tmp_path / "p.png")


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_unsigned_zeros_and_ones_are_a_mask(kind, tmp_path):
    mask = (RAMP > 300).astype(kind)
    np.testing.assert_array_equal(read_image(mask), mask)
    np.testing.assert_allclose(read_image(np.repeat(mask[:, :, None], 3, axis=2)), mask, atol=1e-12)
    Image.fromarray(mask).save(tmp_path / "p.png")
    np.testing.assert_array_equal(read_image(tmp_path / "p.png"), mask)


@pytest.mark.parametrize(
    "part, table", [((255, 0, 0), (0, 130, 0)), ((0, 0, 255), (97, 0, 0)), ((0, 99, 0), (0, 0, 255))]
)
def test_colours_as_bright_as_each_other_are_told_apart(part, table):
    inside = np.hypot(*np.mgrid[-30:30, -40:40]) < 20
    colours = np.where(inside[:, :, None], part, table).astype(np.uint8)
    grey = read_image(colours)
    assert abs(grey[inside].mean() - grey[~inside].mean()) > 0.35
    assert abs((np.subtract(part, table) / 255) @ LUMA) < 0.13
