from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

KEYS = {
    "command", "scene", "load", "wrench", "gravity", "method", "status", "holds", "proof_verified", "residual",
    "load_factor", "load_factor_status", "load_factor_upper_bound", "contacts", "joints", "separating_motions", "effort",
    "load_factor_effort",
}  # fmt: skip


def test_a_block_that_holds(run_json: RunJson) -> None:
    code, data = run_json("check", "@block_on_three_points")
    assert code == 0
    assert set(data) == KEYS
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
    scene = hf.load_scene(hooks)
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
    scene = hf.load_scene(hooks)
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
    volume = hf.load_scene(path).assembly.contacts[0].volume
    for contact in data["contacts"]:
        force = np.array(contact["local_force"])
        assert volume.contains(force * 100 / contact["use_percent"] * (1 - 1e-6))
        assert not volume.contains(force * 100 / contact["use_percent"] * (1 + 1e-6))


def test_use_in_friction_cones_is_that_of_the_report_and_of_the_closed_form(run_json: RunJson) -> None:
    from holdfast.reports.contents import ReportOptions, answer_scene
    from holdfast.reports.chapters import load_chapter

    _, data = run_json("check", "@block_on_three_points")
    contents = answer_scene("@block_on_three_points", ReportOptions(slices=()))
    page = str(load_chapter(contents, contents.loads[0]))
    normals, offsets = contents.scene.assembly.contacts[0].volume.polytopes[0].halfspaces
    assert not offsets.any()
    for contact in data["contacts"]:
        x, y, z = contact["local_force"]
        use = max(0.0, float((normals[:, :2] @ [x, y] / (-normals[:, 2] * z)).max()))  # shear over its limit, by facets
        assert contact["use_percent"] == pytest.approx(100.0 * use, rel=1e-5)
        assert (contact["margin_newtons"] == 0.0) is (contact["use_percent"] == 100.0)
        assert f"{contact['use_percent']:.3g} %" in page


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
        (["@block_on_three_points", "--gravity", "1,2"], "--gravity: has 2 numbers"),
        (["@block_on_three_points", "--wrench", "a"], "--wrench"),
        (["@block_on_three_points", "--no-weight"], "nothing is left"),
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
