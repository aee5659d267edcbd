"""Choices of grips and holds against asking each combination by itself."""

from __future__ import annotations

from itertools import product

import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots.climbing import ClimbPlanner, Hold, choose_grips, choose_holds
from holdfast.robots.planning import PosturePlanner
from tests.robots.climbing import WALL, climber, hands, holds, on_the_wall, rough_grip

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
