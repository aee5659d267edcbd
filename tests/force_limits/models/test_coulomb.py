"""Coulomb friction against its own formula."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import coulomb, pyramid


def use(forces, mu, lateral):
    """sqrt((f_x/mu)^2 + (f_y/lateral)^2) / f_z: at most 1 inside the cone, for f_z > 0."""
    return np.hypot(forces[:, 0] / mu, forces[:, 1] / lateral) / forces[:, 2]


def random_forces(seed, count=4000):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, 3))


@pytest.mark.parametrize("facets", [3, 4, 7, 16, 64])
@pytest.mark.parametrize(("mu", "lateral"), [(0.5, None), (0.2, 0.9), (2.0, 0.1)])
def test_membership_agrees_with_the_formula_to_the_stated_error(facets, mu, lateral):
    across = mu if lateral is None else lateral
    forces = random_forces(facets)
    inner = coulomb(mu, mu_lateral=lateral, facets=facets).contains(forces, tolerance=0.0)
    outer = coulomb(mu, mu_lateral=lateral, facets=facets, side="outer").contains(forces)
    exact = np.where(forces[:, 2] > 0.0, use(forces, mu, across), np.inf)
    worst = math.cos(math.pi / facets)
    assert not (inner & (exact > 1.0 + 1e-9)).any()
    assert inner[exact < worst - 1e-9].all()
    assert outer[exact <= 1.0].all()
    assert not (outer & (exact > 1.0 / worst + 1e-6)).any()


def test_the_stated_error_is_attained_half_way_between_two_edges():
    facets = 16
    half = math.pi / facets
    between = [math.cos(half), math.sin(half), 0.0]
    inner, outer = coulomb(0.5, facets=facets, cap=1.0), coulomb(0.5, facets=facets, cap=1.0, side="outer")
    assert inner.support(between) == pytest.approx(0.5 * math.cos(half), rel=1e-12)
    assert outer.support(between) == pytest.approx(0.5 / math.cos(half), rel=1e-12)


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_both_sides_are_exact_along_the_axes(side):
    volume = coulomb(0.4, mu_lateral=0.7, cap=10.0, side=side)
    at_cap = volume.support([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0], [0, 0, 1.0]])
    assert at_cap == pytest.approx([4.0, 4.0, 7.0, 7.0, 10.0], rel=1e-12)


def test_the_cap_limits_the_normal_force_and_nothing_else():
    volume, cone = coulomb(0.5, cap=20.0), coulomb(0.5)
    forces = random_forces(5) * 30.0
    assert (volume.contains(forces) == (cone.contains(forces) & (forces[:, 2] <= 20.0))).all()


def test_the_uncapped_cone_is_unbounded_and_the_same_at_every_scale():
    cone = coulomb(0.6)
    forces = random_forces(9)
    assert not cone.is_bounded
    assert cone.radial([0.0, 0.0, 1.0]) == math.inf
    assert (cone.contains(forces) == cone.contains(1e6 * forces, tolerance=1e-9)).all()


def test_pulling_is_impossible():
    assert coulomb(0.9, cap=5.0).radial([[0, 0, -1.0], [1, 0, -1e-3], [1, 0, 0]]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("cap", [None, 8.0])
def test_without_friction_only_a_straight_push_is_left(cap):
    volume = coulomb(0.0, cap=cap)
    assert volume.is_star_shaped
    assert volume.contains([[0, 0, 5.0], [0, 0, 0.0]]).all()
    assert not volume.contains([[0.1, 0, 5.0], [0, 0, -0.1]]).any()
    assert volume.radial([0.0, 0, 1.0]) == (math.inf if cap is None else pytest.approx(8.0))


def test_friction_in_one_direction_only_is_a_flat_cone():
    volume = coulomb(0.0, mu_lateral=0.5, cap=10.0)
    assert volume.contains([0.0, 4.9, 10.0])
    assert not volume.contains([[0.0, 5.2, 10.0], [0.1, 0.0, 10.0]]).any()


@pytest.mark.parametrize("lateral", [None, 0.25])
def test_the_pyramid_is_a_diamond_inside_and_a_rectangle_outside(lateral):
    mu, across = 0.5, 0.5 if lateral is None else lateral
    forces = random_forces(11)
    x, y, z = forces.T
    inside = np.abs(x) / mu + np.abs(y) / across - z
    outside = np.maximum(np.abs(x) / mu, np.abs(y) / across) - z
    clear = (np.abs(inside) > 1e-6) & (np.abs(outside) > 1e-6)
    assert (pyramid(mu, mu_lateral=lateral).contains(forces) == (inside <= 0))[clear].all()
    assert (pyramid(mu, mu_lateral=lateral, side="outer").contains(forces) == (outside <= 0))[clear].all()


def test_inner_is_inside_outer_and_finer_is_larger():
    coarse, fine, around = (
        coulomb(0.5, cap=1.0, facets=8),
        coulomb(0.5, cap=1.0, facets=16),
        coulomb(0.5, cap=1.0, side="outer"),
    )
    assert coarse.volume < fine.volume < math.pi * 0.25 / 3.0 < around.volume
    assert fine.contains(coarse.pieces[0]).all()


@pytest.mark.parametrize(
    "bad",
    [
        {"mu": -0.1},
        {"mu": math.nan},
        {"mu": 1e6},
        {"mu": "slippery"},
        {"mu_lateral": -1.0},
        {"facets": 2},
        {"facets": 1.5},
        {"facets": 10**6},
        {"cap": 0.0},
        {"cap": -3.0},
        {"cap": math.inf},
        {"cap": 1e30},
        {"side": "middle"},
    ],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        coulomb(**bad)
    assert next(iter(bad)) in str(error.value)
