"""Force volumes in JSON files and in scene files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

import holdfast as hf
from holdfast.errors import FileError, SceneError
from holdfast.force_limits import DecompositionReport, files
from holdfast.force_limits.files import MODEL_PARTS, DecomposePart, PiecesPart, VolumeChoice, load_volume, save_volume
from holdfast.scenes import load_scene

# -- volume file -----------------------------------------------------------------------------

REPORT = DecompositionReport("inner", 1, 0.0, 0.0, 0.0, 12.5, 3.25, 0.1, False)


@pytest.mark.parametrize(
    "volume",
    [
        hf.models.coulomb(1.0 / 3.0),
        hf.models.coulomb(0.0),
        hf.models.gecko_two_way(cap=np.pi),
        hf.ForceVolume([np.vstack([np.zeros(3), np.eye(3)])], report=REPORT),
    ],
    ids=["cone", "flat", "two pieces", "with report"],
)
def test_what_is_saved_reads_back_to_the_same_bits(tmp_path: Path, volume: hf.ForceVolume) -> None:
    path = tmp_path / "volume.json"
    save_volume(volume, path, source="a test")
    again = load_volume(path)
    assert again.fingerprint == volume.fingerprint
    assert again.report == volume.report
    assert json.loads(path.read_text(encoding="utf-8"))["unit"] == "N"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "not a force volume"),
        ({"version": 2}, "version 2"),
        ({"unit": "kN"}, "unit: is 'kN'"),
        ({"pieces": []}, "pieces: has 0 entries"),
        ({"pieces": [[[0, 0]]]}, r"pieces\[0\]\[0\]"),
        ({"pieces": [[[0, 0, None]]]}, r"pieces\[0\]\[0\]\[2\]"),
        ({"extra": 1}, "extra: is not a field"),
        ({"report": {"side": "inner"}}, "report.pieces: is missing"),
    ],
)
def test_a_damaged_file_is_told_with_its_field(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "volume.json"
    save_volume(hf.models.gecko(), path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(FileError, match=words) as caught:
        load_volume(path)
    assert caught.value.path == path


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b"{", b"\xff", b'"x"', b"[" * 100_000])
def test_what_is_no_volume_is_told_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "volume.json"
    path.write_bytes(content)
    with pytest.raises(FileError):
        load_volume(path)


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        load_volume(tmp_path / "none.json")
    with pytest.raises(FileError, match="cannot be written"):
        save_volume(hf.models.gecko(), tmp_path / "none" / "volume.json")


# -- decompositions that are kept ---------------------------------------------------------------


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[hf.LimitSurface]:
    """The surfaces that were really decomposed, with an empty cache folder."""
    done: list[hf.LimitSurface] = []
    decompose = files.decompose
    monkeypatch.setenv("HOLDFAST_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "decompose", lambda surface, **how: done.append(surface) or decompose(surface, **how))
    return done


def test_a_surface_is_decomposed_once_for_the_same_wishes(measured: hf.LimitSurface, computed: list[Any]) -> None:
    options = DecomposePart()
    first = files._decomposed(measured, "nominal", options)
    again = files._decomposed(measured, "nominal", options)
    assert len(computed) == 1
    assert (again.fingerprint, again.report) == (first.fingerprint, first.report)
    files._decomposed(measured, "inner", options)
    files._decomposed(measured, "nominal", DecomposePart(side="outer"))
    assert len(computed) == 3


def test_a_damaged_or_impossible_cache_costs_time_alone(
    measured: hf.LimitSurface, computed: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = files._decomposed(measured, "nominal", DecomposePart())
    (kept,) = (tmp_path / "cache").rglob("*.json")
    kept.write_text(kept.read_text(encoding="utf-8")[:100], encoding="utf-8")
    assert files._decomposed(measured, "nominal", DecomposePart()).fingerprint == first.fingerprint
    monkeypatch.setenv("HOLDFAST_CACHE_DIR", str(kept))  # a file, where no folder can be made
    assert files._decomposed(measured, "nominal", DecomposePart()).fingerprint == first.fingerprint
    assert len(computed) == 3


# -- volume schema ---------------------------------------------------------------------------

ADAPTER = TypeAdapter(VolumeChoice)


@pytest.mark.parametrize("info", hf.models.list(), ids=lambda info: info.name)
def test_the_fields_of_a_model_are_its_parameters_with_their_defaults(info: Any) -> None:
    part = MODEL_PARTS[info.name].model_validate({"model": info.name})
    given = part.model_dump(exclude={"model", "scale", "suspension"})
    assert given == {parameter.name: parameter.default for parameter in info.parameters}
    fields = MODEL_PARTS[info.name].model_fields
    assert all(fields[parameter.name].description for parameter in info.parameters)


def test_models_that_come_as_points_have_no_scale() -> None:
    assert "scale" in MODEL_PARTS["coulomb"].model_fields
    assert "scale" not in MODEL_PARTS["soft_finger"].model_fields


def test_each_kind_is_known_by_its_field() -> None:
    made = ADAPTER.validate_python({"pieces": [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]]})
    assert isinstance(made, PiecesPart)
    assert type(ADAPTER.validate_python({"preloaded": "x", "preload": 2})).__name__ == "PreloadedPart"
    names = ["MeasurementsPart", "SurfacePart", "VolumeFilePart"]
    for field, name in zip(("measurements", "surface", "file"), names, strict=True):
        assert type(ADAPTER.validate_python({field: "x"})).__name__ == name


@pytest.mark.parametrize(
    "value",
    [
        {},
        3,
        None,
        {"measurement": "x"},
        {"model": "coulomb", "measurements": "x"},
        {"measurements": "x", "compression": "none"},
        {"measurements": "x", "compression": -1},
        {"measurements": "x", "decompose": {"pieces": 0}},
        {"measurements": "x", "decompose": {"pieces": 10**6}},
        {"measurements": ""},
        {"surface": "x", "band": "middle"},
        {"pieces": []},
        {"pieces": [[]]},
        {"pieces": [[[0, 0]]]},
        {"model": "microspine", "f0": None},
    ],
)
def test_what_is_no_volume_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)


@pytest.mark.parametrize("compression", ["measured", "unlimited", 100, 55.5])
def test_compression_is_a_word_or_a_cap(compression: Any) -> None:
    assert ADAPTER.validate_python({"measurements": "x", "compression": compression}).compression == compression


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a text to a scene file; its path."""

    def save(text: str, name: str = "scene.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return save


# -- volume builder --------------------------------------------------------------------------

Write = Callable[..., Path]

CONTACT = "contacts:\n  - {position: [0, 0, 0], normal: [0, 0, 1], volume: v}\n"
CSV = """\
fx [N],fy [N],fz [N]
10,0,0
-10,0,0
0,8,0
0,-8,0
0,0,-2
9,0,-1
12,0,3
"""


def volume_of(write: Write, text: str, contacts: str = CONTACT) -> hf.ForceVolume:
    return load_scene(write(f"holdfast: 1\nvolumes:\n  v: {text}\n{contacts}")).assembly.contacts[0].volume


def test_a_model_is_that_of_the_library(write: Write) -> None:
    made = volume_of(write, "{model: magnet, attraction: 30, mu: 0.2, cap: 50}")
    assert made.fingerprint == hf.models.magnet(30, 0.2, cap=50).fingerprint


def test_an_accuracy_chooses_the_facets(write: Write) -> None:
    made = volume_of(write, "{model: coulomb, mu: 0.3, accuracy: 0.002}")
    assert made.fingerprint == hf.models.coulomb(0.3, facets=52).fingerprint
    with pytest.raises(SceneError, match=r"scene.yaml:3: volumes.v.*accuracy: is given with facets"):
        volume_of(write, "{model: coulomb, mu: 0.3, accuracy: 0.002, facets: 16}")


PULLS = "preload [N],pull-off force [N]\n1,10\n1,12\n3,20\n3,24\n"


def test_tests_along_one_axis_need_an_assumption(write: Write) -> None:
    write("pull-off force [N]\n10\n12\n11\n", "pulls.csv")
    made = volume_of(write, "{measurements: pulls.csv, assume: {model: magnet, mu: 0.3}, band: inner, scale: 0.5}")
    assert made.fingerprint == hf.models.magnet(10.0, 0.3).scaled(0.5).fingerprint
    line = volume_of(write, "{measurements: pulls.csv, assume: segment, compression: 30}")
    assert line.radial([[0, 0, -1.0], [0, 0, 1.0], [1.0, 0, 0]]) == pytest.approx([11.0, 30.0, 0.0])
    side = volume_of(write, "{measurements: pulls.csv, assume: segment, along: [1, 0, 0]}")
    assert side.radial([1.0, 0, 0]) == pytest.approx(11.0)
    for text, words in (
        ("{measurements: pulls.csv}", "3 tests are along one axis.*assume: .model: magnet"),
        ("{measurements: pulls.csv, assume: {model: magnet}}", "mu: is missing for magnet"),
        ("{measurements: pulls.csv, assume: {model: gecko}}", "no model 'gecko'.*known: magnet"),
        ("{measurements: pulls.csv, assume: magnet}", "v.assume: is 'magnet'"),
        ("{measurements: pulls.csv, assume: {model: magnet, mu: 0.3, attraction: 3}}", "attraction: is measured"),
        ("{measurements: pulls.csv, assume: segment, smoothing: none}", "has assume and smoothing"),
    ):
        with pytest.raises(SceneError, match=words):
            volume_of(write, text)


def test_a_preload_chooses_one_volume_of_a_family(write: Write) -> None:
    write(PULLS, "pulls.csv")
    wanted = "assume: {model: suction, mu: 0.5}"
    made = volume_of(write, f"{{preloaded: pulls.csv, preload: 2, {wanted}}}")
    assert made.fingerprint == hf.models.suction(16.5, 0.5).fingerprint
    top = volume_of(write, f"{{preloaded: pulls.csv, preload: 9, beyond: largest, {wanted}}}")
    assert top.fingerprint == hf.models.suction(22.0, 0.5).fingerprint
    for text, words in (
        (f"{{preloaded: pulls.csv, preload: 9, {wanted}}}", "preload: is 9 N, where 1 to 3 N were tested"),
        (f"{{preloaded: pulls.csv, {wanted}}}", "v.preload: is missing"),
        (f"{{measurements: pulls.csv, {wanted}}}", "made at 2 preloads.*preloaded: FILE with preload"),
        (f"{{preloaded: pulls.csv, preload: -1, {wanted}}}", "v.preload: is -1"),
    ):
        with pytest.raises(SceneError, match=words):
            volume_of(write, text)


def test_surfaces_measured_at_preloads_are_interpolated(write: Write) -> None:
    lines = CSV.splitlines()
    rows = [f"{row},{preload}" for preload in (1, 3) for row in lines[1:]]
    text = "\n".join([f"{lines[0]},preload [N]", *rows])
    write(text + "\n", "pad.csv")
    write(CSV, "alone.csv")
    same = "smoothing: none, decompose: {pieces: 2}"
    made = volume_of(write, f"{{preloaded: pad.csv, preload: 2, {same}}}")
    alone = volume_of(write, f"{{measurements: alone.csv, {same}}}")
    rays = hf.loads.sphere_directions(50)
    assert made.radial(rays) == pytest.approx(alone.radial(rays), abs=1e-9)


def test_a_scale_makes_all_forces_smaller(write: Write) -> None:
    whole, part = volume_of(write, "{model: gecko}"), volume_of(write, "{model: gecko, scale: 0.25}")
    assert part.fingerprint == whole.scaled(0.25).fingerprint


def test_pieces_are_taken_as_they_are(write: Write) -> None:
    made = volume_of(write, "{pieces: [[[0, 0, 0]], [[0, 0, 0], [1, 0, 0]]], rays: [[[0, 0, 1]], []], flat: true}")
    assert [len(piece) for piece in made.pieces] == [1, 2]
    assert [len(rays) for rays in made.rays] == [1, 0]


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("{pieces: [[[0, 0, 0], [1, 0, 0]]]}", "volumes.v.pieces[0]", "flat"),
        ("{pieces: [[[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]]}", "volumes.v.pieces[0]", "same vertex"),
        ("{pieces: [[[0, 0, 0]]], rays: [], flat: true}", "volumes.v.rays", "0 entries for 1 pieces"),
        ("{measurements: none.csv}", "volumes.v", "none.csv"),
        ("{surface: none.json}", "volumes.v", "none.json"),
        ("{file: none.json}", "volumes.v", "none.json"),
        ("{model: microspine, slope_limit: 0.1}", "volumes.v.slope_limit", "largest loading angle"),
        ("{model: soft_finger}", "contacts[0].volume", "is a pad of points.*kind: pad"),
    ],
)
def test_faults_of_volumes_name_their_field(write: Write, text: str, field: str, words: str) -> None:
    with pytest.raises(SceneError, match=words) as caught:
        volume_of(write, text)
    assert caught.value.field == field


def test_measurements_become_the_decomposed_surface(write: Write) -> None:
    path = write(CSV, "m.csv")
    made = volume_of(write, "{measurements: m.csv, compression: 40, decompose: {side: outer, pieces: 3}}")
    surface = hf.read_measurements(path).surface(compression=40.0)
    expected = hf.decompose(surface, side="outer", max_pieces=3)
    assert made.fingerprint == expected.fingerprint
    assert made.report == expected.report


def test_a_fault_of_the_measurements_names_both_files_and_lines(write: Write) -> None:
    write(CSV.replace("0,8,0", "0,eight,0"), "m.csv")
    with pytest.raises(SceneError, match=r"scene.yaml:3: volumes.v: .*m.csv:4"):
        volume_of(write, "{measurements: m.csv}")


def test_the_bands_of_repeated_trials_are_nested(write: Write, tmp_path: Path) -> None:
    trials = CSV + "11,0,0\n0,0,-3\n0,0,-1\n"
    surface = hf.read_measurements(write(trials, "m.csv")).surface(compression=40.0)
    surface.save(tmp_path / "s.json")
    names = ("inner", "nominal", "outer")
    made = {band: volume_of(write, f"{{surface: s.json, band: {band}, decompose: {{pieces: 8}}}}") for band in names}
    pulls = [float(made[band].radial(np.array([0.0, 0.0, -1.0]))) for band in names]
    assert pulls[0] <= pulls[1] <= pulls[2]
    assert pulls[0] <= 1.0 + 1e-9


def test_a_stored_volume_is_read_back(write: Write, tmp_path: Path) -> None:
    volume = hf.models.gecko_two_way(cap=20.0)
    save_volume(volume, tmp_path / "v.json")
    assert volume_of(write, "{file: v.json}").fingerprint == volume.fingerprint


def test_contacts_of_one_volume_and_scale_share_one_object(write: Write) -> None:
    contacts = "contacts:\n" + "".join(
        f"  - {{position: [{i}, 0, 0], normal: [0, 0, 1], volume: v, scale: {0.5 if i > 1 else 1}}}\n" for i in range(4)
    )
    path = write(f"holdfast: 1\nvolumes: {{v: {{model: gecko}}}}\n{contacts}")
    a, b, c, d = (contact.volume for contact in load_scene(path).assembly.contacts)
    assert a is b
    assert c is d
    assert a is not c


def test_a_volume_that_nobody_uses_is_checked_too(write: Write) -> None:
    with pytest.raises(SceneError, match="lies below|is -1"):
        volume_of(write, "{model: gecko}\n  w: {model: coulomb, mu: -1}")


def test_without_volumes_the_fix_says_so(write: Write) -> None:
    with pytest.raises(SceneError, match="volumes is empty"):
        load_scene(write("holdfast: 1\n" + CONTACT))


def test_a_scene_keeps_the_names_of_its_volumes_and_joins_those_of_equal_ones(tmp_path: Path) -> None:
    path = tmp_path / "named.yaml"
    path.write_text(
        "holdfast: 1\n"
        "volumes: {rubber: {model: coulomb, mu: 0.6}, gum: {model: coulomb, mu: 0.6}, "
        "cup: {model: magnet, attraction: 3, mu: 0.5, cap: 9}}\n"
        "contacts:\n"
        "  - {position: [0, 0, 0], normal: [0, 0, 1], volume: gum}\n"
        "  - {position: [1, 0, 0], normal: [0, 0, 1], volume: cup}\n"
        "  - {position: [0, 1, 0], normal: [0, 0, 1], volume: cup, scale: 2}\n",
        encoding="utf-8",
    )
    scene = load_scene(path)
    found = [scene.volume_names[contact.volume.fingerprint] for contact in scene.assembly.contacts]
    assert found == ["rubber = gum", "cup", "cup, scaled by 2"]
    assert scene.turned((1, 0, 0)).volume_names == scene.volume_names
