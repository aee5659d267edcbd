"""Postures of hands with thousands of vertices: tests and margins, cold and warm, against (20) in full and rivals."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.coulomb.peers import CONTESTANTS
from benchmarks.coulomb.scenes import EDGES, MU, Edges, Scene, ground
from benchmarks.measuring import Row, clocked, exponent, row
from benchmarks.reporting import Report, TextTable, duration, mean_and_worst, times
from holdfast.grips import Grip
from holdfast.postures import PostureSolver, posture_equilibrium, posture_margin
from holdfast.solvers.minkowski import SumOptimum, SumSolver

SEED = 6
VERTICES, HANDS = 6615, 4  # of the paper's test
SIZES = (250, 1000, 6615, 20000)
NUMBERS = (1, 2, 4, 8)
#: Median and worst of a test, an exact margin, a test of 48 Coulomb contacts [s].
TARGETS = {"test": 1e-4, "test, worst": 1e-3, "margin": 5e-4, "48 contacts": 3e-4}
OURS = "Holdfast"

Poses = list[hf.Pose]


def whitened(n: int) -> np.ndarray:
    """(n, 6) vertices on an ellipsoid: every one of them is extreme, and none is alike."""
    rng = np.random.default_rng(SEED)
    points = rng.normal(size=(n, 6))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return points * [40.0, 40.0, 60.0, 3.0, 3.0, 2.0] + [0.0, 0.0, 30.0, 0.0, 0.0, 0.0]


def contacts(n: int) -> np.ndarray:
    """(n, 6) support vertices of a hand of eight contacts with capped friction pyramids that pull a little, too."""
    rng = np.random.default_rng(SEED)
    corners = np.array([[x, y, 30.0] for x in (-12.0, 12.0) for y in (-12.0, 12.0)] + [[0.0, 0.0, -4.0]])
    found = np.zeros((0, 6))
    parts = []
    for angle in np.arange(8) * np.pi / 4.0:
        x = np.array([0.08 * np.cos(angle), 0.08 * np.sin(angle), 0.01 * rng.normal()])
        normal = np.array([0.4 * np.cos(angle), 0.4 * np.sin(angle), 1.0]) / np.hypot(0.4, 1.0)
        u = np.cross([0.0, 1.0, 0.3], normal)
        u /= np.linalg.norm(u)
        forces = corners @ np.array([u, np.cross(normal, u), normal])
        parts.append(np.concatenate([forces, np.cross(x, forces)], axis=1))
    while len(found) < n:
        directions = rng.normal(size=(4 * n, 6)) / [20.0, 20.0, 40.0, 2.0, 2.0, 1.0]
        support = sum(part[np.argmax(directions @ part.T, axis=1)] for part in parts)
        found = np.unique(np.vstack([found, support]).round(9), axis=0)
        if len(found) == len(np.unique(support.round(9), axis=0)) and len(found) < n:
            corners = corners * rng.uniform(0.9, 1.1, size=corners.shape)
            parts = [part + 0.05 * rng.normal(size=part.shape) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1] for part in parts]
    return found[rng.permutation(len(found))[:n]]


def postures(k: int, n: int) -> list[tuple[Poses, np.ndarray]]:
    """`n` postures of `k` hands about half a metre round a body, and the weight that hangs from or leans on them."""
    rng = np.random.default_rng([SEED, k])
    found = []
    for _ in range(n):
        poses = []
        for _ in range(k):
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            poses.append(hf.Pose(turn * np.linalg.det(turn), 0.5 * rng.normal(size=3)))
        force = rng.normal(size=3)
        force *= k * rng.uniform(5.0, 50.0) / np.linalg.norm(force)
        found.append((poses, np.concatenate([force, np.cross(0.3 * rng.normal(size=3), force)])))
    return found


@dataclass
class Figures:
    """Times [s] of one kind of hand."""

    name: str
    vertices: int
    hands: int
    held: int = 0
    test: list[float] = field(default_factory=list)
    program: list[float] = field(default_factory=list)
    program_margin: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    margin: list[float] = field(default_factory=list)
    rivals: dict[str, list[float]] = field(default_factory=dict)
    contradict: int = 0


def measured(name: str, vertices: np.ndarray, k: int, n: int, repeats: int, asked: int) -> Figures:
    """`n` postures asked of us, the first `asked` of HiGHS too."""
    grip = Grip(vertices)
    figures = Figures(name, len(vertices), k)
    questions = postures(k, n)
    solver = PostureSolver(grip, questions[0][0])
    posture_equilibrium(grip, *questions[0])
    posture_margin(grip, questions[0][0], np.zeros(6), questions[0][1])
    for index, (poses, wrench) in enumerate(questions):
        answer, seconds = clocked(lambda p=poses, w=wrench: posture_equilibrium(grip, p, w), repeats)
        figures.test.append(seconds)
        figures.held += answer.holds
        figures.margin.append(clocked(lambda p=poses, w=wrench: posture_margin(grip, p, np.zeros(6), w), repeats)[1])
        figures.warm.append(clocked(lambda p=poses, w=wrench: _moved(solver, p, w))[1])
        maps = _maps(poses)
        figures.program.append(clocked(lambda m=maps, w=wrench: _alone(grip, m, w, None), repeats)[1])
        figures.program_margin.append(clocked(lambda m=maps, w=wrench: _alone(grip, m, np.zeros(6), w), repeats)[1])
        if index < asked:
            _contest(figures, "HiGHS", lambda p=poses, w=wrench: highs_holds(vertices, p, w), answer.holds)
    return figures


def _maps(poses: Poses) -> np.ndarray:
    return np.array([pose.wrench_transport() for pose in poses])


def _alone(grip: Grip, maps: np.ndarray, wrench: np.ndarray, direction: np.ndarray | None) -> SumOptimum:
    """The linear program alone, with a solver made from scratch: a test, or the margin along `direction`."""
    solver = SumSolver([grip.prepared], [0] * len(maps), length=0.5)
    solver.place(maps)
    axes = None if direction is None else -direction[None]
    return solver.maximise(-wrench, axes, None if axes is None else np.ones(1))


def _moved(solver: PostureSolver, poses: Poses, wrench: np.ndarray) -> bool:
    solver.move(poses)
    return solver.holds(wrench)


def _contest(figures: Figures, rival: str, call: Callable[[], bool], expected: bool) -> None:
    start = time.perf_counter()
    verdict = call()
    figures.rivals.setdefault(rival, []).append(time.perf_counter() - start)
    figures.contradict += verdict is not expected


def _columns(vertices: np.ndarray, poses: Poses) -> np.ndarray:
    """(6 + k, k n) columns of (20): six balances and a convexity row per hand; torques in units of 0.1 N m."""
    k, n = len(poses), len(vertices)
    columns = np.zeros((6 + k, k * n))
    for j, pose in enumerate(poses):
        turn, t = pose.rotation, pose.translation
        forces = vertices[:, :3] @ turn.T
        part = slice(j * n, (j + 1) * n)
        columns[:3, part] = forces.T
        columns[3:6, part] = (vertices[:, 3:] @ turn.T + np.cross(t, forces)).T / 0.1
        columns[6 + j, part] = 1.0
    return columns


def highs_holds(vertices: np.ndarray, poses: Poses, wrench: np.ndarray) -> bool:
    """Program (20) with all columns by highspy, made and solved from scratch."""
    import highspy

    columns = _columns(vertices, poses)
    rows, n = columns.shape
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, rows
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(n), np.zeros(n), np.full(n, highspy.kHighsInf)
    lp.row_lower_ = lp.row_upper_ = np.concatenate([-wrench[:3], -wrench[3:] / 0.1, np.ones(rows - 6)])
    used = columns.T != 0.0
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    lp.a_matrix_.index_ = np.nonzero(used)[1]
    lp.a_matrix_.value_ = columns.T[used]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
    highs.run()
    return highs.getModelStatus() == highspy.HighsModelStatus.kOptimal


def cvxopt_holds(vertices: np.ndarray, poses: Poses, wrench: np.ndarray) -> bool:
    """(15) with (20) as printed, wrenches and weights both variables, by CVXOPT."""
    import cvxopt
    import cvxopt.solvers

    k, n = len(poses), len(vertices)
    size = 6 * k + k * n
    equal = np.zeros((6 + 7 * k, size))
    for j, pose in enumerate(poses):
        turn, t = pose.rotation, pose.translation
        own = slice(6 * j, 6 * j + 6)
        equal[:3, own.start : own.start + 3] = turn
        equal[3:6, own.start : own.start + 3] = np.cross(t, turn, axisb=0, axisc=0)
        equal[3:6, own.start + 3 : own.stop] = turn
        weights = slice(6 * k + j * n, 6 * k + (j + 1) * n)
        equal[6 + 6 * j : 12 + 6 * j, own] = -np.eye(6)
        equal[6 + 6 * j : 12 + 6 * j, weights] = vertices.T
        equal[6 + 6 * k + j, weights] = 1.0
    right = np.concatenate([-wrench, np.zeros(6 * k), np.ones(k)])
    bounds = cvxopt.spmatrix(-1.0, range(k * n), range(6 * k, size), (k * n, size))
    cvxopt.solvers.options["show_progress"] = False
    found = cvxopt.solvers.lp(
        cvxopt.matrix(0.0, (size, 1)),
        bounds,
        cvxopt.matrix(0.0, (k * n, 1)),
        cvxopt.sparse(cvxopt.matrix(equal)),
        cvxopt.matrix(right),
    )
    return found["status"] == "optimal"


def coulomb(k: int, n: int, repeats: int, asked: int) -> tuple[Figures, list[str]]:
    """`k` feet with friction pyramids on rough ground: tests with everything made from scratch, ours and the peers'."""
    scene = ground(k, n, SEED)
    figures = Figures(f"{k} contacts", 0, k)
    leans = np.array([[MU, 0.0, 1.0], [0.0, MU, 1.0], [-MU, 0.0, 1.0], [0.0, -MU, 1.0]])
    grip = Grip(np.zeros((1, 6)), np.concatenate([leans, np.zeros((EDGES, 3))], axis=1))
    wrenches = scene.wrenches()
    verdicts: dict[Edges, list[bool]] = {}
    for edges in Edges:
        poses = [hf.Pose(turn, x) for turn, x in zip(scene.frames(edges), scene.positions, strict=True)]
        posture_equilibrium(grip, poses, wrenches[0])
        solver = PostureSolver(grip, poses)
        verdicts[edges] = [bool(posture_equilibrium(grip, poses, wrench).holds) for wrench in wrenches]
        if edges is Edges.HPP:
            figures.test = [clocked(lambda w=w, p=poses: posture_equilibrium(grip, p, w), repeats)[1] for w in wrenches]
            maps = _maps(poses)
            figures.program = [clocked(lambda w=w, m=maps: _alone(grip, m, w, None), repeats)[1] for w in wrenches]
            figures.warm = [clocked(lambda w=w, s=solver: s.holds(w), repeats)[1] for w in wrenches]
            figures.held = sum(verdicts[edges])
    missing = []
    for contestant in CONTESTANTS:
        if contestant.warm:
            continue
        if not contestant.is_installed:
            missing.append(contestant.name)
            continue
        for index in range(asked):
            one = Scene(scene.kind, scene.positions, scene.normals, scene.forces[index : index + 1], scene.coms[:1])
            force, com = one.forces[0], scene.coms[index]
            _contest(
                figures,
                contestant.name,
                lambda c=contestant, s=scene, f=force, x=com: bool(c.prepare(s).holds(f, x)),
                verdicts[contestant.edges][index],
            )
    return figures, missing


def run(quick: bool) -> Report:
    n, repeats, asked = (10, 1, 1) if quick else (300, 3, 3)
    grown = 10 if quick else 60
    kinds: dict[str, Callable[[int], np.ndarray]] = {"whitened": whitened, "contacts": contacts}
    main = [measured(name, make(VERTICES), HANDS, n, repeats, asked) for name, make in kinds.items()]
    sizes = [measured("whitened", whitened(size), HANDS, grown, repeats, 1) for size in SIZES]
    numbers = [measured("whitened", whitened(VERTICES), k, grown, repeats, 1) for k in NUMBERS]
    printed = _printed(100 if quick else 250)
    feet, missing = zip(*(coulomb(k, n, repeats, 2 if quick else 50) for k in (4, 8, 16, 48)), strict=True)
    tables = [
        _main(main, printed),
        _growth("Growth with vertices, four hands", sizes, "vertices", [f.vertices for f in sizes]),
        _growth(f"Growth with hands, {VERTICES} vertices each", numbers, "hands", [f.hands for f in numbers]),
        _feet(feet, missing[0]),
        _targets(main, feet[-1]),
    ]
    return Report(_rows([*main, *sizes, *numbers], feet), tables, {"hands": [vars(f) for f in (*main, *sizes, *feet)]})


def _printed(n: int) -> Figures | None:
    """CVXOPT on a hand that it can still manage."""
    if importlib.util.find_spec("cvxopt") is None:
        return None
    vertices = whitened(n)
    figures = measured("whitened", vertices, HANDS, 3, 3, 3)
    for poses, wrench in postures(HANDS, 3):
        holds = bool(posture_equilibrium(Grip(vertices), poses, wrench).holds)
        _contest(figures, "CVXOPT", lambda p=poses, w=wrench: cvxopt_holds(vertices, p, w), holds)
    return figures


def _median_and_worst(seconds: Sequence[float]) -> str:
    return f"{duration(float(np.median(seconds)))} / {duration(max(seconds))}" if len(seconds) else "-"


def _ratio(theirs: Sequence[float] | None, ours: Sequence[float]) -> float:
    return float(np.mean(theirs) / np.mean(ours[: len(theirs)])) if theirs else np.nan


def _main(figures: Sequence[Figures], printed: Figures | None) -> TextTable:
    cells = []
    for f in (*figures, *([printed] if printed else [])):
        for rival, theirs in f.rivals.items():
            cells.append(
                [
                    f"{f.name}, {f.vertices}",
                    f"{f.held} / {len(f.test)}",
                    *(
                        _median_and_worst(seconds)
                        for seconds in (f.test, f.program, f.warm, f.margin, f.program_margin)
                    ),
                    rival,
                    mean_and_worst(theirs),
                    times(_ratio(theirs, f.test)),
                    str(f.contradict),
                ]
            )
    header = (
        "hand",
        "held",
        "test, cold",
        "its program",
        "test, warm",
        "margin, cold",
        "its program",
        "rival",
        "rival's test",
        f"over {OURS}",
        "contradict",
    )
    note = "Four hands. Ours: median / worst posture, with proof; rivals: mean / worst on the first few, (20) in full."
    return TextTable("Postures of four hands", header, cells, note)


def _growth(title: str, figures: Sequence[Figures], what: str, sizes: Sequence[int]) -> TextTable:
    cells = [
        [
            str(size),
            *(_median_and_worst(seconds) for seconds in (f.test, f.program, f.warm, f.margin, f.program_margin)),
            mean_and_worst(f.rivals.get("HiGHS", [])),
            times(_ratio(f.rivals.get("HiGHS"), f.test)),
        ]
        for size, f in zip(sizes, figures, strict=True)
    ]
    powers = [
        exponent(sizes, [float(np.median(getattr(f, name))) for f in figures]) for name in ("program", "program_margin")
    ]
    header = (
        what,
        "test, cold",
        "its program",
        "test, warm",
        "margin, cold",
        "its program",
        "HiGHS, test",
        f"HiGHS / {OURS}",
    )
    note = f"Median / worst. Exponents of growth of the programs: test {powers[0]:.2f}, margin {powers[1]:.2f}."
    return TextTable(title, header, cells, note)


def _feet(figures: Sequence[Figures], missing: Sequence[str]) -> TextTable:
    names = list(figures[-1].rivals)
    cells = [
        [
            f.name,
            f"{f.held} / {len(f.test)}",
            *(_median_and_worst(seconds) for seconds in (f.test, f.program, f.warm)),
            *(
                f"{duration(float(np.median(f.rivals[name])))} ({times(_ratio(f.rivals[name], f.test))})"
                for name in names
            ),
            str(f.contradict),
        ]
        for f in figures
    ]
    header = ("feet", "held", f"{OURS}, made from scratch", "its program", f"{OURS}, prepared", *names, "contradict")
    note = "Friction pyramids on rough ground, all made from scratch for each test; in brackets the ratio to ours."
    return TextTable(
        "Coulomb feet", header, cells, note + (f" Not installed: {', '.join(missing)}." if missing else "")
    )


def _targets(main: Sequence[Figures], feet: Figures) -> TextTable:
    cells = []
    for what, test, margin in (("all", "test", "margin"), ("the program", "program", "program_margin")):
        found = {
            "test": max(float(np.median(getattr(f, test))) for f in main),
            "test, worst": max(max(getattr(f, test)) for f in main),
            "margin": max(float(np.median(getattr(f, margin))) for f in main),
            "48 contacts": float(np.median(getattr(feet, test))),
        }
        for name, goal in TARGETS.items():
            cells.append([name, what, duration(found[name]), duration(goal), "yes" if found[name] <= goal else "no"])
    return TextTable(
        "Targets",
        ("what", "of it", "found", "target", "met"),
        cells,
        "Cold, all made from scratch for each posture.",
    )


def _rows(figures: Sequence[Figures], feet: Sequence[Figures]) -> list[Row]:
    rows: dict[str, Any] = {}
    for f in figures:
        for what in ("test", "program", "warm", "margin", "program_margin"):
            name = f"{f.name}, {f.hands} hands, {f.vertices} vertices: {what}"
            rows.setdefault(name, row(name, [1e3 * s for s in getattr(f, what)], "ms"))
    for f in feet:
        rows[f.name] = row(f"{f.name}: test", [1e3 * s for s in f.test], "ms")
    return list(rows.values())
