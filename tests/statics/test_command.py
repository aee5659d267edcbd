from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.errors import SolverError
from holdfast.scenes import Scene, load_scene
from holdfast.statics import command as module
from holdfast.statics.command import MOST_ROWS
from holdfast.statics.holding import stats_data
from holdfast.statics.paths import GravityTask
from holdfast.statics.solver import WarmSolver

WEIGHT = 0.3 * 9.80665


@pytest.fixture
def scene(hooks: Path) -> Scene:
    return load_scene(hooks)


@pytest.mark.parametrize("method", [hf.solvers.Exact(), hf.solvers.Reference()], ids=["exact", "reference"])
def test_an_asker_answers_what_the_library_does_from_assembly_to_assembly(
    scene: Scene, method: hf.solvers.Exact
) -> None:
    asker = WarmSolver(method)
    tilted = scene.assembly.moved(hf.Pose(hf.rotation_about((1, 0, 0), 0.1), (0, 0, 0)))
    for assembly in (scene.assembly, tilted, scene.assembly):
        for load in (scene.load("pull"), 8.0 * scene.load("pull"), scene.load("aside")):
            held, limit = asker.equilibrium(assembly, load), asker.load_limit(assembly, load)
            assert held.assembly is assembly and limit.assembly is assembly
            assert held.status is hf.equilibrium(assembly, load).status and held.verify()
            assert limit.value == pytest.approx(hf.load_limit(assembly, load).value, rel=2e-6) and limit.verify()


def test_effort_as_data_has_every_count(scene: Scene) -> None:
    data = stats_data(hf.equilibrium(scene.assembly, scene.load("pull")).effort)
    assert set(data) == {"nodes", "programs", "pivots", "seconds", "stages", "referee"}
    assert data["nodes"] >= 1 and data["referee"] is False
    assert sum(data["stages"].values()) == pytest.approx(data["seconds"])


Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

KEYS = {
    "sentences", "factor", "is_least", "scale_interval", "prices_unique", "forces_unique", "from_contacts", "from_joints",
    "contacts", "joints", "interfaces", "gains", "motion", "separating_motion", "free_joints",
}  # fmt: skip

#: A slide that presses one foot with 5 to 20 N: with too little weight it is out of balance.
PRELOADED = """\
holdfast: 1
name: preloaded
object: {mass: 0.2}
volumes: {v: {model: coulomb, mu: 0.5}}
contacts: [{name: foot, position: [0, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: v}]
joints: [{name: lift, kind: slide, axis: [0, 0, 1], contacts: [foot], torque_min: 5, torque_max: 20}]
"""


def test_a_check_is_explained_in_words_and_tables(run: Run) -> None:
    result = run("check", "@suction_cup", "--explain")
    assert result.exit_code == 0
    for words in (
        "- It holds 2.266 times this load.",
        '- Contact "cup[0]" is at its limit (100 %), pulling 6.25 N; 1 % more strength there adds 0.25 %.',
        "Contacts at their limit",
        "1 % more strength adds",
    ):
        assert words in result.stdout
    assert "Why" not in run("check", "@suction_cup").stdout


@pytest.mark.parametrize(
    "words", ["check @suction_cup", "check @gecko_on_glass", "check @two_opposed_units", "check @measured_gripper"]
)
def test_a_gain_is_the_same_number_in_the_sentence_and_in_the_table(run: Run, words: str) -> None:
    text = run(*words.split(), "--explain").stdout
    said = re.findall(r'- (?:Contact|Joint) "([^"]+)" .* adds (\S+) %\.', text)
    assert said
    table = text[
        text.index(" at their limit\n") if " at their limit\n" in text else text.index("Joint rows at a bound") :
    ]
    for name, gain in said:
        (row,) = [line for line in table.splitlines() if line.startswith((f" {name} ", f" {name} ["))]
        assert re.search(rf"(?<!at most )\b{re.escape(gain)} %", row)


def test_forces_are_even_and_others_are_mentioned(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    _, data = run_json("check", "@block_on_three_points")
    shear = np.array([contact["local_force"][:2] for contact in data["contacts"]])
    assert shear == pytest.approx(np.zeros((3, 2)), abs=1e-9) and data["forces_unique"] is False
    assert "the contact forces are not unique; the most even ones are shown" in run("check", "@suction_cup").stdout
    scene = tmp_path / "one.yaml"
    scene.write_text(PRELOADED[: PRELOADED.index("joints")], encoding="utf-8")
    assert "other forces" not in run("check", scene).stdout  # a single foot: there is one choice alone


def test_a_load_just_beyond_the_limit_is_not_said_to_be_borne(run: Run, tmp_path: Path) -> None:
    scene = tmp_path / "edge.yaml"
    scene.write_text(
        "holdfast: 1\nvolumes: {v: {model: coulomb, mu: 0.5, cap: 100}}\n"
        "contacts: [{name: foot, position: [0, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: v}]\n",
        encoding="utf-8",
    )
    for force, said in (("100.001", "0.99999"), ("100.000005", "just less than 1"), ("125", "0.8")):
        result = run("check", scene, "--wrench", f"0,0,-{force},0,0,0", "--explain")
        assert result.exit_code == 1
        assert f"- It does not hold: it can hold {said} times this load." in result.stdout
        assert f"load factor: {said} (" in result.stdout


def test_a_limit_of_rounding_size_reads_zero(run: Run) -> None:
    row = next(
        line
        for line in run("limit", "@microspine_pull", "--direction", "0,0,-1").stdout.splitlines()
        if "0,0,-1" in line
    )
    assert row.split()[:5] == ["0,0,-1", "optimal", "0", "0", "-"]


def test_a_failed_check_says_what_lets_go(run: Run) -> None:
    result = run("check", "@suction_cup", "--load", "jerk", "--explain")
    assert result.exit_code == 1
    assert "- It does not hold: it can hold 0.5583 times this load." in result.stdout
    assert "- When the object " in result.stdout
    assert "the load does more work than contacts and joints can absorb" in result.stdout


def test_data_say_what_the_library_says(run_json: RunJson) -> None:
    code, data = run_json("check", "@gecko_on_glass", "--explain", "--gap", 1e-6)
    said = data["explanation"]
    assert code == 0 and set(said) == KEYS
    scene = hf.scenes.load_scene("@gecko_on_glass")
    diagnosis = hf.diagnose(hf.load_limit(scene.assembly, scene.gravity_load()))
    assert said["sentences"][0] == diagnosis.sentences[0]
    assert said["factor"] == pytest.approx(diagnosis.factor, rel=1e-5)
    assert said["from_contacts"] == pytest.approx(said["factor"], rel=1e-5)
    assert said["scale_interval"] is None and said["separating_motion"] is None
    first = said["contacts"][0]
    assert first["name"] == "upper left" and first["at_limit"] and first["utilisation"] == 1.0
    assert {"of", "side", "step", "unit", "gain"} == set(said["gains"][0])
    assert said["gains"][0]["unit"] == "%" and said["gains"][0]["side"] == "strength"


def test_without_the_option_nothing_is_explained(run_json: RunJson) -> None:
    _, data = run_json("check", "@suction_cup")
    assert "explanation" not in data
    _, data = run_json("limit", "@suction_cup", "--direction", "0,0,-1")
    assert "explanation" not in data["limits"][0]
    assert "load_sharing" not in data["limits"][0]


def test_an_explanation_ends_with_first_failure_peak_and_load_limit(run: Run, run_json: RunJson) -> None:
    scene = hf.scenes.load_scene("@suction_cup")
    shared = hf.load_sharing(scene.assembly, scene.gravity_load())
    assert shared.first_failure <= shared.peak <= hf.load_limit(scene.assembly, scene.gravity_load()).value
    said = run("check", "@suction_cup", "--explain").stdout.rstrip().splitlines()[-1]
    assert said == f"load sharing: {shared.bracket}; {100 * shared.efficiency:.3g} % of the limit; cup[0] fails first"
    _, data = run_json("check", "@suction_cup", "--explain")
    assert data["load_sharing"]["peak"] == pytest.approx(shared.peak)
    assert data["load_sharing"]["bracket"] in said
    _, data = run_json("limit", "@suction_cup", "--direction", "0,0,-1", "--explain")
    assert data["limits"][0]["load_sharing"]["peak"] == pytest.approx(50.0)  # one pull through the middle of the cup


def test_where_no_stiffness_is_known_the_explanation_says_how_to_give_one(run: Run, run_json: RunJson) -> None:
    said = run("check", "@measured_gripper", "--explain").stdout.rstrip().splitlines()[-1]
    assert said.startswith("load sharing: not known; stiffness: contact left D[0] has none")
    assert "holdfast share --stiffness" in said
    _, data = run_json("check", "@measured_gripper", "--explain")
    assert set(data["load_sharing"]) == {"unknown"}


def test_nothing_is_shared_without_a_load(run_json: RunJson) -> None:
    _, data = run_json("check", "@suction_cup", "--gravity", "0,0,0", "--explain")
    assert "load_sharing" not in data


def test_every_limit_is_explained(run: Run, run_json: RunJson) -> None:
    words = ["limit", "@suction_cup", "--direction", "0,0,-1", "--direction", "1,0,0", "--explain"]
    result = run(*words)
    assert result.exit_code == 0
    assert "What limits 0,0,-1" in result.stdout and "What limits 1,0,0" in result.stdout
    assert "- It holds 50 times this load." in result.stdout
    _, data = run_json(*words)
    assert [set(limit["explanation"]) for limit in data["limits"]] == [KEYS, KEYS]


def test_joints_at_a_bound_are_listed_with_their_prices(run: Run) -> None:
    result = run("limit", "@two_finger_gripper_d_d", "--load", "pull", "--explain")
    assert "Joint rows at a bound" in result.stdout
    assert "higher adds" in result.stdout


def test_a_load_that_is_too_small_is_told_with_the_interval(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "preloaded.yaml"
    path.write_text(PRELOADED, encoding="utf-8")
    code, data = run_json("check", path, "--explain", "--gap", 1e-6)
    said = data["explanation"]
    weight = 0.2 * 9.80665
    assert code == 1
    assert said["is_least"] is True
    assert said["scale_interval"] == pytest.approx([5.0 / weight, 20.0 / weight])
    assert said["sentences"][0].startswith("It does not hold: this load is too small")
    assert said["joints"][0]["at_lower"] is True and said["joints"][0]["unit"] == "N"


def test_long_tables_are_cut_and_counted(run: Run) -> None:
    result = run("limit", "@four_finger_hand_opposed", "--load", "pull", "--explain")
    assert f"and {48 - MOST_ROWS} more" in result.stdout


def test_the_picture_of_an_explained_check_is_the_use_of_contacts(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "use.svg"
    assert run("check", "@suction_cup", "--explain", "--plot", target).exit_code == 0
    assert "cup[3]" in target.read_text(encoding="utf-8")
    scene = tmp_path / "scene.svg"
    assert run("check", "@suction_cup", "--plot", scene).exit_code == 0
    assert "cup[3]" not in scene.read_text(encoding="utf-8")


def test_what_holds_nothing_is_explained_without_tables() -> None:
    cone = hf.models.coulomb(0.5)
    foot = hf.Assembly([hf.Contact([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], cone)])
    data = hf.diagnose(hf.equilibrium(foot, [0, 0, -1.0, 0, 0, 0])).to_dict()
    assert data["sentences"] == ("It holds any multiple of this load.",)
    assert data["gains"] == [] and data["motion"] is None


COMMAND_CHECK_KEYS = {
    "command", "scene", "load", "wrench", "gravity", "method", "status", "holds", "proof_verified", "residual",
    "load_factor", "load_factor_status", "load_factor_upper_bound", "contacts", "joints", "separating_motions", "effort",
    "load_factor_effort", "forces_unique", "warnings", "interfaces", "largest_use", "polygons", "walls_without_friction", "free_pads",
}  # fmt: skip


def test_a_block_that_holds(run_json: RunJson) -> None:
    code, data = run_json("check", "@block_on_three_points")
    assert code == 0
    assert set(data) == COMMAND_CHECK_KEYS
    assert (data["status"], data["holds"], data["proof_verified"]) == ("holds", True, True)
    assert data["load_factor"] == data["load_factor_upper_bound"] == "inf"
    forces = np.array([contact["force"] for contact in data["contacts"]])
    assert np.allclose(forces.sum(axis=0), [0, 0, 2 * 9.80665], atol=1e-6)
    assert np.allclose(forces[:, 2], [9.80665, 4.903325, 4.903325], atol=1e-6)
    keys = {"name", "position", "force", "local_force", "piece", "use_percent", "margin_newtons"}
    assert set(data["contacts"][0]) == keys
    assert data["residual"] < 1e-9


def test_a_block_that_slips(run_json: RunJson) -> None:
    code, data = run_json("check", "@block_on_three_points", "--load", "shove")
    assert code == 1
    assert (data["status"], data["holds"], data["residual"]) == ("does not hold", False, None)
    assert data["proof_verified"] is True
    assert len(data["separating_motions"][0]) == 6
    assert set(data["contacts"][0]) == {"name", "position"}


def test_an_answer_cut_short_is_undecided(run_json: RunJson, hooks: Path, between: str) -> None:
    assert run_json("check", hooks, between)[0] == 1
    code, data = run_json("check", hooks, between, "--node-limit", 1)
    assert code == 3
    assert (data["status"], data["holds"], data["proof_verified"]) == ("undecided", False, False)


def test_the_load_factor_is_that_of_the_library(run_json: RunJson, hooks: Path) -> None:
    scene = hf.scenes.load_scene(hooks)
    limit = hf.load_limit(scene.assembly, scene.gravity_load())
    for gap in (1e-6, 1e-2):
        _, data = run_json("check", hooks, "--gap", gap)
        assert data["load_factor"] == pytest.approx(limit.value, rel=2 * gap)
        assert data["load_factor"] <= limit.upper_bound * (1 + 1e-9)
    _, data = run_json("check", hooks)
    assert data["load_factor"] == pytest.approx(limit.value, rel=2e-6)


@pytest.mark.parametrize("method", ["exact", "bracket", "reference", "paper", "big-m", "hull-milp"])
def test_every_method_answers_the_same(run_json: RunJson, hooks: Path, method: str) -> None:
    code, data = run_json("check", hooks, "--method", method)
    assert (code, data["status"], data["method"]) == (0, "holds", method)
    scene = hf.scenes.load_scene(hooks)
    forces = np.array([contact["force"] for contact in data["contacts"]])
    assert np.allclose(scene.assembly.wrench_matrix @ forces.ravel(), -scene.gravity_load(), atol=1e-8)
    limit = hf.load_limit(scene.assembly, scene.gravity_load()).value
    assert data["load_factor"] <= limit * (1 + 1e-6) + 1e-9
    assert data["load_factor_upper_bound"] >= limit * (1 - 1e-6)


def test_a_method_that_cannot_decide_says_so(run_json: RunJson, hooks: Path, between: str) -> None:
    code, data = run_json("check", hooks, between, "--method", "hull")
    assert (code, data["status"], data["proof_verified"]) == (3, "undecided", False)


def test_effort_tells_nodes_programs_pivots_and_stages(run_json: RunJson, hooks: Path) -> None:
    _, data = run_json("check", hooks)
    for effort in (data["effort"], data["load_factor_effort"]):
        assert set(effort) == {"nodes", "programs", "pivots", "seconds", "stages", "referee"}
        assert effort["programs"] >= effort["nodes"] >= 1 and effort["pivots"] >= 1
        assert set(effort["stages"]) == {"prepare", "search"} and effort["referee"] is False


def test_use_of_a_bounded_volume_round_zero_is_the_share_of_the_limit_in_that_direction(
    run_json: RunJson, tmp_path: Path
) -> None:
    path = tmp_path / "magnets.yaml"
    feet = "".join(
        f"  - {{position: [{x}, {y}, 0], normal: [0, 0, 1], volume: foot}}\n" for x, y in ((0, 0), (1, 0), (0, 1))
    )
    volume = "volumes: {foot: {model: magnet, attraction: 30, mu: 0.5, cap: 100}}"
    path.write_text(f"holdfast: 1\n{volume}\ncontacts:\n{feet}", encoding="utf-8")
    _, data = run_json("check", path, "--wrench", "5,3,20,4,-3,1")
    volume = hf.scenes.load_scene(path).assembly.contacts[0].volume
    for contact in data["contacts"]:
        force = np.array(contact["local_force"])
        assert volume.contains(force * 100 / contact["use_percent"] * (1 - 1e-6))
        assert not volume.contains(force * 100 / contact["use_percent"] * (1 + 1e-6))


def test_use_in_friction_cones_is_that_of_the_closed_form(run_json: RunJson) -> None:
    _, data = run_json("check", "@block_on_three_points")
    normals, offsets = (
        hf.scenes.load_scene("@block_on_three_points").assembly.contacts[0].volume.polytopes[0].halfspaces
    )
    assert not offsets.any()
    for contact in data["contacts"]:
        x, y, z = contact["local_force"]
        use = max(0.0, float((normals[:, :2] @ [x, y] / (-normals[:, 2] * z)).max()))  # shear over its limit, by facets
        assert contact["use_percent"] == pytest.approx(100.0 * use, rel=1e-5)
        assert (contact["margin_newtons"] == 0.0) is (contact["use_percent"] == 100.0)


def test_joint_rows_are_within_their_limits(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "gripper.yaml"
    text = "holdfast: 1\nvolumes: {u: {model: gecko_two_way, shear: 40}}\ndevice: {kind: 4FH, unit: u}\n"
    path.write_text(text, encoding="utf-8")
    code, data = run_json("check", path, "--gravity", "0,0,9.81")
    assert code == 0
    assert len(data["joints"]) == 12
    for row in data["joints"]:
        assert row["lower"] - 1e-6 <= row["value"] <= row["upper"] + 1e-6


def test_tables_have_units_and_verdict(run: Run) -> None:
    result = run("check", "@suction_cup")
    assert result.exit_code == 0
    for words in (
        "verdict: holds",
        "load factor: 2.2",
        "normal f_z [N]",
        "use [%]",
        "cup[7]",
        "proof verified: yes",
        "effort:",
    ):
        assert words in result.stdout
    failed = run("check", "@suction_cup", "--load", "jerk")
    assert failed.exit_code == 1
    assert "verdict: does not hold" in failed.stdout
    assert "no admissible forces" in failed.stdout


def test_a_picture_is_written(run: Run, hooks: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.png"
    assert run("check", hooks, "--plot", target).exit_code == 0
    assert target.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["@block"], "no ready scene"),
        (["none.yaml"], "no such file"),
        (["@block_on_three_points", "--load", "posh"], "did you mean 'push'"),
        (["@block_on_three_points", "--gravity", "1,2"], "--gravity: got 2 numbers"),
        (["@block_on_three_points", "--wrench", "a"], "--wrench"),
        (["@block_on_three_points", "--no-weight"], "there is no load left"),
        (["@block_on_three_points", "--time-limit", "-1"], "time_limit"),
        (["@block_on_three_points", "--gap", "5"], "gap"),
        (["@block_on_three_points", "--method", "magic"], "--method"),
        (["@block_on_three_points", "--method", "hull", "--time-limit", "1"], "--time-limit"),
        (["@block_on_three_points", "--plot", "x.bmp"], "x.bmp"),
        ([], "SCENE"),
        (["@suction_cup", "--frobnicate"], "frobnicate"),
    ],
)
def test_bad_input_ends_with_a_message_and_code_2(run: Run, words: list[str], message: str) -> None:
    result = run("check", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_without_any_load_there_is_no_factor(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("check", hooks, "--gravity", "0,0,0")
    assert (code, data["load_factor"]) == (0, None)


def test_limits_of_a_block(run_json: RunJson) -> None:
    code, data = run_json(
        "limit", "@block_on_three_points", "--direction", "0,0,-1", "--direction=-1,0,0", "--load", "edge"
    )
    assert code == 0
    assert set(data) == {"command", "scene", "method", "limits", "polygons", "walls_without_friction", "free_pads"}
    pressed, pulled, edge = data["limits"]
    keys = {"name", "direction", "status", "value", "upper_bound", "gap", "proof_verified", "effort", "curved"}
    assert set(pressed) == keys
    assert (pressed["status"], pressed["value"], pressed["proof_verified"]) == ("unbounded", "inf", True)
    assert (pulled["status"], pulled["value"]) == ("optimal", pytest.approx(0.0, abs=1e-9))
    assert edge["name"] == "edge"


def test_the_point_of_application_counts(run_json: RunJson) -> None:
    _, here = run_json("limit", "@suction_cup", "--direction", "0,0,-1")
    _, there = run_json("limit", "@suction_cup", "--direction", "0,0,-1", "--at", "0.01,0,0")
    _, wrench = run_json("limit", "@suction_cup", "--direction", "0,0,-1,0,0.01,0")
    assert here["limits"][0]["value"] == pytest.approx(50.0)  # the vacuum
    assert there["limits"][0]["value"] == pytest.approx(wrench["limits"][0]["value"])
    assert there["limits"][0]["value"] < 40.0


def test_no_weight_acts_not_even_that_of_the_links(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "gripper.yaml"
    text = "holdfast: 1\nvolumes: {u: {model: gecko, shear: 40}}\ndevice: {kind: 2FG, left: PMD, right: PMD, unit: u}\n"
    path.write_text(text, encoding="utf-8")
    _, data = run_json("limit", path, "--direction", "0,0,-1")
    device = hf.devices.create("2FG", left="PMD", right="PMD", unit=hf.models.gecko(40))
    assert data["limits"][0]["value"] == pytest.approx(
        hf.load_limit(device.assembly(), hf.devices.PULL).value, rel=1e-6
    )


def test_a_limit_cut_short_is_undecided_with_both_bounds(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("limit", hooks, "--direction=0,-1,0,0.03,0,0.04", "--node-limit", 1)
    (result,) = data["limits"]
    assert code == 3
    assert (result["status"], result["proof_verified"]) == ("undecided", False)
    _, data = run_json("limit", hooks, "--direction=0,-1,0,0.03,0,0.04")
    (whole,) = data["limits"]
    assert (whole["status"], whole["proof_verified"]) == ("optimal", True)
    assert result["value"] <= whole["value"] <= whole["upper_bound"] <= result["upper_bound"]


def test_what_never_holds_has_code_1(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "stuck.yaml"
    text = (
        "holdfast: 1\nvolumes: {v: {model: coulomb}}\ncontacts: [{name: a, position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
        "joints: [{kind: slide, axis: [0, 0, 1], contacts: [a], torque_min: 1, torque_max: 2}]\n"
    )
    path.write_text(text, encoding="utf-8")
    code, data = run_json("limit", path, "--direction", "1,0,0")
    assert code == 1
    assert (data["limits"][0]["status"], data["limits"][0]["value"]) == ("does not hold", "-inf")


def test_the_table_and_the_picture(run: Run, hooks: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    result = run("limit", hooks, "--load", "pull", "--load", "aside", "--plot", target)
    assert result.exit_code == 0
    assert "upper bound" in result.stdout
    assert target.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("words", [["--no-weight"], ["--direction", "1"], ["--direction", "0,0,0"], ["--load", "x"]])
def test_bad_directions_end_with_code_2(run: Run, hooks: Path, words: list[str]) -> None:
    result = run("limit", hooks, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_limits_are_found_to_a_millionth_and_several_methods_agree(run_json: RunJson, hooks: Path) -> None:
    words = ["limit", hooks, "--load", "pull", "--load", "aside"]
    _, exact = run_json(*words)
    assert exact["method"] == "exact"
    assert all(result["gap"] <= 1e-6 and result["proof_verified"] for result in exact["limits"])
    for method in ("reference", "hull-milp"):
        _, other = run_json(*words, "--method", method)
        for one, two in zip(exact["limits"], other["limits"], strict=True):
            assert one["value"] == pytest.approx(two["value"], rel=3e-6)
    _, bracket = run_json(*words, "--method", "bracket")
    for one, two in zip(exact["limits"], bracket["limits"], strict=True):
        assert two["value"] <= one["value"] * (1 + 1e-6) and one["value"] <= two["upper_bound"] * (1 + 1e-6)


def test_gravity_goes_round_and_each_direction_is_answered(run_json: RunJson) -> None:
    code, data = run_json("sweep", "@block_on_three_points", "--n", 8)
    assert code == 1
    assert set(data) == {
        "command", "scene", "method", "plane", "n", "loads", "results", "holding", "failing", "undecided", "least_load_factor",
        "seconds", "polygons", "walls_without_friction", "free_pads",
    }  # fmt: skip
    assert (data["holding"], data["failing"], data["undecided"]) == (1, 7, 0)
    first, quarter = data["results"][0], data["results"][2]
    assert set(first) == {
        "angle_deg", "gravity", "status", "proof_verified", "load_factor", "load_factor_upper_bound", "effort",
        "load_factor_effort",
    }  # fmt: skip
    assert (first["angle_deg"], first["status"], first["load_factor"]) == (0.0, "holds", "inf")
    assert np.allclose(quarter["gravity"], [9.80665, 0, 0])
    assert all(result["proof_verified"] for result in data["results"])
    assert all(set(result["effort"]) == {"nodes", "programs", "pivots", "referee"} for result in data["results"])


@pytest.mark.parametrize(("plane", "second"), [("xz", [1, 0, 0]), ("yz", [0, 1, 0]), ("xy", [1, 0, 0])])
def test_the_planes(run_json: RunJson, hooks: Path, plane: str, second: list[int]) -> None:
    _, data = run_json("sweep", hooks, "--n", 4, "--plane", plane, "--verdicts")
    assert np.allclose(np.array(data["results"][1]["gravity"]) / 9.80665, second)
    assert data["results"][0]["load_factor"] is None
    assert data["least_load_factor"] is None


def test_verdicts_are_those_of_the_library_with_the_weight_of_the_links(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "gripper.yaml"
    text = "holdfast: 1\nvolumes: {u: {model: gecko, shear: 40}}\ndevice: {kind: 2FG, left: PMD, right: MD, unit: u}\n"
    path.write_text(text, encoding="utf-8")
    _, data = run_json("sweep", path, "--n", 6)
    device = hf.devices.create("2FG", left="PMD", right="MD", unit=hf.models.gecko(40))
    for result, direction in zip(data["results"], hf.loads.circle_directions(6), strict=True):
        gravity = 9.80665 * direction
        assert result["status"] == hf.equilibrium(device.assembly(gravity), device.weight(gravity)).status


def test_another_method_goes_round_as_well(run_json: RunJson, hooks: Path) -> None:
    _, exact = run_json("sweep", hooks, "--n", 6)
    code, other = run_json("sweep", hooks, "--n", 6, "--method", "reference")
    assert (code, other["method"]) == (0, "reference")
    for one, two in zip(exact["results"], other["results"], strict=True):
        assert one["status"] == two["status"]
        assert float(one["load_factor"]) == pytest.approx(float(two["load_factor"]), rel=3e-6, abs=1e-6)
        assert one["proof_verified"] and two["proof_verified"]


def test_all_holding_is_code_0_and_an_open_question_code_3(run: Run, hooks: Path, tmp_path: Path) -> None:
    path = tmp_path / "glued.yaml"
    text = "holdfast: 1\nobject: {mass: 0.1}\nvolumes: {v: {model: dry_adhesive}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
    path.write_text(text, encoding="utf-8")
    assert run("sweep", path, "--n", 4).exit_code == 0
    heavier = f"mass: {8.6 / 9.80665}, com: [-0.04, 0, 0.03]"  # between what the hooks hold and what their hulls would
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("mass: 0.3", heavier), encoding="utf-8")
    words = ["sweep", hooks, "--n", 1, "--plane", "xy", "--verdicts"]
    assert run(*words).exit_code == 1
    assert run(*words, "--node-limit", 1).exit_code == 3


def test_a_sweep_is_saved_and_goes_on_where_it_stopped(
    run: Run, run_json: RunJson, hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, undisturbed = tmp_path / "sweep.jsonl", tmp_path / "undisturbed.jsonl"
    _, whole = run_json("sweep", hooks, "--n", 15, "--save", undisturbed)
    answer, asked = GravityTask._answer, []

    def interrupted(task: GravityTask, warm: Any, query: Any) -> Any:
        asked.append(query)
        if len(asked) == 9:
            raise KeyboardInterrupt
        return answer(task, warm, query)

    monkeypatch.setattr(GravityTask, "_answer", interrupted)
    stopped = run("sweep", hooks, "--n", 15, "--save", journal)
    assert stopped.exit_code == 130
    assert str(journal) in stopped.stderr
    assert "run the same command again" in stopped.stderr
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 1 + GravityTask.batch  # a header and a chunk
    _, resumed = run_json("sweep", hooks, "--n", 15, "--save", journal)
    assert asked[9:] == [result["gravity"] for result in whole["results"][GravityTask.batch :]]
    assert resumed["results"] == whole["results"]
    assert journal.read_bytes() == undisturbed.read_bytes()
    for line in journal.read_text(encoding="utf-8").splitlines():
        json.loads(line)


def test_processes_leave_the_bytes_of_one_core(run: Run, hooks: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    run("sweep", hooks, "--n", 24, "--save", one)
    assert run("sweep", hooks, "--n", 24, "--save", two, "--workers", 2).exit_code == 0
    assert two.read_bytes() == one.read_bytes()


def test_a_direction_asked_alone_has_the_verdict_and_the_limit_it_has_in_the_sweep(hooks: Path) -> None:
    task = GravityTask(hf.scenes.load_scene(hooks), hf.solvers.Exact(), factors=True)
    queries = hf.loads.circle_directions(6).tolist()
    for alone, together in zip(map(task, queries), task.many(queries), strict=True):
        assert alone["status"] == together["status"]
        assert float(alone["load_factor"]) == pytest.approx(float(together["load_factor"]), rel=2e-6, abs=1e-9)


def test_damage_to_a_journal_is_noted_and_mended(run: Run, hooks: Path, tmp_path: Path) -> None:
    journal = tmp_path / "sweep.jsonl"
    run("sweep", hooks, "--n", 8, "--verdicts", "--save", journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(whole.splitlines()[3], whole.splitlines()[3].replace(b"holds", b"h0lds")))
    result = run("sweep", hooks, "--n", 8, "--verdicts", "--save", journal)
    assert result.exit_code in (0, 1)
    assert "note: " in result.stderr
    assert "line 4 damaged" in result.stderr
    assert journal.read_bytes() == whole


def test_other_warnings_go_their_way(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="something else") as told, module.notes_of_damage():
        warnings.warn("something else", UserWarning, stacklevel=1)
    assert len(told) == 1
    assert "something else" not in capsys.readouterr().err  # it is a warning still, and no note


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--workers", "0"], "--workers"),
        (["--workers", "2", "--cluster", "tcp://127.0.0.1:8786"], "with a cluster"),
        (["--cluster", "nonsense"], "not the address of a scheduler"),
    ],
)
def test_bad_workers_end_with_code_2(run: Run, hooks: Path, words: list[str], told: str) -> None:
    result = run("sweep", hooks, "--n", 2, *words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_cluster_that_is_not_there_ends_with_code_2(run: Run, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.jobs.cluster.CONNECT_SECONDS", 0.3)
    result = run("sweep", hooks, "--n", 2, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert "no Dask scheduler answers" in result.stderr


def test_an_interrupted_sweep_without_a_journal_says_so(run: Run, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(GravityTask, "_answer", interrupted)
    result = run("sweep", hooks, "--n", 6)
    assert result.exit_code == 130
    assert "nothing was saved" in result.stderr


def test_a_backend_that_fails_leaves_its_direction_open(
    run_json: RunJson, hooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maximise = hf.solvers.Exact.maximise

    def failing(method: hf.solvers.Exact, problem: Any, *rest: Any) -> Any:
        if problem.load[0] > 1e-6:
            raise SolverError("the numbers are too bad")
        return maximise(method, problem, *rest)

    monkeypatch.setattr(hf.solvers.Exact, "maximise", failing)
    _, data = run_json("sweep", hooks, "--n", 4)
    first, aside = data["results"][:2]
    assert first["load_factor"] > 1.0 and aside["load_factor"] is None
    assert (aside["status"], aside["proof_verified"]) == ("holds", True)


def test_a_journal_of_another_sweep_is_not_taken(run: Run, hooks: Path, tmp_path: Path) -> None:
    journal = tmp_path / "sweep.jsonl"
    run("sweep", hooks, "--n", 2, "--verdicts", "--save", journal)
    for words in (["--n", 3, "--verdicts"], ["--n", 2], ["--n", 2, "--verdicts", "--plane", "yz"]):
        result = run("sweep", hooks, *words, "--save", journal)
        assert result.exit_code == 2
        assert "belongs to another sweep" in result.stderr


def test_the_table_and_the_picture_of_a_sweep(run: Run, hooks: Path, tmp_path: Path) -> None:
    target = tmp_path / "polar.png"
    result = run("sweep", hooks, "--n", 12, "--plot", target)
    assert "angle [deg]" in result.stdout
    assert "of 12 directions" in result.stdout
    assert target.stat().st_size > 1000
    assert "━" not in result.stderr  # no progress bar: this is no terminal


@pytest.mark.parametrize("words", [["--n", "0"], ["--n", "1000000"], ["--plane", "zz"], ["--n", "x"]])
def test_bad_options_end_with_code_2(run: Run, hooks: Path, words: list[str]) -> None:
    assert run("sweep", hooks, *words).exit_code == 2


def test_a_scene_without_a_mass_is_told_so(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "light.yaml"
    text = (
        "holdfast: 1\nvolumes: {v: {model: magnet}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
    )
    path.write_text(text, encoding="utf-8")
    result = run("sweep", path)
    assert result.exit_code == 2
    assert "no mass" in result.stderr


def test_the_angle_is_that_of_the_library_and_both_sides_verify(run_json: RunJson) -> None:
    code, data = run_json("onset", "@block_on_three_points", "--tolerance", 0.001, "--step", 3)
    assert code == 0
    assert data["status"] == "slips"
    assert data["proof_verified"]
    assert data["held"] == {"status": "holds", "proof_verified": True}
    assert data["failed"] == {"status": "does not hold", "proof_verified": True}
    low, high = data["bracket_deg"]
    assert low <= data["onset_deg"] <= high <= low + 0.001
    scene = hf.scenes.load_scene("@block_on_three_points")
    for angle, holds in ((low, True), (high, False)):
        turn = np.radians(angle)
        turned = scene.turned((np.sin(turn), 0.0, -np.cos(turn)))
        assert hf.equilibrium(turned.assembly, turned.gravity_load()).holds is holds
    assert data["scan"][0] == {"angle_deg": 0.0, "status": "holds"}
    assert data["scan"][-1]["status"] == "does not hold"


def test_the_other_way_and_other_planes(run_json: RunJson, hooks: Path) -> None:
    _, forth = run_json("onset", "@block_on_three_points", "--plane", "yz")
    _, back = run_json("onset", "@block_on_three_points", "--plane", "yz", "--to", -180)
    assert back["onset_deg"] < 0 < forth["onset_deg"]
    code, data = run_json("onset", hooks, "--to", 10)
    assert (code, data["status"], data["bracket_deg"]) == (0, "holds throughout", [10.0, None])


def test_the_error_of_polygons_stands_beside_that_of_the_search(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    scene = tmp_path / "coarse.yaml"
    feet = "\n".join(
        f"  - {{position: [{x}, {y}, 0], normal: [0, 0, 1], shear: [1, 1, 0], volume: rubber}}"
        for x in (-1, 1)
        for y in (-1, 1)
    )
    scene.write_text(
        "holdfast: 1\nobject: {mass: 1}\nvolumes:\n  rubber: {model: coulomb, mu: 1.0, facets: 4}\ncontacts:\n"
        + feet.replace("[1, 1, 0]", "[0.9238795325, 0.3826834324, 0]"),
        encoding="utf-8",
    )
    code, data = run_json("onset", scene, "--tolerance", 0.01)
    low, high = data["curved"]["bracket_deg"]
    assert code == 0 and low <= 45.0 <= high <= low + 0.01 and data["curved"]["proof_verified"]
    assert data["onset_deg"] < 40.0 and data["curved"]["given_facets"] == 4
    text = run("onset", scene, "--tolerance", 0.01).stdout
    assert "this is for polygons of 4 facets instead of curved limits (round friction cones)" in text
    assert f"with the curved limits it slips between {low:.6g} and {high:.6g} degrees" in text
    fine = run("onset", "@block_on_three_points", "--step", 10).stdout
    assert "polygons of 16 facets instead of curved limits (round friction cones) change this by no more than" in fine


def test_it_is_told_in_words_and_drawn(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "onset.png"
    result = run("onset", "@block_on_three_points", "--step", 10, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "slips at 30.9" in result.output
    assert "is not detected" in result.output
    assert picture.stat().st_size > 1000


def test_where_it_holds_again_is_said_in_words(run: Run, run_json: RunJson) -> None:
    text = run("onset", "@block_on_three_points", "--to", 360, "--step", 10).output
    assert "slips from 30.96 to 329 degrees and holds again beyond, as far as 360 degrees" in text
    _, data = run_json("onset", "@block_on_three_points", "--to", 360, "--step", 10)
    assert data["recovery_deg"] == pytest.approx(360.0 - data["onset_deg"], abs=0.02)
    assert [change["holds"] for change in data["later_changes"]] == [True]
    assert "and holds at no test beyond, as far as 180 degrees" in run("onset", "@block_on_three_points").output


def test_what_does_not_hold_at_the_start_is_exit_code_one(run: Run) -> None:
    result = run("onset", "@block_on_three_points", "--from", 90)
    assert result.exit_code == 1
    assert "does not hold at the start" in result.output


def test_what_stays_undecided_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch, hooks: Path) -> None:
    from dataclasses import replace

    from holdfast.solvers import Reference, Status

    real = Reference.test

    def tired(self: Reference, problem: Any) -> Any:
        solution = real(self, problem)
        return replace(solution, status=Status.UNDECIDED) if problem.load[0] > 0.5 else solution

    monkeypatch.setattr(Reference, "test", tired)
    result = run("onset", "@block_on_three_points", "--method", "reference", "--step", 10)
    assert result.exit_code == 3
    assert "undecided" in result.output


def test_a_load_grows_on_top_of_the_weight(run: Run, run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("onset", hooks, "--load", "aside")
    assert code == 0
    assert data["status"] == "found"
    assert data["proof_verified"]
    scene = hf.scenes.load_scene(hooks)
    for s, holds in ((data["value"], True), (data["upper_bound"], False)):
        assert hf.equilibrium(scene.assembly, scene.gravity_load() + s * scene.load("aside")).holds is holds
    result = run("onset", hooks, "--load", "aside", "--most", 0.5)
    assert result.exit_code == 0
    assert "holds as far as was asked" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ("--step", 0),
        ("--tolerance", -1),
        ("--from", 10, "--to", 10),
        ("--to", 400),
        ("--most", 2),
        ("--load", "nobody"),
        ("--load", "pull", "--plot", "x.png"),
        ("--load", "pull", "--most", -1),
    ],
)
def test_bad_options_are_told(run: Run, hooks: Path, words: tuple[Any, ...]) -> None:
    result = run("onset", hooks, *words)
    assert result.exit_code == 2
    assert "error:" in result.output


# -- several bodies ------------------------------------------------------------------------------------


def test_a_check_of_several_bodies_shows_loads_and_interfaces(run: Run, run_json: RunJson) -> None:
    text = run("check", "@stacked_cubes", "--load", "push").stdout
    rows = [line.split() for line in text.splitlines()]
    assert "2 bodies, 8 contacts" in text
    assert ["upper", "2,", "0,", "-9.807", "0,", "0.3,", "0"] in rows
    assert ["upper", "on", "lower", "4", "-2,", "0,", "9.807", "32"] in rows
    assert ["lower", "on", "world", "4", "-2,", "0,", "19.61", "18.4"] in rows
    assert "Forces on the first body" in text
    code, data = run_json("check", "@stacked_cubes", "--load", "shove", "--explain")
    assert code == 1
    assert "load_sharing" not in data
    giving = [side["name"] for side in data["explanation"]["interfaces"] if side["gives_way"]]
    assert giving == ["lower on world"]  # both cubes tip as one


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "@stacked_cubes", "--wrench", "0,0,-5,0,0,0"], "--wrench: the scene has 2 bodies"),
        (["limit", "@block_on_slope", "--direction", "0,0,-5", "--body", "x"], "--body: the scene has one object"),
        (["limit", "@stacked_cubes", "--direction", "1,0,0", "--body", "uper"], "did you mean 'upper'"),
        (["limit", "@stacked_cubes", "--direction", "1,0,0"], "--body: is missing"),
        (["onset", "@block_on_slope", "--weight", "upper"], "--weight"),
    ],
)
def test_a_wrong_choice_of_bodies_is_named(run: Run, words: list[str], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_weight_of_chosen_bodies_grows(run_json: RunJson) -> None:
    """s times the upper cube's weight and the shove of 7 N at 0.15 m tip both: 7 s 0.15 = (1 + s) m g 0.05."""
    code, data = run_json("onset", "@stacked_cubes", "--load", "shove", "--weight", "upper")
    assert code == 0
    weight = 9.80665 * 0.05
    assert data["value"] == pytest.approx(weight / (7.0 * 0.15 - weight), rel=1e-6)
    code, alone = run_json("onset", "@stacked_cubes", "--weight", "upper")
    assert alone["value"] == "inf"


def test_a_load_on_one_of_several_bodies_has_a_limit(run_json: RunJson) -> None:
    """Without weight nothing presses: a push down bears any multiple of itself, a push along the face none."""
    _, data = run_json("limit", "@stacked_cubes", "--direction", "1,0,-2", "--at", "0,0,0.2", "--body", "upper")
    # The line of action leaves the lower face at x = 0.1 m: outside.
    assert data["limits"][0]["value"] == pytest.approx(0.0, abs=1e-9)
    _, data = run_json("limit", "@stacked_cubes", "--direction", "1,0,-5", "--at", "0,0,0.2", "--body", "upper")
    assert data["limits"][0]["value"] == "inf"  # it leaves it at x = 0.04 m, within the friction cone


def test_a_load_that_is_not_held_by_coarse_polygons_is_said_to_be_so(run: Run, tmp_path: Path) -> None:
    scene = tmp_path / "cube.yaml"
    for accuracy, said in (("", True), (", accuracy: 0.002", False)):
        scene.write_text(
            "holdfast: 1\nobject: {mass: 1}\n"
            f"volumes: {{rubber: {{model: coulomb, mu: 0.5{accuracy}}}}}\n"
            "contacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: rubber}]\n"
        )
        printed = run("check", scene, "--gravity", "6,0,-9.81").stdout
        assert ("polygons of 16 facets, up to 1.9 % too narrow" in printed) is said
        assert ("accuracy: 0.002" in printed) is said
