"""All strict contact modes of a planar system and their sets of accelerations, by a tree over the contacts, compiled.

Accelerations are homogenised: (a, s) with s > 0 in R^(n + 1), M = 1. A node of the tree is the cone of all (a, s) that
agree with the letters chosen so far, kept by its generators with the rows that each lies on (`generators`). A contact
cuts it by its plane an = 0 and, within that plane, by at = 0: the signs of the generators tell which of the letters
S, F, R, L are left, without any linear program, and every node on a branch is non-empty. A cone stands for its strict
set: that is empty when all generators lie on one and the same strict row.

At the leaves the reaction must come from the cone of the letters' edges: T (a - s Q) in cone(T G), whose facets are
found by double description of its dual and cut the leaf's cone once more. T leaves out what torques balance.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...errors import SolverError
from .compiling import kernel
from .generators import add_row, describe

#: A unit generator lies on a unit row within this: contacts closer to dependent than that count as dependent.
ON_ROW = 1e-10

#: Letters as bits of a contact's choices, in the order S, F, R, L; then flags: an and at have to have their sign.
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
    """Whether no strict row holds all generators, so that the strict set is not empty."""
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
    """Take back the strict rows of the contact at `depth`."""
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
    idle_tangent = letter == 0 or (letter != 1 and not choice & 32)
    idle_normal = letter == 0 and not choice & 16
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
    """Write down one mode with its generators; whether there was room."""
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


@kernel
def enumerate_modes(
    normals, tangents, choices, edges, edge_count, test, offset, dynamic, tolerance,
    rays, masks, ray_counts, lines, line_counts, letters, strict, chosen, facets, facet_masks, equal, row,
    values, coefficients, out_letters, out_ends, out_rays, out_lines, out_line_counts,
):  # fmt: skip
    """Walk the tree; (modes, nodes). modes is -1 when cones, -2 when masks, -3 when the results are out of room.

    rays (k + 2, capacity, n + 1), masks (k + 2, capacity, words) and lines (k + 2, n + 1, n + 1) hold one cone a
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
    """What a walk found.

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
