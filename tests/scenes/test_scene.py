from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box
from holdfast.errors import InputError, UnknownNameError
from holdfast.geometry.frames import Pose
from holdfast.scenes import Scene, SceneDrawing, load_scene

Write = Callable[..., Path]


@pytest.fixture
def assembly() -> hf.Assembly:
    volume = hf.models.coulomb(0.5, cap=50.0)
    return hf.Assembly([hf.Contact([0.1, 0, 0], np.eye(3), volume), hf.Contact([-0.1, 0, 0], np.eye(3), volume)])


def test_the_weight_is_the_gravity_wrench_of_the_object(assembly: hf.Assembly) -> None:
    scene = Scene(assembly=assembly, mass=2.0, com=np.array([0.1, 0.0, 0.0]))
    assert np.allclose(scene.gravity_load(), hf.loads.gravity_wrench(2.0, com=(0.1, 0, 0)))
    sideways = scene.gravity_load((5, 0, 0))
    assert np.allclose(sideways[:3], [2.0 * 9.80665, 0, 0])


def test_turning_keeps_the_size_of_gravity(assembly: hf.Assembly) -> None:
    scene = Scene(assembly=assembly, mass=1.0, gravity=np.array([0, 0, -1.62]))
    assert np.allclose(scene.turned((0, 3, 0)).gravity, [0, 1.62, 0])
    assert np.allclose(Scene(assembly=assembly, gravity=np.zeros(3)).turned((1, 0, 0)).gravity, [9.80665, 0, 0])


def test_a_scene_without_a_mass_has_no_weight(assembly: hf.Assembly) -> None:
    with pytest.raises(InputError, match="no mass"):
        Scene(assembly=assembly).gravity_load()


def test_inertia_comes_from_what_is_given_then_the_scene_then_the_shape_then_a_ball(assembly: hf.Assembly) -> None:
    box = SceneDrawing(Box(np.array([0.2, 0.1, 0.1]), Pose.identity()))
    com = np.array([0.0, 0.0, 0.05])
    scene = Scene(assembly=assembly, mass=3.0, com=com, inertia=np.array([0.02, 0.03, 0.04]), drawing=box)
    given = scene.moments_of_inertia(0.1)
    assert (given.source, given.assumed) == ("given", False)
    assert np.array_equal(given.matrix, 0.1 * np.eye(3))
    known = scene.moments_of_inertia()
    assert (known.source, known.assumed) == ("given with the scene", False)
    assert np.array_equal(known.matrix, np.diag([0.02, 0.03, 0.04]))
    filled = replace(scene, inertia=None).moments_of_inertia()
    assert "box" in filled.source
    assert np.allclose(filled.matrix, np.diag([0.005, 0.0125, 0.0125]), rtol=1e-12)
    unknown = replace(scene, inertia=None, drawing=SceneDrawing()).moments_of_inertia()
    assert unknown.assumed
    assert np.allclose(unknown.matrix, 0.4 * 3.0 * (0.1**2 + 0.05**2) * np.eye(3), rtol=1e-12)


def test_the_mass_matrix_is_that_of_mass_centre_and_inertia(assembly: hf.Assembly) -> None:
    com = np.array([0.01, -0.02, 0.05])
    scene = Scene(assembly=assembly, mass=3.0, com=com, inertia=np.array([0.02, 0.03, 0.04, 0.001, 0.002, 0.003]))
    turning = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]])
    matrix, twist = scene.mass_matrix(), np.array([0.3, -1.0, 0.5, 0.2, 0.1, -0.7])
    at_com = twist[:3] + np.cross(twist[3:], com)
    assert np.isclose(twist @ matrix @ twist, 3.0 * at_com @ at_com + twist[3:] @ turning @ twist[3:], rtol=1e-13)
    assert np.allclose(scene.mass_matrix(mass=1.5), 0.5 * matrix, rtol=1e-13)  # twice as light, of the same shape
    assert np.allclose(scene.mass_matrix(0.1), hf.dynamics.mass_matrix(3.0, 0.1 * np.eye(3), com), rtol=1e-15)
    with pytest.raises(InputError, match="no mass"):
        Scene(assembly=assembly).mass_matrix()


def test_links_weigh_on_the_joints_under_every_gravity() -> None:
    device = hf.devices.create("2FG", unit=hf.models.gecko())
    scene = Scene(
        assembly=device.assembly((0, 0, -9.81)), gravity=np.array([0, 0, -9.81]), link_gravity=device.gravity_matrix
    )
    for gravity in ((0, 0, 0), (9.81, 0, 0), (1, 2, 3)):
        expected, found = device.assembly(gravity).joints, scene.with_gravity(gravity).assembly.joints
        assert expected is not None
        assert found is not None
        assert np.allclose(found.lower, expected.lower)
        assert np.allclose(found.upper, expected.upper)
        assert found.names == expected.names


@pytest.mark.parametrize(
    "wrong",
    [
        {"mass": 0.0},
        {"mass": -1.0},
        {"mass": float("nan")},
        {"com": [0, 0]},
        {"inertia": 0.1},
        {"mass": 1.0, "inertia": [0.1, 0.1, 0.3]},
        {"gravity": [0, 0, float("inf")]},
        {"loads": {"a": [1, 2, 3]}},
        {"link_gravity": np.zeros((2, 3))},
        {"assembly": None},
    ],
)
def test_what_makes_no_scene_is_refused(assembly: hf.Assembly, wrong: dict) -> None:
    with pytest.raises(InputError):
        Scene(**{"assembly": assembly, **wrong})


def test_loads_are_found_by_name(assembly: hf.Assembly) -> None:
    scene = Scene(assembly=assembly, loads={"push": np.arange(6.0)})
    assert scene.load("push").tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(UnknownNameError, match="did you mean 'push'"):
        scene.load("posh")
    with pytest.raises(TypeError):
        scene.loads["more"] = np.zeros(6)  # type: ignore[index]


def test_the_fingerprint_changes_with_what_answers_depend_on_and_with_nothing_else(write: Write, block: str) -> None:
    def fingerprint(text: str) -> str:
        return load_scene(write(text)).fingerprint

    original = fingerprint(block)
    assert fingerprint(block.replace("name: block", "name: other")) == original
    for old, new in [
        ("mu: 0.6", "mu: 0.7"),
        ("mass: 2.0", "mass: 2.1"),
        ("mass: 2.0", "mass: 2.0\n  inertia: 0.01"),
        ("torque: 4", "torque: 5"),
        ("0.1, 0.0, 0.0]", "0.2, 0.0, 0.0]"),
    ]:
        assert fingerprint(block.replace(old, new, 1)) != original


def test_the_repr_is_short(assembly: hf.Assembly) -> None:
    assert repr(Scene(assembly=assembly, name="x")) == "Scene('x', 2 contacts)"
