from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdfast.grips import Grip, GripBounds, OuterGrip, outer_subset
from holdfast.papers.hierarchy import growth


def hand() -> GripBounds:
    """An ellipsoid of wrenches that carries the climber's weight a few times, and planes round it."""
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(150, 6))
    inner = Grip(unit / np.linalg.norm(unit, axis=1, keepdims=True) * [600, 600, 600, 60, 60, 60], length=0.1)
    planes = outer_subset(inner, 40, 2)
    return GripBounds(inner, OuterGrip(planes.normals, planes.offsets, length=0.1))


@pytest.fixture(scope="module")
def found() -> Any:
    return growth(hand(), vertices=(20, 60, 1000), planes=(12, 40), repeats=1)


def test_both_methods_agree_on_every_row(found: Any) -> None:
    assert [row.count for row in found.of("vertices")] == [20, 60, 150]  # no more than there are
    assert [row.count for row in found.of("half-spaces")] == [12, 40]
    for row in found.rows:
        assert row.factor == pytest.approx(row.highs_factor, rel=1e-7)
        assert min(row.cold, row.warm, row.highs) > 0.0


def test_finer_grips_bear_more_inside_and_less_outside(found: Any) -> None:
    inner = [row.factor for row in found.of("vertices")]
    outer = [row.factor for row in found.of("half-spaces")]
    assert inner == sorted(inner)
    assert outer == sorted(outer, reverse=True)
    assert inner[-1] <= outer[-1]
