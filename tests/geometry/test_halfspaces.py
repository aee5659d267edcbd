"""Vertices, rays and lines of half-spaces: closed forms, supports against linear programs, every kind of set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checks import Array
from holdfast.errors import GeometryError
from holdfast.geometry.halfspaces import generators, generators_about, largest_ball
from holdfast.linear_programs import Outcome, minimise

CUBE = np.concatenate([np.eye(3), -np.eye(3)])


def support_by_program(normals: Array, offsets: Array, way: Array) -> float:
    """max way . x within the half-spaces; nan when there is none, inf without a limit."""
    found = minimise(-way, normals, offsets)
    if found.outcome is Outcome.INFEASIBLE:
        found = minimise(-way, normals, offsets, presolve=False)
    return {Outcome.OPTIMAL: -found.value, Outcome.UNBOUNDED: np.inf}.get(found.outcome, np.nan)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_a_box_a_flat_box_a_segment_a_point_and_nothing(scale: float) -> None:
    offsets = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]) * scale
    box = generators(CUBE, offsets)
    assert box.is_bounded and len(box.vertices) == 8
    assert box.polytope().volume == pytest.approx(6.0 * scale**3)  # type: ignore[union-attr]
    offsets[5] = -3.0 * scale
    flat = generators(CUBE, offsets)
    assert len(flat.vertices) == 4 and np.allclose(flat.vertices[:, 2], 3.0 * scale)
    offsets[4] = -2.0 * scale
    segment = generators(CUBE, offsets)
    assert len(segment.vertices) == 2 and np.ptp(segment.vertices[:, 0]) == pytest.approx(scale)
    offsets[3] = -scale
    assert np.allclose(generators(CUBE, offsets).vertices, [np.array([1.0, 2.0, 3.0]) * scale])
    offsets[3] = -1.1 * scale
    empty = generators(CUBE, offsets)
    assert empty.is_empty and empty.polytope() is None and empty.vertices.shape == (0, 3)


def test_unbounded_sets_have_rays_and_lines() -> None:
    corner = generators(np.eye(3), [1.0, 2.0, 3.0])
    assert np.allclose(corner.vertices, [[1.0, 2.0, 3.0]]) and not len(corner.lines)
    assert np.allclose(np.sort(corner.rays, axis=0), np.sort(-np.eye(3), axis=0))
    beam = generators(CUBE[[0, 1, 3, 4]], np.ones(4))
    assert len(beam.vertices) == 4 and not len(beam.rays) and np.allclose(np.abs(beam.lines), [[0.0, 0.0, 1.0]])
    half = generators([[0.0, 0.0, 2.0]], [4.0])
    assert half.vertices[0, 2] == pytest.approx(2.0) and np.allclose(half.rays, [[0.0, 0.0, -1.0]])
    assert len(half.lines) == 2 and np.allclose(half.lines[:, 2], 0.0)
    everything = generators(np.zeros((0, 3)), [])
    assert len(everything.vertices) == 1 and len(everything.lines) == 3
    plane = generators([[1.0, 0.0], [-1.0, 0.0]], [1.0, -1.0])
    assert plane.vertices[0, 0] == pytest.approx(1.0) and np.allclose(np.abs(plane.lines), [[0.0, 1.0]])
    strip = generators([[1.0], [-1.0], [0.0]], [3.0, 2.0, 0.0])
    assert np.allclose(np.sort(strip.vertices[:, 0]), [-2.0, 3.0])
    ray = generators([[2.0]], [3.0])
    assert np.allclose(ray.vertices, [[1.5]]) and np.allclose(ray.rays, [[-1.0]])


def test_a_zero_row_with_a_negative_offset_excludes_everything() -> None:
    assert generators([[1.0, 0.0], [0.0, 0.0]], [1.0, -1.0]).is_empty
    assert not generators([[1.0, 0.0], [0.0, 0.0]], [1.0, 0.0]).is_empty


def test_a_needle_far_from_the_origin_keeps_its_corners() -> None:
    centre, widths = np.array([50.0, -20.0, 70.0]), np.array([10.0, 1e-4, 1e-5])
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    found = generators(CUBE @ turn, CUBE @ turn @ centre + np.tile(widths, 2))
    assert len(found.vertices) == 8
    assert np.allclose(np.abs((found.vertices - centre) @ turn.T), widths, rtol=1e-4, atol=1e-9)


def test_planes_that_only_rounding_tilts_meet_at_infinity() -> None:
    normals = np.concatenate([[[1e-8, 1.0, 0.0], [1e-8, -1.0, 0.0]], CUBE[[2, 5, 3]]])
    assert generators(normals, np.ones(5), farthest=1e12).is_bounded
    open_set = generators(normals, np.ones(5), farthest=1e6)
    assert len(open_set.vertices) == 4 and np.allclose(open_set.vertices[:, 0], -1.0)
    assert np.allclose(open_set.rays, [[1.0, 0.0, 0.0]], atol=1e-7)
    through = generators(normals[:4], np.ones(4), farthest=1e6)
    assert len(through.vertices) == 1 and np.allclose(np.sort(through.rays[:, 0]), [-1.0, 1.0])


@st.composite
def half_spaces(draw: st.DrawFn) -> tuple[Array, Array]:
    """Random rows in R^2 to R^4, some of them repeated or opposite: bounded, open, flat and empty sets."""
    dimension, count = draw(st.integers(2, 4)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    normals = rng.integers(-2, 3, size=(count, dimension)).astype(float)
    normals = normals[normals.any(axis=1)]
    return normals, rng.integers(-1, 4, size=len(normals)).astype(float)


@given(half_spaces())
def test_the_generators_have_the_supports_of_the_half_spaces(rows: tuple[Array, Array]) -> None:
    normals, offsets = rows
    found = generators(normals, offsets)
    ways = np.random.default_rng(0).normal(size=(6, normals.shape[1]))
    wanted = np.array([support_by_program(normals, offsets, way) for way in ways])
    if found.is_empty:
        assert np.isnan(wanted).all()
        return
    assert (found.vertices @ normals.T <= offsets + 1e-7).all()
    assert (found.rays @ normals.T <= 1e-7).all() and np.allclose(found.lines @ normals.T, 0.0, atol=1e-7)
    body = found.polytope()
    assert body is not None
    assert np.allclose(body.support(ways), wanted, atol=1e-6)


def test_an_inner_point_gives_the_same_vertices() -> None:
    rng = np.random.default_rng(1)
    normals = rng.normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = rng.uniform(0.5, 2.0, size=40)
    centre, radius, tight = largest_ball(normals, offsets, size=2.0)
    assert radius > 0.0 and 1 <= tight.sum() <= 4
    assert np.allclose((offsets - normals @ centre)[tight], radius)
    one, other = generators_about(centre, normals, offsets), generators(normals, offsets)
    assert len(one.vertices) == len(other.vertices)
    assert np.allclose(np.sort(one.vertices, axis=0), np.sort(other.vertices, axis=0))


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(GeometryError, match="offsets: has 2 entries"):
        generators(CUBE, [1.0, 2.0])


# Sets as Polytopes, by closed forms.


def supports(normals: Array, offsets: Array, ways: Array) -> Array:
    body = generators(normals, offsets, size=1.0).polytope()
    assert body is not None
    return body.support(ways)


def test_a_box_and_a_flat_box_and_a_point() -> None:
    offsets = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    body = generators(CUBE, offsets, size=1.0).polytope()
    assert body is not None and body.volume == pytest.approx(6.0) and len(body.vertices) == 8
    offsets[5] = -3.0
    flat = generators(CUBE, offsets, size=1.0).polytope()
    assert flat is not None and flat.dimension == 2 and np.allclose(flat.vertices[:, 2], 3.0)
    point = generators(CUBE, np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0]), size=1.0).polytope()
    assert point is not None and np.allclose(point.vertices, [[1.0, 2.0, 3.0]])
    assert generators(CUBE, np.array([1.0, 2.0, 3.0, -1.1, -2.0, -3.0]), size=1.0).polytope() is None


def test_unbounded_bodies_keep_their_rays() -> None:
    ways = np.random.default_rng(0).normal(size=(40, 3))
    corner = supports(np.eye(3), np.array([1.0, 2.0, 3.0]), ways)
    inside = (ways >= 0.0).all(axis=1)
    assert np.allclose(corner[inside], ways[inside] @ [1.0, 2.0, 3.0]) and np.isinf(corner[~inside]).all()
    beam = supports(CUBE[[0, 1, 3, 4]], np.ones(4), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert beam[0] == pytest.approx(2.0) and beam[1] == np.inf
    half = supports(np.array([[0.0, 0.0, 1.0]]), np.array([2.0]), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    assert half[0] == pytest.approx(2.0) and half[1] == np.inf
    everything = generators(np.zeros((0, 3)), np.zeros(0), size=1.0).polytope()
    assert everything is not None and np.isinf(everything.support(ways)).all()


def test_a_random_body_has_the_supports_of_its_half_spaces() -> None:
    rng = np.random.default_rng(1)
    normals = rng.normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = rng.uniform(0.5, 2.0, size=40)
    ways = rng.normal(size=(10, 3))
    wanted = [support_by_program(normals, offsets, way) for way in ways]
    assert np.allclose(supports(normals, offsets, ways), wanted)
