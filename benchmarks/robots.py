"""Planners' callbacks on the climber: kinematics, verdict, margin and gradient, warm; and the climbing study's time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row
from benchmarks.postures import whitened
from benchmarks.reporting import Report, TextTable, duration
from holdfast.robots import ContactSite, Hand, Robot, hierarchical_body, whole_body
from holdfast.robots.kinematics import reach
from holdfast.robots.planning import Lean, LoadGrowth, PosturePlanner, Pushes

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

SEED = 7
SIZES = (250, 1000, 6615)
#: Vertices of the grips by which the target goes, and the target: `feasible(q)` with kinematics [s].
VERTICES, TARGET = 1000, 1e-3

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
    growth = PosturePlanner(robot, own, margin=LoadGrowth(), joint_limits=False, limb_limits=False)
    limbs = PosturePlanner(robot, own, joint_limits=False)
    pushes, lean = growth.with_margin(Pushes()), growth.with_margin(Lean())
    calls: dict[str, tuple[Callable[[Any], object], int]] = {
        "kinematics alone": (growth.stand, count),
        "feasible": (growth.feasible, count),
        "feasible, with limb torques": (limbs.feasible, count),
        "margin: growth, with limb torques": (limbs.margin, count),
        "gradient: growth, with limb torques": (limbs.gradient, count),
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


#: `feasible(q)` of a quadruped with limb torques and kinematics [s].
QUADRUPED_TARGET = 3e-4


def quadruped() -> tuple[Robot, np.ndarray, list[Hand]]:
    """(robot, posture, feet): a 16 kg body on four legs of three joints, 12 N m each, on feet with friction."""

    def link(name: str, mass: float, z: float) -> str:
        inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
        return f'<link name="{name}"><inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>{inertia}</inertial></link>'

    def joint(name: str, parent: str, child: str, at: str, axis: str) -> str:
        limit = '<limit lower="-2.5" upper="2.5" effort="12" velocity="1"/>'
        ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/><axis xyz="{axis}"/>'
        return f'<joint name="{name}" type="revolute">{ends}{limit}</joint>'

    parts = [link("body", 10.0, 0.0)]
    for i, at in enumerate(("0.3 0.2 0", "0.3 -0.2 0", "-0.3 0.2 0", "-0.3 -0.2 0")):
        parts += [link(f"hip{i}", 0.1, 0.0), link(f"thigh{i}", 1.0, -0.15), link(f"shin{i}", 0.5, -0.12)]
        parts += [f'<link name="foot{i}"/>', joint(f"roll{i}", "body", f"hip{i}", at, "1 0 0")]
        parts.append(joint(f"pitch{i}", f"hip{i}", f"thigh{i}", "0 0 0", "0 1 0"))
        parts.append(joint(f"knee{i}", f"thigh{i}", f"shin{i}", "0 0 -0.3", "0 1 0"))
        ends = f'<parent link="shin{i}"/><child link="foot{i}"/><origin xyz="0 0 -0.25"/>'
        parts.append(f'<joint name="ankle{i}" type="fixed">{ends}</joint>')
    robot = Robot.from_urdf(f'<robot name="quadruped">{"".join(parts)}</robot>', base="floating")
    bent = {f"pitch{i}": 0.4 for i in range(4)} | {f"knee{i}": -0.8 for i in range(4)}
    volume = hf.models.coulomb(0.8, cap=300.0, facets=8)
    corners = volume.polytopes[0].vertices
    grip = hf.Grip(np.concatenate([corners, np.zeros_like(corners)], axis=1))
    sole = hf.Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    feet = [Hand(f"foot{i}", (ContactSite(f"foot{i}", volume, sole),), grip) for i in range(4)]
    return robot, robot.configuration(bent, base=hf.Pose(np.eye(3), [0.0, 0.0, 0.5])), feet


def on_a_quadruped(count: int) -> list[tuple[str, str, list[float]]]:
    """(what, way, times) of callbacks with limb torques, and of other ways to the same verdict."""
    robot, q, feet = quadruped()
    planner = PosturePlanner(robot, feet, joint_limits=False)
    free = PosturePlanner(robot, feet, joint_limits=False, limb_limits=False)
    touches = [touch for hand in feet for touch in hand.touches]
    few = max(10, count // 20)
    calls: dict[str, tuple[Callable[[Any], object], int]] = {
        "kinematics alone": (planner.stand, count),
        "feasible": (planner.feasible, count),
        "feasible, without limb torques": (free.feasible, count),
        "margin: growth": (planner.margin, count),
        "gradient: growth": (planner.gradient, count),
        "whole_body": (lambda at: whole_body(robot, at, touches).equilibrium(), few),
        "one linear program": (lambda at: hierarchical_body(robot, at, feet).side_answer("inner"), few),
    }
    rng = np.random.default_rng(SEED)
    samples = [robot.moved(q, 0.05 * rng.normal(size=robot.v_size)) for _ in range(count)]
    along = rng.normal(size=robot.v_size)
    paths = [robot.moved(q, 1e-4 * step * along) for step in range(count)]
    found = [
        (what, way, seconds(call, postures[:made]))
        for way, postures in (("samples", samples), ("path", paths))
        for what, (call, made) in calls.items()
    ]
    for workers in (1, 2):
        planner.feasible_many(samples[: min(count, 300)], workers=workers)
        began = time.perf_counter()
        planner.feasible_many(samples * 5, workers=workers)
        found.append((f"feasible_many, {workers} workers", "samples", [(time.perf_counter() - began) / (5 * count)]))
    return found


def _quadruped(found: list[tuple[str, str, list[float]]]) -> TextTable:
    base = {way: float(np.median(times)) for what, way, times in found if what == "feasible"}
    cells = []
    for what, way, times in found:
        median, late = np.median(times), np.percentile(times, 95)
        goal = duration(QUADRUPED_TARGET) if what == "feasible" else "-"
        cells.append([what, way, duration(float(median)), duration(float(late)), f"{median / base[way]:.2g}", goal])
    header = ("callback", "postures", "median", "95 %", "of feasible", "target")
    note = "Quadruped, 12 joints with torque limits, four feet of 9 vertices; kinematics included. Warm."
    return TextTable("Planners: limb torques of a quadruped", header, cells, note)


def study_time(samples: int) -> float:
    """The climbing study [s]."""
    from studies.hauser.climbing import climb, climbing_grips

    start = time.perf_counter()
    climb(climbing_grips(samples, workers=2))
    return time.perf_counter() - start


def run(quick: bool) -> Report:
    """All figures; the study only in a full run."""
    robot = Robot.from_urdf("@climber_without_fingers")
    q = on_a_wall(robot)
    count, sizes = (20, (VERTICES,)) if quick else (500, SIZES)
    found = {n: measured(robot, q, n, count) for n in sizes}
    rows: list[Row] = [
        row(f"{what}, {way}, {n} vertices", [1e3 * s for s in times], "ms")
        for n, own in found.items()
        for what, way, times in own
    ]
    tables = [_callbacks(n, own) for n, own in found.items()]
    walked = on_a_quadruped(count)
    rows += [row(f"quadruped: {what}, {way}", [1e3 * s for s in times], "ms") for what, way, times in walked]
    tables.append(_quadruped(walked))
    if not quick:
        rows.append(row("climbing study", [study_time(400)], note="two walls, two stances, four grips; 2 processes"))
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
