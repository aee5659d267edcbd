"""Inner and outer regions together."""

from __future__ import annotations

import numpy as np
from tests.postures.known_regions import GRAVITY, MASS, foot, standing

from holdfast.postures import support_region
from holdfast.postures.region_computation import SupportRegionBounds

WIDE = standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
NARROW = standing([[0.2, 0.2, 0], [0.8, 0.2, 0], [0.5, 0.8, 0]])


def test_three_answers_and_the_gap() -> None:
    inner, outer = support_region(foot(), NARROW, MASS, GRAVITY), support_region(foot(), WIDE, MASS, GRAVITY)
    bounds = SupportRegionBounds(inner, outer)
    words = bounds.certainty([[0.5, 0.4, 0.0], [0.05, 0.05, 0.0], [1.5, 0.0, 0.0]])
    assert words.tolist() == ["certainly", "uncertain", "certainly not"]
    assert np.isclose(bounds.gap, 1.0 - 0.18) and bounds.frame is outer.frame
    assert bounds.verify()


def test_an_inner_region_that_sticks_out_fails() -> None:
    inner, outer = support_region(foot(), WIDE, MASS, GRAVITY), support_region(foot(), NARROW, MASS, GRAVITY)
    assert not SupportRegionBounds(inner, outer).verify()


def test_nothing_within_nothing_is_proven() -> None:
    nothing = support_region(foot(), standing([[0, 0, 0]], [[0.0, 0.0, -1.0]]), MASS, GRAVITY)
    assert SupportRegionBounds(nothing, nothing).verify()
    assert SupportRegionBounds(nothing, support_region(foot(), WIDE, MASS, GRAVITY)).verify()
