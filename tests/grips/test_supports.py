from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import holdfast as hf
from holdfast.checks import Array
from holdfast.devices import four_finger_hand
from holdfast.errors import InputError
from holdfast.geometry.frames import wrench_matrix
from holdfast.grips import cone_grip
from holdfast.grips.supports import (
    Asking,
    HandSupports,
    SupportPool,
    Supports,
    SupportTask,
    UnlimitedSupports,
    are_proven,
)
from holdfast.wrench_spaces.computation import wrench_supports
from holdfast.wrench_spaces.space import holds
from tests.grips.known_hands import (
    box,
    box_hand,
    crossed,
    hinged,
    hull_support,
    jointed,
    opposed_points,
    union_support,
    with_units,
)
from tests.referee import random_rotation


def directions(n: int, length: float = 0.1, seed: int = 0) -> np.ndarray:
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y[:, 3:] /= length
    return y


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_supports_are_those_of_the_full_program(seed, contacts, rows):
    rng = np.random.default_rng(seed)
    hand = jointed(rng, contacts, rows)
    y = directions(3, seed=seed)
    found = HandSupports.of(hand).many(y)
    truth = np.array([hull_support(hand, row) for row in y])
    size = max(np.abs(truth).max(), 1e-3)
    assert np.abs(found.values - truth).max() <= 1e-9 * size
    assert (found.bounds >= truth - 1e-9 * size).all()


def test_torque_limited_supports_of_the_48_contact_hand_are_exact():
    hand = four_finger_hand("opposed").assembly()
    y = directions(6, hand.length)
    hulled = HandSupports.of(hand.hulled())
    assert [len(contacts) for contacts, _ in hulled.fingers] == [12, 12, 12, 12]
    assert [len(rows) for _, rows in hulled.fingers] == [3, 3, 3, 3]
    found = hulled.many(y)
    truth = np.array([hull_support(hand, row) for row in y])
    assert np.abs(found.values / truth - 1.0).max() <= 1e-9
    assert np.abs(found.bounds / truth - 1.0).max() <= 1e-9


def test_supports_over_unions_are_those_of_the_whole_hand_at_once():
    hand = hinged(crossed(), k=4, torque=0.2)
    y = directions(12)
    found = HandSupports.of(hand).many(y)
    whole = wrench_supports(hand, y, method=hf.solvers.Exact(gap=1e-9))
    assert np.abs(found.values / whole.values - 1.0).max() <= 2e-8
    hull = wrench_supports(hand, y, side="outer")
    assert (found.values < (1.0 - 1e-4) * hull.values).any()  # joints do couple pieces here
    assert holds(hand, found.points, found.forces, found.pieces).all()
    assert np.abs((y * found.points).sum(axis=1) / found.values - 1.0).max() <= 1e-9


def test_contacts_without_joints_give_their_best_vertices():
    hand = opposed_points()
    y = directions(40)
    found = HandSupports.of(hand).many(y)
    assert HandSupports.of(hand).fingers == ()
    truth = [hull_support(hand, row) for row in y]
    np.testing.assert_allclose(found.values, truth, rtol=1e-12, atol=1e-12)
    assert np.array_equal(found.values, found.bounds)


@pytest.mark.parametrize("points", [2, 3, 4])
def test_supports_of_units_are_those_of_every_choice_of_one_piece_each(points):
    """Six contacts on two fingers of three: units of three stay within a finger, others join both."""
    hand = with_units(hinged(crossed(), k=3, torque=0.2), points)
    y = directions(6)
    supports = HandSupports.of(hand)
    found = supports.many(y)
    assert len(supports.fingers) == (2 if points == 3 else 1)
    np.testing.assert_allclose(found.values, [union_support(hand, row) for row in y], rtol=2e-8)
    assert (found.bounds >= found.values).all()
    assert are_proven(hand, found).all()
    free = hf.Assembly(hand.contacts)
    alone = HandSupports.of(free).many(y)
    assert [len(contacts) for contacts in HandSupports.of(free).free_units] == [len(u) for u in hand.layout.units]
    np.testing.assert_allclose(alone.values, [union_support(free, row) for row in y], rtol=1e-12)
    assert are_proven(free, alone).all()
    apart = HandSupports.of(hf.Assembly([replace(c, unit=None) for c in hand.contacts])).many(y)
    assert (apart.values > alone.values * (1 + 1e-3)).any()
    assert not are_proven(free, apart).all()  # pieces that differ within a unit prove nothing


def test_a_unit_of_which_one_point_alone_loads_a_joint_stays_together():
    unit = hf.assembly.Unit("pad")
    contacts = [hf.Contact([0.1 * i, 0.05, 0.0], np.eye(3), crossed(), unit=unit) for i in range(3)]
    rows = np.zeros((1, 9))
    rows[0, 3:6] = [0.3, 0.2, 0.1]
    hand = hf.Assembly(contacts, hf.JointRows(rows, np.array([-0.5]), np.array([0.7])))
    supports = HandSupports.of(hand)
    assert supports.free_units == () and supports.fingers[0][0].tolist() == [0, 1, 2]
    y = directions(8)
    found = supports.many(y)
    np.testing.assert_allclose(found.values, [union_support(hand, row) for row in y], rtol=2e-8)
    assert are_proven(hand, found).all()


def test_joints_without_limits_bind_nobody():
    hand = jointed(np.random.default_rng(3), 4, 3)
    rows = hand.joints
    endless = np.full(3, np.inf)
    free = hf.Assembly(hand.contacts, hf.JointRows(rows.jacobian, -endless, endless))
    assert HandSupports.of(free).free_units == tuple(range(i, i + 1) for i in range(4))


def test_rows_that_no_contact_loads_must_allow_zero():
    contacts = opposed_points().contacts
    idle = hf.Assembly(contacts, hf.JointRows(np.zeros((1, 6)), np.array([-1.0]), np.array([1.0])))
    y = directions(3)
    np.testing.assert_array_equal(
        HandSupports.of(idle).many(y).values, HandSupports.of(hf.Assembly(contacts)).many(y).values
    )
    broken = hf.Assembly(contacts, hf.JointRows(np.zeros((1, 6)), np.array([0.5]), np.array([1.0])))
    with pytest.raises(InputError, match="holds nothing"):
        HandSupports.of(broken).many(y)


def test_a_preloaded_hand_that_cannot_rest_has_negative_supports_too():
    lower, upper = np.array([1.0, -2.0, 3.0]), np.array([2.0, 5.0, 4.0])
    found = HandSupports.of(box_hand(lower, upper)).many(np.eye(6)[:3])
    np.testing.assert_allclose(found.values, -lower, rtol=1e-9)  # held wrenches are -f
    found = HandSupports.of(box_hand(lower, upper)).many(-np.eye(6)[:3])
    np.testing.assert_allclose(found.values, upper, rtol=1e-9)


def test_forces_that_no_limits_allow_are_told():
    with pytest.raises(InputError, match="holds nothing"):
        HandSupports.of(box_hand(np.full(3, 40.0), np.full(3, 50.0))).many(np.eye(6)[:1])


def test_cones_have_no_limit_where_they_open():
    tip = hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))
    y = np.array([[0.0, 0.0, -1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    found = HandSupports.of(hf.Assembly([tip])).many(y)
    assert found.bounds[0] == np.inf
    assert found.bounds[1] == 0.0
    on_a_joint = hf.Assembly([tip], hf.JointRows(np.array([[1.0, 0.0, 0.0]]), np.array([-1.0]), np.array([1.0])))
    found = HandSupports.of(on_a_joint).many(y)
    assert found.bounds[0] == np.inf
    assert abs(found.bounds[1]) <= 1e-9


def test_one_sided_joints_answer_alike_alone_and_together():
    tip = box(5.0, 5.0, 5.0)
    contacts = [hf.Contact(np.array([0.1 * i, 0.0, 0.0]), np.eye(3), tip) for i in range(3)]
    rows = np.array([[0.1, 0.0, 0.2, 0.0, 0.1, 0.0, 0.3, 0.0, 0.0]])
    hand = HandSupports.of(hf.Assembly(contacts, hf.JointRows(rows, np.array([-np.inf]), np.array([0.7]))))
    y = directions(5)
    together = hand.many(y)
    np.testing.assert_allclose(together.values, [hand.many(row[None]).values[0] for row in y], rtol=1e-12)


def test_no_directions_no_supports():
    assert HandSupports.of(opposed_points()).many(np.zeros((0, 6))).points.shape == (0, 6)


def test_directions_that_turn_about_a_cone_have_no_slope_there_but_rounding():
    contact = hf.Contact((0.1, 0.1, 0.0), np.eye(3), hf.models.coulomb(0.7))
    y = np.array([[0.0, 0.0, 1 / 3, -10 / 3, 0.0, 0.0]])  # about the line through the contact along y
    for way in (y, -y):
        assert HandSupports.of(hf.Assembly([contact])).many(way).values == pytest.approx([0.0], abs=1e-12)


def drawn(n: int, seed: int = 0) -> np.ndarray:
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y[:, 3:] /= 0.1
    return y


def test_every_support_comes_back_with_its_proof():
    hand = hinged(crossed(), k=3)
    asking = Asking(SupportTask(hand, 1.0))
    pool = asking.ask(drawn(20))
    truth = HandSupports.of(hand).many(drawn(20))
    assert (len(pool), asking.dropped, asking.done, asking.rounds) == (20, 0, 20, 1)
    np.testing.assert_array_equal(pool.values, truth.values)
    np.testing.assert_array_equal(pool.points, truth.points)


def test_direct_wrenches_are_the_negative_of_held_ones():
    hand, y = opposed_points(), drawn(10)
    direct, reaction = (Asking(SupportTask(hand, sign)).ask(y) for sign in (-1.0, 1.0))
    mirrored = Asking(SupportTask(hand, 1.0)).ask(-y)
    np.testing.assert_array_equal(direct.values, mirrored.values)
    np.testing.assert_array_equal(direct.points, -mirrored.points)
    assert np.abs((y * direct.points).sum(axis=1) - direct.values).max() <= 1e-12 * np.abs(direct.values).max()
    assert not np.allclose(direct.values, reaction.values)


@pytest.mark.parametrize("fault", ["balance", "piece", "joint", "missing"])
def test_a_proof_that_does_not_stand_is_found(fault):
    hand = hinged(crossed(), k=3)
    found = HandSupports.of(hand).many(drawn(4))
    assert are_proven(hand, found).all()
    forces, pieces, points = found.forces.copy(), found.pieces.copy(), found.points.copy()
    if fault == "balance":
        points[2, 0] += 1e-4
    elif fault == "piece":
        pieces[2, np.abs(forces[2]).max(axis=1).argmax()] ^= 1
    elif fault == "joint":
        forces[2] *= 3.0
        points[2] *= 3.0
    else:
        pieces[2, 0] = -1
    assert are_proven(hand, Supports(found.values, found.bounds, points, forces, pieces)).tolist() == [
        True,
        True,
        False,
        True,
    ]


def test_rounds_have_journals_of_their_own_and_are_resumed(tmp_path):
    hand, calls = opposed_points(), []
    first = Asking(SupportTask(hand, 1.0), journal=tmp_path / "j", progress=lambda *c: calls.append(c), planned=400)
    pools = [first.ask(drawn(150)), first.ask(drawn(30, 1))]
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.endswith(".lock")) == ["j", "j.1"]
    assert calls[0] == (0, 400)
    assert calls[-1] == (180, 400)

    class Idle(SupportTask):
        def many(self, directions):
            raise AssertionError("asked again")

    again = Asking(Idle(hand, 1.0), journal=tmp_path / "j")
    for pool, asked in zip(pools, (drawn(150), drawn(30, 1)), strict=True):
        assert np.array_equal(again.ask(asked).points, pool.points)


def test_pools_are_joined_in_order():
    a, b = (SupportPool(np.full((2, 6), v), np.full(2, v), np.full(2, v), np.full((2, 6), v)) for v in (1.0, 2.0))
    assert a.with_more(b).values.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert len(a.with_more(b)) == 4


# Hands with forces that have no limit: supports, rays and bounds against the full linear program.

CONE, CUP = hf.models.coulomb(0.7, facets=6), hf.models.suction(10.0, 0.6, cap=30.0, facets=6)
DIRECT = -np.eye(6)  # from the external wrenches that are held to those on the body


def hand(rng: np.random.Generator, contacts: int, rows: int) -> hf.Assembly:
    """Cones and cups, of which joints with two limits or one load some."""
    made = [
        hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), CONE if i == 0 or rng.random() < 0.5 else CUP)
        for i in range(contacts)
    ]
    jacobian = rng.normal(size=(rows, 3 * contacts)) * 0.05
    jacobian[:, 3 * (contacts - 1) :] *= rng.random() < 0.5
    lower, upper = -rng.random(rows), rng.random(rows)
    lower[rng.random(rows) < 0.3] = -np.inf
    return hf.Assembly(made, hf.JointRows(jacobian, lower, upper) if rows else None)


def full_support(assembly: hf.Assembly, y: Array) -> float:
    """max y . W f with every vertex and ray a column."""
    columns, kinds = [], []
    for index, contact in enumerate(assembly.contacts):
        piece = contact.volume.polytopes[0]
        for points, kind in ((piece.vertices, index), (piece.rays, -1)):
            for point in points:
                columns.append((index, contact.rotation @ point))
                kinds.append(kind)
    gains = [y @ wrench_matrix([assembly.contacts[i].position]) @ force for i, force in columns]
    ones = np.array([[float(kind == i) for kind in kinds] for i in range(len(assembly))])
    rows, sides = np.zeros((0, len(columns))), np.zeros(0)
    if assembly.joints is not None:
        joints = assembly.joints
        loads = np.array([joints.jacobian[:, 3 * i : 3 * i + 3] @ force for i, force in columns]).T
        rows, sides = np.concatenate([loads, -loads]), np.concatenate([joints.upper, -joints.lower])
        rows, sides = rows[np.isfinite(sides)], sides[np.isfinite(sides)]
    found = linprog(-np.array(gains), rows, sides, ones, np.ones(len(assembly)), method="highs-ds")
    return -float(found.fun) if found.status == 0 else np.inf  # no forces at all are always allowed here


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 2))
def test_supports_and_bounds_are_those_of_the_full_program(seed: int, contacts: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    assembly = hand(rng, contacts, rows)
    supports = UnlimitedSupports(assembly, DIRECT)
    for y in rng.normal(size=(3, 6)) * np.repeat([1.0, 10.0], 3):
        truth, found, bound = full_support(assembly, y), supports.reach(y), supports.bound(y)
        assert found.value == pytest.approx(truth, rel=1e-7, abs=1e-7)
        assert bound == pytest.approx(truth, rel=1e-7, abs=1e-7)
        if truth == np.inf:
            assert y @ found.ray > 0.0
        else:
            assert not found.ray.any()
            assert y @ found.point == pytest.approx(found.value)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 2))
def test_rays_are_held_however_long(seed: int, contacts: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    assembly = hand(rng, contacts, rows)
    for y in rng.normal(size=(3, 6)) * np.repeat([1.0, 10.0], 3):
        found = UnlimitedSupports(assembly, DIRECT).reach(y)
        if found.value == np.inf:
            far = 1e4 * found.ray / np.abs(found.ray).max()
            assert hf.equilibrium(assembly, -(found.point + far)).holds


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_directions_on_the_border_of_the_polar_cone_have_a_support(seed: int) -> None:
    """Motions in which one contact slides along an edge of its cone, or turns in place: the slope is rounding."""
    rng = np.random.default_rng(seed)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3), random_rotation(rng), CONE)])
    rays = cone_grip(assembly).rays
    supports = UnlimitedSupports(assembly, DIRECT)
    position = assembly.contacts[0].position
    turning = rng.normal(size=3)
    still = np.concatenate([-np.cross(turning, position), turning])  # the contact does not move
    down = -assembly.contacts[0].rotation[:, 2]
    for ray in rays:
        along = ray[:3] / np.linalg.norm(ray[:3])
        sliding = np.concatenate([down - (down @ along) * along, np.zeros(3)])
        for y in (still, still + sliding):
            assert supports.reach(y).value == pytest.approx(0.0, abs=1e-12)
            assert supports.bound(y) == pytest.approx(0.0, abs=1e-12)
    assert supports.reach(still - np.concatenate([1e-6 * down, np.zeros(3)])).value == np.inf


def test_joint_limits_bound_a_cone_and_one_sided_ones_leave_a_ray() -> None:
    foot = hf.Contact((0.0, 0.0, 0.0), np.eye(3), CONE)
    up = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    row = np.array([[0.0, 0.0, 0.1]])  # 0.1 m of lever to the normal force
    bounded = UnlimitedSupports(hf.Assembly([foot], hf.JointRows(row, [-1.0], [2.0])), DIRECT)
    assert bounded.reach(up).value == pytest.approx(20.0)
    assert bounded.bound(up) == pytest.approx(20.0)
    open_above = UnlimitedSupports(hf.Assembly([foot], hf.JointRows(row, [1.0], [np.inf])), DIRECT)
    assert open_above.reach(up).value == open_above.bound(up) == np.inf
    assert open_above.reach(-up).value == pytest.approx(-10.0)
    assert open_above.bound(-up) == pytest.approx(-10.0)
    assert bounded.free_rays.shape == (0, 6)
    assert len(UnlimitedSupports(hf.Assembly([foot]), DIRECT).free_rays) == 6


def test_joint_limits_that_no_force_of_a_cone_meets_are_told() -> None:
    foot = hf.Contact((0.0, 0.0, 0.0), np.eye(3), CONE)
    broken = hf.Assembly([foot], hf.JointRows(np.array([[0.0, 0.0, 0.1]]), [-2.0], [-1.0]))
    with pytest.raises(InputError, match="holds nothing"):
        UnlimitedSupports(broken, DIRECT).reach(np.eye(6)[0])
