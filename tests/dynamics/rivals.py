"""Independent solvers of (7), (8): Clarabel on one choice of pieces at a time, all choices tried; SCIP on all at once.

The programs are made from positions, frames, vertices, rays, joint rows and the mass matrix alone, in newtons: the
unknowns are the weights of vertices and rays and the twist rate. Nothing of the solver's own formulation is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

import holdfast as hf
from holdfast.dynamics import mass_matrix
from tests.referee import choices_of, random_case, random_unit_case


@dataclass(frozen=True)
class Case:
    """A random assembly, a wrench and a mass matrix."""

    assembly: hf.Assembly
    wrench: np.ndarray
    mass: np.ndarray


def separation_case(seed: int, *, most_choices: int = 64, units: bool = False) -> Case:
    """A random assembly of `tests.referee`, of units if asked for, under half to four times a load of its own size."""
    case = (random_unit_case if units else random_case)(seed, most_choices=most_choices)
    rng = np.random.default_rng([seed, 999])
    spread = rng.normal(size=(3, 3))
    mass = mass_matrix(rng.uniform(0.2, 3.0), 0.005 * (spread @ spread.T + 0.3 * np.eye(3)), 0.05 * rng.normal(size=3))
    return Case(case.assembly, case.direction * rng.uniform(0.5, 4.0), mass)


@dataclass(frozen=True)
class Columns:
    """The columns of chosen pieces: wrench (6, n) and joint rows (r, n) of each, and whose weights sum to one."""

    wrench: np.ndarray
    joints: np.ndarray
    contact: np.ndarray
    piece: np.ndarray
    is_ray: np.ndarray


def columns_of(assembly: hf.Assembly, allowed: list[list[int]]) -> Columns:
    """Vertices and rays of the allowed pieces of every contact."""
    wrench, joints, contact, piece, is_ray = [], [], [], [], []
    for i, (c, pieces) in enumerate(zip(assembly.contacts, allowed, strict=True)):
        for j in pieces:
            for local, ray in [(v, False) for v in c.volume.pieces[j]] + [(v, True) for v in c.volume.rays[j]]:
                force = c.rotation @ local
                wrench.append(np.concatenate([force, np.cross(c.position, force)]))
                joints.append([] if assembly.joints is None else assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ force)
                contact.append(i)
                piece.append(j)
                is_ray.append(ray)
    return Columns(
        np.array(wrench).T,
        np.array(joints).T.reshape(-1, len(contact)),
        np.array(contact),
        np.array(piece),
        np.array(is_ray),
    )


def normal_rows(assembly: hf.Assembly) -> np.ndarray:
    """(k, 6) N W^T: twist rate to the normal acceleration of each contact point."""
    normals = np.array([c.rotation[:, 2] for c in assembly.contacts])
    positions = np.array([c.position for c in assembly.contacts])
    return np.concatenate([normals, np.cross(positions, normals)], axis=1)


def clarabel_value(case: Case, allowed: list[list[int]]) -> float:
    """Least q''^T B q'' over the hulls of the allowed pieces; inf when there is none."""
    assembly, n, k = case.assembly, 0, len(case.assembly)
    c = columns_of(assembly, allowed)
    n = c.wrench.shape[1]
    size = float(np.linalg.norm(np.linalg.solve(np.linalg.cholesky(case.mass), case.wrench))) or 1.0
    sums = np.zeros((k, n))
    sums[c.contact[~c.is_ray], np.nonzero(~c.is_ray)[0]] = 1.0
    equal = np.block([[c.wrench, -case.mass], [sums, np.zeros((k, 6))]])
    equal_to = np.concatenate([-case.wrench, np.ones(k)])
    above = [np.hstack([-np.eye(n), np.zeros((n, 6))]), np.hstack([np.zeros((k, n)), -normal_rows(assembly)])]
    at_most = [np.zeros(n + k)]
    if assembly.joints is not None:
        rows = np.hstack([c.joints, np.zeros((len(c.joints), 6))])
        low, high = np.isfinite(assembly.joints.lower), np.isfinite(assembly.joints.upper)
        above += [-rows[low], rows[high]]
        at_most += [-assembly.joints.lower[low], assembly.joints.upper[high]]
    matrix = sp.csc_matrix(np.vstack([equal, *above]))
    right = np.concatenate([equal_to, *at_most])
    quadratic = sp.block_diag([sp.csc_matrix((n, n)), 2.0 * case.mass / size**2]).tocsc()
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.ZeroConeT(6 + k), clarabel.NonnegativeConeT(len(right) - 6 - k)]
    solution = clarabel.DefaultSolver(
        sp.triu(quadratic).tocsc(), np.zeros(n + 6), matrix, right, cones, settings
    ).solve()
    status = str(solution.status)
    if "Infeasible" in status:
        return np.inf
    assert "Solved" in status, status
    return float(solution.obj_val) * size**2


def exhaustive_value(case: Case) -> float:
    """Least q''^T B q'' over every choice of one piece per unit."""
    return min(clarabel_value(case, [[j] for j in choice]) for choice in choices_of(case.assembly))


#: SCIP gives up where a linear program of its own fails; another seed of its random numbers takes another way.
SCIP_SEEDS = 4


def scip_value(case: Case, time_limit: float = 300.0) -> float:
    """The same by SCIP as one mixed-integer program: a binary a piece, weights only where it is chosen; inf without."""
    for seed in range(SCIP_SEEDS):
        model, size = _scip_program(case)
        model.setParams({"limits/time": time_limit, "randomization/randomseedshift": seed})
        try:
            model.optimize()
        except Exception as error:  # SCIP's own have no class of their own
            if "error in LP solver" not in str(error) or seed == SCIP_SEEDS - 1:
                raise
        else:
            break
    if model.getStatus() == "infeasible":
        return np.inf
    assert model.getStatus() in ("optimal", "gaplimit"), model.getStatus()
    return float(model.getObjVal()) * size**2


def _scip_program(case: Case) -> tuple[Any, float]:
    """(SCIP's model, the acceleration that its value is in squares of)."""
    import pyscipopt

    assembly = case.assembly
    c = columns_of(assembly, [list(range(len(contact.volume))) for contact in assembly.contacts])
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParams({"limits/gap": 1e-7, "numerics/feastol": 1e-9})
    weights = [model.addVar(lb=0.0, ub=None if ray else 1.0) for ray in c.is_ray]
    total = pyscipopt.quicksum
    for i, contact in enumerate(assembly.contacts):
        chosen = [model.addVar(vtype="B") for _ in contact.volume.pieces]
        model.addCons(total(chosen) == 1.0)
        for j, on in enumerate(chosen):
            own = np.nonzero((c.contact == i) & (c.piece == j))[0]
            model.addCons(total(weights[v] for v in own if not c.is_ray[v]) == on)
            for v in own[c.is_ray[own]]:
                model.addCons(weights[v] <= 1e3 * on)
    root = np.linalg.cholesky(case.mass)
    size = float(np.linalg.norm(np.linalg.solve(root, case.wrench)))
    to_z = np.linalg.solve(root, c.wrench) / size
    start = np.linalg.solve(root, case.wrench) / size
    z = [model.addVar(lb=None, ub=None) for _ in range(6)]
    for q in range(6):
        model.addCons(z[q] == total(float(t) * w for t, w in zip(to_z[q], weights, strict=True)) + float(start[q]))
    for row in normal_rows(assembly) @ np.linalg.inv(root).T:
        model.addCons(total(float(t) * v for t, v in zip(row / np.linalg.norm(row), z, strict=True)) >= 0.0)
    if assembly.joints is not None:
        for row, low, high in zip(c.joints, assembly.joints.lower, assembly.joints.upper, strict=True):
            value = total(float(t) * w for t, w in zip(row, weights, strict=True))
            if np.isfinite(low):
                model.addCons(value >= float(low))
            if np.isfinite(high):
                model.addCons(value <= float(high))
    value = model.addVar(lb=0.0, ub=None)
    model.addCons(value >= total(v * v for v in z))
    model.setObjective(value)
    return model, size
