"""Links of a robot as triangles, and the page of a robot file against direct questions and statics by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.files.reader import DATA
from holdfast.postures.page import posture_answer
from holdfast.robots.files import load_robot
from holdfast.robots.page import (
    ENTRIES,
    UnitQuestions,
    ground_marks,
    joined_mesh,
    link_meshes,
    read_robot,
    robot_body,
    robot_entry,
    robot_marks,
    units_answer,
)
from holdfast.robots.robot import Robot
from holdfast.web.marks import Arrows, Lines, Surface
from tests.scenes.robot_files import BRACED, PINCH, PINCH_URDF, WALL
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

pytest.importorskip("pinocchio")


def test_boxes_stand_at_their_links_and_palms_are_reported_apart() -> None:
    robot = Robot.from_urdf("@climber_without_fingers")
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


def test_a_robot_without_shapes_is_drawn_as_sticks(tmp_path: Path) -> None:
    (tmp_path / "pinch.urdf").write_text(PINCH_URDF)
    (tmp_path / "pinch.yaml").write_text(PINCH)
    scene = load_robot(tmp_path / "pinch.yaml")
    (mark,) = robot_marks(scene.robot, scene.q).values()
    assert isinstance(mark, Lines) and mark.points.shape == (2, 2, 3)


# -- a robot on hands -------------------------------------------------------------------------------


def test_a_robot_on_hands_is_one_body_with_its_links_and_the_wall(tmp_path: Path) -> None:
    path = tmp_path / "robot.yaml"
    path.write_text(WALL)
    scene = load_robot(path)
    body, posture = robot_body(scene), scene.posture()
    answer = posture_answer(body.start, body)
    assert answer.verdict.status == hf.posture_equilibrium(posture.grips, posture.poses, posture.wrench).status.value
    assert {"robot/palms", "ground"} <= set(answer.drawing.marks) and "body" not in answer.drawing.marks
    with Visit(robot_entry(scene).make) as visit:
        assert visit.page.state().mass == scene.robot.mass
        assert visit.browser.gui.controls["Mass [kg]"].value == pytest.approx(scene.robot.mass, rel=1e-3)
        assert {"robot/palms", "ground"} <= visit.names
    path.write_text(BRACED)
    with pytest.raises(InputError, match="no hands"):
        robot_body(load_robot(path))


# -- a robot on units -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quadruped() -> UnitQuestions:
    return UnitQuestions(load_robot(DATA / "robots" / "quadruped.yaml"))


def test_the_forces_on_the_feet_balance_weight_and_load(quadruped: UnitQuestions) -> None:
    scene = quadruped.scene
    for load in ("", "box on its back", "push from the side"):
        answer = units_answer(replace(quadruped.start, load=load), quadruped)
        assert answer.verdict.status == scene.whole_body([load] if load else []).equilibrium().status.value == "holds"
        marks = answer.drawing.marks
        arrows, weight = marks["forces"], marks["weight"]
        assert isinstance(arrows, Arrows) and isinstance(weight, Arrows)
        assert len(arrows.points) == 4
        pushed = np.diff(arrows.points, axis=1)[:, 0].sum(axis=0)  # in the scale of the arrows, the same for all
        assert np.allclose(pushed, -np.diff(weight.points, axis=1)[0, 0], atol=1e-6)
        assert np.linalg.norm(pushed) > 0.1


def test_the_region_of_point_feet_on_level_ground_is_the_hull_of_the_feet(quadruped: UnitQuestions) -> None:
    border = units_answer(quadruped.start, quadruped).drawing.marks["inner/border"]
    assert isinstance(border, Lines)
    feet = np.array([frame.translation for frame in quadruped.frames])[:, :2]
    corners = border.points[:, 0, :2]
    assert len(corners) == 4  # strong joints: nothing but the feet limits it
    assert np.linalg.norm(corners[:, None] - feet, axis=2).min(axis=0).max() < 1e-6
    assert np.allclose(border.points[..., 2], quadruped.frames[0].translation[2], atol=0.01)  # drawn on the ground


def test_the_centre_of_mass_holds_up_to_the_border_of_its_region_and_not_beyond(quadruped: UnitQuestions) -> None:
    reach = quadruped.scene.whole_body().lean((1.0, 0.0, 0.0)).reach  # by another program than the region
    x, y, z = quadruped.start.com
    for share, status, word in ((0.98, "holds", "inside"), (1.02, "does not hold", "outside")):
        verdict = units_answer(replace(quadruped.start, com=(x + share * reach, y, z)), quadruped).verdict
        assert verdict.status == status and word in verdict.margin
    assert "lifts off" in " ".join(units_answer(quadruped.start, quadruped).verdict.lines)


def test_less_friction_than_the_slope_lets_it_slide_and_weaker_joints_shrink_the_region(
    quadruped: UnitQuestions,
) -> None:
    tilted = replace(quadruped.start, tilt=20.0)  # tan 20 deg = 0.364 = 0.607 * 0.6
    assert units_answer(replace(tilted, friction=0.7), quadruped).verdict.status == "holds"
    border = units_answer(tilted, quadruped).drawing.marks["inner/border"]
    assert isinstance(border, Lines) and np.ptp(border.points[..., 2]) < 0.01  # a shadow on the same ground
    slides = units_answer(replace(tilted, friction=0.55), quadruped).verdict
    assert slides.status == "does not hold" and slides.lines
    robot = quadruped.scene.robot
    weak = robot.with_joints(
        {name: replace(robot.joints[k], torque_min=-8.0, torque_max=8.0) for k, name in enumerate(robot.joint_names)}
    )
    weaker = UnitQuestions(replace(quadruped.scene, robot=weak))
    inner = weaker.of(weaker.start).stand.inner
    strong = quadruped.of(quadruped.start).stand.inner
    assert inner is not None and strong is not None and inner.area < 0.9 * strong.area
    assert inner.contains(weaker.start.com) == weaker.scene.whole_body().equilibrium().holds


def test_what_the_page_of_units_says_is_what_its_controls_ask(quadruped: UnitQuestions) -> None:
    (entry,) = ENTRIES
    with Visit(entry.make) as visit:
        assert visit.page.state() == quadruped.start and not visit.errors
        assert {"ground", "inner/border", "forces", "robot/palms"} <= visit.names
        visit.browser.scene.nodes["/com handle"].drag(position=(0.05, 0.03, 0.4))
        visit.settle()
        for name, value in (("Gravity tilt [deg]", 5.0), ("Friction scale", 0.8), ("Load", "box on its back")):
            visit.drag(name, value)
            said = units_answer(visit.page.state(), quadruped).verdict
            assert (visit.verdict.shown.status, visit.verdict.shown.margin) == (said.status, said.margin)
        visit.drag("As in the file", True)
        assert visit.page.state() == quadruped.start and visit.verdict.shown.status == "holds"
        assert_leaves_nothing_behind(visit)


def test_a_hand_on_a_fixed_base_shows_the_load_factor_of_its_object(tmp_path: Path) -> None:
    (tmp_path / "pinch.urdf").write_text(PINCH_URDF)
    (tmp_path / "pinch.yaml").write_text(PINCH)
    scene = load_robot(tmp_path / "pinch.yaml")
    questions = UnitQuestions(scene)
    verdict = units_answer(questions.start, questions).verdict
    body = scene.whole_body()
    assert verdict.status == body.equilibrium().status.value
    assert verdict.margin == f"load factor {body.load_limit().value:.3g}"
    with Visit(robot_entry(scene).make) as visit:
        assert not visit.errors and "ground" not in visit.names
        visit.drag("Load", "tug")
        assert visit.verdict.shown.status == scene.whole_body(["tug"]).equilibrium().status.value


def test_the_ground_is_one_sheet_below_level_feet_and_a_tile_at_each_hand_on_two_walls() -> None:
    feet = np.array([[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]])
    sheet = ground_marks(feet, np.tile([0.0, 0.0, 1.0], (3, 1)), 1.0)["ground"]
    assert isinstance(sheet, Surface) and len(sheet.faces) == 2
    low, high = sheet.vertices.min(axis=0), sheet.vertices.max(axis=0)
    assert (low[:2] < 0.0).all() and (high[:2] > 1.0).all() and high[2] < 0.1
    tiles = ground_marks(feet[:2], np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), 1.0)["ground"]
    assert isinstance(tiles, Surface) and len(tiles.faces) == 4


def test_a_urdf_stands_on_its_feet_with_the_friction_that_is_assumed() -> None:
    scene = read_robot(DATA / "robots" / "quadruped.urdf")
    assert [touch.link.endswith("_foot") for touch in scene.touches] == [True] * 4
    assert "friction coefficient of the feet is assumed to be 0.6" in scene.description
    with Visit(robot_entry(scene).make) as visit:
        assert visit.verdict.shown.status == "holds" and not visit.errors
