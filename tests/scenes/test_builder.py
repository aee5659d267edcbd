from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import SceneError
from holdfast.scenes import BoxShape, CylinderShape, MeshShape, SphereShape, load_scene

Write = Callable[..., Path]

HEAD = "holdfast: 1\nvolumes: {v: {model: coulomb, cap: 80}, pad: {model: suction_ring, points: 6}}\n"
#: The unit cube as a text that trimesh reads.
CUBE = "\n".join(
    ["v 0 0 0", "v 1 0 0", "v 1 1 0", "v 0 1 0", "v 0 0 1", "v 1 0 1", "v 1 1 1", "v 0 1 1"]
    + ["f 1 3 2", "f 1 4 3", "f 5 6 7", "f 5 7 8", "f 1 2 6", "f 1 6 5"]
    + ["f 3 4 8", "f 3 8 7", "f 2 3 7", "f 2 7 6", "f 1 5 8", "f 1 8 4"]
)


def scene_of(write: Write, text: str) -> hf.Scene:
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
  - {kind: polygon, name: q, position: [1, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], corners: [[0, 0], [0.2, 0], [0, 0.2]], volume: v, scale: 0.5}
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
        ("{kind: box, size: [0.1, 0.2, 0.3], position: [0, 0, 1]}", BoxShape),
        ("{kind: cylinder, radius: 0.1, length: 0.2, axis: [0, 3, 0]}", CylinderShape),
        ("{kind: sphere, radius: 0.1}", SphereShape),
        ("{kind: mesh, file: cube.obj, scale: 0.1, position: [1, 0, 0]}", MeshShape),
    ],
)
def test_shapes_are_for_pictures(write: Write, shape: str, kind: type) -> None:
    write(CUBE, "cube.obj")
    text = f"object: {{shape: {shape}}}\ncontacts: [{{position: [0, 0, 0], normal: [0, 0, 1], volume: v}}]\n"
    drawn = scene_of(write, text).drawing.shape
    assert isinstance(drawn, kind)
    if isinstance(drawn, CylinderShape):
        assert np.allclose(drawn.pose.rotation[:, 2], [0, 1, 0])
    if isinstance(drawn, MeshShape):
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
    assert isinstance(scene.drawing.shape, CylinderShape)
    assert [name for name, _ in scene.drawing.links] == [link.name for link in device.links]
    other = scene_of(write, text + "name: x\nobject: {mass: 0.7, com: [0, 0, 0.1], shape: {kind: sphere, radius: 1}}\n")
    assert (other.mass, other.com.tolist(), other.name) == (0.7, [0, 0, 0.1], "x")
    assert isinstance(other.drawing.shape, SphereShape)


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("device: {kind: 2FG, unit: pad}\n", "device.unit", "comes as points"),
        ("device: {kind: 2FG, unit: w}\n", "device.unit", "no volume 'w'"),
        ("device: {kind: 2FG, radius: -1}\n", "device.radius", "is -1"),
        ("device: {kind: 2OU, half_distance: 0.2}\n", "device.half_distance", "radius"),
        (
            "patches: [{kind: mesh, file: none.stl, points: 1, shear: [1, 0, 0], volume: v}]\n",
            "patches[0]",
            "none.stl: there is no such file",
        ),
        (
            "patches: [{kind: polygon, position: [0, 0, 0], normal: [0, 0, 1], corners: [[0, 0], [2, 2], [2, 0], [0, 1]], volume: v}]\n",
            "patches[0].corners",
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
