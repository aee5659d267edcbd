"""Links of a robot as triangles: where the robot says they are."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.papers.devices.climber import robot_file
from holdfast.robots.page import joined_mesh, link_meshes, robot_marks
from holdfast.robots.robot import Robot
from holdfast.web.marks import Lines, Surface
from tests.scenes.robot_files import PINCH_URDF

pytest.importorskip("pinocchio")


def test_boxes_stand_at_their_links_and_palms_are_reported_apart() -> None:
    robot = Robot.from_urdf(robot_file("climber_without_fingers"))
    q = robot.neutral()
    meshes = link_meshes(robot, q)
    boxes = {shape.link: shape for shape in robot.shapes if shape.role == "visual" and shape.kind == "box"}
    assert set(boxes) <= set(meshes)
    for link, shape in boxes.items():
        place = robot.placements(q, [link])[0]
        centre = place[:3, :3] @ shape.pose.translation + place[:3, 3]
        far = np.linalg.norm(meshes[link][0] - centre, axis=1)
        assert np.allclose(far, 0.5 * np.linalg.norm(shape.size), rtol=1e-9)  # every corner of a box
    palms = [link for link in meshes if link.endswith("palm")]
    marks = robot_marks(robot, q, palms)
    assert set(marks) == {"robot/root", "robot/limbs", "robot/palms"}
    gripping = marks["robot/palms"]
    assert isinstance(gripping, Surface)
    assert len(gripping.vertices) == sum(len(meshes[link][0]) for link in palms)


def test_faces_of_joined_meshes_keep_their_corners() -> None:
    one = (np.eye(3), np.array([[0, 1, 2]]))
    vertices, faces = joined_mesh([one, (np.eye(3) + 1.0, np.array([[2, 1, 0]]))])
    assert np.allclose(vertices[faces[1]], np.eye(3)[[2, 1, 0]] + 1.0)


def test_a_robot_without_shapes_is_drawn_as_sticks(tmp_path) -> None:
    from holdfast.robots.files import load_robot
    from tests.scenes.robot_files import PINCH

    (tmp_path / "pinch.urdf").write_text(PINCH_URDF)
    (tmp_path / "pinch.yaml").write_text(PINCH)
    scene = load_robot(tmp_path / "pinch.yaml")
    (mark,) = robot_marks(scene.robot, scene.q).values()
    assert isinstance(mark, Lines) and mark.points.shape == (2, 2, 3)
