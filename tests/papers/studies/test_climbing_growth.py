from __future__ import annotations

import numpy as np
import pytest

from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.papers.climbing import ClimbingStudy, fineness, pressing_feet_region
from holdfast.papers.devices.climber import GripName


def test_finer_grips_come_nearer_to_the_exact_region(
    small_climb: ClimbingStudy, small_grips: dict[GripName, GripBounds]
) -> None:
    found = fineness(small_climb, small_grips, inner=(10, 25, 40, 5000), outer=(0, 20, 40, 5000), directions=8)
    inner = [row.region.area for row in found.rows if row.kind == "vertices"]
    outer = [row.region.area for row in found.rows if row.kind == "half-spaces"]
    assert len(inner) == len(outer) == 3  # more than was learned is left out
    assert inner == sorted(inner)
    assert outer == sorted(outer, reverse=True)
    assert inner[-1] <= found.exact.areas[1]
    assert found.exact.areas[0] <= outer[-1]
    assert found.rows[3].count == 12  # the box


def test_feet_that_only_press_need_the_body_away_from_the_wall() -> None:
    """Strong hands: on gripping feet the body may be over the wall's foot, on pressing ones never."""
    limits = np.array([400.0, 400.0, 900.0, 60.0, 60.0, 60.0])
    strong = GripBounds(Grip.box(-limits, limits), OuterGrip.box(-limits, limits))
    region = pressing_feet_region(strong, "power", step=np.pi / 4.0)
    feet = -0.62 * np.sin(np.radians(-15.0))
    assert region.kind == "polygon"
    assert region.vertices[:, 0].max() < feet - 0.1
    flatter = pressing_feet_region(strong, "power", step=np.pi / 2.0)
    assert flatter.vertices[:, 0].max() > region.vertices[:, 0].max()  # ledges bear weight without pressing
    with pytest.raises(Exception, match="step"):
        pressing_feet_region(strong, "power", step=2.0)
