from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.grips.accuracy import grip_accuracy
from holdfast.grips.learning import learn_grip
from tests.grips.known_hands import crossed, opposed_points, parallelepiped

SIGNS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T


def test_shares_and_volumes_of_a_shrunk_and_a_grown_set_are_what_they_were_made():
    hand, edges = parallelepiped()
    facets = np.concatenate([np.linalg.inv(edges.T), -np.linalg.inv(edges.T)])
    bounds = GripBounds(Grip(0.9 * SIGNS @ edges), OuterGrip(facets, np.full(12, 1.1)))
    found = grip_accuracy(bounds, hand, rays=30)
    np.testing.assert_allclose(found.inner, 0.9, rtol=2e-4)
    np.testing.assert_allclose(found.outer, 1.1, rtol=2e-4)
    assert found.inner_volume == pytest.approx(0.9**6, rel=1e-3)
    assert found.outer_volume == pytest.approx(1.1**6, rel=1e-3)


def test_flat_sets_have_volumes_of_their_own_dimension():
    hand = opposed_points()
    found = grip_accuracy(learn_grip(hand, 60), hand, rays=20)
    assert found.dimension == 5
    np.testing.assert_allclose(found.inner, 1.0, rtol=2e-4)
    assert (found.outer >= 1.0 - 2e-4).all()
    assert "20 rays" in repr(found)


def test_concavity_is_measured_where_rays_leave_the_inner_set():
    hand = hf.Assembly([hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), crossed())])
    found = grip_accuracy(learn_grip(hand, 20), hand, rays=20)
    assert found.concavity.tried == 20
    assert found.concavity.share < 0.8
    assert 0.3 < found.concavity.shortfall < 1.0


def test_anything_but_bounds_is_told():
    with pytest.raises(InputError, match="GripBounds"):
        grip_accuracy(Grip(SIGNS), opposed_points())
