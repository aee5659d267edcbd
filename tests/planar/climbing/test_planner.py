"""Climbs: what is said of them is checked again from the frozen result, and failures say why."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chain_parts import first_links, turned
from holdfast.planar.chains import Chain
from holdfast.planar.climbing.channels import Channel
from holdfast.planar.climbing.planner import climb
from holdfast.planar.climbing.postures import posture_of
from holdfast.planar.climbing.results import Climb
from holdfast.planar.torques import torque_sets

LENGTH, MASS = 0.127, 0.0849
SNAKE = Chain([LENGTH] * 6, MASS)
CHANNELS = {
    "straight": (Channel.straight(0.09, 1.2), 0.1),
    "kinked": (
        Channel([[-0.09, 0], [-0.09, 0.35], [-0.04, 0.7], [-0.04, 1.5]], [[0, 0], [0, 0.35], [0.05, 0.7], [0.05, 1.5]]),
        0.04,
    ),
    "tapering": (Channel([[-0.1, 0.0], [-0.07, 1.2]], [[0.0, 0.0], [-0.01, 1.2]]), 0.04),
}


@cache
def climbed(name: str) -> Climb:
    channel, goal = CHANNELS[name]
    return climb(SNAKE, channel, goal, limits=(-2.0, 2.0))


@pytest.mark.parametrize("name", CHANNELS)
def test_the_lowest_contact_climbs_to_the_goal_and_every_step_is_verified(name):
    found = climbed(name)
    assert found.status == "reached" and found.is_verified and len(found.steps) >= 2
    assert (np.diff(found.lowest) >= -1e-12).all() and found.lowest[-1] >= CHANNELS[name][1]
    assert [step.kind for step in found.steps] == ["reach", "pull"] * (len(found.steps) // 2)


@pytest.mark.parametrize("name", CHANNELS)
def test_braces_stand_on_the_walls_while_the_rest_moves_between_them(name):
    found = climbed(name)
    last = found.chain.nodes(found.start)
    for step in found.steps:
        assert np.allclose(step.nodes[0], last, atol=1e-9)
        assert np.allclose(np.linalg.norm(np.diff(step.nodes, axis=1), axis=2), LENGTH)
        for node, point, normal, _ in step.contacts:
            assert np.allclose(step.nodes[:, node], point, atol=1e-9)
            gaps = found.channel.gaps(np.array([point, point + 1e-3 * normal]))
            assert abs(gaps[0]).min() < 1e-9 and np.isclose(gaps[1].min(), 1e-3)
        assert found.channel.holds(step.nodes).all()
        last = step.nodes[-1]


@pytest.mark.parametrize("name", CHANNELS)
def test_the_torque_of_each_brace_is_unique_under_random_disturbances_of_its_box(name):
    """One analysis without any disturbance set for each draw, on the brace's own chain."""
    rng = np.random.default_rng(0)
    found = climbed(name)
    for step in found.steps[:2]:
        turn = step.kind == "pull"
        whole = turned(found.chain) if turn else found.chain
        nodes = step.nodes[0][:: -1 if turn else 1]
        contacts = [(abs(6 * turn - node), normal, mu) for node, _, normal, mu in step.contacts]
        own = first_links(whole, 2)
        for draw in rng.uniform(*step.disturbance, (6, 4)):
            system = own.system(posture_of(nodes)[:4], None, sorted(contacts, key=lambda c: c[0]))
            pushed = type(system)(
                system.mass_matrix,
                system.bias + draw,
                system.selector,
                system.normal_jacobian,
                system.tangent_jacobian,
                system.mu,
            )
            answer = torque_sets(pushed, "FFF", limits=(-2.0, 2.0))
            assert answer.classify(step.brace.torque) == "unique"
            assert answer.margin(step.brace.torque) >= step.brace.margin - 1e-9
        assert step.margins.min() >= step.brace.margin - 1e-9


def test_torques_over_time_are_those_that_the_motion_needs():
    """The free part's torques by the power balance: d(T + V)/dt = sum of joint torques times joint speeds."""
    step = climbed("straight").steps[0]
    i = len(step.times) // 4
    t = step.times
    coefficients = np.polyfit(t[i - 2 : i + 3] - t[i], step.postures[i - 2 : i + 3], 4)
    qd, half = coefficients[-2], coefficients[-3]

    def energy(s: float) -> float:
        return sum(SNAKE.energy(step.postures[i] + s * qd + s * s * half, qd + 2 * s * half))

    power = (energy(1e-4) - energy(-1e-4)) / 2e-4
    assert np.isclose(power, step.torques[i] @ qd[3:], rtol=2e-2)


def test_frames_and_json_hold_the_whole_climb():
    found = climbed("straight")
    frames = found.frames(20.0)
    assert frames.nodes.shape == (len(frames.times), 7, 2) and frames.torques.shape == (len(frames.times), 5)
    assert (np.diff(frames.times) >= 0).all() and len(frames.bracing) == len(frames.times)
    assert np.allclose(frames.nodes[-1], found.steps[-1].nodes[-1]) and (frames.margins > 0).all()
    again = json.loads(json.dumps(found.to_dict()))
    assert again["status"] == "reached" and len(again["steps"]) == len(found.steps)


@pytest.mark.parametrize(
    ("width", "options", "why"),
    [
        (0.13, {}, "no posture"),
        (0.09, {"limits": (-0.1, 0.1)}, "no torque"),
        (0.09, {"mu": 0.0}, "no torque"),
        (0.09, {"limits": (-1.0, 1.0), "margin": 0.9}, "margin"),
    ],
)
def test_where_nothing_holds_the_answer_says_no_brace_found_because(width, options, why):
    found = climb(SNAKE, Channel.straight(width, 1.2), 0.1, **options)
    assert found.status == "stuck" and "no brace found" in found.reason and why in found.reason
    assert found.steps == () and len(found.frames().times) == 1


def test_the_papers_five_links_climb_with_one_link_between_their_braces():
    found = climb(Chain([LENGTH] * 5, MASS), CHANNELS["straight"][0], 0.03)
    assert found.status == "reached" and found.is_verified and len(found.steps) == 2


def test_bad_questions_are_refused():
    channel = Channel.straight(0.09, 1.2)
    with pytest.raises(InputError):
        climb(SNAKE, channel, 0.1, brace_links=1)
    with pytest.raises(InputError):
        climb(SNAKE, channel, 0.1, mu=-0.3)
    with pytest.raises(InputError):
        climb(Chain([LENGTH] * 6, MASS, passive=(3,)), channel, 0.1)
