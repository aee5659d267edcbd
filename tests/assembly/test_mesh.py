"""Patches from regions of meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from holdfast.assembly.contacts import patch_from_mesh
from holdfast.errors import FileError, FrameError, GeometryError, InputError, UnitError
from holdfast.force_limits import ForceVolume
from holdfast.geometry.frames import Pose, rotation_about

UNIT = ForceVolume([[[0, 0, 0], [1, 1, 2], [-1, 1, 2], [-1, -1, 2], [1, -1, 2]]])


def top(centres: np.ndarray, normals: np.ndarray) -> np.ndarray:
    return normals[:, 2] > 0.9


@pytest.fixture
def box() -> trimesh.Trimesh:
    return trimesh.creation.box((0.2, 0.1, 0.05))


def test_four_points_on_the_top_of_a_box_are_the_centres_of_its_quarters(box: trimesh.Trimesh) -> None:
    patch = patch_from_mesh(box, UNIT, points=4, shear=(1, 0, 0), faces=top, name="top")
    expected = [[x, y, 0.025] for x in (-0.05, 0.05) for y in (-0.025, 0.025)]
    np.testing.assert_allclose(sorted(patch.positions.tolist()), expected, atol=1e-12)
    np.testing.assert_array_equal(patch.fractions, 0.25)
    assert len({id(contact.volume) for contact in patch.contacts}) == 1
    assert patch.contacts[2].name == "top[2]"


@pytest.mark.parametrize("body, into", [("object", -1.0), ("gripper", 1.0)])
def test_normals_point_into_the_object_whosever_the_mesh_is(box: trimesh.Trimesh, body: str, into: float) -> None:
    patch = patch_from_mesh(box, UNIT, points=3, shear=(1, 0, 0), faces=top, body=body)  # type: ignore[arg-type]
    for contact in patch.contacts:
        np.testing.assert_allclose(contact.rotation[:, 2], (0, 0, into), atol=1e-12)
        np.testing.assert_allclose(contact.rotation[:, 0], (1, 0, 0), atol=1e-12)


def test_shares_have_equal_areas_on_a_sphere_and_points_lie_on_it() -> None:
    sphere = trimesh.creation.icosphere(subdivisions=4, radius=0.1)
    patch = patch_from_mesh(
        sphere,
        UNIT,
        points=7,
        shear=lambda x: np.cross([0, 0, 1], x),
        faces=lambda c, n: (n[:, 2] > 0.3) & (n[:, 2] < 0.9),
    )
    np.testing.assert_allclose(np.linalg.norm(patch.positions, axis=1), 0.1, rtol=2e-3)
    for contact in patch.contacts:
        outward = contact.position / np.linalg.norm(contact.position)
        assert contact.rotation[:, 2] @ outward < -0.97
        assert abs(contact.rotation[:, 0] @ (0, 0, 1)) < 0.2
    np.testing.assert_allclose(patch.fractions, 1 / 7)


def test_the_points_do_not_depend_on_how_the_surface_is_cut_into_triangles(box: trimesh.Trimesh) -> None:
    fine = box.subdivide_to_size(0.02)
    fine = trimesh.Trimesh(fine.vertices, np.roll(fine.faces, 1, axis=1))
    for mesh in (box, fine):
        patch = patch_from_mesh(mesh, UNIT, points=8, shear=(1, 0, 0), faces=top)
        np.testing.assert_allclose(patch.positions.mean(axis=0), (0, 0, 0.025), atol=1e-12)
        expected = [[x, y] for x in (-0.075, -0.025, 0.025, 0.075) for y in (-0.025, 0.025)]
        np.testing.assert_allclose(sorted(patch.positions[:, :2].round(9).tolist()), expected, atol=1e-9)


def test_faces_by_number_by_mask_and_by_function_agree(box: trimesh.Trimesh) -> None:
    mask = np.asarray(box.face_normals)[:, 2] > 0.9
    made = [
        patch_from_mesh(box, UNIT, points=4, shear=(1, 0, 0), faces=choice).positions
        for choice in (top, mask, np.nonzero(mask)[0], np.nonzero(mask)[0].tolist())
    ]
    for positions in made[1:]:
        np.testing.assert_array_equal(positions, made[0])


def test_a_shear_field_may_be_given_per_face(box: trimesh.Trimesh) -> None:
    field = np.tile([1.0, 0, 0], (len(box.faces), 1))
    field[np.asarray(box.face_normals)[:, 2] > 0.9] = (0, -2.0, 0)
    patch = patch_from_mesh(box, UNIT, points=2, shear=field, faces=top)
    np.testing.assert_allclose(patch.contacts[0].rotation[:, 0], (0, -1, 0), atol=1e-12)


def test_scale_and_pose_place_the_mesh_in_the_world() -> None:
    in_millimetres = trimesh.creation.box((200, 100, 50))
    pose = Pose(rotation_about((0, 1, 0), np.pi / 2), np.array([1.0, 2, 3]))

    def along_x(centres: np.ndarray, normals: np.ndarray) -> np.ndarray:
        return normals[:, 0] > 0.9

    patch = patch_from_mesh(
        in_millimetres, UNIT, points=1, shear=(0, 1, 0), faces=along_x, pose=pose, scale=0.001, body="gripper"
    )
    np.testing.assert_allclose(patch.positions, [[1.025, 2, 3]], atol=1e-12)
    np.testing.assert_allclose(patch.contacts[0].rotation[:, 2], (1, 0, 0), atol=1e-12)


def test_a_file_gives_what_its_mesh_gives(box: trimesh.Trimesh, tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    box.export(path)
    from_file = patch_from_mesh(path, UNIT, points=4, shear=(1, 0, 0), faces=top)
    np.testing.assert_allclose(
        from_file.positions, patch_from_mesh(box, UNIT, points=4, shear=(1, 0, 0), faces=top).positions, atol=1e-7
    )


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileError, match=r"nowhere\.stl: there is no such file"):
        patch_from_mesh("nowhere.stl", UNIT, points=4, shear=(1, 0, 0))


@pytest.mark.parametrize("name, text", [("a.foo", "x"), ("b.obj", "v 0 0\nf 1 2 9"), ("c.stl", "solid x\nnonsense")])
def test_a_file_that_is_no_mesh_is_refused(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=name):
        patch_from_mesh(path, UNIT, points=4, shear=(1, 0, 0))


@pytest.mark.parametrize(
    "change, error, match",
    [
        ({"points": 0}, InputError, "points: is 0"),
        ({"body": "hand"}, InputError, "body: is 'hand'"),
        ({"scale": 0.0}, InputError, "scale: is 0"),
        ({"scale": 1e9}, UnitError, "extent of the mesh"),
        ({"faces": []}, GeometryError, "faces: no face"),
        ({"faces": [0, 12]}, InputError, "faces: has numbers from 0 to 12"),
        ({"faces": [True, False]}, InputError, r"faces: is a mask of shape \(2,\)"),
        ({"faces": [0.5]}, InputError, "faces: is neither"),
        ({"faces": None, "points": 1}, GeometryError, "turns too far within the share of point 0"),
        ({"shear": (0, 0, 1)}, FrameError, r"shear\[0\]: is parallel"),
        ({"shear": np.ones((3, 3))}, InputError, r"shear: has shape \(3, 3\)"),
        ({"mesh": np.eye(3)}, InputError, "mesh: is a ndarray"),
        ({"mesh": trimesh.Trimesh(np.eye(3), np.zeros((0, 3), int))}, GeometryError, "mesh: has no faces"),
        (
            {"mesh": trimesh.Trimesh(np.diag([1, np.nan, 1]), [[0, 1, 2]], process=False)},
            InputError,
            "mesh.vertices.*nan",
        ),
    ],
)
def test_what_cannot_be_a_region_is_refused(box: trimesh.Trimesh, change: dict, error: type, match: str) -> None:
    good = {"mesh": box, "volume": UNIT, "points": 4, "shear": (1, 0, 0), "faces": top}
    with pytest.raises(error, match=match):
        patch_from_mesh(**{**good, **change})


def test_slivers_do_not_disturb(box: trimesh.Trimesh) -> None:
    corner = box.vertices[box.faces[top(None, np.asarray(box.face_normals))][0]]  # type: ignore[arg-type]
    vertices = np.concatenate([box.vertices, [corner[0], corner[1], (corner[0] + corner[1]) / 2]])
    count = len(box.vertices)
    faces = np.concatenate([box.faces, [[count, count + 1, count + 2]]])
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    chosen = [*np.nonzero(np.asarray(box.face_normals)[:, 2] > 0.9)[0], len(faces) - 1]
    patch = patch_from_mesh(mesh, UNIT, points=4, shear=(1, 0, 0), faces=chosen)
    np.testing.assert_allclose(np.abs(patch.positions), np.tile([0.05, 0.025, 0.025], (4, 1)), atol=1e-12)


def test_every_share_has_the_same_area_and_together_they_are_the_region() -> None:
    from holdfast.assembly import contacts as module

    sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    corners = np.asarray(sphere.triangles)[np.asarray(sphere.face_normals)[:, 0] > 0.2]
    for count in (1, 2, 5, 12):
        shares = module._equal_shares(corners, np.arange(len(corners)), count)
        areas = [trimesh.triangles.area(part).sum() for part, _ in shares]
        np.testing.assert_allclose(areas, trimesh.triangles.area(corners).sum() / count, rtol=1e-9)
        for part, parent in shares:
            twice = np.cross(part[:, 1] - part[:, 0], part[:, 2] - part[:, 0])
            along = np.linalg.norm(twice, axis=1)[:, None] * trimesh.triangles.normals(corners)[0][parent]
            np.testing.assert_allclose(twice, along, atol=1e-12)
