"""A body on its hands: verdicts, margins and drawings against direct questions and sums of forces."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.geometry.frames import Pose
from holdfast.grips import Grip, coulomb_grip
from holdfast.postures.page import Standing, action_marks, decided, region_marks, standing
from holdfast.web.marks import Arrows, Lines

FEET = np.array([[0.4, 0.0, 0.0], [-0.2, 0.3, 0.0], [-0.2, -0.3, 0.0]])
NAMES = ("front", "left", "right")


@pytest.fixture(scope="module")
def tripod() -> Standing:
    """On flat ground the centre of mass may be over the triangle of the feet, whatever friction there is."""
    return standing(NAMES, [coulomb_grip(0.6)] * 3, [Pose(np.eye(3), foot) for foot in FEET], 12.0)


def test_a_tripod_may_lean_over_its_triangle(tripod: Standing) -> None:
    assert tripod.inner is tripod.outer and tripod.inner is not None
    assert tripod.inner.area == pytest.approx(0.5 * 0.6 * 0.6, rel=1e-6)
    for com, inside in (((0.05, 0.0, 0.5), True), ((0.39, 0.0, 2.0), True), ((-0.21, 0.0, 0.5), False)):
        found = decided(tripod, com)
        assert found.status == ("holds" if inside else "does not hold")
        assert ("inside" if inside else "outside") in found.margin
    assert decided(tripod, (-0.15, 0.0, 0.5)).margin == "centre of mass 50 mm inside the region"
    assert decided(tripod, (-0.25, 0.0, 0.5)).margin == "centre of mass 50 mm outside the region"


def test_the_foot_that_comes_off_is_named(tripod: Standing) -> None:
    found = decided(tripod, (-0.15, 0.0, 0.5))  # near the edge between the hind feet the front one carries nothing
    assert "front" in [NAMES[hand] for hand in found.at_limit]
    assert any("limit" in line for line in found.lines)


def test_what_is_drawn_is_in_equilibrium(tripod: Standing) -> None:
    com = np.array([0.05, 0.02, 0.5])
    found = decided(tripod, com)
    marks = action_marks(tripod, com, found, 1.0)
    forces, weight = marks["forces"], marks["weight"]
    assert isinstance(forces, Arrows) and isinstance(weight, Arrows)
    sums = np.diff(forces.points, axis=1).sum(axis=0)[0] + np.diff(weight.points, axis=1)[0, 0]
    assert np.allclose(sums, 0.0, atol=1e-9)
    border = region_marks(tripod, com)["inner/border"]
    assert isinstance(border, Lines) and np.allclose(border.points[:, :, 2], 0.5)
    assert "outer/border" not in region_marks(tripod, com)  # the region is exact


def test_turned_gravity_and_loads_agree_with_direct_questions() -> None:
    low, high = (-15.0, -40.0, -90.0, -3.0, -3.0, -1.5), (140.0, 40.0, 400.0, 3.0, 3.0, 1.5)
    grips = [Grip.box(low, high)] * 3
    poses = [Pose(np.eye(3), foot) for foot in FEET]
    beside = np.array([5.0, 0.0, 0.0, 0.0, 2.0, 0.0])
    gravity = np.array([4.0, 1.0, -8.0])
    stand = standing(NAMES, grips, poses, 9.0, gravity, beside)
    seen = set()
    for com in np.random.default_rng(5).uniform(-1.2, 1.2, (12, 3)):
        found = decided(stand, com)
        load = gravity_wrench(9.0, gravity, com) + beside
        assert found.status == hf.posture_equilibrium(grips, poses, load).status.value
        assert stand.inner is not None
        assert (found.status == "holds") == bool(stand.inner.contains(com))
        border = region_marks(stand, com)["inner/border"]
        assert isinstance(border, Lines)
        heights = border.points @ (-gravity / np.linalg.norm(gravity))
        assert np.allclose(heights, com @ (-gravity / np.linalg.norm(gravity)))
        seen.add(found.status)
    assert len(seen) == 2


def test_without_hands_nothing_holds() -> None:
    stand = standing((), [], [], 5.0)
    assert decided(stand, (0.0, 0.0, 0.0)).status == "does not hold"
    assert region_marks(stand, np.zeros(3)) == {}


def test_a_body_that_holds_nowhere_says_so() -> None:
    tight = [Grip.box(-np.ones(6), np.ones(6))] * 3
    found = decided(standing(NAMES, tight, [Pose(np.eye(3), foot) for foot in FEET], 12.0), (0.0, 0.0, 0.0))
    assert found.status == "does not hold" and found.margin == "no centre of mass would do"
