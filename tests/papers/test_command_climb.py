from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Run = Callable[..., Result]

#: One grip, roughly learned, on one wall.
SMALL = ("paper", "climb", "--grip", "opposing", "--wall", "overhang", "--samples", 20, "--directions", 4)


def test_the_study_is_printed_written_and_kept(run: Run, tmp_path: Path) -> None:
    kept, out = tmp_path / "kept", tmp_path / "out"
    result = run(*SMALL, "--cache", kept, "--out", out)
    assert result.exit_code == 0, result.output
    assert "support regions of the climber" in result.output
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
    again = run(*SMALL, "--cache", kept, "--json")
    data = json.loads(again.stdout)
    assert data["command"] == "paper climb"
    two, one = data["cases"]
    assert (two["stance"], one["stance"]) == ("two hands", "one hand")
    assert two["exact"]["areas"][0] > one["exact"]["areas"][1]
    assert (two["holds"], one["holds"]) == ("yes", "no")
    assert data["claims"] == []


def test_bad_options_are_told(run: Run) -> None:
    result = run("paper", "climb", "--grip", "pich")
    assert result.exit_code == 2
    assert "pinch" in result.output
    assert run("paper", "climb", "--samples", 0).exit_code == 2
