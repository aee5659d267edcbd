"""Arguments of the commands on planar grasps.

Tables and CSV of planar grasps.

`holdfast grasps`: tables, the exchange form, CSV, pictures, exit codes.

`holdfast grasp-study`: the two studies as tables, JSON, CSV and pictures.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import Result

from holdfast.console.output import write_csv
from holdfast.console.sheets import Line
from holdfast.errors import FileError, InputError
from holdfast.grasps.command import (
    GraspQuestion,
    obstacle,
    ranking_sheet,
    reachability_block,
    rows_table,
    variation_table,
)
from holdfast.grasps.hands import hand_names
from holdfast.grasps.parts import example_part, part_names
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import grasp_schema
from holdfast.grasps.studies import stability_study


def test_just_one_of_picture_and_part_is_asked_about(tmp_path: Path):
    with pytest.raises(InputError, match="is missing"):
        GraspQuestion().ranking()
    with pytest.raises(InputError, match="together with --part"):
        GraspQuestion("a.png", "disc").ranking()
    with pytest.raises(FileError, match="no such file"):
        GraspQuestion(str(tmp_path / "a.png")).ranking()
    with pytest.raises(FileError, match="is a folder"):
        GraspQuestion(str(tmp_path)).ranking()


def test_parts_are_drawn_at_the_scale_asked_for():
    fine, usual = GraspQuestion(part="rectangle", mm_per_px=0.25).ranking(), GraspQuestion(part="rectangle").ranking()
    assert (fine.mm_per_px, usual.mm_per_px) == (0.25, 0.5)
    assert fine.scored.shape.area_mm2 == pytest.approx(4800.0, rel=1e-3)


def test_options_reach_the_plan_and_the_name_is_that_of_the_file():
    question = GraspQuestion(part="rectangle", mu=0.7, hand="parallel_jaw")
    found = question.ranking(eta_mm=100.0)
    assert (question.name, GraspQuestion("folder/x.png").name) == ("rectangle", "x.png")
    assert (found.scored.params.mu, found.scored.params.eta_mm, found.scored.hand.name) == (0.7, 100.0, "parallel_jaw")


def test_parts_and_hands_are_listed(run: Callable[..., Result], run_json: Callable[..., tuple[int, Any]]):
    _, data = run_json("grasps", "--list")
    assert [entry["name"] for entry in data["parts"]] == list(part_names())
    assert [entry["name"] for entry in data["hands"]] == list(hand_names())
    shown = run("grasps", "--list").stdout
    assert all(name in shown for name in (*part_names(), *hand_names()))


def test_reasons_count_together_without_their_figures():
    assert obstacle("finger 2 hits the part 17 mm before its contact while closing; finger 3 ...") == (
        "finger 2 hits the part before its contact while closing"
    )
    assert obstacle("the thumb's tip, 15 mm wide, does not fit: it cuts 2.1 mm into the part") == (
        "the thumb's tip does not fit"
    )
    assert obstacle("finger 2 and finger 3 collide: 4.0 mm too close") == "finger 2 and finger 3 collide"


def test_flat_rows_agree_with_the_grasps():
    found = plan(example_part("rectangle"))
    row, grasp = found.rows()[0], found.grasps[0]
    assert row["contact2_y"] == pytest.approx(grasp.contacts_mm[1, 1])
    assert row["real_focus_x"] == ""  # parallel forces meet nowhere
    assert row["S2"] == grasp.criteria["S2"]


def test_csv_is_written_or_the_place_is_named(tmp_path: Path):
    path = tmp_path / "a.csv"
    write_csv(path, [{"a": 1, "b": None}, {"a": 2, "b": 0.5}])
    assert list(csv.reader(path.read_text(encoding="utf-8").splitlines())) == [["a", "b"], ["1", ""], ["2", "0.5"]]
    with pytest.raises(FileError, match="cannot be written"):
        write_csv(tmp_path, [{"a": 1}])


def test_an_empty_ranking_is_shown_with_its_reason():
    empty = plan(example_part("disc"), "parallel_jaw", rank="paper")
    (line,) = ranking_sheet(empty, "disc", 5)
    assert isinstance(line, Line) and empty.reason in line.text
    assert rows_table([]).rows == []


def test_a_part_without_obstacles_is_reported():
    assert "no obstacle for" in str(reachability_block(plan(example_part("rectangle"), reachability=True)))


def test_heads_of_a_variation_are_short():
    assert list(variation_table([{"rank (lambda_mm = 3)": 1}])[0]) == ["rank lambda=3"]


Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_json_is_the_exchange_form_of_the_ranking(run_json: RunJson):
    code, data = run_json("grasps", "--part", "hexagon")
    assert code == 0
    assert [fault.message for fault in jsonschema.Draft202012Validator(grasp_schema()).iter_errors(data)] == []
    assert data == json.loads(json.dumps(plan(example_part("hexagon").picture(0.5), mm_per_px=0.5).to_dict()))


def test_a_picture_in_a_file_gives_the_grasps_of_the_part(run_json: RunJson, tmp_path: Path):
    import numpy as np
    from PIL import Image

    picture = example_part("rectangle").picture(0.5)
    path = tmp_path / "part.png"
    Image.fromarray((255.0 * picture + 0.5).astype(np.uint8)).save(path)
    code, data = run_json("grasps", path, "--mm-per-px", "0.5")
    assert code == 0
    assert data["object"]["area_mm2"] == pytest.approx(4800.0, rel=1e-3)
    assert data["grasps"][0]["kind"] == "virtual_two_finger"


def test_a_picture_without_a_scale_says_which_one_is_assumed(run: Run, run_json: RunJson, tmp_path: Path):
    import numpy as np
    from PIL import Image

    path = tmp_path / "part.png"
    Image.fromarray((255.0 * example_part("rectangle").picture(1.0) + 0.5).astype(np.uint8)).save(path)
    said = "1 mm per pixel is assumed; give the size of a pixel, --mm-per-px MM, or the width of the part, --width MM"
    assert said in run("grasps", path).stdout
    _, data = run_json("grasps", path)
    assert said in " ".join(data["input"]["notes"])
    assert said in run("grasp-study", "variation", path).stderr
    for scale in (("--mm-per-px", "1"), ("--width", "80")):
        assert "assumed" not in run("grasps", path, *scale).output
    assert "assumed" not in run("grasps", "--part", "rectangle").output


def test_a_contour_in_a_file_gives_the_grasps_of_the_part(run_json: RunJson, tmp_path: Path):
    path = tmp_path / "part.csv"
    path.write_text("\n".join(f"{x},{y}" for x, y in example_part("hexagon").outer) + "\n", encoding="utf-8")
    code, data = run_json("grasps", path)
    assert code == 0
    assert data["object"]["area_mm2"] == pytest.approx(example_part("hexagon").area, rel=1e-9)


def test_tables_show_criteria_poses_reasons_and_what_is_in_the_way(run: Run):
    result = run("grasps", "--part", "casting", "--best", "3", "--reachable")
    assert result.exit_code == 0
    for words in ("Criteria", "Contacts and hand", "cannot reach", "grasp 1 beats grasp 2"):
        assert words in result.stdout
    ranks = [line.split()[0] for line in result.stdout.split("Contacts")[0].splitlines() if "three fingers" in line]
    assert ranks == ["1", "2", "3"]


def test_a_weighted_ranking_shows_what_it_ranks_by(run: Run):
    result = run("grasps", "--part", "hexagon", "--weights", "S2=3,C1=0.5")
    assert result.exit_code == 0
    assert "score" in result.stdout


def test_reachability_leaves_grasps_out_with_the_reason(run_json: RunJson):
    _, free = run_json("grasps", "--part", "casting", "--no-reachability")
    _, checked = run_json("grasps", "--part", "casting", "--reachable")
    assert len(checked["grasps"]) < len(free["grasps"])
    blocked = [g for g in checked["excluded"] if g["valid"]]
    assert all(g["reason"] for g in blocked)
    assert all(not g["reachability"]["ok"] for g in blocked if max(g["force_angles_rad"]) < np.pi / 2.0)
    _, quick = run_json("grasps", "--part", "casting")
    assert [g["reachability"]["ok"] for g in quick["grasps"][:20]] == [True] * 20
    assert quick["grasps"][-1]["reachability"] is None
    assert [g["index"] for g in quick["grasps"][:20]] == [g["index"] for g in checked["grasps"][:20]]


def test_csv_holds_every_ranked_grasp(run: Run, tmp_path: Path):
    path = tmp_path / "grasps.csv"
    assert run("grasps", "--part", "hexagon", "--csv", path).exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = plan(example_part("hexagon").picture(0.5), mm_per_px=0.5)
    assert len([row for row in rows if row["rank"]]) == len(found)
    assert float(rows[0]["Q"]) == pytest.approx(found.best.Q)  # pyright: ignore[reportOptionalMemberAccess]
    assert {"contact1_x", "normal2_y", "force3_x", "real_focus_x", "extension1", "palm_x", "yaw_rad"} <= set(rows[0])


def test_pictures_are_written_as_png_and_svg(run: Run, tmp_path: Path):
    for name in ("best.png", "best.svg"):
        assert run("grasps", "--part", "hexagon", "--best", "3", "--plot", tmp_path / name).exit_code == 0
    assert (tmp_path / "best.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "best.svg").read_text(encoding="utf-8")


def test_no_grasp_is_code_1_with_the_reason_and_a_picture_of_the_part_alone(run: Run, tmp_path: Path):
    result = run("grasps", "--part", "rectangle", "--width", "3000", "--plot", tmp_path / "x.png")
    assert result.exit_code == 1
    assert "no grasp with the hand barrett" in result.stdout
    assert "--plot shows only the part" in result.stderr
    assert (tmp_path / "x.png").exists()


def plate_file(tmp_path: Path, name: str = "plates.svg", head: str = "") -> Path:
    """Two plates, 60 x 40 and 30 x 30 user units, and an open line without fill."""
    body = '<rect width="60" height="40"/><rect x="100" width="30" height="30"/>'
    path = tmp_path / name
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}<path d="M0 60h50v50" fill="none" stroke="red"/></svg>'
    )
    return path


@pytest.mark.parametrize(
    "options, area",
    [
        ((), 2400.0),
        (("--mm-per-px", "2"), 9600.0),
        (("--width", "90"), 5400.0),
        (("--index", "1"), 900.0),
        (("--pick", "110,-10"), 900.0),
        (("--pick", "220,-20", "--mm-per-px", "2", "--width", "45"), 2025.0),
    ],
)
def test_parts_of_a_drawing_are_chosen_and_scaled(run: Run, tmp_path: Path, options: tuple[str, ...], area: float):
    result = run("grasps", plate_file(tmp_path), "--json", *options)
    found = json.loads(result.stdout)
    assert found["object"]["area_mm2"] == pytest.approx(area)
    assert any("1 line without fill is not an area" in words for words in found["input"]["notes"])
    assert found["input"]["segmentation"] is None
    jsonschema.validate(found, grasp_schema())


@pytest.mark.parametrize(
    "name, options, words",
    [
        ("plates.svg", ("--index", "2"), "largest first: 0 at (30, -20) mm, 2.4e+03 mm^2; 1 at (115, -15) mm"),
        ("plates.svg", ("--pick", "80,-10"), "not on a part"),
        ("plates.svg", ("--roi", "0,0,9,9"), "is for pictures"),
        ("plates.svg", ("--width", "-3"), "width_mm"),
        ("plates.csv", ("--mm-per-px", "2"), "leave it out: the file is in mm"),
    ],
)
def test_wrong_wishes_about_a_drawing_are_refused(run: Run, tmp_path: Path, name: str, options: Any, words: str):
    path = plate_file(tmp_path)
    if name.endswith("csv"):
        path = tmp_path / name
        path.write_text("0,0\n60,0\n60,40\n0,40\n")
    result = run("grasps", path, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_a_drawing_that_states_its_size_takes_no_other_scale(run: Run, tmp_path: Path):
    path = plate_file(tmp_path, head='width="70mm" height="70mm" viewBox="0 0 140 140"')
    assert json.loads(run("grasps", path, "--json").stdout)["object"]["area_mm2"] == pytest.approx(600.0)
    result = run("grasps", path, "--mm-per-px", "2")
    assert result.exit_code == 2
    assert "a user unit is 0.5 mm" in result.stderr


def test_smoothing_gives_a_ragged_part_grasps(run: Run, tmp_path: Path):
    # a square with teeth of 2 mm, too fine for straight regions
    x = np.arange(0.0, 60.0)
    side = np.column_stack([x + 0.5, 0.4 * (np.arange(len(x)) % 2)]) - 30.0
    turn = np.array([[0, 1], [-1, 0]])
    square = [side @ np.linalg.matrix_power(turn, k) for k in range(4)]
    path = tmp_path / "teeth.csv"
    np.savetxt(path, np.concatenate(square), delimiter=",")
    assert run("grasps", path, "--rank", "paper", "--smooth", "0.25").exit_code == 1
    assert run("grasps", path, "--rank", "paper", "--smooth", "1").exit_code == 0


def test_a_doubtful_picture_is_refused_with_a_drawing_of_what_was_found(run: Run, tmp_path: Path):
    from tests.grasps.photo_scenes import scene, written

    path = written(tmp_path / "striped.png", scene("striped part").picture)
    result = run("grasps", path, "--mm-per-px", "0.5", "--found", tmp_path / "found.png")
    assert result.exit_code == 2
    assert "confidence in the found object" in result.stderr
    assert (tmp_path / "found.png").exists()
    told = json.loads(run("grasps", path, "--mm-per-px", "0.5", "--least-confidence", "0", "--json").stdout)
    assert told["input"]["segmentation"]["confidence"] < 0.8
    jsonschema.validate(told, grasp_schema())


def test_the_best_three_are_compared_without_being_asked(run: Run):
    told = " ".join(run("grasps", "--part", "casting", "--best", "3").stdout.split())
    assert "grasp 1 beats grasp 2" in told or "grasp 1 and grasp 2 are equal" in told
    assert "grasp 2 beats grasp 3" in told or "grasp 2 and grasp 3 are equal" in told
    assert "grasp 3 beats" not in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--weights", "S2=2,S2=3"], "has S2 twice"),
        (["--plot", "a.png", "--found", "a.png"], "write the same file"),
        (["--csv", "."], "is a folder"),
        (["--pick", "a,b"], "give 2 numbers: 1,2"),
    ],
)
def test_contradictions_are_refused_before_any_table(run: Run, words: list[str], told: str):
    result = run("grasps", "--part", "hexagon", *words)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_csv_holds_what_reachability_says(run: Run, tmp_path: Path):
    path = tmp_path / "all.csv"
    result = run("grasps", "--part", "spanner", "--best", "1", "--reachable", "--csv", path)
    assert result.exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ranked = [row for row in rows if row["rank"]]
    assert len(ranked) > 1 and all(row["reachable"] == "true" and not row["in_the_way"] for row in ranked)
    others = [row for row in rows if not row["rank"]]
    assert others and all(row["reachable"] == "false" and row["in_the_way"] for row in others)


@pytest.mark.parametrize("study", ["variation", "stability"])
def test_every_study_gives_a_table_csv_and_a_picture(run: Run, tmp_path: Path, study: str):
    table, picture = tmp_path / "table.csv", tmp_path / "chart.png"
    result = run("grasp-study", study, "--part", "hexagon", "--csv", table, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "hexagon" in result.stdout
    assert len(list(csv.reader(table.read_text(encoding="utf-8").splitlines()))) > 5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stability_is_that_of_the_function_and_repeats_by_its_seed(run_json: RunJson):
    words = ("grasp-study", "stability", "--part", "hexagon", "--trials", "5", "--seed", "3", "--rotation", "2")
    code, data = run_json(*words)
    assert code == 0
    found = plan(example_part("hexagon").picture(0.5), mm_per_px=0.5, rank="paper")
    expected = stability_study(found, trials=5, seed=3, rotation_rad=np.radians(2.0))
    assert data["rows"] == expected.to_dict()["rows"]
    assert run_json(*words) == (code, data)


def test_variations_are_those_asked_for(run_json: RunJson):
    _, data = run_json(
        "grasp-study", "variation", "--part", "hexagon", "--try-mu", "0.2,0.3", "--try-lambda", "", "--try-w", "4"
    )
    assert [(entry["parameter"], entry["value"]) for entry in data["changes"]] == [("mu", 0.2), ("mu", 0.3), ("W", 4.0)]


def test_without_a_grasp_there_is_nothing_to_study(run: Run, run_json: RunJson):
    result = run("grasp-study", "stability", "--part", "disc", "--hand", "parallel_jaw")
    assert result.exit_code == 1
    assert "no grasp" in result.stdout
    code, data = run_json("grasp-study", "variation", "--part", "disc", "--hand", "parallel_jaw")
    assert code == 1
    assert data["reason"]


def test_bad_numbers_are_told(run: Run):
    for words in (["--try-mu", "a"], ["--try-w", "0"], ["--try-lambda", "-1"]):
        result = run("grasp-study", "variation", "--part", "hexagon", *words)
        assert result.exit_code == 2, words
        assert result.stderr.startswith("error: ")
    assert run("grasp-study", "stability", "--part", "hexagon", "--trials", "0").exit_code == 2
    assert run("grasp-study", "stability", "--part", "hexagon", "--best", "-1").exit_code == 2
