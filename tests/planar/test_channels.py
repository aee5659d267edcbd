"""Candidates: every stance is a posture of the snake between the walls, its brace on the walls, higher than before.

Channels: footholds on the walls, distances to them, and corners that stand in the way.

Postures: links keep their lengths, ends meet where they must.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError
from holdfast.planar.chains import Chain
from holdfast.planar.channels import (
    Channel,
    bridge,
    first_stances,
    next_stances,
    nodes_of,
    other_side,
    posture_of,
    rises,
    zigzag,
)

LINKS = np.full(6, 0.127)
CHANNEL = Channel(
    [[-0.09, 0.0], [-0.09, 0.3], [-0.04, 0.7], [-0.04, 1.5]], [[0.0, 0.0], [0.0, 0.3], [0.05, 0.7], [0.05, 1.5]]
)


def check(stance) -> None:
    assert np.allclose(np.linalg.norm(np.diff(stance.nodes, axis=0), axis=1), LINKS)
    assert CHANNEL.holds(stance.nodes[None])[0]
    touching = stance.nodes[list(stance.brace_nodes)]
    assert np.allclose(touching, [hold.point for hold in stance.holds])
    assert np.allclose(np.abs(CHANNEL.gaps(touching)).min(axis=1), 0.0, atol=1e-12)


def test_first_and_next_stances_are_postures_on_both_walls():
    low, high = next(iter(first_stances(CHANNEL, LINKS, 2, "right", 0.0)))
    check(low)
    check(high)
    reached = list(next_stances(CHANNEL, LINKS, low, [2], 0.01))
    assert reached
    for stance in reached:
        check(stance)
        assert stance.end == "upper" and np.allclose(stance.nodes[:3], low.nodes[:3])
        assert stance.nodes[4, 1] >= low.nodes[4, 1] + 0.01 - 1e-12
    pulled = list(next_stances(CHANNEL, LINKS, reached[0], [2], 0.01))
    assert pulled
    for stance in pulled:
        check(stance)
        assert stance.end == "lower" and np.allclose(stance.nodes[4:], reached[0].nodes[4:])
        assert stance.nodes[0, 1] >= 0.01 - 1e-12


def test_a_channel_wider_than_a_link_has_no_stance():
    assert list(first_stances(Channel.straight(0.13, 1.0), LINKS, 2, "right", 0.0)) == []
    assert list(first_stances(CHANNEL, LINKS[:4], 2, "right", 0.0)) == []


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


def test_a_zigzag_climbs_from_wall_to_wall_by_the_links_lengths():
    channel = Channel([[-0.1, 0.0], [-0.07, 1.0]], [[0.0, 0.0], [0.0, 1.0]])
    links = np.array([0.13, 0.12, 0.14])
    holds = zigzag(channel, "right", 0.1, links)
    assert holds is not None and [hold.side for hold in holds] == ["right", "left", "right", "left"]
    points = np.array([hold.point for hold in holds])
    assert np.allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), links) and (np.diff(points[:, 1]) > 0).all()
    assert zigzag(Channel.straight(0.2, 1.0), "right", 0.1, links) is None


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_bridge_joins_two_points_with_links_of_their_lengths(count, sign):
    rng = np.random.default_rng(count)
    links = rng.uniform(0.9, 1.1, count)
    start, end = np.zeros(2), np.array([0.3, 0.75 * links.sum()])
    nodes = np.vstack([start, bridge(start, end, links, sign), end])
    assert np.allclose(np.linalg.norm(np.diff(nodes, axis=0), axis=1), links)


def test_what_is_out_of_reach_has_no_bridge():
    assert bridge(np.zeros(2), np.array([0.0, 2.0]), np.ones(2), 1.0) is None
    assert bridge(np.zeros(2), np.array([0.0, 0.9]), np.ones(1), 1.0) is None
    assert bridge(np.zeros(2), np.array([0.0, 1.0]), np.ones(1), 1.0).shape == (0, 2)


def test_posture_and_nodes_are_inverse_and_those_of_the_chain():
    nodes = np.cumsum(np.random.default_rng(0).normal(size=(5, 2)), axis=0)
    links = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
    q = posture_of(nodes)
    assert np.allclose(nodes_of(q, links), nodes) and np.allclose(Chain(links, 1.0).nodes(q), nodes)


def test_a_folded_snake_does_not_rise():
    up = np.array([[0.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    fold = np.array([[0.0, 0.0], [0.5, 0.5], [0.0, 0.2]])
    assert rises(np.stack([up, up[::-1], fold])).tolist() == [True, True, False]
