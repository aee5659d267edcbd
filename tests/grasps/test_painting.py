from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import contains
from holdfast.grasps.parts import example_part
from holdfast.grasps.pictures import LINES, coverage


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
