"""`holdfast validate`: tables, JSON, pictures and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from typer.testing import Result

from holdfast.validation import CASES, ValidationReport, validating

Run = Callable[..., Result]


@pytest.fixture
def computed(report: ValidationReport, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the command find these cases computed already, those named spoilt."""

    def use(*spoilt: str) -> None:
        results = {result.name: result for result in report}
        for name in spoilt:
            wrong = tuple(replace(value, bound=0.0, ours=0.5) for value in results[name].comparisons[:1])
            results[name] = replace(results[name], comparisons=wrong)
        known = {name: (lambda progress, name=name: results[name], text) for name, (_, text) in CASES.items()}
        monkeypatch.setattr(validating, "CASES", MappingProxyType(known))

    return use


def test_all_cases_are_printed_with_a_summary(run: Run, computed: Callable[..., None]) -> None:
    computed()
    done = run("validate")
    assert done.exit_code == 0
    for name in CASES:
        assert f"{name}: " in done.stdout
        assert f"{name}: agrees" in done.stderr
    assert "10 stacked blocks: overhang" in done.stdout
    assert "proofs verified" in done.stdout.split("summary")[1]
    assert done.stdout.endswith("verdict: agrees\n")


def test_one_comparison_out_of_bounds_gives_exit_code_1(run: Run, computed: Callable[..., None]) -> None:
    computed("blocks")
    done = run("validate", "blocks", "stances")
    assert done.exit_code == 1
    assert "differs" in done.stdout
    assert "pushes" not in done.stdout
    assert run("validate", "stances").exit_code == 0


def test_json_has_every_comparison(run: Run, computed: Callable[..., None]) -> None:
    computed("stances")
    done = run("validate", "lego-structures", "stances", "--json")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["command"], data["status"]) == (1, "validate", "differs")
    lego, other = data["cases"]
    assert [lego["name"], other["name"]] == ["lego-structures", "stances"]
    assert lego["comparisons"][0]["quantity"] == "stair_19: least pull"
    assert lego["pulls"]["stair_19"][0]["upper"] == 1


def test_the_cases_are_listed_and_unknown_ones_refused(run: Run) -> None:
    listed = run("validate", "--list")
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in CASES)
    assert [case["name"] for case in json.loads(run("validate", "--list", "--json").stdout)["cases"]] == list(CASES)
    refused = run("validate", "block")
    assert refused.exit_code == 2
    assert "did you mean 'blocks'?" in refused.stderr


def test_the_picture_has_a_panel_per_case(run: Run, computed: Callable[..., None], tmp_path: Path) -> None:
    computed()
    pictures = [tmp_path / "one.png", tmp_path / "two.png"]
    assert run("validate", "blocks", "--plot", pictures[0]).exit_code == 0
    assert run("validate", "blocks", "stances", "--plot", pictures[1]).exit_code == 0
    assert pictures[1].stat().st_size > pictures[0].stat().st_size > 10_000
