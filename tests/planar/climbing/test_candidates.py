"""Candidates: every stance is a posture of the snake between the walls, its brace on the walls, higher than before."""

from __future__ import annotations

import numpy as np

from holdfast.planar.channels import Channel, first_stances, next_stances

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
