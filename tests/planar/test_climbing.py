"""Moves: the brace stands still, the rest keeps between the walls at instants far finer than those tested.

Climbs: what is said of them is checked again from the frozen result, and failures say why.

Results of climbs that did not begin; those of climbs are checked with the planner.

Steps: what can go wrong in one; whole climbs are checked with the planner.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain, first_links, turned
from holdfast.planar.channels import Channel, first_stances, next_stances, nodes_of, posture_of
from holdfast.planar.climbing import ClimbStep, SnakeClimb, SnakeClimber, climb, free_moves, take_step
from holdfast.planar.torque_space import admitted_modes
from holdfast.planar.torques import torque_sets

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
def climbed(name: str) -> SnakeClimb:
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


def test_json_holds_the_whole_climb():
    found = climbed("straight")
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
    assert found.steps == () and found.start is None and not found.is_verified
    assert found.lowest.shape == (0,) and not found.to_dict()["verified"]
    assert all(not any(letter.isdigit() for letter in why) for why in found.rejected)  # by kind, not by numbers


def test_the_papers_five_links_climb_with_one_link_between_their_braces():
    found = climb(Chain([LENGTH] * 5, MASS), CHANNELS["straight"][0], 0.03)
    assert found.status == "reached" and found.is_verified and len(found.steps) == 2


def test_a_search_that_was_given_up_says_so():
    found = climb(SNAKE, CHANNELS["straight"][0], 0.1, limits=(-2.0, 2.0), tries=1)
    assert found.status == "stuck" and "ended after 1 tries" in found.reason


@pytest.mark.parametrize("name", CHANNELS)
def test_free_nodes_are_off_the_walls_between_the_ends_of_each_step(name):
    found = climbed(name)
    for step in found.steps:
        free = [node for node in range(7) if node not in step.brace_nodes]
        gaps = found.channel.gaps(step.nodes[:, free]).min(axis=(1, 2))
        assert (gaps[1:-1] > 1e-6).all() and gaps.min() > -1e-9


def test_what_touches_as_a_step_begins_is_in_its_test():
    """Both ends touch at rest; the motors' torques of the first instant admit one mode, all fixed."""
    step = climbed("straight").steps[0]
    gaps = climbed("straight").channel.gaps(step.nodes[0])
    left, right = (gaps < 1e-9).T
    contacts = [(i, (1.0, 0.0) if left[i] else (-1.0, 0.0), 0.3) for i in np.flatnonzero(left | right)]
    system = SNAKE.system(posture_of(step.nodes[0]), None, contacts)
    assert len(contacts) >= 6 and admitted_modes(system, step.torques[0]) == ("F" * len(contacts),)


def test_uncertain_friction_is_borne_by_the_whole_robot_at_both_ends():
    found = climb(SNAKE, CHANNELS["straight"][0], 0.03, mu=0.3, friction=(0.27, 0.33))
    assert found.status == "reached" and found.is_verified
    for step in found.steps:
        contacts = sorted((node, tuple(normal)) for node, _, normal, _ in (*step.contacts, *step.next_contacts))
        for mu in (0.27, 0.33):
            system = SNAKE.system(posture_of(step.nodes[-1]), None, [(node, normal, mu) for node, normal in contacts])
            assert all(admitted_modes(system, tau) == ("F" * 6,) for tau in step.handover)


def test_steps_keep_the_lengths_of_the_links_and_the_places_of_the_brace():
    for step in climbed("straight").steps:
        assert np.allclose(np.linalg.norm(np.diff(step.nodes, axis=1), axis=2), LENGTH, rtol=1e-12)
        bracing = list(step.brace_nodes)
        assert np.allclose(step.nodes[:, bracing], step.nodes[0][bracing], atol=1e-9)


def test_whole_numbers_of_numpy_are_numbers_of_links():
    assert climb(SNAKE, CHANNELS["straight"][0], 0.0, brace_links=np.int64(2)).status == "reached"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"brace_links": 1}, "brace_links"),
        ({"brace_links": []}, "brace_links"),
        ({"brace_links": 3}, "brace_links"),
        ({"brace_links": [2, 9]}, "brace_links"),
        ({"mu": -0.3}, "mu"),
        ({"mu": 0.1, "friction": (0.2, 0.3)}, "mu"),
        ({"friction": (0.5, 0.2)}, "friction"),
        ({"start": 5.0}, "start"),
        ({"goal": 9.0}, "goal"),
        ({"goal": 1.0}, "goal"),
        ({"side": "Left"}, "side"),
        ({"limits": (1.0, -1.0)}, "limits[0]"),
        ({"channel": [[0, 1]]}, "channel"),
        ({"chain": Chain([LENGTH] * 6, MASS, passive=(3,))}, "chain"),
    ],
)
def test_bad_and_impossible_questions_are_refused(options, where):
    asked = {"chain": SNAKE, "channel": Channel.straight(0.09, 1.2), "goal": 0.1, **options}
    with pytest.raises(InputError) as caught:
        climb(**asked)
    assert caught.value.where == where


def test_a_climb_without_steps_stands_where_it_began():
    chain = Chain([0.1, 0.1], 0.1)
    found = SnakeClimb("stuck", "no brace found", chain, Channel.straight(0.1, 1.0), np.zeros(4), (), {"walls": 2})
    assert found.lowest.tolist() == [0.0] and found.margin == np.inf and not found.is_verified
    assert found.to_dict()["rejected"] == {"walls": 2}


def test_a_climb_that_never_stood_has_no_posture():
    found = SnakeClimb("stuck", "no brace found", Chain([0.1, 0.1], 0.1), Channel.straight(0.1, 1.0), None, (), {})
    assert found.lowest.tolist() == [] and not found.is_verified


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
