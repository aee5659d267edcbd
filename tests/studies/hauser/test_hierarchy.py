from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.devices import four_finger_hand
from holdfast.grips import Grip, GripBounds, OuterGrip, outer_subset
from studies.hauser.hierarchy import (
    BOX,
    DRAWS,
    Draw,
    climber,
    growth,
    regions,
    rough_inner,
    rough_outer,
    study_grip,
)

pytestmark = pytest.mark.nightly


def test_the_wall_is_nearly_vertical_and_the_body_off_it() -> None:
    body = climber()
    assert len(body.poses) == 4
    off = np.array([-np.cos(np.radians(5.0)), 0.0, np.sin(np.radians(5.0))])
    for pose in body.poses:
        assert abs(pose.translation @ off) < 1e-12  # palms are on the wall
        assert pose.rotation[:, 2] @ off > np.cos(np.radians(12.0))  # z of the palm leads off it
        assert pose.rotation[2, 0] > 0.9  # x of the palm leads up
    assert body.com @ off > 0.3
    assert np.allclose(body.wrench[:3], body.mass * body.gravity)


def test_the_grip_is_what_the_hand_holds_and_pulls_to_the_wall_less_than_it_presses() -> None:
    grip = study_grip(24, 0)
    assert grip.palm_gravity is None
    hand = four_finger_hand("opposed", corners="independent").assembly(np.zeros(3))
    for wrench in grip.inner.vertices[:4]:  # on the body; the rock is the object, and these are held as external ones
        assert hf.equilibrium(hand, (1.0 - 1e-6) * wrench).holds
    down, up = grip.inner.support([0, 0, -1.0, 0, 0, 0]), grip.inner.support([0, 0, 1.0, 0, 0, 0])
    assert 0.0 < down < up


DIRECTIONS = np.random.default_rng(5).normal(size=(60, 6))


@pytest.fixture(scope="module")
def grip() -> GripBounds:
    """Points on an ellipsoid about zero, and planes round it."""
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(80, 6))
    inner = Grip(unit / np.linalg.norm(unit, axis=1, keepdims=True) * [3, 2, 5, 0.3, 0.2, 0.1], length=0.1)
    planes = outer_subset(inner, 60, 2)
    return GripBounds(inner, OuterGrip(planes.normals, 1.1 * planes.offsets, length=0.1))


@pytest.mark.parametrize("draw", DRAWS)
def test_rough_sets_lie_on_either_side(grip: GripBounds, draw: Draw) -> None:
    truth = grip.inner.support(DIRECTIONS)
    for count in (10, 40, 80):
        assert (rough_inner(grip, count, draw, 3).support(DIRECTIONS) <= truth + 1e-12).all()
    for count in (0, 20):
        assert (rough_outer(grip, count, draw, 3).support(DIRECTIONS) >= truth - 1e-9).all()


def test_the_first_that_were_learned_contain_each_other(grip: GripBounds) -> None:
    inner = [rough_inner(grip, count).support(DIRECTIONS) for count in (10, 30, 80)]
    outer = [rough_outer(grip, count).support(DIRECTIONS) for count in (0, 20, 60)]
    assert all((a <= b + 1e-12).all() for a, b in pairwise(inner))
    assert all((a >= b - 1e-9).all() for a, b in pairwise(outer))


def test_counts_are_as_asked_for(grip: GripBounds) -> None:
    assert len(rough_inner(grip, 30).vertices) == 30
    assert not rough_inner(grip, 30).vertices[0].any()  # zero is in the grip, and among them
    assert rough_inner(grip, 500) is grip.inner
    assert len(rough_outer(grip, 0).offsets) == BOX
    assert len(rough_outer(grip, 20).offsets) == BOX + 20


def hand() -> GripBounds:
    """An ellipsoid of wrenches that carries the climber's weight a few times, and planes round it."""
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(150, 6))
    inner = Grip(unit / np.linalg.norm(unit, axis=1, keepdims=True) * [600, 600, 600, 60, 60, 60], length=0.1)
    planes = outer_subset(inner, 40, 2)
    return GripBounds(inner, OuterGrip(planes.normals, planes.offsets, length=0.1))


@pytest.fixture(scope="module")
def found() -> Any:
    return growth(hand(), vertices=(20, 60, 1000), planes=(12, 40), repeats=1)


def test_both_methods_agree_on_every_row(found: Any) -> None:
    assert [row.count for row in found.of("vertices")] == [20, 60, 150]  # no more than there are
    assert [row.count for row in found.of("half-spaces")] == [12, 40]
    for row in found.rows:
        assert row.factor == pytest.approx(row.highs_factor, rel=1e-7)
        assert min(row.cold, row.warm, row.highs) > 0.0


def test_finer_grips_bear_more_inside_and_less_outside(found: Any) -> None:
    inner = [row.factor for row in found.of("vertices")]
    outer = [row.factor for row in found.of("half-spaces")]
    assert inner == sorted(inner)
    assert outer == sorted(outer, reverse=True)
    assert inner[-1] <= outer[-1]


def test_inner_regions_grow_outer_ones_shrink_and_the_one_lies_in_the_other() -> None:
    found = regions(hand(), inner=(40, 80), outer=(20,))
    assert [row.count for row in found.inner] == [40, 80, 150]
    assert [row.count for row in found.outer] == [12, 32, 40]
    inner = [row.region.area for row in found.inner]
    assert inner == sorted(inner)
    outer = [row.region.area for row in found.outer[:2]]
    assert outer == sorted(outer, reverse=True)
    for small in found.inner:
        for large in found.outer:
            assert np.all(large.region.contains(small.region.vertices, tolerance=1e-7))
