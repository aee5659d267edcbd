"""How far the body leans, by the geometry of the feet, and what gives out, by strengthening it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast import Pose, models
from holdfast.assembly import Joint
from holdfast.errors import InputError
from holdfast.geometry.frames import transports
from holdfast.postures.hands import checked_hands
from holdfast.robots import ContactSite, LimitingElement, Robot, find_feet, holding_feet, lean, lean_along, whole_body
from holdfast.robots.leaning import lean_margin
from holdfast.robots.planning import Stand, work
from holdfast.statics.strength import RampStatus
from tests.robots.sample_robots import SOLE, crouching, legged, point_feet, two_link_arm

FEET = ("foot0", "foot1", "foot2", "foot3")


def strong() -> Robot:
    return Robot.from_urdf(legged(effort=500.0))


@pytest.mark.parametrize(
    ("direction", "axis", "edge", "lifts"),
    [
        ((1, 0, 0), 0, ("foot0",), {"foot2", "foot3"}),
        ((-3, 0, 0), 0, ("foot2",), {"foot0", "foot1"}),
        ((0, 1, 0), 1, ("foot0",), {"foot1", "foot3"}),
    ],
)
def test_a_strong_robot_tips_over_the_line_of_its_feet(direction, axis, edge, lifts):
    robot = strong()
    body = whole_body(robot, crouching(robot), point_feet())
    found = lean(body, direction)
    line = robot.frame_pose(body.q, edge[0]).translation[axis]
    assert_allclose(found.com[axis], line, atol=1e-6)
    assert found.verify()
    assert {(g.name, g.how) for g in found.limiting if g.kind == "contact"} == {(name, "lifts off") for name in lifts}
    assert "lifts off" in str(found)


def table(effort: float = 200.0) -> Robot:
    """A table of 0.6 x 0.4 m on four legs with square feet of 50 mm, their centres 0.27 and 0.17 m from the middle."""
    body = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    leg = '<collision><origin xyz="0 0 -0.25"/><geometry><box size="0.05 0.05 0.5"/></geometry></collision>'
    words = [f'<robot name="table"><link name="top">{body.format(10.0)}</link>']
    for name, (x, y) in {"fl": (1, 1), "fr": (1, -1), "rl": (-1, 1), "rr": (-1, -1)}.items():
        words.append(f'<link name="{name}">{body.format(0.5)}{leg}</link>')
        words.append(f'<joint name="hip {name}" type="revolute"><parent link="top"/><child link="{name}"/>')
        words.append(f'<origin xyz="{0.27 * x} {0.17 * y} 0"/><axis xyz="0 1 0"/>')
        words.append(f'<limit effort="{effort}" velocity="1" lower="-1" upper="1"/></joint>')
    return Robot.from_urdf("".join([*words, "</robot>"]))


@pytest.mark.parametrize(
    ("direction", "reach", "lifts"),
    [((1, 0, 0), 0.295, {"rl", "rr"}), ((-1, 0, 0), 0.295, {"fl", "fr"}), ((0, 1, 0), 0.195, {"fr", "rr"})],
)
def test_flat_feet_on_the_side_of_the_shift_tip_over_and_the_others_lift_off(direction, reach, lifts):
    """The corners of the loaded feet that lose their force are no feet that lift off."""
    robot = table()
    q = robot.neutral()
    body = whole_body(robot, q, [foot.site(models.coulomb(0.6)) for foot in find_feet(robot, q)])
    found = lean(body, direction)
    assert found.reach == pytest.approx(reach, abs=1e-6)
    contacts = [item for item in found.limiting if item.kind == "contact"]
    assert {item.name for item in contacts if item.how == "lifts off"} == lifts
    assert {item.name for item in contacts if item.how != "lifts off"} <= {"fl", "fr", "rl", "rr"} - lifts
    assert found.first.how == "lifts off"


def test_the_gain_of_the_first_joint_is_what_more_torque_brings():
    robot = Robot.from_urdf(legged(effort=6.0))
    body = whole_body(robot, crouching(robot), point_feet(mu=0.3))
    found = lean(body, (1, 0, 0))
    first = found.first
    assert found.verify()
    assert (first.kind, first.how) == ("joint", "torque limit")
    tipping = lean(whole_body(strong(), body.q, point_feet(mu=0.3)), (1, 0, 0)).reach
    assert found.reach < tipping - 0.01
    joint = robot.joints[robot.joint_index(first.name)]
    share = 1e-3
    limit = joint.torque_max + share * (joint.torque_max + joint.friction)
    changed = Joint("", -limit, limit, friction=joint.friction)
    stronger = whole_body(robot.with_joints({first.name: changed}), body.q, point_feet(mu=0.3))
    gained = lean(stronger, (1, 0, 0)).reach - found.reach
    assert 0.0 < gained <= 100 * share * first.gain * (1 + 1e-3)


def test_units_of_several_pieces_lean_as_far_as_the_last_posture_that_holds():
    robot = Robot.from_urdf(legged(effort=8.0))
    touches = [ContactSite(f"foot{i}", models.microspine(), SOLE) for i in range(4)]
    body = whole_body(robot, crouching(robot, bend=0.1, height=0.5), touches)
    found = body.lean((0, 1, 0))
    assert found.status is RampStatus.FOUND
    assert found.verify()
    weight = robot.mass * body.gravity
    for share, holds in ((0.999, True), (1.001, False)):
        torque = np.cross(share * found.reach * found.direction, weight)
        moved = body.with_load(body.load + np.concatenate([np.zeros(3), torque]))
        assert moved.equilibrium().holds == holds
    assert found.limiting


def test_a_robot_that_does_not_stand_cannot_lean():
    robot = Robot.from_urdf(legged(effort=1.0))
    found = lean(whole_body(robot, crouching(robot), point_feet()), (1, 0, 0))
    assert found.status is RampStatus.FAILS_AT_BASE
    assert found.reach == -np.inf
    assert found.first is None


def test_leaning_along_a_path_of_postures_stops_where_the_last_one_holds():
    robot = strong()
    q = crouching(robot, bend=1.0, height=0.3)
    path = holding_feet(robot, q, FEET, lambda s: Pose(np.eye(3), np.array([s, 0.0, 0.0])))
    found = lean_along(robot, path, point_feet(), 0.4, step=0.08)
    assert found.onset.verify()
    last, line = found.onset.bracket[0], robot.frame_pose(q, "foot0").translation[0]
    assert_allclose(robot.com(path(last))[0], line, atol=1e-5)
    assert found.at.equilibrium().holds
    assert_allclose(found.direction, [1, 0, 0], atol=1e-3)
    assert {(g.name, g.how) for g in found.limiting} == {("foot2", "lifts off"), ("foot3", "lifts off")}


def test_a_path_out_of_reach_ends_there():
    robot = strong()
    path = holding_feet(robot, crouching(robot), FEET, lambda s: Pose(np.eye(3), np.array([0.0, 0.0, s])))
    found = lean_along(robot, path, point_feet(), 0.2, step=0.02)
    assert 0.02 <= found.out_of_reach <= 0.1
    assert "holds throughout" in repr(found)
    assert found.limiting == ()


def test_words_name_what_limits():
    assert str(LimitingElement("joint", "knee", "torque limit", 0.002)) == (
        "joint 'knee' is at its torque limit, 2 mm more for 1 % more strength"
    )
    assert str(LimitingElement("contact", "toe", "slips", 0.0)) == "contact 'toe' slips"
    assert str(LimitingElement("contact", "toe", "at its strength", 0.01)) == (
        "contact 'toe' is at its strength, 10 mm more for 1 % more strength"
    )


def test_bad_directions_are_refused():
    robot = strong()
    body = whole_body(robot, crouching(robot), point_feet())
    with pytest.raises(InputError, match="is along gravity"):
        lean(body, (0, 0, 1))
    arm = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="holds an object"):
        lean(whole_body(arm, arm.neutral(), [ContactSite("tip", models.coulomb(0.5))]), (1, 0, 0))


# Distances to the border of a support region and their slopes, against a triangle known by hand.

DOWN = np.array([0.0, 0.0, -9.81])
MARGIN_FEET = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def stand_at(com: tuple[float, float], feet: np.ndarray = MARGIN_FEET) -> Stand:
    place = np.array([*com, 0.5])
    turns = np.tile(np.eye(3), (len(feet), 1, 1))
    return Stand(np.zeros(0), place, turns, feet - place, transports(turns, feet - place))


def margin(com: tuple[float, float], feet: np.ndarray = MARGIN_FEET, *, slope: bool = False):
    """Frictionless feet: the region is the triangle of the feet. Slopes are by the feet's shifts (9,)."""
    peg = hf.Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    hands = checked_hands([peg] * 3, [hf.Pose(np.eye(3), x) for x in feet])
    of_feet = lambda stand, wrenches, y: work(stand, wrenches, y)[0].ravel()  # noqa: E731 - one line
    return lean_margin(hands, stand_at(com, feet), 2.0, DOWN, of_feet if slope else None)


@pytest.mark.parametrize(
    ("com", "distance"),
    [
        ((0.2, 0.1), 0.1),
        ((0.4, 0.4), 0.2 / np.sqrt(2.0)),
        ((0.5, -0.3), -0.3),
        ((-0.3, -0.4), -0.5),
        ((1.5, -0.5), -np.sqrt(0.5)),
    ],
)
def test_the_margin_is_the_distance_to_the_triangle(com, distance):
    assert margin(com).value == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize("com", [(0.2, 0.1), (0.4, 0.4), (0.5, -0.3), (-0.3, -0.4), (0.7, 0.6)])
def test_slopes_by_the_feet_are_finite_differences_inside_and_outside(com):
    found = margin(com, slope=True).gradient
    step = 1e-6
    for index in range(9):
        if index % 3 == 2:
            continue  # a foot lifted: no other foot follows the ground
        ends = []
        for sign in (1.0, -1.0):
            feet = MARGIN_FEET.copy()
            feet.flat[index] += sign * step
            ends.append(margin(com, feet).value)
        assert found[index] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6)


def test_two_edges_as_near_are_a_kink_and_other_regions_have_no_slope():
    assert margin((0.2, 0.2), slope=True).smooth is False
    peg = hf.Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    hands = checked_hands([peg], [hf.Pose.identity()])
    stand = stand_at((0.1, 0.0), MARGIN_FEET[:1])
    found = lean_margin(hands, stand, 2.0, DOWN, lambda s, w, y: work(s, w, y)[0].ravel())
    assert found.value == pytest.approx(-0.1)
    assert np.isnan(found.gradient).all()
    assert "point" in found.binding
