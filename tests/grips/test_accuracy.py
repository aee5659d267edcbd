from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.grips.accuracy import check_grip, grip_accuracy
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


def test_anything_but_bounds_is_reported():
    with pytest.raises(InputError, match="GripBounds"):
        grip_accuracy(Grip(SIGNS), opposed_points())


def test_a_learned_grip_passes_in_its_own_frame_and_sense():
    hand, palm = opposed_points(), Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, 0.0, -0.2]))
    bounds = learn_grip(hand, 40, palm=palm, acting="reaction")
    found = check_grip(bounds, hand, palm=palm)
    assert found.holds
    assert len(found.held) == len(bounds.inner.vertices)
    assert len(found.excess) == len(bounds.outer.normals)
    assert check_grip(bounds, hand).holds  # the metadata know the palm
    assert not check_grip(bounds, hand, palm=Pose.identity()).holds  # in another frame it is another grip
    assert not check_grip(bounds.inner, hand, palm=palm, acting="direct").all_held


def test_changed_sets_are_checked_as_what_they_are():
    hand, there = opposed_points(), Pose(rotation_about((0, 1, 1), 0.5), np.array([0.2, 0.1, 0.0]))
    bounds = learn_grip(hand, 40)
    moved = bounds.moved(there)
    assert moved.metadata.derived == "moved"
    assert check_grip(moved, hand).holds
    tripled = bounds.scaled(3.0)
    assert tripled.metadata.derived == "scaled by 3"
    assert not check_grip(tripled, hand).all_held


def test_one_vertex_too_far_and_one_plane_too_near_are_found():
    hand = opposed_points()
    bounds = learn_grip(hand, 40)
    vertices, offsets = bounds.inner.vertices.copy(), bounds.outer.offsets.copy()
    vertices[3] *= 1.0 + 1e-6
    offsets[5] -= 1e-6 * np.abs(offsets).max()
    assert check_grip(Grip(vertices), hand).held.tolist().count(False) == 1
    assert int(check_grip(OuterGrip(bounds.outer.normals, offsets), hand).excess.argmax()) == 5
    assert not check_grip(OuterGrip(bounds.outer.normals, offsets), hand).all_outer
    assert "23 of 24" in repr(check_grip(Grip(vertices), hand))
    assert isinstance(bounds, GripBounds)


def test_anything_else_is_reported():
    with pytest.raises(InputError, match="give a holdfast.Grip"):
        check_grip(np.zeros((3, 6)), hf.Assembly(opposed_points().contacts))
