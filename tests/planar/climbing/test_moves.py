"""Moves: the brace stands still, the rest keeps between the walls at instants far finer than those tested."""

from __future__ import annotations

import numpy as np

from holdfast.planar.channels import Channel, first_stances, next_stances, nodes_of, posture_of
from holdfast.planar.climbing import free_moves

LINKS = np.full(6, 0.127)
KINKED = Channel(
    [[-0.09, 0.0], [-0.09, 0.35], [-0.04, 0.7], [-0.04, 1.5]], [[0.0, 0.0], [0.0, 0.35], [0.05, 0.7], [0.05, 1.5]]
)


def test_moves_in_a_kinked_channel_stay_between_the_walls():
    low, _ = next(iter(first_stances(KINKED, LINKS, 2, "right", 0.0)))
    found = 0
    for target in list(next_stances(KINKED, LINKS, low, [2], 0.01))[:6]:
        start, end = posture_of(low.nodes), posture_of(target.nodes)
        end[:4] = start[:4]
        moves = free_moves(KINKED, LINKS, start, end, 2, True, 1.5)
        if moves is None:
            continue
        found += 1
        assert np.allclose(moves[0].start, start) and np.allclose(moves[-1].end, end)
        for move in moves:
            q, qd, _ = move.at(np.linspace(0.0, move.duration, 300))
            assert move.duration == 1.5 and (qd[:, :4] == 0.0).all()
            assert KINKED.gaps(nodes_of(q, LINKS)).min() > -1e-6
    assert found


def test_no_way_out_of_a_shut_channel():
    narrow = Channel.straight(0.09, 0.6)
    low, _ = next(iter(first_stances(narrow, LINKS, 2, "right", 0.0)))
    start = posture_of(low.nodes)
    beyond = start.copy()
    beyond[4] -= 1.5
    assert free_moves(narrow, LINKS, start, beyond, 2, True, 1.0) is None
