"""Triangles of flat polygons."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.web.flat_shapes import filled, triangles
from holdfast.web.marks import upright


def area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def star(seed: int, count: int) -> Array:
    rng = np.random.default_rng(seed)
    turns = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    return rng.uniform(0.2, 1.0, (count, 1)) * np.column_stack([np.cos(turns), np.sin(turns)])


L_SHAPE = np.array([[0.0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]])


@pytest.mark.parametrize("polygon", [L_SHAPE, L_SHAPE[::-1], *(star(seed, 24) for seed in range(8))])
def test_triangles_cover_a_polygon_once(polygon: Array) -> None:
    found = triangles(polygon)
    assert len(found) == len(polygon) - 2
    areas = np.array([area(polygon[corners]) for corners in found])
    assert (areas > -1e-12).all()  # all turn one way, so that areas that add up leave no room for overlaps
    assert np.isclose(areas.sum(), abs(area(polygon)))


def test_a_filled_polygon_keeps_its_corners_and_colour() -> None:
    corners = upright(L_SHAPE, 0.3)
    surface = filled(corners, (1, 2, 3), 0.4)
    assert surface.vertices is corners and surface.colour == (1, 2, 3) and surface.opacity == 0.4
    assert np.array_equal(surface.faces, triangles(L_SHAPE))
    assert filled(corners.copy(), (9, 9, 9)).faces is surface.faces  # the same shape is not cut up again
