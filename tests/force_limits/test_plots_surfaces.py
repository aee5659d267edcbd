from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.force_limits.plots import triangle_polygon
from holdfast.plotting import limit_surface
from holdfast.plotting.solids import Solids


def marks(ax: Any) -> dict[str, np.ndarray]:
    """(n, 3) points of every named cloud."""
    return {c.get_label(): np.column_stack(c._offsets3d) for c in ax.collections if not c.get_label().startswith("_")}


def test_the_picture_is_no_blank_and_its_corners_are_the_limits(
    measured: hf.LimitSurface, drawn: list[Solids], pixels: Callable[[Any], np.ndarray]
) -> None:
    assert pixels(limit_surface(measured)).std() > 5.0
    faces = drawn[0].polygons
    corners = {tuple(c) for c in np.concatenate(faces).round(9).tolist()}
    whole = np.isfinite(measured.gauges[measured.triangles]).all(axis=1)  # others have a corner with limit zero
    assert 0 < whole.sum() < len(whole)
    assert len(faces) == whole.sum()
    assert corners == {tuple(c) for c in measured.vertices[measured.triangles[whole]].reshape(-1, 3).round(9).tolist()}


def test_measured_limits_are_dots_and_outliers_crosses(measured: hf.LimitSurface) -> None:
    found = marks(limit_surface(measured))
    np.testing.assert_allclose(found["measured"], measured.vertices[measured.measured])
    assert len(measured.outliers) >= 1
    wanted = np.array([np.array(o.direction) * o.limit for o in measured.outliers])
    np.testing.assert_allclose(found["outlier"], wanted)


def test_what_was_never_measured_is_marked_and_grey(drawn: list[Solids]) -> None:
    directions = hf.loads.sphere_directions(60)
    directions = directions[directions[:, 2] < 0.5]
    surface = hf.LimitSurface.from_limits(directions, np.full(len(directions), 4.0), fill="least")
    found = marks(limit_surface(surface))
    np.testing.assert_allclose(found["assumed, never measured"], surface.vertices[~surface.measured])
    hues = [np.ptp(face.inside[:3]) < 0.01 for face in drawn[0].faces]  # greys have none
    known = surface.measured[surface.triangles].all(axis=1)
    assert sum(hues) == (~known).sum() > 0 and len(hues) - sum(hues) == known.sum() > 0
    assert marks(limit_surface(surface, samples=False)) == {}


def test_a_model_has_no_measurements_to_show() -> None:
    surface = hf.LimitSurface.from_function(lambda d: np.full(len(d), 3.0))
    ax = limit_surface(surface)
    assert marks(ax) == {} and ax.get_legend() is None


def test_without_limit_the_surface_runs_up_to_reach(drawn: list[Solids]) -> None:
    shear = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(12) * np.pi / 6])
    surface = hf.LimitSurface.from_limits(
        np.vstack([shear, [[0.0, 0.0, -1.0]]]), np.full(13, 2.0), compression="unlimited"
    )
    limit_surface(surface, reach=7.0)
    corners = drawn[0].corners
    assert corners[:, 2].max() == pytest.approx(7.0)
    walls = corners[corners[:, 2] > 0.1]
    np.testing.assert_allclose(np.hypot(walls[:, 0], walls[:, 1]), 2.0)  # a prism over the rim


def test_triangles_with_corners_at_infinity_are_strips() -> None:
    surface = hf.LimitSurface([[1, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]], [1.0, 2.0, 2.0, np.inf, 3.0])
    top = [t for t in surface.triangles if 3 in t]
    for triangle in top:
        strip = triangle_polygon(surface, triangle, 5.0)
        assert strip.shape == (4, 3)
        np.testing.assert_allclose(strip[2] - strip[1], [0, 0, 10.0])
        np.testing.assert_allclose(strip[3] - strip[0], [0, 0, 10.0])


def test_bad_input_is_named(measured: hf.LimitSurface) -> None:
    with pytest.raises(InputError, match="surface: is a str"):
        limit_surface("surface")
    with pytest.raises(InputError, match="reach"):
        limit_surface(measured, reach=-1.0)
