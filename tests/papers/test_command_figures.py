from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

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
