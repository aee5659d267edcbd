"""Finding the object: known shapes among noise and others, and every picture without a usable object refused."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.grasps.pictures import segment, trace
from tests.grasps.drawn_shapes import coverage, disc, rectangle, regular

SCALE = 0.5


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
    grey = 0.9 - 0.6 * coverage(two_discs, SCALE, (140, 240))
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


@pytest.mark.parametrize("options", [{"index": 2}, {"pick": (5.0, 30.0)}, {"pick": (900.0, 0.0)}])
def test_asking_for_an_object_that_is_not_there_lists_those_that_are(options):
    grey = 0.9 - 0.6 * coverage(two_discs, SCALE, (140, 240))
    with pytest.raises(InputError) as error:
        segment(grey, mm_per_px=SCALE, **options)
    assert "(-25, 4)" in error.value.fix
    assert "(35, -3)" in error.value.fix


def test_a_point_in_a_hole_picks_the_object_around_it():
    def rings(x, y):
        r = np.hypot(x + 25, y)
        return ((r < 24) & (r > 10)) | (np.hypot(x - 35, y) < 12)

    grey = 0.9 - 0.6 * coverage(rings, SCALE, (140, 240))
    found = segment(grey, pick=(-25, 0), mm_per_px=SCALE)
    assert found.chosen == 0
    assert len(found.starts) == 2


def test_holes_are_taken_off_the_area_and_specks_are_not_holes():
    def plate(x, y):
        return (abs(x) < 40) & (abs(y) < 30) & (np.hypot(x - 15, y) > 9) & (np.hypot(x + 15, y - 5) > 6)

    grey = 0.9 - 0.6 * coverage(plate, SCALE, (160, 200))
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
