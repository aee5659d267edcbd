"""`holdfast grasps`: tables, the exchange form, CSV, pictures, exit codes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import Result

from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import grasp_schema

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


def test_a_contour_in_a_file_gives_the_grasps_of_the_part(run_json: RunJson, tmp_path: Path):
    path = tmp_path / "part.csv"
    path.write_text("\n".join(f"{x},{y}" for x, y in example_part("hexagon").outer) + "\n", encoding="utf-8")
    code, data = run_json("grasps", path)
    assert code == 0
    assert data["object"]["area_mm2"] == pytest.approx(example_part("hexagon").area, rel=1e-9)


def test_tables_show_criteria_poses_reasons_and_what_is_in_the_way(run: Run):
    result = run("grasps", "--part", "casting", "--best", "3", "--reachable", "--why", "1,2", "--metrics")
    assert result.exit_code == 0
    for words in ("Criteria", "Contacts and hand", "cannot get to", "epsilon [N]", "grasp 1 beats grasp 2"):
        assert words in result.stdout
    ranks = [line.split()[0] for line in result.stdout.split("Contacts")[0].splitlines() if "three fingers" in line]
    assert ranks == ["1", "2", "3"]


@pytest.mark.parametrize("words", [["--rank", "borda"], ["--rank", "minmax"], ["--weights", "S2=3,C1=0.5"]])
def test_other_ways_of_ranking_show_what_they_rank_by(run: Run, words: list[str]):
    result = run("grasps", "--part", "hexagon", *words)
    assert result.exit_code == 0
    assert "score" in result.stdout


def test_reachability_leaves_grasps_out_with_the_reason(run_json: RunJson):
    _, free = run_json("grasps", "--part", "casting")
    _, checked = run_json("grasps", "--part", "casting", "--reachable")
    assert len(checked["grasps"]) < len(free["grasps"])
    blocked = [g for g in checked["excluded"] if g["valid"]]
    assert all(not g["reachability"]["ok"] and g["reachability"]["reason"] for g in blocked)
    _, low = run_json("grasps", "--part", "hexagon", "--height", "200")
    assert low["grasps"] == []
    assert low["reason"]
    assert all("the palm comes down on the part" in g["reason"] for g in low["excluded"] if g["valid"])


def test_csv_holds_every_ranked_grasp(run: Run, tmp_path: Path):
    path = tmp_path / "grasps.csv"
    assert run("grasps", "--part", "hexagon", "--csv", path).exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = plan(example_part("hexagon").picture(0.5), mm_per_px=0.5)
    assert len(rows) == len(found)
    assert float(rows[0]["Q"]) == pytest.approx(found.best.Q)  # pyright: ignore[reportOptionalMemberAccess]
    assert {"contact1_x", "normal2_y", "force3_x", "real_focus_x", "extension1", "palm_x", "yaw_rad"} <= set(rows[0])


def test_pictures_are_written_as_png_and_svg(run: Run, tmp_path: Path):
    files = {"--plot": "best.png", "--sheet": "sheet.svg", "--distributions": "criteria.png"}
    words = [word for option, name in files.items() for word in (option, str(tmp_path / name))]
    assert run("grasps", "--part", "hexagon", "--best", "3", *words).exit_code == 0
    assert (tmp_path / "best.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "sheet.svg").read_text(encoding="utf-8")
    assert (tmp_path / "criteria.png").stat().st_size > 5000


def test_no_grasp_is_code_1_with_the_reason_and_no_picture(run: Run, tmp_path: Path):
    result = run("grasps", "--part", "disc", "--hand", "parallel_jaw", "--plot", tmp_path / "x.png")
    assert result.exit_code == 1
    assert "no grasp with the hand parallel_jaw" in result.stdout
    assert not (tmp_path / "x.png").exists()


def test_the_schema_is_printed(run: Run):
    assert json.loads(run("grasps", "--schema").stdout) == grasp_schema()


def test_the_best_three_are_compared_without_being_asked(run: Run):
    told = " ".join(run("grasps", "--part", "casting", "--best", "3").stdout.split())
    assert "grasp 1 beats grasp 2" in told or "grasp 1 and grasp 2 are equal" in told
    assert "grasp 2 beats grasp 3" in told or "grasp 2 and grasp 3 are equal" in told
    assert "grasp 3 beats" not in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--weights", "S2=2,S2=3"], "names S2 twice"),
        (["--plot", "a.png", "--sheet", "a.png"], "write the same file"),
        (["--csv", "."], "is a folder"),
        (["--pick", "a,b"], "give 2 numbers: 1,2"),
    ],
)
def test_contradictions_are_refused_before_any_table(run: Run, words: list[str], told: str):
    result = run("grasps", "--part", "hexagon", *words)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_csv_holds_what_metrics_and_reachability_say(run: Run, tmp_path: Path):
    path = tmp_path / "all.csv"
    result = run("grasps", "--part", "hexagon", "--best", "1", "--reachable", "--metrics", "--csv", path)
    assert result.exit_code == 0
    assert "normal forces add up to 1 N" in result.stdout
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ranked = [row for row in rows if row["rank"]]
    assert len(ranked) > 1 and all(row["reachable"] == "true" and not row["in_the_way"] for row in ranked)
    others = [row for row in rows if not row["rank"]]
    assert others and all(row["reachable"] == "false" and row["in_the_way"] for row in others)
    assert all(float(row["epsilon"]) > 0.0 for row in ranked)
