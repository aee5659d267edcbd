"""Files from outside: paths, plain files, sizes, XML, JSON and tables; the same limits and errors for every reader."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, InputError, SceneError, UnknownNameError
from holdfast.feature import imported
from holdfast.files.schema import MOST_FAULTS
from holdfast.grasps.contour_files import read_contour, read_workpiece
from holdfast.inputs import (
    DEEPEST_XML,
    checked_path,
    csv_cells,
    file_bytes,
    file_text,
    parsed_json,
    parsed_xml,
    plain_file,
)

#: Functions that take a path, and the end of the names they read.
LOADERS = {
    "holdfast:load": ".yaml",
    "holdfast.scenes:load_scene": ".yaml",
    "holdfast.postures:load_posture": ".yaml",
    "holdfast.planar:load_planar": ".yaml",
    "holdfast.robots:load_robot": ".yaml",
    "holdfast.robots.sequences:load_sequence": ".json",
    "holdfast.robots.urdf:read_urdf": ".urdf",
    "holdfast.robots.srdf:read_srdf": ".srdf",
    "holdfast.robots:Robot.from_mjcf": ".xml",
    "holdfast.grips:load_grip": ".h5",
    "holdfast.wrench_spaces.files:load_space": ".h5",
    "holdfast.force_limits.files:load_volume": ".json",
    "holdfast:LimitSurface.load": ".json",
    "holdfast.force_limits.measurements:read_measurements": ".csv",
    "holdfast.grasps.contour_files:read_contour": ".svg",
    "holdfast.grasps.contour_files:read_workpiece": ".svg",
    "holdfast.grasps.pictures:read_image": ".png",
    "holdfast.grasps.hands:load_hand": ".toml",
}


def complete(error: hf.HoldfastError) -> bool:
    """Whether an error says what is wrong and what would be right."""
    return bool(error.what and error.fix and len(str(error)) < 15_000)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("given", [None, 5, 1.5, b"a.yaml", object()], ids=["None", "5", "1.5", "bytes", "object"])
def test_what_is_no_path_is_an_input_error(loader: str, given: Any) -> None:
    with pytest.raises(InputError) as caught:
        imported(loader)(given)
    assert complete(caught.value) and caught.value.where


@pytest.mark.parametrize("loader", LOADERS)
def test_no_loader_waits_for_a_pipe_or_reads_a_device(loader: str, tmp_path: Path) -> None:
    pipe = tmp_path / f"pipe{LOADERS[loader]}"
    os.mkfifo(pipe)
    device = tmp_path / f"zero{LOADERS[loader]}"
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(FileError, match="is not a regular file") as caught:
            imported(loader)(path)
        assert complete(caught.value)
    folder = tmp_path / f"folder{LOADERS[loader]}"
    folder.mkdir()
    with pytest.raises(FileError, match="is a folder"):
        imported(loader)(folder)


@pytest.mark.parametrize("loader", LOADERS)
def test_names_that_no_file_can_have_are_file_errors(loader: str) -> None:
    for name in ("a\0b", "\ud800", "long" * 2000, "no/such/folder/a"):
        with pytest.raises(FileError) as caught:
            imported(loader)(name + LOADERS[loader])
        assert complete(caught.value)
        str(caught.value).encode()  # can be printed


def test_a_path_is_a_text_or_a_pathlike_without_null() -> None:
    assert checked_path("a") == Path("a") == checked_path(Path("a"))
    with pytest.raises(InputError, match="path: is None"):
        checked_path(None)
    with pytest.raises(FileError, match=r"a\\0b: has a null character"):
        checked_path("a\0b")


def test_a_file_is_measured_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(10**12)  # a hole: it takes no room on the disk
    with pytest.raises(FileError, match=r"is too large \(1,000,000 MB\).*at most 67 MB"):
        file_bytes(large)
    assert plain_file(large) == large
    with pytest.raises(SceneError, match="there is no such file .did you mean 'large.txt'"):
        file_text(tmp_path / "large.tx", error=SceneError)


def test_xml_is_bounded_in_depth_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "<a>" * DEEPEST_XML + "</a>" * DEEPEST_XML
    assert parsed_xml(deep, "x").tag == "a"
    with pytest.raises(FileError, match="x: is nested too deeply, at <b>"):
        parsed_xml(f"<b>{deep}</b>".replace("<a></a>", "<b></b>"), "x")
    monkeypatch.setattr("holdfast.inputs.MOST_ELEMENTS", 5)
    with pytest.raises(FileError, match="more than 5 elements"):
        parsed_xml("<a>" + "<b/>" * 5 + "</a>", "x")
    for text in ("", "<a", "<a>\ud800</a>", "<a>&b;</a>", "<a/>\0"):
        with pytest.raises(FileError, match="is not XML"):
            parsed_xml(text, "x")


def test_entities_of_entities_are_refused() -> None:
    lines = "".join(f'<!ENTITY a{k} "' + f"&a{k - 1};" * 10 + '">' for k in range(1, 12))
    with pytest.raises(FileError, match="is not XML"):
        parsed_xml(f'<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">{lines}]><a>&a11;</a>', "x")


def test_a_large_text_repeats_no_entity() -> None:
    large = f'<!DOCTYPE a [<!ENTITY e "{"x" * 2_000_000}">]><a b="{"&e;" * 90}"/>'  # 180 MB
    with pytest.raises(FileError, match="declares entities in a large file"):
        parsed_xml(large, "x")
    assert parsed_xml('<!DOCTYPE a [<!ENTITY e "b">]><a b="&e;"/>', "x").get("b") == "b"


def test_json_is_bounded_in_depth(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text in ("[" * 100_000, "9" * 5000, "{", "", "\ud7ff", '{"a": 1} x'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FileError) as caught:
            parsed_json(path, fix="write it again")
        assert complete(caught.value)
    path.write_text('{"a": [1]}', encoding="utf-8")
    assert parsed_json(path, fix="") == {"a": [1]}


def test_a_cell_that_is_too_long_is_named_with_its_line(tmp_path: Path) -> None:
    long = "1" * 140_000
    with pytest.raises(FileError, match="t:7: cannot be split into cells: field larger"):
        csv_cells(f"0,{long}", ",", "t", 7)
    path = tmp_path / "a.csv"
    path.write_text(f"0,0\n1,0\n1,{long}\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"a\.csv:3: cannot be split into cells"):
        read_contour(path)
    path.write_text(f"fx,fy,fz\n1,0,0\n1,0,{long}\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"a\.csv:3: cannot be split into cells"):
        hf.load(path)


# -- XML of 1,100 elements inside each other ----------------------------------------------------------

NESTED = "<g>" * 1100 + "{}" + "</g>" * 1100


def test_deeply_nested_drawings_and_robots_are_refused(tmp_path: Path) -> None:
    drawing = tmp_path / "a.svg"
    drawing.write_text("<svg>" + NESTED.format('<circle r="9"/>') + "</svg>", encoding="utf-8")
    with pytest.raises(FileError, match=r"a\.svg: is nested too deeply"):
        read_workpiece(drawing)
    robots: dict[str, Callable[[str], object]] = {
        f"<robot>{NESTED.format('')}</robot>": hf.Robot.from_urdf,
        f"<robot> {NESTED.format('')}</robot>": imported("holdfast.robots.srdf:read_srdf"),
        f"<mujoco>{NESTED.format('')}</mujoco>": hf.Robot.from_mjcf,
    }
    for text, reader in robots.items():
        with pytest.raises(FileError, match="text: is nested too deeply"):
            reader(text)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ('<path d="M0 0 A1e200 1e200 0 0 1 10 10 L0 10 Z"/>', "nan|cannot be read"),
        ('<path d="M0 0 A1e-200 1e-200 0 0 1 10 10 L0 10 Z"/>', "d: cannot be read: float division by zero"),
        ('<circle r="-5"/>', "r: is -5 .give a number of at least 0"),
        ('<ellipse rx="-5" ry="3"/>', "rx: is -5"),
        ('<rect width="-10" height="5"/>', "width: is -10"),
        ('<rect width="10" height="5" ry="-1"/>', "ry: is -1"),
        ('<circle r="inf"/>', "r: is not a list of numbers"),
        ('<circle r="1e200"/>', r"has a point at \(1e\+200"),
        ('<polygon points="0 0 nan 1 2 2"/>', "points: is not a list of numbers"),
        ('<g transform="matrix(1 2)"><circle r="3"/></g>', "transform: cannot be read"),
        ('<path d="M0 0 A' + "2" * 3000 + '"/>', "d: has invalid path data"),
        ('<path d="M0 0' + " C1 2 3 4 5 6" * 3000 + 'Z"/>', "more than 200,000 points"),
        ('<path d="M0 0' + " h1" * 500_000 + '"/>', "more than 400,000 numbers"),
    ],
)
def test_numbers_that_a_drawing_cannot_have_are_named(tmp_path: Path, shape: str, message: str) -> None:
    path = tmp_path / "a.svg"
    path.write_text(f"<svg>{shape}</svg>", encoding="utf-8")
    with pytest.raises(FileError, match=message) as caught:
        read_workpiece(path)
    assert complete(caught.value)


def test_a_scribble_that_crosses_itself_too_often_is_refused() -> None:
    points = np.random.default_rng(1).uniform(0.0, 100.0, (3000, 2))
    with pytest.raises(hf.HoldfastError, match="cross each other more than 100,000 times"):
        read_workpiece(points)


# -- faults that are many -----------------------------------------------------------------------------

START = "holdfast: 1\nobject: {mass: 1}\n"
VOLUMES = START + "contacts: []\nvolumes:\n"
MANY = {
    "keys": (START + "contacts: []\n" + "".join(f"bad{k}: 1\n" for k in range(20_000)), 20_000),
    "entries": (START + "contacts: [" + ", ".join(["1"] * 100_000) + "]\n", 100_000),
    "mappings": (START + "contacts: [" + ", ".join(["{}"] * 100_000) + "]\n", 200_000),
    "kinds": (START + "contacts: []\njoints: [" + ", ".join(["{}"] * 100_000) + "]\n", 100_000),
    "models": (VOLUMES + "".join(f"  v{k}: {{model: nothing{k}}}\n" for k in range(20_000)), 20_000),
    "misspelt": (VOLUMES + "".join(f"  v{k}: {{modle{k}: coulomb}}\n" for k in range(20_000)), 20_000),
    "parameters": (VOLUMES + "".join(f"  v{k}: {{model: coulomb, muu: {k}}}\n" for k in range(20_000)), 20_000),
    "fields": (START + "contacts:\n- {" + ", ".join(f"v{k}: 1" for k in range(20_000)) + "}\n", 20_002),
}


@pytest.mark.parametrize("kind", MANY)
def test_of_many_faults_twenty_are_listed_and_the_rest_counted(kind: str, tmp_path: Path) -> None:
    text, count = MANY[kind]
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(SceneError) as caught:
        hf.load(path)
    assert time.process_time() - start < 1.5  # of CPU; 0.1 to 0.4 on an idle machine
    notes = caught.value.__notes__
    assert len(notes) == MOST_FAULTS and notes[-1] == f"and {count - MOST_FAULTS:,} more"
    lines = [fault.line or 0 for fault in imported("holdfast.scenes.files:scene_faults")(path)[:MOST_FAULTS]]
    assert len(lines) == MOST_FAULTS and lines == sorted(lines)


def test_twenty_faults_and_fewer_are_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(START + "contacts: []\n" + "".join(f"bad{k}: 1\n" for k in range(MOST_FAULTS)), encoding="utf-8")
    found = imported("holdfast.scenes.files:scene_faults")(path)
    assert [fault.field for fault in found] == [f"bad{k}" for k in range(MOST_FAULTS)]
    assert all(fault.count == 1 for fault in found)


def test_validate_counts_the_faults_that_it_does_not_list(tmp_path: Path, run: Any) -> None:
    (tmp_path / "a.yaml").write_text(MANY["keys"][0], encoding="utf-8")
    found = run("scene", "validate", tmp_path / "a.yaml")
    assert found.exit_code == 2 and "20000 faults" in found.stdout.replace(",", "")
    assert "and 19,980 more" in found.stdout
    assert len(json.loads(run("scene", "validate", tmp_path / "a.yaml", "--json").stdout)["faults"]) == MOST_FAULTS + 1


def test_messages_stay_short_whatever_they_quote() -> None:
    error = FileError("x" * 10**6, path="p" * 10**6, field="f", fix="y" * 10**6)
    assert len(str(error)) < 15_000 and "characters) ..." in str(error)
    start = time.process_time()
    unknown = UnknownNameError("field", "a" * 10**5, [f"name{k}" for k in range(20_000)])
    unknown = UnknownNameError("field", "name7x", [f"name{k}" for k in range(20_000)])
    assert time.process_time() - start < 1.0
    assert unknown.nearest == "name7" and "and 19,900 more" in unknown.fix
