"""All load directions: values of the referee, proofs of inner points and outer planes, supports, membership."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import holdfast as hf
from holdfast.wrench_spaces import Rays, Subspace
from tests.nightly import nightly_after
from tests.referee import assert_forces_hold, block, random_case, verdict
from tests.wrench_spaces.known_spaces import largest

BOX = hf.ForceVolume([block([-4, -3, -2], [4, 3, 2])])


def bounded(seed: int):
    return random_case(12 * (seed // 12) + (seed % 4) * 3, most_choices=12)


@pytest.mark.parametrize("seed", nightly_after(8, range(100)))
def test_values_are_those_of_the_referee_and_prove_themselves(seed):
    case = bounded(seed)
    rays = np.vstack([case.direction, Rays.random(case.assembly, 3, seed=seed).directions])
    space = hf.wrench_space(case.assembly, rays, workers=1)
    assert space.verify()
    strongest = max(float(np.abs(p).max()) for c in case.assembly.contacts for p in c.volume.pieces)
    for i, direction in enumerate(rays):
        expected = verdict(case.assembly, direction).largest
        floor = 1e-8 * strongest / np.abs(direction).max()
        assert space.values[i] == pytest.approx(expected, rel=2e-6, abs=floor)
        if np.isfinite(expected):
            assert_forces_hold(case.assembly, space.points[i], space.forces[i], space.pieces[i])
            plane = space.normals[i]
            if np.isfinite(space.offsets[i]):
                beyond = 1.001 * space.offsets[i] / float(plane @ direction) if plane @ direction > 1e-9 else 0.0
                assert not beyond > 0.0 or not hf.equilibrium(case.assembly, beyond * direction).holds
    assert not dataclasses.replace(space, values=1.01 * space.values + 0.01).verify()


@pytest.mark.parametrize("seed", nightly_after(5, range(60)))
def test_supports_are_those_of_a_mixed_integer_program(seed):
    case = random_case(3 * seed, most_choices=12)
    normals = np.random.default_rng(seed).normal(size=(2, 6)) / np.repeat([1.0, case.assembly.length], 3)
    found = hf.wrench_spaces.wrench_supports(case.assembly, normals)
    assert found.verify()
    strongest = max(float(np.abs(p).max()) for c in case.assembly.contacts for p in c.volume.pieces)
    for i, normal in enumerate(normals):
        assert found.values[i] == pytest.approx(
            largest(case.assembly, np.eye(6), normal), rel=1e-6, abs=1e-7 * strongest
        )


def test_a_single_contact_holds_its_own_volume_turned_about():
    space = hf.wrench_space(hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), BOX)]), "fx,fy,fz", workers=1)
    expected = 1.0 / (np.abs(space.directions[:, :3]) / [4, 3, 2]).max(axis=1)
    np.testing.assert_allclose(space.values, expected, rtol=2e-6)
    extents = hf.wrench_spaces.wrench_extents(space.assembly)
    np.testing.assert_allclose(extents.values[:3], [[-4, 4], [-3, 3], [-2, 2]], rtol=1e-6)


@pytest.mark.parametrize("seed", nightly_after(4, range(40)))
def test_membership_is_never_contradicted_by_the_referee(seed):
    case = bounded(seed)
    space = hf.wrench_space(case.assembly, Rays.random(case.assembly, 4, seed=seed), workers=1)
    rng = np.random.default_rng(seed)
    loads = np.vstack([space.directions[i % 4] * space.values[i % 4] * rng.uniform(0.2, 1.4) for i in range(4)])
    told = space.contains(loads)
    for i, load in enumerate(loads):
        if not np.abs(load).max() > 1e-9 or not np.isfinite(load).all():
            continue
        found = verdict(case.assembly, load)
        if found.largest < 1.0 - 1e-6:
            assert not told.inside[i]
        elif found.least < 1.0 - 1e-6 and found.largest > 1.0 + 1e-6:
            assert not told.outside[i]


def test_a_subspace_has_its_axes_and_torques_count_by_the_length():
    named = Subspace.named("fz,ty,fx", length=0.5)
    np.testing.assert_array_equal(named.axes.T @ np.arange(6.0) if named.axes.shape[0] == 6 else named.axes @ np.arange(6.0),
                                  [2.0, 4.0, 0.0])  # fmt: skip
    sphere = named.directions(np.eye(3))
    np.testing.assert_allclose(np.abs(sphere).max(axis=1), [1.0, 0.5, 1.0])


def test_designs_are_compared_by_the_same_directions():
    weak = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), BOX), hf.Contact((0.1, 0, 0), np.eye(3), BOX)])
    strong = hf.Assembly([dataclasses.replace(c, volume=c.volume.scaled(2.0)) for c in weak.contacts])
    found = json.dumps(hf.wrench_spaces.compare({"weak": weak, "strong": strong}, level=1, workers=1).to_dict())
    assert "weak" in found and "strong" in found
