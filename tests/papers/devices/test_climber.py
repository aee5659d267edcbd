from __future__ import annotations

import numpy as np
import pytest

from holdfast.papers.devices.climber import HOLDS, TORSO_DISTANCE, Wall, climber_model, climber_robot, climbing_posture


@pytest.mark.parametrize("degrees", [5.0, -15.0])
def test_palms_are_on_their_holds_and_the_torso_before_the_wall(degrees: float) -> None:
    wall = Wall(np.radians(degrees))
    posture = climbing_posture(wall, "pinch", "opposing")
    for limb, (rise, left) in HOLDS.items():
        palm = posture.robot.frame_pose(posture.q, f"{limb}_palm")
        np.testing.assert_allclose(palm.translation, rise * wall.up + [0.0, left, 0.0], atol=1e-6)
        np.testing.assert_allclose(palm.rotation[:, 2], wall.off, atol=1e-5)
        np.testing.assert_allclose(palm.rotation[:, 0], wall.up, atol=1e-5)
    torso = posture.robot.base_pose(posture.q).translation
    assert torso @ wall.off == pytest.approx(TORSO_DISTANCE, abs=1e-6)
    assert wall.off[2] * degrees > 0.0  # an overhang looks down, a slab up
    posture.robot.checked(posture.q)  # within the joints' limits


def test_no_link_of_the_limbs_is_in_the_wall() -> None:
    wall = Wall(0.0)
    posture = climbing_posture(wall)
    links = [f"{limb}_{index}" for limb in HOLDS for index in range(1, 8)]
    places = posture.robot.placements(posture.q, links)[:, :3, 3]
    assert (places @ wall.off).min() > 0.04  # half of a link's thickness


def test_the_centre_of_mass_is_that_of_the_boxes() -> None:
    posture = climbing_posture(Wall(np.radians(-15.0)), "power", "parallel")
    boxes = climber_model().links
    places = posture.robot.placements(posture.q, [box.name for box in boxes])
    centres = np.einsum("nij,nj->ni", places[:, :3, :3], [box.center for box in boxes]) + places[:, :3, 3]
    masses = np.array([box.mass for box in boxes])
    np.testing.assert_allclose(posture.com, masses @ centres / masses.sum(), atol=1e-9)
    np.testing.assert_allclose(posture.wrench[:3], [0.0, 0.0, -9.80665 * posture.mass], rtol=1e-9)


def test_hands_in_one_piece_weigh_the_same() -> None:
    assert climber_robot(fingers=False).mass == pytest.approx(climber_robot().mass)
    plain = climbing_posture(Wall(0.0), fingers=False)
    assert len(plain.q) == 35
    assert np.abs(plain.com - climbing_posture(Wall(0.0)).com).max() < 0.02
