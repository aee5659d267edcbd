from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.grips.learning import measured_concavity
from tests.grips.known_hands import box, box_hand, crossed


def test_a_crossed_volume_falls_short_of_its_hull_as_geometry_says():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), crossed(10.0, 1.0))])
    between = np.array([[5.5, 5.5, 0.0, 0.0, 0.0, 0.0], [10.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    found = measured_concavity(hand, between, np.zeros(6))
    assert found.tried == 2
    assert found.share == 0.5
    assert abs(found.shortfall - (1.0 - 1.0 / 5.5)) <= 1e-5


def test_convex_hands_hold_all_between():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), box(1.0, 2.0, 3.0))])
    border = np.array([[1.0, 0.5, 0.0, 0.0, 0.0, 0.0], [-1.0, -2.0, 1.0, 0.0, 0.0, 0.0]])
    assert measured_concavity(hand, border, np.zeros(6)) == (1.0, 0.0, 2)


def test_a_hand_that_cannot_rest_is_measured_towards_its_middle():
    base = box_hand(np.array([2.0, 1.5, -5.0]), np.array([9.0, 9.0, 5.0]))
    contact = base.contacts[0]
    union = hf.ForceVolume([crossed(10.0, 3.0).pieces[0], crossed(10.0, 3.0).pieces[1]])
    hand = hf.Assembly([hf.Contact(contact.position, contact.rotation, union)], base.joints)
    arm = contact.position

    def wrench(force):
        return -np.concatenate([force, np.cross(arm, force)])

    centre = wrench(np.array([3.0, 2.5, 0.0]))
    found = measured_concavity(hand, np.array([wrench(np.array([7.0, 6.5, 0.0]))]), centre)
    # From (3, 2.5) towards (7, 6.5): y reaches 3, the end of the first piece, after 1/8 of the way.
    assert found.share == 0.0
    assert abs(found.shortfall - 7.0 / 8.0) <= 1e-3


def test_nothing_tried_is_nothing_found():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), crossed())])
    assert measured_concavity(hand, np.zeros((0, 6)), np.zeros(6)).tried == 0
