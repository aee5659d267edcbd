"""Thresholds against brute force, noise against what was added, and blurs that follow it."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.pictures import LEAST_SEPARATION, between_classes, noise_of, otsu, segment, trace
from tests.grasps.drawn_shapes import rectangle

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


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.2])
def test_the_noise_of_a_picture_is_estimated_in_spite_of_its_edges(noise):
    grey = rectangle(60, 30).drawn(size=(160, 170)) + noise * np.random.default_rng(6).normal(size=(160, 170))
    assert noise_of(grey) == pytest.approx(noise, rel=0.05, abs=1e-12)


def test_strong_noise_is_blurred_away_and_weak_noise_is_not():
    shape, rng = rectangle(60, 30), np.random.default_rng(7)
    for noise, blur, within in ((0.05, 1.0, 0.3), (0.2, 2.05, 0.6)):
        grey = shape.drawn(size=(160, 170)) + noise * rng.normal(size=(160, 170))
        found = segment(grey, mm_per_px=SCALE)
        given = segment(grey, mm_per_px=SCALE, blur=blur)
        np.testing.assert_allclose(found.half_level, given.half_level, atol=0.01)
        contour = trace(found, SCALE)
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
