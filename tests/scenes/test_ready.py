from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import SceneError
from holdfast.scenes import load_scene, ready_names, ready_path

CONDITIONS = ["d_d", "d_md", "d_pmd", "md_md", "md_pmd", "pmd_pmd"]


def test_the_ready_scenes_are_there() -> None:
    wanted = {"block_on_three_points", "microspine_pull", "two_opposed_units", "gecko_on_glass", "suction_cup"}
    wanted |= {f"two_finger_gripper_{name}" for name in CONDITIONS}
    wanted |= {f"four_finger_hand_{name}" for name in ("parallel", "opposed")}
    assert wanted <= set(ready_names())


def test_a_name_leads_to_its_file_and_a_path_to_itself() -> None:
    assert ready_path("@suction_cup").name == "suction_cup.yaml"
    assert ready_path("suction_cup") == Path("suction_cup")


def test_a_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(SceneError, match="did you mean '@suction_cup'"):
        load_scene("@suction_cap")


@pytest.mark.parametrize("name", ready_names())
def test_a_ready_scene_begins_with_what_it_is(name: str) -> None:
    first = ready_path(f"@{name}").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert 20 < len(first) <= 120


@pytest.mark.parametrize(
    ("name", "load", "holds"),
    [
        ("block_on_three_points", None, True),
        ("block_on_three_points", "push", True),
        ("block_on_three_points", "shove", False),
        ("block_on_three_points", "edge", False),
        ("gecko_on_glass", None, True),
        ("gecko_on_glass", "tail", True),
        ("gecko_on_glass", "tug", True),
        ("gecko_on_glass", "yank", False),
        ("suction_cup", None, True),
        ("suction_cup", "swing", True),
        ("suction_cup", "jerk", False),
        ("microspine_pull", None, False),
        ("microspine_pull", "along the spines", True),
        ("microspine_pull", "against the spines", False),
    ],
)
def test_a_ready_scene_does_what_its_comments_say(name: str, load: str | None, holds: bool) -> None:
    scene = load_scene(f"@{name}")
    wrench = scene.gravity_load() + (0.0 if load is None else scene.load(load))
    answer = hf.equilibrium(scene.assembly, wrench)
    assert answer.holds is holds
    assert answer.verify()


def test_the_hull_of_the_microspine_unit_would_hold_what_the_unit_does_not() -> None:
    scene = load_scene("@microspine_pull")
    (contact,) = scene.assembly.contacts
    force = contact.rotation.T @ -scene.gravity_load()[:3]
    assert contact.volume.hull().contains(force)
    assert not contact.volume.contains(force)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_gripper_scene_is_the_device_of_its_name(name: str) -> None:
    left, right = name.upper().split("_")
    scene = load_scene(f"@two_finger_gripper_{name}")
    device = hf.devices.create("2FG", left=left, right=right)
    expected = device.assembly(scene.gravity)
    assert np.allclose(scene.assembly.positions, expected.positions)
    assert scene.assembly.joints is not None
    assert expected.joints is not None
    assert np.allclose(scene.assembly.joints.lower, expected.joints.lower)
    assert np.allclose(scene.gravity_load(), device.weight(scene.gravity))


@pytest.mark.parametrize(("name", "contacts"), [("parallel", 48), ("opposed", 48)])
def test_a_hand_scene_is_the_device_of_its_name(name: str, contacts: int) -> None:
    scene = load_scene(f"@four_finger_hand_{name}")
    expected = hf.devices.create("4FH", fingers=name).assembly()
    assert len(scene.assembly) == contacts
    assert np.allclose(scene.assembly.rotations, expected.rotations)


def test_the_measured_gripper_has_the_measured_unit() -> None:
    scene = load_scene("@measured_gripper")
    volume = scene.assembly.contacts[0].volume
    assert 2 <= len(volume) <= 6
    assert len(scene.assembly) == 12
