"""Magnets against their formula."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import coulomb, magnet


def test_a_magnet_is_the_friction_cone_lowered_by_its_attraction():
    forces = np.random.default_rng(1).uniform(-1.0, 1.0, (4000, 3)) * 200.0
    lowered = coulomb(0.3).contains(forces + np.array([0.0, 0.0, 100.0]), tolerance=1e-9)
    assert (magnet(100.0, 0.3).contains(forces) == lowered).all()


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_membership_is_the_formula_to_the_stated_error(side):
    attraction, mu, facets = 80.0, 0.4, 24
    forces = np.random.default_rng(2).uniform(-1.0, 1.0, (4000, 3)) * 120.0
    reserve = forces[:, 2] + attraction
    use = np.hypot(forces[:, 0], forces[:, 1]) / (mu * np.where(reserve > 0, reserve, np.nan))
    found = magnet(attraction, mu, facets=facets, side=side).contains(forces)
    worst = math.cos(math.pi / facets)
    surely, never = (worst - 1e-6, 1.0 + 1e-6) if side == "inner" else (1.0, 1.0 / worst + 1e-6)
    assert found[use <= surely].all()
    assert not found[~(use <= never)].any()


def test_pull_off_and_slip_forces():
    volume = magnet(100.0, 0.3, cap=50.0)
    assert volume.radial([[0, 0, -1.0], [1.0, 0, 0], [0, 0, 1.0]]) == pytest.approx([100.0, 30.0, 50.0])


def test_forces_grow_linearly_with_the_attraction():
    directions = np.random.default_rng(3).normal(size=(100, 3))
    assert magnet(10.0, cap=10.0).support(directions) == pytest.approx(
        magnet(1.0, cap=1.0).scaled(10).support(directions)
    )


@pytest.mark.parametrize(
    "bad", [{"attraction": 0.0}, {"attraction": -1.0}, {"mu": math.nan}, {"facets": 0}, {"cap": math.nan}]
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        magnet(**bad)
    assert next(iter(bad)) in str(error.value)
