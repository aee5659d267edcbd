"""Polygons and bands of latitude, measured against circles and spheres."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from holdfast.force_limits.models.friction import ellipse_polygon, latitude_inradius, unit_polygon


@pytest.mark.parametrize("facets", [3, 4, 5, 16, 17])
@pytest.mark.parametrize("side", ["inner", "outer"])
def test_polygons_lie_on_their_side_of_the_ellipse(facets, side):
    semi = np.array([3.0, 0.5])
    corners = ellipse_polygon(*semi, facets, side)
    share = np.linspace(0.0, 1.0, 50)[:, None, None]
    border = (share * corners + (1 - share) * np.roll(corners, 1, axis=0)).reshape(-1, 2)
    reach = np.linalg.norm(border / semi, axis=1)
    worst = math.cos(math.pi / facets)
    low, high = (worst, 1.0) if side == "inner" else (1.0, 1.0 / worst)
    assert reach.min() >= low - 1e-12
    assert reach.max() <= high + 1e-12


def test_corners_on_the_axes_are_exact():
    corners = unit_polygon(16)
    assert corners[[0, 4, 8, 12]].tolist() == [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]


@pytest.mark.parametrize("facets", [4, 9, 16])
@pytest.mark.parametrize("bands", [1, 2, 5])
def test_the_inner_radius_is_that_of_the_hull(facets, bands):
    latitudes = np.linspace(0.0, 0.5 * math.pi, bands + 1)
    ring = unit_polygon(facets)
    points = [
        np.column_stack([ring * math.cos(a), np.full(facets, s * math.sin(a))]) for a in latitudes for s in (1, -1)
    ]
    hull = ConvexHull(np.concatenate(points))
    assert latitude_inradius(facets, latitudes) == pytest.approx(-hull.equations[:, -1].max(), rel=1e-9)
