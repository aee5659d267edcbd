from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import FileError, InputError, JournalWarning
from holdfast.jobs import fingerprint, sweep
from holdfast.jobs import journal as module
from holdfast.jobs.journal import Identity, listed, locked, read_records


def test_fingerprints_tell_values_apart_and_not_the_order_of_fields():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    prints = [fingerprint(*parts) for parts in ([1], [1.5], ["1"], [1, 2], [[1, 2]], [None], [], [{"a": 1}])]
    assert len(set(prints)) == len(prints)


def test_fingerprints_see_every_digit_and_every_entry_of_an_array():
    base = np.linspace(0.0, 1.0, 5000)
    for index, change in ((2500, 1.0), (3, 1e-12), (0, 1e-300)):
        other = base.copy()
        other[index] += change
        assert fingerprint(base) != fingerprint(other)
    assert fingerprint(base) == fingerprint(base.copy())
    assert fingerprint(np.float64(0.1)) != fingerprint(np.float64(0.1) + 1e-16)


def test_a_fingerprint_of_what_has_no_value_is_refused_rather_than_different_in_every_process():
    with pytest.raises((InputError, TypeError)):
        fingerprint(object())


def test_fingerprints_are_the_same_in_another_process():
    code = "from holdfast.jobs import fingerprint; print(fingerprint({'b': [1, 2.5], 'a': 'ü'}, 3))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == fingerprint({"a": "ü", "b": [1, 2.5]}, 3)


HERE = Path("j")
IDENTITY = Identity("k", 6, "0123", 1)
OTHERS = [
    Identity("k2", 6, "0123", 1),
    Identity("k", 7, "0123", 1),
    Identity("k", 6, "99", 1),
    Identity("k", 6, "0123", 2),
]
RESULTS = {index: {"value": index / 3, "text": "ü\n"} for index in range(6)}
WHOLE = IDENTITY.whole(RESULTS)


def unfinished(*indices: int, identity: Identity = IDENTITY) -> bytes:
    return identity.header(finished=False) + b"".join(identity.record(i, RESULTS[i]) for i in indices)


def test_a_journal_is_lines_of_json():
    header, *lines = [json.loads(line) for line in WHOLE.decode().splitlines()]
    assert (header["holdfast"], header["total"], header["key"], header["finished"]) == ("sweep", 6, "k", True)
    assert [line["index"] for line in lines] == list(range(6))
    assert [line["result"] for line in lines] == list(RESULTS.values())


def test_what_was_written_is_read_back():
    found = read_records(WHOLE, IDENTITY, HERE)
    assert (found.results, found.finished, found.tidy, found.damaged, found.lost) == (RESULTS, True, True, (), ())
    some = read_records(unfinished(4, 1), IDENTITY, HERE)
    assert (list(some.results), some.finished, some.tidy) == ([4, 1], False, True)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed_and_no_false_result_is_read(place, change):
    data = bytearray(WHOLE)
    data[place] ^= change
    found = read_records(bytes(data), IDENTITY, HERE)
    assert found.results.items() <= RESULTS.items()
    line = WHOLE[:place].count(b"\n") + 1
    assert found.damaged or found.lost
    assert set(found.damaged) <= {line, line + 1}  # a changed line end joins two
    assert len(found.results) >= 4
    assert not found.tidy


@given(st.integers(0, len(WHOLE)))
def test_a_finished_journal_that_was_cut_names_what_is_missing(cut):
    found = read_records(WHOLE[:cut], IDENTITY, HERE)
    kept = set(found.results)
    assert kept == set(range(len(kept)))
    if cut > WHOLE.index(b"\n"):
        assert found.lost == tuple(range(len(kept), 6))
    assert found.finished == (cut == len(WHOLE))


@given(st.integers(0, 200))
def test_a_running_journal_that_was_cut_in_its_last_line_is_what_a_kill_leaves(back):
    data = unfinished(0, 3, 1)
    last = len(IDENTITY.record(1, RESULTS[1]))
    found = read_records(data[: len(data) - min(back, last)], IDENTITY, HERE)
    assert {0, 3} <= set(found.results) <= {0, 3, 1}
    assert (found.damaged, found.lost) == ((), ())


@pytest.mark.parametrize("other", OTHERS)
def test_a_record_of_another_sweep_is_found_out(other):
    data = unfinished(0) + other.record(1, {"value": 99.0}) + IDENTITY.record(2, RESULTS[2])
    found = read_records(data, IDENTITY, HERE)
    assert list(found.results) == [0, 2]
    assert (found.damaged, found.lost) == ((3,), (1,))


@pytest.mark.parametrize("other", OTHERS)
def test_the_journal_of_another_sweep_is_refused(other):
    with pytest.raises(FileError, match="another sweep"):
        read_records(other.header(finished=False), IDENTITY, HERE)


def test_a_damaged_header_is_mended_when_records_prove_themselves():
    data = b"\x00" * 40 + b"\n" + unfinished(0, 1).split(b"\n", 1)[1]
    found = read_records(data, IDENTITY, HERE)
    assert (list(found.results), found.damaged, found.lost) == ([0, 1], (1,), ())
    with pytest.raises(FileError, match="not the journal"):
        read_records(data, OTHERS[0], HERE)


def test_a_header_of_an_older_layout_is_another_sweep():
    old = json.dumps({"holdfast": "sweep", "version": 1, "key": "k"}).encode() + b"\n"
    with pytest.raises(FileError, match="another sweep"):
        read_records(old, IDENTITY, HERE)


def test_half_a_chunk_counts_for_nothing():
    identity = Identity("k", 6, "0123", 2)
    found = read_records(unfinished(0, 1, 2, identity=identity), identity, HERE)
    assert (list(found.results), found.tidy, found.damaged) == ([0, 1], False, ())


def test_the_first_of_two_records_counts():
    data = unfinished(0) + IDENTITY.record(0, {"value": "second"})
    found = read_records(data, IDENTITY, HERE)
    assert (found.results, found.tidy) == ({0: RESULTS[0]}, False)


def test_lines_out_of_order_after_the_end_are_put_in_order():
    header, *lines = WHOLE.splitlines(keepends=True)
    found = read_records(b"".join([header, *lines[::-1]]), IDENTITY, HERE)
    assert (found.finished, found.tidy, len(found.results)) == (False, False, 6)


def test_numbers_are_listed_in_runs():
    assert listed([]) == ""
    assert listed([3]) == "3"
    assert listed([7, 3, 8, 9]) == "3, 7-9"
    assert listed(range(0, 40, 2), most=2) == "0, 2 and 18 more"


fcntl = pytest.importorskip("fcntl")

HOLDER = """
import sys
from pathlib import Path
from holdfast.jobs.journal import locked
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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can make a link of another user")
def test_a_link_of_another_user_to_a_journal_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "j")
    os.lchown(tmp_path / "link", 12345, 12345)
    with pytest.raises(FileError, match="is a link of another user"):
        sweep(square, QUERIES, journal=tmp_path / "link")
    assert not (tmp_path / "j").exists()


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
    (tmp_path / ".j.0123.part").write_text('{"holdfast": "sw')
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
    with pytest.raises(FileError, match="not a regular file"):
        sweep(abs, [1, 2], journal="/dev/full", key="k")
