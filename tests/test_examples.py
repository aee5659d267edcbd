"""Every example runs to its end, and what it claims is so."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs_and_says_what_it_is(path, capsys):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    assert (runpy.run_path(str(path))["__doc__"] or "").strip()


def test_the_climber_arrives_and_never_depends_on_the_brittle_hold():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    example = runpy.run_path(str(FOLDER / "climb_a_wall.py"))
    climber, found = example["climb"](0.25)
    assert found.finished
    for move in found.moves:
        assert move.end != "L5"
        assert move.least >= climber.wanted
