"""Compiled kernels of planar contact: double description, small linear programs, contact modes; arrays in and out.

Double description finds the rays and lines of the cone {x : rows x >= 0}. Rows enter one by one. While a line of the
cone is not orthogonal to the new row, the line becomes a ray; else the rays that violate the row are replaced by
their combinations with adjacent rays that meet it. Two rays are adjacent when no third one lies on all rows of both:
sets of rows are bit masks, so that the test costs a few instructions.

Small dense linear programs in few variables and many rows,

    maximise c.x  over  rows x <= limits,  x free,

are solved through the dual, minimise limits.y over rows^T y = c, y >= 0, whose tableau has as many rows as x has
entries. When progress stops the least-index rule is used, so that the method always ends.

Contact modes are enumerated by a tree over the contacts. Accelerations are homogenised: (a, s) with s > 0 in R^(n + 1),
M = 1. A node of the tree is the cone of all (a, s) that agree with the letters chosen so far, kept by its generators
with the rows that each lies on. A contact cuts it by its plane an = 0 and, within that plane, by at = 0: the signs of
the generators show which of the letters S, F, R, L are possible, without a linear program, and no node of a branch is
empty. A cone represents its strict set: that is empty when all generators lie on the same strict row. At
the leaves the reaction must come from the cone of the letters' edges: T (a - s Q) in cone(T G), whose facets are found
by double description of its dual and cut the leaf's cone once more. T leaves out what torques balance.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..compiling import sources, stored
from ..errors import SolverError
from ..linear_programs import Outcome, minimise
from ..tolerances import MERGE

#: What the kernels are made of: this file and the tolerances; it has no folder of its own.
SOURCES = sources(Path(__file__).with_suffix(""), Path(__file__))

#: A kernel that other kernels of this file call, and one that Python calls, too.
kernel, entry_kernel = stored(SOURCES, no_cpython_wrapper=True), stored(SOURCES)


#: A unit ray lies on a unit row within this: contacts closer to dependent than that count as dependent.
ON_ROW = 1e-10

#: Most rays of a set; larger sets have no explicit form here.
MOST_RAYS = 1 << 17

#: A mode tree of more contacts, or a cone of more rows, is worth compiled kernels.
FEW_CONTACTS, FEW_ROWS = 8, 40

_WORD = 64


@kernel
def _product(row, ray):
    total = 0.0
    for i in range(row.shape[0]):
        total += row[i] * ray[i]
    return total


@kernel
def _turn_line(row, bit, word, equal, lines, line_count, rays, masks, ray_count, coefficients):
    """Use up one line for `row`: after reflections only the first is not orthogonal to it; it becomes a ray or goes."""
    size = row.shape[0]
    words = masks.shape[1]
    length = 0.0
    for i in range(line_count):
        coefficients[i] = _product(row, lines[i])
        length += coefficients[i] * coefficients[i]
    length = np.sqrt(length)
    sign = 1.0 if coefficients[0] >= 0.0 else -1.0
    coefficients[0] += sign * length
    square = 0.0
    for i in range(line_count):
        square += coefficients[i] * coefficients[i]
    for j in range(size):
        along = 0.0
        for i in range(line_count):
            along += coefficients[i] * lines[i, j]
        for i in range(line_count):
            lines[i, j] -= 2.0 * coefficients[i] * along / square
    # The first line now has product -sign * length with the row, all others none.
    for r in range(ray_count):
        share = _product(row, rays[r]) / (-sign * length)
        norm = 0.0
        for j in range(size):
            rays[r, j] -= share * lines[0, j]
            norm += rays[r, j] * rays[r, j]
        norm = np.sqrt(norm)
        for j in range(size):
            rays[r, j] /= norm
        masks[r, word] |= bit
    if not equal:
        for j in range(size):
            rays[ray_count, j] = -sign * lines[0, j]
    for j in range(size):
        lines[0, j] = lines[line_count - 1, j]
    if equal:
        return
    for w in range(words):
        masks[ray_count, w] = ~np.uint64(0) if w < word else (bit - np.uint64(1) if w == word else np.uint64(0))


@kernel
def _adjacent(first, second, masks, ray_count, least):
    """Whether two rays span a face of dimension two: they share `least` rows and no third ray lies on all of those."""
    words = masks.shape[1]
    shared = 0
    for w in range(words):
        common = masks[first, w] & masks[second, w]
        while common:
            common &= common - np.uint64(1)
            shared += 1
    if shared < least:
        return False
    for r in range(ray_count):
        inside = r not in (first, second)
        if not inside:
            continue
        for w in range(words):
            common = masks[first, w] & masks[second, w]
            if common & ~masks[r, w]:
                inside = False
                break
        if inside:
            return False
    return True


@kernel
def _cut_rays(row, bit, word, equal, rays, masks, ray_count, least, values, tolerance):
    """Cut the rays by `row` (or by row x = 0); the new number of rays, or -1 when there is no room."""
    size = row.shape[0]
    words = masks.shape[1]
    broken = 0
    for r in range(ray_count):
        value = _product(row, rays[r])
        if abs(value) <= tolerance:
            value = 0.0
        elif value < 0.0:
            broken += 1
        values[r] = value
    if broken:
        total = ray_count
        for n in range(ray_count):
            if values[n] >= 0.0:
                continue
            for p in range(ray_count):
                if values[p] <= 0.0 or not _adjacent(n, p, masks, ray_count, least):
                    continue
                if total >= rays.shape[0]:
                    return -1
                norm = 0.0
                for j in range(size):
                    rays[total, j] = values[p] * rays[n, j] - values[n] * rays[p, j]
                    norm += rays[total, j] * rays[total, j]
                norm = np.sqrt(norm)
                if norm == 0.0:
                    continue
                for j in range(size):
                    rays[total, j] /= norm
                for w in range(words):
                    masks[total, w] = masks[n, w] & masks[p, w]
                values[total] = 0.0
                total += 1
    else:
        total = ray_count
    kept = 0
    for r in range(total):
        if values[r] < 0.0 or (equal and values[r] > 0.0):
            continue
        on_row = values[r] == 0.0
        if kept != r:
            for j in range(size):
                rays[kept, j] = rays[r, j]
            for w in range(words):
                masks[kept, w] = masks[r, w]
        if on_row:
            masks[kept, word] |= bit
        kept += 1
    return kept


@kernel
def add_row(row, index, equal, least, rays, masks, ray_count, lines, line_count, values, coefficients, tolerance):
    """Cut a cone by row x >= 0, or row x = 0 if `equal`, known as bit `index` of the masks.

    (rays, lines) that are left; rays is -1 when there is no room. `least`: rows that adjacent rays must share, or 0.
    """
    word = index // 64
    bit = np.uint64(1) << np.uint64(index % 64)
    seen = 0.0
    for i in range(line_count):
        seen = max(seen, abs(_product(row, lines[i])))
    if seen > tolerance:
        if ray_count >= rays.shape[0]:
            return -1, line_count
        _turn_line(row, bit, word, equal, lines, line_count, rays, masks, ray_count, coefficients)
        return (ray_count if equal else ray_count + 1), line_count - 1
    return _cut_rays(row, bit, word, equal, rays, masks, ray_count, least, values, tolerance), line_count


@entry_kernel
def describe(rows, count, rays, masks, lines, values, coefficients, tolerance):
    """Fill `rays` and `lines` (orthonormal) of {x : rows[:count] x >= 0}; (rays, lines), rays = -1 when out of room."""
    size = rows.shape[1]
    line_count = size
    for i in range(size):
        for j in range(size):
            lines[i, j] = 1.0 if i == j else 0.0
    ray_count = 0
    for k in range(count):
        least = size - line_count - 2
        ray_count, line_count = add_row(
            rows[k], k, False, least, rays, masks, ray_count, lines, line_count, values, coefficients, tolerance
        )
        if ray_count < 0:
            return -1, line_count
    return ray_count, line_count


def cone_generators(rows: Array) -> tuple[Array, Array]:
    """(rays (r, n), lines (l, n)) of {x : rows x >= 0}, unit length; rows (m, n) of unit length, none of them zero.

    Every extreme ray is there, modulo the lines, which are orthonormal.
    """
    count, size = rows.shape
    rows = np.require(rows, np.float64, ["C", "W"])  # one compiled variant serves all
    if count > FEW_ROWS:
        describe.compile()
    words = max(1, -(-count // _WORD))
    capacity = max(64, 4 * (count + size))
    while capacity <= MOST_RAYS:
        rays = np.empty((capacity, size))
        masks = np.zeros((capacity, words), dtype=np.uint64)
        lines = np.empty((size, size))
        found, line_count = describe(rows, count, rays, masks, lines, np.empty(capacity), np.empty(size), ON_ROW)
        if found >= 0:
            return _distinct(rays[:found]), lines[:line_count].copy()
        capacity *= 4
    raise SolverError(
        f"a polyhedron with {count} rows in {size} dimensions has more than {MOST_RAYS // 4} generators",
        fix="test membership instead of computing generators",
    )


def _distinct(rays: Array) -> Array:
    """The rays without duplicates up to rounding."""
    if len(rays) < 2:
        return rays.copy()
    # |r - s|^2 = 2 - 2 r.s of unit rays is right to rounding only, so that candidates are compared once more.
    near = np.argwhere(np.triu(2.0 - 2.0 * (rays @ rays.T) < MERGE, 1))
    keep = np.ones(len(rays), dtype=bool)
    for first, second in near:
        if keep[first] and np.abs(rays[first] - rays[second]).max() < MERGE:
            keep[second] = False
    return rays[keep]


OPTIMAL, UNBOUNDED, INFEASIBLE, STALLED = range(4)

#: A reduced cost below this counts as zero; rows are of unit length.
PIVOT = 1e-11

#: Smallest pivot: a smaller one would spread rounding errors over the tableau.
SMALLEST_PIVOT = 1e-9

#: Steps that differ by less than this share are tied.
TIE = 1e-13

#: What phase one may leave over of the right-hand side, as a share of its size.
LEFT_OVER = 1e-9


@kernel
def _pivot(tableau, basis, row, column):
    height, width = tableau.shape
    value = tableau[row, column]
    for j in range(width):
        tableau[row, j] /= value
    for i in range(height):
        if i == row:
            continue
        factor = tableau[i, column]
        if factor != 0.0:
            for j in range(width):
                tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = 0.0
    basis[row] = column


@_pivot.twin
def _pivot_by_rows(tableau, basis, row, column):
    tableau[row] /= tableau[row, column]
    factors = tableau[:, column].copy()
    factors[row] = 0.0
    tableau -= np.outer(factors, tableau[row])
    tableau[factors != 0.0, column] = 0.0
    basis[row] = column


@kernel
def _minimise(tableau, basis, columns, tolerance):
    """Pivot until no reduced cost (last row) among the first `columns` is negative; a status."""
    size = tableau.shape[0] - 1
    last = tableau.shape[1] - 1
    stuck = 0
    for _ in range(200 * (size + columns) + 100):
        entering = -1
        best = -tolerance
        for j in range(columns):
            if tableau[size, j] < best:
                entering = j
                if stuck > 2 * size + 10:
                    break
                best = tableau[size, j]
        if entering < 0:
            return 0
        leaving = -1
        ratio = np.inf
        for i in range(size):
            value = tableau[i, entering]
            if value > SMALLEST_PIVOT:
                step = max(tableau[i, last], 0.0) / value
                slack = TIE * (1.0 + ratio if ratio < np.inf else 0.0)
                # Of tied rows the largest pivot, for accuracy; while nothing moves the lowest index, against cycling.
                if step < ratio - slack or (
                    leaving >= 0
                    and step <= ratio + slack
                    and (basis[i] < basis[leaving] if stuck > 2 * size + 10 else value > tableau[leaving, entering])
                ):
                    ratio = step
                    leaving = i
        if leaving < 0:
            return 1
        stuck = stuck + 1 if ratio <= tolerance else 0
        _pivot(tableau, basis, leaving, entering)
    return 3


@entry_kernel
def solve(rows, limits, c, x, tableau, basis, tolerance, left_over):
    """Status of max c.x over rows x <= limits; x filled when it is OPTIMAL. tableau (n + 1, m + n + 1), basis (n,)."""
    count, size = rows.shape
    last = count + size
    scale = 1.0
    for i in range(size):
        scale = max(scale, abs(c[i]))
    for j in range(last + 1):
        tableau[size, j] = 0.0
    for i in range(size):
        sign = 1.0 if c[i] >= 0.0 else -1.0
        for j in range(count):
            tableau[i, j] = sign * rows[j, i]
            tableau[size, j] -= tableau[i, j]
        for j in range(size):
            tableau[i, count + j] = sign if i == j else 0.0
        tableau[i, last] = sign * c[i]
        tableau[size, last] -= tableau[i, last]
        basis[i] = count + i
    # Artificial columns carry the sign of their row; a scaled unit column is a unit basis all the same.
    status = _minimise(tableau, basis, count, tolerance)
    if status == 3:
        return 3
    if -tableau[size, last] > left_over * scale:
        return 1
    for i in range(size):
        if basis[i] >= count:
            entering = -1
            best = 1e-9
            for j in range(count):
                if abs(tableau[i, j]) > best:
                    best = abs(tableau[i, j])
                    entering = j
            if entering >= 0:
                _pivot(tableau, basis, i, entering)
    for j in range(last + 1):
        tableau[size, j] = limits[j] if j < count else 0.0
    for i in range(size):
        cost = limits[basis[i]] if basis[i] < count else 0.0
        if cost != 0.0:
            for j in range(last + 1):
                tableau[size, j] -= cost * tableau[i, j]
    status = _minimise(tableau, basis, count, tolerance)
    if status == 1:
        return 2
    if status == 3:
        return 3
    for i in range(size):
        # Reduced cost of the artificial column e_i is 0 - x_i.
        x[i] = -tableau[size, count + i]
    return 0


def maximise(c: Array, rows: Array, limits: Array, *, confirmed: bool = True) -> tuple[int, Array]:
    """(status, x) of max c.x over rows x <= limits; c (n,), rows (m, n) of about unit length, limits (m,).

    Statuses other than OPTIMAL are those of a second method; UNBOUNDED is not if `confirmed` is False.
    """
    count, size = rows.shape
    x = np.zeros(size)
    tableau = np.empty((size + 1, count + size + 1))
    basis = np.empty(size, dtype=np.int64)
    arrays = [np.require(part, np.float64, ["C", "W"]) for part in (rows, limits, c)]  # one compiled variant for all
    status = int(solve(*arrays, x, tableau, basis, PIVOT, LEFT_OVER))
    if status == OPTIMAL and not _meets(arrays[0], arrays[1], x):
        status = STALLED
    # A point is its own proof. "Infeasible" and "unbounded" are confirmed by another method.
    return (status, x) if status == OPTIMAL or (status == UNBOUNDED and not confirmed) else _asked_again(*arrays)


def _meets(rows: Array, limits: Array, x: Array) -> bool:
    """Whether rows x <= limits up to rounding."""
    size = max(1.0, float(np.abs(limits).max(initial=0.0)), float(np.abs(x).max(initial=0.0)))
    return bool((rows @ x - limits).max(initial=0.0) <= LEFT_OVER * size)


def _asked_again(rows: Array, limits: Array, c: Array) -> tuple[int, Array]:
    """(status, x) of the same program by HiGHS."""
    statuses = {Outcome.OPTIMAL: OPTIMAL, Outcome.INFEASIBLE: INFEASIBLE, Outcome.UNBOUNDED: UNBOUNDED}
    found = minimise(-c, rows, limits)
    if found.outcome is Outcome.NUMERICAL:  # "unbounded or infeasible": the existence of any point decides
        found = minimise(0.0 * c, rows, limits)
        statuses[Outcome.OPTIMAL] = UNBOUNDED
    if found.outcome not in statuses:
        raise SolverError(f"a linear program with {len(rows)} rows in {len(c)} variables was not solved")
    return statuses[found.outcome], found.x if found.optimal else np.zeros(len(c))


def deepest(rows: Array, limits: Array, weights: Array, cap: float = 1.0) -> tuple[float, Array]:
    """(t, x) of the largest t <= cap with rows x + weights t <= limits; t < 0 is how far the rows are from meeting.

    Rows of weight zero must be met exactly; where that is impossible, t is -inf.
    """
    count, size = rows.shape
    extended = np.zeros((count + 1, size + 1))
    extended[:count, :size] = rows
    extended[:count, size] = weights
    extended[count, size] = 1.0
    bounds = np.append(limits, cap)
    goal = np.zeros(size + 1)
    goal[size] = 1.0
    status, x = maximise(goal, extended, bounds)
    if status != OPTIMAL:
        return -np.inf, x[:size]
    return float(x[size]), x[:size]


#: Letters as bits of a contact's choices, in the order S, F, R, L; then flags: an and at must have their sign.
S, F, R, L, NORMAL_STRICT, TANGENT_STRICT = 1, 2, 4, 8, 16, 32

#: Doublings of the work space before the enumeration is given up.
DOUBLINGS = 12


@kernel
def _copy(source_rays, source_masks, count, source_lines, line_count, rays, masks, lines):
    for r in range(count):
        for j in range(source_rays.shape[1]):
            rays[r, j] = source_rays[r, j]
        for w in range(source_masks.shape[1]):
            masks[r, w] = source_masks[r, w]
    for i in range(line_count):
        for j in range(source_rays.shape[1]):
            lines[i, j] = source_lines[i, j]


@kernel
def _is_strict(masks, count, strict):
    """Whether no strict row contains all generators, so that the strict set is not empty."""
    for w in range(strict.shape[0]):
        common = strict[w]
        for r in range(count):
            common &= masks[r, w]
            if not common:
                break
        if common:
            return False
    return True


@kernel
def _edges_of(letters, edges, edge_count, chosen):
    """The edges that the letters let push, copied to `chosen`; their number. edges (k, 2, p): -mu and +mu."""
    total = 0
    for i in range(letters.shape[0]):
        letter = letters[i]
        for e in range(edge_count[i]):
            # F has all its edges; R the one with ft = -mu fn, L the other (the only one at mu = 0).
            if letter == 1 or (letter == 2 and e == 0) or (letter == 3 and e == edge_count[i] - 1):
                for j in range(edges.shape[2]):
                    chosen[total, j] = edges[i, e, j]
                total += 1
    return total


@kernel
def _cut_by_reactions(
    letters, edges, edge_count, test, offset, first_bit, chosen, facets, facet_masks, equal, row,
    rays, masks, ray_count, lines, line_count, values, coefficients, tolerance,
):  # fmt: skip
    """Cut the leaf's cone to T (a - s Q) in cone(T G); (rays, lines), rays = -1 or -2 when out of room."""
    size = rays.shape[1] - 1
    seen = test.shape[0]
    total = _edges_of(letters, edges, edge_count, chosen)
    found, flat = describe(chosen, total, facets, facet_masks, equal, values, coefficients, tolerance)
    if found < 0:
        return -1, line_count
    if first_bit + found + flat > 64 * masks.shape[1]:
        return -2, line_count
    for index in range(found + flat):
        is_equal = index < flat
        for j in range(size + 1):
            row[j] = 0.0
        for c in range(seen):
            factor = equal[index, c] if is_equal else facets[index - flat, c]
            for j in range(size):
                row[j] += factor * test[c, j]
            row[size] -= factor * offset[c]
        length = 0.0
        for j in range(size + 1):
            length += row[j] * row[j]
        length = np.sqrt(length)
        for j in range(size + 1):
            row[j] /= length
        ray_count, line_count = add_row(
            row, first_bit + index, is_equal, 0,
            rays, masks, ray_count, lines, line_count, values, coefficients, tolerance,
        )  # fmt: skip
        if ray_count <= 0:
            return ray_count, line_count
    return ray_count, line_count


@kernel
def _relax(strict, depth):
    """Remove the strict rows of the contact at `depth`."""
    for bit in (1 + 2 * depth, 2 + 2 * depth):
        strict[bit // 64] &= ~(np.uint64(1) << np.uint64(bit % 64))


@kernel
def _make_child(
    letter, i, choice, normals, tangents, row,
    parent_rays, parent_masks, parent_count, parent_lines, parent_line_count,
    rays, masks, lines, strict, values, coefficients, tolerance,
):  # fmt: skip
    """The cone of a node's child with `letter` at contact i; (rays, lines), rays = 0 when it is empty."""
    size = rays.shape[1]
    normal_bit, tangent_bit = 1 + 2 * i, 2 + 2 * i
    _relax(strict, i)
    count, line_count = parent_count, parent_line_count
    _copy(parent_rays, parent_masks, count, parent_lines, line_count, rays, masks, lines)
    # Rows that the letter does not ask for count as rows that everything lies on, so that adjacency stays exact.
    idle_tangent = letter == 0 or (letter != 1 and not choice & TANGENT_STRICT)
    idle_normal = letter == 0 and not choice & NORMAL_STRICT
    for r in range(count):
        if idle_tangent:
            masks[r, tangent_bit // 64] |= np.uint64(1) << np.uint64(tangent_bit % 64)
        if idle_normal:
            masks[r, normal_bit // 64] |= np.uint64(1) << np.uint64(normal_bit % 64)
    if idle_normal:
        return count, line_count
    count, line_count = add_row(
        normals[i], normal_bit, letter != 0, 0,
        rays, masks, count, lines, line_count, values, coefficients, tolerance,
    )  # fmt: skip
    if letter == 0:
        strict[normal_bit // 64] |= np.uint64(1) << np.uint64(normal_bit % 64)
    elif count > 0 and not idle_tangent:
        for j in range(size):
            row[j] = -tangents[i, j] if letter == 3 else tangents[i, j]
        count, line_count = add_row(
            row, tangent_bit, letter == 1, 0,
            rays, masks, count, lines, line_count, values, coefficients, tolerance,
        )  # fmt: skip
        if letter != 1:
            strict[tangent_bit // 64] |= np.uint64(1) << np.uint64(tangent_bit % 64)
    if count > 0 and not _is_strict(masks, count, strict):
        return 0, line_count
    return count, line_count


@kernel
def _store(
    found, letters, rays, ray_count, lines, line_count, used,
    out_letters, out_ends, out_rays, out_lines, out_line_counts,
):  # fmt: skip
    """Store one mode with its generators; whether there was room."""
    if found >= out_ends.shape[0] or used + ray_count > out_rays.shape[0]:
        return False
    for i in range(letters.shape[0]):
        out_letters[found, i] = letters[i]
    for j in range(rays.shape[1]):
        for r in range(ray_count):
            out_rays[used + r, j] = rays[r, j]
        for i in range(line_count):
            out_lines[found, i, j] = lines[i, j]
    out_ends[found] = used + ray_count
    out_line_counts[found] = line_count
    return True


@kernel
def _plant(rays, masks, lines, strict):
    """The root: s > 0, the first row, with all of a free."""
    size = rays.shape[1]
    for j in range(size):
        rays[0, j] = 1.0 if j == size - 1 else 0.0
        for i in range(size):
            lines[i, j] = 1.0 if i == j else 0.0
    for w in range(masks.shape[1]):
        masks[0, w] = np.uint64(0)
        strict[w] = np.uint64(0)
    strict[0] = np.uint64(1)


@entry_kernel
def enumerate_modes(
    normals, tangents, choices, edges, edge_count, test, offset, dynamic, tolerance,
    rays, masks, ray_counts, lines, line_counts, letters, strict, chosen, facets, facet_masks, equal, row,
    values, coefficients, out_letters, out_ends, out_rays, out_lines, out_line_counts,
):  # fmt: skip
    """Walk the tree; (modes, nodes). modes is -1 when cones, -2 when masks, -3 when the results are out of room.

    rays (k + 2, capacity, n + 1), masks (k + 2, capacity, words) and lines (k + 2, n + 1, n + 1) hold one cone per
    depth; depth k + 1 is for the leaf's own cut. Generators of mode m are out_rays[out_ends[m - 1] : out_ends[m]].
    """
    count = normals.shape[0]
    _plant(rays[0], masks[0], lines[0], strict)
    ray_counts[0], line_counts[0] = 1, rays.shape[2] - 1
    nodes, found, used, depth = 0, 0, 0, 0
    if count:
        letters[0] = -1
    while depth >= 0:
        if depth == count:
            here, straight, leaf = ray_counts[depth], line_counts[depth], depth
            if dynamic:
                leaf = depth + 1
                _copy(rays[depth], masks[depth], here, lines[depth], straight, rays[leaf], masks[leaf], lines[leaf])
                here, straight = _cut_by_reactions(
                    letters, edges, edge_count, test, offset, 1 + 2 * count,
                    chosen, facets, facet_masks, equal, row,
                    rays[leaf], masks[leaf], here, lines[leaf], straight, values, coefficients, tolerance,
                )  # fmt: skip
                if here < 0:
                    return here, nodes
            if here > 0 and _is_strict(masks[leaf], here, strict):
                if not _store(
                    found, letters, rays[leaf], here, lines[leaf], straight, used,
                    out_letters, out_ends, out_rays, out_lines, out_line_counts,
                ):  # fmt: skip
                    return -3, nodes
                used += here
                found += 1
            depth -= 1
            continue
        letters[depth] += 1
        letter = letters[depth]
        if letter > 3:
            _relax(strict, depth)
            depth -= 1
            continue
        if not choices[depth] & (1 << letter):
            continue
        nodes += 1
        here, straight = _make_child(
            letter, depth, choices[depth], normals, tangents, row,
            rays[depth], masks[depth], ray_counts[depth], lines[depth], line_counts[depth],
            rays[depth + 1], masks[depth + 1], lines[depth + 1], strict, values, coefficients, tolerance,
        )  # fmt: skip
        if here < 0:
            return -1, nodes
        if here == 0:
            continue
        depth += 1
        ray_counts[depth], line_counts[depth] = here, straight
        if depth < count:
            letters[depth] = -1
    return found, nodes


class Faces(NamedTuple):
    """The result of `walk`.

    Attributes:
        letters: (m, k) the modes, 0 to 3 for S, F, R, L.
        rays: m arrays (r, n + 1) of homogenised generators (a, s), unit length.
        lines: m arrays (l, n + 1), orthonormal.
        nodes: children that were tried.
    """

    letters: IntArray
    rays: list[Array]
    lines: list[Array]
    nodes: int


def walk(
    normals: Array,
    tangents: Array,
    choices: IntArray,
    *,
    edges: Array | None = None,
    edge_count: IntArray | None = None,
    test: Array | None = None,
    offset: Array | None = None,
) -> Faces:
    """All strict modes: normals, tangents (k, n + 1) homogenised unit rows, choices (k,) of bits.

    With edges (k, 2, p) = T G per contact (edge_count (k,) of them used), test T (p, n) and offset T Q (p,), only the
    modes that reactions can drive, with their accelerations; without, all that are kinematically possible.
    """
    count, size = normals.shape
    if count > FEW_CONTACTS:
        enumerate_modes.compile()
    dynamic = edges is not None
    if edges is None or edge_count is None or test is None or offset is None:
        edges, edge_count = np.zeros((count, 2, 1)), np.zeros(count, dtype=np.int64)
        test, offset = np.zeros((1, size - 1)), np.zeros(1)
    seen = test.shape[0]
    # One compiled variant serves all.
    normals, tangents, edges, test, offset = (
        np.require(part, np.float64, ["C", "W"]) for part in (normals, tangents, edges, test, offset)
    )
    choices, edge_count = (np.require(part, np.int64, ["C", "W"]) for part in (choices, edge_count))
    capacity, words, most = 32 + 4 * size, 1 + (2 + 4 * count + seen) // 64, 16 + 8 * count
    for _ in range(DOUBLINGS):
        out_letters, out_ends = np.empty((most, count), dtype=np.int64), np.empty(most, dtype=np.int64)
        out_rays, out_lines = np.empty((most * 8, size)), np.empty((most, size, size))
        out_line_counts = np.empty(most, dtype=np.int64)
        found, nodes = enumerate_modes(
            normals, tangents, choices, edges, edge_count, test, offset, dynamic, ON_ROW,
            np.empty((count + 2, capacity, size)), np.empty((count + 2, capacity, words), dtype=np.uint64),
            np.empty(count + 2, dtype=np.int64), np.empty((count + 2, size, size)), np.empty(count + 2, dtype=np.int64),
            np.empty(count, dtype=np.int64), np.empty(words, dtype=np.uint64),
            np.empty((2 * count + 1, seen)), np.empty((capacity, seen)), np.empty((capacity, words), dtype=np.uint64),
            np.empty((seen, seen)), np.empty(size), np.empty(capacity), np.empty(max(size, seen)),
            out_letters, out_ends, out_rays, out_lines, out_line_counts,
        )  # fmt: skip
        if found >= 0:
            ends = [0, *out_ends[:found].tolist()]
            rays = [out_rays[start:stop] for start, stop in pairwise(ends)]
            lines = [out_lines[m, :straight] for m, straight in enumerate(out_line_counts[:found].tolist())]
            return Faces(out_letters[:found], rays, lines, int(nodes))
        capacity, words, most = (
            capacity * (2 if found == -1 else 1),
            words + (2 if found == -2 else 0),
            most * (4 if found == -3 else 1),
        )
    raise SolverError(f"the contact modes of {count} contacts need more room than there is")
