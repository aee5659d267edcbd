"""Separation: the least acceleration on the paper's devices, against Clarabel and daqp on the hulls, SCIP on all."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked, row
from benchmarks.reporting import Report, TextTable, duration, mean_and_worst, times
from holdfast import devices
from holdfast.assembly import loads
from holdfast.dynamics import mass_matrix, separation
from holdfast.dynamics.dissipation import SeparationProblem, build_problem

SEED = 5
TARGET = 20e-3  # [s] mean of the 48-contact hand
#: Loads exceed their limit by these factors.
OVERLOAD = (1.02, 3.0)
OURS = "Holdfast"


@dataclass
class Figures:
    """Times [s] of one device: whole answers, the hulls alone, and rivals by name; how far rivals' values differ."""

    name: str
    contacts: int
    whole: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    hulls: list[float] = field(default_factory=list)
    rivals: dict[str, list[float]] = field(default_factory=dict)
    differ: dict[str, float] = field(default_factory=dict)


def queries(assembly: hf.Assembly, n: int) -> list[np.ndarray]:
    """Forces all around, each beyond its load limit by a random factor."""
    rng, found = np.random.default_rng(SEED), []
    for force in loads.sphere_directions(n):
        direction = np.concatenate([force, np.zeros(3)])
        limit = hf.load_limit(assembly, direction).value
        if np.isfinite(limit) and limit > 0.0:
            found.append(limit * rng.uniform(*OVERLOAD) * direction)
    return found


def measured(
    name: str, device: devices.Device, n: int, repeats: int, programs: int, scip: int, limit: float
) -> Figures:
    """One device: `n` loads asked of us, the first `programs` also of the QP rivals, the first `scip` also of SCIP."""
    assembly = device.assembly()
    hulled = assembly.hulled()
    figures = Figures(name, len(assembly))
    size = device.object.mass * 0.01  # as of a ball of about 16 cm radius
    mass = mass_matrix(device.object.mass, size * np.eye(3), device.object.com)
    wrenches = queries(assembly, n)
    separation(assembly, wrenches[0], mass)
    separation(hulled, wrenches[0], mass)
    for index, wrench in enumerate(wrenches):
        answer, seconds = clocked(lambda w=wrench: separation(assembly, w, mass), repeats)
        figures.whole.append(seconds)
        figures.nodes.append(answer.effort.nodes)
        figures.statuses.append(str(answer.status))
        relaxed, seconds = clocked(lambda w=wrench: separation(hulled, w, mass), repeats)
        figures.hulls.append(seconds)
        problem = build_problem(hulled, wrench, mass)
        if index < programs:
            for rival, solve in _installed().items():
                _contest(figures, rival, lambda p=problem, s=solve: s(p), relaxed.value / problem.scale**2)
        if index < scip and importlib.util.find_spec("pyscipopt"):
            whole = build_problem(assembly, wrench, mass)
            _contest(figures, "SCIP", lambda p=whole: scip_value(p, limit), answer.value / whole.scale**2)
    return figures


def _contest(figures: Figures, rival: str, call: Callable[[], float], expected: float) -> None:
    start = time.perf_counter()
    value = call()
    figures.rivals.setdefault(rival, []).append(time.perf_counter() - start)
    off = 0.0 if value == expected else abs(value - expected) / max(expected, 1e-9)
    figures.differ[rival] = float(
        np.maximum(figures.differ.get(rival, 0.0), off)
    )  # nan, where nothing was found, stays


def _installed() -> dict[str, Callable[[SeparationProblem], float]]:
    rivals = {"Clarabel": ("clarabel", clarabel_value), "daqp": ("daqp", daqp_value)}
    return {name: solve for name, (package, solve) in rivals.items() if importlib.util.find_spec(package)}


def _facets(problem: SeparationProblem) -> tuple[Any, np.ndarray]:
    """H-form of all hulls: sparse rows over the stacked local forces, and their limits."""
    import scipy.sparse as sp

    forms = [problem.pieces(i)[0].halfspaces for i in range(problem.contacts)]
    return sp.block_diag([normals for normals, _ in forms]).tocsr(), np.concatenate([b for _, b in forms])


def _rows(problem: SeparationProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(forces to z (6, 3k), joint rows (r, 3k) and their limits (r, 2))."""
    k = problem.contacts
    to_z = problem.maps.transpose(1, 0, 2).reshape(6, 3 * k)
    joint = problem.joint.transpose(1, 0, 2).reshape(-1, 3 * k)
    return to_z, joint, np.column_stack([problem.lower, problem.upper])


def clarabel_value(problem: SeparationProblem) -> float:
    """Least |z|^2 of the hulls by Clarabel over forces and z, with the hulls' facets; inf when infeasible."""
    import clarabel
    import scipy.sparse as sp

    facets, offsets = _facets(problem)
    to_z, joint, ends = _rows(problem)
    n = to_z.shape[1]
    matrix = sp.bmat(
        [
            [to_z, -np.eye(6)],
            [facets, None],
            [None, -problem.normals],
            [sp.csr_matrix(-joint), None],
            [sp.csr_matrix(joint), None],
        ]
    ).tocsc()
    right = np.concatenate([-problem.start, offsets, np.zeros(problem.contacts), -ends[:, 0], ends[:, 1]])
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(6), clarabel.NonnegativeConeT(len(right) - 6)]
    quadratic = sp.block_diag([sp.csc_matrix((n, n)), 2.0 * sp.eye(6)]).tocsc()
    solution = clarabel.DefaultSolver(quadratic, np.zeros(n + 6), matrix, right, cones, settings).solve()
    return np.inf if "Infeasible" in str(solution.status) else float(solution.obj_val)


def daqp_value(problem: SeparationProblem) -> float:
    """The same by daqp over the forces alone; inf when infeasible, nan where it gives up."""
    import daqp

    facets, offsets = _facets(problem)
    to_z, joint, ends = _rows(problem)
    rows = np.vstack([facets.toarray(), problem.normals @ to_z, joint])
    most = np.concatenate([offsets, np.full(problem.contacts, 1e30), ends[:, 1]])
    least = np.concatenate([np.full(len(offsets), -1e30), -problem.normals @ problem.start, ends[:, 0]])
    sense = np.zeros(len(rows), dtype=np.int32)
    x, _, flag, _ = daqp.solve(2.0 * to_z.T @ to_z, 2.0 * to_z.T @ problem.start, rows, most, least, sense)
    if flag == -1:
        return np.inf
    return float(np.sum((to_z @ x + problem.start) ** 2)) if flag > 0 else np.nan


def scip_value(problem: SeparationProblem, limit: float) -> float:
    """Least |z|^2 over all pieces by SCIP: a binary a piece, weights of its vertices only where it is chosen."""
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.setParams({"limits/time": limit, "limits/gap": 1e-6})
    total, terms, joints = pyscipopt.quicksum, [[] for _ in range(6)], [[] for _ in problem.lower]
    for i in range(problem.contacts):
        chosen = [model.addVar(vtype="B") for _ in problem.pieces(i)]
        model.addCons(total(chosen) == 1.0)
        for piece, on in zip(problem.pieces(i), chosen, strict=True):
            weights = [model.addVar(lb=0.0, ub=1.0) for _ in piece.extreme]
            model.addCons(total(weights) == on)
            for rows, maps in ((terms, problem.maps[i]), (joints, problem.joint[i])):
                for own, column in zip(rows, maps @ piece.extreme.T, strict=True):
                    own += [float(t) * w for t, w in zip(column, weights, strict=True)]
    z = [model.addVar(lb=None, ub=None) for _ in range(6)]
    for q in range(6):
        model.addCons(z[q] == total(terms[q]) + float(problem.start[q]))
    for normal in problem.normals:
        model.addCons(total(float(t) * v for t, v in zip(normal, z, strict=True)) >= 0.0)
    for own, low, high in zip(joints, problem.lower, problem.upper, strict=True):
        model.addCons(total(own) >= float(low))
        model.addCons(total(own) <= float(high))
    value = model.addVar(lb=0.0, ub=None)
    model.addCons(value >= total(v * v for v in z))
    model.setObjective(value)
    model.optimize()
    if model.getStatus() == "infeasible":
        return np.inf
    return float(model.getObjVal()) if model.getNSols() else np.nan


def run(quick: bool) -> Report:
    n, repeats, programs, scip, limit = (6, 1, 2, 1, 5.0) if quick else (100, 3, 10, 3, 60.0)
    chosen = {
        "2OU": devices.two_opposed_units(),
        "2FG MD-MD": devices.two_finger_gripper("MD", "MD"),
        "4FH parallel": devices.four_finger_hand("parallel"),
        "4FH opposed": devices.four_finger_hand("opposed"),
    }
    figures = [measured(name, device, n, repeats, programs, scip, limit) for name, device in chosen.items()]
    rows = [row(f"{f.name}: separation", [1e3 * s for s in f.whole], "ms", f"{f.contacts} contacts") for f in figures]
    rows += [row(f"{f.name}: hulls alone", [1e3 * s for s in f.hulls], "ms") for f in figures]
    data = {"devices": [vars(f) for f in figures], "scip_limit_s": limit}
    return Report(rows, [_answers(figures), _programs(figures), _scip(figures, limit)], data)


def _answers(figures: Sequence[Figures]) -> TextTable:
    cells = [
        [
            f.name,
            str(f.contacts),
            f"{f.statuses.count('separates')} / {f.statuses.count('penetrates')} / {f.statuses.count('undecided')}",
            mean_and_worst(f.whole),
            f"{np.mean(f.nodes):.0f} / {max(f.nodes)}",
        ]
        for f in figures
    ]
    header = ("device", "k", "separates / penetrates / undecided", "time, mean / worst", "boxes, mean / worst")
    note = f"Target: mean of 4FH opposed at most {duration(TARGET)}. Loads 2 % to 200 % beyond their limits; gap 1e-6."
    return TextTable("Separation: whole answers, proofs included", header, cells, note)


def _programs(figures: Sequence[Figures]) -> TextTable:
    names = [name for name in ("Clarabel", "daqp") if any(name in f.rivals for f in figures)]
    cells = [
        [
            f.name,
            mean_and_worst(f.hulls),
            *(mean_and_worst(f.rivals.get(name, [])) for name in names),
            *(times(_ratio(f.rivals.get(name), f.hulls)) for name in names),
            *(f"{f.differ.get(name, np.nan):.0e}" for name in names),
        ]
        for f in figures
    ]
    header = (
        "device",
        f"{OURS}, mean / worst",
        *names,
        *(f"{name} / {OURS}" for name in names),
        *(f"{name} differs by" for name in names),
    )
    note = "Convex hulls of the pieces: ours with test of equilibrium and proof, rivals the quadratic program alone."
    return TextTable("Separation: one convex program", header, cells, note)


def _scip(figures: Sequence[Figures], limit: float) -> TextTable:
    cells = []
    for f in figures:
        found = f.rivals.get("SCIP", [])
        late = any(s >= 0.95 * limit for s in found)
        ratio = times(_ratio(found, f.whole), at_least=late)
        cells.append([f.name, mean_and_worst(found), ratio, f"{f.differ.get('SCIP', np.nan):.0e}"])
    header = ("device", "SCIP, mean / worst", f"SCIP / {OURS}", "SCIP differs by")
    return TextTable("Separation: all pieces as one mixed-integer program", header, cells, f"At most {limit:g} s each.")


def _ratio(theirs: list[float] | None, ours: list[float]) -> float:
    """Mean time of a rival over ours on the same loads."""
    return float(np.mean(theirs) / np.mean(ours[: len(theirs)])) if theirs else np.nan
