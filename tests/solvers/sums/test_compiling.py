"""Kernels of sums are stored by the sources that they are made of."""

from __future__ import annotations

from pathlib import Path

import holdfast.solvers.sums as room
from holdfast.solvers.sums import compiling
from holdfast.solvers.sums.simplex import run


def test_every_file_that_kernels_call_into_is_looked_at():
    folder = Path(room.__file__).parent
    called = {name for name in compiling._CALLED if "/" not in name}
    for path in folder.glob("*.py"):
        if path.name in called:
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.startswith("from .") and not line.startswith("from ..") and "compiling" not in line:
                    assert line.split()[1].removeprefix(".") + ".py" in called, f"{path.name}: {line}"


def test_a_stored_kernel_knows_the_sources_it_was_made_from():
    assert compiling._SOURCES in run._cache._cache_file._source_stamp
