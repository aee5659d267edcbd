"""What the planar commands share: the list of ready scenes, wrong kinds, sets in words.

`holdfast motions`: statuses, sets by mode, changed loads, exit codes.

`holdfast torques`: sets in words and numbers, classified torques, exit codes.

`holdfast climb`: steps with torques and margins, pictures, and the reason when it is stuck.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.planar import Polyhedron
from holdfast.planar.command import cleaned, row_in_words, rows_in_words, tuple_in_words
from holdfast.planar.files import load_planar, planar_names

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.mark.parametrize(("command", "kinds"), [("motions", "body chain"), ("torques", "chain"), ("climb", "climb")])
def test_each_command_lists_the_ready_scenes_it_can_be_asked_about(run_json: RunJson, command, kinds):
    code, data = run_json(command, "--list")
    names = [f"@{name}" for kind in kinds.split() for name in planar_names(kind)]
    assert code == 0 and [scene["name"] for scene in data["scenes"]] == names
    assert all(len(scene["title"]) > 20 for scene in data["scenes"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["motions"], "holdfast motions --list"),
        (["motions", "@climb_straight"], "use: holdfast climb"),
        (["torques", "@ladder"], "use: holdfast motions"),
        (["climb", "@two_link_snake"], "use: holdfast torques"),
        (["torques", "@two_link_snke"], "did you mean '@two_link_snake'"),
        (["torques", "nowhere.yaml"], "no such file"),
        (["motions", "@ladder", "--plot", "ladder.txt"], ".png"),
        (["climb", "@climb_straight", "--plot", "climb.mp4"], ".png"),
    ],
)
def test_bad_questions_end_with_code_2_and_say_what_would_be_right(run: Run, words, message):
    result = run(*words)
    assert result.exit_code == 2 and message in result.stderr


def test_rows_are_told_as_one_would_write_them():
    assert row_in_words(np.array([-2.0]), 0.4, ">=") == "tau_1 <= -0.2"
    assert row_in_words(np.array([0.0, 3.0]), 0.0, ">") == "tau_2 > 0"
    assert row_in_words(np.array([1.0, -0.5, 0.0]), 1.0, ">=") == "tau_1 - 0.5 tau_2 >= 1"
    assert row_in_words(np.array([-1.0, 1.0]), 2.0, "=") == "-tau_1 + tau_2 = 2"
    assert rows_in_words(Polyhedron(dimension=2)) == ["every torque"]
    band = Polyhedron([[1.0, 0.0]], [2.0], [[0.0, 1.0]], [3.0], strict=[True])
    assert rows_in_words(band) == ["tau_1 > 2", "tau_2 = 3"]


def test_numbers_for_tables_lose_their_rounding():
    assert cleaned(np.array([1.0, 1e-16, -1e-13])).tolist() == [1.0, 0.0, 0.0]
    assert tuple_in_words([1.0, 2.5]) == "(1, 2.5)" and tuple_in_words([0.25]) == "0.25"


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["@three_points"], 0, "unique"),
        (["@painleve_rod"], 1, "inconsistent"),
        (["@painleve_rod_turning"], 1, "finite"),
        (["@painleve_rod", "--mu", "1.3"], 0, "unique"),  # below 4/3
        (["@three_points", "--velocity", "0,-1,0"], 3, "impact"),
        (["@three_points", "--force=0,1,0"], 0, "unique"),
    ],
)
def test_the_exit_code_says_whether_one_motion_is_possible(run_json: RunJson, words, code, status):
    found, data = run_json("motions", *words)
    assert (found, data["status"]) == (code, status)


def test_json_holds_the_sets_of_accelerations_and_reactions(run_json: RunJson):
    _, data = run_json("motions", "@peg_wedged")
    scene = load_planar("@peg_wedged")
    answer = scene.motions()
    assert [mode["mode"] for mode in data["modes"]] == list(answer.modes)
    for mode in data["modes"]:
        piece = answer.modes[mode["mode"]]
        assert np.allclose(mode["accelerations"]["vertices"], piece.vertices)
        assert np.allclose(np.array(mode["forces"]["rays"]).reshape(-1, 4), piece.forces.rays)
        # Newton's law, from the numbers of the JSON alone.
        for force in mode["forces"]["vertices"]:
            pairs = np.array(force).reshape(-1, 2)
            total = scene.force[:2].copy()
            for contact, (ft, fn) in zip(scene.contacts, pairs, strict=True):
                total += ft * contact.tangent + fn * contact.normal
            assert np.allclose(total / scene.body.mass, mode["accelerations"]["vertices"][0][:2], atol=1e-9 * 1e3)


def test_an_impact_names_the_contacts_that_are_run_into(run_json: RunJson, run: Run):
    _, data = run_json("motions", "@three_points", "--velocity", "0,0,-1")
    assert data["impacts"] == ["right"] and data["modes"] == []
    assert "contacts with impact: right" in run("motions", "@three_points", "--velocity", "0,0,-1").stdout


def test_tables_tell_modes_motions_and_letters(run: Run):
    result = run("motions", "@block_on_incline", "--mu", "0.4")
    along = 9.81 * (5.0 - 0.4 * 12.0) / 13.0
    assert result.exit_code == 0
    assert "block on an incline: unique" in result.stdout and "RR" in result.stdout
    assert f"{12 / 13 * along:.5g}" in result.stdout
    assert "R slides right" in result.stdout
    assert "e-1" not in result.stdout  # no rounding is shown as a number


def test_chains_are_asked_under_torques(run_json: RunJson, run: Run):
    code, data = run_json("motions", "@two_link_snake_ambiguous")
    assert code == 1 and {mode["mode"] for mode in data["modes"]} == {"FFF", "SFF", "LRL"}
    code, data = run_json("motions", "@two_link_snake_ambiguous", "--torque=-0.3")
    assert code == 0 and [mode["mode"] for mode in data["modes"]] == ["FFF"]
    assert run("motions", "@two_link_snake", "--torque", "1,2").exit_code == 2
    assert run("motions", "@two_link_snake", "--force", "1,2,3").exit_code == 2
    assert run("motions", "@ladder", "--torque", "1").exit_code == 2


def test_pictures_of_bodies_and_chains(run: Run, tmp_path: Path):
    for name in ("@painleve_rod_turning", "@two_link_snake"):
        path = tmp_path / f"{name[1:]}.png"
        run("motions", name, "--plot", path)
        assert path.stat().st_size > 5000


def test_a_body_that_touches_nothing_is_said_to_fall(run: Run, run_json: RunJson, tmp_path: Path):
    path = tmp_path / "falling.yaml"
    path.write_text(
        "holdfast: 1\nplanar: body\nmu: 0.5\nbody: {mass: 1, outline: [[0, 0.3], [1, 0.3], [1, 1], [0, 1]]}\n"
        "obstacles: [{ground: {extent: 3}}]\n",
        encoding="utf-8",
    )
    assert "no contact: it falls freely; the nearest obstacle is 0.3 m away" in run("motions", path).stdout
    assert run_json("motions", path)[1]["gap"] == pytest.approx(0.3)
    assert run_json("motions", "@three_points")[1]["gap"] is None


def test_greenfields_two_links_in_words(run: Run):
    result = run("torques", "@two_link_snake")
    assert result.exit_code == 0
    assert "two-link snake, mode FFF: unambiguous" in result.stdout
    assert "tau_1 <= -0.1926" in result.stdout


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["@two_link_snake_ambiguous"], 0, "partly ambiguous"),
        (["@two_link_snake", "--mode", "SSS"], 0, "unambiguous"),
        (["@two_link_snake", "--mu", "0"], 1, "infeasible"),
        (["@five_link_brace"], 0, "unambiguous"),
    ],
)
def test_the_exit_code_says_whether_some_torque_is_unique(run_json: RunJson, words, code, status):
    found, data = run_json("torques", *words)
    assert (found, data["status"]) == (code, status)


def test_given_torques_are_classified_with_an_example_of_every_other_motion(run_json: RunJson, run: Run):
    code, data = run_json("torques", "@two_link_snake_ambiguous", "--classify=-0.05", "--classify", "-0.5")
    weak, strong = data["classified"]
    assert code == 1 and weak["verdict"] == "ambiguous" and strong["verdict"] == "unique"
    assert {other["mode"] for other in weak["others"]} == {"SFF", "LRL"}
    system = load_planar("@two_link_snake_ambiguous").system()
    for other in weak["others"]:  # Newton's law for each example
        a, f = np.array(other["accelerations"]), np.array(other["forces"])
        sides = system.mass_matrix @ a, system.bias + system.selector @ [-0.05] + system.jacobian.T @ f
        assert np.allclose(*sides, atol=1e-9)
    assert run("torques", "@two_link_snake_ambiguous", "--classify=-0.5").exit_code == 0


def test_json_holds_rows_and_corners_of_every_set(run_json: RunJson):
    _, data = run_json("torques", "@six_link_snake")
    feasible = data["feasible"]
    A, b, C, d = (np.array(feasible[key]) for key in "AbCd")
    assert feasible["dimension"] == 3 and A.shape[1] == 5 and len(C) == 2
    for vertex in np.array(feasible["vertices"]):
        assert (A @ vertex >= b - 1e-9).all() and np.allclose(C @ vertex, d, atol=1e-9)
    deepest = np.array(data["deepest"]["torque"])
    assert (A @ deepest > b).all() and data["deepest"]["radius"] == "inf"
    # The sample that the paper prints, within its rounding to two digits (the set is flat in two directions).
    sample = np.array([-0.15, -0.58, -1.20, -0.70, -0.30])
    assert np.abs(C @ sample - d).max() < 0.01 and (A @ sample > b - 0.01).all()


def test_what_the_answer_is_sure_against_is_told(run_json: RunJson):
    assert any("certified box" in line for line in run_json("torques", "@five_link_brace_moving")[1]["robust"])
    lines = run_json("torques", "@two_link_snake_uncertain")[1]["robust"]
    assert any("0.25 to 0.4" in line for line in lines) and any("box of postures" in line for line in lines)


def test_torques_over_a_box_are_proven_refuted_or_undecided(run_json: RunJson, run: Run):
    name = "@two_link_snake_uncertain"
    code, data = run_json("torques", name)
    low, high = data["unique"][0]["vertices"][0][0], data["posture_box"]["outer"]["unique"][0]["vertices"][0][0]
    assert code == 0 and data["status"] == "proven" and low < high
    assert data["posture_box"]["gap"] == pytest.approx(high - low)
    for torque, code, word in (
        (low - 0.01, 0, "unique"),
        (0.5 * (low + high), 3, "undecided"),
        (-0.1, 1, "infeasible"),
    ):
        found = run_json("torques", name, f"--classify={torque}")
        assert found[0] == code and found[1]["classified"][0]["verdict"] == word
    text = run("torques", name).stdout
    assert "in every posture of the box" in text and "T* of the postures tried" in text


def test_bad_modes_and_torques_are_refused(run: Run):
    for words in (["--mode", "FF"], ["--mode", "FFX"], ["--classify", "1,2"], ["--classify", "x"]):
        result = run("torques", "@two_link_snake", *words)
        assert result.exit_code == 2 and words[0] in result.stderr


def test_a_velocity_into_the_wall_is_an_impact(run: Run, tmp_path: Path):
    text = load_planar("@two_link_snake").path.read_text(encoding="utf-8")  # type: ignore[union-attr]
    path = tmp_path / "falling.yaml"
    path.write_text(text + "qd: [1.0, 0.0, 0.0, 0.0]\n", encoding="utf-8")
    result = run("torques", path)
    assert result.exit_code == 3 and "impact" in result.stdout


@pytest.mark.parametrize("name", ["two_link_snake_ambiguous", "three_link_snake"])
def test_pictures_of_one_and_two_torques(run: Run, tmp_path: Path, name):
    path = tmp_path / "sets.png"
    run("torques", f"@{name}", "--plot", path)
    assert path.stat().st_size > 5000


def test_margins_printed_are_those_of_the_torques_printed(run: Run, run_json: RunJson):
    _, data = run_json("torques", "@six_link_snake")
    deepest = data["deepest"]
    answer = load_planar("@six_link_snake").torque_sets()
    assert deepest["margin"] == pytest.approx(float(answer.margin(deepest["torque"]))) and deepest["radius"] == "inf"
    assert "no limit" not in run("torques", "@six_link_snake").stdout


def test_a_climb_reaches_its_goal_by_verified_steps_and_can_be_seen(run_json: RunJson, tmp_path: Path):
    still = tmp_path / "still.png"
    code, data = run_json("climb", "@climb_straight", "--goal", "0.05", "--plot", still)
    assert code == 0 and data["status"] == "reached" and data["verified"]
    assert data["lowest_contact"][-1] >= 0.05 and len(data["steps"]) == 2
    assert data["margin"] >= 0.1 - 1e-9
    for step in data["steps"]:  # links keep their lengths, bracing nodes their places
        nodes = np.array(step["nodes"])
        assert np.allclose(np.linalg.norm(np.diff(nodes, axis=1), axis=2), 0.127)
        for contact in step["contacts"]:
            assert np.allclose(nodes[:, contact["node"]], contact["point"], atol=1e-9)
    assert still.stat().st_size > 5000


def test_a_stuck_climb_says_why_and_ends_with_code_1(run: Run):
    result = run("climb", "@climb_slippery")
    assert result.exit_code == 1
    assert "slippery channel: stuck" in result.stdout
    assert "no brace found at the start, 0 m because" in result.stdout


def test_friction_can_be_changed(run: Run):
    assert load_planar("@climb_straight").options["mu"] == 0.3  # type: ignore[union-attr]
    assert run("climb", "@climb_straight", "--mu", "0").exit_code == 1


def test_folders_are_looked_at_before_the_work(run: Run, tmp_path: Path):
    result = run("climb", "@climb_straight", "--plot", tmp_path / "none" / "climb.png")
    assert result.exit_code == 2 and "folder" in result.stderr


def test_friction_given_replaces_an_interval_of_the_file(run_json: RunJson, tmp_path: Path):
    text = load_planar("@climb_straight").path.read_text(encoding="utf-8")  # type: ignore[union-attr]
    path = tmp_path / "uncertain.yaml"
    path.write_text(text + "friction: [0.3, 0.35]\n", encoding="utf-8")
    code, data = run_json("climb", path, "--mu", "0.5", "--goal", "0.01")
    assert code == 0 and data["verified"] and data["steps"][0]["contacts"][0]["mu"] == 0.5


def test_a_climb_that_cannot_begin_has_no_posture(run_json: RunJson):
    code, data = run_json("climb", "@climb_slippery")
    assert code == 1 and not data["verified"] and data["lowest_contact"] == [] and data["steps"] == []
