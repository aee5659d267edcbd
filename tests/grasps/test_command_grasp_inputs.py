"""Arguments of the commands on planar grasps."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.errors import FileError, InputError
from holdfast.grasps.command import GraspQuestion, about_a_part
from holdfast.grasps.hands import hand_names
from holdfast.grasps.parts import part_names


def test_just_one_of_picture_and_part_is_asked_about(tmp_path: Path):
    with pytest.raises(InputError, match="is missing"):
        GraspQuestion().ranking()
    with pytest.raises(InputError, match="beside --part"):
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


def test_a_command_about_a_part_has_the_options_of_the_question_before_its_own():
    asked: list[tuple[GraspQuestion, int]] = []

    @about_a_part
    def command(question: GraspQuestion, own: int = 1) -> None:
        asked.append((question, own))

    names = [field.name for field in fields(GraspQuestion)]
    assert list(inspect.signature(command).parameters) == [*names, "own"]
    defaults = {name: parameter.default for name, parameter in inspect.signature(command).parameters.items()}
    command(**{**defaults, "part": "disc", "own": 3})
    assert asked == [(GraspQuestion(part="disc"), 3)]


def test_parts_and_hands_are_listed(run: Callable[..., Result], run_json: Callable[..., tuple[int, Any]]):
    _, data = run_json("grasps", "--list")
    assert [entry["name"] for entry in data["parts"]] == list(part_names())
    assert [entry["name"] for entry in data["hands"]] == list(hand_names())
    shown = run("grasps", "--list").stdout
    assert all(name in shown for name in (*part_names(), *hand_names()))
