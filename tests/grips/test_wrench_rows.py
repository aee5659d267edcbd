from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError, UnitError
from holdfast.grips.grip import (
    HAND_LENGTH,
    checked_gravity,
    checked_length,
    checked_planes,
    checked_pose,
    checked_rays,
    checked_vertices,
    length_of,
    mirror_map,
)


def test_vertices_must_be_there_finite_and_of_sizes_that_occur() -> None:
    bad = np.zeros((3, 6))
    bad[1, 4] = np.nan
    for value, kind, message in (
        (np.zeros((0, 6)), GeometryError, "vertices: is empty"),
        (np.zeros((3, 5)), InputError, r"shape must be \(n, 6\)"),
        (np.zeros(6), InputError, "has shape"),
        (bad, InputError, r"vertices\[1, 4\]: is nan"),
        (np.full((2, 6), 1e13), UnitError, r"vertices\[0\]: has a part of 1e\+13.*has rays"),
        (np.full((2, 6), 1e-14), UnitError, "vertices: have no part above 1e-14"),
        ("wrenches", InputError, "not an array of numbers"),
    ):
        with pytest.raises(kind, match=message):
            checked_vertices(value)
    assert checked_vertices(np.zeros((1, 6))).shape == (1, 6)


def test_rays_must_have_a_direction() -> None:
    assert checked_rays(None).shape == checked_rays([]).shape == (0, 6)
    for value, message in (
        (np.eye(6)[[0, 1]] * [[1], [0]], r"rays\[1\]: is the zero vector"),
        (np.eye(6)[:2] * 1e-13, r"rays\[0\]: has a largest part of 1e-13"),
        (np.eye(6)[:2] * 1e13, r"rays\[0\]: .*scale it"),
        ([[np.inf, 0, 0, 0, 0, 0]], r"rays\[0, 0\]: is inf"),
        (np.ones((2, 3)), "shape must be"),
    ):
        with pytest.raises(InputError, match=message):
            checked_rays(value)


def test_planes_need_a_normal_each_and_one_offset_a_normal() -> None:
    for normals, offsets, message in (
        (np.zeros((1, 6)), [1.0], r"normals\[0\]: is the zero vector"),
        (np.eye(6), [1.0], "offsets: has shape"),
        (np.eye(6)[:1], [np.nan], r"offsets\[0\]: is nan"),
        (np.eye(6)[:1], [1e13], r"offsets\[0\]: lies 1e\+13 from the origin"),
    ):
        with pytest.raises(InputError, match=message):
            checked_planes(normals, offsets)


def test_the_length_is_that_by_which_torques_outgrow_forces() -> None:
    rng = np.random.default_rng(0)
    forces = rng.standard_normal((4000, 3))
    wrenches = np.concatenate([forces, 0.25 * rng.standard_normal((4000, 3))], axis=1)
    assert length_of(wrenches) == pytest.approx(0.25, rel=0.05)
    assert length_of(wrenches + 100.0) == pytest.approx(length_of(wrenches))  # where the set stands does not matter
    for silent in (np.zeros((2, 6)), np.ones((1, 6)), np.eye(6)[:3], np.eye(6)[3:]):
        assert length_of(silent) == HAND_LENGTH


@pytest.mark.parametrize("length", [0.0, -1.0, 1e-9, 1e7, np.nan, "long"])
def test_lengths_that_no_hand_has_are_refused(length: float) -> None:
    with pytest.raises(InputError, match="length: is"):
        checked_length(length)


def test_gravity_and_poses_are_checked() -> None:
    assert checked_gravity(None) is None
    with pytest.raises(InputError, match=r"palm_gravity: has shape \(2,\)"):
        checked_gravity([0.0, 1.0])
    with pytest.raises(InputError, match="pose: is a tuple"):
        checked_pose((np.eye(3), np.zeros(3)))  # pyright: ignore[reportArgumentType]


def test_the_mirror_is_that_of_a_force_at_a_point() -> None:
    rng = np.random.default_rng(1)
    normal, point = rng.standard_normal(3), rng.standard_normal(3)
    unit = normal / np.linalg.norm(normal)
    mirror = mirror_map(normal, point)
    for _ in range(5):
        place, force = rng.standard_normal((2, 3))
        image = place - 2.0 * unit * (unit @ (place - point))
        turned = force - 2.0 * unit * (unit @ force)
        wrench = np.concatenate([force, np.cross(place, force)])
        np.testing.assert_allclose(mirror @ wrench, np.concatenate([turned, np.cross(image, turned)]), atol=1e-12)
    np.testing.assert_allclose(mirror @ mirror, np.eye(6), atol=1e-12)
