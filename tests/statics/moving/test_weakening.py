from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.statics.solver import chosen_contacts, weakened
from tests.statics.moving.scenes import block


def test_weakened_contacts_carry_scaled_forces_and_share_their_volumes() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    scales = np.ones((12, 3))
    scales[:4], scales[4:8, :2] = 0.5, 0.25
    changed = weakened(device.assembly(), scales)
    before = device.contacts[0].volume
    assert len({id(contact.volume) for contact in changed.contacts}) == 3
    assert changed.contacts[8].volume is before  # nothing changed there
    ways = hf.loads.sphere_directions(40)
    assert np.allclose(changed.contacts[0].volume.support(ways), 0.5 * before.support(ways))
    assert np.allclose(changed.contacts[5].volume.support(ways), before.support(ways * [0.25, 0.25, 1.0]))
    with pytest.raises(InputError, match="alike"):
        weakened(block(), np.tile([1.0, 2.0, 1.0], (4, 1)))


def test_contacts_are_chosen_by_number_name_or_patch() -> None:
    assembly = hf.devices.two_finger_gripper("D", "MD").assembly()
    assert chosen_contacts(assembly, None).all()
    assert np.flatnonzero(chosen_contacts(assembly, [3])).tolist() == [3]
    assert np.flatnonzero(chosen_contacts(assembly, ["right M"])).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(chosen_contacts(assembly, ["left D[1]", 7])).tolist() == [1, 7]
    assert np.flatnonzero(chosen_contacts(assembly, "left D")).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("contacts", [["thumb"], [12], []])
def test_contacts_that_are_not_there_are_refused(contacts: list[int | str]) -> None:
    assembly = hf.devices.two_finger_gripper("D", "MD").assembly()
    with pytest.raises(InputError):
        chosen_contacts(assembly, contacts)
    nameless = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), block().contacts[0].volume)])
    with pytest.raises(InputError, match="none named"):
        chosen_contacts(nameless, ["x"])
