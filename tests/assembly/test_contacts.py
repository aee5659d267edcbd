"""Point contacts, alone and from arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.assembly import Assembly, Contact
from holdfast.assembly.contacts import Patch, contacts_from_arrays, patch_from_mesh, volume_shares, with_shared_volumes
from holdfast.errors import FileError, FrameError, GeometryError, InputError, UnitError
from holdfast.force_limits import ForceVolume
from holdfast.geometry.frames import Pose, frame_from_normal, rotation_about

CONE = [[0, 0, 0], [1, 1, 2], [-1, 1, 2], [-1, -1, 2], [1, -1, 2]]


@pytest.fixture
def cone() -> ForceVolume:
    return ForceVolume([CONE])


def test_a_contact_keeps_what_it_is_given_read_only(cone: ForceVolume) -> None:
    contact = Contact([1, 2, 3], np.eye(3), cone, "tip")
    np.testing.assert_array_equal(contact.position, (1.0, 2.0, 3.0))
    assert contact.volume is cone
    assert contact.name == "tip"
    with pytest.raises(ValueError, match="read-only"):
        contact.position[0] = 5.0


@pytest.mark.parametrize(
    "position, rotation, match",
    [
        ((0, 0), np.eye(3), r"position: has shape \(2,\)"),
        ((0, 0, np.nan), np.eye(3), r"position\[2\]: is nan"),
        ((0, 0, 0), np.diag([1, 1, -1]), "left-handed"),
        ((0, 0, 0), 2 * np.eye(3), "lengths"),
    ],
)
def test_a_bad_place_or_frame_is_refused(position: object, rotation: object, match: str, cone: ForceVolume) -> None:
    with pytest.raises(InputError, match=match):
        Contact(position, rotation, cone)  # type: ignore[arg-type]


def test_a_position_in_millimetres_far_out_is_taken_for_a_wrong_unit(cone: ForceVolume) -> None:
    with pytest.raises(UnitError, match="metres"):
        Contact([0, 0, 1e6], np.eye(3), cone)


def test_the_other_side_of_a_contact_may_be_called_the_world_and_no_body_may(cone: ForceVolume) -> None:
    assert Contact(np.zeros(3), np.eye(3), cone, body="box", against="world").against is None
    with pytest.raises(InputError, match="what does not move"):
        Contact(np.zeros(3), np.eye(3), cone, body="world")
    with pytest.raises(InputError, match="touches itself"):
        Contact(np.zeros(3), np.eye(3), cone, body="box", against="box")


def test_vertices_instead_of_a_volume_are_refused() -> None:
    with pytest.raises(InputError, match="volume: is a list"):
        Contact([0, 0, 0], np.eye(3), CONE)  # type: ignore[arg-type]


def test_contacts_from_arrays_have_the_frames_of_their_normals_and_shear(cone: ForceVolume) -> None:
    normals = np.array([[0, 0, -2.0], [0, 3.0, 0], [1, 0, 1]])
    made = contacts_from_arrays(np.arange(9).reshape(3, 3), normals, (1, 0.2, 0), cone, name="a")
    for contact, normal in zip(made, normals, strict=True):
        u, _, n = contact.rotation.T
        np.testing.assert_allclose(n, normal / np.linalg.norm(normal), atol=1e-15)
        assert u @ (1, 0.2, 0) > 0
        assert contact.volume is cone
    assert [contact.name for contact in made] == ["a[0]", "a[1]", "a[2]"]


def test_the_shear_field_may_be_constant_an_array_or_a_function(cone: ForceVolume) -> None:
    points = np.array([[1.0, 0, 0], [0, 1, 0], [-1, -1, 0]])
    normals = np.tile([0, 0, -1.0], (3, 1))

    def around(x: np.ndarray) -> np.ndarray:
        return np.cross([0, 0, 1], x)

    by_function = contacts_from_arrays(points, normals, around, cone)
    by_array = contacts_from_arrays(points, normals, around(points), cone)
    for one, other, point in zip(by_function, by_array, points, strict=True):
        np.testing.assert_array_equal(one.rotation, other.rotation)
        assert abs(one.rotation[:, 0] @ point) < 1e-15
    constant = contacts_from_arrays(points, normals, (0, 1, 0), cone)
    np.testing.assert_array_equal(constant[2].rotation[:, 0], (0, 1, 0))


def test_fractions_scale_the_volume_and_equal_ones_share_it(cone: ForceVolume) -> None:
    points, normals = np.zeros((4, 3)), np.tile([0, 0, -1.0], (4, 1))
    made = contacts_from_arrays(points, normals, (1, 0, 0), cone, fractions=[0.25, 0.5, 0.25, 1.0])
    assert made[0].volume is made[2].volume
    assert made[3].volume is cone
    np.testing.assert_allclose(made[1].volume.pieces[0], 0.5 * np.array(CONE))


@pytest.mark.parametrize(
    "change, match",
    [
        ({"points": np.zeros((0, 3))}, "points: is empty"),
        ({"normals": np.ones((2, 3))}, r"normals: has shape \(2, 3\)"),
        ({"normals": [[0, 0, 1], [0, 0, 1], [0, 0, 0]]}, r"normals\[2\]: is the zero vector"),
        ({"shear": [[1, 0, 0], [0, 0, 1], [1, 0, 0]]}, r"shear\[1\]: is parallel to the normal"),
        ({"shear": lambda x: x[:, :2]}, r"shear: has shape \(3, 2\)"),
        ({"shear": (1, 0)}, r"shear: has shape \(2,\)"),
        ({"fractions": [0.5, 0.5, 0.0]}, r"fractions\[2\]: is 0"),
        ({"fractions": [0.5, 1.5, 0.5]}, r"fractions\[1\]: is 1.5"),
        ({"volume": CONE}, "volume: is a list"),
    ],
)
def test_bad_arrays_are_refused_with_their_row(change: dict, match: str, cone: ForceVolume) -> None:
    good = {"points": np.zeros((3, 3)), "normals": np.tile([0, 0, 1.0], (3, 1)), "shear": (1, 0, 0), "volume": cone}
    with pytest.raises(InputError, match=match):
        contacts_from_arrays(**{**good, **change})


def test_a_shear_along_the_normal_is_a_frame_error(cone: ForceVolume) -> None:
    with pytest.raises(FrameError, match=r"shear\[0\]"):
        contacts_from_arrays([[0, 0, 0]], [[0, 0, 1]], (0, 0, -2), cone)


def test_shares_that_differ_by_rounding_are_one_volume(cone: ForceVolume) -> None:
    first, second, third = volume_shares(cone, [1 / 3, 1 / 3 + 1e-16, 0.4])
    assert first is second
    assert third is not first


def test_equal_volumes_made_apart_can_be_made_one(cone: ForceVolume) -> None:
    apart = [Contact([i, 0, 0], np.eye(3), ForceVolume([CONE]), f"c{i}") for i in range(3)]
    other = Contact([3, 0, 0], np.eye(3), cone.scaled(2.0))
    shared = with_shared_volumes([*apart, other])
    assert len({id(contact.volume) for contact in shared}) == 2
    assert [contact.name for contact in shared[:3]] == ["c0", "c1", "c2"]
    np.testing.assert_array_equal(shared[2].position, (2, 0, 0))


# Units as patches of points.

UNIT = ForceVolume([[[0, 0, 0], [1, 1, 2], [-1, 1, 2], [-1, -1, 2], [1, -1, 2]]])
POSE = Pose(frame_from_normal((0.2, -0.3, -1), (1, 0, 0.1)), np.array([0.1, 0.2, 0.3]))


def in_patch_frame(patch: Patch, pose: Pose) -> np.ndarray:
    return pose.inverse().apply(patch.positions)


def test_a_rectangle_has_four_corners_with_a_quarter_of_the_unit_each() -> None:
    patch = Patch.rectangle(POSE, (0.028, 0.030), UNIT, name="unit", pressure="free")
    local = in_patch_frame(patch, POSE)
    np.testing.assert_allclose(np.abs(local), np.tile([0.014, 0.015, 0.0], (4, 1)), atol=1e-15)
    assert len({tuple(np.sign(point[:2])) for point in local}) == 4
    np.testing.assert_array_equal(patch.fractions, 0.25)
    volumes = {id(contact.volume) for contact in patch.contacts}
    assert len(volumes) == 1
    np.testing.assert_allclose(patch.contacts[0].volume.pieces[0], UNIT.pieces[0] / 4)
    assert [contact.name for contact in patch.contacts] == [f"unit[{i}]" for i in range(4)]
    for contact in patch.contacts:
        np.testing.assert_array_equal(contact.rotation, POSE.rotation)


def test_a_rectangle_of_cells_has_equal_shares_at_their_centres() -> None:
    patch = Patch.rectangle(POSE, (0.03, 0.02), UNIT, points=(3, 2), pressure="free")
    local = in_patch_frame(patch, POSE)
    np.testing.assert_allclose(sorted(set(local[:, 0].round(9))), [-0.01, 0.0, 0.01])
    np.testing.assert_allclose(sorted(set(local[:, 1].round(9))), [-0.005, 0.005])
    np.testing.assert_allclose(patch.fractions, 1 / 6)
    np.testing.assert_allclose(patch.center, POSE.translation, atol=1e-15)


def test_one_cell_is_the_whole_unit_at_the_centre() -> None:
    patch = Patch.rectangle(POSE, (0.03, 0.02), UNIT, points=(1, 1))
    assert patch.contacts[0].volume is UNIT
    np.testing.assert_allclose(patch.positions, POSE.translation[None], atol=1e-15)


@given(st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_a_polygon_that_is_a_rectangle_is_the_rectangle(lx: float, ly: float) -> None:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (lx / 2, ly / 2)
    pairs = ((Patch.polygon, corners), (Patch.rectangle, (lx, ly)))
    polygon, rectangle = (make(POSE, shape, UNIT, points="corners") for make, shape in pairs)
    np.testing.assert_allclose(polygon.positions, rectangle.positions, atol=1e-12)
    np.testing.assert_allclose(polygon.fractions, 0.25, rtol=1e-12)
    assert len({id(contact.volume) for contact in polygon.contacts}) == 1


def test_a_triangle_gives_each_corner_a_third() -> None:
    patch = Patch.polygon(POSE, [[0, 0], [0.02, 0], [0, 0.05]], UNIT, points="corners")
    np.testing.assert_allclose(patch.fractions, 1 / 3)
    assert len({id(contact.volume) for contact in patch.contacts}) == 1


def test_a_u_shape_is_split_into_cells_and_not_into_corners() -> None:
    u_shape = np.array([[0, 0], [9, 0], [9, 9], [8, 9], [8, 1], [1, 1], [1, 9], [0, 9]]) * 0.01
    with pytest.raises(GeometryError, match=r"corners are not visible from the centroid.*points=\(3, 3\)"):
        Patch.polygon(POSE, u_shape, UNIT, pressure="free")
    patch = Patch.polygon(POSE, u_shape, UNIT, points=(9, 9), pressure="free")
    np.testing.assert_allclose(patch.fractions, 1 / 25)
    assert len({id(contact.volume) for contact in patch.contacts}) == 1


def test_the_volumes_of_a_patch_sum_to_the_unit() -> None:
    corners = [[0, 0], [0.04, 0.01], [0.05, 0.04], [0.01, 0.03]]
    directions = np.random.default_rng(1).normal(size=(50, 3))
    for points in ("corners", (3, 4)):
        patch = Patch.polygon(POSE, corners, UNIT, points=points)
        total = sum(contact.volume.support(directions) for contact in patch.contacts)
        np.testing.assert_allclose(total, UNIT.support(directions), atol=1e-12)


def test_a_pad_that_comes_as_points_is_placed_as_it_is() -> None:
    points = np.array([[0.01, 0, 0], [-0.01, 0, 0], [0, 0.01, 0.001]])
    patch = Patch.of_pad(POSE, SimpleNamespace(points=points, volume=UNIT), name="pad")
    np.testing.assert_allclose(in_patch_frame(patch, POSE), points, atol=1e-15)
    assert all(contact.volume is UNIT for contact in patch.contacts)


def test_a_moved_patch_is_carried_along_and_shares_its_volumes() -> None:
    patch = Patch.rectangle(Pose.identity(), (0.028, 0.030), UNIT, name="a")
    moved = patch.moved(POSE, name="b")
    direct = Patch.rectangle(POSE, (0.028, 0.030), UNIT)
    np.testing.assert_allclose(moved.positions, direct.positions, atol=1e-15)
    np.testing.assert_allclose(moved.faces[0], direct.faces[0], atol=1e-15)
    np.testing.assert_allclose(moved.contacts[0].rotation, POSE.rotation)
    assert moved.contacts[0].volume is patch.contacts[0].volume
    assert moved.contacts[3].name == "b[3]"
    assert patch.moved(POSE).name == "a"


@pytest.mark.parametrize(
    "size, points, error, match",
    [
        ((0.0, 0.03), "corners", InputError, r"size\[0\]: is 0 m"),
        ((0.03, -0.1), "corners", InputError, r"size\[1\]: is -0.1 m"),
        ((0.03, np.nan), "corners", InputError, r"size\[1\]: is nan"),
        ((0.03,), "corners", InputError, r"size: has shape \(1,\)"),
        ((1e-8, 0.03), "corners", UnitError, r"size\[0\].*between 1e-06 and 10000"),
        ((28e3, 30e3), "corners", UnitError, r"size\[0\]"),
        ((0.03, 0.03), "edges", InputError, "points: is 'edges'"),
        ((0.03, 0.03), (0, 2), InputError, r"points\[0\]: is 0"),
        ((0.03, 0.03), (2, 1.5), InputError, r"points\[1\]: is 1.5"),
        ((0.03, 0.03), 4, InputError, "points: is 4"),
    ],
)
def test_degenerate_rectangles_are_refused(size: tuple, points: object, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        Patch.rectangle(POSE, size, UNIT, points=points)  # type: ignore[arg-type]


def test_a_self_intersecting_polygon_is_refused() -> None:
    with pytest.raises(GeometryError, match="crosses itself"):
        Patch.polygon(POSE, [[0, 0], [0.1, 0.1], [0.1, 0], [0, 0.15]], UNIT)


def test_a_rotation_is_no_pose() -> None:
    with pytest.raises(InputError, match=r"pose: is a ndarray.*frame_from_normal"):
        Patch.rectangle(np.eye(3), (0.1, 0.1), UNIT)  # type: ignore[arg-type]


@pytest.mark.parametrize("fractions", [[0.5, 0.5, 0.5, 0.5], [0.5, 0.6, -0.1, 0.0]])
def test_shares_must_be_positive_and_sum_to_one(fractions: list[float]) -> None:
    patch = Patch.rectangle(POSE, (0.1, 0.1), UNIT, points="corners")
    with pytest.raises(InputError, match="fractions: sum to"):
        Patch(patch.contacts, np.array(fractions))


def test_a_patch_without_contacts_is_refused() -> None:
    with pytest.raises(InputError, match="contacts: is empty"):
        Patch((), np.zeros(0))


# Patches from regions of meshes.


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


# -- units: points that share one piece ---------------------------------------------------------------

TWO_PIECES = ForceVolume([CONE, [[0, 0, 0], [3, 0, 1], [3, 0, -1], [3, 1, 0]]])


@pytest.mark.parametrize(
    "make",
    [
        lambda corners: Patch.rectangle(POSE, (0.1, 0.1), TWO_PIECES, corners=corners),
        lambda corners: Patch.rectangle(POSE, (0.1, 0.1), TWO_PIECES, points=(2, 3), corners=corners),
        lambda corners: Patch.polygon(POSE, [[0, 0], [0.02, 0], [0, 0.05]], TWO_PIECES, corners=corners),
        lambda corners: patch_from_mesh(
            trimesh.creation.box((0.1, 0.1, 0.1)),
            TWO_PIECES,
            points=3,
            shear=(1, 0, 0),
            corners=corners,
            faces=lambda centres, normals: normals[:, 2] > 0.5,
        ),
    ],
)
def test_the_points_of_a_patch_are_one_unit_unless_they_are_independent(make: Callable[[str], Patch]) -> None:
    shared, independent = make("shared"), make("independent")
    assert len({contact.unit for contact in shared.contacts}) == 1 and shared.contacts[0].unit is not None
    assert {contact.unit for contact in independent.contacts} == {None}
    assert Assembly(shared.contacts).unit_of.tolist() == [0] * len(shared)
    assert Assembly(independent.contacts).unit_of.tolist() == list(range(len(shared)))
    assert Assembly(shared.contacts).fingerprint != Assembly(independent.contacts).fingerprint
    with pytest.raises(InputError, match="corners: is 'free'"):
        make("free")


def test_moved_patches_and_assemblies_are_other_units() -> None:
    patch = Patch.rectangle(POSE, (0.1, 0.1), TWO_PIECES, name="pad")
    other = patch.moved(Pose(np.eye(3), np.array([1.0, 0.0, 0.0])), name="other")
    both = Assembly(patch.contacts + other.contacts)
    assert both.unit_of.tolist() == [0] * 4 + [1] * 4
    assert other.contacts[0].unit is not None and other.contacts[0].unit.name == "other"
    twice = Assembly([*both.contacts, *both.moved(Pose(np.eye(3), np.array([0.0, 1.0, 0.0]))).contacts])
    assert twice.unit_of.tolist() == np.repeat(range(4), 4).tolist()


def test_units_of_one_piece_have_no_choice_to_share(cone: ForceVolume) -> None:
    assert Assembly(Patch.rectangle(POSE, (0.1, 0.1), cone, points="corners").contacts).unit_of.tolist() == [0, 1, 2, 3]
    hulled = Assembly(Patch.rectangle(POSE, (0.1, 0.1), TWO_PIECES).contacts).hulled()
    assert hulled.unit_of.tolist() == [0, 1, 2, 3]


def test_points_of_a_unit_must_follow_each_other_and_have_as_many_pieces(cone: ForceVolume) -> None:
    one, two = (Patch.rectangle(POSE, (0.1, 0.1), TWO_PIECES, name=name) for name in ("one", "two"))
    with pytest.raises(
        InputError, match=r"contacts\[6\]: is separated in the list from the other points of unit 'one'"
    ):
        Assembly([*one.contacts[:2], *two.contacts, *one.contacts[2:]])
    mixed = [*one.contacts[:3], replace(one.contacts[3], volume=cone)]
    with pytest.raises(InputError, match=r"contacts\[3\].volume: has 1 pieces, the other points of unit 'one' have 2"):
        Assembly(mixed)
    with pytest.raises(InputError, match="unit: is a str"):
        replace(one.contacts[0], unit="one")  # type: ignore[arg-type]
