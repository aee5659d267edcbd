"""What a region says about centres of mass."""

from __future__ import annotations

import numpy as np
import pytest
from tests.postures.known_regions import GRAVITY, MASS, foot, standing, strong_hands

from holdfast.postures import support_region
from holdfast.postures.region import SupportRegion


@pytest.fixture(scope="module")
def square() -> SupportRegion:
    return support_region(foot(), standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), MASS, GRAVITY)


def test_distances_are_positive_inside_and_euclidean_outside(square: SupportRegion) -> None:
    coms = [[0.5, 0.5, 9.0], [0.9, 0.5, -3.0], [2.0, 2.0, 0.0], [0.5, -0.25, 0.0]]
    assert np.allclose(square.signed_distance(coms), [0.5, 0.1, -np.sqrt(2.0), -0.25])
    assert square.contains(coms).tolist() == [True, True, False, False]
    assert square.signed_distance([0.5, 0.5]) == pytest.approx(0.5)


def test_distances_agree_with_a_fine_sampling_of_the_border() -> None:
    region = support_region(*strong_hands(40, 2), MASS, GRAVITY)
    shares = np.linspace(0.0, 1.0, 400)[:, None, None]
    border = ((1.0 - shares) * region.vertices + shares * np.roll(region.vertices, -1, axis=0)).reshape(-1, 2)
    rng = np.random.default_rng(0)
    points = region.vertices.mean(axis=0) + rng.normal(size=(40, 2))
    nearest = np.hypot(*(points[:, None] - border).transpose(2, 0, 1)).min(axis=1)
    assert np.allclose(np.abs(region.signed_distance(points)), nearest, atol=2e-3)


def test_vertices_lie_on_the_border_and_turn_counter_clockwise() -> None:
    region = support_region(*strong_hands(40, 4), MASS, GRAVITY)
    assert np.abs(region.signed_distance(region.vertices)).max() < 1e-9 * region.size
    steps = np.roll(region.vertices, -1, axis=0) - region.vertices
    after = np.roll(steps, -1, axis=0)
    assert (steps[:, 0] * after[:, 1] - steps[:, 1] * after[:, 0] > 0.0).all()


def test_outlines_of_unbounded_regions_are_cut_at_the_reach() -> None:
    walls = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    line = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]], walls), MASS, GRAVITY)
    drawn = line.outline(3.0)
    assert np.allclose(drawn[:, 1], 0.0, atol=1e-9) and np.ptp(drawn[:, 0]) == pytest.approx(6.0)
    rng = np.random.default_rng(0)
    poses = standing(rng.normal(size=(5, 3)), (rng.normal(size=(5, 3)) + [0, 0, 1.0]).tolist())
    wedge = support_region(foot(), poses, MASS, GRAVITY)
    if not wedge.is_bounded:
        assert (wedge.normals @ wedge.outline(20.0).T <= wedge.offsets[:, None] + 1e-9).all()


def test_a_region_says_what_it_is(square: SupportRegion) -> None:
    assert repr(square) == "SupportRegion(polygon, 4 vertices, 1 m^2)"
    assert square.is_bounded and not square.is_empty and square.mass == MASS
    assert square.gravity.tolist() == list(GRAVITY)
    assert square.proof.wrenches.shape == (4, 4, 6) and square.proof.multipliers.shape == (4, 6)


def test_a_small_stance_is_told_apart_by_its_own_size() -> None:
    half = 0.3e-3
    corners = [[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]]
    region = support_region(foot(), standing(corners), MASS, GRAVITY)
    assert region.extent < 0.1 * region.size  # the hands' length is far larger
    assert region.contains(region.vertices).all()
    assert not region.contains([half + 1e-10, 0.0])
    assert region.contains([half + 0.5e-9 * region.extent, 0.0])
    assert not region.contains([half + 1e-14, 0.0], tolerance=0.0)


def test_thin_and_large_regions_have_the_extent_that_tolerances_had(square: SupportRegion) -> None:
    segment = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]]), MASS, GRAVITY)
    assert segment.extent == segment.size
    assert square.extent <= square.size
