"""Tables of studies in files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.console.sheets import show
from holdfast.errors import FileError
from holdfast.papers import command as module
from holdfast.papers import table_one as study
from holdfast.papers.command import (
    BEGIN,
    END,
    _accuracy,
    _arcs,
    _summary,
    table_sheet,
    write_tables,
    write_text,
)
from holdfast.papers.plots import strip_frames
from holdfast.papers.slip import EVENTS, slip_study
from holdfast.papers.tables import TextTable
from holdfast.scenes import load_scene
from tests.papers.test_hierarchy import hand


@pytest.fixture
def areas() -> TextTable:
    return TextTable("Areas", ("grip", "m^2"), (("power", "5.9"), ("pinch", "0.7")), "seen from above")


def test_each_table_is_written_as_csv_and_as_markdown(areas, tmp_path):
    write_tables(tmp_path, {"areas": areas})
    assert (tmp_path / "areas.csv").read_text(encoding="utf-8") == areas.csv()
    assert (tmp_path / "areas.md").read_text(encoding="utf-8") == areas.markdown(2) + "\n"


def test_tables_are_printed_with_what_has_to_be_said(areas, capsys):
    show(table_sheet([areas]))
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("Areas", "power", "0.7", "seen from above"))


def test_a_place_that_cannot_be_written_to_is_reported(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "nowhere" / "a.csv", "")


SMALL = ("paper", "table1", "--rows", "2OU", "--queries", "2")


def test_the_table_is_shown_with_its_clock_and_machine(run: Callable[..., Result]):
    result = run(*SMALL, "--rivals", "none")
    assert result.exit_code == 0, result.output
    assert "2OU" in result.stdout
    assert "CPU time per query" in result.stdout
    assert "holdfast" in result.stdout
    assert "Other methods" not in result.stdout


def test_json_has_every_reply_of_ours_and_of_rivals(run_json: Callable[..., tuple[int, Any]]):
    code, found = run_json(*SMALL, "--queries", "1", "--rivals", "all", "--cap", "0.2", "--budget", "0.1")
    assert code == 0
    series = {(s["method"], s["kind"]): s for s in found["rows"][0]["series"]}
    assert len(series["Exact", "limit"]["replies"]["status"]) == 1
    assert {method for method, _ in series} == {"Exact", *study.RIVALS}
    assert all(s["fault"] or s["replies"]["status"] for s in series.values())
    assert found["settings"]["cap"] == 0.2


def test_markdown_goes_between_the_markers_of_a_page_and_csv_beside(run: Callable[..., Result], tmp_path: Path):
    page, numbers = tmp_path / "page.md", tmp_path / "numbers.csv"
    page.write_text(f"# Above\n\n{BEGIN}\nwhat was here\n{END}\n\nBelow.\n", encoding="utf-8")
    words = (*SMALL, "--rivals", "none", "--markdown", page, "--csv", numbers)
    assert run(*words).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Above\n\n" + BEGIN)
    assert text.endswith(END + "\n\nBelow.\n")
    assert "what was here" not in text
    assert "| 2OU" in text
    assert run(*words).exit_code == 0  # again: still one pair of markers
    assert page.read_text(encoding="utf-8").count(BEGIN) == 1
    with numbers.open(encoding="utf-8") as file:
        assert {line["row"] for line in csv.DictReader(file)} == {"2OU"}


@pytest.mark.parametrize(
    "words",
    [
        ("--rows", "5FH"),
        ("--queries", "0"),
        ("--cap", "-1"),
        ("--csv", "no/such/folder.csv"),
        ("--markdown", "taken.md"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.md").write_text("mine", encoding="utf-8")
    monkeypatch.setattr(study, "ask", lambda *_, **__: pytest.fail("measured"))
    result = run("paper", "table1", "--rivals", "none", *words)
    assert result.exit_code == 2
    assert "error: " in result.stderr
    assert (tmp_path / "taken.md").read_text(encoding="utf-8") == "mine"


def test_a_run_that_is_interrupted_says_how_to_go_on(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    journal = tmp_path / "journal.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(study, "ask", interrupt)
        stopped = run(*SMALL, "--rivals", "none", "--save", journal)
    assert stopped.exit_code == 130
    assert "resume" in stopped.stderr
    assert run(*SMALL, "--rivals", "none", "--save", journal).exit_code == 0


Run = Callable[..., Result]


def test_pictures_and_data_are_written_and_data_that_fit_are_not_redone(run: Run, tmp_path: Path) -> None:
    words = [
        "paper",
        "figures",
        "--only",
        "7,5",
        "--out",
        tmp_path / "new",
        "--level",
        0,
        "--format",
        "svg",
        "--save-data",
        "--json",
    ]
    first = json.loads(run(*words).stdout)
    assert [entry["figure"] for entry in first["figures"]] == [5, 7]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "figure_05.svg",
        "figure_07.svg",
        "figure_07_fx_fy_fz.h5",
        "figure_07_fx_ty_fz.h5",
    ]
    assert first["figures"][1]["rays"] == 24 and first["figures"][1]["read"] == []
    assert set(first["figures"][1]["reach"]["fx,ty,fz"]) == {"fx", "ty", "fz"}
    second = json.loads(run(*words).stdout)
    assert second["figures"][1]["read"] == ["fx,fy,fz", "fx,ty,fz"]


def test_the_table_names_each_figure_and_without_save_data_only_pictures_are_left(run: Run, tmp_path: Path) -> None:
    result = run("paper", "figures", "--only", "3", "--out", tmp_path)
    assert result.exit_code == 0
    assert "peg in a hole" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["figure_03.png"]


@pytest.mark.parametrize(
    "words", [["--only", "6"], ["--only", "x"], ["--only", ""], ["--level", "9"], ["--level", "-1"], ["--gap", "-1"]]
)
def test_bad_input_ends_with_code_2(run: Run, tmp_path: Path, words: list[str]) -> None:
    result = run("paper", "figures", "--out", tmp_path, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_a_folder_that_cannot_be_made_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("paper", "figures", "--only", "3", "--out", tmp_path / "file" / "sub")
    assert result.exit_code == 2 and "sub" in result.stderr


RunJson = Callable[..., tuple[int, Any]]


def test_the_study_is_printed_and_written(run: Run, tmp_path: Path) -> None:
    result = run("paper", "slip", "--events", 1, "--no-failures", "--out", tmp_path / "slip")
    assert result.exit_code == 0, result.output
    assert "1 of 1 onsets within 10 degrees (seed 0)" in result.output
    names = {path.name for path in (tmp_path / "slip").iterdir()}
    assert names == {"slip_events.csv", "slip_events.md", "slip_onsets.png", "slip_strip.png"}
    lines = (tmp_path / "slip" / "slip_events.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("event,condition,radius [mm]")
    assert lines[1].startswith("1,MD-MD,100,0,9.2,")


def test_json_has_brackets_that_verify_and_the_seeds(run_json: RunJson) -> None:
    code, data = run_json("paper", "slip", "--events", 1, "--no-failures", "--seed", 3, "--seeds", 1)
    assert code == 0
    assert (data["command"], data["seed"], data["within_deg"]) == ("paper slip", 3, 10.0)
    event = data["events"][0]
    assert event["predicted"]["proof_verified"]
    assert event["true"]["proof_verified"]
    low, high = event["true"]["bracket_deg"]
    assert low <= event["true"]["angle_deg"] <= high
    assert [one["scatter"] for one in data["seeds"]] == ["all", "strength of the units", "mass", "centre of mass"]
    study = slip_study(3, events=1)
    assert event["error_deg"] == pytest.approx(float(study.errors[0]) * 57.29577951308232)


def test_bad_options_of_slip_are_reported(run: Run, tmp_path: Path) -> None:
    assert run("paper", "slip", "--events", 15).exit_code == 2
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    assert run("paper", "slip", "--events", 1, "--out", blocked / "sub").exit_code == 2


def test_the_strip_shows_lifted_predicted_and_true() -> None:
    study = slip_study(0, events=[EVENTS[0], EVENTS[4]], step=0.2, tolerance=0.01)
    frames = strip_frames(study)
    assert len(frames) == 1  # the other one turns out of the plane of the fingers
    assert [pose.angle for pose in frames[0]][1:] == [study.rows[0].predicted.value, study.rows[0].true.value]
    assert frames[0][0].caption == "MD-MD, 100 mm, 0 deg"


@pytest.fixture
def grip(tmp_path: Path) -> Path:
    path = tmp_path / "hand.h5"
    hand().save(path)
    return path


def test_both_figures_with_their_tables(run: Run, grip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("paper", "hierarchy", "--grip", grip, "--largest", "25", "--repeats", "1", "--out", out)
    assert result.exit_code == 0
    assert "Time of a four-hand test (Fig. 15)" in result.stdout
    assert "Support regions (Fig. 16)" in result.stdout
    names = {"hierarchy_times.csv", "hierarchy_times.md", "hierarchy_regions.csv", "hierarchy_regions.md"}
    assert names | {"figure_15.png", "figure_16.png"} == {path.name for path in out.iterdir()}


def test_one_figure_as_data(run_json: RunJson, grip: Path) -> None:
    code, data = run_json("paper", "hierarchy", "--grip", grip, "--only", "16", "--largest", "25")
    assert code == 0
    assert data["vertices_learned"] == 150
    assert "times" not in data
    areas = [row["area"] for row in data["regions"]]
    assert areas[0] <= areas[1] <= areas[-1]
    code, data = run_json("paper", "hierarchy", "--grip", grip, "--only", "15", "--largest", "25", "--repeats", "1")
    assert [row["count"] for row in data["times"]] == [25, 12, 25]
    assert "regions" not in data


def test_other_figures_are_refused(run: Run) -> None:
    result = run("paper", "hierarchy", "--only", "14")
    assert result.exit_code == 2
    assert "give 15 or 16" in result.stderr


#: One grip, roughly learned, on one wall.
SMALL_CLIMB = ("paper", "climb", "--grip", "opposing", "--wall", "overhang", "--samples", 20, "--directions", 4)


def test_the_study_is_printed_written_and_kept(run: Run, tmp_path: Path) -> None:
    kept, out = tmp_path / "kept", tmp_path / "out"
    result = run(*SMALL_CLIMB, "--cache", kept, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Support regions of the climber" in result.output
    assert (kept / "grip_opposing_20_0.h5").is_file()
    assert len(list(kept.glob("outline_*.json"))) == 2
    names = {path.name for path in out.iterdir()}
    assert names == {
        "climbing_regions.csv",
        "climbing_regions.md",
        "climbing_grips.png",
        "climbing_regions_overhang.png",
        "climbing_overhang_two_hands.png",
        "climbing_overhang_one_hand.png",
    }
    again = run(*SMALL_CLIMB, "--cache", kept, "--json")
    data = json.loads(again.stdout)
    assert data["command"] == "paper climb"
    two, one = data["cases"]
    assert (two["stance"], one["stance"]) == ("two hands", "one hand")
    assert two["exact"]["areas"][0] > one["exact"]["areas"][1]
    assert (two["holds"], one["holds"]) == ("yes", "no")
    assert data["claims"] == []


def test_bad_options_of_climb_are_reported(run: Run) -> None:
    result = run("paper", "climb", "--grip", "pich")
    assert result.exit_code == 2
    assert "pinch" in result.output
    assert run("paper", "climb", "--samples", 0).exit_code == 2


FILES = {"unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"}


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DIRECTIONS", 8)


@pytest.mark.usefixtures("shorter")
def test_the_demo_leaves_a_table_a_summary_pictures_and_a_scene(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    result = run("demo", "-o", target)
    assert result.exit_code == 0, result.output
    for words in (
        "1158 measurements",
        "6 convex pieces",
        "no force is added",
        "most pull lost",
        "load factor",
        "of 8 directions",
        "The gripper holds",
        "exact to a relative gap of 1e-06",
    ):
        assert words in result.stdout
    assert {path.name for path in target.iterdir()} == FILES
    assert all(path.stat().st_size > 300 for path in target.iterdir())
    scene = load_scene(target / "gripper.yaml")
    assert len(scene.assembly) == 20
    results = json.loads((target / "sweep.json").read_text(encoding="utf-8"))["results"]
    assert [r["angle_deg"] for r in results] == [45.0 * i for i in range(8)]
    assert {r["status"] for r in results} == {"holds", "does not hold"}


def results_of(pattern: str) -> list[dict[str, Any]]:
    words = {"h": "holds", "d": "does not hold"}
    step = 360 / len(pattern)
    return [{"angle_deg": i * step, "status": words[c], "load_factor": i} for i, c in enumerate(pattern)]


@pytest.mark.parametrize(
    ("pattern", "arcs"),
    [
        ("hhhh", ""),
        ("dddd", ""),
        ("hhdd", ": 0 to 90 degrees from straight down, towards +x"),
        ("hddh", ": 270 to 0 degrees from straight down, towards +x"),
        ("dhdh", ": 90 to 90, 270 to 270 degrees from straight down, towards +x"),
    ],
)
def test_the_arcs_on_which_it_holds_in_words(pattern: str, arcs: str) -> None:
    assert _arcs(results_of(pattern)) == arcs


def test_the_summary_names_the_strongest_side() -> None:
    text = _summary(results_of("hhdd"))
    assert "2 of 4 directions" in text
    assert "strongest at 270 degrees" in text
    assert "3 times the weight" in text


def test_load_factors_that_are_not_proven_are_counted() -> None:
    known: list[dict[str, Any]] = [
        {"load_factor": 2.0, "load_factor_upper_bound": 2.000001},
        {"load_factor": "inf", "load_factor_upper_bound": "inf"},
        {"load_factor": "-inf", "load_factor_upper_bound": "-inf"},
    ]
    assert _accuracy(known) == "Load factors are exact to a relative gap of 1e-06."
    unknown: list[dict[str, Any]] = [
        {"load_factor": 2.0, "load_factor_upper_bound": 2.1},
        {"load_factor": None, "load_factor_upper_bound": None},
    ]
    assert _accuracy(known + unknown).startswith("2 load factors are not proven")


def test_a_folder_that_cannot_be_made_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("demo", "-o", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be created" in result.stderr


def test_corners_are_compared_on_the_command_line(run: Callable[..., Result]) -> None:
    result = run("paper", "corners", "--rows", "2OU", "--queries", "1", "--json")
    data = json.loads(result.stdout)
    assert data["header"][:3] == ["row", "pull, indep. [N]", "shared [N]"] and data["rows"][0][0] == "2OU"
