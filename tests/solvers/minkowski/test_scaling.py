"""Scaled coordinates: products stay, and places are found in the maps."""

from __future__ import annotations

import numpy as np

from holdfast.solvers.minkowski.scaling import Scaling, cross, palm_positions
from tests.solvers.minkowski.sum_cases import placed, random_maps


def test_multipliers_give_the_same_product_in_both_forms():
    rng = np.random.default_rng(0)
    scaling = Scaling(rng.normal(size=3) * 100.0, 0.2, 35.0)
    y, wrench = rng.normal(size=6), rng.normal(size=6)
    assert np.isclose(scaling.multipliers(y) @ wrench, y @ (scaling.to_scaled @ wrench))


def test_a_force_at_the_centre_has_no_torque():
    centre, force = np.array([100.0, -50.0, 3.0]), np.array([1.0, 2.0, 3.0])
    scaled = Scaling(centre, 0.1, 1.0).to_scaled @ np.concatenate([force, np.cross(centre, force)])
    assert np.allclose(scaled[:3], force) and np.abs(scaled[3:]).max() <= 1e-11


def test_palms_are_found_in_their_maps():
    rng = np.random.default_rng(1)
    turns = random_maps(rng, 4)[:, :3, :3]
    positions = rng.normal(size=(4, 3))
    maps = np.array([placed(turn, position) for turn, position in zip(turns, positions, strict=True)])
    assert np.allclose(palm_positions(maps), positions)
    assert np.allclose(cross(positions[0]) @ positions[1], np.cross(positions[0], positions[1]))
