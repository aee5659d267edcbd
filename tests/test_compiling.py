"""Kernels: the same numbers compiled and interpreted, compiled when it pays, stored by their sources."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import numpy as np
import pytest

from holdfast import compiling
from holdfast.errors import InputError
from tests.solvers.kernel_cases import compiled

KINDS = ["kernel", "entry_kernel", "small_kernel", "inlined", "released_kernel"]


def harmonic(values):
    """Sum of reciprocals."""
    total = 0.0
    for a in range(len(values)):
        total += 1.0 / values[a]
    return total


@pytest.fixture
def uncached(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """Kernels made here leave nothing beside the tests."""
    from numba.core import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("uncached")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_gives_what_python_gives(kind):
    function = getattr(compiling, kind)(harmonic)
    values = np.random.default_rng(1).normal(size=20)
    assert compiled(function, values) == harmonic(values)
    assert function.py_func is harmonic


@pytest.mark.usefixtures("uncached")
@pytest.mark.parametrize("kind", KINDS)
def test_division_by_zero_is_infinite_and_raises_nothing(kind):
    assert compiled(getattr(compiling, kind)(harmonic), np.array([1.0, 0.0])) == np.inf


@pytest.mark.usefixtures("uncached")
@pytest.mark.parametrize("options", [{}, {"nogil": True}], ids=["kernel", "released"])
def test_a_stored_kernel_is_used_again_until_some_kernels_source_changes(options):
    """Functions are made afresh, as a new process would."""
    hits = []
    for sources in ("before", "before", "after", "after"):
        function = compiling.stored(sources, **options)(harmonic).machine_code
        function(np.ones(3))
        hits.append(sum(function.stats.cache_hits.values()))
    assert hits == [0, 1, 0, 1]


def test_sources_are_every_file_of_the_folder_and_every_file_called(tmp_path):
    folder, called = tmp_path / "kernels", tmp_path / "other.py"
    folder.mkdir()
    (folder / "one.py").write_text("1")
    called.write_text("1")
    seen = [compiling.sources(folder, called)]
    for change in (folder / "one.py", folder / "two.py", called):
        change.write_text("2")
        seen.append(compiling.sources(folder, called))
    assert len(set(seen)) == 4


def spin(flag, log, limit):
    """Count until the flag is set; stores to `log` keep the compiler from looking at the flag but once."""
    turns = 0
    while flag[0] == 0 and turns < limit:
        turns += 1
        log[turns & 3] = turns
    return turns


@pytest.mark.usefixtures("uncached")
def test_a_released_kernel_lets_other_threads_run():
    """The kernel spins until another thread says stop; with the lock held, none could."""
    function = compiling.released_kernel(spin)
    flag, log = np.zeros(1, dtype=np.int64), np.zeros(4, dtype=np.int64)
    function(flag, log, 1)  # compiled now
    log[:], turns = 0, []
    limit = 20_000_000_000
    worker = threading.Thread(target=lambda: turns.append(function(flag, log, limit)))
    worker.start()
    while worker.is_alive() and not log.any():
        pass
    flag[0] = 1
    worker.join()
    assert turns[0] < limit


def test_a_stored_kernel_knows_the_sources_of_its_feature():
    from holdfast.solvers.minkowski import simplex

    folder = Path(compiling.__file__).parent / "solvers"
    assert compiling.sources(folder) in simplex.run.machine_code._cache._cache_file._source_stamp
    assert compiling.feature_sources(simplex.__file__) == compiling.sources(folder)
    assert compiling.feature_sources(__file__) not in (
        compiling.sources(folder),
        compiling.feature_sources(threading.__file__),
    )


def test_an_interpreted_kernel_calls_interpreted_kernels():
    assert compiling.inlined(twice_and_one).interpreted(2.5) == 6.0
    assert compiling.inlined(twice).interpreted("ab") == "abab"


def test_an_interpreted_kernel_divides_by_zero_without_a_word(monkeypatch):
    monkeypatch.setenv(compiling.VARIABLE, "interpreted")
    assert compiling.kernel(harmonic)(np.array([1.0, 0.0])) == np.inf


@pytest.fixture
def automatic(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule of users, with nothing spent."""
    monkeypatch.setenv(compiling.VARIABLE, "auto")
    monkeypatch.setattr(compiling, "_spent", {})
    monkeypatch.setattr(compiling._Rules, "compiled", False)


@pytest.mark.usefixtures("uncached", "automatic")
def test_a_kernel_is_compiled_when_as_much_was_spent_in_it_as_compiling_takes(monkeypatch):
    shown = []
    monkeypatch.setattr(compiling, "announce", lambda family: shown.append(family) or contextlib.nullcontext())
    function = compiling.entry_kernel(harmonic)
    assert function(np.ones(3)) == 3.0
    assert function.is_interpreted and not shown and compiling._spent["tests"] > 0.0
    assert not function.allows(2.0 * compiling.COMPILING_SECONDS)
    compiling._spent["tests"] = 2.0 * compiling.COMPILING_SECONDS
    assert function(np.ones(3)) == function(np.ones(3)) == 3.0
    assert not function.is_interpreted and shown == ["tests"]


@pytest.mark.usefixtures("automatic")
def test_kernels_that_are_stored_are_loaded_sooner(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiling._spent["tests"] = 0.5 * (compiling.LOADING_SECONDS + compiling.COMPILING_SECONDS)
    assert compiling.entry_kernel(harmonic).is_interpreted
    (tmp_path / "tests_1").mkdir()
    (tmp_path / "tests_1" / "test_compiling.harmonic-17.py311.nbi").touch()
    assert not compiling.entry_kernel(harmonic).is_interpreted


@pytest.mark.usefixtures("uncached", "automatic")
def test_much_work_is_compiled_at_once_unless_all_is_to_be_interpreted(monkeypatch):
    function = compiling.entry_kernel(harmonic)
    function.compile()
    assert not function.is_interpreted
    monkeypatch.setenv(compiling.VARIABLE, "interpreted")
    other = compiling.entry_kernel(harmonic)
    other.compile()
    assert other.is_interpreted


@pytest.mark.usefixtures("uncached", "automatic")
def test_from_when_there_is_much_work_kernels_are_compiled_at_once():
    compiling.require_compiled()
    assert not compiling.kernel(harmonic).is_interpreted


def test_an_unknown_way_of_running_kernels_is_refused(monkeypatch):
    monkeypatch.setenv(compiling.VARIABLE, "fast")
    with pytest.raises(InputError, match="HOLDFAST_KERNELS: is 'fast'"):
        compiling.mode()


def twice(value):
    """The value, and again."""
    return value * 2


doubled = compiling.inlined(twice)


def twice_and_one(value):
    """Through another kernel."""
    return doubled(value) + 1.0


@compiling.small_kernel
def scaled(value, factor, negative):
    """A number times a factor, with either sign."""
    return -factor * value if negative else factor * value


def test_one_compiled_form_serves_all_literal_arguments():
    def both(value):
        return scaled(value, 2, False) + scaled(value, 3, True)

    assert compiled(compiling.small_kernel(both), 1.5) == -1.5
    assert len(scaled.machine_code.signatures) == 1


def test_python_interprets_a_kernel_without_an_entrance(monkeypatch):
    monkeypatch.setenv(compiling.VARIABLE, "compiled")
    function = compiling.kernel(harmonic)
    function.compile()
    assert not function.has_entrance and function(np.ones(3)) == 3.0
    assert "machine_code" not in vars(function)
