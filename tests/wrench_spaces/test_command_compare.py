from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.wrench_spaces.comparison import MEASURES

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.fixture
def stronger(tmp_path: Path, hooks: Path) -> Path:
    """The hooks with twice the shear."""
    path = tmp_path / "stronger.yaml"
    path.write_text(hooks.read_text(encoding="utf-8").replace("shear: 5}", "shear: 10}"), encoding="utf-8")
    return path


def test_the_data_are_those_of_the_library(run_json: RunJson, hooks: Path, stronger: Path) -> None:
    code, data = run_json("compare", hooks, stronger, "--level", 0)
    assert code == 0
    first, second = data["designs"]
    assert (first["name"], second["name"]) == ("hooks", "hooks (2)")
    pull = hf.load_limit(hf.scenes.load_scene(hooks).assembly, [0, 0, -1, 0, 0, 0]).value
    assert first["measures"]["-fz"]["value"] == pytest.approx(pull, rel=1e-6)
    for measure in MEASURES:
        factor = 8.0 if measure.group == "volume" else 2.0
        assert float(second["measures"][measure.key]["value"]) == pytest.approx(
            factor * float(first["measures"][measure.key]["value"]), rel=2e-2
        ), measure.key
    assert data["measures"][0]["ranking"] == [["hooks (2)"], ["hooks"]]
    assert first["proofs_verified"] == first["proofs"] == 15


def test_the_table_marks_the_best_and_the_files_say_the_same(
    run: Run, hooks: Path, stronger: Path, tmp_path: Path
) -> None:
    table, text, picture = tmp_path / "out.csv", tmp_path / "out.md", tmp_path / "out.svg"
    result = run("compare", hooks, stronger, "--level", 0, "--csv", table, "--markdown", text, "--plot", picture)
    assert result.exit_code == 0
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    assert lines["-fz [N]"].rstrip().endswith("*")
    assert "* the best of each row" in result.stdout and "weakest against a force" in result.stdout
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    assert rows["-fz"]["best"] == "hooks (2)"
    assert float(rows["-fz"]["hooks (2)"]) == pytest.approx(2 * float(rows["-fz"]["hooks"]), rel=1e-5)
    assert rows["contacts"]["hooks"] == "4"
    assert f"| -fz [N] | {float(rows['-fz']['hooks']):.4g} | **" in text.read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_one_scene_alone_and_bars(run: Run, hooks: Path, tmp_path: Path) -> None:
    result = run(
        "compare", hooks, "--level", 0, "--bars", "--plot", tmp_path / "out.svg", "--at", "0,0,0.01", "--length", 0.05
    )
    assert result.exit_code == 0
    assert " *" not in result.stdout and "0.05 m" in result.stdout
    assert (tmp_path / "out.svg").is_file()


def test_no_limit_is_said_in_words(run: Run) -> None:
    result = run("compare", "@block_on_three_points", "--level", 0)
    assert result.exit_code == 0 and "no limit" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["@no_such_scene"],
        ["@suction_cup", "--level", "9"],
        ["@suction_cup", "--radar", "--bars"],
        ["@suction_cup", "--length", "0"],
        ["@suction_cup", "--at", "1,2"],
        ["@suction_cup", "--level", "0", "--csv", "/no/such/folder/out.csv"],
        [*["@suction_cup"] * 9, "--plot", "out.png"],
    ],
)
def test_bad_input_ends_with_code_2(run: Run, words: list[str]) -> None:
    result = run("compare", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--plot", "no/such/folder/a.png"), "--plot: its folder does not exist"),
        (("--csv", "no/such/folder/a.csv"), "--csv: its folder does not exist"),
        (("--markdown", "no/such/folder/a.md"), "--markdown: its folder does not exist"),
        (("--plot", "a.bmp"), "--plot writes .png or .svg or .pdf"),
    ],
)
def test_bad_targets_are_told_before_the_work(
    run: Run, hooks: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr("holdfast.wrench_spaces.comparison.compare", lambda *_, **__: pytest.fail("it was computed"))
    result = run("compare", hooks, *words)
    assert result.exit_code == 2 and message in result.stderr
    assert result.stdout == ""
