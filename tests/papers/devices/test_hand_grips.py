from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import GeometryError, UnknownNameError
from holdfast.papers.devices.climber import GRIPS, GripName, TerrainDimensions, hand_grip

PULL = np.array(
    [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]
)  # on the hand, towards the terrain: the hand is pulled off by its reaction


@pytest.mark.parametrize(("name", "units"), [("opposing", 12), ("parallel", 12), ("pinch", 4), ("power", 12)])
def test_the_units_of_each_grip_touch(name: GripName, units: int) -> None:
    grip = hand_grip(name)
    assert len(grip.touching) == units
    assert len(grip.assembly()) == 4 * units
    assert all(part.endswith("D") for part in grip.touching) == (name == "pinch")
    joints = grip.assembly().joints
    assert joints is not None
    assert len(joints.lower) == 12
    np.testing.assert_allclose(joints.upper, 10.0)


@pytest.mark.parametrize(("name", "radius"), [("opposing", 0.22), ("parallel", 0.22), ("power", 0.065)])
def test_units_lie_on_the_round_terrain_and_look_at_its_axis(name: GripName, radius: float) -> None:
    grip = hand_grip(name)
    axis = np.array([0.0, 0.0, 0.005 - radius])
    for patch in grip.device.patches:
        middle, normal = patch.positions.mean(axis=0), patch.contacts[0].rotation[:, 2]
        arm = axis[[0, 2]] - middle[[0, 2]]
        assert np.hypot(*arm) == pytest.approx(radius)
        np.testing.assert_allclose(normal[[0, 2]], arm / radius, atol=1e-12)


def test_fingertips_lie_flat_on_the_two_faces_of_the_edge() -> None:
    grip = hand_grip("pinch")
    for patch in grip.device.patches:
        middle, frame = patch.positions.mean(axis=0), patch.contacts[0].rotation
        side = 1.0 if patch.name.startswith("inner") else -1.0
        assert middle[0] == pytest.approx(side * 0.04)
        assert middle[2] == pytest.approx(-0.07)  # below the edge's top, where the device's origin is
        np.testing.assert_allclose(frame[:, 2], [-side, 0, 0], atol=1e-12)  # normal into the edge
        np.testing.assert_allclose(frame[:, 0], [0, 0, 1], atol=1e-12)  # spines pull it out of the wall


def test_only_the_pole_is_closed_in() -> None:
    """A direction in which no normal points is a way out; round a pole the fingers leave less than a half turn."""
    for name in ("opposing", "power"):
        normals = np.array([c.rotation[:, 2] for c in hand_grip(name).assembly().contacts])
        assert bool(normals[:, 2].max() > 0.5) == (name == "power")


def test_grips_hold_on_to_the_wall_in_this_order() -> None:
    """Largest pull off the terrain, with any torque: power, pinch, then opposing as parallel."""
    pulls = {name: float(hand_grip(name).lazy().supports(PULL[None]).values[0]) for name in GRIPS}
    assert pulls["power"] > pulls["pinch"] > pulls["opposing"] > 0.0
    assert pulls["parallel"] == pytest.approx(pulls["opposing"])  # the same units, turned about the vertical


def test_the_lazy_grip_speaks_of_the_palm_frame() -> None:
    grip = hand_grip("pinch")
    limit = hf.load_limit(grip.assembly(), grip.palm.wrench_transport() @ PULL)
    held, beyond = 0.98 * limit.value * PULL, 1.02 * limit.value * PULL
    assert grip.lazy().confirm(held).holds
    assert not grip.lazy().confirm(beyond).holds


def test_angles_name_every_joint_of_the_hand() -> None:
    angles = hand_grip("parallel").angles("front_left_")
    assert len(angles) == 14
    assert angles["front_left_outer_left_swivel"] == 0.0
    assert hand_grip("power").angles()["outer_left_swivel"] == pytest.approx(np.pi)
    assert hand_grip("power").angles()["outer_right_swivel"] == pytest.approx(-np.pi)


def test_what_cannot_be_gripped_is_told() -> None:
    with pytest.raises(UnknownNameError, match="pinch"):
        hand_grip("pinched")  # pyright: ignore[reportArgumentType]
    with pytest.raises(GeometryError, match="do not reach"):
        hand_grip("pinch", terrain=TerrainDimensions(edge_depth=0.12))
    with pytest.raises(GeometryError, match="radius"):
        hand_grip("power", terrain=TerrainDimensions(pole_radius=0.03))
