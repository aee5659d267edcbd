"""Between the world and the scaled program: nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski.queries import scaled, world_multipliers
from holdfast.solvers.minkowski.scaling import Scaling, palm_positions
from tests.solvers.minkowski.sum_cases import LENGTH, Sum, cone, random_maps


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_placing_scales_as_the_plain_formula_does(far):
    rng = np.random.default_rng(0)
    hands = Sum(
        [(rng.normal(size=(9, 6)), None), (rng.normal(size=(1, 6)), cone(4))], [0, 1, 1], random_maps(rng, 3, far=far)
    )
    tables, pool, _, scene, _ = hands.solver().parts
    assert np.allclose(scene.centre, palm_positions(hands.maps).mean(axis=0))
    plain = Scaling(scene.centre, LENGTH, scene.units[1])
    assert np.allclose(pool.maps, plain.to_scaled @ hands.maps, atol=1e-10)
    single = sum(plain.to_scaled @ hands.maps[j] @ hands.shapes[1][0][0] for j in (1, 2))
    assert np.allclose(scene.single, single, atol=1e-10)
    wrench, found = rng.normal(size=6), np.zeros(6)
    scaled(scene, wrench, found)
    assert np.allclose(found, plain.to_scaled @ wrench)
    y, world = rng.normal(size=6), np.zeros(6)
    world_multipliers(scene, y, 2.0, world)
    assert np.allclose(world, 2.0 * plain.multipliers(y))
    assert tables.row_of.tolist() == [6, -1, -1]


def test_hands_on_top_of_each_other_far_away_do_not_drown_their_torques():
    rng = np.random.default_rng(1)
    vertices = rng.normal(size=(80, 6)) * np.repeat([1.0, LENGTH], 3)
    near = Sum([(vertices, None)], [0, 0], random_maps(rng, 2))
    shift = np.eye(6)
    shift[3:, :3] = [[0.0, -1e3, 1e3], [1e3, 0.0, -1e3], [-1e3, 1e3, 0.0]]
    far = near._replace(maps=shift @ near.maps)
    direction = rng.normal(size=6) * np.repeat([1.0, LENGTH], 3)
    values = [
        hands.solver().maximise(np.zeros(6), (move @ direction)[None], [1.0]).value
        for hands, move in ((near, np.eye(6)), (far, shift))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
