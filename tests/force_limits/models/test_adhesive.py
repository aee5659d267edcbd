"""Gecko-like hairs and dry adhesives against their formulas."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import dry_adhesive, fit_dry_adhesive, gecko, gecko_two_way

SHEAR, ALPHA, LATERAL = 10.0, math.radians(25.0), math.radians(30.0)


def hairs(forces):
    """The law of the default pad, one way."""
    x, y, z = forces.T
    return (z >= -x * math.tan(ALPHA)) & (x >= 0) & (x <= SHEAR) & (np.abs(y) <= x * math.tan(LATERAL))


def forces_within(reach, seed, count=5000):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * reach


def test_one_way_is_the_frictional_adhesion_law():
    forces = forces_within(12.0, 1)
    assert (gecko().contains(forces, tolerance=0.0) == hairs(forces)).all()
    assert (gecko(cap=3.0).contains(forces, tolerance=0.0) == (hairs(forces) & (forces[:, 2] <= 3.0))).all()


def test_adhesion_is_the_shear_times_the_tangent_of_the_critical_angle():
    volume = gecko(10.0, math.radians(25.0))
    assert volume.support([0.0, 0.0, -1.0]) == pytest.approx(10.0 * math.tan(math.radians(25.0)), rel=1e-12)
    angles = np.radians([24.9, 25.1])
    pulls = np.column_stack([np.cos(angles), np.zeros(2), -np.sin(angles)])
    assert (volume.radial(pulls) > 1e-9).tolist() == [True, False]


def test_two_ways_are_the_union_of_both_and_not_convex():
    forces = forces_within(12.0, 2)
    volume = gecko_two_way()
    expected = hairs(forces) | hairs(forces * (-1.0, 1.0, 1.0))
    assert (volume.contains(forces, tolerance=1e-12) == expected).all()
    ends = np.array([[9.0, 0.0, -4.0], [-9.0, 0.0, -4.0]])
    assert volume.contains(ends).all()
    assert not volume.contains(ends.mean(axis=0))
    assert volume.hull().contains(ends.mean(axis=0))


def test_hairs_grow_linearly_with_the_shear_limit():
    directions = np.random.default_rng(3).normal(size=(200, 3))
    assert gecko_two_way(30.0, cap=30.0).support(directions) == pytest.approx(
        gecko_two_way(10.0, cap=10.0).scaled(3.0).support(directions)
    )


@pytest.mark.parametrize("facets", [4, 8, 16, 32])
@pytest.mark.parametrize("lateral", [None, 8.0])
def test_the_dry_adhesive_encloses_its_half_ellipsoid_to_the_stated_error(facets, lateral):
    shear, adhesion = 20.0, 5.0
    across = shear if lateral is None else lateral
    directions = np.random.default_rng(facets).normal(size=(3000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    semi = np.array([shear, across, adhesion])
    pulled = np.column_stack([directions[:, :2], np.minimum(directions[:, 2], 0.0)])
    exact = 1.0 / np.linalg.norm(pulled / semi, axis=1)
    inner = dry_adhesive(shear, adhesion, lateral=lateral, facets=facets).radial(directions)
    outer = dry_adhesive(shear, adhesion, lateral=lateral, facets=facets, side="outer").radial(directions)
    bands = max(2, facets // 4)
    worst = math.cos(math.pi / facets) * math.cos(0.25 * math.pi / bands)
    assert (inner <= exact * (1.0 + 1e-9)).all()
    assert (inner >= exact * worst * (1.0 - 1e-9)).all()
    assert (outer >= exact * (1.0 - 1e-9)).all()
    assert (outer <= exact / worst * (1.0 + 1e-9)).all()


def test_pressing_leaves_the_shear_limit_and_ends_at_the_cap():
    volume = dry_adhesive(20.0, 5.0, cap=50.0)
    assert volume.support([[1.0, 0, 0], [0, 0, 1.0], [0, 0, -1.0]]) == pytest.approx([20.0, 50.0, 5.0])
    assert volume.contains([20.0, 0.0, 50.0])


def test_a_fit_to_forces_on_the_ellipsoid_finds_its_axes():
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(60, 3))
    directions[:, 2] = -np.abs(directions[:, 2])
    semi = np.array([18.0, 11.0, 4.0])
    forces = directions / np.linalg.norm(directions / semi, axis=1, keepdims=True)
    fit = fit_dry_adhesive(forces)
    assert [fit.shear, fit.lateral, fit.adhesion] == pytest.approx(semi, rel=1e-9)
    assert fit.largest_error < 1e-9


def test_a_fit_to_scattered_forces_states_its_error():
    rng = np.random.default_rng(8)
    directions = rng.normal(size=(400, 3))
    directions[:, 2] = -np.abs(directions[:, 2])
    semi = np.array([18.0, 11.0, 4.0])
    forces = directions / np.linalg.norm(directions / semi, axis=1, keepdims=True)
    forces *= rng.normal(1.0, 0.05, (400, 1))
    fit = fit_dry_adhesive(forces)
    assert [fit.shear, fit.lateral, fit.adhesion] == pytest.approx(semi, rel=0.03)
    assert fit.rms_error == pytest.approx(0.05, rel=0.2)


@pytest.mark.parametrize(
    "forces", [np.ones((4, 2)), np.zeros((0, 3)), [[1.0, 0, 0]] * 4, [[1.0, 1, 1]] * 4, [[math.nan, 0, 0]] * 4]
)
def test_a_fit_to_too_little_is_refused(forces):
    with pytest.raises(HoldfastError):
        fit_dry_adhesive(forces)


@pytest.mark.parametrize(
    ("model", "bad"),
    [
        (gecko, {"shear": -1.0}),
        (gecko, {"alpha": 25.0}),
        (gecko, {"alpha": math.nan}),
        (gecko_two_way, {"lateral": -0.1}),
        (gecko_two_way, {"cap": 0.0}),
        (dry_adhesive, {"shear": 0.0}),
        (dry_adhesive, {"adhesion": -5.0}),
        (dry_adhesive, {"lateral": math.inf}),
        (dry_adhesive, {"facets": 3}),
        (dry_adhesive, {"side": "both"}),
    ],
)
def test_bad_parameters_are_named(model, bad):
    with pytest.raises(HoldfastError) as error:
        model(**bad)
    assert next(iter(bad)) in str(error.value)
