"""The blur against its convolution written out, and histograms against numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from holdfast.grasps.kernels.contours import PIXEL_SPREAD, blur_weights, blurred
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
