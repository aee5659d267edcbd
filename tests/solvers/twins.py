"""What the compiled kernels compute, in a few lines of NumPy from the mathematics.

A twin looks at every vertex of a hull, inverts matrices afresh and asks scipy for linear programs; it carries nothing
from one step to the next. Only the data are the kernels' own: `SupportTables`, `SimplexProgram` and the basis of a slot.

Notation: point p has vertices v of its pieces, a map M_p (m, 3), a direction g_p = M_p^T y; the vertex 0 of a contact
earns a perturbation. The points of item i share one of its allowed pieces j, so

    h_i(g) = max over j of sum_p max over v in piece j of (g_p . v + perturbation of v),   U(y) = sum_i h_i(M^T y).

A contact of its own is an item of one point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

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
    POINT,
    PRIMAL_TOLERANCE,
    PRUNED,
    RIGHT,
    VERTEX,
    WHO,
    WHOLE,
    WHOLES,
    SimplexProgram,
    X,
    Y,
)
from holdfast.solvers.exact.support_tables import (
    FAR,
    FIRST_RAY,
    FIRST_VERTEX,
    PIECES,
    RAY_SLOPE,
    ZERO,
    SupportTables,
)
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


# -- the program ------------------------------------------------------------------------------------


def maps(program: SimplexProgram) -> Array:
    """(n, m, 3) M_i."""
    return program.rows.reshape(len(program.rows), -1, 3).transpose(1, 0, 2)


def directions(program: SimplexProgram, y: Array) -> Array:
    """(n, 3) M_i^T y."""
    return np.einsum("nmi,m->ni", maps(program), y)


def points_of(program: SimplexProgram, i: int) -> range:
    """The points of item i."""
    return range(i, i + int(program.points[i]))


def items_of(program: SimplexProgram) -> list[int]:
    """The items, by their first points."""
    return np.nonzero(program.points)[0].tolist()


def pieces_in(tables: SupportTables, program: SimplexProgram, i: int, mask: int) -> list[int]:
    """The pieces of item i that are in `mask`."""
    return [j for j in range(tables.shapes[program.shape_of[i], PIECES]) if mask >> j & 1]


def piece_support(
    tables: SupportTables, program: SimplexProgram, i: int, j: int, along: Array, perturbation: float
) -> float:
    """Sum over the points of item i of the support of piece j, in the directions `along` (n, 3)."""
    points = points_of(program, i)
    return sum(support(tables, program.shape_of[p], 1 << j, along[p], perturbation) for p in points)


def item_support(
    tables: SupportTables, program: SimplexProgram, i: int, mask: int, along: Array, perturbation: float
) -> float:
    """h_i(g) in the directions `along` (n, 3)."""
    pieces = pieces_in(tables, program, i, mask)
    return max(piece_support(tables, program, i, j, along, perturbation) for j in pieces)


def upper_bound(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array) -> float:
    """U(y)."""
    along = directions(program, y)
    return sum(item_support(tables, program, i, masks[i], along, program.perturbation) for i in items_of(program))


def factor_bound(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array, load: Array) -> float:
    """The load factor that y leaves possible where rays and rows without a limit are endless, not cut; no perturbation.

    A multiplier that leans on the endless side of a row leaves everything possible, and so does a direction that climbs
    a ray by more than the rounding of its terms.
    """
    if ((program.unlimited & 1 > 0) & (y > 0.0)).any() or ((program.unlimited & 2 > 0) & (y < 0.0)).any():
        return np.inf
    total, along = 0.0, directions(program, y)
    terms = np.linalg.norm(np.einsum("nmi,m->ni", np.abs(maps(program)), np.abs(y)), axis=1)
    for i in items_of(program):
        most = -np.inf
        for j in pieces_in(tables, program, i, masks[i]):
            value = 0.0
            for p in points_of(program, i):
                shape, g = program.shape_of[p], along[p]
                own = slice(tables.shapes[shape, FIRST_RAY], tables.shapes[shape + 1, FIRST_RAY])
                rays = tables.rays[own][tables.ray_bits[own] >> j & 1 == 1]
                if (rays @ g > RAY_SLOPE * terms[p]).any():
                    return np.inf
                value += float((tables.vertices[members(tables, shape, 1 << j, near=True)] @ g).max())
            most = max(most, value)
        total += most
    work = float(-y @ load)
    if work > 0.0:
        return total / work
    return -np.inf if total < 0.0 else np.inf


def hull_limit(tables: SupportTables, program: SimplexProgram, masks: IntArray) -> float:
    """max d with sum_i M_i f_i + d b = 0 and f_i in its hull, over the weights of all vertices; -inf if there is none.

    The forces of a unit are in the hull of products: piece j has a weight, and at each point the weights of its
    vertices add up to that. Of the program as the kernels see it, with rays and rows cut off, but without the
    perturbation.
    """
    blocks, shares, wholes, at = [program.load[:, None]], [], [], 1  # shares: (columns of vertices, column of piece)
    for i in items_of(program):
        of_pieces = []
        for j in pieces_in(tables, program, i, masks[i]):
            of_pieces.append(at)
            blocks.append(np.zeros((len(program.load), 1)))
            at += 1
            for p in points_of(program, i):
                vertices = tables.vertices[members(tables, program.shape_of[p], 1 << j)]
                blocks.append(maps(program)[p] @ vertices.T)
                shares.append((slice(at, at + len(vertices)), of_pieces[-1]))
                at += len(vertices)
        wholes.append(of_pieces)
    sums, ones = np.zeros((len(shares), at)), np.zeros((len(wholes), at))
    for row, (vertices, piece) in zip(sums, shares, strict=True):
        row[vertices], row[piece] = 1.0, -1.0
    for row, of_pieces in zip(ones, wholes, strict=True):
        row[of_pieces] = 1.0
    equal = np.column_stack(blocks)
    scale = np.abs(equal[:, 1:]).max(axis=1, keepdims=True)
    scale[scale == 0.0] = 1.0
    result = linprog(
        -np.eye(1, at)[0],
        A_eq=np.concatenate([equal / scale, sums, ones]),
        b_eq=np.concatenate([np.zeros(len(equal) + len(sums)), np.ones(len(ones))]),
        bounds=[(None, None)] + [(0.0, None)] * (at - 1),
        method="highs-ds",
        options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
    )
    assert result.status in (0, 2), result.message
    return float(result.x[0]) if result.status == 0 else -np.inf


# -- bases ------------------------------------------------------------------------------------------


def vertices_of(program: SimplexProgram, slot: Slot, j: int) -> dict[int, int]:
    """The vertex of basic column j at each point that it moves; none where it is no vertex of an item."""
    who, point = slot.base[WHO, j], slot.base[POINT, j]
    if who in (FACTOR, ARTIFICIAL):
        return {}
    points = points_of(program, who) if point == WHOLE else [int(point)]
    return {p: int(slot.base[VERTEX + at, j]) for at, p in enumerate(points)}


def basis_matrix(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m, m) the basic columns by their definition: b, sum_p M_p (v_p - key_p), and artificial ones as stored."""
    columns = slot.columns.copy()
    for j, who in enumerate(slot.base[WHO]):
        if who == FACTOR:
            columns[j] = program.load
        elif who != ARTIFICIAL:
            columns[j] = sum(
                maps(program)[p] @ (tables.vertices[v] - tables.vertices[slot.items[KEY, p]])
                for p, v in vertices_of(program, slot, j).items()
            )
    return columns.T


def objective(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) what one unit of each basic column earns."""
    gains = np.zeros(slot.base.shape[1])
    for j, who in enumerate(slot.base[WHO]):
        if who == FACTOR:
            gains[j] = 1.0
        elif who == ARTIFICIAL:
            gains[j] = slot.vectors[GAIN, j]
        for p, v in vertices_of(program, slot, j).items():
            for sign, vertex in ((1.0, v), (-1.0, slot.items[KEY, p])):
                gains[j] += sign * float(rewards(tables, program.shape_of[p], vertex, program.perturbation))
    return gains


def multipliers(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) y with y . column = -gain for every basic column."""
    return np.linalg.solve(basis_matrix(tables, program, slot).T, -objective(tables, program, slot))


def right_hand_side(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) what the keys leave for the basic columns to balance: -sum_p M_p key_p."""
    return -np.einsum("nmi,ni->m", maps(program), tables.vertices[slot.items[KEY]])


def basic_values(tables: SupportTables, program: SimplexProgram, slot: Slot) -> Array:
    """(m,) values of the basic columns."""
    return np.linalg.solve(basis_matrix(tables, program, slot), right_hand_side(tables, program, slot))


def mixtures(program: SimplexProgram, slot: Slot, values: Array) -> list[dict[int, float]]:
    """Per point: the weight of its key and of each vertex that a basic column puts there."""
    result = []
    for p, key in enumerate(slot.items[KEY]):
        mixture: dict[int, float] = defaultdict(float)
        mixture[int(key)] = 1.0
        for j, value in enumerate(values.tolist()):
            vertex = vertices_of(program, slot, j).get(p)
            if vertex is not None:
                mixture[vertex] += value
                mixture[int(key)] -= value
        result.append(mixture)
    return result


def forces(tables: SupportTables, program: SimplexProgram, slot: Slot, values: Array) -> Array:
    """(n, 3) the vectors that the mixtures add up to."""
    of_points = mixtures(program, slot, values)
    return np.array([sum(w * tables.vertices[v] for v, w in mixture.items()) for mixture in of_points])


def violations(program: SimplexProgram, slot: Slot, values: Array, primal: float) -> dict[int, tuple[float, float]]:
    """Variables outside their bounds: (by how much, in the metric of steepest edge); m + p is the key at point p.

    Weights must not be negative, artificial values must be zero, to within the program's slack (`primal` for the
    artificial ones); the metric is the length of y's step that one unit of the violation is worth. The key of an item
    with whole vertices alone stands at its first point.
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
    for i in items_of(program):
        own = slot.base[WHO] == i
        whole, mixed = own & (slot.base[POINT] == WHOLE), slot.base[POINT, own & (slot.base[POINT] >= 0)]
        for p in np.unique(mixed) if len(mixed) else ([i] if whole.any() else []):
            taking = whole | (own & (slot.base[POINT] == p))
            out = values[taking].sum() - 1.0
            if out > program.slack[i]:
                found[m + int(p)] = (out, out / np.linalg.norm(inverse[taking].sum(axis=0)))
    return found


def assert_basis(tables: SupportTables, program: SimplexProgram, slot: Slot) -> None:
    """A slot says what it should: columns, inverse, right-hand side, multipliers, counts, and it is dual feasible.

    Dual feasible: each item's key is a support vertex, and its basic vertices tie with it.
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
    basic = slot.base[WHO] >= 0
    whole = basic & (slot.base[POINT] == WHOLE)
    points = range(slot.items.shape[1])
    assert slot.items[MIXED].tolist() == [int((basic & (slot.base[POINT] == p)).sum()) for p in points]
    assert slot.items[WHOLES].tolist() == [int((whole & (slot.base[WHO] == i)).sum()) for i in points]
    np.testing.assert_allclose(
        slot.along.reshape(-1, 3), directions(program, y), atol=ROUNDING * program.size.max() * np.abs(y).max()
    )
    assert_dual_feasible(tables, program, slot)


def assert_dual_feasible(tables: SupportTables, program: SimplexProgram, slot: Slot) -> None:
    """Keys are support vertices of allowed pieces, and basic vertices tie with them.

    The vertices at single points of a unit share a piece with its key.
    """
    along = directions(program, slot.vectors[Y])
    for i in items_of(program):
        mask, points = int(slot.items[MASK, i]), points_of(program, i)
        reach = float(np.linalg.norm(tables.reach[program.shape_of[points]]))
        noise = 100 * ROUNDING * program.size[i] * reach * float(np.linalg.norm(slot.vectors[Y]))
        best = item_support(tables, program, i, mask, along, program.perturbation)
        key = {p: int(slot.items[KEY, p]) for p in points}
        own = [
            (int(slot.base[POINT, j]), vertices_of(program, slot, int(j))) for j in np.flatnonzero(slot.base[WHO] == i)
        ]
        for vertices in (key, *(change for _, change in own)):
            tied = key | vertices
            assert value_of(tables, program, tied, along) >= best - noise
            assert shared_pieces(tables, tied.values()) & mask
        at_points = [v for point, change in own if point >= 0 for v in change.values()]
        if len(points) > 1:
            assert shared_pieces(tables, [*key.values(), *at_points]) & mask


def shared_pieces(tables: SupportTables, vertices: Iterable[int]) -> int:
    """The pieces that contain all of the vertices."""
    return int(np.bitwise_and.reduce([tables.bits[v] for v in vertices]))


def value_of(tables: SupportTables, program: SimplexProgram, vertices: dict[int, int], along: Array) -> float:
    """Sum of g_p . v + perturbation of v, over one vertex for each point."""
    gained = [rewards(tables, program.shape_of[p], v, program.perturbation) for p, v in vertices.items()]
    return float(sum(along[p] @ tables.vertices[v] for p, v in vertices.items()) + sum(gained))


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
        at_points = forces(tables, program, slot, slot.vectors[X])
        balance = np.einsum("nmi,ni->m", maps(program), at_points) + factor * program.load
        rounding = 1e-15 * np.linalg.cond(slot.columns) * np.abs(slot.vectors[RIGHT]).max()
        assert np.abs(balance).max() <= 1e-9 * np.abs(program.load).max() + rounding


# -- along a line -----------------------------------------------------------------------------------


def overtakings(
    tables: SupportTables, program: SimplexProgram, slot: Slot, i: int, g: Array, q: Array
) -> dict[int, float]:
    """When each vertex of an item of one point overtakes its key along g + t q, t >= 0; not those in the basis."""
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


def lines(
    tables: SupportTables, program: SimplexProgram, i: int, mask: int, g: Array, q: Array
) -> list[list[tuple[Array, Array]]]:
    """Per allowed piece of item i and point: (levels, slopes) of its vertices along g + t q, both (n, 3)."""
    result = []
    for j in pieces_in(tables, program, i, mask):
        of_points = []
        for p in points_of(program, i):
            vertices, level = heights(tables, program.shape_of[p], 1 << j, g[p], program.perturbation)
            of_points.append((level, tables.vertices[vertices] @ q[p]))
        result.append(of_points)
    return result


def height_at(of_pieces: list[list[tuple[Array, Array]]], at: Array) -> Array:
    """(pieces, times) support of each piece of an item at the times `at`."""
    return np.array(
        [sum((level[:, None] + slope[:, None] * at).max(axis=0) for level, slope in points) for points in of_pieces]
    )


def breakpoints(of_pieces: list[list[tuple[Array, Array]]]) -> Array:
    """Times > 0, ascending, between which an item's support is linear: vertices cross, then sums of pieces do."""
    times = [np.zeros(1)]
    for level, slope in (line for points in of_pieces for line in points):
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (level[:, None] - level[None, :]) / (slope[None, :] - slope[:, None])
        times.append(crossing[np.isfinite(crossing) & (crossing > 0.0)])
    at = np.unique(np.concatenate(times))
    grid = np.append(at, 2.0 * at[-1] + 1.0)
    values = height_at(of_pieces, grid)
    steps = np.diff(grid)
    slopes = np.diff(values, axis=1) / steps
    for a in range(len(values)):
        for b in range(a):
            with np.errstate(divide="ignore", invalid="ignore"):
                wait = (values[a, :-1] - values[b, :-1]) / (slopes[b] - slopes[a])
            inside = np.isfinite(wait) & (wait > 0.0) & (wait < np.append(steps[:-1], np.inf))
            at = np.concatenate([at, (grid[:-1] + wait)[inside]])
    return np.unique(at)


def first_overtaking(tables: SupportTables, program: SimplexProgram, slot: Slot, i: int, g: Array, q: Array) -> float:
    """The first t at which item i's key is no longer a support vertex along g + t q, both (n, 3); inf for never."""
    of_pieces = lines(tables, program, i, slot.items[MASK, i], g, q)
    key = {p: int(slot.items[KEY, p]) for p in points_of(program, i)}
    level = value_of(tables, program, key, g)
    slope = sum(float(q[p] @ tables.vertices[v]) for p, v in key.items())
    at = breakpoints(of_pieces)
    grid = np.append(at, 2.0 * at[-1] + 1.0)
    ahead = height_at(of_pieces, grid).max(axis=0) - level - slope * grid
    size = program.size[i] * float(np.linalg.norm(tables.reach[program.shape_of[points_of(program, i)]]))
    noise = ROUNDING * size * (np.abs(g).max() + grid * np.abs(q).max())
    passed = np.nonzero(ahead > noise)[0]
    if not len(passed):
        return np.inf
    after = int(passed[0])
    if after == 0:
        return 0.0
    rise = (ahead[after] - max(0.0, ahead[after - 1])) / (grid[after] - grid[after - 1])
    return max(0.0, float(grid[after] - ahead[after] / rise))


def lowest_on_line(tables: SupportTables, program: SimplexProgram, masks: IntArray, y: Array, delta: Array) -> float:
    """Least value of U(y + t delta) over t >= 0; -inf when it falls for ever.

    U is convex and piecewise linear: its least value is at a breakpoint of one item, or at 0.
    """
    along, pace = directions(program, y), directions(program, delta)
    items = [lines(tables, program, i, masks[i], along, pace) for i in items_of(program)]
    steepest = [max(sum(slope.max() for _, slope in points) for points in of_pieces) for of_pieces in items]
    if sum(steepest) < 0.0:
        return -np.inf
    at = np.unique(np.concatenate([breakpoints(of_pieces) for of_pieces in items]))
    return float(sum(height_at(of_pieces, at).max(axis=0) for of_pieces in items).min())


# -- forces in pieces -------------------------------------------------------------------------------


def share_inside(piece: Polytope, force: Array) -> float:
    """The largest t <= 1 with t f in a piece that contains zero."""
    return min(1.0, float(piece.radial(force))) if force.any() else 1.0


def distance_to_hull(tables: SupportTables, program: SimplexProgram, i: int, mask: int, forces: Array) -> float:
    """How far the forces (points, 3) of item i are from the hull of the products of its allowed pieces [N].

    Largest coordinate of the difference, at least, by a linear program over the weights of `hull_limit`.
    """
    pieces, points = pieces_in(tables, program, i, mask), points_of(program, i)
    blocks = [[tables.vertices[members(tables, program.shape_of[p], 1 << j)] for p in points] for j in pieces]
    total = 1 + len(pieces) + sum(len(v) for of_points in blocks for v in of_points)  # distance, pieces, vertices
    balance, sums, at = np.zeros((3 * len(points), total)), [], 1 + len(pieces)
    for j, of_points in enumerate(blocks):
        for row, vertices in enumerate(of_points):
            own = slice(at, at + len(vertices))
            balance[3 * row : 3 * row + 3, own] = vertices.T
            sums.append(np.zeros(total))
            sums[-1][own], sums[-1][1 + j] = 1.0, -1.0
            at += len(vertices)
    ones = np.zeros((1, total))
    ones[0, 1 : 1 + len(pieces)] = 1.0
    apart = np.eye(1, total)
    result = linprog(
        apart[0],
        A_ub=np.concatenate([balance - apart, -balance - apart]),
        b_ub=np.concatenate([forces.ravel(), -forces.ravel()]),
        A_eq=np.concatenate([sums, ones]),
        b_eq=np.append(np.zeros(len(sums)), 1.0),
        method="highs-ds",
        options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
    )
    assert result.status == 0, result.message
    return float(result.fun)
