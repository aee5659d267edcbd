"""Double description: the rays and lines of the cone {x : rows x >= 0}, compiled.

Rows enter one by one. While a line of the cone is left that the new row sees, the line becomes a ray; else the rays
that break the row are replaced by their combinations with adjacent rays that meet it. Two rays are adjacent when no
third one lies on all rows that both lie on: sets of rows are bit masks, so that the test costs a few instructions.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...errors import SolverError
from .compiling import kernel

#: A unit ray lies on a unit row within this.
ON_ROW = 1e-10

#: Rays whose directions differ by less than this are one.
SAME_RAY = 1e-9

#: Rays at which the work is given up: the set is too rich for an explicit form.
MOST_RAYS = 1 << 17

_WORD = 64


@kernel
def _product(row, ray):
    total = 0.0
    for i in range(row.shape[0]):
        total += row[i] * ray[i]
    return total


@kernel
def _turn_line(row, bit, word, equal, lines, line_count, rays, masks, ray_count, coefficients):
    """Use up one line for `row`: the lines are reflected until only the first sees it, which becomes a ray or goes."""
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


@kernel
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
        fix="ask by membership instead of by generators",
    )


def _distinct(rays: Array) -> Array:
    """The rays without repetitions that rounding left."""
    if len(rays) < 2:
        return rays.copy()
    # |r - s|^2 = 2 - 2 r.s of unit rays is right to rounding only, so that candidates are compared once more.
    near = np.argwhere(np.triu(2.0 - 2.0 * (rays @ rays.T) < SAME_RAY, 1))
    keep = np.ones(len(rays), dtype=bool)
    for first, second in near:
        if keep[first] and np.abs(rays[first] - rays[second]).max() < SAME_RAY:
            keep[second] = False
    return rays[keep]
