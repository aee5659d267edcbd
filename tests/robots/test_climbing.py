"""Choices of grips and holds against asking each combination by itself."""

from __future__ import annotations

from itertools import product

import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots.climbing import ClimbPlanner, Hold, choose_grips, choose_holds
from holdfast.robots.planning import PosturePlanner
from tests.robots.climbing import WALL, climber, hands, holds, on_the_wall, rough_grip, start

STRONG, WEAK = rough_grip(80), rough_grip(60, seed=5, scale=0.6)


@pytest.fixture(scope="module")
def planner() -> PosturePlanner:
    return PosturePlanner(climber(), hands(STRONG))


@pytest.fixture(scope="module")
def wall(planner):
    return on_the_wall(planner.robot, STRONG)


def test_every_combination_of_grips_is_ranked_by_the_margin_it_has_alone(planner, wall):
    grips = {"strong": STRONG, "weak": WEAK}
    found = choose_grips(planner, wall, {"front_left": grips, "rear_right": grips})
    assert {tuple(choice.picked.values()) for choice in found} == set(product(grips, grips))
    assert [c.margin for c in found] == sorted((c.margin for c in found), reverse=True)
    for choice in found:
        chosen = {name: grips[word] for name, word in choice.picked.items()}
        own = [hand.with_grip(chosen.get(hand.name, STRONG)) for hand in planner.hands]
        poses = [hand.pose(planner.robot, wall) for hand in own]
        load = hf.loads.gravity_wrench(planner.robot.mass, com=planner.robot.com(wall))
        low, high = hf.posture_equilibrium([hand.grip for hand in own], poses, load).scale_interval
        assert choice.margin == pytest.approx(min(high - 1.0, 1.0 - low), rel=1e-7)


def test_by_area_the_largest_region_comes_first(planner, wall):
    found = choose_grips(planner, wall, {"front_left": {"weak": WEAK, "strong": STRONG}}, by="area")
    areas = [choice.area for choice in found]
    assert areas == sorted(areas, reverse=True)
    assert all(choice.region.verify() for choice in found)


def test_holds_out_of_reach_and_shared_ones_are_left_out(planner, wall):
    places = [Hold(name, pose) for name, pose in holds().items()]
    far = Hold("far", hf.Pose(WALL, [0.0, 0.45, 5.0]))
    near = Hold("near", hf.Pose(WALL, [0.0, 0.4, 0.6]))
    team = ClimbPlanner(planner, [*places, far, near])
    options = {name: [name] for name in holds()}
    options["front_left"] = ["front_left", "far", "near", "front_right"]
    found = choose_holds(team, wall, options)
    assert {choice.picked["front_left"] for choice in found} == {"front_left", "near"}
    for choice in found:
        for hand, hold in choice.picked.items():
            palm = planner.hand(hand).pose(planner.robot, choice.q)
            assert palm.translation == pytest.approx(team.holds[hold].pose.translation, abs=2e-6)


def test_what_is_wrong_is_named(planner, wall):
    many = {str(i): STRONG for i in range(20)}
    with pytest.raises(InputError, match="160000 combinations"):
        choose_grips(planner, wall, {hand.name: many for hand in planner.hands})
    with pytest.raises(InputError, match="choose from"):
        choose_grips(planner, wall, {"front_left": {}})
    with pytest.raises(UnknownNameError, match="hand"):
        choose_grips(planner, wall, {"front": {"strong": STRONG}})
    with pytest.raises(UnknownNameError, match="rank"):
        choose_grips(planner, wall, {"front_left": {"strong": STRONG}}, by="size")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnknownNameError, match="hold"):
        choose_holds(ClimbPlanner(planner, []), wall, {"front_left": ["ledge"]})


# A climb on a wall of holds: every posture of every move holds, and hands that do not move stay where they are.

ON = {"front_left": "L2", "front_right": "R2", "rear_left": "L0", "rear_right": "R0"}


@pytest.fixture(scope="module")
def wall_sequences() -> list[Hold]:
    """Two columns of holds half a metre apart, and one between that is too weak for anything."""
    found = []
    for row, height in enumerate((-0.5, -0.2, 0.5, 0.8)):
        for side, y in (("L", 0.45), ("R", -0.45)):
            found.append(Hold(f"{side}{row}", hf.Pose(WALL, [0.0, y, height])))
    return [*found, Hold("crumb", hf.Pose(WALL, [0.0, 0.3, -0.3]), rough_grip(scale=0.02))]


@pytest.fixture(scope="module")
def team(wall_sequences) -> ClimbPlanner:
    planner = PosturePlanner(climber(), hands(rough_grip(scale=1.3)))
    return ClimbPlanner(planner, wall_sequences, wanted=0.1, longest=0.4)


@pytest.fixture(scope="module")
def stance(team):
    found = team.stance(start(team.planner.robot), ON)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def climbed(team, stance):
    return team.climb(stance, 0.25, most=12)


def test_the_climb_brings_every_hand_up(team, climbed):
    assert climbed.finished
    assert {move.hand for move in climbed.moves} == set(ON)
    assert sorted(climbed.stance.on.values()) == ["L1", "L3", "R1", "R3"]


def test_every_posture_holds_by_the_hands_that_are_on_with_proof(team, climbed):
    on = dict(ON)
    for move in climbed.moves:
        assert on[move.hand] == move.start
        rest = {hand: hold for hand, hold in on.items() if hand != move.hand}
        for number, q in enumerate(move.postures):
            swinging = move.swing <= number < len(move.postures) - 1
            after = rest | {move.hand: move.end}
            holding = rest if swinging else on if number < move.swing else after
            answer = team.holding(holding).equilibrium(q)
            assert answer.holds
            assert answer.verify()
            team.planner.robot.checked(q)
            for hand, hold in rest.items():
                palm = team.planner.hand(hand).pose(team.planner.robot, q)
                assert palm.translation == pytest.approx(team.holds[hold].pose.translation, abs=2e-6)
        assert move.least >= team.wanted
        on = after
    assert on == climbed.stance.on


def test_a_hold_that_carries_nothing_may_be_passed_but_not_stood_on_by_one_of_three(team, stance):
    weak = team.holding({"front_left": "L2", "rear_left": "crumb", "rear_right": "R0"})
    strong = team.holding({"front_left": "L2", "rear_left": "L0", "rear_right": "R0"})
    assert weak.margin(stance.q) < strong.margin(stance.q)


def test_where_more_is_wanted_the_body_leans_first(team, stance):
    """The margin without a hand is raised, with all palms at their holds, before the hand lets go."""
    least = {hand: team.holding({k: v for k, v in ON.items() if k != hand}).margin(stance.q) for hand in ON}
    hand = min(least, key=lambda name: least[name])
    keen = ClimbPlanner(team.planner, list(team.holds.values()), wanted=least[hand] + 0.02, longest=0.4)
    moves = [move for move in keen.moves(stance) if move.hand == hand]
    assert moves
    assert moves[0].swing > 1
    assert moves[0].least >= keen.wanted > least[hand]


def test_nothing_is_safe_where_too_much_is_wanted(team, stance):
    bold = ClimbPlanner(team.planner, list(team.holds.values()), wanted=50.0)
    assert bold.moves(stance) == []
    assert not bold.climb(stance, 0.2).finished


def test_wrong_climb_arguments_are_named(team, wall_sequences, stance):
    with pytest.raises(InputError, match="a different name"):
        ClimbPlanner(team.planner, [wall_sequences[0], wall_sequences[0]])
    with pytest.raises(UnknownNameError, match="hold"):
        team.stance(stance.q, {"front_left": "L9"})
    with pytest.raises(UnknownNameError, match="did you mean 'rear_left'"):
        team.stance(stance.q, {"rear_lef": "L0"})
