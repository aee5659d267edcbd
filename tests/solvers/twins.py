"""What the compiled kernels compute, in a few lines of NumPy from the mathematics.

A twin looks at every vertex of a hull, inverts matrices afresh and asks scipy for linear programs; it carries nothing
from one step to the next. Only the data are the kernels' own: `SupportTables`, `SimplexProgram` and the basis of a slot.

Notation: item i has vertices v of its allowed pieces, a map M_i (m, 3), a direction g_i = M_i^T y; the vertex 0 of a
contact earns a perturbation. h_i(g) = max over v of (g . v + perturbation of v), and U(y) = sum_i h_i(M_i^T y).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from holdfast.checks import Array, IntArray
from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.exact.simplex import (
    ARTIFICIAL,
    FACTOR,
    GAIN,
    INFEASIBLE,
    KEY,
    MASK,
    MIXED,
    OPTIMAL,
    PRIMAL_TOLERANCE,
    PRUNED,
    RIGHT,
    VERTEX,
    WHO,
    SimplexProgram,
    X,
    Y,
)
from holdfast.solvers.exact.support_tables import FAR, FIRST_RAY, FIRST_VERTEX, RAY_SLOPE, ZERO, SupportTables
from tests.solvers.kernel_cases import Slot

#: Rounding of sums, relative to the terms they are made of.
ROUNDING = 1e-11

#: What scipy's linear programs are asked for, and their error where coefficients differ by the cut of rays and rows.
LP_TOLERANCE, LP_ERROR = 1e-10, 1e-6


# -- supports ---------------------------------------------------------------------------------------


def members(tables: SupportTables, shape: int, mask: int, *, near: bool = False) -> IntArray:
    """Numbers of the vertices in the pieces of `mask`; `near` leaves out those at the cut of a ray."""
    first, last = tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]
    bits = tables.bits[first:last]
    chosen = (bits & mask > 0) & ((bits & FAR == 0) if near else True)
    return first + np.nonzero(chosen)[0]


def rewards(tables: SupportTables, shape: int, vertices: Array | int, perturbation: float) -> Array:
    """Perturbation of each vertex: that of 0 (a perturbation of -inf is none), nothing for the others."""
    return np.where(np.asarray(vertices) == tables.shapes[shape, ZERO], max(0.0, perturbation), 0.0)


def heights(
    tables: SupportTables, shape: int, mask: int, direction: Array, perturbation: float
) -> tuple[IntArray, Array]:
    """The vertices of a hull, and g . v + perturbation of each."""
    vertices = members(tables, shape, mask)
    return vertices, tables.vertices[vertices] @ direction + rewards(tables, shape, vertices, perturbation)


def support(tables: SupportTables, shape: int, mask: int, direction: Array, perturbation: float) -> float:
    """h(g)."""
    return float(heights(tables, shape, mask, direction, perturbation)[1].max())


def safe_radius(
    tables: SupportTables, shape: int, mask: int, direction: Array, perturbation: float, winner: int
) -> float:
    """How far g may move, anywhere, before another vertex draws level: each one's arrears over its distance."""
    vertices, values = heights(tables, shape, mask, direction, perturbation)
    others = vertices != winner
    own = tables.vertices[winner] @ direction + float(rewards(tables, shape, winner, perturbation))
    distance = np.linalg.norm(tables.vertices[vertices[others]] - tables.vertices[winner], axis=1)
    return float(((own - values[others]) / distance).min(initial=np.inf))


# -- the program ------------------------------------------------------------------------------------


def maps(program: SimplexProgram) -> Array:
    """(n, m, 3) M_i."""
    return program.rows.reshape(len(program.rows), -1, 3).transpose(1, 0, 2)


def directions(program: SimplexProgram, y: Array) -> Array:
    """(n, 3) M_i^T y."""
    return np.einsum("nmi,m->ni", maps(program), y)


def upper_bound(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array) -> float:
    """U(y)."""
    parts = zip(program.shape_of, masks, directions(program, y), strict=True)
    return sum(support(tables, shape, mask, g, program.perturbation) for shape, mask, g in parts)


def factor_bound(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array, load: Array) -> float:
    """The load factor that y leaves possible where rays and rows without a limit are endless, not cut; no perturbation.

    A multiplier that leans on the endless side of a row leaves everything possible, and so does a direction that climbs
    a ray by more than the rounding of its terms.
    """
    if ((program.unlimited & 1 > 0) & (y > 0.0)).any() or ((program.unlimited & 2 > 0) & (y < 0.0)).any():
        return np.inf
    total, terms = 0.0, np.linalg.norm(np.einsum("nmi,m->ni", np.abs(maps(program)), np.abs(y)), axis=1)
    for i, (shape, mask, g) in enumerate(zip(program.shape_of, masks, directions(program, y), strict=True)):
        own = slice(tables.shapes[shape, FIRST_RAY], tables.shapes[shape + 1, FIRST_RAY])
        rays = tables.rays[own][tables.ray_bits[own] & mask > 0]
        if (rays @ g > RAY_SLOPE * terms[i]).any():
            return np.inf
        total += float((tables.vertices[members(tables, shape, mask, near=True)] @ g).max())
    work = float(-y @ load)
    if work > 0.0:
        return total / work
    return -np.inf if total < 0.0 else np.inf


def hull_limit(tables: SupportTables, program: SimplexProgram, masks: IntArray) -> float:
    """max d with sum_i M_i f_i + d b = 0 and f_i in its hull, over the weights of all vertices; -inf if there is none.

    Of the program as the kernels see it, with rays and rows cut off, but without the perturbation.
    """
    blocks = [
        (tables.vertices[members(tables, shape, mask)] @ M.T).T  # (m, vertices)
        for shape, mask, M in zip(program.shape_of, masks, maps(program), strict=True)
    ]
    ends = np.cumsum([b.shape[1] for b in blocks])
    sums = np.zeros((len(blocks), 1 + ends[-1]))
    for i, (end, block) in enumerate(zip(ends, blocks, strict=True)):
        sums[i, 1 + end - block.shape[1] : 1 + end] = 1.0
    equal = np.column_stack([program.load, *blocks])
    scale = np.abs(equal[:, 1:]).max(axis=1, keepdims=True)
    scale[scale == 0.0] = 1.0
    result = linprog(
        np.concatenate([[-1.0], np.zeros(ends[-1])]),
        A_eq=np.concatenate([equal / scale, sums]),
        b_eq=np.concatenate([np.zeros(len(equal)), np.ones(len(blocks))]),
        bounds=[(None, None)] + [(0.0, None)] * int(ends[-1]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
    )
    assert result.status in (0, 2), result.message
    return float(result.x[0]) if result.status == 0 else -np.inf


# -- bases ------------------------------------------------------------------------------------------


def basis_matrix(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m, m) the basic columns by their definition: b, M_i (v - key_i), and artificial ones as they are stored."""
    columns = slot.columns.copy()
    for j, (who, vertex) in enumerate(slot.base.T):
        if who == FACTOR:
            columns[j] = program.load
        elif who != ARTIFICIAL:
            columns[j] = maps(program)[who] @ (tables.vertices[vertex] - tables.vertices[slot.items[KEY, who]])
    return columns.T


def objective(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) what one unit of each basic column earns."""
    gains = np.zeros(slot.base.shape[1])
    for j, (who, vertex) in enumerate(slot.base.T):
        if who == FACTOR:
            gains[j] = 1.0
        elif who == ARTIFICIAL:
            gains[j] = slot.vectors[GAIN, j]
        else:
            shape, key = program.shape_of[who], slot.items[KEY, who]
            gains[j] = rewards(tables, shape, vertex, program.perturbation) - rewards(
                tables, shape, key, program.perturbation
            )
    return gains


def multipliers(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) y with y . column = -gain for every basic column."""
    return np.linalg.solve(basis_matrix(tables, program, slot).T, -objective(tables, program, slot))


def right_hand_side(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) what the keys leave for the basic columns to balance: -sum_i M_i key_i."""
    return -np.einsum("nmi,ni->m", maps(program), tables.vertices[slot.items[KEY]])


def basic_values(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) values of the basic columns."""
    return np.linalg.solve(basis_matrix(tables, program, slot), right_hand_side(tables, program, slot))


def mixtures(slot: Slot, values: Array) -> list[dict[int, float]]:
    """Per item: the weight of its key and of each of its basic vertices."""
    result = []
    for i, key in enumerate(slot.items[KEY]):
        own = slot.base[WHO] == i
        mixture = dict(zip(slot.base[VERTEX, own].tolist(), values[own].tolist(), strict=True))
        mixture[int(key)] = 1.0 - float(values[own].sum())
        result.append(mixture)
    return result


def forces(tables: SupportTables, slot: Slot, values: Array) -> Array:
    """(n, 3) the vectors that the mixtures add up to."""
    return np.array([sum(w * tables.vertices[v] for v, w in mixture.items()) for mixture in mixtures(slot, values)])


def violations(program: SimplexProgram, slot: Slot, values: Array, primal: float) -> dict[int, tuple[float, float]]:
    """Variables outside their bounds: (by how much, in the metric of steepest edge); m + i is the key of item i.

    Weights must not be negative, artificial values must be zero, to within the program's slack (`primal` for the
    artificial ones); the metric is the length of y's step that one unit of the violation is worth.
    """
    m, inverse = len(values), np.linalg.inv(slot.columns.T)
    found = {}
    for j, who in enumerate(slot.base[WHO]):
        if who == ARTIFICIAL:
            out, slack = abs(values[j]), primal
        elif who >= 0:
            out, slack = -values[j], program.slack[who]
        else:
            continue
        if out > slack:
            found[j] = (out, out / np.linalg.norm(inverse[j]))
    for i in range(slot.items.shape[1]):
        own = slot.base[WHO] == i
        out = values[own].sum() - 1.0
        if own.any() and out > program.slack[i]:
            found[m + i] = (out, out / np.linalg.norm(inverse[own].sum(axis=0)))
    return found


def assert_basis(tables: SupportTables, program: SimplexProgram, slot: Slot) -> None:
    """A slot says what it should: columns, inverse, right-hand side, multipliers, counts, and it is dual feasible.

    Dual feasible: each item's key is a support vertex, and its basic vertices tie with it. The radius that the slot
    knows for the key must be safe.
    """
    matrix = basis_matrix(tables, program, slot)
    size = np.abs(slot.inverse) @ np.abs(matrix)
    np.testing.assert_allclose(slot.columns.T, matrix, atol=ROUNDING * np.abs(matrix).max())
    np.testing.assert_allclose(slot.inverse @ matrix, np.eye(len(matrix)), atol=ROUNDING * size.max())
    expected = right_hand_side(tables, program, slot)
    terms = np.einsum("nmi,ni->m", np.abs(maps(program)), np.abs(tables.vertices[slot.items[KEY]]))
    np.testing.assert_allclose(slot.vectors[RIGHT], expected, atol=10 * ROUNDING * terms.max())
    y = slot.vectors[Y]
    earned = np.abs(y) @ np.abs(matrix) + np.abs(objective(tables, program, slot))
    np.testing.assert_allclose(y @ matrix, -objective(tables, program, slot), atol=100 * ROUNDING * earned.max())
    counts = [int((slot.base[WHO] == i).sum()) for i in range(slot.items.shape[1])]
    assert slot.items[MIXED].tolist() == counts
    np.testing.assert_allclose(
        slot.along.reshape(-1, 3), directions(program, y), atol=ROUNDING * program.size.max() * np.abs(y).max()
    )
    assert_dual_feasible(tables, program, slot)


def assert_dual_feasible(tables: SupportTables, program: SimplexProgram, slot: Slot) -> None:
    """Keys are support vertices of allowed pieces, basic vertices tie with them, and known radii are safe."""
    for i, g in enumerate(directions(program, slot.vectors[Y])):
        shape, mask, key = program.shape_of[i], slot.items[MASK, i], slot.items[KEY, i]
        vertices, values = heights(tables, shape, mask, g, program.perturbation)
        noise = 100 * ROUNDING * program.size[i] * tables.reach[shape] * np.linalg.norm(slot.vectors[Y])
        assert key in vertices
        best = values.max()
        tied = [key, *slot.base[VERTEX, slot.base[WHO] == i]]
        for vertex in tied:
            assert values[vertices == vertex][0] >= best - noise
        if len(tied) == 1:
            gap = max(0.0, safe_radius(tables, shape, mask, g, program.perturbation, int(key)))
            assert slot.radius[i] <= gap * (1.0 + 1e-9) + noise / tables.reach[shape]


def assert_solved(
    tables: SupportTables, program: SimplexProgram, slot: Slot, outcome: int, bound: float, cutoff: float = -np.inf
) -> None:
    """The end of a run is right by scipy: an optimum with forces and multipliers, a true bound, or nothing at all."""
    masks, y = slot.items[MASK], slot.vectors[Y]
    best = hull_limit(tables, program, masks)
    if outcome == INFEASIBLE:
        assert best == bound == -np.inf
        assert factor_bound(tables, program, masks, y, np.zeros(len(y))) == -np.inf
    elif outcome == PRUNED:
        assert best - LP_ERROR * abs(best) <= bound <= cutoff
        np.testing.assert_allclose(bound, factor_bound(tables, program, masks, y, program.load), rtol=1e-9, atol=1e-8)
    else:
        assert outcome == OPTIMAL
        assert_basis(tables, program, slot)
        perturbation, factor = program.perturbation * len(program.shape_of), slot.vectors[X, 0]
        np.testing.assert_allclose(bound, factor, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(factor, best, rtol=LP_ERROR, atol=2.0 * perturbation)
        np.testing.assert_allclose(upper_bound(tables, program, masks, y), factor, rtol=1e-8, atol=2.0 * perturbation)
        assert not violations(program, slot, slot.vectors[X], 2.0 * PRIMAL_TOLERANCE)
        balance = np.einsum("nmi,ni->m", maps(program), forces(tables, slot, slot.vectors[X])) + factor * program.load
        rounding = 1e-15 * np.linalg.cond(slot.columns) * np.abs(slot.vectors[RIGHT]).max()
        assert np.abs(balance).max() <= 1e-9 * np.abs(program.load).max() + rounding


# -- along a line -----------------------------------------------------------------------------------


def overtakings(
    tables: SupportTables, program: SimplexProgram, slot: Slot, i: int, g: Array, q: Array
) -> dict[int, float]:
    """When each vertex of item i overtakes its key along g + t q, t >= 0; not those already in the basis."""
    shape, key = program.shape_of[i], int(slot.items[KEY, i])
    basic = set(slot.base[VERTEX, slot.base[WHO] == i].tolist())
    vertices, values = heights(tables, shape, slot.items[MASK, i], g, program.perturbation)
    behind = values[vertices == key][0] - values
    rise = (tables.vertices[vertices] - tables.vertices[key]) @ q
    faster = rise > ROUNDING * program.size[i] * tables.reach[shape] * np.linalg.norm(q)
    return {
        int(v): max(0.0, float(b / r))
        for v, b, r, f in zip(vertices, behind, rise, faster, strict=True)
        if f and v not in basic
    }


def lowest_on_line(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array, delta: Array) -> float:
    """Least value of U(y + t delta) over t >= 0; -inf when it falls for ever.

    U is convex and piecewise linear: its least value is at a crossing of two vertices of one item, or at 0.
    """
    times, lines = [np.zeros(1)], []
    parts = zip(program.shape_of, masks, directions(program, y), directions(program, delta), strict=True)
    for shape, mask, g, q in parts:
        vertices, level = heights(tables, shape, mask, g, program.perturbation)
        slope = tables.vertices[vertices] @ q
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (level[:, None] - level[None, :]) / (slope[None, :] - slope[:, None])
        times.append(crossing[np.isfinite(crossing) & (crossing > 0.0)])
        lines.append((level, slope))
    if sum(slope.max() for _, slope in lines) < 0.0:
        return -np.inf
    at = np.unique(np.concatenate(times))
    return float(sum((level[:, None] + slope[:, None] * at).max(axis=0) for level, slope in lines).min())


# -- forces in pieces -------------------------------------------------------------------------------


def share_inside(piece: Polytope, force: Array) -> float:
    """The largest t <= 1 with t f in a piece that contains zero."""
    return min(1.0, float(piece.radial(force))) if force.any() else 1.0
