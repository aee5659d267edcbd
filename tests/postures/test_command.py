from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.geometry.frames import frame_from_normal
from holdfast.geometry.polytopes import Polytope
from holdfast.postures.command import motion_words

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

BETWEEN = """\
holdfast: 1
body: {mass: 1.0}
gravity: [0, 0, -10]
grips:
  learned:
    inner: [[0, 0, 0, 0, 0, 0], [0, 0, 8, 0, 0, 0]]
    outer: [[1,0,0,0,0,0,0], [-1,0,0,0,0,0,0], [0,1,0,0,0,0,0], [0,-1,0,0,0,0,0], [0,0,1,0,0,0,12], [0,0,-1,0,0,0,0],
      [0,0,0,1,0,0,0], [0,0,0,-1,0,0,0], [0,0,0,0,1,0,0], [0,0,0,0,-1,0,0], [0,0,0,0,0,1,0], [0,0,0,0,0,-1,0]]
hands:
  - {name: pole, grip: learned, position: [0, 0, 0]}
"""


@pytest.fixture
def between(tmp_path: Path) -> Path:
    """One hand under the mass that lifts 8 N (inner) to 12 N (outer); the weight is 10 N."""
    path = tmp_path / "between.yaml"
    path.write_text(BETWEEN, encoding="utf-8")
    return path


def test_a_posture_that_holds_balances_in_the_world(run_json: RunJson) -> None:
    code, data = run_json("posture", "@tripod_on_flat_ground")
    assert (code, data["status"], data["holds"], data["proof_verified"]) == (0, "holds", True, True)
    assert data["certainty"] is None
    total = np.sum([hand["world_wrench"] for hand in data["hands"]], axis=0)
    assert np.allclose(total + data["wrench"], 0.0, atol=1e-9)
    normals = [hand["wrench"][2] for hand in data["hands"]]
    assert np.allclose(normals, [49.03325, 34.323275, 34.323275])  # the lever law
    assert (data["scale_min"], data["scale_max"]) == (0, "inf")
    assert data["margins"]["cross_polytope"]["newtons"] > 0.0


def test_a_posture_that_fails_has_exit_code_1_and_a_motion(run_json: RunJson, run: Run) -> None:
    code, data = run_json("posture", "@climber_with_tired_hands")
    assert (code, data["status"], data["proof_verified"], data["margins"]) == (1, "does not hold", True, {})
    y, w = np.array(data["separating"]["wrench"]), np.array(data["wrench"])
    assert -y @ w > 0.0  # the load does work in the motion -y
    assert 0.0 < data["scale_max"] < 1.0
    text = run("posture", "@climber_with_tired_hands").stdout
    assert "verdict: does not hold" in text
    assert "separating motion: the body turns about" in text


def test_loads_and_wrenches(run_json: RunJson) -> None:
    assert run_json("posture", "@tripod_on_flat_ground", "--load", "push")[0] == 0
    assert run_json("posture", "@tripod_on_flat_ground", "--load", "shove")[0] == 1
    code, data = run_json("posture", "@tripod_on_flat_ground", "--wrench=0,0,-1,0,0,0")
    assert (code, data["load"]) == (0, "the wrench given")
    code, data = run_json("posture", "@climber_on_overhang", "--load", "rope", "--no-weight")
    assert data["load"] == "rope"
    code, data = run_json("posture", "@tripod_on_flat_ground", "--gravity", "9,0,-9")
    assert code == 1  # 45 degrees: more than friction
    assert data["gravity"] == [9, 0, -9]


def test_inner_and_outer_bounds_leave_it_uncertain(run_json: RunJson, run: Run, between: Path) -> None:
    code, data = run_json("posture", between)
    assert (code, data["status"], data["certainty"]) == (3, "undecided", "uncertain")
    assert data["scale_max"] == pytest.approx(0.8)
    assert data["outer_scale_max"] == pytest.approx(1.2)
    assert run_json("posture", between, "--inner")[0] == 1
    assert run_json("posture", between, "--outer")[0] == 0
    assert "uncertain: the outer sets of the hands are sufficient" in run("posture", between).stdout
    code, data = run_json("posture", between, "--gravity", "0,0,-7")
    assert (code, data["certainty"]) == (0, "certainly")
    code, data = run_json("posture", between, "--gravity", "0,0,-13")
    assert (code, data["certainty"]) == (1, "certainly not")


def test_a_hand_that_can_give_nothing_is_named(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    broken = "{halfspaces: [[1,0,0,0,0,0,-1], [-1,0,0,0,0,0,-1]]}"
    path.write_text(
        f"holdfast: 1\nbody: {{mass: 1.0}}\ngrips: {{no: {broken}, toe: {{coulomb: {{mu: 0.6}}}}}}\n"
        "hands: [{name: left, grip: no, position: [0, 0, 0]}, {name: right, grip: toe, position: [0, 0, 0]}]\n",
        encoding="utf-8",
    )
    code, data = run_json("posture", path)
    assert (code, data["hands_without_wrench"], data["separating"]) == (1, ["left"], None)
    for command in ("posture", "support"):
        text = run(command, path).stdout
        assert "left can apply no wrench, not even zero" in text
        assert "shifts along" not in text
    assert run_json("posture", "@tripod_on_flat_ground")[1]["hands_without_wrench"] == []


def test_no_weight_is_said_where_gravity_is_zero(run: Run) -> None:
    result = run("posture", "@tripod_on_flat_ground", "--gravity", "0,0,0")
    assert "load: no weight (gravity is zero)" in result.stdout


def test_what_bears_everything_has_no_limit_in_any_direction(run: Run, run_json: RunJson) -> None:
    code, data = run_json("posture", "@braced_in_a_chimney", "--ball")
    assert (code, data["margins"]["ball"]["newtons"], data["margins"]["ball"]["upper_bound"]) == (0, "inf", "inf")
    assert "additional load in any direction: no limit" in run("posture", "@braced_in_a_chimney", "--ball").stdout


def test_ready_postures_are_listed_and_the_schema_printed(run: Run, run_json: RunJson) -> None:
    assert "@quadruped_on_rock" in run("posture", "--list").stdout
    assert len(run_json("posture", "--list")[1]["postures"]) >= 5
    assert json.loads(run("posture", "--schema").stdout)["title"] == "Holdfast posture"


def test_a_picture_is_written(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "posture.png"
    assert run("posture", "@tripod_on_flat_ground", "--plot", picture).exit_code == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "POSTURE: is missing"),
        (("@suction_cup",), "is a ready scene, not a posture"),
        (("@tripod_on_flat_ground", "--load", "pull"), "no load 'pull'"),
        (("@tripod_on_flat_ground", "--inner", "--outer"), "--outer: is given with --inner"),
        (("@tripod_on_flat_ground", "--plot", "a.gif"), "--plot writes"),
        (("@tripod_on_flat_ground", "--plot", "none/a.png"), "its folder does not exist"),
        (("@braced_in_a_chimney", "--load", "push"), "there is no load 'push'; the file defines no loads"),
        (("@tripod_on_flat_ground", "--no-weight"), "there is no load left"),
        (("@tripod_on_flat_ground", "--load", "push", "--wrench=0,0,1,0,0,0"), "the total load"),
    ],
)
def test_bad_questions_have_exit_code_2(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("posture", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_motion_in_words() -> None:
    com = np.array([0.0, 0.0, 1.0])
    assert motion_words(np.array([0, 0, -2.0]), np.zeros(3), com, 0.5) == "the body shifts along (0, 0, -1)"
    # Turning about y through the origin moves the top along +x.
    words = motion_words(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), com, 0.5)
    assert words == "the body turns about (0, 1, 0) through (0, 0, 0) m"
    words = motion_words(np.array([1.0, 0.25, 0]), np.array([0, 1.0, 0]), com, 0.5)
    assert words.endswith("and shifts 0.25 m per radian along it")
    turned = frame_from_normal([1.0, 2.0, 3.0])
    words = motion_words(turned @ [1.0, 0, 0], turned @ [0, 1.0, 0], turned @ com, 0.5)
    assert words.endswith("through (0, 0, 0) m")


TRIPOD = "@tripod_on_flat_ground"


def test_a_tripod_on_flat_ground_may_lean_over_its_triangle(run_json: RunJson) -> None:
    code, data = run_json("support", TRIPOD)
    region = data["regions"]["exact"]
    assert (code, data["com_is"], region["kind"], region["proof_verified"]) == (0, "inside", "polygon", True)
    assert region["area"] == pytest.approx(0.18)
    corners = sorted(map(tuple, np.round(region["vertices"], 9).tolist()))
    assert corners == [(-0.2, -0.3), (-0.2, 0.3), (0.4, 0.0)]
    # Distance of (0.05, 0) from the line through (0.4, 0) and (-0.2, 0.3): normal (1, 2)/sqrt(5), offset 0.4/sqrt(5).
    assert region["signed_distance"] == pytest.approx(0.35 / np.sqrt(5.0))
    assert len(region["limit"]["hands"]) == 1  # the foot that lifts off


def test_tilted_gravity_is_given_as_a_vector_or_by_an_angle(run_json: RunJson) -> None:
    _, by_angle = run_json("support", TRIPOD, "--tilt", "10,90")
    angle = np.radians(10.0)
    assert np.allclose(by_angle["gravity"], 9.80665 * np.array([0.0, np.sin(angle), -np.cos(angle)]))
    text = ",".join(repr(x) for x in by_angle["gravity"])
    _, by_vector = run_json("support", TRIPOD, "--gravity", text)
    assert np.allclose(by_angle["regions"]["exact"]["vertices"], by_vector["regions"]["exact"]["vertices"])
    assert np.allclose(np.array(by_angle["axes"]) @ by_angle["gravity"], 0.0, atol=1e-12)


def test_a_load_beside_the_weight_moves_the_region_as_statics_says(run_json: RunJson, run: Run) -> None:
    _, plain = run_json("support", TRIPOD)
    code, pushed = run_json("support", TRIPOD, "--load", "push")
    # 25 N along x at a height of 0.5 m tip the tripod as its weight would, moved by their torque over the weight.
    shift = 25.0 * 0.5 / (plain["mass"] * 9.80665)
    triangle = np.array(plain["regions"]["exact"]["vertices"]) - [shift, 0.0]
    region = pushed["regions"]["exact"]
    # A foot that bears almost nothing gives no friction either, so corners of the moved triangle are cut off.
    assert Polytope(triangle).contains(np.array(region["vertices"])).all() and region["proof_verified"]
    assert 0.5 * 0.18 < region["area"] < 0.18
    assert min(x for x, _ in region["vertices"]) == pytest.approx(triangle[:, 0].min())
    assert code == 0 and pushed["loads"] == ["push"]
    assert "in addition to the weight: push" in run("support", TRIPOD, "--load", "push").output
    assert run("support", TRIPOD, "--load", "pusch").exit_code == 2


def test_the_centre_of_mass_outside_has_exit_code_1(run_json: RunJson, run: Run) -> None:
    code, data = run_json("support", "@climber_with_tired_hands")
    region = data["regions"]["exact"]
    assert (code, data["com_is"], region["contains_com"]) == (1, "outside", False)
    assert region["signed_distance"] < 0.0
    text = run("support", "@climber_with_tired_hands").stdout
    assert "m outside" in text
    assert "nearest border: towards" in text


def test_the_papers_sampling_lies_on_either_side_of_the_exact_region(run_json: RunJson) -> None:
    exact = run_json("support", "@quadruped_on_rock")[1]["regions"]["exact"]["area"]
    found = run_json("support", "@quadruped_on_rock", "--directions", "8")[1]["regions"]
    assert found["inner"]["area"] < exact < found["outer"]["area"]


def test_whole_planes_and_nothing_are_legal_answers(run_json: RunJson, run: Run, tmp_path: Path) -> None:
    code, data = run_json("support", "@braced_in_a_chimney")
    region = data["regions"]["exact"]
    assert (code, region["kind"], region["signed_distance"], region["limit"]) == (0, "plane", "inf", None)
    weak = tmp_path / "weak.yaml"
    weak.write_text(
        "holdfast: 1\nbody: {mass: 10}\ngrips: {g: {vertices: [[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]}}\n"
        "hands: [{grip: g, position: [0, 0, 0]}, {grip: g, position: [1, 0, 0]}]\n",
        encoding="utf-8",
    )
    code, data = run_json("support", weak)
    assert (code, data["regions"]["exact"]["kind"], data["regions"]["exact"]["area"]) == (1, "empty", 0)
    assert "empty: it holds nowhere" in run("support", weak).stdout


def test_bounds_have_two_regions_and_a_place_between(run_json: RunJson, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "between.yaml"
    box = [[*row, b] for row, b in zip(np.vstack([np.eye(6), -np.eye(6)]).tolist(), [0, 0, 90] + [0] * 9, strict=True)]
    path.write_text(
        f"holdfast: 1\nbody: {{mass: 10, com: [0.1, 0, 0]}}\ngravity: [0, 0, -10]\n"
        f"grips: {{g: {{inner: [[0,0,0,0,0,0], [0,0,55,0,0,0]], outer: {box}}}}}\n"
        "hands: [{name: a, grip: g, position: [-0.5, 0, 0]}, {name: b, grip: g, position: [0.5, 0, 0]}]\n",
        encoding="utf-8",
    )
    code, data = run_json("support", path)
    # 100 N on two hands of at most 55 N (90 N): x from -0.05 to 0.05 (-0.4 to 0.4).
    assert (code, data["com_is"]) == (3, "between inner and outer")
    for side, reach in (("inner", 0.05), ("outer", 0.4)):
        region = data["regions"][side]
        assert region["kind"] == "segment"
        assert np.allclose(sorted(np.array(region["vertices"])[:, 0]), [-reach, reach])
    assert run_json("support", path, "--outer")[0] == 0
    picture = tmp_path / "region.svg"
    run("support", path, "--plot", picture)
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((TRIPOD, "--tilt", "ten"), "--tilt"),
        ((TRIPOD, "--gravity", "0,0,0"), "gravity"),
        ((TRIPOD, "--directions", "2"), "n: is 2"),
        ((TRIPOD, "--gravity", "1,0,0", "--tilt", "5,0"), "is parallel to gravity"),
        (("@tripod_on_flat_grund",), "did you mean"),
        ((TRIPOD, "--inner", "--outer"), "--outer: is given with --inner"),
        ((TRIPOD, "--plot", "none/a.png"), "its folder does not exist"),
        (("@braced_in_a_chimney", "--load", "push"), "there is no load 'push'; the file defines no loads"),
    ],
)
def test_bad_questions_about_regions_have_exit_code_2(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("support", *words)
    assert result.exit_code == 2
    assert message in result.stderr
