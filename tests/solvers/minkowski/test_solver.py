"""Programs over sums: against HiGHS on the full program, rational arithmetic and closed forms; every proof checked."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast import tolerances
from holdfast.errors import InputError
from holdfast.solvers.minkowski import FullProgram, SumSolver, SumStatus, prepare
from holdfast.solvers.minkowski.reference_program import Scaling, palm_positions
from holdfast.solvers.minkowski.solver import CHUNK, scaled, world_multipliers
from tests.nightly import nightly_after
from tests.solvers.minkowski.sum_cases import (
    CUBE,
    LENGTH,
    SHAPES,
    Sum,
    assert_proved,
    cone,
    placed,
    random_maps,
    random_sum,
    rational_maximum,
)

NONE = np.zeros((0, 6))
HERE = np.eye(6)[None]
BORDER = 1e-8


def line(rng: np.random.Generator, hands: Sum, start: np.ndarray) -> np.ndarray:
    """A direction from a point of the sum: towards another one, so that it lies in the sum's own span."""
    return hands.inner_point(rng) - start


@pytest.mark.parametrize("far", [0.0, 100.0])
@pytest.mark.parametrize("seed", nightly_after(12, range(30)))
def test_any_program_agrees_with_highs_on_the_full_program(seed, far):
    rng = np.random.default_rng(seed)
    k = 1 + seed % 5
    hands = random_sum(rng, k, rng.choice(list(SHAPES), size=2), far=far)
    p = seed % 4
    axes = rng.normal(size=(p, 6)) * np.repeat([1.0, LENGTH], 3)
    axes[:, 3:] += np.cross(np.full(3, far), axes[:, :3])
    objective = rng.normal(size=p)
    base = hands.inner_point(rng)
    if seed % 3 == 0:
        push = rng.normal(size=6)
        base = base + np.concatenate([push[:3], LENGTH * push[3:] + np.cross(np.full(3, far), push[:3])])
    referee = FullProgram(hands.shapes, hands.shape_of, length=LENGTH)
    referee.place(hands.maps)
    expected = referee.maximise(base, axes, objective)
    answer = hands.solver().maximise(base, axes, objective)
    assert answer.status is expected.status
    assert_proved(hands, base, axes, objective, answer, off=1e-10 * (1.0 + far))
    if answer.status is SumStatus.OPTIMAL:
        assert answer.value == pytest.approx(expected.value, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("force", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("seed", nightly_after(12, range(40)))
def test_verdicts_a_hundred_millionth_from_the_border_are_right(seed, force):
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in SHAPES if "rays" not in kind and kind != "pyramid"]
    hands = random_sum(rng, 1 + seed % 5, rng.choice(kinds, size=2), force=force, far=(0.0, 30.0)[seed % 2])
    solver = hands.solver()
    start = hands.inner_point(rng)
    direction = line(rng, hands, start)
    if np.abs(direction).max() <= 1e-9 * hands.size:  # all hands are points
        assert solver.maximise(start).status is SumStatus.OPTIMAL
        return
    limit = solver.maximise(start, direction[None], [1.0])
    assert limit.status is SumStatus.OPTIMAL and limit.value >= 1.0 - 1e-9
    assert_proved(hands, start, direction[None], np.ones(1), limit)
    assert limit.gap <= 1e-9 * limit.value
    for share, status in ((1.0 - BORDER, SumStatus.OPTIMAL), (1.0 + BORDER, SumStatus.EMPTY)):
        wrench = start + share * limit.value * direction
        for asked in (solver, hands.solver()):
            answer = asked.maximise(wrench)
            assert answer.status is status
            assert_proved(hands, wrench, NONE, np.zeros(0), answer, off=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_exact_rational_arithmetic_gives_the_same_limits_and_verdicts(seed):
    rng = np.random.default_rng(seed)
    k, n = 1 + seed % 2, int(rng.integers(7, 10))
    vertices = rng.integers(-9, 10, size=(n, 6)) / 4.0
    hands = Sum([(vertices, None)], [0] * k, random_maps(rng, k, far=(0.0, 100.0)[seed // 2 % 2]))
    solver = hands.solver()
    start, target = (sum(hands.maps[j] @ (rng.dirichlet(np.ones(n)) @ vertices) for j in range(k)) for _ in range(2))
    if k == 1 and n == 7:
        assert rational_maximum(hands, start) is not None or solver.maximise(start).status is SumStatus.OPTIMAL
    exact = rational_maximum(hands, start, target - start)
    found = solver.maximise(start, (target - start)[None], [1.0])
    assert exact is not None and found.status is SumStatus.OPTIMAL
    assert found.value == pytest.approx(float(exact), rel=1e-9)
    for share in (1.0 - BORDER, 1.0 + BORDER):
        wrench = start + share * float(exact) * (target - start)
        held = rational_maximum(hands, wrench) is not None
        assert held == (share < 1.0)
        assert (solver.maximise(wrench).status is SumStatus.OPTIMAL) == held


@pytest.mark.parametrize("seed", [*nightly_after(12, range(30)), 200, 240, 270, 315, 375, 385, 415, 485])
def test_no_question_is_left_undecided_however_large_its_answer(seed):
    rng = np.random.default_rng(10000 + seed)
    hands = random_sum(rng, int(rng.integers(1, 9)), rng.choice(list(SHAPES), size=3), far=rng.choice([0.0, 50.0]))
    p = int(rng.integers(1, 7))
    axes = rng.normal(size=(p, 6)) * np.repeat([1.0, LENGTH], 3)
    if seed % 3 == 0:
        axes = np.eye(6)[rng.permutation(6)[:p]]
    objective, base = rng.normal(size=p), hands.inner_point(rng)
    solver = hands.solver()
    first, again = (solver.maximise(base, axes, objective) for _ in range(2))
    assert first.status in (SumStatus.OPTIMAL, SumStatus.UNBOUNDED)
    assert again.status is first.status
    for answer in (first, again):
        assert_proved(hands, base, axes, objective, answer, off=1e-9)


def test_a_wrench_off_the_span_of_the_sum_by_rounding_is_held_and_by_more_is_not():
    # two point contacts without friction: only one line of wrenches
    segment = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 50.0, 0.0, 0.0, 0.0]])
    rng = np.random.default_rng(3)
    for far in (0.0, 100.0):
        hands = Sum([(segment, None)], [0, 0], random_maps(rng, 2, far=far, aligned=True))
        solver = hands.solver()
        wrench = hands.maps[0] @ (0.3 * segment[1]) + hands.maps[1] @ (0.6 * segment[1])
        sizes = np.repeat([np.abs(wrench[:3]).max(), np.abs(wrench[3:]).max()], 3)
        for axis in np.eye(6):
            assert solver.maximise(wrench + 1e-15 * sizes * axis).status is SumStatus.OPTIMAL
            off = wrench + 1e-7 * 50.0 * axis
            answer = solver.maximise(off)
            if axis[2] == 0.0:
                assert answer.status is SumStatus.EMPTY
            assert_proved(hands, off, NONE, np.zeros(0), answer, off=1e-9)


def test_boxes_add_up_to_a_box():
    low, high = np.array([-1.0, -2.0, -3.0, -0.1, -0.2, -0.3]), np.array([2.0, 1.0, 5.0, 0.2, 0.1, 0.4])
    corners = np.where(CUBE > 0.0, high, low)
    hands = Sum([(corners, None)], [0, 0, 0], np.tile(HERE, (3, 1, 1)))
    solver = hands.solver()
    rng = np.random.default_rng(0)
    for _ in range(20):
        direction = rng.normal(size=6) * np.repeat([1.0, LENGTH], 3)
        answer = solver.maximise(np.zeros(6), direction[None], [1.0])
        expected = 3.0 * np.min(np.where(direction > 0.0, high, low) / direction)
        assert answer.value == pytest.approx(expected, rel=1e-12)
        assert_proved(hands, np.zeros(6), direction[None], np.ones(1), answer)


def test_a_single_hand_holds_its_hull_and_nothing_else():
    rng = np.random.default_rng(5)
    vertices = rng.normal(size=(300, 6))
    hands = Sum([(vertices, None)], [0], random_maps(rng, 1))
    solver = hands.solver()
    for i in range(0, 300, 30):
        wrench = hands.maps[0] @ vertices[i]
        extreme = all(
            vertices[i] @ y < support - 1e-9
            for y in rng.normal(size=(50, 6))
            if (support := float(np.max(vertices @ y))) > vertices[i] @ y
        )
        assert extreme
        assert solver.maximise(wrench).status is SumStatus.OPTIMAL
    far = hands.maps[0] @ (10.0 * vertices[0])
    answer = solver.maximise(far)
    assert answer.status is SumStatus.EMPTY
    assert_proved(hands, far, NONE, np.zeros(0), answer)


def test_a_sum_of_points_is_a_point():
    rng = np.random.default_rng(6)
    points = rng.normal(size=(2, 1, 6))
    hands = Sum([(points[0], None), (points[1], None)], [0, 1, 1], random_maps(rng, 3))
    total = hands.inner_point(rng)
    solver = hands.solver()
    assert solver.rows == 6
    held = solver.maximise(total)
    assert held.status is SumStatus.OPTIMAL
    assert_proved(hands, total, NONE, np.zeros(0), held)
    assert solver.maximise(total + 1e-6).status is SumStatus.EMPTY
    along = solver.maximise(total, np.ones((1, 6)), [1.0])
    assert along.status is SumStatus.OPTIMAL and abs(along.value) <= 1e-9


def test_coulomb_feet_hold_weight_above_them_and_nothing_beside():
    feet = [placed(np.eye(3), np.array([x, y, 0.0])) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    hands = Sum([(np.zeros((1, 6)), cone(8))], [0] * 4, np.array(feet))
    solver = hands.solver()
    assert solver.rows == 6
    weight = np.array([0.0, 0.0, 100.0])
    for com, status in (
        ([0.5, 0.5, 0.0], SumStatus.OPTIMAL),
        ([1.0 - 1e-8, 0.5, 0.0], SumStatus.OPTIMAL),
        ([1.0 + 1e-8, 0.5, 0.0], SumStatus.EMPTY),
        ([-3.0, 0.5, 0.0], SumStatus.EMPTY),
    ):
        wrench = np.concatenate([weight, np.cross(com, weight)])
        answer = solver.maximise(wrench)
        assert answer.status is status
        assert_proved(hands, wrench, NONE, np.zeros(0), answer)
    # upwards without end; sideways by friction: mu times the weight, on eight sides along x
    up = solver.maximise(np.concatenate([weight, np.cross([0.5, 0.5, 0.0], weight)]), np.eye(6)[2:5], [1.0, 0.0, 0.0])
    assert up.status is SumStatus.UNBOUNDED and up.ray[0] > 0.0
    middle = np.concatenate([weight, np.cross([0.5, 0.5, 0.0], weight)])
    aside = np.concatenate([[1.0, 0.0, 0.0], np.cross([0.5, 0.5, 0.0], [1.0, 0.0, 0.0])])
    push = solver.maximise(middle, aside[None], [1.0])
    assert push.value == pytest.approx(60.0, rel=1e-9)


def test_a_ray_and_its_opposite_make_a_line():
    rays = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    hands = Sum([(np.zeros((1, 6)), rays)], [0], HERE)
    solver = hands.solver()
    assert solver.maximise([5.0, 0.0, 0.0, 0.0, 0.0, 0.0]).status is SumStatus.OPTIMAL
    assert solver.maximise([-1e6, 0.0, 0.0, 0.0, 0.0, 0.0]).status is SumStatus.OPTIMAL
    beside = np.array([1.0, 1e-6, 0.0, 0.0, 0.0, 0.0])
    answer = solver.maximise(beside)
    assert answer.status is SumStatus.EMPTY
    assert_proved(hands, beside, NONE, np.zeros(0), answer)
    both = [solver.maximise(np.zeros(6), np.eye(6)[:1], [sign]) for sign in (1.0, -1.0)]
    assert [answer.status for answer in both] == [SumStatus.UNBOUNDED] * 2
    assert [float(np.sign(answer.ray[0])) for answer in both] == [1.0, -1.0]


def test_axes_that_depend_on_each_other_or_vanish_are_legal():
    hands = Sum([(CUBE, None)], [0], HERE)
    solver = hands.solver()
    axes = np.vstack([np.eye(6)[0], 2.0 * np.eye(6)[0]])
    assert solver.maximise(np.zeros(6), axes, [1.0, 2.0]).value == pytest.approx(1.0, rel=1e-12)
    free = solver.maximise(np.zeros(6), axes, [1.0, 0.0])
    assert free.status is SumStatus.UNBOUNDED
    assert np.abs(free.ray @ axes).max() <= 1e-12 and free.ray[0] > 0.0
    assert solver.maximise(np.zeros(6), np.zeros((1, 6)), [1.0]).status is SumStatus.UNBOUNDED
    assert solver.maximise(np.zeros(6), np.zeros((1, 6)), [0.0]).status is SumStatus.OPTIMAL
    assert solver.maximise(np.full(6, 2.0), np.zeros((1, 6)), [1.0]).status is SumStatus.EMPTY


def test_all_six_axes_give_the_support_function():
    rng = np.random.default_rng(8)
    hands = random_sum(rng, 3, ["cloud", "box"])
    solver = hands.solver()
    for _ in range(5):
        y = rng.normal(size=6)
        answer = solver.maximise(np.zeros(6), np.eye(6), y)
        assert answer.value == pytest.approx(hands.support(y)[0], rel=1e-10)
        assert solver.support(y)[0] == pytest.approx(hands.support(y)[0], rel=1e-12)
        assert np.allclose(answer.multipliers, y, atol=1e-9)


def test_a_search_stops_at_a_value_or_a_bound_that_is_enough():
    rng = np.random.default_rng(9)
    hands = random_sum(rng, 4, ["cloud"])
    start, direction = hands.inner_point(rng), rng.normal(size=(1, 6))
    best = hands.solver().maximise(start, direction, [1.0])
    above = hands.solver().maximise(start, direction, [1.0], stop_above=0.2 * best.value)
    assert above.status is SumStatus.STOPPED and 0.2 * best.value <= above.value <= best.value
    assert_proved(hands, start, direction, np.ones(1), above)
    below = hands.solver().maximise(start, direction, [1.0], stop_below=5.0 * best.value)
    assert below.status is SumStatus.STOPPED
    assert best.value * (1.0 - tolerances.ROUNDING) <= below.upper_bound <= 5.0 * best.value
    bound = hands.support(below.multipliers)[0] - below.multipliers @ start
    assert bound == pytest.approx(below.upper_bound, rel=1e-9)


def test_moving_hands_keeps_answers_right():
    rng = np.random.default_rng(10)
    hands = random_sum(rng, 4, ["cloud", "box"])
    warm = hands.solver()
    for _ in range(25):
        maps = random_maps(rng, 4)
        here = hands._replace(maps=maps)
        warm.place(maps)
        wrench = rng.normal(size=6) * np.repeat([4.0, 0.8], 3)
        answer, fresh = warm.maximise(wrench), here.solver().maximise(wrench)
        assert answer.status is fresh.status
        assert_proved(here, wrench, NONE, np.zeros(0), answer)
        assert_proved(here, wrench, NONE, np.zeros(0), fresh)


def test_tables_made_once_serve_many_solvers():
    rng = np.random.default_rng(11)
    vertices = rng.normal(size=(500, 6))
    shape = prepare(vertices)
    maps = random_maps(rng, 2)
    direction = rng.normal(size=(1, 6))
    answers = []
    for given in (shape, (vertices, None)):
        solver = SumSolver([given], [0, 0], length=LENGTH)
        solver.place(maps)
        answers.append(solver.maximise(np.zeros(6), direction, [1.0]))
    assert answers[0].value == answers[1].value
    assert np.array_equal(answers[0].wrenches, answers[1].wrenches)


def test_a_limit_on_exchanges_leaves_a_question_undecided_with_true_bounds():
    rng = np.random.default_rng(12)
    vertices = rng.normal(size=(3000, 6))
    hands = Sum([(vertices / np.linalg.norm(vertices, axis=1)[:, None], None)], [0] * 3, random_maps(rng, 3))
    direction = rng.normal(size=(1, 6))
    best = hands.solver().maximise(np.zeros(6), direction, [1.0])
    cut = 0
    for limit in range(1, best.effort.pivots, 3):
        solver = hands.solver()
        solver.limit = limit
        answer = solver.maximise(np.zeros(6), direction, [1.0])
        cut += answer.status is SumStatus.UNDECIDED
        assert answer.status in (SumStatus.UNDECIDED, SumStatus.OPTIMAL)
        assert answer.value <= best.value * (1.0 + 1e-9) and best.value <= answer.upper_bound * (1.0 + 1e-9)
        assert_proved(hands, np.zeros(6), direction, np.ones(1), answer)
    assert cut


def test_questions_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="at least one hand"):
        SumSolver([(CUBE, None)], [], length=LENGTH)
    with pytest.raises(InputError, match="shape_of"):
        SumSolver([(CUBE, None)], [1], length=LENGTH)
    solver = Sum([(CUBE, None)], [0], HERE).solver()
    with pytest.raises(InputError, match="do not fit"):
        solver.maximise(np.zeros(6), np.eye(6)[:2], [1.0])


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_placing_scales_as_the_plain_formula_does(far):
    rng = np.random.default_rng(0)
    hands = Sum(
        [(rng.normal(size=(9, 6)), None), (rng.normal(size=(1, 6)), cone(4))], [0, 1, 1], random_maps(rng, 3, far=far)
    )
    tables, pool, _, placement, _, _ = hands.solver().parts
    assert np.allclose(placement.centre, palm_positions(hands.maps).mean(axis=0))
    plain = Scaling(placement.centre, LENGTH, placement.units[1])
    assert np.allclose(pool.maps, plain.to_scaled @ hands.maps, atol=1e-10)
    single = sum(plain.to_scaled @ hands.maps[j] @ hands.shapes[1][0][0] for j in (1, 2))
    assert np.allclose(placement.single, single, atol=1e-10)
    wrench, found = rng.normal(size=6), np.zeros(6)
    scaled(placement, wrench, found)
    assert np.allclose(found, plain.to_scaled @ wrench)
    y, world = rng.normal(size=6), np.zeros(6)
    world_multipliers(placement, y, 2.0, world)
    assert np.allclose(world, 2.0 * plain.multipliers(y))
    assert tables.row_of.tolist() == [6, -1, -1]


def test_hands_on_top_of_each_other_far_away_do_not_drown_their_torques():
    rng = np.random.default_rng(1)
    vertices = rng.normal(size=(80, 6)) * np.repeat([1.0, LENGTH], 3)
    near = Sum([(vertices, None)], [0, 0], random_maps(rng, 2))
    shift = np.eye(6)
    shift[3:, :3] = [[0.0, -1e3, 1e3], [1e3, 0.0, -1e3], [-1e3, 1e3, 0.0]]
    far = near._replace(maps=shift @ near.maps)
    direction = rng.normal(size=6) * np.repeat([1.0, LENGTH], 3)
    values = [
        hands.solver().maximise(np.zeros(6), (move @ direction)[None], [1.0]).value
        for hands, move in ((near, np.eye(6)), (far, shift))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_many_postures_give_what_each_gives_alone():
    rng = np.random.default_rng(0)
    hands = random_sum(rng, 3, ["cloud", "box"])
    maps = np.array([random_maps(rng, 3) for _ in range(30)])
    wrenches = rng.normal(size=(30, 6)) * np.repeat([4.0, 0.5], 3)
    batch = hands.solver().many(maps, wrenches)
    limits = hands.solver().many(maps, np.zeros((30, 6)), wrenches[:, None], [1.0])
    assert len(batch) == 30 and {SumStatus.OPTIMAL, SumStatus.EMPTY} == set(batch.statuses)
    for i in range(30):
        here = hands._replace(maps=maps[i])
        alone = here.solver().maximise(wrenches[i])
        assert batch.statuses[i] is alone.status and batch.are(alone.status)[i]
        if alone.status is SumStatus.EMPTY:
            assert batch.multipliers[i] @ wrenches[i] > here.support(batch.multipliers[i])[0]
        else:
            total = sum(maps[i, j] @ batch.wrenches[i, j] for j in range(3))
            assert np.allclose(total, wrenches[i], atol=1e-9)
        limit = here.solver().maximise(np.zeros(6), wrenches[i][None], [1.0])
        assert limits.value[i] == pytest.approx(limit.value, rel=1e-9)
        assert limits.upper_bound[i] == pytest.approx(limit.value, rel=1e-9)
        assert limits.z[i, 0] == limits.value[i]


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    hands = random_sum(rng, 2, ["cloud"])
    wrenches = rng.normal(size=(2 * CHUNK + 9, 6))
    solver = hands.solver()
    before = solver.maximise(wrenches[0])
    one, two = (solver.many(hands.maps, wrenches, threads=threads) for threads in (1, 2))
    for name in ("codes", "wrenches", "multipliers", "pivots"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name == "wrenches")
    assert solver.maximise(wrenches[0]).status is before.status


def test_shapes_that_do_not_fit_are_refused():
    hands = random_sum(np.random.default_rng(2), 2, ["box"])
    with pytest.raises(InputError, match="one for all or one for each"):
        hands.solver().many(np.tile(hands.maps, (3, 1, 1, 1)), np.zeros((4, 6)))
    with pytest.raises(InputError, match="axes"):
        hands.solver().many(hands.maps, np.zeros((4, 6)), np.zeros((7, 6)), np.zeros(7))
