"""How surely: probabilities against scipy, derivatives against differences, robust limits, least changes, forged ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.reliability import Costs, Distribution, Intervals, Scatter
from tests.nightly import nightly_after
from tests.referee import block, random_case, random_unit_case, verdict
from tests.reliability.closed_forms import UP, below, parallel, series, single

NORMAL = Distribution("normal", 1.0, 0.3)
CHANCES = {
    "one": (single(), 0.8 * UP, NORMAL, 1.0 - below(NORMAL, 0.8)),
    "Weibull": (single(), 0.8 * UP, Distribution("weibull", 1.0, 0.25), None),
    "in series": (series()[0], 0.8 * series()[1], NORMAL, (1.0 - below(NORMAL, 0.8)) ** 2),
    "in parallel": (
        parallel(), 1.7 * UP, Distribution("normal", 1.0, 0.15), float(stats.norm.sf(1.7, 2.0, 0.15 * 2**0.5))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANCES)
def test_probabilities_are_those_of_the_distributions(name):
    assembly, wrench, spread, chance = CHANCES[name]
    if chance is None:  # the shape of a Weibull distribution of that variation, by scipy
        shapes = np.linspace(2.0, 8.0, 6001)
        shape = shapes[np.argmin(abs(np.array([stats.weibull_min(s).std() / stats.weibull_min(s).mean() for s in
                                               shapes[::20]]) - 0.25)) * 20]  # fmt: skip
        chance = stats.weibull_min.sf(0.8, shape, scale=1.0 / stats.weibull_min(shape).mean())
    found = hf.probability(assembly, wrench, Scatter(strength=spread), n=4000, seed=1, threads=1)
    assert found.holding + found.failures == found.n == 4000
    assert abs(found.value - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / 4000)
    exact = stats.binomtest(found.holding, 4000).proportion_ci(0.95, method="exact")
    assert found.interval == pytest.approx((exact.low, exact.high), abs=1e-12)
    again = hf.probability(assembly, wrench, Scatter(strength=spread), n=4000, seed=1, threads=2)
    assert again.value == found.value


@pytest.mark.parametrize(("kind", "variation"), [("normal", 0.1), ("lognormal", 0.3), ("uniform", 0.2)])
def test_limits_of_a_single_contact_are_draws_of_its_strength(kind, variation):
    spread = Distribution(kind, 1.0, variation)
    found = hf.reliability.load_limit_samples(single(), UP, Scatter(strength=spread), n=1500, seed=3, threads=1)
    assert stats.kstest(found.values, lambda x: np.array([below(spread, v) for v in np.atleast_1d(x)])).pvalue > 1e-3


def test_rare_failures_have_the_probability_of_the_distribution():
    spread = Distribution("lognormal", 1.0, 0.12)
    found = hf.reliability.failure_probability(single(), 0.65 * UP, Scatter(strength=spread), n=1500, seed=2, threads=1)
    assert found.value == pytest.approx(below(spread, 0.65), rel=0.25)
    assert found.interval[0] <= below(spread, 0.65) <= found.interval[1]


def test_positions_scatter_as_asked():
    """A prop that must stand within 1 cm of the load: P(|x| < 1 cm) for x of 1 cm deviation is 0.683."""
    cone = hf.ForceVolume([block([-9, -9, 0], [9, 9, 9])])
    bar = hf.Assembly([hf.Contact((x, y, 0), np.eye(3), cone, f"p{x}{y}") for x in (-0.01, 0.01) for y in (-1, 1)])
    scatter = Scatter(com=(0.01, 0.0, 0.0), mass=0.0)
    weight = hf.loads.gravity_wrench(1.0, com=(0.0, 0.0, 0.0))
    found = hf.probability(bar, weight, scatter, n=2000, seed=1, threads=1, weight=weight)
    assert found.value == pytest.approx(0.683, abs=0.04)


# -- derivatives -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [random_case, random_unit_case], ids=["contacts", "units"])
@pytest.mark.parametrize("seed", nightly_after(5, range(40)))
def test_derivatives_with_strength_and_position_are_differences_of_the_limit(make, seed):
    case = make(seed, most_choices=4)
    limit = hf.load_limit(case.assembly, case.direction)
    if limit.status != "optimal" or abs(limit.value) < 1e-3:
        pytest.skip("no limit to differentiate")
    found = hf.sensitivity(limit)
    step, rng = 1e-4, np.random.default_rng(seed)
    for derivative in found.kinks:
        assert derivative.left != derivative.right
    for i in rng.choice(len(case.assembly), 2):
        contact = case.assembly.contacts[i]
        if contact.unit is not None and sum(c.unit is contact.unit for c in case.assembly.contacts) > 1:
            continue

        def limit_with(change: hf.Contact, i: int = i) -> float:
            contacts = [*case.assembly.contacts[:i], change, *case.assembly.contacts[i + 1 :]]
            return verdict(hf.Assembly(contacts, case.assembly.joints), case.direction).largest

        slope = found.strength[i]
        if np.isfinite(slope):
            sides = [
                limit_with(dataclasses.replace(contact, volume=contact.volume.scaled(1 + s))) for s in (-step, step)
            ]
            ends = sorted([(limit.value - sides[0]) / step, (sides[1] - limit.value) / step])
            assert ends[0] - 2e-2 * limit.value <= slope <= ends[1] + 2e-2 * limit.value
        for axis in range(3):
            slope, h = found.position[i, axis], 1e-6
            if np.isfinite(slope):
                shift = h * np.eye(3)[axis]
                sides = [
                    limit_with(dataclasses.replace(contact, position=contact.position + s * shift)) for s in (-1, 1)
                ]
                ends = sorted([(limit.value - sides[0]) / h, (sides[1] - limit.value) / h])
                slack = 1e-3 * max(1.0, abs(limit.value)) / 0.1
                assert ends[0] - slack <= slope <= ends[1] + slack


def test_a_joint_bound_is_worth_its_lever_and_a_lever_its_arm():
    """A bar on props at -1 and 1 that bear 1 N each, the weight over x: the limit is 2 / (1 + x)."""
    prop = hf.ForceVolume([block([-1, -1, 0], [1, 1, 0.5])])
    bar = hf.Assembly([hf.Contact([x, y, 0], np.eye(3), prop) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    found = hf.sensitivity(hf.load_limit(bar, [0, 0, -1, 0, 0.2, 0]))
    assert found.value == pytest.approx(2.0 / 1.2)
    assert found.strength == pytest.approx([0.0, 0.0, 1.0 / 1.2, 1.0 / 1.2], abs=1e-6)
    rows = hf.JointRows([[0.5, 0, 0]], [-2.0], [3.0])
    finger = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.ForceVolume([block([-99] * 3, [99] * 3)]))], rows)
    found = hf.sensitivity(hf.load_limit(finger, [-1, 0, 0, 0, 0, 0]))
    assert found.joint_upper == pytest.approx([2.0]) and found.joint_lower == pytest.approx([0.0], abs=1e-9)


# -- robust limits and least changes ---------------------------------------------------------------------------------


def test_a_lever_with_shifted_props_has_the_worst_limit_in_closed_form():
    """The prop at 1 bears (0.2 - x_a) / (x_b - x_a) of the weight, the most at x_a = -1.05, x_b = 0.95."""
    prop = hf.ForceVolume([block([-1, -1, 0], [1, 1, 0.5])])
    bar = hf.Assembly([hf.Contact([x, y, 0], np.eye(3), prop) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    found = hf.reliability.robust_limit(bar, [0, 0, -1, 0, 0.2, 0], Intervals(position=[0.05, 0.0, 0.0]))
    assert found.nominal == pytest.approx(2.0 / 1.2) and found.attained == pytest.approx(2.0 / 1.25, rel=1e-6)
    assert found.certified == pytest.approx(2.0 / 1.25, rel=5e-3) and found.certified <= found.attained * (1 + 1e-9)
    assert found.verify()


@pytest.mark.parametrize(
    ("seed", "intervals"),
    [(0, Intervals(position=2e-3)), (4, Intervals(friction=0.05)), (9, Intervals(angle=0.03)),
     (12, Intervals(strength=0.05, friction=0.02, position=5e-4, angle=0.01, point=5e-4))],
)  # fmt: skip
def test_nothing_within_the_intervals_is_below_what_is_certified(seed, intervals):
    case = random_case(seed)
    found = hf.reliability.robust_limit(case.assembly, case.direction, intervals)
    assert 0.8 * found.nominal <= found.certified <= found.attained <= found.nominal * (1 + 1e-6)
    assert found.verify() and not dataclasses.replace(found, certified=1.1 * found.nominal).verify()
    assert verdict(*found.worst).largest == pytest.approx(found.attained, rel=2e-6)


@pytest.mark.parametrize("load", [1.5, 4.0])
def test_one_contact_grows_to_the_load_and_the_cheaper_of_two_grows(load):
    found = hf.reliability.least_change(single(), load * UP)
    assert found.cost == pytest.approx(load - 1.0, rel=1e-5) and found.verify()
    two = hf.reliability.least_change(parallel(), (load + 1.0) * UP, Costs(strength=[1.0, 3.0]))
    assert two.cost == pytest.approx(load - 1.0, rel=1e-5) and two.verify()
    assert two.strengths == pytest.approx([load, 1.0], abs=1e-5)
    assert not dataclasses.replace(two, lower_bound=1.2 * two.cost).verify()
