"""Contacts of chains: what is a contact, and where its normal points."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import LinkContact, NodeContact, contact_of


def test_normals_are_scaled_to_unit_length():
    assert np.allclose(NodeContact(0, (3.0, 4.0), 0.5).normal, [0.6, 0.8])


def test_a_corner_to_the_right_of_a_link_pushes_it_to_the_left():
    angle = np.deg2rad(90.0)
    assert np.allclose(LinkContact(0, 0.5, 1, 0.3).normal_at(np.array([angle])), [-1.0, 0.0])
    assert np.allclose(LinkContact(0, 0.5, -1, 0.3).normal_at(np.array([angle])), [1.0, 0.0])


def test_a_triple_is_a_node_contact():
    contact = contact_of((1, (0.0, 2.0), 0.4), 2)
    assert isinstance(contact, NodeContact) and contact.node == 1 and contact.mu == 0.4


@pytest.mark.parametrize("build", [lambda: LinkContact(0, 1.5, 1, 0.3), lambda: LinkContact(0, 0.5, 2, 0.3)])
def test_impossible_corners_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_a_link_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no link 2"):
        contact_of(LinkContact(2, 0.5, 1, 0.3), 2)
