"""The soft finger: its ring of points against the ellipsoid, by linear programs over the points' forces."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast import HoldfastError
from holdfast.force_limits.models import SoftFinger, soft_finger


def ring_support(pad: SoftFinger, shear, torsion):
    """Largest shear . f_t + torsion tau of the ring at f_z = 1 without bending: a linear program over rays."""
    rays = pad.volume.rays[0]
    columns, values = [], []
    for x, y, _ in pad.points:
        for ray in rays:
            tau = x * ray[1] - y * ray[0]
            columns.append([ray[2], y * ray[2], -x * ray[2]])
            values.append(shear @ ray[:2] + torsion * tau)
    solution = linprog(-np.array(values), A_eq=np.array(columns).T, b_eq=[1.0, 0.0, 0.0])
    assert solution.status == 0
    return -solution.fun


@pytest.mark.parametrize("count", [4, 6, 8])
def test_the_ring_is_inside_the_ellipsoid_and_short_of_it_by_no_more_than_stated(count):
    mu, e, facets = 0.6, 0.004, 24
    pad = soft_finger(mu, e, points=count, facets=facets)
    outer = soft_finger(mu, e, points=count, facets=facets, side="outer")
    rng = np.random.default_rng(count)
    share = math.cos(0.5 * math.pi / count) * math.cos(math.pi / facets)
    for angle, mix in rng.uniform(0.0, 2.0 * math.pi, (12, 2)):
        shear = np.array([math.cos(angle), math.sin(angle)]) * math.cos(mix)
        torsion = math.sin(mix) * mu / e  # weighs torsion and shear alike
        exact = math.hypot(mu * math.cos(mix), e * torsion)
        found = ring_support(pad, shear, torsion)
        assert share * exact - 1e-9 <= found <= exact + 1e-9
        assert ring_support(outer, shear, torsion) >= exact - 1e-9


def test_pure_shear_and_pure_torsion_are_exact_along_the_axes():
    pad = soft_finger(0.5, 0.01, points=8, facets=16)
    assert ring_support(pad, np.array([1.0, 0.0]), 0.0) == pytest.approx(0.5, rel=1e-9)
    assert ring_support(pad, np.zeros(2), 1.0) == pytest.approx(0.01, rel=1e-9)


@pytest.mark.parametrize("facets", [8, 16, 32])
def test_the_set_in_four_dimensions_agrees_with_the_formula(facets):
    mu, e, cap = 0.5, 0.01, 20.0
    rng = np.random.default_rng(facets)
    direction = rng.normal(size=(500, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    weights = np.column_stack([direction[:, :2] / mu, np.zeros(500), direction[:, 2] / e])
    inner = soft_finger(mu, e, facets=facets, cap=cap).limit_set.support(weights)
    outer = soft_finger(mu, e, facets=facets, cap=cap, side="outer").limit_set.support(weights)
    assert (inner <= cap * (1.0 + 1e-12)).all()
    assert (outer >= cap * (1.0 - 1e-12)).all()
    bands = max(2, facets // 4)
    worst = math.cos(math.pi / facets) * math.cos(0.25 * math.pi / bands)
    assert (inner >= cap * worst * (1.0 - 1e-9)).all()
    assert (outer <= cap / worst * (1.0 + 1e-9)).all()


def test_without_a_cap_the_set_is_a_cone_and_the_points_are_unbounded():
    pad = soft_finger()
    assert not pad.limit_set.is_bounded
    assert not pad.volume.is_bounded
    assert pad.limit_set.contains(np.array([[0.4, 0.0, 1.0, 0.0], [4e3, 0.0, 1e4, 0.0]])).all()
    assert not pad.limit_set.contains(np.array([[0.0, 0.0, 1.0, 0.0051], [0.0, 0.0, -1.0, 0.0]])).any()


def test_the_cap_is_shared_among_the_points():
    pad = soft_finger(cap=80.0, points=8)
    assert pad.volume.support([0.0, 0.0, 1.0]) == pytest.approx(10.0)
    assert pad.limit_set.support([0.0, 0.0, 1.0, 0.0]) == pytest.approx(80.0)


def test_the_ring_lies_in_the_surface_with_radius_e_over_mu():
    pad = soft_finger(0.4, 0.006, points=10)
    assert len(pad) == 10
    assert np.linalg.norm(pad.points, axis=1) == pytest.approx(0.015)
    assert (pad.points[:, 2] == 0.0).all()
    assert pad.points.sum(axis=0) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    "bad",
    [{"mu": 0.0}, {"mu": -1.0}, {"e": 0.0}, {"e": math.nan}, {"e": 1e9}, {"points": 5}, {"points": 2}, {"cap": -1.0}],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        soft_finger(**bad)
    assert next(iter(bad)) in str(error.value)
