"""Areas, centroids and shares of simple polygons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import checks
from holdfast.errors import GeometryError, InputError, UnitError
from holdfast.geometry import polygons as polygon

L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]) * 0.01
U_SHAPE = np.array([[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]]) * 0.01


@st.composite
def star_polygons(draw: st.DrawFn) -> np.ndarray:
    """A simple polygon: corners at ascending angles round a point, gaps below half a turn."""
    count = draw(st.integers(3, 9))
    jitter = draw(st.lists(st.floats(-0.3, 0.3), min_size=count, max_size=count))
    radii = draw(st.lists(st.floats(0.02, 0.2), min_size=count, max_size=count))
    angles = 2 * np.pi * (np.arange(count) + np.array(jitter)) / count
    shift = draw(st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
    corners = np.array(radii)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]) + shift
    return corners[::-1] if draw(st.booleans()) else corners


def brute_moments(corners: np.ndarray, count: int = 400) -> tuple[float, np.ndarray]:
    """Area and centroid by counting points of a fine grid, inside by ray crossing."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = ((np.arange(count) + 0.5) / count * (high[i] - low[i]) + low[i] for i in (0, 1))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = np.zeros(len(grid), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        straddles = (a[1] > grid[:, 1]) != (b[1] > grid[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[0] + (grid[:, 1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        inside ^= straddles & (grid[:, 0] < at)
    return inside.mean() * float(np.prod(high - low)), grid[inside].mean(axis=0)


@pytest.mark.parametrize("corners", [L_SHAPE, U_SHAPE, U_SHAPE[::-1]])
def test_area_and_centroid_agree_with_counting(corners: np.ndarray) -> None:
    area, centre = brute_moments(corners)
    assert abs(polygon.signed_area(corners)) == pytest.approx(area, rel=1e-2)
    np.testing.assert_allclose(polygon.centroid(corners), centre, atol=1e-4)


def test_a_far_polygon_has_the_same_area_to_the_last_digits() -> None:
    assert polygon.signed_area(L_SHAPE + 1000.0) == pytest.approx(3e-4, rel=1e-9)


@given(star_polygons())
def test_corner_shares_sum_to_one_with_the_centroid_as_their_mean(corners: np.ndarray) -> None:
    shares = polygon.corner_shares(corners)
    assert shares.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(shares @ corners, polygon.centroid(corners), atol=1e-8)


@given(star_polygons(), st.integers(1, 6), st.integers(1, 6))
def test_cell_shares_sum_to_one_with_the_centroid_as_their_mean(corners: np.ndarray, nx: int, ny: int) -> None:
    positions, shares = polygon.cell_shares(corners, (nx, ny))
    assert (shares > 0).all()
    assert len(shares) <= nx * ny
    assert shares.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(shares @ positions, polygon.centroid(corners), atol=1e-8)


def test_cells_of_an_l_shape_are_its_three_squares() -> None:
    positions, shares = polygon.cell_shares(L_SHAPE, (2, 2))
    np.testing.assert_allclose(shares, 1 / 3)
    np.testing.assert_allclose(sorted(positions.tolist()), np.array([[0.5, 0.5], [0.5, 1.5], [1.5, 0.5]]) * 0.01)


def test_a_regular_polygon_gives_equal_shares() -> None:
    angles = 2 * np.pi * np.arange(7) / 7
    np.testing.assert_allclose(polygon.corner_shares(np.column_stack([np.cos(angles), np.sin(angles)])), 1 / 7)


@given(star_polygons())
def test_simple_polygons_are_accepted_as_given(corners: np.ndarray) -> None:
    np.testing.assert_array_equal(polygon.simple_polygon("corners", corners), corners)


@pytest.mark.parametrize(
    "corners, match",
    [
        ([[0, 0], [1, 0]], "has 2 corners"),
        ([[0, 0], [1, 0], [1, 0], [0, 1]], "corners 1 and 2 are the same"),
        ([[0, 0], [1, 0], [1, 1], [0, 0]], "corners 3 and 0 are the same"),
        ([[0, 0], [1, 1], [2, 2]], "has no area"),
        ([[0, 0], [0, 0], [0, 0]], "are the same"),
        ([[0, 0], [1, 1], [1, 0], [0, 1.5]], "crosses itself: side 0 meets side 2"),
        ([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]], "crosses itself"),  # a corner on another side
        ([[0, 0], [2, 0], [1, 0], [1, 1]], "crosses itself"),  # a side folded back on the one before
        ([[0, 0], [1, 0], [np.nan, 1]], r"corners\[2, 0\]: is nan"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], r"shape \(3, 3\)"),
    ],
)
def test_what_is_no_simple_polygon_is_refused(corners: list, match: str) -> None:
    with pytest.raises(InputError, match=match):
        polygon.simple_polygon("corners", corners)


def test_a_self_intersection_is_a_geometry_error() -> None:
    with pytest.raises(GeometryError):
        polygon.simple_polygon("corners", [[0, 0], [1, 1], [1, 0], [0, 1.5]])


@pytest.mark.parametrize("size", [1e-9, 1e6])
def test_sizes_of_another_unit_are_refused(size: float) -> None:
    with pytest.raises(UnitError, match="metres"):
        polygon.simple_polygon("corners", size * L_SHAPE)


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan, "long"])
def test_a_length_is_a_positive_number(value: object) -> None:
    with pytest.raises(InputError, match="^lx: "):
        checks.length("lx", value)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [2, 3])
def test_a_convex_polygon_is_cut_by_a_half_plane(width: int) -> None:
    square = np.zeros((4, width))
    square[:, :2] = [[0, 0], [2, 0], [2, 2], [0, 2]]
    part = polygon.clip_convex(square, 1.0 - square[:, 0])
    assert sorted(part[:, :2].tolist()) == [[0, 0], [0, 2], [1, 0], [1, 2]]
    assert polygon.clip_convex(square, square[:, 0] - 3.0).shape == (0, width)
    np.testing.assert_array_equal(polygon.clip_convex(square, 2.0 - square[:, 0]), square)
    near = polygon.clip_convex(square, 2.0 - 1e-9 - square[:, 0], tolerance=1e-8)
    np.testing.assert_array_equal(near, square)


def test_the_convex_outline_is_counter_clockwise() -> None:
    outline = polygon.convex_outline([*L_SHAPE, [0.005, 0.005]])
    assert len(outline) == 5 and polygon.signed_area(outline) == pytest.approx(3.5e-4)
    assert len(polygon.convex_outline([[0, 0], [1, 1], [2, 2]])) == 2
    assert polygon.convex_outline([[1, 2], [1, 2]]).tolist() == [[1, 2]]
