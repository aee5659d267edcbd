"""Postures: links keep their lengths, ends meet where they must."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar.chains import Chain
from holdfast.planar.channels import Channel, bridge, nodes_of, posture_of, rises, zigzag


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
