"""The program as a whole: help, version, errors, and one real process."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast
from holdfast.cli import main
from holdfast.console import questions
from holdfast.errors import SolverError
from holdfast.feature import imported
from holdfast.features import commands

Run = Callable[..., Result]

COMMANDS = ["demo", "check", "limit", "sweep", "share", "models", "decompose", "scene"]


def process(
    *words: str | Path, code: str = "from holdfast.cli import main; main()"
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_names_every_command_and_the_exit_codes(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert all(f"\n  {name} " in result.stdout for name in COMMANDS)
    assert "0 holds, 1 does not hold, 2 bad input, 3 undecided" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout or name == "scene"


def test_units_in_the_help_are_not_taken_for_markup(run: Run) -> None:
    assert "[m/s^2]" in run("check", "--help").stdout


def test_the_version(run: Run) -> None:
    assert run("--version").stdout == f"holdfast {holdfast.__version__}\n"


def test_without_a_command_there_is_help(run: Run) -> None:
    assert "Commands:" in run().output


def test_debug_shows_where_an_error_arose(run: Run) -> None:
    plain, debug = run("check", "none.yaml"), run("--debug", "check", "none.yaml")
    assert (plain.exit_code, debug.exit_code) == (2, 2)
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr
    assert plain.stderr.startswith("error: none.yaml: there is no such file")
    assert plain.stdout == ""


def test_a_backend_that_fails_leaves_the_question_undecided(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise SolverError("the numbers are too bad")

    monkeypatch.setattr(importlib.import_module("holdfast.statics.holding"), "equilibrium", failing)
    result = run("check", "@block_on_three_points")
    assert result.exit_code == 3
    assert "too bad" in result.stderr


def test_an_interrupt_ends_cleanly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("holdfast.statics.holding"), "equilibrium", interrupted)
    result = run("check", "@block_on_three_points")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr


def test_a_fault_of_ours_does_not_look_like_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(questions, "load_case", broken)
    for words, traceback in ((["check", "@suction_cup"], False), (["--debug", "check", "@suction_cup"], True)):
        monkeypatch.setattr("sys.argv", ["holdfast", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 70
        err = capsys.readouterr().err
        assert "internal error in Holdfast: ZeroDivisionError: oh" in err
        assert ("Traceback" in err) is traceback


def test_a_real_process_answers_in_json_on_standard_output_alone() -> None:
    done = process("check", "@suction_cup", "--load", "jerk", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "does not hold"
    assert done.stderr == ""


def test_a_real_process_that_is_asked_badly_ends_with_code_2() -> None:
    done = process("check", "nowhere.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: nowhere.yaml")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom holdfast.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'scipy', 'pydantic', 'yaml', 'matplotlib', 'highspy', 'trimesh') if name in sys.modules])"
    )
    done = process("--help", code=code)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [
        ("matplotlib", "plot", ["scene", "show", "@suction_cup", "--plot", "a.png"]),
        ("viser", "view", ["view", "@suction_cup", "--no-open", "--port", "0"]),
    ],
)
def test_a_package_of_an_extra_that_is_missing_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str, extra: str, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    result = run(*words)
    assert result.exit_code == 2
    assert f"needs {package}, which is not installed" in result.stderr
    assert f'pip install "holdfast[{extra}]"' in result.stderr


@pytest.mark.parametrize("name", list(commands()))
def test_every_command_is_where_its_feature_says(name: str) -> None:
    entry = commands()[name]
    assert imported(f"holdfast.{entry.target}") is not None and entry.summary.endswith((".", "?"))
