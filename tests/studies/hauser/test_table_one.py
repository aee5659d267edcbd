"""Two units that pull only together: small enough for every method."""

from __future__ import annotations

import time

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY
from holdfast.errors import MissingDependencyError, SolverError, UnknownNameError
from studies.hauser import table_one as study
from studies.hauser.table_one import (
    BAND,
    BORDERS,
    COUNTING_PROGRAMS,
    FEW_RIVALS,
    GAP,
    KINDS,
    LIMITS,
    PAPER_CAP,
    RIVALS,
    ROWS,
    TABLE_ONE,
    TESTS,
    MeanRange,
    Questions,
    Reply,
    Rival,
    Series,
    TableOne,
    TableRow,
    ask,
    ask_slow,
    borders,
    chosen_rows,
    contradictions,
    device_row,
    firm_verdicts,
    measure,
    printed,
    ratio,
    rivals,
    sample,
    shuffled,
    timed,
    trends_table,
    wrong_limits,
    wrong_tests,
)
from tests.referee import dented_unit

PULL = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])


def opposed_pair(pull: float = 4.0) -> hf.Assembly:
    """Two units under a plate that shear towards one another: together they pull with 2 `pull`."""
    unit = dented_unit(pull=pull)
    down = np.diag([1.0, -1.0, -1.0])
    turned = hf.rotation_about([0, 0, 1], np.pi) @ down
    return hf.Assembly([hf.Contact([0.1, 0, 0], down, unit), hf.Contact([-0.1, 0, 0], turned, unit)])


@pytest.mark.parametrize("name", TABLE_ONE)
def test_an_average_lies_between_least_and_most(name):
    row = TABLE_ONE[name]
    for cell in (row.tests, row.scip, row.limits, row.programs):
        assert 0.0 < cell.least <= cell.mean <= cell.most
    assert row.contacts == 4 * row.units


def test_the_paper_stopped_scip_on_three_rows():
    capped = [name for name, row in TABLE_ONE.items() if row.scip.capped]
    assert capped == ["2FG D-PMD", "2FG MD-MD", "2FG MD-PMD"]
    assert {TABLE_ONE[name].scip.most for name in capped} == {PAPER_CAP}
    assert not any(cell.capped for row in TABLE_ONE.values() for cell in (row.tests, row.limits, row.programs))


def test_a_convex_program_took_the_paper_some_tens_of_milliseconds():
    """Largest time over largest number of programs: the columns belong together, row by row."""
    for name, row in TABLE_ONE.items():
        each = row.limits.most / row.programs.most
        assert 0.02 < each < 0.7, name


def test_the_rows_are_those_of_the_paper_in_units_and_contact_points():
    found = {row.name: (row.units, row.contacts) for row in map(device_row, ROWS)}
    assert found == {name: (row.units, row.contacts) for name, row in TABLE_ONE.items()}
    assert tuple(found) == ROWS


def test_gravity_turns_in_72_even_steps_and_135_unit_forces_go_all_around():
    row = device_row("2OU")
    weights, forces = row.weights()[:, :3], row.forces()
    assert (len(weights), len(forces)) == (TESTS, LIMITS) == (72, 135)
    np.testing.assert_allclose(np.linalg.norm(weights, axis=1), row.device.object.mass * STANDARD_GRAVITY)
    cosines = (weights * np.roll(weights, 1, axis=0)).sum(axis=1) / np.linalg.norm(weights[0]) ** 2
    np.testing.assert_allclose(np.degrees(np.arccos(cosines)), 5.0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(forces[:, :3], axis=1), 1.0)
    np.testing.assert_allclose(forces[:, :3].mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(row.weights(50, sphere=True)[:, :3].sum(axis=0), 0.0, atol=0.5)


def test_forces_go_through_the_centre_of_mass():
    row = device_row("2FG D-D")
    com = row.device.object.com
    for wrench in (*row.forces(7), *row.forces(5, sphere=False), *row.weights(5)):
        np.testing.assert_allclose(wrench[3:], np.cross(com, wrench[:3]), atol=1e-12)


def test_names_come_back_in_the_papers_order_and_a_device_means_all_its_rows():
    assert chosen_rows(None) == ROWS
    assert chosen_rows(["4FH", " 2ou"]) == ("2OU", "4FH parallel", "4FH opposed")
    assert chosen_rows(["2FG pmd-pmd", "2FG D-D"]) == ("2FG D-D", "2FG PMD-PMD")
    with pytest.raises(UnknownNameError, match="2FG D-MD"):
        chosen_rows(["2FG D-M"])
    with pytest.raises(UnknownNameError):
        device_row("4FH")


def test_every_rival_that_searches_gives_up_in_time():
    found = {rival.name: rival for rival in rivals(3.5)}
    assert {getattr(rival.method, "time_limit", None) for rival in found.values() if not rival.quick} == {3.5}
    assert set(FEW_RIVALS) <= set(RIVALS) <= set(found)
    assert COUNTING_PROGRAMS - {"Exact"} <= set(found)


def test_every_rival_is_asked_for_the_same_accuracy_but_the_papers_own():
    for rival in rivals(1.0):
        assert rival.gap == (rival.method.epsilon if rival.name.startswith("Paper") else rival.method.gap)
        assert rival.gap == (1e-3 if rival.name.startswith("Paper") else GAP)


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


SMALL = {"rows": ["2OU"], "queries": 3, "cap": 5.0, "budget": 5.0}


@pytest.mark.nightly
def test_ours_and_a_rival_answer_the_same_queries_alike():
    found = measure(others=["HullMilp, HiGHS"], verify=True, **SMALL)
    (row,) = found.rows
    assert (row.name, row.device.units, row.contacts) == ("2OU", 2, 8)
    test, limit = row.ours["test"], row.ours["limit"]
    assert (test.possible, limit.possible) == (TESTS, LIMITS)
    assert [series.proved for series in (test, limit)] == [3, 3]
    for theirs in row.rivals:
        said = {reply.index: reply for reply in row.ours[theirs.kind].replies}
        assert set(theirs.indices) <= set(said)
        for reply in theirs.replies:
            assert reply.status == said[reply.index].status
            np.testing.assert_allclose(reply.value, said[reply.index].value, rtol=1e-5)
    assert row.wrong == {("HullMilp, HiGHS", "test"): [], ("HullMilp, HiGHS", "limit"): []}
    assert found.our_seconds == pytest.approx(sum(r.cpu for s in (test, limit) for r in s.replies))


def test_the_printed_numbers_bear_out_what_the_paper_says_of_them():
    """Modest growth, worst cases one to two orders off, SCIP 5 to 10 times slower and stopped on three rows."""
    said = printed()
    assert said["growth of an average test with contacts"] == "11 times (k = 8 to 48)"  # (321 + 581) / (25 + 55)
    assert said["worst over average, load limits"] == "3.6 to 27"  # 14.9 s / 4.1 s, 267 s / 10 s
    assert said["load limit over test, averages"] == "1.5 to 65"  # 38 / 25 ms, 12 s / 185 ms
    assert said["big-M on SCIP over the paper's algorithm, average tests"] == "3.1 to 294"  # 1.8 / .581, 53 / .18
    assert said["rows on which SCIP reached its cap in tests"] == "3 of 9, cap 300 s"


def row(name: str, seconds: float, rivals: tuple[Series, ...] = ()) -> TableRow:
    ours = {
        kind: Series(
            "Exact", kind, KINDS[kind], replies=[Reply(i, w * seconds, 0.0, "optimal", programs=w) for i, w in replies]
        )
        for kind, replies in (("test", [(0, 1), (1, 3)]), ("limit", [(0, 10), (1, 30)]))
    }
    return TableRow(device_row(name), ours, rivals)


def test_measured_trends_are_over_the_rows_there_are():
    scip = Series("BigM, SCIP", "test", 72, cap=2.0, replies=[Reply(0, 2.0, 1.0, "undecided")])
    two = TableOne((row("2OU", 1.0, (scip,)), row("4FH opposed", 3.0)), 2.0, 5.0)
    lines = trends_table(two).rows
    assert [line[2] for line in lines] == [
        "3 times (k = 8 to 48)",
        "3 times (k = 8 to 48)",
        "1.5",
        "1.5",
        "10",
        "20",
        "-",
        "1 of 1, cap 2 s",
    ]
    one = TableOne((row("2OU", 1.0),), 2.0, 5.0)
    assert [line[2] for line in trends_table(one).rows][::6] == ["-", "-"]


def series(method: str, kind: str, replies: list[Reply], **rest: object) -> Series:
    return Series(method, kind, KINDS[kind], clock="cpu", replies=replies, **rest)


@pytest.fixture
def found() -> TableOne:
    """Two queries of each kind; one rival ran into its cap, one is not installed."""
    ours = {
        "test": series("Exact", "test", [Reply(3, 2e-3, 1e-3, "holds", programs=1, proved=True)] * 2),
        "limit": series("Exact", "limit", [Reply(5, 2e-3, 1e-3, "optimal", 2.0, 2.0, 7, 3, True)] * 2),
    }
    capped = [Reply(3, 2.05, 1.96, "undecided", programs=1), Reply(4, 0.1, 0.1, "holds", programs=1)]
    rivals = (
        series("BigM, SCIP", "test", capped, cap=2.0),
        series("BigM, SCIP", "limit", [Reply(5, 1.5, 0.5, "optimal", 3.0, 3.0)], cap=2.0),
        series("Paper, CVXOPT", "test", [], cap=2.0, fault="cvxopt is not installed"),
        series("Paper, CVXOPT", "limit", [], cap=2.0, fault="cvxopt is not installed"),
    )
    wrong = {(s.method, s.kind): [5] if s.replies and s.kind == "limit" else [] for s in rivals}
    return TableOne((TableRow(device_row("2OU"), ours, rivals, wrong),), 2.0, 5.0)


def test_a_series_that_met_its_cap_is_written_as_the_paper_writes_it(found):
    scip = found.rows[0].rivals[0]
    assert study.time_span(scip) == "1.03s+ [100ms, 2s+]"
    shared = series("BigM, SCIP", "test", [Reply(0, 2.0, 0.5, "undecided")], cap=2.0)
    assert study.time_span(shared) == "500ms+ [500ms, 500ms+]"  # it had a quarter of a core
    assert TABLE_ONE["2FG D-PMD"].scip.times() == "24s+ [536ms, 300s+]"
    assert study.time_span(found.rows[0].ours["test"]) == "1ms [1ms, 1ms]"


def test_programs_are_counted_for_methods_that_solve_one_after_another(found):
    assert study.program_span(found.rows[0].ours["limit"]) == "7 [7, 7]"
    assert study.program_span(found.rows[0].rivals[0]) == "-"
    assert MeanRange(1515.4, 1, 3986).counts() == "1,515 [1, 3,986]"


def test_rivals_are_reported_with_counts_ratios_and_contradictions(found):
    table = study.rival_table(found)
    lines = [dict(zip(table.header, line, strict=True)) for line in table.rows]
    scip, limit, cvxopt, _ = lines
    assert scip["decided"] == "1 / 2"
    assert scip["ratio"] == ">= 1,960x"  # on query 3 alone, which both were asked
    assert cvxopt["avg [min, max]"] == "cvxopt is not installed"
    assert limit["wrong"] == "1"
    assert "Cap 2 s per query, budget 5 s" in table.note


@pytest.mark.nightly
def test_shared_corners_hold_no_more_than_independent_ones() -> None:
    rows, queries = ["2OU", "2FG D-D"], 3
    free, tied = (measure(rows, queries=queries, corners=corners) for corners in ("independent", "shared"))
    for one, other in zip(free.rows, tied.rows, strict=True):
        for a, b in zip(one.ours["limit"].replies, other.ours["limit"].replies, strict=True):
            assert 0.0 < b.value <= a.value * (1.0 + 1e-6)
    table = study.corners_table(free, tied)
    assert [row[0] for row in table.rows] == rows
    (_, pull, shared_pull, least, _, *_) = table.rows[1]
    assert float(shared_pull) < float(pull) and int(least.removesuffix(" %")) < 100


def test_border_loads_hold_exactly_when_they_should():
    directions = np.array([PULL, [1.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0, 0.0]])
    wrenches, holds = borders(opposed_pair(), directions)
    assert len(wrenches) == len(directions) * len(BORDERS)
    found = [hf.equilibrium(opposed_pair(), w, method=hf.solvers.Reference()).holds for w in wrenches]
    np.testing.assert_array_equal(found, holds)
