from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.table_one import (
    BAND,
    Questions,
    Reply,
    Rival,
    Series,
    ask,
    contradictions,
    firm_verdicts,
    wrong_limits,
    wrong_tests,
)
from tests.papers.studies.table1.pair import PULL, opposed_pair


def asked(kind: str, assembly: hf.Assembly, wrenches: np.ndarray, method: object) -> Series:
    return ask(Series("a", kind, len(wrenches)), method, Questions(kind, [assembly], wrenches), range(len(wrenches)))


def test_another_verdict_is_found_and_an_open_one_is_none():
    loads = np.array([6.0 * PULL, 1e3 * PULL])
    right = asked("test", opposed_pair(), loads, hf.solvers.Reference())
    assert [reply.status for reply in right.replies] == ["holds", "does not hold"]
    assert wrong_tests(right, {0: True, 1: False}) == []
    assert wrong_tests(right, {0: False}) == [0]
    assert wrong_tests(asked("test", opposed_pair(), loads, hf.solvers.Hull()), {0: True, 1: False}) == []


def test_another_limit_is_found_and_true_bounds_are_none():
    strong, weak = opposed_pair(4.0), opposed_pair(2.0)
    ways = np.array([PULL, -PULL])  # 8 against 4 newtons; pushes are alike
    right = {reply.index: reply for reply in asked("limit", strong, ways, hf.solvers.Reference()).replies}
    other = asked("limit", weak, ways, hf.solvers.Reference())
    assert wrong_limits(other, right, 1e-6) == [0]
    assert wrong_limits(other, right, 1.0) == []  # a gap that wide excuses it
    assert wrong_limits(asked("limit", strong, ways, hf.solvers.Hull()), right, 1e-6) == []


@pytest.mark.parametrize("kind", ["test", "limit"])
def test_a_rival_is_wrong_only_where_our_answer_proves_itself(kind):
    strong, weak = opposed_pair(4.0), opposed_pair(2.0)
    loads = np.array([6.0 * PULL, 1e3 * PULL])  # the strong one holds 8 N, the weak one 4 N
    questions = Questions(kind, [strong], loads)
    rival = Rival("rival", hf.solvers.Reference())
    ours = asked(kind, strong, loads, hf.solvers.Exact(gap=1e-6))
    assert contradictions(rival, asked(kind, strong, loads, rival.method), ours, questions) == []
    of_another = asked(kind, weak, loads, rival.method)
    assert contradictions(rival, of_another, ours, questions) == ([0] if kind == "test" else [0, 1])
    false = Series("ours", kind, 2, replies=[Reply(0, 1.0, 1.0, "does not hold"), Reply(1, 1.0, 1.0, "undecided")])
    right = asked(kind, strong, loads, rival.method)
    assert contradictions(rival, right, false, questions) == []  # our own mistake is not the rival's


def test_a_verdict_within_the_band_of_the_limit_is_not_held_against_anyone():
    pair = opposed_pair()
    limit = hf.load_limit(pair, PULL, method=hf.solvers.Exact(gap=1e-9)).value
    loads = np.array([(1.0 - 0.3 * BAND) * limit * PULL, 0.9 * limit * PULL, 1.1 * limit * PULL])
    assert firm_verdicts(pair, loads, range(3)) == {1: True, 2: False}
