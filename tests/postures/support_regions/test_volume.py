"""Centres of mass under several accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.postures.known_regions import MASS, foot, standing

from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures import support_region
from holdfast.postures.region_computation import Sampling, SupportVolume, SupportVolumeBounds

SQUARE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
DOWN = (0.0, 0.0, -9.81)


def shaken(push: float) -> list[tuple[float, float, float]]:
    return [DOWN, (push, 0.0, -9.81), (-push, 0.0, -9.81), (0.0, push, -9.81), (0.0, -push, -9.81)]


@pytest.fixture(scope="module")
def pyramid() -> SupportVolume:
    return support_region(foot(), standing(SQUARE), MASS, shaken(1.0))


def test_a_table_that_is_shaken_keeps_a_double_pyramid(pyramid: SupportVolume) -> None:
    height = 0.5 * 9.81  # at the middle, the weight and the push point at an edge from this height
    assert pyramid.kind == "body" and pyramid.verify()
    assert pyramid.volume == pytest.approx(2.0 * height / 3.0)
    assert np.isclose(pyramid.vertices[:, 2].max(), height) and np.isclose(pyramid.vertices[:, 2].min(), -height)


def test_membership_is_that_of_every_acceleration(pyramid: SupportVolume) -> None:
    coms = np.random.default_rng(0).uniform([-0.2, -0.2, -6.0], [1.2, 1.2, 6.0], size=(200, 3))
    one_by_one = [support_region(foot(), standing(SQUARE), MASS, g).contains(coms) for g in shaken(1.0)]
    assert (pyramid.contains(coms) == np.all(one_by_one, axis=0)).all()
    assert ((pyramid.signed_distance(coms) > 0.0) == pyramid.contains(coms, tolerance=0.0)).all()


def test_distances_and_what_is_active(pyramid: SupportVolume) -> None:
    assert pyramid.signed_distance([0.5, 0.5, 0.5 * 9.81 + 1.0]) == pytest.approx(-1.0)
    found = pyramid.active([0.9, 0.5, 1.0])
    assert found is not None
    acceleration, constraint = found
    assert acceleration == 1 and constraint.direction[0] > 0.9
    assert constraint.slack == pytest.approx(float(pyramid.signed_distance([0.9, 0.5, 1.0])))


def test_one_acceleration_leaves_an_endless_prism_and_none_that_hold_leave_nothing() -> None:
    prism = support_region(foot(), standing(SQUARE), MASS, [DOWN])
    assert isinstance(prism, SupportVolume) and prism.kind == "unbounded" and prism.volume == np.inf
    assert prism.contains([0.5, 0.5, 1e3]) and prism.verify()
    nothing = support_region(foot(), standing(SQUARE), MASS, [DOWN, (0.0, 0.0, 9.81)])
    assert nothing.kind == "empty" and nothing.volume == 0.0 and not len(nothing.vertices) and not len(nothing.rays)
    assert nothing.signed_distance([0.0, 0.0, 0.0]) == -np.inf and not nothing.contains([0.5, 0.5, 0.0])
    assert nothing.is_empty and nothing.polytope is None and nothing.verify()


def test_thin_regions_meet_in_thin_volumes_and_walls_in_all_of_space() -> None:
    flat = support_region(foot(), standing(SQUARE[:2]), MASS, [DOWN, (1.0, 0.0, -9.81)])
    assert flat.kind == "flat" and flat.volume == 0.0 and np.allclose(flat.vertices[:, 1], 0.0, atol=1e-9)
    line = support_region(foot(), standing(SQUARE[:2]), MASS, [DOWN, (0.0, 1.0, -9.81)])
    assert line.kind == "flat" and np.allclose(sorted(line.vertices.tolist()), SQUARE[:2], atol=1e-9)
    sticky = Grip(np.zeros((1, 6)), np.concatenate([np.eye(6), -np.eye(6)]))
    space = support_region(sticky, standing(SQUARE[:1]), MASS, shaken(1.0))
    assert (
        space.kind == "space" and space.signed_distance([1.0, 2.0, 3.0]) == np.inf and space.active([0, 0, 0]) is None
    )


def test_bounds_and_samples_bracket_the_volume() -> None:
    sizes = np.array([60.0, 60.0, 150.0, 6.0, 6.0, 6.0])
    box = GripBounds(Grip.box(-0.8 * sizes, 0.8 * sizes), OuterGrip.box(-sizes, sizes))
    found = support_region(box, standing(SQUARE[:3]), MASS, shaken(0.5))
    assert isinstance(found, SupportVolumeBounds) and found.verify()
    assert found.inner.volume < found.outer.volume
    assert found.certainty([0.5, 0.4, 0.0]) == "certainly"
    exact = support_region(foot(), standing(SQUARE), MASS, shaken(1.0))
    sampled = support_region(foot(), standing(SQUARE), MASS, shaken(1.0), method=Sampling(12))
    assert sampled.inner.volume <= exact.volume + 1e-9 <= sampled.outer.volume + 2e-9
