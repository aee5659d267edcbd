from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import MissingDependencyError, SolverError
from holdfast.papers.table_one import Questions, Reply, Series, ask, ask_slow, ratio, sample, shuffled, timed
from holdfast.solvers import Solution
from tests.papers.studies.table1.pair import PULL, opposed_pair


def series_of(seconds: dict[int, float], **rest: object) -> Series:
    replies = [Reply(i, s, s / 2, "holds") for i, s in seconds.items()]
    return Series("any", "test", 9, replies=replies, **rest)


def test_ratios_are_over_the_same_queries():
    ours = series_of({0: 1.0, 1: 2.0, 2: 4.0, 3: 8.0})
    found = ratio(series_of({1: 20.0, 3: 40.0, 7: 1e6}), ours)
    assert (found.mean, found.worst, found.at_least) == (6.0, 5.0, False)
    assert ratio(series_of({}), ours) is None


def test_a_series_tells_the_time_by_its_own_clock():
    assert series_of({0: 1.0, 1: 3.0}).seconds == [1.0, 3.0]
    assert series_of({0: 1.0, 1: 3.0}, clock="cpu").seconds == [0.5, 1.5]


def test_a_rival_that_gave_up_makes_its_ratios_lower_bounds():
    questions = Questions("test", [opposed_pair()], np.array([PULL]))
    ours = ask(Series("ours", "test", 1), hf.solvers.Reference(), questions, [0], repeats=2, verify=True)
    assert ratio(Series("rival", "test", 1, replies=[Reply(0, 1.0, 1.0)]), ours).at_least
    assert (ours.decided, ours.proved, ours.gave_up) == (1, 1, False)


def test_open_answers_at_the_time_limit_are_capped_and_early_ones_are_not():
    replies = [Reply(0, 2.01, 1.0, "undecided"), Reply(1, 0.1, 0.1, "undecided"), Reply(2, 2.5, 2.5, "holds")]
    found = Series("rival", "test", 9, cap=2.0, replies=replies)
    assert (found.capped, found.decided, found.gave_up) == (1, 1, True)


def test_what_is_not_installed_is_said_and_not_raised():
    class Missing:
        def test(self, problem):
            raise MissingDependencyError("nothing", purpose="this", install="pip install nothing")

        maximise = test

    questions = Questions("limit", [opposed_pair()], np.array([PULL]))
    found = ask_slow(Series("rival", "limit", 1), Missing(), questions, [0], 1.0)
    assert found.fault == "nothing is not installed"
    assert not found.replies


def test_a_backend_that_fails_leaves_its_query_open():
    class Failing:
        def test(self, problem):
            raise SolverError("numerical trouble")

    questions = Questions("test", [opposed_pair()], np.array([PULL, PULL]))
    found = ask_slow(Series("rival", "test", 2), Failing(), questions, [0, 1], 60.0)
    assert [reply.status for reply in found.replies] == ["failed", "failed"]
    assert found.gave_up


def test_the_budget_ends_a_slow_series_but_not_before_its_first_answer():
    questions = Questions("test", [opposed_pair()], np.array([PULL] * 5))
    found = ask_slow(Series("rival", "test", 5), hf.solvers.Reference(), questions, [3, 1, 2], 0.0)
    assert found.indices == [3]


def test_waiting_costs_no_cpu_time():
    answer = hf.equilibrium(opposed_pair(), PULL, method=hf.solvers.Reference())
    calls = []

    def waits() -> hf.statics.Equilibrium:
        calls.append(time.sleep(0.02))
        return answer

    found, wall, cpu = timed(waits, repeats=3)
    assert found is answer
    assert len(calls) == 3
    assert cpu < wall


def test_a_series_comes_back_from_json_as_it_was():
    questions = Questions("limit", [opposed_pair()], np.array([PULL, -PULL]))

    class Odd:
        def maximise(self, problem):
            return Solution(hf.Status.UNDECIDED, -math.inf, math.inf)

    for method in (hf.solvers.Reference(), Odd()):
        first = ask(Series("a", "limit", 2, cap=3.0, clock="cpu"), method, questions, [0, 1], verify=True)
        again = Series.from_data(json.loads(json.dumps(first.data(), allow_nan=False)))
        assert again == first
    unlimited = Series("b", "test", 1, replies=[Reply(0, 1.0, 1.0)])
    again = Series.from_data(json.loads(json.dumps(unlimited.data(), allow_nan=False)))
    assert again.cap == math.inf
    assert math.isnan(again.replies[0].value)


@pytest.mark.parametrize("n", [2, 4, 9])
def test_samples_are_seeded_distinct_and_whole_when_few(n):
    possible = [3, 5, 8, 9]
    found = sample(possible, n, 7)
    assert found == sample(possible, n, 7) == sorted(set(found))
    assert len(found) == min(n, 4)
    assert set(found) <= set(possible)


def test_the_order_of_rivals_is_seeded_and_leaves_nothing_out():
    assert shuffled(range(40), 1) == shuffled(range(40), 1) != shuffled(range(40), 2)
    assert sorted(shuffled(range(40), 1)) == list(range(40))
