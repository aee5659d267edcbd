from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reports.contents import ReportContents
from holdfast.reports.forces import contact_forces, joint_values


def test_the_forces_balance_the_weight(contents: ReportContents) -> None:
    answer = contents.loads[0].equilibrium
    found = contact_forces(answer)
    contacts = answer.assembly.contacts
    total = sum(contact.rotation @ force.local for contact, force in zip(contacts, found, strict=True))
    assert np.allclose(total, [0, 0, 9.80665], atol=1e-6)
    for contact, force in zip(contacts, found, strict=True):
        assert contact.volume.contains(force.local[None]).all()


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
    for name, low, value, high in joint_values(answer):
        assert name
        assert low - 1e-9 <= value <= high + 1e-9
