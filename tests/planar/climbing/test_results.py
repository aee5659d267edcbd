"""Results of climbs that did not begin; those of climbs are checked with the planner."""

from __future__ import annotations

import numpy as np

from holdfast.planar.chains import Chain
from holdfast.planar.channels import Channel
from holdfast.planar.climbing import SnakeClimb


def test_a_climb_without_steps_stands_where_it_began():
    chain = Chain([0.1, 0.1], 0.1)
    found = SnakeClimb("stuck", "no brace found", chain, Channel.straight(0.1, 1.0), np.zeros(4), (), {"walls": 2})
    assert found.lowest.tolist() == [0.0] and found.margin == np.inf and not found.is_verified
    assert found.frames().nodes.shape == (1, 3, 2)
    assert found.to_dict()["rejected"] == {"walls": 2}


def test_a_climb_that_never_stood_has_no_posture():
    found = SnakeClimb("stuck", "no brace found", Chain([0.1, 0.1], 0.1), Channel.straight(0.1, 1.0), None, (), {})
    assert found.lowest.tolist() == [] and found.frames().nodes.shape == (0, 3, 2) and not found.is_verified
