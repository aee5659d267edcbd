"""Every command takes the same options, recognises every kind of file, and writes tables where it is told to."""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

import holdfast as hf
from holdfast.console.options import STDOUT, JsonOption
from holdfast.console.output import csv_text
from holdfast.console.questions import Output, ReadyFile, SceneQuestion, with_groups
from holdfast.errors import FileError
from holdfast.features import commands
from holdfast.files.reader import KINDS, OTHER_KINDS, other_kind

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

#: Commands that ask about a scene, a posture or a robot under a load.
QUESTIONS = (
    *("check", "limit", "sweep", "onset", "share", "space", "compare", "stability", "motion", "motions", "separate"),
    *("probability", "sensitivity", "report", "posture", "support", "robot"),
)
#: Further commands that take a ready file by its name.
READY = (
    "torques",
    "climb",
    "view",
    "scene validate",
    "scene show",
    "scene copy",
    "grip learn",
    "grasps",
    "grasp-study variation",
)


def options(run: Run, *command: str) -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]*", run(*command, "--help").stdout))


@pytest.mark.parametrize("command", QUESTIONS)
def test_every_question_takes_the_same_load_gravity_and_output_options(run: Run, command: str) -> None:
    wanted = {"--load", "--gravity", "--tilt", "--wrench", "--no-weight", "--list", "--json", "--csv"}
    assert wanted <= options(run, command)
    assert "--plot" in options(run, command) or command == "report"  # which writes a page


@pytest.mark.parametrize("command", (*QUESTIONS, *READY))
def test_ready_files_are_listed_where_a_name_is_accepted(run: Run, command: str) -> None:
    result = run(*command.split(), "--list")
    assert (result.exit_code == 0 and result.exception is None) or isinstance(result.exception, SystemExit)
    names = re.findall(r"^ *@?[a-z][\w-]*", result.stdout, re.M)
    assert len(names) >= 3


def test_no_command_that_takes_ready_files_is_forgotten(run: Run) -> None:
    taking = [name for name in commands() if "@name" in run(name, "--help").stdout]
    assert set(taking) <= {*QUESTIONS, *(name.split()[0] for name in READY)}


def test_listed_names_are_those_of_the_files(run_json: RunJson) -> None:
    assert [entry["name"] for entry in run_json("check", "--list")[1]["scenes"]] == [
        f"@{name}" for name in KINDS["scene"].names()
    ]
    assert {entry["name"] for entry in run_json("support", "--list")[1]["postures"]} == {
        f"@{name}" for name in KINDS["posture"].names()
    }
    assert "@climber" in [entry["name"] for entry in run_json("robot", "--list")[1]["robots"]]


def test_a_missing_file_is_asked_for_by_name(run: Run) -> None:
    for command, word in (("check", "SCENE"), ("posture", "POSTURE"), ("robot", "ROBOT")):
        result = run(command)
        assert result.exit_code == 2
        assert f"error: {word}: is missing" in result.stderr and f"holdfast {command} --list" in result.stderr


# -- groups -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Longer(SceneQuestion):
    """A group that adds a field to one of another module."""

    own: int = 3


def test_groups_become_options_and_a_command_gets_them_whole() -> None:
    asked: list[Any] = []

    @with_groups
    def command(question: Longer, output: Output, last: int = 1) -> None:
        asked.append((question, output, last))

    names = [*inspect.signature(command).parameters]
    assert names[:3] == ["context", "scene", "listing"] and names[-1] == "last" and "own" in names
    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, ["a.yaml", "--load", "x", "--load", "y", "--own", "4", "--json"]).exit_code == 0
    question, output, last = asked[0]
    assert (question.scene, question.loads, question.own, output.json, last) == ("a.yaml", ["x", "y"], 4, True, 1)


def test_two_outputs_cannot_both_be_standard_output(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="--csv and --json write to standard output"):
        Output(json=True, csv=STDOUT)
    with pytest.raises(FileError, match="--plot and --csv write the same file"):
        Output(plot=tmp_path / "a.png", csv=tmp_path / "a.png")
    assert Output(json=True, csv=tmp_path / "a.csv").targets["json"] is True


def test_json_of_a_command_alone_reaches_its_list() -> None:
    @with_groups
    def command(question: ReadyFile, json: JsonOption = False) -> None:
        raise AssertionError("it is not run with --list")

    app = typer.Typer()
    app.command()(command)
    listed = CliRunner().invoke(app, ["--list", "--json"])
    assert next(entry["name"] for entry in json.loads(listed.stdout)["scenes"]).startswith("@")


# -- kinds of files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of every kind."""
    folder, data = tmp_path_factory.mktemp("kinds"), Path(hf.__file__).parent / "data"
    for name, source in {
        "scene.yaml": "scenes/suction_cup.yaml",
        "bodies.yaml": "scenes/arch.yaml",
        "posture.yaml": "postures/tripod_on_flat_ground.yaml",
        "body.yaml": "planar/peg_in_hole.yaml",
        "climb.yaml": "planar/climb_straight.yaml",
        "dog.urdf": "robots/climber.urdf",
        "hand.toml": "hands/barrett.toml",
        "pulls.csv": "microspine_unit.csv",
    }.items():
        shutil.copy(data / source, folder / name)
    (folder / "dog.yaml").write_text("holdfast: 1\nrobot: {urdf: dog.urdf}\nfeet: auto\n", encoding="utf-8")
    (folder / "part.png").write_bytes(b"\x89PNG")
    (folder / "part.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "block.stl").write_text("solid", encoding="utf-8")
    (folder / "dog.srdf").write_text("<robot/>", encoding="utf-8")
    hf.coulomb_grip(0.5).save(folder / "grip.h5")
    hf.LimitSurface.from_samples(9.0 * hf.loads.sphere_directions(50)).save(folder / "surface.json")
    return folder


#: Which command fits each file: words of the error that every other command ends with.
FITS = {
    "posture.yaml": "holdfast posture {} or holdfast support {}",
    "body.yaml": "holdfast motions {}",
    "climb.yaml": "holdfast climb {}",
    "dog.yaml": "holdfast robot {}",
    "dog.urdf": "holdfast robot {}",
    "dog.srdf": "holdfast robot URDF --srdf FILE",
    "hand.toml": "holdfast grasps PICTURE --hand FILE",
    "pulls.csv": "holdfast decompose {}, holdfast scatter {} or holdfast grasps {}",
    "part.png": "holdfast grasps {}",
    "part.svg": "holdfast grasps {}",
    "block.stl": "shape: {{kind: mesh, file: FILE}}",
    "grip.h5": "holdfast grip info {} or holdfast grip show {}",
    "surface.json": "holdfast decompose {}",
    "scene.yaml": "holdfast check {}",
    "bodies.yaml": "holdfast check {}",
}
#: What each command takes, in addition to the kinds that all commands of scenes take.
TAKES = {
    **dict.fromkeys(QUESTIONS, ("scene.yaml", "bodies.yaml")),
    "posture": ("posture.yaml",),
    "support": ("posture.yaml",),
    "robot": ("dog.yaml", "dog.urdf"),
    "motions": ("scene.yaml", "bodies.yaml", "body.yaml"),
    "torques": (),
    "climb": ("climb.yaml",),
    "grasps": ("part.png", "part.svg", "pulls.csv"),
    "decompose": ("pulls.csv", "surface.json"),
    "scatter": ("pulls.csv",),
    "grip show": ("grip.h5",),
    "grip info": ("grip.h5",),
    "scene show": ("scene.yaml", "bodies.yaml"),
}


@pytest.mark.parametrize("command", TAKES)
def test_every_command_names_the_one_that_fits_a_file_of_another_kind(run: Run, files: Path, command: str) -> None:
    for name in FITS.keys() - set(TAKES[command]):
        path = files / name
        result = run(*command.split(), path)
        assert result.exit_code == 2, (command, name, result.output)
        fits = FITS[name].replace("{}", str(path)).replace("{{", "{").replace("}}", "}")
        assert fits in " ".join(result.stderr.split()), (command, name, result.stderr)


@pytest.mark.parametrize(
    ("command", "kind", "page"),
    [
        ("support", "posture", "docs/posture-files.md"),
        ("posture", "posture", "docs/posture-files.md"),
        ("robot", "robot", "docs/robots.md"),
        ("check", "scene", "docs/scene-files.md"),
        ("climb", "planar scene", "docs/planar-files.md"),
    ],
)
def test_the_refusal_of_another_kind_names_the_page_about_the_right_one(
    run: Run, files: Path, command: str, kind: str, page: str
) -> None:
    said = f"holdfast {command} takes {kind} files, described in {page}; ready ones: holdfast {command} --list"
    wrong = ["part.png", *(["dog.yaml", "@tripod_on_flat_ground"] if command == "check" else ["scene.yaml"])]
    for name in wrong:
        result = run(command, name if name.startswith("@") else files / name)
        assert result.exit_code == 2 and said in " ".join(result.stderr.split()), result.stderr
    assert (Path(__file__).parents[2] / page).is_file()
    missing = run(command, files / "nothing.yaml").stderr
    assert said not in missing


def test_a_tilt_turns_gravity_alike_in_every_command(run_json: RunJson) -> None:
    steep = np.radians(20.0)
    for tilt, way in (("20", (1.0, 0.0)), ("20,90", (0.0, 1.0)), ("-20", (-1.0, 0.0))):
        wanted = 9.80665 * np.array([np.sin(steep) * way[0], np.sin(steep) * way[1], -np.cos(steep)])
        for words in (["check", "@block_on_three_points"], ["posture", "@tripod_on_flat_ground"]):
            _, data = run_json(*words, f"--tilt={tilt}")
            assert np.allclose(data["gravity"], wanted)
    _, flat = run_json("limit", "@block_on_three_points", "--tilt", "20", "--weight", "all")
    _, given = run_json(
        "limit", "@block_on_three_points", f"--gravity={9.80665 * np.sin(steep)},0,{-9.80665 * np.cos(steep)}"
    )
    assert np.allclose(flat["limits"][0]["direction"], given["limits"][0]["direction"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sweep", "@block_on_three_points", "--tilt", "5"], "sweep turns gravity itself"),
        (["onset", "@block_on_three_points", "--tilt", "5"], "gravity turns from --from to --to"),
        (["check", "@block_on_three_points", "--tilt", "5", "--gravity", "0,0,0"], "there is no gravity to turn"),
        (["motions", "@three_points", "--tilt", "5"], "is for scenes in space"),
    ],
)
def test_a_tilt_that_cannot_apply_says_why(run: Run, words: list[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2 and f"--tilt: {said}" in result.stderr


@pytest.mark.parametrize("command", ["share", "space", "compare", "stability", "motion", "motions", "sensitivity"])
def test_questions_about_one_object_name_those_about_several_bodies(run: Run, command: str) -> None:
    result = run(command, "@arch")
    assert result.exit_code == 2
    assert f"has 9 bodies, and holdfast {command} takes one object" in result.stderr
    assert "holdfast check, limit, sweep, onset, separate, probability and report take several bodies" in result.stderr


def test_every_other_kind_says_what_can_be_done_with_it(tmp_path: Path) -> None:
    for kind in OTHER_KINDS.values():
        assert kind.commands or kind.advice
        for command in kind.commands:
            assert command.split()[0] in commands()
        for suffix in kind.suffixes:
            assert other_kind(tmp_path / f"file{suffix.upper()}") is kind
    for kind in KINDS.values():
        assert all(command in commands() for command in (*kind.commands, *sum(kind.variants.values(), ())))


# -- the same options mean the same -------------------------------------------------------------------


def rows_of(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


CUP = "@suction_cup"
MICROSPINE = str(Path(hf.__file__).parent / "data" / "microspine_unit.csv")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["check", CUP], 8),
        (["limit", CUP, "--load", "jerk", "--direction", "0,0,-1"], 2),
        (["sweep", CUP, "--n", "6"], 6),
        (["onset", CUP, "--to", "10", "--step", "5"], 3),
        (["share", CUP], None),
        (["space", CUP, "--level", "1"], 42),
        (["compare", CUP, "@two_opposed_units", "--level", "0"], None),
        (["stability", "@block_on_slope"], None),
        (["motion", "@block_on_slope"], 4),
        (["separate", "@block_on_slope"], 4),
        (["motions", "@block_on_slope"], None),
        (["motions", "@three_points"], None),
        (["probability", "@gecko_on_glass", "--scatter-strength", "0.3", "--samples", "50"], 1),
        (["probability", CUP, "--scatter-strength", "0.3", "--samples", "20", "--curve", "angle"], 37),
        (["sensitivity", CUP, "--load", "jerk"], None),
        (["posture", "@tripod_on_flat_ground"], 3),
        (["support", "@tripod_on_flat_ground"], 3),
        (["torques", "@two_link_snake"], None),
        (["models"], None),
        (["models", "coulomb"], None),
        (["scene", "list"], None),
        (["decompose", MICROSPINE, "--pieces", "2", "--error", "9"], None),
        (["climb", "@climb_straight"], None),
    ],
    ids=lambda words: "-".join(map(str, words[:2])) if isinstance(words, list) else "",
)
def test_the_main_table_goes_to_standard_output_alone(run: Run, words: list[str], count: int | None) -> None:
    shown = run(*words, "--csv", "-")
    assert shown.exit_code in (0, 1, 3), shown.stderr
    rows = rows_of(shown.stdout)
    assert len(rows) == count if count else rows
    assert all(None not in row and None not in row.values() for row in rows)  # as many cells as columns
    assert "written" not in shown.stderr


def test_the_table_is_that_of_the_json(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    shown = run("sweep", CUP, "--n", 6, "--csv", tmp_path / "sweep.csv")
    rows = rows_of((tmp_path / "sweep.csv").read_text(encoding="utf-8"))
    found = run_json("sweep", CUP, "--n", 6)[1]["results"]
    assert "verdict" in shown.stdout and f"written: {tmp_path / 'sweep.csv'}" in shown.stderr
    for row, wanted in zip(rows, found, strict=True):
        assert row["status"] == wanted["status"] and float(row["angle_deg"]) == wanted["angle_deg"]
        assert float(row["load_factor"]) == pytest.approx(float(wanted["load_factor"]), rel=1e-12)
        assert [float(row[f"gravity_{axis}"]) for axis in "xyz"] == wanted["gravity"]


def test_cells_are_plain(tmp_path: Path) -> None:
    text = csv_text([{"a": np.inf, "b": None, "c": True}, {"a": 0.1, "d": ["x", "y"]}])
    assert text == "a,b,c,d\ninf,,true,\n0.1,,,x; y\n"
    assert csv_text([]) == "\n"


def test_a_sweep_with_a_load_is_a_check_in_each_direction(run_json: RunJson) -> None:
    _, data = run_json("sweep", CUP, "--n", 4, "--load", "jerk")
    for result in data["results"]:
        gravity = ",".join(repr(x) for x in result["gravity"])
        _, one = run_json("check", CUP, "--load", "jerk", f"--gravity={gravity}")
        assert one["status"] == result["status"]
        assert float(one["load_factor"]) == pytest.approx(float(result["load_factor"]), rel=1e-5)
    assert data["loads"] == ["jerk"]


def test_a_limit_without_a_direction_is_that_of_the_weight(run_json: RunJson) -> None:
    _, limit = run_json("limit", CUP)
    _, check = run_json("check", CUP)
    assert limit["limits"][0]["name"] == "weight"
    assert limit["limits"][0]["value"] == pytest.approx(check["load_factor"], rel=1e-6)
    _, turned = run_json("limit", CUP, "--gravity=0,0,9.80665")
    _, again = run_json("limit", CUP, "--wrench=0,0,1.961330,0,0,0")
    assert turned["limits"][0]["value"] == again["limits"][0]["value"] == "inf"


def test_a_wrench_grows_alone_and_a_load_without_weight_too(run_json: RunJson) -> None:
    scene = hf.load(CUP)
    wrench = ",".join(repr(float(x)) for x in scene.load("jerk"))
    _, by_wrench = run_json("onset", CUP, f"--wrench={wrench}")
    _, by_name = run_json("onset", CUP, "--load", "jerk", "--no-weight")
    _, limit = run_json("limit", CUP, "--load", "jerk")
    assert by_wrench["value"] == pytest.approx(limit["limits"][0]["value"], rel=1e-5)
    assert by_name["value"] == pytest.approx(by_wrench["value"], rel=1e-9)


def test_a_wrench_space_on_top_of_a_load_is_what_may_be_added_to_it(run: Run) -> None:
    scene = hf.load(CUP)
    base = scene.gravity_load()
    rows = rows_of(run("space", CUP, "--level", "1", "--gravity=0,0,-9.80665", "--csv", "-").stdout)
    bare = scene.assembly  # no joints: gravity acts on the object alone
    for row in rows[::7]:
        direction = np.array([float(row[f"direction_{name}"]) for name in ("fx", "fy", "fz", "tx", "ty", "tz")])
        added = hf.statics.largest_on_ramp(bare, base, direction)
        assert float(row["value"]) == pytest.approx(added.value, rel=1e-5)


def test_options_that_cannot_apply_say_why(run: Run) -> None:
    for words, reason in (
        (["sweep", CUP, "--no-weight"], "sweep turns the weight"),
        (["sweep", CUP, "--wrench=1,0,0,0,0,0"], "holdfast check --wrench"),
        (["onset", CUP, "--no-weight"], "give --load NAME or --wrench"),
        (["support", "@tripod_on_flat_ground", "--no-weight"], "where the weight may act"),
        (["limit", CUP, "--no-weight"], "give --direction FX,FY,FZ"),
        (["sensitivity", CUP, "--direction", "0,0,-1", "--load", "jerk"], "give one of the two"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and reason in result.stderr, (words, result.stderr)


def test_reports_about_chosen_loads_and_on_standard_output(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["report", CUP, "--slices", "none", "--date", "today"]
    _, data = run_json(*words, "-o", page, "--load", "jerk")
    assert [load["load"] for load in data["loads"]] == ["weight + jerk"]
    shown = run(*words, "-o", "-", "--load", "jerk")
    assert shown.stdout == page.read_text(encoding="utf-8")
    _, alone = run_json(*words, "-o", tmp_path / "alone.html", "--load", "jerk", "--no-weight")
    assert alone["loads"][0]["load"] == "jerk"
    unknown = run(*words, "-o", tmp_path / "no.html", "--load", "jork")
    assert unknown.exit_code == 2 and "did you mean 'jerk'" in unknown.stderr


def test_files_are_copied_to_standard_output(run: Run) -> None:
    ready = KINDS["scene"]
    shown = run("scene", "copy", CUP, "-")
    assert shown.stdout == (Path(hf.__file__).parent / "data" / ready.folder / "suction_cup.yaml").read_text("utf-8")
    assert run("scene", "copy", CUP, "-", "--plain").stdout.startswith("holdfast: 1\n")


def test_the_log_is_written_to_standard_error(run: Run) -> None:
    quiet, loud = run("check", CUP), run("-vv", "check", CUP)
    assert "equilibrium of 8 contacts" not in quiet.stderr
    assert re.search(r"\d\d:\d\d:\d\d holdfast.statics.holding: equilibrium of 8 contacts by Exact\(", loud.stderr)
    assert loud.stdout.splitlines()[:3] == quiet.stdout.splitlines()[:3]
