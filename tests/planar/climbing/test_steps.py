"""Steps: what can go wrong in one; whole climbs are checked with the planner."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar.chains import Chain
from holdfast.planar.channels import Channel, first_stances, next_stances
from holdfast.planar.climbing import ClimbStep, SnakeClimber, take_step

CHAIN = Chain([0.127] * 6, 0.0849)
CHANNEL = Channel.straight(0.09, 1.2)


def climber(mu: float = 0.3, limit: float = 2.0, margin: float = 0.01) -> SnakeClimber:
    return SnakeClimber(CHAIN, CHANNEL, mu, None, (np.full(5, -limit), np.full(5, limit)), margin, 1.0)


def stances():
    links = np.asarray(CHAIN.links)
    low, _ = next(iter(first_stances(CHANNEL, links, 2, "right", 0.0)))
    return low, next(iter(next_stances(CHANNEL, links, low, [2], 0.01)))


def test_a_standing_snake_needs_torques_that_balance_all_its_weight():
    """The torques found, with the least contact forces that go with them, leave no acceleration."""
    low, _ = stances()
    found, torques = climber().at_rest(low)
    system = CHAIN.system(np.concatenate([[0.0, 0.0], np.zeros(6)]))
    assert found.holds and torques.shape == (5,) and system.torque_count == 5
    both = CHAIN.system(*_posture(low), [(i, hold.normal, 0.3) for i, hold in enumerate(low.holds)])
    force = both.bias + both.selector @ torques
    reaction = np.linalg.lstsq(both.jacobian.T, -force, rcond=None)[0]
    assert np.allclose(both.jacobian.T @ reaction, -force, atol=1e-9)


def _posture(stance):
    from holdfast.planar.channels import posture_of

    return posture_of(stance.nodes), None


def test_a_step_is_taken_and_verified():
    step = take_step(climber(), *stances())
    assert isinstance(step, ClimbStep) and step.is_verified
    assert step.handover_modes == (("FFFFFF",),) * len(step.handover)


@pytest.mark.parametrize(
    ("options", "why"), [({"limit": 0.15}, "hold"), ({"margin": 1.5}, "margin"), ({"mu": 0.0}, "hold")]
)
def test_a_step_that_cannot_be_taken_says_why(options, why):
    assert why in str(take_step(climber(**options), *stances()))
