from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import GeometryError, SceneError
from holdfast.papers.devices import create
from holdfast.scenes import load_scene
from holdfast.scenes.page_contact_sources import (
    TWO_FINGERS,
    TWO_OPPOSED_UNITS,
    DeviceSource,
    FileSource,
    PostureControl,
    four_fingers,
    initial_posture,
    with_volumes_of,
)


@pytest.mark.parametrize("source", [TWO_OPPOSED_UNITS, TWO_FINGERS, four_fingers("opposed"), four_fingers("parallel")])
def test_a_device_begins_as_the_paper_has_it(source: DeviceSource) -> None:
    scene = source.scene(initial_posture(source))
    words = {control.name: control.initial for control in source.controls if control.choices}
    device = create(source.device, **source.fixed, **words)
    assert np.allclose(scene.assembly.positions, np.array([c.position for c in device.contacts]))
    assert scene.mass == device.object.mass
    assert np.allclose(scene.assembly.joints.lower, device.joint_rows(scene.gravity).lower)  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("source", [TWO_OPPOSED_UNITS, TWO_FINGERS, four_fingers("opposed")])
def test_every_end_of_a_posture_slider_is_a_posture(source: DeviceSource) -> None:
    for control in source.controls:
        for value in control.choices or (control.low, control.high):
            assert len(source.scene(initial_posture(source) | {control.name: value}).assembly) > 0


def test_an_impossible_posture_is_told() -> None:
    source = DeviceSource("2OU", (PostureControl("half_distance", "d [mm]", 200.0, scale=1e-3),))
    with pytest.raises(GeometryError, match="upper half"):
        source.scene(initial_posture(source))


def test_a_file_is_read_anew_each_time_and_a_broken_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("version: 1\ncontacts: [")
    with pytest.raises(SceneError, match=r"scene\.yaml"):
        FileSource(path).scene({})
    assert len(FileSource("@block_on_three_points").scene({}).assembly) == 3


def test_equal_volumes_become_the_same_object_and_nothing_else_changes() -> None:
    first, second = load_scene("@two_opposed_units"), load_scene("@two_opposed_units")
    volume = first.assembly.contacts[0].volume
    shared = with_volumes_of(second, [volume])
    assert all(contact.volume is volume for contact in shared.assembly.contacts)
    assert shared.fingerprint == second.fingerprint
