"""Probability of several bodies: against a plain loop over weakened assemblies."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box
from holdfast.reliability import Scatter
from holdfast.scenes import Scene
from holdfast.statics.solver import weakened


def hanging(count: int, pull: float) -> Scene:
    """Cubes of 1 kg that hang by magnets, `pull` [N] at each interface."""
    bodies = [
        hf.RigidBody(1.0, name=f"cube {at}", shape=Box([0.1] * 3, hf.Pose(np.eye(3), [0, 0, -0.1 * at - 0.05])))
        for at in range(count)
    ]
    ceiling = Box([1.0, 1.0, 0.1], hf.Pose(np.eye(3), [0, 0, 0.05]))
    return Scene.touching(bodies, hf.models.magnet(pull, 0.3, cap=1e3), world=[ceiling], share="region")


@pytest.mark.parametrize("count", [2, 8])
def test_each_sample_is_that_of_a_plain_loop(count):
    """Every draw of strengths gives the verdict of the assembly that is weakened by it."""
    scene = hanging(count, 1.15 * count * 9.80665)
    load = scene.gravity_load()
    found = hf.probability(scene.assembly, load, Scatter(strength=0.2), n=40, seed=3)
    draws = found.sampler.plan.draws(found.sampler.plan.scores(3, 0, 40))
    expected = []
    for scales in draws.scales:
        weaker = weakened(scene.assembly, scales)
        expected.append(hf.equilibrium(weaker, load).holds)
    assert found.value == pytest.approx(np.mean(expected))
    assert 0.0 < found.value < 1.0
    again = hf.probability(scene.assembly, load, Scatter(strength=0.2), n=40, seed=3)
    assert again.value == found.value


def test_a_chain_holds_as_often_as_all_its_magnets_do():
    """Interface i bears i + 1 cubes: the probabilities of independent interfaces are multiplied."""
    scene = hanging(3, 40.0)
    found = hf.probability(scene.assembly, scene.gravity_load(), Scatter(strength=0.2), n=2000, seed=1)
    rng = np.random.default_rng(0)
    strengths = 40.0 * np.maximum(1.0 + 0.2 * rng.normal(size=(200_000, 3)), 0.0)
    needed = 9.80665 * np.array([3.0, 2.0, 1.0])
    expected = float((strengths >= needed).all(axis=1).mean())
    low, high = found.interval
    assert low - 0.01 <= expected <= high + 0.01
