"""Load sharing: closed forms of springs, beams, bolts, bundles, friction and joints; a referee; forged proofs."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from tests.nightly import nightly_after
from tests.sharing.referee import (
    Case,
    box_volume,
    brittle_sequence,
    bundle_moments,
    bundle_peak,
    ductile_flow,
    feet_case,
    least_energy,
    local_forces,
    random_case,
    random_convex,
    random_union,
    slip_flow,
    unilateral_case,
)


def rod(strength: float) -> hf.ForceVolume:
    """Pushes and pulls along the normal up to `strength` [N], and nothing else."""
    return hf.ForceVolume([[[0.0, 0.0, -strength], [0.0, 0.0, strength]]], allow_flat=True)


#: More than any load of these tests: guides and rods that never fail.
STRONG = rod(1e5)

#: A contact without friction that only presses.
PRESSES = hf.models.coulomb(0.0)

Status = hf.sharing.SharingStatus


def frame(normal: Sequence[float]) -> np.ndarray:
    """A contact frame whose u is x, or y where the normal is along x."""
    n = np.asarray(normal, dtype=float)
    return hf.frame_from_normal(n, [0.0, 1.0, 0.0] if abs(n[0]) > 0.5 else [1.0, 0.0, 0.0])


def contact(position: Sequence[float], normal: Sequence[float] = (0, 0, 1), volume: hf.ForceVolume = STRONG, name=""):
    return hf.Contact(np.asarray(position, dtype=float), frame(normal), volume, name)


class Springs:
    """Contacts with their stiffness (normal, tangential) and preload, and guides that hold the other motions.

    A guide is a spring along one direction, so that it carries nothing of a load in the directions left free.
    """

    def __init__(self) -> None:
        self.contacts: list[hf.Contact] = []
        self.stiffness: list[tuple[float, float]] = []
        self.preload: list[tuple[float, float, float]] = []
        self.rules: list[str] = []

    def add(
        self, position, normal=(0, 0, 1), volume=STRONG, k=(1000.0, 0.0), preload=0.0, rule="brittle", name=""
    ) -> int:
        self.contacts.append(contact(position, normal, volume, name))
        self.stiffness.append(k)
        self.preload.append((0.0, 0.0, float(preload)))
        self.rules.append(rule)
        return len(self.contacts) - 1

    def guide(self, position, direction) -> int:
        return self.add(position, direction, k=(2000.0, 0.0))

    def guide_along(self, axis: int) -> Springs:
        """Only the translation along an axis is left free."""
        along, second, third = np.roll(np.eye(3), -axis, axis=0)
        for far in (-1.0, 1.0):
            self.guide(far * along, second)
            self.guide(far * along, third)
        self.guide(second, third)
        return self

    def guide_in_xz(self) -> Springs:
        """Only the translation along z and the rotation about y are left free."""
        for far in (-1.0, 1.0):
            self.guide((0, 0, far), (0, 1, 0))
            self.guide((0, far, 0), (1, 0, 0))
        return self

    def assembly(self, joints: hf.JointRows | None = None) -> hf.Assembly:
        return hf.Assembly(self.contacts, joints)

    def share(self, load, *, joints=None, **options):
        options.setdefault("rule", self.rules)
        options.setdefault("preload", np.array(self.preload))
        found = hf.load_sharing(self.assembly(joints), load, self.stiffness, **options)
        assert found.verify()
        return found


def pull(z: float = -1.0, at: Sequence[float] = (0, 0, 0)) -> np.ndarray:
    """(6,) a force [N] along z at a point."""
    force = np.array([0.0, 0.0, z])
    return np.concatenate([force, np.cross(at, force)])


def kinds(result) -> list[tuple[str, int | None]]:
    return [(event.kind, event.contact) for event in result.events]


# -- springs and beams -------------------------------------------------------------------------------------------


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6))
def test_two_springs_in_parallel_share_by_their_stiffness(first, second):
    springs = Springs()
    springs.add((0, 0, 0), k=(first, 0.0))
    springs.add((0, 0, 0), (0, 0, -1), k=(second, 0.0))
    found = springs.guide_along(2).share(pull(-10.0), until=1.0)
    assert found.status is Status.HOLDS_THROUGHOUT and found.first_failure == np.inf
    forces = found.forces(1.0)
    assert forces[:2, 2] == pytest.approx(10.0 * np.array([first, second]) / (first + second), rel=1e-9)
    assert np.abs(forces[2:]).max() <= 1e-9
    assert found.displacement(1.0)[2] == pytest.approx(-10.0 / (first + second), rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 4, 7])
@pytest.mark.parametrize("eccentricity", [0.0, 0.03, -0.2])
def test_a_row_of_equal_springs_is_a_rigid_bar(count, eccentricity):
    x = np.linspace(-0.15, 0.15, count)
    springs = Springs()
    for place in x:
        springs.add((place, 0, 0))
    found = springs.guide_in_xz().share(pull(-50.0, (eccentricity, 0, 0)), until=1.0)
    forces = found.forces(1.0)
    expected = 50.0 / count + 50.0 * eccentricity * x / (x**2).sum()
    assert forces[:count, 2] == pytest.approx(expected, abs=1e-9)
    assert np.abs(forces[count:]).max() <= 1e-9


@pytest.mark.parametrize("stiffness", [(1000.0, 500.0, 250.0), (1e3, 2e3, 3e3, 4e3)])
def test_a_rigid_beam_on_unequal_springs_turns_about_their_elastic_centre(stiffness):
    """The beam sinks by P / sum k at the elastic centre and turns by P (a - x_c) / sum k (x - x_c)^2."""
    k, x, at, load = np.array(stiffness), np.linspace(0.0, 0.9, len(stiffness)), 0.25, 120.0
    centre = (k * x).sum() / k.sum()
    turn = load * (at - centre) / (k * (x - centre) ** 2).sum()
    sag = load / k.sum() + turn * (x - centre)
    springs = Springs()
    for place, spring in zip(x, k, strict=True):
        springs.add((place, 0, 0), k=(spring, 0.0))
    found = springs.guide_in_xz().share(pull(-load, (at, 0, 0)), until=1.0)
    assert found.forces(1.0)[: len(x), 2] == pytest.approx(k * sag, rel=1e-9)


def test_rods_of_two_materials_share_by_their_axial_stiffness():
    """A rigid cap on a brass rod between two steel rods: P_i = P E_i A_i / L / sum, and the first rod yields at sigma A."""
    moduli, areas, length = np.array([200e9, 100e9, 200e9]), np.array([100e-6, 300e-6, 100e-6]), 0.5
    k, yielding = moduli * areas / length, np.array([250e6, 100e6, 250e6]) * areas
    springs = Springs()
    for place, spring, limit in zip((-0.2, 0.0, 0.2), k, yielding, strict=True):
        springs.add((place, 0, 0), volume=rod(limit), k=(spring, 0.0), rule="ductile")
    found = springs.guide_in_xz().share(pull(-1000.0))
    shares = k / k.sum()
    assert found.forces(10.0)[:3, 2] == pytest.approx(1e4 * shares, rel=1e-9)
    assert found.first_failure == pytest.approx((yielding / shares).min() / 1000.0, rel=1e-9)
    assert found.peak == pytest.approx(yielding.sum() / 1000.0, rel=1e-9)


def test_a_pinned_bar_on_two_yielding_wires():
    """Gere, statically indeterminate bar with elastoplastic wires at b and 2b, loaded at 3b.

    F_1 = 3P/5 and F_2 = 6P/5; P_Y = 5/6 F_Y with a deflection of 3/2 F_Y/k at the load; P_P = F_Y with 3 F_Y/k.
    """
    b, k, limit = 0.4, 1000.0, 60.0
    springs = Springs()
    wires = [springs.add((far, 0, 0), volume=rod(limit), k=(k, 0.0), rule="ductile") for far in (b, 2 * b)]
    springs.add((0, 0, 0), k=(1e9, 0.0))  # the pin
    found = springs.guide_in_xz().share(pull(-1.0, (3 * b, 0, 0)))
    assert found.forces(30.0)[wires, 2] == pytest.approx([18.0, 36.0], rel=1e-5)
    assert found.first_failure == pytest.approx(5.0 / 6.0 * limit, rel=1e-5)
    assert found.peak == pytest.approx(limit, rel=1e-9)
    assert [event.contact for event in found.failures][:2] == [wires[1], wires[0]]

    def deflection(factor: float) -> float:
        motion = found.displacement(factor)
        return -(motion[:3] + np.cross(motion[3:], [3 * b, 0, 0] - found.point))[2]

    assert deflection(5.0 / 6.0 * limit) == pytest.approx(1.5 * limit / k, rel=1e-4)
    assert deflection(limit * (1 - 1e-9)) == pytest.approx(3.0 * limit / k, rel=1e-4)


def test_an_eccentrically_loaded_bolt_group_follows_the_elastic_vector_method():
    """Shigley, bolted joints loaded in shear: four bolts, 16 kN at 425 mm; direct shear F/n and M r / sum r^2.

    The book prints 21.0 kN for the two near bolts and 14.8 kN for the far ones.
    """
    places = np.array([[0.075, 0.06], [0.075, -0.06], [-0.075, -0.06], [-0.075, 0.06]])
    load, arm = 16e3, 0.425
    springs = Springs()
    for x, y in places:
        springs.add((x, y, 0), k=(1e6, 3e6), volume=box_volume(9e4))
    found = springs.share([0, -load, 0, 0, 0, -load * arm], until=1.0)
    moment = load * arm  # on the bolts' side: the opposite of the load
    direct = np.array([0.0, load / 4])
    turning = moment * np.column_stack([-places[:, 1], places[:, 0]]) / (places**2).sum()
    forces = found.forces(1.0)
    assert forces[:, :2] == pytest.approx(direct + turning, rel=1e-9)
    assert np.linalg.norm(forces, axis=1) / 1e3 == pytest.approx([21.0, 21.0, 14.8, 14.8], abs=0.05)


def test_a_preloaded_bolt_takes_its_share_until_the_members_separate():
    """F_b = F_i + C P and F_m = F_i - (1 - C) P with C = k_b / (k_b + k_m), until P = F_i / (1 - C)."""
    bolt_k, member_k, preload, strength = 2e5, 6e5, 800.0, 1500.0
    share = bolt_k / (bolt_k + member_k)
    separation = preload / (1.0 - share)
    springs = Springs()
    springs.add((0, 0, 0), volume=PRESSES, k=(member_k, 0.0), preload=preload)
    springs.add((0, 0, 0), volume=rod(strength), k=(bolt_k, 0.0), preload=-preload)
    found = springs.guide_along(2).share(pull(1.0))
    for load in (0.0, 0.3 * separation, 0.99 * separation):
        member, bolt = found.forces(load)[:2, 2]
        assert bolt == pytest.approx(-(preload + share * load), rel=1e-9)
        assert member == pytest.approx(preload - (1.0 - share) * load, rel=1e-9)
    opened = [event for event in found.events if event.kind == "opens"]
    assert [event.contact for event in opened] == [0] and opened[0].factor == pytest.approx(separation, rel=1e-9)
    member, bolt = found.forces(0.5 * (separation + strength))[:2, 2]
    assert member == pytest.approx(0.0, abs=1e-9) and bolt == pytest.approx(-0.5 * (separation + strength), rel=1e-9)
    assert found.first_failure == found.peak == pytest.approx(strength, rel=1e-9)
    assert [event.contact for event in found.failures] == [1] and found.status is Status.COLLAPSES


def test_a_squeeze_that_is_not_in_balance_settles_and_may_break_a_contact():
    """f0 = 8 N against a spring as stiff settles at 4 N each; one of 3 N breaks at 3/4 of the preload."""
    for strength, breaks in ((5.0, False), (3.0, True)):
        springs = Springs()
        springs.add((0, 0, 0), volume=rod(10.0), preload=8.0)
        springs.add((0, 0, 0), volume=rod(strength))
        found = springs.guide_along(2).share(pull(1.0))
        if breaks:
            event = found.failures[0]
            assert (event.stage, event.contact, event.factor) == ("preload", 1, 0.0)
            assert event.share == pytest.approx(0.75, rel=1e-9)
            assert found.first_failure == 0.0
            assert found.forces(0.0)[:2, 2] == pytest.approx([0.0, 0.0], abs=1e-9)
            assert found.peak == pytest.approx(10.0, rel=1e-9)
        else:
            assert found.forces(0.0)[:2, 2] == pytest.approx([4.0, -4.0], rel=1e-9)
            assert found.first_failure == pytest.approx(2.0, rel=1e-9)  # 4 + d/2 = 5 in the second
            assert found.peak == pytest.approx(10.0, rel=1e-9)


def test_a_base_load_that_is_too_large_is_said_to_fail():
    springs = Springs()
    springs.add((0, 0, 0), volume=rod(10.0))
    found = springs.guide_along(2).share(pull(1.0), base=pull(12.0))
    assert found.status is Status.FAILS_AT_BASE and found.peak == -np.inf and found.first_failure == 0.0
    assert [(e.stage, e.contact) for e in found.failures] == [("base", 0)]
    assert found.failures[0].share == pytest.approx(10.0 / 12.0, rel=1e-9)
    assert np.isnan(found.forces(0.0)).all()


@pytest.mark.parametrize("units, peak", [("together", 30.0), ("pointwise", 36.0)])
def test_a_unit_lets_go_as_a_whole_or_point_by_point(units, peak):
    """A pad of a point of 10 N and one of 30 N, and a rod of 18 N, equally stiff: the pad is lost at 3 x 10 N.

    Together: the rod alone cannot carry 30 N. Pointwise: two carry 15 N each, up to 2 x 18 N.
    """
    pad = hf.assembly.Unit("pad")
    springs = Springs()
    for strength in (10.0, 30.0, 18.0):
        springs.add((0, 0, 0), volume=rod(strength))
    springs.guide_along(2)
    springs.contacts[:2] = [hf.Contact(c.position, c.rotation, c.volume, c.name, pad) for c in springs.contacts[:2]]
    found = springs.share(pull(1.0), units=units)
    assert found.first_failure == pytest.approx(30.0, rel=1e-9)
    assert found.peak == pytest.approx(peak, rel=1e-9)
    lost = [event.contact for event in found.failures]
    assert lost[:2] == ([0, 1] if units == "together" else [0, 2])


# -- what does not depend on stiffness ---------------------------------------------------------------------------


def tripod(stiffness: Sequence[float]) -> Springs:
    """Three legs along z and three guides in the plane: six springs for six equations."""
    springs = Springs()
    for number, angle in enumerate(np.radians([0.0, 120.0, 240.0])):
        springs.add((np.cos(angle), np.sin(angle), 0), k=(stiffness[number], 0.0), volume=rod(40.0))
    springs.guide((0, 0, 0), (1, 0, 0))
    springs.guide((0, 0, 0), (0, 1, 0))
    springs.guide((1, 0, 0), (0, 1, 0))
    return springs


@given(st.lists(st.floats(10.0, 1e6), min_size=3, max_size=3))
def test_a_statically_determinate_tripod_does_not_depend_on_the_stiffness(stiffness):
    """The legs carry the barycentric coordinates of the load's place; the failure of one leg is the collapse."""
    places = np.array([[np.cos(a), np.sin(a)] for a in np.radians([0.0, 120.0, 240.0])])
    shares = np.linalg.solve(np.vstack([places.T, np.ones(3)]), [0.3, 0.1, 1.0])
    found = tripod(stiffness).share(pull(-1.0, (0.3, 0.1, 0)))
    assert found.forces(10.0)[:3, 2] == pytest.approx(10.0 * shares, rel=1e-7)
    assert found.first_failure == pytest.approx(40.0 / shares.max(), rel=1e-7)
    assert found.peak == pytest.approx(found.first_failure, rel=1e-9)
    limit = hf.load_limit(tripod(stiffness).assembly(), pull(-1.0, (0.3, 0.1, 0)))
    assert found.peak == pytest.approx(limit.value, rel=1e-6) and found.efficiency == pytest.approx(1.0, rel=1e-6)


# -- bundles of brittle contacts ---------------------------------------------------------------------------------


def bundle(strengths: Sequence[float], rule: str = "brittle") -> hf.sharing.LoadSharing:
    """Contacts of equal stiffness in one point, pulled along z: all have the same displacement."""
    springs = Springs()
    for strength in strengths:
        springs.add((0, 0, 0), volume=rod(float(strength)), rule=rule)
    return springs.guide_along(2).share(pull(1.0))


@given(st.lists(st.floats(1.0, 100.0), min_size=1, max_size=8))
def test_a_bundle_carries_the_largest_product_of_survivors_and_weakest_strength(strengths):
    found = bundle(strengths)
    ordered = np.sort(strengths)
    factors = np.maximum.accumulate(np.arange(len(ordered), 0, -1) * ordered)
    assert found.first_failure == pytest.approx(len(ordered) * ordered[0], rel=1e-8)
    assert found.peak == pytest.approx(bundle_peak(np.array(strengths)), rel=1e-8)
    before = [event for event in found.failures if event.factor < found.peak * (1.0 - 1e-7)]
    assert [strengths[event.contact] for event in before] == pytest.approx(ordered[: len(before)])
    assert [event.factor for event in before] == pytest.approx(factors[: len(before)], rel=1e-8)


@given(st.lists(st.floats(1.0, 100.0), min_size=1, max_size=8))
def test_a_ductile_bundle_carries_the_sum_of_its_strengths(strengths):
    found = bundle(strengths, "ductile")
    assert found.first_failure == pytest.approx(len(strengths) * min(strengths), rel=1e-8)
    assert found.peak == pytest.approx(sum(strengths), rel=1e-8)


def _uniform(x: np.ndarray) -> np.ndarray:
    return np.clip(x / 30.0, 0.0, 1.0)


def _weibull(x: np.ndarray) -> np.ndarray:
    return 1.0 - np.exp(-((x / 20.0) ** 3.0))


@pytest.mark.parametrize("count", nightly_after(3, [2, 5, 8, 3, 4, 6, 7]))
@pytest.mark.parametrize("kind", ["uniform", "weibull"])
def test_the_mean_strength_of_bundles_is_that_of_the_recursion_of_daniels(kind, count):
    rng = np.random.default_rng(1945 + count)
    many = 60
    strengths = rng.uniform(size=(many, count)) * 30.0 if kind == "uniform" else 20.0 * rng.weibull(3.0, (many, count))
    peaks = np.array([bundle(np.maximum(row, 1e-3)).peak for row in strengths])
    mean, deviation = bundle_moments(count, *((_uniform, 30.0) if kind == "uniform" else (_weibull, 80.0)))
    assert abs(peaks.mean() - mean) <= 4.0 * deviation / np.sqrt(many)
    assert 0.5 * deviation <= peaks.std() <= 1.6 * deviation


def test_the_recursion_of_daniels_is_right_for_two_uniform_strengths():
    """P(max(2 s_1, s_2) <= x) = 2 F(x/2) F(x) - F(x/2)^2, integrated by hand: the mean is 5/6 for strengths up to 1."""
    assert bundle_moments(2, lambda x: np.clip(x, 0.0, 1.0), 1.0)[0] == pytest.approx(5.0 / 6.0, abs=1e-6)


# -- symmetric grippers fail symmetrically -----------------------------------------------------------------------


def groups_of(result, tolerance: float = 1e-9) -> list[set[int]]:
    """Contacts that fail at the same factor, in order."""
    found: list[tuple[float, set[int]]] = []
    for event in result.failures:
        if event.contact is None:
            continue
        if found and event.factor <= found[-1][0] * (1.0 + tolerance):
            found[-1][1].add(event.contact)
        else:
            found.append((event.factor, {event.contact}))
    return [group for _, group in found]


@pytest.mark.parametrize("rule", ["brittle", "ductile"])
@pytest.mark.parametrize("count", [3, 4, 5, 6, 8])
def test_cups_on_a_ring_all_let_go_at_once_under_a_central_pull(count, rule):
    cup = hf.models.suction(45.0, 0.5, cap=200.0)
    contacts = [
        contact((0.1 * np.cos(a), 0.1 * np.sin(a), 0.0), (0, 0, 1), cup) for a in 2.0 * np.pi * np.arange(count) / count
    ]
    found = hf.load_sharing(hf.Assembly(contacts), pull(1.0), (8000.0, 2400.0), rule=rule)
    assert found.verify()
    assert found.first_failure == found.peak == pytest.approx(45.0 * count, rel=1e-9)
    forces = found.forces(0.7 * found.peak)
    assert forces == pytest.approx(np.tile([0.0, 0.0, -0.7 * 45.0], (count, 1)), abs=1e-9)


@pytest.mark.parametrize("rule", ["brittle", "ductile"])
@pytest.mark.parametrize("shift, turn", [(0.03, 0.0), (0.06, 0.0), (0.06, 30.0), (0.0, 90.0)])
def test_mirror_partners_of_a_suction_array_fail_at_the_same_factor(shift, turn, rule):
    """4 x 3 cups; the load is in the mirror plane y = 0, off centre and tilted."""
    cup = hf.models.suction(45.0, 0.5, cap=200.0)
    places = [(x, y) for x in (-0.15, -0.05, 0.05, 0.15) for y in (-0.1, 0.0, 0.1)]
    partner = [places.index((x, -y if y else 0.0)) for x, y in places]
    contacts = [contact((x, y, 0.0), (0, 0, 1), cup) for x, y in places]
    force = np.array([np.sin(np.radians(turn)), 0.0, np.cos(np.radians(turn))])
    load = np.concatenate([force, np.cross([shift, 0.0, -0.05], force)])
    found = hf.load_sharing(hf.Assembly(contacts), load, (8000.0, 2400.0), rule=rule)
    assert found.verify()
    for group in groups_of(found):
        assert {partner[i] for i in group} == group
    mirror = np.array([1.0, -1.0, 1.0])
    for factor in (0.3, 0.9, 0.999):
        forces = found.forces(factor * found.peak)
        assert forces[partner] * mirror == pytest.approx(forces, abs=1e-7)


@pytest.mark.parametrize("shift", [0.0, 0.06])
def test_a_suction_array_lets_go_where_the_formula_of_a_rigid_plate_says(shift):
    """12 cups of 45 N: F (1/n + e x_max / sum x^2) = 45 N. Centred, the load limit is reached; 60 mm off, 81 % of it."""
    cup = hf.models.suction(45.0, 0.5)
    contacts = [contact((x, y, 0.0), (0, 0, 1), cup) for x in (-0.15, -0.05, 0.05, 0.15) for y in (-0.1, 0.0, 0.1)]
    assembly, weight = hf.Assembly(contacts), 9.81
    found = hf.load_sharing(assembly, pull(weight, (shift, 0, 0)), (8000.0, 2400.0))
    assert found.verify()
    x = assembly.positions[:, 0]
    expected = 45.0 / (1.0 / 12.0 + shift * x.max() / (x**2).sum()) / weight
    assert found.first_failure == found.peak == pytest.approx(expected, rel=1e-9)
    assert found.limit.value == pytest.approx(12 * 45.0 / weight if shift == 0.0 else 39.3185, rel=1e-6)
    assert found.efficiency == pytest.approx(1.0 if shift == 0.0 else 0.81396, rel=1e-5)


# -- friction ----------------------------------------------------------------------------------------------------

RUBBER = hf.models.coulomb(0.5)


def test_a_block_on_a_slope_slides_when_the_tangential_load_reaches_mu_times_the_normal_force():
    """Weight as base; a push downhill in the plane of contact: m g sin + P = mu m g cos, however stiff the feet are."""
    weight, slope = 20.0, np.radians(15.0)
    contacts = [contact((x, y, 0), (0, 0, 1), RUBBER) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    stiffness = [(1000.0, 300.0), (1000.0, 500.0), (1000.0, 300.0), (1000.0, 500.0)]
    base = weight * np.array([np.sin(slope), 0.0, -np.cos(slope), 0.0, 0.0, 0.0])
    found = hf.load_sharing(hf.Assembly(contacts), [1, 0, 0, 0, 0, 0], stiffness, base=base, rule="slip")
    assert found.verify() and found.status is Status.COLLAPSES
    assert found.peak == pytest.approx(weight * (0.5 * np.cos(slope) - np.sin(slope)), rel=1e-9)
    assert found.first_failure < found.peak


def squeezed(tangential: Sequence[float], normal: Sequence[float], mu: float = 0.5) -> Springs:
    """Contacts in the origin that press along +z with preloads, and one along -z that balances them without friction."""
    springs = Springs()
    for kt, force in zip(tangential, normal, strict=True):
        springs.add((0, 0, 0), volume=hf.models.coulomb(mu), k=(2000.0, kt), preload=force, rule="slip")
    springs.add((0, 0, 0), (0, 0, -1), k=(2000.0, 0.0), preload=sum(normal))
    return springs


def test_two_contacts_of_unequal_stiffness_slip_one_after_the_other():
    """f_i = Q k_i / sum k; contact 0 slips at mu N_0 sum k / k_0, contact 1 at mu (N_0 + N_1), when all slides."""
    k, n, mu = np.array([3000.0, 1000.0]), np.array([10.0, 14.0]), 0.5
    found = squeezed(k, n).guide_along(0).share([1, 0, 0, 0, 0, 0])
    first = mu * n[0] * k.sum() / k[0]
    slips = [(event.contact, event.factor) for event in found.events if event.kind == "slips"]
    assert slips[0] == (0, pytest.approx(first, rel=1e-6))
    assert found.first_failure == pytest.approx(first, rel=1e-6)
    assert found.peak == pytest.approx(mu * n.sum(), rel=1e-6)
    assert found.forces(0.5 * first)[:2, 0] == pytest.approx(-0.5 * first * k / k.sum(), rel=1e-6)
    load = 0.5 * (first + mu * n.sum())
    assert found.forces(load)[:2, 0] == pytest.approx([-mu * n[0], mu * n[0] - load], rel=1e-6)


def test_a_contact_that_has_slipped_sticks_on_unloading_and_slips_back_after_twice_its_limit():
    """Base Q_0 makes contact 0 slip; unloading by d takes k_0 / sum k of it until -mu N_0: d = 2 mu N_0 sum k / k_0."""
    k, n, mu, q = np.array([3000.0, 1000.0]), np.array([10.0, 30.0]), 0.5, 12.0
    found = squeezed(k, n).guide_along(0).share([-1, 0, 0, 0, 0, 0], base=[q, 0, 0, 0, 0, 0])
    assert ("slips", 0) in [(e.kind, e.contact) for e in found.events if e.stage == "base"]
    assert ("sticks", 0) in kinds(found)
    assert found.forces(0.0)[:2, 0] == pytest.approx([-mu * n[0], mu * n[0] - q], rel=1e-6)
    back = 2.0 * mu * n[0] * k.sum() / k[0]
    assert found.forces(0.4 * back)[:2, 0] == pytest.approx(
        [-mu * n[0] + 0.4 * back * k[0] / k.sum(), mu * n[0] - q + 0.4 * back * k[1] / k.sum()], rel=1e-6
    )
    again = [e.factor for e in found.events if e.stage == "load" and e.kind == "slips" and e.contact == 0]
    assert again[0] == pytest.approx(back, rel=1e-6)
    assert found.peak == pytest.approx(q + mu * n.sum(), rel=1e-6)


def between_walls(mu: float = 0.5) -> hf.Assembly:
    """A block between two walls that touch it at four points each."""
    rubber = hf.models.coulomb(mu)
    return hf.Assembly(
        [
            contact((side * 0.05, y, z), (-side, 0, 0), rubber)
            for side in (-1.0, 1.0)
            for y in (-0.02, 0.02)
            for z in (-0.02, 0.02)
        ]
    )


@pytest.mark.parametrize("ratio", [0.1, 1.0, 3.0])
def test_a_block_squeezed_between_two_plates_carries_two_mu_times_the_squeeze(ratio):
    squeeze = 40.0
    found = hf.load_sharing(between_walls(), pull(-1.0), (1000.0, ratio * 1000.0), preload=squeeze / 4, rule="slip")
    assert found.verify() and found.status is Status.COLLAPSES
    assert found.peak == pytest.approx(2 * 0.5 * squeeze, rel=1e-9)
    assert found.forces(0.5 * found.peak)[:, 2] == pytest.approx(np.full(8, 0.5 * found.peak / 8), rel=1e-9)


@pytest.mark.parametrize("rule", ["slip", "brittle"])
def test_a_block_between_two_walls_can_hold_but_falls_unless_it_is_squeezed(rule):
    """Admissible forces exist for any weight, but elastic walls that are not squeezed give none of them."""
    assembly = between_walls()
    assert hf.load_limit(assembly, pull(-1.0)).value == np.inf
    found = hf.load_sharing(assembly, pull(-1.0), (1000.0, 300.0), rule=rule)
    assert found.peak == pytest.approx(0.0, abs=1e-9) and found.status is Status.COLLAPSES
    loaded = hf.load_sharing(assembly, [1, 0, 0, 0, 0, 0], (1000.0, 300.0), base=pull(-5.0), rule=rule)
    assert loaded.status is Status.FAILS_AT_BASE


def test_a_squeeze_by_a_driven_joint_is_as_good_as_a_preload():
    """A slide presses the left jaw with 40 N; the weight is then carried by friction up to 2 mu 40 N."""
    assembly = between_walls()
    left = [i for i, c in enumerate(assembly.contacts) if c.position[0] < 0.0]
    jacobian = np.zeros((1, 24))
    jacobian[0, [3 * i for i in left]] = 1.0
    driven = hf.Assembly(assembly.contacts, hf.JointRows(jacobian, np.array([40.0]), np.array([40.0])))
    found = hf.load_sharing(driven, pull(-1.0), (1000.0, 300.0), rule="slip")
    assert found.verify()
    assert found.forces(0.0)[left].sum(axis=0) == pytest.approx([40.0, 0.0, 0.0], abs=1e-9)
    assert found.peak == pytest.approx(40.0, rel=1e-9)


# -- contacts that open and close --------------------------------------------------------------------------------


def unilateral_row(x: np.ndarray, k: float = 1000.0) -> Springs:
    springs = Springs()
    for place in x:
        springs.add((place, 0, 0), volume=PRESSES, k=(k, 0.0))
    return springs.guide_in_xz()


@pytest.mark.parametrize("count", [3, 4, 5, 9, 40])
def test_a_beam_on_springs_without_tension_lifts_off_outside_its_kern(count):
    """The last of n springs opens at e = sum x^2 / (n x_max), which is L/6 for a continuous bed."""
    length = 0.6
    x = (np.arange(count) + 0.5) / count * length - 0.5 * length
    kern = (x**2).sum() / (count * x.max())
    found = unilateral_row(x).share([0, 0, 0, 0, 1.0, 0], base=pull(-30.0))
    opened = [event for event in found.events if event.kind == "opens"]
    assert opened[0].contact == 0 and opened[0].factor == pytest.approx(30.0 * kern, rel=1e-9)
    assert found.first_failure == np.inf or found.first_failure >= found.peak * (1 - 1e-9)
    assert found.peak == pytest.approx(30.0 * x.max(), rel=1e-9)  # it tips over the last spring
    if count == 40:
        assert kern == pytest.approx(length / 6.0, rel=0.03)


def test_after_lift_off_two_springs_are_statically_determinate():
    x, load = np.array([-0.2, 0.0, 0.2]), 30.0
    found = unilateral_row(x).share([0, 0, 0, 0, 1.0, 0], base=pull(-load))
    for moment in (0.7 * 0.2 * load, 0.9 * 0.2 * load):
        assert found.forces(moment)[:3, 2] == pytest.approx([0.0, load - moment / 0.2, moment / 0.2], abs=1e-8)
    assert [event.contact for event in found.events if event.kind == "opens"][:2] == [0, 1]


def test_a_contact_that_has_opened_closes_again():
    """The base lifts the spring at -a; the load turns the moment back, and it closes at the edge of the kern."""
    a, load = 0.2, 30.0
    base = pull(-load) + np.array([0, 0, 0, 0, 0.8 * a * load, 0])
    found = unilateral_row(np.array([-a, 0.0, a])).share([0, 0, 0, 0, -1.0, 0], base=base)
    closes = [event for event in found.events if event.kind == "closes"]
    assert closes[0].contact == 0 and closes[0].stage == "load"
    assert closes[0].factor == pytest.approx((0.8 - 2.0 / 3.0) * a * load, rel=1e-9)
    assert found.forces(0.8 * a * load)[:3, 2] == pytest.approx([load / 3] * 3, rel=1e-9)
    assert found.peak == pytest.approx(1.8 * a * load, rel=1e-9)


# -- joints ------------------------------------------------------------------------------------------------------


def jaw(strengths: Sequence[float] = (1e4, 1e4), k: Sequence[float] = (3000.0, 1000.0)) -> Springs:
    """Two contacts in the origin that carry a load along z; the first stands on a slide along z."""
    springs = Springs()
    for strength, spring in zip(strengths, k, strict=True):
        springs.add((0, 0, 0), volume=rod(strength), k=(spring, 0.0))
    return springs.guide_along(2)


def slide(springs: Springs, lower: float, upper: float, **options: float) -> hf.JointRows:
    jacobian = np.zeros((1, 3 * len(springs.contacts)))
    jacobian[0, 2] = 1.0
    given = {name: np.array([value]) for name, value in options.items()}
    return hf.JointRows(jacobian, np.array([lower]), np.array([upper]), **given)


def test_a_friction_joint_slips_at_its_band_and_then_carries_a_constant_force():
    """Shares by stiffness until k_0 / sum k Q reaches the band 30; then the other takes the rest, up to its strength 50."""
    springs = jaw((1e4, 50.0))
    found = springs.share(pull(-1.0), joints=slide(springs, -30.0, 30.0))
    slipping = [event for event in found.events if event.kind == "joint slips"]
    assert [event.joint for event in slipping] == [0] and slipping[0].contact is None
    assert slipping[0].factor == pytest.approx(40.0, rel=1e-9)
    assert found.forces(20.0)[:2, 2] == pytest.approx([15.0, 5.0], rel=1e-9)
    assert found.forces(60.0)[:2, 2] == pytest.approx([30.0, 30.0], rel=1e-9)
    assert found.peak == pytest.approx(80.0, rel=1e-9)
    assert found.joint_motion(20.0) == pytest.approx([0.0], abs=1e-12)
    # u_z - theta = -30/3000, u_z = -30/1000
    assert found.joint_motion(60.0) == pytest.approx([-0.02], rel=1e-9)


def test_a_contact_on_a_friction_joint_alone_carries_its_band():
    springs = Springs()
    springs.add((0, 0, 0), volume=rod(100.0))
    springs.guide_along(2)
    found = springs.share(pull(-1.0), joints=slide(springs, -30.0, 30.0))
    assert found.status is Status.COLLAPSES and found.peak == pytest.approx(30.0, rel=1e-9)
    assert [event.joint for event in found.events if event.kind == "joint slips"] == [0]
    assert found.peak == pytest.approx(hf.load_limit(found.assembly, pull(-1.0)).value, rel=1e-6)


def test_a_friction_joint_holds_again_when_it_is_unloaded():
    springs = jaw()
    found = springs.share(pull(1.0), base=pull(-60.0), joints=slide(springs, -30.0, 30.0), until=120.0)
    assert "joint slips" in [event.kind for event in found.events if event.stage == "base"]
    assert "joint holds" in [event.kind for event in found.events]
    assert found.forces(40.0)[:2, 2] == pytest.approx([0.0, 20.0], abs=1e-8)
    back = [e.factor for e in found.events if e.stage == "load" and e.kind == "joint slips"]
    assert back[0] == pytest.approx(2 * 30.0 * 4.0 / 3.0, rel=1e-9)


@pytest.mark.parametrize("kind", ["spring", "servo"])
def test_a_spring_or_servo_behind_a_contact_is_a_spring_in_series(kind):
    springs = jaw()
    joints = (
        slide(springs, 0.0, 0.0, stiffness=1500.0)
        if kind == "spring"
        else slide(springs, -np.inf, np.inf, servo=1500.0)
    )
    found = springs.share(pull(-20.0), joints=joints, until=1.0)
    series = 1.0 / (1.0 / 3000.0 + 1.0 / 1500.0)
    assert found.forces(1.0)[:2, 2] == pytest.approx(20.0 * np.array([series, 1000.0]) / (series + 1000.0), rel=1e-9)
    assert found.joint_motion(1.0) == pytest.approx([-20.0 * series / (series + 1000.0) / 1500.0], rel=1e-9)


def test_a_servo_with_a_band_is_a_spring_until_its_torque_is_reached():
    springs = jaw((1e4, 50.0))
    found = springs.share(pull(-1.0), joints=slide(springs, -10.0, 10.0, servo=1500.0))
    series = 1.0 / (1.0 / 3000.0 + 1.0 / 1500.0)  # 1000
    slipping = [event for event in found.events if event.kind == "joint slips"]
    assert slipping[0].factor == pytest.approx(10.0 * (series + 1000.0) / series, rel=1e-9)
    assert found.peak == pytest.approx(60.0, rel=1e-9)


def test_a_free_joint_gives_its_contact_no_force():
    springs = jaw()
    found = springs.share(pull(-20.0), joints=slide(springs, 0.0, 0.0), until=1.0)
    assert found.forces(1.0)[:2, 2] == pytest.approx([0.0, 20.0], abs=1e-9)


def test_a_driven_joint_presses_with_its_force_whatever_the_load():
    springs = jaw()
    found = springs.share(pull(-20.0), joints=slide(springs, 7.0, 7.0), until=1.0)
    assert found.forces(0.0)[:2, 2] == pytest.approx([7.0, -7.0], rel=1e-9)
    assert found.forces(1.0)[:2, 2] == pytest.approx([7.0, 13.0], rel=1e-9)


# -- against the referee: least energy, load steps, exact failure sequences ----------------------------------------

JOINTS = ((), ("locked",), ("sprung",), ("servo",), ("free",), ("driven",), ("driven", "sprung", "locked"))


@pytest.mark.parametrize("seed", nightly_after(10, range(100)))
def test_elastic_forces_are_those_of_least_spring_energy(seed):
    """Clarabel minimises the complementary energy; forces agree to 1e-7 of the largest."""
    case = random_case(seed, strength=1e4, kinds=JOINTS[seed % len(JOINTS)], preload=3.0, base=2.0)
    found = case.share("ductile", until=1.0)
    assert found.verify()
    for factor in (0.0, 0.37, 1.0):
        expected = least_energy(case, factor)
        forces = local_forces(case.assembly, found.forces(factor))
        assert np.abs(forces - expected).max() <= 1e-7 * np.abs(expected).max()


@pytest.mark.parametrize("seed", nightly_after(5, range(60)))
def test_contacts_that_open_have_the_forces_of_least_energy_among_those_that_press(seed):
    case = unilateral_case(seed)
    found = case.share("brittle", until=1.0)
    assert found.verify()
    unilateral = [i for i, c in enumerate(case.assembly.contacts) if not c.volume.is_bounded]
    for factor in np.linspace(0.0, min(1.0, 0.999 * found.peak), 3):
        expected = least_energy(case, factor, above_zero=unilateral)
        forces = local_forces(case.assembly, found.forces(factor))
        assert np.abs(forces - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("volume", "kinds"),
    [(random_convex, ()), (random_union, ()), (lambda _, strength: box_volume(strength), ("sprung", "locked"))],
)
@pytest.mark.parametrize("seed", nightly_after(4, range(40)))
def test_brittle_failures_are_those_of_load_steps(seed, volume, kinds):
    case = random_case(600 + seed, volume, kinds=kinds, contacts=(3, 7), preload=1.0, base=0.5)
    limit = hf.load_ramp(case.assembly, case.base, case.load).value
    expected = brittle_sequence(case, 1.2 * limit if 0.0 < limit < np.inf else 10.0)
    found = case.share("brittle")
    assert found.verify()
    if expected.peak == -np.inf:
        assert found.status is Status.FAILS_AT_BASE
        return
    assert found.peak == pytest.approx(expected.peak, rel=1e-6)
    before = expected.peak * (1.0 - 1e-6)
    listed = [(e.stage, e.contact) for e in found.failures if e.factor < before]
    assert listed == [(stage, i) for stage, d, group in expected.failures if d < before for i in group]


@pytest.mark.parametrize("seed", nightly_after(5, range(40)))
def test_the_ductile_peak_is_the_load_limit_and_the_brittle_one_no_larger(seed):
    case = random_case(700 + seed, random_convex)
    limit = hf.load_limit(case.assembly, case.load)
    ductile, brittle = case.share("ductile"), case.share("brittle")
    assert ductile.verify() and brittle.verify()
    assert ductile.peak == pytest.approx(limit.value, rel=2e-6)
    assert brittle.first_failure <= brittle.peak * (1 + 1e-12) <= limit.upper_bound * (1.0 + 1e-9)


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


def with_middles(found, end: float) -> np.ndarray:
    """Where the segments of a path end, up to a factor, and halfway between."""
    shares = found.path.share[found.path.stage == found.path.stage.max()]
    ends = sorted({0.0, end, *shares[shares < end].tolist()})
    return np.array([x for a, b in itertools.pairwise(ends) for x in (0.5 * (a + b), b)])


@pytest.mark.parametrize("seed", nightly_after(4, range(40)))
def test_ductile_forces_are_those_of_implicit_load_steps(seed):
    """Steps to the events and between them are exact: each is a program for Clarabel."""
    case = random_case(6000 + seed, random_convex, contacts=(3, 6))
    found = case.share("ductile")
    factors = with_middles(found, 0.999 * found.peak)
    expected = ductile_flow(case, factors)
    forces = local_forces(case.assembly, found.forces(factors))
    assert np.abs(forces - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("seed", nightly_after(4, range(40)))
def test_slipping_forces_are_those_of_implicit_load_steps(seed):
    """Squeezed blocks: slip within the surface at the present normal force, each step by Lemke's method."""
    rng = np.random.default_rng(7000 + seed)
    rubber, places = hf.models.coulomb(0.5, facets=8, cap=500.0), rng.uniform(-0.04, 0.04, size=(2, 2))
    contacts = [
        hf.Contact([side * 0.05, *place], hf.frame_from_normal([-side, 0, 0], [0, 0, 1]), rubber)
        for side in (-1.0, 1.0)
        for place in places
    ]
    stiffness = np.array([np.diag([kt, kt, kn]) for kn, kt in 10.0 ** rng.uniform(3.0, 3.6, size=(4, 2))])
    load = np.array([0.0, *rng.normal(size=2), *(0.01 * rng.normal(size=3))])
    case = Case(hf.Assembly(contacts), load, stiffness, np.tile([0.0, 0.0, 20.0], (4, 1)))
    found = case.share("slip")
    assert found.verify() and np.isfinite(found.peak)
    factors = with_middles(found, 0.999 * min([found.peak, *(e.factor for e in found.events if e.kind == "opens")]))
    forces = local_forces(case.assembly, found.forces(factors))

    def error(parts: int) -> float:
        steps = np.linspace(np.concatenate([[0.0], factors[:-1]]), factors, parts + 1)[1:].T.ravel()
        expected = slip_flow(case, steps)[parts - 1 :: parts]
        return float(np.abs(forces - expected).max() / np.abs(expected).max())

    once = error(1)  # a step may end on another branch: smaller steps come nearer, to first order
    assert once <= 1e-7 or error(8) <= 0.25 * once


def test_feet_that_slip_one_after_another_hold_as_long_as_the_referee_finds_forces():
    """Four slip in turn; beyond the peak no step of the referee balances."""
    case, rubber = feet_case(9), hf.models.coulomb(0.5, facets=8, cap=2000.0)
    contacts = [dataclasses.replace(c, volume=rubber) for c in case.assembly.contacts]
    case = dataclasses.replace(case, assembly=hf.Assembly(contacts))
    found = case.share("slip")
    assert found.verify() and [e.kind for e in found.events if e.stage == "load"] == ["slips"] * 4
    factors = with_middles(found, 0.999 * found.peak)
    forces, expected = local_forces(case.assembly, found.forces(factors)), slip_flow(case, factors)
    assert np.abs(forces - expected).max() <= 1e-7 * np.abs(expected).max()
    with pytest.raises(AssertionError):
        slip_flow(case, [*factors, 1.01 * found.peak])


# -- a changed path, answer or question is found out ------------------------------------------------------------


@pytest.mark.parametrize("name", ["force", "x"])
def test_the_proof_notices_a_changed_path(name):
    found = random_case(3, random_convex, preload=1.0).share("ductile")
    assert found.verify()
    values = getattr(found.path, name)
    rng = np.random.default_rng(3)
    for row in np.nonzero(found.path.stage > 0)[0]:
        changed = values.copy()
        spot = (row, *(int(rng.integers(n)) for n in values.shape[1:]))
        changed[spot] += 1e-3 * max(1e-3, float(np.abs(values).max()))
        assert not dataclasses.replace(found, path=found.path._replace(**{name: changed})).verify(), spot


def test_the_proof_notices_a_changed_answer_and_another_question():
    found = random_case(3, random_convex, preload=1.0).share("brittle")
    assert found.verify()
    for changes in (
        {"peak": 1.001 * found.peak},
        {"first_failure": 0.999 * found.first_failure},
        {"load": np.asarray(found.load) + [0, 0, 0.05, 0, 0, 0]},
        {"stiffness": 1.01 * np.asarray(found.stiffness)},
    ):
        assert not dataclasses.replace(found, **changes).verify(), changes.keys()


def test_flow_of_a_contact_that_is_not_at_its_limit_is_found_out():
    """Sideways, where the spring has no stiffness: no force shows it."""
    springs = Springs()
    at = springs.add((0, 0, 0), volume=box_volume(1e5), rule="ductile")
    springs.add((0, 0, 0), (0, 0, -1))
    found = springs.guide_along(2).share(pull(-10.0), until=1.0)
    flowed = found.path.flowed.copy()
    flowed[-1, at, 0] += 1e-3
    assert not dataclasses.replace(found, path=found.path._replace(flowed=flowed)).verify()
