"""Point contacts, alone and from arrays."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.assembly.assembly import Contact
from holdfast.assembly.contacts import contacts_from_arrays, volume_shares, with_shared_volumes
from holdfast.errors import FrameError, InputError, UnitError
from holdfast.force_limits import ForceVolume

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
