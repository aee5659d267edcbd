"""Scene files: what is written is what is asked, saved scenes answer the same, ready scenes do what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf

BLOCK = """\
holdfast: 1
name: block
object: {mass: 2.0, com: [0, 0, 0.05]}
loads: {push: {force: [5, 0, 0], at: [0, 0, 0.05]}}
volumes: {rubber: {model: coulomb, mu: 0.6, cap: 100}}
contacts:
  - {name: front, position: [0.1, 0.0, 0.0], normal: [0, 0, 1], volume: rubber}
  - {name: left, position: [-0.1, 0.1, 0.0], normal: [0, 0, 1], shear: [1, 0, 0], volume: rubber}
  - {name: right, position: [-0.1, -0.1, 0.0], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume: rubber}
joints:
  - {kind: hinge, name: lever, axis: [0, 1, 0], through: [0, 0, -0.1], contacts: [front], torque: 4}
"""

#: What the ready scenes say of themselves.
SAID = {
    "arch": True, "ball_in_groove": True, "block_on_slope": True, "block_on_steep_slope": False,
    "block_on_three_points": True, "gecko_on_glass": True, "h_block_between_walls": True, "microspine_pull": False,
    "nail_between_walls": True, "stacked_cubes": True, "suction_cup": True, "two_opposed_units": True,
}  # fmt: skip


def test_a_scene_has_the_contacts_joints_and_loads_that_are_written(tmp_path: Path):
    path = tmp_path / "scene.yaml"
    path.write_text(BLOCK, encoding="utf-8")
    scene = hf.load(path)
    by_hand = hf.Assembly(
        [hf.Contact(p, np.eye(3), hf.models.coulomb(0.6, cap=100)) for p in ((0.1, 0, 0), (-0.1, 0.1, 0), (-0.1, -0.1, 0))],
        # the lever feels the moment of the front contact's force about y through (0, 0, -0.1)
        hf.JointRows([[0.1, 0, -0.1, 0, 0, 0, 0, 0, 0]], [-4.0], [4.0]),
    )  # fmt: skip
    weight = hf.loads.gravity_wrench(2.0, com=(0, 0, 0.05))
    np.testing.assert_allclose(scene.gravity_load(), weight, rtol=1e-12)
    for load in (weight, weight + [5, 0, 0, 0, 0.25, 0], np.array([1.0, 0.4, -1.0, 0, 0.02, 0.01])):
        assert hf.load_limit(scene.assembly, load).value == pytest.approx(hf.load_limit(by_hand, load).value, rel=2e-6)
    again = tmp_path / "again.yaml"
    hf.scenes.save_scene(scene, again)
    saved = hf.load(again)
    for one, other in zip(scene.assembly.contacts, saved.assembly.contacts, strict=True):
        np.testing.assert_allclose(one.position, other.position)
        np.testing.assert_allclose(one.rotation, other.rotation, atol=1e-12)
        assert one.volume.fingerprint == other.volume.fingerprint and one.name == other.name
    np.testing.assert_allclose(saved.assembly.joints.jacobian, scene.assembly.joints.jacobian, atol=1e-12)


@pytest.mark.parametrize("name", SAID)
def test_ready_scenes_hold_or_do_not_as_they_say(name):
    scene = hf.scenes.load_scene(f"@{name}")
    found = hf.equilibrium(scene.assembly, scene.gravity_load())
    assert found.verify() and found.holds is SAID[name]


def test_stacked_cubes_tip_at_one_in_two():
    scene = hf.scenes.load_scene("@stacked_cubes")
    held = [
        hf.equilibrium(scene.assembly, scene.with_gravity((s, 0, -1.0)).gravity_load()).holds for s in (0.499, 0.501)
    ]
    assert held == [True, False]


def test_a_scene_with_other_gravity_has_another_weight():
    scene = hf.scenes.load_scene("@block_on_slope").with_gravity((1.0, 2.0, -3.0))
    assert scene.gravity_load()[:3] == pytest.approx([1.0, 2.0, -3.0])  # 1 kg
