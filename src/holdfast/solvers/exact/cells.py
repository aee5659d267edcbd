"""Which vertices of a hull can be the best in a direction: a cube map of short lists, compiled.

The directions of space are cut into the cells of a cube's faces, each a cone over a square. A linear function of
the direction that is negative at the four corners of the square is negative in the whole cone; so a vertex that some
other one beats at all four corners need not be looked at there. Cells whose lists stay long are cut again, like a
quadtree. What is left is one or two vertices, mostly.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array, IntArray
from ...compiling import inlined, released_kernel

#: Cells along an edge of a cube's face (odd, so that the axes lie amid a cell), and of a cell that is cut again.
CELLS, PARTS = 9, 4

#: Lists longer than this are cut again, at most so many times.
LONG_LIST, MOST_CUTS = 6, 5

#: Columns of the cells: the first of its parts (0: it has none), where its list begins and ends.
FIRST_PART, BEGIN, END = 0, 1, 2


@inlined
def find_cell(cells, first_cell, x, y, z):
    """Cell that a direction falls into, and its distance to the cell's sides (at least)."""
    ax, ay, az = abs(x), abs(y), abs(z)
    face, big, first, second = 4, az, x, y
    if ax >= ay and ax >= az:
        face, big, first, second = 0, ax, y, z
        if x < 0.0:
            face = 1
    elif ay >= az:
        face, big, first, second = 2, ay, z, x
        if y < 0.0:
            face = 3
    elif z < 0.0:
        face = 5
    cell, near = first_cell, 0.0
    if big > 0.0:
        scale = 0.5 * CELLS / big
        a, b = (first + big) * scale, (second + big) * scale
        i, j = min(CELLS - 1, int(a)), min(CELLS - 1, int(b))
        a, b, width = a - i, b - j, np.sqrt(0.5) / scale
        cell = first_cell + (face * CELLS + i) * CELLS + j
        while cells[cell, FIRST_PART] > 0:
            a, b, width = a * PARTS, b * PARTS, width / PARTS
            i, j = min(PARTS - 1, int(a)), min(PARTS - 1, int(b))
            a, b = a - i, b - j
            cell = cells[cell, FIRST_PART] + i * PARTS + j
        near = max(0.0, min(min(a, 1.0 - a), min(b, 1.0 - b)) * width)
    return cell, near


@inlined
def survivors(vertices, face, low_first, low_second, width, members, count, values, kept):
    """Keep of the first `count` members those that beat, at some corner, the best of each corner and of all."""
    axis, sign = face // 2, 1.0 - 2.0 * (face % 2)
    for a in range(count):
        v = members[a]
        middle = 0.0
        for c in range(4):
            first, second = low_first + width * (c // 2), low_second + width * (c % 2)
            value = sign * vertices[v, axis]
            value += first * vertices[v, (axis + 1) % 3] + second * vertices[v, (axis + 2) % 3]
            values[v, c] = value
            middle += value
        values[v, 4] = middle
        kept[a] = v
    left = count
    for c in range(5):
        rival = kept[0]
        for a in range(left):
            if values[kept[a], c] > values[rival, c]:
                rival = kept[a]
        stay = 0
        for a in range(left):
            v, ahead = kept[a], -np.inf
            for d in range(4):
                ahead = max(ahead, values[v, d] - values[rival, d])
            if ahead >= 0.0:
                kept[stay] = v
                stay += 1
        left = stay
    return left


@released_kernel
def fill_cells(vertices, everyone, values, few, squares, cells, lists):
    """Cut the cube into cells and list the vertices (n, 3) that can be best in each; see `cell_lists`.

    squares (c, 4): face, lower corner and width of each cell. `values` (n, 5) and `few` (n,) are room. Returns (cells,
    list entries) that were needed; the result is complete only if there was room for both.
    """
    count, at = 6 * CELLS * CELLS, 0
    for c in range(count):
        squares[c, 0] = c // (CELLS * CELLS)
        squares[c, 1] = (c // CELLS % CELLS) * 2.0 / CELLS - 1.0
        squares[c, 2] = (c % CELLS) * 2.0 / CELLS - 1.0
        squares[c, 3] = 2.0 / CELLS
        cells[c, BEGIN], cells[c, END] = -1, -1
    c = 0
    while c < count and count <= len(cells) and at + len(vertices) <= len(lists):
        face, low_first, low_second, width = int(squares[c, 0]), squares[c, 1], squares[c, 2], squares[c, 3]
        members = everyone
        if cells[c, BEGIN] >= 0:  # a part: only what the whole listed
            members = lists[cells[c, BEGIN] : cells[c, END]]
        left = survivors(vertices, face, low_first, low_second, width, members, len(members), values, few)
        cells[c, FIRST_PART], cells[c, BEGIN], cells[c, END] = 0, at, at + left
        for a in range(left):
            lists[at + a] = few[a]
        at += left
        if left > LONG_LIST and width > 2.5 / CELLS / PARTS**MOST_CUTS:
            cells[c, FIRST_PART] = count
            if count + PARTS * PARTS <= len(cells):
                for part in range(PARTS * PARTS):
                    new = count + part
                    squares[new, 0], squares[new, 3] = face, width / PARTS
                    squares[new, 1] = low_first + part // PARTS * width / PARTS
                    squares[new, 2] = low_second + part % PARTS * width / PARTS
                    cells[new, BEGIN], cells[new, END] = cells[c, BEGIN], cells[c, END]
            count += PARTS * PARTS
        c += 1
    return count, at + len(vertices)


def cell_lists(vertices: Array) -> tuple[IntArray, IntArray]:
    """(cells (c, 3), lists): the vertices (n, 3) that can be best in a cell are lists[cells[BEGIN]:cells[END]].

    The first 6 CELLS^2 cells are the cube's; a cell with FIRST_PART > 0 is cut into PARTS^2 from there on.
    """
    n = len(vertices)
    room, entries = 64 * CELLS * CELLS, 256 * CELLS * CELLS + n
    while True:
        cells, lists = np.zeros((room, 3), dtype=np.int64), np.empty(entries, dtype=np.int64)
        work = (np.arange(n), np.empty((n, 5)), np.empty(n, dtype=np.int64), np.empty((room, 4)))
        cells_needed, entries_needed = fill_cells(vertices, *work, cells, lists)
        if cells_needed <= room and entries_needed <= entries:
            return cells[:cells_needed].copy(), lists[: entries_needed - n].copy()
        room, entries = 4 * max(room, cells_needed), 4 * max(entries, entries_needed)
