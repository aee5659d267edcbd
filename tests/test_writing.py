"""Files in folders that others share: no link that somebody has put there is followed, whatever is written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import Result

from holdfast.errors import FileError
from holdfast.files.reader import DATA
from holdfast.inputs import write_whole
from holdfast.jobs import sweep
from holdfast.scenes import load_scene, save_scene

#: Commands that write a file OUT.
COMMANDS = (
    "check @suction_cup --csv OUT.csv",
    "check @suction_cup --plot OUT.svg",
    "check @suction_cup --plot OUT.png",
    "report @suction_cup --slices none -o OUT.html --force",
    "space @suction_cup --level 1 --save OUT.h5",
    "space @suction_cup --level 1 --axes fx,fy,fz --mesh OUT.ply --cap 100",
    "compare @suction_cup @gecko_on_glass --level 0 --markdown OUT.md",
    "sweep @suction_cup --n 2 --save OUT.jsonl",
    f"decompose {DATA / 'microspine_unit.csv'} --output OUT.json",
)


@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_writes_through_a_link(run: Callable[..., Result], tmp_path: Path, line: str) -> None:
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    shared.mkdir()
    victim.write_text("mine")
    words = line.replace("OUT", str(shared / "out")).split()
    out = Path(next(word for word in words if word.startswith(str(shared))))
    journal = out.suffix == ".jsonl"  # a link to a journal is followed, as its user wants; beside it nothing is
    for name in (
        f"{out.name}.new",
        f".{out.name}.{os.getpid()}.part",
        f"{out.name}.part",
        f"{out.name}.lock",
        out.name,
    ):
        if not (journal and name == out.name):
            (shared / name).symlink_to(victim)
    result = run(*words)
    assert victim.read_text() == "mine"
    if journal:
        assert result.exit_code == 2 and "cannot be written" in result.output  # for its lock
        (shared / f"{out.name}.lock").unlink()
        assert run(*words).exit_code in (0, 1)
    else:
        assert result.exit_code in (0, 1), result.output
        assert not out.is_symlink()
    assert out.stat().st_size > 0 and victim.read_text() == "mine"
    assert not [part for part in shared.glob("*.part") if not part.is_symlink()]


def test_a_journal_is_finished_beside_links_that_lie_in_wait(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "j.jsonl"
    victim.write_text("mine")
    (tmp_path / "j.jsonl.new").symlink_to(victim)
    (tmp_path / "scene.yaml").symlink_to(victim)
    save_scene(load_scene("@suction_cup"), tmp_path / "scene.yaml")
    assert sweep(abs, [-1, -2], journal=path) == [1, 2]
    assert victim.read_text() == "mine" and (tmp_path / "j.jsonl.new").is_symlink()


def test_a_file_keeps_its_permissions_and_a_new_one_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    assert write_whole(path, b"new") == path
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    (tmp_path / "hanging").symlink_to(tmp_path / "nowhere")
    for taken in (path, tmp_path / "hanging"):
        with pytest.raises(FileError, match="exists already"):
            write_whole(taken, b"newer", new=True)
    assert path.read_bytes() == b"new" and not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no devices")
def test_devices_and_pipes_are_written_to(tmp_path: Path) -> None:
    device = Path("/dev/null").stat()
    code = "from holdfast.inputs import write_whole as w; w('/dev/stdout', b'a'); w('/dev/stdout', b'b'); w('/dev/null', b'c')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (tmp_path / "out").read_bytes() == piped.stdout == b"ab"
    assert Path("/dev/null").stat() == device


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no memory that everybody may write to")
def test_links_in_shared_memory_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    with TemporaryDirectory(dir="/dev/shm") as shared:
        link = Path(shared) / "out"
        link.symlink_to(tmp_path / "victim")
        write_whole(link, b"new")
        assert link.read_bytes() == b"new" and not link.is_symlink()
    assert (tmp_path / "victim").read_text() == "mine"


def test_no_other_code_writes_files() -> None:
    """Every file that may lie in a shared folder is written by `inputs`; folders of one's own are named here."""
    own = {"inputs.py", "viewer/uploads.py", "viewer/opening.py", "grasps/page.py", "storage/archive.py"}
    sources = Path(write_whole.__code__.co_filename).parent
    writing = (".write_text(", ".write_bytes(", '.open("w', '.open("x', '.open("a', "savefig(", "np.save", ".savetxt(")
    found = {
        str(path.relative_to(sources))
        for path in sources.rglob("*.py")
        if any(word in path.read_text("utf-8") for word in writing)
    }
    assert found - own == {"plotting/files.py"}  # into memory
