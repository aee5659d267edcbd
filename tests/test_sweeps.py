from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import FileError, HoldfastError, InputError
from holdfast.sweeps import fingerprint, sweep


def square(x: float) -> dict[str, float]:
    return {"value": x * x, "third": x / 3}


class Counter:
    """A task that counts how often it was asked, and may stop."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[float] = []
        self.stop_after = stop_after

    def __call__(self, x: float) -> dict[str, float]:
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(x)
        return square(x)


QUERIES = [float(x) for x in range(12)]
EXPECTED = [square(x) for x in QUERIES]


# -- results ----------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_queries():
    assert sweep(square, QUERIES) == EXPECTED
    assert sweep(square, []) == []


def test_a_journal_does_not_change_the_results(tmp_path):
    assert sweep(square, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert sweep(square, [], journal=tmp_path / "empty") == []


def test_a_finished_sweep_is_read_and_not_computed_again(tmp_path):
    sweep(square, QUERIES, journal=tmp_path / "j", key="k")
    again = Counter()
    assert sweep(again, QUERIES, journal=str(tmp_path / "j"), key="k") == EXPECTED
    assert again.asked == []


@pytest.mark.parametrize("stop_after", [0, 1, 5, 11])
def test_a_stopped_sweep_goes_on_where_it_stopped(tmp_path, stop_after):
    first = Counter(stop_after)
    with pytest.raises(KeyboardInterrupt):
        sweep(first, QUERIES, journal=tmp_path / "j")
    second = Counter()
    assert sweep(second, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert first.asked + second.asked == QUERIES


def test_a_task_that_fails_keeps_what_was_finished(tmp_path):
    def fails(x: float) -> dict[str, float]:
        if x == 3.0:
            raise ZeroDivisionError
        return square(x)

    with pytest.raises(ZeroDivisionError):
        sweep(fails, QUERIES, journal=tmp_path / "j")
    counter = Counter()
    assert sweep(counter, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert counter.asked == QUERIES[3:]


@pytest.mark.parametrize(
    "value", [0.1 + 0.2, 1e-320, -0.0, float("inf"), float("nan"), 2**70, None, True, "ü\n", [1, [2]], {}]
)
def test_values_come_back_from_the_journal_bit_for_bit(tmp_path, value):
    task = lambda _: {"value": value}  # noqa: E731
    fresh = sweep(task, [0], journal=tmp_path / "j")
    saved = sweep(task, [0], journal=tmp_path / "j")
    assert repr(fresh) == repr(saved)


def test_results_are_the_same_type_whether_fresh_or_saved(tmp_path):
    task = lambda x: {"pair": (x, 2.0), 7: "key"}  # noqa: E731
    fresh = sweep(task, [1.0], journal=tmp_path / "j")
    assert sweep(task, [1.0], journal=tmp_path / "j") == fresh


def test_a_result_that_cannot_be_saved_is_a_holdfast_error_that_names_the_query(tmp_path):
    with pytest.raises(HoldfastError):
        sweep(lambda x: {"value": np.arange(3)}, [1.0], journal=tmp_path / "j")
    assert sweep(square, [1.0], journal=tmp_path / "j") == [square(1.0)]


# -- progress ---------------------------------------------------------------------------------------


def test_progress_counts_from_the_start_to_the_end():
    calls: list[tuple[int, int]] = []
    sweep(square, QUERIES[:4], progress=lambda done, total: calls.append((done, total)))
    assert calls == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_progress_of_a_resumed_sweep_starts_with_what_was_found(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        sweep(Counter(5), QUERIES, journal=tmp_path / "j")
    calls: list[tuple[int, int]] = []
    sweep(square, QUERIES, journal=tmp_path / "j", progress=lambda *call: calls.append(call))
    assert calls == [(n, 12) for n in range(5, 13)]


# -- damaged and foreign journals -------------------------------------------------------------------


@settings(max_examples=12)
@given(st.integers(0, 2_000))
def test_a_journal_cut_anywhere_is_mended(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "j"
    sweep(square, QUERIES, journal=path, key="k")
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    cut = header + cut % (len(whole) - header + 1)
    path.write_bytes(whole[:cut])
    counter = Counter()
    assert sweep(counter, QUERIES, journal=path, key="k") == EXPECTED
    kept = whole[:cut].count(b"\n") - 1
    assert len(QUERIES) - len(counter.asked) in (kept, kept + 1)  # a last line whole but for its end may count
    assert sweep(Counter(0), QUERIES, journal=path, key="k") == EXPECTED


def test_a_journal_cut_inside_its_first_line_is_begun_anew(tmp_path):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path, key="k")
    path.write_bytes(path.read_bytes()[:10])
    assert sweep(square, QUERIES, journal=path, key="k") == EXPECTED


def test_an_empty_file_is_begun_as_a_journal(tmp_path):
    (tmp_path / "j").touch()
    assert sweep(square, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert sweep(Counter(0), QUERIES, journal=tmp_path / "j") == EXPECTED


def test_a_damaged_line_in_the_middle_costs_only_that_result(tmp_path):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path)
    lines = path.read_text().splitlines(keepends=True)
    lines[4] = "\x00\x00\x00 torn \n"
    path.write_text("".join(lines))
    counter = Counter()
    assert sweep(counter, QUERIES, journal=path) == EXPECTED
    assert counter.asked == [3.0]


@pytest.mark.parametrize(
    "content",
    [
        b"mass,value\n1,2\n",
        b"\x00\xff\xfe\x80 binary \n",
        b"{}\n",
        b"[1, 2]\n",
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


@pytest.mark.parametrize("other", [{"key": "another"}, {"queries": QUERIES[:5]}, {"version": 99}])
def test_the_journal_of_another_sweep_is_refused_and_left_as_it_is(tmp_path, other):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path, key="k")
    if "version" in other:
        lines = path.read_text().splitlines(keepends=True)
        lines[0] = json.dumps(json.loads(lines[0]) | {"version": 99}) + "\n"
        path.write_text("".join(lines))
    before = path.read_bytes()
    with pytest.raises(FileError, match="another sweep"):
        sweep(square, other.get("queries", QUERIES), journal=path, key=other.get("key", "k"))
    assert path.read_bytes() == before


def test_other_queries_never_get_the_results_of_the_first(tmp_path):
    """As many queries, the same key, but other ones: the saved results answer other questions."""
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path, key="k")
    others = [x + 100.0 for x in QUERIES]
    try:
        results = sweep(square, others, journal=path, key="k")
    except FileError:
        return
    assert results == [square(x) for x in others]


# -- places that cannot be written ------------------------------------------------------------------


def test_a_journal_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot be written") as caught:
        sweep(square, QUERIES, journal=tmp_path / "file" / "j")
    assert caught.value.fix


def test_a_journal_in_a_folder_that_does_not_exist_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        sweep(square, QUERIES, journal=tmp_path / "nowhere" / "j")


def test_a_folder_is_no_journal(tmp_path):
    with pytest.raises(FileError) as caught:
        sweep(square, QUERIES, journal=tmp_path)
    assert caught.value.path == tmp_path


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="cannot be written"):
        sweep(square, QUERIES, journal=tmp_path / "j")


def test_a_refused_journal_computes_nothing(tmp_path):
    (tmp_path / "file").write_text("x")
    counter = Counter()
    with pytest.raises(FileError):
        sweep(counter, QUERIES, journal=tmp_path / "file" / "j")
    assert counter.asked == []


def test_a_full_disk_is_a_file_error(monkeypatch, tmp_path):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left") as caught:
        sweep(square, QUERIES, journal=tmp_path / "j")
    assert "space" in caught.value.fix


# -- killed -----------------------------------------------------------------------------------------

CHILD = textwrap.dedent(
    """
    import sys, time
    from holdfast.sweeps import sweep

    def task(x):
        time.sleep(0.002)
        return {"value": x * x, "text": "x" * (x % 50), "third": x / 3}

    told = []

    def progress(done, total):
        if not told:
            told.append(print(done, flush=True))  # how many results the journal held

    sweep(task, list(range(60)), journal=sys.argv[1], key="killed", progress=progress)
    """
)


def whole_lines(path: Path) -> int:
    return 0 if not path.exists() else max(0, path.read_bytes().count(b"\n") - 1)


@pytest.mark.parametrize("seed", range(2))
def test_a_sweep_killed_at_random_moments_ends_with_the_same_results(tmp_path, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / "journal.jsonl"
    kills, kept = 0, 0
    for _ in range(60):
        with subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True) as child:
            assert int(child.stdout.readline()) >= kept, "a finished result was lost"
            time.sleep(float(rng.uniform(0.0, 0.15)))
            child.send_signal(signal.SIGKILL)
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL
        kills += 1
        assert whole_lines(path) >= kept
        kept = whole_lines(path)
    else:
        pytest.fail("the sweep never came to its end")
    assert kills >= 1
    again = sweep(lambda x: pytest.fail("computed again"), list(range(60)), journal=path, key="killed")
    assert again == [{"value": x * x, "text": "x" * (x % 50), "third": x / 3} for x in range(60)]


def test_a_rewrite_that_was_killed_leaves_the_old_journal_to_go_on_from(tmp_path):
    path = tmp_path / "j"
    with pytest.raises(KeyboardInterrupt):
        sweep(Counter(6), QUERIES, journal=path)
    (tmp_path / "j.new").write_text('{"holdfast": "sw')  # what a kill in the middle of mending leaves
    counter = Counter()
    assert sweep(counter, QUERIES, journal=path) == EXPECTED
    assert counter.asked == QUERIES[6:]


def test_going_on_from_a_long_journal_does_not_save_every_old_line_to_the_disk_again(monkeypatch, tmp_path):
    queries = [float(x) for x in range(200)]
    saves: list[int] = []
    monkeypatch.setattr(os, "fsync", saves.append)
    with pytest.raises(KeyboardInterrupt):
        sweep(Counter(199), queries, journal=tmp_path / "j")
    saves.clear()
    sweep(square, queries, journal=tmp_path / "j")
    assert len(saves) <= 5


# -- fingerprints -----------------------------------------------------------------------------------


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
    code = "from holdfast.sweeps import fingerprint; print(fingerprint({'b': [1, 2.5], 'a': 'ü'}, 3))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == fingerprint({"a": "ü", "b": [1, 2.5]}, 3)
