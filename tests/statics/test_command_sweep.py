from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.errors import SolverError
from holdfast.statics import command_sweep as module

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_gravity_goes_round_and_each_direction_is_answered(run_json: RunJson) -> None:
    code, data = run_json("sweep", "@block_on_three_points", "--n", 8)
    assert code == 1
    assert set(data) == {
        "command", "scene", "method", "plane", "n", "results", "holding", "failing", "undecided", "least_load_factor",
        "seconds",
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
    answer, asked = module._answer, []

    def interrupted(scene: Any, query: Any, *rest: Any) -> Any:
        asked.append(query["angle_deg"])
        if len(asked) == 9:
            raise KeyboardInterrupt
        return answer(scene, query, *rest)

    monkeypatch.setattr(module, "_answer", interrupted)
    stopped = run("sweep", hooks, "--n", 15, "--save", journal)
    assert stopped.exit_code == 130
    assert str(journal) in stopped.stderr
    assert "run the same command again" in stopped.stderr
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 1 + module.CHUNK  # a header and a chunk
    _, resumed = run_json("sweep", hooks, "--n", 15, "--save", journal)
    assert asked[9:] == [24.0 * i for i in range(module.CHUNK, 15)]
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
    task = module.GravityTask(hf.load_scene(hooks), hf.Exact(), factors=True)
    queries = [{"angle_deg": 1.0 * i, "gravity": d.tolist()} for i, d in enumerate(hf.loads.circle_directions(6))]
    for alone, together in zip(map(task, queries), task.many(queries), strict=True):
        assert alone["status"] == together["status"]
        assert float(alone["load_factor"]) == pytest.approx(float(together["load_factor"]), rel=2e-6, abs=1e-9)


def test_damage_to_a_journal_is_noted_and_mended(run: Run, hooks: Path, tmp_path: Path) -> None:
    journal = tmp_path / "sweep.jsonl"
    run("sweep", hooks, "--n", 8, "--verdicts", "--save", journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b'"angle_deg": 90.0', b'"angle_deg": 91.0'))
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
        (["--cluster", "nonsense"], "no address of a scheduler"),
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

    monkeypatch.setattr(module, "_answer", interrupted)
    result = run("sweep", hooks, "--n", 6)
    assert result.exit_code == 130
    assert "nothing was saved" in result.stderr


def test_a_backend_that_fails_leaves_its_direction_open(
    run_json: RunJson, hooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_limit = hf.Solver.load_limit

    def failing(solver: hf.Solver, direction: Any) -> Any:
        if direction[0] > 0.0:
            raise SolverError("the numbers are too bad")
        return load_limit(solver, direction)

    monkeypatch.setattr(hf.Solver, "load_limit", failing)
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


def test_the_table_and_the_picture(run: Run, hooks: Path, tmp_path: Path) -> None:
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
