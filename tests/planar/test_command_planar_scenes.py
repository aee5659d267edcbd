"""What the planar commands share: the list of ready scenes, wrong kinds, sets in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.planar import Polyhedron
from holdfast.planar.command import cleaned, row_in_words, rows_in_words, tuple_in_words
from holdfast.scenes import planar_names

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.mark.parametrize(("command", "kinds"), [("motions", "body chain"), ("torques", "chain"), ("climb", "climb")])
def test_each_command_lists_the_ready_scenes_it_can_be_asked_about(run_json: RunJson, command, kinds):
    code, data = run_json(command, "--list")
    names = [f"@{name}" for kind in kinds.split() for name in planar_names(kind)]
    assert code == 0 and [scene["name"] for scene in data["scenes"]] == names
    assert all(len(scene["title"]) > 20 for scene in data["scenes"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["motions"], "--list shows the ready ones"),
        (["motions", "@climb_straight"], "ask: holdfast climb"),
        (["torques", "@ladder"], "ask: holdfast motions"),
        (["climb", "@two_link_snake"], "ask: holdfast torques"),
        (["torques", "@two_link_snke"], "did you mean '@two_link_snake'"),
        (["torques", "nowhere.yaml"], "no such file"),
        (["motions", "@ladder", "--plot", "ladder.txt"], ".png"),
        (["climb", "@climb_straight", "--animate", "climb.mp4"], ".gif"),
    ],
)
def test_bad_questions_end_with_code_2_and_say_what_would_be_right(run: Run, words, message):
    result = run(*words)
    assert result.exit_code == 2 and message in result.stderr


def test_rows_are_told_as_one_would_write_them():
    assert row_in_words(np.array([-2.0]), 0.4, ">=") == "tau_1 <= -0.2"
    assert row_in_words(np.array([0.0, 3.0]), 0.0, ">") == "tau_2 > 0"
    assert row_in_words(np.array([1.0, -0.5, 0.0]), 1.0, ">=") == "tau_1 - 0.5 tau_2 >= 1"
    assert row_in_words(np.array([-1.0, 1.0]), 2.0, "=") == "-tau_1 + tau_2 = 2"
    assert rows_in_words(Polyhedron(dimension=2)) == ["every torque"]
    band = Polyhedron([[1.0, 0.0]], [2.0], [[0.0, 1.0]], [3.0], strict=[True])
    assert rows_in_words(band) == ["tau_1 > 2", "tau_2 = 3"]


def test_numbers_for_tables_lose_their_rounding():
    assert cleaned(np.array([1.0, 1e-16, -1e-13])).tolist() == [1.0, 0.0, 0.0]
    assert tuple_in_words([1.0, 2.5]) == "(1, 2.5)" and tuple_in_words([0.25]) == "0.25"
