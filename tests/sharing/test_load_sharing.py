"""What a result of load sharing keeps, what it refuses, and what its proof notices."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.sharing import SharingStatus, kernels
from tests.sharing.referee import box_volume, random_case, random_convex, random_union

Status = hf.sharing.SharingStatus


def cups(**changes: Any) -> hf.Assembly:
    """4 x 3 suction cups."""
    cup = hf.models.suction(45.0, 0.5, cap=200.0)
    return hf.Assembly(
        [
            hf.Contact([x, y, 0.0], np.eye(3), cup, f"cup {i}", **changes)
            for i, (x, y) in enumerate((x, y) for x in (-0.15, -0.05, 0.05, 0.15) for y in (-0.1, 0.0, 0.1))
        ]
    )


PULL = np.array([0.0, 0.0, 1.0, 0.0, -0.06, 0.0])
PAIR = (8000.0, 2400.0)


# -- results -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["brittle", "ductile", "slip"])
def answer(request):
    return hf.load_sharing(cups(), PULL, PAIR, preload=0.0, base=[1.0, 0, 0, 0, 0, 0], rule=request.param)


def test_the_events_are_in_order_and_failures_are_among_them(answer):
    stages = ("preload", "base", "load")
    order = [(stages.index(e.stage), e.share) for e in answer.events]
    assert order == sorted(order)
    assert set(answer.failures) <= set(answer.events) and answer.failures
    assert answer.failures[0].factor == answer.first_failure
    assert all(e.factor <= answer.peak * (1.0 + 1e-12) for e in answer.events)
    assert {e.kind for e in answer.failures} <= {"fails", "slips", "yields", "joint slips"}
    named = answer.failures[0]
    assert named.name == f"cup {named.contact}"


def test_forces_are_affine_between_events_and_vectorised(answer):
    cuts = np.unique([0.0, *answer.path.share[answer.path.stage == kernels.LOAD], answer.peak])
    for low, high in itertools.pairwise(cuts):
        if high - low < 1e-6 * answer.peak:
            continue
        shares = np.array([0.01, 0.25, 0.5, 0.75, 0.99])
        factors = low + shares * (high - low)
        forces = answer.forces(factors)
        assert forces.shape == (5, 12, 3)
        assert forces[2] == pytest.approx(answer.forces(float(factors[2])), abs=1e-12)
        chord = forces[0] + ((shares - 0.01) / 0.98)[:, None, None] * (forces[-1] - forces[0])
        assert forces == pytest.approx(chord, abs=1e-7)
    inside = np.linspace(0.0, 0.999 * answer.peak, 7)
    assert answer.displacement(inside).shape == (7, 6) and answer.displacement(0.5).shape == (6,)


def test_forces_balance_the_load_and_lie_in_their_volumes_at_every_factor(answer):
    factors = np.linspace(0.0, 0.999 * answer.peak, 23)
    forces = answer.forces(factors)
    wrenches = np.array([1.0, 0, 0, 0, 0, 0]) + factors[:, None] * PULL
    matrix = cups().wrench_matrix
    assert forces.reshape(23, -1) @ matrix.T == pytest.approx(-wrenches, abs=1e-7)
    assert cups().contacts[0].volume.contains(forces, 1e-8).all()


def test_forces_are_given_in_both_frames_and_not_beyond_the_peak(answer):
    case = random_case(5, random_convex)
    found = case.share()
    factors = np.array([0.2, 0.8]) * found.first_failure
    for world, local in zip(found.forces(factors), found.forces(factors, frame="contact"), strict=True):
        for contact, f, g in zip(case.assembly.contacts, world, local, strict=True):
            assert contact.rotation @ g == pytest.approx(f, abs=1e-12)
    assert np.isnan(answer.forces(1.01 * answer.peak)).all()
    assert np.isfinite(answer.forces(answer.peak)).all()
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="factor"):
            answer.forces(wrong)
    with pytest.raises(InputError, match="frame"):
        answer.forces(0.5, frame="body")


def test_the_order_of_failure_is_that_of_the_list(answer):
    first = {event.contact: event for event in reversed(answer.failures)}
    for i, place in enumerate(answer.order):
        assert (place > 0) == (i in first)
    ranked = sorted(first, key=lambda i: answer.order[i])
    assert [first[i].factor for i in ranked] == sorted(first[i].factor for i in first)
    assert answer.order[answer.failures[0].contact] == 1


def test_the_bracket_is_one_line(answer):
    assert answer.bracket.startswith(
        f"first failure {answer.first_failure:.4g} <= peak {answer.peak:.4g} <= load limit"
    )
    assert "\n" not in answer.bracket


def test_forces_do_not_jump_where_nothing_breaks():
    """Ductile and slipping contacts: forces are continuous over the whole path."""
    for rule in ("ductile", "slip"):
        found = hf.load_sharing(cups(), PULL, PAIR, rule=rule)
        for event in found.events:
            if 0.0 < event.factor < found.peak:
                step = 1e-7 * found.peak
                before, after = found.forces(event.factor - step), found.forces(event.factor + step)
                assert np.abs(after - before).max() <= 1e-4


@pytest.mark.parametrize("rule", ["brittle", "ductile"])
def test_forces_and_displacements_obey_the_law_of_the_springs(rule):
    """f = f0 - K u with u from the displacement, before the first failure."""
    case = random_case(11, random_convex, preload=1.0, base=0.5)
    found = case.share(rule)
    factor = 0.7 * found.first_failure
    motion = found.displacement(factor)
    point = np.asarray(getattr(found, "point", np.zeros(3)))
    for contact, stiffness, preload, force in zip(
        case.assembly.contacts, case.stiffness, case.preload, found.forces(factor), strict=True
    ):
        moved = motion[:3] + np.cross(motion[3:], contact.position - point)
        expected = preload - stiffness @ (contact.rotation.T @ moved)
        assert contact.rotation.T @ force == pytest.approx(expected, abs=1e-8)


def plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(entry) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return all(plain(entry) for entry in value)
    return value is None or isinstance(value, (str, bool, int, float, np.ndarray))


def test_a_result_is_plain_data(answer):
    data = answer.to_dict()
    assert plain(data)
    json.dumps(data, default=np.ndarray.tolist)
    assert data["status"] == answer.status.value
    assert data["first_failure"] == answer.first_failure and data["peak"] == answer.peak
    assert repr(answer).startswith("LoadSharing(")
    assert "LoadSharing" in answer._repr_html_()


def test_the_bracket_holds_on_the_suction_array(answer):
    limit = hf.load_ramp(cups(), [1.0, 0, 0, 0, 0, 0], PULL)
    assert answer.first_failure <= answer.peak <= limit.upper_bound * (1.0 + 1e-9)
    assert answer.efficiency == pytest.approx(answer.peak / limit.value, rel=1e-6)


@pytest.mark.parametrize("name", ["force", "x", "share"])
def test_the_proof_notices_a_changed_path(answer, name):
    """One number of any segment from the base load on, changed by a thousandth of the largest."""
    assert answer.verify()
    values = getattr(answer.path, name)
    rng = np.random.default_rng(3)
    for row in np.nonzero(answer.path.stage > 0)[0]:
        changed = values.copy()
        spot = (row, *(int(rng.integers(n)) for n in values.shape[1:]))
        changed[spot] += 1e-3 * max(1e-3, float(np.abs(values).max()))
        path = answer.path._replace(**{name: changed})
        assert not dataclasses.replace(answer, path=path).verify(), spot


def test_a_path_stops_where_it_was_asked_to():
    found = hf.load_sharing(cups(), PULL, PAIR, until=10.0)
    assert found.status is Status.HOLDS_THROUGHOUT and found.first_failure == np.inf and found.verify()
    assert found.peak >= 10.0 and not found.failures
    later = hf.load_sharing(cups(), PULL, PAIR)
    assert found.forces(7.0) == pytest.approx(later.forces(7.0), abs=1e-10)


def test_a_load_without_limit_is_said_to_have_none():
    feet = hf.Assembly(
        [hf.Contact([x, y, 0.0], np.eye(3), hf.models.coulomb(0.5)) for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))]
    )
    for rule in ("brittle", "slip", "ductile"):
        found = hf.load_sharing(feet, [0, 0, -1, 0, 0, 0], (1000.0, 300.0), rule=rule)
        assert found.status is Status.UNLIMITED and found.peak == np.inf and found.first_failure == np.inf
        assert found.verify()
        assert found.forces(5000.0)[:, 2].sum() == pytest.approx(5000.0, rel=1e-9)


def test_all_ways_to_give_the_stiffness_are_the_same():
    assembly = cups()
    matrices = np.tile(np.diag([2400.0, 2400.0, 8000.0]), (12, 1, 1))
    peaks = [hf.load_sharing(assembly, PULL, k).peak for k in (PAIR, [PAIR] * 12, matrices)]
    assert peaks[0] == peaks[1] == peaks[2]
    rules = [hf.load_sharing(assembly, PULL, PAIR, rule=r).peak for r in ("ductile", ["ductile"] * 12)]
    assert rules[0] == rules[1]


# -- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stiffness",
    [
        (-1.0, 100.0),
        (100.0, -1.0),
        (np.nan, 1.0),
        (np.inf, 1.0),
        (1.0, 2.0, 3.0),
        5.0,
        "soft",
        [PAIR] * 11,
        np.zeros((12, 2, 2)),
        np.tile(np.diag([1.0, 1.0, -1.0]), (12, 1, 1)),
        np.tile(np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), (12, 1, 1)),
        np.tile(np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), (12, 1, 1)),
    ],
    ids=[
        "negative normal",
        "negative tangential",
        "nan",
        "infinite",
        "three numbers",
        "one number",
        "a word",
        "one too few",
        "not 3x3",
        "negative eigenvalue",
        "not symmetric",
        "not semidefinite",
    ],
)
def test_bad_stiffness_is_refused_and_named(stiffness):
    with pytest.raises(InputError, match="stiffness"):
        hf.load_sharing(cups(), PULL, stiffness)


def test_the_contact_with_the_bad_matrix_is_named():
    matrices = np.tile(np.diag([2400.0, 2400.0, 8000.0]), (12, 1, 1))
    matrices[7, 0, 1] = 100.0
    with pytest.raises(InputError, match=r"stiffness\[7\].*symmetric|stiffness\[7\]"):
        hf.load_sharing(cups(), PULL, matrices)


def test_a_mechanism_is_refused_and_its_free_motion_is_named():
    """Two contacts on the x axis: nothing resists the rotation about it."""
    two = hf.Assembly([hf.Contact([x, 0.0, 0.0], np.eye(3), box_volume(50.0)) for x in (-0.1, 0.1)])
    with pytest.raises(InputError, match=r"mechanism: a turn about the line .* along \(-?1, 0, 0\)"):
        hf.load_sharing(two, [0, 0, 1, 0.01, 0, 0], PAIR)
    assert hf.load_sharing(two, [0, 0, 1, 0, 0, 0], PAIR).peak == pytest.approx(100.0)  # nothing drives it


def test_contacts_without_tangential_stiffness_are_free_to_slide():
    with pytest.raises(InputError, match=r"mechanism: a shift along \(-?1, 0, 0\)"):
        hf.load_sharing(cups(), PULL + [0.1, 0, 0, 0, 0, 0], (8000.0, 0.0))


@pytest.mark.parametrize("preload", [300.0, -50.0, np.full((12, 3), 40.0), np.nan, np.zeros((11, 3)), [1.0, 2.0]])
def test_a_preload_outside_its_volume_or_of_a_wrong_shape_is_refused(preload):
    with pytest.raises(InputError, match="preload"):
        hf.load_sharing(cups(), PULL, PAIR, preload=preload)


def test_slip_is_refused_for_unions():
    case = random_case(1, random_union)
    with pytest.raises(InputError, match="rule|slip"):
        case.share("slip")


@pytest.mark.parametrize("rule", ["plastic", ["brittle"] * 11, 3, ["brittle"] * 11 + ["elastic"]])
def test_a_bad_rule_is_refused(rule):
    with pytest.raises(InputError, match="rule"):
        hf.load_sharing(cups(), PULL, PAIR, rule=rule)


@pytest.mark.parametrize("load", [np.zeros(6), [0, 0, 1], [0, 0, np.nan, 0, 0, 0], [0, 0, np.inf, 0, 0, 0]])
def test_a_bad_load_is_refused(load):
    with pytest.raises(InputError, match="load"):
        hf.load_sharing(cups(), load, PAIR)


def test_other_bad_arguments_are_refused():
    with pytest.raises(InputError, match="base"):
        hf.load_sharing(cups(), PULL, PAIR, base=[0, 0, np.nan, 0, 0, 0])
    with pytest.raises(InputError, match="units"):
        hf.load_sharing(cups(), PULL, PAIR, units="apart")
    with pytest.raises(InputError, match="until"):
        hf.load_sharing(cups(), PULL, PAIR, until=-1.0)
    with pytest.raises(InputError, match="until"):
        hf.load_sharing(cups(), PULL, PAIR, until=np.nan)
    with pytest.raises(InputError, match="assembly"):
        hf.load_sharing("cups", PULL, PAIR)


@pytest.mark.parametrize(
    "options",
    [{"stiffness": [-1.0]}, {"servo": [-1.0]}, {"servo": [np.nan]}, {"stiffness": [np.inf]}, {"stiffness": [1.0, 2.0]}],
)
def test_bad_springs_of_joints_are_refused(options):
    with pytest.raises(InputError, match="stiffness|servo"):
        hf.JointRows(np.ones((1, 36)), [-1.0], [1.0], **options)


def test_a_driven_joint_with_nothing_to_push_is_named():
    def with_row(torque: float) -> hf.Assembly:
        return hf.Assembly(cups().contacts, hf.JointRows(np.zeros((1, 36)), [torque], [torque], ("idle",)))

    with pytest.raises(InputError, match="joint.*idle|idle.*joint"):
        hf.load_sharing(with_row(5.0), PULL, PAIR)
    without = hf.load_sharing(with_row(0.0), PULL, PAIR)  # a free joint that moves nothing is no harm
    assert without.peak == pytest.approx(hf.load_sharing(cups(), PULL, PAIR).peak, rel=1e-12)


def test_unequal_jaws_that_push_the_object_away_are_refused():
    """Two slides press from both sides, with 20 N and with 30 N: nothing balances the difference."""
    contacts = [
        hf.Contact([side * 0.03, y, z], hf.frame_from_normal([-side, 0, 0], [0, 0, 1]), box_volume(500.0))
        for side in (-1.0, 1.0)
        for y in (-0.01, 0.01)
        for z in (-0.01, 0.01)
    ]
    jacobian = np.zeros((2, 24))
    jacobian[0, [0, 3, 6, 9]], jacobian[1, [12, 15, 18, 21]] = 1.0, -1.0

    def jaws(left: float, right: float) -> hf.Assembly:
        return hf.Assembly(contacts, hf.JointRows(jacobian, [left, right], [left, right], ("left", "right")))

    with pytest.raises(InputError, match=r"shift along \(-?1, 0, 0\)"):
        hf.load_sharing(jaws(20.0, 30.0), [0, 0, -1, 0, 0, 0], PAIR)
    balanced = hf.load_sharing(jaws(20.0, 20.0), [0, 0, -1, 0, 0, 0], PAIR)
    assert balanced.verify() and balanced.peak == pytest.approx(8 * 500.0, rel=1e-9)


def test_a_rigid_locked_joint_never_moves_while_contacts_slip():
    """Random squeezed slip paths with two locked joints: the joints stay, and the path is proven with that check."""
    for seed in range(40):
        rng = np.random.default_rng(7000 + seed)
        k = int(rng.integers(4, 8))
        contacts = []
        for _ in range(k):
            normal = rng.normal(size=3)
            normal /= np.linalg.norm(normal)
            contacts.append(hf.Contact(-0.1 * normal, hf.frame_from_normal(normal), hf.models.coulomb(0.5)))
        rows = hf.JointRows(0.1 * rng.normal(size=(2, 3 * k)), [-np.inf] * 2, [np.inf] * 2)
        load = rng.normal(size=6) * [1.0, 1.0, 1.0, 0.05, 0.05, 0.05]
        answer = hf.load_sharing(hf.Assembly(contacts, rows), load, (1000.0, 700.0), preload=2.0, rule="slip")
        assert np.abs(answer.path.x[:, 6:]).max() <= 1e-9 * np.abs(answer.path.x).max()
        assert answer.verify()


def test_a_contact_that_opens_while_it_is_preloaded_closes_again_where_its_spring_does():
    """A bar on three springs, the middle one preloaded upwards: the outer ones are pressed open, then loaded again."""
    up = hf.models.coulomb(0.5)
    places = [(-0.1, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, -0.1, 0.0)]
    floor = [hf.Contact(place, np.eye(3), up) for place in places]
    # Two opposite presses of different preload: the object moves up until both balance; the floor opens by that much.
    squeeze = hf.Contact((0.0, 0.0, 0.0), np.eye(3), hf.models.coulomb(0.5))
    lid = hf.Contact((0.0, 0.0, 0.2), np.diag([1.0, -1.0, -1.0]), hf.models.coulomb(0.5))
    assembly = hf.Assembly([*floor, squeeze, lid])
    preload = np.array([[0.0, 0.0, 1.0]] * 4 + [[0.0, 0.0, 30.0], [0.0, 0.0, 6.0]])
    # Up by z: 4 (1 - k z)+ + (30 - k z) = 6 + k z, k = 1000: with the floor open 24 = 2 k z, z = 12 mm > 1 mm.
    answer = hf.load_sharing(assembly, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (1000.0, 500.0), preload=preload)
    assert answer.verify()
    opened = [event for event in answer.events if event.kind == "opens" and event.stage == "preload"]
    assert {event.contact for event in opened} == {0, 1, 2, 3}
    closing = [event for event in answer.events if event.kind == "closes"]
    # The floor closes when z = 1 mm again: (30 - 1) - (6 + 1) = 22 N of load.
    assert [event.factor for event in closing] == pytest.approx([22.0] * 4)


def test_forces_at_the_peak_of_a_collapse_are_those_before_it():
    contact = hf.Contact((0.0, 0.0, 0.0), np.diag([1.0, -1.0, -1.0]), hf.models.suction(45.0, 0.5))
    answer = hf.load_sharing(hf.Assembly([contact, contact]), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (1000.0, 300.0))
    assert answer.peak == pytest.approx(90.0)
    assert answer.forces(answer.peak)[:, 2] == pytest.approx([45.0, 45.0])
    assert np.isnan(answer.forces(answer.peak * 1.001)).all()


def test_a_base_load_on_a_union_without_a_limit_has_a_bracket():
    volume = hf.models.gecko_two_way().union(hf.models.coulomb(0.5))
    places = [(0.1, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, 0.1, 0.0)]
    feet = hf.Assembly([hf.Contact(place, np.eye(3), volume) for place in places])
    answer = hf.load_sharing(feet, hf.loads.gravity_wrench(1.0), (1000.0, 500.0), base=hf.loads.gravity_wrench(2.0))
    assert answer.status is SharingStatus.UNLIMITED
    assert answer.bracket == "no failure and no limit"
    assert answer.to_dict()["load_limit"] == np.inf


@pytest.mark.parametrize("factor", ["a", [1.0, "b"], None, -1.0, np.nan])
def test_factors_that_are_no_numbers_are_refused(factor):
    contact = hf.Contact((0.0, 0.0, 0.0), np.eye(3), hf.models.coulomb(0.5))
    answer = hf.load_sharing(hf.Assembly([contact]), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (1000.0, 300.0))
    with pytest.raises(InputError, match="factor"):
        answer.forces(factor)


@pytest.mark.parametrize("until", [True, 0.0, -1.0, "far", None])
def test_an_end_that_is_no_factor_is_refused(until):
    contact = hf.Contact((0.0, 0.0, 0.0), np.eye(3), hf.models.coulomb(0.5))
    with pytest.raises(InputError, match="until"):
        hf.load_sharing(hf.Assembly([contact]), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (1000.0, 300.0), until=until)
