from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FileError
from holdfast.grasps.criterion_inputs import read
from holdfast.jobs.journal import Identity, listed

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
    found = read(WHOLE, IDENTITY, HERE)
    assert (found.results, found.finished, found.tidy, found.damaged, found.lost) == (RESULTS, True, True, (), ())
    some = read(unfinished(4, 1), IDENTITY, HERE)
    assert (list(some.results), some.finished, some.tidy) == ([4, 1], False, True)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed_and_no_false_result_is_read(place, change):
    data = bytearray(WHOLE)
    data[place] ^= change
    found = read(bytes(data), IDENTITY, HERE)
    assert found.results.items() <= RESULTS.items()
    line = WHOLE[:place].count(b"\n") + 1
    assert found.damaged or found.lost
    assert set(found.damaged) <= {line, line + 1}  # a changed line end joins two
    assert len(found.results) >= 4
    assert not found.tidy


@given(st.integers(0, len(WHOLE)))
def test_a_finished_journal_that_was_cut_names_what_is_missing(cut):
    found = read(WHOLE[:cut], IDENTITY, HERE)
    kept = set(found.results)
    assert kept == set(range(len(kept)))
    if cut > WHOLE.index(b"\n"):
        assert found.lost == tuple(range(len(kept), 6))
    assert found.finished == (cut == len(WHOLE))


@given(st.integers(0, 200))
def test_a_running_journal_that_was_cut_in_its_last_line_is_what_a_kill_leaves(back):
    data = unfinished(0, 3, 1)
    last = len(IDENTITY.record(1, RESULTS[1]))
    found = read(data[: len(data) - min(back, last)], IDENTITY, HERE)
    assert {0, 3} <= set(found.results) <= {0, 3, 1}
    assert (found.damaged, found.lost) == ((), ())


@pytest.mark.parametrize("other", OTHERS)
def test_a_record_of_another_sweep_is_found_out(other):
    data = unfinished(0) + other.record(1, {"value": 99.0}) + IDENTITY.record(2, RESULTS[2])
    found = read(data, IDENTITY, HERE)
    assert list(found.results) == [0, 2]
    assert (found.damaged, found.lost) == ((3,), (1,))


@pytest.mark.parametrize("other", OTHERS)
def test_the_journal_of_another_sweep_is_refused(other):
    with pytest.raises(FileError, match="another sweep"):
        read(other.header(finished=False), IDENTITY, HERE)


def test_a_damaged_header_is_mended_when_records_prove_themselves():
    data = b"\x00" * 40 + b"\n" + unfinished(0, 1).split(b"\n", 1)[1]
    found = read(data, IDENTITY, HERE)
    assert (list(found.results), found.damaged, found.lost) == ([0, 1], (1,), ())
    with pytest.raises(FileError, match="not the journal"):
        read(data, OTHERS[0], HERE)


def test_a_header_of_an_older_layout_is_another_sweep():
    old = json.dumps({"holdfast": "sweep", "version": 1, "key": "k"}).encode() + b"\n"
    with pytest.raises(FileError, match="another sweep"):
        read(old, IDENTITY, HERE)


def test_half_a_chunk_counts_for_nothing():
    identity = Identity("k", 6, "0123", 2)
    found = read(unfinished(0, 1, 2, identity=identity), identity, HERE)
    assert (list(found.results), found.tidy, found.damaged) == ([0, 1], False, ())


def test_the_first_of_two_records_counts():
    data = unfinished(0) + IDENTITY.record(0, {"value": "second"})
    found = read(data, IDENTITY, HERE)
    assert (found.results, found.tidy) == ({0: RESULTS[0]}, False)


def test_lines_out_of_order_after_the_end_are_put_in_order():
    header, *lines = WHOLE.splitlines(keepends=True)
    found = read(b"".join([header, *lines[::-1]]), IDENTITY, HERE)
    assert (found.finished, found.tidy, len(found.results)) == (False, False, 6)


def test_numbers_are_listed_in_runs():
    assert listed([]) == ""
    assert listed([3]) == "3"
    assert listed([7, 3, 8, 9]) == "3, 7-9"
    assert listed(range(0, 40, 2), most=2) == "0, 2 and 18 more"
