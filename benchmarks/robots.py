"""Planners' callbacks on the climber: kinematics, verdict, margin and gradient, warm; and the climbing study's time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row
from benchmarks.postures import whitened
from benchmarks.reporting import Report, TextTable, duration
from holdfast.papers.devices.climber import LIMBS, robot_file
from holdfast.robots import Hand, Robot
from holdfast.robots.kinematics import reach
from holdfast.robots.planning import Lean, LoadGrowth, PosturePlanner, Pushes

SEED = 7
SIZES = (250, 1000, 6615)
#: Vertices of the grips by which the target goes, and the target: `feasible(q)` with kinematics [s].
VERTICES, TARGET = 1000, 1e-3
#: The climbing study: with grips to learn, and with everything kept from before [s].
STUDY_TARGETS = {"grips learned": 300.0, "grips kept": 60.0}

Postures = list[np.ndarray]


def grip(n: int) -> hf.Grip:
    """A strong hand: `n` vertices on an ellipsoid."""
    return hf.Grip(10.0 * whitened(n))


def on_a_wall(robot: Robot) -> np.ndarray:
    """The climber with its palms at four places on a vertical wall."""
    turn = np.column_stack([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    angles = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, -0.5), (4, 1.0))}
    start = robot.configuration(angles, base=hf.Pose(turn, [-0.4, 0.0, 0.0]))
    facing = hf.frame_from_normal((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    places = {
        limb: hf.Pose(facing, [0.0, 0.45 if "left" in limb else -0.45, 0.5 if "front" in limb else -0.5])
        for limb in LIMBS
    }
    found = reach(robot, start, hands(grip(64)), places)
    assert found.found
    return found.q


def hands(own: hf.Grip) -> list[Hand]:
    """The four palms with one grip."""
    return [Hand(f"{limb}_palm", (), own, name=limb) for limb in LIMBS]


def ways(robot: Robot, q: np.ndarray, n: int) -> dict[str, Postures]:
    """Postures as planners ask for them: samples all about, and steps of 1 mm and 1 mrad along a path."""
    rng = np.random.default_rng(SEED)
    samples = [robot.moved(q, 0.2 * rng.normal(size=robot.v_size)) for _ in range(n)]
    along = rng.normal(size=robot.v_size)
    return {"samples": samples, "path": [robot.moved(q, 1e-3 * step * along) for step in range(n)]}


def seconds(call: Callable[[Any], object], postures: Postures) -> list[float]:
    """Time of each call, the first few not counted: they make tables."""
    for q in postures[:3]:
        call(q)
    found = []
    for q in postures:
        start = time.perf_counter()
        call(q)
        found.append(time.perf_counter() - start)
    return found


def measured(robot: Robot, q: np.ndarray, n: int, count: int) -> list[tuple[str, str, list[float]]]:
    """(what, way, times) of every callback for grips of n vertices."""
    own = hands(grip(n))
    growth = PosturePlanner(robot, own, margin=LoadGrowth(), joint_limits=False)
    limbs = PosturePlanner(robot, own, joint_limits=False, limb_limits=True)
    pushes, lean = growth.with_margin(Pushes()), growth.with_margin(Lean())
    calls: dict[str, tuple[Callable[[Any], object], int]] = {
        "kinematics alone": (growth.stand, count),
        "feasible": (growth.feasible, count),
        "feasible, with limb torques": (limbs.feasible, max(10, count // 5)),
        "margin: growth": (growth.margin, count),
        "gradient: growth": (growth.gradient, count),
        "differences: growth": (growth.differences, max(5, count // 50)),
        "margin: six axes": (pushes.margin, max(10, count // 5)),
        "margin: lean": (lean.margin, max(10, count // 10)),
        "gradient: lean": (lean.gradient, max(10, count // 10)),
    }
    found = []
    for way, postures in ways(robot, q, count).items():
        for what, (call, calls_made) in calls.items():
            found.append((what, way, seconds(call, postures[:calls_made])))
    return found


def study_times(samples: int) -> dict[str, float]:
    """The climbing study, first with grips to learn, then with all that was kept of it [s]."""
    from holdfast.papers.climbing import climb, climbing_grips

    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for what in STUDY_TARGETS:
            start = time.perf_counter()
            climb(climbing_grips(samples, cache=Path(folder), workers=2), cache=Path(folder))
            times[what] = time.perf_counter() - start
    return times


def run(quick: bool) -> Report:
    """All figures; the study only in a full run."""
    robot = Robot.from_urdf(robot_file("climber_without_fingers"))
    q = on_a_wall(robot)
    count, sizes = (20, (VERTICES,)) if quick else (500, SIZES)
    found = {n: measured(robot, q, n, count) for n in sizes}
    rows: list[Row] = [
        row(f"{what}, {way}, {n} vertices", [1e3 * s for s in times], "ms")
        for n, own in found.items()
        for what, way, times in own
    ]
    tables = [_callbacks(n, own) for n, own in found.items()]
    if not quick:
        studied = study_times(400)
        rows += [row(f"climbing study, {what}", [s]) for what, s in studied.items()]
        tables.append(_study(studied))
    return Report(rows, tables, {"robot": robot.name, "joints": len(robot.joints)})


def _callbacks(n: int, found: list[tuple[str, str, list[float]]]) -> TextTable:
    cells = []
    for what, way, times in found:
        median, late, worst = np.median(times), np.percentile(times, 95), max(times)
        goal = duration(TARGET) if what == "feasible" and n == VERTICES else "-"
        cells.append([what, way, *(duration(float(x)) for x in (median, late, worst)), goal])
    header = ("callback", "postures", "median", "95 %", "worst", "target")
    note = "Climber, 28 joints, floating base, four hands; every call does its own kinematics. Warm."
    return TextTable(f"Planners: grips of {n:,} vertices", header, cells, note)


def _study(found: dict[str, float]) -> TextTable:
    cells = [[what, duration(s), duration(STUDY_TARGETS[what])] for what, s in found.items()]
    return TextTable(
        "Climbing study", ("what", "time", "target"), cells, "Two walls, two stances, four grips; 2 processes."
    )
