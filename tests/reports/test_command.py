from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.console.output import load_factor

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]
QUICK = ("--slices", "none", "--date", "2025-01-31")


def test_a_page_is_written_and_its_verdicts_are_those_of_the_library(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "block.html"
    code, data = run_json("report", "@block_on_three_points", "-o", path, *QUICK)
    scene = hf.scenes.load_scene("@block_on_three_points")
    held = {name: hf.equilibrium(scene.assembly, scene.gravity_load() + scene.load(name)).holds for name in scene.loads}
    told = {load["load"].removeprefix("weight + "): load["status"] == "holds" for load in data["loads"][1:]}
    assert told == held
    assert code == (0 if all(held.values()) else 1)
    page = path.read_text(encoding="utf-8")
    assert len(page) == data["bytes"]
    assert "<h1>block on three points</h1>" in page
    assert "Wrench space" not in page
    assert ">2025-01-31<" in page


def test_first_failure_and_peak_of_each_load_are_printed(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    scene = hf.scenes.load_scene("@suction_cup")
    shared = hf.load_sharing(scene.assembly, scene.gravity_load())
    _, data = run_json("report", "@suction_cup", "-o", tmp_path / "a.html", *QUICK)
    assert data["loads"][0]["load_sharing"]["bracket"] == shared.bracket
    assert data["loads"][0]["load_sharing"]["peak"] == pytest.approx(shared.peak)
    printed = run("report", "@suction_cup", "-o", tmp_path / "b.html", *QUICK).stdout
    assert load_factor(shared.first_failure) in printed and load_factor(shared.peak) in printed


def test_the_commands_of_the_page_repeat_the_options_about_the_load(
    run_json: RunJson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tilted.html"
    _, data = run_json("report", "@suction_cup", "-o", path, "--tilt", "30", "--load", "swing", *QUICK)
    page = path.read_text(encoding="utf-8")
    commands = [shlex.split(unescape(words))[1:] for words in re.findall("<code>(.*?)</code>", page)]
    (check,) = [words for words in commands if words[0] == "check"]
    assert run_json(*check)[1]["load_factor"] == pytest.approx(data["loads"][0]["load_factor"])
    again = run_json(*commands[-1])[1]
    assert again["loads"] == data["loads"]


def test_a_file_is_not_replaced_unless_forced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine", encoding="utf-8")
    refused = run("report", "@suction_cup", "-o", path, *QUICK)
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr
    assert path.read_text(encoding="utf-8") == "mine"
    assert run("report", "@suction_cup", "-o", path, "--force", "--title", "Cup", *QUICK).exit_code in (0, 1)
    assert "<h1>Cup</h1>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "@suction_cup", "-o", "nowhere/report.html"), "folder"),
        (("report", "@suction_cup", "-o", "report.pdf"), ".html"),
        (("report", "@suction_cup", "--slices", "fx,fy"), "give three"),
        (("report", "@suction_cup", "--level", "9"), "1 to 5"),
        (("report", "@tripod_on_flat_ground"), "holdfast posture"),
        (("report", "@three_points"), "holdfast motions"),
        (("report", "missing.yaml"), "missing.yaml"),
    ],
)
def test_bad_input_is_reported_and_nothing_is_written(run: Run, tmp_path: Path, monkeypatch, words, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())


def test_a_broken_scene_is_told_with_its_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("holdfast: 1\ncontacts:\n  - {position: [0, 0]}\n", encoding="utf-8")
    result = run("report", path, "-o", tmp_path / "report.html")
    assert result.exit_code == 2
    assert "broken.yaml:3" in "".join(result.stderr.split("\n"))
    assert not (tmp_path / "report.html").exists()


def test_a_scene_of_another_kind_is_told_before_a_page_that_is_there(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine", encoding="utf-8")
    refused = run("report", "@ladder", "-o", path)
    assert refused.exit_code == 2
    assert "planar" in refused.stderr and "exists already" not in refused.stderr


def test_the_number_of_samples_has_the_same_names_in_report_and_probability(
    run: Run, run_json: RunJson, tmp_path: Path
) -> None:
    asked = ("probability", "@gecko_on_glass", "--scatter-strength", "0.3")
    found = [run_json(*asked, word, 40)[1] for word in ("--samples", "--n")]
    assert [data["n"] for data in found] == [40, 40]
    for word in ("--samples", "--n"):
        assert run("report", "@suction_cup", "-o", tmp_path / f"{word}.html", word, 40, *QUICK).exit_code in (0, 1)
