"""Fingers around a round object."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.assembly.joints import PlanarFinger
from holdfast.errors import GeometryError
from holdfast.papers.devices.grippers import RoundObject, wrapped_finger


def around(radius: float = 0.15, side: float = 1.0, base_x: float = 0.04, phalanx: float = 0.045) -> PlanarFinger:
    return wrapped_finger(
        RoundObject(radius, 0.045),
        side=side,
        base_x=base_x,
        y=0.02,
        phalanx=phalanx,
        joint_to_surface=0.015,
        link_mass=0.04,
        name="f",
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("radius", [0.1, 0.15, 1.0])
def test_every_unit_touches_at_its_middle_square_to_the_radius(side: float, radius: float) -> None:
    finger = around(radius, side)
    center = np.array([0, 0.02, 0.045 - radius])
    for index in range(3):
        pose = finger.contact_pose(index, offset=0.015)
        np.testing.assert_allclose(np.linalg.norm(pose.translation - center), radius, rtol=1e-12)
        np.testing.assert_allclose(pose.rotation[:, 2], (center - pose.translation) / radius, atol=1e-12)


def test_the_first_joint_stands_where_the_base_holds_it() -> None:
    joint = around(side=-1.0).joint_positions[0]
    assert joint[0] == pytest.approx(-0.04)
    assert joint[1] == pytest.approx(0.02)


def test_fingers_on_either_side_are_mirror_images() -> None:
    mirror = np.diag([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(around(side=1.0).joint_positions @ mirror, around(side=-1.0).joint_positions, atol=1e-15)
    np.testing.assert_allclose(
        around(side=1.0).gravity_torque((0, 0, -9.81)), around(side=-1.0).gravity_torque((0, 0, -9.81)), atol=1e-15
    )


def test_the_weight_of_the_links_closes_the_fingers() -> None:
    """The torques that hold the links up open the finger (negative): without contacts they would fall closed."""
    assert (around().gravity_torque((0, 0, -9.81)) < 0.0).all()


def test_an_object_too_small_for_the_base_is_refused() -> None:
    with pytest.raises(GeometryError, match="radius: the first joints, 0.04 m out"):
        around(radius=0.01)


def test_fingers_longer_than_the_object_are_refused() -> None:
    with pytest.raises(GeometryError, match="would meet below the object"):
        around(radius=0.03, base_x=0.01, phalanx=0.06)
