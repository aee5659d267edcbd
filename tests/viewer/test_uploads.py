"""Uploaded files: their pages, what is refused, and that they reach no other file of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.files.reader import DATA
from holdfast.force_limits import read_measurements
from holdfast.scenes import ready_path
from holdfast.scenes.page import MeasuredSource
from holdfast.viewer.uploads import Uploads
from holdfast.web import folders as module
from tests.scenes.robot_files import PINCH, PINCH_URDF
from tests.viewer.stand_in import Visit

CSV = (DATA / "microspine_unit.csv").read_bytes()
MEASURED = b"""
holdfast: 1
object: {mass: 1.0, com: [0, 0, 0]}
volumes: {unit: {measurements: forces.csv, decompose: {side: inner, pieces: 4}}}
contacts: [{position: [0, 0, 0], normal: [1, 0, 0], shear: [0, 0, 1], volume: unit}]
"""
XACRO = b"""<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${open('/etc/hostname').read()}"/></robot>"""


@pytest.fixture
def uploads() -> Iterator[Uploads]:
    made = Uploads()
    yield made
    made.close()


def test_a_scene_has_all_its_pages_and_the_folder_goes_with_the_session(uploads: Uploads) -> None:
    pages = uploads.open("mine.yaml", ready_path("@block_on_three_points").read_bytes())
    assert [page.group for page in pages] == ["Contacts", "Wrench spaces", "Load sharing", "Stability"]
    assert uploads._folder is not None
    folder = uploads._folder
    assert (folder / "mine.yaml").is_file()
    uploads.close()
    assert not folder.exists()


def test_a_scene_finds_the_measurements_that_were_uploaded_before_it(uploads: Uploads) -> None:
    with pytest.raises(
        HoldfastError, match=r"mine.yaml:4.*'forces.csv' is not among the uploaded files.*upload it first"
    ):
        uploads.open("mine.yaml", MEASURED)
    assert [page.key for page in uploads.open("forces.csv", CSV)] == ["measured"]
    assert uploads.open("mine.yaml", MEASURED)[0].group == "Contacts"


def test_a_robot_file_finds_its_urdf_and_a_urdf_alone_stands_on_its_feet(uploads: Uploads) -> None:
    pytest.importorskip("pinocchio")
    with pytest.raises(HoldfastError, match="pinch.urdf"):  # a hand without shapes has no feet; it is kept
        uploads.open("pinch.urdf", PINCH_URDF.encode())
    (page,) = uploads.open("pinch.yaml", PINCH.encode())
    assert page.title == "a pinch"
    (page,) = uploads.open("dog.urdf", (DATA / "robots" / "quadruped.urdf").read_bytes())
    with Visit(page.make) as visit:
        assert visit.verdict.shown.status == "holds" and not visit.errors


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.yaml", b"object: [", "bad.yaml:1: is not valid YAML"),
        ("bad.yaml", b"\xff\xfe\x00", "is not a text file"),
        ("bad.csv", b"fx,fy,fz\n1,2\n", "bad.csv:2"),
        ("bad.csv", b"x,y\n1,nothing\n", "bad.csv"),
        ("bad.urdf", b"<robot", "bad.urdf"),
        ("bad.png", b"\x89PNG", "bad.png"),
        ("run.py", b"", "files with the suffix '.py' cannot be opened here"),
        ("robot.xml", b"<mujoco/>", "files with the suffix '.xml' cannot be opened here"),
        ("../up.yaml", b"", "not a plain file name"),
        ("a\\b.yaml", b"", "not a plain file name"),
        (".uploaded", b"", "not a plain file name"),
        ("", b"", "not a plain file name"),
    ],
)
def test_what_cannot_be_opened_is_reported_without_the_folder(
    uploads: Uploads, name: str, content: bytes, words: str
) -> None:
    if name == "bad.urdf":
        pytest.importorskip("pinocchio")
    with pytest.raises(HoldfastError) as caught:
        uploads.open(name, content)
    assert words in str(caught.value) and "holdfast-uploads" not in str(caught.value)


def test_an_uploaded_file_reaches_no_other_file_of_the_machine(uploads: Uploads, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_bytes(CSV)
    for reference in (str(secret), f"../{tmp_path.name}/secret.csv", "/etc/hostname", "..", ".uploaded/../secret.csv"):
        text = MEASURED.replace(b"forces.csv", f"'{reference}'".encode())
        with pytest.raises(HoldfastError, match="is not among the uploaded files"):
            uploads.open("mine.yaml", text)


def test_an_uploaded_robot_runs_nothing_and_reads_no_mesh_of_the_machine(uploads: Uploads, tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    with pytest.raises(HoldfastError, match="is a xacro file"):
        uploads.open("evil.urdf", XACRO)
    with pytest.raises(HoldfastError, match="is a xacro file"):  # kept above; by another door
        uploads.open("evil.yaml", PINCH.replace("pinch.urdf", "evil.urdf").encode())
    with pytest.raises(HoldfastError, match="cannot be uploaded"):
        uploads.open("evil.yaml", PINCH.replace("urdf: pinch.urdf", "mjcf: evil.urdf").encode())
    import trimesh

    mesh = tmp_path / "foot.stl"
    trimesh.creation.box((0.1, 0.1, 0.1)).export(mesh)
    shape = f'<collision><geometry><mesh filename="file://{mesh}"/></geometry></collision></link>'
    urdf = PINCH_URDF.replace("</link>", shape, 1).encode()
    with pytest.raises(HoldfastError, match="foot.stl"):
        uploads.open("own.urdf", urdf)
    assert uploads.open("foot.stl", mesh.read_bytes()) == ()  # waits for a file that names it
    assert len(uploads.open("own.urdf", urdf)) == 1


def test_a_mesh_with_a_name_that_no_file_can_have_is_not_found(uploads: Uploads) -> None:
    pytest.importorskip("pinocchio")
    shape = f'<collision><geometry><mesh filename="{"a" * 5000}.stl"/></geometry></collision></link>'
    with pytest.raises(HoldfastError, match="was not found"):
        uploads.open("own.urdf", PINCH_URDF.replace("</link>", shape, 1).encode())


@pytest.mark.parametrize(
    "work",
    [
        "from holdfast.viewer.uploads import Uploads; left = Uploads(); left.open('left.stl', b'left'); kill()",
        "from holdfast.grasps import page; page.read_workpiece = kill; "
        "page.uploaded(page.GraspState(upload=page.Upload('left.stl', b'left')))",
    ],
)
def test_what_a_killed_viewer_left_is_removed_and_what_another_one_uses_stays(
    uploads: Uploads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    uploads.open("used.stl", b"used")
    code = f"import os\ndef kill(*_, **__): os.kill(os.getpid(), 9)\n{work}"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False, timeout=120)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{module.PREFIX}link").symlink_to(elsewhere)
    assert len(list(tmp_path.glob("*/*.stl"))) == 2
    module.remove_left_folders()
    assert [path.name for path in tmp_path.glob("*/*.stl")] == ["used.stl"]
    assert elsewhere.is_dir()
    uploads.close()
    assert list(tmp_path.glob("*/*")) == []


def test_a_session_keeps_only_so_much(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.viewer.uploads.LARGEST_UPLOADS", 3000)
    assert uploads.open("a.stl", bytes(2000)) == ()
    assert uploads.open("a.stl", bytes(2500)) == ()  # in place of the first
    with pytest.raises(HoldfastError, match="would be more than"):
        uploads.open("b.stl", bytes(600))
    monkeypatch.setattr("holdfast.viewer.uploads.MOST_FILES", 1)
    with pytest.raises(HoldfastError, match="would be more than 1 files"):
        uploads.open("b.stl", b"")


def test_a_measured_unit_carries_its_weight_until_its_measured_force(tmp_path: Path) -> None:
    source = MeasuredSource(DATA / "microspine_unit.csv")
    scene = source.scene({})
    measured = read_measurements(DATA / "microspine_unit.csv")
    upward = measured.limits[measured.directions @ [1.0, 0.0, 0.0] > 1.0 - 1e-9]
    limit = hf.load_limit(scene.assembly, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]).value
    assert len(upward) > 1 and 0.8 * upward.min() < limit < 1.05 * upward.max()  # inside what was measured
    axis = tmp_path / "axis.csv"
    axis.write_text("fz [N]\n-3\n-4\n")
    with pytest.raises(HoldfastError, match="tests along one axis"):
        MeasuredSource(axis).scene({})
