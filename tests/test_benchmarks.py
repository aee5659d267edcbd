"""The benchmarks' own arithmetic, scenes and checks; what they measure is their own affair."""

from __future__ import annotations

import json
import multiprocessing

import numpy as np
import pytest

import holdfast as hf
from benchmarks import measuring, reporting
from benchmarks.__main__ import names, save
from benchmarks.coulomb.contest import margins
from benchmarks.coulomb.scenes import MU, Edges, Scene, grasp, ground, walk
from benchmarks.nightly.__main__ import report, summarised
from benchmarks.nightly.cases import TWISTS, query
from benchmarks.nightly.checking import Outcome, examine
from benchmarks.nightly.worker import Worker
from benchmarks.table_one.asking import Questions, Series, ask, ask_slow, ratio, sample
from benchmarks.table_one.judging import wrong_limits, wrong_tests
from benchmarks.table_one.queries import BORDERS, LIMITS, TESTS, borders, device_rows
from benchmarks.table_one.targets import Target
from holdfast.errors import MissingDependencyError
from holdfast.solvers import Solution
from tests.referee import dented_unit

PULL = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])


def opposed_pair(shear: float = 20.0) -> hf.Assembly:
    """Two units under a plate that shear towards one another: together they can pull."""
    unit = dented_unit(shear=shear)
    down = np.diag([1.0, -1.0, -1.0])
    turned = hf.rotation_about([0, 0, 1], np.pi) @ down
    return hf.Assembly([hf.Contact([0.1, 0, 0], down, unit), hf.Contact([-0.1, 0, 0], turned, unit)])


# -- measuring and reporting ------------------------------------------------------------------------


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.3])
def test_the_exponent_of_a_power_law_is_found(power):
    sizes = [4, 8, 32, 256]
    assert measuring.exponent(sizes, [3e-6 * k**power for k in sizes]) == pytest.approx(power, abs=1e-9)


def test_clocking_returns_the_answer_and_calls_as_often_as_told():
    calls = []
    answer, seconds = measuring.clocked(lambda: calls.append(1) or len(calls), repeats=5)
    assert (answer, len(calls)) == (5, 5)
    assert seconds >= 0.0


def test_a_table_is_one_markdown_table_whatever_its_cells_hold():
    text = reporting.Table("t", ("a", "b"), [["1", "x|y"], ["22", ""]], "note").markdown()
    lines = text.splitlines()
    assert lines[0] == "### t"
    assert [line.replace("\\|", "").count("|") for line in lines[2:6]] == [3, 3, 3, 3]
    assert lines[-1] == "note"


def test_durations_are_told_in_a_fitting_unit():
    assert [reporting.duration(s) for s in (2.0, 3.2e-3, 4.56e-5, 1e-7)] == ["2 s", "3.2 ms", "45.6 us", "0.1 us"]


def test_a_saved_run_is_json_and_markdown(tmp_path):
    saved = {
        "format": 1,
        "date": "d",
        "quick": True,
        "versions": {"python": "3"},
        "hardware": {"cores": 2},
        "rows": {"b": []},
        "data": {"b": {}},
        "tables": {"b": ["### t"]},
    }
    save(tmp_path / "new" / "run.json", saved)
    assert json.loads((tmp_path / "new" / "run.json").read_text())["versions"] == {"python": "3"}
    assert "### t" in (tmp_path / "new" / "run.md").read_text()


def test_every_listed_benchmark_can_be_run():
    import importlib

    assert {"table_one", "coulomb", "growth"} <= set(names())
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in names())


# -- Table I ----------------------------------------------------------------------------------------


def test_the_rows_are_those_of_the_paper():
    rows = {row.name: row.contacts for row in device_rows()}
    assert list(rows.values()) == [8, 8, 12, 16, 16, 20, 24, 48, 48]
    row = next(iter(device_rows()))
    assert row.weights().shape == (TESTS, 6)
    np.testing.assert_allclose(np.linalg.norm(row.forces()[:, :3], axis=1), 1.0)
    assert len(row.forces()) == LIMITS
    np.testing.assert_allclose(row.weights_all_around(50)[:, :3].sum(axis=0), 0.0, atol=0.5)


def test_border_loads_hold_exactly_when_they_are_said_to():
    directions = np.array([PULL, [1.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0, 0.0]])
    near = borders(opposed_pair(), directions)
    assert len(near.wrenches) == len(directions) * len(BORDERS)
    found = [hf.equilibrium(opposed_pair(), w, method=hf.Reference()).holds for w in near.wrenches]
    np.testing.assert_array_equal(found, near.holds)


def test_ratios_are_over_the_same_queries():
    ours = Series("ours", "test", 9, indices=[0, 1, 2, 3], seconds=[1.0, 2.0, 4.0, 8.0])
    rival = Series("rival", "test", 9, indices=[1, 3, 7], seconds=[20.0, 40.0, 1e6])
    found = ratio(rival, ours)
    assert (found.mean, found.worst, found.at_least) == (6.0, 5.0, False)
    assert ratio(Series("none", "test", 9), ours) is None


def test_a_rival_that_gave_up_makes_its_ratios_lower_bounds():
    assembly, method = opposed_pair(), hf.Reference()
    questions = Questions("test", [assembly], np.array([PULL]))
    ours = ask(Series("ours", "test", 1), method, questions, [0], repeats=2)
    rival = Series("rival", "test", 1, indices=[0], seconds=[1.0], answers=[None])
    assert ratio(rival, ours).at_least
    assert (ours.decided, ours.proved) == (1, 1)


def test_what_is_not_installed_is_said_and_not_raised():
    class Missing:
        def test(self, problem):
            raise MissingDependencyError("nothing", purpose="this", install="pip install nothing")

        maximise = test

    questions = Questions("limit", [opposed_pair()], np.array([PULL]))
    found = ask_slow(Series("rival", "limit", 1), Missing(), questions, [0], 1.0)
    assert found.fault == "nothing is not installed"
    assert not found.answers


def test_the_budget_ends_a_slow_series_but_not_before_its_first_answer():
    questions = Questions("test", [opposed_pair()], np.array([PULL] * 5))
    found = ask_slow(Series("rival", "test", 5), hf.Reference(), questions, range(5), 0.0)
    assert found.indices == [0]


def test_contradictions_are_found_and_undecided_answers_are_none():
    strong, weak = opposed_pair(20.0), opposed_pair(10.0)
    for kind, wrenches in (("test", np.array([6.0 * PULL, 1e3 * PULL])), ("limit", np.array([PULL, -PULL]))):
        right = ask(Series("a", kind, 2), hf.Reference(), Questions(kind, [strong], wrenches), [0, 1])
        other = ask(Series("b", kind, 2), hf.Reference(), Questions(kind, [weak], wrenches), [0, 1])
        if kind == "test":
            truth = {i: a.holds for i, a in enumerate(right.answers)}
            assert wrong_tests(right, truth) == []
            assert wrong_tests(right, {0: not truth[0]}) == [0]
        else:
            proven = dict(enumerate(right.answers))
            assert wrong_limits(right, proven, 1e-6) == []
            assert 0 in wrong_limits(other, proven, 1e-6) or other.answers[0].value == right.answers[0].value
            bounds = ask(Series("c", kind, 2), hf.Hull(), Questions(kind, [strong], wrenches), [0, 1])
            assert wrong_limits(bounds, proven, 1e-6) == []


def test_samples_are_seeded_distinct_and_whole_when_few():
    assert sample(range(5), 9, 1) == [0, 1, 2, 3, 4]
    assert sample([3, 5, 8, 9], 2, 7) == sample([3, 5, 8, 9], 2, 7)
    assert len(set(sample(range(100), 50, 3))) == 50


@pytest.mark.parametrize(
    "measured, at_least, verdict",
    [
        (1.0, False, "met"),
        (3.0, False, "NOT MET"),
        (3.0, True, "met"),
        (1.0, True, "NOT MET"),
        (np.nan, True, "not measured"),
    ],
)
def test_targets_are_judged_by_their_own_direction(measured, at_least, verdict):
    target = Target("x", 2.0, float("nan"), at_least, measured, "row", str)
    assert target.verdict(target.target) == verdict
    assert target.verdict(target.stretch) == "-"
    json.dumps(target.data(), allow_nan=False)


# -- Coulomb scenes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("edges", list(Edges))
@pytest.mark.parametrize("make", [ground, grasp])
def test_the_generators_are_the_edges_of_our_own_cones(make, edges):
    scene = make(6, 3, 5)
    assembly = scene.assembly(edges)
    columns = scene.generators(edges)
    for i, contact in enumerate(assembly.contacts):
        np.testing.assert_allclose(contact.rotation @ contact.rotation.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(contact.rotation[:, 2], scene.normals[i], atol=1e-12)
        rays = (contact.rotation @ contact.volume.rays[0].T).T
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        own = columns[:, 4 * i : 4 * i + 4]
        for ray in rays:
            match = np.abs(own[:3] - ray[:, None]).max(axis=0) < 1e-9
            assert match.sum() == 1
            np.testing.assert_allclose(own[3:, match][:, 0], np.cross(contact.position, ray), atol=1e-12)


@pytest.mark.parametrize("make", [ground, grasp])
def test_the_referee_of_coulomb_scenes_agrees_with_the_reference_method(make):
    scene = make(16, 12, 3)
    found = margins(scene, Edges.HPP)
    assert 0 < (found > 0).sum() < len(found)
    assembly = scene.assembly(Edges.HPP)
    for wrench, margin in zip(scene.wrenches(), found, strict=True):
        assert hf.equilibrium(assembly, wrench, method=hf.Reference()).holds == (margin > 0.0)


def test_margins_of_a_single_upright_contact_are_those_of_its_friction_pyramid():
    lean = MU / np.sqrt(2.0)  # edges halfway between the axes
    forces = -np.array([[0.99 * lean, 0.99 * lean, 1.0], [1.01 * lean, 1.01 * lean, 1.0], [0.0, 0.0, -1.0]])
    scene = Scene(
        "ground",
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        np.array([[0.0, 0, 1], [0, 0, 1.0]]),
        forces,
        np.tile([0.5, 0, 0], (3, 1)),
    )
    assert (margins(scene, Edges.HPP) > 0.0).tolist() == [True, False, False]


def test_a_walk_moves_its_load_in_small_steps():
    scene = walk(ground(8, 20, 1), 20)
    turns = np.linalg.norm(np.diff(scene.forces, axis=0), axis=1) / np.linalg.norm(scene.forces[0])
    assert turns.max() < np.deg2rad(0.5)


# -- nightly ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(TWISTS)))
def test_a_query_is_the_same_for_its_number_and_seed(number):
    first, second = query(number, 5), query(number, 5)
    assert (first.twist, first.kind, first.route) == (second.twist, second.kind, second.route)
    np.testing.assert_array_equal(first.wrench, second.wrench)
    np.testing.assert_array_equal(first.assembly.positions, second.assembly.positions)


def test_every_twist_gives_right_answers():
    outcomes = [examine(number, 5) for number in range(2 * len(TWISTS))]
    assert [outcome for outcome in outcomes if outcome.bad] == []
    assert any(outcome.refereed for outcome in outcomes)
    assert len({outcome.name for outcome in outcomes}) >= 3


def test_a_false_verdict_is_caught(monkeypatch):
    """A method that claims everything holds, with no forces to show for it."""

    class Liar:
        def __init__(self, **limits):
            pass

        def test(self, problem):
            return Solution(hf.Status.HOLDS, 1.0, np.inf)

        def maximise(self, problem):
            return Solution(hf.Status.UNBOUNDED, np.inf, np.inf)

    monkeypatch.setattr(hf, "Exact", Liar)
    numbers = [n for n in range(60) if query_route(n) == "cold"]
    assert {examine(n, 5).name for n in numbers} == {"UNPROVED"}


def query_route(number: int) -> str:
    return "" if tuple(TWISTS)[number % len(TWISTS)] == "border" else query(number, 5).route


def test_a_hang_and_a_crash_are_outcomes():
    with Worker(seed=5, hang=60.0) as worker:
        assert not worker.examine(0).bad
        for child in multiprocessing.active_children():
            child.kill()
        assert worker.examine(1) == Outcome("CRASH", bad=True, detail="exit code -9")
        assert not worker.examine(1).bad
    with Worker(seed=5, hang=0.0) as worker:
        assert worker.examine(0).name == "HANG"


def test_the_summary_adds_chunks_up_and_names_what_must_not_happen():
    chunk = {
        "counts": {"test: holds": 2, "HANG": 1},
        "bad": [{"query": 7, "outcome": "HANG", "detail": "d"}],
        "undecided": [],
        "refereed": 1,
        "seconds": 0.5,
        "slowest": [0.4, 7],
    }
    found = summarised([chunk, chunk], 6, 1)
    assert found["counts"] == {"HANG": 2, "test: holds": 4}
    assert found["refereed"] == 2
    text = report(found)
    assert "Must not happen: 2" in text
    assert "| 7" in text
