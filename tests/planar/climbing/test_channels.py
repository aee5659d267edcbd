"""Channels: footholds on the walls, distances to them, and corners that stand in the way."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError
from holdfast.planar.channels import Channel, other_side

KINKED = Channel([[-1.0, 0.0], [-1.0, 1.0], [-0.5, 2.0]], [[0.0, 0.0], [0.0, 1.0], [0.5, 2.0]])


def test_footholds_lie_on_the_wall_at_their_distance_with_normals_into_the_channel():
    centre = np.array([0.0, 0.4])
    found = KINKED.footholds_at("left", centre, 1.1)
    assert [hold.point[1] for hold in found] == sorted((hold.point[1] for hold in found), reverse=True)
    for hold in found:
        assert np.isclose(np.linalg.norm(hold.point - centre), 1.1) and np.isclose(np.linalg.norm(hold.normal), 1.0)
        assert KINKED.gaps(hold.point[None] + 0.01 * hold.normal)[0, 0] > 0.009
    assert KINKED.foothold("right", 3.0) is None


def test_gaps_are_distances_to_the_walls_and_negative_beyond():
    gaps = Channel.straight(2.0, 5.0).gaps(np.array([[-0.5, 1.0], [0.25, 1.0], [-2.5, 1.0]]))
    assert np.allclose(gaps, [[1.5, 0.5], [2.25, -0.25], [-0.5, 2.5]])


def test_a_link_across_a_corner_is_not_held():
    """Both ends are inside, the middle of the link is not: the right wall's corner at (0, 1) stands through it."""
    through = np.array([[[-0.02, 0.5], [0.24, 1.5]]])
    beside = np.array([[[-0.3, 0.5], [0.1, 1.5]]])
    assert (KINKED.gaps(through) > 0).all() and not KINKED.holds(through)[0] and KINKED.holds(beside)[0]


def test_touching_is_allowed_and_leaving_is_not_even_above_the_walls():
    channel = Channel.straight(1.0, 2.0)
    ends = [[-1.0, 1.0], [-1.001, 1.0], [-0.5, 2.5], [0.1, 2.5]]
    nodes = np.array([[[0.0, 0.0], end] for end in ends])
    assert channel.holds(nodes).tolist() == [True, False, True, False]


def test_walls_that_meet_or_do_not_rise_are_refused():
    with pytest.raises(GeometryError):
        Channel([[0.0, 0.0], [0.5, 1.0]], [[0.2, 0.0], [0.2, 1.0]])
    with pytest.raises(GeometryError):
        Channel([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 1.0]])
    assert other_side("left") == "right"
