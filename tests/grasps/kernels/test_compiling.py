"""Kernels of planar grasps are stored by the sources that they are made of."""

from __future__ import annotations

from pathlib import Path

from holdfast.compiling import sources
from holdfast.grasps import kernels as compiling
from holdfast.grasps.kernels.contacts import solve


def test_a_stored_kernel_knows_the_sources_it_was_made_from():
    assert sources(Path(compiling.__file__).parent) in solve._cache._cache_file._source_stamp
