"""Names of files neither steer the terminal nor become formulas, whatever command prints them and wherever."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from holdfast.console.output import csv_text
from holdfast.features import commands
from tests.hostile_words import FORMULA, MATHEMATICS, SIGNS, saved

#: What no output may contain: control characters, marks of direction, other ends of lines, signs without width.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")

WORDS = f"{FORMULA} {SIGNS} {MATHEMATICS}"

CUBES, BLOCK = "scenes/stacked_cubes.yaml", "scenes/block_on_three_points.yaml"

#: One line per command that reads a file with names; FILE stands for it, OTHER for a file to be written.
LINES = (
    ("check FILE --explain --plot OTHER.png", BLOCK),
    ("check FILE --explain --plot OTHER.svg", CUBES),
    ("check FILE --csv -", BLOCK),
    ("limit FILE --direction 0,0,-1 --explain --plot OTHER.svg", BLOCK),
    ("limit FILE --csv -", CUBES),
    ("sweep FILE --n 3 --csv -", BLOCK),
    ("onset FILE --plot OTHER.png", BLOCK),
    ("share FILE --plot OTHER.svg", BLOCK),
    ("share FILE --csv -", BLOCK),
    ("space FILE --level 1 --plot OTHER.png", BLOCK),
    ("compare FILE @block_on_slope --level 0 --markdown -", BLOCK),
    ("compare FILE @block_on_slope --level 0 --csv -", BLOCK),
    ("stability FILE --plot OTHER.png", BLOCK),
    ("motion FILE --plot OTHER.png", BLOCK),
    ("separate FILE", BLOCK),
    ("sensitivity FILE --direction 0,0,1 --plot OTHER.png", BLOCK),
    ("sensitivity FILE --direction 0,0,1 --csv -", BLOCK),
    ("report FILE -o - --slices none", BLOCK),
    ("report FILE -o OTHER.html --slices none", CUBES),
    ("scene show FILE", CUBES),
    ("scene copy FILE -", BLOCK),
    ("posture FILE", "postures/tripod_on_flat_ground.yaml"),
    ("support FILE --plot OTHER.png", "postures/tripod_on_flat_ground.yaml"),
    ("motions FILE --plot OTHER.png", "planar/ladder.yaml"),
    ("torques FILE --plot OTHER.png", "planar/two_link_snake.yaml"),
    ("check FILE --load nothing", BLOCK),
    ("check FILE --direction z", BLOCK),
)


def assert_steers_nothing(result: Result) -> None:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 70, result.output
    assert STEERING.findall(result.stdout + result.stderr) == []


@pytest.mark.parametrize(("line", "ready"), LINES)
@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # that a font lacks a sign
def test_no_command_prints_a_sign_that_steers_the_terminal(
    run: Callable[..., Result], tmp_path: Path, line: str, ready: str
) -> None:
    file = saved(tmp_path, ready, WORDS)
    words = [word.replace("FILE", str(file)).replace("OTHER", str(tmp_path / "other")) for word in line.split()]
    assert words[0] in commands()
    result = run(*words)
    assert_steers_nothing(result)
    if "--load" not in line and "--direction z" not in line:
        assert result.exit_code in (0, 1), result.output
    if words[-1] != "-" and "OTHER" not in line:
        told = run(*words, "--json")
        if told.exit_code in (0, 1):
            assert_steers_nothing(told)
            json.loads(told.stdout)
    for written in tmp_path.glob("other.*"):
        if written.suffix in (".html", ".svg"):
            assert STEERING.findall(written.read_text("utf-8")) == []


def test_errors_of_files_and_options_steer_nothing(run: Callable[..., Result], tmp_path: Path) -> None:
    broken = tmp_path / f"{SIGNS.replace(chr(0), '')}.yaml"
    broken.write_text(f"{json.dumps(SIGNS)}: {json.dumps(SIGNS)}\n")
    for words in (
        ("check", broken),
        ("check", "no" + SIGNS),
        ("check", "--no" + SIGNS),
        (SIGNS,),
        ("limit", "@" + SIGNS),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert_steers_nothing(result)


def test_warnings_logs_and_tracebacks_of_the_process_steer_nothing(tmp_path: Path) -> None:
    file = saved(tmp_path, BLOCK, WORDS)
    code = (
        "import sys, logging, warnings; from holdfast.cli import main; import holdfast.statics.command as c\n"
        f"words = {WORDS!r}\n"
        "def fail(*_, **__):\n"
        "    warnings.warn(words); logging.getLogger('holdfast.x').warning(words); print(words)\n"
        "    raise RuntimeError(words)\n"
        "import holdfast.console.questions as q; q.SceneQuestion.read = fail\n"
        f"sys.argv = ['holdfast', '-v', '--debug', 'check', {str(file)!r}]; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=os.environ, timeout=300, check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 70 and said.count("\\u001b[2J") >= 4
    assert STEERING.findall(said) == []


def test_texts_in_csv_are_no_formulas_and_numbers_stay_numbers() -> None:
    texts = ["=1", "+1+cmd", "-a", "@x", "\t=1", "\r=1", " =1", "\uff1d1", "\n=1", f"{FORMULA}"]
    rows = [{"name": text, "=head": -1.5, "limit": float("-inf"), "vector": [-1.0, 2.0]} for text in texts]
    header, *read = csv.reader(io.StringIO(csv_text(rows)))
    assert header == ["name", "'=head", "limit", "vector"]
    assert all(row[0].startswith("'") for row in read)
    assert all(row[1:] == ["-1.5", "-inf", "-1.0; 2.0"] for row in read)
    assert csv_text([{"a": "front", "b": "-3.5e-07"}]) == "a,b\nfront,-3.5e-07\n"
