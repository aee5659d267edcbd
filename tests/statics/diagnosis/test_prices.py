from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import FixedPieces
from tests.referee import block, pyramid, random_case
from tests.statics.diagnosis.cases import confined, finger, limit_of

#: Relative change of a strength or bound in finite differences; the referee's limits are right to about 1e-10.
STEP = 1e-5


def optimal_cases(seeds: range) -> list[tuple[int, hf.LoadLimit]]:
    cases = [(seed, random_case(seed, most_choices=12)) for seed in seeds]
    answers = [(seed, hf.load_limit(case.assembly, case.direction, method=hf.Reference())) for seed, case in cases]
    return [(seed, answer) for seed, answer in answers if answer.status == "optimal" and abs(answer.value) > 1e-3]


def slack_rows(answer: hf.LoadLimit) -> np.ndarray:
    joints = answer.assembly.joints
    if joints is None:
        return np.zeros(0, dtype=bool)
    values = joints.values(answer.forces)
    return (values > joints.lower + 1e-7) & (values < joints.upper - 1e-7)


@pytest.fixture(scope="module")
def priced() -> list[tuple[int, hf.LoadLimit, FixedPieces]]:
    found = []
    for seed, answer in optimal_cases(range(80)):
        assert answer.pieces is not None
        found.append((seed, answer, FixedPieces(answer.problem, answer.pieces)))
    assert len(found) > 40
    return found


def test_the_limit_in_the_pieces_of_the_answer_is_the_limit(priced):
    for seed, answer, fixed in priced:
        assert fixed.largest_factor() == pytest.approx(answer.value, rel=2e-6), seed
        assert limit_of(confined(answer.assembly, answer.pieces), answer.direction) == pytest.approx(
            answer.value, rel=2e-6
        ), seed


def test_contacts_and_bounds_times_their_prices_make_up_the_limit(priced):
    """The sum rule: the limit is homogeneous of degree one in strengths and bounds together."""
    for seed, answer, fixed in priced:
        prices = fixed.prices()
        assert prices is not None, seed
        total = 100.0 * prices.strength.sum()
        joints = answer.assembly.joints
        if joints is not None:
            finite = np.isfinite(joints.lower), np.isfinite(joints.upper)
            assert not prices.lower[~finite[0]].any() and not prices.upper[~finite[1]].any()
            total += (
                prices.upper[finite[1]] @ joints.upper[finite[1]] - prices.lower[finite[0]] @ joints.lower[finite[0]]
            )
        assert total == pytest.approx(prices.factor, rel=1e-6, abs=1e-8), seed
        assert prices.multipliers @ answer.problem.load == pytest.approx(-1.0)


def test_prices_are_slopes_where_they_are_unique_and_bounds_everywhere(priced):
    """Against finite differences by the referee: both slopes where unique, else right slope <= price <= left slope."""
    unique = contacts_seen = rows_seen = 0
    for seed, answer, fixed in priced:
        prices = fixed.prices()
        pinned = fixed.pins_prices(answer.local_forces, slack_rows(answer))
        unique += pinned
        base = limit_of(confined(answer.assembly, answer.pieces), answer.direction)
        changes = []
        for i in range(len(answer.assembly)):
            ends = [{"contact": i, "share": 1.0 + sign * STEP} for sign in (1, -1)]
            changes.append((100.0 * prices.strength[i], ends))
        joints = answer.assembly.joints
        for row in range(0 if joints is None else len(joints)):
            for side, bound, price in (
                ("lower", joints.lower[row], prices.lower[row]),
                ("upper", joints.upper[row], prices.upper[row]),
            ):
                wide = joints.upper[row] - joints.lower[row] > 2 * STEP  # else it cannot be narrowed
                if np.isfinite(bound) and wide:
                    changes.append((price, [{"row": row, side: sign * STEP} for sign in (1, -1)]))
                    rows_seen += price > 1e-6
        for price, (more, less) in changes:
            right = (limit_of(confined(answer.assembly, answer.pieces, **more), answer.direction) - base) / STEP
            left = (base - limit_of(confined(answer.assembly, answer.pieces, **less), answer.direction)) / STEP
            slack = 1e-3 * max(1.0, abs(price), abs(base))
            assert right <= price + slack and price <= left + slack, (seed, right, price, left)
            if pinned:
                assert right == pytest.approx(price, abs=slack) and left == pytest.approx(price, abs=slack), seed
                contacts_seen += abs(price) > 1e-3
    assert unique > 20 and contacts_seen > 40 and rows_seen > 10


def test_a_hinge_that_limits_the_load_is_worth_one_over_its_lever(strong):
    answer = hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0])  # f_x = 3 / 0.5
    prices = FixedPieces(answer.problem, answer.pieces).prices()
    assert prices.factor == pytest.approx(6.0)
    np.testing.assert_allclose(prices.upper, [2.0])
    np.testing.assert_allclose([prices.lower[0], prices.strength[0]], 0.0, atol=1e-12)


def test_a_contact_that_limits_the_load_is_worth_its_share(uneven_table):
    """The foot that bears half the weight, 100 N, limits it: 200 N; one percent of it is 2 N."""
    answer = hf.load_limit(uneven_table, hf.loads.gravity_wrench(1.0, (0, 0, -1), (0.25, 0.25, 0.0)))
    prices = FixedPieces(answer.problem, answer.pieces).prices()
    assert prices.factor == pytest.approx(200.0)
    np.testing.assert_allclose(prices.strength, [2.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_array_equal(prices.binding, [True, False, False])


def test_a_change_solved_anew_is_what_the_referee_finds(strong):
    answer = hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    assert fixed.with_bounds(0, upper=0.5).largest_factor() == pytest.approx(7.0)
    assert fixed.with_bounds(0, lower=0.5).largest_factor() == pytest.approx(6.0)
    assert fixed.with_strength(0, 0.01).largest_factor() == pytest.approx(1.0)
    assert fixed.with_strength(0, 2.0).largest_factor() == pytest.approx(6.0)


def test_without_a_limit_there_are_no_prices():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)]), [0, 0, -1, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    assert fixed.largest_factor() == np.inf and fixed.prices() is None


def test_pieces_in_which_nothing_holds_have_no_prices(strong):
    problem = finger([2.0], [3.0], strong).build([0, 1.0, 0, 0, 0, 0])
    fixed = FixedPieces(problem, np.zeros(1, dtype=int))
    assert fixed.prices() is None and np.isnan(fixed.largest_factor())


def test_two_contacts_that_only_help_together_leave_the_prices_open():
    """Two equal boxes on a rod: the torque balance makes each limit the other, so neither alone is worth its price."""
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    answer = hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    prices = fixed.prices()
    assert prices.factor == pytest.approx(20.0)
    assert not fixed.pins_prices(answer.local_forces, np.zeros(0, dtype=bool))
    assert prices.strength.sum() == pytest.approx(0.2)
    for i in range(2):
        assert fixed.with_strength(i, 1.01).largest_factor() == pytest.approx(20.0)


@pytest.mark.parametrize("scene, strictly", [("@suction_cup", True), ("@gecko_on_glass", False)])
def test_in_a_symmetric_scene_an_increase_brings_no_more_than_its_price_and_a_decrease_costs_no_less(scene, strictly):
    loaded = hf.load_scene(scene)
    answer = hf.load_limit(loaded.assembly, loaded.gravity_load(), method=hf.Reference())
    fixed = FixedPieces(answer.problem, answer.pieces)
    prices = fixed.prices()
    assert not fixed.pins_prices(answer.local_forces, np.zeros(0, dtype=bool))
    less = 0
    for i, price in enumerate(prices.strength):
        more = fixed.with_strength(i, 1.01).largest_factor() - prices.factor
        lost = prices.factor - fixed.with_strength(i, 0.99).largest_factor()
        assert -1e-9 <= more <= price + 1e-9
        assert lost >= price - 1e-9
        less += more < price - 1e-6
    assert bool(less) is strictly  # where not all are slopes
