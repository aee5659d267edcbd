"""Flat assemblies: the hands' contacts in the world, forces on the body, a block of joint rows each."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip
from holdfast.postures import LazyGrip, flat_assembly

POSE = Pose(rotation_about([0, 1, 0], 0.5), np.array([1.0, 2.0, 3.0]))
PALM = Pose(rotation_about([1, 0, 0], 0.2), np.array([0.0, 0.1, 0.0]))


def finger() -> hf.Assembly:
    """Two contacts, the first on a joint."""
    volume = hf.models.suction(20.0, 0.5, facets=4, cap=50.0)
    contacts = [hf.Contact((0.1 * i, 0, 0), np.eye(3), volume, f"pad {i}") for i in range(2)]
    rows = hf.JointRows(np.array([[0.0, 0, 0.1, 0, 0, 0]]), np.array([-1.0]), np.array([2.0]), ("knuckle",))
    return hf.Assembly(contacts, rows)


def test_forces_of_the_flat_assembly_give_the_hands_wrench_on_the_body() -> None:
    direct, reaction = LazyGrip(finger(), PALM), LazyGrip(finger(), PALM, "reaction")
    flat = flat_assembly([direct, reaction, LazyGrip(hf.Assembly(finger().contacts))], [POSE] * 3)
    assert len(flat) == 6
    assert flat.joints is not None
    assert flat.joints.names == ("hand 0 knuckle", "hand 1 knuckle")
    local = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
    on_object = finger().wrench_matrix @ local.reshape(-1)
    own = POSE.wrench_transport() @ PALM.inverse().wrench_transport() @ on_object
    turned = np.einsum("kij,kj->ki", flat.rotations[:2], local).reshape(-1)
    assert flat.wrench_matrix[:, :6] @ turned == pytest.approx(own, abs=1e-12)
    # The reaction: minus these forces act on the body, and load the joint as before.
    assert flat.wrench_matrix[:, 6:12] @ -turned == pytest.approx(-own, abs=1e-12)
    torques = flat.joints.jacobian @ np.r_[turned, -turned, np.zeros(6)]
    assert torques == pytest.approx([0.3, 0.3], abs=1e-12)
    assert flat.contacts[2].volume.hull().vertices.min() == pytest.approx(-50.0)
    assert flat.contacts[2].volume is flat.contacts[3].volume


def test_only_hands_that_are_contacts_can_be_flattened() -> None:
    with pytest.raises(InputError, match=r"grips\[0\]"):
        flat_assembly(Grip.box([-1] * 6, [1] * 6), POSE)
    assert flat_assembly(LazyGrip(hf.Assembly(finger().contacts)), [POSE]).joints is None
