from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

import holdfast as hf
from holdfast.errors import InputError
from tests.nightly import nightly_after
from tests.referee import (
    _extreme_factor,
    assert_forces_hold,
    block,
    dented_unit,
    proven_bound,
    pyramid,
    random_case,
    random_rotation,
    refutes,
)

seeds = st.integers(0, 5_000)
few = settings(max_examples=25)
NO_LIMITS = np.zeros((1, 3))
PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])  # away from the surface: the contact must pull back


METHOD: list[hf.solvers.Reference | None] = [None]


@pytest.fixture(params=["default", "reference"], scope="module", autouse=True)
def _method(request):
    """Everything here is asked twice: of the method that is used unless told otherwise, and of the referee."""
    METHOD[0] = hf.solvers.Reference() if request.param == "reference" else None
    yield
    METHOD[0] = None


def equilibrium(assembly, wrench, *, method=None) -> hf.statics.Equilibrium:
    return hf.equilibrium(assembly, wrench, method=method or METHOD[0])


def load_limit(assembly, direction, *, method=None) -> hf.statics.LoadLimit:
    return hf.load_limit(assembly, direction, method=method or METHOD[0])


def one_volume(limit: hf.statics.LoadLimit) -> float:
    """How many times the load goes into the largest force there is: what limits near zero are compared with."""
    largest = max(np.abs(p).max() for c in limit.assembly.contacts for p in c.volume.pieces)
    return float((largest or 1.0) / np.abs(limit.direction[:3]).max(initial=1e-300))


def checked(answer):
    """The answer, after its forces or its proof were checked by the referee and by itself."""
    assert answer.verify()
    if isinstance(answer, hf.statics.Equilibrium):
        if answer.holds:
            assert_forces_hold(answer.assembly, answer.wrench, answer.forces, answer.pieces)
            assert answer.residual <= 1e-9
        else:
            assert refutes(answer)
    elif answer.status == "optimal":
        assert_forces_hold(answer.assembly, answer.value * answer.direction, answer.forces, answer.pieces)
        size = max(abs(answer.value), 1e-3 * one_volume(answer))
        assert proven_bound(answer) <= answer.upper_bound + 1e-8 * size
        assert answer.upper_bound - answer.value <= 1.01e-6 * size
    elif answer.status == "does not hold":
        assert proven_bound(answer) == -np.inf
    return answer


def single(volume: hf.ForceVolume, position=(0, 0, 0), rotation=None) -> hf.Assembly:
    return hf.Assembly([hf.Contact(position, np.eye(3) if rotation is None else rotation, volume)])


# -- a block on three Coulomb points ----------------------------------------------------------------

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
CAP, MU = 1000.0, 0.5


def block_on_three_points(volume: hf.ForceVolume | None = None) -> hf.Assembly:
    coulomb = hf.ForceVolume([pyramid(MU, CAP)]) if volume is None else volume
    return hf.Assembly([hf.Contact(x, np.eye(3), coulomb) for x in TRIANGLE])


@pytest.mark.parametrize("mass", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_cones_have_no_favourite_weight(mass):
    cone = hf.ForceVolume([NO_LIMITS], [pyramid(MU, 1.0)[1:]])
    inside = hf.loads.gravity_wrench(mass, com=(0.3, 0.3, 0.5))
    outside = hf.loads.gravity_wrench(mass, com=(0.51, 0.51, 0.5))
    assert checked(equilibrium(block_on_three_points(cone), inside)).holds
    assert not checked(equilibrium(block_on_three_points(cone), outside)).holds
    assert load_limit(block_on_three_points(cone), inside).status == "unbounded"


@pytest.mark.parametrize("strength", [1e-11, 1e-9, 1e-6, 1.0, 1e6, 1e10])
def test_the_gap_between_two_cones_is_a_gap_at_every_strength(strength):
    """Membership is relative to the force, not to a newton."""
    left = [[-1, 0.1, -0.2], [-1, -0.1, -0.2], [-1, 0, 0.2]]
    right = [[1, 0.1, -0.2], [1, -0.1, -0.2], [1, 0, 0.2]]
    unit = single(hf.ForceVolume([NO_LIMITS, NO_LIMITS], [left, right]))
    straight = np.array([0, 0, strength, 0, 0, 0])
    slanted = np.array([-strength, 0, 0.1 * strength, 0, 0, 0])
    assert not checked(equilibrium(unit, straight)).holds
    assert checked(equilibrium(unit, slanted)).holds


# -- units that pull only while they shear ----------------------------------------------------------


def test_a_unit_pulled_straight_off_lets_go_though_its_hull_would_hold():
    unit = dented_unit(shear=20, pull=5)
    hull = hf.ForceVolume([unit.hull().extreme])
    answer = checked(equilibrium(single(unit), 2.0 * PULL_OFF))
    assert answer.status == "does not hold"
    assert refutes(answer, exact=True)
    assert len(answer.certificate.leaves) == 2  # no single motion tells both pieces off
    assert checked(equilibrium(single(hull), 2.0 * PULL_OFF)).holds
    assert checked(load_limit(single(unit), PULL_OFF)).value == pytest.approx(0.0, abs=1e-9)
    assert checked(load_limit(single(hull), PULL_OFF)).value == pytest.approx(5.0)


def test_a_unit_pulled_at_twelve_degrees_holds():
    angle = np.radians(12.0)
    load = np.array([-np.cos(angle), 0, np.sin(angle), 0, 0, 0])
    unit = single(dented_unit(shear=20, pull=5))
    assert checked(equilibrium(unit, 15.0 * load)).holds
    assert checked(load_limit(unit, load)).value == pytest.approx(20.0 / np.cos(angle), rel=1e-6)
    steep = np.radians(15.0)  # beyond arctan(5 / 20) = 14.04 degrees
    assert not checked(equilibrium(unit, np.array([-np.cos(steep), 0, np.sin(steep), 0, 0, 0]))).holds


def test_the_forces_of_a_single_contact_are_the_load_reversed():
    answer = equilibrium(single(dented_unit(), position=(1, 2, 3)), [10, 1, 1, 2 * 1 - 3 * 1, 3 * 10 - 1 * 1, 1 - 20])
    np.testing.assert_allclose(answer.forces, [[-10, -1, -1]], atol=1e-9)
    np.testing.assert_array_equal(answer.pieces, [1])


@pytest.mark.parametrize("apart", [0.0, 0.05])
def test_two_opposed_units_hold_a_straight_pull(apart):
    one_way = hf.ForceVolume([dented_unit(shear=20, pull=5).pieces[0]])
    back = hf.rotation_about([0, 0, 1], np.pi)
    opposed = hf.Assembly([hf.Contact([-apart, 0, 0], np.eye(3), one_way), hf.Contact([apart, 0, 0], back, one_way)])
    same_way = hf.Assembly(
        [hf.Contact([-apart, 0, 0], np.eye(3), one_way), hf.Contact([apart, 0, 0], np.eye(3), one_way)]
    )
    assert checked(load_limit(opposed, PULL_OFF)).value == pytest.approx(10.0, rel=1e-6)
    assert checked(load_limit(same_way, PULL_OFF)).value == pytest.approx(0.0, abs=1e-9)
    assert checked(equilibrium(opposed, 9.999 * PULL_OFF)).holds
    assert not checked(equilibrium(opposed, 10.001 * PULL_OFF)).holds


# -- joints -----------------------------------------------------------------------------------------


def test_a_passive_joint_carries_nothing_along_its_freedom():
    strong = hf.ForceVolume([block([-100] * 3, [100] * 3)])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), strong)], hf.JointRows([[1.0, 0, 0]], [0.0], [0.0]))
    assert checked(load_limit(finger, [1, 0, 0, 0, 0, 0])).value == pytest.approx(0.0, abs=1e-9)
    assert checked(load_limit(finger, [0, 0, 1, 0, 0, 0])).value == pytest.approx(100.0)


def test_one_sided_rows_let_loads_grow_only_their_way():
    cone = hf.ForceVolume([NO_LIMITS], [np.concatenate([np.eye(3), -np.eye(3)])])  # holds everything
    rows = hf.JointRows([[1.0, 0, 0]], [-np.inf], [2.0])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)], rows)
    assert load_limit(finger, [1, 0, 0, 0, 0, 0]).status == "unbounded"
    assert load_limit(finger, [1, 0, 0, 0, 0, 0]).verify()
    assert checked(load_limit(finger, [-1, 0, 0, 0, 0, 0])).value == pytest.approx(2.0)


# -- the interval of scales -------------------------------------------------------------------------


def held_scales(assembly: hf.Assembly, direction: np.ndarray) -> list[tuple[float, float]]:
    """(least, largest) scale of every choice of one piece a contact that holds any, by the referee."""
    choices = itertools.product(*(range(len(c.volume.pieces)) for c in assembly.contacts))
    ends = [[_extreme_factor(assembly, direction, choice, sign) for sign in (-1.0, 1.0)] for choice in choices]
    return [(low, high) for low, high in ends if low is not None and high is not None]


def with_a_preload(assembly: hf.Assembly, rng: np.random.Generator) -> hf.Assembly:
    """The assembly with a joint row that asks for a torque: its bounds lie on one side of zero."""
    jacobian = rng.normal(size=(2, 3 * len(assembly))) * 0.1
    low = rng.uniform(0.02, 0.3)
    return hf.Assembly(assembly.contacts, hf.JointRows(jacobian, [low, -1.0], [low + rng.uniform(0.1, 1.0), np.inf]))


def test_the_interval_of_scales_is_that_of_all_choices_of_pieces():
    """Against brute force, with joint rows whose bounds exclude zero, so that zero need not hold."""
    kinds = {"excludes zero": 0, "negative": 0, "nothing": 0, "around zero": 0}
    for seed in range(70):
        case = random_case(seed, most_choices=8)
        direction = case.direction if seed % 2 else -case.direction
        assembly = with_a_preload(case.assembly, np.random.default_rng(seed)) if seed % 3 else case.assembly
        found = held_scales(assembly, direction)
        interval = load_limit(assembly, direction).scale_interval
        if not found:
            kinds["nothing"] += 1
            assert np.isnan(interval).all(), seed
            continue
        ends = min(low for low, _ in found), max(high for _, high in found)
        assert interval == pytest.approx(ends, rel=3e-6, abs=1e-7), seed
        kinds["excludes zero"] += ends[0] > 1e-6
        kinds["negative"] += ends[1] < -1e-6
        kinds["around zero"] += ends[0] < -1e-6 and ends[1] > 1e-6
    assert min(kinds.values()) >= 2, kinds


def test_the_ends_of_the_interval_are_infinite_where_a_load_has_no_limit():
    free = hf.ForceVolume([NO_LIMITS], [np.concatenate([np.eye(3), -np.eye(3)])])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), free)], hf.JointRows([[1.0, 0, 0]], [2.0], [np.inf]))
    assert load_limit(finger, [-1, 0, 0, 0, 0, 0]).scale_interval == (pytest.approx(2.0), np.inf)
    assert load_limit(finger, [1, 0, 0, 0, 0, 0]).scale_interval == (-np.inf, pytest.approx(-2.0))
    anything = hf.Assembly(finger.contacts)
    assert load_limit(anything, [1, 0, 0, 0, 0, 0]).scale_interval == (-np.inf, np.inf)


def test_the_ends_of_a_union_hold_and_a_hole_between_them_does_not():
    parts = hf.ForceVolume([block([1, -1, -1], [2, 1, 1]), block([5, -1, -1], [6, 1, 1])])
    apart = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), parts)])
    towards = np.array([-1.0, 0, 0, 0, 0, 0])
    assert load_limit(apart, towards).scale_interval == pytest.approx((1.0, 6.0))
    held = [checked(equilibrium(apart, scale * towards)).holds for scale in (0.9, 1.0, 2.0, 3.5, 5.0, 6.0, 6.1)]
    assert held == [False, True, True, False, True, True, False]


def test_the_opposite_load_is_asked_of_the_same_method_and_only_once():
    asked = []

    class Recording(hf.solvers.Reference):
        def maximise(self, problem):
            asked.append(problem.load)
            return super().maximise(problem)

    limit = hf.load_limit(block_on_three_points(), [0, 0, -1, 0, 0, 0], method=Recording())
    assert len(asked) == 1
    assert limit.scale_interval == pytest.approx((0.0, CAP), abs=1e-6)
    assert limit.scale_interval[1] == limit.value and isinstance(limit.method, Recording)
    np.testing.assert_array_equal(asked[1], -asked[0])
    assert len(asked) == 2


# -- laws -------------------------------------------------------------------------------------------


def same_limit(a: hf.statics.LoadLimit, b: hf.statics.LoadLimit, factor: float = 1.0) -> None:
    assert a.status == b.status
    assert b.value == pytest.approx(a.value * factor, rel=3e-6, abs=1e-9 * factor * one_volume(a))


@few
@given(seeds, st.sampled_from([1e-6, 1e-3, 1e3, 1e6]))
def test_a_longer_load_is_held_fewer_times(seed, factor):
    case = random_case(seed, most_choices=8)
    base = load_limit(case.assembly, case.direction)
    same_limit(base, checked(load_limit(case.assembly, case.direction * factor)), 1 / factor)


@few
@given(seeds)
def test_one_more_contact_never_holds_less(seed):
    """A contact that may be idle and that loads no joint can only help."""
    case = random_case(seed, most_choices=8)
    rng = np.random.default_rng(seed)
    more = hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), hf.ForceVolume([pyramid(0.5, 5.0)]))
    j = case.assembly.joints
    joints = None if j is None else hf.JointRows(np.pad(j.jacobian, ((0, 0), (0, 3))), j.lower, j.upper)
    larger = hf.Assembly([*case.assembly.contacts, more], joints)
    before, after = load_limit(case.assembly, case.direction), checked(load_limit(larger, case.direction))
    if before.status == "unbounded":
        assert after.status == "unbounded"
    else:
        assert after.value >= before.value - 2e-6 * abs(before.value) - 1e-9


@few
@given(seeds, st.integers(2, 5))
def test_a_convex_contact_split_into_shares_holds_the_same(seed, parts):
    rng = np.random.default_rng(seed)
    volumes = [hf.ForceVolume([np.concatenate([NO_LIMITS, rng.normal(size=(8, 3)) * 5])]) for _ in range(3)]
    contacts = [hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), v) for v in volumes]
    shares = [
        hf.Contact(c.position, c.rotation, v)
        for c in contacts
        for v in [c.volume.scaled(1 / parts)]
        for _ in range(parts)
    ]
    force = np.concatenate([volumes[0].pieces[0].mean(axis=0), np.zeros(3)])
    direction = np.concatenate(
        [contacts[0].rotation @ force[:3], np.cross(contacts[0].position, contacts[0].rotation @ force[:3])]
    )
    same_limit(
        checked(load_limit(hf.Assembly(contacts), -direction)), checked(load_limit(hf.Assembly(shares), -direction))
    )


@few
@given(seeds)
def test_less_than_the_limit_holds_and_more_does_not(seed):
    case = random_case(seed, most_choices=8)
    limit = load_limit(case.assembly, case.direction)
    if limit.status == "optimal" and limit.value > 1e-3 and limit.problem.is_star_shaped:
        for share in (0.0, 0.3, 0.999, 1 - 1e-6):
            assert checked(equilibrium(case.assembly, share * limit.value * case.direction)).holds
        for share in (1 + 1e-5, 1.001, 3.0):
            assert not checked(equilibrium(case.assembly, share * limit.value * case.direction)).holds


# -- degenerate questions ---------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [2, 7, 20])
def test_the_same_contact_many_times_is_that_much_stronger(copies):
    unit = dented_unit(shear=20, pull=5)
    many = hf.Assembly([hf.Contact([0.1, 0.2, 0.3], np.eye(3), unit)] * copies)
    load = np.array([-1.0, 0, 0.2])
    direction = np.concatenate([load, np.cross([0.1, 0.2, 0.3], load)])
    limit = checked(load_limit(many, direction)) if copies < 12 else load_limit(many, direction)
    assert limit.verify()
    assert limit.value == pytest.approx(20.0 * copies, rel=1e-6)


def test_twenty_units_in_one_point_hold_twenty_pulls():
    unit = dented_unit(shear=20, pull=5)
    many = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), unit)] * 20)
    limit = load_limit(many, PULL_OFF)
    assert limit.verify()
    assert limit.value == pytest.approx(100.0, rel=1e-6)
    assert_forces_hold(many, limit.value * PULL_OFF, limit.forces, limit.pieces)


def test_no_load_is_held_by_idle_contacts_and_not_by_ones_that_must_push():
    assert checked(equilibrium(block_on_three_points(), np.zeros(6))).holds
    assert checked(equilibrium(single(dented_unit()), np.zeros(6))).holds
    pushes = single(hf.ForceVolume([block([-1, -1, 2], [1, 1, 3])]))
    assert not checked(equilibrium(pushes, np.zeros(6))).holds
    facing = hf.Assembly(
        [
            hf.Contact([0, 0, -1], np.eye(3), pushes.contacts[0].volume),
            hf.Contact([0, 0, 1], hf.rotation_about([1, 0, 0], np.pi), pushes.contacts[0].volume),
        ]
    )
    assert checked(equilibrium(facing, np.zeros(6))).holds


def test_flat_volumes_hold_in_their_plane_only():
    frictionless = hf.ForceVolume([[[0, 0, 0], [0, 0, 50]]], allow_flat=True)
    table = hf.Assembly([hf.Contact(x, np.eye(3), frictionless) for x in TRIANGLE])
    assert checked(equilibrium(table, hf.loads.gravity_wrench(3.0, com=(0.3, 0.3, 1)))).holds
    assert not checked(equilibrium(table, [1e-3, 0, -30, 0, 0, 0])).holds
    limit = checked(load_limit(table, [0, 0, -1, -0.25, 0.25, 0]))
    assert limit.value == pytest.approx(100.0)  # shares 0.5, 0.25, 0.25
    fixed = single(hf.ForceVolume([[[1.0, 2.0, 3.0]]], allow_flat=True))
    assert checked(equilibrium(fixed, [-1, -2, -3, 0, 0, 0])).holds
    assert not checked(equilibrium(fixed, [-1, -2, -3.001, 0, 0, 0])).holds
    assert checked(load_limit(fixed, [-0.5, -1, -1.5, 0, 0, 0])).value == pytest.approx(2.0)
    assert checked(load_limit(fixed, [-0.5, -1, -1.6, 0, 0, 0])).status == "does not hold"
    wedge = hf.ForceVolume(
        [[[0, 0, 0], [20, 0, -5], [20, 0, 0]], [[0, 0, 0], [-20, 0, -5], [-20, 0, 0]]], allow_flat=True
    )
    assert not checked(equilibrium(single(wedge), PULL_OFF)).holds
    assert checked(load_limit(single(wedge), [-4, 0, 1, 0, 0, 0])).value == pytest.approx(5.0)


def right_or_undecided(limit: hf.statics.LoadLimit, expected: float, ratio: float) -> None:
    """Up to a million the answer is found; beyond, rounding may leave it open, but never wrong."""
    if ratio > 1e6 and limit.status == "undecided":
        assert limit.value <= expected * (1 + 1e-5)
        assert limit.upper_bound >= expected * (1 - 1e-5)
    else:
        assert checked(limit).value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_volumes_of_very_different_sizes_keep_each_its_own_limit(ratio):
    """A strong contact that can press only, a weak one that pulls: the pull is the weak one's alone."""
    strong = hf.ForceVolume([pyramid(0.5, 10.0 * ratio)])
    weak = hf.ForceVolume([block([-1, -1, -2], [1, 1, 1])])
    both = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), strong), hf.Contact([0, 0, 0], np.eye(3), weak)])
    right_or_undecided(load_limit(both, PULL_OFF), 2.0, ratio)
    right_or_undecided(load_limit(both, -PULL_OFF), 10.0 * ratio + 1.0, ratio)
    assert checked(equilibrium(both, 1.99 * PULL_OFF)).holds
    assert not checked(equilibrium(both, 2.01 * PULL_OFF)).holds


@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_pieces_of_very_different_sizes_keep_each_its_own_limit(ratio):
    unit = dented_unit(shear=20, pull=5)
    mixed = single(hf.ForceVolume([unit.pieces[0], unit.pieces[1] * ratio]))
    for sign, strength in ((1, 1.0), (-1, ratio)):
        load = np.array([-sign, 0, 0.25, 0, 0, 0])
        right_or_undecided(load_limit(mixed, load), 20.0 * strength, ratio)
    if ratio <= 1e6:  # beyond, the dent is finer than the rounding of the large piece
        assert not checked(equilibrium(mixed, PULL_OFF)).holds


@pytest.mark.parametrize("load", [1e3, 1e6, 1e9, 1e12])
def test_a_huge_load_on_tiny_volumes_does_not_hold_and_is_proven(load):
    tiny = dented_unit().scaled(1e-6)
    assembly = hf.Assembly([hf.Contact(x, np.eye(3), tiny) for x in TRIANGLE])
    for direction in (PULL_OFF, -PULL_OFF, np.array([1.0, 2, 3, 0.4, 0.5, 0.6])):
        answer = checked(equilibrium(assembly, load * direction))
        assert answer.status == "does not hold"


@pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-9])
def test_a_tiny_load_on_huge_volumes_holds_with_forces_right_to_the_load(share):
    """Balance is judged against the load, however strong the contacts could be."""
    assembly = block_on_three_points(hf.ForceVolume([pyramid(0.5, 1e6)]))
    wrench = hf.loads.gravity_wrench(1e6, (0, 0, -1), (0.2, 0.3, 0.4)) * share
    answer = equilibrium(assembly, wrench)
    assert answer.holds
    assert answer.verify()
    np.testing.assert_allclose(answer.forces.sum(axis=0), -wrench[:3], atol=1e-8 * abs(wrench[2]))
    np.testing.assert_allclose(answer.forces[:, 2], np.array([0.5, 0.2, 0.3]) * -wrench[2], rtol=1e-6)


@pytest.mark.parametrize("strength", [1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12])
def test_the_length_of_the_load_vector_is_free(strength):
    limit = load_limit(block_on_three_points(), strength * hf.loads.gravity_wrench(1.0, (0, 0, -1), (0.2, 0.3, 0.4)))
    assert limit.status == "optimal"
    assert limit.verify()
    assert limit.value == pytest.approx(CAP / 0.5 / strength, rel=1e-6)


def test_contacts_in_one_point_far_from_the_origin_cannot_take_a_torque():
    far = hf.Assembly([hf.Contact([1000, 0, 0], np.eye(3), dented_unit())] * 3)
    assert not checked(equilibrium(far, [0, 0, 0, 0, 0, 1e-3])).holds
    assert checked(equilibrium(far, [0, 0, -10, 0, 10_000, 0])).holds


def test_contacts_a_micrometre_apart_take_a_torque_of_their_size():
    close = hf.Assembly([hf.Contact(x * 1e-6, np.eye(3), hf.ForceVolume([block([-5] * 3, [5] * 3)])) for x in TRIANGLE])
    limit = checked(load_limit(close, [0, 0, 0, 0, 0, 1e-6]))
    assert 1.0 < limit.value < 20.0


# -- results ----------------------------------------------------------------------------------------


def test_an_equilibrium_carries_its_question_its_forces_and_its_effort():
    assembly = block_on_three_points()
    wrench = hf.loads.gravity_wrench(1.0, com=(0.2, 0.2, 0.2))
    answer = equilibrium(assembly, wrench)
    assert answer.assembly is assembly
    np.testing.assert_array_equal(answer.wrench, wrench)
    assert answer.forces.shape == answer.local_forces.shape == (3, 3)
    assert answer.pieces.shape == (3,)
    assert answer.certificate is None
    assert answer.separating_wrenches.shape == (0, 6)
    assert answer.joint_multipliers.shape == (0, 0)
    assert answer.effort.programs >= 1
    assert answer.effort.nodes >= 1
    assert answer.effort.seconds >= 0.0
    assert "holds" in repr(answer)
    assert str(answer.status) == "holds"


def test_a_refusal_carries_a_motion_in_which_the_load_wins():
    answer = equilibrium(single(dented_unit()), 2.0 * PULL_OFF)
    assert answer.forces is None
    assert answer.pieces is None
    assert np.isnan(answer.residual)
    assert answer.separating_wrenches.shape == (2, 6)
    assert not answer.holds
    assert "does not hold" in repr(answer)


def test_world_forces_are_the_local_ones_turned():
    rng = np.random.default_rng(0)
    turn = random_rotation(rng)
    answer = equilibrium(single(hf.ForceVolume([block([-9] * 3, [9] * 3)]), rotation=turn), [1, 2, 3, 0, 0, 0])
    np.testing.assert_allclose(answer.forces[0], turn @ answer.local_forces[0])
    np.testing.assert_allclose(answer.forces, [[-1, -2, -3]], atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_forces_that_miss_the_load_by_a_thousandth_fail_verification_however_large_the_volumes(size):
    assembly = single(hf.ForceVolume([block([-size] * 3, [size] * 3)]))
    answer = equilibrium(assembly, [0, 0, -1e-3, 0, 0, 0])
    assert answer.verify()
    forged = hf.statics.Equilibrium(assembly, _with(answer.solution, forces=answer.local_forces * 1.001), answer.wrench)
    assert not forged.verify()


def test_a_bound_below_the_truth_fails_verification_in_every_unit():
    for strength in (1e-9, 1.0, 1e9):
        limit = load_limit(block_on_three_points(), strength * hf.loads.gravity_wrench(1.0, com=(0.2, 0.2, 0.2)))
        assert limit.verify()
        certificate = type(limit.certificate)(limit.upper_bound * 0.5, limit.certificate.leaves)
        forged = hf.statics.LoadLimit(limit.assembly, _with(limit.solution, certificate=certificate), limit.direction)
        assert not forged.verify()


def test_a_growth_that_leaves_its_cone_fails_verification():
    cone = hf.ForceVolume([NO_LIMITS], [pyramid(MU, 1.0)[1:]])
    limit = load_limit(block_on_three_points(cone), hf.loads.gravity_wrench(1.0, com=(0.3, 0.3, 0.5)))
    assert limit.verify()
    sideways = limit.solution.growth + np.array([[20.0, 0, 0], [-20.0, 0, 0], [0, 0, 0]])
    forged = hf.statics.LoadLimit(limit.assembly, _with(limit.solution, growth=sideways), limit.direction)
    assert not forged.verify()
    lacking = hf.statics.LoadLimit(
        limit.assembly, _with(limit.solution, growth=limit.solution.growth * 0.9), limit.direction
    )
    assert not lacking.verify()


def _with(solution, **changes):
    import dataclasses

    return dataclasses.replace(solution, **changes)


# -- limits of effort -------------------------------------------------------------------------------


def hard_assembly(units: int = 9) -> hf.Assembly:
    """An odd number of dented units: between even part and hull only a search decides."""
    unit = dented_unit(shear=20, pull=5)
    rng = np.random.default_rng(0)
    return hf.Assembly([hf.Contact(rng.normal(size=3) * 1e-3, np.eye(3), unit) for _ in range(units)])


@pytest.mark.parametrize("options", [{"node_limit": 1}, {"time_limit": 1e-9}, {"node_limit": 2, "combinations": 0}])
def test_a_tiny_limit_of_effort_says_undecided_and_never_guesses(options):
    method = hf.solvers.Reference(**options)
    answer = equilibrium(hard_assembly(), 42.5 * PULL_OFF, method=method)
    assert answer.status == "undecided"
    assert not answer.holds
    assert not answer.verify()
    assert answer.certificate is None
    limit = load_limit(hard_assembly(), PULL_OFF, method=method)
    assert limit.status == "undecided"
    assert not limit.verify()
    assert limit.upper_bound >= 40.0 - 1e-4
    assert limit.value <= 40.0 + 1e-4
    assert limit.gap > 0.0
    if limit.forces is None:
        assert limit.value == -np.inf
        assert limit.gap == np.inf
    else:
        assert_forces_hold(limit.assembly, limit.value * PULL_OFF, limit.forces, limit.pieces)


@pytest.mark.parametrize(
    "options",
    [
        {"gap": 0.0},
        {"gap": 1.0},
        {"gap": np.nan},
        {"combinations": -1},
        {"node_limit": 0},
        {"node_limit": 1.5},
        {"time_limit": 0.0},
        {"time_limit": np.nan},
    ],
)
def test_impossible_limits_of_effort_are_input_errors(options):
    with pytest.raises(InputError):
        hf.solvers.Reference(**options)


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrench", [[1, 2, 3], np.full(6, np.nan), [0, 0, np.inf, 0, 0, 0], "down", np.zeros((6, 1)), None]
)
@pytest.mark.parametrize("ask", [hf.equilibrium, hf.load_limit])
def test_a_bad_wrench_is_an_input_error(ask, wrench):
    with pytest.raises(InputError) as caught:
        ask(block_on_three_points(), wrench)
    assert caught.value.where.split("[")[0] in ("wrench", "direction")
    assert caught.value.fix


def test_a_load_limit_along_nothing_is_an_input_error():
    with pytest.raises(InputError, match="zero"):
        load_limit(block_on_three_points(), np.zeros(6))


@pytest.mark.parametrize("ask", [hf.equilibrium, hf.load_limit])
def test_an_assembly_is_asked_for_by_type(ask):
    with pytest.raises(InputError, match="is a list") as caught:
        ask(list(block_on_three_points().contacts), PULL_OFF)
    assert caught.value.where == "assembly"


# -- one real unit: the dent decides ------------------------------------------------------------------


def above_its_load(volume: hf.ForceVolume) -> hf.Assembly:
    """One contact on top of the object, at the origin, its shear direction along x."""
    return hf.Assembly([hf.Contact(np.zeros(3), np.diag([1.0, -1.0, -1.0]), volume)])


def pulled(newtons: float, degrees: float) -> np.ndarray:
    """An external force against the spines, at an angle from the surface; 90 degrees is straight off."""
    angle = np.radians(degrees)
    return newtons * np.array([-np.cos(angle), 0.0, -np.sin(angle), 0.0, 0.0, 0.0])


def test_a_microspine_unit_pulled_straight_off_fails_although_its_hull_holds() -> None:
    unit = hf.models.microspine()
    hull = hf.ForceVolume([unit.hull().extreme])
    load = pulled(0.3, 90.0)
    assert hf.equilibrium(above_its_load(hull), load).holds
    answer = hf.equilibrium(above_its_load(unit), load)
    assert answer.status == "does not hold" and answer.verify()


def test_the_same_unit_pulled_at_twelve_degrees_holds_what_the_formula_says() -> None:
    assembly = above_its_load(hf.models.microspine())
    formula = float(hf.models.microspine_force(np.radians(12.0), 0.0))  # 20.1 N
    assert hf.equilibrium(assembly, pulled(0.9 * formula, 12.0)).holds
    assert not hf.equilibrium(assembly, pulled(1.0001 * formula, 12.0)).holds  # inner: nothing invented
    outer = above_its_load(hf.models.microspine(side="outer"))
    assert hf.equilibrium(outer, pulled(0.9999 * formula, 12.0)).holds  # outer: nothing lost


def cones_in_one_point(number: int, apart: int) -> tuple[hf.Assembly, np.ndarray, bool]:
    """Two to six Coulomb cones in one point, a load, and whether any multiple of it holds (else none does).

    The places differ by up to `apart` roundings, as those of contacts that were computed in different ways do.
    """
    rng = np.random.default_rng([7, number])
    cone = hf.models.coulomb(float(rng.choice([0.2, 0.5, 1.0])))
    point = rng.normal(size=3) * (number % 2)
    rounding = np.spacing(np.abs(point).max()) * (number % 2)
    contacts = [
        hf.Contact(point + rounding * rng.integers(-apart, apart + 1, 3), random_rotation(rng), cone)
        for _ in range(rng.integers(2, 7))
    ]
    force, torque = rng.normal(size=3), np.zeros(3)
    if rng.random() < 0.7:
        force, torque = force * rng.choice([0.0, 1.0]), rng.normal(size=3) * np.eye(3)[rng.integers(3)]
    rays = np.concatenate([cone.rays[0] @ contact.rotation.T for contact in contacts])
    _, missing = nnls(rays.T, -force, maxiter=1000)
    holds = not torque.any() and bool(missing <= 1e-9)
    return hf.Assembly(contacts), np.concatenate([force, torque + np.cross(point, force)]), holds


@pytest.mark.parametrize("apart", [0, 2])
@pytest.mark.parametrize("numbers", nightly_after(1, [range(60), range(60, 1500)]), ids=["some", "many"])
def test_cones_in_one_point_hold_a_load_through_it_and_no_other(numbers: range, apart: int) -> None:
    outcomes = set()
    for number in numbers:
        assembly, load, holds = cones_in_one_point(number, apart)
        limit, test = hf.load_limit(assembly, load), hf.equilibrium(assembly, load)
        assert limit.status == ("unbounded" if holds else "optimal"), number
        assert limit.value == (np.inf if holds else 0.0), number
        assert test.status == ("holds" if holds else "does not hold"), number
        assert limit.verify() and test.verify(), number
        many = hf.Solver(assembly).load_limit_many([load])
        assert (many.status[0], many.values[0]) == (limit.status, limit.value), number
        outcomes.add(holds)
    assert outcomes == {True, False}


@pytest.mark.parametrize("question", [equilibrium, load_limit])
def test_what_was_asked_about_is_deleted_with_its_answer(question) -> None:
    assembly = random_case(1).assembly
    answer = question(assembly, PULL_OFF)
    gone = [weakref.ref(one) for one in (answer, assembly, assembly.contacts[0].volume)]
    del answer, assembly
    gc.collect()
    assert [one() for one in gone] == [None] * len(gone)
