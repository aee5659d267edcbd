"""`holdfast robot`: tables, JSON, exit codes and pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from holdfast.cli import app
from tests.robots.test_files import ON_FEET, ON_PALMS, QUADRUPED, STATES
from tests.scenes.robot_files import BRACED, PINCH, PINCH_URDF, WALL


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in (("wall", WALL), ("fours", BRACED), ("pinch", PINCH)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "pinch.urdf").write_text(PINCH_URDF, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(*words: str):
    return CliRunner().invoke(app, ["robot", *words])


def test_hands_report_verdict_limbs_region_and_what_fails(folder):
    result = asked("wall.yaml", "--plot", "wall.png")
    assert result.exit_code == 0
    for words in (
        "verdict: holds",
        "torque limits of the limbs: yes",
        "support region",
        "what fails there first",
        "proof verified: yes",
    ):
        assert words in result.output
    assert (folder / "wall.png").stat().st_size > 1000


def test_json_has_the_figures(folder):
    data = json.loads(asked("wall.yaml", "--json", "--load", "gust").stdout)
    assert data["status"] == "holds"
    assert data["load"] == "weight + gust"
    assert len(data["limbs"]["torques"]) == data["joints"] == 28
    assert all(row["share"] <= 1.0 + 1e-6 for row in data["limbs"]["torques"])
    total = sum(row["world_wrench"][2] for row in data["hands"])
    assert total == pytest.approx(data["mass"] * 9.80665, rel=1e-6)


def test_too_much_load_does_not_hold(folder):
    result = asked("wall.yaml", "--load", "anvil")
    assert result.exit_code == 1
    assert "does not hold" in result.output


def test_units_report_torques_and_how_far_it_leans(folder):
    data = json.loads(asked("fours.yaml", "--json", "--directions", "4").stdout)
    assert data["status"] == "holds"
    assert data["contacts"] == 7
    assert len(data["leaning"]) == 4
    assert all(entry["reach"] > 0.0 and entry["limiting"] for entry in data["leaning"])
    text = asked("fours.yaml", "--directions", "2").output
    assert "what fails first" in text


def test_an_object_in_a_fixed_hand(folder):
    assert asked("pinch.yaml").exit_code == 0
    assert asked("pinch.yaml", "--load", "tug").exit_code == 1
    assert asked("pinch.yaml", "--plot", "pinch.png").exit_code == 0
    assert (folder / "pinch.png").exists()


def test_warnings_of_the_robot_and_the_reason_are_printed(folder):
    weak = PINCH_URDF.replace('effort="2"', "", 1).replace('effort="2"', 'effort="0"')
    (folder / "pinch.urdf").write_text(weak, encoding="utf-8")
    data = json.loads(asked("pinch.yaml", "--json").stdout)
    assert data["status"] == "does not hold"
    assert len(data["warnings"]) == 1 and data["warnings"][0].endswith("count as infinitely strong: left")
    assert any(text.startswith('Joint "right" is free') for text in data["reasons"])
    shown = " ".join(asked("pinch.yaml").output.split())
    assert "count as infinitely strong: left" in shown
    assert 'Joint "right" is free' in shown


def test_the_schema_and_a_missing_file(folder):
    assert json.loads(asked("--schema").stdout)["title"] == "Holdfast robot"
    assert asked().exit_code == 2
    assert asked("nowhere.yaml").exit_code == 2


def test_without_gravity_there_is_a_verdict_and_no_region(folder):
    (folder / "adrift.yaml").write_text(WALL + "\ngravity: [0, 0, 0]\n", encoding="utf-8")
    result = asked("adrift.yaml", "--json", "--load", "gust")
    data = json.loads(result.stdout)
    assert data["status"] == "holds" and data["regions"] == {}


def test_directions_to_lean_in_are_at_least_one(folder):
    assert asked("fours.yaml", "--directions", "0").exit_code == 2


@pytest.fixture
def kennel(folder):
    for name, text in (("quadruped.urdf", QUADRUPED), ("quadruped.srdf", STATES), ("feet.yaml", ON_FEET)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "palms.yaml").write_text(ON_PALMS, encoding="utf-8")
    return folder


def test_a_urdf_stands_on_its_own_feet(kennel):
    words = ("quadruped.urdf", "--state", "standing", "--mu", "0.6", "--json", "--directions", "2")
    data = json.loads(asked(*words).stdout)
    assert data["status"] == "holds" and data["units"] == [f"shin{i}" for i in range(4)]
    assert data["posture"] == json.loads(asked("feet.yaml", "--json", "--directions", "2").stdout)["posture"]
    assert data["leaning"][0]["reach"] == pytest.approx(0.3 - data["com"][0] + _middle(data), abs=1e-6)
    assert asked(*words, "--srdf", "quadruped.srdf").exit_code == 0
    level = ("quadruped.urdf", "--state", "standing", "--gravity", "3,0,-9.8")
    assert [asked(*level, "--mu", mu).exit_code for mu in ("0.3", "0.32")] == [1, 0]  # 3 / 9.8 = 0.306


def _middle(data) -> float:
    """x of the feet's middle: hip over knee, by the angles of the state."""
    import numpy as np

    return float(-0.3 * np.sin(0.5) - 0.25 * np.sin(0.5 - 1.3))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("quadruped.urdf",), "does not define friction"),
        (("quadruped.urdf", "--mu", "0.6", "--state", "stand"), "did you mean 'standing'"),
        (("quadruped.urdf", "--mu", "0.6", "--srdf", "gone.srdf"), "gone.srdf"),
        (("quadruped.urdf", "--mu", "1e9"), "mu"),
        (("feet.yaml", "--mu", "0.6"), "--mu: is for a URDF, xacro or MJCF"),
        (("feet.yaml", "--state", "stand"), "did you mean 'standing'"),
        (("gone.urdf", "--mu", "0.6"), "gone.urdf"),
        (("gone.xml", "--mu", "0.6"), "gone.xml"),
    ],
)
def test_faults_of_a_description_are_reported(kennel, words, says):
    result = asked(*words)
    assert result.exit_code == 2
    assert says in result.output


def test_tilted_point_feet_are_named_with_what_would_hold(kennel):
    result = asked("palms.yaml")
    assert result.exit_code == 1
    output = " ".join(result.output.split())
    assert "foot0, foot1, foot2, foot3 turn with their links and are up to 46 degrees off the vertical" in output
    assert "give facing: [0.0, 0.0, 1.0] to round feet" in output
    faced = ON_PALMS.replace("grip: foot}", "grip: foot, facing: [0, 0, 1]}")
    (kennel / "faced.yaml").write_text(faced, encoding="utf-8")
    assert asked("faced.yaml").exit_code == 0
    data = json.loads(asked("faced.yaml", "--json").stdout)
    assert data["hint"] is None and data["regions"]["exact"]["kind"] == "polygon"
    # A wall is no tilted floor: no hint there.
    assert json.loads(asked("wall.yaml", "--load", "anvil", "--json").stdout)["hint"] is None


def test_robots_by_name_and_files_that_are_not_there(folder):
    result = asked("@climber_without_fingers", "--mu", "0.6", "--directions", "1")
    assert result.exit_code == 0 and "verdict: holds" in result.output
    assert "no robot '@climer' (did you mean '@climber'?" in asked("@climer", "--mu", "0.6").output
    assert "error: nothing.urdf: there is no such file" in asked("nothing.urdf", "--mu", "0.6").output


def test_the_picture_has_the_region_on_the_ground(folder, monkeypatch):
    import numpy as np

    from holdfast.robots import command, load_robot

    drawn = {}
    monkeypatch.setattr(command.plots, "robot", lambda robot, q, **options: drawn.update(options))
    tilt = np.array([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]])  # a slope with the normal (-0.6, 0, 0.8)
    slope = ON_PALMS.replace("grip: foot}", "grip: foot, facing: [-0.6, 0, 0.8]}").replace("mu: 0.6", "mu: 1.2")
    slope = slope.replace("standing}", f"standing, base: {{position: [0, 0, 0.5], rotation: {tilt.tolist()}}}}}")
    for name, text in (("quadruped.urdf", QUADRUPED), ("quadruped.srdf", STATES), ("slope.yaml", slope)):
        (folder / name).write_text(text, encoding="utf-8")
    scene = load_robot("slope.yaml")
    command._picture(scene)
    feet = scene.robot.placements(scene.q, [f"foot{i}" for i in range(4)])[:, :3, 3]
    heights = feet @ (-0.6, 0, 0.8)
    ((sheet, _, _),) = drawn["sheets"]
    np.testing.assert_allclose(sheet @ (-0.6, 0, 0.8), heights[0], atol=1e-9)
    np.testing.assert_allclose(drawn["plumb"][:2], scene.robot.com(scene.q)[:2], atol=1e-12)
    assert drawn["plumb"] @ (-0.6, 0, 0.8) == pytest.approx(heights[0])
    command._picture(load_robot("wall.yaml"))  # on a wall: level, through the centre of mass
    wall = load_robot("wall.yaml")
    assert drawn["plumb"] is None
    np.testing.assert_allclose(drawn["sheets"][0][0][:, 2], wall.robot.com(wall.q)[2], atol=1e-9)


@pytest.mark.parametrize(
    ("mu", "angle", "holds"),
    [(0.6, 24.0, True), (0.6, 24.5, False), (0.3, 15.0, True), (0.3, 18.0, False)],
)
def test_on_a_slope_a_robot_tips_over_its_feet_or_slips(mu, angle, holds):
    """Its centre of mass is 0.444 m above its feet and 0.2 m behind the front ones: 24.26 degrees; arctan 0.3: 16.7."""
    result = asked("@quadruped", "--mu", str(mu), "--json", "--tilt", str(angle))
    data, turn = json.loads(result.stdout), np.radians(angle)
    assert (result.exit_code == 0) is holds is (data["status"] == "holds")
    assert np.allclose(data["gravity"], 9.80665 * np.array([np.sin(turn), 0.0, -np.cos(turn)]))
    assert data["hint"] is None


def test_a_tilt_may_have_a_direction():
    aside = json.loads(asked("@quadruped", "--mu", "0.6", "--json", "--tilt", "10,90").stdout)
    assert np.allclose(aside["gravity"][:2], [0.0, 9.80665 * np.sin(np.radians(10.0))])


def test_a_tilt_needs_weight():
    for words in (("--no-weight",), ("--wrench", "0,0,-5,0,0,0")):
        result = asked("@quadruped", "--mu", "0.6", "--tilt", "5", *words)
        assert result.exit_code == 2 and "--tilt: is given with" in result.stderr
