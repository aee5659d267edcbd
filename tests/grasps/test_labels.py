"""Labels of connected pixels and their boxes are those of scipy.ndimage, in number and in order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from holdfast.grasps.labels import labelled


def masks(shape, sigma):
    rng = np.random.default_rng(5)
    yield from (np.zeros(shape, dtype=bool), np.ones(shape, dtype=bool))
    for _ in range(10):
        yield ndimage.gaussian_filter(rng.normal(size=shape), sigma) > rng.normal(0.0, 0.1)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("sigma", [0.3, 1.5])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (8, 1), (40, 50)])
def test_labels_and_boxes_are_those_of_ndimage(shape, sigma, diagonal):
    for mask in masks(shape, sigma):
        wanted, count = ndimage.label(mask, structure=np.ones((3, 3)) if diagonal else None)
        labels, boxes = labelled(mask, diagonal=diagonal)
        np.testing.assert_array_equal(labels, wanted)
        assert boxes == ndimage.find_objects(wanted) and len(boxes) == count


def test_a_spiral_is_one_piece():
    mask = np.zeros((41, 41), dtype=bool)
    for k in range(0, 20, 2):
        mask[k, k : 41 - k] = mask[40 - k, k : 41 - k] = mask[k : 41 - k, 40 - k] = True
        mask[k + 2 : 41 - k, k] = True
        mask[k + 2, k : k + 3] = True
    assert len(labelled(mask)[1]) == ndimage.label(mask)[1]
