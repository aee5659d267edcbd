from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

import holdfast
import holdfast as hf
from holdfast.assembly import Suspension, suspension_of
from holdfast.assembly.shapes import Box, Cylinder, Mesh, Sphere
from holdfast.errors import FileError, SceneError
from holdfast.scenes import (
    Scene,
    SceneDrawing,
    load_scene,
    ready_names,
    ready_path,
    save_scene,
    scene_faults,
    scene_schema,
)
from holdfast.scenes.files import DeviceChoice, SceneDocument, scene_data

# -- builder ---------------------------------------------------------------------------------------


Run = Callable[..., Any]
Write = Callable[..., Path]

HEAD = "holdfast: 1\nvolumes: {v: {model: coulomb, cap: 80}, pad: {model: suction_ring, points: 6}}\n"
#: The unit cube as a text that trimesh reads.
CUBE = "\n".join(
    ["v 0 0 0", "v 1 0 0", "v 1 1 0", "v 0 1 0", "v 0 0 1", "v 1 0 1", "v 1 1 1", "v 0 1 1"]
    + ["f 1 3 2", "f 1 4 3", "f 5 6 7", "f 5 7 8", "f 1 2 6", "f 1 6 5"]
    + ["f 3 4 8", "f 3 8 7", "f 2 3 7", "f 2 7 6", "f 1 5 8", "f 1 8 4"]
)


def scene_of(write: Write, text: str) -> hf.scenes.Scene:
    return load_scene(write(HEAD + text))


def test_normal_and_shear_make_the_contact_frame(write: Write) -> None:
    scene = scene_of(write, "contacts: [{position: [1, 2, 3], normal: [0, 0, -2], shear: [1, 0, 5], volume: v}]\n")
    (contact,) = scene.assembly.contacts
    assert np.allclose(contact.rotation, np.column_stack([(1, 0, 0), (0, -1, 0), (0, 0, -1)]))
    assert contact.position.tolist() == [1, 2, 3]


def test_a_rotation_is_given_by_rows_and_its_columns_are_the_axes(write: Write) -> None:
    scene = scene_of(
        write, "contacts: [{position: [0, 0, 0], rotation: [[0, 0, 1], [1, 0, 0], [0, 1, 0]], volume: v}]\n"
    )
    assert scene.assembly.contacts[0].rotation[:, 2].tolist() == [1, 0, 0]


def test_loads_act_where_they_are_applied(write: Write) -> None:
    text = "contacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\nloads:\n  a: {force: [0, 0, -2], torque: [1, 0, 0], at: [0.5, 0, 0]}\n"
    assert scene_of(write, text).loads["a"].tolist() == [0, 0, -2, 1, 1, 0]


def test_rectangles_polygons_and_pads_are_those_of_the_library(write: Write) -> None:
    text = """\
patches:
  - {kind: rectangle, name: r, position: [0, 0, 0.1], normal: [0, 0, 1], shear: [1, 0, 0], size: [0.2, 0.1], volume: v, points: [3, 2]}
  - {kind: polygon, name: q, position: [1, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], outline: [[0, 0], [0.2, 0], [0, 0.2]], volume: v, scale: 0.5}
  - {kind: pad, name: p, position: [2, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: pad}
"""
    scene = scene_of(write, text)
    volume = hf.models.coulomb(cap=80)
    pose = hf.Pose(np.eye(3), [0, 0, 0.1])
    rectangle = hf.Patch.rectangle(pose, (0.2, 0.1), volume, points=(3, 2), name="r")
    polygon = hf.Patch.polygon(
        hf.Pose(np.eye(3), [1, 0, 0]), [[0, 0], [0.2, 0], [0, 0.2]], volume.scaled(0.5), name="q"
    )
    ring = hf.Patch.of_pad(hf.Pose(np.eye(3), [2, 0, 0]), hf.models.suction_ring(points=6), name="p")
    expected = [*rectangle.contacts, *polygon.contacts, *ring.contacts]
    assert [c.name for c in scene.assembly.contacts] == [c.name for c in expected]
    assert np.allclose(scene.assembly.positions, [c.position for c in expected])
    for found, wanted in zip(scene.assembly.contacts, expected, strict=True):
        assert found.volume.fingerprint == wanted.volume.fingerprint
    assert len(scene.drawing.faces) == 2


def test_a_patch_from_a_mesh_touches_where_its_faces_point(write: Write) -> None:
    write(CUBE, "cube.obj")
    text = "patches: [{kind: mesh, file: cube.obj, scale: 0.1, points: 4, shear: [1, 0, 0], volume: v, facing: [0, 0, 1]}]\n"
    scene = scene_of(write, text)
    assert np.allclose(scene.assembly.positions[:, 2], 0.1)
    assert np.allclose(scene.assembly.rotations[:, :, 2], [0, 0, -1])  # into the object, whose surface it is
    by_number = scene_of(write, text.replace("facing: [0, 0, 1]", "faces: [2, 3]"))
    assert np.allclose(by_number.assembly.positions, scene.assembly.positions)


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ("{kind: box, size: [0.1, 0.2, 0.3], position: [0, 0, 1]}", Box),
        ("{kind: cylinder, radius: 0.1, length: 0.2, axis: [0, 3, 0]}", Cylinder),
        ("{kind: sphere, radius: 0.1}", Sphere),
        ("{kind: mesh, file: cube.obj, scale: 0.1, position: [1, 0, 0]}", Mesh),
    ],
)
def test_shapes_are_for_pictures(write: Write, shape: str, kind: type) -> None:
    write(CUBE, "cube.obj")
    text = f"object: {{shape: {shape}}}\ncontacts: [{{position: [0, 0, 0], normal: [0, 0, 1], volume: v}}]\n"
    drawn = scene_of(write, text).drawing.shape
    assert isinstance(drawn, kind)
    if isinstance(drawn, Cylinder):
        assert np.allclose(drawn.pose.rotation[:, 2], [0, 1, 0])
    if isinstance(drawn, Mesh):
        assert drawn.triangles.shape == (12, 3, 3)
        assert np.allclose(drawn.triangles.reshape(-1, 3).max(axis=0), [1.1, 0.1, 0.1])


def test_a_device_brings_its_object_and_the_file_may_say_otherwise(write: Write) -> None:
    text = "device: {kind: 2FG, left: D, right: MD, unit: v, object_mass: 0.5, unit_size: [0.02, 0.02]}\n"
    scene = scene_of(write, text)
    device = hf.devices.create(
        "2FG", left="D", right="MD", unit=hf.models.coulomb(cap=80), object_mass=0.5, unit_size=(0.02, 0.02)
    )
    expected = device.assembly(scene.gravity)
    assert np.allclose(scene.assembly.positions, expected.positions)
    assert (scene.mass, scene.name) == (0.5, "scene")
    assert isinstance(scene.drawing.shape, Cylinder)
    assert [name for name, _ in scene.drawing.links] == [link.name for link in device.links]
    other = scene_of(write, text + "name: x\nobject: {mass: 0.7, com: [0, 0, 0.1], shape: {kind: sphere, radius: 1}}\n")
    assert (other.mass, other.com.tolist(), other.name) == (0.7, [0, 0, 0.1], "x")
    assert isinstance(other.drawing.shape, Sphere)


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("device: {kind: 2FG, unit: pad}\n", "device.unit", "is a pad of points"),
        ("device: {kind: 2FG, unit: w}\n", "device.unit", "no volume 'w'"),
        ("device: {kind: 2FG, radius: -1}\n", "device.radius", "is -1"),
        ("device: {kind: 2OU, half_distance: 0.2}\n", "device.half_distance", "radius"),
        (
            "patches: [{kind: mesh, file: none.stl, points: 1, shear: [1, 0, 0], volume: v}]\n",
            "patches[0]",
            "none.stl: there is no such file",
        ),
        (
            "patches: [{kind: polygon, position: [0, 0, 0], normal: [0, 0, 1], outline: [[0, 0], [2, 2], [2, 0], [0, 1]], volume: v}]\n",
            "patches[0].outline",
            "cross",
        ),
        (
            "patches: [{kind: mesh, file: a, points: 1, shear: [1, 0, 0], volume: v, faces: [1], facing: [0, 0, 1]}]\n",
            "patches[0]",
            "selects its faces twice",
        ),
        (
            "patches: [{kind: pad, position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n",
            "patches[0].volume",
            "no points",
        ),
        (
            "object: {shape: {kind: mesh, file: none.stl}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n",
            "object.shape",
            "none.stl",
        ),
    ],
)
def test_faults_name_their_field(write: Write, text: str, field: str, words: str) -> None:
    with pytest.raises(SceneError, match=words) as caught:
        scene_of(write, text)
    assert caught.value.field == field


# -- device schema ---------------------------------------------------------------------------------


ADAPTER = TypeAdapter(DeviceChoice)


@pytest.mark.parametrize("name", hf.devices.DEVICES)
def test_the_fields_of_a_device_are_its_parameters_with_their_defaults(name: str) -> None:
    given = ADAPTER.validate_python({"kind": name}).model_dump(exclude={"kind"})
    made, plain = hf.devices.create(name, **given), hf.devices.create(name)
    assert made.assembly().fingerprint == plain.assembly().fingerprint
    np.testing.assert_array_equal(made.object.com, plain.object.com)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "3FG"},
        {"kind": "2FG", "left": "DM"},
        {"kind": "2FG", "unit_size": [0.01]},
        {"kind": "2FG", "radius": "large"},
        {"kind": "4FH", "fingers": "crossed"},
        {"kind": "2OU", "left": "D"},
        {},
        "2FG",
    ],
)
def test_what_is_no_device_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)


# -- reader ----------------------------------------------------------------------------------------


#: (what to replace, by what, line, field, words of the message) in the scene of conftest.
FAULTS = [
    ("holdfast: 1", "holdfast: 2", 1, "holdfast", "version 2, this Holdfast reads up to 1.*newer Holdfast"),
    ("holdfast: 1", "holdfast: one", 1, "holdfast", "not a version.*holdfast: 1"),
    ("holdfast: 1", "holdfast: true", 1, "holdfast", "not a version"),
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
    ("com:", "inertia: 0\n  com:", 5, "object.inertia", "is 0.*above 0"),
    ("com:", "inertia: no\n  com:", 5, "object.inertia", "wrong type.*three or six"),
    ("com:", "inertia: true\n  com:", 5, "object.inertia", "wrong type"),
    ("com:", "inertia: [1, 2]\n  com:", 5, "object.inertia", "has 2 entries.*at least 3"),
    ("com:", "inertia: [1, 2, 2, 0]\n  com:", 5, "object.inertia", "has 4 numbers.*or 6"),
    ("com:", "inertia: [1, 0, 1]\n  com:", 5, "object.inertia", "[1, 1].*is 0.*positive"),
    ("com:", "inertia: [1, 1, 3]\n  com:", 5, "object.inertia", "no rigid body.*sum of the other two"),
    ("com:", "inertia: [1, 1, 1, 2, 0, 0]\n  com:", 5, "object.inertia", "indefinite"),
    ("mass: 2.0", "inertia: 0.1", 4, "object.inertia", "without a mass"),
    ("kind: box", "kind: bix", 6, "object.shape.kind", "no shape 'bix'.*did you mean 'box'"),
    ("kind: box, ", "", 6, "object.shape", "has no kind.*box, cylinder, sphere, mesh"),
    ("kind: box, ", "kid: box, ", 6, "object.shape.kid", "did you mean 'kind'"),
    ("size: [0.3", "size: [0", 6, "object.shape.size[0]", "is 0.*at least 1e-06"),
    ("force: [5, 0, 0]", "forse: [5, 0, 0]", 8, "loads.push.forse", "did you mean 'force'"),
    ("model: coulomb", "model: colomb", 11, "volumes.rubber.model", "no model 'colomb'.*did you mean 'coulomb'"),
    ("model: coulomb", "modell: coulomb", 11, "volumes.rubber.modell", "did you mean 'model'"),
    ("    model: coulomb\n", "", 10, "volumes.rubber", "model, measurements, preloaded, surface, pieces, file"),
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
    ("torque: 4", "torque: 4\n    torque_max: 5", 29, "joints[0]", "two torque limits"),
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


# -- ready -----------------------------------------------------------------------------------------


CONDITIONS = ["d_d", "d_md", "d_pmd", "md_md", "md_pmd", "pmd_pmd"]


def test_the_ready_scenes_are_there() -> None:
    wanted = {"block_on_three_points", "microspine_pull", "two_opposed_units", "gecko_on_glass", "suction_cup"}
    wanted |= {"block_on_slope", "block_on_steep_slope", "jammed_peg", "nail_between_walls", "ball_in_groove"}
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
        ("block_on_slope", None, True),
        ("block_on_slope", "push", True),
        ("block_on_slope", "shove", False),
        ("block_on_steep_slope", None, False),
        ("jammed_peg", None, True),
        ("jammed_peg", "press", True),
        ("nail_between_walls", None, True),
        ("ball_in_groove", None, True),
        ("ball_in_groove", "push", True),
        ("ball_in_groove", "roll", False),
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


# -- schema ----------------------------------------------------------------------------------------


STORED = Path(holdfast.__file__).parent / "data" / "scene.schema.json"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = scene_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_stored_schema_is_the_one_the_code_makes() -> None:
    """To renew it: holdfast scene schema > src/holdfast/data/scene.schema.json."""
    assert json.loads(STORED.read_text(encoding="utf-8")) == json.loads(json.dumps(scene_schema()))


@pytest.mark.parametrize("name", ready_names())
def test_every_ready_scene_obeys_the_schema(validator: jsonschema.Draft202012Validator, name: str) -> None:
    data = yaml.safe_load(ready_path(f"@{name}").read_text(encoding="utf-8"))
    assert [error.message for error in validator.iter_errors(data)] == []


def test_the_scene_of_these_tests_obeys_the_schema(validator: jsonschema.Draft202012Validator, block: str) -> None:
    assert list(validator.iter_errors(yaml.safe_load(block))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"holdfast": 2},
        {"surprise": 1},
        {"gravity": [0, 0]},
        {"volumes": {"v": {"model": "colomb"}}},
        {"volumes": {"v": {"model": "coulomb", "mus": 1}}},
        {"contacts": [{"position": [0, 0, 0], "normal": [0, 0, 1]}]},
        {"joints": [{"kind": "hing"}]},
        {"device": {"kind": "2FG", "left": "X"}},
        {"object": {"mass": -1}},
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(
    validator: jsonschema.Draft202012Validator, block: str, change: dict[str, Any]
) -> None:
    assert list(validator.iter_errors(yaml.safe_load(block) | change))


def described(schema: Any) -> list[str]:
    """Names of all fields of a schema that say what they are, or refer to what does."""
    missing = []
    for part in [schema, *schema["$defs"].values()]:
        for name, field in part.get("properties", {}).items():
            if not (field.get("description") or "$ref" in field or "const" in field):
                missing.append(f"{part.get('title')}.{name}")
    return missing


def test_every_field_of_the_schema_is_described() -> None:
    assert [name for name in described(scene_schema()) if not name.startswith("LinkPart.")] == []


def test_every_model_and_device_is_in_the_schema() -> None:
    text = json.dumps(scene_schema())
    for name in [info.name for info in holdfast.models.list()] + [*holdfast.devices.DEVICES]:
        assert f'"const": "{name}"' in text


def test_defaults_are_what_the_document_takes() -> None:
    data = {
        "holdfast": 1,
        "volumes": {"v": {"model": "coulomb"}},
        "contacts": [{"position": [0, 0, 0], "normal": [0, 0, 1], "volume": "v"}],
    }
    document = SceneDocument.model_validate(data)
    assert document.gravity == [0.0, 0.0, -9.80665]
    assert document.object.mass is None


# -- writer ----------------------------------------------------------------------------------------


QUICK = ["block_on_three_points", "block_on_slope", "nail_between_walls", "gecko_on_glass", "suction_cup"]


def assert_same_suspension(one: hf.Contact, other: hf.Contact) -> None:
    gives, again = suspension_of(one), suspension_of(other)
    if gives is None or again is None:
        assert gives is again
    else:
        assert np.array_equal(gives.stiffness, again.stiffness)
        assert np.array_equal(gives.preload, again.preload)
        assert gives.rule == again.rule


def assert_same(one: Scene, other: Scene) -> None:
    assert (one.name, one.description, one.mass) == (other.name, other.description, other.mass)
    assert np.array_equal(one.com, other.com)
    assert np.array_equal(one.inertia, other.inertia)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert np.array_equal(one.gravity, other.gravity)
    assert {k: v.tolist() for k, v in one.loads.items()} == {k: v.tolist() for k, v in other.loads.items()}
    assert np.array_equal(one.assembly.positions, other.assembly.positions)
    assert np.array_equal(one.assembly.rotations, other.assembly.rotations)
    for a, b in zip(one.assembly.contacts, other.assembly.contacts, strict=True):
        assert (a.name, a.volume.fingerprint) == (b.name, b.volume.fingerprint)
        assert_same_suspension(a, b)
    if one.assembly.joints is None or other.assembly.joints is None:
        assert one.assembly.joints is other.assembly.joints
    else:
        assert one.assembly.joints.names == other.assembly.joints.names
        assert np.array_equal(one.assembly.joints.jacobian, other.assembly.joints.jacobian)
        assert np.array_equal(one.assembly.joints.stiffness, other.assembly.joints.stiffness)
        assert np.array_equal(one.assembly.joints.servo, other.assembly.joints.servo)
        assert np.allclose(one.assembly.joints.lower, other.assembly.joints.lower, rtol=1e-12, atol=1e-15)
        assert np.allclose(one.assembly.joints.upper, other.assembly.joints.upper, rtol=1e-12, atol=1e-15)
    assert np.array_equal(one.link_gravity, other.link_gravity)  # pyright: ignore[reportArgumentType]
    assert type(one.drawing.shape) is type(other.drawing.shape)
    assert len(one.drawing.faces) == len(other.drawing.faces)
    assert [name for name, _ in one.drawing.links] == [name for name, _ in other.drawing.links]


@pytest.mark.parametrize("name", QUICK)
def test_a_ready_scene_survives_writing_and_reading(name: str, tmp_path: Path) -> None:
    scene = load_scene(f"@{name}")
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert_same(scene, again)
    if scene.assembly.joints is None:
        assert scene.fingerprint == again.fingerprint


def test_a_device_survives_with_the_weight_of_its_links(write: Write, tmp_path: Path) -> None:
    path = write(
        "holdfast: 1\nname: g\nvolumes: {u: {model: gecko_two_way}}\ndevice: {kind: 2FG, unit: u}\nloads: {a: {force: [1, 0, 0]}}\n"
    )
    scene = load_scene(path)
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert_same(scene, again)
    turned = (1.0, -2.0, 3.0)
    assert_same(scene.with_gravity(turned), again.with_gravity(turned))


def test_all_parts_survive(write: Write, block: str, tmp_path: Path) -> None:
    scene = load_scene(write(block))
    save_scene(scene, tmp_path / "out.yaml")
    assert_same(scene, load_scene(tmp_path / "out.yaml"))
    assert load_scene(tmp_path / "out.yaml").fingerprint == scene.fingerprint


@pytest.mark.parametrize(
    "shape",
    [
        "{kind: box, size: [1, 2, 3], rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}",
        "{kind: sphere, radius: 2}",
        "{kind: cylinder, radius: 1, length: 2, axis: [1, 1, 0], arc: 0.5, middle: [0, 0, 1]}",
        "{kind: mesh, file: tri.obj}",
    ],
)
def test_shapes_survive(write: Write, block: str, tmp_path: Path, shape: str) -> None:
    write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "tri.obj")
    lines = block.splitlines()
    lines[5] = f"  shape: {shape}"
    scene = load_scene(write("\n".join(lines)))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    save_scene(scene, folder / "out.yaml")
    again = load_scene(folder / "out.yaml")
    one, other = scene.drawing.shape, again.drawing.shape
    assert one is not None
    assert other is not None
    for name in ("size", "radius", "length", "arc", "center", "scale", "triangles"):
        if hasattr(one, name):
            assert np.allclose(getattr(one, name), getattr(other, name))
    if hasattr(one, "pose"):
        assert np.allclose(one.pose.rotation, other.pose.rotation)  # pyright: ignore[reportAttributeAccessIssue]


def test_a_scene_made_in_python_can_be_saved(tmp_path: Path) -> None:
    volume = hf.models.coulomb(1.0 / 3.0)
    flat = hf.models.coulomb(0.0)
    contacts = [hf.Contact([0.1 * i, 0, 0], np.eye(3), volume if i else flat, "no") for i in range(3)]
    joints = hf.JointRows(np.arange(9.0)[None], [-np.inf], [1.0 / 7.0])
    scene = Scene(
        assembly=hf.Assembly(contacts, joints),
        name="1e-3",  # would be a number if it were not quoted
        description="two lines\nof text: # with signs",
        loads={"null": np.arange(6.0), "a: b": np.full(6, 1e-17)},
        drawing=SceneDrawing(links=(("rod", np.eye(3)),)),
    )
    save_scene(scene, tmp_path / "out.yaml")
    assert_same(scene, load_scene(tmp_path / "out.yaml"))
    text = (tmp_path / "out.yaml").read_text(encoding="utf-8")
    assert text.startswith("holdfast: 1\n")
    assert text.count("pieces:") == 2  # a shared volume is written once


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("0.03", [0.03, 0.03, 0.03]),
        ("2", [2.0, 2.0, 2.0]),
        ("[0.03, 0.02, 0.04]", [0.03, 0.02, 0.04]),
        ("[0.03, 0.02, 0.04, 1e-3, -2e-3, 3e-3]", [0.03, 0.02, 0.04, 1e-3, -2e-3, 3e-3]),
    ],
)
def test_inertia_is_read_shown_and_written(
    write: Write, block: str, tmp_path: Path, run: Run, text: str, entries: list[float]
) -> None:
    scene = load_scene(write(block.replace("mass: 2.0", f"mass: 2.0\n  inertia: {text}")))
    xx, yy, zz, xy, xz, yz = [*entries, 0.0, 0.0, 0.0][:6]
    assert np.array_equal(scene.inertia, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # pyright: ignore[reportArgumentType]
    assert scene_data(scene, tmp_path)["object"]["inertia"] == entries
    assert ("products" in run("scene", "show", tmp_path / "scene.yaml").stdout) is (len(entries) == 6)
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert_same(scene, again)
    assert again.fingerprint == scene.fingerprint


def test_a_device_takes_the_inertia_of_the_file(write: Write) -> None:
    text = "object: {inertia: 0.002}\ndevice: {kind: 2FG, unit: v}\n"
    scene = scene_of(write, text)
    assert np.array_equal(scene.inertia, 0.002 * np.eye(3))  # pyright: ignore[reportArgumentType]


def test_a_place_where_nothing_can_be_written(tmp_path: Path, write: Write, block: str) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        save_scene(load_scene(write(block)), tmp_path / "none" / "out.yaml")


def test_a_saved_scene_keeps_its_units(tmp_path: Path) -> None:
    scene = load_scene("@two_finger_gripper_d_d")
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert again.assembly.unit_of.tolist() == scene.assembly.unit_of.tolist() == [0] * 4 + [1] * 4
    assert again.assembly.fingerprint == scene.assembly.fingerprint


def test_a_scene_says_whether_the_corners_of_a_unit_share_a_piece(write: Write) -> None:
    text = """
holdfast: 1
volumes: {unit: {model: microspine}}
patches: [{kind: rectangle, position: [0, 0, 0], normal: [0, 0, -1], shear: [1, 0, 0], size: [0.03, 0.03], volume: unit%s}]
"""
    pull = [0, 0, -1, 0, 0, 0]
    shared, independent = (load_scene(write(text % corners)) for corners in ("", ", corners: independent"))
    assert hf.load_limit(shared.assembly, pull).value < 1e-9
    assert hf.load_limit(independent.assembly, pull).value > 0.8
    device = load_scene(write("holdfast: 1\ndevice: {kind: 2FG, corners: independent}\n"))
    assert device.assembly.unit_of.tolist() == list(range(8))


# -- suspensions -----------------------------------------------------------------------------------

HELD = "contacts: [{position: [0, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: v%s}]\n"
STIFF = "suspension: {normal: 800, tangential: 300, rule: slip, preload: 2}"


def suspensions(scene: Scene) -> list[Suspension]:
    found = [contact.suspension for contact in scene.assembly.contacts]
    assert all(gives is not None for gives in found)
    return found  # pyright: ignore[reportReturnType]


def test_a_contact_says_how_it_gives(write: Write) -> None:
    (gives,) = suspensions(scene_of(write, HELD % f", {STIFF}"))
    assert gives.stiffness.tolist() == np.diag([300.0, 300.0, 800.0]).tolist()
    assert (gives.preload.tolist(), gives.rule) == ([0.0, 0.0, 2.0], "slip")
    text = ", suspension: {normal: 800, tangential: 300, across: 100, preload: [1, 2, 3]}"
    (gives,) = suspensions(scene_of(write, HELD % text))
    assert np.diag(gives.stiffness).tolist() == [300.0, 100.0, 800.0]
    assert (gives.preload.tolist(), gives.rule) == ([1.0, 2.0, 3.0], "brittle")
    matrix = [[3.0, 1.0, 0.0], [1.0, 4.0, 0.5], [0.0, 0.5, 5.0]]
    (gives,) = suspensions(scene_of(write, HELD % f", suspension: {{matrix: {matrix}}}"))
    assert gives.stiffness.tolist() == matrix


def test_a_volume_lends_its_suspension_and_a_contact_has_its_share(write: Write) -> None:
    volumes = "holdfast: 1\nvolumes: {v: {model: coulomb, " + STIFF + "}}\n"
    contacts = [", scale: 0.25", "", ", scale: 0.25, suspension: {normal: 7, tangential: 5}"]
    text = (
        volumes
        + "contacts:\n"
        + "".join((HELD % c).replace("contacts: [", "- ").replace("]\n", "\n") for c in contacts)
    )
    quarter, whole, own = suspensions(load_scene(write(text.replace("[0, 0, 0\n", "[0, 0, 0]\n"))))
    assert (quarter.normal, quarter.preload[2], quarter.rule) == (200.0, 0.5, "slip")
    assert (whole.normal, whole.preload[2]) == (800.0, 2.0)
    assert (own.normal, own.tangential, own.rule) == (7.0, 5.0, "brittle")  # as it says: not scaled again


PATCHES = [
    "{kind: rectangle, position: [0, 0, 0], normal: [0, 0, 1], size: [0.02, 0.03], volume: v%s}",
    "{kind: rectangle, position: [0, 0, 0], normal: [0, 0, 1], size: [0.02, 0.03], points: [2, 3], volume: v%s}",
    "{kind: polygon, position: [0, 0, 0], normal: [0, 0, 1], outline: [[0, 0], [0.2, 0], [0, 0.1]], volume: v%s}",
    "{kind: pad, position: [0, 0, 0], normal: [0, 0, 1], volume: pad%s}",
    "{kind: mesh, file: cube.obj, scale: 0.01, points: 3, shear: [1, 0, 0], facing: [0, 0, 1], volume: v%s}",
]


@pytest.mark.parametrize("patch", PATCHES)
def test_the_points_of_a_patch_sum_to_its_suspension(write: Write, patch: str) -> None:
    write(CUBE, "cube.obj")
    own = suspensions(scene_of(write, f"patches: [{patch % f', {STIFF}'}]\n"))
    head = HEAD.replace("cap: 80", f"cap: 80, {STIFF}").replace("points: 6", f"points: 6, {STIFF}")
    lent = suspensions(load_scene(write(f"{head}patches: [{patch % ''}]\n")))
    for found in (own, lent):
        np.testing.assert_allclose(sum(s.stiffness for s in found), np.diag([300.0, 300.0, 800.0]))
        np.testing.assert_allclose(sum(s.preload for s in found), [0.0, 0.0, 2.0])


def test_the_units_of_fingers_and_devices_have_suspensions(write: Write) -> None:
    finger = """
fingers:
- {name: f, position: [0, 0, 0], along: [1, 0, 0], away: [0, 0, 1], lengths: [0.1, 0.1], angles: [0, 0],
   joints: {friction: 0.1, stiffness: 2, servo: 50},
   units: [{phalanx: 0, size: [0.02, 0.02], offset: 0.01, volume: v, %s},
           {phalanx: 1, size: [0.02, 0.02], offset: 0.01, volume: v}]}
"""
    scene = scene_of(write, finger % STIFF)
    contacts = scene.assembly.contacts
    assert sum(suspension_of(c).normal for c in contacts[:4]) == pytest.approx(800.0)  # pyright: ignore[reportOptionalMemberAccess]
    assert all(c.suspension is None for c in contacts[4:])
    assert scene.assembly.joints is not None
    assert scene.assembly.joints.stiffness.tolist() == [2.0, 2.0]
    assert scene.assembly.joints.servo.tolist() == [50.0, 50.0]
    for text in (f"device: {{kind: 2OU, {STIFF}}}\n", "device: {kind: 2OU, unit: u}\n"):
        volumes = "holdfast: 1\nvolumes: {u: {model: microspine, " + STIFF + "}}\n"
        gives = suspensions(load_scene(write(volumes + text)))
        assert [s.normal for s in gives] == [200.0] * 8
    direct = hf.devices.create("2OU", suspension=Suspension((800.0, 300.0), 2.0, "slip"))
    assert [c.suspension.normal for c in direct.contacts] == [200.0] * 8  # pyright: ignore[reportOptionalMemberAccess]


def test_joints_and_rows_have_springs_and_servos(write: Write) -> None:
    joints = """joints:
- {kind: slide, axis: [1, 0, 0], contacts: [c], torque: 5, stiffness: 30, servo: 700}
- {kind: row, jacobian: [[1, 0, 0]], lower: -1, upper: 1, stiffness: 4, servo: 9}
- {kind: row, jacobian: [[0, 1, 0]], lower: -1, upper: 1}
"""
    rows = scene_of(write, HELD % ", name: c" + joints).assembly.joints
    assert rows is not None
    assert rows.stiffness.tolist() == [30.0, 4.0, 0.0]
    assert rows.servo.tolist() == [700.0, 9.0, np.inf]


def test_suspensions_and_springs_survive_writing_and_reading(write: Write, tmp_path: Path) -> None:
    matrix = "suspension: {matrix: [[3, 1, 0], [1, 4, 0.5], [0, 0.5, 5]], preload: [0.1, 0, 1], rule: ductile}"
    text = f"""contacts:
- {{name: a, position: [0, 0, 0], normal: [0, 0, 1], volume: v, {matrix}}}
- {{name: b, position: [1, 0, 0], normal: [0, 0, 1], volume: v, suspension: {{normal: 3, tangential: 2, across: 0.1}}}}
- {{name: c, position: [0, 1, 0], normal: [0, 0, 1], volume: v, scale: 0.3}}
patches: [{{kind: pad, position: [0, 0, 0], normal: [0, 0, 1], volume: pad}}]
joints: [{{kind: hinge, axis: [1, 0, 0], through: [0, 0, 0], contacts: [c], stiffness: 0.7, servo: 13}}]
"""
    scene = scene_of(write, text)
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert_same(scene, again)
    assert scene.fingerprint == again.fingerprint
    assert again.assembly.contacts[3].suspension is None  # still the model's default, and not a number of its own
    turned = scene.with_gravity((1.0, 2.0, 3.0)).assembly.joints
    assert turned is not None
    assert (turned.stiffness.tolist(), turned.servo.tolist()) == ([0.7], [13.0])


def test_a_scene_shows_how_its_contacts_give(write: Write) -> None:
    scene = scene_of(write, HELD % f", name: c, {STIFF}" + "joints: [{kind: slide, axis: [1, 0, 0], contacts: [c]}]\n")
    data = scene.to_dict()
    assert data["contacts"][0]["suspension"]["stiffness"][2, 2] == 800.0
    assert data["contacts"][0]["suspension"]["rule"] == "slip"
    assert (data["joints"][0]["stiffness"], data["joints"][0]["servo"]) == (0.0, np.inf)
    default = scene_of(write, HELD % "").to_dict()["contacts"][0]["suspension"]
    assert default["stiffness"][2, 2] == hf.models.get("coulomb").suspension.normal


SKEWED = "{matrix: [[1, 2, 0], [0, 5, 0], [0, 0, 1]]}"
SADDLE = "{matrix: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}"


@pytest.mark.parametrize(
    ("suspension", "field", "words"),
    [
        (SKEWED, ".matrix", "not symmetric"),
        (SADDLE, ".matrix", "not positive semidefinite"),
        ("{normal: 1}", "", "no tangential stiffness"),
        ("{tangential: 1}", "", "no normal stiffness"),
        ("{}", "", "no normal stiffness"),
        ("{normal: 1, tangential: 1, matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}", "", "matrix and normal"),
        ("{normal: -1, tangential: 1}", ".normal", "-1"),
        ("{normal: 1.0e+12, tangential: 1, matrix: 1}", ".matrix", "matrix|list"),
        ("{normal: 1, tangential: 1, rule: sticky}", ".rule", "sticky|brittle"),
        ("{normal: 1, tangential: 1, preload: much}", ".preload", "normal force"),
        ("{normal: 1, tangential: 1, preload: [1, 2]}", ".preload", "3"),
        ("{normal: 1.0e-9, tangential: 1.0e-9}", "", "N/m"),
        ("{normal: 1, tangential: 1, stiff: 1}", ".stiff", "field"),
        ("5", "", "mapping|fields"),
    ],
)
@pytest.mark.parametrize("place", ["contact", "volume", "device"])
def test_faults_of_a_suspension_name_line_and_field(
    write: Write, place: str, suspension: str, field: str, words: str
) -> None:
    text, start, line = {
        "contact": (f"{HEAD}{HELD % f', suspension: {suspension}'}", "contacts[0].suspension", 3),
        "volume": (
            f"holdfast: 1\nvolumes:\n  v: {{model: coulomb, suspension: {suspension}}}\n{HELD % ''}",
            "volumes.v.suspension",
            3,
        ),
        "device": (f"holdfast: 1\ndevice: {{kind: 2OU, suspension: {suspension}}}\n", "device.suspension", 2),
    }[place]
    with pytest.raises(SceneError, match=words) as caught:
        load_scene(write(text))
    assert caught.value.field == start + field
    assert caught.value.line == line


def test_faults_of_servos_and_origins_name_their_field(write: Write) -> None:
    slide = "joints: [{kind: slide, axis: [1, 0, 0], contacts: [c], servo: 0}]\n"
    with pytest.raises(SceneError) as caught:
        scene_of(write, HELD % ", name: c" + slide)
    assert caught.value.field == "joints[0].servo"
    pieces = "holdfast: 1\nvolumes: {v: {pieces: [[[0, 0, 0], [1, 0, 1], [-1, 1, 1], [-1, -1, 1]]], origin: {kind: sucton}}}\n"
    with pytest.raises(SceneError, match="suction") as caught:
        load_scene(write(pieces + HELD % ""))
    assert caught.value.field == "volumes.v.origin.kind"
