"""Kernels of sums are stored by the sources that they are made of."""

from __future__ import annotations

from holdfast.solvers.minkowski import compiling
from holdfast.solvers.minkowski.simplex import run


def test_a_stored_kernel_knows_the_sources_it_was_made_from():
    assert compiling._SOURCES in run._cache._cache_file._source_stamp
