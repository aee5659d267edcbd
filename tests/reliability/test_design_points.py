"""The failures nearest to the plan, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.reliability.rare_events import design_points, mixture_at
from holdfast.reliability.sampling import Sampler
from holdfast.reliability.scatter import Distribution, Scatter
from tests.reliability.closed_forms import UP, below, parallel, series, single


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
def test_a_single_contact_fails_where_its_strength_is_the_load(kind):
    spread = Distribution(kind, 1.0, 0.2)
    sampler = Sampler.of(single(), 0.4 * UP, Scatter(strength=spread))
    points, cost = design_points(sampler, 50, 0, 1)
    assert len(points) and cost >= 50
    np.testing.assert_allclose(points[:, 0], stats.norm.ppf(below(spread, 0.4)), rtol=1e-3)


def test_contacts_that_share_a_load_are_both_weak():
    """The nearest point of s_1 + s_2 = 1.4 to the middle is where both have strength 0.7."""
    sampler = Sampler.of(parallel(), 1.4 * UP, Scatter(strength=0.1))
    points, _ = design_points(sampler, 50, 0, 1)
    np.testing.assert_allclose(points, np.tile([-3.0, -3.0], (len(points), 1)), atol=1e-2)


def test_either_of_two_links_may_be_the_weak_one():
    assembly, wrench = series()
    points, _ = design_points(Sampler.of(assembly, 0.5 * wrench, Scatter(strength=0.1)), 50, 0, 1)
    found = {tuple(point) for point in np.round(points, 1).tolist()}
    assert {(-5.0, 0.0), (0.0, -5.0)} <= {tuple(abs(x) * np.sign(x) + 0.0 for x in point) for point in found}


def test_what_cannot_fail_has_no_points():
    sampler = Sampler.of(single(), 0.1 * UP, Scatter(strength=Distribution("uniform", 1.0, 0.1)))
    assert len(design_points(sampler, 50, 0, 1)[0]) == 0


def test_alike_units_are_found_to_fail_alike():
    """A gripper that is the same left and right: each way to fail has its mirror image."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = np.array([0.0, 0.0, -9.81])
    sampler = Sampler.of(device.assembly(gravity), device.weight(gravity), Scatter(strength=0.3))
    mixture = mixture_at(design_points(sampler, 50, 0, 1)[0], 4, 0.1)
    nearest = mixture.shifts[1:5].round(1)
    assert list(sampler.plan.columns) == [f"strength/{name}" for name in ("left M", "left D", "right M", "right D")]
    mirrored = nearest[:, [2, 3, 0, 1]]
    assert sorted((nearest + 0.0).tolist()) == sorted((mirrored + 0.0).tolist()) and len(nearest) == 4
