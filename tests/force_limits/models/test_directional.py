"""Directional microspine gripper: a polyhedron, exact."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import directional_microspine


def admissible(forces, shear=25.0, lateral=0.785, pull=0.35, cap=math.inf):
    x, y, z = forces.T
    return (x >= 0) & (x <= shear) & (np.abs(y) <= x * math.tan(lateral)) & (-z <= x * math.tan(pull)) & (z <= cap)


@pytest.mark.parametrize("cap", [None, 40.0])
def test_membership_is_the_formula(cap):
    forces = np.random.default_rng(1).uniform(-1.0, 1.0, (5000, 3)) * (30.0, 30.0, 60.0)
    volume = directional_microspine(cap=cap)
    expected = admissible(forces, cap=math.inf if cap is None else cap)
    assert (volume.contains(forces, tolerance=0.0) == expected).all()
    assert expected.sum() > 300


def test_the_greatest_pull_needs_the_greatest_shear():
    volume = directional_microspine()
    assert volume.support([0.0, 0.0, -1.0]) == pytest.approx(25.0 * math.tan(0.35), rel=1e-12)
    assert volume.support_points([0.0, 0.0, -1.0])[0] == pytest.approx(25.0)
    assert volume.radial([0.0, 0.0, -1.0]) == pytest.approx(0.0, abs=1e-12)


def test_forces_grow_linearly_with_the_shear_limit():
    strong, weak = directional_microspine(50.0), directional_microspine(25.0).scaled(2.0)
    directions = np.random.default_rng(2).normal(size=(200, 3))
    assert strong.support(directions) == pytest.approx(weak.support(directions))


def test_one_convex_star_shaped_piece():
    volume = directional_microspine(cap=10.0)
    assert len(volume) == 1
    assert volume.is_star_shaped


def test_without_lateral_angle_the_wedge_is_flat():
    volume = directional_microspine(lateral=0.0)
    assert volume.contains([10.0, 0.0, -1.0])
    assert not volume.contains([10.0, 0.01, -1.0])


@pytest.mark.parametrize(
    "bad",
    [{"shear": 0.0}, {"shear": math.nan}, {"lateral": -0.1}, {"lateral": 45.0}, {"pull": math.pi / 2}, {"cap": -1.0}],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        directional_microspine(**bad)
    assert next(iter(bad)) in str(error.value)
