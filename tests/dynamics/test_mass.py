"""Mass matrices, moments of inertia and rigid bodies against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Cylinder
from holdfast.dynamics import mass_matrix
from holdfast.dynamics.mass import (
    RigidBody,
    ball_inertia,
    box_inertia,
    centre_of_mass,
    cylinder_inertia,
    inertia_matrix,
    inertia_of,
    mesh_inertia,
)
from holdfast.errors import GeometryError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from tests.referee import random_rotation


def test_it_is_the_sum_over_point_masses():
    """Each point accelerates by a + alpha x x; its inertia force has a moment about the origin."""
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(20, 3)), rng.uniform(0.1, 2.0, 20)
    total = masses.sum()
    com = masses @ points / total
    arms = points - com
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    twist = rng.normal(size=6)
    forces = masses[:, None] * (twist[:3] + np.cross(twist[3:], points))
    wrench = np.concatenate([forces.sum(axis=0), np.cross(points, forces).sum(axis=0)])
    np.testing.assert_allclose(mass_matrix(total, inertia, com) @ twist, wrench, rtol=1e-12)


def test_energy_does_not_depend_on_where_the_origin_is():
    inertia = np.diag([0.1, 0.2, 0.25])
    near, far = mass_matrix(2.0, inertia), mass_matrix(2.0, inertia, (1e3, -2e3, 5e2))
    twist = np.array([1.0, 2.0, 3.0, -1.0, 0.5, 0.2])  # of the centre of mass
    moved = twist - np.concatenate([np.cross(twist[3:], (1e3, -2e3, 5e2)), np.zeros(3)])
    assert moved @ far @ moved == pytest.approx(twist @ near @ twist, rel=1e-8)


@pytest.mark.parametrize(
    "mass, inertia, com, where",
    [
        (0.0, np.eye(3), (0, 0, 0), "mass"),
        (-1.0, np.eye(3), (0, 0, 0), "mass"),
        (1.0, np.diag([1.0, 1.0, 0.0]), (0, 0, 0), "inertia"),
        (1.0, np.array([[1.0, 0.9, 0], [0.9, 1.0, 0.9], [0, 0.9, 1.0]]), (0, 0, 0), "inertia"),
        (1.0, np.array([[1.0, 0.1, 0], [0, 1.0, 0], [0, 0, 1.0]]), (0, 0, 0), "inertia"),
        (1.0, np.eye(2), (0, 0, 0), "inertia"),
        (1.0, np.eye(3), (0, 0), "com"),
        (1.0, np.eye(3), (0, 0, np.inf), "com"),
    ],
)
def test_what_no_body_has_is_refused_by_name(mass, inertia, com, where):
    with pytest.raises(InputError) as error:
        mass_matrix(mass, inertia, com)
    assert error.value.where.startswith(where)


def test_it_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        mass_matrix(1.0, np.eye(3))[0, 0] = 2.0


def summed(mass: float, points: np.ndarray) -> np.ndarray:
    """(3, 3) inertia about their middle of equal masses at the points."""
    x = points - points.mean(axis=0)
    return mass * (np.mean((x**2).sum(axis=1)) * np.eye(3) - x.T @ x / len(x))


def grid(count: int) -> np.ndarray:
    """(count^3, 3) middles of the cells of the cube from -1/2 to 1/2."""
    steps = (np.arange(count) + 0.5) / count - 0.5
    return np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)


def cube_triangles(sides: np.ndarray) -> np.ndarray:
    """(12, 3, 3) outward triangles of a box about the origin."""
    found = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            turns = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            corners[:, [(axis + 1) % 3, (axis + 2) % 3]] = turns if sign > 0 else turns[::-1]
            found += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.array(found) * sides / 2.0


def test_solids_are_the_sum_of_their_points():
    mass, cells = 2.5, grid(60)
    box = box_inertia(mass, (0.2, 0.3, 0.5))
    np.testing.assert_allclose(box, summed(mass, cells * [0.2, 0.3, 0.5]), rtol=1e-3, atol=1e-12)
    inside = cells[np.linalg.norm(cells, axis=1) <= 0.5]
    np.testing.assert_allclose(ball_inertia(mass, 0.5), summed(mass, inside), rtol=1e-2, atol=1e-3)
    round_ = cells[np.linalg.norm(cells[:, :2], axis=1) <= 0.5] * [0.2, 0.2, 0.7]
    np.testing.assert_allclose(cylinder_inertia(mass, 0.1, 0.7), summed(mass, round_), rtol=1e-2, atol=1e-4)


@pytest.mark.parametrize("half_angle", [0.2, 1.0, 2.5])
def test_a_curved_plate_is_the_sum_of_its_points(half_angle):
    angles = half_angle * ((np.arange(400) + 0.5) / 200 - 1.0)
    heights = 0.3 * ((np.arange(60) + 0.5) / 60 - 0.5)
    a, z = (m.ravel() for m in np.meshgrid(angles, heights))
    points = np.column_stack([0.1 * np.cos(a), 0.1 * np.sin(a), z])
    np.testing.assert_allclose(
        cylinder_inertia(0.4, 0.1, 0.3, half_angle=half_angle), summed(0.4, points), rtol=1e-3, atol=1e-9
    )
    turn = random_rotation(np.random.default_rng(3))
    shape = Cylinder(np.zeros(3), turn[:, 2], 0.1, 0.3, half_angle, turn[:, 0])
    middle = turn @ points.mean(axis=0)
    found = inertia_of(0.4, shape, middle, np.zeros((1, 3)))
    np.testing.assert_allclose(found.matrix, summed(0.4, points @ turn.T), rtol=1e-3, atol=1e-7)
    assert found.source == "a thin curved plate of uniform density" and not found.assumed


def test_a_mesh_of_a_box_is_the_box_wherever_it_stands_and_whichever_way_it_faces():
    sides, turn, at = np.array([0.2, 0.1, 0.4]), random_rotation(np.random.default_rng(1)), np.array([3.0, -2.0, 1.0])
    triangles = cube_triangles(sides) @ turn.T + at
    for corners in (triangles, triangles[:, ::-1]):
        matrix, middle = mesh_inertia(1.7, corners)
        np.testing.assert_allclose(matrix, box_inertia(1.7, sides, turn), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(middle, at, atol=1e-12)
    with pytest.raises(GeometryError, match="encloses no volume"):
        mesh_inertia(1.0, triangles[:2])


def test_shapes_of_scenes_are_known():
    for name, words in (("block_on_three_points", "a box"), ("two_finger_gripper_md_md", "a thin curved plate")):
        scene = hf.scenes.load_scene(f"@{name}")
        found = inertia_of(scene.mass, scene.drawing.shape, scene.com, scene.assembly.positions)
        assert found.source.startswith(words)
        assert (np.linalg.eigvalsh(found.matrix) > 0.0).all()
    block = hf.scenes.load_scene("@block_on_three_points")
    found = inertia_of(2.0, block.drawing.shape, block.com, block.assembly.positions)
    np.testing.assert_allclose(found.matrix, box_inertia(2.0, (0.3, 0.3, 0.1)))
    ball = hf.assembly.shapes.Sphere(0.2, np.array([0.0, 0.0, 1.0]))
    found = inertia_of(1.0, ball, (0, 0, 1.0), np.zeros((1, 3)))
    np.testing.assert_allclose(found.matrix, ball_inertia(1.0, 0.2))


def test_a_device_s_cylinder_is_as_the_scene_s():
    device, scene = hf.devices.two_finger_gripper("MD", "MD"), hf.scenes.load_scene("@two_finger_gripper_md_md")
    ours = inertia_of(0.3, device.object.shape, device.object.com, np.zeros((1, 3)))
    theirs = inertia_of(0.3, scene.drawing.shape, scene.com, np.zeros((1, 3)))
    np.testing.assert_allclose(ours.matrix, theirs.matrix, rtol=1e-9, atol=1e-12)


def test_a_centre_of_mass_off_the_middle_is_said():
    box = hf.assembly.shapes.Box(np.array([0.2, 0.2, 0.2]))
    assert "50 mm from its centroid" in inertia_of(1.0, box, (0.05, 0, 0), np.zeros((1, 3))).source


def test_without_a_shape_a_ball_to_the_furthest_contact_stands_in_and_says_so():
    found = inertia_of(2.0, None, (0, 0, 0.1), [(0.1, 0, 0.1), (0, 0.3, 0.1)])
    assert found.assumed and "300 mm" in found.source and found.source.startswith("assumed")
    np.testing.assert_allclose(found.matrix, ball_inertia(2.0, 0.3))
    with pytest.raises(InputError, match="no extent"):
        inertia_of(2.0, None, (0, 0, 0), np.zeros((2, 3)))
    with pytest.raises(InputError, match="is a str"):
        inertia_of(2.0, "box", (0, 0, 0), np.zeros((2, 3)))


def test_the_centre_of_mass_is_read_off_the_mass_matrix():
    com = (0.2, -0.1, 0.7)
    np.testing.assert_allclose(centre_of_mass(mass_matrix(3.0, np.eye(3), com)), com, atol=1e-12)


def test_the_body_moves_with_its_mass_matrix():
    com, inertia = np.array([0.1, -0.2, 0.3]), np.diag([1.0, 2.0, 2.5])
    body = RigidBody.from_matrix(mass_matrix(2.0, inertia, com))
    np.testing.assert_allclose(body.com, com, atol=1e-12)
    np.testing.assert_allclose(body.inertia, inertia, atol=1e-12)
    turn = rotation_about((1, 2, 3), 0.7)
    moved = body.matrix_at(Pose(turn, np.array([1.0, 0.0, 0.0])))
    expected = mass_matrix(2.0, turn @ inertia @ turn.T, turn @ com + [1.0, 0.0, 0.0])
    np.testing.assert_allclose(moved, expected, atol=1e-12)


def test_other_matrices_are_refused():
    apart = mass_matrix(2.0, np.eye(3), (0.1, 0.2, 0.3)).copy()
    apart[3:, :3] += 0.1
    for matrix in (np.diag([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]), apart):
        with pytest.raises(InputError, match="rigid body"):
            RigidBody.from_matrix(matrix)


# -- moments as they are given


def test_six_entries_are_those_of_point_masses():
    rng = np.random.default_rng(3)
    points, masses = rng.normal(size=(8, 3)), rng.uniform(0.1, 1.0, 8)
    x, y, z = points.T
    moments = [masses @ (y * y + z * z), masses @ (x * x + z * z), masses @ (x * x + y * y)]
    products = [-masses @ (x * y), -masses @ (x * z), -masses @ (y * z)]
    whole = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    assert np.allclose(inertia_matrix([*moments, *products]), whole, rtol=1e-13)
    assert np.allclose(inertia_matrix(whole), whole, rtol=1e-15)


def test_one_number_is_a_ball_and_three_are_the_diagonal():
    for given in (0.3, [0.3], np.float64(0.3), (0.3, 0.3, 0.3)):
        assert np.array_equal(inertia_matrix(given), 0.3 * np.eye(3))
    assert np.array_equal(inertia_matrix([1, 2, 3]), np.diag([1.0, 2, 3]))  # a plate: equality, and it is allowed


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, 2], "has 2 numbers"),
        ([], "has 0 numbers"),
        (0.0, "is 0"),
        ([1, -1, 1], "is -1"),
        ([1, 1, 1, 2, 0, 0], "indefinite"),
        ([1, 1, 1, 1, 0, 0], "singular"),
        ([1, 1, 2.1], "no rigid body has the principal moments 1, 1, 2.1"),
        (np.nan, "is nan"),
        ("ball", "not an array"),
        ([[1, 0, 0], [0, 1]], "not an array"),
        (np.eye(2), "shape"),
        ([[1, 0, 0], [0.5, 1, 0], [0, 0, 1]], "not symmetric"),
    ],
)
def test_what_is_no_inertia_is_refused(given, words):
    with pytest.raises(InputError, match=words) as caught:
        inertia_matrix(given, where="moments")
    assert caught.value.where.startswith("moments")
    assert caught.value.fix
