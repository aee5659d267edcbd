from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.papers.command import strip_frames
from holdfast.papers.slip import EVENTS, slip_study

Run = Callable[..., Result]
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


def test_bad_options_are_told(run: Run, tmp_path: Path) -> None:
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
