from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.plotting.artists import DepthSorted
from holdfast.robots.plots import GRIPPER, robot
from holdfast.robots.robot import Robot

STICKS = """<robot name="sticks">
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 2"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

SHAPES = """<robot name="shapes"><link name="a">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.5"/></geometry></visual>
<visual><origin xyz="0 0 3"/><geometry><cylinder radius="0.2" length="1"/></geometry></visual></link></robot>"""


def test_every_box_of_the_hand_is_drawn_where_it_is() -> None:
    hand = Robot.from_urdf("@four_finger_hand", base="fixed")
    q = hand.neutral()
    ax = robot(hand, q, grippers=["_D"])
    (drawn,) = [c for c in ax.collections if isinstance(c, DepthSorted)]
    boxes = [shape for shape in hand.shapes if shape.role == "visual"]
    assert len(drawn._middles) == 6 * len(boxes)
    corners = np.concatenate(drawn._polygons)
    tip = 0.064 + 3 * 0.044
    assert corners[:, 0].max() == pytest.approx(tip)
    assert corners[:, 0].min() == pytest.approx(-0.064)
    orange = [c for c in drawn._insides if c[3] > 0.0 and c[0] > 1.3 * c[2]]
    assert GRIPPER.startswith("#E6")
    assert len(orange) == 6 * 4  # the four last phalanges
    assert ax.get_legend_handles_labels()[1] == ["centre of mass"]


def test_without_shapes_sticks_stand_for_the_links_and_wide_things_stay_in_the_picture() -> None:
    bare = Robot.from_urdf(STICKS, base="fixed")
    ax = robot(bare, bare.neutral(), around=[(0.0, 5.0, 0.0)], com=False, legend=False, title="two sticks")
    (link,) = [line for line in ax.lines if line.get_gid() == "link"]
    np.testing.assert_allclose(np.array(link.get_data_3d()).T, [(0, 0, 0), (0, 0, 2)])
    assert ax.get_ylim()[1] > 5.0
    assert ax.get_title() == "two sticks"


def test_round_shapes_and_sheets_are_drawn() -> None:
    round_one = Robot.from_urdf(SHAPES, base="fixed")
    sheet = np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0)])
    ax = robot(round_one, round_one.neutral(), sheets=[(sheet, "#888888", 0.5)])
    wall, drawn = [c for c in ax.collections if isinstance(c, DepthSorted)]
    corners = np.concatenate(drawn._polygons)
    assert corners[:, 2].min() == pytest.approx(-0.5)
    assert corners[:, 2].max() == pytest.approx(3.5)
    assert (wall.get_gid(), drawn.get_gid()) == ("sheets", "robot")  # the robot is drawn over the wall
    assert np.concatenate(wall._polygons)[:, 0].max() == pytest.approx(2.0)


def test_the_centre_of_mass_may_be_projected_onto_the_ground() -> None:
    bare = Robot.from_urdf(STICKS, base="fixed")
    ax = robot(bare, bare.neutral(), plumb=(0.0, 0.0, -1.0))
    (line,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    np.testing.assert_allclose(np.array(line.get_data_3d()).T, [bare.com(bare.neutral()), (0, 0, -1)])
    assert ax.get_legend_handles_labels()[1] == ["centre of mass", "its projection"]


def test_only_links_without_shape_are_drawn_as_lines() -> None:
    text = STICKS.replace("</robot>", "")
    text += '<link name="c"/><joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/>'
    text += "</joint></robot>"
    text = text.replace(
        '<link name="a">', '<link name="a"><visual><geometry><sphere radius="0.5"/></geometry></visual>'
    )
    mixed = Robot.from_urdf(text, base="fixed")
    ax = robot(mixed, mixed.neutral())
    assert any(isinstance(c, DepthSorted) for c in ax.collections)
    (link,) = [line for line in ax.lines if line.get_gid() == "link"]
    np.testing.assert_allclose(np.array(link.get_data_3d()).T, [(0, 0, 2), (0, 0, 3)])


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.8), (3.0, 1.0, -9.0), (0.0, 0.0, 5.0)])
def test_gravity_is_an_arrow_with_a_name_beside_the_robot(gravity: tuple[float, ...]) -> None:
    hand = Robot.from_urdf("@four_finger_hand", base="fixed")
    ax = robot(hand, hand.neutral(), gravity=gravity)
    (arrow,) = [patch for patch in ax.patches if patch.get_gid() == "gravity"]
    along = arrow.end - arrow.start
    np.testing.assert_allclose(along / np.linalg.norm(along), np.array(gravity) / np.linalg.norm(gravity), atol=1e-12)
    assert [text.get_text().strip() for text in ax.texts] == ["gravity"]
    left = np.array([np.sin(np.radians(205.0)), -np.cos(np.radians(205.0)), 0.0])
    drawn = next(c for c in ax.collections if isinstance(c, DepthSorted))
    assert min(arrow.start @ left, arrow.end @ left) > (np.concatenate(drawn._polygons) @ left).max()
    for end in (arrow.start, arrow.end):
        assert ax.get_zlim()[0] <= end[2] <= ax.get_zlim()[1]


def test_without_weight_there_is_no_arrow_of_gravity() -> None:
    bare = Robot.from_urdf(STICKS, base="fixed")
    for gravity in (None, (0.0, 0.0, 0.0)):
        assert not robot(bare, bare.neutral(), gravity=gravity).patches


def test_what_is_no_robot_is_reported() -> None:
    with pytest.raises(InputError, match="robot"):
        robot("climber", [0.0])  # pyright: ignore[reportArgumentType]
