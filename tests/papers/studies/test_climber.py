from __future__ import annotations

import numpy as np

from holdfast.papers.devices import four_finger_hand
from holdfast.papers.hierarchy import climber, study_grip
from holdfast.statics.equilibrium import equilibrium


def test_the_wall_is_nearly_vertical_and_the_body_off_it() -> None:
    body = climber()
    assert len(body.poses) == 4
    off = np.array([-np.cos(np.radians(5.0)), 0.0, np.sin(np.radians(5.0))])
    for pose in body.poses:
        assert abs(pose.translation @ off) < 1e-12  # palms are on the wall
        assert pose.rotation[:, 2] @ off > np.cos(np.radians(12.0))  # z of the palm leads off it
        assert pose.rotation[2, 0] > 0.9  # x of the palm leads up
    assert body.com @ off > 0.3
    assert np.allclose(body.wrench[:3], body.mass * body.gravity)


def test_the_grip_is_what_the_hand_holds_and_pulls_to_the_wall_less_than_it_presses() -> None:
    grip = study_grip(24, 0)
    assert grip.palm_gravity is None
    hand = four_finger_hand("opposed").assembly(np.zeros(3))
    for wrench in grip.inner.vertices[:4]:  # on the body; the rock is the object, and these are held as external ones
        assert equilibrium(hand, (1.0 - 1e-6) * wrench).holds
    down, up = grip.inner.support([0, 0, -1.0, 0, 0, 0]), grip.inner.support([0, 0, 1.0, 0, 0, 0])
    assert 0.0 < down < up
