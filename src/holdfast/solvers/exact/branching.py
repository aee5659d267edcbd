"""Which pieces to give up, and which contact to branch on; compiled."""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, kernel
from .basis import restrict
from .found import PIVOTS, add_leaf
from .program import KEY, MASK, SCRATCH, VERTEX, WHO, X, Y, copy_slot
from .rounding import INSIDE
from .simplex import FAILED, INFEASIBLE, PRUNED, ROUGH, run
from .supports import support
from .tables import FIRST_PIECE, FIRST_RAY, PIECES, SMALLEST_REACH

#: Mixed contacts that are tried for branching, and pivots spent on each of their children.
CANDIDATES, TRIAL_PIVOTS = 8, np.int64(6)

#: A candidate's score: how far its worst child's bound falls, so many times, and how far its best child's does.
WORST_COUNTS = 20.0

#: No contact. Typed, as are other constants that kernels pass on: a bare literal has a type of its own, and each
#: combination of those would be compiled separately.
NONE = np.int64(-1)


@kernel
def strike_off(tables, program, frames, found, s, bound, cutoff):
    """Take away pieces that cannot be part of anything above the cutoff; their boxes become leaves."""
    items, vectors = frames.items[s], frames.vectors[s]
    m, struck_any = vectors.shape[1], False
    for i in range(len(found.pieces)):
        mask, shape = items[MASK, i], program.shape_of[i]
        # Vertices at the cut of a ray are no part of the bound, so supports with rays say nothing about it.
        bounded = tables.shapes[shape, FIRST_RAY] == tables.shapes[shape + 1, FIRST_RAY]
        if bounded and mask & (mask - 1):
            gx = gy = gz = 0.0
            for r in range(m):
                gx += program.rows[r, 3 * i] * vectors[Y, r]
                gy += program.rows[r, 3 * i + 1] * vectors[Y, r]
                gz += program.rows[r, 3 * i + 2] * vectors[Y, r]
            _, whole, _ = support(tables, shape, mask, gx, gy, gz, -np.inf)
            struck, worst = 0, -np.inf
            for j in range(tables.shapes[shape, PIECES]):
                if mask >> j & 1:
                    _, part, _ = support(tables, shape, 1 << j, gx, gy, gz, -np.inf)
                    left = bound - (whole - part)
                    if left <= cutoff - 1e-12 * abs(cutoff):
                        struck |= 1 << j
                        worst = max(worst, left)
            if struck and struck != mask:
                add_leaf(found, items, vectors[Y], worst, i, struck)
                restrict(tables, program, frames, s, i, mask & ~struck)
                struck_any = True
    return struck_any


@kernel
def split(tables, program, frames, found, s, i):
    """Cut contact i's pieces into parts none of which allows its force, into found.parts[0]; returns their number.

    Of the vertices that it mixes, take the two heaviest that share no piece: one part gets the pieces of one, the other
    those of the other, and what has neither goes where its centre is nearer. The force is on a face of the hull, with
    the mixed vertices, so a hull that misses one of them misses the force. Without such a pair every piece is a part.
    """
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    m, mask, shape = vectors.shape[1], items[MASK, i], program.shape_of[i]
    rest, count, heaviest = 1.0, 0, 0.0
    one, other = np.int64(-1), np.int64(-1)
    for j in range(1, m):
        if base[WHO, j] == i:
            rest -= vectors[X, j]
    for j in range(m):
        first = items[KEY, i] if j == 0 else base[VERTEX, j]
        first_weight = rest if j == 0 else vectors[X, j]
        if j > 0 and base[WHO, j] != i:
            continue
        for h in range(j + 1, m):
            weight = first_weight * vectors[X, h]
            apart = base[WHO, h] == i and not tables.bits[first] & tables.bits[base[VERTEX, h]] & mask
            if apart and weight > heaviest and vectors[X, h] > 0.0:
                one, other, heaviest = first, base[VERTEX, h], first_weight * vectors[X, h]
    if one >= 0:
        found.parts[0, 0] = found.parts[0, 1] = 0
        for j in range(tables.shapes[shape, PIECES]):
            if mask >> j & 1:
                side = 0
                if tables.bits[other] >> j & 1:
                    side = 1
                elif not tables.bits[one] >> j & 1:
                    along = 0.0
                    for c in range(3):
                        a, b = tables.vertices[one, c], tables.vertices[other, c]
                        along += (b - a) * (tables.centres[tables.shapes[shape, FIRST_PIECE] + j, c] - 0.5 * (a + b))
                    side = 1 if along > 0.0 else 0
                found.parts[0, side] |= 1 << j
        count = 2
    else:
        for j in range(tables.shapes[shape, PIECES]):
            if mask >> j & 1:
                found.parts[0, count] = 1 << j
                count += 1
    return count


@inlined
def choose(tables, program, frames, work, found, s, top, cutoff):
    """The mixed contact to branch on: its children's bounds fall furthest in a few pivots; -1 when none has a choice.

    Returns (contact, number of children); their masks, bounds and multipliers are in parts[1], bound[1] and y[1].
    """
    chosen, highest, children = NONE, -np.inf, 0
    m = frames.vectors.shape[2]
    for _ in range(CANDIDATES):
        i = NONE
        for h in range(len(found.pieces)):
            mask = frames.items[s, MASK, h]
            mixed = found.factors[h] < 1.0 - INSIDE and mask & (mask - 1)
            if mixed and (i < 0 or found.factors[h] < found.factors[i]):
                i = h
        if i < 0:
            break
        found.factors[i] = 2.0  # tried
        count = split(tables, program, frames, found, s, i)
        for j in range(count):
            found.bound[0, j] = np.inf
        for j in range(count):
            copy_slot(frames, s, SCRATCH)
            restrict(tables, program, frames, SCRATCH, i, found.parts[0, j])
            outcome, bound, pivots = run(tables, program, frames, work, SCRATCH, cutoff, TRIAL_PIVOTS, ROUGH)
            found.counts[PIVOTS] += pivots
            if outcome == FAILED:
                bound = np.inf
            elif outcome != PRUNED and outcome != INFEASIBLE:
                bound = max(bound, cutoff + 1e-12 * abs(cutoff) + SMALLEST_REACH)  # open, whatever the bound is
            found.bound[0, j] = bound
            for r in range(m):
                found.y[0, j, r] = frames.vectors[SCRATCH, Y, r]
        # How far the children's bounds fall, down to the cutoff where they are closed.
        least_drop, most_drop = np.inf, 0.0
        for j in range(count):
            drop = max(0.0, top - max(found.bound[0, j], cutoff))
            least_drop, most_drop = min(least_drop, drop), max(most_drop, drop)
        score = WORST_COUNTS * least_drop + most_drop
        if score > highest or chosen < 0:
            chosen, highest, children = i, score, count
            for j in range(count):
                found.bound[1, j], found.parts[1, j] = found.bound[0, j], found.parts[0, j]
                for r in range(m):
                    found.y[1, j, r] = found.y[0, j, r]
        if least_drop >= top - cutoff:
            break  # it closes the node
    return chosen, children


@kernel
def branch(frames, found, s, i, children, cutoff):
    """List the children of contact i, the most promising first; those already closed become leaves."""
    child, left = found.child[s], 0
    child[0], child[1] = i, 2
    for j in range(children):
        if found.bound[1, j] <= cutoff:
            add_leaf(found, frames.items[s], found.y[1, j], found.bound[1, j], i, found.parts[1, j])
            found.bound[1, j] = -np.inf
        else:
            left += 1
    for place_of in range(left):
        best = 0
        for j in range(1, children):
            if found.bound[1, j] > found.bound[1, best]:
                best = j
        child[2 + place_of] = found.parts[1, best]
        found.bound[1, best] = -np.inf
    child[2 + left] = 0
