"""What a robot file builds, against the same made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.devices.climber import robot_file
from holdfast.robots import ContactSite, Robot, whole_body
from holdfast.robots.files import load_robot
from tests.scenes.robot_files import BRACED, PINCH, PINCH_URDF, WALL


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("robots")
    for name, text in (("wall", WALL), ("fours", BRACED), ("pinch", PINCH)):
        (place / f"{name}.yaml").write_text(text, encoding="utf-8")
    (place / "pinch.urdf").write_text(PINCH_URDF, encoding="utf-8")
    return place


def test_palms_are_where_the_file_wants_them(folder):
    scene = load_robot(folder / "wall.yaml")
    scene.robot.checked(scene.q)
    palm = scene.hands[1].pose(scene.robot, scene.q)
    assert scene.hands[1].name == "right hand"
    assert palm.translation == pytest.approx([0.0, -0.42, 0.55], abs=2e-6)
    assert palm.rotation == pytest.approx(hf.frame_from_normal((-1, 0.15, 0), (0, 0, 1)), abs=2e-5)
    assert scene.hands[0].grip is scene.hands[3].grip
    assert scene.grip_names == ("hook",) * 4


def test_units_are_those_made_by_hand(folder):
    scene = load_robot(folder / "fours.yaml")
    robot = Robot.from_urdf(robot_file("climber_without_fingers"))
    q = robot.configuration(base=hf.Pose(np.eye(3), [0, 0, 0.6]))
    rubber = hf.models.coulomb(0.6)
    frame = hf.frame_from_normal((0, 0, -1), (1, 0, 0))
    pad = hf.Patch.rectangle(hf.Pose.identity(), (0.1, 0.1), rubber)
    touches = [ContactSite("front_left_palm", pad, hf.Pose(frame, np.zeros(3)))]
    touches += [
        ContactSite(f"{name}_palm", rubber, hf.Pose(frame, np.zeros(3))) for name in ("front_right", "rear_left")
    ]
    own, made = scene.whole_body(), whole_body(robot, q, touches)
    assert own.assembly.positions[:6] == pytest.approx(made.assembly.positions)
    assert own.assembly.rotations[:4] == pytest.approx(made.assembly.rotations[:4])
    assert own.load == pytest.approx(made.load)


def test_a_fixed_robot_holds_the_weight_and_loads_of_its_object(folder):
    scene = load_robot(folder / "pinch.yaml")
    assert scene.extra(["tug"])[:3] == pytest.approx([60.0, 0.0, -0.4 * 9.80665])
    body = scene.whole_body()
    assert body.held == "object"
    assert body.equilibrium().holds
    # Two fingers of 2 N m at 0.1 m press with 20 N each: 24 N of friction in all.
    limit = body.load_limit(np.array([1.0, 0, 0, 0, 1.0, 0])).value
    assert limit == pytest.approx(24.0, rel=1e-6)
    assert not scene.whole_body(["tug"]).equilibrium().holds


def test_gravity_can_be_another(folder):
    scene = load_robot(folder / "wall.yaml", gravity=(0, 0, -1.62))
    assert scene.posture().wrench[:3] == pytest.approx([0, 0, -1.62 * scene.robot.mass])
