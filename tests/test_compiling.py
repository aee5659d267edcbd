"""What compiled kernels promise: the same numbers as Python, no exceptions from division, other threads go on."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from holdfast import compiling
from tests.solvers.kernel_cases import compiled

KINDS = ["kernel", "small_kernel", "inlined", "released_kernel"]


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
        function = compiling.stored(sources, **options)(harmonic)
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
    assert compiling.sources(folder) in simplex.run._cache._cache_file._source_stamp
    assert compiling.feature_sources(simplex.__file__) == compiling.sources(folder)
    assert compiling.feature_sources(__file__) not in (
        compiling.sources(folder),
        compiling.feature_sources(threading.__file__),
    )


def test_a_plain_kernel_calls_plain_kernels():
    double = compiling.inlined(twice)
    assert compiling.plain(compiling.inlined(twice_and_one))(2.5) == 6.0
    assert compiling.plain(double) is not double and compiling.plain(double)("ab") == "abab"


def twice(value):
    """The value, and again."""
    return value * 2


doubled = compiling.inlined(twice)


def twice_and_one(value):
    """Through another kernel."""
    return doubled(value) + 1.0
