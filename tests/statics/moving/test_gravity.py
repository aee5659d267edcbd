from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, InputError
from holdfast.solvers import Status
from holdfast.statics.paths import GravityTask, gravity_sweep


def test_every_verdict_and_factor_is_that_of_a_cold_question() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    found = gravity_sweep(device, 20)
    assert len(found) == 20
    assert found.verified.all()
    assert 0 < found.holds.sum() < 20
    for i in range(0, 20, 3):
        gravity = found.gravities[i]
        assert np.allclose(gravity, 9.80665 * hf.loads.circle_directions(20)[i])
        assembly, weight = device.assembly(gravity), device.weight(gravity)
        assert found.status[i] is hf.equilibrium(assembly, weight).status
        limit = hf.load_limit(assembly, weight)
        assert found.factors[i] == pytest.approx(limit.value, rel=2e-6, abs=1e-6)
        assert found.factors[i] <= found.upper_bounds[i]
    assert found.least_factor == found.factors.min()


def test_a_scene_is_swept_over_the_sphere_without_factors() -> None:
    scene = hf.load_scene("@block_on_three_points")
    directions = hf.loads.sphere_directions(12)
    found = gravity_sweep(scene, directions, factors=False)
    assert np.isnan(found.factors).all()
    for direction, status in zip(directions, found.status, strict=True):
        turned = scene.turned(direction)
        assert status is hf.equilibrium(turned.assembly, turned.gravity_load()).status


def test_a_journal_is_resumed_with_the_same_bytes_and_belongs_to_its_gripper(tmp_path: Path) -> None:
    device, path = hf.devices.two_opposed_units(), tmp_path / "sweep.jsonl"
    whole = gravity_sweep(device, 40, journal=path)
    wanted = path.read_bytes()
    path.unlink()

    def stop(done: int, total: int) -> None:
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gravity_sweep(device, 40, journal=path, progress=stop)
    asked: list[int] = []
    again = gravity_sweep(device, 40, journal=path, progress=lambda done, total: asked.append(done))
    assert asked[0] == 16  # what was saved is not asked again
    assert path.read_bytes() == wanted
    assert np.array_equal(again.factors, whole.factors)
    heavier = hf.devices.two_opposed_units(dimensions=hf.devices.OpposedUnitsDimensions(object_mass=0.5))
    with pytest.raises(FileError, match="another sweep"):
        gravity_sweep(heavier, 40, journal=path)


def test_a_task_answers_in_json_whoever_asks() -> None:
    task = GravityTask(hf.devices.two_opposed_units())
    one = task([0.0, 0.0, -9.8])
    assert json.loads(json.dumps(one)) == one
    assert one["status"] == "holds"
    scene = hf.load_scene("@block_on_three_points")
    assert GravityTask(scene)([0.0, 0.0, -9.8])["load_factor"] == "inf"
    assert gravity_sweep(scene, [(0, 0, -1)]).factors[0] == np.inf


def test_a_method_that_fails_leaves_its_direction_open() -> None:
    class Broken:
        def test(self, problem):
            from holdfast.errors import SolverError

            raise SolverError("gave up")

        maximise = test

    found = gravity_sweep(hf.devices.two_opposed_units(), 3, method=Broken())
    assert [status is Status.UNDECIDED for status in found.status] == [True] * 3
    assert not found.verified.any()


def test_bad_directions_are_refused() -> None:
    device = hf.devices.two_opposed_units()
    with pytest.raises(InputError, match="is empty"):
        gravity_sweep(device, np.zeros((0, 3)))
    with pytest.raises(InputError, match=r"directions\[1\]"):
        gravity_sweep(device, [(0, 0, -1), (0, 0, 0)])
    with pytest.raises(InputError):
        gravity_sweep(device, 0)
