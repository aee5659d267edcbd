"""Faults of scene files: each a SceneError with file, line, field and fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import SceneError
from holdfast.scenes import load_scene, scene_faults

Write = Callable[..., Path]

#: (what to replace, by what, line, field, words of the message) in the scene of conftest.
FAULTS = [
    ("holdfast: 1", "holdfast: 2", 1, "holdfast", "version 2, this Holdfast reads up to 1.*newer Holdfast"),
    ("holdfast: 1", "holdfast: one", 1, "holdfast", "no version.*holdfast: 1"),
    ("holdfast: 1", "holdfast: true", 1, "holdfast", "no version"),
    ("holdfast: 1\n", "", 1, "holdfast", "is missing"),
    ("name: block", "nam: block", 2, "nam", "not a field here.*did you mean 'name'"),
    ("mass: 2.0", "mass: -2.0", 4, "object.mass", "is -2 .*at least"),
    ("mass: 2.0", "mass: 0", 4, "object.mass", "is 0 "),
    ("mass: 2.0", "mass: heavy", 4, "object.mass", "the text 'heavy'.*give a number"),
    ("mass: 2.0", "mass: true", 4, "object.mass", "is true.*give a number"),
    ("mass: 2.0", "mass: '2.0'", 4, "object.mass", "the text '2.0'.*give a number"),
    ("mass: 2.0", "mass: 1e300", 4, "object.mass", "at most 1e\\+09"),
    ("mass: 2.0", "mass: .inf", 4, "object.mass", "is inf.*finite"),
    ("com: [0, 0, 0.05]", "com: [0, 0]", 5, "object.com", "has 2 entries.*at least 3"),
    ("com: [0, 0, 0.05]", "com: [0, 0, .nan]", 5, "object.com[2]", "is nan.*finite"),
    ("com: [0, 0, 0.05]", "com: 3", 5, "object.com", "is 3.*give a list"),
    ("kind: box", "kind: bix", 6, "object.shape.kind", "no shape 'bix'.*did you mean 'box'"),
    ("kind: box, ", "", 6, "object.shape", "has no kind.*box, cylinder, sphere, mesh"),
    ("kind: box, ", "kid: box, ", 6, "object.shape.kid", "did you mean 'kind'"),
    ("size: [0.3", "size: [0", 6, "object.shape.size[0]", "is 0.*at least 1e-06"),
    ("force: [5, 0, 0]", "forse: [5, 0, 0]", 8, "loads.push.forse", "did you mean 'force'"),
    ("model: coulomb", "model: colomb", 11, "volumes.rubber.model", "no model 'colomb'.*did you mean 'coulomb'"),
    ("model: coulomb", "modell: coulomb", 11, "volumes.rubber.modell", "did you mean 'model'"),
    ("    model: coulomb\n", "", 10, "volumes.rubber", "model, measurements, surface, pieces, file"),
    ("mu: 0.6", "mus: 0.6", 12, "volumes.rubber.mus", "did you mean 'mu'"),
    ("mu: 0.6", "mu: -0.6", 12, "volumes.rubber.mu", "is -0.6"),
    ("cap: 100", "facets: 1000000000", 13, "volumes.rubber.facets", "from 3 to 720"),
    ("cap: 100", "facets: 4.5", 13, "volumes.rubber.facets", "is 4.5.*whole number"),
    ("cap: 100", "side: iner", 13, "volumes.rubber.side", "'iner'.*did you mean 'inner'"),
    ("name: front\n    position: [0.1, 0.0, 0.0]", "name: front", 15, "contacts[0].position", "is missing.*\\[m\\]"),
    ("normal: [0, 0, 1]", "norml: [0, 0, 1]", 17, "contacts[0].norml", "did you mean 'normal'"),
    ("normal: [0, 0, 1]\n", "scale: 1\n", 15, "contacts[0]", "has no frame.*normal with shear, or rotation"),
    ("normal: [0, 0, 1]", "normal: [0, 0, 0]", 17, "contacts[0].normal", "zero vector"),
    ("volume: rubber", "volume: ruber", 18, "contacts[0].volume", "no volume 'ruber'.*did you mean 'rubber'"),
    ("shear: [1, 0, 0]", "shear: [0, 0, 2]", 22, "contacts[1].shear", "parallel to the normal"),
    ("shear: [1, 0, 0]", "rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", 19, "contacts[1]", "two frames"),
    ("[[1, 0, 0], [0", "[[2, 0, 0], [0", 26, "contacts[2].rotation", "lengths.*must have length 1"),
    ("[[1, 0, 0], [0", "[[-1, 0, 0], [0", 26, "contacts[2].rotation", "left-handed"),
    ("[[1, 0, 0], [0, 1", "[[1, 0, 0], [0.6, 0.8", 26, "contacts[2].rotation", "not orthogonal|lengths"),
    ("position: [-0.1, -0.1, 0.0]", "position: [-100000, 0, 0]", 25, "contacts[2].position", "metres"),
    ("kind: hinge", "kind: hing", 29, "joints[0].kind", "did you mean 'hinge'"),
    ("axis: [0, 1, 0]", "axis: [0, 0, 0]", 31, "joints[0].axis", "zero vector"),
    ("contacts: [front]", "contacts: [front, fron]", 33, "joints[0].contacts[1]", "did you mean 'front'"),
    ("contacts: [front]", "contacts: []", 33, "joints[0].contacts", "at least 1"),
    ("torque: 4", "torque: -4", 34, "joints[0].torque", "at least 0"),
    ("torque: 4", "torque: 4\n    torque_max: 5", 29, "joints[0]", "its torque twice"),
    ("torque: 4", "torque_min: 4\n    torque_max: 3", 29, "joints[0]", "exchange the two limits"),
    ("torque: 4", "torque_min: .nan", 34, "joints[0].torque_min", "is NaN"),
    ("contacts:\n", "contacts: 3\ncontact:\n", 14, "contacts", "is 3.*give a list"),
]


def test_the_scene_without_a_fault_is_read(write: Write, block: str) -> None:
    scene = load_scene(write(block))
    assert (scene.name, scene.mass, len(scene.assembly)) == ("block", 2.0, 3)
    assert np.allclose(scene.loads["push"], [5, 0, 0, 0, 0.25, 0])
    assert hf.equilibrium(scene.assembly, scene.gravity_load()).holds


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), FAULTS, ids=[f"{f[3]}-{f[1]}"[:50] for f in FAULTS])
def test_a_fault_is_named_with_line_field_and_fix(
    write: Write, block: str, old: str, new: str, line: int, field: str, words: str
) -> None:
    assert old in block
    path = write(block.replace(old, new, 1))
    with pytest.raises(SceneError, match=words) as caught:
        load_scene(path)
    error = caught.value
    assert (error.path, error.line, error.field) == (path, line, field)
    assert error.fix
    assert str(error).startswith(f"{path}:{line}: {field}: ")


@pytest.mark.parametrize("text", ["- 1\n- 2\n", "hello\n", "3.5\n", "null\n", "[]\n", "'holdfast: 1'\n"])
def test_what_is_no_mapping_is_no_scene(write: Write, text: str) -> None:
    with pytest.raises(SceneError, match="not a scene|is empty"):
        load_scene(write(text))


def test_all_faults_are_found_at_once_in_the_order_of_their_lines(write: Write, block: str) -> None:
    text = block.replace("mass: 2.0", "mas: 2.0").replace("mu: 0.6", "mu: x").replace("torque: 4", "torqe: 4")
    path = write(text)
    found = scene_faults(path)
    assert [(fault.line, fault.field) for fault in found] == [
        (4, "object.mas"),
        (12, "volumes.rubber.mu"),
        (34, "joints[0].torqe"),
    ]
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert str(caught.value) == str(found[0])
    assert len(caught.value.__notes__) == 2


def test_faults_of_a_right_scene_and_of_a_missing_file(write: Write, block: str, tmp_path: Path) -> None:
    assert scene_faults(write(block)) == []
    assert [fault.what for fault in scene_faults(tmp_path / "none.yaml")] == ["there is no such file"]


def test_a_newer_file_is_refused_for_its_version_whatever_else_it_says(write: Write) -> None:
    with pytest.raises(SceneError, match="version 7"):
        load_scene(write("contact_fields: [1]\nholdfast: 7\n"))


def test_something_must_touch_and_a_device_stands_alone(write: Write, block: str) -> None:
    with pytest.raises(SceneError, match="nothing touches"):
        load_scene(write("holdfast: 1\n"))
    with pytest.raises(SceneError, match="a device and contacts"):
        load_scene(write(block + "device: {kind: 2FG}\n"))


def test_json_is_a_scene_file_too(write: Write) -> None:
    text = (
        '{"holdfast": 1, "volumes": {"v": {"model": "coulomb"}},'
        ' "contacts": [{"position": [0, 0, 0], "normal": [0, 0, 1], "volume": "v"}]}'
    )
    assert len(load_scene(write(text, "scene.json")).assembly) == 1
