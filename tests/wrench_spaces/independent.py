"""Largest loads by a mixed-integer program of our own: scipy's HiGHS on weights of vertices, one indicator a piece.

Nothing of Holdfast but the numbers of an assembly. The wrench is a free combination of given ones, so that load limits
along a ray and supports over a slice are the same few lines.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import holdfast as hf


def largest(assembly: hf.Assembly, wrenches: np.ndarray, gains: np.ndarray) -> float:
    """max gains . c over c (g,) with the wrench c @ wrenches (g, 6) held by some choice of pieces; -inf for none.

    The program chooses the pieces; a linear program with tight tolerances then finds how much they hold. Bounded
    pieces only.
    """
    size = max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces)
    blocks = [(i, j) for i, c in enumerate(assembly.contacts) for j in range(len(c.volume.pieces))]
    g, b = len(gains), len(blocks)
    strength = float(np.abs(wrenches / _lengths(assembly)).max())
    columns, owners = [(wrenches / _lengths(assembly)).T / strength], []  # (6 + r, g): balance, then joints
    rows = 0 if assembly.joints is None else len(assembly.joints.lower)
    columns = [np.vstack([columns[0], np.zeros((rows, g))]), np.zeros((6 + rows, b))]
    for at, (i, j) in enumerate(blocks):
        contact = assembly.contacts[i]
        forces = contact.volume.pieces[j] / size @ contact.rotation.T
        torques = np.cross(contact.position, forces) / assembly.length
        block = [forces.T, torques.T]
        if assembly.joints is not None:
            block.append(assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ forces.T / assembly.length)
        columns.append(np.vstack(block))
        owners += [at] * len(forces)
    matrix = np.hstack(columns)
    low, high = np.zeros(6 + rows), np.zeros(6 + rows)
    if assembly.joints is not None:
        low[6:], high[6:] = (end / size / assembly.length for end in (assembly.joints.lower, assembly.joints.upper))
    n = matrix.shape[1]
    weights, one = np.zeros((b, n)), np.zeros((len(assembly), n))
    for at, (i, _) in enumerate(blocks):
        weights[at, g + at], one[i, g + at] = -1.0, 1.0
    weights[owners, g + b + np.arange(len(owners))] = 1.0
    gain = np.zeros(n)
    gain[:g] = gains
    free = np.full(g, np.inf)
    found = milp(
        -gain,
        constraints=[LinearConstraint(matrix, low, high), LinearConstraint(np.vstack([weights, one]), *_ends(b, one))],
        integrality=np.concatenate([np.zeros(g), np.ones(b), np.zeros(len(owners))]),
        bounds=Bounds(np.concatenate([-free, np.zeros(n - g)]), np.concatenate([free, np.ones(n - g)])),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        return -np.inf
    chosen = np.round(found.x[g : g + b])
    return _with_pieces(matrix, low, high, weights, gain, chosen, g, b) * size / strength


def _ends(b: int, one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ends = np.concatenate([np.zeros(b), np.ones(len(one))])
    return ends, ends


def _lengths(assembly: hf.Assembly) -> np.ndarray:
    return np.repeat([1.0, assembly.length], 3)


def _with_pieces(
    matrix: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    weights: np.ndarray,
    gain: np.ndarray,
    chosen: np.ndarray,
    g: int,
    b: int,
) -> float:
    """The largest gain when the indicators are fixed."""
    kept = np.delete(np.arange(matrix.shape[1]), np.arange(g, g + b))
    up, down = np.isfinite(high) & (high > low), np.isfinite(low) & (high > low)
    result = linprog(
        -gain[kept],
        A_eq=np.vstack([matrix[:, kept][high == low], weights[:, kept]]),
        b_eq=np.concatenate([high[high == low], chosen]),
        A_ub=np.vstack([matrix[:, kept][up], -matrix[:, kept][down]]),
        b_ub=np.concatenate([high[up], -low[down]]),
        bounds=[(None, None)] * g + [(0.0, None)] * (len(kept) - g),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.status in (0, 2), result.message
    return -float(result.fun) if result.status == 0 else -np.inf
