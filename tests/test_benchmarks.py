"""The benchmarks' own arithmetic, scenes and checks; what they measure is their own affair."""

from __future__ import annotations

import json

import numpy as np
import pytest

import holdfast as hf
from benchmarks import measuring, wrench_spaces
from benchmarks.__main__ import names, save
from benchmarks.coulomb.contest import margins
from benchmarks.coulomb.scenes import MU, Edges, Scene, grasp, ground, walk
from benchmarks.nightly import soak
from benchmarks.nightly.__main__ import report, summarised
from benchmarks.nightly.cases import TWISTS, query
from benchmarks.nightly.checking import Outcome, examine
from benchmarks.nightly.worker import Worker
from benchmarks.reporting import Target
from holdfast.solvers import Solution
from studies.hauser.table_one import device_row

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

    assert {"wrench_spaces", "coulomb", "growth"} <= set(names())
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in names())


# -- targets ----------------------------------------------------------------------------------------


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


# -- wrench spaces ----------------------------------------------------------------------------------


def test_rays_are_the_same_on_one_core_and_the_v_form_agrees_with_them():
    size = wrench_spaces.Size({"fx,ty,fz": 20}, limit=5.0, rows=None, queries=None, milp=2, cap=20.0, budget=20.0)
    found = wrench_spaces.measure(device_row("2OU"), "fx,ty,fz", size)
    assert (len(found.space.values), found.undecided, found.same) == (20, 0, True)
    assert (found.rival.decided, found.wrong) == (2, 0)
    for reply in found.rival.replies:
        assert reply.value == pytest.approx(found.space.values[reply.index], rel=1e-5)
    json.dumps(found.data(), allow_nan=False)
    assert len(found.cells()) == 15


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
        assert hf.equilibrium(assembly, wrench, method=hf.solvers.Reference()).holds == (margin > 0.0)


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


def test_growth_of_memory_is_counted_from_the_end_of_the_warm_up():
    steady = measuring.Memory(100.0, [(t, 1000 if t < 60 else 2000) for t in range(0, 400, 5)])
    assert steady.warm == 2000 and steady.growth == 0.0 and not steady.trouble
    growing = measuring.Memory(100.0, [(t, 1000 + 2 * t) for t in range(0, 400, 5)])
    assert growing.growth == pytest.approx((1000 + 2 * 375) / (1000 + 2 * 95) - 1.0, rel=0.02)
    assert "grew by 4" in growing.trouble
    assert "growth +" in str(growing)
    short = measuring.Memory(100.0, [(5.0, 1000), (10.0, 3000)])
    assert short.growth == 0.0 and not short.trouble


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

    monkeypatch.setattr(hf.solvers, "Exact", Liar)
    numbers = [n for n in range(60) if query_route(n) == "cold"]
    assert {examine(n, 5).name for n in numbers} == {"UNPROVED"}


def query_route(number: int) -> str:
    return "" if tuple(TWISTS)[number % len(TWISTS)] == "border" else query(number, 5).route


def test_a_hang_and_a_crash_are_outcomes():
    with Worker(seed=5, hang=600.0) as worker:
        assert not worker.examine(0).bad
        worker._process.kill()
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


def test_a_sweep_that_is_interrupted_or_killed_is_resumed_with_the_same_results(tmp_path):
    right = soak.swept(None)
    soak.interrupted_sweep(tmp_path, right)
    soak.killed_sweep(tmp_path, right)
    with pytest.raises(soak.Trouble, match="other results"):
        soak.interrupted_sweep(tmp_path, right[::-1])


@pytest.mark.nightly
def test_a_round_of_the_soak_finds_nothing_wrong_and_is_saved(tmp_path, monkeypatch):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    saved, shown = tmp_path / "soak.jsonl", []
    done, memory = soak.soaked(0.1, 3, saved, lambda now, words: shown.append(words))
    assert done.troubles == []
    assert done.counts["pages settled"] == 4 and done.counts["sweeps killed"] == 1 and done.counts["moves"] > 4
    assert [json.loads(line)["round"] for line in saved.read_text().splitlines()] == [1]
    assert len(shown) == len(memory.samples) == 1
    monkeypatch.setattr(soak, "device_batch", lambda rng: 1 / 0)
    done, _ = soak.soaked(0.1, 3, saved, lambda now, words: None)
    assert done.troubles == ["postures on the device cpu: ZeroDivisionError: division by zero"]
