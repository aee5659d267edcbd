from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from holdfast.errors import UnknownNameError
from holdfast.grips import Grip, GripBounds, OuterGrip, outer_subset
from holdfast.papers.hierarchy import BOX, DRAWS, Draw, rough_inner, rough_outer

DIRECTIONS = np.random.default_rng(5).normal(size=(60, 6))


@pytest.fixture(scope="module")
def grip() -> GripBounds:
    """Points on an ellipsoid about zero, and planes round it."""
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(80, 6))
    inner = Grip(unit / np.linalg.norm(unit, axis=1, keepdims=True) * [3, 2, 5, 0.3, 0.2, 0.1], length=0.1)
    planes = outer_subset(inner, 60, 2)
    return GripBounds(inner, OuterGrip(planes.normals, 1.1 * planes.offsets, length=0.1))


@pytest.mark.parametrize("draw", DRAWS)
def test_rough_sets_lie_on_either_side(grip: GripBounds, draw: Draw) -> None:
    truth = grip.inner.support(DIRECTIONS)
    for count in (10, 40, 80):
        assert (rough_inner(grip, count, draw, 3).support(DIRECTIONS) <= truth + 1e-12).all()
    for count in (0, 20):
        assert (rough_outer(grip, count, draw, 3).support(DIRECTIONS) >= truth - 1e-9).all()


def test_the_first_that_were_learned_contain_each_other(grip: GripBounds) -> None:
    inner = [rough_inner(grip, count).support(DIRECTIONS) for count in (10, 30, 80)]
    outer = [rough_outer(grip, count).support(DIRECTIONS) for count in (0, 20, 60)]
    assert all((a <= b + 1e-12).all() for a, b in pairwise(inner))
    assert all((a >= b - 1e-9).all() for a, b in pairwise(outer))


def test_counts_are_as_asked_for(grip: GripBounds) -> None:
    assert len(rough_inner(grip, 30).vertices) == 30
    assert not rough_inner(grip, 30).vertices[0].any()  # zero is in the grip, and among them
    assert rough_inner(grip, 500) is grip.inner
    assert len(rough_outer(grip, 0).offsets) == BOX
    assert len(rough_outer(grip, 20).offsets) == BOX + 20


def test_an_unknown_draw_is_told(grip: GripBounds) -> None:
    with pytest.raises(UnknownNameError, match="no draw 'best'"):
        rough_inner(grip, 10, "best")  # pyright: ignore[reportArgumentType]
