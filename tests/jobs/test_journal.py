from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import FileError, JournalWarning
from holdfast.jobs import journal as module
from holdfast.jobs import sweep

QUERIES = list(range(12))


def square(x: int) -> dict[str, float]:
    return {"value": x * x, "third": x / 3}


EXPECTED = [square(x) for x in QUERIES]


def stopped(n: int):
    """A task that is interrupted after n queries."""

    def task(x: int) -> dict[str, float]:
        if x >= n:
            raise KeyboardInterrupt
        return square(x)

    return task


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from(["cut", "flip", "zero", "insert", "drop"]), st.floats(0, 1)), min_size=1, max_size=3
    )
)
def test_a_journal_damaged_in_any_way_is_mended_or_refused_and_never_believed(tmp_path_factory, damages):
    path = tmp_path_factory.mktemp("damaged") / "j"
    sweep(square, QUERIES, journal=path, key="k")
    whole = data = path.read_bytes()
    for kind, share in damages:
        at = int(share * max(0, len(data) - 1))
        if kind == "cut":
            data = data[:at]
        elif data:
            changed = {"flip": bytes([data[at] ^ 32]), "zero": b"\0" * 9, "insert": b"x\n", "drop": b""}[kind]
            data = data[:at] + changed + data[at + (0 if kind == "insert" else len(changed) or 40) :]
    path.write_bytes(data)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            results = sweep(square, QUERIES, journal=path, key="k")
        except FileError:  # nothing in it proved to be of this sweep
            assert path.read_bytes() == data
            return
    assert results == EXPECTED
    assert path.read_bytes() == whole
    assert all(isinstance(warning.message, JournalWarning) for warning in told)


@pytest.mark.parametrize(
    "content",
    [
        b"mass,value\n1,2\n",
        b"\x00\xff\xfe\x80 binary \n",
        b"{}\n",
        b"[1, 2]\n",
        b"x",
        b"\n",
        b'{"holdfast": "scene"}\n{"index": 0, "result": {}}\n',
        b'{"index": 0, "result": {"value": 1}}\n',
    ],
)
def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(FileError, match="not the journal") as caught:
        sweep(square, QUERIES, journal=path)
    assert caught.value.path == path
    assert caught.value.fix
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("cut", [0, 1, 10, 60])
def test_a_journal_cut_inside_its_first_line_is_begun_anew(tmp_path, cut):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path, key="k")
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    assert sweep(square, QUERIES, journal=path, key="k") == EXPECTED
    assert path.read_bytes() == whole


def test_a_link_to_a_journal_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "j")
    sweep(square, QUERIES, journal=tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert sweep(stopped(0), QUERIES, journal=tmp_path / "j") == EXPECTED


@pytest.mark.parametrize("place", ["file/j", "nowhere/j"])
def test_a_place_that_cannot_be_written_is_told(tmp_path, place):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot be written") as caught:
        sweep(square, QUERIES, journal=tmp_path / place)
    assert caught.value.fix


def test_a_folder_is_no_journal(tmp_path):
    with pytest.raises(FileError, match="is a folder") as caught:
        sweep(square, QUERIES, journal=tmp_path)
    assert caught.value.path == tmp_path


def test_a_device_is_no_journal():
    with pytest.raises(FileError):
        sweep(square, QUERIES, journal=os.devnull)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere; see the read-only mount in test_kills")
def test_a_file_without_permission_cannot_be_written(tmp_path):
    (tmp_path / "j").touch(mode=0o400)
    with pytest.raises(FileError, match="cannot be written"):
        sweep(square, QUERIES, journal=tmp_path / "j")


def test_a_disk_that_fails_keeps_what_was_saved_before(tmp_path, monkeypatch):
    """Half a line goes to the disk, then it is full; the half is taken back."""
    path, write, writes = tmp_path / "j", os.write, []

    def full(handle, data):
        writes.append(bytes(data))
        if len(writes) == 6:
            write(handle, bytes(data)[:10])
            raise OSError(28, "No space left on device")
        return write(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(FileError, match="No space left") as caught:
            sweep(square, QUERIES, journal=path)
    assert "space" in caught.value.fix
    assert path.read_bytes() == b"".join(writes[:5])  # the header and four results, and nothing torn
    assert sweep(square, QUERIES, journal=path) == EXPECTED


def test_a_disk_too_full_for_the_last_form_keeps_all_results(tmp_path, monkeypatch):
    path = tmp_path / "j"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.Journal, "_replace", lambda self, data: full())
        with pytest.raises(OSError):  # noqa: PT011
            sweep(square, QUERIES, journal=path)
    assert sweep(stopped(0), QUERIES, journal=path) == EXPECTED


def test_short_writes_are_gone_on_with(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, bytes(data)[:7]))
    assert sweep(square, QUERIES, journal=tmp_path / "j") == EXPECTED
    monkeypatch.undo()
    assert sweep(stopped(0), QUERIES, journal=tmp_path / "j") == EXPECTED


def test_what_a_kill_in_the_middle_of_mending_leaves_does_no_harm(tmp_path):
    path = tmp_path / "j"
    with pytest.raises(KeyboardInterrupt):
        sweep(stopped(6), QUERIES, journal=path)
    (tmp_path / "j.new").write_text('{"holdfast": "sw')
    assert sweep(square, QUERIES, journal=path) == EXPECTED
    assert list(tmp_path.iterdir()) == [path]


def test_many_quick_results_are_not_each_waited_for_by_the_disk(tmp_path, monkeypatch):
    saves: list[int] = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (saves.append(handle), sync(handle)))
    monkeypatch.setattr(module, "SYNC_EVERY", 3600.0)
    sweep(square, list(range(300)), journal=tmp_path / "quick")
    assert 1 <= len(saves) <= 4
    saves.clear()
    monkeypatch.setattr(module, "SYNC_EVERY", 0.0)
    sweep(square, list(range(300)), journal=tmp_path / "slow")
    assert len(saves) >= 300


def test_every_result_is_in_the_file_before_the_next_is_computed(tmp_path):
    path = tmp_path / "j"

    def look(x: int) -> dict[str, float]:
        assert path.read_bytes().count(b"\n") == x + 1
        return square(x)

    assert sweep(look, QUERIES, journal=path) == EXPECTED


def test_a_finished_journal_is_read_and_not_written(tmp_path):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path)
    before = path.stat()
    assert sweep(stopped(0), QUERIES, journal=path) == EXPECTED
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_device_without_an_end_is_refused_unread():
    with pytest.raises(FileError, match="no plain file"):
        sweep(abs, [1, 2], journal="/dev/full", key="k")
