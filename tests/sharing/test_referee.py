"""Load sharing against the referee on random assemblies: Clarabel, load steps, and inequalities that must hold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import holdfast as hf
from tests.nightly import nightly_after
from tests.sharing.referee import (
    Case,
    brittle_sequence,
    ductile_flow,
    excess,
    feet_case,
    least_energy,
    local_forces,
    random_case,
    random_convex,
    random_union,
    slip_flow,
    unilateral_case,
)

#: Joints of random assemblies, by the number of the seed.
JOINTS = (
    (),
    ("locked",),
    ("sprung",),
    ("servo",),
    ("free",),
    ("driven",),
    ("locked", "sprung", "servo"),
    ("free", "driven"),
    ("driven", "sprung", "locked"),
    (),
)


# -- elastic forces ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(40, range(500)))
def test_elastic_forces_are_those_of_least_spring_energy(seed):
    """Clarabel minimises the complementary energy; forces agree to 1e-7 of the largest."""
    case = random_case(seed, strength=1e4, kinds=JOINTS[seed % len(JOINTS)], preload=3.0, base=2.0)
    found = case.share("ductile", until=1.0)
    assert found.verify()
    for factor in (0.0, 0.37, 1.0):
        expected = least_energy(case, factor)
        forces = local_forces(case.assembly, found.forces(factor))
        assert np.abs(forces - expected).max() <= 1e-7 * np.abs(expected).max()


@pytest.mark.parametrize("seed", nightly_after(8, range(60)))
def test_contacts_that_open_have_the_forces_of_least_energy_among_those_that_press(seed):
    """Frictionless contacts on springs: the energy is that of a convex program, whatever the order of opening."""
    case = unilateral_case(seed)
    found = case.share("brittle", until=1.0)
    assert found.verify()
    unilateral = [i for i, c in enumerate(case.assembly.contacts) if not c.volume.is_bounded]
    opened = 0
    for factor in np.linspace(0.0, min(1.0, 0.999 * found.peak), 5):
        expected = least_energy(case, factor, above_zero=unilateral)
        forces = local_forces(case.assembly, found.forces(factor))
        assert np.abs(forces - expected).max() <= 1e-6 * np.abs(expected).max()
        opened += int((expected[unilateral, 2] < 1e-6).sum())
    assert opened > 0


@pytest.mark.parametrize("seed", nightly_after(5, range(40)))
def test_scaling_all_stiffness_changes_displacements_only(seed):
    case = random_case(seed, random_convex, preload=1.0, base=1.0)
    once = case.share()
    for scale in (1e-2, 30.0):
        other = Case(case.assembly, case.load, scale * case.stiffness, case.preload, case.base).share()
        assert other.peak == pytest.approx(once.peak, rel=1e-9)
        assert other.first_failure == pytest.approx(once.first_failure, rel=1e-9)
        assert [(e.contact, e.kind) for e in other.failures] == [(e.contact, e.kind) for e in once.failures]
        factor = 0.9 * once.first_failure
        assert other.forces(factor) == pytest.approx(once.forces(factor), rel=1e-7, abs=1e-7)
        assert scale * other.displacement(factor) == pytest.approx(once.displacement(factor), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("rule", ["brittle", "ductile"])
@pytest.mark.parametrize("seed", nightly_after(3, range(40)))
def test_factors_scale_with_the_load_and_ignore_the_order_of_contacts(seed, rule):
    case = random_case(300 + seed, random_convex, preload=1.0, base=1.0)
    found = case.share(rule)
    order = np.random.default_rng(seed).permutation(len(case.assembly))
    contacts = [case.assembly.contacts[i] for i in order]
    other = Case(hf.Assembly(contacts), 2.5 * case.load, case.stiffness[order], case.preload[order], case.base)
    again = other.share(rule)
    assert 2.5 * again.peak == pytest.approx(found.peak, rel=1e-8)
    assert 2.5 * again.first_failure == pytest.approx(found.first_failure, rel=1e-8)
    factor = 0.97 * found.peak
    assert again.forces(factor / 2.5) == pytest.approx(found.forces(factor)[order], abs=1e-6)


@pytest.mark.parametrize("rule", ["brittle", "ductile"])
@pytest.mark.parametrize("seed", nightly_after(3, range(40)))
def test_a_contact_cut_into_two_halves_is_the_same_contact(seed, rule):
    """Half the volume, stiffness and preload each, at the same place: the halves fail at the same factor."""
    case = random_case(400 + seed, random_convex, contacts=(3, 7), preload=1.0, base=1.0)
    found = case.share(rule)
    contacts = [hf.Contact(c.position, c.rotation, c.volume.scaled(0.5)) for c in case.assembly.contacts]
    twice = [c for c in contacts for _ in range(2)]
    halves = Case(
        hf.Assembly(twice), case.load, np.repeat(case.stiffness, 2, 0) / 2, np.repeat(case.preload, 2, 0) / 2, case.base
    )
    again = halves.share(rule)
    assert again.verify()
    assert again.peak == pytest.approx(found.peak, rel=1e-8)
    assert again.first_failure == pytest.approx(found.first_failure, rel=1e-8)
    forces = again.forces(0.97 * found.peak)
    assert forces[::2] + forces[1::2] == pytest.approx(found.forces(0.97 * found.peak), abs=1e-6)


@pytest.mark.parametrize("seed", nightly_after(8, range(100)))
def test_contacts_of_different_rules_stay_within_the_load_limit(seed):
    case = random_case(500 + seed, random_convex, preload=1.0)
    rng = np.random.default_rng(seed)
    rules = [str(rule) for rule in rng.choice(["brittle", "slip", "ductile"], len(case.assembly))]
    found = case.share(rules)
    assert found.verify()
    assert found.first_failure <= found.peak <= hf.load_limit(case.assembly, case.load).upper_bound * (1.0 + 1e-9)
    kinds = {"brittle": {"fails"}, "ductile": {"yields"}, "slip": {"slips", "fails"}}
    assert all(event.kind in kinds[rules[event.contact]] for event in found.failures)


# -- brittle contacts --------------------------------------------------------------------------------------------


def assert_agrees(case: Case, largest: float, **options: str) -> None:
    """The library and the referee fail the same contacts at the same factors, up to the peak."""
    together = options.get("units", "together") == "together"
    expected = brittle_sequence(case, largest, together=together)
    found = case.share("brittle", **options)
    assert found.verify()
    if expected.peak == -np.inf:
        assert found.status is hf.sharing.SharingStatus.FAILS_AT_BASE
        return
    assert found.status is hf.sharing.SharingStatus.COLLAPSES
    assert found.peak == pytest.approx(expected.peak, rel=1e-6)
    listed = [(e.stage, e.contact) for e in found.failures if e.factor < expected.peak * (1.0 - 1e-6)]
    wanted = [(stage, i) for stage, d, group in expected.failures if d < expected.peak * (1.0 - 1e-6) for i in group]
    assert listed == wanted
    factors = [e.factor for e in found.failures if e.stage == "load" and e.factor < expected.peak * (1.0 - 1e-6)]
    assert factors == pytest.approx(
        [
            d
            for stage, d, group in expected.failures
            for _ in group
            if stage == "load" and d < expected.peak * (1 - 1e-6)
        ],
        rel=1e-6,
    )
    last = next(group for _, d, group in expected.failures if d >= expected.peak * (1.0 - 1e-6))
    assert {e.contact for e in found.failures if e.factor >= expected.peak * (1.0 - 1e-6)} >= set(last)


@pytest.mark.parametrize("seed", nightly_after(12, range(120)))
def test_brittle_failures_of_convex_volumes_are_those_of_load_steps(seed):
    case = random_case(seed, random_convex, preload=1.5, base=1.0)
    assert_agrees(case, 1.01 * hf.load_limit(case.assembly, case.load).upper_bound + 5.0)


@pytest.mark.parametrize("seed", nightly_after(12, range(120)))
def test_brittle_failures_of_unions_are_those_of_load_steps(seed):
    case = random_case(1000 + seed, random_union, preload=1.5, base=1.0)
    assert_agrees(case, 1.01 * hf.load_limit(case.assembly.hulled(), case.load).upper_bound + 5.0)


@pytest.mark.parametrize("seed", nightly_after(4, range(60)))
def test_brittle_failures_with_joints_are_those_of_load_steps(seed):
    kinds = JOINTS[1:9][seed % 8]
    case = random_case(2000 + seed, random_convex, contacts=(6, 12), kinds=kinds, preload=1.0, base=1.0)
    bare = hf.Assembly(case.assembly.contacts)
    assert_agrees(case, 1.01 * hf.load_limit(bare, case.load).upper_bound + 5.0)


@pytest.mark.parametrize("units", ["together", "pointwise"])
@pytest.mark.parametrize("seed", nightly_after(3, range(30)))
def test_the_points_of_a_unit_let_go_together_or_one_by_one(seed, units):
    case = random_case(3000 + seed, random_convex, contacts=(9, 12))
    unit = [hf.assembly.Unit(f"pad {n}") for n in range(3)]
    contacts = [
        hf.Contact(c.position, c.rotation, c.volume, c.name, unit[i // 3] if i < 9 else None)
        for i, c in enumerate(case.assembly.contacts)
    ]
    with_units = Case(hf.Assembly(contacts), case.load, case.stiffness, case.preload, case.base)
    assert_agrees(with_units, 1.01 * hf.load_limit(case.assembly, case.load).upper_bound + 5.0, units=units)


# -- ductile and slipping contacts -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(20, range(200)))
def test_the_ductile_peak_of_convex_volumes_is_the_load_limit(seed):
    """Static and kinematic theorem of limit analysis: whatever the stiffness and the preload."""
    case = random_case(4000 + seed, random_convex, preload=2.0)
    limit = hf.load_limit(case.assembly, case.load)
    found = case.share("ductile")
    assert found.verify() and found.status is hf.sharing.SharingStatus.COLLAPSES
    assert found.peak == pytest.approx(limit.value, rel=1e-6)
    assert found.first_failure <= found.peak <= limit.upper_bound * (1.0 + 1e-9)
    assert found.efficiency == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("seed", nightly_after(8, range(80)))
def test_the_ductile_peak_above_a_base_load_is_that_of_the_ramp(seed):
    case = random_case(4500 + seed, random_convex, base=3.0)
    ramp = hf.load_ramp(case.assembly, case.base, case.load)
    found = case.share("ductile")
    assert found.verify()
    assert found.peak == pytest.approx(ramp.value, rel=1e-6)
    assert found.efficiency == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("seed", nightly_after(5, [53, *range(53)]))
def test_the_ductile_peak_is_the_load_limit_for_stiffness_over_four_decades(seed):
    case = random_case(7700 + seed, random_convex, preload=1.0, base=1.0)
    spread = 10.0 ** np.random.default_rng(seed).uniform(-2.0, 2.0, size=(len(case.assembly), 1, 1))
    found = Case(case.assembly, case.load, spread * case.stiffness, case.preload, case.base).share("ductile")
    assert found.verify()
    assert found.peak == pytest.approx(hf.load_ramp(case.assembly, case.base, case.load).value, rel=1e-6)


@pytest.mark.parametrize("seed", nightly_after(8, [68, 73, *range(68)]))  # in 68 and 73 joints turn back at the end
def test_the_ductile_peak_with_friction_joints_is_the_load_limit(seed):
    """Joints that slip at their bands are ductile as well; a driven one gives its torque first."""
    kinds = (("friction",), ("friction", "driven"), ("friction", "locked", "friction"))[seed % 3]
    case = random_case(4800 + seed, random_convex, contacts=(6, 10), kinds=kinds)
    found = case.share("ductile")
    assert found.verify()
    assert found.peak == pytest.approx(hf.load_limit(case.assembly, case.load).value, rel=1e-6)


@pytest.mark.parametrize("seed", nightly_after(8, [0, 15, 26, 78, *range(1, 15), *range(16, 26), *range(27, 78)]))
def test_feet_with_friction_carry_at_most_the_load_limit_and_reach_it_where_they_are_ductile(seed):
    """A foot that opens is free to slide, which no flow along the normals of its cone allows: then less may be reached."""
    case = feet_case(seed)
    ramp = hf.load_ramp(case.assembly, case.base, case.load)
    ductile, slip, brittle = (case.share(rule) for rule in ("ductile", "slip", "brittle"))
    assert ductile.verify() and slip.verify() and brittle.verify()
    if not any(event.kind == "opens" for event in ductile.events):
        assert ductile.peak == pytest.approx(ramp.value, rel=1e-6)
    for found in (ductile, slip, brittle):
        assert found.first_failure <= found.peak <= ramp.upper_bound * (1.0 + 1e-8)
        assert found.first_failure == pytest.approx(ductile.first_failure, rel=1e-9)


@pytest.mark.parametrize("seed", nightly_after(10, range(100)))
def test_the_brittle_peak_lies_between_first_failure_and_load_limit(seed):
    case = random_case(5000 + seed, random_convex, preload=1.0)
    limit, found = hf.load_limit(case.assembly, case.load), case.share("brittle")
    assert found.verify()
    assert found.first_failure <= found.peak <= limit.upper_bound * (1.0 + 1e-9)
    assert found.efficiency == pytest.approx(found.peak / limit.value, rel=1e-6)
    assert found.first_failure == pytest.approx(case.share("ductile").first_failure, rel=1e-9)


def with_middles(found, end: float) -> np.ndarray:
    """Where the segments of a path end, up to a factor, and halfway between; forces come from the referee alone."""
    shares = found.path.share[found.path.stage == found.path.stage.max()]
    ends = sorted({0.0, end, *shares[shares < end].tolist()})
    return np.array([x for a, b in itertools.pairwise(ends) for x in (0.5 * (a + b), b)])


@pytest.mark.parametrize("seed", nightly_after(10, range(100)))
def test_ductile_forces_are_those_of_implicit_load_steps(seed):
    """Steps to the events and between them are exact: the catching-up algorithm, each step a program for Clarabel."""
    case = random_case(6000 + seed, random_convex, contacts=(3, 8))
    found = case.share("ductile")
    factors = with_middles(found, 0.999 * found.peak)
    expected = ductile_flow(case, factors)
    forces = local_forces(case.assembly, found.forces(factors))
    assert np.abs(forces - expected).max() <= 1e-5 * np.abs(expected).max()
    sizes = [c.volume.size for c in case.assembly.contacts]
    for i, c in enumerate(case.assembly.contacts):
        assert (excess(c.volume, forces[:, i]) <= 1e-8 * sizes[i]).all()


@pytest.mark.parametrize("seed", nightly_after(8, range(80)))
def test_slipping_forces_are_those_of_implicit_load_steps(seed):
    """Squeezed blocks: slip within the surface at the present normal force, each step by Lemke's method."""
    rng = np.random.default_rng(7000 + seed)
    rubber = hf.models.coulomb(0.5, facets=8, cap=500.0)
    places = rng.uniform(-0.04, 0.04, size=(int(rng.integers(2, 5)), 2))
    contacts = [
        hf.Contact([side * 0.05, *place], hf.frame_from_normal([-side, 0, 0], [0, 0, 1]), rubber)
        for side in (-1.0, 1.0)
        for place in places
    ]
    k = len(contacts)
    stiffness = np.array([np.diag([kt, kt, kn]) for kn, kt in 10.0 ** rng.uniform(3.0, 3.6, size=(k, 2))])
    load = np.array([0.0, *rng.normal(size=2), 0.0, 0.0, 0.0]) + 0.01 * np.array([0, 0, 0, *rng.normal(size=3)])
    case = Case(hf.Assembly(contacts), load, stiffness, np.tile([0.0, 0.0, 20.0], (k, 1)))
    found = case.share("slip")
    assert found.verify() and np.isfinite(found.peak)
    opening = [e.factor for e in found.events if e.kind == "opens"]
    end = 0.999 * min([found.peak, *opening])
    factors = with_middles(found, end)
    forces = local_forces(case.assembly, found.forces(factors))

    def error(parts: int) -> float:
        """Largest difference, with so many steps from one factor to the next."""
        steps = np.linspace(np.concatenate([[0.0], factors[:-1]]), factors, parts + 1)[1:].T.ravel()
        expected = slip_flow(case, steps)[parts - 1 :: parts]
        return float(np.abs(forces - expected).max() / np.abs(expected).max())

    once = error(1)  # a step may end on another branch: then smaller steps must come nearer, to first order
    assert once <= 1e-7 or error(8) <= 0.25 * once
    assert found.peak <= hf.load_limit(case.assembly, case.load).upper_bound
    if not opening:
        with pytest.raises(AssertionError, match="cannot be balanced"):
            slip_flow(case, [*factors, 1.01 * found.peak])
