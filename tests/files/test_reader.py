"""The generic reader, and `load`, which reads any file of Holdfast by looking at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import Field

import holdfast as hf
from holdfast.errors import FileError, SceneError
from holdfast.feature import imported
from holdfast.files.reader import KINDS, OTHER_KINDS, FileFormat, json_schema, kind_of, load
from holdfast.files.schema import Part
from holdfast.files.yaml_source import Site
from holdfast.force_limits.files import save_volume
from holdfast.scenes import Scene, load_scene

Write = Callable[..., Path]


class WheelDocument(Part):
    """A wheel."""

    holdfast: Literal[1]
    radius: float = Field(description="[m]", gt=0.0)


def build(document: Any, site: Site, *, scale: float = 1.0) -> float:
    return scale * document.radius


#: A format that is read like scenes.
WHEELS = FileFormat("scene", WheelDocument, build, noun="wheel")


def test_a_format_reads_builds_and_passes_options_on(write: Write) -> None:
    path = write("holdfast: 1\nradius: 2.0\n")
    assert WHEELS.load(path) == 2.0
    assert WHEELS.load(path, scale=3.0) == 6.0
    assert WHEELS.faults(path) == []


def test_every_fault_is_found_and_the_first_is_raised_with_notes(write: Write) -> None:
    path = write("holdfast: 1\nradius: -2.0\nspokes: 3\n")
    assert [fault.field for fault in WHEELS.faults(path)] == ["radius", "spokes"]
    with pytest.raises(SceneError, match="radius") as caught:
        WHEELS.load(path)
    assert len(caught.value.__notes__) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- 1\n", "is a list, not a wheel"),
        ("radius: 1\n", "a wheel file begins with: holdfast: 1"),
        ("holdfast: 3\n", "version 3, this Holdfast reads up to 1"),
        ("holdfast: one\n", "not a version"),
        ("holdfast: 1\nplanar: body\n", "is a planar file: it has planar.*holdfast motions"),
        ("holdfast: 1\nrobot: {}\n", "is a robot file: it has robot.*holdfast robot"),
        ("holdfast: 1\nhands: []\n", "is a posture file: it has hands and no contacts.*holdfast posture"),
    ],
)
def test_other_files_are_refused_by_version_and_kind(write: Write, text: str, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        WHEELS.load(write(text))


def test_ready_files_are_found_by_name_and_others_are_named() -> None:
    assert WHEELS.path("@suction_cup").name == "suction_cup.yaml"
    assert WHEELS.path("a.yaml") == Path("a.yaml")
    assert dict(WHEELS.titles())["@suction_cup"] == WHEELS.title("suction_cup")
    with pytest.raises(SceneError, match="did you mean '@suction_cup'"):
        WHEELS.path("@suction_cap")
    with pytest.raises(SceneError, match="is a ready planar scene, not a scene"):
        WHEELS.path(f"@{KINDS['planar scene'].names()[0]}")


def test_the_schema_has_a_title_of_its_own() -> None:
    schema = json_schema(WheelDocument, "Holdfast wheel")
    assert (schema["title"], schema["description"]) == ("Holdfast wheel", "A wheel.")
    assert schema["properties"]["radius"]["description"] == "[m]"


@pytest.mark.parametrize("target", [kind.reader for kind in (KINDS | OTHER_KINDS).values() if kind.reader])
def test_every_reader_is_where_its_feature_says(target: str) -> None:
    assert callable(imported(f"holdfast.{target}"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.folder], ids=lambda kind: kind.name)
def test_ready_files_of_every_kind_are_loaded(kind: Any) -> None:
    name = f"@{kind.names()[0]}"
    assert kind_of(name) is kind
    assert type(load(name)) is type(kind.read(name))


def test_a_file_is_told_by_its_fields(write: Write, block: str) -> None:
    found = load(write(block))
    assert isinstance(found, Scene) and found.fingerprint == load_scene(write(block)).fingerprint
    assert kind_of(write("holdfast: 1\nhands: []\n")).name == "posture"
    assert kind_of(write("holdfast: 1\nhands: []\ncontacts: []\n")).name == "scene"
    assert kind_of(write("holdfast: 1\nrobot: {}\nhands: []\n")).name == "robot"
    assert kind_of(write("[1, 2]")).name == "scene"


def test_files_of_numbers_are_loaded(tmp_path: Path) -> None:
    data = Path(hf.__file__).parent / "data"
    surface = load(data / "microspine_unit.csv")
    assert isinstance(surface, hf.LimitSurface)
    for text in ("pull-off force [N]\n3\n4\n", "fx,fy,fz,preload\n1,0,0,2\n0,1,0,3\n"):
        (tmp_path / "pulls.csv").write_text(text, encoding="utf-8")
        assert isinstance(load(tmp_path / "pulls.csv"), hf.force_limits.Measurements)  # a strength, or a family
    surface.save(tmp_path / "surface.json")
    assert isinstance(load(tmp_path / "surface.json"), hf.LimitSurface)
    save_volume(hf.models.coulomb(0.5), tmp_path / "volume.json")
    assert isinstance(load(tmp_path / "volume.json"), hf.ForceVolume)
    grip = hf.Grip(np.concatenate([np.eye(6), -np.eye(6)]))
    grip.save(tmp_path / "grip.h5")
    assert isinstance(load(tmp_path / "grip.h5"), hf.Grip)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"words", "files that end in '.txt' are not read.*scene, posture, robot and planar files"),
        ("a.json", b'{"format": "holdfast soup"}', "has the format 'holdfast soup'.*limit surfaces"),
        ("a.h5", b"no archive", "is not an HDF5 file"),
        ("a.yaml", b"holdfast: 1\n", "nothing touches"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_what_can(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=words):
        load(tmp_path / name)


@pytest.mark.parametrize("name", ["none.yaml", "none.h5", "none.json", "none.csv", "@none"])
def test_a_file_that_is_missing_is_a_file_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError):
        load(name if name.startswith("@") else tmp_path / name)
