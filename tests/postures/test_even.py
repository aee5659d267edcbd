"""The most even wrenches do not depend on how a hand is given: by its wrenches, or by its contacts and joints."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.grips import cone_grip
from holdfast.postures import LazyGrip

PALMS = [(np.eye(3), [x, y, 0.0]) for x, y in ((0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2))]
WEIGHT = hf.loads.gravity_wrench(4.0, com=(0.0, 0.0, 0.1))
ASIDE = WEIGHT + [3.0, -2.0, 0.0, 0.5, 1.0, 0.2]


def hand(volume: hf.ForceVolume) -> hf.Assembly:
    corners = [(0.02, 0.01, 0), (-0.02, 0.01, 0), (-0.02, -0.01, 0), (0.02, -0.01, 0)]
    return hf.Assembly([hf.Contact(np.array(c, float), np.eye(3), volume) for c in corners])


@pytest.mark.parametrize("load", [WEIGHT, ASIDE], ids=["weight", "aside"])
@pytest.mark.parametrize("volume", [hf.models.coulomb(0.6, facets=6), hf.models.suction(30.0, 0.5, facets=6)])
def test_hands_by_their_contacts_share_a_load_as_those_by_their_wrenches(volume: hf.ForceVolume, load) -> None:
    contacts = hand(volume)
    lazy = hf.posture_equilibrium(LazyGrip(contacts), PALMS, load).even()
    known = hf.posture_equilibrium(cone_grip(contacts), PALMS, load).even()
    assert lazy.verify() and known.verify()
    np.testing.assert_allclose(lazy.wrenches, known.wrenches, atol=1e-4 * np.abs(known.wrenches).max())
    mixed = [LazyGrip(contacts), cone_grip(contacts), LazyGrip(contacts), cone_grip(contacts)]
    both = hf.posture_equilibrium(mixed, PALMS, load).even()
    assert both.verify()
    np.testing.assert_allclose(both.wrenches, known.wrenches, atol=1e-4 * np.abs(known.wrenches).max())


def test_feet_with_weak_joints_share_a_weight_evenly() -> None:
    """Each of four feet bears a quarter, and its four points a quarter of that, whatever the joint could bear."""
    feet = hand(hf.models.coulomb(0.6))
    levers = np.tile([0.0, 0.0, 0.1], 4).reshape(1, -1)
    limited = hf.Assembly(feet.contacts, hf.JointRows(levers, [-5.0], [5.0]))
    held = hf.posture_equilibrium(LazyGrip(limited), PALMS, WEIGHT).even()
    assert held.verify()
    quarter = 9.80665
    np.testing.assert_allclose(held.wrenches[:, 2], quarter, rtol=1e-6)
    np.testing.assert_allclose(held.wrenches[:, [0, 1, 3, 4, 5]], 0.0, atol=1e-5 * quarter)
    np.testing.assert_allclose([forces[:, 2] for forces in held.forces], quarter / 4, rtol=1e-5)
