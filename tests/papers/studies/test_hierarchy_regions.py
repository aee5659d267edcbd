from __future__ import annotations

import numpy as np

from holdfast.papers.hierarchy import regions
from tests.papers.studies.test_hierarchy import hand


def test_inner_regions_grow_outer_ones_shrink_and_the_one_lies_in_the_other() -> None:
    told: list[tuple[int, int]] = []
    found = regions(hand(), inner=(40, 80), outer=(20,), progress=lambda done, total: told.append((done, total)))
    assert [row.count for row in found.inner] == [40, 80, 150]
    assert [row.count for row in found.outer] == [12, 32, 40]
    assert told[-1] == (6, 6)
    inner = [row.region.area for row in found.inner]
    assert inner == sorted(inner)
    outer = [row.region.area for row in found.outer[:2]]
    assert outer == sorted(outer, reverse=True)
    for small in found.inner:
        for large in found.outer:
            assert np.all(large.region.contains(small.region.vertices, tolerance=1e-7))
