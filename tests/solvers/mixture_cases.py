"""Programs of random assemblies for the kernels of the least acceleration, and mixtures of their vertices."""

from __future__ import annotations

import numpy as np

from holdfast.dynamics.dissipation import HullProgram, build_hulls, build_problem
from holdfast.solvers.exact.support_tables import FIRST_VERTEX
from holdfast.solvers.min_norm import COLUMNS, ITEM, VERTEX, Hulls, MinNormProgram, MixtureState, new_mixture_state
from tests.dynamics.rivals import separation_case

__all__ = ["FIRST_VERTEX", "mixture", "program_of"]


def program_of(number: int) -> tuple[Hulls, MinNormProgram]:
    """Hulls and program of a random assembly; odd numbers have joint rows, every third rays."""
    case = separation_case(number)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    return build_hulls(problem.contact.shapes, True), HullProgram(problem, 1e-6, 1e-14).program


def mixture(
    hulls: Hulls, program: MinNormProgram, rng: np.random.Generator, most: int = 6
) -> tuple[MixtureState, np.ndarray]:
    """A state that mixes some vertices and rays, all pieces allowed, and the forces (k, 3) that it stands for."""
    k, r = len(program.shape_of), len(program.lower)
    pieces = [int(np.bitwise_or.reduce(hulls.tables.bits[_span(hulls, s)])) for s in program.shape_of]
    state = new_mixture_state(k, r, np.array(pieces, dtype=np.int64))
    spans = [_span(hulls, s) for s in program.shape_of]
    waiting = [rng.permutation(np.arange(span.start, span.stop)).tolist() for span in spans]
    state.keys[:] = [vertices.pop() for vertices in waiting]
    forces = hulls.tables.vertices[state.keys].copy()
    for n in range(most):
        i = n // 2 % k
        v = waiting[i].pop()
        weight = rng.uniform(0.05, 0.15)
        first, last = hulls.first_ray[program.shape_of[i] : program.shape_of[i] + 2]
        if n % 2 and last > first:
            v = -1 - int(rng.integers(first, last))
            forces[i] += weight * hulls.rays[-1 - v]
        else:
            forces[i] += weight * (hulls.tables.vertices[v] - hulls.tables.vertices[state.keys[i]])
        state.columns[ITEM, n], state.columns[VERTEX, n], state.weights[n] = i, v, weight
        state.counts[COLUMNS] = n + 1
    return state, forces


def _span(hulls: Hulls, shape: int) -> slice:
    return slice(*(int(t) for t in hulls.tables.shapes[shape : shape + 2, FIRST_VERTEX]))
