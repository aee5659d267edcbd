"""Warnings about flipped normals: every flip of a ready scene is seen, and what is right is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly import normal_warnings
from holdfast.assembly.shapes import Box, Cylinder, Mesh, Shape, Sphere
from holdfast.geometry.frames import frame_from_normal, rotation_about
from holdfast.scenes.files import SCENES

FOOT = hf.models.coulomb(0.5)
BOX = Box(np.array([0.2, 0.3, 0.4]))
#: Corners of a unit cube and its twelve triangles, outward.
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


def touching(*places: tuple[list[float], list[float]]) -> hf.Assembly:
    """Contacts at positions with normals."""
    return hf.Assembly([hf.Contact(x, frame_from_normal(n), FOOT, f"c{i}") for i, (x, n) in enumerate(places)])


def flipped(assembly: hf.Assembly, index: int) -> hf.Assembly:
    """The same with one normal, and its lateral axis, the other way."""
    contacts = list(assembly.contacts)
    contacts[index] = replace(contacts[index], rotation=contacts[index].rotation @ np.diag([1.0, -1.0, -1.0]))
    return replace(assembly, contacts=contacts)


@pytest.mark.parametrize("name", [name for name in SCENES.names() if name != "measured_gripper"])  # as D-MD
def test_ready_scenes_have_no_warnings_and_a_flip_in_one_is_seen(name: str) -> None:
    scene = hf.load(f"@{name}")
    assert scene.warnings == ()
    shape = scene.drawing.shape
    plate = isinstance(shape, Cylinder) and shape.half_angle < np.pi
    for index in range(len(scene.assembly)):
        wrong = replace(scene, assembly=flipped(scene.assembly, index)).warnings
        assert [w.contacts for w in wrong] == ([] if plate else [(index,)])


@pytest.mark.parametrize(
    ("shape", "position", "outward"),
    [
        (BOX, [0.1, 0.05, 0.1], [1, 0, 0]),
        (BOX, [0.0, -0.15, 0.19], [0, -1, 0]),
        (Sphere(0.1, np.array([1.0, 0, 0])), [1.0, 0.1, 0.0], [0, 1, 0]),
        (Cylinder(np.zeros(3), np.array([0, 1.0, 0]), 0.1, 0.5), [0.1, 0.2, 0.0], [1, 0, 0]),
        (Cylinder(np.zeros(3), np.array([0, 1.0, 0]), 0.1, 0.5), [0.02, 0.25, 0.0], [0, 1, 0]),
        (Mesh(0.2 * CORNERS, FACES), [0.1, 0.03, -0.05], [1, 0, 0]),
    ],
)
@pytest.mark.parametrize("turn", [0.0, 1.1])
def test_a_normal_out_of_the_shape_is_seen(
    shape: Shape, position: list[float], outward: list[float], turn: float
) -> None:
    out = rotation_about([1.0, 2.0, 3.0], 0.3 * turn) @ np.array(outward, dtype=float)  # need not be square to it
    assert normal_warnings(touching((position, (-out).tolist())), shape=shape) == ()
    (warning,) = normal_warnings(touching((position, out.tolist())), shape=shape)
    assert (warning.name, warning.contacts) == ("c0", (0,))
    assert "points out of the shape of the object" in str(warning)


def test_the_wall_of_a_cavity_is_touched_from_within() -> None:
    """A hollow cube: in its cavity normals point outwards, into the wall; the centre of mass is not asked."""
    hollow = Mesh(np.concatenate([CORNERS, 0.6 * CORNERS]), np.concatenate([FACES, FACES[:, ::-1] + len(CORNERS)]))
    inside = touching(([0.3, 0.1, 0.0], [1, 0, 0]))
    assert normal_warnings(inside, com=np.zeros(3), shape=hollow) == ()
    (warning,) = normal_warnings(inside, com=np.zeros(3))
    assert "away from the centre of mass" in str(warning)
    assert len(normal_warnings(touching(([0.3, 0.1, 0.0], [-1, 0, 0])), com=np.zeros(3), shape=hollow)) == 1


def test_without_a_shape_or_off_its_surface_the_centre_of_mass_counts() -> None:
    pinch = touching(([-1, 0, 0], [1, 0, 0]), ([1, 0, 0], [1, 0, 0]), ([0, 0, -1], [1, 0, 0]))
    assert normal_warnings(pinch) == ()  # nothing is known
    assert [w.contacts for w in normal_warnings(pinch, com=np.zeros(3))] == [(1,)]  # one at right angles says nothing
    assert [w.contacts for w in normal_warnings(pinch, com=np.zeros(3), shape=BOX)] == [(1,)]
    plate = Cylinder(np.zeros(3), np.array([0, 0, 1.0]), 1.0, 1.0, half_angle=0.5)
    assert normal_warnings(pinch, com=np.zeros(3), shape=plate) == ()  # it is touched from both sides


def test_the_points_of_a_patch_are_one_warning() -> None:
    pose = hf.Pose(frame_from_normal((0, 0, -1)), np.zeros(3))
    patch = hf.Patch.rectangle(pose, (0.02, 0.02), FOOT, name="pad")
    (warning,) = normal_warnings(hf.Assembly(patch.contacts), com=(0, 0, 0.1))
    assert (warning.name, warning.contacts) == ("pad", tuple(range(16)))


FLIPPED = """\
holdfast: 1
object: {mass: 1.0}
volumes: {rubber: {model: coulomb, mu: 0.5}}
contacts:
  - {name: left, position: [-0.05, 0, 0], normal: [1, 0, 0], shear: [0, 0, 1], volume: rubber}
  - {name: second, position: [0.05, 0, 0], normal: [1, 0, 0], shear: [0, 0, 1], volume: rubber}
"""


def test_commands_show_the_warning_and_the_file_stays_valid(run, run_json, tmp_path: Path) -> None:
    scene = tmp_path / "flipped.yaml"
    scene.write_text(FLIPPED, encoding="utf-8")
    said = 'contact "second": its normal points away from the centre of mass'
    result = run("scene", "validate", scene)
    assert result.exit_code == 0 and ": valid" in result.stdout and f"warning: {said}" in result.stdout
    code, data = run_json("scene", "validate", scene)
    assert code == 0 and data["valid"] and data["warnings"][0].startswith(said)
    assert f"warning: {said}" in run("check", scene).stdout
    assert run_json("check", scene)[1]["warnings"] == data["warnings"]
    assert run_json("scene", "validate", "@suction_cup")[1]["warnings"] == []
