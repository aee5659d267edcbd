"""The default unit."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.papers import devices
from holdfast.papers.devices.grippers import default_unit


def test_the_default_unit_is_the_microspine_model() -> None:
    assert default_unit().fingerprint == hf.models.microspine().fingerprint


def test_devices_use_a_quarter_of_it_at_each_corner() -> None:
    contact = devices.two_finger_gripper().contacts[0]
    directions = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(4 * contact.volume.support(directions), default_unit().support(directions))
