from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InputError
from holdfast.grips.supports import HandSupports
from holdfast.papers.devices import four_finger_hand
from holdfast.wrench_spaces.proofs import holds
from holdfast.wrench_spaces.supports import wrench_supports
from tests.grips.known_hands import box, box_hand, crossed, hinged, hull_support, jointed, opposed_points


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
    whole = wrench_supports(hand, y, method=hf.Exact(gap=1e-9))
    assert np.abs(found.values / whole.values - 1.0).max() <= 2e-8
    hull = wrench_supports(hand, y, volumes="hull")
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


def test_joints_without_limits_bind_nobody():
    hand = jointed(np.random.default_rng(3), 4, 3)
    rows = hand.joints
    endless = np.full(3, np.inf)
    free = hf.Assembly(hand.contacts, hf.JointRows(rows.jacobian, -endless, endless))
    assert list(HandSupports.of(free).free_contacts) == [0, 1, 2, 3]


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
