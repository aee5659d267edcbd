"""Reading pictures: what a codec stores comes back as grey values, and what is no picture is refused in words.

Thresholds against brute force, contours of noisy pictures against the shapes.

Finding the object: known shapes among noise and others, and every picture without a usable object refused.
"""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from holdfast.errors import FileError, HoldfastError, InputError, UnknownNameError
from holdfast.grasps.contours import contains
from holdfast.grasps.parts import LINES, coverage, example_part
from holdfast.grasps.pictures import LUMA, MOST_PIXELS, between_classes, read_image
from holdfast.grasps.segmentation import LEAST_SEPARATION, otsu, segment, trace
from tests.grasps.drawn_shapes import coverage as cover
from tests.grasps.drawn_shapes import disc, rectangle, regular
from tests.nightly import nightly_after

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


def test_a_rectangle_between_pixels_covers_each_by_its_share():
    corners = np.array([[-1.25, -0.5], [0.75, -0.5], [0.75, 0.5], [-1.25, 0.5]])
    found = coverage([corners], (3, 5), 1.0)
    expected = np.zeros((3, 5))
    expected[1] = [0.0, 0.75, 1.0, 0.25, 0.0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_rows_run_down_while_y_points_up():
    corners = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, 1.5], [-0.5, 1.5]])
    np.testing.assert_allclose(coverage([corners], (3, 3), 1.0), [[0, 1, 0], [0, 0, 0], [0, 0, 0]], atol=1e-12)


@pytest.mark.parametrize("name", ["bracket", "gear"])
def test_every_pixel_is_covered_as_brute_force_counts_it(name):
    part = example_part(name).turned(0.3)
    scale, fine = 4.0, 12
    shape = (34, 36)
    found = coverage(part.outlines, shape, scale)
    offset = (np.arange(fine) + 0.5) / fine - 0.5
    columns = ((np.arange(shape[1])[:, None] + offset).ravel() - 0.5 * (shape[1] - 1)) * scale
    rows = (0.5 * (shape[0] - 1) - (np.arange(shape[0])[:, None] + offset).ravel()) * scale
    x, y = np.meshgrid(columns, rows)
    points = np.stack([x, y], axis=-1)
    inside = np.array([np.logical_xor.reduce([contains(ring, row) for ring in part.outlines]) for row in points])
    counted = inside.reshape(shape[0], fine, shape[1], fine).mean(axis=(1, 3))
    assert np.abs(found - counted).max() <= 1.0 / fine + 1.0 / LINES
    assert np.abs(found - counted).mean() < 0.004


def test_what_reaches_out_of_the_picture_is_cut_off_and_not_folded_back():
    corners = 100.0 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(coverage([corners], (4, 7), 1.0), 1.0)
    np.testing.assert_allclose(coverage([corners + [150.0, 0.0]], (4, 7), 1.0), 0.0)


SCALE = 0.5


def test_otsu_finds_the_threshold_of_brute_force():
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(0.3, 0.05, 3000), rng.normal(0.7, 0.08, 1000)]).astype(np.float32)
    level, separation = otsu(values.reshape(40, 100))
    tried = np.linspace(values.min(), values.max(), 700)[1:-1]
    between = []
    for t in tried:
        below, above = values[values < t], values[values >= t]
        between.append(len(below) * len(above) * (above.mean() - below.mean()) ** 2)
    assert level == pytest.approx(tried[int(np.argmax(between))], abs=0.01)
    assert separation == pytest.approx(0.4 / np.sqrt(0.75 * 0.05**2 + 0.25 * 0.08**2), rel=0.1)


def test_strong_noise_is_blurred_away():
    shape, rng = rectangle(60, 30), np.random.default_rng(7)
    for noise, within in ((0.05, 0.3), (0.2, 0.6)):
        grey = shape.drawn(size=(160, 170)) + noise * rng.normal(size=(160, 170))
        contour = trace(segment(grey, mm_per_px=SCALE), SCALE)
        assert contour.area == pytest.approx(shape.area, rel=0.01)
        assert np.percentile(shape.distance(contour.outer), 95) < within


@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_one_class_is_not_separated_as_two_are(draw):
    rng = np.random.default_rng(9)
    values = getattr(rng, draw)(size=(200, 300)).astype(np.float32)
    # a normal variable cut at its mean: 2 sqrt(2 / pi) apart, sqrt(1 - 2 / pi) within; an even one: 1/2 and 1/sqrt(48)
    wanted = {"normal": 2 * np.sqrt(2 / np.pi) / np.sqrt(1 - 2 / np.pi), "uniform": 0.5 * np.sqrt(48)}[draw]
    assert otsu(values)[1] == pytest.approx(wanted, rel=0.02)
    assert wanted < LEAST_SEPARATION


def test_the_variance_between_two_levels_is_that_of_its_closed_form():
    values = np.repeat([0.2, 0.9], [300, 700])
    assert between_classes(values) == pytest.approx(0.3 * 0.7 * 0.7**2, rel=0.01)
    assert between_classes(np.full(9, 0.4)) == 0.0


def two_discs(x, y):
    return ((x + 25) ** 2 + (y - 4) ** 2 < 24**2) | ((x - 35) ** 2 + (y + 3) ** 2 < 14**2)


def test_dark_and_bright_objects_are_told_apart_by_the_pictures_edge():
    grey = disc(20).drawn(size=(120, 120))
    assert segment(grey).polarity == "dark"
    assert segment(1.0 - grey).polarity == "bright"
    a, b = trace(segment(grey), SCALE), trace(segment(1.0 - grey), SCALE)
    np.testing.assert_allclose(a.outer, b.outer, atol=1e-4)


def test_a_wrong_polarity_asks_for_the_background_which_touches_the_border():
    grey = disc(20).drawn(size=(120, 120))
    assert segment(grey, "dark").polarity == "dark"
    with pytest.raises(InputError, match="touches the picture's border"):
        segment(grey, "bright")
    with pytest.raises(UnknownNameError) as error:
        segment(grey, "drak")
    assert error.value.nearest == "dark"


def test_objects_are_listed_largest_first_and_taken_by_index_or_by_a_point():
    grey = 0.9 - 0.6 * cover(two_discs, SCALE, (140, 240))
    for options, radius, centre in (
        ({}, 24, (-25, 4)),
        ({"index": 1}, 14, (35, -3)),
        ({"pick": (36, -8)}, 14, (35, -3)),
        ({"pick": (-30, 0), "index": 1}, 24, (-25, 4)),
    ):
        found = segment(grey, mm_per_px=SCALE, **options)
        contour = trace(found, SCALE)
        assert contour.area == pytest.approx(np.pi * radius**2, rel=5e-4)
        np.testing.assert_allclose(contour.centroid, centre, atol=0.02)
        listed = found.components
        assert [c.touches_border for c in listed] == [False, False]
        assert [c.area for c in listed] == pytest.approx([np.pi * 24**2, np.pi * 14**2], rel=0.01)
        np.testing.assert_allclose(listed[1].centre, (35, -3), atol=0.05)


@pytest.mark.parametrize("options", [{"index": 2}, {"pick": (5.0, 30.0)}])
def test_asking_for_an_object_that_is_not_there_lists_those_that_are(options):
    grey = 0.9 - 0.6 * cover(two_discs, SCALE, (140, 240))
    with pytest.raises(InputError) as error:
        segment(grey, mm_per_px=SCALE, **options)
    assert "(-25, 4)" in error.value.fix
    assert "(35, -3)" in error.value.fix


def test_a_point_in_a_hole_picks_the_object_around_it():
    def rings(x, y):
        r = np.hypot(x + 25, y)
        return ((r < 24) & (r > 10)) | (np.hypot(x - 35, y) < 12)

    grey = 0.9 - 0.6 * cover(rings, SCALE, (140, 240))
    found = segment(grey, pick=(-25, 0), mm_per_px=SCALE)
    assert found.chosen == 0
    assert len(trace(found, SCALE).holes) == 1


def test_holes_are_taken_off_the_area_and_specks_are_not_holes():
    def plate(x, y):
        return (abs(x) < 40) & (abs(y) < 30) & (np.hypot(x - 15, y) > 9) & (np.hypot(x + 15, y - 5) > 6)

    grey = 0.9 - 0.6 * cover(plate, SCALE, (160, 200))
    grey[60, 70] = 0.9  # one bright pixel
    contour = trace(segment(grey), SCALE)
    assert len(contour.holes) == 2
    assert contour.area == pytest.approx(80 * 60 - np.pi * (81 + 36), rel=5e-4)


def test_the_border_cutting_an_object_is_an_error_that_says_so():
    grey = disc(20).moved(25, 0).drawn(size=(120, 240))
    segment(grey[:, 120:220], mm_per_px=SCALE)
    for cut in (grey[:, :180], grey[:, 150:], grey[40:], grey[:80]):
        with pytest.raises(InputError, match="touches the picture's border") as error:
            segment(cut, mm_per_px=SCALE)
        assert error.value.fix


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["flat", "Gaussian", "even", "ramp", "faint noise"])
def test_pictures_without_an_object_are_refused(kind, seed):
    rng = np.random.default_rng(seed)
    grey = {
        "flat": np.full((90, 110), 0.3 * seed),
        "Gaussian": 0.5 + 0.1 * rng.normal(size=(90, 110)),
        "even": rng.uniform(size=(90, 110)),
        "ramp": np.linspace(0, 1, 110)[None, :] * np.ones((90, 1)),
        "faint noise": disc(12).drawn(size=(90, 110), dark=0.5, bright=0.505) + 0.008 * rng.normal(size=(90, 110)),
    }[kind]
    with pytest.raises(InputError, match="no object"):
        segment(grey)


def test_objects_smaller_than_a_fingertip_do_not_count_and_scale_decides():
    grey = disc(3).drawn(size=(80, 80))
    with pytest.raises(InputError, match="fingertip"):
        segment(grey, mm_per_px=0.5)
    assert segment(grey, mm_per_px=1.5).chosen == 0
    assert segment(grey, mm_per_px=0.5, fingertip=4.0).chosen == 0


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, 1e-6, 1e4, "a", None])
def test_scales_no_camera_has_are_refused_by_name(scale):
    with pytest.raises(InputError) as error:
        segment(disc(12).drawn(size=(80, 80)), mm_per_px=scale)
    assert error.value.where == "mm_per_px"


@pytest.mark.parametrize("bad", [np.zeros((0, 0)), np.zeros(5), np.full((20, 20), np.nan), np.full((9, 9), "a")])
def test_arrays_that_are_no_grey_values_are_refused(bad):
    with pytest.raises(InputError):
        segment(bad)


@pytest.mark.parametrize("shape", [regular(6, 30.0), rectangle(60, 30)])
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_noise_moves_the_border_by_fractions_of_a_pixel(shape, noise):
    grey = shape.drawn(size=(160, 170)) + noise * np.random.default_rng(5).normal(size=(160, 170))
    contour = trace(segment(grey, mm_per_px=SCALE), SCALE)
    assert contour.area == pytest.approx(shape.area, rel=2e-3 if noise < 0.05 else 5e-3)
    assert np.percentile(shape.distance(contour.outer), 95) < (0.1 if noise < 0.05 else 0.3)


@pytest.mark.parametrize(
    "values", [(0.5, 0.505), (0.0, 1.0 / 255.0), (100.0 / 255.0, 104.0 / 255.0), (0.5, 0.5 + 1e-6), (1e-9, 0.0)]
)
def test_faint_pictures_without_noise_show_what_strong_ones_show(values):
    strong = disc(20).drawn(dark=0.0, bright=1.0)
    faint = values[0] + (values[1] - values[0]) * strong
    wanted = trace(segment(strong, mm_per_px=SCALE), SCALE).area
    assert trace(segment(faint, mm_per_px=SCALE), SCALE).area == pytest.approx(wanted, rel=1e-4)


def test_a_contrast_above_the_noise_is_enough():
    rng = np.random.default_rng(2)
    steps = np.round(100.0 + 4.0 * disc(20).drawn(dark=0.0, bright=1.0) + 2.0 * rng.normal(size=(260, 280))) / 255.0
    assert trace(segment(steps, mm_per_px=SCALE), SCALE).area == pytest.approx(np.pi * 400.0, rel=0.02)


# -- pictures from outside: size before decoding, memory, damage ---------------------------------------


def measured(path: Path) -> tuple[str, int, float]:
    """(what `read_workpiece` says, peak of memory [bytes], CPU time [s]) in a process of its own."""
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from holdfast.errors import HoldfastError\n"
        "from holdfast.grasps.contour_files import read_workpiece\n"
        "start = time.process_time()\n"
        "try: print(read_workpiece(sys.argv[1], mm_per_px=0.5).contour.area)\n"
        "except HoldfastError as error: print(error)\n"
        "peak = Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0]\n"
        "print(1024 * int(peak), time.process_time() - start)\n"
    )
    found = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    said, figures = found.stdout.splitlines()
    peak, seconds = figures.split()
    return said, int(peak), float(seconds)


def bomb(path: Path, side: int, lines: int) -> None:
    """A PNG of side x side opaque pixels, all the same, whose data are `lines` lines."""
    packer = zlib.compressobj(1)
    data = b"".join([*(packer.compress(bytes(4 * side + 1)) for _ in range(lines)), packer.flush()])
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", data), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(d)) + name + d + struct.pack(">I", zlib.crc32(name + d)) for name, d in parts]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def test_a_bomb_is_refused_by_its_header(tmp_path: Path):
    bomb(tmp_path / "a.png", 10_000, 10_000)  # 400 MB of pixels
    assert (tmp_path / "a.png").stat().st_size < 3_000_000
    said, peak, seconds = measured(tmp_path / "a.png")
    assert "has 10000 x 10000 pixels (reduce or crop it to at most 25,000,000 pixels)" in said
    assert peak < 200_000_000 and seconds < 1.0  # of CPU


@pytest.mark.parametrize("mode", nightly_after(1, ["RGBA", "L", "RGB", "P", "CMYK", "I;16"]))
def test_the_largest_picture_takes_less_than_a_gigabyte(mode: str, tmp_path: Path):
    side = int(np.sqrt(MOST_PIXELS))
    drawn = Image.new("RGB", (side, side), (40, 120, 60))
    ImageDraw.Draw(drawn).ellipse((side // 6, side // 4, side - side // 6, side - side // 4), fill=(200, 30, 30))
    path = tmp_path / ("a.tif" if mode == "CMYK" else "a.png")
    (drawn.convert("L").convert(mode) if mode == "I;16" else drawn.convert(mode)).save(path, compress_level=1)
    said, peak, _ = measured(path)
    area = np.pi * (side / 3.0) * (side / 4.0) * 0.25
    assert float(said) == pytest.approx(area, rel=1e-3)
    assert peak < 1_000_000_000


@pytest.mark.parametrize("kind", ["AVIF", "WEBP", "PNG", "JPEG", "TIFF", "GIF", "JPEG2000"])
def test_damaged_pictures_are_read_or_refused(kind: str, tmp_path: Path):
    y, x = np.mgrid[:40, :48]
    memory = io.BytesIO()
    Image.fromarray(np.where((x - 24) ** 2 + (y - 20) ** 2 < 150, 40, 210).astype(np.uint8)).save(memory, kind)
    data, rng = memory.getvalue(), np.random.default_rng(5)
    path, refused = tmp_path / "a", 0
    for _ in range(60):
        damaged = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 20)):
            damaged[place] = int(rng.integers(256))
        path.write_bytes(damaged[: rng.integers(1, len(data) + 1)] if rng.random() < 0.3 else damaged)
        try:
            assert read_image(path).ndim == 2
        except FileError as error:
            refused += 1
            assert error.fix
        except InputError as error:  # a picture of another size
            assert "pixels" in error.what
    assert refused > 5


def test_formats_that_start_other_programs_are_not_read(tmp_path: Path):
    (tmp_path / "a.eps").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n%%EndComments\n%%EOF\n")
    with pytest.raises(FileError, match="is not a picture in a known format"):
        read_image(tmp_path / "a.eps")
