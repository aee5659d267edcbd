from __future__ import annotations

import errno
import signal
import subprocess

import pytest

from holdfast.errors import FileError
from holdfast.jobs.journal import locked

fcntl = pytest.importorskip("fcntl")

HOLDER = """
import sys
from pathlib import Path
from holdfast.jobs.locking import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_lock_is_taken_once_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "j"
    with locked(path):
        with pytest.raises(FileError, match="in use by another run") as caught, locked(path):
            pass
        assert caught.value.fix
    with locked(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_of_another_process_holds_while_it_lives_and_no_longer(tmp_path, child):
    path = tmp_path / "j"
    other = child(HOLDER, path, stdin=subprocess.PIPE)
    assert other.stdout.readline() == "held\n"
    with pytest.raises(FileError, match="in use"), locked(path):
        pass
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert (tmp_path / "j.lock").exists()  # what a dead process leaves: empty, and no lock
    with locked(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_somebody_else_by_that_name_stays(tmp_path):
    (tmp_path / "j.lock").write_text("mine")
    with locked(tmp_path / "j"):
        pass
    assert (tmp_path / "j.lock").read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be written"), locked(tmp_path / "nowhere" / "j"):
        pass


def test_a_file_system_without_locks_is_written_all_the_same(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with locked(tmp_path / "j"):
        (tmp_path / "j").write_text("saved")
    assert (tmp_path / "j").read_text() == "saved"
    assert [path.name for path in tmp_path.iterdir()] == ["j"]  # no lock is left behind


def test_a_lock_on_a_file_that_its_holder_removed_is_taken_anew(tmp_path, monkeypatch):
    """The other run ends, and removes the file, between our opening and our locking it."""
    real, beside, calls = fcntl.flock, tmp_path / "j.lock", []

    def late(handle, operation):
        calls.append(handle)
        if len(calls) == 1:
            beside.unlink()
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with locked(tmp_path / "j"):
        assert len(calls) == 2
        monkeypatch.setattr(fcntl, "flock", real)
        with pytest.raises(FileError, match="in use"), locked(tmp_path / "j"):
            pass
