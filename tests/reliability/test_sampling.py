"""Samples against assemblies that are built and solved one by one, and the terms of their bounds."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.sampling import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Sampler,
    dual_terms,
    limit_slopes,
    planned_supports,
    supports,
)
from holdfast.reliability.scatter import Band, Scatter
from holdfast.solvers.certificates import factor_bound
from holdfast.statics.solver import thread_count
from tests.referee import block, random_rotation
from tests.reliability.closed_forms import UP, parallel, single

EVERYTHING = Scatter(
    strength=0.4, friction=0.3, correlation=0.6, position=0.004, position_correlation=0.5, mass=0.1, com=0.01
)

HOOKS = hf.models.gecko_two_way(shear=5.0)


def hooks() -> hf.Assembly:
    """Four contacts of two pieces each, on a plate: whether it holds depends on the choice of pieces."""
    rng = np.random.default_rng(4)
    places = np.array([[0.05, 0.01, 0], [-0.05, 0.02, 0], [0.01, 0.05, 0], [0.02, -0.05, 0]])
    contacts = []
    for i, place in enumerate(places):
        frame = hf.frame_from_normal([*rng.normal(size=2) * 0.2, -1.0], [1.0, 0.0, 0.0] if i < 2 else [0.0, 1.0, 0.0])
        contacts.append(hf.Contact(place, frame, HOOKS, f"side{i // 2}[{i % 2}]"))
    return hf.Assembly(contacts)


#: A load that is just held as planned: about half of the samples fail under it.
LOAD = np.array([1.0, 0.5, -3.0, 0.0, 0.05, 0.0])
LOAD = hf.load_limit(hooks(), LOAD).value * LOAD


def test_every_sample_as_an_assembly_of_its_own_has_the_same_verdict_and_proves_it():
    sampler = Sampler.of(hooks(), LOAD, EVERYTHING)
    scores = sampler.plan.scores(0, 0, 40)
    outcomes = sampler.tests(scores)
    assert {HOLDS, FAILS} == set(outcomes.tolist())
    for row, outcome in zip(scores, outcomes, strict=True):
        answer = hf.equilibrium(*sampler.sample(row))
        assert answer.verify() and answer.holds == (outcome == HOLDS)


def test_limits_are_those_of_the_samples_and_the_forces_carry_them():
    sampler = Sampler.of(hooks(), LOAD, EVERYTHING)
    scores = sampler.plan.scores(1, 0, 12)
    limits = sampler.limits(scores)
    for i, row in enumerate(scores):
        assembly, wrench = sampler.sample(row)
        limit = hf.load_limit(assembly, wrench)
        assert limits.values[i, 0] == pytest.approx(limit.value, rel=1e-5)
        assert limits.bounds[i, 0] >= limit.value * (1 - 1e-9)


def test_loads_that_are_given_are_the_same_for_all_samples():
    rays = np.concatenate([np.eye(6)[:3], -np.eye(6)[:3]])
    sampler = Sampler.of(parallel(), UP, Scatter(strength=0.3, mass=0.5))
    scores = sampler.plan.scores(0, 0, 30)
    draws = sampler.plan.draws(scores)
    assert draws.scales is not None
    wanted = np.repeat(draws.scales[:, :, 0].sum(axis=1)[:, None], 6, axis=1)
    np.testing.assert_allclose(sampler.limits(scores, 1, rays).values, wanted, rtol=1e-6)


def test_threads_change_nothing():
    sampler = Sampler.of(hooks(), LOAD, EVERYTHING)
    scores = sampler.plan.scores(0, 0, 1100)
    np.testing.assert_array_equal(sampler.tests(scores, 1), sampler.tests(scores, 3))
    assert thread_count(None) >= 1


def test_joint_rows_and_gravity_on_the_links_are_part_of_every_sample():
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = np.array([0.0, 0.0, -9.81])
    sampler = Sampler.of(device.assembly(gravity), 3.5 * device.weight(gravity), Scatter(strength=0.5))
    scores = sampler.plan.scores(0, 0, 200)
    outcomes = sampler.tests(scores)
    first = [int(np.nonzero(outcomes == kind)[0][0]) for kind in (HOLDS, FAILS)]
    for i in first:
        answer = hf.equilibrium(*sampler.sample(scores[i]))
        assert answer.verify() and answer.holds == (outcomes[i] == HOLDS)


def test_bands_draw_volumes_level_by_level_for_shares_of_a_unit_too():
    """A contact with a quarter of a unit of 1 N turns out to have a quarter of 0.5, 1 or 2 N, equally often."""
    unit = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    uneven = hf.ForceVolume([block([-2.0, -1.0, -2.0], [2.0, 1.0, 2.0]), block([-1.0] * 3, [1.0] * 3)])
    band = Band(unit, [unit.scaled(0.5), unit, uneven])
    contacts = [hf.Contact(np.zeros(3), np.eye(3), unit.scaled(0.25), "a"), parallel().contacts[0]]
    contacts[1] = hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume([block([-0.7, -1, -1], [0.7, 1, 1])]), "b")
    sampler = Sampler.of(hf.Assembly(contacts), [1.0, 0, 0, 0, 0, 0], Scatter(bands=[band]))
    scores = sampler.plan.scores(0, 0, 300)
    values = sampler.limits(scores).values[:, 0]
    found, counts = np.unique(values.round(5), return_counts=True)
    np.testing.assert_allclose(found, [0.825, 0.95, 1.2])
    assert counts.min() > 70
    for i in range(4):
        assembly, wrench = sampler.sample(scores[i])
        assert hf.load_limit(assembly, wrench).value == pytest.approx(values[i], rel=1e-6)


def pads() -> hf.Assembly:
    """Two units of four points each that pull only while they shear, one along x, one along y."""
    poses = [
        hf.Pose(hf.frame_from_normal([0.2, 0.1, -1.0], [1.0, 0.0, 0.0]), [0.05, 0.01, 0.0]),
        hf.Pose(hf.frame_from_normal([-0.1, -0.2, -1.0], [0.0, 1.0, 0.0]), [-0.05, 0.02, 0.0]),
        hf.Pose(hf.frame_from_normal([0.0, 0.3, -1.0], [1.0, 1.0, 0.0]), [0.0, 0.06, 0.0]),
    ]
    patches = [hf.Patch.rectangle(pose, (0.02, 0.03), HOOKS, name=f"pad {i}") for i, pose in enumerate(poses)]
    return hf.Assembly([contact for patch in patches for contact in patch.contacts])


def test_samples_of_units_are_those_of_assemblies_of_their_own():
    assembly = pads()
    load = hf.load_limit(assembly, LOAD).value * LOAD
    weaker = HOOKS.scaled(0.7)
    stronger = HOOKS.scaled(1.3)
    more = hf.ForceVolume([*stronger.pieces, block([-3.0, -3.0, -1.0], [3.0, 3.0, 4.0])], [*HOOKS.rays, None])
    scatters = [EVERYTHING, Scatter(bands=[Band(HOOKS, [weaker, HOOKS, more])], strength=0.2, correlation=0.3)]
    for scatter in scatters:
        sampler = Sampler.of(assembly, load, scatter)
        assert list(sampler.plan.members) == ["pad 0", "pad 1", "pad 2"]
        assert len(sampler.variants.layout.units) == 3
        scores = sampler.plan.scores(0, 0, 30)
        outcomes, limits = sampler.tests(scores), sampler.limits(scores)
        assert {HOLDS, FAILS} == set(outcomes.tolist())
        bounds = dual_terms(sampler, scores, limits.multipliers[:, 0]).bounds()
        for i, row in enumerate(scores):
            specimen, wrench = sampler.sample(row)
            assert [a.unit for a in specimen.contacts] == [b.unit for b in assembly.contacts]
            answer = hf.equilibrium(specimen, wrench, method=hf.solvers.Reference())
            assert answer.verify() and answer.holds == (outcomes[i] == HOLDS)
            if i < 8:
                value = hf.load_limit(specimen, wrench, method=hf.solvers.Reference()).value
                assert limits.values[i, 0] == pytest.approx(value, rel=2e-6)
                assert bounds[i] >= value * (1 - 1e-6)
                if scatter.bands:  # the others move points, and with them the rows that multipliers are about
                    problem = specimen.problem(wrench)
                    bound = factor_bound(problem, problem.all_pieces, limits.multipliers[i, 0])
                    assert bounds[i] == pytest.approx(bound, rel=1e-9)


def test_points_of_a_unit_in_different_bands_are_reported():
    volume, other = (hf.ForceVolume([block([-a] * 3, [a] * 3)]) for a in (1.0, 2.0))
    long = hf.ForceVolume([block([-1, -1, -3.0], [1, 1, 3.0])])
    unit = hf.assembly.Unit("pad")
    contacts = [hf.Contact([x, 0, 0], np.eye(3), v, unit=unit) for x, v in ((0.0, volume), (1.0, long))]
    sampler = Sampler.of(hf.Assembly(contacts), [1.0, 0, 0, 0, 0, 0], Scatter(bands=[Band(volume, [volume, other])]))
    with pytest.raises(InputError, match="a different band than its unit"):
        sampler.tests(sampler.plan.scores(0, 0, 2))


def test_a_band_that_no_contact_has_is_reported():
    other = hf.ForceVolume([block([-1.0, -2.0, -3.0], [1.0] * 3)])
    sampler = Sampler.of(single(), UP, Scatter(bands=[Band(other, [other])]))
    with pytest.raises(InputError, match=r"scatter.bands\[0\]"):
        sampler.tests(sampler.plan.scores(0, 0, 2))


def test_a_search_that_may_not_search_leaves_samples_undecided():
    """Two-way hooks need branching; with one node and no time nothing is known of some samples."""
    method = hf.solvers.Exact(node_limit=1, time_limit=1e-6)
    sampler = Sampler.of(hooks(), LOAD, Scatter(strength=0.3, correlation=0.0), method=method)
    outcomes = sampler.tests(sampler.plan.scores(0, 0, 300))
    full = Sampler.of(hooks(), LOAD, Scatter(strength=0.3, correlation=0.0))
    true = full.tests(full.plan.scores(0, 0, 300))
    decided = outcomes != UNDECIDED
    assert 0 < (~decided).sum() < 300
    np.testing.assert_array_equal(outcomes[decided], true[decided])


def test_contacts_without_the_zero_force_are_solved_all_the_same():
    """The compiled search does not treat them; each sample goes to the reference method."""
    pushed = hf.ForceVolume([block([-1.0, -1.0, 0.5], [1.0, 1.0, 2.0])])
    sampler = Sampler.of(hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), pushed)]), -UP, Scatter(strength=0.5))
    scores = sampler.plan.scores(0, 0, 25)
    draws = sampler.plan.draws(scores)
    assert draws.scales is not None
    factor = draws.scales[:, 0, 2]
    np.testing.assert_array_equal(sampler.tests(scores) == HOLDS, (0.5 * factor <= 1.0) & (2.0 * factor >= 1.0))
    np.testing.assert_allclose(sampler.limits(scores).values[:, 0], 2.0 * factor, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"wrench": [0, 0, 1]}, "wrench"),
        ({"scatter": 0.3}, "scatter"),
        ({"weight": [np.nan] * 6}, "weight"),
        ({"method": hf.solvers.Reference()}, "method"),
        ({"groups": ["a", "b"]}, "groups"),
    ],
)
def test_bad_questions_are_reported(change, where):
    given = {"assembly": single(), "wrench": UP, "scatter": Scatter(strength=0.3)} | change
    with pytest.raises(InputError, match=where):
        Sampler.of(given.pop("assembly"), given.pop("wrench"), given.pop("scatter"), **given)


def convex(seed: int) -> hf.Assembly:
    """Four contacts of one box each, with a joint row: limits without a gap to those of the hulls."""
    rng = np.random.default_rng(seed)
    volume = hf.ForceVolume([block([-1.0, -0.7, -0.4], [1.2, 0.8, 0.9])])
    contacts = [hf.Contact(rng.normal(size=3) * 0.2, random_rotation(rng), volume, f"c{i}") for i in range(4)]
    return hf.Assembly(contacts, hf.JointRows(rng.normal(size=(1, 12)), [-0.6], [0.8]))


SPREAD = Scatter(strength=0.2, friction=0.2, position=0.01, mass=0.1, com=0.02, correlation=0.5)
DUAL_LOAD = np.array([0.3, -0.4, 1.0, 0.02, 0.05, 0.0])


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_a_samples_own_multipliers_is_its_limit(seed):
    sampler = Sampler.of(convex(seed), DUAL_LOAD, SPREAD)
    scores = sampler.plan.scores(seed, 0, 10)
    limits = sampler.limits(scores)
    bounds = dual_terms(sampler, scores, limits.multipliers[:, 0]).bounds()
    np.testing.assert_allclose(bounds, limits.values[:, 0], rtol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_any_multipliers_bound_every_limit(seed):
    sampler = Sampler.of(convex(seed), DUAL_LOAD, SPREAD)
    scores = sampler.plan.scores(seed, 0, 30)
    values = sampler.limits(scores).values[:, 0]
    y = np.random.default_rng(seed).normal(size=(30, 7))
    bounds = dual_terms(sampler, scores, y).bounds()
    known = np.isfinite(bounds)
    assert known.any() and (bounds[known] >= values[known] * (1 - 1e-9)).all()


def test_slopes_are_those_of_finite_differences():
    """Central differences of the limits themselves; at kinks, where they differ from either side, none is checked."""
    sampler = Sampler.of(convex(1), DUAL_LOAD, SPREAD)
    scores = sampler.plan.scores(2, 0, 6)
    limits = sampler.limits(scores)
    slopes = limit_slopes(sampler, scores, limits.multipliers[:, 0], limits.forces[:, 0], 1e-4)
    step, checked = 1e-3, 0
    for i, z in enumerate(scores):
        moved = np.concatenate([z + step * np.eye(len(z)), z - step * np.eye(len(z))])
        found = sampler.limits(moved).values[:, 0]
        forward, backward = found[: len(z)] - limits.values[i, 0], limits.values[i, 0] - found[len(z) :]
        smooth = np.abs(forward - backward) <= 1e-4 * np.abs(limits.values[i, 0]) * step * 50
        np.testing.assert_allclose(
            slopes[i][smooth], ((forward + backward) / (2 * step))[smooth], atol=2e-3 * limits.values[i, 0]
        )
        checked += int(smooth.sum())
    assert checked > 0.7 * slopes.size


def test_supports_as_planned_are_those_without_scatter():
    sampler = Sampler.of(convex(0), DUAL_LOAD, SPREAD)
    y = np.random.default_rng(0).normal(size=(5, 7))
    still = Sampler.of(convex(0), DUAL_LOAD, Scatter())
    np.testing.assert_allclose(planned_supports(sampler, y), dual_terms(still, np.zeros((5, 0)), y).contacts)


def test_supports_are_the_best_vertices():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    layout = hf.Assembly([hf.Contact(place, np.eye(3), volume) for place in np.eye(3)[:2]]).layout
    found = supports(layout, np.zeros((1, 2), dtype=np.int64), np.array([[[1.0, 2.0, -3.0], [0.0, 0, 0]]]))
    np.testing.assert_allclose(found, [[6.0, 0.0]])


def test_supports_of_a_unit_are_those_of_one_piece():
    """Opposed directions: alone, each point would use the piece on its side."""
    left, right = block([-3.0, -1, -1], [-1.0, 1, 1]), block([1.0, -1, -1], [2.0, 1, 1])
    volume, unit = hf.ForceVolume([left, right]), hf.assembly.Unit("pad")
    directions, shapes = np.array([[[1.0, 0, 0], [-1.0, 0, 0]]]), np.zeros((1, 2), dtype=np.int64)
    for owner, expected in ((None, [2.0, 3.0]), (unit, [-1.0, 3.0])):
        contacts = [hf.Contact(place, np.eye(3), volume, unit=owner) for place in np.eye(3)[:2]]
        np.testing.assert_allclose(supports(hf.Assembly(contacts).layout, shapes, directions), [expected])
