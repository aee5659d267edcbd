"""Arguments of the commands on planar grasps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.cli.grasp_inputs import ask
from holdfast.errors import FileError, InputError
from holdfast.grasps.hands import hand_names
from holdfast.grasps.parts import part_names


def test_just_one_of_picture_and_part_is_asked_about(tmp_path: Path):
    with pytest.raises(InputError, match="is missing"):
        ask(None, None)
    with pytest.raises(InputError, match="beside --part"):
        ask("a.png", "disc")
    with pytest.raises(FileError, match="no such file"):
        ask(str(tmp_path / "a.png"), None).ranking()
    with pytest.raises(FileError, match="is a folder"):
        ask(str(tmp_path), None).ranking()


def test_parts_are_drawn_at_the_scale_asked_for():
    fine, usual = ask(None, "rectangle", scale=0.25).ranking(), ask(None, "rectangle").ranking()
    assert (fine.mm_per_px, usual.mm_per_px) == (0.25, 0.5)
    assert fine.scored.shape.area_mm2 == pytest.approx(4800.0, rel=1e-3)


def test_settings_reach_the_plan_and_the_name_is_that_of_the_file():
    question = ask(None, "rectangle", settings={"mu": 0.7, "hand": "parallel_jaw"})
    found = question.ranking()
    assert (question.name, ask("folder/x.png", None).name) == ("rectangle", "x.png")
    assert (found.scored.params.mu, found.scored.hand.name) == (0.7, "parallel_jaw")


def test_parts_and_hands_are_listed(run: Callable[..., Result], run_json: Callable[..., tuple[int, Any]]):
    _, data = run_json("grasps", "--list")
    assert [entry["name"] for entry in data["parts"]] == list(part_names())
    assert [entry["name"] for entry in data["hands"]] == list(hand_names())
    shown = run("grasps", "--list").stdout
    assert all(name in shown for name in (*part_names(), *hand_names()))
