from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import contact_forces, joint_values


def test_the_forces_balance_the_weight_within_the_volumes() -> None:
    scene = hf.load_scene("@block_on_three_points")
    found = contact_forces(hf.equilibrium(scene.assembly, scene.gravity_load()))
    contacts = scene.assembly.contacts
    total = sum(contact.rotation @ force.local for contact, force in zip(contacts, found, strict=True))
    assert np.allclose(total, [0, 0, 2 * 9.80665], atol=1e-6)
    for contact, force in zip(contacts, found, strict=True):
        assert contact.volume.contains(force.local[None]).all()


def test_use_of_a_friction_cone_is_shear_over_its_limit_at_the_same_normal_force() -> None:
    cone = hf.models.coulomb(0.6, facets=4)
    corner = cone.rays[0][0]
    way = corner[:2] / np.linalg.norm(corner[:2])
    slope = float(np.linalg.norm(corner[:2]) / corner[2])  # mu along an edge of the pyramid
    foot = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cone)])
    for share in (0.0, 0.25, 0.9, 1.0):
        push = np.concatenate([-share * slope * 10.0 * way, [-10.0, 0, 0, 0]])
        (force,) = contact_forces(hf.equilibrium(foot, push))
        assert force.use == pytest.approx(share, abs=1e-6)
        assert (force.margin == 0.0) is (share == 1.0)


def test_use_and_margin_of_a_magnet_by_hand() -> None:
    pad = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.models.magnet(30.0, mu=0.5, cap=100.0), "pad")])
    (half,) = contact_forces(hf.equilibrium(pad, [0, 0, 15.0, 0, 0, 0]))
    assert half.use == pytest.approx(0.5)
    assert 0.0 < half.margin <= 15.0
    (whole,) = contact_forces(hf.equilibrium(pad, [0, 0, 30.0, 0, 0, 0]))
    assert whole.use == pytest.approx(1.0, abs=1e-6)
    assert whole.margin == pytest.approx(0.0, abs=1e-6)
    assert contact_forces(hf.equilibrium(pad, [0, 0, 40.0, 0, 0, 0])) == []


def test_joint_values_lie_within_their_bounds() -> None:
    gripper = hf.devices.two_finger_gripper("D", "D")
    answer = hf.equilibrium(gripper.assembly(), [0, 0, 0, 0, 0, 0])
    for row in joint_values(answer):
        assert row.name and row.value is not None
        assert row.lower - 1e-9 <= row.value <= row.upper + 1e-9
