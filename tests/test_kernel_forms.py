"""Whichever form of the kernels answers, interpreted or compiled: the same verdict, value and proof."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast import compiling
from holdfast.postures.files import POSTURES
from holdfast.scenes import load_scene, ready_names
from holdfast.solvers.exact.search import solve
from tests.nightly import nightly_after
from tests.referee import random_case
from tests.solvers.unit_cases import random_units, regular_units

#: Values agree within the sum of the gaps that both forms stop at.
VALUE_SHARE = 2.0 * hf.tolerances.GAP
RANDOM_SEEDS, DEFAULT_SEEDS, SEEDS_PER_TEST = 1000, 200, 20


@contextmanager
def running(form: str) -> Iterator[None]:
    """Kernels run in one form, whatever was compiled before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compiling.VARIABLE, form)
        patch.setattr(compiling._Rules, "compiled", False)
        for kernel in compiling.every:
            patch.setattr(kernel, "_compiled", None)
        yield
        assert form != "interpreted" or all(kernel._compiled is None for kernel in compiling.every)


def both(question: Callable[[], Any]) -> tuple[Any, Any]:
    """The answers of both forms."""
    with running("interpreted"):
        first = question()
    with running("compiled"):
        return first, question()


def assert_same_holding(assembly: hf.Assembly, wrench: np.ndarray) -> None:
    tests = both(lambda: hf.equilibrium(assembly, wrench))
    assert tests[0].status == tests[1].status
    assert tests[0].verify() == tests[1].verify() == (tests[0].status is not hf.Status.UNDECIDED)
    if not wrench.any():
        return
    limits = both(lambda: hf.load_limit(assembly, wrench))
    assert limits[0].status == limits[1].status
    assert limits[0].verify() == limits[1].verify() == (limits[0].status is not hf.Status.UNDECIDED)
    assert limits[0].value == pytest.approx(limits[1].value, rel=VALUE_SHARE, abs=1e-12)


@pytest.mark.parametrize("name", ready_names())
def test_ready_scenes_hold_the_same(name):
    scene = load_scene(f"@{name}")
    assert_same_holding(scene.assembly, scene.gravity_load())


@pytest.mark.parametrize(
    "first", nightly_after(DEFAULT_SEEDS // SEEDS_PER_TEST, range(0, RANDOM_SEEDS, SEEDS_PER_TEST))
)
def test_random_assemblies_hold_the_same(first):
    """Unions, rays, joint rows without limits, rows that exclude zero."""
    for seed in range(first, first + SEEDS_PER_TEST):
        case = random_case(seed)
        assert_same_holding(case.assembly, case.direction)


@pytest.mark.parametrize("seeds", nightly_after(2, [range(first, first + 10) for first in range(0, 200, 10)]))
@pytest.mark.parametrize("cases", [random_units, regular_units])
def test_units_hold_the_same(cases, seeds):
    """Contacts that share a piece, in random and in regular assemblies."""
    for seed in seeds:
        case = cases(seed)
        assert_same_holding(case.assembly, case.direction)


@pytest.mark.parametrize("name", POSTURES.names())
def test_ready_postures_hold_the_same(name):
    scene = hf.load(f"@{name}")
    answers = both(lambda: hf.posture_equilibrium(scene.grips, scene.poses, scene.wrench))
    assert answers[0].status == answers[1].status
    assert answers[0].verify() and answers[1].verify()
    assert answers[0].scale_interval == pytest.approx(answers[1].scale_interval, rel=VALUE_SHARE)


@pytest.mark.parametrize("name", ["climber_on_overhang", "quadruped_on_rock"])
def test_batches_of_postures_hold_the_same(name):
    scene = hf.load(f"@{name}")
    pushes = np.random.default_rng(5).normal(size=(12, 6)) * np.repeat([60.0, 10.0], 3)
    pushes *= np.geomspace(0.5, 50.0, len(pushes))[:, None]
    poses = [scene.poses] * len(pushes)
    answers = both(lambda: hf.postures.posture_many(scene.grips, poses, scene.wrench + pushes))
    assert answers[0].status.tolist() == answers[1].status.tolist()
    assert 0 < answers[0].holds.sum() < len(pushes)
    assert answers[0].verify() and answers[1].verify()


@pytest.mark.parametrize("name", ["two_finger_gripper_d_d", "microspine_pull", "measured_gripper"])
def test_separations_are_the_same(name):
    scene = load_scene(f"@{name}")
    mass = np.diag([1.0, 1.0, 1.0, 0.01, 0.01, 0.01])
    answers = both(lambda: hf.separation(scene.assembly, scene.gravity_load(), mass))
    assert answers[0].status == answers[1].status
    assert answers[0].verify() and answers[1].verify()
    assert np.allclose(answers[0].acceleration, answers[1].acceleration, rtol=1e-4, atol=1e-4)


def test_a_hard_search_goes_on_compiled(monkeypatch):
    """The form changes in the middle of a search, once it is known to be hard; the answer does not."""
    scene = load_scene("@two_finger_gripper_pmd_pmd")
    wrench = scene.gravity_load()
    with running("auto"):
        monkeypatch.setattr(compiling, "_spent", {})
        monkeypatch.setattr("holdfast.solvers.exact.method.INTERPRETED_NODES", 4)
        monkeypatch.setattr(compiling, "LOADING_SECONDS", 1e-9)
        monkeypatch.setattr(compiling, "COMPILING_SECONDS", 1e-9)
        monkeypatch.setitem(vars(solve), "_price", 1e-9)
        assert solve.is_interpreted
        answer = hf.load_limit(scene.assembly, wrench)
        assert not solve.is_interpreted
    with running("compiled"):
        assert answer.verify() and answer.value == pytest.approx(hf.load_limit(scene.assembly, wrench).value)


def test_a_time_limit_that_interpreted_kernels_miss_is_that_of_compiled_ones(monkeypatch):
    """The time limit ends the interpreted search, and the compiled one begins anew with all of it."""
    scene = load_scene("@two_finger_gripper_pmd_pmd")
    wrench, method = scene.gravity_load(), hf.solvers.Exact(time_limit=0.5)
    monkeypatch.setattr("holdfast.solvers.exact.method.INTERPRETED_NODES", 4)
    with running("interpreted"):
        assert (
            hf.load_limit(scene.assembly, wrench, method=hf.solvers.Exact(time_limit=1e-3)).status
            is hf.Status.UNDECIDED
        )
    with running("auto"):
        monkeypatch.setattr(compiling, "_spent", {})
        assert hf.load_limit(scene.assembly, wrench, method=method).status is hf.Status.OPTIMAL


FIRST_COMMANDS = [
    "check @suction_cup",
    "limit @four_finger_hand_opposed --direction 0,0,-1",
    "posture @climber_on_overhang",
    "support @quadruped_on_rock",
    "motions @peg_jammed",
    "grasps --part bracket --hand generic",
]
PLANAR = [
    "block_on_incline",
    "ladder",
    "painleve_rod_turning",
    "peg_jammed",
    "peg_wedged",
    "three_finger_grasp",
    "six_link_snake",
]
#: What differs between runs: times and counts of the work.
EFFORT = {"effort", "seconds", "nodes", "programs", "pivots", "pricings"}


def assert_alike(first: Any, second: Any, where: str = "") -> None:
    """Two answers as JSON data: the same texts, numbers that agree."""
    assert type(first) is type(second) or {type(first), type(second)} == {int, float}, where
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first.keys() - EFFORT:
            assert_alike(first[key], second[key], f"{where}.{key}")
    elif isinstance(first, list):
        assert len(first) == len(second), where
        for index, pair in enumerate(zip(first, second, strict=True)):
            assert_alike(*pair, f"{where}[{index}]")
    elif isinstance(first, float | int) and not isinstance(first, bool):
        assert first == pytest.approx(second, rel=1e-5, abs=1e-7), where
    else:
        assert first == second, where


@pytest.mark.parametrize(
    "command",
    [
        *(f"support @{name}" for name in POSTURES.names()),
        *(f"motions @{name}" for name in PLANAR),
        "torques @two_link_snake",
        "grasps --part bracket --hand barrett",
        "grasps --part bracket --hand parallel_jaw",
    ],
)
def test_commands_answer_the_same(run_json, command):
    (code, first), (other, second) = both(lambda: run_json(*command.split()))
    assert code == other
    assert_alike(first, second)


@pytest.mark.parametrize("command", FIRST_COMMANDS)
def test_a_first_question_loads_no_compiler(command):
    code = f"""
import json, sys
from holdfast.cli import app
try:
    app({command.split()!r} + ["--json"])
except SystemExit:
    pass
heavy = ("numba", "llvmlite", "matplotlib", "trimesh", "scipy.optimize")
print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr)
"""
    environment = {**os.environ, compiling.VARIABLE: "auto"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(done.stdout)
    assert json.loads(done.stderr) == []


@pytest.mark.parametrize("seed", nightly_after(6, range(60)))
@pytest.mark.parametrize("rule", ["brittle", "slip", "ductile"])
def test_both_forms_follow_the_same_path_of_load_sharing(seed: int, rule: str) -> None:
    rng = np.random.default_rng(seed)
    volume = hf.models.suction(45.0, 0.5) if seed % 2 else hf.models.coulomb(0.6, cap=60.0)
    places = [(*rng.uniform(-0.1, 0.1, 2), 0.0) for _ in range(int(rng.integers(3, 7)))]
    assembly = hf.Assembly([hf.Contact(place, np.eye(3), volume) for place in places])
    load = rng.normal(size=6) * [1.0, 1.0, 1.0, 0.05, 0.05, 0.05]
    weight = hf.loads.gravity_wrench(1.0, com=assembly.positions.mean(axis=0))
    first, second = both(lambda: hf.load_sharing(assembly, load, (2000.0, 700.0), base=weight, rule=rule))
    assert first.status == second.status
    assert first.verify()
    assert second.verify()
    assert [(event.kind, event.contact) for event in first.events] == [
        (event.kind, event.contact) for event in second.events
    ]
    assert (first.first_failure, first.peak) == pytest.approx((second.first_failure, second.peak), rel=1e-9)
