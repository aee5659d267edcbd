from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.loads import (
    STANDARD_GRAVITY,
    checked_gravity,
    circle_directions,
    force_wrench,
    gravity_wrench,
    sphere_directions,
)
from holdfast.errors import HoldfastError, UnitError


def test_the_weight_acts_at_the_centre_of_mass():  # (16)
    wrench = gravity_wrench(2.0, [0, 0, -10.0], [0.5, 0, 3.0])
    np.testing.assert_allclose(wrench, [0, 0, -20.0, 0, 10.0, 0])


def test_gravity_is_down_and_at_the_origin_by_default():
    np.testing.assert_allclose(gravity_wrench(1.0), [0, 0, -STANDARD_GRAVITY, 0, 0, 0])


@given(st.integers(0, 1000))
def test_many_small_masses_weigh_the_same_as_one_at_their_centre(seed):
    rng = np.random.default_rng(seed)
    masses, places, gravity = rng.uniform(0.1, 2, 6), rng.normal(size=(6, 3)), rng.normal(size=3)
    apart = sum(gravity_wrench(m, gravity, x) for m, x in zip(masses, places, strict=True))
    together = gravity_wrench(masses.sum(), gravity, masses @ places / masses.sum())
    np.testing.assert_allclose(apart, together, atol=1e-12)


def test_a_force_at_a_point_turns_about_the_origin_and_a_couple_adds_to_it():
    assert np.allclose(force_wrench((0, 0, 2), at=(1, 0, 0), torque=(0, 0, 5)), [0, 0, 2, 0, -2, 5])
    com = (0.1, -0.2, 0.3)
    assert np.allclose(force_wrench((0, 0, -19.62), com), gravity_wrench(2.0, (0, 0, -9.81), com))
    with pytest.raises(HoldfastError, match="at"):
        force_wrench((0, 0, 1), at=(0, 0))


def test_a_circle_starts_down_and_goes_by_way_of_x():
    np.testing.assert_allclose(circle_directions(4), [[0, 0, -1], [1, 0, 0], [0, 0, 1], [-1, 0, 0]], atol=1e-15)


@given(st.integers(0, 1000), st.integers(3, 90))
def test_a_circle_is_even_flat_and_of_unit_length(seed, n):
    start, towards = np.random.default_rng(seed).normal(size=(2, 3))
    directions = circle_directions(n, start, towards)
    assert directions.shape == (n, 3)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    steps = (directions * np.roll(directions, -1, axis=0)).sum(axis=1)
    np.testing.assert_allclose(steps, np.cos(2 * np.pi / n), atol=1e-12)
    np.testing.assert_allclose(directions @ np.cross(start, towards), 0.0, atol=1e-9)
    assert directions[0] @ start > 0
    assert directions[1] @ towards > directions[-1] @ towards


def test_sphere_directions_are_unit_even_and_repeat():
    directions = sphere_directions(2000)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    np.testing.assert_allclose(directions.mean(axis=0), 0.0, atol=1e-3)
    np.testing.assert_allclose(directions.T @ directions / 2000, np.eye(3) / 3, atol=2e-3)
    np.testing.assert_array_equal(directions, sphere_directions(2000))
    nearest = np.sort(directions @ directions.T, axis=1)[:, -2]
    spacing = np.sqrt(4 * np.pi / 2000)
    assert np.arccos(nearest.max()) > 0.5 * spacing
    assert np.arccos(nearest.min()) < 1.5 * spacing
    assert sphere_directions(1).shape == (1, 3)


@pytest.mark.parametrize(
    "ask, where",
    [
        (lambda: gravity_wrench(0.0), "mass"),
        (lambda: gravity_wrench(-1.0), "mass"),
        (lambda: gravity_wrench(np.nan), "mass"),
        (lambda: gravity_wrench(1e12), "mass"),
        (lambda: gravity_wrench(1e-12), "mass"),
        (lambda: gravity_wrench("heavy"), "mass"),
        (lambda: gravity_wrench(1.0, [0, 0]), "gravity"),
        (lambda: gravity_wrench(1.0, [0, 0, np.inf]), "gravity[2]"),
        (lambda: gravity_wrench(1.0, com=[0, np.nan, 0]), "com[1]"),
        (lambda: circle_directions(0), "n"),
        (lambda: circle_directions(2.5), "n"),
        (lambda: circle_directions(4, [0, 0, 0]), "start"),
        (lambda: circle_directions(4, [0, 0, 1], [0, 0, -2]), "towards"),
        (lambda: sphere_directions(0), "n"),
    ],
)
def test_bad_input_is_a_holdfast_error_that_names_it(ask, where):
    with pytest.raises(HoldfastError) as caught:
        ask()
    assert caught.value.where == where
    assert caught.value.fix


def test_gravities_are_zero_or_of_a_size_that_occurs() -> None:
    assert checked_gravity("gravity", (0, 0, 0)).tolist() == [0.0, 0.0, 0.0]
    assert checked_gravity("gravity", (0, 0, -9.81))[2] == -9.81
    for size in (1e-10, 1e10):
        with pytest.raises(UnitError, match=r"gravity: is .* m/s\^2 .accelerations are 1e-09 to 1e\+09"):
            checked_gravity("gravity", (0, size, 0))
