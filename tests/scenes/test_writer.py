from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError
from holdfast.scenes import Drawing, Scene, load_scene, save_scene

Write = Callable[..., Path]

QUICK = ["block_on_three_points", "gecko_on_glass", "suction_cup"]


def assert_same(one: Scene, other: Scene) -> None:
    assert (one.name, one.description, one.mass) == (other.name, other.description, other.mass)
    assert np.array_equal(one.com, other.com)
    assert np.array_equal(one.gravity, other.gravity)
    assert {k: v.tolist() for k, v in one.loads.items()} == {k: v.tolist() for k, v in other.loads.items()}
    assert np.array_equal(one.assembly.positions, other.assembly.positions)
    assert np.array_equal(one.assembly.rotations, other.assembly.rotations)
    for a, b in zip(one.assembly.contacts, other.assembly.contacts, strict=True):
        assert (a.name, a.volume.fingerprint) == (b.name, b.volume.fingerprint)
    if one.assembly.joints is None or other.assembly.joints is None:
        assert one.assembly.joints is other.assembly.joints
    else:
        assert one.assembly.joints.names == other.assembly.joints.names
        assert np.array_equal(one.assembly.joints.jacobian, other.assembly.joints.jacobian)
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
        drawing=Drawing(links=(("rod", np.eye(3)),)),
    )
    save_scene(scene, tmp_path / "out.yaml")
    assert_same(scene, load_scene(tmp_path / "out.yaml"))
    text = (tmp_path / "out.yaml").read_text(encoding="utf-8")
    assert text.startswith("holdfast: 1\n")
    assert text.count("pieces:") == 2  # a shared volume is written once


def test_a_place_where_nothing_can_be_written(tmp_path: Path, write: Write, block: str) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        save_scene(load_scene(write(block)), tmp_path / "none" / "out.yaml")
