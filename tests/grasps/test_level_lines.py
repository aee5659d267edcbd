"""The blur against its convolution written out, and histograms against numpy's.

Walks around labelled pixels: every border once, the object on the left, points on the level.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from holdfast.grasps.level_lines import PIXEL_SPREAD, blur_weights, blurred, traced_ring
from holdfast.grasps.pictures import histogram


@pytest.mark.parametrize("sigma", [0.6, 1.0, 2.5])
@pytest.mark.parametrize("shape", [(20, 31), (3, 40), (17, 5)])
def test_the_blur_is_a_gaussian_less_its_laplacian(sigma, shape):
    picture = np.random.default_rng(0).uniform(size=shape)
    weights = blur_weights(sigma).astype(float)
    smooth = ndimage.correlate(picture, np.outer(weights, weights), mode="nearest")
    laplace = np.array([[1, 4, 1], [4, -20, 4], [1, 4, 1]]) / 6
    wanted = smooth - (sigma**2 + PIXEL_SPREAD) * ndimage.correlate(smooth, laplace, mode="nearest")
    np.testing.assert_allclose(blurred(picture, sigma), wanted, atol=2e-5)


def test_flat_pictures_and_straight_edges_stay_where_they_are():
    np.testing.assert_allclose(blurred(np.full((12, 15), 0.3), 1.0), 0.3, atol=1e-6)
    edge = np.zeros((30, 40))
    edge[:, 20:] = 1.0
    found = blurred(edge, 1.5)
    np.testing.assert_allclose(found[:, 19] + found[:, 20], 1.0, atol=1e-5)
    assert ((found[:, :20] < 0.5) & (found[:, 20:] > 0.5)).all()


def test_weights_add_up_and_are_even():
    for sigma in (0.5, 1.0, 3.0):
        weights = blur_weights(sigma)
        assert weights.sum() == pytest.approx(1.0, abs=1e-6)
        np.testing.assert_array_equal(weights, weights[::-1])


def test_histograms_count_every_pixel_once():
    picture = np.random.default_rng(1).normal(size=(50, 60)).astype(np.float32)
    low, high = float(picture.min()), float(picture.max())
    counts = histogram(picture, low, high, 32)
    assert counts.sum() == picture.size
    wanted, _ = np.histogram(picture, bins=32, range=(low, high))
    assert np.abs(counts - wanted).max() <= 2  # values on an edge may fall either way


def walk(mask, field=None, start=None):
    row, column = np.argwhere(mask)[0] if start is None else start[:2]
    values = mask.astype(np.float32) if field is None else field
    return traced_ring(mask, values, 0.5, int(row), int(column), 1 if start is None else start[2])


def area(ring):
    """Signed area with x the column and y up."""
    x, y = ring[:, 1], -ring[:, 0]
    return (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2


def test_one_pixel_is_walked_around_by_its_four_sides():
    mask = np.zeros((3, 3), dtype=bool)
    mask[1, 1] = True
    ring = walk(mask)
    assert len(ring) == 4
    assert area(ring) == pytest.approx(0.5)


def test_pixels_that_touch_at_a_corner_only_are_not_joined():
    mask = np.zeros((4, 4), dtype=bool)
    mask[1, 1] = mask[2, 2] = True
    assert len(walk(mask)) == 4
    mask[1, 2] = True
    assert len(walk(mask)) == 8


@pytest.mark.parametrize("seed", range(20))
def test_every_side_between_the_object_and_the_outside_is_passed_once(seed):
    rng = np.random.default_rng(seed)
    labels, _ = ndimage.label(ndimage.gaussian_filter(rng.normal(size=(30, 34)), 1.2) > 0.0)
    sizes = np.bincount(labels.ravel())[1:]
    mask = np.pad(labels == 1 + sizes.argmax(), 1)
    outside, _ = ndimage.label(~mask, structure=np.ones((3, 3)))
    rings = [walk(mask)]
    for label in set(np.unique(outside)) - {0, outside[0, 0]}:
        row, column = np.argwhere(outside == label)[0]
        rings.append(walk(mask, start=(row - 1, column, 3)))
    sides = sum((mask & ~np.roll(mask, step, axis)).sum() for step in (1, -1) for axis in (0, 1))
    assert sum(len(ring) for ring in rings) == sides
    assert len(np.unique(np.concatenate(rings), axis=0)) == sides
    assert area(rings[0]) > 0
    assert all(area(ring) < 0 for ring in rings[1:])


def test_points_lie_on_the_level_of_the_interpolated_picture():
    row, column = np.mgrid[:40, :40]
    field = (0.5 + 0.05 * (12.3 - np.hypot(row - 19.2, column - 20.7))).astype(np.float32)
    mask = field > 0.5
    ring = walk(mask, field)
    np.testing.assert_allclose(ndimage.map_coordinates(field.astype(float), ring.T, order=1), 0.5, atol=1e-6)
    np.testing.assert_allclose(np.hypot(*(ring - [19.2, 20.7]).T), 12.3, atol=0.02)


def test_long_borders_outgrow_the_first_room_for_points():
    mask = np.zeros((63, 63), dtype=bool)
    mask[1:-1:2, 1:-1] = True
    mask[1:-1, 1] = True  # a comb
    assert len(walk(mask)) > 4 * 126
